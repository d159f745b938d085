//! SYNTH files: a recipe for jobs, and the jobs that Hadoop draws from it, number for number.
//!
//! `recipe` is the file, `random` Java's generators, `sample` what is drawn from them, `heap` the order of jobs of one
//! time. Hadoop's `SynthTraceJobProducer`, with its old form of a job class.

mod heap;
mod random;
mod recipe;
mod sample;

use std::collections::BTreeMap;

use super::error::{At, TraceFileError};
use super::job::{Item, Job, Task};
use super::json::Values;
use super::nodes::{Node, generated_nodes};
use super::options::{Times, TraceOptions};
use super::source::Source;
use super::values::Wrong;
pub use heap::Heap;
use random::JavaRandom;
use recipe::{Class, Recipe};

/// The cluster that a file describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// `num_nodes`
    pub nodes: u32,
    /// `num_nodes / nodes_per_rack`, at least 1.
    pub racks: u32,
    /// `rand_seed`: hosts of tasks are drawn from it, anew for each job.
    pub seed: i64,
}

/// Of which class a job is, and of which workload that is.
#[derive(Clone, Copy, Debug)]
struct Story {
    workload: u32,
    class: u32,
}

/// No job has more tasks of one entry.
const MAX_TASKS: i64 = 10_000_000;

/// The jobs of a file.
pub(super) struct Jobs {
    name: String,
    recipe: Recipe,
    random: JavaRandom,
    story: Heap<Story>,
    times: Times,
    first_ms: Option<i64>,
    drawn: u64,
    nodes: Box<dyn Iterator<Item = Node> + Send>,
    ended: bool,
}

impl Jobs {
    /// Reads the recipe, and draws when each job comes.
    ///
    /// # Errors
    /// Where Hadoop refuses the file.
    pub(super) fn read(source: Source, options: &TraceOptions) -> Result<Jobs, TraceFileError> {
        let name = source.name.clone();
        let mut values = Values::new(source, options.longest_job);
        let value = values.next().unwrap_or_else(|| {
            Err(TraceFileError::new(
                &name,
                At::START,
                "the file is empty",
                "it must hold one object with \"workloads\"",
            ))
        })?;
        let mut random = JavaRandom::new(0);
        let recipe = Recipe::read(&value, &mut random).map_err(|wrong| wrong.of(&name))?;
        let story = tell(&recipe, &mut random).map_err(|wrong| wrong.of(&name))?;
        let nodes = generated_nodes(recipe.nodes, recipe.racks());
        Ok(Jobs {
            name,
            recipe,
            random,
            story,
            times: options.times,
            first_ms: None,
            drawn: 0,
            nodes: Box::new(nodes),
            ended: false,
        })
    }

    pub(super) fn cluster(&self) -> Cluster {
        Cluster { nodes: self.recipe.nodes, racks: self.recipe.racks(), seed: self.recipe.seed }
    }

    fn job(&mut self, seconds: i64, story: Story) -> Result<Job, Wrong> {
        let submitted = seconds.saturating_mul(1000);
        let first = *self.first_ms.get_or_insert(submitted);
        let workload = &mut self.recipe.workloads[story.workload as usize];
        let class = &mut workload.classes[story.class as usize];
        let random = &mut self.random;
        let duration = class.duration.long(random)?.saturating_mul(1000);
        let late = random.double() <= class.reservation.double(random)?;
        let factor = class.deadline_factor.double(random)?;
        let ends = submitted.saturating_add(duration);
        let deadline = late.then(|| submitted.saturating_add(sample::to_long((factor * duration as f64).ceil())));
        let next = random.long();
        random.reseed(next);
        let mut tasks = Vec::new();
        for task in &mut class.tasks {
            let count = task.count.long(random)?.max(0);
            if count > MAX_TASKS {
                let problem = format!("a job of class {:?} has {count} tasks of one entry", class.name);
                return Err(Wrong::new(
                    task.count.at,
                    problem,
                    format!("make the count smaller; the most is {MAX_TASKS}"),
                ));
            }
            let memory = task.memory.long(random)?.max(1024);
            let vcores = task.vcores.long(random)?.max(1);
            for _ in 0..count {
                let life = task.time.long(random)?;
                if life <= 0 {
                    let problem = format!("a task of class {:?} lives {life} ms", class.name);
                    return Err(Wrong::new(task.time.at, problem, "make times longer: Hadoop's run ends here"));
                }
                let resource = BTreeMap::from([("memory-mb".to_owned(), memory), ("vcores".to_owned(), vcores)]);
                let (priority, execution) = (task.priority, task.execution);
                tasks.push(Task { resource, priority, execution, ..Task::new(task.kind.clone(), life) });
            }
        }
        let less = if self.times == Times::FirstJob { first } else { 0 };
        let number = self.drawn;
        self.drawn += 1;
        Ok(Job {
            id: Some(format!("job_job_mock_{}_{number:06}_{number:04}", class.name)),
            count: 1,
            arrival_ms: if self.times == Times::AllAtOnce { 0 } else { submitted - less },
            finish_ms: ends - less,
            queue: workload.queue.clone(),
            user: class.user.clone(),
            am_type: class.am_type.clone(),
            am_resource: BTreeMap::new(),
            has_am: true,
            label: None,
            reservation: None,
            deadline_ms: deadline.map(|deadline| deadline.saturating_sub(less)),
            tasks,
            noted: Vec::new(),
        })
    }
}

/// Draws workload, time and class of every job.
fn tell(recipe: &Recipe, random: &mut JavaRandom) -> Result<Heap<Story>, Wrong> {
    let weights = |weights: Vec<f64>, at: At, what: &str| {
        let problem =
            || Wrong::new(at, format!("the weights of {what} add up to 0"), "give one of them a weight above 0");
        // A running sum of them has to come above what is drawn, which is from 0 to less than the whole.
        if weights.iter().sum::<f64>() > 0.0 { Ok(weights) } else { Err(problem()) }
    };
    let mut story = Heap::new();
    if recipe.jobs == 0 {
        return Ok(story);
    }
    let of_workloads =
        weights(recipe.workloads.iter().map(|workload| workload.weight).collect(), recipe.at, "workloads")?;
    let mut of_times = Vec::new();
    let mut of_classes = Vec::new();
    for workload in &recipe.workloads {
        of_times.push(weights(workload.times.iter().map(|(_, weight)| *weight).collect(), workload.at, "times")?);
        let classes = workload.classes.iter().map(|class: &Class| class.weight).collect();
        of_classes.push(weights(classes, workload.at, "job classes")?);
    }
    // With weights below 0 the running sum may not come so far.
    let choose = |weights: &[f64], random: &mut JavaRandom| {
        let found = sample::weighted(weights, random);
        let help = "weights must not be below 0";
        if found < weights.len() { Ok(found) } else { Err(Wrong::new(recipe.at, "a weight is below 0", help)) }
    };
    for _ in 0..recipe.jobs {
        let workload = choose(&of_workloads, random)?;
        let times = &recipe.workloads[workload].times;
        let bucket = choose(&of_times[workload], random)?;
        let begin = times[bucket].0;
        let end = times.get(bucket + 1).map_or(begin, |(next, _)| *next);
        let range = i32::try_from(end.saturating_sub(begin)).unwrap_or(i32::MAX);
        let drawn = if range > 0 { random.below(range.unsigned_abs()) } else { 0 };
        let class = choose(&of_classes[workload], random)?;
        let index = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
        story.push(begin + i64::from(drawn), Story { workload: index(workload), class: index(class) });
    }
    Ok(story)
}

impl Iterator for Jobs {
    type Item = Result<Item, TraceFileError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        if let Some(node) = self.nodes.next() {
            return Some(Ok(Item::Node(node)));
        }
        let (seconds, story) = self.story.pop()?;
        let job = self.job(seconds, story).map(|job| Item::Job(Box::new(job)));
        self.ended = job.is_err();
        Some(job.map_err(|wrong| wrong.of(&self.name)))
    }
}

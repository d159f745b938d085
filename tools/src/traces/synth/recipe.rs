//! A SYNTH file, read as a whole: Hadoop refuses all of it for one thing that is wrong.

use super::super::error::At;
use super::super::job::Execution;
use super::super::json::Value;
use super::super::values::{Fields, Wrong};
use super::random::JavaRandom;
use super::sample::{Sample, objects};

/// More jobs than that are probably a mistake, and when each comes is drawn beforehand.
const MAX_JOBS: i32 = 10_000_000;

#[derive(Debug)]
pub(super) struct Recipe {
    pub(super) at: At,
    pub(super) nodes: u32,
    nodes_per_rack: u32,
    pub(super) jobs: u32,
    pub(super) seed: i64,
    pub(super) workloads: Vec<Workload>,
}

#[derive(Debug)]
pub(super) struct Workload {
    pub(super) at: At,
    pub(super) weight: f64,
    pub(super) queue: String,
    /// Seconds and weights.
    pub(super) times: Vec<(i64, f64)>,
    pub(super) classes: Vec<Class>,
}

#[derive(Debug)]
pub(super) struct Class {
    pub(super) name: String,
    pub(super) user: String,
    pub(super) weight: f64,
    pub(super) am_type: String,
    pub(super) deadline_factor: Sample,
    pub(super) duration: Sample,
    pub(super) reservation: Sample,
    pub(super) tasks: Vec<TaskRecipe>,
}

#[derive(Debug)]
pub(super) struct TaskRecipe {
    pub(super) kind: String,
    pub(super) priority: i32,
    pub(super) execution: Execution,
    pub(super) count: Sample,
    pub(super) time: Sample,
    pub(super) memory: Sample,
    pub(super) vcores: Sample,
}

impl Recipe {
    /// Reads a file; `random` is seeded by it, and gives each distribution the seed of its own generator.
    pub(super) fn read(value: &Value, random: &mut JavaRandom) -> Result<Recipe, Wrong> {
        let file = Fields::of(value, "the file")?;
        let seed = file.long("rand_seed")?.unwrap_or(0);
        random.reseed(seed);
        let count = |name: &str| Ok(u32::try_from(file.int(name)?.unwrap_or(0)).unwrap_or(0));
        let jobs = file.int("num_jobs")?.unwrap_or(0);
        if jobs > MAX_JOBS {
            let at = file.get("num_jobs").map_or(file.at, |value| value.at);
            let help = format!("at most {MAX_JOBS} can be drawn; make several files");
            return Err(Wrong::new(at, format!("num_jobs is {jobs}"), help));
        }
        let workloads = objects(&file, "workloads", "a workload")?;
        let workloads = workloads.into_iter().map(|workload| read_workload(workload, random));
        Ok(Recipe {
            at: file.at,
            nodes: count("num_nodes")?,
            nodes_per_rack: count("nodes_per_rack")?,
            jobs: jobs.max(0).unsigned_abs(),
            seed,
            workloads: workloads.collect::<Result<_, _>>()?,
        })
    }

    pub(super) fn racks(&self) -> u32 {
        (self.nodes / self.nodes_per_rack.max(1)).max(1)
    }
}

fn read_workload(workload: Fields<'_>, random: &mut JavaRandom) -> Result<Workload, Wrong> {
    let queue = workload.text("queue_name")?;
    let time = |entry: &Fields<'_>| -> Result<(i64, f64), Wrong> {
        Ok((i64::from(entry.int("time")?.unwrap_or(0)), entry.double("weight")?.unwrap_or(0.0)))
    };
    let classes = objects(&workload, "job_classes", "a job class")?;
    Ok(Workload {
        at: workload.at,
        weight: workload.double("workload_weight")?.unwrap_or(0.0),
        queue: workload.wanted("queue_name", queue, "name the queue of its jobs")?.to_owned(),
        times: objects(&workload, "time_distribution", "a time")?.iter().map(time).collect::<Result<_, _>>()?,
        classes: classes.into_iter().map(|class| read_class(class, random)).collect::<Result<_, _>>()?,
    })
}

fn read_class(class: Fields<'_>, random: &mut JavaRandom) -> Result<Class, Wrong> {
    let old = !class.has("tasks");
    let am_type = if old { Some("mapreduce") } else { class.text("type")? };
    let name = class.text("class_name")?.unwrap_or("null").to_owned();
    let user = class.text("user_name")?.unwrap_or("default").to_owned();
    let weight = class.double("class_weight")?.unwrap_or(0.0);
    let am_type = class.wanted("type", am_type, "name the type of its AM, such as mapreduce")?.to_owned();
    // In the order in which their generators are seeded.
    if old {
        let deadline_factor = Sample::pair(&class, "deadline_factor", random)?;
        let duration = Sample::pair(&class, "dur", random)?;
        let chance = class.double("chance_of_reservation")?.unwrap_or(0.0);
        let reservation = Sample::constant(class.at, "chance_of_reservation", chance);
        let tasks = [("map", "m", 20), ("reduce", "r", 10)];
        let tasks = tasks.map(|(kind, letter, priority)| read_old_task(&class, kind, letter, priority, random));
        let tasks = tasks.into_iter().collect::<Result<_, _>>()?;
        return Ok(Class { name, user, weight, am_type, deadline_factor, duration, reservation, tasks });
    }
    let deadline_factor = Sample::read(&class, "deadline_factor", random)?;
    let duration = Sample::read(&class, "duration", random)?;
    let reservation = Sample::read(&class, "reservation", random)?;
    let tasks = class.list("tasks")?.unwrap_or_default().iter();
    let tasks = tasks.map(|task| read_task(Fields::of(task, "a task")?, random)).collect::<Result<_, _>>()?;
    Ok(Class { name, user, weight, am_type, deadline_factor, duration, reservation, tasks })
}

fn read_task(task: Fields<'_>, random: &mut JavaRandom) -> Result<TaskRecipe, Wrong> {
    let kind = task.text("type")?;
    Ok(TaskRecipe {
        kind: task.wanted("type", kind, "name its type, such as map")?.to_owned(),
        priority: task.int("priority")?.unwrap_or(0),
        execution: execution(&task, "execution_type")?,
        count: Sample::read(&task, "count", random)?,
        time: Sample::read(&task, "time", random)?,
        memory: Sample::read(&task, "max_memory", random)?,
        vcores: Sample::read(&task, "max_vcores", random)?,
    })
}

fn read_old_task(
    class: &Fields<'_>,
    kind: &str,
    letter: &str,
    priority: i32,
    random: &mut JavaRandom,
) -> Result<TaskRecipe, Wrong> {
    Ok(TaskRecipe {
        kind: kind.to_owned(),
        priority,
        execution: execution(class, &format!("{kind}_execution_type"))?,
        count: Sample::pair(class, &format!("{letter}tasks"), random)?,
        time: Sample::pair(class, &format!("{letter}time"), random)?,
        memory: Sample::pair(class, &format!("{kind}_max_memory"), random)?,
        vcores: Sample::pair(class, &format!("{kind}_max_vcores"), random)?,
    })
}

fn execution(of: &Fields<'_>, name: &str) -> Result<Execution, Wrong> {
    match of.text(name)? {
        None | Some("GUARANTEED") => Ok(Execution::Guaranteed),
        Some("OPPORTUNISTIC") => Ok(Execution::Opportunistic),
        Some(other) => {
            let at = of.get(name).map_or(of.at, |value| value.at);
            Err(Wrong::new(at, format!("{name} is {other:?}"), "write GUARANTEED or OPPORTUNISTIC"))
        }
    }
}

//! Jobs at the times of their trace: when each comes, how long its tasks live, in which queue it is and whose it is.
//!
//! All times of the trace are divided by one factor. A job is in the queue that it names, or in the one that it is
//! dealt to ([`crate::jobs`]).

use std::time::Duration;

use evenweave_tools::Failure;

use crate::jobs::{self, Job, Lives};
use crate::load::inputs::Inputs;
use crate::load::options::LoadOptions;
use crate::load::speed::Speed;
use crate::trace::{Tasks, TraceJob};

/// See the module's text.
#[derive(Debug)]
pub(super) struct Timetable {
    pub(super) jobs: Vec<Job>,
    pub(super) lives: Lives,
    /// When each job comes, in ns, first come first; with its place among the jobs.
    pub(super) due: Vec<(u64, usize)>,
    /// When the last would have ended on a cluster of its own, in ns.
    pub(super) end: u64,
}

impl Timetable {
    /// # Errors
    /// A job of a queue that is none of the leaves.
    pub(super) fn new(
        options: &LoadOptions,
        inputs: &Inputs,
        leaves: &[String],
        speed: Speed,
    ) -> Result<Timetable, Failure> {
        Timetable::of(&inputs.trace, leaves, options.queue.is_empty(), options.seed, speed)
            .map_err(|queue| no_leaf(&queue, leaves, inputs))
    }

    /// `named`: jobs are in the queues that they name. Gives the name of one that is none of the leaves.
    fn of(trace: &[TraceJob], leaves: &[String], named: bool, seed: u64, speed: Speed) -> Result<Timetable, String> {
        // Every task has a life of its own, so that the mean does not matter.
        let (mut jobs, mut lives) = jobs::from_trace(trace, leaves.len(), Duration::from_secs(1), seed);
        for (job, read) in jobs.iter_mut().zip(trace) {
            if let Some(user) = &read.user {
                job.user = user.as_str().into();
            }
            if let Some(queue) = read.queue.as_ref().filter(|_| named) {
                job.leaf = leaf(queue, leaves).ok_or_else(|| queue.clone())?;
            }
        }
        let life = |tasks: &Tasks| (tasks.count, speed.to_ns(tasks.length).max(1));
        lives.are(trace.iter().map(|job| [&job.maps, &job.reduces].map(|part| part.iter().map(life).collect())));
        let at = |job: &TraceJob| speed.to_ns(job.at_ms as f64);
        let mut due: Vec<_> = trace.iter().map(at).zip(0..).collect();
        due.sort_unstable();
        let longest = |part: &[Tasks]| part.iter().map(|tasks| speed.to_ns(tasks.length)).max().unwrap_or(0);
        let end = |job: &TraceJob| at(job).saturating_add(longest(&job.maps)).saturating_add(longest(&job.reduces));
        let end = trace.iter().map(end).max().unwrap_or(0);
        Ok(Timetable { jobs, lives, due, end })
    }
}

/// The leaf of a name, with `root` in front or without.
fn leaf(queue: &str, leaves: &[String]) -> Option<usize> {
    leaves.iter().position(|leaf| leaf == queue || leaf.strip_prefix("root.") == Some(queue))
}

fn no_leaf(queue: &str, leaves: &[String], inputs: &Inputs) -> Failure {
    let all = leaves.iter().take(20).map(String::as_str).collect::<Vec<_>>().join(", ");
    Failure::input(format!(
        "{}: jobs of queue {queue:?}, and {} has no leaf queue of that name; its leaf queues are {all}. Give the file of these queues \
         with --config, or deal the jobs to queues that are there with --queue",
        inputs.trace_name, inputs.queues_name
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(at_ms: u64, queue: Option<&str>, maps: &[(u32, f64)], reduces: &[(u32, f64)]) -> TraceJob {
        let tasks = |of: &[(u32, f64)]| of.iter().map(|&(count, length)| Tasks { count, length }).collect();
        let (queue, user) = (queue.map(str::to_owned), queue.map(|queue| format!("of {queue}")));
        TraceJob { at_ms, queue, user, label: None, maps: tasks(maps), reduces: tasks(reduces) }
    }

    fn table(named: bool, speed: &str, trace: &[TraceJob]) -> Result<Timetable, String> {
        let leaves = ["root.a", "root.b"].map(str::to_owned);
        Timetable::of(trace, &leaves, named, 1, speed.parse().unwrap())
    }

    #[test]
    fn all_times_of_a_trace_are_divided() {
        let trace = [
            job(5_000, Some("b"), &[(2, 400.0), (1, 0.0)], &[(1, 1_000.0)]),
            job(1_000, Some("root.a"), &[(1, 60.0)], &[]),
            job(0, None, &[(1, 10.0)], &[]),
        ];
        for (speed, times) in [("10x", 100_000), ("0.5", 2_000_000)] {
            let table = table(true, speed, &trace).unwrap();
            assert_eq!(table.due, [(0, 2), (1_000 * times, 1), (5_000 * times, 0)]);
            let own = |reduce| (0..4).map_while(|before| table.lives.own(0, reduce, before)).collect::<Vec<_>>();
            // No task ends when it begins.
            assert_eq!((own(false), own(true)), (vec![400 * times, 400 * times, 1], vec![1_000 * times]));
            assert_eq!(table.end, 6_400 * times);
            let whose = |job: &Job| (job.leaf, job.user.to_string());
            assert_eq!(whose(&table.jobs[0]), (1, "of b".to_owned()));
            assert_eq!(whose(&table.jobs[1]), (0, "of root.a".to_owned()));
            assert!(table.jobs[2].user.starts_with("user"));
        }
    }

    #[test]
    fn jobs_of_other_queues_are_told_or_dealt() {
        let trace = [job(0, Some("c"), &[(1, 1.0)], &[])];
        assert_eq!(table(true, "1", &trace).err(), Some("c".to_owned()));
        assert!(table(false, "1", &trace).unwrap().jobs[0].leaf < 2);
    }
}

//! Jobs at the times of their trace: when each comes, how long its tasks live, in which queue it is and whose it is.
//!
//! All times of the trace are divided by one factor. A job is in the queue that it names, or in the one that it is dealt to
//! ([`crate::jobs`]).

use crate::failure::Failure;
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
        let (mut jobs, mut lives) = jobs::from_trace(&inputs.trace, leaves.len(), options.mean_life(), options.seed);
        let named = options.queue.is_empty();
        for (job, read) in jobs.iter_mut().zip(&inputs.trace) {
            if let Some(user) = &read.user {
                job.user = user.as_str().into();
            }
            if let Some(queue) = read.queue.as_ref().filter(|_| named) {
                job.leaf = leaf(queue, leaves).ok_or_else(|| no_leaf(queue, leaves, inputs))?;
            }
        }
        let life = |tasks: &Tasks| (tasks.count, speed.to_ns(tasks.length).max(1));
        lives.are(inputs.trace.iter().map(|job| [&job.maps, &job.reduces].map(|part| part.iter().map(life).collect())));
        let at = |job: &TraceJob| speed.to_ns(job.at_ms as f64);
        let mut due: Vec<_> = inputs.trace.iter().map(at).zip(0..).collect();
        due.sort_unstable();
        let longest = |part: &[Tasks]| part.iter().map(|tasks| speed.to_ns(tasks.length)).max().unwrap_or(0);
        let end = |job: &TraceJob| at(job).saturating_add(longest(&job.maps)).saturating_add(longest(&job.reduces));
        let end = inputs.trace.iter().map(end).max().unwrap_or(0);
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
         with --queues, or deal the jobs to queues that are there with --queue",
        inputs.trace_name, inputs.queues_name
    ))
}

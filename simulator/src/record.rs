//! What came of a run: its jobs, its intervals, its totals, and a hash of every decision.

use std::collections::BTreeMap;

use evenweave_tools::random::mix;
use evenweave_tools::reservation_results::BookedCourse;

use crate::api::{EndReason, Resource};

/// How a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobEnd {
    /// All its tasks are done.
    Done,
    /// A task failed too often.
    Failed,
    /// Its AM's container was taken, or lost with its node.
    AmLost,
    /// Its AM stopped: it asked for what cannot be.
    Broken,
    /// Its reservation ended, and it could not go on elsewhere.
    Expired,
    /// It had not ended when the run did.
    Open,
}

impl JobEnd {
    /// A short lower-case word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            JobEnd::Done => "done",
            JobEnd::Failed => "failed",
            JobEnd::AmLost => "am-lost",
            JobEnd::Broken => "broken",
            JobEnd::Expired => "expired",
            JobEnd::Open => "open",
        }
    }
}

/// A job's run. Times are ms after the start of the simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct JobRecord {
    /// Its name in the trace.
    pub job: String,
    /// The application's number.
    pub application: u32,
    /// The queue that it was placed in.
    pub queue: String,
    /// Who submitted it.
    pub user: String,
    /// The type of its AM.
    pub kind: &'static str,
    /// As the trace has it.
    pub trace_start_ms: i64,
    /// As the trace has it.
    pub trace_end_ms: i64,
    /// When it was submitted.
    pub submitted_ms: u64,
    /// When its AM was up.
    pub registered_ms: Option<u64>,
    /// When its first task ran.
    pub first_task_ms: Option<u64>,
    /// When it ended.
    pub ended_ms: Option<u64>,
    /// How.
    pub end: JobEnd,
    /// Containers that were launched, without the AM.
    pub containers: u64,
    /// Of these, that the scheduler took.
    pub preempted: u64,
    /// Granted, and never launched.
    pub unused: u64,
    /// What those that were taken had run, in ms of memory: MiB · s.
    pub lost_mib_s: f64,
    /// How long it would take on an empty cluster that has room for all of it, in ms.
    pub alone_ms: u64,
    /// Its tasks.
    pub tasks: u64,
    /// Of these, those that have come to their end; none of a service.
    pub tasks_done: u64,
    /// How its AM's container ended, where it was taken or lost.
    pub am_lost: Option<&'static str>,
    /// What it waited for most often, as the scheduler has said of it at the ends of intervals.
    pub waited_for: Option<String>,
}

impl JobRecord {
    /// From submission to end, in ms.
    #[must_use]
    pub fn runtime_ms(&self) -> Option<u64> {
        self.ended_ms.map(|end| end.saturating_sub(self.submitted_ms))
    }

    /// From submission to its first task, in ms.
    #[must_use]
    pub fn wait_ms(&self) -> Option<u64> {
        self.first_task_ms.map(|first| first.saturating_sub(self.submitted_ms))
    }

    /// Runtime over what it would take alone.
    #[must_use]
    pub fn slowdown(&self) -> Option<f64> {
        self.runtime_ms().map(|runtime| runtime as f64 / self.alone_ms.max(1) as f64)
    }
}

/// Why a job had no end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NoEnd {
    /// Its AM waited for a container until the run ended.
    WaitedForAm,
    /// Its AM ran, and no task of it did.
    WaitedForFirstTask,
    /// Some of its tasks were not done.
    WaitedForTasks,
    /// The scheduler took its AM's container.
    AmPreempted,
    /// Its AM's container was lost with its node.
    AmNodeLost,
    /// Its AM's container ended in another way.
    AmLost,
    /// See [`JobEnd::Broken`].
    Broken,
    /// See [`JobEnd::Expired`].
    Expired,
}

impl NoEnd {
    fn of(job: &JobRecord) -> Option<NoEnd> {
        match job.end {
            JobEnd::Done | JobEnd::Failed => None,
            JobEnd::AmLost if job.am_lost == Some(EndReason::Preempted.as_str()) => Some(NoEnd::AmPreempted),
            JobEnd::AmLost if job.am_lost == Some(EndReason::NodeLost.as_str()) => Some(NoEnd::AmNodeLost),
            JobEnd::AmLost => Some(NoEnd::AmLost),
            JobEnd::Broken => Some(NoEnd::Broken),
            JobEnd::Expired => Some(NoEnd::Expired),
            JobEnd::Open if job.registered_ms.is_none() => Some(NoEnd::WaitedForAm),
            JobEnd::Open if job.first_task_ms.is_none() => Some(NoEnd::WaitedForFirstTask),
            JobEnd::Open => Some(NoEnd::WaitedForTasks),
        }
    }

    /// Short lower-case words.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            NoEnd::WaitedForAm => "waited-for-am",
            NoEnd::WaitedForFirstTask => "waited-for-first-task",
            NoEnd::WaitedForTasks => "waited-for-tasks",
            NoEnd::AmPreempted => "am-preempted",
            NoEnd::AmNodeLost => "am-node-lost",
            NoEnd::AmLost => "am-lost",
            NoEnd::Broken => "broken",
            NoEnd::Expired => "expired",
        }
    }
}

/// The jobs that had no end for one reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unended {
    /// How many.
    pub jobs: u64,
    /// Name and queue of the first.
    pub first: Vec<String>,
    /// What the scheduler has said against the first, if it has said something.
    pub said: Option<String>,
}

/// So many are named.
const MAX_NAMED: usize = 3;

/// Jobs that had no end, by reason.
pub type AllUnended = BTreeMap<NoEnd, Unended>;

/// Adds a job that is over, if it had no end.
pub(super) fn note_unended(all: &mut AllUnended, job: &JobRecord, said: Option<String>) {
    let Some(why) = NoEnd::of(job) else { return };
    let unended = all.entry(why).or_default();
    unended.jobs += 1;
    if unended.first.len() < MAX_NAMED {
        unended.first.push(format!("{} in {}", job.job, job.queue));
    }
    unended.said = unended.said.take().or(said);
}

/// What is kept of a job that has ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JobFigures {
    /// Which job of the trace it is, and which of its copies: the same in every run.
    pub key: u64,
    /// Its queue, by number in [`RunResult::sums`].
    pub queue: u32,
    /// All its tasks are done.
    pub done: bool,
    wait_ms: u32,
    runtime_ms: u32,
    slowdown: f32,
}

/// A time that there is not.
const NEVER: u32 = u32::MAX;

fn short(ms: Option<u64>) -> u32 {
    ms.map_or(NEVER, |ms| u32::try_from(ms).unwrap_or(NEVER - 1).min(NEVER - 1))
}

impl JobFigures {
    pub(super) fn of(key: u64, queue: u32, job: &JobRecord) -> JobFigures {
        #[expect(clippy::cast_possible_truncation, reason = "seven digits are enough")]
        let slowdown = job.slowdown().unwrap_or(0.0) as f32;
        JobFigures {
            key,
            queue,
            done: job.end == JobEnd::Done,
            wait_ms: short(job.wait_ms()),
            runtime_ms: short(job.runtime_ms()),
            slowdown,
        }
    }

    /// From submission to its first task, in ms.
    #[must_use]
    pub fn wait_ms(&self) -> Option<f64> {
        (self.wait_ms != NEVER).then(|| f64::from(self.wait_ms))
    }

    /// From submission to end, in ms.
    #[must_use]
    pub fn runtime_ms(&self) -> Option<f64> {
        (self.runtime_ms != NEVER).then(|| f64::from(self.runtime_ms))
    }

    /// Runtime over what it would take alone.
    #[must_use]
    pub fn slowdown(&self) -> Option<f64> {
        (self.runtime_ms != NEVER).then(|| f64::from(self.slowdown))
    }
}

/// Sums over the jobs of a queue.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueueSums {
    /// The queue.
    pub name: String,
    /// Jobs.
    pub jobs: u64,
    /// Of these, those that did not come to their end.
    pub not_done: u64,
    /// Of these, those that had no end at all when the run ended.
    pub open: u64,
    /// Containers that were taken.
    pub preempted: u64,
    /// What those had run, in ms of memory: MiB · s.
    pub lost_mib_s: f64,
}

/// A queue at the end of an interval, memory in MiB.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueSample {
    /// What containers use.
    pub usage: i64,
    /// Its instantaneous fair share, or what its capacity guarantees.
    pub share: i64,
    /// What it uses and wants.
    pub demand: i64,
}

/// The end of an interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Interval {
    /// In ms.
    pub at_ms: u64,
    /// Part of the cluster's memory, and of its vcores, that is allocated.
    pub utilisation: [f64; 2],
    /// Jobs that have come and have not ended.
    pub jobs: u64,
    /// Containers granted so far, ended so far, taken so far.
    pub granted: u64,
    /// Containers that ended so far.
    pub ended: u64,
    /// Containers that were taken so far.
    pub preempted: u64,
    /// Of each queue, in the order of [`RunResult::queues`].
    pub queues: Vec<QueueSample>,
}

/// A run that was written as a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenRun {
    /// The scenario on one line.
    pub line: String,
    /// Its steps.
    pub steps: usize,
    /// Where the run goes on after it: when that is, in ms.
    pub ends_ms: Option<u64>,
    /// Containers that were granted in it.
    pub granted: u64,
    /// Containers that were granted in the whole run.
    pub granted_in_run: u64,
}

/// What came of a run.
#[derive(Clone, Debug)]
pub struct RunResult {
    /// The file of queues.
    pub name: String,
    /// Where it stands in the grid: what is swept, and its value.
    pub at: Vec<(String, String)>,
    /// The seed.
    pub seed: u64,
    /// How long it took, in s of real time.
    pub wall_s: f64,
    /// How long it lasted, in virtual ms.
    pub simulated_ms: u64,
    /// Every job, by submission, where rows are not written as jobs end.
    pub jobs: Vec<JobRecord>,
    /// A few numbers of every job, by its place in the trace.
    pub figures: Vec<JobFigures>,
    /// The queues of jobs.
    pub sums: Vec<QueueSums>,
    /// Rows of jobs were written as they ended.
    pub has_rows: bool,
    /// Queues and whether each is a leaf, by name.
    pub queues: Vec<(String, bool)>,
    /// Intervals, in order.
    pub intervals: Vec<Interval>,
    /// What came of the reservations of the file.
    pub booked: BookedCourse,
    /// Containers granted, AMs' included.
    pub granted: u64,
    /// Containers that were taken.
    pub preempted: u64,
    /// Heartbeats of nodes that have been due, and of these that were left out.
    pub heartbeats: u64,
    /// Of these, those that were left out as they can change nothing.
    pub skipped: u64,
    /// Calls of AMs.
    pub calls: u64,
    /// The hash of all decisions.
    pub decisions: u64,
    /// The run as a scenario, where it was asked for.
    pub scenario: Option<WrittenRun>,
    /// Jobs that were refused, each with why; of more than a thousand the first.
    pub refused: Vec<String>,
    /// How many were.
    pub refused_count: u64,
    /// Of these, the keys of those that were read, by the queue that they name.
    pub refused_of: BTreeMap<String, Vec<u64>>,
    /// Of these, those that could not be read.
    pub unread: u64,
    /// What was passed over in traces, as the jobs that were read have it; of more than a thousand the first.
    pub passed_over: Vec<String>,
    /// How much was.
    pub passed_over_count: u64,
    /// Jobs of which the trace has no AM, and that have one: how many.
    pub added_ams: u64,
    /// The size of such an AM.
    pub added_am: Resource,
    /// Jobs that had no end, and why.
    pub unended: AllUnended,
    /// The run ended at the time that was given for its end.
    pub cut: bool,
    /// Jobs that came too late in the trace.
    pub late: u64,
    /// What is to be said of the times of traces: that they count from the first job.
    pub times_told: Vec<String>,
    /// Nodes that were lost.
    pub lost_nodes: u64,
    /// Containers that were lost with them.
    pub lost_containers: u64,
    /// The cluster in words, and who says so: "10 nodes of 10 GiB and 10 vcores, by SLS's default".
    pub nodes: String,
    /// The cluster's memory, MiB, and vcores, in the beginning.
    pub cluster: [i64; 2],
    /// Mean part of the cluster in use until the last job ended, memory and vcores.
    pub utilisation: [f64; 2],
    /// Nodes are filled by memory alone, whatever vcores they have.
    pub by_memory_alone: bool,
    /// The largest part of the cluster's vcores that was in use at one time.
    pub most_vcores: f64,
}

impl RunResult {
    /// The part of the vcores that was in use at most, where that is more than all and the calculator allows it.
    #[must_use]
    pub fn overbooked(&self) -> Option<f64> {
        Some(self.most_vcores).filter(|most| self.by_memory_alone && *most > 1.0)
    }

    /// Jobs of the traces that the scheduler never had.
    #[must_use]
    pub fn not_entered(&self) -> u64 {
        self.unread + self.refused_of.values().map(|keys| keys.len() as u64).sum::<u64>()
    }
}

/// The decision log, as a hash: each grant and each end, in order, with time, container, node and size.
#[derive(Clone, Copy, Debug)]
pub(super) struct DecisionHash(u64);

impl DecisionHash {
    pub(super) fn new() -> DecisionHash {
        DecisionHash(0)
    }

    fn add(&mut self, value: u64) {
        self.0 = mix(self.0 ^ value);
    }

    pub(super) fn grant(&mut self, at: u64, (app, number): (u32, u32), node: usize, priority: i32, memory: i64) {
        self.add(at);
        self.add((u64::from(app) << 32) | u64::from(number));
        self.add(((node as u64) << 32) | u64::from(priority.cast_unsigned()));
        self.add(memory.cast_unsigned());
    }

    pub(super) fn end(&mut self, at: u64, (app, number): (u32, u32), reason: EndReason) {
        self.add(at);
        self.add((u64::from(app) << 32) | u64::from(number));
        reason.as_str().bytes().for_each(|byte| self.add(u64::from(byte)));
    }

    pub(super) fn value(self) -> u64 {
        self.0
    }
}

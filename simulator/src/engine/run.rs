//! All that a run has: who calls whom is said in [`engine`](super).

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use evenweave_tools::reservation_results::BookedCourse;
use evenweave_tools::traces::Job;
use rustc_hash::FxHashMap;

use super::super::arrivals::Arrivals;
use super::super::asking::Outstanding;
use super::super::cluster::PlannedChange;
use super::super::events::Events;
use super::super::inputs::Plan;
use super::super::masters::{Answer, Launch, Program, Work};
use super::super::nodes::{Ring, SimNode};
use super::super::options::SimulateOptions;
use super::super::record::{DecisionHash, Interval, JobEnd, JobRecord};
use super::super::scheduler::Scheduler;
use super::super::tally::Tally;
use super::super::tasks::Place;
use super::super::wait_reasons::Waited;
use crate::api::{Allocation, AppHandle, ContainerId, NodeId, ReservationId, VirtualClock};

/// An application that has not ended.
#[derive(Debug)]
pub(super) struct Master {
    pub(super) handle: AppHandle,
    /// The key of its figures.
    pub(super) key: u64,
    pub(super) record: JobRecord,
    pub(super) start_ms: u64,
    pub(super) registered: bool,
    /// Its AM's container.
    pub(super) am: Option<(ContainerId, NodeId)>,
    /// Its AM has no container: it runs elsewhere.
    pub(super) am_elsewhere: bool,
    /// What it has waited for.
    pub(super) waited: Waited,
    pub(super) work: Work,
    pub(super) program: Program,
    pub(super) outstanding: Outstanding,
    /// What its containers have, memory in MiB and vcores, by number.
    pub(super) sizes: FxHashMap<u32, [i64; 2]>,
    /// Containers that it was granted, without its own.
    pub(super) granted: u64,
    /// What the core has told, and the AM has not called for yet.
    pub(super) inbox: Answer,
    /// What its last call has brought, while it is not looked at yet.
    pub(super) answer: Option<Answer>,
    /// When its next heartbeat is, if it is in the queue.
    pub(super) tick_at: Option<u64>,
    pub(super) last_next: bool,
    /// Why it has stopped for good, if it has.
    pub(super) broken: Option<String>,
    /// It stops at its first call, and why.
    pub(super) breaks: Option<String>,
    /// Of a job of a reservation: what of it.
    pub(super) part: Option<Part>,
    /// Its AM has said that it is done; the node still has to report the container.
    pub(super) leaving: Option<JobEnd>,
}

impl Master {
    /// Its AM has no container yet.
    pub(super) fn waits_for_am(&self) -> bool {
        self.am.is_none() && !self.am_elsewhere
    }

    /// It has ended, or the run has: what of it is only known now.
    pub(super) fn settle(&mut self) {
        [self.record.tasks, self.record.tasks_done] = self.work.tasks();
        self.record.waited_for = self.waited.most().map(str::to_owned);
    }
}

/// A run, as it stands.
pub(in super::super) struct Run<'p> {
    pub(super) plan: &'p Plan,
    pub(super) options: &'p SimulateOptions,
    pub(super) seed: u64,
    pub(super) core: Scheduler,
    pub(super) clock: Arc<VirtualClock>,
    pub(super) now: u64,
    pub(super) events: Events,
    pub(super) ring: Ring,
    pub(super) nodes: Vec<SimNode>,
    pub(super) places: Vec<Place>,
    /// So many nodes were there in the beginning: files lie on these.
    pub(super) first_nodes: usize,
    /// What happens to nodes, and how far that has come.
    pub(super) fates: Fates,
    pub(super) booked: Booked,
    pub(super) shuffled: Vec<u32>,
    pub(super) offsets: Vec<u64>,
    pub(super) dealt: Vec<String>,
    pub(super) synth_seed: Option<i64>,
    /// The jobs have no queues of their own.
    pub(super) deals: bool,
    /// How long before the run SLS would have its nodes, at least and at most, in ms.
    pub(super) sls_begins_ms: [u64; 2],
    pub(super) masters: FxHashMap<u32, Box<Master>>,
    pub(super) arrivals: Arrivals,
    /// The jobs of the next moment, each with how often it comes; and the one that was read after them.
    pub(super) coming: Vec<Coming>,
    pub(super) ahead: Option<(u64, Coming)>,
    pub(super) coming_at: u64,
    pub(super) next_number: u32,
    pub(super) jobs_read: u64,
    pub(super) woken: crossbeam_channel::Receiver<u32>,
    pub(super) quiet: Quiet,
    pub(super) timers: Timers,
    pub(super) log: DecisionHash,
    pub(super) tally: Tally,
    pub(super) queue_names: Vec<(String, bool)>,
    pub(super) intervals: Vec<Interval>,
    pub(super) refused: Refused,
    /// Jobs of which the trace has no AM, and that have one.
    pub(super) added_ams: u64,
    pub(super) granted: u64,
    pub(super) ended: u64,
    pub(super) preempted: u64,
    pub(super) calls: u64,
    /// When something last happened beside heartbeats, and the last end that is known of.
    pub(super) moved_at: u64,
    pub(super) latest_end: u64,
    pub(super) busy: Busy,
    /// What the cluster had in the beginning.
    pub(super) cluster: [i64; 2],
    pub(super) scratch: Scratch,
}

/// What of a reservation an application runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// The reservation's number in the file.
    pub(super) booking: usize,
    /// The stage where they come one after the other; nothing if the application is of the trace.
    pub(super) stage: Option<usize>,
    /// Which occurrence of one that recurs.
    pub(super) time: u32,
}

/// The reservations of the file, as they stand.
#[derive(Debug, Default)]
pub(super) struct Booked {
    pub(super) course: BookedCourse,
    /// By reservation of the file: its name in the scheduler, once it is accepted.
    pub(super) ids: Vec<Option<ReservationId>>,
    /// Jobs that are still to come; of those that recur the first alone counts.
    pub(super) to_come: usize,
    /// How often the follower of plans runs, in ms.
    pub(super) step_ms: u64,
}

/// How far what happens to nodes has come.
#[derive(Debug)]
pub(super) struct Fates {
    pub(super) changes: VecDeque<PlannedChange>,
    /// Numbers of the nodes that are there, by name.
    pub(super) numbers: Option<BTreeMap<String, usize>>,
    pub(super) lost: u64,
    pub(super) lost_containers: u64,
}

impl Fates {
    pub(super) fn new(changes: &[PlannedChange]) -> Fates {
        Fates { changes: changes.iter().cloned().collect(), numbers: None, lost: 0, lost_containers: 0 }
    }
}

/// How much is in use, and how much there is, summed over time.
#[derive(Debug, Default)]
pub(super) struct Busy {
    pub(super) used: [i64; 2],
    pub(super) since: u64,
    pub(super) sums: [f64; 2],
    pub(super) cluster: [i64; 2],
    pub(super) cluster_sums: [f64; 2],
    /// The largest part of the cluster that was in use for a time.
    pub(super) most: [f64; 2],
}

impl Busy {
    /// From now on so much more is in use.
    pub(super) fn change(&mut self, now: u64, by: [i64; 2]) {
        let span = now.saturating_sub(self.since) as f64;
        if span > 0.0 {
            let parts = self.utilisation();
            for (most, part) in self.most.iter_mut().zip(parts) {
                *most = most.max(part);
            }
        }
        for ((sum, used), by) in self.sums.iter_mut().zip(&mut self.used).zip(by) {
            *sum += *used as f64 * span;
            *used += by;
        }
        for (sum, size) in self.cluster_sums.iter_mut().zip(self.cluster) {
            *sum += size as f64 * span;
        }
        self.since = now;
    }

    /// From now on there is so much more.
    pub(super) fn grow(&mut self, now: u64, by: [i64; 2]) {
        self.change(now, [0, 0]);
        self.cluster.iter_mut().zip(by).for_each(|(size, by)| *size += by);
    }

    pub(super) fn utilisation(&self) -> [f64; 2] {
        let of = |index: usize| self.used[index] as f64 / self.cluster[index].max(1) as f64;
        [of(0), of(1)]
    }

    pub(super) fn mean(&mut self, until: u64) -> [f64; 2] {
        self.change(until, [0, 0]);
        let of = |index: usize| self.sums[index] / self.cluster_sums[index].max(1.0);
        [of(0), of(1)]
    }
}

/// What was refused: why, of the first, and how many.
#[derive(Debug, Default)]
pub(super) struct Refused {
    pub(super) said: Vec<String>,
    pub(super) count: u64,
    /// Of jobs their keys, by the queue that they name.
    pub(super) jobs: BTreeMap<String, Vec<u64>>,
}

impl Refused {
    const MOST: usize = 1000;

    pub(super) fn push(&mut self, why: String) {
        self.count += 1;
        if self.said.len() < Refused::MOST {
            self.said.push(why);
        }
    }

    /// A job that is for a queue.
    pub(super) fn push_job(&mut self, key: u64, queue: &str, why: String) {
        match self.jobs.get_mut(queue) {
            Some(keys) => keys.push(key),
            None => drop(self.jobs.insert(queue.to_owned(), vec![key])),
        }
        self.push(why);
    }
}

/// What is used again and again.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub(super) answer: Allocation,
    pub(super) launches: Vec<Launch>,
    pub(super) stops: Vec<ContainerId>,
    pub(super) over: Vec<ContainerId>,
}

/// A job that comes: its number in the trace, and how often.
#[derive(Debug)]
pub(super) struct Coming {
    pub(super) job: Box<Job>,
    pub(super) number: u64,
    pub(super) copies: u32,
}

/// What says whether heartbeats can be left out.
#[derive(Debug)]
pub(super) struct Quiet {
    pub(super) allowed: bool,
    /// Containers that are asked for and not granted.
    pub(super) outstanding: i64,
    /// Something has changed since the last update.
    pub(super) dirty: bool,
    /// Until then all report.
    pub(super) restless_until: u64,
    /// Something was reserved, marked or stopped, and heartbeats have not been left out since.
    pub(super) disturbed: bool,
    pub(super) reservations: u64,
    /// Reports that were made.
    pub(super) reported: u64,
    /// The last update that was put off.
    pub(super) put_off: Option<u64>,
}

/// The intervals, in ms; nothing where it is not done.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Timers {
    pub(super) update: Option<u64>,
    pub(super) preempt: Option<u64>,
    pub(super) offer: Option<u64>,
    /// Of the FairScheduler: rounds follow updates, kills rounds.
    pub(super) kill_after: Option<u64>,
}

//! The decider's parts of the engine's records.

use super::attempt_log::Known;
use super::messages::CapacityMessage;
use super::survey::Surveyed;
use super::survey_steps::{preempting_worker, tell};
use super::watching::Watching;
use crate::capacity::books::{Books, Place};
use crate::capacity::rules::candidates::CandidateLists;
use crate::capacity::rules::killable::Killable;
use crate::capacity::rules::ordered::AppEntry;
use crate::capacity::rules::preempted::Candidate;
use crate::capacity::types::{CapacityDecider, Shared};
use crate::engine::TaskCall;
use crate::engine::decider::{PreemptionTask, UpdateTask};
use crate::engine::intake::to_control::ControlMessage;
use crate::engine::parts::{AppPart, QueuePart};
use crate::id::LabelId;
use crate::resource::Resource;
use crate::sync::Arc;
use crate::sync::channel::{Receiver, RecvTimeoutError};
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::time::Duration;

/// Of a worker.
#[derive(Debug)]
pub(crate) struct CapacityWorker {
    pub(crate) books: Books,
    /// What the books are written by after a panic.
    pub(crate) known: Known,
    /// Records of what is too much for the node that reports, and of which containers they are. Of one message.
    pub(crate) containers_to_end: SmallVec<[(u32, Candidate); 4]>,
    /// Marked for preemption, and when.
    pub(crate) marked: BTreeMap<Candidate, u64>,
    /// What the other workers have, while a round of the preemption policy is made here.
    pub(crate) surveyed: Surveyed,
    /// What is done for an application is no call of its AM: nobody is told a headroom.
    pub(crate) silent: bool,
    /// The nodes that are offered together; `None`: each is offered alone.
    pub(crate) candidates: Option<Box<CandidateLists>>,
    /// What somebody is to be told of passes; `None`: nobody watches.
    pub(crate) watching: Option<Box<Watching>>,
    /// It is to panic in the midst of a message, so many steps on; 0: it is not.
    #[cfg(feature = "faults")]
    pub(crate) fails_in: u32,
}

impl CapacityWorker {
    pub(crate) fn new(shared: &Shared, worker: usize) -> CapacityWorker {
        let place = Place { worker, workers: shared.workers };
        CapacityWorker {
            books: Books::new(
                shared.decider.arith(),
                shared.decider.settings.minimum,
                place,
                shared.decider.resort,
                shared.slack,
            ),
            known: Known::default(),
            containers_to_end: SmallVec::new(),
            marked: BTreeMap::new(),
            surveyed: Surveyed::default(),
            silent: false,
            candidates: shared
                .decider
                .multi_node
                .as_ref()
                .map(|configured| Box::new(CandidateLists::new(configured, shared.clock.now_ms()))),
            watching: None,
            #[cfg(feature = "faults")]
            fails_in: 0,
        }
    }
}

#[cfg(feature = "faults")]
impl CapacityWorker {
    /// As a panic in the midst of anything may leave it, and worse.
    pub(crate) fn spoil(&mut self) {
        self.books.spoil();
        self.marked.clear();
    }

    /// A message is noted and nothing of it is done, or it is done and the others are not told yet.
    pub(crate) fn fail_if_due(&mut self) {
        if self.fails_in > 0 {
            self.fails_in -= 1;
            assert!(self.fails_in > 0, "an injected panic in the midst of a message");
        }
    }
}

/// Of a queue nothing: see [`Books`]. They are prefetched by the applications that are charged there.
#[derive(Debug, Default)]
pub(crate) struct CapacityQueue;

impl QueuePart for CapacityQueue {
    fn prefetch_asks(&self) {}

    fn prefetch_change(&self, _position: u32) {}

    fn prefetch_comparison(&self) {}
}

/// Of an application: where the [books](Books) have it.
#[derive(Debug, Default)]
pub(crate) struct CapacityApp {
    /// None before its leaf has heard of it, and when nothing is known of it any more.
    pub(crate) entry: Option<AppEntry>,
}

impl AppPart<CapacityWorker> for CapacityApp {
    #[inline]
    fn prefetch_visit(&self, worker: &CapacityWorker, leaf: u32) {
        worker.books.prefetch_queue(leaf);
    }

    #[inline]
    fn prefetch_linked(&self, worker: &CapacityWorker) {
        self.entry.iter().for_each(|entry| worker.books.prefetch_app(*entry));
    }

    #[inline]
    fn prefetch_charge(&self, worker: &CapacityWorker) {
        self.entry.iter().for_each(|entry| worker.books.prefetch_charge(*entry));
    }
}

/// Of a request key.
#[derive(Debug, Default)]
pub(crate) struct CapacityKey {
    /// Nodes visited in vain.
    pub(crate) opportunities: u32,
    /// How often a reserved node had no room for it yet.
    pub(crate) re_reservations: u32,
    /// What is counted as outstanding: a number of containers, and their size.
    pub(crate) count: u32,
    pub(crate) size: Resource,
    pub(crate) label: LabelId,
    /// Its AM has said how many it wants at `*`, and that is not looked at yet.
    pub(crate) is_asked: bool,
    /// Nodes that were offered it in vain since it got one without a label (rules/node-labels.md 14).
    pub(crate) missed: u32,
}

/// Of a node.
#[derive(Debug, Default)]
pub(crate) struct CapacityNode {
    pub(crate) killable: Killable,
    /// When what is reserved on it was reserved, there or elsewhere.
    pub(crate) reserved_since_ms: u64,
    /// It was on another node, and moved.
    pub(crate) reserved_has_moved: bool,
    /// Containers that have ended and whose room it has not given back: the leaf in which each did.
    pub(crate) ended: Vec<(Candidate, u32)>,
    /// What does not fit on it ends: Hadoop's overcommit timeout has been set, and has passed. It stays so.
    pub(crate) ends_overcommitted: bool,
}

/// There is no update.
#[derive(Debug)]
pub(crate) enum NoUpdate {}

impl UpdateTask for NoUpdate {
    fn interval(&self) -> Option<Duration> {
        match *self {}
    }

    fn update(&mut self) {
        match *self {}
    }

    fn update_and_wake(&mut self) {
        match *self {}
    }

    fn restart_after_panic(&mut self) {
        match *self {}
    }
}

/// The monitors: the worker makes a round of preemption so often, and the control looks so often for what time has made
/// due: ends of applications, and rounds of queues that make themselves.
#[derive(Debug)]
pub(crate) struct Monitor {
    pub(crate) preemption: Option<Duration>,
    pub(crate) control: Duration,
}

/// Where nothing is done by time.
const LONG: Duration = Duration::from_secs(3600);

impl PreemptionTask<CapacityDecider> for Monitor {
    fn run(self, calls: &Receiver<TaskCall<()>>, shared: Arc<Shared>, timers: bool) {
        let every = [self.preemption, Some(self.control)].map(|interval| interval.filter(|_| timers).unwrap_or(LONG));
        let mut left = every;
        loop {
            let wait = left[0].min(left[1]);
            match calls.recv_timeout(wait) {
                Ok(TaskCall::Own(())) => {}
                Ok(TaskCall::Barrier(reply)) => {
                    // Whoever asked may have gone.
                    let _ = reply.send(());
                }
                Err(RecvTimeoutError::Timeout) => {
                    left = left.map(|left| left.saturating_sub(wait));
                    let due = left.map(|left| left.is_zero());
                    for (left, every) in left.iter_mut().zip(every).filter(|(left, _)| left.is_zero()) {
                        *left = every;
                    }
                    if timers && due[0] && self.preemption.is_some() {
                        tell(&shared, preempting_worker(&shared), CapacityMessage::Preempt);
                    }
                    if timers && due[1] {
                        // A lane is closed only at shutdown.
                        let _ = shared.lanes.control.send(ControlMessage::CleanUp);
                    }
                }
                Ok(TaskCall::Shutdown) | Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    #[cfg(feature = "faults")]
    fn doomed(&self) -> Vec<crate::id::ContainerId> {
        Vec::new()
    }
}

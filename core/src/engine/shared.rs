//! What all threads of one scheduler share: settings, the publisher, arenas, the names of places, lanes.

use crate::clock::Clock;
use crate::engine::books::node_table::NodeTable;
use crate::engine::books::pace::Pace;
use crate::engine::intake::locations::Locations;
use crate::engine::intake::to_control::ControlMessage;
use crate::engine::intake::to_control::TaskCall;
use crate::engine::intake::to_worker::{Internal, Parcel, Round};
use crate::engine::mail::mailbox::Arena;
use crate::engine::parts::Parts;
use crate::engine::publish::snapshot::Publisher;
use crate::engine::settings::Settings;
use crate::engine::threads::quiet::Handled;
use crate::engine::threads::rounds::Outstanding;
use crate::id::{ContainerId, ContainerName};
use crate::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use crate::sync::channel::Sender;
use crate::sync::{Arc, CachePadded, Mutex, ProcessCount};
use std::fmt;

/// Told how long sampled heartbeats take; see [`HeartbeatProbe::taken`].
pub trait HeartbeatProbe: Send + Sync {
    /// A worker takes a heartbeat with a stamp that is not zero off its channel. What it returns comes back in
    /// [`HeartbeatProbe::served`].
    fn taken(&self, worker: usize, stamp: u64) -> u64;

    /// All that the heartbeat granted is in mailboxes.
    fn served(&self, worker: usize, stamp: u64, token: u64, grants: u32);
}

/// Called, with the number of an application, when its empty mailbox gets a grant or the news of an ended container. It
/// runs on a worker: be quick, and call nothing that waits for the scheduler (`finish`, `remove_node`, `quiesce`,
/// `shutdown`, …).
pub type WakeUp = Arc<dyn Fn(u32) + Send + Sync>;

/// What one worker counts. Written by that worker alone.
#[derive(Debug, Default)]
pub(crate) struct WorkerCounters {
    pub(crate) granted: AtomicU64,
    /// Of these, on a node that was asked for, and on a rack that was.
    pub(crate) node_local: AtomicU64,
    pub(crate) rack_local: AtomicU64,
    pub(crate) ended: AtomicU64,
    pub(crate) heartbeats: AtomicU64,
    pub(crate) offers: AtomicU64,
    pub(crate) reserved: AtomicU64,
    pub(crate) refused: AtomicU64,
    pub(crate) folds: AtomicU64,
    /// Messages of both lanes.
    pub(crate) handled: Handled,
}

/// Adds to a counter that only the caller's thread writes.
#[inline]
pub(crate) fn count(counter: &AtomicU64, n: u64) {
    // ORDERING: Relaxed. A statistic with one writer; readers act on no other memory.
    counter.store(counter.load(Ordering::Relaxed) + n, Ordering::Relaxed);
}

/// The sending ends of all lanes.
#[derive(Debug)]
pub(crate) struct Lanes<P: Parts> {
    /// Bounded; what the embedder sends.
    pub(crate) external: Vec<Sender<Parcel>>,
    /// Unbounded, so that no core thread ever blocks on a send; what bounds them is that a worker takes nothing
    /// external while another worker's internal lane is long.
    pub(crate) internal: Vec<Sender<Internal<P>>>,
    pub(crate) control: Sender<ControlMessage<P>>,
    pub(crate) preemption: Sender<TaskCall<P::PreemptionCall>>,
}

/// A number for a new scheduler: no other of the process has it. Handles carry it, so that one that is given to another
/// scheduler than its own is recognised.
pub(crate) fn number_scheduler() -> u64 {
    static MADE: ProcessCount = ProcessCount::new(0);
    // ORDERING: Relaxed. Only uniqueness counts.
    MADE.fetch_add(1, Ordering::Relaxed)
}

/// Shared by all threads of one scheduler.
pub(crate) struct Shared<P: Parts> {
    /// Which of the process's schedulers this is.
    pub(crate) scheduler: u64,
    pub(crate) settings: Settings,
    pub(crate) decider: P,
    pub(crate) workers: usize,
    pub(crate) types: usize,
    pub(crate) cluster_timestamp: u64,
    /// In the names of containers.
    pub(crate) epoch: u32,
    /// Whether nodes list what they have to stop.
    pub(crate) node_stops: bool,
    /// The largest node bounds what one container may have.
    pub(crate) largest_node: bool,
    pub(crate) publisher: Publisher<P>,
    pub(crate) arenas: Box<[Arena]>,
    pub(crate) locations: Locations,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) counters: Box<[CachePadded<WorkerCounters>]>,
    pub(crate) lanes: Lanes<P>,
    pub(crate) on_grants: Option<WakeUp>,
    pub(crate) probe: Option<Arc<dyn HeartbeatProbe>>,
    /// Present nodes; for the edge.
    pub(crate) nodes: Mutex<NodeTable>,
    /// When the others' grants are folded in.
    pub(crate) pace: Pace,
    /// How many containers more somebody may have than another one, so that each worker serves its own.
    pub(crate) slack: u32,
    /// Messages of the control's lane.
    pub(crate) control_handled: Handled,
    /// Workers that panicked and could not begin anew.
    pub(crate) dead: Box<[AtomicBool]>,
    /// Offers to all nodes of a worker that are on their way.
    pub(crate) offers: Outstanding,
    /// The same of passes of continuous scheduling.
    pub(crate) continuous: Outstanding,
}

impl<P: Parts> Shared<P> {
    /// A container as the outside world names it.
    pub(crate) fn container_name(&self, id: ContainerId) -> ContainerName {
        id.name(self.cluster_timestamp, self.epoch)
    }

    /// Whether a name may be one of this scheduler's: of its cluster and epoch.
    pub(crate) fn makes(&self, name: &ContainerName) -> bool {
        (name.attempt.application.cluster_timestamp, name.epoch) == (self.cluster_timestamp, self.epoch)
    }

    /// Whether a worker has panicked and could not begin anew.
    pub(crate) fn is_dead(&self, worker: usize) -> bool {
        // ORDERING: Relaxed. Whoever sees it late sends to a worker that takes nothing, and tells of what somebody
        // waits for.
        self.dead[worker].load(Ordering::Relaxed)
    }

    /// By that worker.
    pub(crate) fn set_dead(&self, worker: usize) {
        // ORDERING: Relaxed, as in `is_dead`. The control reads it again after the worker's message, by the lane.
        self.dead[worker].store(true, Ordering::Relaxed);
    }

    /// The rounds of this kind that are on their way.
    pub(crate) fn outstanding(&self, round: Round) -> &Outstanding {
        match round {
            Round::Offers => &self.offers,
            Round::Continuous => &self.continuous,
        }
    }
}

impl<P: Parts> fmt::Debug for Shared<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("workers", &self.workers).finish_non_exhaustive()
    }
}

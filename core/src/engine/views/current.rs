//! Read-only views: nodes and counters, as of now. What is shown of queues and applications is the decider's.
//!
//! Read from the ledger by any thread; no lock is taken that a worker takes.

use crate::engine::books::ledger::NodeShared;
use crate::engine::decider::Decider;
use crate::engine::shared::Shared;
use crate::id::NodeId;
use crate::resource::Resource;
use crate::sync::atomic::Ordering;

/// A node.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct NodeView {
    /// Its number.
    pub id: NodeId,
    /// Its name.
    pub name: String,
    /// Its rack.
    pub rack: String,
    /// The number of the worker that owns it.
    pub worker: usize,
    /// Its total (memory in MiB, vcores, further types).
    pub total: Resource,
    /// Its free room. Negative if more runs than its total, after it was made smaller.
    pub free: Resource,
}

/// What all workers have counted since the start, together.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) granted: u64,
    /// Of these, on a node that was asked for, and on a rack that was.
    pub(crate) node_local: u64,
    pub(crate) rack_local: u64,
    pub(crate) completed: u64,
    pub(crate) heartbeats: u64,
    pub(crate) offers: u64,
    pub(crate) refused: u64,
    pub(crate) reservations: u64,
    pub(crate) folds: u64,
}

/// One node.
pub(crate) fn node(node: &NodeShared) -> NodeView {
    NodeView {
        id: node.id,
        name: node.name.to_string(),
        rack: node.rack.to_string(),
        worker: node.owner,
        total: node.total.read(),
        free: node.free.read(),
    }
}

/// See [`Counts`].
pub(crate) fn counts<D: Decider>(shared: &Shared<D>) -> Counts {
    let mut counts = Counts::default();
    for worker in &shared.counters {
        // ORDERING: Relaxed. Statistics.
        counts.granted += worker.granted.load(Ordering::Relaxed);
        counts.node_local += worker.node_local.load(Ordering::Relaxed);
        counts.rack_local += worker.rack_local.load(Ordering::Relaxed);
        counts.completed += worker.ended.load(Ordering::Relaxed);
        counts.heartbeats += worker.heartbeats.load(Ordering::Relaxed);
        counts.offers += worker.offers.load(Ordering::Relaxed);
        counts.refused += worker.refused.load(Ordering::Relaxed);
        counts.reservations += worker.reserved.load(Ordering::Relaxed);
        counts.folds += worker.folds.load(Ordering::Relaxed);
    }
    counts
}

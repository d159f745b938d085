//! Read-only views of nodes and counters, as of now. The deciders have the views of queues and applications.
//!
//! Any thread reads them from the ledger, and takes no lock that a worker takes.

use crate::engine::books::ledger::NodeShared;
use crate::engine::decider::Decider;
use crate::engine::shared::Shared;
use crate::id::NodeId;
use crate::resource::Resource;
use crate::sync::atomic::Ordering;

/// A registered node.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct NodeView {
    /// The node's number.
    pub id: NodeId,
    /// The node's name.
    pub name: String,
    /// The name of its rack.
    pub rack: String,
    /// The number of the worker that owns the node.
    pub worker: usize,
    /// The node's total (memory in MiB, vcores, further types).
    pub total: Resource,
    /// The free room. Negative if the total was made smaller than what runs on the node.
    pub free: Resource,
}

/// The sums of all workers' counters since the start. The fields have the names of
/// [`WorkerCounters`](crate::engine::shared::WorkerCounters).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) granted: u64,
    /// Granted containers on a requested node.
    pub(crate) node_local: u64,
    /// Granted containers on a requested rack, and on no requested node.
    pub(crate) rack_local: u64,
    /// Containers that have ended in any way: reported, released, killed, expired, or lost with their node.
    pub(crate) ended: u64,
    pub(crate) heartbeats: u64,
    pub(crate) offers: u64,
    pub(crate) refused: u64,
    pub(crate) reserved: u64,
    pub(crate) folds: u64,
}

/// The view of one node.
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

/// Adds up the counters of all workers.
pub(crate) fn counts<D: Decider>(shared: &Shared<D>) -> Counts {
    let mut counts = Counts::default();
    for worker in &shared.counters {
        // ORDERING: Relaxed. Statistics.
        counts.granted += worker.granted.load(Ordering::Relaxed);
        counts.node_local += worker.node_local.load(Ordering::Relaxed);
        counts.rack_local += worker.rack_local.load(Ordering::Relaxed);
        counts.ended += worker.ended.load(Ordering::Relaxed);
        counts.heartbeats += worker.heartbeats.load(Ordering::Relaxed);
        counts.offers += worker.offers.load(Ordering::Relaxed);
        counts.refused += worker.refused.load(Ordering::Relaxed);
        counts.reserved += worker.reserved.load(Ordering::Relaxed);
        counts.folds += worker.folds.load(Ordering::Relaxed);
    }
    counts
}

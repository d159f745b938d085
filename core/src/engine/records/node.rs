//! A node of one worker, and what is reserved on it.

use crate::app::SchedulingKey;
use crate::engine::books::ledger::NodeShared;
use crate::engine::parts::Parts;
use crate::id::{LabelId, Slot};
use crate::prefetch::prefetch;
use crate::resource::Resource;
use crate::sync::Arc;

/// A container that is reserved on a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reservation {
    pub(crate) app: Slot,
    pub(crate) number: u32,
    pub(crate) key: SchedulingKey,
    pub(crate) size: Resource,
    /// Of the nodes that were asked for.
    pub(crate) label: LabelId,
}

/// A node of this worker. What a heartbeat changes comes first, in one cache line: of what is free memory and vcores.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Node<P: Parts> {
    /// Its containers, in order of allocation. A node has few, and they lie in few cache lines: finding one here costs
    /// less than visiting the records of its neighbours.
    pub(crate) containers: Vec<u32>,
    /// How many records of containers were made for it.
    pub(crate) records: usize,
    /// When it last reported; for async offers.
    pub(crate) last_heartbeat_ms: u64,
    /// As its shared part has it: which of those it is that had its place.
    pub(crate) generation: u8,
    pub(crate) gone: bool,
    pub(crate) decommissioning: bool,
    /// Its partition.
    pub(crate) label: LabelId,
    /// It has been told of that a decommissioning node is empty.
    pub(crate) drained: bool,
    pub(crate) free: Resource,
    pub(crate) total: Resource,
    pub(crate) shared: Arc<NodeShared>,
    pub(crate) own: P::Node,
    pub(crate) reservation: Option<Reservation>,
}

impl<P: Parts> Node<P> {
    /// It will report soon.
    #[inline]
    pub(crate) fn prefetch_report(&self) {
        prefetch(self);
        prefetch(&self.total);
        prefetch(&self.reservation);
    }

    /// One that has just come.
    pub(crate) fn new(shared: Arc<NodeShared>, total: Resource, now_ms: u64) -> Node<P> {
        Node {
            generation: shared.generation,
            shared,
            total,
            free: total,
            reservation: None,
            own: P::Node::default(),
            containers: Vec::new(),
            records: 0,
            gone: false,
            label: LabelId::NONE,
            decommissioning: false,
            drained: false,
            last_heartbeat_ms: now_ms,
        }
    }
}

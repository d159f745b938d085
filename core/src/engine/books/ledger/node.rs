//! A node as all threads see it.

use crate::engine::books::usage::UsageCell;
use crate::id::NodeId;
use crate::resource::{MAX_TYPES, Resource};
use crate::sync::CachePadded;
use crate::sync::atomic::{AtomicBool, Ordering};

/// A node as all threads see it.
#[derive(Debug)]
pub(crate) struct NodeShared {
    /// Whose it is; see `shared::number_scheduler`.
    pub(crate) scheduler: u64,
    pub(crate) id: NodeId,
    pub(crate) name: Box<str>,
    pub(crate) rack: Box<str>,
    /// The interned name.
    pub(crate) name_location: u32,
    /// The interned rack name.
    pub(crate) rack_location: u32,
    /// The worker that owns it.
    pub(crate) owner: usize,
    /// Its place among that worker's nodes, which others had before it.
    pub(crate) local: u32,
    /// Which one of those it is; begins anew after 256.
    pub(crate) turn: u8,
    /// Free room, published by the owner: apart from what callers read with each heartbeat.
    pub(crate) free: CachePadded<UsageCell>,
    /// Total, published by the owner.
    pub(crate) total: UsageCell,
    gone: AtomicBool,
}

impl NodeShared {
    #[expect(clippy::too_many_arguments, reason = "one call, by the control")]
    pub(crate) fn new(
        scheduler: u64,
        id: NodeId,
        name: &str,
        rack: &str,
        name_location: u32,
        rack_location: u32,
        owner: usize,
        (local, turn): (u32, u8),
        total: &Resource,
    ) -> NodeShared {
        let node = NodeShared {
            scheduler,
            id,
            name: name.into(),
            rack: rack.into(),
            name_location,
            rack_location,
            owner,
            local,
            turn,
            free: CachePadded::default(),
            total: UsageCell::default(),
            gone: AtomicBool::new(false),
        };
        node.free.set(MAX_TYPES, total);
        node.total.set(MAX_TYPES, total);
        node
    }

    /// Rack and node, as asks name them.
    pub(crate) fn locations(&self) -> [u32; 2] {
        [self.rack_location, self.name_location]
    }

    pub(crate) fn is_gone(&self) -> bool {
        // ORDERING: Relaxed. A hint for callers; the owner decides.
        self.gone.load(Ordering::Relaxed)
    }

    /// Marks it removed; true for the first to do so.
    pub(crate) fn set_gone(&self) -> bool {
        !self.gone.swap(true, Ordering::Relaxed)
    }
}

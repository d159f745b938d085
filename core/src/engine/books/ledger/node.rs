//! A node as all threads see it.

use crate::engine::books::usage::UsageCell;
use crate::id::{ContainerId, NodeId};
use crate::resource::{MAX_TYPES, Resource};
use crate::sync::CachePadded;
use crate::sync::atomic::{AtomicBool, Ordering};
use crate::sync::channel::{Receiver, Sender, unbounded};

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
    pub(crate) generation: u8,
    /// Free room, published by the owner: apart from what callers read with each heartbeat.
    pub(crate) free: CachePadded<UsageCell>,
    /// Total, published by the owner.
    pub(crate) total: UsageCell,
    gone: AtomicBool,
    /// Containers that its NodeManager has to stop, where somebody wants to know: from its owner to whoever asks.
    stops: Option<Box<(Sender<ContainerId>, Receiver<ContainerId>)>>,
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
        (local, generation): (u32, u8),
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
            generation,
            free: CachePadded::default(),
            total: UsageCell::default(),
            gone: AtomicBool::new(false),
            stops: None,
        };
        node.free.set(MAX_TYPES, total);
        node.total.set(MAX_TYPES, total);
        node
    }

    /// The same, with a list of what is to be stopped.
    pub(crate) fn with_stops(self) -> NodeShared {
        NodeShared { stops: Some(Box::new(unbounded())), ..self }
    }

    /// Whether anybody wants to know what is to be stopped.
    #[inline]
    pub(crate) fn lists_stops(&self) -> bool {
        self.stops.is_some()
    }

    /// A container that its AM had is over, and the node has not said so; or the node names one that is not alive on
    /// it. By the owner.
    #[inline]
    pub(crate) fn tell_to_stop(&self, container: ContainerId) {
        if let Some(stops) = &self.stops {
            // The receiver lies beside it.
            let _ = stops.0.send(container);
        }
    }

    /// What is to be stopped and was not taken yet, oldest first, onto the end of `out`. By any thread.
    pub(crate) fn take_stops(&self, out: &mut Vec<ContainerId>) {
        if let Some(stops) = &self.stops {
            out.extend(std::iter::from_fn(|| stops.1.try_recv().ok()));
        }
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

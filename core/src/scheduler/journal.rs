//! What a scheduler without threads has done, as recordings have it.
//!
//! Plain values of whoever steps.

use crate::engine::{Container, EndReason, EndedContainer, NodeShared, Reserved, StepRecord};
use crate::fair::OwedRoom;
use crate::id::NodeId;
use crate::resource::Resource;
use crate::resource::sorted;

/// A container or reservation in a [`Journal`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct AllocatedView {
    /// The application's number.
    pub app: u32,
    /// The container's number.
    pub container: u32,
    /// The node's name.
    pub node: String,
    /// The priority of the ask.
    pub priority: i32,
    /// Its size.
    pub resource: Resource,
}

/// What happened since the last call of `take_journal`.
#[doc(hidden)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Journal {
    /// Containers made, in order.
    pub allocated: Vec<AllocatedView>,
    /// Containers ended, by application and number.
    pub completed: Vec<(u32, u32, EndReason)>,
    /// Reservations that stand, by node in order of registration.
    pub reserved: Vec<AllocatedView>,
    /// Room kept for starved applications, by node in order of registration, within a node in the order in which it was
    /// first owed.
    pub held: Vec<HeldView>,
}

/// Room that was freed on a node for a starved application, and is kept for it.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct HeldView {
    /// The node's name.
    pub node: String,
    /// The application's number.
    pub app: u32,
    /// How much.
    pub resource: Resource,
}

/// What stands now on workers: reservations, and room that is kept.
#[derive(Debug, Default)]
pub(crate) struct Standing {
    pub(super) reserved: Vec<Reserved>,
    pub(super) held: Vec<OwedRoom>,
}

impl Standing {
    /// Another worker's come in.
    pub(super) fn and(&mut self, others: Standing) {
        self.reserved.extend(others.reserved);
        self.held.extend(others.held);
    }
}

impl Journal {
    /// Takes in what a worker has noted.
    pub(super) fn note(&mut self, noted: StepRecord) {
        self.allocated.extend(noted.allocated.into_iter().map(|(container, node, _)| {
            let Container { id, priority, resource, .. } = container;
            AllocatedView { app: id.application, container: id.number, node, priority, resource }
        }));
        let ended = noted.ended.into_iter();
        self.completed.extend(ended.map(|EndedContainer { id, reason, .. }| (id.application, id.number, reason)));
    }

    /// Puts what was noted, the reservations that stand and the room that is kept in the order in which they are shown.
    /// `nodes` are those present, by registration.
    pub(super) fn finish(&mut self, nodes: &[NodeId], Standing { reserved, mut held }: Standing) {
        sorted::by_key(&mut self.completed, |(app, container, _)| (*app, *container));
        sorted::by_key(&mut held, |(node, ..)| position(nodes, node));
        self.reserved = reservation_views(nodes, reserved);
        let view = |(node, app, resource): OwedRoom| HeldView { node: node.name.to_string(), app, resource };
        self.held = held.into_iter().map(view).collect();
    }
}

fn position(nodes: &[NodeId], node: &NodeShared) -> Option<usize> {
    nodes.iter().position(|id| *id == node.id)
}

/// Reservations by node, in the order of `nodes`.
pub(super) fn reservation_views(nodes: &[NodeId], mut reserved: Vec<Reserved>) -> Vec<AllocatedView> {
    sorted::by_key(&mut reserved, |(node, ..)| position(nodes, node));
    let view = |(node, app, container, priority, resource): Reserved| {
        let node = node.name.to_string();
        AllocatedView { app, container, node, priority, resource }
    };
    reserved.into_iter().map(view).collect()
}

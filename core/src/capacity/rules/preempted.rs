//! What a round of the preemption policy looks at (rules/capacity.md 25.1 step 2), and the names that it gives to
//! containers.

use crate::id::{ContainerNumber, LabelId};
use crate::resource::Resource;

/// A container or a reservation: its application and its number there.
pub(crate) type Candidate = (u32, ContainerNumber);

/// An application on the nodes of a partition, as far as a round has to know it.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub(crate) user: String,
    pub(crate) priority: i32,
    /// As it counts in the limits of AMs.
    pub(crate) am: Resource,
    pub(crate) waits_for_am: bool,
    pub(crate) used: Resource,
    pub(crate) reserved: Resource,
    pub(crate) pending: Resource,
}

/// A live container.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Live {
    pub(crate) number: ContainerNumber,
    pub(crate) size: Resource,
    /// Of the ask.
    pub(crate) priority: i32,
    pub(crate) am: bool,
    /// The label of its node.
    pub(crate) label: LabelId,
    /// The label that was asked for.
    pub(crate) asked: LabelId,
}

/// What an application has reserved on a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReservedIn {
    pub(crate) number: ContainerNumber,
    pub(crate) size: Resource,
    /// The label of its node.
    pub(crate) label: LabelId,
    /// The label that was asked for.
    pub(crate) asked: LabelId,
}

/// A node.
#[derive(Clone, Debug)]
pub(crate) struct NodeIn<Place> {
    pub(crate) place: Place,
    pub(crate) label: LabelId,
    pub(crate) free: Resource,
    pub(crate) killable: Resource,
    pub(crate) held: Option<HeldIn>,
    /// The containers that take room on the node, the oldest first: live ones, and ended ones whose room the node has
    /// not given back yet.
    pub(crate) containers: Vec<OnNode>,
}

/// What is reserved on a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeldIn {
    pub(crate) candidate: Candidate,
    pub(crate) size: Resource,
    pub(crate) since_ms: u64,
    /// See [`Held`](super::preemption::Held).
    pub(crate) may_move: bool,
}

/// A container that stands on a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OnNode {
    pub(crate) candidate: Candidate,
    pub(crate) size: Resource,
    /// Of the ask.
    pub(crate) asked: LabelId,
    pub(crate) am: bool,
    pub(crate) killable: bool,
    /// If it has ended: the leaf queue in which it ended. `None` while it lives.
    pub(crate) leaf: Option<u32>,
}

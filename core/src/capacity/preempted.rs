//! What a round of the preemption policy looks at (rules/capacity.md 25.1 step 2), and the names that it gives to
//! containers.

use super::arith::Arith;
use super::bounds::Bounds;
use super::leaf::Leaf;
use super::order::AppRank;
use super::ordered::AppEntry;
use super::tree::QueueNode;
use super::users::Users;
use crate::config::capacity::AppOrdering;
use crate::id::ContainerNumber;
use crate::resource::Resource;

/// A container or a reservation: its application and its number there.
pub(crate) type Candidate = (u32, ContainerNumber);

/// An application, as far as a round has to know it.
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
}

/// A node.
#[derive(Clone, Debug)]
pub(crate) struct NodeIn<Place> {
    pub(crate) place: Place,
    pub(crate) free: Resource,
    pub(crate) killable: Resource,
    pub(crate) held: Option<HeldIn>,
    /// Live ones, and those that have ended and whose room it has not given back; the oldest first.
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
    pub(crate) am: bool,
    pub(crate) killable: bool,
    /// Of one that has ended: the leaf in which it did.
    pub(crate) leaf: Option<u32>,
}

/// What a round looks at. Queues by slot, applications by number; in lists by entry.
pub(crate) trait Preempted {
    /// Which node it is.
    type Place: Clone;
    fn arith(&self) -> Arith;
    fn cluster(&self) -> Resource;
    fn minimum(&self) -> Resource;
    /// Those in force, each before its children.
    fn queues(&self) -> Vec<u32>;
    fn node(&self, slot: u32) -> &QueueNode;
    fn is_leaf(&self, slot: u32) -> bool;
    fn used(&self, slot: u32) -> Resource;
    fn reserved(&self, slot: u32) -> Resource;
    /// All nodes, or those on which something is reserved, in the order of their registration.
    fn nodes(&self, all: bool) -> Vec<NodeIn<Self::Place>>;
    /// A reservation stands on another node from now on. It is seen there by what the round looks at next.
    fn move_reservation(&mut self, held: &HeldIn, from: &Self::Place, to: &Self::Place);
    fn used_capacity(&self, slot: u32) -> f32;
    fn killable_in(&self, slot: u32) -> Resource;
    fn is_killable(&self, candidate: Candidate) -> bool;
    fn leaf(&self, slot: u32) -> &Leaf;
    fn users_mut(&mut self, slot: u32) -> &mut Users;
    fn user_weight(&self, slot: u32, user: &str) -> f32;
    fn bounds(&self, slot: u32) -> Bounds;
    fn ordering(&self, slot: u32) -> AppOrdering;
    /// A fair leaf: whose place awaits a refresh is put in anew.
    fn reorder(&mut self, slot: u32);
    fn app(&self, entry: AppEntry) -> Facts;
    fn rank(&self, entry: AppEntry) -> AppRank;
    /// None where it has ended.
    fn leaf_of(&self, app: u32) -> Option<u32>;
    /// Whether its application has moved to another leaf while it stood: then Hadoop knows it by that leaf's path.
    fn has_moved_along(&self, candidate: Candidate) -> bool;
    fn containers(&self, app: u32) -> Vec<Live>;
    /// In the order in which they were made.
    fn reservations(&self, app: u32) -> Vec<(ContainerNumber, Resource)>;
}

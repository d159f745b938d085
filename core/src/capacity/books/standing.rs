//! The order of the children of a parent, as data; [`siblings`](super::siblings) changes it.
//!
//! Plain data, owned by the worker's books.

use crate::capacity::rules::order::QueueKey;
use crate::config::capacity::QueueOrdering;
use crate::order::WinnerTree;
use crate::resource::Resource;
use smallvec::SmallVec;

/// Where a pass has been: every child up to a key, each with this and what it uses itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    pub(super) up_to: QueueKey,
    pub(super) turn: u64,
    pub(super) left: Resource,
}

/// Of a parent.
#[derive(Debug, Default)]
pub(crate) struct Siblings {
    /// The children in which more is asked for, each at its place by size.
    pub(super) order: WinnerTree,
    /// How many these are.
    pub(super) wanting: usize,
    pub(super) ordering: QueueOrdering,
    /// The later, the less far.
    pub(super) marks: Vec<Mark>,
    /// Passes with marks.
    pub(super) turn: u64,
}

/// Of a child.
#[derive(Debug)]
pub(crate) struct Standing {
    pub(super) key: QueueKey,
    /// Its place by size: dense, and its position in the tree.
    pub(super) size: u32,
    pub(super) wants: bool,
    /// The turn up to which what it may use is stored.
    pub(super) settled: u64,
}

/// A child's place among its siblings on one partition: those that may use the label come first.
pub(super) type LineKey = (bool, QueueKey);

/// Children that a pass has left behind, by position.
pub(crate) type Passed = SmallVec<[u32; 8]>;

/// The marks of one pass, from the first child on.
pub(crate) type PassMarks = SmallVec<[(QueueKey, Resource); 2]>;

//! Candidates of an ask: which nodes may serve it, and which of them is tried first.
//!
//! With `yarn.scheduler.capacity.multi-node-placement-enabled` the CapacityScheduler tries each ask on all nodes of a
//! partition (rules/multi-node.md 4). A [`Candidates`] puts them in order: one that comes with Evenweave, or the
//! embedder's. Pure: workers call it at once, each with its own nodes.
//!
//! ```
//! use evenweave::policy::candidates::{CandidateNode, Candidates};
//! use std::cmp::Ordering;
//!
//! /// Nodes of the rack `/old` come last.
//! #[derive(Debug)]
//! struct OldLast;
//!
//! impl Candidates for OldLast {
//!     fn compare(&self, a: &CandidateNode<'_>, b: &CandidateNode<'_>) -> Ordering {
//!         (a.rack == "/old").cmp(&(b.rack == "/old"))
//!     }
//! }
//! ```

use crate::resource::Resource;
use std::cmp::Ordering;
use std::fmt::Debug;

/// A node, as far as the choice among nodes goes.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct CandidateNode<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its rack.
    pub rack: &'a str,
    /// What it has.
    pub total: Resource,
    /// What its containers have of that.
    pub allocated: Resource,
    /// How many containers it has.
    pub containers: usize,
    /// Something is reserved on it.
    pub is_reserved: bool,
}

impl<'a> CandidateNode<'a> {
    /// An empty node: for a policy's own tests.
    #[must_use]
    pub fn new(name: &'a str, total: Resource) -> CandidateNode<'a> {
        CandidateNode { name, rack: "", total, allocated: Resource::ZERO, containers: 0, is_reserved: false }
    }

    /// Returns the node with so much of it allocated.
    #[must_use]
    pub fn with_allocated(self, allocated: Resource) -> CandidateNode<'a> {
        CandidateNode { allocated, ..self }
    }

    /// The largest part of any of its resources that is allocated; 0 of nothing.
    #[must_use]
    pub fn share(&self) -> f64 {
        let lanes = self.allocated.amounts().iter().zip(self.total.amounts()).filter(|(_, total)| **total > 0);
        lanes.map(|(allocated, total)| *allocated as f64 / *total as f64).fold(0.0, f64::max)
    }
}

/// What is asked for, as far as the choice among nodes goes.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct CandidateAsk<'a> {
    /// The number of the application.
    pub application: u32,
    /// The full name of its leaf queue.
    pub queue: &'a str,
    /// The priority of the request key.
    pub priority: i32,
    /// Its allocation request id.
    pub allocation_request_id: i64,
    /// The size of a container.
    pub size: Resource,
}

/// See the module's text.
pub trait Candidates: Debug + Send + Sync {
    /// Which of two nodes is tried first. Nodes that are equal are tried in the order of their names.
    ///
    /// It must be a total order while nothing is granted and nothing ends; else the order of nodes is unspecified.
    fn compare(&self, a: &CandidateNode<'_>, b: &CandidateNode<'_>) -> Ordering;

    /// Whether a node may serve an ask. It is passed over if not, and counts as no missed opportunity. A container that
    /// is reserved there already stays. Called for every ask and node that a pass comes to.
    fn may(&self, ask: &CandidateAsk<'_>, node: &CandidateNode<'_>) -> bool {
        let _ = (ask, node);
        true
    }
}

/// The node with the least memory allocated first, and of those the one with the fewest vcores, and so on: Hadoop's
/// `ResourceUsageMultiNodeLookupPolicy`.
#[derive(Clone, Copy, Debug, Default)]
pub struct LeastAllocated;

impl Candidates for LeastAllocated {
    fn compare(&self, a: &CandidateNode<'_>, b: &CandidateNode<'_>) -> Ordering {
        a.allocated.amounts().cmp(b.allocated.amounts())
    }
}

/// The node with the largest [share](CandidateNode::share) allocated first: few nodes are full, and the others stay
/// empty. In a file it is `evenweave.FullestFirst`. Not Hadoop's.
#[derive(Clone, Copy, Debug, Default)]
pub struct FullestFirst;

impl Candidates for FullestFirst {
    fn compare(&self, a: &CandidateNode<'_>, b: &CandidateNode<'_>) -> Ordering {
        b.share().total_cmp(&a.share())
    }
}

/// The node with the smallest [share](CandidateNode::share) allocated first: nodes of different sizes fill alike. In a
/// file it is `evenweave.EmptiestFirst`. Not Hadoop's.
#[derive(Clone, Copy, Debug, Default)]
pub struct EmptiestFirst;

impl Candidates for EmptiestFirst {
    fn compare(&self, a: &CandidateNode<'_>, b: &CandidateNode<'_>) -> Ordering {
        a.share().total_cmp(&b.share())
    }
}

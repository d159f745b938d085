//! What a scheduling policy is: the trait that `fair`, `fifo`, `drf` and an embedder's own policies implement.
//!
//! Pure: a policy holds no state and is called by every worker, the control and the update task at once. Follows
//! Hadoop's pluggable `SchedulingPolicy`.

pub mod candidates;

mod key;

mod precedence;

pub use key::{OrderKey, Tie};
pub use precedence::Precedence;

use crate::resource::{Calculator, Resource};
use std::any::Any;
use std::cmp::Ordering;
use std::fmt;

/// A queue or application, as a policy sees it when it orders siblings.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Schedulable<'a> {
    /// What it uses now.
    pub usage: &'a Resource,
    /// Its demand at the last update.
    pub demand: &'a Resource,
    /// Its min share; zero for applications.
    pub min_share: &'a Resource,
    /// Its weight.
    pub weight: f32,
    /// What decides between equals: the start time, then the name.
    pub tie: Tie,
}

impl<'a> Schedulable<'a> {
    /// A schedulable of weight 1 that is first among equals: for a policy's own tests.
    #[must_use]
    pub fn new(usage: &'a Resource, demand: &'a Resource, min_share: &'a Resource) -> Schedulable<'a> {
        Schedulable { usage, demand, min_share, weight: 1.0, tie: Tie::default() }
    }

    /// Returns the schedulable with another weight.
    #[must_use]
    pub fn with_weight(self, weight: f32) -> Schedulable<'a> {
        Schedulable { weight, ..self }
    }

    /// Returns the schedulable with another tie-breaker.
    #[must_use]
    pub fn with_tie(self, tie: Tie) -> Schedulable<'a> {
        Schedulable { tie, ..self }
    }
}

/// The size of the cluster, for comparisons.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ClusterTotal {
    /// The number of resource types.
    pub types: usize,
    /// The total of all nodes.
    pub total: Resource,
}

impl ClusterTotal {
    /// A total with this number of resource types.
    #[must_use]
    pub fn new(types: usize, total: Resource) -> ClusterTotal {
        ClusterTotal { types, total }
    }
}

/// A child of a queue whose share is distributed.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ShareInput {
    /// Its weight.
    pub weight: f32,
    /// Its min share.
    pub min: Resource,
    /// Its max share.
    pub max: Resource,
    /// Whether it takes part. A queue without runnable applications gets only a steady share.
    pub active: bool,
    /// Start time in ms; 0 for queues.
    pub start_ms: u64,
    /// Of an application: a smaller number became runnable earlier. 0 for queues.
    pub sequence: u64,
    /// Its share. On entry it is the present one. A policy changes the types that it distributes, and leaves the
    /// others.
    pub share: Resource,
}

impl ShareInput {
    /// An active queue with an empty share: for a policy's own tests.
    #[must_use]
    pub fn new(weight: f32, min: Resource, max: Resource) -> ShareInput {
        ShareInput { weight, min, max, active: true, start_ms: 0, sequence: 0, share: Resource::ZERO }
    }
}

/// How the children of a queue are ordered, and how its share is distributed among them.
///
/// Implement [`SchedulingPolicy::key`] if the order can be expressed by a key. Children are then kept in a winner tree,
/// O(log children) a container. Without keys they are sorted for every container, as in Hadoop.
///
/// A policy is `Any`: it borrows nothing.
pub trait SchedulingPolicy: Any + Send + Sync + fmt::Debug {
    /// The name in views and in the allocation file.
    fn name(&self) -> &str;

    /// The key of `child` among its siblings, the smallest first. `None` if [`SchedulingPolicy::compare`] must be
    /// called. Two keys must order as `compare` does.
    fn key(&self, cluster: &ClusterTotal, child: &Schedulable<'_>) -> Option<OrderKey> {
        let _ = (cluster, child);
        None
    }

    /// Which of two siblings is offered a node first. The order need not be transitive; then the siblings are ordered
    /// as by insertion into a red-black tree, in sibling order.
    fn compare(&self, cluster: &ClusterTotal, a: &Schedulable<'_>, b: &Schedulable<'_>) -> Ordering;

    /// Why `first` comes before `second`, if [`SchedulingPolicy::compare`] says so. Only for explanations; it decides
    /// nothing.
    fn precedence(&self, cluster: &ClusterTotal, first: &Schedulable<'_>, second: &Schedulable<'_>) -> Precedence {
        let _ = (cluster, first, second);
        Precedence::Policy
    }

    /// Distributes `total` among `children`: their steady shares if `steady`, otherwise their instantaneous shares.
    fn compute_shares(&self, types: usize, total: &Resource, children: &mut [ShareInput], steady: bool);

    /// Whether a second distribution of the same total among the same children leaves the instantaneous shares as they
    /// are. Then the update skips queues in which nothing has changed. Default: no; then the policy is called in every
    /// update.
    fn shares_are_stable(&self) -> bool {
        false
    }

    /// How this policy compares two amounts.
    fn calculator(&self) -> Calculator;

    /// What an application of a queue with this policy is told that it can still get. `available` is what the cluster
    /// and the queue's max share leave.
    fn headroom(&self, fair_share: &Resource, usage: &Resource, available: &Resource) -> Resource;

    /// Whether a child queue may have the given policy.
    fn allows_child(&self, child: &dyn SchedulingPolicy) -> bool {
        let _ = child;
        true
    }

    /// Whether only leaf queues can have this policy.
    fn leaf_only(&self) -> bool {
        false
    }
}

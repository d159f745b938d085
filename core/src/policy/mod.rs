//! What a scheduling policy is: the trait that `fair`, `fifo`, `drf` and an embedder's own policies implement.
//!
//! Pure: a policy holds no state and is called by every worker, the control and the update task at once. Follows
//! Hadoop's pluggable `SchedulingPolicy`.

mod key;

mod precedence;

pub use key::{OrderKey, Tie};
pub use precedence::Precedence;

use crate::resource::{Calculator, Resource};
use std::any::Any;
use std::cmp::Ordering;
use std::fmt;

/// What a policy may look at of a queue or application when it orders it among its siblings.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Schedulable<'a> {
    /// What it uses now.
    pub usage: &'a Resource,
    /// What it wanted at the last update.
    pub demand: &'a Resource,
    /// Its min share; zero for applications.
    pub min_share: &'a Resource,
    /// Its weight.
    pub weight: f32,
    /// What decides last: start time, then name.
    pub tie: Tie,
}

impl<'a> Schedulable<'a> {
    /// Of weight 1, and first among equals: for a policy's own tests.
    #[must_use]
    pub fn new(usage: &'a Resource, demand: &'a Resource, min_share: &'a Resource) -> Schedulable<'a> {
        Schedulable { usage, demand, min_share, weight: 1.0, tie: Tie::default() }
    }

    /// The same of another weight.
    #[must_use]
    pub fn with_weight(self, weight: f32) -> Schedulable<'a> {
        Schedulable { weight, ..self }
    }

    /// The same with what decides between equals.
    #[must_use]
    pub fn with_tie(self, tie: Tie) -> Schedulable<'a> {
        Schedulable { tie, ..self }
    }
}

/// The cluster as comparators need it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ClusterTotal {
    /// How many resource types count.
    pub types: usize,
    /// The sum of all nodes.
    pub total: Resource,
}

impl ClusterTotal {
    /// Of so many resource types.
    #[must_use]
    pub fn new(types: usize, total: Resource) -> ClusterTotal {
        ClusterTotal { types, total }
    }
}

/// One child of a queue whose share is distributed.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ShareInput {
    /// Its weight.
    pub weight: f32,
    /// Its min share.
    pub min: Resource,
    /// Its max share.
    pub max: Resource,
    /// False for a queue without runnable applications, which then gets nothing but a steady share.
    pub active: bool,
    /// Start time in ms; 0 for queues.
    pub start_ms: u64,
    /// Of an application: smaller became runnable earlier. 0 for queues.
    pub sequence: u64,
    /// Its share: the present one on entry; a policy changes the types that it distributes and leaves the others.
    pub share: Resource,
}

impl ShareInput {
    /// An active queue that has nothing yet: for a policy's own tests.
    #[must_use]
    pub fn new(weight: f32, min: Resource, max: Resource) -> ShareInput {
        ShareInput { weight, min, max, active: true, start_ms: 0, sequence: 0, share: Resource::ZERO }
    }
}

/// How the children of a queue are ordered, and how its share is distributed among them.
///
/// Give [`SchedulingPolicy::key`] wherever the order can be expressed as one: children are then kept in a winner tree,
/// O(log children) a container. Without it they are sorted anew for every container, as Hadoop does.
///
/// A policy is `Any`, that is, it borrows nothing.
pub trait SchedulingPolicy: Any + Send + Sync + fmt::Debug {
    /// The name that views show.
    fn name(&self) -> &str;

    /// The place of `child` among its siblings, smallest first, or `None` when [`SchedulingPolicy::compare`] must be
    /// asked. Where two keys are given they must order as `compare` does.
    fn key(&self, cluster: &ClusterTotal, child: &Schedulable<'_>) -> Option<OrderKey> {
        let _ = (cluster, child);
        None
    }

    /// Which of two siblings is offered a node first. Need not be transitive; then the order is that of insertion
    /// into a red-black tree in sibling order.
    fn compare(&self, cluster: &ClusterTotal, a: &Schedulable<'_>, b: &Schedulable<'_>) -> Ordering;

    /// Why `first` comes before `second`, where [`SchedulingPolicy::compare`] says that it does: for those who ask for the
    /// scheduler's reasons; nothing is decided by it.
    fn precedence(&self, cluster: &ClusterTotal, first: &Schedulable<'_>, second: &Schedulable<'_>) -> Precedence {
        let _ = (cluster, first, second);
        Precedence::Policy
    }

    /// Distributes `total` among `children`: their instantaneous shares, or, with `steady`, their steady ones.
    fn compute_shares(&self, types: usize, total: &Resource, children: &mut [ShareInput], steady: bool);

    /// Whether instantaneous shares that were distributed once stay as they are when the same total is distributed again among
    /// the same children, and nothing but the answers is made of being asked. The update then passes over queues for which
    /// nothing has changed; a policy that does not say so is asked with every update.
    fn shares_are_stable(&self) -> bool {
        false
    }

    /// How this policy compares two amounts.
    fn calculator(&self) -> Calculator;

    /// What an application of a queue with this policy is told that it can still get, of `available` (what the
    /// cluster and the queue's max share leave).
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

//! The CapacityScheduler's decisions: what queues, users and applications may have, and who gets a node's room.
//!
//! Pure functions and plain data, one thread. Follows `CapacityScheduler`, its queue classes, `UsersManager` and
//! `RegularContainerAllocator` of Hadoop 3.4.2; the rules are in `docs/rules/capacity.md`.

mod arith;

mod managed;

mod making;

mod reserved;

mod tree;

mod users;

mod bounds;

mod leaf;

mod order;

mod ordered;

mod allocator;

mod reasons;

mod tried;

mod obstacles;

mod observer;

mod heap;

mod killable;

mod preemption;

mod preempted;

mod engine;

pub use engine::{
    CapacityAppView, CapacityConfiguration, CapacityLeafView, CapacityNotOffered, CapacityQueueView, CapacityStats,
    CapacityUserView, Lifetime, SubmitTerms, Unsupported,
};
pub(crate) use engine::{
    CapacityCall, CapacityControl, CapacityDecider, CapacityShard, NoPlans, Refresh, Waits, called, capacity_stats,
    order_round,
};
pub use reasons::{CapacityReason, CapacityWait};
pub use tried::{
    AppEnd, AppTried, AppVisited, CapacityPass, KeyEnd, KeyTried, PassCourse, QueueEnd, QueueTried, Watch, Watched,
};

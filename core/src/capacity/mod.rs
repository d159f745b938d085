//! The CapacityScheduler: its rules, what a worker decides by them, what it counts for that, its part of the control,
//! and why an application waits.
//!
//! # Where it stands
//! [`moments`] is the CapacityScheduler as the engine calls it; what it is to the engine say [`types`]. Follows
//! `CapacityScheduler`, its queue classes, `UsersManager` and `RegularContainerAllocator` of Hadoop 3.4.2. With one
//! worker it decides as Hadoop does; what several do otherwise says `docs/capacity.md`.
//!
//! A folder uses those above it in this list, never the reverse; `explain` and `control` do not use each other.
//! `docs/architecture.md` (*Which file to open*) leads from a question to a file, `docs/capacity-inside.md` from a
//! rule.

mod rules;

mod types;

mod published;

mod books;

mod decide;

mod control;

mod moments;

mod explain;

mod views;

#[cfg(feature = "faults")]
mod audit;

pub(crate) use control::{CapacityCall, CapacityControl, NoPlans, Refresh};
pub use control::{CapacityConfiguration, Lifetime, SubmitTerms, Unsupported};
pub(crate) use decide::survey::Mark;
pub(crate) use decide::survey_steps::{called, order_round};
pub use explain::reasons::{CapacityReason, CapacityWait};
pub(crate) use explain::words::Waits;
pub use rules::tried::{
    AppEnd, AppTried, AppVisited, CapacityPass, KeyEnd, KeyTried, PassCourse, QueueEnd, QueueTried, Watch, Watched,
};
pub(crate) use types::{CapacityDecider, Shard as CapacityShard};
pub(crate) use views::capacity_stats;
pub use views::{
    CapacityAppPartitionView, CapacityAppView, CapacityLeafView, CapacityNotOffered, CapacityPartitionView,
    CapacityQueueView, CapacityStats, CapacityUserPartitionView, CapacityUserView,
};

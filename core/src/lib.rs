//! Evenweave: a scheduler core that decides as Apache Hadoop YARN's FairScheduler does, without its one big lock.

#[cfg(not(loom))]
mod app;
mod clock;
#[cfg(not(loom))]
mod config;
#[cfg(not(loom))]
mod event;
mod fair;
#[cfg(not(loom))]
mod flow;
#[cfg(loom)]
pub mod flow;
mod id;
#[cfg(not(loom))]
mod order;
#[cfg(not(loom))]
mod placement;
mod policy;
#[cfg(not(loom))]
mod queue;
mod resource;
#[cfg(not(loom))]
mod scheduler;
#[cfg(not(loom))]
mod sync;
#[cfg(loom)]
pub mod sync;

pub use clock::{Clock, MonotonicClock, VirtualClock};
pub use fair::{Drf, Fair, Fifo};
pub use id::{ApplicationId, ContainerId, NodeId};
pub use policy::{ClusterTotal, OrderKey, Schedulable, SchedulingPolicy, ShareInput, Tie};
pub use resource::{Calculator, MAX_TYPES, Resource, ResourceTypes, ResourceTypesError, Unit, UnitError, f64_to_i64};

#[cfg(not(loom))]
pub use app::{Ask, Locality, Location};
#[cfg(not(loom))]
pub use config::{
    AccessControlList, AllocationFile, AllocationFileError, ConfigWarning, Limit, Missing, Parsed, Place,
    PlacementChange, PlacementRule, PolicyName, QueueSettings, ROOT, ResourceStringError, RuleKind, Settings,
    SettingsError, default_rules, parse_resource, rooted, trim_java, valid_requested_name,
};
#[cfg(not(loom))]
pub use event::{Refused, SchedulerEvent};
#[cfg(not(loom))]
pub use flow::{
    AllocateRequest, Allocation, AppView, Container, EndReason, EndedContainer, Groups, Heartbeat, HeartbeatProbe,
    NodeView, QueueView, Stats, Submission, WakeUp,
};
#[cfg(not(loom))]
pub use scheduler::{
    AllocatedView, AppHandle, BuildError, FairScheduler, FairSchedulerBuilder, NodeHandle, NotSent, StepOutcome,
    Stepped, Submitted,
};

//! Evenweave: a scheduler core that decides as Apache Hadoop YARN's FairScheduler does, without its one big lock.

mod clock;
mod fair;
mod id;
mod order;
mod policy;
mod resource;
mod sync;

pub use clock::{Clock, MonotonicClock, VirtualClock};
pub use fair::{Drf, Fair, Fifo};
pub use id::{ApplicationId, ContainerId, NodeId};
pub use policy::{ClusterTotal, OrderKey, Schedulable, SchedulingPolicy, ShareInput, Tie};
pub use resource::{Calculator, MAX_TYPES, Resource, ResourceTypes, ResourceTypesError, Unit, UnitError, f64_to_i64};

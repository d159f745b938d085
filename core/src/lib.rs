//! Evenweave: a scheduler core that decides as Apache Hadoop YARN's FairScheduler does, container for container, without its one
//! big lock.
//!
//! ```
//! use evenweave::{AllocateRequest, Allocation, Ask, FairScheduler, Heartbeat, Resource, Submission};
//!
//! // Memory in MiB, vcores.
//! let scheduler = FairScheduler::builder().start()?;
//! let node = scheduler.add_node("n1", "/rack1", Resource::new(8192, 8))?;
//! let app = scheduler.submit(Submission { number: 1, user: "ann".into(), queue: None, am: None })?;
//!
//! // The ApplicationMaster asks for two containers anywhere.
//! let mut answer = Allocation::default();
//! let asks = vec![Ask::anywhere(1, Resource::new(1024, 1), 2)];
//! scheduler.allocate(&app, &AllocateRequest { asks, ..Default::default() }, &mut answer)?;
//!
//! // New demand counts from the next update on: by itself each `update-interval-ms`, here at once.
//! scheduler.quiesce();
//! scheduler.update_now();
//!
//! // A node's heartbeat offers its room, one container each.
//! scheduler.heartbeat(Heartbeat::new(&node))?;
//! scheduler.heartbeat(Heartbeat::new(&node))?;
//! scheduler.quiesce();
//!
//! // The next call brings what was granted.
//! scheduler.allocate(&app, &AllocateRequest::default(), &mut answer)?;
//! assert_eq!(answer.granted.len(), 2);
//! scheduler.shutdown();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where to begin
//! - [`FairScheduler`] runs on threads of its own, or with its workers on yours ([`Worker`]). [`Stepped`] is the same scheduler
//!   without threads: each call runs to its end before it returns. [`FairSchedulerBuilder`] makes either.
//! - [`AppHandle`] and [`NodeHandle`] name an application and a node in all calls. They are cheap to clone and go from thread to thread.
//! - An AM's call is [`AllocateRequest`] in, [`Allocation`] out; what it wants is an [`Ask`]. A node's report is a [`Heartbeat`].
//! - A call that is not carried out says why: [`Refused`]. What happens by itself is a [`SchedulerEvent`].
//!
//! With one worker the decisions are those of Hadoop 3.4.2. With more workers the limits of queues hold at every instant, and the
//! order of grants may be a bounded number of grants apart.
//!
//! # The modules
//! | module | has |
//! | --- | --- |
//! | [`config`] | site files, allocation files, their errors and warnings; [`config::capacity`] the CapacityScheduler's |
//! | [`view`] | what is shown of queues, applications, nodes, containers |
//! | [`reason`] | why a decision went as it did, as values |
//! | [`event`] | refusals and events |
//! | [`policy`], [`shares`] | what a scheduling policy is; Hadoop's three |
//! | [`resource`] | the resource vector, its types and units |
//! | [`groups`] | who is in which group |
//! | [`clock`] | real and virtual time |
//!
//! [`prelude`] has the names that nearly every embedder needs.
//!
//! # Features
//! - `system-groups`: [`groups`] can ask the operating system.
//! - `faults`: panics and deaths of workers on purpose, and an audit of all records, for tests and soak runs.

mod ahead;
#[cfg(not(loom))]
mod app;
#[cfg(not(loom))]
mod capacity;
#[cfg(not(loom))]
mod caught;
pub mod clock;
#[cfg(not(loom))]
pub mod config;
#[cfg(not(loom))]
mod engine;
#[cfg(loom)]
pub mod engine;
#[cfg(not(loom))]
pub mod event;
#[cfg(not(loom))]
mod fair;
#[cfg(not(loom))]
pub mod groups;
mod id;
#[cfg(not(loom))]
mod matching;
#[cfg(not(loom))]
mod order;
#[cfg(not(loom))]
#[doc(hidden)]
pub mod parts;
#[cfg(not(loom))]
mod placement;
pub mod policy;
#[cfg(not(loom))]
mod preemption;
#[cfg(loom)]
pub mod preemption;
#[cfg(not(loom))]
mod queue;
pub mod resource;
#[cfg(not(loom))]
mod scheduler;
pub mod shares;
#[cfg(not(any(loom, shuttle)))]
mod sync;
#[cfg(any(loom, shuttle))]
pub mod sync;

pub use id::{ApplicationId, AttemptId, ContainerId, ContainerName, IdError, NodeId};
#[cfg(loom)]
pub use id::{Slot, Slots};
pub use resource::Resource;

#[cfg(not(loom))]
pub use app::{Ask, Locality, Location};
#[cfg(not(loom))]
pub use capacity::{CapacityConfiguration, Unsupported};
#[cfg(not(loom))]
pub use config::{AllocationFile, Settings};
#[cfg(not(loom))]
pub use engine::{
    AllocateRequest, Allocation, AmRequest, AskWarning, Container, EndReason, EndedContainer, Heartbeat,
    HeartbeatProbe, NewAttempt, Polled, Submission, WakeUp,
};
#[cfg(not(loom))]
pub use event::{Refused, SchedulerEvent, Waited};
#[cfg(not(loom))]
pub use scheduler::{
    AppHandle, BuildError, CapacityScheduler, CapacitySchedulerBuilder, CapacityStepped, FairScheduler,
    FairSchedulerBuilder, NodeHandle, NotSent, Stepped, Submitted, WeakScheduler, Worker,
};

/// What is shown of queues, applications, nodes and containers. Plain values, as of the moment in which they were asked for.
#[cfg(not(loom))]
pub mod view {
    pub use crate::capacity::{CapacityAppView, CapacityLeafView, CapacityQueueView, CapacityUserView};
    pub use crate::engine::{ContainerView, NodeView};
    pub use crate::fair::{AppView, QueueConfig, QueueView, Stats};
    pub use crate::queue::RunningLimit;
    pub use crate::scheduler::{AllocatedView, HeldView, Journal, PreemptionRound};
}

/// Why a decision went as it did, as values: what [`Stepped::take_trace`] and [`Stepped::not_offered`] tell.
#[cfg(not(loom))]
pub mod reason {
    pub use crate::fair::{
        AmShare, AppOutcome, AppVisit, Claim, Decision, KeyOutcome, KeyVisit, NotOffered, NotReserved, Obstacle,
        PassEnd, QueueOutcome, QueueVisit, ReservationOutcome, ReservationVisit,
    };
}

/// Faults on purpose, and the audit of all records: feature `faults`.
#[cfg(all(feature = "faults", not(loom)))]
pub mod faults {
    pub use crate::engine::{Audit, Kept};
    pub use crate::scheduler::Fault;
}

/// The names that nearly every embedder needs: `use evenweave::prelude::*`.
#[cfg(not(loom))]
pub mod prelude {
    pub use crate::{
        AllocateRequest, Allocation, AllocationFile, AmRequest, AppHandle, ApplicationId, Ask, AttemptId, Container,
        ContainerId, ContainerName, EndReason, EndedContainer, FairScheduler, FairSchedulerBuilder, Heartbeat,
        Location, NewAttempt, NodeHandle, NodeId, Refused, Resource, SchedulerEvent, Settings, Stepped, Submission,
    };
}

/// The examples of `docs/preemption.md`.
#[cfg(doctest)]
#[doc = include_str!("../../docs/preemption.md")]
struct PreemptionPage;

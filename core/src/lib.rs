//! Evenweave: a scheduler core with the FairScheduler and the CapacityScheduler of Apache Hadoop YARN 3.4.2.
//!
//! It decides as they do, and has no global lock.
//!
//! ```
//! use evenweave::prelude::*;
//!
//! // Memory in MiB, vcores.
//! let scheduler = FairScheduler::builder().start()?;
//! let node = scheduler.add_node("n1", "/rack1", Resource::new(8192, 8))?;
//! let app = scheduler.submit(Submission::new(1, "ann"))?;
//!
//! // The ApplicationMaster asks for two containers anywhere.
//! let mut answer = Allocation::default();
//! let asks = vec![Ask::anywhere(1, Resource::new(1024, 1), 2)];
//! scheduler.allocate(&app, &AllocateRequest::new(asks), &mut answer)?;
//!
//! // New demand counts from the next update on. An update runs every `update-interval-ms`; this example calls it.
//! scheduler.quiesce()?;
//! scheduler.update_now()?;
//!
//! // A heartbeat offers the node's room. Each one grants one container.
//! scheduler.heartbeat(Heartbeat::new(&node))?;
//! scheduler.heartbeat(Heartbeat::new(&node))?;
//! scheduler.quiesce()?;
//!
//! // The next call returns the granted containers.
//! scheduler.allocate(&app, &AllocateRequest::default(), &mut answer)?;
//! assert_eq!(answer.granted.len(), 2);
//! scheduler.shutdown()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A ResourceManager's loops
//! This example shows an application whose AM runs in a container: the heartbeats of its node, and the calls of its AM,
//! which the ResourceManager passes on.
//!
//! ```
//! use evenweave::prelude::*;
//!
//! // `node_stops`: each node lists the containers that it has to stop.
//! let rm = FairScheduler::builder().node_stops(true).timers(false).start()?;
//! let node = rm.add_node("n1", "/rack1", Resource::new(8192, 8))?;
//! let app = rm.submit(Submission::new(1, "ann").with_am(Resource::new(512, 1)))?;
//!
//! // A NodeManager's heartbeat reports the containers that started and ended since the last one. It returns those to
//! // stop.
//! let beat = |started: &[ContainerId], ended: &[ContainerId]| -> Result<Vec<ContainerId>, Refused> {
//!     let mut report = Heartbeat::new(&node);
//!     report.add_launched(started.iter().copied());
//!     report.add_completed(ended.iter().copied());
//!     // If it is refused as `Busy`, the report comes back. Send it again with the next one.
//!     rm.heartbeat(report).map_err(|not_sent| not_sent.reason)?;
//!     let mut stop = Vec::new();
//!     node.take_stops(&mut stop);
//!     Ok(stop)
//! };
//! // Without this, asks count from the next periodic update on. (With a CapacityScheduler they count at once.)
//! let settle = || rm.quiesce().and_then(|()| rm.update_now());
//!
//! settle()?;
//! beat(&[], &[])?;
//! rm.quiesce()?;
//! // The first container is the AM's. The ResourceManager fetches it with an empty call, when `on_grants` or
//! // `mail_async` reports it, and lets the node start it. Until it is granted, every other call is refused (`NoAm`).
//! let mut answer = Allocation::default();
//! rm.allocate(&app, &AllocateRequest::default(), &mut answer)?;
//! let am = answer.granted[0];
//! assert_eq!(rm.find_node_by_id(am.node), Some(node.clone()));
//! beat(&[am.id], &[])?;
//!
//! // The AM's call. A count replaces the one before: say 2 once, not with each call.
//! let asks = vec![Ask::anywhere(1, Resource::new(1024, 1), 2)];
//! rm.allocate(&app, &AllocateRequest::new(asks), &mut answer)?;
//! settle()?;
//! beat(&[], &[])?;
//! beat(&[], &[])?;
//! rm.quiesce()?;
//! rm.allocate(&app, &AllocateRequest::default(), &mut answer)?;
//! let tasks: Vec<_> = answer.granted.iter().map(|container| container.id).collect();
//! beat(&tasks, &[])?;
//! beat(&[], &tasks[..1])?;
//! rm.quiesce()?;
//! rm.allocate(&app, &AllocateRequest::default(), &mut answer)?;
//! assert_eq!((answer.ended[0].id, answer.ended[0].reason), (tasks[0], EndReason::Completed));
//!
//! // The AM is done. The node stops the containers that still run. Their room is free when the node reports their end.
//! rm.finish(&app)?;
//! let mut stops = beat(&[], &[])?;
//! stops.sort();
//! assert_eq!(stops, [am.id, tasks[1]]);
//! beat(&[], &stops)?;
//! rm.quiesce()?;
//! assert_eq!(rm.node("n1").unwrap().free, Resource::new(8192, 8));
//! rm.shutdown()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//! `docs/embedding.md` in the repository says which calls block, who is told when a container ends, and what callbacks
//! may do. The example `resource_manager` does the same over TCP.
//!
//! # Where to begin
//! - [`FairScheduler`] runs on its own threads, or with its workers on your threads ([`Worker`]). [`Stepped`] is the
//!   same scheduler without threads: each call is complete when it returns. [`FairSchedulerBuilder`] makes both.
//! - [`CapacityScheduler`] decides as Hadoop's CapacityScheduler, from a `capacity-scheduler.xml`
//!   ([`CapacityConfiguration`]). [`CapacityStepped`] is the same without threads. Handles, requests, answers and
//!   events are the same. `docs/capacity.md` has a first file.
//! - [`AppHandle`] and [`NodeHandle`] name an application and a node in all calls. They are cheap to clone and can be
//!   sent to other threads.
//! - An AM's call takes an [`AllocateRequest`] with [`Ask`]s and fills an [`Allocation`]. A node's report is a
//!   [`Heartbeat`].
//! - A refused call returns the reason: [`Refused`]. A [`SchedulerEvent`] reports what happens without a call.
//!
//! With one worker the decisions are those of Hadoop 3.4.2. With several workers the limits of queues still hold at
//! every instant. The order of grants may differ from Hadoop's by a bounded number of grants.
//!
//! To read the code, begin with `docs/architecture.md` in the repository; its table *Which file to open* leads from a
//! question to a file.
//!
//! # The modules
//! | module | has |
//! | --- | --- |
//! | [`config`] | site files, allocation files, their errors and warnings; [`config::capacity`] the CapacityScheduler's |
//! | [`view`] | views of queues, applications, nodes and containers |
//! | [`reason`] | reasons of decisions, as values |
//! | [`event`] | refusals and events |
//! | [`policy`], [`shares`] | the trait of a scheduling policy; Hadoop's three policies |
//! | [`reservation`] | the ReservationSystem: plans, agents, sharing policies, the follower |
//! | [`resource`] | the resource vector, its types and units |
//! | [`groups`] | groups of users |
//! | [`labels`] | which labels of nodes there are, and which node has which |
//! | [`clock`] | real and virtual time |
//!
//! [`prelude`] has the names that nearly every embedder needs.
//!
//! # Features
//! - `check`: [`AllocationFile`] and [`config::capacity::CapacityFile`] have a `check` that tells all that is wrong or
//!   odd in a file. A scheduler reads without it.
//! - `convert`: `config::convert`, from a FairScheduler's configuration to a CapacityScheduler's.
//! - `system-groups`: [`groups`] can ask the operating system.
//! - `serde`: ids, resources, containers, views, requests and [`Settings`] can be serialized and deserialized; refusals
//!   and events can only be serialized. Application, attempt and container ids are written as text. A [`Location`]
//!   other than `*` belongs to its scheduler. So an [`Ask`] or [`AmRequest`] with one cannot be deserialized: send
//!   names over a wire, and make locations with `location` of the scheduler. A [`Heartbeat`] contains its node, and can
//!   neither be serialized nor deserialized.
//! - `tracing`: logs events, updates, rounds of preemption and requests to the control. Events have their own level,
//!   everything else `debug`. The workers log nothing.
//! - `sharing`: counts what threads share (`Sharing`), for measurements of that alone. It makes everything slow.
//! - `faults`: injected faults, and an audit of all records, for tests and soak runs.

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
pub mod labels;
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
mod prefetch;
#[cfg(not(loom))]
mod queue;
#[cfg(not(loom))]
pub mod reservation;
pub mod resource;
#[cfg(not(loom))]
mod scheduler;
pub mod shares;
#[cfg(not(any(loom, shuttle)))]
mod sync;
#[cfg(any(loom, shuttle))]
pub mod sync;

pub use id::{ApplicationId, AttemptId, ContainerId, ContainerName, IdError, Locality, NodeId};
#[cfg(loom)]
pub use id::{Slot, Slots};
pub use resource::Resource;

#[cfg(not(loom))]
pub use app::{Ask, Label, Location};
#[cfg(not(loom))]
pub use capacity::{CapacityConfiguration, SubmitTerms, Unsupported};
#[cfg(not(loom))]
pub use config::{AllocationFile, Settings};
#[cfg(not(loom))]
pub use engine::{
    AllocateRequest, Allocation, AmRequest, AskWarning, Container, EndReason, EndedContainer, Heartbeat,
    HeartbeatProbe, NewAttempt, NewNode, Polled, RecoveredContainer, Submission, WakeUp,
};
#[cfg(not(loom))]
pub use event::{Refused, SchedulerEvent, refused};
#[cfg(not(loom))]
pub use scheduler::{
    AppHandle, BuildError, Capacity, CapacityScheduler, CapacitySchedulerBuilder, CapacityStepped, Fair, FairScheduler,
    FairSchedulerBuilder, NodeHandle, NotSent, Policy, Scheduler, SchedulerApi, Stepped, Submitted,
    WeakCapacityScheduler, WeakScheduler, Worker,
};
#[cfg(all(feature = "sharing", not(any(loom, shuttle))))]
pub use sync::sharing::{Sharing, SharingCounts, SharingPlace};

/// Short names of the two schedulers: with `use evenweave::schedulers::{capacity, fair}` they are `fair::Scheduler` and
/// `capacity::Scheduler`.
#[cfg(not(loom))]
pub mod schedulers {
    /// The FairScheduler.
    pub mod fair {
        pub use crate::{FairScheduler as Scheduler, FairSchedulerBuilder as Builder, Stepped, WeakScheduler};
    }

    /// The CapacityScheduler.
    pub mod capacity {
        pub use crate::{
            CapacityScheduler as Scheduler, CapacitySchedulerBuilder as Builder, CapacityStepped as Stepped,
            WeakCapacityScheduler as WeakScheduler,
        };
    }
}

/// Views of queues, applications, nodes and containers: plain values, as of the moment of the call.
#[cfg(not(loom))]
pub mod view {
    pub use crate::capacity::{
        CapacityAppPartitionView, CapacityAppView, CapacityLeafView, CapacityPartitionView, CapacityQueueView,
        CapacityStats, CapacityUserPartitionView, CapacityUserView, Lifetime,
    };
    pub use crate::engine::{
        ContainerCounts, ContainerView, LabelView, NodeView, RequestView, ReservationNews, ReservedView,
    };
    pub use crate::fair::{AppView, QueueConfig, QueueView, Stats};
    pub use crate::queue::RunningLimit;
    pub use crate::scheduler::{AllocatedView, HeldView, Journal, PreemptionRound};
}

/// Reasons of decisions, as values: the results of [`Stepped::take_trace`], `not_offered` and `why_waiting`.
#[cfg(not(loom))]
pub mod reason {
    pub use crate::app::Reason;
    pub use crate::capacity::{
        AppEnd, AppTried, AppVisited, CapacityNotOffered, CapacityPass, CapacityReason, CapacityWait, KeyEnd, KeyTried,
        PassCourse, QueueEnd, QueueTried, Watch, Watched,
    };
    pub use crate::fair::{
        AmShare, AppOutcome, AppVisit, Claim, Decision, FairReason, FairWait, KeyOutcome, KeyVisit, NotOffered,
        NotReserved, Obstacle, PassEnd, QueueOutcome, QueueVisit, ReservationOutcome, ReservationVisit, Told, Words,
        nearness, precedence,
    };
}

/// Injected faults, and the audit of all records, for tests and soak runs: feature `faults`. No promise: whatever is
/// here may change or go.
#[cfg(all(feature = "faults", not(loom)))]
#[doc(hidden)]
pub mod faults {
    pub use crate::engine::{Audit, Kept};
    pub use crate::scheduler::Fault;
}

/// Calls for replay and for this repository's tests. No promise: whatever is here may change or go.
#[cfg(not(loom))]
#[doc(hidden)]
pub mod testing {
    pub use crate::scheduler::ByNumber;
}

/// The names that nearly every embedder needs: `use evenweave::prelude::*`.
#[cfg(not(loom))]
pub mod prelude {
    pub use crate::{
        AllocateRequest, Allocation, AllocationFile, AmRequest, AppHandle, ApplicationId, Ask, AskWarning, AttemptId,
        CapacityConfiguration, CapacityScheduler, CapacitySchedulerBuilder, CapacityStepped, Container, ContainerId,
        ContainerName, EndReason, EndedContainer, FairScheduler, FairSchedulerBuilder, Heartbeat, Locality, Location,
        NewAttempt, NewNode, NodeHandle, NodeId, NotSent, RecoveredContainer, Refused, Resource, SchedulerApi,
        SchedulerEvent, Settings, Stepped, Submission, SubmitTerms, Submitted, WeakCapacityScheduler, WeakScheduler,
        resource::ResourceTypes,
    };
}

/// The examples of `docs/preemption.md`.
#[cfg(doctest)]
#[doc = include_str!("../../docs/preemption.md")]
struct PreemptionPage;

/// The examples of `docs/capacity.md`.
#[cfg(doctest)]
#[doc = include_str!("../../docs/capacity.md")]
struct CapacityPage;

/// The example of `docs/embedding.md`.
#[cfg(doctest)]
#[doc = include_str!("../../docs/embedding.md")]
struct EmbeddingPage;

/// The programs of `docs/tutorial.md`.
#[cfg(doctest)]
#[doc = include_str!("../../docs/tutorial.md")]
struct TutorialPage;

//! Evenweave: a scheduler core that decides as Apache Hadoop YARN's FairScheduler and CapacityScheduler do, container for container,
//! without their one big lock.
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
//! # A ResourceManager's loops
//! An application whose AM runs in a container too, as the ResourceManager sees it: its nodes' heartbeats, and the calls of its AMs.
//!
//! ```
//! use evenweave::prelude::*;
//!
//! // `node_stops`: what a node has to stop is put into the answer of its heartbeat.
//! let rm = FairScheduler::builder().node_stops(true).timers(false).start()?;
//! let node = rm.add_node("n1", "/rack1", Resource::new(8192, 8))?;
//! let app = rm.submit(Submission::new(1, "ann").with_am(Resource::new(512, 1)))?;
//!
//! // A NodeManager's heartbeat: what it has started and what has ended since the last one, then what it has to stop.
//! let beat = |started: &[ContainerId], ended: &[ContainerId]| -> Result<Vec<ContainerId>, Refused> {
//!     let mut report = Heartbeat::new(&node);
//!     report.launched.extend(started.iter().copied());
//!     report.completed.extend(ended.iter().copied());
//!     // `Busy`: the report comes back, and is sent again with the next one.
//!     rm.heartbeat(report).map_err(|not_sent| not_sent.reason)?;
//!     let mut stop = Vec::new();
//!     node.take_stops(&mut stop);
//!     Ok(stop)
//! };
//! // By themselves asks count from the next update on, and heartbeats come each second: here both are called for. (With a
//! // CapacityScheduler asks count at once.)
//! let settle = || { rm.quiesce(); rm.update_now(); };
//!
//! settle();
//! beat(&[], &[])?;
//! rm.quiesce();
//! // The ResourceManager itself fetches the AM's container, the application's first, with an empty call (when `on_grants` or `mail_async`
//! // tells of it), and has its node start it. Until it is granted, all but an empty call is refused (`NoAm`).
//! let mut answer = Allocation::default();
//! rm.allocate(&app, &AllocateRequest::default(), &mut answer)?;
//! let am = answer.granted[0];
//! assert_eq!(rm.find_node_by_id(am.node), Some(node.clone()));
//! beat(&[am.id], &[])?;
//!
//! // The AM's call. A count replaces the one before: it says 2 once, not with each call.
//! let asks = vec![Ask::anywhere(1, Resource::new(1024, 1), 2)];
//! rm.allocate(&app, &AllocateRequest::new(asks), &mut answer)?;
//! settle();
//! beat(&[], &[])?;
//! beat(&[], &[])?;
//! rm.quiesce();
//! rm.allocate(&app, &AllocateRequest::default(), &mut answer)?;
//! let tasks: Vec<_> = answer.granted.iter().map(|container| container.id).collect();
//! beat(&tasks, &[])?;
//! beat(&[], &tasks[..1])?;
//! rm.quiesce();
//! rm.allocate(&app, &AllocateRequest::default(), &mut answer)?;
//! assert_eq!((answer.ended[0].id, answer.ended[0].reason), (tasks[0], EndReason::Completed));
//!
//! // The AM says that it is done. What still runs is stopped by its node, and its room is free when the node says that it has ended.
//! rm.finish(&app)?;
//! let mut stops = beat(&[], &[])?;
//! stops.sort();
//! assert_eq!(stops, [am.id, tasks[1]]);
//! beat(&[], &stops)?;
//! rm.quiesce();
//! assert_eq!(rm.node("n1").unwrap().free, Resource::new(8192, 8));
//! rm.shutdown();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//! `docs/embedding.md` of the repository says who waits for whom, what ends where, and what callbacks may do; its example
//! `resource_manager` is the same over TCP.
//!
//! # Where to begin
//! - [`FairScheduler`] runs on threads of its own, or with its workers on yours ([`Worker`]). [`Stepped`] is the same scheduler
//!   without threads: each call runs to its end before it returns. [`FairSchedulerBuilder`] makes either.
//! - [`CapacityScheduler`] decides as Hadoop's CapacityScheduler, by a `capacity-scheduler.xml` ([`CapacityConfiguration`]); without threads it is
//!   [`CapacityStepped`]. Handles, requests, answers and events are the same. `docs/capacity.md` has a file to begin with.
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
//! | [`reservation`] | the ReservationSystem: plans, agents, sharing policies, the follower |
//! | [`resource`] | the resource vector, its types and units |
//! | [`groups`] | who is in which group |
//! | [`clock`] | real and virtual time |
//!
//! [`prelude`] has the names that nearly every embedder needs.
//!
//! # Features
//! - `system-groups`: [`groups`] can ask the operating system.
//! - `serde`: ids, resources, containers, views, requests and [`Settings`] can be written and read; refusals and events written. The ids of
//!   the outside world are their texts. A [`Location`] other than `*` belongs to its scheduler: an [`Ask`] or an [`AmRequest`] with one is
//!   written and cannot be read. A wire brings names, of which `location` of the scheduler makes locations. A [`Heartbeat`] holds its node:
//!   neither.
//! - `tracing`: events, updates, rounds of preemption and what the control is asked for go into the log of the process, at `debug`
//!   where they are not events. Nothing that a worker does is written.
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

pub use id::{ApplicationId, AttemptId, ContainerId, ContainerName, IdError, NodeId};
#[cfg(loom)]
pub use id::{Slot, Slots};
pub use resource::Resource;

#[cfg(not(loom))]
pub use app::{Ask, Locality, Location};
#[cfg(not(loom))]
pub use capacity::{CapacityConfiguration, SubmitTerms, Unsupported};
#[cfg(not(loom))]
pub use config::{AllocationFile, Settings};
#[cfg(not(loom))]
pub use engine::{
    AllocateRequest, Allocation, AmRequest, AskWarning, Container, EndReason, EndedContainer, Heartbeat,
    HeartbeatProbe, NewAttempt, Polled, RecoveredContainer, Reported, Submission, WakeUp,
};
#[cfg(not(loom))]
pub use event::{Refused, SchedulerEvent, Waited};
#[cfg(not(loom))]
pub use scheduler::{
    AppHandle, BuildError, CapacityScheduler, CapacitySchedulerBuilder, CapacityStepped, FairScheduler,
    FairSchedulerBuilder, NodeHandle, NotSent, Stepped, Submitted, WeakCapacityScheduler, WeakScheduler, Worker,
};

/// What is shown of queues, applications, nodes and containers. Plain values, as of the moment in which they were asked for.
#[cfg(not(loom))]
pub mod view {
    pub use crate::capacity::{
        CapacityAppView, CapacityLeafView, CapacityQueueView, CapacityStats, CapacityUserView, Lifetime,
    };
    pub use crate::engine::{ContainerView, NodeView, RequestView, ReservationNews, ReservedView};
    pub use crate::fair::{AppView, QueueConfig, QueueView, Stats};
    pub use crate::queue::RunningLimit;
    pub use crate::scheduler::{AllocatedView, HeldView, Journal, PreemptionRound};
}

/// Why a decision went as it did, as values: what [`Stepped::take_trace`], `not_offered` and `why_waiting` tell.
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
        AllocateRequest, Allocation, AllocationFile, AmRequest, AppHandle, ApplicationId, Ask, AskWarning, AttemptId,
        CapacityConfiguration, CapacityScheduler, CapacitySchedulerBuilder, CapacityStepped, Container, ContainerId,
        ContainerName, EndReason, EndedContainer, FairScheduler, FairSchedulerBuilder, Heartbeat, Locality, Location,
        NewAttempt, NodeHandle, NodeId, NotSent, RecoveredContainer, Refused, Resource, SchedulerEvent, Settings,
        Stepped, Submission, SubmitTerms, Submitted, Waited, WeakCapacityScheduler, WeakScheduler,
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

/// The programs of `docs/tutorial.md`.
#[cfg(doctest)]
#[doc = include_str!("../../docs/tutorial.md")]
struct TutorialPage;

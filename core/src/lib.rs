//! Evenweave: a scheduler core that decides as Apache Hadoop YARN's FairScheduler does, without its one big lock.
//!
//! Deciding is pure and single-threaded. Handing over is concurrent and small. With one worker the decisions are those of
//! Hadoop 3.4.2, container for container; with more workers the limits of queues hold at every instant, and the order of
//! grants may be a bounded number of grants apart.
//!
//! # The flow
//! ```text
//!  embedder, any thread                         threads of the core
//!  --------------------                         -------------------
//!  heartbeat: launched, completed ──┐  bounded   worker 0 .. W-1, each owns the nodes of some racks
//!  allocate: asks, releases ────────┴──lanes──>    load the newest snapshot
//!                                                  completed ──> room back, usage back
//!                                                  assignment: snapshot + own nodes + own order ──> proposal
//!                                                  grant: asks, AM share, room under limits ──> container or refusal
//!  allocate answers <── mailboxes <───────────────────┘  │ usage cells
//!                                                        v
//!  submit, finish, move, nodes, reload ──> control ──> snapshot <── update <── ledger
//!                                          structure,  (version)    demand and fair shares,
//!                                          at once                  every update-interval-ms
//!            allocation file ──> watcher ──> control, when it has changed
//!                      async allocation thread (optional) ──> one offer to every node of a worker
//! ```
//! The two drivers call the same stages: [`FairScheduler`] on threads of its own, [`Stepped`] on the caller's.
//!
//! # Layers
//! A module uses only modules of lower layers; those of one layer do not know each other.
//!
//! | layer | module | what |
//! | --- | --- | --- |
//! | 7 | `scheduler`, `parts` | the doors: [`FairScheduler`], [`Stepped`], their builder, handles; a hidden one for benchmarks |
//! | 6 | `flow` | the concurrent path, one file a stage |
//! | 5 | `fair`, `placement`, `preemption` | the three policies and their shares; which queue an application enters; who is starved |
//! | 4 | `queue`, `app`, `order`, `groups`, `event` | the queue tree and running limits; asks; children kept in order; who is in which group; refusals and events |
//! | 3 | `config` | site files and allocation file: text in, typed values out |
//! | 2 | `policy` | the trait of a scheduling policy and its keys |
//! | 1 | `resource`, `id`, `clock`, `ahead` | the resource vector, slots with generations, the one clock, memory asked for ahead |
//! | 0 | `sync` | the one door to atomics, threads, channels, maps and the snapshot cell; loom's parts under `cfg(loom)`, shuttle's under `cfg(shuttle)` |
//!
//! # A tour of `flow`, in the order of the story
//! 1. `messages`: what arrives, and what core threads tell each other. `driver`: who calls the stages, real threads or the
//!    caller. `edge`: what `allocate` does on the caller's thread.
//! 2. `worker`: one message at a time. `shard`: what one worker owns, its order of queues and applications included.
//! 3. `snapshot`: queue tree, limits and shares as last published, by `publish`. `members`: the applications of a leaf
//!    queue in it.
//! 4. `assignment`: one descent a container, from root to a leaf queue, an application and a request key. `decision`: why
//!    it went as it did, as a value; `trace`: noted while it runs, where that is asked for.
//! 5. `grant`: all or nothing. `lease`: room under limits and outstanding asks, in pieces. `watch`: the limits of one queue.
//!    `ledger`: what is true now.
//! 6. `mailbox`: containers, and the news of ended ones, on their way to the AM.
//! 7. `reconcile`: what the other workers did, folded in at the `pace` of their changes. `control`: life of applications, queues and nodes. `allocations`: when the
//!    allocation file is looked at and read again. `update`: demand and fair shares. `preemption`: starved
//!    applications get containers back. `views`, `inspect` and `events`:
//!    what the embedder sees.
//!
//! `docs/architecture.md` has who owns what and what each operation costs, `docs/concurrency.md` the protocols as small
//! proofs, `docs/yarn-compat.md` what of the FairScheduler is here, `docs/deviations.md` where it differs on purpose.

mod ahead;
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
#[cfg(not(loom))]
mod groups;
mod id;
#[cfg(not(loom))]
mod order;
#[cfg(not(loom))]
#[doc(hidden)]
pub mod parts;
#[cfg(not(loom))]
mod placement;
mod policy;
#[cfg(not(loom))]
mod preemption;
#[cfg(not(loom))]
mod queue;
mod resource;
#[cfg(not(loom))]
mod scheduler;
#[cfg(not(any(loom, shuttle)))]
mod sync;
#[cfg(any(loom, shuttle))]
pub mod sync;

pub use clock::{Clock, MonotonicClock, VirtualClock};
pub use fair::{Drf, Fair, Fifo};
pub use id::{ApplicationId, ContainerId, NodeId};
#[cfg(loom)]
pub use id::{Slot, Slots};
pub use policy::{ClusterTotal, OrderKey, Precedence, Schedulable, SchedulingPolicy, ShareInput, Tie};
pub use resource::{Calculator, MAX_TYPES, Resource, ResourceTypes, ResourceTypesError, Unit, UnitError, f64_to_i64};

#[cfg(not(loom))]
pub use app::{Ask, Locality, Location};
#[cfg(not(loom))]
pub use config::{
    AccessControlList, AllocationFile, AllocationFileError, AllocationSource, AllocationsError, AppOrdering,
    CapacityFault, CapacityFigures, CapacityFile, CapacityFileError, CapacityMode, CapacityQueue, CapacityQueueKind,
    CapacityQueueRole, CapacitySettings, CapacityUnit, CapacityVector, CheckOptions, Checked, Diagnostic, Expanded,
    FileSource, FlexibleCreation, Included, LabelCapacity, LabelFigures, LeafSettings, Limit, LocateError,
    ManagedCreation, MappingRule, MappingRules, Missing, Monitors, NumberKind, Origin, ParentSettings, Parsed, Place,
    PlacementChange, PlacementError, PlacementRule, PlanSettings, PolicyName, PreemptionOrder, PreemptionSettings,
    PriorityAcl, QueueAccess, QueueOrdering, QueueSettings, QueueState, QueueTemplates, ROOT, ResourceStringError,
    RuleAction, RuleFallback, RuleKind, RuleMatch, Settings, SettingsBuilder, SettingsError, SettingsProblem, Severity,
    SiteFile, SiteFileError, SiteFileProblem, SiteProperties, SiteProperty, Template, TooManySubstitutions, Unresolved,
    WorkflowPriorities, default_rules, parse_resource, rooted, trim_java, valid_requested_name,
};
#[cfg(not(loom))]
pub use event::{AppAccess, LONGEST_NAME, Named, Refused, SchedulerEvent};
#[cfg(all(feature = "faults", not(loom)))]
pub use flow::Kept;
#[cfg(not(loom))]
pub use flow::{
    AllocateRequest, Allocation, AmRequest, AmShare, AppOutcome, AppView, AppVisit, Claim, Container, ContainerView,
    Decision, EndReason, EndedContainer, Heartbeat, HeartbeatProbe, KeyOutcome, KeyVisit, NewAttempt, NodeView,
    NotOffered, NotReserved, Obstacle, PassEnd, QueueConfig, QueueOutcome, QueueView, QueueVisit, ReservationOutcome,
    ReservationVisit, RunningLimit, Stats, Submission, WakeUp,
};
#[cfg(all(
    not(loom),
    feature = "system-groups",
    any(target_os = "linux", target_os = "freebsd", target_os = "netbsd")
))]
pub use groups::SystemGroups;
#[cfg(not(loom))]
pub use groups::{
    CachedGroups, Groups, GroupsError, GroupsFile, OverriddenGroups, parse_group_overrides, parse_groups,
};
#[cfg(all(feature = "faults", not(loom)))]
pub use scheduler::Fault;
#[cfg(not(loom))]
pub use scheduler::{
    AllocatedView, AppHandle, BuildError, FairScheduler, FairSchedulerBuilder, HeldView, NodeHandle, NotSent,
    PreemptionRound, StepOutcome, Stepped, Submitted,
};

/// The examples of `docs/preemption.md`.
#[cfg(doctest)]
#[doc = include_str!("../../docs/preemption.md")]
struct PreemptionPage;

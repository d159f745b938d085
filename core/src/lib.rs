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
//! | 8 | `scheduler`, `parts` | the doors: [`FairScheduler`], [`Stepped`], their builder, handles; a hidden one for benchmarks |
//! | 7 | `fair` | the FairScheduler's decisions: descent, order, update, preemption, reasons |
//! | 6 | `engine` | the concurrent path, one folder a concern |
//! | 5 | `shares`, `matching`, `placement`, `preemption` | the three policies and their shares; which ask fits which node; which queue an application enters; who is starved |
//! | 4 | `queue`, `app`, `order`, `groups`, `event` | the queue tree and running limits; asks; children kept in order; who is in which group; refusals and events |
//! | 3 | `config` | site files and allocation file: text in, typed values out |
//! | 2 | `policy` | the trait of a scheduling policy and its keys |
//! | 1 | `resource`, `id`, `clock`, `ahead` | the resource vector, slots with generations, the one clock, memory asked for ahead |
//! | 0 | `sync` | the one door to atomics, threads, channels, maps and the snapshot cell; loom's parts under `cfg(loom)`, shuttle's under `cfg(shuttle)` |
//!
//! # A tour of `engine`, in the order of the story
//! 1. `intake`: what arrives. The messages, a worker's two lanes, and the edge, where `allocate` runs on the caller's thread.
//! 2. `worker`: one message at a time, and what one worker owns: nodes, containers, its copy of the asks.
//! 3. `publish`: queue tree, limits and shares as last published, and how a worker takes them over.
//! 4. `commit`: all or nothing. Room under limits and outstanding asks are leased in pieces.
//! 5. `mail`: containers, and the news of ended ones, on their way to the AM.
//! 6. `books`: what is true now; what the other workers did, folded in at the pace of their changes.
//! 7. `control`: life of applications, queues and nodes. `allocations`: when the allocation file is looked at and read again.
//! 8. `driver`: who calls the stages, real threads or the caller. `views`: what the embedder sees.
//!
//! `engine` would be the same for any scheduler. What it asks of one is a trait, `engine::decider`: each method is named after the moment
//! in which it is called, and what a scheduler keeps of a worker, a queue, an application, a key or a node lies inline in the engine's
//! record of it.
//!
//! `fair` is the FairScheduler's answer. `decider`: each moment, and who deals with it. `assignment`: one descent a container, from root to a leaf queue, an application and a request key. `placing`: the
//! order that it walks. `update`: demand and fair shares. `preemption`: starved applications get containers back. `decision` and
//! `trace`: why it went as it did, as values.
//!
//! # From a heartbeat to the AM, in ten files
//! `engine::intake::messages` (a report), `engine::intake::inbox` (its lane), `engine::worker::handling` (what has ended ends, the node is
//! offered), `engine::decider` (to whom that is said), `fair::assignment` (to whom the node goes), `engine::commit::grant` (a container, or why
//! not), `engine::commit::lease` (asks and room, shared), `engine::books::paths` (usage up to the root), `engine::mail::mailbox` (on its
//! way), `engine::intake::edge` (the AM calls).
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
mod engine;
#[cfg(loom)]
pub mod engine;
#[cfg(not(loom))]
mod event;
#[cfg(not(loom))]
mod fair;
#[cfg(not(loom))]
mod groups;
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
mod policy;
#[cfg(not(loom))]
mod preemption;
#[cfg(loom)]
pub mod preemption;
#[cfg(not(loom))]
mod queue;
mod resource;
#[cfg(not(loom))]
mod scheduler;
mod shares;
#[cfg(not(any(loom, shuttle)))]
mod sync;
#[cfg(any(loom, shuttle))]
pub mod sync;

pub use clock::{Clock, MonotonicClock, VirtualClock};
pub use id::{ApplicationId, ContainerId, NodeId};
#[cfg(loom)]
pub use id::{Slot, Slots};
pub use policy::{ClusterTotal, OrderKey, Precedence, Schedulable, SchedulingPolicy, ShareInput, Tie};
pub use resource::{Calculator, MAX_TYPES, Resource, ResourceTypes, ResourceTypesError, Unit, UnitError, f64_to_i64};
pub use shares::{Drf, Fair, Fifo};

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
pub use engine::{
    AllocateRequest, Allocation, AmRequest, AppView, Container, ContainerView, EndReason, EndedContainer, Heartbeat,
    HeartbeatProbe, NewAttempt, NodeView, Polled, QueueConfig, QueueView, RunningLimit, Stats, Submission, WakeUp,
};
#[cfg(all(feature = "faults", not(loom)))]
pub use engine::{Audit, Kept};
#[cfg(not(loom))]
pub use event::{AppAccess, LONGEST_NAME, Named, Refused, SchedulerEvent};
#[cfg(not(loom))]
pub use fair::{
    AmShare, AppOutcome, AppVisit, Claim, Decision, KeyOutcome, KeyVisit, NotOffered, NotReserved, Obstacle, PassEnd,
    QueueOutcome, QueueVisit, ReservationOutcome, ReservationVisit,
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
    PreemptionRound, StepOutcome, Stepped, Submitted, Worker,
};

/// The examples of `docs/preemption.md`.
#[cfg(doctest)]
#[doc = include_str!("../../docs/preemption.md")]
struct PreemptionPage;

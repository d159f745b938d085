//! Outcomes: what callers are answered, and what the embedder is told of.
//!
//! Plain values; any thread.

mod access;

mod named;

mod waited;

pub use access::AppAccess;
pub use named::{LONGEST_NAME, Named};
pub(crate) use named::{check_length, check_place};
pub use waited::Waited;

use crate::config::{AllocationsError, Diagnostic};
use crate::id::ApplicationId;
use crate::resource::Resource;
use std::fmt;

/// Why a call was not carried out. Nothing has changed then, except, as in Hadoop, that a refused submission may have
/// created its dynamic queue, or parents of it, that a refused allocation file may have switched the placement rules
/// ([`AllocationsError::installed_placement`]), and what [`Refused::ReloadBrokeOff`] says.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// No placement rule places the application.
    #[error("no placement rule places application {number} of user {user:?} (queue asked for: {queue:?})")]
    Placement {
        /// The application.
        number: u32,
        /// Its user.
        user: String,
        /// What was asked for.
        queue: String,
    },
    /// A placement rule cannot be applied to the submission.
    #[error("no queue for user {user:?} (queue asked for: {queue:?}): {why}")]
    RuleFailed {
        /// Who submits.
        user: String,
        /// What was asked for.
        queue: String,
        /// What the rule needs.
        why: &'static str,
    },
    /// The user's groups, which placement rules may need, are not known.
    #[error("the groups of user {user:?} are not known: {why}; try again")]
    NoGroups {
        /// Who submits.
        user: String,
        /// Why not.
        why: &'static str,
    },
    /// The ResourceManager cannot take the name of the queue that was asked for, wherever the rules place the application.
    #[error("application {number} asks for queue {queue:?}: {why}")]
    QueueNameAtSubmit {
        /// The application.
        number: u32,
        /// What was asked for.
        queue: String,
        /// What is wrong with it, and what would be right.
        why: &'static str,
    },
    /// The ResourceManager's own check of a submission, made where `yarn.acl.enable` is set: before the queue is created,
    /// so of the nearest one that there is.
    #[error(
        "user {user:?} may neither submit to nor administer queue {nearest:?} or a queue above it, and so may not submit to {queue:?}"
    )]
    AclAtSubmit {
        /// The user.
        user: String,
        /// Where the application was placed.
        queue: String,
        /// The nearest queue that there is: itself, or one above it.
        nearest: String,
    },
    /// The user has no right on the application.
    #[error(
        "user {user:?} may not {access} application {app}: neither its owner nor in yarn.admin.acl, nor may administer its queue {queue:?} or a queue above it"
    )]
    AppAcl {
        /// The user.
        user: String,
        /// What was to be done.
        access: AppAccess,
        /// The application.
        app: u32,
        /// Where it is.
        queue: String,
    },
    /// Negative, or above the largest container.
    #[error("{asked} is negative or above the largest container here, {largest}")]
    InvalidResource {
        /// What was asked for.
        asked: Box<Resource>,
        /// What can be had at most.
        largest: Box<Resource>,
    },
    /// No leaf queue can be had under the name.
    #[error("{queue:?} is no leaf queue and cannot become one")]
    NotLeaf {
        /// The name.
        queue: String,
    },
    /// Where rights in plans count, whoever submits an application needs the right to submit reservations.
    #[error("user {user:?} may not submit reservations to queue {queue:?}, and so no application either")]
    ReservationAcl {
        /// The user.
        user: String,
        /// What was asked for.
        queue: String,
    },
    /// A plan cannot be: the allocation file names a class that nobody has.
    #[error("the queues are in force, and no new plan: {why}")]
    PlanClass {
        /// Which, and what there is.
        why: String,
    },
    /// The reservation has no queue: it has not begun, or has ended, or there is none of its name.
    #[error("{reservation} has no queue below plan {plan:?} now; submit to the plan without it")]
    ReservationNotActive {
        /// The reservation's name.
        reservation: String,
        /// The plan.
        plan: String,
    },
    /// The queue of the reservation is below another plan, or the plan was not named by its path.
    #[error("{reservation} has no queue below {plan:?}, but below another plan: submit to that, by its whole path")]
    OtherPlan {
        /// The reservation's name.
        reservation: String,
        /// The plan, as it was named.
        plan: String,
    },
    /// A mapping rule names a queue that is not there and cannot make itself.
    #[error("queue {queue:?} cannot make itself: {why}")]
    NotMade {
        /// The path.
        queue: String,
        /// What stands against it.
        why: String,
    },
    /// A leaf of a managed parent takes only those whom a mapping rule leads there.
    #[error(
        "queue {queue:?} of a managed parent takes only applications that a mapping rule leads there: user {user:?} needs one"
    )]
    OnlyByRule {
        /// The path.
        queue: String,
        /// Who submits.
        user: String,
    },
    /// A mapping rule leads to a leaf of a managed parent by another parent.
    #[error(
        "queue {queue:?} has made itself already, and a mapping rule would have it in {parent:?} for user {user:?}"
    )]
    OtherParent {
        /// The path.
        queue: String,
        /// The parent that the rule names.
        parent: String,
        /// Who submits.
        user: String,
    },
    /// No queue of that name and type can be created.
    #[error(
        "queue {queue:?} cannot be created: it is there with the other type, or a leaf queue or a policy above it stands against it"
    )]
    CannotCreate {
        /// The name.
        queue: String,
    },
    /// A part of a queue name is empty or has white space around it, or there are more than 127 below root.
    #[error(
        "{queue:?} is no queue name: every part between dots must be non-empty and without white space at its ends, and there may be 127 below root"
    )]
    BadQueueName {
        /// The name.
        queue: String,
    },
    /// The user may neither submit to nor administer the queue.
    #[error("user {user:?} may neither submit to nor administer queue {queue:?} or a queue above it")]
    Acl {
        /// The user.
        user: String,
        /// The queue.
        queue: String,
    },
    /// No group of the queue's `acl_application_max_priority` that admits the user has so high a priority.
    #[error(
        "user {user:?} may not give application {app} priority {priority} in queue {queue:?}: no group of its \
         acl_application_max_priority that admits the user goes so high"
    )]
    PriorityAcl {
        /// The application.
        app: u32,
        /// Who submits, or changes it.
        user: String,
        /// The priority, within `yarn.cluster.max-application-priority`.
        priority: i32,
        /// The queue.
        queue: String,
    },
    /// The submission has no priority, and the group of the queue's `acl_application_max_priority` that would give the user's default
    /// has none. Hadoop refuses it with a `NullPointerException`.
    #[error(
        "application {app} has no priority, and in queue {queue:?} acl_application_max_priority has no default_priority where it \
         admits user {user:?}: submit with a priority"
    )]
    NoDefaultPriority {
        /// The application.
        app: u32,
        /// Who submits.
        user: String,
        /// The queue.
        queue: String,
    },
    /// A lifetime that cannot be: at a submission it is more than 0, later not less.
    #[error("application {app}: {seconds} s can be no lifetime: at a submission it is more than 0, later not less")]
    BadLifetime {
        /// The application.
        app: u32,
        /// What was asked for.
        seconds: i64,
    },
    /// The queue's maximum of a resource that is asked for is zero.
    #[error("{asked} asks for a resource of which queue {queue:?} may have nothing")]
    ZeroMax {
        /// What was asked for.
        asked: Box<Resource>,
        /// The queue.
        queue: String,
    },
    /// Several queues have this short name.
    #[error("several queues are named {0:?}: name one by its full path")]
    AmbiguousQueue(String),
    /// The queue, or one above it, takes no applications.
    #[error("queue {0:?} is stopped: it takes no applications")]
    Stopped(String),
    /// All queues together have as many applications as they may.
    #[error("application {0}: there are as many applications as yarn.scheduler.capacity.maximum-applications allows")]
    TooManyApps(u32),
    /// The leaf queue has as many applications as it may.
    #[error("queue {queue:?} has {applications} applications already, as many as it may")]
    QueueFull {
        /// The leaf queue.
        queue: String,
        /// How many it has.
        applications: i64,
    },
    /// The user has as many applications in the leaf queue as one user may.
    #[error(
        "queue {queue:?} has {applications} applications of user {user:?} already, as many as one user may have there"
    )]
    UserFull {
        /// The leaf queue.
        queue: String,
        /// How many he has.
        applications: i64,
        /// The user.
        user: String,
    },
    /// Queues could not be refreshed: the old configuration is in force.
    #[error("{0}")]
    BadConfiguration(String),
    /// An application of this number is there already.
    #[error("application {0} is there already")]
    DuplicateApp(u32),
    /// The application is unknown or has finished.
    #[error("application {0} is unknown or has finished")]
    NoSuchApp(u32),
    /// The application's AM has not been granted its container yet: asks and releases are refused until then, an empty `allocate` is not.
    #[error("the ApplicationMaster of application {0} has no container yet")]
    NoAm(u32),
    /// `*` cannot be blacklisted.
    #[error("`*` cannot be blacklisted: name nodes or racks")]
    InvalidBlacklist,
    /// A node of this name is there already.
    #[error("node {0:?} is there already")]
    DuplicateNode(String),
    /// A name is longer than any that is kept.
    #[error("a {what} name of {bytes} bytes, {begins:?}: at most {LONGEST_NAME} can be had")]
    NameTooLong {
        /// What it names.
        what: Named,
        /// Its beginning.
        begins: String,
        /// Its length.
        bytes: usize,
    },
    /// A name that no node or rack can have.
    #[error("{name:?} can be no {what}'s name: {why}")]
    BadPlaceName {
        /// What it was to name.
        what: Named,
        /// The name.
        name: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The largest container that is to be is negative, or below the smallest.
    #[error(
        "{asked} cannot be the largest container: no amount may be negative, or below that of the smallest, {smallest}"
    )]
    BadMaximum {
        /// What was to be.
        asked: Box<Resource>,
        /// [`Settings::minimum`](crate::Settings::minimum)
        smallest: Box<Resource>,
    },
    /// A node has an amount of a resource type that the scheduler lacks.
    #[error("node {name:?}: {total} has an amount of a resource type that is not there: the scheduler has {types}")]
    UnknownType {
        /// The node's name.
        name: String,
        /// Its total.
        total: Box<Resource>,
        /// How many types there are.
        types: usize,
    },
    /// A node or rack of a request has no number: see `FairScheduler::location`.
    #[error("the request names a node or rack that cannot be: its name is longer than {LONGEST_NAME} bytes")]
    NoLocation,
    /// A node or rack of a request was named by another scheduler's `location`.
    #[error(
        "the request names a node or rack by a location of another scheduler: ask `location` of the one that is called"
    )]
    OthersLocation,
    /// Nodes and racks have had as many different names as can be told apart: 67 million.
    #[error("nodes and racks have had too many different names: use some again, or a new scheduler")]
    TooManyPlaces,
    /// An application has asked under too many different priorities and allocation request ids.
    #[error(
        "application {app} has asked under {asked} different priorities and allocation request ids with this call, and may under \
         {most}: use some again"
    )]
    TooManyKeys {
        /// The application.
        app: u32,
        /// How many it would be.
        asked: usize,
        /// How many it may be, while the attempt lives.
        most: usize,
    },
    /// The node would take the cluster beyond what can be summed.
    #[error("node {name:?}: total {total} is too large beside the other nodes; at most {largest} can be had")]
    ClusterTooLarge {
        /// Its name.
        name: String,
        /// Its total.
        total: Box<Resource>,
        /// What can be had at most.
        largest: Box<Resource>,
    },
    /// The node's total is negative.
    #[error("node {name:?}: total {total} is negative")]
    BadNode {
        /// Its name.
        name: String,
        /// Its total.
        total: Box<Resource>,
    },
    /// The node is unknown or was removed.
    #[error("node {0:?} is unknown or was removed")]
    NoSuchNode(String),
    /// The container never existed, or has ended.
    #[error("container {container} of application {app} never existed or has ended")]
    NoSuchContainer {
        /// The application.
        app: u32,
        /// The container's number.
        container: u32,
    },
    /// A queue that was named is not there, or, as the target of a move, is no leaf queue. At a submission the CapacityScheduler says so;
    /// the FairScheduler makes the queue.
    #[error("{0:?} is not an existing leaf queue")]
    NoSuchQueue(String),
    /// A move would take a queue above its limit of running applications.
    #[error("queue {0:?} has as many running applications as it may")]
    MaxRunning(String),
    /// A move would take a queue above its max share.
    #[error("queue {0:?} would go above its max share")]
    MaxShare(String),
    /// A runnable application would not be runnable in the target of a move.
    #[error("application {0} is runnable and would not be in the target queue: a limit of running applications")]
    NotRunnable(u32),
    /// The allocation file cannot be read or is not valid; the old one stays.
    #[error(transparent)]
    BadAllocations(Box<AllocationsError>),
    /// The new allocation file is in force, but its taking over broke off, as Hadoop's does, at a queue that the file before
    /// named and that is not there: it was never created (its policy did not fit), or another has taken its place. Not all
    /// queues that left the file have become dynamic, `maxChildResources` has not reached the dynamic ones, and no
    /// waiting application was looked at. The next reload makes up for the last two.
    #[error(
        "the new allocations are in force, but the reload broke off at queue {queue:?}, which the file before names and \
         which is not there; reload once more"
    )]
    ReloadBrokeOff {
        /// The queue.
        queue: String,
    },
    /// Nothing is there to be read again.
    #[error(
        "there is no allocation file to be read again: the builder was given none, or it was not found at the start"
    )]
    NoAllocationFile,
    /// Preemption is off.
    #[error("preemption is off (yarn.scheduler.fair.preemption)")]
    PreemptionOff,
    /// The channel that the call needs is full: try again.
    #[error("the scheduler is busy: its channel is full; try again")]
    Busy,
    /// The worker that owns the node, or that the application asks of, has panicked and could not begin anew.
    #[error(
        "worker {0} has panicked and could not begin anew: register its nodes again, and begin a new attempt of the application"
    )]
    WorkerLost(usize),
    /// Every worker has panicked, and none could begin anew.
    #[error("every worker has panicked and none could begin anew: only a new scheduler can go on")]
    NoWorkers,
    /// It was not done in the time that the caller gives, or that the call has; it may still be done later.
    #[error("it was not done in time, and may still be done later")]
    TimedOut,
    /// The call waits for a thread, and is made on it: in a callback of the embedder's, or where a worker is polled.
    #[error(
        "the call would wait for the thread that it is made on (in a callback, or where a worker is polled): make it on another thread"
    )]
    OwnThread,
    /// Code of the embedder's panicked: a policy, a source of allocations, a clock. Nothing is lost, and the call can be made again.
    #[error("{what} panicked: {message}")]
    Panicked {
        /// What was at work.
        what: &'static str,
        /// What it said.
        message: String,
    },
    /// A task of the scheduler's own has panicked and is gone; an event told of it ([`SchedulerEvent::TaskPanicked`]).
    #[error("the scheduler's {task} task has panicked and is gone: only a new scheduler can go on")]
    TaskLost {
        /// As in the event.
        task: &'static str,
    },
    /// The answers were taken before.
    #[error("the answers were taken before")]
    AlreadyTaken,
    /// The scheduler has been shut down.
    #[error("the scheduler has been shut down")]
    ShutDown,
}

impl Refused {
    /// A short word for the kind of refusal.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Refused::Placement { .. } | Refused::RuleFailed { .. } => "placement",
            Refused::NoGroups { .. } => "no-groups",
            Refused::QueueNameAtSubmit { .. } => "queue-name-at-submit",
            Refused::AppAcl { .. } => "app-acl",
            Refused::CannotCreate { .. } => "cannot-create",
            Refused::NotMade { .. } => "not-made",
            Refused::OnlyByRule { .. } => "only-by-rule",
            Refused::OtherParent { .. } => "other-parent",
            Refused::InvalidResource { .. } => "invalid-resource",
            Refused::NotLeaf { .. } => "not-leaf",
            Refused::ReservationAcl { .. } => "reservation-acl",
            Refused::PlanClass { .. } => "plan-class",
            Refused::ReservationNotActive { .. } => "not-active",
            Refused::OtherPlan { .. } => "other-plan",
            Refused::BadQueueName { .. } => "bad-queue-name",
            Refused::Acl { .. } | Refused::AclAtSubmit { .. } => "acl",
            Refused::PriorityAcl { .. } => "priority-acl",
            Refused::NoDefaultPriority { .. } => "no-default-priority",
            Refused::BadLifetime { .. } => "bad-lifetime",
            Refused::ZeroMax { .. } => "zero-max",
            Refused::DuplicateApp(_) => "duplicate-app",
            Refused::NoSuchApp(_) => "no-such-app",
            Refused::NoAm(_) => "no-am",
            Refused::InvalidBlacklist => "invalid-blacklist",
            Refused::DuplicateNode(_) => "duplicate-node",
            Refused::BadNode { .. } => "bad-node",
            Refused::NameTooLong { .. } => "name-too-long",
            Refused::NoLocation => "no-location",
            Refused::OthersLocation => "others-location",
            Refused::TooManyPlaces => "too-many-places",
            Refused::BadPlaceName { .. } => "bad-place-name",
            Refused::BadMaximum { .. } => "bad-maximum",
            Refused::UnknownType { .. } => "unknown-type",
            Refused::TooManyKeys { .. } => "too-many-keys",
            Refused::ClusterTooLarge { .. } => "cluster-too-large",
            Refused::NoSuchNode(_) => "no-such-node",
            Refused::NoSuchContainer { .. } => "no-such-container",
            Refused::NoSuchQueue(_) => "no-such-queue",
            Refused::AmbiguousQueue(_) => "ambiguous-queue",
            Refused::Stopped(_) => "stopped",
            Refused::TooManyApps(_) => "max-applications",
            Refused::QueueFull { .. } => "queue-full",
            Refused::UserFull { .. } => "user-full",
            Refused::BadConfiguration(_) => "bad-configuration",
            Refused::MaxRunning(_) => "max-running",
            Refused::MaxShare(_) => "max-share",
            Refused::NotRunnable(_) => "not-runnable",
            Refused::BadAllocations(_) => "bad-allocations",
            Refused::ReloadBrokeOff { .. } => "reload-broke-off",
            Refused::NoAllocationFile => "no-allocation-file",
            Refused::PreemptionOff => "preemption-off",
            Refused::Busy => "busy",
            Refused::WorkerLost(_) => "worker-lost",
            Refused::NoWorkers => "no-workers",
            Refused::TimedOut => "timed-out",
            Refused::OwnThread => "own-thread",
            Refused::Panicked { .. } => "panicked",
            Refused::TaskLost { .. } => "task-lost",
            Refused::AlreadyTaken => "already-taken",
            Refused::ShutDown => "shut-down",
        }
    }
}

/// `{"kind": …, "message": …}`: [`Refused::kind`], and the sentence.
#[cfg(feature = "serde")]
impl serde::Serialize for Refused {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct as _;
        let mut fields = to.serialize_struct("Refused", 2)?;
        fields.serialize_field("kind", self.kind())?;
        fields.serialize_field("message", &self.to_string())?;
        fields.end()
    }
}

/// What the embedder is told of through the event channel.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub enum SchedulerEvent {
    /// A decommissioning node has no container left; it can be removed.
    NodeDrained(String),
    /// An application has lived as long as it may (`maximum-application-lifetime` and `default-application-lifetime` of its leaf queue, or
    /// what it asked for): it is ended, as by [`kill`](crate::CapacityScheduler::kill).
    LifetimeOver(ApplicationId),
    /// A reservation is over, and its application has moved to the default queue of its plan.
    MovedAsReservationEnded {
        /// The application.
        app: ApplicationId,
        /// Where it is now.
        queue: String,
    },
    /// A reservation is over, and its application could not move, or was not to: it is ended, as by [`kill`](crate::FairScheduler::kill).
    KilledAsReservationEnded(ApplicationId),
    /// A worker panicked. Its nodes are lost: what ran on them has ended
    /// ([`EndReason::NodeLost`](crate::EndReason::NodeLost)), and they have left the cluster and may register again.
    WorkerPanicked {
        /// The worker.
        worker: usize,
        /// What it said.
        message: String,
        /// The names of its nodes.
        nodes: Vec<String>,
        /// It has begun anew: its applications keep their asks, and nodes that register may be given to it. Else it panicked
        /// once more meanwhile and is given up: nodes go to the others, and calls with asks of its applications are refused
        /// ([`Refused::WorkerLost`]) until a new attempt begins.
        goes_on: bool,
    },
    /// An allocation file was read and is in force: at the start, because it had changed, or because a refresh was asked
    /// for.
    AllocationsLoaded {
        /// The source's name.
        source: String,
        /// What was accepted, as Hadoop accepts it, but is probably a mistake.
        warnings: Vec<Diagnostic>,
    },
    /// The allocation file could not be read or is not valid: what was in force stays, except perhaps the placement rules
    /// ([`AllocationsError::installed_placement`]). It is tried again at every look; the same error of an unchanged file is
    /// told of once.
    AllocationsRefused(AllocationsError),
    /// The allocation file is in force, but not all of it was carried out; see [`Refused::ReloadBrokeOff`].
    AllocationsBrokeOff {
        /// The source's name.
        source: String,
        /// Where it broke off.
        queue: String,
    },
    /// The control, update, preemption, async allocation, continuous scheduling or watching thread panicked, perhaps in code of the embedder's (groups, clock,
    /// policy, source of allocations). The update task and the watcher begin anew, and the control goes on where a policy of the embedder's
    /// panicked: steady shares stay as they were. Of all else that panics in the control it ends, and further calls are
    /// refused ([`Refused::TaskLost`]).
    TaskPanicked {
        /// `control`, `update`, `preemption`, `offers`, `continuous` or `watcher`.
        task: &'static str,
        /// What it said.
        message: String,
    },
    /// So many events were dropped because the embedder had not taken the earlier ones: see
    /// [`event_capacity`](crate::FairSchedulerBuilder::event_capacity).
    EventsDropped(u64),
}

/// A sentence for a log.
impl fmt::Display for SchedulerEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SchedulerEvent::NodeDrained(node) => write!(f, "node {node:?} is drained"),
            SchedulerEvent::LifetimeOver(app) => write!(f, "{app} has exceeded its lifetime and is ended"),
            SchedulerEvent::MovedAsReservationEnded { app, queue } => {
                write!(f, "{app} goes on in queue {queue:?}: its reservation is over")
            }
            SchedulerEvent::KilledAsReservationEnded(app) => {
                write!(f, "{app} is ended: its reservation is over, and it could not move")
            }
            SchedulerEvent::WorkerPanicked { worker, message, nodes, goes_on } => {
                let after = if *goes_on { "begins anew" } else { "is given up" };
                write!(f, "worker {worker} panicked ({message}), {after}, and has lost its {} nodes", nodes.len())
            }
            SchedulerEvent::AllocationsLoaded { source, warnings } => {
                write!(f, "{source} is in force, with {} warnings", warnings.len())
            }
            SchedulerEvent::AllocationsRefused(error) => write!(f, "the old allocations stay: {error}"),
            SchedulerEvent::AllocationsBrokeOff { source, queue } => {
                write!(f, "{source} is in force, but taking it over broke off at queue {queue:?}")
            }
            SchedulerEvent::TaskPanicked { task, message } => write!(f, "the {task} task panicked: {message}"),
            SchedulerEvent::EventsDropped(events) => write!(f, "{events} events were dropped"),
        }
    }
}

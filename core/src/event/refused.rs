//! Why a call is refused.

use super::access::AppAccess;
use super::named::LONGEST_NAME;
use super::named::Named;
use crate::config::AllocationsError;
use crate::resource::Resource;

/// Why a call was refused. A refused call has changed nothing, with these exceptions, all but the last as in Hadoop:
///
/// - A refused submission may have created its dynamic queue, or parents of it. So may [`Refused::CannotCreate`] of any
///   call: the parents above the obstacle stay.
/// - A refused allocation file may have switched the placement rules ([`AllocationsError::installed_placement`]).
/// - [`Refused::ReloadBrokeOff`] and [`Refused::PlanClass`]: the new queues are in force.
/// - [`Refused::TimedOut`]: the call may still be done later.
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
        /// The queue that the submission names.
        queue: String,
    },
    /// A placement rule cannot be applied to the submission.
    #[error("no queue for user {user:?} (queue asked for: {queue:?}): {why}")]
    RuleFailed {
        /// The user who submits.
        user: String,
        /// The queue that the submission names.
        queue: String,
        /// What the rule needs.
        why: &'static str,
    },
    /// The user's groups, which placement rules may need, are not known.
    #[error("the groups of user {user:?} are not known: {why}; try again")]
    NoGroups {
        /// The user who submits.
        user: String,
        /// Why the groups are not known.
        why: &'static str,
    },
    /// The ResourceManager refuses the name of the requested queue, wherever the rules place the application.
    #[error("application {number} asks for queue {queue:?}: {why}")]
    QueueNameAtSubmit {
        /// The application.
        number: u32,
        /// The requested name.
        queue: String,
        /// What is wrong with it, and what would be right.
        why: &'static str,
    },
    /// The ResourceManager's own check of a submission, with `yarn.acl.enable`. It comes before the queue is created,
    /// and so checks the nearest existing queue.
    #[error(
        "user {user:?} may neither submit to nor administer queue {nearest:?} or a queue above it, and so may not submit to {queue:?}"
    )]
    AclAtSubmit {
        /// The user.
        user: String,
        /// The queue in which the application was placed.
        queue: String,
        /// The nearest existing queue: `queue`, or a queue above it.
        nearest: String,
    },
    /// The user has no right on the application.
    #[error(
        "user {user:?} may not {access} application {app}: neither its owner nor in yarn.admin.acl, nor may administer its queue {queue:?} or a queue above it"
    )]
    AppAcl {
        /// The user.
        user: String,
        /// The right that the call needs.
        access: AppAccess,
        /// The application.
        app: u32,
        /// The application's queue.
        queue: String,
    },
    /// A requested resource is negative, or above the largest container.
    #[error("{asked} is negative or above the largest container here, {largest}")]
    InvalidResource {
        /// The requested resource.
        asked: Box<Resource>,
        /// The largest container.
        largest: Box<Resource>,
    },
    /// The name is not that of a leaf queue, and no leaf queue can be made under it.
    #[error("{queue:?} is no leaf queue and cannot become one")]
    NotLeaf {
        /// The name.
        queue: String,
    },
    /// With reservation ACLs switched on, a user who submits an application needs the right to submit reservations.
    #[error("user {user:?} may not submit reservations to queue {queue:?}, and so no application either")]
    ReservationAcl {
        /// The user.
        user: String,
        /// The queue.
        queue: String,
    },
    /// The new queues are in force, but a new plan could not be made: the configuration names an unknown class.
    #[error("the queues are in force, and no new plan: {why}")]
    PlanClass {
        /// The class, and the known ones.
        why: String,
    },
    /// The reservation has no queue: it has not begun, it has ended, or it does not exist.
    #[error("{reservation} has no queue below plan {plan:?} now; submit to the plan without it")]
    ReservationNotActive {
        /// The reservation's name.
        reservation: String,
        /// The plan.
        plan: String,
    },
    /// The queue of the reservation is below another plan, or the submission names the plan by its short name.
    #[error("{reservation} has a queue, but not below {plan:?}: name the plan of the reservation, by its full path")]
    OtherPlan {
        /// The reservation's name.
        reservation: String,
        /// The plan, as it was named.
        plan: String,
    },
    /// A mapping rule names a queue that does not exist and cannot be created.
    #[error("queue {queue:?} cannot be made automatically: {why}")]
    NotMade {
        /// The path.
        queue: String,
        /// The reason.
        why: String,
    },
    /// A leaf queue of a managed parent accepts only applications that a mapping rule places there.
    #[error(
        "queue {queue:?} of a managed parent takes only applications that a mapping rule leads there: user {user:?} needs one"
    )]
    OnlyByRule {
        /// The path.
        queue: String,
        /// The user who submits.
        user: String,
    },
    /// A mapping rule places in a leaf queue of a managed parent, and names another parent.
    #[error(
        "queue {queue:?} has made itself already, and a mapping rule would have it in {parent:?} for user {user:?}"
    )]
    OtherParent {
        /// The path.
        queue: String,
        /// The parent that the rule names.
        parent: String,
        /// The user who submits.
        user: String,
    },
    /// A queue of that name and type cannot be created.
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
        /// The user who submits the application, or changes its priority.
        user: String,
        /// The priority, within `yarn.cluster.max-application-priority`.
        priority: i32,
        /// The queue.
        queue: String,
    },
    /// The submission has no priority, and the group of the queue's `acl_application_max_priority` that admits the user
    /// has no `default_priority`. Hadoop refuses it with a `NullPointerException`.
    #[error(
        "application {app} has no priority, and in queue {queue:?} acl_application_max_priority has no default_priority where it \
         admits user {user:?}: submit with a priority"
    )]
    NoDefaultPriority {
        /// The application.
        app: u32,
        /// The user who submits.
        user: String,
        /// The queue.
        queue: String,
    },
    /// The lifetime is not valid: at a submission it must be above 0, later at least 0.
    #[error(
        "application {app}: {seconds} s is not a valid lifetime: give more than 0 at a submission, and at least 0 later"
    )]
    BadLifetime {
        /// The application.
        app: u32,
        /// The requested lifetime.
        seconds: i64,
    },
    /// The queue's maximum of a requested resource type is zero.
    #[error("{asked} asks for a resource of which queue {queue:?} may have nothing")]
    ZeroMax {
        /// The requested resource.
        asked: Box<Resource>,
        /// The queue.
        queue: String,
    },
    /// Several queues have this short name.
    #[error("several queues are named {0:?}: name one by its full path")]
    AmbiguousQueue(String),
    /// The queue, or a queue above it, is stopped.
    #[error("queue {0:?} is stopped: it takes no applications")]
    Stopped(String),
    /// All queues together have as many applications as allowed.
    #[error("application {0}: there are as many applications as yarn.scheduler.capacity.maximum-applications allows")]
    TooManyApps(u32),
    /// The leaf queue has as many applications as allowed.
    #[error("queue {queue:?} has {applications} applications already, as many as it may")]
    QueueFull {
        /// The leaf queue.
        queue: String,
        /// How many it has.
        applications: i64,
    },
    /// The user has as many applications in the leaf queue as a user may have.
    #[error(
        "queue {queue:?} has {applications} applications of user {user:?} already, as many as one user may have there"
    )]
    UserFull {
        /// The leaf queue.
        queue: String,
        /// How many the user has.
        applications: i64,
        /// The user.
        user: String,
    },
    /// The new configuration is not valid: the old one stays in force.
    #[error("{0}")]
    BadConfiguration(String),
    /// A change of node labels is refused; in Hadoop's words.
    #[error("{0}")]
    BadLabels(String),
    /// An ask names a label that it may not; in Hadoop's words.
    #[error("{0}")]
    InvalidLabel(String),
    /// The application has asked for nodes of labels that the queue may not use; in Hadoop's words.
    #[error("{0}")]
    LabelAccess(String),
    /// An application with this number already exists.
    #[error("application {0} already exists")]
    DuplicateApp(u32),
    /// The application is unknown or has ended.
    #[error("application {0} is unknown or has finished")]
    NoSuchApp(u32),
    /// The application's AM has no container yet. Until it is granted, asks and releases are refused; an empty
    /// `allocate` is accepted.
    #[error("the ApplicationMaster of application {0} has no container yet")]
    NoAm(u32),
    /// `*` cannot be blacklisted.
    #[error("`*` cannot be blacklisted: name nodes or racks")]
    InvalidBlacklist,
    /// A node with this name is already registered.
    #[error("node {0:?} is already registered")]
    DuplicateNode(String),
    /// A name is too long.
    #[error("a {what} name of {bytes} bytes, {begins:?}: give at most {LONGEST_NAME}")]
    NameTooLong {
        /// The kind of thing that the name is for.
        what: Named,
        /// The beginning of the name.
        begins: String,
        /// The length of the name.
        bytes: usize,
    },
    /// The name of a node or rack is not valid.
    #[error("{name:?} is not a valid {what} name: {why}")]
    BadPlaceName {
        /// The kind of thing that the name is for.
        what: Named,
        /// The name.
        name: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The new largest container is negative, or below the smallest.
    #[error(
        "{asked} cannot be the largest container: no amount may be negative, or below that of the smallest, {smallest}"
    )]
    BadMaximum {
        /// The requested largest container.
        asked: Box<Resource>,
        /// [`Settings::minimum`](crate::Settings::minimum)
        smallest: Box<Resource>,
    },
    /// A node has an amount of an unknown resource type.
    #[error("node {name:?}: {total} has an amount of an unknown resource type: the scheduler has {types} types")]
    UnknownType {
        /// The node's name.
        name: String,
        /// Its total.
        total: Box<Resource>,
        /// How many types there are.
        types: usize,
    },
    /// The name of a node or rack in a request was too long: see `FairScheduler::location`.
    #[error("the request names a node or rack whose name is longer than {LONGEST_NAME} bytes")]
    NoLocation,
    /// A location in a request was made by another scheduler's `location`.
    #[error(
        "the request names a node or rack by a location of another scheduler: ask `location` of the one that is called"
    )]
    OthersLocation,
    /// Nodes and racks have had too many different names: 67 million.
    #[error("nodes and racks have had too many different names: use some again, or a new scheduler")]
    TooManyPlaces,
    /// An application has used too many different priorities and allocation request ids.
    #[error(
        "application {app} has asked under {asked} different priorities and allocation request ids with this call, and may under \
         {most}: use some again"
    )]
    TooManyKeys {
        /// The application.
        app: u32,
        /// How many different ones there would be with this call.
        asked: usize,
        /// How many there may be while the attempt lives.
        most: usize,
    },
    /// With this node the cluster would have more than 2<sup>60</sup> of a resource type.
    #[error("node {name:?}: total {total} is too large beside the other nodes: give at most {largest}")]
    ClusterTooLarge {
        /// Its name.
        name: String,
        /// Its total.
        total: Box<Resource>,
        /// The largest total that is possible.
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
    /// The queue does not exist, or, as the target of a move, is not a leaf queue. At a submission only the
    /// CapacityScheduler refuses with this; the FairScheduler makes the queue.
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
    /// The allocation file cannot be read or is not valid: the old one stays in force.
    #[error(transparent)]
    BadAllocations(Box<AllocationsError>),
    /// The new allocation file is in force, but the reload stopped at a queue, as in Hadoop. The old file names a queue
    /// that does not exist: it was never created (its policy did not fit), or another queue has taken its place.
    ///
    /// So not all queues that left the file have become dynamic, `maxChildResources` does not yet apply to the dynamic
    /// ones, and no waiting application was started. The next reload does the last two.
    #[error(
        "the new allocations are in force, but the reload stopped at queue {queue:?}, which the old file names and \
         which does not exist; reload once more"
    )]
    ReloadBrokeOff {
        /// The queue.
        queue: String,
    },
    /// There is no file to read again.
    #[error("there is no allocation file to read again: the builder was given none, or it was not found at the start")]
    NoAllocationFile,
    /// Preemption is off.
    #[error("preemption is off (yarn.scheduler.fair.preemption)")]
    PreemptionOff,
    /// The channel that the call needs is full: make the call again.
    #[error("the scheduler is busy: its channel is full; try again")]
    Busy,
    /// The worker that owns the node, or the application's home worker, has panicked and could not begin anew.
    #[error(
        "worker {0} has panicked and could not begin anew: register its nodes again, and begin a new attempt of the application"
    )]
    WorkerLost(usize),
    /// Every worker has panicked, and none could begin anew.
    #[error("every worker has panicked and none could begin anew: only a new scheduler can go on")]
    NoWorkers,
    /// The call was not done within its time limit. It may still be done later.
    #[error("it was not done in time, and may still be done later")]
    TimedOut,
    /// The call would wait for the thread on which it is made: in a callback, or where a worker is polled.
    #[error(
        "the call would wait for the thread that it is made on (in a callback, or where a worker is polled): make it on another thread"
    )]
    OwnThread,
    /// Code of the embedder panicked: a policy, a source of allocations, or a clock. Nothing is lost, and the call can
    /// be made again.
    #[error("{what} panicked: {message}")]
    Panicked {
        /// The code that panicked.
        what: &'static str,
        /// The message of the panic.
        message: String,
    },
    /// A task of the scheduler has panicked and ended. The event
    /// [`SchedulerEvent::TaskPanicked`](crate::SchedulerEvent::TaskPanicked) reported it.
    #[error("the scheduler's {task} task has panicked and is gone: only a new scheduler can go on")]
    TaskLost {
        /// As in the event.
        task: &'static str,
    },
    /// The answers were already taken.
    #[error("the answers were already taken")]
    AlreadyTaken,
    /// The scheduler has been shut down.
    #[error("the scheduler has been shut down")]
    ShutDown,
}

impl Refused {
    /// The kind of the refusal: a short, stable word.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Refused::Placement { .. } | Refused::RuleFailed { .. } => "placement",
            Refused::NoGroups { .. } => "no-groups",
            Refused::QueueNameAtSubmit { .. } => "queue-name-at-submit",
            Refused::Acl { .. } | Refused::AclAtSubmit { .. } => "acl",
            Refused::AppAcl { .. } => "app-acl",
            Refused::InvalidResource { .. } => "invalid-resource",
            Refused::NotLeaf { .. } => "not-leaf",
            Refused::ReservationAcl { .. } => "reservation-acl",
            Refused::PlanClass { .. } => "plan-class",
            Refused::ReservationNotActive { .. } => "not-active",
            Refused::OtherPlan { .. } => "other-plan",
            Refused::NotMade { .. } => "not-made",
            Refused::OnlyByRule { .. } => "only-by-rule",
            Refused::OtherParent { .. } => "other-parent",
            Refused::CannotCreate { .. } => "cannot-create",
            Refused::BadQueueName { .. } => "bad-queue-name",
            Refused::PriorityAcl { .. } => "priority-acl",
            Refused::NoDefaultPriority { .. } => "no-default-priority",
            Refused::BadLifetime { .. } => "bad-lifetime",
            Refused::ZeroMax { .. } => "zero-max",
            Refused::AmbiguousQueue(_) => "ambiguous-queue",
            Refused::Stopped(_) => "stopped",
            Refused::TooManyApps(_) => "max-applications",
            Refused::QueueFull { .. } => "queue-full",
            Refused::UserFull { .. } => "user-full",
            Refused::BadConfiguration(_) => "bad-configuration",
            Refused::BadLabels(_) => "bad-labels",
            Refused::InvalidLabel(_) => "invalid-label",
            Refused::LabelAccess(_) => "label-access",
            Refused::DuplicateApp(_) => "duplicate-app",
            Refused::NoSuchApp(_) => "no-such-app",
            Refused::NoAm(_) => "no-am",
            Refused::InvalidBlacklist => "invalid-blacklist",
            Refused::DuplicateNode(_) => "duplicate-node",
            Refused::NameTooLong { .. } => "name-too-long",
            Refused::BadPlaceName { .. } => "bad-place-name",
            Refused::BadMaximum { .. } => "bad-maximum",
            Refused::UnknownType { .. } => "unknown-type",
            Refused::NoLocation => "no-location",
            Refused::OthersLocation => "others-location",
            Refused::TooManyPlaces => "too-many-places",
            Refused::TooManyKeys { .. } => "too-many-keys",
            Refused::ClusterTooLarge { .. } => "cluster-too-large",
            Refused::BadNode { .. } => "bad-node",
            Refused::NoSuchNode(_) => "no-such-node",
            Refused::NoSuchContainer { .. } => "no-such-container",
            Refused::NoSuchQueue(_) => "no-such-queue",
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

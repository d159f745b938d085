//! A scheduler with threads: the calls that both schedulers have.
//!
//! # Where it stands
//! Bodies run on the caller's thread: they send to the scheduler's threads, and those that wait say for whom. What one
//! of the two schedulers does in its own way is [`Driven`](super::policy::Driven)'s; calls that only one has are in
//! `fair` and `capacity`.

use super::calls::fetch;
use super::door::{Door, NotSent};
use super::handles::{AppHandle, NodeHandle};
use super::inner::Inner;
use super::journal::{AllocatedView, Journal, Standing, reservation_views};
use super::policy::{Fair, Policy};
use super::preemption_round::PreemptionRound;
use super::submitted::Submitted;
use crate::app::Location;
use crate::capacity::SubmitTerms;
use crate::clock::Patience;
use crate::config::{Diagnostic, QueueAccess};
use crate::engine::intake::to_control::Call;
use crate::engine::shard::Shard;
use crate::engine::{
    AllocateRequest, Allocation, ContainerCounts, ContainerView, Heartbeat, NewAttempt, NewNode, NodeView,
    RecoveredContainer, RequestView, Submission, ask_workers, headroom, node_view, prefetch_calls,
};
#[cfg(doc)]
use crate::event::refused::*;
use crate::event::{AppAccess, Refused, SchedulerEvent};
use crate::id::{ContainerId, ContainerName, NodeId};
use crate::resource::Resource;
use crate::resource::sorted;
use crate::sync::{Arc, Weak};
use std::fmt;
use std::time::Duration;

/// A scheduler on threads of its own: a [`FairScheduler`](crate::FairScheduler) or a
/// [`CapacityScheduler`](crate::CapacityScheduler).
///
/// The threads: the workers, which own the nodes; the control; and those that only one of the two has.
///
/// This type is a handle: clone it, send it and share it. The scheduler shuts down when the last handle is dropped. The
/// drop waits for the shutdown, except on one of the scheduler's own threads, in a callback.
///
/// Code for both is generic over `P`:
///
/// ```
/// use evenweave::{AllocateRequest, Allocation, Ask, Heartbeat, Policy, Refused, Resource, Scheduler, Submission};
///
/// /// Two containers on one node, whichever scheduler decides.
/// fn two<P: Policy>(scheduler: &Scheduler<P>) -> Result<usize, Box<dyn std::error::Error>> {
///     let node = scheduler.add_node("n1", "/r1", Resource::new(8192, 8))?;
///     let app = scheduler.submit(Submission::new(1, "ann"))?;
///     let mut answer = Allocation::default();
///     scheduler.allocate(&app, &AllocateRequest::new([Ask::anywhere(1, Resource::new(1024, 1), 2)]), &mut answer)?;
///     scheduler.quiesce()?; // asks travel
///     scheduler.update_now()?; // of a FairScheduler new demand counts from the next update on
///     for _ in 0..2 {
///         scheduler.heartbeat(Heartbeat::new(&node))?;
///     }
///     scheduler.quiesce()?;
///     scheduler.allocate(&app, &AllocateRequest::default(), &mut answer)?;
///     scheduler.shutdown()?;
///     Ok(answer.granted.len())
/// }
///
/// use evenweave::{CapacityConfiguration, CapacityScheduler, FairScheduler};
/// let queues = [
///     ("yarn.scheduler.capacity.root.queues", "default"),
///     ("yarn.scheduler.capacity.root.default.capacity", "100"),
/// ];
/// assert_eq!(two(&FairScheduler::builder().start()?)?, 2);
/// assert_eq!(two(&CapacityScheduler::builder(CapacityConfiguration::from_properties([], queues)?).start()?)?, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Scheduler<P: Policy> {
    pub(super) inner: Arc<Inner<P>>,
}

impl<P: Policy> Clone for Scheduler<P> {
    fn clone(&self) -> Self {
        Scheduler { inner: self.inner.clone() }
    }
}

impl<P: Policy> fmt::Debug for Scheduler<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scheduler").field("shared", &self.inner.door.shared).finish_non_exhaustive()
    }
}

/// A handle that keeps no scheduler alive: for callbacks of the embedder's that are given to it, such as a wake-up. One
/// in there that owned a [`Scheduler`] would keep it, and itself, for ever.
pub struct WeakScheduler<P: Policy = Fair>(pub(super) Weak<Inner<P>>);

impl<P: Policy> Clone for WeakScheduler<P> {
    fn clone(&self) -> Self {
        WeakScheduler(self.0.clone())
    }
}

impl<P: Policy> fmt::Debug for WeakScheduler<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WeakScheduler(_)")
    }
}

impl<P: Policy> WeakScheduler<P> {
    /// The scheduler, while somebody else has a handle.
    #[must_use]
    pub fn upgrade(&self) -> Option<Scheduler<P>> {
        self.0.upgrade().map(|inner| Scheduler { inner })
    }
}

impl<P: Policy> Scheduler<P> {
    pub(super) fn of(door: Door<P::Decider>, own: P::Lanes) -> Scheduler<P> {
        Scheduler { inner: Arc::new(Inner { door, own }) }
    }

    pub(super) fn door(&self) -> &Door<P::Decider> {
        &self.inner.door
    }
}

/// # Nodes
impl<P: Policy> Scheduler<P> {
    /// Registers a node with its name, its rack and its total (memory in MiB, vcores, further types). Waits for the
    /// control.
    ///
    /// # Errors
    /// [`AlreadyExists::Node`], [`Invalid::LongName`], [`Invalid::PlaceName`], [`Limit::TooManyPlaces`] of its names;
    /// [`Invalid::NodeTotal`], [`Invalid::UnknownType`], [`Limit::ClusterTooLarge`] of its total; [`Gone::AllWorkers`];
    /// [`Invalid::OwnThread`], [`Gone::Task`], [`Gone::ShutDown`].
    pub fn add_node(&self, name: &str, rack: &str, total: Resource) -> Result<NodeHandle, Refused> {
        self.door().add_node(name, rack, total)
    }

    /// Registers a node together with the containers that run on it, after a restart of the ResourceManager: no
    /// heartbeat and no round of scheduling finds the node without them. Returns the node, and for each container, in
    /// their order, what [`recover_container`](Self::recover_container) would: its id, or why it is not taken over.
    /// Waits for the control and the node's worker.
    ///
    /// Follows `NODE_ADDED` of Hadoop's schedulers, which hold their lock over both.
    ///
    /// # Errors
    /// Those of [`add_node`](Self::add_node). Then no container is taken over.
    pub fn add_node_with_containers(
        &self,
        name: &str,
        rack: &str,
        total: Resource,
        running: Vec<(AppHandle, RecoveredContainer)>,
    ) -> Result<(NodeHandle, Vec<Result<ContainerId, Refused>>), Refused> {
        self.door().add_node_with(NewNode::new(name, rack, total), running)
    }

    /// Registers a node with all that may be told of it, together with the containers that run on it. As
    /// [`add_node_with_containers`](Self::add_node_with_containers), with the port of its NodeManager.
    ///
    /// # Errors
    /// Those of [`add_node`](Self::add_node). Then no container is taken over.
    pub fn register_node(
        &self,
        node: NewNode,
        running: Vec<(AppHandle, RecoveredContainer)>,
    ) -> Result<(NodeHandle, Vec<Result<ContainerId, Refused>>), Refused> {
        self.door().add_node_with(node, running)
    }

    /// Removes a node. Its containers end as [`NodeLost`](crate::EndReason::NodeLost), and its reservation ends. Waits
    /// for the control and the node's worker.
    ///
    /// # Errors
    /// [`NotFound::Node`] if it is already removed; [`Invalid::OwnThread`], [`Gone::Task`], [`Gone::ShutDown`].
    pub fn remove_node(&self, node: &NodeHandle) -> Result<(), Refused> {
        self.door().call_workers(|reply| Call::RemoveNode(node.0.clone(), reply))?
    }

    /// Changes the total of a node. Nothing is killed: if more runs than the new total, the free room is negative until
    /// containers end. Waits for the control.
    ///
    /// # Errors
    /// [`NotFound::Node`] if it is removed; [`Invalid::NodeTotal`], [`Invalid::UnknownType`],
    /// [`Limit::ClusterTooLarge`] of the total; [`Invalid::OwnThread`], [`Gone::Task`], [`Gone::ShutDown`].
    pub fn resize_node(&self, node: &NodeHandle, total: Resource) -> Result<(), Refused> {
        self.door().resize_node(node, total, false)
    }

    /// Empties a node gracefully. Waits for the control.
    ///
    /// From its next heartbeat on the node's total follows what still runs, so nothing new fits. When nothing runs, the
    /// event [`SchedulerEvent::NodeDrained`] comes.
    ///
    /// As in Hadoop the next heartbeat still assigns what is free at that moment. Containers above the new total then
    /// end at once ([`EndReason::Preempted`](crate::EndReason::Preempted)).
    ///
    /// # Errors
    /// [`NotFound::Node`] if it is removed; [`Invalid::OwnThread`], [`Gone::Task`], [`Gone::ShutDown`].
    pub fn decommission_node(&self, node: &NodeHandle) -> Result<(), Refused> {
        self.door().decommission_node(node)
    }

    /// Keeps a decommissioning node: it gets back the total that it had before. Does nothing for any other node. Waits
    /// for the control.
    ///
    /// Follows `RMNodeImpl.RecommissionNodeTransition`.
    ///
    /// # Errors
    /// [`NotFound::Node`] if it is removed; [`Invalid::OwnThread`], [`Gone::Task`], [`Gone::ShutDown`].
    pub fn recommission_node(&self, node: &NodeHandle) -> Result<(), Refused> {
        self.door().recommission_node(node)
    }

    /// Sends a node's report to the worker that owns the node. Never waits. The worker offers the node when it
    /// processes the report.
    ///
    /// # Errors
    /// [`TryAgain::Busy`], [`Gone::Worker`], [`Gone::ShutDown`], or [`NotFound::Node`] if the node was removed: the
    /// heartbeat comes back.
    pub fn heartbeat(&self, heartbeat: Heartbeat) -> Result<(), Box<NotSent<Heartbeat>>> {
        self.door().heartbeat(heartbeat)
    }

    /// Sends many reports, in one message to each worker. Never waits. It is several times cheaper than single calls of
    /// [`heartbeat`](Self::heartbeat). Reports of removed nodes are accepted and ignored.
    ///
    /// # Errors
    /// [`TryAgain::Busy`], [`Gone::Worker`], [`Gone::ShutDown`], of one of the workers: the heartbeats for it come
    /// back, the others were taken.
    pub fn heartbeats(&self, heartbeats: Vec<Heartbeat>) -> Result<(), Box<NotSent<Vec<Heartbeat>>>> {
        self.door().heartbeats(heartbeats)
    }

    /// The location for a node or rack name, for asks and blacklists. `*` is [`Location::ANY`](crate::Location::ANY). A
    /// name keeps its number while the scheduler lives. A name longer than [`LONGEST_NAME`](crate::event::LONGEST_NAME)
    /// bytes gives [`Location::NOWHERE`](crate::Location::NOWHERE). The scheduler keeps at most 128 MiB of names
    /// without a node or rack. All further such names give one location without a node.
    #[must_use]
    pub fn location(&self, name: &str) -> Location {
        self.door().location(name)
    }
}

/// # Applications and their masters
impl<P: Policy> Scheduler<P> {
    /// Submits an application with its first attempt. Waits for the control.
    ///
    /// The container of a managed AM is the first that [`allocate`](Self::allocate) returns. The ResourceManager
    /// fetches it and lets its node start it.
    ///
    /// # Errors
    /// [`AlreadyExists::App`]; [`Invalid::LongName`], [`NoQueue::NameAtSubmit`], [`NoQueue::BadName`] of its names;
    /// [`NoQueue::NoRule`], [`NoQueue::RuleFailed`], [`TryAgain::NoGroups`], [`NoQueue::NotLeaf`] of its placement;
    /// [`Denied::Submit`], [`Denied::Queue`] of rights; [`Invalid::Resource`], [`Limit::ZeroMax`],
    /// [`Invalid::NoLocation`], [`Invalid::OthersLocation`] of the AM's request; [`Gone::AllWorkers`],
    /// [`TryAgain::Panicked`] (the clock); [`Invalid::OwnThread`], [`Gone::Task`], [`Gone::ShutDown`].
    pub fn submit(&self, submission: Submission) -> Result<AppHandle, Refused> {
        self.door().call(|reply| Call::Submit(Box::new(submission), reply))?.map(AppHandle)
    }

    /// As [`submit`](Self::submit), with everything else that a submission may ask for. Waits for the control.
    ///
    /// As in Hadoop a FairScheduler has no priorities of applications, and none of workflows: it takes no notice of the
    /// terms' priority and tags. It refuses a lifetime.
    ///
    /// # Errors
    /// Those of [`submit`](Self::submit), and [`Invalid::Lifetime`].
    pub fn submit_with(&self, submission: Submission, terms: SubmitTerms) -> Result<AppHandle, Refused> {
        P::check_terms(&submission, &terms)?;
        self.door().call(|reply| P::submits(submission, terms, reply))?.map(AppHandle)
    }

    /// Returns the answer to a submission without submitting it: the full name of the leaf queue that the application
    /// would enter. The queue is made if it does not exist. Waits for the control.
    ///
    /// For ResourceManagers that accept an application before its first attempt begins. Submit the attempt later as
    /// [accepted](Submission::accepted_in).
    ///
    /// # Errors
    /// Those of [`submit_with`](Self::submit_with).
    pub fn accept(&self, submission: Submission, terms: SubmitTerms) -> Result<String, Refused> {
        P::check_terms(&submission, &terms)?;
        self.door().decide(move |control| P::accept(control, &submission, terms))?
    }

    /// Submits many applications in one message. Does not wait: [`Submitted`] gives the answers.
    ///
    /// # Errors
    /// [`TryAgain::Busy`], [`Gone::Task`], [`Gone::ShutDown`].
    pub fn submit_all(&self, submissions: Vec<Submission>) -> Result<Submitted, Refused> {
        let answers = self.door().begin(|reply| Call::SubmitAll(submissions, reply))?;
        Ok(Submitted::new(answers, self.downgrade().0))
    }

    /// Starts another attempt of an application whose attempt has failed, in the same queue. Waits for the control and
    /// all workers.
    ///
    /// - The containers of the old attempt end. With [`NewAttempt::keep_containers`] those that run are handed over;
    ///   [`AppHandle::kept_containers`] lists them.
    /// - The outstanding asks of the old attempt, and what the old AM has not fetched, are dropped.
    /// - The new attempt is the youngest of its queue. Its containers are numbered from 1.
    /// - Calls with the old handle are refused from now on.
    ///
    /// # Errors
    /// [`NotFound::App`] if the application has ended; [`Invalid::Resource`], [`Limit::ZeroMax`],
    /// [`Invalid::NoLocation`], [`Invalid::OthersLocation`] of the new AM's request: then, where containers were to be
    /// kept, nothing has changed; otherwise the application has ended too. [`Gone::AllWorkers`], [`TryAgain::Panicked`]
    /// (the clock), [`Invalid::OwnThread`]; when the scheduler has been shut down.
    pub fn new_attempt(&self, app: &AppHandle, new: NewAttempt) -> Result<AppHandle, Refused> {
        self.door().new_attempt(app, new)
    }

    /// Takes over a container that runs already, after a restart of the ResourceManager: a node that registers reports
    /// it. Waits for the control and the node's worker.
    ///
    /// The container is charged to the node, the application and its queues, whatever their limits are. It gets an id,
    /// and ends like any other. Its AM has it already, so no answer of `allocate` contains it. Its size may be above
    /// the largest container and above what the node has. But all that nodes have and all that was taken over on them
    /// stay within 2<sup>60</sup> of each type.
    ///
    /// Submit the application first, as [recovered](crate::Submission::recovered_in), with an AM that
    /// [runs](crate::AmRequest::running). If the application or attempt of a container is over, do not recover the
    /// container, but stop it. The scheduler does not do this.
    ///
    /// Follows `AbstractYarnScheduler.recoverContainersOnNode`.
    ///
    /// # Errors
    /// [`NotFound::App`], [`NotFound::Node`] of what is gone; [`Invalid::UnknownType`], [`Invalid::Resource`] of its
    /// size; [`TryAgain::Busy`] if no record is left; [`Invalid::OwnThread`], [`Gone::Task`], [`Gone::ShutDown`].
    pub fn recover_container(
        &self,
        app: &AppHandle,
        node: &NodeHandle,
        container: RecoveredContainer,
    ) -> Result<ContainerId, Refused> {
        self.door().recover_container(app, node, container)
    }

    /// An AM's call. It sends asks, releases and the blacklist to the workers, and returns what was granted and what
    /// has ended since the last call. Never waits.
    ///
    /// # Errors
    /// [`NotFound::App`], [`TryAgain::NoAm`] of the application; [`Invalid::Resource`], [`Limit::ZeroMax`],
    /// [`Invalid::Blacklist`], [`Invalid::NoLocation`], [`Invalid::OthersLocation`], [`Limit::TooManyKeys`] of the
    /// request; [`Gone::Worker`]; [`TryAgain::Panicked`] of the policy or the clock: the mail is still there;
    /// [`Gone::ShutDown`].
    ///
    /// Nothing has changed then, with two exceptions: [`TryAgain::Busy`] asks for another try with the same request (of
    /// its releases some may have been taken, which does no harm), and an application that is ended meanwhile is told
    /// so after its request was sent.
    pub fn allocate(&self, app: &AppHandle, request: &AllocateRequest, answer: &mut Allocation) -> Result<(), Refused> {
        P::allocate(self.door(), app, request, answer)
    }

    /// Fetches the granted and ended containers since the AM's last call, and does nothing else. A ResourceManager uses
    /// it to fetch an AM's own container.
    ///
    /// # Errors
    /// [`NotFound::App`] of another scheduler's application; [`Gone::ShutDown`].
    pub fn fetch(&self, app: &AppHandle, answer: &mut Allocation) -> Result<(), Refused> {
        fetch(self.door().open()?, app, answer)
    }

    /// What an application can still get, by the limits of its queue: of a FairScheduler as things stand, of a
    /// CapacityScheduler the worker's last value. Never waits. [`allocate`](Self::allocate) returns the same.
    ///
    /// # Errors
    /// [`NotFound::App`] of another scheduler's application, or one that has ended; [`TryAgain::Panicked`] of the
    /// queue's policy, or the clock; [`Gone::ShutDown`].
    pub fn headroom(&self, app: &AppHandle) -> Result<Resource, Refused> {
        headroom(self.door().open()?, &app.0)
    }

    /// Announces the applications for which this thread calls [`allocate`](Self::allocate) next. It prefetches data
    /// that workers on other cores have written, for all these calls at once. Only the first sixteen applications
    /// count: announce the others after these calls. The iterator is cloned and read several times. It changes only
    /// time, like [`AppHandle::prefetch_call`].
    #[inline]
    pub fn prefetch_calls<'a>(&self, apps: impl IntoIterator<Item = &'a AppHandle, IntoIter: Clone>) {
        prefetch_calls(&self.door().shared, apps.into_iter().map(|app| &*app.0));
    }

    /// Ends an application: its containers, reservations and outstanding asks. Waits for the control and all workers.
    ///
    /// What its AM has not fetched is dropped too. If it matters, fetch it before, with [`allocate`](Self::allocate).
    /// With [`node_stops`](crate::FairSchedulerBuilder::node_stops) the nodes are told what to stop.
    ///
    /// # Errors
    /// [`NotFound::App`] if it has already ended; [`Invalid::OwnThread`], [`Gone::Task`], [`Gone::ShutDown`].
    pub fn finish(&self, app: &AppHandle) -> Result<(), Refused> {
        self.door().finish_by(None, app)
    }

    /// Ends an application on behalf of a user, who must have the right to change it: see
    /// [`check_app`](Self::check_app).
    ///
    /// # Errors
    /// [`Denied::App`] if the user has not; [`Invalid::LongName`] of the user's name; otherwise those of
    /// [`finish`](Self::finish).
    pub fn finish_as(&self, user: &str, app: &AppHandle) -> Result<(), Refused> {
        self.door().finish_by(Some(user), app)
    }

    /// Starts to end an application. Does not wait. Later calls with its handle are refused.
    ///
    /// # Errors
    /// [`TryAgain::Busy`], [`Gone::ShutDown`], [`Gone::Task`]. An application that has already ended is not an error
    /// here.
    pub fn begin_finish(&self, app: &AppHandle) -> Result<(), Refused> {
        self.door().begin(|reply| Call::Finish { app: app.0.clone(), by: None, reply }).map(drop)
    }

    /// Moves an application to another leaf queue. Waits for the control and all workers.
    ///
    /// # Errors
    /// [`NotFound::App`]; [`NotFound::Queue`], [`Invalid::LongName`], [`Limit::MaxRunning`], [`Limit::MaxShare`],
    /// [`Limit::NotRunnable`] of the target; [`Invalid::OwnThread`], [`Gone::Task`], [`Gone::ShutDown`].
    pub fn move_app(&self, app: &AppHandle, queue: &str) -> Result<(), Refused> {
        self.door().move_by(None, app, queue)
    }

    /// Moves an application on behalf of a user.
    ///
    /// With `yarn.acl.enable` the user must have the right to change the application ([`check_app`](Self::check_app)),
    /// and the right to submit to the target or to administer it. The second check also applies to the owner and to
    /// cluster administrators.
    ///
    /// Follows `ClientRMService.moveApplicationAcrossQueues`.
    ///
    /// # Errors
    /// [`Denied::App`] or, for the target, [`Denied::Queue`] if the user has not; [`Invalid::LongName`] of the user's
    /// name; otherwise as [`move_app`](Self::move_app).
    pub fn move_app_as(&self, user: &str, app: &AppHandle, queue: &str) -> Result<(), Refused> {
        self.door().move_by(Some(user), app, queue)
    }
}

/// # Operators
impl<P: Policy> Scheduler<P> {
    /// Whether the user has a right in a queue: by the ACL of the queue or of a queue above it. In a queue that does
    /// not exist nobody has a right. Only the ACLs count, not `yarn.acl.enable` and `yarn.admin.acl`. Waits for the
    /// control.
    ///
    /// Follows `FairScheduler.checkAccess`.
    ///
    /// # Errors
    /// [`Invalid::OwnThread`], [`Gone::Task`], [`Gone::ShutDown`].
    pub fn has_access(&self, user: &str, queue: &str, access: QueueAccess) -> Result<bool, Refused> {
        self.door().has_access(user, queue, access)
    }

    /// The ResourceManager's check of a right: as [`has_access`](Self::has_access), but without `yarn.acl.enable`
    /// everybody has every right. Waits for the control.
    ///
    /// Follows `FairQueueACLsManager`.
    ///
    /// # Errors
    /// [`Invalid::OwnThread`], [`Gone::Task`], [`Gone::ShutDown`].
    pub fn permits(&self, user: &str, queue: &str, access: QueueAccess) -> Result<bool, Refused> {
        self.door().permits(user, queue, access)
    }

    /// Whether the user is in `yarn.admin.acl`. Waits for the control.
    ///
    /// In Hadoop the user who runs the ResourceManager is always in it. Here the embedder must name that user.
    ///
    /// # Errors
    /// [`Invalid::OwnThread`], [`Gone::Task`], [`Gone::ShutDown`].
    pub fn is_admin(&self, user: &str) -> Result<bool, Refused> {
        self.door().is_admin(user)
    }

    /// Checks that a user may see or change an application. Waits for the control.
    ///
    /// Without `yarn.acl.enable` everybody may. With it, the application's owner, a cluster administrator, and
    /// everybody who may administer its queue.
    ///
    /// Follows `ClientRMService.checkAccess`.
    ///
    /// # Errors
    /// [`Denied::App`] if the user may not; [`Invalid::LongName`] of the user's name; [`NotFound::App`] if the
    /// application has ended; [`Invalid::OwnThread`], [`Gone::Task`], [`Gone::ShutDown`].
    pub fn check_app(&self, user: &str, app: &AppHandle, access: AppAccess) -> Result<(), Refused> {
        self.door().check_app(user, app, access)
    }

    /// Returns the queue in which the placement rules put an application of this user who asks for `queue` (`None`: for
    /// no queue). `None` if no rule decides: such a submission is refused. Creates nothing and checks no right. Waits
    /// for the control.
    ///
    /// # Errors
    /// [`NoQueue::RuleFailed`], [`TryAgain::NoGroups`], [`Invalid::LongName`]; [`Invalid::OwnThread`], [`Gone::Task`],
    /// [`Gone::ShutDown`].
    pub fn place(&self, user: &str, queue: Option<&str>) -> Result<Option<String>, Refused> {
        let (user, queue) = (user.to_owned(), queue.map(str::to_owned));
        self.door().look(move |control| P::place(control, &user, queue.as_deref()))?
    }

    /// Reads the queues from a text at once: an allocation file, or a `capacity-scheduler.xml`. It does what
    /// `yarn rmadmin -refreshQueues` does. The text is parsed on the caller's thread. Returns warnings: what was
    /// accepted although it is probably a mistake. Waits for the control.
    ///
    /// # Errors
    /// Of a FairScheduler [`Configuration::Allocations`] and [`Configuration::BrokeOff`], of a CapacityScheduler
    /// [`Configuration::Invalid`]: the queues are as before, except perhaps the placement rules, or with `rules_last`.
    /// [`Configuration::PlanClass`] of a new plan; [`Invalid::OwnThread`], [`Gone::Task`], [`Gone::ShutDown`].
    pub fn refresh_queues(&self, text: &str) -> Result<Vec<Diagnostic>, Refused> {
        let warnings = P::refresh(self.door(), text)?;
        self.refresh_plans()?;
        Ok(warnings)
    }

    /// Makes one round of preemption, and waits for it. Returns what it marks. The AMs are warned
    /// ([`Allocation::strict_preemptions`]).
    ///
    /// - A FairScheduler serves all starved applications once, one after the other; [`update_now`](Self::update_now)
    ///   finds them. Use it without timers; with them, the preemption thread does this after each update. A marked
    ///   container runs on, and its AM may release it. [`kill_marked`](crate::FairScheduler::kill_marked) ends all at
    ///   once. A second call marks no container twice.
    /// - A CapacityScheduler makes a round of its policy, whether or not its monitor is on. What was marked longer ago
    ///   than `max_wait_before_kill` ends.
    ///
    /// # Errors
    /// [`Configuration::PreemptionOff`] if `yarn.scheduler.fair.preemption` is not true; [`Configuration::Invalid`] if
    /// the settings of a CapacityScheduler's policy are not valid; [`Gone::Worker`], [`Invalid::OwnThread`],
    /// [`Gone::Task`], [`Gone::ShutDown`].
    pub fn preempt(&self) -> Result<Vec<PreemptionRound>, Refused> {
        P::preempt(self.door())
    }

    /// Offers all nodes once, each worker its own, and waits until this is done: a pass of a FairScheduler's continuous
    /// scheduling, or a round of a CapacityScheduler's asynchronous scheduling from the first node on. Use it without
    /// timers; with them, a thread does this if the settings ask for it.
    ///
    /// # Errors
    /// [`Gone::Worker`], [`Invalid::OwnThread`], [`Gone::ShutDown`].
    pub fn offer_all(&self) -> Result<(), Refused> {
        self.offer_from(0)
    }

    pub(super) fn offer_from(&self, first: usize) -> Result<(), Refused> {
        ask_workers(self.door().open_to_wait()?, move |shard| P::offer_all(shard, first)).map(drop)
    }

    /// Runs the update task once, and waits for it. It uses what the workers have processed of asks and reports: call
    /// [`quiesce`](Self::quiesce) first to include what was just sent. A heartbeat that is sent afterwards is decided
    /// under the new shares. A CapacityScheduler has no such task, and does nothing.
    ///
    /// # Errors
    /// [`TryAgain::Panicked`] if a policy or the clock panics in the update; an event reports it. Shares stay as they
    /// were, and the next update computes everything again. [`Invalid::OwnThread`], [`Gone::Task`], [`Gone::ShutDown`].
    pub fn update_now(&self) -> Result<(), Refused> {
        self.update(&Patience::endless())
    }

    /// As [`update_now`](Self::update_now), but waits at most for `time`.
    ///
    /// # Errors
    /// As there, and [`Refused::TimedOut`].
    pub fn update_now_within(&self, time: Duration) -> Result<(), Refused> {
        self.update(&Patience::of(time))
    }

    fn update(&self, patience: &Patience) -> Result<(), Refused> {
        P::update(self.door(), &self.inner.own, patience)
    }
}

/// # Looking
impl<P: Policy> Scheduler<P> {
    /// Returns the handle of an application by its number, if it has not ended. Waits for the control.
    ///
    /// # Errors
    /// [`Invalid::OwnThread`], [`Gone::Task`], [`Gone::ShutDown`].
    pub fn find_app(&self, number: u32) -> Result<Option<AppHandle>, Refused> {
        let app = self.door().call(|reply| Call::App(number, reply))?;
        Ok(app.filter(|app| !app.is_closed()).map(AppHandle))
    }

    /// Returns the handle of a registered node by its name. Does not wait. O(nodes).
    #[must_use]
    pub fn find_node(&self, name: &str) -> Option<NodeHandle> {
        self.door().find_node(name)
    }

    /// Returns the handle of a registered node by the number that a [`Container`](crate::Container) has. Does not wait.
    /// O(log nodes).
    #[must_use]
    pub fn find_node_by_id(&self, id: NodeId) -> Option<NodeHandle> {
        self.door().shared.nodes.lock().get(id).filter(|node| !node.is_gone()).cloned().map(NodeHandle)
    }

    /// Returns a container by its name, if it runs or its node has not yet reported its end. Waits for all workers. If
    /// nodes and AMs name containers in each call, keep your own map of the containers that `allocate` returns.
    ///
    /// # Errors
    /// [`Gone::Worker`], [`Invalid::OwnThread`], [`Gone::ShutDown`].
    pub fn find_container(&self, name: &ContainerName) -> Result<Option<ContainerId>, Refused> {
        let shared = self.door().open_to_wait()?;
        if !shared.makes(name) {
            return Ok(None);
        }
        let name = *name;
        let found = ask_workers(shared, move |shard| shard.find_container(&name))?;
        Ok(found.into_iter().flatten().next())
    }

    /// Returns the name of a container, for use on a wire. Does not wait.
    #[must_use]
    pub fn container_name(&self, id: ContainerId) -> ContainerName {
        self.door().shared.container_name(id)
    }

    /// Returns a node by its name. Does not wait.
    #[must_use]
    pub fn node(&self, name: &str) -> Option<NodeView> {
        let nodes = self.door().shared.nodes.lock();
        nodes.nodes().find(|node| &*node.name == name).map(|node| node_view(node))
    }

    /// Returns all nodes, in order of registration. Does not wait.
    #[must_use]
    pub fn nodes(&self) -> Vec<NodeView> {
        self.door().shared.nodes.lock().nodes().map(|node| node_view(node)).collect()
    }

    /// Returns all containers, by worker and node, including ended ones whose node has not yet reported the end. Waits
    /// for all workers.
    ///
    /// # Errors
    /// [`Gone::Worker`], [`Invalid::OwnThread`], [`Gone::ShutDown`].
    pub fn containers(&self) -> Result<Vec<ContainerView>, Refused> {
        let shared = self.door().open_to_wait()?;
        Ok(ask_workers(shared, |shard| shard.container_views())?.into_iter().flatten().collect())
    }

    /// How many containers each application and each node has. Waits for all workers; costs them far less than
    /// [`containers`](Self::containers).
    ///
    /// # Errors
    /// [`Gone::Worker`], [`Invalid::OwnThread`], [`Gone::ShutDown`].
    pub fn container_counts(&self) -> Result<ContainerCounts, Refused> {
        let shared = self.door().open_to_wait()?;
        let counts = ask_workers(shared, |shard| shard.container_counts())?;
        Ok(counts.into_iter().fold(ContainerCounts::default(), ContainerCounts::and))
    }

    /// Returns the outstanding requests, by application, then in the order in which they are tried. Waits for all
    /// workers.
    ///
    /// # Errors
    /// [`Gone::Worker`], [`Invalid::OwnThread`], [`Gone::ShutDown`].
    pub fn requests(&self) -> Result<Vec<RequestView>, Refused> {
        let shared = self.door().open_to_wait()?;
        let mut requests: Vec<_> = ask_workers(shared, |shard| shard.request_views())?.into_iter().flatten().collect();
        sorted::by_key(&mut requests, |request| request.attempt);
        Ok(requests)
    }

    /// Returns the reservations of nodes, by node in order of registration. Waits for all workers.
    ///
    /// # Errors
    /// [`Gone::Worker`], [`Invalid::OwnThread`], [`Gone::ShutDown`].
    pub fn reservations(&self) -> Result<Vec<AllocatedView>, Refused> {
        let shared = self.door().open_to_wait()?;
        let reserved = ask_workers(shared, |shard| shard.reservations())?.into_iter().flatten().collect();
        let nodes = shared.nodes.lock().ids();
        Ok(reservation_views(&nodes, reserved))
    }

    /// Returns all queues, by name. A FairScheduler answers from what its last update published; a CapacityScheduler's
    /// worker is asked.
    ///
    /// # Errors
    /// [`Gone::Worker`], [`Invalid::OwnThread`], [`Gone::Task`], [`Gone::ShutDown`].
    pub fn queues(&self) -> Result<Vec<P::QueueView>, Refused> {
        P::queues(self.door())
    }

    /// Returns an application by its number. Waits for the control or a worker.
    ///
    /// # Errors
    /// [`Gone::Worker`], [`Invalid::OwnThread`], [`Gone::Task`], [`Gone::ShutDown`].
    pub fn app(&self, number: u32) -> Result<Option<P::AppView>, Refused> {
        P::app(self.door(), number)
    }

    /// Returns all applications, by number. Waits for the control or a worker.
    ///
    /// # Errors
    /// Those of [`app`](Self::app).
    pub fn apps(&self) -> Result<Vec<P::AppView>, Refused> {
        P::apps(self.door())
    }

    /// Returns counters and totals. Does not wait.
    #[must_use]
    pub fn stats(&self) -> P::Stats {
        P::stats(&self.door().shared)
    }

    /// Returns why an application is offered no node now; `None` if only nodes, or the limits of queues and users,
    /// stand against it. [`why_waiting`](Self::why_waiting) covers these. With several workers the one answers that
    /// decides about the application. Waits for the control and all workers.
    ///
    /// # Errors
    /// [`Gone::Worker`], [`Invalid::OwnThread`], [`Gone::Task`], [`Gone::ShutDown`].
    pub fn not_offered(&self, app: &AppHandle) -> Result<Option<P::NotOffered>, Refused> {
        P::not_offered(self.door(), app)
    }

    /// Returns why an application waits now: the obstacles that hold on every node, otherwise, for each request key,
    /// its obstacles with the number of nodes. Changes nothing, and needs no trace. Waits for the control and all
    /// workers. O(nodes × request keys).
    ///
    /// The answer is what the next report of each node would find if no other application came first. A FairScheduler
    /// names one that does, by the policies ([`FairWait::Behind`](crate::reason::FairWait::Behind)); a
    /// CapacityScheduler does so only for one node ([`why_waiting_on`](Self::why_waiting_on)). An application that has
    /// ended is not an error: it is a reason.
    ///
    /// ```
    /// use evenweave::{AllocateRequest, Allocation, Ask, FairScheduler, Resource, Submission};
    ///
    /// let scheduler = FairScheduler::builder().start()?;
    /// scheduler.add_node("n1", "/r1", Resource::new(2048, 4))?;
    /// scheduler.add_node("n2", "/r1", Resource::new(4096, 4))?;
    /// let app = scheduler.submit(Submission::new(1, "ann"))?;
    /// let asks = AllocateRequest::new([Ask::anywhere(1, Resource::new(4096, 1), 1)]);
    /// scheduler.allocate(&app, &asks, &mut Allocation::default())?;
    /// scheduler.quiesce()?; // asks travel
    /// scheduler.update_now()?; // new demand counts from the next update on
    /// scheduler.quiesce()?;
    /// let reasons = scheduler.why_waiting(&app)?;
    /// let said = "larger than the whole node: wants 4096 MB, 1 vcores, the node has 2048 MB, 4 vcores (n1)";
    /// assert_eq!(reasons[0].to_string(), format!("priority 1: {said}"));
    /// scheduler.shutdown()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Of a CapacityScheduler:
    ///
    /// ```
    /// use evenweave::reason::CapacityWait;
    /// use evenweave::{AllocateRequest, Allocation, Ask, CapacityConfiguration, CapacityScheduler};
    /// use evenweave::{Resource, Submission};
    ///
    /// let queues = [
    ///     ("yarn.scheduler.capacity.root.queues", "default"),
    ///     ("yarn.scheduler.capacity.root.default.capacity", "100"),
    /// ];
    /// let scheduler = CapacityScheduler::builder(CapacityConfiguration::from_properties([], queues)?).start()?;
    /// scheduler.add_node("n1", "/r1", Resource::new(4096, 4))?;
    /// let app = scheduler.submit(Submission::new(1, "ann"))?;
    /// let asks = AllocateRequest::new([Ask::anywhere(1, Resource::new(1024, 1), 1)]);
    /// scheduler.allocate(&app, &asks, &mut Allocation::default())?;
    /// scheduler.quiesce()?;
    /// let reasons = scheduler.why_waiting(&app)?;
    /// assert_eq!(reasons[0].wait, CapacityWait::Offer, "the node has not reported yet");
    /// assert_eq!(reasons[0].to_string(), "priority 1: nothing stands against it (n1)");
    /// scheduler.shutdown()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Gone::Worker`], [`Invalid::OwnThread`], [`Gone::Task`], [`Gone::ShutDown`].
    pub fn why_waiting(&self, app: &AppHandle) -> Result<Vec<P::Reason>, Refused> {
        P::why_waiting(self.door(), app, None)
    }

    /// As [`why_waiting`](Self::why_waiting) for one node. A CapacityScheduler also says which application comes first
    /// there ([`CapacityWait::Behind`](crate::reason::CapacityWait::Behind),
    /// [`CapacityWait::HeldBack`](crate::reason::CapacityWait::HeldBack)), O(applications); only the application that
    /// the node's next report serves gets [`CapacityWait::Offer`](crate::reason::CapacityWait::Offer).
    ///
    /// # Errors
    /// [`NotFound::Node`] if it is removed; otherwise those of [`why_waiting`](Self::why_waiting).
    pub fn why_waiting_on(&self, app: &AppHandle, node: &NodeHandle) -> Result<Vec<P::Reason>, Refused> {
        P::why_waiting(self.door(), app, Some(node))
    }

    /// Takes the next event, if there is one. Does not wait.
    #[must_use]
    pub fn next_event(&self) -> Option<SchedulerEvent> {
        self.door().events.take()
    }

    /// Waits until everything accepted is processed ([`quiesce`](Self::quiesce)). Then it returns what has happened
    /// since its last call, the present reservations, and the room that is kept for starved applications. Containers
    /// are in the order of their grants, worker by worker. For replay, with the builder's `journal`.
    ///
    /// # Errors
    /// [`Gone::Worker`], [`Invalid::OwnThread`], [`Gone::ShutDown`], [`Gone::Task`].
    #[doc(hidden)]
    pub fn take_journal(&self) -> Result<Journal, Refused> {
        self.door().quiet(&Patience::endless())?;
        let shared = self.door().open_to_wait()?;
        let look = |shard: &mut Shard<P::Decider>| {
            let mut standing = Standing::default();
            P::stands(shard, &mut standing);
            (shard.take_step_record(), standing)
        };
        let (mut journal, mut standing) = (Journal::default(), Standing::default());
        for (noted, stands) in ask_workers(shared, look)? {
            journal.note(noted);
            standing.and(stands);
        }
        let nodes = shared.nodes.lock().ids();
        journal.finish(&nodes, standing);
        Ok(journal)
    }
}

/// # The whole
impl<P: Policy> Scheduler<P> {
    /// Waits until everything accepted so far is processed. Use it when no other thread sends. If others keep sending,
    /// it waits for a moment in which no message is under way; such a moment may never come.
    ///
    /// # Errors
    /// It could not wait: [`Gone::Worker`], [`Invalid::OwnThread`], [`Gone::Task`] or [`Gone::ShutDown`].
    pub fn quiesce(&self) -> Result<(), Refused> {
        self.door().quiet(&Patience::endless())
    }

    /// As [`quiesce`](Self::quiesce), but waits at most for `time`.
    ///
    /// # Errors
    /// As there, and [`Refused::TimedOut`].
    pub fn quiesce_within(&self, time: Duration) -> Result<(), Refused> {
        self.door().quiet(&Patience::of(time))
    }

    /// Processes everything accepted so far and ends the threads. Later calls are refused. At the end, calls that still
    /// wait return [`Gone::ShutDown`].
    ///
    /// # Errors
    /// [`Invalid::OwnThread`] in a callback, and on a thread that polls a worker: they cannot wait for the shutdown.
    /// The call has started it.
    pub fn shutdown(&self) -> Result<(), Refused> {
        self.door().shutdown(&Patience::endless())
    }

    /// As [`shutdown`](Self::shutdown), but waits at most for `time`.
    ///
    /// # Errors
    /// As there, and [`Refused::TimedOut`]. Then some code of the embedder hangs: a callback, a policy, or a worker
    /// that is not polled. Calls that wait return nevertheless; the threads end when they can.
    pub fn shutdown_within(&self, time: Duration) -> Result<(), Refused> {
        self.door().shutdown(&Patience::of(time))
    }

    /// A handle that does not keep the scheduler alive.
    #[must_use]
    pub fn downgrade(&self) -> WeakScheduler<P> {
        WeakScheduler(Arc::downgrade(&self.inner))
    }
}

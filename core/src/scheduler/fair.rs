//! The threaded FairScheduler.

use super::build_error::BuildError;
use super::builder::FairSchedulerBuilder;
use super::door::{CONTROL, Door, NotSent, Own, Running};
use super::handles::{AppHandle, NodeHandle};
use super::inner::{Inner, weak_handle};
use super::worker::Worker;
use crate::clock::Patience;
use crate::config::{AllocationFile, Diagnostic, PlacementRule, QueueAccess};
use crate::engine::{
    AllocateRequest, Allocation, EventSink, EventSource, Heartbeat, NewAttempt, RecoveredContainer, Reply, Submission,
    UpdateCall, allocate,
};
use crate::event::{AppAccess, Refused, Waited};
use crate::fair::allocations::{WatchCall, Watcher};
use crate::fair::control::FairCall;
use crate::fair::{
    AppView, AtRest, Call, Control, ControlMessage, FairDecider, QueueConfig, QueueView, Shared, Stats, Threads, views,
};
use crate::id::ContainerId;
use crate::resource::Resource;
use crate::sync::Arc;
use crate::sync::channel::{Receiver, Sender, bounded};
use std::time::Duration;

/// A FairScheduler on threads of its own.
///
/// The threads: the workers, which own the nodes; the control; the update task; the watcher of the allocation file; and, if the
/// settings ask for them, the preemption task, the async allocation thread and the thread of continuous scheduling.
///
/// This type is a handle: clone it, send it and share it. The scheduler shuts down when the last handle is dropped. The drop
/// waits for the shutdown, except on one of the scheduler's own threads, in a callback.
///
/// ```
/// use evenweave::{AllocateRequest, Allocation, Ask, FairScheduler, Heartbeat, Resource, Submission};
///
/// let scheduler = FairScheduler::builder().start()?;
/// let node = scheduler.add_node("n1", "/r1", Resource::new(8192, 8))?;
/// let app = scheduler.submit(Submission::new(1, "ann"))?;
/// let (mut request, mut answer) = (AllocateRequest::default(), Allocation::default());
/// request.asks.push(Ask::anywhere(1, Resource::new(1024, 1), 2));
/// scheduler.allocate(&app, &request, &mut answer)?;
/// scheduler.quiesce(); // asks travel
/// scheduler.update_now(); // new demand counts from the next update on
/// for _ in 0..2 {
///     scheduler.heartbeat(Heartbeat::new(&node))?;
/// }
/// scheduler.quiesce();
/// scheduler.allocate(&app, &AllocateRequest::default(), &mut answer)?;
/// assert_eq!(answer.granted.len(), 2);
/// scheduler.shutdown();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct FairScheduler {
    inner: Arc<Whole>,
}

/// What the FairScheduler alone has beside its door.
pub(super) struct Lanes {
    update: Sender<UpdateCall>,
    watcher: Option<Sender<WatchCall>>,
}

type Whole = Inner<FairDecider, Threads, Lanes>;

weak_handle!(WeakScheduler of FairScheduler: Whole);

impl Running for Threads {
    fn stop(self) {
        Threads::stop(self);
    }

    fn stop_later(self) {
        Threads::stop_later(self);
    }
}

/// How long [`FairScheduler::refresh_queues`] waits for the allocations.
const REFRESH: Duration = Duration::from_secs(60);

impl FairScheduler {
    /// Returns a builder with Hadoop's defaults and one worker.
    pub fn builder() -> FairSchedulerBuilder {
        FairSchedulerBuilder::default()
    }

    pub(super) fn start(
        parts: AtRest,
        watcher: Option<Watcher>,
        events: EventSource,
    ) -> Result<FairScheduler, BuildError> {
        let (shared, sink) = (parts.shared.clone(), parts.events.clone());
        let threads = Threads::start(parts, watcher).map_err(BuildError::Thread)?;
        Ok(FairScheduler::with(threads, shared, sink, events))
    }

    pub(super) fn start_with_workers(
        parts: AtRest,
        watcher: Option<Watcher>,
        events: EventSource,
    ) -> Result<(FairScheduler, Vec<Worker>), BuildError> {
        let (shared, sink) = (parts.shared.clone(), parts.events.clone());
        let (threads, lent) = Threads::start_and_lend(parts, watcher).map_err(BuildError::Thread)?;
        Ok((FairScheduler::with(threads, shared, sink, events), Worker::all(lent)))
    }

    fn with(threads: Threads, shared: Arc<Shared>, sink: EventSink, events: EventSource) -> FairScheduler {
        let (update, watcher) = (threads.update_lane(), threads.watcher_lane());
        let own = Own { threads: threads.ids(), lent: threads.whereabouts(), ends: threads.ends() };
        let inner = Inner { door: Door::new(threads, own, shared, sink, events), own: Lanes { update, watcher } };
        FairScheduler { inner: Arc::new(inner) }
    }

    pub(super) fn door(&self) -> &Door<FairDecider, Threads> {
        &self.inner.door
    }

    pub(super) fn shared(&self) -> &Arc<Shared> {
        &self.inner.door.shared
    }

    #[cfg(feature = "faults")]
    pub(super) fn update_lane(&self) -> &Sender<UpdateCall> {
        &self.inner.own.update
    }

    pub(super) fn event_sink(&self) -> EventSink {
        self.inner.door.sink.clone()
    }

    pub(super) fn open(&self) -> Result<&Shared, Refused> {
        self.inner.door.open()
    }

    /// Refuses what waits for a thread on one of the scheduler's own, where a callback of the embedder's runs.
    fn may_wait(&self) -> Result<(), Refused> {
        self.inner.door.may_wait()
    }

    /// The scheduler, for a call that waits for workers: not where one of them is polled.
    pub(super) fn open_to_wait(&self) -> Result<&Shared, Refused> {
        self.inner.door.open_to_wait()
    }

    /// Waits for an answer of a task.
    pub(super) fn answer<T>(
        &self,
        answer: &Receiver<T>,
        patience: &Patience,
        task: &'static str,
    ) -> Result<T, Refused> {
        self.inner.door.answer(answer, patience, task)
    }

    /// Why a task takes nothing any more.
    pub(super) fn gone(&self, task: &'static str) -> Refused {
        self.inner.door.gone(task)
    }

    fn call<T>(&self, call: impl FnOnce(Reply<T>) -> Call) -> Result<T, Refused> {
        self.inner.door.call(call)
    }

    /// As [`FairScheduler::call`], where the control's answer waits for workers.
    fn call_workers<T>(&self, call: impl FnOnce(Reply<T>) -> Call) -> Result<T, Refused> {
        self.inner.door.call_workers(call)
    }

    /// Asks the control.
    pub(super) fn look<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Control) -> T + Send + 'static,
    ) -> Result<T, Refused> {
        self.inner.door.look(look)
    }

    // ------------------------------------------------------------------------------------------------ nodes

    /// Registers a node with its name, its rack and its total (memory in MiB, vcores, further types). Waits for the control.
    ///
    /// # Errors
    /// [`Refused::DuplicateNode`], [`Refused::NameTooLong`], [`Refused::BadPlaceName`], [`Refused::TooManyPlaces`] of its names;
    /// [`Refused::BadNode`], [`Refused::UnknownType`], [`Refused::ClusterTooLarge`] of its total; [`Refused::NoWorkers`];
    /// [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn add_node(&self, name: &str, rack: &str, total: Resource) -> Result<NodeHandle, Refused> {
        self.inner.door.add_node(name, rack, total)
    }

    /// Registers a node together with the containers that run on it, after a restart of the ResourceManager: no heartbeat and no
    /// round of scheduling finds the node without them. Returns the node, and for each container, in their order, what
    /// [`recover_container`](Self::recover_container) would: its id, or why it is not taken over. Waits for the control and
    /// the node's worker.
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
        self.inner.door.add_node_with((name, rack, total), running)
    }

    /// Removes a node. Its containers end as [`NodeLost`](crate::EndReason::NodeLost), and its reservation ends. Waits for the
    /// control and the node's worker.
    ///
    /// # Errors
    /// [`Refused::NoSuchNode`] if it is already removed; [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn remove_node(&self, node: &NodeHandle) -> Result<(), Refused> {
        self.call_workers(|reply| Call::RemoveNode(node.0.clone(), reply))?
    }

    /// Changes the total of a node. Nothing is killed: if more runs than the new total, the free room is negative until
    /// containers end. Waits for the control.
    ///
    /// # Errors
    /// [`Refused::NoSuchNode`] if it is removed; [`Refused::BadNode`], [`Refused::UnknownType`], [`Refused::ClusterTooLarge`] of the total;
    /// [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn resize_node(&self, node: &NodeHandle, total: Resource) -> Result<(), Refused> {
        self.inner.door.resize_node(node, total, false)
    }

    /// Empties a node gracefully. Waits for the control.
    ///
    /// From its next heartbeat on the node's total follows what still runs, so nothing new fits. When nothing runs, the event
    /// [`SchedulerEvent::NodeDrained`](crate::SchedulerEvent::NodeDrained) comes.
    ///
    /// As in Hadoop the next heartbeat still assigns what is free at that moment. Containers above the new total then end at once
    /// ([`EndReason::Preempted`](crate::EndReason::Preempted)).
    ///
    /// # Errors
    /// [`Refused::NoSuchNode`] if it is removed; [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn decommission_node(&self, node: &NodeHandle) -> Result<(), Refused> {
        self.inner.door.decommission_node(node)
    }

    /// Keeps a decommissioning node: it gets back the total that it had before. Does nothing for any other node. Waits for the
    /// control.
    ///
    /// Follows `RMNodeImpl.RecommissionNodeTransition`.
    ///
    /// # Errors
    /// [`Refused::NoSuchNode`] if it is removed; [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn recommission_node(&self, node: &NodeHandle) -> Result<(), Refused> {
        self.inner.door.recommission_node(node)
    }

    /// Whether the scheduler is open and the worker alive.
    pub(super) fn owner_is_there(&self, worker: usize) -> Result<(), Refused> {
        self.inner.door.owner_is_there(worker)
    }

    /// Sends a node's report to the worker that owns the node. Never waits. The worker offers the node when it processes the
    /// report.
    ///
    /// # Errors
    /// [`Refused::Busy`], [`Refused::WorkerLost`], [`Refused::ShutDown`], or [`Refused::NoSuchNode`] if the node was removed: the
    /// heartbeat comes back.
    pub fn heartbeat(&self, heartbeat: Heartbeat) -> Result<(), Box<NotSent<Heartbeat>>> {
        self.inner.door.heartbeat(heartbeat)
    }

    /// Sends many reports, in one message to each worker. Never waits. It is several times cheaper than single calls of
    /// [`heartbeat`](Self::heartbeat). Reports of removed nodes are accepted and ignored.
    ///
    /// # Errors
    /// [`Refused::Busy`], [`Refused::WorkerLost`], [`Refused::ShutDown`], of one of the workers: the heartbeats for it come back, the
    /// others were taken.
    pub fn heartbeats(&self, heartbeats: Vec<Heartbeat>) -> Result<(), Box<NotSent<Vec<Heartbeat>>>> {
        self.door().heartbeats(heartbeats)
    }

    // ------------------------------------------------------------------------------------------------ applications

    /// Submits an application with its first attempt. Waits for the control.
    ///
    /// The container of a managed AM is the first that [`allocate`](Self::allocate) returns. The ResourceManager fetches it and
    /// lets its node start it.
    ///
    /// # Errors
    /// [`Refused::DuplicateApp`]; [`Refused::NameTooLong`], [`Refused::QueueNameAtSubmit`], [`Refused::BadQueueName`] of its names;
    /// [`Refused::Placement`], [`Refused::RuleFailed`], [`Refused::NoGroups`], [`Refused::NotLeaf`] of its placement;
    /// [`Refused::AclAtSubmit`], [`Refused::Acl`] of rights; [`Refused::InvalidResource`], [`Refused::ZeroMax`], [`Refused::NoLocation`],
    /// [`Refused::OthersLocation`] of the AM's request; [`Refused::NoWorkers`], [`Refused::Panicked`] (the clock); [`Refused::OwnThread`],
    /// [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn submit(&self, submission: Submission) -> Result<AppHandle, Refused> {
        self.call(|reply| Call::Submit(submission, reply))?.map(AppHandle)
    }

    /// An AM's call. It sends asks, releases and the blacklist to the workers, and returns what was granted and what has ended
    /// since the last call. Never waits.
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`], [`Refused::NoAm`] of the application; [`Refused::InvalidResource`], [`Refused::ZeroMax`],
    /// [`Refused::InvalidBlacklist`], [`Refused::NoLocation`], [`Refused::OthersLocation`], [`Refused::TooManyKeys`] of the request;
    /// [`Refused::WorkerLost`]; [`Refused::Panicked`] of the policy or the clock: the mail is still there; [`Refused::ShutDown`].
    ///
    /// Nothing has changed then, with two exceptions: [`Refused::Busy`] asks for another try with the same request (of its
    /// releases some may have been taken, which does no harm), and an application that is ended meanwhile is told so after
    /// its request was sent.
    pub fn allocate(&self, app: &AppHandle, request: &AllocateRequest, answer: &mut Allocation) -> Result<(), Refused> {
        allocate(self.open()?, &app.0, request, answer)
    }

    /// Ends an application: its containers, reservations and outstanding asks. Waits for the control and all workers.
    ///
    /// What its AM has not fetched is dropped too. If it matters, fetch it before, with [`allocate`](Self::allocate). With
    /// [`node_stops`](FairSchedulerBuilder::node_stops) the nodes are told what to stop.
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`] if it has already ended; [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn finish(&self, app: &AppHandle) -> Result<(), Refused> {
        self.inner.door.finish_by(None, app)
    }

    /// Starts another attempt of an application whose attempt has failed, in the same queue. Waits for the control and all
    /// workers.
    ///
    /// - The containers of the old attempt end. With [`NewAttempt::keep_containers`] those that run are handed over;
    ///   [`AppHandle::kept_containers`] lists them.
    /// - The outstanding asks of the old attempt, and what the old AM has not fetched, are dropped.
    /// - The new attempt is the youngest of its queue. Its containers are numbered from 1.
    /// - Calls with the old handle are refused from now on.
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`] if the application has ended; [`Refused::InvalidResource`], [`Refused::ZeroMax`],
    /// [`Refused::NoLocation`], [`Refused::OthersLocation`] of the new AM's request: then, where containers were to be kept, nothing has
    /// changed; otherwise the application has ended too. [`Refused::NoWorkers`], [`Refused::Panicked`] (the clock),
    /// [`Refused::OwnThread`]; when the scheduler has been shut down.
    pub fn new_attempt(&self, app: &AppHandle, new: NewAttempt) -> Result<AppHandle, Refused> {
        self.inner.door.new_attempt(app, new)
    }

    /// Takes over a container that runs already, after a restart of the ResourceManager: a node that registers reports it. Waits
    /// for the control and the node's worker.
    ///
    /// The container is charged to the node, the application and its queues, whatever their limits are. It gets an id, and ends
    /// like any other. Its AM has it already, so no answer of `allocate` contains it. Its size may be above the largest container and above
    /// what the node has. But all that nodes have and all that was taken over on them stay within 2<sup>60</sup> of each type.
    ///
    /// Submit the application first, as [recovered](crate::Submission::recovered_in), with an AM that
    /// [runs](crate::AmRequest::running). If the application or attempt of a container is over, do not recover the container, but
    /// stop it. The scheduler does not do this.
    ///
    /// Follows `AbstractYarnScheduler.recoverContainersOnNode`.
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`], [`Refused::NoSuchNode`] of what is gone; [`Refused::UnknownType`], [`Refused::InvalidResource`] of its size;
    /// [`Refused::Busy`] if no record is left; [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn recover_container(
        &self,
        app: &AppHandle,
        node: &NodeHandle,
        container: RecoveredContainer,
    ) -> Result<ContainerId, Refused> {
        self.inner.door.recover_container(app, node, container)
    }

    /// Kills an application. The scheduler treats this as [`FairScheduler::finish`].
    ///
    /// # Errors
    /// Those of [`FairScheduler::finish`].
    pub fn kill(&self, app: &AppHandle) -> Result<(), Refused> {
        self.finish(app)
    }

    /// Kills an application on behalf of a user, who must have the right to change it: see [`FairScheduler::check_app`].
    ///
    /// # Errors
    /// [`Refused::AppAcl`] if the user has not; [`Refused::NameTooLong`] of the user's name; otherwise those of [`FairScheduler::finish`].
    pub fn kill_as(&self, user: &str, app: &AppHandle) -> Result<(), Refused> {
        self.inner.door.finish_by(Some(user), app)
    }

    /// Moves an application to another leaf queue. Waits for the control and all workers.
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`]; [`Refused::NoSuchQueue`], [`Refused::NameTooLong`], [`Refused::MaxRunning`], [`Refused::MaxShare`],
    /// [`Refused::NotRunnable`] of the target; [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn move_app(&self, app: &AppHandle, queue: &str) -> Result<(), Refused> {
        self.inner.door.move_by(None, app, queue)
    }

    /// Moves an application on behalf of a user.
    ///
    /// With `yarn.acl.enable` the user must have the right to change the application ([`FairScheduler::check_app`]), and the
    /// right to submit to the target or to administer it. The second check also applies to the owner and to cluster
    /// administrators.
    ///
    /// Follows `ClientRMService.moveApplicationAcrossQueues`.
    ///
    /// # Errors
    /// [`Refused::AppAcl`] or, for the target, [`Refused::Acl`] if the user has not; [`Refused::NameTooLong`] of the user's name; otherwise as
    /// [`FairScheduler::move_app`].
    pub fn move_app_as(&self, user: &str, app: &AppHandle, queue: &str) -> Result<(), Refused> {
        self.inner.door.move_by(Some(user), app, queue)
    }

    // ------------------------------------------------------------------------------------------------ rights

    /// Whether the user has a right in a queue: by the ACL of the queue or of a queue above it. In a queue that does not exist
    /// nobody has a right. Only the ACLs count, not `yarn.acl.enable` and `yarn.admin.acl`. Waits for the control.
    ///
    /// Follows `FairScheduler.checkAccess`.
    ///
    /// # Errors
    /// [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn has_access(&self, user: &str, queue: &str, access: QueueAccess) -> Result<bool, Refused> {
        self.inner.door.has_access(user, queue, access)
    }

    /// The ResourceManager's check of a right: as [`FairScheduler::has_access`], but without `yarn.acl.enable` everybody has
    /// every right. Waits for the control.
    ///
    /// Follows `FairQueueACLsManager`.
    ///
    /// # Errors
    /// [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn permits(&self, user: &str, queue: &str, access: QueueAccess) -> Result<bool, Refused> {
        self.inner.door.permits(user, queue, access)
    }

    /// Whether the user is in `yarn.admin.acl`. Waits for the control.
    ///
    /// In Hadoop the user who runs the ResourceManager is always in it. Here the embedder must name that user.
    ///
    /// # Errors
    /// [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn is_admin(&self, user: &str) -> Result<bool, Refused> {
        self.inner.door.is_admin(user)
    }

    /// Checks that a user may see or change an application. Waits for the control.
    ///
    /// Without `yarn.acl.enable` everybody may. With it, the application's owner, a cluster administrator, and everybody who may
    /// administer its queue.
    ///
    /// Follows `ClientRMService.checkAccess`.
    ///
    /// # Errors
    /// [`Refused::AppAcl`] if the user may not; [`Refused::NameTooLong`] of the user's name; [`Refused::NoSuchApp`] if the application has ended;
    /// [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn check_app(&self, user: &str, app: &AppHandle, access: AppAccess) -> Result<(), Refused> {
        self.inner.door.check_app(user, app, access)
    }

    // ------------------------------------------------------------------------------------------------ queues

    /// Returns the queue in which the placement rules put an application of this user who asks for `queue` (`None`: for no
    /// queue). `None` if no rule decides: such a submission is refused. Creates nothing and checks no right. Waits for the
    /// control.
    ///
    /// # Errors
    /// [`Refused::RuleFailed`], [`Refused::NoGroups`], [`Refused::NameTooLong`]; [`Refused::OwnThread`], [`Refused::TaskLost`],
    /// [`Refused::ShutDown`].
    pub fn place(&self, user: &str, queue: Option<&str>) -> Result<Option<String>, Refused> {
        let (user, queue) = (user.to_owned(), queue.map(str::to_owned));
        self.look(move |control| control.place(&user, queue.as_deref()))?
    }

    /// Creates a dynamic queue before the first application enters it, with the parents that it needs. An existing queue stays as
    /// it is. The next clean-up removes the queue if it is empty. Waits for the control.
    ///
    /// # Errors
    /// [`Refused::BadQueueName`], [`Refused::NameTooLong`], [`Refused::CannotCreate`]: parents made before the obstacle was met remain, as
    /// in Hadoop; [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn create_queue(&self, name: &str, leaf: bool) -> Result<(), Refused> {
        self.call(|reply| Call::Own(FairCall::AddQueue { name: name.to_owned(), leaf, reply }))?
    }

    /// Returns the settings of each queue, as configured, by name. Waits for the control.
    ///
    /// # Errors
    /// [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn queue_configs(&self) -> Result<Vec<QueueConfig>, Refused> {
        self.look(Control::queue_configs)
    }

    /// Returns the allocation file in force. Waits for the control.
    ///
    /// # Errors
    /// [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn allocations(&self) -> Result<AllocationFile, Refused> {
        self.look(|control| control.allocations().clone())
    }

    /// Returns the placement rules in force: those of the last file that had any, otherwise those of the settings. Waits for the
    /// control.
    ///
    /// # Errors
    /// [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn placement_rules(&self) -> Result<Vec<PlacementRule>, Refused> {
        self.look(|control| control.placement_rules().to_vec())
    }

    // ------------------------------------------------------------------------------------------------ administration

    /// Takes new allocations, which the embedder has read. Waits for the control.
    ///
    /// First it cleans up as the watcher does: it removes empty dynamic queues, and tries waiting changes of a queue's type
    /// again. Scheduling goes on under the old allocations until the new ones are published. Then this call returns.
    ///
    /// | call | has the allocations from | cleans up first | warnings |
    /// | --- | --- | --- | --- |
    /// | `reload` | the embedder, as a value | yes | of the parser that made it |
    /// | [`reload_text`](Self::reload_text) | the embedder, as a text | yes | returned |
    /// | [`refresh_queues`](Self::refresh_queues) | the watched file, whether or not it has changed | no | returned, and an event |
    /// | the watcher | the watched file, when it has changed and is quiet | at each look | an event |
    /// | [`clean_up`](Self::clean_up) | nowhere: those in force stay | that alone | none |
    ///
    /// # Errors
    /// [`Refused::BadAllocations`] if they are not valid; [`Refused::ReloadBrokeOff`]; [`Refused::OwnThread`], [`Refused::TaskLost`],
    /// [`Refused::ShutDown`].
    pub fn reload(&self, allocations: AllocationFile) -> Result<(), Refused> {
        self.open()?.lanes.control.send(ControlMessage::CleanUp).map_err(|_| self.gone(CONTROL))?;
        self.call(|reply| Call::Reload(Box::new(allocations), reply))?
    }

    /// Reads the allocation file again at once, whether or not it has changed, as `yarn rmadmin -refreshQueues` does. New
    /// reservable queues become plans. (They do not when the watcher finds a changed file.) Returns warnings: what was accepted
    /// although it is probably a mistake. The same is sent as an event.
    ///
    /// Scheduling goes on meanwhile. Waits at most a minute; see [`refresh_queues_within`](Self::refresh_queues_within).
    ///
    /// Hadoop's command also reads the largest container again: see [`set_maximum_allocation`](Self::set_maximum_allocation).
    ///
    /// # Errors
    /// [`Refused::NoAllocationFile`] when there is no file to read; [`Refused::BadAllocations`] when it cannot be read or is not valid:
    /// what was in force stays; [`Refused::ReloadBrokeOff`]; [`Refused::PlanClass`] of a new plan; [`Refused::Panicked`] when the source panics; [`Refused::TimedOut`] when it
    /// takes too long: what it reads in the end still takes effect; [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`],
    /// also if it shuts down meanwhile.
    pub fn refresh_queues(&self) -> Result<Vec<Diagnostic>, Refused> {
        self.refresh_queues_within(REFRESH)
    }

    /// As [`refresh_queues`](Self::refresh_queues), but waits at most for `time`.
    ///
    /// # Errors
    /// Those of [`refresh_queues`](Self::refresh_queues).
    pub fn refresh_queues_within(&self, time: Duration) -> Result<Vec<Diagnostic>, Refused> {
        self.open()?;
        self.may_wait()?;
        let patience = Patience::of(time);
        let lane = self.inner.own.watcher.as_ref().ok_or(Refused::NoAllocationFile)?;
        let (reply, answer) = bounded(1);
        lane.send(WatchCall::Refresh(reply)).map_err(|_| self.gone("watcher"))?;
        let warnings = self.answer(&answer, &patience, "watcher")??;
        self.refresh_plans()?;
        Ok(warnings)
    }

    /// Sets the largest container ([`Settings::maximum`](crate::Settings::maximum)). Earlier asks stay as they are. Waits for the
    /// control.
    ///
    /// Of the yarn-site properties, `yarn rmadmin -refreshQueues` reads only this one again.
    ///
    /// # Errors
    /// [`Refused::BadMaximum`]; [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn set_maximum_allocation(&self, maximum: Resource) -> Result<(), Refused> {
        self.call(|reply| Call::SetMaximum(maximum, reply))?
    }

    // ------------------------------------------------------------------------------------------------ views

    /// Returns all queues, by name. Does not wait.
    #[must_use]
    pub fn queues(&self) -> Vec<QueueView> {
        views::queues(&self.inner.door.shared.publisher.load())
    }

    /// Returns an application by its number. Waits for the control; `None` also if it cannot, in a callback or after the
    /// shutdown.
    #[must_use]
    pub fn app(&self, number: u32) -> Option<AppView> {
        let app = self.call(|reply| Call::App(number, reply)).ok()??;
        Some(views::app(&self.inner.door.shared.publisher.load(), &app))
    }

    /// Returns all applications, by number. Waits for the control; empty if it cannot, in a callback or after the shutdown.
    #[must_use]
    pub fn apps(&self) -> Vec<AppView> {
        let apps = self.call(Call::Apps).unwrap_or_default();
        let snapshot = self.inner.door.shared.publisher.load();
        apps.iter().map(|app| views::app(&snapshot, app)).collect()
    }

    /// Returns counters and totals. Does not wait.
    #[must_use]
    pub fn stats(&self) -> Stats {
        views::stats(&self.inner.door.shared)
    }

    // ------------------------------------------------------------------------------------------------ the whole

    /// Runs the update task once, and waits for it. It uses what the workers have processed of asks and reports: call
    /// [`quiesce`](Self::quiesce) first to include what was just sent. A heartbeat that is sent afterwards is decided under the
    /// new shares.
    ///
    /// If a policy or the clock panics in the update, this returns [`Refused::Panicked`], and an event reports it. Shares stay as
    /// they were, and the next update computes everything again.
    pub fn update_now(&self) -> Waited {
        self.update(&Patience::endless()).into()
    }

    /// As [`update_now`](Self::update_now), but waits at most for `time` ([`Refused::TimedOut`]).
    pub fn update_now_within(&self, time: Duration) -> Waited {
        self.update(&Patience::of(time)).into()
    }

    fn update(&self, patience: &Patience) -> Result<(), Refused> {
        self.open()?;
        self.may_wait()?;
        let (reply, answer) = bounded(1);
        self.inner.own.update.send(UpdateCall::Now(reply)).map_err(|_| self.gone("update"))?;
        self.answer(&answer, patience, "update")?
    }

    pub(super) fn quiet(&self, patience: &Patience) -> Result<(), Refused> {
        self.inner.door.quiet(patience)
    }
}

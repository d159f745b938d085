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
    AllocateRequest, Allocation, EventSink, EventSource, Heartbeat, NewAttempt, NodeSpec, RecoveredContainer, Reply,
    Submission, UpdateCall, allocate,
};
use crate::event::{AppAccess, Refused, Waited};
use crate::fair::allocations::{WatchCall, Watcher};
use crate::fair::control::FairCall;
use crate::fair::{
    AppView, Call, Control, ControlMessage, FairDecider, Parts, QueueConfig, QueueView, Shared, Stats, Threads, views,
};
use crate::id::ContainerId;
use crate::resource::Resource;
use crate::sync::Arc;
use crate::sync::channel::{Receiver, Sender, bounded};
use std::time::Duration;

/// A FairScheduler on threads of its own: workers that own the nodes, a control, the update task, the allocation file's
/// watcher and, where the settings say so, the async allocation thread and that of continuous scheduling.
///
/// A handle: clone it, send it, share it. The last one to go shuts the scheduler down, and waits for that unless it goes
/// on one of the scheduler's own threads, in a callback.
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
    /// A builder with Hadoop's defaults and one worker.
    pub fn builder() -> FairSchedulerBuilder {
        FairSchedulerBuilder::default()
    }

    pub(super) fn start(
        parts: Parts,
        watcher: Option<Watcher>,
        events: EventSource,
    ) -> Result<FairScheduler, BuildError> {
        let (shared, sink) = (parts.shared.clone(), parts.events.clone());
        let threads = Threads::start(parts, watcher).map_err(BuildError::Thread)?;
        Ok(FairScheduler::with(threads, shared, sink, events))
    }

    pub(super) fn start_with_workers(
        parts: Parts,
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

    /// Registers a node. Waits for the control.
    ///
    /// # Errors
    /// [`Refused::DuplicateNode`], [`Refused::NameTooLong`], [`Refused::BadPlaceName`], [`Refused::TooManyPlaces`] of its names;
    /// [`Refused::BadNode`], [`Refused::UnknownType`], [`Refused::ClusterTooLarge`] of its total; [`Refused::NoWorkers`];
    /// [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn add_node(&self, name: &str, rack: &str, total: Resource) -> Result<NodeHandle, Refused> {
        let spec = NodeSpec { name: name.to_owned(), rack: rack.to_owned(), total };
        self.call(|reply| Call::AddNode(spec, reply))?.map(NodeHandle)
    }

    /// Removes a node: its containers end as lost, its reservation goes. Waits for the control and its worker.
    ///
    /// # Errors
    /// [`Refused::NoSuchNode`] when it is gone already; [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn remove_node(&self, node: &NodeHandle) -> Result<(), Refused> {
        self.call_workers(|reply| Call::RemoveNode(node.0.clone(), reply))?
    }

    /// Gives a node a new total. Below what runs its free room is negative until containers end; nothing is killed.
    ///
    /// # Errors
    /// [`Refused::NoSuchNode`] when it is gone; [`Refused::BadNode`], [`Refused::UnknownType`], [`Refused::ClusterTooLarge`] of the total;
    /// [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn resize_node(&self, node: &NodeHandle, total: Resource) -> Result<(), Refused> {
        self.inner.door.resize_node(node, total, false)
    }

    /// Empties a node gracefully: from its next heartbeat on its total follows what still runs, so that nothing new fits, and
    /// [`SchedulerEvent::NodeDrained`](crate::SchedulerEvent::NodeDrained) tells when nothing runs. As in Hadoop a heartbeat still assigns
    /// what is free at that moment; what then is above the new total ends at once
    /// ([`EndReason::Preempted`](crate::EndReason::Preempted)).
    ///
    /// # Errors
    /// [`Refused::NoSuchNode`] when it is gone; [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn decommission_node(&self, node: &NodeHandle) -> Result<(), Refused> {
        self.inner.door.decommission_node(node)
    }

    /// A decommissioning node stays after all: it has the total again that it had before. Nothing happens where it is not
    /// decommissioning. `RMNodeImpl.RecommissionNodeTransition`.
    ///
    /// # Errors
    /// [`Refused::NoSuchNode`] when it is gone; [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn recommission_node(&self, node: &NodeHandle) -> Result<(), Refused> {
        self.inner.door.recommission_node(node)
    }

    /// Whether the scheduler is open and the worker alive.
    pub(super) fn owner_is_there(&self, worker: usize) -> Result<(), Refused> {
        self.inner.door.owner_is_there(worker)
    }

    /// Sends a node's report to the worker that owns it; never waits. The node is offered when the worker gets to it.
    ///
    /// # Errors
    /// [`Refused::Busy`], [`Refused::WorkerLost`], [`Refused::ShutDown`], or [`Refused::NoSuchNode`] when the node was removed: the
    /// heartbeat comes back.
    pub fn heartbeat(&self, heartbeat: Heartbeat) -> Result<(), Box<NotSent<Heartbeat>>> {
        self.inner.door.heartbeat(heartbeat)
    }

    /// Sends many reports, one message a worker: several times cheaper than one by one. Reports of removed nodes are
    /// taken and ignored.
    ///
    /// # Errors
    /// [`Refused::Busy`], [`Refused::WorkerLost`], [`Refused::ShutDown`], of one of the workers: the heartbeats for it come back, the
    /// others were taken.
    pub fn heartbeats(&self, heartbeats: Vec<Heartbeat>) -> Result<(), Box<NotSent<Vec<Heartbeat>>>> {
        self.door().heartbeats(heartbeats)
    }

    // ------------------------------------------------------------------------------------------------ applications

    /// Submits an application with its first attempt. Waits for the control. A managed AM's container is the first that
    /// [`allocate`](Self::allocate) brings; the ResourceManager fetches it and has its node start it.
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

    /// An AM's call: asks, releases and blacklist go to the workers, and what was granted since the last call comes back.
    /// It waits for nobody.
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

    /// Ends an application: its containers end, its reservations and outstanding asks go, and so does what its AM has not fetched: fetch it
    /// before, with an [`allocate`](Self::allocate), where it matters. Nodes are told what to stop where
    /// [`node_stops`](FairSchedulerBuilder::node_stops) is on. Waits for the control and all workers.
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`] when it has ended already; [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn finish(&self, app: &AppHandle) -> Result<(), Refused> {
        self.inner.door.finish_by(None, app)
    }

    /// The attempt has failed: its containers end, or with [`NewAttempt::keep_containers`] those that run go over, and another
    /// attempt of the same application begins in the same queue, younger than all that are there, with containers numbered
    /// from 1. The old handle is refused from now on. Outstanding asks go, and what the old AM has not fetched: the new one asks anew, and is
    /// told of what it keeps ([`AppHandle::kept_containers`]). Waits for the control and all workers.
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`] when the application has ended; [`Refused::InvalidResource`], [`Refused::ZeroMax`],
    /// [`Refused::NoLocation`], [`Refused::OthersLocation`] of the new AM's request: then, where containers were to be kept, nothing has
    /// changed; otherwise the application has ended too. [`Refused::NoWorkers`], [`Refused::Panicked`] (the clock),
    /// [`Refused::OwnThread`]; when the scheduler has been shut down.
    pub fn new_attempt(&self, app: &AppHandle, new: NewAttempt) -> Result<AppHandle, Refused> {
        self.inner.door.new_attempt(app, new)
    }

    /// Takes over a container that runs already: a node has registered with a ResourceManager that has been restarted, and says so. It is charged
    /// to the node, the application and its queues, whatever their limits say; it has an id from now on, and ends as any other. Its AM has it:
    /// no answer of `allocate` brings it. Submit the application first, [as it was](crate::Submission::recovered_in), with an AM that
    /// [runs](crate::AmRequest::running). As `AbstractYarnScheduler.recoverContainersOnNode`; whose application or attempt is over is not to be
    /// recovered but to be stopped, which is for the caller to see to.
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`], [`Refused::NoSuchNode`] of what is gone; [`Refused::UnknownType`], [`Refused::InvalidResource`] of its size;
    /// [`Refused::Busy`] where no record is left; [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn recover_container(
        &self,
        app: &AppHandle,
        node: &NodeHandle,
        container: RecoveredContainer,
    ) -> Result<ContainerId, Refused> {
        self.inner.door.recover_container(app, node, container)
    }

    /// Kills an application: to the scheduler the same as [`FairScheduler::finish`].
    ///
    /// # Errors
    /// As of [`FairScheduler::finish`].
    pub fn kill(&self, app: &AppHandle) -> Result<(), Refused> {
        self.finish(app)
    }

    /// The same on behalf of a user, who must have the right to: see [`FairScheduler::check_app`].
    ///
    /// # Errors
    /// [`Refused::AppAcl`] where he has not; [`Refused::NameTooLong`] of his name; otherwise as [`FairScheduler::finish`].
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

    /// The same on behalf of a user. With `yarn.acl.enable` he must have the right to change the application, see
    /// [`FairScheduler::check_app`], and to submit to the target or administer it: neither owner nor cluster administrator
    /// gets round that. `ClientRMService.moveApplicationAcrossQueues`.
    ///
    /// # Errors
    /// [`Refused::AppAcl`] or, for the target, [`Refused::Acl`] where he has not; [`Refused::NameTooLong`] of his name; otherwise as
    /// [`FairScheduler::move_app`].
    pub fn move_app_as(&self, user: &str, app: &AppHandle, queue: &str) -> Result<(), Refused> {
        self.inner.door.move_by(Some(user), app, queue)
    }

    // ------------------------------------------------------------------------------------------------ rights

    /// Whether the user has a right in a queue, given there or in a queue above it; none in a queue that is not there.
    /// The lists alone count: neither `yarn.acl.enable` nor `yarn.admin.acl`. `FairScheduler.checkAccess`.
    ///
    /// # Errors
    /// [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn has_access(&self, user: &str, queue: &str, access: QueueAccess) -> Result<bool, Refused> {
        self.inner.door.has_access(user, queue, access)
    }

    /// The ResourceManager's question: [`FairScheduler::has_access`], but without `yarn.acl.enable` everybody may do
    /// everything. `FairQueueACLsManager`.
    ///
    /// # Errors
    /// [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn permits(&self, user: &str, queue: &str, access: QueueAccess) -> Result<bool, Refused> {
        self.inner.door.permits(user, queue, access)
    }

    /// Whether the user is in `yarn.admin.acl`. The user whom Hadoop's ResourceManager runs as always is one there; here
    /// the embedder has to name it.
    ///
    /// # Errors
    /// [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn is_admin(&self, user: &str) -> Result<bool, Refused> {
        self.inner.door.is_admin(user)
    }

    /// Whether a user may see or change an application: without `yarn.acl.enable` everybody; with it the application's
    /// owner, a cluster administrator, and whoever may administer its queue. `ClientRMService.checkAccess`.
    ///
    /// # Errors
    /// [`Refused::AppAcl`] where he may not; [`Refused::NameTooLong`] of his name; [`Refused::NoSuchApp`] when the application has ended;
    /// [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn check_app(&self, user: &str, app: &AppHandle, access: AppAccess) -> Result<(), Refused> {
        self.inner.door.check_app(user, app, access)
    }

    // ------------------------------------------------------------------------------------------------ queues

    /// Where the placement rules put an application of a user who asks for a queue (`None`: for none); `None` where no rule
    /// decides, so that it would be refused. Nothing is created and no right is asked for.
    ///
    /// # Errors
    /// [`Refused::RuleFailed`], [`Refused::NoGroups`], [`Refused::NameTooLong`]; [`Refused::OwnThread`], [`Refused::TaskLost`],
    /// [`Refused::ShutDown`].
    pub fn place(&self, user: &str, queue: Option<&str>) -> Result<Option<String>, Refused> {
        let (user, queue) = (user.to_owned(), queue.map(str::to_owned));
        self.look(move |control| control.place(&user, queue.as_deref()))?
    }

    /// Makes an ad hoc queue before the first application enters it, with the parents that it needs; one that is there is
    /// left as it is. An empty one goes when housekeeping comes by.
    ///
    /// # Errors
    /// [`Refused::BadQueueName`], [`Refused::NameTooLong`], [`Refused::CannotCreate`]: parents made before the obstacle was met remain, as
    /// in Hadoop; [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn create_queue(&self, name: &str, leaf: bool) -> Result<(), Refused> {
        self.call(|reply| Call::Own(FairCall::AddQueue { name: name.to_owned(), leaf, reply }))?
    }

    /// What configuration makes of each queue, by name.
    ///
    /// # Errors
    /// [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn queue_configs(&self) -> Result<Vec<QueueConfig>, Refused> {
        self.look(Control::queue_configs)
    }

    /// The allocation file in force.
    ///
    /// # Errors
    /// [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn allocations(&self) -> Result<AllocationFile, Refused> {
        self.look(|control| control.allocations().clone())
    }

    /// The placement rules in force: those of the last file that had any, or of the settings.
    ///
    /// # Errors
    /// [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn placement_rules(&self) -> Result<Vec<PlacementRule>, Refused> {
        self.look(|control| control.placement_rules().to_vec())
    }

    // ------------------------------------------------------------------------------------------------ administration

    /// Takes new allocations, read by the embedder, as if the watcher had found them: empty dynamic queues go and waiting
    /// changes of a queue's type are tried again first. Scheduling goes on meanwhile, under the old allocations until the
    /// new ones are published; then this returns. Waits for the control.
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
    /// [`Refused::BadAllocations`] when they cannot be; [`Refused::ReloadBrokeOff`]; [`Refused::OwnThread`], [`Refused::TaskLost`],
    /// [`Refused::ShutDown`].
    pub fn reload(&self, allocations: AllocationFile) -> Result<(), Refused> {
        self.open()?.lanes.control.send(ControlMessage::CleanUp).map_err(|_| self.gone(CONTROL))?;
        self.call(|reply| Call::Reload(Box::new(allocations), reply))?
    }

    /// What `yarn rmadmin -refreshQueues` does: the allocation file is read again at once, whether or not it has changed. Reservable queues
    /// that are new become plans, which the watcher's looks do not lead to.
    /// Returns what was accepted but is probably a mistake. Scheduling goes on meanwhile. The event channel is told as well.
    ///
    /// The administrator's command also reads the largest container again: see
    /// [`set_maximum_allocation`](Self::set_maximum_allocation).
    ///
    /// It waits a minute at most; see [`refresh_queues_within`](Self::refresh_queues_within).
    ///
    /// # Errors
    /// [`Refused::NoAllocationFile`] when there is no file to read; [`Refused::BadAllocations`] when it cannot be read or is not valid:
    /// what was in force stays; [`Refused::ReloadBrokeOff`]; [`Refused::PlanClass`] of a new plan; [`Refused::Panicked`] when the source panics; [`Refused::TimedOut`] when it
    /// takes too long: what it reads in the end still takes effect; [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`],
    /// also when that comes meanwhile.
    pub fn refresh_queues(&self) -> Result<Vec<Diagnostic>, Refused> {
        self.refresh_queues_within(REFRESH)
    }

    /// The same, and waits so long at most.
    ///
    /// # Errors
    /// As of [`refresh_queues`](Self::refresh_queues).
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

    /// Sets another largest container ([`Settings::maximum`](crate::Settings::maximum)), as `yarn rmadmin -refreshQueues`
    /// does with the yarn-site properties that it reads again. All other properties stay as they were at the start. Asks
    /// made before stay as they are.
    ///
    /// # Errors
    /// [`Refused::BadMaximum`]; [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn set_maximum_allocation(&self, maximum: Resource) -> Result<(), Refused> {
        self.call(|reply| Call::SetMaximum(maximum, reply))?
    }

    // ------------------------------------------------------------------------------------------------ views

    /// All queues, by name.
    #[must_use]
    pub fn queues(&self) -> Vec<QueueView> {
        views::queues(&self.inner.door.shared.publisher.load())
    }

    /// An application by its number.
    #[must_use]
    pub fn app(&self, number: u32) -> Option<AppView> {
        let app = self.call(|reply| Call::App(number, reply)).ok()??;
        Some(views::app(&self.inner.door.shared.publisher.load(), &app))
    }

    /// All applications, by number.
    #[must_use]
    pub fn apps(&self) -> Vec<AppView> {
        let apps = self.call(Call::Apps).unwrap_or_default();
        let snapshot = self.inner.door.shared.publisher.load();
        apps.iter().map(|app| views::app(&snapshot, app)).collect()
    }

    /// Counters and totals.
    #[must_use]
    pub fn stats(&self) -> Stats {
        views::stats(&self.inner.door.shared)
    }

    // ------------------------------------------------------------------------------------------------ the whole

    /// Runs the update task once and waits for it. It goes by what the workers have worked off of asks and reports: those that were sent
    /// a moment ago it sees after a [`quiesce`](Self::quiesce). A heartbeat that is sent after it is decided under the new shares.
    ///
    /// Where a policy or the clock panics in it that is told as an event, and here ([`Refused::Panicked`]): shares stay as they were, and the
    /// task begins anew with the next update. Not done, too, for [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn update_now(&self) -> Waited {
        self.update(&Patience::endless()).into()
    }

    /// The same, and waits so long at most ([`Refused::TimedOut`]).
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

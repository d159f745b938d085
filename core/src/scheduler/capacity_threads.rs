//! The threaded CapacityScheduler: workers, the control, and the preemption monitor where the configuration has it.

use super::capacity::{CapacitySchedulerBuilder, take_to_tell};
use super::door::{Door, NotSent};
use super::handles::{AppHandle, NodeHandle};
use super::inner::{Inner, weak_handle};
use super::journal::Journal;
use crate::capacity::{
    CapacityAppView, CapacityCall, CapacityConfiguration, CapacityDecider, CapacityNotOffered, CapacityQueueView,
    CapacityShard as Shard, CapacityStats, Refresh, SubmitTerms, called, capacity_stats, order_round,
};
use crate::engine::driver::threads_and_steps::Threads;
use crate::engine::intake::calls::Call;
use crate::engine::{
    AllocateRequest, Allocation, Heartbeat, NewNode, RecoveredContainer, Submission, allocate, ask_one, ask_workers,
};
use crate::event::Refused;
use crate::id::ContainerId;
use crate::resource::Resource;
use crate::sync::Arc;
use crate::sync::channel::bounded;

/// A CapacityScheduler on threads of its own, which decides as that of Hadoop 3.4.2.
///
/// The threads: the workers, which own the nodes and keep the books; the control; and the preemption monitor, if
/// `yarn.resourcemanager.scheduler.monitor.enable` is set.
///
/// This type is a handle: clone it, send it and share it. The scheduler shuts down when the last handle is dropped. The drop
/// waits for the shutdown, except on one of the scheduler's own threads, in a callback.
///
/// ```
/// use evenweave::{
///     AllocateRequest, Allocation, Ask, CapacityConfiguration, CapacityScheduler, Heartbeat, Resource, Submission,
/// };
///
/// let queues = [
///     ("yarn.scheduler.capacity.root.queues", "default"),
///     ("yarn.scheduler.capacity.root.default.capacity", "100"),
/// ];
/// let scheduler = CapacityScheduler::builder(CapacityConfiguration::from_properties([], queues)?).start()?;
/// let node = scheduler.add_node("n1", "/r1", Resource::new(8192, 8))?;
/// let app = scheduler.submit(Submission::new(1, "ann"))?;
/// let (mut request, mut answer) = (AllocateRequest::default(), Allocation::default());
/// request.asks.push(Ask::anywhere(1, Resource::new(1024, 1), 2));
/// scheduler.allocate(&app, &request, &mut answer)?;
/// scheduler.quiesce(); // asks travel
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
pub struct CapacityScheduler {
    inner: Arc<Whole>,
}

/// The door of a CapacityScheduler with threads.
pub(super) type RunningDoor = Door<CapacityDecider, Threads<CapacityDecider>>;

type Whole = Inner<CapacityDecider, Threads<CapacityDecider>, ()>;

weak_handle!(WeakCapacityScheduler of CapacityScheduler: Whole);

impl CapacityScheduler {
    /// Returns a builder for a configuration: the contents of `yarn-site.xml` and `capacity-scheduler.xml`.
    pub fn builder(configuration: CapacityConfiguration) -> CapacitySchedulerBuilder {
        CapacitySchedulerBuilder::new(configuration)
    }

    pub(super) fn of(door: RunningDoor) -> CapacityScheduler {
        CapacityScheduler { inner: Arc::new(Inner { door, own: () }) }
    }

    pub(super) fn door(&self) -> &RunningDoor {
        &self.inner.door
    }

    /// Asks one worker: the books of each have all queues and applications.
    fn first<T: Send + 'static>(&self, what: impl FnOnce(&mut Shard) -> T + Send + 'static) -> Result<T, Refused> {
        ask_one(self.door().open_to_wait()?, what)
    }

    // ------------------------------------------------------------------------------------------------ nodes

    /// Registers a node with its name, its rack and its total (memory in MiB, vcores, further types). Waits for the control.
    ///
    /// # Errors
    /// [`Refused::DuplicateNode`], [`Refused::NameTooLong`], [`Refused::BadPlaceName`], [`Refused::TooManyPlaces`] of its names;
    /// [`Refused::BadNode`], [`Refused::UnknownType`], [`Refused::ClusterTooLarge`] of its total; [`Refused::NoWorkers`];
    /// [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn add_node(&self, name: &str, rack: &str, total: Resource) -> Result<NodeHandle, Refused> {
        self.door().add_node(name, rack, total)
    }

    /// Registers a node together with the containers that run on it, as
    /// [`FairScheduler::add_node_with_containers`](crate::FairScheduler::add_node_with_containers).
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

    /// Removes a node. Its containers end as [`NodeLost`](crate::EndReason::NodeLost). Waits for the control and the node's
    /// worker.
    ///
    /// # Errors
    /// [`Refused::NoSuchNode`] if it is already removed; [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn remove_node(&self, node: &NodeHandle) -> Result<(), Refused> {
        self.door().call_workers(|reply| Call::RemoveNode(node.0.clone(), reply))?
    }

    /// Sends a node's report to the worker that owns the node. Never waits. The worker offers the node when it processes the
    /// report, unless `schedule-asynchronously` is on.
    ///
    /// # Errors
    /// [`Refused::Busy`], [`Refused::WorkerLost`], [`Refused::ShutDown`], or [`Refused::NoSuchNode`] if the node was removed: the
    /// heartbeat comes back.
    pub fn heartbeat(&self, heartbeat: Heartbeat) -> Result<(), Box<NotSent<Heartbeat>>> {
        self.door().heartbeat(heartbeat)
    }

    /// Sends many reports, in one message to each worker. Never waits.
    ///
    /// # Errors
    /// Those that were not taken come back: [`Refused::Busy`], [`Refused::WorkerLost`], [`Refused::ShutDown`].
    pub fn heartbeats(&self, heartbeats: Vec<Heartbeat>) -> Result<(), Box<NotSent<Vec<Heartbeat>>>> {
        self.door().heartbeats(heartbeats)
    }

    // ------------------------------------------------------------------------------------------------ applications

    /// Submits an application with its first attempt. Waits for the control. Its priority is the default that
    /// `acl_application_max_priority` of its leaf queue has for the user, otherwise the queue's.
    ///
    /// # Errors
    /// [`Refused::DuplicateApp`]; [`Refused::NameTooLong`] of its names; [`Refused::RuleFailed`], [`Refused::AmbiguousQueue`],
    /// [`Refused::NoSuchQueue`], [`Refused::NotMade`], [`Refused::OnlyByRule`], [`Refused::OtherParent`], [`Refused::NotLeaf`],
    /// [`Refused::Stopped`] of its queue; [`Refused::TooManyApps`], [`Refused::QueueFull`],
    /// [`Refused::UserFull`] of limits; [`Refused::Acl`], [`Refused::PriorityAcl`],
    /// [`Refused::NoDefaultPriority`] of rights; [`Refused::InvalidResource`], [`Refused::NoLocation`],
    /// [`Refused::OthersLocation`] of the AM's request; [`Refused::NoWorkers`], [`Refused::Panicked`] (the clock); [`Refused::OwnThread`],
    /// [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn submit(&self, submission: Submission) -> Result<AppHandle, Refused> {
        self.door().call(|reply| Call::Submit(submission, reply))?.map(AppHandle)
    }

    /// As [`submit`](Self::submit), with a priority. A larger number is more important. It is cut to
    /// `yarn.cluster.max-application-priority`.
    ///
    /// # Errors
    /// Those of [`CapacityScheduler::submit`].
    pub fn submit_with_priority(&self, submission: Submission, priority: i32) -> Result<AppHandle, Refused> {
        self.submit_with(submission, SubmitTerms::default().with_priority(priority))
    }

    /// As [`submit`](Self::submit), with everything that a submission may ask for.
    ///
    /// # Errors
    /// Those of [`CapacityScheduler::submit`], and [`Refused::BadLifetime`].
    pub fn submit_with(&self, submission: Submission, terms: SubmitTerms) -> Result<AppHandle, Refused> {
        let call = |reply| Call::Own(CapacityCall::Submit(Box::new(submission), terms, reply));
        self.door().call(call)?.map(AppHandle)
    }

    /// An AM's call. Never waits. Asks take effect when the worker processes them. The headroom is the worker's last value:
    /// computed at the application's last asks or releases, or after a call without any.
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`], [`Refused::NoAm`] of the application; [`Refused::InvalidResource`], [`Refused::InvalidBlacklist`],
    /// [`Refused::NoLocation`], [`Refused::OthersLocation`], [`Refused::TooManyKeys`] of the request; [`Refused::WorkerLost`];
    /// [`Refused::Panicked`] of the clock: the mail is still there; [`Refused::ShutDown`]. Nothing has changed then, except, with
    /// [`Refused::Busy`], what was sent before: try again with the same request.
    pub fn allocate(&self, app: &AppHandle, request: &AllocateRequest, answer: &mut Allocation) -> Result<(), Refused> {
        let shared = self.door().open()?;
        allocate(shared, &app.0, request, answer)?;
        answer.strict_preemptions = take_to_tell(app);
        if request.asks.is_empty() && request.releases.is_empty() {
            // Whoever asks for something, or gives something back, has it worked out by that.
            called(shared, &app.0);
        }
        Ok(())
    }

    /// What an application can still get: the worker's last value. Never waits.
    #[must_use]
    pub fn headroom(&self, app: &AppHandle) -> Resource {
        app.0.headroom.read()
    }

    /// Ends an application: its containers, reservations and outstanding asks. Waits for the control and all workers.
    ///
    /// What its AM has not fetched is dropped too. If it matters, fetch it before, with [`allocate`](Self::allocate). With
    /// [`node_stops`](CapacitySchedulerBuilder::node_stops) the nodes are told what to stop.
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`] if it has already ended; [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn finish(&self, app: &AppHandle) -> Result<(), Refused> {
        self.door().finish_by(None, app)
    }

    /// Moves an application to another leaf queue. Waits for the control and all workers.
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`]; [`Refused::NoSuchQueue`], [`Refused::NameTooLong`], [`Refused::NotLeaf`], [`Refused::Stopped`],
    /// [`Refused::QueueFull`], [`Refused::UserFull`] of the target; [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn move_app(&self, app: &AppHandle, queue: &str) -> Result<(), Refused> {
        self.door().move_by(None, app, queue)
    }

    /// Changes the priority of an application. It is cut to `yarn.cluster.max-application-priority`. Waits for the control.
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`] if it has ended; [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn set_priority(&self, app: &AppHandle, priority: i32) -> Result<(), Refused> {
        self.set_priority_by(None, app, priority)
    }

    pub(super) fn set_priority_by(&self, by: Option<&str>, app: &AppHandle, priority: i32) -> Result<(), Refused> {
        let (app, by) = (app.0.clone(), by.map(str::to_owned));
        self.door().call(|reply| Call::Own(CapacityCall::SetPriority { app, by, priority, reply }))?
    }

    // ------------------------------------------------------------------------------------------------ administration

    /// Refreshes the queues from the properties of another `capacity-scheduler.xml`, under their full names, which are read on
    /// the caller's thread. The site's properties stay. Waits for the control.
    ///
    /// # Errors
    /// [`Refused::BadConfiguration`]: the queues are as before, except with
    /// [`rules_last`](CapacitySchedulerBuilder::rules_last); [`Refused::OwnThread`], [`Refused::TaskLost`],
    /// [`Refused::ShutDown`].
    pub fn refresh_queues<'a>(&self, properties: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<(), Refused> {
        let read = self.configuration()?.read_queues(properties);
        self.refresh_from(Refresh::from_read(read)?)
    }

    /// As [`refresh_queues`](Self::refresh_queues), from what was read before, as
    /// [`CapacityStepped::refresh_with`](crate::CapacityStepped::refresh_with). Waits for the control.
    ///
    /// # Errors
    /// As of that call, and [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn refresh_with(&self, configuration: CapacityConfiguration) -> Result<(), Refused> {
        let refresh = Refresh::with(configuration, &self.configuration()?)?;
        self.refresh_from(refresh)
    }

    fn refresh_from(&self, refresh: Refresh) -> Result<(), Refused> {
        self.door().call(|reply| Call::Reload(Box::new(refresh), reply))??;
        self.refresh_plans()
    }

    /// Makes one round of the preemption policy, as [`CapacityStepped::preempt`](crate::CapacityStepped::preempt), and waits for
    /// it.
    ///
    /// # Errors
    /// Those of that call, and [`Refused::WorkerLost`], [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn preempt(&self) -> Result<Vec<(u32, u32)>, Refused> {
        let settings = self.door().look(|control| control.preemption_settings())??;
        let (reply, marked) = bounded(1);
        order_round(self.door().open_to_wait()?, settings, reply);
        // A worker that panics drops what it is asked.
        marked.recv().map_err(|_| Refused::WorkerLost(0))
    }

    /// Makes one round of the policy that removes queues, as
    /// [`CapacityStepped::expire_queues`](crate::CapacityStepped::expire_queues). Waits for the control.
    ///
    /// # Errors
    /// [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn expire_queues(&self) -> Result<(), Refused> {
        self.door().call(|reply| Call::Own(CapacityCall::ExpireQueues(reply)))
    }

    /// Makes one round of the policy that divides the capacity of managed parents, as
    /// [`CapacityStepped::manage_queues`](crate::CapacityStepped::manage_queues). Waits for the control.
    ///
    /// # Errors
    /// [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn manage_queues(&self) -> Result<(), Refused> {
        self.door().call(|reply| Call::Own(CapacityCall::ManageQueues(reply)))
    }

    /// Makes one round of asynchronous scheduling, as [`CapacityStepped::offer_all`](crate::CapacityStepped::offer_all). With
    /// `schedule-asynchronously` a thread sends one every `scheduling-interval-ms`, unless the last one is still under way.
    ///
    /// # Errors
    /// [`Refused::OwnThread`], [`Refused::WorkerLost`], [`Refused::ShutDown`].
    pub fn offer_all(&self, first: usize) -> Result<(), Refused> {
        ask_workers(self.door().open_to_wait()?, move |shard| shard.offer_from(first))?;
        Ok(())
    }

    /// Returns the leaf queue in which an application of this user who asks for `queue` (`None`: for no queue) would be placed,
    /// by mapping rules and names. `None` if there is no such leaf queue. Checks no limit, right or state. Waits for the control.
    ///
    /// # Errors
    /// [`Refused::RuleFailed`], [`Refused::AmbiguousQueue`], [`Refused::NameTooLong`]; [`Refused::OwnThread`], [`Refused::TaskLost`],
    /// [`Refused::ShutDown`].
    pub fn place(&self, user: &str, queue: Option<&str>) -> Result<Option<String>, Refused> {
        let (user, queue) = (user.to_owned(), queue.map(str::to_owned));
        self.door().look(move |control| control.place(&user, queue.as_deref()))?
    }

    /// Returns the configuration in force: the site's, with the queues of the last accepted refresh. Waits for the control.
    ///
    /// # Errors
    /// [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn configuration(&self) -> Result<CapacityConfiguration, Refused> {
        self.door().look(|control| control.configuration())
    }

    // ------------------------------------------------------------------------------------------------ views

    /// Returns all queues, by path. With `with_limits` it also computes what each user may use. Waits for a worker.
    ///
    /// # Errors
    /// [`Refused::WorkerLost`], [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn queues(&self, with_limits: bool) -> Result<Vec<CapacityQueueView>, Refused> {
        let queues = self.door().look(|control| control.queues_and_applications())?;
        self.first(move |shard| shard.capacity_queues(&queues, with_limits))
    }

    /// Returns an application by its number. Waits for a worker.
    ///
    /// # Errors
    /// [`Refused::WorkerLost`], [`Refused::OwnThread`], [`Refused::ShutDown`].
    pub fn app(&self, number: u32) -> Result<Option<CapacityAppView>, Refused> {
        self.first(move |shard| shard.capacity_app(number))
    }

    /// Returns all applications, by number. Waits for a worker.
    ///
    /// # Errors
    /// [`Refused::WorkerLost`], [`Refused::OwnThread`], [`Refused::ShutDown`].
    pub fn apps(&self) -> Result<Vec<CapacityAppView>, Refused> {
        self.first(|shard| shard.capacity_apps())
    }

    /// Returns why an application is offered no node now; `None` if only nodes, or the limits of queues and users, stand against
    /// it. [`why_waiting`](Self::why_waiting) covers these limits. Waits for the workers.
    ///
    /// # Errors
    /// [`Refused::WorkerLost`], [`Refused::OwnThread`], [`Refused::ShutDown`].
    pub fn not_offered(&self, app: &AppHandle) -> Result<Option<CapacityNotOffered>, Refused> {
        let app = app.0.clone();
        // Who decides about it knows best.
        let look = move |shard: &mut Shard| (shard.decides_about(&app), shard.why_not_offered(&app));
        let mut answers = ask_workers(self.door().open_to_wait()?, look)?;
        answers.sort_by_key(|(decides, _)| !decides);
        answers.into_iter().next().map(|(_, answer)| answer).ok_or(Refused::WorkerLost(0))
    }

    /// Returns counters and totals. Never waits.
    #[must_use]
    pub fn stats(&self) -> CapacityStats {
        capacity_stats(&self.door().shared)
    }

    /// Returns what happened since its last call, and the present reservations, with a
    /// [journal](CapacitySchedulerBuilder::journal). Waits for the workers.
    ///
    /// # Errors
    /// [`Refused::WorkerLost`], [`Refused::OwnThread`], [`Refused::ShutDown`].
    pub fn take_journal(&self) -> Result<Journal, Refused> {
        let noted = ask_workers(self.door().open_to_wait()?, |shard| (shard.take_noted(), shard.reservations()))?;
        let (mut journal, mut reserved) = (Journal::default(), Vec::new());
        for (noted, stand) in noted {
            journal.note(noted);
            reserved.extend(stand);
        }
        let nodes = self.door().shared.nodes.lock().ids();
        journal.finish(&nodes, reserved, Vec::new());
        Ok(journal)
    }
}

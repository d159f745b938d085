//! The threaded CapacityScheduler: workers, the control, and the preemption monitor where the configuration has it.

use super::capacity::{CapacitySchedulerBuilder, take_to_tell};
use super::door::{Door, NotSent};
use super::handles::{AppHandle, NodeHandle};
use super::inner::{Inner, weak_handle};
use super::journal::Journal;
use crate::capacity::{
    CapacityAppView, CapacityCall, CapacityConfiguration, CapacityDecider, CapacityNotOffered, CapacityQueueView,
    CapacityShard as Shard, CapacityStats, Refresh, SubmitTerms, called, capacity_stats, order_round, unsupported,
};
use crate::engine::control::Call;
use crate::engine::driver::threads_and_steps::Threads;
use crate::engine::{AllocateRequest, Allocation, Heartbeat, NodeSpec, Submission, allocate, ask_one, ask_workers};
use crate::event::Refused;
use crate::resource::Resource;
use crate::sync::Arc;
use crate::sync::channel::bounded;

/// A CapacityScheduler on threads of its own, as Hadoop 3.4.2 decides: workers that own the nodes and keep the books, a
/// control, and the preemption monitor where `yarn.resourcemanager.scheduler.monitor.enable` is set.
///
/// A handle: clone it, send it, share it. The last one to go shuts the scheduler down, and waits for that unless it goes on one of the
/// scheduler's own threads, in a callback.
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

/// With the site's configuration, and the first queues.
type Whole = Inner<CapacityDecider, Threads<CapacityDecider>, CapacityConfiguration>;

weak_handle!(WeakCapacityScheduler of CapacityScheduler: Whole);

impl CapacityScheduler {
    /// Begins to build one, of what `yarn-site.xml` and `capacity-scheduler.xml` say.
    pub fn builder(configuration: CapacityConfiguration) -> CapacitySchedulerBuilder {
        CapacitySchedulerBuilder::new(configuration)
    }

    pub(super) fn of(door: RunningDoor, configuration: CapacityConfiguration) -> CapacityScheduler {
        CapacityScheduler { inner: Arc::new(Inner { door, own: configuration }) }
    }

    pub(super) fn door(&self) -> &RunningDoor {
        &self.inner.door
    }

    /// Asks one worker: the books of each have all queues and applications.
    fn first<T: Send + 'static>(&self, what: impl FnOnce(&mut Shard) -> T + Send + 'static) -> Result<T, Refused> {
        ask_one(self.door().open_to_wait()?, what)
    }

    // ------------------------------------------------------------------------------------------------ nodes

    /// Registers a node.
    ///
    /// # Errors
    /// [`Refused::DuplicateNode`], [`Refused::NameTooLong`], [`Refused::BadPlaceName`], [`Refused::TooManyPlaces`] of its names;
    /// [`Refused::BadNode`], [`Refused::UnknownType`], [`Refused::ClusterTooLarge`] of its total; [`Refused::NoWorkers`];
    /// [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn add_node(&self, name: &str, rack: &str, total: Resource) -> Result<NodeHandle, Refused> {
        let spec = NodeSpec { name: name.to_owned(), rack: rack.to_owned(), total };
        self.door().call(|reply| Call::AddNode(spec, reply))?.map(NodeHandle)
    }

    /// Removes a node: its containers end as lost.
    ///
    /// # Errors
    /// [`Refused::NoSuchNode`] when it is gone already; [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn remove_node(&self, node: &NodeHandle) -> Result<(), Refused> {
        self.door().call_workers(|reply| Call::RemoveNode(node.0.clone(), reply))?
    }

    /// A node reports, and is offered, unless `schedule-asynchronously` is on; waits for nothing.
    ///
    /// # Errors
    /// [`Refused::Busy`], [`Refused::WorkerLost`], [`Refused::ShutDown`], or [`Refused::NoSuchNode`] when the node was removed: the
    /// heartbeat comes back.
    pub fn heartbeat(&self, heartbeat: Heartbeat) -> Result<(), Box<NotSent<Heartbeat>>> {
        self.door().heartbeat(heartbeat)
    }

    /// Nodes report, each as with [`heartbeat`](Self::heartbeat), in one message.
    ///
    /// # Errors
    /// Those that were not taken come back: [`Refused::Busy`], [`Refused::WorkerLost`], [`Refused::ShutDown`].
    pub fn heartbeats(&self, heartbeats: Vec<Heartbeat>) -> Result<(), Box<NotSent<Vec<Heartbeat>>>> {
        self.door().heartbeats(heartbeats)
    }

    // ------------------------------------------------------------------------------------------------ applications

    /// Submits an application with its first attempt, with the default priority that `acl_application_max_priority` of its leaf queue has for
    /// the user, else the queue's.
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

    /// The same with a priority: a larger number is more important. It is cut to `yarn.cluster.max-application-priority`.
    ///
    /// # Errors
    /// As of [`CapacityScheduler::submit`].
    pub fn submit_with_priority(&self, submission: Submission, priority: i32) -> Result<AppHandle, Refused> {
        self.submit_with(submission, SubmitTerms::default().with_priority(priority))
    }

    /// The same with all that a submission may ask for.
    ///
    /// # Errors
    /// As of [`CapacityScheduler::submit`], and [`Refused::BadLifetime`].
    pub fn submit_with(&self, submission: Submission, terms: SubmitTerms) -> Result<AppHandle, Refused> {
        let call = |reply| Call::Own(CapacityCall::Submit(Box::new(submission), terms, reply));
        self.door().call(call)?.map(AppHandle)
    }

    /// An AM's call. It never waits: asks take effect when the worker comes to them. The headroom is what the worker worked out last: at
    /// the application's last asks or releases, or after a call without any.
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

    /// What an application can still get, as the worker worked it out last.
    #[must_use]
    pub fn headroom(&self, app: &AppHandle) -> Resource {
        app.0.headroom.read()
    }

    /// Ends an application: its containers end, its reservations and outstanding asks go, and so does what its AM has not fetched: fetch it
    /// before, with an [`allocate`](Self::allocate), where it matters. Nodes are told what to stop where
    /// [`node_stops`](CapacitySchedulerBuilder::node_stops) is on. Waits for the control and all workers.
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`] when it has ended already; [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn finish(&self, app: &AppHandle) -> Result<(), Refused> {
        self.door().finish_by(None, app)
    }

    /// Moves an application to another leaf queue.
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`]; [`Refused::NoSuchQueue`], [`Refused::NameTooLong`], [`Refused::NotLeaf`], [`Refused::Stopped`],
    /// [`Refused::QueueFull`], [`Refused::UserFull`] of the target; [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn move_app(&self, app: &AppHandle, queue: &str) -> Result<(), Refused> {
        self.door().move_by(None, app, queue)
    }

    /// Gives an application another priority. It is cut to `yarn.cluster.max-application-priority`.
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`] when it has ended; [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn set_priority(&self, app: &AppHandle, priority: i32) -> Result<(), Refused> {
        self.set_priority_by(None, app, priority)
    }

    pub(super) fn set_priority_by(&self, by: Option<&str>, app: &AppHandle, priority: i32) -> Result<(), Refused> {
        let (app, by) = (app.0.clone(), by.map(str::to_owned));
        self.door().call(|reply| Call::Own(CapacityCall::SetPriority { app, by, priority, reply }))?
    }

    // ------------------------------------------------------------------------------------------------ administration

    /// Refreshes the queues: properties of another `capacity-scheduler.xml`, under their full names, which are read on the caller's thread.
    /// The site's stay.
    ///
    /// # Errors
    /// [`Refused::BadConfiguration`]: the queues are as before; [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn refresh_queues<'a>(&self, properties: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<(), Refused> {
        let read = self.inner.own.with_queues(properties);
        if let Some(missing) = read.as_ref().ok().and_then(unsupported) {
            return Err(Refused::BadConfiguration(missing.to_string()));
        }
        self.door().call(|reply| Call::Reload(Box::new(Refresh::Queues(Box::new(read))), reply))??;
        self.refresh_plans()
    }

    /// One round of the preemption policy, as [`CapacityStepped::preempt`](crate::CapacityStepped::preempt).
    ///
    /// # Errors
    /// As there, and [`Refused::WorkerLost`], [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn preempt(&self) -> Result<Vec<(u32, u32)>, Refused> {
        let settings = self.door().look(|control| control.preemption_settings())??;
        let (reply, marked) = bounded(1);
        order_round(self.door().open_to_wait()?, settings, reply);
        // A worker that panics drops what it is asked.
        marked.recv().map_err(|_| Refused::WorkerLost(0))
    }

    /// One round of the policy that removes queues, as [`CapacityStepped::expire_queues`](crate::CapacityStepped::expire_queues).
    ///
    /// # Errors
    /// [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn expire_queues(&self) -> Result<(), Refused> {
        self.door().call(|reply| Call::Own(CapacityCall::ExpireQueues(reply)))
    }

    /// One round of the policy that divides what managed parents have, as
    /// [`CapacityStepped::manage_queues`](crate::CapacityStepped::manage_queues).
    ///
    /// # Errors
    /// [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn manage_queues(&self) -> Result<(), Refused> {
        self.door().call(|reply| Call::Own(CapacityCall::ManageQueues(reply)))
    }

    /// One round of asynchronous scheduling, as [`CapacityStepped::offer_all`](crate::CapacityStepped::offer_all); with
    /// `schedule-asynchronously` a thread sends one each `scheduling-interval-ms`, unless the last is still under way.
    ///
    /// # Errors
    /// [`Refused::OwnThread`], [`Refused::WorkerLost`], [`Refused::ShutDown`].
    pub fn offer_all(&self, first: usize) -> Result<(), Refused> {
        ask_workers(self.door().open_to_wait()?, move |shard| shard.offer_from(first))?;
        Ok(())
    }

    /// Where an application of a user who asks for a queue (`None`: for none) would go, by mapping rules and names; `None` where there is no
    /// such leaf queue. No limit, right or state is looked at.
    ///
    /// # Errors
    /// [`Refused::RuleFailed`], [`Refused::AmbiguousQueue`], [`Refused::NameTooLong`]; [`Refused::OwnThread`], [`Refused::TaskLost`],
    /// [`Refused::ShutDown`].
    pub fn place(&self, user: &str, queue: Option<&str>) -> Result<Option<String>, Refused> {
        let (user, queue) = (user.to_owned(), queue.map(str::to_owned));
        self.door().look(move |control| control.place(&user, queue.as_deref()))?
    }

    /// The configuration in force: the site's with the queues of the last refresh that was taken.
    ///
    /// # Errors
    /// [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn configuration(&self) -> Result<CapacityConfiguration, Refused> {
        self.door().look(|control| control.configuration())
    }

    // ------------------------------------------------------------------------------------------------ views

    /// All queues, by path. `with_limits`: what each user may use is worked out for it.
    ///
    /// # Errors
    /// [`Refused::WorkerLost`], [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn queues(&self, with_limits: bool) -> Result<Vec<CapacityQueueView>, Refused> {
        let queues = self.door().look(|control| control.queues_and_applications())?;
        self.first(move |shard| shard.capacity_queues(&queues, with_limits))
    }

    /// An application by its number.
    ///
    /// # Errors
    /// [`Refused::WorkerLost`], [`Refused::OwnThread`], [`Refused::ShutDown`].
    pub fn app(&self, number: u32) -> Result<Option<CapacityAppView>, Refused> {
        self.first(move |shard| shard.capacity_app(number))
    }

    /// All applications, by number.
    ///
    /// # Errors
    /// [`Refused::WorkerLost`], [`Refused::OwnThread`], [`Refused::ShutDown`].
    pub fn apps(&self) -> Result<Vec<CapacityAppView>, Refused> {
        self.first(|shard| shard.capacity_apps())
    }

    /// Why an application is offered no node, as things stand; `None` where nothing stands against it but nodes, and the limits of queues
    /// and users, which [`why_waiting`](Self::why_waiting) looks at, too. Asks the worker and waits for it.
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

    /// Counters and totals. Waits for nobody.
    #[must_use]
    pub fn stats(&self) -> CapacityStats {
        capacity_stats(&self.door().shared)
    }

    /// What happened since this was last called, and the reservations that stand: with a
    /// [journal](CapacitySchedulerBuilder::journal).
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
        let nodes: Vec<_> = self.door().shared.nodes.lock().keys().copied().collect();
        journal.finish(&nodes, reserved, Vec::new());
        Ok(journal)
    }
}

//! The CapacityScheduler's builder, and the scheduler without threads.

use super::build_error::BuildError;
use super::capacity_threads::{CapacityScheduler, RunningDoor, WeakCapacityScheduler};
use super::door::Door;
use super::handles::{AppHandle, NodeHandle};
use super::journal::Journal;
use super::options::{Options, OwnHandle, introduce, setters_of_options, wake_up_with_handle};
use super::steps::Stepping;
use super::worker::Worker;
use crate::app::Ask;
use crate::capacity::{
    CapacityAppView, CapacityConfiguration, CapacityControl, CapacityDecider, CapacityNotOffered, CapacityQueueView,
    CapacityShard, CapacityStats, Refresh, SubmitTerms, capacity_stats, order_round, unsupported,
};
use crate::caught::caught;
use crate::clock::{Clock, MonotonicClock, VirtualClock};
use crate::config::capacity::CapacityFileError;
use crate::engine::{AllocateRequest, Allocation, EventSource, Heartbeat, Parts, Submission, collect, events, warn_of};
use crate::event::Refused;
use crate::id::ContainerId;
use crate::resource::Resource;
use crate::sync::Arc;
use crate::sync::channel::bounded;
use std::borrow::Borrow;
use std::fmt;

/// Builds a CapacityScheduler; see [`CapacityScheduler::builder`].
#[must_use = "a builder does nothing until `stepped` is called"]
pub struct CapacitySchedulerBuilder {
    configuration: CapacityConfiguration,
    options: Options,
    /// Where the wake-up finds the scheduler.
    own_handle: OwnHandle<WeakCapacityScheduler>,
}

impl fmt::Debug for CapacitySchedulerBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CapacitySchedulerBuilder").finish_non_exhaustive()
    }
}

impl CapacitySchedulerBuilder {
    pub(super) fn new(configuration: CapacityConfiguration) -> CapacitySchedulerBuilder {
        CapacitySchedulerBuilder { configuration, options: Options::default(), own_handle: None }
    }

    setters_of_options!();

    wake_up_with_handle!(WeakCapacityScheduler);

    /// Whether the scheduler notes what it did ([`CapacityStepped::take_journal`]), and knows applications and containers by number, as
    /// replay needs it. What is noted is kept until it is taken.
    pub fn journal(mut self, journal: bool) -> Self {
        self.options.journal = journal;
        self
    }

    /// Whether the threads do anything by time; they do without this. With `false` rounds of preemption are made by
    /// [`CapacityScheduler::preempt`] alone.
    pub fn timers(mut self, timers: bool) -> Self {
        self.options.timers = timers;
        self
    }

    fn parts(mut self, clock: Arc<dyn Clock>) -> Result<(Parts<CapacityDecider>, EventSource), BuildError> {
        if let Some(missing) = unsupported(&self.configuration) {
            return Err(missing.into());
        }
        self.options.check()?;
        let reservations = std::mem::take(&mut self.options.reservations);
        let decider = CapacityDecider { settings: self.configuration.file().settings().clone() };
        let (sink, source) = events(self.options.event_capacity);
        let (settings, control) = (decider.engine_settings(), CapacityControl::new(self.configuration)?);
        let setup = self.options.setup(decider, settings, control, Refresh::First, sink, clock);
        let mut parts = Parts::new(setup);
        parts.control.begin_reservations(reservations)?;
        Ok((parts, source))
    }

    /// Starts the threads: workers, the control, and the preemption monitor where the configuration has it.
    ///
    /// # Errors
    /// [`BuildError::Unsupported`] where the configuration asks for what is not built yet; [`BuildError::Capacities`] where its queues
    /// cannot be; [`BuildError::Capacity`] of a channel; [`BuildError::Panicked`] of the clock; [`BuildError::Thread`].
    pub fn start(self) -> Result<CapacityScheduler, BuildError> {
        Ok(self.started(|parts, events| Ok((Door::start(parts, events)?, ())))?.0)
    }

    /// As [`start`](Self::start), but the worker runs on a thread of the embedder's: see [`Worker`]. All other threads are the scheduler's
    /// own.
    ///
    /// # Errors
    /// As of [`start`](Self::start).
    pub fn start_with_workers(self) -> Result<(CapacityScheduler, Vec<Worker>), BuildError> {
        let (scheduler, lent) = self.started(Door::start_and_lend)?;
        Ok((scheduler, Worker::all(lent)))
    }

    fn started<W>(
        mut self,
        start: impl FnOnce(Parts<CapacityDecider>, EventSource) -> std::io::Result<(RunningDoor, W)>,
    ) -> Result<(CapacityScheduler, W), BuildError> {
        let clock = self.options.clock.take().unwrap_or_else(|| Arc::new(MonotonicClock::new()));
        let (configuration, own_handle) = (self.configuration.clone(), self.own_handle.take());
        let (parts, events) = caught(|| self.parts(clock)).unwrap_or_else(|said| Err(BuildError::Panicked(said)))?;
        let (door, workers) = start(parts, events).map_err(BuildError::Thread)?;
        let scheduler = CapacityScheduler::of(door, configuration);
        introduce(own_handle, scheduler.downgrade());
        Ok((scheduler, workers))
    }

    /// The scheduler without threads: every call runs on the caller's. Its clock is virtual, from 0, unless one was given.
    ///
    /// # Errors
    /// As of [`start`](Self::start), without [`BuildError::Thread`].
    pub fn stepped(mut self) -> Result<CapacityStepped, BuildError> {
        let (given, own, journal) = (self.options.clock.take(), Arc::new(VirtualClock::new()), self.options.journal);
        let clock = given.clone().unwrap_or_else(|| own.clone());
        let configuration = self.configuration.clone();
        let built = caught(|| {
            let (parts, events) = self.parts(clock)?;
            Ok(Stepping::new(parts, events, given.is_none().then_some(own), journal))
        });
        let steps = built.unwrap_or_else(|said| Err(BuildError::Panicked(said)))?;
        Ok(CapacityStepped { steps, configuration })
    }
}

/// The containers of an application that are to be preempted, and of which its AM has not been told yet, by number.
pub(super) fn take_to_tell(app: &AppHandle) -> Vec<ContainerId> {
    let mut marked = std::mem::take(&mut app.0.am.lock().to_preempt);
    marked.sort_unstable_by_key(|container| (container.attempt, container.number));
    marked
}

/// A CapacityScheduler without threads, for those who bring their own runtime, and for replay: every call runs the same stages as the
/// threaded one to their end before it returns, and decides as Hadoop does, step by step.
#[derive(Debug)]
pub struct CapacityStepped {
    pub(super) steps: Stepping<CapacityDecider>,
    /// The site's, with the first queues.
    configuration: CapacityConfiguration,
}

impl CapacityStepped {
    /// Moves the virtual clock, then does what [`CapacityStepped::tick`] does. Where the embedder gave in a clock of its own, that alone.
    pub fn advance(&mut self, ms: u64) {
        self.steps.advance_clock(ms);
        self.tick();
    }

    /// What time has made due, at the moment the clock shows: containers that were acquired longer ago than
    /// `yarn.resourcemanager.rm.container-allocation.expiry-interval-ms` and never launched end. One look a third of that.
    pub fn tick(&mut self) {
        if self.steps.stepper.expire_if_due() {
            self.steps.settle();
        }
    }

    /// Registers a node.
    ///
    /// # Errors
    /// [`Refused::DuplicateNode`], [`Refused::NameTooLong`], [`Refused::BadPlaceName`], [`Refused::TooManyPlaces`] of its names;
    /// [`Refused::BadNode`], [`Refused::UnknownType`], [`Refused::ClusterTooLarge`] of its total.
    pub fn add_node(&mut self, name: &str, rack: &str, total: Resource) -> Result<NodeHandle, Refused> {
        self.steps.add_node(name, rack, total)
    }

    /// Removes a node: its containers end as lost.
    ///
    /// # Errors
    /// [`Refused::NoSuchNode`] when it is gone already.
    pub fn remove_node(&mut self, node: &NodeHandle) -> Result<(), Refused> {
        self.steps.remove_node(node)
    }

    /// A node reports, and is offered; with `schedule-asynchronously` only [`offer_all`](Self::offer_all) offers it.
    pub fn heartbeat(&mut self, heartbeat: impl Borrow<Heartbeat>) {
        self.steps.heartbeat(heartbeat.borrow());
    }

    /// Submits an application with its first attempt, with the default priority that `acl_application_max_priority` of its leaf queue has for
    /// the user, else the queue's.
    ///
    /// # Errors
    /// [`Refused::DuplicateApp`]; [`Refused::NameTooLong`] of its names; [`Refused::RuleFailed`], [`Refused::AmbiguousQueue`],
    /// [`Refused::NoSuchQueue`], [`Refused::NotMade`], [`Refused::OnlyByRule`], [`Refused::OtherParent`], [`Refused::NotLeaf`],
    /// [`Refused::Stopped`] of its queue; [`Refused::TooManyApps`], [`Refused::QueueFull`],
    /// [`Refused::UserFull`] of limits; [`Refused::Acl`], [`Refused::PriorityAcl`],
    /// [`Refused::NoDefaultPriority`] of rights; [`Refused::InvalidResource`], [`Refused::NoLocation`],
    /// [`Refused::OthersLocation`] of the AM's request; [`Refused::Panicked`] (the clock).
    pub fn submit(&mut self, submission: impl Borrow<Submission>) -> Result<AppHandle, Refused> {
        let outcome = self.steps.stepper.control().submit(submission.borrow());
        self.steps.submitted(outcome)
    }

    /// The same with a priority: a larger number is more important. It is cut to `yarn.cluster.max-application-priority`.
    ///
    /// # Errors
    /// As of [`CapacityStepped::submit`].
    pub fn submit_with_priority(
        &mut self,
        submission: impl Borrow<Submission>,
        priority: i32,
    ) -> Result<AppHandle, Refused> {
        self.submit_with(submission, SubmitTerms::default().with_priority(priority))
    }

    /// The same with all that a submission may ask for.
    ///
    /// # Errors
    /// As of [`CapacityStepped::submit`], and [`Refused::BadLifetime`].
    pub fn submit_with(
        &mut self,
        submission: impl Borrow<Submission>,
        terms: SubmitTerms,
    ) -> Result<AppHandle, Refused> {
        let outcome = self.steps.stepper.control().submit_with(submission.borrow(), terms);
        self.steps.submitted(outcome)
    }

    /// What a submission is answered, without its being submitted, as [`Stepped::accept`](crate::Stepped::accept).
    ///
    /// # Errors
    /// As of [`CapacityStepped::submit_with`].
    pub fn accept(&mut self, submission: impl Borrow<Submission>, terms: SubmitTerms) -> Result<String, Refused> {
        let outcome = self.steps.stepper.control().accept_with(submission.borrow(), terms);
        self.steps.settle();
        outcome
    }

    /// An AM's call.
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`], [`Refused::NoAm`] of the application; [`Refused::InvalidResource`], [`Refused::InvalidBlacklist`],
    /// [`Refused::NoLocation`], [`Refused::OthersLocation`], [`Refused::TooManyKeys`] of the request; [`Refused::Busy`] where a release or
    /// an ask finds no room in its channel; [`Refused::Panicked`] of the clock. Nothing has changed then.
    pub fn allocate(
        &mut self,
        app: &AppHandle,
        request: &AllocateRequest,
        answer: &mut Allocation,
    ) -> Result<(), Refused> {
        self.steps.send(app, request)?;
        self.work_out_headroom(app);
        collect(self.steps.stepper.shared(), &app.0, answer)?;
        answer.strict_preemptions = take_to_tell(app);
        warn_of(&app.0, &request.asks, &mut answer.warnings);
        Ok(())
    }

    /// What a ResourceManager does for an application by itself: containers end, asks come back, what has come is fetched. As
    /// [`allocate`](CapacityStepped::allocate), but no AM calls: as in Hadoop no headroom is worked out, and with it no limit of a user.
    ///
    /// # Errors
    /// As of [`CapacityStepped::allocate`].
    pub fn manage(
        &mut self,
        app: &AppHandle,
        request: &AllocateRequest,
        answer: &mut Allocation,
    ) -> Result<(), Refused> {
        self.steps.stepper.shards().for_each(|shard| shard.own.silent = true);
        let sent = self.steps.send(app, request);
        self.steps.stepper.shards().for_each(|shard| shard.own.silent = false);
        sent?;
        collect(self.steps.stepper.shared(), &app.0, answer)?;
        answer.strict_preemptions = take_to_tell(app);
        Ok(())
    }

    /// An event APP_ATTEMPT_REMOVED: an attempt has ended, and [`new_attempt`](CapacityStepped::new_attempt) or
    /// [`finish`](CapacityStepped::finish) is to come. Nothing is asked for or reserved any more, and the attempt leaves the lists of its
    /// queue, where others may start. What it holds stays: what does not go over to a next attempt is to be released before.
    pub fn stop_attempt(&mut self, app: &AppHandle) {
        self.steps.stepper.pump();
        if app.0.scheduler == self.steps.stepper.shared().scheduler {
            self.steps.stepper.shards().for_each(|shard| shard.stop_app(app.0.slot));
        }
        self.steps.settle();
    }

    /// One round of the preemption policy, whether its monitor is on or not: gives application and number of each container and reservation
    /// that it marks. What was marked longer ago than `max_wait_before_kill` ends. AMs are told by their next call
    /// ([`Allocation::strict_preemptions`]).
    ///
    /// # Errors
    /// [`Refused::BadConfiguration`] where its settings cannot be.
    pub fn preempt(&mut self) -> Result<Vec<(u32, u32)>, Refused> {
        let settings = self.steps.stepper.control().preemption_settings()?;
        self.steps.stepper.pump();
        let (reply, marked) = bounded(1);
        order_round(self.steps.stepper.shared(), settings, reply);
        self.steps.settle();
        Ok(marked.try_recv().unwrap_or_default())
    }

    /// Gives up what a node is reserved for, as an event KILL_RESERVED_CONTAINER has it; whether it was reserved. What was asked for is asked for still.
    pub fn give_up_reservation(&mut self, node: &NodeHandle) -> bool {
        let shard = self.steps.stepper.shard(node.0.owner);
        let Some(place) = shard.place_of(&node.0) else { return false };
        let is_reserved = shard.nodes[place as usize].reservation.is_some();
        shard.end_reservation(place);
        self.steps.settle();
        is_reserved
    }

    /// An event NODE_LABELS_UPDATE. A ResourceManager sends it after each node that comes, goes or gets another size, whether there are
    /// labels or not, and names the node unless it has gone. What the nodes are reserved for is given up. Then all that follows from a
    /// change of the cluster is worked out once more: amounts may differ, and more applications may start.
    pub fn labels_updated(&mut self, nodes: &[NodeHandle]) {
        for node in nodes {
            self.give_up_reservation(node);
        }
        self.steps.stepper.control().cluster_changed();
        self.steps.settle();
    }

    /// One round of asynchronous scheduling, whether that is on or not: one pass over each node that has reported lately, in the order of
    /// registration, from the one with so many before it on to the last, then from the first to that one, once more. Hadoop leaves to chance
    /// where a round begins. Nothing where not so many nodes are there.
    pub fn offer_all(&mut self, first: usize) {
        self.steps.stepper.pump();
        self.steps.stepper.shards().for_each(|shard| shard.offer_from(first));
        self.steps.settle();
    }

    fn work_out_headroom(&mut self, app: &AppHandle) {
        // Of another scheduler's application there is nothing to work out; its call is refused. A worker that is given up works nothing out.
        let shared = self.steps.stepper.shared();
        if app.0.scheduler != shared.scheduler || shared.is_dead(app.0.home) {
            return;
        }
        let shard = self.steps.stepper.shard(app.0.home);
        if shard.find_app(app.0.slot).is_some() {
            shard.work_out_headroom(app.0.slot.index);
        }
    }

    /// What an application can still get, as its last call worked it out.
    #[must_use]
    pub fn headroom(&self, app: &AppHandle) -> Resource {
        app.0.headroom.read()
    }

    /// Ends an application.
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`] when it has ended already.
    pub fn finish(&mut self, app: &AppHandle) -> Result<(), Refused> {
        self.steps.finish_by(None, app)
    }

    /// Moves an application to another leaf queue.
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`]; [`Refused::NoSuchQueue`], [`Refused::NameTooLong`], [`Refused::NotLeaf`], [`Refused::Stopped`],
    /// [`Refused::QueueFull`], [`Refused::UserFull`] of the target.
    pub fn move_app(&mut self, app: &AppHandle, queue: &str) -> Result<(), Refused> {
        self.steps.move_by(None, app, queue)
    }

    /// Gives an application another priority. It is cut to `yarn.cluster.max-application-priority`.
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`] when it has ended.
    pub fn set_priority(&mut self, app: &AppHandle, priority: i32) -> Result<(), Refused> {
        self.set_priority_by(None, app, priority)
    }

    pub(super) fn set_priority_by(&mut self, by: Option<&str>, app: &AppHandle, priority: i32) -> Result<(), Refused> {
        let outcome = self.steps.stepper.control().set_priority(by, &app.0, priority);
        self.steps.settle();
        outcome
    }

    /// Refreshes the queues: properties of another `capacity-scheduler.xml`, under their full names. The site's stay.
    ///
    /// # Errors
    /// [`Refused::BadConfiguration`]: the queues are as before.
    pub fn refresh_queues<'a>(
        &mut self,
        properties: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<(), Refused> {
        let read: Result<_, CapacityFileError> = self.configuration.with_queues(properties);
        if let Some(missing) = read.as_ref().ok().and_then(unsupported) {
            return Err(Refused::BadConfiguration(missing.to_string()));
        }
        let outcome = self.steps.stepper.control().refresh(Refresh::Queues(Box::new(read)));
        self.steps.settle();
        outcome?;
        self.refresh_plans()
    }

    /// One round of `AutoCreatedQueueDeletionPolicy`, whether its monitor is on or not: queues that have made themselves the flexible way go
    /// where nobody needed them at the last round either, and nobody was submitted for longer than
    /// `auto-queue-creation-v2.queue-expiration-time`.
    pub fn expire_queues(&mut self) {
        self.steps.stepper.control().expire_queues();
        self.steps.settle();
    }

    /// One round of `QueueManagementDynamicEditPolicy`, whether its monitor is on or not: in managed parents, leaves without applications lose
    /// their part, and those whose applications wait longest get one.
    pub fn manage_queues(&mut self) {
        self.steps.stepper.control().manage_queues();
        self.steps.settle();
    }

    // ------------------------------------------------------------------------------------------------ by number

    /// The application of a number, while it is there.
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`] when it is unknown or has finished.
    pub fn app_numbered(&self, number: u32) -> Result<AppHandle, Refused> {
        self.steps.app(number)
    }

    /// An AM's call as recordings have it: all containers of the application are acquired by it, as its last act. Returns the
    /// headroom, and the numbers of containers that are to be preempted.
    ///
    /// # Errors
    /// As of [`CapacityStepped::allocate`]. Nothing has changed then.
    pub fn allocate_numbered(
        &mut self,
        number: u32,
        asks: &[Ask],
        blacklist_add: &[&str],
        blacklist_remove: &[&str],
    ) -> Result<(Resource, Vec<u32>), Refused> {
        let app = self.steps.calling(number)?;
        let request = self.steps.request(asks, blacklist_add, blacklist_remove);
        let mut answer = std::mem::take(&mut self.steps.scratch);
        let outcome = self.allocate(&app, &request, &mut answer);
        let headroom = answer.headroom;
        let warned = answer.strict_preemptions.iter().map(|id| id.number()).collect();
        self.steps.scratch = answer;
        outcome.map(|()| (headroom, warned))
    }

    /// The AM gives a container back, or a reservation, as Hadoop takes it by its number; one that is not its own is ignored.
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`] when the application is unknown or has finished; [`Refused::NoAm`].
    pub fn release_numbered(&mut self, number: u32, container: u32) -> Result<(), Refused> {
        self.steps.release_numbered(number, container)?;
        let app = self.steps.app(number)?;
        self.steps.stepper.shards().for_each(|shard| shard.end_reservation_of(number, container));
        self.work_out_headroom(&app);
        take_to_tell(&app);
        Ok(())
    }

    /// The node of a container says that it runs.
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`] when the application is unknown; [`Refused::NoSuchContainer`] when the container is, or has ended.
    pub fn launch_numbered(&mut self, number: u32, container: u32) -> Result<(), Refused> {
        self.steps.launch_numbered(number, container)
    }

    /// The node of a container says that it is done.
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`] when the application is unknown; [`Refused::NoSuchContainer`] when the container is, or has ended and its
    /// node does not wait for it.
    pub fn complete_numbered(&mut self, number: u32, container: u32) -> Result<(), Refused> {
        self.steps.complete_numbered(number, container)
    }

    // ------------------------------------------------------------------------------------------------ views

    /// What happened since this was last called, and the reservations that stand.
    pub fn take_journal(&mut self) -> Journal {
        let (mut outcome, nodes) = self.steps.take_noted();
        let reserved = self.steps.stepper.shards().flat_map(|shard| shard.reservations()).collect();
        outcome.finish(&nodes, reserved, Vec::new());
        outcome
    }

    /// The worker that is asked: the books of each have all queues and applications.
    fn first(&mut self) -> &mut CapacityShard {
        let shared = self.steps.stepper.shared();
        let first = (0..shared.workers).find(|worker| !shared.is_dead(*worker)).unwrap_or_default();
        self.steps.stepper.shard(first)
    }

    /// All queues, by path. `with_limits`: what each user may use is worked out for it.
    pub fn queues(&mut self, with_limits: bool) -> Vec<CapacityQueueView> {
        let queues = self.steps.stepper.control().queues_and_applications();
        self.first().capacity_queues(&queues, with_limits)
    }

    /// All applications, by number.
    pub fn apps(&mut self) -> Vec<CapacityAppView> {
        self.first().capacity_apps()
    }

    /// An application by its number.
    pub fn app(&mut self, number: u32) -> Option<CapacityAppView> {
        self.first().capacity_app(number)
    }

    /// Why an application is offered no node, as things stand; `None` where nothing stands against it but nodes, and the limits of queues
    /// and users, which [`why_waiting`](Self::why_waiting) looks at, too.
    pub fn not_offered(&mut self, app: &AppHandle) -> Option<CapacityNotOffered> {
        let shared = self.steps.stepper.shared().clone();
        let shards = self.steps.stepper.shards().filter(|shard| !shared.is_dead(shard.id()));
        let mut answers: Vec<_> =
            shards.map(|shard| (!shard.decides_about(&app.0), shard.why_not_offered(&app.0))).collect();
        // Who decides about it knows best.
        answers.sort_by_key(|(others, _)| *others);
        answers.into_iter().next().and_then(|(_, answer)| answer)
    }

    /// Counters and totals.
    #[must_use]
    pub fn stats(&self) -> CapacityStats {
        capacity_stats(self.steps.stepper.shared())
    }

    /// Where an application would go, as [`CapacityScheduler::place`].
    ///
    /// # Errors
    /// [`Refused::RuleFailed`], [`Refused::AmbiguousQueue`], [`Refused::NameTooLong`].
    pub fn place(&mut self, user: &str, queue: Option<&str>) -> Result<Option<String>, Refused> {
        self.steps.stepper.control().place(user, queue)
    }

    /// The configuration in force, as [`CapacityScheduler::configuration`].
    pub fn configuration(&mut self) -> CapacityConfiguration {
        self.steps.stepper.control().configuration()
    }
}

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
    CapacityShard, CapacityStats, Refresh, SubmitTerms, capacity_stats, order_round,
};
use crate::caught::caught;
use crate::clock::{Clock, MonotonicClock, VirtualClock};
use crate::config::capacity::MixedFractions;
use crate::engine::{
    AllocateRequest, Allocation, AtRest, EventSource, Heartbeat, RecoveredContainer, Submission, collect, events,
    warn_of,
};
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
    fractions: Option<MixedFractions>,
    resort: bool,
    rules_last: bool,
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
        CapacitySchedulerBuilder {
            configuration,
            options: Options::default(),
            fractions: None,
            resort: false,
            rules_last: false,
            own_handle: None,
        }
    }

    setters_of_options!();

    wake_up_with_handle!(WeakCapacityScheduler);

    /// Sorts queues for every container and looks at every application, as the classic design does, instead of keeping
    /// both in order. The decisions are the same. It exists for comparisons. Default: off.
    pub fn resort_for_each_container(mut self, resort: bool) -> Self {
        self.resort = resort;
        self
    }

    /// Records what the scheduler does ([`CapacityStepped::take_journal`]); applications and containers are then also found by
    /// number, as replay needs it. Records are kept until they are taken. Default: off.
    pub fn journal(mut self, journal: bool) -> Self {
        self.options.journal = journal;
        self
    }

    /// Whether the threads do anything by time. Default: on. Without timers only [`CapacityScheduler::preempt`] makes a round of
    /// preemption.
    pub fn timers(mut self, timers: bool) -> Self {
        self.options.timers = timers;
        self
    }

    /// Sets whose fractions follow from amounts while the legacy queue mode is off. Default: [`MixedFractions::of_start`] of the
    /// configuration, as in a ResourceManager that finds its `capacity-scheduler.xml` when it starts. Only a replay of a scheduler that
    /// was started in another way needs this.
    pub fn mixed_fractions(mut self, fractions: MixedFractions) -> Self {
        self.fractions = Some(fractions);
        self
    }

    /// Whether a refresh looks at mapping rules and priorities of workflows as late as Hadoop does: when the new file's
    /// queues are in force. If these are wrong, the refresh is refused, and the old file is applied once more. Then
    /// queues that have come stay, with all queues as the new file has them; or queues stay stopped that the new file
    /// stops. Default: no. Then everything is looked at first, and a refresh that is refused for this changes nothing.
    /// A replay of Hadoop's scheduler needs it.
    pub fn rules_last(mut self, last: bool) -> Self {
        self.rules_last = last;
        self
    }

    fn parts(mut self, clock: Arc<dyn Clock>) -> Result<(AtRest<CapacityDecider>, EventSource), BuildError> {
        self.configuration.check_supported()?;
        self.options.check()?;
        let reservations = std::mem::take(&mut self.options.reservations);
        let decider = CapacityDecider { settings: self.configuration.file().settings().clone(), resort: self.resort };
        let (sink, source) = events(self.options.event_capacity);
        let (settings, control) =
            (decider.engine_settings(), CapacityControl::new(self.configuration, self.fractions, self.rules_last)?);
        let setup = self.options.setup(decider, settings, control, Refresh::First, sink, clock);
        let mut parts = AtRest::new(setup);
        parts.control.begin_reservations(reservations)?;
        Ok((parts, source))
    }

    /// Starts the scheduler with its threads: workers, the control, and the preemption monitor if the configuration has it.
    ///
    /// # Errors
    /// [`BuildError::Unsupported`] if the configuration asks for something that is not supported; [`BuildError::Capacities`] if its queues
    /// are not valid; [`BuildError::Capacity`] of a channel; [`BuildError::Panicked`] of the clock; [`BuildError::Thread`].
    pub fn start(self) -> Result<CapacityScheduler, BuildError> {
        Ok(self.started(|parts, events| Ok((Door::start(parts, events)?, ())))?.0)
    }

    /// As [`start`](Self::start), but the workers run on threads of the embedder: see [`Worker`]. All other threads are the
    /// scheduler's own.
    ///
    /// # Errors
    /// Those of [`start`](Self::start).
    pub fn start_with_workers(self) -> Result<(CapacityScheduler, Vec<Worker>), BuildError> {
        let (scheduler, lent) = self.started(Door::start_and_lend)?;
        Ok((scheduler, Worker::all(lent)))
    }

    fn started<W>(
        mut self,
        start: impl FnOnce(AtRest<CapacityDecider>, EventSource) -> std::io::Result<(RunningDoor, W)>,
    ) -> Result<(CapacityScheduler, W), BuildError> {
        let clock = self.options.clock.take().unwrap_or_else(|| Arc::new(MonotonicClock::new()));
        let own_handle = self.own_handle.take();
        let (parts, events) = caught(|| self.parts(clock)).unwrap_or_else(|said| Err(BuildError::Panicked(said)))?;
        let (door, workers) = start(parts, events).map_err(BuildError::Thread)?;
        let scheduler = CapacityScheduler::of(door);
        introduce(own_handle, scheduler.downgrade());
        Ok((scheduler, workers))
    }

    /// Builds the scheduler without threads: every call runs on the caller's thread. Its clock is virtual and starts at 0, unless
    /// the builder was given one.
    ///
    /// # Errors
    /// Those of [`start`](Self::start), without [`BuildError::Thread`].
    pub fn stepped(mut self) -> Result<CapacityStepped, BuildError> {
        let (given, own, journal) = (self.options.clock.take(), Arc::new(VirtualClock::new()), self.options.journal);
        let clock = given.clone().unwrap_or_else(|| own.clone());
        let built = caught(|| {
            let (parts, events) = self.parts(clock)?;
            Ok(Stepping::new(parts, events, given.is_none().then_some(own), journal))
        });
        let steps = built.unwrap_or_else(|said| Err(BuildError::Panicked(said)))?;
        Ok(CapacityStepped { steps })
    }
}

/// The containers of an application that are to be preempted, and of which its AM has not been told yet, by number.
pub(super) fn take_to_tell(app: &AppHandle) -> Vec<ContainerId> {
    let mut marked = std::mem::take(&mut app.0.am.lock().to_preempt);
    marked.sort_unstable_by_key(|container| (container.attempt, container.number));
    marked
}

/// A CapacityScheduler without threads, for embedders with a runtime of their own, and for replay. A call runs the same stages as
/// the threaded scheduler, and returns when all of them are done. It decides as Hadoop does, step by step.
#[derive(Debug)]
pub struct CapacityStepped {
    pub(super) steps: Stepping<CapacityDecider>,
}

impl CapacityStepped {
    /// Moves the virtual clock by `ms`, and then calls [`CapacityStepped::tick`]. If the embedder gave a clock to the builder, it
    /// only calls `tick`.
    pub fn advance(&mut self, ms: u64) {
        self.steps.advance_clock(ms);
        self.tick();
    }

    /// Does what is due by the clock: containers that were fetched longer ago than
    /// `yarn.resourcemanager.rm.container-allocation.expiry-interval-ms` and never launched end. It looks for them at every third
    /// of this interval.
    pub fn tick(&mut self) {
        if self.steps.stepper.expire_if_due() {
            self.steps.settle();
        }
    }

    /// Registers a node with its name, its rack and its total (memory in MiB, vcores, further types).
    ///
    /// # Errors
    /// [`Refused::DuplicateNode`], [`Refused::NameTooLong`], [`Refused::BadPlaceName`], [`Refused::TooManyPlaces`] of its names;
    /// [`Refused::BadNode`], [`Refused::UnknownType`], [`Refused::ClusterTooLarge`] of its total.
    pub fn add_node(&mut self, name: &str, rack: &str, total: Resource) -> Result<NodeHandle, Refused> {
        self.steps.add_node(name, rack, total)
    }

    /// Registers a node together with the containers that run on it, as
    /// [`CapacityScheduler::add_node_with_containers`](crate::CapacityScheduler::add_node_with_containers).
    ///
    /// # Errors
    /// Those of [`add_node`](Self::add_node). Then no container is taken over.
    pub fn add_node_with_containers(
        &mut self,
        name: &str,
        rack: &str,
        total: Resource,
        running: Vec<(AppHandle, RecoveredContainer)>,
    ) -> Result<(NodeHandle, Vec<Result<ContainerId, Refused>>), Refused> {
        self.steps.add_node_with((name, rack, total), running)
    }

    /// Removes a node. Its containers end as [`NodeLost`](crate::EndReason::NodeLost).
    ///
    /// # Errors
    /// [`Refused::NoSuchNode`] if it is already removed.
    pub fn remove_node(&mut self, node: &NodeHandle) -> Result<(), Refused> {
        self.steps.remove_node(node)
    }

    /// Processes a node's report, and offers the node. With `schedule-asynchronously` only [`offer_all`](Self::offer_all) offers
    /// it.
    pub fn heartbeat(&mut self, heartbeat: impl Borrow<Heartbeat>) {
        self.steps.heartbeat(heartbeat.borrow());
    }

    /// Submits an application with its first attempt. Its priority is the default that `acl_application_max_priority` of its leaf
    /// queue has for the user, otherwise the queue's.
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

    /// As [`submit`](Self::submit), with a priority. A larger number is more important. It is cut to
    /// `yarn.cluster.max-application-priority`.
    ///
    /// # Errors
    /// Those of [`CapacityStepped::submit`].
    pub fn submit_with_priority(
        &mut self,
        submission: impl Borrow<Submission>,
        priority: i32,
    ) -> Result<AppHandle, Refused> {
        self.submit_with(submission, SubmitTerms::default().with_priority(priority))
    }

    /// As [`submit`](Self::submit), with everything that a submission may ask for.
    ///
    /// # Errors
    /// Those of [`CapacityStepped::submit`], and [`Refused::BadLifetime`].
    pub fn submit_with(
        &mut self,
        submission: impl Borrow<Submission>,
        terms: SubmitTerms,
    ) -> Result<AppHandle, Refused> {
        let outcome = self.steps.stepper.control().submit_with(submission.borrow(), terms);
        self.steps.submitted(outcome)
    }

    /// Returns the answer to a submission without submitting it, as [`Stepped::accept`](crate::Stepped::accept).
    ///
    /// # Errors
    /// Those of [`CapacityStepped::submit_with`].
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

    /// A call of the ResourceManager for an application: containers end, asks come back, news is fetched. As
    /// [`allocate`](CapacityStepped::allocate), but no AM calls: as in Hadoop no headroom is computed, and so no user limit.
    ///
    /// # Errors
    /// Those of [`CapacityStepped::allocate`].
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

    /// Ends an attempt as the event `APP_ATTEMPT_REMOVED` does, before [`new_attempt`](CapacityStepped::new_attempt) or
    /// [`finish`](CapacityStepped::finish). Its asks and reservations are dropped, and it leaves the lists of its queue, where
    /// others may start. So may those that wait for a limit of parallel applications. It keeps its containers: release those that the next
    /// attempt does not keep before.
    pub fn stop_attempt(&mut self, app: &AppHandle) {
        self.steps.stepper.pump();
        if app.0.scheduler == self.steps.stepper.shared().scheduler {
            self.steps.stepper.shards().for_each(|shard| shard.stop_app(app.0.slot));
            self.steps.stepper.control().attempt_stopped(&app.0);
        }
        self.steps.settle();
    }

    /// Makes one round of the preemption policy, whether or not its monitor is on. Returns the application and the number of each
    /// container and reservation that it marks. What was marked longer ago than `max_wait_before_kill` ends. AMs are warned by
    /// their next call ([`Allocation::strict_preemptions`]).
    ///
    /// # Errors
    /// [`Refused::BadConfiguration`] if its settings are not valid.
    pub fn preempt(&mut self) -> Result<Vec<(u32, u32)>, Refused> {
        let settings = self.steps.stepper.control().preemption_settings()?;
        self.steps.stepper.pump();
        let (reply, marked) = bounded(1);
        order_round(self.steps.stepper.shared(), settings, reply);
        self.steps.settle();
        Ok(marked.try_recv().unwrap_or_default())
    }

    /// Gives up the reservation of a node, as the event `KILL_RESERVED_CONTAINER` does. Returns whether the node was reserved.
    /// The ask stays outstanding.
    pub fn give_up_reservation(&mut self, node: &NodeHandle) -> bool {
        let shard = self.steps.stepper.shard(node.0.owner);
        let Some(place) = shard.place_of(&node.0) else { return false };
        let is_reserved = shard.nodes[place as usize].reservation.is_some();
        shard.end_reservation(place);
        self.steps.settle();
        is_reserved
    }

    /// Does what the event `NODE_LABELS_UPDATE` does. A ResourceManager sends it after each node that comes, goes or changes its
    /// size, even without labels, and names the node unless it has gone. The reservations of the nodes are given up. Then
    /// everything that follows from a change of the cluster is computed again: amounts may differ, and more applications may
    /// start.
    pub fn labels_updated(&mut self, nodes: &[NodeHandle]) {
        for node in nodes {
            self.give_up_reservation(node);
        }
        self.steps.stepper.control().cluster_changed();
        self.steps.settle();
    }

    /// Makes one round of asynchronous scheduling, whether or not it is on: one pass over each node that has reported lately, in
    /// the order of registration. The round starts at the node with index `first`, goes on to the last node, and then from the
    /// first node to that one again. Hadoop starts at a random node. Does nothing if there are not so many nodes.
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

    /// What an application can still get, as its last call computed it.
    #[must_use]
    pub fn headroom(&self, app: &AppHandle) -> Resource {
        app.0.headroom.read()
    }

    /// Ends an application.
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`] if it has already ended.
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

    /// Changes the priority of an application. It is cut to `yarn.cluster.max-application-priority`.
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`] if it has ended.
    pub fn set_priority(&mut self, app: &AppHandle, priority: i32) -> Result<(), Refused> {
        self.set_priority_by(None, app, priority)
    }

    pub(super) fn set_priority_by(&mut self, by: Option<&str>, app: &AppHandle, priority: i32) -> Result<(), Refused> {
        let outcome = self.steps.stepper.control().set_priority(by, &app.0, priority);
        self.steps.settle();
        outcome
    }

    /// Refreshes the queues from the properties of another `capacity-scheduler.xml`, under their full names. The site's
    /// properties stay.
    ///
    /// # Errors
    /// [`Refused::BadConfiguration`]: the queues are as before, except with
    /// [`rules_last`](CapacitySchedulerBuilder::rules_last).
    pub fn refresh_queues<'a>(
        &mut self,
        properties: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<(), Refused> {
        let read = self.configuration().read_queues(properties);
        self.refresh_from(Refresh::from_read(read)?)
    }

    /// As [`refresh_queues`](Self::refresh_queues), from what [`CapacityConfiguration::with_queues`] of the
    /// [`configuration`](Self::configuration) in force has read. What was looked at there is what counts, also of
    /// mapping rules that stand in a file of their own.
    ///
    /// # Errors
    /// As of that call; also [`Refused::BadConfiguration`] of another scheduler's configuration.
    pub fn refresh_with(&mut self, configuration: CapacityConfiguration) -> Result<(), Refused> {
        let refresh = Refresh::with(configuration, &self.configuration())?;
        self.refresh_from(refresh)
    }

    fn refresh_from(&mut self, refresh: Refresh) -> Result<(), Refused> {
        let outcome = self.steps.stepper.control().refresh(refresh);
        self.steps.settle();
        outcome?;
        self.refresh_plans()
    }

    /// Makes one round of `AutoCreatedQueueDeletionPolicy`, whether or not its monitor is on. It removes automatically created
    /// (flexible) queues that were empty in the last round too, and whose last submission is longer ago than
    /// `auto-queue-creation-v2.queue-expiration-time`.
    pub fn expire_queues(&mut self) {
        self.steps.stepper.control().expire_queues();
        self.steps.settle();
    }

    /// Makes one round of `QueueManagementDynamicEditPolicy`, whether or not its monitor is on. In managed parents, leaf queues
    /// without applications lose their capacity, and those whose applications have waited longest get one.
    pub fn manage_queues(&mut self) {
        self.steps.stepper.control().manage_queues();
        self.steps.settle();
    }

    // ------------------------------------------------------------------------------------------------ by number

    /// Returns the handle of an application by its number, if it has not ended.
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`] if it is unknown or has ended.
    pub fn app_numbered(&self, number: u32) -> Result<AppHandle, Refused> {
        self.steps.app(number)
    }

    /// An AM's call as recordings have it: as its last act it fetches all containers of the application. Returns the headroom,
    /// and the numbers of containers that are marked for preemption.
    ///
    /// # Errors
    /// Those of [`CapacityStepped::allocate`]. Nothing has changed then.
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

    /// The AM releases a container or a reservation by its number. A number that is not the application's is ignored, as in
    /// Hadoop.
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`] if the application is unknown or has ended; [`Refused::NoAm`].
    pub fn release_numbered(&mut self, number: u32, container: u32) -> Result<(), Refused> {
        self.steps.release_numbered(number, container)?;
        let app = self.steps.app(number)?;
        self.steps.stepper.shards().for_each(|shard| shard.end_reservation_of(number, container));
        self.work_out_headroom(&app);
        take_to_tell(&app);
        Ok(())
    }

    /// The node of a container reports it as launched.
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`] if the application is unknown; [`Refused::NoSuchContainer`] if the container is, or has ended.
    pub fn launch_numbered(&mut self, number: u32, container: u32) -> Result<(), Refused> {
        self.steps.launch_numbered(number, container)
    }

    /// The node of a container reports it as completed.
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`] if the application is unknown; [`Refused::NoSuchContainer`] if the container is, or has ended and its
    /// node does not wait for it.
    pub fn complete_numbered(&mut self, number: u32, container: u32) -> Result<(), Refused> {
        self.steps.complete_numbered(number, container)
    }

    // ------------------------------------------------------------------------------------------------ views

    /// Returns what happened since its last call, and the present reservations.
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

    /// Returns all queues, by path. With `with_limits` it also computes what each user may use.
    pub fn queues(&mut self, with_limits: bool) -> Vec<CapacityQueueView> {
        let queues = self.steps.stepper.control().queues_and_applications();
        self.first().capacity_queues(&queues, with_limits)
    }

    /// Returns all applications, by number.
    pub fn apps(&mut self) -> Vec<CapacityAppView> {
        self.first().capacity_apps()
    }

    /// Returns an application by its number.
    pub fn app(&mut self, number: u32) -> Option<CapacityAppView> {
        self.first().capacity_app(number)
    }

    /// Returns why an application is offered no node now; `None` if only nodes, or the limits of queues and users, stand against
    /// it. [`why_waiting`](Self::why_waiting) covers these limits.
    pub fn not_offered(&mut self, app: &AppHandle) -> Option<CapacityNotOffered> {
        let shared = self.steps.stepper.shared().clone();
        let shards = self.steps.stepper.shards().filter(|shard| !shared.is_dead(shard.id()));
        let mut answers: Vec<_> =
            shards.map(|shard| (!shard.decides_about(&app.0), shard.why_not_offered(&app.0))).collect();
        // Who decides about it knows best.
        answers.sort_by_key(|(others, _)| *others);
        answers.into_iter().next().and_then(|(_, answer)| answer)
    }

    /// Returns counters and totals.
    #[must_use]
    pub fn stats(&self) -> CapacityStats {
        capacity_stats(self.steps.stepper.shared())
    }

    /// Returns the queue in which an application would be placed, as [`CapacityScheduler::place`].
    ///
    /// # Errors
    /// [`Refused::RuleFailed`], [`Refused::AmbiguousQueue`], [`Refused::NameTooLong`].
    pub fn place(&mut self, user: &str, queue: Option<&str>) -> Result<Option<String>, Refused> {
        self.steps.stepper.control().place(user, queue)
    }

    /// Returns the configuration in force, as [`CapacityScheduler::configuration`].
    pub fn configuration(&mut self) -> CapacityConfiguration {
        self.steps.stepper.control().configuration()
    }
}

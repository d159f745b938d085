//! The stepped FairScheduler: the same stages, no threads.

use super::handles::{AppHandle, NodeHandle};
use super::journal::Journal;
use super::steps::Stepping;
use crate::app::Ask;
use crate::clock::VirtualClock;
use crate::config::{AllocationFile, Diagnostic, PlacementRule, QueueAccess, Reader};
use crate::engine::warn_of;
use crate::engine::{
    AllocateRequest, Allocation, EventSource, Heartbeat, NewAttempt, RecoveredContainer, Submission, collect,
};
use crate::event::{AppAccess, Refused};
use crate::fair::allocations::{Reloads, Watcher, apply};
use crate::fair::{
    AppView, AtRest, Decision, FairDecider, MarkedFor, NotOffered, QueueConfig, QueueView, Shared, Stats, Stepper,
    views,
};
use crate::id::ContainerId;
use crate::resource::Resource;
use crate::sync::Arc;
use std::borrow::Borrow;

/// The containers that were marked for one starved application.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct PreemptionRound {
    /// The starved application's number.
    pub app: u32,
    /// Containers to be preempted, in the order in which they were chosen.
    pub containers: Vec<ContainerId>,
}

impl From<MarkedFor> for PreemptionRound {
    fn from(MarkedFor { app, containers }: MarkedFor) -> PreemptionRound {
        PreemptionRound { app, containers }
    }
}

/// A FairScheduler without threads, for embedders with a runtime of their own, and for replay. A call runs the same stages as the
/// threaded scheduler, and returns when all of them are done. With one worker it decides as Hadoop does, step by step.
///
/// Time moves only by [`Stepped::advance`], and shares are computed only by [`Stepped::update_now`]:
/// `yarn.scheduler.fair.update-interval-ms` has no effect. [`Stepped::heartbeat`] offers a node. With a
/// [journal](crate::FairSchedulerBuilder::journal) there are also the results of each step ([`Stepped::take_journal`]) and calls
/// by number.
///
/// ```
/// use evenweave::prelude::*;
///
/// let mut scheduler = FairScheduler::builder().stepped()?;
/// let node = scheduler.add_node("n1", "/r1", Resource::new(8192, 8))?;
/// let app = scheduler.submit(Submission::new(1, "ann").in_queue("root.a"))?;
/// let mut request = AllocateRequest::new([Ask::anywhere(1, Resource::new(1024, 1), 3)]);
/// let (mut answer, mut running, mut done) = (Allocation::default(), Vec::new(), 0);
/// // A step a second, until all has run. Each task runs for a step.
/// for _ in 0..10 {
///     scheduler.advance(1000);
///     scheduler.update_now();
///     let mut report = Heartbeat::new(&node);
///     report.completed.extend(running.drain(..));
///     scheduler.heartbeat(report);
///     // The asks once: counts replace those before.
///     scheduler.allocate(&app, &std::mem::take(&mut request), &mut answer)?;
///     running.extend(answer.granted.iter().map(|container| container.id));
///     done += answer.ended.len();
/// }
/// assert_eq!(done, 3);
/// scheduler.finish(&app)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The calls are those of [`FairScheduler`](crate::FairScheduler). What can only go wrong on threads is no `Result` here; requests are taken
/// by value or by reference.
#[derive(Debug)]
pub struct Stepped {
    pub(super) steps: Stepping<FairDecider>,
    /// Who looks after the allocation file; nobody does where there is none.
    watcher: Option<Watcher>,
}

impl Stepped {
    pub(super) fn new(
        parts: AtRest,
        watcher: Option<Watcher>,
        events: EventSource,
        clock: Option<Arc<VirtualClock>>,
        journal: bool,
    ) -> Stepped {
        let mut stepped = Stepped { steps: Stepping::new(parts, events, clock, journal), watcher };
        stepped.look_if_due();
        stepped
    }

    /// Looks after the allocation file, if that is due; says whether it was.
    fn look_if_due(&mut self) -> bool {
        let clock = self.shared().clock.clone();
        let Some(watcher) = self.watcher.as_mut().filter(|watcher| watcher.due_in_ms(&*clock) == 0) else {
            return false;
        };
        watcher.look(&*clock, self.steps.stepper.control());
        self.stepper().pump();
        true
    }

    /// Moves the virtual clock by `ms`, and then calls [`Stepped::tick`]. If the embedder gave a clock to the builder, it only
    /// calls `tick`.
    pub fn advance(&mut self, ms: u64) {
        self.steps.advance_clock(ms);
        self.tick();
    }

    /// Does what is due by the clock.
    ///
    /// - It looks at the watched allocation file, if the last look is an interval ago
    ///   ([`reload_interval`](crate::FairSchedulerBuilder::reload_interval)). A look cleans up, and reads the file if it has
    ///   changed and is quiet. Without a watched file nothing happens.
    /// - It looks for containers that were fetched and never launched, if the last look is a third of
    ///   `yarn.resourcemanager.rm.container-allocation.expiry-interval-ms` ago. Those that were fetched longer ago than the
    ///   interval end as [`Expired`](crate::EndReason::Expired).
    pub fn tick(&mut self) {
        let (looked, expired) = (self.look_if_due(), self.stepper().expire_if_due());
        if looked || expired {
            self.settle();
        }
    }

    // ------------------------------------------------------------------------------------------------ nodes

    /// Registers a node with its name, its rack and its total (memory in MiB, vcores, further types).
    ///
    /// # Errors
    /// [`Refused::DuplicateNode`], [`Refused::NameTooLong`], [`Refused::BadPlaceName`], [`Refused::TooManyPlaces`] of its names;
    /// [`Refused::BadNode`], [`Refused::UnknownType`], [`Refused::ClusterTooLarge`] of its total.
    pub fn add_node(&mut self, name: &str, rack: &str, total: Resource) -> Result<NodeHandle, Refused> {
        self.steps.add_node(name, rack, total)
    }

    /// Registers a node together with the containers that run on it, as
    /// [`FairScheduler::add_node_with_containers`](crate::FairScheduler::add_node_with_containers).
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

    /// Changes the total of a node, as [`FairScheduler::resize_node`](crate::FairScheduler::resize_node).
    ///
    /// # Errors
    /// [`Refused::NoSuchNode`] if it is removed; [`Refused::BadNode`], [`Refused::UnknownType`], [`Refused::ClusterTooLarge`] of the total.
    pub fn resize_node(&mut self, node: &NodeHandle, total: Resource) -> Result<(), Refused> {
        self.steps.resize_node(node, total, false)
    }

    /// Empties a node gracefully, as [`FairScheduler::decommission_node`](crate::FairScheduler::decommission_node).
    ///
    /// # Errors
    /// [`Refused::NoSuchNode`] if it is removed.
    pub fn decommission_node(&mut self, node: &NodeHandle) -> Result<(), Refused> {
        self.steps.decommission_node(node)
    }

    /// Keeps a decommissioning node, as [`FairScheduler::recommission_node`](crate::FairScheduler::recommission_node).
    ///
    /// # Errors
    /// [`Refused::NoSuchNode`] if it is removed.
    pub fn recommission_node(&mut self, node: &NodeHandle) -> Result<(), Refused> {
        self.steps.recommission_node(node)
    }

    /// Processes a node's report, and offers the node.
    pub fn heartbeat(&mut self, heartbeat: impl Borrow<Heartbeat>) {
        self.steps.heartbeat(heartbeat.borrow());
    }

    /// Makes one pass of continuous scheduling over all nodes.
    pub fn continuous(&mut self) {
        self.stepper().pump();
        self.stepper().shards().for_each(|shard| shard.continuous_pass());
        self.settle();
    }

    // ------------------------------------------------------------------------------------------------ applications

    /// Submits an application with its first attempt.
    ///
    /// # Errors
    /// [`Refused::DuplicateApp`]; [`Refused::NameTooLong`], [`Refused::QueueNameAtSubmit`], [`Refused::BadQueueName`] of its names;
    /// [`Refused::Placement`], [`Refused::RuleFailed`], [`Refused::NoGroups`], [`Refused::NotLeaf`] of its placement;
    /// [`Refused::AclAtSubmit`], [`Refused::Acl`] of rights; [`Refused::InvalidResource`], [`Refused::ZeroMax`], [`Refused::NoLocation`],
    /// [`Refused::OthersLocation`] of the AM's request; [`Refused::Panicked`] (the clock).
    pub fn submit(&mut self, submission: impl Borrow<Submission>) -> Result<AppHandle, Refused> {
        let outcome = self.stepper().control().submit(submission.borrow());
        self.steps.submitted(outcome)
    }

    /// Returns the answer to a submission without submitting it: the full name of the leaf queue that the application would
    /// enter. The queue is made if it does not exist.
    ///
    /// For ResourceManagers that accept an application before its first attempt begins. Submit the attempt later as
    /// [accepted](Submission::accepted_in).
    ///
    /// # Errors
    /// Those of [`Stepped::submit`].
    pub fn accept(&mut self, submission: impl Borrow<Submission>) -> Result<String, Refused> {
        let outcome = self.stepper().control().accept(submission.borrow());
        self.settle();
        outcome
    }

    /// An AM's call, as [`FairScheduler::allocate`](crate::FairScheduler::allocate).
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`], [`Refused::NoAm`] of the application; [`Refused::InvalidResource`], [`Refused::InvalidBlacklist`],
    /// [`Refused::NoLocation`], [`Refused::OthersLocation`], [`Refused::TooManyKeys`] of the request; [`Refused::ZeroMax`] of its queue;
    /// [`Refused::Busy`] where a release or an ask finds no room in its channel; [`Refused::Panicked`] of the policy or the clock: the mail
    /// is still there. Nothing has changed then.
    pub fn allocate(
        &mut self,
        app: &AppHandle,
        request: &AllocateRequest,
        answer: &mut Allocation,
    ) -> Result<(), Refused> {
        self.steps.send(app, request)?;
        collect(self.shared(), &app.0, answer)?;
        warn_of(&app.0, &request.asks, &mut answer.warnings);
        Ok(())
    }

    /// Ends an application, as [`FairScheduler::finish`](crate::FairScheduler::finish).
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`] if it has already ended.
    pub fn finish(&mut self, app: &AppHandle) -> Result<(), Refused> {
        self.steps.finish_by(None, app)
    }

    /// Kills an application. The scheduler treats this as [`Stepped::finish`].
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`] if it has already ended.
    pub fn kill(&mut self, app: &AppHandle) -> Result<(), Refused> {
        self.finish(app)
    }

    /// Kills an application on behalf of a user, as [`FairScheduler::kill_as`](crate::FairScheduler::kill_as).
    ///
    /// # Errors
    /// [`Refused::AppAcl`] if the user may not; [`Refused::NameTooLong`] of the user's name; [`Refused::NoSuchApp`] if it has already ended.
    pub fn kill_as(&mut self, user: &str, app: &AppHandle) -> Result<(), Refused> {
        self.steps.finish_by(Some(user), app)
    }

    /// Takes over a container that runs already, as
    /// [`FairScheduler::recover_container`](crate::FairScheduler::recover_container).
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`], [`Refused::NoSuchNode`] of what is gone; [`Refused::UnknownType`], [`Refused::InvalidResource`] of its size;
    /// [`Refused::Busy`] if no record is left; [`Refused::NoWorkers`] if the node's worker is given up.
    pub fn recover_container(
        &mut self,
        app: &AppHandle,
        node: &NodeHandle,
        container: RecoveredContainer,
    ) -> Result<ContainerId, Refused> {
        self.steps.recover_container(app, node, container)
    }

    /// Starts another attempt of an application, as [`FairScheduler::new_attempt`](crate::FairScheduler::new_attempt).
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`] if the application has ended; [`Refused::InvalidResource`], [`Refused::ZeroMax`], [`Refused::NoLocation`],
    /// [`Refused::OthersLocation`] of the new AM's request; [`Refused::Panicked`] (the clock).
    pub fn new_attempt(&mut self, app: &AppHandle, new: NewAttempt) -> Result<AppHandle, Refused> {
        self.steps.new_attempt(app, new)
    }

    /// Moves an application to another leaf queue.
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`]; [`Refused::NoSuchQueue`], [`Refused::NameTooLong`], [`Refused::MaxRunning`], [`Refused::MaxShare`],
    /// [`Refused::NotRunnable`] of the target.
    pub fn move_app(&mut self, app: &AppHandle, queue: &str) -> Result<(), Refused> {
        self.steps.move_by(None, app, queue)
    }

    /// Moves an application on behalf of a user, as [`FairScheduler::move_app_as`](crate::FairScheduler::move_app_as).
    ///
    /// # Errors
    /// [`Refused::AppAcl`] or, for the target, [`Refused::Acl`] if the user may not; [`Refused::NameTooLong`] of the user's name; otherwise as
    /// [`Stepped::move_app`].
    pub fn move_app_as(&mut self, user: &str, app: &AppHandle, queue: &str) -> Result<(), Refused> {
        self.steps.move_by(Some(user), app, queue)
    }

    // ------------------------------------------------------------------------------------------------ rights

    /// Whether the user has a right in a queue, as [`FairScheduler::has_access`](crate::FairScheduler::has_access).
    pub fn has_access(&mut self, user: &str, queue: &str, access: QueueAccess) -> bool {
        self.stepper().control().has_access(user, queue, access)
    }

    /// The ResourceManager's check of a right, as [`FairScheduler::permits`](crate::FairScheduler::permits).
    pub fn permits(&mut self, user: &str, queue: &str, access: QueueAccess) -> bool {
        self.stepper().control().permits(user, queue, access)
    }

    /// Whether the user is in `yarn.admin.acl`.
    pub fn is_admin(&mut self, user: &str) -> bool {
        self.stepper().control().is_admin(user)
    }

    /// Checks that a user may see or change an application, as [`FairScheduler::check_app`](crate::FairScheduler::check_app).
    ///
    /// # Errors
    /// [`Refused::AppAcl`] if the user may not; [`Refused::NameTooLong`] of the user's name; [`Refused::NoSuchApp`] if it has ended.
    pub fn check_app(&mut self, user: &str, app: &AppHandle, access: AppAccess) -> Result<(), Refused> {
        self.stepper().control().check_app(user, &app.0, access)
    }

    // ------------------------------------------------------------------------------------------------ queues

    /// Computes demand and instantaneous fair shares once.
    pub fn update_now(&mut self) {
        self.stepper().pump();
        self.stepper().update();
        self.settle();
    }

    /// Serves all starved applications once, one after the other: marks containers for each, as Hadoop's preemption thread does.
    /// [`Stepped::update_now`] finds the starved applications.
    ///
    /// The AMs are warned ([`Allocation::strict_preemptions`]). With `kill` all marked containers end at once. Otherwise
    /// [`Stepped::kill_marked`] ends them; Hadoop does this `yarn.scheduler.fair.waitTimeBeforeKill` later.
    ///
    /// # Errors
    /// [`Refused::PreemptionOff`] if `yarn.scheduler.fair.preemption` is not true.
    pub fn preempt(&mut self, kill: bool) -> Result<Vec<PreemptionRound>, Refused> {
        let rounds = self.stepper().preempt(|preemptor, workers| preemptor.all_rounds(workers))?;
        if kill {
            self.kill_marked()?;
        }
        self.settle();
        Ok(rounds.into_iter().map(PreemptionRound::from).collect())
    }

    /// Ends every container that is marked for preemption, whether or not its wait is over.
    ///
    /// # Errors
    /// Those of [`Stepped::preempt`].
    pub fn kill_marked(&mut self) -> Result<(), Refused> {
        self.stepper().preempt(|preemptor, workers| preemptor.kill_all(workers))?;
        self.settle();
        Ok(())
    }

    /// Ends the containers that were marked at least `yarn.scheduler.fair.waitTimeBeforeKill` ago by the clock, as Hadoop's timer
    /// does.
    ///
    /// # Errors
    /// Those of [`Stepped::preempt`].
    pub fn kill_due(&mut self) -> Result<(), Refused> {
        self.stepper().preempt(|preemptor, workers| preemptor.kill_due(workers))?;
        self.settle();
        Ok(())
    }

    /// Returns the queue in which the placement rules put an application, as
    /// [`FairScheduler::place`](crate::FairScheduler::place).
    ///
    /// # Errors
    /// [`Refused::RuleFailed`], [`Refused::NoGroups`], [`Refused::NameTooLong`].
    pub fn place(&mut self, user: &str, queue: Option<&str>) -> Result<Option<String>, Refused> {
        self.stepper().control().place(user, queue)
    }

    /// Creates a dynamic queue, as [`FairScheduler::create_queue`](crate::FairScheduler::create_queue).
    ///
    /// # Errors
    /// [`Refused::BadQueueName`], [`Refused::NameTooLong`], [`Refused::CannotCreate`].
    pub fn create_queue(&mut self, name: &str, leaf: bool) -> Result<(), Refused> {
        let outcome = self.stepper().control().add_queue(name, leaf);
        self.settle();
        outcome
    }

    /// Returns the settings of each queue, as configured, by name.
    pub fn queue_configs(&mut self) -> Vec<QueueConfig> {
        self.stepper().control().queue_configs()
    }

    /// Returns the allocation file in force.
    pub fn allocations(&mut self) -> &AllocationFile {
        self.stepper().control().allocations()
    }

    /// Returns the placement rules in force: those of the last file that had any, otherwise those of the settings.
    pub fn placement_rules(&mut self) -> &[PlacementRule] {
        self.stepper().control().placement_rules()
    }

    /// Cleans up as the allocation file's watcher does, as [`FairScheduler::clean_up`](crate::FairScheduler::clean_up).
    pub fn clean_up(&mut self) {
        Reloads::clean_up(self.stepper().control());
        self.settle();
    }

    /// Takes new allocations, as [`FairScheduler::reload`](crate::FairScheduler::reload).
    ///
    /// # Errors
    /// [`Refused::BadAllocations`], [`Refused::ReloadBrokeOff`].
    pub fn reload(&mut self, allocations: AllocationFile) -> Result<(), Refused> {
        let control = self.stepper().control();
        Reloads::clean_up(control);
        let outcome = control.take(Box::new(allocations));
        self.settle();
        outcome
    }

    /// Takes new allocations from a text, as [`FairScheduler::reload_text`](crate::FairScheduler::reload_text).
    ///
    /// # Errors
    /// [`Refused::BadAllocations`]: the old ones stay, except perhaps the placement rules. [`Refused::ReloadBrokeOff`].
    pub fn reload_text(&mut self, text: &str) -> Result<Vec<Diagnostic>, Refused> {
        Reloads::clean_up(self.stepper().control());
        self.take_text(text)
    }

    /// As [`reload_text`](Self::reload_text) without the clean-up: an administrator's refresh with a given text. New reservable
    /// queues become plans.
    ///
    /// # Errors
    /// Those of [`Stepped::reload_text`]; [`Refused::PlanClass`].
    pub fn refresh_with(&mut self, text: &str) -> Result<Vec<Diagnostic>, Refused> {
        let warnings = self.take_text(text)?;
        self.refresh_plans()?;
        Ok(warnings)
    }

    fn take_text(&mut self, text: &str) -> Result<Vec<Diagnostic>, Refused> {
        let types = self.shared().decider.settings.types.clone();
        let control = self.stepper().control();
        let reader = Reader { types, custom_policies: control.policy_names(), limit: u64::MAX };
        let outcome = apply(reader.parse(text, "allocations"), control);
        self.settle();
        outcome
    }

    /// Reads the watched allocation file again, as
    /// [`FairScheduler::refresh_queues`](crate::FairScheduler::refresh_queues).
    ///
    /// # Errors
    /// [`Refused::NoAllocationFile`] when there is no file to read; [`Refused::BadAllocations`] when it cannot be read or is not valid:
    /// what was in force stays; [`Refused::ReloadBrokeOff`]; [`Refused::PlanClass`].
    pub fn refresh_queues(&mut self) -> Result<Vec<Diagnostic>, Refused> {
        let clock = self.shared().clock.clone();
        let watcher = self.watcher.as_mut().ok_or(Refused::NoAllocationFile)?;
        let outcome = watcher.refresh(&*clock, self.steps.stepper.control());
        self.settle();
        let warnings = outcome?;
        self.refresh_plans()?;
        Ok(warnings)
    }

    /// Sets the largest container, as [`FairScheduler::set_maximum_allocation`](crate::FairScheduler::set_maximum_allocation).
    ///
    /// # Errors
    /// [`Refused::BadMaximum`].
    pub fn set_maximum_allocation(&mut self, maximum: Resource) -> Result<(), Refused> {
        self.stepper().control().set_maximum(maximum)?;
        self.settle();
        Ok(())
    }

    // ------------------------------------------------------------------------------------------------ by number

    /// Returns the handle of an application by its number, if it has not ended.
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`] if it is unknown or has ended.
    pub fn app_numbered(&self, number: u32) -> Result<AppHandle, Refused> {
        self.steps.app(number)
    }

    /// An AM's call as recordings have it: as its last act it fetches all containers of the application. Returns the headroom.
    ///
    /// # Errors
    /// Those of [`Stepped::allocate`]. Nothing has changed then.
    pub fn allocate_numbered(
        &mut self,
        number: u32,
        asks: &[Ask],
        blacklist_add: &[&str],
        blacklist_remove: &[&str],
    ) -> Result<Resource, Refused> {
        let app = self.steps.calling(number)?;
        let request = self.steps.request(asks, blacklist_add, blacklist_remove);
        let mut answer = std::mem::take(&mut self.steps.scratch);
        let outcome = self.allocate(&app, &request, &mut answer);
        let headroom = answer.headroom;
        self.steps.scratch = answer;
        outcome.map(|()| headroom)
    }

    /// The numbers of an application's containers that are to be preempted, smallest first: what its handle's
    /// [`strict_preemptions`](AppHandle::strict_preemptions) has.
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`] if it is unknown or has ended.
    pub fn preemptions_numbered(&self, number: u32) -> Result<Vec<u32>, Refused> {
        let marked = self.app_numbered(number)?.strict_preemptions();
        let mut numbers: Vec<_> = marked.into_iter().map(ContainerId::number).collect();
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// The AM gives a container back; one that is not its own is ignored.
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`] if the application is unknown or has ended; [`Refused::NoAm`].
    pub fn release_numbered(&mut self, number: u32, container: u32) -> Result<(), Refused> {
        self.steps.release_numbered(number, container)
    }

    /// The node of a container says that it runs.
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`] if the application is unknown; [`Refused::NoSuchContainer`] if the container is, or has ended.
    pub fn launch_numbered(&mut self, number: u32, container: u32) -> Result<(), Refused> {
        self.steps.launch_numbered(number, container)
    }

    /// The node of a container says that it is done.
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`] if the application is unknown; [`Refused::NoSuchContainer`] if the container is, or has ended and its
    /// node does not wait for it.
    pub fn complete_numbered(&mut self, number: u32, container: u32) -> Result<(), Refused> {
        self.steps.complete_numbered(number, container)
    }

    // ------------------------------------------------------------------------------------------------ views

    /// What happened since this was last called, and the reservations that stand.
    pub fn take_journal(&mut self) -> Journal {
        let (mut outcome, nodes) = self.steps.take_noted();
        let reserved = self.stepper().shards().flat_map(|shard| shard.reservations()).collect();
        let held = self.stepper().shards().flat_map(|shard| shard.owed_rooms()).collect();
        outcome.finish(&nodes, reserved, held);
        outcome
    }

    /// Why the passes over nodes since this was last called went as they did, in order; with several workers, worker by
    /// worker. Empty without a [trace](crate::FairSchedulerBuilder::trace).
    pub fn take_trace(&mut self) -> Vec<Decision> {
        self.stepper().shards().flat_map(|shard| shard.take_trace()).collect()
    }

    /// Why an application is offered no node, as things stand; `None` where nothing stands against it but the nodes: what
    /// each of them lacks is in the [trace](Stepped::take_trace). With several workers, as the one sees it that takes the
    /// application's asks.
    #[must_use]
    pub fn not_offered(&mut self, app: &AppHandle) -> Option<NotOffered> {
        let stopped = self.stepper().control().why_stopped(&app.0).map(NotOffered::from);
        // Of another scheduler's application the control has said that there is none.
        stopped.or_else(|| self.stepper().shards().nth(app.0.home)?.why_not_offered(app.0.slot.index))
    }

    /// All queues, by name.
    #[must_use]
    pub fn queues(&self) -> Vec<QueueView> {
        views::queues(&self.shared().publisher.load())
    }

    /// An application by its number.
    pub fn app(&mut self, number: u32) -> Option<AppView> {
        let snapshot = self.shared().publisher.load();
        self.stepper().control().find_app(number).map(|app| views::app(&snapshot, &app))
    }

    /// All applications, by number.
    #[must_use]
    pub fn apps(&mut self) -> Vec<AppView> {
        let snapshot = self.shared().publisher.load();
        self.stepper().control().all_apps().iter().map(|app| views::app(&snapshot, app)).collect()
    }

    /// Counters and totals.
    #[must_use]
    pub fn stats(&self) -> Stats {
        views::stats(self.shared())
    }

    pub(crate) fn stepper(&mut self) -> &mut Stepper {
        &mut self.steps.stepper
    }

    pub(super) fn shared(&self) -> &Arc<Shared> {
        self.steps.stepper.shared()
    }

    /// Works off all messages and notes what happened.
    pub(super) fn settle(&mut self) {
        self.steps.settle();
    }
}

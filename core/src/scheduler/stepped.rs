//! A scheduler without threads: the calls that both schedulers have. The same stages, on the caller's thread.
//!
//! What one of the two schedulers does in its own way is [`Driven`](super::policy::Driven)'s; calls that only one has
//! are in `fair` and `capacity`.

use super::calls::fetch;
use super::handles::{AppHandle, NodeHandle};
use super::journal::{AllocatedView, Journal, Standing, reservation_views};
use super::policy::{Fair, Policy};
use super::steps::Stepping;
use crate::app::{Ask, Location};
use crate::capacity::SubmitTerms;
use crate::config::{Diagnostic, QueueAccess};
use crate::engine::{
    AllocateRequest, Allocation, ContainerCounts, ContainerView, Heartbeat, NewAttempt, NewNode, NodeView,
    RecoveredContainer, RequestView, ReservationNews, Submission, headroom, node_view,
};
use crate::event::{AppAccess, Refused, SchedulerEvent};
use crate::id::{ContainerId, ContainerName, NodeId};
use crate::resource::Resource;
use std::borrow::Borrow;
use std::fmt;

/// A scheduler without threads, for embedders with a runtime of their own, and for replay. A call runs the same stages
/// as [`Scheduler`](crate::Scheduler), and returns when all of them are done. With one worker it decides as Hadoop
/// does, step by step.
///
/// Time moves only by [`Stepped::advance`]. [`Stepped::heartbeat`] offers a node. A FairScheduler computes shares only
/// by
/// [`Stepped::update_now`]: `yarn.scheduler.fair.update-interval-ms` has no effect.
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
/// The calls are those of [`Scheduler`](crate::Scheduler). What can only go wrong on threads is no `Result` here;
/// requests are taken by value or by reference.
pub struct Stepped<P: Policy = Fair> {
    pub(crate) steps: Stepping<P::Decider>,
    pub(super) beside: P::Beside,
}

impl<P: Policy> fmt::Debug for Stepped<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stepped").field("steps", &self.steps).field("beside", &self.beside).finish()
    }
}

/// # Time
impl<P: Policy> Stepped<P> {
    /// Moves the virtual clock by `ms`, and then calls [`tick`](Self::tick). If the embedder gave a clock to the
    /// builder, it only calls `tick`.
    pub fn advance(&mut self, ms: u64) {
        self.steps.advance_clock(ms);
        self.tick();
    }

    /// Does what is due by the clock.
    ///
    /// - It looks for containers that were fetched and never launched, if the last look is a third of
    ///   `yarn.resourcemanager.rm.container-allocation.expiry-interval-ms` ago. Those that were fetched longer ago than
    ///   the interval end as [`Expired`](crate::EndReason::Expired).
    /// - A FairScheduler looks at the watched allocation file, if the last look is an interval ago
    ///   ([`reload_interval`](crate::FairSchedulerBuilder::reload_interval)). A look cleans up, and reads the file if
    ///   it has changed and is quiet. Without a watched file nothing happens.
    pub fn tick(&mut self) {
        P::tick(&mut self.steps, &mut self.beside);
    }
}

/// # Nodes
impl<P: Policy> Stepped<P> {
    /// Registers a node with its name, its rack and its total (memory in MiB, vcores, further types).
    ///
    /// # Errors
    /// [`Refused::DuplicateNode`], [`Refused::NameTooLong`], [`Refused::BadPlaceName`], [`Refused::TooManyPlaces`] of
    /// its names; [`Refused::BadNode`], [`Refused::UnknownType`], [`Refused::ClusterTooLarge`] of its total.
    pub fn add_node(&mut self, name: &str, rack: &str, total: Resource) -> Result<NodeHandle, Refused> {
        self.steps.add_node(name, rack, total)
    }

    /// Registers a node together with the containers that run on it, as
    /// [`Scheduler::add_node_with_containers`](crate::Scheduler::add_node_with_containers).
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
        self.steps.add_node_with(NewNode::new(name, rack, total), running)
    }

    /// Registers a node with all that may be told of it, together with the containers that run on it. As
    /// [`add_node_with_containers`](Self::add_node_with_containers), with the port of its NodeManager.
    ///
    /// # Errors
    /// Those of [`add_node`](Self::add_node). Then no container is taken over.
    pub fn register_node(
        &mut self,
        node: NewNode,
        running: Vec<(AppHandle, RecoveredContainer)>,
    ) -> Result<(NodeHandle, Vec<Result<ContainerId, Refused>>), Refused> {
        self.steps.add_node_with(node, running)
    }

    /// Removes a node. Its containers end as [`NodeLost`](crate::EndReason::NodeLost).
    ///
    /// # Errors
    /// [`Refused::NoSuchNode`] if it is already removed.
    pub fn remove_node(&mut self, node: &NodeHandle) -> Result<(), Refused> {
        self.steps.remove_node(node)
    }

    /// Changes the total of a node, as [`Scheduler::resize_node`](crate::Scheduler::resize_node).
    ///
    /// # Errors
    /// [`Refused::NoSuchNode`] if it is removed; [`Refused::BadNode`], [`Refused::UnknownType`],
    /// [`Refused::ClusterTooLarge`] of the total.
    pub fn resize_node(&mut self, node: &NodeHandle, total: Resource) -> Result<(), Refused> {
        self.steps.resize_node(node, total, false)
    }

    /// Empties a node gracefully, as [`Scheduler::decommission_node`](crate::Scheduler::decommission_node).
    ///
    /// # Errors
    /// [`Refused::NoSuchNode`] if it is removed.
    pub fn decommission_node(&mut self, node: &NodeHandle) -> Result<(), Refused> {
        self.steps.decommission_node(node)
    }

    /// Keeps a decommissioning node, as [`Scheduler::recommission_node`](crate::Scheduler::recommission_node).
    ///
    /// # Errors
    /// [`Refused::NoSuchNode`] if it is removed.
    pub fn recommission_node(&mut self, node: &NodeHandle) -> Result<(), Refused> {
        self.steps.recommission_node(node)
    }

    /// Processes a node's report, and offers the node. Of a
    /// CapacityScheduler with `schedule-asynchronously` only [`offer_all`](Self::offer_all) offers it.
    pub fn heartbeat(&mut self, heartbeat: impl Borrow<Heartbeat>) {
        self.steps.heartbeat(heartbeat.borrow());
    }

    /// Returns the location for a node or rack name, as [`Scheduler::location`](crate::Scheduler::location).
    #[must_use]
    pub fn location(&self, name: &str) -> Location {
        self.steps.location(name)
    }
}

/// # Applications and their masters
impl<P: Policy> Stepped<P> {
    /// Submits an application with its first attempt, as [`Scheduler::submit`](crate::Scheduler::submit).
    ///
    /// # Errors
    /// Those of [`Scheduler::submit`](crate::Scheduler::submit) that threads have no part in.
    pub fn submit(&mut self, submission: impl Borrow<Submission>) -> Result<AppHandle, Refused> {
        let outcome = self.steps.stepper.control().submit(submission.borrow());
        self.steps.submitted(outcome)
    }

    /// As [`submit`](Self::submit), with everything else that a submission may ask for, as
    /// [`Scheduler::submit_with`](crate::Scheduler::submit_with).
    ///
    /// # Errors
    /// Those of [`submit`](Self::submit), and [`Refused::BadLifetime`].
    pub fn submit_with(
        &mut self,
        submission: impl Borrow<Submission>,
        terms: SubmitTerms,
    ) -> Result<AppHandle, Refused> {
        P::check_terms(submission.borrow(), &terms)?;
        let outcome = P::submit(self.steps.stepper.control(), submission.borrow(), terms);
        self.steps.submitted(outcome)
    }

    /// Returns the answer to a submission without submitting it: the full name of the leaf queue that the application
    /// would enter. The queue is made if it does not exist.
    ///
    /// For ResourceManagers that accept an application before its first attempt begins. Submit the attempt later as
    /// [accepted](Submission::accepted_in).
    ///
    /// # Errors
    /// Those of [`submit_with`](Self::submit_with).
    pub fn accept(&mut self, submission: impl Borrow<Submission>, terms: SubmitTerms) -> Result<String, Refused> {
        P::check_terms(submission.borrow(), &terms)?;
        let outcome = P::accept(self.steps.stepper.control(), submission.borrow(), terms);
        self.steps.settle();
        outcome
    }

    /// Starts another attempt of an application, as [`Scheduler::new_attempt`](crate::Scheduler::new_attempt).
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`] if the application has ended; [`Refused::InvalidResource`], [`Refused::ZeroMax`],
    /// [`Refused::NoLocation`], [`Refused::OthersLocation`] of the new AM's request; [`Refused::Panicked`] (the clock).
    pub fn new_attempt(&mut self, app: &AppHandle, new: NewAttempt) -> Result<AppHandle, Refused> {
        self.steps.new_attempt(app, new)
    }

    /// Takes over a container that runs already, as
    /// [`Scheduler::recover_container`](crate::Scheduler::recover_container).
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`], [`Refused::NoSuchNode`] of what is gone; [`Refused::UnknownType`],
    /// [`Refused::InvalidResource`] of its size; [`Refused::Busy`] if no record is left; [`Refused::NoWorkers`] if the
    /// node's worker is given up.
    pub fn recover_container(
        &mut self,
        app: &AppHandle,
        node: &NodeHandle,
        container: RecoveredContainer,
    ) -> Result<ContainerId, Refused> {
        self.steps.recover_container(app, node, container)
    }

    /// An AM's call, as [`Scheduler::allocate`](crate::Scheduler::allocate).
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`], [`Refused::NoAm`] of the application; [`Refused::InvalidResource`],
    /// [`Refused::InvalidBlacklist`], [`Refused::NoLocation`], [`Refused::OthersLocation`], [`Refused::TooManyKeys`] of
    /// the request; [`Refused::ZeroMax`] of its queue; [`Refused::Busy`] where a release or an ask finds no room in its
    /// channel; [`Refused::Panicked`] of the policy or the clock: the mail is still there. Nothing has changed then.
    pub fn allocate(
        &mut self,
        app: &AppHandle,
        request: &AllocateRequest,
        answer: &mut Allocation,
    ) -> Result<(), Refused> {
        P::allocate_stepped(&mut self.steps, app, request, answer)
    }

    /// Fetches the granted and ended containers since the AM's last call, as
    /// [`Scheduler::fetch`](crate::Scheduler::fetch).
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`] of another scheduler's application.
    pub fn fetch(&self, app: &AppHandle, answer: &mut Allocation) -> Result<(), Refused> {
        fetch(self.steps.stepper.shared(), app, answer)
    }

    /// What an application can still get, as [`Scheduler::headroom`](crate::Scheduler::headroom).
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`] of another scheduler's application, or one that has ended; [`Refused::Panicked`] of the
    /// queue's policy, or the clock.
    pub fn headroom(&self, app: &AppHandle) -> Result<Resource, Refused> {
        headroom(self.steps.stepper.shared(), &app.0)
    }

    /// Ends an application, as [`Scheduler::finish`](crate::Scheduler::finish).
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`] if it has already ended.
    pub fn finish(&mut self, app: &AppHandle) -> Result<(), Refused> {
        self.steps.finish_by(None, app)
    }

    /// Ends an application on behalf of a user, as [`Scheduler::finish_as`](crate::Scheduler::finish_as).
    ///
    /// # Errors
    /// [`Refused::AppAcl`] if the user may not; [`Refused::NameTooLong`] of the user's name; [`Refused::NoSuchApp`] if
    /// it has already ended.
    pub fn finish_as(&mut self, user: &str, app: &AppHandle) -> Result<(), Refused> {
        self.steps.finish_by(Some(user), app)
    }

    /// Moves an application to another leaf queue.
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`]; [`Refused::NoSuchQueue`], [`Refused::NameTooLong`], [`Refused::MaxRunning`],
    /// [`Refused::MaxShare`], [`Refused::NotRunnable`] of the target.
    pub fn move_app(&mut self, app: &AppHandle, queue: &str) -> Result<(), Refused> {
        self.steps.move_by(None, app, queue)
    }

    /// Moves an application on behalf of a user, as [`Scheduler::move_app_as`](crate::Scheduler::move_app_as).
    ///
    /// # Errors
    /// [`Refused::AppAcl`] or, for the target, [`Refused::Acl`] if the user may not; [`Refused::NameTooLong`] of the
    /// user's name; otherwise as [`move_app`](Self::move_app).
    pub fn move_app_as(&mut self, user: &str, app: &AppHandle, queue: &str) -> Result<(), Refused> {
        self.steps.move_by(Some(user), app, queue)
    }
}

/// # Operators
impl<P: Policy> Stepped<P> {
    /// Whether the user has a right in a queue, as [`Scheduler::has_access`](crate::Scheduler::has_access).
    pub fn has_access(&mut self, user: &str, queue: &str, access: QueueAccess) -> bool {
        self.steps.stepper.control().has_access(user, queue, access)
    }

    /// The ResourceManager's check of a right, as [`Scheduler::permits`](crate::Scheduler::permits).
    pub fn permits(&mut self, user: &str, queue: &str, access: QueueAccess) -> bool {
        self.steps.stepper.control().permits(user, queue, access)
    }

    /// Whether the user is in `yarn.admin.acl`.
    pub fn is_admin(&mut self, user: &str) -> bool {
        self.steps.stepper.control().is_admin(user)
    }

    /// Checks that a user may see or change an application, as [`Scheduler::check_app`](crate::Scheduler::check_app).
    ///
    /// # Errors
    /// [`Refused::AppAcl`] if the user may not; [`Refused::NameTooLong`] of the user's name; [`Refused::NoSuchApp`] if
    /// it has ended.
    pub fn check_app(&mut self, user: &str, app: &AppHandle, access: AppAccess) -> Result<(), Refused> {
        self.steps.stepper.control().check_app(user, &app.0, access)
    }

    /// Returns the queue in which the placement rules put an application, as
    /// [`Scheduler::place`](crate::Scheduler::place).
    ///
    /// # Errors
    /// [`Refused::RuleFailed`], [`Refused::NoGroups`], [`Refused::NameTooLong`].
    pub fn place(&mut self, user: &str, queue: Option<&str>) -> Result<Option<String>, Refused> {
        P::place(self.steps.stepper.control(), user, queue)
    }

    /// Reads the queues from a text, as [`Scheduler::refresh_queues`](crate::Scheduler::refresh_queues).
    ///
    /// # Errors
    /// Of a FairScheduler [`Refused::BadAllocations`] and [`Refused::ReloadBrokeOff`], of a CapacityScheduler
    /// [`Refused::BadConfiguration`]; [`Refused::PlanClass`].
    pub fn refresh_queues(&mut self, text: &str) -> Result<Vec<Diagnostic>, Refused> {
        let warnings = P::refresh_stepped(&mut self.steps, text)?;
        self.refresh_plans()?;
        Ok(warnings)
    }

    /// Of a FairScheduler: computes demand and instantaneous fair shares once. A CapacityScheduler has nothing to
    /// compute.
    pub fn update_now(&mut self) {
        P::update_stepped(&mut self.steps);
    }

    /// Makes one round of preemption, as [`Scheduler::preempt`](crate::Scheduler::preempt). Of a FairScheduler
    /// [`kill_due`](Self::kill_due) ends what was marked.
    ///
    /// # Errors
    /// [`Refused::PreemptionOff`] if `yarn.scheduler.fair.preemption` is not true; [`Refused::BadConfiguration`] if the
    /// settings of a CapacityScheduler's policy are not valid.
    pub fn preempt(&mut self) -> Result<Vec<P::Marked>, Refused> {
        P::preempt_stepped(&mut self.steps)
    }

    /// Of a FairScheduler: ends the containers that were marked at least `yarn.scheduler.fair.waitTimeBeforeKill` ago
    /// by the clock, as Hadoop's timer does. A CapacityScheduler's [`preempt`](Self::preempt) does so itself.
    ///
    /// # Errors
    /// Those of [`preempt`](Self::preempt).
    pub fn kill_due(&mut self) -> Result<(), Refused> {
        P::kill_due(&mut self.steps)
    }

    /// Offers all nodes once, in the order of registration, as [`Scheduler::offer_all`](crate::Scheduler::offer_all).
    pub fn offer_all(&mut self) {
        self.offer_from(0);
    }

    pub(super) fn offer_from(&mut self, first: usize) {
        self.steps.offer_all(|shard| P::offer_all(shard, first));
    }
}

/// # Looking
impl<P: Policy> Stepped<P> {
    /// Returns the handle of an application by its number, as [`Scheduler::find_app`](crate::Scheduler::find_app).
    pub fn find_app(&mut self, number: u32) -> Option<AppHandle> {
        self.steps.stepper.control().find_app(number).filter(|app| !app.is_closed()).map(AppHandle)
    }

    /// Returns the handle of a registered node by its name, as [`Scheduler::find_node`](crate::Scheduler::find_node).
    pub fn find_node(&mut self, name: &str) -> Option<NodeHandle> {
        self.steps.node_named(name).map(NodeHandle)
    }

    /// Returns the handle of a registered node by its number, as
    /// [`Scheduler::find_node_by_id`](crate::Scheduler::find_node_by_id).
    pub fn find_node_by_id(&mut self, id: NodeId) -> Option<NodeHandle> {
        self.steps.stepper.control().all_nodes().find(|node| node.id == id).cloned().map(NodeHandle)
    }

    /// Returns a container by its name, as [`Scheduler::find_container`](crate::Scheduler::find_container).
    pub fn find_container(&mut self, name: &ContainerName) -> Option<ContainerId> {
        let ours = self.steps.stepper.shared().makes(name);
        self.steps.stepper.shards().filter(|_| ours).find_map(|shard| shard.find_container(name))
    }

    /// Returns the name of a container, for use on a wire.
    #[must_use]
    pub fn container_name(&self, id: ContainerId) -> ContainerName {
        self.steps.stepper.shared().container_name(id)
    }

    /// Returns a node by its name.
    pub fn node(&mut self, name: &str) -> Option<NodeView> {
        self.steps.node_named(name).map(|node| node_view(&node))
    }

    /// Returns all nodes, in order of registration.
    #[must_use]
    pub fn nodes(&mut self) -> Vec<NodeView> {
        self.steps.stepper.control().all_nodes().map(|node| node_view(node)).collect()
    }

    /// Returns all containers, by worker and node, including ended ones whose node has not yet reported the end. On a
    /// node they are in the order of their grants.
    #[must_use]
    pub fn containers(&mut self) -> Vec<ContainerView> {
        self.steps.stepper.shards().flat_map(|shard| shard.container_views()).collect()
    }

    /// How many containers each application and each node has.
    #[must_use]
    pub fn container_counts(&mut self) -> ContainerCounts {
        let counts = self.steps.stepper.shards().map(|shard| shard.container_counts());
        counts.fold(ContainerCounts::default(), ContainerCounts::and)
    }

    /// Returns the outstanding requests, by application, then in the order in which they are tried.
    #[must_use]
    pub fn requests(&mut self) -> Vec<RequestView> {
        let mut requests: Vec<_> = self.steps.stepper.shards().flat_map(|shard| shard.request_views()).collect();
        requests.sort_by_key(|request| request.attempt);
        requests
    }

    /// Returns the reservations of nodes, by node in order of registration.
    #[must_use]
    pub fn reservations(&mut self) -> Vec<AllocatedView> {
        let nodes: Vec<_> = self.steps.stepper.control().all_nodes().map(|node| node.id).collect();
        let reserved = self.steps.stepper.shards().flat_map(|shard| shard.reservations()).collect();
        reservation_views(&nodes, reserved)
    }

    /// Returns all queues, by name.
    #[must_use]
    pub fn queues(&mut self) -> Vec<P::QueueView> {
        P::queues_stepped(&mut self.steps)
    }

    /// Returns an application by its number.
    pub fn app(&mut self, number: u32) -> Option<P::AppView> {
        P::app_stepped(&mut self.steps, number)
    }

    /// Returns all applications, by number.
    #[must_use]
    pub fn apps(&mut self) -> Vec<P::AppView> {
        P::apps_stepped(&mut self.steps)
    }

    /// Returns counters and totals.
    #[must_use]
    pub fn stats(&self) -> P::Stats {
        P::stats(self.steps.stepper.shared())
    }

    /// Returns why an application is offered no node now, as [`Scheduler::not_offered`](crate::Scheduler::not_offered).
    #[must_use]
    pub fn not_offered(&mut self, app: &AppHandle) -> Option<P::NotOffered> {
        P::not_offered_stepped(&mut self.steps, app)
    }

    /// Returns why an application waits now, as [`Scheduler::why_waiting`](crate::Scheduler::why_waiting).
    pub fn why_waiting(&mut self, app: &AppHandle) -> Vec<P::Reason> {
        P::why_waiting_stepped(&mut self.steps, app, None)
    }

    /// As [`why_waiting`](Self::why_waiting) for one node: see
    /// [`Scheduler::why_waiting_on`](crate::Scheduler::why_waiting_on).
    ///
    /// # Errors
    /// [`Refused::NoSuchNode`] if it is removed.
    pub fn why_waiting_on(&mut self, app: &AppHandle, node: &NodeHandle) -> Result<Vec<P::Reason>, Refused> {
        if !node.stands_in(&self.steps.stepper.shared().nodes.lock()) {
            return Err(Refused::NoSuchNode(node.0.name.to_string()));
        }
        Ok(P::why_waiting_stepped(&mut self.steps, app, Some(node)))
    }

    /// Takes the next event, if there is one.
    #[must_use]
    pub fn next_event(&mut self) -> Option<SchedulerEvent> {
        self.steps.next_event()
    }
}

/// # What was noted
impl<P: Policy> Stepped<P> {
    /// Returns the nodes on which reservations were made or given up since the last call of this, and for what each is
    /// reserved now. Always empty without `note_reservations` of the builder.
    pub fn take_reservation_news(&mut self) -> Vec<ReservationNews> {
        self.steps.stepper.shards().flat_map(|shard| shard.take_reservation_news()).collect()
    }

    /// Returns what happened since its last call, and the present reservations. For replay, with the builder's
    /// `journal`.
    #[doc(hidden)]
    pub fn take_journal(&mut self) -> Journal {
        let (mut journal, nodes) = self.steps.take_step_record();
        let mut standing = Standing::default();
        self.steps.stepper.shards().for_each(|shard| P::stands(shard, &mut standing));
        journal.finish(&nodes, standing);
        journal
    }
}

/// Calls as recordings have them, by number: for replay.
impl<P: Policy> Stepped<P> {
    /// Returns the handle of an application by its number, if it has not ended.
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`] if it is unknown or has ended.
    #[doc(hidden)]
    pub fn app_numbered(&self, number: u32) -> Result<AppHandle, Refused> {
        self.steps.app(number)
    }

    /// An AM's call as recordings have it: as its last act it fetches all containers of the application. Returns the
    /// headroom, and the numbers of the containers that are marked for preemption.
    ///
    /// # Errors
    /// Those of [`allocate`](Self::allocate). Nothing has changed then.
    #[doc(hidden)]
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

    /// The numbers of an application's containers that are to be preempted, smallest first: what its handle's
    /// [`strict_preemptions`](AppHandle::strict_preemptions) has.
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`] if it is unknown or has ended.
    #[doc(hidden)]
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
    #[doc(hidden)]
    pub fn release_numbered(&mut self, number: u32, container: u32) -> Result<(), Refused> {
        self.steps.release_numbered(number, container)?;
        P::released(&mut self.steps, number, container)
    }

    /// The node of a container says that it runs.
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`] if the application is unknown; [`Refused::NoSuchContainer`] if the container is, or has
    /// ended.
    #[doc(hidden)]
    pub fn launch_numbered(&mut self, number: u32, container: u32) -> Result<(), Refused> {
        self.steps.launch_numbered(number, container)
    }

    /// The node of a container says that it is done.
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`] if the application is unknown; [`Refused::NoSuchContainer`] if the container is, or has
    /// ended and its node does not wait for it.
    #[doc(hidden)]
    pub fn complete_numbered(&mut self, number: u32, container: u32) -> Result<(), Refused> {
        self.steps.complete_numbered(number, container)
    }
}

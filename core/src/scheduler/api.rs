//! One trait for both schedulers, with threads and without.
//!
//! # Where it stands
//! Above all calls: each is one of [`Scheduler`] or [`Stepped`]. What can only go wrong on threads does not without.

use super::door::NotSent;
use super::handles::{AppHandle, NodeHandle};
use super::journal::AllocatedView;
use super::policy::Policy;
use super::stepped::Stepped;
use super::threaded::Scheduler;
use crate::app::Location;
use crate::capacity::SubmitTerms;
use crate::config::{Diagnostic, QueueAccess};
use crate::engine::{
    AllocateRequest, Allocation, ContainerCounts, ContainerView, Heartbeat, NewAttempt, NewNode, NodeView,
    RecoveredContainer, RequestView, Submission,
};
use crate::event::{AppAccess, Refused, SchedulerEvent};
use crate::id::{ContainerId, ContainerName};
use crate::reservation::{
    Followed, Reservation, ReservationDefinition, ReservationId, ReservationQuery, ReservationSubmission, ReserveError,
};
use crate::resource::Resource;
use std::collections::BTreeMap;
use std::time::Duration;

/// A scheduler, whichever decides and whatever drives it: [`Scheduler`] on threads, or [`Stepped`] on the caller's. For
/// generic code, and as a trait object for code that only learns at run time which one it has: a ResourceManager, a
/// simulator, a load tester.
///
/// The calls are those of the schedulers under the same names, which say more. Where a call of the threaded scheduler
/// can fail, it is a `Result` here. A trait object has all but the views, which differ.
///
/// ```
/// use evenweave::{Ask, AllocateRequest, Allocation, FairScheduler, Heartbeat, Resource, SchedulerApi, Submission};
///
/// let mut drivers: [Box<dyn SchedulerApi>; 2] =
///     [Box::new(FairScheduler::builder().start()?), Box::new(FairScheduler::builder().stepped()?)];
/// for scheduler in &mut drivers {
///     let node = scheduler.add_node("n1", "/r1", Resource::new(8192, 8))?;
///     let app = scheduler.submit(Submission::new(1, "ann"))?;
///     let mut answer = Allocation::default();
///     scheduler.allocate(&app, &AllocateRequest::new([Ask::anywhere(1, Resource::new(1024, 1), 1)]), &mut answer)?;
///     scheduler.settle()?; // asks travel
///     scheduler.update_now()?; // new demand counts from the next update on
///     scheduler.heartbeat(Heartbeat::new(&node))?;
///     scheduler.settle()?;
///     scheduler.fetch(&app, &mut answer)?;
///     assert_eq!(answer.granted.len(), 1);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[expect(private_bounds, reason = "sealed: these are the schedulers that there are")]
pub trait SchedulerApi: Sealed {
    /// Which of the two decides.
    type Policy: Policy
    where
        Self: Sized;

    /// Sends a node's report to the worker that owns the node, or processes it.
    ///
    /// # Errors
    /// Those of [`Scheduler::heartbeat`]: the report comes back.
    fn heartbeat(&mut self, heartbeat: Heartbeat) -> Result<(), Box<NotSent<Heartbeat>>>;

    /// Waits until everything accepted so far is processed ([`Scheduler::quiesce`]). Without threads it always is.
    ///
    /// # Errors
    /// [`Refused::WorkerLost`], [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    fn settle(&mut self) -> Result<(), Refused>;

    /// Does what is due by the clock ([`Stepped::tick`]). With threads their timers do.
    fn tick(&mut self);

    /// Of a FairScheduler: computes demand and instantaneous fair shares once.
    ///
    /// # Errors
    /// Those of [`Scheduler::update_now`].
    fn update_now(&mut self) -> Result<(), Refused>;

    /// Makes one round of preemption. Returns how many containers and reservations it marks.
    ///
    /// # Errors
    /// Those of [`Scheduler::preempt`].
    fn preempt(&mut self) -> Result<usize, Refused>;

    /// Of a FairScheduler without threads: ends what was marked long enough ago ([`Stepped::kill_due`]). With threads a
    /// timer does.
    ///
    /// # Errors
    /// Those of [`preempt`](Self::preempt).
    fn kill_due(&mut self) -> Result<(), Refused>;

    /// Offers all nodes once. A CapacityScheduler begins at the node with index `first`.
    ///
    /// # Errors
    /// Those of [`Scheduler::offer_all`].
    fn offer_all(&mut self, first: usize) -> Result<(), Refused>;

    /// The location for a node or rack name.
    fn location(&self, name: &str) -> Location;

    /// Registers a node.
    ///
    /// # Errors
    /// Those of the scheduler's call of that name.
    fn add_node(&mut self, name: &str, rack: &str, total: Resource) -> Result<NodeHandle, Refused>;

    /// Registers a node together with the containers that run on it.
    ///
    /// # Errors
    /// Those of the scheduler's call of that name.
    fn add_node_with_containers(
        &mut self,
        name: &str,
        rack: &str,
        total: Resource,
        running: Vec<(AppHandle, RecoveredContainer)>,
    ) -> Result<(NodeHandle, Vec<Result<ContainerId, Refused>>), Refused>;

    /// Registers a node with the port of its NodeManager, together with the containers that run on it.
    ///
    /// # Errors
    /// Those of the scheduler's call of that name.
    fn register_node(
        &mut self,
        node: NewNode,
        running: Vec<(AppHandle, RecoveredContainer)>,
    ) -> Result<(NodeHandle, Vec<Result<ContainerId, Refused>>), Refused>;

    /// Removes a node.
    ///
    /// # Errors
    /// Those of the scheduler's call of that name.
    fn remove_node(&mut self, node: &NodeHandle) -> Result<(), Refused>;

    /// Changes the total of a node.
    ///
    /// # Errors
    /// Those of the scheduler's call of that name.
    fn resize_node(&mut self, node: &NodeHandle, total: Resource) -> Result<(), Refused>;

    /// Empties a node gracefully.
    ///
    /// # Errors
    /// Those of the scheduler's call of that name.
    fn decommission_node(&mut self, node: &NodeHandle) -> Result<(), Refused>;

    /// Keeps a decommissioning node.
    ///
    /// # Errors
    /// Those of the scheduler's call of that name.
    fn recommission_node(&mut self, node: &NodeHandle) -> Result<(), Refused>;

    /// Submits an application with its first attempt.
    ///
    /// # Errors
    /// Those of the scheduler's call of that name.
    fn submit(&mut self, submission: Submission) -> Result<AppHandle, Refused>;

    /// Submits an application with everything that it may ask for.
    ///
    /// # Errors
    /// Those of the scheduler's call of that name.
    fn submit_with(&mut self, submission: Submission, terms: SubmitTerms) -> Result<AppHandle, Refused>;

    /// The leaf queue that an application would enter; nothing is submitted.
    ///
    /// # Errors
    /// Those of the scheduler's call of that name.
    fn accept(&mut self, submission: Submission, terms: SubmitTerms) -> Result<String, Refused>;

    /// Starts another attempt of an application.
    ///
    /// # Errors
    /// Those of the scheduler's call of that name.
    fn new_attempt(&mut self, app: &AppHandle, new: NewAttempt) -> Result<AppHandle, Refused>;

    /// Takes over a container that runs already.
    ///
    /// # Errors
    /// Those of the scheduler's call of that name.
    fn recover_container(
        &mut self,
        app: &AppHandle,
        node: &NodeHandle,
        container: RecoveredContainer,
    ) -> Result<ContainerId, Refused>;

    /// An AM's call.
    ///
    /// # Errors
    /// Those of the scheduler's call of that name.
    fn allocate(&mut self, app: &AppHandle, request: &AllocateRequest, answer: &mut Allocation) -> Result<(), Refused>;

    /// Fetches what was granted and has ended since the AM's last call.
    ///
    /// # Errors
    /// Those of the scheduler's call of that name.
    fn fetch(&self, app: &AppHandle, answer: &mut Allocation) -> Result<(), Refused>;

    /// What an application can still get.
    ///
    /// # Errors
    /// Those of the scheduler's call of that name.
    fn headroom(&self, app: &AppHandle) -> Result<Resource, Refused>;

    /// Ends an application.
    ///
    /// # Errors
    /// Those of the scheduler's call of that name.
    fn finish(&mut self, app: &AppHandle) -> Result<(), Refused>;

    /// Ends an application on behalf of a user.
    ///
    /// # Errors
    /// Those of the scheduler's call of that name.
    fn finish_as(&mut self, user: &str, app: &AppHandle) -> Result<(), Refused>;

    /// Moves an application to another leaf queue.
    ///
    /// # Errors
    /// Those of the scheduler's call of that name.
    fn move_app(&mut self, app: &AppHandle, queue: &str) -> Result<(), Refused>;

    /// Moves an application on behalf of a user.
    ///
    /// # Errors
    /// Those of the scheduler's call of that name.
    fn move_app_as(&mut self, user: &str, app: &AppHandle, queue: &str) -> Result<(), Refused>;

    /// Whether the user has a right in a queue.
    ///
    /// # Errors
    /// Those of the scheduler's call of that name.
    fn has_access(&mut self, user: &str, queue: &str, access: QueueAccess) -> Result<bool, Refused>;

    /// The ResourceManager's check of a right.
    ///
    /// # Errors
    /// Those of the scheduler's call of that name.
    fn permits(&mut self, user: &str, queue: &str, access: QueueAccess) -> Result<bool, Refused>;

    /// Whether the user is in `yarn.admin.acl`.
    ///
    /// # Errors
    /// Those of the scheduler's call of that name.
    fn is_admin(&mut self, user: &str) -> Result<bool, Refused>;

    /// Checks that a user may see or change an application.
    ///
    /// # Errors
    /// Those of the scheduler's call of that name.
    fn check_app(&mut self, user: &str, app: &AppHandle, access: AppAccess) -> Result<(), Refused>;

    /// The queue in which the placement rules put an application.
    ///
    /// # Errors
    /// Those of the scheduler's call of that name.
    fn place(&mut self, user: &str, queue: Option<&str>) -> Result<Option<String>, Refused>;

    /// Reads the queues from a text; warnings.
    ///
    /// # Errors
    /// Those of the scheduler's call of that name.
    fn refresh_queues(&mut self, text: &str) -> Result<Vec<Diagnostic>, Refused>;

    /// The handle of an application by its number.
    ///
    /// # Errors
    /// Those of the scheduler's call of that name.
    fn find_app(&mut self, number: u32) -> Result<Option<AppHandle>, Refused>;

    /// The handle of a registered node by its name.
    fn find_node(&mut self, name: &str) -> Option<NodeHandle>;

    /// A container by its name.
    ///
    /// # Errors
    /// Those of the scheduler's call of that name.
    fn find_container(&mut self, name: &ContainerName) -> Result<Option<ContainerId>, Refused>;

    /// The name of a container.
    fn container_name(&self, id: ContainerId) -> ContainerName;

    /// All nodes, in order of registration.
    fn nodes(&mut self) -> Vec<NodeView>;

    /// All containers.
    ///
    /// # Errors
    /// Those of the scheduler's call of that name.
    fn containers(&mut self) -> Result<Vec<ContainerView>, Refused>;

    /// How many containers each application and each node has.
    ///
    /// # Errors
    /// Those of the scheduler's call of that name.
    fn container_counts(&mut self) -> Result<ContainerCounts, Refused>;

    /// The outstanding requests.
    ///
    /// # Errors
    /// Those of the scheduler's call of that name.
    fn requests(&mut self) -> Result<Vec<RequestView>, Refused>;

    /// The reservations of nodes.
    ///
    /// # Errors
    /// Those of the scheduler's call of that name.
    fn reservations(&mut self) -> Result<Vec<AllocatedView>, Refused>;

    /// The next event, if there is one.
    fn next_event(&mut self) -> Option<SchedulerEvent>;

    /// All queues, by name.
    ///
    /// # Errors
    /// Those of the scheduler's call of that name.
    fn queues(&mut self) -> Result<Vec<<Self::Policy as Policy>::QueueView>, Refused>
    where
        Self: Sized;

    /// An application by its number.
    ///
    /// # Errors
    /// Those of the scheduler's call of that name.
    fn app(&mut self, number: u32) -> Result<Option<<Self::Policy as Policy>::AppView>, Refused>
    where
        Self: Sized;

    /// All applications, by number.
    ///
    /// # Errors
    /// Those of the scheduler's call of that name.
    fn apps(&mut self) -> Result<Vec<<Self::Policy as Policy>::AppView>, Refused>
    where
        Self: Sized;

    /// Counters and totals.
    fn stats(&self) -> <Self::Policy as Policy>::Stats
    where
        Self: Sized;

    /// Why an application is offered no node now.
    ///
    /// # Errors
    /// Those of the scheduler's call of that name.
    fn not_offered(&mut self, app: &AppHandle) -> Result<Option<<Self::Policy as Policy>::NotOffered>, Refused>
    where
        Self: Sized;

    /// Why an application waits now.
    ///
    /// # Errors
    /// Those of the scheduler's call of that name.
    fn why_waiting(&mut self, app: &AppHandle) -> Result<Vec<<Self::Policy as Policy>::Reason>, Refused>
    where
        Self: Sized;

    /// Why an application waits now, of one node.
    ///
    /// # Errors
    /// Those of the scheduler's call of that name.
    fn why_waiting_on(
        &mut self,
        app: &AppHandle,
        node: &NodeHandle,
    ) -> Result<Vec<<Self::Policy as Policy>::Reason>, Refused>
    where
        Self: Sized;

    /// The name of a new reservation.
    ///
    /// # Errors
    /// Those of the scheduler's call of that name.
    fn reserve_new(&mut self) -> Result<ReservationId, ReserveError>;

    /// Books a reservation.
    ///
    /// # Errors
    /// Those of the scheduler's call of that name.
    fn reserve_submit(&mut self, user: &str, request: &ReservationSubmission<'_>) -> Result<(), ReserveError>;

    /// Books a new version of a reservation.
    ///
    /// # Errors
    /// Those of the scheduler's call of that name.
    fn reserve_update(
        &mut self,
        user: &str,
        id: Option<ReservationId>,
        definition: Option<&ReservationDefinition>,
    ) -> Result<(), ReserveError>;

    /// Deletes a reservation from its plan.
    ///
    /// # Errors
    /// Those of the scheduler's call of that name.
    fn reserve_delete(&mut self, user: &str, id: Option<ReservationId>) -> Result<(), ReserveError>;

    /// The reservations of a plan.
    ///
    /// # Errors
    /// Those of the scheduler's call of that name.
    fn reserve_list(&mut self, user: &str, query: &ReservationQuery<'_>) -> Result<Vec<Reservation>, ReserveError>;

    /// Runs the plan follower once over all plans.
    ///
    /// # Errors
    /// Those of the scheduler's call of that name.
    fn follow_plans(&mut self) -> Result<BTreeMap<String, Followed>, ReserveError>;

    /// How often the follower is due.
    ///
    /// # Errors
    /// Those of the scheduler's call of that name.
    fn plan_step(&mut self) -> Result<Duration, ReserveError>;

    /// The plans, with all that each may promise now.
    ///
    /// # Errors
    /// Those of the scheduler's call of that name.
    fn plan_capacities(&mut self) -> Result<BTreeMap<String, Resource>, ReserveError>;
}

/// The schedulers that there are.
trait Sealed {}

impl<P: Policy> Sealed for Scheduler<P> {}

impl<P: Policy> Sealed for Stepped<P> {}

impl<P: Policy> SchedulerApi for Scheduler<P> {
    type Policy = P;

    fn heartbeat(&mut self, heartbeat: Heartbeat) -> Result<(), Box<NotSent<Heartbeat>>> {
        Scheduler::heartbeat(self, heartbeat)
    }

    fn settle(&mut self) -> Result<(), Refused> {
        self.quiesce().into_result()
    }

    fn tick(&mut self) {}

    fn update_now(&mut self) -> Result<(), Refused> {
        Scheduler::update_now(self).into_result()
    }

    fn preempt(&mut self) -> Result<usize, Refused> {
        Scheduler::preempt(self).map(|marked| P::count(&marked))
    }

    fn kill_due(&mut self) -> Result<(), Refused> {
        Ok(())
    }

    fn offer_all(&mut self, first: usize) -> Result<(), Refused> {
        self.offer_from(first)
    }

    fn location(&self, name: &str) -> Location {
        Scheduler::location(self, name)
    }

    fn add_node(&mut self, name: &str, rack: &str, total: Resource) -> Result<NodeHandle, Refused> {
        Scheduler::add_node(self, name, rack, total)
    }

    fn add_node_with_containers(
        &mut self,
        name: &str,
        rack: &str,
        total: Resource,
        running: Vec<(AppHandle, RecoveredContainer)>,
    ) -> Result<(NodeHandle, Vec<Result<ContainerId, Refused>>), Refused> {
        Scheduler::add_node_with_containers(self, name, rack, total, running)
    }

    fn register_node(
        &mut self,
        node: NewNode,
        running: Vec<(AppHandle, RecoveredContainer)>,
    ) -> Result<(NodeHandle, Vec<Result<ContainerId, Refused>>), Refused> {
        Scheduler::register_node(self, node, running)
    }

    fn remove_node(&mut self, node: &NodeHandle) -> Result<(), Refused> {
        Scheduler::remove_node(self, node)
    }

    fn resize_node(&mut self, node: &NodeHandle, total: Resource) -> Result<(), Refused> {
        Scheduler::resize_node(self, node, total)
    }

    fn decommission_node(&mut self, node: &NodeHandle) -> Result<(), Refused> {
        Scheduler::decommission_node(self, node)
    }

    fn recommission_node(&mut self, node: &NodeHandle) -> Result<(), Refused> {
        Scheduler::recommission_node(self, node)
    }

    fn submit(&mut self, submission: Submission) -> Result<AppHandle, Refused> {
        Scheduler::submit(self, submission)
    }

    fn submit_with(&mut self, submission: Submission, terms: SubmitTerms) -> Result<AppHandle, Refused> {
        Scheduler::submit_with(self, submission, terms)
    }

    fn accept(&mut self, submission: Submission, terms: SubmitTerms) -> Result<String, Refused> {
        Scheduler::accept(self, submission, terms)
    }

    fn new_attempt(&mut self, app: &AppHandle, new: NewAttempt) -> Result<AppHandle, Refused> {
        Scheduler::new_attempt(self, app, new)
    }

    fn recover_container(
        &mut self,
        app: &AppHandle,
        node: &NodeHandle,
        container: RecoveredContainer,
    ) -> Result<ContainerId, Refused> {
        Scheduler::recover_container(self, app, node, container)
    }

    fn allocate(&mut self, app: &AppHandle, request: &AllocateRequest, answer: &mut Allocation) -> Result<(), Refused> {
        Scheduler::allocate(self, app, request, answer)
    }

    fn fetch(&self, app: &AppHandle, answer: &mut Allocation) -> Result<(), Refused> {
        Scheduler::fetch(self, app, answer)
    }

    fn headroom(&self, app: &AppHandle) -> Result<Resource, Refused> {
        Scheduler::headroom(self, app)
    }

    fn finish(&mut self, app: &AppHandle) -> Result<(), Refused> {
        Scheduler::finish(self, app)
    }

    fn finish_as(&mut self, user: &str, app: &AppHandle) -> Result<(), Refused> {
        Scheduler::finish_as(self, user, app)
    }

    fn move_app(&mut self, app: &AppHandle, queue: &str) -> Result<(), Refused> {
        Scheduler::move_app(self, app, queue)
    }

    fn move_app_as(&mut self, user: &str, app: &AppHandle, queue: &str) -> Result<(), Refused> {
        Scheduler::move_app_as(self, user, app, queue)
    }

    fn has_access(&mut self, user: &str, queue: &str, access: QueueAccess) -> Result<bool, Refused> {
        Scheduler::has_access(self, user, queue, access)
    }

    fn permits(&mut self, user: &str, queue: &str, access: QueueAccess) -> Result<bool, Refused> {
        Scheduler::permits(self, user, queue, access)
    }

    fn is_admin(&mut self, user: &str) -> Result<bool, Refused> {
        Scheduler::is_admin(self, user)
    }

    fn check_app(&mut self, user: &str, app: &AppHandle, access: AppAccess) -> Result<(), Refused> {
        Scheduler::check_app(self, user, app, access)
    }

    fn place(&mut self, user: &str, queue: Option<&str>) -> Result<Option<String>, Refused> {
        Scheduler::place(self, user, queue)
    }

    fn refresh_queues(&mut self, text: &str) -> Result<Vec<Diagnostic>, Refused> {
        Scheduler::refresh_queues(self, text)
    }

    fn find_app(&mut self, number: u32) -> Result<Option<AppHandle>, Refused> {
        Scheduler::find_app(self, number)
    }

    fn find_node(&mut self, name: &str) -> Option<NodeHandle> {
        Scheduler::find_node(self, name)
    }

    fn find_container(&mut self, name: &ContainerName) -> Result<Option<ContainerId>, Refused> {
        Scheduler::find_container(self, name)
    }

    fn container_name(&self, id: ContainerId) -> ContainerName {
        Scheduler::container_name(self, id)
    }

    fn nodes(&mut self) -> Vec<NodeView> {
        Scheduler::nodes(self)
    }

    fn containers(&mut self) -> Result<Vec<ContainerView>, Refused> {
        Scheduler::containers(self)
    }

    fn container_counts(&mut self) -> Result<ContainerCounts, Refused> {
        Scheduler::container_counts(self)
    }

    fn requests(&mut self) -> Result<Vec<RequestView>, Refused> {
        Scheduler::requests(self)
    }

    fn reservations(&mut self) -> Result<Vec<AllocatedView>, Refused> {
        Scheduler::reservations(self)
    }

    fn next_event(&mut self) -> Option<SchedulerEvent> {
        Scheduler::next_event(self)
    }

    fn queues(&mut self) -> Result<Vec<P::QueueView>, Refused> {
        Scheduler::queues(self)
    }

    fn app(&mut self, number: u32) -> Result<Option<P::AppView>, Refused> {
        Scheduler::app(self, number)
    }

    fn apps(&mut self) -> Result<Vec<P::AppView>, Refused> {
        Scheduler::apps(self)
    }

    fn stats(&self) -> P::Stats {
        Scheduler::stats(self)
    }

    fn not_offered(&mut self, app: &AppHandle) -> Result<Option<P::NotOffered>, Refused> {
        Scheduler::not_offered(self, app)
    }

    fn why_waiting(&mut self, app: &AppHandle) -> Result<Vec<P::Reason>, Refused> {
        Scheduler::why_waiting(self, app)
    }

    fn why_waiting_on(&mut self, app: &AppHandle, node: &NodeHandle) -> Result<Vec<P::Reason>, Refused> {
        Scheduler::why_waiting_on(self, app, node)
    }

    fn reserve_new(&mut self) -> Result<ReservationId, ReserveError> {
        Scheduler::reserve_new(self)
    }

    fn reserve_submit(&mut self, user: &str, request: &ReservationSubmission<'_>) -> Result<(), ReserveError> {
        Scheduler::reserve_submit(self, user, request)
    }

    fn reserve_update(
        &mut self,
        user: &str,
        id: Option<ReservationId>,
        definition: Option<&ReservationDefinition>,
    ) -> Result<(), ReserveError> {
        Scheduler::reserve_update(self, user, id, definition)
    }

    fn reserve_delete(&mut self, user: &str, id: Option<ReservationId>) -> Result<(), ReserveError> {
        Scheduler::reserve_delete(self, user, id)
    }

    fn reserve_list(&mut self, user: &str, query: &ReservationQuery<'_>) -> Result<Vec<Reservation>, ReserveError> {
        Scheduler::reserve_list(self, user, query)
    }

    fn follow_plans(&mut self) -> Result<BTreeMap<String, Followed>, ReserveError> {
        Scheduler::follow_plans(self)
    }

    fn plan_step(&mut self) -> Result<Duration, ReserveError> {
        Scheduler::plan_step(self)
    }

    fn plan_capacities(&mut self) -> Result<BTreeMap<String, Resource>, ReserveError> {
        Scheduler::plan_capacities(self)
    }
}

impl<P: Policy> SchedulerApi for Stepped<P> {
    type Policy = P;

    fn heartbeat(&mut self, heartbeat: Heartbeat) -> Result<(), Box<NotSent<Heartbeat>>> {
        Stepped::heartbeat(self, &heartbeat);
        Ok(())
    }

    fn settle(&mut self) -> Result<(), Refused> {
        Ok(())
    }

    fn tick(&mut self) {
        Stepped::tick(self);
    }

    fn update_now(&mut self) -> Result<(), Refused> {
        Stepped::update_now(self);
        Ok(())
    }

    fn preempt(&mut self) -> Result<usize, Refused> {
        Stepped::preempt(self).map(|marked| P::count(&marked))
    }

    fn kill_due(&mut self) -> Result<(), Refused> {
        Stepped::kill_due(self)
    }

    fn offer_all(&mut self, first: usize) -> Result<(), Refused> {
        self.offer_from(first);
        Ok(())
    }

    fn location(&self, name: &str) -> Location {
        Stepped::location(self, name)
    }

    fn add_node(&mut self, name: &str, rack: &str, total: Resource) -> Result<NodeHandle, Refused> {
        Stepped::add_node(self, name, rack, total)
    }

    fn add_node_with_containers(
        &mut self,
        name: &str,
        rack: &str,
        total: Resource,
        running: Vec<(AppHandle, RecoveredContainer)>,
    ) -> Result<(NodeHandle, Vec<Result<ContainerId, Refused>>), Refused> {
        Stepped::add_node_with_containers(self, name, rack, total, running)
    }

    fn register_node(
        &mut self,
        node: NewNode,
        running: Vec<(AppHandle, RecoveredContainer)>,
    ) -> Result<(NodeHandle, Vec<Result<ContainerId, Refused>>), Refused> {
        Stepped::register_node(self, node, running)
    }

    fn remove_node(&mut self, node: &NodeHandle) -> Result<(), Refused> {
        Stepped::remove_node(self, node)
    }

    fn resize_node(&mut self, node: &NodeHandle, total: Resource) -> Result<(), Refused> {
        Stepped::resize_node(self, node, total)
    }

    fn decommission_node(&mut self, node: &NodeHandle) -> Result<(), Refused> {
        Stepped::decommission_node(self, node)
    }

    fn recommission_node(&mut self, node: &NodeHandle) -> Result<(), Refused> {
        Stepped::recommission_node(self, node)
    }

    fn submit(&mut self, submission: Submission) -> Result<AppHandle, Refused> {
        Stepped::submit(self, submission)
    }

    fn submit_with(&mut self, submission: Submission, terms: SubmitTerms) -> Result<AppHandle, Refused> {
        Stepped::submit_with(self, submission, terms)
    }

    fn accept(&mut self, submission: Submission, terms: SubmitTerms) -> Result<String, Refused> {
        Stepped::accept(self, submission, terms)
    }

    fn new_attempt(&mut self, app: &AppHandle, new: NewAttempt) -> Result<AppHandle, Refused> {
        Stepped::new_attempt(self, app, new)
    }

    fn recover_container(
        &mut self,
        app: &AppHandle,
        node: &NodeHandle,
        container: RecoveredContainer,
    ) -> Result<ContainerId, Refused> {
        Stepped::recover_container(self, app, node, container)
    }

    fn allocate(&mut self, app: &AppHandle, request: &AllocateRequest, answer: &mut Allocation) -> Result<(), Refused> {
        Stepped::allocate(self, app, request, answer)
    }

    fn fetch(&self, app: &AppHandle, answer: &mut Allocation) -> Result<(), Refused> {
        Stepped::fetch(self, app, answer)
    }

    fn headroom(&self, app: &AppHandle) -> Result<Resource, Refused> {
        Stepped::headroom(self, app)
    }

    fn finish(&mut self, app: &AppHandle) -> Result<(), Refused> {
        Stepped::finish(self, app)
    }

    fn finish_as(&mut self, user: &str, app: &AppHandle) -> Result<(), Refused> {
        Stepped::finish_as(self, user, app)
    }

    fn move_app(&mut self, app: &AppHandle, queue: &str) -> Result<(), Refused> {
        Stepped::move_app(self, app, queue)
    }

    fn move_app_as(&mut self, user: &str, app: &AppHandle, queue: &str) -> Result<(), Refused> {
        Stepped::move_app_as(self, user, app, queue)
    }

    fn has_access(&mut self, user: &str, queue: &str, access: QueueAccess) -> Result<bool, Refused> {
        Ok(Stepped::has_access(self, user, queue, access))
    }

    fn permits(&mut self, user: &str, queue: &str, access: QueueAccess) -> Result<bool, Refused> {
        Ok(Stepped::permits(self, user, queue, access))
    }

    fn is_admin(&mut self, user: &str) -> Result<bool, Refused> {
        Ok(Stepped::is_admin(self, user))
    }

    fn check_app(&mut self, user: &str, app: &AppHandle, access: AppAccess) -> Result<(), Refused> {
        Stepped::check_app(self, user, app, access)
    }

    fn place(&mut self, user: &str, queue: Option<&str>) -> Result<Option<String>, Refused> {
        Stepped::place(self, user, queue)
    }

    fn refresh_queues(&mut self, text: &str) -> Result<Vec<Diagnostic>, Refused> {
        Stepped::refresh_queues(self, text)
    }

    fn find_app(&mut self, number: u32) -> Result<Option<AppHandle>, Refused> {
        Ok(Stepped::find_app(self, number))
    }

    fn find_node(&mut self, name: &str) -> Option<NodeHandle> {
        Stepped::find_node(self, name)
    }

    fn find_container(&mut self, name: &ContainerName) -> Result<Option<ContainerId>, Refused> {
        Ok(Stepped::find_container(self, name))
    }

    fn container_name(&self, id: ContainerId) -> ContainerName {
        Stepped::container_name(self, id)
    }

    fn nodes(&mut self) -> Vec<NodeView> {
        Stepped::nodes(self)
    }

    fn containers(&mut self) -> Result<Vec<ContainerView>, Refused> {
        Ok(Stepped::containers(self))
    }

    fn container_counts(&mut self) -> Result<ContainerCounts, Refused> {
        Ok(Stepped::container_counts(self))
    }

    fn requests(&mut self) -> Result<Vec<RequestView>, Refused> {
        Ok(Stepped::requests(self))
    }

    fn reservations(&mut self) -> Result<Vec<AllocatedView>, Refused> {
        Ok(Stepped::reservations(self))
    }

    fn next_event(&mut self) -> Option<SchedulerEvent> {
        Stepped::next_event(self)
    }

    fn queues(&mut self) -> Result<Vec<P::QueueView>, Refused> {
        Ok(Stepped::queues(self))
    }

    fn app(&mut self, number: u32) -> Result<Option<P::AppView>, Refused> {
        Ok(Stepped::app(self, number))
    }

    fn apps(&mut self) -> Result<Vec<P::AppView>, Refused> {
        Ok(Stepped::apps(self))
    }

    fn stats(&self) -> P::Stats {
        Stepped::stats(self)
    }

    fn not_offered(&mut self, app: &AppHandle) -> Result<Option<P::NotOffered>, Refused> {
        Ok(Stepped::not_offered(self, app))
    }

    fn why_waiting(&mut self, app: &AppHandle) -> Result<Vec<P::Reason>, Refused> {
        Ok(Stepped::why_waiting(self, app))
    }

    fn why_waiting_on(&mut self, app: &AppHandle, node: &NodeHandle) -> Result<Vec<P::Reason>, Refused> {
        Stepped::why_waiting_on(self, app, node)
    }

    fn reserve_new(&mut self) -> Result<ReservationId, ReserveError> {
        Stepped::reserve_new(self)
    }

    fn reserve_submit(&mut self, user: &str, request: &ReservationSubmission<'_>) -> Result<(), ReserveError> {
        Stepped::reserve_submit(self, user, request)
    }

    fn reserve_update(
        &mut self,
        user: &str,
        id: Option<ReservationId>,
        definition: Option<&ReservationDefinition>,
    ) -> Result<(), ReserveError> {
        Stepped::reserve_update(self, user, id, definition)
    }

    fn reserve_delete(&mut self, user: &str, id: Option<ReservationId>) -> Result<(), ReserveError> {
        Stepped::reserve_delete(self, user, id)
    }

    fn reserve_list(&mut self, user: &str, query: &ReservationQuery<'_>) -> Result<Vec<Reservation>, ReserveError> {
        Stepped::reserve_list(self, user, query)
    }

    fn follow_plans(&mut self) -> Result<BTreeMap<String, Followed>, ReserveError> {
        Stepped::follow_plans(self)
    }

    fn plan_step(&mut self) -> Result<Duration, ReserveError> {
        Stepped::plan_step(self)
    }

    fn plan_capacities(&mut self) -> Result<BTreeMap<String, Resource>, ReserveError> {
        Stepped::plan_capacities(self)
    }
}

//! One trait for both schedulers, with threads and without: the calls that all have.
//!
//! # Where it stands
//! Above [`Scheduler`], whose calls it names; `stepped_calls` has what a [`Stepped`](crate::Stepped) does in each. What
//! can only go wrong on threads does not without.

use super::door::NotSent;
use super::handles::{AppHandle, NodeHandle};
use super::journal::{AllocatedView, Journal};
use super::policy::Policy;
use super::preemption_round::PreemptionRound;
use super::threaded::Scheduler;
use crate::app::{Label, Location};
use crate::capacity::SubmitTerms;
use crate::config::{Diagnostic, QueueAccess};
use crate::engine::{
    AllocateRequest, Allocation, ContainerCounts, ContainerView, Heartbeat, LabelView, NewAttempt, NewNode, NodeView,
    RecoveredContainer, RequestView, Submission,
};
#[cfg(doc)]
use crate::event::refused::*;
use crate::event::{AppAccess, Refused, SchedulerEvent};
use crate::id::{ContainerId, ContainerName, NodeId};
use crate::labels::{NewLabel, StoredLabels};
use crate::reservation::{
    Followed, PlanBooks, Reservation, ReservationDefinition, ReservationId, ReservationQuery, ReservationState,
    ReservationSubmission, ReserveError,
};
use crate::resource::Resource;
use std::collections::BTreeMap;
use std::time::Duration;

/// Declares the trait, and implements it for [`Scheduler`]: a call of the lists is the scheduler's of that name. `own`
/// are those that a `Scheduler` has in another form, `with_threads` what it does in them.
macro_rules! scheduler_api {
    (
        $(#[$about:meta])*
        own { $($own:tt)* }
        with_threads { $($with_threads:tt)* }
        reads { $($(#[$reads:meta])* fn $read:ident($($read_by:ident: $read_of:ty),*) -> $read_answer:ty;)* }
        calls { $($(#[$calls:meta])* fn $call:ident($($call_by:ident: $call_of:ty),* $(,)?) -> $call_answer:ty;)* }
        views { $($(#[$views:meta])* fn $view:ident($($view_by:ident: $view_of:ty),*) -> $view_answer:ty;)* }
    ) => {
        $(#[$about])*
        pub trait SchedulerApi: Sealed {
            $($own)*

            $(
                $(#[$reads])*
                #[doc = concat!("As [`Scheduler::", stringify!($read), "`].")]
                fn $read(&self, $($read_by: $read_of),*) -> $read_answer;
            )*

            $(
                $(#[$calls])*
                #[doc = concat!("As [`Scheduler::", stringify!($call), "`].")]
                fn $call(&mut self, $($call_by: $call_of),*) -> $call_answer;
            )*

            $(
                $(#[$views])*
                #[doc = concat!("As [`Scheduler::", stringify!($view), "`].")]
                fn $view(&mut self, $($view_by: $view_of),*) -> $view_answer
                where
                    Self: Sized;
            )*
        }

        impl<P: Policy> SchedulerApi for Scheduler<P> {
            $($with_threads)*

            $(
                fn $read(&self, $($read_by: $read_of),*) -> $read_answer {
                    Scheduler::$read(self, $($read_by),*)
                }
            )*

            $(
                fn $call(&mut self, $($call_by: $call_of),*) -> $call_answer {
                    Scheduler::$call(self, $($call_by),*)
                }
            )*

            $(
                fn $view(&mut self, $($view_by: $view_of),*) -> $view_answer {
                    Scheduler::$view(self, $($view_by),*)
                }
            )*
        }
    };
}

scheduler_api! {
    /// A scheduler, whichever decides and whatever drives it: [`Scheduler`] on threads, or
    /// [`Stepped`](crate::Stepped) on the caller's. For generic code, and as a trait object for code that only learns
    /// at run time which one it has: a ResourceManager, a simulator, a load tester.
    ///
    /// Each call is the one of [`Scheduler`] of that name, which says more, and why a call is refused. What can only go
    /// wrong on threads does not without. [`Stepped`](crate::Stepped) has most of its calls only here. A trait object
    /// has all but the views, which differ.
    ///
    /// ```
    /// use evenweave::{Ask, AllocateRequest, Allocation, FairScheduler, Heartbeat, Resource, SchedulerApi, Submission};
    ///
    /// let mut drivers: [Box<dyn SchedulerApi>; 2] =
    ///     [Box::new(FairScheduler::builder().start()?), Box::new(FairScheduler::builder().stepped()?)];
    /// let ask = Ask::anywhere(1, Resource::new(1024, 1), 1);
    /// for scheduler in &mut drivers {
    ///     let node = scheduler.add_node("n1", "/r1", Resource::new(8192, 8))?;
    ///     let app = scheduler.submit(Submission::new(1, "ann"))?;
    ///     let mut answer = Allocation::default();
    ///     scheduler.allocate(&app, &AllocateRequest::new([ask.clone()]), &mut answer)?;
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
    #[expect(clippy::missing_errors_doc, reason = "the call that each names says them")]
    own {
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
        /// [`Gone::Worker`], [`Invalid::OwnThread`], [`Gone::Task`], [`Gone::ShutDown`].
        fn settle(&mut self) -> Result<(), Refused>;

        /// Does what is due by the clock.
        ///
        /// - It looks for containers that were fetched and never launched, if the last look is a third of
        ///   `yarn.resourcemanager.rm.container-allocation.expiry-interval-ms` ago. Those that were fetched longer ago
        ///   than the interval end as [`Expired`](crate::EndReason::Expired).
        /// - A FairScheduler looks at the watched allocation file, if the last look is an interval ago
        ///   ([`reload_interval`](crate::FairSchedulerBuilder::reload_interval)). A look cleans up, and reads the file
        ///   if it has changed and is quiet. Without a watched file nothing happens.
        ///
        /// With threads their timers do it.
        fn tick(&mut self);

        /// Of a FairScheduler: computes demand and instantaneous fair shares once.
        ///
        /// # Errors
        /// Those of [`Scheduler::update_now`].
        fn update_now(&mut self) -> Result<(), Refused>;

        /// Of a FairScheduler: ends the containers that were marked at least `yarn.scheduler.fair.waitTimeBeforeKill`
        /// ago by the clock, as Hadoop's timer does. With threads a timer does it. A CapacityScheduler's
        /// [`preempt`](Self::preempt) does so itself.
        ///
        /// # Errors
        /// Those of [`preempt`](Self::preempt).
        fn kill_due(&mut self) -> Result<(), Refused>;

        /// Offers all nodes once, as [`Scheduler::offer_all`]. A CapacityScheduler begins at the node with index
        /// `first`.
        ///
        /// # Errors
        /// Those of [`Scheduler::offer_all`].
        fn offer_all_from(&mut self, first: usize) -> Result<(), Refused>;

        /// What happened since its last call, and what stands now. For replay, with the builder's `journal`.
        ///
        /// # Errors
        /// Those of [`settle`](Self::settle).
        #[doc(hidden)]
        fn take_journal(&mut self) -> Result<Journal, Refused>;

        /// Counters and totals.
        fn stats(&self) -> <Self::Policy as Policy>::Stats
        where
            Self: Sized;
    }
    with_threads {
        type Policy = P;

        fn heartbeat(&mut self, heartbeat: Heartbeat) -> Result<(), Box<NotSent<Heartbeat>>> {
            Scheduler::heartbeat(self, heartbeat)
        }

        fn settle(&mut self) -> Result<(), Refused> {
            self.quiesce()
        }

        fn tick(&mut self) {}

        fn update_now(&mut self) -> Result<(), Refused> {
            Scheduler::update_now(self)
        }

        fn kill_due(&mut self) -> Result<(), Refused> {
            Ok(())
        }

        fn offer_all_from(&mut self, first: usize) -> Result<(), Refused> {
            self.offer_from(first)
        }

        fn take_journal(&mut self) -> Result<Journal, Refused> {
            Scheduler::take_journal(self)
        }

        fn stats(&self) -> P::Stats {
            Scheduler::stats(self)
        }
    }
    reads {
        /// The location for a node or rack name.
        fn location(name: &str) -> Location;
        /// The label of a name, for asks.
        fn label(name: &str) -> Label;
        /// Fetches what was granted and has ended since the AM's last call.
        fn fetch(app: &AppHandle, answer: &mut Allocation) -> Result<(), Refused>;
        /// What an application can still get.
        fn headroom(app: &AppHandle) -> Result<Resource, Refused>;
        /// The name of a container.
        fn container_name(id: ContainerId) -> ContainerName;
    }
    calls {
        /// Registers a node.
        fn add_node(name: &str, rack: &str, total: Resource) -> Result<NodeHandle, Refused>;
        /// Registers a node together with the containers that run on it.
        fn add_node_with_containers(
            name: &str,
            rack: &str,
            total: Resource,
            running: Vec<(AppHandle, RecoveredContainer)>,
        ) -> Result<(NodeHandle, Vec<Result<ContainerId, Refused>>), Refused>;
        /// Registers a node with the port of its NodeManager, together with the containers that run on it.
        fn register_node(node: NewNode, running: Vec<(AppHandle, RecoveredContainer)>)
            -> Result<(NodeHandle, Vec<Result<ContainerId, Refused>>), Refused>;
        /// Removes a node.
        fn remove_node(node: &NodeHandle) -> Result<(), Refused>;
        /// Changes the total of a node.
        fn resize_node(node: &NodeHandle, total: Resource) -> Result<(), Refused>;
        /// Empties a node gracefully.
        fn decommission_node(node: &NodeHandle) -> Result<(), Refused>;
        /// Keeps a decommissioning node.
        fn recommission_node(node: &NodeHandle) -> Result<(), Refused>;
        /// Adds node labels.
        fn add_labels(labels: &[NewLabel]) -> Result<(), Refused>;
        /// Removes node labels.
        fn remove_labels(labels: &[&str]) -> Result<(), Refused>;
        /// Gives nodes other labels.
        fn set_node_labels(nodes: &[(&str, &[&str])]) -> Result<(), Refused>;
        /// All node labels, by name.
        fn labels() -> Result<Vec<LabelView>, Refused>;
        /// The label of each node.
        fn node_labels(nodes: &[&str]) -> Result<Vec<String>, Refused>;
        /// What must survive a restart of the node labels.
        fn stored_labels() -> Result<StoredLabels, Refused>;
        /// Submits an application with its first attempt.
        fn submit(submission: Submission) -> Result<AppHandle, Refused>;
        /// Submits an application with everything that it may ask for.
        fn submit_with(submission: Submission, terms: SubmitTerms) -> Result<AppHandle, Refused>;
        /// The leaf queue that an application would enter; nothing is submitted.
        fn accept(submission: Submission, terms: SubmitTerms) -> Result<String, Refused>;
        /// Starts another attempt of an application.
        fn new_attempt(app: &AppHandle, new: NewAttempt) -> Result<AppHandle, Refused>;
        /// Takes over a container that runs already.
        fn recover_container(app: &AppHandle, node: &NodeHandle, container: RecoveredContainer)
            -> Result<ContainerId, Refused>;
        /// An AM's call.
        fn allocate(app: &AppHandle, request: &AllocateRequest, answer: &mut Allocation) -> Result<(), Refused>;
        /// Ends an application.
        fn finish(app: &AppHandle) -> Result<(), Refused>;
        /// Ends an application on behalf of a user.
        fn finish_as(user: &str, app: &AppHandle) -> Result<(), Refused>;
        /// Moves an application to another leaf queue.
        fn move_app(app: &AppHandle, queue: &str) -> Result<(), Refused>;
        /// Moves an application on behalf of a user.
        fn move_app_as(user: &str, app: &AppHandle, queue: &str) -> Result<(), Refused>;
        /// Whether the user has a right in a queue.
        fn has_access(user: &str, queue: &str, access: QueueAccess) -> Result<bool, Refused>;
        /// The ResourceManager's check of a right.
        fn permits(user: &str, queue: &str, access: QueueAccess) -> Result<bool, Refused>;
        /// Whether the user is in `yarn.admin.acl`.
        fn is_admin(user: &str) -> Result<bool, Refused>;
        /// Checks that a user may see or change an application.
        fn check_app(user: &str, app: &AppHandle, access: AppAccess) -> Result<(), Refused>;
        /// Makes one round of preemption: what it marks.
        fn preempt() -> Result<Vec<PreemptionRound>, Refused>;
        /// The queue in which the placement rules put an application.
        fn place(user: &str, queue: Option<&str>) -> Result<Option<String>, Refused>;
        /// Reads the queues from a text; warnings.
        fn refresh_queues(text: &str) -> Result<Vec<Diagnostic>, Refused>;
        /// The handle of an application by its number.
        fn find_app(number: u32) -> Result<Option<AppHandle>, Refused>;
        /// The handle of a registered node by its name.
        fn find_node(name: &str) -> Option<NodeHandle>;
        /// The handle of a registered node by its number.
        fn find_node_by_id(id: NodeId) -> Option<NodeHandle>;
        /// A container by its name.
        fn find_container(name: &ContainerName) -> Result<Option<ContainerId>, Refused>;
        /// A node by its name.
        fn node(name: &str) -> Option<NodeView>;
        /// All nodes, in order of registration.
        fn nodes() -> Vec<NodeView>;
        /// All containers.
        fn containers() -> Result<Vec<ContainerView>, Refused>;
        /// How many containers each application and each node has.
        fn container_counts() -> Result<ContainerCounts, Refused>;
        /// The outstanding requests.
        fn requests() -> Result<Vec<RequestView>, Refused>;
        /// The reservations of nodes.
        fn reservations() -> Result<Vec<AllocatedView>, Refused>;
        /// The next event, if there is one.
        fn next_event() -> Option<SchedulerEvent>;
        /// The name of a new reservation.
        fn reserve_new() -> Result<ReservationId, ReserveError>;
        /// Books a reservation.
        fn reserve_submit(user: &str, request: &ReservationSubmission<'_>) -> Result<(), ReserveError>;
        /// Books a new version of a reservation.
        fn reserve_update(user: &str, id: Option<ReservationId>, definition: Option<&ReservationDefinition>)
            -> Result<(), ReserveError>;
        /// Deletes a reservation from its plan.
        fn reserve_delete(user: &str, id: Option<ReservationId>) -> Result<(), ReserveError>;
        /// The reservations of a plan.
        fn reserve_list(user: &str, query: &ReservationQuery<'_>) -> Result<Vec<Reservation>, ReserveError>;
        /// Runs the plan follower once over all plans.
        fn follow_plans() -> Result<BTreeMap<String, Followed>, ReserveError>;
        /// How often the follower is due.
        fn plan_step() -> Result<Duration, ReserveError>;
        /// A copy of the plans, with everything that is promised.
        fn plans() -> Result<BTreeMap<String, PlanBooks>, ReserveError>;
        /// The plans, with all that each may promise now.
        fn plan_capacities() -> Result<BTreeMap<String, Resource>, ReserveError>;
        /// What must survive a restart of the reservations.
        fn reservation_state() -> Result<ReservationState, ReserveError>;
        /// Takes the state from before a restart into the plans.
        fn restore_reservations(state: &ReservationState) -> Result<Vec<String>, ReserveError>;
    }
    views {
        /// All queues, by name.
        fn queues() -> Result<Vec<<Self::Policy as Policy>::QueueView>, Refused>;
        /// An application by its number.
        fn app(number: u32) -> Result<Option<<Self::Policy as Policy>::AppView>, Refused>;
        /// All applications, by number.
        fn apps() -> Result<Vec<<Self::Policy as Policy>::AppView>, Refused>;
        /// Why an application is offered no node now.
        fn not_offered(app: &AppHandle) -> Result<Option<<Self::Policy as Policy>::NotOffered>, Refused>;
        /// Why an application waits now.
        fn why_waiting(app: &AppHandle) -> Result<Vec<<Self::Policy as Policy>::Reason>, Refused>;
        /// Why an application waits now, of one node.
        fn why_waiting_on(app: &AppHandle, node: &NodeHandle) -> Result<Vec<<Self::Policy as Policy>::Reason>, Refused>;
    }
}

/// The schedulers that there are.
pub(super) trait Sealed {}

impl<P: Policy> Sealed for Scheduler<P> {}

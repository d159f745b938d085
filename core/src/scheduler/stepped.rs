//! A scheduler without threads: the calls that it has in a form of its own. The same stages, on the caller's thread.
//!
//! `stepped_calls` has the others. What one of the two schedulers does in its own way is
//! [`Driven`](super::policy::Driven)'s; calls that only one has are in `fair_calls` and `capacity_calls`.

use super::handles::AppHandle;
use super::journal::{AllocatedView, Journal, Standing, reservation_views};
use super::policy::{Fair, Policy};
use super::preemption_round::PreemptionRound;
use super::steps::Stepping;
use crate::config::QueueAccess;
use crate::engine::{ContainerCounts, ContainerView, Heartbeat, RequestView, ReservationNews};
use crate::event::Refused;
#[cfg(doc)]
use crate::event::refused::*;
use crate::id::{ContainerId, ContainerName};
use crate::resource::sorted;
use std::borrow::Borrow;
use std::fmt;

/// A scheduler without threads, for embedders with a runtime of their own, and for replay. A call runs the same stages
/// as [`Scheduler`](crate::Scheduler), and returns when all of them are done. With one worker it decides as Hadoop
/// does, step by step.
///
/// Time moves only by [`Stepped::advance`]. [`Stepped::heartbeat`] offers a node. A FairScheduler computes shares only
/// by [`Stepped::update_now`]: `yarn.scheduler.fair.update-interval-ms` has no effect.
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
///     report.add_completed(running.drain(..));
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
/// The calls are those of the trait [`SchedulerApi`](crate::SchedulerApi), which the [`prelude`](crate::prelude) has.
/// Listed here is what differs: time, and calls that can only go wrong on threads and so are no `Result` here.
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
    /// Moves the virtual clock by `ms`, and then calls [`tick`](crate::SchedulerApi::tick). If the embedder gave a
    /// clock to the builder, it only calls `tick`.
    pub fn advance(&mut self, ms: u64) {
        self.steps.advance_clock(ms);
        P::tick(&mut self.steps, &mut self.beside);
    }
}

/// # Nodes
/// The other calls are [`SchedulerApi`](crate::SchedulerApi)'s.
impl<P: Policy> Stepped<P> {
    /// Processes a node's report, and offers the node. Of a CapacityScheduler with `schedule-asynchronously` only
    /// [`offer_all`](Self::offer_all) offers it.
    pub fn heartbeat(&mut self, heartbeat: impl Borrow<Heartbeat>) {
        self.steps.heartbeat(heartbeat.borrow());
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

    /// Of a FairScheduler: computes demand and instantaneous fair shares once. A CapacityScheduler has nothing to
    /// compute.
    pub fn update_now(&mut self) {
        P::update_stepped(&mut self.steps);
    }

    /// Makes one round of preemption, as [`Scheduler::preempt`](crate::Scheduler::preempt). Of a FairScheduler
    /// [`kill_due`](crate::SchedulerApi::kill_due) ends what was marked.
    ///
    /// # Errors
    /// [`Configuration::PreemptionOff`] if `yarn.scheduler.fair.preemption` is not true; [`Configuration::Invalid`] if
    /// the settings of a CapacityScheduler's policy are not valid.
    pub fn preempt(&mut self) -> Result<Vec<PreemptionRound>, Refused> {
        P::preempt_stepped(&mut self.steps)
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

    /// Returns a container by its name, as [`Scheduler::find_container`](crate::Scheduler::find_container).
    pub fn find_container(&mut self, name: &ContainerName) -> Option<ContainerId> {
        let ours = self.steps.stepper.shared().makes(name);
        self.steps.stepper.shards().filter(|_| ours).find_map(|shard| shard.find_container(name))
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
        sorted::by_key(&mut requests, |request| request.attempt);
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

    /// Returns why an application is offered no node now, as [`Scheduler::not_offered`](crate::Scheduler::not_offered).
    #[must_use]
    pub fn not_offered(&mut self, app: &AppHandle) -> Option<P::NotOffered> {
        P::not_offered_stepped(&mut self.steps, app)
    }

    /// Returns why an application waits now, as [`Scheduler::why_waiting`](crate::Scheduler::why_waiting).
    pub fn why_waiting(&mut self, app: &AppHandle) -> Vec<P::Reason> {
        P::why_waiting_stepped(&mut self.steps, app, None)
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

//! Calls of both schedulers that are the same, with threads and without: [`Common`], once.
//!
//! [`Held`] is how a scheduler is reached; [`Served`] has what one of both shows in another way than the other.

use std::collections::BTreeMap;

use evenweave::config::QueueAccess;
use evenweave::labels::{NewLabel, StoredLabels};
use evenweave::refused::NotFound;
use evenweave::reservation::{
    Reservation, ReservationDefinition, ReservationId, ReservationQuery, ReservationSubmission, ReserveError,
};
use evenweave::view::{
    AllocatedView, CapacityQueueView, ContainerCounts, ContainerView, LabelView, NodeView, RequestView,
};
use evenweave::{AppHandle, NodeHandle, Policy, Refused, Resource, SchedulerApi};

use super::asked::{AppFigures, Basics, Common, Counts, Why};
use super::booking::Booking;

/// What the server shows of one of the two schedulers in its own way.
pub(super) trait Served: Policy<Stats: Into<Counts>> {
    /// The sum of all nodes.
    fn cluster(stats: &Self::Stats) -> Resource;

    /// The most that one container may have, now.
    fn largest(api: &mut impl SchedulerApi<Policy = Self>, basics: &Basics) -> Resource;

    /// `labels`: those that there are, where there may be any.
    fn figures(
        apps: Vec<Self::AppView>,
        queues: &[Self::QueueView],
        cluster: &Resource,
        labels: &[LabelView],
    ) -> Vec<AppFigures>;

    /// A FairScheduler has no priorities.
    fn priority(_api: &mut impl SchedulerApi<Policy = Self>, _number: u32) -> Option<i32> {
        None
    }

    /// A FairScheduler has no labels.
    fn am_label(_api: &mut impl SchedulerApi<Policy = Self>, _number: u32) -> String {
        String::new()
    }

    fn capacity_queues(_api: &mut impl SchedulerApi<Policy = Self>) -> Vec<CapacityQueueView> {
        Vec::new()
    }

    fn has_queue(queues: &[Self::QueueView], name: &str) -> bool;

    /// The queue whose rights count for a queue that may not exist.
    fn nearest<'a>(_api: &mut impl SchedulerApi<Policy = Self>, queue: &'a str) -> &'a str {
        queue
    }

    fn told(reason: Self::Reason, basics: &Basics) -> Why;
}

/// Who has a scheduler, behind a lock or as a handle.
pub(super) trait Held: Send + Sync {
    type Api: SchedulerApi<Policy: Served>;

    /// What does not change.
    fn basics(&self) -> &Basics;

    /// Does something with the scheduler.
    fn held<T>(&self, what: impl FnOnce(&mut Self::Api) -> T) -> T;

    /// Does something with a node.
    fn on_node(
        &self,
        name: &str,
        what: impl FnOnce(&mut Self::Api, &NodeHandle) -> Result<(), Refused>,
    ) -> Result<(), Refused> {
        self.held(|scheduler| {
            let node = scheduler.find_node(name).ok_or_else(|| NotFound::Node(name.to_owned()))?;
            what(scheduler, &node)
        })
    }
}

/// Which of both a holder has.
type Which<H> = <<H as Held>::Api as SchedulerApi>::Policy;

/// What a thread of the scheduler cannot answer any more is shown as nothing.
impl<H: Held> Common for H {
    fn basics(&self) -> &Basics {
        Held::basics(self)
    }

    fn cluster(&self) -> Resource {
        self.held(|api| Which::<H>::cluster(&api.stats()))
    }

    fn counts(&self) -> Counts {
        self.held(|api| api.stats()).into()
    }

    fn largest(&self) -> Resource {
        self.held(|api| Which::<H>::largest(api, Held::basics(self)))
    }

    fn apps(&self) -> Vec<AppFigures> {
        let (apps, queues, stats) =
            self.held(|api| (api.apps().unwrap_or_default(), api.queues().unwrap_or_default(), api.stats()));
        let labels = if Held::basics(self).labels { self.labels() } else { Vec::new() };
        Which::<H>::figures(apps, &queues, &Which::<H>::cluster(&stats), &labels)
    }

    fn priority(&self, number: u32) -> Option<i32> {
        self.held(|api| Which::<H>::priority(api, number))
    }

    fn am_label(&self, number: u32) -> String {
        self.held(|api| Which::<H>::am_label(api, number))
    }

    fn capacity_queues(&self) -> Vec<CapacityQueueView> {
        self.held(Which::<H>::capacity_queues)
    }

    fn booking(&self) -> Option<&dyn Booking> {
        Some(self)
    }

    fn why_waiting(&self, app: &AppHandle) -> Result<Vec<Why>, Refused> {
        let reasons = self.held(|api| api.why_waiting(app))?;
        Ok(reasons.into_iter().map(|reason| Which::<H>::told(reason, Held::basics(self))).collect())
    }

    fn has_queue(&self, name: &str) -> bool {
        Which::<H>::has_queue(&self.held(|api| api.queues()).unwrap_or_default(), name)
    }

    fn has_access(&self, user: &str, queue: &str, access: QueueAccess) -> bool {
        self.held(|api| {
            let queue = Which::<H>::nearest(api, queue);
            api.has_access(user, queue, access).unwrap_or(false)
        })
    }

    fn nodes(&self) -> Vec<NodeView> {
        self.held(|scheduler| scheduler.nodes())
    }

    fn containers(&self) -> Vec<ContainerView> {
        self.held(|scheduler| scheduler.containers()).unwrap_or_default()
    }

    fn container_counts(&self) -> ContainerCounts {
        self.held(|scheduler| scheduler.container_counts()).unwrap_or_default()
    }

    fn labels(&self) -> Vec<LabelView> {
        self.held(|scheduler| scheduler.labels()).unwrap_or_default()
    }

    fn stored_labels(&self) -> StoredLabels {
        self.held(|scheduler| scheduler.stored_labels()).unwrap_or_default()
    }

    fn node_labels(&self, nodes: &[&str]) -> Vec<String> {
        self.held(|scheduler| scheduler.node_labels(nodes)).unwrap_or_default()
    }

    fn add_labels(&self, labels: &[NewLabel]) -> Result<(), Refused> {
        self.held(|scheduler| scheduler.add_labels(labels))
    }

    fn remove_labels(&self, labels: &[&str]) -> Result<(), Refused> {
        self.held(|scheduler| scheduler.remove_labels(labels))
    }

    fn set_node_labels(&self, nodes: &[(&str, &[&str])]) -> Result<(), Refused> {
        self.held(|scheduler| scheduler.set_node_labels(nodes))
    }

    fn reservations(&self) -> Vec<AllocatedView> {
        self.held(|scheduler| scheduler.reservations()).unwrap_or_default()
    }

    fn requests(&self) -> Vec<RequestView> {
        self.held(|scheduler| scheduler.requests()).unwrap_or_default()
    }

    fn is_admin(&self, user: &str) -> bool {
        self.held(|scheduler| scheduler.is_admin(user)).unwrap_or(false)
    }

    fn kill(&self, app: &AppHandle) -> Result<(), Refused> {
        self.held(|scheduler| scheduler.finish(app))
    }

    fn move_app(&self, app: &AppHandle, queue: &str) -> Result<(), Refused> {
        self.held(|scheduler| scheduler.move_app(app, queue))
    }

    fn decommission_node(&self, node: &str) -> Result<(), Refused> {
        self.on_node(node, |scheduler, node| scheduler.decommission_node(node))
    }

    fn recommission_node(&self, node: &str) -> Result<(), Refused> {
        self.on_node(node, |scheduler, node| scheduler.recommission_node(node))
    }

    fn remove_node(&self, node: &str) -> Result<(), Refused> {
        self.on_node(node, |scheduler, node| scheduler.remove_node(node))
    }

    fn resize_node(&self, node: &str, total: Resource) -> Result<(), Refused> {
        self.on_node(node, |scheduler, node| scheduler.resize_node(node, total))
    }
}

impl<H: Held> Booking for H {
    fn reserve_new(&self) -> Result<ReservationId, ReserveError> {
        self.held(|scheduler| scheduler.reserve_new())
    }

    fn reserve_submit(&self, user: &str, request: &ReservationSubmission<'_>) -> Result<(), ReserveError> {
        self.held(|scheduler| scheduler.reserve_submit(user, request))
    }

    fn reserve_update(
        &self,
        user: &str,
        id: Option<ReservationId>,
        definition: Option<&ReservationDefinition>,
    ) -> Result<(), ReserveError> {
        self.held(|scheduler| scheduler.reserve_update(user, id, definition))
    }

    fn reserve_delete(&self, user: &str, id: Option<ReservationId>) -> Result<(), ReserveError> {
        self.held(|scheduler| scheduler.reserve_delete(user, id))
    }

    fn plan_capacities(&self) -> Result<BTreeMap<String, Resource>, ReserveError> {
        self.held(|scheduler| scheduler.plan_capacities())
    }

    fn reserve_list(&self, user: &str, query: &ReservationQuery<'_>) -> Result<Vec<Reservation>, ReserveError> {
        self.held(|scheduler| scheduler.reserve_list(user, query))
    }
}

//! Calls of both schedulers that are the same, with threads and without.

use std::collections::BTreeMap;

use evenweave::refused::NotFound;
use evenweave::reservation::{
    Reservation, ReservationDefinition, ReservationId, ReservationQuery, ReservationSubmission, ReserveError,
};
use evenweave::view::{AllocatedView, ContainerCounts, ContainerView, NodeView, RequestView};
use evenweave::{AppHandle, NodeHandle, Refused, Resource, SchedulerApi};

use super::asked::Common;
use super::booking::Booking;

/// Who has a scheduler, behind a lock or as a handle.
pub(super) trait Held: Send + Sync {
    /// Does something with the scheduler.
    fn held<T>(&self, what: impl FnOnce(&mut dyn SchedulerApi) -> T) -> T;

    /// Does something with a node.
    fn on_node(
        &self,
        name: &str,
        what: impl FnOnce(&mut dyn SchedulerApi, &NodeHandle) -> Result<(), Refused>,
    ) -> Result<(), Refused> {
        self.held(|scheduler| {
            let node = scheduler.find_node(name).ok_or_else(|| NotFound::Node(name.to_owned()))?;
            what(scheduler, &node)
        })
    }
}

/// What a thread of the scheduler cannot answer any more is shown as nothing.
impl<H: Held> Common for H {
    fn nodes(&self) -> Vec<NodeView> {
        self.held(|scheduler| scheduler.nodes())
    }

    fn containers(&self) -> Vec<ContainerView> {
        self.held(|scheduler| scheduler.containers()).unwrap_or_default()
    }

    fn container_counts(&self) -> ContainerCounts {
        self.held(|scheduler| scheduler.container_counts()).unwrap_or_default()
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

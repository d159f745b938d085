//! The reservation system of the CapacityScheduler's drivers.

use std::collections::BTreeMap;

use super::booked_on_engine::Booking;
use super::capacity_driver::{CapacityDriver, Steps, Threaded};
use crate::api::{
    PlanBooks, Reservation, ReservationDefinition, ReservationId, ReservationQuery, ReservationSubmission,
    ReserveError, SchedulerEvent,
};

/// The name of a queue, its capacity, and what it may use.
type Part = (String, u32, u32);

/// What queues have of their parents.
pub(super) fn parts(driver: &mut dyn CapacityDriver) -> Vec<Part> {
    let queues = driver.queues(false).into_iter();
    queues.map(|queue| (queue.name, queue.capacity.to_bits(), queue.maximum_capacity.to_bits())).collect()
}

macro_rules! booking {
    ($driver:ty, $this:ident: $scheduler:expr $(, $quiet:expr)?) => {
        impl Booking for $driver {
            fn reserve_new(&mut $this) -> Result<ReservationId, ReserveError> {
                $scheduler.reserve_new()
            }

            fn reserve_submit(
                &mut $this,
                user: &str,
                request: &ReservationSubmission<'_>,
            ) -> Result<(), ReserveError> {
                let outcome = $scheduler.reserve_submit(user, request);
                $($quiet;)?
                outcome
            }

            fn reserve_update(
                &mut $this,
                user: &str,
                id: Option<ReservationId>,
                definition: Option<&ReservationDefinition>,
            ) -> Result<(), ReserveError> {
                $scheduler.reserve_update(user, id, definition)
            }

            fn reserve_delete(&mut $this, user: &str, id: Option<ReservationId>) -> Result<(), ReserveError> {
                $scheduler.reserve_delete(user, id)
            }

            fn reserve_list(
                &mut $this,
                user: &str,
                query: &ReservationQuery<'_>,
            ) -> Result<Vec<Reservation>, ReserveError> {
                $scheduler.reserve_list(user, query)
            }

            fn follow(&mut $this) -> Result<(), ReserveError> {
                let outcome = $scheduler.follow_plans();
                $($quiet;)?
                outcome.map(drop)
            }

            fn plans(&mut $this) -> BTreeMap<String, PlanBooks> {
                $scheduler.plans().unwrap_or_default()
            }

            fn next_event(&mut $this) -> Option<SchedulerEvent> {
                $scheduler.next_event()
            }
        }
    };
}

booking!(Steps, self: self.stepped);
booking!(Threaded, self: self.scheduler, self.scheduler.quiesce());

//! The reservation systems of both schedulers, on both drivers.

use std::collections::BTreeMap;

use evenweave::Resource;
use evenweave::reservation::{
    Reservation, ReservationDefinition, ReservationId, ReservationQuery, ReservationSubmission, ReserveError,
};

use super::booking::Booking;
use super::capacity::CapacitySteps;
use super::capacity_threads::CapacityThreads;
use super::fair::Steps;
use super::threads::Threads;

/// Of a type whose method `$with` hands out its scheduler.
macro_rules! booking {
    ($of:ty, $with:ident) => {
        impl Booking for $of {
            fn reserve_new(&self) -> Result<ReservationId, ReserveError> {
                self.$with(|scheduler| scheduler.reserve_new())
            }

            fn reserve_submit(&self, user: &str, request: &ReservationSubmission<'_>) -> Result<(), ReserveError> {
                self.$with(|scheduler| scheduler.reserve_submit(user, request))
            }

            fn reserve_update(
                &self,
                user: &str,
                id: Option<ReservationId>,
                definition: Option<&ReservationDefinition>,
            ) -> Result<(), ReserveError> {
                self.$with(|scheduler| scheduler.reserve_update(user, id, definition))
            }

            fn reserve_delete(&self, user: &str, id: Option<ReservationId>) -> Result<(), ReserveError> {
                self.$with(|scheduler| scheduler.reserve_delete(user, id))
            }

            fn plan_capacities(&self) -> Result<BTreeMap<String, Resource>, ReserveError> {
                self.$with(|scheduler| scheduler.plan_capacities())
            }

            fn reserve_list(&self, user: &str, query: &ReservationQuery<'_>) -> Result<Vec<Reservation>, ReserveError> {
                self.$with(|scheduler| scheduler.reserve_list(user, query))
            }
        }
    };
}

booking!(Steps, step);
booking!(Threads, with);
booking!(CapacitySteps, step);
booking!(CapacityThreads, with);

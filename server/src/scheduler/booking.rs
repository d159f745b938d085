//! The reservation system of a scheduler, for those who ask.

use std::collections::BTreeMap;

use evenweave::reservation::{
    PlanBooks, Reservation, ReservationDefinition, ReservationId, ReservationQuery, ReservationSubmission, ReserveError,
};

use super::fair::Steps;
use super::threads::Threads;

/// The calls of the [reservation system](evenweave::reservation::ReservationSystem), under the names that the schedulers have for them. One whose
/// site files ask for none refuses each
/// ([`NotEnabled`](evenweave::reservation::ReservationRefused::NotEnabled)).
pub trait Booking: Send + Sync {
    /// A name for a new reservation.
    ///
    /// # Errors
    /// What the scheduler says against it, as of every call here.
    fn reserve_new(&self) -> Result<ReservationId, ReserveError>;
    /// Books a reservation on behalf of a user.
    ///
    /// # Errors
    /// As of [`reserve_new`](Self::reserve_new).
    fn reserve_submit(&self, user: &str, request: &ReservationSubmission<'_>) -> Result<(), ReserveError>;
    /// Books a new version of a reservation.
    ///
    /// # Errors
    /// As of [`reserve_new`](Self::reserve_new).
    fn reserve_update(
        &self,
        user: &str,
        id: Option<ReservationId>,
        definition: Option<&ReservationDefinition>,
    ) -> Result<(), ReserveError>;
    /// Takes a reservation out of its plan.
    ///
    /// # Errors
    /// As of [`reserve_new`](Self::reserve_new).
    fn reserve_delete(&self, user: &str, id: Option<ReservationId>) -> Result<(), ReserveError>;
    /// The reservations of a plan, as of now.
    ///
    /// # Errors
    /// As of [`reserve_new`](Self::reserve_new).
    fn reserve_list(&self, user: &str, query: &ReservationQuery<'_>) -> Result<Vec<Reservation>, ReserveError>;
    /// The plans by queue, with all that is promised, as of now.
    ///
    /// # Errors
    /// As of [`reserve_new`](Self::reserve_new).
    fn plans(&self) -> Result<BTreeMap<String, PlanBooks>, ReserveError>;
}

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

            fn reserve_list(&self, user: &str, query: &ReservationQuery<'_>) -> Result<Vec<Reservation>, ReserveError> {
                self.$with(|scheduler| scheduler.reserve_list(user, query))
            }

            fn plans(&self) -> Result<BTreeMap<String, PlanBooks>, ReserveError> {
                self.$with(|scheduler| scheduler.plans())
            }
        }
    };
}

booking!(Steps, step);
booking!(Threads, with);

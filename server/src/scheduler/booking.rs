//! The reservation system of a scheduler, for those who ask.

use std::collections::BTreeMap;

use evenweave::Resource;
use evenweave::reservation::{
    Reservation, ReservationDefinition, ReservationId, ReservationQuery, ReservationSubmission, ReserveError,
};

/// The calls of the [reservation system](evenweave::reservation::ReservationSystem), under the names that the
/// schedulers have for them. One whose site files ask for none refuses each
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
    /// The plans by name, and all that each may promise, as of now.
    ///
    /// # Errors
    /// As of [`reserve_new`](Self::reserve_new).
    fn plan_capacities(&self) -> Result<BTreeMap<String, Resource>, ReserveError>;
    /// The reservations of a plan, as of now.
    ///
    /// # Errors
    /// As of [`reserve_new`](Self::reserve_new).
    fn reserve_list(&self, user: &str, query: &ReservationQuery<'_>) -> Result<Vec<Reservation>, ReserveError>;
}

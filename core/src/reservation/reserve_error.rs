//! Why a scheduler's calls of its reservation system are refused.

use super::refused::ReservationRefused;
use super::state::StateError;
use crate::event::Refused;

/// Why a call of a scheduler's reservation system was not carried out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReserveError {
    /// The reservation system says no.
    #[error(transparent)]
    Reservation(#[from] ReservationRefused),
    /// The scheduler does: it does not know the caller's groups, has been shut down, or code of the embedder's has
    /// panicked.
    #[error(transparent)]
    Scheduler(#[from] Refused),
    /// A state cannot be taken.
    #[error(transparent)]
    State(#[from] StateError),
}

impl ReserveError {
    /// A word for the kind, which does not change.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            ReserveError::Reservation(refused) => refused.kind(),
            ReserveError::Scheduler(refused) => refused.kind(),
            ReserveError::State(_) => "bad-state",
        }
    }
}

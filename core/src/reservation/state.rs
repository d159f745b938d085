//! What of the reservation system has to survive a restart, as a value.
//!
//! Follows the state store of Hadoop 3.4.2: reservations by plan, with what they have; numbers of new ones begin again,
//! under a new timestamp. With feature `serde` the form is stable: a field that is added has a default, and a change
//! that is none has another version.

use super::booked::Reservation;
use super::definition::ReservationDefinition;
use super::id::ReservationId;
use super::profile::Piece;
use super::refused::ReservationRefused;
use std::collections::BTreeMap;

/// The form that is written.
pub(super) const VERSION: u32 = 1;

/// The reservations of all plans.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ReservationState {
    /// Of the form: 1.
    pub version: u32,
    /// By the full name of the plan's queue; of each by name.
    pub plans: BTreeMap<String, Vec<KeptReservation>>,
}

/// A reservation as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct KeptReservation {
    /// Its name.
    pub id: ReservationId,
    /// Whose it is.
    pub user: String,
    /// What was asked for.
    pub definition: ReservationDefinition,
    /// What it has.
    pub pieces: Vec<Piece>,
    /// When the plan took it, ms.
    pub accepted: i64,
}

/// A state that cannot be taken. Nothing has changed then.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// Of another form.
    #[error("a state of reservations of version {0}: this is version {VERSION}")]
    Version(u32),
    /// A reservation that no plan could hold.
    #[error("reservation {id} of plan {plan:?}: {why}")]
    Reservation {
        /// The plan.
        plan: String,
        /// Which.
        id: ReservationId,
        /// What is wrong with it.
        why: Box<ReservationRefused>,
    },
}

impl From<&Reservation> for KeptReservation {
    fn from(reservation: &Reservation) -> KeptReservation {
        KeptReservation {
            id: reservation.id(),
            user: reservation.user().to_owned(),
            definition: reservation.definition().clone(),
            pieces: reservation.pieces().to_vec(),
            accepted: reservation.accepted(),
        }
    }
}

impl From<&KeptReservation> for Reservation {
    fn from(kept: &KeptReservation) -> Reservation {
        let KeptReservation { id, user, definition, pieces, accepted } = kept;
        Reservation::new(*id, user, definition.clone(), pieces.clone()).accepted_at(*accepted)
    }
}

//! Where this stops and Hadoop would compute for minutes, or for ever: `docs/deviations.md`.

use super::refused::ReservationRefused;

/// Points that a profile may be unrolled to.
pub(super) const MAX_STEPS: i64 = 1_000_000;

/// Candidate intervals of a stage, and rounds in which its gangs are placed.
pub(super) const MAX_ROUNDS: i64 = 100_000;

/// Occurrences of a reservation within the largest period.
pub(super) const MAX_OCCURRENCES: i64 = 10_000;

/// Refuses a `count` above `most`.
pub(super) fn at_most(what: &'static str, count: i64, most: i64) -> Result<(), ReservationRefused> {
    if count > most { Err(ReservationRefused::TooMuch { what, count, most }) } else { Ok(()) }
}

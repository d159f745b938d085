//! A reservation as a plan holds it.

use super::definition::ReservationDefinition;
use super::id::ReservationId;
use super::profile::{Ledger, Periodic, Piece, Steps};
use super::refused::ReservationRefused;
use crate::resource::Resource;

/// A reservation that has its place in a plan. Hadoop's `InMemoryReservationAllocation`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reservation {
    id: ReservationId,
    user: String,
    definition: ReservationDefinition,
    pieces: Vec<Piece>,
    accepted: i64,
    over_time: OverTime,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum OverTime {
    Once(Ledger),
    Again(Periodic),
}

impl Reservation {
    /// What was asked for, and the pieces that it got; not accepted yet.
    #[must_use]
    pub fn new(id: ReservationId, user: &str, definition: ReservationDefinition, pieces: Vec<Piece>) -> Reservation {
        let over_time = match definition.period() {
            period if period > 0 => {
                let mut profile = Periodic::new(period);
                pieces.iter().for_each(|piece| profile.add(piece));
                OverTime::Again(profile)
            }
            _ => {
                let mut profile = Ledger::default();
                profile.add_all(&pieces);
                OverTime::Once(profile)
            }
        };
        Reservation { id, user: user.to_owned(), definition, pieces, accepted: 0, over_time }
    }

    /// The same, accepted at a time.
    #[must_use]
    pub fn accepted_at(self, accepted: i64) -> Reservation {
        Reservation { accepted, ..self }
    }

    /// Its name.
    #[must_use]
    pub fn id(&self) -> ReservationId {
        self.id
    }

    /// Whose it is.
    #[must_use]
    pub fn user(&self) -> &str {
        &self.user
    }

    /// What was asked for.
    #[must_use]
    pub fn definition(&self) -> &ReservationDefinition {
        &self.definition
    }

    /// What it has, by time; of one that recurs within its period. Gaps are pieces of nothing.
    #[must_use]
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// When the plan took it, ms.
    #[must_use]
    pub fn accepted(&self) -> i64 {
        self.accepted
    }

    /// Its beginning: the definition's arrival, whatever it got.
    #[must_use]
    pub fn start(&self) -> i64 {
        self.definition.arrival
    }

    /// Its end: the definition's deadline.
    #[must_use]
    pub fn end(&self) -> i64 {
        self.definition.deadline
    }

    /// After how long it begins anew, ms; 0 where it does not.
    #[must_use]
    pub fn period(&self) -> i64 {
        match &self.over_time {
            OverTime::Once(_) => 0,
            OverTime::Again(profile) => profile.period(),
        }
    }

    /// What it has at a time: nothing outside arrival and deadline. As in Hadoop that holds for one that recurs, too:
    /// from its second occurrence on it has nothing here.
    #[must_use]
    pub fn at(&self, t: i64) -> Resource {
        if t < self.start() || t >= self.end() {
            return Resource::ZERO;
        }
        match &self.over_time {
            OverTime::Once(profile) => profile.value_at(t),
            OverTime::Again(profile) => profile.value_at(t),
        }
    }

    /// What it has from `start` to `end`.
    ///
    /// # Errors
    /// `Backwards` as [`Steps::within`], `TooMuch` where it recurs too often there.
    pub fn over(&self, start: i64, end: i64) -> Result<Steps, ReservationRefused> {
        match &self.over_time {
            OverTime::Once(profile) => profile.range(start, end),
            OverTime::Again(profile) => profile.unrolled(start, end),
        }
    }
}

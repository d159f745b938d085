//! Which reservations of a plan there are between two times.

use crate::reservation::booked::Reservation;
use crate::reservation::id::ReservationId;
use std::collections::{BTreeMap, BTreeSet};

/// Reservations by their ends, and those that recur.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    /// End and name: start.
    by_end: BTreeMap<(i64, ReservationId), i64>,
    recurring: BTreeSet<ReservationId>,
}

/// Sorts after every reservation of its end.
const LAST: ReservationId = ReservationId { cluster_timestamp: i64::MAX, number: i64::MAX };

impl Index {
    pub(super) fn insert(&mut self, reservation: &Reservation) {
        self.by_end.insert((reservation.end(), reservation.id()), reservation.start());
        if reservation.period() > 0 {
            self.recurring.insert(reservation.id());
        }
    }

    pub(super) fn remove(&mut self, reservation: &Reservation) {
        self.by_end.remove(&(reservation.end(), reservation.id()));
        self.recurring.remove(&reservation.id());
    }

    /// Those that end at `t` or before.
    pub(super) fn ended(&self, t: i64) -> Vec<ReservationId> {
        self.by_end.range(..=(t, LAST)).map(|((_, id), _)| *id).collect()
    }

    /// Those that do not recur and have begun by `to` and not ended by `from`.
    pub(super) fn once(&self, from: i64, to: i64) -> impl Iterator<Item = ReservationId> + '_ {
        let rest = self.by_end.range((std::ops::Bound::Excluded((from, LAST)), std::ops::Bound::Unbounded));
        let begun = rest.filter(move |(_, start)| **start <= to).map(|((_, id), _)| *id);
        begun.filter(|id| !self.recurring.contains(id))
    }

    pub(super) fn recurring(&self) -> impl Iterator<Item = ReservationId> + '_ {
        self.recurring.iter().copied()
    }
}

/// Whether one that recurs is there between two times. As in Hadoop, one that fills its period is never there at a
/// moment.
pub(super) fn recurs_between(reservation: &Reservation, from: i64, to: i64) -> bool {
    let period = reservation.period();
    if period <= 0 || reservation.start() > to {
        return false;
    }
    let first = reservation.start() % period;
    let [end, from_in, to_in] = [reservation.end(), from, to].map(|t| t.wrapping_sub(first) % period);
    to.wrapping_sub(from) > period || to_in < end || from_in < end || from_in > to_in
}

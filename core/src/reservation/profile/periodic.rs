//! A step function that begins anew with each period.

use super::ledger::Ledger;
use super::steps::{Piece, Point, Steps};
use crate::reservation::limits::{MAX_STEPS, at_most};
use crate::reservation::refused::ReservationRefused;
use crate::resource::Resource;
use std::collections::BTreeMap;

/// A profile over `[0, period]`, which repeats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Periodic {
    ledger: Ledger,
    period: i64,
}

impl Periodic {
    /// Nothing, with a period of at least 1 ms.
    #[must_use]
    pub fn new(period: i64) -> Periodic {
        Periodic { ledger: Ledger::default(), period: period.max(1) }
    }

    /// One period of it.
    #[must_use]
    pub fn once(&self) -> &Ledger {
        &self.ledger
    }

    /// The period, ms.
    #[must_use]
    pub fn period(&self) -> i64 {
        self.period
    }

    /// What holds at a time.
    #[must_use]
    pub fn value_at(&self, t: i64) -> Resource {
        self.ledger.value_at(t % self.period)
    }

    fn takes(&self, piece: &Piece) -> bool {
        0 <= piece.from && piece.from < piece.to && piece.to <= self.period
    }

    /// Adds a piece, unless it lies beyond the period.
    pub fn add(&mut self, piece: &Piece) {
        if self.takes(piece) {
            self.ledger.add(piece);
        }
    }

    /// Removes a piece, unless it lies beyond the period or there is less.
    pub fn remove(&mut self, piece: &Piece) {
        if self.takes(piece) && piece.resource.fits_in(&self.least(piece.from, piece.to - 1)) {
            self.ledger.remove(piece);
        }
    }

    /// The least of each type between two times of the period.
    fn least(&self, from: i64, to: i64) -> Resource {
        let points = self.ledger.between(self.ledger.floor(from).unwrap_or(0), to);
        points.iter().filter_map(|point| point.value).fold(Resource::UNBOUNDED, |least, value| least.least(&value))
    }

    /// The profile from `start` to `end`, as often as it repeats there.
    ///
    /// # Errors
    /// `TooMuch` where it repeats too often.
    pub fn unrolled(&self, start: i64, end: i64) -> Result<Steps, ReservationRefused> {
        if self.ledger.has_no_points() {
            return Ok(Steps::default());
        }
        let within = if start >= 0 { start % self.period } else { 0 };
        let floor = self.ledger.floor(within).unwrap_or(0);
        let times = end.wrapping_sub(start) / self.period + 1;
        let count = i64::try_from(self.ledger.points().count()).unwrap_or(i64::MAX);
        at_most("points of a recurring profile", times.saturating_add(1).saturating_mul(count), MAX_STEPS)?;
        let shift = start.wrapping_sub(within);
        let mut points: Vec<Point> = Vec::new();
        for turn in 0..=times {
            let offset = turn.wrapping_mul(self.period);
            let kept = self.ledger.points().map(|point| Point { at: point.at.wrapping_add(offset), ..point });
            let kept =
                kept.filter(|point| point.at >= floor && start.wrapping_add(point.at).wrapping_sub(within) <= end);
            points.extend(kept);
        }
        // The end of a period is the beginning of the next, which counts; what is undefined for ever stays there.
        let place = |point: Point| if point.at == i64::MAX { point.at } else { point.at.wrapping_add(shift) };
        let placed: BTreeMap<i64, Option<Resource>> =
            points.into_iter().map(|point| (place(point), point.value)).collect();
        Ok(Steps::of(placed.into_iter().map(|(at, value)| Point { at, value }).collect()))
    }
}

/// A profile laid into one period, from the place of its beginning in it: the pieces that come of it.
///
/// As in Hadoop, what lies beyond the end of the period is lost where it ends with nothing, and misplaced where it does
/// not.
#[must_use]
pub fn fold(profile: &Ledger, period: i64) -> Vec<Piece> {
    let Some(first) = profile.first() else { return Vec::new() };
    let shifted = profile.steps().shifted(first.wrapping_rem(period).wrapping_sub(first));
    let mut points: BTreeMap<i64, Option<Resource>> =
        shifted.points().iter().map(|point| (point.at, point.value)).collect();
    let mut wrapped = BTreeMap::new();
    for point in shifted.points().iter().filter(|point| point.at > period) {
        points.remove(&point.at);
        if point.value.is_some() {
            let again = point.at % period;
            wrapped.insert(period, point.value);
            wrapped.insert(again, Some(shifted.value_at(again)));
            wrapped.insert(0, point.value);
        }
    }
    points.extend(wrapped);
    Ledger::of(points.into_iter().map(|(at, value)| Point { at, value })).pieces()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(from: i64, to: i64, memory_mb: i64) -> Piece {
        Piece { from, to, resource: Resource::new(memory_mb, 0) }
    }

    #[test]
    fn pieces_beyond_the_period_are_ignored() {
        let mut profile = Periodic::new(100);
        for (from, to) in [(-1, 5), (5, 5), (90, 101)] {
            profile.add(&piece(from, to, 1));
        }
        assert!(profile.once().has_no_points());
        profile.add(&piece(90, 100, 1));
        profile.remove(&piece(90, 100, 2));
        assert_eq!(profile.value_at(295).memory_mb(), 1, "there is less than was to be removed");
        profile.remove(&piece(90, 100, 1));
        assert!(profile.once().is_empty());
    }

    #[test]
    fn it_repeats() {
        let mut profile = Periodic::new(100);
        profile.add(&piece(10, 30, 1));
        let at: Vec<_> = profile.unrolled(120, 230).unwrap().points().iter().map(|point| point.at).collect();
        assert_eq!(at, [110, 130, 210, 230]);
        assert!(profile.unrolled(0, i64::MAX).is_err_and(|refused| refused.kind() == "too-much"));
    }

    #[test]
    fn what_lies_beyond_the_period_is_lost_as_in_hadoop() {
        let mut profile = Ledger::default();
        profile.add(&piece(280, 320, 1));
        assert_eq!(fold(&profile, 100), [piece(0, 20, 0), piece(20, 80, 0), piece(80, 100, 1)]);
    }
}

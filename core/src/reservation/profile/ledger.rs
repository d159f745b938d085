//! A step function that is kept, and changed in place.

use super::merge::{Operation, merge_as_is};
use super::steps::{Piece, Point, Steps, pieces};
use crate::reservation::refused::ReservationRefused;
use crate::resource::Resource;
use std::collections::BTreeMap;
use std::ops::Bound;

/// A profile to which intervals are added, and from which they are removed.
///
/// An interval costs O(log n) and the points within it. The result is that of merging the whole with the interval, as
/// Hadoop does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    points: BTreeMap<i64, Option<Resource>>,
    /// Some interval had no end after its beginning: from then on the whole is merged, literally.
    odd: bool,
}

impl Ledger {
    /// Of points in order, as they are.
    pub(super) fn of(points: impl IntoIterator<Item = Point>) -> Ledger {
        // Nothing is known of them.
        Ledger { points: points.into_iter().map(|point| (point.at, point.value)).collect(), odd: true }
    }

    /// All points in order.
    pub fn points(&self) -> impl DoubleEndedIterator<Item = Point> + Clone + '_ {
        self.points.iter().map(|(at, value)| Point { at: *at, value: *value })
    }

    /// All of it as it is.
    #[must_use]
    pub fn steps(&self) -> Steps {
        Steps::of(self.points().collect())
    }

    /// Whether nothing was ever added, or all of it was removed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let mut values = self.points.values();
        match (values.next(), values.next(), values.next()) {
            (None, ..) => true,
            (Some(Some(first)), Some(None), None) => first.is_zero(),
            _ => false,
        }
    }

    /// Whether nothing was ever added: even what is empty may have points.
    #[must_use]
    pub fn has_no_points(&self) -> bool {
        self.points.is_empty()
    }

    /// What holds at a time.
    #[must_use]
    pub fn value_at(&self, t: i64) -> Resource {
        self.points.range(..=t).next_back().and_then(|(_, value)| *value).unwrap_or(Resource::ZERO)
    }

    /// The time of the point in force.
    pub(super) fn floor(&self, t: i64) -> Option<i64> {
        self.points.range(..=t).next_back().map(|(at, _)| *at)
    }

    /// The time of the first point.
    #[must_use]
    pub fn first(&self) -> Option<i64> {
        self.points.keys().next().copied()
    }

    /// The time of the first point after a time.
    pub(in crate::reservation) fn next_after(&self, t: i64) -> Option<i64> {
        self.points.range((Bound::Excluded(t), Bound::Unbounded)).next().map(|(at, _)| *at)
    }

    /// The time of the last point, or of the one before it if the last is undefined.
    #[must_use]
    pub fn last_defined(&self) -> Option<i64> {
        let mut points = self.points.iter().rev();
        let (last, value) = points.next()?;
        if value.is_some() { Some(*last) } else { points.next().map(|(before, _)| *before) }
    }

    /// The pieces between its points, those of nothing included.
    #[must_use]
    pub fn pieces(&self) -> Vec<Piece> {
        if self.is_empty() { Vec::new() } else { pieces(self.points()) }
    }

    /// What matters from `start` to `end`, as [`Steps::within`] cuts it out.
    ///
    /// # Errors
    /// As there.
    pub fn range(&self, start: i64, end: i64) -> Result<Steps, ReservationRefused> {
        let (Some(first), Some((last, _))) = (self.first(), self.points.last_key_value()) else {
            return Ok(Steps::default());
        };
        let from = if start > first { self.floor(start).unwrap_or(first) } else { first };
        if end >= *last {
            return Ok(Steps::of(self.between(from, *last)));
        }
        if start > first && end < from {
            return Err(ReservationRefused::Backwards);
        }
        Ok(Steps::of(self.between(from, end)))
    }

    /// The points from a time to another, both included.
    pub(super) fn between(&self, from: i64, to: i64) -> Vec<Point> {
        if from > to {
            return Vec::new();
        }
        self.points.range(from..=to).map(|(at, value)| Point { at: *at, value: *value }).collect()
    }

    /// Adds a piece. One of nothing leaves no trace.
    pub fn add(&mut self, piece: &Piece) {
        if piece.resource.is_zero() {
            return;
        }
        self.odd |= piece.from >= piece.to || piece.to == i64::MAX;
        if self.odd {
            self.merge_whole(piece);
        } else if self.points.is_empty() {
            self.points.extend([(piece.from, Some(piece.resource)), (piece.to, Some(Resource::ZERO))]);
        } else {
            self.add_in_place(piece);
        }
    }

    /// Removes a piece that was added.
    pub fn remove(&mut self, piece: &Piece) {
        self.add(&Piece { resource: Resource::ZERO.minus(&piece.resource), ..*piece });
    }

    /// Adds all pieces of another profile.
    pub fn add_all<'a>(&mut self, pieces: impl IntoIterator<Item = &'a Piece>) {
        pieces.into_iter().for_each(|piece| self.add(piece));
    }

    fn add_in_place(&mut self, piece: &Piece) {
        let Piece { from, to, resource } = *piece;
        // What held there until now; before the first point there was nothing.
        let (at_from, at_to) = (self.value_at(from), self.value_at(to));
        for (_, value) in self.points.range_mut(from..to) {
            *value = value.map(|value| value.plus(&resource));
        }
        self.points.insert(from, Some(at_from.plus(&resource)));
        self.points.insert(to, Some(at_to));
        self.drop_repeated(from);
        self.drop_repeated(to);
        // A first point of nothing may follow on the piece now.
        for next in [self.next_after(to), self.next_after(from)].into_iter().flatten() {
            self.drop_repeated(next);
        }
        self.points.insert(i64::MAX, None);
    }

    /// Drops a point that says what the one before it says; the first always stays.
    fn drop_repeated(&mut self, at: i64) {
        let mut points = self.points.range(..=at).rev();
        let same = matches!((points.next(), points.next()), (Some((last, Some(value))), Some((_, Some(before))))
            if *last == at && value == before);
        if same {
            self.points.remove(&at);
        }
    }

    fn merge_whole(&mut self, piece: &Piece) {
        let mut added = BTreeMap::from([(piece.from, piece.resource)]);
        added.insert(piece.to, Resource::ZERO);
        let added: Vec<Point> = added.into_iter().map(|(at, value)| Point::new(at, value)).collect();
        let whole = self.steps();
        let merged = merge_as_is(whole.points(), &added, Operation::Add, i64::MIN, i64::MAX);
        let merged = merged.expect("a sum has no test").into_points();
        self.points = merged.into_iter().map(|point| (point.at, point.value)).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn piece((from, length, memory_mb): (i64, i64, i64)) -> Piece {
        Piece { from, to: from + length, resource: Resource::new(memory_mb, memory_mb % 2) }
    }

    proptest! {
        /// In place, each interval gives what merging the whole gives, as Hadoop does.
        #[test]
        fn in_place_is_as_the_whole_merged(intervals in prop::collection::vec((0_i64..20, 1_i64..9, -3_i64..4), 0..14)) {
            let (mut fast, mut slow) = (Ledger::default(), Ledger { odd: true, ..Ledger::default() });
            for interval in intervals {
                fast.add(&piece(interval));
                slow.add(&piece(interval));
                prop_assert_eq!(&fast.points, &slow.points);
            }
        }

        #[test]
        fn what_is_removed_leaves_nothing(intervals in prop::collection::vec((0_i64..20, 1_i64..9, 1_i64..4), 0..14)) {
            let mut ledger = Ledger::default();
            ledger.add_all(&intervals.iter().copied().map(piece).collect::<Vec<_>>());
            intervals.iter().copied().map(piece).for_each(|piece| ledger.remove(&piece));
            prop_assert!(ledger.is_empty());
        }

        #[test]
        fn a_range_is_that_of_its_steps(
            intervals in prop::collection::vec((0_i64..20, 1_i64..9, 1_i64..4), 0..9), start in -2_i64..32, end in -2_i64..32,
        ) {
            let mut ledger = Ledger::default();
            ledger.add_all(&intervals.iter().copied().map(piece).collect::<Vec<_>>());
            prop_assert_eq!(ledger.range(start, end), ledger.steps().range(start, end));
            prop_assert_eq!(ledger.value_at(start), ledger.steps().value_at(start));
        }
    }

    #[test]
    fn the_first_piece_has_no_undefined_end() {
        let mut ledger = Ledger::default();
        ledger.add(&piece((5, 5, 2)));
        assert_eq!(ledger.points().count(), 2);
        ledger.add(&piece((5, 5, 2)));
        assert_eq!(ledger.points().last(), Some(Point::undefined(i64::MAX)));
        assert_eq!((ledger.first(), ledger.last_defined()), (Some(5), Some(10)));
    }
}

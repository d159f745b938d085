//! A step function as a list of points.

use crate::reservation::refused::ReservationRefused;
use crate::resource::Resource;
use crate::resource::sorted;

/// From a time on, a value holds, until the next point; `None` is undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// Since when, ms.
    pub at: i64,
    /// What.
    pub value: Option<Resource>,
}

impl Point {
    /// A value from a time on.
    #[must_use]
    pub fn new(at: i64, value: Resource) -> Point {
        Point { at, value: Some(value) }
    }

    /// Nothing known from a time on.
    #[must_use]
    pub fn undefined(at: i64) -> Point {
        Point { at, value: None }
    }
}

/// A value from a time to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Piece {
    /// Its beginning, ms.
    pub from: i64,
    /// Its end, which it does not reach.
    pub to: i64,
    /// What.
    pub resource: Resource,
}

/// A step function: points in order of time, one a time. Before the first there is nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Steps(Vec<Point>);

impl Steps {
    /// The same value from a time on.
    #[must_use]
    pub fn constant(at: i64, value: Resource) -> Steps {
        Steps(vec![Point::new(at, value)])
    }

    /// Of points that are in order.
    pub(in crate::reservation) fn of(points: Vec<Point>) -> Steps {
        debug_assert!(points.is_sorted_by(|a, b| a.at < b.at), "in order, one a time");
        Steps(points)
    }

    /// All points in order.
    #[must_use]
    pub fn points(&self) -> &[Point] {
        &self.0
    }

    pub(super) fn into_points(self) -> Vec<Point> {
        self.0
    }

    /// What holds at a time: of the last point not after it.
    #[must_use]
    pub fn value_at(&self, t: i64) -> Resource {
        let after = self.0.partition_point(|point| point.at <= t);
        let point = after.checked_sub(1).and_then(|last| self.0.get(last));
        point.and_then(|point| point.value).unwrap_or(Resource::ZERO)
    }

    /// What matters from `start` to `end`. The first point keeps its time, which may be before `start`.
    ///
    /// # Errors
    /// `Backwards` when `end` lies before the point in force at `start`.
    pub fn within(&self, start: i64, end: i64) -> Result<&[Point], ReservationRefused> {
        let points = self.0.as_slice();
        let (Some(first), Some(last)) = (points.first(), points.last()) else { return Ok(points) };
        let from = if start > first.at { points.partition_point(|point| point.at <= start) - 1 } else { 0 };
        if end >= last.at {
            return Ok(&points[from..]);
        }
        if start > first.at && end < points[from].at {
            return Err(ReservationRefused::Backwards);
        }
        let to = points.partition_point(|point| point.at <= end);
        Ok(&points[from..to.max(from)])
    }

    /// [`Steps::within`] as a profile of its own.
    ///
    /// # Errors
    /// As there.
    pub fn range(&self, start: i64, end: i64) -> Result<Steps, ReservationRefused> {
        self.within(start, end).map(|points| Steps(points.to_vec()))
    }

    /// The same, so much later.
    #[must_use]
    pub(in crate::reservation) fn shifted(mut self, by: i64) -> Steps {
        self.0.iter_mut().for_each(|point| point.at = point.at.wrapping_add(by));
        sorted::by_key(&mut self.0, |point| point.at);
        self
    }
}

/// The pieces between neighbours of which the later is defined; none where there are exactly a zero and an undefined
/// one.
pub(super) fn pieces<'a>(points: impl Iterator<Item = Point> + Clone + 'a) -> Vec<Piece> {
    let later = points.clone().skip(1);
    let piece = |(a, b): (Point, Point)| {
        let resource = b.value.and(a.value)?;
        Some(Piece { from: a.at, to: b.at, resource })
    };
    points.zip(later).filter_map(piece).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(points: &[(i64, i64)]) -> Steps {
        Steps::of(points.iter().map(|(at, value)| Point::new(*at, Resource::new(*value, 0))).collect())
    }

    #[test]
    fn a_range_keeps_the_time_of_the_point_in_force() {
        let profile = steps(&[(10, 1), (20, 2), (30, 3)]);
        assert_eq!(profile.range(15, 25), Ok(steps(&[(10, 1), (20, 2)])));
        assert_eq!(profile.range(20, 20), Ok(steps(&[(20, 2)])));
        assert_eq!(profile.range(0, 5), Ok(steps(&[])));
        assert_eq!(profile.range(40, 50), Ok(steps(&[(30, 3)])));
    }

    #[test]
    fn a_range_backwards_fails_only_before_the_point_in_force() {
        let profile = steps(&[(10, 1), (20, 2), (30, 3)]);
        assert_eq!(profile.range(25, 22), Ok(steps(&[(20, 2)])));
        assert_eq!(profile.range(25, 15), Err(ReservationRefused::Backwards));
        assert_eq!(profile.range(9, 5), Ok(steps(&[])), "nothing is dropped at the start");
    }

    #[test]
    fn the_value_at_a_time_is_that_of_the_point_before() {
        let profile = steps(&[(10, 1), (20, 2)]);
        let at = |t| profile.value_at(t).memory_mb();
        assert_eq!([9, 10, 19, 20, i64::MAX].map(at), [0, 1, 1, 2, 2]);
    }
}

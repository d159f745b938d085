//! The average of a profile over a window, as Hadoop computes it.

use crate::reservation::limits::{MAX_STEPS, at_most};
use crate::reservation::numbers::{low_int, round};
use crate::reservation::profile::{Operation, Point, Steps, merge, merge_as_is};
use crate::reservation::refused::ReservationRefused;
use crate::resource::Resource;
use std::collections::BTreeMap;

/// Tests that the average of a profile never exceeds `most`, over windows that end between `start` and `end`.
///
/// As in Hadoop the averages are steps, not lines: between two points the average of the last one stays. And a point at
/// the end of time makes the averages before the first window's end too small, by wrapping round.
pub(super) fn left_on_average(
    profile: &Steps,
    window: i64,
    most: Resource,
    (start, end): (i64, i64),
) -> Result<(), ReservationRefused> {
    let Some(first) = profile.points().first() else { return Ok(()) };
    let points = repeated(profile, window)?;
    let (mut up, mut down) = (Vec::new(), BTreeMap::new());
    let (mut sum, mut rate, mut before) = ([0_i64; 2], [0_i64; 2], first.at);
    for (at, value) in points {
        let passed = at.wrapping_sub(before);
        for (sum, rate) in sum.iter_mut().zip(rate) {
            *sum = sum.wrapping_add(rate.wrapping_mul(passed));
        }
        let [memory_mb, vcores] = sum.map(|sum| low_int(round(sum as f64 / window as f64)));
        let mean = Resource::new(i64::from(memory_mb), i64::from(vcores));
        up.push(Point::new(at, mean));
        down.insert(at.wrapping_add(window), mean);
        let value = value.unwrap_or(Resource::ZERO);
        (rate, before) = ([value.memory_mb(), value.vcores()], at);
    }
    let down: Vec<Point> = down.into_iter().map(|(at, mean)| Point::new(at, mean)).collect();
    let averages = merge_as_is(&up, &down, Operation::Subtract, i64::MIN, i64::MAX)?;
    let allowed = Steps::constant(first.at.wrapping_sub(window), most);
    merge(&allowed, &averages, Operation::Test, start, end).map(|_| ())
}

/// The points of a profile; what holds for longer than the window has one each window.
fn repeated(profile: &Steps, window: i64) -> Result<BTreeMap<i64, Option<Resource>>, ReservationRefused> {
    let own = profile.points();
    let mut points = BTreeMap::new();
    for (point, next) in own.iter().zip(own.iter().skip(1)).filter(|(_, next)| next.value.is_some()) {
        let times = next.at.wrapping_sub(point.at) / window.max(1);
        at_most("windows in which a reservation is there", times, MAX_STEPS)?;
        points.extend((1..=times).map(|turn| (point.at.wrapping_add(turn.wrapping_mul(window)), point.value)));
    }
    points.extend(own.iter().map(|point| (point.at, point.value)));
    Ok(points)
}

//! What is looked at over time: resident memory, latencies, grants.

use std::time::Duration;

use evenweave_tools::clock::{nanos, resident_kib, seconds};
use evenweave_tools::numbers::grouped;
use hdrhistogram::Histogram;

use super::world::World;

/// So many points a soak has at most.
const POINTS: u32 = 600;

/// What was seen between two looks.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    /// Seconds since the beginning.
    pub(crate) at: f64,
    pub(crate) resident_kib: u64,
    pub(crate) grants_per_s: f64,
    pub(crate) running: u64,
    pub(crate) snapshot_age_ms: u64,
    /// `allocate` calls, µs: the median, 99 of 100, the longest.
    pub(crate) allocate_us: [f64; 3],
    /// The same of calls that hand a batch of heartbeats over.
    pub(crate) heartbeats_us: [f64; 3],
}

/// See the module's text.
#[derive(Debug)]
pub(super) struct Samples {
    every: u64,
    next: u64,
    last: (u64, u64),
    pub(super) points: Vec<Point>,
}

fn three(histogram: &mut Histogram<u64>) -> [f64; 3] {
    let at = |value: u64| value as f64 / 1e3;
    let three = [0.5, 0.99].map(|quantile| at(histogram.value_at_quantile(quantile)));
    let three = [three[0], three[1], at(histogram.max())];
    histogram.reset();
    three
}

impl Samples {
    pub(super) fn new(duration: Duration) -> Samples {
        let every = nanos(duration / POINTS).max(1_000_000_000);
        Samples { every, next: every, last: (0, 0), points: Vec::new() }
    }

    /// Makes a point, if one is due.
    pub(super) fn look(&mut self, now: u64, world: &mut World) {
        if now < self.next {
            return;
        }
        self.next = now + self.every;
        let stats = world.scheduler().stats();
        let (then, granted) = std::mem::replace(&mut self.last, (now, stats.granted));
        self.points.push(Point {
            at: seconds(now),
            resident_kib: resident_kib(),
            grants_per_s: (stats.granted - granted) as f64 / seconds(now - then),
            running: stats.running,
            snapshot_age_ms: stats.snapshot_age_ms,
            allocate_us: three(&mut world.latencies.allocate),
            heartbeats_us: three(&mut world.latencies.heartbeats),
        });
    }

    /// What goes on, in a line.
    pub(super) fn line(&self, world: &World) -> String {
        let Some(point) = self.points.last() else { return String::new() };
        format!(
            "{} grants/s, {} MiB, {} checks, longest call {}{}",
            grouped(point.grants_per_s),
            grouped(point.resident_kib as f64 / 1024.0),
            world.checks,
            world.watchdog.longest_text(),
            if world.differences.is_empty() { "" } else { ", BOOKS DO NOT BALANCE" }
        )
    }

    /// Resident memory when the first part was over, and at the end; of a few points each the middle one, since one
    /// look may come at a bad moment.
    pub(super) fn resident(&self, first_part: f64) -> Option<(u64, u64)> {
        let middle = |points: &[Point]| {
            let mut kib: Vec<u64> = points.iter().map(|point| point.resident_kib).collect();
            kib.sort_unstable();
            kib.get(kib.len() / 2).copied().filter(|kib| *kib > 0)
        };
        let first = self.points.iter().position(|point| point.at >= first_part)?;
        let end = (first + 5).min(self.points.len());
        Some((middle(&self.points[first..end])?, middle(&self.points[self.points.len().saturating_sub(5)..])?))
    }
}

//! How long calls take, told by whoever makes or serves them. A worker of a scheduler tells nothing by itself: its
//! probe does, of the heartbeats that are sampled.
//!
//! Each kind is kept twice: since the start, for those who scrape, and since it was last asked for, for a page that
//! draws it.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hdrhistogram::Histogram as Spread;
use prometheus_client::metrics::histogram::Histogram;

/// Upper bounds in seconds: from a microsecond to ten seconds.
const BOUNDS: [f64; 15] =
    [1e-6, 2.5e-6, 5e-6, 1e-5, 2.5e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 5e-3, 2.5e-2, 0.1, 1.0, 10.0];

/// What is known of durations, in milliseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Durations {
    pub(crate) count: u64,
    pub(crate) mean: f64,
    pub(crate) least: f64,
    pub(crate) most: f64,
    /// The sum of squares of distances from the mean.
    squares: f64,
}

impl Durations {
    fn add(&mut self, ms: f64) {
        self.least = if self.count == 0 { ms } else { self.least.min(ms) };
        self.most = self.most.max(ms);
        self.count += 1;
        // Welford's way, which Hadoop goes, too.
        let before = ms - self.mean;
        #[expect(clippy::cast_precision_loss, reason = "so many are never counted")]
        let count = self.count as f64;
        self.mean += before / count;
        self.squares += before * (ms - self.mean);
    }

    /// Of a sample.
    pub(crate) fn deviation(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "so many are never counted")]
        let others = self.count.saturating_sub(1) as f64;
        if self.count < 2 { 0.0 } else { (self.squares / others).sqrt() }
    }
}

/// Whatever takes longer counts as so long, in µs.
const LONGEST_US: u64 = 60_000_000;

/// Since they were last asked for, in µs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quantiles {
    pub(crate) p50: u64,
    pub(crate) p99: u64,
}

/// One kind of call.
#[derive(Debug)]
pub(crate) struct Timed {
    pub(crate) histogram: Histogram,
    durations: Mutex<Durations>,
    /// In µs, since it was last taken.
    lately: Mutex<Spread<u32>>,
}

impl Default for Timed {
    fn default() -> Timed {
        let lately = Spread::new_with_bounds(1, LONGEST_US, 2).expect("bounds that can be");
        Timed { histogram: Histogram::new(BOUNDS), durations: Mutex::default(), lately: Mutex::new(lately) }
    }
}

impl Timed {
    fn add(&self, took: Duration) {
        self.histogram.observe(took.as_secs_f64());
        self.durations.lock().unwrap_or_else(PoisonError::into_inner).add(took.as_secs_f64() * 1e3);
        let us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX).max(1);
        self.lately.lock().unwrap_or_else(PoisonError::into_inner).saturating_record(us);
    }

    /// Since this was last called; nothing where nothing was timed.
    pub(crate) fn take_lately(&self) -> Option<Quantiles> {
        let mut lately = self.lately.lock().unwrap_or_else(PoisonError::into_inner);
        if lately.is_empty() {
            return None;
        }
        let found = Quantiles { p50: lately.value_at_quantile(0.5), p99: lately.value_at_quantile(0.99) };
        lately.reset();
        Some(found)
    }

    pub(crate) fn durations(&self) -> Durations {
        *self.durations.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How long calls took, as far as they were timed.
#[derive(Debug, Default)]
pub struct Latencies {
    pub(crate) allocate: Timed,
    pub(crate) handling: Timed,
    pub(crate) grant: Timed,
}

impl Latencies {
    /// An AM's call took so long.
    pub fn allocate(&self, took: Duration) {
        self.allocate.add(took);
    }

    /// A worker was at a heartbeat for so long, and it was `since_sent` ago that it was handed over: its grants are in
    /// mailboxes by now.
    pub fn heartbeat(&self, handling: Duration, since_sent: Duration) {
        self.handling.add(handling);
        self.grant.add(since_sent);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_a_mean_and_a_deviation() {
        let timed = Timed::default();
        [2, 4, 4, 4, 5, 5, 7, 9].into_iter().for_each(|ms| timed.add(Duration::from_millis(ms)));
        let found = timed.durations();
        assert_eq!(found.count, 8);
        for (is, should) in
            [(found.mean, 5.0), (found.least, 2.0), (found.most, 9.0), (found.deviation(), (32.0_f64 / 7.0).sqrt())]
        {
            assert!((is - should).abs() < 1e-9, "{is} {should}");
        }
        // Two digits of three are kept.
        let within = |is: u64, should: u64| is.abs_diff(should) <= should / 50;
        let lately = timed.take_lately().expect("some were timed");
        assert!(within(lately.p50, 4_000) && within(lately.p99, 9_000), "{lately:?}");
        assert_eq!(timed.take_lately(), None);
        let one = Timed::default();
        one.add(Duration::from_millis(3));
        assert!(one.durations().deviation().abs() < 1e-12);
    }
}

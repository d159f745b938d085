//! Latency histograms: three significant digits, in nanoseconds, up to a minute.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use evenweave_server::Latencies;
use evenweave_tools::clock::now_ns;
use hdrhistogram::Histogram;

use crate::api::HeartbeatProbe;

const HIGHEST_NS: u64 = 60_000_000_000;

/// An empty histogram.
#[must_use]
pub(crate) fn histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(1, HIGHEST_NS, 3).expect("the bounds are in order")
}

/// Adds a value, a minute at most.
pub(crate) fn record(histogram: &mut Histogram<u64>, ns: u64) {
    histogram.saturating_record(ns.max(1));
}

/// A few percentiles of one operation, microseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Percentiles {
    /// How many were timed.
    pub(crate) n: u64,
    pub(crate) p50: f64,
    pub(crate) p99: f64,
    pub(crate) p999: f64,
    pub(crate) max: f64,
}

impl Percentiles {
    /// Of a histogram in nanoseconds; all zero when it is empty.
    #[must_use]
    pub(crate) fn of(histogram: &Histogram<u64>) -> Percentiles {
        if histogram.is_empty() {
            return Percentiles::default();
        }
        let at = |quantile| histogram.value_at_quantile(quantile) as f64 / 1e3;
        Percentiles {
            n: histogram.len(),
            p50: at(0.5),
            p99: at(0.99),
            p999: at(0.999),
            max: histogram.max() as f64 / 1e3,
        }
    }
}

#[derive(Debug)]
struct Served {
    service: Histogram<u64>,
    grant: Histogram<u64>,
}

/// Collects what happens to stamped heartbeats inside the scheduler, one pair of histograms a worker.
///
/// A stamp is the time of [`now_ns`] at which the heartbeat was handed over.
pub(crate) struct LatencyProbe {
    workers: Vec<Mutex<Served>>,
}

impl fmt::Debug for LatencyProbe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LatencyProbe").field("workers", &self.workers.len()).finish()
    }
}

impl LatencyProbe {
    /// For a scheduler with this many workers.
    #[must_use]
    pub(crate) fn new(workers: usize) -> LatencyProbe {
        let empty = || Mutex::new(Served { service: histogram(), grant: histogram() });
        LatencyProbe { workers: (0..workers.max(1)).map(|_| empty()).collect() }
    }

    fn cell(&self, worker: usize) -> &Mutex<Served> {
        &self.workers[worker % self.workers.len()]
    }

    /// Service and grant times of all workers together; what was collected starts anew.
    pub(crate) fn take(&self) -> (Histogram<u64>, Histogram<u64>) {
        let (mut service, mut grant) = (histogram(), histogram());
        for cell in &self.workers {
            let mut served = cell.lock().expect("no holder of a histogram panics");
            service.add(&served.service).expect("same bounds");
            grant.add(&served.grant).expect("same bounds");
            served.service.reset();
            served.grant.reset();
        }
        (service, grant)
    }
}

impl HeartbeatProbe for LatencyProbe {
    fn taken(&self, _worker: usize, _stamp: u64) -> u64 {
        now_ns()
    }

    fn served(&self, worker: usize, stamp: u64, token: u64, _grants: u32) {
        let now = now_ns();
        // Uncontended: a worker writes its own cell, which is read between phases only.
        let mut served = self.cell(worker).lock().expect("no holder of a histogram panics");
        record(&mut served.service, now.saturating_sub(token));
        record(&mut served.grant, now.saturating_sub(stamp));
    }
}

/// Tells a server of stamped heartbeats.
#[derive(Debug)]
pub(crate) struct ToldProbe(pub(crate) Arc<Latencies>);

impl HeartbeatProbe for ToldProbe {
    fn taken(&self, _worker: usize, _stamp: u64) -> u64 {
        now_ns()
    }

    fn served(&self, _worker: usize, stamp: u64, token: u64, _grants: u32) {
        let since = |then: u64| Duration::from_nanos(now_ns().saturating_sub(then));
        self.0.heartbeat(since(token), since(stamp));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_served_heartbeat_is_counted_once_and_grant_contains_service() {
        let probe = LatencyProbe::new(2);
        let stamp = now_ns();
        let token = probe.taken(1, stamp);
        probe.served(1, stamp, token, 3);
        let (service, grant) = probe.take();
        assert_eq!((service.len(), grant.len()), (1, 1));
        assert!(grant.max() >= service.max());
        assert!(probe.take().0.is_empty());
    }
}

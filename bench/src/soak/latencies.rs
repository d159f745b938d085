//! How long the calls took that the world has made since the last look.

use hdrhistogram::Histogram;

use crate::latency::histogram;

/// The histograms that a point is made of.
#[derive(Debug)]
pub(super) struct Latencies {
    pub(super) allocate: Histogram<u64>,
    pub(super) heartbeats: Histogram<u64>,
}

impl Latencies {
    pub(super) fn new() -> Latencies {
        Latencies { allocate: histogram(), heartbeats: histogram() }
    }
}

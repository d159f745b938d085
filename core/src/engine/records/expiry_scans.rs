//! When a worker looks for containers that have expired: see `worker::expiry`.

use crate::clock::Deadline;

/// Where a worker stands with its looks.
#[derive(Debug)]
pub(crate) struct ExpiryScans {
    /// When the next one begins.
    pub(crate) due: Deadline,
    /// When the last one ended, or a worker without one began.
    pub(crate) last_ms: u64,
    /// The one under way: the record that comes next, and when it began.
    pub(crate) under_way: Option<(u32, u64)>,
}

impl ExpiryScans {
    /// The first is a third of the interval from now.
    pub(crate) fn from(now_ms: u64, interval_ms: u64) -> ExpiryScans {
        ExpiryScans { due: Deadline::after(now_ms, between(interval_ms)), last_ms: now_ms, under_way: None }
    }
}

/// The time between two looks.
pub(crate) fn between(interval_ms: u64) -> u64 {
    (interval_ms / 3).max(1)
}

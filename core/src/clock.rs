//! The scheduler's one clock: real, or virtual for replay and tests.

use crate::sync::atomic::{AtomicU64, Ordering};
use std::fmt;
use std::time::Instant;

/// Milliseconds since some fixed moment; never goes back. The embedder gives it in.
pub trait Clock: Send + Sync + fmt::Debug {
    /// Now, in milliseconds.
    fn now_ms(&self) -> u64;
}

/// The machine's monotonic clock, from 0 at its creation.
#[derive(Debug)]
pub struct MonotonicClock(Instant);

impl MonotonicClock {
    /// A clock that starts now.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "the one place where real time enters")]
    pub fn new() -> MonotonicClock {
        MonotonicClock(Instant::now())
    }
}

impl Default for MonotonicClock {
    fn default() -> Self {
        MonotonicClock::new()
    }
}

impl Clock for MonotonicClock {
    fn now_ms(&self) -> u64 {
        u64::try_from(self.0.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

/// A clock that moves only when told to.
#[derive(Debug, Default)]
pub struct VirtualClock(AtomicU64);

impl VirtualClock {
    /// A clock at 0 ms.
    #[must_use]
    pub fn new() -> VirtualClock {
        VirtualClock::default()
    }

    /// Moves the clock on.
    pub fn advance(&self, ms: u64) {
        // ORDERING: Relaxed. A time is no message: nobody infers another write from it.
        self.0.fetch_add(ms, Ordering::Relaxed);
    }
}

impl Clock for VirtualClock {
    fn now_ms(&self) -> u64 {
        // ORDERING: Relaxed, as in `advance`.
        self.0.load(Ordering::Relaxed)
    }
}

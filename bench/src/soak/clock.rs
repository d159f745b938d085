//! A clock that jumps when it is told to.

use std::sync::atomic::{AtomicI64, Ordering};

use evenweave_tools::clock::now_ns;

use crate::api::Clock;

/// So far from the real time it is at the start, so that it can go back.
const AHEAD_MS: i64 = 1_000_000_000;

/// See the module's text.
#[derive(Debug)]
pub(super) struct Jumping(AtomicI64);

impl Jumping {
    pub(super) fn new() -> Jumping {
        Jumping(AtomicI64::new(AHEAD_MS))
    }

    /// From now on it is so much later.
    pub(super) fn jump(&self, ms: i64) {
        // ORDERING: Relaxed. A time is no message.
        self.0.fetch_add(ms, Ordering::Relaxed);
    }
}

impl Clock for Jumping {
    fn now_ms(&self) -> u64 {
        let real = i64::try_from(now_ns() / 1_000_000).unwrap_or(i64::MAX);
        // ORDERING: Relaxed, as in `jump`.
        u64::try_from(real.saturating_add(self.0.load(Ordering::Relaxed))).unwrap_or(0)
    }
}

//! The scheduler's one clock: real, or virtual for replay and tests.

use crate::sync::atomic::{AtomicU64, Ordering};
#[cfg(not(loom))]
use crate::sync::channel::{Receiver, RecvTimeoutError, SendTimeoutError, Sender};
use std::fmt;
#[cfg(not(loom))]
use std::time::Duration;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// The scheduler's time, in two forms.
///
/// Durations use [`Clock::now_ms`], which never goes back. Only the age of the allocation file uses [`Clock::wall_ms`], because
/// the file system stamps files with it. An administrator may set that clock.
pub trait Clock: Send + Sync + fmt::Debug {
    /// Milliseconds since some fixed moment. Never goes back.
    fn now_ms(&self) -> u64;

    /// Milliseconds since the beginning of 1970, UTC, as in the times of change of files. It may jump forward or back. The
    /// default is the machine's clock; a clock that is not real time must implement it.
    fn wall_ms(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }
}

/// The machine's monotonic clock. It starts at 0 when it is made.
#[derive(Debug)]
pub struct MonotonicClock(Instant);

impl MonotonicClock {
    /// Makes a clock that starts now.
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

/// How long somebody still waits, in real time, whatever the scheduler's clock is.
#[cfg(not(loom))]
#[derive(Debug)]
pub(crate) struct Patience {
    clock: MonotonicClock,
    /// `None`: for ever.
    whole: Option<Duration>,
}

#[cfg(not(loom))]
impl Patience {
    /// Does not end.
    pub(crate) fn endless() -> Patience {
        Patience { clock: MonotonicClock::new(), whole: None }
    }

    /// Ends so long from now.
    pub(crate) fn of(whole: Duration) -> Patience {
        Patience { clock: MonotonicClock::new(), whole: Some(whole) }
    }

    /// What is left of it, nothing at its end; `None`: no end.
    pub(crate) fn left(&self) -> Option<Duration> {
        self.whole.map(|whole| whole.saturating_sub(self.clock.0.elapsed()))
    }

    pub(crate) fn is_over(&self) -> bool {
        self.left().is_some_and(|left| left.is_zero())
    }

    /// The next message, while there is patience.
    pub(crate) fn receive<T>(&self, from: &Receiver<T>) -> Result<T, RecvTimeoutError> {
        match self.left() {
            Some(left) => from.recv_timeout(left),
            None => from.recv().map_err(|_| RecvTimeoutError::Disconnected),
        }
    }

    /// Sends, and waits for room while there is patience.
    pub(crate) fn send<T>(&self, to: &Sender<T>, message: T) -> Result<(), SendTimeoutError<T>> {
        match self.left() {
            Some(left) => to.send_timeout(message, left),
            None => to.send(message).map_err(|error| SendTimeoutError::Disconnected(error.0)),
        }
    }
}

/// A clock that moves only by [`advance`](VirtualClock::advance). Both forms of its time are the same, so its wall clock starts
/// in 1970.
#[derive(Debug, Default)]
pub struct VirtualClock(AtomicU64);

impl VirtualClock {
    /// Makes a clock at 0 ms.
    #[must_use]
    pub fn new() -> VirtualClock {
        VirtualClock::default()
    }

    /// Moves the clock forward by `ms`.
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

    fn wall_ms(&self) -> u64 {
        self.now_ms()
    }
}

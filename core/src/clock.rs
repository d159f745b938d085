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
/// Durations use [`Clock::now_ms`], which never goes back. Only the age of the allocation file uses [`Clock::wall_ms`],
/// because the file system stamps files with it. An administrator may set that clock.
pub trait Clock: Send + Sync + fmt::Debug {
    /// Milliseconds since some fixed moment. Never goes back.
    fn now_ms(&self) -> u64;

    /// Milliseconds since the beginning of 1970, UTC, as in the times of change of files. It may jump forward or back.
    /// The default is the machine's clock; a clock that is not real time must implement it.
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

/// Milliseconds of a clock as Java has them: at most its largest number.
#[cfg(not(loom))]
pub(crate) fn java_ms(ms: u64) -> i64 {
    i64::try_from(ms).unwrap_or(i64::MAX)
}

/// A moment by the clock at which something is due, or never: what would be after the end of time does not come.
#[cfg(not(loom))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Deadline(Option<u64>);

/// At once.
#[cfg(not(loom))]
impl Default for Deadline {
    fn default() -> Deadline {
        Deadline(Some(0))
    }
}

#[cfg(not(loom))]
impl Deadline {
    pub(crate) const NEVER: Deadline = Deadline(None);

    /// So long from now.
    pub(crate) fn after(now_ms: u64, wait_ms: u64) -> Deadline {
        Deadline(now_ms.checked_add(wait_ms))
    }

    pub(crate) fn is_over(self, now_ms: u64) -> bool {
        self.0.is_some_and(|due_ms| due_ms <= now_ms)
    }

    /// What is left until then, nothing where it is over; `None`: it never is.
    pub(crate) fn left_ms(self, now_ms: u64) -> Option<u64> {
        self.0.map(|due_ms| due_ms.saturating_sub(now_ms))
    }

    /// Whether it is further away than one that is set now: the clock has gone back.
    pub(crate) fn is_beyond(self, now_ms: u64, wait_ms: u64) -> bool {
        now_ms.checked_add(wait_ms).is_some_and(|latest| self.0.is_none_or(|due_ms| due_ms > latest))
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

    pub(crate) fn is_endless(&self) -> bool {
        self.whole.is_none()
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

/// A clock that moves only by [`advance`](VirtualClock::advance). Both forms of its time are the same, so its wall
/// clock starts in 1970.
#[derive(Debug, Default)]
pub struct VirtualClock(AtomicU64);

impl VirtualClock {
    /// Makes a clock at 0 ms.
    #[must_use]
    pub fn new() -> VirtualClock {
        VirtualClock::default()
    }

    /// Moves the clock forward by `ms`, at most to [`u64::MAX`].
    pub fn advance(&self, ms: u64) {
        // ORDERING: Relaxed. A time is no message: nobody infers another write from it.
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |now| Some(now.saturating_add(ms)));
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

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn what_would_be_after_the_end_of_time_never_comes() {
        let last = Deadline::after(u64::MAX - 5, 5);
        assert_eq!((last.is_over(u64::MAX - 1), last.is_over(u64::MAX)), (false, true));
        assert_eq!(Deadline::after(u64::MAX, 0).left_ms(u64::MAX), Some(0), "at once is at once");
        for (now_ms, wait_ms) in [(u64::MAX, 1), (1, u64::MAX), (u64::MAX, u64::MAX)] {
            let never = Deadline::after(now_ms, wait_ms);
            assert_eq!((never, never.is_over(u64::MAX), never.left_ms(u64::MAX)), (Deadline::NEVER, false, None));
        }
    }

    #[test]
    fn java_counts_up_to_half_of_the_time() {
        let most = i64::MAX.cast_unsigned();
        assert_eq!([0, most, most + 1, u64::MAX].map(java_ms), [0, i64::MAX, i64::MAX, i64::MAX]);
    }

    #[test]
    fn a_clock_that_has_gone_back_is_known() {
        let due = Deadline::after(1000, 100);
        assert_eq!([900, 999, 1000, 1050, 5000].map(|now| due.is_beyond(now, 100)), [true, true, false, false, false]);
        let never = Deadline::after(u64::MAX, 100);
        assert_eq!([5, u64::MAX - 100, u64::MAX - 99].map(|now| never.is_beyond(now, 100)), [true, true, false]);
    }

    #[test]
    fn a_virtual_clock_stands_still_at_the_end_of_time() {
        let clock = VirtualClock::new();
        [7, u64::MAX, 7].into_iter().for_each(|ms| clock.advance(ms));
        assert_eq!((clock.now_ms(), clock.wall_ms()), (u64::MAX, u64::MAX));
    }
}

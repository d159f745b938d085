//! Heartbeats at fixed times, for open loops.
//!
//! When each is due is settled beforehand and does not move with the scheduler: one that is sent late counts from when
//! it was due, so that waiting is left out nowhere.

use evenweave_tools::clock::now_ns;

/// When the next heartbeat is due.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// Nanoseconds between two.
    step: f64,
    start: u64,
    sent: u64,
}

impl Pace {
    /// So many a second, the first at once.
    pub(super) fn new(per_second: f64) -> Pace {
        Pace { step: 1e9 / per_second, start: now_ns(), sent: 0 }
    }

    fn due(&self) -> u64 {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "nanoseconds of this run")]
        let since_start = (self.step * self.sent as f64) as u64;
        self.start + since_start
    }

    /// Returns when the next heartbeat is due, and that time; at once if that is past.
    pub(super) fn wait(&mut self) -> u64 {
        let due = self.due();
        self.sent += 1;
        while now_ns() < due {
            std::thread::yield_now();
        }
        due
    }

    /// How late the next one is now.
    pub(super) fn behind_ns(&self) -> u64 {
        now_ns().saturating_sub(self.due())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_late_does_not_move_what_is_due_after_it() {
        let mut pace = Pace::new(1e6);
        let first = pace.wait();
        assert_eq!(first, pace.start);
        while pace.behind_ns() < 100_000 {}
        let late: Vec<u64> = (0..100).map(|_| pace.wait()).collect();
        assert!(late.iter().zip(1..).all(|(due, index)| *due == first + 1_000 * index), "{late:?}");
    }
}

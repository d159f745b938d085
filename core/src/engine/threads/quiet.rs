//! Quiet: how a caller finds out that everything that was accepted has been processed.
//!
//! # Protocol
//! A thread counts a message ([`Handled`]), then processes it, then takes the next one. A *round of barriers* is a
//! message through every lane, each answered when it is reached. [`until_quiet`] reads the counts, sends two rounds one
//! after the other, and reads the counts again, until nothing has been counted in between.
//!
//! # Why this is right
//! Suppose that nothing is counted between the two readings. A message that a thread was processing when the first
//! round reached it had been counted before. What it led to was in a lane before the second round was sent. The second
//! round was answered, so these messages were taken before it, and would have been counted. Hence there were none. So
//! at the second round no thread was processing anything, and no lane held a message before it. The caller makes sure
//! that nobody sends meanwhile.
//!
//! # Invariant
//! I9: a caller that has waited for quiet finds that every accepted message, and every one that it led to, was
//! processed. Checked by `loom-tests/tests/quiet_vs_messages.rs`.

use crate::sync::atomic::{AtomicU64, Ordering};

/// Messages that one thread has worked off or is at. Written by that thread alone.
#[derive(Debug, Default)]
pub struct Handled(AtomicU64);

impl Handled {
    /// One more; before it is worked off.
    #[inline]
    pub fn note(&self) {
        // ORDERING: Relaxed. One writer; the answers to barriers order it before the readings that count.
        self.0.store(self.0.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    /// How many.
    pub fn read(&self) -> u64 {
        // ORDERING: Relaxed, as in `note`: a reading that comes too early is another round.
        self.0.load(Ordering::Relaxed)
    }
}

/// Returns when nothing is under way; at once when a round of barriers fails, because somebody who should answer has
/// gone.
pub fn until_quiet(handled: impl Fn() -> u64, mut round_of_barriers: impl FnMut() -> bool) {
    loop {
        let before = handled();
        if !(round_of_barriers() && round_of_barriers()) || handled() == before {
            return;
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// How many rounds are sent, where so many messages are counted during the first ones.
    fn rounds(counted: u64, all_answer: bool) -> u64 {
        let rounds = Cell::new(0);
        let handled = || rounds.get().min(counted);
        until_quiet(handled, || {
            rounds.set(rounds.get() + 1);
            all_answer
        });
        rounds.get()
    }

    #[test]
    fn rounds_go_on_until_nothing_is_counted_over_two_of_them() {
        assert_eq!([0, 1, 2, 3].map(|counted| rounds(counted, true)), [2, 4, 4, 6]);
        assert_eq!(rounds(9, false), 1, "somebody has gone");
    }
}

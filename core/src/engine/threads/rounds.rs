//! Rounds: offers to all nodes of a worker at an interval, not at a heartbeat. One round of a kind is outstanding for
//! each worker at most.
//!
//! # Who writes
//! The thread that sends the rounds of a kind begins one. The worker ends it after it has processed it.
//!
//! # Protocol
//! The sender changes the word of a worker from *none* to *one*, and sends a round only if it was *none*: a round that
//! comes due meanwhile is the same round. The worker processes it and puts *none* back. So a slow worker has one round
//! in its lane, and not many.
//!
//! # Invariants
//! I12: a lane holds at most one round of a kind. I7: room that is free when a round comes due is looked at after that,
//! by this round or by the one that is under way, whose end makes the next tick send another. Checked by
//! `loom-tests/tests/offer_vs_offer.rs`.

use crate::sync::atomic::{AtomicBool, Ordering};

/// By worker: whether a round is on its way to it. Of one kind of rounds.
#[derive(Debug)]
pub struct Outstanding(Box<[AtomicBool]>);

impl Outstanding {
    /// None is.
    #[must_use]
    pub fn new(workers: usize) -> Outstanding {
        Outstanding((0..workers).map(|_| AtomicBool::new(false)).collect())
    }

    /// One comes due; whether it is to be sent. By the thread that sends rounds.
    #[must_use]
    pub fn begin(&self, worker: usize) -> bool {
        // ORDERING: Relaxed. Of two threads one finds *none*; what a round leads to travels through the lane.
        !self.0[worker].swap(true, Ordering::Relaxed)
    }

    /// Whether one is on its way.
    #[cfg(all(feature = "faults", not(loom)))]
    pub(crate) fn is_on_its_way(&self, worker: usize) -> bool {
        // ORDERING: Relaxed, as in `begin`. Who finds one looks again.
        self.0[worker].load(Ordering::Relaxed)
    }

    /// Works one off, and ends it. By the worker.
    pub fn process<R>(&self, worker: usize, round: impl FnOnce() -> R) -> R {
        let outcome = round();
        // ORDERING: Relaxed, as in `begin`: a tick that comes before it sends none, the next one does. An exchange,
        // though a store would do: loom lets an exchange miss a store that is earlier in the order of the word.
        self.0[worker].swap(false, Ordering::Relaxed);
        outcome
    }
}

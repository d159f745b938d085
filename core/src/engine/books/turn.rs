//! Who lets an application start, where several workers have it in their lists and one decides.
//!
//! # Protocol
//! An application waits anew each time it enters a leaf queue: these are its *turns*, and every worker counts the same ones, for the control
//! tells all of them the same in the same order. The worker that decides for the leaf [lets](Turn::let_start) a turn start, then tells the
//! others by a message. Two lanes lead to a worker, the control's and that one's, so the message may come before the turn it is about. Then
//! it is passed over, and whoever enters the turn finds here that it [may start](Turn::may_start).
//!
//! # Invariant
//! Once every message has been worked off, a turn that was let start has started with every worker, and no other one has.
//! `loom-tests/tests/start_vs_entry.rs`.

use crate::sync::atomic::{AtomicU32, Ordering};

/// The last turn that was let start; 0 is none. Turns only grow.
#[derive(Debug, Default)]
pub struct Turn(AtomicU32);

impl Turn {
    /// This one may start. By the worker that decides for the leaf of that turn: of an earlier turn it may be another one, which is late.
    pub fn let_start(&self, turn: u32) {
        // ORDERING: Relaxed. No other memory is inferred from it: who has passed over the message that follows has got it over a channel,
        // and so sees this, or a later turn. loom-tests/tests/start_vs_entry.rs.
        self.0.fetch_max(turn, Ordering::Relaxed);
    }

    /// Whether this one may, as far as it is known here.
    #[must_use]
    pub fn may_start(&self, turn: u32) -> bool {
        // ORDERING: Relaxed, as in `let_start`.
        self.0.load(Ordering::Relaxed) == turn
    }
}

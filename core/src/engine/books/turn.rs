//! Who lets an application start, where several workers have it in their lists and one decides.
//!
//! # Protocol
//! An application waits anew each time it enters a leaf queue: these are its *turns*, and every worker counts the same
//! ones ([`OwnTurn`]), for the control tells all of them the same in the same order. The worker that decides for the
//! leaf [lets](Turn::let_start) a turn start, and tells the others by a message. Two lanes lead to a worker, the
//! control's and that one's, so the message may come before the turn that it is about. Then it is passed over, and
//! whoever enters the turn finds here that it [may start](OwnTurn::may_start).
//!
//! # Invariant
//! Once every message has been worked off, a turn that was let start, and is still under way, has started with every
//! worker, and no other one has. `loom-tests/tests/start_vs_entry.rs`.

use crate::sync::atomic::{AtomicU32, Ordering};

/// The last turn that was let start; 0 is none.
#[derive(Debug, Default)]
pub struct Turn(AtomicU32);

impl Turn {
    /// This one may start; `tell` sends the others word of it. By the worker that decides for the leaf of that turn: of
    /// an earlier turn it may be another one, which is late, and so changes nothing here.
    pub fn let_start(&self, turn: u32, tell: impl FnOnce(u32)) {
        // ORDERING: Relaxed. No other memory is inferred from it: who passes over the word has got it over a channel,
        // and so sees this, or a later turn. loom-tests/tests/start_vs_entry.rs.
        let later = |known: u32| (known < turn).then_some(turn);
        // Where a later one is known, nothing changes.
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, later);
        tell(turn);
    }
}

/// The turn that an application is in with one worker. Its own; nobody else reads it.
#[derive(Clone, Copy, Debug, Default)]
pub struct OwnTurn(u32);

impl OwnTurn {
    /// It enters a leaf queue, to wait there.
    pub fn enter(&mut self) {
        self.0 += 1;
    }

    /// Which one it is.
    #[must_use]
    pub fn number(self) -> u32 {
        self.0
    }

    /// Whether it was let start before it was entered here.
    #[must_use]
    pub fn may_start(self, turn: &Turn) -> bool {
        // ORDERING: Relaxed, as in `let_start`.
        self.0 == turn.0.load(Ordering::Relaxed)
    }

    /// Whether word of a turn that was let start is about this one: else it is late, or early.
    #[must_use]
    pub fn is_about(self, turn: u32) -> bool {
        self.0 == turn
    }
}

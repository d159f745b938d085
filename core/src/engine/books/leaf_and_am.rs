//! Where an application stands: its leaf queue, and whether its AM runs, in one word.
//!
//! # Who writes
//! The control moves the application; the worker that grants the AM's container says that the AM runs.
//!
//! # Protocol
//! An AM counts in the AM usage of the leaf queue that it was granted in, and a move takes it out of there. The worker
//! adds the AM's size to the queue that its snapshot shows, then sets the word *from that queue without an AM*; where
//! that fails the application has been moved meanwhile, and the grant is refused and undone. The move replaces the
//! queue and learns in the same step whether there was an AM to take out. So the size is taken out exactly when it was
//! counted.
//!
//! # Invariants
//! I4: the AM usage of a queue is the sum of the AMs that were granted in it and are still there. I7: the refused grant
//! leaves no trace; the next snapshot shows the worker where to offer the application. Checked by
//! `loom-tests/tests/move_vs_grant.rs`.

use crate::sync::atomic::{AtomicU64, Ordering};

const HAS_AM: u64 = 1 << 32;

fn queue_of(word: u64) -> u32 {
    u32::try_from(word & u64::from(u32::MAX)).expect("half a word")
}

/// See the module's text.
#[derive(Debug)]
pub struct LeafAndAm(AtomicU64);

impl LeafAndAm {
    /// In a leaf queue, without an AM.
    #[must_use]
    pub fn new(queue: u32) -> LeafAndAm {
        LeafAndAm(AtomicU64::new(u64::from(queue)))
    }

    /// The slot of the leaf queue.
    pub fn queue(&self) -> u32 {
        // ORDERING: Relaxed. A slot of a snapshot; who acts on it checks the snapshot.
        queue_of(self.0.load(Ordering::Relaxed))
    }

    /// Whether the AM's container was granted.
    #[inline]
    pub fn has_am(&self) -> bool {
        // ORDERING: Acquire. Pairs with the Release in `try_set_am`: who sees the AM sees what was written of it
        // before.
        self.0.load(Ordering::Acquire) & HAS_AM != 0
    }

    /// The AM runs, accounted in `queue`; false, and nothing changed, when the application is no longer there. Once.
    #[must_use]
    pub fn try_set_am(&self, queue: u32) -> bool {
        let without = u64::from(queue);
        // ORDERING: Release, with the Acquire in `has_am` and `move_to`. Relaxed where it fails: nothing is read then.
        self.0.compare_exchange(without, without | HAS_AM, Ordering::Release, Ordering::Relaxed).is_ok()
    }

    /// The application is in another leaf queue from now on; says whether its AM was accounted in the old one. By the
    /// control.
    #[must_use]
    pub fn move_to(&self, queue: u32) -> bool {
        let moved = |word: u64| Some((word & HAS_AM) | u64::from(queue));
        // ORDERING: Acquire, with the Release in `try_set_am`: who takes an AM out sees its size, and finds it counted.
        let before = self.0.fetch_update(Ordering::Relaxed, Ordering::Acquire, moved);
        before.is_ok_and(|before| before & HAS_AM != 0)
    }
}

//! How many nodes are reserved for an application: a count a worker, one writer each.
//!
//! # Protocol
//! A worker that would reserve another of its nodes reads all counts and asks [`may_reserve`], then adds to its own.
//! Nothing holds the others back in between: of W workers each may find the last place free, so a limit of n is
//! exceeded by W - 1 at most. It is a brake, not a limit (`docs/deviations.md`); what it must not do is drift.
//!
//! # Invariant
//! At rest the total is the number of reservations that stand. Checked by `loom-tests/tests/reservation_totals.rs`.

use crate::sync::atomic::{AtomicU32, Ordering};

/// One worker's count; see the module's text.
#[derive(Debug, Default)]
pub struct ReservedCount(AtomicU32);

impl ReservedCount {
    /// Replaces it; by the worker whose it is.
    pub fn set(&self, nodes: usize) {
        // ORDERING: Relaxed. A count with one writer, from which no other memory is inferred; a reader that sees an
        // older value is one of the W - 1 of the module's text.
        self.0.store(u32::try_from(nodes).unwrap_or(u32::MAX), Ordering::Relaxed);
    }
}

#[cfg(all(feature = "faults", not(loom)))]
impl ReservedCount {
    /// How many; by the worker whose it is.
    pub(crate) fn count(&self) -> usize {
        // ORDERING: Relaxed, as in `set`.
        self.0.load(Ordering::Relaxed) as usize
    }
}

/// The sum of all workers' counts.
pub fn total<'a>(counts: impl Iterator<Item = &'a ReservedCount>) -> u32 {
    // ORDERING: Relaxed, as in `set`.
    counts.map(|count| count.0.load(Ordering::Relaxed)).fold(0, u32::saturating_add)
}

/// Whether one more of `nodes` may be reserved for an application that has `existing`, when it may have this part of
/// them (`yarn.scheduler.fair.reservable-nodes`).
#[must_use]
pub fn may_reserve(existing: u32, nodes: u32, reservable: f32) -> bool {
    // Single precision, then up, as in Hadoop.
    (existing as f32) < (nodes as f32 * reservable).ceil()
}

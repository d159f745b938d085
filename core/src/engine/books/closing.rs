//! Two-phase ends: how many workers have yet to say that they have ended what they had.
//!
//! # Protocol
//! The control *closes* an application and tells every worker. Each ends what it has and acknowledges, once, over the control's
//! lane. With the last acknowledgement the control *commits*: the slot is released ([`Slots`](crate::id::Slots)), and another
//! application may have it. A worker that still knows the one before by that slot, because its structure is older, tells them apart by
//! the generation ([`find`]).
//!
//! # Invariants
//! I13: a slot means another application only after the last acknowledgement, and nothing that was sent for the one before is taken
//! for it. I5: what the one before had is ended by then. Checked by `loom-tests/tests/reuse_vs_late_messages.rs`.

use crate::id::Slot;

/// Acknowledgements that are still to come. The control's own.
#[derive(Debug)]
pub struct Acknowledgements(usize);

impl Acknowledgements {
    /// One of each worker.
    #[must_use]
    pub fn of_each(workers: usize) -> Acknowledgements {
        Acknowledgements(workers)
    }

    /// One has come; whether it was the last.
    #[must_use]
    pub fn take_one(&mut self) -> bool {
        self.0 -= 1;
        self.0 == 0
    }
}

/// What a worker knows by a slot, if it is still what the slot means to whoever names it; `of` says whose place it has.
#[inline]
pub fn find<T>(known: &[Option<T>], slot: Slot, of: impl FnOnce(&T) -> Slot) -> Option<&T> {
    known.get(slot.ix())?.as_ref().filter(|one| of(one) == slot)
}

//! The end of an application in two phases: how many workers have yet to end what they have of it.
//!
//! # Protocol
//! The control *closes* an application and tells every worker. Each worker ends what it has, and acknowledges that
//! once, over the control's lane. At the last acknowledgement the control *commits*: it releases the slot
//! ([`Slots`](crate::id::Slots)), and another application may have it. A worker whose structure is older may still know
//! the old application by that slot; the generation tells the two apart ([`find`]).
//!
//! An application that waits for a running limit starts when another has ended. If its own end has begun it does not
//! start ([`End::lets_start`]): every worker has been told to end it, and would hear only after that that it starts, so
//! it would stay for ever.
//!
//! # Invariants
//! I13: a slot means another application only after the last acknowledgement, and no message for the old one is taken
//! for the new one. I5: by then all that the old one had has ended. Checked by
//! `loom-tests/tests/reuse_vs_late_messages.rs`, and by `loom-tests/tests/end_vs_start.rs`.

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

/// The end of an application, as the control has it: whether it has begun, and who waits for it (`W`).
#[derive(Debug)]
pub struct End<W>(Option<(Acknowledgements, W)>);

impl<W> End<W> {
    /// Of one that goes on.
    #[must_use]
    pub fn far() -> End<W> {
        End(None)
    }

    /// It begins: so many workers are told.
    pub fn begin(&mut self, workers: usize, waiters: W) {
        self.0 = Some((Acknowledgements::of_each(workers), waiters));
    }

    /// Whether it has begun.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        self.0.is_some()
    }

    /// Whether the application, which waits for a running limit, may start when there is room. See the module's text.
    #[must_use]
    pub fn lets_start(&self) -> bool {
        !self.has_begun()
    }

    /// A worker has acknowledged. With the last one it is over, and who waits for it is given back.
    #[must_use]
    pub fn acknowledge(&mut self) -> Option<W> {
        let (left, _) = self.0.as_mut()?;
        left.take_one().then(|| self.0.take()).flatten().map(|(_, waiters)| waiters)
    }
}

/// What a worker knows by a slot, if it is still what the slot means to whoever names it; `of` says whose place it has.
#[inline]
pub fn find<T>(known: &[Option<T>], slot: Slot, of: impl FnOnce(&T) -> Slot) -> Option<&T> {
    known.get(slot.ix())?.as_ref().filter(|one| of(one) == slot)
}

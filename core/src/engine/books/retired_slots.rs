//! Slots of queues that were removed, until every worker has handled all messages about the old queue.
//!
//! # Protocol
//! A worker takes over the newest structure before it handles a message, so the structure may be newer than the
//! message. If the slot were another queue's at once, an application that left the old queue would be taken off the
//! books of the new one. So the control puts the slot aside ([`RetiredSlots`]), and sends each worker a
//! [`RetiredToken`]. Messages are handled in order, so a worker drops its token after all that it was told before. When
//! all tokens are dropped the slot may be used again.
//!
//! # Invariants
//! I13 for queues: a slot means another queue only after every worker has handled what was said of the one before.
//! Checked by `loom-tests/tests/resting_vs_moves.rs`.

use crate::sync::Arc;

/// What a worker drops when it hears that a queue has gone. Whoever is told later holds another one.
#[derive(Clone, Debug)]
pub struct RetiredToken(#[expect(dead_code, reason = "held, not read")] Arc<()>);

/// Slots that rest, the first first; the control's own.
#[derive(Debug)]
pub struct RetiredSlots<T>(Vec<(T, Arc<()>)>);

impl<T> Default for RetiredSlots<T> {
    fn default() -> RetiredSlots<T> {
        RetiredSlots(Vec::new())
    }
}

impl<T> RetiredSlots<T> {
    /// A slot rests. Each worker is to be told with a clone of the token.
    #[must_use]
    pub fn retire(&mut self, slot: T) -> RetiredToken {
        let held = Arc::new(());
        let token = RetiredToken(held.clone());
        self.0.push((slot, held));
        token
    }

    /// Those that have rested, each once.
    pub fn take_reusable(&mut self) -> Vec<T> {
        let mut out = Vec::new();
        let all = std::mem::take(&mut self.0);
        for (slot, mut held) in all {
            // ORDERING: `Arc::get_mut` acquires what the drops of the tokens released: what workers did before is done.
            match Arc::get_mut(&mut held).is_some() {
                true => out.push(slot),
                false => self.0.push((slot, held)),
            }
        }
        out
    }
}

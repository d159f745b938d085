//! Slots of queues that have gone, until every worker has heard of all that was told before they went.
//!
//! # Protocol
//! A worker takes over the newest structure before it hears a message, and that may be newer than the message. Were a
//! slot another queue's at once, an application that has left the queue before would be taken off the books of the one
//! that came. So the control *lays* the slot to rest, and tells each worker with a [`Token`]. A worker drops its token
//! when it hears of it, as it hears in order: after all that was told before. When all are dropped, the slot may be
//! taken again.
//!
//! # Invariants
//! I13 for queues: a slot means another queue only after every worker has heard what was said of the one before.
//! Checked by `loom-tests/tests/resting_vs_moves.rs`.

use crate::sync::Arc;

/// What a worker drops when it hears that a queue has gone. Whoever is told later holds another one.
#[derive(Clone, Debug)]
pub struct Token(#[expect(dead_code, reason = "held, not read")] Arc<()>);

/// Slots that rest, the first first; the control's own.
#[derive(Debug)]
pub struct Resting<T>(Vec<(T, Arc<()>)>);

impl<T> Default for Resting<T> {
    fn default() -> Resting<T> {
        Resting(Vec::new())
    }
}

impl<T> Resting<T> {
    /// A slot rests. Each worker is to be told with a clone of the token.
    #[must_use]
    pub fn lay(&mut self, slot: T) -> Token {
        let held = Arc::new(());
        let token = Token(held.clone());
        self.0.push((slot, held));
        token
    }

    /// Those that have rested, each once.
    pub fn rested(&mut self) -> Vec<T> {
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

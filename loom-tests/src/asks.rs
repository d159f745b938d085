//! A worker that takes from the asks of a key: the core's own pool, called as `KeyLocal` calls it.

use evenweave::engine::lease::{AskPool, NotTaken, Taken};
use evenweave::sync::Arc;

/// See the module's text.
#[derive(Debug)]
pub struct Taker {
    pool: Arc<AskPool>,
    worker: usize,
    epoch: u16,
    last: Taken,
}

impl Taker {
    /// A worker that knows this epoch. It has had a unit of what is there now: so it leases from its next one on.
    #[must_use]
    pub fn new(pool: &Arc<AskPool>, worker: usize, epoch: u16) -> Taker {
        Taker { pool: pool.clone(), worker, epoch, last: pool.latest() }
    }

    /// Takes a unit; says which replacement it is of.
    ///
    /// # Errors
    /// When none is to be had.
    pub fn take(&mut self) -> Result<Taken, NotTaken> {
        let took = self.pool.take_one(self.worker, self.epoch, self.last)?;
        self.last = took.taken;
        Ok(took.taken)
    }

    /// Takes so many units, or fewer where there are no more.
    pub fn take_up_to(&mut self, count: usize) -> Vec<Taken> {
        (0..count).map_while(|_| self.take().ok()).collect()
    }

    /// Takes all that is to be had.
    pub fn take_all(&mut self) -> Vec<Taken> {
        self.take_up_to(usize::MAX)
    }

    /// A grant that takes a unit and is refused.
    pub fn take_and_undo(&mut self) {
        if let Ok(taken) = self.take() {
            self.pool.undo_take(taken);
        }
    }

    /// As before the worker blocks.
    pub fn hand_back(&self) {
        self.pool.hand_back(self.worker);
    }
}

//! Room under one limit of one queue, for one resource type. The module's text of [`lease`](crate::engine::lease) has
//! the protocol.

use crate::sync::CachePadded;
use crate::sync::atomic::{AtomicI64, Ordering};

/// A piece is what is left, divided by this number.
#[cfg(not(loom))]
pub(super) const PIECES: u32 = 8;
/// In models there is little room to share.
#[cfg(loom)]
pub(super) const PIECES: u32 = 2;
/// The largest piece. It keeps sums of pieces of unlimited rooms far from overflow.
const LARGEST_PIECE: i64 = 1 << 40;

/// Room under one limit, shared by all workers.
#[derive(Debug)]
pub struct Room {
    taken: CachePadded<AtomicI64>,
    pieces: Box<[CachePadded<AtomicI64>]>,
}

impl Room {
    /// Returns a room of which nothing is taken, shared by `workers` workers.
    #[must_use]
    pub fn new(workers: usize) -> Room {
        Room {
            taken: CachePadded::new(AtomicI64::new(0)),
            pieces: (0..workers).map(|_| CachePadded::new(AtomicI64::new(0))).collect(),
        }
    }

    /// The amount that is spent or leased.
    pub fn taken(&self) -> i64 {
        // ORDERING: Relaxed. One word, and no other is inferred from it.
        self.taken.load(Ordering::Relaxed)
    }

    /// Spends `amount` for `worker` under `limit`. Returns false, and spends nothing, if there is no room.
    pub fn try_spend(&self, worker: usize, amount: i64, limit: i64) -> bool {
        if amount <= 0 {
            // A request for nothing needs no room; `give_back` mirrors this.
            return true;
        }
        let own = &self.pieces[worker];
        // ORDERING: Relaxed here and below. Amounts move between words by read-modify-writes that each conserve the
        // sum; no other memory is published through them (containers travel through the mailbox's Release).
        let mut have = own.load(Ordering::Relaxed);
        while have >= amount {
            match own.compare_exchange_weak(have, have - amount, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return true,
                Err(now) => have = now,
            }
        }
        self.hand_back(worker);
        if self.take(worker, amount, limit) {
            return true;
        }
        let mut recalled = false;
        for other in (0..self.pieces.len()).filter(|other| *other != worker) {
            recalled |= self.hand_back(other);
        }
        recalled && self.take(worker, amount, limit)
    }

    /// Spends exactly `amount` of the shared word, and leases nothing. Returns false, and spends nothing, if there is
    /// no room. The caller uses it only for the room of a lent label, where workers lease nothing, so no piece is
    /// recalled.
    pub fn try_spend_exactly(&self, amount: i64, limit: i64) -> bool {
        let more = |taken: i64| (limit.saturating_sub(taken) >= amount).then_some(taken + amount);
        // ORDERING: Relaxed, as in `try_spend`.
        amount <= 0 || self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
    }

    /// Takes `amount` and a piece from the shared word; the rest of the piece becomes `worker`'s.
    fn take(&self, worker: usize, amount: i64, limit: i64) -> bool {
        let mut taken = self.taken.load(Ordering::Relaxed);
        loop {
            let left = limit.saturating_sub(taken);
            if left < amount {
                return false;
            }
            let piece = amount + ((left - amount) / i64::from(PIECES)).min(LARGEST_PIECE);
            match self.taken.compare_exchange_weak(taken, taken + piece, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => {
                    if piece > amount {
                        self.pieces[worker].fetch_add(piece - amount, Ordering::Relaxed);
                    }
                    return true;
                }
                Err(now) => taken = now,
            }
        }
    }

    /// Gives spent room back to the worker's piece. If more is taken than the limit, because the limit was lowered, the
    /// room leaves `taken` instead, so that the worker cannot spend it again.
    pub fn give_back(&self, worker: usize, amount: i64, limit: i64) {
        if amount <= 0 {
            return;
        }
        if self.taken() <= limit {
            self.pieces[worker].fetch_add(amount, Ordering::Relaxed);
        } else {
            self.taken.fetch_sub(amount, Ordering::Relaxed);
        }
    }

    /// Hands a worker's unspent piece back to all: by itself before it blocks and when its snapshot lowers the limit,
    /// by others as a recall. Says whether there was anything.
    pub fn hand_back(&self, worker: usize) -> bool {
        if self.pieces[worker].load(Ordering::Relaxed) == 0 {
            return false;
        }
        let piece = self.pieces[worker].swap(0, Ordering::Relaxed);
        self.taken.fetch_sub(piece, Ordering::Relaxed);
        piece != 0
    }

    /// Adds `amount`, which may be negative, to what is taken without a check of the limit. Used where usage changes by
    /// another way than a grant: a worker joins, an application moves here or away, a spend is undone, a worker has
    /// lost its nodes.
    pub fn force(&self, amount: i64) {
        self.taken.fetch_add(amount, Ordering::Relaxed);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::Room;

    #[test]
    fn a_piece_can_be_recalled_to_the_last_unit() {
        let room = Room::new(2);
        assert!(room.try_spend(0, 10, 100));
        assert!(room.taken() > 10, "worker 0 holds a piece");
        assert!(room.try_spend(1, 90, 100));
        assert_eq!(room.taken(), 100);
        assert!(!room.try_spend(0, 1, 100));
        room.give_back(1, 90, 100);
        assert!(room.try_spend(0, 90, 100));
    }

    #[test]
    fn above_a_lowered_limit_what_comes_back_is_nobodys() {
        let room = Room::new(1);
        assert!(room.try_spend(0, 100, 100));
        room.hand_back(0);
        room.give_back(0, 10, 50);
        assert_eq!(room.taken(), 90);
        assert!(!room.try_spend(0, 1, 50));
    }
}

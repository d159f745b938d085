//! Leases: room under a limit, and outstanding asks, handed to workers in pieces.
//!
//! # Where it stands
//! `grant` spends from here; `control` and an application's home worker set what there is. Shared by all workers.
//!
//! # Protocol of [`Room`] (room under one limit of one queue, one resource type)
//! One shared word holds what is *taken*: spent plus leased. A worker spends from its own padded piece; when that does
//! not suffice it hands the piece back and takes a new one, one eighth of what is left and at least what it needs, but
//! only while `taken` stays within the limit that its own snapshot shows. When the shared word is dry it recalls the
//! others' unspent pieces into it and tries once more. The limit itself is not stored: a lower one needs no writing.
//!
//! # Protocol of [`AskPool`] (the outstanding `*` count of one request key)
//! Words of (epoch, count). A replacement by the AM closes the shared word under a new epoch, voids every piece by swapping it, and
//! only then writes the new count: what was granted before is linearised before the replacement. With one worker, which is then its
//! application's home too, nobody shares: it keeps the count with what else it knows of the key, and publishes it here.
//!
//! # Invariants
//! I2: `taken` = spent + leased, and no refill takes it above the refiller's limit. I3: after a replacement by k at most
//! k are taken before the next one. I7: a refusal leaves the words as they were, except that unspent pieces move.
//!
//! # What races, and why it is safe
//! Last room: `loom-tests/tests/lease_vs_lease.rs`; recall: `recall_vs_spend.rs`; a worker that blocks:
//! `refill_vs_block.rs`; a lowered limit: `grant_vs_lower_limit.rs`; a replacement: `replace_vs_take.rs`.
//!
//! # Trade-offs
//! Room in the piece of a worker whose nodes are full is idle until handed back (end of its batch) or recalled. With one
//! worker there is nobody to share with: it counts asks itself, and rooms are not consulted at all.

use crate::sync::CachePadded;
use crate::sync::atomic::{AtomicI64, AtomicU64, Ordering};

/// A piece is one part in this many of what is left.
#[cfg(not(loom))]
const PIECES: u32 = 8;
/// Models have little to share out.
#[cfg(loom)]
const PIECES: u32 = 2;
/// No piece is larger: keeps sums of pieces of unlimited rooms far from overflow.
const LARGEST_PIECE: i64 = 1 << 40;

/// Room under one limit; see the module's text.
#[derive(Debug)]
pub struct Room {
    taken: CachePadded<AtomicI64>,
    pieces: Box<[CachePadded<AtomicI64>]>,
}

impl Room {
    /// A room of which nothing is taken, shared by `workers`.
    #[must_use]
    pub fn new(workers: usize) -> Room {
        Room {
            taken: CachePadded::new(AtomicI64::new(0)),
            pieces: (0..workers).map(|_| CachePadded::new(AtomicI64::new(0))).collect(),
        }
    }

    /// What is spent or leased.
    pub fn taken(&self) -> i64 {
        // ORDERING: Relaxed. One word, and no other is inferred from it.
        self.taken.load(Ordering::Relaxed)
    }

    /// Spends `amount` for `worker` under `limit`; false, and nothing spent, when there is no room.
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

    /// What was spent comes back: to the worker's piece, or, above the limit, to nobody.
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

    /// Hands a worker's unspent piece back to all: by itself before it blocks and when its snapshot lowers the limit, by
    /// others as a recall. Says whether there was anything.
    pub fn hand_back(&self, worker: usize) -> bool {
        if self.pieces[worker].load(Ordering::Relaxed) == 0 {
            return false;
        }
        let piece = self.pieces[worker].swap(0, Ordering::Relaxed);
        self.taken.fetch_sub(piece, Ordering::Relaxed);
        piece != 0
    }

    /// Counts usage from before the room was watched, or moved here with an application: no limit is checked.
    pub fn force(&self, amount: i64) {
        self.taken.fetch_add(amount, Ordering::Relaxed);
    }
}

/// (epoch, count) in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Word {
    epoch: u32,
    count: u32,
}

impl Word {
    fn pack(self) -> u64 {
        u64::from(self.epoch) << 32 | u64::from(self.count)
    }

    #[expect(clippy::cast_possible_truncation, reason = "the halves of a word")]
    fn unpack(word: u64) -> Word {
        Word { epoch: (word >> 32) as u32, count: word as u32 }
    }
}

/// Why a unit could not be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotTaken {
    /// None is left, or others hold what is left.
    Dry,
    /// The AM has replaced the ask; the news is on its way.
    Stale,
}

/// The outstanding count of one location of one request key that no worker holds pieces of: taken one by one.
///
/// For racks and nodes: the nodes of a rack belong to one worker where that can be had, so nobody contends. A grant takes
/// units of several words; the epochs make all of them old or all of them new.
#[derive(Debug)]
pub struct AskCount(AtomicU64);

impl AskCount {
    /// `count` units of epoch 0.
    #[must_use]
    pub fn new(count: u32) -> AskCount {
        AskCount(AtomicU64::new(Word { epoch: 0, count }.pack()))
    }

    /// Units left.
    pub fn left(&self) -> u32 {
        // ORDERING: Relaxed throughout: a count is taken by compare-exchange on this one word; nothing is published by it.
        Word::unpack(self.0.load(Ordering::Relaxed)).count
    }

    /// Takes one unit of `epoch`; false when none is left or the AM has replaced the ask.
    pub fn take_one(&self, epoch: u32) -> bool {
        let mut word = self.0.load(Ordering::Relaxed);
        loop {
            let left = Word::unpack(word);
            if left.epoch != epoch || left.count == 0 {
                return false;
            }
            let less = Word { epoch, count: left.count - 1 }.pack();
            match self.0.compare_exchange_weak(word, less, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return true,
                Err(now) => word = now,
            }
        }
    }

    /// Puts one unit back, whatever the epoch: the container that took it ended before the AM saw it.
    pub fn put_one(&self) {
        self.put(None);
    }

    /// Undoes a take of `epoch`: the grant was refused. A count that has replaced the one it was taken from is no longer
    /// concerned.
    pub fn untake_one(&self, epoch: u32) {
        self.put(Some(epoch));
    }

    fn put(&self, only: Option<u32>) {
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |word| {
            let Word { epoch, count } = Word::unpack(word);
            (only.is_none() || only == Some(epoch)).then(|| Word { epoch, count: count.saturating_add(1) }.pack())
        });
    }

    /// The AM's replacement; returns the new epoch. Called by the application's home worker only.
    pub fn replace(&self, count: u32) -> u32 {
        let epoch = Word::unpack(self.0.load(Ordering::Relaxed)).epoch.wrapping_add(1);
        self.0.swap(Word { epoch, count }.pack(), Ordering::Relaxed);
        epoch
    }
}

/// The outstanding `*` count of one request key, leased to workers in pieces; see the module's text. Its owner gives it lines of its
/// own.
#[derive(Debug)]
pub struct AskPool {
    word: AtomicU64,
    /// Of each worker that shares. In the line of the word: who looks at one looks at the other.
    pieces: Box<[CachePadded<AtomicU64>]>,
}

impl AskPool {
    /// An empty pool of epoch 0 that so many workers share; none where somebody keeps the count and [publishes](Self::publish) it.
    #[must_use]
    pub fn new(workers: usize) -> AskPool {
        AskPool { word: AtomicU64::new(0), pieces: (0..workers).map(|_| CachePadded::new(AtomicU64::new(0))).collect() }
    }

    /// Shows the count of who keeps it, of a pool that nobody shares. By that one alone.
    #[inline]
    pub fn publish(&self, count: u32) {
        debug_assert!(self.pieces.is_empty(), "who shares replaces");
        // ORDERING: Relaxed. One writer, and nothing is inferred from the word.
        self.word.store(Word { epoch: 0, count }.pack(), Ordering::Relaxed);
    }

    /// The AM's replacement of the count by `count`; returns the new epoch. Called by the application's home worker only.
    pub fn replace(&self, count: u32) -> u32 {
        // ORDERING: Relaxed loads and swaps: all words of a pool are changed by read-modify-writes or by this one
        // writer; an epoch in every word makes a late taker's compare-exchange fail. Who learns of the epoch learns of it
        // through a channel (Release/Acquire) after the last store below.
        let epoch = Word::unpack(self.word.load(Ordering::Relaxed)).epoch.wrapping_add(1);
        let closed = Word { epoch, count: 0 }.pack();
        self.word.swap(closed, Ordering::Relaxed);
        for piece in &self.pieces {
            piece.swap(closed, Ordering::Relaxed);
        }
        // ORDERING: Release. Pairs with the Acquire in `take_one`'s refill: a worker that takes from the new count finds
        // every piece already voided, its own included. A belt: a worker learns of an epoch through a channel, which says
        // the same, so no model fails without it.
        self.word.store(Word { epoch, count }.pack(), Ordering::Release);
        epoch
    }

    /// Takes one unit of `epoch` for `worker`.
    ///
    /// # Errors
    /// When none is to be had.
    pub fn take_one(&self, worker: usize, epoch: u32) -> Result<(), NotTaken> {
        let own = &self.pieces[worker];
        loop {
            // ORDERING: Relaxed; the compare-exchange below decides.
            let word = own.load(Ordering::Relaxed);
            let piece = Word::unpack(word);
            if piece.epoch != epoch {
                return Err(NotTaken::Stale);
            }
            if piece.count == 0 {
                break;
            }
            let less = Word { epoch, count: piece.count - 1 }.pack();
            if own.compare_exchange_weak(word, less, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
                return Ok(());
            }
        }
        match self.refill(worker, epoch) {
            Err(NotTaken::Dry) if self.recall(worker, epoch) => self.refill(worker, epoch),
            outcome => outcome,
        }
    }

    /// Leases a piece and takes one unit of it.
    fn refill(&self, worker: usize, epoch: u32) -> Result<(), NotTaken> {
        // ORDERING: Acquire, with the Release in `replace`.
        let mut word = self.word.load(Ordering::Acquire);
        loop {
            let left = Word::unpack(word);
            if left.epoch != epoch {
                return Err(NotTaken::Stale);
            }
            if left.count == 0 {
                return Err(NotTaken::Dry);
            }
            let piece = (left.count / PIECES).max(1);
            let less = Word { epoch, count: left.count - piece }.pack();
            match self.word.compare_exchange_weak(word, less, Ordering::Acquire, Ordering::Acquire) {
                Ok(_) => {
                    let empty = Word { epoch, count: 0 }.pack();
                    let leased = Word { epoch, count: piece - 1 }.pack();
                    // Only this worker puts units into its piece, so it is empty still, or a replacement has voided it
                    // and with it what is in hand.
                    return self.pieces[worker]
                        .compare_exchange(empty, leased, Ordering::Relaxed, Ordering::Relaxed)
                        .map(|_| ())
                        .map_err(|_| NotTaken::Stale);
                }
                Err(now) => word = now,
            }
        }
    }

    /// Brings the other workers' unspent pieces back into the shared word.
    fn recall(&self, worker: usize, epoch: u32) -> bool {
        let mut any = false;
        for other in (0..self.pieces.len()).filter(|other| *other != worker) {
            any |= self.hand_back(other, epoch);
        }
        any
    }

    /// Hands a worker's unspent units of `epoch` back to all. Says whether there were any.
    pub fn hand_back(&self, worker: usize, epoch: u32) -> bool {
        let piece = &self.pieces[worker];
        let mut word = piece.load(Ordering::Relaxed);
        let units = loop {
            let held = Word::unpack(word);
            if held.epoch != epoch || held.count == 0 {
                return false;
            }
            let empty = Word { epoch, count: 0 }.pack();
            match piece.compare_exchange_weak(word, empty, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => break held.count,
                Err(now) => word = now,
            }
        };
        self.put(units, Some(epoch));
        true
    }

    /// Puts units back, of one epoch or of whichever is the present one.
    fn put(&self, units: u32, only: Option<u32>) {
        let more = |word| {
            let Word { epoch, count } = Word::unpack(word);
            (only.is_none() || only == Some(epoch)).then(|| Word { epoch, count: count.saturating_add(units) }.pack())
        };
        let _ = self.word.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
    }

    /// Puts one unit back, whatever the epoch: the container that took it ended before the AM saw it.
    pub fn put_one(&self) {
        self.put(1, None);
    }

    /// Undoes a take of `epoch`: the grant was refused. A count that has replaced the one it was taken from is no longer
    /// concerned.
    pub fn untake_one(&self, epoch: u32) {
        self.put(1, Some(epoch));
    }

    /// What `worker` can take without a recall.
    #[inline]
    pub fn visible(&self, worker: usize) -> u32 {
        // ORDERING: Relaxed. A hint: `take_one` decides.
        let word = Word::unpack(self.word.load(Ordering::Relaxed));
        let piece = Word::unpack(self.pieces[worker].load(Ordering::Relaxed));
        if piece.epoch == word.epoch { word.count.saturating_add(piece.count) } else { word.count }
    }

    /// What is outstanding in all.
    pub fn total(&self) -> u32 {
        // ORDERING: Relaxed. A sum over words that move; exact when nothing does.
        let word = Word::unpack(self.word.load(Ordering::Relaxed));
        self.pieces.iter().fold(word.count, |sum, piece| {
            let piece = Word::unpack(piece.load(Ordering::Relaxed));
            if piece.epoch == word.epoch { sum.saturating_add(piece.count) } else { sum }
        })
    }

    /// The same in a scheduler of so many workers: where it is one, that word alone is looked at.
    #[cfg(not(loom))]
    #[inline]
    pub(crate) fn total_among(&self, workers: usize) -> u32 {
        // ORDERING: Relaxed, as in `total`.
        if workers == 1 { Word::unpack(self.word.load(Ordering::Relaxed)).count } else { self.total() }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

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

    #[test]
    fn a_replacement_voids_pieces() {
        let pool = AskPool::new(2);
        let first = pool.replace(100);
        assert_eq!(pool.take_one(0, first), Ok(()));
        let second = pool.replace(1);
        assert_eq!(pool.take_one(0, first), Err(NotTaken::Stale));
        assert_eq!(pool.take_one(0, second), Ok(()));
        assert_eq!(pool.take_one(1, second), Err(NotTaken::Dry));
    }

    #[test]
    fn the_last_units_are_recalled() {
        let pool = AskPool::new(2);
        let epoch = pool.replace(16);
        let mut taken = 0;
        while pool.take_one(taken % 2, epoch).is_ok() {
            taken += 1;
        }
        assert_eq!((taken, pool.total()), (16, 0));
    }
}

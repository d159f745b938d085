//! The outstanding `*` count of one request key. Workers take units of it one by one or in pieces. The module's text of
//! [`lease`](crate::engine::lease) has the protocol.

use super::room::PIECES;
use super::word::{NotTaken, Recounted, Taken, TakenUnit, Word, next_stamp};
use crate::sync::CachePadded;
use crate::sync::atomic::{AtomicU64, Ordering};

/// The smallest piece of asks that a worker leases.
#[cfg(not(loom))]
const SMALLEST_PIECE: u32 = 4;
/// As above.
#[cfg(loom)]
const SMALLEST_PIECE: u32 = 2;

/// The outstanding `*` count of one request key, which all workers take from. Its owner gives it cache lines of
/// its own.
#[derive(Debug)]
pub struct AskPool {
    word: AtomicU64,
    /// By worker: the piece that it leases. The pointer is in the cache line of `word`, as both are read together.
    pieces: Box<[CachePadded<AtomicU64>]>,
}

impl AskPool {
    /// Returns an empty pool of epoch 0, shared by `workers` workers. With 0, one worker keeps the count elsewhere and
    /// [publishes](Self::publish) it here.
    #[must_use]
    pub fn new(workers: usize) -> AskPool {
        AskPool { word: AtomicU64::new(0), pieces: (0..workers).map(|_| CachePadded::new(AtomicU64::new(0))).collect() }
    }

    /// Publishes the count of a pool that is not shared. Called only by the worker that keeps the count.
    #[inline]
    pub fn publish(&self, count: u32) {
        debug_assert!(self.pieces.is_empty(), "a shared pool is replaced or recounted");
        // ORDERING: Relaxed. One writer, and nothing is inferred from the word.
        self.word.store(Word { count, ..Word::NONE }.pack(), Ordering::Relaxed);
    }

    fn word(&self) -> Word {
        // ORDERING: Relaxed. A hint: compare-exchanges decide.
        Word::unpack(self.word.load(Ordering::Relaxed))
    }

    /// Replaces the count when the AM asks for another size or relaxation. Returns the new epoch, which the caller
    /// sends to the workers. Called by the application's home worker only.
    pub fn replace(&self, count: u32) -> u16 {
        let epoch = next_stamp(self.word().epoch);
        let _ = self.void_and_open(Word { count, epoch, ..Word::NONE });
        epoch
    }

    /// Replaces the count when the AM asks for the size and relaxation that the workers know. Called by the
    /// application's home worker only.
    pub fn recount(&self, count: u32) -> Recounted {
        let mut word = self.word.load(Ordering::Relaxed);
        loop {
            let before = Word::unpack(word);
            let version = next_stamp(before.version);
            if before.leased {
                return self.void_and_open(Word { count, epoch: before.epoch, version, ..Word::NONE });
            }
            // A note that nothing is left stays as long as nothing is left.
            let new = Word { count, version, zero_seen: before.zero_seen && count == 0, ..before };
            // ORDERING: Relaxed. Nobody holds a piece, so this word is the whole count, and one exchange replaces it.
            match self.word.compare_exchange_weak(word, new.pack(), Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Recounted::of(before.zero_seen, count),
                Err(now) => word = now,
            }
        }
    }

    /// Closes the word, voids every piece, and only then opens the word with the new count.
    fn void_and_open(&self, new: Word) -> Recounted {
        // ORDERING: Relaxed loads and swaps: all words of a pool are changed by read-modify-writes or by this one
        // writer; epoch and version in every word make a late taker's compare-exchange fail. Who learns of an epoch
        // learns of it through a channel (Release/Acquire) after the last step below.
        let closed = Word { count: 0, ..new }.pack();
        let before = Word::unpack(self.word.swap(closed, Ordering::Relaxed));
        for piece in &self.pieces {
            piece.swap(closed, Ordering::Relaxed);
        }
        // An addition: a worker may have noted in between that nothing is left, and a store would lose the note. The
        // note then stays beside the new count, and the next recount is `Awaited` once more, to no effect.
        // ORDERING: Release. Pairs with the Acquire in `refill`: a worker that takes from the new count finds every
        // piece already voided, its own included. A belt: who leases changes its own piece by an exchange first, so no
        // model fails without it.
        let opened = Word::unpack(self.word.fetch_add(u64::from(new.count), Ordering::Release));
        let is_awaited = before.zero_seen || opened.zero_seen;
        if is_awaited && new.count == 0 {
            self.note_zero();
        }
        Recounted::of(is_awaited, new.count)
    }

    /// Takes one unit of `epoch` for `worker`. `last` says which replacement the worker took its previous unit of: from
    /// the second unit of one replacement on, it may lease a piece.
    ///
    /// # Errors
    /// [`NotTaken`], if no unit is left or the epoch is over.
    #[inline]
    pub fn take_one(&self, worker: usize, epoch: u16, last: Taken) -> Result<TakenUnit, NotTaken> {
        loop {
            if self.word().leased
                && let Some(taken) = self.take_own(worker, epoch)
            {
                return Ok(TakenUnit { taken, leased: false });
            }
            match self.refill(worker, epoch, last) {
                Ok(Some(took)) => return Ok(took),
                // A replacement or another change came in between.
                Ok(None) => {}
                Err(NotTaken::Dry) if self.recall(worker) => {}
                Err(why) => return Err(why),
            }
        }
    }

    /// Takes one unit off the worker's own piece.
    fn take_own(&self, worker: usize, epoch: u16) -> Option<Taken> {
        let own = &self.pieces[worker];
        // ORDERING: Relaxed; the compare-exchange decides.
        let mut word = own.load(Ordering::Relaxed);
        loop {
            let piece = Word::unpack(word);
            if piece.epoch != epoch || piece.count == 0 {
                return None;
            }
            let less = Word { count: piece.count - 1, ..piece }.pack();
            match own.compare_exchange_weak(word, less, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Some(Taken(piece.stamp())),
                Err(now) => word = now,
            }
        }
    }

    /// Takes one unit off the shared word, or leases a piece if many units are left. Returns `Ok(None)` if a
    /// replacement or another change came in between.
    #[inline]
    fn refill(&self, worker: usize, epoch: u16, last: Taken) -> Result<Option<TakenUnit>, NotTaken> {
        // ORDERING: Acquire, with the Release in `void_and_open`.
        let mut word = self.word.load(Ordering::Acquire);
        loop {
            let left = Word::unpack(word);
            if left.epoch != epoch {
                return Err(NotTaken::Stale);
            }
            if left.count == 0 {
                return Err(NotTaken::Dry);
            }
            // The first unit of a replacement is taken alone: if the AM asks anew for each container, every piece would
            // be voided before it is spent.
            let piece = if left.stamp() == last.0 { self.piece_of(left.count) } else { 1 };
            if piece > 1 {
                return Ok(self.lease(worker, word, piece));
            }
            let less = Word { count: left.count - 1, ..left }.pack();
            match self.word.compare_exchange_weak(word, less, Ordering::Acquire, Ordering::Acquire) {
                Ok(_) => return Ok(Some(TakenUnit { taken: Taken(left.stamp()), leased: false })),
                Err(now) => word = now,
            }
        }
    }

    /// Takes a piece off the shared word `word`, and spends one unit of it. Returns `None` if either word has changed.
    #[inline(never)]
    fn lease(&self, worker: usize, word: u64, piece: u32) -> Option<TakenUnit> {
        let (own, left) = (&self.pieces[worker], Word::unpack(word));
        let empty = Word { count: 0, leased: false, zero_seen: false, ..left }.pack();
        // ORDERING: Relaxed. If the piece has changed since, the exchange below fails and no unit is taken.
        let before = own.load(Ordering::Relaxed);
        if before != empty {
            // First give the piece the present stamp, and only then take units. So a replacement that comes in between
            // changes the piece, however long ago it was last used, and the last exchange below fails.
            own.compare_exchange(before, empty, Ordering::Relaxed, Ordering::Relaxed).ok()?;
        }
        let less = Word { count: left.count - piece, leased: true, ..left }.pack();
        // ORDERING: Acquire, as in `refill`.
        self.word.compare_exchange(word, less, Ordering::Acquire, Ordering::Relaxed).ok()?;
        let leased = Word { count: piece - 1, leased: false, zero_seen: false, ..left }.pack();
        // Only this worker puts units into its piece. So the piece is still empty, or a replacement has changed it:
        // then the units in hand are void, too.
        own.compare_exchange(empty, leased, Ordering::Relaxed, Ordering::Relaxed).ok()?;
        Some(TakenUnit { taken: Taken(left.stamp()), leased: true })
    }

    /// How many units a worker takes off the shared word at once, if `left` are left. Of few units it takes one: then
    /// all that is left is in the shared word, no worker has to recall a piece, and a replacement is one exchange.
    #[inline]
    fn piece_of(&self, left: u32) -> u32 {
        let piece = left / PIECES;
        if piece < SMALLEST_PIECE {
            return 1;
        }
        let others = u32::try_from(self.pieces.len() - 1).unwrap_or(u32::MAX).max(1);
        match piece / others {
            piece if piece < SMALLEST_PIECE => 1,
            piece => piece,
        }
    }

    /// Brings the other workers' unspent pieces back into the shared word. Returns whether there were any.
    fn recall(&self, worker: usize) -> bool {
        if !self.word().leased {
            return false;
        }
        let mut any = false;
        for other in (0..self.pieces.len()).filter(|other| *other != worker) {
            any |= self.hand_back(other);
        }
        any
    }

    /// Moves a worker's unspent units back into the shared word. Returns whether there were any.
    pub fn hand_back(&self, worker: usize) -> bool {
        let piece = &self.pieces[worker];
        let mut word = piece.load(Ordering::Relaxed);
        let held = loop {
            let held = Word::unpack(word);
            if held.count == 0 {
                return false;
            }
            let empty = Word { count: 0, ..held }.pack();
            match piece.compare_exchange_weak(word, empty, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => break held,
                Err(now) => word = now,
            }
        };
        self.put(held.count, Taken(held.stamp()));
        true
    }

    /// Puts back units that were `taken`. Does nothing if a replacement came in between: they are not part of its
    /// count.
    ///
    /// A note that nothing is left stays beside the count. Nobody tells the worker that noted it, so it still waits: it
    /// finds the units at its next fold, or when a recount finds the note and tells.
    fn put(&self, units: u32, taken: Taken) {
        let more = |word| {
            let word = Word::unpack(word);
            let more = Word { count: word.count.saturating_add(units), ..word };
            (taken.0 == word.stamp()).then(|| more.pack())
        };
        let _ = self.word.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
    }

    /// Puts one unit back, whatever the AM has asked for since: the container that took it ended before the AM saw it.
    /// Called by the application's home worker only, which tells the others if the answer is [`Recounted::Awaited`].
    pub fn put_one(&self) -> Recounted {
        let more = |word| {
            let word = Word::unpack(word);
            Some(Word { count: word.count.saturating_add(1), zero_seen: false, ..word }.pack())
        };
        // ORDERING: Relaxed, as in `recount`.
        let before = self.word.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        Recounted::of(before.is_ok_and(|word| Word::unpack(word).zero_seen), 1)
    }

    /// Puts a unit back after a refused grant. A count that has replaced the one that the unit was taken of does not
    /// change.
    pub fn undo_take(&self, taken: Taken) {
        self.put(1, taken);
    }

    /// How many units `worker` can take without a recall; if none, how many it can take with one.
    #[inline]
    pub fn visible(&self, worker: usize) -> u32 {
        let word = self.word();
        if word.leased { self.visible_to(worker, word) } else { word.count }
    }

    #[inline(never)]
    fn visible_to(&self, worker: usize, word: Word) -> u32 {
        // ORDERING: Relaxed, as in `word`.
        let piece = Word::unpack(self.pieces[worker].load(Ordering::Relaxed));
        match if piece.is_of(word) { word.count.saturating_add(piece.count) } else { word.count } {
            0 => self.total(),
            visible => visible,
        }
    }

    /// Whether any unit is left, in the word or in a piece. If not, the word notes it in the same step, and the next
    /// count that is more is [awaited](Recounted::Awaited). To look without a note use [`total`](Self::total).
    #[inline]
    pub fn is_open_or_note_zero(&self) -> bool {
        let word = self.word();
        word.count > 0 || !word.zero_seen && self.has_pieces_or_note_zero(word)
    }

    #[inline(never)]
    fn has_pieces_or_note_zero(&self, word: Word) -> bool {
        word.leased && self.total() > 0 || !self.note_zero()
    }

    /// Notes that no unit is left. Returns false, and notes nothing, if there is one by now.
    fn note_zero(&self) -> bool {
        // ORDERING: Relaxed. The note and the count are one word: the exchange fails if the count is not 0, and the
        // exchange that makes the count more finds the note.
        let noted = self.word.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |word| {
            let word = Word::unpack(word);
            (word.count == 0).then(|| Word { zero_seen: true, ..word }.pack())
        });
        noted.is_ok()
    }

    /// Which replacement a unit that is taken now is taken of.
    pub fn latest(&self) -> Taken {
        Taken(self.word().stamp())
    }

    /// How many units are outstanding in all, in the word and in pieces. Writes nothing.
    pub fn total(&self) -> u32 {
        // ORDERING: Relaxed. A sum over words that move; exact when nothing does.
        let word = self.word();
        if !word.leased {
            return word.count;
        }
        self.pieces.iter().fold(word.count, |sum, piece| {
            let piece = Word::unpack(piece.load(Ordering::Relaxed));
            if piece.is_of(word) { sum.saturating_add(piece.count) } else { sum }
        })
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_replacement_voids_pieces() {
        let pool = AskPool::new(2);
        let first = pool.replace(100);
        assert!(pool.take_one(0, first, pool.latest()).is_ok());
        let second = pool.replace(1);
        assert_eq!(pool.take_one(0, first, pool.latest()), Err(NotTaken::Stale));
        assert!(pool.take_one(0, second, pool.latest()).is_ok());
        assert_eq!(pool.take_one(1, second, pool.latest()), Err(NotTaken::Dry));
    }

    #[test]
    fn a_recount_voids_pieces_and_what_is_undone_of_before() {
        let pool = AskPool::new(2);
        let epoch = pool.replace(100);
        let Ok(TakenUnit { taken, leased }) = pool.take_one(0, epoch, pool.latest()) else {
            panic!("there are a hundred")
        };
        assert!(leased && pool.visible(1) < 99 && pool.total() == 99);
        assert_eq!(pool.recount(2), Recounted::Silent);
        pool.undo_take(taken);
        assert!(!pool.hand_back(0) && pool.total() == 2 && pool.visible(1) == 2);
        let Ok(TakenUnit { taken, leased }) = pool.take_one(1, epoch, pool.latest()) else {
            panic!("the epoch is the same")
        };
        assert!(!leased && pool.total() == 1);
        pool.undo_take(taken);
        assert_eq!(pool.total(), 2);
        let Ok(TakenUnit { taken, .. }) = pool.take_one(1, epoch, pool.latest()) else { panic!("two are left") };
        assert_eq!(pool.recount(2), Recounted::Silent);
        pool.undo_take(taken);
        assert_eq!(pool.total(), 2, "it was taken before");
    }

    #[test]
    fn a_piece_of_before_a_recount_is_void_when_others_lease_again() {
        let pool = AskPool::new(2);
        let epoch = pool.replace(100);
        let take = |worker| pool.take_one(worker, epoch, pool.latest());
        assert!([take(0), take(0)].iter().all(Result::is_ok), "the second leases a piece");
        assert_eq!(pool.recount(100), Recounted::Silent);
        assert!([take(1), take(1)].iter().all(Result::is_ok));
        let taken = 2 + std::iter::from_fn(|| take(0).ok()).count() + std::iter::from_fn(|| take(1).ok()).count();
        assert_eq!(taken, 100);
    }

    #[test]
    fn who_has_found_nothing_is_told_once() {
        for count in [1, 100] {
            let pool = AskPool::new(2);
            let epoch = pool.replace(count);
            assert!(pool.is_open_or_note_zero());
            while pool.take_one(1, epoch, pool.latest()).is_ok() {}
            assert_eq!(pool.recount(0), Recounted::Silent);
            assert!(!pool.is_open_or_note_zero());
            assert_eq!((pool.recount(0), pool.recount(3), pool.recount(4)), {
                use Recounted::{Awaited, Silent};
                (Silent, Awaited, Silent)
            });
            while pool.take_one(0, epoch, pool.latest()).is_ok() {}
            assert!(!pool.is_open_or_note_zero());
            assert_eq!((pool.put_one(), pool.put_one()), (Recounted::Awaited, Recounted::Silent));
        }
    }

    #[test]
    fn the_last_units_are_recalled() {
        let pool = AskPool::new(2);
        let epoch = pool.replace(16);
        let mut taken = 0;
        while pool.take_one(taken % 2, epoch, pool.latest()).is_ok() {
            taken += 1;
        }
        assert_eq!((taken, pool.total()), (16, 0));
    }
}

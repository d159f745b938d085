//! The outstanding `*` count of one request key, taken from in pieces. The protocol is in the text of the
//! [folder](crate::engine::lease).

use super::room::PIECES;
use super::word::{NotTaken, Recounted, Taken, TakenUnit, Word, next_stamp};
use crate::sync::CachePadded;
use crate::sync::atomic::{AtomicU64, Ordering};

/// A smaller piece of asks is not leased.
#[cfg(not(loom))]
const SMALLEST_PIECE: u32 = 4;
/// As above.
#[cfg(loom)]
const SMALLEST_PIECE: u32 = 2;
/// The outstanding `*` count of one request key, taken from by all workers; see the module's text. Its owner gives it
/// lines of its own.
#[derive(Debug)]
pub struct AskPool {
    word: AtomicU64,
    /// Of each worker that shares. In the line of the word: who looks at one looks at the other.
    pieces: Box<[CachePadded<AtomicU64>]>,
}

impl AskPool {
    /// An empty pool of epoch 0 that so many workers share; none where somebody keeps the count and
    /// [publishes](Self::publish) it.
    #[must_use]
    pub fn new(workers: usize) -> AskPool {
        AskPool { word: AtomicU64::new(0), pieces: (0..workers).map(|_| CachePadded::new(AtomicU64::new(0))).collect() }
    }

    /// Shows the count of who keeps it, of a pool that nobody shares. By that one alone.
    #[inline]
    pub fn publish(&self, count: u32) {
        debug_assert!(self.pieces.is_empty(), "who shares replaces");
        // ORDERING: Relaxed. One writer, and nothing is inferred from the word.
        self.word.store(Word { count, ..Word::NONE }.pack(), Ordering::Relaxed);
    }

    fn word(&self) -> Word {
        // ORDERING: Relaxed. A hint: compare-exchanges decide.
        Word::unpack(self.word.load(Ordering::Relaxed))
    }

    /// The AM asks for `count` units of another size or relaxation; returns the new epoch, which workers are told of.
    /// Called by the application's home worker only.
    pub fn replace(&self, count: u32) -> u16 {
        let epoch = next_stamp(self.word().epoch);
        let _ = self.void_and_open(Word { count, epoch, ..Word::NONE });
        epoch
    }

    /// The AM asks for `count` units of the size and relaxation that the workers know. Called by the application's home
    /// worker only.
    pub fn recount(&self, count: u32) -> Recounted {
        let mut word = self.word.load(Ordering::Relaxed);
        loop {
            let before = Word::unpack(word);
            let version = next_stamp(before.version);
            if before.leased {
                return self.void_and_open(Word { count, epoch: before.epoch, version, ..Word::NONE });
            }
            // Who waits goes on waiting while there is nothing.
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
        // An addition, since a worker may have noted meanwhile that nothing is left.
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

    /// Takes one unit of `epoch` for `worker`, which took its last one of `last`: from the second of one replacement on
    /// it may lease a piece.
    ///
    /// # Errors
    /// When none is to be had.
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
                // A replacement has come in between.
                Ok(None) => {}
                Err(NotTaken::Dry) if self.recall(worker) => {}
                Err(why) => return Err(why),
            }
        }
    }

    /// Takes one of the worker's piece.
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

    /// Takes one unit off the shared word, and leases a piece where there are many; nothing where a replacement has
    /// come in between.
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
            // An AM that asks anew for each container would have a piece voided before it is spent.
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

    /// Takes a piece and spends one unit of it; nothing where a word is another by now.
    #[inline(never)]
    fn lease(&self, worker: usize, word: u64, piece: u32) -> Option<TakenUnit> {
        let (own, left) = (&self.pieces[worker], Word::unpack(word));
        let empty = Word { count: 0, leased: false, zero_seen: false, ..left }.pack();
        // ORDERING: Relaxed. Nothing is taken off the word where the piece is not as it was looked at.
        let before = own.load(Ordering::Relaxed);
        if before != empty {
            // Of this replacement before the units are taken: then a replacement after that voids them by changing it,
            // however long ago the piece was last used.
            own.compare_exchange(before, empty, Ordering::Relaxed, Ordering::Relaxed).ok()?;
        }
        let less = Word { count: left.count - piece, leased: true, ..left }.pack();
        // ORDERING: Acquire, as in `refill`.
        self.word.compare_exchange(word, less, Ordering::Acquire, Ordering::Relaxed).ok()?;
        let leased = Word { count: piece - 1, leased: false, zero_seen: false, ..left }.pack();
        // Only this worker puts units into its piece, so it is empty as it was, or a replacement has voided it and with
        // it what is in hand.
        own.compare_exchange(empty, leased, Ordering::Relaxed, Ordering::Relaxed).ok()?;
        Some(TakenUnit { taken: Taken(left.stamp()), leased: true })
    }

    /// How many are taken off the shared word at once. Of few only one: then all that is left lies where everybody sees
    /// it, nobody has to be asked for it, and a replacement is one exchange.
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

    /// Brings the other workers' unspent pieces back into the shared word.
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

    /// Hands a worker's unspent units back to all. Says whether there were any.
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
        self.put(held.count, Some(Taken(held.stamp())));
        true
    }

    /// Puts units back, of one replacement or of whichever is the present one.
    fn put(&self, units: u32, only: Option<Taken>) {
        let more = |word| {
            let word = Word::unpack(word);
            let more = Word { count: word.count.saturating_add(units), ..word };
            only.is_none_or(|only| only.0 == word.stamp()).then(|| more.pack())
        };
        let _ = self.word.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
    }

    /// Puts one unit back, whatever the AM has asked for since: the container that took it ended before the AM saw it.
    /// By the home worker.
    pub fn put_one(&self) -> Recounted {
        let more = |word| {
            let word = Word::unpack(word);
            Some(Word { count: word.count.saturating_add(1), zero_seen: false, ..word }.pack())
        };
        // ORDERING: Relaxed, as in `recount`.
        let before = self.word.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        Recounted::of(before.is_ok_and(|word| Word::unpack(word).zero_seen), 1)
    }

    /// Undoes a take: the grant was refused. A count that has replaced the one it was taken from is no longer
    /// concerned.
    pub fn undo_take(&self, taken: Taken) {
        self.put(1, Some(taken));
    }

    /// What `worker` can take without a recall; where that is nothing, what it can with one.
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

    /// Whether anything is left, whoever has it. Where not, that is noted in the same step: the next count that is more
    /// is [awaited](Recounted::Awaited).
    #[inline]
    pub fn is_open(&self) -> bool {
        let word = self.word();
        word.count > 0 || !word.zero_seen && self.is_open_or_note(word)
    }

    #[inline(never)]
    fn is_open_or_note(&self, word: Word) -> bool {
        word.leased && self.total() > 0 || !self.note_zero()
    }

    /// Notes that nothing is left; false where there is something.
    fn note_zero(&self) -> bool {
        // ORDERING: Relaxed. One word: the note is in it only if the count is 0, and a count that is more finds it.
        let noted = self.word.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |word| {
            let word = Word::unpack(word);
            (word.count == 0).then(|| Word { zero_seen: true, ..word }.pack())
        });
        noted.is_ok()
    }

    /// What a unit that is taken now is taken of.
    pub fn latest(&self) -> Taken {
        Taken(self.word().stamp())
    }

    /// What is outstanding in all.
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
            assert!(pool.is_open());
            while pool.take_one(1, epoch, pool.latest()).is_ok() {}
            assert_eq!(pool.recount(0), Recounted::Silent);
            assert!(!pool.is_open());
            assert_eq!((pool.recount(0), pool.recount(3), pool.recount(4)), {
                use Recounted::{Awaited, Silent};
                (Silent, Awaited, Silent)
            });
            while pool.take_one(0, epoch, pool.latest()).is_ok() {}
            assert!(!pool.is_open());
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

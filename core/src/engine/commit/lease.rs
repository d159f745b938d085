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
//! One shared word says what is left, of which asks that is (epoch), and of which of the AM's replacements (version). A worker takes one
//! unit off the word; of many units, and from its second of one replacement on, it leases a piece, which the word then says. The AM's replacement changes the epoch where
//! the size or the relaxation is another: workers are told of it. Else it is a *recount*: one exchange of the word, which every worker
//! sees where it lies. Where a piece is leased either one closes the word under the new stamp, voids every piece by swapping it, and
//! only then opens the word with the new count. What was granted before is linearised before the replacement. A worker that finds
//! nothing left says so in the word by the exchange that finds it; so the recount that brings more finds the note, and tells.
//! With one worker, which is then its application's home too, nobody shares: it keeps the count with what else it knows of the key, and
//! publishes it here.
//!
//! # Invariants
//! I2: `taken` = spent + leased, and no refill takes it above the refiller's limit. I3: after a replacement by k at most
//! k are taken before the next one. I7: a refusal leaves the words as they were, except that unspent pieces move.
//!
//! # What races, and why it is safe
//! Last room: `loom-tests/tests/lease_vs_lease.rs`; recall: `recall_vs_spend.rs`; a worker that blocks:
//! `refill_vs_block.rs`; a lowered limit: `grant_vs_lower_limit.rs`; a replacement: `replace_vs_take.rs`; a recount:
//! `recount_vs_take.rs`; a worker that finds nothing left: `recount_vs_dry.rs`.
//!
//! # Trade-offs
//! Room in the piece of a worker whose nodes are full is idle until handed back (before it blocks) or recalled. With one
//! worker there is nobody to share with: it counts asks itself, and rooms are not consulted at all. A version comes again after 32,768
//! recounts: only what is in hand for so long, between two steps of one call, would be taken for newer.

use crate::sync::CachePadded;
use crate::sync::atomic::{AtomicI64, AtomicU64, Ordering};

/// A piece is one part in this many of what is left.
#[cfg(not(loom))]
const PIECES: u32 = 8;
/// Models have little to share out.
#[cfg(loom)]
const PIECES: u32 = 2;
/// A smaller piece of asks is not leased.
#[cfg(not(loom))]
const SMALLEST_PIECE: u32 = 4;
/// As above.
#[cfg(loom)]
const SMALLEST_PIECE: u32 = 2;
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

/// The word of a count: what it counts, and which asks that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Word {
    count: u32,
    /// Of a pool: the size and relaxation that the units are asked for with. Workers are told of it.
    epoch: u16,
    /// Which of the AM's replacements this is, among those of one epoch; begins anew after 32,768.
    version: u16,
    /// Of a pool: a worker may hold a piece.
    leased: bool,
    /// Of a pool: some worker has found nothing left, and has to be told when there is something. Of a count: the AM itself said 0.
    zero_seen: bool,
}

/// Epochs and versions have so many bits.
#[cfg(not(loom))]
const STAMP_BITS: u32 = 15;
/// In models they come again soon.
#[cfg(loom)]
const STAMP_BITS: u32 = 2;

/// The one after a stamp.
fn next_stamp(stamp: u16) -> u16 {
    (stamp + 1) % (1 << STAMP_BITS)
}

impl Word {
    const NONE: Word = Word { count: 0, epoch: 0, version: 0, leased: false, zero_seen: false };

    fn pack(self) -> u64 {
        let Word { count, epoch, version, leased, zero_seen } = self;
        let stamp = u64::from(epoch) << STAMP_BITS | u64::from(version);
        stamp << 34 | u64::from(leased) << 33 | u64::from(zero_seen) << 32 | u64::from(count)
    }

    #[expect(clippy::cast_possible_truncation, reason = "parts of a word")]
    fn unpack(word: u64) -> Word {
        let stamp = (word >> 34) as u32;
        Word {
            count: word as u32,
            epoch: (stamp >> STAMP_BITS) as u16,
            version: (stamp % (1 << STAMP_BITS)) as u16,
            leased: word >> 33 & 1 != 0,
            zero_seen: word >> 32 & 1 != 0,
        }
    }

    /// Whether units of both are of the same replacement.
    fn is_of(self, other: Word) -> bool {
        self.stamp() == other.stamp()
    }

    /// Epoch and version.
    fn stamp(self) -> u32 {
        u32::from(self.epoch) << STAMP_BITS | u32::from(self.version)
    }
}

/// Why a unit could not be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotTaken {
    /// None is left, or others hold what is left.
    Dry,
    /// The AM asks for another size by now; the news is on its way.
    Stale,
}

/// Which replacement a unit was taken of: it goes back to that one or to none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taken(u32);

impl From<Taken> for u32 {
    fn from(Taken(stamp): Taken) -> u32 {
        stamp
    }
}

impl From<u32> for Taken {
    fn from(stamp: u32) -> Taken {
        Taken(stamp)
    }
}

/// The outstanding count of one location of one request key that no worker holds pieces of: taken one by one.
///
/// For racks and nodes: the nodes of a rack belong to one worker where that can be had, so nobody contends.
#[derive(Debug)]
pub struct AskCount(AtomicU64);

impl AskCount {
    /// `count` units.
    #[must_use]
    pub fn new(count: u32) -> AskCount {
        AskCount(AtomicU64::new(Word { count, zero_seen: count == 0, ..Word::NONE }.pack()))
    }

    fn word(&self) -> Word {
        // ORDERING: Relaxed throughout: a count is taken by compare-exchange on this one word; nothing is published by it.
        Word::unpack(self.0.load(Ordering::Relaxed))
    }

    /// Units left.
    #[inline]
    pub fn left(&self) -> u32 {
        self.word().count
    }

    /// Whether Hadoop would have a row of it: there is something left, or the AM itself said 0 and nobody has taken since.
    #[inline]
    pub fn is_present(&self) -> bool {
        let word = self.word();
        word.count > 0 || word.zero_seen
    }

    /// Takes one unit; none where none is left.
    pub fn take_one(&self) -> Option<Taken> {
        let less = |word| {
            let word = Word::unpack(word);
            Some(Word { count: word.count.checked_sub(1)?, zero_seen: false, ..word }.pack())
        };
        let word = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).ok()?;
        Some(Taken(Word::unpack(word).stamp()))
    }

    /// Puts one unit back, whatever the AM has asked for since: the container that took it ended before the AM saw it.
    pub fn put_one(&self) {
        self.put(None);
    }

    /// Undoes a take: the grant was refused. A count that has replaced the one it was taken from is no longer concerned.
    pub fn untake_one(&self, taken: Taken) {
        self.put(Some(taken));
    }

    fn put(&self, only: Option<Taken>) {
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |word| {
            let word = Word::unpack(word);
            let more = Word { count: word.count.saturating_add(1), ..word };
            only.is_none_or(|only| only.0 == word.stamp()).then(|| more.pack())
        });
    }

    /// The AM's replacement; gives what was left before. Called by the application's home worker only.
    pub fn replace(&self, count: u32) -> u32 {
        let before = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |word| {
            let version = next_stamp(Word::unpack(word).version);
            Some(Word { count, version, zero_seen: count == 0, ..Word::NONE }.pack())
        });
        before.map_or(0, |word| Word::unpack(word).count)
    }
}

/// Whom the AM's replacement of a count concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "who has found nothing left waits to be told"]
pub enum Recounted {
    /// Nobody: the others see the count where it lies.
    Silent,
    /// Some worker has found nothing left, and does not look again before it is told.
    Awaited,
}

impl Recounted {
    fn of(is_awaited: bool, count: u32) -> Recounted {
        if is_awaited && count > 0 { Recounted::Awaited } else { Recounted::Silent }
    }
}

/// A unit that was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Took {
    /// Where it goes back to if the grant is refused.
    pub taken: Taken,
    /// A piece was leased with it.
    pub leased: bool,
}

/// The outstanding `*` count of one request key, taken from by all workers; see the module's text. Its owner gives it lines of its
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
        self.word.store(Word { count, ..Word::NONE }.pack(), Ordering::Relaxed);
    }

    fn word(&self) -> Word {
        // ORDERING: Relaxed. A hint: compare-exchanges decide.
        Word::unpack(self.word.load(Ordering::Relaxed))
    }

    /// The AM asks for `count` units of another size or relaxation; returns the new epoch, which workers are told of. Called by the
    /// application's home worker only.
    pub fn replace(&self, count: u32) -> u16 {
        let epoch = next_stamp(self.word().epoch);
        let _ = self.void_and_open(Word { count, epoch, ..Word::NONE });
        epoch
    }

    /// The AM asks for `count` units of the size and relaxation that the workers know. Called by the application's home worker only.
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
        // ORDERING: Relaxed loads and swaps: all words of a pool are changed by read-modify-writes or by this one writer; epoch and
        // version in every word make a late taker's compare-exchange fail. Who learns of an epoch learns of it through a channel
        // (Release/Acquire) after the last step below.
        let closed = Word { count: 0, ..new }.pack();
        let before = Word::unpack(self.word.swap(closed, Ordering::Relaxed));
        for piece in &self.pieces {
            piece.swap(closed, Ordering::Relaxed);
        }
        // An addition, since a worker may have noted meanwhile that nothing is left.
        // ORDERING: Release. Pairs with the Acquire in `refill`: a worker that takes from the new count finds every piece already
        // voided, its own included. A belt: who leases changes its own piece by an exchange first, so no model fails without it.
        let opened = Word::unpack(self.word.fetch_add(u64::from(new.count), Ordering::Release));
        let is_awaited = before.zero_seen || opened.zero_seen;
        if is_awaited && new.count == 0 {
            self.note_zero();
        }
        Recounted::of(is_awaited, new.count)
    }

    /// Takes one unit of `epoch` for `worker`, which took its last one of `last`: from the second of one replacement on it may lease a
    /// piece.
    ///
    /// # Errors
    /// When none is to be had.
    #[inline]
    pub fn take_one(&self, worker: usize, epoch: u16, last: Taken) -> Result<Took, NotTaken> {
        loop {
            if self.word().leased
                && let Some(taken) = self.take_own(worker, epoch)
            {
                return Ok(Took { taken, leased: false });
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

    /// Takes one unit off the shared word, and leases a piece where there are many; nothing where a replacement has come in between.
    #[inline]
    fn refill(&self, worker: usize, epoch: u16, last: Taken) -> Result<Option<Took>, NotTaken> {
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
                Ok(_) => return Ok(Some(Took { taken: Taken(left.stamp()), leased: false })),
                Err(now) => word = now,
            }
        }
    }

    /// Takes a piece and spends one unit of it; nothing where a word is another by now.
    #[inline(never)]
    fn lease(&self, worker: usize, word: u64, piece: u32) -> Option<Took> {
        let (own, left) = (&self.pieces[worker], Word::unpack(word));
        let empty = Word { count: 0, leased: false, zero_seen: false, ..left }.pack();
        // ORDERING: Relaxed. Nothing is taken off the word where the piece is not as it was looked at.
        let before = own.load(Ordering::Relaxed);
        if before != empty {
            // Of this replacement before the units are taken: then a replacement after that voids them by changing it, however long
            // ago the piece was last used.
            own.compare_exchange(before, empty, Ordering::Relaxed, Ordering::Relaxed).ok()?;
        }
        let less = Word { count: left.count - piece, leased: true, ..left }.pack();
        // ORDERING: Acquire, as in `refill`.
        self.word.compare_exchange(word, less, Ordering::Acquire, Ordering::Relaxed).ok()?;
        let leased = Word { count: piece - 1, leased: false, zero_seen: false, ..left }.pack();
        // Only this worker puts units into its piece, so it is empty as it was, or a replacement has voided it and with it what is
        // in hand.
        own.compare_exchange(empty, leased, Ordering::Relaxed, Ordering::Relaxed).ok()?;
        Some(Took { taken: Taken(left.stamp()), leased: true })
    }

    /// How many are taken off the shared word at once. Of few only one: then all that is left lies where everybody sees it, nobody
    /// has to be asked for it, and a replacement is one exchange.
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

    /// Puts one unit back, whatever the AM has asked for since: the container that took it ended before the AM saw it. By the home
    /// worker.
    pub fn put_one(&self) -> Recounted {
        let more = |word| {
            let word = Word::unpack(word);
            Some(Word { count: word.count.saturating_add(1), zero_seen: false, ..word }.pack())
        };
        // ORDERING: Relaxed, as in `recount`.
        let before = self.word.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        Recounted::of(before.is_ok_and(|word| Word::unpack(word).zero_seen), 1)
    }

    /// Undoes a take: the grant was refused. A count that has replaced the one it was taken from is no longer concerned.
    pub fn untake_one(&self, taken: Taken) {
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

    /// Whether anything is left, whoever has it. Where not, that is noted in the same step: the next count that is more is
    /// [awaited](Recounted::Awaited).
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
        let Ok(Took { taken, leased }) = pool.take_one(0, epoch, pool.latest()) else { panic!("there are a hundred") };
        assert!(leased && pool.visible(1) < 99 && pool.total() == 99);
        assert_eq!(pool.recount(2), Recounted::Silent);
        pool.untake_one(taken);
        assert!(!pool.hand_back(0) && pool.total() == 2 && pool.visible(1) == 2);
        let Ok(Took { taken, leased }) = pool.take_one(1, epoch, pool.latest()) else {
            panic!("the epoch is the same")
        };
        assert!(!leased && pool.total() == 1);
        pool.untake_one(taken);
        assert_eq!(pool.total(), 2);
        let Ok(Took { taken, .. }) = pool.take_one(1, epoch, pool.latest()) else { panic!("two are left") };
        assert_eq!(pool.recount(2), Recounted::Silent);
        pool.untake_one(taken);
        assert_eq!(pool.total(), 2, "it was taken before");
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
    fn the_parts_of_a_word_do_not_touch() {
        for word in [
            Word { count: u32::MAX, epoch: 0, version: 0, leased: false, zero_seen: false },
            Word { count: 0, epoch: (1 << STAMP_BITS) - 1, version: 0, leased: false, zero_seen: true },
            Word { count: 1, epoch: 0, version: (1 << STAMP_BITS) - 1, leased: true, zero_seen: false },
        ] {
            assert_eq!(Word::unpack(word.pack()), word);
            assert_eq!(next_stamp((1 << STAMP_BITS) - 1), 0);
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

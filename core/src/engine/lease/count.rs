//! The outstanding count of a rack or node under one request key: one word, from which units are taken one by one.

use super::word::{Taken, Word, next_stamp};
use crate::sync::atomic::{AtomicU64, Ordering};

/// The outstanding count of one location under one request key. Workers take single units, and no pieces.
///
/// For racks and nodes: where possible one worker has all nodes of a rack, so there is no contention.
#[derive(Debug)]
pub struct AskCount(AtomicU64);

impl AskCount {
    /// Returns a count of `count` units.
    #[must_use]
    pub fn new(count: u32) -> AskCount {
        AskCount(AtomicU64::new(Word { count, zero_seen: count == 0, ..Word::NONE }.pack()))
    }

    fn word(&self) -> Word {
        // ORDERING: Relaxed throughout: units are taken by compare-exchange on this one word, and it publishes nothing.
        Word::unpack(self.0.load(Ordering::Relaxed))
    }

    /// How many units are left.
    #[inline]
    pub fn left(&self) -> u32 {
        self.word().count
    }

    /// Whether Hadoop would have a row for the location: something is left, or the AM itself asked for 0 and nothing
    /// was taken since.
    #[inline]
    pub fn is_present(&self) -> bool {
        let word = self.word();
        word.count > 0 || word.zero_seen
    }

    /// Takes one unit. `None` if none is left.
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

    /// Puts a unit back after a refused grant. A count that has replaced the one that the unit was taken of does not
    /// change.
    pub fn undo_take(&self, taken: Taken) {
        self.put(Some(taken));
    }

    fn put(&self, only: Option<Taken>) {
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |word| {
            let word = Word::unpack(word);
            let more = Word { count: word.count.saturating_add(1), ..word };
            only.is_none_or(|only| only.0 == word.stamp()).then(|| more.pack())
        });
    }

    /// Replaces the count, as the AM asks. Returns what was left before. Called by the application's home worker only.
    pub fn replace(&self, count: u32) -> u32 {
        let before = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |word| {
            let version = next_stamp(Word::unpack(word).version);
            Some(Word { count, version, zero_seen: count == 0, ..Word::NONE }.pack())
        });
        before.map_or(0, |word| Word::unpack(word).count)
    }
}

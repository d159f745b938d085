//! The word of a count of asks: plain values, packed into one atomic of 64 bits.

/// The word of a count of asks: the count, and which asks it counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) count: u32,
    /// In a pool: stands for the size and relaxation of the units. Workers are told of each new epoch.
    pub(super) epoch: u16,
    /// The number of the AM's replacement within the epoch. Wraps after 32,768.
    pub(super) version: u16,
    /// In a pool: a worker may hold a piece.
    pub(super) leased: bool,
    /// In a pool: some worker has found nothing left, and has to be told when there is something again. In a count: the
    /// AM itself asked for 0.
    pub(super) zero_seen: bool,
}

/// How many bits an epoch or a version has.
#[cfg(not(loom))]
pub(super) const STAMP_BITS: u32 = 15;
/// In models they wrap soon.
#[cfg(loom)]
pub(super) const STAMP_BITS: u32 = 2;

/// The epoch or version after `stamp`.
pub(super) fn next_stamp(stamp: u16) -> u16 {
    (stamp + 1) % (1 << STAMP_BITS)
}

impl Word {
    pub(super) const NONE: Word = Word { count: 0, epoch: 0, version: 0, leased: false, zero_seen: false };

    pub(super) fn pack(self) -> u64 {
        let Word { count, epoch, version, leased, zero_seen } = self;
        let stamp = u64::from(epoch) << STAMP_BITS | u64::from(version);
        stamp << 34 | u64::from(leased) << 33 | u64::from(zero_seen) << 32 | u64::from(count)
    }

    #[expect(clippy::cast_possible_truncation, reason = "parts of a word")]
    pub(super) fn unpack(word: u64) -> Word {
        let stamp = (word >> 34) as u32;
        Word {
            count: word as u32,
            epoch: (stamp >> STAMP_BITS) as u16,
            version: (stamp % (1 << STAMP_BITS)) as u16,
            leased: word >> 33 & 1 != 0,
            zero_seen: word >> 32 & 1 != 0,
        }
    }

    /// Whether the units of both words are of the same replacement.
    pub(super) fn is_of(self, other: Word) -> bool {
        self.stamp() == other.stamp()
    }

    /// Epoch and version.
    pub(super) fn stamp(self) -> u32 {
        u32::from(self.epoch) << STAMP_BITS | u32::from(self.version)
    }
}

/// Why no unit could be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotTaken {
    /// No unit is left, or other workers hold all that is left.
    Dry,
    /// The AM has asked for another size; the message with it is on its way.
    Stale,
}

/// The replacement that a unit was taken of. The unit can go back only to this replacement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taken(pub(super) u32);

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

/// Whether workers have to be told of a changed count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a worker that has found nothing left waits to be told"]
pub enum Recounted {
    /// No: the workers read the count from the pool.
    Silent,
    /// Yes: some worker has found nothing left, and does not look again before it is told.
    Awaited,
}

impl Recounted {
    pub(super) fn of(is_awaited: bool, count: u32) -> Recounted {
        if is_awaited && count > 0 { Recounted::Awaited } else { Recounted::Silent }
    }
}

/// A taken unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TakenUnit {
    /// The replacement that it goes back to if the grant is refused.
    pub taken: Taken,
    /// Whether the worker has leased a piece with it.
    pub leased: bool,
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

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
}

//! The word of a count of asks: plain values, packed into what one atomic holds.

/// The word of a count: what it counts, and which asks that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) count: u32,
    /// Of a pool: the size and relaxation that the units are asked for with. Workers are told of it.
    pub(super) epoch: u16,
    /// Which of the AM's replacements this is, among those of one epoch; begins anew after 32,768.
    pub(super) version: u16,
    /// Of a pool: a worker may hold a piece.
    pub(super) leased: bool,
    /// Of a pool: some worker has found nothing left, and has to be told when there is something. Of a count: the AM
    /// itself said 0.
    pub(super) zero_seen: bool,
}

/// How many bits an epoch or a version has.
#[cfg(not(loom))]
pub(super) const STAMP_BITS: u32 = 15;
/// In models they come again soon.
#[cfg(loom)]
pub(super) const STAMP_BITS: u32 = 2;

/// The one after a stamp.
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

    /// Whether units of both are of the same replacement.
    pub(super) fn is_of(self, other: Word) -> bool {
        self.stamp() == other.stamp()
    }

    /// Epoch and version.
    pub(super) fn stamp(self) -> u32 {
        u32::from(self.epoch) << STAMP_BITS | u32::from(self.version)
    }
}

/// Why a unit could not be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotTaken {
    /// None is left, or others hold what is left.
    Dry,
    /// The AM has asked for another size; the message with it is on its way.
    Stale,
}

/// Which replacement a unit was taken of: it goes back to that one or to none.
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
    pub(super) fn of(is_awaited: bool, count: u32) -> Recounted {
        if is_awaited && count > 0 { Recounted::Awaited } else { Recounted::Silent }
    }
}

/// A unit that was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TakenUnit {
    /// Where it goes back to if the grant is refused.
    pub taken: Taken,
    /// A piece was leased with it.
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

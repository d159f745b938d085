//! Keys that order the children of a queue: a comparator's order as plain integers, compared word by word.

/// Orders children that a policy compares as equal: by start time, then by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct Tie {
    /// The start time in ms; 0 for queues.
    pub start_ms: u64,
    /// A number that orders as the name does among siblings.
    pub name: u64,
}

impl Tie {
    /// Makes a tie from a start time in ms and a number that orders as the name does.
    #[must_use]
    pub fn new(start_ms: u64, name: u64) -> Tie {
        Tie { start_ms, name }
    }
}

/// The key of a child among its siblings. The child with the smallest key is offered a node first.
#[derive(Clone, Copy, Debug, Eq, PartialOrd, Ord)]
pub struct OrderKey {
    words: [u64; 5],
    tie: Tie,
}

// By hand: the derived comparison calls `memcmp`, and this one stays in registers.
impl PartialEq for OrderKey {
    #[inline]
    fn eq(&self, other: &OrderKey) -> bool {
        let words = self.words.iter().zip(&other.words).fold(0, |differ, (a, b)| differ | (a ^ b));
        let tie = (self.tie.start_ms ^ other.tie.start_ms) | (self.tie.name ^ other.tie.name);
        words | tie == 0
    }
}

impl OrderKey {
    /// The key that means "no key". It sorts after every key that a policy makes.
    #[cfg(not(loom))]
    pub(crate) const ABSENT: OrderKey =
        OrderKey { words: [u64::MAX; 5], tie: Tie { start_ms: u64::MAX, name: u64::MAX } };

    /// The key of a child. The class is compared first (for example: needy children before others), then the four
    /// numbers in turn (0 where unused), then the tie; the smaller value comes first. `None` if a number is NaN:
    /// then no key can express what Java's comparators do.
    #[must_use]
    #[inline]
    pub fn of(class: u32, numbers: [f64; 4], tie: Tie) -> Option<OrderKey> {
        if numbers.iter().any(|n| n.is_nan()) {
            return None;
        }
        let [a, b, c, d] = numbers.map(ordered);
        Some(OrderKey { words: [u64::from(class), a, b, c, d], tie })
    }

    /// The same as [`OrderKey::of`], with eight single-precision numbers.
    #[must_use]
    #[inline]
    pub fn of_singles(class: u32, numbers: [f32; 8], tie: Tie) -> Option<OrderKey> {
        if numbers.iter().any(|n| n.is_nan()) {
            return None;
        }
        let n = numbers.map(|n| u64::from(ordered_single(n)));
        let pair = |i: usize| n[i] << 32 | n[i + 1];
        Some(OrderKey { words: [u64::from(class), pair(0), pair(2), pair(4), pair(6)], tie })
    }

    /// A key without a tie: the class is compared first, then `bits` as one number. The smaller one comes first.
    #[cfg(not(loom))]
    #[inline]
    pub(crate) fn of_bits(class: u32, bits: u128) -> OrderKey {
        let half = |bits: u128| u64::try_from(bits).expect("half of the bits");
        let [high, low] = [half(bits >> 64), half(bits & u128::from(u64::MAX))];
        OrderKey { words: [u64::from(class), high, low, 0, 0], tie: Tie { start_ms: 0, name: 0 } }
    }

    /// The first part of the key in one word, for a fast comparison. If one lead is smaller than another, so is its
    /// key. If leads are equal, compare the keys. Always below `7 << 61`: the winner tree uses `u64::MAX` for no key.
    #[cfg(not(loom))]
    #[inline]
    pub(crate) fn lead(&self) -> u64 {
        // Three bits for the class. Classes from 6 on are rare: they all have the same lead.
        if self.words[0] < 6 { self.words[0] << 61 | self.words[1] >> 3 } else { 6 << 61 }
    }

    /// The same as `self < other`, but faster. Made for keys that mostly differ in nothing but the tie.
    #[cfg(not(loom))]
    #[inline]
    pub(crate) fn is_before(&self, other: &OrderKey) -> bool {
        // Word by word: the derived comparison builds three-way answers, at three times the cost.
        for (mine, others) in self.words.iter().zip(&other.words) {
            if mine != others {
                return mine < others;
            }
        }
        if self.tie.start_ms == other.tie.start_ms {
            self.tie.name < other.tie.name
        } else {
            self.tie.start_ms < other.tie.start_ms
        }
    }

    /// Whether this is [`OrderKey::ABSENT`]: a real key's first word is a class of 32 bits.
    #[cfg(not(loom))]
    #[inline]
    pub(crate) fn is_absent(&self) -> bool {
        self.words[0] == u64::MAX
    }
}

/// An integer that orders as the double does; the two zeros are one.
#[inline]
fn ordered(x: f64) -> u64 {
    let bits = (x + 0.0).to_bits();
    // Flip all bits of a negative number, and only the sign bit of any other number.
    bits ^ ((bits.cast_signed() >> 63).cast_unsigned() | 1 << 63)
}

/// The same for a single-precision number.
#[inline]
fn ordered_single(x: f32) -> u32 {
    let bits = (x + 0.0).to_bits();
    bits ^ ((bits.cast_signed() >> 31).cast_unsigned() | 1 << 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn integers_order_as_the_doubles(a in proptest::num::f64::ANY, b in proptest::num::f64::ANY) {
            let key = |x| OrderKey::of(0, [x, 0.0, 0.0, 0.0], Tie::default());
            match a.partial_cmp(&b) {
                Some(order) => prop_assert_eq!(key(a).unwrap().cmp(&key(b).unwrap()), order),
                None => prop_assert!(key(a).is_none() || key(b).is_none()),
            }
        }
    }

    proptest! {
        #[test]
        fn a_smaller_lead_is_a_smaller_key(
            (a, b) in (any::<u32>(), any::<[f64; 4]>(), any::<u32>(), any::<[f64; 4]>())
                .prop_map(|(c, x, d, y)| (OrderKey::of(c % 9, x, Tie::default()), OrderKey::of(d % 9, y, Tie::default()))),
        ) {
            if let (Some(a), Some(b)) = (a, b) {
                prop_assert!(a.lead() >= b.lead() || a < b);
                prop_assert!(a.lead() < 7 << 61);
            }
        }
    }

    #[test]
    fn the_two_zeros_are_equal_and_infinity_is_last() {
        let key = |x| OrderKey::of(0, [x, 0.0, 0.0, 0.0], Tie::default()).unwrap();
        assert_eq!(key(-0.0), key(0.0));
        assert!(key(f64::INFINITY) > key(f64::MAX));
        assert!(OrderKey::ABSENT > key(f64::INFINITY));
    }
}

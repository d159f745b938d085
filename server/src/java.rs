//! Where Java's `ConcurrentHashMap` has what is put in, and a `HashSet` what is copied into it: an answer shows, or
//! goes by, who comes first. What is put into a `HashMap` one after the other stands as
//! [`hash_order`](evenweave::parts::java::hash_order) says.

use evenweave::parts::java::{hash_of_text, spread};

/// The number of buckets for this many entries: twice as many where three quarters are taken.
fn buckets(count: usize) -> u32 {
    let mut buckets = 16_u32;
    while count >= usize::try_from(buckets / 4 * 3).unwrap_or(usize::MAX) && buckets < 1 << 30 {
        buckets *= 2;
    }
    buckets
}

/// The place of a hash in a map with this many buckets.
pub(crate) fn place(hash: u32, count: usize) -> u32 {
    spread(hash) & (buckets(count) - 1)
}

/// The place of a text in a map with this many buckets.
pub(crate) fn place_of_text(text: &str, count: usize) -> u32 {
    place(hash_of_text(text), count)
}

/// `ApplicationId.hashCode`
pub(crate) fn hash_of_app(timestamp: u64, number: u32) -> u32 {
    const PRIME: u32 = 371_237;
    let low = |of: u64| u32::try_from(of & u64::from(u32::MAX)).unwrap_or_default();
    let hash = PRIME.wrapping_mul(6521).wrapping_add(low(timestamp ^ (timestamp >> 32)));
    PRIME.wrapping_mul(hash).wrapping_add(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_lie_as_in_javas_maps() {
        let mut numbers: Vec<u32> = (1..=7).collect();
        numbers.sort_by_key(|number| place(hash_of_app(1_700_000_000_000, *number), 7));
        assert_eq!(numbers, [1, 3, 2, 5, 4, 7, 6]);
        assert_eq!(["bob", "alice"].map(|name| place_of_text(name, 2)), [4, 9]);
        assert_eq!((buckets(11), buckets(12), buckets(24)), (16, 32, 64));
    }
}

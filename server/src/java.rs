//! Where Java's hash maps have what is put in: an answer shows, or goes by, who comes first.

use evenweave::resource::ResourceTypes;

/// The number of buckets for so many: twice as many where three quarters are taken.
fn buckets(count: usize) -> u32 {
    let mut buckets = 16_u32;
    while count >= usize::try_from(buckets / 4 * 3).unwrap_or(usize::MAX) && buckets < 1 << 30 {
        buckets *= 2;
    }
    buckets
}

/// The place of a hash in a map of so many.
pub(crate) fn place(hash: u32, count: usize) -> u32 {
    (hash ^ (hash >> 16)) & (buckets(count) - 1)
}

/// `String.hashCode`
pub(crate) fn hash_of_text(text: &str) -> u32 {
    text.encode_utf16().fold(0, |hash: u32, unit| hash.wrapping_mul(31).wrapping_add(unit.into()))
}

/// The place of a text in a map of so many.
pub(crate) fn place_of_text(text: &str, count: usize) -> u32 {
    place(hash_of_text(text), count)
}

/// The types in the order in which Hadoop shows them: memory, cores, and the others as its hash map of their names has them.
pub(crate) fn types_in_order(types: &ResourceTypes) -> Vec<usize> {
    let mut order: Vec<usize> = (0..types.len()).collect();
    order[2..].sort_by_key(|index| place_of_text(types.name(*index), types.len()));
    order
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
        let types = ["gpu", "fpga", "yarn.io/gpu"].map(|name| (name, ""));
        let types = ResourceTypes::with_custom(types).expect("a few types");
        let shown: Vec<&str> = types_in_order(&types).into_iter().map(|index| types.name(index)).collect();
        assert_eq!(shown[..2], ["memory-mb", "vcores"]);
        let mut others = ["gpu", "fpga", "yarn.io/gpu"];
        others.sort_by_key(|name| place_of_text(name, 5));
        assert_eq!(shown[2..], others);
        assert_eq!(["bob", "alice"].map(|name| place_of_text(name, 2)), [4, 9]);
        assert_eq!((buckets(11), buckets(12), buckets(24)), (16, 32, 64));
    }
}

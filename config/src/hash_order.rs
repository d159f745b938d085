//! The order in which Java's `HashMap` and `HashSet` give texts, and with it the one in which Hadoop shows resource
//! types.

use evenweave_resource::ResourceTypes;

/// A table's size at first.
const SMALLEST: usize = 16;
/// A bucket that has so many when one more comes makes a table double ...
const CROWDED: usize = 8;
/// ... that is smaller than this.
const LARGE: usize = 64;

/// `String.hashCode`
#[must_use]
pub fn hash_of_text(text: &str) -> u32 {
    text.encode_utf16().fold(0, |hash: u32, unit| hash.wrapping_mul(31).wrapping_add(unit.into()))
}

/// A hash as all of Java's maps look at it.
#[must_use]
pub fn spread(hash: u32) -> u32 {
    hash ^ hash >> 16
}

/// Keys in the order of the table into which they are put one after the other. A key that comes again stays where it is.
///
/// Doubling keeps the order within a bucket, so the final size says all. Java makes a tree of a bucket of nine in a table of 64 and
/// more; that is not followed.
pub fn hash_order<'k>(keys: impl IntoIterator<Item = &'k str>) -> Vec<&'k str> {
    let mut size = SMALLEST;
    let mut put: Vec<(u32, &str)> = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    let mut in_bucket = vec![0_usize; size];
    let bucket = |hash: u32, size: usize| hash as usize & (size - 1);
    for key in keys {
        if !seen.insert(key) {
            continue;
        }
        let hash = spread(hash_of_text(key));
        let crowded = in_bucket[bucket(hash, size)] >= CROWDED && size < LARGE;
        put.push((hash, key));
        in_bucket[bucket(hash, size)] += 1;
        for _ in 0..usize::from(crowded) + usize::from(put.len() > (size << usize::from(crowded)) / 4 * 3) {
            size *= 2;
            in_bucket = vec![0; size];
            for (hash, _) in &put {
                in_bucket[bucket(*hash, size)] += 1;
            }
        }
    }
    put.sort_by_key(|(hash, _)| bucket(*hash, size));
    put.into_iter().map(|(_, key)| key).collect()
}

/// The names of all types in the order of Hadoop's map of them. Those of the configuration are put into it first.
pub(super) fn types_in_map(types: &ResourceTypes) -> Vec<&str> {
    hash_order(types.names().skip(2).chain(types.names().take(2)))
}

/// The types in the order of Hadoop's array of them, by which it shows and writes them: memory, cores, then the others
/// as its map has them (`ResourceUtils.updateKnownResources`).
#[must_use]
pub fn types_in_order(types: &ResourceTypes) -> Vec<usize> {
    let others = types_in_map(types).into_iter().filter_map(|name| types.index(name)).filter(|index| *index >= 2);
    [0, 1].into_iter().chain(others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_javas() {
        assert_eq!(hash_of_text("AaAa"), hash_of_text("BBBB"));
        assert_eq!(hash_of_text("hello"), 99_162_322);
        assert_eq!((hash_of_text(""), spread(0x0012_0003)), (0, 0x0012_0011));
    }

    #[test]
    fn types_stand_as_in_hadoops_array() {
        let shown = |names: &[&str]| {
            let types = ResourceTypes::with_custom(names.iter().map(|name| (*name, ""))).expect("a few types");
            types_in_order(&types).into_iter().map(|index| types.name(index).to_owned()).collect::<Vec<_>>().join(" ")
        };
        // As Java 17 has them: buckets 1, 3, 4, 8 and 13 of 16.
        let sorted = "memory-mb vcores license nvme fpga yarn.io/gpu gpu";
        assert_eq!(shown(&["gpu", "fpga", "license", "yarn.io/gpu", "nvme"]), sorted);
        assert_eq!(shown(&["nvme", "yarn.io/gpu", "license", "fpga", "gpu"]), sorted);
        // In one bucket whoever was configured first.
        assert_eq!(shown(&["AaAa", "BBBB", "AaBB"]), "memory-mb vcores AaAa BBBB AaBB");
        assert_eq!(shown(&["AaBB", "AaAa", "BBBB"]), "memory-mb vcores AaBB AaAa BBBB");
    }

    #[test]
    fn keys_stand_by_bucket_and_then_as_they_came() {
        // 'a' is 97, bucket 1 of 16; 'q' is 113, the same bucket; 'b' is the next.
        assert_eq!(hash_order(["q", "b", "a", "q"]), ["q", "a", "b"]);
        // Beyond twelve keys the table has 32 buckets: 'q' has one of its own, after 'a'.
        let letters: Vec<String> = ('a'..='q').rev().map(String::from).collect();
        let order = hash_order(letters.iter().map(String::as_str));
        assert_eq!(order.first(), Some(&"a"));
        assert_eq!(order.last(), Some(&"q"));
    }

    #[test]
    fn nine_in_a_bucket_double_a_small_table() {
        // All these have the same low four bits; with 32 buckets and more they part.
        let texts: Vec<String> = (0..9_u32).map(|i| char::from_u32(0x41 + 16 * i).unwrap().to_string()).collect();
        let order = hash_order(texts.iter().map(String::as_str));
        let expected: Vec<&str> = [0, 2, 4, 6, 8, 1, 3, 5, 7].map(|i| texts[i].as_str()).to_vec();
        assert_eq!(order, expected);
    }
}

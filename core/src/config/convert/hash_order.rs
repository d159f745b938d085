//! The order in which Java's `HashMap` and `HashSet` give texts.

/// A table's size at first.
const SMALLEST: usize = 16;
/// A bucket that has so many when one more comes makes a table double ...
const CROWDED: usize = 8;
/// ... that is smaller than this.
const LARGE: usize = 64;

/// `String.hashCode`, spread as `HashMap.hash` does.
fn spread(text: &str) -> u32 {
    let hash = text.encode_utf16().fold(0_u32, |hash, unit| hash.wrapping_mul(31).wrapping_add(u32::from(unit)));
    hash ^ hash >> 16
}

/// Keys in the order of the table into which they are put one after the other. A key that comes again stays where it is.
///
/// Doubling keeps the order within a bucket, so the final size says all. Java makes a tree of a bucket of nine in a table of 64 and
/// more; that is not followed.
pub(super) fn hash_order<'k>(keys: impl IntoIterator<Item = &'k str>) -> Vec<&'k str> {
    let mut size = SMALLEST;
    let mut put: Vec<(u32, &str)> = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    let mut in_bucket = vec![0_usize; size];
    let bucket = |hash: u32, size: usize| hash as usize & (size - 1);
    for key in keys {
        if !seen.insert(key) {
            continue;
        }
        let hash = spread(key);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_javas() {
        assert_eq!(spread("AaAa"), spread("BBBB"));
        // "root.default".hashCode() is -1434208421.
        let plain = |text: &str| text.encode_utf16().fold(0_i32, |h, u| h.wrapping_mul(31).wrapping_add(i32::from(u)));
        assert_eq!(plain("hello"), 99_162_322);
        assert_eq!(spread(""), 0);
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

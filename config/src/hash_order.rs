//! The order in which Java's `HashMap` and `HashSet` give their keys.

/// How many buckets a table has at first.
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

/// `NodeId.hashCode`
#[must_use]
pub fn hash_of_node(host: &str, port: u16) -> u32 {
    const PRIME: u32 = 493_217;
    let of_host = PRIME.wrapping_mul(8501).wrapping_add(hash_of_text(host));
    PRIME.wrapping_mul(of_host).wrapping_add(port.into())
}

/// The buckets of a table. Their number doubles as keys come, and never goes down.
///
/// The order of keys is that of their buckets, and within a bucket the order in which they came: doubling keeps that.
/// Java makes a tree of a bucket of nine in a table of 64 and more, and then has another order within it. That is not
/// followed: of ten million buckets of a full table one has so many.
#[derive(Clone, Copy, Debug)]
pub struct Buckets(usize);

impl Default for Buckets {
    fn default() -> Buckets {
        Buckets(SMALLEST)
    }
}

impl Buckets {
    /// Where a key of this [spread] hash is.
    pub fn place(self, hash: u32) -> usize {
        hash as usize & (self.0 - 1)
    }

    /// One more key comes. `others`: the spread hashes of those that are there.
    pub fn one_more(&mut self, hash: u32, others: impl ExactSizeIterator<Item = u32>) {
        let count = others.len() + 1;
        if self.0 < LARGE && others.filter(|other| self.place(*other) == self.place(hash)).count() >= CROWDED {
            self.0 *= 2;
        }
        if count > self.0 / 4 * 3 {
            self.0 *= 2;
        }
    }
}

/// Keys in the order of the table into which they are put one after the other. A key that comes again stays where it
/// is.
pub fn hash_order<'k>(keys: impl IntoIterator<Item = &'k str>) -> Vec<&'k str> {
    let mut buckets = Buckets::default();
    let mut put: Vec<(u32, &str)> = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    for key in keys {
        if seen.insert(key) {
            let hash = spread(hash_of_text(key));
            buckets.one_more(hash, put.iter().map(|(other, _)| *other));
            put.push((hash, key));
        }
    }
    put.sort_by_key(|(hash, _)| buckets.place(*hash));
    put.into_iter().map(|(_, key)| key).collect()
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

    /// Twenty nodes as a real ResourceManager goes through them.
    #[test]
    fn nodes_stand_as_in_hadoops_map() {
        let mut buckets = Buckets::default();
        let mut put: Vec<(u32, u32)> = Vec::new();
        for last in 1..=20 {
            let hash = spread(hash_of_node(&format!("127.0.0.{last}"), 123));
            buckets.one_more(hash, put.iter().map(|(other, _)| *other));
            put.push((hash, last));
        }
        put.sort_by_key(|(hash, _)| buckets.place(*hash));
        let order: Vec<u32> = put.into_iter().map(|(_, last)| last).collect();
        assert_eq!(order, [6, 14, 19, 1, 15, 7, 10, 18, 20, 4, 3, 11, 8, 17, 13, 2, 5, 9, 12, 16]);
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

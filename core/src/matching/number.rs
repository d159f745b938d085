//! How many containers a node may have, whatever room it claims: what bounds the memory that one node takes.

/// So many more may be granted on a node with so many, where it may have `most`: without a limit where that is 0 or
/// less.
pub(crate) fn containers_left(there: usize, most: i32) -> i32 {
    if most <= 0 { i32::MAX } else { i32::try_from(there).map_or(0, |there| most.saturating_sub(there).max(0)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_at_the_limit_and_beyond() {
        assert_eq!([0, 2, 3, 4, usize::MAX].map(|there| containers_left(there, 3)), [3, 1, 0, 0, 0]);
        assert_eq!([0, -1, i32::MIN].map(|most| containers_left(usize::MAX, most)), [i32::MAX; 3]);
    }
}

//! Sorting where it is not hot: one copy of the sort for all types.
//!
//! `slice::sort_by` is compiled anew for each closure, about 4,000 statements of it, and the library has dozens of
//! them. These sort the places of the items, all with the same code, and then move the items. Stable, as
//! `slice::sort_by` is.
//!
//! O(n log n) calls of the closure; 8 bytes an item meanwhile.

use std::cmp::Ordering;

/// As `slice::sort_by`.
pub fn by<T>(items: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    if items.len() < 2 {
        return;
    }
    let mut from = places(items.len(), &mut |a, b| compare(&items[a], &items[b]));
    // Along each circle of places: an item goes to where it belongs, and the one that was there goes on.
    for start in 0..from.len() {
        let mut at = start;
        loop {
            let next = std::mem::replace(&mut from[at], at);
            if next == start {
                break;
            }
            items.swap(at, next);
            at = next;
        }
    }
}

/// As `slice::sort_by_key`.
pub fn by_key<T, K: Ord>(items: &mut [T], mut key: impl FnMut(&T) -> K) {
    by(items, |a, b| key(a).cmp(&key(b)));
}

/// Which item comes first, which second, ….
fn places(count: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut from: Vec<usize> = (0..count).collect();
    from.sort_by(|a, b| compare(*a, *b));
    from
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_sorts_as_a_slice_does_and_keeps_equal_ones_in_order() {
        // A generator of Knuth's: enough lengths and keys for circles of all kinds.
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            state >> 40
        };
        for length in 0..200 {
            let items: Vec<(u64, usize)> = (0..length).map(|at| (next() % 17, at)).collect();
            let (mut ours, mut theirs) = (items.clone(), items);
            by_key(&mut ours, |item| item.0);
            theirs.sort_by_key(|item| item.0);
            assert_eq!(ours, theirs);
            by(&mut ours, |a, b| b.1.cmp(&a.1));
            theirs.sort_by_key(|item| std::cmp::Reverse(item.1));
            assert_eq!(ours, theirs);
        }
    }
}

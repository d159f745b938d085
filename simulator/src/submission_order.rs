//! In which order jobs of one moment are submitted.
//!
//! In SLS nodes and AMs are entries of one queue, a binary heap that says nothing of entries of one time, and ten
//! threads take from it: the first ten jobs come in any order, the others as the heap has them.

use evenweave_tools::random::mix;
use evenweave_tools::traces::Heap;

/// Threads of `yarn.sls.runner.pool.size`.
const THREADS: usize = 10;

/// The order of so many jobs, with nodes that report for the first time at these offsets.
pub(super) fn order(jobs: usize, offsets: &[u64], seed: u64) -> Vec<usize> {
    const NODE: usize = usize::MAX;
    let mut heap = Heap::new();
    for offset in offsets {
        heap.push(i64::try_from(*offset).unwrap_or(i64::MAX - 1) + 1, NODE);
    }
    (0..jobs).for_each(|job| heap.push(0, job));
    let mut order = Vec::with_capacity(jobs);
    let mut taken: std::collections::VecDeque<i64> = std::collections::VecDeque::new();
    while order.len() < jobs {
        if taken.len() == THREADS {
            // A thread puts back what it has done, for its next time, before it takes another.
            let key = taken.pop_front().unwrap_or(0);
            heap.push(key.saturating_add(1000), NODE);
        }
        let Some((key, entry)) = heap.pop() else { break };
        taken.push_back(key);
        if entry != NODE {
            order.push(entry);
        }
    }
    let first = order.len().min(THREADS);
    order[..first].sort_by_key(|job| mix(mix(seed).wrapping_add(*job as u64)));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_come_in_any_order_and_the_others_as_the_heap_has_them() {
        let offsets: Vec<u64> = (0..20).map(|node| (node * 397) % 1000).collect();
        let jobs = order(30, &offsets, 1);
        let mut first = jobs[..10].to_vec();
        first.sort_unstable();
        assert_eq!(first, [0, 1, 11, 12, 13, 14, 15, 16, 22, 26]);
        assert_eq!(jobs[10..], [17, 18, 2, 19, 20, 21, 23, 24, 25, 3, 4, 27, 28, 29, 5, 6, 7, 8, 9, 10]);
        assert_ne!(jobs, order(30, &offsets, 2));
        assert_eq!(order(0, &offsets, 1), [0_usize; 0]);
    }
}

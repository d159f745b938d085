//! Pace: when a worker folds in what the others have done.
//!
//! # Where it stands
//! `placing` notes every change of usage here, `assignment` and `worker` ask before they choose whether a fold is due,
//! `reconcile` folds. Not used by a single worker.
//!
//! # Protocol
//! A *change* is a grant or the end of a container. Each worker counts its own; whenever it has made a *piece* of them
//! that the others have not been told of, it adds that many to one word that all share. A worker is due when the word
//! has grown, by others, beyond what its last fold has seen by so much that it could miss more than the bound. So the
//! word is written once a piece, not once an allocation, and reading it costs a line that is mostly at hand.
//!
//! # Invariants
//! I8: a worker that is not due misses at most (W - 1) x (R - 1) changes of the others that were noted before it asked.
//! With P the piece: of each of the W - 1 others up to P - 1 changes are not announced; of those announced up to
//! (W - 1) x (R - P) do not make it due.
//!
//! # What races, and why it is safe
//! A fold against changes: `loom-tests/tests/fold_vs_change.rs`. Announced changes are in the usage cells already.
//!
//! # Trade-offs
//! Larger pieces leave the word alone for longer, smaller ones let the threshold be reached later.

use crate::sync::CachePadded;
use crate::sync::atomic::{AtomicU64, Ordering};

/// R, unless the applications are more than half as many: a fold takes longer then.
pub(super) const LEAST_R: u32 = 16_384;

/// What all workers share of it; see the module's text.
#[derive(Debug)]
pub struct Pace {
    /// Changes announced by all, ever.
    announced: CachePadded<AtomicU64>,
    workers: u64,
    /// R, where the embedder has set it.
    every: Option<u32>,
}

impl Pace {
    /// For so many workers; `every` is R, which otherwise follows the number of applications.
    #[must_use]
    pub fn new(workers: usize, every: Option<u32>) -> Pace {
        let every = every.map(|every| every.max(1));
        Pace { announced: CachePadded::new(AtomicU64::new(0)), workers: workers as u64, every }
    }

    /// R.
    #[inline]
    fn every(&self, applications: usize) -> u64 {
        self.every.map_or_else(|| (2 * applications as u64).max(u64::from(LEAST_R)), u64::from)
    }

    /// Changes that are announced together. With one other worker the first announcement makes it due.
    #[inline]
    fn piece(&self, every: u64) -> u64 {
        if self.workers == 2 { every } else { every.div_ceil(2) }
    }

    fn read(&self) -> u64 {
        // ORDERING: Acquire. Pairs with the Release in `Lag::note_change`: who sees an announcement sees the usage that
        // it announces, in the fold that follows. loom-tests/tests/fold_vs_change.rs.
        self.announced.load(Ordering::Acquire)
    }
}

/// What one worker knows of the others' changes, and they of its own. Its own; nobody else reads it.
#[derive(Debug, Default)]
pub struct Lag {
    /// Own changes that are not announced yet.
    unannounced: u64,
    /// Own changes that are.
    announced: u64,
    /// The others' announced changes that the last fold has seen.
    seen: u64,
    /// Own changes since the last fold.
    since_fold: u64,
}

impl Lag {
    /// Usage has changed: it stands in this worker's cells already.
    #[inline]
    pub fn note_change(&mut self, pace: &Pace, applications: usize) {
        self.unannounced += 1;
        self.since_fold += 1;
        if self.unannounced >= pace.piece(pace.every(applications)) {
            // ORDERING: Release. Pairs with the Acquire in `Pace::read`; additions of others in between keep it going.
            pace.announced.fetch_add(self.unannounced, Ordering::Release);
            self.announced += std::mem::take(&mut self.unannounced);
        }
    }

    /// Whether this worker might miss more than I8 allows. Also after many changes of its own: others hand back asks,
    /// and an application that found none left may find some again.
    #[inline]
    #[must_use]
    pub fn is_due(&self, pace: &Pace, applications: usize) -> bool {
        let every = pace.every(applications);
        let missed = pace.read() - self.announced - self.seen;
        missed > (pace.workers - 1) * (every - pace.piece(every)) || self.since_fold >= pace.workers * every
    }

    /// A fold begins; the cells are read after this.
    pub fn begin_fold(&mut self, pace: &Pace) {
        self.seen = pace.read() - self.announced;
        self.since_fold = 0;
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// The most that one of `workers` misses of the others' changes when it is not due, whoever makes them.
    fn most_missed(workers: usize, every: u32) -> u64 {
        let pace = Pace::new(workers, Some(every));
        let mut others: Vec<Lag> = (1..workers).map(|_| Lag::default()).collect();
        let (lag, mut most, count) = (Lag::default(), 0, others.len());
        // In turn, so that all hold back as much as they can.
        for (made, next) in (0..).zip((0..count).cycle()) {
            if lag.is_due(&pace, 0) {
                break;
            }
            most = made;
            others[next].note_change(&pace, 0);
        }
        most
    }

    #[test]
    fn who_is_not_due_misses_less_than_r_changes_of_each_other_worker() {
        for workers in [2, 3, 4, 7] {
            for every in [1, 2, 3, 4, 5, 100, 101] {
                let bound = (workers as u64 - 1) * (u64::from(every) - 1);
                let missed = most_missed(workers, every);
                assert!(missed <= bound, "{workers} workers, R = {every}: {missed} of {bound}");
                assert!(missed * 2 >= bound, "{workers} workers, R = {every}: {missed} of {bound}, folds too soon");
            }
        }
    }

    #[test]
    fn a_fold_makes_up_for_it() {
        let pace = Pace::new(2, Some(2));
        let (mut a, mut b) = (Lag::default(), Lag::default());
        a.note_change(&pace, 0);
        assert!(!b.is_due(&pace, 0));
        a.note_change(&pace, 0);
        assert!(b.is_due(&pace, 0) && !a.is_due(&pace, 0));
        b.begin_fold(&pace);
        assert!(!b.is_due(&pace, 0));
        for _ in 0..4 {
            a.note_change(&pace, 0);
        }
        assert!(a.is_due(&pace, 0), "asks may have come back");
    }

    #[test]
    fn the_default_follows_the_number_of_applications() {
        let pace = Pace::new(2, None);
        assert_eq!([pace.every(0), pace.every(8192), pace.every(10_000)], [16_384, 16_384, 20_000]);
        assert_eq!(Pace::new(2, Some(0)).every(10_000), 1);
    }
}

//! A worker folds while another changes usage: what it is told of it finds, and what it is not told of is less than R.
#![cfg(loom)]

use evenweave::engine::books::pace::{Lag, Pace};
use evenweave::sync::atomic::{AtomicU64, Ordering};
use evenweave::sync::thread::spawn;
use evenweave::sync::{Arc, Mutex};
use evenweave_loom_tests::check;

/// One word of usage a worker, of which its owner alone writes.
struct Usage(AtomicU64);

impl Usage {
    fn add_one(&self) {
        // ORDERING: Relaxed, as in `UsageCell::add`; the announcement publishes it.
        self.0.store(self.0.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    fn read(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Claim: I8: a fold finds what was announced; at quiet who is not due has seen all
/// Threads: 2
/// Break: Release to Relaxed in `Lag::note_change` -> *I8: a fold finds in the cells what was announced*
#[test]
fn what_is_announced_is_found() {
    check("fold_vs_change/what_is_announced_is_found", || {
        let shared = Arc::new((Pace::new(2, Some(1)), Usage(AtomicU64::new(0))));
        let other = shared.clone();
        let changes = spawn(move || {
            let mut lag = Lag::default();
            for _ in 0..2 {
                other.1.add_one();
                lag.note_change(&other.0, 0);
            }
        });
        let (pace, usage) = &*shared;
        let mut lag = Lag::default();
        let mut folds = 0;
        let mut fold_if_due = || {
            if lag.is_due(pace, 0) {
                lag.begin_fold(pace);
                folds += 1;
                assert!(usage.read() >= folds, "I8: a fold finds in the cells what was announced");
            }
        };
        fold_if_due();
        fold_if_due();
        changes.join().unwrap();
        fold_if_due();
        assert!(!lag.is_due(pace, 0), "I8: after a fold at quiet nothing is missed");
    });
}

/// Claim: I8: who is not due misses less than R changes made before it asked
/// Threads: 2
/// Break: a piece of R + 1; Release to Relaxed in `Lag::note_change` -> *I8: it misses less than R changes that were made
///   before it asked* (both)
#[test]
fn who_is_not_due_misses_less_than_r() {
    check("fold_vs_change/who_is_not_due_misses_less_than_r", || {
        const R: u32 = 2;
        let shared = Arc::new((Pace::new(2, Some(R)), Usage(AtomicU64::new(0)), Mutex::new(0_u64)));
        let other = shared.clone();
        let changes = spawn(move || {
            let mut lag = Lag::default();
            for _ in 0..3 {
                other.1.add_one();
                lag.note_change(&other.0, 0);
                *other.2.lock() += 1;
            }
        });
        let (pace, usage, made) = &*shared;
        let mut lag = Lag::default();
        let mut seen = 0;
        for _ in 0..2 {
            let before = *made.lock();
            if lag.is_due(pace, 0) {
                lag.begin_fold(pace);
                seen = usage.read();
            }
            assert!(before < seen + u64::from(R), "I8: it misses less than R changes that were made before it asked");
        }
        changes.join().unwrap();
    });
}

/// Claim: I8: two announce changes at once, and neither takes the other's away
/// Threads: 2
/// Break: announced by load and store -> *I8: with R of 1 each is due after a change of the other*
#[test]
fn two_announce_at_once() {
    check("fold_vs_change/two_announce_at_once", || {
        let pace = Arc::new(Pace::new(2, Some(1)));
        let other = pace.clone();
        let other = spawn(move || {
            let mut lag = Lag::default();
            lag.note_change(&other, 0);
            lag
        });
        let mut lag = Lag::default();
        lag.note_change(&pace, 0);
        let other = other.join().unwrap();
        for mut lag in [lag, other] {
            assert!(lag.is_due(&pace, 0), "I8: with R of 1 each is due after a change of the other");
            lag.begin_fold(&pace);
            assert!(!lag.is_due(&pace, 0), "I8: after a fold at quiet nothing is missed");
        }
    });
}

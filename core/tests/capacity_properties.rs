//! Random queues and operations on a CapacityScheduler without threads, panics of workers among them, all books counted
//! after every step.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

mod capacity_machine;

use capacity_machine::{Effects, Op, SHAPE, play, twins_agree};
use evenweave_testkit::number;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestError, TestRng, TestRunner};
use std::cell::{Cell, RefCell};
use std::ops::RangeInclusive;

/// Of all machines together, without the environment's word; a few seconds.
const OPERATIONS: usize = 120_000;
const SEED: u64 = 20_261_125;
const CASES: u32 = 64;

/// What must be reached so many times in 10,000 operations, on average: so that no operation is there for nothing.
const EFFECTS: [(&str, u64); 25] = [
    ("containers", 700),
    ("reservations", 10),
    ("granted", 250),
    ("submitted", 400),
    ("a submission refused", 150),
    ("a call refused", 500),
    ("an attempt refused", 80),
    ("next attempt", 200),
    ("finished", 100),
    ("one that waits ends after one that runs", 1),
    ("moved", 50),
    ("another priority", 80),
    ("a node gone", 120),
    ("a node refused", 4),
    ("another total", 120),
    ("decommissioned or back", 150),
    ("refreshed", 80),
    ("a refresh refused", 40),
    ("queues that made themselves", 35),
    ("marked for preemption", 1),
    ("cases that are odd", 80),
    ("another label", 150),
    ("another label with containers", 3),
    ("panicked", 60),
    ("nodes lost in a panic", 120),
];

/// What is done with a case.
type Play = fn(usize, &[u8], &[Op]) -> Result<Effects, String>;

fn run(name: &str, workers: RangeInclusive<usize>, play: Play) {
    let wanted = number("EVENWEAVE_OPERATIONS", OPERATIONS) / 3;
    let (mut seed, operations, effects) = (number("EVENWEAVE_SEED", SEED), Cell::new(0), RefCell::new(Effects::new()));
    while operations.get() < wanted {
        let config = ProptestConfig {
            cases: CASES,
            failure_persistence: None,
            max_shrink_iters: 3000,
            ..ProptestConfig::default()
        };
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
        let cases = (workers.clone(), vec(any::<u8>(), SHAPE), vec(any::<Op>(), 20..120));
        let outcome = runner.run(&cases, |(workers, shape, ops)| {
            let reached = play(workers, &shape, &ops).map_err(TestCaseError::fail)?;
            operations.set(operations.get() + ops.len());
            reached.into_iter().for_each(|(what, times)| *effects.borrow_mut().entry(what).or_default() += times);
            Ok(())
        });
        match outcome {
            Ok(()) => {}
            Err(TestError::Fail(why, case)) => panic!("{name}, EVENWEAVE_SEED={seed}: {why}\nshrunk to {case:?}"),
            Err(TestError::Abort(why)) => panic!("{name}, EVENWEAVE_SEED={seed}: {why}"),
        }
        seed = seed.wrapping_add(1);
    }
    let (operations, effects) = (operations.get(), effects.into_inner());
    println!("{name}: {operations} operations: 0 failures; {effects:?}");
    if operations < 10_000 {
        return;
    }
    for (effect, least) in EFFECTS {
        let reached = effects.get(effect).copied().unwrap_or_default();
        let least = operations as u64 * least / 10_000;
        assert!(reached >= least, "{name}: {effect:?} was reached {reached} times, less than {least}");
    }
}

#[test]
fn books_balance_with_one_worker() {
    run("one worker", 1..=1, play);
}

#[test]
fn books_balance_with_several_workers() {
    run("several workers", 2..=4, play);
}

/// What is kept in order decides as sorting anew and looking at all, for every container, does.
#[test]
fn kept_order_decides_as_sorting_anew() {
    run("one worker, against sorting anew", 1..=1, twins_agree);
}

/// All of a case, as a failure prints it.
fn played(workers: usize, shape: &[u8], ops: &[Op]) {
    play(workers, shape, ops).unwrap();
}

/// A call with a handle of an attempt before the last, when the application is over.
#[test]
fn an_attempt_before_the_last_has_no_headroom() {
    let ops = [[0, 0, 120, 16], [15, 0, 104, 31], [0, 0, 28, 0], [14, 0, 0, 0], [124, 252, 0, 0]];
    played(1, &[0; SHAPE], &ops);
}

/// Of two attempts that are in one list, the one that has ended is found first.
#[test]
fn an_attempt_that_has_ended_leaves_no_place_behind() {
    let mut shape = [0; SHAPE];
    (shape[2], shape[7], shape[10], shape[13]) = (1, 44, 234, 152);
    let ops = [
        [243, 134, 18, 0],
        [132, 35, 0, 0],
        [19, 28, 18, 0],
        [141, 44, 0, 0],
        [168, 0, 1, 81],
        [142, 40, 0, 0],
        [21, 33, 0, 0],
        [20, 216, 0, 0],
        [21, 146, 18, 0],
        [20, 21, 0, 0],
        [22, 0, 0, 0],
        [168, 0, 25, 13],
        [116, 43, 40, 0],
        [22, 189, 0, 0],
        [30, 128, 0, 0],
        [133, 56, 6, 0],
        [21, 8, 6, 0],
        [4, 0, 0, 16],
        [116, 161, 40, 0],
        [30, 146, 0, 58],
        [4, 0, 0, 0],
        [30, 39, 0, 0],
        [183, 73, 44, 28],
        [142, 53, 0, 143],
        [0, 0, 44, 0],
        [127, 89, 0, 0],
    ];
    played(3, &shape, &ops);
}

/// A fair leaf has put one that waits into its active list; when it starts, one entry goes.
#[test]
fn entries_are_shown_when_one_that_is_active_starts() {
    let mut shape = [0; SHAPE];
    (shape[3], shape[5], shape[7], shape[8], shape[9], shape[10], shape[13]) = (30, 105, 66, 19, 215, 79, 7);
    let ops = [
        [56, 0, 8, 37],
        [188, 0, 0, 0],
        [56, 0, 81, 0],
        [56, 0, 62, 81],
        [168, 0, 96, 40],
        [244, 0, 0, 0],
        [4, 0, 0, 0],
        [56, 0, 24, 0],
        [247, 0, 69, 0],
        [224, 0, 84, 0],
        [56, 0, 94, 7],
        [56, 0, 0, 31],
        [228, 134, 40, 0],
        [197, 0, 56, 0],
        [131, 0, 18, 0],
    ];
    played(1, &shape, &ops);
}

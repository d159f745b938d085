//! State machines: random cases, so many operations in all, each failing one shrunk and printed.
//!
//! `EVENWEAVE_OPERATIONS` is how many operations all machines together do, `EVENWEAVE_SEED` where their random numbers
//! begin; without them both are fixed. A failure names the seed that shows it at once.

#![allow(missing_docs, reason = "a test's helpers")]

mod scripts;

use crate::harness::{Case, Counts, SHAPE, World};
use evenweave_testkit::number;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestError, TestRng, TestRunner};
use std::cell::{Cell, RefCell};
use std::ops::RangeInclusive;

/// Without the environment's word; some ten seconds.
const OPERATIONS: usize = 120_000;
const SEED: u64 = 20_261_122;
/// Cases from one seed.
const CASES: u32 = 64;

/// What must be reached so many times in 10,000 operations, on average: so that no operation is there for nothing.
pub(crate) const EFFECTS: [(&str, u64); 22] = [
    ("granted", 800),
    ("refused", 200),
    ("reserved (steps × nodes)", 1000),
    ("room kept (steps × nodes)", 200),
    ("lost with a node", 15),
    ("release: done", 15),
    ("release: a stranger's", 8),
    ("complete: of what is over", 50),
    ("heartbeat: end after an end", 100),
    ("heartbeat: strange ends", 500),
    ("move: done", 15),
    ("add node: a name again", 4),
    ("next attempt: done", 70),
    ("next attempt: the AM failed", 3),
    ("next attempt: containers kept", 15),
    ("preempt: containers marked", 5),
    ("kill: containers ended", 4),
    ("decommission: a node drained", 30),
    ("recommission: done", 40),
    ("reload: of a bad file", 10),
    ("stale handle: refused", 10),
    ("finish: one that waits, after one that runs", 1),
];

/// One state machine.
#[derive(Debug)]
pub(crate) struct Machine {
    pub(crate) name: &'static str,
    /// Its part of all operations, in per cent.
    pub(crate) part: usize,
    pub(crate) workers: RangeInclusive<usize>,
    /// What must be reached how often; see [`EFFECTS`].
    pub(crate) least: &'static [(&'static str, u64)],
}

impl Machine {
    /// Does its part of the operations, case by case.
    pub(crate) fn run(self, check: impl Fn(&Case) -> Result<World, String>) {
        let wanted = number("EVENWEAVE_OPERATIONS", OPERATIONS) * self.part / 100;
        let first = number("EVENWEAVE_SEED", SEED);
        let (mut seed, mut cases, operations) = (first, 0, Cell::new(0));
        let counts = RefCell::new(Counts::default());
        let mut told = 0;
        while operations.get() < wanted {
            let outcome = self.runner(seed).run(&self.cases(), |case| {
                let world = check(&case).map_err(TestCaseError::fail)?;
                operations.set(operations.get() + case.len());
                counts.borrow_mut().take_in(&world.counts);
                Ok(())
            });
            match outcome {
                Ok(()) => {}
                Err(TestError::Fail(why, case)) => {
                    panic!("{}, EVENWEAVE_SEED={seed}: {why}\nshrunk to {case:?}", self.name)
                }
                Err(TestError::Abort(why)) => panic!("{}, EVENWEAVE_SEED={seed}: {why}", self.name),
            }
            (seed, cases) = (seed.wrapping_add(1), cases + CASES);
            if operations.get() / 1_000_000 > told {
                told = operations.get() / 1_000_000;
                eprintln!("{}: {} of {wanted} operations, up to seed {seed}, 0 failures", self.name, operations.get());
            }
        }
        let (operations, counts) = (operations.get(), counts.into_inner());
        println!(
            "{}: {operations} operations in {cases} cases, seeds {first} to {}: 0 failures{counts}",
            self.name,
            seed - 1
        );
        assert!(operations >= wanted, "{operations} operations of {wanted}");
        if operations < 10_000 {
            return;
        }
        for (effect, in_ten_thousand) in self.least {
            let (reached, least) = (counts.of(effect), operations as u64 * in_ten_thousand / 10_000);
            assert!(reached >= least, "{}: {effect:?} was reached {reached} times, less than {least}", self.name);
        }
    }

    fn runner(&self, seed: u64) -> TestRunner {
        let config = ProptestConfig {
            cases: CASES,
            failure_persistence: None,
            max_shrink_iters: 20_000,
            max_shrink_time: 20_000,
            ..ProptestConfig::default()
        };
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
    }

    fn cases(&self) -> impl Strategy<Value = Case> {
        (self.workers.clone(), vec(any::<u8>(), SHAPE), scripts::ops())
            .prop_map(|(workers, shape, ops)| Case::new(workers, shape, ops))
    }
}

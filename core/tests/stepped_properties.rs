//! Random clusters, queues and operations on the stepped scheduler, every book compared after every step.
//!
//! The numbers I1 … I13 are those of the invariants in `docs/concurrency.md`.

mod harness;

use harness::{Bytes, Op, Shape, World};
use proptest::collection::vec;
use proptest::prelude::*;

fn shapes() -> impl Strategy<Value = Shape> {
    vec(any::<u8>(), 64).prop_map(|bytes| Shape::of(&mut Bytes(&bytes)))
}

fn ops(most: usize) -> impl Strategy<Value = Vec<Op>> {
    vec(any::<[u8; 4]>().prop_map(Op::of), 1..most)
}

fn cases(cases: u32) -> ProptestConfig {
    // `PROPTEST_CASES` asks for more or fewer.
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    ProptestConfig { cases: asked.unwrap_or(cases), failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases(600))]

    /// I1, I2, I3, I4, I5 and I13 with one worker, at every step; nothing remains at the end.
    #[test]
    fn books_balance_with_one_worker(shape in shapes(), ops in ops(150)) {
        let outcome = World::run(&shape, 1, &ops).and_then(|mut world| world.tear_down());
        prop_assert_eq!(outcome, Ok(()));
    }

    /// The same with several workers, which hold leases and see each other's grants late.
    #[test]
    fn books_balance_with_several_workers(shape in shapes(), workers in 2..=4_usize, ops in ops(150)) {
        let outcome = World::run(&shape, workers, &ops).and_then(|mut world| world.tear_down());
        prop_assert_eq!(outcome, Ok(()));
    }

    /// The trees choose what sorting anew for every container chooses: containers, reservations, refusals, shares, all.
    #[test]
    fn kept_order_decides_as_sorting_anew(shape in shapes(), ops in ops(150)) {
        let (mut kept, mut sorted) = (World::new(&shape, 1, false), World::new(&shape, 1, true));
        for (i, op) in ops.iter().enumerate() {
            let (kept, sorted) = (kept.step(op), sorted.step(op));
            prop_assert!(kept.is_ok(), "step {} {:?}: {:?}", i, op, kept);
            prop_assert_eq!(kept, sorted, "step {} {:?}", i, op);
        }
    }

    /// I11: same inputs, same outputs. Several workers on one thread are no exception.
    #[test]
    fn same_inputs_same_outputs(shape in shapes(), workers in 1..=3_usize, ops in ops(100)) {
        let (mut first, mut second) = (World::new(&shape, workers, false), World::new(&shape, workers, false));
        for (i, op) in ops.iter().enumerate() {
            prop_assert_eq!(first.step(op), second.step(op), "step {} {:?}", i, op);
        }
    }
}

proptest! {
    #![proptest_config(cases(200))]

    /// I7: without limits, with room and time, every ask that is not tied to a place is granted in full, whatever
    /// happened before; I3's "exactly k".
    #[test]
    fn what_can_be_served_is_served(shape in shapes(), workers in 1..=4_usize, ops in ops(60)) {
        let shape = Shape::unlimited(&shape);
        let outcome = World::run(&shape, workers, &ops).and_then(|mut world| world.serve_all());
        prop_assert_eq!(outcome, Ok(()));
    }
}

//! Any operations on any cluster, every book compared after every step; with one worker also against sorting anew.

#![no_main]

#[path = "../../core/tests/harness/mod.rs"]
mod harness;

use harness::{Bytes, Op, Shape, World};
use libfuzzer_sys::fuzz_target;

/// Bytes that choose the cluster; four more an operation.
const SHAPE: usize = 64;

fuzz_target!(|bytes: &[u8]| {
    let Some((workers, bytes)) = bytes.split_first() else { return };
    let workers = 1 + usize::from(workers % 4);
    let (shape, ops) = bytes.split_at(bytes.len().min(SHAPE));
    let shape = Shape::of(&mut Bytes(shape));
    let mut world = World::new(&shape, workers, false);
    let mut sorted = (workers == 1).then(|| World::new(&shape, 1, true));
    for op in ops.as_chunks().0 {
        let op = Op::of(*op);
        let seen = world.step(&op);
        assert!(seen.is_ok(), "{op:?}: {seen:?}");
        if let Some(sorted) = &mut sorted {
            assert_eq!(seen, sorted.step(&op), "{op:?}");
        }
    }
    assert_eq!(world.tear_down(), Ok(()));
});

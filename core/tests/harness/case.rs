//! A case: workers, a shape and operations, as bytes. Property tests make them, fuzzing does, and those that once
//! failed are kept.

use super::op::{OP, Op};
use super::shape::{Bytes, SHAPE, Shape};
use super::world::World;
use std::fmt::{self, Write as _};

/// One byte for the workers, [`SHAPE`] for the shape, [`OP`] for each operation.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Case {
    pub(crate) workers: usize,
    shape: Vec<u8>,
    ops: Vec<[u8; OP]>,
}

/// As `Case::of_hex` takes it, without the zeros at the shape's end.
impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = self.shape.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        let hex = |bytes: &[u8]| {
            bytes.iter().fold(String::new(), |mut out, byte| {
                let _ = write!(out, "{byte:02x}");
                out
            })
        };
        writeln!(f, "Case::of_hex({}, \"{}\", \"\\", self.workers, hex(&self.shape[..end]))?;
        for op in &self.ops {
            writeln!(f, "    {} \\", hex(op))?;
        }
        writeln!(f, "\")")?;
        self.ops.iter().enumerate().try_for_each(|(i, op)| writeln!(f, "    step {i}: {:?}", Op::of(*op)))
    }
}

impl Case {
    pub(crate) fn new(workers: usize, shape: Vec<u8>, ops: Vec<[u8; OP]>) -> Case {
        Case { workers, shape, ops }
    }

    /// An input of fuzzing.
    pub(crate) fn of_bytes(bytes: &[u8]) -> Option<Case> {
        let (workers, bytes) = bytes.split_first()?;
        let (shape, ops) = bytes.split_at(bytes.len().min(SHAPE));
        Some(Case::new(1 + usize::from(workers % 4), shape.to_vec(), ops.as_chunks().0.to_vec()))
    }

    /// One that was printed.
    pub(crate) fn of_hex(workers: usize, shape: &str, ops: &str) -> Case {
        let bytes = |text: &str| -> Vec<u8> {
            let digits: Vec<_> = text.chars().filter_map(|c| c.to_digit(16)).collect();
            let pairs = digits.as_chunks::<2>().0.iter();
            pairs.map(|[high, low]| u8::try_from(high * 16 + low).expect("two digits")).collect()
        };
        let ops = bytes(ops).as_chunks().0.to_vec();
        Case::new(workers, bytes(shape), ops)
    }

    pub(crate) fn shape(&self) -> Shape {
        Shape::of(&mut Bytes(&self.shape))
    }

    pub(crate) fn len(&self) -> usize {
        self.ops.len()
    }

    pub(crate) fn ops(&self) -> impl Iterator<Item = (usize, Op)> {
        self.ops.iter().map(|op| Op::of(*op)).enumerate()
    }

    /// Every book balances after every step, and nothing is left at the end.
    pub(crate) fn books_balance(&self) -> Result<World, String> {
        let mut world = World::new(&self.shape(), self.workers, false);
        self.run(&mut world)?;
        world.tear_down().map_err(|wrong| format!("at the end: {wrong}"))?;
        Ok(world)
    }

    pub(crate) fn run(&self, world: &mut World) -> Result<(), String> {
        for (i, op) in self.ops() {
            world.step(&op).map_err(|wrong| format!("step {i} {op:?}: {wrong}"))?;
        }
        Ok(())
    }

    /// Two schedulers show the same after every step, and every book balances: with `resort` the second one sorts
    /// children anew for every container, as the classic design does, without it it is a second one of the same kind.
    pub(crate) fn twins_agree(&self, resort: bool) -> Result<World, String> {
        let shape = self.shape();
        let mut pair = [false, resort].map(|resort| World::new(&shape, self.workers, resort));
        for (i, op) in self.ops() {
            let [first, second] = pair.each_mut().map(|world| world.step(&op));
            let first = first.map_err(|wrong| format!("step {i} {op:?}: {wrong}"))?;
            let second = second.map_err(|wrong| format!("step {i} {op:?}, the second scheduler: {wrong}"))?;
            if let Some(part) = first.difference(&second) {
                return Err(format!("step {i} {op:?}: {part} differ: {first:?}, {second:?}"));
            }
        }
        for world in &mut pair {
            world.tear_down().map_err(|wrong| format!("at the end: {wrong}"))?;
        }
        let [world, _] = pair;
        Ok(world)
    }

    /// Without limits, with room and time, everything that is not tied to a place is granted, whatever happened before.
    pub(crate) fn all_is_served(&self) -> Result<World, String> {
        let mut world = World::new(&self.shape().unlimited(), self.workers, false);
        self.run(&mut world)?;
        world.serve_all().map_err(|wrong| format!("at the end: {wrong}"))?;
        Ok(world)
    }

    /// Whatever the limits, whoever waits in the end waits for room.
    pub(crate) fn nobody_waits(&self) -> Result<World, String> {
        let mut world = World::new(&self.shape(), self.workers, false);
        self.run(&mut world)?;
        world.nobody_waits().map_err(|wrong| format!("at the end: {wrong}"))?;
        Ok(world)
    }
}

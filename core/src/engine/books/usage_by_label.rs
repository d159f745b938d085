//! What one worker has of an application, by node label.
//!
//! # Who owns what
//! One worker writes, all may read. There is nothing where there are no labels, or where one worker is alone.
//!
//! # Protocol
//! Vectors lie in chunks. A chunk is made when the first label in it is written, and stays. So a reader finds a vector
//! where it was once, or no chunk yet, and then nothing was ever counted there.
//!
//! # Cost
//! A read or a write takes O(labels / 4) steps; memory is by the highest number of a label that was written.

use crate::engine::books::usage::UsageCell;
use crate::id::LabelId;
use crate::resource::Resource;
use crate::sync::OnceLock;

/// Labels in a chunk.
const CHUNK: usize = 4;

#[derive(Debug, Default)]
struct Chunk {
    cells: [UsageCell; CHUNK],
    next: OnceLock<Box<Chunk>>,
}

/// See the module's text.
#[derive(Debug, Default)]
pub(crate) struct UsageByLabel(OnceLock<Box<Chunk>>);

impl UsageByLabel {
    /// Replaces what is counted of a label; by the owner alone.
    pub(crate) fn set(&self, types: usize, label: LabelId, amount: &Resource) {
        let (mut at, mut left) = (&self.0, label.ix());
        loop {
            let chunk = at.get_or_init(Box::default);
            match chunk.cells.get(left) {
                Some(cell) => return cell.set(types, amount),
                None => (at, left) = (&chunk.next, left - CHUNK),
            }
        }
    }

    /// Adds; by the owner alone. A call, so that who has no labels has nothing of it in the way.
    #[inline(never)]
    pub(crate) fn add(&self, types: usize, label: LabelId, amount: &Resource) {
        self.set(types, label, &self.read(label).plus(amount));
    }

    /// What is counted of a label.
    pub(crate) fn read(&self, label: LabelId) -> Resource {
        let (mut at, mut left) = (&self.0, label.ix());
        loop {
            let Some(chunk) = at.get() else { return Resource::ZERO };
            match chunk.cells.get(left) {
                Some(cell) => return cell.read(),
                None => (at, left) = (&chunk.next, left - CHUNK),
            }
        }
    }

    /// Nothing is counted any more; by the owner alone.
    pub(crate) fn clear(&self, types: usize) {
        let mut at = &self.0;
        while let Some(chunk) = at.get() {
            chunk.cells.iter().for_each(|cell| cell.set(types, &Resource::ZERO));
            at = &chunk.next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_label_has_its_own_vector() {
        let usage = UsageByLabel::default();
        assert_eq!(usage.read(LabelId(9)), Resource::ZERO);
        for label in [0, 9, 3, 4] {
            usage.set(2, LabelId(label), &Resource::new(i64::from(label) + 1, 1));
        }
        for label in 0..12 {
            let there = [0, 9, 3, 4].contains(&label);
            let amount = if there { Resource::new(i64::from(label) + 1, 1) } else { Resource::ZERO };
            assert_eq!(usage.read(LabelId(label)), amount, "label {label}");
        }
        usage.add(2, LabelId(9), &Resource::new(-10, -1));
        assert_eq!(usage.read(LabelId(9)), Resource::ZERO);
        usage.clear(2);
        assert!((0..12).all(|label| usage.read(LabelId(label)).is_zero()));
    }
}

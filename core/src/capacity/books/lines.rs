//! The children of a parent in the order in which they are asked for nodes of one partition, where there are labels
//! (rules/node-labels.md 11).
//!
//! Each parent keeps a sorted list of all its children for each partition. A child whose figures change is moved within
//! it: O(log children) comparisons, and one move of the keys between its old and its new place. Children in which
//! nothing is asked for stand in it, too, because a pass stores what each child that it comes to may use.

use super::Books;
use super::standing::LineKey;
use crate::capacity::rules::order::{QueueKey, queue_key, size_of, slot_of};
use crate::capacity::rules::partition::Partition;

impl Books {
    /// All children of all parents on each partition, as the structure has them.
    pub(super) fn order_all_lines(&mut self) {
        for queue in self.queues.iter_mut().flatten() {
            queue.lines.clear();
            queue.in_lines.clear();
        }
        if !self.has_labels() {
            return;
        }
        for parent in self.in_order() {
            for p in self.partitions() {
                let keys = self.sorted_children(parent, p);
                let place = |key: QueueKey| (!self.may_use(slot_of(key), p.label()), key);
                let line: Vec<LineKey> = keys.into_iter().map(place).collect();
                for key in &line {
                    self.queue_mut(slot_of(key.1)).in_lines.push(*key);
                }
                self.queue_mut(parent).lines.push(line);
            }
        }
    }

    /// What a queue uses of a partition has changed.
    pub(super) fn reposition_in_line<P: Partition>(&mut self, slot: u32, p: P) {
        let (at, queue) = (p.label().ix(), self.queue(slot));
        let Some((parent, &old)) = self.parent(slot).zip(queue.in_lines.get(at)) else { return };
        let ordering = self.queue(parent).siblings.ordering;
        let new = (old.0, queue_key(&queue.rank_in(p), ordering, size_of(old.1), slot));
        if new == old {
            return;
        }
        self.queue_mut(slot).in_lines[at] = new;
        let line = &mut self.queue_mut(parent).lines[at];
        let from = line.partition_point(|key| *key < old);
        let to = line.partition_point(|key| *key < new);
        debug_assert_eq!(line[from], old, "each child stands in its parent's lines");
        line[from] = new;
        if to > from {
            line[from..to].rotate_left(1);
        } else {
            line[to..=from].rotate_right(1);
        }
    }

    /// The child at a place in the order; `None` after the last one.
    #[inline]
    pub(crate) fn child_in_line<P: Partition>(&self, slot: u32, at: usize, p: P) -> Option<QueueKey> {
        self.queue(slot).lines[p.label().ix()].get(at).map(|(_, key)| *key)
    }

    pub(super) fn children_in_line<P: Partition>(&self, slot: u32, p: P) -> impl Iterator<Item = QueueKey> {
        self.queue(slot).lines[p.label().ix()].iter().map(|(_, key)| *key)
    }
}

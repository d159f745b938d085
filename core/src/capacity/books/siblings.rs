//! The children of a parent queue in the order in which they are asked (rules/capacity.md 12.3).
//!
//! Kept in order by a winner tree, not sorted: a child whose figures change is put in its place anew, O(log children),
//! mostly in O(1). Only children in which more is asked for stand there, for the others a pass does nothing but store
//! what they may use (rules/capacity.md 13.1.1). That is made up for when it is needed: a parent keeps marks of how far
//! its last passes went, and with what left.

use super::standing::{Mark, PassMarks, Passed, Siblings, Standing};
use super::{Books, QueueBook};
use crate::capacity::rules::order::{QueueKey, QueueRank, compare_queues, compare_sizes, order_key, queue_key};
use crate::capacity::rules::partition::{Partition, Whole};
use crate::config::capacity::QueueOrdering;
use crate::engine::books::affinity::usage_of_stranger;
use crate::order::WinnerTree;

/// Beyond so many more than there are children, marks are settled.
const MARKS: usize = 16;

impl QueueBook {
    #[inline]
    pub(super) fn rank(&self) -> QueueRank<'_> {
        self.figures.rank(self.counts.absolute_used_capacity, self.counts.used_capacity)
    }

    /// The same on a partition.
    pub(super) fn rank_in<P: Partition>(&self, p: P) -> QueueRank<'_> {
        let counts = self.counts_in(p);
        self.figures_in(p).rank(counts.absolute_used_capacity, counts.used_capacity)
    }
}

impl Books {
    /// What a queue is put in order by. If nobody in its leaf queues is at home with this worker, it counts somewhat
    /// more than it has ([`affinity`](crate::engine::books::affinity)).
    #[inline]
    pub(super) fn rank_here(&self, slot: u32) -> QueueRank<'_> {
        let queue = self.queue(slot);
        if self.slack == 0 || queue.at_home > 0 { queue.rank() } else { self.rank_of_stranger(queue) }
    }

    #[inline(never)]
    fn rank_of_stranger<'a>(&self, queue: &'a QueueBook) -> QueueRank<'a> {
        let used = usage_of_stranger(self.slack, &queue.counts.used, &self.minimum);
        let (of_cluster, of_guarantee) = queue.figures.used_capacities(self.arith, &self.cluster, &used);
        queue.figures.rank(of_cluster, of_guarantee)
    }

    /// An application that is at home with this worker has come into the lists of a leaf, or has left them.
    pub(super) fn home_changes(&mut self, leaf: u32, by: i32) {
        if self.place.is_alone() {
            return;
        }
        let mut at = Some(leaf);
        while let Some(slot) = at {
            self.settle(slot);
            let queue = self.queue_mut(slot);
            queue.at_home = queue.at_home.saturating_add_signed(by);
            self.reposition_queue(slot);
            at = self.parent(slot);
        }
    }

    /// The same of all queues, as the structure has them now.
    fn count_at_home(&mut self) {
        let Books { queues, apps, place, .. } = self;
        for queue in queues.iter_mut().flatten() {
            let own = queue.leaf.iter().flat_map(|leaf| &leaf.runnable);
            let own = own.filter(|entry| apps[**entry].home == place.worker).count();
            queue.at_home = u32::try_from(own).unwrap_or(u32::MAX);
        }
        for slot in self.in_order().into_iter().rev() {
            if let Some(parent) = self.parent(slot) {
                let below = self.queue(slot).at_home;
                let above = self.queue_mut(parent);
                above.at_home = above.at_home.saturating_add(below);
            }
        }
    }

    /// All children of all parents, as the structure has them.
    pub(super) fn order_all_children(&mut self) {
        if !self.place.is_alone() {
            self.count_at_home();
        }
        let Books { queues, arith, cluster, .. } = self;
        for queue in queues.iter_mut().flatten() {
            queue.wants = arith.is_wanted(cluster, &queue.counts.pending);
            queue.standing = None;
        }
        for parent in self.in_order() {
            let children = self.node(parent).children.clone();
            let ordering = self.node(parent).config.as_parent().map_or(QueueOrdering::Utilization, |of| of.ordering);
            let mut by_size = children.clone();
            by_size.sort_by(|a, b| compare_sizes(&self.queue(*a).rank(), &self.queue(*b).rank()));
            let turn = self.queue(parent).siblings.turn;
            let order = WinnerTree::of(by_size.len());
            let mut siblings = Siblings { ordering, turn, order, ..Siblings::default() };
            for (size, child) in (0..).zip(by_size) {
                let wants = self.is_wanting(child, Whole);
                let key = queue_key(&self.rank_here(child), ordering, size, child);
                siblings.order.set_child(size, child);
                if wants {
                    siblings.order.set(size, &order_key(key));
                    siblings.wanting += 1;
                }
                self.queue_mut(child).standing = Some(Standing { key, size, wants, settled: turn });
            }
            self.queue_mut(parent).siblings = siblings;
        }
        self.order_all_lines();
    }

    /// The figures of a queue have changed, or what is asked for in it.
    pub(super) fn reposition_queue(&mut self, slot: u32) {
        let Some(parent) = self.parent(slot) else { return };
        let ordering = self.queue(parent).siblings.ordering;
        let queue = self.queue(slot);
        let Some(Standing { size, .. }) = queue.standing else { return };
        let (key, wants) = (queue_key(&self.rank_here(slot), ordering, size, slot), queue.wants);
        let Some(standing) = &mut self.queue_mut(slot).standing else { return };
        if key == standing.key && wants == standing.wants {
            return;
        }
        standing.key = key;
        let wanted = std::mem::replace(&mut standing.wants, wants);
        let siblings = &mut self.queue_mut(parent).siblings;
        siblings.wanting = siblings.wanting + usize::from(wants) - usize::from(wanted);
        if wants {
            siblings.order.set(size, &order_key(key));
        } else if wanted {
            siblings.order.clear(size);
        }
        let turn = siblings.turn;
        if wanted && let Some(standing) = &mut self.queue_mut(slot).standing {
            standing.settled = turn;
        }
    }

    /// The first child in which more is asked for, of those that the pass has not left behind.
    #[inline]
    pub(crate) fn first_child(&self, slot: u32) -> Option<QueueKey> {
        let order = &self.queue(slot).siblings.order;
        let child = order.child(order.winner()?);
        self.queue(child).standing.as_ref().map(|standing| standing.key)
    }

    /// A pass leaves a child behind: it is not the first, until the pass is over.
    pub(crate) fn leave_behind(&mut self, slot: u32, child: u32, passed: &mut Passed) {
        if let Some(Standing { size, .. }) = self.queue(child).standing {
            self.queue_mut(slot).siblings.order.suspend(size);
            passed.push(size);
        }
    }

    /// The pass over the children is over.
    #[inline]
    pub(crate) fn take_back(&mut self, slot: u32, passed: &Passed) {
        for position in passed {
            self.queue_mut(slot).siblings.order.resume(*position);
        }
    }

    /// All children, whether more is asked for in them or not, sorted by their figures: O(children × log children).
    pub(super) fn sorted_children<P: Partition>(&self, slot: u32, p: P) -> Vec<QueueKey> {
        let (node, rank) = (self.node(slot), |child: u32| self.queue(child).rank_in(p));
        let ordering = node.config.as_parent().map_or(QueueOrdering::Utilization, |of| of.ordering);
        let mut by_size = node.children.clone();
        by_size.sort_by(|a, b| compare_sizes(&rank(*a), &rank(*b)));
        let mut children: Vec<(u32, u32)> = (0..).zip(by_size).collect();
        children.sort_by(|(_, a), (_, b)| compare_queues(&rank(*a), &rank(*b), ordering));
        let key = |(size, child): &(u32, u32)| queue_key(&rank(*child), ordering, *size, *child);
        debug_assert!(children.iter().map(key).is_sorted(), "keys order as what is compared");
        if !P::IS_WHOLE {
            children.sort_by_key(|(_, child)| !self.may_use(*child, p.label()));
        }
        children.iter().map(key).collect()
    }

    /// All children in the order in which they are asked: O(children × log children).
    pub(crate) fn children_in_turn<P: Partition>(&self, slot: u32, p: P) -> Vec<QueueKey> {
        if self.resort {
            return self.sorted_children(slot, p);
        }
        if !P::IS_WHOLE {
            return self.children_in_line(slot, p).collect();
        }
        let key = |child: &u32| self.queue(*child).standing.as_ref().map(|standing| standing.key);
        let mut keys: Vec<QueueKey> = self.node(slot).children.iter().filter_map(key).collect();
        keys.sort_unstable();
        keys
    }

    /// Whether a pass over children leaves a mark. Those that want something have been visited themselves.
    #[inline]
    pub(crate) fn keeps_marks(&self, slot: u32) -> bool {
        !self.resort && !self.has_labels() && self.queue(slot).siblings.wanting < self.node(slot).children.len()
    }

    /// A pass over children has ended.
    pub(crate) fn mark(&mut self, slot: u32, pass_marks: PassMarks) {
        let children = self.node(slot).children.len();
        let siblings = &mut self.queue_mut(slot).siblings;
        siblings.turn += 1;
        let turn = siblings.turn;
        for (up_to, left) in pass_marks.into_iter().rev() {
            while siblings.marks.last().is_some_and(|last| last.up_to <= up_to) {
                siblings.marks.pop();
            }
            siblings.marks.push(Mark { up_to, turn, left });
        }
        if siblings.marks.len() > children + MARKS {
            for child in self.node(slot).children.clone() {
                self.settle(child);
            }
            self.queue_mut(slot).siblings.marks.clear();
        }
    }

    /// What a leaf in which nothing is asked for may use is stored, as the last pass that has been there did.
    #[inline]
    pub(super) fn settle(&mut self, slot: u32) {
        let queue = self.queue(slot);
        if queue.leaf.is_some() && queue.standing.as_ref().is_some_and(|standing| !standing.wants) {
            self.settle_idle(slot);
        }
    }

    #[inline(never)]
    fn settle_idle(&mut self, slot: u32) {
        let queue = self.queue(slot);
        let Some(standing) = &queue.standing else { return };
        let Some(parent) = self.parent(slot) else { return };
        let siblings = &self.queue(parent).siblings;
        let reaching = siblings.marks.partition_point(|mark| mark.up_to >= standing.key);
        let last = reaching.checked_sub(1).map(|at| siblings.marks[at]).filter(|mark| mark.turn > standing.settled);
        let turn = siblings.turn;
        if let Some(mark) = last {
            let limit = self.arith.round_down(&mark.left.plus(&queue.counts.used), &self.minimum);
            self.store_limit(slot, &limit);
        }
        self.is_settled(slot, turn);
    }

    pub(crate) fn store_skipped_limits(&mut self) {
        for slot in self.in_order() {
            self.settle(slot);
        }
    }

    /// What a leaf may use has just been stored.
    #[inline]
    pub(super) fn limit_was_stored(&mut self, slot: u32) {
        if let Some(turn) = self.parent(slot).map(|parent| self.queue(parent).siblings.turn) {
            self.is_settled(slot, turn);
        }
    }

    fn is_settled(&mut self, slot: u32, turn: u64) {
        if let Some(standing) = &mut self.queue_mut(slot).standing {
            standing.settled = turn;
        }
    }
}

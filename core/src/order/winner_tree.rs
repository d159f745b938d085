//! A winner tree over the keys of siblings.
//!
//! `set` and `suspend` replay one path, O(log k); `winner` is O(1). Positions are dense and belong to the caller. An
//! absent position has no key and never wins.

use crate::policy::OrderKey;

/// Siblings in order; see the module's text.
#[derive(Debug, Default)]
pub(crate) struct WinnerTree {
    /// By position.
    keys: Vec<OrderKey>,
    /// The keys of suspended positions, by position.
    saved: Vec<Option<OrderKey>>,
    /// How many positions are suspended.
    suspended: usize,
    /// `winners[1]` is the root, the children of `i` are `2i` and `2i + 1`; leaves (not stored) are positions.
    winners: Vec<u32>,
    /// Number of leaves: a power of two, or none.
    width: usize,
}

impl WinnerTree {
    /// Empties the tree and makes room for `positions`, all absent.
    pub(crate) fn reset(&mut self, positions: usize) {
        // For nobody there is nothing to keep: most leaf queues of a large tree are empty.
        self.width = if positions == 0 { 0 } else { positions.next_power_of_two() };
        self.keys.clear();
        self.keys.resize(self.width, OrderKey::ABSENT);
        self.saved.clear();
        self.saved.resize(self.width, None);
        self.suspended = 0;
        self.winners.clear();
        self.winners.resize(self.width, 0);
        for node in (1..self.width).rev() {
            self.winners[node] = u32::try_from(self.leftmost(node)).expect("positions are u32");
        }
    }

    fn leftmost(&self, mut node: usize) -> usize {
        while node < self.width {
            node *= 2;
        }
        node - self.width
    }

    #[inline]
    fn at(&self, node: usize) -> u32 {
        if node >= self.width {
            #[expect(clippy::cast_possible_truncation, reason = "positions are u32")]
            let position = (node - self.width) as u32;
            position
        } else {
            self.winners[node]
        }
    }

    /// Gives a position its key. A suspended position stays out, and has the key once it is resumed.
    #[inline]
    pub(crate) fn set(&mut self, position: u32, key: OrderKey) {
        if self.suspended > 0
            && let Some(saved) = &mut self.saved[position as usize]
        {
            *saved = key;
        } else {
            self.place(position, key);
        }
    }

    #[inline]
    fn place(&mut self, position: u32, key: OrderKey) {
        if self.keys[position as usize] != key {
            self.keys[position as usize] = key;
            self.replay(position);
        }
    }

    /// Takes a position out.
    #[inline]
    pub(crate) fn clear(&mut self, position: u32) {
        self.set(position, OrderKey::ABSENT);
    }

    /// Takes a position out for now; its key is kept.
    #[inline]
    pub(crate) fn suspend(&mut self, position: u32) {
        let saved = &mut self.saved[position as usize];
        if saved.is_none() {
            *saved = Some(self.keys[position as usize]);
            self.suspended += 1;
            self.place(position, OrderKey::ABSENT);
        }
    }

    /// Puts a suspended position back where it was.
    #[inline]
    pub(crate) fn resume(&mut self, position: u32) {
        // A tree that was filled anew meanwhile has nobody out.
        if let Some(key) = self.saved.get_mut(position as usize).and_then(Option::take) {
            self.suspended -= 1;
            self.place(position, key);
        }
    }

    /// The position with the smallest key.
    #[inline]
    pub(crate) fn winner(&self) -> Option<u32> {
        if self.keys.is_empty() {
            return None;
        }
        let winner = self.at(1);
        (!self.keys[winner as usize].is_absent()).then_some(winner)
    }

    /// The smallest key; [`OrderKey::ABSENT`] when there is nobody.
    #[inline]
    pub(crate) fn first(&self) -> OrderKey {
        if self.keys.is_empty() { OrderKey::ABSENT } else { self.keys[self.at(1) as usize] }
    }

    #[inline]
    fn replay(&mut self, position: u32) {
        let mut node = (self.width + position as usize) / 2;
        while node >= 1 {
            let (left, right) = (self.at(2 * node), self.at(2 * node + 1));
            let winner = if self.keys[right as usize] < self.keys[left as usize] { right } else { left };
            // Above a match that another position won and still wins nothing has changed.
            if winner == self.winners[node] && winner != position {
                return;
            }
            self.winners[node] = winner;
            node /= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Tie;
    use proptest::prelude::*;

    fn key(value: i8, name: u64) -> OrderKey {
        OrderKey::of(0, [f64::from(value), 0.0, 0.0, 0.0], Tie { start_ms: 0, name }).unwrap()
    }

    #[derive(Clone, Debug)]
    enum Op {
        Set(u32, i8),
        Clear(u32),
        TakeInOrder(usize),
    }

    fn op(positions: u32) -> impl Strategy<Value = Op> {
        prop_oneof![
            4 => (0..positions, any::<i8>()).prop_map(|(p, v)| Op::Set(p, v)),
            1 => (0..positions).prop_map(Op::Clear),
            2 => (0..positions as usize + 1).prop_map(Op::TakeInOrder),
        ]
    }

    proptest! {
        /// The tree, walked by suspending winners, gives the order of a sorted reference; resuming restores it.
        #[test]
        fn walks_like_a_sorted_list((positions, ops) in (1_u32..40)
            .prop_flat_map(|p| (Just(p), proptest::collection::vec(op(p), 1..60))))
        {
            let mut tree = WinnerTree::default();
            tree.reset(positions as usize);
            let mut reference = vec![None; positions as usize];
            for op in ops {
                match op {
                    Op::Set(p, v) => {
                        reference[p as usize] = Some(key(v, u64::from(p)));
                        tree.set(p, key(v, u64::from(p)));
                    }
                    Op::Clear(p) => {
                        reference[p as usize] = None;
                        tree.clear(p);
                    }
                    Op::TakeInOrder(n) => {
                        let mut sorted: Vec<_> =
                            (0..positions).filter(|p| reference[*p as usize].is_some()).collect();
                        sorted.sort_by_key(|p| reference[*p as usize]);
                        let mut taken = vec![];
                        for _ in 0..n {
                            let Some(winner) = tree.winner() else { break };
                            taken.push(winner);
                            tree.suspend(winner);
                        }
                        prop_assert_eq!(&taken[..], &sorted[..n.min(sorted.len())]);
                        for p in taken {
                            tree.resume(p);
                        }
                    }
                }
                let least = (0..positions)
                    .filter(|p| reference[*p as usize].is_some())
                    .min_by_key(|p| reference[*p as usize]);
                prop_assert_eq!(tree.winner(), least);
            }
        }
    }

    #[test]
    fn an_empty_tree_has_no_winner() {
        assert_eq!(WinnerTree::default().winner(), None);
        let mut tree = WinnerTree::default();
        tree.reset(0);
        assert_eq!(tree.winner(), None);
        tree.reset(1);
        assert_eq!(tree.winner(), None);
        tree.set(0, key(0, 0));
        assert_eq!(tree.winner(), Some(0));
    }
}

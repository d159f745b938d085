//! A winner tree over the keys of siblings.
//!
//! `set` and `suspend` replay one path, O(log k); `winner` is O(1). Positions are dense and belong to the caller. An
//! absent position has no key and never wins.
//!
//! # Layout
//! Matches are among four, whose [leads](OrderKey::lead) and positions are one cache line: a replay touches one line a level
//! and compares words; only between equal leads are the keys looked at. Against matches of two that is half the levels, at
//! nearly the same cost a level.

use crate::policy::OrderKey;

/// How many meet in a match.
const ARITY: usize = 4;

/// Sorts after every lead of a key.
const NOBODY: u64 = u64::MAX;

/// One who takes part in a match: a position itself, or the winner of a match below.
#[derive(Clone, Copy, Debug)]
struct Entrant {
    /// [`NOBODY`] when the position is absent or suspended.
    lead: u64,
    position: u32,
}

/// The entrants of one match.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Match {
    leads: [u64; ARITY],
    positions: [u32; ARITY],
}

const _: () = assert!(size_of::<Match>() == 64, "one cache line");

/// Siblings in order; see the module's text.
#[derive(Debug, Default)]
pub(crate) struct WinnerTree {
    /// By position: the key, of a suspended one too; [`OrderKey::ABSENT`] where there is none.
    keys: Vec<OrderKey>,
    /// By position.
    is_suspended: Vec<bool>,
    /// How many positions are suspended.
    suspended: usize,
    /// The final is the first; entrant `e`, counted over all matches, is in match `e / 4` and was won in match `e + 1`. The
    /// positions are the last entrants, from `first_position` on.
    matches: Vec<Match>,
    first_position: usize,
    /// Who won the final.
    winner: Option<Entrant>,
}

impl WinnerTree {
    /// Empties the tree and makes room for `positions`, all absent.
    pub(crate) fn reset(&mut self, positions: usize) {
        // For nobody there is nothing to keep: most leaf queues of a large tree are empty.
        let (mut width, mut above) = (if positions == 0 { 0 } else { ARITY }, 0);
        while width < positions {
            above += width;
            width *= ARITY;
        }
        self.first_position = above;
        self.keys.clear();
        self.keys.resize(positions, OrderKey::ABSENT);
        self.is_suspended.clear();
        self.is_suspended.resize(positions, false);
        self.suspended = 0;
        self.matches.clear();
        self.matches.resize((above + width) / ARITY, Match::EMPTY);
        self.winner = None;
    }

    /// Whether it has no positions.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Gives a position its key. A suspended position stays out, and has the key once it is resumed.
    #[inline]
    pub(crate) fn set(&mut self, position: u32, key: &OrderKey) {
        self.keys[position as usize] = *key;
        if self.suspended == 0 || !self.is_suspended[position as usize] {
            self.enter(position, if key.is_absent() { NOBODY } else { key.lead() });
        }
    }

    /// Takes a position out.
    #[inline]
    pub(crate) fn clear(&mut self, position: u32) {
        self.set(position, &OrderKey::ABSENT);
    }

    /// Takes a position out for now; its key is kept.
    #[inline]
    pub(crate) fn suspend(&mut self, position: u32) {
        if !std::mem::replace(&mut self.is_suspended[position as usize], true) {
            self.suspended += 1;
            self.enter(position, NOBODY);
        }
    }

    /// Puts a suspended position back where it was.
    #[inline]
    pub(crate) fn resume(&mut self, position: u32) {
        // A tree that was filled anew meanwhile has nobody out.
        if self.is_suspended.get_mut(position as usize).is_some_and(std::mem::take) {
            self.suspended -= 1;
            let key = self.keys[position as usize];
            self.set(position, &key);
        }
    }

    /// The position with the smallest key.
    #[inline]
    pub(crate) fn winner(&self) -> Option<u32> {
        self.winner.map(|winner| winner.position)
    }

    /// The smallest key; [`OrderKey::ABSENT`] when there is nobody.
    #[inline]
    pub(crate) fn first(&self) -> OrderKey {
        self.winner.map_or(OrderKey::ABSENT, |winner| self.keys[winner.position as usize])
    }

    /// The key of a position that is in the tree has changed, or it enters or leaves: replays its path.
    #[inline]
    fn enter(&mut self, position: u32, lead: u64) {
        let mut won = Entrant { lead, position };
        let mut at = self.first_position + position as usize;
        if lead == NOBODY && self.matches[at / ARITY].leads[at % ARITY] == NOBODY {
            return;
        }
        loop {
            let here = &mut self.matches[at / ARITY];
            // Above a match that another position won and still wins nothing has changed.
            if won.position != position && here.positions[at % ARITY] == won.position {
                return;
            }
            here.leads[at % ARITY] = won.lead;
            here.positions[at % ARITY] = won.position;
            won = here.winner(&self.keys);
            if at < ARITY {
                self.winner = (won.lead != NOBODY).then_some(won);
                return;
            }
            at = at / ARITY - 1;
        }
    }
}

impl Match {
    const EMPTY: Match = Match { leads: [NOBODY; ARITY], positions: [u32::MAX; ARITY] };

    #[inline]
    fn winner(&self, keys: &[OrderKey]) -> Entrant {
        let [a, b, c, d] = self.leads;
        let (low, high) = (a.min(b), c.min(d));
        let lead = low.min(high);
        // By arithmetic: who wins is not to be foreseen, and each wrong guess of a branch costs more than all of this.
        let (left, right) = (usize::from(b < a), 2 + usize::from(d < c));
        let at = left ^ ((left ^ right) & usize::from(high < low).wrapping_neg());
        let equals = self.leads.iter().map(|other| u8::from(*other == lead)).sum::<u8>();
        let at = if equals > 1 && lead != NOBODY { self.first_of_equals(lead, keys) } else { at };
        Entrant { lead, position: self.positions[at % ARITY] }
    }

    /// Of those with a lead the one with the smallest key.
    #[inline(never)]
    fn first_of_equals(&self, lead: u64, keys: &[OrderKey]) -> usize {
        let mut first = None;
        for at in 0..ARITY {
            if self.leads[at] == lead {
                let key = &keys[self.positions[at] as usize];
                if first.is_none_or(|(_, least)| key.is_before(least)) {
                    first = Some((at, key));
                }
            }
        }
        first.expect("one of them has the lead").0
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
        fn walks_like_a_sorted_list((positions, ops) in prop_oneof![1_u32..40, 1_u32..300]
            .prop_flat_map(|p| (Just(p), proptest::collection::vec(op(p), 1..60))))
        {
            let mut tree = WinnerTree::default();
            tree.reset(positions as usize);
            let mut reference = vec![None; positions as usize];
            for op in ops {
                match op {
                    Op::Set(p, v) => {
                        reference[p as usize] = Some(key(v, u64::from(p)));
                        tree.set(p, &key(v, u64::from(p)));
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
        tree.set(0, &key(0, 0));
        assert_eq!(tree.winner(), Some(0));
    }
}

//! A winner tree over the keys of siblings.
//!
//! `set` and `suspend` replay one path, O(log k); `winner` is O(1). Positions are dense and belong to the caller. An
//! absent position has no key and never wins.
//!
//! # Layout
//! Matches are among four, who stand in it in order: their [leads](OrderKey::lead) and positions are one cache line. A replay
//! touches one line a level and compares words; only one of an equal lead has its key looked at. It ends where the first of
//! a match stays as it was. What is known of a position, what the caller notes of it included, is one more line.

use crate::ahead::expect;
use crate::policy::OrderKey;

/// How many meet in a match.
const ARITY: usize = 4;

/// Sorts after every lead of a key.
const NO_LEAD: u64 = u64::MAX;

/// One who takes part in a match: a position itself, or the winner of a match below.
#[derive(Clone, Copy, Debug)]
struct Entrant {
    /// [`NO_LEAD`] when the position is absent or suspended.
    lead: u64,
    position: u32,
}

/// The entrants of one match, in order; who is absent stands last.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Match {
    leads: [u64; ARITY],
    positions: [u32; ARITY],
}

const _: () = assert!(size_of::<Match>() == 64, "one cache line");

/// What is known of one position.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Place {
    /// Of a suspended one too; [`OrderKey::ABSENT`] where there is none.
    key: OrderKey,
    child: u32,
    note: u8,
    is_suspended: bool,
}

const _: () = assert!(size_of::<Place>() == 64, "one cache line");

/// Siblings in order; see the module's text.
#[derive(Debug, Default)]
pub(crate) struct WinnerTree {
    /// By position.
    places: Vec<Place>,
    /// The final is the first; entrant `e`, counted over all matches, takes part in match `e / 4` and was won in match `e + 1`.
    /// The positions are the last entrants, from `first_position` on.
    matches: Vec<Match>,
    first_position: usize,
}

impl WinnerTree {
    /// Where a child or a position is kept and there is none.
    pub(crate) const NOBODY: u32 = u32::MAX;

    /// A tree with room for `positions`, all absent.
    pub(crate) fn of(positions: usize) -> WinnerTree {
        let mut tree = WinnerTree::default();
        tree.reset(positions);
        tree
    }

    /// Empties the tree and makes room for `positions`, all absent.
    pub(crate) fn reset(&mut self, positions: usize) {
        // For nobody there is nothing to keep: most leaf queues of a large tree are empty.
        let (mut width, mut above) = (if positions == 0 { 0 } else { ARITY }, 0);
        while width < positions {
            above += width;
            width *= ARITY;
        }
        self.first_position = above;
        self.places.clear();
        self.places.resize(positions, Place::EMPTY);
        self.matches.clear();
        self.matches.resize((above + width) / ARITY, Match::EMPTY);
    }

    /// How many positions there are, absent ones included.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// Whose number the caller left at a position; [`WinnerTree::NOBODY`] where it left none, or there is no such position.
    #[inline]
    pub(crate) fn child(&self, position: u32) -> u32 {
        self.places.get(position as usize).map_or(WinnerTree::NOBODY, |place| place.child)
    }

    /// Leaves a number at a position; it is the caller's own.
    #[inline]
    pub(crate) fn set_child(&mut self, position: u32, child: u32) {
        self.places[position as usize].child = child;
    }

    /// The numbers that were left, by position.
    pub(crate) fn children(&self) -> impl Iterator<Item = u32> {
        self.places.iter().map(|place| place.child).filter(|child| *child != WinnerTree::NOBODY)
    }

    /// What the caller noted at a position, if there is such a position.
    #[inline]
    pub(crate) fn note(&self, position: u32) -> Option<u8> {
        self.places.get(position as usize).map(|place| place.note)
    }

    /// Notes something at a position, and gives what was noted before; it is the caller's own.
    #[inline]
    pub(crate) fn replace_note(&mut self, position: u32, note: u8) -> u8 {
        std::mem::replace(&mut self.places[position as usize].note, note)
    }

    /// Gives a position its key. A suspended position stays out, and has the key once it is resumed.
    #[inline]
    pub(crate) fn set(&mut self, position: u32, key: &OrderKey) {
        let place = &mut self.places[position as usize];
        place.key = *key;
        if !place.is_suspended {
            self.enter(position, key.lead());
        }
    }

    /// A position will soon have another key.
    #[inline]
    pub(crate) fn expect_change(&self, position: u32) {
        if let Some(place) = self.places.get(position as usize) {
            expect(place);
        }
        if let Some(there) = self.matches.get((self.first_position + position as usize) / ARITY) {
            expect(there);
        }
    }

    /// The same, later: whom it may stand level with then.
    #[inline]
    pub(crate) fn expect_ties(&self, position: u32) {
        let Some(there) = self.matches.get((self.first_position + position as usize) / ARITY) else { return };
        for level in there.positions.iter().filter(|there| **there != position) {
            if let Some(place) = self.places.get(*level as usize) {
                expect(place);
            }
        }
    }

    /// Takes a position out.
    #[inline]
    pub(crate) fn clear(&mut self, position: u32) {
        self.places[position as usize].key = OrderKey::ABSENT;
        // Mostly it is out already.
        let at = self.first_position + position as usize;
        let there = &self.matches[at / ARITY];
        if (0..ARITY).any(|place| there.positions[place] == position && there.leads[place] != NO_LEAD) {
            self.enter(position, NO_LEAD);
        }
    }

    /// Takes a position out for now; its key is kept.
    #[inline]
    pub(crate) fn suspend(&mut self, position: u32) {
        if !std::mem::replace(&mut self.places[position as usize].is_suspended, true) {
            self.enter(position, NO_LEAD);
        }
    }

    /// Puts a suspended position back where it was.
    #[inline]
    pub(crate) fn resume(&mut self, position: u32) {
        // A tree that was filled anew meanwhile has nobody out.
        let Some(place) = self.places.get_mut(position as usize) else { return };
        if std::mem::take(&mut place.is_suspended) {
            let key = &place.key;
            if !key.is_absent() {
                let lead = key.lead();
                self.enter(position, lead);
            }
        }
    }

    /// The position with the smallest key.
    #[inline]
    pub(crate) fn winner(&self) -> Option<u32> {
        let last = self.matches.first()?;
        (last.leads[0] != NO_LEAD).then_some(last.positions[0])
    }

    /// The smallest key; [`OrderKey::ABSENT`] when there is nobody.
    #[inline]
    pub(crate) fn first(&self) -> OrderKey {
        self.winner().map_or(OrderKey::ABSENT, |position| self.places[position as usize].key)
    }

    /// The key of a position has changed, or it enters or leaves: replays its path.
    fn enter(&mut self, position: u32, lead: u64) {
        let WinnerTree { places, matches, first_position } = self;
        let mut before = position;
        let mut now = Entrant { lead, position };
        let mut at = *first_position + position as usize;
        loop {
            let here = &mut matches[at / ARITY];
            let was_first = here.positions[0];
            let place = here.replace(before, now, places);
            now = Entrant { lead: here.leads[0], position: here.positions[0] };
            // Where another one is first, as before, nothing has changed above; the final has nothing above.
            if place != 0 && now.position == was_first || at < ARITY {
                return;
            }
            before = was_first;
            at = at / ARITY - 1;
        }
    }
}

impl Place {
    const EMPTY: Place = Place { key: OrderKey::ABSENT, child: WinnerTree::NOBODY, note: 0, is_suspended: false };
}

impl Match {
    const EMPTY: Match = Match { leads: [NO_LEAD; ARITY], positions: [WinnerTree::NOBODY; ARITY] };

    /// An entrant takes the place of the one with position `before`, or of somebody absent; gives its place now.
    #[inline]
    fn replace(&mut self, before: u32, now: Entrant, places: &[Place]) -> usize {
        // Who is absent stands last, under the position that it had once. No two of a match have one position: each is of
        // another part of the tree.
        let mut at = self.positions.iter().position(|there| *there == before).unwrap_or(ARITY - 1);
        while at > 0 && now.is_before(self.leads[at - 1], self.positions[at - 1], places) {
            self.leads[at % ARITY] = self.leads[at - 1];
            self.positions[at % ARITY] = self.positions[at - 1];
            at -= 1;
        }
        while at < ARITY - 1 && now.is_after(self.leads[at + 1], self.positions[at + 1], places) {
            self.leads[at] = self.leads[at + 1];
            self.positions[at] = self.positions[at + 1];
            at += 1;
        }
        self.leads[at] = now.lead;
        self.positions[at] = now.position;
        at
    }
}

impl Entrant {
    #[inline]
    fn is_before(&self, lead: u64, position: u32, places: &[Place]) -> bool {
        self.lead < lead
            || self.lead == lead && lead != NO_LEAD && self.key(places).is_before(&places[position as usize].key)
    }

    #[inline]
    fn is_after(&self, lead: u64, position: u32, places: &[Place]) -> bool {
        self.lead > lead
            || self.lead == lead && lead != NO_LEAD && places[position as usize].key.is_before(self.key(places))
    }

    #[inline]
    fn key<'k>(&self, places: &'k [Place]) -> &'k OrderKey {
        &places[self.position as usize].key
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
        /// So many are out for a while; meanwhile one of them changes or leaves.
        TakeInOrder(usize, usize, Option<i8>),
    }

    fn op(positions: u32) -> impl Strategy<Value = Op> {
        prop_oneof![
            4 => (0..positions, any::<i8>()).prop_map(|(p, v)| Op::Set(p, v)),
            1 => (0..positions).prop_map(Op::Clear),
            2 => (0..positions as usize + 1, any::<usize>(), any::<Option<i8>>())
                .prop_map(|(n, which, change)| Op::TakeInOrder(n, which, change)),
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
                    Op::TakeInOrder(n, which, change) => {
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
                        if let Some(p) = taken.get(which % taken.len().max(1)).copied() {
                            reference[p as usize] = change.map(|v| key(v, u64::from(p)));
                            match &reference[p as usize] {
                                Some(key) => tree.set(p, key),
                                None => tree.clear(p),
                            }
                            prop_assert_eq!(tree.winner(), sorted.get(taken.len()).copied(), "those that are out stay out");
                        }
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

//! A winner tree over the keys of siblings.
//!
//! To change, take out or put back a key replays one path at most, O(log k); `winner` is O(1). Positions are dense and
//! belong to the caller. An absent position has no key and never wins.
//!
//! # The front cache
//! On a full cluster a container that ends makes its queue the first, and the next grant moves the queue back to its
//! old place. To replay the tree for both would be wasted work. So a child whose key gets smaller moves into a front
//! cache with space for [`ARITY`] children, in order, while the tree goes on with the larger key that it knows. The
//! winner is the first of the front or the winner of the tree, whichever has the smaller key.
//!
//! - A child of the front that gets its old key again leaves the front. The tree is right as it is, without a replay.
//!   This is what happens most.
//! - A child that gets a larger key than the tree knows enters the tree by a replay.
//! - If the front is full and the new child has a smaller lead than the last one in it, the last one enters the tree.
//!
//! If the winner of the tree is itself in the front, its key there is smaller, so the first of the front still comes
//! before it. A tree of one match has no front.
//!
//! # Layout
//! Four entrants meet in a match and are stored in order: their [leads](OrderKey::lead) and positions are one cache
//! line. A replay touches one line a level and compares words; it reads keys only where leads are equal. It ends at the
//! first match whose winner stays the same. What is known of a position, the note of the caller included, is one more
//! line.

use crate::policy::OrderKey;
use crate::prefetch::prefetch;

/// How many entrants meet in a match.
const ARITY: usize = 4;

/// Sorts after every lead of a key.
const NO_LEAD: u64 = u64::MAX;

/// An entrant of a match: a position, or the winner of a match below.
#[derive(Clone, Copy, Debug)]
struct Entrant {
    /// [`NO_LEAD`] when the position is absent or suspended.
    lead: u64,
    position: u32,
}

/// The entrants of one match, in order, absent ones last.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Match {
    leads: [u64; ARITY],
    positions: [u32; ARITY],
}

const _: () = assert!(size_of::<Match>() == 64, "one cache line");

/// What is known of one position, or of a child in the front, whose position is `child`.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Place {
    /// As the tree knows it; smaller in the front. Of a suspended one too; [`OrderKey::ABSENT`] where there is none.
    key: OrderKey,
    child: u32,
    note: u8,
    is_suspended: bool,
    /// 1 + its index in the front; 0 if it is not there.
    in_front: u8,
}

const _: () = assert!(size_of::<Place>() == 64, "one cache line");

/// Siblings in order; see the module's text.
#[derive(Debug, Default)]
pub(crate) struct WinnerTree {
    /// By position; then, where there is a front, its [`ARITY`] places, of which some are free.
    places: Vec<Place>,
    /// The final is the first; entrant `e`, counted over all matches, takes part in match `e / 4` and was won in match
    /// `e + 1`. The positions are the last entrants, from `first_position` on. Where there is more than one match there
    /// is one more, the front: its entrants are those of its places, the free ones absent.
    matches: Vec<Match>,
    first_position: u32,
    /// How many children are in the front. If there are none, the front is not read.
    in_front: u32,
}

impl WinnerTree {
    /// No child, and no position.
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
        self.first_position = u32::try_from(above).expect("positions have 32 bits");
        self.in_front = 0;
        self.places.clear();
        self.matches.clear();
        // One match is not worth a front.
        let front = if width > ARITY { ARITY } else { 0 };
        self.places.resize(positions + front, Place::EMPTY);
        self.matches.resize((above + width + front) / ARITY, Match::EMPTY);
        if let Some(match_in_front) = self.matches.last_mut().filter(|_| front > 0) {
            let first = u32::try_from(positions).expect("positions have 32 bits");
            (match_in_front.positions).iter_mut().zip(first..).for_each(|(free, place)| *free = place);
        }
    }

    /// How many positions there are, absent ones included.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.places.len() - if self.has_front() { ARITY } else { 0 }
    }

    #[inline]
    fn has_front(&self) -> bool {
        self.matches.len() > 1
    }

    /// Not of the front: to the caller there is no such position.
    #[inline]
    fn place(&self, position: u32) -> Option<&Place> {
        self.places.get(position as usize).filter(|_| (position as usize) < self.len())
    }

    /// The number that the caller has stored at a position; [`WinnerTree::NOBODY`] if there is none.
    #[inline]
    pub(crate) fn child(&self, position: u32) -> u32 {
        self.place(position).map_or(WinnerTree::NOBODY, |place| place.child)
    }

    /// Stores a number of the caller's at a position.
    #[inline]
    pub(crate) fn set_child(&mut self, position: u32, child: u32) {
        debug_assert!((position as usize) < self.len(), "a position");
        self.places[position as usize].child = child;
    }

    /// The numbers that were left, by position.
    pub(crate) fn children(&self) -> impl Iterator<Item = u32> {
        self.places[..self.len()].iter().map(|place| place.child).filter(|child| *child != WinnerTree::NOBODY)
    }

    /// What the caller noted at a position, if there is such a position.
    #[inline]
    pub(crate) fn note(&self, position: u32) -> Option<u8> {
        self.place(position).map(|place| place.note)
    }

    /// Notes something at a position, and gives what was noted before; it is the caller's own.
    #[inline]
    pub(crate) fn replace_note(&mut self, position: u32, note: u8) -> u8 {
        debug_assert!((position as usize) < self.len(), "a position");
        std::mem::replace(&mut self.places[position as usize].note, note)
    }

    /// Gives a position its key. A suspended position stays out, and has the key once it is resumed.
    // Inlined, so that keys are written where they belong out of registers. One written and then copied in larger
    // pieces would be waited for until it is in the cache, behind all that was written before.
    #[inline(always)]
    pub(crate) fn set(&mut self, position: u32, key: &OrderKey) {
        debug_assert!((position as usize) < self.len(), "a position");
        let lead = key.lead();
        let place = &self.places[position as usize];
        let is_smaller = key.is_before(&place.key);
        if place.in_front != 0 {
            if is_smaller {
                let there = self.place_in_front(place.in_front);
                self.places[there as usize].key = *key;
                self.insert_in_front(there, lead);
                return;
            }
            let is_as_before = *key == place.key;
            self.leave_front(position);
            if is_as_before {
                return;
            }
        } else if is_smaller
            && !place.is_suspended
            && let Some(there) = self.move_to_front(position, lead)
        {
            self.places[there as usize].key = *key;
            self.insert_in_front(there, lead);
            return;
        }
        let place = &mut self.places[position as usize];
        place.key = *key;
        if !place.is_suspended {
            self.enter(position, lead);
        }
    }

    /// A position will soon have another key.
    #[inline]
    pub(crate) fn prefetch_change(&self, position: u32) {
        if let Some(place) = self.places.get(position as usize) {
            prefetch(place);
        }
        if let [decider, .., front] = &self.matches[..] {
            prefetch(decider);
            prefetch(front);
        }
    }

    /// The same, later: prefetches the children of the front that the position may tie with.
    #[inline]
    pub(crate) fn prefetch_ties(&self) {
        if let Some(decider) = self.matches.first()
            && let Some(place) = self.places.get(decider.positions[0] as usize)
        {
            prefetch(place);
        }
    }

    /// Takes a position out.
    #[inline]
    pub(crate) fn clear(&mut self, position: u32) {
        self.leave_front(position);
        self.places[position as usize].key = OrderKey::ABSENT;
        // Mostly it is out already.
        let at = (self.first_position + position) as usize;
        let there = &self.matches[at / ARITY];
        if (0..ARITY).any(|place| there.positions[place] == position && there.leads[place] != NO_LEAD) {
            self.enter(position, NO_LEAD);
        }
    }

    /// Takes a position out for now; its key is kept.
    #[inline]
    pub(crate) fn suspend(&mut self, position: u32) {
        let key = *self.key(position);
        self.leave_front(position);
        let place = &mut self.places[position as usize];
        place.key = key;
        if !std::mem::replace(&mut place.is_suspended, true) {
            self.enter(position, NO_LEAD);
        }
    }

    /// Puts a suspended position back where it was.
    #[inline]
    pub(crate) fn resume(&mut self, position: u32) {
        // A tree that was filled anew meanwhile has nobody out.
        if (position as usize) < self.len()
            && let place = &mut self.places[position as usize]
            && std::mem::take(&mut place.is_suspended)
            && !place.key.is_absent()
        {
            let lead = place.key.lead();
            self.enter(position, lead);
        }
    }

    /// The position with the smallest key.
    #[inline]
    pub(crate) fn winner(&self) -> Option<u32> {
        let decider = self.matches.first()?;
        let (lead, position) = (decider.leads[0], decider.positions[0]);
        if self.in_front > 0
            && let Some(front) = self.matches.last()
            && front.leads[0] <= lead
        {
            let place = &self.places[front.positions[0] as usize];
            if front.leads[0] < lead || place.key.is_before(&self.places[position as usize].key) {
                return Some(place.child);
            }
        }
        (lead != NO_LEAD).then_some(position)
    }

    /// The smallest key; [`OrderKey::ABSENT`] when there is nobody.
    #[inline]
    pub(crate) fn first(&self) -> OrderKey {
        self.winner().map_or(OrderKey::ABSENT, |position| *self.key(position))
    }

    /// The key that a position was given last.
    fn key(&self, position: u32) -> &OrderKey {
        let place = &self.places[position as usize];
        if place.in_front == 0 { &place.key } else { &self.places[self.place_in_front(place.in_front) as usize].key }
    }

    /// Where somebody in front has its place there.
    #[inline]
    fn place_in_front(&self, in_front: u8) -> u32 {
        u32::try_from(self.len()).expect("positions have 32 bits") + u32::from(in_front) - 1
    }

    /// A position that is in the tree gets a smaller key, of this lead: its place in front, if there is a front that
    /// has room or can make some, by having its last one enter.
    #[inline]
    fn move_to_front(&mut self, position: u32, lead: u64) -> Option<u32> {
        // Who is absent may stay for long.
        if !self.has_front() || self.places[position as usize].key.is_absent() {
            return None;
        }
        if self.in_front as usize == ARITY {
            if lead >= self.matches.last()?.leads[ARITY - 1] {
                return None;
            }
            self.enter_last();
        }
        let there = self.matches.last()?.positions[self.in_front as usize % ARITY];
        self.in_front += 1;
        self.places[there as usize].child = position;
        self.places[position as usize].in_front =
            u8::try_from(there as usize - self.len() + 1).expect("places in front are few");
        Some(there)
    }

    /// The last of a full front enters the tree.
    #[cold]
    fn enter_last(&mut self) {
        let Some(front) = self.matches.last() else { return };
        let Place { child: position, key, .. } = self.places[front.positions[ARITY - 1] as usize];
        self.leave_front(position);
        self.places[position as usize].key = key;
        self.enter(position, key.lead());
    }

    /// Who has a place in front, and its key there, stands where that belongs; with [`NO_LEAD`] it leaves the place.
    // Not inlined, so that it is where a path is replayed, at each level: the compiler does not do both.
    #[inline(never)]
    fn insert_in_front(&mut self, there: u32, lead: u64) {
        if let Some(front) = self.matches.last_mut() {
            front.replace(there, Entrant { lead, position: there }, &self.places);
        }
    }

    /// Who stands in front, if it does, has the key that the tree knows.
    #[inline]
    fn leave_front(&mut self, position: u32) {
        let in_front = std::mem::take(&mut self.places[position as usize].in_front);
        if in_front == 0 {
            return;
        }
        self.in_front -= 1;
        self.insert_in_front(self.place_in_front(in_front), NO_LEAD);
    }

    /// The key of a position has changed, or it enters or leaves: replays its path.
    fn enter(&mut self, position: u32, lead: u64) {
        let WinnerTree { places, matches, first_position, .. } = self;
        let mut before = position;
        let mut now = Entrant { lead, position };
        let mut at = (*first_position + position) as usize;
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
    const EMPTY: Place =
        Place { key: OrderKey::ABSENT, child: WinnerTree::NOBODY, note: 0, is_suspended: false, in_front: 0 };
}

impl Match {
    const EMPTY: Match = Match { leads: [NO_LEAD; ARITY], positions: [WinnerTree::NOBODY; ARITY] };

    /// An entrant takes the place of the one with position `before`, or of somebody absent; gives its place now.
    #[inline(always)]
    fn replace(&mut self, before: u32, now: Entrant, places: &[Place]) -> usize {
        // Who is absent stands last, under the position that it had once, or that is free in front. No two of a match
        // have one position: each is of another part of the tree. Only nobody may be there more than once, and is
        // absent.
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
        // Keys of one lead that differ.
        let (lead, rest) = (f64::from(value.div_euclid(4)), f64::from(value.rem_euclid(4)));
        OrderKey::of(0, [lead, rest, 0.0, 0.0], Tie { start_ms: 0, name }).unwrap()
    }

    #[derive(Clone, Debug)]
    enum Op {
        Set(u32, i8),
        /// Up or down by so much, and perhaps back again after the next ones.
        Move(u32, i8),
        Back(u32),
        Clear(u32),
        /// So many are out for a while; meanwhile one of them changes or leaves.
        TakeInOrder(usize, usize, Option<i8>),
    }

    fn op(positions: u32) -> impl Strategy<Value = Op> {
        prop_oneof![
            4 => (0..positions, any::<i8>()).prop_map(|(p, v)| Op::Set(p, v)),
            8 => (0..positions.min(9), -2_i8..=1).prop_map(|(p, by)| Op::Move(p, by)),
            8 => (0..positions.min(9)).prop_map(Op::Back),
            1 => (0..positions).prop_map(Op::Clear),
            2 => (0..positions as usize + 1, any::<usize>(), any::<Option<i8>>())
                .prop_map(|(n, which, change)| Op::TakeInOrder(n, which, change)),
        ]
    }

    proptest! {
        /// The tree, walked by suspending winners, gives the order of a sorted reference; resuming restores it.
        #[test]
        fn walks_like_a_sorted_list((positions, all, ops) in prop_oneof![1_u32..40, 1_u32..300]
            .prop_flat_map(|p| (Just(p), any::<i8>(), proptest::collection::vec(op(p), 1..120))))
        {
            let mut tree = WinnerTree::default();
            tree.reset(positions as usize);
            let mut reference = vec![None; positions as usize];
            // What each has, and had before it moved.
            let mut values = vec![(all, all); positions as usize];
            // Names against the positions: ties are not decided by who is where.
            let named = |p: u32, v| key(v, u64::from(!p));
            for p in 0..positions {
                reference[p as usize] = Some(named(p, all));
                tree.set(p, &named(p, all));
            }
            for op in ops {
                match op {
                    Op::Set(p, _) | Op::Move(p, _) | Op::Back(p) => {
                        let (now, before) = values[p as usize];
                        let new = match op {
                            Op::Set(_, v) => v,
                            Op::Move(_, by) => now.saturating_add(by),
                            Op::Back(_) | Op::Clear(_) | Op::TakeInOrder(..) => before,
                        };
                        values[p as usize] = (new, if matches!(op, Op::Move(..)) { before } else { new });
                        reference[p as usize] = Some(named(p, new));
                        tree.set(p, &named(p, new));
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
                            reference[p as usize] = change.map(|v| named(p, v));
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
                let first = least.and_then(|p| reference[p as usize]).unwrap_or(OrderKey::ABSENT);
                prop_assert_eq!(tree.first(), first);
                // Who stands in front has a smaller key than the tree has of it, and one of its places.
                let in_front: Vec<_> = (0..positions).filter(|p| tree.places[*p as usize].in_front != 0).collect();
                prop_assert!(in_front.iter().all(|p| tree.key(*p).is_before(&tree.places[*p as usize].key)));
                let places = tree.matches.last().filter(|_| tree.has_front()).map_or(0, |front| {
                    front.leads.iter().filter(|lead| **lead != NO_LEAD).count()
                });
                prop_assert_eq!(in_front.len(), places);
                // Its places are there once each, taken or free, and the caller sees none of them.
                if tree.has_front() {
                    let mut all = tree.matches.last().unwrap().positions;
                    all.sort_unstable();
                    prop_assert!(all.into_iter().eq(positions..positions + 4));
                    let own = |p: &u32| tree.place_in_front(tree.places[*p as usize].in_front) as usize;
                    prop_assert!(in_front.iter().all(|p| tree.places[own(p)].child == *p));
                }
                prop_assert!((positions..positions + 5).all(|p| tree.child(p) == WinnerTree::NOBODY && tree.note(p).is_none()));
                prop_assert_eq!(in_front.len(), tree.in_front as usize);
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

    #[test]
    fn who_was_out_of_another_tree_stays_out() {
        let mut tree = WinnerTree::of(8);
        (0..8).for_each(|p| tree.set(p, &key(10, u64::from(p))));
        tree.set(6, &key(1, 6));
        tree.suspend(6);
        tree.reset(3);
        tree.resume(6);
        assert_eq!((tree.winner(), tree.len()), (None, 3));
        tree.reset(5);
        (0..5).for_each(|p| tree.set(p, &key(10, u64::from(p))));
        tree.resume(6);
        assert_eq!(tree.winner(), Some(0));
        tree.set(4, &key(1, 4));
        tree.clear(4);
        assert_eq!((tree.winner(), tree.in_front), (Some(0), 0));
    }
}

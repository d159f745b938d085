//! Applications that wait, in the order in which they came: each comes and goes in O(log n), however many wait.
//!
//! Plain data of the control. `K` is what else decides whether one of a list may run: in a leaf queue's the user, in a
//! user's the leaf queue.

use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::ops::Bound;

/// See the module's text. Applications are numbers of their owner's.
#[derive(Debug)]
pub(crate) struct Waiting<K> {
    by_turn: BTreeMap<u64, u32>,
    of: FxHashMap<u32, (u64, K)>,
    /// How many there are of each kind. Seeded: whoever submits may choose a user's name.
    kinds: HashMap<K, usize>,
    next: u64,
}

impl<K> Default for Waiting<K> {
    fn default() -> Waiting<K> {
        Waiting { by_turn: BTreeMap::new(), of: FxHashMap::default(), kinds: HashMap::new(), next: 0 }
    }
}

impl<K: Clone + Eq + Hash> Waiting<K> {
    /// One more, behind all others; one that waits already keeps its turn.
    pub(crate) fn push(&mut self, app: u32, kind: K) {
        if self.of.contains_key(&app) {
            return self.becomes(app, kind);
        }
        *self.kinds.entry(kind.clone()).or_default() += 1;
        self.of.insert(app, (self.next, kind));
        self.by_turn.insert(self.next, app);
        self.next += 1;
    }

    /// One that waits is of another kind from now on, and keeps its turn.
    pub(crate) fn becomes(&mut self, app: u32, kind: K) {
        let Some((_, known)) = self.of.get_mut(&app) else { return };
        *self.kinds.entry(kind.clone()).or_default() += 1;
        let before = std::mem::replace(known, kind);
        self.one_less(&before);
    }

    /// One that need not wait here is ignored; whether it did.
    pub(crate) fn remove(&mut self, app: u32) -> bool {
        let Some((turn, kind)) = self.of.remove(&app) else { return false };
        self.by_turn.remove(&turn);
        self.one_less(&kind);
        true
    }

    fn one_less(&mut self, kind: &K) {
        if let Some(count) = self.kinds.get_mut(kind) {
            *count -= 1;
            if *count == 0 {
                self.kinds.remove(kind);
            }
        }
    }

    /// How many there are, as all lists have it; `None` where they differ.
    #[cfg(feature = "faults")]
    pub(crate) fn count(&self) -> Option<usize> {
        let (len, of_kinds) = (self.by_turn.len(), self.kinds.values().sum::<usize>());
        ([self.of.len(), of_kinds] == [len; 2]).then_some(len)
    }

    /// Whether one waits here, and is of this kind.
    #[cfg(feature = "faults")]
    pub(crate) fn has(&self, app: u32, kind: &K) -> bool {
        self.of.get(&app).is_some_and(|(turn, known)| known == kind && self.by_turn.get(turn) == Some(&app))
    }

    pub(crate) fn len(&self) -> usize {
        self.by_turn.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.by_turn.is_empty()
    }

    /// Of which kinds they are, in no order that means anything.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = &K> {
        self.kinds.keys()
    }

    /// Who comes after a turn, or first, and with which turn.
    pub(crate) fn after(&self, turn: Option<u64>) -> Option<(u64, u32)> {
        let from = turn.map_or(Bound::Unbounded, Bound::Excluded);
        self.by_turn.range((from, Bound::Unbounded)).next().map(|(turn, app)| (*turn, *app))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(waiting: &Waiting<&str>) -> Vec<u32> {
        std::iter::successors(waiting.after(None), |(turn, _)| waiting.after(Some(*turn))).map(|(_, app)| app).collect()
    }

    #[test]
    fn they_stand_in_the_order_in_which_they_came() {
        let mut waiting = Waiting::default();
        [5, 3, 9, 3].into_iter().for_each(|app| waiting.push(app, "ann"));
        assert_eq!((all(&waiting), waiting.len()), (vec![5, 3, 9], 3));
        assert!(waiting.remove(3) && !waiting.remove(4));
        waiting.push(3, "ann");
        assert_eq!(all(&waiting), [5, 9, 3]);
        [5, 9, 3].into_iter().for_each(|app| assert!(waiting.remove(app)));
        assert!(waiting.is_empty());
    }

    #[test]
    fn the_kinds_are_those_of_who_waits() {
        let mut waiting = Waiting::default();
        let kinds = |waiting: &Waiting<&'static str>| {
            let mut kinds: Vec<&str> = waiting.kinds().copied().collect();
            kinds.sort_unstable();
            (kinds.join(" "), waiting.count())
        };
        [(1, "ann"), (2, "bob"), (3, "ann")].into_iter().for_each(|(app, kind)| waiting.push(app, kind));
        assert_eq!(kinds(&waiting), ("ann bob".to_owned(), Some(3)));
        waiting.becomes(2, "cy");
        waiting.becomes(7, "dee");
        waiting.remove(1);
        assert_eq!(kinds(&waiting), ("ann cy".to_owned(), Some(2)));
        waiting.push(3, "cy");
        assert_eq!((kinds(&waiting), all(&waiting)), (("cy".to_owned(), Some(2)), vec![2, 3]));
        assert!(waiting.has(3, &"cy") && !waiting.has(3, &"ann") && !waiting.has(1, &"ann"));
    }
}

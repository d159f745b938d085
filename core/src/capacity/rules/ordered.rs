//! The lists of applications of a leaf: a list that is searched from the front, as fast as a tree while that makes no
//! difference.
//!
//! Follows rules/capacity.md 13.3. Hadoop's list is never sorted anew: who changed while it stayed may stand anywhere,
//! and is met by place. As long as every entry stands where its rank puts it, a tree of keys has the same order:
//! entering and leaving are O(log entries). A list in which that is no longer so goes on by place, with O(entries),
//! until it is empty or filled anew.

use super::order::{AppKey, AppOrder, AppRank};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::Bound;

/// What entries are: numbers that their owner gives to applications.
pub(crate) type AppEntry = u32;

/// Where a walk has got to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    /// After this one.
    Key(AppKey),
    /// Before this one.
    At(usize),
}

/// See the module's text.
#[derive(Clone, Debug)]
pub(crate) struct Ordered {
    sorted: BTreeMap<AppKey, AppEntry>,
    /// By place, and then nothing is sorted.
    places: Option<Vec<AppEntry>>,
    /// It does not become sorted again.
    never_sorts: bool,
}

impl Ordered {
    /// `never_sorts`: it is searched from the front, always, as Hadoop's is.
    pub(crate) fn new(never_sorts: bool) -> Ordered {
        Ordered { sorted: BTreeMap::new(), places: never_sorts.then(Vec::new), never_sorts }
    }

    /// Another one, empty.
    pub(crate) fn anew(&self) -> Ordered {
        Ordered::new(self.never_sorts)
    }

    pub(crate) fn is_sorted(&self) -> bool {
        self.places.is_none()
    }

    pub(crate) fn len(&self) -> usize {
        self.places.as_ref().map_or(self.sorted.len(), Vec::len)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = AppEntry> + '_ {
        let by_place = self.places.iter().flatten();
        by_place.chain(self.sorted.values()).copied()
    }

    /// An entry's rank is to change while it stays, or an application is in more lists than one: places count from now
    /// on.
    pub(crate) fn stop_sorting(&mut self) {
        if self.places.is_none() {
            self.places = Some(std::mem::take(&mut self.sorted).into_values().collect());
        }
    }

    /// The first at or after a place of a walk, and where the walk is then.
    pub(crate) fn next(&self, after: Option<Place>) -> Option<(Place, AppEntry)> {
        match (&self.places, after) {
            (Some(places), after) => {
                let at = if let Some(Place::At(at)) = after { at } else { 0 };
                places.get(at).map(|entry| (Place::At(at + 1), *entry))
            }
            (None, Some(Place::Key(key))) => {
                let mut later = self.sorted.range((Bound::Excluded(key), Bound::Unbounded));
                later.next().map(|(key, entry)| (Place::Key(*key), *entry))
            }
            (None, _) => self.sorted.first_key_value().map(|(key, entry)| (Place::Key(*key), *entry)),
        }
    }

    /// The first that does not come before it, and whether it is equal.
    fn find(places: &[AppEntry], rank: &AppRank, by: AppOrder, rank_of: impl Fn(AppEntry) -> AppRank) -> (usize, bool) {
        for (at, other) in places.iter().enumerate() {
            match by.compare(&rank_of(*other), rank) {
                Ordering::Less => {}
                Ordering::Equal => return (at, true),
                Ordering::Greater => return (at, false),
            }
        }
        (places.len(), false)
    }

    pub(crate) fn contains(&self, rank: &AppRank, by: AppOrder, rank_of: impl Fn(AppEntry) -> AppRank) -> bool {
        match &self.places {
            Some(places) => Ordered::find(places, rank, by, rank_of).1,
            None => by.key(rank).is_some_and(|key| self.sorted.contains_key(&key)),
        }
    }

    /// Whether it was put in: not where one is that compares as equal.
    pub(crate) fn insert(
        &mut self,
        entry: AppEntry,
        rank: &AppRank,
        by: AppOrder,
        rank_of: impl Fn(AppEntry) -> AppRank,
    ) -> bool {
        let key = by.key(rank);
        if key.is_none() {
            self.stop_sorting();
        }
        match (&mut self.places, key) {
            (None, Some(key)) => {
                let there = self.sorted.contains_key(&key);
                if !there {
                    self.sorted.insert(key, entry);
                }
                !there
            }
            (places, _) => {
                let places = places.get_or_insert_default();
                let (at, there) = Ordered::find(places, rank, by, rank_of);
                if !there {
                    places.insert(at, entry);
                }
                !there
            }
        }
    }

    /// The entry that was taken out, if one was found.
    pub(crate) fn remove(
        &mut self,
        rank: &AppRank,
        by: AppOrder,
        rank_of: impl Fn(AppEntry) -> AppRank,
    ) -> Option<AppEntry> {
        let Some(places) = &mut self.places else {
            return by.key(rank).and_then(|key| self.sorted.remove(&key));
        };
        let (at, there) = Ordered::find(places, rank, by, rank_of);
        let entry = there.then(|| places.remove(at));
        if places.is_empty() && !self.never_sorts {
            self.places = None;
        }
        entry
    }

    /// This very entry, wherever it stands.
    pub(crate) fn remove_entry(&mut self, entry: AppEntry, rank: &AppRank, by: AppOrder) {
        match &mut self.places {
            Some(places) => places.retain(|other| *other != entry),
            None => drop(by.key(rank).and_then(|key| self.sorted.remove(&key))),
        }
    }

    /// From the last on, each time the one before the first that does not come before the present one.
    pub(crate) fn backwards(&self, by: AppOrder, rank_of: impl Fn(AppEntry) -> AppRank) -> Vec<AppEntry> {
        let Some(places) = &self.places else { return self.sorted.values().rev().copied().collect() };
        let mut out = Vec::with_capacity(places.len());
        let mut end = places.len();
        // An entry that stands out of order could be met again and again.
        while end > 0 && out.len() < places.len() {
            let entry = places[end - 1];
            out.push(entry);
            end = Ordered::find(places, &rank_of(entry), by, &rank_of).0;
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capacity::rules::order::FairCache;
    use proptest::prelude::*;

    const ORDERS: [AppOrder; 4] = [
        AppOrder::Fifo,
        AppOrder::Waiting,
        AppOrder::Fair { size_based_weight: false },
        AppOrder::Fair { size_based_weight: true },
    ];

    proptest! {
        /// While ranks stay as they are, and where they are no numbers, both forms are the same list.
        #[test]
        fn a_tree_is_the_list_that_is_searched_from_the_front(
            ranks in prop::collection::vec((-1_i32..2, 0_u64..2, 0_i64..4, -2_i64..3), 8),
            steps in prop::collection::vec((0_usize..8, any::<bool>()), 1..60),
            order in 0_usize..4,
        ) {
            let by = ORDERS[order];
            let ranks: Vec<AppRank> = ranks
                .iter()
                .zip(0_u32..)
                .map(|((priority, start_ms, used_mb, pending_mb), number)| AppRank {
                    recovered: number % 2 == 0,
                    number,
                    priority: *priority,
                    start_ms: *start_ms,
                    fair: FairCache { used_mb: *used_mb, pending_mb: *pending_mb },
                })
                .collect();
            let rank_of = |entry: AppEntry| ranks[entry as usize];
            let (mut tree, mut list) = (Ordered::new(false), Ordered::new(true));
            for (who, comes) in steps {
                let (entry, rank) = (u32::try_from(who).unwrap(), ranks[who]);
                if comes {
                    prop_assert_eq!(tree.insert(entry, &rank, by, rank_of), list.insert(entry, &rank, by, rank_of));
                } else {
                    prop_assert_eq!(tree.remove(&rank, by, rank_of), list.remove(&rank, by, rank_of));
                }
                prop_assert_eq!(tree.iter().collect::<Vec<_>>(), list.iter().collect::<Vec<_>>());
                prop_assert_eq!(tree.backwards(by, rank_of), list.backwards(by, rank_of));
                let (mut walked, mut place) = (Vec::new(), None);
                while let Some((after, entry)) = tree.next(place) {
                    walked.push(entry);
                    place = Some(after);
                }
                prop_assert_eq!(walked, list.iter().collect::<Vec<_>>());
            }
        }
    }
}

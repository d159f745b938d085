//! The racks and nodes that one key of an application names, as one worker knows them.
//!
//! Plain data of one worker. A location is found in O(1): among few by looking at each, among many by a map. A key may name
//! every node of the cluster, and each visit of its application asks for one or two of its locations, mostly to learn that
//! nothing is wanted there: a bit a location says that, in memory so small that it stays in the caches.

use super::ledger::LocationCount;
use crate::resource::Resource;
use rustc_hash::FxHashMap;
use std::cell::Cell;

/// So many are looked through; beyond, there is a map.
const FEW: usize = 8;

/// A rack or node of a key.
#[derive(Debug)]
pub(super) struct LocationRow {
    pub(super) location: u32,
    pub(super) size: Resource,
    pub(super) relax: bool,
    pub(super) count: LocationCount,
    /// Of the count, as far as this worker knows.
    pub(super) epoch: u32,
    /// The AM itself said 0: then the row still counts as a location, in Hadoop.
    pub(super) explicit_zero: bool,
}

impl LocationRow {
    /// Whether Hadoop would have the row: one counted down to nothing is dropped.
    pub(super) fn present(&self) -> bool {
        self.explicit_zero || self.count.left() > 0
    }
}

/// See the module's text. Most keys name no location, so that an empty one is a word.
#[derive(Debug, Default)]
pub(super) struct LocationRows(Option<Box<Table>>);

#[derive(Debug, Default)]
struct Table {
    /// By row: its location once more, so that a search reads one line or two.
    locations: Vec<u32>,
    rows: Vec<LocationRow>,
    /// Rows by location, once there are more than [`FEW`].
    index: FxHashMap<u32, u32>,
    /// By location, once there are more rows than [`FEW`]: something may be wanted there. Set with every change, cleared by
    /// who finds nothing left.
    may_pend: Vec<Cell<u64>>,
    /// Some row was not relaxed, now or before.
    any_strict: bool,
    /// A row that was present when it was last asked for one.
    seen: Cell<usize>,
}

impl LocationRows {
    /// Whether no location was named since all were forgotten.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// All rows, in the order in which they were first named, those counted down to nothing included.
    pub(super) fn iter(&self) -> impl Iterator<Item = &LocationRow> {
        self.0.iter().flat_map(|table| &table.rows)
    }

    /// The row of a location.
    #[inline]
    pub(super) fn get(&self, location: u32) -> Option<&LocationRow> {
        let table = self.0.as_deref()?;
        table.find(location).map(|at| &table.rows[at])
    }

    /// The row of a location with something left.
    #[inline]
    pub(super) fn pending(&self, location: u32) -> Option<&LocationRow> {
        let table = self.0.as_deref()?;
        let pending = |row: &&LocationRow| row.count.left() > 0;
        if table.rows.len() <= FEW {
            return self.get(location).filter(pending);
        }
        let word = table.may_pend.get(location as usize / 64)?;
        let bit = 1 << (location % 64);
        if word.get() & bit == 0 {
            return None;
        }
        let row = self.get(location).filter(pending);
        if row.is_none() {
            word.set(word.get() & !bit);
        }
        row
    }

    /// Changes the row of a location, whose relaxation becomes `relax`; says whether there is one.
    pub(super) fn change(&mut self, location: u32, relax: bool, change: impl FnOnce(&mut LocationRow)) -> bool {
        let Some(table) = self.0.as_deref_mut() else { return false };
        let Some(at) = table.find(location) else { return false };
        let row = &mut table.rows[at];
        change(row);
        row.relax = relax;
        table.note(location, relax);
        true
    }

    /// A unit of a location's row was taken, so what the AM has said of it is over.
    pub(super) fn forget_zero(&mut self, location: u32) {
        if let Some(table) = self.0.as_deref_mut()
            && let Some(at) = table.find(location)
        {
            table.rows[at].explicit_zero = false;
        }
    }

    /// Whether there may be a row that is not relaxed.
    #[inline]
    pub(super) fn any_strict(&self) -> bool {
        self.0.as_ref().is_some_and(|table| table.any_strict)
    }

    /// The row of a location, if Hadoop would have it.
    #[inline]
    pub(super) fn present(&self, location: u32) -> Option<&LocationRow> {
        self.get(location).filter(|row| row.present())
    }

    /// Whether Hadoop would have any row.
    pub(super) fn any_present(&self) -> bool {
        let Some(table) = &self.0 else { return false };
        let from = table.seen.get();
        let later = table.rows.iter().enumerate().skip(from);
        let found = later.chain(table.rows.iter().enumerate().take(from)).find(|(_, row)| row.present());
        found.inspect(|(at, _)| table.seen.set(*at)).is_some()
    }

    /// A row in place of the one of its location, if there is one.
    pub(super) fn put(&mut self, row: LocationRow) {
        let table = self.0.get_or_insert_default();
        match table.find(row.location) {
            Some(at) => {
                table.note(row.location, row.relax);
                table.rows[at] = row;
            }
            None => table.push(row),
        }
    }

    /// No location is named any more.
    pub(super) fn clear(&mut self) {
        self.0 = None;
    }
}

impl Table {
    #[inline]
    fn find(&self, location: u32) -> Option<usize> {
        if self.rows.len() <= FEW {
            self.locations.iter().position(|known| *known == location)
        } else {
            self.index.get(&location).map(|at| *at as usize)
        }
    }

    /// Something may be wanted at a location that has a row.
    fn note(&mut self, location: u32, relax: bool) {
        self.any_strict |= !relax;
        if self.rows.len() > FEW {
            let word = location as usize / 64;
            if self.may_pend.len() <= word {
                self.may_pend.resize(word + 1, Cell::new(0));
            }
            *self.may_pend[word].get_mut() |= 1 << (location % 64);
        }
    }

    fn push(&mut self, row: LocationRow) {
        let relax = row.relax;
        self.locations.push(row.location);
        self.rows.push(row);
        if self.rows.len() == FEW + 1 {
            for at in 0..FEW {
                self.index_row(at);
            }
        }
        if self.rows.len() > FEW {
            self.index_row(self.rows.len() - 1);
        }
        self.any_strict |= !relax;
    }

    fn index_row(&mut self, at: usize) {
        let location = self.locations[at];
        self.index.insert(location, u32::try_from(at).expect("locations are u32"));
        self.note(location, self.rows[at].relax);
    }
}

#[cfg(test)]
mod tests {
    use super::super::lease::AskCount;
    use super::*;
    use crate::sync::Arc;

    fn row(location: u32, count: u32) -> LocationRow {
        LocationRow {
            location,
            size: Resource::new(1024, 1),
            relax: true,
            count: Arc::new(AskCount::new(count)),
            epoch: 0,
            explicit_zero: false,
        }
    }

    #[test]
    fn few_and_many_are_found_again() {
        let mut rows = LocationRows::default();
        assert!(rows.is_empty() && rows.get(1).is_none());
        for location in 0..3 * 8 {
            rows.put(row(7 * location, location));
            for known in 0..=location {
                assert_eq!(rows.get(7 * known).map(|row| row.count.left()), Some(known));
            }
            assert!(rows.get(7 * location + 1).is_none());
        }
        rows.put(row(14, 100));
        assert_eq!((rows.get(14).map(|row| row.count.left()), rows.iter().count()), (Some(100), 24));
        rows.clear();
        assert!(rows.is_empty() && rows.get(14).is_none());
    }

    #[test]
    fn what_is_counted_down_is_not_present() {
        let mut rows = LocationRows::default();
        for location in 0..20 {
            rows.put(row(location, 1));
        }
        for location in (0..20).rev() {
            assert!(rows.any_present() && rows.present(location).is_some());
            assert!(rows.get(location).is_some_and(|row| row.count.take_one(0)));
            assert!(rows.present(location).is_none());
        }
        assert!(!rows.any_present());
        assert!(rows.change(3, true, |row| row.explicit_zero = true) && !rows.change(20, true, |_| {}));
        assert!(rows.any_present() && rows.present(3).is_some());
    }

    #[test]
    fn what_is_left_is_pending_until_it_is_taken() {
        let mut rows = LocationRows::default();
        assert!(rows.pending(5).is_none());
        for location in [5, 700, 64, 3, 1000, 12, 13, 14, 15, 16] {
            rows.put(row(location, 1));
        }
        for location in [5, 700, 16] {
            assert!(rows.pending(location).is_some_and(|row| row.count.take_one(0)));
            assert!(rows.pending(location).is_none() && rows.pending(location + 1000).is_none());
            assert!(rows.change(location, true, |row| row.epoch = row.count.replace(2)));
            assert_eq!(rows.pending(location).map(|row| row.count.left()), Some(2));
        }
        assert!(rows.pending(3).is_some() && rows.pending(4).is_none());
    }

    #[test]
    fn one_row_that_is_not_relaxed_is_noticed() {
        let mut rows = LocationRows::default();
        rows.put(row(1, 1));
        assert!(!rows.any_strict());
        assert!(rows.change(1, false, |_| {}) && rows.any_strict());
        rows.clear();
        rows.put(LocationRow { relax: false, ..row(1, 1) });
        assert!(rows.any_strict());
    }
}

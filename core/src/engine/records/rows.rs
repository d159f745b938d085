//! The racks and nodes that one key of an application names, as one worker knows them.
//!
//! Plain data of one worker. A key may name every node of the cluster, and each visit of its application asks for one
//! or two of its locations, mostly to learn that nothing is wanted there; an AM changes a dozen with a call. So a row
//! is small, and is found in O(1) ([`places`]): nearly all rows of a key have one size, which is kept once, and with
//! one worker the counts are the rows' own. Several workers share a count a row ([`LocationCount`]): who has the row
//! sees the count where it lies.

mod places;

use crate::engine::books::ledger::LocationCount;
use crate::engine::lease::{AskCount, Taken};
use crate::resource::Resource;
use crate::sync::Arc;
use crate::sync::atomic::{AtomicU64, Ordering};
use places::{Places, Row};
use rustc_hash::FxHashMap;
use std::cell::Cell;

/// See the module's text. What a visit reads lies here, not behind a pointer.
#[derive(Debug)]
pub(crate) struct LocationRows {
    asked: Asked,
    counts: Counts,
}

/// The rows as the AM has them, but for how many are left.
#[derive(Debug, Default)]
struct Asked {
    places: Places,
    /// Some row was not relaxed, now or before.
    any_strict: bool,
    /// None where no location is named, as of most keys.
    sizes: Option<Box<Sizes>>,
}

#[derive(Debug)]
enum Counts {
    /// In the rows.
    Own {
        /// How many rows Hadoop would have.
        present: u32,
    },
    Shared(Box<SharedRows>),
}

#[derive(Debug)]
struct Sizes {
    /// The first that was named, which mostly is that of most: of every row that is not odd.
    most: Resource,
    /// Of the others, by location.
    odd: FxHashMap<u32, Resource>,
}

#[derive(Debug, Default)]
struct SharedRows {
    rows: Vec<SharedRow>,
    /// Of so many locations each, where one of them has a row.
    pending_bits: Vec<Option<Arc<PendingBits>>>,
    /// A row that was present when it was last asked for one.
    seen: Cell<usize>,
}

/// What a row has besides where several workers take from it.
#[derive(Debug)]
struct SharedRow {
    count: LocationCount,
    /// What this worker's last unit was taken of.
    taken: Taken,
}

/// A bit for each of some locations: whether the AM, when it last said something of it, wanted anything there. A visit
/// that finds nothing wanted reads this one line, not that of the count. Written by the home worker alone.
#[derive(Debug, Default)]
#[repr(align(64))]
pub(crate) struct PendingBits([AtomicU64; PendingBits::WORDS]);

impl PendingBits {
    /// A cache line.
    const WORDS: usize = 8;
    /// Locations of one.
    const LOCATIONS: usize = PendingBits::WORDS * 64;

    fn word(&self, location: u32) -> (&AtomicU64, u64) {
        let at = location as usize % PendingBits::LOCATIONS;
        (&self.0[at / 64], 1 << (at % 64))
    }

    fn may_be_pending(&self, location: u32) -> bool {
        let (word, bit) = self.word(location);
        // ORDERING: Relaxed. A hint: the count decides, and a bit that is seen late is seen by a later visit.
        word.load(Ordering::Relaxed) & bit != 0
    }

    fn set(&self, location: u32, may: bool) {
        let (word, bit) = self.word(location);
        // ORDERING: Relaxed, as in `may_be_pending`; one writer.
        let before = word.load(Ordering::Relaxed);
        let after = if may { before | bit } else { before & !bit };
        if after != before {
            word.store(after, Ordering::Relaxed);
        }
    }
}

/// What one worker tells another of a location.
#[derive(Clone, Debug)]
pub(crate) struct SharedCount {
    count: LocationCount,
    pending_bits: Arc<PendingBits>,
}

impl SharedRow {
    fn of(count: LocationCount) -> SharedRow {
        SharedRow { count, taken: Taken::default() }
    }
}

/// A rack or node of a key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocationRow<'r> {
    rows: &'r LocationRows,
    pub(crate) location: u32,
    row: Row,
}

impl<'r> LocationRow<'r> {
    pub(crate) fn size(&self) -> &'r Resource {
        let sizes = self.rows.asked.sizes.as_ref().expect("there is a row");
        let odd = if self.row.odd_size { sizes.odd.get(&self.location) } else { None };
        odd.unwrap_or(&sizes.most)
    }

    #[inline]
    pub(crate) fn relax(&self) -> bool {
        self.row.relax
    }

    /// Units left.
    #[inline]
    pub(crate) fn left(&self) -> u32 {
        self.rows.counts.left(&self.row)
    }

    /// Whether Hadoop would have the row: one counted down to nothing is dropped.
    #[inline]
    pub(crate) fn present(&self) -> bool {
        self.rows.counts.present(&self.row)
    }
}

impl LocationRows {
    pub(crate) fn new(several_workers: bool) -> LocationRows {
        let counts = if several_workers { Counts::Shared(Box::default()) } else { Counts::Own { present: 0 } };
        LocationRows { asked: Asked::default(), counts }
    }

    /// Whether no location was named since all were forgotten.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.asked.sizes.is_none()
    }

    /// All rows, those counted down to nothing included.
    pub(crate) fn iter(&self) -> impl Iterator<Item = LocationRow<'_>> {
        self.asked.places.iter().map(|(location, row)| LocationRow { rows: self, location, row })
    }

    /// Every row is of one of these sizes.
    pub(crate) fn sizes(&self) -> impl Iterator<Item = &Resource> {
        self.asked.sizes.iter().flat_map(|sizes| std::iter::once(&sizes.most).chain(sizes.odd.values()))
    }

    /// The row of a location.
    #[inline]
    pub(crate) fn get(&self, location: u32) -> Option<LocationRow<'_>> {
        self.asked.places.get(location).map(|row| LocationRow { rows: self, location, row })
    }

    /// The row of a location with something left.
    #[inline]
    pub(crate) fn pending(&self, location: u32) -> Option<LocationRow<'_>> {
        match &self.counts {
            Counts::Own { .. } => {
                if !self.asked.places.may_be_pending(location) {
                    return None;
                }
                let row = self.get(location).filter(|row| row.left() > 0);
                if row.is_none() {
                    self.asked.places.set_may_be_pending(location, false);
                }
                row
            }
            // Of a count that others take from as well nothing follows for later: one of them may undo what it took,
            // and tells nobody.
            Counts::Shared(shared) if shared.may_be_pending(location) => {
                self.get(location).filter(|row| row.left() > 0)
            }
            Counts::Shared(_) => None,
        }
    }

    /// The row of a location, if Hadoop would have it.
    #[inline]
    pub(crate) fn present(&self, location: u32) -> Option<LocationRow<'_>> {
        self.get(location).filter(LocationRow::present)
    }

    /// Whether there may be a row that is not relaxed.
    #[inline]
    pub(crate) fn any_strict(&self) -> bool {
        self.asked.any_strict
    }

    /// Whether Hadoop would have any row.
    #[inline]
    pub(crate) fn any_present(&self) -> bool {
        match &self.counts {
            Counts::Own { present } => *present > 0,
            Counts::Shared(shared) => shared.any_present(),
        }
    }

    /// How many rows Hadoop would have.
    pub(crate) fn count_present(&self) -> usize {
        match &self.counts {
            Counts::Own { present } => *present as usize,
            Counts::Shared(_) => self.iter().filter(LocationRow::present).count(),
        }
    }

    /// The AM wants so many at a location from now on; by the application's home worker. Says whether the other workers
    /// have to hear of it: mostly they see the count where it lies.
    pub(crate) fn replace(&mut self, location: u32, size: &Resource, relax: bool, count: u32) -> bool {
        let (mut row, change) = self.asked.row(location, size, relax);
        match &mut self.counts {
            Counts::Own { present } => {
                *present += u32::from(!own_present(&row));
                (row.count, row.explicit_zero) = (count, count == 0);
            }
            Counts::Shared(shared) => {
                match change {
                    Change::New => row.count = shared.add(SharedRow::of(Arc::new(AskCount::new(count)))),
                    Change::Other => {
                        let known = &mut shared.rows[row.count as usize].count;
                        // Of the old one nothing more is taken: whoever knows it believes in the old size.
                        std::mem::replace(known, AskCount::new(count).into()).replace(0);
                    }
                    Change::None => {
                        shared.rows[row.count as usize].count.replace(count);
                    }
                }
                shared.pending_bits_of(location).set(location, count > 0);
                if change == Change::None {
                    return false;
                }
            }
        }
        self.asked.places.put(location, row);
        self.asked.places.set_may_be_pending(location, count > 0);
        true
    }

    /// A unit of a location comes back, and its row is as the ask was that it had been taken from; by the application's
    /// home worker.
    pub(crate) fn put_back(&mut self, location: u32, size: &Resource, relax: bool) {
        let (mut row, change) = self.asked.row(location, size, relax);
        match &mut self.counts {
            Counts::Own { present } => {
                *present += u32::from(!own_present(&row));
                row.count = row.count.saturating_add(1);
            }
            Counts::Shared(shared) => {
                match change {
                    Change::New => row.count = shared.add(SharedRow::of(Arc::new(AskCount::new(1)))),
                    Change::Other => {
                        let known = &mut shared.rows[row.count as usize].count;
                        let left = known.replace(0);
                        *known = AskCount::new(left.saturating_add(1)).into();
                    }
                    Change::None => shared.rows[row.count as usize].count.put_one(),
                }
                shared.pending_bits_of(location).set(location, true);
            }
        }
        self.asked.places.put(location, row);
        self.asked.places.set_may_be_pending(location, true);
    }

    /// What another worker has said of a location.
    pub(crate) fn learn(&mut self, location: u32, size: &Resource, relax: bool, news: &SharedCount) {
        let (mut row, change) = self.asked.row(location, size, relax);
        let Counts::Shared(shared) = &mut self.counts else { unreachable!("one worker tells nobody") };
        let known = SharedRow::of(news.count.clone());
        *shared.place_of(location) = Some(news.pending_bits.clone());
        if change == Change::New {
            row.count = shared.add(known);
        } else {
            shared.rows[row.count as usize] = known;
        }
        self.asked.places.put(location, row);
        self.asked.places.set_may_be_pending(location, true);
    }

    /// What the other workers have to know of a location's row.
    pub(crate) fn shared_count(&self, location: u32) -> Option<SharedCount> {
        let Counts::Shared(shared) = &self.counts else { return None };
        let count = shared.rows[self.asked.places.get(location)?.count as usize].count.clone();
        Some(SharedCount {
            count,
            pending_bits: shared.pending_bits.get(location as usize / PendingBits::LOCATIONS)?.clone()?,
        })
    }

    /// Takes a unit of a location, if there is one; says whether its row is relaxed. A row that is counted down to
    /// nothing is gone, even where the AM had once said 0.
    pub(crate) fn take_one(&mut self, location: u32) -> Option<bool> {
        let mut row = self.asked.places.get(location)?;
        match &mut self.counts {
            Counts::Own { present } => {
                row.count = row.count.checked_sub(1)?;
                row.explicit_zero = false;
                self.asked.places.put(location, row);
                if row.count == 0 {
                    *present -= 1;
                    self.asked.places.set_may_be_pending(location, false);
                }
            }
            Counts::Shared(shared) => {
                let shared = &mut shared.rows[row.count as usize];
                shared.taken = shared.count.take_one()?;
            }
        }
        Some(row.relax)
    }

    /// Undoes the last take of a location: the grant was refused.
    pub(crate) fn undo_take(&mut self, location: u32) {
        let Some(mut row) = self.asked.places.get(location) else { return };
        match &mut self.counts {
            Counts::Own { present } => {
                *present += u32::from(!own_present(&row));
                row.count += 1;
                self.asked.places.put(location, row);
            }
            Counts::Shared(shared) => {
                let shared = &shared.rows[row.count as usize];
                shared.count.undo_take(shared.taken);
            }
        }
        self.asked.places.set_may_be_pending(location, true);
    }

    /// No location is named any more.
    pub(crate) fn clear(&mut self) {
        if !self.is_empty() {
            *self = LocationRows::new(matches!(self.counts, Counts::Shared(_)));
        }
    }
}

impl Asked {
    /// The row of a location, of this size and relaxation from now on, and what is new of it; to be put where it
    /// belongs.
    #[inline]
    fn row(&mut self, location: u32, size: &Resource, relax: bool) -> (Row, Change) {
        self.any_strict |= !relax;
        let known = self.places.get(location);
        let before = known.unwrap_or_default();
        let sizes = self.sizes.get_or_insert_with(|| Box::new(Sizes { most: *size, odd: FxHashMap::default() }));
        let odd_size = *size != sizes.most;
        let mut is_same = before.relax == relax && before.odd_size == odd_size;
        if odd_size {
            is_same &= sizes.odd.insert(location, *size).as_ref() == Some(size);
        } else if before.odd_size {
            sizes.odd.remove(&location);
        }
        let change = match known {
            None => Change::New,
            Some(_) if is_same => Change::None,
            Some(_) => Change::Other,
        };
        (Row { relax, odd_size, ..before }, change)
    }
}

/// What is new of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    New,
    /// Its size or its relaxation.
    Other,
    None,
}

/// Whether Hadoop would have a row whose count is its own.
#[inline]
fn own_present(row: &Row) -> bool {
    row.explicit_zero || row.count > 0
}

impl Counts {
    #[inline]
    fn left(&self, row: &Row) -> u32 {
        match self {
            Counts::Own { .. } => row.count,
            Counts::Shared(shared) => shared.rows[row.count as usize].count.left(),
        }
    }

    #[inline]
    fn present(&self, row: &Row) -> bool {
        match self {
            Counts::Own { .. } => own_present(row),
            Counts::Shared(shared) => shared.rows[row.count as usize].count.is_present(),
        }
    }
}

impl SharedRows {
    /// Another row; gives its place.
    fn add(&mut self, row: SharedRow) -> u32 {
        self.rows.push(row);
        u32::try_from(self.rows.len() - 1).expect("as many as locations, which are u32")
    }

    #[inline]
    fn may_be_pending(&self, location: u32) -> bool {
        let pending_bits = self.pending_bits.get(location as usize / PendingBits::LOCATIONS);
        pending_bits.and_then(Option::as_ref).is_some_and(|pending_bits| pending_bits.may_be_pending(location))
    }

    fn place_of(&mut self, location: u32) -> &mut Option<Arc<PendingBits>> {
        let at = location as usize / PendingBits::LOCATIONS;
        if self.pending_bits.len() <= at {
            self.pending_bits.resize(at + 1, None);
        }
        &mut self.pending_bits[at]
    }

    /// By the home worker.
    fn pending_bits_of(&mut self, location: u32) -> &PendingBits {
        self.place_of(location).get_or_insert_default()
    }

    fn any_present(&self) -> bool {
        let from = self.seen.get();
        let later = self.rows.iter().enumerate().skip(from);
        let found = later.chain(self.rows.iter().enumerate().take(from)).find(|(_, row)| row.count.is_present());
        found.inspect(|(at, _)| self.seen.set(*at)).is_some()
    }
}

#[cfg(test)]
mod tests;

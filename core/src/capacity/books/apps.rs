//! The attempts that the leaf queues of a worker know, each in a place of its own.
//!
//! Owned by the worker's books. Lists and the engine's records name an attempt by its entry, O(1) to look at; messages
//! by its number, one hash away. One that has ended stays for as long as a list has it (rules/capacity.md 13.3).

use super::shared_attempt::{Others, SharedAttempt};
use crate::capacity::rules::order::{AppRank, FairCache};
use crate::capacity::rules::ordered::AppEntry;
use crate::capacity::rules::partition::{Part, Partition};
use crate::capacity::rules::users::{UserRecord, UserSlot};
use crate::engine::books::started_entry::EntryCount;
use crate::id::{ContainerNumber, LabelId};
use crate::prefetch::{CACHE_LINE, prefetch_lines};
use crate::resource::{Resource, Wide};
use crate::sync::Arc;
use rustc_hash::FxHashMap;
use std::mem::offset_of;
use std::ops::{Index, IndexMut};

/// The leaf queue and the user for which a pass last published a limit (rules/capacity.md 15). An application's
/// headroom is computed from them until the next publication, even after a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Publication {
    pub(crate) leaf: u32,
    pub(crate) seat: UserSlot,
    pub(crate) user: UserRecord,
}

/// A change of what is outstanding under one key of an application.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AskChange {
    /// The amount to add to what is outstanding under `label`, negative where it becomes less.
    pub(crate) pending: Wide,
    /// Nothing was outstanding before.
    pub(crate) begins: bool,
    /// Nothing is outstanding now.
    pub(crate) ends: bool,
    /// The label that the key asks for now.
    pub(crate) label: LabelId,
    /// Where the key asked for another label before: that label, and the negative amount to add there.
    pub(crate) left: Option<(LabelId, Wide)>,
}

/// What an attempt has on the nodes of a label.
#[derive(Clone, Debug, Default)]
pub(crate) struct AppPart {
    /// Some amount of it was ever changed (rules/node-labels.md 1: known amounts).
    pub(crate) is_known: bool,
    pub(crate) used: Resource,
    pub(crate) reserved: Resource,
    pub(crate) pending: Wide,
    /// The rest of the AM's charge that stays in this partition after the AM has changed to another one, because its
    /// node got another label: only the container's size moves.
    pub(crate) am_left: Resource,
    /// What the other workers have there; `used` has it, too.
    pub(crate) others: Others,
}

/// An attempt, as its leaf queue knows it. What a charge and a pass read and write comes first.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct AppBook {
    pub(crate) number: u32,
    /// Where the engine has it.
    pub(crate) slot: u32,
    pub(crate) leaf: u32,
    /// The worker that is its home.
    pub(crate) home: usize,
    /// Its user's in its leaf queue.
    pub(crate) seat: UserSlot,
    pub(crate) priority: i32,
    /// Keys with something outstanding.
    pub(crate) open_keys: u32,
    pub(crate) publication: Option<Publication>,
    /// The active list of its leaf queue has it, and that is counted at its user's seat.
    pub(crate) is_active: bool,
    /// It is noted there: see `Leaf::noted`.
    pub(crate) must_be_visited: bool,
    /// Some container was marked for preemption: its AM may have yet to be told.
    pub(crate) has_marked: bool,
    /// It has left the lists for good: its attempt has ended, and the next one or the end of the application is to
    /// come.
    pub(crate) is_out: bool,
    /// It has entered the lists of its leaf queue; else a limit of parallel applications keeps it waiting.
    pub(crate) runnable: bool,
    /// It began under a ResourceManager that has been restarted.
    pub(crate) recovered: bool,
    pub(crate) pending: Wide,
    /// What its containers use on all workers, as of the last fold.
    pub(crate) used: Resource,
    /// What it has reserved on the nodes of this worker; `others` has the rest.
    pub(crate) reserved: Resource,
    /// How much more `used` is charged than its containers' sizes, negative where less: see [`drift`](super::drift).
    pub(crate) drift: Resource,
    pub(crate) user: Arc<str>,
    pub(crate) start_ms: u64,
    pub(crate) fair: FairCache,
    pub(crate) submitted_priority: i32,
    /// How often lists have it.
    pub(crate) lists: u32,
    /// As it counts in the limits of AMs.
    pub(crate) am: Resource,
    /// Where it does.
    pub(crate) am_partition: LabelId,
    /// As `AppPart::am_left`, on nodes without a label.
    pub(crate) am_left: Resource,
    /// The label of its submission; empty for none.
    pub(crate) own_label: Box<str>,
    /// On the nodes with a label, by label.
    pub(crate) parts: Vec<AppPart>,
    /// The policy by which its nodes are sorted; `None`: they are not.
    pub(crate) sorting: Option<u16>,
    /// The earlier attempt whose requested partitions the headroom still uses. `None` from the next publication on.
    pub(crate) headroom_of: Option<Arc<SharedAttempt>>,
    /// What the other workers have of it; `used` has it, too.
    pub(crate) others: Others,
    /// Containers and reservations that it has here, where there are other workers.
    pub(crate) held: i64,
    /// Containers and reservations with a smaller number were there when the application last moved. Preemption knows
    /// them by the new leaf's path, as in Hadoop.
    pub(crate) moved_below: ContainerNumber,
    /// How often it has entered a leaf to wait there, as this worker counts.
    pub(crate) turn: EntryCount,
    pub(crate) shared_attempt: Arc<SharedAttempt>,
}

impl AppBook {
    pub(crate) fn rank(&self) -> AppRank {
        let AppBook { recovered, number, priority, start_ms, fair, .. } = *self;
        AppRank { recovered, number, priority, start_ms, fair }
    }

    /// What a fair leaf would order it by now: of all partitions.
    pub(crate) fn fair_now(&self) -> FairCache {
        let (mut used_mb, mut pending_mb) = (self.used.memory_mb(), self.pending.amount().memory_mb());
        for part in &self.parts {
            used_mb = used_mb.saturating_add(part.used.memory_mb());
            pending_mb = pending_mb.saturating_add(part.pending.amount().memory_mb());
        }
        FairCache { used_mb, pending_mb }
    }

    pub(crate) fn part_mut<P: Partition>(&mut self, p: P) -> &mut AppPart {
        if self.parts.len() <= p.place() {
            self.parts.resize_with(p.place() + 1, AppPart::default);
        }
        let part = &mut self.parts[p.place()];
        part.is_known = true;
        part
    }

    #[inline]
    pub(crate) fn pending_mut(&mut self, label: LabelId) -> &mut Wide {
        if label.is_none() { &mut self.pending } else { &mut self.part_mut(Part::of(label)).pending }
    }

    /// What it asks for on nodes of a partition.
    #[inline]
    pub(crate) fn pending_in<P: Partition>(&self, p: P) -> &Wide {
        if p.is_first() { &self.pending } else { self.parts.get(p.place()).map_or(&Wide::ZERO, |part| &part.pending) }
    }

    /// What it has reserved there.
    #[inline]
    pub(crate) fn reserved_in<P: Partition>(&self, p: P) -> Resource {
        if p.is_first() {
            self.reserved
        } else {
            self.parts.get(p.place()).map_or(Resource::ZERO, |part| part.reserved)
        }
    }

    /// What its containers there are.
    pub(crate) fn used_in<P: Partition>(&self, p: P) -> Resource {
        if p.is_first() { self.used } else { self.parts.get(p.place()).map_or(Resource::ZERO, |part| part.used) }
    }

    /// What the other workers have there.
    pub(crate) fn others_in<P: Partition>(&self, p: P) -> Others {
        if p.is_first() {
            self.others
        } else {
            self.parts.get(p.place()).map_or_else(Others::default, |part| part.others)
        }
    }

    pub(crate) fn others_in_mut<P: Partition>(&mut self, p: P) -> &mut Others {
        if p.is_first() { &mut self.others } else { &mut self.part_mut(p).others }
    }

    /// What of its AM counts there.
    pub(crate) fn am_in<P: Partition>(&self, p: P) -> Resource {
        if P::IS_WHOLE || p.label() == self.am_partition {
            self.am
        } else if p.is_first() {
            self.am_left
        } else {
            self.parts.get(p.place()).map_or(Resource::ZERO, |part| part.am_left)
        }
    }

    /// Whether it asks for something, or has something reserved, anywhere.
    #[inline]
    pub(crate) fn asks_or_has_reserved(&self, types: usize) -> bool {
        let in_part = |part: &AppPart| !part.pending.is_zero() || !part.reserved.is_zero_in_types(types);
        !self.pending.is_zero() || !self.reserved.is_zero_in_types(types) || self.parts.iter().any(in_part)
    }

    /// What it uses and what it has reserved, anywhere.
    #[cfg(feature = "faults")]
    pub(crate) fn in_all_partitions(&self) -> (Wide, Wide) {
        let parts = || self.parts.iter();
        let used = std::iter::once(&self.used).chain(parts().map(|part| &part.used)).sum();
        (used, std::iter::once(&self.reserved).chain(parts().map(|part| &part.reserved)).sum())
    }

    /// What it asks for, anywhere.
    #[cfg(feature = "faults")]
    pub(crate) fn pending_in_all(&self) -> Wide {
        self.parts.iter().fold(self.pending, |sum, part| sum.plus(&part.pending))
    }

    /// The rest of the AM's charge in a partition that is not its AM's.
    pub(crate) fn am_left_mut(&mut self, label: LabelId) -> &mut Resource {
        if label.is_none() { &mut self.am_left } else { &mut self.part_mut(Part::of(label)).am_left }
    }
}

/// See the module's text.
#[derive(Debug, Default)]
pub(crate) struct Apps {
    books: Vec<Option<AppBook>>,
    free: Vec<AppEntry>,
    /// Those that have not ended.
    numbers: FxHashMap<u32, AppEntry>,
}

impl Apps {
    pub(crate) fn entry(&self, number: u32) -> Option<AppEntry> {
        self.numbers.get(&number).copied()
    }

    /// What is known of an attempt is needed soon.
    #[inline]
    pub(crate) fn prefetch(&self, entry: AppEntry) {
        if let Some(book) = self.books.get(entry as usize) {
            prefetch_lines(book, 0..offset_of!(AppBook, drift).div_ceil(CACHE_LINE));
        }
    }

    pub(crate) fn get(&self, entry: AppEntry) -> Option<&AppBook> {
        self.books.get(entry as usize)?.as_ref()
    }

    pub(crate) fn find(&self, number: u32) -> Option<&AppBook> {
        self.entry(number).map(|entry| &self[entry])
    }

    /// The attempt that its application has from now on.
    pub(crate) fn add(&mut self, app: AppBook) -> AppEntry {
        let number = app.number;
        let entry = match self.free.pop() {
            Some(entry) => {
                self.books[entry as usize] = Some(app);
                entry
            }
            None => {
                self.books.push(Some(app));
                AppEntry::try_from(self.books.len() - 1).expect("fewer applications than 2^32")
            }
        };
        self.numbers.insert(number, entry);
        entry
    }

    /// Its application has it no more.
    pub(crate) fn end(&mut self, entry: AppEntry) {
        let number = self[entry].number;
        if self.numbers.get(&number) == Some(&entry) {
            self.numbers.remove(&number);
        }
    }

    /// It has ended, and no list has it: its place is free. It is given back.
    pub(crate) fn take_out(&mut self, entry: AppEntry) -> Option<AppBook> {
        if self[entry].lists > 0 || self.numbers.get(&self[entry].number) == Some(&entry) {
            return None;
        }
        self.free.push(entry);
        self.books[entry as usize].take()
    }

    /// Of those that have not ended, by number.
    pub(crate) fn numbers(&self) -> Vec<u32> {
        let mut numbers: Vec<u32> = self.numbers.keys().copied().collect();
        numbers.sort_unstable();
        numbers
    }

    /// A leaf queue is no more: nobody's headroom comes from it. O(applications).
    pub(crate) fn stop_publishing(&mut self, leaf: u32) {
        let of_leaf = |app: &&mut AppBook| app.publication.is_some_and(|publication| publication.leaf == leaf);
        self.books.iter_mut().flatten().filter(of_leaf).for_each(|app| app.publication = None);
    }

    pub(crate) fn rank(&self, entry: AppEntry) -> AppRank {
        self[entry].rank()
    }

    /// All that have a place, those that have ended and that a list still has among them.
    #[cfg(feature = "faults")]
    pub(super) fn all(&self) -> impl Iterator<Item = (AppEntry, &AppBook)> {
        (0..).zip(&self.books).filter_map(|(entry, app)| Some((entry, app.as_ref()?)))
    }

    /// So many places are free, of so many.
    #[cfg(feature = "faults")]
    pub(super) fn places(&self) -> (usize, usize) {
        (self.free.len(), self.books.len())
    }
}

impl Index<AppEntry> for Apps {
    type Output = AppBook;

    fn index(&self, entry: AppEntry) -> &AppBook {
        self.books[entry as usize].as_ref().expect("an attempt that has entered")
    }
}

impl IndexMut<AppEntry> for Apps {
    fn index_mut(&mut self, entry: AppEntry) -> &mut AppBook {
        self.books[entry as usize].as_mut().expect("an attempt that has entered")
    }
}

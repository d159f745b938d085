//! The containers on one worker's nodes: for each a record of one cache line, and beside it what only few of them need.
//!
//! Plain data of one worker. Adding, finding and ending a container is O(1); what is beside the records grows with the
//! number of different sizes, and with the containers that were kept from an earlier attempt or taken from asks of
//! other sizes.
//!
//! A steady worker visits the records of containers that were granted long ago, which are in nobody's cache any more:
//! so a record has 64 bytes, its size among a few that it shares, and what belongs together is listed apart, with the
//! node and the application.

#[cfg(feature = "faults")]
mod audit;

use crate::app::SchedulingKey;
use crate::engine::records::fate::Fate;
use crate::id::{ContainerNumber, LabelId, Locality, NONE, OwnContainer, Slot};
use crate::prefetch;
use crate::resource::Resource;
use rustc_hash::FxHashMap;
use std::ops::{Index, IndexMut};

/// A list of containers has room for so many before they come, at most: of those that its application asks for, or its
/// node takes.
pub(crate) const MADE_ROOM_FOR: u32 = 256;

/// A container on a node of this worker. Its record is reused once it has ended *and* its node has its room back.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct ContainerRecord {
    /// Whose it is.
    pub(crate) app: Slot,
    pub(crate) allocation_request_id: i64,
    pub(crate) priority: i32,
    pub(crate) attempt: u16,
    /// That of the scheduler that granted it.
    pub(crate) epoch: u32,
    /// 0 if this scheduler granted it. Otherwise its number, from 1, among those taken over from before a restart.
    pub(crate) taken_over: u32,
    pub(crate) application: u32,
    pub(crate) number: u32,
    pub(crate) node: u32,
    pub(crate) size: SizeId,
    /// The record in the arena, until it has ended.
    pub(crate) mail: u32,
    /// Where its ask was taken from.
    pub(crate) locality: Locality,
    /// Relaxation of the `*`, rack and node ask that it was taken from, as bits.
    pub(crate) relax: u8,
    pub(crate) fate: Fate,
    pub(crate) launched: bool,
    /// It is its application's AM.
    pub(crate) am: bool,
    /// Whether the AM had fetched the container when it ended. False until then.
    pub(crate) acquired_at_end: bool,
    /// Of the nodes that its ask named when it was granted.
    pub(crate) label: LabelId,
    /// Its place in its application's list.
    pub(crate) app_place: u32,
}

const _: () = assert!(size_of::<ContainerRecord>() == 64, "one cache line");

impl ContainerRecord {
    /// A record that was never a container's.
    const UNUSED: ContainerRecord = ContainerRecord {
        app: Slot { index: NONE, generation: NONE },
        allocation_request_id: 0,
        priority: 0,
        attempt: 0,
        epoch: 0,
        taken_over: 0,
        application: NONE,
        number: 0,
        node: NONE,
        size: SizeId::NONE,
        mail: NONE,
        locality: Locality::OffSwitch,
        relax: 0,
        fate: Fate::OVER,
        launched: false,
        am: false,
        acquired_at_end: false,
        label: LabelId::NONE,
        app_place: NONE,
    };

    /// Its attempt, epoch and number, by which an application's containers are sorted in the order of Hadoop's ids. Not
    /// `app_place`.
    pub(crate) fn named(&self) -> ContainerNumber {
        let ContainerRecord { attempt, epoch, number, taken_over, .. } = *self;
        ContainerNumber { attempt: attempt.into(), epoch, number, taken_over }
    }

    pub(crate) fn key(&self) -> SchedulingKey {
        SchedulingKey { priority: self.priority, allocation_request_id: self.allocation_request_id }
    }
}

/// See the module's text.
#[derive(Debug, Default)]
pub(crate) struct Containers {
    /// Those from `used` on were made ahead, and are nobody's.
    records: Vec<ContainerRecord>,
    used: u32,
    free: Vec<u32>,
    sizes: Sizes,
    /// By record, the slot in the container's id, where it is not the record's `app`. A container that was kept from an
    /// earlier attempt has that attempt's slot. A container that was taken over from before a restart has a slot that
    /// no attempt and no other such container of this worker has.
    granted_to: FxHashMap<u32, Slot>,
    /// How many containers were taken over from before a restart, also before a panic of the worker: see `emptied`.
    taken_over: u32,
    /// The sizes of the `*`, rack and node ask of those whose asks were not of the container's size.
    asked_sizes: FxHashMap<u32, [Resource; 3]>,
}

impl Index<u32> for Containers {
    type Output = ContainerRecord;

    #[inline]
    fn index(&self, index: u32) -> &ContainerRecord {
        &self.records[index as usize]
    }
}

impl IndexMut<u32> for Containers {
    #[inline]
    fn index_mut(&mut self, index: u32) -> &mut ContainerRecord {
        &mut self.records[index as usize]
    }
}

impl Containers {
    /// How many records have been in use.
    pub(crate) fn len(&self) -> u32 {
        self.used
    }

    /// How many records there are, used and unused.
    #[cfg(any(test, feature = "faults"))]
    pub(crate) fn made(&self) -> usize {
        self.records.len()
    }

    /// Has at least so many records, used and unused, so that memory for them need not be had by whoever grants.
    pub(crate) fn make_room(&mut self, records: usize) {
        if self.records.len() < records {
            self.records.resize(records, ContainerRecord::UNUSED);
        }
    }

    /// Whether a record that is in use names a node. O(records).
    pub(crate) fn name_node(&self, node: u32) -> bool {
        self.records[..self.used as usize].iter().any(|record| record.node == node)
    }

    /// Counts one more container of a size. `like` is the last answer for such containers: most are of one size.
    #[inline]
    pub(crate) fn take_size(&mut self, types: usize, size: &Resource, like: SizeId) -> SizeId {
        self.sizes.take(types, size, like)
    }

    /// Adds the record of a new container and returns its index. The caller has made sure of the room on the node and
    /// has counted the size ([`take_size`](Self::take_size)). It also puts the index into the lists of the application
    /// and of the node.
    #[inline]
    pub(crate) fn add(&mut self, record: ContainerRecord) -> u32 {
        let index = self.free.pop().unwrap_or_else(|| {
            self.used += 1;
            self.used - 1
        });
        match self.records.get_mut(index as usize) {
            Some(unused) => *unused = record,
            None => self.records.push(record),
        }
        index
    }

    /// A record will soon be looked at.
    #[inline]
    pub(crate) fn prefetch(&self, index: u32) {
        if let Some(record) = self.records.get(index as usize) {
            prefetch::prefetch(record);
        }
    }

    /// What a container takes of its node.
    #[inline]
    pub(crate) fn size(&self, record: &ContainerRecord) -> &Resource {
        self.sizes.get(record.size.0)
    }

    /// The record that a name names, if that is still its container.
    #[inline]
    pub(crate) fn named(&self, id: &OwnContainer) -> Option<&ContainerRecord> {
        let record = self.records.get(id.record as usize)?;
        (record.number == id.number && self.granted_to(id.record) == id.app).then_some(record)
    }

    /// The attempt that a container was granted to.
    #[inline]
    pub(crate) fn granted_to(&self, index: u32) -> Slot {
        let kept = if self.granted_to.is_empty() { None } else { self.granted_to.get(&index) };
        kept.copied().unwrap_or(self[index].app)
    }

    /// A container goes over to the next attempt, and keeps its id.
    pub(crate) fn keep_for(&mut self, index: u32, successor: Slot) {
        let before = std::mem::replace(&mut self[index].app, successor);
        self.granted_to.entry(index).or_insert(before);
    }

    /// Returns an empty table, for a worker that has lost all its containers. The count of containers that were taken
    /// over goes on, so that no id of one of them is used again.
    pub(crate) fn emptied(&self) -> Containers {
        Containers { taken_over: self.taken_over, ..Containers::default() }
    }

    /// Notes that an earlier scheduler, from before a restart, granted this container. That scheduler numbered its
    /// containers from 1, as this one does. So this one may grant a container of the same number later, even in the
    /// same record. The slot that is put into `granted_to` keeps the two ids apart (I13).
    pub(crate) fn take_over(&mut self, index: u32) {
        self.granted_to.insert(index, Slot { index: NONE, generation: self.taken_over });
        self.taken_over = self.taken_over.wrapping_add(1);
        // 0 would say that it was granted here.
        self[index].taken_over = self.taken_over.max(1);
    }

    /// Remembers the asks' sizes, where they are not all the container's.
    pub(crate) fn note_asked_sizes(&mut self, index: u32, sizes: [Resource; 3]) {
        let granted = *self.size(&self[index]);
        if sizes.iter().any(|size| *size != granted) {
            self.asked_sizes.insert(index, sizes);
        }
    }

    /// The sizes of the `*`, rack and node ask that a container was taken from.
    pub(crate) fn asked_sizes(&self, index: u32) -> [Resource; 3] {
        self.asked_sizes.get(&index).copied().unwrap_or([*self.size(&self[index]); 3])
    }

    /// Frees the record for another container if this one is over. Does nothing if it is free.
    #[inline]
    pub(crate) fn reuse(&mut self, index: u32) {
        let record = &mut self[index];
        if !record.fate.is_over() || record.node == NONE {
            return;
        }
        record.node = NONE;
        let size = record.size;
        self.sizes.give_back(size.0);
        self.free.push(index);
        if !(self.granted_to.is_empty() && self.asked_sizes.is_empty()) {
            self.forget_rest(index);
        }
    }

    /// What is known beside a record is nobody's any more.
    #[cold]
    fn forget_rest(&mut self, index: u32) {
        self.granted_to.remove(&index);
        self.asked_sizes.remove(&index);
    }
}

/// A size among those of this worker's containers, counted once for the container that it was taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SizeId(u32);

impl SizeId {
    /// None yet.
    pub(crate) const NONE: SizeId = SizeId(NONE);
}

/// The different sizes, each with the number of its containers; one that nobody has any more gives its place to
/// another.
#[derive(Debug, Default)]
struct Sizes {
    all: Vec<(Resource, u32)>,
    by_size: FxHashMap<Resource, u32>,
    free: Vec<u32>,
}

impl Sizes {
    #[inline]
    fn get(&self, id: u32) -> &Resource {
        &self.all[id as usize].0
    }

    #[inline(always)]
    fn take(&mut self, types: usize, size: &Resource, like: SizeId) -> SizeId {
        if let Some((known, users)) = self.all.get_mut(like.0 as usize)
            && *users > 0
            && known.equals_in_types(types, size)
        {
            *users += 1;
            return like;
        }
        self.find(size)
    }

    fn find(&mut self, size: &Resource) -> SizeId {
        if let Some(id) = self.by_size.get(size) {
            self.all[*id as usize].1 += 1;
            return SizeId(*id);
        }
        let id = match self.free.pop() {
            Some(id) => {
                self.all[id as usize] = (*size, 1);
                id
            }
            None => {
                self.all.push((*size, 1));
                u32::try_from(self.all.len() - 1).expect("as many as containers at most")
            }
        };
        self.by_size.insert(*size, id);
        SizeId(id)
    }

    #[inline]
    fn give_back(&mut self, id: u32) {
        let (_, users) = &mut self.all[id as usize];
        *users -= 1;
        if *users == 0 {
            self.forget(id);
        }
    }

    /// Nobody has a size any more.
    #[cold]
    fn forget(&mut self, id: u32) {
        self.by_size.remove(&self.all[id as usize].0);
        self.free.push(id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Resource = Resource::new(1024, 1);
    const LARGE: Resource = Resource::new(2048, 1);

    #[test]
    fn a_size_stays_while_a_container_has_it() {
        let mut sizes = Sizes::default();
        let small = sizes.take(2, &SMALL, SizeId::NONE);
        let large = sizes.take(2, &LARGE, small);
        assert_eq!((*sizes.get(small.0), *sizes.get(large.0)), (SMALL, LARGE));
        assert_eq!([sizes.take(2, &SMALL, large), sizes.take(2, &SMALL, small)], [small, small]);
        sizes.give_back(small.0);
        sizes.give_back(small.0);
        assert_eq!(sizes.take(2, &SMALL, small), small);
        sizes.give_back(small.0);
        sizes.give_back(small.0);
        // Nobody has it any more: its place is another's, and what was said of it holds no longer.
        let other = Resource::new(4096, 4);
        let taken = sizes.take(2, &other, small);
        assert_eq!((taken, *sizes.get(taken.0)), (small, other));
        let again = sizes.take(2, &SMALL, small);
        assert_eq!((*sizes.get(again.0), *sizes.get(taken.0), sizes.all.len()), (SMALL, other, 3));
    }
}

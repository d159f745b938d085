//! A queue as one worker sees it.

use crate::engine::books::ledger::QueueCell;
use crate::engine::lease::label_room::{LabelMember, LabelRoom};
use crate::engine::lease::watch::WatchMember;
use crate::engine::parts::{Parts, QueuePart};
use crate::engine::publish::snapshot::QueueSnapshot;
use crate::id::{LabelId, NONE};
use crate::prefetch::{prefetch, prefetch_write};
use crate::resource::Resource;
use crate::sync::{Arc, CachePadded};

/// A queue as this worker sees it. The engine's fields that every grant and every container end reads or writes come
/// first, in one cache line. Of `usage`, memory and vcores are in that line, and custom types in the next. What the
/// decider keeps has lines of its own.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct QueueLocal<P: Parts> {
    /// The ledger cell in which this worker shows its own part of the usage.
    cell: Arc<CachePadded<QueueCell>>,
    pub(crate) snapshot: Arc<QueueSnapshot<P>>,
    pub(crate) parent: u32,
    /// Among the parent's children.
    pub(crate) position: u32,
    pub(crate) leaf: bool,
    /// Some type of what it may use is limited.
    pub(crate) limited: bool,
    /// It or a queue above is.
    pub(crate) limited_path: bool,
    /// This worker counts in the watch of it or of one above.
    pub(crate) watched_path: bool,
    /// Usage of all workers: own changes at once, those of others as of the last fold.
    pub(crate) usage: Resource,
    pub(crate) own: P::Queue,
    /// This worker's part in the queue's watch.
    pub(crate) watch_member: WatchMember,
    /// Its part in the rooms by label.
    pub(crate) room_members: Vec<LabelMember>,
}

impl<P: Parts> QueueLocal<P> {
    /// A queue that this worker has just heard of: no child has a place yet.
    pub(crate) fn new(worker: usize, snapshot: &Arc<QueueSnapshot<P>>, own: P::Queue) -> QueueLocal<P> {
        QueueLocal {
            cell: snapshot.shared.cells[worker].clone(),
            leaf: snapshot.leaf,
            snapshot: snapshot.clone(),
            parent: snapshot.parent.unwrap_or(NONE),
            position: 0,
            usage: snapshot.shared.usage(),
            limited: false,
            limited_path: false,
            watched_path: false,
            own,
            watch_member: WatchMember::default(),
            room_members: snapshot.rooms.iter().map(|_| LabelMember::default()).collect(),
        }
    }

    /// Its room on the nodes of a label, and this worker's part in it.
    #[inline]
    pub(crate) fn room_in(&mut self, label: LabelId) -> Option<(&LabelRoom, &mut LabelMember)> {
        self.snapshot.rooms.get(label.ix()).zip(self.room_members.get_mut(label.ix()))
    }

    /// The same queue, as it was published anew.
    pub(crate) fn renew(&mut self, snapshot: &Arc<QueueSnapshot<P>>) {
        self.leaf = snapshot.leaf;
        self.snapshot = snapshot.clone();
    }

    /// To be called after `renew`: `self.snapshot` is the new snapshot and `before` the one that it replaced. Takes
    /// over the limits of the new rooms by label.
    pub(crate) fn take_over_rooms(&mut self, worker: usize, before: &QueueSnapshot<P>) {
        for ((member, before), now) in self.room_members.iter_mut().zip(&*before.rooms).zip(&*self.snapshot.rooms) {
            member.take_over(worker, before, now);
        }
        self.room_members.resize_with(self.snapshot.rooms.len(), LabelMember::default);
    }

    /// To be called when the worker begins anew after a panic. Replaces the known snapshot by one without members and
    /// with a settings version that no snapshot has, so that the next snapshot's members and settings all count as new.
    pub(crate) fn forget_members(&mut self) {
        let known = (*self.snapshot).clone();
        let (runnable, waiting) = Default::default();
        self.snapshot = Arc::new(QueueSnapshot { runnable, waiting, settings_version: u64::MAX, ..known });
    }

    /// Adds to what it uses, here and in the ledger; `alone` where there is no other worker.
    #[inline(always)]
    pub(crate) fn add_usage(&mut self, types: usize, amount: &Resource, alone: bool) {
        self.usage.add_in_types(types, amount);
        self.show_change(types, amount, alone);
    }

    /// The second half of that.
    #[inline(always)]
    pub(crate) fn show_change(&self, types: usize, amount: &Resource, alone: bool) {
        self.cell.usage.add_knowing(types, amount, &self.usage, alone);
    }

    /// Shows `usage` as this worker's own part. Right only with one worker: with several it contains the others' parts.
    pub(crate) fn show_usage(&self, types: usize) {
        self.cell.usage.set(types, &self.usage);
    }

    /// An application of it will soon ask for something.
    #[inline]
    pub(crate) fn prefetch_asks(&self) {
        self.own.prefetch_asks();
    }

    /// Its usage, and the place of the child at a position, will soon change.
    #[inline]
    pub(crate) fn prefetch_change(&self, position: u32) {
        prefetch(&self.usage);
        prefetch_write(&self.cell.usage);
        self.own.prefetch_change(position);
    }
}

//! A request key of an application, as one worker knows it.

use crate::app::SchedulingKey;
use crate::engine::books::ledger::KeyCell;
use crate::engine::lease::{Recounted, TakenUnit};
use crate::engine::parts::Parts;
use crate::engine::records::containers::SizeId;
use crate::engine::records::rows::LocationRows;
use crate::id::LabelId;
use crate::resource::Resource;
use crate::sync::Arc;

/// How a worker shares the outstanding count of a key with the other workers. One byte for two facts: whether the
/// others know the key as it is here, and whether this worker may hold a piece of the pool. One byte is enough: only
/// the home worker announces, and while it has something to announce it holds no piece, because a replacement voids all
/// pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sharing {
    /// There is only one worker, which keeps the count itself.
    Alone,
    /// The other workers do not know the key as it is here: they have to be told.
    Unannounced,
    /// The other workers know the key, and this worker holds no piece of the pool.
    Announced,
    /// The other workers know the key, and this worker may hold a piece of the pool.
    Leased,
}

/// What the home worker has to send to the other workers after a change of asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Announcement {
    /// Nothing: the other workers read the new count from the pool.
    Nothing,
    /// That there is something again: some worker has found nothing left under the key, and does not look again by
    /// itself.
    Reopened,
    /// Size, relaxation, epoch, racks and nodes.
    All,
}

/// A request key of an application. The fields that every visit reads come first, in one cache line if the application
/// has only this key.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct KeyLocal<P: Parts> {
    pub(crate) cell: Arc<KeyCell>,
    pub(crate) priority: i32,
    /// With one worker: how many units are outstanding for `*`; the cell's pool shows the count to other threads. With
    /// several workers the pool has the count, and this is the stamp of the replacement that this worker took its last
    /// unit of.
    left_or_stamp: u32,
    pub(crate) allocation_request_id: i64,
    /// The epoch of the pool that this worker knows. Unused with one worker.
    pub(crate) epoch: u16,
    /// Of the nodes that the `*` ask wants.
    pub(crate) label: LabelId,
    /// The size of the last container.
    pub(crate) container_size: SizeId,
    /// The relaxation of the `*` ask.
    pub(crate) relax: bool,
    sharing: Sharing,
    /// Whether `rows` may have entries. If not, `rows`, which are in another cache line, are not read.
    has_rows: bool,
    /// The size of the `*` ask.
    pub(crate) size: Resource,
    /// The racks and nodes that are asked for.
    rows: LocationRows,
    pub(crate) own: P::Key,
}

impl<P: Parts> KeyLocal<P> {
    /// Returns a key without racks and nodes; count and size are read from the cell.
    pub(crate) fn new(id: SchedulingKey, cell: Arc<KeyCell>, workers: usize) -> KeyLocal<P> {
        KeyLocal {
            priority: id.priority,
            left_or_stamp: if workers == 1 { cell.pool.total() } else { 0 },
            allocation_request_id: id.allocation_request_id,
            epoch: 0,
            label: LabelId::NONE,
            sharing: if workers == 1 { Sharing::Alone } else { Sharing::Unannounced },
            size: cell.size.read(),
            cell,
            relax: true,
            has_rows: false,
            rows: LocationRows::new(workers > 1),
            own: P::Key::default(),
            container_size: SizeId::NONE,
        }
    }

    #[inline]
    pub(crate) fn id(&self) -> SchedulingKey {
        SchedulingKey { priority: self.priority, allocation_request_id: self.allocation_request_id }
    }

    #[inline]
    fn is_alone(&self) -> bool {
        self.sharing == Sharing::Alone
    }

    /// Notes that this worker may hold a piece of the pool. Returns false if that was noted before.
    pub(crate) fn set_leased(&mut self) -> bool {
        std::mem::replace(&mut self.sharing, Sharing::Leased) != Sharing::Leased
    }

    /// Notes that the other workers know the key as it is here.
    pub(crate) fn set_announced(&mut self) {
        if self.sharing == Sharing::Unannounced {
            self.sharing = Sharing::Announced;
        }
    }

    /// Notes that the other workers have to be told of a change. Called before anything changes: if a panic interrupts
    /// the change, the message is processed a second time, and then the others are told.
    pub(crate) fn set_unannounced(&mut self) {
        if !self.is_alone() {
            self.sharing = Sharing::Unannounced;
        }
    }

    /// Whether the other workers have to be told in any case.
    #[inline]
    pub(crate) fn must_announce(&self) -> bool {
        self.sharing == Sharing::Unannounced
    }

    /// Notes that this worker holds no piece of the pool any more.
    pub(crate) fn set_handed_back(&mut self) {
        if self.sharing == Sharing::Leased {
            self.sharing = Sharing::Announced;
        }
    }

    /// The racks and nodes that are asked for. `None` if there are none, as for most keys.
    #[inline]
    pub(crate) fn named(&self) -> Option<&LocationRows> {
        self.has_rows.then_some(&self.rows)
    }

    /// The racks and nodes that are asked for; empty if there are none.
    #[inline]
    pub(crate) fn rows(&self) -> &LocationRows {
        &self.rows
    }

    /// Changes the racks and nodes that are asked for. All changes go through this method, which keeps `has_rows`
    /// right.
    #[inline]
    pub(crate) fn change_rows<R>(&mut self, change: impl FnOnce(&mut LocationRows) -> R) -> R {
        let outcome = change(&mut self.rows);
        self.has_rows = !self.rows.is_empty();
        outcome
    }

    /// Removes all racks and nodes.
    #[inline]
    pub(crate) fn forget_rows(&mut self) {
        if self.has_rows {
            self.change_rows(LocationRows::clear);
        }
    }

    /// How many units a worker can take for `*` without a recall; if none, how many it can take with one.
    #[inline]
    pub(crate) fn visible(&self, worker: usize) -> u32 {
        if self.is_alone() { self.left_or_stamp } else { self.cell.pool.visible(worker) }
    }

    /// How many units are outstanding for `*`, also in the pieces of other workers. Writes nothing.
    #[inline]
    pub(crate) fn total(&self) -> u32 {
        if self.is_alone() { self.left_or_stamp } else { self.cell.pool.total() }
    }

    /// Whether any unit is outstanding for `*`. If not, that is noted in the pool, and this worker is told when there
    /// is something again. To look without a note use [`total`](Self::total).
    #[inline]
    pub(crate) fn is_open_or_note_zero(&self) -> bool {
        if self.is_alone() { self.left_or_stamp > 0 } else { self.cell.pool.is_open_or_note_zero() }
    }

    /// Takes one unit for `*`. Returns `None` if there is none; otherwise whether this worker may now hold a piece of
    /// the pool and did not before.
    #[inline]
    pub(crate) fn take_one(&mut self, worker: usize) -> Option<bool> {
        if !self.is_alone() {
            return self.take_shared(worker);
        }
        let left = self.left_or_stamp.checked_sub(1)?;
        self.set_left(left);
        Some(false)
    }

    #[inline(never)]
    fn take_shared(&mut self, worker: usize) -> Option<bool> {
        let TakenUnit { taken, leased } =
            self.cell.pool.take_one(worker, self.epoch, self.left_or_stamp.into()).ok()?;
        self.left_or_stamp = taken.into();
        Some(leased && self.set_leased())
    }

    /// Puts the unit taken last back, after a refused grant.
    pub(crate) fn undo_take(&mut self) {
        if self.is_alone() { self.put_own() } else { self.cell.pool.undo_take(self.left_or_stamp.into()) }
    }

    /// Puts one unit back, whatever the AM has asked for since: the container that took it ended before the AM saw it.
    /// Called by the home worker. Returns whether another worker waits to be told.
    pub(crate) fn put_one(&mut self) -> bool {
        if self.is_alone() {
            self.put_own();
            return false;
        }
        self.cell.pool.put_one() == Recounted::Awaited
    }

    fn put_own(&mut self) {
        self.set_left(self.left_or_stamp.saturating_add(1));
    }

    /// Replaces the `*` ask: `count` units of this size and relaxation. Called by the home worker. Returns what the
    /// other workers have to be told; mostly nothing, since they read the count from the pool. `anew`: they have to
    /// look at the key again in any case.
    #[inline]
    pub(crate) fn replace(
        &mut self,
        types: usize,
        count: u32,
        size: &Resource,
        relax: bool,
        anew: bool,
    ) -> Announcement {
        // Size and relaxation are mostly the same. Then the cell's cache line, which others read, is not written.
        let is_same = self.size.equals_in_types(types, size) && self.relax == relax;
        if !is_same {
            self.set_unannounced();
            self.cell.size.set(types, size);
            (self.size, self.relax) = (*size, relax);
        }
        if self.is_alone() {
            self.set_left(count);
            return Announcement::Nothing;
        }
        // With a count of 0, all workers forget the racks and nodes of the key.
        let is_known = is_same && !anew && (count > 0 || !self.has_rows) && !self.must_announce();
        if is_known {
            return match self.cell.pool.recount(count) {
                Recounted::Silent => Announcement::Nothing,
                Recounted::Awaited => Announcement::Reopened,
            };
        }
        self.set_unannounced();
        self.epoch = self.cell.pool.replace(count);
        Announcement::All
    }

    #[inline]
    fn set_left(&mut self, count: u32) {
        self.left_or_stamp = count;
        self.cell.pool.publish(count);
    }
}

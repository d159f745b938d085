//! A request key of an application, as one worker knows it.

use crate::app::SchedulingKey;
use crate::engine::books::ledger::KeyCell;
use crate::engine::decider::Decider;
use crate::engine::worker::containers::SizeId;
use crate::engine::worker::rows::LocationRows;
use crate::resource::Resource;
use crate::sync::Arc;

/// With whom a worker shares the outstanding count of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sharing {
    /// It is the only worker.
    Alone,
    /// With others, and it holds no piece of the pool.
    Shared,
    /// It may hold a piece.
    Leased,
}

/// A request key of an application. What every visit reads comes first, in one cache line if it is the application's only key.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct KeyLocal<D: Decider> {
    pub(crate) cell: Arc<KeyCell>,
    pub(crate) priority: i32,
    /// With one worker how many are outstanding for `*`, which the cell's pool shows to others; with several the pool says it.
    left: u32,
    pub(crate) allocation_request_id: i64,
    /// Of the pool, with several workers.
    pub(crate) epoch: u32,
    /// That of the last container.
    pub(crate) container_size: SizeId,
    /// Size and relaxation of the `*` ask.
    pub(crate) relax: bool,
    sharing: Sharing,
    /// Some rack or node was named since all were forgotten: else `rows`, which lie further away, are not looked at.
    has_rows: bool,
    pub(crate) size: Resource,
    rows: LocationRows,
    pub(crate) own: D::Key,
}

impl<D: Decider> KeyLocal<D> {
    /// A key that nothing is known of yet.
    pub(crate) fn new(id: SchedulingKey, cell: Arc<KeyCell>, workers: usize) -> KeyLocal<D> {
        KeyLocal {
            priority: id.priority,
            left: if workers == 1 { cell.pool.total() } else { 0 },
            allocation_request_id: id.allocation_request_id,
            epoch: 0,
            sharing: if workers == 1 { Sharing::Alone } else { Sharing::Shared },
            size: cell.size.read(),
            cell,
            relax: true,
            has_rows: false,
            rows: LocationRows::new(workers > 1),
            own: D::Key::default(),
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

    /// This worker may hold a piece of the pool from now on; false if it might before, or nobody else could.
    #[inline]
    pub(crate) fn set_leased(&mut self) -> bool {
        let is_new = self.sharing == Sharing::Shared;
        if is_new {
            self.sharing = Sharing::Leased;
        }
        is_new
    }

    /// It holds none any more.
    pub(crate) fn set_handed_back(&mut self) {
        if self.sharing == Sharing::Leased {
            self.sharing = Sharing::Shared;
        }
    }

    /// The racks and nodes that are asked for; nothing where none is, as of most keys.
    #[inline]
    pub(crate) fn named(&self) -> Option<&LocationRows> {
        self.has_rows.then_some(&self.rows)
    }

    /// The same, empty where none is.
    #[inline]
    pub(crate) fn rows(&self) -> &LocationRows {
        &self.rows
    }

    /// The only way to change them.
    #[inline]
    pub(crate) fn change_rows<R>(&mut self, change: impl FnOnce(&mut LocationRows) -> R) -> R {
        let outcome = change(&mut self.rows);
        self.has_rows = !self.rows.is_empty();
        outcome
    }

    /// No rack or node is asked for any more.
    #[inline]
    pub(crate) fn forget_rows(&mut self) {
        if self.has_rows {
            self.change_rows(LocationRows::clear);
        }
    }

    /// How many a worker can take for `*` without a recall.
    #[inline]
    pub(crate) fn visible(&self, worker: usize) -> u32 {
        if self.is_alone() { self.left } else { self.cell.pool.visible(worker) }
    }

    /// How many are outstanding for `*`, with whomever.
    #[inline]
    pub(crate) fn total(&self) -> u32 {
        if self.is_alone() { self.left } else { self.cell.pool.total() }
    }

    /// Takes one for `*`; says whether there was one.
    #[inline]
    pub(crate) fn take_one(&mut self, worker: usize) -> bool {
        if !self.is_alone() {
            return self.cell.pool.take_one(worker, self.epoch).is_ok();
        }
        let Some(left) = self.left.checked_sub(1) else { return false };
        self.set_left(left);
        true
    }

    /// Undoes that: the grant was refused.
    pub(crate) fn untake_one(&mut self) {
        if self.is_alone() { self.put_own() } else { self.cell.pool.untake_one(self.epoch) }
    }

    /// Puts one back, whatever the AM has asked for since: the container that took it ended before the AM saw it. By the home worker.
    pub(crate) fn put_one(&mut self) {
        if self.is_alone() { self.put_own() } else { self.cell.pool.put_one() }
    }

    fn put_own(&mut self) {
        self.set_left(self.left.saturating_add(1));
    }

    /// The AM wants so many for `*` from now on. By the home worker.
    #[inline]
    pub(crate) fn replace(&mut self, count: u32) {
        if self.is_alone() {
            self.set_left(count);
        } else {
            self.epoch = self.cell.pool.replace(count);
        }
    }

    #[inline]
    fn set_left(&mut self, count: u32) {
        self.left = count;
        self.cell.pool.publish(count);
    }
}

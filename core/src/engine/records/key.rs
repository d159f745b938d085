//! A request key of an application, as one worker knows it.

use crate::app::SchedulingKey;
use crate::engine::books::ledger::KeyCell;
use crate::engine::lease::{Recounted, TakenUnit};
use crate::engine::parts::Parts;
use crate::engine::records::containers::SizeId;
use crate::engine::records::rows::LocationRows;
use crate::resource::Resource;
use crate::sync::Arc;

/// With whom a worker shares the outstanding count of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sharing {
    /// It is the only worker.
    Alone,
    /// With others, who have not heard of the key yet, or not from here.
    Untold,
    /// With others, and it holds no piece of the pool.
    Shared,
    /// It may hold a piece.
    Leased,
}

/// What the other workers have to be told of changed asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Announcement {
    /// They see it where it lies.
    Nothing,
    /// Some worker has found nothing left of a key, and does not look again by itself.
    Reopened,
    /// All there is to know.
    All,
}

/// A request key of an application. What every visit reads comes first, in one cache line if it is the application's
/// only key.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct KeyLocal<P: Parts> {
    pub(crate) cell: Arc<KeyCell>,
    pub(crate) priority: i32,
    /// With one worker how many are outstanding for `*`, which the cell's pool shows to others. With several the pool
    /// says it, and here is what the last unit was taken of.
    left: u32,
    pub(crate) allocation_request_id: i64,
    /// Of the pool, with several workers.
    pub(crate) epoch: u16,
    /// That of the last container.
    pub(crate) container_size: SizeId,
    /// Size and relaxation of the `*` ask.
    pub(crate) relax: bool,
    sharing: Sharing,
    /// Some rack or node was named since all were forgotten: else `rows`, which lie further away, are not looked at.
    has_rows: bool,
    pub(crate) size: Resource,
    rows: LocationRows,
    pub(crate) own: P::Key,
}

impl<P: Parts> KeyLocal<P> {
    /// A key that nothing is known of yet.
    pub(crate) fn new(id: SchedulingKey, cell: Arc<KeyCell>, workers: usize) -> KeyLocal<P> {
        KeyLocal {
            priority: id.priority,
            left: if workers == 1 { cell.pool.total() } else { 0 },
            allocation_request_id: id.allocation_request_id,
            epoch: 0,
            sharing: if workers == 1 { Sharing::Alone } else { Sharing::Untold },
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

    /// This worker may hold a piece of the pool from now on; false if it might before.
    pub(crate) fn set_leased(&mut self) -> bool {
        std::mem::replace(&mut self.sharing, Sharing::Leased) != Sharing::Leased
    }

    /// The other workers know the key as it is here.
    pub(crate) fn set_announced(&mut self) {
        if self.sharing == Sharing::Untold {
            self.sharing = Sharing::Shared;
        }
    }

    /// They do not any more, until they are told. Said before anything changes: what is worked off once more after a
    /// panic tells them then.
    pub(crate) fn set_unannounced(&mut self) {
        if !self.is_alone() {
            self.sharing = Sharing::Untold;
        }
    }

    /// Whether they have to be told in any case.
    #[inline]
    pub(crate) fn must_announce(&self) -> bool {
        self.sharing == Sharing::Untold
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

    /// How many a worker can take for `*`: those that it need not recall, if there are any.
    #[inline]
    pub(crate) fn visible(&self, worker: usize) -> u32 {
        if self.is_alone() { self.left } else { self.cell.pool.visible(worker) }
    }

    /// How many are outstanding for `*`, with whomever.
    #[inline]
    pub(crate) fn total(&self) -> u32 {
        if self.is_alone() { self.left } else { self.cell.pool.total() }
    }

    /// Whether any is outstanding for `*`, with whomever. Where none is, this worker hears of it when there is again.
    #[inline]
    pub(crate) fn is_open_or_note_zero(&self) -> bool {
        if self.is_alone() { self.left > 0 } else { self.cell.pool.is_open_or_note_zero() }
    }

    /// Takes one for `*`; says whether there was one, and whether this worker may hold a piece of the pool that it did
    /// not before.
    #[inline]
    pub(crate) fn take_one(&mut self, worker: usize) -> Option<bool> {
        if !self.is_alone() {
            return self.take_shared(worker);
        }
        let left = self.left.checked_sub(1)?;
        self.set_left(left);
        Some(false)
    }

    #[inline(never)]
    fn take_shared(&mut self, worker: usize) -> Option<bool> {
        let TakenUnit { taken, leased } = self.cell.pool.take_one(worker, self.epoch, self.left.into()).ok()?;
        self.left = taken.into();
        Some(leased && self.set_leased())
    }

    /// Undoes the last take: the grant was refused.
    pub(crate) fn undo_take(&mut self) {
        if self.is_alone() { self.put_own() } else { self.cell.pool.undo_take(self.left.into()) }
    }

    /// Puts one back, whatever the AM has asked for since: the container that took it ended before the AM saw it. By
    /// the home worker; says whether another one waits to hear of it.
    pub(crate) fn put_one(&mut self) -> bool {
        if self.is_alone() {
            self.put_own();
            return false;
        }
        self.cell.pool.put_one() == Recounted::Awaited
    }

    fn put_own(&mut self) {
        self.set_left(self.left.saturating_add(1));
    }

    /// The AM wants so many for `*` from now on, of this size and relaxation. By the home worker; says what the others
    /// have to be told: mostly they see the count where it lies. `anew` where they have to look at the key again in any
    /// case.
    #[inline]
    pub(crate) fn replace(
        &mut self,
        types: usize,
        count: u32,
        size: &Resource,
        relax: bool,
        anew: bool,
    ) -> Announcement {
        // Mostly as it was; the cell's line, which others read, is not written for nothing.
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
        // Without any left the racks and nodes are forgotten, by everybody.
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
        self.left = count;
        self.cell.pool.publish(count);
    }
}

//! Room under the limits of one queue on the nodes of one label.
//!
//! # Where it stands
//! The control publishes a [`LabelRoom`] for each queue and each label that anybody has named. `grant` spends there for
//! every queue on the path, each worker through its own [`LabelMember`]. There are none where labels are off, or where
//! one worker is alone.
//!
//! # Protocol
//! 1. A room is published with its queue, or with its label, before anything can be used in it. So all workers count
//!    there from the start, and no worker has to join.
//! 2. Nodes of an exclusive label are for asks that name it. Their room is leased in pieces, as a
//!    [`Room`](super::Room) is.
//! 3. Nodes of a label that is not exclusive are lent, too: to asks that name no label, which are not bound by the
//!    queue's limit there. A piece would be worth less than it says as soon as something was lent. So nothing is
//!    leased: each grant spends exactly its size of the shared word, and only one that names the label is within the
//!    limit.
//! 4. A node gets another label. Its worker counts what runs there under the new label, and takes it off the old one.
//!    No limit is looked at: as in Hadoop more may be used by that than the limit says.
//!
//! # Invariants
//! I2: no grant that names the label takes what is used on its nodes above the limit, whatever was lent meanwhile. I7:
//! a refusal leaves no trace.
//!
//! # What races, and why it is safe
//! Grants and loans, a label that is lent from now on, a node that gets the label: `loom-tests/tests/label_rooms.rs`.

use crate::engine::lease::watch::{Watch, WatchMember};
use crate::resource::Resource;
use crate::sync::Arc;

/// As the control publishes it.
#[derive(Clone, Debug)]
pub struct LabelRoom {
    /// No grant that names the label takes its usage above this.
    pub limit: Resource,
    /// The label is not exclusive.
    pub is_lent: bool,
    /// What is taken.
    pub watch: Arc<Watch>,
}

impl LabelRoom {
    /// Whether nothing is different.
    #[must_use]
    pub fn is_same(&self, other: &LabelRoom) -> bool {
        let LabelRoom { limit, is_lent, watch } = self;
        *limit == other.limit && *is_lent == other.is_lent && Arc::ptr_eq(watch, &other.watch)
    }
}

/// One worker's part in one room. Only that worker uses it.
#[derive(Debug)]
pub struct LabelMember {
    member: WatchMember,
    /// It may hold a piece.
    may_hold: bool,
}

impl Default for LabelMember {
    fn default() -> LabelMember {
        LabelMember { member: WatchMember::counted_from_start(), may_hold: false }
    }
}

impl LabelMember {
    /// The worker takes over a snapshot that shows the room `now`, where the one before showed `before` of it.
    pub fn take_over(&mut self, worker: usize, before: &LabelRoom, now: &LabelRoom) {
        // I2: what was leased under a higher limit is not spent under a lower one, nor beside what is lent.
        if !before.limit.fits_in(&now.limit) || (now.is_lent && !before.is_lent) {
            now.watch.hand_back(worker);
        }
    }

    /// Spends `amount`: for an ask that names the label within the limit, or of what is `lent`.
    #[must_use]
    pub fn try_spend(&mut self, room: &LabelRoom, worker: usize, amount: &Resource, lent: bool) -> bool {
        if lent {
            self.carry(room, amount);
            return true;
        }
        if room.is_lent {
            return self.member.try_spend_exactly(&room.watch, amount, &room.limit);
        }
        self.member.try_spend(&room.watch, worker, amount, &room.limit)
    }

    /// What was spent comes back.
    pub fn give_back(&mut self, room: &LabelRoom, worker: usize, amount: &Resource) {
        if room.is_lent {
            self.carry(room, &Resource::ZERO.minus(amount));
        } else {
            self.member.give_back(&room.watch, worker, amount, &room.limit);
        }
    }

    /// Usage has come by another way than a grant, or has gone where it is negative: no limit is checked.
    pub fn carry(&mut self, room: &LabelRoom, amount: &Resource) {
        self.member.carry(&room.watch, amount);
    }

    /// The worker has lost everything that it used.
    pub fn vacate(&mut self, room: &LabelRoom, worker: usize) {
        self.may_hold = false;
        self.member.vacate(&room.watch, worker);
    }

    /// It may hold a piece from now on; whether that is new.
    #[must_use]
    pub fn holds_from_now_on(&mut self) -> bool {
        !std::mem::replace(&mut self.may_hold, true)
    }

    /// What is leased and not spent goes back to all.
    pub fn hand_back(&mut self, room: &LabelRoom, worker: usize) {
        self.may_hold = false;
        self.member.hand_back(&room.watch, worker);
    }

    /// What the worker counts there.
    #[cfg(all(feature = "faults", not(loom)))]
    pub(crate) fn counted(&self) -> Resource {
        self.member.counted().unwrap_or_default()
    }
}

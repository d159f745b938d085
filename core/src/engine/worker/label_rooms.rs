//! What this worker counts by node label: of its applications, and in the rooms of queues.
//!
//! # Where it stands
//! Plain code on the worker's own shard and thread; the cells are its own, the rooms are shared. Called by `grant`, by
//! the end of a container, by `adopt` when an application moves, and by the decider when a node gets another label.
//! Where labels are off, or one worker is alone, nothing is counted. The protocol of rooms:
//! [`label_room`](crate::engine::lease::label_room).

use crate::engine::decider::Decider;
use crate::engine::lease::label_room::{LabelMember, LabelRoom};
use crate::engine::records::queue::QueueLocal;
use crate::engine::shard::Shard;
use crate::id::{LabelId, NONE};
use crate::resource::Resource;

impl<D: Decider> Shard<D> {
    /// Something of an application comes to nodes of a label, or goes where it is negative.
    pub(crate) fn count_by_label(&self, app: u32, label: LabelId, amount: &Resource) {
        if self.counts_by_label {
            self.app(app).cell.by_label.add(self.types, label, amount);
        }
    }

    /// Spends room on nodes of a label in every queue from a leaf up; all or nothing. `lent`: the ask names no label.
    pub(crate) fn spend_label_rooms(&mut self, leaf: u32, label: LabelId, size: &Resource, lent: bool) -> bool {
        let mut at = leaf;
        while at != NONE {
            let Shard { queues, label_rooms, worker, .. } = self;
            let queue = queues[at as usize].as_mut().expect("a queue of the snapshot");
            if let Some((room, member)) = queue.room_in(label) {
                // Also one that is refused: what it got of some types goes to the piece.
                note_piece(label_rooms, room, member, (at, label));
                if !member.try_spend(room, *worker, size, lent) {
                    self.return_label_rooms_below(leaf, at, label, size);
                    return false;
                }
            }
            at = queue.parent;
        }
        true
    }

    /// Room on nodes of a label comes back in every queue from a leaf up.
    pub(crate) fn return_label_rooms(&mut self, leaf: u32, label: LabelId, size: &Resource) {
        if self.counts_by_label {
            self.return_label_rooms_below(leaf, NONE, label, size);
        }
    }

    fn return_label_rooms_below(&mut self, leaf: u32, end: u32, label: LabelId, size: &Resource) {
        let Shard { queues, label_rooms, worker, .. } = self;
        let mut at = leaf;
        while at != end {
            let queue = queues[at as usize].as_mut().expect("a queue of the snapshot");
            if let Some((room, member)) = queue.room_in(label) {
                note_piece(label_rooms, room, member, (at, label));
                member.give_back(room, *worker, size);
            }
            at = queue.parent;
        }
    }

    /// Usage on nodes of a label has come to a leaf and the queues above by another way than a grant.
    pub(crate) fn carry_label_room(&mut self, leaf: u32, label: LabelId, amount: &Resource) {
        let mut at = leaf;
        while at != NONE && self.counts_by_label {
            let queue = self.queue_mut(at);
            if let Some((room, member)) = queue.room_in(label) {
                member.carry(room, amount);
            }
            at = queue.parent;
        }
    }

    /// The same of all that an application has here; `comes`: else it goes.
    pub(crate) fn carry_label_rooms(&mut self, app: u32, leaf: u32, comes: bool) {
        if !self.counts_by_label || self.queues.get(leaf as usize).is_none_or(Option::is_none) {
            return;
        }
        for label in self.snapshot.structure.labels.all_numbers() {
            let amount = self.app(app).cell.by_label.read(label);
            if !amount.is_zero() {
                self.carry_label_room(leaf, label, &if comes { amount } else { Resource::ZERO.minus(&amount) });
            }
        }
    }

    /// The node of a live container gets another label.
    pub(crate) fn moves_to_label(&mut self, container: u32, old: LabelId, new: LabelId) {
        let record = self.containers[container];
        if !self.counts_by_label || !record.fate.is_live() || old == new {
            return;
        }
        let (app, size) = (record.app.index, *self.containers.size(&record));
        let (leaf, less) = (self.app(app).leaf, Resource::ZERO.minus(&size));
        for (label, amount) in [(old, &less), (new, &size)] {
            self.carry_label_room(leaf, label, amount);
            self.count_by_label(app, label, amount);
        }
    }

    /// Hands back what is leased of rooms by label.
    pub(crate) fn hand_back_label_rooms(&mut self) {
        let worker = self.worker;
        while let Some((queue, label)) = self.label_rooms.pop() {
            if let Some((room, member)) =
                self.queues.get_mut(queue as usize).and_then(|queue| queue.as_mut()?.room_in(label))
            {
                member.hand_back(room, worker);
            }
        }
    }
}

/// This worker may hold a piece of a room from now on, which it hands back before it blocks.
fn note_piece(held: &mut Vec<(u32, LabelId)>, room: &LabelRoom, member: &mut LabelMember, of: (u32, LabelId)) {
    if !room.is_lent && member.holds_from_now_on() {
        held.push(of);
    }
}

impl<D: Decider> QueueLocal<D> {
    /// All that is counted here by label goes: the worker has lost everything.
    pub(crate) fn vacate_label_rooms(&mut self, worker: usize) {
        for (room, member) in self.snapshot.rooms.iter().zip(&mut self.room_members) {
            member.vacate(room, worker);
        }
    }
}

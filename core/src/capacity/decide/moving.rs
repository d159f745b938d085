//! A reservation moves to another node (rules/capacity.md 25.6; `CapacityScheduler.moveReservedContainer`,
//! `FiCaSchedulerApp.moveReservation`).
//!
//! # Where it stands
//! A round of the preemption policy wants it, in its midst. Run by the worker of the node on which the reservation
//! stands, and by that of the other node.
//!
//! # Protocol
//! 1. The worker that makes the round tells the one that has the reservation (`Move`).
//! 2. That one looks whether it still stands there. Where both nodes are its own it moves, and nothing is charged. Else
//!    it ends here, and it goes to the other node's worker.
//! 3. That one reserves the node for it, if it is there and free, and the application and the ask are known. Else it is
//!    sent back.
//! 4. Where it came from the same is looked at; if it cannot stand there either, it has ended.
//!
//! # What races, and why it is safe
//! Whatever becomes of nodes, application and reservation meanwhile is a message to the same workers: each looks at its
//! own nodes and books when its turn comes. While a reservation is on its way its ask is outstanding, as ever, and it
//! is charged to nobody; so is it where a panic, or the end of a worker, has lost it. The same number stands on one
//! node at most ([`transit`](super::transit)).

#[cfg(test)]
pub(crate) mod tests;

use super::messages::CapacityMessage;
use super::survey_steps::tell;
use super::transit::{Move, Transit};
use crate::capacity::rules::preempted::{Candidate, HeldIn};
use crate::capacity::rules::tree::ROOT;
use crate::capacity::types::Shard;
use crate::engine::books::ledger::NodeShared;
use crate::engine::records::node::Reservation;
use crate::sync::Arc;

impl Shard {
    /// Whether a round may move what is reserved.
    pub(crate) fn moves_reservations(&self) -> bool {
        let settings = self.own.books.file(ROOT).settings();
        settings.underutilized_preemption && settings.underutilized_preemption_moves_reservations
    }

    /// What is reserved on a node, as a round sees it.
    pub(crate) fn held_on(&self, node: u32) -> Option<HeldIn> {
        let node = &self.nodes[node as usize];
        let made = node.reservation?;
        let app = self.find_app(made.app)?;
        // Where nothing is outstanding, nothing says that it must be here. What stands on a node of another partition
        // than it was asked for stays.
        let key = self.key_index(made.app.index, made.key).map(|at| &app.keys[at]);
        let would_do_elsewhere = key.is_none_or(|key| key.relax || key.total() == 0);
        Some(HeldIn {
            candidate: (app.number, self.number_of(app, made.number)),
            size: made.size,
            since_ms: node.own.reserved_since_ms,
            may_move: would_do_elsewhere && !node.own.reserved_has_moved && made.label == node.label,
        })
    }

    /// A round wants it. What is known here of others' nodes shows it where it is to stand.
    pub(crate) fn order_move(&mut self, held: &HeldIn, from: &Arc<NodeShared>, to: &Arc<NodeShared>) {
        let wanted = Move { reserved: held.candidate, from: from.clone(), to: to.clone() };
        self.own.surveyed.moves(from, to, HeldIn { may_move: false, ..*held });
        if from.owner == self.worker {
            self.move_from_here(&wanted);
        } else {
            tell(&self.shared, from.owner, CapacityMessage::Move(Box::new(wanted)));
        }
    }

    pub(crate) fn move_from_here(&mut self, wanted: &Move) {
        let Move { reserved, from, to } = wanted;
        let Some(source) = self.place_of(from).filter(|place| self.stands_on(*reserved, *place)) else { return };
        if to.owner != self.worker {
            if let Some(transit) = self.in_transit(source, from, to) {
                self.end_reservation(source);
                tell(&self.shared, to.owner, CapacityMessage::Reservation(Box::new(transit)));
            }
            return;
        }
        if let Some(target) = self.place_of(to)
            && self.nodes[target as usize].reservation.is_none()
        {
            self.move_reserved(source, target);
            let since = self.nodes[source as usize].own.reserved_since_ms;
            self.since_when(target, since, true);
        }
    }

    fn stands_on(&self, reserved: Candidate, node: u32) -> bool {
        self.held_on(node).is_some_and(|held| held.candidate == reserved)
    }

    /// Since when what is reserved on a node is, and whether on another one before.
    pub(crate) fn since_when(&mut self, node: u32, since_ms: u64, has_moved: bool) {
        let own = &mut self.nodes[node as usize].own;
        (own.reserved_since_ms, own.reserved_has_moved) = (since_ms, has_moved);
    }

    fn in_transit(&self, node: u32, from: &Arc<NodeShared>, to: &Arc<NodeShared>) -> Option<Transit> {
        let node = &self.nodes[node as usize];
        let Reservation { app, number, key, size, label } = node.reservation?;
        let app = self.find_app(app)?.shared.clone();
        let (from, to, since_ms) = (from.clone(), to.clone(), node.own.reserved_since_ms);
        Some(Transit { app, number, key, size, label, since_ms, from, to, returns: false })
    }

    /// One from another worker's node, or back from there.
    pub(crate) fn reservation_comes(&mut self, transit: &Transit) {
        let on = if transit.returns { &transit.from } else { &transit.to };
        if !self.put_on(on, transit) && !transit.returns {
            let back = Transit { returns: true, ..transit.clone() };
            tell(&self.shared, transit.from.owner, CapacityMessage::Reservation(Box::new(back)));
        }
    }

    /// It stands on a node of this worker, as if it had been made there; false where it cannot.
    fn put_on(&mut self, node: &NodeShared, transit: &Transit) -> bool {
        let Transit { app, number, key, size, label, since_ms, returns, .. } = transit;
        let Some(node) = self.place_of(node).filter(|place| self.nodes[*place as usize].reservation.is_none()) else {
            return false;
        };
        let Some(entry) = self.find_app(app.slot).filter(|app| !app.closed).and_then(|app| app.own.entry) else {
            return false;
        };
        if self.key_index(app.slot.index, *key).is_none() {
            return false;
        }
        self.reserve_as(node, Reservation { app: app.slot, number: *number, key: *key, size: *size, label: *label });
        self.since_when(node, *since_ms, !returns);
        by_partition!(self, node, |p| {
            let books = &mut self.own.books;
            let leaf = books.apps[entry].leaf;
            books.app_reserves(entry, size, p);
            books.change_held(entry, 1);
            books.charge_leaf(leaf, entry, size, 1, None, p);
            books.note_reorder(entry);
            books.add_reserved(leaf, size, p);
            books.charge_above(leaf, size, 1, p);
        });
        true
    }
}

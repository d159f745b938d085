//! Reserved nodes: a node is kept for one container that does not fit yet.
//!
//! # Where it stands
//! Plain code on the worker's own nodes. The decider says when a node is reserved and when that is given up; a grant
//! that fulfils a reservation, the end of an application and the loss of a node give it up too.
//!
//! # Invariant
//! A node has one reservation at most, and stands in its application's list while it has. How many all workers have
//! reserved for an application: see `books::reserved`.

use crate::app::SchedulingKey;
use crate::engine::decider::Decider;
use crate::engine::records::node::Reservation;
use crate::engine::shard::Shard;
use crate::engine::shared::count;
use crate::id::LabelId;
use crate::resource::Resource;

impl<D: Decider> Shard<D> {
    /// Keeps a node that nobody has reserved for a container of an application, which gets its number now.
    pub(crate) fn reserve_node(&mut self, node: u32, app: u32, key: SchedulingKey, size: Resource, label: LabelId) {
        let local = self.app_mut(app);
        let (slot, number) = (local.slot, local.take_number());
        self.reserve_as(node, Reservation { app: slot, number, key, size, label });
        count(&self.shared.counters[self.worker].reserved, 1);
    }

    /// Keeps a node that nobody has reserved for something that has a number already.
    pub(crate) fn reserve_as(&mut self, node: u32, reservation: Reservation) {
        let app = reservation.app.index;
        self.app_mut(app).reserved.push(node);
        self.nodes[node as usize].reservation = Some(reservation);
        self.note_reservation(node);
        self.count_reserved(app);
    }

    /// Keeps a node that nobody has reserved for what another one was kept for.
    pub(crate) fn move_reserved(&mut self, from: u32, to: u32) {
        if let Some(reservation) = self.nodes[from as usize].reservation {
            self.unreserve(from);
            self.reserve_as(to, reservation);
        }
    }

    /// Gives up a node's reservation.
    pub(crate) fn unreserve(&mut self, node: u32) {
        let Some(reservation) = self.nodes[node as usize].reservation.take() else { return };
        self.note_reservation(node);
        if self.find_app(reservation.app).is_some() {
            let app = reservation.app.index;
            self.app_mut(app).reserved.retain(|reserved| *reserved != node);
            self.count_reserved(app);
        }
    }

    fn note_reservation(&mut self, node: u32) {
        if let Some(news) = &mut self.reservation_news {
            news.push((node, self.nodes[node as usize].shared.id));
        }
    }

    /// Publishes how many of this worker's nodes are reserved for an application.
    fn count_reserved(&self, app: u32) {
        let local = self.app(app);
        local.cell.reserved.set(local.reserved.len());
    }
}

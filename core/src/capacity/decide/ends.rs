//! Ends: what a container or a reservation was charged goes back, whatever ended it; and what comes back after a
//! restart is charged again.
//!
//! Follows rules/capacity.md 20 and rules/node-labels.md 15. Called by the stages of the engine, on the thread of the
//! worker that owns the node.

use super::preempting::candidate_of;
use crate::capacity::rules::leaf::SharedEntry;
use crate::capacity::rules::ordered::AppEntry;
use crate::capacity::rules::partition::Partition;
use crate::capacity::rules::preempted::Candidate;
use crate::capacity::rules::tree::ROOT;
use crate::capacity::types::{AppLocal, Shard};
use crate::engine::records::node::Reservation;
use crate::id::LabelId;
use crate::prefetch::prefetch_lines;
use crate::resource::Resource;

impl Shard {
    /// A reservation is taken off its application and the reserved amounts; what it is charged stays.
    pub(super) fn taken_off<P: Partition>(&mut self, made: &Reservation, p: P) {
        let app = made.app.index;
        if let Some(key) = self.key_index(app, made.key) {
            self.key_mut(app, key).re_reservations = 0;
        }
        let Some(entry) = self.entry(app) else { return };
        let books = &mut self.own.books;
        let (leaf, less) = (books.apps[entry].leaf, Resource::ZERO.minus(&made.size));
        books.add_reserved(leaf, &less, p);
        books.app_reserves(entry, &less, p);
    }

    /// A node's reservation ends: it is charged to nobody any more.
    pub(crate) fn reservation_is_over(&mut self, node: u32) {
        let Some(made) = self.nodes[node as usize].reservation else { return };
        let Some(local) = self.find_app(made.app) else { return };
        let candidate = (local.number, self.number_of(local, made.number));
        let Some(entry) = local.own.entry else { return };
        by_partition!(self, node, |p| {
            self.taken_off(&made, p);
            self.own.books.usage_lost(entry, &made.size, p);
        });
        self.leaves_shared_node(entry, node, candidate);
    }

    /// A container or a reservation stands on a node from now on (rules/node-labels.md 15).
    pub(super) fn is_on_shared_node(
        &mut self,
        entry: AppEntry,
        node: u32,
        asked: LabelId,
        held: Candidate,
        size: Resource,
        was_reserved: bool,
    ) {
        let at = &self.nodes[node as usize];
        let (label, node) = (at.label, at.shared.id);
        let leaf = self.own.books.apps[entry].leaf;
        self.own.books.leaf_mut(leaf).borrows(label, asked, held, SharedEntry { size, node, was_reserved });
    }

    fn leaves_shared_node(&mut self, entry: AppEntry, node: u32, held: Candidate) {
        let (label, leaf) = (self.nodes[node as usize].label, self.own.books.apps[entry].leaf);
        self.own.books.leaf_mut(leaf).borrows_no_more(label, &held);
    }

    /// A node's reservation ends, and the node is free.
    pub(crate) fn end_reservation(&mut self, node: u32) {
        self.reservation_is_over(node);
        self.unreserve(node);
    }

    /// A container that runs already is charged (`LeafQueue.recoverContainer`).
    pub(crate) fn container_is_back(&mut self, app: u32, container: u32) {
        let record = self.containers[container];
        let (size, node) = (*self.containers.size(&record), record.node);
        let Some(entry) = self.entry(app) else { return };
        let leaf = self.own.books.apps[entry].leaf;
        self.own.books.change_held(entry, 1);
        // As in Hadoop a fair leaf does not order it anew by that.
        by_partition!(self, node, |p| {
            let books = &mut self.own.books;
            books.app_uses(entry, &size, p);
            books.charge_leaf(leaf, entry, &size, 1, None, p);
            books.charge_above(leaf, &size, 1, p);
        });
        self.is_on_shared_node(entry, node, record.label, candidate_of(&record), size, false);
    }

    /// A container has ended: it is charged to nobody any more.
    pub(crate) fn container_is_over(&mut self, index: u32) {
        let record = &self.containers[index];
        let (app, size) = (record.app.index, *self.containers.size(record));
        let (candidate, node, launched) = (candidate_of(record), record.node, record.launched);
        // Between two attempts the one before has what the next will take over.
        let Some(entry) = self.entry(app).or_else(|| self.own.books.apps.entry(candidate.0)) else { return };
        let local = &self.own.books.apps[entry];
        let (leaf, has_marked) = (local.leaf, local.has_marked);
        if launched {
            self.nodes[node as usize].own.ended.push((candidate, leaf));
        }
        if has_marked {
            let id = self.container_id(index);
            self.app(app).shared.am.lock().to_preempt.retain(|marked| *marked != id);
        }
        by_partition!(self, node, |p| {
            self.own.books.app_uses(entry, &Resource::ZERO.minus(&size), p);
            self.own.books.usage_lost(entry, &size, p);
        });
        self.leaves_shared_node(entry, node, candidate);
        // Its leaf queue will mostly be the first to be offered the room.
        if let Some(first) = self.own.books.first_of(leaf)
            && let Some(app) = self.apps.get(first as usize)
        {
            prefetch_lines(app, 0..AppLocal::VISITED);
        }
        // Root has whatever any queue has. As in Hadoop one that has moved is taken off its present path, so where that
        // meets the old one.
        by_partition!(self, node, |p| if !self.own.books.counts_in(ROOT, p).killable.is_empty() {
            self.own.books.set_killable(leaf, candidate, None, p);
        });
    }
}

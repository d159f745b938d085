//! A proposal becomes a container, a reservation, or nothing (rules/capacity.md 18); containers and reservations end
//! (rules/capacity.md 20).

use super::parts::CapacityKey;
use super::preempting::candidate_of;
use crate::capacity::rules::allocator::Chosen;
use crate::capacity::rules::observer::{Observer, Stop};
use crate::capacity::rules::ordered::AppEntry;
use crate::capacity::rules::preempted::Candidate;
use crate::capacity::rules::tree::ROOT;
use crate::capacity::types::{AppLocal, Shard};
use crate::engine::proposal::{self, Refusal};
use crate::engine::records::node::Reservation;
use crate::prefetch::prefetch_lines;
use crate::resource::Resource;

/// What a pass has chosen.
#[derive(Clone, Debug)]
pub(crate) struct Proposal {
    /// By slot.
    pub(crate) app: u32,
    pub(crate) key: usize,
    pub(crate) node: u32,
    pub(crate) chosen: Chosen,
    /// The node is reserved for the key: the reservation becomes the container, or stays.
    pub(crate) converts: bool,
    /// A reserved node that is given up for it.
    pub(crate) gives_up: Option<u32>,
    /// Killable containers that have to go.
    pub(crate) kills: Vec<Candidate>,
}

impl Shard {
    /// Where the books have the application of a slot.
    pub(crate) fn entry(&self, app: u32) -> Option<AppEntry> {
        self.app(app).own.entry
    }

    pub(crate) fn key_mut(&mut self, app: u32, key: usize) -> &mut CapacityKey {
        &mut self.app_mut(app).keys[key].own
    }

    /// Nodes that are reserved for an application, in the order in which they were.
    pub(crate) fn reservations_of(&self, app: u32) -> impl Iterator<Item = (u32, &Reservation)> {
        let nodes = self.app(app).reserved.iter();
        nodes.filter_map(|node| Some((*node, self.nodes[*node as usize].reservation.as_ref()?)))
    }

    /// False where another worker was first: asks that it has taken, or room that it holds. With one worker it is
    /// always true.
    pub(crate) fn commit(&mut self, proposal: &Proposal) -> bool {
        self.accepts::<()>(proposal).is_err() || self.apply(proposal)
    }

    /// The engine has refused a proposal: what the others have done meanwhile is known from now on.
    #[cold]
    fn learn_from(&mut self, refusal: Refusal, proposal: &Proposal) {
        match refusal {
            Refusal::AskGone => self.recount(proposal.app, proposal.key),
            Refusal::NoRoomUnderLimit | Refusal::Moved => self.fold_now(),
            Refusal::AmLimit | Refusal::NoRecord => {}
        }
    }

    /// Whether a proposal still holds: queues, user and node are looked at once more (rules/capacity.md 18.1). What has
    /// just been read of asks and nodes is as it was: they are this worker's.
    pub(crate) fn accepts<O: Observer>(&mut self, proposal: &Proposal) -> Result<(), Stop> {
        let Proposal { app, node, ref chosen, converts, gives_up, ref kills, .. } = *proposal;
        if self.nodes[node as usize].decommissioning {
            return Err(Stop::NodeDecommissioning);
        }
        let entry = self.entry(app).ok_or(Stop::Gone)?;
        let mut killed = Resource::ZERO;
        for candidate in kills {
            let index = self.live(*candidate).ok_or(Stop::Gone)?;
            killed = killed.plus(self.containers.size(&self.containers[index]));
        }
        let released = gives_up.and_then(|node| self.nodes[node as usize].reservation).map(|made| made.size);
        let released = released.unwrap_or(Resource::ZERO).plus(&killed);
        let books = &mut self.own.books;
        let (arith, cluster) = (books.arith, books.cluster);
        if chosen.allocated && !arith.fits_in(&chosen.size, &self.nodes[node as usize].free.plus(&killed)) {
            return Err(Stop::Gone);
        }
        if converts {
            return Ok(());
        }
        let leaf = books.apps[entry].leaf;
        let limit = books.user_limit::<O>(leaf, entry).ok_or(Stop::UserForgotten)?;
        let users = &books.leaf(leaf).users;
        let record = users.record_at(books.apps[entry].seat).ok_or(Stop::UserForgotten)?;
        if arith.is_greater(&cluster, &users.at(record).used.minus(&released), &limit) {
            return Err(Stop::User { limit });
        }
        let net = chosen.size.minus(&released);
        let mut at = Some(leaf);
        while let Some(slot) = at {
            let limit = books.maximum(slot);
            if !arith.fits_in(&books.counts(slot).used.plus(&net), limit) {
                return Err(Stop::Queue { slot, limit: *limit });
            }
            at = books.parent(slot);
        }
        Ok(())
    }

    /// A proposal that holds comes into force: books are charged, what it replaces ends (rules/capacity.md 18.2).
    fn apply(&mut self, proposal: &Proposal) -> bool {
        let Proposal { app, key, node, ref chosen, converts, gives_up, ref kills } = *proposal;
        if !chosen.allocated && converts {
            self.key_mut(app, key).re_reservations += 1;
            return true;
        }
        let Some(entry) = self.entry(app) else { return true };
        let leaf = self.own.books.apps[entry].leaf;
        // What is asked for less. With the queues' charge, where that is all there is to tell them.
        let mut less = None;
        if chosen.allocated {
            let reserved = self.nodes[node as usize].reservation.filter(|_| converts);
            let granted =
                proposal::Proposal { app, key, node, locality: chosen.locality, size: chosen.size, reserved: converts };
            if let Err(refusal) = self.try_grant(&granted) {
                self.learn_from(refusal, proposal);
                return false;
            }
            if let Some(made) = reserved {
                self.taken_off(&made);
                self.own.books.use_drifts(entry, &chosen.size, &made.size);
            }
            let local = &mut self.own.books.apps[entry];
            local.used = local.used.plus(&chosen.size);
            if let Some((entry, change)) = self.counted_anew(app, key) {
                self.own.books.app_asks(entry, &change);
                less = Some(change.pending);
            }
            let ends_nothing =
                kills.is_empty() && gives_up.is_none() && self.own.books.counts(ROOT).killable.is_empty();
            if (converts || !ends_nothing)
                && let Some(less) = less.take()
            {
                self.own.books.add_pending(leaf, &less);
            }
        } else {
            let id = self.app(app).keys[key].id();
            self.reserve_node(node, app, id, chosen.size);
            self.since_when(node, self.shared.clock.now_ms(), false);
            self.key_mut(app, key).re_reservations = 0;
            self.own.books.app_reserves(entry, &chosen.size);
        }
        for candidate in kills {
            // Those of its own leaf stay.
            if self.own.books.find(candidate.0).is_some_and(|other| other.leaf != leaf) {
                self.end_for_room(*candidate);
            }
        }
        if let Some(other) = gives_up {
            self.end_reservation(other);
        }
        let books = &mut self.own.books;
        if !converts {
            books.holds(entry, 1);
            books.charge_leaf(leaf, entry, &chosen.size, 1, less.as_ref());
            books.note_reorder(entry);
        }
        if !chosen.allocated {
            books.add_reserved(leaf, &chosen.size);
        }
        let mut above = self.own.books.parent(leaf).filter(|_| !converts);
        while let Some(queue) = above {
            self.own.books.charge_queue(queue, &chosen.size, 1, less.as_ref());
            self.enforce_maximum(queue);
            above = self.own.books.parent(queue);
        }
        true
    }

    // ------------------------------------------------------------------------------------------------ ends

    /// A reservation is taken off its application and the reserved amounts; what it is charged stays.
    fn taken_off(&mut self, made: &Reservation) {
        let app = made.app.index;
        if let Some(key) = self.key_index(app, made.key) {
            self.key_mut(app, key).re_reservations = 0;
        }
        let Some(entry) = self.entry(app) else { return };
        let books = &mut self.own.books;
        let (leaf, less) = (books.apps[entry].leaf, Resource::ZERO.minus(&made.size));
        books.add_reserved(leaf, &less);
        books.app_reserves(entry, &less);
    }

    /// A node's reservation ends: it is charged to nobody any more.
    pub(crate) fn reservation_is_over(&mut self, node: u32) {
        let Some(made) = self.nodes[node as usize].reservation else { return };
        let Some(entry) = self.find_app(made.app).and_then(|app| app.own.entry) else { return };
        self.taken_off(&made);
        self.own.books.usage_lost(entry, &made.size);
    }

    /// The same, and the node is free.
    pub(crate) fn end_reservation(&mut self, node: u32) {
        self.reservation_is_over(node);
        self.unreserve(node);
    }

    /// A container that runs already is charged (`LeafQueue.recoverContainer`).
    pub(crate) fn container_is_back(&mut self, app: u32, size: &Resource) {
        let Some(entry) = self.entry(app) else { return };
        let books = &mut self.own.books;
        let local = &mut books.apps[entry];
        local.used = local.used.plus(size);
        let leaf = local.leaf;
        books.holds(entry, 1);
        // As in Hadoop a fair leaf does not order it anew by that.
        books.charge_leaf(leaf, entry, size, 1, None);
        books.charge_above(leaf, size, 1);
    }

    /// A container has ended: it is charged to nobody any more.
    pub(crate) fn container_is_over(&mut self, index: u32) {
        let record = &self.containers[index];
        let (app, size) = (record.app.index, *self.containers.size(record));
        let (candidate, node, launched) = (candidate_of(record), record.node, record.launched);
        // Between two attempts the one before has what the next will take over.
        let Some(entry) = self.entry(app).or_else(|| self.own.books.apps.entry(candidate.0)) else { return };
        let local = &mut self.own.books.apps[entry];
        local.used = local.used.minus(&size);
        let (leaf, has_marked) = (local.leaf, local.has_marked);
        if launched {
            self.nodes[node as usize].own.ended.push((candidate, leaf));
        }
        if has_marked {
            let id = self.container_id(index);
            self.app(app).shared.am.lock().to_preempt.retain(|marked| *marked != id);
        }
        self.own.books.usage_lost(entry, &size);
        // Its leaf queue will mostly be the first to be offered the room.
        if let Some(first) = self.own.books.first_of(leaf)
            && let Some(app) = self.apps.get(first as usize)
        {
            prefetch_lines(app, 0..AppLocal::VISITED);
        }
        // Root has whatever any queue has. As in Hadoop one that has moved is taken off its present path, so where that
        // meets the old one.
        if !self.own.books.counts(ROOT).killable.is_empty() {
            self.own.books.set_killable(leaf, candidate, None);
        }
    }
}

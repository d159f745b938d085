//! A proposal becomes a container, a reservation, or nothing (rules/capacity.md 18).

use super::parts::CapacityKey;
use super::preempting::candidate_of;
use crate::capacity::rules::allocator::Chosen;
use crate::capacity::rules::observer::{Observer, Stop};
use crate::capacity::rules::ordered::AppEntry;
use crate::capacity::rules::partition::Partition;
use crate::capacity::rules::preempted::Candidate;
use crate::capacity::rules::tree::ROOT;
use crate::capacity::types::Shard;
use crate::engine::proposal::{self, Refusal};
use crate::engine::records::node::Reservation;
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
    pub(crate) fn commit<P: Partition>(&mut self, proposal: &Proposal, p: P) -> bool {
        self.accepts::<(), P>(proposal, p).is_err() || self.apply(proposal, p)
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
    pub(crate) fn accepts<O: Observer, P: Partition>(&mut self, proposal: &Proposal, p: P) -> Result<(), Stop> {
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
        let limit = books.user_limit::<O, P>(leaf, entry, p).ok_or(Stop::UserForgotten)?;
        let users = &books.leaf(leaf).users;
        let record = users.record_at(books.apps[entry].seat).ok_or(Stop::UserForgotten)?;
        if arith.is_greater(&cluster, &users.at(record).used_in(p).minus(&released), &limit) {
            return Err(Stop::User { limit });
        }
        let net = chosen.size.minus(&released);
        let mut at = Some(leaf);
        while let Some(slot) = at {
            let limit = if p.is_lent() { books.size(p) } else { books.maximum(slot, p) };
            if !arith.fits_in(&books.counts_in(slot, p).used.plus(&net), limit) {
                return Err(Stop::Queue { slot, limit: *limit });
            }
            at = books.parent(slot);
        }
        Ok(())
    }

    /// A proposal that holds comes into force: books are charged, what it replaces ends (rules/capacity.md 18.2).
    fn apply<P: Partition>(&mut self, proposal: &Proposal, p: P) -> bool {
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
                self.taken_off(&made, p);
                self.own.books.use_drifts(entry, &chosen.size, &made.size);
            }
            self.own.books.app_uses(entry, &chosen.size, p);
            if let Some((entry, change)) = self.counted_anew(app, key) {
                self.own.books.app_asks(entry, &change);
                if P::IS_WHOLE {
                    less = Some(change.pending);
                } else {
                    self.own.books.queues_asked(leaf, &change);
                }
            }
            let ends_nothing =
                kills.is_empty() && gives_up.is_none() && self.own.books.counts_in(ROOT, p).killable.is_empty();
            if (converts || !ends_nothing)
                && let Some(less) = less.take()
            {
                self.own.books.add_pending(leaf, &less, p);
            }
        } else {
            let id = self.app(app).keys[key].id();
            let label = self.app(app).keys[key].label;
            self.reserve_node(node, app, id, chosen.size, label);
            self.since_when(node, self.shared.clock.now_ms(), false);
            self.key_mut(app, key).re_reservations = 0;
            self.own.books.app_reserves(entry, &chosen.size, p);
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
        if !p.is_first() && !converts {
            self.borrows(entry, app, key, node, chosen.allocated);
        }
        let books = &mut self.own.books;
        if !converts {
            books.change_held(entry, 1);
            books.charge_leaf(leaf, entry, &chosen.size, 1, less.as_ref(), p);
            books.note_reorder(entry);
        }
        if !chosen.allocated {
            books.add_reserved(leaf, &chosen.size, p);
        }
        let mut above = self.own.books.parent(leaf).filter(|_| !converts);
        while let Some(queue) = above {
            self.own.books.charge_queue(queue, &chosen.size, 1, less.as_ref(), p);
            self.enforce_maximum(queue, p);
            above = self.own.books.parent(queue);
        }
        true
    }

    /// What was asked for on nodes without a label, and stands on one with a label, is in its leaf's list.
    fn borrows(&mut self, entry: AppEntry, app: u32, key: usize, node: u32, allocated: bool) {
        let local = self.app(app);
        let came = if allocated {
            let record = local.containers.last().map(|index| &self.containers[*index]);
            record.map(|record| (candidate_of(record), *self.containers.size(record)))
        } else {
            let made = self.nodes[node as usize].reservation;
            made.map(|made| ((local.number, self.number_of(local, made.number)), made.size))
        };
        let (Some((held, size)), asked) = (came, local.keys[key].label) else { return };
        self.is_on_shared_node(entry, node, asked, held, size, !allocated);
    }
}

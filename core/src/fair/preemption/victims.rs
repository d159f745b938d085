//! Victims: which containers of a worker's own nodes go, and their end (rules/preemption.md 6.4 to 6.6).
//!
//! # Where it stands
//! Run by the worker that owns the nodes, on behalf of a round. A search changes nothing; what it proposes is looked at
//! again when it is taken, since other owners' containers of the same applications may have gone meanwhile. With one
//! worker nothing happens in between.
//!
//! # What decides
//! Usage of an owner is what all workers count, less what all have marked; its share is that of the snapshot in use.
//!
//! # Invariant
//! I10: a container is marked once and killed once. Its record stays until the kill, even if it ends before: Hadoop
//! then puts an unseen container's ask back a second time.

use super::serve::Creditor;
use crate::app::SchedulingKey;
use crate::engine::books::ledger::AppShared;
use crate::engine::intake::locations::ANY;
use crate::engine::mail::container::EndReason;
use crate::engine::records::containers::ContainerRecord;
use crate::engine::records::rows::LocationRow;
use crate::engine::shared::count;
use crate::fair::engine::Shard;
use crate::id::NONE;
use crate::id::{ContainerId, NodeId, Slot};
use crate::preemption::{Place, Yardstick};
use crate::resource::Resource;
use smallvec::SmallVec;

/// Containers of one set.
pub(crate) type Victims = SmallVec<[ContainerId; 8]>;

/// Where a container of a size may be made room for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Search {
    pub(super) size: Resource,
    pub(super) place: Place,
    /// On all nodes but those of the place.
    pub(super) elsewhere: bool,
    /// A set with so many AMs is of no use.
    pub(super) limit: u32,
    /// The first node to look at.
    pub(super) from: NodeId,
}

/// Containers of one node that make room together.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    /// Its place, and which node that is.
    pub(super) node: u32,
    pub(super) id: NodeId,
    pub(super) containers: Victims,
    pub(super) ams: u32,
}

/// An outstanding request of an application: at a rack, a node, or `*`, by interned name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutstandingAsk {
    pub(super) key: SchedulingKey,
    pub(super) location: u32,
    pub(super) size: Resource,
    pub(super) count: u32,
    pub(super) relax: bool,
}

impl Search {
    fn includes(&self, [rack, name]: [u32; 2]) -> bool {
        let at_place = match self.place {
            Place::Any => true,
            Place::Rack(wanted) => rack == wanted,
            Place::Node { name: wanted, .. } => name == wanted,
        };
        at_place != self.elsewhere
    }
}

impl Shard {
    /// What an application asks for, by its home worker.
    pub(crate) fn outstanding_asks(&self, app: Slot) -> Vec<OutstandingAsk> {
        let mut out = Vec::new();
        let Some(app) = self.find_app(app).filter(|app| !app.closed) else { return out };
        for key in &app.keys {
            let id = key.id();
            out.extend(key.rows().iter().filter(LocationRow::present).map(|row| OutstandingAsk {
                key: id,
                location: row.location,
                size: *row.size(),
                count: row.left(),
                relax: row.relax(),
            }));
            let count = key.total();
            let any = OutstandingAsk { key: id, location: ANY, size: key.size, count, relax: key.relax };
            out.extend((count > 0).then_some(any));
        }
        out
    }

    /// The set with the fewest AMs, the first of those on the nodes in order of registration.
    pub(crate) fn find_victims(&self, search: &Search) -> Option<Found> {
        let (mut best, mut limit) = (None, search.limit);
        for (place, node) in self.nodes.present().skip_while(|(_, node)| node.shared.id < search.from) {
            if limit == 0 {
                break;
            }
            if !search.includes(node.shared.locations()) {
                continue;
            }
            if let Some(found) = self.set_on(place, &search.size, limit) {
                limit = found.ams;
                best = Some(found);
            }
        }
        best
    }

    /// Containers of one node that make room for a size: AMs last, fewer of them than `limit`.
    fn set_on(&self, node: u32, size: &Resource, limit: u32) -> Option<Found> {
        let at = &self.nodes[node as usize];
        let reserved = at.reservation.map_or(Resource::ZERO, |reservation| reservation.size);
        let mut potential = at.free.minus_non_negative(&reserved.plus(&at.own.owed.total()));
        let (mut chosen, mut found_ams): (SmallVec<[u32; 8]>, u32) = (SmallVec::new(), 0);
        // The newest first, then AMs, the oldest first.
        let is_am = |index: &u32| self.containers[*index].am;
        let plain = at.containers.iter().rev().copied().filter(|index| !is_am(index));
        let ams = at.containers.iter().copied().filter(is_am);
        for index in plain.chain(ams) {
            let record = &self.containers[index];
            let owner_runs = self.find_app(record.app).is_some_and(|owner| !owner.closed);
            if record.fate.is_marked() || !owner_runs {
                continue;
            }
            if self.may_go(index, &chosen) {
                found_ams += u32::from(record.am);
                if record.am && found_ams >= limit {
                    return None;
                }
                chosen.push(index);
                potential = potential.plus(self.containers.size(record));
            }
            // Only after a container was looked at: a node that has room loses its first one all the same, or, where
            // that may not go, yields a set of none.
            if size.fits_in(&potential) {
                let containers = chosen.iter().map(|index| self.container_id(*index)).collect();
                return Some(Found { node, id: at.shared.id, containers, ams: found_ams });
            }
        }
        None
    }

    /// Whether a container may be taken: its queue and its owner allow it, and the owner stays at its fair share or
    /// above without it, what is marked already, and those of its containers that are `chosen`.
    fn may_go(&self, index: u32, chosen: &[u32]) -> bool {
        let record = &self.containers[index];
        if !record.fate.is_live() || record.fate.is_marked() {
            return false;
        }
        let chosen = chosen.iter().map(|chosen| &self.containers[*chosen]);
        let chosen = chosen.filter(|chosen| chosen.app == record.app);
        let gone = chosen.fold(*self.containers.size(record), |sum, chosen| sum.plus(self.containers.size(chosen)));
        self.can_spare(record, &gone)
    }

    /// The same of one that is marked already.
    pub(super) fn may_still_go(&self, index: u32) -> bool {
        self.can_spare(&self.containers[index], &Resource::ZERO)
    }

    /// Whether a container's queue and owner allow that it goes, and the owner is not below its fair share without what
    /// is marked of it and `gone`.
    fn can_spare(&self, record: &ContainerRecord, gone: &Resource) -> bool {
        let Some(owner) = self.find_app(record.app).filter(|owner| !owner.closed && owner.leaf != NONE) else {
            return false;
        };
        let leaf = &self.queue(owner.leaf).snapshot;
        if !leaf.own.preemption.preemptable || (record.am && !owner.own.am_preemptable) {
            return false;
        }
        let yardstick = Yardstick { calculator: leaf.own.calculator, cluster: self.cluster };
        !yardstick.below(&owner.shared.left_over().minus(gone), &owner.own.fair_share)
    }

    /// Marks what was found, all of it or, where some of it may go no longer, nothing: then the rest would make too
    /// little room. What is marked is owed to the application; nothing is marked for one that has ended.
    pub(crate) fn take_victims(&mut self, found: &Found, app: &AppShared) -> Victims {
        let mut chosen: SmallVec<[u32; 8]> = SmallVec::new();
        if app.is_closed() {
            return Victims::new();
        }
        for id in &found.containers {
            match self.live_container(*id).filter(|index| self.may_go(*index, &chosen)) {
                Some(index) => chosen.push(index),
                None => return Victims::new(),
            }
        }
        let to = Creditor { app: app.slot, number: app.id.number };
        for (index, id) in chosen.iter().zip(&found.containers) {
            let record = &mut self.containers[*index];
            let marked = record.fate.mark();
            debug_assert!(marked, "I10: it may go, so it is not marked");
            let record = *record;
            let size = *self.containers.size(&record);
            self.app(record.app.index).cell.marked.enter(*id, size);
            self.nodes[found.node as usize].own.owed.owe(to, &size);
        }
        found.containers.clone()
    }

    /// Ends what was marked. What ended before is told a second time of its end.
    pub(crate) fn kill(&mut self, containers: &[ContainerId]) {
        for id in containers {
            if let Some(index) = self.take_doomed(*id) {
                self.preempt(index);
            }
        }
    }

    /// Ends a container that was marked. One that lives is counted, for its application and its queues up to root: like
    /// Hadoop's metrics, which see no difference between what ended before and what was never there.
    pub(super) fn preempt(&mut self, index: u32) {
        let record = &self.containers[index];
        if record.fate.is_live() {
            let app = self.app(record.app.index);
            count(&app.cell.preempted, 1);
            let mut at = app.leaf;
            while at != NONE {
                let queue = self.queue(at);
                count(&queue.snapshot.shared.cells[self.worker].preempted, 1);
                at = queue.parent;
            }
        }
        self.end_container(index, EndReason::Preempted, false);
    }

    /// The record of a container that a kill was to come to; it has come.
    pub(super) fn take_doomed(&mut self, id: ContainerId) -> Option<u32> {
        self.containers.named(&id.own_of(self.worker)?)?;
        self.containers[id.record].fate.take_kill().then_some(id.record)
    }
}

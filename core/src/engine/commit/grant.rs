//! Grants: turns a proposed placement into a container, or says why not; and ends containers again.
//!
//! # Where it stands
//! `assignment` -> **grant** -> `ledger`, `mailbox`. Called by one worker at a time per node, by many at once per queue.
//!
//! # Protocol
//! 1. The node's room is this worker's own: it cannot race. 2. One unit of each ask that the placement consumes is taken
//!    (`lease::AskPool`, `lease::AskCount`). 3. An AM's size is added to its leaf's AM usage, within the limit. 4. With
//!    several workers, room is spent from the lease of every limited queue on the path. 5. An AM is entered where its
//!    application stands. 6. Where one of these fails, all is handed back in reverse. 7. The container is recorded, usage
//!    counted, the grant pushed into the mailbox, and what its leaf uses shown in the ledger.
//!
//! # Invariants
//! I1: the node's free room is checked and reduced by its owner alone. I2, I3: see `lease`. I5, I7: a refusal has left no
//! trace; a grant is in the mailbox or undone.

use crate::app::{Locality, SchedulingKey};
use crate::engine::books::paths::{self, Counting};
use crate::engine::decider::Decider;
use crate::engine::intake::messages::{GiveBack, Internal};
use crate::engine::mail::container::{Container, EndReason, EndedContainer};
use crate::engine::shared::{ANY, count};
use crate::engine::worker::containers::ContainerRecord;
use crate::engine::worker::fate::Fate;
use crate::engine::worker::key::KeyLocal;
use crate::engine::worker::shard::Shard;
use crate::id::{ContainerId, NONE, Slot};
use crate::resource::Resource;
use smallvec::SmallVec;

/// A placement that fits the node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Proposal {
    pub(crate) app: u32,
    /// Index of the request key.
    pub(crate) key: usize,
    pub(crate) node: u32,
    pub(crate) locality: Locality,
    /// The size of the ask.
    pub(crate) size: Resource,
    /// This fulfils the node's reservation.
    pub(crate) reserved: bool,
}

/// What a new container has besides what was proposed.
#[derive(Clone, Copy, Debug)]
struct NewContainer {
    /// That of the reservation that it fulfils; else it gets its application's next.
    number: Option<u32>,
    /// Its record in the arena.
    mail: u32,
    /// Relaxation of the asks that it was taken from, as bits.
    relax: u8,
    am: bool,
}

/// Why a proposal came to nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Nothing is outstanding any more, or others hold what is, or the AM has replaced the ask.
    AskGone,
    /// The leaf's AMs may use no more.
    AmLimit,
    /// No room is left under the limit of a queue.
    QueueFull,
    /// The arena has no record left.
    NoRecord,
    /// The application is in another queue by now, which the next snapshot shows.
    Moved,
}

impl Refusal {
    /// Whether a reservation has lost its reason.
    pub(crate) fn is_final(self) -> bool {
        match self {
            Refusal::AskGone => true,
            Refusal::AmLimit | Refusal::QueueFull | Refusal::NoRecord | Refusal::Moved => false,
        }
    }
}

/// Takes one unit of the rack's ask, and of the node's; or gives all back, the `*` ask's unit too. Returns their relaxation as bits.
#[inline(never)]
fn take_rows<D: Decider>(key: &mut KeyLocal<D>, at: [u32; 2], locality: Locality) -> Result<u8, Refusal> {
    let wanted = locations_taken(&at, locality);
    let mut relax = 0;
    for (i, location) in wanted.iter().enumerate() {
        let Some(relaxed) = key.change_rows(|rows| rows.take_one(*location)) else {
            wanted[..i].iter().for_each(|earlier| key.change_rows(|rows| rows.untake_one(*earlier)));
            key.untake_one();
            return Err(Refusal::AskGone);
        };
        if relaxed {
            relax |= 2 << i;
        }
    }
    Ok(relax)
}

/// Of a node's rack and name, those whose asks a placement takes from.
fn locations_taken(at: &[u32; 2], locality: Locality) -> &[u32] {
    match locality {
        Locality::Node => at,
        Locality::Rack => &at[..1],
        Locality::OffSwitch => &[],
    }
}

/// So many of a node's containers are compared at once.
const COMPARED: usize = 8;

/// Where a container stands in its node's list, which has it once if at all. It may be anywhere, so many are compared with few
/// instructions.
fn place_in(list: &[u32], container: u32) -> Option<usize> {
    // The last of them overlap those before: nobody is compared one by one but in a short list.
    let Some(last) = list.last_chunk::<COMPARED>() else { return list.iter().position(|there| *there == container) };
    let (chunks, _) = list.as_chunks::<COMPARED>();
    let is_in = |chunk: &[u32; COMPARED]| chunk.iter().fold(false, |found, there| found | (*there == container));
    let (before, chunk) = match chunks.iter().position(is_in) {
        Some(at) => (at * COMPARED, &chunks[at]),
        None if is_in(last) => (list.len() - COMPARED, last),
        None => return None,
    };
    Some(before + chunk.iter().position(|there| *there == container)?)
}

impl<D: Decider> Shard<D> {
    /// Grants the proposal; all or nothing.
    pub(crate) fn try_grant(&mut self, proposal: &Proposal) -> Result<(), Refusal> {
        let Proposal { app: index, key, node, locality, size: ref asked, reserved } = *proposal;
        let reservation = if reserved { self.nodes[node as usize].reservation } else { None };
        // Accounting goes by the reserved size, what the callers count by the ask's.
        let granted = reservation.as_ref().map_or(asked, |reservation| &reservation.size);
        let (relax, is_am) = self.take_asks(index, key, node, locality)?;
        if is_am && let Err(refusal) = D::am_taken(self, index, asked) {
            self.return_asks(index, key, node, locality);
            return Err(refusal);
        }
        if self.shared.workers > 1 && !self.spend_rooms(self.app(index).leaf, granted) {
            self.undo(proposal, is_am);
            count(&self.shared.counters[self.worker].refused, 1);
            return Err(Refusal::QueueFull);
        }
        let Some(mail) = self.shared.arenas[self.worker].allocate(&mut self.own_records) else {
            if self.shared.workers > 1 {
                self.return_rooms(self.app(index).leaf, granted);
            }
            self.undo(proposal, is_am);
            return Err(Refusal::NoRecord);
        };
        if is_am && !self.set_am(index, asked) {
            if self.shared.workers > 1 {
                self.return_rooms(self.app(index).leaf, granted);
            }
            self.own_records.put(mail);
            self.undo(proposal, is_am);
            return Err(Refusal::Moved);
        }
        if reservation.is_some() {
            self.unreserve(node);
        }
        let number = reservation.map(|reservation| reservation.number);
        let record = self.record(proposal, granted, NewContainer { number, mail, relax, am: is_am });
        if locality != Locality::OffSwitch || reservation.is_some() {
            self.note_asked_sizes(proposal, granted, record);
        }
        self.note_change();
        let counters = &self.shared.counters[self.worker];
        count(&counters.granted, 1);
        match locality {
            Locality::Node => count(&counters.node_local, 1),
            Locality::Rack => count(&counters.rack_local, 1),
            Locality::OffSwitch => {}
        }
        Ok(())
    }

    /// An application's AM runs, accounted with `size`; false when it has been moved.
    #[inline(never)]
    fn set_am(&self, app: u32, size: &Resource) -> bool {
        let app = self.app(app);
        app.shared.try_set_am(app.leaf, self.types, size)
    }

    #[cold]
    fn undo(&mut self, proposal: &Proposal, is_am: bool) {
        if is_am {
            D::am_refused(self, proposal.app, &proposal.size);
        }
        self.return_asks(proposal.app, proposal.key, proposal.node, proposal.locality);
    }

    /// Takes one unit of every ask that the placement consumes; returns their relaxation as bits, and whether the container will
    /// be its application's AM.
    #[inline(always)]
    fn take_asks(&mut self, app: u32, key: usize, node: u32, locality: Locality) -> Result<(u8, bool), Refusal> {
        let local = self.apps[app as usize].as_mut().expect("an application that this worker knows");
        let (slot, is_am) = (local.slot, local.waits_for_am());
        let key = &mut local.keys[key];
        D::key_served(key, locality);
        let Some(is_new_lease) = key.take_one(self.worker) else { return Err(Refusal::AskGone) };
        if is_new_lease {
            self.leases.push((slot, key.id()));
        }
        let mut relax = u8::from(key.relax);
        if locality != Locality::OffSwitch {
            relax |= take_rows(key, self.nodes[node as usize].shared.locations(), locality)?;
        }
        Ok((relax, is_am))
    }

    #[cold]
    fn return_asks(&mut self, app: u32, key: usize, node: u32, locality: Locality) {
        let at = self.nodes[node as usize].shared.locations();
        let key = &mut self.app_mut(app).keys[key];
        locations_taken(&at, locality).iter().for_each(|location| key.change_rows(|rows| rows.untake_one(*location)));
        key.untake_one();
    }

    /// Spends room from the lease of every limited queue on the path; all or nothing.
    fn spend_rooms(&self, leaf: u32, size: &Resource) -> bool {
        let mut at = self.watched(leaf);
        while at != NONE {
            let queue = self.queue(at);
            let max = &queue.snapshot.limit;
            let watch = &queue.snapshot.shared.watch;
            if !queue.seat.try_spend(watch, self.worker, size, max) {
                self.return_rooms_below(leaf, at, size);
                return false;
            }
            at = queue.parent;
        }
        true
    }

    /// A leaf, if it or a queue above is watched by this worker: in nearly all there is nothing to spend, and nothing is looked at.
    #[inline]
    fn watched(&self, leaf: u32) -> u32 {
        if leaf != NONE && self.queue(leaf).watched_path { leaf } else { NONE }
    }

    fn return_rooms_below(&self, leaf: u32, end: u32, size: &Resource) {
        let mut at = self.watched(leaf);
        while at != end {
            let queue = self.queue(at);
            queue.seat.give_back(&queue.snapshot.shared.watch, self.worker, size, &queue.snapshot.limit);
            at = queue.parent;
        }
    }

    /// Room comes back to this worker's lease of every limited queue on the path.
    fn return_rooms(&self, leaf: u32, size: &Resource) {
        self.return_rooms_below(leaf, NONE, size);
    }

    /// The container is its application's and its node's, which has less room; it counts as used, and its AM can fetch it. Gives
    /// its record.
    #[inline(always)]
    fn record(&mut self, proposal: &Proposal, granted: &Resource, new: NewContainer) -> u32 {
        let Shard {
            apps, queues, nodes, containers, own_records, worker, types, cluster, shared, journal, own, ..
        } = self;
        let held = &mut self.root_held;
        let (types, worker, alone, root_is_held) = (*types, *worker, shared.workers == 1, self.root_is_held);
        let app = apps[proposal.app as usize].as_mut().expect("an application that this worker knows");
        let at = &mut nodes[proposal.node as usize];
        let number = new.number.unwrap_or_else(|| app.take_number());
        let key = &mut app.keys.as_mut_slice()[proposal.key];
        key.container_size = containers.take_size(types, granted, key.container_size);
        let record = containers.add(ContainerRecord {
            app: app.slot,
            allocation_request_id: key.allocation_request_id,
            priority: key.priority,
            attempt: app.attempt,
            epoch: shared.epoch,
            taken_over: 0,
            application: app.number,
            number,
            node: proposal.node,
            size: key.container_size,
            mail: new.mail,
            locality: proposal.locality,
            relax: new.relax,
            fate: Fate::default(),
            launched: false,
            am: new.am,
            acquired_at_end: false,
            app_place: u32::try_from(app.containers.len()).expect("as many as records at most"),
        });
        let SchedulingKey { priority, allocation_request_id } = key.id();
        app.containers.push(record);
        at.containers.push(record);
        at.free.subtract_in_types(types, granted);
        D::node_taken(at, app, granted);
        if !app.ever_had {
            app.ever_had = true;
            app.shared.set_ever_had();
        }
        let mut counting = Counting { own, types, alone, root_is_held, held, cluster };
        paths::add_usage(app, queues, granted, &mut counting);
        let id = ContainerId {
            application: app.number,
            attempt: app.attempt,
            app: app.slot,
            number,
            worker: u16::try_from(worker).expect("workers are few"),
            record,
        };
        let container = || Container { id, node: at.shared.id, priority, allocation_request_id, resource: *granted };
        let arena = &shared.arenas[worker];
        let was_empty = arena.push_granted(&app.cell.granted, new.mail, &container());
        paths::show_leaf(queues, app.leaf, types, granted, alone);
        arena.prefetch_allocate(own_records);
        if let Some(journal) = journal {
            journal.allocated.push((container(), new.am));
        }
        if was_empty {
            self.wake_am(proposal.app);
        }
        record
    }

    /// Remembers what the asks were that a container was taken from, where they were not of its size: within a key every
    /// location may name its own, and a reservation keeps the size that it was made with. Else there is one ask, of its size.
    #[inline(never)]
    fn note_asked_sizes(&mut self, proposal: &Proposal, granted: &Resource, record: u32) {
        let [rack, name] = self.nodes[proposal.node as usize].shared.locations();
        let key = &self.app(proposal.app).keys[proposal.key];
        if key.size == *granted && key.rows().sizes().all(|size| size == granted) {
            return;
        }
        let row = |location| key.rows().get(location).map_or(*granted, |row| *row.size());
        let sizes = match proposal.locality {
            Locality::Node => [key.size, row(rack), row(name)],
            Locality::Rack => [key.size, row(rack), *granted],
            Locality::OffSwitch => [key.size, *granted, *granted],
        };
        self.containers.note_asked_sizes(record, sizes);
    }

    pub(crate) fn container_id(&self, index: u32) -> ContainerId {
        let record = &self.containers[index];
        ContainerId {
            application: record.application,
            attempt: record.attempt,
            app: self.containers.granted_to(index),
            number: record.number,
            worker: u16::try_from(self.worker).expect("workers are few"),
            record: index,
        }
    }

    // ------------------------------------------------------------------------------------------------ the end

    /// Ends a container. `by_node`: its node says so, or is gone, so its room is free at once; otherwise a launched
    /// container's room stays taken until the node reports.
    pub(crate) fn end_container(&mut self, index: u32, reason: EndReason, by_node: bool) {
        let record = self.containers[index];
        if record.fate.is_live() {
            self.end_live::<true>(index, reason);
            if !by_node && self.containers[index].acquired_at_end {
                self.nodes[record.node as usize].shared.tell_to_stop(self.container_id(index));
            }
            if by_node || !record.launched {
                self.free_room(index);
            }
        } else if !record.acquired_at_end && self.find_app(record.app).is_some_and(|app| !app.closed) {
            // Hadoop puts the ask back once for every end that it is told of.
            self.give_asks_back(index);
        }
        D::container_ended(self);
        self.reuse_record(index);
    }

    /// Ends a live container that goes for another one: what it was taken from of the asks does not come back.
    pub(crate) fn end_for_good(&mut self, index: u32, reason: EndReason) {
        let record = self.containers[index];
        self.end_live::<false>(index, reason);
        if self.containers[index].acquired_at_end {
            self.nodes[record.node as usize].shared.tell_to_stop(self.container_id(index));
        }
        if !record.launched {
            self.free_room(index);
        }
        D::container_ended(self);
        self.reuse_record(index);
    }

    /// `GIVES_BACK`: what it was taken from of the asks comes back, if its AM has not seen it.
    fn end_live<const GIVES_BACK: bool>(&mut self, index: u32, reason: EndReason) {
        let worker = self.worker;
        let record = &mut self.containers[index];
        let was_marked = record.fate.end();
        let record = *record;
        // A live container's application is known: a close ends its containers first.
        let app = record.app.index;
        self.unlink_from_app(&record);
        let mut less = Resource::ZERO;
        less.subtract_in_types(self.types, self.containers.size(&record));
        if was_marked {
            let (id, cell) = (self.container_id(index), self.app(app).cell.clone());
            cell.marked.strike_after(id, || self.add_usage(app, &less));
        } else {
            self.add_usage(app, &less);
        }
        D::usage_returned(self, index);
        if self.shared.workers > 1 {
            self.return_rooms(self.app(app).leaf, self.containers.size(&record));
        }
        let arena = &self.shared.arenas[worker];
        let withdrawn = arena.withdraw(record.mail);
        let ended = &mut self.containers[index];
        // From here on the record in the arena is settled: see `anew`.
        (ended.acquired_at_end, ended.mail) = (!withdrawn, NONE);
        let local = self.app(app);
        let mut wakes = false;
        if local.closed {
            // Nobody will ask: see `close_app`.
            if withdrawn {
                D::asks_forgone(self, index);
            } else {
                self.own_records.put(record.mail);
            }
        } else if withdrawn {
            if GIVES_BACK {
                self.give_asks_back(index);
            }
        } else {
            wakes = arena.push_ended(&local.cell.ended, record.mail, reason);
        }
        self.show_leaf(app, &less);
        if wakes {
            self.wake_am(app);
        }
        if self.journal.is_some() {
            let (id, node) = (self.container_id(index), self.nodes[record.node as usize].shared.id);
            self.journal.iter_mut().for_each(|journal| journal.ended.push(EndedContainer { id, node, reason }));
        }
        count(&self.shared.counters[worker].ended, 1);
    }

    /// A container is an application's, the last in its list.
    pub(crate) fn link_to_app(&mut self, index: u32, app: u32) {
        let list = &mut self.app_mut(app).containers;
        let place = u32::try_from(list.len()).expect("as many as records at most");
        list.push(index);
        self.containers[index].app_place = place;
    }

    /// A container leaves its application's list, and the last in it takes its place.
    #[inline(always)]
    pub(crate) fn unlink_from_app(&mut self, record: &ContainerRecord) {
        let list = &mut self.app_mut(record.app.index).containers;
        list.swap_remove(record.app_place as usize);
        if let Some(moved) = list.get(record.app_place as usize).copied() {
            self.containers[moved].app_place = record.app_place;
        }
    }

    /// The node has the room back.
    pub(crate) fn free_room(&mut self, index: u32) {
        let record = &mut self.containers[index];
        if !record.fate.leave_node() {
            return;
        }
        let record = *record;
        let node = &mut self.nodes[record.node as usize];
        // A node that goes has given its list away already.
        if let Some(place) = place_in(&node.containers, index) {
            node.containers.remove(place);
        }
        node.free.add_in_types(self.types, self.containers.size(&record));
        D::node_freed(node, &record);
        self.publish_free(record.node);
    }

    #[inline(always)]
    pub(crate) fn reuse_record(&mut self, index: u32) {
        self.containers.reuse(index);
    }

    /// One unit of every ask that the container was taken from, as that ask was.
    pub(crate) fn asks_of(&self, index: u32) -> SmallVec<[GiveBack; 3]> {
        let record = &self.containers[index];
        let at = self.nodes[record.node as usize].shared.locations();
        let sizes = self.containers.asked_sizes(index);
        let row = |location, bit: u8| GiveBack {
            key: record.key(),
            location,
            size: sizes[bit.trailing_zeros() as usize],
            relax: record.relax & bit != 0,
        };
        let mut rows: SmallVec<[GiveBack; 3]> = SmallVec::new();
        if record.locality == Locality::Node {
            rows.push(row(at[1], 4));
        }
        if record.locality != Locality::OffSwitch {
            rows.push(row(at[0], 2));
        }
        rows.push(row(ANY, 1));
        rows
    }

    /// That goes back to the asks.
    fn give_asks_back(&mut self, index: u32) {
        let rows = self.asks_of(index);
        let app = self.app(self.containers[index].app.index).shared.clone();
        if app.home == self.worker {
            self.apply_give_back(&app, &rows);
        } else {
            let lane = &self.shared.lanes.internal[app.home];
            // A lane is closed only at shutdown, when nobody asks any more.
            let _ = lane.send(Internal::GiveBack { app, rows });
        }
    }

    /// Ends all that this worker has of an application.
    pub(crate) fn close_app(&mut self, slot: Slot) {
        let Some(app) = self.apps.get_mut(slot.ix()).and_then(Option::as_mut).filter(|app| app.slot == slot) else {
            return;
        };
        app.closed = true;
        // In the order of attempts and numbers, as views show them.
        let mut containers: SmallVec<[u32; 16]> = SmallVec::from_slice(&app.containers);
        containers.sort_unstable_by_key(|index| self.containers[*index].named());
        for index in containers {
            self.end_container(index, EndReason::AppFinished, false);
        }
        let worker = self.worker;
        let cell = &self.apps[slot.ix()].as_ref().expect("found above").cell;
        self.shared.arenas[worker].purge(&cell.granted, &cell.ended, &mut self.own_records);
        self.stop_app(slot);
    }

    /// An application asks for nothing any more, and nothing is reserved for it. What it holds here is still its own.
    pub(crate) fn stop_app(&mut self, slot: Slot) {
        if self.find_app(slot).is_none() {
            return;
        }
        let reserved = std::mem::take(&mut self.app_mut(slot.index).reserved);
        for node in reserved {
            D::reservation_ends(self, node);
            self.unreserve(node);
        }
        let local = self.app_mut(slot.index);
        local.keys.clear();
        local.look_at_all_keys();
        D::app_closed(self, slot.index);
        self.app_mut(slot.index).runnable = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_container_is_found_wherever_it_stands() {
        for len in 0..=3 * COMPARED + 1 {
            let list: Vec<u32> = (100..).take(len).collect();
            for (place, container) in list.iter().enumerate() {
                assert_eq!(place_in(&list, *container), Some(place), "among {len}");
            }
            assert_eq!(place_in(&list, 7), None, "not among {len}");
        }
    }
}

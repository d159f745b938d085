//! Grant: turns a proposed placement into a container, or says why not.
//!
//! # Where it stands
//! `assignment` -> **grant** -> `ledger`, `mailbox`. Called by one worker at a time per node, by many at once per
//! queue.
//!
//! # Protocol
//! 1. The node's room is this worker's own: it cannot race. 2. One unit of each ask that the placement consumes is
//!    taken (`lease::AskPool`, `lease::AskCount`). 3. An AM's size is added to its leaf's AM usage, within the limit.
//!    4. With several workers, room is spent from the lease of every limited queue on the path. 5. An AM is entered
//!    where its application stands. 6. Where one of these fails, all that was `Taken` goes back. 7. The container is
//!    recorded, usage counted, the grant pushed into the mailbox, and what its leaf uses shown in the ledger.
//!
//! # Invariants
//! I1: the node's free room is checked and reduced by its owner alone. I2, I3: see `lease`. I5, I7: a refusal has left
//! no trace; a grant is in the mailbox or undone.
//!
//! # Where it calls up
//! The decider hears that a key is served, says whether an AM may start (`am_taken`), hears that a node is taken, and
//! puts the application and each queue above it in order as their usage changes (`paths::add_usage`). A grant that is
//! refused calls `key_served`, `am_taken` and `am_refused` at most.

use crate::app::SchedulingKey;
use crate::engine::decider::Decider;
use crate::engine::mail::container::Container;
use crate::engine::proposal::{Proposal, Refusal};
use crate::engine::records::containers::ContainerRecord;
use crate::engine::records::fate::Fate;
use crate::engine::records::key::KeyLocal;
use crate::engine::shard::Shard;
use crate::engine::shared::count;
use crate::engine::worker::paths::{self, Counting};
use crate::id::{ContainerId, Locality, NONE};
use crate::resource::Resource;

impl<D: Decider> Shard<D> {
    /// Grants the proposal; all or nothing.
    pub(crate) fn try_grant(&mut self, proposal: &Proposal) -> Result<(), Refusal> {
        let Proposal { app: index, key, node, locality, size: ref asked, reserved } = *proposal;
        let reservation = if reserved { self.nodes[node as usize].reservation } else { None };
        // Accounting goes by the reserved size, what the callers count by the ask's.
        let granted = reservation.as_ref().map_or(asked, |reservation| &reservation.size);
        let (relax, is_am) = self.take_asks(index, key, node, locality)?;
        let mut taken = Taken::default();
        let mail = match self.take_rest(proposal, granted, is_am, &mut taken) {
            Ok(mail) => mail,
            Err(refusal) => {
                self.give_back(proposal, granted, taken);
                return Err(refusal);
            }
        };
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

    /// Takes what a grant needs beside the asks, and gives the mail record. What it has taken when it stops stands in
    /// `taken`.
    #[inline(always)]
    fn take_rest(
        &mut self,
        proposal: &Proposal,
        granted: &Resource,
        is_am: bool,
        taken: &mut Taken,
    ) -> Result<u32, Refusal> {
        let Proposal { app, size: ref asked, .. } = *proposal;
        if is_am {
            D::am_taken(self, app, asked)?;
            taken.am_share = true;
        }
        if self.shared.workers > 1 {
            if !self.spend_rooms(self.app(app).leaf, granted) {
                count(&self.shared.counters[self.worker].refused, 1);
                return Err(Refusal::NoRoomUnderLimit);
            }
            taken.rooms = true;
            if self.counts_by_label && !self.spend_room_by_label(proposal, granted) {
                count(&self.shared.counters[self.worker].refused, 1);
                return Err(Refusal::NoRoomUnderLimit);
            }
            taken.label_rooms = self.counts_by_label;
        }
        let mail = self.shared.arenas[self.worker].allocate(&mut self.own_records).ok_or(Refusal::NoRecord)?;
        if is_am && !self.set_am(app, asked) {
            taken.mail = Some(mail);
            return Err(Refusal::Moved);
        }
        Ok(mail)
    }

    /// The rollback of a whole proposal: the asks go back, and whatever else was taken. A step that fails half-way
    /// (`take_rows`, `spend_rooms`) has returned its own part before.
    #[cold]
    fn give_back(&mut self, proposal: &Proposal, granted: &Resource, taken: Taken) {
        let Taken { am_share, rooms, label_rooms, mail } = taken;
        if rooms {
            self.return_rooms(self.app(proposal.app).leaf, granted);
        }
        if label_rooms {
            let (leaf, label) = (self.app(proposal.app).leaf, self.nodes[proposal.node as usize].label);
            self.return_label_rooms(leaf, label, granted);
        }
        if let Some(mail) = mail {
            self.own_records.put(mail);
        }
        if am_share {
            D::am_refused(self, proposal.app, &proposal.size);
        }
        self.return_asks(proposal.app, proposal.key, proposal.node, proposal.locality);
    }

    /// An application's AM runs, accounted with `size`; false when it has been moved.
    #[inline(never)]
    fn set_am(&self, app: u32, size: &Resource) -> bool {
        let app = self.app(app);
        app.shared.try_set_am(app.leaf, self.types, size)
    }

    /// Takes one unit of every ask that the placement consumes; returns their relaxation as bits, and whether the
    /// container will be its application's AM.
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
        locations_taken(&at, locality).iter().for_each(|location| key.change_rows(|rows| rows.undo_take(*location)));
        key.undo_take();
    }

    /// Spends room on nodes of the node's label. Where the ask names none, and the node has one, it is lent.
    fn spend_room_by_label(&mut self, proposal: &Proposal, granted: &Resource) -> bool {
        let (app, on) = (self.app(proposal.app), self.nodes[proposal.node as usize].label);
        let (leaf, asked) = (app.leaf, app.keys[proposal.key].label);
        self.spend_label_rooms(leaf, on, granted, asked != on)
    }

    /// Spends room from the lease of every limited queue on the path; all or nothing.
    fn spend_rooms(&self, leaf: u32, size: &Resource) -> bool {
        let mut at = self.watched(leaf);
        while at != NONE {
            let queue = self.queue(at);
            let max = &queue.snapshot.limit;
            let watch = &queue.snapshot.shared.watch;
            if !queue.watch_member.try_spend(watch, self.worker, size, max) {
                self.return_rooms_below(leaf, at, size);
                return false;
            }
            at = queue.parent;
        }
        true
    }

    /// A leaf, if it or a queue above is watched by this worker: in nearly all there is nothing to spend, and nothing
    /// is looked at.
    #[inline]
    fn watched(&self, leaf: u32) -> u32 {
        if leaf != NONE && self.queue(leaf).watched_path { leaf } else { NONE }
    }

    fn return_rooms_below(&self, leaf: u32, end: u32, size: &Resource) {
        let mut at = self.watched(leaf);
        while at != end {
            let queue = self.queue(at);
            queue.watch_member.give_back(&queue.snapshot.shared.watch, self.worker, size, &queue.snapshot.limit);
            at = queue.parent;
        }
    }

    /// Room comes back to this worker's lease of every limited queue on the path.
    pub(super) fn return_rooms(&self, leaf: u32, size: &Resource) {
        self.return_rooms_below(leaf, NONE, size);
    }

    /// The container is its application's and its node's, which has less room; it counts as used, and its AM can fetch
    /// it. Gives its record.
    #[inline(always)]
    fn record(&mut self, proposal: &Proposal, granted: &Resource, new: NewContainer) -> u32 {
        let Shard {
            apps,
            queues,
            nodes,
            containers,
            own_records,
            worker,
            types,
            cluster,
            shared,
            journal,
            own,
            counts_by_label,
            ..
        } = self;
        let held = &mut self.deferred_root_usage;
        let (types, worker, alone, root_usage_is_deferred) =
            (*types, *worker, shared.workers == 1, self.root_usage_is_deferred);
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
            label: key.label,
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
        let mut counting = Counting { own, types, alone, root_usage_is_deferred, held, cluster };
        paths::add_usage(app, queues, granted, &mut counting);
        let id = ContainerId {
            application: app.number,
            attempt: app.attempt,
            app: app.slot,
            number,
            worker: u16::try_from(worker).expect("workers are few"),
            record,
        };
        let locality = proposal.locality;
        let container =
            || Container { id, node: at.shared.id, priority, allocation_request_id, locality, resource: *granted };
        let arena = &shared.arenas[worker];
        if *counts_by_label {
            app.cell.by_label.add(types, at.label, granted);
        }
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

    /// Remembers what the asks were that a container was taken from, where they were not of its size: within a key
    /// every location may name its own, and a reservation keeps the size that it was made with. Else there is one ask,
    /// of its size.
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
}

/// What a grant has taken beside the asks, until it is complete or [given back](Shard::give_back). No `Drop` does that:
/// a panic in between leaves it to the worker that begins anew, which settles all of its books at once.
#[derive(Debug, Default)]
struct Taken {
    /// The AM's size, of what the leaf's AMs may use.
    am_share: bool,
    /// Room under the limits, with several workers.
    rooms: bool,
    /// The same by node label.
    label_rooms: bool,
    mail: Option<u32>,
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

/// Takes one unit of the rack's ask, and of the node's; or gives all back, the `*` ask's unit too. Returns their
/// relaxation as bits.
#[inline(never)]
fn take_rows<D: Decider>(key: &mut KeyLocal<D>, at: [u32; 2], locality: Locality) -> Result<u8, Refusal> {
    let wanted = locations_taken(&at, locality);
    let mut relax = 0;
    for (i, location) in wanted.iter().enumerate() {
        let Some(relaxed) = key.change_rows(|rows| rows.take_one(*location)) else {
            wanted[..i].iter().for_each(|earlier| key.change_rows(|rows| rows.undo_take(*earlier)));
            key.undo_take();
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

//! Adopting a snapshot: a worker takes over changed queues, members and figures.
//!
//! # Where it stands
//! Run by the worker at the start of a batch and before each report, on its own shard. What has changed is found by
//! comparing addresses (queues, chunks of members), so a submission costs one chunk, not the whole leaf. Who has moved
//! takes along what this worker counts of its usage: out of the old path while all of it is still there, into the new
//! one when it is.

use crate::engine::books::ledger::AppShared;
use crate::engine::books::pace::Lag;
use crate::engine::decider::Decider;
use crate::engine::intake::awaited::WakerLists;
use crate::engine::lease::watch::is_limit;
use crate::engine::mail::mailbox::FreeRecords;
use crate::engine::publish::members::{Member, Members};
use crate::engine::publish::snapshot::{QueueSnapshot, SchedulerSnapshot};
use crate::engine::records::app::AppLocal;
use crate::engine::records::containers::Containers;
use crate::engine::records::expiry_scans::ExpiryScans;
use crate::engine::records::node_list::NodeList;
use crate::engine::records::queue::QueueLocal;
use crate::engine::shard::{Shard, WorkerJournal};
use crate::engine::shared::Shared;
use crate::id::NONE;
use crate::resource::Resource;
use crate::resource::sorted;
use crate::sync::Arc;

impl<D: Decider> Shard<D> {
    /// A worker that has no nodes yet, with the newest snapshot.
    pub(crate) fn new(worker: usize, shared: Arc<Shared<D>>, journal: bool) -> Shard<D> {
        let mut snapshots = shared.publisher.reader();
        let snapshot = snapshots.newest().clone();
        let mut shard = Shard {
            worker,
            types: shared.types,
            cluster: snapshot.structure.cluster,
            snapshots,
            snapshot,
            queues: Vec::new(),
            apps: Vec::new(),
            nodes: NodeList::default(),
            node_record_count: 0,
            containers: Containers::default(),
            own_records: FreeRecords::default(),
            root_usage_is_deferred: false,
            deferred_root_usage: Resource::ZERO,
            lag: Lag::default(),
            last_fold_ms: 0,
            random_state: u32::try_from(worker).unwrap_or_default().wrapping_add(0x9e37_79b9).max(1),
            expiry_scans: ExpiryScans::from(shared.clock.now_ms(), shared.settings.container_expiry_ms),
            watched_queues: Vec::new(),
            label_rooms: Vec::new(),
            counts_by_label: D::COUNTS_BY_LABEL && shared.settings.node_labels && shared.workers > 1,
            leases: Vec::new(),
            journal: journal.then(WorkerJournal::default),
            reservation_news: None,
            waits: WakerLists::default(),
            own: D::worker(&shared, worker),
            #[cfg(feature = "faults")]
            panics_at_restart: false,
            shared,
        };
        shard.take_structure(None);
        D::nodes_changed(&mut shard);
        shard
    }

    /// Loads the newest snapshot, if it is not the one in use.
    #[inline]
    pub(crate) fn sync(&mut self) {
        if !Arc::ptr_eq(self.snapshots.newest(), &self.snapshot) {
            self.take_newest();
        }
    }

    #[inline(never)]
    fn take_newest(&mut self) {
        let old = std::mem::replace(&mut self.snapshot, self.snapshots.newest().clone());
        let new_figures = !Arc::ptr_eq(&old.figures, &self.snapshot.figures);
        let new_cluster = old.structure.cluster.total != self.snapshot.structure.cluster.total;
        if old.structure.version != self.snapshot.structure.version {
            self.take_structure(Some(&old));
        }
        if new_figures && self.shared.workers > 1 {
            // They count what all workers did. Beside an older view of usage an application could look as if nothing
            // were pending, and room would stay unused (I7).
            self.read_usage();
        }
        if new_figures || new_cluster {
            D::figures_taken(self);
        }
    }

    /// Takes over changed queues and members, and puts what they touch in order anew.
    pub(crate) fn take_structure(&mut self, old: Option<&Arc<SchedulerSnapshot<D>>>) {
        let structure = self.snapshot.structure.clone();
        self.cluster = structure.cluster;
        self.queues.resize_with(structure.queues.len(), || None);
        // (slot, what was known of it); whoever leaves a leaf leaves before anybody enters one.
        let mut changed: Vec<(u32, Option<Arc<QueueSnapshot<D>>>)> = Vec::new();
        for (index, new) in structure.queues.iter().enumerate() {
            let known = self.queues[index].as_ref().map(|local| &local.snapshot);
            let same = match (new, known) {
                (Some(new), Some(known)) => Arc::ptr_eq(new, known),
                (None, None) => true,
                _ => false,
            };
            if !same {
                changed.push((u32::try_from(index).expect("slots are u32"), known.cloned()));
            }
        }
        let nobody = Members::default();
        // Of another queue in the same slot nothing is the same, whatever its members look like.
        let same_queue = |index: u32, known: &Option<Arc<QueueSnapshot<D>>>| {
            let new = structure.queues[index as usize].as_ref();
            known.as_ref().zip(new).is_some_and(|(known, new)| known.slot == new.slot)
        };
        for (index, known) in &changed {
            let now = structure.queues[*index as usize].as_ref().filter(|_| same_queue(*index, known));
            let now = now.map_or(&nobody, |new| &new.runnable);
            for change in known.iter().flat_map(|known| known.runnable.changes(now)) {
                if let Some(old) = change.old {
                    self.leave_leaf(old, *index, change.position);
                }
            }
        }
        // Who has moved takes its usage along: out of the old path while all of it is still there.
        for (index, known) in &changed {
            let Some(new) = &structure.queues[*index as usize] else { continue };
            let stays = same_queue(*index, known);
            let known = known.as_ref().filter(|_| stays);
            let [runnable, waiting] = known.map_or([&nobody; 2], |known| [&known.runnable, &known.waiting]);
            for change in runnable.changes(&new.runnable).chain(waiting.changes(&new.waiting)) {
                let elsewhere = |app: &AppLocal<D>| app.leaf != NONE && (app.leaf != *index || !stays);
                if let Some(member) = change.new
                    && self.find_app(member.app.slot).is_some_and(elsewhere)
                {
                    self.depart(member.app.slot.index);
                }
            }
        }
        // All queues before anybody arrives: an application may enter a queue whose parent is as new.
        for (index, _) in &changed {
            if let Some(new) = &structure.queues[*index as usize] {
                self.take_queue(new);
            }
        }
        let (mut anew, mut entered) = (Vec::new(), Vec::new());
        for (index, known) in &changed {
            let Some(new) = &structure.queues[*index as usize] else { continue };
            let known = known.as_ref().filter(|known| known.slot == new.slot);
            let same_settings = known.is_some_and(|known| known.settings_version == new.settings_version);
            let before = known.map_or(&nobody, |known| &known.runnable);
            for change in before.changes(&new.runnable) {
                if let Some(member) = change.new {
                    self.enter_leaf(member, *index, change.position);
                }
            }
            let waited = known.map_or(&nobody, |known| &known.waiting);
            for change in waited.changes(&new.waiting) {
                if let Some(member) = change.new {
                    let app = self.ensure_app(&member.app);
                    self.arrive(app, *index);
                }
            }
            let room = D::room(&self.queue(*index).own);
            let mut entries = before.changes(&new.runnable).filter(|change| change.new.is_some());
            if same_settings && entries.all(|change| (change.position as usize) < room) {
                // Few members of many: each finds its place by itself.
                for change in before.changes(&new.runnable) {
                    if let Some(member) = change.new {
                        D::app_entered(self, *index, change.position, member.app.slot.index);
                    }
                }
                entered.push(*index);
            } else {
                anew.push(*index);
            }
        }
        for (index, _) in &changed {
            if structure.queues[*index as usize].is_none() {
                self.queues[*index as usize] = None;
            }
        }
        for (index, _) in &changed {
            if let Some(queue) = &structure.queues[*index as usize] {
                for (position, child) in queue.children.iter().enumerate() {
                    if let Some(child) = &mut self.queues[*child as usize] {
                        child.position = u32::try_from(position).expect("positions are u32");
                        child.parent = *index;
                    }
                }
            }
        }
        let reconfigured = changed.iter().any(|(index, known)| {
            let new = structure.queues[*index as usize].as_ref();
            new.map(|new| new.settings_version) != known.as_ref().map(|known| known.settings_version)
        });
        if reconfigured {
            self.watched_queues.clear();
            self.mark_paths(crate::id::ROOT, false, false);
        }
        if old.is_some_and(|old| old.structure.cluster.total != structure.cluster.total) {
            return; // Everything is put in order anew by the caller.
        }
        // Children first: what a queue's place in its parent needs is then there.
        sorted::by_key(&mut anew, |index| std::cmp::Reverse(structure.path(*index).count()));
        D::queues_restructured(self, &anew);
        // What they brought counts above, those that cannot be served included.
        for index in entered {
            D::queue_changed(self, index);
        }
    }

    /// Notes of every queue whether it or one above is limited, or watched.
    fn mark_paths(&mut self, queue: u32, limited_above: bool, watched_above: bool) {
        let Some(local) = &mut self.queues[queue as usize] else { return };
        local.limited_path = limited_above || local.limited;
        if local.watch_member.has_joined() {
            self.watched_queues.push(queue);
        }
        local.watched_path = watched_above || local.watch_member.has_joined();
        let (limited, watched, snapshot) = (local.limited_path, local.watched_path, local.snapshot.clone());
        for child in &snapshot.children {
            self.mark_paths(*child, limited, watched);
        }
    }

    /// A member is no longer runnable in a leaf.
    fn leave_leaf(&mut self, member: &Member, leaf: u32, position: u32) {
        let Some(Some(app)) = self.apps.get_mut(member.app.slot.ix()) else { return };
        if app.shared.slot == member.app.slot && app.leaf == leaf && app.position == position {
            app.runnable = false;
        }
        D::app_left(self, leaf, position, member.app.slot.index);
        D::queue_changed(self, leaf);
    }

    /// A member is runnable in a leaf from now on.
    fn enter_leaf(&mut self, member: &Member, leaf: u32, position: u32) {
        let app = self.ensure_app(&member.app);
        self.arrive(app, leaf);
        let app = self.app_mut(app);
        app.position = position;
        app.sequence = member.sequence;
        app.runnable = !app.closed && !app.shared.is_closed();
    }

    /// The index of an application, which this worker knows from now on.
    pub(crate) fn ensure_app(&mut self, shared: &Arc<AppShared>) -> u32 {
        let index = shared.slot.ix();
        if self.apps.len() <= index {
            self.apps.resize_with(index + 1, || None);
        }
        let slot = &mut self.apps[index];
        if slot.as_ref().is_none_or(|app| app.slot != shared.slot) {
            let own = D::app(&self.shared, self.worker, shared, &self.snapshot.figures);
            let app = AppLocal::new(self.worker, shared.clone(), own);
            *slot = Some(app);
        }
        shared.slot.index
    }

    /// What this worker counts of an application in its leaf and above goes; its leaf is unknown until it arrives.
    pub(crate) fn depart(&mut self, index: u32) {
        let app = self.app_mut(index);
        let (leaf, position) = (std::mem::replace(&mut app.leaf, NONE), app.position);
        app.runnable = false;
        let usage = app.cell.usage.read();
        if self.queues.get(leaf as usize).is_some_and(Option::is_some) {
            D::app_left(self, leaf, position, index);
            self.carry_usage(leaf, &Resource::ZERO.minus(&usage));
            self.carry_label_rooms(index, leaf, false);
            D::queue_changed(self, leaf);
        }
    }

    /// An application is in a leaf: what this worker counts of it counts there and above.
    pub(crate) fn arrive(&mut self, index: u32, leaf: u32) {
        let app = self.app_mut(index);
        if app.leaf == leaf {
            return;
        }
        app.leaf = leaf;
        let usage = app.cell.usage.read();
        self.carry_usage(leaf, &usage);
        self.carry_label_rooms(index, leaf, true);
    }

    fn carry_usage(&mut self, leaf: u32, amount: &Resource) {
        if amount.is_zero() || self.queues.get(leaf as usize).is_none_or(Option::is_none) {
            return;
        }
        self.add_queue_usage(leaf, amount);
        self.carry_room(leaf, amount);
    }

    /// What is used was not spent of any lease: it is taken all the same.
    pub(crate) fn carry_room(&self, leaf: u32, amount: &Resource) {
        let mut at = leaf;
        while at != NONE {
            let queue = self.queue(at);
            queue.watch_member.carry(&queue.snapshot.shared.watch, amount);
            at = queue.parent;
        }
    }

    fn take_queue(&mut self, new: &Arc<QueueSnapshot<D>>) {
        let index = new.slot.index;
        let known = self.queues[index as usize].take().filter(|old| old.snapshot.slot == new.slot);
        let before = known.as_ref().map(|old| old.snapshot.clone());
        let mut local = match known {
            Some(mut old) => {
                old.renew(new);
                D::queue_taken(&mut old.own, new);
                old
            }
            None => QueueLocal::new(self.worker, new, D::queue(&self.shared, new, &self.snapshot.figures)),
        };
        local.limited = is_limit(&new.limit, self.types);
        local.parent = new.parent.unwrap_or(NONE);
        if self.shared.workers > 1 {
            if let Some(before) = &before {
                local.take_over_rooms(self.worker, before);
            }
            let before = before.as_ref().map(|before| &before.limit);
            let usage = || new.shared.cells[self.worker].usage.read();
            local.watch_member.take_over(&new.shared.watch, self.worker, before, &new.limit, new.watched, usage);
        }
        self.queues[index as usize] = Some(local);
    }
}

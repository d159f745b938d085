//! Applications enter the lists of a leaf queue, leave them, move, get another priority (rules/capacity.md 8.3, 20, 21,
//! 23).

use super::{AppBook, Books, QueueBook};
use crate::capacity::rules::leaf::{Leaf, SharedEntry};
use crate::capacity::rules::ordered::AppEntry;
use crate::capacity::rules::partition::{Part, Whole};
use crate::capacity::rules::preempted::Candidate;
use crate::id::{LabelId, NodeId};
use crate::resource::{Resource, Wide};

/// A container or a reservation of an application, with the label of its node and the one that was asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeldOnNode {
    pub(crate) candidate: Candidate,
    pub(crate) size: Resource,
    pub(crate) node: NodeId,
    pub(crate) label: LabelId,
    pub(crate) asked: LabelId,
    pub(crate) is_reserved: bool,
}

impl Books {
    /// A submission has been looked at as far as its user's count: he has a record from then on.
    pub(crate) fn user_seen(&mut self, slot: u32, user: &str) {
        let Some(QueueBook { published, leaf: Some(leaf), .. }) = &mut self.queues[slot as usize] else { return };
        leaf.users.ensure(user, || published.user_weight(user));
    }

    /// An attempt is there; it takes the place of the one before.
    pub(crate) fn add(&mut self, app: AppBook) -> AppEntry {
        let before = self.apps.entry(app.number);
        if let Some(publication) = app.publication {
            self.leaf_mut(publication.leaf).users.add_reference(publication.user);
        }
        let entry = self.apps.add(app);
        if let Some(before) = before {
            self.take_out_if_over(before);
        }
        entry
    }

    /// Nothing is known any more of an attempt that has ended, unless a list still has it, or it awaits a place in one.
    pub(super) fn take_out_if_over(&mut self, entry: AppEntry) {
        let app = &self.apps[entry];
        if app.lists > 0 || self.apps.entry(app.number) == Some(entry) {
            return;
        }
        let leaf = self.queues[app.leaf as usize].as_ref().and_then(|queue| queue.leaf.as_ref());
        if leaf.is_some_and(|leaf| leaf.to_reorder.contains(&(app.number, entry))) {
            return;
        }
        if let Some(publication) = self.apps.take_out(entry).and_then(|app| app.publication) {
            self.leaf_mut(publication.leaf).users.drop_reference(publication.user);
        }
    }

    /// To be called when a list has lost an entry. `entry` is the one that was found there: two attempts of an
    /// application may compare as equal, so that it may be the ended attempt and not the one that was looked for.
    pub(super) fn is_out_of_list(&mut self, entry: AppEntry) {
        self.apps[entry].lists -= 1;
        self.take_out_if_over(entry);
    }

    /// An attempt is in its leaf, in whose list it waits to start; false where it may not run, or there is no leaf.
    pub(super) fn enter_lists(&mut self, entry: AppEntry) -> bool {
        let Books { queues, apps, .. } = self;
        let slot = apps[entry].leaf;
        let Some(QueueBook { published, leaf: Some(leaf), .. }) = &mut queues[slot as usize] else { return false };
        let entering = &mut apps[entry];
        entering.seat = leaf.users.seat(&entering.user);
        let record = leaf.users.ensure_at(entering.seat, || published.user_weight(&entering.user));
        if !entering.runnable {
            return false;
        }
        let comes_home = leaf.runnable.insert(entry) && entering.home == self.place.worker;
        leaf.users.count(record, 0, 1);
        let (rank, label, am) = (entering.rank(), entering.am_partition, entering.am);
        if leaf.wait(entry, &rank, (label, &am), |other| apps.rank(other)) {
            apps[entry].lists += 1;
        }
        if comes_home {
            self.home_changes(slot, 1);
        }
        true
    }

    /// Gives an attempt that has moved after its end the seat of its user in the new leaf. It enters no list there.
    fn sits(&mut self, entry: AppEntry) {
        let Books { queues, apps, .. } = self;
        let sitting = &mut apps[entry];
        if let Some(QueueBook { leaf: Some(leaf), .. }) = &mut queues[sitting.leaf as usize] {
            sitting.seat = leaf.users.seat(&sitting.user);
        }
    }

    /// An attempt enters its leaf; one that may not run waits.
    pub(crate) fn enter(&mut self, entry: AppEntry) {
        let slot = self.apps[entry].leaf;
        if !self.enter_lists(entry) {
            return;
        }
        self.apps[entry].turn.enter();
        if !self.decides_starts_in(slot) {
            self.start_if_let(entry);
        } else if self.arith.is_greater(&self.cluster, &self.cluster, &Resource::ZERO) {
            self.activate(slot);
        }
        self.publish_surplus_entries(slot);
    }

    /// An attempt leaves the lists of a leaf.
    pub(crate) fn leave(&mut self, entry: AppEntry, slot: u32) {
        let was_active = self.leave_active(entry, slot);
        let Books { queues, apps, .. } = self;
        let Some(QueueBook { published, leaf: Some(leaf), .. }) = &mut queues[slot as usize] else { return };
        let leaving = &apps[entry];
        let record = leaf.users.ensure(&leaving.user, || published.user_weight(&leaving.user));
        // An application that a limit of parallel applications kept waiting was never counted for its user. As in
        // Hadoop it is subtracted all the same, so that the counts are inconsistent from now on (rules/capacity.md 20).
        leaf.is_odd |= !leaving.runnable;
        let leaves_home = leaf.runnable.remove(&entry) && leaving.home == self.place.worker;
        leaf.to_reorder.remove(&(leaving.number, entry));
        let mut found = None;
        if was_active {
            let less = Resource::ZERO.minus(&leaving.am);
            leaf.add_am(leaving.am_partition, &less);
            leaf.users.add_am(record, &less, Part::of(leaving.am_partition));
            leaf.users.count(record, -1, 0);
        } else {
            let rank = leaving.rank();
            found = leaf.leave_pending(&rank, (leaving.am_partition, &leaving.am), |other| apps.rank(other));
            leaf.users.count(record, 0, -1);
        }
        // A user whose record was dropped has no other application here, unless the counts are inconsistent. Then what
        // was published for the others is about the dropped record, and each must be visited again.
        if leaf.users.drop_if_idle(&apps[entry].user) && leaf.is_odd {
            self.note_all_of(slot, entry);
        }
        if let Some(found) = found {
            self.is_out_of_list(found);
        }
        if leaves_home {
            self.home_changes(slot, -1);
        }
        if self.is_listed(entry, slot) {
            self.stop_sorting_lists(slot);
        }
        self.activate(slot);
        self.publish_surplus_entries(slot);
    }

    /// A list of a leaf still has an entry that has just been taken out: it was there twice, or stands elsewhere than
    /// its rank says.
    fn is_listed(&self, entry: AppEntry, slot: u32) -> bool {
        // It may be in lists of a leaf that it has left.
        let leaf = self.leaf(slot);
        self.apps[entry].lists > 0 && leaf.active.iter().chain(leaf.pending.iter()).any(|other| other == entry)
    }

    /// Out of the active list of a leaf; whether it was found there.
    pub(super) fn leave_active(&mut self, entry: AppEntry, slot: u32) -> bool {
        let order = self.app_order(slot);
        let (leaf, apps) = self.leaf_and_apps(slot);
        let rank = apps.rank(entry);
        let Some(found) = leaf.active.remove(&rank, order, |other| apps.rank(other)) else { return false };
        if let Some(key) = order.key(&rank) {
            leaf.noted.remove(&key);
        }
        let app = &mut apps[found];
        if app.leaf == slot {
            (app.is_active, app.must_be_visited) = (false, false);
        }
        self.is_out_of_list(found);
        true
    }

    /// Into the active list of a leaf.
    pub(super) fn enter_active(&mut self, entry: AppEntry, slot: u32) {
        let order = self.app_order(slot);
        let (leaf, apps) = self.leaf_and_apps(slot);
        let rank = apps.rank(entry);
        if leaf.active.insert(entry, &rank, order, |other| apps.rank(other)) {
            apps[entry].lists += 1;
            self.has_become_active(entry, slot);
        }
    }

    /// Marks an application that has just entered the active list of the leaf `slot`. If it has moved to another leaf,
    /// its marks stay as they are, because they are about that leaf.
    pub(super) fn has_become_active(&mut self, entry: AppEntry, slot: u32) {
        let app = &mut self.apps[entry];
        let is_in_own_leaf = app.leaf == slot;
        if is_in_own_leaf {
            (app.is_active, app.must_be_visited) = (true, false);
        }
        if !is_in_own_leaf || !self.leaf(slot).active.is_sorted() {
            // Events of the leaf that it has moved to change its rank, and this list does not follow. Or its rank has a
            // value that is not a number, which cannot be sorted. So the entries of these lists count by place now.
            self.stop_sorting_lists(slot);
        }
        if is_in_own_leaf {
            self.note(entry);
        }
    }

    /// Entries of a leaf's lists may stand elsewhere than their ranks say from now on.
    pub(super) fn stop_sorting_lists(&mut self, slot: u32) {
        let leaf = self.leaf_mut(slot);
        leaf.is_odd = true;
        leaf.active.stop_sorting();
        leaf.pending.stop_sorting();
        leaf.noted.clear();
    }

    /// An active application is noted or not, as it stands now: see `Leaf::noted`.
    pub(crate) fn note(&mut self, entry: AppEntry) {
        let Books { queues, apps, arith, .. } = self;
        let app = &mut apps[entry];
        let Some(QueueBook { figures, leaf: Some(leaf), .. }) = &mut queues[app.leaf as usize] else { return };
        if !app.is_active || !leaf.active.is_sorted() {
            return;
        }
        let is_published = app.publication.is_some_and(|publication| {
            publication.leaf == app.leaf && leaf.users.record_at(app.seat) == Some(publication.user)
        });
        let is_due = !is_published || app.asks_or_has_reserved(arith.types);
        if is_due == app.must_be_visited {
            return;
        }
        let Some(key) = figures.order.key(&app.rank()) else { return };
        app.must_be_visited = is_due;
        if is_due {
            leaf.noted.insert(key, entry);
        } else {
            leaf.noted.remove(&key);
        }
    }

    /// The record of an application's user is another one: all that he has in the leaf is to be published anew.
    fn note_all_of(&mut self, slot: u32, entry: AppEntry) {
        let user = self.apps[entry].user.clone();
        let active: Vec<AppEntry> = self.leaf(slot).active.iter().collect();
        for other in active {
            if self.apps[other].user == user {
                self.note(other);
            }
        }
    }

    /// An attempt has ended, with all that it had: it leaves its leaf.
    pub(crate) fn ended(&mut self, entry: AppEntry) {
        let local = &mut self.apps[entry];
        let (leaf, pending) = (local.leaf, std::mem::take(&mut local.pending));
        local.open_keys = 0;
        let of_parts: Vec<Wide> = local.parts.iter_mut().map(|part| std::mem::take(&mut part.pending)).collect();
        self.others_have_nothing(entry);
        self.pending_goes(leaf, &pending, &of_parts);
        self.leave(entry, leaf);
    }

    /// What is asked for in a leaf is less by so much, without a label and by label.
    fn pending_goes(&mut self, leaf: u32, pending: &Wide, of_parts: &[Wide]) {
        if !self.has_labels() {
            self.add_pending(leaf, &Wide::ZERO.minus(pending), Whole);
            return;
        }
        for (p, pending) in self.partitions().zip(std::iter::once(pending).chain(of_parts)) {
            if !pending.is_zero() {
                self.add_pending(leaf, &Wide::ZERO.minus(pending), p);
            }
        }
    }

    /// Forgets an attempt that has ended, once the applications that may run in its place have been started. Its book
    /// is removed, unless a list still has it.
    pub(crate) fn forget(&mut self, entry: AppEntry) {
        let leaf = self.apps[entry].leaf;
        // Another queue may be in the slot by now.
        if self.is_leaf(leaf) {
            self.stops_asking(leaf, entry);
        }
        self.apps.end(entry);
        self.take_out_if_over(entry);
    }

    /// Another queue has come into the slot of this one: its lists are no more.
    pub(super) fn discard_lists(&mut self, slot: u32, leaf: &Leaf) {
        self.apps.stop_publishing(slot);
        let entries: Vec<AppEntry> = leaf.active.iter().chain(leaf.pending.iter()).collect();
        for entry in entries {
            self.is_out_of_list(entry);
        }
        leaf.to_reorder.iter().for_each(|(_, entry)| self.take_out_if_over(*entry));
    }

    /// An application has another priority.
    pub(crate) fn set_priority(&mut self, entry: AppEntry, priority: i32) {
        let local = &self.apps[entry];
        if priority == local.submitted_priority {
            return;
        }
        if local.is_out {
            // Its attempt has ended and is in no list. Hadoop would put it into one; here only the number changes
            // (docs/deviations.md).
            self.apps[entry].priority = priority;
            return;
        }
        let (slot, number, am, label) = (local.leaf, local.number, local.am, local.am_partition);
        let was_active = self.leave_active(entry, slot);
        let (leaf, apps) = self.leaf_and_apps(slot);
        leaf.to_reorder.remove(&(number, entry));
        if !was_active {
            match leaf.leave_pending(&apps.rank(entry), (label, &am), |other| apps.rank(other)) {
                Some(found) => self.is_out_of_list(found),
                // It was found in neither list: a limit of parallel applications keeps it waiting. As in Hadoop it is
                // put into the waiting list below, so that lists and counts are inconsistent (rules/capacity.md 21).
                None => leaf.is_odd = true,
            }
        }
        if self.is_listed(entry, slot) {
            self.stop_sorting_lists(slot);
        }
        self.apps[entry].priority = priority;
        if was_active {
            self.enter_active(entry, slot);
        } else {
            let (leaf, apps) = self.leaf_and_apps(slot);
            if leaf.wait(entry, &apps.rank(entry), (label, &am), |other| apps.rank(other)) {
                apps[entry].lists += 1;
            }
        }
        self.publish_surplus_entries(slot);
    }

    /// Moves an application to the leaf queue `target`. `runnable`: no limit of parallel applications there keeps it
    /// waiting. `held`: its containers, then its reservations; their charges move along.
    pub(crate) fn moved(&mut self, entry: AppEntry, target: u32, runnable: bool, held: &[HeldOnNode]) {
        let source = self.apps[entry].leaf;
        for HeldOnNode { size, label, .. } in held {
            let less = Resource::ZERO.minus(size);
            if self.has_labels() {
                let p = Part::of(*label);
                self.charge_leaf(source, entry, &less, -1, None, p);
                self.charge_above(source, &less, -1, p);
                self.charge_leaf(target, entry, size, 1, None, p);
                self.charge_above(target, size, 1, p);
                continue;
            }
            self.charge_leaf(source, entry, &less, -1, None, Whole);
            self.charge_above(source, &less, -1, Whole);
            self.charge_leaf(target, entry, size, 1, None, Whole);
            self.charge_above(target, size, 1, Whole);
        }
        if self.has_labels() {
            self.shared_lists_follow(source, target, held);
        }
        if !self.place.is_alone() {
            self.carry_others(entry, source, target);
        }
        let is_out = self.apps[entry].is_out;
        if !is_out {
            self.leave(entry, source);
        }
        let local = &mut self.apps[entry];
        (local.leaf, local.runnable) = (target, runnable);
        (local.is_active, local.must_be_visited) = (false, false);
        let (pending, mut reserved, is_idle) = (local.pending, local.reserved, local.open_keys == 0);
        let of_parts: Vec<Wide> = local.parts.iter().map(|part| part.pending).collect();
        if is_out {
            self.sits(entry);
        } else {
            self.enter(entry);
        }
        self.stops_asking(source, entry);
        if !is_idle {
            self.begins_to_ask(target, entry);
        }
        self.pending_goes(source, &pending, &of_parts);
        let negated: Vec<Wide> = of_parts.iter().map(|pending| Wide::ZERO.minus(pending)).collect();
        self.pending_goes(target, &Wide::ZERO.minus(&pending), &negated);
        let stays: Resource =
            held.iter().filter(|held| held.is_reserved).fold(Resource::ZERO, |sum, held| sum.plus(&held.size));
        if self.has_labels() {
            // As in Hadoop, what was asked for on nodes without a label, wherever it stands (rules/node-labels.md 17).
            let asked = held.iter().filter(|held| held.is_reserved && held.asked.is_none());
            reserved = asked.fold(Resource::ZERO, |sum, held| sum.plus(&held.size));
        }
        self.add_reserved_by_apps(source, &Resource::ZERO.minus(&reserved));
        self.add_reserved_by_apps(target, &reserved);
        self.reserved_stays_behind(source, target, &stays);
    }

    /// Containers and reservations have moved to another leaf: shared lists follow (rules/node-labels.md 15).
    fn shared_lists_follow(&mut self, source: u32, target: u32, held: &[HeldOnNode]) {
        for held in held {
            let HeldOnNode { size, node, is_reserved: was_reserved, .. } = *held;
            self.leaf_mut(source).borrows_no_more(held.label, &held.candidate);
            let entry = SharedEntry { size, node, was_reserved };
            self.leaf_mut(target).borrows(held.label, held.asked, held.candidate, entry);
        }
    }

    /// Fair leaves: whose place awaits a refresh is put in anew.
    pub(crate) fn reorder(&mut self, slot: u32) {
        if self.leaf(slot).to_reorder.is_empty() {
            return;
        }
        let waiting = std::mem::take(&mut self.leaf_mut(slot).to_reorder);
        for (_, entry) in waiting {
            if !self.leave_active(entry, slot) {
                // It waits, or may not run: from now on it is in more lists than one.
                self.stop_sorting_lists(slot);
            }
            let app = &mut self.apps[entry];
            app.fair = app.fair_now();
            self.enter_active(entry, slot);
            self.take_out_if_over(entry);
        }
        self.publish_surplus_entries(slot);
    }

    /// Others see by how much the lists of a leaf are longer than the applications in them.
    pub(super) fn publish_surplus_entries(&self, slot: u32) {
        let queue = self.queue(slot);
        if let Some(leaf) = queue.leaf.as_ref().filter(|_| self.decides_starts_in(slot)) {
            let entries = leaf.active.len() + leaf.pending.len();
            let count = |of: usize| i64::try_from(of).unwrap_or(i64::MAX);
            queue.published.surplus_entries.set(count(entries) - count(leaf.runnable.len()));
        }
    }
}

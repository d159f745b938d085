//! Applications enter the lists of a leaf queue, leave them, move, get another priority (reference 8.3, 20, 21, 23).

use super::{AppBook, Books, QueueBook};
use crate::capacity::leaf::compare;
use crate::capacity::order::{FairCache, compare_fifo};
use crate::resource::Resource;

impl Books {
    /// A submission has been looked at as far as its user's count: he has a record from then on.
    pub(crate) fn user_seen(&mut self, slot: u32, user: &str) {
        let Some(QueueBook { published, leaf: Some(leaf), .. }) = &mut self.queues[slot as usize] else { return };
        leaf.users.ensure(user, || published.user_weight(user));
    }

    /// An attempt is there.
    pub(crate) fn add(&mut self, app: AppBook) {
        self.apps.insert(app.number, app);
    }

    /// An attempt enters its leaf; one that may not run waits.
    pub(crate) fn enter(&mut self, app: u32) {
        let Books { queues, apps, gone, .. } = self;
        let all = super::Everybody { apps, gone };
        let entering = all.get(app);
        let slot = entering.leaf;
        let Some(QueueBook { published, leaf: Some(leaf), .. }) = &mut queues[slot as usize] else { return };
        let record = leaf.users.ensure(&entering.user, || published.user_weight(&entering.user));
        if !entering.runnable {
            return;
        }
        leaf.users.count(record, 0, 1);
        leaf.runnable.insert(app);
        leaf.pending.insert(&entering.rank(), |other, this| compare_fifo(&all.rank(other), this));
        if self.arith.is_greater(&self.cluster, &self.cluster, &Resource::ZERO) {
            self.activate(slot);
        }
        self.show_entries(slot);
    }

    /// An attempt leaves the lists of a leaf.
    pub(crate) fn leave(&mut self, app: u32, slot: u32) {
        let Books { queues, apps, gone, .. } = self;
        let all = super::Everybody { apps, gone };
        let leaving = all.get(app);
        let (rank, am) = (leaving.rank(), &leaving.am);
        let Some(QueueBook { published, leaf: Some(leaf), .. }) = &mut queues[slot as usize] else { return };
        let ordering = &published.node.leaf().expect("a leaf queue").ordering;
        let record = leaf.users.ensure(&leaving.user, || published.user_weight(&leaving.user));
        leaf.runnable.remove(&app);
        leaf.to_reorder.remove(&app);
        let was_active = leaf.active.remove(&rank, |other, this| compare(ordering, &all.rank(other), this));
        if was_active {
            leaf.am_used = leaf.am_used.minus(am);
            leaf.users.add_am(record, &Resource::ZERO.minus(am));
            leaf.users.count(record, -1, 0);
        } else {
            leaf.pending.remove(&rank, |other, this| compare_fifo(&all.rank(other), this));
            leaf.users.count(record, 0, -1);
        }
        leaf.users.drop_if_idle(&leaving.user);
        self.activate(slot);
        self.show_entries(slot);
    }

    /// An attempt has ended, with all that it had: it leaves its leaf.
    pub(crate) fn ended(&mut self, app: u32) {
        let local = self.app_mut(app);
        let (leaf, pending) = (local.leaf, std::mem::take(&mut local.pending));
        local.open_keys = 0;
        self.add_pending(leaf, &Resource::ZERO.minus(&pending));
        self.leave(app, leaf);
    }

    /// Whoever may run for an attempt that has ended does: nothing more is known of it, unless a list still has it.
    pub(crate) fn forget(&mut self, app: u32) {
        let Some(local) = self.apps.get(&app) else { return };
        let (leaf, has_moved) = (local.leaf, local.has_moved);
        // Another queue may be in the slot by now.
        if !self.is_leaf(leaf) {
            self.apps.remove(&app);
            return;
        }
        self.ceases_to_ask(leaf, app);
        let of_leaf = self.leaf(leaf);
        let lingers = has_moved || of_leaf.active.iter().chain(of_leaf.pending.iter()).any(|other| other == app);
        if let Some(ended) = self.apps.remove(&app).filter(|_| lingers) {
            self.gone.insert(app, ended);
        }
    }

    /// An application has another priority.
    pub(crate) fn set_priority(&mut self, app: u32, priority: i32) {
        let Some(local) = self.apps.get(&app) else { return };
        if priority == local.submitted_priority {
            return;
        }
        let (slot, mut rank) = (local.leaf, local.rank());
        let Books { queues, apps, gone, .. } = self;
        let all = super::Everybody { apps, gone };
        let Some(QueueBook { published, leaf: Some(leaf), .. }) = &mut queues[slot as usize] else { return };
        let ordering = &published.node.leaf().expect("a leaf queue").ordering;
        leaf.to_reorder.remove(&app);
        let was_active = leaf.active.remove(&rank, |other, this| compare(ordering, &all.rank(other), this));
        if !was_active {
            leaf.pending.remove(&rank, |other, this| compare_fifo(&all.rank(other), this));
        }
        rank.priority = priority;
        let now = |other: u32| if other == app { rank } else { all.rank(other) };
        if was_active {
            leaf.active.insert(&rank, |other, this| compare(ordering, &now(other), this));
        } else {
            leaf.pending.insert(&rank, |other, this| compare_fifo(&now(other), this));
        }
        self.app_mut(app).priority = priority;
        self.show_entries(slot);
    }

    /// An application is in another leaf, where it may run or not; `sizes` are those of its containers, then of its reservations.
    pub(crate) fn moved(&mut self, app: u32, target: u32, runnable: bool, sizes: &[Resource]) {
        let source = self.app(app).leaf;
        for size in sizes {
            let less = Resource::ZERO.minus(size);
            self.charge_leaf(source, app, &less, -1);
            self.charge_above(source, &less, -1);
            self.charge_leaf(target, app, size, 1);
            self.charge_above(target, size, 1);
        }
        self.leave(app, source);
        let local = self.app_mut(app);
        (local.leaf, local.has_moved, local.runnable) = (target, true, runnable);
        let (pending, reserved, is_idle) = (local.pending, local.reserved, local.open_keys == 0);
        self.enter(app);
        self.ceases_to_ask(source, app);
        if !is_idle {
            self.begins_to_ask(target, app);
        }
        self.add_pending(source, &Resource::ZERO.minus(&pending));
        self.add_pending(target, &pending);
        self.add_reserved_by_apps(source, &Resource::ZERO.minus(&reserved));
        self.add_reserved_by_apps(target, &reserved);
    }

    /// Fair leaves: whose place awaits a refresh is put in anew.
    pub(crate) fn reorder(&mut self, slot: u32) {
        if self.leaf(slot).to_reorder.is_empty() {
            return;
        }
        let waiting = std::mem::take(&mut self.leaf_mut(slot).to_reorder);
        for app in waiting {
            let (_, used, pending) = self.take_out(slot, app);
            self.app_mut(app).fair = FairCache { used_mb: used, pending_mb: pending };
            let (node, leaf, all) = self.leaf_and_apps(slot);
            let ordering = &node.leaf().expect("a leaf queue").ordering;
            leaf.active.insert(&all.rank(app), |other, this| compare(ordering, &all.rank(other), this));
        }
        self.show_entries(slot);
    }

    /// Out of the active list; whether it was there, and what its memory is now.
    fn take_out(&mut self, slot: u32, app: u32) -> (bool, i64, i64) {
        let (node, leaf, all) = self.leaf_and_apps(slot);
        let (ordering, local) = (&node.leaf().expect("a leaf queue").ordering, all.get(app));
        let was = leaf.active.remove(&local.rank(), |other, this| compare(ordering, &all.rank(other), this));
        (was, local.used.memory_mb(), local.pending.memory_mb())
    }

    /// Others see by how much the lists of a leaf are longer than the applications in them.
    pub(super) fn show_entries(&self, slot: u32) {
        let queue = self.queue(slot);
        if let Some(leaf) = &queue.leaf {
            let entries = leaf.active.len() + leaf.pending.len();
            let count = |of: usize| i64::try_from(of).unwrap_or(i64::MAX);
            queue.published.entries_beyond.set(count(entries) - count(leaf.runnable.len()));
        }
    }
}

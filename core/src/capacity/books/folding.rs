//! What the other workers have done, folded into the books; applications that start because one worker lets them
//! (several workers only).
//!
//! Each worker has the whole of the books: all queues, all applications, all users. Its own grants and ends it counts
//! at once, the others' as of the last fold. Who starts in a leaf is decided by one worker, and the others follow
//! ([`StartedEntry`](crate::engine::books::started_entry::StartedEntry)).

use super::shared_attempt::{Others, Start};
use super::{Books, QueueBook};
use crate::capacity::rules::ordered::AppEntry;
use crate::capacity::rules::partition::{Part, Partition, Whole};
use crate::resource::Resource;
use crate::sync::Arc;

impl Books {
    /// Sets what the other workers have of an attempt in a partition to `now`, and charges the difference. The number
    /// of containers is not kept by partition: the first partition carries the number of all, the others carry 0.
    pub(crate) fn fold_others<P: Partition>(&mut self, entry: AppEntry, now: Others, p: P) {
        let app = &mut self.apps[entry];
        if app.others_in(p) == now {
            return;
        }
        let before = std::mem::replace(app.others_in_mut(p), now);
        let (used, reserved) = (now.used.minus(&before.used), now.reserved.minus(&before.reserved));
        let (leaf, is_active) = (app.leaf, app.is_active);
        self.app_uses(entry, &used, p);
        let (charge, containers) = (used.plus(&reserved), now.containers - before.containers);
        self.charge_leaf(leaf, entry, &charge, containers, None, p);
        self.charge_above(leaf, &charge, containers, p);
        self.add_reserved(leaf, &reserved, p);
        if is_active {
            self.note_reorder(entry);
        }
    }

    /// The same of an application that goes to another leaf.
    pub(super) fn carry_others(&mut self, entry: AppEntry, source: u32, target: u32) {
        if !self.has_labels() {
            self.carry_others_in(entry, source, target, Whole);
            return;
        }
        for p in self.partitions() {
            if self.apps[entry].others_in(p) != Others::default() {
                self.carry_others_in(entry, source, target, p);
            }
        }
    }

    fn carry_others_in<P: Partition>(&mut self, entry: AppEntry, source: u32, target: u32, p: P) {
        let Others { used, reserved, containers } = self.apps[entry].others_in(p);
        let charge = used.plus(&reserved);
        let none = Resource::ZERO;
        for (leaf, charge, reserved, containers) in
            [(source, none.minus(&charge), none.minus(&reserved), -containers), (target, charge, reserved, containers)]
        {
            self.charge_leaf(leaf, entry, &charge, containers, None, p);
            self.charge_above(leaf, &charge, containers, p);
            self.add_reserved(leaf, &reserved, p);
        }
    }

    /// The others have nothing of an attempt any more.
    pub(super) fn others_have_nothing(&mut self, entry: AppEntry) {
        if !self.has_labels() {
            self.fold_others(entry, Others::default(), Whole);
            return;
        }
        for p in self.partitions() {
            self.fold_others(entry, Others::default(), p);
        }
    }

    /// Adds `change`, negative when a container ends, to the number of containers that this worker has for an attempt,
    /// and shows it to the other workers. Does nothing with one worker.
    pub(crate) fn change_held(&mut self, entry: AppEntry, change: i64) {
        if !self.place.is_alone() {
            let app = &mut self.apps[entry];
            app.held += change;
            app.shared_attempt.show_containers(self.place, app.held);
        }
    }

    /// An application has entered its leaf, where another worker decides: it may have been let start already.
    pub(super) fn start_if_let(&mut self, entry: AppEntry) {
        let app = &self.apps[entry];
        if app.turn.may_start(&app.shared_attempt.turn) {
            self.start(entry);
        }
    }

    /// Applications that were let start here, for the others to hear of.
    pub(crate) fn take_started(&mut self) -> Vec<Start> {
        std::mem::take(&mut self.started)
    }

    /// An application was let start here.
    pub(super) fn lets_start(&mut self, entry: AppEntry) {
        let is_alone = self.place.is_alone();
        let Books { apps, started, .. } = self;
        let app = &apps[entry];
        let tell = |turn| {
            if !is_alone {
                started.push(Start { app: app.number, shared_attempt: app.shared_attempt.clone(), turn });
            }
        };
        app.shared_attempt.turn.let_start(app.turn.number(), tell);
    }

    /// Another worker has let an application start. If this worker has not counted that entry into the leaf yet, it
    /// ignores the message: when the entry comes, `start_if_let` finds in
    /// [`StartedEntry`](crate::engine::books::started_entry::StartedEntry) that it may start.
    pub(crate) fn starts_elsewhere(&mut self, start: &Start) {
        let Some(entry) = self.apps.entry(start.app) else { return };
        let app = &self.apps[entry];
        if Arc::ptr_eq(&app.shared_attempt, &start.shared_attempt) && app.turn.is_about(start.turn) {
            self.start(entry);
        }
    }

    fn start(&mut self, entry: AppEntry) {
        let slot = self.apps[entry].leaf;
        let Books { queues, apps, .. } = self;
        let Some(QueueBook { published, leaf: Some(leaf), .. }) = &mut queues[slot as usize] else { return };
        let starting = &apps[entry];
        let (rank, am, label) = (starting.rank(), starting.am, starting.am_partition);
        let Some(found) = leaf.leave_pending(&rank, (label, &am), |other| apps.rank(other)) else { return };
        let record = leaf.users.ensure_at(apps[entry].seat, || published.user_weight(&apps[entry].user));
        leaf.users.count(record, 1, -1);
        leaf.add_am(label, &am);
        leaf.users.add_am(record, &am, Part::of(label));
        self.am_is_known(slot, label);
        self.is_out_of_list(found);
        self.enter_active(entry, slot);
    }
}

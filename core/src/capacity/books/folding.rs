//! What the other workers have done, folded into the books; applications that start because one worker lets them
//! (several workers only).
//!
//! Each worker has the whole of the books: all queues, all applications, all users. Its own grants and ends it counts
//! at once, the others' as of the last fold. Who starts in a leaf is decided by one worker, and the others follow
//! ([`StartedEntry`](crate::engine::books::started_entry::StartedEntry)).

use super::shared_attempt::{Others, Start};
use super::{Books, QueueBook};
use crate::capacity::rules::ordered::AppEntry;
use crate::capacity::rules::partition::Whole;
use crate::resource::Resource;
use crate::sync::Arc;

impl Books {
    /// The others have so much of an attempt now.
    pub(crate) fn fold_others(&mut self, entry: AppEntry, now: Others) {
        let app = &mut self.apps[entry];
        let before = std::mem::replace(&mut app.others, now);
        if before == now {
            return;
        }
        let (used, reserved) = (now.used.minus(&before.used), now.reserved.minus(&before.reserved));
        app.used = app.used.plus(&used);
        let (leaf, is_active) = (app.leaf, app.is_active);
        let (charge, containers) = (used.plus(&reserved), now.containers - before.containers);
        // There are no labels with several workers.
        self.charge_leaf(leaf, entry, &charge, containers, None, Whole);
        self.charge_above(leaf, &charge, containers, Whole);
        self.add_reserved(leaf, &reserved, Whole);
        if is_active {
            self.note_reorder(entry);
        }
    }

    /// The same of an application that goes to another leaf.
    pub(super) fn carry_others(&mut self, entry: AppEntry, source: u32, target: u32) {
        let Others { used, reserved, containers } = self.apps[entry].others;
        let charge = used.plus(&reserved);
        let none = Resource::ZERO;
        for (leaf, charge, reserved, containers) in
            [(source, none.minus(&charge), none.minus(&reserved), -containers), (target, charge, reserved, containers)]
        {
            self.charge_leaf(leaf, entry, &charge, containers, None, Whole);
            self.charge_above(leaf, &charge, containers, Whole);
            self.add_reserved(leaf, &reserved, Whole);
        }
    }

    /// So many containers of an attempt more, here: the others see it.
    pub(crate) fn holds(&mut self, entry: AppEntry, containers: i64) {
        if !self.place.is_alone() {
            let app = &mut self.apps[entry];
            app.held += containers;
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

    /// Another worker has let an application start. One that has not entered that turn here finds it said when it does.
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
        let (rank, am) = (starting.rank(), starting.am);
        let Some(found) = leaf.leave_pending(&rank, &am, |other| apps.rank(other)) else { return };
        let record = leaf.users.ensure_at(apps[entry].seat, || published.user_weight(&apps[entry].user));
        leaf.users.count(record, 1, -1);
        leaf.am_used = leaf.am_used.plus(&am);
        leaf.users.add_am(record, &am, Whole);
        self.is_out_of_list(found);
        self.enter_active(entry, slot);
    }
}

//! A worker folds in what the others have done to an application; who starts is told (several workers only).

use super::messages::CapacityMessage;
use crate::capacity::books::Others;
use crate::capacity::rules::ordered::AppEntry;
use crate::capacity::rules::partition::{Partition, Whole};
use crate::capacity::types::{Internal, Shard};
use crate::resource::Resource;

impl Shard {
    /// What the others have of an application, and what of its asks they have taken.
    pub(crate) fn fold_app(&mut self, app: u32) {
        let local = self.app(app);
        let Some(entry) = local.own.entry else { return };
        // One that has ended is folded no more.
        if local.closed || self.own.books.apps[entry].slot != app {
            return;
        }
        let used = local.usage.minus(&local.cell.usage.read());
        let place = self.own.books.place;
        let (reserved, containers) = self.own.books.apps[entry].shared_attempt.others(place);
        if self.own.books.has_labels() {
            self.fold_by_label(app, entry, (reserved, containers));
        } else {
            self.own.books.fold_others(entry, Others { used, reserved, containers }, Whole);
        }
        // Of a key with nothing left this worker hears.
        for key in 0..self.app(app).keys.len() {
            if self.app(app).keys[key].own.count > 0 {
                self.recount(app, key);
            }
        }
    }

    /// The same by label. What is reserved without a label, and how many containers there are in all, is known.
    fn fold_by_label(&mut self, app: u32, entry: AppEntry, (reserved, containers): (Resource, i64)) {
        for p in self.own.books.partitions() {
            let (local, attempt) = (self.app(app), &self.own.books.apps[entry].shared_attempt);
            let used = local.shared.usage_in(p.label()).minus(&local.cell.by_label.read(p.label()));
            let now = if p.is_first() {
                Others { used, reserved, containers }
            } else {
                let reserved = attempt.others_reserve_in(self.own.books.place, p.label());
                Others { used, reserved, containers: 0 }
            };
            self.own.books.fold_others(entry, now, p);
        }
    }

    /// The same of those that a limit of parallel applications keeps waiting: others take nothing of their asks, and
    /// their AMs change them.
    pub(crate) fn fold_waiting(&mut self) {
        for app in 0..self.apps.len() {
            let Some(local) = self.apps[app].as_mut().filter(|local| !local.runnable && !local.closed) else {
                continue;
            };
            local.usage = local.shared.usage();
            self.fold_app(u32::try_from(app).expect("slots are u32"));
        }
    }

    /// Those that were let start here start with the other workers, too.
    pub(crate) fn tell_who_starts(&mut self) {
        for start in self.own.books.take_started() {
            self.tell_all_others(&CapacityMessage::Starts(start));
        }
    }

    /// All other workers are told.
    pub(crate) fn tell_all_others(&self, message: &CapacityMessage) {
        for (worker, lane) in self.shared.lanes.internal.iter().enumerate() {
            if worker != self.worker {
                // A lane is closed only at shutdown.
                let _ = lane.send(Internal::Own(message.clone()));
            }
        }
    }

    /// What the others have done so far is known, for somebody who looks or decides for all.
    pub(crate) fn fold_now(&mut self) {
        if self.shared.workers > 1 {
            self.fold(self.shared.clock.now_ms());
        }
    }
}

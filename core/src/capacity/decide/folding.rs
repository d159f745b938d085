//! A worker folds in what the others have done to an application; who starts is told (several workers only).

use super::messages::CapacityMessage;
use crate::capacity::books::Others;
use crate::capacity::types::{Internal, Shard};

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
        self.own.books.fold_others(entry, Others { used, reserved, containers });
        // Of a key with nothing left this worker hears.
        for key in 0..self.app(app).keys.len() {
            if self.app(app).keys[key].own.count > 0 {
                self.recount(app, key);
            }
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

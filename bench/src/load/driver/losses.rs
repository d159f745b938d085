//! The driver of a cluster that others change meanwhile: applications are killed, containers taken.

use super::Driver;
use crate::api::EndReason;
use crate::load::app::Role;
use crate::load::observation::Happened;

impl Driver<'_> {
    /// What the scheduler took of an application, by the answer that it has just got. Whether its AM was among it, and
    /// it is gone.
    pub(super) fn take_losses(&mut self, slot: u32) -> bool {
        let Driver { watched: Some(watched), answer, apps, books, .. } = self else { return false };
        let Some(app) = apps[slot as usize].as_mut() else { return true };
        let mut am_taken = false;
        for ended in &answer.ended {
            if matches!(ended.reason, EndReason::Completed | EndReason::AppFinished) {
                continue;
            }
            let Some((_, role, node)) = watched.alive.remove(&ended.id) else { continue };
            books.was_taken(app.leaf, node);
            watched.tell(Happened::Taken { app: &app.handle, container: ended.id, reason: ended.reason });
            match role {
                Role::Master => am_taken = true,
                Role::Map => app.taken(1, 0),
                Role::Reduce => app.taken(0, 1),
            }
        }
        if am_taken {
            self.vanish(slot);
        }
        am_taken
    }

    /// An application ends that is not done.
    pub(super) fn vanish(&mut self, slot: u32) {
        let Driver { watched: Some(watched), apps, admission, leaving, books, .. } = self else { return };
        let Some(app) = apps[slot as usize].take() else { return };
        watched.alive.retain(|_, (whose, _, node)| {
            let stays = *whose != slot;
            if !stays {
                books.was_taken(app.leaf, *node);
            }
            stays
        });
        let with_master = !leaving.iter().any(|(_, other)| *other == slot);
        leaving.retain(|(_, other)| *other != slot);
        for _ in 0..app.tasks_left() + u32::from(with_master) {
            admission.container_ended(app.leaf);
        }
        admission.job_left();
        let number = app.handle.number();
        watched.tell(Happened::Left { number, done: false });
        // Where it has ended already there is nothing to do.
        let _ = self.engine.finish(&app.handle);
        self.slot_of[number as usize] = super::NO_SLOT;
        self.free_slots.push(slot);
        self.is_free(app.job);
    }

    /// Every ApplicationMaster calls.
    pub(super) fn call_all(&mut self) {
        let slots = self.apps.iter().zip(0..).filter(|(app, _)| app.is_some()).map(|(_, slot)| slot);
        self.calls.extend(slots);
    }

    /// Those that somebody has ended are gone.
    pub(super) fn look_for_ended(&mut self) {
        if self.watched.is_none() {
            return;
        }
        for slot in 0..u32::try_from(self.apps.len()).unwrap_or(u32::MAX) {
            if self.apps[slot as usize].as_ref().is_some_and(|app| app.handle.is_finished()) {
                self.vanish(slot);
            }
        }
    }
}

//! Close: an attempt ends on this worker, and all that it has here with it.
//!
//! # Where it stands
//! Called by [`handling`](crate::engine::worker::handling) with a message of the control, after what goes on was handed
//! over (`worker::attempts`). The control frees the attempt's slot when every worker has acknowledged.
//!
//! # Invariant
//! A container's end finds its application: a close ends the containers first, in the order of their numbers, then
//! empties the mailbox.

use crate::engine::decider::Decider;
use crate::engine::mail::container::EndReason;
use crate::engine::shard::Shard;
use crate::id::Slot;
use smallvec::SmallVec;

impl<D: Decider> Shard<D> {
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

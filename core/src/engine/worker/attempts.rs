//! Attempts: the running containers of an attempt that ends go over to the next one.
//!
//! # Where it stands
//! Run by each worker on its own shard, when the control closes an attempt and has made its successor
//! (`control::attempts`); then `close::close_app` ends what is left. Hadoop:
//! `SchedulerApplicationAttempt.transferStateFromPreviousAttempt`, and `FairScheduler.removeApplicationAttempt` with
//! `keepContainers`; rules/assignment.md 12.2, 12.3.
//!
//! # What is handed over
//! Containers in state RUNNING: their AM has them and their node has said that they run. They keep their ids. The usage
//! of the queues is not touched: the successor stands in the leaf from the hand-over on, and enters it when the
//! structure that shows it there comes. Hadoop hands over the times of the last scheduling too; without the levels,
//! which it does not hand over, nothing ever reads them, so here they go.
//!
//! # What races, and why it is safe
//! A call of the old AM that still drains: what it takes was granted and not launched, so it ends. The successor's
//! handle is given out after all workers have acknowledged. `loom-tests/tests/next_attempt_vs_drain.rs`.

use crate::app::SchedulingKey;
use crate::engine::decider::{AskCause, Decider};
use crate::engine::intake::to_worker::Successor;
use crate::engine::mail::container::Container;
use crate::engine::records::containers::ContainerRecord;
use crate::engine::shard::Shard;
use crate::id::Slot;
use crate::resource::Resource;

impl<D: Decider> Shard<D> {
    /// Hands what runs of an attempt on this worker's nodes to its successor; says what that is.
    pub(crate) fn hand_over(&mut self, from: Slot, successor: &Successor) -> Vec<Container> {
        let to = self.learn_app(&successor.app);
        self.app_mut(to).set_blacklist(&successor.blacklist);
        D::asks_changed(self, to, std::iter::empty(), AskCause::News { nothing: false });
        let Some(old) = self.find_app(from) else { return Vec::new() };
        let leaf = old.leaf;
        let stays = |record: &ContainerRecord| {
            record.launched && self.shared.arenas[self.worker].acquired_for_ms(record.mail, 0).is_some()
        };
        let mut kept: Vec<u32> =
            old.containers.iter().copied().filter(|index| stays(&self.containers[*index])).collect();
        // Oldest first: each goes before those that are there.
        kept.sort_unstable_by_key(|index| self.containers[*index].named());
        let mut sum = Resource::ZERO;
        for index in &kept {
            let record = self.containers[*index];
            sum = sum.plus(self.containers.size(&record));
            let (label, size) = (self.nodes[record.node as usize].label, *self.containers.size(&record));
            self.count_by_label(from.index, label, &Resource::ZERO.minus(&size));
            self.count_by_label(to, label, &size);
            self.unlink_from_app(&record);
            self.containers.keep_for(*index, successor.app.slot);
            self.link_to_app(*index, to);
        }
        let types = self.types;
        let less = Resource::ZERO.minus(&sum);
        for (app, amount) in [(from.index, &less), (to, &sum)] {
            let local = self.app_mut(app);
            local.usage = local.usage.plus(amount);
            local.cell.usage.add(types, amount);
        }
        // The others see usage move, as with as many grants or ends.
        kept.iter().for_each(|_| self.note_change());
        self.app_mut(to).leaf = leaf;
        kept.iter().map(|index| self.container(*index)).collect()
    }

    fn container(&self, index: u32) -> Container {
        let record = &self.containers[index];
        let SchedulingKey { priority, allocation_request_id } = record.key();
        Container {
            id: self.container_id(index),
            node: self.nodes[record.node as usize].shared.id,
            priority,
            allocation_request_id,
            locality: record.locality,
            resource: *self.containers.size(record),
        }
    }
}

//! Publishing: what the control has changed becomes a structure that everybody sees.
//!
//! A batch of messages shares one publish; answers go out after it. What is as before stays the same value, so that no
//! worker has to look at it.

use super::part::{ControlPart, Controlled, QueueTerms};
use super::state::Control;
use crate::engine::books::ledger::QueueShared;
use crate::engine::intake::to_worker::Internal;
use crate::engine::lease::label_room::LabelRoom;
use crate::engine::lease::watch::{Watch, is_watched};
use crate::engine::publish::snapshot::{QueueSnapshot, Structure};
use crate::policy::ClusterTotal;
use crate::sync::Arc;

impl<D: Controlled> Control<D> {
    /// Publishes what has changed, then sends the answers that waited for it.
    pub(crate) fn publish(&mut self) {
        D::Control::publishing(self);
        let marked = [&self.dirty, &self.children_changed, &self.members_changed];
        if self.structure_changed || marked.iter().any(|marked| !marked.is_empty()) {
            self.publish_structure();
        }
        if std::mem::take(&mut self.update_due)
            && let Some(wake) = &self.wake_update
        {
            // Full: it is awake already, and has yet to load what was published just now.
            let _ = wake.try_send(());
        }
        if !self.answers.is_empty() {
            self.answers.drain(..).for_each(|answer| (answer.0)());
        }
    }

    fn publish_structure(&mut self) {
        let last = self.shared.publisher.load();
        let mut queues = last.structure.queues.clone();
        queues.resize(self.tree.width(), None);
        self.ledgers.resize(self.tree.width(), None);
        self.members.resize_with(self.tree.width(), Default::default);
        self.settings_version += 1;
        let mut settings_changed = false;
        let members_changed = std::mem::take(&mut self.members_changed);
        let children_changed = std::mem::take(&mut self.children_changed);
        for parent in &children_changed {
            if let Some(queue) = self.tree.at(*parent) {
                self.dirty.extend(queue.children());
            }
            self.dirty.insert(*parent);
        }
        if std::mem::take(&mut self.all_are_dirty) {
            self.dirty.extend((0..self.tree.width()).map(|slot| u32::try_from(slot).expect("slots are u32")));
        }
        for slot in std::mem::take(&mut self.dirty) {
            let known = self.tree.at(slot).is_some();
            if !known {
                self.members[slot as usize] = Default::default();
            }
            let new = known.then(|| self.queue_snapshot(slot, queues[slot as usize].as_deref()));
            // What is as before stays as it is: then no worker has to look at it. Slots alone do not say that children
            // are as before: another queue may have got the slot of one that went.
            let same = match (&new, &queues[slot as usize]) {
                (Some(new), Some(old)) => new.is_configured_as(old) && !children_changed.contains(&slot),
                (new, old) => new.is_none() && old.is_none(),
            };
            if !same {
                settings_changed = true;
                queues[slot as usize] = new.map(Arc::new);
            }
        }
        for slot in members_changed {
            if let Some(queue) = &mut queues[slot as usize] {
                let [runnable, waiting] = self.members[slot as usize].each_ref().map(|table| table.members.clone());
                *queue = Arc::new(QueueSnapshot { runnable, waiting, ..(**queue).clone() });
            }
        }
        let structure = Structure {
            cluster: ClusterTotal { types: self.shared.types, total: self.nodes.total() },
            nodes: self.nodes.open(),
            max_allocation: self.max_allocation(),
            queues,
            racks: self.racks.clone(),
            labels: self.labels.table.clone(),
            version: last.structure.version + 1,
        };
        self.structure_changed = false;
        self.shared.publisher.publish_structure(Arc::new(structure));
        if settings_changed && self.shared.workers > 1 {
            // A queue that has a limit now can be granted from once every worker counts in its watch, idle ones too.
            for worker in 0..self.shared.workers {
                self.to_worker(worker, Internal::TakeSnapshot);
            }
        }
    }

    /// What all threads share of a queue; a queue that is not published yet has nothing.
    pub(crate) fn ledger(&self, slot: u32) -> Option<&Arc<QueueShared>> {
        let (known, ledger) = self.ledgers.get(slot as usize)?.as_ref()?;
        (*known == self.tree.get(slot).slot).then_some(ledger)
    }

    fn queue_snapshot(&mut self, slot: u32, before: Option<&QueueSnapshot<D>>) -> QueueSnapshot<D> {
        let id = self.tree.get(slot).slot;
        let (workers, types) = (self.shared.workers, self.shared.types);
        let ledger = match &self.ledgers[slot as usize] {
            Some((known, ledger)) if *known == id => ledger.clone(),
            _ => {
                let (created, clock) = (self.tree.get(slot).created, self.shared.clock.clone());
                let now = self.asked(|| clock.now_ms()).unwrap_or_default();
                Arc::new(QueueShared::new(workers, types, created, now))
            }
        };
        self.ledgers[slot as usize] = Some((id, ledger.clone()));
        let QueueTerms { limit, limits_by_label, max_container, own } = D::Control::queue_published(self, slot);
        let before = before.filter(|before| before.slot == id);
        let rooms = limits_by_label.into_iter().zip(self.labels.table.all_numbers()).map(|(limit, label)| LabelRoom {
            limit,
            is_lent: self.labels.table.partition(label).is_some_and(|partition| !partition.exclusive),
            watch: before
                .and_then(|before| before.rooms.get(label.ix()))
                .map_or_else(|| Arc::new(Watch::counted_from_start(workers, types)), |room| room.watch.clone()),
        });
        let rooms = rooms.collect();
        let queue = self.tree.get(slot);
        let [runnable, waiting] = self.members[slot as usize].each_ref().map(|table| table.members.clone());
        QueueSnapshot {
            slot: id,
            name: queue.name.clone(),
            parent: queue.parent,
            leaf: queue.leaf,
            limit,
            watched: is_watched(before.is_some_and(|before| before.watched), &limit, types),
            rooms,
            max_container,
            children: queue.children().collect(),
            runnable,
            waiting,
            settings_version: self.settings_version,
            shared: ledger,
            own,
        }
    }
}

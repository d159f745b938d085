//! Queues by slot and name.

use super::runnable::Runnable;
use super::waiting::Waiting;
use crate::id::{Slot, Slots};
use crate::sync::Arc;
use std::collections::{BTreeMap, HashMap};

/// One queue; `S` is what a scheduler keeps of it beside.
#[derive(Debug)]
pub(crate) struct Queue<S> {
    pub(crate) slot: Slot,
    pub(crate) name: Arc<str>,
    pub(crate) parent: Option<u32>,
    pub(crate) leaf: bool,
    /// By what counts creations: in that order, and found by it.
    children: BTreeMap<u64, u32>,
    /// Counts creations.
    pub(crate) created: u64,
    /// Runnable applications, by slot index.
    pub(crate) runnable: Runnable,
    /// Applications that wait for a running limit, with their users.
    pub(crate) waiting: Waiting<Box<str>>,
    /// Of a parent: runnable applications below.
    pub(crate) running_below: i64,
    pub(crate) max_running_apps: i32,
    pub(crate) own: S,
}

impl<S> Queue<S> {
    /// Runnable applications here and below.
    pub(crate) fn count(&self) -> i64 {
        if self.leaf { i64::try_from(self.runnable.len()).unwrap_or(i64::MAX) } else { self.running_below }
    }

    /// Its child queues, in order of creation.
    pub(crate) fn children(&self) -> impl DoubleEndedIterator<Item = u32> {
        self.children.values().copied()
    }
}

/// All queues; see the module's text.
#[derive(Debug)]
pub(crate) struct QueueTree<S> {
    slots: Vec<Option<Queue<S>>>,
    given: Slots,
    /// Slots of queues that have gone that are not given back yet.
    resting: usize,
    /// Seeded: whoever submits may choose a name, and could choose such as collide.
    by_name: HashMap<Arc<str>, u32>,
    created: u64,
}

impl<S> Default for QueueTree<S> {
    fn default() -> QueueTree<S> {
        QueueTree { slots: Vec::new(), given: Slots::default(), resting: 0, by_name: HashMap::new(), created: 0 }
    }
}

impl<S> QueueTree<S> {
    pub(crate) fn get(&self, slot: u32) -> &Queue<S> {
        self.slots[slot as usize].as_ref().expect("slots are taken from the tree itself")
    }

    pub(crate) fn get_mut(&mut self, slot: u32) -> &mut Queue<S> {
        self.slots[slot as usize].as_mut().expect("slots are taken from the tree itself")
    }

    pub(crate) fn find(&self, name: &str) -> Option<u32> {
        self.by_name.get(name).copied()
    }

    /// How many slots there are, empty ones included.
    pub(crate) fn width(&self) -> usize {
        self.slots.len()
    }

    pub(crate) fn at(&self, slot: u32) -> Option<&Queue<S>> {
        self.slots.get(slot as usize)?.as_ref()
    }

    /// How many queues there are, slots that are given out, names that are known, and names that the queues have.
    #[cfg(feature = "faults")]
    pub(crate) fn counts(&self) -> [usize; 4] {
        let queues = || self.slots.iter().flatten();
        let names: std::collections::BTreeSet<&str> = queues().map(|queue| &*queue.name).collect();
        [queues().count(), self.given.taken() - self.resting, self.by_name.len(), names.len()]
    }

    /// All queues, in order of creation.
    pub(crate) fn in_order_of_creation(&self) -> Vec<u32> {
        let mut all: Vec<_> = self.slots.iter().flatten().map(|queue| (queue.created, queue.slot.index)).collect();
        all.sort_unstable();
        all.into_iter().map(|(_, slot)| slot).collect()
    }

    /// From a queue up to the root.
    pub(crate) fn path(&self, slot: u32) -> impl Iterator<Item = &Queue<S>> {
        std::iter::successors(Some(self.get(slot)), |queue| queue.parent.map(|parent| self.get(parent)))
    }

    /// A queue and all below it, parents first.
    pub(crate) fn walk(&self, slot: u32) -> Vec<u32> {
        let (mut out, mut open) = (Vec::new(), vec![slot]);
        // Depth first, children in order.
        while let Some(at) = open.pop() {
            out.push(at);
            open.extend(self.get(at).children().rev());
        }
        out
    }

    /// Adds a queue under its parent.
    pub(crate) fn add(&mut self, name: &str, parent: Option<u32>, leaf: bool, own: S) -> u32 {
        let slot = self.given.take();
        let index = slot.index;
        if slot.ix() == self.slots.len() {
            self.slots.push(None);
        }
        let name: Arc<str> = name.into();
        self.created += 1;
        self.slots[index as usize] = Some(Queue {
            slot,
            name: name.clone(),
            parent,
            leaf,
            children: BTreeMap::new(),
            created: self.created,
            runnable: Runnable::default(),
            waiting: Waiting::default(),
            running_below: 0,
            max_running_apps: i32::MAX,
            own,
        });
        if let Some(parent) = parent {
            let created = self.created;
            self.get_mut(parent).children.insert(created, index);
        }
        self.by_name.insert(name, index);
        index
    }

    /// Takes a queue and all below it away; returns their slots, which others may have at once.
    pub(crate) fn remove(&mut self, slot: u32) -> Vec<u32> {
        let gone = self.detach(slot);
        gone.iter().for_each(|slot| self.give_back(*slot));
        gone.into_iter().map(|slot| slot.index).collect()
    }

    /// Takes a queue and all below it away. Nobody gets their slots before they are given back.
    pub(crate) fn detach(&mut self, slot: u32) -> Vec<Slot> {
        let gone = self.walk(slot);
        let Queue { parent, created, .. } = *self.get(slot);
        if let Some(parent) = parent {
            self.get_mut(parent).children.remove(&created);
        }
        let mut detached = Vec::with_capacity(gone.len());
        for slot in gone {
            if let Some(queue) = self.slots[slot as usize].take() {
                // Another queue may have got the name since.
                if self.by_name.get(&queue.name) == Some(&slot) {
                    self.by_name.remove(&queue.name);
                }
                detached.push(queue.slot);
            }
        }
        self.resting += detached.len();
        detached
    }

    /// A slot that was detached may be another queue's.
    pub(crate) fn give_back(&mut self, slot: Slot) {
        self.resting -= 1;
        self.given.give_back(slot);
    }
}

//! What queues are charged and nobody holds: the rules let usage drift, as Hadoop does, and the audit has to know by how much.
//!
//! Owned by the books. Written where a queue begins to drift, which is seldom; no rule reads it.

use super::Books;
use crate::capacity::ordered::AppEntry;
use crate::resource::Resource;
use std::collections::BTreeMap;

/// By queue.
#[derive(Debug, Default)]
pub(super) struct Drift {
    pub(super) used: BTreeMap<u32, Resource>,
    pub(super) reserved: BTreeMap<u32, Resource>,
}

fn add(to: &mut BTreeMap<u32, Resource>, queue: u32, amount: &Resource) {
    let sum = to.entry(queue).or_insert(Resource::ZERO);
    *sum = sum.plus(amount);
}

impl Drift {
    /// Another queue is in this slot.
    pub(super) fn forget(&mut self, slot: u32) {
        self.used.remove(&slot);
        self.reserved.remove(&slot);
    }
}

impl Books {
    /// A reservation became a container of another size: what is charged stays that of the reservation, and the container's end gives back
    /// its own.
    pub(crate) fn charge_stays(&mut self, entry: AppEntry, reserved: &Resource, size: &Resource) {
        let more = reserved.minus(size);
        if more.is_zero() {
            return;
        }
        let (leaf, seat) = (self.apps[entry].leaf, self.apps[entry].seat);
        self.leaf_mut(leaf).users.drifts(seat, &more);
        let mut at = Some(leaf);
        while let Some(queue) = at {
            add(&mut self.drift.used, queue, &more);
            at = self.parent(queue);
        }
    }

    /// An application has moved, and what the queues count as reserved has not.
    pub(super) fn reserved_stays_behind(&mut self, source: u32, target: u32, reserved: &Resource) {
        if reserved.is_zero() {
            return;
        }
        for (leaf, amount) in [(source, *reserved), (target, Resource::ZERO.minus(reserved))] {
            let mut at = Some(leaf);
            while let Some(queue) = at {
                add(&mut self.drift.reserved, queue, &amount);
                at = self.parent(queue);
            }
        }
    }
}

//! Where something begins to [drift](super::drift), as in Hadoop.

use super::Books;
use crate::capacity::ordered::AppEntry;
use crate::resource::Resource;

impl Books {
    /// A reservation became a container of its own size, and counts as one of another.
    pub(crate) fn use_drifts(&mut self, entry: AppEntry, counted: &Resource, size: &Resource) {
        let drift = &mut self.apps[entry].drift;
        *drift = drift.plus(&counted.minus(size));
    }

    /// An application has moved, and what the queues count as reserved has not.
    pub(super) fn reserved_stays_behind(&mut self, source: u32, target: u32, reserved: &Resource) {
        if reserved.is_zero() {
            return;
        }
        for (leaf, amount) in [(source, *reserved), (target, Resource::ZERO.minus(reserved))] {
            let mut at = Some(leaf);
            while let Some(queue) = at {
                let drift = self.drift.reserved.entry(queue).or_insert(Resource::ZERO);
                *drift = drift.plus(&amount);
                at = self.parent(queue);
            }
        }
    }
}

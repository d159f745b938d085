//! Queues are refreshed from another file, whole or not at all (reference 24), but for mapping rules and priorities of
//! workflows: as in Hadoop these are looked at when the queues are in force.

use super::settings::{Properties, read_preemption, read_to_refresh};
use super::state::{Plain, Refused};
use crate::capacity::order::AppOrder;
use crate::capacity::ordered::Ordered;
use crate::capacity::tree::{Applications, RefreshFault};
use crate::config::capacity::CapacityFileError;

impl Plain {
    pub(super) fn reload(&mut self, new: Properties) -> Result<(), Refused> {
        let outcome = self.take_over(&new);
        let Err(fault) = outcome else {
            self.properties = new;
            self.begin_all_that_may();
            return Ok(());
        };
        // Hadoop applies the old file once more. On this cluster it may be refused too.
        let old = self.properties.clone();
        let message = match self.take_over(&old) {
            Ok(()) => format!("Failed to re-init queues : {fault}"),
            Err(fault) => fault.to_string(),
        };
        Err(Refused { kind: "bad-configuration", message: Some(message) })
    }

    fn take_over(&mut self, properties: &Properties) -> Result<(), RefreshFault> {
        let (file, late) = read_to_refresh(&self.site, properties)?;
        let apps = |slot: u32| Applications { all: self.applications(slot), ..Applications::default() };
        let property = |name: &str| properties.get(name).cloned();
        let preemption = read_preemption(&self.site, properties)?;
        let before = self.tree.file.clone();
        let plan = self.tree.plan(file, &self.cluster, property, apps)?;
        let maximum = self.tree.len();
        self.tree.apply(plan);
        self.make_room();
        self.maximum = self.tree.file.settings().maximum;
        match &late {
            Some(fault) => self.tree.keep_common(&before, fault),
            None => self.preemption = preemption,
        }
        let slots = self.tree.slots().to_vec();
        for slot in slots {
            if (slot as usize) < maximum && self.leaves[slot as usize].is_some() {
                self.leaf_refreshed(slot);
            }
        }
        self.cluster_changed();
        late.map_or(Ok(()), |fault| Err(CapacityFileError::from(fault).into()))
    }

    /// Its applications go into a new list in the order of the old one; awaited refreshes of places are forgotten.
    fn leaf_refreshed(&mut self, slot: u32) {
        let ordering = self.ordering(slot);
        let mut leaf = self.leaves[slot as usize].take().expect("a leaf queue");
        leaf.to_reorder.clear();
        let mut active = Ordered::by_place();
        for app in leaf.active.iter() {
            active.insert(app, &self.rank(app), AppOrder::of(&ordering), |other| self.rank(other));
        }
        leaf.active = active;
        leaf.users.set_weights(|user| self.tree.user_weight(slot, user));
        self.leaves[slot as usize] = Some(leaf);
    }
}

//! Queues are refreshed from another file, whole or not at all (rules/capacity.md 24).

use crate::capacity::engine::configuration::{CapacityConfiguration, Refresh};
use crate::capacity::engine::types::Control;
use crate::capacity::tree::RefreshFault;
use crate::config::capacity::{MadeQueues, PreemptionSettings};
use crate::event::Refused;
use std::collections::BTreeMap;

impl Control {
    /// The settings of preemption in force, whether its monitor runs by itself or not.
    pub(crate) fn preemption_settings(&self) -> Result<PreemptionSettings, Refused> {
        let read = self.own.configuration.preemption();
        read.map_err(|error| Refused::BadConfiguration(error.to_string()))
    }

    /// The configuration in force.
    pub(crate) fn configuration(&self) -> CapacityConfiguration {
        self.own.configuration.clone()
    }

    /// The queues as configured at the start.
    pub(super) fn make_queues(&mut self) {
        self.take_queues_over();
        self.maximum = self.own.tree.file.settings().maximum;
    }

    pub(crate) fn refresh(&mut self, refresh: Refresh) -> Result<(), Refused> {
        let Refresh::Queues(read) = refresh else { return Ok(()) };
        let outcome = match *read {
            Ok(configuration) => self.take_over(configuration, BTreeMap::new(), true),
            Err(error) => Err(error.into()),
        };
        let Err(fault) = outcome else {
            // Whoever begins does so in the queues as they are by now.
            self.publish();
            self.begin_all_that_may();
            return Ok(());
        };
        // Hadoop applies the old file once more.
        let old = self.own.configuration.clone();
        let again = self.take_over(old, self.own.tree.made.properties.clone(), false);
        let why = match again {
            Ok(()) => format!("Failed to re-init queues : {fault}"),
            // As in Hadoop: leaves of managed parents may stand against the old file too.
            Err(fault) => fault.to_string(),
        };
        Err(Refused::BadConfiguration(why))
    }

    /// `properties`: what templates have set so far, where that stays. `checked`: mapping rules are looked at.
    fn take_over(
        &mut self,
        configuration: CapacityConfiguration,
        properties: BTreeMap<String, String>,
        checked: bool,
    ) -> Result<(), RefreshFault> {
        self.wake_slots();
        let apps = self.applications_by_slot();
        let apps = |slot: u32| apps[slot as usize];
        let cluster = self.nodes.total();
        let plan = {
            let property = |name: &str| configuration.property(name);
            let made = self.own.tree.all_made();
            let file = match made.queues.is_empty() && made.reserved.is_empty() {
                true => configuration.file.clone(),
                false => configuration.read_with(&MadeQueues { properties, ..made }, checked)?,
            };
            self.own.tree.plan(file, &cluster, property, apps)?
        };
        self.own.tree.apply(plan);
        self.own.tree.cluster_changed(&cluster)?;
        self.own.configuration = configuration;
        self.take_queues_over();
        self.maximum = self.own.tree.file.settings().maximum;
        self.own.turns.iter_mut().for_each(|turn| *turn += 1);
        self.all_dirty();
        Ok(())
    }

    /// Queues that have come get a place in the engine's tree, and all have their lists.
    fn take_queues_over(&mut self) {
        let Control { own, .. } = self;
        let paths = own.tree.slots().iter().map(|slot| &own.tree.get(*slot).config.path);
        own.refreshed.extend(paths.cloned());
        self.seat_newborn();
        for slot in self.own.tree.slots() {
            let config = &self.own.tree.get(*slot).config;
            self.acls.set(&config.path, config.acl_submit.clone(), config.acl_administer.clone());
            if let Some(leaf) = config.as_leaf() {
                self.own.priority_acls.set(&config.path, &leaf.priority_acls);
            }
        }
    }
}

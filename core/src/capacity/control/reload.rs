//! Queues are refreshed from another file, whole or not at all (rules/capacity.md 24).
//!
//! Hadoop looks at mapping rules and priorities of workflows when the new queues are in force. If they are wrong it
//! applies the old file once more, which may be refused, too: queues that have come would have to go, and are not
//! stopped. So does a scheduler that is built with `rules_last`; any other one looks at all of it first.

use super::configuration::{CapacityConfiguration, Reading, Refresh};
use crate::capacity::rules::tree::{Plan, RefreshFault};
use crate::capacity::types::Control;
use crate::config::capacity::{CapacityFile, CapacityFileError, MadeQueues, PreemptionSettings};
use crate::event::Refused;
use crate::event::refused::Configuration;
use std::collections::{BTreeMap, BTreeSet};

impl Control {
    /// The settings of preemption in force, whether its monitor runs by itself or not.
    pub(crate) fn preemption_settings(&self) -> Result<PreemptionSettings, Refused> {
        let read = self.own.configuration.preemption();
        read.map_err(|error| Refused::Configuration(Configuration::Invalid(error.to_string())))
    }

    /// The configuration in force.
    pub(crate) fn configuration(&self) -> CapacityConfiguration {
        self.own.configuration.in_force(self.made_with(BTreeMap::new()))
    }

    /// The queues that have made themselves. `properties`: what templates have set so far, where that stays.
    fn made_with(&self, properties: BTreeMap<String, String>) -> MadeQueues {
        MadeQueues { properties, listed_parents: BTreeSet::new(), ..self.own.tree.all_made() }
    }

    /// The queues as configured at the start.
    pub(super) fn make_queues(&mut self) {
        self.take_queues_over();
        self.maximum = self.own.tree.file.settings().maximum;
    }

    pub(crate) fn refresh(&mut self, refresh: Refresh) -> Result<(), Refused> {
        let Refresh::Queues(read) = refresh else { return Ok(()) };
        let properties = self.own.tree.made.properties.clone();
        let outcome = read.map_err(RefreshFault::from).and_then(|read| self.take_new(read));
        let Err(fault) = outcome else {
            // Whoever begins does so in the queues as they are by now.
            self.publish();
            self.begin_all_that_may();
            return Ok(());
        };
        // Hadoop applies the old file once more.
        let again = self.take_old(properties);
        self.publish();
        let why = match again {
            Ok(()) => format!("Failed to re-init queues : {fault}"),
            // As in Hadoop: leaves of managed parents may stand against the old file too, and queues that have just
            // come do.
            Err(fault) => fault.to_string(),
        };
        Err(Configuration::Invalid(why).into())
    }

    fn take_new(&mut self, read: Reading) -> Result<(), RefreshFault> {
        let made = self.made_with(BTreeMap::new());
        // Queues may have made themselves since it was read.
        let Reading { configuration, late } =
            if *read.configuration.made() == made { read } else { read.configuration.with_made(made)? };
        let plan = self.plan_queues(&configuration, configuration.file.clone())?;
        let Some(fault) = late else {
            self.take_over(plan)?;
            self.own.configuration = configuration;
            return Ok(());
        };
        if self.own.rules_last {
            let before = self.own.tree.file.clone();
            self.take_over(plan)?;
            self.own.tree.keep_common(&before, &fault);
            let mut left = configuration;
            left.file.keep_common(&before, &fault);
            self.own.left = Some(left);
        }
        Err(CapacityFileError::from(fault).into())
    }

    fn take_old(&mut self, properties: BTreeMap<String, String>) -> Result<(), RefreshFault> {
        let old = self.own.configuration.clone();
        let made = self.made_with(properties);
        let is_as_read = made.is_empty() && old.made().is_empty();
        let file = if is_as_read { old.file.clone() } else { old.texts().read_with(&made)? };
        let plan = self.plan_queues(&old, file)?;
        self.take_over(plan)
    }

    fn plan_queues(&mut self, from: &CapacityConfiguration, file: CapacityFile) -> Result<Plan, RefreshFault> {
        self.wake_slots();
        let apps = self.applications_by_slot();
        let cluster = self.nodes.total();
        self.own.tree.plan(file, &cluster, |name| from.property(name), |slot| apps[slot as usize])
    }

    fn take_over(&mut self, plan: Plan) -> Result<(), RefreshFault> {
        let cluster = self.nodes.total();
        self.own.tree.apply(plan);
        self.own.left = None;
        self.own.tree.cluster_changed(&cluster)?;
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
        self.add_new_queues();
        let file = &self.own.tree.file;
        let mut names: BTreeSet<String> = BTreeSet::new();
        for queue in file.queues() {
            names.extend(queue.capacities.iter().map(|capacity| capacity.label.clone()));
            names.extend(file.accessible_labels(queue).iter().filter(|label| *label != "*").cloned());
        }
        self.know_labels(&names);
        for slot in self.own.tree.slots() {
            let config = &self.own.tree.get(*slot).config;
            self.acls.set(&config.path, config.acl_submit.clone(), config.acl_administer.clone());
            if let Some(leaf) = config.as_leaf() {
                self.own.priority_acls.set(&config.path, &leaf.priority_acls);
            }
        }
    }
}

//! Queues are refreshed from another file, whole or not at all (reference 24).

use crate::capacity::engine::configuration::{CapacityConfiguration, Refresh};
use crate::capacity::engine::settings::unsupported_round;
use crate::capacity::engine::types::Control;
use crate::capacity::tree::RefreshFault;
use crate::config::capacity::PreemptionSettings;
use crate::event::Refused;

impl Control {
    /// The settings of preemption in force, whether its monitor runs by itself or not.
    pub(crate) fn preemption_settings(&self) -> Result<PreemptionSettings, Refused> {
        let read = self.own.configuration.preemption();
        let settings = read.map_err(|error| Refused::BadConfiguration(error.to_string()))?;
        match unsupported_round(self.own.tree.file.settings(), &settings) {
            Some(missing) => Err(Refused::BadConfiguration(missing.to_string())),
            None => Ok(settings),
        }
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
            Ok(configuration) => self.take_over(configuration),
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
        let again = self.take_over(old);
        let why = format!("Failed to re-init queues : {fault}");
        debug_assert!(again.is_ok(), "nothing has changed");
        Err(Refused::BadConfiguration(why))
    }

    fn take_over(&mut self, configuration: CapacityConfiguration) -> Result<(), RefreshFault> {
        let apps = |slot: u32| u32::try_from(self.own.applications(slot)).unwrap_or_default();
        let cluster = self.nodes.total();
        let plan = {
            let property = |name: &str| configuration.property(name);
            self.own.tree.plan(configuration.file.clone(), &cluster, property, apps)?
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

    /// Queues that have come get a place in the engine's tree. Slots are the same in both: none is ever given up.
    fn take_queues_over(&mut self) {
        self.own.make_room();
        for slot in self.tree.width()..self.own.tree.len() {
            let node = self.own.tree.get(u32::try_from(slot).expect("slots are u32"));
            let (path, parent, leaf) = (node.config.path.clone(), node.parent, node.config.kind.is_leaf());
            self.tree.add(&path, parent, leaf, ());
            self.children_changed.extend(parent);
        }
        for slot in self.own.tree.slots() {
            let config = &self.own.tree.get(*slot).config;
            self.acls.set(&config.path, config.acl_submit.clone(), config.acl_administer.clone());
        }
        self.all_dirty();
    }
}

//! What Hadoop looks at last in a refresh, when the queues of the new file are in force already: mapping rules, then
//! priorities of workflows.
//!
//! rules/capacity.md 24; `CapacityScheduler.reinitializeQueues`. Whoever refreshes decides whether that is too late.

use super::error::CapacityFileError;
use super::file::CapacityFile;
use super::settings::CapacitySettings;

/// What is wrong with it, in a file whose queues are right.
#[derive(Debug)]
#[doc(hidden)]
pub enum LateFault {
    /// The mapping rules.
    Rules(CapacityFileError),
    /// The priorities of workflows. The mapping rules are right.
    Workflows(CapacityFileError),
}

impl From<LateFault> for CapacityFileError {
    fn from(fault: LateFault) -> CapacityFileError {
        match fault {
            LateFault::Rules(error) | LateFault::Workflows(error) => error,
        }
    }
}

impl LateFault {
    pub(super) fn map(self, f: impl FnOnce(CapacityFileError) -> CapacityFileError) -> LateFault {
        match self {
            LateFault::Rules(error) => LateFault::Rules(f(error)),
            LateFault::Workflows(error) => LateFault::Workflows(f(error)),
        }
    }
}

impl CapacityFile {
    /// What does not belong to a queue is that of another file.
    pub(super) fn take_common(&mut self, of: &CapacityFile) {
        self.settings = of.settings.clone();
        self.mapping = of.mapping.clone();
        self.workflow_priorities = of.workflow_priorities.clone();
    }

    /// The queues of this file are in force, and nothing else of it but for what Hadoop has read by then: the largest
    /// container, what leaf queues keep of the scheduler's settings, and mapping rules that are right. `before`: what
    /// was in force.
    #[doc(hidden)]
    pub fn keep_common(&mut self, before: &CapacityFile, fault: &LateFault) {
        let (new, rules) = (self.settings.clone(), self.mapping.clone());
        self.take_common(before);
        self.settings = CapacitySettings {
            maximum: new.maximum,
            node_locality_delay: new.node_locality_delay,
            rack_locality_additional_delay: new.rack_locality_additional_delay,
            rack_locality_full_reset: new.rack_locality_full_reset,
            reservations_continue_look_all_nodes: new.reservations_continue_look_all_nodes,
            ..self.settings.clone()
        };
        if let LateFault::Workflows(_) = fault {
            self.mapping = rules;
            self.settings.queue_mappings_override = new.queue_mappings_override;
            self.settings.workflow_priority_mappings_override = new.workflow_priority_mappings_override;
        }
    }
}

//! The policies that an allocation file may name: Hadoop's own, one of each for all queues, and the embedder's.

use crate::config::PolicyName;
use crate::fair::engine::Control;
use crate::policy::SchedulingPolicy;
use crate::shares::{Drf, Fair, Fifo};
use crate::sync::Arc;

/// See the module's text.
#[derive(Debug)]
pub(super) struct Policies {
    fair: Arc<dyn SchedulingPolicy>,
    fifo: Arc<dyn SchedulingPolicy>,
    drf: Arc<dyn SchedulingPolicy>,
    /// By the names that they had at the start.
    custom: Vec<(String, Arc<dyn SchedulingPolicy>)>,
}

impl Policies {
    pub(super) fn with(custom: Vec<Arc<dyn SchedulingPolicy>>) -> Policies {
        let custom = custom.into_iter().map(|policy| (policy.name().to_owned(), policy)).collect();
        Policies { fair: Arc::new(Fair), fifo: Arc::new(Fifo), drf: Arc::new(Drf), custom }
    }

    pub(super) fn get(&self, name: &PolicyName) -> Arc<dyn SchedulingPolicy> {
        match name {
            PolicyName::Fair => self.fair.clone(),
            PolicyName::Fifo => self.fifo.clone(),
            PolicyName::Drf => self.drf.clone(),
            PolicyName::Custom(name) => self
                .custom
                .iter()
                .find(|(own, _)| own == name)
                .map(|(_, policy)| policy.clone())
                .expect("the allocation file was read with the names of the custom policies"),
        }
    }
}

impl Control {
    /// The names of the embedder's policies, for reading allocation files.
    pub(crate) fn policy_names(&self) -> Vec<String> {
        self.own.policies.custom.iter().map(|(name, _)| name.clone()).collect()
    }

    /// The policy of a queue, by the file in force.
    pub(super) fn policy_for(&self, queue: &str) -> Arc<dyn SchedulingPolicy> {
        self.own.policies.get(self.own.file.policy_of(queue))
    }
}

//! What a configuration asks for that is not built yet: refused when a scheduler is built, with its names.

use super::configuration::CapacityConfiguration;
use crate::config::capacity::{CapacitySettings, PreemptionSettings};

const BY_RESERVED: &str = "yarn.resourcemanager.monitor.capacity.preemption.select_based_on_reserved_containers";
const FOR_UNDERUTILIZED: &str =
    "yarn.scheduler.capacity.ordering-policy.priority-utilization.underutilized-preemption.enabled";

/// Properties that would have an effect in Hadoop and have none here yet.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not built yet: {}", .0.join(", "))]
#[non_exhaustive]
pub struct Unsupported(pub Vec<String>);

/// What of a configuration is not built yet.
pub(crate) fn unsupported(configuration: &CapacityConfiguration) -> Option<Unsupported> {
    let (file, mut missing) = (&configuration.file, Vec::new());
    let settings = file.settings();
    let mut note = |is: bool, what: &str| {
        if is {
            missing.push(what.to_owned());
        }
    };
    note(settings.multi_node_placement, "yarn.scheduler.capacity.multi-node-placement-enabled");
    let round = settings.monitors.preemption.as_ref().and_then(|preemption| unsupported_round(settings, preemption));
    missing.extend(round.into_iter().flat_map(|round| round.0));
    for queue in file.queues() {
        if let Some(label) = queue.capacities.iter().find(|capacity| !capacity.label.is_empty()) {
            missing.push(format!("node labels, as {:?} of {}", label.label, queue.path));
        }
    }
    (!missing.is_empty()).then_some(Unsupported(missing))
}

/// What of a round of the preemption policy is not built yet.
pub(crate) fn unsupported_round(settings: &CapacitySettings, preemption: &PreemptionSettings) -> Option<Unsupported> {
    let selectors = [
        (preemption.select_based_on_reserved_containers, BY_RESERVED),
        (settings.underutilized_preemption, FOR_UNDERUTILIZED),
    ];
    let missing: Vec<String> = selectors.iter().filter(|(is, _)| *is).map(|(_, name)| (*name).to_owned()).collect();
    (!missing.is_empty()).then_some(Unsupported(missing))
}

//! What a configuration asks for that is not supported: refused when a scheduler is built, with its names.

use super::configuration::CapacityConfiguration;

/// Properties that would have an effect in Hadoop and have none here yet.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not supported: {}", .0.join(", "))]
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
    for queue in file.queues() {
        if let Some(label) = queue.capacities.iter().find(|capacity| !capacity.label.is_empty()) {
            missing.push(format!("node labels, as {:?} of {}", label.label, queue.path));
        }
    }
    (!missing.is_empty()).then_some(Unsupported(missing))
}

//! What a configuration asks for that is not built yet: refused when a scheduler is built, with its names.

use super::control::CapacityConfiguration;
use crate::config::capacity::CapacityQueueKind;

/// Properties that would have an effect in Hadoop and have none here yet.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not built yet: {}", .0.join(", "))]
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
    note(settings.schedule_asynchronously, "yarn.scheduler.capacity.schedule-asynchronously.enable");
    note(settings.multi_node_placement, "yarn.scheduler.capacity.multi-node-placement-enabled");
    note(settings.lazy_preemption, "yarn.scheduler.capacity.lazy-preemption-enabled");
    note(settings.monitors.preemption.is_some(), "yarn.resourcemanager.scheduler.monitor.enable (preemption)");
    for queue in file.queues() {
        let dynamic = queue.kind == CapacityQueueKind::ManagedParent
            || queue.as_parent().is_some_and(|parent| parent.flexible_creation.enabled);
        if dynamic {
            missing.push(format!("automatic queues of {}", queue.path));
        }
    }
    (!missing.is_empty()).then_some(Unsupported(missing))
}

//! A queue of the CapacityScheduler, as Java shows it: `ShownQueue.capacity` reads this.

use crate::wire::Writer;
use evenweave::config::capacity::{
    CapacityMode, CapacityQueue, CapacityQueueKind, CapacityQueueRole, CapacityUnit, QueueMaking,
};
use evenweave::view::{CapacityLeafView, CapacityQueueView, CapacityUserView};

pub(crate) fn write(out: &mut Writer, queue: &CapacityQueueView, types: &[String]) {
    out.text(&queue.name);
    out.flag(queue.leaf.is_some());
    out.text(&queue.state);
    out.resource(&queue.maximum_allocation);
    out.float(queue.capacity);
    out.float(queue.maximum_capacity);
    out.float(queue.used_capacity);
    out.float(queue.absolute_capacity);
    out.float(queue.absolute_maximum_capacity);
    out.float(queue.absolute_used_capacity);
    out.resource(&queue.used);
    out.resource(&queue.reserved);
    out.resource(&queue.pending);
    out.resource(&queue.guaranteed);
    out.resource(&queue.maximum);
    out.float(queue.normalized_weight);
    out.long(queue.applications);
    out.long(queue.containers);
    configured(out, &queue.configured, types);
    out.text(creation(queue.making));
    if let Some(of) = &queue.leaf {
        leaf(out, of, &queue.configured);
    }
}

/// What was configured, or follows of it.
fn configured(out: &mut Writer, queue: &CapacityQueue, types: &[String]) {
    let capacities = &queue.capacities[0];
    out.resource(&queue.maximum_allocation);
    out.float(capacities.weight);
    out.resource(&capacities.minimum);
    out.resource(&capacities.maximum);
    out.float(capacities.max_am_resource_percent);
    let part = |index: usize| Some((types.get(index)?, capacities.vector.part(index)?));
    let parts: Vec<_> = (0..types.len()).filter_map(part).collect();
    out.length(parts.len());
    for (name, (unit, value)) in parts {
        out.text(name);
        out.byte(match unit {
            CapacityUnit::Percentage => 0,
            CapacityUnit::Absolute => 1,
            CapacityUnit::Weight => 2,
        });
        out.text(&value.to_string());
    }
    out.int(queue.priority);
    out.int(queue.max_parallel_apps);
    out.flag(queue.mode == CapacityMode::AbsoluteResource);
    out.text(match queue.mode {
        CapacityMode::AbsoluteResource => "absolute",
        CapacityMode::Percentage if capacities.weight >= 0.0 => "weight",
        CapacityMode::Percentage => "percentage",
    });
    let (ordering, eligibility) = match &queue.role {
        CapacityQueueRole::Parent(settings) if settings.managed_creation.is_some() => {
            (settings.ordering.name(), "legacy")
        }
        CapacityQueueRole::Parent(settings) if settings.flexible_creation.enabled => {
            (settings.ordering.name(), "flexible")
        }
        CapacityQueueRole::Parent(settings) => (settings.ordering.name(), "off"),
        CapacityQueueRole::Leaf(settings) => (settings.ordering.name(), "off"),
    };
    out.text(ordering);
    out.text(eligibility);
    out.flag(queue.kind == CapacityQueueKind::ManagedParent);
}

fn creation(of: Option<QueueMaking>) -> &'static str {
    match of {
        None => "static",
        Some(QueueMaking::Managed) => "dynamicLegacy",
        Some(_) => "dynamicFlexible",
    }
}

fn leaf(out: &mut Writer, of: &CapacityLeafView, configured: &CapacityQueue) {
    out.length(of.active_applications);
    out.length(of.pending_applications);
    out.int(of.max_applications);
    out.int(of.max_applications_per_user);
    out.float(of.user_limit);
    out.float(of.user_limit_factor);
    out.float(of.am_percent);
    out.resource(&of.am_limit);
    out.resource(&of.am_used);
    out.resource(&of.user_am_limit);
    out.flag(configured.preemption_disabled);
    out.flag(configured.intra_queue_preemption_disabled);
    out.int(match &configured.role {
        CapacityQueueRole::Leaf(settings) => settings.default_application_priority,
        CapacityQueueRole::Parent(_) => 0,
    });
    out.long(configured.maximum_lifetime_seconds);
    out.long(configured.default_lifetime_seconds);
    out.length(of.users.len());
    of.users.iter().for_each(|of| user(out, of));
}

fn user(out: &mut Writer, of: &CapacityUserView) {
    out.text(&of.user);
    out.resource(&of.used);
    out.int(of.pending_applications);
    out.int(of.active_applications);
    out.resource(&of.am_used);
    out.resource(&of.am_limit);
    out.resource(&of.last_limit);
    out.float(of.weight);
    out.flag(of.is_active);
}

//! A CapacityScheduler as it is shown, whichever driver it has.

use std::collections::HashMap;

use evenweave::config::capacity::{AppOrdering, CapacityQueueRole, QueueTemplates};
use evenweave::reason::CapacityReason;
use evenweave::view::{CapacityAppView, CapacityQueueView, CapacityStats, LabelView, NodeView};
use evenweave::{Capacity, CapacityConfiguration, Resource, SchedulerApi};

use super::asked::{AppFigures, Basics, OfCapacity, Why};
use super::held::Served;

fn is_fair(queue: &CapacityQueueView) -> bool {
    match &queue.configured.role {
        CapacityQueueRole::Leaf(settings) => matches!(settings.ordering, AppOrdering::Fair { .. }),
        CapacityQueueRole::Parent(_) => false,
    }
}

/// What a queue is guaranteed on the nodes of a label, and what part of its parent that is.
fn guaranteed(queue: &CapacityQueueView, label: &str) -> (Resource, f32) {
    if label.is_empty() {
        return (queue.guaranteed, queue.capacity);
    }
    let of_label = queue.partitions.iter().find(|part| part.label == label);
    of_label.map_or((Resource::ZERO, 0.0), |part| (part.guaranteed, part.capacity))
}

/// The figures of applications, each with what its queue is guaranteed. O(queues + applications × labels).
fn figures(
    apps: Vec<CapacityAppView>,
    queues: &[CapacityQueueView],
    cluster: &Resource,
    labels: &[LabelView],
) -> Vec<AppFigures> {
    let queues: HashMap<&str, &CapacityQueueView> = queues.iter().map(|queue| (queue.name.as_str(), queue)).collect();
    let figures = |view: CapacityAppView| {
        let queue = queues.get(view.queue.as_str()).copied();
        let none = if labels.is_empty() { *cluster } else { Resource::ZERO };
        let nodes = labels.iter().find(|label| label.name == view.am_label).map_or(none, |label| label.resource);
        AppFigures {
            number: view.number,
            used: view.partitions.iter().fold(view.used, |sum, part| sum.plus(&part.used)),
            // As in Hadoop's usage report: the guaranteed amount. Without one, the nodes times `capacity`, although
            // that is a part of the parent and not of the nodes.
            queue_part: queue.map_or(Resource::ZERO, |queue| match guaranteed(queue, &view.am_label) {
                (guaranteed, capacity) if guaranteed.is_zero() => nodes.times(f64::from(capacity)),
                (guaranteed, _) => guaranteed,
            }),
            nodes,
            priority: Some(view.priority),
            runnable: view.state != "non-runnable",
            of_capacity: Some(OfCapacity {
                by_fairness: queue.is_some_and(is_fair),
                used: view.used,
                reserved: view.reserved,
                pending: view.pending,
                am: view.am,
                is_active: view.state == "active",
                asks: view.asks,
                partitions: view.partitions,
                am_label: view.am_label,
            }),
            queue: view.queue,
        }
    };
    apps.into_iter().map(figures).collect()
}

/// The most that one container may have: of each resource the configured maximum, but not more than the node with the
/// most of this resource has. These can be different nodes.
fn largest(basics: &Basics, nodes: &[NodeView]) -> Resource {
    let largest = nodes.iter().map(|node| node.total).reduce(|a, b| a.most(&b));
    largest.map_or(basics.maximum, |largest| basics.maximum.least(&largest))
}

/// Whether a queue has this full name, or this as the last part of its full name.
fn has_queue(queues: &[CapacityQueueView], name: &str) -> bool {
    let last = |path: &str| path.rsplit('.').next().is_some_and(|last| last == name);
    queues.iter().any(|queue| queue.name == name || last(&queue.name))
}

/// The queue if it exists, else the nearest queue above it that exists. A name that does not begin with `root.` is
/// returned unchanged.
fn nearest<'a>(queues: &[CapacityQueueView], queue: &'a str) -> &'a str {
    let mut queue = queue;
    while queue.starts_with("root.") && !has_queue(queues, queue) {
        queue = queue.rsplit_once('.').map_or("root", |(above, _)| above);
    }
    queue
}

/// The settings from which YARN creates queues automatically below this queue. `None` if no such queue is configured.
pub(super) fn templates(configuration: &CapacityConfiguration, queue: &str) -> Option<QueueTemplates> {
    let file = configuration.file();
    file.queue_at(queue).map(|queue| file.templates(queue))
}

impl Served for Capacity {
    fn cluster(stats: &CapacityStats) -> Resource {
        stats.cluster
    }

    fn largest(api: &mut impl SchedulerApi<Policy = Capacity>, basics: &Basics) -> Resource {
        largest(basics, &api.nodes())
    }

    fn figures(
        apps: Vec<CapacityAppView>,
        queues: &[CapacityQueueView],
        cluster: &Resource,
        labels: &[LabelView],
    ) -> Vec<AppFigures> {
        figures(apps, queues, cluster, labels)
    }

    fn priority(api: &mut impl SchedulerApi<Policy = Capacity>, number: u32) -> Option<i32> {
        api.app(number).ok().flatten().map(|view| view.priority)
    }

    fn am_label(api: &mut impl SchedulerApi<Policy = Capacity>, number: u32) -> String {
        api.app(number).ok().flatten().map(|view| view.am_label).unwrap_or_default()
    }

    fn capacity_queues(api: &mut impl SchedulerApi<Policy = Capacity>) -> Vec<CapacityQueueView> {
        api.queues().unwrap_or_default()
    }

    fn has_queue(queues: &[CapacityQueueView], name: &str) -> bool {
        has_queue(queues, name)
    }

    fn nearest<'a>(api: &mut impl SchedulerApi<Policy = Capacity>, queue: &'a str) -> &'a str {
        nearest(&Self::capacity_queues(api), queue)
    }

    fn told(reason: CapacityReason, _: &Basics) -> Why {
        Why::told(reason, ToString::to_string)
    }
}

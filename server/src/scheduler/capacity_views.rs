//! Helpers that both of the server's CapacityScheduler drivers share: figures of applications, the largest container,
//! the search for queues by name, and templates of queues.

use std::collections::HashMap;

use evenweave::config::capacity::{AppOrdering, CapacityQueueRole, QueueTemplates};
use evenweave::view::{CapacityAppView, CapacityQueueView, NodeView};
use evenweave::{CapacityConfiguration, Resource};

use super::asked::{AppFigures, Basics, OfCapacity};

fn is_fair(queue: &CapacityQueueView) -> bool {
    match &queue.configured.role {
        CapacityQueueRole::Leaf(settings) => matches!(settings.ordering, AppOrdering::Fair { .. }),
        CapacityQueueRole::Parent(_) => false,
    }
}

/// The figures of applications, each with what its queue is guaranteed. O(queues + applications).
pub(super) fn figures(apps: Vec<CapacityAppView>, queues: &[CapacityQueueView], cluster: &Resource) -> Vec<AppFigures> {
    let queues: HashMap<&str, &CapacityQueueView> = queues.iter().map(|queue| (queue.name.as_str(), queue)).collect();
    let figures = |view: CapacityAppView| {
        let queue = queues.get(view.queue.as_str()).copied();
        AppFigures {
            number: view.number,
            used: view.used,
            // As in Hadoop's usage report: the guaranteed amount. Without one, the cluster times `capacity`, although
            // that is a part of the parent and not of the cluster.
            queue_part: queue.map_or(Resource::ZERO, |queue| match queue.guaranteed.is_zero() {
                true => cluster.times(f64::from(queue.capacity)),
                false => queue.guaranteed,
            }),
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
            }),
            queue: view.queue,
        }
    };
    apps.into_iter().map(figures).collect()
}

/// The most that one container may have: of each resource the configured maximum, but not more than the node with the
/// most of this resource has. These can be different nodes.
pub(super) fn largest(basics: &Basics, nodes: &[NodeView]) -> Resource {
    let largest = nodes.iter().map(|node| node.total).reduce(|a, b| a.most(&b));
    largest.map_or(basics.maximum, |largest| basics.maximum.least(&largest))
}

/// Whether a queue has this full name, or this as the last part of its full name.
pub(super) fn has_queue(queues: &[CapacityQueueView], name: &str) -> bool {
    let last = |path: &str| path.rsplit('.').next().is_some_and(|last| last == name);
    queues.iter().any(|queue| queue.name == name || last(&queue.name))
}

/// The queue if it exists, else the nearest queue above it that exists. A name that does not begin with `root.` is
/// returned unchanged.
pub(super) fn nearest<'a>(queues: &[CapacityQueueView], queue: &'a str) -> &'a str {
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

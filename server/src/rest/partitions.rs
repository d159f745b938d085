//! Figures of queues by partition: of the nodes without a label, and of those of each label.

use std::collections::{HashMap, HashSet};

use evenweave::Resource;
use evenweave::config::capacity::LabelCapacity;
use evenweave::view::{CapacityPartitionView, CapacityQueueView};

use crate::scheduler::Scheduler;

/// How Hadoop calls the nodes without a label.
pub(crate) const DEFAULT_PARTITION: &str = "<DEFAULT_PARTITION>";

/// A queue on the nodes of a label, or on those without one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueuePart<'q> {
    /// Empty for none.
    pub(crate) label: &'q str,
    pub(crate) configured: Option<&'q LabelCapacity>,
    /// Fractions were set, or worked out.
    pub(crate) has_fractions: bool,
    /// Some amount has changed.
    pub(crate) has_amounts: bool,
    pub(crate) capacity: f32,
    pub(crate) absolute_capacity: f32,
    pub(crate) maximum_capacity: f32,
    pub(crate) absolute_maximum_capacity: f32,
    pub(crate) normalized_weight: f32,
    pub(crate) used_capacity: f32,
    pub(crate) absolute_used_capacity: f32,
    pub(crate) guaranteed: Resource,
    pub(crate) maximum: Resource,
    pub(crate) used: Resource,
    pub(crate) reserved: Resource,
    pub(crate) pending: Resource,
    pub(crate) am_limit: Resource,
    pub(crate) am_used: Resource,
    pub(crate) user_am_limit: Resource,
}

fn configured<'q>(queue: &'q CapacityQueueView, label: &str) -> Option<&'q LabelCapacity> {
    queue.configured.capacities.iter().find(|capacity| capacity.label == label)
}

impl<'q> QueuePart<'q> {
    fn default_of(queue: &'q CapacityQueueView) -> QueuePart<'q> {
        let leaf = queue.leaf.as_ref();
        QueuePart {
            label: "",
            configured: configured(queue, ""),
            has_fractions: true,
            has_amounts: true,
            capacity: queue.capacity,
            absolute_capacity: queue.absolute_capacity,
            maximum_capacity: queue.maximum_capacity,
            absolute_maximum_capacity: queue.absolute_maximum_capacity,
            normalized_weight: queue.normalized_weight,
            used_capacity: queue.used_capacity,
            absolute_used_capacity: queue.absolute_used_capacity,
            guaranteed: queue.guaranteed,
            maximum: queue.maximum,
            used: queue.used,
            reserved: queue.reserved,
            pending: queue.pending,
            am_limit: leaf.map_or(Resource::ZERO, |leaf| leaf.am_limit),
            am_used: leaf.map_or(Resource::ZERO, |leaf| leaf.am_used),
            user_am_limit: leaf.map_or(Resource::ZERO, |leaf| leaf.user_am_limit),
        }
    }

    fn labelled(queue: &'q CapacityQueueView, part: &'q CapacityPartitionView) -> QueuePart<'q> {
        QueuePart {
            label: &part.label,
            configured: configured(queue, &part.label),
            has_fractions: part.has_fractions,
            has_amounts: part.has_amounts,
            capacity: part.capacity,
            absolute_capacity: part.absolute_capacity,
            maximum_capacity: part.maximum_capacity,
            absolute_maximum_capacity: part.absolute_maximum_capacity,
            normalized_weight: part.normalized_weight,
            used_capacity: part.used_capacity,
            absolute_used_capacity: part.absolute_used_capacity,
            guaranteed: part.guaranteed,
            maximum: part.maximum,
            used: part.used,
            reserved: part.reserved,
            pending: part.pending,
            am_limit: part.am_limit,
            am_used: part.am_used,
            user_am_limit: part.user_am_limit,
        }
    }

    /// All that there are of a queue, the default partition first.
    pub(crate) fn all(queue: &'q CapacityQueueView) -> impl Iterator<Item = QueuePart<'q>> {
        let labelled = queue.partitions.iter().map(move |part| QueuePart::labelled(queue, part));
        std::iter::once(QueuePart::default_of(queue)).chain(labelled)
    }

    /// That of a label; of one that the queue does not know, the default partition.
    pub(crate) fn of(queue: &'q CapacityQueueView, label: &str) -> QueuePart<'q> {
        QueuePart::all(queue).find(|part| part.label == label).unwrap_or_else(|| QueuePart::default_of(queue))
    }
}

/// The nodes without a label, by name: what metrics of queues are about.
#[derive(Debug)]
pub(crate) struct Unlabelled {
    /// `None`: no node has a label.
    nodes: Option<HashSet<String>>,
    /// What they have together.
    pub(crate) total: Resource,
}

impl Unlabelled {
    pub(crate) fn of(scheduler: &dyn Scheduler) -> Unlabelled {
        let labels = if scheduler.basics().labels { scheduler.labels() } else { Vec::new() };
        match labels.into_iter().find(|label| label.name.is_empty()) {
            Some(label) => Unlabelled { nodes: Some(label.nodes.into_iter().collect()), total: label.resource },
            None => Unlabelled { nodes: None, total: scheduler.cluster() },
        }
    }

    /// Whether there may be nodes with a label.
    pub(crate) fn is_part(&self) -> bool {
        self.nodes.is_some()
    }

    pub(crate) fn has(&self, node: &str) -> bool {
        self.nodes.as_ref().is_none_or(|nodes| nodes.contains(node))
    }
}

/// The label of each node that has one, by the node's name.
#[derive(Debug, Default)]
pub(crate) struct LabelledNodes(HashMap<String, String>);

impl LabelledNodes {
    pub(crate) fn of(scheduler: &dyn Scheduler) -> LabelledNodes {
        if !scheduler.basics().labels {
            return LabelledNodes::default();
        }
        let labelled = scheduler.labels().into_iter().filter(|label| !label.name.is_empty());
        let nodes = labelled.flat_map(|label| label.nodes.into_iter().map(move |node| (node, label.name.clone())));
        LabelledNodes(nodes.collect())
    }

    /// Empty for none.
    pub(crate) fn label(&self, node: &str) -> &str {
        self.0.get(node).map_or("", String::as_str)
    }
}

/// What all nodes of a label have together, or those without one.
pub(crate) fn size_of(scheduler: &dyn Scheduler, label: &str) -> Resource {
    if !scheduler.basics().labels {
        return scheduler.cluster();
    }
    scheduler.labels().iter().find(|of| of.name == label).map_or(Resource::ZERO, |of| of.resource)
}

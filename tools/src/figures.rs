//! A queue, whichever scheduler it is of.

use crate::api::{CapacityPartitionView, CapacityQueueView, QueueView, Resource};

/// A queue.
#[derive(Clone, Debug)]
pub struct QueueFigures {
    /// Its full name.
    pub name: String,
    /// Whether jobs are sent there.
    pub leaf: bool,
    /// By which it divides, or `capacity`.
    pub policy: String,
    /// By containers.
    pub usage: Resource,
    /// What is its due: its instantaneous fair share, or what its capacity guarantees.
    pub share: Resource,
    /// The same whatever the others do: its steady fair share, or what its capacity guarantees.
    pub steady_share: Resource,
    /// What is used and asked for below.
    pub demand: Resource,
    /// The same by node label, the default partition first; empty where no label has figures.
    pub partitions: Vec<PartitionFigures>,
}

/// A queue on the nodes with one label, or on those without.
#[derive(Clone, Debug)]
pub struct PartitionFigures {
    /// The label; empty for the default partition.
    pub label: String,
    /// Whether the queue's asks may name it.
    pub accessible: bool,
    /// By containers.
    pub usage: Resource,
    /// What its capacity guarantees there.
    pub share: Resource,
}

impl From<QueueView> for QueueFigures {
    fn from(view: QueueView) -> QueueFigures {
        QueueFigures {
            name: view.name,
            leaf: view.leaf,
            policy: view.policy,
            usage: view.usage,
            share: view.fair_share,
            steady_share: view.steady_fair_share,
            demand: view.demand,
            partitions: Vec::new(),
        }
    }
}

/// Of all nodes: those of every label, and those without one.
impl From<CapacityQueueView> for QueueFigures {
    fn from(view: CapacityQueueView) -> QueueFigures {
        let of_all = |none: Resource, of: fn(&CapacityPartitionView) -> Resource| {
            view.partitions.iter().fold(none, |sum, partition| sum.saturating_plus(&of(partition)))
        };
        let usage = of_all(view.used.minus(&view.reserved), |partition| partition.used.minus(&partition.reserved));
        let guaranteed = of_all(view.guaranteed, |partition| partition.guaranteed);
        let pending = of_all(view.pending, |partition| partition.pending);
        let partitions = by_label(&view);
        QueueFigures {
            leaf: view.leaf.is_some(),
            policy: "capacity".to_owned(),
            usage,
            share: guaranteed,
            steady_share: guaranteed,
            demand: usage.saturating_plus(&pending),
            name: view.name,
            partitions,
        }
    }
}

fn by_label(view: &CapacityQueueView) -> Vec<PartitionFigures> {
    if view.partitions.is_empty() {
        return Vec::new();
    }
    let unlabelled = PartitionFigures {
        label: String::new(),
        accessible: true,
        usage: view.used.minus(&view.reserved),
        share: view.guaranteed,
    };
    let labelled = view.partitions.iter().map(|partition| PartitionFigures {
        label: partition.label.clone(),
        accessible: view.accessible_labels.iter().any(|label| *label == "*" || *label == partition.label),
        usage: partition.used.minus(&partition.reserved),
        share: partition.guaranteed,
    });
    std::iter::once(unlabelled).chain(labelled).collect()
}

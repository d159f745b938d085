//! A queue, whichever scheduler it is of.

use crate::api::{CapacityQueueView, QueueView, Resource};

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
        }
    }
}

impl From<CapacityQueueView> for QueueFigures {
    fn from(view: CapacityQueueView) -> QueueFigures {
        let usage = view.used.minus(&view.reserved);
        QueueFigures {
            leaf: view.leaf.is_some(),
            policy: "capacity".to_owned(),
            usage,
            share: view.guaranteed,
            steady_share: view.guaranteed,
            demand: usage.plus(&view.pending),
            name: view.name,
        }
    }
}

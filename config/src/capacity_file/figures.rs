//! What the capacities come to on a cluster: fractions of it, amounts, numbers of applications.
//!
//! Follows rules/capacity.md 5.1 and 5.2, and rules/node-labels.md 7. Hadoop computes them when the file is read, on a
//! cluster without nodes, and again whenever the cluster changes. Some are kept from the time before where the new ones
//! would be 0, so they are kept here too.

use super::label_capacity::LabelCapacity;
use super::queue::{CapacityMode, CapacityQueue};
use super::settings::CapacitySettings;
use crate::java;
use evenweave_resource::Resource;
use std::collections::BTreeMap;

/// What a queue comes to on a cluster.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CapacityFigures {
    /// By label, in the order of [`CapacityQueue::capacities`]; the first is that of no label.
    pub labels: Vec<LabelFigures>,
    /// How many applications a leaf may have; 0 of a parent.
    pub max_applications: i32,
    /// How many applications a user may have in a leaf; 0 of a parent.
    pub max_applications_per_user: i32,
}

/// What a queue comes to on the nodes with one label. Fractions are 32-bit floats, as in Hadoop; some may be NaN.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct LabelFigures {
    /// The fraction of the parent that is guaranteed.
    pub capacity: f32,
    /// The fraction of the cluster that is guaranteed.
    pub absolute_capacity: f32,
    /// The fraction of the parent that may be used.
    pub maximum_capacity: f32,
    /// The fraction of the cluster that may be used.
    pub absolute_maximum_capacity: f32,
    /// The weight's part of all weights of siblings; 0 where there is none.
    pub normalized_weight: f32,
    /// What is guaranteed.
    pub effective_minimum: Resource,
    /// What may be used.
    pub effective_maximum: Resource,
}

/// A queue's figures, as they go from one cluster to the next.
pub(super) type State = CapacityFigures;

/// The nodes' resources by label, and their sum.
#[derive(Clone, Debug)]
#[doc(hidden)]
pub struct Cluster {
    by_label: BTreeMap<String, Resource>,
    pub(super) total: Resource,
}

impl From<BTreeMap<String, Resource>> for Cluster {
    fn from(by_label: BTreeMap<String, Resource>) -> Cluster {
        let total = by_label.values().fold(Resource::ZERO, |sum, part| sum.plus(part));
        Cluster { by_label, total }
    }
}

impl From<Resource> for Cluster {
    /// One whose nodes have no labels.
    fn from(total: Resource) -> Cluster {
        Cluster { by_label: BTreeMap::from([(String::new(), total)]), total }
    }
}

impl Cluster {
    /// All nodes.
    #[must_use]
    pub fn total(&self) -> &Resource {
        &self.total
    }

    /// The nodes of a label, or without one.
    #[must_use]
    pub fn of(&self, label: &str) -> Resource {
        self.by_label.get(label).copied().unwrap_or_default()
    }
}

impl CapacityFigures {
    pub(super) fn new(capacities: &[LabelCapacity]) -> State {
        let figures = |capacity: &LabelCapacity| LabelFigures {
            capacity: capacity.capacity,
            maximum_capacity: capacity.maximum_capacity,
            ..LabelFigures::default()
        };
        State { labels: capacities.iter().map(figures).collect(), max_applications: 0, max_applications_per_user: 0 }
    }

    /// Those of a queue as it is read, before the cluster is looked at.
    #[doc(hidden)]
    pub fn read(queue: &CapacityQueue, parent: Option<&State>, settings: &CapacitySettings) -> State {
        let mut state = State::new(&queue.capacities);
        state.update_absolute(&queue.capacities, parent, settings.legacy_queue_mode);
        state
    }

    /// Fractions of the cluster from those of the parent.
    pub(super) fn update_absolute(&mut self, capacities: &[LabelCapacity], parent: Option<&State>, legacy: bool) {
        for (figures, capacity) in self.labels.iter_mut().zip(capacities) {
            figures.update_absolute(&above(capacity, parent), legacy);
        }
    }

    /// Numbers of applications of a leaf.
    pub(super) fn update_applications(&mut self, settings: &CapacitySettings, queue: &CapacityQueue, nodes: bool) {
        let Some(leaf) = queue.as_leaf() else { return };
        let global = settings.global_queue_max_application;
        let base = if global > 0 { global.min(settings.maximum_applications) } else { settings.maximum_applications };
        let mut most = leaf.maximum_applications;
        if most < 0 {
            if !nodes || (global > 0 && queue.mode == CapacityMode::Percentage) {
                most = base;
            } else {
                let by_label = self.labels.iter().zip(&queue.capacities);
                let configured = by_label.filter(|(_, capacity)| capacity.is_configured);
                let parts = configured.map(|(l, _)| java::float_to_int(base as f32 * l.absolute_capacity));
                most = parts.fold(most, i32::max);
            }
        }
        self.max_applications = most;
        self.max_applications_per_user = if leaf.user_limit_factor == -1.0 {
            most
        } else {
            most.min(java::float_to_int(most as f32 * (leaf.user_limit / 100.0) * leaf.user_limit_factor))
        };
    }
}

/// The parent's figures for a label; nothing where it has none. Above root is all.
pub(super) fn above(capacity: &LabelCapacity, parent: Option<&State>) -> LabelFigures {
    match (parent, capacity.parent_slot) {
        (None, _) => LabelFigures { absolute_capacity: 1.0, absolute_maximum_capacity: 1.0, ..LabelFigures::default() },
        (Some(parent), Some(slot)) => parent.labels[slot],
        (Some(_), None) => LabelFigures::default(),
    }
}

impl LabelFigures {
    pub(super) fn update_absolute(&mut self, above: &LabelFigures, legacy: bool) {
        // Of percentage and weight one is 0.
        let capacity = if legacy { java::max(self.capacity, self.normalized_weight) } else { self.capacity };
        if !legacy || capacity > 0.0 {
            self.absolute_capacity = capacity * above.absolute_capacity;
        }
        if self.maximum_capacity > 0.0 {
            self.absolute_maximum_capacity = self.maximum_capacity * above.absolute_maximum_capacity;
        }
    }

    /// A part of the parent, and what may be used of it.
    #[doc(hidden)]
    pub fn entitle(&mut self, above: &LabelFigures, part: f32, most: f32) {
        (self.capacity, self.maximum_capacity) = (part, most);
        self.absolute_capacity = above.absolute_capacity * part;
        self.absolute_maximum_capacity = above.absolute_maximum_capacity * most;
    }

    /// Fractions of the parent from amounts. What is not finite counts as none, but NaN stays.
    pub(super) fn derive(&mut self, settings: &CapacitySettings, cluster: &Resource, above: &LabelFigures) {
        let divide = |own: &Resource, parent: &Resource| {
            let part = settings.calculator.divide(settings.types.len(), cluster, own, parent);
            if part.is_infinite() { 0.0 } else { part }
        };
        self.capacity = divide(&self.effective_minimum, &above.effective_minimum);
        self.maximum_capacity = divide(&self.effective_maximum, &above.effective_maximum);
    }
}

/// Which queues' figures are worked out.
pub(super) struct Touched {
    /// By place; empty for all.
    is: Vec<bool>,
    pub(super) top: Option<usize>,
}

impl Touched {
    pub(super) fn below(queues: &[CapacityQueue], top: Option<usize>) -> Touched {
        let mut is = Vec::new();
        if let Some(top) = top {
            is.resize(queues.len(), false);
            for (index, queue) in queues.iter().enumerate() {
                is[index] = index == top || queue.parent.is_some_and(|parent| is[parent]);
            }
        }
        Touched { is, top }
    }

    pub(super) fn has(&self, index: usize) -> bool {
        self.top.is_none() || self.is[index]
    }
}

//! What a queue is configured to have of the nodes with one label.

use super::vector::{CapacityUnit, CapacityVector};
use evenweave_resource::Resource;
use std::collections::BTreeMap;

/// What a queue is to have of the nodes with one label, as configured.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LabelCapacity {
    /// The label; empty for nodes without one.
    pub label: String,
    /// The file says something of the queue for this label, as it does for the empty one. Else the queue only knows the
    /// label from before a refresh: it has nothing of it, and takes part in the rules for siblings.
    pub is_configured: bool,
    /// `capacity` as a fraction of the parent; 0 where it is no percentage.
    pub capacity: f32,
    /// `maximum-capacity` as a fraction of the parent; 1 where it is no percentage.
    pub maximum_capacity: f32,
    /// `capacity` as a weight; -1 where it is none.
    pub weight: f32,
    /// `maximum-am-resource-percent`, a fraction.
    pub max_am_resource_percent: f32,
    /// `capacity` as amounts; nothing where it is none.
    pub minimum: Resource,
    /// `maximum-capacity` as amounts, or the parent's where only `capacity` is; nothing where it is none.
    pub maximum: Resource,
    /// `capacity` as it counts with the legacy queue mode off.
    pub vector: CapacityVector,
    /// `maximum-capacity` as it counts with the legacy queue mode off: no amount is no limit.
    pub maximum_vector: CapacityVector,
    /// Where the label stands among the parent's.
    pub(super) parent_slot: Option<usize>,
}

impl LabelCapacity {
    /// Sets the capacities to these fractions of the parent.
    pub(super) fn entitle(&mut self, part: f32, most: f32) {
        (self.capacity, self.maximum_capacity) = (part, most);
        self.fix_vectors(part, most);
    }

    /// Sets the vectors to these fractions of every type.
    pub(super) fn fix_vectors(&mut self, capacity: f32, maximum: f32) {
        let percent = |fraction: f32| CapacityVector::uniform(CapacityUnit::Percentage, f64::from(fraction * 100.0));
        self.vector = percent(capacity);
        self.maximum_vector = percent(maximum);
    }
}

/// The labels of which a queue had a fraction at some time. As in Hadoop it knows them as long as it is there.
#[derive(Clone, Debug, PartialEq)]
#[doc(hidden)]
pub struct KnownLabels {
    /// A queue that becomes one of the other kind is a new one, and knows nothing.
    pub is_leaf: bool,
    /// With the share of AMs, which stays when the file says nothing of the label any more.
    pub am_percents: BTreeMap<String, f32>,
}

impl KnownLabels {
    /// Those of a queue; `None` where it knows the empty one alone.
    #[doc(hidden)]
    #[must_use]
    pub fn of(is_leaf: bool, capacities: &[LabelCapacity]) -> Option<KnownLabels> {
        let labelled = capacities.iter().filter(|capacity| !capacity.label.is_empty());
        let am_percents: BTreeMap<String, f32> =
            labelled.map(|capacity| (capacity.label.clone(), capacity.max_am_resource_percent)).collect();
        (!am_percents.is_empty()).then_some(KnownLabels { is_leaf, am_percents })
    }
}

//! Figures with the legacy queue mode: percentages, weights or amounts, one of them for all siblings.
//!
//! Follows rules/capacity.md 5.1 and rules/node-labels.md 7.2; `AbstractParentQueue.updateClusterResourceLegacyMode`
//! and `AbstractCSQueue.updateEffectiveResources`. From root down; cost: O(labels of all queues).

use super::error::{CapacityFault, CapacityFileError};
use super::figures::{Cluster, LabelFigures, State, Touched, above};
use super::queue::{CapacityMode, CapacityQueue};
use super::settings::CapacitySettings;
use super::siblings::{self, Kind, Labels};
use super::source::Source;
use crate::java;
use evenweave_resource::{MAX_TYPES, Resource};
use std::cmp::Ordering;

/// By how much the amounts of children shrink, type by type; `None` where they do not.
type Ratios = [Option<f32>; MAX_TYPES];

pub(super) fn update(
    settings: &CapacitySettings,
    queues: &[CapacityQueue],
    states: &mut [State],
    cluster: &Cluster,
    touched: Touched,
) -> Result<(), CapacityFileError> {
    let above_top = touched.top.and_then(|top| queues[top].parent);
    // The ratios of each parent, for each of its labels.
    let mut ratios: Vec<Vec<Ratios>> = vec![Vec::new(); queues.len()];
    for (index, queue) in queues.iter().enumerate() {
        if !touched.has(index) {
            if above_top == Some(index) {
                ratios[index] = ratios_of(settings, queues, states, index, cluster);
            }
            continue;
        }
        let (before, rest) = states.split_at_mut(index);
        let parent = queue.parent.map(|parent| &before[parent]);
        let own = &mut rest[0];
        if queue.parent.is_none() {
            for (figures, capacity) in own.labels.iter_mut().zip(&queue.capacities) {
                if capacity.weight > 0.0 {
                    figures.normalized_weight = 1.0;
                }
            }
        }
        own.update_absolute(&queue.capacities, parent, true);
        // What a label that is not configured any more had stays.
        for (slot, capacity) in queue.capacities.iter().enumerate().filter(|(_, capacity)| capacity.is_configured) {
            let figures = &mut own.labels[slot];
            let nodes = cluster.of(&capacity.label);
            let Some(parent) = queue.parent else {
                (figures.effective_minimum, figures.effective_maximum) = (nodes, nodes);
                continue;
            };
            let above = above(capacity, Some(&before[parent]));
            if queue.mode == CapacityMode::Percentage {
                figures.effective_minimum = nodes.times(f64::from(figures.absolute_capacity));
                figures.effective_maximum = nodes.times(f64::from(figures.absolute_maximum_capacity));
                continue;
            }
            let Some(parent_slot) = capacity.parent_slot else {
                let (parent, label) = (queues[parent].path.clone(), capacity.label.clone());
                let property = Source::of_label(&parent, &label, "capacity");
                return Err(CapacityFileError::new(property, CapacityFault::LabelWithoutParent { parent, label }));
            };
            figures.effective_minimum = shrink(&capacity.minimum, &ratios[parent][parent_slot]);
            let maximum = queues[parent].capacities[parent_slot].maximum;
            let parent_maximum = if maximum == Resource::ZERO { above.effective_maximum } else { maximum };
            figures.effective_maximum = least_of(settings, &nodes, &capacity.maximum, &parent_maximum);
            derive(figures, settings, &cluster.total, &above);
        }
        if queue.kind.is_leaf() {
            own.update_applications(settings, queue, true);
        } else {
            weigh(queues, states, index)?;
            ratios[index] = ratios_of(settings, queues, states, index, cluster);
        }
    }
    Ok(())
}

fn derive(figures: &mut LabelFigures, settings: &CapacitySettings, cluster: &Resource, above: &LabelFigures) {
    figures.derive(settings, cluster, above);
    figures.absolute_capacity = figures.capacity * above.absolute_capacity;
    figures.absolute_maximum_capacity = figures.maximum_capacity * above.absolute_maximum_capacity;
}

/// The smaller of a queue's own maximum and its parent's, one of the two as a whole.
fn least_of(settings: &CapacitySettings, nodes: &Resource, own: &Resource, parent: &Resource) -> Resource {
    let compared = settings.calculator.compare(settings.types.len(), nodes, own, parent, false);
    if *own == Resource::ZERO || compared == Ordering::Greater { *parent } else { *own }
}

fn shrink(minimum: &Resource, ratios: &Ratios) -> Resource {
    Resource::from_fn(|i| match ratios[i] {
        // A 32-bit product, as in Hadoop.
        Some(ratio) => java::float_to_long(minimum.get(i) as f32 * ratio),
        None => minimum.get(i),
    })
}

/// Divides among the children by weight, where that is how they divide.
fn weigh(queues: &[CapacityQueue], states: &mut [State], parent: usize) -> Result<(), CapacityFileError> {
    let children = &queues[parent].children;
    if siblings::kind(queues, states, parent, children, Labels::Known)? != Kind::Weight {
        return Ok(());
    }
    let mut sums = vec![0.0_f32; queues[parent].capacities.len()];
    let slots = |child: usize| {
        let capacities = queues[child].capacities.iter().enumerate();
        capacities.filter_map(|(slot, capacity)| Some((slot, capacity.parent_slot?, capacity.weight)))
    };
    for child in children {
        for (_, parent_slot, weight) in slots(*child) {
            sums[parent_slot] += java::max(0.0, weight);
        }
    }
    for child in children {
        for (slot, parent_slot, weight) in slots(*child) {
            let sum = sums[parent_slot];
            if f64::from(sum.abs()) > 1e-6 {
                states[*child].labels[slot].normalized_weight = weight / sum;
            }
        }
    }
    Ok(())
}

/// Amounts that together are more than the parent's shrink in proportion, each type by itself.
fn ratios_of(
    settings: &CapacitySettings,
    queues: &[CapacityQueue],
    states: &[State],
    parent: usize,
    cluster: &Cluster,
) -> Vec<Ratios> {
    let types = settings.types.len();
    let root = queues[parent].parent.is_none();
    let sums = siblings::minimums(queues, parent);
    let ratios = |(figures, sum): (&LabelFigures, Resource)| {
        let own = figures.effective_minimum;
        let short = settings.calculator.compare(types, &cluster.total, &own, &sum, false) == Ordering::Less;
        let shrinks = short && !(root && own == Resource::ZERO);
        let ratio = |i| (i < types && shrinks && sum.get(i) != 0).then(|| own.get(i) as f32 / sum.get(i) as f32);
        std::array::from_fn(ratio)
    };
    states[parent].labels.iter().zip(sums).map(ratios).collect()
}

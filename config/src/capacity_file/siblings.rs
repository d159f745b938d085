//! What the capacities of a parent's children must be together, with the legacy queue mode.
//!
//! Follows rules/capacity.md 4.2 and rules/node-labels.md 7.1; `AbstractParentQueue.setChildQueues`. Percentages,
//! weights and amounts must not be mixed, percentages must add up to 100 and amounts fit in the parent's. Cost:
//! O(labels of the parent and its children).

use super::error::{CapacityFault, CapacityFileError};
use super::figures::State;
use super::queue::CapacityQueue;
use super::settings::CapacitySettings;
use super::source::Source;
use crate::java;
use crate::quoted::resource_text;
use evenweave_resource::Resource;
use std::cmp::Ordering;

/// Sums of percentages are compared to so much.
const PRECISION: f32 = 0.0005;
/// So much of what the children use is told.
const LONGEST: usize = 4096;

/// How a set of queues divides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Weight,
    Absolute,
    Percent,
}

/// Which labels of the parent count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Labels {
    /// Those of which the file speaks. Hadoop reads a file into new queues first, which know no others.
    Configured,
    /// Those too that it knows from before.
    Known,
}

impl Labels {
    fn count(self, parent: &CapacityQueue, slot: usize) -> bool {
        self == Labels::Known || parent.capacities[slot].is_configured
    }
}

/// How these queues divide, seen from `parent`; its labels alone count. A list of queues of several kinds is an error.
pub(super) fn kind(
    queues: &[CapacityQueue],
    states: &[State],
    parent: usize,
    of: &[usize],
    labels: Labels,
) -> Result<Kind, CapacityFileError> {
    let (mut percent, mut weight, mut absolute) = (false, false, false);
    let mut details = String::new();
    let mut tell = |queue: &CapacityQueue, label: &str, kind: &str| {
        if details.len() < LONGEST {
            details.push_str(&format!("{{Queue={}, label={label} uses {kind} mode}}. ", queue.path));
        }
    };
    for index in of {
        let queue = &queues[*index];
        for (capacity, state) in queue.capacities.iter().zip(&states[*index].labels) {
            let label = capacity.label.as_str();
            let counts = |slot: usize| labels.count(&queues[parent], slot);
            if *index != parent && !capacity.parent_slot.is_some_and(counts) {
                continue;
            }
            percent |= state.capacity > 0.0;
            if capacity.weight >= 0.0 {
                weight = true;
                tell(queue, label, "weight");
            }
            if capacity.minimum != Resource::ZERO {
                absolute = true;
                // A capacity comes of amounts too, so that it says nothing here. (It forgets earlier ones, as in
                // Hadoop.)
                percent = false;
                tell(queue, label, "absolute");
            }
            if percent {
                tell(queue, label, "percentage");
            }
        }
    }
    let of_root = of.first().is_some_and(|first| queues[*first].parent.is_none());
    if !of_root && [percent, weight, absolute].iter().filter(|kind| **kind).count() > 1 {
        let queue = queues[parent].path.clone();
        let property = Source::of(&queue, "queues");
        return Err(CapacityFileError::new(property, CapacityFault::MixedChildren { queue, details }));
    }
    Ok(match (weight || of.is_empty(), absolute) {
        (true, _) => Kind::Weight,
        (false, true) => Kind::Absolute,
        (false, false) => Kind::Percent,
    })
}

/// rules/capacity.md 4.2. The calculator compares amounts on `cluster`; without it they are not compared.
pub(super) fn check(
    settings: &CapacitySettings,
    queues: &[CapacityQueue],
    states: &[State],
    parent: usize,
    cluster: Option<&Resource>,
    labels: Labels,
) -> Result<(), CapacityFileError> {
    let children = kind(queues, states, parent, &queues[parent].children, labels)?;
    let own = kind(queues, states, parent, &[parent], labels)?;
    if children == Kind::Absolute || own == Kind::Absolute {
        if children != own && queues[parent].parent.is_some() {
            let queue = queues[parent].path.clone();
            return Err(error(&queues[parent], CapacityFault::AbsoluteAndOther { queue }));
        }
        if let Some(cluster) = cluster {
            check_amounts(settings, queues, parent, &queues[parent].children, cluster)?;
        }
    }
    if children == Kind::Percent { check_sums(queues, states, parent, own, labels) } else { Ok(()) }
}

/// Refuses percentages beside amounts, whatever the order of the children.
pub(super) fn check_unmixed(queues: &[CapacityQueue], parent: usize) -> Result<(), CapacityFileError> {
    let children = || queues[parent].children.iter().flat_map(|child| &queues[*child].capacities);
    let amounts = children().any(|capacity| capacity.minimum != Resource::ZERO);
    let percent = children().any(|capacity| capacity.minimum == Resource::ZERO && capacity.capacity > 0.0);
    if !(amounts && percent) {
        return Ok(());
    }
    let queue = queues[parent].path.clone();
    Err(error(&queues[parent], CapacityFault::MixedChildren { queue, details: String::new() }))
}

fn error(queue: &CapacityQueue, fault: CapacityFault) -> CapacityFileError {
    CapacityFileError::new(Source::of(&queue.path, "queues"), fault)
}

/// Whether a parent's amounts hold those of these children, where it has some.
pub(super) fn check_amounts(
    settings: &CapacitySettings,
    queues: &[CapacityQueue],
    parent: usize,
    children: &[usize],
    cluster: &Resource,
) -> Result<(), CapacityFileError> {
    let (queue, types) = (&queues[parent], &settings.types);
    for (capacity, sum) in queue.capacities.iter().zip(minimums_of(queues, parent, children)) {
        let own = capacity.minimum;
        let compared = settings.calculator.compare(types.len(), cluster, &own, &sum, false);
        if own != Resource::ZERO && compared == Ordering::Less {
            let fault = CapacityFault::ParentTooSmall {
                queue: queue.name.clone(),
                parent: resource_text(types, &own),
                children: resource_text(types, &sum),
            };
            return Err(error(queue, fault));
        }
    }
    Ok(())
}

/// The sums of the children's minimums, for each label of the parent.
pub(super) fn minimums(queues: &[CapacityQueue], parent: usize) -> Vec<Resource> {
    minimums_of(queues, parent, &queues[parent].children)
}

fn minimums_of(queues: &[CapacityQueue], parent: usize, children: &[usize]) -> Vec<Resource> {
    let mut sums = vec![Resource::ZERO; queues[parent].capacities.len()];
    for child in children {
        for capacity in &queues[*child].capacities {
            if let Some(slot) = capacity.parent_slot {
                sums[slot] = sums[slot].plus(&capacity.minimum);
            }
        }
    }
    sums
}

fn check_sums(
    queues: &[CapacityQueue],
    states: &[State],
    parent: usize,
    own: Kind,
    labels: Labels,
) -> Result<(), CapacityFileError> {
    let queue = &queues[parent];
    let mut sums = vec![0.0_f32; queue.capacities.len()];
    for child in &queue.children {
        for (capacity, state) in queues[*child].capacities.iter().zip(&states[*child].labels) {
            if let Some(slot) = capacity.parent_slot {
                sums[slot] += state.capacity;
            }
        }
    }
    let zero_allowed = queue.as_parent().is_some_and(|parent| parent.allow_zero_capacity_sum);
    let all = queue.capacities.iter().zip(&states[parent].labels).zip(sums).enumerate();
    for (_, ((capacity, state), sum)) in all.filter(|(slot, _)| labels.count(queue, *slot)) {
        let strict = own == Kind::Percent && !zero_allowed;
        let rule = if (1.0 - sum).abs() > PRECISION {
            if sum.abs() > PRECISION {
                Some("It should be either 0 or 1.0".to_owned())
            } else if strict && state.capacity.abs() > PRECISION {
                Some(
                    "It is set to 0, but parent percent != 0, and doesn't allow children capacity to set to 0"
                        .to_owned(),
                )
            } else {
                None
            }
        } else if strict && state.capacity.abs() <= 0.0 {
            Some(format!("queue={} has zero capacity, but childqueues have positive capacities", queue.name))
        } else {
            None
        };
        if let Some(rule) = rule {
            let (label, sum) = (capacity.label.clone(), java::float_text(sum));
            return Err(error(queue, CapacityFault::CapacitySum { queue: queue.name.clone(), label, sum, rule }));
        }
    }
    Ok(())
}

//! Figures with the legacy queue mode off: each type of a queue's capacity is a percentage, an amount or a weight.
//!
//! Follows rules/capacity.md 4.3 and rules/node-labels.md 20; `CapacitySchedulerQueueCapacityHandler` and
//! `ResourceCalculationDriver`. Of each type of what a parent has, amounts take first, then percentages of what they
//! left, then weights divide the rest. Doubles throughout, NaN where a cluster or a parent has nothing. From root down;
//! cost: O(labels of all queues).

use super::error::{CapacityFault, CapacityFileError};
use super::figures::{Cluster, State, Touched, above};
use super::queue::CapacityQueue;
use super::settings::{CapacitySettings, LEGACY_QUEUE_MODE};
use super::skeleton::CapacityQueueKind;
use super::source::Source;
use super::vector::{CapacityUnit, CapacityVector};
use crate::java;
use crate::site::SiteProperties;
use evenweave_resource::{MAX_TYPES, Resource, Unit, f64_to_i64};

/// Amounts take before percentages, and they before weights.
const ORDER: [CapacityUnit; 3] = [CapacityUnit::Absolute, CapacityUnit::Percentage, CapacityUnit::Weight];
const NO_LIMIT: (CapacityUnit, f64) = (CapacityUnit::Absolute, 0.0);

pub(super) fn update(
    settings: &CapacitySettings,
    queues: &[CapacityQueue],
    states: &mut [State],
    cluster: &Cluster,
    fractions: MixedFractions,
    touched: Touched,
) -> Result<(), CapacityFileError> {
    let types = settings.types.len();
    let nodes = (0..types).any(|i| cluster.total.get(i) > 0);
    // The sums of the children's weights, of each parent and each of its labels.
    let mut weights: Vec<Vec<[f64; MAX_TYPES]>> = vec![Vec::new(); queues.len()];
    for (index, queue) in queues.iter().enumerate() {
        if !touched.has(index) {
            continue;
        }
        match queue.parent {
            // What it has itself stays as it is: only what it divides is divided anew.
            Some(_) if touched.top == Some(index) => {}
            None => update_root(queue, &mut states[index], cluster),
            Some(parent) => {
                let (before, rest) = states.split_at_mut(index);
                let sums = (fractions == MixedFractions::ByKind).then(|| &weights[parent][..]);
                update_fractions(settings, queue, &before[parent], &mut rest[0], cluster, sums);
                rest[0].update_applications(settings, queue, nodes);
            }
        }
        if !queue.children.is_empty() {
            let division = Division::new(settings, queues, states, index, cluster)?;
            weights[index] = division.labels.iter().map(|label| label.weights).collect();
            division.divide(states)?;
        }
    }
    Ok(())
}

fn update_root(root: &CapacityQueue, state: &mut State, cluster: &Cluster) {
    let labels = state.labels.iter_mut().zip(&root.capacities);
    for (figures, capacity) in labels.filter(|(_, capacity)| capacity.is_configured) {
        let nodes = cluster.of(&capacity.label);
        (figures.effective_minimum, figures.effective_maximum) = (nodes, nodes);
        figures.absolute_capacity = 1.0;
        if capacity.weight == 1.0 {
            figures.normalized_weight = 1.0;
        }
    }
}

/// Whose fractions follow from the amounts that they were given, while the legacy queue mode is off. Hadoop decides it
/// once, when the ResourceManager starts; a refresh does not change it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MixedFractions {
    /// Everybody's: so where the legacy queue mode was off in the file that the ResourceManager started with.
    #[default]
    Everybody,
    /// Those of queues with some type in amounts; others keep theirs as read, and weights have a normalized one.
    ByKind,
}

impl MixedFractions {
    /// Those of a ResourceManager that starts in this queue mode.
    #[must_use]
    pub fn of_start(legacy_queue_mode: bool) -> MixedFractions {
        if legacy_queue_mode { MixedFractions::ByKind } else { MixedFractions::Everybody }
    }

    /// Those of a scheduler that was given its queues after it had started, as where recordings were made: the mode at
    /// its start is what yarn-site says of it.
    #[must_use]
    pub fn of_site<'a>(site: impl IntoIterator<Item = (&'a str, &'a str)>) -> MixedFractions {
        let site: SiteProperties = site.into_iter().collect();
        MixedFractions::of_start(Source::unlisted(&site).flag(LEGACY_QUEUE_MODE, true))
    }
}

/// Fractions from what the parent gave, label by label. After each, those of all labels are computed anew. `weights`
/// are the sums of those of the parent's children where fractions go by kind.
fn update_fractions(
    settings: &CapacitySettings,
    queue: &CapacityQueue,
    parent: &State,
    own: &mut State,
    cluster: &Cluster,
    weights: Option<&[[f64; MAX_TYPES]]>,
) {
    for (slot, capacity) in queue.capacities.iter().enumerate() {
        let (nodes, above) = (cluster.of(&capacity.label), above(capacity, Some(parent)));
        if !capacity.is_configured {
            own.labels[slot].update_absolute(&above, false);
            continue;
        }
        let of_plan = matches!(queue.kind, CapacityQueueKind::Plan | CapacityQueueKind::Reservation);
        // What a plan has been given stays as long as there are no nodes.
        if of_plan && (0..settings.types.len()).all(|i| nodes.get(i) <= 0) {
            continue;
        }
        let figures = &mut own.labels[slot];
        if slot > 0 {
            figures.update_absolute(&above, false);
        }
        let parts = (0..settings.types.len()).filter_map(|i| Some((i, capacity.vector.part(i)?)));
        let units: Vec<(usize, CapacityUnit, f64)> = parts.map(|(i, (unit, value))| (i, unit, value)).collect();
        let is_amount = units.iter().any(|(_, unit, _)| *unit == CapacityUnit::Absolute);
        if weights.is_none() || is_amount {
            figures.derive(settings, &nodes, &above);
        }
        if let (Some(weights), Some(parent_slot)) = (weights, capacity.parent_slot) {
            let weighted = units.iter().filter(|(_, unit, _)| *unit == CapacityUnit::Weight);
            let shares: Vec<f64> = weighted.map(|(i, _, value)| value / weights[parent_slot][*i]).collect();
            if !shares.is_empty() {
                figures.normalized_weight = java::narrow(shares.iter().sum::<f64>() / shares.len() as f64);
            }
        }
        figures.update_absolute(&above, false);
    }
}

/// How one parent's resources are divided among its children.
struct Division<'a> {
    settings: &'a CapacitySettings,
    queues: &'a [CapacityQueue],
    parent: usize,
    labels: Vec<LabelDivision>,
}

/// The same for one label of the parent.
struct LabelDivision {
    nodes: Resource,
    minimum: Resource,
    maximum: Resource,
    /// What no child has yet.
    left: [f64; MAX_TYPES],
    /// What no child had when the current unit's turn came.
    left_of_turn: [f64; MAX_TYPES],
    /// What the children of the current unit have taken of the current type.
    taken: Option<f64>,
    /// By how much amounts shrink.
    ratios: Option<[f64; MAX_TYPES]>,
    weights: [f64; MAX_TYPES],
}

impl<'a> Division<'a> {
    fn new(
        settings: &'a CapacitySettings,
        queues: &'a [CapacityQueue],
        states: &[State],
        parent: usize,
        cluster: &Cluster,
    ) -> Result<Division<'a>, CapacityFileError> {
        let label = |slot: usize| {
            let figures = &states[parent].labels[slot];
            let all: [f64; MAX_TYPES] = std::array::from_fn(|i| figures.effective_minimum.get(i) as f64);
            LabelDivision {
                nodes: cluster.of(&queues[parent].capacities[slot].label),
                minimum: figures.effective_minimum,
                maximum: figures.effective_maximum,
                left: all,
                left_of_turn: all,
                taken: None,
                ratios: None,
                weights: [0.0; MAX_TYPES],
            }
        };
        let labels = (0..queues[parent].capacities.len()).map(label).collect();
        let mut out = Division { settings, queues, parent, labels };
        out.set_ratios()?;
        for (vector, slot) in out.children() {
            for i in 0..settings.types.len() {
                if let Some((CapacityUnit::Weight, weight)) = vector.part(i) {
                    out.labels[slot].weights[i] += weight;
                }
            }
        }
        Ok(out)
    }

    /// The children's vectors, and for which of the parent's labels they are.
    fn children(&self) -> impl Iterator<Item = (&'a CapacityVector, usize)> + use<'a> {
        let queues = self.queues;
        let capacities = queues[self.parent].children.iter().flat_map(move |child| &queues[*child].capacities);
        capacities.filter_map(|capacity| Some((&capacity.vector, capacity.parent_slot?)))
    }

    /// Amounts that together are more than the parent's shrink in proportion. Leaves made in a managed parent do not:
    /// they have nothing where nothing is left.
    fn set_ratios(&mut self) -> Result<(), CapacityFileError> {
        let (queue, types) = (&self.queues[self.parent], &self.settings.types);
        if queue.kind == CapacityQueueKind::ManagedParent {
            return Ok(());
        }
        let mut sums = vec![[0_i64; MAX_TYPES]; self.labels.len()];
        for (vector, slot) in self.children() {
            for (i, sum) in sums[slot].iter_mut().enumerate().take(types.len()) {
                if let Some((CapacityUnit::Absolute, amount)) = vector.part(i) {
                    *sum = f64_to_i64(*sum as f64 + amount);
                }
            }
        }
        for ((capacity, label), sums) in queue.capacities.iter().zip(&mut self.labels).zip(sums) {
            let property = || Source::of_label(&queue.path, &capacity.label, "capacity");
            if let Some(name) = capacity.vector.unknown() {
                let known = types.names().collect::<Vec<_>>().join(", ");
                let fault = CapacityFault::UnknownResource { name: name.to_owned(), known };
                return Err(CapacityFileError::new(property(), fault));
            }
            if capacity.vector.is_empty() {
                continue;
            }
            for (i, sum) in sums.into_iter().enumerate().take(types.len()).filter(|(_, sum)| *sum != 0) {
                let least = label.minimum.get(i).min(sum) as f32;
                let from = if i == 0 { Unit::MEBI } else { Unit::ONE };
                let to = Unit::parse(types.unit(i)).unwrap_or(from);
                let Some(converted) = from.convert_in_64_bits(sum, to) else {
                    let fault = CapacityFault::AmountTooLarge { text: sum.to_string() };
                    return Err(CapacityFileError::new(property(), fault));
                };
                if converted != 0 {
                    label.ratios.get_or_insert([0.0; MAX_TYPES])[i] = f64::from(least / converted as f32);
                }
            }
        }
        Ok(())
    }

    fn divide(mut self, states: &mut [State]) -> Result<(), CapacityFileError> {
        let queues = self.queues;
        for i in 0..self.settings.types.len() {
            for unit in ORDER {
                for child in &queues[self.parent].children {
                    for (slot, capacity) in queues[*child].capacities.iter().enumerate() {
                        let Some((of, value)) = capacity.vector.part(i).filter(|(of, _)| *of == unit) else { continue };
                        let Some(parent_slot) = capacity.parent_slot else { continue };
                        if !queues[self.parent].capacities[parent_slot].is_configured {
                            continue;
                        }
                        let maximum = capacity.maximum_vector.part(i).unwrap_or(NO_LIMIT);
                        let memory = states[*child].labels[slot].effective_minimum.memory_mb();
                        let Some((minimum, maximum)) = self.share(parent_slot, i, (of, value), maximum, memory) else {
                            let property = Source::of_label(&queues[*child].path, &capacity.label, "maximum-capacity");
                            let fault = CapacityFault::WeightMaximum { name: self.settings.types.name(i).to_owned() };
                            return Err(CapacityFileError::new(property, fault));
                        };
                        let figures = &mut states[*child].labels[slot];
                        figures.effective_minimum = figures.effective_minimum.with(i, self.amount(i, minimum));
                        figures.effective_maximum = figures.effective_maximum.with(i, self.amount(i, maximum));
                        let label = &mut self.labels[parent_slot];
                        label.left[i] -= minimum;
                        label.taken = Some(label.taken.unwrap_or(0.0) + minimum);
                    }
                }
                for label in &mut self.labels {
                    label.left_of_turn[i] -= label.taken.take().unwrap_or(0.0);
                }
            }
        }
        Ok(())
    }

    /// Vcores are at most what an int holds.
    fn amount(&self, i: usize, value: f64) -> i64 {
        let amount = f64_to_i64(value);
        if i == 1 { amount.min(i64::from(i32::MAX)) } else { amount }
    }

    /// A child's minimum and maximum of one type, whole numbers; `None` for a maximum that is a weight. `memory` is its
    /// minimum of memory, which comes first.
    fn share(
        &self,
        slot: usize,
        i: usize,
        (unit, value): (CapacityUnit, f64),
        (maximum_unit, maximum_value): (CapacityUnit, f64),
        memory: i64,
    ) -> Option<(f64, f64)> {
        let label = &self.labels[slot];
        let nodes = label.nodes.get(i) as f64;
        let part_of_nodes = label.minimum.get(i) as f64 / nodes;
        let part_left = label.left_of_turn[i] / label.minimum.get(i) as f64;
        let mut minimum = match unit {
            CapacityUnit::Absolute => (label.ratios.map_or(1.0, |ratios| ratios[i]) * part_left * value).floor(),
            CapacityUnit::Percentage => (nodes * (part_of_nodes * part_left * value / 100.0)).floor(),
            CapacityUnit::Weight => {
                let part = value / label.weights[i];
                let all = part == 1.0;
                java::round(if all { label.left_of_turn[i] } else { nodes * (part_of_nodes * part_left * part) })
            }
        };
        let most = label.maximum.get(i) as f64;
        let mut maximum = match maximum_unit {
            CapacityUnit::Absolute => maximum_value.floor(),
            CapacityUnit::Percentage => (nodes * (most / nodes * maximum_value / 100.0)).floor(),
            CapacityUnit::Weight => return None,
        };
        if i > 0 && memory == 0 {
            minimum = 0.0;
        }
        if maximum == 0.0 || maximum > most {
            maximum = most;
        }
        if maximum < minimum {
            minimum = maximum;
        }
        if minimum > label.left[i] {
            let managed = self.queues[self.parent].kind == CapacityQueueKind::ManagedParent;
            minimum = if managed { 0.0 } else { label.left[i] };
        }
        Some((minimum, maximum))
    }
}

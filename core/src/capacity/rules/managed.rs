//! How a managed parent divides what it has among the leaves that have made themselves in it: each has the template's
//! part, or nothing.
//!
//! Follows rules/capacity.md 26; `ManagedParentQueue` and `GuaranteedOrZeroCapacityOverTimePolicy`. Plain data of
//! whoever owns the tree; 32-bit floats, in the order in which Hadoop adds and subtracts them.

use super::arith::{Arith, TOLERANCE};
use crate::config::capacity::{CapacityFigures, CapacityFile, CapacityMode, CapacityQueue, LabelFigures, LeafTemplate};
use crate::resource::sorted;
use crate::resource::{Resource, f64_to_i64};
use rustc_hash::FxHashSet;

/// As what a leaf counts that has nothing at present: its configured amounts, its capacity with the legacy queue mode
/// off.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Withheld {
    pub(crate) amounts: bool,
    /// The labels of which it has nothing.
    pub(crate) vectors: Vec<String>,
}

/// What a managed parent has on the nodes of one label; each label is divided by itself.
#[derive(Clone, Debug)]
pub(crate) struct Division {
    template: LeafTemplate,
    /// The parent's capacity is one of amounts.
    by_amounts: bool,
    /// What a leaf gets. Fractions of the cluster are as of the last look at the parent's.
    pub(crate) part: Part,
    /// By slot: leaves that have it.
    active: FxHashSet<u32>,
    /// The fraction of the cluster that they have together.
    given: f32,
}

/// Fractions of the parent and of the cluster.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Part {
    pub(crate) capacity: f32,
    pub(crate) maximum_capacity: f32,
    pub(crate) absolute: f32,
    pub(crate) absolute_maximum: f32,
}

/// A leaf, as far as it is divided by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LeafNeeds {
    pub(crate) slot: u32,
    pub(crate) has_applications: bool,
    /// Applications in its lists, and when the first of them was submitted.
    pub(crate) listed: usize,
    pub(crate) first_ms: u64,
}

/// Who loses the part, and who gets it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Turns {
    pub(crate) ends: Vec<u32>,
    pub(crate) begins: Vec<u32>,
}

impl Division {
    /// Before anything was given.
    pub(crate) fn new(
        template: LeafTemplate,
        parent: &CapacityQueue,
        figures: &CapacityFigures,
        arith: Arith,
        cluster: &Resource,
    ) -> Division {
        let LeafTemplate { capacity, maximum_capacity, .. } = template;
        let part = Part { capacity, maximum_capacity, ..Part::default() };
        let by_amounts = parent.mode == CapacityMode::AbsoluteResource;
        let mut out = Division { template, by_amounts, part, active: FxHashSet::default(), given: 0.0 };
        out.measure(parent, &out.above(parent, figures), arith, cluster);
        out
    }

    pub(crate) fn label(&self) -> &str {
        &self.template.label
    }

    /// The parent's figures.
    pub(crate) fn above(&self, parent: &CapacityQueue, figures: &CapacityFigures) -> LabelFigures {
        parent.slot(self.label()).map_or_else(LabelFigures::default, |slot| figures.labels[slot])
    }

    /// Fractions from amounts, where these are configured.
    pub(crate) fn measure(&mut self, parent: &CapacityQueue, figures: &LabelFigures, arith: Arith, cluster: &Resource) {
        if !self.by_amounts {
            return;
        }
        let Some(slot) = parent.slot(self.label()) else { return };
        let (of_parent, part) = (&parent.capacities[slot], &mut self.part);
        part.capacity = arith.divide(cluster, &self.template.minimum, &of_parent.minimum);
        let own = match &self.template.maximum {
            own if *own == Resource::ZERO => of_parent.maximum,
            own => *own,
        };
        let most = arith.least(cluster, &own, &of_parent.maximum);
        part.maximum_capacity = arith.divide(cluster, &most, &of_parent.maximum);
        part.absolute = part.capacity * figures.absolute_capacity;
        part.absolute_maximum = part.maximum_capacity * figures.absolute_maximum_capacity;
    }

    /// Fractions of the cluster from the parent's.
    pub(crate) fn look_at(&mut self, figures: &LabelFigures, legacy: bool) {
        let part = &mut self.part;
        if !legacy || part.capacity > 0.0 {
            part.absolute = part.capacity * figures.absolute_capacity;
        }
        if part.maximum_capacity > 0.0 {
            part.absolute_maximum = part.maximum_capacity * figures.absolute_maximum_capacity;
        }
    }

    /// A leaf comes; whether it has the part from the beginning.
    pub(crate) fn admit(&mut self, leaf: u32, figures: &LabelFigures) -> bool {
        let available = figures.absolute_capacity - self.given + TOLERANCE;
        let has = available >= self.part.absolute;
        if has {
            self.active.insert(leaf);
            self.given += self.part.absolute;
        }
        has
    }

    /// Leaves without applications lose the part; those with the longest waiting applications get it.
    pub(crate) fn turns(&self, leaves: &[LeafNeeds], figures: &LabelFigures) -> Turns {
        let idle = |leaf: &&LeafNeeds| self.active.contains(&leaf.slot) && !leaf.has_applications;
        let ends: Vec<u32> = leaves.iter().filter(idle).map(|leaf| leaf.slot).collect();
        let freed = ends.iter().fold(0.0_f32, |sum, _| sum + self.part.absolute);
        let available = figures.absolute_capacity - self.given + freed + TOLERANCE;
        let mut out = Turns { ends, begins: Vec::new() };
        if !(available >= self.part.absolute && self.part.absolute > 0.0) {
            return out;
        }
        let waiting: usize = leaves.iter().map(|leaf| leaf.listed).sum();
        let parts = f64_to_i64(f64::from(available / self.part.absolute).floor());
        let most = usize::try_from(parts).unwrap_or_default().min(waiting);
        let mut first: Vec<&LeafNeeds> = leaves.iter().filter(|leaf| leaf.listed > 0).collect();
        sorted::by_key(&mut first, |leaf| leaf.first_ms);
        let may = |leaf: &&LeafNeeds| !self.active.contains(&leaf.slot);
        out.begins = first.into_iter().filter(may).map(|leaf| leaf.slot).take(most).collect();
        out
    }

    /// It is as turned.
    pub(crate) fn commit(&mut self, turns: &Turns) {
        let gives = self.part.capacity > 0.0;
        for leaf in turns.ends.iter().chain(turns.begins.iter().filter(|_| !gives)) {
            if self.active.remove(leaf) {
                self.given -= self.part.absolute;
            }
        }
        for leaf in turns.begins.iter().filter(|_| gives) {
            if self.active.insert(*leaf) {
                self.given += self.part.absolute;
            }
        }
    }

    /// What a leaf's figures are from the moment at which it gets the part, or loses it. `nodes`: those of the label.
    pub(crate) fn set(&self, leaf: &CapacityQueue, figures: &mut CapacityFigures, has: bool, nodes: &Resource) {
        let Some(slot) = leaf.slot(self.label()) else { return };
        let figures = &mut figures.labels[slot];
        let part = match has {
            true => self.part,
            false => Part { maximum_capacity: self.part.maximum_capacity, ..Part::default() },
        };
        figures.capacity = part.capacity;
        figures.absolute_capacity = part.absolute;
        figures.maximum_capacity = part.maximum_capacity;
        figures.absolute_maximum_capacity = part.absolute_maximum;
        let in_amounts = leaf.mode == CapacityMode::AbsoluteResource && part.absolute > 0.0;
        figures.effective_minimum =
            if in_amounts { self.template.minimum } else { nodes.times(f64::from(part.absolute)) };
        figures.effective_maximum = nodes.times(f64::from(part.absolute_maximum));
    }

    /// A leaf that was read has nothing at first: `parent` are its parent's figures.
    pub(crate) fn set_to_nothing(&self, leaf: &CapacityQueue, figures: &mut CapacityFigures, parent: &LabelFigures) {
        let Some(slot) = leaf.slot(self.label()) else { return };
        let figures = &mut figures.labels[slot];
        figures.capacity = 0.0;
        figures.absolute_capacity = parent.absolute_capacity * 0.0;
        figures.maximum_capacity = self.part.maximum_capacity;
        figures.absolute_maximum_capacity = parent.absolute_maximum_capacity * self.part.maximum_capacity;
    }
}

/// By label of the template of a managed parent.
pub(crate) fn of_templates(
    templates: &[LeafTemplate],
    parent: &CapacityQueue,
    figures: &CapacityFigures,
    arith: Arith,
    cluster: &Resource,
) -> Vec<Division> {
    templates.iter().map(|template| Division::new(template.clone(), parent, figures, arith, cluster)).collect()
}

/// Of the managed parents of a file that are asked for, by place.
pub(crate) fn divisions_of(
    file: &CapacityFile,
    figures: &[CapacityFigures],
    arith: Arith,
    cluster: &Resource,
    wanted: impl Fn(usize) -> bool,
) -> Vec<(usize, Vec<Division>)> {
    let all = file.queues().iter().enumerate().filter(|(index, _)| wanted(*index));
    let managed = all.filter_map(|(index, queue)| {
        let templates = &queue.as_parent()?.managed_creation.as_ref()?.leaf;
        Some((index, of_templates(templates, queue, &figures[index], arith, cluster)))
    });
    managed.collect()
}

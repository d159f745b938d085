//! What the capacities come to on a cluster: fractions of it, amounts, numbers of applications.
//!
//! Follows rules/capacity.md 5.1 and 5.2. Hadoop computes them when the file is read, on a cluster without nodes, and
//! again whenever the cluster changes. Some are kept from the time before where the new ones would be 0, so they are
//! kept here too.

use super::CapacityFile;
use super::capacities::LabelCapacity;
use super::error::CapacityFileError;
use super::legacy;
use super::mixed::{self, MixedFractions};
use super::queue::{CapacityMode, CapacityQueue, CapacityQueueRole};
use super::settings::CapacitySettings;
use super::siblings;
use super::skeleton::CapacityQueueKind;
use crate::java;
use evenweave_resource::Resource;
use std::collections::BTreeMap;
use std::sync::Arc;

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
pub(super) struct Cluster<'a> {
    by_label: &'a BTreeMap<String, Resource>,
    pub(super) total: Resource,
}

impl<'a> Cluster<'a> {
    pub(super) fn new(by_label: &'a BTreeMap<String, Resource>) -> Cluster<'a> {
        let total = by_label.values().fold(Resource::ZERO, |sum, part| sum.plus(part));
        Cluster { by_label, total }
    }

    pub(super) fn of(&self, label: &str) -> Resource {
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
                let by_label = self.labels.iter().map(|l| java::float_to_int(base as f32 * l.absolute_capacity));
                most = by_label.fold(most, i32::max);
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

/// The figures of all queues on this cluster, from those that they had before.
pub(super) fn update(
    settings: &CapacitySettings,
    queues: &[CapacityQueue],
    states: &mut [State],
    by_label: &BTreeMap<String, Resource>,
    fractions: MixedFractions,
) -> Result<(), CapacityFileError> {
    update_below(settings, queues, states, &Cluster::new(by_label), fractions, None)
}

/// Of this queue and all below it, or of all. With the legacy queue mode off its siblings are worked out with it, as in Hadoop.
fn update_below(
    settings: &CapacitySettings,
    queues: &[CapacityQueue],
    states: &mut [State],
    cluster: &Cluster<'_>,
    fractions: MixedFractions,
    top: Option<usize>,
) -> Result<(), CapacityFileError> {
    if settings.legacy_queue_mode {
        legacy::update(settings, queues, states, cluster, Touched::below(queues, top))
    } else {
        let divided = top.map(|top| queues[top].parent.unwrap_or(top));
        mixed::update(settings, queues, states, cluster, fractions, Touched::below(queues, divided))
    }
}

/// Which queues' figures are worked out.
pub(super) struct Touched {
    /// By place; empty for all.
    is: Vec<bool>,
    pub(super) top: Option<usize>,
}

impl Touched {
    fn below(queues: &[CapacityQueue], top: Option<usize>) -> Touched {
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

impl CapacityFile {
    /// What the capacities come to on a cluster whose nodes have no labels: the figures of [`CapacityFile::queues`], in
    /// their order.
    ///
    /// # Errors
    /// As [`CapacityFile::figures_by_label`].
    pub fn figures(&self, cluster: &Resource) -> Result<Vec<CapacityFigures>, CapacityFileError> {
        self.figures_by_label(&BTreeMap::from([(String::new(), *cluster)]))
    }

    /// The same where nodes have labels: `by_label` has the sum of the nodes with each label, the empty one for nodes
    /// without.
    ///
    /// # Errors
    /// Where Hadoop fails when the nodes come. All that it refuses without nodes has been refused with the file, so that
    /// this is rare.
    pub fn figures_by_label(
        &self,
        by_label: &BTreeMap<String, Resource>,
    ) -> Result<Vec<CapacityFigures>, CapacityFileError> {
        let mut states = Vec::clone(&self.states);
        update(&self.settings, &self.queues, &mut states, by_label, MixedFractions::Everybody)?;
        Ok(states)
    }

    /// The figures of [`CapacityFile::queues`] when a running scheduler has read them, before the cluster is looked at. `before` has
    /// those of a queue that was there already: its normalized weight stays, and its amounts until others are computed.
    #[doc(hidden)]
    pub fn figures_when_read(
        &self,
        before: impl Fn(&CapacityQueue) -> Option<CapacityFigures>,
    ) -> Vec<CapacityFigures> {
        let mut states: Vec<State> = Vec::with_capacity(self.queues.len());
        for queue in self.queues.iter() {
            let mut state = State::new(&queue.capacities);
            if let Some(before) = before(queue) {
                for (new, old) in state.labels.iter_mut().zip(&before.labels) {
                    new.normalized_weight = old.normalized_weight;
                    new.effective_minimum = old.effective_minimum;
                    new.effective_maximum = old.effective_maximum;
                }
            }
            let parent = queue.parent.map(|parent| &states[parent]);
            state.update_absolute(&queue.capacities, parent, self.settings.legacy_queue_mode);
            states.push(state);
        }
        states
    }

    /// The figures of [`CapacityFile::queues`]: those that there are stay as they are, and others are read. `known` has the former.
    #[doc(hidden)]
    pub fn figures_with(&self, known: impl Fn(&CapacityQueue) -> Option<CapacityFigures>) -> Vec<CapacityFigures> {
        let mut states: Vec<State> = Vec::with_capacity(self.queues.len());
        for queue in self.queues.iter() {
            let parent = queue.parent.map(|parent| &states[parent]);
            let state = known(queue).unwrap_or_else(|| State::read(queue, parent, &self.settings));
            states.push(state);
        }
        states
    }

    /// The figures on another cluster, from those before.
    ///
    /// # Errors
    /// As [`CapacityFile::figures_by_label`].
    #[doc(hidden)]
    pub fn update_figures(
        &self,
        states: &mut [CapacityFigures],
        cluster: &Resource,
        fractions: MixedFractions,
    ) -> Result<(), CapacityFileError> {
        update(&self.settings, &self.queues, states, &BTreeMap::from([(String::new(), *cluster)]), fractions)
    }

    /// The same of one queue and those below it; its siblings too with the legacy queue mode off.
    ///
    /// # Errors
    /// As of [`CapacityFile::figures_by_label`]; the figures are then of no use.
    #[doc(hidden)]
    pub fn update_figures_below(
        &self,
        top: usize,
        states: &mut [CapacityFigures],
        cluster: &Resource,
        fractions: MixedFractions,
    ) -> Result<(), CapacityFileError> {
        let by_label = BTreeMap::from([(String::new(), *cluster)]);
        update_below(&self.settings, &self.queues, states, &Cluster::new(&by_label), fractions, Some(top))
    }

    /// What Hadoop compares of the amounts of listed queues when it reads them, on a cluster: without nodes at a start, and with what there is
    /// at a refresh. By memory alone the cluster makes no difference. Cost: O(queues).
    ///
    /// # Errors
    /// Where a maximum is above the parent's, a minimum above the maximum, or a parent's minimum below its children's.
    #[doc(hidden)]
    pub fn check_amounts_on(&self, cluster: &Resource) -> Result<(), CapacityFileError> {
        let (settings, queues) = (&self.settings, &self.queues[..]);
        let listed = |index: &usize| queues[*index].making.is_none();
        for queue in queues.iter().filter(|queue| queue.making.is_none()) {
            let above = queue.parent.map(|parent| &queues[parent]);
            for capacity in &queue.capacities {
                capacity.check_amounts(settings, above, (&queue.path, &queue.path), cluster)?;
            }
        }
        // Children come before their parents.
        for (index, queue) in queues.iter().enumerate().rev().filter(|_| settings.legacy_queue_mode) {
            if queue.kind != CapacityQueueKind::Plan && queue.making.is_none() {
                let children: Vec<usize> = queue.children.iter().copied().filter(listed).collect();
                siblings::check_amounts(settings, queues, index, &children, cluster)?;
            }
        }
        Ok(())
    }

    /// What a running scheduler asks of the children of a parent that was there before: rules/capacity.md 4.2 once
    /// more, with the parent's first answer to whether nothing may be their sum; and that percentages and amounts are
    /// not mixed in any order.
    ///
    /// `were_there` has the places of such parents and their answers. Amounts are compared on this cluster. Cost: O(queues).
    ///
    /// # Errors
    /// Where the children do not go together.
    #[doc(hidden)]
    pub fn check_children_again(
        &mut self,
        were_there: impl IntoIterator<Item = (usize, bool)>,
        cluster: &Resource,
    ) -> Result<(), CapacityFileError> {
        let states: Vec<State> = self.queues.iter().map(|queue| State::new(&queue.capacities)).collect();
        for (parent, allow_zero_capacity_sum) in were_there {
            let settings = self.queues[parent].as_parent();
            if settings.is_some_and(|settings| settings.allow_zero_capacity_sum != allow_zero_capacity_sum)
                && let CapacityQueueRole::Parent(settings) = &mut Arc::make_mut(&mut self.queues)[parent].role
            {
                settings.allow_zero_capacity_sum = allow_zero_capacity_sum;
            }
            if self.settings.legacy_queue_mode && !self.queues[parent].children.is_empty() {
                siblings::check(&self.settings, &self.queues, &states, parent, Some(cluster))?;
                siblings::check_unmixed(&self.queues, parent)?;
            }
        }
        Ok(())
    }
}

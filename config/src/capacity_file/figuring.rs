//! Works out the figures of all queues, or of some.

use super::error::CapacityFileError;
use super::figures::{CapacityFigures, Cluster, State, Touched};
use super::file::CapacityFile;
use super::legacy;
use super::mixed::{self, MixedFractions};
use super::queue::{CapacityQueue, CapacityQueueRole};
use super::settings::CapacitySettings;
use super::siblings::{self, Labels};
use super::skeleton::CapacityQueueKind;
use evenweave_resource::Resource;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The figures of all queues on this cluster, from those that they had before.
pub(super) fn update(
    settings: &CapacitySettings,
    queues: &[CapacityQueue],
    states: &mut [State],
    cluster: &Cluster,
    fractions: MixedFractions,
) -> Result<(), CapacityFileError> {
    update_below(settings, queues, states, cluster, fractions, None)
}

/// Of this queue and all below it, or of all. With the legacy queue mode off its siblings are worked out with it, as in
/// Hadoop.
fn update_below(
    settings: &CapacitySettings,
    queues: &[CapacityQueue],
    states: &mut [State],
    cluster: &Cluster,
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
    /// Where Hadoop fails when the nodes come. All that it refuses without nodes has been refused with the file, so
    /// that this is rare.
    pub fn figures_by_label(
        &self,
        by_label: &BTreeMap<String, Resource>,
    ) -> Result<Vec<CapacityFigures>, CapacityFileError> {
        let mut states = Vec::clone(&self.states);
        let cluster = Cluster::from(by_label.clone());
        update(&self.settings, &self.queues, &mut states, &cluster, MixedFractions::Everybody)?;
        Ok(states)
    }

    /// The figures of [`CapacityFile::queues`] when a running scheduler has read them, before the cluster is looked at.
    /// `before` has a queue that was there already, and its figures: its normalized weights stay, and its amounts until
    /// others are computed; of labels that are not configured any more none are.
    #[doc(hidden)]
    pub fn figures_when_read<'q>(
        &self,
        before: impl Fn(&CapacityQueue) -> Option<(&'q CapacityQueue, &'q CapacityFigures)>,
    ) -> Vec<CapacityFigures> {
        let mut states: Vec<State> = Vec::with_capacity(self.queues.len());
        for queue in self.queues.iter() {
            let mut state = State::new(&queue.capacities);
            if let Some((queue_before, before)) = before(queue) {
                for (new, capacity) in state.labels.iter_mut().zip(&queue.capacities) {
                    let Some(old) = queue_before.slot(&capacity.label).map(|slot| &before.labels[slot]) else {
                        continue;
                    };
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

    /// The figures of [`CapacityFile::queues`]: those that there are stay as they are, and others are read. `known` has
    /// the former.
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
        cluster: &Cluster,
        fractions: MixedFractions,
    ) -> Result<(), CapacityFileError> {
        update(&self.settings, &self.queues, states, cluster, fractions)
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
        cluster: &Cluster,
        fractions: MixedFractions,
    ) -> Result<(), CapacityFileError> {
        update_below(&self.settings, &self.queues, states, cluster, fractions, Some(top))
    }

    /// What Hadoop compares of the amounts of listed queues when it reads them, on a cluster: without nodes at a start,
    /// and with what there is at a refresh. By memory alone the cluster makes no difference. Cost: O(queues).
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
    /// `were_there` has the places of such parents and their answers. Amounts are compared on this cluster. Cost:
    /// O(queues).
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
                siblings::check(&self.settings, &self.queues, &states, parent, Some(cluster), Labels::Known)?;
                siblings::check_unmixed(&self.queues, parent)?;
            }
        }
        Ok(())
    }
}

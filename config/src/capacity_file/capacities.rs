//! The capacities of one queue by label, as configured.
//!
//! Follows rules/capacity.md 4.1 and rules/node-labels.md 7.1; `CSQueueUtils.loadCapacitiesByLabelsFromConf`,
//! `updateConfigurableResourceLimits` and `updateCapacityConfigType` of `AbstractCSQueue`.

use super::amounts::{CAPACITY, MAXIMUM_CAPACITY, absolute, is_absolute, maximum_percent, percent, weight};
use super::defaults::Defaults;
use super::error::{CapacityFault, CapacityFileError};
use super::label_capacity::LabelCapacity;
use super::queue::{CapacityMode, CapacityQueue};
use super::settings::CapacitySettings;
use super::source::Source;
use super::vector::{self, CapacityUnit, CapacityVector};
use crate::quoted::resource_text;
use evenweave_resource::Resource;
use evenweave_resource::sorted;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Which queue's capacities are read, and from where.
pub(super) struct Reader<'a> {
    pub(super) source: &'a Source<'a>,
    pub(super) defaults: &'a Defaults,
    pub(super) settings: &'a CapacitySettings,
    pub(super) path: &'a str,
    pub(super) parent: Option<&'a CapacityQueue>,
    /// The path under which amounts stand: a template's for the default queue of a plan, whose percentages are not
    /// read.
    pub(super) amounts_of: &'a str,
}

impl Reader<'_> {
    fn is_of_template(&self) -> bool {
        self.amounts_of != self.path
    }

    /// Percentages and weights of the labels that are configured, and those that are only `known`, by label.
    pub(super) fn load(
        &self,
        labels: &[&str],
        known: Option<&BTreeMap<String, f32>>,
    ) -> Result<Vec<LabelCapacity>, CapacityFileError> {
        let loaded: Result<Vec<LabelCapacity>, CapacityFileError> =
            labels.iter().map(|label| self.load_one(label)).collect();
        let mut all = loaded?;
        let only_known = known.into_iter().flatten().filter(|(label, _)| !labels.contains(&label.as_str()));
        all.extend(only_known.map(|(label, am_percent)| LabelCapacity {
            is_configured: false,
            max_am_resource_percent: *am_percent,
            ..self.nothing_of(label)
        }));
        sorted::by(&mut all, |a, b| a.label.cmp(&b.label));
        Ok(all)
    }

    /// What has made itself knows the labels that its parent knows: it has a weight there, and nothing besides.
    pub(super) fn know_as_parent(&self, capacities: &mut Vec<LabelCapacity>) {
        for capacity in capacities.iter_mut().filter(|capacity| !capacity.is_configured && capacity.weight == -1.0) {
            capacity.weight = 1.0;
        }
        let of_parent = self.parent.into_iter().flat_map(|parent| &parent.capacities);
        let missing = of_parent.map(|capacity| capacity.label.as_str());
        let missing = missing.filter(|label| capacities.iter().all(|own| own.label != *label));
        let more: Vec<LabelCapacity> = missing
            .map(|label| LabelCapacity { is_configured: false, weight: 1.0, ..self.nothing_of(label) })
            .collect();
        capacities.extend(more);
        sorted::by(capacities, |a, b| a.label.cmp(&b.label));
    }

    fn nothing_of(&self, label: &str) -> LabelCapacity {
        LabelCapacity {
            label: label.to_owned(),
            is_configured: true,
            capacity: 0.0,
            maximum_capacity: 0.0,
            weight: -1.0,
            max_am_resource_percent: 0.0,
            minimum: Resource::ZERO,
            maximum: Resource::ZERO,
            vector: CapacityVector::of_root(),
            maximum_vector: CapacityVector::of_root(),
            parent_slot: self.parent.and_then(|parent| parent.slot(label)),
        }
    }

    fn load_one(&self, label: &str) -> Result<LabelCapacity, CapacityFileError> {
        let mut out = self.nothing_of(label);
        if !self.is_of_template() {
            let root = self.parent.is_none();
            out.capacity = percent(self.source, self.path, label, root)? / 100.0;
            out.maximum_capacity = maximum_percent(self.source, self.path, label, root)? / 100.0;
            out.max_am_resource_percent = self.defaults.am_percent(self.source, self.path, label)?;
            out.weight = weight(self.source, self.path, label)?;
        }
        Ok(out)
    }

    /// Amounts, compared on a cluster where one is given. Where the queue has a minimum alone, its maximum is its
    /// parent's.
    pub(super) fn set_amounts(
        &self,
        capacity: &mut LabelCapacity,
        cluster: Option<&Resource>,
    ) -> Result<(), CapacityFileError> {
        let types = &self.settings.types;
        let property = |key| Source::of_label(self.amounts_of, &capacity.label, key);
        capacity.minimum = absolute(self.source, types, &property(CAPACITY))?;
        capacity.maximum = absolute(self.source, types, &property(MAXIMUM_CAPACITY))?;
        if let Some(cluster) = cluster {
            capacity.check_amounts(self.settings, self.parent, (self.path, self.amounts_of), cluster)?;
        }
        if let Some(parent) = self.parent
            && capacity.maximum == Resource::ZERO
            && capacity.minimum != Resource::ZERO
        {
            capacity.maximum = capacity.maximum_of(parent);
        }
        Ok(())
    }

    /// Vectors. `fixed` are a plan's fractions: it and its default queue go by them, not by what is written.
    pub(super) fn set_vectors(&self, capacity: &mut LabelCapacity, fixed: bool) -> Result<(), CapacityFileError> {
        if self.parent.is_none() {
            return Ok(());
        }
        let types = &self.settings.types;
        let parse = |key| {
            let property = Source::of_label(self.path, &capacity.label, key);
            vector::parse(self.source.text(&property).as_deref(), types, &property)
        };
        let (vector, maximum) = (parse(CAPACITY)?, parse(MAXIMUM_CAPACITY)?);
        let unlimited = CapacityVector::uniform(CapacityUnit::Absolute, 0.0);
        capacity.maximum_vector = if maximum.is_empty() { unlimited } else { maximum };
        capacity.vector = vector;
        if fixed {
            capacity.fix_vectors(capacity.capacity, capacity.maximum_capacity);
        }
        if let Some(weight) = capacity.vector.weight(types.len()) {
            capacity.weight = weight;
        }
        Ok(())
    }

    /// The mode, which is that of every label that is configured.
    pub(super) fn mode(&self, capacities: &[LabelCapacity]) -> Result<CapacityMode, CapacityFileError> {
        let legacy = self.settings.legacy_queue_mode;
        let mode_of = |capacity: &LabelCapacity| {
            let text = || self.source.text(&Source::of_label(self.amounts_of, &capacity.label, CAPACITY));
            let absolute = if legacy {
                text().is_some_and(|text| is_absolute(&text))
            } else {
                capacity.vector.unit(self.settings.types.len()) == Some(CapacityUnit::Absolute)
            };
            if absolute { CapacityMode::AbsoluteResource } else { CapacityMode::Percentage }
        };
        let mode = capacities.first().map_or(CapacityMode::Percentage, mode_of);
        let mut configured = capacities.iter().filter(|capacity| capacity.is_configured);
        let other = configured.find(|capacity| mode_of(capacity) != mode);
        match other.filter(|_| legacy && self.parent.is_some()) {
            None => Ok(mode),
            Some(other) => {
                let property = Source::of_label(self.amounts_of, &other.label, CAPACITY);
                let fault = CapacityFault::BothModes { queue: self.path.to_owned() };
                Err(CapacityFileError::new(property, fault))
            }
        }
    }
}

impl LabelCapacity {
    /// What a parent has at most, for this label.
    fn maximum_of(&self, parent: &CapacityQueue) -> Resource {
        self.parent_slot.map_or(Resource::ZERO, |slot| parent.capacities[slot].maximum)
    }

    /// rules/capacity.md 4.1: a maximum is not above the parent's, and a minimum not above the maximum. The calculator
    /// compares on this cluster. The amounts of the queue of the first path stand under the second.
    pub(super) fn check_amounts(
        &self,
        settings: &CapacitySettings,
        parent: Option<&CapacityQueue>,
        (path, amounts_of): (&str, &str),
        cluster: &Resource,
    ) -> Result<(), CapacityFileError> {
        let types = &settings.types;
        let exceeds = |a: &Resource, b: &Resource| {
            let compared = settings.calculator.compare(types.len(), cluster, a, b, false);
            *b != Resource::ZERO && compared == Ordering::Greater
        };
        let text = |amounts: &Resource| resource_text(types, amounts);
        let wrong = |key, fault| Err(CapacityFileError::new(Source::of_label(amounts_of, &self.label, key), fault));
        let queue = || path.to_owned();
        let (minimum, mut maximum) = (self.minimum, self.maximum);
        if let Some(parent) = parent {
            let above = self.maximum_of(parent);
            if exceeds(&maximum, &above) {
                let (maximum, parent) = (text(&maximum), text(&above));
                return wrong(MAXIMUM_CAPACITY, CapacityFault::AboveParentMaximum { queue: queue(), maximum, parent });
            }
            if maximum == Resource::ZERO && minimum != Resource::ZERO {
                maximum = above;
            }
        }
        if exceeds(&minimum, &maximum) {
            let (minimum, maximum) = (text(&minimum), text(&maximum));
            return wrong(CAPACITY, CapacityFault::AboveMaximum { queue: queue(), minimum, maximum });
        }
        Ok(())
    }
}

//! What templates give queues that have made themselves.
//!
//! Follows rules/capacity.md 26; `AutoCreatedQueueTemplate`, `AutoCreatedLeafQueue` and
//! `AbstractCSQueue.parseAndSetDynamicTemplates`. Pure.

use super::defaults::Defaults;
use super::error::CapacityFileError;
use super::file::CapacityFile;
use super::label_capacity::LabelCapacity;
use super::labels::LabelsByQueue;
use super::made_queues::QueueMaking;
use super::queue::CapacityQueue;
use super::skeleton::BareQueue;
use super::source::{PREFIX, Source};
use super::templates::{LEAF_TEMPLATE, QueueTemplates, TemplateStore};
use super::user_weights::UserWeights;
use super::vector::{CapacityUnit, CapacityVector};
use crate::acl::AccessControlList;
use crate::names::ROOT;
use evenweave_resource::Resource;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// What is set for those among `bare_queues`, by full name, before it is looked at what they are.
pub(super) fn properties(
    source: &Source<'_>,
    defaults: &Defaults,
    templates: &TemplateStore,
    bare_queues: &[BareQueue],
) -> Vec<(String, String)> {
    let mut out = Vec::new();
    for bone in bare_queues {
        let (Some(making), Some(parent)) = (bone.making, bone.parent) else { continue };
        let (path, parent) = (&bone.path, &bare_queues[parent].path);
        match making {
            QueueMaking::Flexible => {
                let mut found = templates.of(parent, depth(source, defaults, parent));
                let own = if bone.kind.is_leaf() { &mut found.leaf } else { &mut found.parent };
                let mut all = std::mem::take(&mut found.common);
                all.append(own);
                let given = |key: &str| source.raw(&Source::of(path, key)).is_some();
                if bone.kind.is_leaf() {
                    // These are set whatever is written for the queue itself.
                    let fixed = [("user-limit-factor", "-1"), ("maximum-am-resource-percent", "1")];
                    out.extend(fixed.map(|(key, value)| (Source::of(path, key), value.to_owned())));
                }
                let from_templates = all.into_iter().filter(|(key, _)| !given(key));
                out.extend(from_templates.map(|(key, value)| (Source::of(path, &key), value)));
            }
            QueueMaking::Managed => {
                let prefix = format!("{PREFIX}{parent}.{LEAF_TEMPLATE}.");
                let template = source.under(&prefix);
                out.extend(template.map(|key| {
                    let value = source.raw(&format!("{prefix}{key}")).unwrap_or_default();
                    (Source::of(path, key), value.to_owned())
                }));
            }
        }
    }
    out
}

/// What is not read from the properties that are set for such a queue.
#[derive(Debug, Default)]
pub(super) struct Apart {
    /// Weights of users are not taken from templates, as in Hadoop: those that the file itself has for the queue.
    pub(super) weights: UserWeights,
    /// Its lists are the templates' alone: who may submit, and who may administer.
    pub(super) lists: [String; 2],
    /// The labels of which the file itself says something for it.
    pub(super) labels: Vec<String>,
}

/// The same of all of them, by path.
pub(super) fn apart(
    source: &Source<'_>,
    defaults: &Defaults,
    templates: &TemplateStore,
    bare_queues: &[BareQueue],
) -> Result<HashMap<String, Apart>, CapacityFileError> {
    let mut out = HashMap::new();
    if bare_queues.iter().all(|bone| bone.making.is_none()) {
        return Ok(out);
    }
    let labels = LabelsByQueue::read(source)?;
    for bone in bare_queues {
        let (Some(making), Some(parent)) = (bone.making, bone.parent) else { continue };
        let parent = &bare_queues[parent].path;
        let lists = match making {
            QueueMaking::Flexible => {
                lists_in(&templates.of(parent, depth(source, defaults, parent)), bone.kind.is_leaf())
            }
            QueueMaking::Managed => ACLS.map(|key| {
                let template = format!("{parent}.{LEAF_TEMPLATE}");
                source.text(&Source::of(&template, key)).unwrap_or_else(|| NOBODY.to_owned())
            }),
        };
        let labels = labels.of(&bone.path).into_iter().map(str::to_owned).collect();
        out.insert(bone.path.clone(), Apart { weights: UserWeights::read(source, &bone.path)?, lists, labels });
    }
    Ok(out)
}

const ACLS: [&str; 2] = ["acl_submit_applications", "acl_administer_queue"];
const NOBODY: &str = " ";

/// The lists that templates give a leaf, or a parent.
fn lists_in(templates: &QueueTemplates, is_leaf: bool) -> [String; 2] {
    let own = if is_leaf { &templates.leaf } else { &templates.parent };
    ACLS.map(|key| own.get(key).or_else(|| templates.common.get(key)).cloned().unwrap_or_else(|| NOBODY.to_owned()))
}

/// How many levels of a path may be `*` in the names of its templates: none of root's.
fn depth(source: &Source<'_>, defaults: &Defaults, path: &str) -> i32 {
    if path == ROOT { 0 } else { defaults.queue_depth(source, path).unwrap_or(0) }
}

/// What such a queue has where neither a template nor the file says.
pub(super) fn complete(
    capacity: &mut LabelCapacity,
    making: QueueMaking,
    given: bool,
    maximum_given: bool,
    legacy: bool,
) {
    let percent = |value| CapacityVector::uniform(CapacityUnit::Percentage, value);
    match making {
        QueueMaking::Flexible => {
            if capacity.vector.is_empty() {
                capacity.vector = CapacityVector::uniform(CapacityUnit::Weight, 1.0);
                capacity.maximum_vector = percent(100.0);
                capacity.weight = 1.0;
            }
            if legacy && capacity.weight == -1.0 {
                capacity.weight = 1.0;
            }
        }
        QueueMaking::Managed => {
            if !given {
                capacity.vector = percent(0.0);
            }
            if !maximum_given {
                capacity.maximum_vector = percent(100.0);
            }
        }
    }
}

impl CapacityFile {
    /// What templates have set for queues that have made themselves.
    #[doc(hidden)]
    pub fn set_by_templates(&self) -> &BTreeMap<String, String> {
        &self.set_by_templates
    }

    /// The lists of a queue that would make itself in this one, which need not be there yet: who may submit, who may
    /// administer.
    #[doc(hidden)]
    pub fn lists_of_new(&self, parent: &str, is_leaf: bool) -> [AccessControlList; 2] {
        let at = self.queue_at(parent).and_then(CapacityQueue::as_parent);
        if let Some(managed) = at.and_then(|parent| parent.managed_creation.as_ref()) {
            let text = |key: &str| managed.template.get(key).map_or(NOBODY, String::as_str);
            return ACLS.map(|key| AccessControlList::parse(text(key)));
        }
        let of_root = self.queues[0].as_parent().map_or(0, |root| root.flexible_creation.maximum_depth);
        let depth = match parent {
            ROOT => 0,
            _ => at.map_or(of_root, |parent| parent.flexible_creation.maximum_depth),
        };
        lists_in(&self.templates.of(parent, depth), is_leaf).map(|text| AccessControlList::parse(&text))
    }

    /// Of a leaf of a managed parent: as long as it has no part of the parent, it counts as configured with nothing.
    /// `vectors`: the labels of which it has none. As in Hadoop amounts go on nodes without a label alone.
    #[doc(hidden)]
    pub fn withhold(&mut self, index: usize, amounts: bool, vectors: &[String]) {
        let capacities = &mut Arc::make_mut(&mut self.queues)[index].capacities;
        if let Some(first) = capacities.first_mut().filter(|_| amounts) {
            first.minimum = Resource::ZERO;
        }
        for capacity in capacities.iter_mut().filter(|capacity| vectors.contains(&capacity.label)) {
            capacity.fix_vectors(0.0, capacity.maximum_capacity);
        }
    }

    /// A leaf of a plan counts as configured with this part of it.
    #[doc(hidden)]
    pub fn entitle(&mut self, index: usize, part: f32, most: f32) {
        Arc::make_mut(&mut self.queues)[index].capacities[0].entitle(part, most);
    }

    /// Whether all children of a queue divide by weight, or it has none: only then does a queue make itself in it.
    #[doc(hidden)]
    pub fn divides_by_weight(&self, parent: &CapacityQueue) -> bool {
        let children = || parent.children.iter().flat_map(|child| &self.queues[*child].capacities);
        parent.children.is_empty() || children().any(|capacity| capacity.weight >= 0.0)
    }
}

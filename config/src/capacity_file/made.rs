//! Queues that have made themselves, as a file is read with them: where they stand, and what templates give them.
//!
//! Follows rules/capacity.md 26; `AutoCreatedQueueTemplate`, `AutoCreatedLeafQueue` and
//! `AbstractCSQueue.parseAndSetDynamicTemplates`. Whoever runs the scheduler keeps the list; the file is read anew with
//! it, so that such a queue is read and checked as a configured one is. Pure.

use super::capacities::LabelCapacity;
use super::defaults::Defaults;
use super::skeleton::Bone;
use super::source::{PREFIX, Source};
use super::templates::{LEAF_TEMPLATE, QueueTemplates, TemplateStore};
use super::user_weights::UserWeights;
use super::vector::{CapacityUnit, CapacityVector};
use super::{CapacityFile, CapacityFileError, CapacityQueue};
use crate::acl::AccessControlList;
use evenweave_resource::Resource;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// How a queue has made itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QueueMaking {
    /// `auto-queue-creation-v2`
    Flexible,
    /// `auto-create-child-queue`: in a managed parent.
    Managed,
}

/// A queue that has made itself.
#[derive(Clone, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct MadeQueue {
    pub path: String,
    pub is_leaf: bool,
    pub making: QueueMaking,
}

/// A leaf in a plan: of a reservation, or of what nobody has reserved.
#[derive(Clone, Debug, PartialEq)]
#[doc(hidden)]
pub struct Reserved {
    pub name: String,
    /// The part of the plan that it has, and the part that it may use.
    pub part: f32,
    pub most: f32,
}

/// All of them.
#[derive(Clone, Debug, Default, PartialEq)]
#[doc(hidden)]
pub struct MadeQueues {
    /// The leaves of plans that there are, by path; a plan that is new has one for all of it.
    pub reserved: BTreeMap<String, Vec<Reserved>>,
    /// In the order in which they have made themselves: a parent before its children.
    pub queues: Vec<MadeQueue>,
    /// Parents that had made themselves and that the file in force lists. They are configured by now; as in Hadoop they
    /// stay parents until the next refresh, whatever the file makes of them.
    pub listed_parents: BTreeSet<String>,
    /// What templates have set, by full name, for those that have gone again too: as in Hadoop it stays until the next refresh.
    pub properties: BTreeMap<String, String>,
}

impl MadeQueues {
    #[doc(hidden)]
    pub fn is_empty(&self) -> bool {
        self.queues.is_empty() && self.reserved.is_empty()
    }
}

/// The same, by what reading looks for.
#[derive(Debug, Default)]
pub(super) struct ByParent<'a> {
    children: HashMap<&'a str, Vec<(&'a str, &'a MadeQueue)>>,
    parents: HashSet<&'a str>,
    reserved: Option<&'a BTreeMap<String, Vec<Reserved>>>,
    /// By the plan's path and the leaf's name.
    leaves: HashMap<(&'a str, &'a str), &'a Reserved>,
}

impl<'a> ByParent<'a> {
    pub(super) fn of(made: &'a MadeQueues) -> ByParent<'a> {
        let mut out = ByParent { reserved: Some(&made.reserved), ..ByParent::default() };
        for (plan, leaves) in &made.reserved {
            out.leaves.extend(leaves.iter().map(|leaf| ((plan.as_str(), leaf.name.as_str()), leaf)));
        }
        out.parents.extend(made.listed_parents.iter().map(String::as_str));
        for queue in &made.queues {
            if let Some((parent, name)) = queue.path.rsplit_once('.') {
                out.children.entry(parent).or_default().push((name, queue));
            }
            if !queue.is_leaf {
                out.parents.insert(&queue.path);
            }
        }
        out
    }

    /// Those in this queue, by their names.
    pub(super) fn children(&self, path: &str) -> &[(&'a str, &'a MadeQueue)] {
        self.children.get(path).map_or(&[], Vec::as_slice)
    }

    /// The leaves of a plan, where it has been one before.
    pub(super) fn reserved(&self, plan: &str) -> Option<&'a [Reserved]> {
        self.reserved?.get(plan).map(Vec::as_slice)
    }

    /// One of them.
    pub(super) fn reserved_leaf(&self, plan: &str, name: &str) -> Option<&'a Reserved> {
        self.leaves.get(&(plan, name)).copied()
    }

    /// It has made itself, and has children or may get some: it stays a parent where it becomes a configured queue.
    pub(super) fn was_parent(&self, path: &str) -> bool {
        self.parents.contains(path)
    }
}

/// What is set for those among `bones`, by full name, before it is looked at what they are.
pub(super) fn properties(
    source: &Source<'_>,
    defaults: &Defaults,
    templates: &TemplateStore,
    bones: &[Bone],
) -> Vec<(String, String)> {
    let mut out = Vec::new();
    for bone in bones {
        let (Some(making), Some(parent)) = (bone.making, bone.parent) else { continue };
        let (path, parent) = (&bone.path, &bones[parent].path);
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
    pub weights: UserWeights,
    /// Its lists are the templates' alone: who may submit, and who may administer.
    pub lists: [String; 2],
}

/// The same of all of them, by path.
pub(super) fn apart(
    source: &Source<'_>,
    defaults: &Defaults,
    templates: &TemplateStore,
    bones: &[Bone],
) -> Result<HashMap<String, Apart>, CapacityFileError> {
    let mut out = HashMap::new();
    for bone in bones {
        let (Some(making), Some(parent)) = (bone.making, bone.parent) else { continue };
        let parent = &bones[parent].path;
        let lists = match making {
            QueueMaking::Flexible => {
                lists_in(&templates.of(parent, depth(source, defaults, parent)), bone.kind.is_leaf())
            }
            QueueMaking::Managed => ACLS.map(|key| {
                let template = format!("{parent}.{LEAF_TEMPLATE}");
                source.text(&Source::of(&template, key)).unwrap_or_else(|| NOBODY.to_owned())
            }),
        };
        out.insert(bone.path.clone(), Apart { weights: UserWeights::read(source, &bone.path)?, lists });
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
    if path == crate::ROOT { 0 } else { defaults.queue_depth(source, path).unwrap_or(0) }
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

    /// The lists of a queue that would make itself in this one, which need not be there yet: who may submit, who may administer.
    #[doc(hidden)]
    pub fn lists_of_new(&self, parent: &str, is_leaf: bool) -> [AccessControlList; 2] {
        let at = self.queue_at(parent).and_then(CapacityQueue::as_parent);
        if let Some(managed) = at.and_then(|parent| parent.managed_creation.as_ref()) {
            let text = |key: &str| managed.template.get(key).map_or(NOBODY, String::as_str);
            return ACLS.map(|key| AccessControlList::parse(text(key)));
        }
        let of_root = self.queues[0].as_parent().map_or(0, |root| root.flexible_creation.maximum_depth);
        let depth = match parent {
            crate::ROOT => 0,
            _ => at.map_or(of_root, |parent| parent.flexible_creation.maximum_depth),
        };
        lists_in(&self.templates.of(parent, depth), is_leaf).map(|text| AccessControlList::parse(&text))
    }

    /// Of a leaf of a managed parent: as long as it has no part of the parent, it counts as configured with nothing.
    #[doc(hidden)]
    pub fn withhold(&mut self, index: usize, amounts: bool, vector: bool) {
        for capacity in &mut Arc::make_mut(&mut self.queues)[index].capacities {
            if amounts {
                capacity.minimum = Resource::ZERO;
            }
            if vector {
                capacity.fix_vectors(0.0, capacity.maximum_capacity);
            }
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

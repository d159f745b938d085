//! Queues that make themselves: which parents may have some, and from which templates.
//!
//! Follows rules/capacity.md 26; `AutoCreatedQueueTemplate` and `ManagedParentQueue`. A template is properties with a
//! queue's prefix cut off, as they stand in the file; what they mean is read when a queue is made of them.

use super::amounts::{CAPACITY, MAXIMUM_CAPACITY, absolute, maximum_percent, percent, weight};
use super::defaults::Defaults;
use super::error::{CapacityFault, CapacityFileError};
use super::keys::QUEUE_KEYS;
use super::labels::{ANY, LabelsByQueue};
use super::source::{PREFIX, Source};
use super::warnings::Warnings;
use crate::java;
use evenweave_resource::{Resource, ResourceTypes};
use std::collections::{BTreeMap, BTreeSet, HashMap};

pub(super) const LEAF_TEMPLATE: &str = "leaf-queue-template";
pub(super) const TEMPLATE: &str = "auto-queue-creation-v2.template";
const MANAGEMENT_POLICY: &str = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.queuemanagement.\
                                 GuaranteedOrZeroCapacityOverTimePolicy";

/// Properties without their queue's prefix, by name.
pub type Template = BTreeMap<String, String>;

/// What queues that make themselves are made from, the flexible way. Nearer paths have won over those with `*`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueueTemplates {
    /// `auto-queue-creation-v2.template.*`
    pub common: Template,
    /// `auto-queue-creation-v2.leaf-template.*`: for leaves, before the above.
    pub leaf: Template,
    /// `auto-queue-creation-v2.parent-template.*`: for parents, before the above.
    pub parent: Template,
}

/// Whether and how many queues make themselves in a parent, the flexible way: parents and leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FlexibleCreation {
    /// `auto-queue-creation-v2.enabled`
    pub enabled: bool,
    /// `auto-queue-creation-v2.max-queues`: the most children.
    pub max_queues: i32,
    /// `auto-queue-creation-v2.maximum-queue-depth`: the most levels below the first queue that was configured.
    pub maximum_depth: i32,
    /// `auto-queue-creation-v2.queue-auto-removal.enable`
    pub auto_removal: bool,
}

/// How leaves are made in a parent, the older way: `auto-create-child-queue`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ManagedCreation {
    /// `auto-create-child-queue.max-queues`
    pub max_queues: i32,
    /// `auto-create-child-queue.fail-on-exceeding-parent-capacity`
    pub fail_on_exceeding_parent_capacity: bool,
    /// `leaf-queue-template.*`
    pub template: Template,
    /// What the template says of capacities.
    #[doc(hidden)]
    pub leaf: Vec<LeafTemplate>,
}

/// The capacities that a leaf of a managed parent has while it has its part, on the nodes of one label.
#[derive(Clone, Debug, PartialEq)]
#[doc(hidden)]
pub struct LeafTemplate {
    /// The label; empty for nodes without one, which come first.
    pub label: String,
    /// Fractions of the parent.
    pub capacity: f32,
    pub maximum_capacity: f32,
    /// Amounts; nothing where there are none.
    pub minimum: Resource,
    pub maximum: Resource,
}

/// The templates of all paths, `*` in a path for any part. They are put together when one is asked for: put together
/// for every parent, they would be as many as parents times properties.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct TemplateStore(HashMap<String, QueueTemplates>);

impl TemplateStore {
    pub(super) fn read(source: &Source<'_>) -> TemplateStore {
        let mut store = TemplateStore::default();
        for tail in source.under(PREFIX) {
            let Some((path, rest)) = tail.split_once(".auto-queue-creation-v2.") else { continue };
            let Some((kind, key)) = rest.split_once('.') else { continue };
            let templates = match kind {
                "template" | "leaf-template" | "parent-template" => store.0.entry(path.to_owned()).or_default(),
                _ => continue,
            };
            let template = match kind {
                "template" => &mut templates.common,
                "leaf-template" => &mut templates.leaf,
                _ => &mut templates.parent,
            };
            let value = source.raw(&format!("{PREFIX}{tail}")).unwrap_or_default();
            template.insert(key.to_owned(), value.to_owned());
        }
        store
    }

    /// Those of the path itself, then of the path with `*` for its last part, for its last two and so on, root aside.
    fn levels(&self, queue: &str, depth: i32) -> Vec<&QueueTemplates> {
        let Ok(depth) = usize::try_from(depth) else { return Vec::new() };
        let mut parts: Vec<&str> = java::split(queue, '.');
        let mut out = Vec::new();
        for level in 0..=depth.min(parts.len() - 1) {
            out.extend(self.0.get(&parts.join(".")));
            let last = parts.len() - 1 - level;
            parts[last] = ANY;
        }
        out
    }

    pub(super) fn of(&self, queue: &str, depth: i32) -> QueueTemplates {
        let mut out = QueueTemplates::default();
        for templates in self.levels(queue, depth) {
            for (from, into) in [
                (&templates.common, &mut out.common),
                (&templates.leaf, &mut out.leaf),
                (&templates.parent, &mut out.parent),
            ] {
                for (key, value) in from {
                    into.entry(key.clone()).or_insert_with(|| value.clone());
                }
            }
        }
        out
    }

    /// What the default queue of a plan gets without being told, and from the plan's templates: properties with their
    /// full names. The former also count against what is written for the queue itself, as in Hadoop.
    pub(super) fn for_default_queue(
        &self,
        source: &Source<'_>,
        defaults: &Defaults,
        plan: &str,
        queue: &str,
    ) -> Vec<(String, String)> {
        let levels = self.levels(plan, defaults.queue_depth(source, plan).unwrap_or(0));
        let nearest = |key: &str| {
            let leaf = levels.iter().find_map(|templates| templates.leaf.get(key));
            leaf.or_else(|| levels.iter().find_map(|templates| templates.common.get(key)))
        };
        let keys = if levels.is_empty() { &[][..] } else { &QUEUE_KEYS[..] };
        let fixed = [("user-limit-factor", "-1"), ("maximum-am-resource-percent", "1")];
        let fixed = fixed.map(|(key, value)| (Source::of(queue, key), value.to_owned()));
        let entries = keys.iter().filter_map(|key| Some((Source::of(queue, key), nearest(key)?.clone())));
        fixed.into_iter().chain(entries.filter(|(property, _)| source.raw(property).is_none())).collect()
    }
}

/// Of every parent, whether or not queues make themselves in it.
pub(super) fn flexible(
    source: &Source<'_>,
    defaults: &Defaults,
    queue: &str,
    warnings: &mut Warnings<'_>,
) -> Result<FlexibleCreation, CapacityFileError> {
    let key = |tail: &str| Source::of(queue, &format!("auto-queue-creation-v2.{tail}"));
    Ok(FlexibleCreation {
        enabled: source.flag(&key("enabled"), false),
        max_queues: warnings.or_default(source.int(&key("max-queues"), 1000), 1000),
        maximum_depth: defaults.queue_depth(source, queue)?,
        auto_removal: source.flag(&key("queue-auto-removal.enable"), true),
    })
}

/// A parent as far as its template depends on it.
pub(super) struct Managed<'a> {
    pub(super) path: &'a str,
    pub(super) absolute: bool,
    pub(super) accessible: &'a BTreeSet<String>,
    pub(super) labels: BTreeSet<&'a str>,
}

/// Reads and checks the template of a managed parent.
pub(super) fn managed(
    source: &Source<'_>,
    defaults: &Defaults,
    labels: &LabelsByQueue<'_>,
    types: &ResourceTypes,
    parent: &Managed<'_>,
    warnings: &mut Warnings<'_>,
) -> Result<ManagedCreation, CapacityFileError> {
    let template = format!("{}.{LEAF_TEMPLATE}", parent.path);
    let of_template = labels.of(&template);
    for label in &of_template {
        let property = Source::of_label(&template, label, CAPACITY);
        if absolute(source, types, &property)? != Resource::ZERO && !parent.absolute {
            let fault = CapacityFault::TemplateMode { queue: parent.path.to_owned() };
            return Err(CapacityFileError::new(property, fault));
        }
    }
    for label in &of_template {
        percent(source, &template, label, false)?;
        maximum_percent(source, &template, label, false)?;
        defaults.am_percent(source, &template, label)?;
        weight(source, &template, label)?;
        if parent.absolute {
            absolute(source, types, &Source::of_label(&template, label, MAXIMUM_CAPACITY))?;
        }
    }
    check_policy(source, parent.path)?;
    let known = |label: &str| match parent.accessible.contains(ANY) {
        true => parent.labels.contains(label),
        false => label.is_empty() || parent.accessible.contains(label),
    };
    if let Some(label) = of_template.iter().find(|label| !known(label)) {
        let fault = CapacityFault::TemplateLabel { label: (*label).to_owned(), queue: parent.path.to_owned() };
        return Err(CapacityFileError::new(Source::of_label(&template, label, CAPACITY), fault));
    }
    let of_label = |label: &&str| -> Result<LeafTemplate, CapacityFileError> {
        Ok(LeafTemplate {
            label: (*label).to_owned(),
            capacity: percent(source, &template, label, false)? / 100.0,
            maximum_capacity: maximum_percent(source, &template, label, false)? / 100.0,
            minimum: absolute(source, types, &Source::of_label(&template, label, CAPACITY))?,
            maximum: absolute(source, types, &Source::of_label(&template, label, MAXIMUM_CAPACITY))?,
        })
    };
    let key = |tail: &str| Source::of(parent.path, &format!("auto-create-child-queue.{tail}"));
    Ok(ManagedCreation {
        max_queues: warnings.or_default(source.int(&key("max-queues"), 1000), 1000),
        fail_on_exceeding_parent_capacity: source.flag(&key("fail-on-exceeding-parent-capacity"), false),
        leaf: of_template.iter().map(of_label).collect::<Result<_, _>>()?,
        template: leaf_template(source, parent.path),
    })
}

pub(super) fn leaf_template(source: &Source<'_>, queue: &str) -> Template {
    let prefix = format!("{PREFIX}{queue}.{LEAF_TEMPLATE}.");
    let value = |tail: &str| source.raw(&format!("{prefix}{tail}")).unwrap_or_default().to_owned();
    source.under(&prefix).map(|tail| (tail.to_owned(), value(tail))).collect()
}

fn check_policy(source: &Source<'_>, queue: &str) -> Result<(), CapacityFileError> {
    let property = Source::of(queue, "auto-create-child-queue.management-policy");
    match source.text(&property) {
        Some(name) if name != MANAGEMENT_POLICY => {
            let what = "AutoCreatedQueueManagementPolicy";
            Err(CapacityFileError::new(property, CapacityFault::UnknownClass { what, name, known: MANAGEMENT_POLICY }))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearer_template_wins() {
        let name = |tail: &str| format!("yarn.scheduler.capacity.{tail}");
        let pairs = [
            (name("root.a.auto-queue-creation-v2.template.capacity"), "1w"),
            (name("root.*.auto-queue-creation-v2.template.capacity"), "2w"),
            (name("root.*.auto-queue-creation-v2.leaf-template.user-limit-factor"), "3"),
            (name("root.a.x.auto-queue-creation-v2.template.capacity"), "4w"),
        ];
        let site = pairs.into_iter().collect();
        let store = TemplateStore::read(&Source::new(&site));
        let templates = store.of("root.a", 2);
        assert_eq!(templates.common, Template::from([("capacity".into(), "1w".into())]));
        assert_eq!(templates.leaf, Template::from([("user-limit-factor".into(), "3".into())]));
        assert_eq!(store.of("root.b", 2).common["capacity"], "2w");
        assert_eq!(store.of("root.b", 0), QueueTemplates::default());
        assert_eq!(store.of("root.b.c", 1), QueueTemplates::default());
    }
}

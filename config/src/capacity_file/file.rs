//! The configuration as it was read.

use super::figures::State;
use super::mapping_rules::MappingRules;
use super::names::QueueNames;
use super::queue::{self, CapacityQueue};
use super::settings::CapacitySettings;
use super::templates::{QueueTemplates, TemplateStore};
use super::workflow::WorkflowPriorities;
use crate::diagnostic::Diagnostic;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The configuration of a CapacityScheduler.
///
/// ```
/// use evenweave::Resource;
/// use evenweave::config::capacity::CapacityFile;
/// let properties = [
///     ("yarn.scheduler.capacity.root.queues", "a,b"),
///     ("yarn.scheduler.capacity.root.a.capacity", "70"),
///     ("yarn.scheduler.capacity.root.b.capacity", "30"),
/// ];
/// let file = CapacityFile::from_properties([], properties).unwrap();
/// let figures = file.figures(&Resource::new(10240, 10)).unwrap();
/// // The fraction is the 32-bit float 0.7, which is a little less.
/// assert_eq!(file.queues()[1].path, "root.a");
/// assert_eq!(figures[1].labels[0].effective_minimum, Resource::new(7167, 6));
///
/// let error = CapacityFile::from_properties([], properties[..2].iter().copied()).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "yarn.scheduler.capacity.root.queues: Illegal capacity sum of 0.7 for children of queue root for label=. It \
///      should be either 0 or 1.0"
/// );
/// ```
#[derive(Clone, Debug)]
pub struct CapacityFile {
    pub(super) settings: CapacitySettings,
    // What grows with the queues is shared by all copies: whoever refreshes keeps the old file, the new one and what is
    // published of it.
    pub(super) queues: Arc<Vec<CapacityQueue>>,
    pub(super) names: Arc<QueueNames>,
    pub(super) templates: Arc<TemplateStore>,
    pub(super) mapping: MappingRules,
    pub(super) workflow_priorities: WorkflowPriorities,
    pub(super) warnings: Arc<Vec<Diagnostic>>,
    /// The figures without nodes, from which those of a cluster come.
    pub(super) states: Arc<Vec<State>>,
    pub(super) set_by_templates: Arc<BTreeMap<String, String>>,
}

impl CapacityFile {
    /// The settings of the whole scheduler.
    #[must_use]
    pub fn settings(&self) -> &CapacitySettings {
        &self.settings
    }

    /// All queues, root first, each before its children.
    #[must_use]
    pub fn queues(&self) -> &[CapacityQueue] {
        &self.queues
    }

    /// The queue of this path or short name; none where several have the short name.
    #[must_use]
    pub fn queue(&self, name: &str) -> Option<&CapacityQueue> {
        self.names.get(name).map(|index| &self.queues[index])
    }

    /// The queue of this path. Where a list names a queue twice, the later one.
    #[must_use]
    pub fn queue_at(&self, path: &str) -> Option<&CapacityQueue> {
        self.index_of(path).map(|index| &self.queues[index])
    }

    /// The place of the queue of this path among [`CapacityFile::queues`].
    #[must_use]
    pub fn index_of(&self, path: &str) -> Option<usize> {
        self.names.by_path(path)
    }

    /// Whether several queues have this short name.
    #[must_use]
    pub fn is_ambiguous(&self, name: &str) -> bool {
        self.names.is_ambiguous(name)
    }

    /// The labels that a queue's applications may ask for, its own or an ancestor's; `*` for any.
    #[must_use]
    pub fn accessible_labels<'q>(&'q self, queue: &'q CapacityQueue) -> &'q BTreeSet<String> {
        queue::accessible(&self.queues, queue.accessible_from)
    }

    /// The labels that applications of a queue ask for where they name none, its own or an ancestor's.
    #[must_use]
    pub fn default_label_expression(&self, queue: &CapacityQueue) -> Option<&str> {
        self.queues[queue.default_label_from?].own_default_label_expression.as_deref()
    }

    /// The weight of a user in a queue: `user-settings.<user>.weight` there or in the nearest ancestor, else 1.
    #[must_use]
    pub fn user_weight(&self, queue: &CapacityQueue, user: &str) -> f32 {
        let above = |queue: &&CapacityQueue| queue.parent.map(|parent| &self.queues[parent]);
        std::iter::successors(Some(queue), above).find_map(|queue| queue.user_weights.get(user)).unwrap_or(1.0)
    }

    /// What queues that make themselves in a parent are made from.
    #[must_use]
    pub fn templates(&self, parent: &CapacityQueue) -> QueueTemplates {
        let depth = match (parent.parent, parent.as_parent()) {
            (Some(_), Some(settings)) => settings.flexible_creation.maximum_depth,
            (None, _) | (_, None) => 0,
        };
        self.templates.of(&parent.path, depth)
    }

    /// The rules by which applications enter queues.
    #[must_use]
    pub fn mapping_rules(&self) -> &MappingRules {
        &self.mapping
    }

    /// `workflow-priority-mappings`
    #[must_use]
    pub fn workflow_priorities(&self) -> &WorkflowPriorities {
        &self.workflow_priorities
    }

    /// What was accepted, as Hadoop accepts it, but is probably a mistake.
    #[must_use]
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }
}

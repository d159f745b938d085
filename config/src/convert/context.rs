//! What the conversion of queues goes by: the queues that were made, their settings, what was asked for.

use super::options::ConvertOptions;
use super::start::Start;
use super::tree::{Queue, Tree};
use crate::allocation_file::{AllocationFile, Outline, QueueSettings};
use evenweave_resource::ResourceTypes;

/// What the conversion of queues goes by.
pub(super) struct Context<'a> {
    pub(super) tree: &'a Tree<'a>,
    pub(super) file: &'a AllocationFile,
    pub(super) outline: &'a Outline,
    pub(super) types: &'a ResourceTypes,
    pub(super) start: &'a Start,
    pub(super) options: &'a ConvertOptions,
    pub(super) drf: bool,
}

impl Context<'_> {
    /// What the file says of a queue.
    pub(super) fn settings(&self, queue: &Queue) -> Option<&QueueSettings> {
        self.file.queues.get(&queue.name)
    }

    /// The weight of a queue, by index.
    pub(super) fn weight(&self, index: usize) -> f32 {
        self.settings(&self.tree.queues[index]).and_then(|settings| settings.weight).unwrap_or(1.0)
    }
}

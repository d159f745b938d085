//! What the control publishes of a queue.
//!
//! Written by the control, read by everybody; the count of list entries is the worker's.

use crate::capacity::rules::tree::QueueNode;
use crate::config::capacity::CapacityFile;
use crate::engine::books::published_count::PublishedCount;
use crate::labels::LabelTerms;
use crate::sync::Arc;

/// See the module's text.
#[derive(Clone, Debug)]
pub(crate) struct CapacityPublished {
    pub(crate) node: Arc<QueueNode>,
    /// The file in force.
    pub(crate) file: Arc<CapacityFile>,
    /// How often the cluster has changed, and queues were refreshed. Whoever sees another number does what follows from
    /// it.
    pub(crate) turns: [u64; 2],
    /// Its path was there at some refresh, or at the start. As in Hadoop, what may go for others counts in these queues
    /// alone: one that has made itself since has no books of it.
    pub(crate) refreshed: bool,
    /// Of a leaf queue: by how much its lists are longer than the applications in them (rules/capacity.md 13.3, 21).
    pub(crate) surplus_entries: Arc<PublishedCount>,
}

impl CapacityPublished {
    /// Which labels its applications may ask for.
    pub(crate) fn label_terms(&self) -> LabelTerms<'_> {
        LabelTerms {
            queue: &self.node.config.path,
            accessible: self.file.accessible_labels(&self.node.config),
            default: self.file.default_label_expression(&self.node.config),
            enforced: &self.file.settings().node_labels.enforced,
        }
    }

    /// The weight of a user in a leaf queue.
    pub(crate) fn user_weight(&self, user: &str) -> f32 {
        if self.node.known { self.file.user_weight(&self.node.config, user) } else { 1.0 }
    }
}

impl PartialEq for CapacityPublished {
    /// By address: what has not changed is not made anew.
    fn eq(&self, other: &CapacityPublished) -> bool {
        let CapacityPublished { node, file, turns, refreshed, surplus_entries } = self;
        Arc::ptr_eq(node, &other.node)
            && Arc::ptr_eq(file, &other.file)
            && *turns == other.turns
            && *refreshed == other.refreshed
            && Arc::ptr_eq(surplus_entries, &other.surplus_entries)
    }
}

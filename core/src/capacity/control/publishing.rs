//! What is published of queues, and what follows from a change of the cluster (rules/capacity.md 6).

use crate::capacity::published::CapacityPublished;
use crate::capacity::rules::tree::QueueNode;
use crate::capacity::types::{CapacityDecider, Control};
use crate::engine::control::QueueTerms;
use crate::id::LabelId;
use crate::resource::Resource;
use crate::sync::Arc;

impl Control {
    /// What was put off until the publish.
    pub(super) fn before_publish(&mut self) {
        let at_once = self.own.tree.file.settings().plan_queues_update_at_once && self.plans.is_some();
        self.own.cluster_has_changed |= at_once && self.entitlements_changed();
        let is_due = std::mem::take(&mut self.own.figures_are_due);
        if is_due && !self.own.cluster_has_changed {
            let cluster = self.nodes.total();
            self.own.tree.cluster_changed(&cluster).expect("what fails with the nodes has failed with the file");
            self.all_dirty();
        }
        if std::mem::take(&mut self.own.cluster_has_changed) {
            let cluster = self.nodes.total();
            self.own.tree.cluster_changed(&cluster).expect("what fails with the nodes has failed with the file");
            self.own.turns[0] += 1;
            self.all_dirty();
        }
    }

    /// Queues know labels that nobody has configured for them. What follows is worked out with the next change of the
    /// cluster, which is `at_once` where nodes have got other labels (rules/node-labels.md 1).
    pub(super) fn queues_know(&mut self, known: &[(u32, LabelId)], at_once: bool) {
        let table = self.label_table().clone();
        let named = known.iter().map(|(slot, label)| (*slot, table.name(*label).to_string()));
        let named: Vec<(u32, String)> = named.collect();
        let (tree, texts) = self.own.tree_and_texts();
        // What can be read with other queues can be read with other labels that they know.
        if tree.learn(&named, |made| texts.read_with(made)).is_ok() {
            self.all_dirty();
            self.own.figures_are_due |= at_once;
        }
    }

    /// What the workers hold together, by leases. One worker holds the maximum itself, as rules/capacity.md 18.1 has
    /// it; what all of the cluster is within needs no lease.
    fn limit(&self, node: &QueueNode) -> Resource {
        let (maximum, cluster) = (node.maximum(), self.nodes.total());
        let arith = self.own.arith;
        let is_by_label = self.label_table().len() > 0;
        if self.shared.workers == 1 || is_by_label || !node.known || arith.fits_in(&cluster, maximum) {
            return Resource::UNBOUNDED;
        }
        arith.counted(maximum)
    }

    /// The same by label, where there are labels. Of one that the queue does not know it may use nothing.
    fn limits_by_label(&self, node: &QueueNode) -> Vec<Resource> {
        let (table, arith) = (self.label_table(), self.own.arith);
        if self.shared.workers == 1 {
            return Vec::new();
        }
        let limit = |label: LabelId| {
            let of_label = node.of_label(table.name(label));
            let maximum = of_label.map_or(Resource::ZERO, |(_, figures)| figures.effective_maximum);
            if !node.known || arith.fits_in(&table.size(label), &maximum) {
                return Resource::UNBOUNDED;
            }
            arith.counted(&maximum)
        };
        table.all_numbers().map(limit).collect()
    }

    pub(super) fn terms(&self, slot: u32) -> QueueTerms<CapacityDecider> {
        let node = self.own.tree.get(slot);
        QueueTerms {
            limit: self.limit(node),
            limits_by_label: self.limits_by_label(node),
            max_container: node.config.maximum_allocation,
            own: CapacityPublished {
                node: Arc::new(node.clone()),
                file: self.own.tree.file.clone(),
                turns: self.own.turns,
                refreshed: self.own.refreshed.contains(&node.config.path),
                surplus_entries: self.own.surplus_entries[slot as usize].clone(),
            },
        }
    }
}

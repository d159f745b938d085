//! Nodes get other labels, or are told of the ones that they have (rules/node-labels.md 5;
//! `CapacityScheduler.updateNodeLabelsAndQueueResource`).
//!
//! Run by each worker when it hears of it from the control, after what has led to it was published. The worker of a
//! node charges what stands there under the new label. The others fold that in as they do grants. In which partition an
//! AM counts they are told: it bounds who may start.

use super::messages::{AmMoved, CapacityMessage};
use crate::capacity::books::Books;
use crate::capacity::rules::ordered::AppEntry;
use crate::capacity::rules::partition::{Part, Partition};
use crate::capacity::types::Shard;
use crate::engine::intake::to_worker::RelabelledNode;
use crate::id::LabelId;
use crate::resource::Resource;
use crate::sync::Arc;

impl Shard {
    /// Nodes have these labels from now on; then all limits are worked out, as after a change of the cluster.
    pub(crate) fn nodes_have_labels(&mut self, nodes: &[RelabelledNode]) {
        for RelabelledNode { node, label } in nodes {
            if let Some(place) = self.place_of(node) {
                self.relabel(place, *label);
            }
        }
        self.tell_known_labels(true);
        self.own.books.update();
        self.tell_who_starts();
        self.tell_known_labels(false);
    }

    /// What stands on a node is charged elsewhere, also if its label is the same.
    fn relabel(&mut self, node: u32, label: LabelId) {
        let (old, new) = (Part::of(self.nodes[node as usize].label), Part::of(label));
        for index in self.nodes[node as usize].containers.clone() {
            let record = self.containers[index];
            let size = *self.containers.size(&record);
            // With one worker, and as in Hadoop, what has ended and stands there still goes along. Several agree on
            // what is live.
            if self.counts_by_label && !record.fate.is_live() {
                continue;
            }
            self.moves_to_label(index, old.label(), label);
            let books = &mut self.own.books;
            let Some(entry) = books.apps.entry(record.application) else { continue };
            if !record.fate.is_live() {
                books.drifts_by_label();
            }
            let (leaf, less) = (books.apps[entry].leaf, Resource::ZERO.minus(&size));
            for (p, amount) in [(old, &less), (new, &size)] {
                books.app_uses(entry, amount, p);
                books.charge_leaf(leaf, entry, amount, 0, None, p);
                books.charge_above(leaf, amount, 0, p);
            }
            if record.am {
                let shared_attempt = books.apps[entry].shared_attempt.clone();
                let moved = AmMoved { app: record.application, shared_attempt, label, size };
                books.am_is_in(entry, label, &size);
                let message = CapacityMessage::AmMoved(moved);
                self.own.known.hear(&message);
                self.tell_all_others(&message);
            }
        }
        self.end_reservation(node);
        self.nodes[node as usize].label = label;
    }
}

impl Books {
    /// The node of an AM, which another worker has, has got another label.
    pub(crate) fn am_has_moved(&mut self, moved: &AmMoved) {
        let Some(entry) = self.apps.entry(moved.app) else { return };
        // Of an attempt that has ended nothing counts any more.
        let app = &self.apps[entry];
        if Arc::ptr_eq(&app.shared_attempt, &moved.shared_attempt) && !app.is_out {
            self.am_is_in(entry, moved.label, &moved.size);
        }
    }

    /// The AM of an application stands in another partition, and counts there with the size of its container.
    fn am_is_in(&mut self, entry: AppEntry, label: LabelId, size: &Resource) {
        let less = Resource::ZERO.minus(size);
        let app = &mut self.apps[entry];
        let (leaf, before, old) = (app.leaf, app.am, app.am_partition);
        // What counts in either partition, of which one is its AM's.
        *app.am_left_mut(old) = before.minus(size);
        let now = app.am_left_mut(label).plus(size);
        *app.am_left_mut(label) = Resource::ZERO;
        (app.am, app.am_partition) = (now, label);
        let (user, is_active) = (app.user.clone(), app.is_active);
        let leaf = self.leaf_mut(leaf);
        // One that a limit of parallel applications keeps waiting may stand there, too, and one that has ended does
        // not.
        let places = leaf.pending.iter().filter(|other| *other == entry).count();
        leaf.add_am(old, &less);
        leaf.add_am(label, size);
        if let Some(record) = leaf.users.record(&user) {
            leaf.users.add_am(record, &less, Part::of(old));
            leaf.users.add_am(record, size, Part::of(label));
        }
        for _ in 0..places {
            leaf.change_pending_am((old, &before), (label, &now));
        }
        if !is_active {
            // As in Hadoop, the AM was not counted before, and is counted again when its application starts.
            self.drifts_by_label();
        }
        let slot = self.apps[entry].leaf;
        self.am_is_known(slot, old);
        self.am_is_known(slot, label);
    }
}

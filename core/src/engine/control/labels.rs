//! Node labels: the label manager's place in the control, and what workers are told of its changes.
//!
//! # Protocol
//! 1. The manager decides (`labels::NodeLabels`); what the partitions have changes at once, and so do the decider's
//!    figures.
//! 2. That is published. Then every worker is told of the event, in the order of the control's messages, so after the
//!    message of the node event that led to it (rules/node-labels.md 3.5).
//! 3. Each worker does what the event means for its own nodes, and then what follows from a change of the cluster.

use super::labelling::{Address, Labelling};
use super::part::{ControlPart, Controlled};
use super::state::Control;
use crate::engine::books::ledger::NodeShared;
use crate::engine::intake::to_control::{LabelChange, NewNode};
use crate::engine::intake::to_worker::{Internal, RelabelledNode};
use crate::event::Refused;
use crate::event::refused::Configuration;
use crate::id::LabelId;
use crate::labels::{LabelFault, LabelTable, LabelledNode, NewLabel, NodeLabels, StoredLabels};
use crate::resource::Resource;
use crate::sync::Arc;
use std::collections::{BTreeMap, BTreeSet};

/// A node label, and its nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct LabelView {
    /// Its name; empty for nodes without a label.
    pub name: String,
    /// Its nodes are given to nobody who has not asked for it.
    pub exclusive: bool,
    /// Its nodes that are there, by name, in order of registration.
    pub nodes: Vec<String>,
    /// What they have together.
    pub resource: Resource,
}

fn refused(fault: LabelFault) -> Refused {
    Refused::from(Configuration::Labels(fault.to_string()))
}

impl<D: Controlled> Control<D> {
    /// The labels as everybody sees them.
    pub(crate) fn label_table(&self) -> &Arc<LabelTable> {
        &self.labels.table
    }

    /// The labels by name, the default partition first.
    pub(crate) fn label_views(&self) -> Vec<LabelView> {
        let Labelling { table, addresses, manager, .. } = &self.labels;
        let mut of_labels: BTreeMap<LabelId, Vec<String>> = BTreeMap::new();
        for node in self.all_nodes() {
            if let Some((host, port)) = addresses.get(&node.id) {
                let label = self.labels.number(manager.label(host, *port).as_ref());
                of_labels.entry(label).or_default().push(node.name.to_string());
            }
        }
        let mut view = |(name, label): (&str, LabelId)| {
            let partition = table.partition(label)?;
            Some(LabelView {
                name: name.to_owned(),
                exclusive: partition.exclusive,
                nodes: of_labels.remove(&label).unwrap_or_default(),
                resource: partition.resource,
            })
        };
        table.by_name().filter_map(&mut view).collect()
    }

    /// The label of each of these nodes or hosts, known or not, as the manager has it; empty for none.
    pub(crate) fn labels_of<'a>(&self, nodes: impl IntoIterator<Item = (&'a str, u16)>) -> Vec<String> {
        let label = |(host, port): (&str, u16)| self.labels.manager.label(host, port).as_deref().unwrap_or_default();
        nodes.into_iter().map(|node| label(node).to_owned()).collect()
    }

    /// What outlives a restart.
    pub(crate) fn stored_labels(&self) -> StoredLabels {
        self.labels.manager.stored()
    }

    /// What was stored before a restart; before any node registers.
    pub(crate) fn restore_labels(&mut self, stored: &StoredLabels) -> Result<(), LabelFault> {
        let enabled = self.labels.manager.is_enabled();
        if !self.labels.table.has_room(stored.labels.len()) {
            return Err(LabelFault::TooMany);
        }
        self.labels.manager = NodeLabels::restored(enabled, stored)?;
        self.partitions_changed();
        Ok(())
    }

    /// Queues name labels, whether these are there or not.
    pub(crate) fn know_labels(&mut self, names: &BTreeSet<String>) {
        let Labelling { manager, table, .. } = &mut self.labels;
        if manager.is_enabled() && names.iter().any(|name| table.number(name).is_none()) {
            names.iter().for_each(|name| Arc::make_mut(table).know(name));
            self.structure_changed = true;
        }
    }

    /// The manager's partitions have changed.
    fn partitions_changed(&mut self) {
        if self.labels.manager.is_enabled() {
            let Labelling { manager, table, .. } = &mut self.labels;
            Arc::make_mut(table).update(manager);
            self.structure_changed = true;
            D::Control::partitions_changed(self);
        }
    }

    /// A node has come; the label that it has.
    pub(super) fn label_of_new(&mut self, new: &NewNode, node: &Arc<NodeShared>, total: &Resource) -> LabelId {
        if !self.labels.manager.is_enabled() {
            return LabelId::NONE;
        }
        let (host, port) = new.address();
        // 0 stands for the whole host.
        let address: Address = (host.into(), port.max(1));
        let label = self.labels.manager.activate(host, address.1, total);
        self.labels.nodes.insert(address.clone(), node.clone());
        self.labels.addresses.insert(node.id, address);
        self.partitions_changed();
        self.labels.number(label.as_ref())
    }

    /// A node that has come or was resized is told of, with its label.
    pub(super) fn tell_label_of(&mut self, node: &Arc<NodeShared>) {
        if let Some((host, port)) = self.labels.addresses.get(&node.id).cloned() {
            let label = self.labels.number(self.labels.manager.label(&host, port).as_ref());
            self.tell_relabelled([RelabelledNode { node: node.clone(), label }].into());
        }
    }

    /// A node is not there any more.
    pub(super) fn forget_label_of(&mut self, node: &Arc<NodeShared>) {
        if let Some(address) = self.labels.addresses.remove(&node.id) {
            self.labels.manager.deactivate(&address.0, address.1);
            self.labels.nodes.remove(&address);
            self.partitions_changed();
        }
    }

    /// A node has another total.
    pub(super) fn resize_label_of(&mut self, node: &Arc<NodeShared>, total: &Resource) {
        if let Some((host, port)) = self.labels.addresses.get(&node.id).cloned() {
            self.labels.manager.deactivate(&host, port);
            self.labels.manager.activate(&host, port, total);
            self.partitions_changed();
        }
    }

    /// Where labels are on, an event without nodes.
    pub(super) fn tell_no_label(&mut self) {
        if self.labels.manager.is_enabled() {
            self.tell_relabelled(Arc::new([]));
        }
    }

    fn tell_relabelled(&mut self, nodes: Arc<[RelabelledNode]>) {
        // The partitions as they are by now, and the node event that has led to it, come first.
        self.publish();
        for worker in 0..self.shared.workers {
            self.to_worker(worker, Internal::Relabel(nodes.clone()));
        }
    }

    fn tell_all(&mut self, told: Option<Vec<LabelledNode>>) {
        let Some(told) = told else { return };
        let Labelling { nodes, .. } = &self.labels;
        let known = told.iter().filter_map(|told| {
            let node = nodes.get(&(told.host.clone(), told.port))?.clone();
            Some(RelabelledNode { node, label: self.labels.number(told.label.as_ref()) })
        });
        let mut known: Vec<RelabelledNode> = known.collect();
        // Hadoop has them in the order of a hash map.
        known.sort_by_key(|one| one.node.id);
        self.partitions_changed();
        self.tell_relabelled(known.into());
    }

    /// Changes labels as an administrator does (rules/node-labels.md 3).
    pub(crate) fn change_labels(&mut self, change: &LabelChange) -> Result<(), Refused> {
        match change {
            LabelChange::Add(labels) => self.add_labels(labels),
            LabelChange::Remove(labels) => {
                let names: Vec<&str> = labels.iter().map(String::as_str).collect();
                let own = &self.own;
                let used_by = |label: &str| own.user_of_label(label);
                let told = self.labels.manager.remove(&names, used_by).map_err(refused)?;
                self.tell_all(told);
                Ok(())
            }
            LabelChange::Replace(nodes) => {
                let nodes: Vec<(&str, u16, Vec<&str>)> = nodes
                    .iter()
                    .map(|(host, port, labels)| (host.as_str(), *port, labels.iter().map(String::as_str).collect()))
                    .collect();
                let told = self.labels.manager.replace(&nodes).map_err(refused)?;
                self.tell_all(told);
                Ok(())
            }
        }
    }

    fn add_labels(&mut self, labels: &[NewLabel]) -> Result<(), Refused> {
        if self.labels.manager.is_enabled() && !self.labels.table.has_room(labels.len()) {
            return Err(refused(LabelFault::TooMany));
        }
        self.labels.manager.add(labels).map_err(refused)?;
        self.partitions_changed();
        Ok(())
    }
}

//! Hosts and their nodes, and which label each has.

use crate::resource::Resource;
use crate::sync::Arc;
use std::collections::BTreeMap;

/// A label's name; nothing for none.
pub(super) type Label = Option<Arc<str>>;

/// The nodes of one machine, and the label of those that have none set for themselves.
#[derive(Clone, Debug, Default)]
pub(super) struct Host {
    pub(super) label: Label,
    pub(super) nodes: BTreeMap<u16, HostNode>,
}

/// A node: one port of a host.
#[derive(Clone, Debug, Default)]
pub(super) struct HostNode {
    /// What was set for it after its host's label was, which may be none.
    pub(super) own: Option<Label>,
    /// What a change is compared with: what was set for it, or for its host while it was known.
    pub(super) as_set: Option<Label>,
    /// What it has, while it runs.
    pub(super) running: Option<Resource>,
}

impl Host {
    /// The label of a node, which need not be known.
    pub(super) fn label_of(&self, port: u16) -> &Label {
        let own = self.nodes.get(&port).and_then(|node| node.own.as_ref());
        own.unwrap_or(&self.label)
    }

    /// The label is its own, and all its nodes have it as their host's.
    pub(super) fn set(&mut self, label: Label) {
        for node in self.nodes.values_mut() {
            node.own = None;
            node.as_set = Some(label.clone());
        }
        self.label = label;
    }

    /// A label is gone.
    pub(super) fn forget(&mut self, label: &str) {
        let is_it = |of: &Label| of.as_deref() == Some(label);
        if is_it(&self.label) {
            self.label = None;
        }
        for of_node in self.nodes.values_mut().flat_map(|node| [&mut node.own, &mut node.as_set]) {
            if of_node.as_ref().is_some_and(is_it) {
                *of_node = Some(None);
            }
        }
    }

    /// Its running nodes, with their labels.
    pub(super) fn running(&self) -> impl Iterator<Item = (u16, &Resource, &Label)> {
        let running = self.nodes.iter().filter_map(|(port, node)| Some((*port, node.running.as_ref()?)));
        running.map(|(port, resource)| (port, resource, self.label_of(port)))
    }
}

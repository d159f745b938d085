//! The manager itself.

use super::fault::{LONGEST_NAME, LabelFault};
use super::hosts::{Host, Label};
use super::stored::{NewLabel, StoredLabels};
use crate::config::trim;
use crate::resource::Resource;
use crate::sync::Arc;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// The port that stands for a host as a whole.
pub(super) const WHOLE_HOST: u16 = 0;

/// The nodes with one label, or those without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Partition {
    /// They are given to nobody who has not asked for the label.
    pub exclusive: bool,
    /// How many of them run.
    pub nodes: u32,
    /// What these have together.
    pub resource: Resource,
}

fn partition_of<'a>(
    labels: &'a mut BTreeMap<Arc<str>, Partition>,
    unlabelled: &'a mut Partition,
    label: &Label,
) -> &'a mut Partition {
    label.as_ref().and_then(|label| labels.get_mut(label)).unwrap_or(unlabelled)
}

impl Partition {
    /// A node comes, or goes.
    fn count(&mut self, resource: &Resource, comes: bool) {
        if comes {
            self.nodes += 1;
            self.resource = self.resource.plus(resource);
        } else {
            self.nodes -= 1;
            self.resource = self.resource.minus(resource);
        }
    }

    fn empty(exclusive: bool) -> Partition {
        Partition { exclusive, nodes: 0, resource: Resource::ZERO }
    }
}

/// A running node, and the label that it has now: what a scheduler is told.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LabelledNode {
    /// Its host.
    pub host: Arc<str>,
    /// Its port.
    pub port: u16,
    /// Its label; `None` for none.
    pub label: Option<Arc<str>>,
}

/// See the module's text.
#[derive(Clone, Debug)]
pub struct NodeLabels {
    enabled: bool,
    /// Nodes without a label; these count as exclusive.
    unlabelled: Partition,
    labels: BTreeMap<Arc<str>, Partition>,
    hosts: FxHashMap<Arc<str>, Host>,
}

fn check_name(name: &str) -> Result<(), LabelFault> {
    if name.is_empty() || name.chars().count() > LONGEST_NAME {
        return Err(LabelFault::NameLength);
    }
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let begins_well = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    if begins_well && name.chars().all(is_allowed) { Ok(()) } else { Err(LabelFault::Name(name.to_owned())) }
}

impl NodeLabels {
    /// One without labels and nodes; if not `enabled`, it refuses every change of labels.
    #[must_use]
    pub fn new(enabled: bool) -> NodeLabels {
        let unlabelled = Partition::empty(true);
        NodeLabels { enabled, unlabelled, labels: BTreeMap::new(), hosts: FxHashMap::default() }
    }

    /// Whether there may be labels.
    #[must_use]
    pub fn is_enabled(&self) -> bool {
        self.enabled
    }

    fn check_enabled(&self) -> Result<(), LabelFault> {
        if self.enabled { Ok(()) } else { Err(LabelFault::Disabled) }
    }

    // ------------------------------------------------------------------------------------------------ labels

    /// Adds labels (rules/node-labels.md 3.1). Those that are there stay as they are.
    ///
    /// # Errors
    /// All are refused together: [`LabelFault::Disabled`], [`OtherExclusivity`](LabelFault::OtherExclusivity), before
    /// any name is looked at, [`NameLength`](LabelFault::NameLength), [`Name`](LabelFault::Name).
    pub fn add(&mut self, labels: &[NewLabel]) -> Result<(), LabelFault> {
        self.check_enabled()?;
        let is_other = |label: &&NewLabel| {
            // The default partition is there, and exclusive.
            let there = self.partition(trim(&label.name));
            there.is_some_and(|there| there.exclusive != label.exclusive)
        };
        let others = labels.iter().filter(is_other);
        let others: Vec<String> =
            others.map(|label| format!("<{}:exclusivity={}>", trim(&label.name), label.exclusive)).collect();
        if !others.is_empty() {
            return Err(LabelFault::OtherExclusivity(others.join(",")));
        }
        labels.iter().try_for_each(|label| check_name(trim(&label.name)))?;
        for NewLabel { name, exclusive } in labels {
            self.labels.entry(trim(name).into()).or_insert_with(|| Partition::empty(*exclusive));
        }
        Ok(())
    }

    /// Removes labels (rules/node-labels.md 3.1): nodes that have one have none then. `used_by`: a queue that names a
    /// label in its access list. All running nodes are told of; none if there is nothing to remove.
    ///
    /// # Errors
    /// All are refused together: [`LabelFault::UsedByQueue`] of the first for which it holds, before anything else is
    /// looked at, [`Disabled`](LabelFault::Disabled), [`RemovedIsEmpty`](LabelFault::RemovedIsEmpty),
    /// [`RemovedIsUnknown`](LabelFault::RemovedIsUnknown).
    pub fn remove(
        &mut self,
        labels: &[&str],
        used_by: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<Vec<LabelledNode>>, LabelFault> {
        for label in labels.iter().map(|label| trim(label)) {
            if let Some(queue) = used_by(label) {
                return Err(LabelFault::UsedByQueue { label: label.to_owned(), queue });
            }
        }
        self.check_enabled()?;
        for label in labels.iter().map(|label| trim(label)) {
            if label.is_empty() {
                return Err(LabelFault::RemovedIsEmpty);
            }
            if !self.labels.contains_key(label) {
                return Err(LabelFault::RemovedIsUnknown(label.to_owned()));
            }
        }
        for label in labels.iter().map(|label| trim(label)) {
            // One that is named twice has gone.
            let Some(gone) = self.labels.remove(label) else { continue };
            self.hosts.values_mut().for_each(|host| host.forget(label));
            self.unlabelled.nodes += gone.nodes;
            self.unlabelled.resource = self.unlabelled.resource.plus(&gone.resource);
        }
        Ok((!labels.is_empty()).then(|| self.running()))
    }

    /// Whether there is such a label; the empty one always is.
    #[must_use]
    pub fn partition(&self, label: &str) -> Option<&Partition> {
        if label.is_empty() { Some(&self.unlabelled) } else { self.labels.get(label) }
    }

    /// All partitions by name, the default one first.
    pub fn partitions(&self) -> impl Iterator<Item = (&str, &Partition)> {
        let labels = self.labels.iter().map(|(name, partition)| (&**name, partition));
        std::iter::once(("", &self.unlabelled)).chain(labels)
    }

    // ------------------------------------------------------------------------------------------------ nodes

    /// Gives nodes other labels (rules/node-labels.md 3.2): by host and port, port 0 for the host as a whole. The
    /// running nodes among those that change are told of; `None` where nothing changes.
    ///
    /// # Errors
    /// All are refused together, if something would change: [`LabelFault::Disabled`], [`Several`](LabelFault::Several),
    /// [`Unknown`](LabelFault::Unknown).
    pub fn replace(&mut self, nodes: &[(&str, u16, Vec<&str>)]) -> Result<Option<Vec<LabelledNode>>, LabelFault> {
        let mut changes: Vec<(&str, u16, BTreeSet<&str>)> = Vec::new();
        for (host, port, labels) in nodes {
            let labels: BTreeSet<&str> = labels.iter().map(|label| trim(label)).filter(|l| !l.is_empty()).collect();
            if !self.has_set(host, *port, &labels) {
                changes.push((*host, *port, labels));
            }
        }
        if changes.is_empty() {
            return Ok(None);
        }
        self.check_enabled()?;
        for (host, _, labels) in &changes {
            if labels.len() > 1 {
                return Err(LabelFault::Several { number: labels.len(), host: (*host).to_owned() });
            }
            if let Some(label) = labels.iter().find(|label| !self.labels.contains_key(**label)) {
                return Err(LabelFault::Unknown((*label).to_owned()));
            }
        }
        let mut told = Vec::new();
        for (host, port, labels) in changes {
            let label =
                labels.first().and_then(|label| self.labels.get_key_value(*label)).map(|(name, _)| name.clone());
            for port in self.set(host, port, label) {
                told.push(LabelledNode { host: host.into(), port, label: self.label(host, port).clone() });
            }
        }
        // Of one that was named twice the last word counts.
        let mut seen = BTreeSet::new();
        told.reverse();
        told.retain(|node: &LabelledNode| seen.insert((node.host.clone(), node.port)));
        told.reverse();
        Ok(Some(told))
    }

    /// Whether a host has these labels, or a node has them set for itself.
    fn has_set(&self, host: &str, port: u16, labels: &BTreeSet<&str>) -> bool {
        let is = |label: &Label| label.as_deref().into_iter().eq(labels.iter().copied());
        let Some(host) = self.hosts.get(host) else { return false };
        if port == WHOLE_HOST {
            return is(&host.label);
        }
        host.nodes.get(&port).and_then(|node| node.as_set.as_ref()).is_some_and(is)
    }

    /// A host, or one of its nodes, has another label; which of its ports run of those that are concerned.
    fn set(&mut self, host: &str, port: u16, label: Label) -> Vec<u16> {
        let concerns = |at: u16| port == WHOLE_HOST || at == port;
        self.counted_anew(host, concerns, |host| {
            if port == WHOLE_HOST {
                host.set(label);
            } else {
                let node = host.nodes.entry(port).or_default();
                (node.own, node.as_set) = (Some(label.clone()), Some(label));
            }
        })
    }

    /// Changes a host, which is made if it is not there. The running nodes on the ports that it concerns count in the
    /// partitions that they are in then; these ports.
    fn counted_anew(&mut self, host: &str, concerns: impl Fn(u16) -> bool, change: impl FnOnce(&mut Host)) -> Vec<u16> {
        if !self.hosts.contains_key(host) {
            self.hosts.insert(host.into(), Host::default());
        }
        let NodeLabels { hosts, labels, unlabelled, .. } = self;
        let Some(host) = hosts.get_mut(host) else { return Vec::new() };
        let mut count = |host: &Host, comes: bool| {
            let mut ports = Vec::new();
            for (port, resource, label) in host.running().filter(|(port, ..)| concerns(*port)) {
                partition_of(labels, unlabelled, label).count(resource, comes);
                ports.push(port);
            }
            ports
        };
        count(host, false);
        change(host);
        count(host, true)
    }

    /// A node runs from now on (rules/node-labels.md 3.3). Its label.
    pub fn activate(&mut self, host: &str, port: u16, resource: &Resource) -> Option<Arc<str>> {
        self.counted_anew(
            host,
            |at| at == port,
            |host| {
                host.nodes.entry(port).or_default().running = Some(*resource);
            },
        );
        self.label(host, port).clone()
    }

    /// A node runs no more (rules/node-labels.md 3.3). It is kept if it has a label of its own.
    pub fn deactivate(&mut self, host: &str, port: u16) {
        self.counted_anew(
            host,
            |at| at == port,
            |host| {
                if let Some(node) = host.nodes.get_mut(&port) {
                    node.running = None;
                    if node.own.is_none() {
                        host.nodes.remove(&port);
                    }
                }
            },
        );
    }

    /// The label of a node, known or not.
    #[must_use]
    pub fn label(&self, host: &str, port: u16) -> &Option<Arc<str>> {
        self.hosts.get(host).map_or(&None, |host| host.label_of(port))
    }

    fn running(&self) -> Vec<LabelledNode> {
        let of_host = |(name, host): (&Arc<str>, &Host)| {
            let running = host.running();
            let nodes = running.map(|(port, _, label)| LabelledNode { host: name.clone(), port, label: label.clone() });
            nodes.collect::<Vec<_>>()
        };
        self.hosts.iter().flat_map(of_host).collect()
    }

    // ------------------------------------------------------------------------------------------------ the store

    /// What is stored of it (rules/node-labels.md 4.3).
    #[must_use]
    pub fn stored(&self) -> StoredLabels {
        let labels = self.labels.iter();
        let labels = labels.map(|(name, of)| NewLabel { name: name.to_string(), exclusive: of.exclusive });
        let mut nodes = Vec::new();
        for (name, host) in &self.hosts {
            let ports = std::iter::once(WHOLE_HOST).chain(host.nodes.keys().copied());
            for port in ports {
                let label = if port == WHOLE_HOST { &host.label } else { host.label_of(port) };
                nodes.extend(label.as_ref().map(|label| (name.to_string(), port, label.to_string())));
            }
        }
        // A host comes before its nodes.
        nodes.sort();
        StoredLabels { labels: labels.collect(), nodes }
    }

    /// One as it begins after a restart: no node runs.
    ///
    /// # Errors
    /// Where labels are off, or what was stored could not have been.
    pub fn restored(enabled: bool, stored: &StoredLabels) -> Result<NodeLabels, LabelFault> {
        let mut labels = NodeLabels::new(enabled);
        if stored.labels.is_empty() && stored.nodes.is_empty() {
            return Ok(labels);
        }
        labels.add(&stored.labels)?;
        for (host, port, label) in &stored.nodes {
            labels.replace(&[(host.as_str(), *port, vec![label.as_str()])])?;
        }
        Ok(labels)
    }
}

//! Calls about node labels: which there are, and which nodes have which.
//!
//! Bodies run on the caller's thread: with threads they send to the control and wait, without they do it.

use super::policy::Policy;
use super::stepped::Stepped;
use super::threaded::Scheduler;
use crate::app::{Label, Location};
use crate::config::trim;
use crate::engine::intake::to_control::Call;
use crate::engine::{LabelChange, LabelView};
use crate::event::Refused;
#[cfg(doc)]
use crate::event::refused::*;
use crate::labels::{NewLabel, StoredLabels};

/// A label by its name, which `location` makes a number of.
fn label_of(name: &str, location: impl FnOnce(&str) -> Location) -> Label {
    match trim(name) {
        "" => Label::NONE,
        name => Label::named(location(name)),
    }
}

fn removal(labels: &[&str]) -> LabelChange {
    LabelChange::Remove(labels.iter().map(|label| (*label).to_owned()).collect())
}

/// A host, or a host and a port; port 0 is the host.
fn address(node: &str) -> (&str, u16) {
    let cut = node.rsplit_once(':').and_then(|(host, port)| Some((host, port.parse().ok()?)));
    cut.unwrap_or((node, 0))
}

fn replacement(nodes: &[(&str, &[&str])]) -> LabelChange {
    let entry = |(node, labels): &(&str, &[&str])| {
        let (host, port) = address(node);
        (host.to_owned(), port, labels.iter().map(|label| (*label).to_owned()).collect())
    };
    LabelChange::Replace(nodes.iter().map(entry).collect())
}

/// # Node labels
/// A CapacityScheduler has them if `yarn.node-labels.enabled` is set. A FairScheduler has none, and refuses asks that
/// name one, as in Hadoop.
impl<P: Policy> Scheduler<P> {
    /// The label of a name, for asks. White space around the name does not count; the empty name is the default
    /// partition.
    #[must_use]
    pub fn label(&self, name: &str) -> Label {
        label_of(name, |name| self.location(name))
    }

    /// Adds labels; those that are there stay as they are. Waits for the control.
    ///
    /// # Errors
    /// [`Configuration::Labels`]: all are refused together; [`Invalid::OwnThread`], [`Gone::Task`],
    /// [`Gone::ShutDown`].
    pub fn add_labels(&self, labels: &[NewLabel]) -> Result<(), Refused> {
        self.change_labels(LabelChange::Add(labels.to_vec()))
    }

    /// Removes labels: nodes that have one have none then. Waits for the control; the workers follow.
    ///
    /// # Errors
    /// Those of [`add_labels`](Self::add_labels); also if a queue names one of them.
    pub fn remove_labels(&self, labels: &[&str]) -> Result<(), Refused> {
        self.change_labels(removal(labels))
    }

    /// Gives nodes other labels: a node is `host:port`, or `host` for all nodes of a host, and has one label at most.
    /// Nodes that are not there are taken, too. Waits for the control; the workers follow.
    ///
    /// # Errors
    /// Those of [`add_labels`](Self::add_labels).
    pub fn set_node_labels(&self, nodes: &[(&str, &[&str])]) -> Result<(), Refused> {
        self.change_labels(replacement(nodes))
    }

    fn change_labels(&self, change: LabelChange) -> Result<(), Refused> {
        self.door().call(|reply| Call::Labels(change, reply))?
    }

    /// Returns all labels by name, the default partition first. Empty where there are no labels. Waits for the control.
    ///
    /// # Errors
    /// [`Invalid::OwnThread`], [`Gone::Task`], [`Gone::ShutDown`].
    pub fn labels(&self) -> Result<Vec<LabelView>, Refused> {
        self.door().look(|control| control.label_views())
    }

    /// Returns the label of each node: a node is `host:port`, or `host` for the host itself. Nodes need not be there.
    /// Empty for none. Waits for the control.
    ///
    /// # Errors
    /// Those of [`labels`](Self::labels).
    pub fn node_labels(&self, nodes: &[&str]) -> Result<Vec<String>, Refused> {
        let nodes: Vec<String> = nodes.iter().map(|node| (*node).to_owned()).collect();
        self.door().look(move |control| control.labels_of(nodes.iter().map(|node| address(node))))
    }

    /// Returns what must survive a restart of the ResourceManager, for
    /// [`labels`](crate::CapacitySchedulerBuilder::labels) of the next builder. Waits for the control.
    ///
    /// # Errors
    /// Those of [`labels`](Self::labels).
    pub fn stored_labels(&self) -> Result<StoredLabels, Refused> {
        self.door().look(|control| control.stored_labels())
    }
}

impl<P: Policy> Stepped<P> {
    pub(super) fn label_named(&self, name: &str) -> Label {
        label_of(name, |name| self.steps.location(name))
    }

    pub(super) fn add(&mut self, labels: &[NewLabel]) -> Result<(), Refused> {
        self.change_labels(&LabelChange::Add(labels.to_vec()))
    }

    pub(super) fn remove(&mut self, labels: &[&str]) -> Result<(), Refused> {
        self.change_labels(&removal(labels))
    }

    pub(super) fn replace(&mut self, nodes: &[(&str, &[&str])]) -> Result<(), Refused> {
        self.change_labels(&replacement(nodes))
    }

    pub(super) fn labels_of(&mut self, nodes: &[&str]) -> Vec<String> {
        self.steps.stepper.control().labels_of(nodes.iter().map(|node| address(node)))
    }

    fn change_labels(&mut self, change: &LabelChange) -> Result<(), Refused> {
        let outcome = self.steps.stepper.control().change_labels(change);
        self.steps.settle();
        outcome
    }
}

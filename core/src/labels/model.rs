//! The rules one by one, and random changes against a plain model.

use super::*;
use crate::resource::Resource;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const GB: Resource = Resource::new(1024, 1);

fn label(name: &str, exclusive: bool) -> NewLabel {
    NewLabel { name: name.to_owned(), exclusive }
}

fn with(names: &[&str]) -> NodeLabels {
    let mut labels = NodeLabels::new(true);
    let new: Vec<NewLabel> = names.iter().map(|name| label(name, true)).collect();
    labels.add(&new).unwrap();
    labels
}

fn told(of: Option<Vec<LabelledNode>>) -> Option<Vec<(String, u16, String)>> {
    let one = |node: LabelledNode| one(&node.host, node.port, node.label.as_deref().unwrap_or_default());
    of.map(|of| of.into_iter().map(one).collect())
}

fn one(host: &str, port: u16, label: &str) -> (String, u16, String) {
    (host.to_owned(), port, label.to_owned())
}

/// Name, number of nodes, memory; of partitions that have some.
fn sizes(labels: &NodeLabels) -> Vec<(String, u32, i64)> {
    let some = labels.partitions().filter(|(_, partition)| partition.nodes > 0);
    some.map(|(name, partition)| (name.to_owned(), partition.nodes, partition.resource.memory_mb())).collect()
}

fn free(_: &str) -> Option<String> {
    None
}

#[test]
fn where_labels_are_off_every_change_is_refused() {
    let mut labels = NodeLabels::new(false);
    assert_eq!(labels.add(&[label("x", true)]), Err(LabelFault::Disabled));
    assert_eq!(labels.remove(&["x"], free), Err(LabelFault::Disabled));
    assert_eq!(labels.replace(&[("n1", 0, vec!["x"])]), Err(LabelFault::Disabled));
    labels.activate("n1", 1, &GB);
    assert_eq!(labels.replace(&[("n1", 0, vec![])]), Ok(None), "nothing would change");
    assert_eq!(sizes(&labels), [(String::new(), 1, 1024)]);
    assert_eq!(
        LabelFault::Disabled.to_string(),
        "Node-label-based scheduling is disabled. Please check yarn.node-labels.enabled"
    );
}

#[test]
fn labels_are_added_together_or_not_at_all() {
    let mut labels = with(&["x"]);
    let error = labels.add(&[label("a.b", true), label(" x", false), label("", false)]).unwrap_err();
    let words =
        "Exclusivity cannot be modified for an existing label with : <x:exclusivity=false>,<:exclusivity=false>";
    assert_eq!(error.to_string(), words, "exclusivity comes before names");
    for (name, words) in [
        ("", "label added is empty or exceeds 255 character(s)"),
        (&*"l".repeat(256), "label added is empty or exceeds 255 character(s)"),
        (
            "-bad",
            "label name should only contains {0-9, a-z, A-Z, -, _} and should not started with {-,_}, now it is= -bad",
        ),
        (
            "a.b",
            "label name should only contains {0-9, a-z, A-Z, -, _} and should not started with {-,_}, now it is= a.b",
        ),
    ] {
        assert_eq!(labels.add(&[label("new", true), label(name, true)]).unwrap_err().to_string(), words);
        assert_eq!(labels.partitions().count(), 2, "{name:?}");
    }
    assert_eq!(labels.add(&[label(" x ", true), label("y-1", false), label(&"l".repeat(255), true)]), Ok(()));
    assert!(!labels.partition("y-1").unwrap().exclusive && labels.partition("x").unwrap().exclusive);
    assert_eq!(labels.add(&[]), Ok(()));
}

#[test]
fn a_label_that_a_queue_names_stays() {
    let mut labels = with(&["x", "y"]);
    let used = |label: &str| (label == "y").then(|| "root.a".to_owned());
    let words = "Cannot remove label=y, because queue=root.a is using this label. Please remove label on queue before remove the \
         label";
    assert_eq!(labels.remove(&["nope", "y"], used).unwrap_err().to_string(), words, "before names are looked at");
    let words = "Node label=nope to be removed doesn't existed in cluster node labels collection.";
    assert_eq!(labels.remove(&["x", "nope"], used).unwrap_err().to_string(), words);
    assert_eq!(labels.remove(&["x", " "], used).unwrap_err().to_string(), "Label to be removed is null or empty");
    assert!(labels.partition("x").is_some());
    assert_eq!(labels.remove(&[], used), Ok(None));
}

#[test]
fn a_label_that_goes_leaves_its_nodes_without_one_and_tells_of_all() {
    let mut labels = with(&["x", "y"]);
    labels.replace(&[("n1", 0, vec!["x"]), ("n2", 1, vec!["x"])]).unwrap();
    for host in ["n1", "n2", "n3"] {
        labels.activate(host, 1, &GB);
    }
    let mut all = told(labels.remove(&["x", "x"], free).unwrap()).unwrap();
    all.sort();
    assert_eq!(all, [one("n1", 1, ""), one("n2", 1, ""), one("n3", 1, "")]);
    assert_eq!(sizes(&labels), [(String::new(), 3, 3072)]);
    // A label that is removed and added again has no nodes. A node that had it still counts as one for which something
    // was set, now no label: so setting no label changes nothing.
    labels.add(&[label("x", false)]).unwrap();
    assert_eq!(sizes(&labels), [(String::new(), 3, 3072)]);
    assert_eq!(labels.replace(&[("n2", 1, vec![])]), Ok(None), "none was set for the node itself");
    assert_eq!(labels.replace(&[("n1", 0, vec![])]), Ok(None));
}

#[test]
fn a_node_goes_by_what_was_set_last() {
    let mut labels = with(&["x", "y"]);
    labels.activate("n1", 1, &GB);
    labels.activate("n1", 2, &GB);
    let replace =
        |labels: &mut NodeLabels, port, label: &[&str]| told(labels.replace(&[("n1", port, label.to_vec())]).unwrap());
    assert_eq!(replace(&mut labels, 0, &["x"]), Some(vec![one("n1", 1, "x"), one("n1", 2, "x")]));
    assert_eq!(replace(&mut labels, 1, &[" x "]), None, "set for it with its host");
    assert_eq!(replace(&mut labels, 1, &[]), Some(vec![one("n1", 1, "")]), "none counts as set");
    assert_eq!(labels.label("n1", 1).as_deref(), None);
    // The host has it, whatever its nodes have.
    assert_eq!(replace(&mut labels, 0, &["x"]), None);
    assert_eq!(replace(&mut labels, 0, &["y"]), Some(vec![one("n1", 1, "y"), one("n1", 2, "y")]));
    assert_eq!(labels.label("n1", 3).as_deref(), Some("y"), "of a node that is not known");
    assert_eq!(sizes(&labels), [("y".to_owned(), 2, 2048)]);
    // For a node that was activated after its host was labelled nothing is set, so that the same label is a change.
    labels.activate("n1", 4, &GB);
    assert_eq!(replace(&mut labels, 4, &["y"]), Some(vec![one("n1", 4, "y")]));
    assert_eq!(replace(&mut labels, 4, &["y"]), None);
    // No node runs on port 7, so that the change tells of none.
    assert_eq!(replace(&mut labels, 7, &["x"]), Some(vec![]));
    assert_eq!(told(labels.replace(&[("far", 0, vec![])]).unwrap()), Some(vec![]), "a host that is not known");
}

#[test]
fn a_replacement_is_refused_as_a_whole() {
    let mut labels = with(&["x", "y"]);
    labels.activate("n1", 1, &GB);
    let words = "Not all labels being replaced contained by known label collections, please check, new labels=[z]";
    let error = labels.replace(&[("n1", 0, vec!["x"]), ("n2", 0, vec!["z"])]).unwrap_err();
    assert_eq!(error.to_string(), words);
    let words = "2 labels specified on host=n2, please note that we do not support specifying multiple labels on a \
                 single host for now.";
    let error = labels.replace(&[("n1", 0, vec!["x"]), ("n2", 1, vec!["x", "y"])]).unwrap_err();
    assert_eq!(error.to_string(), words);
    assert_eq!(labels.label("n1", 1).as_deref(), None);
    assert!(labels.replace(&[("n1", 0, vec!["x", "x"])]).is_ok(), "one label twice is one");
}

#[test]
fn a_node_with_a_label_of_its_own_has_it_again_when_it_comes_back() {
    let mut labels = with(&["x", "y"]);
    labels.replace(&[("n1", 0, vec!["x"]), ("n1", 2, vec!["y"])]).unwrap();
    for port in [1, 2] {
        assert_eq!(labels.activate("n1", port, &GB).as_deref(), Some(if port == 1 { "x" } else { "y" }));
        labels.deactivate("n1", port);
    }
    assert_eq!(sizes(&labels), []);
    labels.replace(&[("n1", 0, vec![])]).unwrap();
    assert_eq!(labels.activate("n1", 2, &GB).as_deref(), None, "its host's was set after its own");
    labels.deactivate("n1", 9);
    assert_eq!(sizes(&labels), [(String::new(), 1, 1024)]);
    // A resize is both.
    labels.deactivate("n1", 2);
    labels.activate("n1", 2, &GB.plus(&GB));
    assert_eq!(sizes(&labels), [(String::new(), 1, 2048)]);
}

#[test]
fn a_restart_keeps_labels_and_forgets_who_has_none() {
    let mut labels = with(&["x", "y"]);
    labels.add(&[label("z", false)]).unwrap();
    labels.replace(&[("n1", 0, vec!["x"]), ("n2", 1, vec!["y"])]).unwrap();
    labels.activate("n1", 1, &GB);
    labels.activate("n1", 2, &GB);
    labels.replace(&[("n1", 2, vec![])]).unwrap();
    let stored = labels.stored();
    assert_eq!(stored.nodes, [one("n1", 0, "x"), one("n1", 1, "x"), one("n2", 1, "y")]);
    let mut after = NodeLabels::restored(true, &stored).unwrap();
    assert!(!after.partition("z").unwrap().exclusive);
    assert_eq!(sizes(&after), []);
    assert_eq!(after.activate("n1", 2, &GB).as_deref(), Some("x"), "that it was set to none is lost");
    assert_eq!(after.activate("n1", 1, &GB).as_deref(), Some("x"));
    after.replace(&[("n1", 1, vec!["x"])]).unwrap();
    assert_eq!(after.stored().labels, stored.labels);
    assert_eq!(NodeLabels::restored(false, &stored).unwrap_err(), LabelFault::Disabled);
    assert!(NodeLabels::restored(false, &StoredLabels::default()).is_ok());
}

// ---------------------------------------------------------------------------------------------------- a plain model

#[derive(Clone, Debug)]
enum Change {
    Add(usize, bool),
    Remove(usize),
    Replace(Vec<(usize, u16, Option<usize>)>),
    Activate(usize, u16, i64),
    Deactivate(usize, u16),
}

const NAMES: [&str; 3] = ["x", "y", "z"];
const HOSTS: [&str; 3] = ["n1", "n2", "n3"];

fn change() -> impl Strategy<Value = Change> {
    let node = || (0..HOSTS.len(), 1..3_u16);
    let entry = (0..HOSTS.len(), 0..3_u16, prop::option::of(0..NAMES.len()));
    prop_oneof![
        2 => (0..NAMES.len(), any::<bool>()).prop_map(|(name, exclusive)| Change::Add(name, exclusive)),
        1 => (0..NAMES.len()).prop_map(Change::Remove),
        4 => prop::collection::vec(entry, 1..4).prop_map(Change::Replace),
        4 => (node(), 1..9_i64).prop_map(|((host, port), size)| Change::Activate(host, port, size)),
        2 => node().prop_map(|(host, port)| Change::Deactivate(host, port)),
    ]
}

/// The plain model. It keeps what was set and when, and computes each answer from that: a node's label is what was set
/// last for it or for its host.
#[derive(Debug, Default)]
struct Model {
    labels: BTreeMap<usize, bool>,
    /// By host and port, port 0 for the host: the label that was set, and when. No change uses port 9: its entry only
    /// says that the host is known, because a node of it was activated or deactivated.
    set: BTreeMap<(usize, u16), (Option<usize>, usize)>,
    /// What a change of a node is compared with, where something was set for it.
    as_set: BTreeMap<(usize, u16), Option<usize>>,
    running: BTreeMap<(usize, u16), i64>,
    clock: usize,
}

impl Model {
    /// What was set for a node after its host's label was set; `Some(None)` if it was set to no label. `None` if
    /// nothing was: then the host's label counts.
    fn own(&self, host: usize, port: u16) -> Option<Option<usize>> {
        let (label, when) = self.set.get(&(host, port))?;
        let of_host = self.set.get(&(host, 0)).map_or(0, |(_, when)| *when);
        (*when > of_host).then_some(*label)
    }

    fn label(&self, host: usize, port: u16) -> Option<usize> {
        self.own(host, port).unwrap_or_else(|| self.set.get(&(host, 0)).and_then(|(label, _)| *label))
    }

    fn sizes(&self) -> Vec<(String, u32, i64)> {
        let mut out: BTreeMap<String, (u32, i64)> = BTreeMap::new();
        for ((host, port), size) in &self.running {
            let name = self.label(*host, *port).map_or("", |label| NAMES[label]);
            let of = out.entry(name.to_owned()).or_default();
            (of.0, of.1) = (of.0 + 1, of.1 + size);
        }
        out.into_iter().map(|(name, (nodes, size))| (name, nodes, size)).collect()
    }

    /// Whether the change is taken.
    fn apply(&mut self, change: &Change) -> bool {
        self.clock += 1;
        match change {
            Change::Add(name, exclusive) => *self.labels.entry(*name).or_insert(*exclusive) == *exclusive,
            Change::Remove(name) => {
                let is_there = self.labels.remove(name).is_some();
                for (label, _) in self.set.values_mut().filter(|(label, _)| *label == Some(*name)) {
                    *label = None;
                }
                for label in self.as_set.values_mut().filter(|label| **label == Some(*name)) {
                    *label = None;
                }
                is_there
            }
            Change::Replace(entries) => {
                let is_known = |host: &usize| self.set.keys().any(|(at, _)| at == host) || self.seen().contains(host);
                let is_as_before = |(host, port, label): &&(usize, u16, Option<usize>)| match port {
                    0 => is_known(host) && self.set.get(&(*host, 0)).and_then(|(label, _)| *label) == *label,
                    port => self.as_set.get(&(*host, *port)) == Some(label),
                };
                let changes: Vec<_> = entries.iter().filter(|entry| !is_as_before(entry)).copied().collect();
                if changes.iter().any(|(_, _, label)| label.is_some_and(|label| !self.labels.contains_key(&label))) {
                    return false;
                }
                for (host, port, label) in changes {
                    self.clock += 1;
                    self.set.insert((host, port), (label, self.clock));
                    if port > 0 {
                        self.as_set.insert((host, port), label);
                    } else {
                        let known = self.as_set.keys().chain(self.running.keys()).filter(|(of, _)| *of == host);
                        let known: Vec<_> = known.copied().collect();
                        self.as_set.extend(known.into_iter().map(|node| (node, label)));
                    }
                }
                true
            }
            Change::Activate(host, port, size) => {
                self.running.insert((*host, *port), *size);
                self.set.entry((*host, 9)).or_insert((None, 0));
                true
            }
            Change::Deactivate(host, port) => {
                self.running.remove(&(*host, *port));
                if self.own(*host, *port).is_none() {
                    self.as_set.remove(&(*host, *port));
                }
                self.set.entry((*host, 9)).or_insert((None, 0));
                true
            }
        }
    }

    /// Hosts of which something was heard.
    fn seen(&self) -> BTreeSet<usize> {
        self.set.keys().map(|(host, _)| *host).collect()
    }
}

proptest! {
    /// What partitions have, and which label each node has, is what was set last, whatever came in between.
    #[test]
    fn partitions_are_what_was_set_last(changes in prop::collection::vec(change(), 1..60)) {
        let (mut labels, mut model) = (NodeLabels::new(true), Model::default());
        for change in &changes {
            let is_taken = match change {
                Change::Add(name, exclusive) => labels.add(&[label(NAMES[*name], *exclusive)]).is_ok(),
                Change::Remove(name) => labels.remove(&[NAMES[*name]], free).is_ok(),
                Change::Replace(entries) => {
                    let entries: Vec<_> = entries
                        .iter()
                        .map(|(host, port, label)| (HOSTS[*host], *port, label.iter().map(|label| NAMES[*label]).collect()))
                        .collect();
                    labels.replace(&entries).is_ok()
                }
                Change::Activate(host, port, size) => {
                    labels.activate(HOSTS[*host], *port, &Resource::new(*size, 1));
                    true
                }
                Change::Deactivate(host, port) => {
                    labels.deactivate(HOSTS[*host], *port);
                    true
                }
            };
            prop_assert_eq!(is_taken, model.apply(change), "{:?}", change);
            prop_assert_eq!(sizes(&labels), model.sizes(), "{:?}", change);
            for (host, name) in HOSTS.iter().enumerate() {
                for port in 1..3 {
                    let of_model = model.label(host, port).map(|label| NAMES[label]);
                    prop_assert_eq!(labels.label(name, port).as_deref(), of_model, "{} {}", name, port);
                }
            }
        }
    }
}

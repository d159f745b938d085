//! Node labels: which there are, which nodes have them, and how an administrator changes that (rules/node-labels.md 23).
//!
//! Where `yarn.node-labels.enabled` is off there are none: all nodes are in the default partition, and changes are refused.

use std::collections::BTreeMap;

use evenweave::labels::NewLabel;
use evenweave::refused::Configuration;
use evenweave::view::LabelView;
use evenweave::{Refused, Resource};

use super::document::{Node, document};
use super::errors::Fault;
use super::nodes::host_and_port;
use super::partitions::DEFAULT_PARTITION;
use super::request::{Answer, Asked, Outcome};
use super::resource::resource;
use crate::manager::ResourceManager;
use crate::scheduler::{Kind, Scheduler};
use crate::value::{Object, Value};

fn named(label: &LabelView) -> Object {
    Object::new().with("name", label.name.as_str()).with("exclusivity", label.exclusive)
}

fn partition_info(scheduler: &dyn Scheduler, resources: &Resource) -> Object {
    Object::new().with("resourceAvailable", resource(&scheduler.basics().types, resources))
}

/// `/get-node-labels`: all labels, with what their nodes have.
pub(crate) fn all(of: &ResourceManager, _: &Asked) -> Outcome {
    let scheduler = of.scheduler();
    let labels = scheduler.labels();
    let labelled = labels.iter().filter(|label| !label.name.is_empty());
    let labels: Value =
        labelled.map(|label| named(label).with("partitionInfo", partition_info(scheduler, &label.resource))).collect();
    Ok(Answer::mapped("nodeLabelsInfo", listed(labels)))
}

/// A list of labels; without any of them nothing at all.
fn listed(labels: Value) -> Object {
    if labels == Value::List(Vec::new()) { Object::new() } else { Object::new().with("nodeLabelInfo", labels) }
}

/// `/get-rm-node-labels`: all partitions, the default one first. The CapacityScheduler alone counts what is in it.
pub(crate) fn partitions(of: &ResourceManager, _: &Asked) -> Outcome {
    let scheduler = of.scheduler();
    let row = |name: &str, exclusive: bool, resources: &Resource, nodes: usize| {
        Object::new()
            .with("name", name)
            .with("exclusivity", exclusive)
            .with("partitionInfo", partition_info(scheduler, resources))
            .with("activeNMs", nodes)
    };
    if scheduler.basics().labels {
        let rows = scheduler.labels();
        let rows = rows.iter().map(|label| {
            let name = if label.name.is_empty() { DEFAULT_PARTITION } else { &label.name };
            row(name, label.exclusive, &label.resource, label.nodes.len())
        });
        return Ok(Answer::mapped("nodeLabelsInfo", listed(rows.collect())));
    }
    let nodes = match scheduler.basics().kind {
        Kind::Fair => Vec::new(),
        Kind::Capacity => scheduler.nodes(),
    };
    let total: Resource = nodes.iter().map(|node| node.total).sum();
    let default = row(DEFAULT_PARTITION, true, &total, nodes.len());
    Ok(Answer::mapped("nodeLabelsInfo", listed([default].into_iter().collect())))
}

/// The label of a name, as it is shown of a node. One that has gone at this moment is shown all the same.
fn shown(labels: &[LabelView], name: &str) -> Object {
    match labels.iter().find(|label| label.name == name) {
        Some(label) => named(label),
        None => Object::new().with("name", name).with("exclusivity", true),
    }
}

/// `/nodes/{id}/get-labels`, of a node that there is or not.
pub(crate) fn of_node(of: &ResourceManager, asked: &Asked) -> Outcome {
    let id = node_id(asked.part("node"))?;
    let label = of.scheduler().node_labels(&[&id]).pop().filter(|label| !label.is_empty());
    let labels = of.scheduler().labels();
    Ok(Answer::mapped("nodeLabelsInfo", listed(label.iter().map(|label| shown(&labels, label)).collect())))
}

/// `/get-node-to-labels`: hosts, as those with port 0, and nodes.
pub(crate) fn of_nodes(of: &ResourceManager, _: &Asked) -> Outcome {
    let (labels, stored) = (of.scheduler().labels(), of.scheduler().stored_labels());
    let entry = |(host, port, label): &(String, u16, String)| {
        let label = Object::new().with("nodeLabelInfo", vec![Value::from(shown(&labels, label))]);
        (format!("{host}:{port}"), label)
    };
    let nodes = Object::map(stored.nodes.iter().map(entry));
    Ok(Answer::mapped("nodeToLabelsInfo", Object::new().with("nodeToLabels", nodes)))
}

/// `/label-mappings`: the labels that some node or host has; with `?labels=` those among them.
pub(crate) fn of_labels(of: &ResourceManager, asked: &Asked) -> Outcome {
    let scheduler = of.scheduler();
    let (labels, stored) = (scheduler.labels(), scheduler.stored_labels());
    let mut nodes: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for (host, port, label) in &stored.nodes {
        nodes.entry(label).or_default().push(format!("{host}:{port}").into());
    }
    let wanted: Vec<&str> = asked.queries("labels").collect();
    let mut answer = Object::new();
    for label in &labels {
        let is_wanted = wanted.is_empty() || wanted.contains(&label.name.as_str());
        if let Some(nodes) = nodes.remove(label.name.as_str()).filter(|_| is_wanted) {
            let ids =
                Object::new().with("nodes", nodes).with("partitionInfo", partition_info(scheduler, &label.resource));
            answer.push("entry", Object::new().with("key", named(label)).with("value", ids));
        }
    }
    Ok(Answer::mapped("labelsToNodesInfo", Object::new().with("labelsToNodes", answer)))
}

// ---------------------------------------------------------------------------------------------------- changes

fn may(of: &ResourceManager, asked: &Asked, to: &str) -> Result<(), Fault> {
    if of.scheduler().is_admin(&asked.user) {
        return Ok(());
    }
    Err(Fault::unauthorized(format_args!("User {} not authorized for post to ...{to}", asked.user)))
}

/// What came of a change. Nothing is said where it was made.
fn changed(outcome: Result<(), Refused>) -> Outcome {
    match outcome {
        Ok(()) => Ok(Answer::sentence(200, String::new())),
        Err(Refused::Configuration(Configuration::Labels(why))) => {
            Err(Fault::bad_request_for("java.io.IOException", why))
        }
        Err(why) => Err(Fault::unavailable(why)),
    }
}

/// `/add-node-labels`. As in Hadoop a label is shared where nothing is said of that.
pub(crate) fn add(of: &ResourceManager, asked: &Asked) -> Outcome {
    let body = document(asked, "nodeLabelsInfo")?;
    may(of, asked, "/add-node-labels ")?;
    let label = |of: &Node| NewLabel {
        name: of.text("name").unwrap_or_default().to_owned(),
        exclusive: matches!(of.text("exclusivity").map(str::trim), Some("true" | "1")),
    };
    let labels: Vec<NewLabel> = body.all("nodeLabelInfo").filter(|one| one.is_there()).map(label).collect();
    changed(of.scheduler().add_labels(&labels))
}

/// `/remove-node-labels?labels=a&labels=b`
pub(crate) fn remove(of: &ResourceManager, asked: &Asked) -> Outcome {
    may(of, asked, "/remove-node-labels ")?;
    let labels: Vec<&str> = asked.queries("labels").collect();
    changed(of.scheduler().remove_labels(&labels))
}

/// A node's id as the scheduler takes it: `host:port`, or port 0 for the host.
///
/// # Errors
/// A text that is no id.
fn node_id(text: &str) -> Result<String, Fault> {
    let whole = if text.contains(':') { text.to_owned() } else { format!("{text}:0") };
    let (host, port) = host_and_port(&whole)?;
    // No node has another port; Hadoop takes any number.
    let port = u16::try_from(port).map_err(|_| Fault::illegal_argument(format!("Invalid port: {port}")))?;
    Ok(format!("{host}:{port}"))
}

fn replaced(of: &ResourceManager, asked: &Asked, nodes: &BTreeMap<String, Vec<&str>>, to: &str) -> Outcome {
    if !of.cluster().centralized_labels {
        let why =
            "Error when invoke method=replaceLabelsOnNode because centralized node label configuration is not enabled.";
        return Err(Fault::no_input(why));
    }
    may(of, asked, to)?;
    let nodes: Vec<(&str, &[&str])> = nodes.iter().map(|(node, labels)| (node.as_str(), labels.as_slice())).collect();
    changed(of.scheduler().set_node_labels(&nodes))
}

/// `/replace-node-to-labels`. Of a node that is named twice the last word counts.
pub(crate) fn replace(of: &ResourceManager, asked: &Asked) -> Outcome {
    let body = document(asked, "nodeToLabelsName")?;
    let mut nodes = BTreeMap::new();
    for entry in body.all("nodeToLabels").filter(|one| one.is_there()) {
        let id = entry.text("nodeId").ok_or_else(|| Fault::null("the nodeId"))?;
        let labels: Vec<&str> = entry.all("labels").filter_map(|label| label.text.as_deref()).collect();
        nodes.insert(node_id(id)?, labels);
    }
    replaced(of, asked, &nodes, "/replace-node-to-labels")
}

/// `/nodes/{id}/replace-labels?labels=a`
pub(crate) fn replace_on_node(of: &ResourceManager, asked: &Asked) -> Outcome {
    let node = node_id(asked.part("node"))?;
    let labels = asked.queries("labels").collect();
    replaced(of, asked, &BTreeMap::from([(node, labels)]), "/nodes/nodeid/replace-labels")
}

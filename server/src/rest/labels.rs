//! Node labels, as a ResourceManager answers that has `yarn.node-labels.enabled` off: there are none, and all nodes are
//! in the default partition.

use evenweave::Resource;

use super::request::{Answer, Asked, Outcome};
use super::resource::resource;
use crate::manager::ResourceManager;
use crate::scheduler::Kind;
use crate::value::{Object, Value};

/// `/get-node-labels` and `/nodes/{id}/get-labels`, of a node that there is or not.
pub(crate) fn none(_: &ResourceManager, _: &Asked) -> Outcome {
    Ok(Answer::mapped("nodeLabelsInfo", Object::new()))
}

/// `/get-rm-node-labels`: the default partition. The CapacityScheduler alone counts what is in it.
pub(crate) fn partitions(of: &ResourceManager, _: &Asked) -> Outcome {
    let basics = of.scheduler().basics();
    let nodes = match basics.kind {
        Kind::Fair => Vec::new(),
        Kind::Capacity => of.scheduler().nodes(),
    };
    let total: Resource = nodes.iter().map(|node| node.total).sum();
    let nodes = i64::try_from(nodes.len()).unwrap_or(i64::MAX);
    let default = Object::new()
        .with("name", "<DEFAULT_PARTITION>")
        .with("exclusivity", true)
        .with("partitionInfo", Object::new().with("resourceAvailable", resource(&basics.types, &total)))
        .with("activeNMs", nodes);
    Ok(Answer::mapped("nodeLabelsInfo", Object::new().with("nodeLabelInfo", vec![Value::from(default)])))
}

/// `/get-node-to-labels`.
pub(crate) fn of_nodes(_: &ResourceManager, _: &Asked) -> Outcome {
    Ok(Answer::mapped("nodeToLabelsInfo", Object::new().with("nodeToLabels", Object::new())))
}

/// `/label-mappings`.
pub(crate) fn of_labels(_: &ResourceManager, _: &Asked) -> Outcome {
    Ok(Answer::mapped("labelsToNodesInfo", Object::new().with("labelsToNodes", Object::new())))
}

//! Node labels, as the file of nodes has them.

use std::collections::BTreeMap;

use evenweave_tools::Failure;
use evenweave_tools::traces::Node;

use crate::api::NewLabel;
use crate::cluster::NodeSpec;

/// The labels that nodes have, by name.
///
/// # Errors
/// A node of several labels; a label that is exclusive on one node and not on another.
pub(super) fn of_nodes(nodes: &[Node]) -> Result<Vec<NewLabel>, Failure> {
    let mut labels: BTreeMap<&str, bool> = BTreeMap::new();
    for node in nodes {
        let name = &node.host.name;
        if let [(first, _), (second, _), ..] = node.labels.as_slice() {
            return Err(Failure::input(format!(
                "node {name} has the labels {first:?} and {second:?}; give it one: a node of YARN has at most one"
            )));
        }
        for (label, exclusive) in &node.labels {
            if *labels.entry(label).or_insert(*exclusive) != *exclusive {
                return Err(Failure::input(format!(
                    "label {label:?} is exclusive on some nodes and not on others, as on {name}; write the same everywhere"
                )));
            }
        }
    }
    let label = |(name, exclusive): (&str, bool)| NewLabel { name: name.to_owned(), exclusive };
    Ok(labels.into_iter().map(label).collect())
}

/// The label of a node; empty for none.
pub(super) fn of_node(node: &Node) -> String {
    node.labels.first().map(|(label, _)| label.clone()).unwrap_or_default()
}

/// A warning of labels where there are none.
pub(super) fn that_do_not_count(nodes: &[Node]) -> Option<String> {
    let labelled = nodes.iter().filter(|node| !node.labels.is_empty()).count();
    (labelled > 0).then(|| {
        format!(
            "the labels of nodes do not count (nodes with one: {labelled}): node labels are for a CapacityScheduler with \
             yarn.node-labels.enabled"
        )
    })
}

/// How many nodes have which label, to be said behind how many there are.
pub(super) fn told(nodes: &[NodeSpec]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for node in nodes.iter().filter(|node| !node.label.is_empty()) {
        *counts.entry(&node.label).or_default() += 1;
    }
    counts.into_iter().map(|(label, count)| format!(", {count} of them with the label {label}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenweave_tools::traces::generated_nodes;

    fn nodes(labels: [&[(&str, bool)]; 3]) -> Vec<Node> {
        let mut nodes: Vec<Node> = generated_nodes(3, 1).collect();
        for (node, labels) in nodes.iter_mut().zip(labels) {
            node.labels = labels.iter().map(|(name, exclusive)| ((*name).to_owned(), *exclusive)).collect();
        }
        nodes
    }

    fn said(nodes: &[Node]) -> String {
        match of_nodes(nodes) {
            Err(Failure::Input(text)) => text,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_node_has_one_label_which_is_the_same_everywhere() {
        let made = of_nodes(&nodes([&[("gpu", true)], &[], &[("gpu", true)]])).unwrap();
        assert_eq!(made.iter().map(|label| (&*label.name, label.exclusive)).collect::<Vec<_>>(), [("gpu", true)]);
        let refused = said(&nodes([&[("gpu", true), ("ssd", true)], &[], &[]]));
        assert!(refused.starts_with("node node0 has the labels \"gpu\" and \"ssd\""), "{refused}");
        let refused = said(&nodes([&[("gpu", true)], &[], &[("gpu", false)]]));
        assert!(refused.contains("exclusive on some nodes and not on others, as on node2"), "{refused}");
    }

    #[test]
    fn labels_that_do_not_count_are_said() {
        assert_eq!(that_do_not_count(&nodes([&[], &[], &[]])), None);
        let said = that_do_not_count(&nodes([&[("gpu", true)], &[], &[("ssd", false)]])).unwrap();
        assert!(said.starts_with("the labels of nodes do not count (nodes with one: 2)"), "{said}");
    }
}

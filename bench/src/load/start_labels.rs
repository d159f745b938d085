//! Node labels that the cluster of a server begins with.

use std::collections::BTreeMap;

use evenweave_server::scheduler::Scheduler;
use evenweave_tools::Failure;

use crate::api::NewLabel;

/// See the module's text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StartLabels {
    /// Labels, and whether each is exclusive.
    pub labels: Vec<(String, bool)>,
    /// Numbers of nodes, the first and the last of some that have the same label, and that.
    pub nodes: Vec<(u32, u32, String)>,
}

impl StartLabels {
    /// The label of each node that has one, of so many nodes.
    ///
    /// # Errors
    /// A node that there is not, or one of two labels.
    fn by_node(&self, nodes: u32) -> Result<BTreeMap<u32, &str>, Failure> {
        let wrong = |what: String| Err(Failure::input(format!("--labelled-nodes: {what}")));
        let mut labels: BTreeMap<u32, &str> = BTreeMap::new();
        for (first, last, label) in &self.nodes {
            if *last >= nodes {
                return wrong(format!("there is no node n{last}: the nodes are n0 to n{}", nodes - 1));
            }
            for node in *first..=*last {
                if let Some(other) = labels.insert(node, label).filter(|other| other != label) {
                    return wrong(format!("n{node} has the labels {other} and {label}; a node has at most one"));
                }
            }
        }
        Ok(labels)
    }

    /// How many nodes have which label, to be said behind how many there are.
    ///
    /// # Errors
    /// Those of `give` that are seen before there is a scheduler.
    pub fn told(&self, nodes: u32) -> Result<String, Failure> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        self.by_node(nodes)?.into_values().for_each(|label| *counts.entry(label).or_default() += 1);
        Ok(counts.into_iter().map(|(label, count)| format!(", {count} of them with the label {label}")).collect())
    }

    /// Adds the labels, and gives them to nodes that are yet to come.
    ///
    /// # Errors
    /// Nodes as above, and what the scheduler says against a label.
    pub(super) fn give(&self, scheduler: &dyn Scheduler, nodes: u32) -> Result<(), Failure> {
        let mut is_exclusive: BTreeMap<&str, bool> = BTreeMap::new();
        for (name, exclusive) in &self.labels {
            if is_exclusive.insert(name, *exclusive).is_some_and(|said| said != *exclusive) {
                return Err(Failure::input(format!(
                    "--node-labels: {name} is both exclusive and shared; say one of them"
                )));
            }
        }
        let new = |(name, exclusive): (&str, bool)| NewLabel { name: name.to_owned(), exclusive };
        let labels: Vec<NewLabel> = is_exclusive.into_iter().map(new).collect();
        scheduler.add_labels(&labels).map_err(|why| Failure::input(format!("--node-labels: {why}")))?;
        let labelled = self.by_node(nodes)?;
        let named: Vec<(String, [&str; 1])> =
            labelled.into_iter().map(|(node, label)| (format!("n{node}"), [label])).collect();
        let given: Vec<(&str, &[&str])> = named.iter().map(|(node, label)| (node.as_str(), label.as_slice())).collect();
        if given.is_empty() {
            return Ok(());
        }
        scheduler.set_node_labels(&given).map_err(|why| Failure::input(format!("--labelled-nodes: {why}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(nodes: &[(u32, u32, &str)]) -> StartLabels {
        let nodes = nodes.iter().map(|(first, last, label)| (*first, *last, (*label).to_owned()));
        StartLabels { labels: Vec::new(), nodes: nodes.collect() }
    }

    #[test]
    fn a_node_is_there_and_has_one_label() {
        let said = |nodes: &[(u32, u32, &str)]| match labels(nodes).told(10) {
            Ok(said) | Err(Failure::Input(said)) => said,
            Err(other) => panic!("{other:?}"),
        };
        assert_eq!(said(&[]), "");
        assert_eq!(
            said(&[(0, 3, "gpu"), (3, 4, "gpu"), (9, 9, "a")]),
            ", 1 of them with the label a, 5 of them with the label gpu"
        );
        assert_eq!(said(&[(9, 10, "gpu")]), "--labelled-nodes: there is no node n10: the nodes are n0 to n9");
        assert!(said(&[(0, 3, "gpu"), (3, 3, "a")]).contains("n3 has the labels gpu and a; a node has at most one"));
    }
}

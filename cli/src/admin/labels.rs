//! Labels and nodes with labels, as `yarn rmadmin` reads them (rules/node-labels.md 4.1), and as REST has them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::node_labels::labels;

/// There is nothing in a list of labels.
pub(super) const NO_LABELS: &str = "No cluster node-labels are specified";

/// Labels by node: `host:port`, or a host alone.
pub(super) type Mappings = BTreeMap<String, BTreeSet<String>>;

/// `a(exclusive=true),b(exclusive=false),c`: the body of a request that adds them.
///
/// # Errors
/// A sentence of Hadoop's.
pub(super) fn new_labels(text: &str) -> Result<Value, String> {
    let labels = labels(text)?;
    if labels.is_empty() {
        return Err(NO_LABELS.to_owned());
    }
    let label = |(name, exclusive)| json!({"name": name, "exclusivity": bool::to_string(&exclusive)});
    let labels: Vec<Value> = labels.into_iter().map(label).collect();
    Ok(json!({"nodeLabelInfo": labels}))
}

/// `n1:8041=a n2=b n3=`. Hadoop's tool takes the sign of the last into the name of the node; here it has no label.
///
/// # Errors
/// A sentence of Hadoop's.
pub(super) fn mappings(words: &[&str]) -> Result<Mappings, String> {
    let mut nodes = Mappings::new();
    let entries = words.iter().flat_map(|word| word.split([' ', '\n'])).map(str::trim);
    for entry in entries.filter(|entry| !entry.is_empty() && !entry.starts_with('#')) {
        let (node, labels) = entry.split_once('=').or(entry.split_once(',')).unwrap_or((entry, ""));
        if node.trim().is_empty() {
            return Err("node name cannot be empty".to_owned());
        }
        let labels = labels.split(',').map(str::trim).filter(|label| !label.is_empty()).map(str::to_owned);
        let labels: BTreeSet<String> = labels.collect();
        if labels.len() > 1 {
            return Err(format!(
                "{} labels specified on host={node}, please note that we do not support specifying multiple labels on a \
                 single host for now.",
                labels.len()
            ));
        }
        nodes.insert(node.trim().to_owned(), labels);
    }
    if nodes.is_empty() {
        return Err("No node-to-labels mappings are specified".to_owned());
    }
    Ok(nodes)
}

/// The body of a request that replaces labels.
pub(super) fn body(nodes: &Mappings) -> Value {
    let entry = |(node, labels): (&String, &BTreeSet<String>)| json!({"nodeId": node, "labels": labels});
    json!({"nodeToLabels": nodes.iter().map(entry).collect::<Vec<_>>()})
}

/// Those that are not among the nodes of an answer.
pub(super) fn unknown(nodes: &Mappings, there: &[Value]) -> Vec<String> {
    let is_there = |node: &str| {
        let (host, port) = node.split_once(':').unwrap_or((node, "0"));
        there.iter().filter_map(|one| one["id"].as_str()).any(|id| {
            let (of_host, of_port) = id.rsplit_once(':').unwrap_or((id, ""));
            of_host == host && (port == "0" || of_port == port)
        })
    };
    let unknown = nodes.keys().filter(|node| !is_there(node));
    unknown.map(|node| if node.contains(':') { node.clone() } else { format!("{node}:0") }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_exclusive_unless_it_is_said_otherwise() {
        let read = new_labels(" a(exclusive=true),b( exclusive = false ),c,d(),").expect("labels");
        let label = |name: &str, exclusivity: &str| json!({"name": name, "exclusivity": exclusivity});
        let expected = [label("a", "true"), label("b", "false"), label("c", "true"), label("d", "true")];
        assert_eq!(read, json!({"nodeLabelInfo": expected}));
        for text in ["", " , ", ","] {
            assert_eq!(new_labels(text).unwrap_err(), NO_LABELS);
        }
        for text in ["a(", "a)", "a)(", "a(exclusive=yes)", "a(shared=true)", "a(exclusive)"] {
            assert!(new_labels(text).unwrap_err().contains("is not correct"), "{text}");
        }
    }

    #[test]
    fn nodes_have_one_label_at_most() {
        let read = mappings(&["n1:8041=a n2=b n3=", "n4,c\n#n5=d", "n6"]).expect("nodes");
        let of = |node: &str| read[node].iter().map(String::as_str).collect::<Vec<_>>().join("+");
        assert_eq!(read.len(), 5);
        assert_eq!(["n1:8041", "n2", "n3", "n4", "n6"].map(of), ["a", "b", "", "c", ""]);
        for (words, why) in [("", "No node-to-labels"), ("=a", "cannot be empty"), ("n=a,b", "2 labels")] {
            let said = mappings(&words.split("  ").collect::<Vec<_>>());
            assert!(said.as_ref().is_err_and(|said| said.contains(why)), "{words}: {said:?}");
        }
        assert_eq!(body(&read)["nodeToLabels"][0], json!({"nodeId": "n1:8041", "labels": ["a"]}));
    }

    #[test]
    fn a_host_is_known_by_any_of_its_nodes() {
        let there = [json!({"id": "n1:8041"}), json!({"id": "n2:1"})];
        let nodes = mappings(&["n1=a n1:8041=a n1:1=a n2:0=a n3=a"]).expect("nodes");
        assert_eq!(unknown(&nodes, &there), ["n1:1", "n3:0"]);
    }
}

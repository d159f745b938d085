//! Nodes: SLS's node files, and the nodes that traces bring.

use std::collections::BTreeMap;
use std::io::Read;

use super::error::{At, TraceFileError};
use super::hosts::Host;
use super::json::Values;
use super::source::Source;
use super::values::{Fields, Wrong, int};

/// A node of the simulated cluster.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Node {
    /// Its rack and name.
    pub host: Host,
    /// Its size by resource type; a type that is not named has the simulator's setting.
    pub resource: BTreeMap<String, i64>,
    /// Its labels, and whether each is exclusive.
    pub labels: Vec<(String, bool)>,
}

impl Node {
    /// A node without a size of its own.
    #[must_use]
    pub fn new(host: Host) -> Node {
        Node { host, resource: BTreeMap::new(), labels: Vec::new() }
    }
}

/// Nodes, equal ones once.
#[derive(Clone, Debug, Default)]
pub struct Nodes {
    list: Vec<Node>,
    seen: std::collections::HashSet<Node>,
}

impl Nodes {
    /// Adds a node that is not there yet.
    pub fn add(&mut self, node: Node) {
        if self.seen.insert(node.clone()) {
            self.list.push(node);
        }
    }

    /// The nodes in the order in which they came.
    #[must_use]
    pub fn list(&self) -> &[Node] {
        &self.list
    }
}

/// Nodes that are only counted: node `i` is `/rack{i mod racks}/node{i}`. Racks below 1 count as one, more than nodes
/// as so many.
///
/// ```
/// use evenweave_tools::traces::generated_nodes;
/// let hosts: Vec<String> = generated_nodes(3, 2).map(|node| format!("{}/{}", node.host.rack, node.host.name)).collect();
/// assert_eq!(hosts, ["/rack0/node0", "/rack1/node1", "/rack0/node2"]);
/// ```
pub fn generated_nodes(count: u32, racks: u32) -> impl Iterator<Item = Node> {
    let racks = racks.clamp(1, count.max(1));
    (0..count).map(move |i| Node::new(Host { rack: format!("/rack{}", i % racks), name: format!("node{i}") }))
}

/// No rack is longer, in bytes.
const LONGEST_RACK: u64 = 64 << 20;

const EXAMPLE: &str = "a node file has an object a rack, such as {\"rack\": \"r0\", \"nodes\": [{\"node\": \"n0\", \"memory-mb\": 8192}]}";

/// Reads a node file: a sequence of objects, one a rack. `name` stands in errors.
///
/// # Errors
/// The first thing that is wrong, with its place.
pub fn read_node_file(input: impl Read + Send + 'static, name: &str) -> Result<Vec<Node>, TraceFileError> {
    let mut nodes = Nodes::default();
    let mut last = At::START;
    for value in Values::new(Source::new(input, name)?, LONGEST_RACK) {
        let value = value?;
        last = value.at;
        let read = Fields::of(&value, "an entry").and_then(|rack| read_rack(rack, &mut nodes));
        read.map_err(|wrong| wrong.of(name))?;
    }
    if nodes.list.is_empty() {
        return Err(TraceFileError::new(name, last, "there is no node in it", EXAMPLE));
    }
    Ok(nodes.list)
}

fn read_rack(entry: Fields<'_>, nodes: &mut Nodes) -> Result<(), Wrong> {
    let rack = entry.text("rack")?;
    let rack = entry.wanted("rack", rack, EXAMPLE)?;
    let list = entry.list("nodes")?;
    for value in entry.wanted("nodes", list, EXAMPLE)? {
        let fields = Fields::of(value, "a node")?;
        let name = fields.text("node")?;
        let name = fields.wanted("node", name, EXAMPLE)?;
        let mut node = Node::new(Host { rack: format!("/{}", rack.trim_start_matches('/')), name: name.to_owned() });
        for (key, value) in fields.members() {
            match key {
                "node" => {}
                "labels" => node.labels = labels(fields.text("labels")?.unwrap_or_default(), value.at)?,
                "memory-mb" | "vcores" => drop(node.resource.insert(key.to_owned(), int(key, value)?.into())),
                // Another type of the cluster, or a key that means nothing.
                _ => {
                    if let Ok(amount) = int(key, value) {
                        node.resource.insert(key.to_owned(), amount.into());
                    }
                }
            }
        }
        nodes.add(node);
    }
    Ok(())
}

/// `gpu(exclusive=true),ssd`; exclusive when not said.
fn labels(text: &str, at: At) -> Result<Vec<(String, bool)>, Wrong> {
    let wrong = |part: &str| {
        let problem = format!("labels has {part:?}");
        Wrong::new(at, problem, "write labels as in \"gpu(exclusive=true),ssd\"")
    };
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    parts.map(|part| node_label(part).ok_or_else(|| wrong(part))).collect()
}

/// Reads one label, `gpu` or `gpu(exclusive=false)`: its name, and whether it is exclusive. It is if not said. `None`
/// for another text in brackets.
#[must_use]
pub fn node_label(part: &str) -> Option<(String, bool)> {
    let Some((name, rest)) = part.split_once('(') else { return Some((part.trim().to_owned(), true)) };
    let said = rest.trim_end().strip_suffix(')').and_then(|rest| rest.trim().strip_prefix("exclusive"))?;
    let said = said.trim_start().strip_prefix('=').map(|said| said.trim().to_lowercase())?;
    let exclusive = match said.as_str() {
        "true" => true,
        "false" => false,
        _ => return None,
    };
    Some((name.trim().to_owned(), exclusive))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Node>, String> {
        read_node_file(std::io::Cursor::new(text.as_bytes().to_vec()), "nodes.json").map_err(|error| error.to_string())
    }

    #[test]
    fn nodes_have_racks_sizes_and_labels() {
        let nodes = read(
            "{\"rack\": \"r0\", \"nodes\": [{\"node\": \"a\"}, {\"node\": \"a\"}]}\n\
             {\"rack\": \"r1\", \"nodes\": [{\"node\": \"b\", \"memory-mb\": \"8192\", \"gpu\": 2, \"owner\": \"al\", \
             \"labels\": \"fast(exclusive=false), big\"}]}",
        );
        let nodes = nodes.unwrap();
        assert_eq!(nodes.len(), 2);
        assert_eq!((nodes[0].host.rack.as_str(), nodes[1].host.name.as_str()), ("/r0", "b"));
        let sizes: Vec<(&str, i64)> = nodes[1].resource.iter().map(|(name, amount)| (name.as_str(), *amount)).collect();
        assert_eq!(sizes, [("gpu", 2), ("memory-mb", 8192)]);
        assert_eq!(nodes[1].labels, [("fast".to_owned(), false), ("big".to_owned(), true)]);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        for (text, said) in [
            ("{\"nodes\": []}", "nodes.json:1:1: there is no \"rack\"; "),
            ("{\"rack\": \"r\",\n \"nodes\": 3}", "nodes.json:2:11: nodes is a number; it must be a list [...]"),
            ("{\"rack\": \"r\"}", "nodes.json:1:1: there is no \"nodes\"; "),
            ("{\"rack\": \"r\", \"nodes\": [{}]}", "nodes.json:1:25: there is no \"node\"; "),
            (
                "{\"rack\": \"r\", \"nodes\": [{\"node\": \"n\", \"vcores\": 1.5}]}",
                "nodes.json:1:49: vcores is \"1.5\", no whole number; ",
            ),
            (
                "{\"rack\": \"r\", \"nodes\": [{\"node\": \"n\", \"labels\": \"a(b)\"}]}",
                "nodes.json:1:49: labels has \"a(b)\"; write labels as in \"gpu(exclusive=true),ssd\"",
            ),
            ("7", "nodes.json:1:1: an entry is a number; it must be an object {...}"),
            ("", "nodes.json:1:1: there is no node in it; "),
        ] {
            let found = read(text).unwrap_err();
            assert!(found.starts_with(said), "{found}");
        }
    }
}

//! Why an application waits: the form that the reasons of both schedulers have. They are made when a caller asks why.

use std::fmt;

/// One reason why an application waits at the moment.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reason<W> {
    /// Priority and allocation request id of the request key that it is about; `None`: it is about all of them.
    pub key: Option<(i32, i64)>,
    /// How many nodes it is about, and the name of the first. `None`: it does not depend on a node.
    pub nodes: Option<(usize, String)>,
    /// What the application waits for, with the amounts of the first node.
    pub wait: W,
}

/// What an application may wait for.
pub(crate) trait Wait {
    /// Whether both are the same reason, even if their amounts differ.
    fn is_alike(&self, other: &Self) -> bool;
}

impl<W> Reason<W> {
    /// A reason that does not depend on a node.
    pub(crate) fn for_any_node(wait: W) -> Reason<W> {
        Reason { key: None, nodes: None, wait }
    }

    /// A reason on one node. `key` is `None` if it is about all request keys.
    pub(crate) fn on(node: &str, key: Option<(i32, i64)>, wait: W) -> Reason<W> {
        Reason { key, nodes: Some((1, node.to_owned())), wait }
    }
}

fn are_alike<W: Wait>(one: &Reason<W>, other: &Reason<W>) -> bool {
    one.key == other.key && one.nodes.is_some() == other.nodes.is_some() && one.wait.is_alike(&other.wait)
}

/// Adds reasons to the list. One that is like a reason in the list is not added: its nodes are counted there. So the
/// list keeps the amounts of the first node.
pub(crate) fn merge<W: Wait>(into: &mut Vec<Reason<W>>, others: impl IntoIterator<Item = Reason<W>>) {
    for other in others {
        match into.iter_mut().find(|reason| are_alike(reason, &other)) {
            Some(Reason { nodes: Some((count, _)), .. }) => {
                *count += other.nodes.map_or(0, |(count, _)| count);
            }
            Some(_) => {}
            None => into.push(other),
        }
    }
}

/// Key, reason, and where: `priority 1: the node is full: … (3 nodes, n1 first)`.
impl<W: fmt::Display> fmt::Display for Reason<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.key {
            Some((priority, 0)) => write!(f, "priority {priority}: ")?,
            Some((priority, id)) => write!(f, "priority {priority}, allocation request {id}: ")?,
            None => {}
        }
        write!(f, "{}", self.wait)?;
        match &self.nodes {
            None => Ok(()),
            Some((1, node)) => write!(f, " ({node})"),
            Some((count, node)) => write!(f, " ({count} nodes, {node} first)"),
        }
    }
}

//! Why an application waits: the shape that the reasons of both schedulers have.
//!
//! Plain values, made where somebody asks.

use std::fmt;

/// One reason why an application waits, as things stand.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reason<W> {
    /// Priority and allocation request id of the request key that it is about; `None`: it is about all of them.
    pub key: Option<(i32, i64)>,
    /// How many nodes it is about, and the first of them; `None`: it stands whatever the node.
    pub nodes: Option<(usize, String)>,
    /// What the application waits for, with the figures of the first node.
    pub wait: W,
}

/// What an application may wait for.
pub(crate) trait Wait {
    /// The same but for its figures.
    fn is_alike(&self, other: &Self) -> bool;
}

impl<W> Reason<W> {
    /// One that stands whatever the node.
    pub(crate) fn whole(wait: W) -> Reason<W> {
        Reason { key: None, nodes: None, wait }
    }

    /// One of a request key, or of all, on a node.
    pub(crate) fn on(node: &str, key: Option<(i32, i64)>, wait: W) -> Reason<W> {
        Reason { key, nodes: Some((1, node.to_owned())), wait }
    }
}

fn are_alike<W: Wait>(one: &Reason<W>, other: &Reason<W>) -> bool {
    one.key == other.key && one.nodes.is_some() == other.nodes.is_some() && one.wait.is_alike(&other.wait)
}

/// Puts reasons of other nodes to those that are alike; the figures of the first stay.
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

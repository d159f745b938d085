//! The simulated cluster: its nodes, and what happens to them.

use crate::api::Resource;

/// Nodes come and go, at a time in ms.
#[derive(Clone, Debug)]
pub(super) struct PlannedChange {
    pub(super) at_ms: u64,
    pub(super) what: NodeFate,
}

/// What happens to nodes.
#[derive(Clone, Debug)]
pub(super) enum NodeFate {
    /// Those of these names are lost.
    Lose(Vec<String>),
    /// New ones, or some that were lost.
    Add(Vec<NodeSpec>),
    Resize(String, Resource),
}

/// A node of the cluster.
#[derive(Clone, Debug)]
pub(super) struct NodeSpec {
    pub(super) name: String,
    pub(super) rack: String,
    pub(super) total: Resource,
    /// Its node label; empty for none.
    pub(super) label: String,
}

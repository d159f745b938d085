//! The nodes that are there, for whoever looks from outside; and the order of Hadoop's map of them.

use crate::config::hash_order::{Buckets, spread};
use crate::engine::books::ledger::NodeShared;
use crate::id::NodeId;
use crate::sync::Arc;
use std::collections::BTreeMap;

/// A node, with its place in Hadoop's map.
#[derive(Debug)]
struct Entry {
    node: Arc<NodeShared>,
    /// The hash of its `NodeId`, spread.
    hash: u32,
    /// Which one of all that were ever put into the map it is.
    put: u64,
}

/// Nodes in order of registration. `ClusterNodeTracker` has them in a `HashMap` by `NodeId`; its order is kept as well.
#[derive(Debug, Default)]
pub(crate) struct NodeTable {
    entries: BTreeMap<NodeId, Entry>,
    buckets: Buckets,
    puts: u64,
}

impl NodeTable {
    /// A node comes; `hash` is that of its `NodeId`.
    pub(crate) fn add(&mut self, node: Arc<NodeShared>, hash: u32) {
        self.put(node, spread(hash));
    }

    fn put(&mut self, node: Arc<NodeShared>, hash: u32) {
        self.buckets.one_more(hash, self.entries.values().map(|entry| entry.hash));
        self.entries.insert(node.id, Entry { node, hash, put: self.puts });
        self.puts += 1;
    }

    pub(crate) fn remove(&mut self, node: NodeId) {
        self.entries.remove(&node);
    }

    /// A node has another total: Hadoop takes it out of its map, and puts it into it again.
    pub(crate) fn put_again(&mut self, node: NodeId) {
        if let Some(Entry { node, hash, .. }) = self.entries.remove(&node) {
            self.put(node, hash);
        }
    }

    pub(crate) fn get(&self, node: NodeId) -> Option<&Arc<NodeShared>> {
        self.entries.get(&node).map(|entry| &entry.node)
    }

    /// In order of registration.
    pub(crate) fn ids(&self) -> Vec<NodeId> {
        self.entries.keys().copied().collect()
    }

    /// In order of registration.
    pub(crate) fn nodes(&self) -> impl ExactSizeIterator<Item = &Arc<NodeShared>> {
        self.entries.values().map(|entry| &entry.node)
    }

    /// Those that are wanted, in the order of Hadoop's map.
    pub(crate) fn in_map_order(&self, is_wanted: impl Fn(&NodeShared) -> bool) -> Vec<Arc<NodeShared>> {
        let mut wanted: Vec<_> = self.entries.values().filter(|entry| is_wanted(&entry.node)).collect();
        wanted.sort_by_key(|entry| (self.buckets.place(entry.hash), entry.put));
        wanted.into_iter().map(|entry| entry.node.clone()).collect()
    }
}

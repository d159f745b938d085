//! What the control knows of node labels: the manager, numbers of labels, and which nodes there are by address.

use crate::engine::books::ledger::NodeShared;
use crate::id::{LabelId, NodeId};
use crate::labels::{LabelTable, NodeLabels};
use crate::sync::Arc;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// A host's name and a port.
pub(super) type Address = (Arc<str>, u16);

/// Nothing of it is kept up where labels are off.
#[derive(Debug)]
pub(crate) struct Labelling {
    pub(super) manager: NodeLabels,
    pub(super) table: Arc<LabelTable>,
    pub(super) nodes: BTreeMap<Address, Arc<NodeShared>>,
    pub(super) addresses: FxHashMap<NodeId, Address>,
}

impl Labelling {
    pub(super) fn new(enabled: bool) -> Labelling {
        let manager = NodeLabels::new(enabled);
        let mut table = LabelTable::default();
        if enabled {
            table.update(&manager);
        }
        Labelling { manager, table: Arc::new(table), nodes: BTreeMap::new(), addresses: FxHashMap::default() }
    }

    pub(super) fn number(&self, label: Option<&Arc<str>>) -> LabelId {
        label.and_then(|label| self.table.number(label)).unwrap_or_default()
    }
}

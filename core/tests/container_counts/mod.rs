//! Counts of containers are those of their views.

use std::collections::BTreeMap;

use evenweave::NodeId;
use evenweave::view::{ContainerCounts, ContainerView};

/// What differs, if anything does.
pub(crate) fn compare(counts: &ContainerCounts, views: &[ContainerView]) -> Result<(), String> {
    let (mut by_app, mut by_node) = (BTreeMap::<u32, u64>::new(), BTreeMap::<NodeId, u64>::new());
    for view in views {
        *by_node.entry(view.node_id).or_default() += 1;
        if !view.ended {
            *by_app.entry(view.id.application_number()).or_default() += 1;
        }
    }
    let is_same = counts.by_app == by_app && counts.by_node == by_node;
    if is_same { Ok(()) } else { Err(format!("counted {counts:?}, there are {by_app:?} and {by_node:?}")) }
}

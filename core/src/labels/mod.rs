//! Node labels: which labels there are, which node has which, and what the nodes of each have together.
//!
//! Follows rules/node-labels.md 3 and 24; `CommonNodeLabelsManager` and `RMNodeLabelsManager`. Plain data of one
//! thread: it knows hosts and ports, and nothing of a scheduler. A change says of which nodes a scheduler has to be
//! told.
//!
//! Cost: a change of a node O(log labels + nodes of its host), of labels O(hosts + nodes).

mod fault;

mod hosts;

mod manager;

mod stored;

mod table;

mod terms;

#[cfg(test)]
mod model;

pub use fault::LabelFault;
pub use manager::{LabelledNode, NodeLabels, Partition};
pub use stored::{NewLabel, StoredLabels};
pub(crate) use table::LabelTable;
pub(crate) use terms::LabelTerms;

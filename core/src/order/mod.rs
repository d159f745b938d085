//! Who comes first: siblings kept in order (winner tree), and sorted anew as Java does (red-black set).
//!
//! Plain data, owned by one worker each.

mod java_set;

mod winner_tree;

pub(crate) use java_set::java_order;
pub(crate) use winner_tree::WinnerTree;

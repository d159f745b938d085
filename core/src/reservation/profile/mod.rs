//! Resources over time: step functions, and the few operations of Hadoop's on them.
//!
//! Follows `RLESparseResourceAllocation` and `PeriodicRLESparseResourceAllocation` of Hadoop 3.4.2, literally: results
//! hang on which times are kept, on undefined ends and on the special cases of empty profiles. [`Steps`] is one that
//! was computed, [`Ledger`] one that is kept and changed in place, [`Periodic`] one that begins anew with each period.

mod ledger;

mod merge;

mod periodic;

mod steps;

pub use ledger::Ledger;
pub(crate) use merge::merge_as_is;
pub use merge::{Operation, merge};
pub use periodic::{Periodic, fold};
pub use steps::{Piece, Point, Steps};

//! Mapping rules: which queue an application enters.
//!
//! Follows rules/capacity.md 8.4; `CSMappingPlacementRule`. Rules are read and checked with the file, and applied when
//! applications come.

mod check;

mod json;

mod legacy;

#[cfg(feature = "check")]
mod lint;

mod place;

mod properties;

mod queues;

mod reading;

mod target;

#[cfg(feature = "check")]
pub(super) use lint::check as check_lints;
pub use place::{RejectedByRule, ToPlace};
pub(super) use reading::read;

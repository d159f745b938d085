//! Resources: the vector, its elementary operations, the two calculators, units.
//!
//! Pure functions over plain data; any thread. Follows YARN's `Resource`, `Resources` and the two
//! `ResourceCalculator`s of Hadoop 3.4.2.

mod calculator;

mod units;

mod vector;

#[cfg(not(loom))]
mod wide;

pub use calculator::Calculator;
pub use units::{Unit, UnitError};
pub use vector::{LONGEST_NAME, MAX_TYPES, Resource, ResourceTypes, ResourceTypesError, f64_to_i64};
#[cfg(not(loom))]
pub(crate) use wide::Wide;

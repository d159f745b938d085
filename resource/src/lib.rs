//! Resources: the vector, its elementary operations, the two calculators, units.
//!
//! `evenweave::resource` passes it on; embedders need not name this crate.
//!
//! Pure functions over plain data; any thread. Follows YARN's `Resource`, `Resources` and the two
//! `ResourceCalculator`s of Hadoop 3.4.2.

mod calculator;
#[doc(hidden)]
pub mod sorted;
mod text;
mod units;
mod vector;
mod wide;

pub use calculator::Calculator;
pub use text::ResourceTextError;
pub use units::{Unit, UnitError};
pub use vector::{LONGEST_NAME, MAX_TYPES, Resource, ResourceTypes, ResourceTypesError, f64_to_i64};
#[doc(hidden)]
pub use wide::Wide;

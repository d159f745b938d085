//! Resources: the vector, its types, the two calculators, units. The crate `evenweave-resource`.

#[doc(inline)]
pub use evenweave_resource::{
    Calculator, LONGEST_NAME, MAX_TYPES, Resource, ResourceTextError, ResourceTypes, ResourceTypesError, Unit,
    UnitError, f64_to_i64,
};
#[cfg(not(loom))]
pub(crate) use evenweave_resource::{Wide, sorted};

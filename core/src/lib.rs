//! Evenweave: a scheduler core that decides as Apache Hadoop YARN's FairScheduler does, without its one big lock.

mod resource;

pub use resource::{Calculator, MAX_TYPES, Resource, ResourceTypes, ResourceTypesError, Unit, UnitError, f64_to_i64};

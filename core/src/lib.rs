//! Evenweave: a scheduler core that decides as Apache Hadoop YARN's FairScheduler does, without its one big lock.

mod config;

mod resource;

pub use config::{
    AccessControlList, AllocationFile, AllocationFileError, ConfigWarning, Limit, Missing, Parsed, Place,
    PlacementChange, PlacementRule, PolicyName, QueueSettings, ROOT, ResourceStringError, RuleKind, Settings,
    SettingsError, default_rules, parse_resource, rooted, trim_java, valid_requested_name,
};
pub use resource::{Calculator, MAX_TYPES, Resource, ResourceTypes, ResourceTypesError, Unit, UnitError, f64_to_i64};

//! The yarn-site properties that the scheduler reads, once, at start.
//!
//! Follows rules/configuration.md 1; Hadoop's `FairSchedulerConfiguration` and the checks of
//! `FairScheduler.validateConf`.

mod builder;

mod checks;

mod fields;

mod names;

mod read;

mod reader;

#[cfg(test)]
mod tests;

mod types;

mod values;

pub use builder::SettingsBuilder;
pub use fields::{CONTAINERS_PER_NODE, Settings};
pub use values::SettingsFault;

pub(super) use types::{read_bounds, read_types};

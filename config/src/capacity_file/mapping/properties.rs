//! The properties of mapping rules, and what is said of them.

use crate::capacity_file::error::{CapacityFault, CapacityFileError};

pub(super) const FORMAT: &str = "yarn.scheduler.capacity.mapping-rule-format";
pub(super) const JSON: &str = "yarn.scheduler.capacity.mapping-rule-json";
pub(super) const JSON_FILE: &str = "yarn.scheduler.capacity.mapping-rule-json-file";
pub(super) const MAPPINGS: &str = "yarn.scheduler.capacity.queue-mappings";
pub(super) const APP_NAME_MAPPINGS: &str = "yarn.scheduler.queue-placement-rules.app-name";

/// What is wrong with a rule, for people.
pub(super) type Problem = String;

pub(super) fn error(property: &str, problem: impl Into<String>) -> CapacityFileError {
    CapacityFileError::new(property, CapacityFault::Mapping(problem.into()))
}

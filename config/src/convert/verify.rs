//! Whether a CapacityScheduler starts with what was written.
//!
//! Hadoop's `ConvertedConfigValidator`: the written yarn-site.xml and all others have no part in it, so the calculator
//! and the largest container are the default ones.

use super::error::{ConvertError, ConvertFault, JavaException};
use crate::capacity_file::{CapacityFault, CapacityFile, CapacityFileError};
use crate::site::SiteProperties;
use crate::type_order::types_in_map;
use evenweave_resource::ResourceTypes;
use std::collections::BTreeMap;

/// Starts one, in thought.
///
/// # Errors
/// Why it would not start.
pub(super) fn verify(properties: &BTreeMap<String, String>, types: &ResourceTypes) -> Result<(), ConvertError> {
    if types.len() > 2 {
        return Err(failed(vec![JavaException::new("YarnRuntimeException", only_memory(types))]));
    }
    let own = properties.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    CapacityFile::from_properties([], own).map(drop).map_err(|error| refused(&error))
}

/// The same with the old yarn-site.xml below, and what is to be changed in it over that.
///
/// # Errors
/// Why it would not start.
pub(super) fn verify_on(
    capacity: &BTreeMap<String, String>,
    changed: &BTreeMap<String, String>,
    site: &SiteProperties,
) -> Result<(), ConvertError> {
    let mut below = site.clone();
    for (name, value) in changed {
        below.set(name, value.clone());
    }
    let own = capacity.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    CapacityFile::over(&below, own).map(drop).map_err(|error| refused(&error))
}

fn refused(error: &CapacityFileError) -> ConvertError {
    let mut exceptions = vec![JavaException::new("YarnException", "Failed to initialize queues")];
    exceptions.extend(below(&error.fault));
    failed(exceptions).with(error.diagnostic())
}

fn failed(exceptions: Vec<JavaException>) -> ConvertError {
    ConvertError { fault: ConvertFault::Verification, exceptions, found: None }
}

/// The exceptions below the one that says that there are no queues.
fn below(fault: &CapacityFault) -> Vec<JavaException> {
    let message = fault.to_string();
    #[expect(clippy::wildcard_enum_match_arm, reason = "all others are about capacities, which are checked in one way")]
    match fault {
        CapacityFault::NoChildren { queue } => {
            let message = format!("Queue configuration missing child queue names for {queue}");
            vec![JavaException::new("IllegalStateException", message)]
        }
        CapacityFault::Capacity { queue, value } => {
            let message = format!("Illegal capacity of {value} for queue {queue}");
            vec![JavaException::new("IllegalArgumentException", message)]
        }
        CapacityFault::Weight { .. } | CapacityFault::MaximumAllocation { .. } => {
            vec![JavaException::new("IllegalArgumentException", message)]
        }
        CapacityFault::NotANumber { .. } => vec![JavaException::new("NumberFormatException", message)],
        CapacityFault::Mapping(problem) => {
            let wrapped = format!("org.apache.hadoop.yarn.exceptions.YarnException: {problem}");
            vec![JavaException::new("IOException", wrapped), JavaException::new("YarnException", problem.clone())]
        }
        _ => vec![JavaException::new("IOException", message)],
    }
}

/// What Hadoop says of the default calculator where there are other types than it counts.
fn only_memory(types: &ResourceTypes) -> String {
    let shown = types_in_map(types).into_iter().map(|name| {
        let (unit, least, most) = match types.index(name) {
            Some(0) => ("Mi", 1024, 8192),
            Some(1) => ("", 1, 4),
            other => (other.map_or("", |lane| types.unit(lane)), 0, i64::MAX),
        };
        format!(
            "{name}=name: {name}, units: {unit}, type: COUNTABLE, value: 0, minimum allocation: {least}, maximum allocation: \
             {most}, tags: [], attributes {{}}"
        )
    });
    format!(
        "RM uses DefaultResourceCalculator which used only memory as resource-type but invalid resource-types specified \
         {{{}}}. Use DominantResourceCalculator instead to make effective use of these resource-types",
        shown.collect::<Vec<_>>().join(", ")
    )
}

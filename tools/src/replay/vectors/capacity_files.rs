//! CapacityScheduler files: the queues with their settings and figures, and who has access to which.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;
use serde_json::{Value, json};

use super::super::deviation::Mismatch;
use super::notation::{acl, amounts, float, read, resource, same, taken};
use crate::api::{CapacityFigures, CapacityFile, CapacityMode, CapacityQueue, QueueAccess, QueueState};

/// A capacity-scheduler.xml and the yarn-site properties below it.
#[derive(Debug, Deserialize)]
struct Input {
    properties: BTreeMap<String, String>,
    #[serde(default)]
    yarn_site: BTreeMap<String, String>,
    #[serde(default)]
    cluster: BTreeMap<String, i64>,
    /// Users' groups.
    #[serde(default)]
    groups: HashMap<String, Vec<String>>,
}

impl Input {
    fn file(&self) -> Result<CapacityFile, String> {
        fn pairs(properties: &BTreeMap<String, String>) -> impl Iterator<Item = (&str, &str)> {
            properties.iter().map(|(name, value)| (name.as_str(), value.as_str()))
        }
        let file = CapacityFile::from_properties(pairs(&self.yarn_site), pairs(&self.properties));
        file.map_err(|error| error.to_string())
    }
}

pub(super) fn check(input: &Value, expect: &Value) -> Result<(), Mismatch> {
    let input: Input = read(input)?;
    let with_figures = |file: CapacityFile| {
        let cluster = amounts(&file.settings().types, &input.cluster);
        let figures = file.figures(&cluster).map_err(|error| error.to_string())?;
        Ok((file, figures))
    };
    let Some((file, figures)) = taken(input.file().and_then(with_figures), expect)? else { return Ok(()) };
    // Of two queues of one path there is only the later to be seen.
    let by_path: BTreeMap<&str, usize> =
        file.queues().iter().filter_map(|queue| Some((queue.path.as_str(), file.index_of(&queue.path)?))).collect();
    let ours: Vec<Value> =
        by_path.into_values().map(|index| queue(&file, &file.queues()[index], &figures[index])).collect();
    same("queues", &as_ours(&expect["queues"]), &ours.into())
}

/// Recorded 32-bit numbers in our notation: of two shortest decimals of one number Java may have taken the other.
fn as_ours(recorded: &Value) -> Value {
    match recorded {
        Value::Number(number) if number.is_f64() => number.to_string().parse().map_or_else(|_| recorded.clone(), float),
        Value::Array(list) => list.iter().map(as_ours).collect(),
        Value::Object(members) => members.iter().map(|(name, value)| (name.clone(), as_ours(value))).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => recorded.clone(),
    }
}

fn queue(file: &CapacityFile, queue: &CapacityQueue, figures: &CapacityFigures) -> Value {
    let types = &file.settings().types;
    let (configured, figures_of_label) = (&queue.capacities[0], &figures.labels[0]);
    let mode = match queue.mode {
        CapacityMode::Percentage => "PERCENTAGE",
        CapacityMode::AbsoluteResource => "ABSOLUTE_RESOURCE",
    };
    let state = match queue.state {
        QueueState::Running => "RUNNING",
        QueueState::Stopped => "STOPPED",
    };
    let mut out = json!({
        "path": queue.path,
        "class": queue.kind.hadoop_class(),
        "mode": mode,
        "capacity": float(figures_of_label.capacity),
        "absoluteCapacity": float(figures_of_label.absolute_capacity),
        "maximumCapacity": float(figures_of_label.maximum_capacity),
        "absoluteMaximumCapacity": float(figures_of_label.absolute_maximum_capacity),
        "weight": float(configured.weight),
        "normalizedWeight": float(figures_of_label.normalized_weight),
        "effectiveMin": resource(types, &figures_of_label.effective_minimum),
        "effectiveMax": resource(types, &figures_of_label.effective_maximum),
        "maximumAllocation": resource(types, &queue.maximum_allocation),
        "state": state,
        "priority": queue.priority,
        "maxParallelApps": queue.max_parallel_apps,
        "preemptionDisabled": queue.preemption_disabled,
        "aclSubmitApplications": acl(&queue.acl_submit),
        "aclAdministerQueue": acl(&queue.acl_administer),
    });
    if let Some(leaf) = queue.as_leaf() {
        out["userLimit"] = float(leaf.user_limit);
        out["userLimitFactor"] = float(leaf.user_limit_factor);
        out["maxApplications"] = figures.max_applications.into();
        out["maxApplicationsPerUser"] = figures.max_applications_per_user.into();
        out["maxAMResourcePercent"] = float(leaf.max_am_resource_percent);
        out["orderingPolicy"] = leaf.ordering.name().into();
    }
    out
}

/// Cases of the family `acl` for this scheduler: who may do what.
pub(super) fn check_access(
    input: &Value,
    checks: impl Iterator<Item = (String, String, QueueAccess)>,
    expect: &Value,
) -> Result<(), Mismatch> {
    let input: Input = read(input)?;
    let Some(file) = taken(input.file(), expect)? else { return Ok(()) };
    let answer = |(user, queue, access): (String, String, QueueAccess)| {
        let groups = input.groups.get(&user).map(Vec::as_slice).unwrap_or_default();
        json!({
            "allowed": file.has_access(&user, groups, &queue, access),
            "guarded": file.guards(&user, groups, &queue, access),
            "admin": file.settings().admin_acl.allows(&user, groups),
        })
    };
    same("checks", &expect["checks"], &checks.map(answer).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_shortest_decimals_of_one_number_are_the_same() {
        let recorded = json!([{"capacity": 0.46289062, "state": "RUNNING", "priority": 5}]);
        assert_eq!(as_ours(&recorded), json!([{"capacity": 0.46289063, "state": "RUNNING", "priority": 5}]));
        assert_ne!(as_ours(&json!(0.4628906)), json!(0.46289063));
    }
}

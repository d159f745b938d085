//! Allocation files: defaults, users, placement rules, and the settings of the queues that the file declares.

use serde_json::{Value, json};

use super::super::compare::Mismatch;
use super::notation::{Input, acl, float, limit, resource, rules, same, taken};
use crate::api::{
    AccessControlList, AllocationFile, PlacementChange, PlacementRule, QueueSettings, Resource, ResourceTypes,
    Settings, default_rules, rooted,
};

pub(super) fn check(input: &Value, expect: &Value) -> Result<(), Mismatch> {
    let input = Input::read(input)?;
    let Some(file) = taken(input.first_file()?, expect)? else { return Ok(()) };
    let settings = input.settings().map_err(|error| Mismatch::new("properties", "taken", error))?;
    let rules = in_force(default_rules(&settings), file.placement_change(), &settings);
    let Some(second) = &input.reload else {
        same_file(&file, &rules, &settings.types, expect)?;
        return same_queues(&file, &settings.types, expect);
    };
    let second = input.parse(second)?;
    let change = match &second {
        Ok(second) => second.placement_change(),
        Err(error) => error.installed_placement().cloned().unwrap_or(PlacementChange::Keep),
    };
    // What a reload makes of the tree needs the tree.
    same_file(&second.unwrap_or(file), &in_force(rules, change, &settings), &settings.types, expect)
}

/// The rules in force after a change.
pub(super) fn in_force(before: Vec<PlacementRule>, change: PlacementChange, settings: &Settings) -> Vec<PlacementRule> {
    match change {
        PlacementChange::Keep => before,
        PlacementChange::Defaults => default_rules(settings),
        PlacementChange::Rules(rules) => rules,
    }
}

fn same_file(
    file: &AllocationFile,
    in_force: &[PlacementRule],
    types: &ResourceTypes,
    expect: &Value,
) -> Result<(), Mismatch> {
    let defaults = json!({
        "queueMaxApps": file.queue_max_apps,
        "userMaxApps": file.user_max_apps,
        "queueMaxAMShare": float(file.queue_max_am_share),
        "queueMaxResources": limit(types, &file.queue_max_resources),
        "schedulingPolicy": file.default_policy.to_string(),
    });
    same("defaults", &expect["defaults"], &defaults)?;
    same("users", &expect["users"], &json!(file.users))?;
    // Without a file nothing is recorded of them.
    if !expect["reservation"].is_null() {
        let reservation = json!({
            "agent": file.reservation_agent,
            "policy": file.reservation_policy,
            "planner": file.reservation_planner,
        });
        same("reservation", &expect["reservation"], &reservation)?;
    }
    same("placement", &expect["placement"], &rules(in_force))?;
    // Ours are full names, also below a top queue spelt `ROOT`.
    let full = |names: &Value| names.as_array().into_iter().flatten().filter_map(Value::as_str).map(rooted).collect();
    let [leaves, parents]: [Value; 2] = ["leaf", "parent"].map(|kind| full(&expect["configured"][kind]));
    same("configured.leaf", &leaves, &json!(file.leaves))?;
    same("configured.parent", &parents, &json!(file.parents))
}

/// Compares the queues that the file declares, and root.
fn same_queues(file: &AllocationFile, types: &ResourceTypes, expect: &Value) -> Result<(), Mismatch> {
    for recorded in expect["queues"].as_array().into_iter().flatten() {
        let name = recorded["name"].as_str().unwrap_or_default();
        if recorded["dynamic"] == json!(false) {
            let ours = declared(file, types, name);
            for (field, ours) in ours.as_object().into_iter().flatten() {
                same(&format!("{name}.{field}"), &recorded[field.as_str()], ours)?;
            }
        }
    }
    Ok(())
}

/// What the file makes of a queue.
fn declared(file: &AllocationFile, types: &ResourceTypes, name: &str) -> Value {
    let nothing_said = QueueSettings::default();
    let own = file.queues.get(name).unwrap_or(&nothing_said);
    let inherited = |read: &dyn Fn(&QueueSettings) -> Option<Value>, last: Value| {
        let path = std::iter::successors(Some(name), |at| at.rsplit_once('.').map(|(parent, _)| parent));
        path.filter_map(|at| file.queues.get(at)).find_map(read).unwrap_or(last)
    };
    let unbounded = Resource::UNBOUNDED;
    let bounded = |most: &Resource| (0..types.len()).any(|index| most.get(index) != i64::MAX);
    let mut ours = json!({
        "policy": file.policy_of(name).to_string(),
        "weight": float(own.weight.unwrap_or(1.0)),
        "minResources": resource(types, &own.min.unwrap_or_default()),
        "maxResources": limit(types, &own.max.unwrap_or(file.queue_max_resources)),
        "maxChildResources": own.max_child.map(|most| limit(types, &most)),
        "maxContainerAllocation": inherited(
            &|queue| queue.max_container.filter(bounded).map(|most| resource(types, &most)),
            resource(types, &unbounded),
        ),
        "maxRunningApps": own.max_running_apps.unwrap_or(file.queue_max_apps),
        "maxAMShare": float(own.max_am_share.unwrap_or(file.queue_max_am_share)),
        "minSharePreemptionTimeout": inherited(
            &|queue| queue.min_share_preemption_timeout_ms.map(Value::from),
            file.min_share_preemption_timeout_ms.into(),
        ),
        "fairSharePreemptionTimeout": inherited(
            &|queue| queue.fair_share_preemption_timeout_ms.map(Value::from),
            file.fair_share_preemption_timeout_ms.into(),
        ),
        "fairSharePreemptionThreshold": inherited(
            &|queue| queue.fair_share_preemption_threshold.map(float),
            float(file.fair_share_preemption_threshold),
        ),
        "preemptable": inherited(&|queue| queue.preemptable.map(Value::from), true.into()),
        "reservable": own.reservation,
    });
    let default = if name == "root" { AccessControlList::everybody() } else { AccessControlList::nobody() };
    let known = file.queues.contains_key(name);
    for (field, list) in [("aclSubmitApps", &own.acl_submit), ("aclAdministerApps", &own.acl_administer)] {
        ours[field] = if known { acl(list.as_ref().unwrap_or(&default)) } else { Value::Null };
    }
    for (field, list) in [
        ("aclAdministerReservations", &own.acl_administer_reservations),
        ("aclListReservations", &own.acl_list_reservations),
        ("aclSubmitReservations", &own.acl_submit_reservations),
    ] {
        ours[field] = list.as_ref().map_or(Value::Null, acl);
    }
    ours
}

//! Allocation files: what a scheduler with the file, ad hoc queues and perhaps a second file has of defaults, users,
//! placement rules and queues.

use serde_json::{Map, Value, json};

use super::super::deviation::Mismatch;
use super::notation::{Input, acl, float, limit, resource, rules, same, taken};
use crate::api::{AllocationFile, QueueConfig, QueueSettings, ResourceTypes, Stepped, rooted};

pub(super) fn check(input: &Value, expect: &Value) -> Result<(), Mismatch> {
    let input = Input::read(input)?;
    let Some(file) = taken(input.first_file()?, expect)? else { return Ok(()) };
    let mut stepped = input.start(file)?;
    let types = input.types().map_err(|error| Mismatch::new("resource types", "taken", error))?;
    let ours = shown(&mut stepped, &types);
    let mut recorded = expect.clone();
    if let Some(configured) = recorded["configured"].as_object_mut() {
        // Ours are full names, also below a top queue spelt `ROOT`.
        for name in configured.values_mut().filter_map(Value::as_array_mut).flatten() {
            *name = rooted(name.as_str().unwrap_or_default()).into();
        }
    }
    let left_out = |name: &str| match name {
        // Nothing is recorded of it where there is no file.
        "reservation" => expect[name].is_null(),
        // Hung on the order of a hash table, or on where a failed reload broke off. Queues are made in the order of
        // their names here.
        "queues" => expect[name].is_null() || expect["order_dependent"] == json!(true),
        _ => false,
    };
    for (name, ours) in ours.iter().filter(|(name, _)| !left_out(name)) {
        same(name, &recorded[name.as_str()], ours)?;
    }
    Ok(())
}

fn shown(stepped: &mut Stepped, types: &ResourceTypes) -> Map<String, Value> {
    let file = stepped.allocations().clone();
    let queues: Vec<Value> = stepped.queue_configs().iter().map(|config| queue(&file, types, config)).collect();
    let fields = [
        (
            "defaults",
            json!({
                "queueMaxApps": file.queue_max_apps,
                "userMaxApps": file.user_max_apps,
                "queueMaxAMShare": float(file.queue_max_am_share),
                "queueMaxResources": limit(types, &file.queue_max_resources),
                "schedulingPolicy": file.default_policy.to_string(),
            }),
        ),
        ("users", json!(file.users)),
        (
            "reservation",
            json!({
                "agent": file.reservation_agent,
                "policy": file.reservation_policy,
                "planner": file.reservation_planner,
            }),
        ),
        ("placement", rules(stepped.placement_rules())),
        ("configured", json!({"leaf": file.leaves, "parent": file.parents})),
        ("queues", queues.into()),
    ];
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn queue(file: &AllocationFile, types: &ResourceTypes, config: &QueueConfig) -> Value {
    let mut out = json!({
        "name": config.name,
        "type": if config.leaf { "leaf" } else { "parent" },
        "dynamic": config.dynamic,
        "policy": config.policy,
        "weight": float(config.weight),
        "minResources": resource(types, &config.min_resources),
        "maxResources": limit(types, &config.max_resources),
        "effectiveMaxResources": resource(types, &config.effective_max_resources),
        "maxChildResources": config.max_child_resources.map(|most| limit(types, &most)),
        "maxContainerAllocation": resource(types, &config.max_container_allocation),
        "maxRunningApps": config.max_running_apps,
        "maxAMShare": float(config.max_am_share),
        "minSharePreemptionTimeout": config.min_share_preemption_timeout_ms,
        "fairSharePreemptionTimeout": config.fair_share_preemption_timeout_ms,
        "fairSharePreemptionThreshold": float(config.fair_share_preemption_threshold),
        "preemptable": config.preemptable,
        "reservable": config.reservable,
    });
    // Recorded are lists that the file in force gives, ours are those in force.
    let own = file.queues.get(&config.name);
    let of_file = |list: &Option<_>| own.and(list.as_ref()).map_or(Value::Null, acl);
    out["aclSubmitApps"] = of_file(&config.acl_submit);
    out["aclAdministerApps"] = of_file(&config.acl_administer);
    let nothing_said = QueueSettings::default();
    let own = own.unwrap_or(&nothing_said);
    let lists = [
        ("aclAdministerReservations", &own.acl_administer_reservations),
        ("aclListReservations", &own.acl_list_reservations),
        ("aclSubmitReservations", &own.acl_submit_reservations),
    ];
    // All three are recorded where there is one.
    if lists.iter().any(|(_, list)| list.is_some()) {
        for (name, list) in lists {
            out[name] = list.as_ref().map_or(Value::Null, acl);
        }
    }
    out
}

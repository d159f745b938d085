//! CapacityScheduler files: the queues with their settings and figures, and who has access to them.

use serde_json::{Map, Value, json};

use evenweave::{
    AccessControlList, CapacityFigures, CapacityFile, CapacityMode, CapacityQueue, QueueAccess, QueueState, Resource,
    ResourceTypes,
};

/// The properties under a key of the input.
fn properties<'a>(input: &'a Value, key: &str) -> impl Iterator<Item = (&'a str, &'a str)> {
    let pairs = input[key].as_object().into_iter().flatten();
    pairs.filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)))
}

fn read(input: &Value) -> Result<CapacityFile, String> {
    let file = CapacityFile::from_properties(properties(input, "properties"), properties(input, "yarn_site"));
    file.map_err(|error| error.to_string())
}

/// Reads the file, computes the figures of the cluster and compares queue by queue.
    check(input, expect)
}
pub(super) fn check(input: &Value, expect: &Value) -> Result<(), String> {
    let read = read(input).and_then(|file| {
        let cluster = cluster(&file.settings().types, &input["cluster"]);
        let figures = file.figures(&cluster).map_err(|error| error.to_string())?;
        Ok((file, figures))
    });
    let refused = expect.get("error").is_some();
    let (file, figures) = match read {
        Err(_) if refused => return Ok(()),
        Err(error) => return Err(format!("error: ours {error:?}, recorded none")),
        Ok(_) if refused => return Err(format!("error: ours none, recorded {}", expect["message"])),
        Ok(read) => read,
    };
    let recorded = expect["queues"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut paths: Vec<&str> = file.queues().iter().map(|queue| queue.path.as_str()).collect();
    paths.sort_unstable();
    paths.dedup();
    let recorded_paths: Vec<&str> = recorded.iter().filter_map(|queue| queue["path"].as_str()).collect();
    if paths != recorded_paths {
        return Err(format!("queues: ours {paths:?}, recorded {recorded_paths:?}"));
    }
    for (path, recorded) in paths.into_iter().zip(recorded) {
        let index = file.index_of(path).ok_or_else(|| format!("queues: {path} cannot be found"))?;
        let ours = queue(&file, &file.queues()[index], &figures[index]);
        for (field, recorded) in recorded.as_object().into_iter().flatten() {
            same(&format!("{path}.{field}"), ours.get(field).unwrap_or(&Value::Null), recorded)?;
        }
    }
    Ok(())
}

/// Asks for the access of each check.
    check_access(input, expect)
}
pub(super) fn check_access(input: &Value, expect: &Value) -> Result<(), String> {
    let refused = expect.get("error").is_some();
    let file = match read(input) {
        Err(_) if refused => return Ok(()),
        Err(error) => return Err(format!("error: ours {error:?}, recorded none")),
        Ok(_) if refused => return Err(format!("error: ours none, recorded {}", expect["message"])),
        Ok(file) => file,
    };
    let checks = input["checks"].as_array().into_iter().flatten();
    let recorded = expect["checks"].as_array().into_iter().flatten();
    for (at, (check, recorded)) in checks.zip(recorded).enumerate() {
        let text = |field: &str| check[field].as_str().unwrap_or_default();
        let (user, queue) = (text("user"), text("queue"));
        let groups: Vec<&str> =
            input["groups"][user].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let access = match text("access") {
            "SUBMIT_APPLICATIONS" => QueueAccess::SubmitApplications,
            _ => QueueAccess::AdministerQueue,
        };
        let ours = json!({
            "allowed": file.has_access(user, &groups, queue, access),
            "guarded": file.guards(user, &groups, queue, access),
            "admin": file.settings().admin_acl.allows(user, &groups),
        });
        same(&format!("checks[{at}]"), &ours, recorded)?;
    }
    Ok(())
}

fn cluster(types: &ResourceTypes, recorded: &Value) -> Resource {
    Resource::from_fn(|i| if i < types.len() { recorded[types.name(i)].as_i64().unwrap_or_default() } else { 0 })
}

fn queue(file: &CapacityFile, queue: &CapacityQueue, figures: &CapacityFigures) -> Map<String, Value> {
    let resource = |amounts: &Resource| {
        let types = &file.settings().types;
        types.names().enumerate().map(|(i, name)| (name.to_owned(), json!(amounts.get(i)))).collect::<Value>()
    };
    let (of_label, configured) = (&figures.labels[0], &queue.capacities[0]);
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
        "capacity": float(of_label.capacity),
        "absoluteCapacity": float(of_label.absolute_capacity),
        "maximumCapacity": float(of_label.maximum_capacity),
        "absoluteMaximumCapacity": float(of_label.absolute_maximum_capacity),
        "weight": float(configured.weight),
        "normalizedWeight": float(of_label.normalized_weight),
        "effectiveMin": resource(&of_label.effective_minimum),
        "effectiveMax": resource(&of_label.effective_maximum),
        "maximumAllocation": resource(&queue.maximum_allocation),
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
        out["maxApplications"] = json!(figures.max_applications);
        out["maxApplicationsPerUser"] = json!(figures.max_applications_per_user);
        out["maxAMResourcePercent"] = float(leaf.max_am_resource_percent);
        out["orderingPolicy"] = json!(leaf.ordering.name());
    }
    out.as_object().cloned().unwrap_or_default()
}

fn acl(list: &AccessControlList) -> Value {
    if list.everybody { json!("*") } else { json!({"users": list.users, "groups": list.groups}) }
}

/// Three numbers have no JSON and are recorded as texts.
fn float(value: f32) -> Value {
    if value.is_finite() { json!(value) } else { json!(value.to_string().replace("inf", "Infinity")) }
}

/// Numbers are the same where they are one 32-bit float, or one integer.
fn same(field: &str, ours: &Value, recorded: &Value) -> Result<(), String> {
    let equal = match (ours, recorded) {
        (Value::Number(ours), Value::Number(recorded)) if ours.is_f64() || recorded.is_f64() => {
            let narrowed = |number: &serde_json::Number| number.to_string().parse::<f32>().map(f32::to_bits);
            narrowed(ours) == narrowed(recorded)
        }
        _ => ours == recorded,
    };
    if equal { Ok(()) } else { Err(format!("{field}: ours {ours}, recorded {recorded}")) }
}

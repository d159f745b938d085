//! The configuration layer against what Apache Hadoop 3.4.2 made of the same texts.
//!
//! `data/vectors/*.jsonl.gz` holds one recorded case a line. Each test compares every case that can be compared
//! without a queue tree and states how many that are.

#![allow(clippy::unwrap_used, reason = "a test, outside any #[test] function")]

use evenweave::{
    AccessControlList, AllocationFile, AllocationFileError, Limit, Missing, PlacementChange, PlacementRule,
    QueueSettings, Resource, ResourceTypes, Settings, default_rules, parse_resource, rooted,
};
use serde_json::{Map, Value, json};
use std::io::Read;

fn vectors(name: &str) -> Vec<Value> {
    let path = format!("{}/tests/data/vectors/{name}.jsonl.gz", env!("CARGO_MANIFEST_DIR"));
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Compares all cases and fails with every difference at once; gives how many were compared.
fn compare(name: &str, mut check: impl FnMut(&Value) -> Option<Result<(), String>>) -> usize {
    let mut compared = 0;
    let mut failed = Vec::new();
    for case in vectors(name) {
        match check(&case) {
            Some(Ok(())) => compared += 1,
            Some(Err(difference)) => failed.push(format!("{}: {difference}", case["name"])),
            None => {}
        }
    }
    assert!(failed.is_empty(), "{} of {} differ:\n{}", failed.len(), failed.len() + compared, failed.join("\n"));
    compared
}

fn is_error(value: &Value) -> bool {
    value.get("error").is_some()
}

fn same<A: PartialEq<B> + std::fmt::Debug, B: std::fmt::Debug>(what: &str, ours: A, recorded: B) -> Result<(), String> {
    if ours == recorded { Ok(()) } else { Err(format!("{what}: {ours:?}, recorded {recorded:?}")) }
}

fn custom_types(input: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let list = input["resource_types"].as_array().cloned().unwrap_or_default();
    list.iter().map(|entry| (text(&entry["name"]), text(&entry["units"]))).collect()
}

fn types(input: &Value) -> ResourceTypes {
    ResourceTypes::with_custom(custom_types(input)).unwrap()
}

/// A recorded resource in our order; lanes that it does not name are `unused`.
fn resource(value: &Value, types: &ResourceTypes, unused: i64) -> Resource {
    let amount = |name| value[name].as_i64().unwrap_or_else(|| panic!("no {name} in {value}"));
    Resource::from_fn(|i| if i < types.len() { amount(types.name(i)) } else { unused })
}

/// A number, or one of the three that JSON has not.
fn number(value: &Value) -> f64 {
    let named = value.as_str().map(|text| text.parse().unwrap());
    named.or(value.as_f64()).unwrap_or_else(|| panic!("{value} is no number"))
}

/// Floats are recorded as the shortest text that gives them back.
fn same_f32(what: &str, ours: f32, recorded: &Value) -> Result<(), String> {
    let recorded: f32 = recorded.as_str().map_or_else(|| recorded.to_string(), str::to_owned).parse().unwrap();
    let equal = ours.to_bits() == recorded.to_bits() || (ours.is_nan() && recorded.is_nan());
    if equal { Ok(()) } else { Err(format!("{what}: {ours}, recorded {recorded}")) }
}

/// `keys` are the names of the recorded resources in recorded order, in which percentages stand.
fn same_limit(what: &str, ours: &Limit, recorded: &Value, types: &ResourceTypes) -> Result<(), String> {
    match (ours, &recorded["percentages"]) {
        (Limit::Absolute(amounts), Value::Null) => {
            let unused = amounts.get(7);
            same(what, *amounts, resource(&recorded["resource"], types, unused))
        }
        (Limit::Percent(parts), Value::Array(recorded)) => {
            // The order of custom types is Java's, so they are compared as sets.
            let mut ours = parts[..types.len()].to_vec();
            let mut recorded: Vec<f64> = recorded.iter().map(number).collect();
            ours[2..].sort_by(f64::total_cmp);
            recorded[2..].sort_by(f64::total_cmp);
            // serde_json reads a float to the last bit but one.
            let close = |(a, b): (&f64, &f64)| a == b || (a - b).abs() <= f64::EPSILON * a.abs();
            let equal = ours.len() == recorded.len() && ours.iter().zip(&recorded).all(close);
            if equal { Ok(()) } else { Err(format!("{what}: {ours:?}, recorded {recorded:?}")) }
        }
        _ => Err(format!("{what}: {ours:?}, recorded {recorded}")),
    }
}

fn rule(rule: &PlacementRule) -> Value {
    let mut out = Map::new();
    out.insert("rule".into(), rule.kind.hadoop_class().into());
    out.insert("create".into(), rule.create.into());
    if let Some(queue) = &rule.queue {
        out.insert("queue".into(), queue.as_str().into());
    }
    if let Some(parent) = &rule.parent {
        out.insert("parent".into(), self::rule(parent));
    }
    Value::Object(out)
}

fn rules(rules: &[PlacementRule]) -> Value {
    rules.iter().map(rule).collect()
}

#[test]
fn resource_strings() {
    let compared = compare("resource-strings", |case| {
        let (input, expect) = (&case["input"], &case["expect"]);
        let types = types(input);
        let missing = if input["missing"].as_i64() == Some(0) { Missing::Zero } else { Missing::Max };
        let limit = parse_resource(input["value"].as_str().unwrap(), &types, missing);
        Some(match limit {
            Err(error) if !is_error(expect) => Err(format!("refused: {error}")),
            Ok(limit) if is_error(expect) => Err(format!("accepted as {limit:?}")),
            Err(_) => Ok(()),
            Ok(limit) => {
                let evaluated = limit.of(&resource(&input["cluster"], &types, 0));
                let unused = evaluated.get(7);
                same_limit("limit", &limit, expect, &types)
                    .and_then(|()| same("evaluated", evaluated, resource(&expect["evaluated"], &types, unused)))
            }
        })
    });
    assert_eq!(compared, 422);
}

/// The settings of a case: its properties, and its resource types as properties.
fn settings(input: &Value) -> Result<Settings, String> {
    let mut properties: Vec<(String, String)> = input["properties"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned()))
        .collect();
    let custom = custom_types(input);
    let names: Vec<&str> = custom.iter().map(|(name, _)| name.as_str()).collect();
    properties.push(("yarn.resource-types".into(), names.join(",")));
    for (name, unit) in &custom {
        properties.push((format!("yarn.resource-types.{name}.units"), unit.clone()));
    }
    let read = |properties: &[(String, String)]| {
        Settings::from_properties(properties.iter().map(|(name, value)| (name.as_str(), value.as_str())))
            .map_err(|error| error.to_string())
    };
    let forwards = read(&properties);
    properties.reverse();
    let backwards = read(&properties);
    assert_eq!(format!("{:?}", forwards.is_ok()), format!("{:?}", backwards.is_ok()), "order matters: {input}");
    forwards
}

#[test]
fn properties() {
    let compared = compare("properties", |case| {
        let (input, expect) = (&case["input"], &case["expect"]);
        Some(match settings(input) {
            Err(error) if !is_error(expect) => Err(format!("refused: {error}")),
            Ok(_) if is_error(expect) => Err("accepted".into()),
            Err(_) => Ok(()),
            Ok(settings) => same_settings(&settings, expect),
        })
    });
    assert_eq!(compared, 166);
}

fn same_settings(settings: &Settings, expect: &Value) -> Result<(), String> {
    let types = &settings.types;
    let integer = |what: &str, ours: i64| match &expect[what] {
        // Read by Hadoop only when it is needed.
        late if is_error(late) && settings.warnings().is_empty() => Err(format!("{what}: no warning of a bad value")),
        late if is_error(late) => Ok(()),
        recorded => same(what, Some(ours), recorded.as_i64()),
    };
    let flag = |what: &str, ours: bool| same(what, Some(ours), expect[what].as_bool());
    let vector = |what: &str, ours: Resource, unused| same(what, ours, resource(&expect[what], types, unused));
    let real = |what: &str, ours: f64| {
        // Ours are capped where they are read, Hadoop's where they are used.
        let recorded = number(&expect[what]);
        let recorded = if recorded > 1.0 { 1.0 } else { recorded };
        let equal = ours == recorded || (ours.is_nan() && recorded.is_nan());
        if equal { Ok(()) } else { Err(format!("{what}: {ours}, recorded {recorded}")) }
    };
    // Ours cannot be negative.
    let sleep = i64::try_from(settings.continuous_scheduling_sleep_ms).unwrap();
    let recorded_sleep = expect["continuousSchedulingSleepMs"].as_i64().map(|value| value.max(0));
    let utilization = &expect["preemptionUtilizationThreshold"];
    let am = &expect["amPreemption"];
    vector("minimumAllocation", settings.minimum, 0)
        .and_then(|()| vector("maximumAllocation", settings.maximum, i64::MAX))
        .and_then(|()| vector("incrementAllocation", settings.increment, 0))
        .and_then(|()| vector("reservationThreshold", settings.reservation_threshold, 0))
        .and_then(|()| flag("assignMultiple", settings.assign_multiple))
        .and_then(|()| flag("maxAssignDynamic", settings.dynamic_max_assign))
        .and_then(|()| integer("maxAssign", settings.max_assign.into()))
        .and_then(|()| flag("sizeBasedWeight", settings.size_based_weight))
        .and_then(|()| real("localityThresholdNode", settings.locality_threshold_node))
        .and_then(|()| real("localityThresholdRack", settings.locality_threshold_rack))
        .and_then(|()| integer("localityDelayNodeMs", settings.locality_delay_node_ms))
        .and_then(|()| integer("localityDelayRackMs", settings.locality_delay_rack_ms))
        .and_then(|()| flag("continuousScheduling", settings.continuous_scheduling))
        .and_then(|()| same("continuousSchedulingSleepMs", Some(sleep), recorded_sleep))
        .and_then(|()| integer("updateIntervalMs", settings.update_interval_ms.try_into().unwrap()))
        .and_then(|()| flag("preemption", settings.preemption))
        .and_then(|()| match utilization {
            late if is_error(late) => same("a warning", !settings.warnings().is_empty(), true),
            recorded => same_f32("preemptionUtilizationThreshold", settings.preemption_utilization_threshold, recorded),
        })
        .and_then(|()| integer("waitTimeBeforeKill", settings.wait_before_kill_ms))
        .and_then(|()| integer("waitTimeBeforeNextStarvationCheck", settings.wait_before_next_starvation_check_ms))
        .and_then(|()| same_f32("reservableNodes", settings.reservable_nodes, &expect["reservableNodes"]))
        .and_then(|()| flag("includePortInNodeName", settings.include_port_in_node_name))
        .and_then(|()| same("am root", Some(settings.am_preemption_in("root")), am["root"].as_bool()))
        .and_then(|()| same("am root.a", Some(settings.am_preemption_in("root.a")), am["root.a"].as_bool()))
        .and_then(|()| same("placement", rules(&default_rules(settings)), expect["placement"].clone()))
}

/// Reads a document of a case; every error must name a place.
fn parse(input: &Value, document: &Value) -> Option<Result<AllocationFile, AllocationFileError>> {
    let text = AllocationFile::decode(document.as_str()?.as_bytes(), "fair-scheduler.xml");
    let parse = |text: String| AllocationFile::parse(&text, "fair-scheduler.xml", &types(input), &[]);
    Some(text.and_then(parse).map(|parsed| parsed.file).inspect_err(|error| {
        let error = error.to_string();
        let mut place = error.split(':');
        assert_eq!(place.next(), Some("fair-scheduler.xml"), "{error}");
        let at: Vec<usize> = place.take(2).map(|part| part.parse().expect(&error)).collect();
        assert!(at.iter().all(|number| *number > 0), "{error}");
    }))
}

/// The rules in force after a change.
fn change(in_force: Vec<PlacementRule>, change: PlacementChange, settings: &Settings) -> Vec<PlacementRule> {
    match change {
        PlacementChange::Keep => in_force,
        PlacementChange::Defaults => default_rules(settings),
        PlacementChange::Rules(rules) => rules,
    }
}

#[test]
fn allocation_files() {
    let (mut refused, mut reloaded, mut queues) = (0, 0, 0);
    let compared = compare("allocation-files", |case| {
        let (input, expect) = (&case["input"], &case["expect"]);
        let file = parse(input, &input["xml"]).unwrap_or_else(|| Ok(AllocationFile::default()));
        Some(match file {
            Err(error) if !is_error(expect) => Err(format!("refused: {error}")),
            Ok(_) if is_error(expect) => Err("accepted".into()),
            Err(_) => {
                refused += 1;
                Ok(())
            }
            Ok(file) => settings(input).and_then(|settings| {
                let rules = change(default_rules(&settings), file.placement_change(), &settings);
                match parse(input, &input["reload"]) {
                    None => same_file(&file, &rules, case)
                        .and_then(|()| same_queues(&file, case).map(|compared| queues += compared)),
                    // What a reload makes of the tree needs the tree.
                    Some(second) => {
                        reloaded += 1;
                        let made = match &second {
                            Ok(second) => second.placement_change(),
                            Err(error) => error.installed_placement().cloned().unwrap_or(PlacementChange::Keep),
                        };
                        same_file(&second.unwrap_or(file), &change(rules, made, &settings), case)
                    }
                }
            }),
        })
    });
    assert_eq!((compared, refused, reloaded, queues), (512, 133, 29, 1014));
}

fn same_file(file: &AllocationFile, in_force: &[PlacementRule], case: &Value) -> Result<(), String> {
    let (input, expect) = (&case["input"], &case["expect"]);
    let types = types(input);
    let defaults = &expect["defaults"];
    same("queueMaxApps", Some(i64::from(file.queue_max_apps)), defaults["queueMaxApps"].as_i64())?;
    same("userMaxApps", Some(i64::from(file.user_max_apps)), defaults["userMaxApps"].as_i64())?;
    same_f32("queueMaxAMShare", file.queue_max_am_share, &defaults["queueMaxAMShare"])?;
    same_limit("queueMaxResources", &file.queue_max_resources, &defaults["queueMaxResources"], &types)?;
    same("schedulingPolicy", Some(file.default_policy.to_string().as_str()), defaults["schedulingPolicy"].as_str())?;
    same("users", json!(file.users), expect["users"].clone())?;
    if let Some(reservation) = expect["reservation"].as_object() {
        same("agent", file.reservation_agent.as_str(), reservation["agent"].as_str().unwrap())?;
        same("policy", file.reservation_policy.as_str(), reservation["policy"].as_str().unwrap())?;
        same("planner", file.reservation_planner.as_str(), reservation["planner"].as_str().unwrap())?;
    }
    same("placement", rules(in_force), expect["placement"].clone())?;
    // Ours are full names, also below a top queue spelt `ROOT`.
    let full = |list: &Value| -> Vec<String> {
        list.as_array().unwrap().iter().map(|name| rooted(name.as_str().unwrap())).collect()
    };
    same("leaves", file.leaves.iter().cloned().collect::<Vec<_>>(), full(&expect["configured"]["leaf"]))?;
    same("parents", file.parents.iter().cloned().collect::<Vec<_>>(), full(&expect["configured"]["parent"]))?;
    Ok(())
}

/// Compares the queues of the tree that the file declares, and root; gives how many.
fn same_queues(file: &AllocationFile, case: &Value) -> Result<usize, String> {
    let (types, expect) = (types(&case["input"]), &case["expect"]);
    let mut compared = 0;
    for recorded in expect["queues"].as_array().unwrap() {
        let name = recorded["name"].as_str().unwrap();
        if recorded["dynamic"] == json!(false) {
            let settings = file.queues.get(name).cloned().unwrap_or_default();
            same_queue(file, &settings, recorded, &types).map_err(|difference| format!("{name}: {difference}"))?;
            compared += 1;
        }
    }
    Ok(compared)
}

fn same_queue(
    file: &AllocationFile,
    settings: &QueueSettings,
    recorded: &Value,
    types: &ResourceTypes,
) -> Result<(), String> {
    let name = recorded["name"].as_str().unwrap();
    same("policy", Some(file.policy_of(name).to_string().as_str()), recorded["policy"].as_str())?;
    same_f32("weight", settings.weight.unwrap_or(1.0), &recorded["weight"])?;
    same("min", settings.min.unwrap_or_default(), resource(&recorded["minResources"], types, 0))?;
    same_limit("max", &settings.max.unwrap_or(file.queue_max_resources), &recorded["maxResources"], types)?;
    match (&settings.max_child, &recorded["maxChildResources"]) {
        (None, Value::Null) => {}
        (Some(ours), recorded) => same_limit("maxChild", ours, recorded, types)?,
        (None, recorded) => return Err(format!("maxChild: none, recorded {recorded}")),
    }
    let running = i64::from(settings.max_running_apps.unwrap_or(file.queue_max_apps));
    same("maxRunningApps", Some(running), recorded["maxRunningApps"].as_i64())?;
    same_f32("maxAMShare", settings.max_am_share.unwrap_or(file.queue_max_am_share), &recorded["maxAMShare"])?;
    same("reservable", Some(settings.reservation), recorded["reservable"].as_bool())?;

    // These are inherited.
    let path = |read: &dyn Fn(&QueueSettings) -> Option<Value>, last: Value| {
        let mut at = Some(name);
        while let Some(name) = at {
            if let Some(found) = file.queues.get(name).and_then(read) {
                return found;
            }
            at = name.rsplit_once('.').map(|(parent, _)| parent);
        }
        last
    };
    let timeout =
        path(&|q| Some(json!(q.min_share_preemption_timeout_ms?)), json!(file.min_share_preemption_timeout_ms));
    same("minSharePreemptionTimeout", timeout, recorded["minSharePreemptionTimeout"].clone())?;
    let timeout =
        path(&|q| Some(json!(q.fair_share_preemption_timeout_ms?)), json!(file.fair_share_preemption_timeout_ms));
    same("fairSharePreemptionTimeout", timeout, recorded["fairSharePreemptionTimeout"].clone())?;
    let threshold = |value: f32| json!(value.to_string());
    let ours =
        path(&|q| q.fair_share_preemption_threshold.map(threshold), threshold(file.fair_share_preemption_threshold));
    same_f32(
        "fairSharePreemptionThreshold",
        ours.as_str().unwrap().parse().unwrap(),
        &recorded["fairSharePreemptionThreshold"],
    )?;
    let preemptable = path(&|q| q.preemptable.map(Value::from), json!(true));
    same("preemptable", preemptable, recorded["preemptable"].clone())?;
    let lanes = |value: &Resource| value.lanes()[..types.len()].to_vec();
    let container = path(
        &|q| {
            q.max_container.as_ref().map(lanes).filter(|own| own.iter().any(|lane| *lane != i64::MAX)).map(Value::from)
        },
        json!(vec![i64::MAX; types.len()]),
    );
    let recorded_container = lanes(&resource(&recorded["maxContainerAllocation"], types, 0));
    same("maxContainerAllocation", container, json!(recorded_container))?;

    let default = if name == "root" { AccessControlList::everybody() } else { AccessControlList::nobody() };
    if !file.queues.contains_key(name) {
        return same("ACLs", &recorded["aclSubmitApps"], &Value::Null);
    }
    let submit = settings.acl_submit.as_ref().unwrap_or(&default);
    same("aclSubmitApps", acl(submit), recorded["aclSubmitApps"].clone())?;
    let administer = settings.acl_administer.as_ref().unwrap_or(&default);
    same("aclAdministerApps", acl(administer), recorded["aclAdministerApps"].clone())?;
    for (name, ours) in [
        ("aclAdministerReservations", &settings.acl_administer_reservations),
        ("aclListReservations", &settings.acl_list_reservations),
        ("aclSubmitReservations", &settings.acl_submit_reservations),
    ] {
        same(name, ours.as_ref().map_or(Value::Null, acl), recorded.get(name).cloned().unwrap_or_default())?;
    }
    Ok(())
}

fn acl(list: &AccessControlList) -> Value {
    if list.everybody { json!("*") } else { json!({"users": list.users, "groups": list.groups}) }
}

#[test]
fn placement_rules() {
    let mut refused = 0;
    let compared = compare("placement", |case| {
        let (input, expect) = (&case["input"], &case["expect"]);
        let file = parse(input, &input["xml"]).unwrap_or_else(|| Ok(AllocationFile::default()));
        Some(match file {
            Err(error) if !is_error(expect) => Err(format!("refused: {error}")),
            Ok(_) if is_error(expect) => Err("accepted".into()),
            Err(_) => {
                refused += 1;
                Ok(())
            }
            Ok(file) => settings(input).and_then(|settings| {
                let placement = change(default_rules(&settings), file.placement_change(), &settings);
                same("rules", rules(&placement), expect["rules"].clone())
            }),
        })
    });
    assert_eq!((compared, refused), (358, 71));
}

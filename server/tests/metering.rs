//! `/metrics`, `/jmx` and the dashboard over them.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

mod asking;

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use asking::answer;
use axum::body::Body;
use axum::http::Request;
use evenweave::prelude::*;
use evenweave_server::events::Ring;
use evenweave_server::records::AppRecord;
use evenweave_server::scheduler::{Basics, CapacityThreads, Scheduler, Threads};
use evenweave_server::{Cluster, ResourceManager, site};
use regex::Regex;
use serde_json::Value;

/// Status and body.
fn get(manager: &Arc<ResourceManager>, path: &str) -> (u16, String) {
    let site = site(manager.clone(), Arc::new(Ring::default()), SocketAddr::from(([127, 0, 0, 1], 8088)));
    let (parts, body) = answer(site, Request::get(path).body(Body::empty()).expect("a request")).into_parts();
    (parts.status.as_u16(), body)
}

fn beans(manager: &Arc<ResourceManager>, query: &str) -> (u16, Value) {
    let (status, body) = get(manager, &format!("/jmx{query}"));
    (status, serde_json::from_str(&body).unwrap_or_default())
}

fn manager(scheduler: Arc<dyn Scheduler>, app: AppHandle) -> Arc<ResourceManager> {
    let manager = ResourceManager::new(Cluster::new(7, "rm:8088"), scheduler);
    manager.records().submitted(AppRecord::new(1, "ann", "root.a", 0).with_attempt(Some(app)));
    manager.records().container((1, 1, 1), &Resource::new(1024, 1), 0);
    manager.latencies().allocate(Duration::from_micros(3));
    for ms in [2, 4] {
        manager.latencies().heartbeat(Duration::from_millis(ms), Duration::from_millis(10 * ms));
    }
    Arc::new(manager)
}

/// One application with a container, and a node that is reserved for its next one.
fn fair() -> (FairScheduler, Arc<ResourceManager>) {
    let settings = Settings::from_properties([]).expect("Hadoop's defaults");
    let basics = Basics::of_fair(&settings);
    let scheduler =
        FairScheduler::builder().settings(settings).cluster_timestamp(7).timers(false).start().expect("a scheduler");
    let node = scheduler.add_node("n1", "/r1", Resource::new(8192, 8)).expect("a node");
    let app =
        scheduler.submit(Submission::new(1, "ann").in_queue("root.a").with_am(Resource::new(4096, 1))).expect("taken");
    let settle = || {
        scheduler.quiesce().unwrap();
        scheduler.update_now().unwrap();
        scheduler.heartbeat(Heartbeat::new(&node)).expect("sent");
        scheduler.quiesce().unwrap();
    };
    settle();
    let asks = vec![Ask::anywhere(1, Resource::new(6144, 1), 1)];
    scheduler.allocate(&app, &AllocateRequest::new(asks), &mut Allocation::default()).expect("asked");
    settle();
    let shown = Arc::new(Threads::new(scheduler.clone(), basics));
    (scheduler, manager(shown, app))
}

fn capacity() -> (CapacityScheduler, Arc<ResourceManager>) {
    let own = [
        ("yarn.scheduler.capacity.root.queues", "a"),
        ("yarn.scheduler.capacity.root.a.capacity", "100"),
        ("yarn.scheduler.capacity.maximum-am-resource-percent", "1.0"),
    ];
    let configuration = CapacityConfiguration::from_properties([], own).expect("a configuration");
    let basics = Basics::of_capacity(configuration.file().settings());
    let scheduler =
        CapacityScheduler::builder(configuration).cluster_timestamp(7).timers(false).start().expect("a scheduler");
    let node = scheduler.add_node("n1", "/r1", Resource::new(8192, 8)).expect("a node");
    let app =
        scheduler.submit(Submission::new(1, "ann").in_queue("root.a").with_am(Resource::new(1024, 1))).expect("taken");
    scheduler.quiesce().unwrap();
    scheduler.heartbeat(Heartbeat::new(&node)).expect("sent");
    scheduler.quiesce().unwrap();
    let shown = Arc::new(CapacityThreads::new(scheduler.clone(), basics));
    (scheduler, manager(shown, app))
}

#[test]
fn users_reservations_and_durations_are_told() {
    let (scheduler, manager) = fair();
    let (_, text) = get(&manager, "/metrics");
    for line in [
        r#"evenweave_user_used_mebibytes{user="ann"} 4096"#,
        r#"evenweave_user_applications{user="ann",state="running"} 1"#,
        r#"evenweave_queue_active_users{queue="root"} 1"#,
        r#"evenweave_queue_reserved_mebibytes{queue="root.a"} 6144"#,
        r#"evenweave_queue_reserved_mebibytes{queue="root"} 6144"#,
        "evenweave_updates_total 2",
        r#"evenweave_allocate_call_seconds_bucket{le="0.000005"} 1"#,
        r#"evenweave_allocate_call_seconds_bucket{le="0.0000025"} 0"#,
        "evenweave_heartbeat_handling_seconds_count 2",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
    let prefix = "Hadoop:service=ResourceManager,name=";
    let (_, found) = beans(&manager, &format!("?qry={prefix}FSOpDurations"));
    let durations = &found["beans"][0];
    assert_eq!(
        (&durations["NodeUpdateCallNumOps"], &durations["NodeUpdateCallAvgTime"]),
        (&2.into(), &3.0.into()),
        "{found}"
    );
    assert_eq!((&durations["NodeUpdateCallMinTime"], &durations["NodeUpdateCallMaxTime"]), (&2.0.into(), &4.0.into()));
    assert_eq!(
        (&durations["UpdateThreadRunNumOps"], &durations["tag.Context"]),
        (&2.into(), &"fairscheduler-op-durations".into())
    );
    let (_, found) = beans(&manager, &format!("?qry={prefix}QueueMetrics,q0=root,q1=a,user=ann"));
    let user = &found["beans"][0];
    assert_eq!(
        (&user["AllocatedMB"], &user["AppsRunning"], &user["tag.User"]),
        (&4096.into(), &1.into(), &"ann".into())
    );
    let (_, found) = beans(&manager, &format!("?qry={prefix}QueueMetrics,q0=root"));
    assert_eq!((&found["beans"][0]["ReservedMB"], &found["beans"][0]["ReservedContainers"]), (&6144.into(), &1.into()));
    scheduler.shutdown().unwrap();
    let (scheduler, manager) = capacity();
    let (_, found) = beans(&manager, &format!("?qry={prefix}FSOpDurations"));
    assert_eq!(found["beans"].as_array().map(Vec::len), Some(0), "it is the FairScheduler's");
    scheduler.shutdown().unwrap();
}

#[test]
fn an_attribute_is_asked_for_as_of_hadoops_servlet() {
    let (scheduler, manager) = fair();
    let root = "Hadoop:service=ResourceManager,name=QueueMetrics,q0=root";
    let (status, found) = beans(&manager, &format!("?get={root}::AllocatedMB"));
    let expected =
        serde_json::json!({"beans": [{"name": root, "modelerType": "QueueMetrics,q0=root", "AllocatedMB": 4096}]});
    assert_eq!((status, found), (200, expected));
    let (status, found) = beans(&manager, &format!("?get={root}::NoSuch"));
    assert_eq!((status, &found["beans"][0]["message"]), (404, &"No attribute with name NoSuch was found.".into()));
    for wrong in ["", "::", root, "a::b::c", &format!("{root}::")] {
        let (status, found) = beans(&manager, &format!("?get={wrong}"));
        assert_eq!((status, &found["message"]), (400, &"query format is not as expected.".into()), "{wrong}");
    }
    // No name of an object.
    for wrong in ["?get=root::AllocatedMB", "?qry=root", "?qry=", "?qry=%3Cscript%3E", "?qry=a:b"] {
        assert_eq!(get(&manager, &format!("/jmx{wrong}")).0, 400, "{wrong}");
    }
    assert_eq!(beans(&manager, "?qry=java.lang:type=Memory").1, serde_json::json!({"beans": []}));
    // `get` counts, where both are there.
    assert_eq!(
        beans(&manager, &format!("?qry=*:*&get={root}::AllocatedMB")).1["beans"].as_array().map(Vec::len),
        Some(1)
    );
    scheduler.shutdown().unwrap();
}

#[test]
fn the_dashboard_asks_for_what_is_there() {
    let (scheduler, over_fair) = fair();
    let (other, over_capacity) = capacity();
    let name = Regex::new(r"^(evenweave_[a-z_]+)[{ ]").expect("a pattern");
    let mut there = BTreeSet::new();
    for manager in [&over_fair, &over_capacity] {
        let (_, text) = get(manager, "/metrics");
        there.extend(text.lines().filter_map(|line| Some(name.captures(line)?[1].to_owned())));
    }
    let text =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/grafana.json")).expect("the dashboard");
    let dashboard: Value = serde_json::from_str(&text).expect("JSON");
    let mut asked = BTreeSet::new();
    let panels = dashboard["panels"]
        .as_array()
        .expect("panels")
        .iter()
        .flat_map(|panel| panel["targets"].as_array().into_iter().flatten());
    let variables = dashboard["templating"]["list"].as_array().expect("variables");
    let questions = panels.map(|target| &target["expr"]).chain(variables.iter().map(|variable| &variable["query"]));
    let in_words = Regex::new(r"evenweave_[a-z_]+").expect("a pattern");
    for question in questions.filter_map(Value::as_str) {
        asked.extend(in_words.find_iter(question).map(|found| found.as_str().to_owned()));
    }
    assert!(asked.len() > 20, "{asked:?}");
    let missing: Vec<&String> = asked.difference(&there).collect();
    assert!(missing.is_empty(), "asked for and not there: {missing:?}\nthere: {there:?}");
    scheduler.shutdown().unwrap();
    other.shutdown().unwrap();
}

/// A line of `/metrics`: name, labels, value.
type Sample = (String, BTreeMap<String, String>, f64);

/// Reads OpenMetrics text by its grammar. A line that is none is told.
fn openmetrics(text: &str) -> Result<Vec<Sample>, String> {
    let lines = text.strip_suffix("# EOF\n").ok_or("it does not end with # EOF")?;
    let is_name = |name: &str| {
        let mut letters = name.chars();
        letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
            && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_' || letter == ':')
    };
    let mut samples = Vec::new();
    for line in lines.split_terminator('\n') {
        let wrong = || format!("no line of the format: {line:?}");
        if let Some(meta) = line.strip_prefix("# ") {
            let [kind, name, _] = meta.splitn(3, ' ').collect::<Vec<_>>()[..] else { return Err(wrong()) };
            if !matches!(kind, "HELP" | "TYPE" | "UNIT") || !is_name(name) {
                return Err(wrong());
            }
            continue;
        }
        let at = line.find(['{', ' ']).ok_or_else(wrong)?;
        let (name, mut rest) = line.split_at(at);
        let mut labels = BTreeMap::new();
        if let Some(inside) = rest.strip_prefix('{') {
            rest = inside;
            while let Some((label, after)) = rest.split_once("=\"") {
                let (value, after) = quoted(after).ok_or_else(wrong)?;
                if !is_name(label) || labels.insert(label.to_owned(), value).is_some() {
                    return Err(wrong());
                }
                rest = after.strip_prefix(',').unwrap_or(after);
                if rest.starts_with('}') {
                    break;
                }
            }
            rest = rest.strip_prefix('}').ok_or_else(wrong)?;
        }
        let value = rest.strip_prefix(' ').and_then(|value| value.parse().ok()).ok_or_else(wrong)?;
        if !is_name(name) {
            return Err(wrong());
        }
        samples.push((name.to_owned(), labels, value));
    }
    Ok(samples)
}

/// A text up to the quote that ends it, and what follows.
fn quoted(text: &str) -> Option<(String, &str)> {
    let (mut value, mut letters) = (String::new(), text.char_indices());
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Some((value, &text[at + 1..])),
            '\\' => match letters.next()?.1 {
                'n' => value.push('\n'),
                escaped @ ('"' | '\\') => value.push(escaped),
                _ => return None,
            },
            // Prometheus stops there.
            '\0' => return None,
            plain => value.push(plain),
        }
    }
    None
}

/// What forges a line, ends a label, and breaks a scrape, where it is written as it is.
const HOSTILE: [&str; 8] = [
    "eve\"} 1\nevenweave_forged{user=\"ann",
    "line\nend",
    "quote\"",
    "back\\",
    "\\n\\\"",
    "# EOF",
    "a,b=\"c\",user=ann:*?\u{1b}[2J\u{85}\u{202e}\r",
    "nothing\0more",
];

#[test]
fn hostile_names_are_read_back_as_they_are() {
    let settings = Settings::from_properties([]).expect("Hadoop's defaults");
    let basics = Basics::of_fair(&settings);
    let scheduler = FairScheduler::builder().settings(settings).cluster_timestamp(7).timers(false).start();
    let scheduler = scheduler.expect("a scheduler");
    let queues = ["a\"b", "a\\b", "a,b=c"];
    let file: String = queues
        .iter()
        .map(|name| format!("<queue name='{}'/>", name.replace('&', "&amp;").replace('"', "&quot;")))
        .collect();
    scheduler.reload_text(&format!("<allocations>{file}</allocations>")).expect("taken");
    let node = scheduler.add_node("n1", "/r1", Resource::new(65_536, 64)).expect("a node");
    let manager = ResourceManager::new(Cluster::new(7, "rm:8088"), Arc::new(Threads::new(scheduler.clone(), basics)));
    for (number, user) in (1..).zip(HOSTILE) {
        let queue = format!("root.{}", queues[number as usize % queues.len()]);
        let submission = Submission::new(number, user).in_queue(&queue).with_am(Resource::new(1024, 1));
        let app = scheduler.submit(submission).expect("taken");
        manager.records().submitted(AppRecord::new(number, user, &queue, 0).with_attempt(Some(app)));
    }
    scheduler.quiesce().unwrap();
    scheduler.update_now().unwrap();
    for _ in HOSTILE {
        scheduler.heartbeat(Heartbeat::new(&node)).expect("sent");
        scheduler.quiesce().unwrap();
    }
    let manager = Arc::new(manager);
    let (status, text) = get(&manager, "/metrics");
    let samples = openmetrics(&text).expect("text of the format");
    assert_eq!(status, 200);
    let of = |name: &str, label: &str| -> BTreeMap<String, f64> {
        let of = samples.iter().filter(|(other, ..)| other == name);
        of.map(|(_, labels, value)| (labels[label].clone(), *value)).collect()
    };
    let users = of("evenweave_user_used_mebibytes", "user");
    assert_eq!(users, HOSTILE.iter().map(|user| (user.replace('\0', "\u{fffd}"), 1024.0)).collect());
    let found = of("evenweave_queue_used_mebibytes", "queue");
    for name in queues {
        assert!(found.get(&format!("root.{name}")).is_some_and(|used| *used > 0.0), "{name}: {found:?}");
    }
    assert!(samples.iter().all(|(name, ..)| name != "evenweave_forged"), "{text}");
    // Each bean has its own name, and only the keys that belong there.
    let (_, all) = beans(&manager, "");
    let all = all["beans"].as_array().expect("beans");
    let names: BTreeSet<&str> = all.iter().map(|bean| bean["name"].as_str().expect("a name")).collect();
    assert_eq!(names.len(), all.len());
    for user in HOSTILE {
        let his = all.iter().filter(|bean| bean["tag.User"] == user && bean["tag.Queue"] == "root");
        let his: Vec<&str> = his.map(|bean| bean["name"].as_str().expect("a name")).collect();
        let [name] = his[..] else { panic!("{user:?}: {his:?}") };
        assert!(!name.contains('\n'), "{name:?}");
        let query: String =
            form_urlencoded::Serializer::new("?".to_owned()).append_pair("get", &format!("{name}::tag.User")).finish();
        let (status, found) = beans(&manager, &query);
        assert_eq!((status, &found["beans"][0]["tag.User"]), (200, &user.into()), "{query}");
    }
    scheduler.shutdown().unwrap();
}

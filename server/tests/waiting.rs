//! What is said of applications over scheduler threads, where nobody writes down why they wait: their diagnostics in
//! Hadoop's words, what they have used, and who is below a queue.

mod asking;

use std::net::SocketAddr;
use std::sync::Arc;

use asking::answer;
use axum::body::Body;
use axum::http::{Request, header};
use evenweave::config::AllocationFile;
use evenweave::prelude::*;
use evenweave_server::events::Ring;
use evenweave_server::records::{AppRecord, AppState, FinalStatus};
use evenweave_server::scheduler::{Basics, CapacityThreads, Threads};
use evenweave_server::{Cluster, ResourceManager, site};
use serde_json::Value;

/// Status, content type and body.
fn asked(manager: &Arc<ResourceManager>, path: &str, accept: &str) -> (u16, Option<String>, String) {
    let site = site(manager.clone(), Arc::new(Ring::default()), SocketAddr::from(([127, 0, 0, 1], 8088)));
    let request = Request::get(path).header(header::ACCEPT, accept).body(Body::empty()).expect("a request");
    let (parts, body) = answer(site, request).into_parts();
    let kind = parts.headers.get(header::CONTENT_TYPE).map(|kind| kind.to_str().expect("a type").to_owned());
    (parts.status.as_u16(), kind, body)
}

fn json(manager: &Arc<ResourceManager>, path: &str) -> Value {
    let (status, _, body) = asked(manager, &format!("/ws/v1/cluster{path}"), "application/json");
    assert_eq!(status, 200, "{path}: {body}");
    serde_json::from_str(&body).expect("JSON")
}

/// What is said of an application, without the moment in front.
fn diagnostics(manager: &Arc<ResourceManager>, number: u32) -> String {
    let app = &json(manager, &format!("/apps/application_7_{number:04}"))["app"];
    assert_eq!(app["state"], "ACCEPTED");
    let text = app["diagnostics"].as_str().expect("a text").to_owned();
    let path = format!("/apps/application_7_{number:04}/appattempts/appattempt_7_{number:04}_000001");
    let (of_attempt, moment) = (json(manager, &path), "[Sun Nov 22 00:19:10 +0000 2026] ".len());
    assert_eq!(of_attempt["diagnosticsInfo"].as_str().map(|text| &text[moment..]), text.get(moment..));
    assert!(text.starts_with('['), "{text}");
    text[moment..].to_owned()
}

fn capacity(own: &[(&'static str, &'static str)]) -> (CapacityScheduler, Arc<ResourceManager>) {
    let configuration = CapacityConfiguration::from_properties([], own.iter().copied()).expect("a configuration");
    let basics = Basics::of_capacity(configuration.file().settings());
    let scheduler =
        CapacityScheduler::builder(configuration).cluster_timestamp(7).timers(false).start().expect("a scheduler");
    let shown = Arc::new(CapacityThreads::new(scheduler.clone(), basics));
    (scheduler, Arc::new(ResourceManager::new(Cluster::new(7, "rm:8088"), shown)))
}

fn enter(manager: &ResourceManager, app: AppHandle, user: &str) {
    let record = AppRecord::new(app.number(), user, app.queue(), 0);
    manager.records().submitted(record.with_attempt(Some(app)));
}

const AM_LIMITS: [(&str, &str); 4] = [
    ("yarn.scheduler.capacity.root.queues", "a"),
    ("yarn.scheduler.capacity.root.a.capacity", "100"),
    ("yarn.scheduler.capacity.maximum-am-resource-percent", "0.01"),
    ("yarn.scheduler.capacity.root.a.max-parallel-apps", "3"),
];

#[test]
fn an_application_that_waits_in_a_capacity_scheduler_says_why() {
    let (scheduler, manager) = capacity(&AM_LIMITS);
    let node = scheduler.add_node("n1", "/r1", Resource::new(1024, 8)).expect("a node");
    for (number, user) in [(1, "ann"), (2, "bob"), (3, "cat"), (4, "dan")] {
        let submission = Submission::new(number, user).in_queue("root.a").with_am(Resource::new(1024, 1));
        enter(&manager, scheduler.submit(submission).expect("taken"), user);
    }
    scheduler.quiesce().unwrap();
    // One AM may always start: it waits for a node.
    let first = diagnostics(&manager, 1);
    assert!(
        first.starts_with(
            "Application is Activated, waiting for resources to be assigned for AM.  Details : AM Partition = \
             <DEFAULT_PARTITION> ; Partition Resource = <memory:1024, vCores:8> ; "
        ),
        "{first}"
    );
    assert_eq!(
        diagnostics(&manager, 2),
        "Application is added to the scheduler and is not yet activated. Queue's AM resource limit exceeded.  Details : AM Partition = \
         <DEFAULT_PARTITION>; AM Resource Request = <memory:1024, vCores:1>; Queue Resource Limit for AM = <memory:1024, vCores:1>; User \
         AM Resource Limit of the queue = <memory:1024, vCores:1>; Queue AM Resource Usage = <memory:1024, vCores:1>; "
    );
    // It waits for max-parallel-apps, of which Hadoop says nothing.
    assert_eq!(json(&manager, "/apps/application_7_0004")["app"]["diagnostics"], "");
    // By memory alone no vcore is left where no memory is.
    scheduler.heartbeat(Heartbeat::new(&node)).expect("sent");
    scheduler.quiesce().unwrap();
    let metrics = &json(&manager, "/metrics")["clusterMetrics"];
    assert_eq!((&metrics["availableMB"], &metrics["availableVirtualCores"]), (&0.into(), &0.into()));
    scheduler.shutdown().unwrap();
}

#[test]
fn an_application_that_waits_in_a_fair_scheduler_says_why() {
    let file = "<allocations><queue name='a'><maxRunningApps>1</maxRunningApps></queue><queue name='b'><maxAMShare>0.1</maxAMShare></queue>\
                <queue name='c'><maxResources>512 mb, 1 vcores</maxResources><maxAMShare>-1</maxAMShare></queue>\
                <user name='eve'><maxRunningApps>0</maxRunningApps></user></allocations>";
    let settings = Settings::from_properties([]).expect("Hadoop's defaults");
    let (basics, file) =
        (Basics::of_fair(&settings), AllocationFile::parse(file, "file", &settings.types, &[]).expect("queues").file);
    let builder = FairScheduler::builder().settings(settings).allocations(file).cluster_timestamp(7).timers(false);
    let scheduler = builder.start().expect("a scheduler");
    let shown = Arc::new(Threads::new(scheduler.clone(), basics));
    let manager = Arc::new(ResourceManager::new(Cluster::new(7, "rm:8088"), shown));
    scheduler.add_node("n1", "/r1", Resource::new(4096, 8)).expect("a node");
    for (number, user, queue) in
        [(1, "ann", "root.a"), (2, "bob", "root.a"), (3, "eve", "root.d"), (4, "cat", "root.b"), (5, "dan", "root.c")]
    {
        let submission = Submission::new(number, user).in_queue(queue).with_am(Resource::new(1024, 1));
        enter(&manager, scheduler.submit(submission).expect("taken"), user);
    }
    scheduler.quiesce().unwrap();
    scheduler.update_now().unwrap();
    scheduler.quiesce().unwrap();
    const NOT_YET: &str = "Application is added to the scheduler and is not yet activated. ";
    for (number, why) in [
        (2, "The queue \"root.a\" has reached the maximum limit of runnable applications."),
        (3, "The user \"eve\" has reached the maximum limit of runnable applications."),
        (4, " (Resource request: <memory:1024, vCores:1> exceeds maximum AM resource allowed)."),
        (
            5,
            " (Resource request: <memory:1024, vCores:1> exceeds current queue or its parents maximum resource allowed). Max share of \
             queue: <memory:512, vCores:1>",
        ),
    ] {
        assert_eq!(diagnostics(&manager, number), format!("{NOT_YET}{why}"));
    }
    scheduler.shutdown().unwrap();
}

/// People charge by it.
#[test]
fn what_an_application_has_used_is_told_while_it_runs_and_when_it_has_ended() {
    let (scheduler, manager) = capacity(&AM_LIMITS);
    scheduler.add_node("n1", "/r1", Resource::new(8192, 8)).expect("a node");
    let submission = Submission::new(1, "ann").in_queue("root.a").with_am(Resource::new(1024, 1));
    enter(&manager, scheduler.submit(submission).expect("taken"), "ann");
    let made = manager.now_ms() - 10_000;
    manager.records().container((1, 1, 1), &Resource::new(1024, 1), made);
    manager.records().container((1, 1, 2), &Resource::new(2048, 2), made);
    manager.records().container_ended((1, 1, 2), true, made + 4_000);
    let told = || json(&manager, "/apps/application_7_0001")["app"].clone();
    let seconds = |app: &Value| (app["memorySeconds"].as_i64(), app["vcoreSeconds"].as_i64());
    let running = told();
    let (memory, vcores) = seconds(&running);
    assert!(memory >= Some(1024 * 10 + 2048 * 4) && vcores >= Some(10 + 2 * 4), "{running}");
    manager.records().ended(1, AppState::Finished, FinalStatus::Succeeded, String::new(), made + 12_500);
    let ended = told();
    assert_eq!(seconds(&ended), (Some(1024 * 25 / 2 + 2048 * 4), Some(12 + 2 * 4)));
    assert_eq!((&ended["preemptedMemorySeconds"], &ended["preemptedVcoreSeconds"]), (&(2048 * 4).into(), &8.into()));
    assert_eq!((&ended["preemptedResourceMB"], &ended["numNonAMContainerPreempted"]), (&2048.into(), &1.into()));
    // A member twice: read as text.
    let (_, _, text) = asked(&manager, "/ws/v1/cluster/apps/application_7_0001", "application/json");
    assert!(text.contains("{\"key\":\"memory-mb\",\"value\":\"20992\"}"), "{text}");
    assert!(text.contains("{\"key\":\"memory-mb\",\"value\":\"8192\"}"), "{text}");
    let (_, _, jmx) = asked(&manager, "/jmx?qry=Hadoop:service=ResourceManager,name=QueueMetrics,q0=root,q1=a", "*/*");
    assert!(jmx.contains("\"AggregateMemoryMBSecondsPreempted\":8192"), "{jmx}");
    scheduler.shutdown().unwrap();
}

#[test]
fn a_queue_has_the_applications_of_those_below_it() {
    let own = [
        ("yarn.scheduler.capacity.root.queues", "p,q"),
        ("yarn.scheduler.capacity.root.p.capacity", "50"),
        ("yarn.scheduler.capacity.root.q.capacity", "50"),
        ("yarn.scheduler.capacity.root.p.queues", "a,b"),
        ("yarn.scheduler.capacity.root.p.a.capacity", "50"),
        ("yarn.scheduler.capacity.root.p.b.capacity", "50"),
    ];
    let (scheduler, manager) = capacity(&own);
    for (number, queue) in [(1, "root.p.a"), (2, "root.p.b"), (3, "root.q"), (4, "root.p.a")] {
        let submission = Submission::new(number, "ann").in_queue(queue).with_am(Resource::new(1024, 1));
        enter(&manager, scheduler.submit(submission).expect("taken"), "ann");
    }
    // Of those that have ended the scheduler knows nothing: they are where they were.
    manager.records().ended(4, AppState::Killed, FinalStatus::Killed, String::new(), 1);
    let found = |query: &str| {
        let apps = json(&manager, &format!("/apps?{query}"))["apps"]["app"].as_array().cloned().unwrap_or_default();
        let mut ids: Vec<String> = apps.iter().map(|app| app["id"].as_str().expect("an id")[14..].to_owned()).collect();
        ids.sort();
        ids.join(" ")
    };
    assert_eq!(found("queue=root.p"), "0001 0002");
    assert_eq!(found("queue=p"), "0001 0002");
    assert_eq!(found("queue=root.p.a"), "0001 0004");
    assert_eq!(found("queue=root"), "0001 0002 0003");
    assert_eq!(found("state=KILLED&states=ACCEPTED"), "0001 0002 0003 0004");
    assert_eq!(found("state=KILLED"), "0004");
    scheduler.shutdown().unwrap();
}

#[test]
fn odd_ids_and_kinds_of_answers_are_refused_as_in_hadoop() {
    let (scheduler, manager) = capacity(&AM_LIMITS);
    let status = |path: &str, accept: &str| {
        let (status, kind, body) = asked(&manager, &format!("/ws/v1/cluster{path}"), accept);
        (status, kind.unwrap_or_default(), body)
    };
    for (path, expected, said) in [
        ("/apps/application_7_-001", 404, "app with id: application_7_-001 not found"),
        ("/apps/application_-7_0001", 404, "app with id: application_-7_0001 not found"),
        ("/apps/application_7_99999999999", 400, "Invalid ApplicationId: application_7_99999999999"),
        ("/apps/application_7_0001x", 400, "Invalid ApplicationId: application_7_0001x"),
        ("/nodes/n1:8041x", 400, "Invalid port: 8041x"),
        ("/nodes/n1", 400, "Invalid NodeId [n1]. Expected host:port"),
        ("/nodes/n1:-5", 404, "nodeId, n1:-5, is not found"),
        ("/nodes/n1:8041:2", 400, "Invalid NodeId [n1:8041:2]. Expected host:port"),
    ] {
        let (status, _, body) = status(path, "application/json");
        assert!(status == expected && body.contains(said), "{path}: {status} {body}");
    }
    let (code, kind, body) = status("/metrics", "text/xml");
    assert_eq!((code, kind.as_str()), (503, "text/xml;charset=null"));
    assert!(body.contains("<exception>WebApplicationException</exception>"), "{body}");
    assert_eq!(status("/metrics", "image/png"), (500, String::new(), String::new()));
    assert_eq!(status("/metrics", "image/png, text/plain").1, "text/plain;charset=iso-8859-1");
    assert_eq!(status("/metrics", "text/html").1, "text/html;charset=iso-8859-1");
    assert_eq!(status("/metrics", "text/xml, application/json;q=0.1").0, 200);
    scheduler.shutdown().unwrap();
}

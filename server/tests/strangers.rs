//! What a stranger is told, route by route: with rights, and lists by user, an application of somebody else's is not
//! shown to him, except where a ResourceManager of Hadoop shows it too. The table has every route, and exactly what he
//! sees of it.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

mod node_record;

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, header};
use evenweave::config::Diagnostic;
use evenweave::prelude::*;
use evenweave_server::controls::{Action, Controls, Standing};
use evenweave_server::events::{Event, Ring, What};
use evenweave_server::records::AppRecord;
use evenweave_server::scheduler::{Basics, CapacityThreads, QueuesText, Scheduler, Threads};
use evenweave_server::{Cluster, ResourceManager, site};
use futures_util::StreamExt;
use node_record::node_record;
use regex::Regex;
use tower::ServiceExt;

const OWNER: &str = "ann-secret";
const APP: &str = "application_7_0001";
/// What is told of the application, its owner, and the file of queues.
const SECRETS: [&str; 7] = [OWNER, APP, "secret-name", "secret-tag", "secret-why", "secret-told", "secret-file"];

const SITE: [(&str, &str); 3] =
    [("yarn.acl.enable", "true"), ("yarn.admin.acl", "boss"), ("yarn.webapp.filter-entity-list-by-user", "true")];

/// Somebody simulates this cluster.
struct Desk;

impl Controls for Desk {
    fn standing(&self) -> Standing {
        let queues = QueuesText { name: "queues.xml".to_owned(), text: "<!-- secret-file -->".to_owned() };
        Standing { load_percent: 100, queues }
    }

    fn act(&self, _: Action) -> Result<String, String> {
        Err("nothing is done".to_owned())
    }

    fn check(&self, _: &str) -> Vec<Diagnostic> {
        Vec::new()
    }

    fn taken(&self, _: String) {}
}

struct Shown {
    manager: Arc<ResourceManager>,
    ring: Arc<Ring>,
    end: Box<dyn Fn()>,
}

/// An application of ann's with a container on a node, and what has happened of it.
fn shown(capacity: bool, more: &[(&'static str, &'static str)]) -> Shown {
    let submission = || Submission::new(1, OWNER).in_queue("root.a").with_am(Resource::new(1024, 1));
    let site: Vec<(&str, &str)> = SITE.iter().chain(more).copied().collect();
    let (scheduler, app, end): (Arc<dyn Scheduler>, AppHandle, Box<dyn Fn()>) = if capacity {
        let own = [
            ("yarn.scheduler.capacity.root.queues", "a"),
            ("yarn.scheduler.capacity.root.a.capacity", "100"),
            ("yarn.scheduler.capacity.maximum-am-resource-percent", "1.0"),
            ("yarn.scheduler.capacity.root.acl_administer_queue", " "),
        ];
        let configuration = CapacityConfiguration::from_properties(site.clone(), own).expect("a configuration");
        let basics = Basics::of_capacity(configuration.file().settings());
        let builder = CapacityScheduler::builder(configuration).cluster_timestamp(7).timers(false);
        let scheduler = builder.start().expect("a scheduler");
        let node = scheduler.add_node("n1", "/r1", Resource::new(8192, 8)).expect("a node");
        let app = scheduler.submit(submission()).expect("taken");
        scheduler.quiesce().unwrap();
        scheduler.heartbeat(Heartbeat::new(&node)).expect("sent");
        scheduler.quiesce().unwrap();
        let shown = Arc::new(CapacityThreads::new(scheduler.clone(), basics));
        (shown, app, Box::new(move || drop(scheduler.shutdown())))
    } else {
        let settings = Settings::from_properties(site.clone()).expect("settings");
        let basics = Basics::of_fair(&settings);
        let builder = FairScheduler::builder().settings(settings).cluster_timestamp(7).timers(false);
        let scheduler = builder.start().expect("a scheduler");
        let file = "<allocations><queue name='root'><aclAdministerApps> </aclAdministerApps><queue name='a'/></queue></allocations>";
        scheduler.reload_text(file).expect("taken");
        let node = scheduler.add_node("n1", "/r1", Resource::new(8192, 8)).expect("a node");
        let app = scheduler.submit(submission()).expect("taken");
        scheduler.quiesce().unwrap();
        scheduler.update_now().unwrap();
        scheduler.heartbeat(Heartbeat::new(&node)).expect("sent");
        scheduler.quiesce().unwrap();
        let shown = Arc::new(Threads::new(scheduler.clone(), basics));
        (shown, app, Box::new(move || drop(scheduler.shutdown())))
    };
    let cluster = Cluster::new(7, "rm:8088").with_properties(site);
    let manager = Arc::new(ResourceManager::new(cluster, scheduler).with_controls(Arc::new(Desk)));
    let mut record = AppRecord::new(1, OWNER, "root.a", 5).with_attempt(Some(app));
    "secret-name".clone_into(&mut record.name);
    record.tags.insert("secret-tag".to_owned());
    {
        let mut records = manager.records();
        records.submitted(record);
        records.container((1, 1, 1), &Resource::new(1024, 1), 5);
        records.node(node_record("n1", "/r1", 5));
    }
    let ring = Arc::new(Ring::default());
    for event in [
        Event::new(What::NodeRegistered, 5).on("n1"),
        Event::new(What::ApplicationAdded, 5).of(1, "root.a"),
        Event::new(What::ContainerAllocated, 5).on("n1").of(1, "root.a").container(1),
        Event::new(What::ApplicationRefused, 5).of(1, "root.a").saying("secret-why".to_owned()),
        Event::new(What::Told, 5).saying("secret-told".to_owned()),
        // Of one that nobody knows any more.
        Event::new(What::ApplicationEnded, 5).of(99, "root.a"),
        Event::new(What::Heartbeat, 5).on("n1"),
    ] {
        ring.push(event);
    }
    Shown { manager, ring, end }
}

impl Shown {
    /// Status, and the body or of one without an end its first piece.
    fn ask(&self, method: &str, path: &str, user: &str) -> (u16, String) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        let of = if path.contains('?') { '&' } else { '?' };
        let (kind, body) = match path {
            "/ws/v1/evenweave/queues" | "/ws/v1/evenweave/queues/check" => ("text/plain", "<allocations/>"),
            path if path.ends_with("/state") => ("application/json", r#"{"state":"KILLED"}"#),
            _ => ("application/json", "{}"),
        };
        let body = if method == "GET" { "" } else { body };
        let request = Request::builder().method(method).uri(format!("{path}{of}user.name={user}"));
        let request = request
            .header(header::HOST, "127.0.0.1:8088")
            .header(header::CONTENT_TYPE, kind)
            .body(Body::from(body))
            .expect("a request");
        runtime.block_on(async {
            let listens = SocketAddr::from(([127, 0, 0, 1], 8088));
            let site = site(self.manager.clone(), self.ring.clone(), listens);
            let response = tokio::time::timeout(Duration::from_secs(60), site.oneshot(request)).await;
            let response = response.expect("an answer in time").expect("an answer");
            let status = response.status().as_u16();
            let mut pieces = response.into_body().into_data_stream();
            let mut text = String::new();
            while let Some(piece) = pieces.next().await {
                text.push_str(&String::from_utf8_lossy(&piece.expect("a piece")));
                if path.starts_with("/events?") {
                    break;
                }
            }
            (status, text)
        })
    }

    /// Which secrets are told that were not asked with.
    fn seen(&self, method: &str, path: &str, user: &str) -> (u16, BTreeSet<&'static str>, String) {
        let (status, text) = self.ask(method, path, user);
        let seen = SECRETS.into_iter().filter(|secret| text.contains(secret) && !path.contains(secret)).collect();
        (status, seen, text)
    }
}

/// Method and route, how it is asked, and the status and what is seen with a FairScheduler and with a
/// CapacityScheduler.
type Row = (&'static str, &'static str, &'static str, [(u16, &'static [&'static str]); 2]);

const NOTHING: &[&str] = &[];
/// As in Hadoop: an application that is asked for by its id is shown without times, amounts and addresses.
const NAMED: &[&str] = &[OWNER, "secret-name", "secret-tag"];

const fn alike(status: u16, seen: &'static [&'static str]) -> [(u16, &'static [&'static str]); 2] {
    [(status, seen); 2]
}

#[rustfmt::skip]
const ROWS: &[Row] = &[
    // Pages: the same for everybody.
    ("GET", "/", "/", alike(200, NOTHING)),
    ("GET", "/cluster", "/cluster", alike(200, NOTHING)),
    ("GET", "/cluster/", "/cluster/", alike(200, NOTHING)),
    ("GET", "/cluster/{page}", "/cluster/apps", alike(200, NOTHING)),
    ("GET", "/cluster/{page}/", "/cluster/apps/", alike(200, NOTHING)),
    ("GET", "/cluster/app/{id}", "/cluster/app/application_7_0001", alike(200, NOTHING)),
    ("GET", "/assets/{*path}", "/assets/live.js", alike(200, NOTHING)),
    // The whole of the cluster: what is open in Hadoop. The users of a CapacityScheduler's queues are in it there.
    ("GET", "/ws/v1/cluster", "/ws/v1/cluster", alike(200, NOTHING)),
    ("GET", "/ws/v1/cluster/info", "/ws/v1/cluster/info", alike(200, NOTHING)),
    ("GET", "/ws/v1/cluster/userinfo", "/ws/v1/cluster/userinfo", alike(200, NOTHING)),
    ("GET", "/ws/v1/cluster/metrics", "/ws/v1/cluster/metrics", alike(200, NOTHING)),
    ("GET", "/ws/v1/cluster/scheduler", "/ws/v1/cluster/scheduler", [(200, NOTHING), (200, &[OWNER])]),
    ("GET", "/ws/v1/cluster/scheduler-overview", "/ws/v1/cluster/scheduler-overview", alike(200, NOTHING)),
    ("GET", "/ws/v1/cluster/scheduler-conf", "/ws/v1/cluster/scheduler-conf", alike(403, NOTHING)),
    ("GET", "/ws/v1/cluster/scheduler/activities", "/ws/v1/cluster/scheduler/activities", alike(200, NOTHING)),
    ("GET", "/ws/v1/cluster/scheduler/bulk-activities", "/ws/v1/cluster/scheduler/bulk-activities", [(400, NOTHING), (200, NOTHING)]),
    ("GET", "/ws/v1/cluster/scheduler/app-activities/{app}", "/ws/v1/cluster/scheduler/app-activities/application_7_0001", alike(200, NOTHING)),
    ("GET", "/ws/v1/cluster/nodes", "/ws/v1/cluster/nodes", alike(200, NOTHING)),
    ("GET", "/ws/v1/cluster/nodes/{node}", "/ws/v1/cluster/nodes/n1:8041", alike(200, NOTHING)),
    ("GET", "/ws/v1/cluster/nodes/{node}/get-labels", "/ws/v1/cluster/nodes/n1:8041/get-labels", alike(200, NOTHING)),
    ("GET", "/ws/v1/cluster/get-node-labels", "/ws/v1/cluster/get-node-labels", alike(200, NOTHING)),
    ("GET", "/ws/v1/cluster/get-rm-node-labels", "/ws/v1/cluster/get-rm-node-labels", alike(200, NOTHING)),
    ("GET", "/ws/v1/cluster/get-node-to-labels", "/ws/v1/cluster/get-node-to-labels", alike(200, NOTHING)),
    ("GET", "/ws/v1/cluster/label-mappings", "/ws/v1/cluster/label-mappings", alike(200, NOTHING)),
    ("GET", "/ws/v1/cluster/appstatistics", "/ws/v1/cluster/appstatistics", alike(200, NOTHING)),
    ("GET", "/ws/v1/cluster/queues/{queue}/access", "/ws/v1/cluster/queues/root.a/access?user=eve", alike(403, NOTHING)),
    // Applications: not in the list; by its id as in Hadoop.
    ("GET", "/ws/v1/cluster/apps", "/ws/v1/cluster/apps", alike(200, NOTHING)),
    ("GET", "/ws/v1/cluster/apps/{app}", "/ws/v1/cluster/apps/application_7_0001", alike(200, NAMED)),
    ("GET", "/ws/v1/cluster/apps/{app}/appattempts", "/ws/v1/cluster/apps/application_7_0001/appattempts", alike(200, NOTHING)),
    ("GET", "/ws/v1/cluster/apps/{app}/appattempts/{attempt}", "/ws/v1/cluster/apps/application_7_0001/appattempts/appattempt_7_0001_000001", alike(503, NOTHING)),
    ("GET", "/ws/v1/cluster/apps/{app}/appattempts/{attempt}/containers", "/ws/v1/cluster/apps/application_7_0001/appattempts/appattempt_7_0001_000001/containers", alike(503, NOTHING)),
    ("GET", "/ws/v1/cluster/apps/{app}/appattempts/{attempt}/containers/{container}", "/ws/v1/cluster/apps/application_7_0001/appattempts/appattempt_7_0001_000001/containers/container_7_0001_01_000001", alike(503, NOTHING)),
    ("GET", "/ws/v1/cluster/apps/{app}/state", "/ws/v1/cluster/apps/application_7_0001/state", alike(200, NOTHING)),
    ("GET", "/ws/v1/cluster/apps/{app}/queue", "/ws/v1/cluster/apps/application_7_0001/queue", alike(200, NOTHING)),
    ("GET", "/ws/v1/cluster/apps/{app}/priority", "/ws/v1/cluster/apps/application_7_0001/priority", alike(200, NOTHING)),
    ("GET", "/ws/v1/cluster/apps/{app}/timeouts", "/ws/v1/cluster/apps/application_7_0001/timeouts", alike(200, NOTHING)),
    ("GET", "/ws/v1/cluster/apps/{app}/timeouts/{type}", "/ws/v1/cluster/apps/application_7_0001/timeouts/LIFETIME", alike(200, NOTHING)),
    ("PUT", "/ws/v1/cluster/apps/{app}/state", "/ws/v1/cluster/apps/application_7_0001/state", alike(403, NOTHING)),
    ("PUT", "/ws/v1/cluster/apps/{app}/queue", "/ws/v1/cluster/apps/application_7_0001/queue", alike(403, NOTHING)),
    ("PUT", "/ws/v1/cluster/apps/{app}/priority", "/ws/v1/cluster/apps/application_7_0001/priority", alike(200, NOTHING)),
    ("PUT", "/ws/v1/cluster/apps/{app}/timeout", "/ws/v1/cluster/apps/application_7_0001/timeout", alike(503, NOTHING)),
    // Reservations.
    ("POST", "/ws/v1/cluster/add-node-labels", "/ws/v1/cluster/add-node-labels", alike(401, NOTHING)),
    ("POST", "/ws/v1/cluster/remove-node-labels", "/ws/v1/cluster/remove-node-labels", alike(401, NOTHING)),
    ("POST", "/ws/v1/cluster/replace-node-to-labels", "/ws/v1/cluster/replace-node-to-labels", alike(401, NOTHING)),
    ("POST", "/ws/v1/cluster/nodes/{node}/replace-labels", "/ws/v1/cluster/nodes/n1:8041/replace-labels", alike(401, NOTHING)),
    ("POST", "/ws/v1/cluster/reservation/new-reservation", "/ws/v1/cluster/reservation/new-reservation", alike(503, NOTHING)),
    ("POST", "/ws/v1/cluster/reservation/submit", "/ws/v1/cluster/reservation/submit", alike(400, NOTHING)),
    ("POST", "/ws/v1/cluster/reservation/update", "/ws/v1/cluster/reservation/update", alike(400, NOTHING)),
    ("POST", "/ws/v1/cluster/reservation/delete", "/ws/v1/cluster/reservation/delete", alike(400, NOTHING)),
    ("GET", "/ws/v1/cluster/reservation/list", "/ws/v1/cluster/reservation/list?queue=root.a", alike(400, NOTHING)),
    // Our own.
    ("GET", "/ws/v1/evenweave/why", "/ws/v1/evenweave/why?queue=root", alike(200, NOTHING)),
    ("GET", "/ws/v1/evenweave/plans", "/ws/v1/evenweave/plans", alike(200, NOTHING)),
    ("GET", "/ws/v1/evenweave/state", "/ws/v1/evenweave/state", alike(200, NOTHING)),
    ("GET", "/ws/v1/evenweave/controls", "/ws/v1/evenweave/controls", alike(200, NOTHING)),
    ("POST", "/ws/v1/evenweave/controls", "/ws/v1/evenweave/controls", alike(403, NOTHING)),
    ("POST", "/ws/v1/evenweave/queues/check", "/ws/v1/evenweave/queues/check", alike(403, NOTHING)),
    ("POST", "/ws/v1/evenweave/queues", "/ws/v1/evenweave/queues", alike(403, NOTHING)),
    ("POST", "/ws/v1/evenweave/refresh-queues", "/ws/v1/evenweave/refresh-queues", alike(403, NOTHING)),
    ("POST", "/ws/v1/evenweave/refresh-nodes", "/ws/v1/evenweave/refresh-nodes", alike(403, NOTHING)),
    ("POST", "/ws/v1/evenweave/refresh-tokens", "/ws/v1/evenweave/refresh-tokens", alike(403, NOTHING)),
    ("POST", "/ws/v1/evenweave/nodes/{node}/decommission", "/ws/v1/evenweave/nodes/n1:8041/decommission", alike(403, NOTHING)),
    ("POST", "/ws/v1/evenweave/nodes/{node}/recommission", "/ws/v1/evenweave/nodes/n1:8041/recommission", alike(403, NOTHING)),
    ("POST", "/ws/v1/evenweave/nodes/{node}/remove", "/ws/v1/evenweave/nodes/n1:8041/remove", alike(403, NOTHING)),
    ("POST", "/ws/v1/cluster/nodes/{node}/resource", "/ws/v1/cluster/nodes/n1:8041/resource", alike(403, NOTHING)),
    ("GET", "/ws/v1/evenweave/log-level", "/ws/v1/evenweave/log-level", alike(403, NOTHING)),
    ("PUT", "/ws/v1/evenweave/log-level", "/ws/v1/evenweave/log-level", alike(403, NOTHING)),
    ("GET", "/logLevel", "/logLevel", alike(403, NOTHING)),
    // The live page's. Its state has nodes and queues, which are open in REST.
    ("GET", "/events", "/events?after=0", alike(200, NOTHING)),
    ("GET", "/events/state", "/events/state", alike(200, NOTHING)),
    // Metrics: open, unless the site keeps them for administrators.
    ("GET", "/metrics", "/metrics", alike(200, &[OWNER])),
    ("GET", "/jmx", "/jmx", alike(200, &[OWNER])),
    // Probes: a word about the server.
    ("GET", "/healthz", "/healthz", alike(200, NOTHING)),
    ("GET", "/readyz", "/readyz", alike(200, NOTHING)),
];

/// Methods and routes as the sources have them.
fn routes() -> BTreeSet<(&'static str, String)> {
    let sources = [
        include_str!("../src/router.rs"),
        include_str!("../src/live/mod.rs"),
        include_str!("../src/metering/mod.rs"),
        include_str!("../src/pages.rs"),
        include_str!("../src/probes.rs"),
    ];
    let route = Regex::new(
        r#"\.route\(\s*(?:&(?P<below>beneath|booked)\()?(?:"(?P<path>[^"]*)"|(?P<app>APP))\)?,\s*(?P<how>\w+)\("#,
    );
    let (route, mut found) = (route.expect("a pattern"), BTreeSet::new());
    for source in sources {
        let written = source.matches(".route(").count() - source.matches(".route()").count();
        assert_eq!(route.find_iter(source).count(), written, "a route is not read");
        for of in route.captures_iter(source) {
            let below = match of.name("below").map(|below| below.as_str()) {
                Some("beneath") => "/ws/v1/cluster/apps/{app}",
                Some(_) => "/ws/v1/cluster/reservation",
                None if of.name("app").is_some() => "/ws/v1/cluster/apps/{app}",
                None => "",
            };
            let path = format!("{below}{}", of.name("path").map_or("", |path| path.as_str()));
            let methods: &[&'static str] = match &of["how"] {
                "get" | "reads" | "looks_at" => &["GET"],
                "changes" => &["GET", "PUT"],
                "changes_only" => &["PUT"],
                "commands" => &["POST"],
                "asked_and_done" => &["GET", "POST"],
                other => panic!("which methods has {other}?"),
            };
            found.extend(methods.iter().map(|method| (*method, path.clone())));
        }
    }
    found
}

#[test]
fn the_table_has_every_route() {
    let told: BTreeSet<(&str, String)> =
        ROWS.iter().map(|(method, route, ..)| (*method, (*route).to_owned())).collect();
    assert_eq!(told, routes());
}

#[test]
fn a_stranger_is_told_nothing_of_others_applications() {
    for capacity in [false, true] {
        let shown = shown(capacity, &[]);
        let mut wrong = BTreeMap::new();
        for (method, route, path, expected) in ROWS {
            let (status, seen, text) = shown.seen(method, path, "eve");
            let (expected_status, expected) = expected[usize::from(capacity)];
            if status != expected_status || seen != expected.iter().copied().collect() {
                wrong.insert((*method, *route), (status, seen, text));
            }
        }
        assert!(wrong.is_empty(), "capacity {capacity}: {wrong:#?}");
        (shown.end)();
    }
}

#[test]
fn events_are_told_by_the_readers_rights() {
    let shown = shown(false, &[]);
    let kinds = |user: &str| -> Vec<String> {
        let (_, text) = shown.ask("GET", "/events?after=0", user);
        let data = text.split("data: ").nth(1).and_then(|rest| rest.lines().next()).expect("a message");
        let batch: serde_json::Value = serde_json::from_str(data).expect("JSON");
        assert_eq!(batch["lost"], 0, "what is not for {user} is not lost to him");
        let events = batch["events"].as_array().expect("events").iter();
        events.map(|event| event["what"].as_str().expect("a word").to_owned()).collect()
    };
    let nodes = ["node_registered", "heartbeat"];
    assert_eq!(kinds("eve"), nodes);
    let own = ["node_registered", "application_added", "container_allocated", "application_refused", "heartbeat"];
    assert_eq!(kinds(OWNER), own);
    let (_, all, _) = shown.seen("GET", "/events?after=0", "boss");
    assert_eq!(all, BTreeSet::from(["secret-why", "secret-told"]));
    assert_eq!(kinds("boss").len(), 7);
    (shown.end)();
    // Without rights everybody sees all.
    let open = self::shown(false, &[("yarn.acl.enable", "false")]);
    assert_eq!(open.seen("GET", "/events?after=0", "eve").1, BTreeSet::from(["secret-why", "secret-told"]));
    (open.end)();
}

#[test]
fn metrics_can_be_kept_for_administrators() {
    let shown = shown(false, &[("hadoop.security.instrumentation.requires.admin", "true")]);
    for path in ["/metrics", "/jmx", "/jmx?qry=*:*"] {
        let (status, seen, text) = shown.seen("GET", path, "eve");
        assert!(status == 403 && seen.is_empty() && text.contains("requires.admin keeps it"), "{path}: {text}");
        assert_eq!(shown.ask("GET", path, OWNER).0, 403, "{path}");
        assert_eq!(shown.ask("HEAD", path, "eve").0, 403, "{path}");
        let (status, seen, _) = shown.seen("GET", path, "boss");
        assert_eq!((status, seen), (200, BTreeSet::from([OWNER])), "{path}");
    }
    (shown.end)();
}

#[test]
fn the_file_of_queues_is_for_administrators() {
    let shown = shown(false, &[]);
    let (_, seen, text) = shown.seen("GET", "/ws/v1/evenweave/controls", "boss");
    assert_eq!(seen, BTreeSet::from(["secret-file"]), "{text}");
    (shown.end)();
}

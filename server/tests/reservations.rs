//! Reservations over REST on running schedulers, and bodies of those who mean no good. What Hadoop answers is in
//! `recordings`.

mod asking;

use std::sync::Arc;

use asking::answer;
use axum::body::Body;
use axum::http::{Request, header};
use evenweave::CapacityScheduler;
use evenweave::prelude::*;
use evenweave_server::scheduler::{Basics, CapacityThreads, QueuesText, Scheduler, Steps, Threads};
use evenweave_server::{Cluster, ResourceManager, router};
use serde_json::{Value, json};

const ENABLE: (&str, &str) = ("yarn.resourcemanager.reservation-system.enable", "true");
const JSON: &str = "application/json";
const XML: &str = "application/xml";

/// 2100
const ARRIVAL: i64 = 4_102_444_800_000;

fn fair() -> FairScheduler {
    let queues = "<queue name='root'><schedulingPolicy>drf</schedulingPolicy><queue name='p'><reservation/></queue>\
                  <queue name='q'/></queue>";
    let scheduler = evenweave_testkit::fair(&[ENABLE], queues).timers(false).start().expect("a scheduler");
    scheduler.add_node("n1", "/r1", Resource::new(16_384, 16)).expect("a node");
    scheduler
}

fn capacity() -> CapacityScheduler {
    let own = ["queues=p,q", "p.capacity=50", "p.reservable=true", "q.capacity=50"];
    let own = own.map(|line| line.split_once('=').expect("a property"));
    let own = own.map(|(name, value)| (format!("yarn.scheduler.capacity.root.{name}"), value));
    let pairs = own.iter().map(|(name, value)| (name.as_str(), *value));
    let scheduler = evenweave_testkit::capacity([ENABLE], pairs).timers(false).start().expect("a scheduler");
    scheduler.add_node("n1", "/r1", Resource::new(16_384, 16)).expect("a node");
    scheduler.follow_plans().expect("plans");
    scheduler
}

struct Asking {
    manager: Arc<ResourceManager>,
}

impl Asking {
    fn of(scheduler: impl Scheduler + 'static) -> Asking {
        let manager = Arc::new(ResourceManager::new(Cluster::new(7, "rm:8088"), Arc::new(scheduler)));
        Asking { manager }
    }

    fn ask(&self, request: Request<Body>) -> (u16, String) {
        let (parts, body) = answer(router(self.manager.clone()), request).into_parts();
        (parts.status.as_u16(), body)
    }

    fn post(&self, what: &str, kind: &str, body: impl Into<Body>) -> (u16, String) {
        let path = format!("/ws/v1/cluster/reservation/{what}?user.name=ann");
        let request = Request::post(path).header(header::CONTENT_TYPE, kind).body(body.into());
        self.ask(request.expect("a request"))
    }

    fn list(&self, accept: &str) -> String {
        let request = Request::get("/ws/v1/cluster/reservation/list?queue=root.p").header(header::ACCEPT, accept);
        let (status, answer) = self.ask(request.body(Body::empty()).expect("a request"));
        assert_eq!(status, 200, "{answer}");
        answer
    }
}

fn body(id: &str, name: &str) -> Value {
    let stage = json!({"capability": {"memory": 1024, "vCores": 1}, "min-concurrency": 1, "num-containers": 2, "duration": 60_000});
    json!({"queue": "root.p", "reservation-id": id, "reservation-definition": {"arrival": ARRIVAL,
        "deadline": ARRIVAL + 600_000, "reservation-name": name,
        "reservation-requests": {"reservation-request-interpreter": 1, "reservation-request": [stage]}}})
}

fn lives(asking: &Asking) {
    let (status, made) = asking.post("new-reservation", JSON, "");
    let made: Value = serde_json::from_str(&made).expect("JSON");
    let id = made["reservation-id"].as_str().expect("an id");
    assert!(status == 200 && id.starts_with("reservation_"), "{made}");
    let (status, answer) = asking.post("submit", JSON, body(id, "nightly").to_string());
    assert_eq!((status, answer.as_str()), (202, ""), "{answer}");
    assert!(asking.list(JSON).contains(r#""reservation-name":"nightly""#));
    let (status, answer) = asking.post("update", JSON, body(id, "weekly").to_string());
    assert_eq!((status, answer.as_str()), (200, "{}"));
    assert!(asking.list(JSON).contains(r#""reservation-name":"weekly""#));
    assert_eq!(asking.post("delete", JSON, json!({"reservation-id": id}).to_string()).0, 200);
    assert_eq!(asking.list(JSON), "{}");
}

#[test]
fn a_reservation_lives_on_threads_of_either_scheduler() {
    let scheduler = fair();
    let basics = Basics::of_fair(&Settings::from_properties([ENABLE]).expect("settings"));
    let asking = Asking::of(Threads::new(scheduler.clone(), basics));
    lives(&asking);
    // One that has ended books nothing more, and says so.
    scheduler.shutdown().unwrap();
    let (status, answer) = asking.post("submit", JSON, body("reservation_7_0009", "late").to_string());
    assert!(status == 503 && answer.contains("YarnException") && answer.contains("shut down"), "{status} {answer}");
    let scheduler = capacity();
    let configuration = scheduler.configuration().expect("a configuration");
    lives(&Asking::of(CapacityThreads::new(scheduler.clone(), Basics::of_capacity(configuration.file().settings()))));
    scheduler.shutdown().unwrap();
}

#[test]
fn what_means_no_good_is_refused_or_is_a_text() {
    let scheduler = fair();
    let basics = Basics::of_fair(&Settings::from_properties([ENABLE]).expect("settings"));
    let asking = Asking::of(Threads::new(scheduler.clone(), basics));
    for what in ["submit", "update", "delete"] {
        assert_eq!(asking.post(what, JSON, vec![b' '; 1 << 20]).0, 413, "{what}");
        let elements = format!("reservation-{}-context", what.replace("submit", "submission"));
        let deep = format!("<{elements}>{}{}</{elements}>", "<a>".repeat(8_000), "</a>".repeat(8_000));
        let words = format!("<!DOCTYPE a><{elements}/>");
        let nested = [(JSON, "[".repeat(30_000)), (JSON, "{\"a\":".repeat(10_000)), (XML, deep), (XML, words)];
        for ((kind, text), why) in
            nested.into_iter().zip(["recursion", "recursion", "within each other", "document type"])
        {
            let (status, answer) = asking.post(what, kind, text);
            assert!(status == 400 && answer.contains(why), "{what}: {answer}");
        }
        assert_eq!(asking.post(what, XML, vec![0xff, 0xfe]).0, 400, "{what}");
        assert_eq!(asking.post(what, "text/plain", "x").0, 503, "{what}");
    }
    // A name is a text, whatever it says.
    let hostile = "</reservation-name><script>\"\u{1}\u{202e}";
    assert_eq!(asking.post("submit", JSON, body("reservation_7_0001", hostile).to_string()).0, 202);
    let listed: Value = serde_json::from_str(&asking.list(JSON)).expect("JSON");
    assert_eq!(listed["reservations"]["reservation-definition"]["reservation-name"], hostile);
    let listed = asking.list(XML);
    assert!(listed.contains("&lt;script&gt;") && !listed.contains("<script>") && !listed.contains('\u{1}'), "{listed}");
    // Each second of each day: more than is computed for anybody.
    let mut endless = body("reservation_7_0002", "endless");
    endless["reservation-definition"]["deadline"] = (ARRIVAL + 1_000).into();
    endless["reservation-definition"]["recurrence-expression"] = "1000".into();
    endless["reservation-definition"]["reservation-requests"]["reservation-request"][0]["duration"] = 1_000.into();
    let (status, answer) = asking.post("submit", JSON, endless.to_string());
    assert!(status == 400 && answer.contains("use a longer step or duration"), "{answer}");
    scheduler.shutdown().unwrap();
}

/// `rmadmin -refreshQueues` with another file: a queue that is reservable from now on takes reservations.
#[test]
fn a_refresh_makes_plans_of_queues_that_are_reservable_now() {
    let asking = |threaded: bool| {
        let builder = evenweave_testkit::fair(&[ENABLE], "<queue name='q'/>").timers(false);
        let basics = Basics::of_fair(&Settings::from_properties([ENABLE]).expect("settings"));
        let node = Resource::new(16_384, 16);
        if threaded {
            let scheduler = builder.start().expect("a scheduler");
            scheduler.add_node("n1", "/r1", node).expect("a node");
            Asking::of(Threads::new(scheduler, basics))
        } else {
            let mut stepped = builder.stepped().expect("a scheduler");
            stepped.add_node("n1", "/r1", node).expect("a node");
            Asking::of(Steps::new(stepped, basics))
        }
    };
    for threaded in [false, true] {
        let asking = asking(threaded);
        let (status, answer) = asking.post("new-reservation", JSON, "");
        assert_eq!(status, 200, "{answer}");
        let made: Value = serde_json::from_str(&answer).expect("JSON");
        let id = made["reservation-id"].as_str().expect("an id").to_owned();
        let (status, answer) = asking.post("submit", JSON, body(&id, "early").to_string());
        assert_eq!(status, 400, "no plan yet: {answer}");
        let text = "<allocations><queue name='root'><schedulingPolicy>drf</schedulingPolicy><queue name='p'><reservation/></queue>\
                    <queue name='q'/></queue></allocations>";
        let file = QueuesText { name: "q.xml".to_owned(), text: text.to_owned() };
        asking.manager.refresh_with(&file).expect("taken");
        let (status, answer) = asking.post("submit", JSON, body(&id, "late").to_string());
        assert_eq!(status, 202, "threaded {threaded}: {answer}");
    }
}

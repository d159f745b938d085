//! Requests and names of people who mean no good: refused, or shown as what they are.

mod asking;

use std::sync::Arc;

use asking::answer;
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use evenweave::SchedulerApi as _;
use evenweave::{FairScheduler, Resource, Settings};
use evenweave_server::records::AppRecord;
use evenweave_server::scheduler::{Basics, Steps};
use evenweave_server::{Cluster, ResourceManager, router};

const HOSTILE: &str = "</name><script>alert(\"1\")</script>&'\u{1}\u{202e}";

fn manager() -> Arc<ResourceManager> {
    let settings = Settings::from_properties([]).expect("Hadoop's defaults");
    let basics = Basics::of_fair(&settings);
    let mut stepped = FairScheduler::builder().settings(settings).trace(true).stepped().expect("a scheduler");
    stepped.add_node("n1", "/<rack>", Resource::new(8192, 8)).expect("a node");
    let manager = ResourceManager::new(Cluster::new(1, "rm:8088"), Arc::new(Steps::new(stepped, basics)));
    let mut record = AppRecord::new(1, HOSTILE, "root.a", 0);
    HOSTILE.clone_into(&mut record.name);
    record.tags.insert(HOSTILE.to_owned());
    manager.records().submitted(record);
    Arc::new(manager)
}

/// Status, content type and body.
fn ask(request: Request<Body>) -> (StatusCode, String, String) {
    let (parts, body) = answer(router(manager()), request).into_parts();
    let kind = parts.headers.get(header::CONTENT_TYPE).map(|kind| kind.to_str().expect("letters").to_owned());
    (parts.status, kind.unwrap_or_default(), body)
}

fn get(path: &str, accept: &str) -> (StatusCode, String, String) {
    ask(Request::get(path).header(header::ACCEPT, accept).body(Body::empty()).expect("a request"))
}

fn put(path: &str, kind: &str, body: impl Into<Body>) -> (StatusCode, String, String) {
    ask(Request::put(path).header(header::CONTENT_TYPE, kind).body(body.into()).expect("a request"))
}

#[test]
fn names_are_texts_in_both_forms() {
    let (status, _, body) = get("/ws/v1/cluster/apps", "application/json");
    assert_eq!(status, StatusCode::OK);
    let read: serde_json::Value = serde_json::from_str(&body).unwrap();
    assert_eq!(read["apps"]["app"][0]["name"], HOSTILE);
    assert_eq!(read["apps"]["app"][0]["user"], HOSTILE);
    let (status, _, body) = get("/ws/v1/cluster/apps", "application/xml");
    assert_eq!(status, StatusCode::OK);
    assert!(!body.contains("<script>") && !body.contains('\u{1}'), "{body}");
    assert!(body.contains("&lt;script&gt;"), "{body}");
}

#[test]
fn what_was_asked_for_comes_back_as_a_text() {
    for accept in ["application/json", "application/xml"] {
        let (status, kind, body) = get("/ws/v1/cluster/nodes/%3Cscript%3E%22", accept);
        assert_eq!(status, StatusCode::BAD_REQUEST);
        assert!(kind.starts_with(accept), "{kind}");
        assert!(accept == "application/json" || !body.contains("<script>"), "{body}");
        assert!(accept == "application/xml" || serde_json::from_str::<serde_json::Value>(&body).is_ok(), "{body}");
    }
    // The page of what is not there does not repeat it.
    let (status, _, body) = get("/ws/v1/%3Cscript%3E", "text/html");
    assert_eq!(status, StatusCode::NOT_FOUND);
    assert!(!body.contains("script"), "{body}");
}

#[test]
fn paths_lead_nowhere_else() {
    for path in ["/ws/v1/cluster/apps/..%2f..%2fetc%2fpasswd", "/ws/v1/cluster/apps/%00", "/ws/v1/cluster/apps/%ff"] {
        let (status, ..) = get(path, "application/json");
        assert_eq!(status, StatusCode::BAD_REQUEST, "{path}");
    }
    assert_eq!(get("/ws/v1/cluster/../../etc/passwd", "application/json").0, StatusCode::NOT_FOUND);
}

/// As Hadoop reads them; what it does not read at all is refused as its web server does.
#[test]
fn bytes_that_are_no_letters_are_refused_as_other_names() {
    for path in ["apps/%ff", "apps/application_1_0001%c3/state", "apps/%e2%82/appattempts", "nodes/%ff", "apps/%2f%ff"]
    {
        let path = format!("/ws/v1/cluster/{path}?a=%ff");
        let (status, kind, body) = get(&path, "application/json");
        assert_eq!(status, StatusCode::BAD_REQUEST, "{path}");
        let read: serde_json::Value = serde_json::from_str(&body).unwrap();
        let message = read["RemoteException"]["message"].as_str().unwrap();
        assert!(kind.starts_with("application/json") && message.contains('\u{fffd}'), "{path}: {body}");
        let (status, kind, body) = get(&path, "application/xml");
        assert!(status == StatusCode::BAD_REQUEST && kind.starts_with("application/xml"), "{path}: {kind}");
        assert!(body.contains("<RemoteException>"), "{path}: {body}");
    }
    for path in ["/ws/v1/cluster/apps/%zz", "/ws/v1/cluster/apps/%", "/%f"] {
        let (status, kind, body) = get(path, "application/json");
        assert_eq!((status, kind.as_str()), (StatusCode::BAD_REQUEST, "text/html;charset=iso-8859-1"), "{path}");
        assert!(body.contains("Bad Message 400"), "{body}");
    }
}

#[test]
fn large_and_deep_bodies_are_refused() {
    const STATE: &str = "/ws/v1/cluster/apps/application_1_0001/state";
    let large = vec![b' '; 1 << 20];
    let (status, kind, body) = put(STATE, "application/json", large);
    assert_eq!((status, kind.as_str()), (StatusCode::PAYLOAD_TOO_LARGE, "application/json;charset=utf-8"));
    assert!(body.contains("\"javaClassName\":\"javax.ws.rs.WebApplicationException\""), "{body}");
    let deep = "[".repeat(30_000);
    assert_eq!(put(STATE, "application/json", deep).0, StatusCode::BAD_REQUEST);
    let deep = "<appstate>".repeat(6_000);
    assert_eq!(put(STATE, "application/xml", deep).0, StatusCode::BAD_REQUEST);
    // A document that defines words of its own, to blow up.
    let words = "<!DOCTYPE a [<!ENTITY b \"cccccccccc\">]><appstate><state>&b;</state></appstate>";
    assert_eq!(put(STATE, "application/xml", words).0, StatusCode::BAD_REQUEST);
    assert_eq!(put(STATE, "application/xml", vec![0xff, 0xfe]).0, StatusCode::BAD_REQUEST);
    assert_eq!(put(STATE, "text/plain", "KILLED").0, StatusCode::SERVICE_UNAVAILABLE);
}

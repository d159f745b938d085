//! Changes of node labels over REST: what is taken, what is refused, and in whose words.

mod asking;

mod node_record;

use node_record::node_record;
use std::sync::Arc;

use asking::answer;
use axum::body::Body;
use axum::http::{Request, header};
use evenweave::prelude::*;
use evenweave_server::scheduler::{Basics, CapacitySteps};
use evenweave_server::{Cluster, ResourceManager, router};

const QUEUES: [(&str, &str); 4] = [
    ("yarn.scheduler.capacity.root.queues", "a"),
    ("yarn.scheduler.capacity.root.a.capacity", "100"),
    ("yarn.scheduler.capacity.root.a.accessible-node-labels", "gpu"),
    ("yarn.scheduler.capacity.root.a.accessible-node-labels.gpu.capacity", "100"),
];
const ON: (&str, &str) = ("yarn.node-labels.enabled", "true");
const BOSS: (&str, &str) = ("yarn.admin.acl", "boss");
const TYPE: &str = "yarn.node-labels.configuration-type";

struct Rm(Arc<ResourceManager>);

impl Rm {
    /// A ResourceManager with one node, n1.
    fn new(site: &[(&str, &str)], queues: &[(&str, &str)]) -> Rm {
        let pairs = || site.iter().copied();
        let configuration = CapacityConfiguration::from_properties(pairs(), queues.iter().copied()).expect("queues");
        let basics = Basics::of_capacity(configuration.file().settings());
        let mut stepped = CapacityScheduler::builder(configuration).stepped().expect("a scheduler");
        let node = NewNode::new("n1", "/r", Resource::new(8192, 8)).with_port(8041);
        stepped.register_node(node, Vec::new()).expect("a node");
        let cluster = Cluster::new(7, "rm:8088").with_properties(pairs());
        let manager = ResourceManager::new(cluster, Arc::new(CapacitySteps::new(stepped, basics)));
        manager.records().node(node_record("n1", "/r", 0));
        Rm(Arc::new(manager))
    }

    fn send(&self, method: &str, path: &str, kind: Option<&str>, body: &str) -> (u16, String) {
        let mut request = Request::builder().method(method).uri(format!("/ws/v1/cluster/{path}"));
        if let Some(kind) = kind {
            request = request.header(header::CONTENT_TYPE, kind);
        }
        let request = request.body(Body::from(body.to_owned())).expect("a request");
        let answer = answer(router(self.0.clone()), request);
        (answer.status().as_u16(), answer.into_body())
    }

    fn json(&self, path: &str, body: &str) -> (u16, String) {
        self.send("POST", path, Some("application/json"), body)
    }

    fn get(&self, path: &str) -> String {
        let (status, body) = self.send("GET", path, None, "");
        assert_eq!(status, 200, "{path}: {body}");
        body
    }

    /// It is refused with this status, and these words are in the refusal.
    fn refuses(&self, path: &str, body: &str, status: u16, words: &str) {
        let before = (self.get("get-node-labels"), self.get("get-node-to-labels"));
        let (came, said) = self.json(path, body);
        assert!(came == status && said.contains(words), "{path} {body}: {came} {said}");
        assert_eq!((self.get("get-node-labels"), self.get("get-node-to-labels")), before, "{path} {body}");
    }
}

fn add(name: &str) -> String {
    format!(r#"{{"nodeLabelInfo":[{{"name":"ok"}},{{"name":"{name}"}}]}}"#)
}

#[test]
fn a_body_that_is_none_changes_nothing() {
    let rm = Rm::new(&[ON], &QUEUES);
    for (body, words) in [
        ("", "UnmarshalException"),
        ("{", "UnmarshalException"),
        ("[]", "UnmarshalException"),
        ("null", "UnmarshalException"),
        (r#"{"nodeLabelInfo":[{"name":"x"}]"#, "UnmarshalException"),
    ] {
        for path in ["add-node-labels", "replace-node-to-labels"] {
            rm.refuses(path, body, 400, words);
        }
    }
    let deep = "[".repeat(1_000);
    rm.refuses("add-node-labels", &deep, 400, "UnmarshalException");
    rm.refuses("add-node-labels", &add(&"x".repeat(70_000)), 413, "");
    // Names.
    rm.refuses("add-node-labels", &add(&"x".repeat(256)), 400, "exceeds 255 character(s)");
    for name in ["-x", "_x", "x y", "x.y", "\u{e4}", "x\\u0000y", "x/../y", "<x>"] {
        rm.refuses("add-node-labels", &add(name), 400, "label name should only contains");
    }
    // Hadoop takes an empty name for the default partition, which is exclusive.
    rm.refuses("add-node-labels", &add(""), 400, "Exclusivity cannot be modified");
    rm.refuses("add-node-labels", &add("  "), 400, "<:exclusivity=false>");
    rm.refuses("add-node-labels", r#"{"nodeLabelInfo":{"exclusivity":"true"}}"#, 400, "label added is empty");
    // A kind of body that is not there.
    let (status, _) = rm.send("POST", "add-node-labels", Some("text/plain"), "gpu");
    assert_eq!(status, 503);
    assert_eq!(rm.send("POST", "add-node-labels", None, "gpu").0, 503);
    assert_eq!(rm.send("GET", "add-node-labels", None, "").0, 503);
    for xml in ["<a/>", "<nodeLabelsInfo>", "<!DOCTYPE a [<!ENTITY b 'c'>]><nodeLabelsInfo/>"] {
        assert_eq!(rm.send("POST", "add-node-labels", Some("application/xml"), xml).0, 400, "{xml}");
    }
    assert_eq!(rm.get("get-node-labels"), "{}");
    // Nothing to be done is done.
    for body in ["{}", r#"{"nodeLabelInfo":[]}"#, r#"{"nodeLabelInfo":null}"#, r#"{"more":1}"#] {
        assert_eq!(rm.json("add-node-labels", body), (200, String::new()), "{body}");
    }
    assert_eq!(rm.json("add-node-labels", &add(&"x".repeat(255))), (200, String::new()));
    // What Java's `String.trim` takes off does not count; other white space is no letter.
    assert_eq!(rm.json("add-node-labels", &add(r"\u0001 t1\u0002")), (200, String::new()));
    assert!(rm.get("get-node-labels").contains(r#""t1""#));
    rm.refuses("add-node-labels", &add(r"\u00a0t2"), 400, "label name should only contains");
}

#[test]
fn nodes_are_named_by_host_and_port() {
    let rm = Rm::new(&[ON], &QUEUES);
    assert_eq!(rm.json("add-node-labels", r#"{"nodeLabelInfo":[{"name":"gpu"},{"name":"ssd"}]}"#).0, 200);
    for id in ["n1:x", "n1:", "n1:70000", "n1:-1", "a:b:c", ":", "n1:99999999999"] {
        let wrong = if id.split(':').count() == 2 && !id.ends_with(':') { "Invalid port" } else { "Invalid NodeId" };
        rm.refuses(&format!("nodes/{id}/replace-labels?labels=gpu"), "", 400, wrong);
        let body = format!(r#"{{"nodeToLabels":[{{"nodeId":"{id}","labels":["gpu"]}}]}}"#);
        rm.refuses("replace-node-to-labels", &body, 400, wrong);
    }
    rm.refuses("replace-node-to-labels", r#"{"nodeToLabels":[{"labels":["gpu"]}]}"#, 503, "NullPointerException");
    let body = r#"{"nodeToLabels":[{"nodeId":"n1","labels":["gpu"]},{"nodeId":"n2","labels":["no"]}]}"#;
    rm.refuses("replace-node-to-labels", body, 400, "new labels=[no]");
    rm.refuses("nodes/n1/replace-labels?labels=gpu&labels=ssd", "", 400, "2 labels specified on host=n1");
    // Of a node that is named twice the last word counts; one that is not there is taken.
    let body = r#"{"nodeToLabels":[{"nodeId":"n1","labels":["gpu"]},{"nodeId":"n1:0","labels":["ssd"]},
                   {"nodeId":"n9:1","labels":"gpu"}]}"#;
    assert_eq!(rm.json("replace-node-to-labels", body), (200, String::new()));
    assert!(rm.get("nodes/n1:8041/get-labels").contains("ssd"));
    assert!(rm.get("nodes/n9:1/get-labels").contains("gpu"));
    assert!(rm.get("nodes").contains(r#""nodeLabels":["ssd"]"#), "{}", rm.get("nodes"));
    // A node has none although its host has one.
    assert_eq!(rm.json("nodes/n1:8041/replace-labels?labels=", ""), (200, String::new()));
    assert_eq!(rm.get("nodes/n1:8041/get-labels"), "{}");
    assert!(rm.get("nodes/n1/get-labels").contains("ssd"));
    assert!(!rm.get("nodes").contains("nodeLabels"));
}

#[test]
fn a_label_that_a_queue_names_stays() {
    let rm = Rm::new(&[ON], &QUEUES);
    assert_eq!(rm.json("add-node-labels", r#"{"nodeLabelInfo":[{"name":"gpu"},{"name":"ssd"}]}"#).0, 200);
    assert_eq!(rm.json("nodes/n1/replace-labels?labels=ssd", "").0, 200);
    rm.refuses("remove-node-labels?labels=ssd&labels=gpu", "", 400, "because queue=root.a is using this label");
    rm.refuses("remove-node-labels?labels=ssd&labels=no", "", 400, "Node label=no to be removed doesn't existed");
    rm.refuses("remove-node-labels?labels=ssd&labels=", "", 400, "Label to be removed is null or empty");
    assert_eq!(rm.json("remove-node-labels?labels=ssd&labels=ssd", ""), (200, String::new()));
    assert!(rm.get("get-rm-node-labels").contains(r#""activeNMs":"1"#));
    assert_eq!(rm.get("get-node-to-labels"), r#"{"nodeToLabels":null}"#);
}

#[test]
fn others_than_administrators_change_nothing() {
    let rm = Rm::new(&[ON, BOSS], &QUEUES);
    let body = r#"{"nodeLabelInfo":[{"name":"gpu"}]}"#;
    let words = "User ann not authorized for post to .../add-node-labels";
    rm.refuses("add-node-labels?user.name=ann", body, 401, words);
    assert_eq!(rm.json("add-node-labels?user.name=boss", body).0, 200);
    rm.refuses("remove-node-labels?user.name=ann&labels=x", "", 401, "/remove-node-labels");
    rm.refuses("nodes/n1/replace-labels?user.name=ann&labels=gpu", "", 401, "/nodes/nodeid/replace-labels");
    rm.refuses("replace-node-to-labels?user.name=ann", r#"{"nodeToLabels":[]}"#, 401, "/replace-node-to-labels");
}

#[test]
fn only_the_centralized_type_lets_administrators_label_nodes() {
    for other in ["distributed", "delegated-centralized", "Centralized"] {
        let rm = Rm::new(&[ON, (TYPE, other)], &QUEUES);
        assert_eq!(rm.json("add-node-labels", r#"{"nodeLabelInfo":[{"name":"ssd"}]}"#).0, 200);
        let words = "Error when invoke method=replaceLabelsOnNode because centralized node label configuration is not \
                     enabled.";
        rm.refuses("nodes/n1/replace-labels?labels=ssd", "", 404, words);
        rm.refuses("replace-node-to-labels", r#"{"nodeToLabels":[]}"#, 404, words);
        assert_eq!(rm.json("remove-node-labels?labels=ssd", "").0, 200);
    }
}

#[test]
fn without_labels_all_changes_are_refused() {
    let rm = Rm::new(&[], &QUEUES[..2]);
    let words = "Node-label-based scheduling is disabled. Please check yarn.node-labels.enabled";
    rm.refuses("add-node-labels", r#"{"nodeLabelInfo":[{"name":"gpu"}]}"#, 400, words);
    rm.refuses("remove-node-labels?labels=gpu", "", 400, words);
    rm.refuses("nodes/n1:8041/replace-labels?labels=gpu", "", 400, words);
    assert_eq!(rm.get("nodes/n1:8041/get-labels"), "{}");
    assert!(rm.get("get-rm-node-labels").contains("<DEFAULT_PARTITION>"));
    assert_eq!(rm.get("label-mappings"), r#"{"labelsToNodes":null}"#);
}

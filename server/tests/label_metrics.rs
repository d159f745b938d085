//! `/jmx` and `/metrics` of a cluster whose nodes have labels: what is counted where.
//!
//! One node without a label, two with `gpu`. An application of ann's in root.a has its ApplicationMaster on the first,
//! six containers on the others, and a reservation there for another one. One of bob's in root.b has its
//! ApplicationMaster, and asks for a container.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

mod asking;

use std::net::SocketAddr;
use std::sync::Arc;

use asking::answer;
use axum::body::Body;
use axum::http::Request;
use evenweave::labels::NewLabel;
use evenweave::prelude::*;
use evenweave_server::events::Ring;
use evenweave_server::records::AppRecord;
use evenweave_server::scheduler::{Basics, CapacityThreads};
use evenweave_server::{Cluster, ResourceManager, site};
use serde_json::Value;

const QUEUES: [(&str, &str); 8] = [
    ("yarn.scheduler.capacity.root.queues", "a,b"),
    ("yarn.scheduler.capacity.root.a.capacity", "60"),
    ("yarn.scheduler.capacity.root.b.capacity", "40"),
    ("yarn.scheduler.capacity.root.a.accessible-node-labels", "gpu"),
    ("yarn.scheduler.capacity.root.a.accessible-node-labels.gpu.capacity", "100"),
    ("yarn.scheduler.capacity.root.b.accessible-node-labels", "gpu"),
    ("yarn.scheduler.capacity.root.b.accessible-node-labels.gpu.capacity", "0"),
    ("yarn.scheduler.capacity.maximum-am-resource-percent", "1.0"),
];
const ON: (&str, &str) = ("yarn.node-labels.enabled", "true");

fn get(manager: &Arc<ResourceManager>, path: &str) -> String {
    let site = site(manager.clone(), Arc::new(Ring::default()), SocketAddr::from(([127, 0, 0, 1], 8088)));
    let answer = answer(site, Request::get(path).body(Body::empty()).expect("a request"));
    assert_eq!(answer.status(), 200, "{path}");
    answer.into_body()
}

/// The only bean of that name.
fn bean(manager: &Arc<ResourceManager>, name: &str) -> Value {
    let name = format!("Hadoop:service=ResourceManager,name={name}");
    let all: Value = serde_json::from_str(&get(manager, "/jmx")).expect("JSON");
    let mut found = all["beans"].as_array().expect("beans").iter().filter(|bean| bean["name"] == name.as_str());
    match (found.next(), found.next()) {
        (Some(bean), None) => bean.clone(),
        (_, more) => panic!("{name}: {}", if more.is_some() { "more than one" } else { "none" }),
    }
}

fn played() -> (CapacityScheduler, Arc<ResourceManager>) {
    let configuration = CapacityConfiguration::from_properties([ON], QUEUES).expect("queues");
    let basics = Basics::of_capacity(configuration.file().settings());
    let builder = CapacityScheduler::builder(configuration).cluster_timestamp(7).timers(false);
    let scheduler = builder.start().expect("a scheduler");
    scheduler.add_labels(&[NewLabel { name: "gpu".to_owned(), exclusive: true }]).expect("added");
    scheduler.set_node_labels(&[("n2", &["gpu"]), ("n3", &["gpu"])]).expect("set");
    let size = Resource::new(8192, 8);
    let [n1, n2, n3] = ["n1", "n2", "n3"].map(|name| scheduler.add_node(name, "/r", size).expect("a node"));
    let shown = Arc::new(CapacityThreads::new(scheduler.clone(), basics));
    let manager = Arc::new(ResourceManager::new(Cluster::new(7, "rm:8088"), shown));
    let beat = |node: &NodeHandle| {
        for _ in 0..5 {
            scheduler.heartbeat(Heartbeat::new(node)).expect("sent");
            scheduler.quiesce().unwrap();
        }
    };
    let submit = |number: u32, user: &str, queue: &str| {
        let submission = Submission::new(number, user).in_queue(queue).with_am(Resource::new(1024, 1));
        let app = scheduler.submit(submission).expect("taken");
        manager.records().submitted(AppRecord::new(number, user, queue, 0).with_attempt(Some(app.clone())));
        scheduler.quiesce().unwrap();
        beat(&n1);
        app
    };
    let (ann, bob) = (submit(1, "ann", "root.a"), submit(2, "bob", "root.b"));
    let ask = |app: &AppHandle, of: Ask| {
        scheduler.allocate(app, &AllocateRequest::new([of]), &mut Allocation::default()).expect("asked");
        scheduler.quiesce().unwrap();
    };
    let gpu = || scheduler.label("gpu");
    for node in [&n2, &n3] {
        ask(&ann, Ask::anywhere(1, Resource::new(2048, 1), 3).labelled(gpu()));
        beat(node);
    }
    // It fits nowhere.
    ask(&ann, Ask::anywhere(2, Resource::new(4096, 1), 1).labelled(gpu()));
    beat(&n2);
    ask(&bob, Ask::anywhere(1, Resource::new(2048, 1), 1));
    for container in scheduler.containers().unwrap() {
        let id = container.id;
        let key = (id.application_number(), id.attempt(), id.number());
        let label = if container.node == "n1" { "" } else { "gpu" };
        manager.records().container_on(key, label, &container.resource, 0);
    }
    (scheduler, manager)
}

/// Of a bean: what is allocated, pending and reserved, in MB and containers; and what was allocated since the start.
fn counted(bean: &Value) -> [i64; 7] {
    let names =
        ["AllocatedMB", "AllocatedContainers", "PendingMB", "PendingContainers", "ReservedMB", "ReservedContainers"];
    let mut counted = [0; 7];
    for (at, name) in names.into_iter().chain(["AggregateContainersAllocated"]).enumerate() {
        counted[at] = bean[name].as_i64().unwrap_or_else(|| panic!("no {name}: {bean}"));
    }
    counted
}

#[test]
fn beans_of_queues_have_the_nodes_without_a_label_and_partitions_their_own() {
    let (scheduler, manager) = played();
    let nothing = [0; 7];
    let (ann, bob) = ([1024, 1, 0, 0, 0, 0, 1], [1024, 1, 2048, 1, 0, 0, 1]);
    let both = [2048, 2, 2048, 1, 0, 0, 2];
    let on_gpu = [12_288, 6, 4096, 1, 4096, 1, 6];
    for (name, expected) in [
        ("QueueMetrics,q0=root", both),
        ("QueueMetrics,q0=root,q1=a", ann),
        ("QueueMetrics,q0=root,q1=b", bob),
        ("QueueMetrics,q0=root,q1=a,user=ann", ann),
        ("QueueMetrics,q0=root,user=bob", bob),
        ("PartitionQueueMetrics,partition=", both),
        ("PartitionQueueMetrics,partition=,q0=root", both),
        ("PartitionQueueMetrics,partition=,q0=root,q1=a", ann),
        ("PartitionQueueMetrics,partition=gpu", on_gpu),
        ("PartitionQueueMetrics,partition=gpu,q0=root", on_gpu),
        ("PartitionQueueMetrics,partition=gpu,q0=root,q1=a", on_gpu),
        ("PartitionQueueMetrics,partition=gpu,q0=root,q1=b", nothing),
    ] {
        assert_eq!(counted(&bean(&manager, name)), expected, "{name}");
    }
    let of = |name: &str, attribute: &str| bean(&manager, name)[attribute].clone();
    assert_eq!(of("PartitionQueueMetrics,partition=gpu", "tag.Partition"), "gpu");
    assert_eq!(of("PartitionQueueMetrics,partition=gpu", "tag.Queue"), Value::Null);
    assert_eq!(of("PartitionQueueMetrics,partition=gpu,q0=root,q1=a", "tag.Queue"), "root.a");
    assert_eq!(of("PartitionQueueMetrics,partition=,q0=root", "tag.Partition"), "");
    // What is guaranteed of these nodes, less what is used and reserved there.
    let available = |name: &str| of(name, "AvailableMB").as_i64().expect("a number");
    assert_eq!(available("PartitionQueueMetrics,partition=gpu,q0=root,q1=a"), 0);
    assert_eq!(available("QueueMetrics,q0=root"), 8192 - 2048);
    assert_eq!(available("PartitionQueueMetrics,partition="), 8192 - 2048);
    // A container ends: what is reserved has room, and what was given back counts where it was.
    let first = manager.scheduler().containers().into_iter().find(|one| one.node == "n3").expect("one").id;
    manager.records().container_ended((1, 1, first.number()), false, 1);
    assert_eq!(of("PartitionQueueMetrics,partition=gpu,q0=root", "AggregateContainersReleased"), 1);
    assert_eq!(of("QueueMetrics,q0=root", "AggregateContainersReleased"), 0);
    scheduler.shutdown().unwrap();
}

#[test]
fn a_scrape_has_queues_by_partition() {
    let (scheduler, manager) = played();
    let text = get(&manager, "/metrics");
    let has = |line: &str| assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    for (queue, name, on_default, on_gpu) in [
        ("root.a", "used", 1024, 16_384),
        ("root.b", "used", 1024, 0),
        ("root", "used", 2048, 16_384),
        ("root.a", "pending", 0, 4096),
        ("root.b", "pending", 2048, 0),
        ("root.a", "reserved", 0, 4096),
        ("root", "reserved", 0, 4096),
        ("root", "guaranteed", 8192, 16_384),
        ("root.b", "maximum", 8192, 16_384),
    ] {
        for (partition, amount) in [("<DEFAULT_PARTITION>", on_default), ("gpu", on_gpu)] {
            has(&format!(r#"evenweave_queue_{name}_mebibytes{{queue="{queue}",partition="{partition}"}} {amount}"#));
        }
    }
    // What a CapacityScheduler has not, and what is of all nodes.
    assert!(!text.contains("evenweave_queue_fair_share_mebibytes{"), "{text}");
    has(r#"evenweave_user_used_mebibytes{user="ann"} 13312"#);
    has(r#"evenweave_queue_applications{queue="root.a",state="running"} 1"#);
    has("evenweave_cluster_used_mebibytes 18432");
    scheduler.shutdown().unwrap();
}

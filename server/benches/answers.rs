//! What it costs to answer for a large cluster: 1,000 queues, 10,000 applications, 20,000 nodes, on a running
//! FairScheduler.
//!
//! The promise is the tree of queues in 10 ms and the applications in 50 ms.

#![expect(clippy::unwrap_used, reason = "a benchmark ends where something fails")]

use std::net::SocketAddr;
use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use criterion::{Criterion, criterion_group, criterion_main};
use evenweave::prelude::*;
use evenweave_server::events::Ring;
use evenweave_server::records::{AppRecord, NodeRecord, NodeState};
use evenweave_server::scheduler::{Basics, Threads};
use evenweave_server::{Cluster, ResourceManager, site};
use tower::ServiceExt;

const QUEUES: u32 = 1_000;
const APPS: u32 = 10_000;
const NODES: u32 = 20_000;

fn queue(app: u32) -> String {
    let queue = app % QUEUES;
    format!("root.p{}.q{queue}", queue / 50)
}

fn cluster() -> (FairScheduler, Arc<ResourceManager>) {
    let settings = Settings::from_properties([]).expect("Hadoop's defaults");
    let basics = Basics::of_fair(&settings);
    let scheduler = FairScheduler::builder().settings(settings).cluster_timestamp(7).timers(false);
    let scheduler = scheduler.start().expect("threads");
    let manager = ResourceManager::new(Cluster::new(7, "rm:8088"), Arc::new(Threads::new(scheduler.clone(), basics)));
    let mut nodes = Vec::new();
    for number in 0..NODES {
        let (name, rack, total) = (format!("n{number}"), format!("/r{}", number / 40), Resource::new(131_072, 64));
        nodes.push(scheduler.add_node(&name, &rack, total).expect("a new node"));
        manager.records().node(NodeRecord {
            name,
            port: 8041,
            http_port: 8042,
            rack,
            total,
            version: "3.4.2".to_owned(),
            state: NodeState::Running,
            last_health_ms: 0,
            labels: Vec::new(),
        });
    }
    for number in 1..=APPS {
        let submission = Submission::new(number, "ann").in_queue(queue(number)).with_am(Resource::new(2048, 1));
        let app = scheduler.submit(submission).expect("a queue for it");
        let record = AppRecord::new(number, "ann", &queue(number), 1).with_attempt(Some(app));
        manager.records().submitted(record);
    }
    scheduler.update_now().unwrap();
    scheduler.quiesce().unwrap();
    for some in nodes.chunks(256) {
        some.iter().for_each(|node| scheduler.heartbeat(Heartbeat::new(node)).expect("room for it"));
        scheduler.quiesce().unwrap();
    }
    scheduler.update_now().unwrap();
    scheduler.quiesce().unwrap();
    (scheduler, Arc::new(manager))
}

fn answers(criterion: &mut Criterion) {
    let (scheduler, manager) = cluster();
    let site = site(manager, Arc::new(Ring::default()), SocketAddr::from(([127, 0, 0, 1], 8088)));
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_time().build().expect("a runtime");
    let get = |path: &str| {
        runtime.block_on(async {
            let request = Request::get(path).body(Body::empty()).expect("a request");
            let response = site.clone().oneshot(request).await.expect("an answer");
            assert_eq!(response.status(), StatusCode::OK, "{path}");
            to_bytes(response.into_body(), 64 << 20).await.expect("a body").len()
        })
    };
    let mut group = criterion.benchmark_group("answers");
    group.sample_size(10);
    let paths = [
        ("scheduler", "/ws/v1/cluster/scheduler"),
        ("apps", "/ws/v1/cluster/apps"),
        ("nodes", "/ws/v1/cluster/nodes"),
        ("metrics", "/metrics"),
        ("jmx", "/jmx"),
    ];
    for (name, path) in paths {
        assert!(get(path) > 10_000, "{path} tells of all");
        group.bench_function(name, |bencher| bencher.iter(|| get(path)));
    }
    group.finish();
    scheduler.shutdown().unwrap();
}

criterion_group!(benches, answers);
criterion_main!(benches);

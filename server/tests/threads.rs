//! A scheduler on threads of its own, asked while it works.

mod asking;
mod node_record;

use std::sync::Arc;

use asking::answer;
use axum::body::Body;
use axum::http::Request;
use evenweave::prelude::*;
use evenweave_server::records::AppRecord;
use evenweave_server::scheduler::{Basics, CapacityThreads, Threads};
use evenweave_server::{Cluster, ResourceManager, router};
use node_record::node_record;
use serde_json::Value;

fn get(manager: &Arc<ResourceManager>, path: &str) -> Value {
    let request = Request::get(path).body(Body::empty()).expect("a request");
    serde_json::from_str(answer(router(manager.clone()), request).body()).expect("JSON")
}

#[test]
fn what_runs_is_shown_and_can_be_killed() {
    let settings = Settings::from_properties([]).expect("Hadoop's defaults");
    let basics = Basics::of_fair(&settings);
    let scheduler = FairScheduler::builder().settings(settings).cluster_timestamp(7).timers(false).start().unwrap();
    let node = scheduler.add_node("n1", "/r1", Resource::new(8192, 8)).unwrap();
    let submission = Submission::new(1, "ann").in_queue("root.a").with_am(Resource::new(1024, 1));
    let app = scheduler.submit(submission).unwrap();
    scheduler.quiesce().unwrap();
    scheduler.update_now().unwrap();
    scheduler.quiesce().unwrap();
    scheduler.heartbeat(Heartbeat::new(&node)).unwrap();
    scheduler.quiesce().unwrap();
    let manager = ResourceManager::new(Cluster::new(7, "rm:8088"), Arc::new(Threads::new(scheduler.clone(), basics)));
    manager.records().submitted(AppRecord::new(1, "ann", "root.a", 0).with_attempt(Some(app.clone())));
    manager.records().node(node_record("n1", "/r1", 0));
    let manager = Arc::new(manager);
    let metrics = get(&manager, "/ws/v1/cluster/metrics");
    assert_eq!(metrics["clusterMetrics"]["allocatedMB"], 1024);
    assert_eq!(metrics["clusterMetrics"]["containersAllocated"], 1);
    let shown = get(&manager, "/ws/v1/cluster/apps/application_7_0001");
    assert_eq!(shown["app"]["allocatedMB"], 1024);
    assert_eq!(get(&manager, "/ws/v1/cluster/nodes/n1:8041")["node"]["numContainers"], 1);
    let tree = get(&manager, "/ws/v1/cluster/scheduler");
    let root = &tree["scheduler"]["schedulerInfo"]["rootQueue"];
    assert_eq!(root["usedResources"]["memory"], 1024);
    // What AMs may use, as things stand: half of the fair share, which is all of the cluster.
    let leaf = root["childQueues"]["queue"].as_array().unwrap().iter().find(|queue| queue["queueName"] == "root.a");
    assert_eq!(leaf.unwrap()["amMaxResources"]["memory"], 4096);
    manager.kill(1, "ann", None).unwrap();
    scheduler.quiesce().unwrap();
    assert!(app.is_finished());
    assert_eq!(get(&manager, "/ws/v1/cluster/metrics")["clusterMetrics"]["appsKilled"], 1);
    assert_eq!(get(&manager, "/ws/v1/cluster/metrics")["clusterMetrics"]["allocatedMB"], 0);
    scheduler.shutdown().unwrap();
}

const CAPACITIES: [(&str, &str); 4] = [
    ("yarn.scheduler.capacity.root.queues", "a,b"),
    ("yarn.scheduler.capacity.root.a.capacity", "75"),
    ("yarn.scheduler.capacity.root.b.capacity", "25"),
    ("yarn.scheduler.capacity.maximum-am-resource-percent", "1.0"),
];

#[test]
fn a_capacity_scheduler_that_runs_is_shown_and_changed() {
    let configuration = CapacityConfiguration::from_properties(CAPACITIES, []).expect("a configuration");
    let basics = Basics::of_capacity(configuration.file().settings());
    let scheduler = CapacityScheduler::builder(configuration).cluster_timestamp(7).timers(false).start().unwrap();
    let node = scheduler.add_node("n1", "/r1", Resource::new(8192, 8)).unwrap();
    let submission = Submission::new(1, "ann").in_queue("root.a").with_am(Resource::new(1024, 1));
    let app = scheduler.submit(submission).unwrap();
    scheduler.quiesce().unwrap();
    scheduler.heartbeat(Heartbeat::new(&node)).unwrap();
    scheduler.quiesce().unwrap();
    let shown = Arc::new(CapacityThreads::new(scheduler.clone(), basics));
    let manager = ResourceManager::new(Cluster::new(7, "rm:8088"), shown);
    manager.records().submitted(AppRecord::new(1, "ann", "root.a", 0).with_attempt(Some(app.clone())));
    let manager = Arc::new(manager);
    let shown = get(&manager, "/ws/v1/cluster/apps/application_7_0001");
    assert_eq!((&shown["app"]["allocatedMB"], &shown["app"]["queue"]), (&1024.into(), &"root.a".into()));
    let tree = get(&manager, "/ws/v1/cluster/scheduler");
    let info = &tree["scheduler"]["schedulerInfo"];
    assert_eq!(info["type"], "capacityScheduler");
    let leaf = info["queues"]["queue"].as_array().unwrap().iter().find(|queue| queue["queueName"] == "a").unwrap();
    assert_eq!((&leaf["capacity"], &leaf["resourcesUsed"]["memory"]), (&75.0.into(), &1024.into()));
    assert_eq!(manager.set_priority(1, "ann", 3), Ok(0), "above the most, which is 0 where nothing is configured");
    manager.move_app(1, "root.b").unwrap();
    assert_eq!(get(&manager, "/ws/v1/cluster/apps/application_7_0001")["app"]["queue"], "root.b");
    manager.kill(1, "ann", None).unwrap();
    scheduler.quiesce().unwrap();
    assert!(app.is_finished());
    assert_eq!(get(&manager, "/ws/v1/cluster/metrics")["clusterMetrics"]["allocatedMB"], 0);
    scheduler.shutdown().unwrap();
}

#[test]
fn what_a_pass_tries_is_shown_once_it_was_asked_for() {
    let configuration = CapacityConfiguration::from_properties([], CAPACITIES).expect("a configuration");
    let basics = Basics::of_capacity(configuration.file().settings());
    let scheduler = CapacityScheduler::builder(configuration).cluster_timestamp(7).timers(false).start().unwrap();
    let node = scheduler.add_node("n1", "/r1", Resource::new(2048, 8)).unwrap();
    let app = scheduler.submit(Submission::new(1, "ann").in_queue("root.a")).unwrap();
    let asks = AllocateRequest::new([Ask::anywhere(1, Resource::new(1024, 1), 1)]);
    scheduler.allocate(&app, &asks, &mut Allocation::default()).unwrap();
    let shown = Arc::new(CapacityThreads::new(scheduler.clone(), basics));
    let manager = ResourceManager::new(Cluster::new(7, "rm:8088"), shown);
    manager.records().submitted(AppRecord::new(1, "ann", "root.a", 0).with_attempt(Some(app.clone())));
    let manager = Arc::new(manager);
    let (pass, visits) =
        ("/ws/v1/cluster/scheduler/activities", "/ws/v1/cluster/scheduler/app-activities/application_7_0001");
    assert_eq!(get(&manager, pass)["activities"]["diagnostic"], "waiting for next allocation");
    assert_eq!(get(&manager, visits)["appActivities"]["diagnostic"], "waiting for display");
    for _ in 0..2 {
        scheduler.heartbeat(Heartbeat::new(&node)).unwrap();
        scheduler.quiesce().unwrap();
    }
    // The second pass was asked for by nobody.
    let told = &get(&manager, pass)["activities"]["allocations"][0];
    assert_eq!((&told["finalAllocationState"], &told["root"]["name"]), (&"ALLOCATED".into(), &"root".into()));
    let told = &get(&manager, visits)["appActivities"]["allocations"];
    let states: Vec<_> = told.as_array().unwrap().iter().map(|visit| &visit["allocationState"]).collect();
    assert_eq!(states, ["ALLOCATED"], "nobody in a queue without asks is visited");
    let last = get(&manager, &format!("{pass}?nodeId=n1"));
    assert_eq!(last["activities"]["diagnostic"], "Cannot find node manager with given node id", "no record of it");
    scheduler.shutdown().unwrap();
}

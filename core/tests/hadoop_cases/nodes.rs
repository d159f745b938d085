//! Nodes: the cluster's total, the books of one node, what comes too late, continuous scheduling.

use crate::cluster::{Cluster, r};
use evenweave::Resource;
use evenweave::SchedulerApi as _;
use evenweave::testing::ByNumber as _;

/// `TestFairScheduler.testAggregateCapacityTracking`
#[test]
fn the_cluster_is_the_sum_of_its_nodes() {
    let mut cluster = Cluster::new("", &[("/r", r(1024, 1))]);
    assert_eq!(cluster.stepped.stats().cluster.memory_mb(), 1024);
    cluster.add_node("/r", r(512, 1));
    assert_eq!(cluster.stepped.stats().cluster.memory_mb(), 1536);
    cluster.remove_node(1);
    assert_eq!(cluster.stepped.stats().cluster.memory_mb(), 512);
}

/// `TestFSSchedulerNode.testSimpleAllocation`
#[test]
fn a_container_takes_its_nodes_room_and_gives_it_back_once() {
    let mut cluster = Cluster::new("", &[("/r", r(8192, 8))]);
    let app = cluster.request(r(1024, 1), "queue1", "user1", 1);
    cluster.hb(1);
    assert_eq!(cluster.taken(1), r(1024, 1));
    let held = cluster.granted(&app);
    for _ in 0..2 {
        cluster.release(&app, &held);
        assert_eq!(cluster.taken(1), Resource::ZERO);
    }
}

/// Two of the three have been started; the node reports their ends in another order.
///
/// `TestFSSchedulerNode.testMultipleAllocations`
#[test]
fn containers_give_room_back_in_any_order() {
    let mut cluster = Cluster::new("", &[("/r", r(8192, 8))]);
    let app = cluster.request(r(1024, 1), "queue1", "user1", 3);
    cluster.hbs(1, 3);
    assert_eq!(cluster.taken(1), r(3072, 3));
    let held = cluster.granted(&app);
    cluster.report(1, &[held[0], held[1]], &[]);
    for (i, left) in [(1, r(2048, 2)), (2, r(1024, 1)), (0, r(0, 0))] {
        cluster.report(1, &[], &[held[i]]);
        assert_eq!(cluster.taken(1), left);
    }
}

/// A report of a removed node completes nothing more, and is not offered anything.
///
/// `TestFairScheduler.testSchedulingOnRemovedNode`, `TestFairScheduler.testCompletedContainerOnRemovedNode`
#[test]
fn a_removed_node_that_reports_does_no_harm() {
    let mut cluster = Cluster::new("", &[("/r", r(8192, 8)), ("/r", r(8192, 8))]);
    let app = cluster.request(r(1024, 1), "queue1", "user1", 1);
    cluster.hb(1);
    let held = cluster.granted(&app);
    cluster.remove_node(1);
    assert_eq!(cluster.used(&app), Resource::ZERO);
    cluster.ask(&app, 1, r(1024, 1), 1);
    cluster.stepped.update_now();
    cluster.stepped.take_journal();
    let outcome = cluster.report(1, &[], &held);
    assert!(outcome.allocated.is_empty() && outcome.completed.is_empty());
    assert_eq!(cluster.used(&app), Resource::ZERO);
    assert_eq!(cluster.hb(2).allocated.len(), 1);
}

/// `TestFairScheduler.testMultipleCompletedEvent`
#[test]
fn a_container_completes_once() {
    let mut cluster = Cluster::new("", &[("/r", r(20_480, 20))]);
    let app = cluster.request_am(r(1024, 1), "queue1");
    cluster.hb(1);
    assert_eq!(cluster.used(&app), r(1024, 1));
    cluster.stepped.complete_numbered(app.number(), 1).unwrap();
    assert_eq!(cluster.used(&app), Resource::ZERO);
    assert_eq!(cluster.stepped.complete_numbered(app.number(), 1).unwrap_err().kind(), "no-such-container");
    assert_eq!((cluster.used(&app), cluster.queue("root.queue1").usage), (Resource::ZERO, Resource::ZERO));
}

const CONTINUOUS: [(&str, &str); 3] = [
    ("yarn.scheduler.fair.continuous-scheduling-enabled", "true"),
    ("yarn.scheduler.fair.locality-delay-node-ms", "1000"),
    ("yarn.scheduler.fair.locality-delay-rack-ms", "1000"),
];

/// `TestContinuousScheduling.testBasic`
#[test]
fn continuous_scheduling_needs_no_heartbeat() {
    let mut cluster = Cluster::with(&CONTINUOUS, "", &[("/r", r(4096, 4))]);
    let app = cluster.request(r(1024, 1), "queue1", "user1", 1);
    cluster.stepped.offer_all();
    assert_eq!(cluster.used(&app), r(1024, 1));
}

/// `TestContinuousScheduling.testSortedNodes`
#[test]
fn continuous_scheduling_takes_the_emptiest_node_first() {
    let mut cluster = Cluster::with(&CONTINUOUS, "", &[("/r", r(8192, 8)), ("/r", r(8192, 8))]);
    assert_eq!(cluster.stepped.stats().cluster, r(16_384, 16));
    let app = cluster.request(r(1024, 1), "queue1", "user1", 1);
    cluster.stepped.offer_all();
    cluster.ask(&app, 1, r(1024, 1), 1);
    cluster.stepped.update_now();
    cluster.stepped.offer_all();
    let mut nodes: Vec<_> = cluster.stepped.take_journal().allocated.into_iter().map(|made| made.node).collect();
    nodes.sort();
    assert_eq!((nodes, cluster.used(&app)), (vec!["n1".to_owned(), "n2".to_owned()], r(2048, 2)));
}

/// `TestContinuousScheduling.testWithNodeRemoved`
#[test]
fn continuous_scheduling_passes_over_a_removed_node() {
    let mut cluster = Cluster::with(&CONTINUOUS, "", &[("/r", r(8192, 8)), ("/r", r(8192, 8))]);
    cluster.remove_node(2);
    cluster.stepped.offer_all();
    assert_eq!((cluster.stepped.nodes().len(), cluster.stepped.stats().cluster), (1, r(8192, 8)));
}

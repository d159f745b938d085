//! Where containers may go: delay scheduling, strict locality, blacklists; and the headroom that an AM is told.

use crate::cluster::{Cluster, DRF, queue, r};
use evenweave::SchedulerApi as _;
use evenweave::{AllocateRequest, AppHandle, Location, Resource};

/// Ten nodes, nine on one rack and n10 on another, and an application that wants n1.
fn ten_nodes(properties: &[(&str, &str)]) -> Cluster {
    let mut nodes = vec![("/r1", r(1024, 1)); 9];
    nodes.push(("/r2", r(1024, 1)));
    let mut cluster = Cluster::with(properties, "", &nodes);
    let app = cluster.start("queue1");
    cluster.ask_at(&app, &[("n1", 1, true), ("/r1", 1, true), ("*", 1, true)]);
    cluster
}

/// At which offer of a node the container is made, from 1.
fn offers_until_placed(cluster: &mut Cluster, n: usize) -> usize {
    let placed = (1..100).find(|_| !cluster.hb(n).allocated.is_empty());
    placed.unwrap()
}

/// Thresholds of half and of six tenths of ten nodes: five offers for the node alone, then seven for its rack (the one
/// that relaxes and six), then anywhere.
///
/// `TestFSAppAttempt.testDelayScheduling`
#[test]
fn locality_is_relaxed_after_a_number_of_offers() {
    let thresholds =
        [("yarn.scheduler.fair.locality.threshold.node", ".5"), ("yarn.scheduler.fair.locality.threshold.rack", ".6")];
    assert_eq!(offers_until_placed(&mut ten_nodes(&thresholds), 1), 1);
    assert_eq!(offers_until_placed(&mut ten_nodes(&thresholds), 2), 6);
    assert_eq!(offers_until_placed(&mut ten_nodes(&thresholds), 10), 5 + 7 + 1);
}

/// Delays of 5 s and 6 s.
///
/// `TestFSAppAttempt.testDelaySchedulingForContinuousScheduling`
#[test]
fn locality_is_relaxed_after_a_time() {
    let delays = [
        ("yarn.scheduler.fair.continuous-scheduling-enabled", "true"),
        ("yarn.scheduler.fair.locality-delay-node-ms", "5000"),
        ("yarn.scheduler.fair.locality-delay-rack-ms", "6000"),
    ];
    let placed_after = |n: usize, waits: &[u64]| {
        let mut cluster = ten_nodes(&delays);
        let offers = waits.iter().map(|wait| {
            cluster.stepped.advance(*wait);
            !cluster.hb(n).allocated.is_empty()
        });
        offers.collect::<Vec<_>>()
    };
    // After 4 s still for the node alone, after 6 s for its rack.
    assert_eq!(placed_after(2, &[0, 4000, 2000]), [false, false, true]);
    // 6 s after that still for the rack alone, after 7 s anywhere.
    assert_eq!(placed_after(10, &[0, 6000, 6000]), [false, false, false]);
    assert_eq!(placed_after(10, &[0, 6000, 7000]), [false, false, true]);
}

/// `TestFSAppAttempt.testLocalityLevelWithoutDelays`
#[test]
fn without_thresholds_the_first_offer_is_taken() {
    assert_eq!(offers_until_placed(&mut ten_nodes(&[]), 10), 1);
}

/// `TestFairScheduler.testMultipleNodesSingleRackRequest`
#[test]
fn nodes_and_racks_of_one_ask_are_served_each() {
    let mut cluster = Cluster::new("", &[("/r1", r(1024, 1)), ("/r1", r(1024, 1)), ("/r2", r(1024, 1))]);
    let app = cluster.start("queue1");
    let places = ["n1", "n2", "n3", "/r1", "/r2"].map(|at| (at, 1, true));
    cluster.ask_at(&app, &[&places[..], &[("*", 2, true)]].concat());
    cluster.hb(1);
    assert_eq!(cluster.used(&app), r(1024, 1));
    cluster.hb(2);
    assert_eq!(cluster.used(&app), r(2048, 2));
}

/// An application of two nodes of one rack that wants the first and no other.
fn strict() -> (Cluster, AppHandle) {
    let mut cluster = Cluster::new("", &[("/r", r(1024, 1)), ("/r", r(1024, 1))]);
    let app = cluster.start("queue1");
    cluster.ask_at(&app, &[("n1", 1, true), ("/r", 1, false), ("*", 1, false)]);
    (cluster, app)
}

/// Neither a container nor a reservation on another node, however often it is offered.
///
/// `TestFairScheduler.testStrictLocality`
#[test]
fn a_strict_ask_waits_for_its_node() {
    let (mut cluster, _) = strict();
    for _ in 0..10 {
        let outcome = cluster.hb(2);
        assert!(outcome.allocated.is_empty() && outcome.reserved.is_empty());
    }
    assert_eq!(cluster.hb(1).allocated.len(), 1);
}

/// The other node is full, so that the ask could only reserve there.
///
/// `TestFairScheduler.testReservationsStrictLocality`
#[test]
fn a_strict_ask_reserves_no_other_node() {
    let mut cluster = Cluster::new("", &[("/r", r(1024, 1)), ("/r", r(1024, 1))]);
    for n in [1, 2] {
        cluster.request(r(1024, 1), "queue2", "user1", 1);
        assert_eq!(cluster.hb(n).allocated.len(), 1);
    }
    let app = cluster.start("queue1");
    cluster.ask_at(&app, &[("n1", 1, true), ("/r", 1, false), ("*", 1, false)]);
    assert!(cluster.hb(2).reserved.is_empty());
    let reserved: Vec<_> = cluster.hb(1).reserved.into_iter().map(|reserved| reserved.node).collect();
    assert_eq!(reserved, ["n1"]);
}

/// `TestFairScheduler.testCancelStrictLocality`
#[test]
fn a_strict_ask_can_be_taken_back() {
    let (mut cluster, app) = strict();
    (0..10).for_each(|_| assert!(cluster.hb(2).allocated.is_empty()));
    cluster.ask_at(&app, &[("n1", 0, true), ("/r", 0, true), ("*", 1, true)]);
    assert_eq!(cluster.hb(2).allocated.len(), 1);
}

/// `TestFairScheduler.testHostPortNodeName`
#[test]
fn nodes_of_one_host_are_told_apart_by_their_ports() {
    let mut cluster = Cluster::new("", &[]);
    cluster.add_node_named("127.0.0.1:1", "/r", r(1024, 1));
    cluster.add_node_named("127.0.0.1:2", "/r", r(1024, 1));
    let app = cluster.start("queue1");
    cluster.ask_at(&app, &[("127.0.0.1:1", 1, true), ("/r", 1, false), ("*", 1, false)]);
    (0..10).for_each(|_| assert!(cluster.hb(2).allocated.is_empty()));
    assert_eq!(cluster.hb(1).allocated.len(), 1);
}

/// An AM's call that changes its blacklist and asks for nothing; the headroom in the answer.
fn blacklist(cluster: &mut Cluster, app: &AppHandle, add: &[&str], remove: &[&str]) -> Resource {
    let locations =
        |names: &[&str]| -> Vec<Location> { names.iter().map(|name| cluster.stepped.location(name)).collect() };
    let (blacklist_add, blacklist_remove) = (locations(add), locations(remove));
    let request = AllocateRequest::default().with_blacklist_add(blacklist_add).with_blacklist_remove(blacklist_remove);
    cluster.allocate(app, &request).unwrap().headroom
}

/// `TestFairScheduler.testBlacklistNodes`
#[test]
fn a_blacklisted_node_is_not_used() {
    let mut cluster = Cluster::new("", &[("/r1", r(16_384, 16))]);
    let app = cluster.request(r(1024, 1), "root.default", "user1", 1);
    assert_eq!(blacklist(&mut cluster, &app, &["n1"], &[]), r(0, 0));
    assert!(cluster.hb(1).allocated.is_empty());
    assert_eq!(blacklist(&mut cluster, &app, &[], &["n1"]), r(16_384, 16));
    assert_eq!(cluster.hb(1).allocated.len(), 1);
}

/// `TestFSAppAttempt.testHeadroomWithBlackListedNodes`
#[test]
fn headroom_leaves_blacklisted_nodes_out() {
    let mut cluster = Cluster::new("", &[("/r", r(8192, 8)), ("/r", r(4096, 4))]);
    let app = cluster.request(r(1024, 1), "root.default", "user1", 1);
    assert_eq!(blacklist(&mut cluster, &app, &["n1"], &[]), r(4096, 4));
    assert_eq!(blacklist(&mut cluster, &app, &["n2"], &["n1"]), r(8192, 8));
    assert_eq!(blacklist(&mut cluster, &app, &[], &["n2"]), r(12_288, 12));
}

/// The queue uses 2048/2 of its fair share 4096/2 and its maximum 5120/3, the cluster 2048/2 of 8192/8. Under drf the
/// fair share binds in both types, otherwise in memory alone.
///
/// `TestFSAppAttempt.testHeadroom`
#[test]
fn headroom_is_what_share_maximum_and_cluster_leave() {
    for (policy, expected) in [("drf", r(2048, 0)), ("fair", r(2048, 1)), ("fifo", r(2048, 1))] {
        let inside = "<maxResources>5120 mb, 3 vcores</maxResources>";
        let text = queue("queueA", &format!("<schedulingPolicy>{policy}</schedulingPolicy>{inside}"))
            // Its minimum leaves 2 vcores to the other.
            + &queue("queueB", "<minResources>0 mb, 6 vcores</minResources>");
        let mut cluster = Cluster::new(&(text + DRF), &[("/r", r(8192, 8))]);
        let app = cluster.request(r(2048, 2), "queueA", "user1", 1);
        cluster.start("queueB");
        cluster.stepped.update_now();
        cluster.hb(1);
        let queue = cluster.queue("root.queueA");
        assert_eq!((queue.fair_share, queue.usage), (r(4096, 2), r(2048, 2)));
        assert_eq!(cluster.ask_lines(&app, &[]).unwrap().headroom, expected, "{policy}");
    }
}

//! Which nodes an application waits for, and for how long.

use crate::cluster::{Cluster, Pairs, any, gb, r};
use evenweave::SchedulerApi as _;
use evenweave::{AllocateRequest, AppHandle, Ask, Location};

const ONE: Pairs<'static> = &[("root.queues", "b"), ("root.b.capacity", "100"), ("root.b.user-limit-factor", "10")];

/// Nodes n1, n2 … of these racks.
fn racks(more: Pairs<'_>, racks: &[&str]) -> (Cluster, AppHandle) {
    let mut cluster = Cluster::new(&[ONE, more].concat(), &[]);
    racks.iter().for_each(|rack| cluster.add_node_in(rack, r(8192, 16)));
    let app = cluster.submit("b", "user_0");
    (cluster, app)
}

/// One call with asks for 1 GB at places.
fn ask_at(cluster: &mut Cluster, app: &AppHandle, places: &[(&str, u32)]) {
    let asks = cluster.at(1, gb(1), places);
    cluster.ask(app, &asks);
}

/// How many containers each visit of nodes gives.
fn visits(cluster: &mut Cluster, nodes: &[usize]) -> Vec<usize> {
    nodes.iter().map(|n| cluster.hb(*n).len()).collect()
}

/// `TestLeafQueue.testLocalityScheduling`
#[test]
fn other_nodes_wait_for_as_many_visits_as_containers_are_asked_for() {
    let (mut cluster, app) = racks(&[], &["/r1", "/r2", "/r3"]);
    ask_at(&mut cluster, &app, &[("n1", 1), ("/r1", 1), ("n2", 1), ("/r2", 1), ("*", 3)]);
    assert_eq!(visits(&mut cluster, &[3, 3, 3, 3]), [0, 0, 0, 1]);
    assert_eq!(visits(&mut cluster, &[1, 2]), [1, 1], "the nodes themselves do not wait");
    assert!(cluster.app(&app).pending.is_zero());
}

/// A container on the rack begins the wait anew, unless the queue says that it does not.
///
/// `TestLeafQueue.testLocalityScheduling`
#[test]
fn a_container_on_the_rack_begins_the_wait_anew() {
    for (full_reset, then) in [("true", [0, 1, 0]), ("false", [0, 1, 1])] {
        let (mut cluster, app) =
            racks(&[("node-locality-delay", "1"), ("rack-locality-full-reset", full_reset)], &["/r1", "/r2", "/r2"]);
        ask_at(&mut cluster, &app, &[("n2", 1), ("/r2", 3), ("*", 4)]);
        assert_eq!(visits(&mut cluster, &[3, 3, 3]), then, "full reset {full_reset}");
    }
}

/// `TestLeafQueue.testLocalityScheduling`
#[test]
fn no_wait_is_longer_than_there_are_nodes() {
    let (mut cluster, app) = racks(&[], &["/r1", "/r2", "/r3"]);
    ask_at(&mut cluster, &app, &[("n1", 100), ("/r1", 100), ("n2", 100), ("/r2", 100), ("*", 100)]);
    assert_eq!(visits(&mut cluster, &[3, 3, 3, 3]), [0, 0, 0, 1]);
}

/// `TestLeafQueue.testRackLocalityDelayScheduling`
#[test]
fn the_wait_for_other_racks_can_be_given_as_visits() {
    let delays = |additional| [("node-locality-delay", "2"), ("rack-locality-additional-delay", additional)];
    let racks_of = ["/r1", "/r2", "/r2", "/r4", "/r5"];
    let (mut cluster, app) = racks(&delays("1"), &racks_of);
    let places: &[(&str, u32)] = &[("n1", 2), ("/r1", 2), ("n2", 2), ("/r2", 2), ("*", 4)];
    ask_at(&mut cluster, &app, places);
    assert_eq!(visits(&mut cluster, &[3, 3, 3]), [0, 0, 1], "on the rack");
    assert_eq!(visits(&mut cluster, &[4, 4, 4, 4]), [0, 0, 0, 1], "on another");
    cluster.refresh(ONE, &delays("10")).unwrap();
    assert_eq!(visits(&mut cluster, &[4, 4]), [0, 1], "not longer than there are nodes");
}

/// `TestLeafQueue.testLocalityDelaysAfterQueueRefresh`
#[test]
fn a_refresh_changes_the_wait_of_applications_that_run() {
    let (mut cluster, app) = racks(&[("node-locality-delay", "3")], &["/r1", "/r1", "/r3", "/r4"]);
    ask_at(&mut cluster, &app, &[("n1", 40), ("/r1", 40), ("*", 40)]);
    assert_eq!(visits(&mut cluster, &[2, 2]), [0, 0]);
    cluster.refresh(ONE, &[("node-locality-delay", "2")]).unwrap();
    assert_eq!(visits(&mut cluster, &[2]), [1]);
}

/// `TestLeafQueue.testLocalityDelaySkipsApplication`
#[test]
fn who_waits_for_a_node_lets_the_next_application_by() {
    let (mut cluster, zero) = racks(&[], &["/r1", "/r2", "/r3"]);
    ask_at(&mut cluster, &zero, &[("n1", 1), ("/r1", 1), ("n2", 1), ("/r2", 1), ("*", 3)]);
    let one = cluster.submit("b", "user_0");
    ask_at(&mut cluster, &one, &[("n3", 1), ("/r3", 1), ("*", 1)]);
    assert_eq!(cluster.hb(3), [(one.number(), 1024)]);
    assert_eq!(cluster.live([&zero, &one]), [0, 1]);
}

/// `TestLeafQueue.testApplicationPriorityScheduling`
#[test]
fn who_waits_with_a_first_priority_does_not_begin_the_next() {
    let (mut cluster, app) = racks(&[], &["/r1", "/r2", "/r3"]);
    let mut asks = cluster.at(1, gb(1), &[("n1", 1), ("/r1", 1), ("n2", 1), ("/r2", 1), ("*", 2)]);
    asks.extend(cluster.at(2, gb(2), &[("n3", 1), ("/r3", 1), ("*", 1)]));
    cluster.ask(&app, &asks);
    let seen: Vec<_> = [3, 3, 3, 1, 2].map(|n| cluster.hb(n)).into_iter().collect();
    assert_eq!(seen, [vec![], vec![], vec![(1, 1024)], vec![(1, 1024)], vec![(1, 2048)]]);
}

/// `TestLeafQueue.testSchedulingConstraints`
#[test]
fn nothing_is_given_without_an_ask_for_anywhere() {
    let (mut cluster, app) = racks(&[], &["/r1", "/r1", "/r2"]);
    ask_at(&mut cluster, &app, &[("n1", 1), ("n2", 1), ("/r1", 1), ("n3", 1), ("/r2", 1)]);
    assert_eq!(visits(&mut cluster, &[1]), [0]);
    ask_at(&mut cluster, &app, &[("*", 1)]);
    assert_eq!(visits(&mut cluster, &[1]), [1]);
    assert_eq!(visits(&mut cluster, &[3]), [0], "nothing is asked for anywhere any more");
    ask_at(&mut cluster, &app, &[("*", 1)]);
    assert_eq!(visits(&mut cluster, &[2]), [0], "nothing of its rack is left");
    assert_eq!(visits(&mut cluster, &[3]), [1]);
}

/// Two nodes a rack. What is asked for there: a node of each rack; rack 2 and anywhere only strictly.
fn strict(app: &AppHandle, cluster: &mut Cluster, rack_2_relaxed: bool) {
    let mut asks: Vec<Ask> = cluster.at(1, gb(1), &[("n1", 1), ("/r1", 1), ("n3", 1)]);
    asks.extend(cluster.at(1, gb(1), &[("/r2", 1)]).into_iter().map(|ask| ask.relaxed(rack_2_relaxed)));
    asks.push(any(1, gb(1), 1).relaxed(false));
    cluster.ask(app, &asks);
}

/// `TestLeafQueue.testLocalityConstraints`
#[test]
fn a_blacklist_and_strict_places_keep_an_application_away() {
    let (mut cluster, app) = racks(&[], &["/r1", "/r1", "/r2", "/r2"]);
    let places = |cluster: &Cluster, names: &[&str]| -> Vec<Location> {
        names.iter().map(|name| cluster.stepped.location(name)).collect()
    };
    strict(&app, &mut cluster, false);
    let n1 = places(&cluster, &["n1"]);
    cluster.call(&app, &AllocateRequest::default().with_blacklist_add(n1)).unwrap();
    assert_eq!(visits(&mut cluster, &[1, 4]), [0, 0], "blacklisted; a strict rack");
    strict(&app, &mut cluster, true);
    let n4 = places(&cluster, &["n4"]);
    cluster.call(&app, &AllocateRequest::default().with_blacklist_add(n4.clone())).unwrap();
    assert_eq!(visits(&mut cluster, &[4]), [0], "the rack would do, the node is blacklisted");
    let rack = places(&cluster, &["/r2"]);
    let other = AllocateRequest::default().with_blacklist_add(rack.clone()).with_blacklist_remove(n4);
    cluster.call(&app, &other).unwrap();
    assert_eq!(visits(&mut cluster, &[4]), [0], "its rack is blacklisted");
    cluster.call(&app, &AllocateRequest::default().with_blacklist_remove(rack)).unwrap();
    assert_eq!(visits(&mut cluster, &[4]), [0], "a first visit of the rack waits for the node");
    assert_eq!(cluster.app(&app).pending.memory_mb(), 1024);
    strict(&app, &mut cluster, false);
    assert_eq!(visits(&mut cluster, &[3]), [1]);
}

/// `TestLeafQueue.testAllocateContainerOnNodeWithoutOffSwitchSpecified`
#[test]
fn places_without_anywhere_are_no_failure() {
    let (mut cluster, app) = racks(&[], &["/r1"]);
    ask_at(&mut cluster, &app, &[("n1", 1), ("/r1", 1)]);
    assert_eq!(visits(&mut cluster, &[1, 1]), [0, 0]);
    let why = cluster.stepped.not_offered(&app);
    assert_eq!(why, Some(evenweave::reason::CapacityNotOffered::NothingAnywhere));
}

/// The ask is for more than this node has in all: nothing is reserved for it, and the larger node serves it.
///
/// `TestCapacityScheduler.testContainerAllocationLocalitySkipped`
#[test]
fn a_node_that_is_too_small_is_not_reserved() {
    let mut cluster = Cluster::new(ONE, &[r(4096, 4), r(6144, 4)]);
    cluster.asking("b", "user", gb(5), 1);
    assert_eq!(cluster.hb(1), []);
    assert_eq!(cluster.reserved(), []);
    assert_eq!(cluster.hb(2), [(1, 5120)]);
}

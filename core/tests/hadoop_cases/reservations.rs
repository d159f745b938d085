//! Nodes that are held for an application whose container does not fit yet.

use crate::cluster::{Cluster, DRF, queue, r};
use evenweave::{AppHandle, Resource};

/// A node of 1024 MB filled by queue1, and queue2 with an ask for as much.
fn one_reservation() -> (Cluster, AppHandle) {
    let mut cluster = Cluster::new("", &[("/r", r(1024, 1))]);
    cluster.request(r(1024, 1), "queue1", "user1", 1);
    assert_eq!(cluster.hb(1).allocated.len(), 1);
    let second = cluster.request(r(1024, 1), "queue2", "user1", 1);
    cluster.hb(1);
    (cluster, second)
}

/// Another node serves the ask; the reservation goes only when its node reports.
///
/// `TestFairScheduler.testSimpleContainerReservation`, `TestFairScheduler.testSchedulerRootQueueMetrics`
#[test]
fn a_reservation_stays_until_its_node_reports() {
    let (mut cluster, _) = one_reservation();
    let seen = |cluster: &mut Cluster| {
        let in_all: i64 = cluster.stepped.take_journal().reserved.iter().map(|made| made.resource.memory_mb()).sum();
        let usage = cluster.queue("root.queue2").usage.memory_mb();
        (cluster.reserved_in("root.queue2").memory_mb(), in_all, usage)
    };
    assert_eq!(seen(&mut cluster), (1024, 1024, 0));
    cluster.add_node("/r", r(1024, 1));
    cluster.hb(2);
    assert_eq!(seen(&mut cluster), (1024, 1024, 1024));
    cluster.hb(1);
    assert_eq!(seen(&mut cluster), (0, 0, 1024));
}

/// `TestFairScheduler.testReservationMetrics`
#[test]
fn a_reservation_goes_with_its_application() {
    let mut cluster = Cluster::new("", &[("/r", r(4096, 4))]);
    cluster.request(r(1024, 1), "queue1", "user1", 1);
    cluster.hb(1);
    let app = cluster.request(r(4096, 4), "queue1", "user1", 1);
    cluster.hb(1);
    let seen = |cluster: &mut Cluster| {
        let count = cluster.stepped.take_journal().reserved.len();
        (count, cluster.reserved_in("root.queue1"))
    };
    assert_eq!(seen(&mut cluster), (1, r(4096, 4)));
    assert_eq!(cluster.app(&app).unwrap().reserved_nodes, 1);
    cluster.finish(&app);
    assert_eq!(seen(&mut cluster), (0, Resource::ZERO));
}

/// `TestFairScheduler.testMultipleContainersWaitingForReservation`
#[test]
fn a_node_is_reserved_once() {
    let (mut cluster, _) = one_reservation();
    cluster.request(r(1024, 1), "queue3", "user1", 1);
    cluster.hb(1);
    assert_eq!(["root.queue2", "root.queue3"].map(|queue| cluster.reserved_in(queue).memory_mb()), [1024, 0]);
}

const HALF: [(&str, &str); 1] = [("yarn.scheduler.fair.reservable-nodes", "0.5")];

/// `TestFairScheduler.testOffSwitchAppReservationThreshold`
#[test]
fn a_part_of_all_nodes_may_be_reserved() {
    let mut cluster = Cluster::with(&HALF, "", &[("/r", r(3072, 3)); 3]);
    cluster.request(r(2048, 1), "queue1", "user1", 3);
    (1..=3).for_each(|n| assert_eq!(cluster.hb(n).allocated.len(), 1));
    assert_eq!(cluster.queue("root.queue1").usage.memory_mb(), 6144);
    let second = cluster.request(r(2048, 1), "queue1", "user1", 1);
    // Half of three, rounded up.
    assert_eq!([1, 2, 3].map(|n| cluster.hb(n).reserved.len()), [1, 2, 2]);
    cluster.add_node("/r", r(3072, 3));
    cluster.hb(4);
    assert_eq!(cluster.queue("root.queue1").usage.memory_mb(), 8192);
    assert_eq!(cluster.used(&second).memory_mb(), 2048);
    (1..=3).for_each(|n| drop(cluster.hb(n)));
    assert_eq!(cluster.reserved_in("root.queue1"), Resource::ZERO);
}

/// One node on a rack, three on the other, whose half counts. A further one on the first rack, which never reports,
/// makes half of all nodes more than that.
///
/// `TestFairScheduler.testRackLocalAppReservationThreshold`
#[test]
fn a_part_of_the_racks_nodes_may_be_reserved_for_an_ask_for_the_rack() {
    let nodes = ["/r1", "/r2", "/r2", "/r2"].map(|rack| (rack, r(3072, 3)));
    let mut cluster = Cluster::with(&HALF, "", &nodes);
    cluster.request(r(2048, 1), "queue1", "user1", 4);
    (1..=4).for_each(|n| assert_eq!(cluster.hb(n).allocated.len(), 1));
    assert_eq!(cluster.queue("root.queue1").usage.memory_mb(), 8192);
    cluster.add_node("/r1", r(3072, 3));
    let app = cluster.start("queue1");
    let lines = ["/r2", "*"].map(|at| cluster.line(at, r(2048, 1), 1, true));
    cluster.ask_lines(&app, &lines).unwrap();
    cluster.stepped.update_now();
    assert_eq!([2, 3, 4].map(|n| cluster.hb(n).reserved.len()), [1, 2, 2]);
    cluster.add_node("/r2", r(3072, 3));
    cluster.hb(6);
    assert_eq!(cluster.queue("root.queue1").usage.memory_mb(), 10_240);
    (2..=4).for_each(|n| drop(cluster.hb(n)));
    assert_eq!(cluster.reserved_in("root.queue1"), Resource::ZERO);
}

/// `TestFairScheduler.testReservationThresholdWithAssignMultiple`
#[test]
fn no_node_is_reserved_where_none_may_be() {
    let properties = [
        ("yarn.scheduler.fair.assignmultiple", "true"),
        ("yarn.scheduler.fair.dynamic.max.assign", "false"),
        ("yarn.scheduler.fair.reservable-nodes", "0"),
    ];
    let mut cluster = Cluster::with(&properties, "", &[("/r", r(4096, 4)), ("/r", r(4096, 4))]);
    cluster.request(r(1024, 1), "queue1", "user1", 10);
    (1..=2).for_each(|n| drop(cluster.hb(n)));
    assert_eq!(cluster.queue("root.queue1").usage.memory_mb(), 8192);
    assert_eq!(cluster.reserved_in("root.queue1"), Resource::ZERO);
}

/// Two queues that fill a node of 3072/5 with 2048 and 1024.
fn full_node(first_max: &str) -> (Cluster, impl Fn(&str) -> String) {
    let text = |max: &str| {
        queue("queue1", &format!("<maxResources>{max}</maxResources>"))
            + &queue("queue2", "<maxResources>2048mb,10vcores</maxResources>")
    };
    let mut cluster = Cluster::new(&text(first_max), &[("/r", r(3072, 5))]);
    cluster.request(r(2048, 2), "queue1", "user1", 1);
    cluster.hb(1);
    cluster.request(r(1024, 1), "queue2", "user1", 1);
    cluster.hb(1);
    assert_eq!(usages(&mut cluster), [2048, 1024]);
    (cluster, text)
}

fn usages(cluster: &mut Cluster) -> [i64; 2] {
    ["root.queue1", "root.queue2"].map(|name| cluster.queue(name).usage.memory_mb())
}

/// `TestFairScheduler.testContainerReservationAttemptExceedingQueueMax`
#[test]
fn nothing_is_reserved_beyond_the_maximum() {
    let (mut cluster, _) = full_node("2048mb,5vcores");
    cluster.request(r(1024, 1), "queue1", "user1", 1);
    assert!(cluster.hb(1).reserved.is_empty());
}

/// `TestFairScheduler.testContainerReservationNotExceedingQueueMax`
#[test]
fn a_reservation_goes_when_the_maximum_is_lowered() {
    let (mut cluster, text) = full_node("3072mb,10vcores");
    cluster.request(r(1024, 1), "queue1", "user1", 1);
    for _ in 0..2 {
        cluster.hb(1);
        assert_eq!(cluster.reserved_in("root.queue1").memory_mb(), 1024);
    }
    cluster.reload(&text("2048mb,10vcores"));
    cluster.request(r(1024, 1), "queue2", "user1", 1);
    cluster.hb(1);
    assert_eq!(cluster.reserved_in("root.queue1").memory_mb(), 0);
    assert_eq!(usages(&mut cluster), [2048, 1024]);
}

/// Under drf the larger share counts: 1024/1 is below twice the increment in both types, 1024/3 is not.
///
/// `TestFairScheduler.testReservationThresholdGatesReservations`
#[test]
fn small_containers_are_not_worth_a_reservation() {
    let twice = [("yarn.scheduler.reservation-threshold.increment-multiple", "2")];
    let mut cluster = Cluster::with(&twice, DRF, &[("/r", r(4096, 4))]);
    cluster.request(r(4096, 4), "queue1", "user1", 1);
    assert_eq!(cluster.hb(1).allocated.len(), 1);
    let second = cluster.request(r(1024, 1), "queue2", "user1", 1);
    assert!(cluster.hb(1).reserved.is_empty());
    cluster.ask(&second, 1, r(1024, 3), 1);
    cluster.stepped.update_now();
    cluster.hb(1);
    assert_eq!(cluster.reserved_in("root.queue2"), r(1024, 3));
    cluster.add_node("/r", r(1024, 4));
    assert_eq!(cluster.hb(2).reserved.len(), 1);
    assert_eq!(cluster.queue("root.queue2").usage, r(1024, 3));
    assert!(cluster.hb(1).reserved.is_empty());
}

/// `TestFairScheduler.testReservationWithMultiplePriorities`
#[test]
fn the_reserved_priority_is_served_before_a_higher_one() {
    let mut cluster = Cluster::new("", &[("/r", r(2048, 2))]);
    let first = cluster.request(r(1024, 1), "queue1", "user1", 1);
    cluster.hb(1);
    let held = cluster.granted(&first);
    let second = cluster.start("queue1");
    cluster.ask(&second, 2, r(2048, 2), 1);
    cluster.stepped.update_now();
    assert_eq!(cluster.hb(1).reserved[0].priority, 2);
    cluster.ask(&second, 1, r(2048, 2), 1);
    cluster.release(&first, &held);
    cluster.stepped.update_now();
    cluster.stepped.take_journal();
    let made: Vec<_> = cluster.hb(1).allocated.iter().map(|made| (made.app, made.priority)).collect();
    assert_eq!(made, [(second.number(), 2)]);
    assert_eq!(cluster.used(&second), r(2048, 2));
}

/// Offers that leave the reservation as it is take no further number.
///
/// `TestFairScheduler.testContainerAllocationWithContainerIdLeap`
#[test]
fn a_reservation_takes_one_container_number() {
    let mut cluster = Cluster::with(&HALF, "", &[("/r", r(3072, 10)), ("/r", r(3072, 10))]);
    let first = cluster.request(r(2048, 1), "queue1", "user1", 2);
    (1..=2).for_each(|n| assert_eq!(cluster.hb(n).allocated.len(), 1));
    let second = cluster.request(r(2048, 1), "queue1", "user1", 1);
    let reserved = cluster.hb(1).reserved;
    assert_eq!((reserved.len(), reserved[0].app), (1, second.number()));
    for n in [1, 2].repeat(10) {
        cluster.hb(n);
    }
    cluster.finish(&first);
    cluster.stepped.take_journal();
    let made = cluster.hb(2).allocated;
    assert_eq!((made.len(), made[0].app, made[0].container), (1, second.number(), reserved[0].container + 1));
}

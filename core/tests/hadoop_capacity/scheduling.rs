//! Whole clusters at work: who gets what of which node, and what is asked for then.

use crate::cluster::{Cluster, DRC, Pairs, any, gb, r};
use crate::preemption::chosen;
use evenweave::SchedulerApi as _;
use evenweave::{AppHandle, EndReason};

/// The tree of Hadoop's `TestCapacityScheduler`.
pub(crate) const S: Pairs<'static> = &[
    ("root.queues", "a,b"),
    ("root.a.capacity", "10.5"),
    ("root.b.capacity", "89.5"),
    ("root.a.queues", "a1,a2"),
    ("root.a.a1.capacity", "30"),
    ("root.a.a2.capacity", "70"),
    ("root.b.queues", "b1,b2,b3"),
    ("root.b.b1.capacity", "79.2"),
    ("root.b.b2.capacity", "0.8"),
    ("root.b.b3.capacity", "20"),
    ("user-limit-factor", "100"),
];

const MANY: (&str, &str) = ("per-node-heartbeat.multiple-assignments-enabled", "true");

/// One container of a size on a node, or, last, anywhere.
fn on_n1(cluster: &mut Cluster, app: &AppHandle, priority: i32, size: i64) {
    let asks = cluster.at(priority, gb(size), &[("n1", 1), ("/r1", 1), ("n2", 1), ("/r2", 1), ("*", 1)]);
    cluster.ask(app, &asks);
}

/// What is used of the first two nodes, in GB.
fn nodes(cluster: &mut Cluster, totals: [i64; 2]) -> [i64; 2] {
    [1, 2].map(|n| totals[n - 1] - cluster.free(n).memory_mb() / 1024)
}

/// `TestCapacityScheduler.testCapacityScheduler`
#[test]
fn two_queues_fill_two_nodes() {
    let mut cluster = Cluster::new(&[S, &[MANY]].concat(), &[r(4096, 1), r(2048, 1)]);
    let (zero, one) = (cluster.submit("a1", "user_0"), cluster.submit("b2", "user_1"));
    on_n1(&mut cluster, &zero, 1, 1);
    on_n1(&mut cluster, &one, 1, 3);
    assert_eq!(cluster.hb(1).len(), 2);
    assert_eq!(cluster.hb(2), []);
    assert_eq!(cluster.live([&zero, &one]), [1, 3]);
    assert_eq!(nodes(&mut cluster, [4, 2]), [4, 0]);
    cluster.ask(&one, &[any(0, gb(2), 1)]);
    on_n1(&mut cluster, &zero, 0, 2);
    assert_eq!(cluster.hb(1), []);
    assert_eq!(cluster.hb(2), [(one.number(), 2048)]);
    assert_eq!(cluster.live([&zero, &one]), [1, 5]);
    assert_eq!(nodes(&mut cluster, [4, 2]), [4, 2]);
}

/// A node of 10 GB; a1 asks for 1 GB and 2 GB, b2 for 3 GB and 4 GB. Used after each report.
fn reports(more: Pairs<'_>) -> [i64; 2] {
    let mut cluster = Cluster::new(&[S, more].concat(), &[r(10_240, 10), r(10_240, 10)]);
    let (zero, one) = (cluster.submit("a1", "user_0"), cluster.submit("b2", "user_1"));
    for (app, sizes) in [(&zero, [1, 2]), (&one, [3, 4])] {
        on_n1(&mut cluster, app, 1, sizes[0]);
        on_n1(&mut cluster, app, 2, sizes[1]);
    }
    [1, 1].map(|n| {
        cluster.hb(n);
        nodes(&mut cluster, [10, 10])[0]
    })
}

/// `TestCapacityScheduler.testNotAssignMultiple`
#[test]
fn without_several_containers_a_report_gives_one() {
    assert_eq!(reports(&[]), [3, 4]);
}

/// `TestCapacityScheduler.testAssignMultiple`
#[test]
fn with_two_containers_a_report_it_gives_two() {
    assert_eq!(reports(&[MANY, ("per-node-heartbeat.maximum-container-assignments", "2")]), [4, 10]);
}

/// `TestCapacityScheduler.testQueueHierarchyPendingResourceUpdate`
#[test]
fn what_is_asked_for_counts_up_the_tree() {
    let mut cluster = Cluster::new(S, &[r(8 * 1024, 8), r(24 * 1024, 24)]);
    const QUEUES: [&str; 5] = ["root.a.a1", "root.a", "root.b.b1", "root.b", "root"];
    let pending = |cluster: &mut Cluster| QUEUES.map(|name| cluster.queue(name).pending.memory_mb() / 1024);
    let (a1, b1) = (cluster.submit("a1", "user"), cluster.submit("b1", "user"));
    cluster.ask(&a1, &[any(1, gb(1), 8)]);
    assert_eq!(pending(&mut cluster), [8, 8, 0, 0, 8]);
    cluster.ask(&b1, &[any(1, gb(1), 8)]);
    assert_eq!(pending(&mut cluster), [8, 8, 8, 8, 16]);
    cluster.ask(&b1, &[any(2, gb(1), 8)]);
    assert_eq!(pending(&mut cluster), [8, 8, 16, 16, 24]);
    cluster.ask(&a1, &[any(1, gb(1), 4)]);
    assert_eq!(pending(&mut cluster), [4, 4, 16, 16, 20]);
    (0..4).for_each(|_| drop(cluster.hb(2)));
    let left = pending(&mut cluster);
    assert_eq!((left[4], left[0] + left[2]), (16, 16), "what was given is not asked for any more");
    cluster.finish(&b1);
    cluster.finish(&a1);
    assert_eq!(pending(&mut cluster), [0; 5]);
}

/// `TestCapacityScheduler.testSchedulerKeyGarbageCollection`
#[test]
fn an_ask_ends_when_it_is_served_or_withdrawn() {
    let mut cluster = Cluster::new(S, &[r(4096, 4); 4]);
    let app = cluster.submit("b1", "user");
    (1..=4).for_each(|priority| cluster.ask(&app, &[any(priority, gb(3), 1)]));
    let pending = |cluster: &mut Cluster| cluster.app(&app).pending.memory_mb() / 1024;
    assert_eq!(pending(&mut cluster), 12);
    cluster.hb(1);
    assert_eq!(pending(&mut cluster), 9);
    cluster.hb(2);
    assert_eq!(pending(&mut cluster), 6);
    cluster.ask(&app, &[any(1, gb(3), 0)]);
    assert_eq!(pending(&mut cluster), 6, "that one has been served");
    cluster.ask(&app, &[any(3, gb(3), 0)]);
    assert_eq!(pending(&mut cluster), 3);
    cluster.hb(3);
    assert_eq!(pending(&mut cluster), 0);
    assert_eq!(cluster.hb(4), []);
}

/// `TestCapacityScheduler.testResourceOverCommit`
#[test]
fn a_node_below_its_use_has_less_than_nothing_until_what_does_not_fit_ends() {
    let mut cluster = Cluster::new(S, &[r(4096, 4)]);
    let app = cluster.asking("b1", "user", gb(2), 2);
    cluster.hbs(1, 2);
    assert_eq!(cluster.granted(&app).len(), 2);
    cluster.resize(1, r(2048, 4));
    assert_eq!(cluster.free(1).memory_mb(), -2048);
    cluster.hb(1);
    assert_eq!(cluster.live([&app]), [4], "nothing ends");
    cluster.resize(1, r(4096, 4));
    assert_eq!(cluster.free(1).memory_mb(), 0);
    let node = cluster.nodes[0].clone();
    cluster.stepped.take_journal();
    cluster.stepped.shrink_node(&node, r(2048, 4)).unwrap();
    cluster.hb(1);
    assert_eq!((cluster.live([&app]), cluster.free(1).memory_mb()), ([2], 0));
    assert_eq!(cluster.granted(&app), []);
}

/// `TestCapacityScheduler.testRecoverRequestAfterPreemption`
#[test]
fn asks_of_a_container_that_is_preempted_before_the_am_had_it_come_back() {
    let queues: Pairs<'_> = &[("root.queues", "a,b"), ("root.a.capacity", "50"), ("root.b.capacity", "50")];
    let more: Pairs<'_> = &[
        ("user-limit-factor", "100"),
        ("yarn.resourcemanager.scheduler.monitor.enable", "true"),
        ("yarn.resourcemanager.monitor.capacity.preemption.natural_termination_factor", "1"),
        ("yarn.resourcemanager.monitor.capacity.preemption.total_preemption_per_round", "1"),
    ];
    let mut cluster = Cluster::new(&[queues, more].concat(), &[r(4096, 4)]);
    let app = cluster.submit("a", "user");
    let asks = cluster.at(1, gb(1), &[("n1", 4), ("/r1", 4), ("*", 4)]);
    cluster.ask(&app, &asks);
    cluster.hbs(1, 4);
    assert_eq!((cluster.live([&app]), cluster.app(&app).pending.memory_mb()), ([4], 0));
    let other = cluster.asking("b", "user", gb(2), 1);
    assert_eq!(chosen(&mut cluster).len(), 2);
    cluster.stepped.advance(15_000);
    cluster.stepped.take_journal();
    cluster.stepped.preempt().unwrap();
    let ended = cluster.stepped.take_journal().completed;
    assert_eq!(ended.iter().filter(|(_, _, why)| *why == EndReason::Preempted).count(), 2);
    assert_eq!((cluster.live([&app]), cluster.app(&app).pending.memory_mb()), ([2], 2048));
    cluster.finish(&other);
    assert_eq!(cluster.hb(1), [(app.number(), 1024)], "for the node again");
}

/// `TestCapacitySchedulerApps.testAppReservationWithDominantResourceCalculator`
#[test]
fn a_node_without_vcores_left_is_not_reserved() {
    let one: Pairs<'_> = &[DRC, ("root.queues", "default"), ("root.default.capacity", "100")];
    let mut cluster = Cluster::new(one, &[r(10_240, 1), r(10_240, 4), r(10_240, 4)]);
    let app = cluster.submit_with_am("default", "user", gb(1));
    cluster.hb(1);
    assert_eq!((cluster.live([&app]), cluster.free(1)), ([1], r(9 * 1024, 0)));
    cluster.ask(&app, &[any(1, gb(1), 1)]);
    assert_eq!(cluster.hb(1), []);
    assert_eq!(cluster.reserved(), []);
    assert_eq!(cluster.hb(2), [(1, 1024)]);
}

/// `TestCapacityScheduler.testAsyncScheduling`
#[test]
fn rounds_without_applications_do_nothing() {
    let mut cluster = Cluster::new(&[S, &[("schedule-asynchronously.enable", "true")]].concat(), &[r(8192, 8); 100]);
    for round in 0..100 {
        cluster.stepped.offer_all_from(round);
    }
    assert_eq!(cluster.used_by(["root"]), [0]);
}

const ASYNC: Pairs<'static> = &[
    ("schedule-asynchronously.enable", "true"),
    ("root.queues", "a,b,c"),
    ("root.a.capacity", "10"),
    ("root.b.capacity", "20"),
    ("root.c.capacity", "70"),
    ("user-limit-factor", "100"),
];

/// `TestCapacitySchedulerAsyncScheduling.testSingleThreadAsyncContainerAllocation`
#[test]
fn rounds_give_what_is_asked_for_and_never_more() {
    let mut cluster = Cluster::new(ASYNC, &[r(20 * 1024, 20); 10]);
    let apps = [("a", 20), ("b", 40), ("c", 60)].map(|(queue, count)| {
        let app = cluster.submit_with_am(queue, "user", gb(1));
        (app, count)
    });
    (1..=10).for_each(|n| assert_eq!(cluster.hb(n), [], "a report alone gives nothing"));
    (0..3).for_each(|round| cluster.stepped.offer_all_from(round));
    for (app, count) in &apps {
        assert_eq!(cluster.live([app]), [1], "the AM");
        cluster.ask(app, &[any(1, gb(1), *count)]);
    }
    (0..20).for_each(|round| cluster.stepped.offer_all_from(round % 10));
    assert_eq!(cluster.used_by(["root"]), [123 * 1024]);
    (0..20).for_each(|round| cluster.stepped.offer_all_from(round % 10));
    assert_eq!(cluster.used_by(["root"]), [123 * 1024]);
}

/// `TestCapacitySchedulerAsyncScheduling.testAsyncSchedulerSkipNoHeartbeatNMs`
#[test]
fn rounds_pass_nodes_by_that_have_not_reported_lately() {
    let often = ("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", "100");
    let mut cluster = Cluster::new(&[ASYNC, &[often]].concat(), &[r(20 * 1024, 20); 10]);
    cluster.stepped.advance(1000);
    (1..=5).for_each(|n| drop(cluster.hb(n)));
    cluster.asking("c", "user", gb(1), 200);
    (0..40).for_each(|round| cluster.stepped.offer_all_from(round % 10));
    let free: Vec<_> = (1..=10).map(|n| cluster.free(n).memory_mb() / 1024).collect();
    assert_eq!(free, [0, 0, 0, 0, 0, 20, 20, 20, 20, 20]);
}

/// `TestCapacitySchedulerAsyncScheduling.testAsyncSchedulerSkipNoRunningNMs`
#[test]
fn rounds_pass_nodes_by_that_are_being_emptied() {
    let mut cluster = Cluster::new(ASYNC, &[r(20 * 1024, 20); 10]);
    (1..=10).for_each(|n| drop(cluster.hb(n)));
    for n in 6..=10 {
        let node = cluster.nodes[n - 1].clone();
        cluster.stepped.decommission_node(&node).unwrap();
    }
    let app = cluster.asking("c", "user", gb(1), 200);
    (0..40).for_each(|round| cluster.stepped.offer_all_from(round % 10));
    let containers = cluster.granted(&app);
    assert_eq!(containers.len(), 100);
    let running: Vec<_> = cluster.nodes[..5].iter().map(|node| node.id()).collect();
    assert!(containers.iter().all(|container| running.contains(&container.node)));
}

/// `TestCapacitySchedulerAsyncScheduling.testNodeResourceOverAllocated`
#[test]
fn rounds_give_no_node_more_than_it_has() {
    let mut cluster = Cluster::new(ASYNC, &[r(9 * 1024, 9)]);
    cluster.hb(1);
    let apps = ["a", "b"].map(|queue| cluster.asking(queue, "user", gb(5), 1));
    (0..5).for_each(|_| cluster.stepped.offer_all_from(0));
    assert_eq!(cluster.live([&apps[0], &apps[1]]).iter().sum::<i64>(), 5);
    assert_eq!(cluster.free(1).memory_mb(), 4096);
}

/// `TestCapacitySchedulerAsyncScheduling.testCommitProposalsForUnusableNode`
#[test]
fn rounds_give_nothing_on_a_node_that_is_gone() {
    let mut cluster = Cluster::new(ASYNC, &[r(8192, 8); 2]);
    (1..=2).for_each(|n| drop(cluster.hb(n)));
    let app = cluster.asking("a", "user", gb(1), 16);
    cluster.stepped.offer_all_from(0);
    let before = cluster.app(&app).used.memory_mb();
    assert!(before > 0);
    let node = cluster.nodes[1].clone();
    cluster.stepped.remove_node(&node).unwrap();
    (0..20).for_each(|_| cluster.stepped.offer_all_from(0));
    assert_eq!(cluster.live([&app]), [8], "of the other node");
}

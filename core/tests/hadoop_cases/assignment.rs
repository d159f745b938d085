//! What heartbeats place: sizes, how many at once, in which order.

use crate::cluster::{Cluster, DRF, queue, r};
use evenweave::SchedulerApi as _;
use evenweave::{AppHandle, Resource};

/// 512 MB are rounded up to 1024, so that a node of 512 MB has no room for them.
///
/// `TestFairScheduler.testSimpleContainerAllocation`
#[test]
fn a_container_is_rounded_up_and_placed_where_it_fits() {
    let mut cluster = Cluster::new("", &[("/r", r(1024, 4)), ("/r", r(512, 2))]);
    cluster.request(r(512, 2), "queue1", "user1", 2);
    cluster.hb(1);
    assert_eq!(cluster.queue("root.queue1").usage, r(1024, 2));
    cluster.hb(2);
    assert_eq!(cluster.queue("root.queue1").usage, r(1024, 2));
    let stats = cluster.stepped.stats();
    assert_eq!((stats.allocated, stats.cluster.minus(&stats.allocated)), (r(1024, 2), r(512, 4)));
}

/// `TestFairScheduler.testFifoWithinQueue`
#[test]
fn fifo_serves_the_first_application_first() {
    let mut cluster =
        Cluster::new(&queue("queue1", "<schedulingPolicy>fifo</schedulingPolicy>"), &[("/r", r(3072, 3))]);
    let first = cluster.request(r(1024, 1), "queue1", "user1", 2);
    let second = cluster.request(r(1024, 1), "queue1", "user1", 2);
    let sizes = [(&first, r(1024, 1)), (&second, r(1024, 1))];
    for expected in [[1, 0], [2, 0], [2, 1]] {
        cluster.hb(1);
        assert_eq!(cluster.live(&sizes), expected);
    }
}

/// Two containers of four heartbeats go to the fifo queue, one to each child of the fair one.
///
/// `TestFairScheduler.testAssignContainer`
#[test]
fn a_fifo_and_a_fair_queue_share_heartbeats() {
    let text = queue("fifoQueue", "<schedulingPolicy>fifo</schedulingPolicy>")
        + &queue("fairParent", &(queue("fairChild1", "") + &queue("fairChild2", "")));
    let mut cluster = Cluster::new(&text, &[("/r", r(8192, 8)), ("/r", r(8192, 8))]);
    let queues = ["fifoQueue", "fairParent.fairChild1", "fairParent.fairChild2", "fifoQueue"];
    let apps = queues.map(|queue| cluster.request(r(1024, 1), queue, "user1", 4));
    let sizes = apps.each_ref().map(|app| (app, r(1024, 1)));
    for round in 1..=4 {
        (0..2).for_each(|_| [1, 2].into_iter().for_each(|n| drop(cluster.hb(n))));
        let fifo = 2 * round;
        assert_eq!(cluster.live(&sizes), [fifo.min(4), round, round, (fifo - 4).max(0)]);
    }
}

fn assigned(properties: &[(&str, &str)], node: Resource, size: Resource, count: u32, heartbeats: usize) -> Vec<usize> {
    let on = [("yarn.scheduler.fair.assignmultiple", "true")];
    let properties: Vec<_> = on.iter().chain(properties).copied().collect();
    let mut cluster = Cluster::with(&properties, "", &[("/r", node)]);
    cluster.request(size, "root.default", "user1", count);
    let mut sum = 0;
    let made = (0..heartbeats).map(|_| {
        sum += cluster.hb(1).allocated.len();
        sum
    });
    made.collect()
}

/// Memory plays no part in the number.
///
/// `TestFairScheduler.testFixedMaxAssign`, `TestFairScheduler.testMaxAssignWithZeroMemoryContainers`
#[test]
fn a_fixed_number_of_containers_a_heartbeat() {
    for size in [r(1024, 1), r(0, 1)] {
        for (most, expected) in [("2", 2), ("-1", 8)] {
            let fixed = [("yarn.scheduler.fair.dynamic.max.assign", "false"), ("yarn.scheduler.fair.max.assign", most)];
            assert_eq!(assigned(&fixed, r(16_384, 16), size, 8, 1), [expected], "{size} {most}");
        }
    }
}

/// The container that passes the half is still made: 5 of 8, 2 of 3, 1 of 1.
///
/// `TestFairScheduler.testDynamicMaxAssign`
#[test]
fn half_of_the_free_room_a_heartbeat() {
    assert_eq!(assigned(&[], r(8192, 8), r(1024, 1), 12, 3), [5, 7, 8]);
}

/// `TestFairScheduler.testNoMoreCpuOnNode`
#[test]
fn vcores_count_under_fair_too() {
    let mut cluster = Cluster::new("", &[("/r", r(2048, 1))]);
    let app = cluster.request(r(1024, 1), "default", "user1", 2);
    cluster.hbs(1, 2);
    assert_eq!(cluster.used(&app), r(1024, 1));
}

/// `TestFairScheduler.testBasicDRFAssignment`
#[test]
fn drf_orders_applications_by_dominant_share() {
    let mut cluster = Cluster::new(DRF, &[("/r", r(8192, 5))]);
    let first = cluster.request(r(2048, 1), "queue1", "user1", 2);
    let second = cluster.request(r(1024, 2), "queue1", "user1", 2);
    let sizes = [(&first, r(2048, 1)), (&second, r(1024, 2))];
    for expected in [[1, 0], [1, 1], [2, 1]] {
        cluster.hb(1);
        assert_eq!(cluster.live(&sizes), expected);
    }
}

/// The applications that heartbeats of the only node serve, in turn.
fn served(cluster: &mut Cluster, heartbeats: usize) -> Vec<u32> {
    (0..heartbeats).flat_map(|_| cluster.hb(1).allocated).map(|made| made.app).collect()
}

/// `TestFairScheduler.testBasicDRFWithQueues`
#[test]
fn drf_orders_queues_by_dominant_share() {
    let mut cluster = Cluster::new(DRF, &[("/r", r(8192, 7))]);
    let first = cluster.request(r(3072, 1), "queue1", "user1", 2);
    let second = cluster.request(r(2048, 2), "queue1", "user1", 2);
    let third = cluster.request(r(1024, 2), "queue2", "user1", 2);
    assert_eq!(served(&mut cluster, 4), [&first, &third, &third, &second].map(AppHandle::number));
}

/// `TestFairScheduler.testDRFHierarchicalQueues`
#[test]
fn drf_orders_every_level_by_dominant_share() {
    let mut cluster = Cluster::new(DRF, &[("/r", r(12_288, 12))]);
    let first = cluster.request(r(3074, 1), "queue1.subqueue1", "user1", 2);
    let second = cluster.request(r(1024, 3), "queue1.subqueue1", "user1", 2);
    let third = cluster.request(r(2048, 2), "queue1.subqueue2", "user1", 2);
    let fourth = cluster.request(r(1024, 2), "queue2", "user1", 2);
    // The seventh heartbeat finds room for nobody.
    let expected = [&first, &fourth, &fourth, &third, &third, &second].map(AppHandle::number);
    assert_eq!(served(&mut cluster, 7), expected);
}

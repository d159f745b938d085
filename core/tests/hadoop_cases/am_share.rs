//! How much of a queue may go to ApplicationMasters.

use crate::cluster::{Cluster, DRF, queue, r};
use evenweave::testing::ByNumber as _;
use evenweave::{AppHandle, Resource};

fn am_usage(cluster: &mut Cluster, queue: &str) -> i64 {
    cluster.queue(queue).am_usage.memory_mb()
}

/// What an application has after four heartbeats, and the AM usage of queue1.
fn after_heartbeats(cluster: &mut Cluster, app: &AppHandle) -> (Resource, i64) {
    cluster.hbs(1, 4);
    (cluster.used(app), am_usage(cluster, "root.queue1"))
}

/// Two active queues of equal weight: queue1 has 10240 of 20480, and a fifth of that for AMs.
///
/// `TestFairScheduler.testQueueMaxAMShare`
#[test]
fn ams_beyond_the_share_wait_until_others_go() {
    let text = queue("default", "") + &queue("queue1", "<maxAMShare>0.2</maxAMShare>");
    let mut cluster = Cluster::new(&text, &[("/r", r(20_480, 20))]);
    cluster.request(r(1024, 1), "root.default", "user1", 1);
    let first = cluster.request_am(r(1024, 1), "queue1");
    assert_eq!(after_heartbeats(&mut cluster, &first), (r(1024, 1), 1024));
    let second = cluster.request_am(r(1024, 1), "queue1");
    assert_eq!(after_heartbeats(&mut cluster, &second), (r(1024, 1), 2048));
    let third = cluster.request_am(r(1024, 1), "queue1");
    assert_eq!(after_heartbeats(&mut cluster, &third), (r(0, 0), 2048));
    // Containers that are no AM's are served still.
    cluster.ask(&first, 1, r(1024, 1), 1);
    cluster.stepped.update_now();
    assert_eq!(after_heartbeats(&mut cluster, &first), (r(2048, 2), 2048));
    cluster.finish(&first);
    assert_eq!(am_usage(&mut cluster, "root.queue1"), 1024);
    assert_eq!(after_heartbeats(&mut cluster, &third), (r(1024, 1), 2048));
    // An AM of twice the size waits, and one that goes while it waits leaves nothing.
    let large = cluster.request_am(r(2048, 1), "queue1");
    let larger = cluster.request_am(r(2048, 1), "queue1");
    assert_eq!(after_heartbeats(&mut cluster, &large), (r(0, 0), 2048));
    cluster.finish(&larger);
    assert_eq!(am_usage(&mut cluster, "root.queue1"), 2048);
    cluster.finish(&second);
    cluster.finish(&third);
    assert_eq!(am_usage(&mut cluster, "root.queue1"), 0);
    assert_eq!(after_heartbeats(&mut cluster, &large), (r(2048, 1), 2048));
    // The AM's container ends and its share stays; what the application gets now is not looked at.
    cluster.stepped.complete_numbered(large.number(), 1).unwrap();
    assert_eq!((cluster.used(&large), am_usage(&mut cluster, "root.queue1")), (r(0, 0), 2048));
    cluster.ask(&large, 1, r(1024, 1), 1);
    cluster.stepped.update_now();
    assert_eq!(after_heartbeats(&mut cluster, &large), (r(1024, 1), 2048));
    // Rounded up to 2048 it does not fit.
    let odd = cluster.request_am(r(1860, 1), "queue1");
    assert_eq!(after_heartbeats(&mut cluster, &odd), (r(0, 0), 2048));
    assert_eq!(cluster.app(&odd).unwrap().outstanding, r(2048, 1));
    cluster.finish(&large);
    cluster.finish(&odd);
    assert_eq!(am_usage(&mut cluster, "root.queue1"), 0);
}

/// `TestFairScheduler.testQueueMaxAMShareDefault`
#[test]
fn the_default_am_share_follows_the_fair_share_and_what_is_free() {
    let names = ["queue3", "queue4", "queue5"];
    let text = queue("queue1", "")
        + &queue("queue2", "<maxAMShare>0.4</maxAMShare>")
        + &queue("queue3", "<maxResources>10240 mb, 4 vcores</maxResources>")
        + &queue("queue4", "")
        + &queue("queue5", "")
        + "<queueMaxAMShareDefault>0.5</queueMaxAMShareDefault>";
    let six = [("yarn.scheduler.maximum-allocation-vcores", "6")];
    let mut cluster = Cluster::with(&six, &text, &[("/r", r(8192, 10))]);
    for name in names {
        cluster.request(r(1024, 1), name, "user1", 1);
        cluster.hb(1);
    }
    let mut am = |size: Resource, queue: &str| {
        let app = cluster.request_am(size, queue);
        cluster.hb(1);
        (cluster.share("root.queue1"), cluster.share("root.queue2"), cluster.used(&app))
    };
    // Half of 2048 is room for one of 1024; two fifths of 1639 are not.
    assert_eq!(am(r(1024, 1), "queue1"), (2048, 0, r(1024, 1)));
    assert_eq!(am(r(1024, 1), "queue2"), (1639, 1639, r(0, 0)));
    // All the vcores that are free, then more than the queue may have.
    assert_eq!(am(r(1024, 6), "queue3").2, r(0, 0));
    assert_eq!(am(r(1024, 5), "queue3").2, r(0, 0));
}

/// Where the fair share is zero, the limit comes from what is free and from the maximum.
///
/// `TestFairScheduler.testRequestAMResourceInZeroFairShareQueue`
#[test]
fn ams_run_in_queues_whose_fair_share_is_zero() {
    let text = DRF.to_owned()
        + &queue(
            "queue1",
            "<weight>0</weight><maxAMShare>0.5</maxAMShare><maxResources>4096 mb, 10 vcores</maxResources>",
        )
        + &queue("queue2", "<weight>2</weight>")
        + &queue("queue3", "<weight>0.000001</weight>");
    let mut cluster = Cluster::new(&text, &[("/r", r(8192, 20))]);
    cluster.request(r(2048, 1), "queue2", "user1", 1);
    cluster.hb(1);
    let [large, fitting, tiny] = [(3072, "queue1"), (2048, "queue1"), (1024, "queue3")].map(|(size, queue)| {
        let app = cluster.request_am(r(size, 1), queue);
        cluster.hb(1);
        app
    });
    assert_eq!([cluster.share("root.queue1"), cluster.share("root.queue3")], [0, 0]);
    assert_eq!([&large, &fitting, &tiny].map(|app| cluster.used(app)), [r(0, 0), r(2048, 1), r(1024, 1)]);
}

/// Whether an AM starts in a queue beside one of 1024 MB and 1 vcore in queue1, on 20480 MB and 20 vcores.
fn starts_beside_one(queue_name: &str, size: Resource) -> bool {
    let text = DRF.to_owned()
        + "<queueMaxAMShareDefault>0.5</queueMaxAMShareDefault>"
        + &queue("queue1", "<weight>0</weight><maxResources>4096 mb, 4 vcores</maxResources>")
        + &queue("queue2", "<weight>0</weight>")
        + &queue("queue3", "<weight>1</weight>");
    let properties = [
        ("yarn.scheduler.increment-allocation-mb", "512"),
        ("yarn.scheduler.maximum-allocation-mb", "20480"),
        ("yarn.scheduler.maximum-allocation-vcores", "20"),
    ];
    let mut cluster = Cluster::with(&properties, &text, &[("/r", r(20_480, 20))]);
    let first = cluster.request_am(r(1024, 1), "queue1");
    cluster.hb(1);
    assert_eq!(cluster.used(&first), r(1024, 1));
    let app = cluster.request_am(size, queue_name);
    cluster.hb(1);
    cluster.used(&app) == size
}

/// With weight 0 half of the maximum, 2048/2, or, without one, half of what is free, 9728/10 of 19456/19; with a weight
/// half of the fair share, 10240/10. Each is met to the step.
///
/// `TestFairScheduler.testComputeMaxAMResource`
#[test]
fn the_am_limit_is_a_part_of_the_fair_share_or_of_what_is_free() {
    // In queue1 1024/1 is taken already.
    for (name, limit) in [("queue1", r(1024, 1)), ("queue2", r(9728, 10)), ("queue3", r(10_240, 10))] {
        assert!(starts_beside_one(name, limit), "{name}");
        assert!(!starts_beside_one(name, limit.plus(&r(512, 0))), "{name}");
        assert!(!starts_beside_one(name, limit.plus(&r(0, 1))), "{name}");
    }
}

/// Whether an AM starts where the limit is half of 4096/4/10 or of the maximum 8192/4/10, the smaller.
fn starts_with_three_types(amounts: [i64; 3]) -> bool {
    let text = queue("queueA", "<maxResources>memory-mb=8192, vcores=4, test1=10</maxResources>")
        + "<queueMaxAMShareDefault>0.5</queueMaxAMShareDefault>";
    let node = Resource::from_slice(&[4096, 10, 25]);
    let mut cluster = Cluster::with(&[("yarn.resource-types", "test1")], &text, &[("/r", node)]);
    let app = cluster.request_am(Resource::from_slice(&amounts), "queueA");
    cluster.hb(1);
    cluster.used(&app) == Resource::from_slice(&amounts)
}

/// The limit is 2048/2/5.
///
/// `TestFSLeafQueue.testCanRunAppAMReturnsTrue`, `TestFSLeafQueue.testCanRunAppAMReturnsFalse`
#[test]
fn the_am_limit_covers_custom_types() {
    assert!(starts_with_three_types([2048, 2, 3]));
    assert!(starts_with_three_types([2048, 2, 5]));
    for beyond in [[2048, 2, 6], [2048, 3, 5], [3072, 2, 5]] {
        assert!(!starts_with_three_types(beyond), "{beyond:?}");
    }
}

/// Reservations for AMs hold nodes, do not count as AM usage, and go when the AM would be beyond the share.
///
/// `TestFairScheduler.testQueueMaxAMShareWithContainerReservation`
#[test]
fn reservations_for_ams_follow_the_am_share() {
    const Q: &str = "root.queue1";
    let all = [("yarn.scheduler.fair.reservable-nodes", "1.0")];
    let text = queue("queue1", "<maxAMShare>0.5</maxAMShare>");
    let nodes = [("/r", r(10_240, 10)), ("/r", r(10_240, 10)), ("/r", r(5120, 5))];
    let mut cluster = Cluster::with(&all, &text, &nodes);
    let am = |cluster: &mut Cluster, memory: i64| cluster.request_am(r(memory, 1), "queue1");
    // How many nodes are reserved after a heartbeat, and the AM usage.
    let hb = |cluster: &mut Cluster, n: usize| (cluster.hb(n).reserved.len(), am_usage(cluster, Q));
    let first = am(&mut cluster, 1024);
    assert_eq!(hb(&mut cluster, 1), (0, 1024));
    let second = am(&mut cluster, 1024);
    assert_eq!(hb(&mut cluster, 2), (0, 2048));
    let third = am(&mut cluster, 10_240);
    assert_eq!([hb(&mut cluster, 1), hb(&mut cluster, 2)], [(1, 2048), (2, 2048)]);
    let fourth = am(&mut cluster, 5120);
    assert_eq!([1, 2, 3].map(|n| hb(&mut cluster, n)), [(2, 2048), (2, 2048), (2, 7168)]);
    cluster.finish(&first);
    assert_eq!(am_usage(&mut cluster, Q), 6144);
    // The third would take AMs to 16384 of 12800: its node is free for the fifth.
    let fifth = am(&mut cluster, 1024);
    assert_eq!(hb(&mut cluster, 1), (1, 7168));
    assert_eq!([&third, &fifth].map(|app| cluster.used(app)), [r(0, 0), r(1024, 1)]);
    cluster.finish(&third);
    let sixth = am(&mut cluster, 10_240);
    assert_eq!(hb(&mut cluster, 1), (0, 7168));
    let seventh = am(&mut cluster, 1024);
    assert_eq!(hb(&mut cluster, 1), (0, 8192));
    assert_eq!(cluster.used(&seventh), r(1024, 1));
    cluster.finish(&fourth);
    assert_eq!(am_usage(&mut cluster, Q), 3072);
    cluster.finish(&fifth);
    assert_eq!(am_usage(&mut cluster, Q), 2048);
    // Now it may have nodes reserved, and nobody else has them then.
    assert_eq!([hb(&mut cluster, 1), hb(&mut cluster, 2)], [(1, 2048), (2, 2048)]);
    let eighth = am(&mut cluster, 1024);
    assert_eq!([hb(&mut cluster, 1), hb(&mut cluster, 2)], [(2, 2048), (2, 2048)]);
    cluster.finish(&second);
    assert_eq!(am_usage(&mut cluster, Q), 1024);
    assert_eq!(hb(&mut cluster, 2), (1, 11_264));
    assert_eq!(hb(&mut cluster, 1), (0, 12_288));
    assert_eq!([&sixth, &eighth].map(|app| cluster.used(app)), [r(10_240, 1), r(1024, 1)]);
}

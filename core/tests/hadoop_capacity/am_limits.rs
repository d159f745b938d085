//! How many applications a queue takes, and how many of them get containers.

use crate::cluster::{Cluster, DRC, Pairs, gb, r};
use evenweave::Refused;
use evenweave::SchedulerApi as _;
use evenweave::refused::Limit;

const QUEUES: Pairs<'static> = &[
    ("root.queues", "a,b"),
    ("root.a.capacity", "10"),
    ("root.b.capacity", "90"),
    ("root.a.minimum-user-limit-percent", "50"),
    ("root.a.user-limit-factor", "5"),
    ("maximum-am-resource-percent", "0.1"),
];

fn gigabytes(of: i64) -> evenweave::Resource {
    r(of * 1024, 100)
}

/// `TestApplicationLimits.testAMResourceLimit`
#[test]
fn the_room_of_a_users_ams_shrinks_when_a_second_user_is_active() {
    let mut cluster = Cluster::new(QUEUES, &[r(80 * 1024, 40)]);
    assert_eq!(cluster.leaf("root.a").am_limit, gb(8));
    for _ in 0..2 {
        cluster.submit_with_am("a", "user_0", gb(2));
    }
    assert_eq!(cluster.counts("root.a"), (2, 0));
    let first = cluster.submit_with_am("a", "user_1", gb(2));
    assert_eq!(cluster.counts("root.a"), (3, 0));
    cluster.submit_with_am("a", "user_1", gb(2));
    assert_eq!(cluster.counts("root.a"), (3, 1), "2 GB a user");
    cluster.finish(&first);
    assert_eq!(cluster.counts("root.a"), (3, 0));
}

/// `TestApplicationLimits.testLimitsComputation`
#[test]
fn limits_of_applications_and_ams_follow_the_cluster_and_the_settings() {
    let mut cluster = Cluster::new(QUEUES, &[gigabytes(160); 10]);
    let leaf = cluster.leaf("root.a");
    assert_eq!(leaf.am_limit, gb(160));
    assert_eq!((leaf.max_applications, leaf.max_applications_per_user), (1000, 1000));
    cluster.add_node(gigabytes(320));
    assert_eq!(cluster.leaf("root.a").am_limit, gb(192));
    cluster.refresh(QUEUES, &[("root.a.maximum-am-resource-percent", "0.5")]).unwrap();
    assert_eq!(cluster.leaf("root.a").am_limit, gb(960), "half of what it may use");
    cluster.refresh(QUEUES, &[("root.a.maximum-applications", "9999")]).unwrap();
    let leaf = cluster.leaf("root.a");
    assert_eq!((leaf.max_applications, leaf.max_applications_per_user), (9999, 9999));
    cluster.refresh(QUEUES, &[("root.a.maximum-applications", "9999"), ("root.a.user-limit-factor", "1")]).unwrap();
    assert_eq!(cluster.leaf("root.a").max_applications_per_user, 4999);
}

/// An application of `a`, and a report that gives it its AM if it is active, so that it asks for nothing more.
fn with_its_am(cluster: &mut Cluster, user: &str, am: evenweave::Resource) -> evenweave::AppHandle {
    let app = cluster.submit_with_am("a", user, am);
    cluster.hb(1);
    app
}

/// `TestApplicationLimits.testActiveApplicationLimits`
#[test]
fn ams_wait_for_their_users_limit_and_for_the_queues() {
    let mut cluster = Cluster::new(QUEUES, &[gigabytes(160)]);
    let a = "root.a";
    assert_eq!(cluster.leaf(a).am_limit, gb(16));
    let zero = with_its_am(&mut cluster, "user_0", gb(4));
    with_its_am(&mut cluster, "user_0", gb(4));
    assert_eq!(cluster.counts(a), (2, 0));
    with_its_am(&mut cluster, "user_0", gb(4));
    assert_eq!(cluster.counts(a), (2, 1), "12 GB of 8");
    cluster.finish(&zero);
    assert_eq!(cluster.counts(a), (2, 0));
    with_its_am(&mut cluster, "user_0", gb(4));
    assert_eq!(cluster.counts(a), (2, 1));
    let of_one = with_its_am(&mut cluster, "user_1", gb(8));
    assert_eq!(cluster.counts(a), (3, 1));
    let of_two = with_its_am(&mut cluster, "user_2", gb(8));
    assert_eq!(cluster.counts(a), (3, 2), "the queue has 16 GB of 16");
    cluster.finish(&of_one);
    assert_eq!(cluster.counts(a), (3, 1));
    assert_eq!(cluster.app(&of_two).state, "active");
}

/// `TestApplicationLimits.testActiveLimitsWithKilledApps`
#[test]
fn an_end_makes_room_whether_the_application_was_active_or_waited() {
    let mut cluster = Cluster::new(QUEUES, &[gigabytes(160)]);
    let apps: Vec<_> = (0..4).map(|_| cluster.submit_with_am("a", "user_0", gb(4))).collect();
    assert_eq!(cluster.counts("root.a"), (2, 2));
    cluster.stepped.finish(&apps[2]).unwrap();
    assert_eq!(cluster.counts("root.a"), (2, 1));
    cluster.finish(&apps[0]);
    assert_eq!(cluster.counts("root.a"), (2, 0));
    assert_eq!(cluster.app(&apps[3]).state, "active");
    cluster.finish(&apps[1]);
    assert_eq!(cluster.counts("root.a"), (1, 0));
    cluster.finish(&apps[3]);
    assert_eq!(cluster.counts("root.a"), (0, 0));
}

/// `TestApplicationLimits.testApplicationLimitSubmit`
#[test]
fn submissions_beyond_the_limits_of_queue_user_and_system_are_refused() {
    let queues: Pairs<'_> = &[
        ("root.queues", "a,b,c,d"),
        ("root.a.capacity", "50"),
        ("root.a.queues", "a1,a2"),
        ("root.a.a1.capacity", "50"),
        ("root.a.a1.maximum-applications", "1"),
        ("root.a.a2.capacity", "50"),
        ("root.b.capacity", "50"),
        ("root.c.capacity", "0"),
        ("root.d.capacity", "0"),
        ("root.d.user-limit-factor", "0.1"),
        ("root.d.maximum-applications", "2"),
        ("maximum-applications", "4"),
        ("global-queue-max-application", "20"),
    ];
    let mut cluster = Cluster::new(queues, &[gigabytes(16)]);
    cluster.submit("c", "user");
    cluster.submit("a1", "user");
    let full = Refused::Limit(Limit::QueueFull { queue: "root.a.a1".to_owned(), applications: 1 });
    assert_eq!(cluster.try_submit("a1", "user").unwrap_err(), full);
    let user_full =
        Refused::Limit(Limit::UserFull { queue: "root.d".to_owned(), applications: 0, user: "user".to_owned() });
    assert_eq!(cluster.try_submit("d", "user").unwrap_err(), user_full);
    cluster.submit("a2", "user");
    cluster.submit("a2", "user");
    assert!(matches!(cluster.try_submit("a2", "user").unwrap_err(), Refused::Limit(Limit::TooManyApps(_))));
}

/// `TestApplicationLimits.testAMResourceLimitWithDRCAndFullParent`
#[test]
fn a_queue_beside_full_siblings_has_the_am_room_of_its_guarantee() {
    let queues: Pairs<'_> = &[
        DRC,
        ("root.queues", "a,b"),
        ("root.a.capacity", "30"),
        ("root.b.capacity", "70"),
        ("root.a.maximum-am-resource-percent", "0.3"),
        ("user-limit-factor", "100"),
        ("yarn.scheduler.maximum-allocation-mb", "102400"),
        ("yarn.scheduler.maximum-allocation-vcores", "1000"),
    ];
    let mut cluster = Cluster::new(queues, &[r(100 * 1024, 1000)]);
    cluster.asking("b", "user", r(99 * 1024, 505), 1);
    cluster.hb(1);
    cluster.asking("a", "user", gb(1), 1);
    assert_eq!(cluster.hb(1), [(2, 1024)], "a pass comes to a");
    cluster.submit("a", "user");
    let leaf = cluster.leaf("root.a");
    assert_eq!(leaf.current_limit, r(1024, 495));
    assert!(leaf.am_limit.memory_mb() >= 9 * 1024 && leaf.am_limit.vcores() >= 90, "{}", leaf.am_limit);
}

/// The sizes are those of the first test: three AMs of 1 GB, and room for two.
///
/// `TestLeafQueue.testActivateApplicationAfterQueueRefresh`
#[test]
fn a_refresh_of_the_am_share_activates_who_waited() {
    let e: Pairs<'_> = &[
        ("root.newroot.e.maximum-am-resource-percent", "0.1"),
        ("root.newroot.e.user-limit-factor", "10"),
        ("root.newroot.e.minimum-user-limit-percent", "100"),
    ];
    let twice: Pairs<'_> =
        &[("root.newroot.e.maximum-am-resource-percent", "0.2"), ("root.newroot.e.user-limit-factor", "10")];
    let mut cluster = crate::user_limits::leaves(e, &[gigabytes(1600)]);
    assert_eq!(cluster.leaf("root.newroot.e").am_limit, gb(2));
    for _ in 0..3 {
        cluster.submit_with_am("e", "user_e", gb(1));
    }
    assert_eq!(cluster.counts("root.newroot.e"), (2, 1));
    cluster.refresh(crate::user_limits::LEAVES, twice).unwrap();
    assert_eq!(cluster.counts("root.newroot.e"), (3, 0));
}

/// `TestLeafQueue.testActivateApplicationByUpdatingClusterResource`
#[test]
fn a_larger_cluster_activates_who_waited() {
    let e: Pairs<'_> =
        &[("root.newroot.e.maximum-am-resource-percent", "0.1"), ("root.newroot.e.user-limit-factor", "10")];
    let mut cluster = crate::user_limits::leaves(e, &[gigabytes(1600)]);
    for _ in 0..3 {
        cluster.submit_with_am("e", "user_e", gb(1));
    }
    assert_eq!(cluster.counts("root.newroot.e"), (2, 1));
    cluster.add_node(gigabytes(1600));
    assert_eq!(cluster.counts("root.newroot.e"), (3, 0));
}

/// `TestLeafQueue.testMaxAMResourcePerQueuePercentAfterQueueRefresh`
#[test]
fn the_am_limit_is_the_share_of_what_the_queue_may_use() {
    let b = |share| [("root.newroot.b.maximum-am-resource-percent", share)];
    let mut cluster = crate::user_limits::leaves(&b("0.1"), &[gigabytes(1600)]);
    assert_eq!(cluster.leaf("root.newroot.b").am_limit, r(162_816, 1));
    cluster.refresh(crate::user_limits::LEAVES, &b("0.2")).unwrap();
    assert_eq!(cluster.leaf("root.newroot.b").am_limit, r(324_608, 1), "324,403 MB, rounded up");
}

const ONE: Pairs<'static> =
    &[("root.queues", "default"), ("root.default.capacity", "100"), ("maximum-am-resource-percent", "0.1")];

/// `TestCapacityScheduler.testAMUsedResource`
#[test]
fn an_am_counts_as_the_least_container_at_least() {
    let mut cluster = Cluster::new(ONE, &[gigabytes(10)]);
    cluster.submit_with_am("default", "user", r(50, 1));
    let leaf = cluster.leaf("root.default");
    assert_eq!((leaf.am_used, leaf.users[0].am_used), (gb(1), gb(1)));
}

/// `TestCapacityScheduler.testAMLimitUsage`
#[test]
fn a_first_am_is_active_beyond_the_limit_and_a_second_is_not() {
    for calculator in [&[][..], &[DRC]] {
        let mut cluster = Cluster::new(&[ONE, calculator].concat(), &[gigabytes(10)]);
        let limit = cluster.leaf("root.default").am_limit.memory_mb() / 1024;
        let [first, second] = [1, 2].map(|more| cluster.submit_with_am("default", "user", gb(limit + more)));
        assert_eq!([first, second].map(|app| cluster.app(&app).state), ["active", "pending"]);
    }
}

/// `TestCapacityScheduler.testAMLimitDouble`
#[test]
fn the_am_limit_has_every_resource() {
    let more: Pairs<'_> = &[DRC, ("yarn.scheduler.minimum-allocation-mb", "512")];
    let mut cluster = Cluster::new(&[ONE, more].concat(), &[r(10_240, 10); 4]);
    assert_eq!(cluster.leaf("root.default").am_limit, r(4096, 4));
}

//! What an AM is told that it can still get.

use crate::cluster::{Cluster, DRC, Pairs, any, gb, r};
use crate::user_limits::{LEAVES, leaves};
use evenweave::SchedulerApi as _;

const B: Pairs<'static> = &[("root.newroot.b.maximum-capacity", "100")];

/// 80 percent of 16 GB are 13 GB when rounded up.
///
/// `TestLeafQueue.testComputeUserLimitAndSetHeadroom`
#[test]
fn headroom_is_what_is_left_of_the_users_limit_and_of_the_queue() {
    let mut cluster = leaves(B, &[r(8192, 16); 2]);
    let zero = cluster.asking("b", "user_0", gb(4), 1);
    cluster.hb(1);
    assert_eq!(cluster.headroom(&zero), 9 * 1024, "of the limit");
    let two = cluster.asking("b", "user_1", gb(4), 1);
    cluster.hb(2);
    assert_eq!([&zero, &two].map(|app| cluster.headroom(app)), [8 * 1024; 2], "of the queue");
}

/// `TestLeafQueue.testComputeUserLimitAndSetHeadroom`
#[test]
fn two_users_have_the_headroom_of_half_the_queue() {
    let more = [B, &[("root.newroot.b.minimum-user-limit-percent", "50")]].concat();
    let mut cluster = leaves(&more, &[r(8192, 16); 2]);
    let apps = ["user_0", "user_1"].map(|user| cluster.asking("b", user, gb(2), 1));
    cluster.hb(1);
    cluster.hb(2);
    assert_eq!(apps.each_ref().map(|app| cluster.headroom(app)), [5 * 1024; 2]);
}

/// `TestLeafQueue.testHeadroomWithMaxCap`
#[test]
fn a_queue_beyond_its_maximum_leaves_no_headroom() {
    let half: Pairs<'_> =
        &[("root.newroot.a.minimum-user-limit-percent", "50"), ("root.newroot.a.user-limit-factor", "2")];
    let mut cluster = leaves(half, &[r(8192, 16); 2]);
    let zero = cluster.asking("a", "user_0", gb(2), 1);
    let one = cluster.asking("a", "user_0", gb(1), 2);
    assert_eq!(cluster.leaf("root.newroot.a").active_users, 1);
    assert_eq!(cluster.hb(1), [(1, 2048)]);
    // The second application has been reached by no pass before this one.
    cluster.resize(2, r(8192, 16));
    assert_eq!([&zero, &one].map(|app| cluster.headroom(app)), [1024; 2], "of all his applications");
    assert_eq!(cluster.hb(1), [(2, 1024)]);
    assert_eq!([&zero, &one].map(|app| cluster.headroom(app)), [0; 2]);
    cluster.refresh(LEAVES, &[half, &[("root.newroot.a.maximum-capacity", "10")]].concat()).unwrap();
    let two = cluster.asking("a", "user_1", gb(1), 1);
    assert_eq!(cluster.leaf("root.newroot.a").active_users, 2);
    assert_eq!(cluster.hb(1), []);
    assert_eq!([&zero, &one, &two].map(|app| cluster.headroom(app)), [0; 3]);
    cluster.ask(&one, &[any(1, gb(1), 0)]);
    assert_eq!(cluster.leaf("root.newroot.a").active_users, 1);
    assert_eq!(cluster.hb(1), []);
    assert_eq!(cluster.headroom(&two), 0);
}

/// `TestLeafQueue.testUserHeadroomMultiApp`
#[test]
fn applications_of_a_user_share_his_headroom() {
    let mut cluster = leaves(&[], &[r(16_384, 16); 2]);
    let zero = cluster.asking("a", "user_0", gb(1), 1);
    let one = cluster.submit("a", "user_0");
    let two = cluster.submit("a", "user_1");
    let seen = |cluster: &mut Cluster| [&zero, &one, &two].map(|app| cluster.headroom(app) / 1024);
    cluster.hb(1);
    // What every application may have is worked out anew when the cluster changes.
    cluster.resize(2, r(16_384, 16));
    assert_eq!(seen(&mut cluster), [2, 2, 3]);
    cluster.ask(&one, &[any(1, gb(1), 1)]);
    cluster.hb(1);
    assert_eq!(seen(&mut cluster), [1, 1, 3]);
    let containers = cluster.granted(&zero);
    cluster.release(&zero, &containers);
    assert_eq!(seen(&mut cluster), [2, 2, 3]);
}

/// `TestLeafQueue.testHeadroomCheckWithDRF`
#[test]
fn a_container_that_does_not_fit_below_the_maximum_is_refused() {
    let more: Pairs<'_> =
        &[DRC, ("yarn.scheduler.maximum-allocation-mb", "102400"), ("root.newroot.b.user-limit-factor", "10")];
    let mut cluster = leaves(more, &[r(102_400, 100)]);
    let app = cluster.asking("b", "user_0", r(90 * 1024, 10), 1);
    assert_eq!(cluster.hb(1), [(1, 90 * 1024)]);
    cluster.ask(&app, &[any(1, r(10 * 1024, 10), 1)]);
    assert_eq!(cluster.hb(1), [], "100 GB of 99");
    assert_eq!(cluster.reserved(), []);
}

const ONE: Pairs<'static> = &[("root.queues", "a"), ("root.a.capacity", "100")];

/// `TestCapacityScheduler.testApplicationHeadRoom`
#[test]
fn without_nodes_there_is_no_headroom() {
    let mut cluster = Cluster::new(ONE, &[]);
    let app = cluster.submit("a", "user");
    assert_eq!(cluster.headroom(&app), 0);
    cluster.add_node(r(4096, 1));
    cluster.ask(&app, &[any(1, gb(1), 0)]);
    let seen = cluster.call(&app, &evenweave::AllocateRequest::default()).unwrap().headroom;
    assert_eq!((seen, cluster.stepped.headroom(&app).unwrap()), (r(4096, 1), r(4096, 1)));
}

/// `TestCapacityScheduler.testHeadRoomCalculationWithDRC`
#[test]
fn with_several_resources_each_has_its_headroom() {
    let more = [ONE, &[DRC, ("root.a.user-limit-factor", "0.8")]].concat();
    let mut cluster = Cluster::new(&more, &[r(10_240, 10); 2]);
    let [one, two] = ["u1", "u2"].map(|user| cluster.submit("a", user));
    cluster.ask(&one, &[any(1, r(10_240, 1), 1)]);
    cluster.hb(1);
    cluster.ask(&two, &[any(1, r(1024, 1), 1)]);
    cluster.hb(2);
    let seen = [&one, &two].map(|app| cluster.call(app, &evenweave::AllocateRequest::default()).unwrap().headroom);
    assert_eq!(seen, [r(6144, 15), r(9216, 15)]);
}

const S: Pairs<'static> = &[
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

/// b1's headroom follows its guarantee of 70.8 GB first, then what b2 and a1 leave.
///
/// `TestCapacityScheduler.testHierarchyQueuesCurrentLimits`
#[test]
fn what_siblings_use_lowers_the_headroom() {
    let mut cluster = Cluster::new(S, &[r(100 * 1024, 100)]);
    let take = |cluster: &mut Cluster, app: &evenweave::AppHandle, count| {
        cluster.ask(app, &[any(1, gb(1), count)]);
        cluster.hbs(1, count as usize);
    };
    let b1 = cluster.submit("b1", "user");
    take(&mut cluster, &b1, 2);
    assert_eq!(cluster.headroom(&b1), 69 * 1024);
    let b2 = cluster.submit("b2", "user");
    take(&mut cluster, &b2, 41);
    take(&mut cluster, &b1, 1);
    assert_eq!(cluster.headroom(&b1), 56 * 1024);
    let a1 = cluster.submit("a1", "user");
    take(&mut cluster, &a1, 25);
    take(&mut cluster, &b1, 1);
    assert_eq!(cluster.headroom(&b1), 30 * 1024);
}

/// `TestApplicationLimits.testHeadroom`
#[test]
fn the_headroom_of_users_follows_the_cluster() {
    let queues: Pairs<'_> = &[
        ("root.queues", "a,b"),
        ("root.a.capacity", "10"),
        ("root.b.capacity", "90"),
        ("root.a.minimum-user-limit-percent", "50"),
        ("root.a.user-limit-factor", "5"),
    ];
    let mut cluster = Cluster::new(queues, &[r(160 * 1024, 100); 10]);
    let far = |cluster: &Cluster| cluster.at(1, gb(1), &[("elsewhere", 100), ("/elsewhere", 100), ("*", 100)]);
    let zero = cluster.submit("a", "user_0");
    let asks = far(&cluster);
    cluster.ask(&zero, &asks);
    cluster.hb(1);
    assert_eq!(cluster.headroom(&zero), 80 * 1024);
    let one = cluster.submit("a", "user_1");
    cluster.ask(&one, &asks);
    cluster.resize(10, r(160 * 1024, 100));
    assert_eq!([&zero, &one].map(|app| cluster.headroom(app)), [80 * 1024; 2]);
    cluster.stepped.remove_node(&cluster.nodes[9].clone()).unwrap();
    assert_eq!([&zero, &one].map(|app| cluster.headroom(app)), [72 * 1024; 2]);
}

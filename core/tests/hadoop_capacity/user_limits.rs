//! What one user of a leaf queue may have.

use crate::cluster::{Cluster, DRC, Pairs, any, gb, r};

/// The tree of Hadoop's `TestLeafQueue`, with `a` allowed the whole cluster.
pub(crate) const LEAVES: Pairs<'static> = &[
    ("root.queues", "newroot"),
    ("root.newroot.capacity", "100"),
    ("root.newroot.queues", "a,b,c,d,e"),
    ("root.newroot.a.capacity", "8.5"),
    ("root.newroot.a.maximum-capacity", "100"),
    ("root.newroot.b.capacity", "80"),
    ("root.newroot.b.maximum-capacity", "99"),
    ("root.newroot.c.capacity", "1.5"),
    ("root.newroot.c.maximum-capacity", "10"),
    ("root.newroot.c.queues", "c1"),
    ("root.newroot.c.c1.capacity", "100"),
    ("root.newroot.d.capacity", "9"),
    ("root.newroot.d.maximum-capacity", "11"),
    ("root.newroot.e.capacity", "1"),
    ("root.newroot.e.maximum-capacity", "1"),
    ("reservations-continue-look-all-nodes", "false"),
];

const A: &str = "root.newroot.a";
const MULP: &str = "root.newroot.a.minimum-user-limit-percent";
const ULF: &str = "root.newroot.a.user-limit-factor";
const MAX: &str = "root.newroot.a.maximum-capacity";

pub(crate) fn leaves(more: Pairs<'_>, nodes: &[evenweave::Resource]) -> Cluster {
    Cluster::new(&[LEAVES, more].concat(), nodes)
}

/// The figure counts before the container, so he may be one container beyond it; the factor and the queue's maximum
/// lift and lower it.
///
/// `TestLeafQueue.testSingleQueueWithOneUser`
#[test]
fn one_user_stops_one_container_beyond_his_limit() {
    let mut cluster = leaves(&[], &[r(8192, 16)]);
    let [first, second] = [3, 2].map(|count| cluster.asking("a", "user_0", gb(1), count));
    cluster.hb(1);
    assert_eq!(cluster.live([&first, &second]), [1, 0]);
    cluster.hb(1);
    assert_eq!(cluster.live([&first, &second]), [2, 0]);
    assert_eq!(cluster.hb(1), []);
    cluster.refresh(LEAVES, &[(ULF, "10")]).unwrap();
    cluster.hb(1);
    assert_eq!(cluster.live([&first, &second]), [3, 0]);
    cluster.hb(1);
    assert_eq!(cluster.live([&first, &second]), [3, 1]);
    cluster.refresh(LEAVES, &[(ULF, "10"), (MAX, "50")]).unwrap();
    assert_eq!(cluster.hb(1), []);
    assert_eq!(cluster.used_by([A]), [4096]);
    let containers = cluster.granted(&first);
    cluster.release(&first, &containers);
    assert_eq!(cluster.used_by([A]), [1024]);
    let containers = cluster.granted(&second);
    cluster.release(&second, &containers);
    assert_eq!(cluster.used_by([A]), [0]);
}

/// `TestLeafQueue.testSingleQueueWithMultipleUsers`
#[test]
fn of_several_users_those_below_their_limit_are_served() {
    let mut cluster = leaves(&[], &[r(8192, 16)]);
    let [zero, one] = [10, 10].map(|count| cluster.asking("a", "user_0", gb(1), count));
    cluster.hbs(1, 2);
    assert_eq!(cluster.live([&zero, &one]), [2, 0]);
    cluster.refresh(LEAVES, &[(MULP, "25")]).unwrap();
    assert_eq!(cluster.hb(1), [], "he is at his limit");
    let two = cluster.asking("a", "user_1", gb(3), 1);
    let three = cluster.asking("a", "user_2", gb(1), 2);
    let four = [&zero, &one, &two, &three];
    cluster.refresh(LEAVES, &[(MULP, "25"), (ULF, "10")]).unwrap();
    cluster.hb(1);
    assert_eq!(cluster.live(four), [2, 0, 3, 0], "user_0 is above his limit");
    cluster.hb(1);
    assert_eq!(cluster.live(four), [3, 0, 3, 0], "and now at it");
    cluster.refresh(LEAVES, &[(MULP, "25"), (ULF, "10"), (MAX, "50")]).unwrap();
    assert_eq!(cluster.hb(1), []);
    assert_eq!(cluster.used_by([A]), [6144]);
    cluster.refresh(LEAVES, &[(MULP, "25"), (ULF, "1")]).unwrap();
    cluster.hb(1);
    assert_eq!(cluster.live(four), [3, 0, 3, 1]);
    cluster.hb(1);
    assert_eq!(cluster.live(four), [3, 0, 3, 2]);
    let mut left = Vec::new();
    for app in [&zero, &two, &three] {
        let containers = cluster.granted(app);
        cluster.release(app, &containers);
        left.push(cluster.used_by([A])[0]);
    }
    assert_eq!(left, [5120, 2048, 0]);
}

/// `TestLeafQueue.testUserLimits`
#[test]
fn with_half_as_the_least_two_users_take_turns() {
    let mut cluster = leaves(&[(MULP, "50"), (ULF, "2")], &[r(8192, 16); 2]);
    let zero = cluster.asking("a", "user_0", gb(3), 2);
    let one = cluster.asking("a", "user_1", gb(1), 2);
    assert_eq!(cluster.leaf(A).active_users, 2);
    cluster.hb(1);
    assert_eq!(cluster.live([&zero, &one]), [3, 0]);
    cluster.hb(1);
    assert_eq!(cluster.live([&zero, &one]), [3, 1], "user_0 has 3 GB of 2");
    cluster.hb(2);
    assert_eq!(cluster.live([&zero, &one]), [6, 1], "the limit is 2.5 GB, rounded up to 3");
    assert_eq!((cluster.used_by([A]), cluster.leaf(A).active_users), ([7168], 1));
}

/// A tenth of a percent more, and the limit is rounded up to what user_0 has.
///
/// `TestLeafQueue.testDecimalUserLimits`
#[test]
fn the_least_of_a_user_may_be_a_broken_percentage() {
    let mut cluster = leaves(&[(MULP, "50.1"), (ULF, "2")], &[r(8192, 16); 2]);
    let zero = cluster.asking("a", "user_0", gb(3), 2);
    let one = cluster.asking("a", "user_1", gb(1), 2);
    let mut seen = Vec::new();
    for n in [1, 1, 2] {
        cluster.hb(n);
        seen.push(cluster.live([&zero, &one]));
    }
    assert_eq!(seen, [[3, 0], [6, 0], [6, 1]]);
    assert_eq!(cluster.used_by([A]), [7168]);
}

/// `TestLeafQueue.testDisabledUserLimitFactor`
#[test]
fn a_factor_of_minus_one_is_none() {
    let mut cluster = leaves(&[(MULP, "50"), (ULF, "1")], &[r(8192, 16); 2]);
    let zero = cluster.asking("a", "user_0", gb(3), 2);
    let one = cluster.asking("a", "user_1", gb(1), 2);
    cluster.hbs(1, 2);
    assert_eq!(cluster.live([&zero, &one]), [3, 1]);
    cluster.refresh(LEAVES, &[(MULP, "50"), (ULF, "-1")]).unwrap();
    cluster.hb(2);
    assert_eq!(cluster.live([&zero, &one]), [6, 1]);
}

/// `TestLeafQueue.testUserSpecificUserLimits`
#[test]
fn a_users_weight_multiplies_his_limit() {
    let weights: Pairs<'_> = &[
        (MULP, "50"),
        (ULF, "2"),
        ("root.newroot.a.user-settings.user_0.weight", "1.5"),
        ("root.newroot.a.user-settings.firstname.lastname.weight", "0.7"),
    ];
    let mut cluster = leaves(weights, &[r(8192, 16); 2]);
    let zero = cluster.asking("a", "user_0", gb(4), 3);
    let one = cluster.asking("a", "user_1", gb(1), 2);
    let dotted = cluster.submit("a", "firstname.lastname");
    let users = cluster.leaf(A).users;
    let weights: Vec<_> = users.iter().map(|user| (user.user.as_str(), user.weight)).collect();
    assert_eq!(weights, [("firstname.lastname", 0.7), ("user_0", 1.5), ("user_1", 1.0)]);
    cluster.finish(&dotted);
    let mut seen = Vec::new();
    for n in [1, 1, 2] {
        cluster.hb(n);
        seen.push(cluster.live([&zero, &one]));
    }
    assert_eq!(seen, [[4, 0], [8, 0], [8, 1]]);
    assert_eq!([&zero, &one].map(|app| cluster.app(app).pending.memory_mb()), [4096, 1024]);
}

/// `TestLeafQueue.testDRFUsageRatioRounding`
#[test]
fn a_small_queue_of_a_large_cluster_does_not_round_its_user_away() {
    let more: Pairs<'_> = &[
        DRC,
        ("yarn.scheduler.maximum-allocation-mb", "81920"),
        ("yarn.scheduler.maximum-allocation-vcores", "100"),
        ("root.newroot.d.capacity", "9.999"),
        ("root.newroot.e.capacity", "0.001"),
        ("root.newroot.e.maximum-capacity", "100"),
        ("root.newroot.e.minimum-user-limit-percent", "50"),
        ("root.newroot.e.user-limit-factor", "1000000"),
        ("root.newroot.e.maximum-applications", "1"),
    ];
    let mut cluster = leaves(more, &[r(81_920, 100); 1000]);
    let app = cluster.asking("e", "user_0", r(20 * 1024, 29), 1);
    assert_eq!(cluster.hb(1), [(1, 20_480)]);
    cluster.ask(&app, &[any(1, r(10 * 1024, 29), 1)]);
    assert_eq!(cluster.hb(1), [(1, 10_240)]);
}

/// As soon as another begins to ask, what each may have is divided anew.
///
/// `TestLeafQueue.testUserLimitCacheActiveUsersChanged`
#[test]
fn the_limit_of_all_falls_when_another_user_asks() {
    let all: Pairs<'_> = &[
        ("root.queues", "a"),
        ("root.a.capacity", "100"),
        ("root.a.minimum-user-limit-percent", "1"),
        ("root.a.user-limit-factor", "1"),
    ];
    let mut cluster = Cluster::new(all, &[r(6144, 12); 4]);
    let zero = cluster.asking("a", "user_0", gb(1), 10);
    (1..=10).for_each(|n| cluster.hbs(1 + n % 4, 1));
    assert_eq!(cluster.live([&zero]), [10]);
    cluster.ask(&zero, &[any(1, gb(1), 1)]);
    for user in ["user_1", "user_2"] {
        cluster.asking("a", user, gb(1), 1);
    }
    let limits = |cluster: &mut Cluster| -> Vec<i64> {
        cluster.leaf("root.a").users.iter().map(|user| user.limit.unwrap().memory_mb()).collect()
    };
    assert_eq!(limits(&mut cluster), [4096; 3], "11 GB of three");
    cluster.asking("a", "user_3", gb(1), 1);
    assert_eq!(limits(&mut cluster), [3072; 4]);
}

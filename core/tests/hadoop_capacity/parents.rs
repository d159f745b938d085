//! The order of queues below a parent, and what a parent may have.

use crate::cluster::{Cluster, DRC, Pairs, any, gb, near, r};
use evenweave::AppHandle;
use evenweave::config::QueueAccess;

const TWO: Pairs<'static> =
    &[("root.queues", "a,b"), ("root.a.capacity", "30"), ("root.b.capacity", "70"), ("user-limit-factor", "10")];

const USED: [&str; 2] = ["root.a", "root.b"];

/// Each application asks for one container of so many GB; then as many reports. Gives the order in which they were
/// served.
fn serve(cluster: &mut Cluster, n: usize, asks: &[(&AppHandle, i64)]) -> Vec<u32> {
    for (app, size) in asks {
        cluster.ask(app, &[any(1, gb(*size), 1)]);
    }
    asks.iter().flat_map(|_| cluster.hb(n)).map(|(app, _)| app).collect()
}

/// `TestParentQueue.testSingleLevelQueues`
#[test]
fn the_child_that_uses_least_of_its_guarantee_is_first() {
    let mut cluster = Cluster::new(TWO, &[r(10_240, 10); 2]);
    let (a, b) = (cluster.submit("a", "user"), cluster.submit("b", "user"));
    assert_eq!(serve(&mut cluster, 1, &[(&b, 1)]), [2]);
    assert_eq!(serve(&mut cluster, 1, &[(&a, 2), (&b, 1)]), [1, 2]);
    assert_eq!(cluster.used_by(USED), [2048, 2048]);
    assert_eq!(serve(&mut cluster, 1, &[(&a, 1), (&b, 2)]), [2, 1]);
    assert_eq!(cluster.used_by(USED), [3072, 4096]);
    assert_eq!(serve(&mut cluster, 2, &[(&b, 4)]), [2]);
    assert_eq!(cluster.used_by(USED), [3072, 8192]);
    assert_eq!(serve(&mut cluster, 2, &[(&a, 1), (&b, 1)]), [1, 2]);
    assert_eq!(cluster.used_by(USED), [4096, 9216]);
    let (a, b) = (cluster.queue("root.a"), cluster.queue("root.b"));
    assert!(near(a.absolute_used_capacity, 0.2) && near(b.absolute_used_capacity, 0.45));
    assert!((a.used_capacity - 4.0 / 6.0).abs() < 1e-3 && (b.used_capacity - 9.0 / 14.0).abs() < 1e-3);
}

const LEVELS: Pairs<'static> = &[
    ("root.queues", "a,b,c,d"),
    ("root.a.capacity", "10"),
    ("root.a.queues", "a1,a2"),
    ("root.a.a1.capacity", "50"),
    ("root.a.a2.capacity", "50"),
    ("root.b.capacity", "50"),
    ("root.b.queues", "b1,b2,b3"),
    ("root.b.b1.capacity", "10"),
    ("root.b.b2.capacity", "20"),
    ("root.b.b3.capacity", "70"),
    ("root.c.capacity", "19.5"),
    ("root.c.queues", "c1"),
    ("root.c.c1.capacity", "100"),
    ("root.c.c1.queues", "c11"),
    ("root.c.c1.c11.capacity", "100"),
    ("root.c.c1.c11.queues", "c111"),
    ("root.c.c1.c11.c111.capacity", "100"),
    ("root.d.capacity", "20.5"),
    ("user-limit-factor", "10"),
];

/// `TestParentQueue.testMultiLevelQueues`
#[test]
fn every_level_is_ordered_by_its_own_use() {
    let mut cluster = Cluster::new(LEVELS, &[r(10_240, 10); 3]);
    let [a1, a2, b2, b3, c] = ["a1", "a2", "b2", "b3", "c111"].map(|queue| cluster.submit(queue, "user"));
    const USED: [&str; 3] = ["root.a", "root.b", "root.c"];
    serve(&mut cluster, 1, &[(&c, 1)]);
    assert_eq!(cluster.used_by(USED), [0, 0, 1024]);
    serve(&mut cluster, 1, &[(&b2, 4)]);
    assert_eq!(cluster.used_by(USED), [0, 4096, 1024]);
    let order = serve(&mut cluster, 2, &[(&a1, 1), (&b3, 2), (&c, 2)]);
    assert_eq!(order, [a1.number(), c.number(), b3.number()]);
    assert_eq!(cluster.used_by(USED), [1024, 6144, 3072]);
    cluster.refresh(LEVELS, &[("root.a.maximum-capacity", "10")]).unwrap();
    let order = serve(&mut cluster, 3, &[(&a2, 2), (&b3, 2), (&c, 1)]);
    assert_eq!(order, [a2.number(), b3.number(), c.number()]);
    assert_eq!(cluster.used_by(USED), [3072, 8192, 4096]);
    assert_eq!(serve(&mut cluster, 3, &[(&a1, 1)]), [0; 0], "a has all that it may");
}

const MANY: (&str, &str) = ("per-node-heartbeat.multiple-assignments-enabled", "true");

/// A container anywhere ends what a report gives; one for the node itself does not.
///
/// `TestParentQueue.testOffSwitchScheduling`
#[test]
fn a_container_anywhere_ends_the_report() {
    let mut cluster = Cluster::new(&[TWO, &[MANY]].concat(), &[r(16_384, 16)]);
    let (a, b) = (cluster.submit("a", "user"), cluster.submit("b", "user"));
    cluster.ask(&b, &[any(1, gb(1), 2)]);
    cluster.hb(1);
    assert_eq!(cluster.used_by(USED), [0, 1024]);
    let here = cluster.at(1, gb(2), &[("n1", 1), ("/r1", 1), ("*", 1)]);
    cluster.ask(&a, &here);
    cluster.hb(1);
    assert_eq!(cluster.used_by(USED), [2048, 2048]);
    cluster.ask(&a, &[any(1, gb(1), 1)]);
    cluster.ask(&b, &[any(1, gb(2), 1)]);
    cluster.hb(1);
    assert_eq!(cluster.used_by(USED), [2048, 4096]);
}

/// `TestParentQueue.testOffSwitchSchedulingMultiLevelQueues`
#[test]
fn it_ends_the_report_of_a_parent_further_down_too() {
    let mut cluster = Cluster::new(&[LEVELS, &[MANY]].concat(), &[r(10_240, 10); 3]);
    let (b2, b3) = (cluster.submit("b2", "user"), cluster.submit("b3", "user"));
    const USED: [&str; 2] = ["root.b.b2", "root.b.b3"];
    cluster.ask(&b3, &[any(1, gb(1), 2)]);
    cluster.hb(1);
    assert_eq!(cluster.used_by(USED), [0, 1024]);
    let here = cluster.at(1, gb(1), &[("n1", 1), ("/r1", 1), ("*", 1)]);
    cluster.ask(&b2, &here);
    cluster.hb(1);
    assert_eq!(cluster.used_by(USED), [1024, 2048]);
    cluster.ask(&b2, &[any(1, gb(1), 1)]);
    cluster.ask(&b3, &[any(1, gb(1), 1)]);
    cluster.hb(1);
    assert_eq!(cluster.used_by(USED), [1024, 3072]);
}

/// `TestParentQueue.testQueueAcl`
#[test]
fn a_right_in_a_queue_is_one_in_the_queues_below() {
    let lists: Pairs<'_> = &[
        ("root.acl_submit_applications", " "),
        ("root.acl_administer_queue", " "),
        ("root.c.acl_administer_queue", "*"),
        ("root.c.c1.c11.acl_submit_applications", "*"),
    ];
    let mut cluster = Cluster::new(&[LEVELS, lists].concat(), &[]);
    let rights = ["root", "root.c", "root.c.c1", "root.c.c1.c11", "root.c.c1.c11.c111"].map(|queue| {
        [QueueAccess::Administer, QueueAccess::Submit].map(|right| cluster.stepped.has_access("user", queue, right))
    });
    assert_eq!(rights, [[false; 2], [true, false], [true, false], [true; 2], [true; 2]]);
}

/// `TestLeafQueue.testInheritedQueueAcls`
#[test]
fn a_list_of_a_leaf_is_its_own() {
    let lists: Pairs<'_> = &[
        ("root.acl_submit_applications", " "),
        ("root.newroot.a.acl_submit_applications", "*"),
        ("root.newroot.b.acl_submit_applications", "*"),
        ("root.newroot.c.acl_submit_applications", " "),
        ("root.newroot.d.acl_submit_applications", "user_d"),
    ];
    let mut cluster = crate::user_limits::leaves(lists, &[]);
    let submits = |cluster: &mut Cluster, user: &str| {
        ["root", "root.newroot.a", "root.newroot.b", "root.newroot.c", "root.newroot.c.c1", "root.newroot.d"]
            .map(|queue| cluster.stepped.has_access(user, queue, QueueAccess::Submit))
    };
    assert_eq!(submits(&mut cluster, "user"), [false, true, true, false, false, false]);
    assert_eq!(submits(&mut cluster, "user_d"), [false, true, true, false, false, true]);
}

/// `TestCapacityScheduler.testParentQueueMaxCapsAreRespected`
#[test]
fn a_leaf_gets_nothing_beyond_its_parents_maximum() {
    let queues: Pairs<'_> = &[
        ("root.queues", "a,b"),
        ("root.a.capacity", "50"),
        ("root.a.maximum-capacity", "50"),
        ("root.b.capacity", "50"),
        ("root.a.queues", "a1,a2"),
        ("root.a.a1.capacity", "50"),
        ("root.a.a2.capacity", "50"),
        ("user-limit-factor", "100"),
    ];
    let mut cluster = Cluster::new(queues, &[r(24 * 1024, 48)]);
    cluster.asking("a1", "user", gb(1), 9);
    cluster.hbs(1, 9);
    let a2 = cluster.asking("a2", "user", gb(2), 1);
    cluster.hb(1);
    assert_eq!(cluster.used_by(["root.a", "root.a.a1", "root.a.a2"]), [11 * 1024, 9 * 1024, 2048]);
    cluster.ask(&a2, &[any(1, gb(2), 1)]);
    assert_eq!(cluster.hb(1), [], "13 of 12");
    assert_eq!(cluster.reserved(), []);
}

/// What x2 would get, were p1 not full, is kept for it: x1 does not get it.
///
/// `TestCapacityScheduler.testCSReservationWithRootUnblocked`
#[test]
fn a_blocked_leaf_keeps_its_parents_last_room() {
    let queues: Pairs<'_> = &[
        DRC,
        ("root.queues", "p1,p2"),
        ("root.p1.capacity", "50"),
        ("root.p1.maximum-capacity", "50"),
        ("root.p1.queues", "x1,x2"),
        ("root.p1.x1.capacity", "80"),
        ("root.p1.x2.capacity", "20"),
        ("root.p2.capacity", "50"),
        ("root.p2.queues", "y1,y2"),
        ("root.p2.y1.capacity", "80"),
        ("root.p2.y2.capacity", "20"),
        ("user-limit-factor", "100"),
    ];
    let mut cluster = Cluster::new(queues, &[r(8192, 8); 2]);
    let y1 = cluster.asking("y1", "user", gb(1), 4);
    cluster.hbs(1, 4);
    let x1 = cluster.asking("x1", "user", gb(1), 7);
    cluster.hbs(1, 4);
    cluster.hbs(2, 3);
    assert_eq!(cluster.used_by(["root.p1.x1", "root.p2.y1"]), [7168, 4096]);
    let x2 = cluster.asking("x2", "user", gb(2), 1);
    cluster.ask(&x1, &[any(1, gb(1), 1)]);
    assert_eq!(cluster.hb(2), []);
    cluster.ask(&y1, &[any(1, gb(1), 4)]);
    cluster.hbs(2, 4);
    assert_eq!(cluster.used_by(["root.p1", "root.p2"]), [7168, 8192]);
    let containers = cluster.granted(&x1);
    let on_n2: Vec<_> = containers.into_iter().filter(|made| made.node == cluster.nodes[1].id()).take(1).collect();
    cluster.release(&x1, &on_n2);
    assert_eq!(cluster.hb(2), [(x2.number(), 2048)]);
    assert_eq!(cluster.used_by(["root.p1", "root"]), [8192, 16_384]);
}

/// `TestCapacityScheduler.testCSQueueBlocked`
#[test]
fn a_leaf_that_cannot_be_served_blocks_its_sibling() {
    let queues: Pairs<'_> =
        &[("root.queues", "a,b"), ("root.a.capacity", "80"), ("root.b.capacity", "20"), ("user-limit-factor", "100")];
    let mut cluster = Cluster::new(queues, &[r(8192, 8); 2]);
    let a = cluster.asking("a", "user", gb(1), 2);
    cluster.hbs(1, 2);
    let b = cluster.asking("b", "user", gb(1), 13);
    cluster.hbs(1, 6);
    cluster.hbs(2, 7);
    assert_eq!(cluster.used_by(USED), [2048, 13_312]);
    cluster.ask(&a, &[any(1, gb(2), 1)]);
    cluster.ask(&b, &[any(1, gb(1), 1)]);
    assert_eq!((cluster.hb(1), cluster.hb(2)), (vec![], vec![]));
    assert_eq!(cluster.used_by(USED), [2048, 13_312]);
    let containers = cluster.granted(&b);
    let on_n2: Vec<_> = containers.into_iter().filter(|made| made.node == cluster.nodes[1].id()).take(2).collect();
    cluster.release(&b, &on_n2);
    cluster.hbs(1, 1);
    cluster.hbs(2, 2);
    assert_eq!(cluster.used_by(["root.a", "root.b", "root"]), [4096, 12 * 1024, 16_384]);
}

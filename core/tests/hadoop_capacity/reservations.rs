//! Nodes that are held for a container that does not fit yet.

use crate::cluster::{Cluster, Pairs, any, gb, r};
use crate::user_limits::leaves;
use evenweave::AppHandle;
use evenweave::SchedulerApi as _;

const A: &str = "root.newroot.a";

/// `TestLeafQueue.testReservation`
#[test]
fn a_reservation_becomes_a_container_when_the_node_has_room() {
    let mut cluster = leaves(&[], &[r(4096, 16); 2]);
    let zero = cluster.asking("a", "user_0", gb(1), 2);
    cluster.hb(1);
    assert_eq!(cluster.used_by([A]), [1024]);
    cluster.hb(1);
    assert_eq!(cluster.used_by([A]), [2048]);
    let one = cluster.asking("a", "user_1", gb(4), 1);
    cluster.hb(1);
    assert_eq!((cluster.used_by([A]), cluster.app(&one).reserved), ([6144], gb(4)));
    let containers = cluster.granted(&zero);
    cluster.release(&zero, &containers[..1]);
    cluster.hb(1);
    assert_eq!((cluster.used_by([A]), cluster.app(&one).reserved), ([5120], gb(4)), "it stands");
    cluster.release(&zero, &containers[1..]);
    assert_eq!(cluster.hb(1), [(2, 4096)]);
    assert_eq!((cluster.used_by([A]), cluster.app(&one).reserved.is_zero()), ([4096], true));
}

/// Without looking on, a starved reservation lets its application take a container elsewhere after some reports.
///
/// `TestLeafQueue.testReservationExchange`
#[test]
fn a_starved_reservation_is_given_up_for_a_container_elsewhere() {
    let mut cluster = leaves(&[("root.newroot.a.user-limit-factor", "10")], &[r(4096, 16); 3]);
    let zero = cluster.asking("a", "user_0", gb(1), 2);
    cluster.hbs(1, 2);
    let one = cluster.asking("a", "user_1", gb(4), 1);
    cluster.hb(1);
    let containers = cluster.granted(&zero);
    cluster.release(&zero, &containers[..1]);
    assert_eq!(cluster.used_by([A]), [5120]);
    cluster.hb(1);
    assert_eq!(cluster.hb(2), [], "reserved again once: not enough");
    cluster.hb(1);
    assert_eq!(cluster.hb(2), [(2, 4096)], "twice");
    assert_eq!((cluster.used_by([A]), cluster.app(&one).reserved), ([9216], gb(4)), "which still stands");
    cluster.release(&zero, &containers[1..]);
    cluster.hb(1);
    assert_eq!(cluster.used_by([A]), [4096]);
    assert_eq!(cluster.reserved(), []);
}

const ONE: Pairs<'static> = &[
    ("root.queues", "a"),
    ("root.a.capacity", "100"),
    ("root.a.user-limit-factor", "10"),
    ("yarn.scheduler.maximum-allocation-mb", "8192"),
];

/// Nodes of 8 GB, and an application that asks for an AM of 2 GB, two maps of 3 GB and two reduces of 5 GB.
fn map_reduce(more: Pairs<'_>, nodes: usize) -> (Cluster, AppHandle) {
    let mut cluster = Cluster::new(&[ONE, more].concat(), &vec![r(8192, 32); nodes]);
    let app = cluster.submit("a", "user_0");
    cluster.ask(&app, &[any(1, gb(2), 1), any(5, gb(3), 2), any(10, gb(5), 2)]);
    (cluster, app)
}

/// Used by the queue, by containers, by reservations; asked for; headroom: in GB.
fn books(cluster: &mut Cluster, app: &AppHandle) -> [i64; 5] {
    let (used, headroom, view) = (cluster.used_by(["root.a"])[0], cluster.headroom(app), cluster.app(app));
    let of = |resource: evenweave::Resource| resource.memory_mb() / 1024;
    [used / 1024, of(view.used), of(view.reserved), of(view.pending), headroom / 1024]
}

/// `TestReservations.testReservation`
#[test]
fn looking_on_gives_a_reservation_up_for_room_elsewhere() {
    let (mut cluster, app) = map_reduce(&[], 3);
    let mut seen = Vec::new();
    for n in [1, 1, 2, 1, 3, 2] {
        cluster.hb(n);
        seen.push(books(&mut cluster, &app));
    }
    let should_be = [
        [2, 2, 0, 16, 22],
        [5, 5, 0, 13, 19],
        [8, 8, 0, 10, 16],
        [13, 8, 5, 10, 11],
        [18, 13, 5, 5, 6],
        [18, 18, 0, 0, 6],
    ];
    assert_eq!(seen, should_be);
    assert_eq!(cluster.reserved(), []);
}

/// `TestReservations.testReservationNoContinueLook`
#[test]
fn without_looking_on_the_reservation_stays() {
    let (mut cluster, app) = map_reduce(&[("reservations-continue-look-all-nodes", "false")], 3);
    for n in [1, 1, 2, 1, 3] {
        cluster.hb(n);
    }
    assert_eq!(books(&mut cluster, &app)[..4], [18, 13, 5, 5]);
    assert_eq!(cluster.hb(2), []);
    assert_eq!(books(&mut cluster, &app)[..4], [18, 13, 5, 5]);
    assert_eq!(cluster.reserved(), [(1, "n1".to_owned(), 5120)]);
}

/// `TestReservations.testAssignContainersNeedToUnreserve`
#[test]
fn with_little_room_left_a_reservation_is_exchanged() {
    let (mut cluster, app) = map_reduce(&[], 2);
    for n in [1, 1, 2, 1] {
        cluster.hb(n);
    }
    assert_eq!(books(&mut cluster, &app), [13, 8, 5, 10, 3]);
    cluster.hb(2);
    assert_eq!(books(&mut cluster, &app), [13, 13, 0, 5, 3]);
    assert_eq!(cluster.reserved(), []);
}

/// First the queue may have 10 GB alone, then all; what it holds with its reservation counts.
///
/// `TestReservations.testReservationsNoneAvailable`
#[test]
fn nothing_is_reserved_beyond_what_the_queue_may_have() {
    let mut cluster = Cluster::new(ONE, &[r(8192, 32); 3]);
    let app = cluster.submit("a", "user_0");
    cluster.ask(&app, &[any(1, gb(2), 1), any(5, gb(3), 2), any(10, gb(5), 1), any(15, gb(8), 2)]);
    for n in [1, 1, 2] {
        cluster.hb(n);
    }
    cluster.refresh(ONE, &[("root.a.maximum-capacity", "41.67")]).unwrap();
    for n in [1, 3] {
        cluster.hb(n);
        let books = books(&mut cluster, &app);
        assert_eq!((books[..3].to_vec(), books[4]), (vec![8, 8, 0], 2));
    }
    cluster.refresh(ONE, &[]).unwrap();
    let mut seen = Vec::new();
    for n in [3, 1, 3] {
        cluster.hb(n);
        let books = books(&mut cluster, &app);
        seen.push([books[0], books[1], books[2], books[4]]);
    }
    assert_eq!(seen, [[13, 13, 0, 11], [21, 13, 8, 3], [21, 13, 8, 3]]);
    assert_eq!(cluster.reserved(), [(1, "n1".to_owned(), 8192)]);
}

/// `TestReservations.testReservationLimitOtherUsers`
#[test]
fn a_users_reservation_does_not_stop_the_others() {
    let more: Pairs<'_> = &[("root.a.minimum-user-limit-percent", "25"), ("root.a.user-limit-factor", "0.25")];
    let mut cluster = Cluster::new(&[ONE, more].concat(), &[r(8192, 32); 3]);
    let [zero, one] = ["user_0", "user_1"].map(|user| cluster.asking("a", user, gb(2), 1));
    cluster.hb(1);
    cluster.hb(2);
    assert_eq!(cluster.live([&zero, &one]), [2, 2]);
    cluster.ask(&zero, &[any(5, gb(8), 2)]);
    cluster.ask(&one, &[any(5, gb(2), 2)]);
    cluster.hb(1);
    assert_eq!((cluster.used_by(["root.a"]), cluster.app(&zero).reserved), ([12 * 1024], gb(8)));
    cluster.hb(2);
    assert_eq!(cluster.live([&zero, &one]), [2, 4]);
    assert_eq!((cluster.used_by(["root.a"]), cluster.app(&zero).reserved), ([14 * 1024], gb(8)));
}

/// `TestReservations.testContinueLookingReservationsAfterQueueRefresh`
#[test]
fn a_refresh_ends_looking_on() {
    let (mut cluster, app) = map_reduce(&[], 3);
    for n in [1, 1, 2, 1, 3] {
        cluster.hb(n);
    }
    cluster.refresh(ONE, &[("reservations-continue-look-all-nodes", "false")]).unwrap();
    assert_eq!(cluster.hb(2), []);
    cluster.refresh(ONE, &[]).unwrap();
    assert_eq!(cluster.hb(2), [(1, 5120)]);
    assert_eq!(books(&mut cluster, &app)[..3], [18, 18, 0]);
}

/// `TestReservations.testFindNodeToUnreserve`
#[test]
fn the_reservation_goes_with_its_node() {
    let (mut cluster, app) = map_reduce(&[], 3);
    for n in [1, 1, 2, 1] {
        cluster.hb(n);
    }
    assert_eq!(cluster.granted(&app).len(), 3);
    let node = cluster.nodes[0].clone();
    cluster.stepped.remove_node(&node).unwrap();
    assert_eq!(books(&mut cluster, &app)[..3], [3, 3, 0], "the map of the other node is left");
    assert_eq!(cluster.hb(2), [(1, 5120)], "there is none that would have to be given up");
}

/// `TestCapacityScheduler.testReservedContainerLeakWhenMoveApplication`
#[test]
fn a_reservation_that_has_moved_with_its_application_leaves_nothing_behind() {
    let queues: Pairs<'_> =
        &[("root.queues", "a,b"), ("root.a.capacity", "50"), ("root.b.capacity", "50"), ("user-limit-factor", "100")];
    let mut cluster = Cluster::new(queues, &[r(8192, 8); 2]);
    let one = cluster.asking("a", "user", gb(1), 3);
    cluster.hbs(1, 3);
    let two = cluster.submit("a", "user");
    cluster.ask(&two, &[any(1, gb(6), 1)]);
    cluster.hb(1);
    assert_eq!(cluster.reserved(), [(2, "n1".to_owned(), 6144)]);
    cluster.stepped.move_app(&two, "b").unwrap();
    assert_eq!(cluster.used_by(["root.a", "root.b"]), [3072, 6144]);
    cluster.finish(&one);
    cluster.finish(&two);
    assert_eq!(cluster.used_by(["root", "root.a", "root.b"]), [0; 3]);
    assert_eq!(["root.a", "root.b"].map(|name| cluster.queue(name).containers), [0, 0]);
    assert_eq!(cluster.reserved(), []);
}

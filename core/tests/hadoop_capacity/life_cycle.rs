//! Applications that are moved and ranked, and queues that change while they run.

use crate::cluster::{Cluster, Pairs, any, gb, near, r};
use crate::scheduling::S;
use evenweave::Refused;
use evenweave::SchedulerApi as _;
use evenweave::refused::{NoQueue, NotFound};

fn nodes(cluster: &mut Cluster) -> [i64; 2] {
    let totals = [1, 2].map(|n| cluster.stepped.nodes()[n - 1].total.memory_mb());
    [1, 2].map(|n| (totals[n - 1] - cluster.free(n).memory_mb()) / 1024)
}

/// Applications of queues, root, a, a1, a2, b and b1 among them.
fn applications(cluster: &mut Cluster) -> [i64; 6] {
    ["root", "root.a", "root.a.a1", "root.a.a2", "root.b", "root.b.b1"].map(|name| cluster.queue(name).applications)
}

/// `TestCapacitySchedulerApps.testMoveAppBasic`
#[test]
fn a_moved_application_counts_in_its_new_queue_and_above_it() {
    let mut cluster = Cluster::new(S, &[r(16_384, 16)]);
    let app = cluster.submit("a1", "user_0");
    assert_eq!(applications(&mut cluster), [1, 1, 1, 0, 0, 0]);
    cluster.stepped.move_app(&app, "b1").unwrap();
    assert_eq!(cluster.app(&app).queue, "root.b.b1");
    assert_eq!(applications(&mut cluster), [1, 0, 0, 0, 1, 1]);
}

/// `TestCapacitySchedulerApps.testMoveAppSameParent`
#[test]
fn a_move_below_one_parent_leaves_the_parents_count() {
    let mut cluster = Cluster::new(S, &[r(16_384, 16)]);
    let app = cluster.submit("a1", "user_0");
    cluster.stepped.move_app(&app, "a2").unwrap();
    assert_eq!(applications(&mut cluster), [1, 1, 0, 1, 0, 0]);
}

/// `TestCapacitySchedulerApps.testMoveAppForMoveToQueueWithFreeCap`
#[test]
fn what_a_moved_application_asks_for_is_served_from_its_new_queue() {
    let mut cluster = Cluster::new(S, &[]);
    cluster.add_node_in("/rack", r(4096, 1));
    cluster.add_node_in("/rack", r(2048, 1));
    let (zero, one) = (cluster.submit("a1", "user_0"), cluster.submit("b2", "user_1"));
    for app in [&zero, &one] {
        let asks = cluster.at(1, gb(1), &[("n1", 1), ("n2", 1), ("/rack", 1), ("*", 1)]);
        cluster.ask(app, &asks);
    }
    cluster.hbs(1, 2);
    cluster.hb(2);
    assert_eq!((cluster.live([&zero, &one]), nodes(&mut cluster)), ([1, 1], [2, 0]));
    cluster.stepped.move_app(&zero, "b1").unwrap();
    cluster.ask(&one, &[any(0, gb(2), 1)]);
    let asks = cluster.at(0, gb(2), &[("n1", 1), ("n2", 1), ("/rack", 1), ("*", 1)]);
    cluster.ask(&zero, &asks);
    cluster.hb(1);
    cluster.hb(2);
    assert_eq!((cluster.live([&zero, &one]), nodes(&mut cluster)), ([3, 3], [4, 2]));
}

/// `TestCapacitySchedulerApps.testMoveAppSuccess`
#[test]
fn an_application_waits_where_ams_have_no_room_and_runs_where_they_have() {
    let mut cluster = Cluster::new(&[S, &[("root.b.b2.maximum-am-resource-percent", "0")]].concat(), &[r(5120, 1); 2]);
    let (zero, one) = (cluster.submit("a1", "user_0"), cluster.submit("b2", "user_1"));
    cluster.ask(&zero, &[any(1, gb(3), 1)]);
    cluster.ask(&one, &[any(1, gb(1), 1)]);
    cluster.stepped.move_app(&zero, "b2").unwrap();
    cluster.hbs(1, 2);
    cluster.hb(2);
    assert_eq!((cluster.live([&zero, &one]), nodes(&mut cluster)), ([0, 1], [1, 0]));
    assert_eq!(cluster.app(&zero).state, "pending");
    cluster.stepped.move_app(&zero, "a2").unwrap();
    cluster.hb(2);
    assert_eq!((cluster.live([&zero, &one]), nodes(&mut cluster)), ([3, 1], [1, 3]));
}

/// `TestCapacitySchedulerApps.testMoveAppViolateQueueState`
#[test]
fn nothing_moves_into_a_stopped_queue() {
    let mut cluster = Cluster::new(&[S, &[("root.b.state", "STOPPED")]].concat(), &[r(8192, 8)]);
    let app = cluster.submit("a1", "user_0");
    let refused = cluster.stepped.move_app(&app, "b1").unwrap_err();
    assert!(matches!(refused, Refused::NoQueue(NoQueue::Stopped(_))), "{refused}");
    assert_eq!(applications(&mut cluster), [1, 1, 1, 0, 0, 0]);
}

/// `TestCapacitySchedulerApps.testMoveAllAppsInvalidDestination`
#[test]
fn nothing_moves_into_a_queue_that_is_not_there_or_a_parent() {
    let mut cluster = Cluster::new(S, &[r(8192, 8)]);
    let app = cluster.submit("a1", "user_0");
    assert!(matches!(cluster.stepped.move_app(&app, "DOES_NOT_EXIST"), Err(Refused::NotFound(NotFound::Queue(_)))));
    assert!(matches!(cluster.stepped.move_app(&app, "b"), Err(Refused::NoQueue(NoQueue::NotLeaf { .. }))));
    assert_eq!(cluster.app(&app).queue, "root.a.a1");
}

const Q: Pairs<'static> = &[
    ("root.queues", "q1"),
    ("root.q1.capacity", "100"),
    ("root.q1.queues", "q2,q3"),
    ("root.q1.q2.capacity", "50"),
    ("root.q1.q3.capacity", "50"),
];

fn states(cluster: &mut Cluster) -> [String; 3] {
    ["root.q1", "root.q1.q2", "root.q1.q3"].map(|name| cluster.queue(name).state)
}

/// `TestQueueState.testQueueState`
#[test]
fn a_stopped_parent_stops_its_children_and_starts_before_them() {
    let mut cluster = Cluster::new(Q, &[]);
    assert_eq!(states(&mut cluster), ["RUNNING"; 3]);
    let (q1, q2) = ("root.q1.state", "root.q1.q2.state");
    cluster.refresh(Q, &[(q1, "STOPPED")]).unwrap();
    assert_eq!(states(&mut cluster), ["STOPPED"; 3]);
    cluster.refresh(Q, &[(q1, "RUNNING"), (q2, "STOPPED")]).unwrap();
    assert_eq!(states(&mut cluster)[..2], ["RUNNING", "STOPPED"]);
    let refused = cluster.refresh(Q, &[(q1, "STOPPED"), (q2, "RUNNING")]).unwrap_err().to_string();
    assert!(refused.contains("q1") && refused.contains("q2"), "{refused}");
}

/// `TestQueueState.testQueueStateTransit`
#[test]
fn a_queue_with_applications_drains_before_it_stops() {
    let mut cluster = Cluster::new(Q, &[r(8192, 8)]);
    let app = cluster.submit("q2", "testUser");
    let (q1, q2, q3) = ("root.q1.state", "root.q1.q2.state", "root.q1.q3.state");
    cluster.refresh(Q, &[(q2, "STOPPED")]).unwrap();
    assert_eq!(states(&mut cluster), ["RUNNING", "DRAINING", "RUNNING"]);
    cluster.refresh(Q, &[(q1, "STOPPED"), (q2, "STOPPED")]).unwrap();
    assert_eq!(states(&mut cluster), ["DRAINING", "DRAINING", "STOPPED"]);
    cluster.refresh(Q, &[(q1, "STOPPED"), (q2, "STOPPED"), (q3, "RUNNING")]).unwrap_err();
    cluster.finish(&app);
    assert_eq!(states(&mut cluster), ["STOPPED"; 3]);
}

/// `TestApplicationPriority.testApplicationOrderingWithPriority`,
/// `TestApplicationPriority.testApplicationPriorityAllocation`
#[test]
fn the_application_of_the_highest_priority_is_served_first() {
    let one: Pairs<'_> = &[("root.queues", "default"), ("root.default.capacity", "100")];
    let mut cluster = Cluster::new(one, &[r(16_384, 16)]);
    let first = cluster.submission("default", "user", None, 5).unwrap();
    cluster.ask(&first, &[any(1, gb(2), 7)]);
    cluster.hbs(1, 7);
    let containers = cluster.granted(&first);
    let second = cluster.submission("default", "user", None, 8).unwrap();
    cluster.release(&first, &containers[..2]);
    cluster.ask(&first, &[any(1, gb(2), 10)]);
    cluster.ask(&second, &[any(1, gb(2), 2)]);
    cluster.hbs(1, 3);
    assert_eq!(cluster.live([&first, &second]), [12, 4]);
}

/// `TestApplicationPriority.testPriorityWithPendingApplications`
#[test]
fn of_those_who_wait_for_am_room_the_highest_priority_is_active_first() {
    let one: Pairs<'_> =
        &[("root.queues", "default"), ("root.default.capacity", "100"), ("maximum-am-resource-percent", "0.1")];
    let mut cluster = Cluster::new(one, &[r(8192, 8)]);
    let [one, two, three, four] =
        [5, 7, 8, 6].map(|priority| cluster.submission("default", "user", Some(gb(1)), priority).unwrap());
    let states = |cluster: &mut Cluster| [&two, &three, &four].map(|app| cluster.app(app).state);
    assert_eq!(states(&mut cluster), ["pending"; 3]);
    cluster.stepped.finish(&one).unwrap();
    assert_eq!(states(&mut cluster), ["pending", "active", "pending"]);
}

/// `TestApplicationPriority.testMaxPriorityValidation`,
/// `TestApplicationPriority.testUpdateInvalidPriorityAtRuntime`, `TestApplicationPriority.testUpdatePriorityAtRuntime`
#[test]
fn a_priority_is_cut_to_the_clusters_highest() {
    let mut cluster = Cluster::new(S, &[r(8192, 8)]);
    let app = cluster.submission("b1", "user", None, 15).unwrap();
    assert_eq!(cluster.app(&app).priority, 10);
    let app = cluster.submission("b1", "user", None, 5).unwrap();
    cluster.stepped.set_priority(&app, 8).unwrap();
    assert_eq!(cluster.app(&app).priority, 8);
    cluster.stepped.set_priority(&app, 15).unwrap();
    assert_eq!(cluster.app(&app).priority, 10);
}

/// `TestCapacitySchedulerQueues.testRefreshQueues`
#[test]
fn a_refresh_divides_the_cluster_anew() {
    let mut cluster = Cluster::new(S, &[]);
    assert!(near(cluster.queue("root.a.a1").absolute_capacity, 0.105 * 0.3));
    cluster.refresh(S, &[("root.a.capacity", "80"), ("root.b.capacity", "20")]).unwrap();
    for (name, is) in [("root.a", 0.8), ("root.a.a1", 0.24), ("root.b.b1", 0.2 * 0.792), ("root.b.b3", 0.04)] {
        assert!(near(cluster.queue(name).absolute_capacity, is), "{name}");
    }
}

/// `TestCapacitySchedulerQueues.testRefreshQueuesWithNewQueue`
#[test]
fn a_refresh_adds_a_queue_beside_others() {
    let mut cluster = Cluster::new(S, &[]);
    let more: Pairs<'_> = &[
        ("root.a.capacity", "80"),
        ("root.b.capacity", "20"),
        ("root.b.queues", "b1,b2,b3,b4"),
        ("root.b.b3.capacity", "10"),
        ("root.b.b4.capacity", "10"),
    ];
    cluster.refresh(S, more).unwrap();
    for name in ["root.b.b3", "root.b.b4"] {
        assert!(near(cluster.queue(name).absolute_capacity, 0.02), "{name}");
    }
    assert_eq!(cluster.submit("b4", "user").queue(), "root.b.b4");
}

const MB: &str = "root.a.a1.maximum-allocation-mb";
const VCORES: &str = "root.a.a1.maximum-allocation-vcores";

/// `TestCapacitySchedulerQueues.testRefreshQueuesMaxAllocationRefresh`
#[test]
fn a_leafs_largest_container_does_not_get_smaller() {
    let mut cluster = Cluster::new(S, &[]);
    let refused = cluster.refresh(S, &[(MB, "4096")]).unwrap_err().to_string();
    assert!(refused.contains("can not be decreased"), "{refused}");
    cluster.refresh(S, &[(MB, "16384")]).unwrap();
    let refused = cluster.refresh(S, &[(VCORES, "31")]).unwrap_err().to_string();
    assert!(refused.contains("can not be decreased"), "{refused}");
}

/// `TestCapacitySchedulerQueues.testRefreshQueuesMaxAllocationPerQueueLarge`
#[test]
fn a_leafs_largest_container_is_not_above_the_clusters() {
    let mut cluster = Cluster::new(S, &[]);
    for more in [(MB, "18432"), (VCORES, "33")] {
        let refused = cluster.refresh(S, &[more]).unwrap_err().to_string();
        assert!(refused.contains("maximum allocation"), "{refused}");
    }
}

/// `TestCapacitySchedulerQueues.testRefreshQueuesMaxAllocationRefreshLarger`
#[test]
fn a_leafs_largest_container_may_get_larger() {
    let mut cluster = Cluster::new(&[S, &[(MB, "4096"), (VCORES, "2")]].concat(), &[]);
    let largest = |cluster: &mut Cluster, name: &str| {
        let size = cluster.queue(name).maximum_allocation;
        (size.memory_mb(), size.vcores())
    };
    assert_eq!(largest(&mut cluster, "root.a.a1"), (4096, 2));
    cluster.refresh(S, &[(MB, "6144"), (VCORES, "3")]).unwrap();
    assert_eq!(largest(&mut cluster, "root.a.a1"), (6144, 3));
    assert_eq!(largest(&mut cluster, "root.a.a2"), (16_384, 32));
}

/// `TestCapacitySchedulerQueues.testRefreshQueuesWithQueueDelete`
#[test]
fn a_queue_goes_once_it_has_stopped() {
    let mut cluster = Cluster::new(S, &[r(8192, 8)]);
    let app = cluster.submit("b2", "user");
    let stopped = [("root.b.b2.state", "STOPPED")];
    let without: Pairs<'_> = &[("root.b.queues", "b1,b3"), ("root.b.b1.capacity", "80")];
    let refused = cluster.refresh(S, without).unwrap_err().to_string();
    assert!(refused.contains("root.b.b2") && refused.contains("RUNNING"), "{refused}");
    cluster.refresh(S, &stopped).unwrap();
    let refused = cluster.refresh(S, without).unwrap_err().to_string();
    assert!(refused.contains("DRAINING"), "{refused}");
    cluster.finish(&app);
    cluster.refresh(S, without).unwrap();
    assert!(cluster.find("root.b.b2").is_none());
    assert!(matches!(cluster.try_submit("b2", "user"), Err(Refused::NotFound(NotFound::Queue(_)))));
}

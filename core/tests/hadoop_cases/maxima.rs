//! Maxima of queues: of all their containers, of one container, of nothing at all.

use crate::cluster::{Cluster, parent, queue, r};
use evenweave::refused::{Invalid, Limit};
use evenweave::{Ask, Refused, Resource};

/// `TestFairScheduler.testChildMaxResources`
#[test]
fn the_child_maximum_binds_ad_hoc_children_and_follows_the_file() {
    let text = |max: &str| parent("queueA", &format!("<maxChildResources>{max}</maxChildResources>"));
    let mut cluster = Cluster::new(&text("2048mb,2vcores"), &[("/r", r(8192, 8))]);
    let b = cluster.request(r(1024, 1), "queueA.queueB", "user1", 8);
    let c = cluster.request(r(1024, 1), "queueA.queueC", "user1", 8);
    let sizes = [(&b, r(1024, 1)), (&c, r(1024, 1))];
    cluster.hbs(1, 4);
    assert_eq!(cluster.live(&sizes), [2, 2]);
    cluster.hb(1);
    assert_eq!(cluster.live(&sizes), [2, 2]);
    cluster.reload(&text("3072mb,3vcores"));
    cluster.stepped.update_now();
    cluster.hbs(1, 2);
    assert_eq!(cluster.live(&sizes), [3, 3]);
    cluster.reload(&text("1024mb,1vcores"));
    cluster.stepped.update_now();
    cluster.hb(1);
    assert_eq!(cluster.live(&sizes), [3, 3]);
}

/// A queue's own maximum of a container, that of the queue above, or the scheduler's, whichever comes first; the
/// scheduler's cannot be exceeded.
///
/// `TestFairScheduler.testQueueMaximumCapacityAllocations`
#[test]
fn the_largest_container_comes_from_the_nearest_queue_that_has_one() {
    let max = |text: &str| format!("<maxContainerAllocation>{text}</maxContainerAllocation>");
    let text = queue("queueA", &max("512 mb 1 vcores"))
        + &queue("queueB", "")
        + &queue("queueC", &(max("2048 mb 3 vcores") + &queue("queueD", "")))
        + &queue("queueE", &max("10241 mb 4 vcores"));
    let mut cluster = Cluster::new(&text, &[]);
    let mut largest = |queue: &str| {
        let app = cluster.start(queue);
        match cluster.ask_lines(&app, &[Ask::anywhere(1, r(1 << 20, 1), 1)]) {
            Err(Refused::Invalid(Invalid::Resource { largest, .. })) => (largest.memory_mb(), largest.vcores()),
            other => panic!("{other:?}"),
        }
    };
    let found = ["queueA", "queueB", "queueC.queueD", "queueE"].map(&mut largest);
    assert_eq!(found, [(512, 1), (10_240, 4), (2048, 3), (10_240, 4)]);
}

fn queue_a(max: &str) -> String {
    queue("queueA", &format!("<maxResources>{max}</maxResources>"))
}

/// `TestFairScheduler.testAppRejectedToQueueWithZeroCapacityOfVcores`,
/// `TestFairScheduler.testAppRejectedToQueueWithZeroCapacityOfMemory`
#[test]
fn an_am_that_wants_what_the_queue_may_not_have_is_refused() {
    for max in ["10000 mb, 0 vcores", "0 mb, 2 vcores"] {
        let mut cluster = Cluster::new(&queue_a(max), &[("/r", r(8192, 8))]);
        let refused = cluster.submit("queueA", "user1", Some(r(5 * 1024, 3))).unwrap_err();
        assert_eq!(
            refused,
            Refused::Limit(Limit::ZeroMax { asked: Box::new(r(5 * 1024, 3)), queue: "root.queueA".to_owned() })
        );
        assert!(cluster.stepped.apps().is_empty());
    }
}

/// An application without asks in a queue with such a maximum, where containers may be of nothing.
fn in_queue_a(max: &str) -> (Cluster, evenweave::AppHandle) {
    let none = [("yarn.scheduler.minimum-allocation-vcores", "0")];
    let mut cluster = Cluster::with(&none, &queue_a(max), &[("/r", r(8192, 8))]);
    let app = cluster.start("queueA");
    (cluster, app)
}

/// The application stays, and nothing of the ask is kept.
///
/// `TestFairScheduler.testSchedulingRejectedToQueueWithZeroCapacityOfMemory`,
/// `TestFairScheduler.testSchedulingRejectedToQueueWithZeroCapacityOfVcores`
#[test]
fn an_ask_for_what_the_queue_may_not_have_is_refused() {
    for (max, size) in [("0 mb, 2 vcores", r(2048, 2)), ("10000 mb, 0 vcores", r(0, 1))] {
        let (mut cluster, app) = in_queue_a(max);
        let refused = cluster.ask_lines(&app, &[Ask::anywhere(1, size, 1)]).unwrap_err();
        assert_eq!(refused, Refused::Limit(Limit::ZeroMax { asked: Box::new(size), queue: "root.queueA".to_owned() }));
        assert_eq!(cluster.app(&app).unwrap().outstanding, Resource::ZERO);
    }
}

/// `TestFairScheduler.testSchedulingAllowedToQueueWithZeroCapacityOfMemory`,
/// `TestFairScheduler.testSchedulingAllowedToQueueWithZeroCapacityOfVcores`
#[test]
fn an_ask_for_none_of_what_the_queue_may_not_have_is_kept() {
    for (max, size) in [("0 mb, 2 vcores", r(0, 2)), ("10000 mb, 0 vcores", r(2048, 0))] {
        let (mut cluster, app) = in_queue_a(max);
        cluster.ask(&app, 1, size, 1);
        assert_eq!(cluster.app(&app).unwrap().outstanding, size);
    }
}

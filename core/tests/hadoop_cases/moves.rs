//! Moving an application to another queue.

use crate::cluster::{Cluster, queue, r};
use evenweave::Refused;
use evenweave::SchedulerApi as _;
use evenweave::refused::{Limit, NotFound};

/// `TestAppRunnability.testMoveRunnableApp`
#[test]
fn usage_count_and_demand_move_with_an_application() {
    let mut cluster = Cluster::new(&(queue("queue1", "") + &queue("queue2", "")), &[("/r", r(1024, 1))]);
    let app = cluster.request(r(1024, 1), "queue1", "user1", 3);
    cluster.hb(1);
    assert_eq!(cluster.queue("root.queue1").usage, r(1024, 1));
    assert_eq!(cluster.queue("root.queue1").demand, r(3072, 3));
    cluster.stepped.move_app(&app, "queue2").unwrap();
    let [first, second, root] = ["root.queue1", "root.queue2", "root"].map(|name| cluster.queue(name));
    assert_eq!((first.usage, second.usage), (r(0, 0), r(1024, 1)));
    assert_eq!((first.runnable, second.runnable, root.runnable), (0, 1, 1));
    cluster.stepped.update_now();
    assert_eq!(["root.queue1", "root.queue2"].map(|name| cluster.queue(name).demand), [r(0, 0), r(3072, 3)]);
}

const NONE_MAY_RUN: &str = "<maxRunningApps>0</maxRunningApps>";

fn runnable(cluster: &mut Cluster) -> [u32; 3] {
    ["root.queue1", "root.queue2", "root"].map(|name| cluster.queue(name).runnable)
}

/// `TestAppRunnability.testMoveNonRunnableApp`
#[test]
fn a_waiting_application_waits_after_the_move() {
    let mut cluster = Cluster::new(&(queue("queue1", NONE_MAY_RUN) + &queue("queue2", NONE_MAY_RUN)), &[]);
    let app = cluster.start("queue1");
    assert_eq!(runnable(&mut cluster), [0, 0, 0]);
    cluster.stepped.move_app(&app, "queue2").unwrap();
    assert!(!cluster.runs(&app));
    assert_eq!(runnable(&mut cluster), [0, 0, 0]);
}

/// `TestAppRunnability.testMoveMakesAppRunnable`
#[test]
fn a_waiting_application_runs_where_there_is_room() {
    let mut cluster = Cluster::new(&(queue("queue1", NONE_MAY_RUN) + &queue("queue2", "")), &[]);
    let app = cluster.start("queue1");
    assert!(!cluster.runs(&app));
    cluster.stepped.move_app(&app, "queue2").unwrap();
    assert!(cluster.runs(&app));
    assert_eq!(runnable(&mut cluster), [0, 1, 1]);
}

/// `TestFairScheduler.testResourceUsageByMoveApp`
#[test]
fn usage_moves_from_parent_to_parent() {
    let text = queue("parent1", &queue("queue1", "")) + &queue("parent2", &queue("queue2", ""));
    let mut cluster = Cluster::new(&text, &[("/r", r(2048, 2))]);
    let app = cluster.request(r(1024, 1), "parent1.queue1", "user1", 1);
    cluster.hb(1);
    let names = ["root.parent1.queue1", "root.parent1", "root.parent2.queue2", "root.parent2"];
    let usages = |cluster: &mut Cluster| names.map(|name| cluster.queue(name).usage);
    assert_eq!(usages(&mut cluster), [r(1024, 1), r(1024, 1), r(0, 0), r(0, 0)]);
    cluster.stepped.move_app(&app, "parent2.queue2").unwrap();
    assert_eq!(usages(&mut cluster), [r(0, 0), r(0, 0), r(1024, 1), r(1024, 1)]);
}

/// `TestFairScheduler.testMoveWouldViolateMaxAppsConstraints`
#[test]
fn a_move_is_refused_where_no_more_applications_may_run() {
    let mut cluster = Cluster::new(&queue("queue2", NONE_MAY_RUN), &[]);
    let app = cluster.start("queue1");
    let refused = cluster.stepped.move_app(&app, "queue2").unwrap_err();
    assert_eq!(refused, Refused::Limit(Limit::MaxRunning("root.queue2".to_owned())));
    assert_eq!(cluster.app(&app).unwrap().queue, "root.queue1");
}

/// `TestFairScheduler.testMoveWouldViolateMaxResourcesConstraints`
#[test]
fn a_move_is_refused_where_the_usage_does_not_fit() {
    let text = queue("queue2", "<maxResources>1024mb,1vcores</maxResources>");
    let mut cluster = Cluster::new(&text, &[("/r", r(2048, 2))]);
    let app = cluster.request(r(1024, 1), "queue1", "user1", 2);
    cluster.hbs(1, 2);
    assert_eq!(cluster.used(&app), r(2048, 2));
    let refused = cluster.stepped.move_app(&app, "queue2").unwrap_err();
    assert_eq!(refused, Refused::Limit(Limit::MaxShare("root.queue2".to_owned())));
    assert_eq!(cluster.queue("root.queue1").usage, r(2048, 2));
}

/// `TestFairScheduler.testMoveToNonexistentQueue`, `TestFairScheduler.testMoveAfterRemoval`
#[test]
fn a_move_needs_a_queue_and_an_application() {
    let mut cluster = Cluster::new(&queue("queue2", ""), &[]);
    let app = cluster.start("queue1");
    let refused = cluster.stepped.move_app(&app, "queue3").unwrap_err();
    assert_eq!(refused, Refused::NotFound(NotFound::Queue("root.queue3".to_owned())));
    assert!(cluster.find("root.queue3").is_none());
    cluster.finish(&app);
    assert_eq!(cluster.stepped.move_app(&app, "queue2").unwrap_err(), Refused::NotFound(NotFound::App(app.number())));
}

/// A full queue, and all above it, does not hinder a move between two queues below it.
fn move_between(text: &str, from: &str, to: &str) -> Result<(), Refused> {
    let mut cluster = Cluster::new(text, &[("/r", r(2048, 2))]);
    let app = cluster.request(r(1024, 1), from, "user1", 1);
    cluster.hb(1);
    assert_eq!(cluster.used(&app), r(1024, 1));
    cluster.stepped.move_app(&app, to)
}

/// The maximum of the lowest queue that is above both is not looked at, what is below it on the way is: queue1 for
/// queue1.a and queue1.b, root for a and b, queue1 for queue1.a.a1 and queue1.b.b1.
///
/// `TestFairScheduler.testLowestCommonAncestorForNonRootParent`,
/// `TestFairScheduler.testLowestCommonAncestorRootParent`,
/// `TestFairScheduler.testLowestCommonAncestorDeeperHierarchy`
#[test]
fn a_move_is_checked_up_to_the_lowest_common_ancestor() {
    const FULL: &str = "<maxResources>1024mb,1vcores</maxResources>";
    const TOO_SMALL: &str = "<maxResources>512mb,1vcores</maxResources>";
    let refused = |name: &str| Err(Refused::Limit(Limit::MaxShare(name.to_owned())));
    for (b, free) in [("", true), (TOO_SMALL, false)] {
        let expect = |name: &str| if free { Ok(()) } else { refused(name) };
        let siblings = queue("a", "") + &queue("b", b);
        let text = queue("queue1", &(FULL.to_owned() + &siblings));
        assert_eq!(move_between(&text, "queue1.a", "queue1.b"), expect("root.queue1.b"));
        let text = queue("root", &(FULL.to_owned() + &siblings));
        assert_eq!(move_between(&text, "a", "b"), expect("root.b"));
        let cousins = queue("a", &queue("a1", "")) + &queue("b", &(b.to_owned() + &queue("b1", "")));
        let text = queue("queue1", &(FULL.to_owned() + &cousins));
        assert_eq!(move_between(&text, "queue1.a.a1", "queue1.b.b1"), expect("root.queue1.b"));
    }
}

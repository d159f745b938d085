//! Limits of running applications by queue and by user: who waits, and who starts when another ends or a limit changes.

use crate::cluster::{Cluster, queue, r};
use evenweave::AppHandle;

fn most(apps: u32) -> String {
    format!("<maxRunningApps>{apps}</maxRunningApps>")
}

fn user_most(user: &str, apps: u32) -> String {
    format!("<user name='{user}'>{}</user>", most(apps))
}

fn running<const N: usize>(cluster: &mut Cluster, apps: [&AppHandle; N]) -> [bool; N] {
    apps.map(|app| cluster.runs(app))
}

/// `TestMaxRunningAppsEnforcer.testRemoveDoesNotEnableAnyApp`
#[test]
fn an_end_starts_nobody_where_another_limit_stands() {
    let text = queue("root", &(most(2) + &queue("leaf1", &most(1)) + &queue("leaf2", &most(1))));
    let mut cluster = Cluster::new(&text, &[]);
    let first = cluster.start("leaf1");
    cluster.start("leaf2");
    cluster.start("leaf2");
    assert_eq!([cluster.counts("root.leaf1"), cluster.counts("root.leaf2")], [(1, 0), (1, 1)]);
    cluster.finish(&first);
    assert_eq!([cluster.counts("root.leaf1"), cluster.counts("root.leaf2")], [(0, 0), (1, 1)]);
}

/// `TestMaxRunningAppsEnforcer.testRemoveEnablesAppOnCousinQueue`
#[test]
fn an_end_starts_an_application_of_a_cousin() {
    let branch = |name: &str, leaf: &str| queue(name, &queue(leaf, ""));
    let text = queue("queue1", &(most(2) + &branch("subqueue1", "leaf1") + &branch("subqueue2", "leaf2")));
    let mut cluster = Cluster::new(&text, &[]);
    let [one, two] = ["root.queue1.subqueue1.leaf1", "root.queue1.subqueue2.leaf2"];
    let first = cluster.start(one);
    cluster.start(two);
    cluster.start(two);
    assert_eq!([cluster.counts(one), cluster.counts(two)], [(1, 0), (1, 1)]);
    cluster.finish(&first);
    assert_eq!([cluster.counts(one), cluster.counts(two)], [(0, 0), (2, 0)]);
}

/// One for the place in the queue, another for the user's place.
///
/// `TestMaxRunningAppsEnforcer.testRemoveEnablesOneByQueueOneByUser`
#[test]
fn an_end_starts_one_by_queue_and_one_by_user() {
    let text = queue("queue1", &(queue("leaf1", &most(2)) + &queue("leaf2", ""))) + &user_most("user1", 1);
    let mut cluster = Cluster::new(&text, &[]);
    let [one, two] = ["root.queue1.leaf1", "root.queue1.leaf2"];
    let mut submit = |queue: &str, user: &str| cluster.submit(queue, user, None).unwrap();
    let first = submit(one, "user1");
    submit(one, "user2");
    submit(one, "user3");
    submit(two, "user1");
    assert_eq!([cluster.counts(one), cluster.counts(two)], [(2, 1), (0, 1)]);
    cluster.finish(&first);
    assert_eq!([cluster.counts(one), cluster.counts(two)], [(2, 0), (1, 0)]);
}

/// `TestMaxRunningAppsEnforcer.testRemoveEnablingOrderedByStartTime`
#[test]
fn the_earlier_application_starts_first() {
    let text = queue("queue1", &(most(2) + &queue("leaf1", "") + &queue("leaf2", "")));
    let mut cluster = Cluster::new(&text, &[]);
    let [one, two] = ["root.queue1.leaf1", "root.queue1.leaf2"];
    let [a, b, c] = [one, two, two].map(|queue| cluster.start(queue));
    cluster.stepped.advance(20_000);
    let d = cluster.start(one);
    assert_eq!(running(&mut cluster, [&a, &b, &c, &d]), [true, true, false, false]);
    cluster.finish(&a);
    assert_eq!(running(&mut cluster, [&b, &c, &d]), [true, true, false]);
    assert_eq!([cluster.counts(one), cluster.counts(two)], [(0, 1), (2, 0)]);
}

/// `TestMaxRunningAppsEnforcer.testMultipleAppsWaitingOnCousinQueue`
#[test]
fn an_end_starts_no_more_than_there_is_room_for() {
    let text = queue("queue1", &(most(2) + &queue("leaf1", "") + &queue("leaf2", "")));
    let mut cluster = Cluster::new(&text, &[]);
    let [one, two] = ["root.queue1.leaf1", "root.queue1.leaf2"];
    let first = cluster.start(one);
    (0..3).for_each(|_| drop(cluster.start(two)));
    assert_eq!([cluster.counts(one), cluster.counts(two)], [(1, 0), (1, 2)]);
    cluster.finish(&first);
    assert_eq!([cluster.counts(one), cluster.counts(two)], [(0, 0), (2, 1)]);
}

/// A leaf queue that has nobody waiting does not disturb the order of the others.
///
/// `TestMaxRunningAppsEnforcer.testMultiListStartTimeIteratorEmptyAppLists`
#[test]
fn waiting_lists_merge_by_start_time_though_one_is_empty() {
    let text = queue("root", &(most(1) + &queue("empty", "") + &queue("leaf1", "") + &queue("leaf2", "")));
    let mut cluster = Cluster::new(&text, &[]);
    let [first, one, two] = ["leaf1", "leaf1", "leaf2"].map(|queue| cluster.start(queue));
    assert_eq!(running(&mut cluster, [&first, &one, &two]), [true, false, false]);
    cluster.finish(&first);
    assert_eq!(running(&mut cluster, [&one, &two]), [true, false]);
    cluster.finish(&one);
    assert!(cluster.runs(&two));
}

/// `TestFairScheduler.testMaxRunningAppsHierarchicalQueues`
#[test]
fn limits_of_a_parent_and_a_child_hold_together() {
    let inside = queue("sub1", "") + &queue("sub2", "") + &queue("sub3", &most(1));
    let mut cluster = Cluster::new(&queue("queue1", &(most(3) + &inside)), &[]);
    let [a1, a2, a3, a4, a5] =
        ["sub1", "sub3", "sub2", "sub2", "sub3"].map(|sub| cluster.start(&format!("queue1.{sub}")));
    let counts =
        |cluster: &mut Cluster| ["sub1", "sub2", "sub3"].map(|sub| cluster.counts(&format!("root.queue1.{sub}")));
    assert_eq!(running(&mut cluster, [&a1, &a2, &a3, &a4, &a5]), [true, true, true, false, false]);
    // Even though a5's queue has room again, a4 started earlier.
    cluster.finish(&a2);
    assert_eq!(running(&mut cluster, [&a4, &a5]), [true, false]);
    assert_eq!(counts(&mut cluster), [(1, 0), (2, 0), (0, 1)]);
    cluster.finish(&a5);
    cluster.finish(&a4);
    assert_eq!(counts(&mut cluster), [(1, 0), (1, 0), (0, 0)]);
}

/// `TestFairScheduler.testUserMaxRunningApps`
#[test]
fn an_application_above_its_users_limit_gets_nothing() {
    let mut cluster = Cluster::new(&user_most("user1", 1), &[("/r", r(8192, 8))]);
    let first = cluster.request(r(1024, 1), "queue1", "user1", 1);
    cluster.hb(1);
    let second = cluster.request(r(1024, 1), "queue1", "user1", 1);
    cluster.hb(1);
    let sizes = [(&first, r(1024, 1)), (&second, r(1024, 1))];
    assert_eq!(cluster.live(&sizes), [1, 0]);
    cluster.ask(&first, 1, r(1024, 1), 1);
    cluster.stepped.update_now();
    cluster.hb(1);
    assert_eq!(cluster.live(&sizes), [2, 0]);
}

/// Four applications under a limit of 1 that is raised to 3.
fn assert_raised_limit(text: impl Fn(u32) -> String) {
    let mut cluster = Cluster::new(&text(1), &[]);
    let apps = [(); 4].map(|()| cluster.start("queue1"));
    assert_eq!(running(&mut cluster, apps.each_ref()), [true, false, false, false]);
    cluster.reload(&text(3));
    assert_eq!(running(&mut cluster, apps.each_ref()), [true, true, true, false]);
    cluster.finish(&apps[0]);
    assert_eq!(running(&mut cluster, apps.each_ref()), [false, true, true, true]);
}

/// Four applications under a limit of 3 that is lowered to 1: nobody starts before all three have gone.
fn assert_lowered_limit(text: impl Fn(u32) -> String) {
    let mut cluster = Cluster::new(&text(3), &[]);
    let apps = [(); 4].map(|()| cluster.start("queue1"));
    cluster.reload(&text(1));
    assert_eq!(running(&mut cluster, apps.each_ref()), [true, true, true, false]);
    for app in &apps[..3] {
        assert!(!cluster.runs(&apps[3]));
        cluster.finish(app);
    }
    assert!(cluster.runs(&apps[3]));
}

/// `TestFairScheduler.testIncreaseQueueMaxRunningAppsOnTheFly`,
/// `TestFairScheduler.testIncreaseUserMaxRunningAppsOnTheFly`
#[test]
fn a_raised_limit_starts_waiting_applications() {
    assert_raised_limit(|apps| queue("queue1", &most(apps)));
    assert_raised_limit(|apps| user_most("user1", apps));
}

/// `TestFairScheduler.testDecreaseQueueMaxRunningAppsOnTheFly`,
/// `TestFairScheduler.testDecreaseUserMaxRunningAppsOnTheFly`
#[test]
fn a_lowered_limit_stops_nobody() {
    assert_lowered_limit(|apps| queue("queue1", &most(apps)));
    assert_lowered_limit(|apps| user_most("user1", apps));
}

/// `TestFairScheduler.testUserAndQueueMaxRunningApps`
#[test]
fn limits_of_queue_and_user_hold_together() {
    let mut cluster = Cluster::new(&(queue("queue1", &most(2)) + &user_most("user1", 1)), &[]);
    let mut submit = |(queue, user): (&str, &str)| cluster.submit(queue, user, None).unwrap();
    let [a1, a2, a3, a4] =
        [("queue1", "user1"), ("queue2", "user1"), ("queue1", "user2"), ("queue1", "user2")].map(&mut submit);
    assert_eq!(running(&mut cluster, [&a1, &a2, &a3, &a4]), [true, false, true, false]);
    cluster.finish(&a1);
    assert_eq!(running(&mut cluster, [&a2, &a3, &a4]), [true, true, true]);
    let a5 = cluster.submit("queue1", "user2", None).unwrap();
    assert!(!cluster.runs(&a5));
}

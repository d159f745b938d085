//! Rounds of preemption among the applications of one queue.

use crate::cluster::{Cluster, Pairs, any, r};
use crate::preemption::{ROUNDS, UNIT, marked};
use evenweave::AppHandle;

const INTRA: Pairs<'static> = &[
    ("yarn.resourcemanager.monitor.capacity.preemption.intra-queue-preemption.enabled", "true"),
    ("yarn.resourcemanager.monitor.capacity.preemption.intra-queue-preemption.max-allowable-limit", "0.5"),
];

const BY_PRIORITY: (&str, &str) = (
    "yarn.resourcemanager.monitor.capacity.preemption.intra-queue-preemption.preemption-order-policy",
    "priority_first",
);

/// Queue, user, priority, used, pending.
type App<'a> = (&'a str, &'a str, i32, u32, u32);

/// Applications as written: all have their use before any asks for more.
fn set_up(pairs: &[Pairs<'_>], apps: &[App<'_>]) -> (Cluster, Vec<AppHandle>) {
    let pairs = [&[ROUNDS, INTRA], pairs].concat().concat();
    let mut cluster = Cluster::new(&pairs, &[r(100, 1000)]);
    let mut handles = Vec::new();
    for (queue, user, priority, used, _) in apps {
        let app = cluster.submission(queue, user, None, *priority).unwrap();
        cluster.ask(&app, &[any(1, UNIT, *used)]);
        cluster.hb(1);
        assert_eq!(cluster.app(&app).used.memory_mb(), i64::from(*used));
        handles.push(app);
    }
    for (app, (.., pending)) in handles.iter().zip(apps) {
        cluster.ask(app, &[any(1, UNIT, *pending)]);
    }
    (cluster, handles)
}

fn round(pairs: &[Pairs<'_>], apps: &[App<'_>]) -> Vec<usize> {
    let (mut cluster, handles) = set_up(pairs, apps);
    marked(&mut cluster, &handles)
}

const FOUR: Pairs<'static> = &[
    ("root.queues", "a,b,c,d"),
    ("root.a.capacity", "11"),
    ("root.b.capacity", "40"),
    ("root.c.capacity", "20"),
    ("root.d.capacity", "29"),
];

const BUSY: &[App<'static>] = &[
    ("a", "user", 1, 6, 25),
    ("a", "user", 1, 5, 25),
    ("b", "user", 4, 34, 20),
    ("b", "user", 4, 2, 10),
    ("b", "user", 5, 1, 10),
    ("b", "user", 6, 1, 10),
    ("c", "user", 1, 10, 10),
    ("d", "user", 1, 20, 0),
];

/// A fifth of what b is guaranteed may be taken: 8, of the youngest first, which keeps one.
///
/// `TestProportionalCapacityPreemptionPolicyIntraQueue.testSimpleIntraQueuePreemption`
#[test]
fn applications_of_low_priority_give_to_those_of_high_priority() {
    let fifth = ("yarn.resourcemanager.monitor.capacity.preemption.intra-queue-preemption.max-allowable-limit", "0.2");
    assert_eq!(round(&[FOUR, &[BY_PRIORITY, fifth]], BUSY)[2..6], [6, 2, 0, 0]);
}

/// `TestProportionalCapacityPreemptionPolicyIntraQueue.testNoIntraQueuePreemptionWithPreemptionDisabledOnQueues`
#[test]
fn a_queue_that_may_not_be_preempted_is_left_alone_inside_too() {
    let disabled: Pairs<'_> = &[
        BY_PRIORITY,
        ("root.a.disable_preemption", "true"),
        ("root.b.disable_preemption", "true"),
        ("root.c.disable_preemption", "true"),
        ("root.d.disable_preemption", "true"),
    ];
    assert_eq!(round(&[FOUR, disabled], BUSY), [0; 8]);
}

/// `TestProportionalCapacityPreemptionPolicyIntraQueue.testNoPreemptionForSamePriorityApps`
#[test]
fn applications_of_one_priority_leave_each_other_alone() {
    let apps: Vec<_> = BUSY.iter().map(|(queue, user, _, used, pending)| (*queue, *user, 1, *used, *pending)).collect();
    assert_eq!(round(&[FOUR], &apps), [0; 8]);
}

const TWO: Pairs<'static> = &[("root.queues", "a,b"), ("root.a.capacity", "40"), ("root.b.capacity", "60")];

/// `TestProportionalCapacityPreemptionPolicyIntraQueue.testNoPreemptionWhenQueueIsUnderCapacityLimit`
#[test]
fn a_queue_that_uses_less_than_half_is_left_alone() {
    let apps: &[App<'_>] =
        &[("a", "user", 1, 5, 25), ("a", "user", 2, 5, 25), ("b", "user", 4, 20, 20), ("b", "user", 6, 5, 20)];
    assert_eq!(round(&[TWO, &[BY_PRIORITY]], apps), [0; 4]);
}

const WANTED: &[App<'static>] =
    &[("a", "user", 1, 5, 25), ("a", "user", 2, 5, 25), ("b", "user", 4, 40, 20), ("b", "user", 6, 5, 100)];

/// `TestProportionalCapacityPreemptionPolicyIntraQueue.testLimitPreemptionWithMaxIntraQueuePreemptableLimit`
#[test]
fn no_more_is_taken_than_the_part_of_the_queue_that_may_be() {
    assert_eq!(round(&[TWO, &[BY_PRIORITY]], WANTED)[2..], [30, 0]);
}

/// `TestProportionalCapacityPreemptionPolicyIntraQueue.testLimitPreemptionWithTotalPreemptedResourceAllowed`
#[test]
fn no_more_is_taken_than_a_round_may_take() {
    let tenth = ("yarn.resourcemanager.monitor.capacity.preemption.total_preemption_per_round", "0.1");
    assert_eq!(round(&[TWO, &[BY_PRIORITY, tenth]], WANTED)[2..], [10, 0]);
}

const HALVES: Pairs<'static> =
    &[("root.queues", "a"), ("root.a.capacity", "100"), ("root.a.minimum-user-limit-percent", "50")];

/// `TestProportionalCapacityPreemptionPolicyIntraQueueUserLimit.testSimpleIntraQueuePreemptionWithTwoUsers`,
/// `TestProportionalCapacityPreemptionPolicyIntraQueueUserLimit.testSimpleIntraQueuePreemptionWithTwoUsersWithAppPriority`
#[test]
fn a_user_above_his_limit_gives_to_one_below_whatever_their_priorities() {
    for priority in [1, 2] {
        let apps: &[App<'_>] = &[("a", "user1", priority, 100, 0), ("a", "user2", 1, 0, 30)];
        assert_eq!(round(&[HALVES], apps), [30, 0], "priority {priority}");
    }
}

/// `TestProportionalCapacityPreemptionPolicyIntraQueueUserLimit.testNoIntraQueuePreemptionWithSingleUser`
#[test]
fn a_users_later_application_waits_for_his_earlier() {
    assert_eq!(round(&[HALVES], &[("a", "user1", 1, 100, 0), ("a", "user1", 1, 0, 30)]), [0, 0]);
}

/// `TestProportionalCapacityPreemptionPolicyIntraQueueUserLimit.testNoIntraQueuePreemptionWithTwoUserUnderUserLimit`
#[test]
fn a_user_at_his_limit_gives_nothing() {
    assert_eq!(round(&[HALVES], &[("a", "user1", 1, 50, 0), ("a", "user2", 1, 30, 30)]), [0, 0]);
}

/// One container more than his limit stays with him.
///
/// `TestProportionalCapacityPreemptionPolicyIntraQueueUserLimit.testIntraQueuePreemptionOfUserLimitWithMultipleApps`
#[test]
fn of_a_user_above_his_limit_the_youngest_application_gives() {
    let apps: &[App<'_>] =
        &[("a", "user1", 1, 30, 30), ("a", "user2", 1, 20, 20), ("a", "user1", 1, 30, 30), ("a", "user2", 1, 0, 10)];
    assert_eq!(round(&[HALVES], apps), [0, 0, 9, 0]);
}

/// `TestProportionalCapacityPreemptionPolicyIntraQueueUserLimit.testIntraQueuePreemptionOfUserLimitWitAppsOfDifferentPriority`
#[test]
fn of_a_user_above_his_limit_the_least_important_application_gives() {
    let apps: &[App<'_>] =
        &[("a", "user1", 3, 30, 30), ("a", "user2", 1, 20, 20), ("a", "user1", 4, 30, 0), ("a", "user2", 1, 0, 10)];
    assert_eq!(round(&[HALVES], apps), [9, 0, 0, 0]);
}

/// `TestProportionalCapacityPreemptionPolicyIntraQueueUserLimit.testNoPreemptionOfUserLimitWithMultipleAppsAndSameUser`
#[test]
fn a_single_user_gives_himself_nothing() {
    let apps: &[App<'_>] =
        &[("a", "user1", 1, 30, 20), ("a", "user1", 1, 20, 20), ("a", "user1", 1, 30, 30), ("a", "user1", 1, 0, 10)];
    assert_eq!(round(&[HALVES], apps), [0; 4]);
}

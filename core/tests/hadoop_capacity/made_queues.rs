//! Queues that make themselves below parents of weights.

use crate::cluster::{Cluster, Pairs, near, r};
use evenweave::Refused;
use evenweave::refused::NotFound;

/// The tree of Hadoop's `TestCapacitySchedulerNewQueueAutoCreation`.
const TREE: Pairs<'static> = &[
    ("root.queues", "a,b"),
    ("root.capacity", "1w"),
    ("root.a.capacity", "1w"),
    ("root.b.capacity", "1w"),
    ("root.a.queues", "a1"),
    ("root.a.a1.capacity", "1w"),
    ("root.auto-queue-creation-v2.enabled", "true"),
    ("root.a.auto-queue-creation-v2.enabled", "true"),
    ("auto-queue-creation-v2.queue-expiration-time", "1"),
];

const GB: i64 = 1024;

fn start(more: Pairs<'_>) -> Cluster {
    Cluster::new(&[TREE, more].concat(), &[r(1200 * GB, 1200)])
}

/// Absolute capacity and guarantee in GB.
fn part(cluster: &mut Cluster, name: &str) -> (f32, i64) {
    let queue = cluster.queue(name);
    (queue.absolute_capacity, queue.guaranteed.memory_mb() / GB)
}

fn assert_part(cluster: &mut Cluster, name: &str, of: f32) {
    let (absolute, guaranteed) = part(cluster, name);
    assert!(near(absolute, 1.0 / of), "{name} has {absolute}");
    assert!((guaranteed as f32 - 1200.0 / of).abs() < 1.0, "{name} has {guaranteed}");
}

/// `TestCapacitySchedulerNewQueueAutoCreation.testAutoCreateQueueWithSiblingsUnderRoot`
#[test]
fn a_made_queue_shares_with_those_beside_it() {
    let mut cluster = start(&[]);
    cluster.submit("root.c-auto", "user");
    assert_part(&mut cluster, "root.c-auto", 3.0);
    cluster.submit("root.d-auto", "user");
    assert_part(&mut cluster, "root.d-auto", 4.0);
    assert_part(&mut cluster, "root.c-auto", 4.0);
}

/// `TestCapacitySchedulerNewQueueAutoCreation.testAutoCreateQueueStaticParentOneLevel`
#[test]
fn a_configured_parent_makes_queues_too() {
    let mut cluster = start(&[]);
    cluster.submit("root.a.a2-auto", "user");
    assert_part(&mut cluster, "root.a.a2-auto", 4.0);
}

/// `TestCapacitySchedulerNewQueueAutoCreation.testAutoCreateQueueAutoParentTwoLevelsWithSiblings`,
/// `TestCapacitySchedulerNewQueueAutoCreation.testAutoCreateQueueIfFirstExistingParentQueueIsNotStatic`
#[test]
fn a_made_parent_makes_further_queues() {
    let mut cluster = start(&[]);
    cluster.submit("root.a.a2-auto.a3-auto", "user");
    assert_part(&mut cluster, "root.a.a2-auto.a3-auto", 4.0);
    cluster.submit("root.a.a2-auto.a4-auto", "user");
    assert_part(&mut cluster, "root.a.a2-auto.a3-auto", 8.0);
    assert_part(&mut cluster, "root.a.a2-auto.a4-auto", 8.0);
}

/// `TestCapacitySchedulerNewQueueAutoCreation.testAutoCreateQueueShouldFailWhenNonParentQueue`,
/// `TestCapacitySchedulerNewQueueAutoCreation.testAutoCreateQueueShouldFailIfNotEnabledForParent`
#[test]
fn no_queue_is_made_below_a_leaf_or_where_none_may_be() {
    let mut cluster = start(&[]);
    assert!(matches!(cluster.try_submit("root.a.a1.a2-auto", "user"), Err(Refused::NotFound(NotFound::Queue(_)))));
    cluster.refresh(TREE, &[("root.auto-queue-creation-v2.enabled", "false")]).unwrap();
    assert!(matches!(cluster.try_submit("root.c-auto", "user"), Err(Refused::NotFound(NotFound::Queue(_)))));
    assert!(cluster.find("root.c-auto").is_none());
}

/// `TestCapacitySchedulerNewQueueAutoCreation.testAutoCreateQueueWhenSiblingsNotInWeightMode`
#[test]
fn no_queue_is_made_beside_percentages() {
    let percents: Pairs<'_> = &[("root.a.capacity", "50"), ("root.b.capacity", "50"), ("root.a.a1.capacity", "100")];
    let mut cluster = start(&[]);
    cluster.refresh(TREE, percents).unwrap();
    assert!(matches!(cluster.try_submit("root.a.a2-auto", "user"), Err(Refused::NotFound(NotFound::Queue(_)))));
}

/// `TestCapacitySchedulerNewQueueAutoCreation.testAutoCreateMaximumQueueDepth`
#[test]
fn queues_are_made_so_deep_and_no_deeper() {
    let mut cluster = start(&[]);
    let deep = "root.a.a3-auto.a4-auto.a5-auto";
    assert!(matches!(cluster.try_submit(deep, "user"), Err(Refused::NotFound(NotFound::Queue(_)))));
    cluster.refresh(TREE, &[("root.a.auto-queue-creation-v2.maximum-queue-depth", "3")]).unwrap();
    assert_eq!(cluster.submit(deep, "user").queue(), deep);
    cluster.refresh(TREE, &[("auto-queue-creation-v2.maximum-queue-depth", "3")]).unwrap();
    let other = "root.a.a6-auto.a7-auto.a8-auto";
    assert_eq!(cluster.submit(other, "user").queue(), other);
}

/// `TestCapacitySchedulerNewQueueAutoCreation.testAutoCreateQueueRefresh`,
/// `TestCapacitySchedulerNewQueueAutoCreation.testConvertDynamicToStaticQueue`
#[test]
fn a_refresh_keeps_made_queues_and_can_make_them_configured_ones() {
    let mut cluster = start(&[]);
    for queue in ["root.c-auto", "root.d-auto", "root.e-auto.e1-auto"] {
        cluster.submit(queue, "user");
    }
    cluster.refresh(TREE, &[]).unwrap();
    assert_part(&mut cluster, "root.c-auto", 5.0);
    cluster.refresh(TREE, &[("root.a.capacity", "6w")]).unwrap();
    assert_eq!(part(&mut cluster, "root.a").1, 720);
    let own: Pairs<'_> = &[("root.a.capacity", "6w"), ("root.queues", "a,b,c-auto"), ("root.c-auto.capacity", "6w")];
    cluster.refresh(TREE, own).unwrap();
    assert_eq!(part(&mut cluster, "root.c-auto").1, 480);
    assert!(cluster.queue("root.c-auto").making.is_none() && cluster.queue("root.d-auto").making.is_some());
}

/// `TestCapacitySchedulerNewQueueAutoCreation.testConvertDynamicParentToStaticParent`
#[test]
fn a_made_queue_below_a_parent_that_is_now_configured_stays() {
    let mut cluster = start(&[]);
    cluster.submit("root.d-auto.d1-auto", "user");
    let own: Pairs<'_> = &[("root.queues", "a,b,d-auto"), ("root.a.capacity", "6w"), ("root.d-auto.capacity", "1w")];
    cluster.refresh(TREE, own).unwrap();
    assert_part(&mut cluster, "root.d-auto", 8.0);
    assert_part(&mut cluster, "root.d-auto.d1-auto", 8.0);
}

/// `TestCapacitySchedulerNewQueueAutoCreation.testAutoCreateQueueUserLimitDisabled`
#[test]
fn in_a_made_leaf_one_user_may_have_everything() {
    let mut cluster = start(&[]);
    cluster.submit("root.e-auto.user0", "user0");
    let leaf = cluster.leaf("root.e-auto.user0");
    assert_eq!((leaf.user_limit_factor, leaf.am_percent), (-1.0, 1.0));
    assert_eq!(leaf.max_applications_per_user, leaf.max_applications);
    assert_eq!(leaf.am_limit.memory_mb(), 1200 * GB);
}

/// `TestCapacitySchedulerNewQueueAutoCreation.testAutoQueueCreationMaxAppUpdate`
#[test]
fn how_many_applications_leaves_take_follows_their_parts() {
    let mut cluster = start(&[]);
    let takes = |cluster: &mut Cluster, name: &str| cluster.leaf(name).max_applications;
    assert_eq!(["root.a.a1", "root.b"].map(|name| takes(&mut cluster, name)), [5000, 5000]);
    cluster.submit("root.e", "user");
    assert_eq!(["root.a.a1", "root.b", "root.e"].map(|name| takes(&mut cluster, name)), [3333, 3333, 3333]);
    cluster.refresh(TREE, &[("global-queue-max-application", "1000")]).unwrap();
    assert_eq!(["root.a.a1", "root.b", "root.e"].map(|name| takes(&mut cluster, name)), [1000; 3]);
}

/// `TestCapacitySchedulerNewQueueAutoCreation.testAutoCreateQueueMaxQueuesLimit`
#[test]
fn a_parent_makes_as_many_queues_as_it_may() {
    let five: Pairs<'_> = &[
        ("root.queues", "a,b,e"),
        ("root.e.capacity", "1w"),
        ("root.e.auto-queue-creation-v2.enabled", "true"),
        ("root.e.auto-queue-creation-v2.max-queues", "5"),
    ];
    let mut cluster = start(five);
    for number in 0..5 {
        cluster.submit(&format!("root.e.q_{number}"), "user");
    }
    assert!(cluster.try_submit("root.e.q_6", "user").is_err());
    assert!(cluster.find("root.e.q_6").is_none() && cluster.find("root.e.q_4").is_some());
}

/// `TestCapacitySchedulerNewQueueAutoCreation.testAutoCreatedQueueTemplateConfig`
#[test]
fn templates_give_what_made_queues_do_not_say() {
    let template = "root.a.*.auto-queue-creation-v2.template.";
    let name = |key: &str| format!("{template}{key}");
    let (capacity, factor, share) = (name("capacity"), name("user-limit-factor"), name("maximum-am-resource-percent"));
    let mut cluster = start(&[(&capacity, "6w")]);
    cluster.submit("root.a.a-auto.a2", "user");
    cluster.submit("root.a.a-auto.a3", "user");
    let a2 = cluster.queue("root.a.a-auto.a2");
    let leaf = a2.leaf.unwrap();
    assert_eq!((a2.normalized_weight, leaf.user_limit_factor, leaf.am_percent), (0.5, -1.0, 1.0));
    let own = "root.a.a-auto.a2.capacity";
    cluster.refresh(TREE, &[(&capacity, "6w"), (&factor, "10"), (&share, "0.8"), (own, "4w")]).unwrap();
    let a2 = cluster.queue("root.a.a-auto.a2");
    let leaf = a2.leaf.unwrap();
    assert!(near(a2.normalized_weight, 0.4), "its own weight counts: {}", a2.normalized_weight);
    assert_eq!((leaf.user_limit_factor, leaf.am_percent), (10.0, 0.8));
}

//! Configurations and refreshes that are refused, and what is said.

use crate::capacities::TREE;
use crate::cluster::{Cluster, Pairs, r};
use evenweave::Refused;
use evenweave::refused::Configuration;

fn why(pairs: &[Pairs<'_>]) -> String {
    Cluster::start(&pairs.concat(), &[]).err().expect("to be refused")
}

/// What a refresh is refused with.
fn refused(cluster: &mut Cluster, pairs: Pairs<'_>, more: Pairs<'_>) -> String {
    let refused = cluster.refresh(pairs, more).unwrap_err();
    let Refused::Configuration(Configuration::Invalid(why)) = refused else { panic!("{refused}") };
    why
}

/// `TestQueueParsing.testQueueParsingFailWhenSumOfChildrenNonLabeledCapacityNot100Percent`
#[test]
fn children_that_miss_100_percent_are_refused() {
    let why = why(&[TREE, &[("root.c.c2.capacity", "5")]]);
    assert!(why.contains("Illegal capacity sum of 0.95") && why.contains("children of queue c"), "{why}");
}

/// `TestParentQueue.testQueueCapacitySettingChildZero`
#[test]
fn children_without_capacity_below_a_parent_that_has_some_are_refused() {
    let zero: Pairs<'_> = &[("root.b.b1.capacity", "0"), ("root.b.b2.capacity", "0"), ("root.b.b3.capacity", "0")];
    let why = why(&[TREE, zero]);
    assert!(why.contains("Illegal capacity sum of 0") && why.contains("parent percent != 0"), "{why}");
}

/// `TestParentQueue.testQueueCapacitySettingParentZero`
#[test]
fn children_with_capacity_below_a_parent_without_are_refused() {
    let why = why(&[TREE, &[("root.b.capacity", "0"), ("root.a.capacity", "30")]]);
    assert!(why.contains("has zero capacity"), "{why}");
}

/// `TestParentQueue.testQueueCapacitySettingParentZeroChildren50pctZeroSumAllowed`
#[test]
fn half_is_refused_even_where_nothing_is_allowed() {
    let half: Pairs<'_> = &[
        ("root.b.capacity", "0"),
        ("root.a.capacity", "30"),
        ("root.b.allow-zero-capacity-sum", "true"),
        ("root.b.b1.capacity", "0"),
    ];
    let why = why(&[TREE, half]);
    assert!(why.contains("Illegal capacity sum of 0.5"), "{why}");
}

/// `TestQueueParsing.testQueueParsingWithMoveQueue`
#[test]
fn a_refresh_that_moves_a_queue_to_another_parent_is_refused() {
    let before: Pairs<'_> = &[
        ("root.queues", "a"),
        ("root.a.queues", "x,y"),
        ("root.a.capacity", "100"),
        ("root.a.x.capacity", "50"),
        ("root.a.y.capacity", "50"),
    ];
    let after: Pairs<'_> = &[
        ("root.queues", "a,x"),
        ("root.a.queues", "y"),
        ("root.a.capacity", "50"),
        ("root.x.capacity", "50"),
        ("root.a.y.capacity", "100"),
    ];
    let mut cluster = Cluster::new(before, &[]);
    let why = refused(&mut cluster, after, &[]);
    assert!(why.contains("root.a.x") && why.contains("not yet in stopped state"), "{why}");
    assert!(cluster.find("root.x").is_none() && cluster.find("root.a.x").is_some());
}

/// `TestCapacityScheduler.testConfValidation`
#[test]
fn a_least_container_above_the_largest_is_refused() {
    let memory: Pairs<'_> =
        &[("yarn.scheduler.minimum-allocation-mb", "2048"), ("yarn.scheduler.maximum-allocation-mb", "1024")];
    let vcores: Pairs<'_> =
        &[("yarn.scheduler.minimum-allocation-vcores", "2"), ("yarn.scheduler.maximum-allocation-vcores", "1")];
    let said = [memory, vcores].map(|more| why(&[TREE, more]));
    assert!(said[0].contains("Invalid resource scheduler memory"), "{}", said[0]);
    assert!(said[1].contains("Invalid resource scheduler vcores"), "{}", said[1]);
}

/// `TestCapacityScheduler.testcheckAndGetApplicationLifetime`
#[test]
fn a_default_lifetime_above_the_maximum_is_refused() {
    let why = why(&[
        TREE,
        &[("root.a.a1.maximum-application-lifetime", "5"), ("root.a.a1.default-application-lifetime", "10")],
    ]);
    assert!(why.contains("can't exceed maximum lifetime"), "{why}");
}

/// The tree of Hadoop's `TestAbsoluteResourceConfiguration`, with children.
const ABSOLUTE: Pairs<'static> = &[
    ("root.queues", "queueA,queueB,queueC"),
    ("root.queueA.capacity", "[memory=102400,vcores=10]"),
    ("root.queueA.maximum-capacity", "[memory=204800,vcores=30]"),
    ("root.queueA.queues", "queueA1,queueA2"),
    ("root.queueA.queueA1.capacity", "[memory=51200,vcores=5]"),
    ("root.queueA.queueA2.capacity", "[memory=51200,vcores=5]"),
    ("root.queueB.capacity", "[memory=51200,vcores=10]"),
    ("root.queueB.maximum-capacity", "[memory=153600,vcores=30]"),
    ("root.queueB.queues", "queueB1"),
    ("root.queueB.queueB1.capacity", "[memory=40960,vcores=10]"),
    ("root.queueC.capacity", "[memory=25600,vcores=5]"),
    ("root.queueC.maximum-capacity", "[memory=153600,vcores=20]"),
];

const B1: &str = "root.queueB.queueB1.capacity";
const B1_MAX: &str = "root.queueB.queueB1.maximum-capacity";

/// `TestAbsoluteResourceConfiguration.testSimpleValidateAbsoluteResourceConfig`
#[test]
fn an_absolute_capacity_above_its_maximum_and_a_maximum_above_the_parents_are_refused() {
    let mut cluster = Cluster::new(ABSOLUTE, &[r(250 * 1024, 40)]);
    let a1 = cluster.queue("root.queueA.queueA1");
    assert_eq!((a1.guaranteed, a1.maximum), (r(51_200, 5), r(204_800, 30)), "the maximum is the parent's");
    let least = &[(B1, "[memory=153600,vcores=30]"), (B1_MAX, "[memory=40960,vcores=10]")];
    let why = refused(&mut cluster, ABSOLUTE, least);
    let text = "Min resource configuration <memory:153600, vCores:30> is greater than its max value:<memory:40960, vCores:10> in \
                queue:root.queueB.queueB1";
    assert!(why.contains(text), "{why}");
    let why = refused(&mut cluster, ABSOLUTE, &[(B1_MAX, "[memory=204800,vcores=30]")]);
    let text = "Max resource configuration <memory:204800, vCores:30> is greater than parents max value:<memory:153600, vCores:30> in \
                queue:root.queueB.queueB1";
    assert!(why.contains(text), "{why}");
    assert_eq!(cluster.queue("root.queueB.queueB1").guaranteed, r(40_960, 10), "nothing has changed");
}

/// `TestAbsoluteResourceConfiguration.testComplexValidateAbsoluteResourceConfig`
#[test]
fn a_parent_has_the_mode_of_its_children_and_no_less_than_they_have() {
    let mut cluster = Cluster::new(ABSOLUTE, &[r(250 * 1024, 40)]);
    let percents: Pairs<'_> =
        &[("root.queueA.capacity", "50"), ("root.queueB.capacity", "25"), ("root.queueC.capacity", "25")];
    let why = refused(&mut cluster, ABSOLUTE, percents);
    assert!(why.contains("absolute minResource"), "{why}");
    let why = refused(&mut cluster, ABSOLUTE, &[("root.queueA.capacity", "[memory=51200,vcores=5]")]);
    let text = "Parent Queues capacity: <memory:51200, vCores:5> is less than to its children:<memory:102400, vCores:10> for queue:queueA";
    assert!(why.contains(text), "{why}");
}

/// `TestAbsoluteResourceConfiguration.testValidateAbsoluteResourceConfig`
#[test]
fn an_absolute_capacity_of_nothing_is_taken() {
    let queues: Pairs<'_> = &[
        ("root.queues", "queueA,queueB"),
        ("root.queueA.capacity", "[memory=102400,vcores=10]"),
        ("root.queueA.maximum-capacity", "[memory=204800,vcores=30]"),
        ("root.queueB.capacity", "[memory=0]"),
        ("root.queueA.queues", "queueA1,queueA2"),
        ("root.queueA.queueA1.capacity", "[memory=100]"),
        ("root.queueA.queueA2.capacity", "[memory=25]"),
    ];
    let mut cluster = Cluster::new(queues, &[r(125 * 1024, 20)]);
    let other: Pairs<'_> =
        &[("root.queueA.queueA1.capacity", "[memory=125]"), ("root.queueA.queueA2.capacity", "[memory=0]")];
    cluster.refresh(queues, other).unwrap();
    let guaranteed = ["root.queueA.queueA1", "root.queueA.queueA2"].map(|name| cluster.queue(name).guaranteed);
    assert_eq!(guaranteed.map(|size| size.memory_mb()), [125, 0]);
}

/// `TestQueueParsing.testRootQueueParsing`
#[test]
fn the_capacity_of_root_is_what_it_is() {
    // Hadoop's own accessor refuses 90; a file's value of root is read as 100.
    let mut cluster = Cluster::new(&[TREE, &[("root.capacity", "90")]].concat(), &[]);
    assert_eq!(cluster.queue("root").capacity, 1.0);
}

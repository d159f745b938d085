//! What queues are read to have: of their parents, of the cluster, in each of the ways to write it.

use crate::cluster::{Cluster, DRC, Pairs, near, r};
use evenweave::SchedulerApi as _;

/// The tree of Hadoop's `TestQueueParsing`.
pub(crate) const TREE: Pairs<'static> = &[
    ("root.queues", "a,b,c"),
    ("root.a.capacity", "10"),
    ("root.a.maximum-capacity", "15"),
    ("root.a.queues", "a1,a2"),
    ("root.a.a1.capacity", "30"),
    ("root.a.a1.maximum-capacity", "45"),
    ("root.a.a2.capacity", "70"),
    ("root.a.a2.maximum-capacity", "85"),
    ("root.b.capacity", "20"),
    ("root.b.queues", "b1,b2,b3"),
    ("root.b.b1.capacity", "50"),
    ("root.b.b1.maximum-capacity", "85"),
    ("root.b.b2.capacity", "30"),
    ("root.b.b2.maximum-capacity", "35"),
    ("root.b.b3.capacity", "20"),
    ("root.b.b3.maximum-capacity", "35"),
    ("root.c.capacity", "70"),
    ("root.c.maximum-capacity", "70"),
    ("root.c.queues", "c1,c2,c3,c4"),
    ("root.c.c1.capacity", "50"),
    ("root.c.c1.maximum-capacity", "55"),
    ("root.c.c1.queues", "c11,c12,c13"),
    ("root.c.c1.c11.capacity", "15"),
    ("root.c.c1.c11.maximum-capacity", "30"),
    ("root.c.c1.c12.capacity", "45"),
    ("root.c.c1.c12.maximum-capacity", "70"),
    ("root.c.c1.c13.capacity", "40"),
    ("root.c.c1.c13.maximum-capacity", "40"),
    ("root.c.c2.capacity", "10"),
    ("root.c.c2.maximum-capacity", "25"),
    ("root.c.c3.capacity", "35"),
    ("root.c.c3.maximum-capacity", "38"),
    ("root.c.c4.capacity", "5"),
    ("root.c.c4.maximum-capacity", "5"),
];

fn assert_absolute(cluster: &mut Cluster, queue: &str, capacity: f32, maximum: f32) {
    let (is, most) = cluster.absolute(queue);
    assert!(near(is, capacity) && near(most, maximum), "{queue}: {is} of {capacity}, at most {most} of {maximum}");
}

/// `TestQueueParsing.testQueueParsing`
#[test]
fn fractions_multiply_down_the_tree() {
    let mut cluster = Cluster::new(TREE, &[]);
    assert_absolute(&mut cluster, "root.a", 0.10, 0.15);
    assert_absolute(&mut cluster, "root.b.b1", 0.2 * 0.5, 0.85);
    assert_absolute(&mut cluster, "root.c.c1.c12", 0.7 * 0.5 * 0.45, 0.7 * 0.55 * 0.7);
}

/// `TestQueueParsing.testQueueParsingShouldTrimSpaces`
#[test]
fn blanks_around_names_do_not_count() {
    let mut cluster = Cluster::new(&[TREE, &[("root.queues", " a ,b, c")]].concat(), &[]);
    assert_absolute(&mut cluster, "root.a", 0.10, 0.15);
    assert_absolute(&mut cluster, "root.c", 0.70, 0.70);
}

/// `TestQueueParsing.testNestedQueueParsingShouldTrimSpaces`
#[test]
fn blanks_around_names_further_down_do_not_count_either() {
    let queues: Pairs<'_> = &[
        ("root.queues", "a"),
        ("root.a.capacity", "100"),
        ("root.a.maximum-capacity", "15"),
        ("root.a.queues", "a1, a2 "),
        ("root.a.a1.capacity", "60"),
        ("root.a.a2.capacity", "40"),
    ];
    let mut cluster = Cluster::new(queues, &[]);
    assert_absolute(&mut cluster, "root.a.a1", 0.6, 0.15);
    assert_absolute(&mut cluster, "root.a.a2", 0.4, 0.15);
}

/// `TestQueueParsing.testQueueParsingWithLeafQueueDisableElasticity`
#[test]
fn a_capacity_above_the_maximum_counts_where_the_absolute_ones_agree() {
    let queues: Pairs<'_> = &[
        ("root.queues", "a,b"),
        ("root.a.capacity", "50"),
        ("root.a.maximum-capacity", "100"),
        ("root.b.capacity", "50"),
        ("root.b.maximum-capacity", "100"),
        ("root.b.queues", "b1,b2"),
        ("root.b.b1.capacity", "20"),
        ("root.b.b2.capacity", "80"),
        ("root.b.b2.maximum-capacity", "40"),
    ];
    let mut cluster = Cluster::new(queues, &[]);
    assert_absolute(&mut cluster, "root.b.b2", 0.4, 0.4);
}

/// `TestQueueParsing.testQueueOrderingPolicyUpdatedAfterReinitialize`
#[test]
fn a_queue_that_a_refresh_adds_takes_its_turn() {
    let mut cluster = Cluster::new(TREE, &[r(10_240, 10)]);
    let more: Pairs<'_> =
        &[("root.b.queues", "b1,b2,b3,b4"), ("root.b.b4.capacity", "0"), ("root.b.b4.maximum-applications", "1")];
    cluster.refresh(TREE, more).unwrap();
    let names: Vec<_> = cluster.stepped.queues().into_iter().map(|queue| queue.name).collect();
    let below_b: Vec<_> = names.iter().filter(|name| name.starts_with("root.b.")).collect();
    assert_eq!(below_b, ["root.b.b1", "root.b.b2", "root.b.b3", "root.b.b4"]);
    cluster.asking("b4", "user", r(1024, 1), 1);
    assert_eq!(cluster.hb(1), [(1, 1024)]);
}

/// `TestQueueParsing.testQueueCapacityWithWeight`
#[test]
fn an_only_child_has_all_whatever_its_weight() {
    let queues: Pairs<'_> =
        &[("root.queues", "a"), ("root.a.capacity", "100w"), ("root.a.queues", "a1"), ("root.a.a1.capacity", "70w")];
    let mut cluster = Cluster::new(queues, &[]);
    for queue in ["root", "root.a", "root.a.a1"] {
        assert_absolute(&mut cluster, queue, 1.0, 1.0);
    }
}

/// `TestQueueParsing.testQueueParsingWithDefaultUserLimitValues`
#[test]
fn a_leafs_own_user_limit_counts_before_that_of_all() {
    let queues: Pairs<'_> = &[
        ("root.queues", "a,b"),
        ("root.a.capacity", "50"),
        ("root.b.capacity", "50"),
        ("root.a.minimum-user-limit-percent", "15"),
        ("root.a.user-limit-factor", "1.5"),
    ];
    let limits = |more: Pairs<'_>| {
        let mut cluster = Cluster::new(&[queues, more].concat(), &[]);
        ["root.a", "root.b"].map(|name| cluster.leaf(name)).map(|leaf| (leaf.user_limit, leaf.user_limit_factor))
    };
    let of_all: Pairs<'_> = &[("minimum-user-limit-percent", "20"), ("user-limit-factor", "2")];
    assert_eq!(limits(of_all), [(15.0, 1.5), (20.0, 2.0)]);
    assert_eq!(limits(&[]), [(15.0, 1.5), (100.0, 1.0)]);
}

/// `TestLeafQueue.testInitializeQueue`
#[test]
fn a_leaf_has_the_figures_of_its_settings() {
    let more: Pairs<'_> = &[("root.newroot.a.maximum-capacity", "20"), ("maximum-am-resource-percent", "0.1")];
    let mut cluster = crate::user_limits::leaves(more, &[r(50 * 1024, 50)]);
    let figures = ["root.newroot.a", "root.newroot.b", "root.newroot.c"].map(|name| {
        let queue = cluster.queue(name);
        [queue.capacity, queue.absolute_capacity, queue.maximum_capacity, queue.absolute_maximum_capacity]
    });
    let should_be = [[0.085, 0.085, 0.2, 0.2], [0.8, 0.8, 0.99, 0.99], [0.015, 0.015, 0.1, 0.1]];
    assert!(figures.iter().flatten().zip(should_be.iter().flatten()).all(|(is, be)| near(*is, *be)), "{figures:?}");
    let limits = ["root.newroot.a", "root.newroot.b"].map(|name| cluster.leaf(name).am_limit);
    assert_eq!(limits, [r(1024, 1), r(5120, 1)]);
}

/// `TestLeafQueue.testSetupQueueConfigsWithSpecifiedConfiguration`
#[test]
fn how_many_applications_a_leaf_takes_is_that_of_all_queues_cut_to_the_systems() {
    let queues: Pairs<'_> = &[
        ("root.queues", "a,b"),
        ("root.a.capacity", "10"),
        ("root.b.capacity", "90"),
        ("user-limit-factor", "0.1"),
        ("global-queue-max-application", "20"),
        ("maximum-am-resource-percent", "0.1"),
    ];
    let mut cluster = Cluster::new(queues, &[r(10_240, 10)]);
    let leaf = cluster.leaf("root.a");
    assert_eq!((leaf.max_applications, leaf.max_applications_per_user), (20, 2));
    assert!(near(leaf.am_percent, 0.1));
    cluster.refresh(queues, &[("maximum-applications", "15")]).unwrap();
    assert_eq!(cluster.leaf("root.a").max_applications, 15);
}

/// `TestCapacityScheduler.testMaximumCapacitySetup`
#[test]
fn a_maximum_that_is_not_set_is_all() {
    for (written, is) in [(None, 1.0), (Some("50"), 0.5), (Some("-1"), 1.0)] {
        let mut pairs = vec![("root.queues", "a"), ("root.a.capacity", "100")];
        pairs.extend(written.map(|text| ("root.a.maximum-capacity", text)));
        let mut cluster = Cluster::new(&pairs, &[]);
        assert_eq!(cluster.queue("root.a").maximum_capacity, is, "{written:?}");
    }
}

/// `TestCapacityScheduler.testQueueMaximumAllocations`
#[test]
fn a_queue_may_have_a_largest_container_of_its_own() {
    let own: Pairs<'_> = &[("root.a.a1.maximum-allocation-mb", "1024"), ("root.a.a1.maximum-allocation-vcores", "1")];
    let mut cluster = Cluster::new(&[TREE, own].concat(), &[]);
    let sizes = ["root.a.a1", "root.a.a2", "root.c.c1.c11"].map(|name| cluster.queue(name).maximum_allocation);
    let sizes = sizes.map(|size| (size.memory_mb(), size.vcores()));
    assert_eq!(sizes, [(1024, 1), (16_384, 32), (16_384, 32)]);
}

const ABSOLUTE: Pairs<'static> = &[
    ("root.queues", "a,b"),
    ("root.a.capacity", "[memory=6144,vcores=10]"),
    ("root.b.capacity", "[memory=14336,vcores=22]"),
];

fn guaranteed(cluster: &mut Cluster) -> [evenweave::Resource; 2] {
    ["root.a", "root.b"].map(|name| cluster.queue(name).guaranteed)
}

/// A smaller cluster keeps the proportion.
///
/// `TestParentQueue.testAbsoluteResourceWithChangeInClusterResource`
#[test]
fn absolute_capacities_shrink_with_the_cluster() {
    let mut cluster = Cluster::new(ABSOLUTE, &[r(20_480, 32)]);
    assert_eq!(guaranteed(&mut cluster), [r(6144, 10), r(14_336, 22)]);
    cluster.resize(1, r(10_240, 16));
    assert_eq!(guaranteed(&mut cluster), [r(3072, 5), r(7168, 11)]);
    cluster.resize(1, r(10_240, 40));
    assert_eq!(guaranteed(&mut cluster), [r(3072, 12), r(7168, 27)], "all resources go by memory");
}

/// `TestParentQueue.testAbsoluteResourceWithChangeInClusterResource`
#[test]
fn in_the_newer_mode_each_resource_shrinks_by_itself() {
    let mut cluster = Cluster::new(&[ABSOLUTE, &[("legacy-queue-mode.enabled", "false")]].concat(), &[r(10_240, 40)]);
    assert_eq!(guaranteed(&mut cluster), [r(3072, 10), r(7168, 22)]);
}

/// `TestParentQueue.testDeriveCapacityFromAbsoluteConfigurations`
#[test]
fn absolute_capacities_give_fractions_and_numbers_of_applications() {
    let mut cluster = Cluster::new(ABSOLUTE, &[r(20_480, 32)]);
    let fractions = ["root.a", "root.b"].map(|name| cluster.queue(name)).map(|queue| {
        [queue.capacity, queue.absolute_capacity, queue.maximum_capacity, queue.absolute_maximum_capacity]
    });
    let should_be = [[0.3, 0.3, 1.0, 1.0], [0.7, 0.7, 1.0, 1.0]];
    assert!(fractions.iter().flatten().zip(should_be.iter().flatten()).all(|(is, be)| near(*is, *be)));
    let limits = |cluster: &mut Cluster, more: Pairs<'_>| {
        cluster.refresh(ABSOLUTE, more).unwrap();
        let leaf = cluster.leaf("root.b");
        (leaf.max_applications, leaf.max_applications_per_user)
    };
    assert_eq!(limits(&mut cluster, &[]), (7000, 7000));
    assert_eq!(limits(&mut cluster, &[("global-queue-max-application", "8000")]), (5600, 5600));
    let own = ("root.b.maximum-applications", "30000");
    assert_eq!(limits(&mut cluster, &[own]), (30_000, 30_000));
    let percent = "root.b.minimum-user-limit-percent";
    assert_eq!(limits(&mut cluster, &[own, (percent, "50")]), (30_000, 15_000));
    assert_eq!(limits(&mut cluster, &[own, (percent, "33.3")]), (30_000, 9990));
    let factor = "root.b.user-limit-factor";
    assert_eq!(limits(&mut cluster, &[own, (percent, "50"), (factor, "0.9")]), (30_000, 13_500));
    assert_eq!(limits(&mut cluster, &[own, (factor, "1.1")]), (30_000, 30_000), "not more than the queue");
}

/// `TestCapacityScheduler.testParseQueueWithAbsoluteResource`,
/// `TestAbsoluteResourceConfiguration.testEffectiveMinMaxResourceConfigurartionPerQueue`
#[test]
fn absolute_capacities_and_maxima_are_what_is_written() {
    const GB: i64 = 1024;
    let queues: Pairs<'_> = &[
        ("root.queues", "queueA,queueB,queueC"),
        ("root.queueA.capacity", "[memory=102400,vcores=10]"),
        ("root.queueA.maximum-capacity", "[memory=204800,vcores=30]"),
        ("root.queueB.capacity", "[memory=51200,vcores=10]"),
        ("root.queueB.maximum-capacity", "[memory=153600,vcores=30]"),
        ("root.queueC.capacity", "[memory=25600,vcores=5]"),
        ("root.queueC.maximum-capacity", "[memory=153600,vcores=20]"),
    ];
    let mut cluster = Cluster::new(&[queues, &[DRC]].concat(), &[r(250 * GB, 40)]);
    let is = ["root.queueA", "root.queueB", "root.queueC"].map(|name| cluster.queue(name));
    let is = is.map(|queue| (queue.guaranteed, queue.maximum));
    let should_be =
        [(r(100 * GB, 10), r(200 * GB, 30)), (r(50 * GB, 10), r(150 * GB, 30)), (r(25 * GB, 5), r(150 * GB, 20))];
    assert_eq!(is, should_be);
}

/// Half of the nodes go: what is promised shrinks to the same part of what is left, and no maximum is above it.
///
/// `TestAbsoluteResourceConfiguration.testEffectiveResourceAfterReducingClusterResource`
#[test]
fn a_lost_node_lowers_absolute_capacities_and_maxima() {
    const GB: i64 = 1024;
    let queues: Pairs<'_> = &[
        ("root.queues", "queueA,queueB,queueC,queueD"),
        ("root.queueA.capacity", "[memory=102400,vcores=10]"),
        ("root.queueA.maximum-capacity", "[memory=204800,vcores=30]"),
        ("root.queueB.capacity", "[memory=51200,vcores=10]"),
        ("root.queueB.maximum-capacity", "[memory=153600,vcores=30]"),
        ("root.queueC.capacity", "[memory=25600,vcores=5]"),
        ("root.queueC.maximum-capacity", "[memory=153600,vcores=20]"),
        ("root.queueD.capacity", "[memory=25600,vcores=5]"),
        ("root.queueD.maximum-capacity", "[memory=153600,vcores=20]"),
    ];
    let mut cluster = Cluster::new(queues, &[r(125 * GB, 20); 2]);
    assert_eq!(cluster.queue("root.queueA").maximum, r(200 * GB, 30));
    let node = cluster.nodes[0].clone();
    cluster.stepped.remove_node(&node).unwrap();
    let is = ["root.queueA", "root.queueB", "root.queueC"].map(|name| cluster.queue(name));
    let is = is.map(|queue| (queue.guaranteed, queue.maximum));
    assert_eq!(is, [r(64_000, 6), r(32_000, 6), r(16_000, 3)].map(|least| (least, r(128_000, 20))));
}

/// Root accepts children whose percentages miss 100 by less than 0.05.
///
/// `TestParentQueue.testSingleLevelQueuesPrecision`
#[test]
fn percentages_need_not_add_up_to_the_last_digit() {
    let with = |b| {
        let queues: Pairs<'_> = &[("root.queues", "a,b"), ("root.a.capacity", "30"), ("root.b.capacity", b)];
        Cluster::start(queues, &[]).err()
    };
    assert_eq!([with("70"), with("70.005")], [None, None]);
    assert!(with("70.5").unwrap().contains("1.005"));
}

/// `TestParentQueue.testQueueCapacityZero`,
/// `TestParentQueue.testQueueCapacitySettingParentZeroChildren100pctZeroSumAllowed`,
/// `TestParentQueue.testQueueCapacitySettingParentNonZeroChildrenZeroSumAllowed`
#[test]
fn capacities_of_nothing_are_taken_where_they_agree_or_are_allowed() {
    let with = |b: &str, b1: &str, allowed: &str| {
        let queues: Pairs<'_> = &[
            ("root.queues", "a,b"),
            ("root.a.capacity", if b == "0" { "100" } else { "90" }),
            ("root.b.capacity", b),
            ("root.b.queues", "b1"),
            ("root.b.b1.capacity", b1),
            ("root.b.allow-zero-capacity-sum", allowed),
        ];
        Cluster::start(queues, &[]).err()
    };
    assert_eq!(with("0", "0", "false"), None);
    assert_eq!(with("0", "100", "true"), None);
    assert_eq!(with("10", "0", "true"), None);
}

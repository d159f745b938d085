//! Rounds of preemption in trees of queues.

use crate::cluster::{Cluster, Pairs};
use crate::preemption::{full, marked};

/// Two parents with two children each: their guarantees as written, of a cluster of `total`.
fn pairs(rows: &[(&str, &str)]) -> Vec<(String, String)> {
    rows.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// A queue line of the tree: path below root, guaranteed, used, pending. A parent has no figures but its guarantee.
type Line<'a> = (&'a str, u32, u32, u32);

/// Absolute capacities, so that each queue is guaranteed exactly what is written.
fn round(total: u32, lines: &[Line<'_>], more: Pairs<'_>) -> Vec<usize> {
    let mut rows = Vec::new();
    let children = |of: &str| {
        let below = |path: &str| path.rsplit_once('.').map_or("", |(parent, _)| parent) == of;
        let names = lines.iter().filter(|line| below(line.0)).map(|line| line.0.rsplit('.').next().unwrap());
        names.collect::<Vec<_>>().join(",")
    };
    rows.push(("root.queues".to_owned(), children("")));
    for (path, guaranteed, _, _) in lines {
        rows.push((format!("root.{path}.capacity"), format!("[memory={guaranteed},vcores=1]")));
        let below = children(path);
        if !below.is_empty() {
            rows.push((format!("root.{path}.queues"), below));
        }
    }
    rows.extend(pairs(more));
    let rows: Vec<_> = rows.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let leaves: Vec<_> = lines
        .iter()
        .filter(|line| children(line.0).is_empty())
        .map(|(path, _, used, pending)| (path.rsplit('.').next().unwrap(), *used, *pending))
        .collect();
    let (mut cluster, apps): (Cluster, _) = full(&rows, total.into(), &leaves);
    marked(&mut cluster, &apps)
}

const TWO_PARENTS: &[Line<'static>] = &[
    ("a", 100, 0, 0),
    ("a.b", 50, 60, 0),
    ("a.c", 50, 50, 0),
    ("d", 100, 0, 0),
    ("d.e", 10, 90, 0),
    ("d.f", 90, 0, 10),
];

/// `TestProportionalCapacityPreemptionPolicy.testHierarchical`
#[test]
fn a_parent_above_its_guarantee_gives_before_a_leaf_below_another() {
    assert_eq!(round(200, TWO_PARENTS, &[]), [10, 0, 0, 0]);
}

/// `TestProportionalCapacityPreemptionPolicy.testPerQueueDisablePreemptionHierarchical`
#[test]
fn where_it_may_not_give_the_sibling_of_who_asks_does() {
    assert_eq!(round(200, TWO_PARENTS, &[("root.a.b.disable_preemption", "true")]), [0, 0, 10, 0]);
}

/// `TestProportionalCapacityPreemptionPolicy.testPerQueueDisablePreemptionRootDisablesAll`
#[test]
fn root_can_forbid_preemption_everywhere() {
    assert_eq!(round(200, TWO_PARENTS, &[("root.disable_preemption", "true")]), [0; 4]);
}

const THREE_PARENTS: &[Line<'static>] = &[
    ("a", 350, 0, 0),
    ("a.b", 150, 200, 0),
    ("a.c", 200, 200, 0),
    ("d", 400, 0, 0),
    ("d.e", 200, 250, 0),
    ("d.f", 200, 150, 50),
    ("g", 250, 0, 0),
    ("g.h", 100, 150, 0),
    ("g.i", 150, 50, 0),
];

/// `TestProportionalCapacityPreemptionPolicy.testPerQueueDisablePreemptionBroadHierarchical`
#[test]
fn several_parents_share_what_is_taken() {
    let with = |disabled: Pairs<'_>| round(1000, THREE_PARENTS, disabled);
    assert_eq!(with(&[]), [27, 0, 23, 0, 0, 0]);
    let b = ("root.a.b.disable_preemption", "true");
    assert_eq!(with(&[b]), [0, 0, 50, 0, 0, 0]);
    assert_eq!(with(&[b, ("root.d.e.disable_preemption", "true")]), [0; 6]);
}

const INHERITING: &[Line<'static>] = &[
    ("a", 500, 0, 0),
    ("a.b", 200, 0, 0),
    ("a.c", 200, 350, 0),
    ("a.d", 100, 350, 0),
    ("e", 500, 0, 0),
    ("e.f", 200, 0, 200),
    ("e.g", 200, 200, 0),
    ("e.h", 100, 100, 0),
];

/// `TestProportionalCapacityPreemptionPolicy.testPerQueueDisablePreemptionInheritParent`
#[test]
fn leaves_inherit_whether_they_may_be_preempted() {
    assert_eq!(round(1000, INHERITING, &[]), [0, 17, 183, 0, 0, 0]);
    assert_eq!(round(1000, INHERITING, &[("root.a.disable_preemption", "true")]), [0; 6]);
}

/// `TestCapacityScheduler.testPreemptionDisabled`
#[test]
fn a_leaf_may_say_otherwise_than_its_parent() {
    let disabled = ("root.disable_preemption", "true");
    assert_eq!(round(1000, INHERITING, &[disabled, ("root.a.disable_preemption", "false")]), [0, 17, 183, 0, 0, 0]);
    let own = ("root.a.d.disable_preemption", "false");
    assert_eq!(round(1000, INHERITING, &[("root.a.disable_preemption", "true"), own]), [0, 0, 200, 0, 0, 0]);
}

/// `TestProportionalCapacityPreemptionPolicy.testPerQueuePreemptionNotAllUntouchable`
#[test]
fn what_one_child_may_not_give_another_gives_as_far_as_it_can() {
    let lines: &[Line<'_>] = &[
        ("a", 1000, 0, 0),
        ("a.b", 800, 300, 0),
        ("a.c", 100, 800, 0),
        ("a.d", 100, 200, 0),
        ("e", 1000, 0, 0),
        ("e.f", 500, 500, 0),
        ("e.g", 300, 0, 300),
        ("e.h", 200, 200, 0),
    ];
    assert_eq!(round(2000, lines, &[("root.a.c.disable_preemption", "true")]), [0, 0, 100, 0, 0, 0]);
}

/// `TestProportionalCapacityPreemptionPolicy.testPerQueueDisablePreemptionOverAbsMaxCapacity`
#[test]
fn a_leaf_that_may_not_be_preempted_keeps_what_is_above_its_maximum() {
    let lines: &[Line<'_>] = &[
        ("a", 725, 0, 0),
        ("a.b", 360, 396, 0),
        ("a.c", 365, 345, 20),
        ("d", 275, 0, 0),
        ("d.e", 17, 110, 20),
        ("d.f", 258, 149, 0),
    ];
    let more: Pairs<'_> =
        &[("root.d.disable_preemption", "true"), ("root.d.maximum-capacity", "[memory=550,vcores=1000]")];
    assert_eq!(round(1000, lines, more)[2], 0);
}

/// `TestProportionalCapacityPreemptionPolicy.testHierarchicalLarge`
#[test]
fn who_is_further_above_gives_more() {
    let lines: &[Line<'_>] = &[
        ("a", 200, 0, 0),
        ("a.b", 60, 70, 0),
        ("a.c", 140, 140, 0),
        ("d", 100, 0, 0),
        ("d.e", 70, 50, 0),
        ("d.f", 30, 50, 0),
        ("g", 100, 0, 0),
        ("g.h", 10, 90, 0),
        ("g.i", 90, 0, 15),
    ];
    assert_eq!(round(400, lines, &[]), [9, 0, 0, 0, 6, 0]);
}

/// `TestProportionalCapacityPreemptionPolicy.testHierarchicalLarge3Levels`
#[test]
fn a_leaf_on_a_third_level_gives_for_its_whole_branch() {
    let lines: &[Line<'_>] = &[
        ("a", 200, 0, 0),
        ("a.b", 60, 60, 0),
        ("a.c", 140, 0, 0),
        ("a.c.d", 100, 100, 0),
        ("a.c.e", 40, 50, 0),
        ("f", 100, 0, 0),
        ("f.g", 70, 50, 0),
        ("f.h", 30, 50, 0),
        ("i", 100, 0, 0),
        ("i.j", 10, 10, 0),
        ("i.k", 90, 80, 10),
    ];
    assert_eq!(round(400, lines, &[]), [0, 0, 9, 0, 0, 0, 0]);
}

/// Queues without a guarantee count as satisfied.
///
/// `TestProportionalCapacityPreemptionPolicy.testZeroGuar`
#[test]
fn a_queue_without_a_guarantee_gives_nothing_for_a_branch_within_its_own() {
    let lines: &[Line<'_>] = &[
        ("a", 100, 0, 0),
        ("a.b", 0, 60, 0),
        ("a.c", 99, 20, 0),
        ("d", 100, 0, 0),
        ("d.e", 10, 90, 0),
        ("d.f", 90, 0, 10),
    ];
    assert_eq!(round(200, lines, &[("root.a.b.maximum-applications", "1")])[0], 0);
}

/// A parent that makes queues and has none yet is guaranteed its part like another, and has nothing to give.
///
/// `TestProportionalCapacityPreemptionPolicy.testLeafQueueNameExtraction`
#[test]
fn a_parent_that_has_made_no_queue_yet_is_no_leaf() {
    let weights: Pairs<'_> = &[
        ("root.queues", "a,b,c"),
        ("root.a.capacity", "40w"),
        ("root.b.capacity", "40w"),
        ("root.c.capacity", "20w"),
        ("root.a.auto-queue-creation-v2.enabled", "true"),
    ];
    let (mut cluster, apps) = full(weights, 100, &[("b", 30, 10), ("c", 70, 0)]);
    assert_eq!(marked(&mut cluster, &apps), [0, 10]);
}

//! The order of applications in a leaf queue, and of queues by priority.

use crate::cluster::{Pairs, any, gb, r};
use crate::user_limits::leaves;

const A: &str = "root.newroot.a";

/// Both ask for one container a round; the one of the higher priority is first.
///
/// `TestLeafQueue.testFifoAssignment`
#[test]
fn in_a_fifo_leaf_the_higher_priority_is_first() {
    let more: Pairs<'_> = &[("root.newroot.a.ordering-policy", "fifo"), ("root.newroot.a.user-limit-factor", "10")];
    let mut cluster = leaves(more, &[r(16_384, 16); 2]);
    let three = cluster.submission("a", "user_0", None, 3).unwrap();
    let five = cluster.submission("a", "user_0", None, 5).unwrap();
    cluster.ask(&three, &[any(1, gb(2), 1)]);
    cluster.ask(&five, &[any(1, gb(1), 1)]);
    let mut seen = Vec::new();
    for round in 0..4 {
        if round == 2 {
            cluster.ask(&three, &[any(1, gb(1), 1)]);
            cluster.ask(&five, &[any(1, gb(1), 1)]);
        }
        cluster.hb(1);
        seen.push(cluster.live([&five, &three]));
    }
    assert_eq!(seen, [[1, 0], [1, 2], [2, 2], [2, 3]]);
}

/// `TestLeafQueue.testFairAssignment`
#[test]
fn in_a_fair_leaf_who_uses_less_is_first() {
    let more: Pairs<'_> = &[("root.newroot.a.ordering-policy", "fair"), ("root.newroot.a.user-limit-factor", "10")];
    let mut cluster = leaves(more, &[r(16_384, 16); 2]);
    let [zero, one] = [2, 1].map(|size| cluster.asking("a", "user_0", gb(size), 1));
    cluster.hb(1);
    assert_eq!(cluster.live([&zero, &one]), [2, 0]);
    cluster.hb(1);
    assert_eq!(cluster.live([&zero, &one]), [2, 1]);
    for app in [&zero, &one] {
        cluster.ask(app, &[any(1, gb(1), 1)]);
    }
    cluster.hb(1);
    assert_eq!(cluster.live([&zero, &one]), [2, 2], "the one with less");
    cluster.hb(1);
    assert_eq!(cluster.live([&zero, &one]), [3, 2]);
}

const SIZED: &str = "root.newroot.a.ordering-policy.fair.enable-size-based-weight";

/// `TestLeafQueue.testPolicyConfiguration`, `TestLeafQueue.testFairConfiguration`
#[test]
fn a_leaf_is_fifo_unless_it_says_fair_which_may_weigh_by_size() {
    let policy = |more: Pairs<'_>| {
        let mut cluster = leaves(more, &[]);
        let configuration = cluster.stepped.configuration();
        let leaf = configuration.file().queue_at(A).unwrap().as_leaf().unwrap();
        format!("{:?}", leaf.ordering)
    };
    let fair = ("root.newroot.a.ordering-policy", "fair");
    let seen = [policy(&[]), policy(&[fair]), policy(&[fair, (SIZED, "true")])];
    assert!(seen[0].starts_with("Fifo"), "{seen:?}");
    assert!(seen[1].contains("Fair") && seen[1].contains("false"), "{seen:?}");
    assert!(seen[2].contains("Fair") && seen[2].contains("true"), "{seen:?}");
}

/// With weights by size an ask alone changes the order.
///
/// `TestCapacityScheduler.testAllocateReorder`
#[test]
fn in_a_fair_leaf_that_weighs_by_size_who_asks_for_more_is_first() {
    let more: Pairs<'_> =
        &[("root.newroot.a.ordering-policy", "fair"), (SIZED, "true"), ("root.newroot.a.user-limit-factor", "100")];
    let mut cluster = leaves(more, &[r(16_384, 16)]);
    let [one, two] = [1, 1].map(|count| cluster.asking("a", "user_0", gb(1), count));
    cluster.hbs(1, 2);
    assert_eq!(cluster.live([&one, &two]), [1, 1]);
    cluster.ask(&one, &[any(1, gb(1), 1)]);
    cluster.ask(&two, &[any(1, gb(1), 5)]);
    assert_eq!(cluster.hb(1), [(two.number(), 1024)], "2 GB of it weigh less than 1 GB of the other");
}

//! Instantaneous and steady fair shares, and demand, of queues in a cluster.

use crate::cluster::{Cluster, DRF, parent, queue, r};

const A1: &str = "root.parentA.childA1";
const A2: &str = "root.parentA.childA2";
const A3: &str = "root.parentA.childA3";
const A4: &str = "root.parentA.childA4";
const B1: &str = "root.parentB.childB1";
const B2: &str = "root.parentB.childB2";

fn parents(policy: &str) -> String {
    let children = |names: &[&str]| names.iter().map(|name| queue(name, "")).collect::<String>();
    let a = queue("parentA", &format!("<weight>8</weight>{}", children(&["childA1", "childA2", "childA3", "childA4"])));
    let b = queue("parentB", &format!("<weight>1</weight>{}", children(&["childB1", "childB2"])));
    let default = format!("<defaultQueueSchedulingPolicy>{policy}</defaultQueueSchedulingPolicy>");
    format!("{}{default}", queue("root", &format!("{a}{b}{}", queue("default", "<weight>1</weight>"))))
}

fn percent(amount: i64) -> i64 {
    (amount * 100 + 8192) / (16 * 1024)
}

/// Shares in per cent of the cluster, to the whole number, and the steady ones.
fn assert_percent_now(cluster: &mut Cluster, expected: &[(&str, i64)]) {
    for (name, share) in expected {
        assert_eq!(percent(cluster.share(name)), *share, "{name}");
    }
    for name in [A1, A2, A3, A4] {
        assert_eq!(percent(cluster.steady(name)), 20, "{name}");
    }
    for name in [B1, B2] {
        assert_eq!(percent(cluster.steady(name)), 5, "{name}");
    }
}

/// The same with one application in each of the named queues.
fn assert_percent(active: &[&str], expected: &[(&str, i64)]) {
    let mut cluster = Cluster::new(&parents("fair"), &[("/r", r(16 * 1024, 16))]);
    for name in active {
        cluster.request(r(2048, 1), name, "user1", 1);
    }
    cluster.stepped.update_now();
    assert_percent_now(&mut cluster, expected);
}

/// `TestFairSchedulerFairShare.testFairShareNoAppsRunning`
#[test]
fn queues_without_applications_have_only_steady_shares() {
    assert_percent(&[], &[(A1, 0), (A2, 0), (A3, 0), (A4, 0), (B1, 0), (B2, 0)]);
}

/// `TestFairSchedulerFairShare.testFairShareOneAppRunning`
#[test]
fn the_only_active_queue_has_everything() {
    assert_percent(&[A1], &[(A1, 100), (A2, 0), (B1, 0)]);
}

/// `TestFairSchedulerFairShare.testFairShareMultipleActiveQueuesUnderSameParent`
#[test]
fn active_siblings_share_equally() {
    assert_percent(&[A1, A2, A3], &[(A1, 33), (A2, 33), (A3, 33), (A4, 0)]);
}

/// `TestFairSchedulerFairShare.testFairShareMultipleActiveQueuesUnderDifferentParent`
#[test]
fn active_queues_share_by_the_weights_of_their_parents() {
    assert_percent(&[A1, A2, B1, "root.default"], &[(A1, 40), (A2, 40), (B1, 10), ("root.default", 10)]);
}

/// `TestFairSchedulerFairShare.testFairShareResetsToZeroWhenAppsComplete`
#[test]
fn a_queue_whose_last_application_ends_has_no_share() {
    let mut cluster = Cluster::new(&parents("fair"), &[("/r", r(16 * 1024, 16))]);
    let first = cluster.request(r(2048, 1), A1, "user1", 1);
    cluster.request(r(2048, 1), A2, "user2", 1);
    assert_percent_now(&mut cluster, &[(A1, 50), (A2, 50)]);
    cluster.finish(&first);
    cluster.stepped.update_now();
    assert_percent_now(&mut cluster, &[(A1, 0), (A2, 100)]);
}

/// `TestFairSchedulerFairShare.testFairShareWithDRFMultipleActiveQueuesUnderDifferentParent`
#[test]
fn drf_shares_every_type() {
    let mut cluster = Cluster::new(&parents("drf"), &[("/r", r(16 * 1024, 10))]);
    for name in [A1, A2, B1, "root.default"] {
        cluster.request(r(2048, 1), name, "user1", 1);
    }
    assert_percent_now(&mut cluster, &[(A1, 40), (A2, 40), (B1, 10)]);
    assert_eq!([A1, A2, B1].map(|name| cluster.queue(name).fair_share.vcores()), [4, 4, 1]);
    // 10 % of 10, where 5 % is meant: it is rounded.
    assert_eq!([A1, A4, B1].map(|name| cluster.queue(name).steady_fair_share.vcores()), [2, 2, 1]);
}

/// 10240 by three is 3413.3: rounded up.
///
/// `TestFairScheduler.testSimpleFairShareCalculation`
#[test]
fn three_hungry_queues_share_a_node_equally() {
    let names = ["root.queue1", "root.queue2", "root.default"];
    let mut cluster = Cluster::new(&queue("default", ""), &[("/r", r(10 * 1024, 10))]);
    for name in names {
        cluster.request(r(10 * 1024, 1), name, "user1", 1);
    }
    for name in names {
        assert_eq!((cluster.share(name), cluster.steady(name)), (3414, 3414), "{name}");
    }
}

/// `TestFairScheduler.testFairShareWithHighMaxResources`
#[test]
fn maxima_above_the_cluster_do_not_matter() {
    let max = format!("<maxResources>{} mb, {} vcores</maxResources>", 1 << 30, 1 << 30);
    let text = queue("queueA", &format!("{max}<weight>.25</weight>"))
        + &queue("queueB", &format!("{max}<weight>.75</weight>"));
    let mut cluster = Cluster::new(&text, &[("/r", r(8 * 1024, 8))]);
    cluster.request(r(1024, 1), "queueA", "user1", 1);
    cluster.request(r(6 * 1024, 1), "queueB", "user1", 1);
    assert_eq!([cluster.share("root.queueA"), cluster.share("root.queueB")], [2048, 6144]);
}

/// `TestFairScheduler.testFairShareWithLowMaxResources`
#[test]
fn low_maxima_bound_shares_and_containers() {
    let text = queue("queueA", "<maxResources>1024 mb,1 vcores</maxResources><weight>.75</weight>")
        + &queue("queueB", "<maxResources>3072 mb,3 vcores</maxResources><weight>.25</weight>");
    let mut cluster = Cluster::new(&text, &[("/r", r(8 * 1024, 8))]);
    let a = cluster.request(r(1024, 1), "queueA", "user1", 2);
    let b = cluster.request(r(1024, 1), "queueB", "user1", 4);
    assert_eq!([cluster.share("root.queueA"), cluster.share("root.queueB")], [1024, 3072]);
    cluster.hbs(1, 6);
    assert_eq!(cluster.live(&[(&a, r(1024, 1)), (&b, r(1024, 1))]), [1, 3]);
}

/// The shares of two queues of one configuration that ask for as much each.
fn shares_of_two(inside: &str, asked: i64) -> [i64; 2] {
    let text = queue("queueA", inside) + &queue("queueB", inside);
    let mut cluster = Cluster::new(&text, &[("/r", r(8 * 1024, 8))]);
    cluster.request(r(asked, 1), "queueA", "user1", 1);
    cluster.request(r(asked, 1), "queueB", "user1", 1);
    [cluster.share("root.queueA"), cluster.share("root.queueB")]
}

/// `TestFairScheduler.testFairShareWithZeroWeight`, `TestFairScheduler.testFairShareWithZeroWeightNoneZeroMinRes`
#[test]
fn weight_zero_has_the_min_share_and_no_more() {
    assert_eq!(shares_of_two("<weight>0.0</weight>", 2048), [0, 0]);
    assert_eq!(shares_of_two("<minResources>1 mb 1 vcores</minResources><weight>0.0</weight>", 2048), [1, 1]);
}

/// `TestFairScheduler.testFairShareWithNoneZeroWeightNoneZeroMinRes`
#[test]
fn a_weight_gives_more_than_the_min_share() {
    assert_eq!(shares_of_two("<minResources>1024 mb 1 vcores</minResources><weight>0.5</weight>", 4096), [4096, 4096]);
}

/// `TestFairScheduler.testFairShareWithMinAlloc`
#[test]
fn min_shares_that_fill_the_cluster_are_the_shares() {
    let text = queue("queueA", "<minResources>1024 mb,0 vcores</minResources>")
        + &queue("queueB", "<minResources>2048 mb,0 vcores</minResources>");
    let mut cluster = Cluster::new(&text, &[("/r", r(3 * 1024, 3))]);
    cluster.request(r(2048, 1), "queueA", "user1", 1);
    cluster.request(r(2048, 1), "queueB", "user1", 1);
    assert_eq!([cluster.share("root.queueA"), cluster.share("root.queueB")], [1024, 2048]);
}

/// Queues of users, made under a parent by the rules, have weight 1 and an equal part of the parent's half.
///
/// `TestFairScheduler.testFairShareAndWeightsInNestedUserQueueRule`
#[test]
fn queues_of_users_share_what_their_parent_has() {
    let rules = "<queuePlacementPolicy><rule name='nestedUserQueue'><rule name='specified' create='false'/></rule>\
                 <rule name='default'/></queuePlacementPolicy>";
    let text = parent("parentq", "<minResources>1024mb,0vcores</minResources>") + rules;
    let mut cluster = Cluster::new(&text, &[("/r", r(16 * 1024, 16))]);
    for (queue, user) in [("root.parentq", "user1"), ("root.parentq", "user2"), ("root.default", "user3")] {
        cluster.request(r(10 * 1024, 1), queue, user, 1);
    }
    for name in ["root.parentq.user1", "root.parentq.user2"] {
        assert_eq!((cluster.share(name), cluster.steady(name)), (4096, 4096), "{name}");
        assert_eq!(cluster.queue(name).weight.to_bits(), 1.0_f32.to_bits());
    }
}

/// `TestFairScheduler.testSimpleHierarchicalFairShareCalculation`
#[test]
fn children_share_what_their_parent_has() {
    let text = queue("default", "") + &queue("parent", &(queue("queue2", "") + &queue("queue3", "")));
    let mut cluster = Cluster::new(&text, &[("/r", r(240, 10))]);
    for name in ["root.default", "root.parent.queue2", "root.parent.queue3"] {
        cluster.request(r(100, 1), name, "user1", 1);
    }
    for (name, share) in [("root.default", 120), ("root.parent.queue2", 60), ("root.parent.queue3", 60)] {
        assert_eq!((cluster.share(name), cluster.steady(name)), (share, share), "{name}");
    }
}

/// `TestFairScheduler.testSteadyFairShareWithReloadAndNodeAddRemove`
#[test]
fn steady_shares_follow_nodes_and_the_file() {
    let text = |children: &str| DRF.to_owned() + &queue("root", &(queue("default", "") + children));
    let weight = |weight: u32| format!("<weight>{weight}</weight>");
    let ones = queue("child1", &weight(1)) + &queue("child2", &weight(1));
    // One further queue, so that the parts are whole: 1, 2, 2 and 1 of 6.
    let twos = queue("child1", &weight(2)) + &queue("child2", &weight(2)) + &queue("child3", &weight(1));
    let names = ["root.default", "root.child1", "root.child2"];
    let mut cluster = Cluster::new(&text(&ones), &[]);
    assert_eq!(names.map(|name| cluster.steady(name)), [0, 0, 0]);
    cluster.add_node("/r", r(6144, 6));
    assert_eq!(names.map(|name| cluster.steady(name)), [2048, 2048, 2048]);
    cluster.reload(&text(&twos));
    assert_eq!(names.map(|name| cluster.steady(name)), [1024, 2048, 2048]);
    cluster.remove_node(1);
    assert_eq!(names.map(|name| cluster.steady(name)), [0, 0, 0]);
}

/// `TestFairScheduler.testSteadyFairShareWithQueueCreatedRuntime`
#[test]
fn steady_shares_follow_queues_made_by_submissions() {
    let mut cluster = Cluster::new(&queue("default", ""), &[("/r", r(6144, 6))]);
    assert_eq!(cluster.steady("root.default"), 6144);
    cluster.start("root.user1");
    assert_eq!([cluster.steady("root.default"), cluster.steady("root.user1")], [3072, 3072]);
}

/// `TestFairScheduler.testQueueDemandCalculation`
#[test]
fn demand_is_the_sum_of_what_applications_want() {
    let mut cluster = Cluster::new("", &[("/r", r(10_240, 10))]);
    cluster.request(r(2048, 1), "queue1", "user1", 1);
    cluster.request(r(2048, 1), "queue2", "user1", 1);
    cluster.request(r(1024, 1), "queue2", "user1", 2);
    let mut demand = |name: &str| cluster.queue(name).demand.memory_mb();
    assert_eq!([demand("root.queue1"), demand("root.queue2"), demand("root")], [2048, 4096, 6144]);
}

/// `TestFairScheduler.testUpdateDemand`
#[test]
fn demand_is_cut_by_the_maximum_at_every_level() {
    const MAX: &str = "<maxResources>8192 mb, 8 vcores</maxResources>";
    let text = queue("parent", &(MAX.to_owned() + &queue("child1", MAX) + &queue("child2", MAX)));
    let mut cluster = Cluster::new(&text, &[("/r", r(16 * 1024, 16))]);
    cluster.request(r(8192, 1), "parent.child1", "user1", 1);
    cluster.request(r(8192, 1), "parent.child2", "user1", 1);
    for name in ["root.parent.child1", "root.parent.child2", "root.parent"] {
        assert_eq!(cluster.queue(name).demand.memory_mb(), 8192, "{name}");
    }
}

/// The queue's maximum is 8192 MB, and each of two applications wants as much.
///
/// `TestFSLeafQueue.testUpdateDemand`
#[test]
fn demand_of_a_leaf_is_cut_by_its_maximum() {
    let text = queue("queueA", "<maxResources>8192 mb, 8 vcores</maxResources>");
    let mut cluster = Cluster::new(&text, &[("/r", r(16 * 1024, 16))]);
    cluster.request(r(8192, 1), "queueA", "user1", 1);
    cluster.request(r(4096, 1), "queueA", "user1", 2);
    let queue = cluster.queue("root.queueA");
    assert_eq!(queue.demand.memory_mb(), 8192);
    assert_eq!((queue.max_running_apps, queue.policy.as_str()), (2_147_483_647, "fair"));
}

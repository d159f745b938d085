//! Rounds of preemption among queues of one level.

use crate::cluster::{Cluster, DRC, Pairs, any, r};
use evenweave::{AppHandle, ContainerId, EndReason, Resource};

/// A round may take everything at once; containers of 1 MB.
pub(crate) const ROUNDS: Pairs<'static> = &[
    ("yarn.resourcemanager.scheduler.monitor.enable", "true"),
    ("yarn.resourcemanager.monitor.capacity.preemption.natural_termination_factor", "1"),
    ("yarn.resourcemanager.monitor.capacity.preemption.total_preemption_per_round", "1"),
    ("yarn.resourcemanager.monitor.capacity.preemption.max_wait_before_kill", "10000"),
    ("yarn.scheduler.minimum-allocation-mb", "1"),
    ("user-limit-factor", "1000"),
    ("per-node-heartbeat.multiple-assignments-enabled", "true"),
    ("per-node-heartbeat.maximum-container-assignments", "-1"),
    ("per-node-heartbeat.maximum-offswitch-assignments", "100000"),
];

pub(crate) const UNIT: Resource = r(1, 1);

/// Queues that use so much and ask for so much more, by one application each, in a cluster of a size.
pub(crate) fn full(pairs: Pairs<'_>, total: i64, queues: &[(&str, u32, u32)]) -> (Cluster, Vec<AppHandle>) {
    let used: u32 = queues.iter().map(|(_, used, _)| used).sum();
    let pairs = [ROUNDS, pairs].concat();
    let mut cluster = Cluster::new(&pairs, &[r(total.max(used.into()), 1000)]);
    let mut apps = Vec::new();
    for (queue, used, _) in queues {
        let app = cluster.asking(queue, "user", UNIT, *used);
        cluster.hb(1);
        assert_eq!(cluster.app(&app).used.memory_mb(), i64::from(*used), "{queue} has its use");
        apps.push(app);
    }
    cluster.resize(1, r(total, 1000));
    for (app, (_, _, pending)) in apps.iter().zip(queues) {
        cluster.ask(app, &[any(1, UNIT, *pending)]);
    }
    (cluster, apps)
}

/// What a round marks.
pub(crate) fn chosen(cluster: &mut Cluster) -> Vec<ContainerId> {
    cluster.stepped.preempt().unwrap().into_iter().flat_map(|round| round.containers).collect()
}

/// How many containers of each are marked in a round.
pub(crate) fn marked(cluster: &mut Cluster, apps: &[AppHandle]) -> Vec<usize> {
    let marked = chosen(cluster);
    apps.iter().map(|app| marked.iter().filter(|id| id.application_number() == app.number()).count()).collect()
}

const THREE: Pairs<'static> =
    &[("root.queues", "a,b,c"), ("root.a.capacity", "40"), ("root.b.capacity", "40"), ("root.c.capacity", "20")];

fn three(more: Pairs<'_>, total: i64, used: [u32; 3], pending: [u32; 3]) -> (Cluster, Vec<AppHandle>) {
    let queues = [0, 1, 2].map(|i| (["a", "b", "c"][i], used[i], pending[i]));
    full(&[THREE, more].concat(), total, &queues)
}

/// `TestProportionalCapacityPreemptionPolicy.testIgnore`
#[test]
fn nothing_is_taken_where_nobody_asks() {
    let (mut cluster, apps) = three(&[], 100, [0, 60, 40], [0, 0, 0]);
    assert_eq!(marked(&mut cluster, &apps), [0, 0, 0]);
}

/// `TestProportionalCapacityPreemptionPolicy.testProportionalPreemption`
#[test]
fn only_what_no_idle_guarantee_covers_is_taken() {
    let four: Pairs<'_> = &[
        ("root.queues", "a,b,c,d"),
        ("root.a.capacity", "10"),
        ("root.b.capacity", "40"),
        ("root.c.capacity", "20"),
        ("root.d.capacity", "30"),
    ];
    let (mut cluster, apps) = full(four, 100, &[("a", 30, 20), ("b", 60, 5), ("c", 10, 20), ("d", 0, 0)]);
    let marks = marked(&mut cluster, &apps);
    assert_eq!(marks[0], 10);
    assert_eq!(marks[2..], [0, 0]);
}

/// `TestProportionalCapacityPreemptionPolicy.testMaxCap`
#[test]
fn nothing_is_taken_for_a_queue_at_its_maximum() {
    let (mut cluster, apps) = three(&[("root.b.maximum-capacity", "45.5")], 100, [55, 45, 0], [10, 10, 0]);
    assert_eq!(marked(&mut cluster, &apps)[0], 0);
}

/// `TestProportionalCapacityPreemptionPolicy.testPreemptCycle`
#[test]
fn the_queue_furthest_above_its_guarantee_gives() {
    let (mut cluster, apps) = three(&[], 100, [0, 60, 40], [10, 0, 0]);
    assert_eq!(marked(&mut cluster, &apps), [0, 0, 10]);
}

/// `TestProportionalCapacityPreemptionPolicy.testExpireKill`
#[test]
fn what_is_marked_ends_after_the_wait() {
    let (mut cluster, apps) = three(&[], 100, [0, 60, 40], [10, 0, 0]);
    assert_eq!(marked(&mut cluster, &apps), [0, 0, 10]);
    let told = cluster.call(&apps[2], &evenweave::AllocateRequest::default()).unwrap().strict_preemptions;
    assert_eq!(told.len(), 10);
    let mut ended = Vec::new();
    for wait in [5000, 5001] {
        cluster.stepped.advance(wait);
        cluster.stepped.take_journal();
        cluster.stepped.preempt().unwrap();
        ended.push(cluster.stepped.take_journal().completed);
    }
    assert_eq!(ended[0], [], "half the wait");
    assert_eq!(ended[1].len(), 10);
    assert!(ended[1].iter().all(|(app, _, why)| (*app, *why) == (apps[2].number(), EndReason::Preempted)));
    assert_eq!(cluster.used_by(["root.c"]), [30]);
}

/// The cluster has shrunk to 100 of 103.
///
/// `TestProportionalCapacityPreemptionPolicy.testDeadzone`
#[test]
fn a_little_more_than_the_guarantee_is_overlooked() {
    let zone = &[("yarn.resourcemanager.monitor.capacity.preemption.max_ignored_over_capacity", "0.1")];
    let (mut cluster, apps) = three(zone, 100, [39, 43, 21], [10, 0, 0]);
    assert_eq!(marked(&mut cluster, &apps), [0, 0, 0]);
}

/// `TestProportionalCapacityPreemptionPolicy.testPerQueueDisablePreemption`
#[test]
fn a_queue_that_may_not_be_preempted_gives_nothing() {
    let queues = |disabled: &str| {
        let pairs: Pairs<'_> = &[
            ("root.queues", "a,b,c"),
            ("root.a.capacity", "55"),
            ("root.b.capacity", "25"),
            ("root.c.capacity", "20"),
            ("root.b.disable_preemption", disabled),
        ];
        let (mut cluster, apps) = full(pairs, 100, &[("a", 0, 10), ("b", 54, 0), ("c", 46, 0)]);
        marked(&mut cluster, &apps)
    };
    assert_eq!(queues("true"), [0, 0, 10]);
    assert_eq!(queues("false"), [0, 4, 6]);
}

/// `TestProportionalCapacityPreemptionPolicy.testOverCapacityImbalance`
#[test]
fn queues_above_their_guarantees_leave_each_other_alone() {
    let (mut cluster, apps) = three(&[], 100, [55, 45, 0], [10, 10, 0]);
    assert_eq!(marked(&mut cluster, &apps), [0, 0, 0]);
}

/// `TestProportionalCapacityPreemptionPolicy.testObserveOnly`,
/// `TestProportionalCapacityPreemptionPolicy.testRefreshPreemptionProperties`
#[test]
fn a_policy_that_only_observes_marks_nothing_until_a_refresh_ends_that() {
    let observe = |only| [("yarn.resourcemanager.monitor.capacity.preemption.observe_only", only)];
    let (mut cluster, apps) = three(&observe("true"), 100, [90, 10, 0], [10, 20, 50]);
    assert_eq!(marked(&mut cluster, &apps), [0, 0, 0]);
    cluster.refresh(&[ROUNDS, THREE].concat(), &observe("false")).unwrap();
    assert_eq!(marked(&mut cluster, &apps), [40, 0, 0], "20 for each of the others");
}

const TWO: Pairs<'static> = &[("root.queues", "a,b"), ("root.a.capacity", "50"), ("root.b.capacity", "50")];

/// Four applications with AMs and as many containers in all, of a size.
fn with_ams(cluster: &mut Cluster, each: u32, size: Resource) -> Vec<AppHandle> {
    let mut apps = Vec::new();
    for _ in 0..4 {
        let app = cluster.submit_with_am("a", "user", size);
        cluster.hb(1);
        assert_eq!(cluster.app(&app).used, size, "the AM");
        cluster.ask(&app, &[any(1, size, each - 1)]);
        cluster.hb(1);
        assert_eq!(cluster.app(&app).used.memory_mb(), i64::from(each) * size.memory_mb());
        apps.push(app);
    }
    apps
}

/// The youngest application gives first.
///
/// `TestProportionalCapacityPreemptionPolicy.testSkipAMContainer`
#[test]
fn ams_are_spared_while_others_can_be_taken() {
    let mut cluster = Cluster::new(&[ROUNDS, TWO, &[("maximum-am-resource-percent", "0.1")]].concat(), &[r(100, 1000)]);
    let mut apps = with_ams(&mut cluster, 25, UNIT);
    cluster.ask(&apps[0], &[any(1, UNIT, 20)]);
    apps.push(cluster.asking("b", "user", UNIT, 50));
    assert_eq!(marked(&mut cluster, &apps), [0, 2, 24, 24, 0]);
}

/// `TestProportionalCapacityPreemptionPolicy.testPreemptSkippedAMContainers`,
/// `TestProportionalCapacityPreemptionPolicy.testAMResourcePercentForSkippedAMContainers`
#[test]
fn ams_are_taken_down_to_the_share_of_ams_when_nothing_else_is_left() {
    let tenth: Pairs<'_> = &[
        ("root.queues", "a,b"),
        ("root.a.capacity", "10"),
        ("root.b.capacity", "90"),
        ("root.a.maximum-am-resource-percent", "0.5"),
    ];
    let mut cluster = Cluster::new(&[ROUNDS, tenth].concat(), &[r(100, 1000)]);
    let mut apps = with_ams(&mut cluster, 5, r(5, 1));
    apps.push(cluster.asking("b", "user", UNIT, 90));
    assert_eq!(marked(&mut cluster, &apps), [4, 4, 5, 5, 0]);
}

/// Five containers: the more a round may take, the more of them are marked.
///
/// `TestProportionalCapacityPreemptionPolicy.testContainerOrdering`
#[test]
fn of_an_application_the_least_urgent_and_youngest_container_goes_first() {
    let queues: Pairs<'_> = &[
        ("root.queues", "a,b"),
        ("root.a.capacity", "0"),
        ("root.b.capacity", "100"),
        ("root.a.maximum-applications", "9"),
    ];
    let mut order: Vec<u32> = Vec::new();
    for part in ["0.2", "0.4", "0.6", "0.8", "1"] {
        let budget = ("yarn.resourcemanager.monitor.capacity.preemption.total_preemption_per_round", part);
        let mut cluster = Cluster::new(&[ROUNDS, queues, &[budget]].concat(), &[r(5, 1000)]);
        let app = cluster.submit("a", "user");
        for priority in [2, 2, 3, 1, 3] {
            cluster.ask(&app, &[any(priority, UNIT, 1)]);
            cluster.hb(1);
        }
        cluster.asking("b", "user", UNIT, 5);
        let marked = chosen(&mut cluster);
        assert_eq!(marked.len(), order.len() + 1, "{part} of the cluster");
        order.extend(marked.into_iter().map(ContainerId::number).find(|number| !order.contains(number)));
    }
    assert_eq!(order, [5, 3, 2, 1, 4]);
}

/// `TestProportionalCapacityPreemptionPolicy.testPreemptionWithVCoreResource`
#[test]
fn with_several_resources_the_dominant_one_is_won_back() {
    let mut cluster = Cluster::new(&[ROUNDS, TWO, &[DRC, ("root.a.user-limit-factor", "2")]].concat(), &[r(100, 100)]);
    let size = r(1, 10);
    let mut apps = vec![cluster.asking("a", "user", size, 10)];
    cluster.hb(1);
    assert_eq!(cluster.app(&apps[0]).used, r(10, 100));
    apps.push(cluster.asking("b", "user", size, 10));
    assert_eq!(marked(&mut cluster, &apps), [4, 0]);
}

/// A reservation is no use that others would want back.
///
/// `TestProportionalCapacityPreemptionPolicy.testPreemptionNotHappenForSingleReservedQueue`
#[test]
fn a_reservation_alone_gives_no_reason() {
    let mut cluster = Cluster::new(&[ROUNDS, THREE].concat(), &[r(60, 1000), r(40, 1000)]);
    let mut apps = vec![cluster.asking("a", "user", r(20, 1), 1)];
    cluster.hb(1);
    cluster.ask(&apps[0], &[any(1, r(50, 1), 1)]);
    cluster.hb(1);
    assert_eq!(cluster.app(&apps[0]).reserved, r(50, 1));
    apps.extend([cluster.submit("b", "user"), cluster.submit("c", "user")]);
    assert_eq!(marked(&mut cluster, &apps), [0, 0, 0]);
}

/// `TestProportionalCapacityPreemptionPolicy.testNaturalTermination`
#[test]
fn a_share_of_what_is_owed_is_left_to_end_by_itself() {
    let slowly = ("yarn.resourcemanager.monitor.capacity.preemption.natural_termination_factor", "0.1");
    let (mut cluster, apps) = three(&[slowly], 100, [55, 45, 0], [10, 10, 0]);
    assert_eq!(marked(&mut cluster, &apps), [0, 0, 0]);
    let (mut cluster, apps) = three(&[slowly], 100, [0, 0, 100], [40, 0, 0]);
    assert_eq!(marked(&mut cluster, &apps), [0, 0, 4]);
}

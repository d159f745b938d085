//! Cases of Apache Hadoop 3.4.2's own FairScheduler tests, by their names, with the numbers that they assert.
//!
//! Settings unless a case says otherwise: nothing as the least container, 1024 MB as the increment, 10240 MB and 4 vcores
//! as the largest, one container a heartbeat.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use evenweave::{
    AllocateRequest, Allocation, AllocationFile, AppHandle, Ask, ClusterTotal, Drf, Fair, FairScheduler, Heartbeat,
    Location, NodeHandle, QueueView, Refused, Resource, Schedulable, SchedulingPolicy, Settings, ShareInput,
    StepOutcome, Stepped, Submission, Tie,
};

const fn r(memory_mb: i64, vcores: i64) -> Resource {
    Resource::new(memory_mb, vcores)
}

struct Cluster {
    stepped: Stepped,
    nodes: Vec<NodeHandle>,
    apps: u32,
}

impl Cluster {
    fn new(allocations: &str, nodes: &[(&str, Resource)]) -> Cluster {
        Cluster::with(&[], allocations, nodes)
    }

    /// `allocations` is what stands inside the element; nodes are given with their racks and named n1, n2 …
    fn with(properties: &[(&str, &str)], allocations: &str, nodes: &[(&str, Resource)]) -> Cluster {
        let common = [
            ("yarn.scheduler.minimum-allocation-mb", "0"),
            ("yarn.scheduler.maximum-allocation-mb", "10240"),
            ("yarn.scheduler.reservation-threshold.increment-multiple", "0.09"),
        ];
        let settings = Settings::from_properties(common.iter().chain(properties).copied()).unwrap();
        let text = format!("<allocations>{allocations}</allocations>");
        let file = AllocationFile::parse(&text, "allocations", &settings.types, &[]).unwrap().file;
        let stepped = FairScheduler::builder().settings(settings).allocations(file).journal(true).stepped().unwrap();
        let mut cluster = Cluster { stepped, nodes: Vec::new(), apps: 0 };
        nodes.iter().for_each(|(rack, total)| cluster.add_node(rack, *total));
        cluster
    }

    fn add_node(&mut self, rack: &str, total: Resource) {
        let name = format!("n{}", self.nodes.len() + 1);
        self.nodes.push(self.stepped.add_node(&name, rack, total).unwrap());
    }

    fn reload(&mut self, allocations: &str) {
        self.stepped.reload(Some(&format!("<allocations>{allocations}</allocations>"))).unwrap();
    }

    fn submit(&mut self, queue: &str, user: &str, am: Option<Resource>) -> Result<AppHandle, Refused> {
        self.apps += 1;
        // Later applications start later.
        self.stepped.advance(1);
        let (number, user, queue) = (self.apps, user.to_owned(), Some(queue.to_owned()));
        self.stepped.submit(&Submission { number, user, queue, am })
    }

    fn ask_lines(&mut self, app: &AppHandle, asks: &[Ask]) -> Result<Allocation, Refused> {
        let mut answer = Allocation::default();
        let request = AllocateRequest { asks: asks.to_vec(), ..AllocateRequest::default() };
        self.stepped.allocate(app, &request, &mut answer).map(|()| answer)
    }

    fn ask(&mut self, app: &AppHandle, priority: i32, size: Resource, count: u32) {
        self.ask_lines(app, &[Ask::anywhere(priority, size, count)]).unwrap();
    }

    /// An application that asks for `count` containers of a size anywhere, and an update.
    fn request(&mut self, size: Resource, queue: &str, user: &str, count: u32) -> AppHandle {
        let app = self.submit(queue, user, None).unwrap();
        self.ask(&app, 1, size, count);
        self.stepped.update();
        app
    }

    /// An application with an AM of a size, and an update.
    fn request_am(&mut self, size: Resource, queue: &str) -> AppHandle {
        let app = self.submit(queue, "user1", Some(size)).unwrap();
        self.stepped.update();
        app
    }

    fn line(&self, location: &str, size: Resource, count: u32, relax_locality: bool) -> Ask {
        let location = if location == "*" { Location::ANY } else { self.stepped.location(location) };
        Ask { priority: 1, location, resource: size, count, relax_locality }
    }

    /// One heartbeat of the `n`th node, from 1.
    fn hb(&mut self, n: usize) -> StepOutcome {
        self.stepped.heartbeat(&Heartbeat::new(&self.nodes[n - 1]));
        self.stepped.take_outcome()
    }

    fn remove_node(&mut self, n: usize) {
        self.stepped.remove_node(&self.nodes[n - 1]).unwrap();
    }

    fn finish(&mut self, app: &AppHandle) {
        self.stepped.finish(app).unwrap();
    }

    fn queue(&self, name: &str) -> QueueView {
        self.stepped.queues().into_iter().find(|queue| queue.name == name).unwrap()
    }

    fn share(&self, name: &str) -> i64 {
        self.queue(name).fair_share.memory_mb()
    }

    fn steady(&self, name: &str) -> i64 {
        self.queue(name).steady_fair_share.memory_mb()
    }

    fn used(&mut self, app: &AppHandle) -> Resource {
        let apps = self.stepped.apps();
        apps.iter().find(|view| view.id == app.id()).map_or(Resource::NONE, |view| view.usage)
    }

    fn runs(&mut self, app: &AppHandle) -> bool {
        self.stepped.apps().iter().any(|view| view.id == app.id() && view.runnable)
    }

    /// How many containers each has, all of one size an application.
    fn live(&mut self, apps: &[(&AppHandle, Resource)]) -> Vec<i64> {
        apps.iter().map(|(app, size)| self.used(app).vcores() / size.vcores()).collect()
    }

    fn reserved(&mut self) -> usize {
        self.stepped.take_outcome().reserved.len()
    }

    /// Memory of the reservations of applications in a queue.
    fn reserved_in(&mut self, queue: &str) -> i64 {
        let apps = self.stepped.apps();
        let here = |number| apps.iter().any(|app| app.id.number == number && app.queue == queue);
        let reserved = self.stepped.take_outcome().reserved;
        reserved.iter().filter(|reserved| here(reserved.app)).map(|reserved| reserved.resource.memory_mb()).sum()
    }
}

fn queue(name: &str, inside: &str) -> String {
    format!("<queue name='{name}'>{inside}</queue>")
}

// ------------------------------------------------------------------------------------------------ TestComputeFairShares

/// (min, max, weight) of each, and its share of `total`.
fn assert_shares(total: i64, children: &[(i64, i64, f32)], shares: &[i64]) {
    for lane in 0..2 {
        let in_lane = |amount| Resource::NONE.with(lane, amount);
        let mut inputs: Vec<_> = children
            .iter()
            .map(|(min, max, weight)| ShareInput {
                weight: *weight,
                min: in_lane(*min),
                max: Resource::UNBOUNDED.with(lane, *max),
                active: true,
                start_ms: 0,
                sequence: 0,
                share: Resource::NONE,
            })
            .collect();
        // Memory under fair; every type under drf.
        let policy: &dyn SchedulingPolicy = if lane == 0 { &Fair } else { &Drf };
        policy.compute_shares(2, &in_lane(total), &mut inputs, false);
        assert_eq!(inputs.iter().map(|input| input.share.get(lane)).collect::<Vec<_>>(), shares, "lane {lane}");
    }
}

const INT: i64 = i32::MAX as i64;

#[test]
fn hadoop_compute_fair_shares() {
    const G: i64 = 1_000_000_000;
    // testEqualSharing, testLowMaxShares, testMinShares
    assert_shares(40, &[(0, INT, 1.0); 4], &[10; 4]);
    assert_shares(40, &[(0, 100, 1.0), (0, 50, 1.0), (0, 11, 1.0), (0, 3, 1.0)], &[13, 13, 11, 3]);
    assert_shares(40, &[(20, INT, 1.0), (18, INT, 1.0), (0, INT, 1.0), (2, INT, 1.0)], &[20, 18, 0, 2]);
    // testWeightedSharing, …WithMaxShares, …WithMinShares, testCPU
    assert_shares(45, &[(0, INT, 2.0), (0, INT, 1.0), (0, INT, 1.0), (0, INT, 0.5)], &[20, 10, 10, 5]);
    assert_shares(45, &[(0, 10, 2.0), (0, 11, 1.0), (0, 30, 1.0), (0, 20, 0.5)], &[10, 11, 16, 8]);
    assert_shares(45, &[(20, INT, 2.0), (0, INT, 1.0), (5, INT, 1.0), (15, INT, 0.5)], &[20, 5, 5, 15]);
    // testLargeShares, testLargeMinimums
    assert_shares(16 * G, &[(0, 4 * G, 1.0); 4], &[4 * G; 4]);
    assert_shares(16 * G, &[(i64::MAX, i64::MAX, 1.0), (4 * G, 4 * G, 1.0)], &[i64::MAX, 4 * G]);
    // testOverflowMaxShare, testOverflowFixedShare, testEmptyList
    assert_shares(2 * G, &[(0, G, 1.0), (0, i64::MAX, 1.0)], &[G, G]);
    let fixed = [(G, G, 0.0), (i64::MAX - 1, i64::MAX, 0.0), (0, G, 1.0)];
    assert_shares(1000, &fixed, &[G, i64::MAX - 1, 0]);
    assert_shares(40, &[], &[]);
}

// ------------------------------------------------------------------------------- TestDominantResourceFairnessPolicy

struct Item {
    usage: Resource,
    min: Resource,
    weight: f32,
    name: u64,
}

fn item(usage: Resource) -> Item {
    Item { usage, min: Resource::NONE, weight: 1.0, name: 0 }
}

impl Item {
    fn min(self, min: Resource) -> Item {
        Item { min, ..self }
    }

    fn weight(self, weight: f32) -> Item {
        Item { weight, ..self }
    }

    fn schedulable(&self) -> Schedulable<'_> {
        const DEMAND: Resource = Resource::new(1 << 40, 1 << 40);
        let tie = Tie { start_ms: 0, name: self.name };
        Schedulable { usage: &self.usage, demand: &DEMAND, min_share: &self.min, weight: self.weight, tie }
    }
}

/// The first is to be served before the second, whichever way round they are asked about, and by key as well.
fn assert_first(total: Resource, first: &Item, second: &Item) {
    let cluster = ClusterTotal { types: 2, total };
    let (a, b) = (first.schedulable(), second.schedulable());
    assert!(Drf.compare(&cluster, &a, &b).is_lt());
    assert!(Drf.compare(&cluster, &b, &a).is_gt());
    assert!(Drf.key(&cluster, &a).unwrap() < Drf.key(&cluster, &b).unwrap());
}

#[test]
fn hadoop_drf_dominant_resources() {
    // testSameDominantResource, testDifferentDominantResource
    assert_first(r(8000, 4), &item(r(1000, 1)), &item(r(2000, 1)));
    assert_first(r(8000, 8), &item(r(4000, 3)), &item(r(2000, 5)));
    // testCompareSchedulablesWithClusterResourceChanges
    assert_first(r(4000, 5), &item(r(1000, 2)), &item(r(2000, 1)));
    assert_first(r(8000, 6), &item(r(2000, 1)), &item(r(1000, 2)));
}

#[test]
fn hadoop_drf_needy_and_weights() {
    // testOneIsNeedy, testBothAreNeedy
    assert_first(r(8000, 8), &item(r(2000, 5)).min(r(0, 6)), &item(r(4000, 3)));
    assert_first(r(8000, 100), &item(r(2000, 5)), &item(r(4000, 3)));
    assert_first(r(8000, 100), &item(r(2000, 5)).min(r(3000, 6)), &item(r(4000, 3)).min(r(5000, 4)));
    // testEvenWeightsSameDominantResource, testEvenWeightsDifferentDominantResource
    assert_first(r(8000, 8), &item(r(3000, 1)).weight(2.0), &item(r(2000, 1)));
    assert_first(r(8000, 8), &item(r(1000, 3)).weight(2.0), &item(r(1000, 2)));
    assert_first(r(8000, 8), &item(r(1000, 3)).weight(2.0), &item(r(2000, 1)));
    assert_first(r(8000, 8), &item(r(3000, 1)).weight(2.0), &item(r(1000, 2)));
}

#[test]
fn hadoop_fair_share_comparator_transitivity() {
    let cluster = ClusterTotal { types: 2, total: r(8, 8) };
    let mut all = Vec::new();
    for name in 0..3 {
        for start_ms in 1..=3 {
            for used in [0, 2, 4] {
                for weight in [0.0, 1.0, 2.0] {
                    for demand in [Resource::NONE, r(4, 1)] {
                        for min in [Resource::NONE, r(0, 1)] {
                            all.push((Tie { start_ms, name }, r(used, 1), weight, demand, min));
                        }
                    }
                }
            }
        }
    }
    let compare = |a: usize, b: usize| {
        let view = |i: usize| {
            let (tie, usage, weight, demand, min_share) = &all[i];
            Schedulable { usage, demand, min_share, weight: *weight, tie: *tie }
        };
        Fair.compare(&cluster, &view(a), &view(b)) as i32
    };
    let n = all.len();
    let order: Vec<Vec<i32>> = (0..n).map(|a| (0..n).map(|b| compare(a, b)).collect()).collect();
    for a in 0..n {
        for b in 0..n {
            assert_eq!(order[a][b], -order[b][a]);
            for c in (0..n).filter(|_| order[a][b] <= 0) {
                assert!(order[b][c] > 0 || order[a][c] <= 0, "{:?} {:?} {:?}", all[a], all[b], all[c]);
            }
        }
    }
}

// ----------------------------------------------------------------------------------------- TestFairSchedulerFairShare

fn parents(policy: &str) -> String {
    let children = |names: &[&str]| names.iter().map(|name| queue(name, "")).collect::<String>();
    let a = queue("parentA", &format!("<weight>8</weight>{}", children(&["childA1", "childA2", "childA3", "childA4"])));
    let b = queue("parentB", &format!("<weight>1</weight>{}", children(&["childB1", "childB2"])));
    let default = format!("<defaultQueueSchedulingPolicy>{policy}</defaultQueueSchedulingPolicy>");
    format!("{}{default}", queue("root", &format!("{a}{b}{}", queue("default", "<weight>1</weight>"))))
}

/// Applications in the named queues; then the shares in per cent of the cluster, to the whole number, and the steady ones.
fn assert_percent(active: &[&str], expected: &[(&str, i64)]) -> Cluster {
    let mut cluster = Cluster::new(&parents("fair"), &[("/r", r(16 * 1024, 16))]);
    for name in active {
        cluster.request(r(2048, 1), name, "user1", 1);
    }
    cluster.stepped.update();
    assert_percent_now(&cluster, expected);
    cluster
}

fn percent(amount: i64) -> i64 {
    (amount * 100 + 8192) / (16 * 1024)
}

fn assert_percent_now(cluster: &Cluster, expected: &[(&str, i64)]) {
    for (name, share) in expected {
        assert_eq!(percent(cluster.share(name)), *share, "{name}");
    }
    for name in ["A1", "A2", "A3", "A4"] {
        assert_eq!(percent(cluster.steady(&format!("root.parentA.child{name}"))), 20);
    }
    for name in ["B1", "B2"] {
        assert_eq!(percent(cluster.steady(&format!("root.parentB.child{name}"))), 5);
    }
}

const A1: &str = "root.parentA.childA1";
const A2: &str = "root.parentA.childA2";
const A3: &str = "root.parentA.childA3";
const A4: &str = "root.parentA.childA4";
const B1: &str = "root.parentB.childB1";

#[test]
fn hadoop_fair_share_of_active_queues() {
    // testFairShareNoAppsRunning, …OneAppRunning
    assert_percent(&[], &[(A1, 0), (A2, 0), (A3, 0), (A4, 0), (B1, 0), ("root.parentB.childB2", 0)]);
    assert_percent(&[A1], &[(A1, 100), (A2, 0), (B1, 0)]);
    // testFairShareMultipleActiveQueuesUnderSameParent, …DifferentParent
    assert_percent(&[A1, A2, A3], &[(A1, 33), (A2, 33), (A3, 33), (A4, 0)]);
    assert_percent(&[A1, A2, B1, "root.default"], &[(A1, 40), (A2, 40), (B1, 10), ("root.default", 10)]);
}

#[test]
fn hadoop_fair_share_resets_to_zero_when_apps_complete() {
    let mut cluster = Cluster::new(&parents("fair"), &[("/r", r(16 * 1024, 16))]);
    let first = cluster.request(r(2048, 1), A1, "user1", 1);
    cluster.request(r(2048, 1), A2, "user2", 1);
    assert_percent_now(&cluster, &[(A1, 50), (A2, 50)]);
    cluster.finish(&first);
    cluster.stepped.update();
    assert_percent_now(&cluster, &[(A1, 0), (A2, 100)]);
}

#[test]
fn hadoop_fair_share_with_drf_under_different_parents() {
    let mut cluster = Cluster::new(&parents("drf"), &[("/r", r(16 * 1024, 10))]);
    for name in [A1, A2, B1, "root.default"] {
        cluster.request(r(2048, 1), name, "user1", 1);
    }
    assert_percent_now(&cluster, &[(A1, 40), (A2, 40), (B1, 10)]);
    assert_eq!([A1, A2, B1].map(|name| cluster.queue(name).fair_share.vcores()), [4, 4, 1]);
    // 10 % of 10, where 5 % is meant: it is rounded.
    assert_eq!([A1, A4, B1].map(|name| cluster.queue(name).steady_fair_share.vcores()), [2, 2, 1]);
}

// --------------------------------------------------------------------------------------- TestFairScheduler: shares

#[test]
fn hadoop_simple_fair_share_calculation() {
    let mut cluster = Cluster::new(&queue("default", ""), &[("/r", r(10 * 1024, 10))]);
    for name in ["root.queue1", "root.queue2", "root.default"] {
        cluster.request(r(10 * 1024, 1), name, "user1", 1);
    }
    for name in ["root.queue1", "root.queue2", "root.default"] {
        assert_eq!((cluster.share(name), cluster.steady(name)), (3414, 3414), "{name}");
    }
}

#[test]
fn hadoop_fair_share_with_high_max_resources() {
    let max = format!("<maxResources>{} mb, {} vcores</maxResources>", 1 << 30, 1 << 30);
    let text = queue("queueA", &format!("{max}<weight>.25</weight>"))
        + &queue("queueB", &format!("{max}<weight>.75</weight>"));
    let mut cluster = Cluster::new(&text, &[("/r", r(8 * 1024, 8))]);
    cluster.request(r(1024, 1), "queueA", "user1", 1);
    cluster.request(r(6 * 1024, 1), "queueB", "user1", 1);
    assert_eq!([cluster.share("root.queueA"), cluster.share("root.queueB")], [2048, 6144]);
}

#[test]
fn hadoop_fair_share_with_low_max_resources() {
    let text = queue("queueA", "<maxResources>1024 mb,1 vcores</maxResources><weight>.75</weight>")
        + &queue("queueB", "<maxResources>3072 mb,3 vcores</maxResources><weight>.25</weight>");
    let mut cluster = Cluster::new(&text, &[("/r", r(8 * 1024, 8))]);
    let a = cluster.request(r(1024, 1), "queueA", "user1", 2);
    let b = cluster.request(r(1024, 1), "queueB", "user1", 4);
    assert_eq!([cluster.share("root.queueA"), cluster.share("root.queueB")], [1024, 3072]);
    (0..6).for_each(|_| drop(cluster.hb(1)));
    assert_eq!(cluster.live(&[(&a, r(1024, 1)), (&b, r(1024, 1))]), [1, 3]);
}

#[test]
fn hadoop_fair_share_with_zero_weight() {
    let shares = |inside: &str, asked: i64| {
        let text = queue("queueA", inside) + &queue("queueB", inside);
        let mut cluster = Cluster::new(&text, &[("/r", r(8 * 1024, 8))]);
        cluster.request(r(asked, 1), "queueA", "user1", 1);
        cluster.request(r(asked, 1), "queueB", "user1", 1);
        [cluster.share("root.queueA"), cluster.share("root.queueB")]
    };
    // testFairShareWithZeroWeight, …NoneZeroMinRes, testFairShareWithNoneZeroWeightNoneZeroMinRes
    assert_eq!(shares("<weight>0.0</weight>", 2048), [0, 0]);
    assert_eq!(shares("<minResources>1 mb 1 vcores</minResources><weight>0.0</weight>", 2048), [1, 1]);
    assert_eq!(shares("<minResources>1024 mb 1 vcores</minResources><weight>0.5</weight>", 4096), [4096, 4096]);
}

#[test]
fn hadoop_fair_share_with_min_alloc() {
    let text = queue("queueA", "<minResources>1024 mb,0 vcores</minResources>")
        + &queue("queueB", "<minResources>2048 mb,0 vcores</minResources>");
    let mut cluster = Cluster::new(&text, &[("/r", r(3 * 1024, 3))]);
    cluster.request(r(2048, 1), "queueA", "user1", 1);
    cluster.request(r(2048, 1), "queueB", "user1", 1);
    assert_eq!([cluster.share("root.queueA"), cluster.share("root.queueB")], [1024, 2048]);
}

#[test]
fn hadoop_simple_hierarchical_fair_share_calculation() {
    let text = queue("default", "") + &queue("parent", &(queue("queue2", "") + &queue("queue3", "")));
    let mut cluster = Cluster::new(&text, &[("/r", r(240, 10))]);
    for name in ["root.default", "root.parent.queue2", "root.parent.queue3"] {
        cluster.request(r(100, 1), name, "user1", 1);
    }
    for (name, share) in [("root.default", 120), ("root.parent.queue2", 60), ("root.parent.queue3", 60)] {
        assert_eq!((cluster.share(name), cluster.steady(name)), (share, share), "{name}");
    }
}

#[test]
fn hadoop_steady_fair_share_with_reload_and_node_add_remove() {
    let text = |weight: &str| {
        let inside = queue("child1", weight) + &queue("child2", weight) + &queue("default", "");
        "<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>".to_owned() + &queue("root", &inside)
    };
    let names = ["root.default", "root.child1", "root.child2"];
    let mut cluster = Cluster::new(&text("<weight>1</weight>"), &[]);
    assert_eq!(names.map(|name| cluster.steady(name)), [0, 0, 0]);
    cluster.add_node("/r", r(6144, 6));
    assert_eq!(names.map(|name| cluster.steady(name)), [2048, 2048, 2048]);
    // One further queue, so that the parts are whole: 1, 2, 2 and 1 of 6.
    cluster.reload(
        &text("<weight>2</weight>").replace("<queue name='child1'>", "<queue name='child3'/><queue name='child1'>"),
    );
    assert_eq!(names.map(|name| cluster.steady(name)), [1024, 2048, 2048]);
    cluster.remove_node(1);
    assert_eq!(names.map(|name| cluster.steady(name)), [0, 0, 0]);
}

#[test]
fn hadoop_steady_fair_share_with_queue_created_runtime() {
    let mut cluster = Cluster::new(&queue("default", ""), &[("/r", r(6144, 6))]);
    assert_eq!(cluster.steady("root.default"), 6144);
    cluster.submit("root.user1", "user1", None).unwrap();
    assert_eq!([cluster.steady("root.default"), cluster.steady("root.user1")], [3072, 3072]);
}

#[test]
fn hadoop_queue_demand_calculation() {
    let mut cluster = Cluster::new("", &[("/r", r(10_240, 10))]);
    cluster.request(r(2048, 1), "queue1", "user1", 1);
    cluster.request(r(2048, 1), "queue2", "user1", 1);
    let second = cluster.submit("queue2", "user1", None).unwrap();
    cluster.ask(&second, 1, r(1024, 1), 2);
    cluster.stepped.update();
    let demand = |name: &str| cluster.queue(name).demand.memory_mb();
    assert_eq!([demand("root.queue1"), demand("root.queue2"), demand("root")], [2048, 4096, 6144]);
}

#[test]
fn hadoop_aggregate_capacity_tracking() {
    let mut cluster = Cluster::new("", &[("/r", r(1024, 4))]);
    assert_eq!(cluster.stepped.stats().cluster, r(1024, 4));
    cluster.add_node("/r", r(512, 2));
    assert_eq!(cluster.stepped.stats().cluster, r(1536, 6));
    cluster.remove_node(1);
    assert_eq!(cluster.stepped.stats().cluster, r(512, 2));
}

// ------------------------------------------------------------------------------------ TestFairScheduler: allocation

#[test]
fn hadoop_simple_container_allocation() {
    let mut cluster = Cluster::new("", &[("/r", r(1024, 4)), ("/r", r(512, 2))]);
    cluster.request(r(512, 2), "queue1", "user1", 2);
    cluster.hb(1);
    // Rounded up to the increment.
    assert_eq!(cluster.queue("root.queue1").usage, r(1024, 2));
    cluster.hb(2);
    assert_eq!(cluster.queue("root.queue1").usage, r(1024, 2));
    let stats = cluster.stepped.stats();
    assert_eq!((stats.allocated, stats.cluster.minus(&stats.allocated)), (r(1024, 2), r(512, 4)));
}

#[test]
fn hadoop_fifo_within_queue() {
    let mut cluster =
        Cluster::new(&queue("queue1", "<schedulingPolicy>fifo</schedulingPolicy>"), &[("/r", r(3072, 3))]);
    let first = cluster.request(r(1024, 1), "queue1", "user1", 2);
    let second = cluster.request(r(1024, 1), "queue1", "user1", 2);
    let sizes = [(&first, r(1024, 1)), (&second, r(1024, 1))];
    for expected in [[1, 0], [2, 0], [2, 1]] {
        cluster.hb(1);
        assert_eq!(cluster.live(&sizes), expected);
    }
}

fn assigned(properties: &[(&str, &str)], node: Resource, size: Resource, count: u32, heartbeats: usize) -> Vec<usize> {
    let on = [("yarn.scheduler.fair.assignmultiple", "true")];
    let properties: Vec<_> = on.iter().chain(properties).copied().collect();
    let mut cluster = Cluster::with(&properties, "", &[("/r", node)]);
    cluster.request(size, "root.default", "user1", count);
    let mut sum = 0;
    let made = (0..heartbeats).map(|_| {
        sum += cluster.hb(1).allocated.len();
        sum
    });
    made.collect()
}

#[test]
fn hadoop_fixed_and_dynamic_max_assign() {
    let fixed = |most| [("yarn.scheduler.fair.dynamic.max.assign", "false"), ("yarn.scheduler.fair.max.assign", most)];
    let node = r(16_384, 16);
    // testFixedMaxAssign
    assert_eq!(assigned(&fixed("2"), node, r(1024, 1), 8, 1), [2]);
    assert_eq!(assigned(&fixed("-1"), node, r(1024, 1), 8, 1), [8]);
    // testMaxAssignWithZeroMemoryContainers
    assert_eq!(assigned(&fixed("2"), node, r(0, 1), 8, 1), [2]);
    assert_eq!(assigned(&fixed("-1"), node, r(0, 1), 8, 1), [8]);
    // testDynamicMaxAssign
    assert_eq!(assigned(&[], r(8192, 8), r(1024, 1), 12, 3), [5, 7, 8]);
}

#[test]
fn hadoop_no_more_cpu_on_node() {
    let mut cluster = Cluster::new("", &[("/r", r(2048, 1))]);
    let app = cluster.request(r(1024, 1), "default", "user1", 2);
    (0..2).for_each(|_| drop(cluster.hb(1)));
    assert_eq!(cluster.used(&app), r(1024, 1));
}

const DRF: &str = "<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>";

#[test]
fn hadoop_basic_drf_assignment() {
    let mut cluster = Cluster::new(DRF, &[("/r", r(8192, 5))]);
    let first = cluster.request(r(2048, 1), "queue1", "user1", 2);
    let second = cluster.request(r(1024, 2), "queue1", "user1", 2);
    let sizes = [(&first, r(2048, 1)), (&second, r(1024, 2))];
    for expected in [[1, 0], [1, 1], [2, 1]] {
        cluster.hb(1);
        assert_eq!(cluster.live(&sizes), expected);
    }
}

#[test]
fn hadoop_basic_drf_with_queues() {
    let mut cluster = Cluster::new(DRF, &[("/r", r(8192, 7))]);
    let first = cluster.request(r(3072, 1), "queue1", "user1", 2);
    let second = cluster.request(r(2048, 2), "queue1", "user1", 2);
    let third = cluster.request(r(1024, 2), "queue2", "user1", 2);
    let made: Vec<_> = (0..4).flat_map(|_| cluster.hb(1).allocated).map(|made| made.app).collect();
    assert_eq!(made, [&first, &third, &third, &second].map(AppHandle::number));
}

#[test]
fn hadoop_drf_hierarchical_queues() {
    let mut cluster = Cluster::new(DRF, &[("/r", r(12_288, 12))]);
    let first = cluster.request(r(3074, 1), "queue1.subqueue1", "user1", 2);
    let second = cluster.request(r(1024, 3), "queue1.subqueue1", "user1", 2);
    let third = cluster.request(r(2048, 2), "queue1.subqueue2", "user1", 2);
    let fourth = cluster.request(r(1024, 2), "queue2", "user1", 2);
    let made: Vec<_> = (0..7).flat_map(|_| cluster.hb(1).allocated).map(|made| made.app).collect();
    assert_eq!(made, [&first, &fourth, &fourth, &third, &third, &second].map(AppHandle::number));
}

#[test]
fn hadoop_strict_locality() {
    let mut cluster = Cluster::new("", &[("/r", r(1024, 1)), ("/r", r(1024, 1))]);
    let app = cluster.submit("queue1", "user1", None).unwrap();
    let size = r(1024, 1);
    let strict =
        [cluster.line("n1", size, 1, true), cluster.line("/r", size, 1, false), cluster.line("*", size, 1, false)];
    cluster.ask_lines(&app, &strict).unwrap();
    cluster.stepped.update();
    for _ in 0..10 {
        let outcome = cluster.hb(2);
        // Neither a container nor (testReservationsStrictLocality) a reservation.
        assert!(outcome.allocated.is_empty() && outcome.reserved.is_empty());
    }
    assert_eq!(cluster.hb(1).allocated.len(), 1);
}

#[test]
fn hadoop_cancel_strict_locality() {
    let mut cluster = Cluster::new("", &[("/r", r(1024, 1)), ("/r", r(1024, 1))]);
    let app = cluster.submit("queue1", "user1", None).unwrap();
    let size = r(1024, 1);
    let lines = |cluster: &Cluster, count: u32, relax: bool| {
        [
            cluster.line("n1", size, count, true),
            cluster.line("/r", size, count, relax),
            cluster.line("*", size, 1, relax),
        ]
    };
    let strict = lines(&cluster, 1, false);
    cluster.ask_lines(&app, &strict).unwrap();
    cluster.stepped.update();
    (0..10).for_each(|_| assert!(cluster.hb(2).allocated.is_empty()));
    let relaxed = lines(&cluster, 0, true);
    cluster.ask_lines(&app, &relaxed).unwrap();
    cluster.stepped.update();
    assert_eq!(cluster.hb(2).allocated.len(), 1);
}

#[test]
fn hadoop_multiple_nodes_single_rack_request() {
    let mut cluster = Cluster::new("", &[("/r1", r(1024, 1)), ("/r1", r(1024, 1)), ("/r2", r(1024, 1))]);
    let app = cluster.submit("queue1", "user1", None).unwrap();
    let size = r(1024, 1);
    let lines: Vec<_> = [("n1", 1), ("n2", 1), ("n3", 1), ("/r1", 1), ("/r2", 1), ("*", 2)]
        .iter()
        .map(|(at, count)| cluster.line(at, size, *count, true))
        .collect();
    cluster.ask_lines(&app, &lines).unwrap();
    cluster.stepped.update();
    cluster.hb(1);
    assert_eq!(cluster.used(&app), r(1024, 1));
    cluster.hb(2);
    assert_eq!(cluster.used(&app), r(2048, 2));
}

#[test]
fn hadoop_blacklist_nodes() {
    let mut cluster = Cluster::new("", &[("/r1", r(16_384, 16))]);
    let app = cluster.request(r(1024, 1), "root.default", "user1", 1);
    let listed = vec![cluster.stepped.location("n1")];
    let add = AllocateRequest { blacklist_add: listed.clone(), ..AllocateRequest::default() };
    let remove = AllocateRequest { blacklist_remove: listed, ..AllocateRequest::default() };
    let mut answer = Allocation::default();
    cluster.stepped.allocate(&app, &add, &mut answer).unwrap();
    assert_eq!((cluster.hb(1).allocated.len(), answer.headroom), (0, r(0, 0)));
    cluster.stepped.allocate(&app, &remove, &mut answer).unwrap();
    assert_eq!((cluster.hb(1).allocated.len(), answer.headroom), (1, r(16_384, 16)));
}

#[test]
fn hadoop_headroom_with_blacklisted_nodes() {
    let mut cluster = Cluster::new("", &[("/r", r(8192, 8)), ("/r", r(4096, 4))]);
    let app = cluster.submit("root.default", "user1", None).unwrap();
    cluster.ask(&app, 1, r(1024, 1), 1);
    cluster.stepped.update();
    let [first, second] = ["n1", "n2"].map(|name| cluster.stepped.location(name));
    let mut headroom = |add: &[Location], remove: &[Location]| {
        let (blacklist_add, blacklist_remove) = (add.to_vec(), remove.to_vec());
        let request = AllocateRequest { blacklist_add, blacklist_remove, ..AllocateRequest::default() };
        let mut answer = Allocation::default();
        cluster.stepped.allocate(&app, &request, &mut answer).unwrap();
        answer.headroom
    };
    assert_eq!(headroom(&[first], &[]), r(4096, 4));
    assert_eq!(headroom(&[second], &[first]), r(8192, 8));
    assert_eq!(headroom(&[], &[second]), r(12_288, 12));
}

// ------------------------------------------------------------------------------------------ maxima and running limits

#[test]
fn hadoop_child_max_resources() {
    let text = |max: &str| {
        queue("queueA", &format!("<maxChildResources>{max}</maxChildResources>"))
            .replace("'queueA'", "'queueA' type='parent'")
    };
    let mut cluster = Cluster::new(&text("2048mb,2vcores"), &[("/r", r(8192, 8))]);
    let b = cluster.request(r(1024, 1), "queueA.queueB", "user1", 8);
    let c = cluster.request(r(1024, 1), "queueA.queueC", "user1", 8);
    let sizes = [(&b, r(1024, 1)), (&c, r(1024, 1))];
    (0..4).for_each(|_| drop(cluster.hb(1)));
    assert_eq!(cluster.live(&sizes), [2, 2]);
    cluster.hb(1);
    assert_eq!(cluster.live(&sizes), [2, 2]);
    cluster.reload(&text("3072mb,3vcores"));
    cluster.stepped.update();
    (0..2).for_each(|_| drop(cluster.hb(1)));
    assert_eq!(cluster.live(&sizes), [3, 3]);
    cluster.reload(&text("1024mb,1vcores"));
    cluster.stepped.update();
    cluster.hb(1);
    assert_eq!(cluster.live(&sizes), [3, 3]);
}

#[test]
fn hadoop_max_running_apps_hierarchical_queues() {
    let inside = queue("sub1", "") + &queue("sub2", "") + &queue("sub3", "<maxRunningApps>1</maxRunningApps>");
    let text = queue("queue1", &format!("<maxRunningApps>3</maxRunningApps>{inside}"));
    let mut cluster = Cluster::new(&text, &[]);
    let mut submit = |queue: &str| cluster.submit(queue, "user1", None).unwrap();
    let [a1, a2, a3, a4, a5] =
        ["queue1.sub1", "queue1.sub3", "queue1.sub2", "queue1.sub2", "queue1.sub3"].map(&mut submit);
    let counts = |cluster: &Cluster, name: &str| {
        let queue = cluster.queue(&format!("root.queue1.{name}"));
        (queue.runnable, queue.non_runnable)
    };
    assert_eq!([&a1, &a2, &a3, &a4, &a5].map(|app| cluster.runs(app)), [true, true, true, false, false]);
    // Even though a5's queue has room again, a4 started earlier.
    cluster.finish(&a2);
    assert_eq!([&a4, &a5].map(|app| cluster.runs(app)), [true, false]);
    assert_eq!(["sub1", "sub2", "sub3"].map(|name| counts(&cluster, name)), [(1, 0), (2, 0), (0, 1)]);
    cluster.finish(&a5);
    cluster.finish(&a4);
    assert_eq!(["sub1", "sub2", "sub3"].map(|name| counts(&cluster, name)), [(1, 0), (1, 0), (0, 0)]);
}

#[test]
fn hadoop_user_and_queue_max_running_apps() {
    let text = queue("queue1", "<maxRunningApps>2</maxRunningApps>")
        + "<user name='user1'><maxRunningApps>1</maxRunningApps></user>";
    let mut cluster = Cluster::new(&text, &[]);
    let mut submit = |(queue, user): (&str, &str)| cluster.submit(queue, user, None).unwrap();
    let [a1, a2, a3, a4] =
        [("queue1", "user1"), ("queue2", "user1"), ("queue1", "user2"), ("queue1", "user2")].map(&mut submit);
    assert_eq!([&a1, &a2, &a3, &a4].map(|app| cluster.runs(app)), [true, false, true, false]);
    cluster.finish(&a1);
    assert_eq!([&a2, &a3, &a4].map(|app| cluster.runs(app)), [true, true, true]);
    let a5 = cluster.submit("queue1", "user2", None).unwrap();
    assert!(!cluster.runs(&a5));
}

#[test]
fn hadoop_queue_max_running_apps_on_the_fly() {
    let text = |most: u32| queue("queue1", &format!("<maxRunningApps>{most}</maxRunningApps>"));
    // testIncreaseQueueMaxRunningAppsOnTheFly
    let mut cluster = Cluster::new(&text(1), &[]);
    let apps = [(); 4].map(|()| cluster.submit("queue1", "user1", None).unwrap());
    let running = |cluster: &mut Cluster| apps.each_ref().map(|app| cluster.runs(app));
    assert_eq!(running(&mut cluster), [true, false, false, false]);
    cluster.reload(&text(3));
    assert_eq!(running(&mut cluster), [true, true, true, false]);
    cluster.finish(&apps[0]);
    assert_eq!(running(&mut cluster), [false, true, true, true]);
    // testDecreaseQueueMaxRunningAppsOnTheFly
    let mut cluster = Cluster::new(&text(3), &[]);
    let apps = [(); 4].map(|()| cluster.submit("queue1", "user1", None).unwrap());
    cluster.reload(&text(1));
    assert_eq!(apps.each_ref().map(|app| cluster.runs(app)), [true, true, true, false]);
    for app in &apps[..3] {
        assert!(!cluster.runs(&apps[3]));
        cluster.finish(app);
    }
    assert!(cluster.runs(&apps[3]));
}

#[test]
fn hadoop_queue_max_am_share() {
    let mut cluster = Cluster::new(
        &(queue("default", "") + &queue("queue1", "<maxAMShare>0.2</maxAMShare>")),
        &[("/r", r(20_480, 20))],
    );
    // Two active queues of equal weight: queue1 has 10240 of 20480, and a fifth of that for AMs.
    cluster.request(r(1024, 1), "root.default", "user1", 1);
    let heartbeats = |cluster: &mut Cluster| (0..4).for_each(|_| drop(cluster.hb(1)));
    let am_usage = |cluster: &Cluster| cluster.queue("root.queue1").am_usage.memory_mb();
    let first = cluster.request_am(r(1024, 1), "queue1");
    heartbeats(&mut cluster);
    assert_eq!((cluster.used(&first), am_usage(&cluster)), (r(1024, 1), 1024));
    let second = cluster.request_am(r(1024, 1), "queue1");
    heartbeats(&mut cluster);
    assert_eq!((cluster.used(&second), am_usage(&cluster)), (r(1024, 1), 2048));
    let third = cluster.request_am(r(1024, 1), "queue1");
    heartbeats(&mut cluster);
    assert_eq!((cluster.used(&third), am_usage(&cluster)), (r(0, 0), 2048));
    // Containers that are no AM's are served still.
    cluster.ask(&first, 1, r(1024, 1), 1);
    cluster.stepped.update();
    heartbeats(&mut cluster);
    assert_eq!((cluster.used(&first), am_usage(&cluster)), (r(2048, 2), 2048));
    cluster.finish(&first);
    assert_eq!(am_usage(&cluster), 1024);
    heartbeats(&mut cluster);
    assert_eq!((cluster.used(&third), am_usage(&cluster)), (r(1024, 1), 2048));
    // An AM of twice the size waits, and leaves nothing when it goes.
    let large = cluster.request_am(r(2048, 1), "queue1");
    heartbeats(&mut cluster);
    assert_eq!((cluster.used(&large), am_usage(&cluster)), (r(0, 0), 2048));
    let larger = cluster.request_am(r(2048, 1), "queue1");
    cluster.finish(&larger);
    assert_eq!(am_usage(&cluster), 2048);
    cluster.finish(&second);
    cluster.finish(&third);
    assert_eq!(am_usage(&cluster), 0);
    heartbeats(&mut cluster);
    assert_eq!((cluster.used(&large), am_usage(&cluster)), (r(2048, 1), 2048));
    cluster.finish(&large);
    assert_eq!(am_usage(&cluster), 0);
}

#[test]
fn hadoop_zero_capacity() {
    // testAppRejectedToQueueWithZeroCapacityOfVcores, …OfMemory
    for max in ["10000 mb, 0 vcores", "0 mb, 2 vcores"] {
        let text = queue("queueA", &format!("<maxResources>{max}</maxResources>"));
        let mut cluster = Cluster::new(&text, &[("/r", r(8192, 8))]);
        let refused = cluster.submit("queueA", "user1", Some(r(5 * 1024, 3))).unwrap_err();
        assert_eq!(refused.kind(), "zero-max");
    }
    // testScheduling(Rejected|Allowed)ToQueueWithZeroCapacityOf(Memory|Vcores)
    for (max, refused, accepted) in
        [("0 mb, 2 vcores", r(2048, 2), r(0, 2)), ("10000 mb, 0 vcores", r(0, 1), r(2048, 0))]
    {
        let text = queue("queueA", &format!("<maxResources>{max}</maxResources>"));
        let none = [("yarn.scheduler.minimum-allocation-vcores", "0")];
        let mut cluster = Cluster::with(&none, &text, &[("/r", r(8192, 8))]);
        let app = cluster.submit("queueA", "user1", None).unwrap();
        assert_eq!(cluster.ask_lines(&app, &[Ask::anywhere(1, refused, 1)]).unwrap_err().kind(), "zero-max");
        assert_eq!(cluster.stepped.apps()[0].outstanding, Resource::NONE);
        cluster.ask_lines(&app, &[Ask::anywhere(1, accepted, 1)]).unwrap();
        assert_eq!(cluster.stepped.apps()[0].outstanding, accepted);
    }
}

// -------------------------------------------------------------------------------------------------- reservations

/// A node filled by queue1, and queue2 with an ask for it.
fn one_reservation() -> (Cluster, AppHandle) {
    let mut cluster = Cluster::new("", &[("/r", r(1024, 1))]);
    cluster.request(r(1024, 1), "queue1", "user1", 1);
    assert_eq!(cluster.hb(1).allocated.len(), 1);
    let second = cluster.request(r(1024, 1), "queue2", "user1", 1);
    cluster.hb(1);
    (cluster, second)
}

#[test]
fn hadoop_simple_container_reservation() {
    let (mut cluster, _) = one_reservation();
    assert_eq!((cluster.queue("root.queue2").usage, cluster.reserved_in("root.queue2")), (r(0, 0), 1024));
    cluster.add_node("/r", r(1024, 1));
    cluster.hb(2);
    // Another node serves the ask; the reservation goes only when its node reports.
    assert_eq!((cluster.queue("root.queue2").usage, cluster.reserved_in("root.queue2")), (r(1024, 1), 1024));
    cluster.hb(1);
    assert_eq!((cluster.queue("root.queue2").usage, cluster.reserved_in("root.queue2")), (r(1024, 1), 0));
}

#[test]
fn hadoop_reservation_metrics() {
    let (mut cluster, second) = one_reservation();
    assert_eq!(cluster.reserved(), 1);
    cluster.finish(&second);
    assert_eq!(cluster.reserved(), 0);
}

#[test]
fn hadoop_multiple_containers_waiting_for_reservation() {
    let (mut cluster, _) = one_reservation();
    cluster.request(r(1024, 1), "queue3", "user1", 1);
    cluster.hb(1);
    assert_eq!([cluster.reserved_in("root.queue2"), cluster.reserved_in("root.queue3")], [1024, 0]);
}

#[test]
fn hadoop_off_switch_app_reservation_threshold() {
    let half = [("yarn.scheduler.fair.reservable-nodes", "0.5")];
    let mut cluster = Cluster::with(&half, "", &[("/r", r(3072, 3)), ("/r", r(3072, 3)), ("/r", r(3072, 3))]);
    let first = cluster.request(r(2048, 1), "queue1", "user1", 3);
    (1..=3).for_each(|n| assert_eq!(cluster.hb(n).allocated.len(), 1));
    assert_eq!(cluster.used(&first).memory_mb(), 6144);
    let second = cluster.request(r(2048, 1), "queue1", "user1", 1);
    let reserved: Vec<_> = (1..=3).map(|n| cluster.hb(n).reserved.len()).collect();
    assert_eq!(reserved, [1, 2, 2]);
    cluster.add_node("/r", r(3072, 3));
    cluster.hb(4);
    assert_eq!(cluster.queue("root.queue1").usage.memory_mb(), 8192);
    assert_eq!(cluster.used(&second).memory_mb(), 2048);
    (1..=3).for_each(|n| drop(cluster.hb(n)));
    assert_eq!(cluster.reserved(), 0);
}

#[test]
fn hadoop_reservation_threshold_with_assign_multiple() {
    let properties = [
        ("yarn.scheduler.fair.assignmultiple", "true"),
        ("yarn.scheduler.fair.dynamic.max.assign", "false"),
        ("yarn.scheduler.fair.reservable-nodes", "0"),
    ];
    let mut cluster = Cluster::with(&properties, "", &[("/r", r(4096, 4)), ("/r", r(4096, 4))]);
    cluster.request(r(1024, 1), "queue1", "user1", 10);
    (1..=2).for_each(|n| drop(cluster.hb(n)));
    assert_eq!((cluster.queue("root.queue1").usage.memory_mb(), cluster.reserved()), (8192, 0));
}

#[test]
fn hadoop_container_reservation_attempt_exceeding_queue_max() {
    let text = queue("queue1", "<maxResources>2048mb,5vcores</maxResources>")
        + &queue("queue2", "<maxResources>2048mb,10vcores</maxResources>");
    let mut cluster = Cluster::new(&text, &[("/r", r(3072, 5))]);
    cluster.request(r(2048, 2), "queue1", "user1", 1);
    cluster.hb(1);
    cluster.request(r(1024, 1), "queue2", "user1", 1);
    cluster.hb(1);
    assert_eq!([cluster.queue("root.queue1").usage, cluster.queue("root.queue2").usage], [r(2048, 2), r(1024, 1)]);
    cluster.request(r(1024, 1), "queue1", "user1", 1);
    assert!(cluster.hb(1).reserved.is_empty());
}

#[test]
fn hadoop_reservation_threshold_gates_reservations() {
    let twice = [("yarn.scheduler.reservation-threshold.increment-multiple", "2")];
    let mut cluster = Cluster::with(&twice, DRF, &[("/r", r(4096, 4))]);
    cluster.request(r(4096, 4), "queue1", "user1", 1);
    assert_eq!(cluster.hb(1).allocated.len(), 1);
    let second = cluster.request(r(1024, 1), "queue2", "user1", 1);
    assert!(cluster.hb(1).reserved.is_empty());
    cluster.ask(&second, 1, r(1024, 3), 1);
    cluster.stepped.update();
    assert_eq!(cluster.hb(1).reserved[0].resource, r(1024, 3));
    cluster.add_node("/r", r(1024, 4));
    assert_eq!(cluster.hb(2).reserved.len(), 1);
    assert_eq!(cluster.queue("root.queue2").usage, r(1024, 3));
    assert!(cluster.hb(1).reserved.is_empty());
}

#[test]
fn hadoop_reservation_with_multiple_priorities() {
    let mut cluster = Cluster::new("", &[("/r", r(2048, 2))]);
    let first = cluster.request(r(1024, 1), "queue1", "user1", 1);
    cluster.hb(1);
    let held = cluster.ask_lines(&first, &[]).unwrap().granted[0].id;
    let second = cluster.submit("queue1", "user1", None).unwrap();
    cluster.ask(&second, 2, r(2048, 2), 1);
    cluster.stepped.update();
    assert_eq!(cluster.hb(1).reserved[0].priority, 2);
    cluster.ask(&second, 1, r(2048, 2), 1);
    let release = AllocateRequest { releases: vec![held], ..AllocateRequest::default() };
    cluster.stepped.allocate(&first, &release, &mut Allocation::default()).unwrap();
    cluster.stepped.update();
    cluster.stepped.take_outcome();
    let outcome = cluster.hb(1);
    assert_eq!(outcome.allocated.iter().map(|made| (made.app, made.priority)).collect::<Vec<_>>(), [(2, 2)]);
    assert_eq!(cluster.used(&second), r(2048, 2));
}

// ------------------------------------------------------------------------------- continuous scheduling, nodes, moves

const CONTINUOUS: [(&str, &str); 3] = [
    ("yarn.scheduler.fair.continuous-scheduling-enabled", "true"),
    ("yarn.scheduler.fair.locality-delay-node-ms", "1000"),
    ("yarn.scheduler.fair.locality-delay-rack-ms", "1000"),
];

#[test]
fn hadoop_continuous_basic() {
    let mut cluster = Cluster::with(&CONTINUOUS, "", &[("/r", r(4096, 4))]);
    let app = cluster.request(r(1024, 1), "queue1", "user1", 1);
    cluster.stepped.continuous();
    assert_eq!(cluster.used(&app), r(1024, 1));
}

#[test]
fn hadoop_continuous_sorted_nodes() {
    let mut cluster = Cluster::with(&CONTINUOUS, "", &[("/r", r(8192, 8)), ("/r", r(8192, 8))]);
    let app = cluster.request(r(1024, 1), "queue1", "user1", 1);
    cluster.stepped.continuous();
    cluster.ask(&app, 1, r(1024, 1), 1);
    cluster.stepped.update();
    cluster.stepped.continuous();
    let mut nodes: Vec<_> = cluster.stepped.take_outcome().allocated.into_iter().map(|made| made.node).collect();
    nodes.sort();
    assert_eq!((nodes, cluster.used(&app)), (vec!["n1".to_owned(), "n2".to_owned()], r(2048, 2)));
}

#[test]
fn hadoop_continuous_with_node_removed() {
    let mut cluster = Cluster::with(&CONTINUOUS, "", &[("/r", r(8192, 8)), ("/r", r(8192, 8))]);
    cluster.remove_node(2);
    cluster.stepped.continuous();
    assert_eq!((cluster.stepped.nodes().len(), cluster.stepped.stats().cluster), (1, r(8192, 8)));
}

#[test]
fn hadoop_scheduling_and_completion_on_removed_node() {
    let mut cluster = Cluster::new("", &[("/r", r(8192, 8)), ("/r", r(8192, 8))]);
    let app = cluster.request(r(1024, 1), "queue1", "user1", 1);
    cluster.hb(1);
    let held = cluster.ask_lines(&app, &[]).unwrap().granted[0].id;
    cluster.remove_node(1);
    let mut late = Heartbeat::new(&cluster.nodes[0]);
    late.completed.push(held);
    cluster.stepped.heartbeat(&late);
    cluster.ask(&app, 1, r(1024, 1), 1);
    cluster.stepped.update();
    cluster.stepped.take_outcome();
    assert!(cluster.hb(1).allocated.is_empty());
    assert_eq!(cluster.used(&app), Resource::NONE);
    assert_eq!(cluster.hb(2).allocated.len(), 1);
}

#[test]
fn hadoop_multiple_completed_event() {
    let mut cluster = Cluster::new("", &[("/r", r(20_480, 20))]);
    let app = cluster.request_am(r(1024, 1), "queue1");
    cluster.hb(1);
    for _ in 0..2 {
        // The second time there is nothing left to complete.
        let _ = cluster.stepped.complete_numbered(app.number(), 1);
        assert_eq!(cluster.used(&app), Resource::NONE);
    }
}

#[test]
fn hadoop_move_runnable_app() {
    let mut cluster = Cluster::new(&(queue("queue1", "") + &queue("queue2", "")), &[("/r", r(1024, 1))]);
    let app = cluster.request(r(1024, 1), "queue1", "user1", 3);
    cluster.hb(1);
    assert_eq!(cluster.queue("root.queue1").usage, r(1024, 1));
    assert_eq!(cluster.queue("root.queue1").demand, r(3072, 3));
    cluster.stepped.move_app(&app, "queue2").unwrap();
    let [first, second, root] = ["root.queue1", "root.queue2", "root"].map(|name| cluster.queue(name));
    assert_eq!((first.usage, second.usage), (r(0, 0), r(1024, 1)));
    assert_eq!((first.runnable, second.runnable, root.runnable), (0, 1, 1));
    cluster.stepped.update();
    assert_eq!(["root.queue1", "root.queue2"].map(|name| cluster.queue(name).demand), [r(0, 0), r(3072, 3)]);
}

#[test]
fn hadoop_move_and_running_limits() {
    let none = "<maxRunningApps>0</maxRunningApps>";
    // testMoveNonRunnableApp
    let mut cluster = Cluster::new(&(queue("queue1", none) + &queue("queue2", none)), &[]);
    let app = cluster.submit("queue1", "user1", None).unwrap();
    cluster.stepped.move_app(&app, "queue2").unwrap();
    assert!(!cluster.runs(&app));
    assert_eq!(["root.queue1", "root.queue2", "root"].map(|name| cluster.queue(name).runnable), [0, 0, 0]);
    // testMoveMakesAppRunnable
    let mut cluster = Cluster::new(&(queue("queue1", none) + &queue("queue2", "")), &[]);
    let app = cluster.submit("queue1", "user1", None).unwrap();
    cluster.stepped.move_app(&app, "queue2").unwrap();
    assert!(cluster.runs(&app));
    assert_eq!(["root.queue1", "root.queue2", "root"].map(|name| cluster.queue(name).runnable), [0, 1, 1]);
}

#[test]
fn hadoop_moves_that_are_refused() {
    // testMoveWouldViolateMaxAppsConstraints
    let mut cluster = Cluster::new(&queue("queue2", "<maxRunningApps>0</maxRunningApps>"), &[("/r", r(2048, 2))]);
    let app = cluster.submit("queue1", "user1", None).unwrap();
    assert_eq!(cluster.stepped.move_app(&app, "queue2").unwrap_err().kind(), "max-running");
    // testMoveWouldViolateMaxResourcesConstraints
    let text = queue("queue2", "<maxResources>1024mb,1vcores</maxResources>");
    let mut cluster = Cluster::new(&text, &[("/r", r(2048, 2))]);
    let app = cluster.request(r(1024, 1), "queue1", "user1", 2);
    (0..2).for_each(|_| drop(cluster.hb(1)));
    assert_eq!(cluster.used(&app), r(2048, 2));
    assert_eq!(cluster.stepped.move_app(&app, "queue2").unwrap_err().kind(), "max-share");
    // testMoveToNonexistentQueue, testMoveAfterRemoval
    assert_eq!(cluster.stepped.move_app(&app, "queue3").unwrap_err().kind(), "no-such-queue");
    cluster.finish(&app);
    assert_eq!(cluster.stepped.move_app(&app, "queue1").unwrap_err().kind(), "no-such-app");
}

#[test]
fn hadoop_dont_allow_undeclared_pools() {
    let off = [("yarn.scheduler.fair.allow-undeclared-pools", "false")];
    let mut cluster = Cluster::with(&off, &(queue("jerry", "") + &queue("default", "")), &[]);
    let running = |cluster: &Cluster| ["root.jerry", "root.default"].map(|name| cluster.queue(name).runnable);
    let mut counts = Vec::new();
    for (queue, user) in
        [("jerry", "someuser"), ("newqueue", "someuser"), ("default", "someuser"), ("default", "jerry")]
    {
        cluster.submit(queue, user, None).unwrap();
        counts.push(running(&cluster));
    }
    assert_eq!(counts, [[1, 0], [1, 1], [1, 2], [2, 2]]);
}

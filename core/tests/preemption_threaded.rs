//! Preemption on threads: a starved queue comes to its share, and the books agree whatever happens at the same time.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use evenweave::clock::{Clock, VirtualClock};
use evenweave::{AppHandle, ContainerId, EndReason, FairScheduler, Heartbeat, NodeHandle, Resource};
use evenweave_testkit::{
    Raised, add_nodes, allocate, allocations, ask, assert_sums, beat, fair, fill, poll, settings, unmanaged,
};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Timeouts and waits of nothing; updates are made by the tests.
fn start(workers: usize) -> FairScheduler {
    let properties = [
        ("yarn.scheduler.fair.preemption", "true"),
        ("yarn.scheduler.fair.waitTimeBeforeKill", "0"),
        ("yarn.scheduler.fair.waitTimeBeforeNextStarvationCheck", "0"),
        ("yarn.scheduler.fair.update-interval-ms", "0"),
        ("yarn.scheduler.fair.assignmultiple", "true"),
        ("yarn.scheduler.fair.dynamic.max.assign", "false"),
    ];
    let inside = "<defaultFairSharePreemptionTimeout>0</defaultFairSharePreemptionTimeout>\
                  <defaultFairSharePreemptionThreshold>1.0</defaultFairSharePreemptionThreshold>";
    fair(&properties, inside).workers(workers).start().unwrap()
}

fn used(scheduler: &FairScheduler, app: &AppHandle) -> i64 {
    let apps = scheduler.apps().unwrap();
    apps.iter().find(|view| view.id.number == app.number()).map_or(0, |view| view.usage.memory_mb() / 1024)
}

/// One update with what it leads to, then a heartbeat of every node.
fn turn(scheduler: &FairScheduler, nodes: &[NodeHandle]) {
    scheduler.update_now().unwrap();
    scheduler.quiesce().unwrap();
    nodes.iter().for_each(|node| beat(scheduler, Heartbeat::new(node)));
    scheduler.quiesce().unwrap();
}

/// The cluster is full when the second application comes: in one turn it has its half, and the first one keeps its own.
#[test]
fn a_starved_application_comes_to_its_share() {
    for workers in [1, 2, 3] {
        let scheduler = start(workers);
        let nodes = add_nodes(&scheduler, 8);
        let first = scheduler.submit(unmanaged(1, "root.x")).unwrap();
        allocate(&scheduler, &first, &ask(64)).unwrap();
        fill(&scheduler, &nodes);
        let mine: HashSet<_> = poll(&scheduler, &first).granted.iter().map(|made| made.id).collect();
        assert_eq!(mine.len(), 64);
        let second = scheduler.submit(unmanaged(2, "root.y")).unwrap();
        allocate(&scheduler, &second, &ask(64)).unwrap();
        scheduler.quiesce().unwrap();
        turn(&scheduler, &nodes);
        assert_eq!((used(&scheduler, &first), used(&scheduler, &second)), (32, 32), "{workers} workers");
        let told = poll(&scheduler, &first);
        assert!(told.strict_preemptions.is_empty(), "what is killed is no longer warned of");
        assert!(told.ended.iter().all(|ended| ended.reason == EndReason::Preempted && mine.contains(&ended.id)));
        assert_eq!(told.ended.len(), 32);
        assert_eq!(poll(&scheduler, &second).granted.len(), 32);
        turn(&scheduler, &nodes);
        assert_eq!(scheduler.stats().completed, 32, "nobody is short any more");
        assert_sums(&scheduler);
        scheduler.shutdown().unwrap();
    }
}

/// Applications come and go, nodes report and containers end while one update follows the other.
#[test]
fn the_books_agree_whatever_happens_meanwhile() {
    let scheduler = start(3);
    let nodes = add_nodes(&scheduler, 6);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let _until_here = Raised(&stop);
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                scheduler.update_now().unwrap();
            }
        });
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                nodes.iter().for_each(|node| beat(&scheduler, Heartbeat::new(node)));
            }
        });
        let mut ended = HashSet::new();
        let mut running = Vec::new();
        for number in 1..=60 {
            let app = scheduler.submit(unmanaged(number, &format!("root.q{}", number % 5))).unwrap();
            allocate(&scheduler, &app, &ask(40)).unwrap();
            running.push(app);
            for app in &running {
                let told = poll(&scheduler, app);
                assert!(told.ended.iter().all(|container| ended.insert(container.id)), "told of once");
                for made in told.granted.iter().take(2) {
                    let mut heartbeat = Heartbeat::new(&nodes[made.node.index()]);
                    heartbeat.add_completed([made.id]);
                    beat(&scheduler, heartbeat);
                }
            }
            if running.len() > 6 {
                scheduler.finish(&running.remove(0)).unwrap();
            }
        }
    });
    assert_sums(&scheduler);
    for node in scheduler.nodes() {
        assert!(Resource::ZERO.fits_in(&node.free), "{} has given more than it has", node.name);
    }
    scheduler.shutdown().unwrap();
}

// -------------------------------------------------------------------------------------------------- a large cluster

const NODES: usize = 2000;
/// Of 8 containers each.
const CONTAINERS: u64 = 8 * NODES as u64;
/// Queues that were there first, each with one application that always wants more.
const BUSY: u32 = 15;
/// How long a task of theirs runs.
const TASK_MS: u64 = 600_000;
const TICK_MS: u64 = 500;
const TIMEOUT_MS: u64 = 15_000;
const WAIT_BEFORE_KILL_MS: u64 = 5_000;
const BEAT_MS: u64 = 1_000;

/// A cluster in virtual time: an update each half second, a heartbeat of every node each second. A task ends when it
/// has run for ten minutes; a container that is taken back ends on its node with the node's next heartbeat.
struct Cluster {
    scheduler: FairScheduler,
    clock: Arc<VirtualClock>,
    nodes: Vec<NodeHandle>,
    busy: Vec<AppHandle>,
    /// When running tasks end, and where they are; the first to end first.
    running: BTreeSet<(u64, usize, ContainerId)>,
    ends: HashMap<ContainerId, (u64, usize)>,
    launched: Vec<Vec<ContainerId>>,
    completed: Vec<Vec<ContainerId>>,
    finished: u64,
    taken_back: u64,
}

impl Cluster {
    /// Full of tasks of the busy queues, at all stages of their lives.
    fn new() -> Cluster {
        let settings = settings(&[
            ("yarn.scheduler.fair.preemption", "true"),
            ("yarn.scheduler.fair.waitTimeBeforeKill", "5000"),
            ("yarn.scheduler.fair.update-interval-ms", "0"),
            ("yarn.scheduler.fair.assignmultiple", "true"),
            ("yarn.scheduler.fair.dynamic.max.assign", "false"),
        ]);
        let text = "<allocations><defaultFairSharePreemptionTimeout>15</defaultFairSharePreemptionTimeout>\
                    <defaultFairSharePreemptionThreshold>1.0</defaultFairSharePreemptionThreshold></allocations>";
        let file = allocations(text);
        let clock = Arc::new(VirtualClock::new());
        let builder = FairScheduler::builder().settings(settings).allocations(file).workers(2);
        let scheduler = builder.clock(Arc::clone(&clock) as Arc<dyn Clock>).start().unwrap();
        let nodes = add_nodes(&scheduler, NODES);
        let busy: Vec<_> = (1..=BUSY).map(|n| scheduler.submit(unmanaged(n, &format!("root.q{n}"))).unwrap()).collect();
        busy.iter().for_each(|app| drop(allocate(&scheduler, app, &ask(6_000)).unwrap()));
        fill(&scheduler, &nodes);
        assert_eq!(scheduler.stats().running, CONTAINERS, "full");
        let lists = || vec![Vec::new(); NODES];
        let (running, ends) = (BTreeSet::new(), HashMap::new());
        let (launched, completed) = (lists(), lists());
        let mut cluster =
            Cluster { scheduler, clock, nodes, busy, running, ends, launched, completed, finished: 0, taken_back: 0 };
        // Evenly over the ten minutes, in no order of queues: 7919 has no divisor in common with the number of
        // containers.
        cluster.fetch(|number| number * 7919 % CONTAINERS * TASK_MS / CONTAINERS);
        cluster
    }

    /// What the AMs of the busy queues are told: tasks start, each to end after so long, and some are taken back.
    fn fetch(&mut self, lasts_ms: impl Fn(u64) -> u64) {
        let (now, mut number) = (self.clock.now_ms(), 0);
        for app in &self.busy {
            let told = poll(&self.scheduler, app);
            for made in told.granted {
                let (end, node) = (now + lasts_ms(number), made.node.index());
                number += 1;
                self.running.insert((end, node, made.id));
                self.ends.insert(made.id, (end, node));
                self.launched[node].push(made.id);
            }
            for ended in told.ended.into_iter().filter(|ended| ended.reason == EndReason::Preempted) {
                let (end, node) = self.ends.remove(&ended.id).unwrap();
                assert!(self.running.remove(&(end, node, ended.id)), "it ran");
                self.completed[node].push(ended.id);
                self.taken_back += 1;
            }
        }
    }

    /// Half a second.
    fn tick(&mut self) {
        self.clock.advance(TICK_MS);
        let now = self.clock.now_ms();
        self.scheduler.update_now().unwrap();
        self.scheduler.quiesce().unwrap();
        if !now.is_multiple_of(BEAT_MS) {
            return;
        }
        self.fetch(|_| TASK_MS);
        while let Some((end, node, id)) = self.running.first().copied().filter(|(end, ..)| *end <= now) {
            self.running.remove(&(end, node, id));
            self.ends.remove(&id);
            self.completed[node].push(id);
            self.finished += 1;
        }
        for (index, node) in self.nodes.iter().enumerate() {
            let mut heartbeat = Heartbeat::new(node);
            heartbeat.add_launched(self.launched[index].drain(..));
            heartbeat.add_completed(self.completed[index].drain(..));
            beat(&self.scheduler, heartbeat);
        }
        self.scheduler.quiesce().unwrap();
        self.fetch(|_| TASK_MS);
    }

    /// Tasks of the busy queues that end in so long, a second.
    fn run(&mut self, ms: u64) -> f64 {
        let before = self.finished;
        (0..ms / TICK_MS).for_each(|_| self.tick());
        (self.finished - before) as f64 / (ms as f64 / 1000.0)
    }
}

/// A queue comes to a full cluster of 2,000 nodes and two workers. It has its share within the timeout, the wait before
/// the kill, two updates and a heartbeat of each victim's node; the others lose less than a tenth of their throughput
/// meanwhile.
#[test]
fn a_starved_application_comes_to_its_share_in_time() {
    let mut cluster = Cluster::new();
    let before = cluster.run(20_000);
    let began = cluster.clock.now_ms();
    let late = cluster.scheduler.submit(unmanaged(100, "root.late")).unwrap();
    allocate(&cluster.scheduler, &late, &ask(6_000)).unwrap();
    let within = TIMEOUT_MS + WAIT_BEFORE_KILL_MS + 2 * TICK_MS + BEAT_MS;
    // Not by itself: when the timeout is over it is still short of its share.
    let mut meanwhile = cluster.run(TIMEOUT_MS - 1_000);
    let share = i64::try_from(CONTAINERS / u64::from(BUSY + 1)).unwrap();
    let by_itself = used(&cluster.scheduler, &late);
    assert!(by_itself < share, "{by_itself} containers of {share} without preemption");
    let wait = WAIT_BEFORE_KILL_MS + 1_000 - TICK_MS;
    meanwhile = (meanwhile * (TIMEOUT_MS - 1_000) as f64 + cluster.run(wait) * wait as f64) / within as f64;
    assert_eq!(cluster.taken_back, 0, "nobody is killed before the timeout and the wait are over");
    let rest = within - (TIMEOUT_MS - 1_000) - wait;
    meanwhile += cluster.run(rest) * rest as f64 / within as f64;
    let view = cluster.scheduler.app(100).unwrap().unwrap();
    assert_eq!(view.fair_share.memory_mb() / 1024, share, "its share as of the snapshot");
    let (has, took) = (view.usage.memory_mb() / 1024, cluster.clock.now_ms() - began);
    println!(
        "{has} containers of {share} after {took} ms, {by_itself} of them before any was taken; {} taken back; \
         others: {before:.1} tasks a second before, {meanwhile:.1} meanwhile",
        cluster.taken_back
    );
    assert!(has >= share, "{has} containers of {share} after {took} ms");
    assert!(meanwhile > 0.9 * before, "others: {before:.1} tasks a second before, {meanwhile:.1} meanwhile");
    assert!(cluster.scheduler.stats().allocated.memory_mb() > 1024 * 8 * i64::try_from(CONTAINERS / 10).unwrap());
    let preempted: u64 = (1..=BUSY).map(|app| cluster.scheduler.app(app).unwrap().unwrap().preempted).sum();
    assert_eq!((preempted, cluster.scheduler.stats().preempted), (cluster.taken_back, cluster.taken_back));
    assert_sums(&cluster.scheduler);
    cluster.scheduler.shutdown().unwrap();
}

//! Preemption on threads: a starved queue comes to its share, and the books agree whatever happens at the same time.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

mod threads;

use evenweave::{AllocationFile, AppHandle, EndReason, FairScheduler, Heartbeat, NodeHandle, Resource, Settings};
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use threads::{add_nodes, allocate, ask, assert_sums, beat, fill, poll, unmanaged};

/// Timeouts and waits of nothing; updates are made by the tests.
fn start(workers: usize) -> FairScheduler {
    let settings = Settings::from_properties([
        ("yarn.scheduler.fair.preemption", "true"),
        ("yarn.scheduler.fair.waitTimeBeforeKill", "0"),
        ("yarn.scheduler.fair.waitTimeBeforeNextStarvationCheck", "0"),
        ("yarn.scheduler.fair.update-interval-ms", "0"),
        ("yarn.scheduler.fair.assignmultiple", "true"),
        ("yarn.scheduler.fair.dynamic.max.assign", "false"),
    ])
    .unwrap();
    let text = "<allocations><defaultFairSharePreemptionTimeout>0</defaultFairSharePreemptionTimeout>\
                <defaultFairSharePreemptionThreshold>1.0</defaultFairSharePreemptionThreshold></allocations>";
    let file = AllocationFile::parse(text, "allocations", &settings.types, &[]).unwrap().file;
    FairScheduler::builder().settings(settings).allocations(file).workers(workers).start().unwrap()
}

fn used(scheduler: &FairScheduler, app: &AppHandle) -> i64 {
    let apps = scheduler.apps();
    apps.iter().find(|view| view.id.number == app.number()).map_or(0, |view| view.usage.memory_mb() / 1024)
}

/// One update with what it leads to, then a heartbeat of every node.
fn turn(scheduler: &FairScheduler, nodes: &[NodeHandle]) {
    scheduler.update_now();
    scheduler.quiesce();
    nodes.iter().for_each(|node| beat(scheduler, Heartbeat::new(node)));
    scheduler.quiesce();
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
        scheduler.quiesce();
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
        scheduler.shutdown();
    }
}

/// Applications come and go, nodes report and containers end while one update follows the other.
#[test]
fn the_books_agree_whatever_happens_meanwhile() {
    let scheduler = start(3);
    let nodes = add_nodes(&scheduler, 6);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                scheduler.update_now();
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
                    heartbeat.completed.push(made.id);
                    beat(&scheduler, heartbeat);
                }
            }
            if running.len() > 6 {
                scheduler.finish(&running.remove(0)).unwrap();
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert_sums(&scheduler);
    for node in scheduler.nodes() {
        assert!(Resource::NONE.fits_in(&node.free), "{} has given more than it has", node.name);
    }
    scheduler.shutdown();
}

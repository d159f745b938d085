//! The workloads at small sizes, through the same code, with counts that can be told beforehand.

use std::collections::BTreeMap;

use super::bed::Bed;
use super::masters::{Masters, set_up, set_up_with};
use super::plan::{Times, tests::plan};
use super::shape::CONTAINER;
use super::*;
use crate::api::Resource;
use crate::options::CoreChoice;

/// 4 nodes in one rack, 10 queues, 20 applications that want 19 or 20 containers each: 256 fit, 384 are wanted.
const TINY: Shape = Shape { nodes: 4, queues: 10, apps: 20, parents: 2 };
const CORES: [CoreChoice; 2] = [CoreChoice::Threaded, CoreChoice::Locked];

/// A plan of a tiny cluster.
fn tiny(options: &str) -> Plan {
    let options: Vec<&str> = options.split(' ').collect();
    Plan { shape: TINY, times: Times::BRIEF, ..plan(&options) }
}

/// The bed of a plan where no node ever counts as silent. Nodes that have been silent for two intervals are not offered
/// aside: with the interval of the workloads, a machine busy with something else might never see the cluster full.
fn patient(plan: &Plan) -> (Bed, Masters) {
    let mut properties = plan.properties();
    properties.push(("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", "3600000"));
    set_up_with(plan, properties).unwrap()
}

#[test]
fn a_fill_allocates_the_capacity_and_no_more() {
    for core in CORES {
        for mode in ["one", "dyn", "max"] {
            let plan = Plan { core, ..tiny(&format!("W1 --mode {mode}")) };
            let figures = fill(&plan, plan.times.fill, None).unwrap().0;
            assert_eq!((figures.allocations, figures.full, figures.node_local), (256, 1.0, 0), "{core:?} {mode}");
            // Mode `one`: a heartbeat a container. `max`: a heartbeat a node. `dyn`: 33, 16, 8, 4, 2 and 1 of 64.
            let least = match mode {
                "one" => 256,
                "max" => 4,
                _ => 24,
            };
            assert!(figures.heartbeats >= least, "{core:?} {mode}: {}", figures.heartbeats);
            assert!(!figures.grant.is_empty() && figures.allocate.is_empty());
        }
    }
}

/// Mode `one`: a heartbeat a container; `max`: a heartbeat a node.
#[test]
fn the_capacity_scheduler_fills_the_cluster_too() {
    for (mode, least) in [("one", 256), ("max", 4), ("one --self-driven", 256), ("max --self-driven", 4)] {
        let plan = tiny(&format!("W1 --scheduler capacity --mode {mode}"));
        let figures = fill(&plan, plan.times.fill, None).unwrap().0;
        assert_eq!((figures.allocations, figures.full, figures.node_local), (256, 1.0, 0), "{mode}");
        assert!(figures.heartbeats >= least, "{mode}: {}", figures.heartbeats);
    }
}

/// Where nothing is offered with heartbeats, rounds do.
#[test]
fn the_capacity_scheduler_fills_the_cluster_by_rounds() {
    let plan = tiny("W1 --scheduler capacity --async on");
    let (bed, _) = patient(&plan);
    assert!(bed.fill(u64::MAX, None).unwrap().full);
    bed.engine.quiesce();
    let stats = bed.engine.stats();
    assert_eq!((stats.granted, stats.heartbeats), (256, 4));
    assert!(stats.offers > 0);
}

/// Each node reports once: half of its room is taken in mode `dyn`. The rest comes from rounds beside heartbeats.
#[test]
fn what_offers_nodes_aside_fills_the_cluster_after_one_round_of_heartbeats() {
    for aside in ["on", "continuous"] {
        let plan = tiny(&format!("W1 --mode one --async {aside}"));
        let (bed, _) = patient(&plan);
        assert!(bed.fill(u64::MAX, None).unwrap().full, "{aside}");
        bed.engine.quiesce();
        let stats = bed.engine.stats();
        assert_eq!((stats.granted, stats.heartbeats), (256, 4), "{aside}");
        assert!(stats.offers > 0, "{aside}");
    }
}

/// On the twin, which is synchronous, each heartbeat takes K containers out and puts K in: 16 rounds, then the count is
/// looked at and is reached. In mode `one` K is 1.
#[test]
fn a_round_of_the_churn_replaces_what_completes() {
    for (mode, allocations) in [("max", 64), ("one", 16)] {
        let plan = tiny(&format!("W2 --core locked --mode {mode}"));
        let (bed, masters) = set_up(&plan).unwrap();
        let mut churn = Churn::new(&bed, masters, &plan).unwrap();
        let figures = churn.phase(u64::MAX, allocations).unwrap();
        assert_eq!((figures.allocations, figures.heartbeats, figures.full), (allocations, 16, 1.0), "{mode}");
        assert_eq!(figures.node_local(), 0.0);
    }
}

/// Whatever the drivers and threads: containers that came and went are those that the scheduler counts, and what is
/// held is what runs. How full the cluster stays is a matter of who gets a processor when: heartbeats that wait carry
/// completions.
#[test]
fn the_books_of_a_churn_balance() {
    for options in [
        "W2",
        "W2 --drivers 2 --mode max",
        "W2 --workers 2 --drivers 2 --mode one",
        "W2 --async on --mode max",
        "W2 --async continuous",
        "W4",
        "W4 --drivers 2 --mode max",
        "W2 --scheduler capacity",
        "W2 --scheduler capacity --async on",
        "W4 --scheduler capacity --drivers 2 --mode one",
        "W2 --scheduler capacity --partitions 2",
        "W2 --scheduler capacity --partitions 3 --workers 2 --drivers 2",
    ] {
        let plan = tiny(options);
        let (bed, masters) = patient(&plan);
        let mut churn = Churn::new(&bed, masters, &plan).unwrap();
        let figures = churn.phase(u64::MAX, 3_000).unwrap();
        assert!(figures.allocations >= 3_000, "{options}");
        let held: u64 = loop {
            // Grants beside heartbeats go on until nothing is wanted or nothing fits.
            let (masters, completed) = churn.settle().unwrap();
            let held = masters.held().map(u64::from).sum();
            let stats = bed.engine.stats();
            assert_eq!(stats.completed, completed, "{options}");
            if held == stats.running {
                break held;
            }
        };
        assert!(held <= bed.shape.capacity(), "{options}");
    }
}

/// With three nodes every task names all of them, so that every container is on a node that was asked for.
#[test]
fn every_container_is_node_local_where_every_node_is_named() {
    for core in CORES {
        let three = Shape { nodes: 3, ..TINY };
        let plan = Plan { core, shape: three, ..tiny("W4 --mode max") };
        let (bed, masters) = set_up(&plan).unwrap();
        let mut churn = Churn::new(&bed, masters, &plan).unwrap();
        let before = Before::new(&bed);
        let allocations = churn.phase(u64::MAX, 640).unwrap().allocations;
        assert!(allocations >= 640);
        // A worker counts a grant first and then where it is: while it grants, the one may be read without the other.
        bed.engine.quiesce();
        let figures = before.figures(&bed, 1, 0.0);
        assert!(figures.allocations >= allocations);
        assert_eq!((figures.node_local, figures.node_local()), (figures.allocations, 1.0), "{core:?}");
        assert_eq!(bed.engine.stats().node_local, bed.engine.stats().granted);
    }
}

/// Shares are computed by hand alone: a round of W3 shows what one application in a hundred has changed, and nothing
/// does before.
#[test]
fn an_update_by_hand_publishes_what_has_changed() {
    for core in CORES {
        let plan = Plan { core, shape: Shape { apps: 200, ..TINY }, ..tiny("W3") };
        let (bed, masters) = set_up(&plan).unwrap();
        let before = demands(&bed);
        let mut updates = Updates::new(&bed, masters, &plan).unwrap();
        assert_eq!(demands(&bed), before, "grants alone change no demand");
        updates.warm_up(3, 0).unwrap();
        let changed: Vec<u32> = (0..200).filter(|app| demands(&bed)[app] != before[app]).collect();
        assert_eq!(changed, [0, 1, 2, 100, 101, 102], "{core:?}");
        assert!(changed.iter().all(|app| demands(&bed)[app] == before[app] + 1));
        // Rounds 100 to 199 take back what rounds 0 to 99 have added.
        let figures = updates.phase(197).unwrap();
        assert_eq!(demands(&bed), before, "{core:?}");
        assert_eq!((figures.allocations, figures.full), (0, 1.0));
        assert!(figures.update.is_some() && figures.in_scheduler_ns > 0);
    }
}

/// Containers that each application demands, by its number in the workload.
fn demands(bed: &Bed) -> BTreeMap<u32, i64> {
    let count = |demand: &Resource| demand.memory_mb() / CONTAINER.memory_mb();
    bed.engine.apps().iter().map(|app| (app.number - 1, count(&app.demand))).collect()
}

/// All workloads from the options to the records; the last one has the median and, if asked for, the open loop.
#[test]
fn every_workload_gives_its_records() {
    for options in [
        "W1 --open-loop",
        "W2 --open-loop",
        "W3",
        "W4 --open-loop",
        "W4 --core locked",
        "W2 --scheduler capacity --self-driven",
    ] {
        let plan = tiny(options);
        let mut told = 0;
        let results = measure(&plan, &mut |_| told += 1).unwrap();
        let record = results.median_json(&plan).unwrap();
        assert_eq!((told, &record["median_of"]), (1, &1.into()), "{options}");
        for name in [
            "peer",
            "workload",
            "nodes",
            "queues",
            "apps",
            "assign",
            "drivers",
            "allocations",
            "seconds",
            "allocations_per_s",
            "cpu_s_per_1000",
            "driver_cpu_s_per_1000",
            "worker_cpu_s_per_1000",
            "in_scheduler",
            "full",
            "node_local",
            "heartbeat_us",
            "allocate_us",
            "update_ms",
        ] {
            assert!(record.get(name).is_some(), "{options}: {name}");
        }
        assert_eq!(record["update_ms"].is_null(), !options.starts_with("W3"), "{options}");
        assert_eq!(record["heartbeat_us"], record["grant_us"], "{options}");
        let parts = record["open_loop_percent"].as_object().map(|parts| parts.keys().cloned().collect::<Vec<_>>());
        let expected = options.contains("open").then(|| ["50", "80", "95"].map(str::to_owned).to_vec());
        assert_eq!(parts, expected, "{options}");
        let rows = results.table(&plan).row_iter().count();
        assert_eq!(rows, if options.contains("open") { 5 } else { 2 }, "{options}");
    }
}

/// Containers by queue, and by application.
type Outcome = (BTreeMap<String, i64>, BTreeMap<u32, i64>);

/// W1, size M, filled by this many workers.
fn filled(workers: usize, fold_every: Option<u32>) -> Outcome {
    let plan = Plan { workers, fold_every, times: Times { fill: u64::MAX, ..Times::BRIEF }, ..plan(&["W1"]) };
    let (shape, (bed, _)) = (plan.shape, set_up(&plan).unwrap());
    // As many rounds as it takes: however slow the machine is.
    bed.fill(plan.times.fill, None).unwrap();
    bed.engine.quiesce();
    let (queues, apps, nodes) = (bed.engine.queues(), bed.engine.apps(), bed.engine.nodes());
    assert_eq!(bed.engine.stats().running, shape.capacity(), "the cluster is full");
    assert!(nodes.iter().all(|node| node.free == Resource::ZERO), "I1: and no node is over-committed");
    for queue in &queues {
        let inside = |name: &str| name.strip_prefix(&queue.name).is_some_and(|rest| rest.starts_with('.'));
        let of = |name: &str| name == queue.name || inside(name);
        let parts = apps.iter().filter(|app| of(&app.queue));
        let sum = parts.fold(Resource::ZERO, |sum, app| sum.plus(&app.usage));
        assert_eq!(queue.usage, sum, "I4: {}", queue.name);
    }
    let count = |usage: &Resource| usage.memory_mb() / CONTAINER.memory_mb();
    (
        queues.into_iter().map(|queue| (queue.name, count(&queue.usage))).collect(),
        apps.into_iter().map(|app| (app.number, count(&app.usage))).collect(),
    )
}

/// `docs/concurrency.md`, *How far from the exact outcome*: `below` levels under root, with what others may have in
/// hand of the asks of so many applications.
fn bound(workers: usize, every: u32, below: u64, applications: u64) -> u64 {
    // Siblings' weights are 1 to 4; an application wants 96 containers, of which a worker has an eighth in hand.
    let (others, weights, piece) = (workers as u64 - 1, 4, 96 / 8);
    let slack = u64::from(every / 32);
    below * weights * (others * u64::from(every) + slack + 2) + others * piece * applications
}

fn holds(exact: &Outcome, workers: usize, fold_every: Option<u32>) {
    let every = fold_every.unwrap_or(16_384);
    let (queues, apps) = filled(workers, fold_every);
    assert!(queues.keys().eq(exact.0.keys()) && apps.keys().eq(exact.1.keys()));
    for (name, containers) in &queues {
        let (below, applications) = match name.matches('.').count() {
            0 => (0, 0),
            1 => (1, 100),
            _ => (2, 10),
        };
        let (apart, bound) = (containers.abs_diff(exact.0[name]), bound(workers, every, below, applications));
        assert!(apart <= bound, "{workers} workers, R = {every}: {name} is {apart} apart, {bound} allowed");
    }
    for (number, containers) in &apps {
        let (apart, bound) = (containers.abs_diff(exact.1[number]), bound(workers, every, 3, 1));
        assert!(apart <= bound, "{workers} workers, R = {every}: {number} is {apart} apart, {bound} allowed");
    }
    let most = |apart: &mut dyn Iterator<Item = u64>| apart.max().unwrap_or(0);
    evenweave_tools::output::say!(
        "{workers} workers, R = {every}: at most {} of a queue and {} of an application apart",
        most(&mut queues.iter().map(|(name, containers)| containers.abs_diff(exact.0[name]))),
        most(&mut apps.iter().map(|(number, containers)| containers.abs_diff(exact.1[number]))),
    );
}

/// Invariant I8 where all workers grant at once.
#[test]
fn several_workers_fill_nearly_as_one_does() {
    let exact = filled(1, None);
    for workers in [2, 4] {
        for fold_every in [Some(4), None] {
            holds(&exact, workers, fold_every);
        }
    }
}

//! Nodes that register and leave, beside many: both schedulers, without threads and with them.
//!
//! `fill` registers all nodes with a scheduler that has none; its throughput counts nodes. `add` and `remove` are one node more, beside so many;
//! it is taken out or put back without being timed. Forty nodes share a rack, in `racks` each has its own. A call of a scheduler with threads
//! waits for the control's answer, and of a removal for that of the node's worker.

use criterion::measurement::WallTime;
use criterion::{BatchSize, BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use evenweave::{
    AllocationFile, CapacityConfiguration, CapacityScheduler, CapacityStepped, FairScheduler, NodeHandle, Resource,
    Settings, Stepped,
};
use std::cell::{Cell, OnceCell, RefCell};

const NODE: Resource = Resource::new(64 * 1_024, 64);

/// How many nodes there are. Tests only look whether it runs.
fn sizes() -> &'static [usize] {
    if std::env::args().any(|argument| argument == "--bench") { &[1_000, 5_000, 20_000] } else { &[50] }
}

/// A scheduler as far as nodes go.
trait Cluster: Sized {
    fn start() -> Self;
    fn add(&mut self, name: &str, rack: &str) -> NodeHandle;
    fn remove(&mut self, node: &NodeHandle);
}

/// The same calls of all of them, which share no type.
macro_rules! cluster {
    ($scheduler:ty, $start:expr) => {
        impl Cluster for $scheduler {
            fn start() -> Self {
                $start
            }

            fn add(&mut self, name: &str, rack: &str) -> NodeHandle {
                self.add_node(name, rack, NODE).expect("a node")
            }

            fn remove(&mut self, node: &NodeHandle) {
                self.remove_node(node).expect("it is there");
            }
        }
    };
}

fn queues() -> AllocationFile {
    let text = "<allocations><queue name=\"a\"/><queue name=\"b\"/></allocations>";
    AllocationFile::parse(text, "fair-scheduler.xml", &Settings::default().types, &[]).expect("a file").file
}

fn capacities() -> CapacityConfiguration {
    let queues = [
        ("yarn.scheduler.capacity.root.queues", "a,b"),
        ("yarn.scheduler.capacity.root.a.capacity", "50"),
        ("yarn.scheduler.capacity.root.b.capacity", "50"),
    ];
    CapacityConfiguration::from_properties([], queues).expect("queues")
}

cluster!(Stepped, FairScheduler::builder().allocations(queues()).stepped().expect("a scheduler"));
cluster!(CapacityStepped, CapacityScheduler::builder(capacities()).stepped().expect("a scheduler"));
cluster!(FairScheduler, FairScheduler::builder().allocations(queues()).workers(2).start().expect("a scheduler"));
cluster!(CapacityScheduler, CapacityScheduler::builder(capacities()).workers(2).start().expect("a scheduler"));

fn names(nodes: usize, of_rack: usize) -> Vec<(String, String)> {
    (0..nodes).map(|node| (format!("node{node}"), format!("/rack{}", node / of_rack))).collect()
}

fn fill<C: Cluster>(names: &[(String, String)]) -> C {
    let mut cluster = C::start();
    for (name, rack) in names {
        cluster.add(name, rack);
    }
    cluster
}

fn of<C: Cluster>(group: &mut BenchmarkGroup<'_, WallTime>, scheduler: &str) {
    for (case, of_rack) in [("", 40), ("racks/", 1)] {
        for nodes in sizes() {
            let names = names(*nodes, of_rack);
            if case.is_empty() {
                group.throughput(Throughput::Elements(*nodes as u64));
                group.bench_function(format!("{scheduler}/fill/{nodes}"), |bencher| {
                    bencher.iter_with_large_drop(|| fill::<C>(&names));
                });
            }
            group.throughput(Throughput::Elements(1));
            let (made, there) = (OnceCell::new(), Cell::new(None));
            let cluster = || made.get_or_init(|| RefCell::new(fill::<C>(&names)));
            let add = || there.set(Some(cluster().borrow_mut().add("more", "/rack0")));
            let remove = || there.take().into_iter().for_each(|node| cluster().borrow_mut().remove(&node));
            group.bench_function(format!("{scheduler}/{case}add/{nodes}"), |bencher| {
                bencher.iter_batched(&remove, |()| add(), BatchSize::PerIteration);
            });
            remove();
            group.bench_function(format!("{scheduler}/{case}remove/{nodes}"), |bencher| {
                bencher.iter_batched(&add, |()| remove(), BatchSize::PerIteration);
            });
        }
    }
}

fn nodes(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("nodes");
    group.sample_size(10);
    of::<Stepped>(&mut group, "fair/stepped");
    of::<CapacityStepped>(&mut group, "capacity/stepped");
    of::<FairScheduler>(&mut group, "fair/threads");
    of::<CapacityScheduler>(&mut group, "capacity/threads");
    group.finish();
}

criterion_group!(benches, nodes);
criterion_main!(benches);

//! Nodes that register and leave, beside many: both schedulers, without threads and with them.
//!
//! `fill` registers all nodes with a scheduler that has none; its throughput counts nodes. `add` and `remove` are one
//! node more, beside so many; it is taken out or put back without being timed. There are two queues, in `queues` a
//! thousand. A call of a scheduler with threads waits for the control's answer, and of a removal for that of the node's
//! worker.

use criterion::measurement::WallTime;
use criterion::{BatchSize, BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use evenweave::SchedulerApi as _;
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
    fn start(queues: usize) -> Self;
    fn add(&mut self, name: &str, rack: &str) -> NodeHandle;
    fn remove(&mut self, node: &NodeHandle);
}

/// The same calls of all of them, which share no type.
macro_rules! cluster {
    ($scheduler:ty, $queues:ident => $start:expr) => {
        impl Cluster for $scheduler {
            fn start($queues: usize) -> Self {
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

fn allocations(queues: usize) -> AllocationFile {
    let queues: String = (0..queues).map(|queue| format!("<queue name=\"q{queue}\"/>")).collect();
    let text = format!("<allocations>{queues}</allocations>");
    AllocationFile::parse(&text, "fair-scheduler.xml", &Settings::default().types, &[]).expect("a file").file
}

fn capacities(queues: usize) -> CapacityConfiguration {
    let names: Vec<String> = (0..queues).map(|queue| format!("q{queue}")).collect();
    let list = names.join(",");
    let weights: Vec<String> =
        names.iter().map(|name| format!("yarn.scheduler.capacity.root.{name}.capacity")).collect();
    let weights = weights.iter().map(|name| (name.as_str(), "1w"));
    let properties = [("yarn.scheduler.capacity.root.queues", list.as_str())].into_iter().chain(weights);
    CapacityConfiguration::from_properties([], properties).expect("queues")
}

cluster!(Stepped, queues => FairScheduler::builder().allocations(allocations(queues)).stepped().expect("a scheduler"));
cluster!(CapacityStepped, queues => CapacityScheduler::builder(capacities(queues)).stepped().expect("a scheduler"));
cluster!(FairScheduler, queues => {
    FairScheduler::builder().allocations(allocations(queues)).workers(2).start().expect("a scheduler")
});
cluster!(CapacityScheduler, queues => {
    CapacityScheduler::builder(capacities(queues)).workers(2).start().expect("a scheduler")
});

/// Of nodes and their racks, forty on each.
fn names(nodes: usize) -> Vec<(String, String)> {
    (0..nodes).map(|node| (format!("node{node}"), format!("/rack{}", node / 40))).collect()
}

fn fill<C: Cluster>(names: &[(String, String)], queues: usize) -> C {
    let mut cluster = C::start(queues);
    for (name, rack) in names {
        cluster.add(name, rack);
    }
    cluster
}

fn of<C: Cluster>(group: &mut BenchmarkGroup<'_, WallTime>, scheduler: &str) {
    for (case, queues) in [("", 2), ("queues/", 1_000)] {
        for nodes in sizes() {
            let names = names(*nodes);
            if case.is_empty() {
                group.throughput(Throughput::Elements(*nodes as u64));
                group.bench_function(format!("{scheduler}/fill/{nodes}"), |bencher| {
                    bencher.iter_with_large_drop(|| fill::<C>(&names, queues));
                });
            }
            group.throughput(Throughput::Elements(1));
            let (made, there) = (OnceCell::new(), Cell::new(None));
            let cluster = || made.get_or_init(|| RefCell::new(fill::<C>(&names, queues)));
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

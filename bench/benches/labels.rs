//! What node labels cost where all queues are looked at: an update of every queue's figures, a refresh, and a node that
//! gets another label. About 1,000 queues, without labels and with ten, each of which every queue has a capacity for.
//!
//! Figures exist once for each partition, so the cost grows with their number.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use evenweave::config::SiteFile;
use evenweave::labels::{NewLabel, StoredLabels};
use evenweave::{CapacityConfiguration, CapacityScheduler, CapacityStepped, Resource, SchedulerApi as _};

#[path = "../examples/large_allocation_file/capacity.rs"]
mod capacity;

const QUEUES: usize = 1_000;
const LABELS: [usize; 2] = [0, 10];
const PREFIX: &str = "yarn.scheduler.capacity.root";

fn name(label: usize) -> String {
    format!("label{label}")
}

/// The file of the benchmark `configuration`, where every queue has the same part of each label as of the nodes without
/// one.
fn properties(labels: usize) -> Vec<(String, String)> {
    let (text, _) = capacity::capacity_scheduler(QUEUES);
    let file = SiteFile::parse(&text, "capacity-scheduler.xml").expect("a valid file");
    let mut all: Vec<(String, String)> =
        file.pairs().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let mut of_labels = Vec::new();
    for (property, value) in &all {
        let Some((queue, "capacity")) = property.rsplit_once('.') else { continue };
        if queue.starts_with(PREFIX) {
            let key = |label| format!("{queue}.accessible-node-labels.{}.capacity", name(label));
            of_labels.extend((0..labels).map(|label| (key(label), value.clone())));
        }
    }
    all.extend(of_labels);
    all
}

/// A scheduler with two nodes of each partition.
fn running(properties: &[(String, String)], labels: usize) -> CapacityStepped {
    let site = [("yarn.node-labels.enabled", "true")].into_iter().filter(|_| labels > 0);
    let own = properties.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let configuration = CapacityConfiguration::from_properties(site, own).expect("valid queues");
    let nodes = (0..2 * labels).map(|node| (format!("n{node}"), 0, name(node / 2)));
    let stored = StoredLabels {
        labels: (0..labels).map(|label| NewLabel { name: name(label), exclusive: true }).collect(),
        nodes: nodes.collect(),
    };
    let mut scheduler = CapacityScheduler::builder(configuration).labels(stored).stepped().expect("valid queues");
    for node in 0..2 * (labels + 1) {
        scheduler.add_node(&format!("n{node}"), "/r1", Resource::new(131_072, 64)).expect("a new node");
    }
    scheduler
}

fn node_labels(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("node_labels");
    group.sample_size(20);
    for labels in LABELS {
        let properties = properties(labels);
        let mut scheduler = running(&properties, labels);
        let of_root = scheduler.queues()[0].partitions.len();
        assert_eq!(of_root, labels, "root has figures of every label");
        group.bench_function(BenchmarkId::new("update", labels), |bencher| {
            bencher.iter(|| scheduler.labels_updated(&[]));
        });
        group.bench_function(BenchmarkId::new("refresh", labels), |bencher| {
            let pairs = || properties.iter().map(|(name, value)| (name.as_str(), value.as_str()));
            bencher.iter(|| scheduler.refresh_properties(pairs()).expect("valid queues"));
        });
        if labels > 0 {
            let mut turn = 0;
            group.bench_function(BenchmarkId::new("relabel", labels), |bencher| {
                bencher.iter(|| {
                    turn = (turn + 1) % labels;
                    scheduler.set_node_labels(&[("n0", &[&name(turn)])]).expect("labels that are there");
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, node_labels);
criterion_main!(benches);

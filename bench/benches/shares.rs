//! Fair shares: the distribution among the children of one queue, and a whole update of a full cluster.
//!
//! `distribute` has children of three kinds: all alike, of a few weights, and all different, because alike ones count
//! once. `update` is W3: some applications have changed what they want, then demand and fair share of every queue and
//! application are computed and published; only that is timed.

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use evenweave::Resource;
use evenweave::policy::{SchedulingPolicy, ShareInput};
use evenweave::shares::{Drf, Fair};
use std::cell::RefCell;
use std::hint::black_box;

#[path = "../../core/tests/churn/mod.rs"]
mod churn;
use churn::{Churn, Size};

const CHILDREN: [u16; 3] = [100, 1_000, 10_000];

/// The weights of siblings by position.
type Weight = fn(u16) -> f32;

const WEIGHTS: [(&str, Weight); 3] =
    [("alike", |_| 1.0), ("four_weights", |i| f32::from(1 + i % 4)), ("all_different", |i| 1.0 + f32::from(i))];

fn children(count: u16, weight: Weight) -> Vec<ShareInput> {
    let child = |i| ShareInput::new(weight(i), Resource::ZERO, Resource::new(i64::MAX, i64::MAX));
    (0..count).map(child).collect()
}

fn distribute(criterion: &mut Criterion) {
    let total = Resource::new(131_072_000, 64_000);
    for (name, policy) in [("fair", &Fair as &dyn SchedulingPolicy), ("drf", &Drf)] {
        let mut group = criterion.benchmark_group(format!("distribute_{name}"));
        for count in CHILDREN {
            group.throughput(Throughput::Elements(count.into()));
            for (kind, weight) in WEIGHTS {
                let mut children = children(count, weight);
                group.bench_function(BenchmarkId::new(kind, count), |bencher| {
                    bencher.iter(|| policy.compute_shares(2, black_box(&total), &mut children, false));
                });
            }
        }
        group.finish();
    }
}

fn update(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("update");
    group.sample_size(10);
    for size in [Size::S, Size::M, Size::L] {
        let name = format!("{}q_{}a", size.queues, size.apps);
        let mut churn = None;
        group.bench_function(name, |bencher| {
            // Set up by the first to run: a filter may leave it out.
            let full = || Churn::full(size.builder("").stepped().expect("one worker"), size, false);
            let churn = RefCell::new(churn.get_or_insert_with(full));
            let mut round = 0;
            let change = || {
                churn.borrow_mut().change_some(round);
                round += 1;
            };
            bencher.iter_batched(change, |()| churn.borrow_mut().core.update_now(), BatchSize::PerIteration);
        });
    }
    group.finish();
}

criterion_group!(benches, distribute, update);
criterion_main!(benches);

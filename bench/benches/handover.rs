//! What goes from thread to thread: snapshots, heartbeats on their way to a worker, containers on their way to
//! `allocate`.

#![expect(clippy::unwrap_used, reason = "a benchmark ends where something fails")]

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use evenweave::SchedulerApi as _;
use evenweave::parts::{Arena, FreeRecords, Published, Stack};
use evenweave::{
    AllocateRequest, Allocation, Ask, Container, EndReason, FairScheduler, Heartbeat, Resource, Submission,
};
use std::hint::black_box;
use std::sync::Arc;

/// A value of a snapshot's form, and the cell that it is published in.
fn snapshot(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("snapshot");
    let cell = Published::new((0_u64, Arc::new([0_u64; 64]), Arc::new([0_u64; 64])));
    group.bench_function("publish", |bencher| bencher.iter(|| cell.publish(|next| next.0 += 1)));
    group.bench_function("load", |bencher| bencher.iter(|| cell.load().0));
    group.bench_function("guard", |bencher| bencher.iter(|| black_box(cell.guard().0)));
    let mut reader = cell.reader();
    group.bench_function("reader", |bencher| bencher.iter(|| black_box(reader.newest().0)));
    group.finish();
}

/// Heartbeats of an iteration; the channel holds many more, so no call is refused.
const BATCH: usize = 64;

/// The embedder's call, 64 heartbeats one by one and all in one; the worker waits when the first comes and has nothing
/// to grant. The figure is for a heartbeat.
fn to_a_worker(criterion: &mut Criterion) {
    let scheduler = FairScheduler::builder().timers(false).start().expect("a worker");
    let node = scheduler.add_node("n1", "/r1", Resource::new(131_072, 64)).expect("a new node");
    let worked_off = || {
        scheduler.quiesce().unwrap();
        (0..BATCH).map(|_| Heartbeat::new(&node)).collect::<Vec<_>>()
    };
    let mut group = criterion.benchmark_group("to_a_worker");
    group.throughput(Throughput::Elements(BATCH as u64));
    group.bench_function("one_by_one", |bencher| {
        let send = |heartbeats: Vec<Heartbeat>| {
            heartbeats.into_iter().for_each(|heartbeat| scheduler.heartbeat(heartbeat).expect("the channel has room"));
        };
        bencher.iter_batched(worked_off, send, BatchSize::PerIteration);
    });
    group.bench_function("all_in_one", |bencher| {
        let send = |heartbeats| scheduler.heartbeats(heartbeats).expect("the channel has room");
        bencher.iter_batched(worked_off, send, BatchSize::PerIteration);
    });
    group.finish();
    scheduler.shutdown().unwrap();
}

/// A container as a scheduler makes them.
fn container() -> Container {
    let mut scheduler = FairScheduler::builder().stepped().expect("one worker");
    let node = scheduler.add_node("n1", "/r1", Resource::new(131_072, 64)).expect("a new node");
    let submission = Submission::new(1, "u").in_queue("root.q");
    let app = scheduler.submit(submission).expect("a queue is made for it");
    let mut answer = Allocation::default();
    let asks = vec![Ask::anywhere(1, Resource::new(2048, 1), 1)];
    scheduler.allocate(&app, &AllocateRequest::new(asks), &mut answer).expect("a valid ask");
    scheduler.update_now();
    scheduler.heartbeat(Heartbeat::new(&node));
    scheduler.allocate(&app, &AllocateRequest::default(), &mut answer).expect("an empty call");
    answer.granted[0]
}

/// So many containers go into a mailbox and are fetched; then the news of their end goes the same way, and their
/// records come back. The figure is for a container.
fn mailbox(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("mailbox");
    let container = container();
    for count in [1_usize, 4, 64] {
        let (arena, mut own) = (Arena::new(0, 2), FreeRecords::default());
        let (granted, ended) = (Stack::default(), Stack::default());
        let (mut fetched, mut news, mut records) = (Vec::new(), Vec::new(), Vec::new());
        group.throughput(Throughput::Elements(count as u64));
        group.bench_function(BenchmarkId::new("there_and_back", count), |bencher| {
            bencher.iter(|| {
                for _ in 0..count {
                    let record = arena.allocate(&mut own).expect("there are enough");
                    records.push(record);
                    arena.push_granted(&granted, record, &container);
                }
                arena.drain_granted(&granted, || 1, &mut fetched);
                for record in records.drain(..) {
                    arena.push_ended(&ended, record, EndReason::Completed);
                }
                arena.drain_ended(&ended, &mut news);
                assert_eq!((fetched.len(), news.len()), (count, count));
                fetched.clear();
                news.clear();
            });
        });
    }
    let (arena, empty, mut fetched) = (Arena::new(0, 2), Stack::default(), Vec::new());
    group.throughput(Throughput::Elements(1));
    group.bench_function("fetch_nothing", |bencher| {
        bencher.iter(|| arena.drain_granted(black_box(&empty), || 1, &mut fetched));
    });
    group.finish();
}

criterion_group!(benches, snapshot, to_a_worker, mailbox);
criterion_main!(benches);

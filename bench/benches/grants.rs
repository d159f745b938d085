//! What a grant takes: room under a limit, one of the outstanding asks; and the whole of it, without limits and under
//! them.
//!
//! The whole is a round of W2 on two workers that one thread steps: four containers complete and others are granted,
//! and the AMs call. A worker alone leases nothing, so the difference between the two is what limits cost.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use evenweave::parts::{AskPool, Room, Taken};
use std::hint::black_box;

#[path = "../../core/tests/churn/mod.rs"]
mod churn;

use churn::{Churn, K, Size};

const AMOUNT: i64 = 2048;
const LIMIT: i64 = 1 << 40;

fn room(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("room");
    let room = Room::new(2);
    assert!(room.try_spend(0, AMOUNT, LIMIT));
    group.bench_function("spend_and_give_back", |bencher| {
        bencher.iter(|| {
            let spent = room.try_spend(0, black_box(AMOUNT), LIMIT);
            room.give_back(0, AMOUNT, LIMIT);
            spent
        });
    });
    group.bench_function("refill_and_hand_back", |bencher| {
        bencher.iter(|| {
            let spent = room.try_spend(0, black_box(AMOUNT), LIMIT);
            room.give_back(0, AMOUNT, LIMIT);
            room.hand_back(0);
            spent
        });
    });
    let dry = Room::new(2);
    assert!(dry.try_spend(0, AMOUNT, AMOUNT));
    group.bench_function("refused", |bencher| bencher.iter(|| dry.try_spend(0, black_box(AMOUNT), AMOUNT)));
    group.finish();
}

fn asks(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("asks");
    let pool = AskPool::new(2);
    let epoch = pool.replace(1_000_000);
    let take_and_return = |last| {
        let took = pool.take_one(0, black_box(epoch), last);
        if let Ok(took) = took {
            pool.undo_take(took.taken);
        }
        took
    };
    // The first unit of a replacement, then those of which a piece is leased.
    group.bench_function("take_and_return_2w", |bencher| bencher.iter(|| take_and_return(Taken::default())));
    let last = pool.latest();
    group.bench_function("take_of_a_piece_and_return_2w", |bencher| bencher.iter(|| take_and_return(last)));
    group.bench_function("recount_2w", |bencher| bencher.iter(|| pool.recount(black_box(1_000))));
    group.bench_function("replace_2w", |bencher| bencher.iter(|| pool.replace(black_box(1_000))));
    let own = AskPool::new(0);
    group.bench_function("publish_1w", |bencher| bencher.iter(|| own.publish(black_box(1_000))));
    group.finish();
}

fn whole(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("grant");
    group.throughput(Throughput::Elements(K as u64));
    let size = Size::M.on(100);
    for (name, in_leaf) in
        [("without_limits", ""), ("under_limits", "<maxResources>100000000 mb, 100000 vcores</maxResources>")]
    {
        let mut churn = None;
        group.bench_function(name, |bencher| {
            let churn = churn.get_or_insert_with(|| {
                Churn::full(size.builder(in_leaf).workers(2).stepped().expect("two workers"), size, false)
            });
            bencher.iter(|| churn.round());
        });
    }
    group.finish();
}

criterion_group!(benches, room, asks, whole);
criterion_main!(benches);

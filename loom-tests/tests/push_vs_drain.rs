//! A worker pushes grants while the AM drains: each is acquired exactly once, in order, its words whole.
#![cfg(loom)]

use evenweave::engine::mail::container::{Container, EndReason};
use evenweave::engine::mail::mailbox::{Arena, FreeRecords, Stack};
use evenweave::sync::Arc;
use evenweave::sync::thread::spawn;
use evenweave_loom_tests::check;

fn push(arena: &Arena, own: &mut FreeRecords, granted: &Stack, number: u32) -> Container {
    let record = arena.allocate(own).expect("the arena has room");
    let container = Container::of_model(number, record);
    arena.push_granted(granted, record, &container);
    arena.prefetch_allocate(own);
    container
}

/// Claim: I5: each grant acquired once, in order, words whole
/// Threads: 2
/// Break: Release to Relaxed in `push_chain`; Acquire to Relaxed in `take_all` -> *Causality violation: Concurrent load and
///   mut accesses.* (both)
#[test]
fn two_grants() {
    check("push_vs_drain/two_grants", || {
        let (arena, granted) = (Arc::new(Arena::new(0, 1)), Arc::new(Stack::default()));
        let (worker_arena, worker_granted) = (arena.clone(), granted.clone());
        let worker = spawn(move || {
            let mut own = FreeRecords::default();
            [1, 2].map(|number| push(&worker_arena, &mut own, &worker_granted, number))
        });
        let mut got = Vec::new();
        arena.drain_granted(&granted, || 0, &mut got);
        arena.drain_granted(&granted, || 0, &mut got);
        let pushed = worker.join().unwrap();
        arena.drain_granted(&granted, || 0, &mut got);
        assert_eq!(got, pushed, "I5: each grant is acquired exactly once, in order, its words whole");
    });
}

/// Claim: I5: the same holds in a record that is used again
/// Threads: 2
/// Break: Release to Relaxed in `push_chain`, Acquire to Relaxed in `take_all`; `acquire_all` does not reverse -> *I5: each
///   grant is acquired exactly once, in order, its words whole*: `number: 0` for 2
#[test]
fn a_record_used_again() {
    check("push_vs_drain/a_record_used_again", || {
        let arena = Arc::new(Arena::new(0, 1));
        let (granted, ended) = (Arc::new(Stack::default()), Arc::new(Stack::default()));
        let mut own = FreeRecords::default();
        let first = push(&arena, &mut own, &granted, 1);
        let (worker_arena, worker_granted, worker_ended) = (arena.clone(), granted.clone(), ended.clone());
        let worker = spawn(move || {
            // Both the first and, once its record is free again, the next one end as soon as the AM has them.
            let acquired = worker_arena.acquired_for_ms(0, 0).is_some();
            if acquired {
                worker_arena.push_ended(&worker_ended, 0, EndReason::Completed);
            }
            (acquired, push(&worker_arena, &mut own, &worker_granted, 2))
        });
        let (mut got, mut news) = (Vec::new(), Vec::new());
        for _ in 0..2 {
            arena.drain_granted(&granted, || 0, &mut got);
            arena.drain_ended(&ended, &mut news);
        }
        let (acquired, second) = worker.join().unwrap();
        arena.drain_granted(&granted, || 0, &mut got);
        arena.drain_ended(&ended, &mut news);
        assert_eq!(got, [first, second], "I5: each grant is acquired exactly once, in order, its words whole");
        assert_eq!(news.len(), usize::from(acquired), "the AM is told of each end once");
        assert!(
            news.iter().all(|end| end.id == first.id && end.reason == EndReason::Completed),
            "and of the right one"
        );
    });
}

/// Claim: I5: what has ended of two applications goes back at once, all of it, while the worker takes records
/// Threads: 2
/// Break: the chain is pushed by its first record alone; Release to Relaxed in `push_chain`; `prefetch_allocate` cuts
///   the worker's chain -> *each record is in the arena exactly once*: `[1, 2, 3]`; the same: `[2, 3]`; the same
#[test]
fn ended_records_go_back_together() {
    check("push_vs_drain/ended_records_go_back_together", || {
        let arena = Arc::new(Arena::new(0, 1));
        let mut own = FreeRecords::default();
        // Of one application three have ended, so that some are left when the other's one comes back.
        let ended = [3, 1].map(|count| {
            let (granted, ended) = (Stack::default(), Stack::default());
            for number in 0..count {
                push(&arena, &mut own, &granted, number);
            }
            arena.drain_granted(&granted, || 0, &mut Vec::new());
            (count, ended)
        });
        let [(_, three), (_, one)] = &ended;
        for (stack, record) in [(three, 0), (three, 1), (three, 2), (one, 3)] {
            arena.push_ended(stack, record, EndReason::Completed);
        }
        let ended = Arc::new(ended);
        let (other_arena, other_ended) = (arena.clone(), ended.clone());
        let other = spawn(move || {
            let mut news = Vec::new();
            other_arena.drain_ended(&other_ended[1].1, &mut news);
            news.len()
        });
        let (worker_arena, mut worker_own) = (arena.clone(), own);
        let worker = spawn(move || {
            let first = worker_arena.allocate(&mut worker_own);
            worker_arena.prefetch_allocate(&mut worker_own);
            (first, worker_own)
        });
        let mut news = Vec::new();
        arena.drain_ended(&ended[0].1, &mut news);
        assert_eq!(other.join().unwrap(), 1, "the AM is told of each end once");
        assert_eq!(news.len(), 3, "the AM is told of each end once");
        let (first, mut own) = worker.join().unwrap();
        let mut records: Vec<u32> = first.into_iter().chain((0..4).filter_map(|_| arena.allocate(&mut own))).collect();
        records.sort_unstable();
        // As many as the arena can hold: where nothing was back yet the worker got none at first.
        assert_eq!(records, [0, 1, 2, 3], "each record is in the arena exactly once");
    });
}

//! A worker withdraws a grant while the AM drains it: exactly one of both wins, and the record comes back once.
#![cfg(loom)]

use evenweave::engine::mail::container::{Container, EndReason};
use evenweave::engine::mail::mailbox::{Arena, FreeRecords, Stack};
use evenweave::sync::Arc;
use evenweave::sync::thread::spawn;
use evenweave_loom_tests::{all_records, check};

/// Claim: I5: withdrawn or acquired, the record comes back once
/// Threads: 2
/// Break: `withdraw` by load and store; a withdrawn record is not freed -> *I5: a grant is acquired or withdrawn, never both
///   or neither*; *each record is in the arena exactly once*: `[1, 2, 3]`
#[test]
fn one_of_both_wins() {
    check("withdraw_vs_drain/one_of_both_wins", || {
        let arena = Arc::new(Arena::new(0, 1));
        let (granted, ended) = (Arc::new(Stack::default()), Arc::new(Stack::default()));
        let (worker_arena, worker_granted, worker_ended) = (arena.clone(), granted.clone(), ended.clone());
        let worker = spawn(move || {
            let mut own = FreeRecords::default();
            let record = worker_arena.allocate(&mut own).expect("the arena has room");
            worker_arena.push_granted(&worker_granted, record, &Container::of_model(1, record));
            let withdrawn = worker_arena.withdraw(record);
            if !withdrawn {
                worker_arena.push_ended(&worker_ended, record, EndReason::Preempted);
            }
            (own, withdrawn)
        });
        let (mut got, mut news) = (Vec::new(), Vec::new());
        arena.prefetch_drain(&granted);
        arena.prefetch_drain(&ended);
        arena.drain_granted(&granted, || 0, &mut got);
        arena.drain_ended(&ended, &mut news);
        let (mut own, withdrawn) = worker.join().unwrap();
        arena.drain_granted(&granted, || 0, &mut got);
        arena.drain_ended(&ended, &mut news);
        assert_eq!(got.len(), usize::from(!withdrawn), "I5: a grant is acquired or withdrawn, never both or neither");
        assert!(got.iter().all(|container| *container == Container::of_model(1, 0)), "its words are whole");
        assert_eq!(news.len(), got.len(), "the AM is told of the end of what it had, and of nothing else");
        assert!(news.iter().all(|news| news.reason == EndReason::Preempted), "and why");
        assert_eq!(all_records(&arena, &mut own), [0, 1, 2, 3], "each record is in the arena exactly once");
    });
}

/// Claim: I5: a drain goes on past a withdrawn record that is used again
/// Threads: 2
/// Break: `acquire_all` reads `next` after the push -> *I5: all but the withdrawn one arrive, once, in order, their words
///   whole*
#[test]
fn one_of_two_is_withdrawn() {
    check("withdraw_vs_drain/one_of_two_is_withdrawn", || {
        let (arena, granted) = (Arc::new(Arena::new(0, 1)), Arc::new(Stack::default()));
        let mut own = FreeRecords::default();
        for number in [1, 2] {
            let record = arena.allocate(&mut own).expect("the arena has room");
            arena.push_granted(&granted, record, &Container::of_model(number, record));
        }
        let (worker_arena, worker_granted) = (arena.clone(), granted.clone());
        let worker = spawn(move || {
            let withdrawn = worker_arena.withdraw(1);
            // If its record is free again, this is the one for the next grant.
            let record = worker_arena.allocate(&mut own).expect("the arena has room");
            worker_arena.push_granted(&worker_granted, record, &Container::of_model(3, record));
            (own, withdrawn, record)
        });
        let mut got = Vec::new();
        arena.drain_granted(&granted, || 0, &mut got);
        let (mut own, withdrawn, third) = worker.join().unwrap();
        arena.drain_granted(&granted, || 0, &mut got);
        let mut expected = vec![Container::of_model(1, 0)];
        if !withdrawn {
            expected.push(Container::of_model(2, 1));
        }
        expected.push(Container::of_model(3, third));
        assert_eq!(got, expected, "I5: all but the withdrawn one arrive, once, in order, their words whole");
        for container in &got {
            own.put(if container.id.number() == 3 { third } else { container.id.number() - 1 });
        }
        assert_eq!(all_records(&arena, &mut own), [0, 1, 2, 3], "each record is in the arena exactly once");
    });
}

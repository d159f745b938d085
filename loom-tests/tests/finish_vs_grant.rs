//! An application is closed while its AM drains, with a grant pushed just before: nothing is lost, no record is used twice.
#![cfg(loom)]

use evenweave::engine::mail::container::{Container, EndReason};
use evenweave::engine::mail::mailbox::{Arena, FreeRecords, Stack};
use evenweave::sync::Arc;
use evenweave::sync::thread::spawn;
use evenweave_loom_tests::{all_records, check};

/// What a worker does for a closed application: ends all its containers, then empties its stacks. Says which of them
/// the AM did not get.
fn close(arena: &Arena, own: &mut FreeRecords, granted: &Stack, ended: &Stack, live: &[u32]) -> Vec<u32> {
    let mut withdrawn = Vec::new();
    for record in live {
        if arena.withdraw(*record) {
            withdrawn.push(*record);
        } else {
            own.put(*record);
        }
    }
    arena.purge(granted, ended, own);
    withdrawn
}

/// Claim: I5: a close against a drain and a grant pushed just before
/// Threads: 2
/// Break: `take_all` by load and store; `purge` keeps nothing -> *no record is lost, none is in use twice*: `[0, 0, 1, 2,
///   3]`; `[0, 1, 3]`
#[test]
fn against_one_call() {
    check("finish_vs_grant/against_one_call", || {
        let arena = Arc::new(Arena::new(0, 1));
        let (granted, ended) = (Arc::new(Stack::default()), Arc::new(Stack::default()));
        // The AM has two containers; one of them has ended since.
        let mut own = FreeRecords::default();
        for number in [1, 2] {
            let record = arena.allocate(&mut own).expect("the arena has room");
            arena.push_granted(&granted, record, &Container::of_model(number, record));
        }
        let mut got = Vec::new();
        arena.drain_granted(&granted, || 0, &mut got);
        arena.push_ended(&ended, 0, EndReason::Completed);
        let (worker_arena, worker_granted, worker_ended) = (arena.clone(), granted.clone(), ended.clone());
        let worker = spawn(move || {
            let record = worker_arena.allocate(&mut own).expect("the arena has room");
            worker_arena.push_granted(&worker_granted, record, &Container::of_model(3, record));
            let withdrawn = close(&worker_arena, &mut own, &worker_granted, &worker_ended, &[1, record]);
            (own, withdrawn)
        });
        // A call that found the application open still drains.
        let mut news = Vec::new();
        got.clear();
        arena.drain_granted(&granted, || 0, &mut got);
        arena.drain_ended(&ended, &mut news);
        let (mut own, withdrawn) = worker.join().unwrap();
        assert_eq!(got.len() + withdrawn.len(), 1, "I5: the last grant is acquired or withdrawn");
        assert!(got.iter().all(|container| *container == Container::of_model(3, 2)), "its words are whole");
        assert!(news.iter().all(|end| end.id == Container::of_model(1, 0).id), "what ended was told of once at most");
        assert!(news.len() <= 1, "what ended was told of once at most");
        assert!(granted.is_empty() && ended.is_empty(), "nothing is left in the mailbox");
        assert_eq!(all_records(&arena, &mut own), [0, 1, 2, 3], "no record is lost, none is in use twice");
    });
}

/// Claim: I5: a close against two drains at once and a grant pushed just before
/// Threads: 3
/// Break: the closing worker keeps withdrawn records too -> *no record is lost, none is in use twice*: `[0, 0, 1, 1, 2, 3]`
#[test]
fn against_two_calls() {
    check("finish_vs_grant/against_two_calls", || {
        let arena = Arc::new(Arena::new(0, 1));
        let (granted, ended) = (Arc::new(Stack::default()), Arc::new(Stack::default()));
        let mut own = FreeRecords::default();
        for number in [1, 2] {
            let record = arena.allocate(&mut own).expect("the arena has room");
            arena.push_granted(&granted, record, &Container::of_model(number, record));
        }
        let calls = [0, 1].map(|_| {
            let (arena, granted) = (arena.clone(), granted.clone());
            spawn(move || {
                let mut got = Vec::new();
                arena.drain_granted(&granted, || 0, &mut got);
                got.iter().map(|container| container.id.number() - 1).collect::<Vec<_>>()
            })
        });
        let mut seen = close(&arena, &mut own, &granted, &ended, &[0, 1]);
        for call in calls {
            seen.extend(call.join().unwrap());
        }
        seen.sort_unstable();
        assert_eq!(seen, [0, 1], "I5: each grant is acquired by one call or withdrawn");
        assert_eq!(all_records(&arena, &mut own), [0, 1, 2, 3], "no record is lost, none is in use twice");
    });
}

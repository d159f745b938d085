//! A worker looks for containers that were never launched while the AM acquires one: it sees none, or one with the time of
//! its acquisition, in a record that had another before too. What it ends, it ends once.
#![cfg(loom)]

use evenweave::engine::mail::container::{Container, EndReason};
use evenweave::engine::mail::mailbox::{Arena, FreeRecords, Stack};
use evenweave::sync::Arc;
use evenweave::sync::thread::spawn;
use evenweave_loom_tests::{all_records, check};

const NOW: u64 = 100;
const INTERVAL: i32 = 50;

/// A look at [`NOW`]: ends what was acquired longer ago than the interval; says whether it did.
fn look(arena: &Arena, ended: &Stack, record: u32) -> bool {
    let expired = arena.acquired_for_ms(record, NOW).is_some_and(|waited| waited > INTERVAL);
    if expired {
        // The AM has it, so the withdrawal that comes first fails.
        assert!(!arena.withdraw(record), "I5: what was acquired is not withdrawn");
        arena.push_ended(ended, record, EndReason::Expired);
    }
    expired
}

/// The AM acquires at `acquired` while the worker looks, once or twice.
fn model(acquired: u64) -> (Vec<bool>, usize) {
    let arena = Arc::new(Arena::new(0, 1));
    let (granted, ended) = (Arc::new(Stack::default()), Arc::new(Stack::default()));
    let mut own = FreeRecords::default();
    // The record has had a container that was acquired long ago.
    let record = arena.allocate(&mut own).expect("the arena has room");
    arena.push_granted(&granted, record, &Container::of_model(1, record));
    let mut got = Vec::new();
    arena.drain_granted(&granted, || 1, &mut got);
    own.put(record);
    let record = arena.allocate(&mut own).expect("the arena has room");
    arena.push_granted(&granted, record, &Container::of_model(2, record));
    let (am_arena, am_granted, am_ended) = (arena.clone(), granted.clone(), ended.clone());
    let am = spawn(move || {
        let (mut got, mut news) = (Vec::new(), Vec::new());
        am_arena.drain_granted(&am_granted, || acquired, &mut got);
        am_arena.drain_ended(&am_ended, &mut news);
        (got, news)
    });
    let mut expired = vec![look(&arena, &ended, record)];
    if !expired[0] {
        expired.push(look(&arena, &ended, record));
    }
    let (got, mut news) = am.join().unwrap();
    arena.drain_ended(&ended, &mut news);
    assert_eq!(got, [Container::of_model(2, record)], "I5: the AM has it once");
    assert!(news.iter().all(|end| end.id == got[0].id && end.reason == EndReason::Expired), "it is told of its end");
    if news.is_empty() {
        own.put(record);
    }
    assert_eq!(all_records(&arena, &mut own), [0, 1, 2, 3], "each record is in the arena exactly once");
    (expired, news.len())
}

/// Claim: I5: a look for containers that were never launched against their acquisition: one is seen with its own time or
///   not at all
/// Threads: 2
/// Break: `acquired_for_ms` loads the state relaxed; the time is stored after the state -> *what was acquired within the
///   interval does not expire* (both)
#[test]
fn one_acquired_just_now_stays() {
    check("expire_vs_acquire/one_acquired_just_now_stays", || {
        let (expired, news) = model(NOW - 1);
        assert!(!expired.contains(&true), "what was acquired within the interval does not expire");
        assert_eq!(news, 0, "what was acquired within the interval does not expire");
    });
}

/// Claim: I5: what has expired ends once
/// Threads: 2
/// Break: `withdraw` by a store -> *I5: what was acquired is not withdrawn*
#[test]
fn one_acquired_long_ago_ends_once() {
    check("expire_vs_acquire/one_acquired_long_ago_ends_once", || {
        let (expired, news) = model(NOW - 51);
        let ends = expired.iter().filter(|expired| **expired).count();
        assert_eq!(news, ends, "the AM is told once of each end");
    });
}

//! A grant is pushed while the AM empties its mailbox and goes to sleep: it sleeps over none.
#![cfg(loom)]

use evenweave::engine::mail::container::Container;
use evenweave::engine::mail::mailbox::{Arena, FreeRecords, Stack};
use evenweave::sync::Arc;
use evenweave::sync::channel::unbounded;
use evenweave::sync::thread::spawn;
use evenweave_loom_tests::check;

/// Claim: I5: an AM that empties its mailbox and sleeps is woken for each grant that comes after
/// Threads: 2
/// Break: `push_chain` says what its first look at the head said -> *I5: no grant lies in the mailbox of an AM that
///   sleeps*: 2, not 3
#[test]
fn a_grant_into_an_empty_mailbox_wakes() {
    check("wake_vs_drain/a_grant_into_an_empty_mailbox_wakes", || {
        let (arena, granted) = (Arc::new(Arena::new(0, 1)), Arc::new(Stack::default()));
        let (wake, woken) = unbounded();
        let (worker_arena, worker_granted) = (arena.clone(), granted.clone());
        let worker = spawn(move || {
            let mut own = FreeRecords::default();
            for number in [1, 2, 3] {
                let record = worker_arena.allocate(&mut own).expect("the arena has room");
                if worker_arena.push_granted(&worker_granted, record, &Container::of_model(number, record)) {
                    wake.send(()).expect("a lane");
                }
            }
        });
        let mut got = Vec::new();
        let mut call = || {
            let is_woken = woken.try_recv().is_ok();
            if is_woken {
                arena.drain_granted(&granted, || 0, &mut got);
            }
            is_woken
        };
        call();
        call();
        worker.join().unwrap();
        while call() {}
        assert_eq!(got.len(), 3, "I5: no grant lies in the mailbox of an AM that sleeps");
    });
}

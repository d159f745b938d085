//! Rounds of offers come due while a worker is at one: it has one outstanding at most, and another after it.
#![cfg(loom)]

use evenweave::engine::threads::rounds::Outstanding;
use evenweave::sync::channel::unbounded;
use evenweave::sync::thread::spawn;
use evenweave::sync::{Arc, Mutex};
use evenweave_loom_tests::check;

/// Claim: I12, I7: a worker has one round of offers outstanding at most; room that is there when a round comes due is
///   looked at
/// Threads: 2
/// Break: `Outstanding::process` ends the round first -> *I12: a worker has one round outstanding at most*
/// Break: `begin` says yes whatever it finds -> *I12: a worker has one round outstanding at most*
/// Break: `process` does not end it -> *I7: room that is there when a round comes due is looked at*: 1, not 0
#[test]
fn one_is_outstanding() {
    check("offer_vs_offer/one_is_outstanding", || {
        let (lane, inbox) = unbounded();
        let rounds = Arc::new(Outstanding::new(1));
        // Room that the worker finds at each round, and whether it is at one.
        let (free, at_work) = (Arc::new(Mutex::new(0)), Arc::new(Mutex::new(false)));
        let tick = {
            let (rounds, free, at_work) = (rounds.clone(), free.clone(), at_work.clone());
            move || {
                *free.lock() += 1;
                if rounds.begin(0) {
                    assert!(lane.is_empty() && !*at_work.lock(), "I12: a worker has one round outstanding at most");
                    lane.send(()).expect("a lane");
                }
            }
        };
        let work = {
            let (rounds, free) = (rounds.clone(), free.clone());
            move || {
                if inbox.try_recv().is_ok() {
                    *at_work.lock() = true;
                    rounds.process(0, || {
                        *free.lock() = 0;
                        *at_work.lock() = false;
                    });
                }
            }
        };
        tick();
        let ticking = spawn(move || {
            tick();
            tick();
            tick
        });
        work();
        work();
        let tick = ticking.join().unwrap();
        work();
        // All that is outstanding is done: what comes due now is sent.
        tick();
        work();
        assert_eq!(*free.lock(), 0, "I7: room that is there when a round comes due is looked at");
    });
}

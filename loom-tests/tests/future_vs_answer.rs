//! A core thread answers while a future goes to sleep: it sleeps over no answer.
#![cfg(loom)]

use evenweave::engine::intake::future_wakeup::{Waits, Wakes, waiting};
use evenweave::sync::Arc;
use evenweave::sync::atomic::{AtomicBool, Ordering};
use evenweave::sync::thread::spawn;
use evenweave_loom_tests::{Alarm, check};
use std::task::Context;

/// The core thread: makes it visible, lets go.
fn answer(there: &AtomicBool, wakes: Wakes) {
    // ORDERING: Relaxed. What is claimed is that the lock of the pair shows it.
    there.store(true, Ordering::Relaxed);
    drop(wakes);
}

fn is_there(there: &AtomicBool) -> bool {
    // ORDERING: Relaxed, as in `answer`.
    there.load(Ordering::Relaxed)
}

/// The future, once polled: leaves its waker, then looks.
fn looks_after(waits: &Waits, there: &AtomicBool, alarm: &std::sync::Arc<Alarm>) -> bool {
    waits.leave(&Context::from_waker(&Alarm::waker(alarm)));
    is_there(there)
}

/// Claim: I12: a future that leaves its waker and then finds no answer is woken when there is one
/// Threads: 2
/// Break: `leave` keeps the waker of who polled first -> *I12: a future sleeps over no answer*
#[test]
fn it_leaves_its_waker_and_looks() {
    check("future_vs_answer/it_leaves_its_waker_and_looks", || {
        let ((wakes, waits), there) = (waiting(), Arc::new(AtomicBool::new(false)));
        let other = there.clone();
        let worker = spawn(move || answer(&other, wakes));
        // Polled by one task, then by another: the last is whom it is for.
        let [first, last] = [Alarm::new(), Alarm::new()];
        let found = looks_after(&waits, &there, &first) || looks_after(&waits, &there, &last);
        worker.join().unwrap();
        assert!(found || last.rang(), "I12: a future sleeps over no answer");
    });
}

/// Claim: I12: a future that has found no answer, and then leaves its waker where nobody has let go, is woken when there is one
/// Threads: 2
/// Break: who lets go takes the waker before it says that it did -> *I12: a future sleeps over no answer*
#[test]
fn it_looks_and_leaves_its_waker() {
    check("future_vs_answer/it_looks_and_leaves_its_waker", || {
        let ((wakes, waits), there) = (waiting(), Arc::new(AtomicBool::new(false)));
        let other = there.clone();
        let worker = spawn(move || answer(&other, wakes));
        let alarm = Alarm::new();
        let looks_again = is_there(&there) || waits.leave(&Context::from_waker(&Alarm::waker(&alarm)));
        assert!(!looks_again || is_there(&there), "I12: who is told to look again finds it");
        worker.join().unwrap();
        assert!(looks_again || alarm.rang(), "I12: a future sleeps over no answer");
    });
}

/// Claim: I12: of several that may answer each wakes: a future that one has woken in vain sleeps over no answer of another
/// Threads: 3
/// Break: only the first that lets go wakes -> *I12: a future sleeps over no answer*
#[test]
fn one_wakes_it_in_vain() {
    check("future_vs_answer/one_wakes_it_in_vain", || {
        let ((wakes, waits), there) = (waiting(), Arc::new(AtomicBool::new(false)));
        let (other, in_vain) = (there.clone(), wakes.clone());
        let has_none = spawn(move || drop(in_vain));
        let worker = spawn(move || answer(&other, wakes));
        let [first, again] = [Alarm::new(), Alarm::new()];
        let mut found = looks_after(&waits, &there, &first);
        let is_polled_again = !found && first.rang();
        if is_polled_again {
            found = looks_after(&waits, &there, &again);
        }
        has_none.join().unwrap();
        worker.join().unwrap();
        let last = if is_polled_again { &again } else { &first };
        assert!(found || last.rang(), "I12: a future sleeps over no answer");
    });
}

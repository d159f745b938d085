//! The whole threaded runtime under random schedules: workers, control, update task, preemption, the plans' follower and the AMs', nodes',
//! operator's and a booking client's threads on the core's own code, each step of theirs ordered by shuttle. What is done is drawn too, from the same
//! number; when it is done the books are compared. A deadlock is found by shuttle, an endless schedule by its number of steps.
//!
//! `.ci/shuttle.sh` runs it; without `--cfg shuttle` it compiles to nothing.

#![cfg(shuttle)]
#![allow(missing_docs, reason = "a test's parts")]

mod booking;
mod books;
mod check;
mod plan;
mod schedule;
mod totals;
mod world;

use shuttle::rand::Rng as _;
use std::sync::atomic::Ordering;
use world::World;

/// A number below `n`, of the schedule's.
pub(crate) fn draw(n: usize) -> usize {
    shuttle::rand::thread_rng().gen_range(0..n)
}

fn one_schedule() {
    let world = World::start();
    world.run();
    check::check(&world);
}

/// A whole number that `.ci/shuttle.sh` has set.
fn number(variable: &str, otherwise: u64) -> u64 {
    let Ok(text) = std::env::var(variable) else { return otherwise };
    text.parse().unwrap_or_else(|_| panic!("{variable}={text:?}: a whole number is meant, such as 1000"))
}

/// Those of the run's schedules that are of even or of odd numbers.
fn schedules_of(scheduler: &str, odd: u64) {
    let (first, count) = (number("EVENWEAVE_SEED", 1), number("EVENWEAVE_SCHEDULES", 100));
    let told = schedule::run((first..first.saturating_add(count)).filter(|seed| seed % 2 == odd), one_schedule);
    let count = told.schedules.load(Ordering::Relaxed);
    let (steps, longest) = (told.steps.load(Ordering::Relaxed), told.longest.load(Ordering::Relaxed));
    println!("{scheduler}: {count} schedules, {} steps each, {longest} at most", steps / count.max(1));
    let (line, nothing) = totals::told();
    println!("so far {line}");
    assert!(count < 400 || nothing.is_empty(), "nothing of this has happened, so nothing is shown of it: {nothing:?}");
}

#[test]
fn random_schedules() {
    schedules_of("random", 0);
}

#[test]
fn pct_schedules() {
    schedules_of("PCT", 1);
}

#[test]
fn a_number_is_a_schedule() {
    for seed in [2, 3] {
        let [once, again] = [(); 2].map(|()| schedule::run([seed], one_schedule).order.load(Ordering::Relaxed));
        assert_eq!(once, again, "threads run in the same order every time: {seed}");
    }
}

//! What all schedules of a run had together: one in which nothing happens shows nothing.

use std::sync::atomic::{AtomicUsize, Ordering};

#[derive(Debug)]
pub(crate) struct Total(&'static str, AtomicUsize);

impl Total {
    const fn of(what: &'static str) -> Total {
        Total(what, AtomicUsize::new(0))
    }

    pub(crate) fn add(&self, n: usize) {
        self.1.fetch_add(n, Ordering::Relaxed);
    }
}

pub(crate) static GRANTED: Total = Total::of("granted");
pub(crate) static HEARTBEATS: Total = Total::of("heartbeats");
pub(crate) static ENDED: Total = Total::of("ended");
pub(crate) static WITHDRAWN: Total = Total::of("ended before their AM saw them");
pub(crate) static MARKED: Total = Total::of("marked for preemption");
pub(crate) static PREEMPTED: Total = Total::of("preempted");
pub(crate) static EXPIRED: Total = Total::of("expired");
pub(crate) static RESERVED: Total = Total::of("reservations");
pub(crate) static REFUSED: Total = Total::of("refused for room that others had taken");
pub(crate) static NODES_LOST: Total = Total::of("nodes lost");
pub(crate) static RELOADS: Total = Total::of("reloads");
pub(crate) static MOVES: Total = Total::of("moves");

pub(crate) static BOOKED: Total = Total::of("booked");
pub(crate) static FOLLOWED: Total = Total::of("moved as their reservation ended");

const ALL: [&Total; 14] = [
    &HEARTBEATS,
    &GRANTED,
    &ENDED,
    &WITHDRAWN,
    &MARKED,
    &PREEMPTED,
    &EXPIRED,
    &RESERVED,
    &REFUSED,
    &NODES_LOST,
    &RELOADS,
    &MOVES,
    &BOOKED,
    &FOLLOWED,
];

/// One line, and how many of them are nothing.
pub(crate) fn told() -> (String, Vec<&'static str>) {
    let count = |total: &Total| total.1.load(Ordering::Relaxed);
    let line = ALL.map(|total| format!("{} {}", count(total), total.0)).join(", ");
    (line, ALL.into_iter().filter(|total| count(total) == 0).map(|total| total.0).collect())
}

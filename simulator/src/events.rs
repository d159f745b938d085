//! What is to happen when: a queue of events by virtual time.
//!
//! Of one moment the order is that of [`Kind`], then of the key; it does not hang on when an event was put in, so that
//! what is left out of the queue changes no order.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What happens. Heartbeats of nodes come before all of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// Nodes fail and come, by the number of the change.
    Node,
    /// What is marked for preemption ends, if it is due.
    Kill,
    /// Demand and shares.
    Update,
    /// A round of preemption.
    Preempt,
    /// A pass over all nodes beside their heartbeats.
    Offer,
    /// What the ResourceManager looks after once a second.
    Look,
    /// The follower of plans runs.
    Follow,
    /// A reservation is asked for, by its number in the file.
    Book,
    /// An AM, by the application's number, is up.
    Up,
    /// An AM's heartbeat, by the application's number.
    Tick,
    /// The next job comes.
    Arrival,
    /// The job of a reservation comes, by the reservation's number in the file.
    Begin,
    /// An application whose AM is broken is given up, by its number.
    GiveUp,
    /// The end of an interval of the report.
    Sample,
}

/// Time in ms, kind, key.
pub(super) type Event = (u64, Kind, u64);

/// See the module's text.
#[derive(Debug, Default)]
pub(super) struct Events(BinaryHeap<Reverse<Event>>);

impl Events {
    pub(super) fn put(&mut self, at: u64, kind: Kind, key: u64) {
        self.0.push(Reverse((at, kind, key)));
    }

    pub(super) fn next_at(&self) -> Option<u64> {
        self.0.peek().map(|Reverse((at, ..))| *at)
    }

    pub(super) fn take(&mut self) -> Option<Event> {
        self.0.pop().map(|Reverse(event)| event)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_by_time_then_kind_then_key() {
        let mut events = Events::default();
        for (at, kind, key) in [(5, Kind::Arrival, 0), (5, Kind::Tick, 9), (5, Kind::Tick, 3), (4, Kind::Sample, 0)] {
            events.put(at, kind, key);
        }
        assert_eq!(events.next_at(), Some(4));
        let keys: Vec<_> = std::iter::from_fn(|| events.take()).map(|(_, kind, key)| (kind, key)).collect();
        assert_eq!(keys, [(Kind::Sample, 0), (Kind::Tick, 3), (Kind::Tick, 9), (Kind::Arrival, 0)]);
    }
}

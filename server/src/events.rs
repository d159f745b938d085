//! What happened, for those who watch: a bounded ring. Old events go when new ones come; whoever reads too slowly is
//! told how many he has missed.
//!
//! It is filled by whoever drives the scheduler. No worker of a scheduler takes its lock.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;

/// How many events are kept, where it is not said.
pub const KEPT: usize = 16_384;

/// What happened. In JSON in small letters, with `_` between words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// A node has registered.
    NodeRegistered,
    /// A node is gone.
    NodeLost,
    /// A node has reported: a sample of these.
    Heartbeat,
    /// An application was handed in.
    ApplicationAdded,
    /// Its queue has taken it.
    ApplicationAccepted,
    /// Its queue has refused it.
    ApplicationRefused,
    /// Its attempt has entered the scheduler.
    AttemptAdded,
    /// It has ended.
    ApplicationEnded,
    /// A container was granted.
    ContainerAllocated,
    /// Its ApplicationMaster has fetched it.
    ContainerAcquired,
    /// Its node has reported since.
    ContainerLaunched,
    /// Its node says that it has ended.
    ContainerCompleted,
    /// A node is reserved for an application.
    ContainerReserved,
    /// The scheduler took a container.
    ContainerPreempted,
    /// A container was not started in time.
    ContainerExpired,
    /// The scheduler says something else.
    Told,
}

impl What {
    /// What heartbeats, applications and containers do all the time; the others are few, and worth more to a reader.
    fn is_frequent(self) -> bool {
        !matches!(self, What::NodeRegistered | What::NodeLost | What::ApplicationRefused | What::Told)
    }
}

/// An event, with what is known of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Event {
    /// From 1, without gaps.
    pub seq: u64,
    /// In ms since 1970.
    pub at_ms: u64,
    /// What happened.
    pub what: What,
    /// The name of the node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// The number of the application.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app: Option<u32>,
    /// The number of the container within its attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container: Option<u32>,
    /// The full name of the application's queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<String>,
    /// A sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl Event {
    /// One without anything to it. The ring gives it its number.
    #[must_use]
    pub fn new(what: What, at_ms: u64) -> Event {
        Event { seq: 0, at_ms, what, node: None, app: None, container: None, queue: None, text: None }
    }

    /// On a node.
    #[must_use]
    pub fn on(mut self, node: &str) -> Event {
        self.node = Some(node.to_owned());
        self
    }

    /// Of an application in a queue.
    #[must_use]
    pub fn of(mut self, app: u32, queue: &str) -> Event {
        (self.app, self.queue) = (Some(app), Some(queue.to_owned()));
        self
    }

    /// Of a container.
    #[must_use]
    pub fn container(mut self, number: u32) -> Event {
        self.container = Some(number);
        self
    }

    /// With a sentence.
    #[must_use]
    pub fn saying(mut self, text: String) -> Event {
        self.text = Some(text);
        self
    }
}

/// What a reader is given: events in their order, and how many he has missed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Batch {
    /// How many were gone, or too many for one batch, since he last asked.
    pub lost: u64,
    /// What there is.
    pub events: Vec<Event>,
    /// From where he goes on.
    #[serde(skip)]
    pub last: u64,
}

#[derive(Debug)]
struct Kept {
    last: u64,
    events: VecDeque<Event>,
}

impl Kept {
    /// What is still there of what happened after that number, the newest first, and how many events are gone.
    fn after(&self, seq: u64) -> (impl Iterator<Item = &Event> + Clone, u64) {
        // Of another server, maybe: whoever knows more than there is begins anew.
        let seq = if seq > self.last { 0 } else { seq };
        let new = self.last - seq;
        let there = usize::try_from(new).unwrap_or(usize::MAX).min(self.events.len());
        (self.events.iter().rev().take(there), new - there as u64)
    }
}

/// See the module's text.
#[derive(Debug)]
pub struct Ring {
    capacity: usize,
    kept: Mutex<Kept>,
}

impl Default for Ring {
    fn default() -> Ring {
        Ring::new(KEPT)
    }
}

impl Ring {
    /// With room for this many events, at least one.
    #[must_use]
    pub fn new(capacity: usize) -> Ring {
        let capacity = capacity.max(1);
        Ring { capacity, kept: Mutex::new(Kept { last: 0, events: VecDeque::with_capacity(capacity) }) }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something happened; its number.
    pub fn push(&self, mut event: Event) -> u64 {
        let mut kept = self.kept();
        kept.last += 1;
        event.seq = kept.last;
        let gone = if kept.events.len() >= self.capacity { kept.events.pop_front() } else { None };
        kept.events.push_back(event);
        let last = kept.last;
        drop(kept);
        drop(gone);
        last
    }

    /// The number of the last event, 0 before the first.
    #[must_use]
    pub fn last(&self) -> u64 {
        self.kept().last
    }

    /// What happened after that number: of more than `most` the few that are not frequent, and of the others the
    /// latest. O(what happened).
    #[must_use]
    pub fn after(&self, seq: u64, most: usize) -> Batch {
        self.shown_between(seq, u64::MAX, most, |_| true)
    }

    /// Numbers of the applications of which something has happened after that number, and the number of the last event.
    pub(crate) fn apps_after(&self, seq: u64) -> (BTreeSet<u32>, u64) {
        let kept = self.kept();
        let (new, _) = kept.after(seq);
        (new.filter_map(|event| event.app).collect(), kept.last)
    }

    /// As [`after`](Self::after), up to the event `until`, of what may be shown to a reader. The rest is not there for
    /// him, and not lost either.
    pub(crate) fn shown_between(&self, seq: u64, until: u64, most: usize, is_shown: impl Fn(&Event) -> bool) -> Batch {
        let kept = self.kept();
        let (all, gone) = kept.after(seq);
        let newest_first = all.filter(|event| event.seq <= until && is_shown(event));
        let new = gone + newest_first.clone().count() as u64;
        let few = newest_first.clone().filter(|event| !event.what.is_frequent()).count().min(most);
        let (mut few, mut frequent) = (few, most - few);
        let mut events: Vec<Event> = newest_first
            .filter(|event| {
                let left = if event.what.is_frequent() { &mut frequent } else { &mut few };
                let is_taken = *left > 0;
                *left -= usize::from(is_taken);
                is_taken
            })
            .cloned()
            .collect();
        events.reverse();
        Batch { lost: new - events.len() as u64, events, last: kept.last.min(until) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(batch: &Batch) -> Vec<u64> {
        batch.events.iter().map(|event| event.seq).collect()
    }

    #[test]
    fn a_slow_reader_is_told_what_he_missed() {
        let ring = Ring::new(4);
        for at in 0..10 {
            ring.push(Event::new(What::Heartbeat, at));
        }
        let batch = ring.after(8, 100);
        assert_eq!((batch.lost, numbers(&batch)), (0, vec![9, 10]));
        let batch = ring.after(3, 100);
        assert_eq!((batch.lost, numbers(&batch)), (3, vec![7, 8, 9, 10]));
        let batch = ring.after(3, 2);
        assert_eq!((batch.lost, numbers(&batch)), (5, vec![9, 10]));
        assert_eq!(ring.after(10, 100), Batch { lost: 0, events: Vec::new(), last: 10 });
        assert_eq!(numbers(&ring.after(11, 1)), [10]);
    }

    #[test]
    fn what_is_not_shown_is_neither_there_nor_lost() {
        let ring = Ring::new(6);
        for at in 0..8 {
            ring.push(Event::new(What::ApplicationEnded, at).of(u32::try_from(at % 3).expect("small"), "root.a"));
        }
        let (apps, last) = ring.apps_after(5);
        assert_eq!((apps.into_iter().collect::<Vec<_>>(), last), (vec![0, 1, 2], 8));
        let shown = |after, until, most| {
            let batch = ring.shown_between(after, until, most, |event| event.app == Some(1));
            (batch.lost, numbers(&batch), batch.last)
        };
        assert_eq!(shown(3, 8, 10), (0, vec![5, 8], 8));
        // What has happened since the reader's rights were looked at is for the next time.
        assert_eq!(shown(3, 7, 10), (0, vec![5], 7));
        assert_eq!(shown(3, 8, 1), (1, vec![8], 8));
        // Two are gone, whosever they were.
        assert_eq!(shown(0, 8, 10), (2, vec![5, 8], 8));
    }

    #[test]
    fn of_too_many_those_that_are_few_are_kept() {
        let ring = Ring::default();
        for at in 0..10 {
            let what = if at == 2 || at == 4 { What::NodeLost } else { What::Heartbeat };
            ring.push(Event::new(what, at));
        }
        let told = |after, most| {
            let batch = ring.after(after, most);
            (batch.lost, numbers(&batch), batch.last)
        };
        assert_eq!(told(0, 4), (6, vec![3, 5, 9, 10], 10));
        assert_eq!(told(3, 2), (5, vec![5, 10], 10));
        assert_eq!(told(0, 1), (9, vec![5], 10));
        assert_eq!(told(0, 10), (0, (1..=10).collect(), 10));
    }
}

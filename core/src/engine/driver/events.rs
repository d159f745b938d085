//! Events for the embedder: a bounded channel that nobody inside ever waits for.
//!
//! # Where it stands
//! Control and workers put events in; the embedder takes them with `next_event`. When the channel is full an event is
//! dropped and counted, and the count comes out as one [`SchedulerEvent::EventsDropped`] when the channel has been emptied.

use crate::event::SchedulerEvent;
use crate::sync::Arc;
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::sync::channel::{Receiver, Sender, bounded};

/// The inner end.
#[derive(Clone, Debug)]
pub(crate) struct EventSink {
    sender: Sender<SchedulerEvent>,
    lost: Arc<AtomicU64>,
}

/// The embedder's end.
#[derive(Debug)]
pub(crate) struct EventSource {
    receiver: Receiver<SchedulerEvent>,
    lost: Arc<AtomicU64>,
}

/// A channel of events with room for `capacity`.
pub(crate) fn events(capacity: usize) -> (EventSink, EventSource) {
    let (sender, receiver) = bounded(capacity);
    let lost = Arc::new(AtomicU64::new(0));
    (EventSink { sender, lost: lost.clone() }, EventSource { receiver, lost })
}

impl EventSink {
    pub(crate) fn put(&self, event: SchedulerEvent) {
        if self.sender.try_send(event).is_err() {
            // ORDERING: Relaxed. A count; the events themselves are gone.
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl EventSource {
    pub(crate) fn take(&self) -> Option<SchedulerEvent> {
        self.receiver.try_recv().ok().or_else(|| {
            // ORDERING: Relaxed, as in `put`.
            let lost = self.lost.swap(0, Ordering::Relaxed);
            (lost > 0).then_some(SchedulerEvent::EventsDropped(lost))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_counted_and_told_of_once() {
        let (sink, source) = events(1);
        let drained = |name: &str| SchedulerEvent::NodeDrained(name.to_owned());
        for name in ["a", "b", "c"] {
            sink.put(drained(name));
        }
        assert_eq!(source.take(), Some(drained("a")));
        assert_eq!(source.take(), Some(SchedulerEvent::EventsDropped(2)));
        assert_eq!(source.take(), None);
    }
}

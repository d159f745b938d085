//! Events for the embedder: a bounded channel that nobody inside ever waits for.
//!
//! # Where it stands
//! Control and workers put events in; the embedder takes them with `next_event`. When the channel is full an event is
//! dropped and counted, and the count comes out as one [`SchedulerEvent::EventsDropped`] when the channel has been
//! emptied.

use crate::event::SchedulerEvent;
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::sync::channel::{Receiver, Sender, bounded};
use crate::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

/// Futures that wait for an event.
#[derive(Debug, Default)]
struct Sleepers {
    wakers: Vec<Waker>,
    is_over: bool,
}

/// The inner end.
#[derive(Clone, Debug)]
pub(crate) struct EventSink {
    sender: Sender<SchedulerEvent>,
    lost: Arc<AtomicU64>,
    sleepers: Arc<Mutex<Sleepers>>,
}

/// The embedder's end.
#[derive(Debug)]
pub(crate) struct EventSource {
    receiver: Receiver<SchedulerEvent>,
    lost: Arc<AtomicU64>,
    sleepers: Arc<Mutex<Sleepers>>,
}

/// A channel of events with room for `capacity`.
pub(crate) fn events(capacity: usize) -> (EventSink, EventSource) {
    let (sender, receiver) = bounded(capacity);
    let (lost, sleepers) = (Arc::new(AtomicU64::new(0)), Arc::<Mutex<Sleepers>>::default());
    (EventSink { sender, lost: lost.clone(), sleepers: sleepers.clone() }, EventSource { receiver, lost, sleepers })
}

impl EventSink {
    pub(crate) fn put(&self, event: SchedulerEvent) {
        #[cfg(feature = "tracing")]
        write(&event);
        if self.sender.try_send(event).is_err() {
            // ORDERING: Relaxed. A count; the events themselves are gone.
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
        wake_all(&self.sleepers, false);
    }
}

/// Events are written into the log, too.
#[cfg(feature = "tracing")]
fn write(event: &SchedulerEvent) {
    match event {
        SchedulerEvent::NodeDrained(_)
        | SchedulerEvent::LifetimeOver(_)
        | SchedulerEvent::MovedAsReservationEnded { .. }
        | SchedulerEvent::KilledAsReservationEnded(_)
        | SchedulerEvent::AllocationsLoaded { .. } => {
            tracing::info!("{event}");
        }
        SchedulerEvent::AllocationsRefused(_) | SchedulerEvent::AllocationsBrokeOff { .. } => tracing::warn!("{event}"),
        SchedulerEvent::WorkerPanicked { .. }
        | SchedulerEvent::TaskPanicked { .. }
        | SchedulerEvent::EventsDropped(_) => {
            tracing::error!("{event}");
        }
    }
}

/// Wakes all: one of them takes the event, the others look again.
fn wake_all(sleepers: &Mutex<Sleepers>, is_over: bool) {
    let wakers = {
        let mut sleepers = sleepers.lock();
        sleepers.is_over |= is_over;
        std::mem::take(&mut sleepers.wakers)
    };
    // Not under the lock: what a waker does is the embedder's.
    wakers.into_iter().for_each(Waker::wake);
}

impl EventSource {
    /// As a future does: none when no more will come. A waker is left first, so that an event that comes after the look
    /// wakes it.
    pub(crate) fn poll(&self, context: &Context<'_>) -> Poll<Option<SchedulerEvent>> {
        let is_over = {
            let mut sleepers = self.sleepers.lock();
            if !sleepers.wakers.iter().any(|waker| waker.will_wake(context.waker())) {
                sleepers.wakers.push(context.waker().clone());
            }
            sleepers.is_over
        };
        match self.take() {
            None if !is_over => Poll::Pending,
            taken => Poll::Ready(taken),
        }
    }

    /// No more will come that somebody waits for.
    pub(crate) fn end(&self) {
        wake_all(&self.sleepers, true);
    }

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

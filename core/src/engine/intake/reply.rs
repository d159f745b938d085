//! Answers to calls: a place for one, who may wait for it, and whom it wakes.
//!
//! The channel is one of signals, whatever the answer: a channel is compiled anew for each type, and there are forty.
//! For the control and its like; nothing of a heartbeat or an allocate call waits for an answer.

use crate::engine::intake::future_wakeup::{Waits, Wakes, waiting};
use crate::sync::channel::{Receiver, Sender, TryRecvError, bounded};
use crate::sync::{Arc, Mutex};
use std::fmt;
use std::task::{Context, Poll};

/// Where one answer goes. Dropped without one, it tells that there will be none.
pub(crate) struct Once<T> {
    place: Arc<Mutex<Option<T>>>,
    signal: Sender<()>,
}

/// Where it comes out.
pub(crate) struct Wanted<T> {
    place: Arc<Mutex<Option<T>>>,
    signal: Receiver<()>,
}

/// Both ends.
pub(crate) fn once<T>() -> (Once<T>, Wanted<T>) {
    let ((sends, receives), place) = (bounded(1), Arc::new(Mutex::new(None)));
    (Once { place: place.clone(), signal: sends }, Wanted { place, signal: receives })
}

impl<T> Once<T> {
    /// Whoever asked may have gone.
    pub(crate) fn send(&self, value: T) {
        *self.place.lock() = Some(value);
        let _ = self.signal.send(());
    }
}

impl<T> Clone for Once<T> {
    fn clone(&self) -> Once<T> {
        Once { place: self.place.clone(), signal: self.signal.clone() }
    }
}

impl<T> fmt::Debug for Once<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Once")
    }
}

impl<T> fmt::Debug for Wanted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Wanted")
    }
}

impl<T> Wanted<T> {
    /// Waits for it; `None` where there will be none.
    pub(crate) fn receive(&self) -> Option<T> {
        self.signal.recv().ok().and_then(|()| self.take())
    }

    /// The answer, if it is there.
    pub(crate) fn try_receive(&self) -> Option<T> {
        self.signal.try_recv().ok().and_then(|()| self.take())
    }

    /// After this has come the answer is there to [`take`](Self::take).
    pub(crate) fn signal(&self) -> &Receiver<()> {
        &self.signal
    }

    /// The answer, of which the signal has come.
    pub(crate) fn take(&self) -> Option<T> {
        self.place.lock().take()
    }
}

/// Where the answer to a call goes, whether somebody blocks for it or a future does.
pub(crate) struct Reply<T> {
    once: Once<T>,
    /// Dropped after the sender: who is woken finds the answer, or that there will be none.
    wakes: Option<Wakes>,
}

impl<T> Clone for Reply<T> {
    fn clone(&self) -> Reply<T> {
        Reply { once: self.once.clone(), wakes: self.wakes.clone() }
    }
}

impl<T> fmt::Debug for Reply<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reply")
    }
}

impl<T> Reply<T> {
    /// Whoever asked may have gone.
    pub(crate) fn send(self, value: T) {
        self.once.send(value);
    }
}

impl<T> From<Once<T>> for Reply<T> {
    fn from(once: Once<T>) -> Reply<T> {
        Reply { once, wakes: None }
    }
}

/// Of which the signal is all.
impl From<Sender<()>> for Reply<()> {
    fn from(signal: Sender<()>) -> Reply<()> {
        Once { place: Arc::new(Mutex::new(None)), signal }.into()
    }
}

/// The other end of a [`Reply`].
#[derive(Debug)]
pub(crate) struct Answer<T> {
    wanted: Wanted<T>,
    waits: Waits,
}

/// A reply and where it comes out.
pub(crate) fn reply<T>() -> (Reply<T>, Answer<T>) {
    let ((once, wanted), (wakes, waits)) = (once(), waiting());
    (Reply { once, wakes: Some(wakes) }, Answer { wanted, waits })
}

/// There is no answer, and there will be none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unanswered;

impl<T> Answer<T> {
    /// The answer, if it is there.
    pub(crate) fn try_take(&self) -> Option<T> {
        self.wanted.try_receive()
    }

    /// Where who blocks for it receives it.
    pub(crate) fn wanted(&self) -> &Wanted<T> {
        &self.wanted
    }

    /// As a future does.
    pub(crate) fn poll(&self, context: &Context<'_>) -> Poll<Result<T, Unanswered>> {
        self.waits.leave(context);
        match self.wanted.signal().try_recv() {
            Ok(()) => Poll::Ready(self.wanted.take().ok_or(Unanswered)),
            Err(TryRecvError::Empty) => Poll::Pending,
            Err(TryRecvError::Disconnected) => Poll::Ready(Err(Unanswered)),
        }
    }
}

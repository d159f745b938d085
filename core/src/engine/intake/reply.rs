//! Answers to calls: a channel for one, and whom it wakes.

use crate::engine::intake::future_wakeup::{Waits, Wakes, waiting};
use crate::sync::channel::{Receiver, Sender, TryRecvError, bounded};
use std::task::{Context, Poll};

/// Where the answer to a call goes, whether somebody blocks for it or a future does.
#[derive(Debug)]
pub(crate) struct Reply<T> {
    sender: Sender<T>,
    /// Dropped after the sender: who is woken finds the answer, or that there will be none.
    wakes: Option<Wakes>,
}

impl<T> Clone for Reply<T> {
    fn clone(&self) -> Reply<T> {
        Reply { sender: self.sender.clone(), wakes: self.wakes.clone() }
    }
}

impl<T> Reply<T> {
    /// Whoever asked may have gone.
    pub(crate) fn send(self, value: T) {
        let _ = self.sender.send(value);
    }
}

impl<T> From<Sender<T>> for Reply<T> {
    fn from(sender: Sender<T>) -> Reply<T> {
        Reply { sender, wakes: None }
    }
}

/// The other end of a [`Reply`].
#[derive(Debug)]
pub(crate) struct Answer<T> {
    receiver: Receiver<T>,
    waits: Waits,
}

/// A reply and where it comes out.
pub(crate) fn reply<T>() -> (Reply<T>, Answer<T>) {
    let ((sender, receiver), (wakes, waits)) = (bounded(1), waiting());
    (Reply { sender, wakes: Some(wakes) }, Answer { receiver, waits })
}

/// There is no answer, and there will be none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unanswered;

impl<T> Answer<T> {
    /// The answer, if it is there.
    pub(crate) fn try_take(&self) -> Option<T> {
        self.receiver.try_recv().ok()
    }

    /// Where who blocks for it receives it.
    pub(crate) fn receiver(&self) -> &Receiver<T> {
        &self.receiver
    }

    /// As a future does.
    pub(crate) fn poll(&self, context: &Context<'_>) -> Poll<Result<T, Unanswered>> {
        self.waits.leave(context);
        match self.receiver.try_recv() {
            Ok(answer) => Poll::Ready(Ok(answer)),
            Err(TryRecvError::Empty) => Poll::Pending,
            Err(TryRecvError::Disconnected) => Poll::Ready(Err(Unanswered)),
        }
    }
}

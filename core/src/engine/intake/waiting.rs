//! Waiting without a thread: futures that core threads wake.
//!
//! # Where it stands
//! `scheduler` makes a pair of a [`Waits`], which a future polls, and a [`Wakes`], which travels to the thread that has what is waited
//! for. That thread does no more than let go of it.
//!
//! # Protocol
//! The future 1. leaves its waker, 2. looks for what it waits for. The other thread 1. makes it visible, 2. lets go of the [`Wakes`], which
//! takes the waker out and wakes it. The waker lies behind a lock: either the future's visit comes first, and it is woken; or it comes
//! later, and its look finds what is there.
//!
//! What is lost on the way, because its receiver ends or panics, wakes too, since it is dropped: a future never sleeps for good over
//! a thread that is gone, and looks again.

use crate::sync::channel::{Receiver, Sender, TryRecvError, bounded};
use crate::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

/// What both sides have.
type Left = Arc<Mutex<Sleep>>;

#[derive(Debug, Default)]
struct Sleep {
    /// Of whoever polled last.
    waker: Option<Waker>,
    /// One of the others has let go.
    is_over: bool,
    /// The future has.
    is_left: bool,
}

/// Wakes when it is dropped; of several, each does.
#[derive(Clone, Debug)]
pub(crate) struct Wakes(Option<Left>);

impl Wakes {
    /// Whether the future is still there.
    pub(crate) fn is_awaited(&self) -> bool {
        self.0.as_ref().is_some_and(|left| !left.lock().is_left)
    }

    /// Goes without waking.
    pub(crate) fn forget(mut self) {
        self.0 = None;
    }
}

impl Drop for Wakes {
    fn drop(&mut self) {
        let Some(left) = self.0.take() else { return };
        // Not under the lock: what a waker does is the embedder's.
        let waker = {
            let mut sleep = left.lock();
            sleep.is_over = true;
            sleep.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// The side of the future.
#[derive(Debug)]
pub(crate) struct Waits(Left);

impl Waits {
    /// Is to be woken from now on: look after this. Says whether one of the others has let go already, and wakes no more.
    pub(crate) fn leave(&self, context: &Context<'_>) -> bool {
        let mut sleep = self.0.lock();
        match &mut sleep.waker {
            Some(waker) => waker.clone_from(context.waker()),
            none => *none = Some(context.waker().clone()),
        }
        sleep.is_over
    }
}

impl Drop for Waits {
    fn drop(&mut self) {
        let mut sleep = self.0.lock();
        sleep.is_left = true;
        let waker = sleep.waker.take();
        drop(sleep);
        drop(waker);
    }
}

/// Both sides.
pub(crate) fn waiting() -> (Wakes, Waits) {
    let left = Left::default();
    (Wakes(Some(left.clone())), Waits(left))
}

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

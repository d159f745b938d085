//! Futures that core threads wake, so that a caller waits without a thread.
//!
//! # Where it stands
//! `scheduler` makes a pair: a [`Waits`], which a future polls, and a [`Wakes`], which travels to the thread that has
//! what is waited for. That thread only drops it.
//!
//! # Protocol
//! The future 1. stores its waker, 2. looks for what it waits for. The other thread 1. makes it visible, 2. drops the
//! [`Wakes`], which takes the waker out and wakes it. The waker is behind a lock. Either the future stores it first,
//! and is woken; or it stores it later, and its look finds what is there. A future that has looked already relies on
//! what [`Waits::leave`] returns: one of the others has dropped its half, so the future looks again. Checked by
//! `loom-tests/tests/future_vs_answer.rs`.
//!
//! A [`Wakes`] that is lost on the way, because its receiver ends or panics, is dropped, so it wakes too. A future
//! never sleeps for ever because of a thread that is gone: it looks again.

use crate::sync::{Arc, Mutex};
use std::task::{Context, Waker};

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
#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
#[derive(Clone, Debug)]
pub struct Wakes(Option<Left>);

#[cfg(not(loom))]
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
#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
#[derive(Debug)]
pub struct Waits(Left);

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
impl Waits {
    /// Is to be woken from now on: look after this. Says whether one of the others has let go already, and wakes no
    /// more.
    pub fn leave(&self, context: &Context<'_>) -> bool {
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
#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
#[must_use]
pub fn waiting() -> (Wakes, Waits) {
    let left = Left::new(Mutex::new(Sleep::default()));
    (Wakes(Some(left.clone())), Waits(left))
}

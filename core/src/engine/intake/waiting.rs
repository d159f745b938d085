//! Waiting without a thread: futures that core threads wake.
//!
//! # Where it stands
//! `scheduler` makes a pair of a [`Waits`], which a future polls, and a [`Wakes`], which travels to the thread that has
//! what is waited for. That thread does no more than let go of it.
//!
//! # Protocol
//! The future 1. leaves its waker, 2. looks for what it waits for. The other thread 1. makes it visible, 2. lets go of
//! the [`Wakes`], which takes the waker out and wakes it. The waker lies behind a lock: either the future's visit comes
//! first, and it is woken; or it comes later, and its look finds what is there. A future that has looked already takes
//! the word of [`Waits::leave`] for it: one of the others has let go, so it looks again. Checked by
//! `loom-tests/tests/future_vs_answer.rs`.
//!
//! What is lost on the way, because its receiver ends or panics, wakes too, since it is dropped: a future never sleeps
//! for good over a thread that is gone, and looks again.

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

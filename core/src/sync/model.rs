//! The parts under `cfg(loom)`: loom's atomics, `Arc` and threads; plain stand-ins over loom's mutex for the rest.

use std::collections::VecDeque;

pub use super::stand_ins::*;
pub use loom::sync::Arc;
pub use std::sync::OnceLock;

/// Padding does not matter to a model.
#[derive(Debug, Default)]
pub struct CachePadded<T>(T);

impl<T> CachePadded<T> {
    /// Wraps a value.
    pub fn new(value: T) -> Self {
        CachePadded(value)
    }
}

impl<T> std::ops::Deref for CachePadded<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> std::ops::DerefMut for CachePadded<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

/// Atomics, as loom models them, with every access a *turn* that loom orders against the others.
///
/// loom 0.7 looks for other orders only at the last access to a word before a write. Where two threads load a word
/// before one of them writes it, the later load hides the earlier one, and "write first, then load" is never tried:
/// just the form of every compare-exchange loop. A relaxed read-modify-write of a word beside the real one makes all
/// orders show. It synchronises nothing, so stale values are still read.
pub mod atomic {
    pub use loom::sync::atomic::{Ordering, fence};

    macro_rules! turns {
        ($($name:ident: $of:ty;)*) => {$(
            /// A word and its turns.
            #[derive(Debug)]
            pub struct $name {
                word: loom::sync::atomic::$name,
                turns: loom::sync::atomic::AtomicU32,
            }

            impl Default for $name {
                fn default() -> Self {
                    $name::new(<$of>::default())
                }
            }

            impl $name {
                /// A word of `value`.
                pub fn new(value: $of) -> Self {
                    let turns = loom::sync::atomic::AtomicU32::new(0);
                    $name { word: loom::sync::atomic::$name::new(value), turns }
                }

                fn turn(&self) -> &loom::sync::atomic::$name {
                    // ORDERING: Relaxed. Nothing is to be synchronised.
                    self.turns.fetch_add(1, Ordering::Relaxed);
                    &self.word
                }

                /// As of std's type; so are all below.
                pub fn load(&self, ordering: Ordering) -> $of {
                    self.turn().load(ordering)
                }

                #[expect(missing_docs, reason = "std's")]
                pub fn store(&self, value: $of, ordering: Ordering) {
                    self.turn().store(value, ordering);
                }

                #[expect(missing_docs, reason = "std's")]
                pub fn swap(&self, value: $of, ordering: Ordering) -> $of {
                    self.turn().swap(value, ordering)
                }

                #[expect(missing_docs, reason = "std's")]
                pub fn compare_exchange(
                    &self,
                    known: $of,
                    new: $of,
                    success: Ordering,
                    failure: Ordering,
                ) -> Result<$of, $of> {
                    self.turn().compare_exchange(known, new, success, failure)
                }

                #[expect(missing_docs, reason = "std's")]
                pub fn compare_exchange_weak(
                    &self,
                    known: $of,
                    new: $of,
                    success: Ordering,
                    failure: Ordering,
                ) -> Result<$of, $of> {
                    self.turn().compare_exchange_weak(known, new, success, failure)
                }

                #[expect(missing_docs, reason = "std's")]
                pub fn fetch_update(
                    &self,
                    success: Ordering,
                    failure: Ordering,
                    mut change: impl FnMut($of) -> Option<$of>,
                ) -> Result<$of, $of> {
                    let mut known = self.load(failure);
                    while let Some(new) = change(known) {
                        match self.compare_exchange_weak(known, new, success, failure) {
                            Ok(_) => return Ok(known),
                            Err(now) => known = now,
                        }
                    }
                    Err(known)
                }
            }
        )*};
    }

    macro_rules! sums {
        ($($name:ident: $of:ty;)*) => {$(
            impl $name {
                #[expect(missing_docs, reason = "std's")]
                pub fn fetch_add(&self, amount: $of, ordering: Ordering) -> $of {
                    self.turn().fetch_add(amount, ordering)
                }

                #[expect(missing_docs, reason = "std's")]
                pub fn fetch_sub(&self, amount: $of, ordering: Ordering) -> $of {
                    self.turn().fetch_sub(amount, ordering)
                }
            }
        )*};
    }

    turns! {
        AtomicBool: bool;
        AtomicI64: i64;
        AtomicU32: u32;
        AtomicU64: u64;
    }

    sums! {
        AtomicI64: i64;
        AtomicU32: u32;
        AtomicU64: u64;
    }
}

/// Threads, as loom models them.
pub mod thread {
    pub use loom::thread::{JoinHandle, spawn, yield_now};
}

/// A queue with the parts of crossbeam's channel that the modelled protocols use.
pub mod channel {
    use super::{Arc, VecDeque};
    use loom::sync::{Condvar, MutexGuard};

    /// Nothing is there.
    #[derive(Debug, PartialEq, Eq)]
    pub struct Empty;

    /// There is no receiver any more; the message comes back. Here there always is one.
    #[derive(Debug, PartialEq, Eq)]
    pub struct SendError<T>(pub T);

    /// Why a message was not taken; it comes back.
    #[derive(Debug, PartialEq, Eq)]
    pub enum TrySendError<T> {
        /// No room.
        Full(T),
        /// No receiver.
        Disconnected(T),
    }

    /// What both sides share.
    #[derive(Debug)]
    struct Queue<T> {
        messages: loom::sync::Mutex<VecDeque<T>>,
        sent: Condvar,
    }

    impl<T> Queue<T> {
        fn lock(&self) -> MutexGuard<'_, VecDeque<T>> {
            self.messages.lock().expect("a model that panicked has ended")
        }
    }

    /// The sending side, and how many messages there may be.
    #[derive(Debug)]
    pub struct Sender<T>(Arc<Queue<T>>, Option<usize>);

    /// The receiving side.
    #[derive(Debug)]
    pub struct Receiver<T>(Arc<Queue<T>>);

    impl<T> Clone for Sender<T> {
        fn clone(&self) -> Self {
            Sender(self.0.clone(), self.1)
        }
    }

    fn channel<T>(capacity: Option<usize>) -> (Sender<T>, Receiver<T>) {
        let messages = loom::sync::Mutex::new(VecDeque::new());
        let queue = Arc::new(Queue { messages, sent: Condvar::new() });
        (Sender(queue.clone(), capacity), Receiver(queue))
    }

    /// A channel of `capacity` messages.
    pub fn bounded<T>(capacity: usize) -> (Sender<T>, Receiver<T>) {
        channel(Some(capacity))
    }

    /// A channel without a bound.
    pub fn unbounded<T>() -> (Sender<T>, Receiver<T>) {
        channel(None)
    }

    impl<T> Sender<T> {
        /// Sends; to a channel without a bound, so that it never waits.
        ///
        /// # Errors
        /// Never; crossbeam's does without a receiver.
        pub fn send(&self, message: T) -> Result<(), SendError<T>> {
            assert!(self.1.is_none(), "I12: no core thread waits for room in a lane");
            self.0.lock().push_back(message);
            self.0.sent.notify_one();
            Ok(())
        }

        /// Sends, or gives the message back.
        ///
        /// # Errors
        /// When the channel is full.
        pub fn try_send(&self, message: T) -> Result<(), TrySendError<T>> {
            let mut messages = self.0.lock();
            if self.1.is_some_and(|capacity| messages.len() >= capacity) {
                return Err(TrySendError::Full(message));
            }
            messages.push_back(message);
            drop(messages);
            self.0.sent.notify_one();
            Ok(())
        }

        /// How many messages there are.
        pub fn len(&self) -> usize {
            self.0.lock().len()
        }

        /// Whether there is none.
        pub fn is_empty(&self) -> bool {
            self.len() == 0
        }
    }

    impl<T> Receiver<T> {
        /// The next message.
        ///
        /// # Errors
        /// When there is none.
        pub fn try_recv(&self) -> Result<T, Empty> {
            self.0.lock().pop_front().ok_or(Empty)
        }

        /// The next message, once there is one. A model that waits for ever is one that loom calls a deadlock.
        pub fn recv(&self) -> T {
            let mut messages = self.0.lock();
            loop {
                if let Some(message) = messages.pop_front() {
                    return message;
                }
                messages = self.0.sent.wait(messages).expect("a model that panicked has ended");
            }
        }

        /// Whether there is none.
        pub fn is_empty(&self) -> bool {
            self.0.lock().is_empty()
        }
    }
}

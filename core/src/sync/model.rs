//! The parts under `cfg(loom)`: loom's atomics, `Arc` and threads; plain stand-ins over loom's mutex for the rest.

use std::collections::VecDeque;
use std::fmt;

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

/// parking_lot's form over loom's mutex.
#[derive(Debug, Default)]
pub struct Mutex<T>(loom::sync::Mutex<T>);

impl<T> Mutex<T> {
    /// A mutex around `value`.
    pub fn new(value: T) -> Self {
        Mutex(loom::sync::Mutex::new(value))
    }

    /// Locks it.
    pub fn lock(&self) -> loom::sync::MutexGuard<'_, T> {
        self.0.lock().expect("a model that panicked has ended")
    }
}

/// Atomics, as loom models them.
pub mod atomic {
    pub use loom::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicU64, Ordering, fence};
}

/// Threads, as loom models them.
pub mod thread {
    pub use loom::thread::{JoinHandle, spawn, yield_now};
}

/// A bounded queue with the parts of crossbeam's channel that the modelled protocols use.
pub mod channel {
    use super::{Arc, Mutex, VecDeque};

    /// Why a message was not taken; it comes back.
    #[derive(Debug, PartialEq, Eq)]
    pub enum TrySendError<T> {
        /// No room.
        Full(T),
        /// No receiver.
        Disconnected(T),
    }

    /// The sending side.
    #[derive(Debug)]
    pub struct Sender<T>(Arc<Mutex<VecDeque<T>>>, usize);

    /// The receiving side.
    #[derive(Debug)]
    pub struct Receiver<T>(Arc<Mutex<VecDeque<T>>>);

    impl<T> Clone for Sender<T> {
        fn clone(&self) -> Self {
            Sender(self.0.clone(), self.1)
        }
    }

    /// A channel of `capacity` messages.
    pub fn bounded<T>(capacity: usize) -> (Sender<T>, Receiver<T>) {
        let queue = Arc::new(Mutex::new(VecDeque::new()));
        (Sender(queue.clone(), capacity), Receiver(queue))
    }

    impl<T> Sender<T> {
        /// Sends, or gives the message back.
        ///
        /// # Errors
        /// When the channel is full.
        pub fn try_send(&self, message: T) -> Result<(), TrySendError<T>> {
            let mut queue = self.0.lock();
            if queue.len() >= self.1 {
                return Err(TrySendError::Full(message));
            }
            queue.push_back(message);
            Ok(())
        }
    }

    impl<T> Receiver<T> {
        /// The next message, if there is one.
        pub fn try_recv(&self) -> Option<T> {
            self.0.lock().pop_front()
        }
    }
}

/// The snapshot cell over a mutex: whole values, replaced at one moment.
pub struct SnapshotCell<T>(Mutex<Arc<T>>);

impl<T> fmt::Debug for SnapshotCell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SnapshotCell")
    }
}

impl<T> SnapshotCell<T> {
    /// A cell that holds `value`.
    pub fn new(value: Arc<T>) -> Self {
        SnapshotCell(Mutex::new(value))
    }

    /// The value at this moment.
    pub fn load(&self) -> Arc<T> {
        self.0.lock().clone()
    }

    /// Replaces the value.
    pub fn publish(&self, value: Arc<T>) {
        *self.0.lock() = value;
    }

    /// Whether the cell still holds `seen`.
    pub fn is(&self, seen: &Arc<T>) -> bool {
        Arc::ptr_eq(&*self.0.lock(), seen)
    }
}

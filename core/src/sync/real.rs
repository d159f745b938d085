//! The real parts: std, crossbeam, arc-swap, dashmap, parking_lot.

pub use crossbeam_utils::CachePadded;
pub use parking_lot::Mutex;
use std::fmt;
pub use std::sync::{Arc, OnceLock, Weak};

/// A concurrent map for registration and look-up by name, at the edge only: it locks inside. Seeded, because strangers
/// choose the names: they cannot choose such as collide.
pub type Map<K, V> = dashmap::DashMap<K, V>;

/// Atomics.
#[cfg(not(feature = "sharing"))]
pub mod atomic {
    pub use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicU64, Ordering};
}

/// Channels.
#[cfg(not(feature = "sharing"))]
pub mod channel {
    pub use crossbeam_channel::{
        Receiver, RecvTimeoutError, SendTimeoutError, Sender, TryRecvError, TrySendError, bounded, never, select,
        unbounded,
    };
}

/// Threads.
pub mod thread {
    pub use std::thread::{Builder, JoinHandle, ThreadId, current, yield_now};

    std::thread_local! {
        static NUMBER: u64 = crate::sync::process::next_thread();
    }

    /// The number of the calling thread, from 1; no two threads of a process ever have the same.
    #[inline]
    pub fn number() -> u64 {
        NUMBER.with(|number| *number)
    }
}

/// One published value: readers see it whole, a writer replaces it.
#[derive(Debug)]
pub struct SnapshotCell<T>(Arc<arc_swap::ArcSwap<T>>);

/// A value for as long as it is looked at: no reference count is touched.
pub type SnapshotGuard<T> = arc_swap::Guard<Arc<T>>;

/// A reader's own reference to the newest value that it has seen.
pub struct SnapshotReader<T>(arc_swap::Cache<Arc<arc_swap::ArcSwap<T>>, Arc<T>>);

impl<T> fmt::Debug for SnapshotReader<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SnapshotReader")
    }
}

impl<T> SnapshotReader<T> {
    /// The newest value: one load while it is the one seen last.
    #[inline]
    pub fn newest(&mut self) -> &Arc<T> {
        self.0.load()
    }
}

impl<T> SnapshotCell<T> {
    /// A cell that holds `value`.
    pub fn new(value: Arc<T>) -> SnapshotCell<T> {
        SnapshotCell(Arc::new(arc_swap::ArcSwap::new(value)))
    }

    /// The value at this moment, kept alive by the returned reference.
    pub fn load(&self) -> Arc<T> {
        self.0.load_full()
    }

    /// Replaces the value; the old one goes when its last reader does.
    pub fn publish(&self, value: Arc<T>) {
        self.0.store(value);
    }

    /// The value at this moment, for a short look.
    #[inline]
    pub fn guard(&self) -> SnapshotGuard<T> {
        self.0.load()
    }

    /// For a thread that looks often.
    pub fn reader(&self) -> SnapshotReader<T> {
        SnapshotReader(arc_swap::Cache::new(self.0.clone()))
    }
}

//! The real parts: std, crossbeam, arc-swap, dashmap, parking_lot.

pub use crossbeam_utils::CachePadded;
pub use parking_lot::Mutex;
pub use std::sync::{Arc, OnceLock};

/// A concurrent map for registration and look-up by name, at the edge only: it locks inside.
pub type Map<K, V> = dashmap::DashMap<K, V, rustc_hash::FxBuildHasher>;

/// Atomics.
pub mod atomic {
    pub use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicU64, Ordering};
}

/// Channels.
pub mod channel {
    pub use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, TrySendError, bounded, never, select, unbounded};
}

/// Threads.
pub mod thread {
    pub use std::thread::{Builder, JoinHandle, ThreadId, current, yield_now};
}

/// One published value: readers see it whole, a writer replaces it.
#[derive(Debug)]
pub struct SnapshotCell<T>(arc_swap::ArcSwap<T>);

impl<T> SnapshotCell<T> {
    /// A cell that holds `value`.
    pub fn new(value: Arc<T>) -> SnapshotCell<T> {
        SnapshotCell(arc_swap::ArcSwap::new(value))
    }

    /// The value at this moment, kept alive by the returned reference.
    pub fn load(&self) -> Arc<T> {
        self.0.load_full()
    }

    /// Replaces the value; the old one goes when its last reader does.
    pub fn publish(&self, value: Arc<T>) {
        self.0.store(value);
    }

    /// Whether the cell still holds `seen`: one load, no reference count touched.
    #[inline]
    pub fn is(&self, seen: &Arc<T>) -> bool {
        std::ptr::eq(Arc::as_ptr(&self.0.load()), Arc::as_ptr(seen))
    }
}

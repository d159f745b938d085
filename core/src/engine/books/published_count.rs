//! A count with one writer that others may read.

use crate::sync::atomic::{AtomicI64, Ordering};

/// See the module's text.
#[derive(Debug, Default)]
pub(crate) struct PublishedCount(AtomicI64);

impl PublishedCount {
    /// Replaces it; by the one who writes it.
    pub(crate) fn set(&self, count: i64) {
        // ORDERING: Relaxed. A count with one writer, from which no other memory is inferred; who must have the newest
        // has been told by a message of the writer's.
        self.0.store(count, Ordering::Relaxed);
    }

    /// As last written.
    pub(crate) fn read(&self) -> i64 {
        // ORDERING: Relaxed, as in `set`.
        self.0.load(Ordering::Relaxed)
    }
}

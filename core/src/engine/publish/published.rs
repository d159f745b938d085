//! Publishing: one value that several threads replace, each its own part of it.
//!
//! # Where it stands
//! `snapshot` publishes the scheduler's snapshot through it.
//!
//! # Protocol
//! Publishers serialise on a mutex that no reader takes: read the newest, change a copy, replace. So nobody's part is
//! lost.
//!
//! # Invariant
//! I6: a reader sees one whole value, never an older one than it has seen. Checked by
//! `loom-tests/tests/snapshot_vs_reader.rs`.

use crate::sync::{Arc, Mutex, SnapshotCell, SnapshotGuard, SnapshotReader};

/// See the module's text.
#[derive(Debug)]
pub struct Published<T> {
    cell: SnapshotCell<T>,
    writing: Mutex<()>,
}

impl<T: Clone> Published<T> {
    /// With its first value.
    pub fn new(first: T) -> Published<T> {
        Published { cell: SnapshotCell::new(Arc::new(first)), writing: Mutex::new(()) }
    }

    /// The newest value.
    pub fn load(&self) -> Arc<T> {
        self.cell.load()
    }

    /// The newest value, for a short look.
    #[inline]
    pub fn guard(&self) -> SnapshotGuard<T> {
        self.cell.guard()
    }

    /// For a thread that looks often.
    pub fn reader(&self) -> SnapshotReader<T> {
        self.cell.reader()
    }

    /// Replaces the newest value by a changed copy.
    pub fn publish(&self, change: impl FnOnce(&mut T)) {
        let _writing = self.writing.lock();
        let mut next = (*self.cell.load()).clone();
        change(&mut next);
        self.cell.publish(Arc::new(next));
    }
}

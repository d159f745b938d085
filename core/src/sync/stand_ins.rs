//! Plain stand-ins over the checker's mutex, for the parts of other crates that loom and shuttle cannot see into.

#[cfg(loom)]
use loom::sync as checked;
#[cfg(loom)]
use loom::sync::Arc;
#[cfg(shuttle)]
use shuttle::sync as checked;
use std::fmt;
#[cfg(shuttle)]
use std::sync::Arc;
use std::sync::PoisonError;

/// parking_lot's form over the checker's mutex.
#[derive(Debug, Default)]
pub struct Mutex<T>(checked::Mutex<T>);

impl<T> Mutex<T> {
    /// A mutex around `value`.
    pub fn new(value: T) -> Self {
        Mutex(checked::Mutex::new(value))
    }

    /// Locks it. As with parking_lot a panic of who holds it poisons nothing.
    pub fn lock(&self) -> checked::MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks it unless another thread has.
    #[cfg(shuttle)]
    pub fn try_lock(&self) -> Option<checked::MutexGuard<'_, T>> {
        self.0.try_lock().ok()
    }
}

/// The snapshot cell over a mutex: whole values, replaced at one moment.
pub struct SnapshotCell<T>(Arc<Mutex<Arc<T>>>);

/// A value for as long as it is looked at.
pub type SnapshotGuard<T> = Arc<Arc<T>>;

/// A reader's own reference to the newest value that it has seen.
pub struct SnapshotReader<T> {
    cell: Arc<Mutex<Arc<T>>>,
    seen: Arc<T>,
}

impl<T> fmt::Debug for SnapshotReader<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SnapshotReader")
    }
}

impl<T> SnapshotReader<T> {
    /// The newest value.
    pub fn newest(&mut self) -> &Arc<T> {
        self.seen = self.cell.lock().clone();
        &self.seen
    }
}

impl<T> fmt::Debug for SnapshotCell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SnapshotCell")
    }
}

impl<T> SnapshotCell<T> {
    /// A cell that holds `value`.
    pub fn new(value: Arc<T>) -> Self {
        SnapshotCell(Arc::new(Mutex::new(value)))
    }

    /// The value at this moment.
    pub fn load(&self) -> Arc<T> {
        self.0.lock().clone()
    }

    /// Replaces the value.
    pub fn publish(&self, value: Arc<T>) {
        *self.0.lock() = value;
    }

    /// The value at this moment, for a short look.
    pub fn guard(&self) -> SnapshotGuard<T> {
        Arc::new(self.load())
    }

    /// For a thread that looks often.
    pub fn reader(&self) -> SnapshotReader<T> {
        SnapshotReader { cell: self.0.clone(), seen: self.load() }
    }
}

//! Which entry of an application into a leaf queue was let start, where several workers list the application and one of
//! them decides.
//!
//! # Protocol
//! An application may enter leaf queues several times, and waits anew each time. Every worker counts the entries
//! ([`EntryCount`]). The counts agree, because the control tells all workers the same in the same order. The worker
//! that decides for the leaf [lets](StartedEntry::let_start) an entry start, and tells the others by a message. Two
//! lanes lead to a worker, the control's and that one's, so the message may come before the entry that it is about. The
//! worker then ignores it, and finds here, when the entry comes, that it [may start](EntryCount::may_start).
//!
//! # Invariant
//! Once every message has been processed, an entry that was let start and is not over has started with every worker,
//! and no other entry has. `loom-tests/tests/start_vs_entry.rs`.

use crate::sync::atomic::{AtomicU32, Ordering};

/// The last entry that was let start; 0 if none was.
#[derive(Debug, Default)]
pub struct StartedEntry(AtomicU32);

impl StartedEntry {
    /// Lets an entry start; `tell` sends the others a message. By the worker that decides for the leaf of this entry.
    /// Another worker may have decided for an earlier entry and come late; that changes nothing here.
    pub fn let_start(&self, entry: u32, tell: impl FnOnce(u32)) {
        // ORDERING: Relaxed. No other memory is inferred from it: who passes over the word has got it over a channel,
        // and so sees this, or a later turn. loom-tests/tests/start_vs_entry.rs.
        let later = |known: u32| (known < entry).then_some(entry);
        // Where a later one is known, nothing changes.
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, later);
        tell(entry);
    }
}

/// How often an application has entered a leaf queue, as one worker has counted. Only that worker uses it.
#[derive(Clone, Copy, Debug, Default)]
pub struct EntryCount(u32);

impl EntryCount {
    /// It enters a leaf queue, to wait there.
    pub fn enter(&mut self) {
        self.0 += 1;
    }

    /// Which one it is.
    #[must_use]
    pub fn number(self) -> u32 {
        self.0
    }

    /// Whether the present entry was let start before this worker counted it.
    #[must_use]
    pub fn may_start(self, entry: &StartedEntry) -> bool {
        // ORDERING: Relaxed, as in `let_start`.
        self.0 == entry.0.load(Ordering::Relaxed)
    }

    /// Whether a message about an entry is about the present one; if not, it is late or early.
    #[must_use]
    pub fn is_about(self, entry: u32) -> bool {
        self.0 == entry
    }
}

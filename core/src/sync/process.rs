//! What all schedulers of a process count.

/// A count that all schedulers of a process share. It is std's in schedules too: it outlives each of them, and those of
/// one process run at the same time, while a word of shuttle's belongs to one schedule. Nothing may be ordered by it.
pub(crate) use std::sync::atomic::AtomicU64 as ProcessCount;

/// For a thread that has no number yet.
pub(super) fn next_thread() -> u64 {
    static NEXT: ProcessCount = ProcessCount::new(1);
    // ORDERING: Relaxed. A count; nothing is ordered by it.
    NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
}

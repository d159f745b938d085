//! The one door to atomics, threads, channels, maps and the snapshot cell.
//!
//! `real.rs` is std, crossbeam, arc-swap, dashmap and parking_lot; `model.rs`, under `cfg(loom)`, is loom's types, and
//! `schedules`, under `cfg(shuttle)`, shuttle's; both with plain stand-ins for the crates that these cannot see into. So a model
//! or a schedule shows *our* protocol over sound parts, not the parts. Nothing outside this module names those crates
//! (`tests/layers.rs` checks it).

#[cfg(not(any(loom, shuttle)))]
#[expect(unreachable_pub, reason = "public to the models, under cfg(loom), and to the schedules, under cfg(shuttle)")]
mod real;
#[cfg(not(any(loom, shuttle)))]
pub use real::*;

#[cfg(any(loom, shuttle))]
mod stand_ins;

#[cfg(loom)]
mod model;
#[cfg(loom)]
pub use model::*;

#[cfg(shuttle)]
mod schedules;
#[cfg(shuttle)]
pub use schedules::*;

/// A count that all schedulers of a process share. It is std's in schedules too: it outlives each of them, and those of one
/// process run at the same time, while a word of shuttle's belongs to one schedule. Nothing may be ordered by it.
#[cfg(not(loom))]
pub(crate) use std::sync::atomic::AtomicU64 as ProcessCount;

/// For a thread that has no number yet.
#[cfg(not(loom))]
fn next_thread() -> u64 {
    static NEXT: ProcessCount = ProcessCount::new(1);
    // ORDERING: Relaxed. A count; nothing is ordered by it.
    NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
}

//! The parts under `cfg(shuttle)`: shuttle's atomics and threads; stand-ins over its mutex and condition variable for
//! the rest. Each operation on them is a point at which another thread may go on.
//!
//! There is no time: a wait with a limit ends when something comes, or when the schedule says that its time is up
//! ([`time::pass`]).

mod bell;
pub mod channel;
pub mod time;

pub use super::stand_ins::*;
pub use crossbeam_utils::CachePadded;
/// These two are real: what initialises the one, and what is done with an entry of the other, has no point at which
/// another thread may go on, so nobody ever finds them locked.
pub use std::sync::{Arc, OnceLock, Weak};

/// See [`OnceLock`].
pub type Map<K, V> = dashmap::DashMap<K, V>;

/// Atomics. shuttle runs one thread at a time and knows no stale values: orderings are for loom.
pub mod atomic {
    pub use shuttle::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicU64, Ordering};
}

/// Threads.
pub mod thread {
    pub use shuttle::thread::{Builder, JoinHandle, ThreadId, current, yield_now};

    shuttle::thread_local! {
        static NUMBER: u64 = crate::sync::process::next_thread();
    }

    /// As the real one.
    pub fn number() -> u64 {
        NUMBER.with(|number| *number)
    }
}

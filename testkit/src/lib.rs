//! What tests of several files and crates share. Nothing is published of it.
//!
//! - [`within`], [`wait_for`], [`until`], [`Raised`]: a bound, with a message, for whatever might wait for ever.
//! - [`queues`], [`fair`], [`capacity`], [`ask`] and others make what most tests begin with, in a line.
//! - [`call`], [`ask_for`] and [`fetch`] are calls on a stepped scheduler, of either kind, that must be taken;
//!   [`beat`], [`allocate`] and [`poll`] are calls on threads, of either kind, that are repeated until they are taken.
//! - [`assert_sums`] and others hold the books of a FairScheduler at quiet against each other.
//! - [`sources`], [`imports`] and [`cases`] read the sources of a crate, for tests that hold them against a rule.

#![expect(clippy::unwrap_used, clippy::missing_panics_doc, reason = "a test's helper says by a panic what is wrong")]
#![expect(clippy::missing_errors_doc, reason = "they are those of the scheduler's own call")]

mod books;
mod making;
mod steps;
mod threads;
mod waiting;

pub mod cases;
pub mod imports;
pub mod sources;

pub use books::{assert_limits, assert_nobody_waits, assert_nothing_is_left, assert_sums};
pub use making::{SMALL, allocations, ask, capacity, fair, greedy, number, queues, settings, unmanaged};
pub use steps::{ask_for, call, fetch};
pub use threads::{
    Threads, add_nodes, allocate, beat, ends, event, fill, poll, poll_on_a_thread, poll_to_the_end, poll_until_idle,
    send, start_polled,
};
pub use waiting::{Raised, until, wait_for, within};

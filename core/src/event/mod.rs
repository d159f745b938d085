//! Outcomes: what callers are answered, and what the embedder is told of.
//!
//! Plain values; any thread.

pub mod refused;

mod told;

mod access;

mod named;

mod checks;

pub use access::AppAccess;
pub(crate) use checks::{check_length, check_place};
pub use named::{LONGEST_NAME, Named};
pub use refused::Refused;
pub use told::SchedulerEvent;

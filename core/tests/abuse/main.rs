//! Abuse: requests, names, amounts and numbers of things that nobody needs. Each is refused with a reason that names
//! what would be right, or is served; the others are served as before, and the books balance. `docs/reliability.md` has
//! the table.
//!
//! Nothing here looks at the time. What grows with the square of its size does not come to an end here, though.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

mod amounts;
mod containers;
mod many;
mod names;
mod pending;
mod requests;
mod world;

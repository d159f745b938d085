//! The doors under bad luck and bad will (issue 23, parts 1 and 2): nothing hangs, dies in silence or leaks, and
//! nothing unchecked gets in.
//!
//! Nothing here is decided by time, but that whoever waits for a minute waits for ever.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

mod absurd;

mod bound;

mod embedder;

mod others;

mod unchecked;

mod waiting;

mod world;

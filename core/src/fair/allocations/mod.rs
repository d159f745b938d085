//! The allocation file's watcher: when to look at the file, and what to do about it.
//!
//! # Where it stands
//! Plain code that both drivers run: the threaded one on a thread that owns nothing else (`thread`), so that reading
//! and parsing hold nobody up; the stepped one on the caller's. What it decides reaches the control through
//! [`Reloads`], as messages or as calls. Follows rules/configuration.md 7.2 and 7.3; Hadoop's
//! `AllocationFileLoaderService`.
//!
//! # Two clocks
//! Looks are an interval apart by the monotonic clock. Whether the file is to be read goes by the wall clock, because
//! its time of change does: it must be later than the last successful parse and quiet for a while. So, as in Hadoop, a
//! file that keeps an older time of change (`mv`, `cp -p`) is not noticed until a refresh is asked for, nor is one from
//! the future before its time has come.

mod watcher;

mod thread;

pub(crate) use thread::{ControlLane, WatchCall, WatcherThread};
pub(crate) use watcher::{NEVER, Reloads, WatchTimes, Watcher, apply};

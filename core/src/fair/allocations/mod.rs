//! The watcher of the allocation file: it decides when to check the file and when to read it again.
//!
//! # Where it stands
//! Plain code that both drivers run. The threaded driver runs it on a thread of its own (`thread`), so that reading and
//! parsing delay nothing else; the stepped driver runs it on the caller's thread. The watcher passes its decisions to
//! the control through [`Reloads`], as messages or as calls. Follows rules/configuration.md 7.2 and 7.3; Hadoop's
//! `AllocationFileLoaderService`.
//!
//! # Two clocks
//! The monotonic clock measures the interval between two checks. The wall clock decides whether a file is read, because
//! the file's time of modification is wall time: it must be later than the last successful parse, and some time ago.
//! So, as in Hadoop, a file that keeps an older time of modification (`mv`, `cp -p`) is not noticed until a refresh is
//! asked for, and a file from the future is not read before its time has come.

mod watcher;

mod thread;

pub(crate) use thread::{ControlLane, WatchCall, WatcherThread};
pub(crate) use watcher::{NEVER, Reloads, WatchTimes, Watcher, apply};

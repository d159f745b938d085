//! The watchdog: no call may hang.
//!
//! The driving thread writes when a call began; a thread of its own looks, and ends the program where one has not come
//! back for 5 s.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use evenweave_tools::clock::{now_ns, seconds};

/// Who has not come back after so long hangs.
const HANG_NS: u64 = 5_000_000_000;

/// Calls that are watched; the first is none.
const CALLS: [&str; 12] = [
    "",
    "allocate",
    "heartbeats",
    "submit",
    "finish",
    "add_node",
    "remove_node",
    "quiesce and update",
    "audit",
    "refresh",
    "relabel",
    "shutdown",
];

#[derive(Debug, Default)]
struct Watched {
    /// When the call under way began; 0: none is.
    since: AtomicU64,
    call: AtomicU64,
    over: AtomicBool,
}

/// See the module's text.
#[derive(Debug)]
pub(super) struct Watchdog {
    watched: Arc<Watched>,
    longest: (&'static str, u64),
}

impl Watchdog {
    pub(super) fn start() -> Watchdog {
        let watched = Arc::new(Watched::default());
        let looks = Arc::clone(&watched);
        std::thread::spawn(move || {
            // ORDERING: Relaxed, here and below. A time and a number of what it is about: a look that finds them of two
            // calls finds one that has just begun.
            while !looks.over.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(100));
                let since = looks.since.load(Ordering::Relaxed);
                if since != 0 && now_ns().saturating_sub(since) > HANG_NS {
                    let call = usize::try_from(looks.call.load(Ordering::Relaxed)).unwrap_or(0);
                    evenweave_tools::output::note!(
                        "evenweave: the scheduler failed: {} has not come back for 5 s",
                        CALLS[call]
                    );
                    std::process::exit(1);
                }
            }
        });
        Watchdog { watched, longest: ("", 0) }
    }

    /// Makes a call and watches it; the time it took is in nanoseconds.
    pub(super) fn watch<T>(&mut self, name: &'static str, call: impl FnOnce() -> T) -> (T, u64) {
        let number = CALLS.iter().position(|known| *known == name).expect("every call is listed");
        let begun = now_ns().max(1);
        self.watched.call.store(number as u64, Ordering::Relaxed);
        self.watched.since.store(begun, Ordering::Relaxed);
        let outcome = call();
        self.watched.since.store(0, Ordering::Relaxed);
        let took = now_ns().saturating_sub(begun);
        if took > self.longest.1 {
            self.longest = (name, took);
        }
        (outcome, took)
    }

    /// The longest call so far, ns.
    pub(super) fn longest(&self) -> (&'static str, u64) {
        self.longest
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.watched.over.store(true, Ordering::Relaxed);
    }
}

impl Watchdog {
    /// The longest call as a person reads it.
    pub(super) fn longest_text(&self) -> String {
        format!("{} {:.3} s", self.longest.0, seconds(self.longest.1))
    }
}

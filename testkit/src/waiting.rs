//! Bounds for what might wait for ever. A test that hangs says nothing, and holds up those after it.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// What waits so long waits for ever. Long enough for a thread that other programs keep from the processor.
const HANG: Duration = Duration::from_secs(60);

/// Does what must not take long. Where it hangs, says what does and of which test, and ends the whole program.
pub fn within<T>(what: &str, call: impl FnOnce() -> T) -> T {
    let (done, over) = mpsc::channel::<()>();
    let what = what.to_owned();
    let test = thread::current().name().unwrap_or("a thread").to_owned();
    let watchdog = thread::spawn(move || {
        if over.recv_timeout(HANG) == Err(RecvTimeoutError::Timeout) {
            // Past the test's capture, which nobody would show any more.
            let _ = writeln!(std::io::stderr(), "{test}: {what} hangs: it is not over after {HANG:?}");
            std::process::abort();
        }
    });
    let outcome = call();
    drop(done);
    watchdog.join().unwrap();
    outcome
}

/// Tries until there is something.
pub fn wait_for<T>(what: &str, mut found: impl FnMut() -> Option<T>) -> T {
    within(what, || {
        loop {
            match found() {
                Some(found) => return found,
                None => thread::yield_now(),
            }
        }
    })
}

/// Tries until it is so.
pub fn until(what: &str, mut done: impl FnMut() -> bool) {
    wait_for(what, || done().then_some(()));
}

/// Raises the flag at the end of its life, be it by a failed assertion: threads that go on until then would hold up
/// their scope for ever.
#[derive(Debug)]
pub struct Raised<'a>(pub &'a AtomicBool);

impl Drop for Raised<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

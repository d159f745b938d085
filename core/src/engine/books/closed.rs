//! A door that closes once: an application's, for calls of its AM, or the scheduler's.
//!
//! What is let in late, because a caller looked just before the door closed, is dealt with behind it: an application's
//! workers end what they have after the close and take no news of it, the shutdown works off what lanes have accepted.

use crate::sync::atomic::{AtomicBool, Ordering};

/// See the module's text.
#[derive(Debug, Default)]
pub struct Closed(AtomicBool);

impl Closed {
    /// Whether it is closed.
    #[inline]
    pub fn is_closed(&self) -> bool {
        // ORDERING: Acquire. Pairs with the Release in `close`: who finds it closed finds what was done before.
        self.0.load(Ordering::Acquire)
    }

    /// Closes it; true for the first to do so.
    pub fn close(&self) -> bool {
        // ORDERING: AcqRel. Release for `is_closed`; Acquire so that a second closer finds what the first has done.
        !self.0.swap(true, Ordering::AcqRel)
    }
}

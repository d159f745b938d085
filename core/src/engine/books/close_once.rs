//! A door that closes once: of an application, for the calls of its AM; or of the scheduler.
//!
//! A call that looked just before the door closed is let in late, and does no harm. The workers of an application end
//! what they have after the close, and ignore later news of it. The shutdown processes what the lanes have accepted.

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

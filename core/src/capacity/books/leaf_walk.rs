//! How far a pass has come in a leaf. A value of the worker that makes the pass.

use crate::capacity::rules::ordered::{AppEntry, Place};

/// A walk through the active applications of a leaf, in a pass that has proposed nothing yet.
#[derive(Debug)]
pub(crate) struct Walk {
    pub(super) place: Option<Place>,
    /// The applications that are still to come, where what is worked out does not stay.
    pub(super) line: Option<std::vec::IntoIter<AppEntry>>,
    /// Every application so far has a reservation: the queue is looked at again.
    pub(super) checks_queue: bool,
    /// What the leaf may use has been published.
    pub(super) has_published: bool,
}

impl Walk {
    pub(crate) fn new() -> Walk {
        Walk { place: None, line: None, checks_queue: true, has_published: false }
    }
}

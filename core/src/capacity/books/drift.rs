//! What Hadoop lets drift, and so do the books: the audit has to know by how much.
//!
//! - A reservation that becomes a container after what was asked for has another size: it is a container of its own size, and its application
//!   uses what is asked for (`AppBook::drift`). The container's end takes off its own size. Queues and users are charged what was reserved.
//! - An application that moves: what its reservations are to the queues, and to those above, stays behind.
//! - A record of a user that is made anew, and lists and counts that are odd: `Users::drift`, `Leaf::is_odd`.
//!
//! Owned by the books. Written where it comes about, which is seldom; no rule reads it.

use crate::resource::Resource;
use std::collections::BTreeMap;

/// By queue: what it counts as reserved, and its applications have not.
#[derive(Debug, Default)]
pub(super) struct Drift {
    pub(super) reserved: BTreeMap<u32, Resource>,
}

impl Drift {
    /// Another queue is in this slot.
    pub(super) fn forget(&mut self, slot: u32) {
        self.reserved.remove(&slot);
    }
}

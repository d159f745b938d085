//! By how much Hadoop's counts drift from what is really held. The books drift as Hadoop does, and the audit must know
//! the amounts to tell drift from a fault.
//!
//! - A reservation becomes a container after its ask has got another size. The container keeps the size of the
//!   reservation, but its application is charged the size of the ask (`AppBook::drift`). The end of the container takes
//!   off the container's size. Queues and users are charged the reserved size.
//! - An application moves. The queues that it leaves, and those above them, go on counting its reservations.
//! - A user's record is made a second time, or lists and counts become inconsistent: `Users::drift`, `Leaf::is_odd`.
//!
//! Owned by the books. Written where drift arises, which is rare. No scheduling rule reads it.

use crate::resource::Resource;
use std::collections::BTreeMap;

/// By queue: what the queue counts as reserved and its applications have not reserved.
#[derive(Debug, Default)]
pub(super) struct Drift {
    pub(super) reserved: BTreeMap<u32, Resource>,
}

impl Drift {
    /// The slot has got another queue.
    pub(super) fn forget(&mut self, slot: u32) {
        self.reserved.remove(&slot);
    }
}

//! By how much Hadoop's counts drift from what is really held. The books drift as Hadoop does, and the audit must know
//! the amounts to tell drift from a fault.
//!
//! - A reservation becomes a container after its ask has got another size. The container keeps the size of the
//!   reservation, but its application is charged the size of the ask (`AppBook::drift`). The end of the container takes
//!   off the container's size. Queues and users are charged the reserved size.
//! - An application moves. The queues that it leaves, and those above them, go on counting its reservations.
//! - A node gets another label while something that has ended still stands on it: with one worker that goes along, and
//!   is taken off nowhere. The AM of an application that waits to start is moved to the other partition, too, although
//!   it has not been counted (`Drift::by_label`).
//! - A user's record is made a second time, or lists and counts become inconsistent: `Users::drift`, `Leaf::is_odd`.
//!
//! Owned by the books. Written where drift arises, which is rare. No scheduling rule reads it.

use crate::resource::Resource;
use std::collections::BTreeMap;

/// By queue: what the queue counts as reserved and its applications have not reserved.
#[derive(Debug, Default)]
pub(super) struct Drift {
    pub(super) reserved: BTreeMap<u32, Resource>,
    /// What is used on the nodes of a label is not what applications hold there.
    pub(super) by_label: bool,
}

impl Drift {
    /// The slot has got another queue.
    pub(super) fn forget(&mut self, slot: u32) {
        self.reserved.remove(&slot);
    }
}

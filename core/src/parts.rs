//! A door for this repository's own crates: benchmarks time the parts one by one, and the server shows what the core
//! shows. No promise: whatever is here may change or go.

pub use crate::engine::lease::{AskPool, NotTaken, Recounted, Room, Taken, TakenUnit};
pub use crate::engine::mail::mailbox::{Arena, FreeRecords, Stack};
pub use crate::engine::publish::published::Published;
pub use crate::sync::{SnapshotGuard, SnapshotReader};

use crate::order::WinnerTree;
use crate::policy::OrderKey;

/// Children kept in order, by position.
#[derive(Debug)]
pub struct Children(WinnerTree);

impl Children {
    /// So many, all absent.
    #[must_use]
    pub fn new(count: usize) -> Children {
        Children(WinnerTree::of(count))
    }

    /// Gives a child its place.
    #[inline]
    pub fn set(&mut self, position: u32, key: OrderKey) {
        self.0.set(position, &key);
    }

    /// Who comes first.
    #[inline]
    #[must_use]
    pub fn first(&self) -> Option<u32> {
        self.0.winner()
    }
}

/// Orders and texts of Java's that decide what Hadoop shows.
pub mod java {
    pub use crate::config::hash_order::{hash_of_text, hash_order, spread};
    pub use crate::config::quoted::resource_text;
    pub use crate::config::type_order::types_in_order;
}

//! The queues of a file as rules see them.

use super::target::{Known, Queues};
use crate::capacity_file::file::CapacityFile;
use crate::capacity_file::queue::CapacityQueue;
use crate::capacity_file::skeleton::CapacityQueueKind;

impl Queues for CapacityFile {
    fn queue(&self, name: &str) -> Option<Known<'_>> {
        CapacityFile::queue(self, name).map(known)
    }

    fn queue_at(&self, path: &str) -> Option<Known<'_>> {
        CapacityFile::queue_at(self, path).map(known)
    }

    fn is_ambiguous(&self, name: &str) -> bool {
        CapacityFile::is_ambiguous(self, name)
    }
}

pub(super) fn known(queue: &CapacityQueue) -> Known<'_> {
    let makes_parents = queue.as_parent().is_some_and(|parent| parent.flexible_creation.enabled);
    let makes_queues = match queue.kind {
        CapacityQueueKind::ManagedParent => true,
        CapacityQueueKind::Parent => makes_parents,
        CapacityQueueKind::Leaf | CapacityQueueKind::Plan | CapacityQueueKind::Reservation => false,
    };
    Known { path: &queue.path, is_leaf: queue.kind.is_leaf(), makes_queues, makes_parents }
}

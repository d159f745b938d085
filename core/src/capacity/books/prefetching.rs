//! Prefetches the books of the queues, applications and users that are charged next.
//!
//! The books of a large cluster are larger than the cache, and each container touches some thirty lines of them: of an
//! attempt, of its leaf queue, and of its user. The engine says two messages ahead what will be charged, and again one
//! message ahead (`engine::worker::prefetching`). These functions read what leads further, and change nothing.

use super::figures::LeafFigures;
use super::{Books, Counts, QueueBook};
use crate::capacity::rules::leaf::Leaf;
use crate::capacity::rules::ordered::AppEntry;
use crate::prefetch::{CACHE_LINE, prefetch_lines};
use std::mem::offset_of;

/// What a charge and a pass read and write of a queue, up to the counts, in lines.
const COUNTED: usize = (offset_of!(QueueBook, counts) + offset_of!(Counts, killable_sum)).div_ceil(CACHE_LINE);
/// Where what only a leaf queue has begins, in lines.
const LEAF: usize = offset_of!(QueueBook, leaf) / CACHE_LINE;

impl Books {
    /// An attempt will be charged, or asks.
    #[inline]
    pub(crate) fn prefetch_app(&self, entry: AppEntry) {
        self.apps.prefetch(entry);
    }

    /// The same, of a leaf queue.
    #[inline]
    pub(crate) fn prefetch_queue(&self, slot: u32) {
        if let Some(queue) = self.queues.get(slot as usize) {
            prefetch_lines(queue, 0..COUNTED);
            prefetch_lines(queue, LEAF..LEAF + Leaf::HOT_LINES);
        }
    }

    /// The same, when these have come: its user, its leaf queue's place among its siblings and figures, and the
    /// application that comes first there.
    #[inline]
    pub(crate) fn prefetch_charge(&self, entry: AppEntry) {
        let Some(app) = self.apps.get(entry) else { return };
        let Some(Some(QueueBook { figures, leaf: Some(leaf), standing, .. })) = self.queues.get(app.leaf as usize)
        else {
            return;
        };
        leaf.users.prefetch(app.seat);
        if let Some(figures) = &figures.leaf {
            prefetch_lines(&**figures, 0..LeafFigures::HOT_LINES);
        }
        if let (Some(standing), Some(parent)) = (standing, figures.parent)
            && let Some(Some(parent)) = self.queues.get(parent as usize)
        {
            parent.siblings.order.prefetch_change(standing.size);
        }
        if let Some((_, first)) = leaf.noted.first_key_value() {
            self.apps.prefetch(*first);
        }
    }

    /// The application that a leaf queue offers room to first, by slot.
    #[inline]
    pub(crate) fn first_of(&self, slot: u32) -> Option<u32> {
        let (_, first) = self.queue(slot).leaf.as_ref()?.noted.first_key_value()?;
        self.apps.get(*first).map(|app| app.slot)
    }
}

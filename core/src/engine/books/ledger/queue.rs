//! A queue as all threads see it.

use crate::engine::books::usage::{SharedUsage, UsageCell};
use crate::engine::lease::watch::Watch;
use crate::prefetch::prefetch;
use crate::resource::Resource;
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::sync::{Arc, CachePadded};
use smallvec::SmallVec;

/// What one worker writes of a queue.
#[derive(Debug, Default)]
pub(crate) struct QueueCell {
    pub(crate) usage: UsageCell,
    /// Containers here and below that were preempted, ever.
    pub(crate) preempted: AtomicU64,
}

/// A queue as all threads see it.
#[derive(Debug)]
pub(crate) struct QueueShared {
    /// By worker; each worker keeps a reference to its own. The first lies here, as an application's.
    pub(crate) cells: SmallVec<[Arc<CachePadded<QueueCell>>; 1]>,
    /// Of a leaf queue.
    pub(crate) am_usage: SharedUsage,
    /// Room under the limit; limits are enforced (and grants refused) from the first worker to join.
    pub(crate) watch: Watch,
    /// Counts creations of queues, and when it was.
    pub(crate) created: u64,
    pub(crate) created_ms: u64,
}

impl QueueShared {
    pub(crate) fn new(workers: usize, types: usize, created: u64, created_ms: u64) -> QueueShared {
        QueueShared {
            cells: (0..workers).map(|_| Arc::default()).collect(),
            am_usage: SharedUsage::default(),
            watch: Watch::new(workers, types),
            created,
            created_ms,
        }
    }

    pub(crate) fn usage(&self) -> Resource {
        self.cells.iter().fold(Resource::ZERO, |sum, cell| sum.plus(&cell.usage.read()))
    }

    /// Its usage will be read soon.
    #[inline]
    pub(crate) fn prefetch_usage(&self) {
        self.cells.iter().for_each(|cell| prefetch(&cell.usage));
    }

    /// The same where nothing beyond the scheduler's types is used.
    #[inline]
    pub(crate) fn usage_of(&self, types: usize) -> Resource {
        // The words are of a lone worker mostly.
        if let [cell] = &self.cells[..] {
            return Resource::of_types(types, |i| cell.usage.get(i));
        }
        Resource::of_types(types, |i| self.cells.iter().fold(0, |sum, cell| cell.usage.get(i).wrapping_add(sum)))
    }

    /// How many containers were preempted here and below, by all workers.
    pub(crate) fn preempted(&self) -> u64 {
        // ORDERING: Relaxed. A statistic.
        self.cells.iter().map(|cell| cell.preempted.load(Ordering::Relaxed)).sum()
    }
}

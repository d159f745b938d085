//! Books of which a panic has left nothing to believe in are written anew: see [`anew`](crate::capacity::decide::anew).

#[cfg(feature = "faults")]
use super::Counts;
#[cfg(feature = "faults")]
use super::apps::Apps;
use super::{Books, QueueBook};
use crate::capacity::rules::leaf::Leaf;
use crate::capacity::rules::ordered::AppEntry;
use crate::capacity::rules::tree::ROOT;
#[cfg(feature = "faults")]
use crate::resource::Resource;

impl Books {
    /// Returns empty books: the same queues as last published, without usage and without applications. The newest
    /// snapshot may differ; the worker takes it over afterwards.
    pub(crate) fn emptied(&self) -> Books {
        let mut books = Books::new(self.arith, self.minimum, self.place, self.resort, self.slack);
        let emptied = |queue: &QueueBook| {
            let leaf = queue.leaf.is_some().then(|| Leaf::new(self.resort));
            QueueBook::new(queue.published.clone(), books.figures_of(&queue.published), leaf)
        };
        let queues = self.queues.iter().map(|queue| queue.as_ref().map(emptied)).collect();
        books.queues = queues;
        books
    }

    /// Puts an attempt back into the lists of its leaf after a panic. It becomes active if it had been let start, else
    /// it waits. Unlike `enter`, this counts no new entry and starts no waiting application: limits are not known
    /// before `recompute_all`.
    pub(crate) fn restore_entry(&mut self, entry: AppEntry) {
        if self.enter_lists(entry) {
            self.start_if_let(entry);
        }
    }

    /// To be called when all attempts have entered and their usage and asks are counted. Computes orders and limits,
    /// and starts the applications that may start.
    pub(crate) fn recompute_all(&mut self) {
        // A fair leaf orders by usage and demand. Both were unknown when the attempts entered, so each active one is
        // put in order again.
        for number in self.apps.numbers() {
            if let Some(entry) = self.apps.entry(number).filter(|entry| self.apps[*entry].is_active) {
                self.note_reorder(entry);
            }
        }
        let leaves: Vec<u32> = self.leaves().collect();
        for leaf in leaves.iter().copied() {
            self.reorder(leaf);
        }
        self.spread_limits(ROOT, self.cluster);
        self.order_all_children();
        for leaf in leaves {
            if self.decides_starts_in(leaf) {
                self.tell_all_of(leaf);
            }
            self.publish_surplus_entries(leaf);
        }
    }

    /// Nothing is as it was, but that queues are where they were.
    #[cfg(feature = "faults")]
    pub(crate) fn spoil(&mut self) {
        let nonsense = Resource::new(1 << 40, 1 << 20);
        for queue in self.queues.iter_mut().flatten() {
            queue.counts =
                Counts { used: nonsense, reserved: nonsense, pending: (&nonsense).into(), ..Counts::default() };
            queue.leaf = queue.leaf.as_ref().map(|_| Leaf::new(self.resort));
            queue.standing = None;
        }
        (self.cluster, self.apps, self.turns) = (nonsense, Apps::default(), [u64::MAX; 2]);
    }
}

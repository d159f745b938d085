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
    /// Empty ones, with the queues that there were, and of which nothing is known but what was published. The newest
    /// structure is another one.
    pub(crate) fn anew(&self) -> Books {
        let mut books = Books::new(self.arith, self.minimum, self.place, self.resort, self.slack);
        let emptied = |queue: &QueueBook| {
            let leaf = queue.leaf.is_some().then(|| Leaf::new(self.resort));
            QueueBook::new(queue.published.clone(), books.figures_of(&queue.published), leaf)
        };
        let queues = self.queues.iter().map(|queue| queue.as_ref().map(emptied)).collect();
        books.queues = queues;
        books
    }

    /// An attempt is in the lists of its leaf as it was before: it has started if its turn says so. Nobody starts by
    /// it.
    pub(crate) fn restore_entry(&mut self, entry: AppEntry) {
        if self.enter_lists(entry) {
            self.start_if_let(entry);
        }
    }

    /// All attempts are there, with all that they have: places, limits and whoever may start follow.
    pub(crate) fn recompute_all(&mut self) {
        // Of what fair leaves order by nothing was known when they entered.
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

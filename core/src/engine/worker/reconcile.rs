//! Reconciliation: what the other workers have done is folded into this worker's view, and what it leased goes back.
//!
//! # Where it stands
//! Called by the worker loop: folds between batches and before a choice that would miss too much, the return of leases
//! before the worker blocks. With one worker both are nothing.
//!
//! # How far views can be apart
//! I8: a worker orders by its own grants at once and by the others' as of its last fold; when it is to fold by their
//! number, `pace` says. It asks before each choice, so with W workers each choice misses less than (W - 1) x R changes
//! of usage. Limits are not affected: they are kept by `lease`.
//!
//! # Cost
//! A fold reads every worker's cell of every queue and application, O((queues + applications) x workers), and puts
//! those in place that the others have changed; so it is done the more seldom the more there are.

use crate::engine::decider::Decider;
use crate::engine::shard::Shard;
use crate::engine::shared::count;

/// A worker that grants little folds after this long, by number of applications: a fold of 20,000 takes milliseconds.
fn fold_after_ms(applications: usize) -> u64 {
    20 + u64::try_from(applications / 200).unwrap_or(u64::MAX)
}

impl<D: Decider> Shard<D> {
    /// Hands back what is leased and not spent. Before a worker blocks: until then whoever is refused recalls it.
    pub(crate) fn hand_back_leases(&mut self) {
        if self.shared.workers == 1 {
            return;
        }
        while let Some((slot, key)) = self.leases.pop() {
            let worker = self.worker;
            let Some(app) = self.apps.get_mut(slot.ix()).and_then(Option::as_mut).filter(|app| app.slot == slot) else {
                continue;
            };
            if let Ok(at) = app.keys.binary_search_by_key(&key, |key| key.id()) {
                let key = &mut app.keys[at];
                key.set_handed_back();
                key.cell.pool.hand_back(worker);
            }
        }
        for queue in self.watched_queues.iter().filter_map(|queue| self.queues.get(*queue as usize)?.as_ref()) {
            queue.watch_member.hand_back(&queue.snapshot.shared.watch, self.worker);
        }
        self.hand_back_label_rooms();
    }

    /// Usage has changed, and stands in this worker's cells.
    #[inline]
    pub(crate) fn note_change(&mut self) {
        if self.shared.workers > 1 {
            self.lag.note_change(&self.shared.pace, self.apps.len());
        }
    }

    /// Whether the others have done so much that the next choice has to know of it.
    #[inline]
    pub(crate) fn must_fold(&self) -> bool {
        self.shared.workers > 1 && self.lag.is_due(&self.shared.pace, self.apps.len())
    }

    /// Folds in what the others have done, when that is much or enough time has passed; between two messages.
    pub(crate) fn fold_if_due(&mut self, now_ms: u64) {
        // Where the clock has gone back the last fold was at no time that means anything.
        let since = now_ms.checked_sub(self.last_fold_ms);
        let by_time = since.is_none_or(|since| since >= fold_after_ms(self.apps.len()));
        if self.shared.workers > 1 && (by_time || self.must_fold()) {
            self.fold(now_ms);
        }
    }

    /// The part of a fold that all have: from here on what the others have done is seen, the queues' usage is read.
    fn begin_fold(&mut self, now_ms: u64) {
        // What is held back is read too.
        self.flush_root_usage();
        self.lag.begin_fold(&self.shared.pace);
        self.last_fold_ms = now_ms;
        for queue in self.queues.iter_mut().flatten() {
            queue.usage = queue.snapshot.shared.usage();
        }
    }

    /// Reads everybody's usage; the caller puts everything in order anew.
    pub(crate) fn read_usage(&mut self) {
        self.begin_fold(self.shared.clock.now_ms());
        for app in self.apps.iter_mut().flatten().filter(|app| app.runnable) {
            app.usage = app.shared.usage();
        }
    }

    /// Folds in what the others have done.
    pub(crate) fn fold(&mut self, now_ms: u64) {
        self.begin_fold(now_ms);
        for index in 0..self.apps.len() {
            let Some(app) = self.apps[index].as_mut().filter(|app| app.runnable) else { continue };
            let usage = app.shared.usage();
            let changed = usage != app.usage;
            app.usage = usage;
            D::app_folded(self, u32::try_from(index).expect("applications are u32"), changed);
        }
        D::folded(self);
        count(&self.shared.counters[self.worker].folds, 1);
    }
}

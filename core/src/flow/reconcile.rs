//! Reconciliation: what the other workers have done is folded into this worker's view, and what it leased goes back.
//!
//! # Where it stands
//! Called by the worker loop between batches. With one worker both are nothing.
//!
//! # How far views can be apart
//! I8: a worker orders by its own grants at once and by the others' as of its last fold, so with W workers at most
//! (W - 1) x [`fold_every`] grants are out of exact order. Limits are not affected: they are kept by `lease`.
//!
//! # Cost
//! A fold reads every worker's cell of every queue and application, O((queues + applications) x workers), and puts those
//! in place that the others have changed; so it is done the more seldom the more there are.

use super::shard::Shard;
use super::shared::count;

/// Grants after which a worker folds, by number of applications.
fn fold_every(applications: usize) -> u32 {
    u32::try_from(applications).unwrap_or(u32::MAX).max(8192)
}

/// A worker that grants little folds after this long, by number of applications: a fold of 20,000 takes milliseconds.
fn fold_after_ms(applications: usize) -> u64 {
    20 + u64::try_from(applications / 200).unwrap_or(u64::MAX)
}

impl Shard {
    /// Hands back what is leased and not spent. Before a worker blocks, and between batches.
    pub(crate) fn hand_back_leases(&mut self) {
        if self.shared.workers == 1 {
            return;
        }
        while let Some((slot, key)) = self.leases.pop() {
            let worker = self.worker;
            let Some(app) = self.apps.get_mut(slot.ix()).and_then(Option::as_mut).filter(|app| app.shared.slot == slot)
            else {
                continue;
            };
            if let Ok(at) = app.keys.binary_search_by_key(&key, |key| key.id) {
                let key = &mut app.keys[at];
                key.leased = false;
                key.cell.pool.hand_back(worker, key.epoch);
            }
        }
        for queue in self.queues.iter().flatten() {
            queue.seat.hand_back(&queue.snapshot.shared.watch, self.worker);
        }
    }

    /// Folds in what the others have done, when enough was granted or enough time has passed.
    pub(crate) fn fold_if_due(&mut self, now_ms: u64) {
        if self.shared.workers == 1 {
            self.unfolded = 0;
            return;
        }
        if self.unfolded >= fold_every(self.apps.len())
            || now_ms.saturating_sub(self.last_fold_ms) >= fold_after_ms(self.apps.len())
        {
            self.fold(now_ms);
        }
    }

    /// Within a batch: folds when enough was granted.
    pub(super) fn fold_if_many(&mut self) {
        if self.shared.workers > 1 && self.unfolded >= fold_every(self.apps.len()) {
            self.fold(self.shared.clock.now_ms());
        }
    }

    /// Reads everybody's usage; the caller puts everything in order anew.
    pub(super) fn read_usage(&mut self) {
        self.unfolded = 0;
        self.last_fold_ms = self.shared.clock.now_ms();
        for queue in self.queues.iter_mut().flatten() {
            queue.usage = queue.snapshot.shared.usage();
        }
        for app in self.apps.iter_mut().flatten().filter(|app| app.runnable) {
            app.usage = app.shared.usage();
        }
    }

    /// Folds in what the others have done.
    pub(crate) fn fold(&mut self, now_ms: u64) {
        self.unfolded = 0;
        self.last_fold_ms = now_ms;
        for queue in self.queues.iter_mut().flatten() {
            queue.usage = queue.snapshot.shared.usage();
        }
        for index in 0..self.apps.len() {
            let Some(app) = self.apps[index].as_mut().filter(|app| app.runnable) else { continue };
            let usage = app.shared.usage();
            let changed = usage != app.usage;
            app.usage = usage;
            // One that found no ask left may find some again: others hand their pieces back.
            if changed || self.may_be_dry(index) {
                self.refresh_app(u32::try_from(index).expect("applications are u32"));
            }
        }
        self.refresh_all_queues();
        self.refresh_available();
        count(&self.shared.counters[self.worker].folds, 1);
    }
}

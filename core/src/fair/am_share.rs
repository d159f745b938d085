//! The AM share: how much of a leaf queue its AMs may use (`maxAMShare`; rules/fair-shares.md 9).
//!
//! What AMs use counts in one place for all workers (`QueueShared::am_usage`), from the grant of an AM's container on.

use crate::engine::proposal::Refusal;
use crate::fair::engine::Shard;
use crate::resource::Resource;

impl Shard {
    /// The AM share rule: whether an application that waits for its AM must go on waiting.
    #[inline(always)]
    pub(crate) fn over_am_share(&self, app: u32) -> bool {
        self.app(app).waits_for_am() && self.am_is_above_share(app)
    }

    #[inline(never)]
    fn am_is_above_share(&self, app: u32) -> bool {
        let local = self.app(app);
        let Some(first) = self.first_ask(app) else { return false };
        match self.am_limit(local.leaf) {
            None => false,
            Some(limit) => {
                let used = self.queue(local.leaf).snapshot.shared.am_usage.read();
                !used.plus(&first).fits_in(&limit)
            }
        }
    }

    /// How much the AMs of a leaf queue may use; `None` when the check is off.
    pub(crate) fn am_limit(&self, leaf: u32) -> Option<Resource> {
        let queue = self.queue(leaf);
        let share = queue.snapshot.own.max_am_share;
        if (share + 1.0).abs() < 0.0001 {
            return None;
        }
        let max = &queue.snapshot.limit;
        let base = Resource::from_fn(|i| match queue.own.fair_share.get(i) {
            0 => self.own.available.get(i).min(max.get(i)),
            fair => fair,
        });
        Some(base.times_round_up(f64::from(share)))
    }

    /// An AM's size counts in its leaf from now on, unless that would be above the limit.
    pub(super) fn take_am_share(&self, app: u32, size: &Resource) -> Result<(), Refusal> {
        let leaf = self.app(app).leaf;
        let usage = &self.queue(leaf).snapshot.shared.am_usage;
        match self.am_limit(leaf) {
            // Alone, this worker has checked the limit when it chose the application; the check looks at the first key.
            Some(limit) if self.shared.workers > 1 => {
                if usage.try_add(size, &limit) {
                    Ok(())
                } else {
                    Err(Refusal::AmLimit)
                }
            }
            _ => {
                usage.add(size);
                Ok(())
            }
        }
    }

    /// The size of the first key that has something outstanding: for an application that waits, its AM's.
    pub(crate) fn first_ask(&self, index: u32) -> Option<Resource> {
        let first = self.app(index).keys.iter().find(|key| key.visible(self.worker) > 0)?;
        Some(first.size)
    }
}

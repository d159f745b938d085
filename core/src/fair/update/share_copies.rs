//! Shares as the update task keeps them, and the copies of them that are published in turn.
//!
//! # Where it stands
//! The update task owns all of it; what is published is read by everybody and changed by nobody. A copy that no reader
//! has any more is brought up to date and published again: nothing is allocated, and only what has changed since is
//! written.
//!
//! # Cost
//! O(queues + applications that changed) while readers keep up; a copy that missed much is written whole.

use crate::fair::published::{Share, Shares};
use crate::id::Slot;
use crate::resource::Resource;
use crate::sync::Arc;

/// So many copies are kept: the one that is published, one that readers are leaving, and one for who looks seldom.
const COPIES: usize = 3;
/// A copy that missed one application in so many, or more, is written whole.
const WHOLE: usize = 8;

/// See the module's text.
#[derive(Debug, Default)]
pub(super) struct ShareCopies {
    shares: Shares,
    /// Slots of applications whose share was changed by the present update; one may be named twice.
    changed: Vec<u32>,
    /// The one published last is the last.
    copies: Vec<Copy>,
}

#[derive(Debug, Default)]
struct Copy {
    shares: Arc<Shares>,
    /// Slots of applications that have changed since, as long as they are few.
    missed: Vec<u32>,
}

fn entry(entries: &mut Vec<Share>, slot: Slot) -> &mut Share {
    if entries.len() <= slot.ix() {
        entries.resize(slot.ix() + 1, Share::default());
    }
    let entry = &mut entries[slot.ix()];
    if entry.generation != slot.generation {
        *entry = Share { generation: slot.generation, ..Share::default() };
    }
    entry
}

impl ShareCopies {
    /// What is known now.
    pub(super) fn shares(&self) -> &Shares {
        &self.shares
    }

    /// The share of a queue, to change it.
    pub(super) fn queue(&mut self, slot: Slot) -> &mut Share {
        entry(&mut self.shares.queues, slot)
    }

    pub(super) fn set_app_demand(&mut self, slot: Slot, demand: &Resource) {
        entry(&mut self.shares.apps, slot).demand = *demand;
        self.changed.push(slot.index);
    }

    pub(super) fn set_app_fair_share(&mut self, slot: Slot, fair_share: &Resource) {
        let entry = entry(&mut self.shares.apps, slot);
        if entry.fair_share != *fair_share {
            entry.fair_share = *fair_share;
            self.changed.push(slot.index);
        }
    }

    /// Everything but the entries of queues and applications, to change it.
    pub(super) fn head(&mut self) -> &mut Shares {
        &mut self.shares
    }

    /// A copy of what is known now, to be published.
    pub(super) fn copy(&mut self) -> Arc<Shares> {
        for copy in &mut self.copies {
            // Of one that is written whole anyway nothing more is noted.
            if !copy.is_far_behind(&self.shares) {
                copy.missed.extend_from_slice(&self.changed);
            }
        }
        self.changed.clear();
        let free = self.copies.iter_mut().position(|copy| Arc::get_mut(&mut copy.shares).is_some());
        let mut copy = match free {
            Some(free) => self.copies.remove(free),
            None if self.copies.len() < COPIES => Copy::default(),
            None => {
                self.copies.remove(0);
                Copy::default()
            }
        };
        copy.catch_up(&self.shares);
        let shares = copy.shares.clone();
        self.copies.push(copy);
        shares
    }
}

impl Copy {
    fn is_far_behind(&self, now: &Shares) -> bool {
        self.missed.len() * WHOLE > now.apps.len()
    }

    /// Makes a copy that nobody reads the same as what is known now.
    fn catch_up(&mut self, now: &Shares) {
        let whole = self.is_far_behind(now) || self.shares.apps.is_empty();
        let shares = Arc::get_mut(&mut self.shares).expect("nobody else has it");
        // Every field is named, so that a new one is thought of.
        let Shares { queues, apps, starvation, last_at_min_share_ms, at_ms, runs } = shares;
        queues.clone_from(&now.queues);
        if whole {
            apps.clone_from(&now.apps);
        } else {
            apps.resize(now.apps.len(), Share::default());
            for index in &self.missed {
                apps[*index as usize] = now.apps[*index as usize];
            }
        }
        self.missed.clear();
        starvation.clone_from(&now.starvation);
        last_at_min_share_ms.clone_from(&now.last_at_min_share_ms);
        *at_ms = now.at_ms;
        *runs = now.runs;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn slot(index: u32, generation: u32) -> Slot {
        Slot { index, generation }
    }

    proptest! {
        /// Whatever readers hold, a copy is what is known, and one that is held stays what it was.
        #[test]
        fn every_copy_is_whole_and_stays(
            updates in proptest::collection::vec((proptest::collection::vec((0..60_u32, 0..3_u32, 0..9_i64), 0..12), 0..5_usize), 1..40),
        ) {
            let mut turns = ShareCopies::default();
            let mut held: Vec<(Arc<Shares>, Vec<Share>)> = Vec::new();
            for (at_ms, (changes, keep)) in (0..).zip(updates) {
                for (index, generation, amount) in changes {
                    turns.set_app_demand(slot(index, generation), &Resource::new(amount, 1));
                    turns.set_app_fair_share(slot(index, generation), &Resource::new(1, amount));
                    turns.queue(slot(index % 4, 0)).demand = Resource::new(amount, amount);
                }
                turns.head().at_ms = at_ms;
                let copy = turns.copy();
                prop_assert_eq!(&copy.apps, &turns.shares().apps);
                prop_assert_eq!(&copy.queues, &turns.shares().queues);
                prop_assert_eq!(copy.at_ms, at_ms);
                let apps = copy.apps.clone();
                held.push((copy, apps));
                let gone = held.len().saturating_sub(keep);
                held.drain(..gone);
                for (copy, apps) in &held {
                    prop_assert_eq!(&copy.apps, apps);
                }
            }
        }
    }

    #[test]
    fn a_copy_that_nobody_reads_is_published_again() {
        let mut turns = ShareCopies::default();
        let addresses: Vec<_> = (0..9_i64)
            .map(|n| {
                turns.set_app_demand(slot(0, 0), &Resource::new(n, 0));
                Arc::as_ptr(&turns.copy())
            })
            .collect();
        assert!(addresses.iter().all(|address| *address == addresses[0]));
    }
}

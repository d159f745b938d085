//! Which worker decides who may start in a leaf queue: one worker decides for all. If it is given up, the next worker
//! that is not decides.
//!
//! # Protocol
//! The control tells all workers that a worker is given up, after that worker has done its last. The worker that takes
//! over first starts the applications that the other one had let start, as their turns say. Then it tells the others of
//! everybody who has started there, and decides from then on. The control's message comes after all that it had sent
//! before. So every application that the other worker could have let start has entered here.

use super::Books;
use super::shared_attempt::Start;
use crate::capacity::rules::ordered::AppEntry;

impl Books {
    /// Whether this worker decides who may start in a leaf queue.
    pub(crate) fn decides_starts_in(&self, leaf: u32) -> bool {
        self.place.is_alone() || self.deciders.of_worker(leaf as usize % self.place.workers) == self.place.worker
    }

    /// A worker is given up: this one may decide in its place.
    pub(crate) fn take_over_starts_of(&mut self, worker: usize) {
        let leaves: Vec<u32> = self.leaves().filter(|leaf| !self.decides_starts_in(*leaf)).collect();
        self.deciders.give_up(worker);
        for leaf in leaves {
            if self.decides_starts_in(leaf) {
                let waiting: Vec<AppEntry> = self.leaf(leaf).pending.iter().collect();
                for entry in waiting {
                    if self.apps[entry].leaf == leaf {
                        self.start_if_let(entry);
                    }
                }
                self.tell_all_of(leaf);
                self.activate(leaf);
                self.publish_surplus_entries(leaf);
            }
        }
    }

    pub(super) fn leaves(&self) -> impl Iterator<Item = u32> + '_ {
        let leaves =
            (0..).zip(&self.queues).filter(|(_, queue)| queue.as_ref().is_some_and(|queue| queue.leaf.is_some()));
        leaves.map(|(slot, _)| slot)
    }

    /// The others hear once more of everybody who has started in a leaf.
    pub(super) fn tell_all_of(&mut self, leaf: u32) {
        if self.place.is_alone() {
            return;
        }
        let Books { queues, apps, started, .. } = self;
        let Some(leaf) = queues[leaf as usize].as_ref().and_then(|queue| queue.leaf.as_ref()) else { return };
        started.extend(leaf.active.iter().map(|entry| {
            let app = &apps[entry];
            Start { app: app.number, shared_attempt: app.shared_attempt.clone(), turn: app.turn.number() }
        }));
    }
}

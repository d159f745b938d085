//! Which worker decides who may start in a leaf queue: one does, for all. Where that one is given up, the next one that is not.
//!
//! # Protocol
//! The control tells all workers that one is given up, after that one has done its last. Whoever decides in its place first lets start whom it had
//! let start (their turns say so), tells all others of everybody who has started there, and decides from then on. A message of the control's
//! follows all that the control had said before, so whoever the other one could have let start has entered here.

use super::Books;
use super::joint::Start;
use crate::capacity::rules::ordered::AppEntry;

/// By the worker whose leaves they are: who decides.
#[derive(Debug)]
pub(super) struct Deciders(Vec<usize>);

impl Deciders {
    pub(super) fn of(workers: usize) -> Deciders {
        Deciders((0..workers).collect())
    }

    /// Who decides for a worker's leaves.
    pub(super) fn of_worker(&self, worker: usize) -> usize {
        self.0[worker]
    }

    /// A worker is given up.
    pub(super) fn give_up(&mut self, worker: usize) {
        let workers = self.0.len();
        let lives = |other: &usize| *other != worker && self.0[*other] == *other;
        let living: Vec<usize> = (0..workers).filter(lives).collect();
        for (of, decides) in self.0.iter_mut().enumerate() {
            // Of all that are after it, or else the first.
            let next = living.iter().find(|other| **other >= of).or(living.first());
            *decides = next.copied().unwrap_or(worker);
        }
    }
}

impl Books {
    /// Whether this worker decides who may start in a leaf queue.
    pub(crate) fn decides_for(&self, leaf: u32) -> bool {
        self.place.is_alone() || self.deciders.of_worker(leaf as usize % self.place.workers) == self.place.worker
    }

    /// A worker is given up: this one may decide in its place.
    pub(crate) fn decide_for(&mut self, worker: usize) {
        let leaves: Vec<u32> = self.leaves().filter(|leaf| !self.decides_for(*leaf)).collect();
        self.deciders.give_up(worker);
        for leaf in leaves {
            if self.decides_for(leaf) {
                let waiting: Vec<AppEntry> = self.leaf(leaf).pending.iter().collect();
                for entry in waiting {
                    if self.apps[entry].leaf == leaf {
                        self.start_if_let(entry);
                    }
                }
                self.tell_all_of(leaf);
                self.activate(leaf);
                self.show_entries(leaf);
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
            Start { app: app.number, joint: app.joint.clone(), turn: app.turn.number() }
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_one_decides_that_is_not_given_up() {
        let mut deciders = Deciders::of(4);
        deciders.give_up(1);
        assert_eq!(deciders.0, [0, 2, 2, 3]);
        deciders.give_up(3);
        assert_eq!(deciders.0, [0, 2, 2, 0]);
        deciders.give_up(2);
        assert_eq!(deciders.0, [0; 4]);
    }
}

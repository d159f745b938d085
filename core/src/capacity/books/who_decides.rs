//! By whom it is decided who starts in the leaves of each worker: see [`starters`](super::starters).
//!
//! Owned by the worker's books; plain data.

/// By the worker whose leaves they are: who decides.
#[derive(Debug)]
pub(super) struct StartDeciders(Vec<usize>);

impl StartDeciders {
    pub(super) fn of(workers: usize) -> StartDeciders {
        StartDeciders((0..workers).collect())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_one_decides_that_is_not_given_up() {
        let mut deciders = StartDeciders::of(4);
        deciders.give_up(1);
        assert_eq!(deciders.0, [0, 2, 2, 3]);
        deciders.give_up(3);
        assert_eq!(deciders.0, [0, 2, 2, 0]);
        deciders.give_up(2);
        assert_eq!(deciders.0, [0; 4]);
    }
}

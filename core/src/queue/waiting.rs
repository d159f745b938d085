//! Applications that wait, in the order in which they came: each comes and goes in O(log n), however many wait.
//!
//! Plain data of the control.

use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::ops::Bound;

/// See the module's text. Applications are slot indices.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    by_turn: BTreeMap<u64, u32>,
    turn_of: FxHashMap<u32, u64>,
    next: u64,
}

impl Waiting {
    /// One more, behind all others; one that waits already keeps its turn.
    pub(crate) fn push(&mut self, app: u32) {
        let turn = *self.turn_of.entry(app).or_insert(self.next);
        self.by_turn.insert(turn, app);
        self.next += 1;
    }

    /// One that need not wait here is ignored.
    pub(crate) fn remove(&mut self, app: u32) {
        if let Some(turn) = self.turn_of.remove(&app) {
            self.by_turn.remove(&turn);
        }
    }

    /// How many there are, as both lists have it; `None` where they differ.
    #[cfg(feature = "faults")]
    pub(crate) fn count(&self) -> Option<usize> {
        (self.by_turn.len() == self.turn_of.len()).then_some(self.by_turn.len())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.by_turn.is_empty()
    }

    /// Who comes after a turn, or first, and with which turn.
    pub(super) fn after(&self, turn: Option<u64>) -> Option<(u64, u32)> {
        let from = turn.map_or(Bound::Unbounded, Bound::Excluded);
        self.by_turn.range((from, Bound::Unbounded)).next().map(|(turn, app)| (*turn, *app))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(waiting: &Waiting) -> Vec<u32> {
        std::iter::successors(waiting.after(None), |(turn, _)| waiting.after(Some(*turn))).map(|(_, app)| app).collect()
    }

    #[test]
    fn they_stand_in_the_order_in_which_they_came() {
        let mut waiting = Waiting::default();
        [5, 3, 9, 3].into_iter().for_each(|app| waiting.push(app));
        assert_eq!(all(&waiting), [5, 3, 9]);
        waiting.remove(3);
        waiting.remove(4);
        waiting.push(3);
        assert_eq!(all(&waiting), [5, 9, 3]);
        [5, 9, 3].into_iter().for_each(|app| waiting.remove(app));
        assert!(waiting.is_empty());
    }
}

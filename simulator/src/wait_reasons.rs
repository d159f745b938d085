//! What jobs wait for: the scheduler is asked now and then of some that wait, and the answer that stood most often is
//! kept of each.

use std::collections::BTreeMap;

/// So many jobs are asked about at the end of an interval: an answer looks at every node.
pub(super) const ASKED_AT_ONCE: usize = 8;

/// The answers of one job.
#[derive(Debug, Default)]
pub(super) struct Waited {
    /// By the answer without its figures: how often, and the last one.
    answers: BTreeMap<String, (u32, String)>,
}

impl Waited {
    pub(super) fn add(&mut self, answer: String) {
        let kind = answer.chars().filter(|c| !c.is_ascii_digit()).collect();
        let (count, last) = self.answers.entry(kind).or_default();
        *count += 1;
        *last = answer;
    }

    /// The one that stood most often.
    pub(super) fn most(&self) -> Option<&str> {
        self.answers.values().max_by_key(|(count, _)| *count).map(|(_, last)| last.as_str())
    }
}

/// Which of those that wait are asked about at the end of an interval: each in its turn.
pub(super) fn turn(waiting: &[u32], interval: usize) -> Vec<u32> {
    let turns = waiting.len().div_ceil(ASKED_AT_ONCE).max(1);
    waiting.iter().skip(interval % turns).step_by(turns).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_that_stood_most_often_counts_with_its_last_figures() {
        let mut waited = Waited::default();
        assert_eq!(waited.most(), None);
        ["b uses 1 of 2", "no node", "b uses 2 of 2"].into_iter().for_each(|answer| waited.add(answer.to_owned()));
        assert_eq!(waited.most(), Some("b uses 2 of 2"));
    }

    #[test]
    fn each_that_waits_has_its_turn() {
        let waiting: Vec<u32> = (0..20).collect();
        let turns: Vec<Vec<u32>> = (0..3).map(|interval| turn(&waiting, interval)).collect();
        assert!(turns.iter().all(|asked| asked.len() <= ASKED_AT_ONCE));
        let mut all: Vec<u32> = turns.concat();
        all.sort_unstable();
        assert_eq!((all, turn(&[], 5)), (waiting, Vec::new()));
    }
}

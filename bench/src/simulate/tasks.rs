//! The tasks of a job: equal ones are a group, and what waits is kept as runs of groups, however many tasks there are.

use std::collections::VecDeque;

use crate::api::{Location, Resource};

/// Where a task is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) node: Location,
    pub(super) rack: Location,
}

/// Which part of a MapReduce job a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Map,
    Reduce,
    /// Another word: of no matter to AMs that have no parts.
    Other,
}

/// Equal tasks.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) part: Part,
    pub(super) count: u32,
    pub(super) life_ms: u64,
    pub(super) place: Option<Place>,
    pub(super) size: Resource,
    pub(super) request_id: i64,
    pub(super) delay_ms: u64,
}

/// Tasks that wait, first come first: runs of a group's number and how many.
#[derive(Clone, Debug, Default)]
pub(super) struct Backlog {
    runs: VecDeque<(u32, u32)>,
}

impl Backlog {
    pub(super) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    pub(super) fn push(&mut self, group: u32, count: u32) {
        match self.runs.back_mut() {
            _ if count == 0 => {}
            Some((last, waiting)) if *last == group => *waiting = waiting.saturating_add(count),
            Some(_) | None => self.runs.push_back((group, count)),
        }
    }

    pub(super) fn pop(&mut self) -> Option<u32> {
        let (group, count) = self.runs.front_mut()?;
        let group = *group;
        *count -= 1;
        if *count == 0 {
            self.runs.pop_front();
        }
        Some(group)
    }

    /// Takes the first task of the first group that is wanted.
    pub(super) fn pop_where(&mut self, wanted: impl Fn(u32) -> bool) -> Option<u32> {
        let index = self.runs.iter().position(|(group, _)| wanted(*group))?;
        let (group, count) = &mut self.runs[index];
        let group = *group;
        *count -= 1;
        if *count == 0 {
            self.runs.remove(index);
        }
        Some(group)
    }

    /// Moves all of another to the end of this one.
    pub(super) fn take_all(&mut self, other: &mut Backlog) {
        for (group, count) in other.runs.drain(..) {
            self.push(group, count);
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, u32)> {
        self.runs.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_come_out_as_they_went_in() {
        let mut backlog = Backlog::default();
        backlog.push(1, 2);
        backlog.push(1, 1);
        backlog.push(2, 0);
        backlog.push(2, 1);
        let mut more = Backlog::default();
        more.push(2, 1);
        backlog.take_all(&mut more);
        assert!(more.is_empty());
        assert_eq!(backlog.iter().collect::<Vec<_>>(), [(1, 3), (2, 2)]);
        assert_eq!(backlog.pop_where(|group| group == 2), Some(2));
        assert_eq!(std::iter::from_fn(|| backlog.pop()).collect::<Vec<_>>(), [1, 1, 1, 2]);
        assert_eq!(backlog.pop_where(|_| true), None);
    }
}

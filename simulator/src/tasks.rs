//! The tasks of a job: equal ones are a group, and what waits is kept as runs of groups, however many tasks there are.

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

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
    /// The number of its stage, and the stages that end before it is due.
    pub(super) stage: Option<u32>,
    pub(super) waits_for: Arc<[u32]>,
}

/// A row of an ask has one size: groups of one request id and several sizes get ids of their own, the first size keeps
/// it. Maps and reduces have priorities of their own, so that the same id is another one.
pub(super) fn tell_sizes_apart(groups: &mut [Group]) {
    let mut taken: FxHashSet<i64> = groups.iter().map(|group| group.request_id).collect();
    let mut first: FxHashMap<(i64, bool), Resource> = FxHashMap::default();
    let mut others: FxHashMap<(i64, bool, Resource), i64> = FxHashMap::default();
    let mut next = 1_i64;
    for group in groups {
        let key = (group.request_id, group.part == Part::Reduce);
        if *first.entry(key).or_insert(group.size) == group.size {
            continue;
        }
        group.request_id = *others.entry((key.0, key.1, group.size)).or_insert_with(|| {
            while !taken.insert(next) {
                next += 1;
            }
            next
        });
    }
}

/// How long tasks take that have room for all of them, each after its delay or the stages that it waits for, in ms.
pub(super) fn alone_ms(groups: &[Group]) -> u64 {
    let mut ends: FxHashMap<u32, u64> = FxHashMap::default();
    let mut longest = 0;
    // A stage more is right in each round; stages that wait in a circle do not get this far.
    for _ in 0..=groups.len() {
        let mut changed = false;
        for group in groups {
            let after = group.waits_for.iter().filter_map(|stage| ends.get(stage)).max().copied();
            let end = after.unwrap_or(group.delay_ms).saturating_add(group.life_ms);
            longest = longest.max(end);
            if let Some(stage) = group.stage {
                let known = ends.entry(stage).or_insert(0);
                changed |= end > *known;
                *known = end.max(*known);
            }
        }
        if !changed {
            break;
        }
    }
    longest
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

    fn group(memory: i64, request_id: i64) -> Group {
        Group {
            part: Part::Other,
            count: 1,
            life_ms: 10,
            place: None,
            size: Resource::new(memory, 1),
            request_id,
            delay_ms: 0,
            stage: None,
            waits_for: Arc::new([]),
        }
    }

    #[test]
    fn sizes_have_request_ids_of_their_own() {
        let mut groups = [(1, -1), (2, -1), (1, -1), (2, -1), (3, -1), (1, 2), (5, 2)].map(|(m, id)| group(m, id));
        groups[4].part = Part::Reduce;
        tell_sizes_apart(&mut groups);
        let ids: Vec<i64> = groups.iter().map(|group| group.request_id).collect();
        assert_eq!(ids, [-1, 1, -1, 1, -1, 2, 3]);
    }

    #[test]
    fn alone_the_longest_way_through_the_stages_counts() {
        let mut groups = [group(1, -1), group(1, -1), group(1, -1)];
        (groups[0].stage, groups[0].waits_for) = (Some(3), Arc::new([1]));
        (groups[1].stage, groups[1].delay_ms) = (Some(1), 7);
        groups[2].delay_ms = 12;
        assert_eq!(alone_ms(&groups), 27);
        groups[0].life_ms = 1;
        assert_eq!(alone_ms(&groups), 22);
    }

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

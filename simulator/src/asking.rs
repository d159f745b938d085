//! What an AM asks for: rows by place, as Hadoop's `AMSimulator.packageRequests` makes them.

use rustc_hash::FxHashMap;

use super::tasks::{Backlog, Group};
use crate::api::{Ask, Location};

/// A row a node, a row a rack, one anywhere, for each allocation request id, each with the number of tasks. The size of
/// a row is that of the first task that made it.
pub(super) fn rows(groups: &[Group], waiting: &[&Backlog], priority: i32) -> Vec<Ask> {
    let mut rows: [Vec<Ask>; 3] = Default::default();
    let mut index: FxHashMap<(i64, Location), usize> = FxHashMap::default();
    for (number, count) in waiting.iter().flat_map(|backlog| backlog.iter()) {
        let group = &groups[number as usize];
        let mut add = |level: usize, location: Location| {
            let list = &mut rows[level];
            let at = *index.entry((group.request_id, location)).or_insert_with(|| {
                let row = Ask::anywhere(priority, group.size, 0).at(location).with_request_id(group.request_id);
                list.push(row);
                list.len() - 1
            });
            list[at].count = list[at].count.saturating_add(count);
        };
        if let Some(place) = group.place {
            add(0, place.node);
            add(1, place.rack);
        }
        add(2, Location::ANY);
    }
    rows.concat()
}

/// What is outstanding of an application: by priority and allocation request id, how many containers anywhere.
#[derive(Debug, Default)]
pub(super) struct Outstanding(Vec<((i32, i64), u32)>);

impl Outstanding {
    /// So many are wanted from now on. Gives how many more, or fewer, than before.
    pub(super) fn replace(&mut self, ask: &Ask) -> i64 {
        if ask.location != Location::ANY {
            return 0;
        }
        let key = (ask.priority, ask.allocation_request_id);
        let before = match self.0.iter_mut().find(|(known, _)| *known == key) {
            Some((_, count)) => std::mem::replace(count, ask.count),
            None => {
                self.0.push((key, ask.count));
                0
            }
        };
        i64::from(ask.count) - i64::from(before)
    }

    /// One was granted; whether one was outstanding.
    pub(super) fn granted(&mut self, priority: i32, request_id: i64) -> bool {
        let found = self.0.iter_mut().find(|(key, count)| *key == (priority, request_id) && *count > 0);
        found.map(|(_, count)| *count -= 1).is_some()
    }

    pub(super) fn sum(&self) -> i64 {
        self.0.iter().map(|(_, count)| i64::from(*count)).sum()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::tasks::{Part, Place};
    use super::*;
    use crate::api::{FairScheduler, Resource, SchedulerApi};

    #[test]
    fn rows_are_by_place_and_have_the_size_of_the_first() {
        let core = FairScheduler::builder().stepped().unwrap();
        let place = Place { node: core.location("n1"), rack: core.location("/r1") };
        let group = |memory, place| Group {
            part: Part::Map,
            count: 1,
            life_ms: 1,
            place,
            size: Resource::new(memory, 1),
            request_id: -1,
            delay_ms: 0,
            stage: None,
            waits_for: Arc::new([]),
        };
        let groups = [group(1024, Some(place)), group(2048, None), group(4096, Some(place))];
        let mut waiting = Backlog::default();
        [(0, 2), (1, 1), (2, 1)].into_iter().for_each(|(group, count)| waiting.push(group, count));
        let rows = rows(&groups, &[&waiting], 20);
        let seen: Vec<_> = rows.iter().map(|row| (row.location, row.count, row.resource.memory_mb())).collect();
        assert_eq!(seen, [(place.node, 3, 1024), (place.rack, 3, 1024), (Location::ANY, 4, 1024)]);
        let mut outstanding = Outstanding::default();
        assert_eq!(rows.iter().map(|row| outstanding.replace(row)).sum::<i64>(), 4);
        assert!(outstanding.granted(20, -1) && !outstanding.granted(10, -1));
        assert_eq!((outstanding.sum(), outstanding.replace(&rows[2])), (3, 1));
    }
}

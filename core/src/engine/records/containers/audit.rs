//! The audit of container records: each is in use or free, once, and nothing is kept of one that is free.

use super::{ContainerRecord, Containers};
use crate::id::NONE;

impl Containers {
    /// The records that are in use, with their places.
    pub(crate) fn in_use(&self) -> impl Iterator<Item = (u32, &ContainerRecord)> {
        let used = (0..self.used).zip(&self.records);
        used.filter(|(_, record)| record.node != NONE)
    }

    /// How many are free and were in use before.
    pub(crate) fn free(&self) -> usize {
        self.free.len()
    }

    /// Says what does not add up.
    pub(crate) fn audit(&self, wrong: &mut Vec<String>) {
        let mut times_free = vec![0_u32; self.used as usize];
        for index in &self.free {
            match times_free.get_mut(*index as usize) {
                Some(times) => *times += 1,
                None => wrong.push(format!("container record {index} is free and was never used")),
            }
        }
        for ((index, record), times) in (0..).zip(&self.records).zip(times_free) {
            match (record.node == NONE, times) {
                (true, 1) | (false, 0) => {}
                (true, 0) => wrong.push(format!("container record {index} is nobody's, and not free")),
                (false, _) => wrong.push(format!("container record {index} is free and in use: {record:?}")),
                (true, _) => wrong.push(format!("container record {index} is free {times} times")),
            }
        }
        let mut users = vec![0_u32; self.sizes.all.len()];
        for (index, record) in self.in_use() {
            match users.get_mut(record.size.0 as usize) {
                Some(users) => *users += 1,
                None => wrong.push(format!("container record {index} has no size")),
            }
        }
        let counted: Vec<u32> = self.sizes.all.iter().map(|(_, users)| *users).collect();
        if counted != users {
            wrong.push(format!("sizes are counted for {counted:?} containers, {users:?} have them"));
        }
        let sizes_in_use = users.iter().filter(|users| **users > 0).count();
        if (self.sizes.by_size.len(), self.sizes.free.len()) != (sizes_in_use, users.len() - sizes_in_use) {
            wrong
                .push(format!("{sizes_in_use} sizes of {} are in use, which is not what their lists say", users.len()));
        }
        let beside = self.granted_to.keys().chain(self.asked_sizes.keys());
        let stale = beside.filter(|index| self.records.get(**index as usize).is_none_or(|record| record.node == NONE));
        wrong.extend(stale.map(|index| format!("something is known beside container record {index}, which is free")));
    }
}

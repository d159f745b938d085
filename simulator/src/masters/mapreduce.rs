//! SLS's MapReduce AM: all maps, then all reduces, without a slow start.
//!
//! A container goes to the first task that waits, whatever its size, host or priority. One that nobody waits for is
//! kept and not used. What ends with another word than success is asked for anew.

use super::super::asking::rows;
use super::super::tasks::{Backlog, Part};
use super::calls::{Answer, Call, Going, Launch, numbered};
use super::work::Work;
use crate::api::EndReason;

const MAP_PRIORITY: i32 = 20;
const REDUCE_PRIORITY: i32 = 10;

#[derive(Debug, Default)]
struct Tasks {
    total: u64,
    finished: u64,
    pending: Backlog,
    /// Asked for, not granted yet.
    scheduled: Backlog,
    failed: Backlog,
}

impl Tasks {
    fn are_done(&self) -> bool {
        self.finished >= self.total
    }

    /// What an ask is to hold, if there is something new in it.
    fn ask(&mut self, work: &Work, priority: i32) -> Call {
        let Tasks { pending, scheduled, failed, .. } = self;
        let fresh = if pending.is_empty() { failed } else { pending };
        if fresh.is_empty() {
            return Call::default();
        }
        let asks = rows(&work.groups, &[&*fresh, &*scheduled], priority);
        scheduled.take_all(fresh);
        Call { asks, ..Call::default() }
    }
}

/// See the module's text.
#[derive(Debug)]
pub(in super::super) struct MapReduce {
    maps: Tasks,
    reduces: Tasks,
}

impl MapReduce {
    pub(in super::super) fn new(work: &Work) -> MapReduce {
        let (mut maps, mut reduces) = (Tasks::default(), Tasks::default());
        for (number, group) in numbered(&work.groups) {
            let tasks = match group.part {
                Part::Map => &mut maps,
                Part::Reduce => &mut reduces,
                Part::Other => continue,
            };
            tasks.total += u64::from(group.count);
            tasks.pending.push(number, group.count);
        }
        MapReduce { maps, reduces }
    }

    fn is_done(&self) -> bool {
        self.maps.are_done() && self.reduces.are_done()
    }

    pub(super) fn process(&mut self, work: &mut Work, answer: &Answer, out: &mut Vec<Launch>) -> Going {
        let mut last = false;
        for ended in &answer.ended {
            let Some(held) = work.end(ended.id) else { continue };
            let tasks = match work.groups[held.group as usize].part {
                Part::Map => &mut self.maps,
                Part::Reduce | Part::Other => &mut self.reduces,
            };
            if ended.reason == EndReason::Completed {
                tasks.finished += 1;
                work.task_done(held.group);
                last |= self.is_done();
            } else {
                tasks.failed.push(held.group, 1);
            }
        }
        if last {
            return Going::Last;
        }
        if self.is_done() {
            return Going::LastNext;
        }
        for container in &answer.granted {
            if let Some(group) = self.maps.scheduled.pop().or_else(|| self.reduces.scheduled.pop()) {
                work.launch(container, group, out);
            }
        }
        Going::On
    }

    pub(super) fn call(&mut self, work: &Work) -> Call {
        if !self.maps.are_done() {
            self.maps.ask(work, MAP_PRIORITY)
        } else if !self.reduces.are_done() {
            self.reduces.ask(work, REDUCE_PRIORITY)
        } else {
            Call::default()
        }
    }
}

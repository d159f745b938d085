//! SLS's AM of a graph: each task is asked for once its delay since the submission is over. There are no dependencies.
//!
//! An ask holds the tasks that have become due alone, with their number: one for the same allocation request id
//! replaces what waits. So a job may lose tasks where containers are scarce, and never end: as in SLS. Elsewhere
//! [`Stages`](super::Stages) runs such jobs.

use super::super::asking::rows;
use super::super::tasks::Backlog;
use super::calls::{Answer, Call, Going, Launch, numbered};
use super::work::Work;
use crate::api::EndReason;

const PRIORITY: i32 = 20;

/// See the module's text.
#[derive(Debug)]
pub(in super::super) struct Dag {
    total: u64,
    finished: u64,
    pending: Backlog,
    scheduled: Backlog,
    /// From when on delays count, in ms.
    since: u64,
}

impl Dag {
    pub(in super::super) fn new(work: &Work, since: u64) -> Dag {
        let (mut pending, mut total) = (Backlog::default(), 0);
        for (number, group) in numbered(&work.groups) {
            pending.push(number, group.count);
            total += u64::from(group.count);
        }
        Dag { total, finished: 0, pending, scheduled: Backlog::default(), since }
    }

    fn due(&self, work: &Work, group: u32) -> u64 {
        self.since.saturating_add(work.groups[group as usize].delay_ms)
    }

    pub(super) fn process(&mut self, work: &mut Work, answer: &Answer, out: &mut Vec<Launch>) -> Going {
        for ended in &answer.ended {
            let Some(held) = work.end(ended.id) else { continue };
            if ended.reason == EndReason::Completed {
                self.finished += 1;
                work.task_done(held.group);
                if self.finished >= self.total {
                    return Going::Last;
                }
            } else {
                self.pending.push(held.group, 1);
            }
        }
        if self.finished >= self.total {
            return Going::LastNext;
        }
        for container in &answer.granted {
            if let Some(group) = self.scheduled.pop() {
                work.launch(container, group, out);
            }
        }
        Going::On
    }

    pub(super) fn call(&mut self, work: &Work, now: u64) -> Call {
        let (mut due, mut later) = (Backlog::default(), Backlog::default());
        for (group, count) in self.pending.iter() {
            let list = if self.due(work, group) <= now { &mut due } else { &mut later };
            list.push(group, count);
        }
        if due.is_empty() {
            return Call::default();
        }
        let asks = rows(&work.groups, &[&due], PRIORITY);
        self.scheduled.take_all(&mut due);
        self.pending = later;
        Call { asks, ..Call::default() }
    }
}

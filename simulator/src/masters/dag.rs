//! The AM of a DAG job in Hadoop's load simulator SLS (`DAGAMSimulator`). In spite of the name, tasks do not depend on
//! each other: each has a delay since the job's submission, and is asked for when this delay is over.
//!
//! An ask counts only the tasks that became due since the last ask. But the scheduler takes it as the whole number that
//! is wanted under its request id, so tasks of the last ask that got no container are forgotten. Where containers are
//! scarce, such a job may never end. SLS does the same. With `AmStyle::MapReduce`, [`Stages`](super::Stages) runs these
//! jobs instead and loses no task.

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
    /// Tasks that were not asked for yet.
    pending: Backlog,
    /// Tasks that were asked for and have no container.
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
        // Only for a job without tasks: with tasks, the loop has returned.
        if self.finished >= self.total {
            return Going::LastNext;
        }
        // As in SLS: a container gets the task that has waited longest since it was asked for, whatever its size and
        // place. A container for which there is no task stays unused, and is not released.
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

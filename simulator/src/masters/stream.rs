//! SLS's AM of a service: what ends is asked for again, until its time is over; then all is given back.

use super::super::asking::rows;
use super::super::tasks::Backlog;
use super::calls::{Answer, Call, Going, Launch, numbered};
use super::work::Work;

const PRIORITY: i32 = 20;

/// See the module's text.
#[derive(Debug)]
pub(in super::super) struct Stream {
    pending: Backlog,
    scheduled: Backlog,
    /// When its time is over, in ms.
    over_at: u64,
    is_over: bool,
}

impl Stream {
    pub(in super::super) fn new(work: &Work, over_at: u64) -> Stream {
        let mut pending = Backlog::default();
        numbered(&work.groups).for_each(|(number, group)| pending.push(number, group.count));
        Stream { pending, scheduled: Backlog::default(), over_at, is_over: false }
    }

    pub(super) fn process(&mut self, work: &mut Work, answer: &Answer, now: u64, out: &mut Vec<Launch>) -> Going {
        for ended in &answer.ended {
            if let Some(held) = work.end(ended.id) {
                self.pending.push(held.group, 1);
            }
        }
        if now >= self.over_at {
            self.is_over = true;
            return Going::On;
        }
        for container in &answer.granted {
            if let Some(group) = self.scheduled.pop() {
                work.launch(container, group, out);
            }
        }
        Going::On
    }

    pub(super) fn call(&mut self, work: &Work) -> Call {
        let mut call = Call::default();
        if !self.pending.is_empty() {
            call.asks = rows(&work.groups, &[&self.pending, &self.scheduled], PRIORITY);
            self.scheduled.take_all(&mut self.pending);
        }
        if self.is_over {
            call.releases.extend(work.held.values().map(|held| held.id));
            call.releases.sort_unstable_by_key(|id| id.number());
            call.last_next = true;
        }
        call
    }
}

//! A job of stages as its own AM runs it: each task comes to its end once, whatever is taken from it meanwhile. Or a
//! service.
//!
//! - A task is due once its delay since the submission is over; one of a stage that waits for others, once all tasks of
//!   these have ended.
//! - Tasks of one request id are asked for together. An ask holds all of them that wait, whenever they were due: it
//!   replaces what was asked for before. It is made where the number is another than what is still asked for.
//! - A container goes to a task of its request id that wants its node, else to one that wants its rack, else to the
//!   first.
//! - A container that no task waits for is given back. There are such where some were on their way when an ask was
//!   made.
//! - What ends otherwise than by success is asked for anew.
//! - An answer is looked at at once.
//! - Of a service (`stream`) everything that ends is asked for anew, until its time is over; then all is given back.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::super::asking::rows;
use super::super::tasks::{Backlog, Group, Place};
use super::calls::{Answer, Call, Going, Launch, numbered};
use super::work::Work;
use crate::api::{Ask, Container, ContainerId, EndReason, Resource};

const PRIORITY: i32 = 20;

/// See the module's text.
#[derive(Debug)]
pub(in super::super) struct Stages {
    /// Tasks that have not come to their end.
    left: u64,
    /// Of each stage the same.
    left_of: FxHashMap<u32, u64>,
    /// Groups that are not due.
    later: Vec<u32>,
    /// Tasks that are due, and have no container.
    waiting: Backlog,
    /// By request id: what the scheduler still has to grant, as far as answers have told, and the size that was asked
    /// for.
    asked: BTreeMap<i64, (u32, Resource)>,
    /// Something waits that is not asked for, or the other way round.
    changed: bool,
    /// The last call has asked: what it has brought may have been on its way before.
    has_asked: bool,
    give_back: Vec<ContainerId>,
    /// From when on delays count, in ms.
    since: u64,
    /// Of a service: when its time is over.
    over_at: Option<u64>,
}

impl Stages {
    /// A job; delays count from `since`.
    pub(in super::super) fn new(work: &Work, since: u64) -> Stages {
        let mut stages = Stages {
            left: 0,
            left_of: FxHashMap::default(),
            later: Vec::with_capacity(work.groups.len()),
            waiting: Backlog::default(),
            asked: BTreeMap::new(),
            changed: false,
            has_asked: false,
            give_back: Vec::new(),
            since,
            over_at: None,
        };
        for (number, group) in numbered(&work.groups) {
            stages.later.push(number);
            stages.left += u64::from(group.count);
            if let Some(stage) = group.stage {
                *stages.left_of.entry(stage).or_default() += u64::from(group.count);
            }
        }
        stages
    }

    /// A service that is up until then.
    pub(in super::super) fn service(work: &Work, since: u64, over_at: u64) -> Stages {
        Stages { over_at: Some(over_at), ..Stages::new(work, since) }
    }

    fn is_due(&self, group: &Group, now: u64) -> bool {
        if group.waits_for.is_empty() {
            return self.since.saturating_add(group.delay_ms) <= now;
        }
        group.waits_for.iter().all(|stage| self.left_of.get(stage).is_none_or(|left| *left == 0))
    }

    fn ended(&mut self, work: &mut Work, group: u32, is_done: bool) {
        if self.over_at.is_some() || !is_done {
            self.waiting.push(group, 1);
            self.changed = true;
            return;
        }
        work.task_done(group);
        self.left -= 1;
        if let Some(left) = work.groups[group as usize].stage.and_then(|stage| self.left_of.get_mut(&stage)) {
            *left -= 1;
        }
    }

    pub(super) fn process(
        &mut self,
        work: &mut Work,
        answer: &Answer,
        places: &[Place],
        out: &mut Vec<Launch>,
    ) -> Going {
        for ended in &answer.ended {
            if let Some(held) = work.end(ended.id) {
                self.ended(work, held.group, ended.reason == EndReason::Completed);
            }
        }
        if self.left == 0 && self.over_at.is_none() {
            return Going::Last;
        }
        self.changed |= std::mem::take(&mut self.has_asked) && !answer.granted.is_empty();
        for container in &answer.granted {
            if let Some((asked, _)) = self.asked.get_mut(&container.allocation_request_id) {
                *asked = asked.saturating_sub(1);
            }
            match self.next(&work.groups, container, places.get(container.node.index())) {
                Some(group) => work.launch(container, group, out),
                None => self.give_back.push(container.id),
            }
        }
        Going::On
    }

    /// The task that a container is for.
    fn next(&mut self, groups: &[Group], container: &Container, at: Option<&Place>) -> Option<u32> {
        let fits = |group: u32| groups[group as usize].request_id == container.allocation_request_id;
        let wants = |group: u32, near: &dyn Fn(&Place) -> bool| groups[group as usize].place.as_ref().is_some_and(near);
        let waiting = &mut self.waiting;
        let local = at.and_then(|at| {
            let on_node = waiting.pop_where(|group| fits(group) && wants(group, &|place| place.node == at.node));
            on_node.or_else(|| waiting.pop_where(|group| fits(group) && wants(group, &|place| place.rack == at.rack)))
        });
        local.or_else(|| waiting.pop_where(fits))
    }

    pub(super) fn call(&mut self, work: &Work, now: u64) -> Call {
        if self.over_at.is_some_and(|over_at| now >= over_at) {
            return self.last_call(work);
        }
        let due: Vec<u32> = {
            let mut later = std::mem::take(&mut self.later);
            let due = later.extract_if(.., |group| self.is_due(&work.groups[*group as usize], now)).collect();
            self.later = later;
            due
        };
        for group in due {
            self.waiting.push(group, work.groups[group as usize].count);
            self.changed = true;
        }
        let releases = std::mem::take(&mut self.give_back);
        let asks = if std::mem::take(&mut self.changed) { self.asks(work) } else { Vec::new() };
        self.has_asked = !asks.is_empty();
        Call { asks, releases, ..Call::default() }
    }

    /// All that waits; and none of what does not wait any more.
    fn asks(&mut self, work: &Work) -> Vec<Ask> {
        let mut wanted: BTreeMap<i64, (u32, Resource)> = BTreeMap::new();
        for (group, count) in self.waiting.iter() {
            let group = &work.groups[group as usize];
            let (sum, _) = wanted.entry(group.request_id).or_insert((0, group.size));
            *sum = sum.saturating_add(count);
        }
        let gone = self.asked.iter().filter(|(id, (count, _))| *count > 0 && !wanted.contains_key(id));
        let mut asks: Vec<Ask> =
            gone.map(|(id, (_, size))| Ask::anywhere(PRIORITY, *size, 0).with_request_id(*id)).collect();
        asks.extend(rows(&work.groups, &[&self.waiting], PRIORITY));
        self.asked = wanted;
        asks
    }

    /// The time of a service is over.
    fn last_call(&mut self, work: &Work) -> Call {
        let mut releases = std::mem::take(&mut self.give_back);
        releases.extend(work.held.values().map(|held| held.id));
        releases.sort_unstable_by_key(|id| id.number());
        self.waiting = Backlog::default();
        Call { asks: self.asks(work), releases, last_next: true }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::super::tasks::Part;
    use super::*;

    fn group(count: u32, delay_ms: u64, stage: Option<u32>, waits_for: &[u32]) -> Group {
        Group {
            part: Part::Map,
            count,
            life_ms: 1000,
            place: None,
            size: Resource::new(1024, 1),
            request_id: -1,
            delay_ms,
            stage,
            waits_for: Arc::from(waits_for),
        }
    }

    fn counts(call: &Call) -> Vec<u32> {
        call.asks.iter().map(|ask| ask.count).collect()
    }

    #[test]
    fn an_ask_holds_what_still_waits_and_what_is_newly_due() {
        let mut work = Work::new(vec![group(6, 0, None, &[]), group(2, 10_000, None, &[])]);
        let mut stages = Stages::new(&work, 0);
        assert_eq!(counts(&stages.call(&work, 1000)), [6]);
        assert!(stages.call(&work, 2000).asks.is_empty());
        assert_eq!(counts(&stages.call(&work, 10_000)), [8]);
        assert_eq!(stages.process(&mut work, &Answer::default(), &[], &mut Vec::new()), Going::On);
    }

    #[test]
    fn a_stage_is_due_when_those_it_names_have_ended() {
        let mut work = Work::new(vec![group(1, 0, Some(1), &[]), group(3, 0, Some(2), &[1])]);
        let mut stages = Stages::new(&work, 0);
        assert_eq!(counts(&stages.call(&work, 0)), [1]);
        assert_eq!(stages.waiting.pop(), Some(0));
        stages.ended(&mut work, 0, false);
        assert_eq!(counts(&stages.call(&work, 1000)), [1]);
        assert_eq!(stages.waiting.pop(), Some(0));
        stages.ended(&mut work, 0, true);
        assert_eq!((counts(&stages.call(&work, 2000)), work.tasks()), (vec![3], [4, 1]));
    }

    #[test]
    fn a_service_takes_back_what_it_asked_for_when_its_time_is_over() {
        let work = Work::new(vec![group(2, 0, None, &[])]);
        let mut stages = Stages::service(&work, 0, 5000);
        assert_eq!(counts(&stages.call(&work, 0)), [2]);
        let last = stages.call(&work, 5000);
        assert_eq!((counts(&last), last.last_next), (vec![0], true));
    }
}

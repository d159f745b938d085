//! A MapReduce job as its own ApplicationMaster runs it.
//!
//! - Reduces are asked for from the slow start on (`mapreduce.job.reduce.slowstart.completedmaps`): as large a part of them as of the maps
//!   is done, all of them once no map waits. One that runs before the last map is done waits for it, and lives its life from then on.
//! - A container for a map goes to a map that wants its node, else to one that wants its rack, else to the first.
//! - An answer is looked at at once.
//! - Attempts fail by seed, somewhere in their life; a map that has failed is asked for before everything else. With the fourth failure of a
//!   task the job fails. What the scheduler takes is no failure: it is asked for anew.

use std::collections::VecDeque;

use super::super::asking::rows;
use super::super::tasks::{Backlog, Group, Part, Place};
use super::calls::{Answer, Call, Going, Launch, numbered};
use super::work::Work;
use crate::api::{Ask, Container, ContainerId, EndReason};
use crate::random;

const FAILED_MAP_PRIORITY: i32 = 5;
const REDUCE_PRIORITY: i32 = 10;
const MAP_PRIORITY: i32 = 20;

/// What is settled by options.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct RealOptions {
    pub(in super::super) slow_start: f64,
    /// The chance that an attempt fails.
    pub(in super::super) failures: f64,
    /// So many failures of one task end the job.
    pub(in super::super) attempts: u8,
    pub(in super::super) seed: u64,
    /// The application's number.
    pub(in super::super) app: u32,
}

/// See the module's text.
#[derive(Debug)]
pub(in super::super) struct Real {
    options: RealOptions,
    maps: u32,
    reduces: u32,
    maps_done: u32,
    reduces_done: u32,
    maps_waiting: Backlog,
    reduces_waiting: Backlog,
    /// Reduces that have been asked for, of those that wait, and those that may not be asked for yet.
    reduces_asked: u32,
    /// Tasks that failed: groups, and how often.
    failed_maps: VecDeque<(u32, u8)>,
    failed_reduces: VecDeque<(u32, u8)>,
    changed: bool,
    /// Containers that nobody waits for any more.
    give_back: Vec<ContainerId>,
}

impl Real {
    pub(in super::super) fn new(work: &Work, options: RealOptions) -> Real {
        let (mut maps_waiting, mut reduces_waiting, mut maps, mut reduces) =
            (Backlog::default(), Backlog::default(), 0, 0);
        for (number, group) in numbered(&work.groups) {
            let (waiting, total) = match group.part {
                Part::Map | Part::Other => (&mut maps_waiting, &mut maps),
                Part::Reduce => (&mut reduces_waiting, &mut reduces),
            };
            waiting.push(number, group.count);
            *total += group.count;
        }
        Real {
            options,
            maps,
            reduces,
            maps_done: 0,
            reduces_done: 0,
            maps_waiting,
            reduces_waiting,
            reduces_asked: 0,
            failed_maps: VecDeque::new(),
            failed_reduces: VecDeque::new(),
            changed: true,
            give_back: Vec::new(),
        }
    }

    fn is_done(&self) -> bool {
        self.maps_done >= self.maps && self.reduces_done >= self.reduces
    }

    /// How many reduces may be asked for by now, of all.
    fn reduces_allowed(&self) -> u32 {
        let done = f64::from(self.maps_done) / f64::from(self.maps.max(1));
        if self.maps_done >= self.maps || (done >= self.options.slow_start && self.maps_waiting.is_empty()) {
            return self.reduces;
        }
        if done < self.options.slow_start {
            return 0;
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of the reduces")]
        let part = (done * f64::from(self.reduces)) as u32;
        part
    }

    pub(super) fn process(
        &mut self,
        work: &mut Work,
        answer: &Answer,
        places: &[Place],
        out: &mut Vec<Launch>,
    ) -> Going {
        let all_maps_before = self.maps_done >= self.maps;
        let allowed_before = self.reduces_allowed();
        for ended in &answer.ended {
            let Some(held) = work.end(ended.id) else { continue };
            let is_map = work.groups[held.group as usize].part != Part::Reduce;
            let failures = held.failures + u8::from(held.fails);
            if ended.reason == EndReason::Completed && !held.fails {
                *(if is_map { &mut self.maps_done } else { &mut self.reduces_done }) += 1;
                continue;
            }
            if ended.reason == EndReason::Completed && failures >= self.options.attempts {
                return Going::Failed;
            }
            let failed = if is_map { &mut self.failed_maps } else { &mut self.failed_reduces };
            failed.push_back((held.group, if ended.reason == EndReason::Completed { failures } else { held.failures }));
            self.changed = true;
        }
        if self.is_done() {
            return Going::Last;
        }
        if !all_maps_before && self.maps_done >= self.maps {
            self.maps_are_done(work, out);
        }
        for container in &answer.granted {
            self.grant(work, container, places, out);
        }
        self.changed |= self.reduces_allowed() != allowed_before;
        Going::On
    }

    /// The reduces that wait for maps begin with what they are there for.
    fn maps_are_done(&self, work: &Work, out: &mut Vec<Launch>) {
        let mut waiting: Vec<_> =
            work.held.values().filter(|held| work.groups[held.group as usize].part == Part::Reduce).collect();
        waiting.sort_unstable_by_key(|held| held.id.number());
        out.extend(waiting.into_iter().map(|held| Launch {
            id: held.id,
            node: held.node,
            life_ms: Some(self.life(&work.groups[held.group as usize], held.id.number()).0),
            again: true,
        }));
    }

    /// How long an attempt lives, and whether it fails then.
    fn life(&self, group: &Group, container: u32) -> (u64, bool) {
        let RealOptions { failures, seed, app, .. } = self.options;
        if failures <= 0.0 || random::unit(seed, app, container) >= failures {
            return (group.life_ms, false);
        }
        let part = random::unit(random::mix(seed), app, container);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of a life")]
        let life = (group.life_ms as f64 * part) as u64;
        (life.max(1), true)
    }

    fn grant(&mut self, work: &mut Work, container: &Container, places: &[Place], out: &mut Vec<Launch>) {
        let task = match container.priority {
            FAILED_MAP_PRIORITY => self.failed_maps.pop_front(),
            REDUCE_PRIORITY => self.failed_reduces.pop_front().or_else(|| {
                let group = self.reduces_waiting.pop()?;
                self.reduces_asked = self.reduces_asked.saturating_sub(1);
                Some((group, 0))
            }),
            _ => self.next_map(&work.groups, places.get(container.node.index())).map(|group| (group, 0)),
        };
        let Some((group, failed)) = task else {
            self.give_back.push(container.id);
            return;
        };
        let (life, fails) = self.life(&work.groups[group as usize], container.id.number());
        let waits = work.groups[group as usize].part == Part::Reduce && self.maps_done < self.maps;
        work.launch_for(container, group, (!waits).then_some(life), (failed, fails), out);
    }

    fn next_map(&mut self, groups: &[Group], at: Option<&Place>) -> Option<u32> {
        let place = |group: u32| groups[group as usize].place;
        let waiting = &mut self.maps_waiting;
        let local = at.and_then(|at| {
            let on_node = waiting.pop_where(|group| place(group).is_some_and(|place| place.node == at.node));
            on_node.or_else(|| waiting.pop_where(|group| place(group).is_some_and(|place| place.rack == at.rack)))
        });
        local.or_else(|| waiting.pop())
    }

    pub(super) fn call(&mut self, work: &Work) -> Call {
        let releases = std::mem::take(&mut self.give_back);
        if !std::mem::take(&mut self.changed) {
            return Call { releases, ..Call::default() };
        }
        let mut asks = rows(&work.groups, &[&self.maps_waiting], MAP_PRIORITY);
        asks.extend(anywhere(&work.groups, &self.failed_maps, FAILED_MAP_PRIORITY));
        let running = work.held.values().filter(|held| work.groups[held.group as usize].part == Part::Reduce).count();
        let busy = u32::try_from(running).unwrap_or(u32::MAX).saturating_add(self.reduces_done);
        let mut more = self.reduces_allowed().saturating_sub(busy);
        let mut wanted = Backlog::default();
        for (group, _) in &self.failed_reduces {
            wanted.push(*group, 1);
            more = more.saturating_sub(1);
        }
        self.reduces_asked = more;
        for (group, count) in self.reduces_waiting.iter() {
            let taken = count.min(more);
            wanted.push(group, taken);
            more -= taken;
        }
        asks.extend(rows(&work.groups, &[&wanted], REDUCE_PRIORITY));
        Call { asks, releases, ..Call::default() }
    }
}

/// A row for tasks that failed, which may run anywhere.
fn anywhere(groups: &[Group], failed: &VecDeque<(u32, u8)>, priority: i32) -> Option<Ask> {
    let (group, _) = failed.front()?;
    let size = groups[*group as usize].size;
    Some(Ask::anywhere(priority, size, u32::try_from(failed.len()).unwrap_or(u32::MAX)).with_request_id(-1))
}

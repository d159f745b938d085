//! A MapReduce job as its own ApplicationMaster runs it.
//!
//! - Reduces are asked for from the slow start on (`mapreduce.job.reduce.slowstart.completedmaps`), all of them once no
//!   map waits. While maps wait, reduces may take as large a part of what the job could have as of the maps is done,
//!   half of it at most (`RMContainerAllocator.scheduleReduces`). One that runs before the last map is done waits for
//!   it, and lives its life from then on.
//! - Where there is no room for a map beside the reduces, some of these are given back, the latest first
//!   (`RMContainerAllocator.preemptReducesIfNeeded`): else jobs could hold the whole cluster with reduces that wait for
//!   each other's maps.
//! - A container for a map goes to a map that wants its node, else to one that wants its rack, else to the first. Tasks
//!   of several sizes are asked for under request ids of their own, and a container goes to a task of its own.
//! - An answer is looked at at once.
//! - Attempts fail by seed, somewhere in their life; a map that has failed is asked for before everything else. With
//!   the fourth failure of a task the job fails. What the scheduler takes is no failure: it is asked for anew.

use std::collections::VecDeque;

use evenweave_tools::random;

use super::super::asking::rows;
use super::super::tasks::{Backlog, Group, Part, Place};
use super::calls::{Answer, Call, Going, Launch, numbered};
use super::work::Work;
use crate::api::{Ask, Container, ContainerId, EndReason, Resource};

const FAILED_MAP_PRIORITY: i32 = 5;
const REDUCE_PRIORITY: i32 = 10;
const MAP_PRIORITY: i32 = 20;
/// `yarn.app.mapreduce.am.job.reduce.rampup.limit`
const MAX_FOR_REDUCES: f64 = 0.5;
/// Memory and vcores.
const LANES: usize = 2;

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
    maps: u64,
    reduces: u64,
    maps_done: u64,
    reduces_done: u64,
    maps_waiting: Backlog,
    reduces_waiting: Backlog,
    /// Reduces that are asked for and not granted.
    reduces_asked: u32,
    /// Request ids and sizes of reduces.
    reduce_keys: Vec<(i64, Resource)>,
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
            (Backlog::default(), Backlog::default(), 0_u64, 0_u64);
        let mut reduce_keys: Vec<(i64, Resource)> = Vec::new();
        for (number, group) in numbered(&work.groups) {
            let (waiting, total) = match group.part {
                Part::Map | Part::Other => (&mut maps_waiting, &mut maps),
                Part::Reduce => {
                    if reduce_keys.iter().all(|(id, _)| *id != group.request_id) {
                        reduce_keys.push((group.request_id, group.size));
                    }
                    (&mut reduces_waiting, &mut reduces)
                }
            };
            waiting.push(number, group.count);
            *total += u64::from(group.count);
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
            reduce_keys,
            failed_maps: VecDeque::new(),
            failed_reduces: VecDeque::new(),
            changed: true,
            give_back: Vec::new(),
        }
    }

    fn is_done(&self) -> bool {
        self.maps_done >= self.maps && self.reduces_done >= self.reduces
    }

    fn map_waits(&self) -> bool {
        !self.maps_waiting.is_empty() || !self.failed_maps.is_empty()
    }

    /// What one task of a part has.
    fn size(work: &Work, part: Part) -> Option<Resource> {
        work.groups.iter().find(|group| (group.part == Part::Reduce) == (part == Part::Reduce)).map(|group| group.size)
    }

    /// What maps have, and what reduces have.
    fn had(work: &Work) -> (Resource, Resource) {
        let mut had = (Resource::ZERO, Resource::ZERO);
        for held in work.held.values() {
            let group = &work.groups[held.group as usize];
            let sum = if group.part == Part::Reduce { &mut had.1 } else { &mut had.0 };
            *sum = sum.plus(&group.size);
        }
        had
    }

    /// How many reduces are to be asked for now, beside those that run.
    fn reduces_wanted(&self, work: &Work) -> u32 {
        let failed = u32::try_from(self.failed_reduces.len()).unwrap_or(u32::MAX);
        let waiting = self.reduces_waiting.iter().fold(failed, |sum, (_, count)| sum.saturating_add(count));
        let done = self.maps_done as f64 / self.maps.max(1) as f64;
        if self.maps_done < self.maps && done < self.options.slow_start {
            return 0;
        }
        let (Some(map), Some(reduce), true) =
            (Real::size(work, Part::Map), Real::size(work, Part::Reduce), self.map_waits())
        else {
            return waiting;
        };
        let (maps, reduces) = Real::had(work);
        let pending = self.maps_waiting.iter().map(|(_, count)| i64::from(count)).sum::<i64>();
        let of = |lane: usize| {
            let all = work.headroom.get(lane).max(0) + maps.get(lane) + reduces.get(lane);
            #[expect(clippy::cast_possible_truncation, reason = "a part of it")]
            let for_maps = all - (all as f64 * done.min(MAX_FOR_REDUCES)) as i64;
            let wanted = maps.get(lane).saturating_add(map.get(lane).saturating_mul(pending));
            (all - wanted.min(for_maps) - reduces.get(lane)) / reduce.get(lane).max(1)
        };
        u32::try_from((0..LANES).map(of).min().unwrap_or(0).max(0)).unwrap_or(u32::MAX).min(waiting)
    }

    /// Gives reduces back that wait, where no map finds room beside them.
    fn make_room(&mut self, work: &mut Work) {
        let Some(map) = Real::size(work, Part::Map).filter(|_| self.map_waits()) else { return };
        let (maps, _) = Real::had(work);
        let mut room = work.headroom.plus(&maps);
        let fits = |room: &Resource| (0..LANES).all(|lane| map.get(lane) <= room.get(lane));
        if fits(&room) {
            return;
        }
        let mut reduces: Vec<_> =
            work.held.values().copied().filter(|held| work.groups[held.group as usize].part == Part::Reduce).collect();
        reduces.sort_unstable_by_key(|held| std::cmp::Reverse(held.id.number()));
        for held in reduces {
            if fits(&room) {
                break;
            }
            room = room.plus(&work.groups[held.group as usize].size);
            work.end(held.id);
            self.give_back.push(held.id);
            self.failed_reduces.push_back((held.group, held.failures));
        }
    }

    pub(super) fn process(
        &mut self,
        work: &mut Work,
        answer: &Answer,
        places: &[Place],
        out: &mut Vec<Launch>,
    ) -> Going {
        let all_maps_before = self.maps_done >= self.maps;
        for ended in &answer.ended {
            let Some(held) = work.end(ended.id) else { continue };
            let is_map = work.groups[held.group as usize].part != Part::Reduce;
            let failures = held.failures + u8::from(held.fails);
            if ended.reason == EndReason::Completed && !held.fails {
                *(if is_map { &mut self.maps_done } else { &mut self.reduces_done }) += 1;
                work.task_done(held.group);
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
        let groups = &work.groups;
        let fits = |group: u32| groups[group as usize].request_id == container.allocation_request_id;
        let task = match container.priority {
            FAILED_MAP_PRIORITY => pop_failed(&mut self.failed_maps, fits),
            REDUCE_PRIORITY => {
                self.reduces_asked = self.reduces_asked.saturating_sub(1);
                let failed = pop_failed(&mut self.failed_reduces, fits);
                failed.or_else(|| self.reduces_waiting.pop_where(fits).map(|group| (group, 0)))
            }
            _ => self.next_map(groups, fits, places.get(container.node.index())).map(|group| (group, 0)),
        };
        let Some((group, failed)) = task else {
            self.give_back.push(container.id);
            return;
        };
        let (life, fails) = self.life(&work.groups[group as usize], container.id.number());
        let waits = work.groups[group as usize].part == Part::Reduce && self.maps_done < self.maps;
        work.launch_for(container, group, (!waits).then_some(life), (failed, fails), out);
    }

    fn next_map(&mut self, groups: &[Group], fits: impl Fn(u32) -> bool, at: Option<&Place>) -> Option<u32> {
        let place = |group: u32| groups[group as usize].place.filter(|_| fits(group));
        let waiting = &mut self.maps_waiting;
        let local = at.and_then(|at| {
            let on_node = waiting.pop_where(|group| place(group).is_some_and(|place| place.node == at.node));
            on_node.or_else(|| waiting.pop_where(|group| place(group).is_some_and(|place| place.rack == at.rack)))
        });
        local.or_else(|| waiting.pop_where(fits))
    }

    pub(super) fn call(&mut self, work: &mut Work) -> Call {
        self.make_room(work);
        let releases = std::mem::take(&mut self.give_back);
        let reduces = self.reduces_wanted(work);
        if !std::mem::take(&mut self.changed) && reduces == self.reduces_asked {
            return Call { releases, ..Call::default() };
        }
        let mut asks = rows(&work.groups, &[&self.maps_waiting], MAP_PRIORITY);
        asks.extend(anywhere(&work.groups, &self.failed_maps, FAILED_MAP_PRIORITY));
        let mut wanted = Backlog::default();
        let failed = self.failed_reduces.iter().map(|(group, _)| (*group, 1));
        let mut more = reduces;
        for (group, count) in failed.chain(self.reduces_waiting.iter()) {
            let taken = count.min(more);
            wanted.push(group, taken);
            more -= taken;
        }
        let mut of_reduces = rows(&work.groups, &[&wanted], REDUCE_PRIORITY);
        if self.reduces_asked > 0 {
            // What was asked for is taken back.
            let is_wanted = |id: i64| of_reduces.iter().any(|ask| ask.allocation_request_id == id);
            let gone: Vec<_> = self.reduce_keys.iter().filter(|(id, _)| !is_wanted(*id)).collect();
            of_reduces.extend(
                gone.into_iter().map(|(id, size)| Ask::anywhere(REDUCE_PRIORITY, *size, 0).with_request_id(*id)),
            );
        }
        self.reduces_asked = reduces;
        asks.extend(of_reduces);
        Call { asks, releases, ..Call::default() }
    }
}

/// Rows for tasks that failed, which may run anywhere: one for each request id.
fn anywhere(groups: &[Group], failed: &VecDeque<(u32, u8)>, priority: i32) -> Vec<Ask> {
    let mut rows: Vec<Ask> = Vec::new();
    for (group, _) in failed {
        let group = &groups[*group as usize];
        match rows.iter_mut().find(|row| row.allocation_request_id == group.request_id) {
            Some(row) => row.count = row.count.saturating_add(1),
            None => rows.push(Ask::anywhere(priority, group.size, 1).with_request_id(group.request_id)),
        }
    }
    rows
}

/// The first failed task that a container is for.
fn pop_failed(failed: &mut VecDeque<(u32, u8)>, fits: impl Fn(u32) -> bool) -> Option<(u32, u8)> {
    failed.remove(failed.iter().position(|(group, _)| fits(*group))?)
}

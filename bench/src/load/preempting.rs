//! A load with preemption while it runs: what the driver does beside its rounds, and the story that it notes.
//!
//! - Every container is known by its id until it ends: of a container that was taken away the wheel still has the end.
//! - Nodes tell of launches, so that a taken container's room is free when its node has reported the end, a heartbeat
//!   later.
//! - Every AM calls once in a heartbeat interval, as AMs do: that is how it hears of warnings. Some give back at once.
//! - Until the cluster is full, tasks are taken to be in the middle of their lives, so that as many end in each second.
//! - Ten times a second the shares, usage and counts are noted; these points make the plots and the times of the story.

use std::collections::HashMap;

use evenweave_tools::clock::seconds;
use evenweave_tools::random;

use crate::api::{ContainerId, EndReason, Heartbeat, NodeId};
use crate::engine::Engine;
use crate::load::app::Role;
use crate::load::late::Late;

const POINT_EVERY_NS: u64 = 100_000_000;
/// From here on the cluster counts as full.
const FULL: f64 = 0.98;

/// A container that runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Live {
    pub(crate) slot: u32,
    pub(crate) role: Role,
    pub(crate) node: NodeId,
    since: u64,
    warned: bool,
}

/// Shares, usage and counts at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Point {
    /// Seconds since the run began.
    pub(crate) at: f64,
    /// Usage of the late queue and of the others, MiB.
    pub(crate) usage: [i64; 2],
    /// Their instantaneous fair shares, MiB.
    pub(crate) share: [i64; 2],
    /// What the late queue is to reach, MiB.
    pub(crate) target: f64,
    /// Containers that are warned of and still run.
    pub(crate) warned: u64,
    pub(crate) killed: u64,
    pub(crate) given_back: u64,
    /// Tasks of the others that were done, all in all.
    pub(crate) done: u64,
    pub(crate) heartbeats: u64,
}

/// When what happened, and how much.
#[derive(Clone, Debug)]
pub(crate) struct Story {
    pub(crate) late: Late,
    /// Seconds since the run began, as all times here.
    pub(crate) full: Option<f64>,
    pub(crate) arrived: Option<f64>,
    /// An update first found an application of the late queue starved, and what all of them were then short of, MiB.
    pub(crate) starved: Option<f64>,
    pub(crate) short_of_mib: i64,
    /// An AM was first warned.
    pub(crate) warned: Option<f64>,
    /// An AM was first told of a container that it gave back, and of one that was killed.
    pub(crate) first_given_back: Option<f64>,
    pub(crate) first_killed: Option<f64>,
    /// The late queue had its threshold of its share.
    pub(crate) reached: Option<f64>,
    /// The run was over.
    pub(crate) ended: f64,
    /// Containers that AMs were warned of.
    pub(crate) warnings: u64,
    pub(crate) killed: u64,
    pub(crate) given_back: u64,
    /// Of those killed, AMs; their applications ended with them.
    pub(crate) ams_killed: u64,
    /// How long the taken containers had run in this run, seconds, all together.
    pub(crate) lost_seconds: f64,
    pub(crate) points: Vec<Point>,
}

/// What happened in a second, on average, over a part of the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rates {
    pub(crate) from: f64,
    pub(crate) to: f64,
    /// Tasks of the others that were done.
    pub(crate) done_per_s: f64,
    pub(crate) heartbeats_per_s: f64,
}

impl Story {
    fn rates(&self, from: f64, to: f64) -> Option<Rates> {
        let within = || self.points.iter().filter(|point| (from..=to).contains(&point.at));
        let (first, last) = (within().next()?, within().next_back()?);
        let span = last.at - first.at;
        (span > 0.0).then(|| Rates {
            from: first.at,
            to: last.at,
            done_per_s: (last.done - first.done) as f64 / span,
            heartbeats_per_s: (last.heartbeats - first.heartbeats) as f64 / span,
        })
    }

    /// From the full cluster to the arrival, from there to the reached share (or the end), and after it.
    pub(crate) fn parts(&self) -> [(&'static str, Option<Rates>); 3] {
        let arrived = self.arrived.unwrap_or(self.ended);
        let reached = self.reached.unwrap_or(self.ended);
        [
            ("before", self.full.and_then(|full| self.rates(full, arrived))),
            ("meanwhile", self.rates(arrived, reached)),
            ("after", self.rates(reached, self.ended)),
        ]
    }
}

/// See the module's text.
#[derive(Debug)]
pub(crate) struct Preempting {
    seed: u64,
    live: HashMap<ContainerId, Live>,
    /// By node: received, and not told of as launched.
    launching: Vec<Vec<ContainerId>>,
    /// By node: ended by the scheduler, and not told of as ended.
    over: Vec<Vec<ContainerId>>,
    polled_until: u64,
    next_polled: usize,
    next_point: u64,
    now: Point,
    story: Story,
}

impl Preempting {
    pub(crate) fn new(late: Late, nodes: usize, seed: u64) -> Preempting {
        let story = Story {
            late,
            full: None,
            arrived: None,
            starved: None,
            short_of_mib: 0,
            warned: None,
            first_given_back: None,
            first_killed: None,
            reached: None,
            ended: 0.0,
            warnings: 0,
            killed: 0,
            given_back: 0,
            ams_killed: 0,
            lost_seconds: 0.0,
            points: Vec::new(),
        };
        Preempting {
            seed,
            live: HashMap::new(),
            launching: vec![Vec::new(); nodes],
            over: vec![Vec::new(); nodes],
            polled_until: 0,
            next_polled: 0,
            next_point: 0,
            now: Point::default(),
            story,
        }
    }

    /// How many leaf queues fill the cluster; those behind them come late.
    pub(crate) fn others(&self) -> usize {
        self.story.late.others.len()
    }

    /// What came of it.
    pub(crate) fn story(self) -> Story {
        self.story
    }

    /// What comes late, once, when it is time.
    pub(crate) fn arrival(&mut self, now: u64) -> Option<&Late> {
        if self.story.arrived.is_some() || now < evenweave_tools::clock::nanos(self.story.late.after) {
            return None;
        }
        self.story.arrived = Some(seconds(now));
        Some(&self.story.late)
    }

    /// A container of an application was received.
    pub(crate) fn received(&mut self, id: ContainerId, slot: u32, role: Role, node: NodeId, now: u64) {
        self.live.insert(id, Live { slot, role, node, since: now, warned: false });
        self.launching[node.index()].push(id);
    }

    /// How long a task still runs.
    pub(crate) fn life(&self, whole: u64, app: u32, container: u32) -> u64 {
        if self.story.full.is_some() {
            return whole;
        }
        let left = random::unit(!self.seed, app, container) * 1024.0;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 1024")]
        let left = left as u64;
        whole / 1024 * left
    }

    /// A container came to its end; false where it was taken before.
    pub(crate) fn ends(&mut self, id: ContainerId) -> bool {
        let Some(live) = self.live.remove(&id) else { return false };
        self.now.warned -= u64::from(live.warned);
        true
    }

    /// A task of a leaf queue was done.
    pub(crate) fn done(&mut self, leaf: usize) {
        self.now.done += u64::from(leaf < self.story.late.others.len());
    }

    /// An AM is warned of a container. Whether it gives it back, which it says once.
    pub(crate) fn warned(&mut self, id: ContainerId, now: u64) -> bool {
        let Some(live) = self.live.get_mut(&id).filter(|live| !live.warned) else { return false };
        live.warned = true;
        self.now.warned += 1;
        self.story.warnings += 1;
        self.story.warned.get_or_insert(seconds(now));
        // Nobody gives the container away that it runs in.
        live.role != Role::Master
            && random::unit(self.seed, id.application_number(), u32::MAX) < self.story.late.give_back
    }

    /// An AM is told that the scheduler ended a container; `None` where it had come to its end by itself.
    pub(crate) fn taken(&mut self, id: ContainerId, reason: EndReason, now: u64) -> Option<Live> {
        let live = self.live.remove(&id)?;
        self.now.warned -= u64::from(live.warned);
        self.over[live.node.index()].push(id);
        let (count, first) = if reason == EndReason::Released {
            (&mut self.story.given_back, &mut self.story.first_given_back)
        } else {
            self.story.ams_killed += u64::from(live.role == Role::Master);
            (&mut self.story.killed, &mut self.story.first_killed)
        };
        *count += 1;
        first.get_or_insert(seconds(now));
        self.story.lost_seconds += seconds(now - live.since);
        Some(live)
    }

    /// An application ended with all that it had: the nodes of its containers.
    pub(crate) fn app_ended(&mut self, slot: u32) -> Vec<NodeId> {
        let Preempting { live, over, now, .. } = self;
        let gone = live.extract_if(|_, live| live.slot == slot);
        gone.map(|(id, live)| {
            now.warned -= u64::from(live.warned);
            over[live.node.index()].push(id);
            live.node
        })
        .collect()
    }

    /// What a node has to tell: what it launched, and what was ended by the scheduler.
    pub(crate) fn report(&mut self, node: usize, heartbeat: &mut Heartbeat) {
        let live = &self.live;
        heartbeat.add_launched(self.launching[node].drain(..).filter(|id| live.contains_key(id)));
        heartbeat.add_completed(self.over[node].drain(..));
    }

    /// The nodes that have something to tell of what the scheduler ended.
    pub(crate) fn to_report(&self) -> Vec<usize> {
        (0..self.over.len()).filter(|node| !self.over[*node].is_empty()).collect()
    }

    /// The slots of AMs whose call is due, of `slots` that call once in `every` ns.
    pub(crate) fn calls_due(&mut self, now: u64, every: u64, slots: usize) -> impl Iterator<Item = u32> + use<> {
        let due = u128::from(now - self.polled_until) * slots as u128 / u128::from(every);
        let count = usize::try_from(due).unwrap_or(slots).min(slots);
        let from = self.next_polled;
        if count > 0 {
            let spent = u64::try_from(u128::from(every) * count as u128 / slots as u128).unwrap_or(every);
            // Who is late by more than a whole interval does not make up for it.
            self.polled_until = if count == slots { now } else { self.polled_until + spent };
            self.next_polled = (from + count) % slots;
        }
        (0..count).map(move |step| u32::try_from((from + step) % slots).expect("slots are 32 bits"))
    }

    /// Notes a point when it is time.
    pub(crate) fn look(&mut self, engine: &dyn Engine, now: u64) {
        if now >= self.next_point {
            self.next_point = now + POINT_EVERY_NS;
            self.note(engine, now);
        }
    }

    /// The run is over.
    pub(crate) fn end(&mut self, engine: &dyn Engine, now: u64) {
        self.note(engine, now);
        self.story.ended = seconds(now);
    }

    fn note(&mut self, engine: &dyn Engine, now: u64) {
        let (at, stats, queues) = (seconds(now), engine.stats(), engine.queues());
        let view = |name: &str| queues.iter().find(|queue| queue.name == name);
        let mib = |name: &str| view(name).map_or((0, 0), |view| (view.usage.memory_mb(), view.share.memory_mb()));
        let (late, whole) = (mib(&self.story.late.queue), mib("root"));
        let leaves = self.story.late.leaves.iter().map(|leaf| (leaf, mib(&leaf.name)));
        let leaves: Vec<_> =
            leaves.map(|(leaf, (usage, share))| (usage as f64, leaf.target_mib(share), share)).collect();
        let Story { killed, given_back, .. } = self.story;
        let point = Point {
            at,
            usage: [late.0, whole.0 - late.0],
            share: [late.1, whole.1 - late.1],
            target: leaves.iter().map(|(_, target, _)| target.max(0.0)).sum(),
            killed,
            given_back,
            heartbeats: stats.heartbeats,
            ..self.now
        };
        self.story.points.push(point);
        if whole.0 as f64 >= FULL * stats.cluster.memory_mb() as f64 {
            self.story.full.get_or_insert(at);
        }
        let Some(arrived) = self.story.arrived else { return };
        // An update has seen it, and every leaf has enough.
        if leaves.iter().all(|(usage, target, share)| *share > 0 && usage >= target) {
            self.story.reached.get_or_insert(at);
        }
        if self.story.starved.is_none() {
            let ours = |queue: &str| self.story.late.leaves.iter().any(|leaf| leaf.name == queue);
            let apps = engine.apps();
            let short: i64 = apps.iter().filter(|app| ours(&app.queue)).map(|app| app.starvation.memory_mb()).sum();
            if short > 0 {
                // It was the last update that found it, or, where this look is late, one before.
                let found = at - engine.stats().snapshot_age_ms as f64 / 1e3;
                let found = found.clamp(arrived, self.story.warned.unwrap_or(at));
                (self.story.starved, self.story.short_of_mib) = (Some(found), short);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn story(points: Vec<Point>) -> Story {
        let late = Late {
            queue: "root.a".to_owned(),
            leaves: Vec::new(),
            others: vec!["root.b".to_owned()],
            after: std::time::Duration::from_secs(2),
            give_back: 0.0,
            timeout_ms: Some(0),
            wait_before_kill_ms: 0,
        };
        Story { points, ended: 9.0, ..Preempting::new(late, 0, 1).story() }
    }

    #[test]
    fn rates_are_of_the_points_within() {
        let points = (0..10).map(|second| {
            let done = if second <= 5 { 100 * second } else { 500 + 20 * (second - 5) };
            Point { at: second as f64, done, heartbeats: 7 * second, ..Point::default() }
        });
        let mut story = story(points.collect());
        (story.full, story.arrived, story.reached) = (Some(1.0), Some(3.0), Some(5.0));
        let parts = story.parts();
        let done = parts.map(|(_, rates)| rates.map(|rates| (rates.from, rates.to, rates.done_per_s)));
        assert_eq!(done, [Some((1.0, 3.0, 100.0)), Some((3.0, 5.0, 100.0)), Some((5.0, 9.0, 20.0))]);
        assert_eq!(parts[1].1.unwrap().heartbeats_per_s, 7.0);
        // Never reached: it lasts until the end.
        story.reached = None;
        assert_eq!(story.parts()[1].1.unwrap().to, 9.0);
        assert_eq!(story.parts()[2].1, None);
    }

    #[test]
    fn every_am_calls_once_in_an_interval() {
        let mut preempting = Preempting::new(story(Vec::new()).late, 0, 1);
        let mut called = vec![0; 7];
        for now in (0..=1_000).step_by(13) {
            preempting.calls_due(now, 100, 7).for_each(|slot| called[slot as usize] += 1);
        }
        assert!(called.iter().all(|count| (8..=10).contains(count)), "{called:?}");
        assert_eq!(preempting.calls_due(5_000, 100, 7).count(), 7, "late: each once");
        assert_eq!(preempting.calls_due(6_000, 100, 0).count(), 0);
    }
}

//! Which fault happens when: drawn from the seed, each kind equally often.

use std::sync::Arc;
use std::time::Duration;

use evenweave_tools::random::mix;

use super::clock::Jumping;
use super::groups::{FAILS, HANGS, Unreliable};
use super::kind::Kind;
use super::world::World;
use crate::api::Fault;

const HOUR_MS: i64 = 3_600_000;

/// See the module's text.
#[derive(Debug)]
pub(super) struct Faults {
    seed: u64,
    kinds: &'static [Kind],
    drawn: u64,
    /// As `kinds`.
    counts: Vec<u64>,
    clock: Arc<Jumping>,
    groups: Arc<Unreliable>,
    /// The clock is an hour ahead.
    ahead: bool,
    /// The group provider hangs.
    hanging: bool,
}

impl Faults {
    pub(super) fn new(seed: u64, kinds: &'static [Kind], clock: Arc<Jumping>, groups: Arc<Unreliable>) -> Faults {
        Faults { seed, kinds, drawn: 0, counts: vec![0; kinds.len()], clock, groups, ahead: false, hanging: false }
    }

    /// The next one. Each round of as many faults as there are kinds has each of them once, in an order of its own.
    fn draw(&mut self) -> (Kind, u64) {
        let kinds = self.kinds.len() as u64;
        let (round, at) = (self.drawn / kinds, self.drawn % kinds);
        self.drawn += 1;
        let mut order: Vec<usize> = (0..self.kinds.len()).collect();
        order.sort_by_key(|kind| mix(self.seed ^ mix(round * kinds + *kind as u64)));
        let kind = order[usize::try_from(at).expect("few kinds")];
        self.counts[kind] += 1;
        (self.kinds[kind], mix(self.seed ^ mix(!self.drawn)))
    }

    /// One happens.
    pub(super) fn happen(&mut self, world: &mut World, now: u64) {
        if std::mem::take(&mut self.hanging) {
            self.groups.let_go();
        }
        let (kind, random) = self.draw();
        let worker = usize::try_from(random % world.workers() as u64).expect("workers are few");
        match kind {
            Kind::WorkerPanic => world.inject(Fault::WorkerPanic { worker }),
            Kind::WorkerStall => world.inject(Fault::WorkerStall { worker, time: Duration::from_millis(100) }),
            Kind::UpdateStall => world.inject(Fault::UpdateStall(Duration::from_secs(1))),
            Kind::ClockJump => {
                self.clock.jump(if self.ahead { -HOUR_MS } else { HOUR_MS });
                self.ahead = !self.ahead;
            }
            Kind::NodeLost => world.replace_node(random),
            Kind::NodeTwice => world.register_twice(random),
            Kind::UnknownNode => world.unknown_node(random),
            Kind::CompletedTwice => world.complete_twice(random),
            Kind::Strangers => world.report_strangers(random),
            Kind::SilentMaster => world.silence_master(random, now),
            Kind::GroupsFail => world.submit_refused(FAILS),
            Kind::GroupsHang => {
                world.submit_refused(HANGS);
                self.hanging = true;
            }
            Kind::Refresh => world.refresh(random),
            Kind::Relabel => world.relabel(random),
        }
    }

    /// Nothing goes on going wrong.
    pub(super) fn end(&mut self, world: &mut World) {
        if std::mem::take(&mut self.hanging) {
            self.groups.let_go();
        }
        world.end_silent();
    }

    pub(super) fn counts(self) -> Vec<(Kind, u64)> {
        self.kinds.iter().copied().zip(self.counts).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_happens_as_often_as_every_other_and_a_seed_repeats() {
        let new = |seed| {
            let groups = Arc::new(Unreliable::new(None));
            Faults::new(seed, &Kind::FAIR, Arc::new(Jumping::new()), groups)
        };
        let draw = |seed| {
            let mut faults = new(seed);
            let drawn: Vec<_> = (0..120).map(|_| faults.draw()).collect();
            (drawn, faults.counts())
        };
        let (drawn, counts) = draw(7);
        assert!(counts.iter().all(|(_, count)| *count == 10));
        assert_eq!(drawn, draw(7).0);
        assert_ne!(drawn, draw(8).0);
    }
}

//! The update as its rules say it, every value computed anew from everything: what the tests hold the update against.

use crate::fair::engine::{SchedulerSnapshot, Shared, Structure};
use crate::fair::published::{Share, Shares};
use crate::id::ROOT;
use crate::id::Slot;
use crate::policy::ShareInput;
use crate::resource::Resource;
use rustc_hash::FxHashMap;

/// Shares by slot and generation; of who is not in it yet, those from before the update hold.
struct Plain<'a> {
    before: &'a Shares,
    queues: FxHashMap<Slot, Share>,
    apps: FxHashMap<Slot, Share>,
}

/// Computes all of it from the same structure, and looks whether `shares` say the same. Nothing may move meanwhile, and
/// policies are asked twice.
pub(super) fn compare(shared: &Shared, before: &SchedulerSnapshot, shares: &Shares) {
    let structure = &before.structure;
    let mut plain = Plain { before: &before.figures, queues: FxHashMap::default(), apps: FxHashMap::default() };
    plain.demand(structure, ROOT);
    plain.queue(structure.queue(ROOT).slot).fair_share = structure.cluster.total;
    plain.fair_shares(shared, structure, ROOT);
    for queue in structure.queues.iter().flatten() {
        let (is, plain_one) = (shares.queue(queue.slot), plain.queues[&queue.slot]);
        assert_eq!((is.demand, is.fair_share), (plain_one.demand, plain_one.fair_share), "queue {}", queue.name);
        for app in queue.runnable.iter().chain(queue.waiting.iter()) {
            let (is, plain_one) = (shares.app(app.slot), plain.apps[&app.slot]);
            assert_eq!(
                (is.demand, is.fair_share),
                (plain_one.demand, plain_one.fair_share),
                "application {:?}",
                app.id
            );
        }
    }
}

impl Plain<'_> {
    fn queue(&mut self, slot: Slot) -> &mut Share {
        self.queues.entry(slot).or_insert_with(|| self.before.queue(slot))
    }

    fn app(&mut self, slot: Slot) -> &mut Share {
        self.apps.entry(slot).or_insert_with(|| self.before.app(slot))
    }

    fn demand(&mut self, structure: &Structure, slot: u32) -> Resource {
        let queue = structure.queue(slot);
        let mut total = Resource::ZERO;
        for app in queue.runnable.iter().chain(queue.waiting.iter()) {
            let demand = app.usage().saturating_plus(&app.wanted());
            self.app(app.slot).demand = demand;
            total = total.saturating_plus(&demand);
        }
        for child in &queue.children {
            total = total.saturating_plus(&self.demand(structure, *child));
        }
        let capped = total.least(&queue.limit);
        let demand = if queue.leaf { capped } else { Resource::new(capped.memory_mb(), capped.vcores()) };
        self.queue(queue.slot).demand = demand;
        demand
    }

    fn is_active(structure: &Structure, slot: u32) -> bool {
        let queue = structure.queue(slot);
        queue.runnable.len() > 0 || queue.children.iter().any(|child| Plain::is_active(structure, *child))
    }

    fn fair_shares(&mut self, shared: &Shared, structure: &Structure, slot: u32) {
        let queue = structure.queue(slot);
        let total = self.queues[&queue.slot].fair_share;
        let apps = queue.runnable.positions().map(|(_, member)| {
            let share = self.apps[&member.app.slot];
            ShareInput {
                weight: shared.app_weight(&share.demand),
                min: Resource::ZERO,
                max: Resource::UNBOUNDED,
                active: true,
                start_ms: member.app.start_ms,
                sequence: member.sequence,
                share: share.fair_share,
            }
        });
        let queues = queue.children.iter().map(|child| {
            let (child, active) = (structure.queue(*child), Plain::is_active(structure, *child));
            ShareInput {
                weight: child.own.weight,
                min: child.own.min_share,
                max: child.limit,
                active,
                start_ms: 0,
                sequence: 0,
                share: self.queues[&child.slot].fair_share,
            }
        });
        let mut inputs: Vec<_> = apps.chain(queues).collect();
        queue.own.policy.compute_shares(shared.types, &total, &mut inputs, false);
        for (app, input) in queue.runnable.iter().zip(&inputs) {
            self.app(app.slot).fair_share = input.share;
        }
        for (child, input) in queue.children.iter().zip(&inputs) {
            let slot = structure.queue(*child).slot;
            self.queue(slot).fair_share = input.share;
        }
        for child in &queue.children {
            self.fair_shares(shared, structure, *child);
        }
    }
}

//! The update as its rules say it, every value computed anew from everything: what the tests hold the update against.

use crate::flow::shared::Shared;
use crate::flow::snapshot::{ROOT, Share, Shares, Structure};
use crate::id::Slot;
use crate::policy::ShareInput;
use crate::resource::Resource;
use rustc_hash::FxHashMap;

/// Shares by slot and generation, since the first update.
#[derive(Debug, Default)]
pub(super) struct Plain {
    queues: FxHashMap<Slot, Share>,
    apps: FxHashMap<Slot, Share>,
}

impl Plain {
    /// Computes all of it from the same structure, and looks whether `shares` say the same. Nothing may move meanwhile, and
    /// policies are asked twice.
    pub(super) fn compare(&mut self, shared: &Shared, structure: &Structure, shares: &Shares) {
        self.demand(structure, ROOT);
        self.queues.entry(structure.queue(ROOT).slot).or_default().fair_share = structure.cluster.total;
        self.fair_shares(shared, structure, ROOT);
        for queue in structure.queues.iter().flatten() {
            let (is, plain) = (shares.queue(queue.slot), self.queues[&queue.slot]);
            assert_eq!((is.demand, is.fair_share), (plain.demand, plain.fair_share), "queue {}", queue.name);
            for app in queue.runnable.iter().chain(queue.waiting.iter()) {
                let (is, plain) = (shares.app(app.slot), self.apps[&app.slot]);
                assert_eq!((is.demand, is.fair_share), (plain.demand, plain.fair_share), "application {:?}", app.id);
            }
        }
    }

    fn demand(&mut self, structure: &Structure, slot: u32) -> Resource {
        let queue = structure.queue(slot);
        let mut total = Resource::NONE;
        for app in queue.runnable.iter().chain(queue.waiting.iter()) {
            let demand = app.usage().plus(&app.wanted());
            self.apps.entry(app.slot).or_default().demand = demand;
            total = total.plus(&demand);
        }
        for child in &queue.children {
            total = total.plus(&self.demand(structure, *child));
        }
        let capped = total.least(&queue.max_share);
        let demand = if queue.leaf { capped } else { Resource::new(capped.memory_mb(), capped.vcores()) };
        self.queues.entry(queue.slot).or_default().demand = demand;
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
                min: Resource::NONE,
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
                weight: child.weight,
                min: child.min_share,
                max: child.max_share,
                active,
                start_ms: 0,
                sequence: 0,
                share: self.queues[&child.slot].fair_share,
            }
        });
        let mut inputs: Vec<_> = apps.chain(queues).collect();
        queue.policy.compute_shares(shared.types, &total, &mut inputs, false);
        for (app, input) in queue.runnable.iter().zip(&inputs) {
            self.apps.get_mut(&app.slot).expect("its demand is known").fair_share = input.share;
        }
        for (child, input) in queue.children.iter().zip(&inputs) {
            let slot = structure.queue(*child).slot;
            self.queues.get_mut(&slot).expect("its demand is known").fair_share = input.share;
        }
        for child in &queue.children {
            self.fair_shares(shared, structure, *child);
        }
    }
}

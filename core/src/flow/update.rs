//! The update task: demand and instantaneous fair shares, and who is starved.
//!
//! # Where it stands
//! Reads the ledger and the newest structure, publishes *shares*; one thread in the threaded driver. Nothing waits for it:
//! workers order by the last shares published. Follows `FairScheduler.update` (fair-shares reference 3 to 5).
//!
//! # Cost
//! O(applications + queues) for demand, O(children x 45) for the shares of one queue and type in the worst case;
//! siblings alike count once.

use super::ledger::AppShared;
use super::preemption::{Book, PreemptionCall};
use super::shared::Shared;
use super::snapshot::{ROOT, Share, Shares, Structure};
use crate::policy::ShareInput;
use crate::preemption::is_busy;
use crate::resource::Resource;
use crate::sync::{Arc, Mutex};

/// Computes and publishes shares; see the module's text. Owns the last values, which some rules leave untouched.
#[derive(Debug)]
pub(crate) struct Updater {
    shared: Arc<Shared>,
    shares: Shares,
    inputs: Vec<ShareInput>,
    /// Where starvation is noted, if anybody acts on it.
    book: Option<Arc<Mutex<Book>>>,
    /// Whether the preemption task is woken: not where its rounds are made when that is asked for.
    wakes: bool,
}

fn entry(entries: &mut Vec<Share>, index: usize, generation: u32) -> &mut Share {
    if entries.len() <= index {
        entries.resize(index + 1, Share::default());
    }
    let entry = &mut entries[index];
    if entry.generation != generation {
        *entry = Share { generation, ..Share::default() };
    }
    entry
}

impl Updater {
    pub(super) fn new(shared: Arc<Shared>, book: Option<Arc<Mutex<Book>>>, timers: bool) -> Updater {
        let wakes = timers && book.is_some();
        Updater { shared, shares: Shares::default(), inputs: Vec::new(), book, wakes }
    }

    /// One update; then the preemption task serves who is starved, if there is one that does so by itself.
    pub(super) fn update_and_wake(&mut self) {
        self.update();
        if self.wakes {
            // It ends before this task does.
            let _ = self.shared.lanes.preemption.send(PreemptionCall::Wake);
        }
    }

    /// One update.
    pub(crate) fn update(&mut self) {
        let structure = self.shared.publisher.load().structure.clone();
        let mut active = vec![false; structure.queues.len()];
        self.demand(&structure, ROOT, &mut active);
        let root = structure.queue(ROOT).slot;
        entry(&mut self.shares.queues, root.ix(), root.generation).fair_share = structure.cluster.total;
        self.fair_shares(&structure, ROOT, &active);
        // Whoever takes a starved application from the book finds its shares published.
        let book = self.book.clone();
        let mut book = book.as_ref().map(|book| book.lock());
        if let Some(book) = &mut book {
            self.starvation(&structure, book);
        }
        self.shares.version += 1;
        self.shares.at_ms = self.shared.clock.now_ms();
        self.shared.publisher.publish_shares(Arc::new(self.shares.clone()));
    }

    /// Looks for starved applications, if the cluster is used enough. Where it is not, what was found before stands.
    fn starvation(&mut self, structure: &Structure, book: &mut Book) {
        let allocated = structure.queue(ROOT).shared.usage();
        if is_busy(self.shared.settings.preemption_utilization_threshold, &allocated, &structure.cluster.total) {
            let (shared, now) = (&self.shared, self.shared.clock.now_ms());
            let found = book.mark(structure, &self.shares, now, |demand| shared.app_weight(demand));
            self.shares.starvation = Arc::new(found);
        }
    }

    fn app_demand(&mut self, app: &AppShared) -> Resource {
        let demand = app.usage().plus(&app.wanted());
        entry(&mut self.shares.apps, app.slot.ix(), app.slot.generation).demand = demand;
        demand
    }

    /// Demand from the leaves up. Notes which queues have runnable applications.
    fn demand(&mut self, structure: &Structure, slot: u32, active: &mut [bool]) -> Resource {
        let queue = structure.queue(slot);
        let mut total = Resource::NONE;
        if queue.leaf {
            for app in queue.runnable.iter().chain(queue.waiting.iter()) {
                total = total.plus(&self.app_demand(app));
            }
            active[slot as usize] = queue.runnable.len() > 0;
        } else {
            for child in &queue.children {
                total = total.plus(&self.demand(structure, *child, active));
                active[slot as usize] |= active[*child as usize];
            }
        }
        let capped = total.least(&queue.max_share);
        // Hadoop shows of a parent's demand memory and vcores only, also when its own parent sums.
        let demand = if queue.leaf { capped } else { Resource::new(capped.memory_mb(), capped.vcores()) };
        entry(&mut self.shares.queues, queue.slot.ix(), queue.slot.generation).demand = demand;
        demand
    }

    /// Fair shares from a queue down.
    fn fair_shares(&mut self, structure: &Structure, slot: u32, active: &[bool]) {
        let queue = structure.queue(slot);
        let total = self.shares.queue(queue.slot).fair_share;
        let mut inputs = std::mem::take(&mut self.inputs);
        inputs.clear();
        if queue.leaf {
            inputs.extend(queue.runnable.positions().map(|(_, member)| {
                let share = self.shares.app(member.app.slot);
                ShareInput {
                    weight: self.shared.app_weight(&share.demand),
                    min: Resource::NONE,
                    max: Resource::UNBOUNDED,
                    active: true,
                    start_ms: member.app.start_ms,
                    sequence: member.sequence,
                    share: share.fair_share,
                }
            }));
        } else {
            inputs.extend(queue.children.iter().map(|child| {
                let child = structure.queue(*child);
                ShareInput {
                    weight: child.weight,
                    min: child.min_share,
                    max: child.max_share,
                    active: active[child.slot.ix()],
                    start_ms: 0,
                    sequence: 0,
                    share: self.shares.queue(child.slot).fair_share,
                }
            }));
        }
        queue.policy.compute_shares(self.shared.types, &total, &mut inputs, false);
        if queue.leaf {
            for (app, input) in queue.runnable.iter().zip(&inputs) {
                entry(&mut self.shares.apps, app.slot.ix(), app.slot.generation).fair_share = input.share;
            }
        } else {
            for (child, input) in queue.children.iter().zip(&inputs) {
                let slot = structure.queue(*child).slot;
                entry(&mut self.shares.queues, slot.ix(), slot.generation).fair_share = input.share;
            }
        }
        self.inputs = inputs;
        for child in &queue.children {
            self.fair_shares(structure, *child, active);
        }
    }
}

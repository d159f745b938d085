//! The update task: demand and instantaneous fair shares, and who is starved.
//!
//! # Where it stands
//! Reads the ledger and the newest structure, publishes *figures*; one thread in the threaded driver. Nothing waits for
//! it: workers order by the last shares published. Follows `FairScheduler.update` (rules/fair-shares.md 3 to 5).
//!
//! # What is done again
//! Demand is read of every application. The share of a queue is distributed among its children when something that
//! theirs follow from has changed: how much there is, who they are, their settings, which of them are active, and in a
//! leaf, with size-based weights, demand. A policy that does not say that its shares are stable is asked each time.
//!
//! # Cost
//! O(applications + queues) for demand, O(children x 25) for the shares of one queue and type in the worst case;
//! siblings alike count once.

mod last_update;

mod share_copies;

#[cfg(test)]
mod reference;

use self::last_update::LastUpdate;
use self::share_copies::ShareCopies;
use crate::engine::decider::UpdateTask;
use crate::engine::intake::to_control::TaskCall;
use crate::fair::engine::{Shared, Structure};
use crate::fair::preemption::{Book, PreemptionCall};
use crate::id::ROOT;
use crate::policy::ShareInput;
use crate::preemption::is_busy;
use crate::resource::Resource;
use crate::sync::{Arc, Mutex};
use std::time::Duration;

/// Computes and publishes shares; see the module's text. Owns the last values, which some rules leave untouched.
#[derive(Debug)]
pub(crate) struct Updater {
    shared: Arc<Shared>,
    turns: ShareCopies,
    /// By slot of the queue.
    known: Vec<Option<Box<LastUpdate>>>,
    inputs: Vec<ShareInput>,
    /// Where starvation is noted, if anybody acts on it.
    book: Option<Arc<Mutex<Book>>>,
    /// Whether the preemption task is woken: not where its rounds are made when that is asked for.
    wakes: bool,
}

/// What a queue's parent needs of it.
struct Below {
    demand: Resource,
    /// It is another one, has other settings or members, or has become active or inactive.
    is_other: bool,
}

impl UpdateTask for Updater {
    fn interval(&self) -> Option<Duration> {
        // No interval: Hadoop has no update thread then, and only explicit calls update.
        let interval_ms = self.shared.decider.settings.update_interval_ms;
        (interval_ms > 0).then(|| Duration::from_millis(interval_ms))
    }

    /// One update.
    fn update(&mut self) {
        let before = self.shared.publisher.load();
        let (structure, begun_ms) = (&before.structure, self.shared.clock.now_ms());
        self.forget(structure);
        self.demand(structure, ROOT);
        self.turns.queue(structure.queue(ROOT).slot).fair_share = structure.cluster.total;
        self.fair_shares(structure, ROOT);
        #[cfg(test)]
        reference::compare(&self.shared, &before, self.turns.shares());
        // Whoever takes a starved application from the book finds its shares published.
        let book = self.book.clone();
        let mut book = book.as_ref().map(|book| book.lock());
        if let Some(book) = &mut book {
            self.starvation(structure, book);
        }
        let at_ms = self.shared.clock.now_ms();
        let head = self.turns.head();
        head.at_ms = at_ms;
        head.runs.add(at_ms.saturating_sub(begun_ms));
        #[cfg(feature = "tracing")]
        tracing::debug!(version = before.version, took_ms = at_ms.saturating_sub(begun_ms), "shares are updated");
        self.shared.publisher.publish_figures(self.turns.copy());
    }

    /// One update; then the preemption task serves who is starved, if there is one that does so by itself.
    fn update_and_wake(&mut self) {
        self.update();
        if self.wakes {
            // It ends before this task does.
            let _ = self.shared.lanes.preemption.send(TaskCall::Own(PreemptionCall::Wake));
        }
    }

    /// The shares that were reached stand in what the next update overwrites; what it passes over is forgotten.
    fn restart_after_panic(&mut self) {
        self.known.clear();
        self.inputs.clear();
    }
}

impl Updater {
    pub(crate) fn new(shared: Arc<Shared>, book: Option<Arc<Mutex<Book>>>, timers: bool) -> Updater {
        let wakes = timers && book.is_some();
        Updater { shared, turns: ShareCopies::default(), known: Vec::new(), inputs: Vec::new(), book, wakes }
    }

    /// Looks for starved applications, if the cluster is used enough. Where it is not, what was found before stands.
    fn starvation(&mut self, structure: &Structure, book: &mut Book) {
        let allocated = structure.queue(ROOT).shared.usage();
        if is_busy(self.shared.decider.settings.preemption_utilization_threshold, &allocated, &structure.cluster.total)
        {
            let (shared, now) = (&self.shared, self.shared.clock.now_ms());
            let found = book.mark(structure, self.turns.shares(), now, |demand| shared.app_weight(demand));
            let last = book.last_at_min_share_ms().clone();
            let head = self.turns.head();
            head.starvation = Arc::new(found);
            head.last_at_min_share_ms = Arc::new(last);
        }
    }

    /// Lets go of queues that are gone.
    fn forget(&mut self, structure: &Structure) {
        self.known.resize_with(structure.queues.len(), || None);
        for (known, _) in self.known.iter_mut().zip(&structure.queues).filter(|(_, queue)| queue.is_none()) {
            *known = None;
        }
    }

    /// Demand from the leaves up. Notes which queues have runnable applications, and whose shares must be distributed
    /// anew.
    fn demand(&mut self, structure: &Structure, slot: u32) -> Below {
        let queue = structure.queue(slot);
        let known = self.known[slot as usize].take();
        let unchanged = known.as_ref().filter(|known| Arc::ptr_eq(&known.snapshot, queue));
        let was_active = unchanged.map(|known| known.active);
        let kept = if was_active.is_some() { known } else { known.and_then(|known| known.renewed(queue)) };
        let mut known = kept.unwrap_or_else(|| Box::new(LastUpdate::new(queue, &self.turns)));
        let total = if queue.leaf {
            let (total, changed) = known.demand(self.shared.workers, self.shared.types, &mut self.turns);
            known.active = queue.runnable.len() > 0;
            if changed && self.shared.decider.settings.size_based_weight {
                known.distributed = None;
            }
            total
        } else {
            let mut total = Resource::ZERO;
            known.active = false;
            for child in &queue.children {
                let Below { demand, is_other } = self.demand(structure, *child);
                total = total.saturating_plus(&demand);
                known.active |= self.known(*child).active;
                if is_other {
                    known.distributed = None;
                }
            }
            total
        };
        let is_other = was_active != Some(known.active);
        self.known[slot as usize] = Some(known);
        let capped = total.least(&queue.limit);
        // Hadoop shows of a parent's demand memory and vcores only, also when its own parent sums.
        let demand = if queue.leaf { capped } else { Resource::new(capped.memory_mb(), capped.vcores()) };
        self.turns.queue(queue.slot).demand = demand;
        Below { demand, is_other }
    }

    fn known(&self, slot: u32) -> &LastUpdate {
        self.known[slot as usize].as_ref().expect("demand comes first, of every queue")
    }

    /// Fair shares from a queue down.
    fn fair_shares(&mut self, structure: &Structure, slot: u32) {
        let queue = structure.queue(slot);
        let total = self.turns.shares().queue(queue.slot).fair_share;
        if self.known(slot).distributed != Some(total) {
            self.distribute(structure, slot, &total);
            if queue.own.policy.shares_are_stable() {
                let known = self.known[slot as usize].as_mut();
                known.expect("it was there to distribute").distributed = Some(total);
            }
        }
        for child in &queue.children {
            self.fair_shares(structure, *child);
        }
    }

    /// Distributes the share of a queue among its children.
    fn distribute(&mut self, structure: &Structure, slot: u32, total: &Resource) {
        let queue = structure.queue(slot);
        let mut inputs = std::mem::take(&mut self.inputs);
        inputs.clear();
        let shares = self.turns.shares();
        if queue.leaf {
            inputs.extend(self.known(slot).runnable().iter().map(|seat| ShareInput {
                weight: self.shared.app_weight(&seat.demand),
                min: Resource::ZERO,
                max: Resource::UNBOUNDED,
                active: true,
                start_ms: seat.start_ms,
                sequence: seat.sequence,
                share: shares.app(seat.slot).fair_share,
            }));
        } else {
            inputs.extend(queue.children.iter().map(|slot| {
                let child = structure.queue(*slot);
                ShareInput {
                    weight: child.own.weight,
                    min: child.own.min_share,
                    max: child.limit,
                    active: self.known(*slot).active,
                    start_ms: 0,
                    sequence: 0,
                    share: shares.queue(child.slot).fair_share,
                }
            }));
        }
        queue.own.policy.compute_shares(self.shared.types, total, &mut inputs, false);
        if queue.leaf {
            let known = self.known[slot as usize].as_ref().expect("demand comes first, of every queue");
            for (seat, input) in known.runnable().iter().zip(&inputs) {
                self.turns.set_app_fair_share(seat.slot, &input.share);
            }
        } else {
            for (child, input) in queue.children.iter().zip(&inputs) {
                self.turns.queue(structure.queue(*child).slot).fair_share = input.share;
            }
        }
        self.inputs = inputs;
    }
}

#[cfg(test)]
mod tests {
    use crate::app::Ask;
    use crate::config::Settings;
    use crate::resource::Resource;
    use crate::testing::ByNumber;
    use crate::{FairScheduler, Heartbeat, SchedulerApi, Submission};
    use proptest::prelude::*;

    const QUEUES: [&str; 6] = ["root.a.x", "root.a.y", "root.b", "root.c.z", "root.c.free.n", "root.d"];

    /// Allocation files that differ in weights, limits, policies, and in which queues there are.
    fn file(kind: u8) -> String {
        let (policy, leaf) = [("drf", "drf"), ("fair", "fifo"), ("fair", "fair")][usize::from(kind) % 3];
        let d = if kind.is_multiple_of(2) { "<queue name='d'><weight>0</weight></queue>" } else { "" };
        let (weight, min) = (1 + kind % 4, u32::from(kind) * 100);
        format!(
            "<allocations><queue name='root'><schedulingPolicy>{policy}</schedulingPolicy>\
             <queue name='a'><weight>{weight}</weight><minResources>{min} mb, 1 vcores</minResources>\
             <queue name='x'><schedulingPolicy>{leaf}</schedulingPolicy></queue>\
             <queue name='y'><maxRunningApps>{weight}</maxRunningApps></queue></queue>\
             <queue name='b'><maxResources>{min} mb, 9 vcores</maxResources></queue>\
             <queue name='c' type='parent'/>{d}</queue>\
             <defaultQueueSchedulingPolicy>{policy}</defaultQueueSchedulingPolicy></allocations>"
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

        /// Whatever has changed between two updates, each gives what computing everything anew gives: see `reference`,
        /// which looks at every update of these tests.
        #[test]
        fn an_update_gives_what_computing_all_anew_gives(
            size_based: bool,
            workers in 1..=3_usize,
            ops in proptest::collection::vec(any::<[u8; 4]>(), 1..120),
        ) {
            let weight = if size_based { "true" } else { "false" };
            let settings = Settings::from_properties([("yarn.scheduler.fair.sizebasedweight", weight)]).unwrap();
            let mut stepped = FairScheduler::builder().settings(settings).workers(workers).journal(true).stepped().unwrap();
            stepped.reload_text(&file(0)).unwrap();
            let mut nodes = vec![stepped.add_node("n0", "/r0", Resource::new(9000, 9)).unwrap()];
            let mut apps = Vec::new();
            for (number, [op, which, b, c]) in (1_u32..).zip(ops) {
                let queue = QUEUES[usize::from(b) % QUEUES.len()];
                let app = if apps.is_empty() { None } else { Some(usize::from(which) % apps.len()) };
                // A refused call has changed nothing; that is as good a step as another.
                match (op % 12, app) {
                    (0..=2, _) => {
                        let submission = Submission::new(number, format!("u{}", c % 3)).in_queue(queue);
                        apps.extend(stepped.submit(submission).ok().map(|app| (number, app)));
                    }
                    (3, Some(app)) => drop(stepped.finish(&apps.swap_remove(app).1)),
                    (4, Some(app)) => drop(stepped.move_app(&apps[app].1, queue)),
                    (5 | 6, Some(app)) => {
                        let size = Resource::new(i64::from(b) * 16, 1 + i64::from(c % 3));
                        let ask = Ask::anywhere(i32::from(c % 2), size, u32::from(c % 5));
                        drop(stepped.allocate_numbered(apps[app].0, &[ask], &[], &[]));
                    }
                    (7 | 8, _) => stepped.heartbeat(Heartbeat::new(&nodes[usize::from(which) % nodes.len()])),
                    (9, Some(app)) => drop(stepped.complete_numbered(apps[app].0, 1 + u32::from(b % 4))),
                    (10, _) if c.is_multiple_of(4) => drop(stepped.reload_text(&file(b))),
                    (10, _) if nodes.len() < 4 => {
                        let (name, rack) = (format!("n{}", nodes.len()), format!("/r{}", nodes.len()));
                        nodes.push(stepped.add_node(&name, &rack, Resource::new(i64::from(b) * 64, 8)).unwrap());
                    }
                    (10, _) => drop(stepped.resize_node(&nodes[usize::from(which) % 4], Resource::new(8192, i64::from(c)))),
                    _ => {}
                }
                if op >= 128 {
                    stepped.update_now();
                }
            }
            stepped.update_now();
            stepped.update_now();
        }
    }
}

//! The book of starvation: how long each application has been short of what, and who waits for a round.
//!
//! # Who owns it
//! The update task enters what it finds; the preemption task takes who is to be served. Both hold the scheduler's one
//! `Book` behind a mutex for as long as that takes, never while they wait for a worker.
//!
//! Follows `FSLeafQueue.updateStarvedApps`, `FSAppAttempt` and `FSStarvedApps` (rules/preemption.md 3 to 5).

use crate::clock::java_ms;
use crate::engine::books::ledger::AppShared;
use crate::fair::engine::{QueueSnapshot, Structure};
use crate::fair::published::Shares;
use crate::id::Slot;
use crate::order::java_order;
use crate::policy::{Schedulable, Tie};
use crate::preemption::{Starvation, StarvedQueue, Yardstick, min_share_part, min_share_starvation};
use crate::resource::Resource;
use crate::resource::sorted;
use crate::sync::Arc;
use rustc_hash::FxHashMap;

/// What is known of one application. Made when it is first found short.
#[derive(Debug)]
struct Entry {
    app: Arc<AppShared>,
    starvation: Starvation,
    last_at_fair_share_ms: i64,
    /// Not looked at before; `None`: never again.
    next_check_ms: Option<i64>,
}

/// An application that may be starved.
struct Candidate<'a> {
    app: &'a Arc<AppShared>,
    sequence: u64,
    usage: Resource,
    demand: Resource,
    fair_share: Resource,
    weight: f32,
}

/// See the module's text.
#[derive(Debug, Default)]
pub(crate) struct Book {
    apps: FxHashMap<Slot, Entry>,
    /// When each leaf queue last had its min share.
    last_at_min_share_ms: FxHashMap<Slot, i64>,
    queue: StarvedQueue<Slot>,
    /// Taken and being served: not entered again meanwhile.
    in_hand: Option<Slot>,
}

impl Book {
    /// Looks for starved applications in every leaf queue, those created earlier first; says what each is short of.
    pub(crate) fn mark(
        &mut self,
        structure: &Structure,
        shares: &Shares,
        now_ms: u64,
        weight: impl Fn(&Resource) -> f32,
    ) -> FxHashMap<Slot, Starvation> {
        let now = java_ms(now_ms);
        let mut leaves: Vec<_> = structure.queues.iter().flatten().filter(|queue| queue.leaf).collect();
        sorted::by_key(&mut leaves, |leaf| leaf.shared.created);
        for leaf in &leaves {
            self.mark_leaf(leaf, structure, shares, now, &weight);
        }
        self.forget_closed();
        let leaf_in = |slot: &Slot| structure.queues.get(slot.ix())?.as_ref().filter(|queue| queue.leaf);
        self.last_at_min_share_ms.retain(|slot, _| leaf_in(slot).is_some_and(|leaf| leaf.slot == *slot));
        let starved = self.apps.iter().filter(|(_, entry)| !entry.starvation.is_none());
        starved.map(|(slot, entry)| (*slot, entry.starvation)).collect()
    }

    /// When each leaf queue last had its min share, as of the last look.
    pub(crate) fn last_at_min_share_ms(&self) -> &FxHashMap<Slot, i64> {
        &self.last_at_min_share_ms
    }

    /// Who has ended is not known any more, once no round is to come to him or is at him.
    fn forget_closed(&mut self) {
        let (queue, in_hand) = (&self.queue, self.in_hand);
        self.apps.retain(|slot, entry| !entry.app.is_closed() || queue.contains(*slot) || in_hand == Some(*slot));
    }

    fn mark_leaf(
        &mut self,
        leaf: &QueueSnapshot,
        structure: &Structure,
        shares: &Shares,
        now: i64,
        weight: &impl Fn(&Resource) -> f32,
    ) {
        let yardstick = Yardstick { calculator: leaf.own.calculator, cluster: structure.cluster };
        let candidates = self.candidates(leaf, structure, shares, now, weight);
        let mut sum = Resource::ZERO;
        for candidate in &candidates {
            let short = self.fair_share_starvation(candidate, leaf, &yardstick, now);
            if short.is_zero() {
                // Hadoop stops here: those behind are not looked at, and keep what they had.
                break;
            }
            sum = sum.saturating_plus(&short);
            self.enter(candidate.app.slot);
        }
        let share = shares.queue(leaf.slot);
        let mut short = min_share_starvation(&leaf.own.min_share, &share.demand, &leaf.shared.usage());
        let last = self.last_at_min_share_ms.entry(leaf.slot).or_insert_with(|| java_ms(leaf.shared.created_ms));
        if short.is_zero() {
            *last = now;
        }
        if now.wrapping_sub(*last) < leaf.own.preemption.min_timeout_ms {
            short = Resource::ZERO;
        }
        let mut left = short.minus_non_negative(&sum);
        for candidate in &candidates {
            let known = self.apps.get(&candidate.app.slot).map_or(Resource::ZERO, |entry| entry.starvation.fair_share);
            let wanted = candidate.demand.minus(&candidate.usage).minus_non_negative(&known);
            match min_share_part(&yardstick, &mut left, &wanted) {
                Some(part) => {
                    self.entry(candidate.app).starvation.min_share = part;
                    self.enter(candidate.app.slot);
                }
                None => {
                    if let Some(entry) = self.apps.get_mut(&candidate.app.slot) {
                        entry.starvation.min_share = Resource::ZERO;
                    }
                }
            }
        }
    }

    /// Runnable applications of a leaf that want something and are due for a look, the neediest first.
    fn candidates<'a>(
        &self,
        leaf: &'a QueueSnapshot,
        structure: &Structure,
        shares: &Shares,
        now: i64,
        weight: &impl Fn(&Resource) -> f32,
    ) -> Vec<Candidate<'a>> {
        let due = |app: &AppShared| {
            self.apps.get(&app.slot).is_none_or(|entry| entry.next_check_ms.is_some_and(|at| at <= now))
        };
        let members = leaf.runnable.positions().filter(|(_, member)| due(&member.app) && !member.app.is_closed());
        let mut found: Vec<Candidate<'_>> = members
            .map(|(_, member)| {
                let (app, share) = (&member.app, shares.app(member.app.slot));
                let (demand, fair_share) = (share.demand, share.fair_share);
                let (usage, weight) = (app.usage(), weight(&demand));
                Candidate { app, sequence: member.sequence, usage, demand, fair_share, weight }
            })
            .filter(|candidate| candidate.demand != candidate.usage)
            .collect();
        sorted::by_key(&mut found, |candidate| candidate.sequence);
        let all = u32::try_from(found.len()).unwrap_or(u32::MAX);
        let at = |index: u32| found[index as usize].schedulable();
        let mut order = Vec::new();
        java_order(0..all, |a, b| leaf.own.policy.compare(&structure.cluster, &at(a), &at(b)), &mut order);
        let mut found: Vec<_> = found.into_iter().map(Some).collect();
        order.into_iter().filter_map(|index| found[index as usize].take()).collect()
    }

    /// What an application is short of its fair share for long enough; noted in the book.
    fn fair_share_starvation(
        &mut self,
        of: &Candidate<'_>,
        leaf: &QueueSnapshot,
        yardstick: &Yardstick,
        now: i64,
    ) -> Resource {
        let rules = &leaf.own.preemption;
        let short = rules.fair_share_starvation(yardstick, &of.usage, &of.fair_share, &of.demand);
        let entry = self.entry(of.app);
        if short.is_none() {
            entry.last_at_fair_share_ms = now;
        }
        let long_enough = now.wrapping_sub(entry.last_at_fair_share_ms) >= rules.fair_timeout_ms;
        entry.starvation.fair_share = short.filter(|_| long_enough).unwrap_or(Resource::ZERO);
        entry.starvation.fair_share
    }

    fn entry(&mut self, app: &Arc<AppShared>) -> &mut Entry {
        self.apps.entry(app.slot).or_insert_with(|| Entry {
            app: app.clone(),
            starvation: Starvation::default(),
            last_at_fair_share_ms: java_ms(app.start_ms),
            next_check_ms: Some(0),
        })
    }

    /// An application waits for a round, unless it does already or is being served.
    fn enter(&mut self, slot: Slot) {
        if self.in_hand != Some(slot) && !self.queue.contains(slot) {
            self.queue.add(slot, |slot| total(&self.apps, slot));
        }
    }

    /// Takes the application that is served next, and what it is short of.
    pub(super) fn take(&mut self) -> Option<(Arc<AppShared>, Starvation)> {
        self.in_hand = self.queue.take(|slot| total(&self.apps, slot));
        let entry = self.apps.get(&self.in_hand?)?;
        Some((entry.app.clone(), entry.starvation))
    }

    /// The round is over: the application is not looked at again before a time, or never.
    pub(super) fn served(&mut self, slot: Slot, next_check_ms: Option<i64>) {
        if let Some(entry) = self.apps.get_mut(&slot) {
            entry.next_check_ms = next_check_ms;
        }
    }
}

fn total(apps: &FxHashMap<Slot, Entry>, slot: Slot) -> Resource {
    apps.get(&slot).map_or(Resource::ZERO, |entry| entry.starvation.total())
}

impl Candidate<'_> {
    fn schedulable(&self) -> Schedulable<'_> {
        Schedulable {
            usage: &self.usage,
            demand: &self.demand,
            min_share: &Resource::ZERO,
            weight: self.weight,
            tie: Tie { start_ms: self.app.start_ms, name: self.app.id.name_order() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::books::ledger::NewApp;

    /// Hadoop forgets who is being served when it asks for the next one.
    #[test]
    fn who_is_being_served_does_not_wait_for_another_round() {
        let mut book = Book::default();
        let app = Arc::new(AppShared::new(NewApp::example(0), 1));
        book.entry(&app);
        let round = |book: &mut Book| book.take().map(|(app, _)| app.slot);
        book.enter(app.slot);
        book.enter(app.slot);
        assert_eq!(round(&mut book), Some(app.slot));
        book.enter(app.slot);
        assert_eq!(round(&mut book), None, "found starved while it is served");
        book.enter(app.slot);
        assert_eq!(round(&mut book), Some(app.slot), "and again later");
    }

    #[test]
    fn who_has_ended_is_forgotten_after_his_round() {
        let mut book = Book::default();
        let [ends, stays] = [0, 1].map(|number| Arc::new(AppShared::new(NewApp::example(number), 1)));
        for app in [&ends, &stays] {
            book.entry(app);
        }
        book.enter(ends.slot);
        ends.close();
        let known = |book: &mut Book| {
            book.forget_closed();
            [&ends, &stays].map(|app| book.apps.contains_key(&app.slot))
        };
        assert_eq!(known(&mut book), [true, true], "it waits for a round");
        book.take();
        assert_eq!(known(&mut book), [true, true], "it is being served");
        book.take();
        assert_eq!(known(&mut book), [false, true]);
    }
}

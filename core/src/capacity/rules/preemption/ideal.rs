//! The ideal amount of each queue, and what queues above their ideal amount have to give (rules/capacity.md 25.2,
//! 25.3).

use crate::capacity::rules::arith::Arith;
use crate::capacity::rules::heap::JavaHeap;
use crate::resource::Resource;
use std::cmp::Ordering;

/// The figures of one queue in a round of preemption.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entry {
    /// The usage, including reservations.
    pub(crate) used: Resource,
    pub(crate) reserved: Resource,
    pub(crate) killable: Resource,
    /// The outstanding asks of its applications, within the limits of their users.
    pub(crate) pending: Resource,
    /// The same without the asks for which the applications have reservations.
    pub(crate) pending_unreserved: Resource,
    pub(crate) guaranteed: Resource,
    pub(crate) maximum: Resource,
    pub(crate) absolute_capacity: f32,
    pub(crate) priority: i32,
    pub(crate) disabled: bool,
    pub(crate) children: Vec<usize>,
    /// The amount that the queue must give in this round: a part of what it has too much, because containers also end
    /// by themselves.
    pub(crate) to_obtain: Resource,
    pub(crate) working: Working,
}

/// Intermediate results of a round.
#[derive(Clone, Debug, Default)]
pub(crate) struct Working {
    untouchable: Resource,
    preemptable: Resource,
    ideal: Resource,
    to_be_preempted: Resource,
    normalized: Vec<f32>,
}

/// The queues of a round, root first, and the settings of the computation.
#[derive(Debug)]
pub(crate) struct Round {
    pub(crate) arith: Arith,
    pub(crate) entries: Vec<Entry>,
    /// Queues that need more, the most under-served queue first, each once.
    pub(crate) under_served: Vec<usize>,
    pub(crate) max_ignored_over_capacity: f64,
    pub(crate) natural_termination_factor: f64,
    /// `additional_res_balance_based_on_reserved_containers`
    pub(crate) counts_reserved: bool,
}

/// The parameters of the computation for the children of one queue.
#[derive(Clone, Copy)]
struct Level {
    total: Resource,
    /// No child has a guarantee, so all get the same share.
    even: bool,
    balances: bool,
}

impl Round {
    /// Works all out. `balances`: the selector that balances beyond what is guaranteed.
    pub(crate) fn compute(&mut self, budget: &Resource, cluster: &Resource, balances: bool) {
        self.extras(0, cluster);
        self.entries[0].working.ideal = self.entries[0].guaranteed;
        self.distribute_below(0, budget, balances);
        for at in 0..self.entries.len() {
            if self.entries[at].children.is_empty() {
                self.entries[at].to_obtain = self.must_give(at, cluster, balances);
            }
        }
    }

    fn extras(&mut self, at: usize, cluster: &Resource) {
        let arith = self.arith;
        let none = Resource::ZERO;
        let entry = &self.entries[at];
        let extra = entry.used.minus(&entry.guaranteed);
        let extra = if arith.is_less(cluster, &extra, &none) { none } else { extra };
        let children = entry.children.clone();
        let (untouchable, preemptable) = if children.is_empty() {
            if entry.disabled { (extra, none) } else { (none, extra) }
        } else {
            let mut below = none;
            for child in children {
                self.extras(child, cluster);
                below = below.plus(&self.entries[child].working.preemptable);
            }
            let untouchable = if arith.is_less(cluster, &below, &extra) { extra.minus(&below) } else { none };
            (untouchable, arith.least(cluster, &below, &extra))
        };
        let entry = &mut self.entries[at];
        (entry.working.untouchable, entry.working.preemptable) = (untouchable, preemptable);
    }

    fn distribute_below(&mut self, at: usize, budget: &Resource, balances: bool) {
        let children = self.entries[at].children.clone();
        if children.is_empty() {
            return;
        }
        let total = self.entries[at].working.ideal;
        self.distribute(&children, &total, budget, balances);
        children.into_iter().for_each(|child| self.distribute_below(child, budget, balances));
    }

    fn distribute(&mut self, children: &[usize], total: &Resource, budget: &Resource, balances: bool) {
        let arith = self.arith;
        let none = Resource::ZERO;
        let has = |at: &&usize| arith.is_greater(total, &self.entries[**at].guaranteed, &none);
        let (guaranteed, others): (Vec<usize>, Vec<usize>) = {
            let (a, b): (Vec<&usize>, Vec<&usize>) = children.iter().partition(has);
            (a.into_iter().copied().collect(), b.into_iter().copied().collect())
        };
        let mut unassigned = *total;
        let level = Level { total: *total, even: false, balances };
        self.fixpoint(&guaranteed, &mut unassigned, level);
        if !others.is_empty() && arith.is_greater(total, &unassigned, &none) {
            self.fixpoint(&others, &mut unassigned, Level { even: true, ..level });
        }
        let over = |at: &usize| {
            let entry = &self.entries[*at];
            arith.is_greater(total, &entry.used, &entry.working.ideal).then(|| entry.used.minus(&entry.working.ideal))
        };
        let needed = children.iter().filter_map(over).fold(none, |sum, amount| sum.plus(&amount));
        let factor = if arith.is_greater(total, &needed, budget) { arith.divide(total, budget, &needed) } else { 1.0 };
        for child in children {
            let entry = &mut self.entries[*child];
            let used = entry.used.minus(&entry.killable);
            let wanted = arith.least(total, &entry.used.saturating_plus(&entry.pending), &entry.guaranteed);
            let kept = arith.most(total, &wanted, &entry.working.ideal);
            entry.working.to_be_preempted =
                if arith.is_greater(total, &used, &kept) { used.minus(&kept).times(f64::from(factor)) } else { none };
        }
    }

    fn note_under_served(&mut self, at: usize) {
        if !self.under_served.contains(&at) {
            self.under_served.push(at);
        }
    }

    /// Hands the level's total out, a share at a time, to whoever is served least. The caller's `unassigned` follows up
    /// to the first amount that is accepted, as in Hadoop.
    fn fixpoint(&mut self, group: &[usize], unassigned: &mut Resource, level: Level) {
        let Level { total, even, balances } = level;
        let (arith, none) = (self.arith, Resource::ZERO);
        let mut heap = JavaHeap::new();
        for at in group {
            let entry = &self.entries[*at];
            let ideal = if arith.is_greater(&total, &entry.used, &entry.guaranteed) {
                entry.guaranteed.least(&entry.used).plus(&entry.working.untouchable)
            } else {
                entry.used
            };
            let needy = arith.is_less(&total, &ideal, &entry.used.saturating_plus(&entry.pending));
            self.entries[*at].working.ideal = ideal;
            *unassigned = unassigned.minus(&ideal);
            if needy {
                heap.push(*at, |a, b| self.compare(*a, *b, &total));
            }
        }
        let mut left = *unassigned;
        let mut is_first = true;
        while heap.peek().is_some() && arith.is_greater(&total, &left, &none) {
            self.normalize(&heap, even);
            let heads = self.take_heads(&mut heap, &total);
            let offered = left;
            for at in heads {
                if !arith.any_above_zero(&left) {
                    break;
                }
                let shares = &self.entries[at].working.normalized;
                let offer = arith.times_each_up(&offered, |i| f64::from(shares[i]), &Resource::from_fn(|_| 1));
                let offer = Resource::of_types(arith.types, |i| offer.get(i).min(left.get(i)));
                let accepted = self.accept(at, &offer, &total, balances);
                if arith.is_greater(&total, &accepted, &none) {
                    heap.push(at, |a, b| self.compare(*a, *b, &total));
                }
                left = left.minus(&accepted);
                if std::mem::take(&mut is_first) {
                    *unassigned = left;
                }
                left = left.most(&none);
            }
        }
        while let Some(at) = heap.pop(|a, b| self.compare(*a, *b, &total)) {
            self.note_under_served(at);
        }
    }

    /// What is ideal for it of what is guaranteed.
    fn served(&self, at: usize, total: &Resource) -> f64 {
        let entry = &self.entries[at];
        if self.arith.is_greater(total, &entry.guaranteed, &Resource::ZERO) {
            f64::from(self.arith.divide(total, &entry.working.ideal, &entry.guaranteed))
        } else {
            f64::from(i32::MAX)
        }
    }

    fn compare(&self, a: usize, b: usize, total: &Resource) -> Ordering {
        let (x, y) = (self.served(a, total), self.served(b, total));
        let (p, q) = (self.entries[a].priority, self.entries[b].priority);
        if p != q && (x < 1.0) == (y < 1.0) { q.cmp(&p) } else { x.total_cmp(&y) }
    }

    /// All that are served least, equally.
    fn take_heads(&mut self, heap: &mut JavaHeap<usize>, total: &Resource) -> Vec<usize> {
        let mut heads = Vec::new();
        while let Some(at) = heap.pop(|a, b| self.compare(*a, *b, total)) {
            heads.push(at);
            self.note_under_served(at);
            match heap.peek().copied() {
                None => break,
                Some(next) if self.compare(at, next, total).is_lt() => {
                    self.note_under_served(next);
                    break;
                }
                Some(_) => {}
            }
        }
        heads
    }

    fn normalize(&mut self, heap: &JavaHeap<usize>, even: bool) {
        let needy: Vec<usize> = heap.iter().copied().collect();
        let part = 1.0 / needy.len() as f32;
        let all: f32 = needy.iter().map(|at| self.entries[*at].absolute_capacity).sum();
        let types = self.arith.types;
        let of_type = |i: usize| -> Vec<f32> {
            let amount = |at: &usize| self.entries[*at].guaranteed.get(i);
            let sum: i64 = needy.iter().map(amount).sum();
            let absolute = |at: &usize| self.entries[*at].absolute_capacity;
            let by_capacity = needy.iter().any(|at| amount(at) == 0 && absolute(at) != 0.0);
            let share = |at: &usize| {
                if even {
                    part
                } else if by_capacity && sum != 0 {
                    absolute(at) / all
                } else if sum == 0 || all == 0.0 {
                    part
                } else {
                    amount(at) as f32 / sum as f32
                }
            };
            needy.iter().map(share).collect()
        };
        let shares: Vec<Vec<f32>> = (0..types).map(of_type).collect();
        for (place, at) in needy.iter().enumerate() {
            self.entries[*at].working.normalized = shares.iter().map(|of_type| of_type[place]).collect();
        }
    }

    fn accept(&mut self, at: usize, offer: &Resource, total: &Resource, balances: bool) -> Resource {
        let (arith, none) = (self.arith, Resource::ZERO);
        let entry = &self.entries[at];
        let room = entry.maximum.minus(&entry.working.ideal).most(&none);
        let waits = if self.counts_reserved && !balances { &entry.pending } else { &entry.pending_unreserved };
        let wanted = entry.used.saturating_plus(waits).minus(&entry.working.ideal);
        let mut accepted = room.least(&arith.least(total, offer, &wanted));
        if entry.children.is_empty() && !balances {
            let most = arith.most(total, &entry.used, &entry.guaranteed).minus(&entry.working.ideal);
            accepted = arith.least(total, &accepted, &arith.most(total, &most, &none));
        }
        let accepted = accepted.most(&none).least(offer);
        let entry = &mut self.entries[at];
        entry.working.ideal = entry.working.ideal.plus(&accepted);
        accepted
    }

    /// What a leaf has to give this round: a part of what it has too much, or nothing within the tolerance
    /// (rules/capacity.md 25.3).
    fn must_give(&self, at: usize, cluster: &Resource, balances: bool) -> Resource {
        let (arith, none) = (self.arith, Resource::ZERO);
        let entry = &self.entries[at];
        let ignored = entry.guaranteed.times(1.0 + self.max_ignored_over_capacity);
        if entry.disabled || !arith.is_greater(cluster, &entry.used, &ignored) {
            return none;
        }
        let whole = self.counts_reserved && !balances;
        if whole || !arith.is_greater(cluster, &entry.working.to_be_preempted, &none) {
            return entry.working.to_be_preempted;
        }
        arith.times_up(&entry.working.to_be_preempted, self.natural_termination_factor, &Resource::new(1, 1))
    }

    /// Somebody has chosen a container of a leaf already.
    pub(crate) fn deduct(&mut self, leaf: usize, size: &Resource, cluster: &Resource) {
        let arith = self.arith;
        let amount = &mut self.entries[leaf].to_obtain;
        if arith.is_greater(cluster, amount, size) {
            *amount = amount.minus(size);
        }
        *amount = arith.most(cluster, amount, &Resource::ZERO);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resource::Calculator;

    fn leaf(guaranteed: i64, used: i64, pending: i64) -> Entry {
        let memory = |amount| Resource::new(amount, 0);
        Entry {
            used: memory(used),
            pending: memory(pending),
            pending_unreserved: memory(pending),
            guaranteed: memory(guaranteed),
            maximum: memory(100),
            absolute_capacity: guaranteed as f32 / 100.0,
            ..Entry::default()
        }
    }

    fn round(leaves: [Entry; 4]) -> Round {
        let used = leaves.iter().fold(Resource::ZERO, |sum, leaf| sum.plus(&leaf.used));
        let whole = Resource::new(100, 0);
        let root = Entry { used, guaranteed: whole, maximum: whole, children: vec![1, 2, 3, 4], ..Entry::default() };
        let entries = std::iter::once(root).chain(leaves).collect();
        Round {
            arith: Arith { calculator: Calculator::Memory, types: 2 },
            entries,
            under_served: Vec::new(),
            max_ignored_over_capacity: 0.0,
            natural_termination_factor: 1.0,
            counts_reserved: false,
        }
    }

    #[test]
    fn the_worked_example() {
        // rules/capacity.md 25.4.
        let mut round = round([leaf(10, 30, 20), leaf(40, 60, 5), leaf(20, 10, 20), leaf(30, 0, 0)]);
        let whole = Resource::new(100, 0);
        round.compute(&whole, &whole, false);
        let given: Vec<i64> = round.entries[1..].iter().map(|entry| entry.to_obtain.memory_mb()).collect();
        assert_eq!(given, [10, 0, 0, 0]);
    }

    #[test]
    fn with_nobody_below_what_is_guaranteed_nobody_gives() {
        let mut round = round([leaf(10, 40, 20), leaf(40, 60, 5), leaf(20, 0, 0), leaf(30, 0, 0)]);
        let whole = Resource::new(100, 0);
        round.compute(&whole, &whole, false);
        assert!(round.entries.iter().all(|entry| entry.to_obtain.is_zero()));
    }
}

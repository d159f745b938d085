//! One leaf queue: its applications in their lists, its limits of AMs, and which applications it activates.
//!
//! Follows rules/capacity.md 8.2, 9, 13.3 and 15; `AbstractLeafQueue`. Plain data of the leaf's owner. Applications
//! belong to that owner too, so what the leaf has to know of one is passed to it, or asked for by a closure.

use super::arith::Arith;
use super::order::{AppKey, AppOrder, AppRank};
use super::ordered::{AppEntry, Ordered, Place};
use super::partition::Part;
use super::preempted::Candidate as Held;
use super::users::{LimitInputs, Users};
use crate::id::{LabelId, NodeId};
use crate::prefetch::CACHE_LINE;
use crate::resource::Resource;
use smallvec::SmallVec;
use std::collections::{BTreeMap, BTreeSet};
use std::mem::offset_of;
use std::ops::Bound;

/// See the module's text. What a charge and a pass read and write comes first.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Leaf {
    /// The active applications that a pass may not skip, because it may give them something or because the visit
    /// changes something. Only where the list is sorted, with its keys.
    pub(crate) noted: BTreeMap<AppKey, AppEntry>,
    pub(crate) active: Ordered,
    /// With fair ordering: applications whose place must be refreshed, by number.
    pub(crate) to_reorder: BTreeSet<(u32, AppEntry)>,
    /// What it may use, as last stored, and as last published (rules/capacity.md 13.1).
    pub(crate) stored_limit: Resource,
    pub(crate) published_limit: Resource,
    pub(crate) users: Users,
    pub(crate) pending: Ordered,
    /// Memory of the AMs of those that wait by label, each size with how many have it.
    pending_ams: BTreeMap<(LabelId, i64), usize>,
    /// Those that no limit of parallel applications keeps waiting.
    pub(crate) runnable: BTreeSet<AppEntry>,
    pub(crate) am_used: Resource,
    /// As last worked out.
    pub(crate) am_limit: Resource,
    /// What AMs of a user of weight one may use, as last computed. Shown in views; no rule reads it.
    pub(crate) user_am_limit: Resource,
    /// What it has of its own on the nodes with a label, by label.
    pub(crate) parts: Vec<LeafPart>,
    /// The lists and counts may be inconsistent by now, as the rules let them (rules/capacity.md 13.3, 20, 21). The
    /// audit then skips them.
    pub(crate) is_odd: bool,
}

/// Of a leaf queue, on the nodes of a label.
#[derive(Debug, Default)]
pub(crate) struct LeafPart {
    pub(crate) am_used: Resource,
    /// As last worked out.
    pub(crate) am_limit: Resource,
    /// What AMs of a user of weight one may have, as last worked out.
    pub(crate) user_am_limit: Resource,
    /// Containers and reservations that were asked for on nodes without a label (rules/node-labels.md 15). What stood
    /// on a node that has another label by now stays.
    pub(crate) shared: BTreeMap<Held, SharedEntry>,
}

/// What stands in the list of what was asked for on nodes without a label.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SharedEntry {
    pub(crate) size: Resource,
    pub(crate) node: NodeId,
    /// It came as a reservation. As in Hadoop the list keeps that when it has become a container.
    pub(crate) was_reserved: bool,
}

/// The limit of AMs on the nodes of one label.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AmTerms {
    pub(crate) label: LabelId,
    /// `maximum-am-resource-percent`
    pub(crate) percent: f32,
    pub(crate) guaranteed: Resource,
}

impl Leaf {
    /// Of a label.
    pub(crate) fn part_mut(&mut self, label: LabelId) -> &mut LeafPart {
        let place = label.ix() - 1;
        if self.parts.len() <= place {
            self.parts.resize_with(place + 1, LeafPart::default);
        }
        &mut self.parts[place]
    }

    pub(crate) fn part(&self, label: LabelId) -> Option<&LeafPart> {
        self.parts.get(label.ix().checked_sub(1)?)
    }

    /// A container or a reservation stands on a node with the label `on`, and was asked for on nodes with the label
    /// `asked`: it is in the list there if it was asked for on nodes without one (rules/node-labels.md 15).
    pub(crate) fn borrows(&mut self, on: LabelId, asked: LabelId, held: Held, entry: SharedEntry) {
        if !on.is_none() && asked.is_none() {
            self.part_mut(on).shared.entry(held).or_insert(entry);
        }
    }

    /// It stands there no more.
    pub(crate) fn borrows_no_more(&mut self, on: LabelId, held: &Held) {
        if !on.is_none() {
            self.part_mut(on).shared.remove(held);
        }
    }

    /// What AMs use on the nodes of a label, or without one.
    pub(crate) fn am_used_in(&self, label: LabelId) -> Resource {
        if label.is_none() { self.am_used } else { self.part(label).map_or(Resource::ZERO, |part| part.am_used) }
    }

    pub(crate) fn add_am(&mut self, label: LabelId, amount: &Resource) {
        let used = if label.is_none() { &mut self.am_used } else { &mut self.part_mut(label).am_used };
        *used = used.plus(amount);
    }

    /// What AMs may use there, as last worked out.
    pub(crate) fn am_limit_in(&self, label: LabelId) -> Resource {
        if label.is_none() { self.am_limit } else { self.part(label).map_or(Resource::ZERO, |part| part.am_limit) }
    }

    /// What a charge and a pass read and write, in cache lines.
    pub(crate) const HOT_LINES: usize = (offset_of!(Leaf, users) + Users::HOT_BYTES).div_ceil(CACHE_LINE);

    /// One without applications. `never_sorts`: its lists do, see [`Ordered`].
    pub(crate) fn new(never_sorts: bool) -> Leaf {
        Leaf {
            active: Ordered::new(never_sorts),
            noted: BTreeMap::new(),
            pending: Ordered::new(never_sorts),
            pending_ams: BTreeMap::new(),
            runnable: BTreeSet::new(),
            users: Users::default(),
            am_used: Resource::ZERO,
            am_limit: Resource::ZERO,
            user_am_limit: Resource::ZERO,
            stored_limit: Resource::ZERO,
            published_limit: Resource::ZERO,
            to_reorder: BTreeSet::new(),
            parts: Vec::new(),
            is_odd: false,
        }
    }

    /// An application waits to be activated, with so large an AM on nodes of a label; whether it did not yet.
    pub(crate) fn wait(
        &mut self,
        entry: AppEntry,
        rank: &AppRank,
        (label, am): (LabelId, &Resource),
        rank_of: impl Fn(AppEntry) -> AppRank,
    ) -> bool {
        let comes = self.pending.insert(entry, rank, AppOrder::Waiting, rank_of);
        if comes {
            *self.pending_ams.entry((label, am.memory_mb())).or_default() += 1;
        }
        comes
    }

    /// It does so no more, if it did.
    pub(crate) fn leave_pending(
        &mut self,
        rank: &AppRank,
        (label, am): (LabelId, &Resource),
        rank_of: impl Fn(AppEntry) -> AppRank,
    ) -> Option<AppEntry> {
        let entry = self.pending.remove(rank, AppOrder::Waiting, rank_of)?;
        self.remove_pending_am(label, am);
        Some(entry)
    }

    /// The first that is noted, or the next one after a place.
    pub(crate) fn next_to_visit(&self, after: Option<Place>) -> Option<(Place, AppEntry)> {
        let noted = match after {
            Some(Place::Key(key)) => self.noted.range((Bound::Excluded(key), Bound::Unbounded)).next(),
            Some(Place::At(_)) | None => self.noted.first_key_value(),
        };
        noted.map(|(key, entry)| (Place::Key(*key), *entry))
    }

    /// Memory of the AMs of those that wait by label, each size with how many have it.
    #[cfg(feature = "faults")]
    pub(crate) fn waiting_ams(&self) -> &BTreeMap<(LabelId, i64), usize> {
        &self.pending_ams
    }

    /// The AM of one that waits counts otherwise.
    pub(crate) fn change_pending_am(&mut self, before: (LabelId, &Resource), after: (LabelId, &Resource)) {
        self.remove_pending_am(before.0, before.1);
        *self.pending_ams.entry((after.0, after.1.memory_mb())).or_default() += 1;
    }

    fn remove_pending_am(&mut self, label: LabelId, am: &Resource) {
        let at = (label, am.memory_mb());
        if let Some(count) = self.pending_ams.get_mut(&at) {
            *count -= 1;
            if *count == 0 {
                self.pending_ams.remove(&at);
            }
        }
    }

    /// The limit of all AMs together (rules/capacity.md 9).
    pub(crate) fn work_out_am_limit(&mut self, percent: f32, guaranteed: &Resource, minimum: &Resource, arith: Arith) {
        let base = if arith.fits_in(guaranteed, &self.published_limit) { &self.published_limit } else { guaranteed };
        self.am_limit = arith.times_up(base, f64::from(percent), minimum);
    }

    /// The limit of one user's AMs (rules/capacity.md 9).
    pub(crate) fn user_am_limit(
        &self,
        percent: f32,
        weight: f32,
        by: &LimitInputs<'_>,
        am_limit: &Resource,
    ) -> Resource {
        let arith = by.arith;
        let active = self.users.active_users().max(1) as f32;
        let effective = (by.user_limit / 100.0).max(1.0 / active);
        let weighted = (effective * weight).min(1.0);
        let factor = if by.factor == -1.0 { percent } else { percent * weighted * by.factor };
        let limit = arith.times_up(by.guaranteed, f64::from(factor), by.minimum);
        arith.least(by.cluster, &limit, am_limit)
    }

    /// The same on the nodes of a label (rules/node-labels.md 9).
    fn work_out_am_limit_of(&mut self, terms: &AmTerms, minimum: &Resource, arith: Arith) {
        if terms.label.is_none() {
            self.work_out_am_limit(terms.percent, &terms.guaranteed, minimum, arith);
            return;
        }
        let none = Resource::ZERO;
        let base = if arith.fits_in(&terms.guaranteed, &none) { none } else { terms.guaranteed };
        self.part_mut(terms.label).am_limit = arith.times_up(&base, f64::from(terms.percent), minimum);
    }

    /// Whether not even the smallest AM that waits may start, in any partition: whatever the calculator, memory has to
    /// fit.
    fn admits_no_am(&self, by: &LimitInputs<'_>) -> bool {
        let mut from = Some((LabelId::NONE, i64::MIN));
        while let Some(((label, smallest), _)) = from.and_then(|from| self.pending_ams.range(from..).next()) {
            let fits = self.am_used_in(*label).memory_mb().saturating_add(*smallest);
            if fits <= self.am_limit_in(*label).memory_mb() || self.is_exempt_from_am_limit(*label, by) {
                return false;
            }
            from = label.0.checked_add(1).map(|next| (LabelId(next), i64::MIN));
        }
        true
    }

    /// Whether an AM may start on nodes of a label although it is above a limit. Without this, no application could
    /// ever start in a small queue.
    fn is_exempt_from_am_limit(&self, label: LabelId, by: &LimitInputs<'_>) -> bool {
        self.active.len() < 1 || by.arith.compare(by.cluster, &self.am_used_in(label), &Resource::ZERO).is_le()
    }
}

/// What keeps an application from being activated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum AmStop {
    /// The limit of all AMs.
    Queue,
    /// The limit of its user's.
    User {
        /// Which is so much.
        limit: Resource,
    },
    /// Nothing any more.
    Nothing,
}

/// What activation has to know of an application.
#[derive(Clone, Debug)]
pub(crate) struct Candidate<'a> {
    pub(crate) rank: AppRank,
    pub(crate) user: &'a str,
    pub(crate) am: Resource,
    /// Where it counts.
    pub(crate) partition: LabelId,
}

impl Leaf {
    /// What keeps an AM of this size from starting on nodes of a label, as the limits were last worked out; its user's
    /// AMs use `of_user` there.
    /// As if he were the first whom activation looks at: the limit is worked out for that one's weight
    /// (rules/capacity.md 9).
    pub(crate) fn am_stop(
        &self,
        percent: f32,
        by: &LimitInputs<'_>,
        weight: f32,
        of_user: &Resource,
        am: &Resource,
        label: LabelId,
    ) -> AmStop {
        let (arith, used, limit) = (by.arith, self.am_used_in(label), self.am_limit_in(label));
        if self.is_exempt_from_am_limit(label, by) {
            return AmStop::Nothing;
        }
        if !arith.fits_in(&used.plus(am), &limit) {
            return AmStop::Queue;
        }
        let limit = self.user_am_limit(percent, weight, by, &limit);
        if arith.fits_in(&of_user.plus(am), &limit) { AmStop::Nothing } else { AmStop::User { limit } }
    }

    /// Activates whom the limits of AMs let, in the order in which they wait (rules/capacity.md 9, rules/node-labels.md
    /// 9). Says who, and whether the active list has not had him already. `limits` are those of the labels that the
    /// leaf may use, `terms` of any; what AMs use is compared by the cluster of `by`. `weight` is that of a user in
    /// this leaf. O(labels) where not even the smallest AM is let. In a list in order nobody is looked at any more once
    /// that is so: O(those that are activated, and those before them whom a limit stops).
    pub(crate) fn activate<'a>(
        &mut self,
        order: AppOrder,
        by: &LimitInputs<'_>,
        (limits, terms): (&[AmTerms], impl Fn(LabelId) -> AmTerms),
        app: impl Fn(AppEntry) -> Candidate<'a>,
        weight: impl Fn(&str) -> f32,
    ) -> Vec<(AppEntry, bool)> {
        let (arith, mut activated) = (by.arith, Vec::new());
        limits.iter().for_each(|terms| self.work_out_am_limit_of(terms, by.minimum, arith));
        if self.admits_no_am(by) {
            return activated;
        }
        // Worked out once for each label, for its first application's user.
        let mut user_limits: SmallVec<[(LabelId, Resource); 1]> = SmallVec::new();
        // By place one entry may be in the list twice.
        let mut by_place = (!self.pending.is_sorted()).then(|| self.pending.iter().collect::<Vec<_>>().into_iter());
        let mut place = None;
        loop {
            let next = match &mut by_place {
                Some(all) => all.next(),
                None if self.admits_no_am(by) => None,
                None => self.pending.next(place).map(|(at, entry)| {
                    place = Some(at);
                    entry
                }),
            };
            let Some(entry) = next else { break };
            let Candidate { rank, user, am, partition } = app(entry);
            let (p, limit) = (Part::of(partition), self.am_limit_in(partition));
            let is_exempt = |leaf: &Leaf| leaf.is_exempt_from_am_limit(partition, by);
            if !arith.fits_in(&self.am_used_in(partition).plus(&am), &limit) && !is_exempt(self) {
                continue;
            }
            let record = self.users.ensure(user, || weight(user));
            let known = user_limits.iter().find(|(label, _)| *label == partition).map(|(_, limit)| *limit);
            let of_user = known.unwrap_or_else(|| {
                let AmTerms { percent, guaranteed, .. } = terms(partition);
                let by = LimitInputs { guaranteed: &guaranteed, ..*by };
                let of_one = self.user_am_limit(percent, 1.0, &by, &limit);
                if partition.is_none() {
                    self.user_am_limit = of_one;
                } else {
                    self.part_mut(partition).user_am_limit = of_one;
                }
                let of_user = self.user_am_limit(percent, self.users.at(record).weight, &by, &limit);
                user_limits.push((partition, of_user));
                of_user
            });
            if !arith.fits_in(&self.users.at(record).am_used_in(p).plus(&am), &of_user) && !is_exempt(self) {
                continue;
            }
            self.users.count(record, 1, -1);
            let comes = self.active.insert(entry, &rank, order, |other| app(other).rank);
            activated.push((entry, comes));
            self.add_am(partition, &am);
            self.users.add_am(record, &am, p);
            self.users.let_start(record, &of_user, p);
            self.pending.remove_entry(entry, &rank, AppOrder::Waiting);
            self.remove_pending_am(partition, &am);
        }
        activated
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capacity::rules::order::FairCache;
    use crate::capacity::rules::partition::Whole;
    use crate::capacity::rules::user_limit_figures::{Bounds, ForUsers, Given};
    use crate::resource::Calculator;
    use std::cell::Cell;

    const MINIMUM: Resource = Resource::new(1024, 1);

    fn rank(entry: AppEntry) -> AppRank {
        AppRank { recovered: false, number: entry, priority: 0, start_ms: 0, fair: FairCache::default() }
    }

    /// One that ends lets the next one start: nobody looks at all who wait.
    #[test]
    fn whom_the_limit_stops_is_not_looked_at() {
        const MANY: u32 = 1000;
        let cluster = Resource::new(8 * 1024, 8);
        let arith = Arith { calculator: Calculator::Memory, types: 2 };
        let for_users = ForUsers { limit: 100.0, factor: 1.0, am_percent: 0.5 };
        let bounds = Bounds::new(Given { arith, cluster, minimum: MINIMUM }, &cluster, &cluster, for_users);
        let by = bounds.inputs();
        let mut leaf = Leaf::new(false);
        leaf.published_limit = cluster;
        for entry in 0..MANY {
            let record = leaf.users.ensure("ann", || 1.0);
            leaf.users.count(record, 0, 1);
            assert!(leaf.wait(entry, &rank(entry), (LabelId::NONE, &MINIMUM), rank));
        }
        let looks = Cell::new(0);
        let activate = |leaf: &mut Leaf, looks: &Cell<u32>| -> Vec<AppEntry> {
            let candidate = |entry| {
                looks.set(looks.get() + 1);
                Candidate { rank: rank(entry), user: "ann", am: MINIMUM, partition: LabelId::NONE }
            };
            // Half of the cluster is for AMs.
            let terms = AmTerms { label: LabelId::NONE, percent: 0.5, guaranteed: cluster };
            let activated = leaf.activate(AppOrder::Fifo, &by, (&[terms], |_| terms), candidate, |_| 1.0);
            activated.into_iter().map(|(entry, _)| entry).collect()
        };
        assert_eq!(activate(&mut leaf, &looks), [0, 1, 2, 3]);
        for next in 4..100 {
            looks.set(0);
            let record = leaf.users.ensure("ann", || 1.0);
            assert!(leaf.active.remove(&rank(next - 4), AppOrder::Fifo, rank).is_some());
            leaf.am_used = leaf.am_used.minus(&MINIMUM);
            leaf.users.add_am(record, &Resource::ZERO.minus(&MINIMUM), Whole);
            leaf.users.count(record, -1, 0);
            assert_eq!(activate(&mut leaf, &looks), [next]);
            assert!(looks.get() < 20, "{} looks for one", looks.get());
        }
    }
}

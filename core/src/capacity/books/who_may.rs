//! Which application may get something next: the checks of the limits of queues and users before a choice
//! (rules/capacity.md 12, 13.1, 13.2).
//!
//! A pass calls [`may_assign`](Books::may_assign) for each queue on its way, and [`next_app`](Books::next_app) in a
//! leaf, which applies the limit of users by [`user_may`](Books::user_may).

use super::leaf_walk::Walk;
use super::{Books, QueueBook};
use crate::capacity::rules::allocator::Limits;
use crate::capacity::rules::observer::{Observer, Stop, Visited};
use crate::capacity::rules::order::AppRank;
use crate::capacity::rules::ordered::AppEntry;
use crate::capacity::rules::tried::AppEnd;
use crate::resource::Resource;
use rustc_hash::FxHashMap;

impl Books {
    /// rules/capacity.md 12.2, with what is blocked: what a child may use beside what it uses.
    pub(crate) fn left_for_children(&self, slot: u32, limits: &mut Limits) -> Resource {
        let queue = self.queue(slot);
        if self.arith.is_greater(&self.cluster, &limits.limit, &queue.figures.maximum) {
            limits.limit = queue.figures.maximum;
        }
        let used = queue.counts.used.minus(&queue.counts.killable_sum);
        limits.limit.minus(&limits.blocked).minus(&used)
    }

    /// The same, with what it uses.
    pub(crate) fn limit_of_child(&self, child: u32, left: &Resource) -> Resource {
        self.arith.round_down(&left.plus(&self.counts(child).used), &self.minimum)
    }

    /// Whether a queue has anything left, or would have if reservations were given up (rules/capacity.md 12.4).
    pub(crate) fn may_assign(&self, slot: u32, limits: &mut Limits, could_unreserve: &Resource) -> Result<(), Stop> {
        let (arith, cluster, queue) = (self.arith, &self.cluster, self.queue(slot));
        let QueueBook { figures, counts, leaf, .. } = queue;
        let is_less = arith.is_greater(cluster, &figures.maximum, &limits.limit);
        let now = if is_less { &limits.limit } else { &figures.maximum };
        let without_killable;
        // A leaf does not make room for itself.
        let used = if leaf.is_some() || counts.killable_sum.is_zero_in_types(arith.types) {
            &counts.used
        } else {
            without_killable = counts.used.minus(&counts.killable_sum);
            &without_killable
        };
        let headroom = now.minus(used);
        let may = arith.is_less(cluster, used, now)
            || figures.continue_looking
                && arith.is_greater(cluster, could_unreserve, &Resource::ZERO)
                && arith.is_less(cluster, &used.minus(could_unreserve), now);
        let answer = if may { Ok(()) } else { Err(Stop::Queue { slot, limit: *now }) };
        limits.headroom = headroom;
        answer
    }

    /// What every offer to a leaf begins with (rules/capacity.md 13.1, steps 1 and 2). `has_killable`: there is
    /// something on the node that may go for the leaf.
    #[inline]
    pub(crate) fn enter_leaf<O: Observer>(&mut self, slot: u32, limits: &mut Limits, has_killable: bool) {
        if O::KEEPS_RESULTS {
            self.store_limit(slot, &limits.limit);
            self.limit_was_stored(slot);
        }
        limits.may_kill = has_killable && self.may_kill(slot);
    }

    /// Whether killable containers may go for a leaf: it has less than is guaranteed to it.
    pub(crate) fn may_kill(&self, slot: u32) -> bool {
        let (node, counts) = (self.node(slot), self.counts(slot));
        if node.guaranteed().is_zero() {
            counts.absolute_used_capacity < node.absolute_capacity()
        } else {
            self.arith.is_less(&self.cluster, &counts.used, node.guaranteed())
        }
    }

    /// Whether more is asked for in a queue.
    #[inline]
    pub(crate) fn is_wanting(&self, slot: u32) -> bool {
        self.queue(slot).wants
    }

    /// The next application of a walk that asks for something and whose user may have more (rules/capacity.md 13.1.6).
    /// Of a sorted list only those that are noted are looked at, once what all have in common is done: O(log
    /// applications), and one step for each noted one that may not have more. Who is told hears of all.
    pub(crate) fn next_app<O: Observer>(
        &mut self,
        slot: u32,
        limits: &mut Limits,
        walk: &mut Walk,
        eye: &mut O,
    ) -> Option<AppEntry> {
        let continue_looking = self.queue(slot).figures.continue_looking;
        loop {
            let entry = self.next_in_line::<O>(slot, walk)?;
            if O::VISITS_ALL {
                let app = &self.apps[entry];
                let queue = &self.node(app.leaf).config.path;
                eye.app(&Visited { number: app.number, priority: app.priority, queue });
            }
            if walk.checks_queue {
                let reserved = self.apps[entry].reserved;
                if let Err(stop) = self.may_assign(slot, limits, &reserved) {
                    eye.stopped(&stop);
                    return None;
                }
                walk.checks_queue = continue_looking && !reserved.is_zero();
            }
            if let Err(stop) = self.user_may::<O>(slot, entry, limits, walk) {
                eye.stopped(&stop);
            } else if self.arith.is_wanted(&self.cluster, &self.apps[entry].pending) {
                return Some(entry);
            } else {
                eye.app_ends(AppEnd::NothingWanted);
            }
        }
    }

    fn next_in_line<O: Observer>(&self, slot: u32, walk: &mut Walk) -> Option<AppEntry> {
        if let Some(line) = &mut walk.line {
            return line.next();
        }
        let leaf = self.leaf(slot);
        let is_looked_at = !walk.checks_queue && walk.has_published && leaf.users.is_worked_out();
        let all = O::VISITS_ALL || !is_looked_at || !leaf.active.is_sorted();
        let (place, entry) = if all { leaf.active.next(walk.place) } else { leaf.next_to_visit(walk.place) }?;
        walk.place = Some(place);
        Some(entry)
    }

    /// Where a pass in a leaf begins. What only looks goes by the order in which the next pass meets the applications:
    /// who awaits a refresh of its place has got it (rules/capacity.md 13.3).
    pub(crate) fn begin_walk<O: Observer>(&mut self, slot: u32) -> Walk {
        if O::KEEPS_RESULTS {
            self.reorder(slot);
            return Walk::new();
        }
        let (leaf, order) = (self.leaf(slot), self.app_order(slot));
        let (mut active, mut fresh) = (leaf.active.clone(), FxHashMap::<AppEntry, AppRank>::default());
        for (_, entry) in &leaf.to_reorder {
            let rank_of = |other| fresh.get(&other).copied().unwrap_or_else(|| self.rank(other));
            let before = rank_of(*entry);
            if active.remove(&before, order, rank_of).is_none() {
                active.stop_sorting();
            }
            let now = AppRank { fair: self.apps[*entry].fair_now(), ..before };
            fresh.insert(*entry, now);
            active.insert(*entry, &now, order, |other| fresh.get(&other).copied().unwrap_or_else(|| self.rank(other)));
        }
        Walk { line: Some(active.iter().collect::<Vec<_>>().into_iter()), ..Walk::new() }
    }

    /// Looks up the limit of a user, publishes it if what is worked out stays, and says why he may not have more
    /// (rules/capacity.md 13.1.6 and 13.2).
    pub(crate) fn user_may<O: Observer>(
        &mut self,
        slot: u32,
        entry: AppEntry,
        limits: &mut Limits,
        walk: &mut Walk,
    ) -> Result<(), Stop> {
        let continue_looking = self.queue(slot).figures.continue_looking;
        let (arith, cluster) = (self.arith, self.cluster);
        let (_, leaf, apps) = self.leaf_and_apps(slot);
        let app = &apps[entry];
        let reserved = app.reserved;
        let seat = if app.leaf == slot { app.seat } else { leaf.users.seat(&app.user) };
        let record = leaf.users.record_at(seat);
        let failed_with = leaf.users.failed_with(seat).copied();
        // Without a record there is nothing to publish.
        walk.has_published |= record.is_some();
        let limit = self.user_limit::<O>(slot, entry).unwrap_or(Resource::ZERO);
        let stop = || if record.is_some() { Stop::User { limit } } else { Stop::UserForgotten };
        if failed_with.is_some_and(|failed| reserved.fits_in(&failed)) {
            return Err(stop());
        }
        let users = &mut self.leaf_mut(slot).users;
        let may = record.is_some_and(|record| {
            let used = users.at(record).used;
            limits.to_unreserve = Resource::ZERO;
            if !arith.is_greater(&cluster, &used, &limit) {
                return true;
            }
            let may = continue_looking && !arith.is_greater(&cluster, &used.minus(&reserved), &limit);
            if may {
                limits.to_unreserve = used.minus(&limit);
            }
            may
        });
        if !may && failed_with.is_none_or(|failed| failed.fits_in(&reserved)) {
            users.has_failed_with(seat, reserved);
        }
        if may { Ok(()) } else { Err(stop()) }
    }
}

//! Which application may get something next: the checks of the limits of queues and users before a choice
//! (rules/capacity.md 12, 13.1, 13.2).
//!
//! A pass calls [`may_assign`](Books::may_assign) for each queue on its way, and [`next_app`](Books::next_app) in a
//! leaf, which applies the limit of users by [`user_may`](Books::user_may).

use super::Books;
use super::leaf_walk::Walk;
use crate::capacity::rules::allocator::Limits;
use crate::capacity::rules::observer::{Observer, Stop, Visited};
use crate::capacity::rules::order::AppRank;
use crate::capacity::rules::ordered::AppEntry;
use crate::capacity::rules::partition::Partition;
use crate::capacity::rules::tried::AppEnd;
use crate::config::capacity::AppOrdering;
use crate::resource::Resource;
use rustc_hash::FxHashMap;

impl Books {
    /// rules/capacity.md 12.2, with what is blocked: what a child may use beside what it uses.
    pub(crate) fn left_for_children<P: Partition>(&self, slot: u32, limits: &mut Limits, p: P) -> Resource {
        let (maximum, counts) = (self.maximum(slot, p), self.counts_in(slot, p));
        if self.arith.is_greater(&self.cluster, &limits.limit, maximum) {
            limits.limit = *maximum;
        }
        let used = counts.used.minus(&counts.killable_sum);
        limits.limit.minus(&limits.blocked).minus(&used)
    }

    /// The same, with what it uses.
    pub(crate) fn limit_of_child<P: Partition>(&self, child: u32, left: &Resource, p: P) -> Resource {
        self.arith.round_down(&left.plus(&self.counts_in(child, p).used), &self.minimum)
    }

    /// Whether a queue has anything left, or would have if reservations were given up (rules/capacity.md 12.4).
    pub(crate) fn may_assign<P: Partition>(
        &self,
        slot: u32,
        limits: &mut Limits,
        could_unreserve: &Resource,
        p: P,
    ) -> Result<(), Stop> {
        let (arith, cluster, queue) = (self.arith, &self.cluster, self.queue(slot));
        let (figures, counts, leaf) = (queue.figures_in(p), queue.counts_in(p), &queue.leaf);
        let now = if p.is_lent() {
            self.size(p)
        } else if arith.is_greater(cluster, &figures.maximum, &limits.limit) {
            &limits.limit
        } else {
            &figures.maximum
        };
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
    pub(crate) fn enter_leaf<O: Observer, P: Partition>(
        &mut self,
        slot: u32,
        limits: &mut Limits,
        has_killable: bool,
        p: P,
    ) {
        if O::KEEPS_RESULTS {
            self.store_limit(slot, &limits.limit);
            self.limit_was_stored(slot);
        }
        limits.may_kill = has_killable && self.may_kill(slot, p);
    }

    /// Whether killable containers may go for a leaf: it has less than is guaranteed to it.
    pub(crate) fn may_kill<P: Partition>(&self, slot: u32, p: P) -> bool {
        let counts = self.counts_in(slot, p);
        let (guaranteed, absolute_capacity) = if p.is_first() {
            (*self.node(slot).guaranteed(), self.node(slot).absolute_capacity())
        } else {
            self.node(slot)
                .of_label(self.labels.name(p.label()))
                .map_or(Default::default(), |(_, figures)| (figures.effective_minimum, figures.absolute_capacity))
        };
        if guaranteed.is_zero() {
            counts.absolute_used_capacity < absolute_capacity
        } else {
            self.arith.is_less(&self.cluster, &counts.used, &guaranteed)
        }
    }

    /// Whether more is asked for in a queue.
    #[inline]
    pub(crate) fn is_wanting<P: Partition>(&self, slot: u32, p: P) -> bool {
        let (queue, asked) = (self.queue(slot), p.asked());
        if asked.is_first() {
            queue.wants
        } else {
            self.arith.is_wanted(&self.cluster, &queue.counts_in(asked).pending)
        }
    }

    /// Whether a queue may be offered nodes of a partition at all (rules/node-labels.md 11 and 12).
    #[inline]
    pub(crate) fn may_be_offered<P: Partition>(&self, slot: u32, p: P) -> bool {
        p.is_first() || p.is_lent() || self.may_use(slot, p.label())
    }

    /// The next application of a walk that asks for something and whose user may have more (rules/capacity.md 13.1.6).
    /// Of a sorted list only those that are noted are looked at, once what all have in common is done: O(log
    /// applications), and one step for each noted one that may not have more. Who is told hears of all.
    pub(crate) fn next_app<O: Observer, P: Partition>(
        &mut self,
        slot: u32,
        limits: &mut Limits,
        walk: &mut Walk,
        p: P,
        eye: &mut O,
    ) -> Option<AppEntry> {
        let continue_looking = self.queue(slot).figures.continue_looking;
        loop {
            let entry = self.next_in_line::<O, P>(slot, walk, p)?;
            if O::VISITS_ALL {
                let app = &self.apps[entry];
                let queue = &self.node(app.leaf).config.path;
                eye.app(&Visited { number: app.number, priority: app.priority, queue });
            }
            if walk.checks_queue {
                let reserved = self.apps[entry].reserved;
                if let Err(stop) = self.may_assign(slot, limits, &reserved, p) {
                    eye.stopped(&stop);
                    return None;
                }
                walk.checks_queue = continue_looking && !reserved.is_zero();
            }
            if let Err(stop) = self.user_may::<O, P>(slot, entry, limits, walk, p) {
                eye.stopped(&stop);
            } else if self.arith.is_wanted(&self.cluster, self.apps[entry].pending_in(p.asked())) {
                return Some(entry);
            } else {
                eye.app_ends(AppEnd::NothingWanted);
            }
        }
    }

    fn next_in_line<O: Observer, P: Partition>(&self, slot: u32, walk: &mut Walk, p: P) -> Option<AppEntry> {
        loop {
            let entry = match &mut walk.line {
                Some(line) => line.next()?,
                None => {
                    let leaf = self.leaf(slot);
                    let is_looked_at = !walk.checks_queue && walk.has_published && leaf.users.is_worked_out(p);
                    let all = O::VISITS_ALL || !is_looked_at || !leaf.active.is_sorted();
                    let next = if all { leaf.active.next(walk.place) } else { leaf.next_to_visit(walk.place) };
                    let (place, entry) = next?;
                    walk.place = Some(place);
                    entry
                }
            };
            if P::IS_WHOLE || self.is_in_line_of(slot, entry, p) {
                return Some(entry);
            }
        }
    }

    /// Whether an application is among those that a partition is offered to: with `fifo-with-partitions` a list has
    /// them by their own labels (rules/node-labels.md 21).
    fn is_in_line_of<P: Partition>(&self, slot: u32, entry: AppEntry, p: P) -> bool {
        let Some(AppOrdering::FifoWithPartitions { partitions }) = self.node(slot).leaf().map(|leaf| &leaf.ordering)
        else {
            return true;
        };
        let list_of = |label: &str| partitions.iter().position(|named| named == label);
        list_of(&self.apps[entry].own_label) == list_of(self.labels.name(p.label()))
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
    pub(crate) fn user_may<O: Observer, P: Partition>(
        &mut self,
        slot: u32,
        entry: AppEntry,
        limits: &mut Limits,
        walk: &mut Walk,
        p: P,
    ) -> Result<(), Stop> {
        let continue_looking = self.queue(slot).figures.continue_looking;
        let (arith, cluster) = (self.arith, self.cluster);
        let (leaf, apps) = self.leaf_and_apps(slot);
        let app = &apps[entry];
        let reserved = app.reserved;
        let seat = if app.leaf == slot { app.seat } else { leaf.users.seat(&app.user) };
        let record = leaf.users.record_at(seat);
        let failed_with = leaf.users.failed_with(seat, p).copied();
        // Without a record there is nothing to publish.
        walk.has_published |= record.is_some();
        let limit = self.user_limit::<O, P>(slot, entry, p).unwrap_or(Resource::ZERO);
        let stop = || if record.is_some() { Stop::User { limit } } else { Stop::UserForgotten };
        if failed_with.is_some_and(|failed| reserved.fits_in(&failed)) {
            return Err(stop());
        }
        let users = &mut self.leaf_mut(slot).users;
        let may = record.is_some_and(|record| {
            let used = users.at(record).used_in(p);
            limits.to_unreserve = Resource::ZERO;
            if !arith.is_greater(&cluster, &used, &limit) {
                return true;
            }
            // As in Hadoop, by what he uses and has reserved on nodes without a label, whichever these are.
            let without_reserved = users.at(record).used.minus(&reserved);
            let may = continue_looking && !arith.is_greater(&cluster, &without_reserved, &limit);
            if may {
                limits.to_unreserve = used.minus(&limit);
            }
            may
        });
        if !may && failed_with.is_none_or(|failed| failed.fits_in(&reserved)) {
            users.has_failed_with(seat, reserved, p);
        }
        if may { Ok(()) } else { Err(stop()) }
    }
}

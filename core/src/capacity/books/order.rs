//! Whom a queue asks, in which order, and within which limits (rules/capacity.md 12, 13.1, 13.2).

use super::Books;
use super::apps::Publication;
use super::leaf_walk::Walk;
use crate::capacity::rules::allocator::Limits;
use crate::capacity::rules::observer::{Observer, Stop, Visited};
use crate::capacity::rules::order::AppRank;
use crate::capacity::rules::ordered::AppEntry;
use crate::capacity::rules::tried::AppEnd;
use crate::capacity::rules::users::PassUser;
use crate::resource::Resource;
use rustc_hash::FxHashMap;

impl Books {
    /// rules/capacity.md 12.2, with what is blocked: what a child may use beside what it uses.
    pub(crate) fn left_for_children(&self, slot: u32, limits: &mut Limits) -> Resource {
        limits.limit = self.arith.least(&self.cluster, &limits.limit, self.maximum(slot));
        let used = self.counts(slot).used.minus(&self.killable_in(slot));
        limits.limit.minus(&limits.blocked).minus(&used)
    }

    /// The same, with what it uses.
    pub(crate) fn limit_of_child(&self, child: u32, left: &Resource) -> Resource {
        self.arith.round_down(&left.plus(&self.counts(child).used), &self.minimum)
    }

    /// Whether a queue has anything left, or would have if reservations were given up (rules/capacity.md 12.4).
    pub(crate) fn may_assign(&self, slot: u32, limits: &mut Limits, could_unreserve: &Resource) -> Result<(), Stop> {
        let (arith, cluster) = (self.arith, &self.cluster);
        let now = arith.least(cluster, self.maximum(slot), &limits.limit);
        // A leaf does not make room for itself.
        let killable = if self.is_leaf(slot) { Resource::ZERO } else { self.killable_in(slot) };
        let used = &self.counts(slot).used.minus(&killable);
        limits.headroom = now.minus(used);
        if arith.is_less(cluster, used, &now) {
            return Ok(());
        }
        let may = self.queue(slot).figures.continue_looking
            && arith.is_greater(cluster, could_unreserve, &Resource::ZERO)
            && arith.is_less(cluster, &used.minus(could_unreserve), &now);
        if may { Ok(()) } else { Err(Stop::Queue { slot, limit: now }) }
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
        let known = leaf.users.pass_user(seat).map(|known| (known.limit, known.failed_with));
        // Without a record there is nothing to publish.
        walk.has_published |= record.is_some();
        let (limit, failed_with) = match known {
            Some(known) => {
                if let Some(user) = record.filter(|_| O::KEEPS_RESULTS) {
                    self.publish(entry, Publication { leaf: slot, seat, user });
                }
                known
            }
            None => (self.user_limit::<O>(slot, entry).unwrap_or(Resource::ZERO), None),
        };
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
        let panics_at_restart = !may && failed_with.is_none_or(|failed| failed.fits_in(&reserved));
        if panics_at_restart || known.is_none() {
            users.remember(
                seat,
                PassUser { limit, failed_with: if panics_at_restart { Some(reserved) } else { failed_with } },
            );
        }
        if may { Ok(()) } else { Err(stop()) }
    }
}

//! Whom a queue asks, in which order, and within which limits (reference 12, 13.1, 13.2).

use super::Books;
use crate::capacity::allocator::{Limits, Rules};
use crate::capacity::leaf::PassUser;
use crate::capacity::order::{QueueRank, compare_queues};
use crate::config::capacity::QueueOrdering;
use crate::resource::Resource;

impl Books {
    pub(crate) fn rules(&self, leaf: u32) -> Rules {
        let (settings, node) = (self.file(leaf).settings(), self.node(leaf));
        Rules {
            arith: self.arith,
            cluster: self.cluster,
            nodes: self.nodes,
            node_locality_delay: settings.node_locality_delay,
            rack_locality_additional_delay: settings.rack_locality_additional_delay,
            continue_looking: settings.reservations_continue_look_all_nodes,
            maximum_allocation: node.config.maximum_allocation,
            minimum_allocation_factor: node.leaf().map_or(0.0, |leaf| leaf.minimum_allocation_factor),
        }
    }

    /// 12.2, with what is blocked.
    pub(crate) fn limit_of_child(&self, slot: u32, child: u32, limits: &mut Limits) -> Resource {
        limits.limit = self.arith.least(&self.cluster, &limits.limit, self.node(slot).maximum());
        let used = self.counts(slot).used.minus(&self.killable_in(slot));
        let left = limits.limit.minus(&limits.blocked).minus(&used);
        self.arith.round_down(&left.plus(&self.counts(child).used), &self.minimum)
    }

    /// 12.3: the children of a parent.
    pub(crate) fn children_in_order(&self, slot: u32, out: &mut Vec<u32>) {
        let node = self.node(slot);
        let ordering = node.config.as_parent().map_or(QueueOrdering::Utilization, |parent| parent.ordering);
        let rank = |child: &u32| {
            let (queue, counts) = (self.node(*child), self.counts(*child));
            QueueRank {
                absolute_capacity: queue.absolute_capacity(),
                used: counts.used_capacity,
                absolute_used: counts.absolute_used_capacity,
                priority: queue.config.priority,
                minimum: queue.config.capacities[0].minimum,
            }
        };
        out.clear();
        out.extend_from_slice(&node.children);
        out.sort_by(|a, b| compare_queues(&rank(a), &rank(b), ordering));
    }

    /// 12.4
    pub(crate) fn may_assign(&self, slot: u32, limits: &mut Limits, could_unreserve: &Resource) -> bool {
        let (arith, cluster) = (self.arith, &self.cluster);
        let now = arith.least(cluster, self.node(slot).maximum(), &limits.limit);
        // A leaf does not make room for itself.
        let killable = if self.is_leaf(slot) { Resource::ZERO } else { self.killable_in(slot) };
        let used = &self.counts(slot).used.minus(&killable);
        limits.headroom = now.minus(used);
        if arith.is_less(cluster, used, &now) {
            return true;
        }
        self.file(slot).settings().reservations_continue_look_all_nodes
            && arith.is_greater(cluster, could_unreserve, &Resource::ZERO)
            && arith.is_less(cluster, &used.minus(could_unreserve), &now)
    }

    /// What every offer to a leaf begins with (13.1 steps 1 and 2).
    pub(crate) fn enter_leaf(&mut self, slot: u32, limits: &mut Limits) {
        self.store_limit(slot, &limits.limit);
        let (node, counts) = (self.node(slot), self.counts(slot));
        limits.may_kill = if node.guaranteed().is_zero() {
            counts.absolute_used_capacity < node.absolute_capacity()
        } else {
            self.arith.is_less(&self.cluster, &counts.used, node.guaranteed())
        };
    }

    /// Whether more is asked for in a queue.
    pub(crate) fn is_wanting(&self, slot: u32) -> bool {
        self.arith.is_greater(&self.cluster, &self.counts(slot).pending, &Resource::ZERO)
    }

    /// 13.1 steps 6b and 6c, 13.2
    pub(crate) fn user_may(&mut self, slot: u32, app: u32, limits: &mut Limits) -> bool {
        let (arith, cluster) = (self.arith, self.cluster);
        let reserved = self.app(app).reserved;
        let (_, leaf, all) = self.leaf_and_apps(slot);
        let user = &all.get(app).user;
        let known = leaf.pass_users().get(user).cloned();
        // Without a record there is nothing to publish.
        let limit = match (&known, leaf.users.record(user)) {
            (Some(known), Some(record)) => {
                let limit = known.limit;
                self.publish(slot, app, record);
                limit
            }
            (Some(known), None) => known.limit,
            (None, _) => self.user_limit_and_publish(slot, app).unwrap_or(Resource::ZERO),
        };
        let mut pass = known.unwrap_or(PassUser { limit, failed_with: None });
        if pass.failed_with.is_some_and(|failed| reserved.fits_in(&failed)) {
            return false;
        }
        let continue_looking = self.file(slot).settings().reservations_continue_look_all_nodes;
        let (_, leaf, all) = self.leaf_and_apps(slot);
        let user = &all.get(app).user;
        let used = leaf.users.get(user).map(|user| user.used);
        let may = used.is_some_and(|used| {
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
        if !may && pass.failed_with.is_none_or(|failed| failed.fits_in(&reserved)) {
            pass.failed_with = Some(reserved);
        }
        match leaf.pass_users().get_mut(&**user) {
            Some(known) => *known = pass,
            None => drop(leaf.pass_users().insert(user.clone(), pass)),
        }
        may
    }
}

//! A node's heartbeat: passes over it, each from root down to one container or one reservation
//! (rules/capacity.md 11 to 17).

use super::commit::Proposal;
use super::killable::as_container;
use super::state::Plain;
use crate::app::Locality;
use crate::capacity::allocator::{Chosen, KeyFacts, Limits, NodeFacts, Skipped, choose, precheck};
use crate::capacity::asks::ANY;
use crate::capacity::order::{AppOrder, FairCache, QueueRank, compare_queues, compare_sizes, queue_key};
use crate::capacity::tree::ROOT;
use crate::capacity::users::PassUser;
use crate::config::capacity::{AppOrdering, QueueOrdering};
use crate::matching::number::containers_left;
use crate::resource::Resource;

/// What came of offering a node to a queue.
#[derive(Debug)]
enum Offered {
    Proposal(Box<Proposal>),
    /// A queue below has no room for its next container.
    QueueLimit,
    Nothing,
}

/// What one pass handed out.
struct Handed {
    off_switch: bool,
    reservation: bool,
}

impl Plain {
    pub(super) fn heartbeat(&mut self, node: usize) {
        let settings = self.tree.file.settings();
        let (multiple, most) = (settings.multiple_assignments, settings.maximum_container_assignments);
        let off_switch_most = settings.maximum_offswitch_assignments;
        let (mut off_switch, mut count) = (0, 0);
        while let Some(handed) = self.pass(node) {
            off_switch += i32::from(handed.off_switch);
            count += 1;
            let more = multiple && (most == -1 || count < most);
            if off_switch >= off_switch_most || handed.reservation || !more {
                break;
            }
        }
    }

    fn pass(&mut self, node: usize) -> Option<Handed> {
        if containers_left(self.containers_on(node), self.tree.file.settings().max_containers_per_node) == 0 {
            return None;
        }
        if let Some((app, number)) = self.node(node).reservation {
            self.serve_reservation(node, app, number);
            return None;
        }
        let at = self.node(node);
        if self.arith.available_containers(&at.free.plus(&at.killable.sum()), &self.minimum) <= 0 {
            return None;
        }
        let mut limits = Limits::new(self.cluster);
        let Offered::Proposal(proposal) = self.offer_queue(ROOT, node, &mut limits) else { return None };
        let handed = Handed {
            off_switch: proposal.chosen.locality == Locality::OffSwitch,
            reservation: !proposal.chosen.allocated,
        };
        // A refused one counts, too.
        self.commit(&proposal);
        Some(handed)
    }

    /// Those too that have ended and that the node has not reported.
    fn containers_on(&self, node: usize) -> usize {
        let of_apps = self.apps.values().flat_map(|app| app.containers.values());
        let live = of_apps.filter(|container| container.node == node).count();
        live + self.lingering.values().filter(|left| left.node == node).count()
    }

    fn offer_queue(&mut self, slot: u32, node: usize, limits: &mut Limits) -> Offered {
        if self.leaves[slot as usize].is_some() {
            return self.offer_leaf(slot, node, limits);
        }
        let none = Resource::ZERO;
        let counts = &self.counts[slot as usize];
        if !self.arith.is_greater(&self.cluster, &counts.pending.amount(), &none) {
            return Offered::Nothing;
        }
        let at = self.node(node);
        if at.reservation.is_some() || !self.arith.fits_in(&self.minimum, &at.free.plus(&at.killable.sum())) {
            return Offered::Nothing;
        }
        let reserved = Resource::new(counts.reserved_by_apps.memory_mb(), counts.reserved_by_apps.vcores());
        if !self.may_assign(slot, limits, &reserved) {
            return Offered::Nothing;
        }
        let mut answer = Offered::Nothing;
        for child in self.children_in_order(slot) {
            let mut of_child = Limits::new(self.limit_of_child(slot, child, limits));
            match self.offer_queue(child, node, &mut of_child) {
                proposal @ Offered::Proposal(_) => return proposal,
                Offered::QueueLimit => {
                    let kept = if self.leaves[child as usize].is_some() { of_child.headroom } else { of_child.blocked };
                    limits.blocked = limits.blocked.plus(&self.arith.most(&self.cluster, &kept, &none));
                    answer = Offered::QueueLimit;
                }
                Offered::Nothing => {}
            }
        }
        answer
    }

    /// What a child may use of what its parent has left, less what is blocked (rules/capacity.md 12.2).
    fn limit_of_child(&self, slot: u32, child: u32, limits: &mut Limits) -> Resource {
        limits.limit = self.arith.least(&self.cluster, &limits.limit, self.tree.get(slot).maximum());
        let used = self.counts[slot as usize].used.minus(&self.killable_in(slot));
        let left = limits.limit.minus(&limits.blocked).minus(&used);
        self.arith.round_down(&left.plus(&self.counts[child as usize].used), &self.minimum)
    }

    /// The children of a queue, the one that uses least of its guarantee first, or by priority
    /// (rules/capacity.md 12.3).
    fn children_in_order(&self, slot: u32) -> Vec<u32> {
        let node = self.tree.get(slot);
        let ordering = node.config.as_parent().map_or(QueueOrdering::Utilization, |parent| parent.ordering);
        let rank = |child: &u32| {
            let (queue, counts) = (self.tree.get(*child), &self.counts[*child as usize]);
            QueueRank {
                absolute_capacity: queue.absolute_capacity(),
                used: counts.used_capacity,
                absolute_used: counts.absolute_used_capacity,
                priority: queue.config.priority,
                minimum: queue.config.capacities[0].minimum,
            }
        };
        let mut children = node.children.clone();
        children.sort_by(|a, b| compare_sizes(&rank(a), &rank(b)));
        let sizes: Vec<u32> = children.clone();
        let size = |child: &u32| sizes.iter().zip(0_u32..).find(|(other, _)| *other == child).map_or(0, |(_, at)| at);
        children.clone_from(&node.children);
        children.sort_by(|a, b| compare_queues(&rank(a), &rank(b), ordering));
        let keys = || children.iter().map(|child| queue_key(&rank(child), ordering, size(child), *child));
        debug_assert!(keys().is_sorted(), "keys order as what is compared");
        children
    }

    /// Whether a queue has anything left, or would have if reservations were given up (rules/capacity.md 12.4).
    fn may_assign(&self, slot: u32, limits: &mut Limits, could_unreserve: &Resource) -> bool {
        let (arith, cluster) = (self.arith, &self.cluster);
        let now = arith.least(cluster, self.tree.get(slot).maximum(), &limits.limit);
        // A leaf does not make room for itself.
        let killable = if self.leaves[slot as usize].is_some() { Resource::ZERO } else { self.killable_in(slot) };
        let used = &self.counts[slot as usize].used.minus(&killable);
        limits.headroom = now.minus(used);
        if arith.is_less(cluster, used, &now) {
            return true;
        }
        self.tree.file.settings().reservations_continue_look_all_nodes
            && arith.is_greater(cluster, could_unreserve, &Resource::ZERO)
            && arith.is_less(cluster, &used.minus(could_unreserve), &now)
    }

    /// What every offer to a leaf begins with (rules/capacity.md 13.1, steps 1 and 2).
    fn enter_leaf(&mut self, slot: u32, limits: &mut Limits) {
        self.store_limit(slot, &limits.limit);
        let (node, counts) = (self.tree.get(slot), &self.counts[slot as usize]);
        limits.may_kill = if node.guaranteed().is_zero() {
            counts.absolute_used_capacity < node.absolute_capacity()
        } else {
            self.arith.is_less(&self.cluster, &counts.used, node.guaranteed())
        };
    }

    /// A leaf offers the node to its applications in order, until one takes it or holds back what is left
    /// (rules/capacity.md 13.1).
    fn offer_leaf(&mut self, slot: u32, node: usize, limits: &mut Limits) -> Offered {
        self.enter_leaf(slot, limits);
        if !self.arith.is_greater(&self.cluster, &self.counts[slot as usize].pending.amount(), &Resource::ZERO) {
            return Offered::Nothing;
        }
        self.reorder(slot);
        let continue_looking = self.tree.file.settings().reservations_continue_look_all_nodes;
        let active: Vec<u32> = self.leaf(slot).active.iter().collect();
        debug_assert!(self.ordering(slot) != AppOrdering::Fifo || self.stands_by_keys(slot), "a fifo list is in order");
        let mut check_queue = true;
        for app in active {
            let reserved = self.app(app).reserved;
            if check_queue {
                if !self.may_assign(slot, limits, &reserved) {
                    return Offered::Nothing;
                }
                check_queue = continue_looking && !reserved.is_zero();
            }
            if !self.user_may(slot, app, limits) {
                continue;
            }
            match self.offer_app(app, node, limits) {
                Ok(proposal) => return Offered::Proposal(Box::new(proposal)),
                Err(Skipped::Queue) => return Offered::QueueLimit,
                Err(Skipped::App | Skipped::Key) => {}
            }
        }
        Offered::Nothing
    }

    /// Whether the active applications stand as their keys say: but for odd cases of rules/capacity.md 13.3 they do.
    fn stands_by_keys(&self, slot: u32) -> bool {
        let ordering = self.ordering(slot);
        self.leaf(slot).active.iter().map(|app| AppOrder::of(&ordering).key(&self.rank(app))).is_sorted()
    }

    /// Looks up the limit of a user, publishes it, and says whether he may have more
    /// (rules/capacity.md 13.1.6 and 13.2).
    fn user_may(&mut self, slot: u32, app: u32, limits: &mut Limits) -> bool {
        let (arith, cluster) = (self.arith, self.cluster);
        let (user, reserved) = (self.app(app).user.clone(), self.app(app).reserved);
        let users = &mut self.leaf_mut(slot).users;
        let seat = users.seat(&user);
        let known = users.pass_user(seat).cloned();
        // Without a record there is nothing to publish.
        let limit = match (&known, self.leaf(slot).users.record(&user)) {
            (Some(known), Some(record)) => {
                self.publish(slot, app, record);
                known.limit
            }
            (Some(known), None) => known.limit,
            (None, _) => self.user_limit_and_publish(slot, app).unwrap_or(Resource::ZERO),
        };
        let mut pass = known.unwrap_or(PassUser { limit, failed_with: None });
        if pass.failed_with.is_some_and(|failed| reserved.fits_in(&failed)) {
            return false;
        }
        let used = self.leaf(slot).users.get(&user).map(|user| user.used);
        let may = used.is_some_and(|used| {
            limits.to_unreserve = Resource::ZERO;
            if !arith.is_greater(&cluster, &used, &limit) {
                return true;
            }
            let continue_looking = self.tree.file.settings().reservations_continue_look_all_nodes;
            let may = continue_looking && !arith.is_greater(&cluster, &used.minus(&reserved), &limit);
            if may {
                limits.to_unreserve = used.minus(&limit);
            }
            may
        });
        if !may && pass.failed_with.is_none_or(|failed| failed.fits_in(&reserved)) {
            pass.failed_with = Some(reserved);
        }
        self.leaf_mut(slot).users.remember(seat, pass);
        may
    }

    /// Fair leaves: whose place awaits a refresh is put in anew.
    pub(super) fn reorder(&mut self, slot: u32) {
        let waiting = std::mem::take(&mut self.leaf_mut(slot).to_reorder);
        let ordering = self.ordering(slot);
        for (_, app) in waiting {
            let mut leaf = self.leaves[slot as usize].take().expect("a leaf queue");
            let rank = self.rank(app);
            leaf.active.remove(&rank, AppOrder::of(&ordering), |other| self.rank(other));
            let local = self.app(app);
            let (used, pending) = (local.used.memory_mb(), local.asks.pending().amount().memory_mb());
            self.app_mut(app).fair = FairCache { used_mb: used, pending_mb: pending };
            let rank = self.rank(app);
            leaf.active.insert(app, &rank, AppOrder::of(&ordering), |other| self.rank(other));
            self.leaves[slot as usize] = Some(leaf);
        }
    }

    // ------------------------------------------------------------------------------------------------ an application

    /// The first of an application's keys that is not passed over decides for all of it (rules/capacity.md 16.2).
    fn offer_app(&mut self, app: u32, node: usize, limits: &Limits) -> Result<Proposal, Skipped> {
        if !self.arith.is_greater(&self.cluster, &self.app(app).asks.pending().amount(), &Resource::ZERO) {
            return Err(Skipped::App);
        }
        let keys: Vec<i32> = self.app(app).asks.served().collect();
        for key in keys {
            let facts = self.key_facts(app, key, node);
            let outcome = match precheck(&facts, limits, &self.app(app).reserved, &self.rules(self.app(app).leaf)) {
                Some(skipped) => Err(skipped),
                None => self.offer_key(app, key, node, limits, None),
            };
            match outcome {
                Err(Skipped::Key) => {}
                outcome => return outcome,
            }
        }
        Err(Skipped::App)
    }

    fn key_facts(&self, app: u32, key: i32, node: usize) -> KeyFacts {
        let (local, at) = (self.app(app), self.node(node));
        let row = |location: &str| local.asks.row(key, location).copied();
        let count = |of: &std::collections::BTreeMap<i32, u32>| of.get(&key).copied().unwrap_or_default();
        let reserved = local.reservations.iter().filter(|made| made.key == key).count();
        KeyFacts {
            any: row(ANY),
            rack: row(&at.rack),
            host: row(&at.name),
            locations: local.asks.locations(key),
            opportunities: count(&local.opportunities),
            reserved: u32::try_from(reserved).unwrap_or(u32::MAX),
            re_reservations: count(&local.re_reservations),
        }
    }

    /// Counts the visit, and tries the node, its rack and anywhere (rules/capacity.md 16.5); `reservation` is the
    /// number of the one in hand.
    fn offer_key(
        &mut self,
        app: u32,
        key: i32,
        node: usize,
        limits: &Limits,
        reservation: Option<u32>,
    ) -> Result<Proposal, Skipped> {
        let at = self.node(node);
        let local = self.app(app);
        if local.blacklist.contains(&at.name) || local.blacklist.contains(&at.rack) {
            return Err(Skipped::App);
        }
        *self.app_mut(app).opportunities.entry(key).or_default() += 1;
        let facts = self.key_facts(app, key, node);
        let rules = self.rules(self.app(app).leaf);
        let (local, at) = (self.app(app), self.node(node));
        let own: Vec<(u32, Resource)> =
            local.reservations.iter().filter(|made| made.key == key).map(|made| (made.number, made.size)).collect();
        let sizes: Vec<Resource> = own.iter().map(|(_, size)| *size).collect();
        let killable = at.killable.in_order();
        let killable_sizes: Vec<Resource> = killable.iter().map(|(_, size)| *size).collect();
        let facts_of_node = NodeFacts { free: at.free, total: at.total, killable: &killable_sizes };
        let chosen = choose(&facts, &facts_of_node, limits, &sizes, reservation.is_some(), &rules);
        let rack_resets = self.tree.file.settings().rack_locality_full_reset;
        let opportunities = &mut self.app_mut(app).opportunities;
        match chosen {
            Err(Skipped::Key) if reservation.is_none() => {
                *opportunities.entry(key).or_default() -= 1;
            }
            Ok(Chosen { locality, .. }) if reservation.is_none() => {
                let resets = match locality {
                    Locality::Node => true,
                    Locality::Rack => rack_resets,
                    Locality::OffSwitch => false,
                };
                if resets {
                    opportunities.insert(key, 0);
                }
            }
            _ => {}
        }
        let chosen = chosen?;
        let gives_up = chosen.unreserve.map(|at| own[at].0);
        let kills = killable.iter().take(chosen.kills).map(|(candidate, _)| as_container(*candidate)).collect();
        Ok(Proposal { app, key, node, chosen, converts: reservation, gives_up, kills })
    }

    /// On a reserved node only the reservation is tried; it becomes a container, goes, or stays
    /// (rules/capacity.md 17.3).
    fn serve_reservation(&mut self, node: usize, app: u32, number: u32) {
        let Some(local) = self.apps.get(&app) else { return };
        let leaf = local.leaf;
        let Some(made) = local.reservations.iter().find(|made| made.number == number) else { return };
        let key = made.key;
        let mut limits = Limits::new(self.cluster);
        self.enter_leaf(leaf, &mut limits);
        if self.app(app).asks.row(key, ANY).is_none_or(|row| row.count <= 0) {
            self.end_reservation(app, number);
            return;
        }
        if let Ok(proposal) = self.offer_key(app, key, node, &limits, Some(number)) {
            self.commit(&proposal);
        }
    }
}

//! Why an application waits, as a worker sees it: what a pass would find, without one.
//!
//! Run by a worker between two messages, for who asks. It changes nothing: what is worked out on the way is worked out on copies. First the
//! application is looked at as if nobody came before it. Where nothing stands against it on the one node that is asked about, others are
//! looked at ([`dry_run`](super::dry_run)).

#![expect(clippy::result_large_err, reason = "made only where somebody asks")]

use super::books::Books;
use super::types::Shard;
use crate::app::{SchedulingKey, merge};
use crate::capacity::allocator::{Chosen, KeyFacts, Limits, NodeFacts, Skipped, precheck};
use crate::capacity::leaf::AmStop;
use crate::capacity::obstacles::chosen_or_why;
use crate::capacity::ordered::AppEntry;
use crate::capacity::reasons::{CapacityReason, CapacityWait};
use crate::capacity::users::{Sharing, Users};
use crate::engine::books::ledger::{AppShared, NodeShared};
use crate::resource::Resource;

/// What a worker finds.
#[derive(Debug)]
pub(crate) struct Waits {
    /// It decides whether the application may start.
    pub(crate) decides: bool,
    /// What stands whatever the node.
    pub(crate) whole: Option<CapacityWait>,
    /// Of its own nodes.
    pub(crate) on_nodes: Vec<CapacityReason>,
    /// How many of its nodes were looked at.
    pub(crate) nodes: usize,
}

impl Waits {
    /// What several workers have found, together.
    pub(crate) fn together(mut found: Vec<Waits>, all_nodes: bool) -> Vec<CapacityReason> {
        // Who decides knows best.
        found.sort_by_key(|waits| !waits.decides);
        let nodes: usize = found.iter().map(|waits| waits.nodes).sum();
        let (mut whole, mut on_nodes) = (Vec::new(), Vec::new());
        for waits in found {
            merge(&mut whole, waits.whole.map(CapacityReason::whole));
            merge(&mut on_nodes, waits.on_nodes);
        }
        if all_nodes && nodes == 0 {
            // Of nothing every limit is reached.
            whole.retain(|reason| !matches!(reason.wait, CapacityWait::QueueLimit { .. }));
            if whole.is_empty() {
                whole.push(CapacityReason::whole(CapacityWait::NoNode));
            }
        }
        whole.extend(on_nodes);
        whole
    }
}

/// Whether the node's next report gives the application something, unless others come first.
pub(super) fn is_promise(wait: &CapacityWait) -> bool {
    matches!(wait, CapacityWait::Offer | CapacityWait::WillReserve { .. })
}

/// What a choice goes by, as of the next visit.
pub(super) struct NextVisit {
    /// The visit counted.
    pub(super) facts: KeyFacts,
    /// The key's reservations, in the order in which they were made.
    pub(super) sizes: Vec<Resource>,
    /// What may be killed on the node, in order.
    pub(super) killable: Vec<Resource>,
}

/// A request key's reason, or all keys'.
pub(super) type OnNode = (Option<SchedulingKey>, CapacityWait);

impl Books {
    /// Whether an application waits for a limit of AMs.
    pub(super) fn why_not_started(&self, entry: AppEntry) -> CapacityWait {
        let app = &self.apps[entry];
        let (leaf, bounds) = (self.leaf(app.leaf), self.bounds(app.leaf));
        let (queue, user) = (self.node(app.leaf).config.path.clone(), app.user.to_string());
        let (weight, of_user) =
            leaf.users.get(&app.user).map_or((1.0, Resource::ZERO), |user| (user.weight, user.am_used));
        match leaf.am_stop(bounds.am_percent, &bounds.inputs(), weight, &of_user, &app.am) {
            AmStop::Queue => CapacityWait::AmLimit { queue, used: leaf.am_used, asked: app.am, limit: leaf.am_limit },
            AmStop::User { limit } => CapacityWait::UserAmLimit { queue, user, used: of_user, asked: app.am, limit },
            AmStop::Nothing => CapacityWait::NotActivated { queue },
        }
    }

    /// What a pass may use when it comes to an application (rules/capacity.md 12.2, 12.4, 13.1, 13.2); else what stops
    /// it before.
    fn limits_at(&self, entry: AppEntry) -> Result<Limits, CapacityWait> {
        let app = &self.apps[entry];
        let mut path = vec![app.leaf];
        while let Some(parent) = self.parent(path[path.len() - 1]) {
            path.push(parent);
        }
        let mut limits = Limits::new(self.cluster);
        for (at, slot) in path.iter().copied().enumerate().rev() {
            let queue = || self.node(slot).config.path.clone();
            if !self.is_wanting(slot) {
                return Err(CapacityWait::NothingCounted { queue: queue() });
            }
            let by_apps = self.counts(slot).reserved_by_apps;
            let reserved = if at == 0 { app.reserved } else { Resource::new(by_apps.memory_mb(), by_apps.vcores()) };
            let within = limits.limit;
            if !self.may_assign(slot, &mut limits, &reserved) {
                return Err(self.all_used(slot, &within));
            }
            if let Some(child) = at.checked_sub(1) {
                let left = self.left_for_children(slot, &mut limits);
                limits = Limits::new(self.limit_of_child(path[child], &left));
            }
        }
        limits.may_kill = self.may_kill(app.leaf);
        // A copy: when a limit was worked out shows.
        self.check_user(app.leaf, entry, &mut self.leaf(app.leaf).users.clone(), &mut limits)?;
        if !self.arith.is_positive(&self.cluster, &app.pending.amount()) {
            return Err(CapacityWait::NothingCounted { queue: self.node(app.leaf).config.path.clone() });
        }
        Ok(limits)
    }

    /// A queue uses all that it may within what is left for it.
    pub(super) fn all_used(&self, slot: u32, within: &Resource) -> CapacityWait {
        let node = self.node(slot);
        let limit = self.arith.least(&self.cluster, within, node.maximum());
        CapacityWait::QueueLimit { queue: node.config.path.clone(), used: self.counts(slot).used, limit }
    }

    /// Whether a user may have more (rules/capacity.md 13.2). `users` are a copy of the leaf's.
    pub(super) fn check_user(
        &self,
        slot: u32,
        entry: AppEntry,
        users: &mut Users,
        limits: &mut Limits,
    ) -> Result<(), CapacityWait> {
        let app = &self.apps[entry];
        let bounds = self.bounds(slot);
        limits.to_unreserve = Resource::ZERO;
        let limit = users.limit_of(&app.user, Sharing::Active, &bounds.inputs());
        let (queue, user) = (|| self.node(slot).config.path.clone(), app.user.to_string());
        let Some(used) = users.get(&app.user).map(|user| user.used) else {
            return Err(CapacityWait::UserForgotten { queue: queue(), user });
        };
        let is_above = |used: &Resource| self.arith.is_greater(&self.cluster, used, &limit);
        if !is_above(&used) {
            return Ok(());
        }
        if self.rules(slot).continue_looking && !is_above(&used.minus(&app.reserved)) {
            limits.to_unreserve = used.minus(&limit);
            return Ok(());
        }
        Err(CapacityWait::UserLimit { queue: queue(), user, used, limit })
    }

    /// rules/capacity.md 18.1: what stands against a choice when it is committed. So much is given up for it.
    fn refused_at_commit(&self, entry: AppEntry, size: &Resource, given_up: &Resource) -> Option<CapacityWait> {
        let app = &self.apps[entry];
        let queue = |slot: u32| self.node(slot).config.path.clone();
        let mut users = self.leaf(app.leaf).users.clone();
        let limit = users.limit_of(&app.user, Sharing::Active, &self.bounds(app.leaf).inputs());
        let used = users.get(&app.user).map_or(Resource::ZERO, |user| user.used);
        if self.arith.is_greater(&self.cluster, &used.minus(given_up), &limit) {
            return Some(CapacityWait::UserLimit { queue: queue(app.leaf), user: app.user.to_string(), used, limit });
        }
        let mut at = Some(app.leaf);
        while let Some(slot) = at {
            let (used, limit) = (self.counts(slot).used, *self.node(slot).maximum());
            if !self.arith.fits_in(&used.plus(size).minus(given_up), &limit) {
                return Some(CapacityWait::QueueLimit { queue: queue(slot), used, limit });
            }
            at = self.parent(slot);
        }
        None
    }
}

impl Shard {
    /// Why an application waits; of one node, or of all of this worker's.
    pub(crate) fn why_waiting(&mut self, app: &AppShared, node: Option<&NodeShared>) -> Waits {
        self.fold_now();
        let decides = self.decides_about(app);
        let mut waits = Waits { decides, whole: None, on_nodes: Vec::new(), nodes: 0 };
        let entry = self.find_app(app.slot).and_then(|local| local.own.entry);
        let Some(entry) = entry.filter(|entry| self.own.books.apps.entry(app.id.number) == Some(*entry)) else {
            waits.whole = Some(CapacityWait::Ended);
            return waits;
        };
        let nodes = match node {
            Some(node) => self.place_of(node).into_iter().collect(),
            None => self.nodes.present().map(|(node, _)| node).collect::<Vec<_>>(),
        };
        waits.nodes = nodes.len();
        let limits = self.own.books.why_not_offered(entry).map_or(Ok(()), Err);
        let limits = limits.and_then(|()| self.asks_for_something(app)).and_then(|()| self.own.books.limits_at(entry));
        for at in nodes {
            let name = self.nodes[at as usize].shared.name.to_string();
            let on_node = |(key, wait): OnNode| {
                CapacityReason::on(&name, key.map(|key| (key.priority, key.allocation_request_id)), wait)
            };
            let mut found = self.why_not_on(app.slot.index, entry, at, limits.as_ref().ok());
            let is_reserved = self.nodes[at as usize].reservation.is_some();
            if node.is_some() && !is_reserved && found.iter().any(|(_, wait)| is_promise(wait)) {
                self.look_at_others(app.slot.index, entry, at, &mut found);
            }
            merge(&mut waits.on_nodes, found.into_iter().map(on_node));
        }
        waits.whole = limits.err();
        waits
    }

    fn asks_for_something(&self, app: &AppShared) -> Result<(), CapacityWait> {
        match self.find_app(app.slot).and_then(|local| local.asks_in_vain()) {
            Some(true) => Err(CapacityWait::NothingAnywhere),
            Some(false) => Err(CapacityWait::NothingOutstanding),
            None => Ok(()),
        }
    }

    /// What stands against it on a node; without limits only what is reserved there is served.
    pub(super) fn why_not_on(&self, app: u32, entry: AppEntry, node: u32, limits: Option<&Limits>) -> Vec<OnNode> {
        let (books, at) = (&self.own.books, &self.nodes[node as usize]);
        if let Some(most) = self.has_most_containers(node) {
            return vec![(None, CapacityWait::MostContainers { most })];
        }
        if let Some(made) = at.reservation {
            if made.app.index != app {
                let other = self.find_app(made.app).map(|other| other.number).unwrap_or_default();
                return limits.map(|_| (None, CapacityWait::NodeReserved { app: other })).into_iter().collect();
            }
            return vec![(Some(made.key), self.why_reserved(app, entry, node))];
        }
        let Some(limits) = limits else { return Vec::new() };
        if at.decommissioning {
            return vec![(None, CapacityWait::NodeDecommissioning)];
        }
        let room = at.free.plus(&at.own.killable.sum());
        if books.arith.available_containers(&room, &books.minimum) <= 0 || !books.arith.fits_in(&books.minimum, &room) {
            return vec![(None, CapacityWait::NodeFull { free: at.free })];
        }
        let (leaf, reserved) = (books.apps[entry].leaf, books.apps[entry].reserved);
        let mut found = Vec::new();
        let mut is_over = false;
        for key in 0..self.app(app).keys.len() {
            let local = &self.app(app).keys[key];
            let id = local.id();
            if local.total() == 0 {
                continue;
            }
            if is_over {
                found.push((Some(id), CapacityWait::KeyBefore));
                continue;
            }
            let facts = self.key_facts(app, key, node);
            let wait = match precheck(&facts, limits, &reserved, &books.rules(leaf)) {
                Some(Skipped::Queue) => {
                    is_over = true;
                    let queue = books.node(leaf).config.path.clone();
                    CapacityWait::QueueRoom { queue, asked: local.size, left: limits.headroom }
                }
                Some(Skipped::Key | Skipped::App) => CapacityWait::ReservedEnough { reserved: facts.reserved },
                None => {
                    let (over, wait) = self.why_key_waits(app, entry, key, node, limits, false);
                    is_over = over;
                    if wait == CapacityWait::Blacklisted {
                        return vec![(None, wait)];
                    }
                    wait
                }
            };
            found.push((Some(id), wait));
        }
        found
    }

    /// Of a node that is reserved for it.
    fn why_reserved(&self, app: u32, entry: AppEntry, node: u32) -> CapacityWait {
        let Some(made) = self.nodes[node as usize].reservation else { return CapacityWait::Offer };
        let leaf = self.own.books.apps[entry].leaf;
        let key = self.key_index(app, made.key).filter(|key| self.app(app).keys[*key].total() > 0);
        let Some(key) = key else { return CapacityWait::NothingOutstanding };
        let limits = Limits { may_kill: self.own.books.may_kill(leaf), ..Limits::new(self.own.books.cluster) };
        self.why_key_waits(app, entry, key, node, &limits, true).1
    }

    /// A key and a node as the next visit finds them.
    pub(super) fn next_visit(&self, app: u32, key: usize, node: u32) -> NextVisit {
        let mut facts = self.key_facts(app, key, node);
        facts.opportunities += 1;
        let id = self.app(app).keys[key].id();
        let of_key = self.reservations_of(app).filter(|(_, made)| made.key == id);
        let killable = self.nodes[node as usize].own.killable.in_order();
        NextVisit {
            facts,
            sizes: of_key.map(|(_, made)| made.size).collect(),
            killable: killable.into_iter().map(|(_, size)| size).collect(),
        }
    }

    /// Of a key, when the node is looked at; and whether keys behind it are not.
    fn why_key_waits(
        &self,
        app: u32,
        entry: AppEntry,
        key: usize,
        node: u32,
        limits: &Limits,
        converts: bool,
    ) -> (bool, CapacityWait) {
        let leaf = self.own.books.apps[entry].leaf;
        let (books, at) = (&self.own.books, &self.nodes[node as usize]);
        if self.is_blacklisted(app, node) {
            return (true, CapacityWait::Blacklisted);
        }
        let NextVisit { facts, sizes, killable } = self.next_visit(app, key, node);
        let of_node = NodeFacts { free: at.free, total: at.total, killable: &killable };
        match chosen_or_why(&facts, &of_node, limits, &sizes, converts, &books.rules(leaf)) {
            Err((skipped, wait)) => (skipped != Skipped::Key, wait),
            Ok(Chosen { size, allocated, .. }) if converts => {
                let wait = CapacityWait::Reserved { asked: size, free: at.free };
                (
                    true,
                    if !allocated {
                        wait
                    } else if at.decommissioning {
                        CapacityWait::NodeDecommissioning
                    } else {
                        CapacityWait::Offer
                    },
                )
            }
            Ok(Chosen { size, allocated, kills, unreserve, .. }) => {
                let killed = killable.iter().take(kills).fold(Resource::ZERO, |sum, size| sum.plus(size));
                let given_up = unreserve.map_or(Resource::ZERO, |at| sizes[at]);
                let wait = match (books.refused_at_commit(entry, &size, &killed.plus(&given_up)), allocated) {
                    (Some(refused), _) => refused,
                    (None, true) => CapacityWait::Offer,
                    (None, false) => CapacityWait::WillReserve { asked: size, free: at.free },
                };
                (true, wait)
            }
        }
    }
}

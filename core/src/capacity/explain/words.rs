//! Why an application waits, as a worker sees it: what a pass finds, in words.
//!
//! Run by a worker between two messages, for who asks. First the application is looked at as if nobody came before it.
//! Of one node, a [pass that keeps nothing](Look) then tells who is served there. It changes nothing: what is worked
//! out on the way is worked out on copies.

#![expect(clippy::result_large_err, reason = "made only where somebody asks")]

use super::obstacles::why;
use super::reasons::{CapacityReason, CapacityWait};
use crate::app::{SchedulingKey, merge};
use crate::capacity::books::{AppBook, Books, Walk};
use crate::capacity::decide::commit::Proposal;
use crate::capacity::rules::allocator::{Chosen, KeyFacts, Limits, Skipped};
use crate::capacity::rules::leaf::AmStop;
use crate::capacity::rules::observer::{Looked, Observer, Stop, Visited};
use crate::capacity::rules::ordered::AppEntry;
use crate::capacity::rules::tree::ROOT;
use crate::capacity::rules::tried::KeyEnd;
use crate::capacity::types::Shard;
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
            merge(&mut whole, waits.whole.map(CapacityReason::for_any_node));
            merge(&mut on_nodes, waits.on_nodes);
        }
        if all_nodes && nodes == 0 {
            // Of nothing every limit is reached.
            whole.retain(|reason| !matches!(reason.wait, CapacityWait::QueueLimit { .. }));
            if whole.is_empty() {
                whole.push(CapacityReason::for_any_node(CapacityWait::NoNode));
            }
        }
        whole.extend(on_nodes);
        whole
    }
}

/// Whether the node's next report gives the application something, unless others come first.
fn is_promise(wait: &CapacityWait) -> bool {
    matches!(wait, CapacityWait::Offer | CapacityWait::WillReserve { .. })
}

/// A request key's reason, or all keys'.
type OnNode = (Option<SchedulingKey>, CapacityWait);

/// Hears of a pass over a node that keeps nothing: what one application is told, and who is served.
#[derive(Debug, Default)]
struct Look {
    /// The application that is asked about, by number: lists may have two attempts of it.
    target: u32,
    /// The one that is looked at, and its queue's full name.
    now: u32,
    queue: String,
    /// The one that gets something.
    served: Option<u32>,
    /// The target has been asked what it wants. Of a key for which something is chosen there is nothing.
    is_asked: bool,
    keys: Vec<(SchedulingKey, Option<CapacityWait>)>,
    is_blacklisted: bool,
    /// The last leaf queue that keeps what it has left, and what all such keep.
    blocker: Option<(u32, Resource)>,
    /// The target's leaf queue and the queues above it.
    path: Vec<u32>,
    /// A queue of `path` that uses all it may. The pass stops there before it comes to the target, if the application
    /// that it looks at then has no reservation to give up.
    full: Option<Stop>,
}

impl Look {
    fn at(target: u32) -> Look {
        Look { target, ..Look::default() }
    }

    fn is_at_target(&self) -> bool {
        self.now == self.target
    }

    fn key_waits(&mut self, wait: CapacityWait) {
        if let Some((_, of_key)) = self.keys.last_mut().filter(|_| self.now == self.target) {
            *of_key = Some(wait);
        }
    }
}

impl Observer for Look {
    const KEEPS_RESULTS: bool = false;

    fn leaf_keeps(&mut self, slot: u32, kept: &Resource) {
        self.blocker = Some((slot, self.blocker.map_or(*kept, |(_, before)| before.plus(kept))));
    }

    fn app(&mut self, app: &Visited<'_>) {
        self.now = app.number;
        if self.is_at_target() {
            app.queue.clone_into(&mut self.queue);
            // An earlier attempt of it may stand before it in the list: what that one was told does not count.
            self.keys.clear();
            (self.is_asked, self.is_blacklisted) = (false, false);
        }
    }

    fn stopped(&mut self, stop: &Stop) {
        if let Stop::Queue { slot, .. } = stop
            && self.path.contains(slot)
        {
            self.full = Some(*stop);
        }
    }

    fn key(&mut self, id: SchedulingKey) {
        if self.is_at_target() {
            self.is_asked = true;
            self.keys.push((id, None));
        }
    }

    fn key_refused(&mut self, skipped: Skipped, facts: &KeyFacts, limits: &Limits) {
        if !self.is_at_target() {
            return;
        }
        let Some(any) = facts.any.filter(|any| any.count > 0) else {
            // It asks for nothing, and there is nothing to be told of it.
            self.keys.pop();
            return;
        };
        let queue = self.queue.clone();
        self.key_waits(match skipped {
            Skipped::Queue => CapacityWait::QueueRoom { queue, asked: any.size, left: limits.headroom },
            Skipped::Key | Skipped::App => CapacityWait::ReservedEnough { reserved: facts.reserved },
        });
    }

    fn key_ends(&mut self, end: KeyEnd) {
        self.is_blacklisted |= self.is_at_target() && end == KeyEnd::Blacklisted;
    }

    fn key_looked(&mut self, looked: &Looked<'_>) {
        let Looked { facts, node, limits, rules, converts, outcome } = *looked;
        if outcome.is_err() && self.is_at_target() {
            self.key_waits(why(facts, node, limits, converts, rules));
        }
    }

    fn gets(&mut self, _chosen: &Chosen) {
        self.served = Some(self.now);
    }
}

impl Books {
    /// Whether an application waits for a limit of AMs.
    pub(crate) fn why_not_started(&self, entry: AppEntry) -> CapacityWait {
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

    /// A leaf queue and the queues above it, up to root.
    fn path_of(&self, leaf: u32) -> Vec<u32> {
        let mut path = vec![leaf];
        while let Some(parent) = self.parent(path[path.len() - 1]) {
            path.push(parent);
        }
        path
    }

    /// What a pass may use when it comes to an application (rules/capacity.md 12.2, 12.4, 13.1, 13.2); else what stops
    /// it before. Works out limits of users.
    fn limits_at(&mut self, entry: AppEntry) -> Result<Limits, CapacityWait> {
        let (leaf, reserved) = (self.apps[entry].leaf, self.apps[entry].reserved);
        let path = self.path_of(leaf);
        let mut limits = Limits::new(self.cluster);
        for (at, slot) in path.iter().copied().enumerate().rev() {
            if !self.is_wanting(slot) {
                return Err(CapacityWait::NothingCounted { queue: self.node(slot).config.path.clone() });
            }
            let by_apps = self.counts(slot).reserved_by_apps;
            let reserved = if at == 0 { reserved } else { Resource::new(by_apps.memory_mb(), by_apps.vcores()) };
            self.may_assign(slot, &mut limits, &reserved).map_err(|stop| self.worded(entry, &stop))?;
            if let Some(child) = at.checked_sub(1) {
                if !self.node(slot).children.contains(&path[child]) {
                    return Err(CapacityWait::QueueRemoved { queue: self.node(path[child]).config.path.clone() });
                }
                let left = self.left_for_children(slot, &mut limits);
                limits = Limits::new(self.limit_of_child(path[child], &left));
            }
        }
        self.enter_leaf::<Look>(leaf, &mut limits, true);
        self.user_may::<Look>(leaf, entry, &mut limits, &mut Walk::new()).map_err(|stop| self.worded(entry, &stop))?;
        if !self.arith.is_wanted(&self.cluster, &self.apps[entry].pending) {
            return Err(CapacityWait::NothingCounted { queue: self.node(leaf).config.path.clone() });
        }
        Ok(limits)
    }

    /// What stops an application, or a queue on the way to it.
    fn worded(&self, entry: AppEntry, stop: &Stop) -> CapacityWait {
        let app = &self.apps[entry];
        let path = |slot: u32| self.node(slot).config.path.clone();
        let (queue, user) = (path(app.leaf), app.user.to_string());
        match *stop {
            Stop::Queue { slot, limit } => {
                CapacityWait::QueueLimit { queue: path(slot), used: self.counts(slot).used, limit }
            }
            Stop::User { limit } => {
                let used = self.leaf(app.leaf).users.get(&app.user).map_or(Resource::ZERO, |user| user.used);
                CapacityWait::UserLimit { queue, user, used, limit }
            }
            Stop::UserForgotten => CapacityWait::UserForgotten { queue, user },
            Stop::NodeDecommissioning => CapacityWait::NodeDecommissioning,
            Stop::Gone => CapacityWait::Ended,
        }
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
        let leaf = self.own.books.apps[entry].leaf;
        let limits = limits
            .and_then(|()| self.asks_for_something(app))
            .and_then(|()| self.restoring_users(leaf, |shard| shard.own.books.limits_at(entry)));
        waits.whole = limits.as_ref().err().cloned();
        for at in nodes {
            let name = self.nodes[at as usize].shared.name.to_string();
            let on_node = |(key, wait): OnNode| {
                CapacityReason::on(&name, key.map(|key| (key.priority, key.allocation_request_id)), wait)
            };
            let mut found = self.why_not_on(entry, at, limits.as_ref().ok());
            if node.is_some() && self.look_at_others(entry, at, &mut found) {
                waits.whole = None;
            }
            merge(&mut waits.on_nodes, found.into_iter().map(on_node));
        }
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
    fn why_not_on(&mut self, entry: AppEntry, node: u32, limits: Option<&Limits>) -> Vec<OnNode> {
        let at = &self.nodes[node as usize];
        if let Some(most) = self.has_most_containers(node) {
            return vec![(None, CapacityWait::MostContainers { most })];
        }
        let app = self.own.books.apps[entry].slot;
        if let Some(made) = at.reservation {
            if made.app.index != app {
                let other = self.find_app(made.app).map(|other| other.number).unwrap_or_default();
                return limits.map(|_| (None, CapacityWait::NodeReserved { app: other })).into_iter().collect();
            }
            return vec![(Some(made.key), self.why_reserved(entry, node))];
        }
        let Some(limits) = limits else { return Vec::new() };
        if at.decommissioning {
            return vec![(None, CapacityWait::NodeDecommissioning)];
        }
        let (books, room) = (&self.own.books, at.free.plus(&at.own.killable.sum()));
        if self.is_full(node) || !books.arith.fits_in(&books.minimum, &room) {
            return vec![(None, CapacityWait::NodeFull { free: at.free })];
        }
        let number = books.apps[entry].number;
        let mut look =
            Look { now: number, queue: books.node(books.apps[entry].leaf).config.path.clone(), ..Look::at(number) };
        let mut visit = self.visit(node);
        // What comes of it is told.
        let _ = self.offer_app(entry, &mut visit, limits, &mut look);
        self.key_reasons(entry, look, visit.proposal.as_ref())
    }

    /// What was told of an application's keys, in words; and what becomes of what it has been offered.
    fn key_reasons(&mut self, entry: AppEntry, look: Look, offered: Option<&Proposal>) -> Vec<OnNode> {
        if look.is_blacklisted {
            return vec![(None, CapacityWait::Blacklisted)];
        }
        let offer = offered.map(|proposal| self.becomes_of(entry, proposal));
        let app = self.app(self.own.books.apps[entry].slot);
        let asking = app.keys.iter().filter(|key| key.total() > 0).map(|key| key.id());
        let tried = look.keys.len();
        let behind: Vec<SchedulingKey> = asking.filter(|id| look.keys.iter().all(|(tried, _)| tried != id)).collect();
        let waits = look.keys.into_iter().enumerate().filter_map(|(at, (id, wait))| {
            let wait = if at + 1 == tried { offer.clone().or(wait) } else { wait };
            Some((Some(id), wait?))
        });
        waits.chain(behind.into_iter().map(|id| (Some(id), CapacityWait::KeyBefore))).collect()
    }

    /// What becomes of something that a pass proposes for an application.
    fn becomes_of(&mut self, entry: AppEntry, proposal: &Proposal) -> CapacityWait {
        let Chosen { size, allocated, .. } = proposal.chosen;
        let free = self.nodes[proposal.node as usize].free;
        if proposal.converts && !allocated {
            return CapacityWait::Reserved { asked: size, free };
        }
        let leaf = self.own.books.apps[entry].leaf;
        let accepted = self.restoring_users(leaf, |shard| shard.accepts::<Look>(proposal));
        match accepted {
            Err(Stop::Gone) => CapacityWait::NodeFull { free },
            Err(stop) => self.own.books.worded(entry, &stop),
            Ok(()) if allocated => CapacityWait::Offer,
            Ok(()) => CapacityWait::WillReserve { asked: size, free },
        }
    }

    /// Of a node that is reserved for it.
    fn why_reserved(&mut self, entry: AppEntry, node: u32) -> CapacityWait {
        let Some(made) = self.nodes[node as usize].reservation else { return CapacityWait::Offer };
        let AppBook { leaf, slot: app, number, .. } = self.own.books.apps[entry];
        let key = self.key_index(app, made.key).filter(|key| self.app(app).keys[*key].total() > 0);
        let Some(key) = key else { return CapacityWait::NothingOutstanding };
        let limits = Limits { may_kill: self.own.books.may_kill(leaf), ..Limits::new(self.own.books.cluster) };
        let mut look = Look { now: number, keys: vec![(made.key, None)], ..Look::at(number) };
        let (mut visit, mut facts) = (self.visit(node), self.key_facts(app, key, node));
        // What comes of it is told.
        let _ = self.offer_key((app, key), &mut facts, &mut visit, &limits, true, &mut look);
        let told = self.key_reasons(entry, look, visit.proposal.as_ref());
        told.into_iter().next().map_or(CapacityWait::NothingOutstanding, |(_, wait)| wait)
    }

    /// The node's next pass is made, and nothing of it kept: who comes first there. True where the application is
    /// served.
    fn look_at_others(&mut self, entry: AppEntry, node: u32, found: &mut Vec<OnNode>) -> bool {
        let is_offered = self.has_most_containers(node).is_none() && !self.is_full(node);
        if self.nodes[node as usize].reservation.is_some() || !is_offered {
            return false;
        }
        let number = self.own.books.apps[entry].number;
        let path = self.own.books.path_of(self.own.books.apps[entry].leaf);
        let mut look = Look { path, ..Look::at(number) };
        let mut visit = self.visit(node);
        self.offer_queue(ROOT, &mut visit, &mut Limits::new(self.own.books.cluster), &mut look);
        let path = |slot: u32| self.own.books.node(slot).config.path.clone();
        let other = match look.served {
            Some(served) if served == number => {
                *found = self.key_reasons(entry, look, visit.proposal.as_ref());
                return true;
            }
            Some(app) => {
                let leaf = self.own.books.find(app).map_or(ROOT, |other| other.leaf);
                Some(CapacityWait::Behind { app, queue: path(leaf) })
            }
            None => {
                let blocker = look.blocker.map(|(slot, kept)| CapacityWait::HeldBack { queue: path(slot), kept });
                // The target's own keys say more, if the pass came as far as them.
                let full = look.full.filter(|_| !look.is_asked);
                blocker.or_else(|| full.map(|stop| self.own.books.worded(entry, &stop)))
            }
        };
        if !found.iter().any(|(_, wait)| is_promise(wait)) {
            return false;
        }
        if let Some(other) = other {
            for (_, wait) in found.iter_mut().filter(|(_, wait)| is_promise(wait)) {
                wait.clone_from(&other);
            }
        } else if look.is_asked {
            // What it may use is less by the time that the pass comes to it.
            *found = self.key_reasons(entry, look, None);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comes_to(look: &mut Look, number: u32) {
        look.app(&Visited { number, priority: 0, queue: "root.a" });
    }

    /// A list has an attempt that has ended before the one that is asked about.
    #[test]
    fn what_an_earlier_attempt_was_told_does_not_count() {
        let mut look = Look::at(7);
        let key = SchedulingKey { priority: 1, allocation_request_id: 0 };
        comes_to(&mut look, 7);
        look.key(key);
        look.key_ends(KeyEnd::Blacklisted);
        assert!(look.is_asked && look.is_blacklisted);
        comes_to(&mut look, 7);
        assert!(!look.is_asked && !look.is_blacklisted && look.keys.is_empty());
        look.key(key);
        comes_to(&mut look, 8);
        look.key_ends(KeyEnd::Blacklisted);
        assert!(look.is_asked && !look.is_blacklisted, "another application's blacklist");
    }

    #[test]
    fn a_full_queue_counts_only_where_it_is_above_the_target() {
        let mut look = Look { path: vec![3, 0], ..Look::at(7) };
        let stop = |slot| Stop::Queue { slot, limit: Resource::ZERO };
        look.stopped(&stop(3));
        look.stopped(&stop(4));
        assert_eq!(look.full, Some(stop(3)));
    }
}

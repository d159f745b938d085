//! Why an application waits, as one worker sees it: the outcome of a pass, as a [`CapacityWait`].
//!
//! A worker answers the question between two messages. First it checks the application as if no other one came before
//! it ([`Books::limits_at`], then each node). If the question is about one node, it then makes a whole pass over the
//! node with the observer [`Look`], which reports the application that would be served. Nothing changes: the pass works
//! on copies.

#![expect(clippy::result_large_err, reason = "made only where somebody asks")]

use super::obstacles::why;
use super::reasons::{CapacityReason, CapacityWait};
use crate::app::{SchedulingKey, merge};
use crate::capacity::books::{AppBook, Books, Walk};
use crate::capacity::decide::by_partition;
use crate::capacity::decide::commit::Proposal;
use crate::capacity::rules::allocator::{Chosen, KeyFacts, Limits, Skipped};
use crate::capacity::rules::leaf::AmStop;
use crate::capacity::rules::observer::{Looked, Observer, Stop, Visited};
use crate::capacity::rules::ordered::AppEntry;
use crate::capacity::rules::partition::{Part, Partition, Whole};
use crate::capacity::rules::tree::ROOT;
use crate::capacity::rules::tried::KeyEnd;
use crate::capacity::rules::users::LimitInputs;
use crate::capacity::types::Shard;
use crate::engine::books::ledger::{AppShared, NodeShared};
use crate::id::LabelId;
use crate::resource::Resource;
use crate::resource::sorted;

/// The answer of one worker.
#[derive(Debug)]
pub(crate) struct Waits {
    /// Whether this worker decides if the application may start.
    pub(crate) decides: bool,
    /// The reason that applies to every node, if there is one.
    pub(crate) whole: Option<CapacityWait>,
    /// The reasons on single nodes of this worker.
    pub(crate) on_nodes: Vec<CapacityReason>,
    /// How many nodes the worker has checked.
    pub(crate) nodes: usize,
}

impl Waits {
    /// Merges the answers of several workers.
    pub(crate) fn together(mut found: Vec<Waits>, all_nodes: bool) -> Vec<CapacityReason> {
        // The worker that decides about the start has the newest figures, so its reason comes first.
        sorted::by_key(&mut found, |waits| !waits.decides);
        let nodes: usize = found.iter().map(|waits| waits.nodes).sum();
        let (mut whole, mut on_nodes) = (Vec::new(), Vec::new());
        for waits in found {
            merge(&mut whole, waits.whole.map(CapacityReason::for_any_node));
            merge(&mut on_nodes, waits.on_nodes);
        }
        if all_nodes && nodes == 0 {
            // Without any node every limit is 0, so a reached limit says nothing.
            whole.retain(|reason| !matches!(reason.wait, CapacityWait::QueueLimit { .. }));
            if whole.is_empty() {
                whole.push(CapacityReason::for_any_node(CapacityWait::NoNode));
            }
        }
        whole.extend(on_nodes);
        whole
    }
}

/// Whether the application gets something at the node's next report, unless others come first.
fn is_promise(wait: &CapacityWait) -> bool {
    matches!(wait, CapacityWait::Offer | CapacityWait::WillReserve { .. })
}

/// The reason of one request key, or (without a key) of all keys.
type OnNode = (Option<SchedulingKey>, CapacityWait);

/// Observes a pass that keeps no results. Notes why one application, the target, gets nothing, and which application is
/// served.
#[derive(Debug, Default)]
struct Look {
    /// The number of the application that the question is about.
    target: u32,
    /// The number of the application that the pass is at.
    current: u32,
    /// The full name of the target's queue.
    queue: String,
    /// The application that gets something.
    served: Option<u32>,
    /// Whether the pass has tried a request key of the target.
    is_asked: bool,
    /// The target's keys that were tried. `None` for a key for which the pass has chosen something.
    keys: Vec<(SchedulingKey, Option<CapacityWait>)>,
    /// Whether the target has blacklisted the node.
    is_blacklisted: bool,
    /// The last leaf queue that keeps the room that it has left, and the sum of what such queues keep.
    blocker: Option<(u32, Resource)>,
    /// The target's leaf queue and the queues above it.
    path: Vec<u32>,
    /// A queue of `path` that uses all it may. The pass stops there before it comes to the target, if the application
    /// that it looks at then has no reservation to give up.
    full: Option<Stop>,
}

impl Look {
    /// Returns an observer of the application with this number.
    fn for_target(target: u32) -> Look {
        Look { target, ..Look::default() }
    }

    fn is_at_target(&self) -> bool {
        self.current == self.target
    }

    /// Notes why the target's key that was tried last waits.
    fn key_waits(&mut self, wait: CapacityWait) {
        if let Some((_, known)) = self.keys.last_mut().filter(|_| self.current == self.target) {
            *known = Some(wait);
        }
    }
}

impl Observer for Look {
    const KEEPS_RESULTS: bool = false;

    fn leaf_keeps(&mut self, slot: u32, kept: &Resource) {
        self.blocker = Some((slot, self.blocker.map_or(*kept, |(_, before)| before.plus(kept))));
    }

    fn app(&mut self, app: &Visited<'_>) {
        self.current = app.number;
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
            // Nothing is asked for under the key, so there is no reason to report.
            self.keys.pop();
            return;
        };
        let queue = self.queue.clone();
        self.key_waits(match skipped {
            Skipped::Queue => CapacityWait::QueueRoom { queue, asked: any.size, left: limits.headroom },
            Skipped::Key | Skipped::App => CapacityWait::ReservedEnough { reserved: facts.reserved },
        });
    }

    fn key_is_elsewhere(&mut self) {
        if self.is_at_target() {
            self.key_waits(CapacityWait::OtherLabel);
        }
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
        self.served = Some(self.current);
    }
}

impl Books {
    /// Why an application has not started: a limit of AMs, or nothing that still holds.
    pub(crate) fn why_not_started(&self, entry: AppEntry) -> CapacityWait {
        let app = &self.apps[entry];
        let leaf = self.leaf(app.leaf);
        let (queue, user) = (self.node(app.leaf).config.path.clone(), app.user.to_string());
        let p = Part::of(app.am_partition);
        let bounds = self.bounds_in(app.leaf, p);
        let (weight, of_user) =
            leaf.users.get(&app.user).map_or((1.0, Resource::ZERO), |user| (user.weight, user.am_used_in(p)));
        let (used, limit) = (leaf.am_used_in(app.am_partition), leaf.am_limit_in(app.am_partition));
        let inputs = LimitInputs { cluster: &self.cluster, ..bounds.inputs() };
        match leaf.am_stop(bounds.am_percent, &inputs, weight, &of_user, &app.am, app.am_partition) {
            AmStop::Queue => CapacityWait::AmLimit { queue, used, asked: app.am, limit },
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

    /// The limits that apply when a pass comes to an application (rules/capacity.md 12.2, 12.4, 13.1, 13.2), as if no
    /// other application came before it. An error is the check that stops the pass earlier. Repeats the sequence of
    /// checks of a pass (`decide::pass`, `books::who_may`). Computes limits of users, so the caller restores them.
    fn limits_at<P: Partition>(&mut self, entry: AppEntry, p: P) -> Result<Limits, CapacityWait> {
        let (leaf, reserved) = (self.apps[entry].leaf, self.apps[entry].reserved);
        let path = self.path_of(leaf);
        let mut limits = Limits::new(*self.size(p));
        for (at, slot) in path.iter().copied().enumerate().rev() {
            if !self.is_wanting(slot, p) {
                return Err(CapacityWait::NothingCounted { queue: self.node(slot).config.path.clone() });
            }
            let by_apps = self.counts(slot).reserved_by_apps;
            let reserved = if at == 0 { reserved } else { Resource::new(by_apps.memory_mb(), by_apps.vcores()) };
            self.may_assign(slot, &mut limits, &reserved, p).map_err(|stop| self.worded(entry, &stop, p))?;
            if let Some(child) = at.checked_sub(1) {
                if !self.node(slot).children.contains(&path[child]) {
                    return Err(CapacityWait::QueueRemoved { queue: self.node(path[child]).config.path.clone() });
                }
                let left = self.left_for_children(slot, &mut limits, p);
                limits = Limits::new(self.limit_of_child(path[child], &left, p));
            }
        }
        self.enter_leaf::<Look, P>(leaf, &mut limits, true, p);
        self.user_may::<Look, P>(leaf, entry, &mut limits, &mut Walk::new(), p)
            .map_err(|stop| self.worded(entry, &stop, p))?;
        if !self.arith.is_wanted(&self.cluster, self.apps[entry].pending_in(p)) {
            return Err(CapacityWait::NothingCounted { queue: self.node(leaf).config.path.clone() });
        }
        Ok(limits)
    }

    /// The public reason for a check that failed on a partition, for an application or for a queue on the way to it.
    fn worded<P: Partition>(&self, entry: AppEntry, stop: &Stop, p: P) -> CapacityWait {
        let app = &self.apps[entry];
        let path = |slot: u32| self.node(slot).config.path.clone();
        let (queue, user) = (path(app.leaf), app.user.to_string());
        match *stop {
            Stop::Queue { slot, limit } => {
                CapacityWait::QueueLimit { queue: path(slot), used: self.counts_in(slot, p).used, limit }
            }
            Stop::User { limit } => {
                let used = self.leaf(app.leaf).users.get(&app.user).map_or(Resource::ZERO, |user| user.used_in(p));
                CapacityWait::UserLimit { queue, user, used, limit }
            }
            Stop::UserForgotten => CapacityWait::UserForgotten { queue, user },
            Stop::NodeDecommissioning => CapacityWait::NodeDecommissioning,
            Stop::Gone => CapacityWait::Ended,
        }
    }
}

impl Shard {
    /// Why an application waits: on `node`, or on all nodes of this worker.
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
            .and_then(|()| self.restoring_users(leaf, |shard| shard.limits_of_first_key(entry)));
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

    /// On nodes of the label that its first key names.
    fn limits_of_first_key(&mut self, entry: AppEntry) -> Result<Limits, CapacityWait> {
        if !self.own.books.has_labels() {
            return self.own.books.limits_at(entry, Whole);
        }
        let first = self.app(self.own.books.apps[entry].slot).keys.iter().find(|key| key.total() > 0);
        let label = first.map_or(LabelId::NONE, |key| key.label);
        self.own.books.limits_at(entry, Part::of(label))
    }

    fn asks_for_something(&self, app: &AppShared) -> Result<(), CapacityWait> {
        match self.find_app(app.slot).and_then(|local| local.asks_in_vain()) {
            Some(true) => Err(CapacityWait::NothingAnywhere),
            Some(false) => Err(CapacityWait::NothingOutstanding),
            None => Ok(()),
        }
    }

    /// Why the application gets nothing on a node. Without `limits` (a reason applies to every node), only a
    /// reservation of the application is served there.
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
        let mut look = Look {
            current: number,
            queue: books.node(books.apps[entry].leaf).config.path.clone(),
            ..Look::for_target(number)
        };
        let mut visit = self.visit(node);
        // The outcome is in `look` and `visit`.
        let _ = by_partition!(self, node, |p| self.offer_app(entry, &mut visit, limits, p, &mut look));
        self.key_reasons(entry, look, visit.proposal.as_ref())
    }

    /// The reasons of an application's keys, as `look` has noted them. The key that was tried last gets the outcome of
    /// the proposal, if there is one.
    fn key_reasons(&mut self, entry: AppEntry, look: Look, offered: Option<&Proposal>) -> Vec<OnNode> {
        if look.is_blacklisted {
            return vec![(None, CapacityWait::Blacklisted)];
        }
        let offer = offered.map(|proposal| self.outcome_of(entry, proposal));
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

    /// The outcome of a proposal of a pass, if it were committed now.
    fn outcome_of(&mut self, entry: AppEntry, proposal: &Proposal) -> CapacityWait {
        let Chosen { size, allocated, .. } = proposal.chosen;
        let free = self.nodes[proposal.node as usize].free;
        if proposal.converts && !allocated {
            return CapacityWait::Reserved { asked: size, free };
        }
        let leaf = self.own.books.apps[entry].leaf;
        let accepted = self.restoring_users(leaf, |shard| {
            by_partition!(shard, proposal.node, |p| shard.accepts::<Look, _>(proposal, p))
        });
        match accepted {
            Err(Stop::Gone) => CapacityWait::NodeFull { free },
            Err(stop) => by_partition!(self, proposal.node, |p| self.own.books.worded(entry, &stop, p)),
            Ok(()) if allocated => CapacityWait::Offer,
            Ok(()) => CapacityWait::WillReserve { asked: size, free },
        }
    }

    /// Why the application does not get its reservation on a node.
    fn why_reserved(&mut self, entry: AppEntry, node: u32) -> CapacityWait {
        let Some(made) = self.nodes[node as usize].reservation else { return CapacityWait::Offer };
        let AppBook { leaf, slot: app, number, .. } = self.own.books.apps[entry];
        let key = self.key_index(app, made.key).filter(|key| self.app(app).keys[*key].total() > 0);
        let Some(key) = key else { return CapacityWait::NothingOutstanding };
        let may_kill = by_partition!(self, node, |p| self.own.books.may_kill(leaf, p));
        let limits = Limits { may_kill, ..Limits::new(self.own.books.cluster) };
        let mut look = Look { current: number, keys: vec![(made.key, None)], ..Look::for_target(number) };
        let (mut visit, mut facts) = (self.visit(node), self.key_facts(app, key, node));
        // The outcome is in `look` and `visit`.
        let _ = self.offer_key::<_, Whole>((app, key), &mut facts, &mut visit, &limits, true, &mut look);
        let told = self.key_reasons(entry, look, visit.proposal.as_ref());
        told.into_iter().next().map_or(CapacityWait::NothingOutstanding, |(_, wait)| wait)
    }

    /// Makes the node's next pass, without keeping its results, and replaces the promises in `found` if another
    /// application comes first. Returns whether the pass serves the application.
    fn look_at_others(&mut self, entry: AppEntry, node: u32, found: &mut Vec<OnNode>) -> bool {
        let is_offered = self.has_most_containers(node).is_none() && !self.is_full(node);
        if self.nodes[node as usize].reservation.is_some() || !is_offered {
            return false;
        }
        let number = self.own.books.apps[entry].number;
        let path = self.own.books.path_of(self.own.books.apps[entry].leaf);
        let mut look = Look { path, ..Look::for_target(number) };
        let mut visit = self.visit(node);
        by_partition!(self, node, |p| {
            let mut limits = Limits::new(*self.own.books.size(p));
            self.offer_queue(ROOT, &mut visit, &mut limits, p, &mut look)
        });
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
                blocker
                    .or_else(|| full.map(|stop| by_partition!(self, node, |p| self.own.books.worded(entry, &stop, p))))
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
            // When the pass comes to the application, its limits are lower than without the others.
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
        let mut look = Look::for_target(7);
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
        let mut look = Look { path: vec![3, 0], ..Look::for_target(7) };
        let stop = |slot| Stop::Queue { slot, limit: Resource::ZERO };
        look.stopped(&stop(3));
        look.stopped(&stop(4));
        assert_eq!(look.full, Some(stop(3)));
    }
}

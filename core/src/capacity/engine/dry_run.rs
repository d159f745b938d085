//! A pass over a node that hands out nothing (rules/capacity.md 11 to 17): who comes first there, for
//! [`explaining`](super::explaining), and all that a pass tries, for [`watching`](super::watching).
//!
//! Run by a worker between two messages, or right before the pass. It changes nothing: users and lists are copies.

use super::books::Books;
use super::explaining::{NextVisit, OnNode, is_promise};
use super::types::Shard;
use crate::capacity::allocator::{Chosen, Limits, NodeFacts, Skipped, choose_telling, precheck};
use crate::capacity::order::{AppRank, FairCache};
use crate::capacity::ordered::AppEntry;
use crate::capacity::reasons::CapacityWait;
use crate::capacity::tree::ROOT;
use crate::capacity::tried::{AppEnd, AppTried, KeyEnd, KeyTried, PassCourse, QueueEnd, QueueTried};
use crate::resource::Resource;
use rustc_hash::FxHashMap;

/// Whom a dry run has met.
#[derive(Debug)]
enum Met {
    /// The application that is asked about, with what it may use.
    Target(Box<Limits>),
    /// One that is served before.
    Other(AppEntry),
}

/// A pass over a node that hands out nothing.
#[derive(Debug)]
struct DryRun {
    node: u32,
    /// Where it stops before it tries anything.
    target: Option<AppEntry>,
    met: Option<Met>,
    /// The last leaf queue that keeps what it has left, and what all such keep.
    blocker: Option<(u32, Resource)>,
    /// The last queue that uses all it may, as the first in it sees that: one without a reservation that could be given up.
    full: Option<CapacityWait>,
}

/// What an application that is served gets.
fn served(chosen: &Chosen) -> (AppEnd, QueueEnd) {
    if chosen.allocated { (AppEnd::Allocates, QueueEnd::Allocates) } else { (AppEnd::Reserves, QueueEnd::Reserves) }
}

impl Books {
    /// The active applications of a leaf in the order in which the next pass meets them: who awaits a refresh of its
    /// place has got it (rules/capacity.md 13.3).
    fn in_turn(&self, slot: u32) -> Vec<AppEntry> {
        let (leaf, order) = (self.leaf(slot), self.app_order(slot));
        if leaf.to_reorder.is_empty() {
            return leaf.active.iter().collect();
        }
        let (mut active, mut fresh) = (leaf.active.clone(), FxHashMap::<AppEntry, AppRank>::default());
        for (_, entry) in &leaf.to_reorder {
            let before = self.rank(*entry);
            let rank_of = |other| fresh.get(&other).copied().unwrap_or_else(|| self.rank(other));
            if active.remove(&before, order, rank_of).is_none() {
                active.go_by_place();
            }
            let app = &self.apps[*entry];
            let fair = FairCache { used_mb: app.used.memory_mb(), pending_mb: app.pending.amount().memory_mb() };
            let now = AppRank { fair, ..before };
            fresh.insert(*entry, now);
            active.insert(*entry, &now, order, |other| fresh.get(&other).copied().unwrap_or_else(|| self.rank(other)));
        }
        active.iter().collect()
    }
}

impl Shard {
    /// Others may come first on a node on which nothing stands against an application.
    pub(super) fn look_at_others(&self, app: u32, entry: AppEntry, node: u32, found: &mut Vec<OnNode>) {
        let mut walk = DryRun { node, target: Some(entry), met: None, blocker: None, full: None };
        self.walk_queue(ROOT, &mut Limits::new(self.own.books.cluster), &mut walk);
        let others = match walk.met {
            Some(Met::Other(other)) => {
                let other = &self.own.books.apps[other];
                let queue = self.own.books.node(other.leaf).config.path.clone();
                Some(CapacityWait::Behind { app: other.number, queue })
            }
            Some(Met::Target(limits)) if self.why_not_on(app, entry, node, Some(&limits)) == *found => None,
            Some(Met::Target(_)) | None => {
                let blocker = walk.blocker.map(|(slot, kept)| CapacityWait::HeldBack {
                    queue: self.own.books.node(slot).config.path.clone(),
                    kept,
                });
                blocker.or(walk.full)
            }
        };
        let Some(others) = others else { return };
        for (_, wait) in found.iter_mut().filter(|(_, wait)| is_promise(wait)) {
            wait.clone_from(&others);
        }
    }

    /// All that the next pass over a node tries.
    pub(super) fn course_of(&self, node: u32) -> PassCourse {
        let (books, at) = (&self.own.books, &self.nodes[node as usize]);
        if let Some(most) = self.has_most_containers(node) {
            return PassCourse::MostContainers { most };
        }
        if at.reservation.is_some()
            && let Some(course) = self.course_of_reservation(node)
        {
            return course;
        }
        if books.arith.available_containers(&at.free.plus(&at.own.killable.sum()), &books.minimum) <= 0 {
            return PassCourse::NodeFull;
        }
        let mut walk = DryRun { node, target: None, met: None, blocker: None, full: None };
        PassCourse::Offered(self.walk_queue(ROOT, &mut Limits::new(books.cluster), &mut walk))
    }

    /// What becomes of a reserved node: only its reservation is tried there (rules/capacity.md 17.3).
    fn course_of_reservation(&self, node: u32) -> Option<PassCourse> {
        let made = self.nodes[node as usize].reservation?;
        let entry = self.find_app(made.app).and_then(|app| app.own.entry)?;
        let (books, slot) = (&self.own.books, made.app.index);
        let leaf = books.apps[entry].leaf;
        let limits = Limits { may_kill: books.may_kill(leaf), ..Limits::new(books.cluster) };
        let key = self.key_index(slot, made.key).filter(|key| self.app(slot).keys[*key].total() > 0);
        let mut app = self.tried(entry, AppEnd::Nothing);
        if let Some(key) = key {
            let mut ends = Vec::new();
            if let Ok(chosen) = self.try_key(slot, key, node, &limits, true, &mut ends) {
                app.end = served(&chosen).0;
            }
            app.keys.push(self.key_tried(slot, key, ends));
        }
        Some(PassCourse::Reserved { queue: app.queue.clone(), container: made.number, app })
    }

    /// As a pass offers the node to a queue, up to the application or to whoever is served before.
    fn walk_queue(&self, slot: u32, limits: &mut Limits, walk: &mut DryRun) -> QueueTried {
        let (books, at) = (&self.own.books, &self.nodes[walk.node as usize]);
        let queue = books.node(slot).config.path.clone();
        let mut tried = QueueTried { queue, end: QueueEnd::NothingWanted, queues: Vec::new(), apps: Vec::new() };
        if !books.is_wanting(slot) {
            return tried;
        }
        if books.is_leaf(slot) {
            self.walk_leaf(slot, limits, walk, &mut tried);
            return tried;
        }
        if !books.arith.fits_in(&books.minimum, &at.free.plus(&at.own.killable.sum())) {
            tried.end = QueueEnd::NodeFull;
            return tried;
        }
        let by_apps = books.counts(slot).reserved_by_apps;
        if !books.may_assign(slot, limits, &Resource::new(by_apps.memory_mb(), by_apps.vcores())) {
            tried.end = QueueEnd::AtMaximum;
            return tried;
        }
        tried.end = QueueEnd::Nothing;
        let mut left = books.left_for_children(slot, limits);
        for child in books.children_in_turn(slot) {
            let mut of_child = Limits::new(books.limit_of_child(child, &left));
            let of = self.walk_queue(child, &mut of_child, walk);
            let end = of.end;
            tried.queues.push(of);
            if walk.met.is_some() {
                tried.end = end;
                break;
            }
            if let QueueEnd::NoRoom { .. } = end {
                let kept = if books.is_leaf(child) { of_child.headroom } else { of_child.blocked };
                let kept = books.arith.most(&books.cluster, &kept, &Resource::ZERO);
                limits.blocked = limits.blocked.plus(&kept);
                if books.is_leaf(child) {
                    walk.blocker = Some((child, walk.blocker.map_or(kept, |(_, before)| before.plus(&kept))));
                }
                left = books.left_for_children(slot, limits);
                tried.end = end;
            }
        }
        tried
    }

    fn walk_leaf(&self, slot: u32, limits: &mut Limits, walk: &mut DryRun, tried: &mut QueueTried) {
        let books = &self.own.books;
        limits.may_kill = books.may_kill(slot);
        tried.end = QueueEnd::Nothing;
        let continue_looking = books.rules(slot).continue_looking;
        let mut users = books.leaf(slot).users.clone();
        let mut checks_queue = true;
        for entry in books.in_turn(slot) {
            let app = &books.apps[entry];
            if checks_queue {
                if !books.may_assign(slot, limits, &app.reserved) {
                    walk.full = Some(books.all_used(slot, &limits.limit));
                    tried.end = QueueEnd::AtMaximum;
                    tried.apps.push(self.tried(entry, AppEnd::QueueAtMaximum));
                    return;
                }
                checks_queue = continue_looking && !app.reserved.is_zero();
            }
            if books.check_user(slot, entry, &mut users, limits).is_err() {
                tried.apps.push(self.tried(entry, AppEnd::UserAtLimit));
                continue;
            }
            if !books.arith.is_positive(&books.cluster, &app.pending.amount()) {
                tried.apps.push(self.tried(entry, AppEnd::NothingWanted));
                continue;
            }
            if walk.target == Some(entry) {
                walk.met = Some(Met::Target(Box::new(*limits)));
                return;
            }
            let (of, outcome) = self.try_app(entry, walk.node, limits);
            tried.apps.push(of);
            match outcome {
                // One that is refused at its commit comes first all the same.
                Ok(chosen) => {
                    walk.met = Some(Met::Other(entry));
                    tried.end = served(&chosen).1;
                    return;
                }
                Err(Skipped::Queue) => {
                    tried.end = QueueEnd::NoRoom { app: app.number };
                    return;
                }
                Err(Skipped::App | Skipped::Key) => {}
            }
        }
    }

    // ------------------------------------------------------------------------------------------------ an application

    fn tried(&self, entry: AppEntry, end: AppEnd) -> AppTried {
        let app = &self.own.books.apps[entry];
        let queue = self.own.books.node(app.leaf).config.path.clone();
        AppTried { app: app.number, queue, priority: app.priority, end, keys: Vec::new() }
    }

    fn key_tried(&self, app: u32, key: usize, ends: Vec<KeyEnd>) -> KeyTried {
        let id = self.app(app).keys[key].id();
        KeyTried { priority: id.priority, allocation_request_id: id.allocation_request_id, ends }
    }

    /// The first of an application's keys that is not passed over decides for all of it (rules/capacity.md 16.2).
    fn try_app(&self, entry: AppEntry, node: u32, limits: &Limits) -> (AppTried, Result<Chosen, Skipped>) {
        let (books, mut tried) = (&self.own.books, self.tried(entry, AppEnd::Nothing));
        let (app, rules) = (books.apps[entry].slot, books.rules(books.apps[entry].leaf));
        for key in 0..self.app(app).keys.len() {
            if !self.app(app).keys[key].is_open() {
                continue;
            }
            let facts = self.key_facts(app, key, node);
            let mut ends = Vec::new();
            let outcome = match precheck(&facts, limits, &books.apps[entry].reserved, &rules) {
                Some(skipped) => {
                    let is_wanted = facts.any.is_some_and(|any| any.count > 0);
                    ends.push(match skipped {
                        Skipped::Queue => KeyEnd::NoRoomInQueue,
                        Skipped::Key | Skipped::App if is_wanted => KeyEnd::ReservedEnough,
                        Skipped::Key | Skipped::App => KeyEnd::NothingWanted,
                    });
                    Err(skipped)
                }
                None => self.try_key(app, key, node, limits, false, &mut ends),
            };
            tried.keys.push(self.key_tried(app, key, ends));
            match outcome {
                Err(Skipped::Key) => {}
                Ok(chosen) => {
                    tried.end = served(&chosen).0;
                    return (tried, Ok(chosen));
                }
                Err(skipped) => return (tried, Err(skipped)),
            }
        }
        (tried, Err(Skipped::App))
    }

    /// What a key would get on a node, the visit counted (rules/capacity.md 16.5).
    fn try_key(
        &self,
        app: u32,
        key: usize,
        node: u32,
        limits: &Limits,
        converts: bool,
        ends: &mut Vec<KeyEnd>,
    ) -> Result<Chosen, Skipped> {
        let (books, at) = (&self.own.books, &self.nodes[node as usize]);
        if self.is_blacklisted(app, node) {
            ends.push(KeyEnd::Blacklisted);
            return Err(Skipped::App);
        }
        // One that has ended may still stand in its leaf's list.
        let leaf = books.apps[self.entry(app).ok_or(Skipped::App)?].leaf;
        let NextVisit { facts, sizes, killable } = self.next_visit(app, key, node);
        let of_node = NodeFacts { free: at.free, total: at.total, killable: &killable };
        let rules = books.rules(leaf);
        let chosen = choose_telling(&facts, &of_node, limits, &sizes, converts, &rules, &mut |end| ends.push(end))?;
        if chosen.allocated {
            ends.push(KeyEnd::Allocated { size: chosen.size });
        }
        Ok(chosen)
    }
}

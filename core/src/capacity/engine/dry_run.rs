//! Who comes first on a node: a pass that hands out nothing (reference 11 to 13), for [`explaining`](super::explaining).
//!
//! Run by a worker between two messages. It changes nothing: users and lists are copies.

use super::books::Books;
use super::explaining::{OnNode, is_promise};
use super::types::Shard;
use crate::capacity::allocator::Limits;
use crate::capacity::order::{AppRank, FairCache, slot_of};
use crate::capacity::ordered::AppEntry;
use crate::capacity::reasons::CapacityWait;
use crate::capacity::tree::ROOT;
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

/// Why a dry run goes no further in a queue.
#[derive(Debug)]
enum Stopped {
    /// It has met somebody.
    Met,
    /// The queue has no room for its next container.
    AtLimit,
}

/// A pass over a node that hands out nothing.
#[derive(Debug)]
struct DryRun {
    node: u32,
    target: AppEntry,
    met: Option<Met>,
    /// The last leaf queue that keeps what it has left, and what all such keep.
    blocker: Option<(u32, Resource)>,
    /// The last queue that uses all it may, as the first in it sees that: one without a reservation that could be given up.
    full: Option<CapacityWait>,
}

impl Books {
    /// The active applications of a leaf in the order in which the next pass meets them: who awaits a refresh of its place has got it (13.3).
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
            let fair = FairCache { used_mb: app.used.memory_mb(), pending_mb: app.pending.memory_mb() };
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
        let mut walk = DryRun { node, target: entry, met: None, blocker: None, full: None };
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

    /// As a pass offers the node to a queue, up to the application or to whoever is served before. `None`: nobody below is served.
    fn walk_queue(&self, slot: u32, limits: &mut Limits, walk: &mut DryRun) -> Option<Stopped> {
        let books = &self.own.books;
        if books.is_leaf(slot) {
            return self.walk_leaf(slot, limits, walk);
        }
        let by_apps = books.counts(slot).reserved_by_apps;
        let may = books.is_wanting(slot)
            && books.may_assign(slot, limits, &Resource::new(by_apps.memory_mb(), by_apps.vcores()));
        if !may {
            return None;
        }
        let mut left = books.left_for_children(slot, limits);
        let (mut at, mut answer) = (None, None);
        while let Some(key) = books.next_child(slot, at) {
            at = Some(key);
            let child = slot_of(key);
            let mut of_child = Limits::new(books.limit_of_child(child, &left));
            match self.walk_queue(child, &mut of_child, walk) {
                Some(Stopped::Met) => return Some(Stopped::Met),
                Some(Stopped::AtLimit) => {
                    let kept = if books.is_leaf(child) { of_child.headroom } else { of_child.blocked };
                    let kept = books.arith.most(&books.cluster, &kept, &Resource::ZERO);
                    limits.blocked = limits.blocked.plus(&kept);
                    if books.is_leaf(child) {
                        walk.blocker = Some((child, walk.blocker.map_or(kept, |(_, before)| before.plus(&kept))));
                    }
                    left = books.left_for_children(slot, limits);
                    answer = Some(Stopped::AtLimit);
                }
                None => {}
            }
        }
        answer
    }

    fn walk_leaf(&self, slot: u32, limits: &mut Limits, walk: &mut DryRun) -> Option<Stopped> {
        let books = &self.own.books;
        if !books.is_wanting(slot) {
            return None;
        }
        limits.may_kill = books.may_kill(slot);
        let continue_looking = books.rules(slot).continue_looking;
        let mut users = books.leaf(slot).users.clone();
        let mut checks_queue = true;
        for entry in books.in_turn(slot) {
            let app = &books.apps[entry];
            if checks_queue {
                if !books.may_assign(slot, limits, &app.reserved) {
                    walk.full = Some(books.all_used(slot, &limits.limit));
                    return None;
                }
                checks_queue = continue_looking && !app.reserved.is_zero();
            }
            if books.check_user(slot, entry, &mut users, limits).is_err()
                || !books.arith.is_positive(&books.cluster, &app.pending)
            {
                continue;
            }
            if entry == walk.target {
                walk.met = Some(Met::Target(Box::new(*limits)));
                return Some(Stopped::Met);
            }
            for (_, wait) in self.why_not_on(app.slot, entry, walk.node, Some(limits)) {
                if matches!(wait, CapacityWait::QueueRoom { .. }) {
                    return Some(Stopped::AtLimit);
                }
                // One that is refused at its commit comes first all the same.
                let is_refused = matches!(wait, CapacityWait::QueueLimit { .. } | CapacityWait::UserLimit { .. });
                if is_refused || is_promise(&wait) {
                    walk.met = Some(Met::Other(entry));
                    return Some(Stopped::Met);
                }
            }
        }
        None
    }
}

//! Placing: every queue and application at its place among its siblings.
//!
//! # Where it stands
//! Called by whatever changes usage, demand, asks or members; `assignment` reads the result. A change of usage replays
//! one path a level, O(depth x log children). The bounds that let `assignment` pass over whole subtrees (`floor`,
//! `ceiling`, `master_floor`, `may_reserve`, `uneven`) are widened at once and computed anew with each update.

use crate::engine::worker::paths::with_parent;
use crate::fair::bounds::Bounds;
use crate::fair::engine::Shard;
use crate::fair::in_vain::is_even;
use crate::id::NONE;
use crate::id::ROOT;
use crate::resource::Resource;

/// The size that was looked at last: asks of a leaf's applications are mostly of one.
struct Seen {
    leaf: u32,
    size: Resource,
    is_reservable: bool,
}

impl Shard {
    /// Takes over demand and shares of the snapshot and puts everything in order anew: O(queues + applications).
    pub(crate) fn refresh_everything(&mut self) {
        let shares = self.snapshot.figures.clone();
        let shared = self.shared.clone();
        for app in self.apps.iter_mut().flatten() {
            let share = shares.app(app.shared.slot);
            app.own.take_share(&shared, &share);
        }
        for queue in self.queues.iter_mut().flatten() {
            let share = shares.queue(queue.snapshot.slot);
            queue.own.demand = share.demand;
            queue.own.fair_share = share.fair_share;
        }
        self.refresh_contents_below(ROOT);
    }

    fn refresh_contents_below(&mut self, queue: u32) {
        let snapshot = self.queue(queue).snapshot.clone();
        for child in &snapshot.children {
            self.refresh_contents_below(*child);
        }
        self.refresh_queue_contents(queue);
    }

    /// Whether an application is pending and out of its leaf's order: for want of asks, as far as this worker saw.
    #[inline]
    pub(crate) fn may_lack_asks(&self, index: u32) -> bool {
        let app = self.app(index);
        app.is_pending() && app.leaf != NONE && !self.queue(app.leaf).own.has_eligible(app.position)
    }

    /// Puts every queue in place among its siblings.
    pub(crate) fn refresh_all_queues(&mut self) {
        for index in 0..self.queues.len() {
            if self.queues[index].is_some() {
                self.refresh_upwards(u32::try_from(index).expect("queues are u32"));
            }
        }
    }

    /// Puts the children of one queue in order anew.
    pub(crate) fn refresh_queue_contents(&mut self, index: u32) {
        let snapshot = self.queue(index).snapshot.clone();
        let mut bounds = Bounds::NOTHING;
        if snapshot.leaf {
            // An application that is in the old order and is no longer runnable is not placed again below, so this loop
            // notes that it is not visited any more. For runnable ones `place_app` notes it.
            let members = if self.own.counts_opportunities { self.queue(index).own.order.len() } else { 0 };
            for at in 0..members {
                let app = self.queue(index).own.order.child(u32::try_from(at).expect("positions are u32"));
                if let Some(Some(left)) = self.apps.get(app as usize)
                    && !left.runnable
                {
                    self.note_not_visited(app);
                }
            }
            let mut master_floor = Resource::UNBOUNDED;
            // Doubled, so that a leaf that grows is not put in order anew with every member; no wider, so that paths
            // are short.
            let room = match snapshot.runnable.end() {
                0 => 0,
                end => end.next_power_of_two() as usize,
            };
            self.queue_mut(index).own.reset_children(room);
            let mut seen = None;
            for (position, member) in snapshot.runnable.positions() {
                let app = member.app.slot.index;
                self.queue_mut(index).own.order.set_child(position, app);
                self.bound_asks(app, &mut seen);
                let local = self.app(app);
                bounds = bounds.with(self.types, &local.own.bounds());
                if local.waits_for_am() {
                    master_floor = self.first_ask(app).map_or(master_floor, |size| master_floor.least(&size));
                }
                self.refresh_app(app);
            }
            self.queue_mut(index).own.master_floor = master_floor;
        } else {
            self.queue_mut(index).own.reset_children(snapshot.children.len());
            for (position, child) in (0..).zip(&snapshot.children) {
                self.queue_mut(index).own.order.set_child(position, *child);
                if self.queues[*child as usize].is_some() {
                    bounds = bounds.with(self.types, &self.queue(*child).own.bounds());
                    self.refresh_queue(*child);
                }
            }
        }
        self.queue_mut(index).own.set_bounds(&bounds);
    }

    /// Computes the bounds that let whole subtrees be skipped; see [`floor`](crate::fair::queue::FairQueue::floor).
    fn bound_asks(&mut self, index: u32, seen: &mut Option<Seen>) {
        let app = self.app(index);
        app.look_at_all_keys();
        let (mut floor, mut may_reserve, mut uneven) = (Resource::UNBOUNDED, false, !is_even(app));
        if app.leaf != NONE {
            // Asks of a key are mostly of one size. Loops by hand: as one chain of iterators this is not inlined, and
            // an update takes 3 % more instructions.
            let mut before = None;
            let mut bound = |size: &Resource| {
                if before.as_ref() == Some(size) {
                    return;
                }
                if before.replace(*size).is_some() {
                    uneven = true;
                    floor = floor.least_of_types(self.types, size);
                } else {
                    floor = *size;
                }
                let known = seen.as_ref().filter(|seen| seen.leaf == app.leaf && seen.size == *size);
                may_reserve |= match known {
                    Some(seen) => seen.is_reservable,
                    None => {
                        let is_reservable = self.is_reservable(app.leaf, size);
                        *seen = Some(Seen { leaf: app.leaf, size: *size, is_reservable });
                        is_reservable
                    }
                };
            };
            // A key that names racks or nodes counts even if nothing is outstanding for `*`. Something may become
            // outstanding again, by a new `*` ask or by units that another worker hands back. The message about that
            // may carry only the key's own size, so the sizes of the rows must be in the bounds already.
            for key in app.keys.iter().filter(|key| key.is_open_or_note_zero() || key.named().is_some()) {
                bound(&key.size);
                for size in key.rows().sizes() {
                    bound(size);
                }
            }
        }
        let app = self.app_mut(index);
        (app.own.floor, app.own.may_reserve, app.own.uneven) = (floor, may_reserve, uneven);
    }

    /// Whether an ask of a leaf's application is large enough for a reservation.
    fn is_reservable(&self, leaf: u32, size: &Resource) -> bool {
        let calculator = self.queue(leaf).snapshot.own.calculator;
        let threshold = &self.shared.decider.settings.reservation_threshold;
        calculator.compare(self.types, &self.cluster.total, size, threshold, false).is_ge()
    }

    /// An application has asks of some sizes anew. The bounds of what it already asked for stay as they are until the
    /// next update, so that this costs as much as is new, however many asks there are.
    pub(crate) fn asks_changed<'a>(&mut self, index: u32, sizes: impl Iterator<Item = &'a Resource>) {
        let app = self.app(index);
        if !app.runnable {
            self.bound_asks(index, &mut None);
            return;
        }
        let (leaf, waits) = (app.leaf, app.waits_for_am());
        let now = || (app.own.floor, app.own.may_reserve, app.own.uneven);
        let mut wider = None;
        if !app.own.uneven && !is_even(app) {
            wider = Some((app.own.floor, app.own.may_reserve, true));
        }
        for size in sizes {
            // What is no smaller and no larger than what it asks for already changes nothing.
            if !size.equals_in_types(self.types, &app.own.floor) {
                let (floor, may_reserve, uneven) = wider.unwrap_or_else(now);
                // Of a first size it stays even.
                let uneven = uneven || floor != Resource::UNBOUNDED;
                wider = Some((floor.least(size), may_reserve || self.is_reservable(leaf, size), uneven));
            }
        }
        // The queues above admit what it asked for before.
        let wider = wider.filter(|bounds| *bounds != now());
        if wider.is_some() || waits {
            if let Some(bounds) = wider {
                let app = self.app_mut(index);
                (app.own.floor, app.own.may_reserve, app.own.uneven) = bounds;
            }
            self.asks_bounded(index);
        }
        let app = self.app(index);
        let has_place = self.queue(leaf).own.has_place_as(app.position, waits);
        // New asks do not change its order key, which depends on usage and shares. They only change whether it can be
        // offered a node. So it is placed again only if it has no place yet, or if nothing is outstanding.
        if !has_place || !app.has_open_key() {
            self.refresh_app(index);
            self.refresh_if_served(leaf);
        }
    }

    /// A new member of a leaf finds its place; the caller sees to the queues above.
    pub(crate) fn place_member(&mut self, index: u32) {
        self.bound_asks(index, &mut None);
        if self.app(index).runnable {
            self.asks_bounded(index);
            self.refresh_app(index);
        }
    }

    /// Lets the queues above admit what a runnable application asks for.
    fn asks_bounded(&mut self, index: u32) {
        let app = self.app(index);
        let (bounds, leaf) = (app.own.bounds(), app.leaf);
        let master = app.waits_for_am().then(|| self.first_ask(index)).flatten();
        self.widen_bounds(leaf, &bounds);
        if let Some(master) = master {
            let queue = self.queue_mut(leaf);
            queue.own.master_floor = queue.own.master_floor.least(&master);
        }
    }

    /// The same of all that is below a queue.
    pub(crate) fn refresh_bounds_above(&mut self, queue: u32) {
        let local = self.queue(queue);
        let (bounds, parent) = (local.own.bounds(), local.parent);
        if parent != NONE {
            self.widen_bounds(parent, &bounds);
        }
    }

    /// Lets the bounds of a queue and those above it admit what is new below.
    pub(crate) fn widen_bounds(&mut self, queue: u32, bounds: &Bounds) {
        let (mut at, types) = (queue, self.types);
        while at != NONE {
            let queue = self.queue_mut(at);
            if !queue.own.widen(types, bounds) {
                break;
            }
            at = queue.parent;
        }
    }

    /// Puts an application at its place in its leaf queue.
    pub(crate) fn refresh_app(&mut self, index: u32) {
        let app = self.apps[index as usize].as_ref().expect("an application that this worker knows");
        if app.leaf != NONE && app.runnable {
            let leaf = self.queues[app.leaf as usize].as_mut().expect("a queue of the snapshot");
            leaf.own.place_app(app, &self.cluster, self.own.in_vain.passes);
        }
    }

    /// Puts a queue at its place in its parent.
    #[inline]
    pub(crate) fn refresh_queue(&mut self, index: u32) {
        let parent = self.queue(index).parent;
        if parent != NONE {
            let (queue, parent) = with_parent(&mut self.queues, index, parent);
            parent.own.place_queue(queue, &self.cluster);
        }
    }

    /// After applications of a queue have found or lost their place, and no usage has changed: puts those above in
    /// place for which that makes a difference.
    fn refresh_if_served(&mut self, queue: u32) {
        let mut at = queue;
        loop {
            let local = self.queue(at);
            let parent = local.parent;
            if parent == NONE {
                return;
            }
            let above = &self.queue(parent).own;
            if (local.own.eligible > 0) == above.has_eligible(local.position)
                && local.own.is_stranger() == above.has_stranger(local.position)
            {
                return;
            }
            self.refresh_queue(at);
            at = parent;
        }
    }

    /// Puts a queue and all above it in place.
    #[inline]
    pub(crate) fn refresh_upwards(&mut self, queue: u32) {
        let mut at = queue;
        while at != NONE {
            self.refresh_queue(at);
            at = self.queue(at).parent;
        }
    }
}

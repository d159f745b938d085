//! Placing: every queue and application at its place among its siblings.
//!
//! # Where it stands
//! Called by whatever changes usage, demand, asks or members; `assignment` reads the result. A change of usage replays one
//! path a level, O(depth x log children). The bounds that let `assignment` pass over whole subtrees (`floor`,
//! `master_floor`, `may_reserve`) are widened at once and computed anew with each update.

use super::shard::{NONE, Shard, Suspended};
use crate::resource::Resource;

impl Shard {
    /// Takes over demand and shares of the snapshot and puts everything in order anew: O(queues + applications).
    pub(super) fn refresh_everything(&mut self) {
        let shares = self.snapshot.shares.clone();
        let shared = self.shared.clone();
        for app in self.apps.iter_mut().flatten() {
            let share = shares.app(app.shared.slot);
            app.demand = share.demand;
            app.fair_share = share.fair_share;
            app.weight = shared.app_weight(&app.demand);
        }
        for queue in self.queues.iter_mut().flatten() {
            let share = shares.queue(queue.snapshot.slot);
            queue.demand = share.demand;
            queue.fair_share = share.fair_share;
        }
        self.refresh_contents_below(super::snapshot::ROOT);
    }

    fn refresh_contents_below(&mut self, queue: u32) {
        let snapshot = self.queue(queue).snapshot.clone();
        for child in &snapshot.children {
            self.refresh_contents_below(*child);
        }
        self.refresh_queue_contents(queue);
    }

    /// Whether an application is pending and out of its leaf's order: for want of asks, as far as this worker saw.
    pub(super) fn may_be_dry(&self, index: usize) -> bool {
        self.apps[index]
            .as_ref()
            .is_some_and(|app| app.is_pending() && app.leaf != NONE && !self.queue(app.leaf).has_eligible(app.position))
    }

    /// Puts every queue in place among its siblings.
    pub(super) fn refresh_all_queues(&mut self) {
        for index in 0..self.queues.len() {
            if self.queues[index].is_some() {
                self.refresh_upwards(u32::try_from(index).expect("queues are u32"));
            }
        }
    }

    /// Puts the children of one queue in order anew.
    pub(super) fn refresh_queue_contents(&mut self, index: u32) {
        let snapshot = self.queue(index).snapshot.clone();
        let (mut floor, mut may_reserve) = (Resource::UNBOUNDED, false);
        if snapshot.leaf {
            let mut master_floor = Resource::UNBOUNDED;
            // Doubled, so that a leaf that grows is not put in order anew with every chunk of members.
            let room = match snapshot.runnable.width() {
                0 => 0,
                width => width.next_power_of_two(),
            };
            self.queue_mut(index).reset_children(room);
            for (position, member) in snapshot.runnable.positions() {
                let app = member.app.slot.index;
                self.queue_mut(index).ids[position as usize] = app;
                self.bound_asks(app);
                floor = floor.least(&self.app(app).floor);
                may_reserve |= self.app(app).may_reserve;
                if self.app(app).shared.waits_for_am() {
                    master_floor = self.first_ask(app).map_or(master_floor, |size| master_floor.least(&size));
                }
                self.refresh_app(app);
            }
            self.queue_mut(index).master_floor = master_floor;
        } else {
            self.queue_mut(index).reset_children(snapshot.children.len());
            for (position, child) in snapshot.children.iter().enumerate() {
                self.queue_mut(index).ids[position] = *child;
                if self.queues[*child as usize].is_some() {
                    floor = floor.least(&self.queue(*child).floor);
                    may_reserve |= self.queue(*child).may_reserve;
                    self.refresh_queue(*child);
                }
            }
        }
        let queue = self.queue_mut(index);
        queue.floor = floor;
        queue.may_reserve = may_reserve;
    }

    /// Computes the bounds that let whole subtrees be skipped; see [`floor`](super::shard::QueueLocal::floor).
    fn bound_asks(&mut self, index: u32) {
        let app = self.app(index);
        let (mut floor, mut may_reserve) = (Resource::UNBOUNDED, false);
        if app.leaf != NONE {
            let calculator = self.queue(app.leaf).snapshot.policy.calculator();
            let threshold = &self.shared.settings.reservation_threshold;
            let sizes = app
                .keys
                .iter()
                .filter(|key| key.cell.pool.visible(self.worker) > 0)
                .flat_map(|key| std::iter::once(&key.size).chain(key.rows.iter().map(|row| &row.size)));
            for size in sizes {
                floor = floor.least(size);
                may_reserve |= calculator.compare(self.types, &self.cluster.total, size, threshold, false).is_ge();
            }
        }
        let app = self.app_mut(index);
        app.floor = floor;
        app.may_reserve = may_reserve;
    }

    /// After new asks: bounds of the application and, where they fall, of the queues above; then its place.
    pub(super) fn asks_changed(&mut self, index: u32) {
        self.bound_asks(index);
        let app = self.app(index);
        if !app.runnable {
            return;
        }
        let (floor, may_reserve, leaf) = (app.floor, app.may_reserve, app.leaf);
        let master = app.shared.waits_for_am().then(|| self.first_ask(index)).flatten();
        self.widen_bounds(leaf, &floor, may_reserve);
        if let Some(master) = master {
            let queue = self.queue_mut(leaf);
            queue.master_floor = queue.master_floor.least(&master);
        }
        self.refresh_app(index);
        self.refresh_upwards(leaf);
    }

    /// The size of the first key that has something outstanding: for an application that waits, its AM's.
    pub(super) fn first_ask(&self, index: u32) -> Option<Resource> {
        let first = self.app(index).keys.iter().find(|key| key.cell.pool.visible(self.worker) > 0)?;
        Some(first.size)
    }

    /// Lets the bounds of a queue and those above it admit what is new below.
    pub(super) fn widen_bounds(&mut self, queue: u32, floor: &Resource, may_reserve: bool) {
        let mut at = queue;
        while at != NONE {
            let queue = self.queue_mut(at);
            let lower = queue.floor.least(floor);
            if lower == queue.floor && (queue.may_reserve || !may_reserve) {
                break;
            }
            queue.floor = lower;
            queue.may_reserve |= may_reserve;
            at = queue.parent;
        }
    }

    /// Puts an application at its place in its leaf queue.
    #[inline]
    pub(super) fn refresh_app(&mut self, index: u32) {
        let app = self.apps[index as usize].as_ref().expect("an application that this worker knows");
        if app.leaf == NONE || !app.runnable {
            return;
        }
        let member = app.is_pending();
        let eligible = member && app.has_open_key(self.worker);
        let queue = self.queues[app.leaf as usize].as_mut().expect("a queue of the snapshot");
        let key = if member { queue.snapshot.policy.key(&self.cluster, &app.schedulable()) } else { None };
        queue.update_app(app.position, member, eligible, app.shared.waits_for_am(), key);
    }

    /// Puts a queue at its place in its parent.
    #[inline]
    pub(super) fn refresh_queue(&mut self, index: u32) {
        let queue = self.queue(index);
        let (parent, position, eligible) = (queue.parent, queue.position, queue.eligible > 0);
        if parent == NONE {
            return;
        }
        let key = self.queue(parent).snapshot.policy.key(&self.cluster, &queue.schedulable());
        self.queue_mut(parent).update_child(position, true, eligible, key);
    }

    /// Puts a queue and all above it in place.
    #[inline]
    pub(super) fn refresh_upwards(&mut self, queue: u32) {
        let mut at = queue;
        while at != NONE {
            self.refresh_queue(at);
            at = self.queue(at).parent;
        }
    }

    /// Adds to the usage of an application and of the queues above it, here and in the ledger, and puts them in place.
    pub(super) fn add_usage(&mut self, index: u32, amount: &Resource) {
        let (worker, types) = (self.worker, self.types);
        let app = self.app_mut(index);
        app.usage = app.usage.plus(amount);
        app.shared.cells[worker].usage.add(types, amount);
        let leaf = app.leaf;
        self.add_queue_usage(leaf, amount);
        self.refresh_app(index);
        self.refresh_upwards(leaf);
        self.note_change();
    }

    pub(super) fn add_queue_usage(&mut self, leaf: u32, amount: &Resource) {
        let (worker, types) = (self.worker, self.types);
        let mut at = leaf;
        while at != NONE {
            let queue = self.queue_mut(at);
            queue.usage = queue.usage.plus(amount);
            queue.snapshot.shared.cells[worker].usage.add(types, amount);
            at = queue.parent;
        }
    }

    // ------------------------------------------------------------------------------------------------ suspension

    /// Puts those back that were out for one descent.
    pub(super) fn end_descent(&mut self) {
        while let Some(out) = self.out_for_descent.pop() {
            self.resume(out);
        }
    }

    /// Puts all back.
    pub(super) fn end_pass(&mut self) {
        self.end_descent();
        while let Some(out) = self.out_for_pass.pop() {
            self.resume(out);
        }
    }

    fn resume(&mut self, Suspended { queue, position }: Suspended) {
        let queue = self.queue_mut(queue);
        queue.order.resume(position);
        queue.masters.resume(position);
    }
}

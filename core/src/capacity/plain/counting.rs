//! Usage, pending and reserved amounts up the tree; what a change of the cluster leads to; limits of users and headroom.

use super::state::{Node, Plain, Publication};
use crate::capacity::killable::Killable;
use crate::capacity::leaf::Candidate;
use crate::capacity::order::AppOrder;
use crate::capacity::tree::ROOT;
use crate::capacity::users::{Sharing, UserRecord};
use crate::resource::{Resource, Wide};

impl Plain {
    // ------------------------------------------------------------------------------------------------ counting

    /// How full a queue is, of its guarantee and of the cluster (rules/capacity.md 5.3).
    pub(super) fn work_out_statistics(&mut self, slot: u32) {
        let (arith, cluster) = (self.arith, self.cluster);
        let guaranteed = arith.most(&cluster, self.tree.get(slot).guaranteed(), &self.minimum);
        let counts = &mut self.counts[slot as usize];
        let zero = Resource::ZERO;
        if !arith.is_greater(&cluster, &cluster, &zero) {
            (counts.used_capacity, counts.absolute_used_capacity) = (0.0, 0.0);
            return;
        }
        counts.absolute_used_capacity = arith.divide(&cluster, &counts.used, &cluster);
        counts.used_capacity = arith.divide(&cluster, &counts.used, &guaranteed);
    }

    pub(super) fn charge_queue(&mut self, slot: u32, amount: &Resource, containers: i64) {
        let counts = &mut self.counts[slot as usize];
        counts.used = counts.used.plus(amount);
        counts.containers += containers;
        self.work_out_statistics(slot);
    }

    /// A container or a reservation comes to a leaf (`containers` 1) or goes (-1); the queues above follow by themselves.
    pub(super) fn charge_leaf(&mut self, slot: u32, user: &str, amount: &Resource, containers: i64) {
        self.charge_queue(slot, amount, containers);
        let (arith, cluster, weight) = (self.arith, self.cluster, self.tree.user_weight(slot, user));
        let users = &mut self.leaf_mut(slot).users;
        let record = users.ensure(user, || weight);
        users.charge(record, amount, arith, &cluster);
    }

    pub(super) fn charge_above(&mut self, slot: u32, amount: &Resource, containers: i64) {
        let above: Vec<u32> = self.tree.path(slot).skip(1).collect();
        above.into_iter().for_each(|queue| self.charge_queue(queue, amount, containers));
    }

    pub(super) fn add_pending(&mut self, slot: u32, amount: &Wide) {
        let path: Vec<u32> = self.tree.path(slot).collect();
        for queue in path {
            let pending = &mut self.counts[queue as usize].pending;
            *pending = pending.plus(amount);
        }
    }

    pub(super) fn add_reserved(&mut self, slot: u32, amount: &Resource) {
        let path: Vec<u32> = self.tree.path(slot).collect();
        for queue in path {
            let reserved = &mut self.counts[queue as usize].reserved;
            *reserved = reserved.plus(amount);
        }
    }

    pub(super) fn add_reserved_by_apps(&mut self, slot: u32, amount: &Resource) {
        let path: Vec<u32> = self.tree.path(slot).collect();
        for queue in path {
            let reserved = &mut self.counts[queue as usize].reserved_by_apps;
            *reserved = reserved.plus(amount);
        }
    }

    // ------------------------------------------------------------------------------------------------ the cluster

    /// After a change of the cluster figures and limits of all queues are worked out anew (rules/capacity.md 6).
    pub(super) fn cluster_changed(&mut self) {
        let cluster = self.cluster;
        self.tree.cluster_changed(&cluster).expect("what fails with the nodes has failed with the file");
        self.spread_limits(ROOT, cluster);
    }

    pub(super) fn spread_limits(&mut self, slot: u32, limit: Resource) {
        if self.leaves[slot as usize].is_some() {
            self.leaf_cluster_changed(slot, limit);
            return;
        }
        let limit = self.arith.least(&self.cluster, &limit, self.tree.get(slot).maximum());
        for child in self.tree.get(slot).children.clone() {
            let used = self.counts[slot as usize].used.minus(&self.killable_in(slot));
            let of_child = limit.minus(&used).plus(&self.counts[child as usize].used);
            self.spread_limits(child, self.arith.round_down(&of_child, &self.minimum));
        }
        self.work_out_statistics(slot);
    }

    pub(super) fn leaf_cluster_changed(&mut self, slot: u32, limit: Resource) {
        let (arith, cluster) = (self.arith, self.cluster);
        self.store_limit(slot, &limit);
        let leaf = self.leaf_mut(slot);
        leaf.published_limit = leaf.stored_limit;
        leaf.users.cluster_changed(arith, &cluster);
        self.work_out_statistics(slot);
        self.activate(slot);
        self.leaf_mut(slot).users.invalidate();
        let active: Vec<u32> = self.leaf(slot).active.iter().collect();
        for app in active {
            self.user_limit_and_publish(slot, app);
        }
    }

    /// Stores what a leaf may use, without publishing it (rules/capacity.md 13.1.1).
    pub(super) fn store_limit(&mut self, slot: u32, limit: &Resource) {
        let most = self.arith.round_down(self.tree.get(slot).maximum(), &self.minimum);
        let limit = self.arith.least(&self.cluster, &most, limit);
        self.leaf_mut(slot).stored_limit = limit;
    }

    /// Starts those that wait in a leaf, as far as the limits of AMs allow (rules/capacity.md 9).
    pub(super) fn activate(&mut self, slot: u32) {
        let bounds = self.bounds(slot);
        let ordering = self.ordering(slot);
        let mut leaf = self.leaves[slot as usize].take().expect("a leaf queue");
        let candidate = |number: u32| {
            let app = self.app(number);
            Candidate { rank: self.rank(number), user: &app.user, am: app.am }
        };
        let weight = |user: &str| self.tree.user_weight(slot, user);
        leaf.activate(AppOrder::of(&ordering), bounds.am_percent, &bounds.inputs(), candidate, weight);
        self.leaves[slot as usize] = Some(leaf);
    }

    /// The limit of an application's user; the leaf's limit and where its headroom comes from are published. `None` without a record.
    pub(super) fn user_limit_and_publish(&mut self, slot: u32, app: u32) -> Option<Resource> {
        let user = self.app(app).user.clone();
        let bounds = self.bounds(slot);
        let leaf = self.leaf_mut(slot);
        let record = leaf.users.record(&user)?;
        let limit = leaf.users.limit_of(&user, Sharing::Active, &bounds.inputs());
        self.publish(slot, app, record);
        Some(limit)
    }

    pub(super) fn publish(&mut self, slot: u32, app: u32, user: UserRecord) {
        let leaf = self.leaf_mut(slot);
        leaf.published_limit = leaf.stored_limit;
        // For good: records are not used again here.
        self.leaf_mut(slot).users.refer(user);
        self.app_mut(app).publication = Some(Publication { leaf: slot, user });
    }

    /// What an AM is told it can still get, by the figures last published for it (rules/capacity.md 15).
    pub(super) fn headroom(&mut self, app: u32) -> Resource {
        let Some(Publication { leaf: slot, user: record }) = self.app(app).publication else { return Resource::ZERO };
        let user = self.app(app).user.clone();
        let (arith, cluster, bounds) = (self.arith, self.cluster, self.bounds(slot));
        let queue_used = self.counts[slot as usize].used;
        let free = cluster.minus(&self.counts[ROOT as usize].used);
        let leaf = self.leaf_mut(slot);
        let limit = leaf.users.limit_of(&user, Sharing::Active, &bounds.inputs());
        let of_user = limit.minus_non_negative(&leaf.users.at(record).used);
        let of_queue = leaf.published_limit.minus_non_negative(&queue_used);
        let both = arith.round_down(&of_user.least(&of_queue), &bounds.minimum);
        let headroom = arith.least(&cluster, &free, &both);
        if headroom.memory_mb() < 0 { headroom.with(0, 0) } else { headroom }
    }

    pub(super) fn add_node(&mut self, name: &str, rack: &str, total: Resource) {
        let (name, rack) = (name.to_owned(), rack.to_owned());
        self.nodes.push(Some(Node {
            name,
            rack,
            total,
            free: total,
            reservation: None,
            killable: Killable::default(),
        }));
        self.cluster = self.cluster.plus(&total);
        self.cluster_changed();
    }
}

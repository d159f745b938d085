//! What a change of the cluster or of the configuration leads to; activation; limits of users and headroom.

use super::{Books, Publication, QueueBook};
use crate::capacity::bounds::Bounds;
use crate::capacity::engine::published::CapacityPublished;
use crate::capacity::leaf::{Candidate, Leaf, Ordered, compare};
use crate::capacity::tree::ROOT;
use crate::capacity::users::{Sharing, UserRecord};
use crate::resource::Resource;

impl Books {
    /// There is another structure: queues as they are published by slot, the cluster's total and nodes.
    pub(crate) fn take_structure(
        &mut self,
        queues: impl Iterator<Item = Option<CapacityPublished>>,
        cluster: Resource,
        nodes: u32,
    ) {
        self.nodes = nodes;
        let mut turns = self.turns;
        let known = self.queues.len();
        for (slot, new) in queues.enumerate() {
            if self.queues.len() <= slot {
                self.queues.push(None);
            }
            let Some(new) = new else { continue };
            turns = std::array::from_fn(|i| turns[i].max(new.turns[i]));
            match &mut self.queues[slot] {
                Some(queue) if queue.node().born == new.node.born => queue.published = new,
                place => {
                    let leaf = new.node.config.kind.is_leaf().then(Leaf::default);
                    *place = Some(QueueBook { published: new, counts: Default::default(), leaf });
                }
            }
        }
        let [of_cluster, of_file] = self.turns;
        self.turns = turns;
        if turns[1] != of_file {
            (0..known).for_each(|slot| self.leaf_refreshed(u32::try_from(slot).expect("slots are u32")));
        }
        if turns[0] != of_cluster {
            self.cluster = cluster;
            self.spread_limits(ROOT, cluster);
        }
    }

    /// Its applications go into a new list in the order of the old one; awaited refreshes of places are forgotten.
    fn leaf_refreshed(&mut self, slot: u32) {
        if self.queues[slot as usize].as_ref().is_none_or(|queue| queue.leaf.is_none() || !queue.node().known) {
            return;
        }
        let Books { queues, apps, gone, .. } = self;
        let all = super::Everybody { apps, gone };
        let Some(QueueBook { published, leaf: Some(leaf), .. }) = &mut queues[slot as usize] else { return };
        let ordering = &published.node.leaf().expect("a leaf queue").ordering;
        leaf.to_reorder.clear();
        let mut active = Ordered::default();
        for app in leaf.active.iter() {
            active.insert(&all.rank(app), |other, this| compare(ordering, &all.rank(other), this));
        }
        leaf.active = active;
        leaf.users.set_weights(|user| published.user_weight(user));
    }

    /// Something has come or gone below a queue. As in Hadoop it may use all of the cluster at first.
    pub(crate) fn limits_below(&mut self, slot: u32) {
        // It may have gone meanwhile.
        if self.queues[slot as usize].as_ref().is_some_and(|queue| queue.node().known) {
            self.spread_limits(slot, self.cluster);
        }
    }

    /// Reference 6.
    fn spread_limits(&mut self, slot: u32, limit: Resource) {
        if self.is_leaf(slot) {
            self.leaf_cluster_changed(slot, limit);
            return;
        }
        let limit = self.arith.least(&self.cluster, &limit, self.node(slot).maximum());
        for child in self.node(slot).children.clone() {
            let used = self.counts(slot).used.minus(&self.killable_in(slot));
            let of_child = limit.minus(&used).plus(&self.counts(child).used);
            self.spread_limits(child, self.arith.round_down(&of_child, &self.minimum));
        }
        self.work_out_statistics(slot);
    }

    fn leaf_cluster_changed(&mut self, slot: u32, limit: Resource) {
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

    /// 13.1 step 1
    pub(crate) fn store_limit(&mut self, slot: u32, limit: &Resource) {
        let most = self.arith.round_down(self.node(slot).maximum(), &self.minimum);
        let limit = self.arith.least(&self.cluster, &most, limit);
        self.leaf_mut(slot).stored_limit = limit;
    }

    /// 9
    pub(crate) fn activate(&mut self, slot: u32) {
        let bounds = self.bounds(slot);
        let Books { queues, apps, gone, .. } = self;
        let all = super::Everybody { apps, gone };
        let Some(QueueBook { published, leaf: Some(leaf), .. }) = &mut queues[slot as usize] else { return };
        let ordering = &published.node.leaf().expect("a leaf queue").ordering;
        let candidate = |number: u32| {
            let app = all.get(number);
            Candidate { rank: app.rank(), user: &app.user, am: app.am }
        };
        let weight = |user: &str| published.user_weight(user);
        leaf.activate(ordering, bounds.am_percent, &bounds.inputs(), candidate, weight);
    }

    /// The limit of an application's user; the leaf's limit and where its headroom comes from are published. `None` without a record.
    pub(crate) fn user_limit_and_publish(&mut self, slot: u32, app: u32) -> Option<Resource> {
        let bounds = self.bounds(slot);
        let (_, leaf, all) = self.leaf_and_apps(slot);
        let user = &all.get(app).user;
        let record = leaf.users.record(user)?;
        let limit = leaf.users.limit_of(user, Sharing::Active, &bounds.inputs());
        self.publish(slot, app, record);
        Some(limit)
    }

    pub(crate) fn publish(&mut self, slot: u32, app: u32, user: UserRecord) {
        let leaf = self.leaf_mut(slot);
        leaf.published_limit = leaf.stored_limit;
        self.app_mut(app).publication = Some(Publication { leaf: slot, user });
    }

    /// 15
    pub(crate) fn headroom(&mut self, app: u32) -> Resource {
        let Some(Publication { leaf: slot, user: record }) = self.app(app).publication else { return Resource::ZERO };
        let (arith, cluster) = (self.arith, self.cluster);
        let bounds: Bounds = self.bounds(slot);
        let queue_used = self.counts(slot).used;
        let free = cluster.minus(&self.counts(ROOT).used);
        let (_, leaf, all) = self.leaf_and_apps(slot);
        let limit = leaf.users.limit_of(&all.get(app).user, Sharing::Active, &bounds.inputs());
        let of_user = limit.minus_non_negative(&leaf.users.at(record).used);
        let of_queue = leaf.published_limit.minus_non_negative(&queue_used);
        let both = arith.round_down(&of_user.least(&of_queue), &bounds.minimum);
        let headroom = arith.least(&cluster, &free, &both);
        if headroom.memory_mb() < 0 { headroom.with(0, 0) } else { headroom }
    }
}

//! What a change of the cluster or of the configuration leads to; activation; limits of users and headroom.
//!
//! `user_limit` looks the limit of a user up. It is applied by `user_may` (`books/who_may.rs`) before a choice, and by
//! `accepts` (`decide/commit.rs`) after it.

use super::apps::Publication;
use super::figures::{Figures, LeafFigures};
use super::{Books, PartBook, QueueBook};
use crate::capacity::published::CapacityPublished;
use crate::capacity::rules::allocator::Rules;
use crate::capacity::rules::leaf::{AmTerms, Candidate, Leaf};
use crate::capacity::rules::observer::Observer;
use crate::capacity::rules::ordered::AppEntry;
use crate::capacity::rules::partition::{Part, Partition, Whole};
use crate::capacity::rules::tree::ROOT;
use crate::capacity::rules::user_limit_figures::{Bounds, Given};
use crate::capacity::rules::users::{LimitInputs, Sharing};
use crate::config::hash_order::{hash_of_text, spread};
use crate::id::LabelId;
use crate::labels::LabelTable;
use crate::resource::Resource;
use crate::sync::Arc;
use smallvec::{SmallVec, smallvec};

/// Places in a `HashSet` of Java's that has few elements.
const HASH_SET: u32 = 16;

impl Books {
    /// There is another structure: queues as they are published by slot, the cluster's total and nodes.
    pub(crate) fn take_structure(
        &mut self,
        queues: impl Iterator<Item = Option<CapacityPublished>>,
        cluster: Resource,
        nodes: u32,
        labels: &Arc<LabelTable>,
    ) {
        // Passes skip leaves that ask for nothing, whose limits Hadoop stores all the same. Store them now, because
        // they are computed from the old structure.
        if !self.queues.is_empty() {
            self.store_skipped_limits();
        }
        let is_relabelled = !Arc::ptr_eq(&self.labels, labels);
        if is_relabelled {
            self.labels = labels.clone();
            let numbers = 0..u16::try_from(labels.len()).unwrap_or(u16::MAX);
            self.sizes = numbers.map(|number| labels.size(LabelId(number))).collect();
        }
        let is_resized = self.nodes != nodes || is_relabelled;
        self.nodes = nodes;
        let (mut turns, mut has_changed_queues) = (self.turns, false);
        let known = self.queues.len();
        for (slot, new) in (0..).zip(queues) {
            if self.queues.len() <= slot as usize {
                self.queues.push(None);
            }
            let Some(new) = new else {
                if let Some(queue) = self.queues[slot as usize].as_mut().filter(|queue| queue.node().known) {
                    // The queue was removed, and no other one has its slot yet. Its book stays, for applications that
                    // it may still have, but as a queue that is not known: nothing is computed for it any more.
                    Arc::make_mut(&mut queue.published.node).known = false;
                }
                continue;
            };
            turns = std::array::from_fn(|i| turns[i].max(new.turns[i]));
            let before = &self.queues[slot as usize];
            if before.as_ref().is_some_and(|queue| queue.published == new) {
                continue;
            }
            let figures = self.figures_of(&new);
            match &mut self.queues[slot as usize] {
                Some(queue) if queue.node().born == new.node.born => {
                    (queue.published, queue.figures) = (new, figures);
                    has_changed_queues = true;
                }
                place => {
                    // Until the cluster changes a new one may use all of it, as in Hadoop.
                    let leaf = new.node.config.kind.is_leaf().then(|| {
                        let mut leaf = Leaf::new(self.resort);
                        (leaf.stored_limit, leaf.published_limit) = (cluster, cluster);
                        leaf
                    });
                    let before = place.replace(QueueBook::new(new, figures, leaf));
                    has_changed_queues = true;
                    self.drift.forget(slot);
                    if let Some(leaf) = before.and_then(|queue| queue.leaf) {
                        self.discard_lists(slot, &leaf);
                    }
                }
            }
        }
        // Changes of the cluster and refreshes of the queues that were known until now: see `Books::turns`.
        let [of_cluster, of_file] = self.turns;
        self.turns = turns;
        if turns[1] != of_file {
            (0..known).for_each(|slot| self.leaf_refreshed(u32::try_from(slot).expect("slots are u32")));
        }
        let cluster_has_changed = turns[0] != of_cluster;
        if cluster_has_changed {
            self.cluster = cluster;
        }
        if is_resized || cluster_has_changed || (has_changed_queues && self.has_labels()) {
            self.renew_figures();
        }
        if cluster_has_changed {
            self.spread_limits(ROOT, cluster);
            if self.has_labels() {
                self.amounts_have_fractions();
            }
        }
        self.order_all_children();
    }

    /// What a refresh of the queues does to a leaf (rules/capacity.md 13.3). Its active applications go into a new
    /// list, in the order of the old one. Applications whose place was to be refreshed lose that refresh. Users get
    /// the weights of the new file.
    fn leaf_refreshed(&mut self, slot: u32) {
        if self.queues[slot as usize].as_ref().is_none_or(|queue| queue.leaf.is_none() || !queue.node().known) {
            return;
        }
        let order = self.app_order(slot);
        let Books { queues, apps, .. } = self;
        let Some(QueueBook { published, leaf: Some(leaf), .. }) = &mut queues[slot as usize] else { return };
        let awaited = std::mem::take(&mut leaf.to_reorder);
        leaf.noted.clear();
        let anew = leaf.active.anew();
        let before = std::mem::replace(&mut leaf.active, anew);
        if !before.is_sorted() {
            leaf.active.stop_sorting();
        }
        let (mut entries, mut twice) = (Vec::with_capacity(before.len()), Vec::new());
        for entry in before.iter() {
            if leaf.active.insert(entry, &apps.rank(entry), order, |other| apps.rank(other)) {
                entries.push(entry);
            } else {
                twice.push(entry);
            }
        }
        leaf.users.set_weights(|user| published.user_weight(user));
        twice.into_iter().for_each(|entry| self.is_out_of_list(entry));
        awaited.into_iter().for_each(|(_, entry)| self.take_out_if_over(entry));
        for entry in entries.into_iter().filter(|entry| self.apps[*entry].leaf == slot).collect::<Vec<_>>() {
            self.has_become_active(entry, slot);
        }
    }

    /// Computes the limits of a queue's subtree anew, after a queue has come or gone below it. As in Hadoop the subtree
    /// may use all of the cluster until the cluster changes (rules/capacity.md 6).
    pub(crate) fn limits_below(&mut self, slot: u32) {
        // It may have gone meanwhile.
        if self.queues[slot as usize].as_ref().is_some_and(|queue| queue.node().known) {
            self.store_skipped_limits();
            self.spread_limits(slot, self.cluster);
            self.order_all_children();
        }
    }

    /// After a change of the cluster each queue gets its limit anew, from a parent to its children
    /// (rules/capacity.md 6).
    pub(crate) fn spread_limits(&mut self, slot: u32, limit: Resource) {
        if self.is_leaf(slot) {
            self.leaf_cluster_changed(slot, limit);
            return;
        }
        let limit = self.arith.least(&self.cluster, &limit, self.maximum(slot, Whole));
        for child in self.node(slot).children.clone() {
            let used = self.counts(slot).used.minus(&self.killable_in(slot, Whole));
            let of_child = limit.minus(&used).plus(&self.counts(child).used);
            self.spread_limits(child, self.arith.round_down(&of_child, &self.minimum));
        }
        self.work_out_statistics(slot);
    }

    fn leaf_cluster_changed(&mut self, slot: u32, limit: Resource) {
        let (arith, cluster, has_labels) = (self.arith, self.cluster, self.has_labels());
        self.store_limit(slot, &limit);
        let leaf = self.leaf_mut(slot);
        leaf.published_limit = leaf.stored_limit;
        if has_labels {
            let sizes = self.sizes.clone();
            let users = &mut self.leaf_mut(slot).users;
            users.cluster_changed(arith, &sizes[0]);
            users.partitions_changed(arith, &sizes[1..]);
        } else {
            leaf.users.cluster_changed(arith, &cluster);
        }
        self.work_out_statistics(slot);
        self.activate(slot);
        self.leaf_mut(slot).users.invalidate();
        let active: Vec<AppEntry> = self.leaf(slot).active.iter().collect();
        // `user_limit` is called for what it publishes; the limits themselves are not needed here.
        for entry in active {
            if has_labels {
                self.user_limit::<(), _>(slot, entry, Part::DEFAULT);
            } else {
                self.user_limit::<(), _>(slot, entry, Whole);
            }
        }
    }

    /// Stores what a leaf may use, without publishing it (rules/capacity.md 13.1.1).
    pub(crate) fn store_limit(&mut self, slot: u32, limit: &Resource) {
        let limit = self.arith.least(&self.cluster, self.bounds(slot).most(), limit);
        self.leaf_mut(slot).stored_limit = limit;
    }

    /// Computes the AM limit of a leaf in which another worker decides who starts. This worker does not apply the
    /// limit, but its views show it.
    fn show_am_limit(&mut self, slot: u32) {
        let QueueBook { figures, leaf, .. } = self.queue_mut(slot);
        if let (Some(leaf), Some(figures)) = (leaf, &figures.leaf) {
            let (bounds, inputs) = (&figures.bounds, figures.bounds.inputs());
            leaf.work_out_am_limit(bounds.am_percent, inputs.guaranteed, inputs.minimum, inputs.arith);
        }
    }

    /// Starts those that wait in a leaf, as far as the limits of AMs allow (rules/capacity.md 9).
    pub(crate) fn activate(&mut self, slot: u32) {
        if !self.decides_starts_in(slot) {
            self.show_am_limit(slot);
            return;
        }
        let has_labels = self.has_labels() && self.is_leaf(slot);
        let (limits, of_all): (SmallVec<[AmTerms; 1]>, SmallVec<[AmTerms; 1]>) = if has_labels {
            let of_all = self.partitions().map(|p| self.am_terms_of(slot, p.label()));
            (self.am_terms(slot).into(), of_all.collect())
        } else if self.queue(slot).figures.leaf.is_some() {
            let terms = self.am_terms_of(slot, LabelId::NONE);
            (smallvec![terms], smallvec![terms])
        } else {
            return;
        };
        let Books { queues, apps, cluster, .. } = self;
        let Some(QueueBook { published, figures, leaf: Some(leaf), parts, .. }) = &mut queues[slot as usize] else {
            return;
        };
        let Some(LeafFigures { bounds, .. }) = figures.leaf.as_deref() else { return };
        let by = LimitInputs { cluster, ..bounds.inputs() };
        let candidate = |entry: AppEntry| {
            let app = &apps[entry];
            Candidate { rank: app.rank(), user: &app.user, am: app.am, partition: app.am_partition }
        };
        let weight = |user: &str| published.user_weight(user);
        let waited = leaf.pending.len();
        // The AM limit of a label is computed here, which makes it a known amount of this leaf alone
        // (rules/node-labels.md 1). What AMs use becomes known below, by `am_is_known`, in the leaf and above it.
        for label in limits.iter().filter_map(|terms| terms.label.ix().checked_sub(1)) {
            parts[label].is_known = true;
        }
        let activated = leaf.activate(figures.order, &by, (&limits, |label| of_all[label.ix()]), candidate, weight);
        // Each activated application has left the waiting list once. Only lists that go by place may count otherwise.
        debug_assert!(
            waited - leaf.pending.len() == activated.len() || !leaf.active.is_sorted(),
            "only lists that go by place may count otherwise"
        );
        for (entry, comes) in activated {
            self.am_is_known(slot, self.apps[entry].am_partition);
            // An application that has moved to another leaf may still be in the waiting list of this one
            // (rules/capacity.md 23). Its activation here counts only here: no worker is told, because it starts in its
            // own leaf.
            if self.apps[entry].leaf == slot {
                self.lets_start(entry);
            }
            if comes {
                self.has_become_active(entry, slot);
            } else {
                // The active list had it already, so that it is now in one list less.
                self.is_out_of_list(entry);
                self.publish_surplus_entries(slot);
            }
        }
    }

    /// Returns the limit of an application's user; `None` if the user has no record. Unless the observer only asks
    /// (`KEEPS_RESULTS` is false), this also publishes: the leaf's stored limit becomes its published one, and the
    /// application's headroom is computed from this leaf and this user record from now on.
    pub(crate) fn user_limit<O: Observer, P: Partition>(
        &mut self,
        slot: u32,
        entry: AppEntry,
        p: P,
    ) -> Option<Resource> {
        let (by, leaf, apps) = self.limits_of_leaf(slot, p);
        let app = &apps[entry];
        let seat = if app.leaf == slot { app.seat } else { leaf.users.seat(&app.user) };
        let user = leaf.users.record_at(seat)?;
        let limit = leaf.users.limit_at(seat, Sharing::Active, &by, p);
        if O::KEEPS_RESULTS {
            self.publish(entry, Publication { leaf: slot, seat, user });
        }
        Some(limit)
    }

    pub(crate) fn publish(&mut self, entry: AppEntry, publication: Publication) {
        let before = self.apps[entry].publication;
        let leaf = self.leaf_mut(publication.leaf);
        leaf.published_limit = leaf.stored_limit;
        if self.has_labels() {
            self.apps[entry].headroom_of = None;
        }
        if before == Some(publication) {
            return;
        }
        let leaf = self.leaf_mut(publication.leaf);
        leaf.users.add_reference(publication.user);
        self.apps[entry].publication = Some(publication);
        if let Some(before) = before {
            self.leaf_mut(before.leaf).users.drop_reference(before.user);
        }
        self.note(entry);
    }

    /// What an AM is told it can still get, by the figures last published for it (rules/capacity.md 15).
    pub(crate) fn headroom(&mut self, entry: AppEntry) -> Resource {
        if self.has_labels() {
            return self.headroom_by_partition(entry);
        }
        let Some(publication) = self.apps[entry].publication else { return Resource::ZERO };
        let Publication { leaf: slot, seat, user } = publication;
        let (arith, cluster) = (self.arith, self.cluster);
        let free = cluster.minus(&self.counts(ROOT).used);
        let queue_used = self.counts(slot).used;
        let (by, leaf, _) = self.limits_of_leaf(slot, Whole);
        let limit = leaf.users.limit_at(seat, Sharing::Active, &by, Whole);
        let of_user = limit.minus_non_negative(&leaf.users.at(user).used);
        let of_queue = leaf.published_limit.minus_non_negative(&queue_used);
        let both = arith.round_down(&of_user.least(&of_queue), &self.minimum);
        let headroom = arith.least(&cluster, &free, &both);
        if headroom.memory_mb() < 0 { headroom.with(0, 0) } else { headroom }
    }
}

impl Books {
    /// The same by partition: the sum over those that it has asked for (rules/node-labels.md 16).
    fn headroom_by_partition(&mut self, entry: AppEntry) -> Resource {
        let app = &self.apps[entry];
        let Some(Publication { leaf: slot, seat, user }) = app.publication else { return Resource::ZERO };
        let attempt = app.headroom_of.as_ref().unwrap_or(&app.shared_attempt);
        let mut requested = attempt.requested.all();
        if requested.is_empty() {
            requested.insert(LabelId::NONE);
        }
        let mut requested: Vec<LabelId> = requested.into_iter().collect();
        if requested.len() > 1 {
            // The order in which Hadoop iterates a set of label names. It matters because `limit_at` stores each limit
            // in the user's record, and views show the last one.
            requested.sort_by_key(|label| spread(hash_of_text(self.labels.name(*label))) % HASH_SET);
        }
        let (arith, minimum) = (self.arith, self.minimum);
        let mut sum = Resource::ZERO;
        for label in requested {
            let p = Part::of(label);
            let (size, used_by_all) = (*self.size(p), self.counts_in(ROOT, p).used);
            let (queue_used, maximum) = (self.counts_in(slot, p).used, *self.maximum(slot, p));
            let (by, leaf, _) = self.limits_of_leaf(slot, p);
            let limit = leaf.users.limit_at(seat, Sharing::Active, &by, p);
            let of_user = limit.minus_non_negative(&leaf.users.at(user).used_in(p));
            let most = if label.is_none() { leaf.published_limit } else { maximum };
            let of_queue = most.minus_non_negative(&queue_used);
            let both = arith.round_down(&of_user.least(&of_queue), &minimum);
            sum = sum.plus(&arith.least(&size, &size.minus(&used_by_all), &both));
        }
        if sum.memory_mb() < 0 { sum.with(0, 0) } else { sum }
    }

    /// An AM counts in a partition: what AMs use there is known, here and above.
    pub(crate) fn am_is_known(&mut self, slot: u32, label: LabelId) {
        let Some(place) = label.ix().checked_sub(1) else { return };
        let mut at = Some(slot);
        while let Some(queue) = at {
            self.queue_mut(queue).parts[place].is_known = true;
            at = self.parent(queue);
        }
    }

    /// What follows from a change of the cluster, for all queues (rules/capacity.md 6).
    pub(crate) fn update(&mut self) {
        self.store_skipped_limits();
        self.spread_limits(ROOT, self.cluster);
        self.amounts_have_fractions();
        self.order_all_children();
    }

    /// Of a queue, as the books know structure and cluster.
    pub(super) fn figures_of(&self, published: &CapacityPublished) -> Figures {
        if self.has_labels() { self.figures_in(published, Part::DEFAULT) } else { self.figures_in(published, Whole) }
    }

    fn figures_in<P: Partition>(&self, published: &CapacityPublished, p: P) -> Figures {
        let (node, settings) = (&published.node, published.file.settings());
        let label = if p.is_first() { "" } else { self.labels.name(p.label()) };
        let size = *self.size(p);
        let leaf = node.leaf().map(|leaf| {
            let given = Given { arith: self.arith, cluster: size, minimum: self.minimum };
            let bounds = Bounds::of(node, label, given);
            // A negative delay is no count and is not divided. -1 for the node means no delay; -1 for the rack means
            // that the delay depends on the number of places that were asked for (rules/capacity.md 16.5).
            let part = |delay: i32| u32::try_from(delay).map_or(delay, |delay| self.place.part_of(delay).cast_signed());
            let rules = Rules {
                arith: self.arith,
                cluster: self.cluster,
                // Each worker counts the visits of its own nodes.
                nodes: self.place.part_of(self.nodes),
                node_locality_delay: part(settings.node_locality_delay),
                rack_locality_additional_delay: part(settings.rack_locality_additional_delay),
                continue_looking: settings.reservations_continue_look_all_nodes,
                maximum_allocation: node.config.maximum_allocation,
                minimum_allocation_factor: leaf.minimum_allocation_factor,
            };
            Box::new(LeafFigures { rules, rack_resets: settings.rack_locality_full_reset, bounds })
        });
        Figures::of(node, label, settings, leaf, self.arith, (&size, &self.minimum))
    }

    /// There is another structure or another cluster.
    pub(super) fn renew_figures(&mut self) {
        for slot in 0..self.queues.len() {
            let Some(queue) = &self.queues[slot] else { continue };
            let figures = self.figures_of(&queue.published);
            let of_parts: Vec<Figures> =
                self.partitions().skip(1).map(|p| self.figures_in(&queue.published, p)).collect();
            if let Some(queue) = &mut self.queues[slot] {
                queue.figures = figures;
                for (place, figures) in of_parts.into_iter().enumerate() {
                    match queue.parts.get_mut(place) {
                        Some(part) => part.figures = figures,
                        None => queue.parts.push(PartBook::new(figures)),
                    }
                }
            }
        }
    }
}

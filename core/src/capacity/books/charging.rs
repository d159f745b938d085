//! Usage, reserved and pending amounts up the tree.

use super::apps::AskChange;
use super::{Books, QueueBook};
use crate::capacity::rules::arith::Arith;
use crate::capacity::rules::order::AppOrder;
use crate::capacity::rules::ordered::AppEntry;
use crate::capacity::rules::partition::{Part, Partition, Whole};
use crate::resource::{Resource, Wide};

impl QueueBook {
    /// How full a queue is, of its guarantee and of the cluster (rules/capacity.md 5.3).
    #[inline]
    fn work_out_statistics<P: Partition>(&mut self, arith: Arith, cluster: &Resource, p: P) {
        let (figures, counts) = if p.is_first() {
            (&self.figures, &mut self.counts)
        } else {
            let part = &mut self.parts[p.place()];
            (&part.figures, &mut part.counts)
        };
        (counts.absolute_used_capacity, counts.used_capacity) = figures.used_capacities(arith, cluster, &counts.used);
    }
}

/// What comes to a queue, or goes where it is negative.
#[derive(Clone, Copy, Debug)]
struct Charge<'a> {
    used: &'a Resource,
    /// Reservations are counted as containers.
    containers: i64,
}

impl Books {
    pub(super) fn work_out_statistics(&mut self, slot: u32) {
        let (arith, cluster) = (self.arith, self.cluster);
        if !self.has_labels() {
            self.queue_mut(slot).work_out_statistics(arith, &cluster, Whole);
            return;
        }
        for p in self.partitions() {
            let size = *self.size(p);
            self.queue_mut(slot).work_out_statistics(arith, &size, p);
        }
    }

    /// What is used in a queue changes, what is asked for there, or both: it stands elsewhere among its siblings.
    #[inline]
    fn change<P: Partition>(&mut self, slot: u32, charge: Option<Charge<'_>>, pending: Option<&Wide>, p: P) {
        // What it may use hangs on what it used when a pass was there.
        self.settle(slot);
        let Books { queues, arith, cluster, sizes, .. } = self;
        let queue = queues[slot as usize].as_mut().expect("a queue that was published");
        if let Some(pending) = pending {
            let counts = queue.counts_in_mut(p);
            counts.pending.add_in_types(arith.types, pending);
            if p.is_first() {
                queue.wants = arith.is_wanted(cluster, &queue.counts.pending);
            }
        }
        if let Some(Charge { used, containers }) = charge {
            queue.counts_in_mut(p).used.add_in_types(arith.types, used);
            queue.counts.containers += containers;
            let size = if P::IS_WHOLE { cluster } else { &sizes[p.label().ix()] };
            queue.work_out_statistics(*arith, size, p);
            self.has_fraction(slot, p);
            if !P::IS_WHOLE {
                self.reposition_in_line(slot, p);
            }
        }
        self.reposition_queue(slot);
    }

    pub(crate) fn charge_queue<P: Partition>(
        &mut self,
        slot: u32,
        amount: &Resource,
        containers: i64,
        pending: Option<&Wide>,
        p: P,
    ) {
        self.change(slot, Some(Charge { used: amount, containers }), pending, p);
    }

    /// A container or a reservation of an application comes to a leaf (`containers` 1) or goes (-1): the leaf and its
    /// user are charged. `pending`: what is asked for there changes, too.
    pub(crate) fn charge_leaf<P: Partition>(
        &mut self,
        slot: u32,
        entry: AppEntry,
        amount: &Resource,
        containers: i64,
        pending: Option<&Wide>,
        p: P,
    ) {
        self.charge_queue(slot, amount, containers, pending, p);
        let (arith, cluster) = (self.arith, *self.size(p));
        let Books { queues, apps, .. } = self;
        let app = &apps[entry];
        let QueueBook { published, leaf, .. } = queues[slot as usize].as_mut().expect("charged above");
        let users = &mut leaf.as_mut().expect("a leaf queue").users;
        let seat = if app.leaf == slot { app.seat } else { users.seat(&app.user) };
        let record = users.ensure_at(seat, || published.user_weight(&app.user));
        users.charge(record, amount, arith, &cluster, p);
    }

    /// The queues above a leaf are charged.
    pub(crate) fn charge_above<P: Partition>(&mut self, slot: u32, amount: &Resource, containers: i64, p: P) {
        let mut at = self.parent(slot);
        while let Some(queue) = at {
            self.charge_queue(queue, amount, containers, None, p);
            at = self.parent(queue);
        }
    }

    fn on_path<P: Partition>(&mut self, slot: u32, p: P, change: impl Fn(&mut super::Counts)) {
        let mut at = Some(slot);
        while let Some(queue) = at {
            change(self.queue_mut(queue).counts_in_mut(p));
            at = self.parent(queue);
        }
    }

    pub(crate) fn add_pending<P: Partition>(&mut self, slot: u32, amount: &Wide, p: P) {
        let mut at = Some(slot);
        while let Some(queue) = at {
            self.change(queue, None, Some(amount), p);
            at = self.parent(queue);
        }
    }

    pub(crate) fn add_reserved<P: Partition>(&mut self, slot: u32, amount: &Resource, p: P) {
        self.on_path(slot, p, |counts| counts.reserved = counts.reserved.plus(amount));
    }

    /// A metric of Hadoop's, of nodes without a label alone (rules/node-labels.md 15).
    pub(crate) fn add_reserved_by_apps(&mut self, slot: u32, amount: &Resource) {
        self.on_path(slot, Whole, |counts| counts.reserved_by_apps = counts.reserved_by_apps.plus(amount));
    }

    /// An application has reserved more, or less where `amount` is negative.
    pub(crate) fn app_reserves<P: Partition>(&mut self, entry: AppEntry, amount: &Resource, p: P) {
        let app = &mut self.apps[entry];
        if !p.is_first() {
            let part = app.part_mut(p);
            part.reserved = part.reserved.plus(amount);
            let reserved = part.reserved;
            app.shared_attempt.show_reserved_in(self.place, self.arith.types, p.label(), &reserved);
            self.note(entry);
            return;
        }
        app.reserved = app.reserved.plus(amount);
        app.shared_attempt.show_reserved(self.place, self.arith.types, &app.reserved);
        let leaf = app.leaf;
        self.note(entry);
        self.add_reserved_by_apps(leaf, amount);
    }

    /// What an application uses by containers.
    #[inline]
    pub(crate) fn app_uses<P: Partition>(&mut self, entry: AppEntry, amount: &Resource, p: P) {
        let app = &mut self.apps[entry];
        let used = if p.is_first() { &mut app.used } else { &mut app.part_mut(p).used };
        *used = used.plus(amount);
    }

    /// A container or a reservation of an application is over: leaf and ancestors lose the charge, the leaf's policy is
    /// told.
    pub(crate) fn usage_lost<P: Partition>(&mut self, entry: AppEntry, size: &Resource, p: P) {
        self.note_reorder(entry);
        let leaf = self.apps[entry].leaf;
        let less = Resource::ZERO.minus(size);
        self.change_held(entry, -1);
        self.charge_leaf(leaf, entry, &less, -1, None, p);
        self.charge_above(leaf, &less, -1, p);
    }

    /// A fair leaf puts the application in its place anew before it is asked next.
    pub(crate) fn note_reorder(&mut self, entry: AppEntry) {
        let app = &self.apps[entry];
        let (leaf, number) = (app.leaf, app.number);
        if let AppOrder::Fair { .. } = self.app_order(leaf) {
            self.leaf_mut(leaf).to_reorder.insert((number, entry));
        }
    }

    /// What an application asks for at `*` is another demand (10 step 6): only fair leaves with size-based weight
    /// react.
    pub(crate) fn demand_changed(&mut self, entry: AppEntry) {
        if self.app_order(self.apps[entry].leaf) == (AppOrder::Fair { size_based_weight: true }) {
            self.note_reorder(entry);
        }
    }

    /// What is outstanding under a key of an application is another amount: the application and its user know, its
    /// leaf and the queues above are still to be told.
    pub(crate) fn app_asks(&mut self, entry: AppEntry, change: &AskChange) {
        let AskChange { pending, begins, ends, label, left } = *change;
        let Books { queues, apps, arith, .. } = self;
        let app = &mut apps[entry];
        app.open_keys = app.open_keys + u32::from(begins) - u32::from(ends);
        app.pending_mut(label).add_in_types(arith.types, &pending);
        if let Some((label, pending)) = &left {
            app.pending_mut(*label).add_in_types(arith.types, pending);
        }
        if begins || (ends && app.open_keys == 0) {
            let QueueBook { published, leaf, .. } =
                queues[app.leaf as usize].as_mut().expect("a queue that was published");
            let users = &mut leaf.as_mut().expect("a leaf queue").users;
            if begins {
                users.begins_to_ask_at(app.seat, app.number, || published.user_weight(&app.user));
            } else {
                users.stops_asking_at(app.seat, app.number);
            }
        }
        self.note(entry);
    }

    /// The same, and all are told.
    pub(crate) fn asks_replaced(&mut self, entry: AppEntry, change: &AskChange) {
        self.app_asks(entry, change);
        self.queues_asked(self.apps[entry].leaf, change);
    }

    /// A leaf and the queues above it are told.
    pub(crate) fn queues_asked(&mut self, leaf: u32, change: &AskChange) {
        if !self.has_labels() {
            self.add_pending(leaf, &change.pending, Whole);
            return;
        }
        if let Some((label, pending)) = &change.left {
            self.add_pending(leaf, pending, Part::of(*label));
        }
        self.add_pending(leaf, &change.pending, Part::of(change.label));
    }

    /// An AM says that it wants nothing under a key. Its application may count as one with asks for what the attempt
    /// before asked for.
    pub(crate) fn stops_asking_if_idle(&mut self, entry: AppEntry) {
        let (leaf, is_idle) = (self.apps[entry].leaf, self.apps[entry].open_keys == 0);
        if is_idle {
            self.stops_asking(leaf, entry);
        }
    }

    pub(crate) fn stops_asking(&mut self, leaf: u32, entry: AppEntry) {
        let (of_leaf, apps) = self.leaf_and_apps(leaf);
        let app = &apps[entry];
        of_leaf.users.stops_asking(&app.user, app.number);
    }

    pub(crate) fn begins_to_ask(&mut self, leaf: u32, entry: AppEntry) {
        let Books { queues, apps, .. } = self;
        let app = &apps[entry];
        let QueueBook { published, leaf, .. } = queues[leaf as usize].as_mut().expect("a queue that was published");
        let users = &mut leaf.as_mut().expect("a leaf queue").users;
        users.begins_to_ask(&app.user, app.number, || published.user_weight(&app.user));
    }
}

/// Where something begins to [drift](super::drift), as in Hadoop.
impl Books {
    /// A reservation has become a container of `size`, and its application is charged `counted`.
    pub(crate) fn use_drifts(&mut self, entry: AppEntry, counted: &Resource, size: &Resource) {
        let drift = &mut self.apps[entry].drift;
        *drift = drift.plus(&counted.minus(size));
    }

    /// What has ended goes along with its node to another partition.
    pub(crate) fn drifts_by_label(&mut self) {
        self.drift.by_label = true;
    }

    /// An application has moved, and the queues count its reservations where it was.
    pub(super) fn reserved_stays_behind(&mut self, source: u32, target: u32, reserved: &Resource) {
        if reserved.is_zero() {
            return;
        }
        for (leaf, amount) in [(source, *reserved), (target, Resource::ZERO.minus(reserved))] {
            let mut at = Some(leaf);
            while let Some(queue) = at {
                let drift = self.drift.reserved.entry(queue).or_insert(Resource::ZERO);
                *drift = drift.plus(&amount);
                at = self.parent(queue);
            }
        }
    }
}

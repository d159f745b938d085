//! What is shown of queues and applications: plain values of one moment.
//!
//! Where lists, users and usage are shown the worker is asked, between two messages.

use crate::capacity::books::{AppBook, Books};
use crate::capacity::explain::reasons::CapacityWait;
use crate::capacity::rules::order::AppOrder;
use crate::capacity::rules::ordered::AppEntry;
use crate::capacity::rules::partition::{Part, Partition, Whole};
use crate::capacity::rules::users::Sharing;
use crate::capacity::types::{Control, Shard, Shared};
use crate::config::capacity::{CapacityQueue, QueueMaking};
use crate::engine::books::ledger::AppShared;
use crate::engine::views::current::counts;
use crate::id::ROOT;
use crate::resource::Resource;
use crate::resource::sorted;
use crate::sync::Arc;
use std::collections::BTreeSet;

/// A queue of the CapacityScheduler. Fractions as Hadoop has them, in 32 bits.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CapacityQueueView {
    /// The full path.
    pub name: String,
    /// What configuration makes of it.
    pub configured: Arc<CapacityQueue>,
    /// How it has made itself, where it has.
    pub making: Option<QueueMaking>,
    /// `RUNNING`, `STOPPED` or `DRAINING`.
    pub state: String,
    /// Of its parent.
    pub capacity: f32,
    /// Of the cluster.
    pub absolute_capacity: f32,
    /// Of its parent.
    pub maximum_capacity: f32,
    /// Of the cluster.
    pub absolute_maximum_capacity: f32,
    /// Its weight among its siblings.
    pub normalized_weight: f32,
    /// What it uses of what is guaranteed to it.
    pub used_capacity: f32,
    /// What it uses of the cluster.
    pub absolute_used_capacity: f32,
    /// What is guaranteed to it.
    pub guaranteed: Resource,
    /// What it may use.
    pub maximum: Resource,
    /// The most that one container may have.
    pub maximum_allocation: Resource,
    /// With reservations.
    pub used: Resource,
    /// Reservations alone. As in Hadoop a move does not take them along.
    pub reserved: Resource,
    /// What its applications ask for.
    pub pending: Resource,
    /// Here and below.
    pub applications: i64,
    /// With reservations.
    pub containers: i64,
    /// What a leaf queue has besides.
    pub leaf: Option<CapacityLeafView>,
    /// The labels whose nodes it may use; `*` for all.
    pub accessible_labels: Vec<String>,
    /// The label of asks that name none.
    pub default_label: Option<String>,
    /// The same figures on the nodes with a label, by name. All others are those of nodes without one.
    pub partitions: Vec<CapacityPartitionView>,
}

/// A queue of the CapacityScheduler on the nodes with one label.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct CapacityPartitionView {
    /// The label.
    pub label: String,
    /// Fractions were set for the label, or worked out.
    pub has_fractions: bool,
    /// Some amount of it has changed since the start.
    pub has_amounts: bool,
    /// Of its parent.
    pub capacity: f32,
    /// Of these nodes.
    pub absolute_capacity: f32,
    /// Of its parent.
    pub maximum_capacity: f32,
    /// Of these nodes.
    pub absolute_maximum_capacity: f32,
    /// Its weight among its siblings.
    pub normalized_weight: f32,
    /// What it uses of what is guaranteed to it.
    pub used_capacity: f32,
    /// What it uses of these nodes.
    pub absolute_used_capacity: f32,
    /// What is guaranteed to it.
    pub guaranteed: Resource,
    /// What it may use.
    pub maximum: Resource,
    /// With reservations.
    pub used: Resource,
    /// Reservations alone.
    pub reserved: Resource,
    /// What its applications ask for.
    pub pending: Resource,
    /// `maximum-am-resource-percent` of a leaf queue, as a fraction.
    pub am_percent: f32,
    /// What AMs of a leaf queue may have together, as last worked out.
    pub am_limit: Resource,
    /// What they have.
    pub am_used: Resource,
    /// What AMs of a user of weight one may have, as last worked out.
    pub user_am_limit: Resource,
    /// Users of a leaf queue, by name.
    pub users: Vec<CapacityUserPartitionView>,
}

/// A user in a leaf queue of the CapacityScheduler, on the nodes with one label.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct CapacityUserPartitionView {
    /// The name.
    pub user: String,
    /// Some amount of the user's has changed there.
    pub has_amounts: bool,
    /// With reservations.
    pub used: Resource,
    /// AMs of active applications.
    pub am_used: Resource,
    /// The limit of the user's AMs when one of them last started there.
    pub am_limit: Resource,
    /// What the user may use now, if it was asked for.
    pub limit: Option<Resource>,
}

/// An application of the CapacityScheduler on the nodes with one label.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct CapacityAppPartitionView {
    /// The label.
    pub label: String,
    /// By its containers.
    pub used: Resource,
    /// By its reservations.
    pub reserved: Resource,
    /// What it asks for.
    pub pending: Resource,
    /// What its AM counts as there.
    pub am: Resource,
}

/// A leaf queue of the CapacityScheduler.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CapacityLeafView {
    /// Applications that get containers.
    pub active_applications: usize,
    /// Those that wait for a limit of AMs.
    pub pending_applications: usize,
    /// So many it takes.
    pub max_applications: i32,
    /// So many of one user.
    pub max_applications_per_user: i32,
    /// `minimum-user-limit-percent`
    pub user_limit: f32,
    /// `user-limit-factor`
    pub user_limit_factor: f32,
    /// `maximum-am-resource-percent`, as a fraction.
    pub am_percent: f32,
    /// (largest container - smallest) / largest.
    pub minimum_allocation_factor: f32,
    /// What AMs may have together, as last worked out.
    pub am_limit: Resource,
    /// What they have.
    pub am_used: Resource,
    /// What AMs of a user of weight one may have, as last worked out.
    pub user_am_limit: Resource,
    /// What the queue may use beside its siblings, as last worked out.
    pub current_limit: Resource,
    /// Users with outstanding asks, and those found to have only waiting applications.
    pub active_users: i64,
    /// By name.
    pub users: Vec<CapacityUserView>,
}

/// A user in a leaf queue of the CapacityScheduler.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CapacityUserView {
    /// The name.
    pub user: String,
    /// With reservations.
    pub used: Resource,
    /// AMs of active applications.
    pub am_used: Resource,
    /// The limit of the user's AMs when one of them last started.
    pub am_limit: Resource,
    /// The user's limit when it was last computed for a container.
    pub last_limit: Resource,
    /// Whether the user has outstanding asks.
    pub is_active: bool,
    /// Applications that get containers.
    pub active_applications: i32,
    /// Those that wait for a limit of AMs.
    pub pending_applications: i32,
    /// The user's weight.
    pub weight: f32,
    /// What the user may use now, if it was asked for.
    pub limit: Option<Resource>,
}

/// An application of the CapacityScheduler.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CapacityAppView {
    /// The application's number.
    pub number: u32,
    /// Its leaf queue, by full path.
    pub queue: String,
    /// `active`, `pending` or `non-runnable`.
    pub state: &'static str,
    /// Its priority.
    pub priority: i32,
    /// What its AM counts as in the limits of AMs.
    pub am: Resource,
    /// By its containers.
    pub used: Resource,
    /// By its reservations.
    pub reserved: Resource,
    /// What it asks for.
    pub pending: Resource,
    /// Whether it counts as asking, which makes its user active. No application does before one of the user's may
    /// start.
    pub asks: bool,
    /// The label of the nodes on which its AM counts; empty for none.
    pub am_label: String,
    /// What it has on nodes with a label, by name, where any of it has ever changed; the amounts above are on nodes
    /// without one.
    pub partitions: Vec<CapacityAppPartitionView>,
}

/// Why an application of the CapacityScheduler is offered no node at all.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CapacityNotOffered {
    /// It has ended.
    Ended,
    /// It waits for a limit of applications that run at once (`max-parallel-apps`).
    NotRunnable,
    /// It waits until its AM fits into what AMs may have, in its leaf queue and of its user there.
    NotActivated {
        /// What AMs of the leaf queue have.
        am_used: Resource,
        /// What they may have together, as last worked out.
        am_limit: Resource,
    },
    /// Nothing is outstanding.
    NothingOutstanding,
    /// Nodes or racks are asked for, and nothing is at `*`, without which none of them is served.
    NothingAnywhere,
}

/// Where an application stands in its leaf queue.
#[derive(Clone, Copy)]
enum Standing {
    Active,
    Pending,
    NonRunnable,
}

impl Standing {
    fn name(self) -> &'static str {
        match self {
            Standing::Active => "active",
            Standing::Pending => "pending",
            Standing::NonRunnable => "non-runnable",
        }
    }
}

/// Counters and totals of a CapacityScheduler.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct CapacityStats {
    /// Containers granted since the start.
    pub granted: u64,
    /// Of these, on a node that was asked for.
    pub node_local: u64,
    /// Of these, on a rack that was asked for and on no such node.
    pub rack_local: u64,
    /// Containers that have ended since the start, in any way: also those of lost nodes.
    pub completed: u64,
    /// Containers that live now.
    pub running: u64,
    /// Heartbeats worked off.
    pub heartbeats: u64,
    /// Offers made beside heartbeats, by rounds.
    pub offers: u64,
    /// Reservations made.
    pub reservations: u64,
    /// The sum of all nodes.
    pub cluster: Resource,
    /// What containers use.
    pub allocated: Resource,
}

/// See [`CapacityStats`].
pub(crate) fn capacity_stats(shared: &Shared) -> CapacityStats {
    let structure = &shared.publisher.load().structure;
    let counts = counts(shared);
    CapacityStats {
        granted: counts.granted,
        node_local: counts.node_local,
        rack_local: counts.rack_local,
        completed: counts.ended,
        running: counts.granted.saturating_sub(counts.ended),
        heartbeats: counts.heartbeats,
        offers: counts.offers,
        reservations: counts.reserved,
        cluster: structure.cluster.total,
        allocated: structure.queue(ROOT).shared.usage(),
    }
}

impl Books {
    fn leaf_view(&mut self, slot: u32, with_limits: bool) -> CapacityLeafView {
        let node = self.node(slot);
        let (settings, figures) = (node.leaf().expect("a leaf queue"), &node.figures);
        let leaf = self.leaf(slot);
        let users = leaf.users.iter().map(|(name, user)| CapacityUserView {
            user: name.to_owned(),
            used: user.used,
            am_used: user.am_used,
            am_limit: user.am_limit,
            last_limit: user.last_limit,
            is_active: user.asks(),
            active_applications: user.active,
            pending_applications: user.pending,
            weight: user.weight,
            limit: None,
        });
        let mut view = CapacityLeafView {
            active_applications: leaf.active.len(),
            pending_applications: leaf.pending.len(),
            max_applications: figures.max_applications,
            max_applications_per_user: figures.max_applications_per_user,
            user_limit: settings.user_limit,
            user_limit_factor: settings.user_limit_factor,
            am_percent: settings.max_am_resource_percent,
            minimum_allocation_factor: settings.minimum_allocation_factor,
            am_limit: leaf.am_limit,
            am_used: leaf.am_used,
            user_am_limit: leaf.user_am_limit,
            current_limit: leaf.stored_limit,
            active_users: leaf.users.active_users(),
            users: users.collect(),
        };
        if with_limits {
            let bounds = *self.bounds(slot);
            let users = &mut self.leaf_mut(slot).users;
            for user in &mut view.users {
                user.limit = Some(users.limit_of(&user.user, Sharing::Active, &bounds.inputs(), Whole));
            }
        }
        view
    }

    fn queue_view(&mut self, slot: u32, applications: i64, with_limits: bool) -> CapacityQueueView {
        let leaf = self.is_leaf(slot).then(|| self.leaf_view(slot, with_limits));
        let partitions = self.partition_views(slot, with_limits);
        let (file, config) = (self.file(slot), &self.node(slot).config);
        let accessible_labels = file.accessible_labels(config).iter().cloned().collect();
        let default_label = file.default_label_expression(config).map(str::to_owned);
        let (node, counts) = (self.node(slot), self.counts(slot));
        let figures = &node.figures.labels[0];
        CapacityQueueView {
            name: node.config.path.clone(),
            configured: node.config.clone(),
            making: node.config.making,
            state: node.status.to_string(),
            capacity: figures.capacity,
            absolute_capacity: figures.absolute_capacity,
            maximum_capacity: figures.maximum_capacity,
            absolute_maximum_capacity: figures.absolute_maximum_capacity,
            normalized_weight: figures.normalized_weight,
            used_capacity: counts.used_capacity,
            absolute_used_capacity: counts.absolute_used_capacity,
            guaranteed: figures.effective_minimum,
            maximum: figures.effective_maximum,
            maximum_allocation: node.config.maximum_allocation,
            used: counts.used,
            reserved: counts.reserved,
            pending: counts.pending.amount(),
            applications,
            containers: counts.containers,
            leaf,
            accessible_labels,
            default_label,
            partitions,
        }
    }

    /// Of the labels that the queue knows, or that there are.
    fn partition_views(&mut self, slot: u32, with_limits: bool) -> Vec<CapacityPartitionView> {
        let mut names: BTreeSet<String> = self.node(slot).config.capacities.iter().map(|of| of.label.clone()).collect();
        for (name, label) in self.labels.by_name().filter(|(_, label)| !label.is_none()) {
            let is_known = self.queue(slot).parts.get(label.ix() - 1).is_some_and(|part| part.is_known);
            if is_known || self.labels.partition(label).is_some() {
                names.insert(name.to_owned());
            }
        }
        names.remove("");
        names.into_iter().map(|name| self.partition_view(slot, name, with_limits)).collect()
    }

    fn partition_view(&mut self, slot: u32, label: String, with_limits: bool) -> CapacityPartitionView {
        let of_label = self.node(slot).of_label(&label).map(|(capacity, figures)| (capacity.clone(), *figures));
        let is_leaf = self.is_leaf(slot);
        let mut view = CapacityPartitionView::default();
        if let Some((capacity, figures)) = of_label {
            view.has_fractions = true;
            view.capacity = figures.capacity;
            view.absolute_capacity = figures.absolute_capacity;
            view.maximum_capacity = figures.maximum_capacity;
            view.absolute_maximum_capacity = figures.absolute_maximum_capacity;
            view.normalized_weight = figures.normalized_weight;
            (view.guaranteed, view.maximum) = (figures.effective_minimum, figures.effective_maximum);
            view.am_percent = if is_leaf { capacity.max_am_resource_percent } else { 0.0 };
        }
        if let Some(number) = self.labels.number(&label).filter(|number| self.has_labels() && !number.is_none()) {
            let p = Part::of(number);
            view.has_amounts = self.queue(slot).parts.get(p.place()).is_some_and(|part| part.is_known);
            let counts = self.counts_in(slot, p);
            (view.used_capacity, view.absolute_used_capacity) = (counts.used_capacity, counts.absolute_used_capacity);
            (view.used, view.reserved, view.pending) = (counts.used, counts.reserved, counts.pending.amount());
            if is_leaf {
                let leaf = self.leaf(slot);
                (view.am_limit, view.am_used) = (leaf.am_limit_in(number), leaf.am_used_in(number));
                view.user_am_limit = leaf.part(number).map_or(Resource::ZERO, |part| part.user_am_limit);
                let users = leaf.users.iter().map(|(name, user)| {
                    let part = user.parts().get(p.place()).cloned().unwrap_or_default();
                    let (used, am_used, am_limit) = (part.used, part.am_used, part.am_limit);
                    let (user, has_amounts) = (name.to_owned(), part.is_known);
                    CapacityUserPartitionView { user, has_amounts, used, am_used, am_limit, limit: None }
                });
                view.users = users.collect();
                for user in view.users.iter_mut().filter(|_| with_limits) {
                    let (by, leaf, _) = self.limits_of_leaf(slot, p);
                    user.limit = Some(leaf.users.limit_of(&user.user, Sharing::Active, &by, p));
                }
            }
        }
        CapacityPartitionView { label, ..view }
    }

    fn standing(&self, app: &AppBook) -> Standing {
        let (leaf, rank) = (self.leaf(app.leaf), app.rank());
        let active = leaf.active.contains(&rank, self.app_order(app.leaf), |other| self.rank(other));
        let pending = || leaf.pending.contains(&rank, AppOrder::Waiting, |other| self.rank(other));
        match active {
            true => Standing::Active,
            false if pending() => Standing::Pending,
            false => Standing::NonRunnable,
        }
    }

    fn app_view(&self, app: &AppBook) -> CapacityAppView {
        CapacityAppView {
            number: app.number,
            queue: self.node(app.leaf).config.path.clone(),
            state: self.standing(app).name(),
            priority: app.priority,
            am: app.am,
            used: app.used,
            reserved: app.reserved.plus(&app.others.reserved),
            pending: app.pending.amount(),
            asks: self.leaf(app.leaf).users.has_asking(&app.user, app.number),
            am_label: if app.am_partition.is_none() {
                String::new()
            } else {
                self.labels.name(app.am_partition).to_string()
            },
            partitions: self.app_partitions(app),
        }
    }
}

impl Books {
    fn app_partitions(&self, app: &AppBook) -> Vec<CapacityAppPartitionView> {
        let labels = self.labels.by_name().filter(|(_, label)| !label.is_none());
        let views = labels.filter_map(|(name, label)| {
            let is_known = app.parts.get(label.ix() - 1).is_some_and(|part| part.is_known);
            let part = app.parts.get(label.ix() - 1).cloned().unwrap_or_default();
            let (used, reserved, pending) = (part.used, part.reserved, part.pending.amount());
            let am = app.am_in(Part::of(label));
            let has_some = || [used, reserved, pending, am].iter().any(|amount| !amount.is_zero());
            let view = CapacityAppPartitionView { label: name.to_owned(), used, reserved, pending, am };
            (is_known || has_some()).then_some(view)
        });
        views.collect()
    }

    /// Whether an application that may not start is offered nodes, as in Hadoop: a fair leaf orders it anew among those
    /// that have started, or a list of an attempt before still has it.
    fn is_served_all_the_same(&self, entry: AppEntry) -> bool {
        let app = &self.apps[entry];
        let leaf = self.leaf(app.leaf);
        let is_listed = || app.lists > 0 && leaf.active.iter().any(|other| other == entry);
        leaf.to_reorder.contains(&(app.number, entry)) || is_listed()
    }

    /// Why an application is in no list whose applications are offered nodes.
    pub(crate) fn why_not_offered(&self, entry: AppEntry) -> Option<CapacityWait> {
        let app = &self.apps[entry];
        if app.is_active || self.is_served_all_the_same(entry) {
            return None;
        }
        match self.standing(app) {
            Standing::NonRunnable => Some(CapacityWait::NotRunnable { limit: None }),
            Standing::Pending => Some(self.why_not_started(entry)),
            Standing::Active => None,
        }
    }
}

impl Control {
    /// The slots of the queues in force, by path, and how many applications each has.
    pub(crate) fn queues_and_applications(&self) -> Vec<(u32, i64)> {
        let tree = &self.own.tree;
        let mut slots = tree.slots().to_vec();
        sorted::by(&mut slots, |a, b| tree.get(*a).config.path.cmp(&tree.get(*b).config.path));
        slots.into_iter().map(|slot| (slot, self.own.applications(slot))).collect()
    }
}

impl Shard {
    /// Queues, as the control has named them.
    pub(crate) fn capacity_queues(&mut self, queues: &[(u32, i64)], with_limits: bool) -> Vec<CapacityQueueView> {
        self.fold_now();
        let books = &mut self.own.books;
        books.store_skipped_limits();
        queues.iter().map(|(slot, applications)| books.queue_view(*slot, *applications, with_limits)).collect()
    }

    /// All applications, by number.
    pub(crate) fn capacity_apps(&mut self) -> Vec<CapacityAppView> {
        self.fold_now();
        let books = &self.own.books;
        books.apps.numbers().into_iter().filter_map(|number| Some(books.app_view(books.find(number)?))).collect()
    }

    /// Whether this worker decides when an application may start.
    pub(crate) fn decides_about(&self, app: &AppShared) -> bool {
        let books = &self.own.books;
        books.find(app.id.number).is_some_and(|app| books.decides_starts_in(app.leaf))
    }

    /// Why an application is offered nothing, whatever the node and the limits of queues and users.
    pub(crate) fn why_not_offered(&self, app: &AppShared) -> Option<CapacityNotOffered> {
        let books = &self.own.books;
        // Another scheduler's application is in none of these slots.
        let (Some(local), Some(book)) = (self.find_app(app.slot), books.find(app.id.number)) else {
            return Some(CapacityNotOffered::Ended);
        };
        match books.standing(book) {
            Standing::NonRunnable => return Some(CapacityNotOffered::NotRunnable),
            Standing::Pending => {
                let leaf = books.leaf(book.leaf);
                return Some(CapacityNotOffered::NotActivated { am_used: leaf.am_used, am_limit: leaf.am_limit });
            }
            Standing::Active => {}
        }
        local.asks_in_vain().map(|at_places| match at_places {
            true => CapacityNotOffered::NothingAnywhere,
            false => CapacityNotOffered::NothingOutstanding,
        })
    }

    /// An application by its number.
    pub(crate) fn capacity_app(&mut self, number: u32) -> Option<CapacityAppView> {
        self.fold_now();
        let books = &self.own.books;
        books.find(number).map(|app| books.app_view(app))
    }
}

//! Placing: every queue and application at its place among its siblings.
//!
//! # Where it stands
//! Called by whatever changes usage, demand, asks or members; `assignment` reads the result. A change of usage replays one
//! path a level, O(depth x log children). The bounds that let `assignment` pass over whole subtrees (`floor`,
//! `master_floor`, `may_reserve`) are widened at once and computed anew with each update.

use crate::engine::worker::shard::{AppLocal, NONE, QueueLocal, Shard, Suspended};
use crate::policy::ClusterTotal;
use crate::resource::Resource;

/// The size that was looked at last: asks of a leaf's applications are mostly of one.
struct Seen {
    leaf: u32,
    size: Resource,
    is_reservable: bool,
}

/// A queue, and its parent to be changed.
#[inline]
fn with_parent(queues: &mut [Option<QueueLocal>], queue: u32, parent: u32) -> (&QueueLocal, &mut QueueLocal) {
    let both = queues.get_disjoint_mut([queue as usize, parent as usize]).expect("no queue is its own parent");
    let [Some(queue), Some(parent)] = both else { unreachable!("both are queues of the snapshot") };
    (queue, parent)
}

/// What usage is counted with.
pub(crate) struct Counting<'a> {
    pub(crate) types: usize,
    /// There is no other worker.
    pub(crate) alone: bool,
    /// See [`Shard::hold_root`].
    pub(crate) root_is_held: bool,
    /// What is held back of the root's, where there are other workers.
    pub(crate) held: &'a mut Resource,
    pub(crate) cluster: &'a ClusterTotal,
}

/// Adds to the usage of an application and of the queues above it, here and in the ledger, and puts them in place. In the ledger the
/// leaf's is left to the caller, who [shows](show_leaf) it, then notes the change, and the root's where it is held.
#[inline]
pub(crate) fn add_usage(
    app: &mut AppLocal,
    queues: &mut [Option<QueueLocal>],
    amount: &Resource,
    by: &mut Counting<'_>,
) {
    app.usage.add_in_types(by.types, amount);
    app.cell.usage.add_knowing(by.types, amount, &app.usage, by.alone);
    let mut at = app.leaf;
    if at == NONE {
        return;
    }
    let leaf = queues[at as usize].as_mut().expect("a queue of the snapshot");
    if app.runnable {
        leaf.place_app(app, by.cluster);
    }
    leaf.usage.add_in_types(by.types, amount);
    let mut parent = leaf.parent;
    while parent != NONE {
        let (queue, above) = with_parent(queues, at, parent);
        above.place_queue(queue, by.cluster);
        above.usage.add_in_types(by.types, amount);
        (at, parent) = (parent, above.parent);
        if parent != NONE || !by.root_is_held {
            above.show_change(by.types, amount, by.alone);
        } else if !by.alone {
            by.held.add_in_types(by.types, amount);
        }
    }
}

/// Adds to the usage of a leaf in the ledger. Its line is on the core of whose AM asked last, so this is done when the container is in
/// its mailbox: an exchange there waits for all that was written before it.
#[inline]
pub(crate) fn show_leaf(queues: &[Option<QueueLocal>], leaf: u32, types: usize, amount: &Resource, alone: bool) {
    if leaf != NONE {
        let leaf = queues[leaf as usize].as_ref().expect("a queue of the snapshot");
        leaf.show_change(types, amount, alone);
    }
}

impl Shard {
    /// Takes over demand and shares of the snapshot and puts everything in order anew: O(queues + applications).
    pub(crate) fn refresh_everything(&mut self) {
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
        self.refresh_contents_below(crate::engine::publish::snapshot::ROOT);
    }

    fn refresh_contents_below(&mut self, queue: u32) {
        let snapshot = self.queue(queue).snapshot.clone();
        for child in &snapshot.children {
            self.refresh_contents_below(*child);
        }
        self.refresh_queue_contents(queue);
    }

    /// Whether an application is pending and out of its leaf's order: for want of asks, as far as this worker saw.
    pub(crate) fn may_be_dry(&self, index: usize) -> bool {
        self.apps[index]
            .as_ref()
            .is_some_and(|app| app.is_pending() && app.leaf != NONE && !self.queue(app.leaf).has_eligible(app.position))
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
        let (mut floor, mut may_reserve) = (Resource::UNBOUNDED, false);
        if snapshot.leaf {
            let mut master_floor = Resource::UNBOUNDED;
            // Doubled, so that a leaf that grows is not put in order anew with every member; no wider, so that paths are short.
            let room = match snapshot.runnable.end() {
                0 => 0,
                end => end.next_power_of_two() as usize,
            };
            self.queue_mut(index).reset_children(room);
            let mut seen = None;
            for (position, member) in snapshot.runnable.positions() {
                let app = member.app.slot.index;
                self.queue_mut(index).order.set_child(position, app);
                self.bound_asks(app, &mut seen);
                let local = self.app(app);
                floor = floor.least(&local.floor);
                may_reserve |= local.may_reserve;
                if local.waits_for_am() {
                    master_floor = self.first_ask(app).map_or(master_floor, |size| master_floor.least(&size));
                }
                self.refresh_app(app);
            }
            self.queue_mut(index).master_floor = master_floor;
        } else {
            self.queue_mut(index).reset_children(snapshot.children.len());
            for (position, child) in (0..).zip(&snapshot.children) {
                self.queue_mut(index).order.set_child(position, *child);
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

    /// Computes the bounds that let whole subtrees be skipped; see [`floor`](crate::engine::worker::shard::QueueLocal::floor).
    fn bound_asks(&mut self, index: u32, seen: &mut Option<Seen>) {
        let app = self.app(index);
        app.look_at_all_keys();
        let (mut floor, mut may_reserve) = (Resource::UNBOUNDED, false);
        if app.leaf != NONE {
            // Asks of a key are mostly of one size.
            let mut before = None;
            // Rows count though nothing is wanted of their key now: it may be again, by a `*` ask or by units that another
            // worker hands back, and nobody would tell of the rows.
            let sizes = app
                .keys
                .iter()
                .filter(|key| key.is_open() || key.named().is_some())
                .flat_map(|key| std::iter::once(&key.size).chain(key.rows().sizes()));
            for size in sizes.filter(|size| before.replace(*size) != Some(*size)) {
                floor = floor.least(size);
                let known = seen.as_ref().filter(|seen| seen.leaf == app.leaf && seen.size == *size);
                may_reserve |= match known {
                    Some(seen) => seen.is_reservable,
                    None => {
                        let is_reservable = self.is_reservable(app.leaf, size);
                        *seen = Some(Seen { leaf: app.leaf, size: *size, is_reservable });
                        is_reservable
                    }
                };
            }
        }
        let app = self.app_mut(index);
        app.floor = floor;
        app.may_reserve = may_reserve;
    }

    /// Whether an ask of a leaf's application is large enough for a reservation.
    fn is_reservable(&self, leaf: u32, size: &Resource) -> bool {
        let calculator = self.queue(leaf).snapshot.policy.calculator();
        let threshold = &self.shared.settings.reservation_threshold;
        calculator.compare(self.types, &self.cluster.total, size, threshold, false).is_ge()
    }

    /// An application has asks of some sizes anew. The bounds of what it already asked for stay as they are until the next
    /// update, so that this costs as much as is new, however many asks there are.
    pub(crate) fn asks_changed<'a>(&mut self, index: u32, sizes: impl Iterator<Item = &'a Resource>) {
        let app = self.app(index);
        if !app.runnable {
            self.bound_asks(index, &mut None);
            return;
        }
        let (leaf, waits) = (app.leaf, app.waits_for_am());
        let mut wider = None;
        for size in sizes {
            // What is no smaller and no larger than what it asks for already changes nothing.
            if !size.equals_in_types(self.types, &app.floor) {
                let (floor, may_reserve) = wider.unwrap_or((app.floor, app.may_reserve));
                wider = Some((floor.least(size), may_reserve || self.is_reservable(leaf, size)));
            }
        }
        // The queues above admit what it asked for before.
        let wider = wider.filter(|bounds| *bounds != (app.floor, app.may_reserve));
        if wider.is_some() || waits {
            if let Some(bounds) = wider {
                let app = self.app_mut(index);
                (app.floor, app.may_reserve) = bounds;
            }
            self.asks_bounded(index);
        }
        let app = self.app(index);
        let has_place = self.queue(leaf).has_place_as(app.position, waits);
        // Its key does not tell of asks, only whether it has a place does.
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
        let (floor, may_reserve, leaf) = (app.floor, app.may_reserve, app.leaf);
        let master = app.waits_for_am().then(|| self.first_ask(index)).flatten();
        self.widen_bounds(leaf, &floor, may_reserve);
        if let Some(master) = master {
            let queue = self.queue_mut(leaf);
            queue.master_floor = queue.master_floor.least(&master);
        }
    }

    /// The size of the first key that has something outstanding: for an application that waits, its AM's.
    pub(crate) fn first_ask(&self, index: u32) -> Option<Resource> {
        let first = self.app(index).keys.iter().find(|key| key.visible(self.worker) > 0)?;
        Some(first.size)
    }

    /// Lets the bounds of a queue and those above it admit what is new below.
    pub(crate) fn widen_bounds(&mut self, queue: u32, floor: &Resource, may_reserve: bool) {
        let mut at = queue;
        while at != NONE {
            let queue = self.queue_mut(at);
            if queue.floor.fits_in(floor) && (queue.may_reserve || !may_reserve) {
                break;
            }
            queue.floor = queue.floor.least(floor);
            queue.may_reserve |= may_reserve;
            at = queue.parent;
        }
    }

    /// Puts an application at its place in its leaf queue.
    pub(crate) fn refresh_app(&mut self, index: u32) {
        let app = self.apps[index as usize].as_ref().expect("an application that this worker knows");
        if app.leaf != NONE && app.runnable {
            let leaf = self.queues[app.leaf as usize].as_mut().expect("a queue of the snapshot");
            leaf.place_app(app, &self.cluster);
        }
    }

    /// Puts a queue at its place in its parent.
    #[inline]
    pub(crate) fn refresh_queue(&mut self, index: u32) {
        let parent = self.queue(index).parent;
        if parent != NONE {
            let (queue, parent) = with_parent(&mut self.queues, index, parent);
            parent.place_queue(queue, &self.cluster);
        }
    }

    /// After applications of a queue have found or lost their place, and no usage has changed: puts those above in place for
    /// which that makes a difference.
    fn refresh_if_served(&mut self, queue: u32) {
        let mut at = queue;
        loop {
            let local = self.queue(at);
            let parent = local.parent;
            if parent == NONE || (local.eligible > 0) == self.queue(parent).has_eligible(local.position) {
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

    /// Adds to the usage of an application and of the queues above it, and puts them in place: see [`add_usage`].
    pub(crate) fn add_usage(&mut self, index: u32, amount: &Resource) {
        let Shard { apps, queues, types, cluster, shared, root_is_held, root_held: held, .. } = self;
        let app = apps[index as usize].as_mut().expect("an application that this worker knows");
        let (alone, root_is_held) = (shared.workers == 1, *root_is_held);
        add_usage(app, queues, amount, &mut Counting { types: *types, alone, root_is_held, held, cluster });
    }

    /// Adds to the usage of an application's leaf in the ledger, and notes the change: see [`show_leaf`].
    #[inline]
    pub(crate) fn show_leaf(&mut self, app: u32, amount: &Resource) {
        show_leaf(&self.queues, self.app(app).leaf, self.types, amount, self.shared.workers == 1);
        self.note_change();
    }

    /// Until [`release_root`](Self::release_root) the ledger is not told of the root's usage: every call of every AM reads it, so its line
    /// would cross over with each change. Nobody is ordered by it: it has no siblings.
    pub(crate) fn hold_root(&mut self) {
        self.root_is_held = true;
    }

    /// Shows what was held back, and holds no more.
    pub(crate) fn release_root(&mut self) {
        self.show_root();
        self.root_is_held = false;
    }

    /// Shows what the root uses, where that is held back.
    pub(crate) fn show_root(&mut self) {
        let root = self.queues.get(crate::engine::publish::snapshot::ROOT as usize).and_then(Option::as_ref);
        if self.root_is_held
            && let Some(root) = root
        {
            if self.shared.workers == 1 {
                root.show_usage(self.types);
            } else {
                root.show_change(self.types, &std::mem::replace(&mut self.root_held, Resource::NONE), false);
            }
        }
    }

    /// Wakes the AM of an application whose mailbox was empty. It finds what the root uses.
    pub(crate) fn wake_am(&mut self, app: u32) {
        if self.shared.on_grants.is_some() {
            self.show_root();
        }
        if let Some(wake) = &self.shared.on_grants {
            wake(self.app(app).number);
        }
    }

    pub(crate) fn add_queue_usage(&mut self, leaf: u32, amount: &Resource) {
        let (types, alone) = (self.types, self.shared.workers == 1);
        let mut at = leaf;
        while at != NONE {
            let queue = self.queue_mut(at);
            queue.add_usage(types, amount, alone);
            at = queue.parent;
        }
    }

    // ------------------------------------------------------------------------------------------------ suspension

    /// Puts those back that were out for one descent.
    pub(crate) fn end_descent(&mut self) {
        while let Some(out) = self.out_for_descent.pop() {
            self.resume(out);
        }
    }

    /// Puts all back.
    pub(crate) fn end_pass(&mut self) {
        self.end_descent();
        while let Some(out) = self.out_for_pass.pop() {
            self.resume(out);
        }
    }

    fn resume(&mut self, Suspended { queue, position }: Suspended) {
        let queue = self.queue_mut(queue);
        queue.order.resume(position);
        if let Some(masters) = queue.masters_mut() {
            masters.resume(position);
        }
    }
}

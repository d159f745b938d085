//! The snapshot: queue tree, limits and shares as last published.
//!
//! # Where it stands
//! `control` publishes *structure* (queues, limits, weights, steady shares, runnable lists, cluster total) at once;
//! `update` publishes *shares* (demand, instantaneous fair shares). Workers and callers read. A structure publish carries
//! the shares over untouched and the other way round, because Hadoop changes some things at once and some only in
//! `update`; recordings show the difference.
//!
//! # Invariant
//! I6: a reader sees one whole snapshot; versions only grow: see `publish`.

use crate::engine::books::ledger::QueueShared;
use crate::engine::publish::members::Members;
use crate::engine::publish::published::Published;
use crate::id::Slot;
use crate::policy::{ClusterTotal, SchedulingPolicy};
use crate::preemption::{QueuePreemption, Starvation};
use crate::resource::{Calculator, Resource};
use crate::sync::{Arc, SnapshotGuard, SnapshotReader};
use rustc_hash::FxHashMap;

/// The slot of the root queue.
pub(crate) const ROOT: u32 = 0;

/// One queue as published.
#[derive(Clone, Debug)]
pub(crate) struct QueueSnapshot {
    pub(crate) slot: Slot,
    pub(crate) name: Arc<str>,
    pub(crate) parent: Option<u32>,
    pub(crate) leaf: bool,
    pub(crate) dynamic: bool,
    pub(crate) policy: Arc<dyn SchedulingPolicy>,
    /// The policy's, asked once: a worker could not do without.
    pub(crate) calculator: Calculator,
    pub(crate) weight: f32,
    pub(crate) min_share: Resource,
    /// Effective: of the present cluster, raised to the min share.
    pub(crate) max_share: Resource,
    /// It has a limit or has had one: workers count in its watch.
    pub(crate) watched: bool,
    pub(crate) max_am_share: f32,
    pub(crate) max_running_apps: u32,
    /// The most that one container may have here; inherited.
    pub(crate) max_container: Resource,
    pub(crate) steady_fair_share: Resource,
    pub(crate) preemption: QueuePreemption,
    /// Orders as the name does among siblings.
    pub(crate) name_order: u64,
    /// Slots of child queues in order of creation.
    pub(crate) children: Vec<u32>,
    /// Applications that may be offered nodes.
    pub(crate) runnable: Members,
    /// Applications that wait for a running limit.
    pub(crate) waiting: Members,
    /// Another number when anything but the members has changed.
    pub(crate) settings_version: u64,
    pub(crate) shared: Arc<QueueShared>,
}

/// What `control` publishes.
#[derive(Debug)]
pub(crate) struct Structure {
    pub(crate) cluster: ClusterTotal,
    pub(crate) nodes: u32,
    /// The most that one container may have: the configured maximum, no more than the largest node.
    pub(crate) max_allocation: Resource,
    /// By slot; a slot may be empty.
    pub(crate) queues: Vec<Option<Arc<QueueSnapshot>>>,
    /// Nodes by interned rack name.
    pub(crate) racks: Arc<FxHashMap<u32, u32>>,
    /// Grows with every structure publish.
    pub(crate) version: u64,
}

impl QueueSnapshot {
    /// Whether nothing but the members can be different: the same queue, the same settings, the same place in the tree.
    pub(crate) fn is_configured_as(&self, other: &QueueSnapshot) -> bool {
        // Every field is named, so that a new one is thought of.
        let QueueSnapshot {
            slot,
            name,
            parent,
            leaf,
            dynamic,
            policy,
            calculator,
            weight,
            min_share,
            max_share,
            watched,
            max_am_share,
            max_running_apps,
            max_container,
            steady_fair_share,
            preemption,
            name_order,
            children,
            runnable: _,
            waiting: _,
            settings_version: _,
            shared,
        } = self;
        *slot == other.slot
            && *name == other.name
            && *parent == other.parent
            && *leaf == other.leaf
            && *dynamic == other.dynamic
            && std::ptr::addr_eq(Arc::as_ptr(policy), Arc::as_ptr(&other.policy))
            && *calculator == other.calculator
            && weight.to_bits() == other.weight.to_bits()
            && *min_share == other.min_share
            && *max_share == other.max_share
            && *watched == other.watched
            && max_am_share.to_bits() == other.max_am_share.to_bits()
            && *max_running_apps == other.max_running_apps
            && *max_container == other.max_container
            && *steady_fair_share == other.steady_fair_share
            && *preemption == other.preemption
            && *name_order == other.name_order
            && *children == other.children
            && Arc::ptr_eq(shared, &other.shared)
    }
}

impl Structure {
    pub(crate) fn queue(&self, slot: u32) -> &Arc<QueueSnapshot> {
        self.queues[slot as usize].as_ref().expect("slots of one snapshot name queues of the same snapshot")
    }

    /// From a queue up to the root.
    pub(crate) fn path(&self, slot: u32) -> impl Iterator<Item = &Arc<QueueSnapshot>> {
        std::iter::successors(Some(self.queue(slot)), |queue| queue.parent.map(|parent| self.queue(parent)))
    }
}

/// Demand and instantaneous fair share of one queue or application.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Share {
    /// Of the slot that this entry is about; another generation's entry means nothing.
    pub(crate) generation: u32,
    pub(crate) demand: Resource,
    pub(crate) fair_share: Resource,
}

/// What `update` publishes, by slot.
#[derive(Debug, Default)]
pub(crate) struct Shares {
    pub(crate) queues: Vec<Share>,
    pub(crate) apps: Vec<Share>,
    /// Of the applications that are starved; what the last look at them found.
    pub(crate) starvation: Arc<FxHashMap<Slot, Starvation>>,
    /// Grows with every update.
    pub(crate) version: u64,
    /// When it was computed.
    pub(crate) at_ms: u64,
}

impl Shares {
    /// Of a queue, as [`Shares::queue`], without the rest.
    #[inline]
    pub(crate) fn fair_share(&self, slot: Slot) -> &Resource {
        let entry = self.queues.get(slot.ix()).filter(|share| share.generation == slot.generation);
        entry.map_or(&Resource::ZERO, |share| &share.fair_share)
    }

    fn get(entries: &[Share], slot: Slot) -> Share {
        match entries.get(slot.ix()) {
            Some(share) if share.generation == slot.generation => *share,
            _ => Share { generation: slot.generation, ..Share::default() },
        }
    }

    /// Zero for a queue that no update has seen.
    pub(crate) fn queue(&self, slot: Slot) -> Share {
        Shares::get(&self.queues, slot)
    }

    /// Zero for an application that no update has seen.
    pub(crate) fn app(&self, slot: Slot) -> Share {
        Shares::get(&self.apps, slot)
    }
}

/// Structure and shares, as one value.
#[derive(Clone, Debug)]
pub(crate) struct SchedulerSnapshot {
    pub(crate) version: u64,
    pub(crate) structure: Arc<Structure>,
    pub(crate) shares: Arc<Shares>,
}

/// Where snapshots are published.
#[derive(Debug)]
pub(crate) struct Publisher(Published<SchedulerSnapshot>);

impl Publisher {
    pub(crate) fn new(structure: Structure) -> Publisher {
        let first = SchedulerSnapshot { version: 0, structure: Arc::new(structure), shares: Arc::default() };
        Publisher(Published::new(first))
    }

    /// The newest snapshot.
    pub(crate) fn load(&self) -> Arc<SchedulerSnapshot> {
        self.0.load()
    }

    /// The newest snapshot, for a short look.
    #[inline]
    pub(crate) fn guard(&self) -> SnapshotGuard<SchedulerSnapshot> {
        self.0.guard()
    }

    /// For a thread that looks often.
    pub(crate) fn reader(&self) -> SnapshotReader<SchedulerSnapshot> {
        self.0.reader()
    }

    fn publish(&self, change: impl FnOnce(&mut SchedulerSnapshot)) {
        self.0.publish(|next| {
            next.version += 1;
            change(next);
        });
    }

    pub(crate) fn publish_structure(&self, structure: Arc<Structure>) {
        self.publish(|next| next.structure = structure);
    }

    pub(crate) fn publish_shares(&self, shares: Arc<Shares>) {
        self.publish(|next| next.shares = shares);
    }
}

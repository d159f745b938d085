//! The snapshot: queue tree, limits and the decider's figures as last published.
//!
//! # Where it stands
//! `control` publishes *structure* (queues, limits, members, cluster total) at once; the decider's update publishes its
//! *figures*. Workers and callers read. A structure publish carries the figures over untouched and the other way round,
//! because Hadoop changes some things at once and some only in its update; recordings show the difference.
//!
//! # Invariant
//! I6: a reader sees one whole snapshot; versions only grow: see `publish`.

use crate::engine::books::ledger::QueueShared;
use crate::engine::lease::label_room::LabelRoom;
use crate::engine::parts::Parts;
use crate::engine::publish::members::Members;
use crate::engine::publish::published::Published;
use crate::id::Slot;
use crate::labels::LabelTable;
use crate::policy::ClusterTotal;
use crate::resource::Resource;
use crate::sync::{Arc, SnapshotGuard, SnapshotReader};
use rustc_hash::FxHashMap;

/// One queue as published.
#[derive(Clone, Debug)]
pub(crate) struct QueueSnapshot<P: Parts> {
    pub(crate) slot: Slot,
    pub(crate) name: Arc<str>,
    pub(crate) parent: Option<u32>,
    pub(crate) leaf: bool,
    /// No grant takes its usage above this, on the present cluster.
    pub(crate) limit: Resource,
    /// It has a limit or has had one: workers count in its watch.
    pub(crate) watched: bool,
    /// By number of a label, where several workers share what is limited by label; else none.
    pub(crate) rooms: Arc<[LabelRoom]>,
    /// The most that one container may have here.
    pub(crate) max_container: Resource,
    /// Slots of child queues in order of creation.
    pub(crate) children: Vec<u32>,
    /// Applications that may be offered nodes.
    pub(crate) runnable: Members,
    /// Applications that wait until they may.
    pub(crate) waiting: Members,
    /// Another number when anything but the members has changed.
    pub(crate) settings_version: u64,
    pub(crate) shared: Arc<QueueShared>,
    /// The decider's part.
    pub(crate) own: P::QueuePublished,
}

/// What `control` publishes.
#[derive(Debug)]
pub(crate) struct Structure<P: Parts> {
    pub(crate) cluster: ClusterTotal,
    pub(crate) nodes: u32,
    /// The most that one container may have: the configured maximum, no more than the largest node.
    pub(crate) max_allocation: Resource,
    /// By slot; a slot may be empty.
    pub(crate) queues: Vec<Option<Arc<QueueSnapshot<P>>>>,
    /// Nodes by interned rack name.
    pub(crate) racks: Arc<FxHashMap<u32, u32>>,
    /// Node labels; empty where they are off.
    pub(crate) labels: Arc<LabelTable>,
    /// Grows with every structure publish.
    pub(crate) version: u64,
}

impl<P: Parts> QueueSnapshot<P> {
    /// Whether nothing but the members can be different: the same queue, the same settings, the same place in the tree.
    pub(crate) fn is_configured_as(&self, other: &QueueSnapshot<P>) -> bool {
        // Every field is named, so that a new one is thought of.
        let QueueSnapshot {
            slot,
            name,
            parent,
            leaf,
            limit,
            watched,
            rooms,
            max_container,
            children,
            runnable: _,
            waiting: _,
            settings_version: _,
            shared,
            own,
        } = self;
        *slot == other.slot
            && *name == other.name
            && *parent == other.parent
            && *leaf == other.leaf
            && *limit == other.limit
            && *watched == other.watched
            && rooms.len() == other.rooms.len()
            && rooms.iter().zip(&*other.rooms).all(|(room, other)| room.is_same(other))
            && *max_container == other.max_container
            && *children == other.children
            && Arc::ptr_eq(shared, &other.shared)
            && *own == other.own
    }
}

impl<P: Parts> Structure<P> {
    pub(crate) fn queue(&self, slot: u32) -> &Arc<QueueSnapshot<P>> {
        self.queues[slot as usize].as_ref().expect("slots of one snapshot name queues of the same snapshot")
    }

    /// From a queue up to the root.
    pub(crate) fn path(&self, slot: u32) -> impl Iterator<Item = &Arc<QueueSnapshot<P>>> {
        std::iter::successors(Some(self.queue(slot)), |queue| queue.parent.map(|parent| self.queue(parent)))
    }
}

/// Structure and figures, as one value.
#[derive(Debug)]
pub(crate) struct SchedulerSnapshot<P: Parts> {
    pub(crate) version: u64,
    pub(crate) structure: Arc<Structure<P>>,
    /// What the decider's update has published; of no other update while somebody has this one.
    pub(crate) figures: Arc<P::Figures>,
}

// By hand: what is derived asks for more.
impl<P: Parts> Clone for SchedulerSnapshot<P> {
    fn clone(&self) -> SchedulerSnapshot<P> {
        let SchedulerSnapshot { version, structure, figures } = self;
        SchedulerSnapshot { version: *version, structure: structure.clone(), figures: figures.clone() }
    }
}

/// Where snapshots are published.
#[derive(Debug)]
pub(crate) struct Publisher<P: Parts>(Published<SchedulerSnapshot<P>>);

impl<P: Parts> Publisher<P> {
    pub(crate) fn new(structure: Structure<P>) -> Publisher<P> {
        let first = SchedulerSnapshot { version: 0, structure: Arc::new(structure), figures: Arc::default() };
        Publisher(Published::new(first))
    }

    /// The newest snapshot.
    pub(crate) fn load(&self) -> Arc<SchedulerSnapshot<P>> {
        self.0.load()
    }

    /// The newest snapshot, for a short look.
    #[inline]
    pub(crate) fn guard(&self) -> SnapshotGuard<SchedulerSnapshot<P>> {
        self.0.guard()
    }

    /// For a thread that looks often.
    pub(crate) fn reader(&self) -> SnapshotReader<SchedulerSnapshot<P>> {
        self.0.reader()
    }

    fn publish(&self, change: impl FnOnce(&mut SchedulerSnapshot<P>)) {
        self.0.publish(|next| {
            next.version += 1;
            change(next);
        });
    }

    pub(crate) fn publish_structure(&self, structure: Arc<Structure<P>>) {
        self.publish(|next| next.structure = structure);
    }

    pub(crate) fn publish_figures(&self, figures: Arc<P::Figures>) {
        self.publish(|next| next.figures = figures);
    }
}

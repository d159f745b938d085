//! What the workers show each other of an attempt, where there are several.
//!
//! The control makes it with the attempt. Each cell has one writer, its worker. The amounts of containers are in the
//! engine's own cells.

use crate::engine::books::published_count::PublishedCount;
use crate::engine::books::started_entry::StartedEntry;
use crate::engine::books::usage::UsageCell;
use crate::engine::books::usage_by_label::UsageByLabel;
use crate::id::LabelId;
use crate::resource::Resource;
use crate::sync::{Arc, CachePadded, Mutex};
use std::collections::BTreeSet;

/// See the module's text.
#[derive(Debug, Default)]
pub(crate) struct SharedAttempt {
    /// The number of the last entry into a leaf that was let start.
    pub(crate) turn: StartedEntry,
    pub(crate) requested: RequestedPartitions,
    /// One cell for each worker. Empty if there is only one worker.
    cells: Box<[CachePadded<SharedAttemptCell>]>,
}

/// The partitions that an attempt has asked for (rules/node-labels.md 8.4). The home worker adds to them; the control
/// reads them, and takes the default partition out, where the application is to move. Neither holds the lock while it
/// does anything else. Nobody looks where there are no labels.
#[derive(Debug, Default)]
pub(crate) struct RequestedPartitions(Mutex<BTreeSet<LabelId>>);

impl RequestedPartitions {
    pub(crate) fn add(&self, label: LabelId) {
        self.0.lock().insert(label);
    }

    pub(crate) fn all(&self) -> BTreeSet<LabelId> {
        self.0.lock().clone()
    }

    /// Those with a label; the default partition is none of them from now on.
    pub(crate) fn take_default_out(&self) -> BTreeSet<LabelId> {
        let mut requested = self.0.lock();
        requested.remove(&LabelId::NONE);
        requested.clone()
    }
}

/// What one worker says.
#[derive(Debug, Default)]
struct SharedAttemptCell {
    reserved: UsageCell,
    /// The same on nodes with a label.
    reserved_by_label: UsageByLabel,
    /// Reservations are counted as containers.
    containers: PublishedCount,
}

impl SharedAttempt {
    pub(crate) fn new(workers: usize) -> SharedAttempt {
        let cells = if workers > 1 { workers } else { 0 };
        SharedAttempt {
            turn: StartedEntry::default(),
            requested: RequestedPartitions::default(),
            cells: (0..cells).map(|_| CachePadded::default()).collect(),
        }
    }

    /// A worker has so much reserved for it.
    pub(crate) fn show_reserved(&self, place: Place, types: usize, reserved: &Resource) {
        if let Some(cell) = self.cells.get(place.worker) {
            cell.reserved.set(types, reserved);
        }
    }

    /// The same on the nodes of a label.
    pub(crate) fn show_reserved_in(&self, place: Place, types: usize, label: LabelId, reserved: &Resource) {
        if let Some(cell) = self.cells.get(place.worker) {
            cell.reserved_by_label.set(types, label, reserved);
        }
    }

    /// A worker has nothing.
    pub(crate) fn show_nothing(&self, place: Place, types: usize) {
        self.show_reserved(place, types, &Resource::ZERO);
        self.show_containers(place, 0);
        if let Some(cell) = self.cells.get(place.worker) {
            cell.reserved_by_label.clear(types);
        }
    }

    /// What the others than a worker have reserved on the nodes of a label.
    pub(crate) fn others_reserve_in(&self, place: Place, label: LabelId) -> Resource {
        let others = self.cells.iter().enumerate().filter(|(worker, _)| *worker != place.worker);
        others.fold(Resource::ZERO, |sum, (_, cell)| sum.plus(&cell.reserved_by_label.read(label)))
    }

    /// A worker has so many containers of it.
    pub(crate) fn show_containers(&self, place: Place, containers: i64) {
        if let Some(cell) = self.cells.get(place.worker) {
            cell.containers.set(containers);
        }
    }

    /// What a worker shows: what it has reserved, and how many containers it has.
    #[cfg(feature = "faults")]
    pub(crate) fn shown(&self, place: Place) -> (Resource, i64) {
        let cell = self.cells.get(place.worker);
        cell.map_or((Resource::ZERO, 0), |cell| (cell.reserved.read(), cell.containers.read()))
    }

    /// What the others than a worker have reserved, and how many containers they have.
    pub(crate) fn others(&self, place: Place) -> (Resource, i64) {
        let others = self.cells.iter().enumerate().filter(|(worker, _)| *worker != place.worker);
        others.fold((Resource::ZERO, 0), |(reserved, containers), (_, cell)| {
            (reserved.plus(&cell.reserved.read()), containers + cell.containers.read())
        })
    }
}

/// A message from the worker that decides for a leaf queue to the other workers: this entry of the application may
/// start. A worker that has not counted the entry yet ignores the message, because it reads [`StartedEntry`] when the
/// entry comes.
#[derive(Clone, Debug)]
pub(crate) struct Start {
    pub(crate) app: u32,
    pub(crate) shared_attempt: Arc<SharedAttempt>,
    /// The number of the entry.
    pub(crate) turn: u32,
}

/// What the other workers have of an attempt, as last folded in.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Others {
    pub(crate) used: Resource,
    pub(crate) reserved: Resource,
    /// Reservations are counted as containers.
    pub(crate) containers: i64,
}

/// Which worker the books are of, and how many there are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) worker: usize,
    pub(crate) workers: usize,
}

impl Place {
    pub(crate) fn is_alone(self) -> bool {
        self.workers == 1
    }

    /// One worker's part of `count` nodes or visits, rounded up. Each worker counts only the visits of its own nodes,
    /// so it compares them with its part of a delay.
    pub(crate) fn part_of(self, count: u32) -> u32 {
        count.div_ceil(u32::try_from(self.workers).unwrap_or(u32::MAX).max(1))
    }
}

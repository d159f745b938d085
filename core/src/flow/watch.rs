//! The watch over one queue's limits: a [`Room`] a resource type, and which workers count in them.
//!
//! # Where it stands
//! `grant` spends here for every limited queue on the path; a worker joins when its snapshot first shows a limit.
//!
//! # Protocol
//! A queue may be granted from before it has a limit. The first snapshot with one makes each worker *join*: it counts what
//! it has used so far, and from then on everything that it grants. Until all have joined the sum is not known, so who
//! has joined is refused; who has not does not know of the limit yet.
//!
//! # Invariants
//! I2: a limit holds from the first grant under it. I7: room is spent in every type or in none.
//!
//! # What races, and why it is safe
//! Joining against grants, a limit that falls: `loom-tests/tests/grant_vs_lower_limit.rs`; the last room of one type:
//! `lease_vs_lease.rs`.

use super::lease::Room;
use crate::resource::Resource;
use crate::sync::atomic::{AtomicU32, Ordering};

/// See the module's text.
#[derive(Debug)]
pub struct Watch {
    rooms: Box<[Room]>,
    workers: usize,
    /// How many workers count their usage in `rooms`.
    joined: AtomicU32,
}

impl Watch {
    /// Nothing is used, and nobody has joined.
    #[must_use]
    pub fn new(workers: usize, types: usize) -> Watch {
        Watch { rooms: (0..types).map(|_| Room::new(workers)).collect(), workers, joined: AtomicU32::new(0) }
    }

    /// A worker counts its usage from now on. Once a worker.
    pub fn join(&self, usage: &Resource) {
        self.force(usage);
        // ORDERING: Release. Pairs with the Acquire in `all_joined`: who finds all joined finds all their usage taken.
        self.joined.fetch_add(1, Ordering::Release);
    }

    /// Whether every worker counts its usage.
    pub fn all_joined(&self) -> bool {
        // ORDERING: Acquire, with the Release in `join`.
        self.joined.load(Ordering::Acquire) as usize == self.workers
    }

    /// Spends `amount` for a worker that has joined, under the limit that its snapshot shows: in every type, or in none.
    pub fn try_spend(&self, worker: usize, amount: &Resource, limit: &Resource) -> bool {
        if !self.all_joined() {
            return false;
        }
        for (i, room) in self.rooms.iter().enumerate() {
            if !room.try_spend(worker, amount.get(i), limit.get(i)) {
                for (j, earlier) in self.rooms[..i].iter().enumerate() {
                    earlier.give_back(worker, amount.get(j), limit.get(j));
                }
                return false;
            }
        }
        true
    }

    /// What was spent comes back: to the worker's pieces, or, above the limit, to nobody.
    pub fn give_back(&self, worker: usize, amount: &Resource, limit: &Resource) {
        for (i, room) in self.rooms.iter().enumerate() {
            room.give_back(worker, amount.get(i), limit.get(i));
        }
    }

    /// Hands a worker's unspent pieces back to all.
    pub fn hand_back(&self, worker: usize) {
        for room in &self.rooms {
            room.hand_back(worker);
        }
    }

    /// Counts usage that moved here with an application, or away: no limit is checked.
    pub fn force(&self, amount: &Resource) {
        for (i, room) in self.rooms.iter().enumerate() {
            room.force(amount.get(i));
        }
    }

    /// What is spent or leased, by type. For models.
    #[cfg(loom)]
    #[must_use]
    pub fn taken(&self) -> Resource {
        Resource::from_fn(|i| self.rooms.get(i).map_or(0, Room::taken))
    }
}

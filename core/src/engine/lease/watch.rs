//! The watch over the limits of one queue: a [`Room`] for each resource type, and which workers count in them.
//!
//! # Where it stands
//! `grant` spends here for every watched queue on the path, each worker through its own [`WatchMember`]. When a worker
//! takes over a snapshot, `adopt` passes the limit that it shows to the [`WatchMember`].
//!
//! # Protocol
//! A queue may have containers before it has a limit. At the first snapshot with a limit each worker *joins*: it counts
//! what it has used so far, and from then on everything that it grants. The sum is not known until all workers have
//! joined, so until then a worker that has joined is refused. A worker that has not joined does not know of the limit
//! yet.
//!
//! A limit may be removed before all workers have seen it. So a queue that ever had a limit is *watched* in every later
//! snapshot, and workers join because of that. Otherwise the others would wait for ever for a worker that never saw the
//! limit. No worker leaves again.
//!
//! # Invariants
//! I2: a limit holds from the first grant under it. I7: room is spent in every type or in none; where there is no
//! limit, no grant is refused once all workers have taken over a snapshot.
//!
//! # What races, and why it is safe
//! Joining against grants, and a limit that falls: `loom-tests/tests/grant_vs_lower_limit.rs`. Limits that a reload
//! lowers, raises, adds and removes: `reload_vs_grant.rs`. The last room of one type: `lease_vs_lease.rs`.

use crate::engine::lease::Room;
use crate::resource::Resource;
use crate::sync::atomic::{AtomicU32, Ordering};
use std::cell::Cell;

/// Whether any of the types is limited.
#[must_use]
pub fn is_limit(max: &Resource, types: usize) -> bool {
    (0..types).any(|i| max.get(i) != i64::MAX)
}

/// Whether a queue is watched under the limit `now`: for good, once it has been limited.
#[must_use]
pub fn is_watched(before: bool, now: &Resource, types: usize) -> bool {
    before || is_limit(now, types)
}

/// One worker's part in the watch of one queue. Only that worker uses it.
#[derive(Debug)]
pub struct WatchMember {
    /// The worker counts its usage in the watch.
    joined: bool,
    /// What the worker has counted there; the watch itself knows only the sum of all workers. Needed when the worker
    /// loses its nodes, at whatever moment that happens.
    counted: Cell<Resource>,
}

impl Default for WatchMember {
    fn default() -> WatchMember {
        WatchMember { joined: false, counted: Cell::new(Resource::ZERO) }
    }
}

impl WatchMember {
    /// Of a watch that [counts from the start](Watch::counted_from_start).
    #[must_use]
    pub fn counted_from_start() -> WatchMember {
        WatchMember { joined: true, ..WatchMember::default() }
    }

    /// The worker takes over a snapshot that shows the limit `now`, where the one before showed `before` of the same
    /// queue. `watched`: this snapshot or an earlier one limits it. `usage`: what the worker has used there so far.
    pub fn take_over(
        &mut self,
        watch: &Watch,
        worker: usize,
        before: Option<&Resource>,
        now: &Resource,
        watched: bool,
        usage: impl FnOnce() -> Resource,
    ) {
        if self.joined && before.is_some_and(|before| !before.fits_in(now)) {
            // I2: what was leased under the higher limit is not spent under the lower one.
            watch.hand_back(worker);
        }
        if watched && !self.joined {
            let usage = usage();
            watch.join(&usage);
            self.joined = true;
            self.counted.set(usage);
        }
    }

    /// Whether the worker counts its usage in the watch.
    #[must_use]
    pub fn has_joined(&self) -> bool {
        self.joined
    }

    fn count(&self, amount: &Resource) {
        self.counted.set(self.counted.get().plus(amount));
    }

    /// Spends under the limit that the worker's snapshot shows, if the queue is watched: in every type, or in none.
    #[must_use]
    pub fn try_spend(&self, watch: &Watch, worker: usize, amount: &Resource, limit: &Resource) -> bool {
        if !self.joined {
            return true;
        }
        let spent = watch.try_spend(worker, amount, limit);
        if spent {
            self.count(amount);
        }
        spent
    }

    /// Spends exactly `amount`, and leases nothing: see [`Room::try_spend_exactly`].
    #[must_use]
    pub fn try_spend_exactly(&self, watch: &Watch, amount: &Resource, limit: &Resource) -> bool {
        let spent = watch.try_spend_exactly(amount, limit);
        if spent {
            self.count(amount);
        }
        spent
    }

    /// What was spent comes back.
    pub fn give_back(&self, watch: &Watch, worker: usize, amount: &Resource, limit: &Resource) {
        if self.joined {
            self.counted.set(self.counted.get().minus(amount));
            watch.give_back(worker, amount, limit);
        }
    }

    /// Usage has moved here with an application, or away.
    pub fn carry(&self, watch: &Watch, amount: &Resource) {
        if self.joined {
            self.count(amount);
            watch.force(amount);
        }
    }

    /// The worker has lost everything that it used: all that it has counted is given back to all, leased or spent.
    pub fn vacate(&self, watch: &Watch, worker: usize) {
        if self.joined {
            watch.hand_back(worker);
            watch.force(&Resource::ZERO.minus(&self.counted.replace(Resource::ZERO)));
        }
    }

    /// The worker will never take over a snapshot again. It joins with no usage, so that the others do not wait for it.
    pub fn join_for_good(&mut self, watch: &Watch) {
        if !std::mem::replace(&mut self.joined, true) {
            watch.join(&Resource::ZERO);
        }
    }

    /// What the worker counts there; nothing where it has not joined.
    #[cfg(all(feature = "faults", not(loom)))]
    pub(crate) fn counted(&self) -> Option<Resource> {
        self.joined.then(|| self.counted.get())
    }

    /// What is leased and not spent goes back to all.
    pub fn hand_back(&self, watch: &Watch, worker: usize) {
        if self.joined {
            watch.hand_back(worker);
        }
    }
}

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

    /// Nothing is used, and all workers count from the beginning: nothing can be used before it is watched.
    #[must_use]
    pub fn counted_from_start(workers: usize, types: usize) -> Watch {
        let joined = AtomicU32::new(u32::try_from(workers).unwrap_or(u32::MAX));
        Watch { joined, ..Watch::new(workers, types) }
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

    /// Spends `amount` for a worker that has joined, under the limit that its snapshot shows: in every type, or in
    /// none.
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

    /// Spends exactly `amount` under `limit`, and leases nothing: in every type, or in none.
    pub fn try_spend_exactly(&self, amount: &Resource, limit: &Resource) -> bool {
        for (i, room) in self.rooms.iter().enumerate() {
            if !room.try_spend_exactly(amount.get(i), limit.get(i)) {
                for (j, earlier) in self.rooms[..i].iter().enumerate() {
                    earlier.force(-amount.get(j).max(0));
                }
                return false;
            }
        }
        true
    }

    /// Gives spent room back to the worker's pieces. While a type has more taken than its limit, the room of that type
    /// is dropped instead.
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

    /// What is spent or leased, by type. For models, and for the audit.
    #[cfg(any(loom, feature = "faults"))]
    #[must_use]
    pub fn taken(&self) -> Resource {
        Resource::from_fn(|i| self.rooms.get(i).map_or(0, Room::taken))
    }
}

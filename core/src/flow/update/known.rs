//! What the update task knows of a queue from the last update, so that the next one does again only what may come out otherwise.
//!
//! # Where it stands
//! The update task owns it. A leaf's applications stand in one array, with the words that their demand is read from at hand; it
//! is made anew when the queue is published anew. An application that has ended is kept until the next update.

use super::turns::Turns;
use crate::flow::ledger::{AppCell, AppShared, KeyCell};
use crate::flow::members::Member;
use crate::flow::snapshot::QueueSnapshot;
use crate::id::Slot;
use crate::resource::Resource;
use crate::sync::{Arc, CachePadded};

/// An application of a leaf queue.
#[derive(Debug)]
pub(super) struct Seat {
    pub(super) slot: Slot,
    pub(super) start_ms: u64,
    pub(super) sequence: u64,
    app: Arc<AppShared>,
    /// Of its keys, once it has any.
    first_key: Option<Arc<KeyCell>>,
    /// At the last update.
    pub(super) demand: Resource,
}

impl Seat {
    fn new(member: &Member, turns: &Turns) -> Seat {
        let app = &member.app;
        Seat {
            slot: app.slot,
            start_ms: app.start_ms,
            sequence: member.sequence,
            app: app.clone(),
            first_key: None,
            demand: turns.shares().app(app.slot).demand,
        }
    }

    /// What it uses and wants now; `cells` are its own.
    fn demand_now(&mut self, cells: &[Arc<CachePadded<AppCell>>]) -> Resource {
        let usage = cells.iter().fold(Resource::NONE, |sum, cell| sum.plus(&cell.usage.read()));
        if self.first_key.is_none() {
            self.first_key = self.app.first_key().cloned();
        }
        self.first_key.as_ref().map_or(usage, |key| usage.plus(&key.wanted()))
    }
}

/// See the module's text.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) snapshot: Arc<QueueSnapshot>,
    /// Of a leaf: its runnable applications, then those that wait.
    seats: Vec<Seat>,
    /// As many cells an application as there are workers, in the order of the seats.
    cells: Vec<Arc<CachePadded<AppCell>>>,
    /// Whether some application here or below was runnable at the last update.
    pub(super) active: bool,
    /// What was distributed among its children last; `None` when that has to be done whatever there is to distribute.
    pub(super) distributed: Option<Resource>,
}

impl Known {
    pub(super) fn new(queue: &Arc<QueueSnapshot>, turns: &Turns) -> Known {
        let members = || queue.runnable.positions().chain(queue.waiting.positions()).map(|(_, member)| member);
        Known {
            snapshot: queue.clone(),
            seats: members().map(|member| Seat::new(member, turns)).collect(),
            cells: members().flat_map(|member| member.app.cells.iter().cloned()).collect(),
            active: false,
            distributed: None,
        }
    }

    /// Its runnable applications.
    pub(super) fn runnable(&self) -> &[Seat] {
        &self.seats[..self.snapshot.runnable.len()]
    }

    /// The demand of all its applications, each noted where it has changed; says whether one has.
    pub(super) fn demand(&mut self, workers: usize, turns: &mut Turns) -> (Resource, bool) {
        let (mut total, mut changed) = (Resource::NONE, false);
        for (seat, cells) in self.seats.iter_mut().zip(self.cells.chunks_exact(workers)) {
            let demand = seat.demand_now(cells);
            if demand != seat.demand {
                seat.demand = demand;
                changed = true;
                turns.set_app_demand(seat.slot, &demand);
            }
            total = total.plus(&demand);
        }
        (total, changed)
    }
}

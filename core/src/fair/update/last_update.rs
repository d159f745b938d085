//! What the update task remembers of a queue, so that the next update computes again only what may have another result.
//!
//! # Where it stands
//! The update task owns it. The applications of a leaf are in one array, together with references to the words that
//! their demand is read from. The array is made again when some of the applications are others. An application that has
//! ended is kept until the next update.

use super::share_copies::ShareCopies;
use crate::engine::books::ledger::{AppCell, AppShared, KeyCell};
use crate::engine::publish::members::Member;
use crate::fair::engine::QueueSnapshot;
use crate::id::Slot;
use crate::resource::{MAX_TYPES, Resource};
use crate::sync::{Arc, CachePadded};

/// An application of a leaf queue.
#[derive(Debug)]
pub(super) struct KnownMember {
    pub(super) slot: Slot,
    pub(super) start_ms: u64,
    pub(super) sequence: u64,
    app: Arc<AppShared>,
    /// Of its keys, once it has any.
    first_key: Option<Arc<KeyCell>>,
    /// At the last update.
    pub(super) demand: Resource,
}

impl KnownMember {
    fn new(member: &Member, turns: &ShareCopies) -> KnownMember {
        let app = &member.app;
        KnownMember {
            slot: app.slot,
            start_ms: app.start_ms,
            sequence: member.sequence,
            app: app.clone(),
            first_key: None,
            demand: turns.shares().app(app.slot).demand,
        }
    }

    /// What it uses and wants now, of the first `TYPES` resource types; `cells` are its own.
    #[inline]
    fn demand_now<const TYPES: usize>(&mut self, cells: &[Arc<CachePadded<AppCell>>]) -> [i64; TYPES] {
        let mut sum = [0_i64; TYPES];
        for cell in cells {
            cell.usage.add_to(1, &mut sum);
        }
        if self.first_key.is_none() {
            self.first_key = self.app.first_key().cloned();
        }
        // Not one chain of iterators: that takes 13 instructions more for each application.
        if let Some(first) = &self.first_key {
            for key in first.and_later() {
                match key.pool.total() {
                    0 => {}
                    count => key.size.add_to(count, &mut sum),
                }
            }
        }
        sum
    }
}

/// See the module's text.
#[derive(Debug)]
pub(super) struct LastUpdate {
    pub(super) snapshot: Arc<QueueSnapshot>,
    /// Of a leaf: its runnable applications, then those that wait.
    members: Vec<KnownMember>,
    /// As many cells an application as there are workers, in the order of the seats.
    cells: Vec<Arc<CachePadded<AppCell>>>,
    /// Whether some application here or below was runnable at the last update.
    pub(super) active: bool,
    /// What was distributed among its children last; `None` when that has to be done whatever there is to distribute.
    pub(super) distributed: Option<Resource>,
}

impl LastUpdate {
    pub(super) fn new(queue: &Arc<QueueSnapshot>, turns: &ShareCopies) -> LastUpdate {
        let members = || queue.runnable.positions().chain(queue.waiting.positions()).map(|(_, member)| member);
        LastUpdate {
            snapshot: queue.clone(),
            members: members().map(|member| KnownMember::new(member, turns)).collect(),
            cells: members().flat_map(|member| member.app.cells.iter().cloned()).collect(),
            active: false,
            distributed: None,
        }
    }

    /// The same queue as it was published anew, if its applications are still the same; its shares must be distributed
    /// again.
    pub(super) fn renewed(mut self: Box<Self>, queue: &Arc<QueueSnapshot>) -> Option<Box<LastUpdate>> {
        let old = &self.snapshot;
        let is_same = old.slot == queue.slot
            && old.leaf == queue.leaf
            && old.runnable.changes(&queue.runnable).next().is_none()
            && old.waiting.changes(&queue.waiting).next().is_none();
        if !is_same {
            return None;
        }
        self.snapshot = queue.clone();
        self.distributed = None;
        Some(self)
    }

    /// Its runnable applications.
    pub(super) fn runnable(&self) -> &[KnownMember] {
        &self.members[..self.snapshot.runnable.len()]
    }

    /// The demand of all its applications, each noted where it has changed; says whether one has.
    pub(super) fn demand(&mut self, workers: usize, types: usize, turns: &mut ShareCopies) -> (Resource, bool) {
        // The types that are not configured are nothing everywhere; two are the rule.
        if types == 2 { self.demand_of::<2>(workers, turns) } else { self.demand_of::<MAX_TYPES>(workers, turns) }
    }

    /// Few instructions an application: what it waits for is memory, and the more of them are under way the better.
    fn demand_of<const TYPES: usize>(&mut self, workers: usize, turns: &mut ShareCopies) -> (Resource, bool) {
        let (mut total, mut changed) = ([0_i64; TYPES], false);
        for (member, cells) in self.members.iter_mut().zip(self.cells.chunks_exact(workers)) {
            let now = member.demand_now::<TYPES>(cells);
            if now != member.demand.amounts()[..TYPES] {
                member.demand = Resource::from_slice(&now);
                changed = true;
                turns.set_app_demand(member.slot, &member.demand);
            }
            for (sum, lane) in total.iter_mut().zip(now) {
                *sum = sum.saturating_add(lane);
            }
        }
        (Resource::from_slice(&total), changed)
    }
}

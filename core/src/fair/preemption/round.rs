//! Rounds: one starved application after the other gets containers marked for it (rules/preemption.md 6.1 to 6.3, 6.6).
//!
//! # Where it stands
//! The preemption task. It takes an application from the book, asks its home worker what it wants, and the owners of
//! the nodes, one after the other, for the set with the fewest AMs; the best is taken at once, so that the next search
//! sees it.
//!
//! Where `yarn.scheduler.fair.preemption.strict` is set, the kill looks a second time: see `recheck`.
//!
//! After a set without an AM the next search for the same request begins at its node: a node before it that had none
//! without an AM has none now, since marks only make sets smaller. So the containers of a round are walked over about
//! once, not once for each container that is wanted. A search that comes away empty is made again over all nodes.
//!
//! Once nothing is found for a request, or a node with room and nothing to take, nothing more is found for it: the
//! rules would give the same answer for each further container.

use super::book::Book;
use super::victims::{Found, OutstandingAsk, Search, Victims};
use crate::app::SchedulingKey;
use crate::clock::{Deadline, java_ms};
use crate::engine::books::ledger::AppShared;
use crate::engine::intake::locations::ANY;
use crate::fair::engine::Shared;
use crate::id::{ContainerId, NodeId};
use crate::preemption::{Place, StoredAsk, Wanted, requests_to_serve};
use crate::resource::sorted;
use crate::sync::{Arc, Mutex};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// The longest sleep.
pub(super) const LONG_MS: u64 = 3_600_000;

/// How often a set is looked for that turns out to be gone when it is taken.
const ATTEMPTS: usize = 4;

/// The workers, as a round needs them.
pub(crate) trait Owners {
    /// What an application asks for, of its home worker.
    fn outstanding_asks(&mut self, app: &Arc<AppShared>) -> Vec<OutstandingAsk>;

    /// The best set on a worker's nodes.
    fn find_victims(&mut self, worker: usize, search: &Search) -> Option<Found>;

    /// Marks a set on a worker's nodes for an application; what was really marked.
    fn take_victims(&mut self, worker: usize, found: Found, app: &Arc<AppShared>) -> Victims;

    /// Ends what was marked on a worker's nodes.
    fn kill(&mut self, worker: usize, containers: Vec<ContainerId>);

    /// Ends a set that was marked on a worker's nodes, if it is needed for one of the requests that are outstanding and
    /// may still go: the key of that request.
    fn kill_if_needed(
        &mut self,
        worker: usize,
        set: Victims,
        app: &Arc<AppShared>,
        outstanding: &[OutstandingAsk],
    ) -> Option<SchedulingKey>;
}

/// What one round has marked, and when it is to be killed, by the clock.
#[derive(Debug)]
struct Doomed {
    due: Deadline,
    app: Arc<AppShared>,
    /// Each makes room for one container, on one node.
    sets: Vec<Victims>,
}

/// What one round came to.
#[derive(Debug)]
pub(crate) struct MarkedFor {
    /// The starved application's number.
    pub(crate) app: u32,
    /// What was marked for it, in the order in which it was chosen.
    pub(crate) containers: Vec<ContainerId>,
}

/// A node, by its worker and its number there. Searches go by worker, then by node.
#[derive(Clone, Copy, Debug)]
struct Spot {
    worker: usize,
    node: NodeId,
}

impl Spot {
    const FIRST: Spot = Spot { worker: 0, node: NodeId(0) };
}

/// See the module's text.
#[derive(Debug)]
pub(crate) struct Preemptor {
    shared: Arc<Shared>,
    book: Arc<Mutex<Book>>,
    /// Marked and not killed, round by round.
    doomed: VecDeque<Doomed>,
}

impl Preemptor {
    pub(crate) fn new(shared: Arc<Shared>, book: Arc<Mutex<Book>>) -> Preemptor {
        Preemptor { shared, book, doomed: VecDeque::new() }
    }

    /// A round for the application that is served next; `None` when nobody waits.
    pub(super) fn next_round(&mut self, owners: &mut impl Owners) -> Option<MarkedFor> {
        let (app, starvation) = self.book.lock().take()?;
        let asks = self.placed(&owners.outstanding_asks(&app));
        let mut sets = Vec::new();
        for wanted in requests_to_serve(&starvation.total(), &asks) {
            let mut last = None;
            for _ in 0..wanted.count {
                let taken = self.take_for_one(owners, &wanted, &app, &mut last);
                if taken.is_empty() {
                    break;
                }
                sets.push(taken);
            }
        }
        let settings = &self.shared.decider.settings;
        let now_ms = self.shared.clock.now_ms();
        // Hadoop adds four heartbeats of the nodes, whose interval is still 0 when it reads it.
        let passes =
            if settings.continuous_scheduling { settings.continuous_scheduling_sleep_ms.saturating_mul(10) } else { 0 };
        let waits = [settings.wait_before_kill_ms, java_ms(passes), settings.wait_before_next_starvation_check_ms];
        let next_check = waits.iter().try_fold(java_ms(now_ms), |sum, wait| sum.checked_add(*wait));
        self.book.lock().served(app.slot, next_check);
        let (number, containers) = (app.id.number, sets.iter().flatten().copied().collect());
        #[cfg(feature = "tracing")]
        tracing::debug!(
            app = number,
            containers = sets.iter().flatten().count(),
            "containers are marked for a starved application"
        );
        if !sets.is_empty() {
            let due = Deadline::after(now_ms, self.kills_after_ms());
            self.doomed.push_back(Doomed { due, app, sets });
        }
        Some(MarkedFor { app: number, containers })
    }

    /// A round for everybody who waits for one, in their order.
    pub(crate) fn all_rounds(&mut self, owners: &mut impl Owners) -> Vec<MarkedFor> {
        std::iter::from_fn(|| self.next_round(owners)).collect()
    }

    /// The requests with their places, in the order in which they are served: by priority, nodes by name, racks by
    /// name, `*`. Names of no present node or rack are left out.
    fn placed(&self, asks: &[OutstandingAsk]) -> Vec<StoredAsk> {
        let nodes: Vec<_> = self.shared.nodes.lock().nodes().cloned().collect();
        let mut places: FxHashMap<u32, (u8, &str, Place)> = FxHashMap::default();
        places.insert(ANY, (2, "", Place::Any));
        for node in &nodes {
            let [rack, name] = node.locations();
            places.insert(rack, (1, &node.rack, Place::Rack(rack)));
            places.entry(name).or_insert((0, &node.name, Place::Node { name, rack }));
        }
        let mut placed: Vec<_> = asks.iter().filter_map(|ask| Some((ask, places.get(&ask.location)?))).collect();
        sorted::by_key(&mut placed, |(ask, (level, name, _))| (ask.key, *level, *name));
        let stored = |(ask, (_, _, place)): (&OutstandingAsk, &(u8, &str, Place))| StoredAsk {
            priority: ask.key.priority,
            place: *place,
            size: ask.size,
            count: ask.count,
            relax: ask.relax,
        };
        placed.into_iter().map(stored).collect()
    }

    /// Marks what makes room for one container; nothing where nothing can be had. What the owner refuses, because it
    /// has changed since it was found, is looked for again; with one worker that does not happen.
    fn take_for_one(
        &self,
        owners: &mut impl Owners,
        wanted: &Wanted,
        app: &Arc<AppShared>,
        last: &mut Option<Spot>,
    ) -> Victims {
        for _ in 0..ATTEMPTS {
            let best = self.best_set(owners, wanted, *last);
            let Some((worker, found)) = best.filter(|(_, found)| !found.containers.is_empty()) else {
                break;
            };
            *last = (found.ams == 0).then_some(Spot { worker, node: found.id });
            let taken = owners.take_victims(worker, found, app);
            if !taken.is_empty() {
                return taken;
            }
        }
        Victims::new()
    }

    /// The set with the fewest AMs at the place that is wanted or, where locality is relaxed and that costs an AM,
    /// elsewhere.
    fn best_set(&self, owners: &mut impl Owners, wanted: &Wanted, last: Option<Spot>) -> Option<(usize, Found)> {
        let Wanted { size, place, .. } = *wanted;
        let at_place = Search { size, place, elsewhere: false, limit: u32::MAX, from: NodeId(0) };
        let further = last.and_then(|last| self.ask_all(owners, Search { limit: 1, ..at_place }, last));
        if further.is_some() {
            return further;
        }
        let best = self.ask_all(owners, at_place, Spot::FIRST)?;
        let ams = best.1.ams;
        if wanted.relax && place != Place::Any && ams > 0 {
            let elsewhere = self.ask_all(owners, Search { elsewhere: true, limit: ams, ..at_place }, Spot::FIRST);
            return elsewhere.or(Some(best));
        }
        Some(best)
    }

    /// The best set on the nodes from a spot on.
    fn ask_all(&self, owners: &mut impl Owners, mut search: Search, from: Spot) -> Option<(usize, Found)> {
        let mut best = None;
        search.from = from.node;
        for worker in from.worker..self.shared.workers {
            if search.limit == 0 {
                break;
            }
            if let Some(found) = owners.find_victims(worker, &search) {
                search.limit = found.ams;
                best = Some((worker, found));
            }
            search.from = NodeId(0);
        }
        best
    }

    /// What is marked and to be killed.
    #[cfg(feature = "faults")]
    pub(super) fn doomed_containers(&self) -> Vec<ContainerId> {
        self.doomed.iter().flat_map(|doomed| doomed.sets.iter().flatten()).copied().collect()
    }

    /// Ends all that is marked.
    pub(crate) fn kill_all(&mut self, owners: &mut impl Owners) {
        while let Some(doomed) = self.doomed.pop_front() {
            self.kill(owners, doomed);
        }
    }

    /// Ends what has been marked for `waitTimeBeforeKill`.
    pub(crate) fn kill_due(&mut self, owners: &mut impl Owners) {
        let (now_ms, longest) = (self.shared.clock.now_ms(), self.kills_after_ms());
        // Where the clock has gone back, what is marked does not wait for that.
        let is_due = |doomed: &Doomed| doomed.due.is_over(now_ms) || doomed.due.is_beyond(now_ms, longest);
        while self.doomed.front().is_some_and(is_due) {
            let doomed = self.doomed.pop_front().expect("found above");
            self.kill(owners, doomed);
        }
    }

    /// How long until something is to be killed; an hour where nothing is.
    pub(super) fn next_kill_in_ms(&self) -> u64 {
        let wait_ms = self.doomed.front().and_then(|doomed| doomed.due.left_ms(self.shared.clock.now_ms()));
        wait_ms.map_or(LONG_MS, |wait_ms| wait_ms.min(LONG_MS))
    }

    fn kills_after_ms(&self) -> u64 {
        u64::try_from(self.shared.decider.settings.wait_before_kill_ms).unwrap_or(0)
    }

    /// Ends what a round has marked. Nobody asks whether it is still needed, as in Hadoop, unless that is wanted.
    fn kill(&self, owners: &mut impl Owners, doomed: Doomed) {
        let Doomed { app, sets, .. } = doomed;
        if self.shared.decider.settings.preemption_strict {
            return self.kill_what_is_needed(owners, &app, sets);
        }
        let containers: Vec<ContainerId> = sets.into_iter().flatten().collect();
        for worker in 0..self.shared.workers {
            let own: Vec<_> = containers.iter().filter(|id| usize::from(id.worker) == worker).copied().collect();
            if !own.is_empty() {
                owners.kill(worker, own);
            }
        }
    }

    /// Ends the sets that are still needed and may still go, in their order: one for each container that is outstanding
    /// by now.
    fn kill_what_is_needed(&self, owners: &mut impl Owners, app: &Arc<AppShared>, sets: Vec<Victims>) {
        let mut outstanding = owners.outstanding_asks(app);
        for set in sets {
            let Some(worker) = set.first().map(|id| usize::from(id.worker)) else { continue };
            let Some(key) = owners.kill_if_needed(worker, set, app, &outstanding) else { continue };
            for ask in outstanding.iter_mut().filter(|ask| ask.key == key && ask.location == ANY) {
                ask.count -= 1;
            }
        }
    }
}

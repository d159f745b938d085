//! What a FairScheduler shows of queues and applications, and its counters: read-only, as of now.
//!
//! Read from the newest snapshot and the ledger by any thread; no lock is taken that a worker takes.

use crate::engine::books::ledger::AppShared;
use crate::engine::views::current::counts;
use crate::fair::engine::{SchedulerSnapshot, Shared};
use crate::id::ApplicationId;
use crate::id::ROOT;
use crate::preemption::Starvation;
use crate::resource::Resource;
use crate::resource::sorted;

/// A queue.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct QueueView {
    /// Full name, `root.a.b`.
    pub name: String,
    /// Whether it is a leaf queue: it holds applications, not queues.
    pub leaf: bool,
    /// Whether it is dynamic: the allocation file does not name it.
    pub dynamic: bool,
    /// `fair`, `FIFO`, `DRF`, or a policy of the embedder's.
    pub policy: String,
    /// The weight.
    pub weight: f32,
    /// Instantaneous fair share, as of the last update.
    pub fair_share: Resource,
    /// Steady fair share.
    pub steady_fair_share: Resource,
    /// What its containers use now. An ended container does not count, even if its node has not yet reported the end.
    /// Its room on the node is occupied until then ([`NodeView::free`](crate::view::NodeView::free)).
    pub usage: Resource,
    /// The demand, as of the last update, capped by the max share.
    pub demand: Resource,
    /// Min share.
    pub min_share: Resource,
    /// The effective max share, raised to the min share. `i64::MAX` means no limit.
    pub max_share: Resource,
    /// Runnable applications in this queue and below.
    pub runnable: u32,
    /// Of a leaf: applications that wait for a running limit.
    pub non_runnable: u32,
    /// Of a leaf: applications that wait, and runnable ones that never had a container.
    pub pending: u32,
    /// Of a leaf: what AMs use.
    pub am_usage: Resource,
    /// The limit of runnable applications.
    pub max_running_apps: u32,
    /// The largest container in this queue.
    pub max_allocation: Resource,
    /// Its place among its parent's queues, in the order of their creation.
    pub place: u32,
    /// Whether containers of this queue may be preempted (`allowPreemptionFrom`).
    pub preemptable: bool,
    /// Containers of this queue and below that were preempted since the queue was made: Hadoop's
    /// `AggregateContainersPreempted`.
    pub preempted: u64,
    /// Of a leaf: when it last had its min share, in ms of the scheduler's clock, as of the last update that looked for
    /// starved applications. Before the first such update: when the queue was made.
    pub last_at_min_share_ms: i64,
}

/// An application.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct AppView {
    /// Its id.
    pub id: ApplicationId,
    /// Who submitted it.
    pub user: String,
    /// Its leaf queue.
    pub queue: String,
    /// Instantaneous fair share, as of the last update.
    pub fair_share: Resource,
    /// What its containers use now.
    pub usage: Resource,
    /// The demand, as of the last update.
    pub demand: Resource,
    /// What its AM asks for now and has not got.
    pub outstanding: Resource,
    /// Whether it is runnable. `false` while it waits for a running limit.
    pub runnable: bool,
    /// The number of nodes reserved for it.
    pub reserved_nodes: u32,
    /// What it lacks for longer than its queue's timeouts: up to the threshold of its fair share, and its part of the
    /// queue's min-share starvation. As of the last update that looked for starvation. No update does while preemption
    /// is off, or while the cluster's utilisation is below
    /// `yarn.scheduler.fair.preemption.cluster-utilization-threshold`.
    pub starvation: Resource,
    /// Containers of this attempt that were preempted.
    pub preempted: u64,
}

/// Counters and totals.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Stats {
    /// Containers granted since the start.
    pub granted: u64,
    /// Of these, those on a requested node (Hadoop's `AggregateNodeLocalContainersAllocated`).
    pub node_local: u64,
    /// Of these, those on a requested rack and not on a requested node (`AggregateRackLocalContainersAllocated`).
    pub rack_local: u64,
    /// Containers that have ended since the start, in any way: also those of lost nodes.
    pub completed: u64,
    /// Of these, containers that were preempted.
    pub preempted: u64,
    /// Containers that run now.
    pub running: u64,
    /// Heartbeats processed since the start.
    pub heartbeats: u64,
    /// Offers of nodes besides heartbeats: by the async allocation thread and by continuous scheduling.
    pub offers: u64,
    /// Grants refused because other workers had used the room under a limit.
    pub refused: u64,
    /// Reservations of nodes made since the start.
    pub reservations: u64,
    /// How often workers have folded in the changes of others.
    pub folds: u64,
    /// The total of all nodes.
    pub cluster: Resource,
    /// What all containers use.
    pub allocated: Resource,
    /// Root's demand as of the last update.
    pub demand: Resource,
    /// The version of the newest snapshot.
    pub snapshot_version: u64,
    /// The age of the fair shares, in ms of the scheduler's clock.
    pub snapshot_age_ms: u64,
    /// How often the fair shares were computed since the start.
    pub updates: u64,
    /// The time of all updates together, in ms of the scheduler's clock.
    pub update_total_ms: u64,
    /// The time of the longest update, in ms of the scheduler's clock.
    pub update_longest_ms: u64,
}

impl Stats {
    /// What is asked for and not allocated, as of the last update.
    #[must_use]
    pub fn pending_demand(&self) -> Resource {
        self.demand.minus(&self.allocated).most(&Resource::ZERO)
    }
}

/// All queues, by name.
pub(crate) fn queues(snapshot: &SchedulerSnapshot) -> Vec<QueueView> {
    let structure = &snapshot.structure;
    let mut runnable = vec![0_u32; structure.queues.len()];
    for queue in structure.queues.iter().flatten().filter(|queue| queue.leaf) {
        let count = u32::try_from(queue.runnable.len()).unwrap_or(u32::MAX);
        for above in structure.path(queue.slot.index) {
            runnable[above.slot.ix()] += count;
        }
    }
    let mut places = vec![0_u32; structure.queues.len()];
    for queue in structure.queues.iter().flatten() {
        for (place, child) in (0..).zip(&queue.children) {
            places[*child as usize] = place;
        }
    }
    let mut out: Vec<_> = structure
        .queues
        .iter()
        .flatten()
        .map(|queue| {
            let share = snapshot.figures.queue(queue.slot);
            let waiting = u32::try_from(queue.waiting.len()).unwrap_or(u32::MAX);
            let made = || i64::try_from(queue.shared.created_ms).unwrap_or(i64::MAX);
            let fresh = queue.runnable.iter().filter(|app| !app.ever_had()).count();
            QueueView {
                name: queue.name.to_string(),
                leaf: queue.leaf,
                dynamic: queue.own.dynamic,
                policy: queue.own.policy.name().to_owned(),
                weight: queue.own.weight,
                fair_share: share.fair_share,
                steady_fair_share: queue.own.steady_fair_share,
                usage: queue.shared.usage(),
                demand: share.demand,
                min_share: queue.own.min_share,
                max_share: queue.limit,
                runnable: runnable[queue.slot.ix()],
                non_runnable: waiting,
                pending: waiting + u32::try_from(fresh).unwrap_or(u32::MAX),
                am_usage: queue.shared.am_usage.read(),
                max_running_apps: queue.own.max_running_apps,
                max_allocation: queue.max_container.least(&structure.max_allocation),
                place: places[queue.slot.ix()],
                preemptable: queue.own.preemption.preemptable,
                preempted: queue.shared.preempted(),
                last_at_min_share_ms: snapshot
                    .figures
                    .last_at_min_share_ms
                    .get(&queue.slot)
                    .copied()
                    .unwrap_or_else(made),
            }
        })
        .collect();
    sorted::by(&mut out, |a, b| a.name.cmp(&b.name));
    out
}

/// One application.
pub(crate) fn app(snapshot: &SchedulerSnapshot, app: &AppShared) -> AppView {
    let share = snapshot.figures.app(app.slot);
    let queue = snapshot.structure.queues.get(app.queue() as usize).and_then(Option::as_ref);
    AppView {
        id: app.id,
        user: app.user.to_string(),
        queue: queue.map_or_else(String::new, |queue| queue.name.to_string()),
        fair_share: share.fair_share,
        usage: app.usage(),
        demand: share.demand,
        outstanding: app.wanted(),
        runnable: app.is_runnable(),
        reserved_nodes: app.reserved(),
        starvation: snapshot.figures.starvation.get(&app.slot).map_or(Resource::ZERO, Starvation::total),
        preempted: app.preempted(),
    }
}

/// Counters and totals.
pub(crate) fn stats(shared: &Shared) -> Stats {
    let snapshot = shared.publisher.load();
    let root = snapshot.structure.queue(ROOT);
    let counts = counts(shared);
    Stats {
        granted: counts.granted,
        node_local: counts.node_local,
        rack_local: counts.rack_local,
        completed: counts.ended,
        preempted: root.shared.preempted(),
        running: counts.granted.saturating_sub(counts.ended),
        heartbeats: counts.heartbeats,
        offers: counts.offers,
        refused: counts.refused,
        reservations: counts.reserved,
        folds: counts.folds,
        cluster: snapshot.structure.cluster.total,
        allocated: root.shared.usage(),
        demand: snapshot.figures.queue(root.slot).demand,
        snapshot_version: snapshot.version,
        snapshot_age_ms: shared.clock.now_ms().saturating_sub(snapshot.figures.at_ms),
        updates: snapshot.figures.runs.count,
        update_total_ms: snapshot.figures.runs.total_ms,
        update_longest_ms: snapshot.figures.runs.longest_ms,
    }
}

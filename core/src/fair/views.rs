//! What a FairScheduler shows of queues and applications, and its counters: read-only, as of now.
//!
//! Read from the newest snapshot and the ledger by any thread; no lock is taken that a worker takes.

use crate::engine::books::ledger::AppShared;
use crate::engine::publish::snapshot::ROOT;
use crate::engine::views::current::counts;
use crate::fair::engine::{SchedulerSnapshot, Shared};
use crate::id::ApplicationId;
use crate::preemption::Starvation;
use crate::resource::Resource;

/// A queue.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct QueueView {
    /// Full name, `root.a.b`.
    pub name: String,
    /// It holds applications, not queues.
    pub leaf: bool,
    /// Not named by the allocation file.
    pub dynamic: bool,
    /// `fair`, `FIFO`, `DRF`, or a policy of the embedder's.
    pub policy: String,
    /// Weight.
    pub weight: f32,
    /// Instantaneous fair share, as of the last update.
    pub fair_share: Resource,
    /// Steady fair share.
    pub steady_fair_share: Resource,
    /// What its containers use now. One that has ended counts no more, though its node may not have said so: its room there is taken
    /// until then ([`NodeView::free`](crate::view::NodeView::free)).
    pub usage: Resource,
    /// As of the last update, capped by the max share.
    pub demand: Resource,
    /// Min share.
    pub min_share: Resource,
    /// Effective max share: raised to the min share; `i64::MAX` is no limit.
    pub max_share: Resource,
    /// Runnable applications here and below.
    pub runnable: u32,
    /// Applications that wait for a running limit; of a leaf.
    pub non_runnable: u32,
    /// Waiting ones, and runnable ones that never had a container; of a leaf.
    pub pending: u32,
    /// What AMs use; of a leaf.
    pub am_usage: Resource,
    /// Runnable applications that it may have.
    pub max_running_apps: u32,
    /// The most that one container may have here.
    pub max_allocation: Resource,
    /// Its place among its parent's queues, which stand in the order of their creation.
    pub place: u32,
    /// Containers may be preempted here (`allowPreemptionFrom`).
    pub preemptable: bool,
    /// Containers that were preempted here and below since the queue was made: Hadoop's `AggregateContainersPreempted`.
    pub preempted: u64,
    /// When it last had its min share, in ms of the scheduler's clock: of a leaf, as of the last update that looked for starved applications;
    /// until then when the queue was made.
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
    /// As of the last update.
    pub demand: Resource,
    /// What its AM asks for and has not got, now.
    pub outstanding: Resource,
    /// False while it waits for a running limit.
    pub runnable: bool,
    /// Nodes reserved for it.
    pub reserved_nodes: u32,
    /// What it is short of for longer than its queue's timeouts allow: of its fair share up to the threshold, and what it was
    /// handed out of its queue's min-share starvation. As of the last update that looked: none does where preemption is off,
    /// or while the cluster is used less than `yarn.scheduler.fair.preemption.cluster-utilization-threshold`.
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
    /// Of these, on a node that was asked for (Hadoop's `AggregateNodeLocalContainersAllocated`).
    pub node_local: u64,
    /// Of these, on a rack that was asked for and on no such node (`AggregateRackLocalContainersAllocated`).
    pub rack_local: u64,
    /// Containers ended since the start.
    pub completed: u64,
    /// Of these, containers that were preempted.
    pub preempted: u64,
    /// Containers that live now.
    pub running: u64,
    /// Heartbeats worked off.
    pub heartbeats: u64,
    /// Offers made beside heartbeats: by the async allocation thread and by continuous scheduling.
    pub offers: u64,
    /// Grants refused for want of room under a limit that other workers had used up.
    pub refused: u64,
    /// Reservations made.
    pub reservations: u64,
    /// How often workers folded in what the others had done.
    pub folds: u64,
    /// The sum of all nodes.
    pub cluster: Resource,
    /// What containers use.
    pub allocated: Resource,
    /// Root's demand as of the last update.
    pub demand: Resource,
    /// The newest snapshot's version.
    pub snapshot_version: u64,
    /// How long ago shares were last computed, in ms of the scheduler's clock.
    pub snapshot_age_ms: u64,
    /// How often shares were computed since the start.
    pub updates: u64,
    /// How long that took in all, in ms of the scheduler's clock.
    pub update_total_ms: u64,
    /// The longest of them.
    pub update_longest_ms: u64,
}

impl Stats {
    /// What is asked for beyond what is allocated, as the scheduler sees it since the last update.
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
    out.sort_by(|a, b| a.name.cmp(&b.name));
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
        completed: counts.completed,
        preempted: root.shared.preempted(),
        running: counts.granted.saturating_sub(counts.completed),
        heartbeats: counts.heartbeats,
        offers: counts.offers,
        refused: counts.refused,
        reservations: counts.reservations,
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

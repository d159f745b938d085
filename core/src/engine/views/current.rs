//! Read-only views: queues, applications, nodes, counters, as of now.
//!
//! Read from the newest snapshot and the ledger by any thread; no lock is taken that a worker takes.

use crate::engine::books::ledger::{AppShared, NodeShared};
use crate::engine::decider::Decider;
use crate::engine::publish::snapshot::{ROOT, SchedulerSnapshot};
use crate::engine::shared::Shared;
use crate::id::{ApplicationId, NodeId};
use crate::preemption::Starvation;
use crate::resource::Resource;
use crate::sync::atomic::Ordering;

/// A queue.
#[derive(Clone, Debug, PartialEq)]
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
    /// What its containers use now.
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
    /// Containers that were preempted here and below since the queue was made: Hadoop's `AggregateContainersPreempted`.
    pub preempted: u64,
}

/// An application.
#[derive(Clone, Debug, PartialEq)]
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

/// A node.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct NodeView {
    /// Its number.
    pub id: NodeId,
    /// Its name.
    pub name: String,
    /// Its rack.
    pub rack: String,
    /// What it has.
    pub total: Resource,
    /// What is free; negative after a shrink below what runs.
    pub free: Resource,
}

/// Counters and totals.
#[derive(Clone, Debug, Default, PartialEq)]
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
    let mut out: Vec<_> = structure
        .queues
        .iter()
        .flatten()
        .map(|queue| {
            let share = snapshot.shares.queue(queue.slot);
            let waiting = u32::try_from(queue.waiting.len()).unwrap_or(u32::MAX);
            let fresh = queue.runnable.iter().filter(|app| !app.ever_had()).count();
            QueueView {
                name: queue.name.to_string(),
                leaf: queue.leaf,
                dynamic: queue.dynamic,
                policy: queue.policy.name().to_owned(),
                weight: queue.weight,
                fair_share: share.fair_share,
                steady_fair_share: queue.steady_fair_share,
                usage: queue.shared.usage(),
                demand: share.demand,
                min_share: queue.min_share,
                max_share: queue.max_share,
                runnable: runnable[queue.slot.ix()],
                non_runnable: waiting,
                pending: waiting + u32::try_from(fresh).unwrap_or(u32::MAX),
                am_usage: queue.shared.am_usage.read(),
                max_running_apps: queue.max_running_apps,
                preempted: queue.shared.preempted(),
            }
        })
        .collect();
    out.sort_by(|a, b| a.name.cmp(&b.name));
    out
}

/// One application.
pub(crate) fn app(snapshot: &SchedulerSnapshot, app: &AppShared) -> AppView {
    let share = snapshot.shares.app(app.slot);
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
        starvation: snapshot.shares.starvation.get(&app.slot).map_or(Resource::ZERO, Starvation::total),
        preempted: app.preempted(),
    }
}

/// One node.
pub(crate) fn node(node: &NodeShared) -> NodeView {
    NodeView {
        id: node.id,
        name: node.name.to_string(),
        rack: node.rack.to_string(),
        total: node.total.read(),
        free: node.free.read(),
    }
}

/// Counters and totals.
pub(crate) fn stats<D: Decider>(shared: &Shared<D>) -> Stats {
    let snapshot = shared.publisher.load();
    let mut stats = Stats {
        cluster: snapshot.structure.cluster.total,
        allocated: snapshot.structure.queue(ROOT).shared.usage(),
        preempted: snapshot.structure.queue(ROOT).shared.preempted(),
        demand: snapshot.shares.queue(snapshot.structure.queue(ROOT).slot).demand,
        snapshot_version: snapshot.version,
        snapshot_age_ms: shared.clock.now_ms().saturating_sub(snapshot.shares.at_ms),
        ..Stats::default()
    };
    for counters in &shared.counters {
        // ORDERING: Relaxed. Statistics.
        stats.granted += counters.granted.load(Ordering::Relaxed);
        stats.node_local += counters.node_local.load(Ordering::Relaxed);
        stats.rack_local += counters.rack_local.load(Ordering::Relaxed);
        stats.completed += counters.ended.load(Ordering::Relaxed);
        stats.heartbeats += counters.heartbeats.load(Ordering::Relaxed);
        stats.offers += counters.offers.load(Ordering::Relaxed);
        stats.refused += counters.refused.load(Ordering::Relaxed);
        stats.reservations += counters.reserved.load(Ordering::Relaxed);
        stats.folds += counters.folds.load(Ordering::Relaxed);
    }
    stats.running = stats.granted.saturating_sub(stats.completed);
    stats
}

//! What the load asks a scheduler about, whichever of the two it is.

use crate::api::{AppView, CapacityAppPartitionView, CapacityAppView, CapacityStats, Resource, Stats};

/// An application.
#[derive(Clone, Debug)]
pub(crate) struct AppFigures {
    pub(crate) number: u32,
    pub(crate) queue: String,
    pub(crate) usage: Resource,
    /// What is asked for and not granted, now.
    pub(crate) outstanding: Resource,
    /// The same by node label, those of no label first; empty where it never wanted or used a label's nodes.
    pub(crate) outstanding_by_label: Vec<(String, Resource)>,
    /// What it uses and asks for, as the scheduler last worked it out.
    pub(crate) demand: Resource,
    /// Nothing where shares are not a matter of applications.
    pub(crate) fair_share: Resource,
    pub(crate) starvation: Resource,
}

impl From<AppView> for AppFigures {
    fn from(view: AppView) -> AppFigures {
        AppFigures {
            number: view.id.number,
            queue: view.queue,
            usage: view.usage,
            outstanding: view.outstanding,
            outstanding_by_label: Vec::new(),
            demand: view.demand,
            fair_share: view.fair_share,
            starvation: view.starvation,
        }
    }
}

impl From<CapacityAppView> for AppFigures {
    fn from(view: CapacityAppView) -> AppFigures {
        // Of all nodes, whatever their labels.
        let sum = |of: fn(&CapacityAppPartitionView) -> &Resource| {
            view.partitions.iter().fold(Resource::ZERO, |sum, part| sum.plus(of(part)))
        };
        let usage = view.used.plus(&sum(|part| &part.used));
        let outstanding = view.pending.plus(&sum(|part| &part.pending));
        let by_label = view.partitions.iter().map(|part| (part.label.clone(), part.pending));
        let outstanding_by_label = match by_label.len() {
            0 => Vec::new(),
            _ => std::iter::once((String::new(), view.pending)).chain(by_label).collect(),
        };
        AppFigures {
            number: view.number,
            queue: view.queue,
            usage,
            outstanding,
            outstanding_by_label,
            demand: usage.plus(&outstanding),
            fair_share: Resource::ZERO,
            starvation: Resource::ZERO,
        }
    }
}

/// Sums over the whole scheduler.
#[derive(Clone, Debug, Default)]
pub(crate) struct Totals {
    pub(crate) granted: u64,
    pub(crate) node_local: u64,
    pub(crate) completed: u64,
    pub(crate) running: u64,
    pub(crate) heartbeats: u64,
    /// Offers beside heartbeats. The workload tests alone look at it.
    #[cfg_attr(not(test), expect(dead_code, reason = "see above"))]
    pub(crate) offers: u64,
    /// Of all nodes.
    pub(crate) cluster: Resource,
    /// By containers.
    pub(crate) allocated: Resource,
    /// How old the shares are; 0 where there are none.
    pub(crate) snapshot_age_ms: u64,
}

impl From<Stats> for Totals {
    fn from(stats: Stats) -> Totals {
        Totals {
            granted: stats.granted,
            node_local: stats.node_local,
            completed: stats.completed,
            running: stats.running,
            heartbeats: stats.heartbeats,
            offers: stats.offers,
            cluster: stats.cluster,
            allocated: stats.allocated,
            snapshot_age_ms: stats.snapshot_age_ms,
        }
    }
}

impl From<CapacityStats> for Totals {
    fn from(stats: CapacityStats) -> Totals {
        let CapacityStats { granted, node_local, completed, running, heartbeats, offers, cluster, allocated, .. } =
            stats;
        Totals { granted, node_local, completed, running, heartbeats, offers, cluster, allocated, snapshot_age_ms: 0 }
    }
}

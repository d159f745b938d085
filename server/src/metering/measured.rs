//! What is measured, at one moment.

use evenweave::Resource;

use crate::manager::ResourceManager;
use crate::records::{Ends, NodeState};
use crate::scheduler::{Counts, Kind};

/// What a queue of a FairScheduler has besides.
#[derive(Clone, Debug)]
pub(super) struct Shares {
    pub(super) fair: Resource,
    pub(super) steady: Resource,
    pub(super) least: Resource,
    pub(super) most: Resource,
    pub(super) max_apps: u32,
    pub(super) am_limit: Resource,
    pub(super) am_used: Resource,
    pub(super) policy: String,
}

/// A queue.
#[derive(Clone, Debug)]
pub(super) struct Queue {
    pub(super) path: String,
    pub(super) used: Resource,
    pub(super) pending: Resource,
    pub(super) running_apps: i64,
    pub(super) pending_apps: i64,
    pub(super) shares: Option<Shares>,
    /// What is guaranteed by a CapacityScheduler, and the most that may be used.
    pub(super) capacity: Option<(Resource, Resource)>,
}

/// See the module's text.
#[derive(Debug)]
pub(super) struct Measured {
    pub(super) kind: Kind,
    pub(super) cluster: Resource,
    pub(super) used: Resource,
    pub(super) counts: Counts,
    pub(super) ends: Ends,
    /// By state.
    pub(super) nodes: [(NodeState, i64); 4],
    pub(super) queues: Vec<Queue>,
    pub(super) host: String,
}

impl Measured {
    pub(super) fn of(manager: &ResourceManager) -> Measured {
        let scheduler = manager.scheduler();
        let fair = scheduler.fair_queues().into_iter().map(|queue| {
            let (am_limit, queue) = (queue.am_limit, queue.view);
            Queue {
                path: queue.name,
                used: queue.usage,
                pending: queue.demand.minus(&queue.usage),
                running_apps: i64::from(queue.runnable) + i64::from(queue.non_runnable) - i64::from(queue.pending),
                pending_apps: queue.pending.into(),
                shares: Some(Shares {
                    fair: queue.fair_share,
                    steady: queue.steady_fair_share,
                    least: queue.min_share,
                    most: queue.max_share,
                    max_apps: queue.max_running_apps,
                    am_limit,
                    am_used: queue.am_usage,
                    policy: queue.policy,
                }),
                capacity: None,
            }
        });
        let capacities = scheduler.capacity_queues().into_iter().map(|queue| {
            let waiting = queue.leaf.as_ref().map_or(0, |leaf| i64::try_from(leaf.pending_applications).unwrap_or(0));
            Queue {
                path: queue.name,
                used: queue.used,
                pending: queue.pending,
                running_apps: queue.applications - waiting,
                pending_apps: waiting,
                shares: None,
                capacity: Some((queue.guaranteed, queue.maximum)),
            }
        });
        let queues: Vec<Queue> = fair.chain(capacities).collect();
        let used = queues.iter().find(|queue| queue.path == "root").map_or(Resource::ZERO, |root| root.used);
        let records = manager.records();
        let all = [NodeState::Running, NodeState::Decommissioning, NodeState::Decommissioned, NodeState::Lost];
        let count = |state| (state, records.nodes().iter().map(|node| i64::from(node.state == state)).sum());
        Measured {
            kind: scheduler.basics().kind,
            cluster: scheduler.cluster(),
            used,
            counts: scheduler.counts(),
            ends: records.ends(),
            nodes: all.map(count),
            queues,
            host: manager.cluster().web_address.split(':').next().unwrap_or_default().to_owned(),
        }
    }
}

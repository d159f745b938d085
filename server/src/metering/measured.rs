//! What is measured, at one moment.

use std::collections::HashMap;

use evenweave::Resource;
use evenweave::view::{CapacityQueueView, CapacityUserView};

use super::tallies::{OfApps, Tallies, Tally};
use crate::manager::ResourceManager;
use crate::records::{Ends, NodeState, OnLabel};
use crate::rest::partitions::{LabelledNodes, QueuePart, size_of};
use crate::scheduler::{Basics, Counts, Kind};

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
    /// Containers that were preempted there and below.
    pub(super) preempted: u64,
}

/// What a queue of a CapacityScheduler has besides. Fractions are of its parent and of the cluster.
#[derive(Clone, Debug)]
pub(super) struct Capacities {
    pub(super) guaranteed: Resource,
    pub(super) most: Resource,
    pub(super) guaranteed_part: (f32, f32),
    pub(super) most_part: (f32, f32),
    /// Of what is guaranteed to it, and of the cluster.
    pub(super) used_part: (f32, f32),
    /// With reservations.
    pub(super) used: Resource,
    pub(super) am_limit: Resource,
    pub(super) am_used: Resource,
    /// Of a leaf queue, by name.
    pub(super) users: HashMap<String, CapacityUserView>,
}

impl Capacities {
    fn of(queue: CapacityQueueView) -> Capacities {
        let (am_limit, am_used, users) =
            queue.leaf.map_or_else(Default::default, |leaf| (leaf.am_limit, leaf.am_used, leaf.users));
        let users = users.into_iter().map(|view| (view.user.clone(), view)).collect();
        Capacities {
            guaranteed: queue.guaranteed,
            most: queue.maximum,
            guaranteed_part: (queue.capacity, queue.absolute_capacity),
            most_part: (queue.maximum_capacity, queue.absolute_maximum_capacity),
            used_part: (queue.used_capacity, queue.absolute_used_capacity),
            used: queue.used,
            am_limit,
            am_used,
            users,
        }
    }
}

/// What a queue of a CapacityScheduler has on the nodes of a label.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) label: String,
    pub(super) guaranteed: Resource,
    pub(super) most: Resource,
    /// With reservations.
    pub(super) used: Resource,
    pub(super) pending: Resource,
    /// Since the start; `None` where that is not counted.
    pub(super) counted: Option<OnLabel>,
}

impl Part {
    /// Of the labels of which something is known in the queue.
    fn all(of: &CapacityQueueView) -> Vec<Part> {
        let labelled = QueuePart::all(of).filter(|part| !part.label.is_empty());
        let known = labelled.filter(|part| part.has_fractions || part.has_amounts);
        let part = |of: QueuePart<'_>| Part {
            label: of.label.to_owned(),
            guaranteed: of.guaranteed,
            most: of.maximum,
            used: of.used,
            pending: of.pending,
            counted: None,
        };
        known.map(part).collect()
    }
}

/// A queue.
#[derive(Clone, Debug)]
pub(super) struct Queue {
    pub(super) path: String,
    pub(super) used: Resource,
    pub(super) pending: Resource,
    /// What Hadoop's metrics count of it.
    pub(super) tally: Tally,
    /// Users with applications here or below that have not ended.
    pub(super) users: usize,
    pub(super) shares: Option<Shares>,
    pub(super) capacities: Option<Capacities>,
    /// On the nodes with a label.
    pub(super) parts: Vec<Part>,
}

/// What a user has in a queue and in those below it.
#[derive(Clone, Debug)]
pub(super) struct OfUser {
    pub(super) user: String,
    /// Its place among the queues.
    pub(super) queue: usize,
    pub(super) tally: Tally,
}

impl OfUser {
    /// Some application of his has not ended.
    pub(super) fn is_there(&self) -> bool {
        self.tally.attempts.running + self.tally.attempts.pending > 0
    }
}

/// See the module's text.
#[derive(Debug)]
pub(super) struct Measured {
    pub(super) basics: Basics,
    pub(super) cluster: Resource,
    /// The nodes without a label.
    pub(super) unlabelled: Resource,
    pub(super) used: Resource,
    pub(super) counts: Counts,
    pub(super) ends: Ends,
    /// By state.
    pub(super) nodes: [(NodeState, i64); 4],
    pub(super) queues: Vec<Queue>,
    /// By queue and user.
    pub(super) users: Vec<OfUser>,
    pub(super) host: String,
    /// Running applications are counted by so many minutes.
    pub(super) buckets: Vec<u32>,
}

impl Measured {
    /// Without what workers are asked for besides reservations.
    pub(super) fn of(manager: &ResourceManager) -> Measured {
        let scheduler = manager.scheduler();
        Measured::with(manager, &OfApps::reserved(scheduler, &LabelledNodes::of(scheduler)))
    }

    /// With all that workers are asked for: containers and asks.
    pub(super) fn all_of(manager: &ResourceManager) -> Measured {
        let scheduler = manager.scheduler();
        Measured::with(manager, &OfApps::all(scheduler, &LabelledNodes::of(scheduler)))
    }

    pub(super) fn is_fair(&self) -> bool {
        self.basics.kind == Kind::Fair
    }

    fn with(manager: &ResourceManager, parts: &OfApps) -> Measured {
        let scheduler = manager.scheduler();
        let (counts, cluster, apps) = (scheduler.counts(), scheduler.cluster(), manager.figures());
        let (mut queues, used) = queues(manager);
        let records = manager.records();
        let mut tallies = Tallies::of(manager, &records, &apps, parts);
        for queue in &mut queues {
            queue.tally = tallies.take_queue(&queue.path, &records);
            for part in &mut queue.parts {
                part.counted = records.counters().on_label(&queue.path, &part.label);
            }
        }
        let all = [NodeState::Running, NodeState::Decommissioning, NodeState::Decommissioned, NodeState::Lost];
        let count = |state| (state, records.nodes().iter().map(|node| i64::from(node.state == state)).sum());
        let (nodes, ends) = (all.map(count), records.ends());
        drop(records);
        let index: HashMap<String, usize> =
            (0..).zip(&queues).map(|(index, queue)| (queue.path.clone(), index)).collect();
        let mut users = Vec::new();
        for ((queue, user), tally) in tallies.users {
            let Some(queue) = index.get(&queue).copied() else { continue };
            let of = OfUser { user, queue, tally };
            queues[queue].users += usize::from(of.is_there());
            users.push(of);
        }
        Measured {
            basics: scheduler.basics().clone(),
            cluster,
            unlabelled: size_of(scheduler, ""),
            used,
            counts,
            ends,
            nodes,
            queues,
            users,
            host: manager.cluster().web_address.split(':').next().unwrap_or_default().to_owned(),
            buckets: manager.cluster().runtime_buckets.clone(),
        }
    }
}

/// As the scheduler shows them; nothing is counted of them yet. And what is used, whatever the labels of the nodes.
fn queues(manager: &ResourceManager) -> (Vec<Queue>, Resource) {
    let scheduler = manager.scheduler();
    let fair = scheduler.fair_queues().into_iter().map(|queue| {
        let (am_limit, queue) = (queue.am_limit, queue.view);
        Queue {
            path: queue.name,
            used: queue.usage,
            pending: queue.demand.minus(&queue.usage),
            tally: Tally::default(),
            users: 0,
            shares: Some(Shares {
                fair: queue.fair_share,
                steady: queue.steady_fair_share,
                least: queue.min_share,
                most: queue.max_share,
                max_apps: queue.max_running_apps,
                am_limit,
                am_used: queue.am_usage,
                policy: queue.policy,
                preempted: queue.preempted,
            }),
            capacities: None,
            parts: Vec::new(),
        }
    });
    let capacities = scheduler.capacity_queues();
    let root = capacities.iter().find(|queue| queue.name == "root");
    let on_labels = root.map_or(Resource::ZERO, |root| root.partitions.iter().map(|part| part.used).sum());
    let capacities = capacities.into_iter().map(|queue| Queue {
        path: queue.name.clone(),
        used: queue.used,
        pending: queue.pending,
        tally: Tally::default(),
        users: 0,
        shares: None,
        parts: if scheduler.basics().labels { Part::all(&queue) } else { Vec::new() },
        capacities: Some(Capacities::of(queue)),
    });
    let queues: Vec<Queue> = fair.chain(capacities).collect();
    let used = queues.iter().find(|queue| queue.path == "root").map_or(Resource::ZERO, |root| root.used);
    (queues, used.plus(&on_labels))
}

//! What is measured, at one moment.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use evenweave::Resource;

use crate::manager::ResourceManager;
use crate::records::{Ends, NodeState, Records};
use crate::scheduler::{AppFigures, Counts, Kind};

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
    /// What is reserved for applications here and below.
    pub(super) reserved: Resource,
    pub(super) reserved_containers: i64,
    /// Users with applications here or below that have not ended.
    pub(super) active_users: usize,
    pub(super) shares: Option<Shares>,
    /// What is guaranteed by a CapacityScheduler, and the most that may be used.
    pub(super) capacity: Option<(Resource, Resource)>,
}

/// What a user has in a queue and in those below it.
#[derive(Clone, Debug)]
pub(super) struct OfUser {
    pub(super) user: String,
    pub(super) queue: String,
    pub(super) used: Resource,
    pub(super) running_apps: i64,
    pub(super) pending_apps: i64,
}

/// The full names of a queue and of all above it.
fn upwards(name: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(name), |name| name.rsplit_once('.').map(|(above, _)| above))
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
    /// By queue and user.
    pub(super) users: Vec<OfUser>,
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
                reserved: Resource::ZERO,
                reserved_containers: 0,
                active_users: 0,
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
                reserved: Resource::ZERO,
                reserved_containers: 0,
                active_users: 0,
                shares: None,
                capacity: Some((queue.guaranteed, queue.maximum)),
            }
        });
        let mut queues: Vec<Queue> = fair.chain(capacities).collect();
        let apps = manager.figures();
        let index: HashMap<String, usize> =
            (0..).zip(&queues).map(|(index, queue)| (queue.path.clone(), index)).collect();
        for reservation in scheduler.reservations() {
            let queue = apps.get(&reservation.app).map_or("root", |app| app.queue.as_str());
            for at in upwards(queue).filter_map(|name| index.get(name)) {
                queues[*at].reserved = queues[*at].reserved.plus(&reservation.resource);
                queues[*at].reserved_containers += 1;
            }
        }
        let used = queues.iter().find(|queue| queue.path == "root").map_or(Resource::ZERO, |root| root.used);
        let records = manager.records();
        let users = users(&records, &apps);
        for queue in &mut queues {
            queue.active_users =
                users.iter().filter(|of| of.queue == queue.path).map(|of| &of.user).collect::<BTreeSet<_>>().len();
        }
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
            users,
            host: manager.cluster().web_address.split(':').next().unwrap_or_default().to_owned(),
        }
    }
}

/// What users have, by queue.
fn users(records: &Records, apps: &HashMap<u32, AppFigures>) -> Vec<OfUser> {
    let mut users: BTreeMap<(&str, &str), OfUser> = BTreeMap::new();
    for (number, figures) in apps {
        let Some(record) = records.app(*number) else { continue };
        let had = record.attempt.as_ref().is_some_and(|attempt| attempt.had_container);
        for queue in upwards(&figures.queue) {
            let of = users.entry((queue, &record.user)).or_insert_with(|| OfUser {
                user: record.user.clone(),
                queue: queue.to_owned(),
                used: Resource::ZERO,
                running_apps: 0,
                pending_apps: 0,
            });
            of.used = of.used.plus(&figures.used);
            *(if had { &mut of.running_apps } else { &mut of.pending_apps }) += 1;
        }
    }
    users.into_values().collect()
}

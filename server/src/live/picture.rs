//! How things stand at one moment, as a page shows it: nodes, queues, and the whole.
//!
//! Plain data. Nodes and queues stand in lists; names are shared with the picture before, so that a new one copies none
//! of them.

use std::collections::HashMap;
use std::sync::Arc;

use evenweave::Resource;
use evenweave::view::{CapacityQueueView, NodeView};
use serde::Serialize;

use crate::latency::{Latencies, Quantiles, Timed};
use crate::manager::ResourceManager;
use crate::records::{AppState, Ends, NodeRecord, NodeState};
use crate::rest::nodes::labels;
use crate::rest::partitions::QueuePart;
use crate::scheduler::{FairQueue, Kind, Scheduler};

/// Memory in MiB, and vcores.
pub(super) type Pair = [i64; 2];

fn pair(of: &Resource) -> Pair {
    [of.memory_mb(), of.vcores()]
}

/// A node. One that is not there any more has nothing used, and no worker.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    pub(super) name: Arc<str>,
    pub(super) rack: Arc<str>,
    pub(super) state: NodeState,
    pub(super) used: Pair,
    pub(super) total: Pair,
    pub(super) worker: Option<usize>,
}

/// Where node labels are on: the partitions, and the place of each node's among them.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct Partitions {
    /// Label and whether it is exclusive, the default partition first, which has no label.
    pub(super) partitions: Vec<(String, bool)>,
    pub(super) of_nodes: Vec<usize>,
}

/// A queue. `steady` is a FairScheduler's alone, `capacity` a CapacityScheduler's.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Queue {
    pub(super) path: String,
    pub(super) leaf: bool,
    pub(super) policy: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) steady: Option<Pair>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) capacity: Option<Pair>,
    pub(super) fair: Pair,
    pub(super) used: Pair,
    pub(super) demand: Pair,
    pub(super) pending: Pair,
    pub(super) maximum: Pair,
    pub(super) apps: u64,
    pub(super) apps_pending: Option<u64>,
}

#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Apps {
    accepted: u64,
    running: u64,
    submitted: u64,
    completed: u64,
    failed: u64,
    killed: u64,
}

#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Totals {
    nodes: usize,
    total: Pair,
    used: Pair,
    containers: u64,
    granted: u64,
    completed: u64,
    heartbeats: u64,
    snapshot_age_ms: u64,
    apps: Apps,
}

/// 50 and 99 of a hundred, in µs, of the time since the picture before.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Waits {
    allocate: Option<Pair>,
    heartbeat: Option<Pair>,
    grant: Option<Pair>,
}

impl Waits {
    /// O(buckets): a few thousand.
    fn take(of: &Latencies) -> Waits {
        let whole = |us: u64| i64::try_from(us).unwrap_or(i64::MAX);
        let shown = |timed: &Timed| timed.take_lately().map(|Quantiles { p50, p99 }| [whole(p50), whole(p99)]);
        Waits { allocate: shown(&of.allocate), heartbeat: shown(&of.handling), grant: shown(&of.grant) }
    }
}

/// What is told of the whole, each time.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Whole {
    /// Of the first picture its time, so that it is none of an earlier server's. The next one has the next number.
    pub(super) version: u64,
    pub(super) now_ms: u64,
    pub(super) cluster_timestamp: u64,
    pub(super) scheduler: &'static str,
    pub(super) totals: Totals,
    pub(super) allocations_per_second: f64,
    pub(super) last_event: u64,
    pub(super) latencies_us: Waits,
}

/// From when on containers are counted, and how many had been granted then.
#[derive(Clone, Copy, Debug)]
pub(super) struct Since {
    pub(super) at_ms: u64,
    pub(super) granted: u64,
}

/// See the module's text.
#[derive(Clone, Debug, Default)]
pub(super) struct Picture {
    pub(super) whole: Whole,
    pub(super) nodes: Vec<Node>,
    pub(super) queues: Vec<Queue>,
    pub(super) labels: Option<Partitions>,
}

impl Picture {
    /// As things stand, after `before`, or else after the `start`. Latencies are those since that was taken.
    pub(super) fn take(manager: &ResourceManager, before: Option<&Picture>, start: Since, last_event: u64) -> Picture {
        let (scheduler, now_ms) = (manager.scheduler(), manager.now_ms());
        let counts = scheduler.counts();
        let present = scheduler.nodes();
        let parted = parted(manager);
        let (nodes, apps) = nodes_and_apps(manager, &present, before.map_or(&[], |before| &before.nodes));
        let labels = parted.map(|parted| parted.of(&nodes));
        let used = nodes.iter().fold([0, 0], |[mib, vcores], node| [mib + node.used[0], vcores + node.used[1]]);
        let whole = Whole {
            version: before.map_or(now_ms, |before| before.whole.version + 1),
            now_ms,
            cluster_timestamp: manager.cluster().timestamp,
            scheduler: match scheduler.basics().kind {
                Kind::Fair => "fair",
                Kind::Capacity => "capacity",
            },
            totals: Totals {
                nodes: present.len(),
                total: pair(&scheduler.cluster()),
                used,
                containers: counts.running,
                granted: counts.granted,
                completed: counts.completed,
                heartbeats: counts.heartbeats,
                snapshot_age_ms: counts.snapshot_age_ms,
                apps,
            },
            allocations_per_second: rate(before.map_or(start, Picture::since), counts.granted, now_ms),
            last_event,
            latencies_us: Waits::take(manager.latencies()),
        };
        Picture { whole, nodes, queues: queues(scheduler), labels }
    }

    fn since(&self) -> Since {
        Since { at_ms: self.whole.now_ms, granted: self.whole.totals.granted }
    }

    /// Whether the same nodes and queues stand in the same places. A node with another label stands elsewhere.
    pub(super) fn is_laid_out_as(&self, other: &Picture) -> bool {
        let (nodes, queues) = (self.nodes.iter().zip(&other.nodes), self.queues.iter().zip(&other.queues));
        self.labels == other.labels
            && self.nodes.len() == other.nodes.len()
            && self.queues.len() == other.queues.len()
            && nodes.into_iter().all(|(one, other)| one.name == other.name && one.rack == other.rack)
            && queues.into_iter().all(|(one, other)| one.path == other.path)
    }
}

/// A second, to a tenth.
#[expect(clippy::cast_precision_loss, reason = "it is shown to a tenth")]
fn rate(since: Since, granted: u64, now_ms: u64) -> f64 {
    let seconds = now_ms.saturating_sub(since.at_ms).max(1) as f64 / 1e3;
    (granted.saturating_sub(since.granted) as f64 / seconds * 10.0).round() / 10.0
}

/// The text that stood there before, where it is the same.
fn shared(text: &str, before: Option<&Arc<str>>) -> Arc<str> {
    before.filter(|before| &***before == text).map_or_else(|| text.into(), Arc::clone)
}

/// The partitions, and the place of that of each node that has a label, by the node's name. It is made before the
/// records are locked.
struct Parted {
    partitions: Vec<(String, bool)>,
    places: HashMap<String, usize>,
}

fn parted(manager: &ResourceManager) -> Option<Parted> {
    let labels = labels(manager, |_| true)?;
    let partitions: Vec<(String, bool)> =
        manager.scheduler().labels().into_iter().map(|label| (label.name, label.exclusive)).collect();
    let numbers: HashMap<&str, usize> = partitions.iter().zip(0..).map(|((name, _), at)| (name.as_str(), at)).collect();
    let place = |(id, label): (String, String)| {
        let (name, _) = id.rsplit_once(':')?;
        Some((name.to_owned(), *numbers.get(label.as_str())?))
    };
    let places = labels.into_iter().filter_map(place).collect();
    Some(Parted { partitions, places })
}

impl Parted {
    /// Of these nodes. One whose label has just gone is in the default partition.
    fn of(self, nodes: &[Node]) -> Partitions {
        let Parted { partitions, places } = self;
        Partitions {
            partitions,
            of_nodes: nodes.iter().map(|node| places.get(&*node.name).copied().unwrap_or(0)).collect(),
        }
    }
}

/// Whoever drives the scheduler waits for the records meanwhile, so nothing is written here.
fn nodes_and_apps(manager: &ResourceManager, present: &[NodeView], before: &[Node]) -> (Vec<Node>, Apps) {
    let by_name: HashMap<&str, &NodeView> = present.iter().map(|node| (node.name.as_str(), node)).collect();
    let records = manager.records();
    let node = |(index, record): (usize, &NodeRecord)| {
        let (there, before) = (by_name.get(record.name.as_str()), before.get(index));
        Node {
            name: shared(&record.name, before.map(|node| &node.name)),
            rack: shared(&record.rack, before.map(|node| &node.rack)),
            state: record.state,
            used: pair(&there.map_or(Resource::ZERO, |node| node.total.minus(&node.free))),
            total: pair(&there.map_or(record.total, |node| node.total)),
            worker: there.map(|node| node.worker),
        }
    };
    let nodes = records.nodes().iter().enumerate().map(node).collect();
    let (mut accepted, mut running) = (0, 0);
    for app in records.apps().filter(|app| !app.state.is_over()) {
        *(if app.state == AppState::Running { &mut running } else { &mut accepted }) += 1;
    }
    let Ends { submitted, completed, failed, killed, .. } = records.ends();
    (nodes, Apps { accepted, running, submitted, completed, failed, killed })
}

/// Of whichever scheduler it is, by name.
fn queues(scheduler: &dyn Scheduler) -> Vec<Queue> {
    let fair = scheduler.fair_queues().into_iter().map(|FairQueue { view, .. }| Queue {
        path: view.name,
        leaf: view.leaf,
        policy: view.policy,
        steady: Some(pair(&view.steady_fair_share)),
        capacity: None,
        fair: pair(&view.fair_share),
        used: pair(&view.usage),
        demand: pair(&view.demand),
        pending: pair(&view.demand.minus(&view.usage)),
        maximum: pair(&view.max_share),
        apps: u64::from(view.runnable) + u64::from(view.non_runnable),
        apps_pending: Some(view.pending.into()),
    });
    // On all nodes, whatever their labels.
    let on_all = |queue: &CapacityQueueView, of: fn(&QueuePart<'_>) -> Resource| {
        pair(&QueuePart::all(queue).map(|part| of(&part)).sum())
    };
    let capacities = scheduler.capacity_queues().into_iter().map(|queue| Queue {
        path: queue.name.clone(),
        leaf: queue.leaf.is_some(),
        policy: "capacity".into(),
        steady: None,
        capacity: Some(on_all(&queue, |part| part.guaranteed)),
        fair: on_all(&queue, |part| part.guaranteed),
        used: on_all(&queue, |part| part.used),
        demand: on_all(&queue, |part| part.used.plus(&part.pending)),
        pending: on_all(&queue, |part| part.pending),
        maximum: on_all(&queue, |part| part.maximum),
        apps: queue.applications.unsigned_abs(),
        apps_pending: queue.leaf.map(|leaf| leaf.pending_applications as u64),
    });
    fair.chain(capacities).collect()
}

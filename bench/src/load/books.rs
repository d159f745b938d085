//! The books: everything counted outside the core, held against what the core says.

use crate::api::{NodeId, Resource};
use crate::engine::Engine;
use crate::engine::Totals;
use crate::load::app::{CONTAINER, LoadApp};
use crate::load::node_labels::Partitions;

/// The driver's own counts.
#[derive(Debug)]
pub(crate) struct Books {
    /// Containers that `allocate` returned.
    pub(crate) received: u64,
    /// Containers that ended: tasks and ApplicationMasters.
    pub(crate) ended: u64,
    /// By node, in order of registration.
    pub(crate) on_node: Vec<u32>,
    /// By leaf queue.
    pub(crate) in_leaf: Vec<u64>,
    /// Containers that belong to nobody: nothing of their kind was asked for.
    pub(crate) unasked: u64,
    /// Containers that the scheduler ended by itself, and was not to.
    pub(crate) taken_back: u64,
    /// Whether containers are taken: some may go before their AM has seen them.
    pub(crate) preempting: bool,
    /// The same by node label, where there are labels.
    pub(crate) partitions: Option<Partitions>,
}

/// Where the two sides disagree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    /// What was compared.
    pub(crate) what: String,
    /// The scheduler's side.
    pub(crate) scheduler: String,
    /// The driver's side.
    pub(crate) driver: String,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: the scheduler says {}, counted outside it were {}", self.what, self.scheduler, self.driver)
    }
}

/// Most differences that are worth printing.
const SHOWN: usize = 20;

#[derive(Default)]
struct Found {
    list: Vec<Difference>,
    more: usize,
}

impl Found {
    fn compare<T: PartialEq + std::fmt::Display>(
        &mut self,
        what: impl FnOnce() -> String,
        scheduler: impl Into<T>,
        driver: impl Into<T>,
    ) {
        let (scheduler, driver) = (scheduler.into(), driver.into());
        if scheduler == driver {
            return;
        }
        if self.list.len() == SHOWN {
            self.more += 1;
        } else {
            self.list.push(Difference { what: what(), scheduler: scheduler.to_string(), driver: driver.to_string() });
        }
    }
}

/// A partition in words.
pub(crate) fn named(label: &str) -> String {
    if label.is_empty() { "no label".to_owned() } else { format!("label {label}") }
}

fn containers(count: u64) -> Resource {
    CONTAINER.times_int(i64::try_from(count).expect("far below 2^63 containers"))
}

impl Books {
    /// Empty books of a cluster.
    pub(crate) fn new(nodes: usize, leaves: usize) -> Books {
        let (on_node, in_leaf) = (vec![0; nodes], vec![0; leaves]);
        let (unasked, taken_back, preempting, partitions) = (0, 0, false, None);
        Books { received: 0, ended: 0, on_node, in_leaf, unasked, taken_back, preempting, partitions }
    }

    /// So many containers are in another leaf queue now.
    pub(crate) fn moved(&mut self, from: usize, to: usize, held: u32) {
        self.in_leaf[from] -= u64::from(held);
        self.in_leaf[to] += u64::from(held);
    }

    /// A container was received.
    pub(crate) fn got(&mut self, leaf: usize, node: usize) {
        self.received += 1;
        self.on_node[node] += 1;
        self.in_leaf[leaf] += 1;
        if let Some(partitions) = &mut self.partitions {
            partitions.received(leaf, node);
        }
    }

    /// One has ended.
    pub(crate) fn has_ended(&mut self, leaf: usize, node: usize) {
        self.ended += 1;
        self.on_node[node] -= 1;
        self.in_leaf[leaf] -= 1;
        if let Some(partitions) = &mut self.partitions {
            partitions.ended(leaf, node);
        }
    }

    /// A container has ended that the scheduler took.
    pub(crate) fn was_taken(&mut self, leaf: usize, node: NodeId) {
        self.has_ended(leaf, node.index());
    }

    /// Containers that run, by the driver's count.
    pub(crate) fn running(&self) -> u64 {
        self.received - self.ended
    }

    /// Compares everything; to be called when the scheduler is quiet, has just updated, and all grants were fetched.
    pub(crate) fn check<'a>(
        &self,
        engine: &dyn Engine,
        node_total: Resource,
        leaves: &[String],
        apps: impl Iterator<Item = &'a LoadApp>,
    ) -> (Totals, Vec<Difference>) {
        let mut found = Found::default();
        let stats = engine.stats();
        let unseen = if self.preempting { stats.completed.saturating_sub(self.ended) } else { 0 };
        found.compare::<u64>(|| "containers granted".into(), stats.granted, self.received + unseen);
        found.compare::<u64>(|| "containers ended".into(), stats.completed, self.ended + unseen);
        found.compare::<u64>(|| "containers running".into(), stats.running, self.running());
        found.compare::<Resource>(|| "allocated resource".into(), stats.allocated, containers(self.running()));
        found.compare::<u64>(|| "containers granted that nobody asked for".into(), 0_u64, self.unasked);
        found.compare::<u64>(|| "containers taken back by the scheduler".into(), 0_u64, self.taken_back);
        self.check_nodes(engine, node_total, &mut found);
        self.check_queues(engine, leaves, &mut found);
        self.check_partitions(engine, node_total, &mut found);
        check_apps(engine, apps, self.partitions.as_ref(), &mut found);
        for what in engine.audit() {
            found.compare::<String>(|| "records inside".into(), what, "nothing left over");
        }
        if found.more > 0 {
            let what = format!("{} more differences", found.more);
            found.list.push(Difference { what, scheduler: "…".into(), driver: "…".into() });
        }
        (stats, found.list)
    }

    fn check_nodes(&self, engine: &dyn Engine, node_total: Resource, found: &mut Found) {
        let nodes = engine.nodes();
        found.compare::<u64>(|| "nodes".into(), nodes.len() as u64, self.on_node.len() as u64);
        for (node, held) in nodes.iter().zip(&self.on_node) {
            let free = node_total.minus(&containers(u64::from(*held)));
            found.compare::<Resource>(|| format!("free room of node {}", node.name), node.free, free);
        }
    }

    /// What the nodes of each label have together, and what each queue uses of them.
    fn check_partitions(&self, engine: &dyn Engine, node_total: Resource, found: &mut Found) {
        let Some(partitions) = &self.partitions else { return };
        let (labels, queues) = (engine.labels(), engine.queues());
        for (partition, name) in partitions.names.iter().enumerate() {
            let there = labels.iter().find(|label| label.name == *name);
            let nodes = i64::try_from(partitions.nodes(partition)).expect("nodes are counted in 32 bits");
            let resource = there.map_or(Resource::ZERO, |label| label.resource);
            found.compare::<Resource>(|| format!("nodes of {}", named(name)), resource, node_total.times_int(nodes));
            for queue in &queues {
                let part = queue.partitions.iter().find(|part| part.label == *name);
                // One that never had to do with labels has no list.
                let otherwise = if name.is_empty() { queue.usage } else { Resource::ZERO };
                let held = partitions.held_below(&queue.name, partition);
                let what = || format!("usage of queue {} on nodes of {}", queue.name, named(name));
                found.compare::<Resource>(what, part.map_or(otherwise, |part| part.usage), CONTAINER.times_int(held));
            }
        }
    }

    fn check_queues(&self, engine: &dyn Engine, leaves: &[String], found: &mut Found) {
        for queue in engine.queues() {
            let under = |leaf: &str| {
                leaf.strip_prefix(queue.name.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            };
            let held: u64 = leaves.iter().zip(&self.in_leaf).filter(|(leaf, _)| under(leaf)).map(|(_, n)| n).sum();
            found.compare::<Resource>(|| format!("usage of queue {}", queue.name), queue.usage, containers(held));
        }
    }
}

fn check_apps<'a>(
    engine: &dyn Engine,
    apps: impl Iterator<Item = &'a LoadApp>,
    partitions: Option<&Partitions>,
    found: &mut Found,
) {
    let views = engine.apps();
    let mut ours: Vec<&LoadApp> = apps.collect();
    ours.sort_unstable_by_key(|app| app.handle.number());
    found.compare::<u64>(|| "applications".into(), views.len() as u64, ours.len() as u64);
    let mut at = views.iter().peekable();
    for app in ours {
        let number = app.handle.number();
        while at.next_if(|view| view.number < number).is_some() {}
        let Some(view) = at.next_if(|view| view.number == number) else {
            found.compare::<String>(|| format!("application {number}"), "unknown", "in flight");
            continue;
        };
        let held = containers(u64::from(app.held));
        found.compare::<Resource>(|| format!("usage of application {number}"), view.usage, held);
        let asked = containers(u64::from(app.asked()));
        found.compare::<Resource>(|| format!("outstanding asks of application {number}"), view.outstanding, asked);
        // An AM that is yet to come, of a job without a label, may be asked for by the site's label for AMs.
        if let Some(label) = partitions.and_then(|partitions| partitions.label_name(app.leaf))
            && (!label.is_empty() || app.has_master())
        {
            let of_label = view.outstanding_by_label.iter().find(|(of, _)| of == label);
            let there = match of_label {
                Some((_, outstanding)) => *outstanding,
                // It never had to do with labels.
                None if label.is_empty() => view.outstanding,
                None => Resource::ZERO,
            };
            let what = || format!("outstanding asks of application {number} for {}", named(label));
            found.compare::<Resource>(what, there, asked);
        }
    }
}

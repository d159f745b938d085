//! A stepped CapacityScheduler as the cases set it up, and short ways to ask it.

use evenweave::SchedulerApi as _;
use evenweave::view::{CapacityAppView, CapacityLeafView, CapacityQueueView, Journal};
use evenweave::{
    AllocateRequest, Allocation, AppHandle, Ask, CapacityConfiguration, CapacityScheduler, CapacityStepped, Container,
    Heartbeat, Location, NodeHandle, Refused, Resource, Submission,
};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Names and values of properties. A name without `yarn.` in front is one of the CapacityScheduler's.
pub(crate) type Pairs<'a> = &'a [(&'a str, &'a str)];

pub(crate) const DRC: (&str, &str) =
    ("resource-calculator", "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator");

const COMMON: Pairs<'static> = &[
    ("yarn.scheduler.maximum-allocation-mb", "16384"),
    ("yarn.scheduler.maximum-allocation-vcores", "32"),
    ("yarn.cluster.max-application-priority", "10"),
    ("per-node-heartbeat.multiple-assignments-enabled", "false"),
    ("maximum-am-resource-percent", "10000"),
];

pub(crate) const fn r(memory_mb: i64, vcores: i64) -> Resource {
    Resource::new(memory_mb, vcores)
}

/// So many times 1024 MB, and one vcore.
pub(crate) const fn gb(memory_gb: i64) -> Resource {
    r(memory_gb * 1024, 1)
}

/// So many containers of a size anywhere.
pub(crate) fn any(priority: i32, size: Resource, count: u32) -> Ask {
    Ask::anywhere(priority, size, count)
}

/// Site and queues, under full names; a later value counts.
pub(crate) fn in_full(pairs: &[Pairs<'_>]) -> (BTreeMap<String, String>, BTreeMap<String, String>) {
    let (mut site, mut queues) = (BTreeMap::new(), BTreeMap::new());
    for (name, value) in pairs.iter().copied().flatten() {
        if name.starts_with("yarn.") {
            site.insert((*name).to_owned(), (*value).to_owned());
        } else {
            queues.insert(format!("yarn.scheduler.capacity.{name}"), (*value).to_owned());
        }
    }
    (site, queues)
}

pub(crate) fn texts(of: &BTreeMap<String, String>) -> impl Iterator<Item = (&str, &str)> {
    of.iter().map(|(name, value)| (name.as_str(), value.as_str()))
}

/// A bare fraction, as near as a test looks at it.
pub(crate) fn near(is: f32, should_be: f32) -> bool {
    (is - should_be).abs() < 1e-6
}

pub(crate) struct Cluster {
    pub(crate) stepped: CapacityStepped,
    pub(crate) nodes: Vec<NodeHandle>,
    apps: u32,
    /// Containers of applications that no test has asked for yet.
    granted: HashMap<u32, Vec<Container>>,
}

impl Cluster {
    /// Nodes n1, n2 … of a rack each.
    pub(crate) fn new(pairs: Pairs<'_>, nodes: &[Resource]) -> Cluster {
        Cluster::start(pairs, nodes).unwrap()
    }

    /// The cluster, or what stands against it.
    pub(crate) fn start(pairs: Pairs<'_>, nodes: &[Resource]) -> Result<Cluster, String> {
        Cluster::with_groups(pairs, nodes, &[])
    }

    /// With users and their groups.
    pub(crate) fn with_groups(
        pairs: Pairs<'_>,
        nodes: &[Resource],
        groups: &[(&str, &[&str])],
    ) -> Result<Cluster, String> {
        let (site, queues) = in_full(&[COMMON, pairs]);
        let configuration = CapacityConfiguration::from_properties(texts(&site), texts(&queues));
        let configuration = configuration.map_err(|error| error.to_string())?;
        let groups: HashMap<String, Vec<String>> = groups
            .iter()
            .map(|(user, groups)| ((*user).to_owned(), groups.iter().map(|&group| group.to_owned()).collect()))
            .collect();
        let builder = CapacityScheduler::builder(configuration).groups(Arc::new(groups)).journal(true);
        let stepped = builder.stepped().map_err(|error| error.to_string())?;
        let mut cluster = Cluster { stepped, nodes: Vec::new(), apps: 0, granted: HashMap::new() };
        nodes.iter().for_each(|total| cluster.add_node(*total));
        Ok(cluster)
    }

    /// Other properties of the queues.
    pub(crate) fn refresh(&mut self, pairs: Pairs<'_>, more: Pairs<'_>) -> Result<(), Refused> {
        let (site, queues) = in_full(&[COMMON, pairs, more]);
        self.stepped.refresh_properties(texts(&queues).chain(texts(&site)))
    }

    // ------------------------------------------------------------------------------------------------ nodes

    pub(crate) fn add_node(&mut self, total: Resource) {
        let rack = format!("/r{}", self.nodes.len() + 1);
        self.add_node_in(&rack, total);
    }

    pub(crate) fn add_node_in(&mut self, rack: &str, total: Resource) {
        let name = format!("n{}", self.nodes.len() + 1);
        self.nodes.push(self.stepped.add_node(&name, rack, total).unwrap());
    }

    /// The `n`th node, from 1, has another total.
    pub(crate) fn resize(&mut self, n: usize, total: Resource) {
        self.stepped.resize_node(&self.nodes[n - 1], total).unwrap();
    }

    /// One heartbeat of the `n`th node, from 1: which applications got how many MB.
    pub(crate) fn hb(&mut self, n: usize) -> Vec<(u32, i64)> {
        let journal = self.journal_of(n);
        journal.allocated.iter().map(|made| (made.app, made.resource.memory_mb())).collect()
    }

    pub(crate) fn hbs(&mut self, n: usize, times: usize) {
        (0..times).for_each(|_| drop(self.hb(n)));
    }

    pub(crate) fn journal_of(&mut self, n: usize) -> Journal {
        self.stepped.heartbeat(Heartbeat::new(&self.nodes[n - 1]));
        self.stepped.take_journal()
    }

    /// Who holds which nodes, with how many MB.
    pub(crate) fn reserved(&mut self) -> Vec<(u32, String, i64)> {
        let held = self.stepped.take_journal().reserved;
        held.into_iter().map(|held| (held.app, held.node, held.resource.memory_mb())).collect()
    }

    /// What is free of the `n`th node.
    pub(crate) fn free(&mut self, n: usize) -> Resource {
        let name = self.nodes[n - 1].name().to_owned();
        let nodes = self.stepped.nodes();
        nodes.iter().find(|node| node.name == name).unwrap().free
    }

    // ------------------------------------------------------------------------------------------------ queues

    pub(crate) fn find(&mut self, name: &str) -> Option<CapacityQueueView> {
        self.stepped.queues_with_limits().into_iter().find(|queue| queue.name == name)
    }

    pub(crate) fn queue(&mut self, name: &str) -> CapacityQueueView {
        self.find(name).unwrap_or_else(|| panic!("there is no queue {name}"))
    }

    pub(crate) fn leaf(&mut self, name: &str) -> CapacityLeafView {
        self.queue(name).leaf.unwrap_or_else(|| panic!("{name} is no leaf queue"))
    }

    /// What queues use, in MB.
    pub(crate) fn used_by<const N: usize>(&mut self, names: [&str; N]) -> [i64; N] {
        names.map(|name| self.queue(name).used.memory_mb())
    }

    /// Active and pending applications of a leaf.
    pub(crate) fn counts(&mut self, name: &str) -> (usize, usize) {
        let leaf = self.leaf(name);
        (leaf.active_applications, leaf.pending_applications)
    }

    /// Absolute capacity and absolute maximum.
    pub(crate) fn absolute(&mut self, name: &str) -> (f32, f32) {
        let queue = self.queue(name);
        (queue.absolute_capacity, queue.absolute_maximum_capacity)
    }

    // ------------------------------------------------------------------------------------------------ applications

    /// An application whose AM has been there before, so that it has no container.
    pub(crate) fn submit(&mut self, queue: &str, user: &str) -> AppHandle {
        self.try_submit(queue, user).unwrap()
    }

    pub(crate) fn try_submit(&mut self, queue: &str, user: &str) -> Result<AppHandle, Refused> {
        self.submission(queue, user, None, 0)
    }

    pub(crate) fn submit_with_am(&mut self, queue: &str, user: &str, am: Resource) -> AppHandle {
        self.submission(queue, user, Some(am), 0).unwrap()
    }

    pub(crate) fn submission(
        &mut self,
        queue: &str,
        user: &str,
        am: Option<Resource>,
        priority: i32,
    ) -> Result<AppHandle, Refused> {
        self.apps += 1;
        // Later applications start later.
        self.stepped.advance(1);
        let submission = Submission::new(self.apps, user).in_queue(queue).maybe_with_am(am);
        self.stepped.submit_with_priority(submission, priority)
    }

    pub(crate) fn call(&mut self, app: &AppHandle, request: &AllocateRequest) -> Result<Allocation, Refused> {
        let mut answer = Allocation::default();
        self.stepped.allocate(app, request, &mut answer)?;
        self.granted.entry(app.number()).or_default().extend(answer.granted.iter().cloned());
        Ok(answer)
    }

    pub(crate) fn ask(&mut self, app: &AppHandle, asks: &[Ask]) {
        self.call(app, &AllocateRequest::new(asks.to_vec())).unwrap();
    }

    /// An application that asks for so many containers of a size anywhere.
    pub(crate) fn asking(&mut self, queue: &str, user: &str, size: Resource, count: u32) -> AppHandle {
        let app = self.submit(queue, user);
        self.ask(&app, &[any(1, size, count)]);
        app
    }

    /// One ask of a priority at places; `*` is anywhere.
    pub(crate) fn at(&self, priority: i32, size: Resource, places: &[(&str, u32)]) -> Vec<Ask> {
        let line = |(place, count): &(&str, u32)| {
            let location = if *place == "*" { Location::ANY } else { self.stepped.location(place) };
            any(priority, size, *count).at(location)
        };
        places.iter().map(line).collect()
    }

    /// The containers granted since this was last asked.
    pub(crate) fn granted(&mut self, app: &AppHandle) -> Vec<Container> {
        self.call(app, &AllocateRequest::default()).unwrap();
        self.granted.remove(&app.number()).unwrap_or_default()
    }

    /// The AM gives containers back.
    pub(crate) fn release(&mut self, app: &AppHandle, containers: &[Container]) {
        let ids: Vec<_> = containers.iter().map(|container| container.id).collect();
        self.call(app, &AllocateRequest::default().with_releases(ids)).unwrap();
    }

    pub(crate) fn headroom(&mut self, app: &AppHandle) -> i64 {
        self.call(app, &AllocateRequest::default()).unwrap().headroom.memory_mb()
    }

    pub(crate) fn app(&mut self, app: &AppHandle) -> CapacityAppView {
        self.stepped.app(app.number()).unwrap()
    }

    /// What applications use, in GB.
    pub(crate) fn live<const N: usize>(&mut self, apps: [&AppHandle; N]) -> [i64; N] {
        apps.map(|app| self.app(app).used.memory_mb() / 1024)
    }

    pub(crate) fn finish(&mut self, app: &AppHandle) {
        self.stepped.finish(app).unwrap();
    }
}

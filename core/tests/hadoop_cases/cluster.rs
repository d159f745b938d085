//! A stepped scheduler as the cases set it up, and short ways to ask it.

use evenweave::SchedulerApi as _;
use evenweave::view::{AppView, Journal, QueueView};
use evenweave::{
    AllocateRequest, Allocation, AllocationFile, AppHandle, Ask, ContainerId, FairScheduler, Heartbeat, Location,
    NodeHandle, Refused, Resource, Settings, Stepped, Submission,
};
use std::collections::HashMap;
use std::sync::Arc;

pub(crate) const DRF: &str = "<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>";

pub(crate) const fn r(memory_mb: i64, vcores: i64) -> Resource {
    Resource::new(memory_mb, vcores)
}

/// A queue element: a leaf unless `inside` has queues.
pub(crate) fn queue(name: &str, inside: &str) -> String {
    format!("<queue name='{name}'>{inside}</queue>")
}

/// A queue element that is a parent even without children.
pub(crate) fn parent(name: &str, inside: &str) -> String {
    format!("<queue name='{name}' type='parent'>{inside}</queue>")
}

/// A whole file of what stands inside it.
pub(crate) fn allocations(inside: &str) -> String {
    format!("<allocations>{inside}</allocations>")
}

/// The file, or what is wrong with it.
pub(crate) fn parse(inside: &str, settings: &Settings) -> Result<AllocationFile, String> {
    let parsed = AllocationFile::parse(&allocations(inside), "allocations", &settings.types, &[]);
    parsed.map(|parsed| parsed.file).map_err(|error| error.to_string())
}

pub(crate) struct Cluster {
    pub(crate) stepped: Stepped,
    pub(crate) nodes: Vec<NodeHandle>,
    apps: u32,
}

impl Cluster {
    /// `allocations` is what stands inside the element; nodes are given with their racks and named n1, n2 …
    pub(crate) fn new(allocations: &str, nodes: &[(&str, Resource)]) -> Cluster {
        Cluster::with(&[], allocations, nodes)
    }

    pub(crate) fn with(properties: &[(&str, &str)], allocations: &str, nodes: &[(&str, Resource)]) -> Cluster {
        let mut cluster = Cluster::of(properties, allocations, HashMap::new());
        nodes.iter().for_each(|(rack, total)| cluster.add_node(rack, *total));
        cluster
    }

    /// Without nodes, for placement: who is in which groups, the primary one first.
    pub(crate) fn placing(allocations: &str, groups: HashMap<String, Vec<String>>) -> Cluster {
        Cluster::of(&[], allocations, groups)
    }

    fn of(properties: &[(&str, &str)], allocations: &str, groups: HashMap<String, Vec<String>>) -> Cluster {
        let common = [
            ("yarn.scheduler.minimum-allocation-mb", "0"),
            ("yarn.scheduler.maximum-allocation-mb", "10240"),
            ("yarn.scheduler.reservation-threshold.increment-multiple", "0.09"),
        ];
        let settings = Settings::from_properties(common.iter().chain(properties).copied()).unwrap();
        let file = parse(allocations, &settings).unwrap();
        let builder = FairScheduler::builder().settings(settings).allocations(file).groups(Arc::new(groups));
        Cluster { stepped: builder.journal(true).stepped().unwrap(), nodes: Vec::new(), apps: 0 }
    }

    // ------------------------------------------------------------------------------------------------ nodes

    pub(crate) fn add_node(&mut self, rack: &str, total: Resource) {
        let name = format!("n{}", self.nodes.len() + 1);
        self.add_node_named(&name, rack, total);
    }

    pub(crate) fn add_node_named(&mut self, name: &str, rack: &str, total: Resource) {
        self.nodes.push(self.stepped.add_node(name, rack, total).unwrap());
    }

    pub(crate) fn remove_node(&mut self, n: usize) {
        self.stepped.remove_node(&self.nodes[n - 1]).unwrap();
    }

    /// One heartbeat of the `n`th node, from 1.
    pub(crate) fn hb(&mut self, n: usize) -> Journal {
        self.stepped.heartbeat(Heartbeat::new(&self.nodes[n - 1]));
        self.stepped.take_journal()
    }

    pub(crate) fn hbs(&mut self, n: usize, times: usize) {
        (0..times).for_each(|_| drop(self.hb(n)));
    }

    /// The `n`th node reports containers that it runs and that have ended.
    pub(crate) fn report(&mut self, n: usize, launched: &[ContainerId], completed: &[ContainerId]) -> Journal {
        let mut heartbeat = Heartbeat::new(&self.nodes[n - 1]);
        heartbeat.add_launched(launched.iter().copied());
        heartbeat.add_completed(completed.iter().copied());
        self.stepped.heartbeat(&heartbeat);
        self.stepped.take_journal()
    }

    /// What is used of the `n`th node.
    pub(crate) fn taken(&mut self, n: usize) -> Resource {
        let name = self.nodes[n - 1].name();
        let nodes = self.stepped.nodes();
        let node = nodes.iter().find(|node| node.name == name).unwrap();
        node.total.minus(&node.free)
    }

    // ------------------------------------------------------------------------------------------------ queues

    /// The watcher wakes, and the file has changed.
    pub(crate) fn reload(&mut self, inside: &str) {
        self.try_reload(inside).unwrap();
    }

    pub(crate) fn try_reload(&mut self, inside: &str) -> Result<(), Refused> {
        self.stepped.reload_text(&allocations(inside)).map(drop)
    }

    /// The watcher wakes, and the file has not changed.
    pub(crate) fn clean_up(&mut self) {
        self.stepped.clean_up();
    }

    pub(crate) fn find(&mut self, name: &str) -> Option<QueueView> {
        self.stepped.queues().into_iter().find(|queue| queue.name == name)
    }

    pub(crate) fn queue(&mut self, name: &str) -> QueueView {
        self.find(name).unwrap_or_else(|| panic!("there is no queue {name}"))
    }

    /// The leaf queues' names, without `root.`, in order.
    pub(crate) fn leaves(&mut self) -> Vec<String> {
        let leaves = self.stepped.queues().into_iter().filter(|queue| queue.leaf);
        leaves.map(|queue| queue.name.trim_start_matches("root.").to_owned()).collect()
    }

    /// Runnable and waiting applications of a leaf.
    pub(crate) fn counts(&mut self, name: &str) -> (u32, u32) {
        let queue = self.queue(name);
        (queue.runnable, queue.non_runnable)
    }

    pub(crate) fn share(&mut self, name: &str) -> i64 {
        self.queue(name).fair_share.memory_mb()
    }

    pub(crate) fn steady(&mut self, name: &str) -> i64 {
        self.queue(name).steady_fair_share.memory_mb()
    }

    // ------------------------------------------------------------------------------------------------ applications

    pub(crate) fn submit(&mut self, queue: &str, user: &str, am: Option<Resource>) -> Result<AppHandle, Refused> {
        self.apps += 1;
        // Later applications start later.
        self.stepped.advance(1);
        let (number, user, queue) = (self.apps, user.to_owned(), Some(queue.to_owned()));
        self.stepped.submit(Submission::new(number, user).maybe_in_queue(queue).maybe_with_am(am))
    }

    /// An application of `user1` without asks.
    pub(crate) fn start(&mut self, queue: &str) -> AppHandle {
        self.submit(queue, "user1", None).unwrap()
    }

    pub(crate) fn finish(&mut self, app: &AppHandle) {
        self.stepped.finish(app).unwrap();
    }

    pub(crate) fn allocate(&mut self, app: &AppHandle, request: &AllocateRequest) -> Result<Allocation, Refused> {
        let mut answer = Allocation::default();
        self.stepped.allocate(app, request, &mut answer).map(|()| answer)
    }

    pub(crate) fn ask_lines(&mut self, app: &AppHandle, asks: &[Ask]) -> Result<Allocation, Refused> {
        self.allocate(app, &AllocateRequest::new(asks.to_vec()))
    }

    pub(crate) fn ask(&mut self, app: &AppHandle, priority: i32, size: Resource, count: u32) {
        self.ask_lines(app, &[Ask::anywhere(priority, size, count)]).unwrap();
    }

    /// The containers granted since the last call.
    pub(crate) fn granted(&mut self, app: &AppHandle) -> Vec<ContainerId> {
        self.ask_lines(app, &[]).unwrap().granted.iter().map(|container| container.id).collect()
    }

    pub(crate) fn release(&mut self, app: &AppHandle, containers: &[ContainerId]) {
        let request = AllocateRequest::default().with_releases(containers.to_vec());
        self.allocate(app, &request).unwrap();
    }

    /// An application that asks for `count` containers of a size anywhere, and an update.
    pub(crate) fn request(&mut self, size: Resource, queue: &str, user: &str, count: u32) -> AppHandle {
        let app = self.submit(queue, user, None).unwrap();
        self.ask(&app, 1, size, count);
        self.stepped.update_now();
        app
    }

    /// An application with an AM of a size, and an update.
    pub(crate) fn request_am(&mut self, size: Resource, queue: &str) -> AppHandle {
        let app = self.submit(queue, "user1", Some(size)).unwrap();
        self.stepped.update_now();
        app
    }

    /// A line of an ask at priority 1; `*` is anywhere.
    pub(crate) fn line(&self, location: &str, size: Resource, count: u32, relax_locality: bool) -> Ask {
        let location = if location == "*" { Location::ANY } else { self.stepped.location(location) };
        Ask::anywhere(1, size, count).at(location).relaxed(relax_locality)
    }

    /// Asks for containers of 1024 MB at places, each with count and relaxed locality, and an update.
    pub(crate) fn ask_at(&mut self, app: &AppHandle, places: &[(&str, u32, bool)]) {
        let asks: Vec<_> = places.iter().map(|(at, count, relax)| self.line(at, r(1024, 1), *count, *relax)).collect();
        self.ask_lines(app, &asks).unwrap();
        self.stepped.update_now();
    }

    pub(crate) fn app(&mut self, app: &AppHandle) -> Option<AppView> {
        self.stepped.apps().into_iter().find(|view| view.id == app.id())
    }

    pub(crate) fn used(&mut self, app: &AppHandle) -> Resource {
        self.app(app).map_or(Resource::ZERO, |view| view.usage)
    }

    pub(crate) fn runs(&mut self, app: &AppHandle) -> bool {
        self.app(app).is_some_and(|view| view.runnable)
    }

    /// How many containers each has, all of one size an application.
    pub(crate) fn live(&mut self, apps: &[(&AppHandle, Resource)]) -> Vec<i64> {
        apps.iter().map(|(app, size)| self.used(app).vcores() / size.vcores()).collect()
    }

    /// The sum of the reservations of applications in a queue.
    pub(crate) fn reserved_in(&mut self, queue: &str) -> Resource {
        let apps = self.stepped.apps();
        let here = |number| apps.iter().any(|app| app.id.number == number && app.queue == queue);
        let reserved = self.stepped.take_journal().reserved;
        let reserved = reserved.iter().filter(|reserved| here(reserved.app));
        reserved.fold(Resource::ZERO, |sum, reserved| sum.plus(&reserved.resource))
    }
}

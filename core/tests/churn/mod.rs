//! The standard churn (`docs/benchmarks.md`, W1, W2 and W4) driven through any door of the scheduler, on one thread and
//! without a clock: the same calls in the same order, every time. Tests and benchmarks share it.
//!
//! One thread has it. Nothing is allocated by a round once its buffers have grown: tests count what the scheduler
//! allocates.

#![allow(
    dead_code,
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    reason = "helpers, of which each user needs a part"
)]

mod tasks;

use evenweave::SchedulerApi;
use evenweave::resource::ResourceTypes;
use evenweave::{
    AllocateRequest, Allocation, AllocationFile, AppHandle, Ask, Container, ContainerId, FairScheduler,
    FairSchedulerBuilder, Heartbeat, Location, NodeHandle, Resource, Settings, Stepped, Submission,
};
use std::collections::VecDeque;
use std::fmt::Write as _;
use tasks::Tasks;

const NODE: Resource = Resource::new(131_072, 64);
pub const CONTAINER: Resource = Resource::new(2048, 1);
const A_NODE: u32 = 64;
const NODES_A_RACK: u32 = 40;
/// Containers that complete with one heartbeat.
pub const K: usize = 4;

/// How large a cluster, and who is on it.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    pub nodes: u32,
    pub queues: u32,
    pub apps: u32,
    pub parents: u32,
}

impl Size {
    pub const S: Size = Size { nodes: 1_000, queues: 10, apps: 100, parents: 2 };
    pub const M: Size = Size { nodes: 1_000, queues: 100, apps: 1_000, parents: 10 };
    pub const L: Size = Size { nodes: 1_000, queues: 1_000, apps: 10_000, parents: 20 };
    pub const M5: Size = Size { nodes: 5_000, ..Size::M };

    /// The same queues and applications on fewer nodes.
    pub const fn on(self, nodes: u32) -> Size {
        Size { nodes, ..self }
    }

    pub fn capacity(self) -> u64 {
        u64::from(self.nodes) * u64::from(A_NODE)
    }

    fn leaf(self, leaf: u32) -> String {
        format!("root.p{}.q{leaf}", leaf / (self.queues / self.parents))
    }

    fn wanted(self, app: u32) -> u32 {
        let total = 96 * self.nodes;
        total / self.apps + u32::from(app < total % self.apps)
    }

    /// Three levels, `drf` in all of them, and what every leaf queue has besides.
    fn allocations(self, in_leaf: &str) -> AllocationFile {
        let each = self.queues / self.parents;
        let mut text = String::from("<allocations><queue name='root'>");
        for parent in 0..self.parents {
            write!(text, "<queue name='p{parent}'><weight>{}</weight>", 1 + parent % 4).unwrap();
            for leaf in parent * each..(parent + 1) * each {
                write!(text, "<queue name='q{leaf}'><weight>{}</weight>{in_leaf}</queue>", 1 + leaf % 4).unwrap();
            }
            text.push_str("</queue>");
        }
        text.push_str(
            "</queue><queueMaxAMShareDefault>-1.0</queueMaxAMShareDefault>\
             <defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy></allocations>",
        );
        AllocationFile::parse(&text, "churn.xml", &ResourceTypes::standard(), &[]).unwrap().file
    }

    /// A scheduler with these queues, in mode `dyn`, that updates when it is told to and lets nothing expire.
    pub fn builder(self, in_leaf: &str) -> FairSchedulerBuilder {
        let settings = Settings::from_properties([
            ("yarn.scheduler.fair.assignmultiple", "true"),
            ("yarn.scheduler.fair.dynamic.max.assign", "true"),
            ("yarn.scheduler.maximum-allocation-mb", "131072"),
            ("yarn.scheduler.maximum-allocation-vcores", "64"),
            ("yarn.scheduler.fair.locality.threshold.node", "0.5"),
            ("yarn.scheduler.fair.locality.threshold.rack", "0.5"),
            ("yarn.resourcemanager.rm.container-allocation.expiry-interval-ms", "2000000000"),
        ]);
        FairScheduler::builder().settings(settings.unwrap()).allocations(self.allocations(in_leaf)).timers(false)
    }
}

/// The calls that the churn makes of a scheduler.
pub trait Core {
    fn add_node(&mut self, name: &str, rack: &str, total: Resource) -> NodeHandle;
    fn submit(&mut self, submission: Submission) -> AppHandle;
    fn location(&self, name: &str) -> Location;
    fn update(&mut self);
    fn heartbeat(&mut self, heartbeat: Heartbeat);
    fn allocate(&mut self, app: &AppHandle, request: &AllocateRequest, answer: &mut Allocation);
    /// Containers that run once everything sent is worked off.
    fn running(&mut self) -> u64;
}

impl Core for Stepped {
    fn add_node(&mut self, name: &str, rack: &str, total: Resource) -> NodeHandle {
        SchedulerApi::add_node(self, name, rack, total).unwrap()
    }

    fn submit(&mut self, submission: Submission) -> AppHandle {
        SchedulerApi::submit(self, submission).unwrap()
    }

    fn location(&self, name: &str) -> Location {
        SchedulerApi::location(self, name)
    }

    fn update(&mut self) {
        Stepped::update_now(self);
    }

    fn heartbeat(&mut self, heartbeat: Heartbeat) {
        Stepped::heartbeat(self, &heartbeat);
    }

    fn allocate(&mut self, app: &AppHandle, request: &AllocateRequest, answer: &mut Allocation) {
        SchedulerApi::allocate(self, app, request, answer).unwrap();
    }

    fn running(&mut self) -> u64 {
        self.stats().running
    }
}

/// More than the clusters of these tests hold of one application.
const MAX_IN_AN_ANSWER: usize = 4096;

/// A cluster with its applications, and their books.
pub struct Churn<C> {
    pub core: C,
    size: Size,
    nodes: Vec<NodeHandle>,
    apps: Vec<AppHandle>,
    /// By node: what the AMs hold there, the longest held first, with the application.
    on_node: Vec<VecDeque<(ContainerId, u32)>>,
    wanted: Vec<u32>,
    held: Vec<u32>,
    /// W4's, where asks name nodes.
    tasks: Option<Tasks>,
    /// Containers that AMs were given, ever.
    pub fetched: u64,
    /// Calls with asks, ever.
    pub asked: u64,
    owners: Vec<u32>,
    request: AllocateRequest,
    empty: AllocateRequest,
    answer: Allocation,
    at: usize,
    further: usize,
}

impl<C: Core> Churn<C> {
    /// Nodes, applications, their first asks, one update; nothing is granted yet.
    pub fn new(mut core: C, size: Size, locality: bool) -> Churn<C> {
        let node = |i: u32| (format!("n{i}"), format!("/r{}", i / NODES_A_RACK));
        let nodes = (0..size.nodes).map(node).map(|(name, rack)| core.add_node(&name, &rack, NODE)).collect();
        let submission = |app| Submission::new(app + 1, "user").in_queue(size.leaf(app % size.queues));
        let apps = (0..size.apps).map(|app| core.submit(submission(app))).collect();
        let wanted: Vec<u32> = (0..size.apps).map(|app| size.wanted(app)).collect();
        let tasks = locality.then(|| Tasks::new(&core, size.nodes, NODES_A_RACK, &wanted));
        let mut churn = Churn {
            core,
            size,
            nodes,
            apps,
            on_node: (0..size.nodes).map(|_| VecDeque::with_capacity(2 * A_NODE as usize)).collect(),
            held: vec![0; wanted.len()],
            wanted,
            tasks,
            fetched: 0,
            asked: 0,
            owners: Vec::with_capacity(K),
            request: AllocateRequest::default(),
            empty: AllocateRequest::default(),
            // The caller's: how much an answer has at most depends on how the threads take turns.
            answer: Allocation::with_capacity(MAX_IN_AN_ANSWER, MAX_IN_AN_ANSWER),
            at: 0,
            further: 0,
        };
        (0..churn.apps.len()).for_each(|app| churn.call(app, true));
        churn.core.update();
        churn
    }

    /// As [`Churn::new`], filled; every application has what it was granted.
    pub fn full(core: C, size: Size, locality: bool) -> Churn<C> {
        let mut churn = Churn::new(core, size, locality);
        let mut rounds = 0..1000;
        while churn.core.running() < size.capacity() {
            rounds.next().expect("the cluster is full by now");
            churn.offer_nodes(size.nodes);
        }
        churn.fetch_all();
        churn.core.update();
        churn
    }

    /// Each of so many nodes reports once and has nothing to say.
    pub fn offer_nodes(&mut self, count: u32) {
        for node in &self.nodes[..count as usize] {
            self.core.heartbeat(Heartbeat::new(node));
        }
    }

    pub fn fetch_all(&mut self) {
        (0..self.apps.len()).for_each(|app| self.call(app, false));
    }

    /// One application calls and asks for nothing.
    pub fn call_without_asks(&mut self) {
        self.call(self.further, false);
        self.further = (self.further + 1) % self.apps.len();
    }

    /// W3: every hundredth application wants one more, or one less, and says so.
    pub fn change_some(&mut self, round: usize) {
        let more = (round / 100).is_multiple_of(2);
        for app in (round % 100..self.apps.len()).step_by(100) {
            self.wanted[app] = if more { self.wanted[app] + 1 } else { self.wanted[app].saturating_sub(1) };
            self.call(app, true);
        }
    }

    /// One round of W2: the next node's longest-held containers complete, it reports them, their owners ask again, and
    /// one further application calls.
    pub fn round(&mut self) {
        let mut heartbeat = Heartbeat::new(&self.nodes[self.at]);
        self.owners.clear();
        let on_node = &mut self.on_node[self.at];
        for (id, owner) in on_node.drain(..K.min(on_node.len())) {
            heartbeat.add_completed([id]);
            self.owners.push(owner);
        }
        self.at = (self.at + 1) % self.nodes.len();
        self.core.heartbeat(heartbeat);
        self.owners.sort_unstable();
        for index in 0..self.owners.len() {
            let app = self.owners[index] as usize;
            self.held[app] -= 1;
            if let Some(tasks) = &mut self.tasks {
                tasks.add(app);
            }
            if self.owners.get(index + 1) != Some(&self.owners[index]) {
                self.call(app, true);
            }
        }
        self.call_without_asks();
    }

    fn call(&mut self, app: usize, with_rows: bool) {
        if with_rows {
            self.asked += 1;
            self.request.asks.clear();
            match &mut self.tasks {
                Some(tasks) => tasks.take_changed(app, &mut self.request.asks),
                None => self.request.asks.push(ask(self.wanted[app].saturating_sub(self.held[app]))),
            }
        }
        let request = if with_rows { &self.request } else { &self.empty };
        self.core.allocate(&self.apps[app], request, &mut self.answer);
        let number = u32::try_from(app).unwrap();
        for Container { id, node, .. } in &self.answer.granted {
            self.held[app] += 1;
            self.fetched += 1;
            self.on_node[node.index()].push_back((*id, number));
            if let Some(tasks) = &mut self.tasks {
                tasks.serve(app, u32::try_from(node.index()).unwrap());
            }
        }
    }
}

/// One row of a request.
fn ask(count: u32) -> Ask {
    Ask::anywhere(1, CONTAINER, count)
}

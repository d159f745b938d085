//! A stepped scheduler beside a slow, plain account of what it must have done.
//!
//! [`Shape`] is a cluster with its queues and settings, [`Op`] one operation; both can be made from any bytes, so that
//! property tests and fuzzing share them. [`World::step`] does an operation and compares every book.

#![allow(dead_code, reason = "each user needs a part of it")]
#![allow(missing_docs, reason = "a test's helpers")]

use evenweave::{
    AllocateRequest, Allocation, AllocationFile, AppHandle, AppView, Ask, ContainerId, EndReason, FairScheduler,
    Heartbeat, Location, NodeHandle, NodeView, QueueView, Refused, Resource, Settings, StepOutcome, Stepped,
    Submission,
};
use std::collections::{BTreeMap, BTreeSet};

const RACKS: usize = 3;
const USERS: [&str; 3] = ["ann", "bob", "eve"];

// ------------------------------------------------------------------------------------------------------------ shape

/// A cluster, its queues and settings.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) types: usize,
    pub(crate) properties: Vec<(String, String)>,
    pub(crate) allocations: String,
    /// The same queues with other weights and limits, for reloads.
    pub(crate) other_allocations: String,
    pub(crate) leaves: Vec<String>,
    pub(crate) nodes: Vec<NodeShape>,
    /// All asks of an application at a priority have one size. Hadoop checks limits with the size of the `*` ask alone,
    /// so only then does one worker keep them.
    pub(crate) uniform: bool,
    /// Nothing is limited: what is asked for must be served in the end.
    pub(crate) unlimited: bool,
    bytes: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeShape {
    pub(crate) rack: usize,
    pub(crate) total: Resource,
}

/// Bytes as choices; zeros when they run out.
pub(crate) struct Bytes<'a>(pub(crate) &'a [u8]);

impl Bytes<'_> {
    pub(crate) fn next(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    fn below(&mut self, n: usize) -> usize {
        usize::from(self.next()) % n
    }

    fn of<T: Copy, const N: usize>(&mut self, choices: [T; N]) -> T {
        choices[self.below(N)]
    }
}

fn node_shape(a: u8, b: u8) -> NodeShape {
    let (a, b) = (usize::from(a), i64::from(b));
    let memory = [4096, 8192, 2048, 16_384, 6144][a / RACKS % 5];
    NodeShape { rack: a % RACKS, total: Resource::from_slice(&[memory, [8, 4, 2, 16][a / 15 % 4], b % 5]) }
}

fn limits(bytes: &mut Bytes<'_>, gpu: bool, leaf: bool, unlimited: bool) -> String {
    let mut out = String::new();
    let mut element = |name: &str, value: &str| {
        if !value.is_empty() {
            out.push_str(&format!("<{name}>{value}</{name}>"));
        }
    };
    let extra = if gpu { ", gpu=1" } else { "" };
    element("weight", bytes.of(["", "2.0", "0.5", "0.0", "3.7"]));
    let min = bytes.of(["", "", "memory-mb=2048, vcores=2", "memory-mb=6144, vcores=1", "memory-mb=0, vcores=3"]);
    element("minResources", &if min.is_empty() { String::new() } else { format!("{min}{extra}") });
    let max = bytes.of([
        "",
        "",
        "memory-mb=8192, vcores=6",
        "memory-mb=3072, vcores=16",
        "50.0%",
        "memory-mb=70.0%, vcores=40.0%",
    ]);
    let running = bytes.of(["", "", "2", "1", "5"]);
    let am = bytes.of(["", "-1.0", "1.0", "0.3", "0.1"]);
    if !unlimited {
        let new_style = max.starts_with("memory");
        element(
            "maxResources",
            &match gpu && new_style {
                true if max.contains('%') => format!("{max}, gpu=80.0%"),
                true => format!("{max}, gpu=3"),
                false => max.to_owned(),
            },
        );
        element("maxRunningApps", running);
    }
    if leaf {
        element("maxAMShare", if unlimited { "-1.0" } else { am });
    }
    out
}

impl Shape {
    pub(crate) fn of(bytes: &mut Bytes<'_>) -> Shape {
        let unlimited = bytes.below(4) == 3;
        let all = bytes.0.to_vec();
        let gpu = bytes.below(3) == 1;
        let uniform = bytes.below(2) == 0;
        let mut properties = Vec::new();
        let mut set = |name: &str, value: &str| {
            if !value.is_empty() {
                properties.push((format!("yarn.scheduler.{name}"), value.to_owned()));
            }
        };
        set("minimum-allocation-mb", bytes.of(["", "0", "512"]));
        set("fair.assignmultiple", bytes.of(["", "true"]));
        set("fair.dynamic.max.assign", bytes.of(["", "false"]));
        set("fair.max.assign", bytes.of(["", "2", "3"]));
        let (node, rack) = bytes.of([("", ""), ("", ""), ("0.5", "0.7"), ("0.0", "0.2"), ("1.0", "1.0")]);
        set("fair.locality.threshold.node", node);
        set("fair.locality.threshold.rack", rack);
        set("fair.reservable-nodes", bytes.of(["", "1.0", "0.5", "0.0"]));
        set("reservation-threshold.increment-multiple", bytes.of(["", "0.5", "1", "3"]));
        set("fair.sizebasedweight", bytes.of(["", "", "true"]));
        let (enabled, delay) = bytes.of([("", ""), ("", ""), ("true", "100"), ("true", "")]);
        set("fair.continuous-scheduling-enabled", enabled);
        set("fair.locality-delay-node-ms", delay);
        set("fair.locality-delay-rack-ms", delay);
        if gpu {
            properties.push(("yarn.resource-types".to_owned(), "gpu".to_owned()));
        }
        let drf = bytes.below(3) != 1;
        let (mut texts, mut leaves) = ([String::new(), String::new()], Vec::new());
        let tops = 1 + bytes.below(3);
        for top in ["a", "b", "c"].iter().take(tops) {
            let children = bytes.below(4);
            let parent_drf = drf && bytes.below(2) == 0;
            let parent_policy = if parent_drf { "drf" } else { "fair" };
            let leaf_policy = |bytes: &mut Bytes<'_>, under_drf: bool| match bytes.below(3) {
                0 if under_drf => "drf",
                0 | 1 => "fair",
                _ => "fifo",
            };
            let own_policy = if children == 0 { leaf_policy(bytes, drf) } else { parent_policy };
            let policies: Vec<_> = (0..children).map(|_| leaf_policy(bytes, parent_drf)).collect();
            for text in &mut texts {
                let inside = limits(bytes, gpu, children == 0, unlimited);
                text.push_str(&format!(
                    "<queue name='{top}'><schedulingPolicy>{own_policy}</schedulingPolicy>{inside}"
                ));
                for (child, policy) in ["x", "y", "z"].iter().zip(&policies) {
                    let inside = limits(bytes, gpu, true, unlimited);
                    let policy = format!("<schedulingPolicy>{policy}</schedulingPolicy>");
                    text.push_str(&format!("<queue name='{child}'>{policy}{inside}</queue>"));
                }
                text.push_str("</queue>\n");
            }
            if children == 0 {
                leaves.push(format!("root.{top}"));
            }
            leaves.extend(["x", "y", "z"].iter().take(children).map(|child| format!("root.{top}.{child}")));
        }
        // One that no file names: it comes with its first application.
        leaves.push("root.adhoc".to_owned());
        let root = if drf { "drf" } else { "fair" };
        let [allocations, other_allocations] = texts.map(|text| {
            format!("<allocations><queue name='root'><schedulingPolicy>{root}</schedulingPolicy>\n{text}</queue></allocations>")
        });
        let nodes = (0..1 + bytes.below(6)).map(|_| node_shape(bytes.next(), bytes.next())).collect();
        let types = if gpu { 3 } else { 2 };
        Shape { types, properties, allocations, other_allocations, leaves, nodes, uniform, unlimited, bytes: all }
    }

    /// The same without limits.
    pub(crate) fn unlimited(&self) -> Shape {
        let bytes: Vec<u8> = [3].into_iter().chain(self.bytes.iter().copied()).collect();
        Shape::of(&mut Bytes(&bytes))
    }
}

// -------------------------------------------------------------------------------------------------------- operations

/// Where an ask wants its containers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Where {
    Anywhere,
    Node,
    Rack,
    StrictNode,
    StrictRack,
    /// Counts that do not belong together.
    Odd,
}

/// One operation; numbers are taken modulo what there is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    /// A node reports the ends of up to `ends` of its containers that their AMs know of.
    Heartbeat {
        node: u8,
        ends: u8,
    },
    Update,
    Ask {
        app: u8,
        priority: u8,
        what: u8,
        place: Where,
    },
    Poll {
        app: u8,
    },
    Submit {
        queue: u8,
        user: u8,
        am: u8,
    },
    Release {
        app: u8,
        container: u8,
    },
    Complete {
        container: u8,
    },
    Launch {
        container: u8,
    },
    Advance {
        ms: u8,
    },
    Finish {
        app: u8,
    },
    Blacklist {
        app: u8,
        node: u8,
        add: bool,
    },
    AddNode {
        a: u8,
        b: u8,
    },
    RemoveNode {
        node: u8,
    },
    Resize {
        node: u8,
        a: u8,
        b: u8,
    },
    Move {
        app: u8,
        queue: u8,
    },
    Reload {
        what: u8,
    },
    Continuous,
}

impl Op {
    pub(crate) fn of([kind, a, b, c]: [u8; 4]) -> Op {
        match kind {
            0..=79 => Op::Heartbeat { node: a, ends: b % 8 / 5 * (c % 4) },
            80..=99 => Op::Update,
            100..=149 => Op::Ask {
                app: a,
                priority: b,
                what: c,
                place: match b / 4 % 16 {
                    0..=5 => Where::Anywhere,
                    6..=9 => Where::Node,
                    10 | 11 => Where::Rack,
                    12 => Where::StrictNode,
                    13 => Where::StrictRack,
                    _ => Where::Odd,
                },
            },
            150..=159 => Op::Poll { app: a },
            160..=184 => Op::Submit { queue: a, user: b, am: c },
            185..=192 => Op::Release { app: a, container: b },
            193..=204 => Op::Complete { container: a },
            205..=210 => Op::Launch { container: a },
            211..=217 => Op::Advance { ms: a },
            218..=222 => Op::Finish { app: a },
            223..=228 => Op::Blacklist { app: a, node: b, add: c % 2 == 0 },
            229..=234 => Op::AddNode { a, b },
            235..=238 => Op::RemoveNode { node: a },
            239..=241 => Op::Resize { node: a, a: b, b: c },
            242..=245 => Op::Move { app: a, queue: b },
            246..=248 => Op::Reload { what: a },
            249..=255 => Op::Continuous,
        }
    }
}

// -------------------------------------------------------------------------------------------------------------- books

#[derive(Debug)]
struct NodeBook {
    handle: NodeHandle,
    rack: usize,
    total: Resource,
    /// Its total was lowered once: free room may be negative.
    shrunk: bool,
}

#[derive(Debug)]
struct AppBook {
    handle: AppHandle,
    number: u32,
    alive: bool,
    waits_for_am: bool,
    /// Asked for and not granted: count and size by priority.
    asks: BTreeMap<i32, (i64, Resource)>,
    /// Granted, and not yet told the AM; in order.
    granted: Vec<u32>,
    /// Ended after the AM had been told of them, and their end not yet told.
    ended: Vec<(u32, EndReason)>,
    /// What the AM has in hand.
    held: Vec<ContainerId>,
    /// Asked for strict or odd places, or blacklisted: some asks may never be served.
    choosy: bool,
    numbers: BTreeSet<u32>,
}

#[derive(Clone, Debug)]
struct ContainerBook {
    app: usize,
    node: String,
    priority: i32,
    size: Resource,
    /// The size of the `*` ask that it was taken from; the container's may be a rack's, a node's or a reservation's.
    asked: Resource,
    acquired: bool,
    launched: bool,
    live: bool,
}

/// All that a step shows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Seen {
    pub(crate) refused: Option<Refused>,
    pub(crate) headroom: Option<Resource>,
    pub(crate) outcome: StepOutcome,
    pub(crate) queues: Vec<QueueView>,
    pub(crate) apps: Vec<AppView>,
    pub(crate) nodes: Vec<NodeView>,
}

#[derive(Debug)]
pub(crate) struct World {
    pub(crate) shape: Shape,
    pub(crate) workers: usize,
    pub(crate) stepped: Stepped,
    nodes: Vec<NodeBook>,
    apps: Vec<AppBook>,
    /// Live, or with their room still taken.
    containers: BTreeMap<(u32, u32), ContainerBook>,
    nodes_made: u32,
    granted: u64,
    ended: u64,
    minimum: i64,
    /// Released in this step by an AM's call, which was told of it at once.
    released: BTreeSet<(u32, u32)>,
    /// An application was moved: AM usage does not follow, as in Hadoop, and is of no meaning afterwards.
    moved: bool,
}

/// Fails with the text unless the condition holds.
macro_rules! hold {
    ($condition:expr, $($text:tt)*) => {
        if !$condition {
            return Err(format!($($text)*));
        }
    };
}

impl World {
    pub(crate) fn new(shape: &Shape, workers: usize, resort: bool) -> World {
        let properties = shape.properties.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let settings = Settings::from_properties(properties).expect("the shape's properties are valid");
        let minimum = settings.minimum.memory_mb();
        let parsed = AllocationFile::parse(&shape.allocations, "allocations", &settings.types, &[]);
        let parsed = parsed.expect("the shape's allocations are valid");
        let stepped = FairScheduler::builder()
            .settings(settings)
            .allocations(parsed.file)
            .workers(workers)
            .resort_for_each_container(resort)
            .journal(true)
            .stepped()
            .expect("the numbers are in range");
        let mut world = World {
            shape: shape.clone(),
            workers,
            stepped,
            nodes: Vec::new(),
            apps: Vec::new(),
            containers: BTreeMap::new(),
            nodes_made: 0,
            granted: 0,
            ended: 0,
            minimum,
            released: BTreeSet::new(),
            moved: false,
        };
        for node in &shape.nodes {
            world.add_node(node).expect("a fresh name");
        }
        world
    }

    /// Runs all operations; the trace of what was done is in the error.
    pub(crate) fn run(shape: &Shape, workers: usize, ops: &[Op]) -> Result<World, String> {
        let mut world = World::new(shape, workers, false);
        for (i, op) in ops.iter().enumerate() {
            world.step(op).map_err(|wrong| format!("step {i} {op:?}, {workers} workers: {wrong}"))?;
        }
        Ok(world)
    }

    /// Does one operation and compares the books.
    pub(crate) fn step(&mut self, op: &Op) -> Result<Seen, String> {
        let before: BTreeMap<_, _> = self.containers.clone();
        self.released.clear();
        let done = self.apply(op)?;
        let (refused, headroom) = match done {
            Ok(headroom) => (None, headroom),
            Err(refused) => (Some(refused), None),
        };
        let outcome = self.stepped.take_outcome();
        let queues = self.stepped.queues();
        let apps = self.stepped.apps();
        let nodes = self.stepped.nodes();
        let seen = Seen { refused, headroom, outcome, queues, apps, nodes };
        self.book(&seen, &before)?;
        self.compare(&seen)?;
        Ok(seen)
    }

    fn size(&self, app: usize, priority: i32, what: u8) -> Resource {
        const SIZES: [[i64; 3]; 7] =
            [[1024, 1, 0], [2048, 1, 0], [1024, 2, 1], [3072, 2, 0], [4096, 4, 2], [300, 1, 0], [0, 1, 1]];
        let choice = if self.shape.uniform {
            self.apps[app].number as usize + priority.unsigned_abs() as usize
        } else {
            usize::from(what) / 8
        };
        Resource::from_slice(&SIZES[choice % SIZES.len()][..self.shape.types])
    }

    /// Raised to the minimum and rounded up; nodes have whole GiB, so nothing is cut.
    fn normalised(&self, asked: &Resource) -> Resource {
        let memory = asked.memory_mb().max(self.minimum);
        asked.with(0, (memory + 1023) / 1024 * 1024).with(1, asked.vcores().max(1))
    }

    fn total(&self, shape: &NodeShape) -> Resource {
        Resource::from_slice(&shape.total.lanes()[..self.shape.types])
    }

    fn add_node(&mut self, shape: &NodeShape) -> Result<(), Refused> {
        let total = self.total(shape);
        let name = format!("n{}", self.nodes_made);
        let handle = self.stepped.add_node(&name, &format!("/r{}", shape.rack), total)?;
        self.nodes_made += 1;
        self.nodes.push(NodeBook { handle, rack: shape.rack, total, shrunk: false });
        Ok(())
    }

    fn alive(&self, app: u8) -> Option<usize> {
        let alive: Vec<_> = (0..self.apps.len()).filter(|app| self.apps[*app].alive).collect();
        (!alive.is_empty()).then(|| alive[usize::from(app) % alive.len()])
    }

    fn some_container(&self, container: u8) -> Option<(u32, u32)> {
        let count = self.containers.len();
        (count > 0).then(|| *self.containers.keys().nth(usize::from(container) % count).expect("below the length"))
    }

    /// The outer error is a broken book, the inner one the scheduler's refusal.
    fn apply(&mut self, op: &Op) -> Result<Result<Option<Resource>, Refused>, String> {
        Ok(match *op {
            Op::Heartbeat { node, ends } => {
                self.heartbeat(node, ends);
                Ok(None)
            }
            Op::Update => {
                self.stepped.update();
                Ok(None)
            }
            Op::Ask { app, priority, what, place } => match self.alive(app) {
                Some(app) => return self.ask(app, i32::from(priority % 3) + 1, what, place),
                None => Ok(None),
            },
            Op::Poll { app } => match self.alive(app) {
                Some(app) => return self.allocate(app, &AllocateRequest::default()),
                None => Ok(None),
            },
            Op::Submit { queue, user, am } => self.submit(queue, user, am),
            Op::Release { app, container } => match self.alive(app) {
                Some(app) if container % 2 == 0 => {
                    let held = &self.apps[app].held;
                    let releases = held.get(usize::from(container / 2) % held.len().max(1)).copied();
                    let request = AllocateRequest { releases: releases.into_iter().collect(), ..Default::default() };
                    return self.allocate(app, &request);
                }
                Some(app) => self.release_numbered(app, u32::from(container / 2) % 8),
                None => Ok(None),
            },
            Op::Complete { container } => match self.some_container(container) {
                Some((app, number)) => {
                    if self.containers[&(app, number)].live {
                        self.acquire(app);
                    }
                    self.containers.get_mut(&(app, number)).expect("just found").launched = false;
                    let done = self.stepped.complete_numbered(app, number);
                    hold!(done.is_ok(), "{app}.{number} cannot be completed: {done:?}");
                    if !self.containers[&(app, number)].live {
                        self.containers.remove(&(app, number));
                    }
                    Ok(None)
                }
                None => Ok(None),
            },
            Op::Launch { container } => match self.some_container(container) {
                Some((app, number)) if self.containers[&(app, number)].live => {
                    let done = self.stepped.launch_numbered(app, number);
                    hold!(done.is_ok(), "{app}.{number} cannot be launched: {done:?}");
                    self.acquire(app);
                    self.containers.get_mut(&(app, number)).expect("just found").launched = true;
                    Ok(None)
                }
                _ => Ok(None),
            },
            Op::Advance { ms } => {
                self.stepped.advance(u64::from(ms));
                Ok(None)
            }
            Op::Finish { app } => match self.alive(app) {
                Some(app) => {
                    self.apps[app].alive = false;
                    let done = self.stepped.finish(&self.apps[app].handle);
                    hold!(done.is_ok(), "a live application cannot be finished: {done:?}");
                    Ok(None)
                }
                None => Ok(None),
            },
            Op::Blacklist { app, node, add } => match self.alive(app) {
                Some(app) => {
                    self.apps[app].choosy = true;
                    let name = if node % 4 == 3 {
                        format!("/r{}", node / 4 % 3)
                    } else {
                        format!("n{}", u32::from(node / 4) % self.nodes_made.max(1))
                    };
                    let listed = vec![self.stepped.location(&name)];
                    let mut request = AllocateRequest::default();
                    if add {
                        request.blacklist_add = listed;
                    } else {
                        request.blacklist_remove = listed;
                    }
                    return self.allocate(app, &request);
                }
                None => Ok(None),
            },
            Op::AddNode { a, b } if self.nodes.len() < 12 => self.add_node(&node_shape(a, b)).map(|()| None),
            Op::AddNode { .. } => Ok(None),
            Op::RemoveNode { node } => {
                if self.nodes.is_empty() {
                    return Ok(Ok(None));
                }
                let node = self.nodes.remove(usize::from(node) % self.nodes.len());
                let done = self.stepped.remove_node(&node.handle);
                hold!(done.is_ok(), "a present node cannot be removed: {done:?}");
                let again = self.stepped.remove_node(&node.handle);
                hold!(again.is_err(), "a node was removed twice");
                Ok(None)
            }
            Op::Resize { node, a, b } => {
                let total = self.total(&node_shape(a, b));
                let count = self.nodes.len();
                let Some(node) = self.nodes.get_mut(usize::from(node) % count.max(1)) else { return Ok(Ok(None)) };
                node.shrunk |= !node.total.fits_in(&total);
                node.total = total;
                self.stepped.resize_node(&node.handle, total).map(|()| None)
            }
            Op::Move { app, queue } => match self.alive(app) {
                Some(app) => {
                    self.moved = true;
                    let queue = &self.shape.leaves[usize::from(queue) % self.shape.leaves.len()];
                    self.stepped.move_app(&self.apps[app].handle, queue).map(|()| None)
                }
                None => Ok(None),
            },
            Op::Reload { what } => {
                let text = match what % 3 {
                    0 => None,
                    1 => Some(self.shape.other_allocations.as_str()),
                    _ => Some(self.shape.allocations.as_str()),
                };
                self.stepped.reload(text).map(|()| None)
            }
            Op::Continuous => {
                self.stepped.continuous();
                Ok(None)
            }
        })
    }

    fn heartbeat(&mut self, node: u8, ends: u8) {
        if self.nodes.is_empty() {
            return;
        }
        let node = &self.nodes[usize::from(node) % self.nodes.len()].handle;
        let mut heartbeat = Heartbeat::new(node);
        let held = self.apps.iter().flat_map(|app| app.held.iter());
        let here = held.filter(|id| {
            let book = self.containers.get(&(id.application_number(), id.number()));
            book.is_some_and(|book| book.node == node.name())
        });
        heartbeat.completed.extend(here.copied().take(usize::from(ends)));
        // A container that is reported twice, and one of an unknown generation, do no harm.
        heartbeat.completed.extend(heartbeat.completed.first().copied());
        for id in &heartbeat.completed {
            let key = (id.application_number(), id.number());
            if let Some(book) = self.containers.get_mut(&key) {
                book.launched = false;
                if !book.live {
                    self.containers.remove(&key);
                }
            }
        }
        self.stepped.heartbeat(&heartbeat);
    }

    fn ask(
        &mut self,
        app: usize,
        priority: i32,
        what: u8,
        place: Where,
    ) -> Result<Result<Option<Resource>, Refused>, String> {
        let resource = self.size(app, priority, what);
        let count = u32::from(what) % 8;
        let at = self.nodes.get(usize::from(what) % self.nodes.len().max(1));
        let (node, rack) = match at {
            Some(node) => (node.handle.name().to_owned(), format!("/r{}", node.rack)),
            None => ("n0".to_owned(), "/r0".to_owned()),
        };
        let [node, rack] = [node, rack].map(|name| self.stepped.location(&name));
        let line = |location: Location, count: u32, relax_locality: bool| Ask {
            location,
            relax_locality,
            ..Ask::anywhere(priority, resource, count)
        };
        let any = Location::ANY;
        let asks = match place {
            Where::Anywhere => vec![line(any, count, true)],
            Where::Node => vec![line(node, count, true), line(rack, count, true), line(any, count, true)],
            Where::Rack => vec![line(rack, count, true), line(any, count, true)],
            Where::StrictNode => vec![line(node, count, true), line(rack, count, false), line(any, count, false)],
            Where::StrictRack => vec![line(rack, count, true), line(any, count, false)],
            Where::Odd => vec![line(node, count, true), line(rack, count / 2, what >= 128), line(any, count + 1, true)],
        };
        self.apps[app].choosy |= !matches!(place, Where::Anywhere | Where::Node | Where::Rack);
        let size = self.normalised(&resource);
        let wanted = i64::from(asks.last().expect("at least `*`").count);
        let done = self.allocate(app, &AllocateRequest { asks, ..Default::default() })?;
        if done.is_ok() {
            self.apps[app].asks.insert(priority, (wanted, size));
        }
        Ok(done)
    }

    /// An AM's call; what it is answered must be what is owed to it.
    fn allocate(&mut self, app: usize, request: &AllocateRequest) -> Result<Result<Option<Resource>, Refused>, String> {
        let mut answer = Allocation::default();
        let handle = self.apps[app].handle.clone();
        if let Err(refused) = self.stepped.allocate(&handle, request, &mut answer) {
            return Ok(Err(refused));
        }
        let released: BTreeSet<u32> = request.releases.iter().map(|id| id.number()).collect();
        let book = &mut self.apps[app];
        let mut ended: Vec<_> = std::mem::take(&mut book.ended);
        let mut granted = std::mem::take(&mut book.granted);
        for number in released {
            if self.containers.get(&(book.number, number)).is_some_and(|container| container.live) {
                self.released.insert((book.number, number));
                ended.push((number, EndReason::Released));
            }
        }
        let mut told: Vec<_> = answer.granted.iter().map(|container| container.id.number()).collect();
        let mut told_ended: Vec<_> = answer.ended.iter().map(|ended| (ended.id.number(), ended.reason)).collect();
        if self.workers > 1 {
            granted.sort_unstable();
            told.sort_unstable();
        }
        ended.sort_unstable_by_key(|(number, _)| *number);
        told_ended.sort_unstable_by_key(|(number, _)| *number);
        hold!(told == granted, "I5: application {} is told of {told:?}, not of {granted:?}", book.number);
        hold!(
            told_ended == ended,
            "I5: application {} is told of the ends {told_ended:?}, not of {ended:?}",
            book.number
        );
        for container in answer.granted {
            let key = (book.number, container.id.number());
            let known = self.containers.get_mut(&key).expect("granted and not ended, so in the books");
            hold!(known.size == container.resource && known.priority == container.priority, "{key:?} has changed");
            known.acquired = true;
            book.held.push(container.id);
        }
        Ok(Ok(Some(answer.headroom)))
    }

    /// The scheduler's calls by number: the AM acquires everything, unseen by this harness.
    fn acquire(&mut self, number: u32) {
        let book = self.apps.iter_mut().find(|app| app.number == number).expect("containers belong to applications");
        for granted in book.granted.drain(..) {
            if let Some(container) = self.containers.get_mut(&(number, granted)) {
                container.acquired = true;
            }
        }
        book.ended.clear();
    }

    fn release_numbered(&mut self, app: usize, container: u32) -> Result<Option<Resource>, Refused> {
        let number = self.apps[app].number;
        self.stepped.release_numbered(number, container)?;
        self.acquire(number);
        Ok(None)
    }

    fn submit(&mut self, queue: u8, user: u8, am: u8) -> Result<Option<Resource>, Refused> {
        if self.apps.iter().filter(|app| app.alive).count() >= 16 {
            return Ok(None);
        }
        let number = u32::try_from(self.apps.len()).expect("few applications") + 1;
        let queue = self.shape.leaves[usize::from(queue) % self.shape.leaves.len()].clone();
        let sizes = [[1024, 1, 0], [2048, 1, 0], [512, 2, 0]];
        let am = (!am.is_multiple_of(4)).then(|| Resource::from_slice(&sizes[usize::from(am % 3)][..self.shape.types]));
        let user = USERS[usize::from(user) % 3].to_owned();
        let submission = Submission { number, user, queue: Some(queue), am: am.map(Into::into) };
        let handle = self.stepped.submit(&submission)?;
        let asks = am.map(|size| (0, (1, self.normalised(&size)))).into_iter().collect();
        self.apps.push(AppBook {
            handle,
            number,
            alive: true,
            waits_for_am: am.is_some(),
            asks,
            granted: Vec::new(),
            ended: Vec::new(),
            held: Vec::new(),
            choosy: false,
            numbers: BTreeSet::new(),
        });
        Ok(None)
    }

    /// Enters what the step says that it did.
    fn book(&mut self, seen: &Seen, before: &BTreeMap<(u32, u32), ContainerBook>) -> Result<(), String> {
        let mut at_once = BTreeSet::new();
        for made in &seen.outcome.allocated {
            let at = self.apps.iter().position(|app| app.number == made.app);
            let app = at.ok_or_else(|| format!("a container for no application: {made:?}"))?;
            let book = &mut self.apps[app];
            hold!(book.alive, "I5: a container for a finished application: {made:?}");
            hold!(book.numbers.insert(made.container), "I13: number given twice: {made:?}");
            let ask = book.asks.get_mut(&made.priority).ok_or_else(|| format!("never asked for: {made:?}"))?;
            ask.0 -= 1;
            hold!(ask.0 >= 0, "I3: more granted than asked for: {made:?}");
            let asked = ask.1;
            let is_am = std::mem::replace(&mut book.waits_for_am, false);
            hold!(is_am == (made.priority == 0), "the AM's container is the first: {made:?}");
            if is_am {
                at_once.insert(made.app);
            }
            book.granted.push(made.container);
            let container = ContainerBook {
                app,
                node: made.node.clone(),
                priority: made.priority,
                size: made.resource,
                asked,
                acquired: false,
                launched: false,
                live: true,
            };
            hold!(self.nodes.iter().any(|node| node.handle.name() == made.node), "on no node: {made:?}");
            self.containers.insert((made.app, made.container), container);
            self.granted += 1;
        }
        for (number, container, reason) in &seen.outcome.completed {
            let key = (*number, *container);
            let book = self.containers.get_mut(&key).filter(|book| book.live);
            let book = book.ok_or_else(|| format!("{key:?} ended without being there: {reason:?}"))?;
            book.live = false;
            self.ended += 1;
            let ContainerBook { app, acquired, launched, priority, asked, .. } = book.clone();
            let by_node = matches!(reason, EndReason::Completed | EndReason::NodeLost);
            if by_node || !launched {
                self.containers.remove(&key);
            }
            let app = &mut self.apps[app];
            if !app.alive {
                continue;
            }
            if !acquired && before.contains_key(&key) && app.granted.contains(container) {
                // Its AM has never seen it: the ask is back, as it was.
                app.granted.retain(|granted| granted != container);
                let ask = app.asks.entry(priority).or_insert((0, asked));
                *ask = (ask.0 + 1, asked);
            } else if !self.released.contains(&key) {
                app.ended.push((*container, *reason));
            }
        }
        let gone: Vec<_> = self
            .containers
            .iter()
            .filter(|(_, book)| !book.live)
            .map(|(key, book)| (*key, book.node.clone()))
            .collect();
        for (key, node) in gone {
            if !self.nodes.iter().any(|present| present.handle.name() == node) {
                self.containers.remove(&key);
            }
        }
        for number in at_once {
            self.acquire(number);
        }
        Ok(())
    }

    fn compare(&mut self, seen: &Seen) -> Result<(), String> {
        let none = || Resource::NONE;
        // I1: a node's free room is what its containers leave; below zero only where the node has shrunk.
        hold!(seen.nodes.len() == self.nodes.len(), "{} nodes are shown", seen.nodes.len());
        let mut taken: BTreeMap<&str, Resource> = BTreeMap::new();
        for book in self.containers.values() {
            let sum = taken.entry(&book.node).or_insert_with(none);
            *sum = sum.plus(&book.size);
        }
        for (book, view) in self.nodes.iter().zip(&seen.nodes) {
            let used = taken.get(view.name.as_str()).copied().unwrap_or_default();
            hold!(view.total == book.total, "{}: total {} is not {}", view.name, view.total, book.total);
            hold!(
                view.free == book.total.minus(&used),
                "I1: {} shows {} free, {used} of {} is used",
                view.name,
                view.free,
                book.total
            );
            let granted_here = seen.outcome.allocated.iter().any(|made| made.node == view.name);
            hold!(
                Resource::NONE.fits_in(&view.free) || (book.shrunk && !granted_here),
                "I1: {} is over-committed: {}",
                view.name,
                view.free
            );
        }
        // I4: usage is the sum of the containers.
        let mut by_queue: BTreeMap<&str, Resource> = BTreeMap::new();
        let alive = self.apps.iter().filter(|app| app.alive);
        hold!(
            alive.clone().map(|app| app.number).eq(seen.apps.iter().map(|view| view.id.number)),
            "other applications are shown than there are"
        );
        for (book, view) in alive.zip(&seen.apps) {
            let own = self.containers.range((book.number, 0)..=(book.number, u32::MAX)).filter(|(_, own)| own.live);
            let usage = own.fold(none(), |sum, (_, own)| sum.plus(&own.size));
            hold!(view.usage == usage, "I4: application {} uses {usage}, shown {}", book.number, view.usage);
            let outstanding = book.asks.values().fold(none(), |sum, (count, size)| sum.plus(&size.times_int(*count)));
            hold!(
                view.outstanding == outstanding,
                "I3: application {} has {outstanding} outstanding, shown {}",
                book.number,
                view.outstanding
            );
            let reserved = seen.outcome.reserved.iter().filter(|reserved| reserved.app == book.number).count();
            hold!(view.reserved_nodes as usize == reserved, "application {}: {reserved} reservations", book.number);
            hold!(
                seen.queues.iter().any(|queue| queue.leaf && queue.name == view.queue),
                "{} is in no leaf",
                book.number
            );
            let sum = by_queue.entry(&view.queue).or_insert_with(none);
            *sum = sum.plus(&usage);
        }
        for view in &seen.queues {
            let below = |other: &&QueueView| other.name.rsplit_once('.').is_some_and(|(above, _)| above == view.name);
            let sum = if view.leaf {
                by_queue.get(view.name.as_str()).copied().unwrap_or_default()
            } else {
                seen.queues.iter().filter(below).fold(none(), |sum, child| sum.plus(&child.usage))
            };
            hold!(view.usage == sum, "I4: {} shows {}, its parts have {sum}", view.name, view.usage);
            // I2: a grant takes no queue above its max share.
            let inside = |made: &evenweave::AllocatedView| {
                let app = seen.apps.iter().find(|app| app.id.number == made.app);
                app.is_some_and(|app| app.queue == view.name || app.queue.starts_with(&format!("{}.", view.name)))
            };
            let grants: Vec<_> = seen.outcome.allocated.iter().filter(|made| inside(made)).collect();
            for i in 0..self.shape.types {
                // One worker refuses whatever the type that is above; several look at what a container has some of.
                let grown = grants.iter().any(|made| self.workers == 1 || made.resource.get(i) > 0);
                hold!(
                    !(grown && (self.shape.uniform || self.workers > 1)) || view.usage.get(i) <= view.max_share.get(i),
                    "I2: {} uses {} of at most {}",
                    view.name,
                    view.usage,
                    view.max_share
                );
            }
        }
        for reserved in &seen.outcome.reserved {
            let alive = self.apps.iter().any(|app| app.alive && app.number == reserved.app);
            hold!(alive, "a reservation for a finished application: {reserved:?}");
        }
        let stats = self.stepped.stats();
        hold!(stats.granted == self.granted, "{} granted, shown {}", self.granted, stats.granted);
        hold!(stats.completed == self.ended, "{} ended, shown {}", self.ended, stats.completed);
        let live = self.containers.values().filter(|book| book.live);
        let allocated = live.fold(none(), |sum, book| sum.plus(&book.size));
        hold!(stats.allocated == allocated, "allocated {allocated}, shown {}", stats.allocated);
        let total = self.nodes.iter().fold(none(), |sum, node| sum.plus(&node.total));
        hold!(stats.cluster == total, "the cluster has {total}, shown {}", stats.cluster);
        Ok(())
    }

    /// With room for everything, everything that is not tied to a place is granted. For unlimited shapes.
    pub(crate) fn serve_all(&mut self) -> Result<(), String> {
        const PLENTY: i64 = 1 << 24;
        for rack in 0..RACKS {
            let total = Resource::from_slice(&[PLENTY, PLENTY, PLENTY]);
            self.add_node(&NodeShape { rack, total }).map_err(|refused| refused.to_string())?;
        }
        let count = u8::try_from(self.nodes.len()).expect("few nodes");
        let mut quiet = 0;
        // Long enough for every locality level to be relaxed on every node.
        while quiet < 4 * count {
            quiet += 1;
            self.step(&Op::Update)?;
            self.step(&Op::Advance { ms: 200 })?;
            for node in 0..count {
                if !self.step(&Op::Heartbeat { node, ends: 0 })?.outcome.allocated.is_empty() {
                    quiet = 0;
                }
            }
        }
        for app in self.apps.iter().filter(|app| app.alive && !app.choosy) {
            let left: i64 = app.asks.values().map(|(count, _)| count).sum();
            hold!(left == 0, "I7: application {} never got {left} containers: {:?}", app.number, app.asks);
        }
        Ok(())
    }

    /// Ends everything; nothing may remain.
    pub(crate) fn tear_down(&mut self) -> Result<(), String> {
        while self.alive(0).is_some() {
            self.step(&Op::Finish { app: 0 })?;
        }
        while !self.containers.is_empty() {
            self.step(&Op::Complete { container: 0 })?;
        }
        let idle = self.stepped.queues().iter().all(|queue| {
            let am_idle = self.moved || queue.am_usage.is_none();
            queue.usage.is_none() && am_idle && queue.runnable == 0 && queue.non_runnable == 0
        });
        hold!(idle, "a queue is not idle: {:?}", self.stepped.queues());
        hold!(self.stepped.nodes().iter().all(|node| node.free == node.total), "a node is not empty");
        Ok(())
    }
}

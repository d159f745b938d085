//! A CapacityScheduler without threads, of any bytes: its queues and settings, its workers, and what is done to it.
//! After each step all books are counted.

#![allow(missing_docs, clippy::unwrap_used, reason = "a test's helpers")]

#[path = "../container_counts/mod.rs"]
mod container_counts;
pub(crate) mod shape;

use container_counts::compare;
use evenweave::SchedulerApi as _;
use evenweave::faults::Fault;
use evenweave::labels::NewLabel;
use evenweave::view::{CapacityPartitionView, CapacityQueueView, PreemptionRound};
use evenweave::{
    AllocateRequest, Allocation, AmRequest, AppHandle, Ask, CapacityConfiguration, CapacityScheduler, CapacityStepped,
    ContainerId, Heartbeat, Location, NewAttempt, NodeHandle, Resource, SchedulerEvent, Submission,
};
pub(crate) use shape::SHAPE;
use shape::Shape;
use std::collections::{BTreeMap, HashSet};

const USERS: [&str; 5] = ["ann", "bob", "cy", "dee", "eve"];
const NODES: usize = 8;
const APPS: usize = 16;

/// Four bytes: what, to whom, and how.
pub(crate) type Op = [u8; 4];

/// How often what came about.
pub(crate) type Effects = BTreeMap<&'static str, u64>;

/// What the machine does to a scheduler.
pub(crate) struct World {
    stepped: CapacityStepped,
    /// A scheduler whose handles are not this one's.
    other: (AppHandle, NodeHandle),
    shape: Shape,
    workers: usize,
    fold: bool,
    nodes: Vec<NodeHandle>,
    apps: Vec<AppHandle>,
    /// Handles of what is over.
    over: Vec<AppHandle>,
    gone: Vec<NodeHandle>,
    /// By application.
    held: BTreeMap<u32, Vec<ContainerId>>,
    ever: HashSet<ContainerId>,
    /// Workers that are given up.
    dead: usize,
    next_app: u32,
    next_node: u32,
    /// As in Hadoop, moves and priorities may leave lists and counts odd.
    is_odd: bool,
    /// Labels that are lent, or were at some time.
    lent: HashSet<String>,
    pub(crate) effects: Effects,
}

/// A size as some AM may ask for it; most are sound.
fn size(byte: u8) -> Resource {
    match byte {
        0..4 => Resource::ZERO,
        4..7 => Resource::new(-1, 1),
        7..10 => Resource::new(i64::MAX, 1),
        10..40 => Resource::new(7168, 7),
        40..80 => Resource::new(3072, 1),
        80..120 => Resource::new(2048, 3),
        120..140 => Resource::new(1500, 2),
        _ => Resource::new(1024, 1),
    }
}

fn total(byte: u8) -> Resource {
    match byte {
        0..6 => Resource::ZERO,
        6..12 => Resource::new(-5, 4),
        12..18 => Resource::new(1 << 61, 8),
        18..40 => Resource::new(2048, 2),
        40..80 => Resource::new(4096, 8),
        _ => Resource::new(8192, 8),
    }
}

impl World {
    /// `shape`: of queues and settings.
    pub(crate) fn new(workers: usize, shape: &[u8], resort: bool) -> World {
        let (fold, shape) = (shape.first().is_some_and(|byte| byte % 2 == 1), Shape::of(shape));
        let build = |workers| {
            let configuration = CapacityConfiguration::from_properties(shape.site(), shape.queues(0)).unwrap();
            let mut builder =
                CapacityScheduler::builder(configuration).workers(workers).resort_for_each_container(resort);
            if let Some(changes) = shape.fold_every {
                builder = builder.fold_every(changes);
            }
            builder.stepped().unwrap()
        };
        let mut other = build(1);
        let node = other.add_node("other", "/other", Resource::new(8192, 8)).unwrap();
        let app = other.submit(Submission::new(1, "ann").in_queue("root.a")).unwrap();
        let mut world = World {
            stepped: build(workers),
            other: (app, node),
            shape,
            workers,
            fold,
            nodes: Vec::new(),
            apps: Vec::new(),
            over: Vec::new(),
            gone: Vec::new(),
            held: BTreeMap::new(),
            ever: HashSet::new(),
            dead: 0,
            next_app: 1,
            next_node: 0,
            is_odd: false,
            lent: HashSet::from(["ssd".to_owned()]),
            effects: Effects::new(),
        };
        if world.shape.labels {
            let labels =
                [("gpu", true), ("ssd", false)].map(|(name, exclusive)| NewLabel { name: name.to_owned(), exclusive });
            world.stepped.add_labels(&labels).unwrap();
        }
        for node in 0..4 {
            world.add_node(node, 200);
            if node > 0 {
                world.relabel(node, node);
            }
        }
        world
    }

    fn note(&mut self, effect: &'static str, times: u64) {
        *self.effects.entry(effect).or_default() += times;
    }

    fn add_node(&mut self, a: u8, b: u8) {
        let (name, rack) = (format!("n{}", self.next_node), format!("/r{}", a % 5));
        self.next_node += 1;
        if let Ok(node) = self.stepped.add_node(&name, &rack, total(b)) {
            self.nodes.push(node);
        } else {
            self.note("a node refused", 1);
        }
    }

    /// A node; sometimes one that is gone, or another scheduler's.
    fn node(&self, a: u8) -> NodeHandle {
        match a {
            250..=252 if !self.gone.is_empty() => self.gone[usize::from(a) % self.gone.len()].clone(),
            253.. => self.other.1.clone(),
            _ if self.nodes.is_empty() => self.other.1.clone(),
            _ => self.nodes[usize::from(a) % self.nodes.len()].clone(),
        }
    }

    /// An application; sometimes one that is over, or another scheduler's.
    fn app(&self, a: u8) -> AppHandle {
        match a {
            250..=252 if !self.over.is_empty() => self.over[usize::from(a) % self.over.len()].clone(),
            253.. => self.other.0.clone(),
            _ if self.apps.is_empty() => self.other.0.clone(),
            _ => self.apps[usize::from(a) % self.apps.len()].clone(),
        }
    }

    fn place(&self, byte: u8) -> Location {
        let node = self.nodes.get(usize::from(byte) / 8 % NODES);
        match (byte % 8, node) {
            (0 | 1, Some(node)) => self.stepped.location(node.name()),
            (2 | 3, Some(node)) => self.stepped.location(node.rack()),
            (4, _) => self.stepped.location("nowhere"),
            _ => self.stepped.location("*"),
        }
    }

    /// Does one thing; says what it was.
    fn act(&mut self, [what, a, b, c]: Op) -> &'static str {
        match what % 56 {
            0..=3 if self.apps.len() < APPS => self.submit(a, b, c),
            4..=11 => self.ask(a, b, c),
            12 => self.release(a, b),
            13 => {
                let outcome = self.stepped.fetch(&self.app(a), &mut Allocation::default());
                self.note("a fetch refused", u64::from(outcome.is_err()));
                "a fetch"
            }
            14 => self.finish(a, b, c),
            31 if self.states().values().any(|state| *state == "non-runnable") => self.finish(a, b, 3),
            15 | 16 => self.next_attempt(a, b, c),
            17 => {
                self.is_odd = true;
                let queue = self.shape.some_leaf(b);
                let moved = self.stepped.move_app(&self.app(a), queue).is_ok();
                self.note("moved", u64::from(moved));
                "a move"
            }
            18 => {
                self.is_odd = true;
                let priority = [0, 1, 5, 100, -3, i32::MAX, i32::MIN][usize::from(b) % 7];
                let set = self.stepped.set_priority(&self.app(a), priority).is_ok();
                self.note("another priority", u64::from(set));
                "a priority"
            }
            19 if self.nodes.len() < NODES => {
                self.add_node(a, b);
                "a node more"
            }
            20 => self.remove_node(a),
            21 => {
                let (node, total) = (self.node(a), total(b));
                let done = match c % 2 {
                    0 => self.stepped.resize_node(&node, total),
                    _ => self.stepped.shrink_node(&node, total),
                };
                self.note("another total", u64::from(done.is_ok()));
                "a resize"
            }
            22 => {
                let node = self.node(a);
                let done = match b % 2 {
                    0 => self.stepped.decommission_node(&node),
                    _ => self.stepped.recommission_node(&node),
                };
                self.note("decommissioned or back", u64::from(done.is_ok()));
                "a decommission"
            }
            23 => {
                // Some cannot be: then nothing has changed.
                let outcome = self.stepped.refresh_properties(self.shape.queues(b));
                self.note(if outcome.is_ok() { "refreshed" } else { "a refresh refused" }, 1);
                "a refresh"
            }
            24 => {
                self.stepped.advance(u64::from(a) * [1, 100, 10_000][usize::from(b) % 3]);
                "time"
            }
            25 => {
                self.stepped.offer_all_from(usize::from(a) % 6);
                "a round"
            }
            26 => {
                let rounds = self.stepped.preempt().unwrap_or_default();
                let marked: usize = rounds.iter().map(PreemptionRound::count).sum();
                self.note("marked for preemption", marked as u64);
                "preemption"
            }
            27 => {
                self.stepped.expire_queues();
                "queues expire"
            }
            28 => {
                self.stepped.manage_queues();
                "queues are managed"
            }
            29 if self.shape.panics => self.panic(a, b),
            30 if self.shape.labels => self.relabel(a, b),
            32 if self.shape.labels && a < 40 => {
                // A queue names them, so that mostly this is refused.
                let label = self.shape.some_label(b);
                let gone = self.stepped.remove_labels(&[label]).is_ok();
                if gone {
                    self.lent.insert(label.to_owned());
                }
                self.note("labels gone", u64::from(gone));
                let again = NewLabel { name: self.shape.some_label(b).to_owned(), exclusive: c.is_multiple_of(2) };
                let _ = self.stepped.add_labels(&[again]);
                "labels go and come"
            }
            _ => self.heartbeat(a, b, c),
        }
    }

    fn submit(&mut self, a: u8, b: u8, c: u8) -> &'static str {
        let number = if c == 255 { 1 } else { self.next_app };
        let mut submission = Submission::new(number, USERS[usize::from(a) % 5]).in_queue(self.shape.some_leaf(b));
        if self.shape.labels && a.is_multiple_of(3) {
            submission = submission.labelled(self.shape.some_label(b));
        }
        if c.is_multiple_of(3) {
            let am = AmRequest::from(size(c));
            let named = self.shape.labels && b.is_multiple_of(4);
            submission.am = Some(if named { am.labelled(self.shape.some_label(a)) } else { am });
        }
        let outcome = match c % 3 {
            0 => self.stepped.submit_with_priority(submission, i32::from(c % 7)),
            _ => self.stepped.submit(submission),
        };
        match outcome {
            Ok(app) => {
                self.next_app += 1;
                self.apps.push(app);
                self.note("submitted", 1);
            }
            Err(_) => self.note("a submission refused", 1),
        }
        "a submission"
    }

    fn ask(&mut self, a: u8, b: u8, c: u8) -> &'static str {
        let app = self.app(a);
        let (size, priority) = (size(b), i32::from(c % 3));
        let count = [1, 2, 5, 0, 40, u32::MAX, 12, 8][usize::from(c) / 4 % 8];
        let any =
            Ask::anywhere(priority, size, count).relaxed(!c.is_multiple_of(16)).with_request_id(i64::from(b / 128));
        let mut asks = vec![any];
        if self.shape.labels && c % 4 < 2 {
            asks[0] = any.labelled(self.stepped.label(self.shape.some_label(b ^ c)));
        }
        if c.is_multiple_of(5) {
            let place = self.place(b.wrapping_add(c));
            asks.push(any.at(place).relaxed(true));
            if c.is_multiple_of(10) {
                let rack = self.place(b.wrapping_add(2));
                asks.push(Ask::anywhere(priority, size, count).with_request_id(i64::from(b / 128)).at(rack));
            }
        }
        let mut request = AllocateRequest::new(asks);
        if c.is_multiple_of(23) {
            request = request.with_blacklist_add([self.place(c)]);
        } else if c.is_multiple_of(29) {
            request = request.with_blacklist_remove([self.place(c)]);
        }
        self.call(&app, &request);
        "an ask"
    }

    fn call(&mut self, app: &AppHandle, request: &AllocateRequest) {
        let mut answer = Allocation::default();
        if self.stepped.allocate(app, request, &mut answer).is_err() {
            self.note("a call refused", 1);
            return;
        }
        for granted in &answer.granted {
            assert!(self.ever.insert(granted.id), "{:?} is granted twice", granted.id);
        }
        self.note("granted", answer.granted.len() as u64);
        self.note("told to give back", answer.strict_preemptions.len() as u64);
        let held = self.held.entry(app.number()).or_default();
        held.extend(answer.granted.iter().map(|granted| granted.id));
        held.retain(|id| !answer.ended.iter().any(|ended| ended.id == *id));
    }

    fn release(&mut self, a: u8, b: u8) -> &'static str {
        let app = self.app(a);
        let of = if b >= 240 { self.app(b) } else { app.clone() };
        let held = self.held.get(&of.number()).cloned().unwrap_or_default();
        let some = held.into_iter().take(1 + usize::from(b) % 4);
        let twice: Vec<_> = some.flat_map(|id| [id, id]).collect();
        self.call(&app, &AllocateRequest::default().with_releases(twice));
        "a release"
    }

    /// One ends, mostly while another thing begins before that is over.
    fn finish(&mut self, a: u8, b: u8, c: u8) -> &'static str {
        let first = self.app(a);
        if c.is_multiple_of(4) {
            self.finish_one(&first);
            return "an end";
        }
        let states = self.states();
        let waits = |app: &AppHandle| states.get(&app.number()) == Some(&"non-runnable");
        let waiting = self.apps.iter().find(|other| **other != first && waits(other)).cloned();
        let Some(second) = waiting else {
            self.finish_one(&first);
            return "an end";
        };
        let (first, second) = if c % 8 == 7 { (second, first) } else { (first, second) };
        let begins = self.stepped.begin_finish(&first).is_ok();
        if begins {
            self.is_over(&first);
        }
        match c % 8 {
            1 => {
                self.next_attempt_of(&second, b, c);
            }
            2 => {
                let refreshed = self.stepped.refresh_properties(self.shape.queues(b)).is_ok();
                self.note("refreshed", u64::from(refreshed));
            }
            _ => {
                let both = begins && !waits(&first) && waits(&second);
                self.note("one that waits ends after one that runs", u64::from(both));
                self.finish_one(&second);
            }
        }
        // What has begun comes to its end, though the rest was refused: this stops nothing here.
        assert!(self.stepped.stop_attempt(&self.other.0).is_err(), "of another scheduler");
        "an end beside something else"
    }

    fn finish_one(&mut self, app: &AppHandle) {
        if self.stepped.finish(app).is_ok() {
            self.is_over(app);
        }
    }

    fn is_over(&mut self, app: &AppHandle) {
        self.apps.retain(|other| other.number() != app.number());
        self.held.remove(&app.number());
        self.over.push(app.clone());
        self.note("finished", 1);
    }

    fn next_attempt(&mut self, a: u8, b: u8, c: u8) -> &'static str {
        self.next_attempt_of(&self.app(a), b, c)
    }

    fn next_attempt_of(&mut self, app: &AppHandle, b: u8, c: u8) -> &'static str {
        let am = c.is_multiple_of(3).then(|| AmRequest::from(size(c)));
        let new = NewAttempt::default().keep_containers(b.is_multiple_of(2)).maybe_with_am(am);
        match self.stepped.new_attempt(app, new) {
            Ok(next) => {
                if !b.is_multiple_of(2) {
                    self.held.remove(&app.number());
                }
                self.apps.retain(|other| other.number() != app.number());
                self.apps.push(next);
                self.over.push(app.clone());
                self.note("next attempt", 1);
            }
            // Its application may be over by that.
            Err(_) if app.is_finished() => self.apps.retain(|other| other != app),
            Err(_) => self.note("an attempt refused", 1),
        }
        "an attempt"
    }

    /// A node gets another label, or its host does.
    fn relabel(&mut self, a: u8, b: u8) -> &'static str {
        let (node, label) = (self.node(a), self.shape.some_label(b));
        let running = self.stepped.containers().iter().any(|view| view.node_id == node.id() && !view.ended);
        let labels: &[&str] = if label.is_empty() { &[] } else { &[label] };
        let done = self.stepped.set_node_labels(&[(node.name(), labels)]).is_ok();
        self.note("another label", u64::from(done));
        self.note("another label with containers", u64::from(done && running));
        "another label"
    }

    fn remove_node(&mut self, a: u8) -> &'static str {
        let node = self.node(a);
        if self.nodes.len() > 2 && self.stepped.remove_node(&node).is_ok() {
            self.nodes.retain(|other| *other != node);
            self.gone.push(node);
            self.note("a node gone", 1);
        }
        "a node less"
    }

    fn heartbeat(&mut self, a: u8, b: u8, c: u8) -> &'static str {
        let node = self.node(a);
        let mut heartbeat = Heartbeat::new(&node);
        heartbeat.offer = b % 8 != 7;
        let here: Vec<_> = self.stepped.containers().into_iter().filter(|view| view.node_id == node.id()).collect();
        let some = here.iter().take(usize::from(c) % 3);
        heartbeat.add_launched(some.map(|view| view.id));
        if c % 4 == 3 {
            heartbeat.add_completed(here.iter().take(1 + usize::from(c) / 64).map(|view| view.id));
        }
        heartbeat.add_completed(here.iter().filter(|view| view.ended).map(|view| view.id));
        if b == 255 {
            // Of others, and more than once.
            let mut strangers: Vec<_> = self.ever.iter().copied().collect();
            strangers.sort_unstable_by_key(|id| (id.application_number(), id.number()));
            heartbeat.add_completed(strangers.into_iter().take(3));
        }
        self.stepped.heartbeat(heartbeat);
        "a heartbeat"
    }

    fn panic(&mut self, a: u8, b: u8) -> &'static str {
        let worker = usize::from(a) % self.workers;
        let dies = b % 4 == 3 && self.dead + 1 < self.workers;
        let before = self.states();
        let fault = if dies { Fault::WorkerDeath { worker } } else { Fault::WorkerPanic { worker } };
        if self.stepped.inject(fault).is_err() {
            return "a panic of who is dead";
        }
        self.dead += usize::from(dies);
        self.note(if dies { "died" } else { "panicked" }, 1);
        let after = self.states();
        for (number, state) in before {
            let now = after[&number];
            let stays = state == now || (state, now) == ("pending", "active");
            assert!(stays || self.is_odd, "application {number} was {state} before a panic, and is {now}");
        }
        "a panic"
    }

    fn states(&mut self) -> BTreeMap<u32, &'static str> {
        let even = self.stepped.apps().into_iter().filter(|app| !self.shape.is_fair(&app.queue));
        even.map(|app| (app.number, app.state)).collect()
    }

    /// Nodes that were lost with a worker, and what else has happened.
    fn hear(&mut self) {
        while let Some(event) = self.stepped.next_event() {
            if let SchedulerEvent::WorkerPanicked { nodes, .. } = event {
                self.note("nodes lost in a panic", nodes.len() as u64);
                let (lost, stay): (Vec<_>, Vec<_>) = self.nodes.drain(..).partition(|node| node.is_gone());
                assert_eq!(lost.len(), nodes.len(), "all that are told of are gone");
                self.nodes = stay;
                for node in lost {
                    let total = Resource::new(8192, 8);
                    self.nodes.extend(self.stepped.add_node(node.name(), node.rack(), total));
                    self.gone.push(node);
                }
            }
        }
    }

    // ------------------------------------------------------------------------------------------------ what must be so

    /// One step, and all that must be so after it.
    pub(crate) fn step(&mut self, op: Op) -> Result<(), String> {
        let before = self.usage();
        let what = self.act(op);
        self.hear();
        self.check_audit(what, self.fold)?;
        let after = self.usage();
        let grows_by_granting = matches!(what, "a heartbeat" | "a round" | "an ask" | "a submission" | "a release");
        for ((name, label), (used, most)) in &after {
            let all = after.get(&("root".to_owned(), label.clone())).map_or(0, |(_, most)| *most);
            // What is lent is not bound by it.
            if self.lent.contains(label) {
                continue;
            }
            // Who may have all of the cluster leases nothing: with several workers more runs where nodes have got
            // smaller than what they run.
            if self.workers > 1 && *most >= all {
                continue;
            }
            let was = before.get(&(name.clone(), label.clone())).map_or(0, |(used, _)| *used);
            if used > most && *used > was && grows_by_granting {
                return Err(format!("after {what}: {name} has {used} MB of {label:?}, it may have {most}"));
            }
        }
        Ok(())
    }

    /// All that can be seen, but the limit that a user was held to last: a pass that leaves out whoever asks for
    /// nothing does not work it out for them.
    fn seen(&mut self) -> [String; 5] {
        let mut queues = self.stepped.queues_with_limits();
        let users = queues.iter_mut().filter_map(|queue| queue.leaf.as_mut()).flat_map(|leaf| &mut leaf.users);
        users.for_each(|user| user.last_limit = Resource::ZERO);
        let (queues, apps) = (format!("{queues:?}"), format!("{:?}", self.stepped.apps()));
        // Ids have something random, so that those of another scheduler are told apart.
        let containers = self.stepped.containers().into_iter().map(|view| {
            let (app, number, ask) = (view.id.application_number(), view.id.number(), view.priority);
            (app, number, ask, view.node, view.resource, view.launched, view.ended)
        });
        let containers = format!("{:?}", containers.collect::<Vec<_>>());
        let headrooms: Vec<_> = self.apps.iter().map(|app| self.stepped.headroom(app).unwrap()).collect();
        let (nodes, stats) = (format!("{:?}", self.stepped.nodes()), self.stepped.stats());
        [queues, apps, nodes, containers, format!("{stats:?} {headrooms:?}")]
    }

    fn check_audit(&mut self, what: &str, fold: bool) -> Result<(), String> {
        compare(&self.stepped.container_counts(), &self.stepped.containers())?;
        let wrong = self.stepped.audit(fold).wrong;
        if wrong.is_empty() { Ok(()) } else { Err(format!("after {what}: {}", wrong.join("\n"))) }
    }

    /// By queue and label: memory that is charged, and what it may be. With several workers, which count reservations
    /// each for itself, that of the containers.
    fn usage(&mut self) -> BTreeMap<(String, String), (i64, i64)> {
        let queues: Vec<CapacityQueueView> = self.stepped.queues();
        let of_node: BTreeMap<String, String> = self
            .stepped
            .labels()
            .unwrap_or_default()
            .into_iter()
            .flat_map(|label| label.nodes.into_iter().map(move |node| (node, label.name.clone())))
            .collect();
        let several = self.workers > 1;
        let charged = queues.into_iter().flat_map(|queue| {
            let used = |used: Resource| if several { 0 } else { used.memory_mb() };
            let first = (String::new(), (used(queue.used), queue.maximum.memory_mb()));
            let of_part =
                |part: &CapacityPartitionView| (part.label.clone(), (used(part.used), part.maximum.memory_mb()));
            let parts: Vec<(String, (i64, i64))> =
                std::iter::once(first).chain(queue.partitions.iter().map(of_part)).collect();
            parts.into_iter().map(move |(label, both)| ((queue.name.clone(), label), both))
        });
        let mut used: BTreeMap<(String, String), (i64, i64)> = charged.collect();
        if !several {
            return used;
        }
        let leaf_of: BTreeMap<u32, String> =
            self.stepped.apps().into_iter().map(|app| (app.number, app.queue)).collect();
        for view in self.stepped.containers().into_iter().filter(|view| !view.ended) {
            let mut at = leaf_of.get(&view.id.application_number()).map(String::as_str);
            while let Some(queue) = at {
                // A queue that a refresh has removed may still have applications.
                let label = of_node.get(&view.node).cloned().unwrap_or_default();
                if let Some((used, _)) = used.get_mut(&(queue.to_owned(), label)) {
                    *used += view.resource.memory_mb();
                }
                at = queue.rsplit_once('.').map(|(above, _)| above);
            }
        }
        used
    }

    /// All end, and nothing is left over.
    pub(crate) fn end(mut self) -> Result<Effects, String> {
        for app in std::mem::take(&mut self.apps) {
            self.stepped.finish(&app).map_err(|refused| refused.to_string())?;
        }
        self.check_audit("the end of all", true)?;
        let (odd, made) = (self.is_odd, self.stepped.queues().iter().filter(|queue| queue.making.is_some()).count());
        self.note("cases that are odd", u64::from(odd));
        self.note("queues that made themselves", made as u64);
        for queue in self.stepped.queues_with_limits() {
            let left = [queue.used, queue.pending];
            // As in Hadoop: a fair leaf may put one that waits in its list, where it stays.
            let apps = if self.shape.is_fair(&queue.name) { 0 } else { queue.applications };
            if (left, queue.containers, apps) != ([Resource::ZERO; 2], 0, 0) && !self.is_odd {
                return Err(format!("at the end something is left: {queue:?}"));
            }
        }
        for node in std::mem::take(&mut self.nodes) {
            self.stepped.remove_node(&node).map_err(|refused| refused.to_string())?;
        }
        self.check_audit("the end of all nodes", true)?;
        let stats = self.stepped.stats();
        if (stats.running, stats.allocated, stats.cluster) != (0, Resource::ZERO, Resource::ZERO) {
            return Err(format!("at the end something runs: {stats:?}"));
        }
        self.note("containers", stats.granted);
        self.note("reservations", stats.reservations);
        Ok(self.effects)
    }
}

/// A case of any bytes: the workers, the shape, then four bytes each the operations, so many at most.
#[allow(dead_code, reason = "of the fuzz target")]
pub(crate) fn of_bytes(bytes: &[u8]) -> Option<(usize, &[u8], Vec<Op>)> {
    let (first, rest) = bytes.split_first()?;
    let (shape, rest) = rest.split_at_checked(SHAPE)?;
    let (ops, _) = rest.as_chunks::<4>();
    Some((1 + usize::from(first % 4), shape, ops.iter().take(400).copied().collect()))
}

/// All of a case.
pub(crate) fn play(workers: usize, shape: &[u8], ops: &[Op]) -> Result<Effects, String> {
    let mut world = World::new(workers, shape, false);
    for (at, op) in ops.iter().enumerate() {
        world.step(*op).map_err(|why| format!("{workers} workers, step {at} {op:?}, {why}"))?;
    }
    world.end().map_err(|why| format!("{workers} workers, {why}"))
}

/// All of a case on two schedulers, the second of which sorts and looks at all that there is for every container: after
/// every step both show the same.
#[allow(dead_code, reason = "not of the fuzz target")]
pub(crate) fn twins_agree(workers: usize, shape: &[u8], ops: &[Op]) -> Result<Effects, String> {
    let mut pair = [false, true].map(|resort| World::new(workers, shape, resort));
    for (at, op) in ops.iter().enumerate() {
        for world in &mut pair {
            world.step(*op).map_err(|why| format!("step {at} {op:?}, {why}"))?;
        }
        let [kept, sorted] = pair.each_mut().map(World::seen);
        if let Some((kept, sorted)) = kept.iter().zip(&sorted).find(|(kept, sorted)| kept != sorted) {
            return Err(format!("step {at} {op:?}: kept {kept}\nsorted {sorted}"));
        }
    }
    let [kept, sorted] = pair.map(|world| world.end());
    sorted.and(kept)
}

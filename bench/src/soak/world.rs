//! The cluster of a soak: nodes and ApplicationMasters that keep books of their own, container by container.
//!
//! An application has some hundred tasks, asks for all of them at once, and again, under a request id of its own, for
//! those whose container was lost; it ends when each task's container has completed. So a container that is lost
//! without a word leaves an application that never ends, and shows with the next comparison.

use evenweave::refused::{AlreadyExists, NotFound, TryAgain};
use evenweave_tools::Failure;
use evenweave_tools::random::{mix, unit};
use rustc_hash::{FxHashMap, FxHashSet};

use super::latencies::Latencies;
use super::subject::Subject;
use super::watchdog::Watchdog;
use crate::api::{
    AllocateRequest, Allocation, AppHandle, Ask, ContainerId, EndReason, Fault, Heartbeat, NodeHandle, Refused,
    Resource, Submission,
};
use crate::engine::figures::AppFigures;
use crate::latency::record;
use crate::load::LoadOptions;

const NODE: Resource = Resource::new(131_072, 64);
const CONTAINER: Resource = Resource::new(2048, 1);
/// Containers that a node takes.
const A_NODE_TAKES: u32 = 64;
/// Tasks of an application: from the first, as many more as the second at most.
const TASKS: (u32, u32) = (40, 400);
/// More is wanted than there is room for.
const CROWDED: f64 = 1.2;
const HEARTBEAT_NS: u64 = 100_000_000;
/// Heartbeats in one call.
const BATCH: u32 = 64;
/// An AM calls so often.
const CALL_NS: u64 = 200_000_000;
/// An AM that never calls again is given up by the ResourceManager after this.
const SILENCE_NS: u64 = 10_000_000_000;
/// So many ways in which books differ are kept.
const SHOWN: usize = 20;

/// An application and its AM.
#[derive(Debug)]
struct Master {
    handle: AppHandle,
    leaf: usize,
    /// Tasks whose container has not completed.
    left: u32,
    /// Containers asked for and not received.
    outstanding: u32,
    /// Containers that the AM has.
    held: FxHashSet<ContainerId>,
    /// Numbers of containers that it was ever given.
    ever: FxHashSet<u32>,
    requests: i64,
    to_ask: Vec<Ask>,
    next_call: u64,
}

/// What runs on a node, as its NodeManager has it.
#[derive(Debug)]
struct Running {
    id: ContainerId,
    over: u64,
    told: bool,
}

#[derive(Debug)]
struct Node {
    handle: NodeHandle,
    running: Vec<Running>,
    /// What it has told last is done.
    completed: Vec<ContainerId>,
}

/// See the module's text.
#[derive(Debug)]
pub(super) struct World {
    scheduler: Subject,
    workers: usize,
    racks: u32,
    seed: u64,
    mean_ns: f64,
    leaves: Vec<String>,
    nodes: Vec<Node>,
    /// By the scheduler's number of the node.
    node_of: FxHashMap<usize, usize>,
    masters: Vec<Master>,
    /// AMs that never call again, and when they are given up.
    silent: Vec<(u64, AppHandle)>,
    wanted_masters: usize,
    next_number: u32,
    beat: u64,
    request: AllocateRequest,
    answer: Allocation,
    refused: Vec<Heartbeat>,
    pub(super) latencies: Latencies,
    pub(super) watchdog: Watchdog,
    pub(super) granted: u64,
    pub(super) ended: u64,
    pub(super) lost_with_nodes: u64,
    pub(super) apps_finished: u64,
    pub(super) checks: u64,
    pub(super) lost: u64,
    pub(super) differences: Vec<String>,
}

fn rack_of(node: usize, racks: u32) -> String {
    format!("/r{}", node % racks.max(1) as usize)
}

impl World {
    pub(super) fn new(
        scheduler: Subject,
        nodes: u32,
        racks: u32,
        leaves: Vec<String>,
        options: &LoadOptions,
    ) -> Result<World, Failure> {
        let capacity = f64::from(nodes * A_NODE_TAKES);
        let mean_tasks = f64::from(TASKS.0 + TASKS.1 / 2);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few thousand at most")]
        let wanted_masters = ((capacity * CROWDED / mean_tasks) as usize).max(2);
        let mut world = World {
            scheduler,
            workers: options.workers,
            racks,
            seed: options.seed,
            mean_ns: options.mean_life().as_secs_f64() * 1e9,
            leaves,
            nodes: Vec::new(),
            node_of: FxHashMap::default(),
            masters: Vec::new(),
            silent: Vec::new(),
            wanted_masters,
            next_number: 1,
            beat: 0,
            request: AllocateRequest::default(),
            answer: Allocation::default(),
            refused: Vec::new(),
            latencies: Latencies::new(),
            watchdog: Watchdog::start(),
            granted: 0,
            ended: 0,
            lost_with_nodes: 0,
            apps_finished: 0,
            checks: 0,
            lost: 0,
            differences: Vec::new(),
        };
        for at in 0..nodes as usize {
            let handle = world.add_node(at).map_err(|refused| Failure::Scheduler(refused.to_string()))?;
            world.node_of.insert(handle.id().index(), at);
            world.nodes.push(Node { handle, running: Vec::new(), completed: Vec::new() });
        }
        Ok(world)
    }

    pub(super) fn scheduler(&self) -> &Subject {
        &self.scheduler
    }

    pub(super) fn workers(&self) -> usize {
        self.workers
    }

    fn add_node(&mut self, at: usize) -> Result<NodeHandle, Refused> {
        let (name, rack) = (format!("n{at}"), rack_of(at, self.racks));
        self.watchdog.watch("add_node", || self.scheduler.add_node(&name, &rack, NODE)).0
    }

    /// A node that was lost, with all that ran there, registers again.
    /// A node has come in the place of one that is gone.
    fn put_node(&mut self, at: usize, handle: NodeHandle) {
        self.node_of.remove(&self.nodes[at].handle.id().index());
        self.node_of.insert(handle.id().index(), at);
        self.nodes[at] = Node { handle, running: Vec::new(), completed: Vec::new() };
    }

    fn add_again(&mut self, at: usize) {
        match self.add_node(at) {
            Ok(handle) => self.put_node(at, handle),
            // Not gone yet: with its next heartbeat.
            Err(Refused::AlreadyExists(AlreadyExists::Node(_))) => {}
            Err(refused) => self.differ(format!("add_node n{at}: {refused}")),
        }
    }

    fn differ(&mut self, what: String) {
        if self.differences.len() < SHOWN {
            self.differences.push(what);
        }
    }

    // ------------------------------------------------------------------------------------------------ a round

    /// Everything that is due.
    pub(super) fn round(&mut self, now: u64) {
        self.submit(now);
        for at in 0..self.masters.len() {
            if self.masters[at].next_call <= now {
                self.masters[at].next_call = now + CALL_NS;
                self.call(at, now);
            }
        }
        self.finish_done();
        let due = self.silent.iter().take_while(|(due, _)| *due <= now).count();
        for (_, handle) in self.silent.drain(..due).collect::<Vec<_>>() {
            self.finish(&handle);
        }
        if !self.beats(now) {
            std::thread::sleep(std::time::Duration::from_micros(200));
        }
        // Events are read so that their channel does not fill; what is lost is noticed by its heartbeat.
        self.scheduler.read_events();
    }

    fn submit(&mut self, now: u64) {
        while self.masters.len() < self.wanted_masters {
            let number = self.next_number;
            self.next_number += 1;
            let leaf = number as usize % self.leaves.len();
            let queue = Some(self.leaves[leaf].clone());
            let submission = Submission::new(number, format!("user{}", number % 7)).maybe_in_queue(queue);
            match self.watchdog.watch("submit", || self.scheduler.submit(submission)).0 {
                Ok(handle) => {
                    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few hundred")]
                    let tasks = TASKS.0 + (f64::from(TASKS.1) * unit(self.seed, number, 0)) as u32;
                    let mut master = Master {
                        handle,
                        leaf,
                        left: tasks,
                        outstanding: 0,
                        held: FxHashSet::default(),
                        ever: FxHashSet::default(),
                        requests: 0,
                        to_ask: Vec::new(),
                        next_call: now,
                    };
                    master.ask(tasks);
                    self.masters.push(master);
                }
                // The group provider hangs: later.
                Err(Refused::TryAgain(TryAgain::NoGroups { .. })) => return,
                Err(refused) => return self.differ(format!("submit {number}: {refused}")),
            }
        }
    }

    /// One `allocate` call; whether something was told.
    fn call(&mut self, at: usize, now: u64) -> bool {
        let master = &mut self.masters[at];
        std::mem::swap(&mut self.request.asks, &mut master.to_ask);
        let (scheduler, request, answer) = (&self.scheduler, &self.request, &mut self.answer);
        let (outcome, took) = self.watchdog.watch("allocate", || scheduler.allocate(&master.handle, request, answer));
        record(&mut self.latencies.allocate, took);
        match outcome {
            Ok(()) => self.request.asks.clear(),
            Err(refused) => {
                std::mem::swap(&mut self.request.asks, &mut master.to_ask);
                if refused != Refused::TryAgain(TryAgain::Busy) {
                    let number = master.handle.number();
                    self.differ(format!("allocate of application {number}: {refused}"));
                }
                return false;
            }
        }
        let answer = std::mem::take(&mut self.answer);
        for container in &answer.granted {
            self.granted += 1;
            self.received(at, container.id, container.node.index(), now);
        }
        let mut again = 0;
        for ended in &answer.ended {
            self.ended += 1;
            let master = &mut self.masters[at];
            if !master.held.remove(&ended.id) {
                self.lost += 1;
                let number = master.handle.number();
                self.differ(format!(
                    "container {:?} of application {number} ended twice, or was never granted",
                    ended.id
                ));
                continue;
            }
            if ended.reason == EndReason::Completed {
                master.left -= 1;
            } else {
                self.lost_with_nodes += u64::from(ended.reason == EndReason::NodeLost);
                again += 1;
            }
        }
        if again > 0 {
            self.masters[at].ask(again);
        }
        let told = !answer.granted.is_empty() || !answer.ended.is_empty();
        self.answer = answer;
        told
    }

    fn received(&mut self, at: usize, id: ContainerId, node: usize, now: u64) {
        let master = &mut self.masters[at];
        if !master.ever.insert(id.number()) || master.outstanding == 0 {
            self.lost += 1;
            let number = master.handle.number();
            return self
                .differ(format!("container {id:?} of application {number} was granted twice, or not asked for"));
        }
        master.outstanding -= 1;
        master.held.insert(id);
        // Where its node is gone its end is on its way.
        if let Some(node) = self.node_of.get(&node) {
            // Between a tenth of the mean and nearly twice it.
            let life = self.mean_ns * (0.1 + 1.8 * unit(self.seed, id.application_number(), id.number()));
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "nanoseconds of a task")]
            let over = now + life as u64;
            self.nodes[*node].running.push(Running { id, over, told: false });
        }
    }

    fn finish(&mut self, handle: &AppHandle) {
        if let Err(refused) = self.watchdog.watch("finish", || self.scheduler.finish(handle)).0 {
            self.differ(format!("finish of application {}: {refused}", handle.number()));
        }
    }

    fn finish_done(&mut self) {
        let mut at = 0;
        while at < self.masters.len() {
            if self.masters[at].left > 0 {
                at += 1;
                continue;
            }
            let master = self.masters.swap_remove(at);
            self.finish(&master.handle);
            self.apps_finished += 1;
        }
    }

    /// Heartbeats that are due; whether there were any.
    fn beats(&mut self, now: u64) -> bool {
        let refused = std::mem::take(&mut self.refused);
        if !refused.is_empty() {
            self.send(refused);
            if !self.refused.is_empty() {
                return false;
            }
        }
        let nodes = self.nodes.len() as u64;
        let due = u64::try_from(u128::from(now) * u128::from(nodes) / u128::from(HEARTBEAT_NS)).unwrap_or(u64::MAX);
        // A round that is missed is left out.
        self.beat = self.beat.max(due.saturating_sub(nodes));
        let mut batch = Vec::new();
        while self.beat < due && batch.len() < BATCH as usize {
            let at = usize::try_from(self.beat % nodes).expect("nodes are counted in 32 bits");
            self.beat += 1;
            if self.nodes[at].handle.is_gone() {
                self.add_again(at);
            }
            batch.push(self.report(at, now));
        }
        let any = !batch.is_empty();
        if any {
            self.send(batch);
        }
        any
    }

    fn report(&mut self, at: usize, now: u64) -> Heartbeat {
        let node = &mut self.nodes[at];
        let mut heartbeat = Heartbeat::new(&node.handle);
        node.completed.clear();
        node.running.retain_mut(|running| {
            if !std::mem::replace(&mut running.told, true) {
                heartbeat.add_launched([running.id]);
            }
            let over = running.over <= now;
            if over {
                node.completed.push(running.id);
            }
            !over
        });
        heartbeat.add_completed(node.completed.iter().copied());
        heartbeat
    }

    fn send(&mut self, batch: Vec<Heartbeat>) {
        let (outcome, took) = self.watchdog.watch("heartbeats", || self.scheduler.heartbeats(batch));
        record(&mut self.latencies.heartbeats, took);
        if let Err(not_sent) = outcome {
            if not_sent.reason != Refused::TryAgain(TryAgain::Busy) {
                self.differ(format!("heartbeats: {}", not_sent.reason));
                return;
            }
            self.refused = not_sent.returned;
        }
    }

    // ------------------------------------------------------------------------------------------------ the comparison

    /// Comes to rest and compares.
    pub(super) fn check(&mut self, now: u64) {
        self.checks += 1;
        let mut quiet = 0;
        while quiet < 2 {
            let refused = std::mem::take(&mut self.refused);
            if !refused.is_empty() {
                self.send(refused);
            }
            self.quiesce();
            let mut any = !self.refused.is_empty();
            for at in 0..self.masters.len() {
                any |= self.call(at, now);
            }
            any |= self.masters.iter().any(|master| !master.to_ask.is_empty());
            quiet = if any { 0 } else { quiet + 1 };
        }
        self.quiesce();
        self.compare();
    }

    fn quiesce(&mut self) {
        let scheduler = &self.scheduler;
        self.watchdog.watch("quiesce and update", || scheduler.come_to_rest());
    }

    fn compare(&mut self) {
        let stats = self.scheduler.stats();
        let views: FxHashMap<u32, AppFigures> =
            self.scheduler.apps().into_iter().map(|view| (view.number, view)).collect();
        let containers = |count: u64| CONTAINER.times_int(i64::try_from(count).expect("far below 2^63"));
        let mut found = Vec::new();
        let (mut live, mut in_leaf) = (0, vec![0_u64; self.leaves.len()]);
        for master in &self.masters {
            let (number, held) = (master.handle.number(), master.held.len() as u64);
            live += held;
            in_leaf[master.leaf] += held;
            let Some(view) = views.get(&number) else {
                found.push(format!("application {number} is unknown"));
                continue;
            };
            if view.usage != containers(held) {
                self.lost += 1;
                found.push(format!("application {number} uses {}, its AM has {held} containers", view.usage));
            }
            if view.outstanding != containers(u64::from(master.outstanding)) {
                let asked = master.outstanding;
                found.push(format!("application {number}: outstanding {}, its AM waits for {asked}", view.outstanding));
            }
        }
        for (_, handle) in &self.silent {
            if let Some(view) = views.get(&handle.number()) {
                let held = u64::try_from(view.usage.memory_mb() / CONTAINER.memory_mb()).unwrap_or(0);
                live += held;
                if let Some(leaf) = self.leaves.iter().position(|leaf| *leaf == view.queue) {
                    in_leaf[leaf] += held;
                }
            }
        }
        if views.len() != self.masters.len() + self.silent.len() {
            found.push(format!("{} applications, not {}", views.len(), self.masters.len() + self.silent.len()));
        }
        if stats.running != live {
            self.lost += stats.running.abs_diff(live);
            found.push(format!("{} containers run, AMs have {live}", stats.running));
        }
        for queue in self.scheduler.queues() {
            let under = |leaf: &str| {
                leaf.strip_prefix(&*queue.name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            };
            let held = self.leaves.iter().zip(&in_leaf).filter(|(leaf, _)| under(leaf)).map(|(_, held)| held).sum();
            if queue.usage != containers(held) {
                found.push(format!("queue {} uses {}, its AMs have {held} containers", queue.name, queue.usage));
            }
        }
        self.compare_nodes(&stats.allocated, &mut found);
        let scheduler = &self.scheduler;
        found.extend(self.watchdog.watch("audit", || scheduler.audit()).0);
        let check = self.checks;
        found.into_iter().for_each(|what| self.differ(format!("comparison {check}: {what}")));
    }

    /// What nodes have given away is what is used, and what ended without its node's word.
    fn compare_nodes(&self, allocated: &Resource, found: &mut Vec<String>) {
        let held: FxHashSet<ContainerId> = self.masters.iter().flat_map(|master| &master.held).copied().collect();
        let silent: FxHashSet<u32> = self.silent.iter().map(|(_, handle)| handle.number()).collect();
        let there = self.nodes.iter().filter(|node| !node.handle.is_gone());
        let ended = there
            .flat_map(|node| &node.running)
            // What its node has not told of as launched had its room back when it ended.
            .filter(|running| {
                running.told && !held.contains(&running.id) && !silent.contains(&running.id.application_number())
            })
            .count();
        let mut used = Resource::ZERO;
        for node in self.scheduler.nodes() {
            used = used.plus(&node.total.minus(&node.free));
            if !Resource::ZERO.fits_in(&node.free) {
                found.push(format!("node {} is over-committed: free {}", node.name, node.free));
            }
        }
        let expected = allocated.plus(&CONTAINER.times_int(i64::try_from(ended).expect("few")));
        if used != expected {
            found.push(format!("nodes have given {used} away, used and not yet free are {expected}"));
        }
    }

    // ------------------------------------------------------------------------------------------------ faults

    pub(super) fn inject(&mut self, fault: Fault) {
        if let Err(refused) = self.scheduler.inject(fault) {
            self.differ(format!("{fault:?}: {refused}"));
        }
    }

    /// The queues are other ones, or stay as they are because those cannot be.
    pub(super) fn refresh(&mut self, random: u64) {
        let scheduler = &self.scheduler;
        if let Some(wrong) = self.watchdog.watch("refresh", || scheduler.refresh(random)).0 {
            self.differ(wrong);
        }
    }

    /// A node gets a label, or loses it, with all that runs there.
    pub(super) fn relabel(&mut self, random: u64) {
        let name = self.nodes[self.pick(random)].handle.name().to_owned();
        let (scheduler, is_lent) = (&self.scheduler, mix(random).is_multiple_of(2));
        if let Err(refused) = self.watchdog.watch("relabel", || scheduler.relabel(&name, is_lent)).0 {
            self.differ(format!("another label of {name}: {refused}"));
        }
    }

    fn pick(&self, random: u64) -> usize {
        usize::try_from(random % self.nodes.len() as u64).expect("nodes are counted in 32 bits")
    }

    pub(super) fn replace_node(&mut self, random: u64) {
        let at = self.pick(random);
        let gone = self.nodes[at].handle.clone();
        match self.watchdog.watch("remove_node", || self.scheduler.remove_node(&gone)).0 {
            // Lost just now.
            Ok(()) | Err(Refused::NotFound(NotFound::Node(_))) => self.add_again(at),
            Err(refused) => self.differ(format!("remove_node n{at}: {refused}")),
        }
    }

    pub(super) fn register_twice(&mut self, random: u64) {
        let at = self.pick(random);
        match self.add_node(at) {
            Err(Refused::AlreadyExists(AlreadyExists::Node(_))) => {}
            Err(refused) => self.differ(format!("add_node n{at} a second time: {refused}")),
            // It was lost, and nobody had noticed.
            Ok(handle) => self.put_node(at, handle),
        }
    }

    pub(super) fn unknown_node(&mut self, random: u64) {
        let gone = Heartbeat::new(&self.nodes[self.pick(random)].handle);
        self.replace_node(random);
        self.send(vec![gone]);
    }

    pub(super) fn complete_twice(&mut self, random: u64) {
        let node = &self.nodes[self.pick(random)];
        let mut heartbeat = Heartbeat::new(&node.handle);
        heartbeat.add_completed(node.completed.iter().copied());
        self.send(vec![heartbeat.clone(), heartbeat]);
    }

    pub(super) fn report_strangers(&mut self, random: u64) {
        let (at, other) = (self.pick(random), self.pick(mix(random)));
        if at != other {
            let mut heartbeat = Heartbeat::new(&self.nodes[at].handle);
            heartbeat.add_completed(self.nodes[other].running.iter().map(|running| running.id));
            self.send(vec![heartbeat]);
        }
    }

    pub(super) fn silence_master(&mut self, random: u64, now: u64) {
        if self.masters.is_empty() {
            return;
        }
        let at = usize::try_from(random % self.masters.len() as u64).expect("few");
        let master = self.masters.swap_remove(at);
        self.silent.push((now + SILENCE_NS, master.handle));
    }

    /// All that were given up end.
    pub(super) fn end_silent(&mut self) {
        for (_, handle) in std::mem::take(&mut self.silent) {
            self.finish(&handle);
        }
    }

    /// A submission that cannot be placed, since the user's groups are not known.
    pub(super) fn submit_refused(&mut self, user: &str) {
        let number = self.next_number;
        self.next_number += 1;
        let submission = Submission::new(number, user).in_queue(self.leaves[0].clone());
        match self.watchdog.watch("submit", || self.scheduler.submit(submission)).0 {
            Err(Refused::TryAgain(TryAgain::NoGroups { .. })) => {}
            Err(refused) => self.differ(format!("submission of {user}: {refused}")),
            Ok(handle) => self.finish(&handle),
        }
    }

    pub(super) fn shut_down(&mut self) {
        self.watchdog.watch("shutdown", || self.scheduler.shutdown());
    }
}

impl Master {
    /// Asks for this many more containers, beside what is outstanding.
    fn ask(&mut self, count: u32) {
        self.requests += 1;
        self.outstanding += count;
        self.to_ask.push(Ask::anywhere(1, CONTAINER, count).with_request_id(self.requests));
    }
}

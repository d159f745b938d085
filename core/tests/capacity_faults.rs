//! Workers of a CapacityScheduler panic, a hundred times each and under load: its books are written anew, limits hold,
//! and nothing is lost, left over or counted twice. Where and when a panic comes is decided by counts, not by time.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use evenweave::clock::{Clock, VirtualClock};
use evenweave::faults::Fault;
use evenweave::refused::{AlreadyExists, Gone, NotFound};
use evenweave::{
    AllocateRequest, AppHandle, CapacityScheduler, CapacitySchedulerBuilder, ContainerId, Heartbeat, NodeHandle,
    NodeId, Refused, Resource, SchedulerEvent, Submission,
};
use evenweave_testkit::{allocate, ask, capacity, send, until, within};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::thread;

const TIMES: usize = 100;
const NODES: usize = 12;
/// The leaf of each application, and its user. Only one application of `root.p.y` may start: its AM counts as 1 GB.
const APPS: [(&str, &str); 10] = [
    ("root.a", "ann"),
    ("root.a", "bob"),
    ("root.a", "cy"),
    ("root.b", "ann"),
    ("root.b", "bob"),
    ("root.p.x", "cy"),
    ("root.p.x", "ann"),
    ("root.p.y", "bob"),
    ("root.p.y", "cy"),
    ("root.p.y", "ann"),
];

fn queues(maximum: &'static str) -> Vec<(&'static str, &'static str)> {
    vec![
        ("yarn.scheduler.capacity.root.queues", "a,b,p"),
        ("yarn.scheduler.capacity.root.a.capacity", "30"),
        ("yarn.scheduler.capacity.root.a.maximum-capacity", maximum),
        ("yarn.scheduler.capacity.root.b.capacity", "30"),
        ("yarn.scheduler.capacity.root.b.ordering-policy", "fair"),
        ("yarn.scheduler.capacity.root.p.capacity", "40"),
        ("yarn.scheduler.capacity.root.p.maximum-capacity", "60"),
        ("yarn.scheduler.capacity.root.p.queues", "x,y"),
        ("yarn.scheduler.capacity.root.p.x.capacity", "50"),
        ("yarn.scheduler.capacity.root.p.y.capacity", "50"),
        ("yarn.scheduler.capacity.root.p.y.maximum-am-resource-percent", "0.01"),
        ("yarn.scheduler.capacity.root.a.user-limit-factor", "10"),
        ("yarn.scheduler.capacity.root.b.user-limit-factor", "10"),
        ("yarn.scheduler.capacity.root.p.x.user-limit-factor", "10"),
        ("yarn.scheduler.capacity.root.p.y.user-limit-factor", "10"),
        ("yarn.scheduler.capacity.maximum-am-resource-percent", "1"),
        ("yarn.scheduler.capacity.root.b.max-parallel-apps", "2"),
    ]
}

fn builder(workers: usize) -> CapacitySchedulerBuilder {
    let site = [("yarn.scheduler.capacity.node-locality-delay", "-1")];
    capacity(site, queues("50")).workers(workers)
}

/// A clock that stands, and panics on a worker's thread when it is asked for the time that `left` says.
#[derive(Debug, Default)]
struct Touchy {
    clock: VirtualClock,
    left: AtomicI64,
}

impl Clock for Touchy {
    fn now_ms(&self) -> u64 {
        let is_worker = thread::current().name().is_some_and(|name| name.starts_with("evenweave-worker"));
        assert!(!is_worker || self.left.fetch_sub(1, Ordering::Relaxed) != 1, "a clock that panics");
        self.clock.now_ms()
    }
}

/// An AM with its books.
struct Master {
    handle: AppHandle,
    known: HashMap<ContainerId, NodeId>,
    granted: usize,
}

struct World {
    scheduler: CapacityScheduler,
    nodes: Vec<NodeHandle>,
    masters: Vec<Master>,
    ever: HashSet<ContainerId>,
    /// Of AMs that are gone: their nodes say that they have ended.
    orphans: HashMap<ContainerId, NodeId>,
    next_app: u32,
    round: usize,
    panics: usize,
    lost_nodes: usize,
}

impl World {
    fn start(builder: CapacitySchedulerBuilder) -> World {
        let scheduler = builder.start().unwrap();
        let nodes = (0..NODES).map(|at| add_node(&scheduler, at).unwrap()).collect();
        let mut world = World {
            scheduler,
            nodes,
            masters: Vec::new(),
            ever: HashSet::new(),
            orphans: HashMap::new(),
            next_app: 1,
            round: 0,
            panics: 0,
            lost_nodes: 0,
        };
        for at in 0..APPS.len() {
            let master = world.submit(at);
            world.masters.push(master);
        }
        world
    }

    fn submit(&mut self, at: usize) -> Master {
        let (queue, user) = APPS[at];
        let submission = Submission::new(self.next_app, user).in_queue(queue);
        self.next_app += 1;
        Master {
            handle: within("submit", || self.scheduler.submit(submission)).unwrap(),
            known: HashMap::new(),
            granted: 0,
        }
    }

    /// An application ends, and another comes.
    fn replace(&mut self, at: usize) {
        let handle = self.masters[at].handle.clone();
        within("finish", || self.scheduler.finish(&handle)).unwrap();
        let new = self.submit(at);
        self.orphans.extend(std::mem::replace(&mut self.masters[at], new).known);
    }

    /// Hears of panics; what was lost registers again.
    fn hear(&mut self) {
        while let Some(event) = self.scheduler.next_event() {
            let SchedulerEvent::WorkerPanicked { nodes, .. } = event else { panic!("{event:?}") };
            self.panics += 1;
            self.lost_nodes += nodes.len();
            for name in nodes {
                let at: usize = name[1..].parse().unwrap();
                match within("add_node", || add_node(&self.scheduler, at)) {
                    Ok(node) => self.nodes[at] = node,
                    Err(Refused::AlreadyExists(AlreadyExists::Node(_)) | Refused::Gone(Gone::AllWorkers)) => {}
                    Err(other) => panic!("{other}"),
                }
            }
        }
    }

    fn hear_of(&mut self, panics: usize) {
        until("the event of a panic", || {
            self.hear();
            self.panics >= panics
        });
    }

    fn call(&mut self, at: usize, request: &AllocateRequest) {
        let master = &mut self.masters[at];
        let answer = match within("allocate", || allocate(&self.scheduler, &master.handle, request)) {
            Ok(answer) => answer,
            Err(Refused::Gone(Gone::Worker(_))) => return,
            Err(other) => panic!("{other}"),
        };
        for container in &answer.granted {
            assert!(self.ever.insert(container.id), "{:?} is granted twice", container.id);
            master.known.insert(container.id, container.node);
            master.granted += 1;
        }
        for ended in &answer.ended {
            assert!(master.known.remove(&ended.id).is_some(), "{:?} has ended twice, or was never granted", ended.id);
        }
    }

    fn ask(&mut self, at: usize, count: u32) {
        self.call(at, &ask(count));
    }

    /// A node reports; `done` says which containers have ended.
    fn beat(&mut self, at: usize, done: impl Fn(ContainerId) -> bool) {
        let node = &self.nodes[at];
        let mut heartbeat = Heartbeat::new(node);
        let here = |(id, on): (&ContainerId, &NodeId)| (*on == node.id()).then_some(*id);
        heartbeat.add_completed(self.orphans.iter().filter_map(here));
        self.orphans.retain(|_, on| *on != node.id());
        for id in self.masters.iter().flat_map(|master| master.known.iter().filter_map(here)) {
            heartbeat.add_launched([id]);
            if done(id) {
                heartbeat.add_completed([id]);
            }
        }
        match within("heartbeat", || send(&self.scheduler, heartbeat, &mut 0)) {
            // Lost meanwhile: so is what it says.
            Ok(()) | Err(Refused::NotFound(NotFound::Node(_)) | Refused::Gone(Gone::Worker(_))) => {}
            Err(other) => panic!("{other}"),
        }
    }

    fn step(&mut self) {
        self.round += 1;
        self.hear();
        let round = self.round;
        for at in 0..self.masters.len() {
            self.ask(at, u32::try_from(3 + (round + at) % 5).unwrap());
        }
        for at in 0..NODES {
            self.beat(at, |id| (id.number() as usize + round).is_multiple_of(3));
        }
        match round % 7 {
            0 => self.replace(round / 7 % APPS.len()),
            3 => {
                let maximum = ["50", "40", "60"][round / 7 % 3];
                within("refresh", || self.scheduler.refresh_properties(queues(maximum))).unwrap();
            }
            _ => {}
        }
    }

    fn again_and_again(&mut self, mut fault: impl FnMut(&mut World, usize)) {
        (0..10).for_each(|_| self.step());
        for time in 0..TIMES {
            fault(self, time);
            (0..3).for_each(|_| self.step());
            if time % 10 == 0 {
                self.settle();
                self.check_books();
            }
        }
    }

    fn quiesce(&self) {
        within("quiesce", || drop(self.scheduler.quiesce()));
    }

    /// Nothing is under way, and all is told.
    fn settle(&mut self) {
        self.quiesce();
        self.hear();
        for at in 0..self.masters.len() {
            self.ask(at, 0);
        }
        self.quiesce();
        for at in 0..self.masters.len() {
            self.call(at, &AllocateRequest::default());
        }
        self.quiesce();
    }

    /// At quiet, when nothing is asked for.
    fn check_books(&mut self) {
        let scheduler = &self.scheduler;
        let audit = within("audit", || scheduler.audit()).unwrap();
        assert_eq!(audit.wrong, [""; 0]);
        let queues = within("queues", || scheduler.queues()).unwrap();
        for queue in &queues {
            // A refresh may have lowered what `a` may have.
            assert!(queue.used.fits_in(&queue.maximum) || queue.name == "root.a", "{queue:?}");
        }
        let starts = |name: &str| {
            let found = queues.iter().find(|queue| queue.name == name).unwrap().leaf.as_ref().unwrap();
            (found.active_applications, found.pending_applications)
        };
        assert_eq!(starts("root.p.y"), (1, 2), "of AMs one has room");
        assert_eq!(starts("root.a"), (3, 0));
        let running: HashSet<ContainerId> =
            scheduler.containers().unwrap().iter().filter(|view| !view.ended).map(|view| view.id).collect();
        let known: HashSet<ContainerId> = self.masters.iter().flat_map(|master| master.known.keys().copied()).collect();
        assert_eq!(known, running, "AMs know all that runs");
    }

    /// The same; then all asks of who has started are served to the last, and all ends.
    fn check(mut self) {
        self.settle();
        self.check_books();
        for at in 0..NODES {
            self.beat(at, |_| true);
        }
        self.settle();
        self.check_books();
        assert!(self.masters.iter().all(|master| master.known.is_empty()), "all has ended");
        let before: Vec<usize> = self.masters.iter().map(|master| master.granted).collect();
        for at in 0..self.masters.len() {
            self.ask(at, 2);
        }
        for _ in 0..6 {
            self.quiesce();
            (0..NODES).for_each(|at| self.beat(at, |_| false));
        }
        self.settle();
        let waiting: Vec<u32> =
            self.scheduler.apps().unwrap().iter().filter(|app| app.state != "active").map(|app| app.number).collect();
        for (master, before) in self.masters.iter().zip(before) {
            let due = if waiting.contains(&master.handle.number()) { 0 } else { 2 };
            assert_eq!(master.granted - before, due, "{}: {waiting:?} wait", master.handle.id());
        }
        for master in &self.masters {
            within("finish", || self.scheduler.finish(&master.handle)).unwrap();
        }
        self.quiesce();
        assert_eq!(self.scheduler.audit().unwrap().wrong, [""; 0], "at the end");
        for queue in self.scheduler.queues().unwrap() {
            let left = ([queue.used, queue.reserved, queue.pending], queue.containers, queue.applications);
            assert_eq!(left, ([Resource::ZERO; 3], 0, 0), "{}", queue.name);
        }
        within("shutdown", || drop(self.scheduler.shutdown()));
    }
}

fn add_node(scheduler: &CapacityScheduler, at: usize) -> Result<NodeHandle, Refused> {
    scheduler.add_node(&format!("n{at}"), &format!("/r{}", at % 4), Resource::new(8192, 8))
}

// ---------------------------------------------------------------------------------------------------- what goes wrong

fn panics_between_messages(workers: usize) {
    let mut world = World::start(builder(workers));
    world.again_and_again(|world, time| {
        within("inject", || world.scheduler.inject(Fault::WorkerPanic { worker: time % workers })).unwrap();
        world.hear_of(time + 1);
    });
    assert!(world.lost_nodes > 0);
    world.check();
}

#[test]
fn a_lone_worker_panics_between_messages() {
    panics_between_messages(1);
}

#[test]
fn workers_panic_between_messages() {
    panics_between_messages(3);
}

/// In the midst of a grant, when the engine has it and the books do not; of an end, and of what an AM asks.
fn panics_in_a_wake_up(workers: usize) {
    let armed = Arc::new(AtomicBool::new(false));
    let wake = {
        let armed = armed.clone();
        Arc::new(move |_| assert!(!armed.swap(false, Ordering::Relaxed), "a wake-up that panics"))
    };
    let mut world = World::start(builder(workers).on_grants(wake));
    world.again_and_again(|world, time| {
        armed.store(true, Ordering::Relaxed);
        until("the wake-up", || {
            world.step();
            !armed.load(Ordering::Relaxed)
        });
        world.hear_of(time + 1);
    });
    world.check();
}

#[test]
fn a_lone_worker_panics_in_a_wake_up() {
    panics_in_a_wake_up(1);
}

#[test]
fn workers_panic_in_a_wake_up() {
    panics_in_a_wake_up(3);
}

/// Wherever a worker asks for the time: before it looks at anything, when something is reserved, before it folds.
fn panics_in_the_clock(workers: usize) {
    let clock = Arc::new(Touchy::default());
    let mut world = World::start(builder(workers).clock(clock.clone()));
    world.again_and_again(|world, time| {
        clock.left.store(1 + i64::try_from(time * 37 % 101).unwrap(), Ordering::Relaxed);
        until("the look at the clock", || {
            world.step();
            clock.left.load(Ordering::Relaxed) <= 0
        });
        // One that waits for messages asks again, and is not stopped by it.
        world.quiesce();
        world.hear();
    });
    assert!(world.panics > TIMES / 2, "{}", world.panics);
    world.check();
}

#[test]
fn a_lone_worker_panics_in_the_clock() {
    panics_in_the_clock(1);
}

#[test]
fn workers_panic_in_the_clock() {
    panics_in_the_clock(3);
}

/// In the midst of what the control tells: nothing of it is done, or it is done and what follows is not told.
fn panics_in_a_message(workers: usize) {
    let mut world = World::start(builder(workers));
    world.again_and_again(|world, time| {
        let steps = u32::try_from(1 + time * 7 % 10).unwrap();
        let fault = Fault::WorkerPanicInMessage { worker: time % workers, steps };
        within("inject", || world.scheduler.inject(fault)).unwrap();
        let mut tries = 0..1000;
        while world.panics <= time {
            let at = tries.next().expect("messages come");
            world.replace((time + at) % APPS.len());
            world.step();
        }
        // At once: what others were not told of may be over soon.
        world.settle();
        world.check_books();
    });
    world.check();
}

#[test]
fn a_lone_worker_panics_in_a_message() {
    panics_in_a_message(1);
}

#[test]
fn workers_panic_in_a_message() {
    panics_in_a_message(3);
}

/// Another one decides who starts in the leaves of a worker that is given up.
#[test]
fn workers_are_given_up() {
    for time in 0..TIMES / 5 {
        let mut world = World::start(builder(3));
        (0..3).for_each(|_| world.step());
        let order = [[0, 1], [1, 2], [2, 0], [1, 0]][time % 4];
        for (at, worker) in order.into_iter().enumerate() {
            world.scheduler.inject(Fault::WorkerDeath { worker }).unwrap();
            world.hear_of(at + 1);
            // What asked of it comes anew.
            (0..APPS.len()).for_each(|at| world.replace(at));
            (0..3).for_each(|_| world.step());
            world.settle();
            world.check_books();
            let injected = world.scheduler.inject(Fault::WorkerPanic { worker });
            assert_eq!(injected, Err(Refused::Gone(Gone::Worker(worker))));
        }
        world.check();
    }
}

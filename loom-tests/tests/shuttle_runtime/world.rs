//! One schedule: a small cluster, and the threads that use its scheduler. What each does is drawn.

use super::books::Books;
use super::plan::{FIRST_LIMIT, LIMITS, Plan, QUEUES, SMALL, allocations, small};
use super::{draw, totals};
use evenweave::clock::{Clock, VirtualClock};
use evenweave::refused::{Limit, NotFound, TryAgain};
use evenweave::resource::ResourceTypes;
use evenweave::sync::time;
use evenweave::{
    AllocateRequest, Allocation, AllocationFile, AppHandle, Ask, ContainerId, FairScheduler, Heartbeat, NodeHandle,
    NotSent, Refused, Resource, Submission,
};
use shuttle::thread;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

/// Of a thread other than the operator's.
const MAX_ROUNDS: usize = 300;
const RACKS: [&str; 2] = ["/r0", "/r1"];

#[derive(Debug)]
pub(crate) struct World {
    pub(crate) scheduler: FairScheduler,
    pub(crate) plan: Plan,
    clock: Arc<VirtualClock>,
    books: Mutex<Books>,
    /// Those present, and the size in small containers of each.
    nodes: Mutex<Vec<(NodeHandle, i64)>>,
    apps: Mutex<BTreeMap<u32, AppHandle>>,
    /// Whose AM has a container.
    managed: Mutex<BTreeSet<u32>>,
    moved: Mutex<bool>,
    /// The operator has done what it had to do.
    stop: AtomicBool,
}

/// Never held where another thread could go on.
fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.try_lock().expect("nobody goes on with this in hand")
}

impl World {
    pub(crate) fn start() -> Arc<World> {
        let plan = Plan::drawn();
        let clock = Arc::new(VirtualClock::new());
        let text = allocations(FIRST_LIMIT, false, plan.reserves);
        let file =
            AllocationFile::parse(&text, "allocations", &ResourceTypes::standard(), &[]).expect("it is good").file;
        let builder = plan.builder().allocations(file).clock(clock.clone());
        let scheduler = builder.start().expect("nothing stands against it");
        let mut books = Books::default();
        if !plan.preempts && !plan.expires {
            books.highest = Some(FIRST_LIMIT);
        }
        let world = World {
            scheduler,
            clock,
            books: Mutex::new(books),
            nodes: Mutex::default(),
            apps: Mutex::default(),
            managed: Mutex::default(),
            moved: Mutex::default(),
            stop: AtomicBool::new(false),
            plan,
        };
        for (number, size) in world.plan.nodes.iter().enumerate() {
            world.add_node(number, *size);
        }
        Arc::new(world)
    }

    /// The threads of a schedule, to their end.
    pub(crate) fn run(self: &Arc<World>) {
        let mut threads = Vec::new();
        for (number, queue) in (1..).zip(self.plan.apps.clone()) {
            let world = self.clone();
            threads.push(thread::spawn(move || world.run_application(number, queue)));
        }
        for run in [World::run_nodes, World::run_operator, World::run_reservations] {
            let world = self.clone();
            threads.push(thread::spawn(move || run(&world)));
        }
        for thread in threads {
            thread.join().expect("a thread that panics ends the schedule");
        }
    }

    pub(crate) fn books(&self) -> MutexGuard<'_, Books> {
        locked(&self.books)
    }

    pub(crate) fn nodes(&self) -> Vec<(NodeHandle, i64)> {
        locked(&self.nodes).clone()
    }

    /// Applications that have not been ended.
    pub(crate) fn apps(&self) -> Vec<AppHandle> {
        let apps = locked(&self.apps).clone();
        let books = self.books();
        apps.into_iter().filter(|(number, _)| !books.over.contains(number)).map(|(_, app)| app).collect()
    }

    /// Those of an application or the nodes: as many as the operator leaves time for. What the operator does takes long, and
    /// without a pause now and then the others would have done all of theirs before its first update.
    pub(crate) fn rounds(&self) -> impl Iterator<Item = usize> {
        (0..MAX_ROUNDS).take_while(|_| {
            if draw(2) == 0 {
                thread::yield_now();
            }
            !self.stop.load(Ordering::Relaxed)
        })
    }

    // ------------------------------------------------------------------------------------------------ nodes

    pub(crate) fn add_node(&self, number: usize, size: i64) {
        let added = self.scheduler.add_node(&format!("n{number}"), RACKS[number % 2], small(size));
        locked(&self.nodes).push((added.expect("no node of the name is there"), size));
    }

    /// Sends until it is taken, or its node is gone.
    fn send(&self, mut heartbeat: Heartbeat) {
        while let Err(not_sent) = self.scheduler.heartbeat(heartbeat) {
            let NotSent { returned, reason, .. } = *not_sent;
            if matches!(reason, Refused::NotFound(NotFound::Node(_))) {
                return;
            }
            assert_eq!(reason, Refused::TryAgain(TryAgain::Busy));
            heartbeat = returned;
            thread::yield_now();
        }
    }

    /// One heartbeat; some of what runs on the node completes.
    fn beat(&self, node: &NodeHandle) {
        let (launched, completed) = self.books().reports(node.id(), || draw(self.plan.completes) == 0);
        let mut heartbeat = Heartbeat::new(node);
        heartbeat.add_launched(launched);
        heartbeat.add_completed(completed);
        heartbeat.offer = draw(8) != 0;
        self.send(heartbeat);
    }

    /// A heartbeat of each node that reports of these containers alone.
    pub(crate) fn beat_all(&self, completed: &BTreeMap<String, Vec<ContainerId>>) {
        for (node, _) in self.nodes() {
            let mut heartbeat = Heartbeat::new(&node);
            heartbeat.add_completed(completed.get(node.name()).into_iter().flatten().copied());
            self.send(heartbeat);
        }
    }

    fn run_nodes(&self) {
        for _ in self.rounds() {
            let nodes = self.nodes();
            if !nodes.is_empty() {
                self.beat(&nodes[draw(nodes.len())].0);
            }
        }
    }

    // ------------------------------------------------------------------------------------------------ applications

    /// Calls until it is not told that the scheduler is busy; what it is answered goes into the books. False: it has ended.
    pub(crate) fn allocate(&self, app: &AppHandle, request: &AllocateRequest) -> bool {
        let mut answer = Allocation::default();
        loop {
            match self.scheduler.allocate(app, request, &mut answer) {
                Ok(()) => {
                    self.books().answered(app.number(), &answer);
                    return true;
                }
                Err(Refused::TryAgain(TryAgain::Busy)) => thread::yield_now(),
                // Nothing was sent.
                Err(Refused::TryAgain(TryAgain::NoAm(_))) => return true,
                Err(Refused::NotFound(NotFound::App(_))) => {
                    assert!(self.books().over.contains(&app.number()), "nobody has ended it");
                    return false;
                }
                Err(refused) => panic!("{refused}"),
            }
        }
    }

    pub(crate) fn ask(&self) -> AllocateRequest {
        let size = if draw(4) == 0 { small(2) } else { SMALL };
        // One size a priority, as in YARN.
        let priority = if size == SMALL { 1 } else { 2 };
        let mut asks = vec![Ask::anywhere(priority, size, u32::try_from(draw(8)).expect("few"))];
        if draw(3) == 0 {
            let rack = draw(2);
            let relaxed = draw(2) == 0;
            if !relaxed {
                asks[0] = asks[0].strict();
            }
            let whole = asks[0].relaxed(true);
            asks.push(whole.at(self.scheduler.location(RACKS[rack])));
            asks.push(whole.at(self.scheduler.location(&format!("n{}", rack + 2 * draw(2)))));
        }
        AllocateRequest::new(asks)
    }

    /// Gives back one container, if it has any.
    fn release(&self, app: u32) -> AllocateRequest {
        let mut books = self.books();
        let mut held = books.held.entry(app).or_default().values();
        let id = held.find(|held| !held.ending).map(|held| held.container.id);
        drop(held);
        id.into_iter().for_each(|id| books.ends(app, id));
        AllocateRequest::default().with_releases(id)
    }

    fn run_application(&self, number: u32, queue: &str) {
        let am = (draw(3) == 0).then_some(SMALL);
        if am.is_some() {
            locked(&self.managed).insert(number);
        }
        if queue == QUEUES[0] {
            self.books().capped.insert(number);
        }
        let submission = Submission::new(number, "ann").in_queue(queue).maybe_with_am(am);
        let app = self.scheduler.submit(submission).expect("the queue is there");
        self.known(&app);
        for round in self.rounds() {
            let request = match if round == 0 { 0 } else { draw(8) } {
                0..=2 => self.ask(),
                3 => self.release(number),
                _ => AllocateRequest::default(),
            };
            if !self.allocate(&app, &request) {
                return;
            }
        }
        match draw(4) {
            0 => self.finish(&app),
            1 if self.books().over.insert(number) => self.scheduler.begin_finish(&app).expect("there is room"),
            _ => {}
        }
    }

    /// An application is there from now on.
    pub(crate) fn known(&self, app: &AppHandle) {
        locked(&self.apps).insert(app.number(), app.clone());
    }

    /// The time, in ms.
    pub(crate) fn now(&self) -> i64 {
        i64::try_from(self.clock.wall_ms()).expect("small")
    }

    /// Whether its AM's container has been granted, where it has one.
    pub(crate) fn has_am(&self, app: &AppHandle) -> bool {
        locked(&self.managed).contains(&app.number()) && !app.waits_for_am()
    }

    /// Whether any application has been moved.
    pub(crate) fn has_moved(&self) -> bool {
        *locked(&self.moved)
    }

    pub(crate) fn finish(&self, app: &AppHandle) {
        if self.books().over.insert(app.number()) {
            self.scheduler.finish(app).expect("nobody else ends it");
        }
    }

    // ------------------------------------------------------------------------------------------------ operator

    fn run_operator(&self) {
        for _ in 0..self.plan.rounds {
            match draw(20) {
                0..=8 => assert!(self.scheduler.update_now().is_ok(), "I9: an update that is asked for is made"),
                9..=11 => self.preempt(),
                12 => self.lose_node(),
                13 => self.reload(LIMITS[draw(LIMITS.len())]),
                14 => self.move_application(),
                15 => {
                    let apps = self.apps();
                    if apps.len() > 1 && draw(2) == 0 {
                        self.finish(&apps[draw(apps.len())]);
                    }
                }
                16 => self.clock.advance(if self.plan.expires { 700_000 } else { 30 }),
                17 => time::pass(),
                18 => self.look(),
                _ if draw(2) == 0 => self.scheduler.clean_up().expect("it is open"),
                _ => self.scheduler.offer_all().expect("it is open"),
            }
        }
        self.stop.store(true, Ordering::Relaxed);
    }

    fn preempt(&self) {
        if self.plan.preempts {
            self.scheduler.update_now();
            let rounds = self.scheduler.preempt().expect("it is on");
            if draw(2) == 0 {
                self.scheduler.kill_marked().expect("it is on");
            }
            totals::MARKED.add(rounds.iter().map(|round| round.containers.len()).sum());
        }
    }

    fn lose_node(&self) {
        let nodes = self.nodes();
        if nodes.is_empty() {
            return;
        }
        let number = draw(nodes.len());
        let (node, size) = &nodes[number];
        self.books().lost.insert(node.id());
        self.scheduler.remove_node(node).expect("nobody else removes it");
        totals::NODES_LOST.add(1);
        locked(&self.nodes).retain(|(present, _)| present.id() != node.id());
        if draw(2) == 0 {
            let same = node.name()[1..].parse().expect("a number");
            self.add_node(same, *size);
        }
    }

    pub(crate) fn reload(&self, limit: i64) {
        {
            let mut books = self.books();
            books.highest = books.highest.map(|highest| highest.max(limit));
        }
        self.scheduler.reload_text(&allocations(limit, draw(2) == 0, self.plan.reserves)).expect("it is good");
        totals::RELOADS.add(1);
    }

    fn move_application(&self) {
        let apps = self.apps();
        if apps.is_empty() {
            return;
        }
        let app = &apps[draw(apps.len())];
        // Wherever it goes, where it has been is no longer known from outside.
        self.books().capped.remove(&app.number());
        match self.scheduler.move_app(app, QUEUES[draw(QUEUES.len())]) {
            Ok(()) => {
                *locked(&self.moved) = true;
                totals::MOVES.add(1);
            }
            Err(
                Refused::Limit(Limit::MaxRunning(_))
                | Refused::Limit(Limit::MaxShare(_))
                | Refused::Limit(Limit::NotRunnable(_))
                | Refused::NotFound(NotFound::App(_)),
            ) => {}
            Err(refused) => panic!("{refused}"),
        }
    }

    /// What may be said while everything moves.
    fn look(&self) {
        for node in self.scheduler.nodes() {
            assert!(Resource::ZERO.fits_in(&node.free), "I1: {} has given more than it has: {}", node.name, node.free);
        }
        let _ = (self.scheduler.queues(), self.scheduler.stats(), self.scheduler.apps());
    }
}

//! Workers on the embedder's threads: what a poll does, how it ends, and that nobody waits for a worker that is gone.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use evenweave::SchedulerApi;
use evenweave::clock::{Clock, VirtualClock};
use evenweave::refused::{Gone, Invalid, NotFound};
use evenweave::view::Journal;
use evenweave::{
    AllocateRequest, Allocation, AppHandle, Container, EndReason, FairScheduler, FairSchedulerBuilder, Heartbeat,
    HeartbeatProbe, NodeHandle, Polled, Refused, Resource, SchedulerEvent, Stepped, Worker,
};
use evenweave_testkit::{
    SMALL, allocate, allocations, ask, assert_sums, beat, ends, event, greedy, poll, poll_on_a_thread, poll_to_the_end,
    poll_until_idle, start_polled, unmanaged, until, within,
};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

const LONG: Duration = Duration::from_secs(3600);

/// With one worker, which this thread polls.
fn alone(builder: FairSchedulerBuilder) -> (FairScheduler, Worker) {
    let (scheduler, mut workers) = builder.start_with_workers().unwrap();
    (scheduler, workers.pop().unwrap())
}

fn add_node(scheduler: &FairScheduler, at: usize) -> NodeHandle {
    within("add_node", || scheduler.add_node(&format!("n{at}"), &format!("/r{at}"), Resource::new(8192, 8))).unwrap()
}

fn send(scheduler: &FairScheduler, node: &NodeHandle, heartbeats: u64) {
    (0..heartbeats).for_each(|_| scheduler.heartbeat(Heartbeat::new(node)).unwrap());
}

/// A call that waits for the workers, on another thread, while this one polls.
fn while_polling<T: Send>(workers: &mut [Worker], call: impl FnOnce() -> T + Send) -> T {
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let call = scope.spawn(|| {
            let outcome = call();
            over.store(true, Ordering::Relaxed);
            outcome
        });
        until("a call that waits for the workers", || {
            workers.iter_mut().for_each(|worker| _ = worker.poll(64));
            over.load(Ordering::Relaxed) || call.is_finished()
        });
        call.join().unwrap()
    })
}

// ---------------------------------------------------------------------------------------------------- a poll

#[test]
fn a_poll_takes_so_many_of_the_embedders_messages_at_most() {
    let (scheduler, mut worker) = alone(FairScheduler::builder());
    let node = add_node(&scheduler, 1);
    let served = || scheduler.stats().heartbeats;
    assert_eq!((worker.index(), worker.poll(64), served()), (0, Polled::More, 0), "the node has come");
    assert_eq!(worker.poll(64), Polled::Idle);
    send(&scheduler, &node, 205);
    assert_eq!(served(), 0, "nobody works while nobody polls");
    assert_eq!((worker.poll(2), served()), (Polled::More, 2));
    assert_eq!((worker.poll(0), served()), (Polled::More, 3), "0 counts as 1");
    assert_eq!((worker.poll(150), served()), (Polled::More, 153));
    assert_eq!((worker.poll(1000), served()), (Polled::Idle, 205));
}

/// What has come stays for the next poll.
#[test]
fn a_wait_ends_with_a_message_or_in_time_and_takes_nothing() {
    let clock = Arc::new(VirtualClock::new());
    let given: Arc<dyn Clock> = clock.clone();
    let (scheduler, mut worker) = alone(FairScheduler::builder().clock(given));
    poll_until_idle(&mut worker);
    assert!(!worker.wait(Duration::ZERO) && !worker.wait(Duration::from_millis(1)));
    let node = add_node(&scheduler, 1);
    assert!(worker.wait(LONG), "a message of the scheduler's own");
    poll_until_idle(&mut worker);
    send(&scheduler, &node, 1);
    for _ in 0..3 {
        assert!(worker.wait(LONG) && scheduler.stats().heartbeats == 0);
    }
    assert_eq!((worker.poll(1), scheduler.stats().heartbeats), (Polled::More, 1));
    assert_eq!((worker.poll(1), worker.wait(Duration::ZERO)), (Polled::Idle, false));
    clock.advance(3_600_000);
    assert!(worker.wait(LONG), "the look for expired containers is due");
    poll_until_idle(&mut worker);
    assert!(!worker.wait(Duration::ZERO), "it has looked");
}

/// Two threads of control in one: a caller, and the worker between its calls.
#[test]
fn one_thread_may_do_everything() {
    let (scheduler, mut worker) = alone(FairScheduler::builder().settings(greedy()));
    let node = add_node(&scheduler, 1);
    let app = scheduler.submit(unmanaged(1, "root.q")).unwrap();
    allocate(&scheduler, &app, &ask(3)).unwrap();
    poll_until_idle(&mut worker);
    scheduler.update_now().unwrap();
    send(&scheduler, &node, 1);
    poll_until_idle(&mut worker);
    assert_eq!(poll(&scheduler, &app).granted.len(), 3);
    let mut workers = [worker];
    while_polling(&mut workers, || scheduler.finish(&app)).unwrap();
    while_polling(&mut workers, || assert_sums(&scheduler));
    assert!(scheduler.stats().allocated.is_zero());
    assert_eq!((app.worker(), node.worker()), (0, 0));
}

// ---------------------------------------------------------------------------------------------------- the same
// decisions

const QUEUES: &str = "<allocations><queue name='root'>
    <queue name='a'><maxResources>20480 mb, 20 vcores</maxResources><weight>2</weight></queue>
    <queue name='b'><schedulingPolicy>fifo</schedulingPolicy></queue><queue name='c'/></queue></allocations>";

fn recorded() -> FairSchedulerBuilder {
    FairScheduler::builder().settings(greedy()).allocations(allocations(QUEUES)).timers(false).journal(true)
}

/// Either side of the comparison.
trait Side {
    fn submit(&mut self, number: u32) -> AppHandle;
    fn node(&mut self, at: usize) -> NodeHandle;
    fn allocate(&mut self, app: &AppHandle, request: &AllocateRequest) -> Vec<Container>;
    fn beat(&mut self, heartbeat: Heartbeat);
    fn update(&mut self);
    fn outcome(&mut self) -> Journal;
}

fn of_number(number: u32) -> evenweave::Submission {
    unmanaged(number, ["root.a", "root.b", "root.c"][number as usize % 3])
}

impl Side for Stepped {
    fn submit(&mut self, number: u32) -> AppHandle {
        SchedulerApi::submit(self, of_number(number)).unwrap()
    }
    fn node(&mut self, at: usize) -> NodeHandle {
        self.add_node(&format!("n{at}"), &format!("/r{}", at % 3), Resource::new(8192, 8)).unwrap()
    }
    fn allocate(&mut self, app: &AppHandle, request: &AllocateRequest) -> Vec<Container> {
        let mut answer = Allocation::default();
        SchedulerApi::allocate(self, app, request, &mut answer).unwrap();
        answer.granted
    }
    fn beat(&mut self, heartbeat: Heartbeat) {
        self.heartbeat(&heartbeat);
    }
    fn update(&mut self) {
        Stepped::update_now(self);
    }
    fn outcome(&mut self) -> Journal {
        self.take_journal()
    }
}

impl Side for (FairScheduler, [Worker; 1]) {
    fn submit(&mut self, number: u32) -> AppHandle {
        self.0.submit(of_number(number)).unwrap()
    }
    fn node(&mut self, at: usize) -> NodeHandle {
        self.0.add_node(&format!("n{at}"), &format!("/r{}", at % 3), Resource::new(8192, 8)).unwrap()
    }
    fn allocate(&mut self, app: &AppHandle, request: &AllocateRequest) -> Vec<Container> {
        let granted = allocate(&self.0, app, request).unwrap().granted;
        // By ones, twos and threes, with a wait in between.
        until("a worker without a message", || {
            let is_idle = !self.1[0].wait(Duration::ZERO);
            if !is_idle {
                let _ = self.1[0].poll(request.asks.len());
            }
            is_idle
        });
        granted
    }
    fn beat(&mut self, heartbeat: Heartbeat) {
        beat(&self.0, heartbeat);
    }
    fn update(&mut self) {
        let (scheduler, workers) = self;
        // What the workers have taken counts.
        while_polling(workers, || scheduler.quiesce()).unwrap();
        FairScheduler::update_now(scheduler).unwrap();
    }
    fn outcome(&mut self) -> Journal {
        let (scheduler, workers) = self;
        while_polling(workers, || scheduler.take_journal()).unwrap()
    }
}

/// Some hundred operations, drawn from a seed; what each step came to.
fn play(side: &mut dyn Side) -> Vec<Journal> {
    let mut seed = 7_u64;
    let mut draw = move |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let nodes: Vec<NodeHandle> = (0..9).map(|at| side.node(at)).collect();
    let apps: Vec<AppHandle> = (1..=6).map(|number| side.submit(number)).collect();
    let mut running: Vec<Container> = Vec::new();
    let mut outcomes = Vec::new();
    for _ in 0..150 {
        let app = &apps[usize::try_from(draw(6)).unwrap()];
        let wanted = u32::try_from(draw(9)).unwrap();
        running.extend(side.allocate(app, &ask(wanted)));
        side.update();
        let at = usize::try_from(draw(9)).unwrap();
        let mut heartbeat = Heartbeat::new(&nodes[at]);
        let mut left = 3;
        running.retain(|container| {
            let ends = container.node == nodes[at].id() && left > 0;
            left -= i32::from(ends);
            if ends {
                heartbeat.add_launched([container.id]);
                heartbeat.add_completed([container.id]);
            }
            !ends
        });
        side.beat(heartbeat);
        outcomes.push(side.outcome());
    }
    outcomes
}

/// I11: whoever's thread it is.
#[test]
fn a_polled_worker_decides_as_the_stepped_scheduler_does() {
    let stepped = play(&mut recorded().stepped().unwrap());
    let clock: Arc<dyn Clock> = Arc::new(VirtualClock::new());
    let (scheduler, worker) = alone(recorded().clock(clock));
    let polled = play(&mut (scheduler, [worker]));
    let granted: usize = stepped.iter().map(|outcome| outcome.allocated.len()).sum();
    assert!(granted > 150, "{granted} granted");
    for (step, (polled, stepped)) in polled.iter().zip(&stepped).enumerate() {
        assert_eq!(polled, stepped, "step {step}");
    }
}

// ---------------------------------------------------------------------------------------------------- let go

/// Its nodes are lost, what ran there has ended, and whoever waits for it is answered; the others go on.
#[test]
fn a_worker_that_is_dropped_is_given_up() {
    let (scheduler, mut workers) = FairScheduler::builder().settings(greedy()).workers(2).start_with_workers().unwrap();
    let nodes = [0, 1].map(|at| add_node(&scheduler, at));
    assert_eq!(nodes.each_ref().map(NodeHandle::worker), [0, 1]);
    // One more than there are workers, so that one has its home with the one that goes.
    let apps = [1, 2, 3].map(|number| scheduler.submit(unmanaged(number, "root.q")).unwrap());
    let homes = apps.each_ref().map(AppHandle::worker);
    assert!(homes.contains(&0) && homes.contains(&1), "{homes:?}");
    for app in &apps {
        allocate(&scheduler, app, &ask(6)).unwrap();
    }
    while_polling(&mut workers, || scheduler.quiesce()).unwrap();
    scheduler.update_now().unwrap();
    nodes.iter().for_each(|node| send(&scheduler, node, 1));
    while_polling(&mut workers, || scheduler.quiesce()).unwrap();
    assert_eq!(scheduler.stats().running, 16);
    // Accepted, and never worked off.
    send(&scheduler, &nodes[0], 5);
    let dropped = workers.remove(0);
    assert_eq!(dropped.index(), 0);
    drop(dropped);
    let told = event(&scheduler);
    let SchedulerEvent::WorkerPanicked { worker: 0, message, nodes: lost, goes_on: false } = told else {
        panic!("{told:?}")
    };
    assert!(message.contains("let go") && lost == ["n0"], "{message}: {lost:?}");
    assert_eq!(scheduler.stats().running, 8);
    let refused = scheduler.heartbeat(Heartbeat::new(&nodes[0])).unwrap_err();
    assert!(matches!(refused.reason, Refused::NotFound(NotFound::Node(_))), "{refused}");
    let thread = poll_on_a_thread(workers.remove(0));
    within("quiesce", || scheduler.quiesce()).unwrap();
    for app in &apps {
        let ended = poll(&scheduler, app).ended;
        assert!(ended.iter().all(|container| container.reason == EndReason::NodeLost));
    }
    assert_eq!(add_node(&scheduler, 2).worker(), 1);
    for (app, home) in apps.iter().zip(homes) {
        let asked = scheduler.allocate(app, &ask(1), &mut Allocation::default());
        assert_eq!(asked, if home == 0 { Err(Refused::Gone(Gone::Worker(0))) } else { Ok(()) });
        within("finish", || scheduler.finish(app)).unwrap();
    }
    within("the books", || assert_sums(&scheduler));
    assert!(scheduler.stats().allocated.is_zero());
    within("remove_node", || scheduler.remove_node(&nodes[1])).unwrap();
    within("shutdown", || scheduler.shutdown()).unwrap();
    assert_eq!(ends(vec![thread]), [Polled::Ended]);
}

/// Nobody ever polled them, and a node is on its way to one.
#[test]
fn workers_that_are_dropped_at_once_hold_up_nobody() {
    let (scheduler, workers) = FairScheduler::builder().workers(2).start_with_workers().unwrap();
    let _node = add_node(&scheduler, 1);
    let app = scheduler.submit(unmanaged(1, "root.q")).unwrap();
    drop(workers);
    let mut lost = Vec::new();
    for _ in 0..3 {
        let told = event(&scheduler);
        let SchedulerEvent::WorkerPanicked { nodes, goes_on: false, .. } = told else { panic!("{told:?}") };
        lost.extend(nodes);
    }
    assert_eq!(lost, ["n1"], "two workers, and the node that was on its way");
    within("quiesce", || scheduler.quiesce()).unwrap();
    within("finish", || scheduler.finish(&app)).unwrap();
    assert_eq!(scheduler.submit(unmanaged(2, "root.q")).unwrap_err(), Refused::Gone(Gone::AllWorkers));
    within("shutdown", || scheduler.shutdown()).unwrap();
}

/// While the shutdown waits for it.
#[test]
fn a_worker_that_is_dropped_ends_a_shutdown_that_waits_for_it() {
    let (scheduler, mut worker) = alone(FairScheduler::builder());
    let app = scheduler.submit(unmanaged(1, "root.q")).unwrap();
    let (moved, is_moved) = mpsc::channel();
    let thread = thread::spawn({
        let scheduler = scheduler.clone();
        move || {
            // From now on it is on this thread.
            let _ = worker.poll(1);
            moved.send(()).unwrap();
            until("the shutdown", || scheduler.begin_finish(&app) == Err(Refused::Gone(Gone::ShutDown)));
        }
    });
    is_moved.recv().unwrap();
    within("shutdown", || scheduler.shutdown()).unwrap();
    thread.join().unwrap();
}

// ---------------------------------------------------------------------------------------------------- shutdown

#[derive(Debug, Default)]
struct Served(AtomicU64);

impl HeartbeatProbe for Served {
    fn taken(&self, _: usize, _: u64) -> u64 {
        0
    }
    fn served(&self, _: usize, _: u64, _: u64, _: u32) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// I9, on another thread than the worker's: it waits until all that was accepted is worked off.
#[test]
fn a_shutdown_waits_for_workers_on_other_threads() {
    for _ in 0..20 {
        let served = Arc::new(Served::default());
        let builder = FairScheduler::builder().workers(2).probe(served.clone());
        let (scheduler, mut workers) = builder.start_with_workers().unwrap();
        let nodes = [0, 1].map(|at| add_node(&scheduler, at));
        // They were on this thread before.
        while_polling(&mut workers, || scheduler.quiesce()).unwrap();
        for at in 0..2_000_u64 {
            let mut heartbeat = Heartbeat::new(&nodes[usize::try_from(at % 2).unwrap()]);
            heartbeat.stamp = at + 1;
            scheduler.heartbeat(heartbeat).unwrap();
        }
        let threads: Vec<_> = workers.into_iter().map(poll_on_a_thread).collect();
        within("shutdown", || scheduler.shutdown()).unwrap();
        assert_eq!(served.0.load(Ordering::Relaxed), 2_000);
        assert_eq!(ends(threads), [Polled::Ended; 2]);
    }
}

/// On a worker's own thread it only begins: the thread polls until the end, and all that was accepted is worked off.
#[test]
fn a_shutdown_on_a_workers_own_thread_only_begins() {
    for drops_the_last_handle in [false, true] {
        let served = Arc::new(Served::default());
        let (scheduler, mut worker) = alone(FairScheduler::builder().probe(served.clone()));
        let node = add_node(&scheduler, 1);
        for stamp in 1..=500 {
            let mut heartbeat = Heartbeat::new(&node);
            heartbeat.stamp = stamp;
            scheduler.heartbeat(heartbeat).unwrap();
        }
        let _ = worker.poll(1);
        if drops_the_last_handle {
            within("the last handle", || drop(scheduler));
        } else {
            assert_eq!(within("shutdown", || scheduler.shutdown()), Err(Refused::Invalid(Invalid::OwnThread)));
            assert_eq!(scheduler.heartbeat(Heartbeat::new(&node)).unwrap_err().reason, Refused::Gone(Gone::ShutDown));
        }
        assert_eq!(within("the end", || poll_to_the_end(&mut worker)), Polled::Ended);
        assert_eq!(served.0.load(Ordering::Relaxed), 500);
        // And so it stays.
        assert_eq!((worker.poll(64), worker.wait(LONG)), (Polled::Ended, true));
    }
}

/// In a callback, in the midst of a poll.
#[test]
fn the_last_handle_may_go_in_a_poll() {
    let last: Arc<Mutex<Option<FairScheduler>>> = Arc::default();
    let slot = last.clone();
    let wake = Arc::new(move |_| drop(slot.lock().unwrap().take()));
    let (scheduler, mut worker) = alone(FairScheduler::builder().settings(greedy()).on_grants(wake));
    let node = add_node(&scheduler, 1);
    let app = scheduler.submit(unmanaged(1, "root.q")).unwrap();
    allocate(&scheduler, &app, &ask(1)).unwrap();
    poll_until_idle(&mut worker);
    scheduler.update_now().unwrap();
    send(&scheduler, &node, 1);
    *last.lock().unwrap() = Some(scheduler);
    assert_eq!(within("the end", || poll_to_the_end(&mut worker)), Polled::Ended);
    assert!(last.lock().unwrap().is_none(), "the callback has run");
}

/// Small, and checked by the compiler: a worker may be moved to another thread.
#[test]
fn a_worker_can_be_sent() {
    fn is_sent<T: Send + 'static>() -> usize {
        size_of::<T>()
    }
    assert!(is_sent::<Worker>() > 0);
    let (scheduler, threads) = start_polled(FairScheduler::builder().workers(4));
    assert!(scheduler.add_node("n1", "/r1", SMALL).is_ok());
    drop(scheduler);
    assert_eq!(ends(threads), [Polled::Ended; 4]);
}

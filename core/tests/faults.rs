//! What goes wrong, a hundred times each and under load: nothing is lost, nothing counted twice, nobody waits, nothing
//! grows.
//!
//! The feature `faults` lets threads inside go wrong; what goes wrong outside comes by the embedder's own doors.
//! Nothing here is decided by time, but that whoever waits for a minute waits for ever.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]
#![expect(clippy::wildcard_enum_match_arm, reason = "whatever else is told is a failure")]

mod trouble;

use evenweave::clock::{Clock, MonotonicClock, VirtualClock};
use evenweave::faults::Fault;
use evenweave::groups::Groups;
use evenweave::policy::ClusterTotal;
use evenweave::policy::{OrderKey, Schedulable, SchedulingPolicy, ShareInput};
use evenweave::refused::{AlreadyExists, Gone, NotFound, TryAgain};
use evenweave::resource::Calculator;
use evenweave::resource::ResourceTypes;
use evenweave::shares::Fair;
use evenweave::{
    AllocateRequest, Allocation, AllocationFile, FairScheduler, FairSchedulerBuilder, Heartbeat, NodeHandle, Polled,
    Refused, Resource, SchedulerEvent, Settings,
};
use evenweave_testkit::{allocations, ask, ends, settings, start_polled, unmanaged, until, wait_for, within};
use std::cmp::Ordering;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering as Memory};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;
use trouble::{NODES, World};

/// So often each fault happens.
const TIMES: usize = 100;

fn builder() -> FairSchedulerBuilder {
    let greedy = [
        ("yarn.scheduler.fair.assignmultiple", "true"),
        ("yarn.scheduler.fair.dynamic.max.assign", "false"),
        ("yarn.scheduler.fair.max.assign", "4"),
    ];
    FairScheduler::builder().settings(settings(&greedy)).allocations(queues(""))
}

/// Two leaves, one of them limited.
fn queues(policy: &str) -> AllocationFile {
    let text = format!(
        "<allocations><queue name='root'>{policy}<queue name='a'>{policy}<maxResources>40960 mb, 40 vcores</maxResources>\
         </queue><queue name='b'>{policy}</queue></queue></allocations>"
    );
    let custom = ["touchy".to_owned()];
    AllocationFile::parse(&text, "queues", &ResourceTypes::standard(), &custom).unwrap().file
}

/// A fault under load, again and again, each with some steps of load after it.
fn again_and_again(world: &mut World, mut fault: impl FnMut(&mut World, usize)) {
    world.steps(10);
    for time in 0..TIMES {
        fault(world, time);
        world.steps(3);
    }
}

// ---------------------------------------------------------------------------------------------------- workers

fn panics_between_messages(workers: usize) {
    panics_between_messages_of(workers, World::start(builder().workers(workers)));
}

fn panics_between_messages_of(workers: usize, mut world: World) {
    again_and_again(&mut world, |world, time| {
        within("inject", || world.scheduler.inject(Fault::WorkerPanic { worker: time % workers })).unwrap();
    });
    world.check();
    assert_eq!(world.panics, TIMES, "an event each");
    assert!(world.lost_nodes > 0 && world.told_lost > 0, "nodes with containers were lost");
}

#[test]
fn a_lone_worker_panics() {
    panics_between_messages(1);
}

#[test]
fn workers_panic() {
    panics_between_messages(3);
}

/// Whoever's thread it is: what panics in a poll does not leave it.
#[test]
fn polled_workers_panic() {
    let (scheduler, threads) = start_polled(builder().workers(3));
    panics_between_messages_of(3, World::of(scheduler.clone()));
    within("shutdown", || scheduler.shutdown()).unwrap();
    assert_eq!(ends(threads), [Polled::Ended; 3]);
}

/// The wake-up panics, so a worker does in the midst of a grant, or of the end of a container or a node.
#[test]
fn workers_panic_in_a_wake_up() {
    let armed = Arc::new(AtomicBool::new(false));
    let wake = {
        let armed = armed.clone();
        Arc::new(move |_| assert!(!armed.swap(false, Memory::Relaxed), "a wake-up that panics"))
    };
    let mut world = World::start(builder().workers(2).on_grants(wake));
    let fired = |armed: &AtomicBool| !armed.load(Memory::Relaxed);
    again_and_again(&mut world, |world, time| {
        world.hear_of_panics(time);
        armed.store(true, Memory::Relaxed);
        until("the wake-up", || {
            if time % 2 == 1 {
                // Of the containers that its AM has, some end with the node, which is told of.
                world.replace_node(time % NODES);
            }
            world.step();
            fired(&armed)
        });
    });
    world.check();
    assert_eq!(world.panics, TIMES);
}

/// A policy that panics when it is next asked for a key on a worker.
#[derive(Debug, Default)]
struct Touchy(AtomicI64);

impl SchedulingPolicy for Touchy {
    fn name(&self) -> &str {
        "touchy"
    }
    fn calculator(&self) -> Calculator {
        Fair.calculator()
    }
    fn compare(&self, cluster: &ClusterTotal, a: &Schedulable<'_>, b: &Schedulable<'_>) -> Ordering {
        Fair.compare(cluster, a, b)
    }
    fn key(&self, cluster: &ClusterTotal, s: &Schedulable<'_>) -> Option<OrderKey> {
        if std::thread::current().name().is_some_and(|name| name.starts_with("evenweave-worker")) {
            // At 1 it goes off.
            assert_ne!(self.0.fetch_sub(1, Memory::Relaxed), 1, "a policy that panics");
        }
        Fair.key(cluster, s)
    }
    fn compute_shares(&self, types: usize, total: &Resource, children: &mut [ShareInput], steady: bool) {
        Fair.compute_shares(types, total, children, steady);
    }
    fn headroom(&self, fair_share: &Resource, usage: &Resource, available: &Resource) -> Resource {
        Fair.headroom(fair_share, usage, available)
    }
}

/// The policy panics, so a worker does wherever something changes its place: in the midst of a grant, of an end, of
/// asks, of a snapshot that is taken over, of an application's end.
fn panics_in_a_policy(workers: usize) {
    let policy = Arc::new(Touchy::default());
    let file = queues("<schedulingPolicy>touchy</schedulingPolicy>");
    let mut world = World::start(builder().policy(policy.clone()).allocations(file).workers(workers));
    again_and_again(&mut world, |world, time| {
        world.hear_of_panics(time);
        // Somewhere else each time.
        policy.0.store(1 + i64::try_from(time * 37 % 211).unwrap(), Memory::Relaxed);
        until("the panic of the policy", || {
            world.step();
            if time % 3 == 0 {
                world.replace_app(time % 8);
            }
            policy.0.load(Memory::Relaxed) <= 0
        });
    });
    policy.0.store(0, Memory::Relaxed);
    world.check();
    assert_eq!(world.panics, TIMES);
}

#[test]
fn a_lone_worker_panics_in_a_policy() {
    panics_in_a_policy(1);
}

#[test]
fn workers_panic_in_a_policy() {
    panics_in_a_policy(3);
}

/// A worker panics just after an AM has asked once, with the ask or with what follows from it: all that was asked for
/// comes.
#[test]
fn an_ask_before_a_panic_stays() {
    for time in 0..TIMES {
        let policy = Arc::new(Touchy::default());
        let file = queues("<schedulingPolicy>touchy</schedulingPolicy>");
        let mut world = World::start(builder().policy(policy.clone()).allocations(file).workers(2));
        world.steps(1);
        world.settle();
        // The first key that is asked for once the ask is sent: of its home, or of the worker that hears of it.
        let arm = || policy.0.store(1 + i64::try_from(time % 4).unwrap(), Memory::Relaxed);
        world.check_that_one_gets(20, &arm);
    }
}

/// A worker that cannot begin anew is given up: the others go on with its nodes; of the last one calls say so.
#[test]
fn workers_are_given_up() {
    for _ in 0..TIMES.div_ceil(3) {
        three_workers_are_given_up(World::start(builder().workers(3)));
    }
}

#[test]
fn polled_workers_are_given_up() {
    for _ in 0..TIMES.div_ceil(10) {
        let (scheduler, threads) = start_polled(builder().workers(3));
        three_workers_are_given_up(World::of(scheduler));
        assert_eq!(ends(threads), [Polled::GivenUp; 3]);
    }
}

fn three_workers_are_given_up(mut world: World) {
    world.steps(3);
    for worker in 0..2 {
        world.scheduler.inject(Fault::WorkerDeath { worker }).unwrap();
        until("the end of the worker", || {
            world.step();
            world.panics > worker
        });
        // What asked of it begins another attempt.
        world.renew_apps();
        world.steps(3);
        world.check();
        let injected = world.scheduler.inject(Fault::WorkerPanic { worker });
        assert_eq!(injected, Err(Refused::Gone(Gone::Worker(worker))));
        // Whoever answers for it goes on, also where a caller waits no longer.
        for _ in 0..10 {
            let _ = world.scheduler.quiesce_within(Duration::ZERO);
        }
        within("quiesce", || world.scheduler.quiesce()).unwrap();
    }
    // A queue that gets a limit now is granted from all the same.
    let file = "<allocations><queue name='a'/><queue name='b'><maxResources>61440 mb, 60 vcores</maxResources></queue></allocations>";
    let file = allocations(file);
    within("reload", || world.scheduler.reload(file)).unwrap();
    world.check();
    let held = world.scheduler.containers().unwrap().first().expect("something runs").id;
    world.scheduler.inject(Fault::WorkerDeath { worker: 2 }).unwrap();
    world.hear_of_panics(3);
    let scheduler = &world.scheduler;
    let added = within("add_node", || scheduler.add_node("more", "/r", Resource::new(1024, 1)));
    assert_eq!(added.unwrap_err(), Refused::Gone(Gone::AllWorkers));
    let submitted = within("submit", || scheduler.submit(unmanaged(1000, "root.a")));
    assert_eq!(submitted.unwrap_err(), Refused::Gone(Gone::AllWorkers));
    let asked = ask(1);
    for app in world.apps() {
        let refused = within("allocate", || scheduler.allocate(app, &asked, &mut Allocation::default()));
        assert!(matches!(refused, Err(Refused::Gone(Gone::Worker(_)))), "{refused:?}");
        // Nobody's home is needed to give something back.
        let release = AllocateRequest::default().with_releases([held]);
        within("allocate", || scheduler.allocate(app, &release, &mut Allocation::default())).unwrap();
        within("finish", || scheduler.finish(app)).unwrap();
    }
    within("quiesce", || scheduler.quiesce()).unwrap();
    assert_eq!((scheduler.stats().running, scheduler.nodes().len()), (0, 0));
    assert!(scheduler.stats().allocated.is_zero());
    within("shutdown", || scheduler.shutdown()).unwrap();
}

// ---------------------------------------------------------------------------------------------------- AMs and events

/// AMs ask and never call again; others go on, and when they are ended nothing is left.
#[test]
fn callers_never_come_back() {
    let mut world = World::start(builder().workers(2));
    let mut silent = Vec::new();
    again_and_again(&mut world, |world, time| {
        silent.push(world.forget_app(time % 8));
        if silent.len() == 10 {
            for app in silent.drain(..) {
                within("finish", || world.scheduler.finish(&app)).unwrap();
            }
        }
    });
    world.check();
}

/// Nobody reads events; there is room for two.
#[test]
fn nobody_reads_events() {
    let mut world = World::start(builder().workers(2).event_capacity(2));
    world.deaf = true;
    again_and_again(&mut world, |world, time| {
        world.scheduler.inject(Fault::WorkerPanic { worker: time % 2 }).unwrap();
        within("quiesce", || world.scheduler.quiesce()).unwrap();
        world.register_lost();
    });
    let (mut told, mut lost) = (0, 0);
    while let Some(event) = world.scheduler.next_event() {
        match event {
            SchedulerEvent::EventsDropped(events) => lost += events,
            event => told += usize::from(matches!(event, SchedulerEvent::WorkerPanicked { .. })),
        }
    }
    assert_eq!((told, lost), (2, TIMES as u64 - 2));
    world.deaf = false;
    world.check();
}

/// Channels of one message: callers are refused, nobody inside waits, and what is sent again arrives.
#[test]
fn channels_are_full() {
    let mut world = World::start(builder().workers(2).channel_capacity(1));
    again_and_again(&mut world, |world, time| {
        let stall = Fault::WorkerStall { worker: time % 2, time: Duration::from_millis(2) };
        world.scheduler.inject(stall).unwrap();
        within("a full channel", || while world.try_beats() == 0 {});
    });
    assert!(world.busy >= TIMES);
    world.check();
}

// ---------------------------------------------------------------------------------------------------- time

/// A clock that jumps.
#[derive(Debug)]
struct Jumping(AtomicU64);

impl Clock for Jumping {
    fn now_ms(&self) -> u64 {
        self.0.load(Memory::Relaxed)
    }
}

/// The clock jumps by an hour and back. What was acquired and not launched may expire; it is told of.
#[test]
fn the_clock_jumps() {
    const HOUR: u64 = 3_600_000;
    let clock = Arc::new(Jumping(AtomicU64::new(10 * HOUR)));
    let mut world = World::start(builder().workers(2).clock(clock.clone()));
    again_and_again(&mut world, |_, time| {
        let now = clock.0.load(Memory::Relaxed);
        clock.0.store(if time % 2 == 0 { now + HOUR } else { now - HOUR + 1 }, Memory::Relaxed);
    });
    world.check();
    // After a jump back containers expire as they did before.
    clock.0.store(HOUR, Memory::Relaxed);
    world.scheduler.quiesce().unwrap();
    world.expire_one(&|| {
        clock.0.fetch_add(100_000, Memory::Relaxed);
    });
    world.check();
}

/// The update task stalls: what is granted goes by the shares that were there, and their age is told.
#[test]
fn the_update_task_stalls() {
    let clock = Arc::new(VirtualClock::new());
    let mut world = World::start(builder().workers(2).clock(clock.clone()));
    let mut granted_meanwhile = 0;
    again_and_again(&mut world, |world, _| {
        let before = world.scheduler.stats();
        world.scheduler.inject(Fault::UpdateStall(Duration::from_millis(5))).unwrap();
        for _ in 0..3 {
            world.step_without_update();
        }
        world.scheduler.quiesce().unwrap();
        granted_meanwhile += world.scheduler.stats().granted - before.granted;
    });
    assert!(granted_meanwhile > 0, "scheduling goes on");
    world.check();
    // Behind a stall nothing is published: the age of what is there grows with the clock, and is nothing after an
    // update.
    let scheduler =
        FairScheduler::builder().settings(Settings::default()).clock(clock.clone()).timers(false).start().unwrap();
    scheduler.update_now().unwrap();
    clock.advance(1234);
    assert_eq!(scheduler.stats().snapshot_age_ms, 1234);
    let time = MonotonicClock::new();
    let begun = time.now_ms();
    scheduler.inject(Fault::UpdateStall(Duration::from_millis(20))).unwrap();
    scheduler.update_now().unwrap();
    assert!(time.now_ms() - begun >= 19, "the stall came first");
    assert_eq!(scheduler.stats().snapshot_age_ms, 0);
}

// ---------------------------------------------------------------------------------------------------- groups

/// Groups that hang until they are let go, or panic.
#[derive(Debug)]
struct Unreliable {
    let_go: Mutex<mpsc::Receiver<()>>,
    hangs: mpsc::Sender<()>,
}

impl Groups for Unreliable {
    fn of(&self, user: &str) -> Vec<String> {
        match user {
            "hangs" => {
                self.hangs.send(()).unwrap();
                self.let_go.lock().unwrap().recv().unwrap();
            }
            "fails" => panic!("no directory"),
            _ => {}
        }
        vec![format!("{user}s")]
    }
}

#[test]
fn groups_hang_and_fail() {
    let ((let_go, waiting), (hangs, has_been_asked)) = (mpsc::channel(), mpsc::channel());
    let groups = Arc::new(Unreliable { let_go: Mutex::new(waiting), hangs });
    let patience = Duration::from_millis(3);
    let mut world = World::start(builder().workers(2).groups(groups).groups_timeout(patience));
    again_and_again(&mut world, |world, time| {
        let number = 10_000 + u32::try_from(time).unwrap();
        let by = |user: &str| evenweave::Submission::new(number, user).in_queue("root.a");
        let refuses = |world: &World, user: &str| {
            let refused = within("submit", || world.scheduler.submit(by(user)));
            assert!(matches!(&refused, Err(Refused::TryAgain(TryAgain::NoGroups { .. }))), "{user}: {refused:?}");
        };
        // Once it has answered it is asked again: how soon that is, is the machine's.
        let comes_again = |world: &World| {
            let app = wait_for("submit", || match world.scheduler.submit(by("ann")) {
                Ok(app) => Some(app),
                Err(Refused::TryAgain(TryAgain::NoGroups { .. })) => None,
                Err(other) => panic!("{other}"),
            });
            within("finish", || world.scheduler.finish(&app)).unwrap();
        };
        refuses(world, "fails");
        comes_again(world);
        // Where it has yet to answer about somebody before, it is not asked.
        until("the question that hangs", || {
            refuses(world, "hangs");
            has_been_asked.try_recv().is_ok()
        });
        refuses(world, "waits behind it");
        // Everything that needs no groups goes on.
        world.steps(2);
        let_go.send(()).unwrap();
        comes_again(world);
    });
    world.check();
}

// ---------------------------------------------------------------------------------------------------- wrong reports

/// A node registers twice; nodes that are gone, or another scheduler's, report; completions come twice, for containers
/// of others, for those of another scheduler.
#[test]
fn reports_are_wrong() {
    let mut world = World::start(builder().workers(2));
    let stranger = FairScheduler::builder().workers(2).start().unwrap();
    let elsewhere: Vec<NodeHandle> =
        (0..4).map(|i| stranger.add_node(&format!("n{i}"), "/r", Resource::new(8192, 8)).unwrap()).collect();
    again_and_again(&mut world, |world, time| {
        let at = time % NODES;
        let twice = within("add_node", || world.scheduler.add_node(&format!("n{at}"), "/r0", Resource::new(8192, 8)));
        assert_eq!(twice.unwrap_err(), Refused::AlreadyExists(AlreadyExists::Node(format!("n{at}"))));
        let gone = world.replace_node(at);
        let refused = world.scheduler.heartbeat(Heartbeat::new(&gone)).unwrap_err().reason;
        assert!(matches!(refused, Refused::NotFound(NotFound::Node(_))));
        // Many in one go are taken, and ignored.
        world.send_all(vec![Heartbeat::new(&gone), Heartbeat::new(&elsewhere[time % 4])]);
        world.report_strangers(at);
        world.report_twice(at);
    });
    world.check();
}

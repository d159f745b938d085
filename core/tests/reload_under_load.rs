//! Hot reload while workers grant and applications come and go: good files and bad ones in turn, by the watcher and by
//! call. Nothing here looks at a time; what waits gives up after one that means that it has stopped.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

mod memory;

use evenweave::clock::{Clock, MonotonicClock};
use evenweave::config::{AllocationSource, AllocationsError};
use evenweave::refused::{Configuration, Gone, NoQueue, TryAgain};
use evenweave::{
    AllocateRequest, ContainerId, FairScheduler, Heartbeat, NodeHandle, NodeId, Refused, Resource, SchedulerEvent,
};
use evenweave_testkit::{
    Raised, SMALL, add_nodes, allocate, allocations, ask, assert_limits, assert_sums, beat, event, fill, greedy, poll,
    unmanaged, until,
};
use memory::Memory;
use std::collections::HashSet;
use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

/// Real time for intervals, and a wall clock that the test sets: so that each version of the file is newer than the
/// last success and old enough to be read.
#[derive(Debug, Default)]
struct TestClock {
    monotonic: MonotonicClock,
    wall_ms: AtomicU64,
}

impl Clock for TestClock {
    fn now_ms(&self) -> u64 {
        self.monotonic.now_ms()
    }

    fn wall_ms(&self) -> u64 {
        self.wall_ms.load(Ordering::Relaxed)
    }
}

impl TestClock {
    /// A time of change later than all that was, and already in the past.
    fn changed(&self) -> u64 {
        self.wall_ms.fetch_add(10, Ordering::Relaxed) + 5
    }
}

/// The `i`-th file: limits rise, fall and vanish, queues come and go, and types flip. `root.mark` tells which one is in
/// force.
fn good(i: u32) -> String {
    let max = |mb: u32| format!("<maxResources>{mb} mb, {} vcores</maxResources>", mb / 1024);
    let first = [max(4096), max(40_960), String::new(), max(12_288)][i as usize % 4].clone();
    let second = [String::new(), max(2048), max(20_480)][i as usize % 3].clone();
    let flips = match i % 5 {
        0 | 1 => "<queue name='flip'/>",
        2 => "<queue name='flip'><queue name='x'/><queue name='y'/></queue>",
        3 => "<queue name='flip' type='parent'><maxChildResources>3072 mb, 3 vcores</maxChildResources></queue>",
        _ => "",
    };
    let come_and_go =
        if i.is_multiple_of(2) { "<queue name='guest'><maxRunningApps>1</maxRunningApps></queue>" } else { "" };
    format!(
        "<allocations><queue name='root'><schedulingPolicy>drf</schedulingPolicy>{}<queue name='mark'>\
         <maxRunningApps>{}</maxRunningApps></queue><queue name='a'>{first}<queue name='x'><weight>{}</weight>{second}\
         </queue><queue name='y'/></queue>{flips}{come_and_go}</queue></allocations>",
        if i.is_multiple_of(7) { max(61_440) } else { String::new() },
        1000 + i,
        1 + i % 3
    )
}

/// A file that is no good, each in its own words.
fn bad(i: u32) -> String {
    let wrong = format!("x{i}");
    match i % 4 {
        0 => format!("<allocations><queue name='a'/></{wrong}>"),
        1 => format!("<allocations><queue name='a'><maxRunningApps>{wrong}</maxRunningApps></queue></allocations>"),
        // Refused late: its placement rules are in force, and leave everything to the queue that is asked for.
        2 => format!(
            "<allocations><queue name='a' type='parent'/><queueMaxAppsDefault>{wrong}</queueMaxAppsDefault>\
             <queuePlacementPolicy><rule name='specified'/><rule name='default'/></queuePlacementPolicy></allocations>"
        ),
        _ => format!("<allocations><queuePlacementPolicy><rule name='{wrong}'/></queuePlacementPolicy></allocations>"),
    }
}

const LEAVES: [&str; 7] =
    ["root.a.x", "root.a.y", "root.flip", "root.flip.x", "root.guest", "root.mark", "root.adhoc.deep.q"];

/// What one RM thread does with one application after the other, until it is told to stop; counts the containers that
/// it was given.
fn drive(scheduler: &FairScheduler, nodes: &[NodeHandle], first: u32, stop: &AtomicBool, told: &AtomicU64) {
    let mut number = first;
    while !stop.load(Ordering::Relaxed) {
        number += 16;
        let queue = LEAVES[(number / 16 + first) as usize % LEAVES.len()];
        let app = match scheduler.submit(unmanaged(number, queue)) {
            Ok(app) => app,
            // A queue of the other type stands there now.
            Err(Refused::NoQueue(NoQueue::NotLeaf { .. })) => continue,
            Err(refused) => panic!("{queue}: {refused}"),
        };
        let mut seen = HashSet::new();
        let mut running: Vec<(ContainerId, NodeId)> = Vec::new();
        for round in 0..12 {
            let mut request = ask(round % 7);
            if round % 5 == 4 {
                request.releases.extend(running.pop().map(|(id, _)| id));
            }
            let answer = allocate(scheduler, &app, &request).unwrap();
            scheduler.update_now().unwrap();
            for container in answer.granted {
                assert!(seen.insert(container.id.number()), "I5: told once");
                running.push((container.id, container.node));
            }
            let node = &nodes[(round + number / 16) as usize % nodes.len()];
            let mut heartbeat = Heartbeat::new(node);
            running.retain(|(id, at)| {
                let here = *at == node.id();
                if here {
                    heartbeat.add_completed([*id]);
                }
                !here
            });
            beat(scheduler, heartbeat);
        }
        if number.is_multiple_of(3) {
            // Whether or not that is possible now.
            let _ = scheduler.move_app(&app, LEAVES[(number / 16) as usize % 2]);
        }
        told.fetch_add(seen.len() as u64, Ordering::Relaxed);
        scheduler.finish(&app).unwrap();
    }
}

fn mark(scheduler: &FairScheduler) -> u32 {
    scheduler.queues().unwrap().into_iter().find(|queue| queue.name == "root.mark").unwrap().max_running_apps
}

fn is_good(event: &SchedulerEvent) -> bool {
    // One that breaks off, as Hadoop does where a queue has changed its type, is in force as well.
    matches!(event, SchedulerEvent::AllocationsLoaded { .. } | SchedulerEvent::AllocationsBrokeOff { .. })
}

fn reloads_under_load(workers: usize) {
    const RELOADS: u32 = 100;
    let clock = Arc::new(TestClock::default());
    let file = Memory::new(&good(0), clock.changed());
    let scheduler = FairScheduler::builder()
        .settings(greedy())
        .workers(workers)
        .clock(clock.clone())
        .watch(file.clone())
        .reload_interval(Duration::from_millis(1))
        .reload_wait(Duration::ZERO)
        .start()
        .unwrap();
    assert!(is_good(&event(&scheduler)));
    let nodes = add_nodes(&scheduler, 12);
    let (stop, told) = (AtomicBool::new(false), AtomicU64::new(0));
    thread::scope(|scope| {
        let drivers: Vec<_> = (0..3_u32)
            .map(|driver| {
                let (scheduler, nodes, stop, told) = (scheduler.clone(), &nodes, &stop, &told);
                scope.spawn(move || drive(&scheduler, nodes, driver, stop, told))
            })
            .collect();
        let until_here = Raised(&stop);
        // On a busy machine all reloads could be over before anybody is given anything.
        until("the first container", || told.load(Ordering::Relaxed) > 0);
        let mut in_force = 1000;
        for i in 1..=RELOADS {
            let is_bad = i % 3 == 2;
            let text = if is_bad { bad(i) } else { good(i) };
            let by_call = if i % 10 == 7 && !is_bad {
                // What the embedder has read itself is told of to nobody else.
                let read = allocations(&text);
                let outcome = scheduler.reload(read);
                assert!(
                    matches!(outcome, Ok(()) | Err(Refused::Configuration(Configuration::BrokeOff { .. }))),
                    "{outcome:?}"
                );
                true
            } else {
                file.set(&text, clock.changed());
                let event = if i % 4 == 1 {
                    // The watcher may come first: then the second reading tells nothing new of a bad file.
                    let outcome = scheduler.refresh_file();
                    assert_eq!(
                        matches!(outcome, Err(Refused::Configuration(Configuration::Allocations(_)))),
                        is_bad,
                        "{outcome:?}"
                    );
                    event(&scheduler)
                } else {
                    event(&scheduler)
                };
                if is_bad {
                    let SchedulerEvent::AllocationsRefused(error) = &event else { panic!("{event:?}") };
                    assert!(error.to_string().contains(&format!("x{i}")), "{error}");
                } else {
                    assert!(is_good(&event), "{event:?}");
                }
                false
            };
            if !is_bad {
                in_force = 1000 + i;
            }
            assert_eq!(mark(&scheduler), in_force, "the last good file is in force");
            // Nothing else is told, but that a good file which was refreshed may have been read twice.
            while let Some(event) = scheduler.next_event() {
                assert!(!by_call && !is_bad && is_good(&event), "reload {i}: {event:?}");
            }
        }
        drop(until_here);
        drivers.into_iter().for_each(|driver| driver.join().unwrap());
    });
    let told = told.into_inner();
    assert_sums(&scheduler);
    let stats = scheduler.stats();
    assert_eq!((stats.running, scheduler.apps().unwrap().len()), (0, 0), "all have finished");
    assert!(told > 0 && told <= stats.granted, "{told} told of {} granted", stats.granted);
    assert!(scheduler.queues().unwrap().iter().all(|queue| queue.usage.is_zero() && queue.runnable == 0));
    assert!(scheduler.nodes().iter().all(|node| node.free == node.total));
    the_last_file_holds(&scheduler, &nodes);
    while let Some(event) = scheduler.next_event() {
        assert!(is_good(&event), "nothing panicked: {event:?}");
    }
    scheduler.shutdown().unwrap();
}

/// From empty: the limits of the last good file, number 100, are kept to and used to the full.
fn the_last_file_holds(scheduler: &FairScheduler, nodes: &[NodeHandle]) {
    let used = |name: &str| scheduler.queues().unwrap().into_iter().find(|queue| queue.name == name).unwrap().usage;
    let apps = [(1, "root.a.x"), (2, "root.a.y")].map(|(n, queue)| scheduler.submit(unmanaged(n, queue)).unwrap());
    apps.iter().for_each(|app| drop(allocate(scheduler, app, &ask(50)).unwrap()));
    fill(scheduler, nodes);
    assert_sums(scheduler);
    assert_limits(scheduler);
    assert_eq!(used("root.a"), Resource::new(4096, 4));
    assert!(used("root.a.x").fits_in(&Resource::new(2048, 2)));
    for app in &apps {
        scheduler.finish(app).unwrap();
    }
    assert!(used("root").is_zero());
}

#[test]
fn reloads_under_load_with_1_worker() {
    reloads_under_load(1);
}

#[test]
fn reloads_under_load_with_3_workers() {
    reloads_under_load(3);
}

/// A source that can be made to stand still while it is read.
#[derive(Clone, Debug)]
struct Slow {
    memory: Memory,
    gate: Arc<Mutex<Option<Gate>>>,
}

#[derive(Debug)]
struct Gate {
    reached: mpsc::Sender<()>,
    open: mpsc::Receiver<()>,
}

impl AllocationSource for Slow {
    fn name(&self) -> String {
        self.memory.name()
    }

    fn modified_ms(&self) -> io::Result<Option<u64>> {
        self.memory.modified_ms()
    }

    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        let gate = self.gate.lock().unwrap().take();
        if let Some(gate) = gate {
            gate.reached.send(()).unwrap();
            // Closed is open.
            let _ = gate.open.recv();
        }
        self.memory.open()
    }
}

impl Slow {
    /// The next reading stands still until something is sent; says when it does.
    fn shut(&self) -> (mpsc::Receiver<()>, mpsc::Sender<()>) {
        let (reached, is_reached) = mpsc::channel();
        let (opener, open) = mpsc::channel();
        *self.gate.lock().unwrap() = Some(Gate { reached, open });
        (is_reached, opener)
    }
}

/// Nothing waits for the reading of a file but who asked for it, not even the end of the scheduler.
#[test]
fn a_source_that_stands_still_holds_up_nothing() {
    let source = Slow { memory: Memory::new("<allocations><queue name='a'/></allocations>", 1), gate: Arc::default() };
    let scheduler = FairScheduler::builder().settings(greedy()).workers(2).watch(source.clone()).start().unwrap();
    let nodes = add_nodes(&scheduler, 2);
    let (reached, opener) = source.shut();
    source.memory.set("<allocations><queue name='b'/></allocations>", 2);
    let other = scheduler.clone();
    let refresh = thread::spawn(move || other.refresh_file());
    reached.recv().unwrap();
    // Scheduling and administration go on.
    let app = scheduler.submit(unmanaged(1, "root.a")).unwrap();
    allocate(&scheduler, &app, &ask(4)).unwrap();
    fill(&scheduler, &nodes);
    assert_eq!(poll(&scheduler, &app).granted.len(), 4);
    let text = "<allocations><queue name='c'/></allocations>";
    let read = allocations(text);
    scheduler.reload(read).unwrap();
    assert!(scheduler.queues().unwrap().iter().any(|queue| queue.name == "root.c"));
    opener.send(()).unwrap();
    assert_eq!(refresh.join().unwrap(), Ok(Vec::new()));
    assert!(scheduler.queues().unwrap().iter().any(|queue| queue.name == "root.b"), "the later one counts");
    // The end does not wait for it either.
    let (reached, opener) = source.shut();
    let other = scheduler.clone();
    let refresh = thread::spawn(move || other.refresh_file());
    reached.recv().unwrap();
    scheduler.shutdown().unwrap();
    drop(opener);
    assert_eq!(refresh.join().unwrap(), Err(Refused::Gone(Gone::ShutDown)));
}

/// A source that panics at its second reading.
#[derive(Debug)]
struct Broken(AtomicBool);

impl AllocationSource for Broken {
    fn name(&self) -> String {
        "broken".to_owned()
    }

    fn modified_ms(&self) -> io::Result<Option<u64>> {
        Ok(Some(1))
    }

    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        assert!(!self.0.swap(true, Ordering::Relaxed), "no more");
        Ok(Box::new(&b"<allocations/>"[..]))
    }
}

#[test]
fn a_panic_of_the_source_is_told_of_and_disturbs_nothing_else() {
    let scheduler = FairScheduler::builder().watch(Broken(AtomicBool::new(false))).start().unwrap();
    assert!(is_good(&event(&scheduler)));
    let refused = scheduler.refresh_file();
    assert!(
        matches!(&refused, Err(Refused::TryAgain(TryAgain::Panicked { message, .. })) if message == "no more"),
        "{refused:?}"
    );
    let told = SchedulerEvent::TaskPanicked { task: "watcher", message: "no more".to_owned() };
    assert_eq!(event(&scheduler), told);
    let nodes = add_nodes(&scheduler, 1);
    let app = scheduler.submit(unmanaged(1, "root.a")).unwrap();
    allocate(&scheduler, &app, &AllocateRequest::default()).unwrap();
    allocate(&scheduler, &app, &ask(1)).unwrap();
    fill(&scheduler, &nodes);
    assert_eq!(poll(&scheduler, &app).granted[0].resource, SMALL);
    scheduler.shutdown().unwrap();
}

/// The watcher cleans up, and that is all it does, where the embedder reads the allocations.
#[test]
fn dynamic_queues_go_by_themselves_without_a_file_too() {
    let scheduler = FairScheduler::builder().reload_interval(Duration::from_millis(1)).start().unwrap();
    let app = scheduler.submit(unmanaged(1, "root.d.e")).unwrap();
    scheduler.finish(&app).unwrap();
    until("the clean-up", || scheduler.queues().unwrap().len() == 1);
    assert_eq!(scheduler.refresh_file(), Err(Refused::Configuration(Configuration::NoFile)));
    let missing = AllocationsError::NotFound { location: "fair.xml".to_owned(), directories: Vec::new() };
    let scheduler = FairScheduler::builder().allocation_file("fair.xml", &[]).start().unwrap();
    assert_eq!(scheduler.next_event(), Some(SchedulerEvent::AllocationsRefused(missing)));
}

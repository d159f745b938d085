//! The threaded scheduler: what must hold whoever runs when. Nothing here waits for a time to pass or looks at one.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use evenweave::policy::{ClusterTotal, Schedulable, SchedulingPolicy, ShareInput};
use evenweave::refused::{AlreadyExists, Gone, NotFound, TryAgain};
use evenweave::resource::{Calculator, ResourceTypes};
use evenweave::{
    AllocateRequest, Allocation, AllocationFile, AppHandle, ContainerId, FairScheduler, FairSchedulerBuilder,
    Heartbeat, NewAttempt, NodeHandle, Polled, Refused, Resource,
};
use evenweave_testkit::{
    SMALL, add_nodes, allocate, ask, assert_limits, assert_nobody_waits, assert_sums, beat, ends, fill, greedy, poll,
    settings, start_polled, unmanaged, until,
};
use std::cmp::Ordering;
use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering as Memory};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

/// What takes this long has stopped.
const STUCK: Duration = Duration::from_secs(120);

fn allocations(text: &str, custom: &[String]) -> AllocationFile {
    AllocationFile::parse(text, "allocations", &ResourceTypes::standard(), custom).unwrap().file
}

/// At quiet: the books agree, limits hold, and nothing was to be told.
fn assert_books(scheduler: &FairScheduler) {
    assert_sums(scheduler);
    assert_limits(scheduler);
    assert!(scheduler.next_event().is_none(), "no worker panicked");
}

fn start(workers: usize, builder: FairSchedulerBuilder) -> FairScheduler {
    builder.workers(workers).start().unwrap()
}

const QUEUES: &str = "<allocations><queue name='root'><schedulingPolicy>drf</schedulingPolicy>
    <queue name='a'><maxResources>20480 mb, 20 vcores</maxResources>
        <queue name='x'><weight>2</weight></queue><queue name='y'><maxResources>5120 mb, 5 vcores</maxResources></queue>
    </queue>
    <queue name='b'><schedulingPolicy>drf</schedulingPolicy></queue>
    <queue name='c'><schedulingPolicy>fifo</schedulingPolicy><maxRunningApps>3</maxRunningApps></queue>
</queue></allocations>";
const LEAVES: [&str; 4] = ["root.a.x", "root.a.y", "root.b", "root.c"];

/// What one RM thread does for one application: asks, takes what comes, reports ends, and finishes.
fn drive(scheduler: &FairScheduler, nodes: &[NodeHandle], number: u32, rounds: usize) -> u64 {
    let queue = LEAVES[number as usize % LEAVES.len()];
    let app = scheduler.submit(unmanaged(number, queue)).unwrap();
    let mut seen = HashSet::new();
    let mut running: Vec<(ContainerId, evenweave::NodeId)> = Vec::new();
    for round in 0..rounds {
        let mut request = ask(u32::try_from(round % 7).unwrap());
        if round % 5 == 4
            && let Some((id, _)) = running.pop()
        {
            request.releases.push(id);
        }
        let answer = allocate(scheduler, &app, &request).unwrap();
        // Asks count from the next update on.
        scheduler.update_now().unwrap();
        for container in answer.granted {
            assert!(seen.insert(container.id.number()), "I5: told once");
            assert_eq!(container.resource, SMALL);
            running.push((container.id, container.node));
        }
        let at = (round + number as usize) % nodes.len();
        let mut heartbeat = Heartbeat::new(&nodes[at]);
        running.retain(|(id, node)| {
            let here = *node == nodes[at].id();
            if here {
                heartbeat.add_launched([*id]);
                heartbeat.add_completed([*id]);
            }
            !here
        });
        beat(scheduler, heartbeat);
    }
    if number.is_multiple_of(3) {
        return seen.len() as u64;
    }
    scheduler.finish(&app).unwrap();
    assert_eq!(
        allocate(scheduler, &app, &AllocateRequest::default()).unwrap_err(),
        Refused::NotFound(NotFound::App(number))
    );
    assert_eq!(scheduler.finish(&app).unwrap_err(), Refused::NotFound(NotFound::App(number)));
    seen.len() as u64
}

fn loaded(workers: usize) -> FairSchedulerBuilder {
    FairScheduler::builder().settings(greedy()).allocations(allocations(QUEUES, &[])).workers(workers)
}

fn books_balance(workers: usize) {
    books_balance_of(loaded(workers).start().unwrap());
}

fn books_balance_of(scheduler: FairScheduler) {
    let nodes = add_nodes(&scheduler, 12);
    let told: u64 = thread::scope(|scope| {
        let drivers: Vec<_> = (0..4_u32)
            .map(|driver| {
                let (scheduler, nodes) = (scheduler.clone(), &nodes);
                scope.spawn(move || {
                    let mut told = 0;
                    for i in 0..6 {
                        told += drive(&scheduler, nodes, 1 + driver * 6 + i, 60);
                        scheduler.update_now().unwrap();
                    }
                    told
                })
            })
            .collect();
        drivers.into_iter().map(|driver| driver.join().unwrap()).sum()
    });
    assert_books(&scheduler);
    let stats = scheduler.stats();
    assert!(stats.granted > 0 && told <= stats.granted, "{told} told of {} granted", stats.granted);
    // Who is left gets what there is room for, and is told of it.
    let left = scheduler.apps().unwrap();
    assert_eq!(left.len(), 8);
    fill(&scheduler, &nodes);
    assert_nobody_waits(&scheduler);
    let told_of = |app: &AppHandle| allocate(&scheduler, app, &AllocateRequest::default()).unwrap().granted.len();
    let at_last: usize = left.iter().map(|app| told_of(&scheduler.find_app(app.id.number).unwrap().unwrap())).sum();
    let granted = scheduler.stats().granted;
    assert!(told + at_last as u64 > 0 && told + at_last as u64 <= granted, "{told} and {at_last} told of {granted}");
    assert_books(&scheduler);
    scheduler.shutdown().unwrap();
}

#[test]
fn books_balance_with_1_worker() {
    books_balance(1);
}

#[test]
fn books_balance_with_2_workers() {
    books_balance(2);
}

#[test]
fn books_balance_with_4_workers() {
    books_balance(4);
}

/// Each on a thread of the embedder's.
#[test]
fn books_balance_with_3_polled_workers() {
    let (scheduler, threads) = start_polled(loaded(3));
    books_balance_of(scheduler);
    assert_eq!(ends(threads), [Polled::Ended; 3]);
}

/// Holds a worker at the first heartbeat that it takes with a stamp, until the gate is opened.
#[derive(Debug)]
struct Gate {
    reached: Mutex<mpsc::Sender<()>>,
    open: Mutex<mpsc::Receiver<()>>,
    served: AtomicU64,
}

impl evenweave::HeartbeatProbe for Gate {
    fn taken(&self, _: usize, stamp: u64) -> u64 {
        if stamp == 1 {
            self.reached.lock().unwrap().send(()).unwrap();
            self.open.lock().unwrap().recv().unwrap();
        }
        0
    }

    fn served(&self, _: usize, _: u64, _: u64, _: u32) {
        self.served.fetch_add(1, Memory::Relaxed);
    }
}

/// A scheduler with one worker that stands still in a heartbeat of the node until something is sent.
fn gated(capacity: usize) -> (FairScheduler, NodeHandle, mpsc::Sender<()>, Arc<Gate>) {
    gated_after(capacity, |_, _| {})
}

/// The same after something else was done.
fn gated_after(
    capacity: usize,
    before: impl FnOnce(&FairScheduler, &NodeHandle),
) -> (FairScheduler, NodeHandle, mpsc::Sender<()>, Arc<Gate>) {
    let (reached, at_gate) = mpsc::channel();
    let (opener, open) = mpsc::channel();
    let gate = Arc::new(Gate { reached: Mutex::new(reached), open: Mutex::new(open), served: AtomicU64::new(0) });
    let builder = FairScheduler::builder().settings(greedy()).channel_capacity(capacity).probe(gate.clone());
    let scheduler = start(1, builder);
    let node = scheduler.add_node("n1", "/r1", Resource::new(8192, 8)).unwrap();
    before(&scheduler, &node);
    let mut first = Heartbeat::new(&node);
    first.stamp = 1;
    scheduler.heartbeat(first).unwrap();
    at_gate.recv().unwrap();
    (scheduler, node, opener, gate)
}

/// A release is an accepted one or a refused one: an AM is told that it has to try again.
#[test]
fn a_full_channel_refuses_a_release() {
    let mut got = None;
    let (scheduler, node, opener, _) = gated_after(1, |scheduler, node| {
        let app = scheduler.submit(unmanaged(1, "root.q")).unwrap();
        allocate(scheduler, &app, &ask(1)).unwrap();
        fill(scheduler, std::slice::from_ref(node));
        let container = poll(scheduler, &app).granted[0].id;
        got = Some((app, container));
    });
    let (app, container) = got.unwrap();
    scheduler.heartbeat(Heartbeat::new(&node)).unwrap();
    let request = AllocateRequest::default().with_releases([container]);
    assert_eq!(scheduler.allocate(&app, &request, &mut Allocation::default()), Err(Refused::TryAgain(TryAgain::Busy)));
    opener.send(()).unwrap();
    let told = allocate(&scheduler, &app, &request).unwrap().ended.len();
    scheduler.quiesce().unwrap();
    assert_eq!(told + poll(&scheduler, &app).ended.len(), 1);
    assert_books(&scheduler);
}

#[test]
fn a_full_channel_gives_the_heartbeat_back_and_loses_nothing() {
    let (scheduler, node, opener, gate) = gated(1);
    let app = scheduler.submit(unmanaged(1, "root.q")).unwrap();
    let stamped = |stamp| {
        let mut heartbeat = Heartbeat::new(&node);
        heartbeat.stamp = stamp;
        heartbeat
    };
    scheduler.heartbeat(stamped(2)).unwrap();
    let back = scheduler.heartbeat(stamped(3)).unwrap_err();
    assert_eq!((back.reason, back.returned.stamp), (Refused::TryAgain(TryAgain::Busy), 3));
    let back = scheduler.heartbeats(vec![stamped(4), stamped(5)]).unwrap_err();
    assert_eq!(back.reason, Refused::TryAgain(TryAgain::Busy));
    assert_eq!(back.returned.iter().map(|heartbeat| heartbeat.stamp).collect::<Vec<_>>(), [4, 5]);
    let mut answer = Allocation::default();
    assert_eq!(scheduler.allocate(&app, &ask(3), &mut answer), Err(Refused::TryAgain(TryAgain::Busy)));
    opener.send(()).unwrap();
    // Each is taken in the end, and each is served once.
    beat(&scheduler, back.returned.into_iter().next().unwrap());
    allocate(&scheduler, &app, &ask(3)).unwrap();
    scheduler.quiesce().unwrap();
    assert_eq!(gate.served.load(Memory::Relaxed), 3);
    assert_eq!(scheduler.stats().heartbeats, 3);
    fill(&scheduler, std::slice::from_ref(&node));
    assert_eq!(poll(&scheduler, &app).granted.len(), 3);
    assert_books(&scheduler);
}

#[test]
fn a_report_wakes_a_worker_that_sleeps() {
    let (woken, wakes) = mpsc::channel();
    let woken = Mutex::new(woken);
    let wake = Arc::new(move |app: u32| woken.lock().unwrap().send(app).unwrap());
    // Without timers nothing else wakes it, but for its looks for containers that were never launched: days apart.
    let days = [("yarn.resourcemanager.rm.container-allocation.expiry-interval-ms", "1000000000")];
    let builder = FairScheduler::builder().settings(settings(&days)).timers(false).on_grants(wake);
    let scheduler = start(1, builder);
    let nodes = add_nodes(&scheduler, 1);
    let app = scheduler.submit(unmanaged(1, "root.q")).unwrap();
    for round in 0..20 {
        allocate(&scheduler, &app, &ask(1)).unwrap();
        scheduler.quiesce().unwrap();
        scheduler.update_now().unwrap();
        scheduler.quiesce().unwrap();
        // Long enough for most that it sleeps by now; whoever does not is not woken.
        (0..5 * round).for_each(|_| thread::yield_now());
        beat(&scheduler, Heartbeat::new(&nodes[0]));
        assert_eq!(wakes.recv_timeout(STUCK), Ok(1));
        let granted = poll(&scheduler, &app).granted;
        let mut done = Heartbeat::new(&nodes[0]);
        done.add_completed(granted.iter().map(|container| container.id));
        beat(&scheduler, done);
    }
}

#[test]
fn shutdown_works_off_what_was_accepted_and_refuses_the_rest() {
    const BEATS: u64 = 2000;
    let (scheduler, node, opener, gate) = gated(usize::try_from(BEATS).unwrap());
    let app = scheduler.submit(unmanaged(1, "root.q")).unwrap();
    for stamp in 2..=BEATS {
        let mut heartbeat = Heartbeat::new(&node);
        heartbeat.stamp = stamp;
        scheduler.heartbeat(heartbeat).unwrap();
    }
    // The worker goes on when the shutdown has begun.
    thread::scope(|scope| {
        scope.spawn(|| scheduler.shutdown());
        until("the shutdown", || scheduler.begin_finish(&app) == Err(Refused::Gone(Gone::ShutDown)));
        opener.send(()).unwrap();
    });
    assert_eq!(gate.served.load(Memory::Relaxed), BEATS, "I9: every accepted heartbeat was served");
    let mut answer = Allocation::default();
    let late = scheduler.heartbeat(Heartbeat::new(&node)).unwrap_err();
    assert_eq!((late.reason, late.returned.node()), (Refused::Gone(Gone::ShutDown), node.id()));
    assert_eq!(scheduler.heartbeats(vec![Heartbeat::new(&node)]).unwrap_err().reason, Refused::Gone(Gone::ShutDown));
    assert_eq!(scheduler.allocate(&app, &ask(1), &mut answer), Err(Refused::Gone(Gone::ShutDown)));
    assert_eq!(scheduler.submit(unmanaged(2, "root.q")).unwrap_err(), Refused::Gone(Gone::ShutDown));
    assert_eq!(scheduler.finish(&app), Err(Refused::Gone(Gone::ShutDown)));
    assert_eq!(scheduler.begin_finish(&app), Err(Refused::Gone(Gone::ShutDown)));
    assert_eq!(scheduler.add_node("n2", "/r1", SMALL).unwrap_err(), Refused::Gone(Gone::ShutDown));
    assert_eq!(scheduler.remove_node(&node), Err(Refused::Gone(Gone::ShutDown)));
    assert_eq!(scheduler.resize_node(&node, SMALL), Err(Refused::Gone(Gone::ShutDown)));
    assert_eq!(scheduler.decommission_node(&node), Err(Refused::Gone(Gone::ShutDown)));
    assert_eq!(scheduler.move_app(&app, "root.q"), Err(Refused::Gone(Gone::ShutDown)));
    assert_eq!(scheduler.reload(AllocationFile::default()), Err(Refused::Gone(Gone::ShutDown)));
    assert_eq!(scheduler.update_now(), Err(Refused::Gone(Gone::ShutDown)));
    assert_eq!(scheduler.quiesce(), Err(Refused::Gone(Gone::ShutDown)));
    assert_eq!(scheduler.shutdown(), Ok(()));
    assert_eq!(scheduler.app(1).unwrap_err(), Refused::Gone(Gone::ShutDown));
    assert_eq!(scheduler.apps().unwrap_err(), Refused::Gone(Gone::ShutDown));
}

#[test]
fn dropping_the_last_handle_ends_the_threads() {
    let scheduler = FairScheduler::builder().workers(3).start().unwrap();
    let other = scheduler.clone();
    drop(scheduler);
    assert!(other.add_node("n1", "/r1", SMALL).is_ok());
    drop(other);
}

/// A lone worker tells the ledger of the root's usage once a heartbeat; whom it wakes in the midst of one finds it all
/// the same.
#[test]
fn who_is_woken_by_a_grant_is_told_the_room_that_is_left() {
    let calls: Arc<Mutex<Option<(FairScheduler, AppHandle)>>> = Arc::default();
    let (told, answers) = mpsc::channel();
    let (slot, told) = (calls.clone(), Mutex::new(told));
    let wake = Arc::new(move |_| {
        let calls = slot.lock().unwrap();
        let (scheduler, app) = calls.as_ref().unwrap();
        let answer = allocate(scheduler, app, &AllocateRequest::default()).unwrap();
        told.lock().unwrap().send((answer.granted.len(), answer.headroom)).unwrap();
    });
    let scheduler = start(1, FairScheduler::builder().settings(greedy()).on_grants(wake));
    let nodes = add_nodes(&scheduler, 1);
    let app = scheduler.submit(unmanaged(1, "root.q")).unwrap();
    let before = allocate(&scheduler, &app, &ask(2)).unwrap().headroom;
    scheduler.quiesce().unwrap();
    scheduler.update_now().unwrap();
    scheduler.quiesce().unwrap();
    *calls.lock().unwrap() = Some((scheduler.clone(), app));
    beat(&scheduler, Heartbeat::new(&nodes[0]));
    scheduler.quiesce().unwrap();
    let told: Vec<_> = answers.try_iter().map(|(granted, headroom)| (granted, headroom.vcores())).collect();
    assert_eq!(told, [(1, before.vcores() - 1), (1, before.vcores() - 2)]);
    *calls.lock().unwrap() = None;
}

/// A worker that is in the midst of a batch decides by the new shares what is sent after them, with the same batch too.
#[test]
fn what_is_sent_after_an_update_is_decided_under_it() {
    let (granted, is_granted) = mpsc::channel();
    let (go_on, may_go_on) = mpsc::channel();
    let (granted, may_go_on) = (Mutex::new(granted), Mutex::new(may_go_on));
    let wake = Arc::new(move |_| {
        granted.lock().unwrap().send(()).unwrap();
        may_go_on.lock().unwrap().recv().unwrap();
    });
    // One container a heartbeat.
    let scheduler = start(1, FairScheduler::builder().settings(settings(&[])).on_grants(wake));
    let nodes = add_nodes(&scheduler, 3);
    let [first, second] = [1, 2].map(|number| scheduler.submit(unmanaged(number, "root.q")).unwrap());
    allocate(&scheduler, &first, &ask(2)).unwrap();
    scheduler.quiesce().unwrap();
    scheduler.update_now().unwrap();
    // Known, and not demanded yet.
    allocate(&scheduler, &second, &ask(1)).unwrap();
    scheduler.quiesce().unwrap();
    // What wakes the worker is no batch; what comes meanwhile is one.
    beat(&scheduler, Heartbeat::new(&nodes[0]));
    is_granted.recv().unwrap();
    assert_eq!(poll(&scheduler, &first).granted.len(), 1);
    beat(&scheduler, Heartbeat::new(&nodes[1]));
    go_on.send(()).unwrap();
    is_granted.recv().unwrap();
    scheduler.update_now().unwrap();
    beat(&scheduler, Heartbeat::new(&nodes[2]));
    // For the second grant, and the third. Nothing else is sent: the worker would take the newest shares with it.
    go_on.send(()).unwrap();
    go_on.send(()).unwrap();
    let third = is_granted.recv_timeout(std::time::Duration::from_secs(60));
    third.expect("the last heartbeat was decided under older shares");
    scheduler.quiesce().unwrap();
    assert_eq!(poll(&scheduler, &first).granted.len(), 1);
    assert_eq!(poll(&scheduler, &second).granted.len(), 1);
}

/// Callbacks run on a worker. It cannot wait for its own end, so the end comes without being waited for.
#[test]
fn the_last_handle_may_go_in_a_callback() {
    let last: Arc<Mutex<Option<FairScheduler>>> = Arc::default();
    let (gone, is_gone) = mpsc::channel();
    let (slot, gone) = (last.clone(), Mutex::new(Some(gone)));
    let wake = Arc::new(move |_| {
        drop(slot.lock().unwrap().take());
        if let Some(gone) = gone.lock().unwrap().take() {
            gone.send(()).unwrap();
        }
    });
    let scheduler = start(2, FairScheduler::builder().settings(greedy()).on_grants(wake));
    let nodes = add_nodes(&scheduler, 1);
    let app = scheduler.submit(unmanaged(1, "root.q")).unwrap();
    allocate(&scheduler, &app, &ask(1)).unwrap();
    scheduler.quiesce().unwrap();
    scheduler.update_now().unwrap();
    // The callback waits until the last handle is there.
    let mut there = last.lock().unwrap();
    scheduler.heartbeat(Heartbeat::new(&nodes[0])).unwrap();
    *there = Some(scheduler);
    drop(there);
    is_gone.recv_timeout(std::time::Duration::from_secs(60)).expect("a worker waits for itself");
}

fn finishing_while_granting_leaves_nothing(workers: usize) {
    let scheduler = start(workers, FairScheduler::builder().settings(greedy()).allocations(allocations(QUEUES, &[])));
    let nodes = add_nodes(&scheduler, 8);
    for round in 0..30_u32 {
        let apps: Vec<_> =
            (0..4).map(|i| scheduler.submit(unmanaged(1 + round * 4 + i, LEAVES[i as usize])).unwrap()).collect();
        apps.iter().for_each(|app| drop(allocate(&scheduler, app, &ask(20)).unwrap()));
        scheduler.quiesce().unwrap();
        scheduler.update_now().unwrap();
        thread::scope(|scope| {
            for half in nodes.chunks(4) {
                scope.spawn(|| half.iter().for_each(|node| beat(&scheduler, Heartbeat::new(node))));
            }
            for app in &apps {
                let scheduler = &scheduler;
                scope.spawn(move || scheduler.finish(app).unwrap());
            }
        });
        // No quiesce between: the answer of `finish` promises that what there was is gone.
        for app in &apps {
            assert!(app.is_finished() && scheduler.app(app.number()).unwrap().is_none());
        }
        scheduler.quiesce().unwrap();
        assert!(
            scheduler.nodes().iter().all(|node| node.free == node.total),
            "I5: a finished application left something"
        );
        assert!(scheduler.queues().unwrap().iter().all(|queue| queue.usage.is_zero() && queue.runnable == 0));
    }
    assert_books(&scheduler);
    assert!(scheduler.stats().granted > 0);
}

#[test]
fn finishing_while_granting_leaves_nothing_with_1_worker() {
    finishing_while_granting_leaves_nothing(1);
}

#[test]
fn finishing_while_granting_leaves_nothing_with_4_workers() {
    finishing_while_granting_leaves_nothing(4);
}

fn a_removed_node_gives_asks_back(workers: usize) {
    const ASKED: u32 = 40;
    let scheduler = start(workers, FairScheduler::builder().settings(greedy()));
    let keep = add_nodes(&scheduler, 8);
    for round in 0..20_u32 {
        let lost = scheduler.add_node(&format!("lost{round}"), "/r9", Resource::new(8192, 8)).unwrap();
        let app = scheduler.submit(unmanaged(round + 1, "root.q")).unwrap();
        allocate(&scheduler, &app, &ask(ASKED)).unwrap();
        scheduler.quiesce().unwrap();
        scheduler.update_now().unwrap();
        let (mut granted, mut ended) = (Vec::new(), HashSet::new());
        thread::scope(|scope| {
            scope.spawn(|| {
                beat(&scheduler, Heartbeat::new(&lost));
                keep.iter().for_each(|node| beat(&scheduler, Heartbeat::new(node)));
            });
            let removed = scope.spawn(|| scheduler.remove_node(&lost));
            let first = poll(&scheduler, &app);
            granted.extend(first.granted);
            // The node may go between its two halves.
            ended.extend(first.ended.iter().map(|ended| ended.id));
            removed.join().unwrap().unwrap();
        });
        assert_eq!(scheduler.remove_node(&lost), Err(Refused::NotFound(NotFound::Node(format!("lost{round}")))));
        fill(&scheduler, &keep);
        assert_nobody_waits(&scheduler);
        let answer = poll(&scheduler, &app);
        granted.extend(answer.granted);
        // What the AM knew of was lost for good and it is told so; what it did not know of was asked for again.
        let known: HashSet<_> = granted.iter().filter(|container| container.node == lost.id()).map(|c| c.id).collect();
        ended.extend(answer.ended.iter().map(|ended| ended.id));
        assert_eq!(known, ended, "I5: lost containers are told of if they were known");
        let view = scheduler.app(app.number()).unwrap();
        assert_eq!(granted.len(), ASKED as usize, "I3: exactly as many as asked for: {known:?} {view:?}");
        assert_books(&scheduler);
        scheduler.finish(&app).unwrap();
    }
}

#[test]
fn a_removed_node_gives_asks_back_with_1_worker() {
    a_removed_node_gives_asks_back(1);
}

#[test]
fn a_removed_node_gives_asks_back_with_3_workers() {
    a_removed_node_gives_asks_back(3);
}

#[test]
fn a_heartbeat_of_a_removed_node_does_nothing() {
    let scheduler = start(2, FairScheduler::builder().settings(greedy()));
    let node = scheduler.add_node("n1", "/r1", Resource::new(8192, 8)).unwrap();
    let app = scheduler.submit(unmanaged(1, "root.q")).unwrap();
    allocate(&scheduler, &app, &ask(4)).unwrap();
    scheduler.remove_node(&node).unwrap();
    let again = scheduler.add_node("n1", "/r1", Resource::new(2048, 2)).unwrap();
    assert_ne!(node.id(), again.id(), "I13: a number is not used again");
    let back = scheduler.heartbeat(Heartbeat::new(&node)).unwrap_err();
    assert_eq!(back.reason, Refused::NotFound(NotFound::Node("n1".to_owned())));
    scheduler.heartbeats(vec![Heartbeat::new(&node)]).unwrap();
    fill(&scheduler, std::slice::from_ref(&node));
    assert_eq!(poll(&scheduler, &app).granted.len(), 0);
    fill(&scheduler, std::slice::from_ref(&again));
    assert_eq!(poll(&scheduler, &app).granted.len(), 2);
    assert_books(&scheduler);
}

#[test]
fn a_stale_handle_is_refused_even_when_its_slot_is_used_again() {
    let scheduler = start(2, FairScheduler::builder().settings(greedy()));
    let nodes = add_nodes(&scheduler, 1);
    let old = scheduler.submit(unmanaged(1, "root.q")).unwrap();
    allocate(&scheduler, &old, &ask(2)).unwrap();
    fill(&scheduler, &nodes);
    let [first, second] = <[_; 2]>::try_from(poll(&scheduler, &old).granted).unwrap();
    scheduler.finish(&old).unwrap();
    // The same number, and by its place the same slot; the records of the containers are used again as well.
    let new = scheduler.submit(unmanaged(1, "root.q")).unwrap();
    allocate(&scheduler, &new, &ask(2)).unwrap();
    fill(&scheduler, &nodes);
    let mut answer = Allocation::default();
    assert!(old.is_finished() && !new.is_finished());
    assert_eq!(scheduler.allocate(&old, &ask(1), &mut answer), Err(Refused::NotFound(NotFound::App(1))));
    assert_eq!(scheduler.finish(&old), Err(Refused::NotFound(NotFound::App(1))));
    assert_eq!(scheduler.move_app(&old, "root.q"), Err(Refused::NotFound(NotFound::App(1))));
    // Nor does a container's name from before end one of now, released or reported.
    let request = AllocateRequest::default().with_releases([first.id, second.id]);
    assert_eq!(allocate(&scheduler, &new, &request).unwrap().granted.len(), 2);
    let mut heartbeat = Heartbeat::new(&nodes[0]);
    heartbeat.add_completed([first.id, second.id]);
    heartbeat.add_launched([first.id, second.id]);
    beat(&scheduler, heartbeat);
    scheduler.quiesce().unwrap();
    assert_eq!(scheduler.stats().running, 2, "I13");
    assert_eq!(poll(&scheduler, &new).ended, []);
    assert_books(&scheduler);
}

/// The youngest first: an order by name, largest first, without a key.
#[derive(Debug)]
struct Backwards;

impl SchedulingPolicy for Backwards {
    fn name(&self) -> &str {
        "backwards"
    }

    fn compare(&self, _: &ClusterTotal, a: &Schedulable<'_>, b: &Schedulable<'_>) -> Ordering {
        b.tie.name.cmp(&a.tie.name)
    }

    fn compute_shares(&self, _: usize, total: &Resource, children: &mut [ShareInput], _: bool) {
        children.iter_mut().for_each(|child| child.share = *total);
    }

    fn calculator(&self) -> Calculator {
        Calculator::Memory
    }

    fn headroom(&self, _: &Resource, _: &Resource, available: &Resource) -> Resource {
        *available
    }
}

#[test]
fn an_embedders_policy_without_a_key_is_followed() {
    let text = "<allocations><queue name='q'><schedulingPolicy>backwards</schedulingPolicy></queue></allocations>";
    assert!(AllocationFile::parse(text, "allocations", &ResourceTypes::standard(), &[]).is_err(), "unknown without it");
    let file = allocations(text, &["backwards".to_owned()]);
    for workers in [1, 2] {
        let builder = FairScheduler::builder().settings(greedy()).allocations(file.clone()).policy(Arc::new(Backwards));
        let scheduler = start(workers, builder);
        let nodes = add_nodes(&scheduler, 1);
        let apps: Vec<_> = (1..=4).map(|number| scheduler.submit(unmanaged(number, "root.q")).unwrap()).collect();
        apps.iter().for_each(|app| drop(allocate(&scheduler, app, &ask(3)).unwrap()));
        fill(&scheduler, &nodes);
        let granted: Vec<_> = apps.iter().map(|app| poll(&scheduler, app).granted.len()).collect();
        assert_eq!(granted, [0, 2, 3, 3], "eight places, the last by name first");
        let queue = scheduler.queues().unwrap().into_iter().find(|queue| queue.name == "root.q").unwrap();
        assert_eq!(queue.policy, "backwards");
        assert_books(&scheduler);
    }
}

#[test]
fn async_allocation_fills_a_cluster_whose_nodes_have_reported_once() {
    const NODES: usize = 6;
    let properties = [
        ("yarn.scheduler.fair.schedule-asynchronously.enable", "true"),
        ("yarn.scheduler.fair.schedule-asynchronously.scheduling-interval-ms", "1"),
        // Nodes that are silent for twice this are passed over.
        ("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", "3600000"),
    ];
    for workers in [1, 2] {
        let (wake, woken) = mpsc::channel();
        let wake = Mutex::new(wake);
        let wake: evenweave::WakeUp = Arc::new(move |app| wake.lock().unwrap().send(app).unwrap_or(()));
        let builder = FairScheduler::builder().settings(settings(&properties)).on_grants(wake);
        let scheduler = start(workers, builder);
        let nodes = add_nodes(&scheduler, NODES);
        nodes.iter().for_each(|node| beat(&scheduler, Heartbeat::new(node)));
        scheduler.quiesce().unwrap();
        assert_eq!(scheduler.stats().granted, 0);
        let app = scheduler.submit(unmanaged(1, "root.q")).unwrap();
        allocate(&scheduler, &app, &ask(1000)).unwrap();
        scheduler.quiesce().unwrap();
        scheduler.update_now().unwrap();
        let mut granted = 0;
        while granted < 8 * NODES {
            // Every grant into an empty mailbox wakes; nothing is polled for.
            assert_eq!(woken.recv_timeout(STUCK).expect("a grant, sooner or later"), 1);
            granted += poll(&scheduler, &app).granted.len();
        }
        assert_eq!(granted, 8 * NODES);
        let stats = scheduler.stats();
        assert_eq!(stats.heartbeats, NODES as u64, "no node had to report again");
        assert!(stats.offers > 0);
        assert_books(&scheduler);
        scheduler.shutdown().unwrap();
    }
}

#[test]
fn submissions_and_nodes_are_refused_for_what_they_are() {
    let scheduler = start(1, FairScheduler::builder());
    scheduler.add_node("n1", "/r1", SMALL).unwrap();
    assert_eq!(
        scheduler.add_node("n1", "/r2", SMALL).unwrap_err(),
        Refused::AlreadyExists(AlreadyExists::Node("n1".to_owned()))
    );
    assert_eq!(scheduler.add_node("n2", "/r2", Resource::new(-1, 1)).unwrap_err().kind(), "bad-node");
    scheduler.submit(unmanaged(1, "root.q")).unwrap();
    assert_eq!(scheduler.submit(unmanaged(1, "root.q")).unwrap_err(), Refused::AlreadyExists(AlreadyExists::App(1)));
    assert_eq!(scheduler.submit(unmanaged(2, "root.q.below")).unwrap_err().kind(), "not-leaf");
    let huge = unmanaged(3, "root.q").with_am(Resource::new(1 << 40, 1));
    assert_eq!(scheduler.submit(huge).unwrap_err().kind(), "invalid-resource");
    let waiting = scheduler.submit(unmanaged(4, "root.q").with_am(SMALL)).unwrap();
    assert_eq!(allocate(&scheduler, &waiting, &ask(1)).unwrap_err(), Refused::TryAgain(TryAgain::NoAm(4)));
}

#[test]
fn numbers_that_cannot_be_are_refused_by_the_builder() {
    assert!(FairScheduler::builder().workers(0).start().is_err());
    assert!(FairScheduler::builder().workers(100_000).start().is_err());
    assert!(FairScheduler::builder().channel_capacity(0).start().is_err());
}

#[test]
fn a_new_attempt_starts_over_in_the_same_queue() {
    let scheduler = start(2, FairScheduler::builder());
    let nodes = add_nodes(&scheduler, 4);
    let managed = unmanaged(7, "root.a").with_am(SMALL);
    let first = scheduler.submit(managed).unwrap();
    scheduler.quiesce().unwrap();
    scheduler.update_now().unwrap();
    for node in &nodes {
        beat(&scheduler, Heartbeat::new(node));
    }
    scheduler.quiesce().unwrap();
    let answer = allocate(&scheduler, &first, &AllocateRequest::default()).unwrap();
    assert_eq!(answer.granted.len(), 1, "its AM");
    let second = scheduler.new_attempt(&first, NewAttempt::default().with_am(SMALL)).unwrap();
    assert_eq!((second.number(), second.queue()), (7, "root.a"));
    assert!(first.is_finished() && second.waits_for_am());
    assert_eq!(
        allocate(&scheduler, &first, &AllocateRequest::default()).unwrap_err(),
        Refused::NotFound(NotFound::App(7))
    );
    assert_eq!(scheduler.stats().running, 0, "the first attempt's AM has ended");
    scheduler.quiesce().unwrap();
    scheduler.update_now().unwrap();
    for node in &nodes {
        beat(&scheduler, Heartbeat::new(node));
    }
    scheduler.quiesce().unwrap();
    let answer = allocate(&scheduler, &second, &AllocateRequest::default()).unwrap();
    assert_eq!(answer.granted.iter().map(|granted| granted.id.number()).collect::<Vec<_>>(), [1]);
    scheduler.finish(&second).unwrap();
    assert_eq!(scheduler.new_attempt(&second, NewAttempt::default()).unwrap_err(), Refused::NotFound(NotFound::App(7)));
    scheduler.shutdown().unwrap();
}

/// Tells of every heartbeat that was served.
#[derive(Debug)]
struct Served(Mutex<mpsc::Sender<()>>);

impl evenweave::HeartbeatProbe for Served {
    fn taken(&self, _: usize, _: u64) -> u64 {
        0
    }

    fn served(&self, _: usize, _: u64, _: u64, _: u32) {
        self.0.lock().unwrap().send(()).unwrap();
    }
}

/// A reload gives a queue a limit while one of the workers has nothing to do: it counts in the watch all the same, so
/// the other one may grant (I7).
#[test]
fn a_new_limit_does_not_wait_for_an_idle_worker() {
    let (sender, served) = mpsc::channel();
    let probe = Arc::new(Served(Mutex::new(sender)));
    let scheduler = start(2, FairScheduler::builder().settings(greedy()).probe(probe));
    let node = scheduler.add_node("n1", "/r1", Resource::new(8192, 8)).unwrap();
    let app = scheduler.submit(unmanaged(1, "root.q")).unwrap();
    allocate(&scheduler, &app, &ask(4)).unwrap();
    scheduler.quiesce().unwrap();
    scheduler.update_now().unwrap();
    let text = "<allocations><queue name='q'><maxResources>4096 mb, 4 vcores</maxResources></queue></allocations>";
    scheduler.reload(allocations(text, &[])).unwrap();
    for _ in 0..100_000 {
        let mut heartbeat = Heartbeat::new(&node);
        heartbeat.stamp = 1;
        beat(&scheduler, heartbeat);
        served.recv().unwrap();
        if scheduler.stats().granted > 0 {
            break;
        }
        thread::yield_now();
    }
    assert_eq!(poll(&scheduler, &app).granted.len(), 4);
    assert_books(&scheduler);
}

/// A limit comes and goes by two reloads while one worker is busy, so that it never sees it; the other has begun to
/// count, and waits for it. It counts as well, and so nobody is refused where there is no limit (I7).
#[test]
fn a_limit_that_came_and_went_while_a_worker_was_busy() {
    let (reached, at_gate) = mpsc::channel();
    let (opener, open) = mpsc::channel();
    let gate = Arc::new(Gate { reached: Mutex::new(reached), open: Mutex::new(open), served: AtomicU64::new(0) });
    let scheduler = start(2, FairScheduler::builder().settings(greedy()).probe(gate));
    let nodes = add_nodes(&scheduler, 2);
    assert_ne!(nodes[0].worker(), nodes[1].worker());
    let app = scheduler.submit(unmanaged(1, "root.q")).unwrap();
    allocate(&scheduler, &app, &ask(16)).unwrap();
    scheduler.quiesce().unwrap();
    let mut first = Heartbeat::new(&nodes[1]);
    first.stamp = 1;
    scheduler.heartbeat(first).unwrap();
    at_gate.recv().unwrap();
    let text = "<allocations><queue name='q'><maxResources>4096 mb, 4 vcores</maxResources></queue></allocations>";
    scheduler.reload(allocations(text, &[])).unwrap();
    scheduler.update_now().unwrap();
    until("a refused grant", || {
        beat(&scheduler, Heartbeat::new(&nodes[0]));
        scheduler.stats().refused > 0
    });
    scheduler.reload(allocations("<allocations><queue name='q'/></allocations>", &[])).unwrap();
    opener.send(()).unwrap();
    fill(&scheduler, &nodes);
    assert_eq!(poll(&scheduler, &app).granted.len(), 16);
    assert_books(&scheduler);
}

/// An application leaves a queue and enters another that has got the slot of the first, at the same place, while the
/// worker sleeps: its usage goes along (I4).
#[test]
fn a_queue_in_the_slot_of_another_is_another() {
    let scheduler = start(1, FairScheduler::builder().settings(greedy()));
    let nodes = add_nodes(&scheduler, 1);
    let [first, app] = [1, 2].map(|number| scheduler.submit(unmanaged(number, "root.a")).unwrap());
    allocate(&scheduler, &app, &ask(3)).unwrap();
    fill(&scheduler, &nodes);
    scheduler.submit(unmanaged(3, "root.b")).unwrap();
    scheduler.finish(&first).unwrap();
    scheduler.quiesce().unwrap();
    scheduler.move_app(&app, "root.b").unwrap();
    // An empty dynamic queue is cleaned away.
    scheduler.reload(AllocationFile::default()).unwrap();
    assert!(scheduler.queues().unwrap().iter().all(|queue| queue.name != "root.a"));
    scheduler.submit(unmanaged(4, "root.c")).unwrap();
    scheduler.move_app(&app, "root.c").unwrap();
    assert_books(&scheduler);
    scheduler.finish(&app).unwrap();
    assert_books(&scheduler);
}

/// Whoever submits may name a queue that is to be made; the tree is walked by recursion.
#[test]
fn a_queue_name_of_very_many_parts_is_refused() {
    let scheduler = start(1, FairScheduler::builder());
    let deep = |parts| vec!["a"; parts].join(".");
    let kind = |parts| scheduler.submit(unmanaged(1, &deep(parts))).unwrap_err().kind();
    assert_eq!((kind(128), kind(10_000)), ("bad-queue-name", "name-too-long"));
    scheduler.submit(unmanaged(2, &deep(100))).unwrap();
    scheduler.update_now().unwrap();
    assert_books(&scheduler);
}

/// An embedder's own clock may panic: who asked is told, the control goes on, and nothing hangs.
#[test]
fn a_clock_that_panics_ends_no_control() {
    #[derive(Debug)]
    struct Broken;
    impl evenweave::clock::Clock for Broken {
        fn now_ms(&self) -> u64 {
            assert_ne!(thread::current().name(), Some("evenweave-control"), "no time");
            0
        }
    }
    let scheduler = start(2, FairScheduler::builder().clock(Arc::new(Broken)));
    for number in 1..=2 {
        let refused = scheduler.submit(unmanaged(number, "root.a")).unwrap_err();
        assert!(
            matches!(&refused, Refused::TryAgain(TryAgain::Panicked { message, .. }) if message.contains("no time")),
            "{refused}"
        );
    }
    scheduler.shutdown().unwrap();
}

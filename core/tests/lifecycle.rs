//! The life of containers, nodes and attempts: what the assignment reference says in sections 2, 9, 11, 12, 13 and 18.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

mod threads;

use evenweave::{
    AllocateRequest, Allocation, AppHandle, Ask, Container, EndReason, FairScheduler, Heartbeat, NodeHandle, Refused,
    Resource, SchedulerEvent, Stepped, Submission, VirtualClock,
};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;
use threads::{SMALL, add_nodes, ask, assert_sums, beat, fill, greedy, poll, settings, unmanaged};

/// What takes this long has stopped.
const STUCK: Duration = Duration::from_secs(120);
/// `yarn.resourcemanager.rm.container-allocation.expiry-interval-ms` of these tests; looks come at each third of it.
const EXPIRY: u64 = 3000;

fn expiring() -> evenweave::Settings {
    settings(&[
        ("yarn.scheduler.fair.assignmultiple", "true"),
        ("yarn.scheduler.fair.dynamic.max.assign", "false"),
        ("yarn.resourcemanager.rm.container-allocation.expiry-interval-ms", "3000"),
    ])
}

fn stepped(workers: usize) -> Stepped {
    FairScheduler::builder().settings(expiring()).workers(workers).journal(true).stepped().unwrap()
}

fn nodes(stepped: &mut Stepped, count: usize) -> Vec<NodeHandle> {
    (0..count).map(|i| stepped.add_node(&format!("n{i}"), &format!("/r{i}"), Resource::new(4096, 4)).unwrap()).collect()
}

fn call(stepped: &mut Stepped, app: &AppHandle, request: &AllocateRequest) -> Allocation {
    let mut answer = Allocation::default();
    stepped.allocate(app, request, &mut answer).unwrap();
    answer
}

fn drain(stepped: &mut Stepped, app: &AppHandle) -> Allocation {
    call(stepped, app, &AllocateRequest::default())
}

/// An application without an AM that asks for so many small containers, after an update.
fn asking(stepped: &mut Stepped, number: u32, count: u32) -> AppHandle {
    let app = stepped.submit(&unmanaged(number, "root.q")).unwrap();
    call(stepped, &app, &ask(count));
    stepped.update();
    app
}

fn report(stepped: &mut Stepped, node: &NodeHandle, launched: &[Container], completed: &[Container]) {
    let mut heartbeat = Heartbeat::new(node);
    heartbeat.launched.extend(launched.iter().map(|container| container.id));
    heartbeat.completed.extend(completed.iter().map(|container| container.id));
    stepped.heartbeat(&heartbeat);
}

fn free(stepped: &mut Stepped, node: &NodeHandle) -> Resource {
    stepped.nodes().into_iter().find(|view| view.name == node.name()).unwrap().free
}

fn used(stepped: &mut Stepped, app: &AppHandle) -> Resource {
    stepped.apps().into_iter().find(|view| view.id == app.id()).unwrap().usage
}

// ---------------------------------------------------------------------------------------------------- expiry

/// 11.5: acquired and not launched within the interval; the look that comes later than that ends it. Its room is back, its
/// ask is not.
#[test]
fn an_acquired_container_that_is_never_launched_expires() {
    for workers in [1, 2] {
        let mut stepped = stepped(workers);
        let node = nodes(&mut stepped, workers).pop().unwrap();
        let app = asking(&mut stepped, 1, 1);
        stepped.heartbeat(&Heartbeat::new(&node));
        stepped.advance(500);
        let got = drain(&mut stepped, &app).granted;
        assert_eq!((got.len(), free(&mut stepped, &node)), (1, Resource::new(3072, 3)));
        stepped.take_outcome();
        // Acquired at 500: the look at 3000 is within the interval, as one at 3500 would be; that at 4000 is not.
        for ms in [500, 1000, 1000, 500] {
            stepped.advance(ms);
            assert_eq!(stepped.take_outcome().completed, []);
        }
        stepped.advance(499);
        assert_eq!(stepped.take_outcome().completed, [], "nobody looks in between");
        stepped.advance(1);
        assert_eq!(stepped.take_outcome().completed, [(1, 1, EndReason::Expired)]);
        assert_eq!(EndReason::Expired.exit_status(), Some(-100));
        assert_eq!(used(&mut stepped, &app), Resource::NONE);
        assert_eq!(free(&mut stepped, &node), Resource::new(4096, 4));
        let ended = drain(&mut stepped, &app).ended;
        assert_eq!(ended.iter().map(|end| (end.id, end.reason)).collect::<Vec<_>>(), [(got[0].id, EndReason::Expired)]);
        stepped.update();
        stepped.heartbeat(&Heartbeat::new(&node));
        assert_eq!(drain(&mut stepped, &app).granted, [], "11.4: an acquired container does not restore its ask");
    }
}

/// 11.5: the interval counts from the acquisition, not from the grant, and exactly the interval is still in time.
#[test]
fn the_interval_counts_from_the_acquisition_and_is_inclusive() {
    let mut stepped = stepped(1);
    let node = nodes(&mut stepped, 1).pop().unwrap();
    let app = asking(&mut stepped, 1, 1);
    stepped.heartbeat(&Heartbeat::new(&node));
    for _ in 0..10 {
        stepped.advance(EXPIRY);
    }
    assert_eq!(stepped.take_outcome().completed, [], "nobody has acquired it");
    assert_eq!(drain(&mut stepped, &app).granted.len(), 1);
    stepped.advance(EXPIRY);
    assert_eq!(stepped.take_outcome().completed, [], "exactly the interval");
    stepped.advance(EXPIRY / 3);
    assert_eq!(stepped.take_outcome().completed.len(), 1);
}

/// 11.5: launched, completed or released in time there is nothing to expire; a container that takes the place of one of
/// these has its own time.
#[test]
fn what_was_launched_or_has_ended_does_not_expire() {
    let mut stepped = stepped(1);
    let node = nodes(&mut stepped, 1).pop().unwrap();
    let app = asking(&mut stepped, 1, 3);
    stepped.heartbeat(&Heartbeat::new(&node));
    let got = drain(&mut stepped, &app).granted;
    assert_eq!(got.len(), 3);
    stepped.advance(2000);
    report(&mut stepped, &node, &got[..1], &got[1..2]);
    call(&mut stepped, &app, &AllocateRequest { releases: vec![got[2].id], ..ask(2) });
    stepped.update();
    stepped.heartbeat(&Heartbeat::new(&node));
    let again = drain(&mut stepped, &app).granted;
    assert_eq!(again.len(), 2);
    stepped.take_outcome();
    stepped.advance(3000);
    assert_eq!(stepped.take_outcome().completed, [], "acquired at 2000");
    stepped.advance(1000);
    let expired = again.iter().map(|container| (1, container.id.number(), EndReason::Expired)).collect::<Vec<_>>();
    assert_eq!(stepped.take_outcome().completed, expired);
    report(&mut stepped, &node, &[], &got[..1]);
    assert_eq!(free(&mut stepped, &node), Resource::new(4096, 4));
}

/// The threaded runtime does the same: its workers look when they work, and by themselves.
#[test]
fn containers_expire_in_the_threaded_runtime() {
    for workers in [1, 3] {
        let (wake, woken) = mpsc::channel();
        let wake = Mutex::new(wake);
        let wake: evenweave::WakeUp = Arc::new(move |app| wake.lock().unwrap().send(app).unwrap_or(()));
        let interval = [("yarn.resourcemanager.rm.container-allocation.expiry-interval-ms", "3")];
        let scheduler =
            FairScheduler::builder().settings(settings(&interval)).workers(workers).on_grants(wake).start().unwrap();
        let nodes = add_nodes(&scheduler, 4);
        let app = scheduler.submit(unmanaged(1, "root.q")).unwrap();
        threads::allocate(&scheduler, &app, &ask(4)).unwrap();
        fill(&scheduler, &nodes);
        let (mut granted, mut ended) = (Vec::new(), Vec::new());
        loop {
            let answer = poll(&scheduler, &app);
            granted.extend(answer.granted);
            ended.extend(answer.ended);
            if ended.len() == 4 {
                break;
            }
            // Nobody sends anything: the workers wake up by themselves.
            woken.recv_timeout(STUCK).expect("an end, sooner or later");
        }
        assert_eq!(granted.len(), 4);
        assert!(ended.iter().all(|end| end.reason == EndReason::Expired));
        assert_eq!(scheduler.stats().allocated, Resource::NONE);
        assert_sums(&scheduler);
    }
}

/// With a clock of the embedder's a worker looks when it gets a message.
#[test]
fn expiry_goes_by_the_embedders_clock() {
    let clock = Arc::new(VirtualClock::new());
    let scheduler = FairScheduler::builder().clock(clock.clone()).start().unwrap();
    let nodes = add_nodes(&scheduler, 1);
    let app = scheduler.submit(unmanaged(1, "root.q")).unwrap();
    threads::allocate(&scheduler, &app, &ask(1)).unwrap();
    fill(&scheduler, &nodes);
    assert_eq!(poll(&scheduler, &app).granted.len(), 1);
    for (ms, ended) in [(600_000, 0), (200_000, 1)] {
        clock.advance(ms);
        beat(&scheduler, Heartbeat::new(&nodes[0]));
        scheduler.quiesce();
        assert_eq!(poll(&scheduler, &app).ended.len(), ended, "the default interval is ten minutes");
    }
}

// ---------------------------------------------------------------------------------------------------- asks given back

/// 11.4: a container that nobody has acquired gives its ask back when its node is lost, whoever the workers are.
#[test]
fn an_unacquired_container_on_a_lost_node_gives_its_ask_back() {
    for workers in 1..=3 {
        let mut stepped = stepped(workers);
        let all = nodes(&mut stepped, 3);
        for (i, node) in all.iter().enumerate() {
            let app = asking(&mut stepped, u32::try_from(i).unwrap() + 1, 2);
            stepped.heartbeat(&Heartbeat::new(node));
            let held = drain(&mut stepped, &app).granted;
            assert_eq!(held.len(), 2, "acquired");
            call(&mut stepped, &app, &ask(2));
            stepped.update();
            stepped.heartbeat(&Heartbeat::new(node));
            assert_eq!(used(&mut stepped, &app), Resource::new(4096, 4));
            stepped.remove_node(node).unwrap();
            assert_eq!(used(&mut stepped, &app), Resource::NONE);
            stepped.update();
            let other = stepped.add_node(&format!("other{i}"), &format!("/o{i}"), Resource::new(4096, 4)).unwrap();
            for _ in 0..2 {
                stepped.heartbeat(&Heartbeat::new(&other));
            }
            let answer = drain(&mut stepped, &app);
            assert_eq!(answer.granted.len(), 2, "what was not acquired is asked for again, what was is not");
            assert_eq!(answer.ended.len(), 2, "what was acquired is told of, what was not is not");
            stepped.finish(&app).unwrap();
            stepped.remove_node(&other).unwrap();
        }
    }
}

// ---------------------------------------------------------------------------------------------------- nodes

/// 2.6, 13.4: nothing happens until the node reports; then its total follows what it runs, and it is empty in the end.
///
/// `TestFairScheduler.testResourceUpdateDecommissioningNode`
#[test]
fn a_decommissioning_node_follows_what_it_runs() {
    let mut stepped = stepped(1);
    let node = nodes(&mut stepped, 1).pop().unwrap();
    let app = asking(&mut stepped, 1, 2);
    stepped.heartbeat(&Heartbeat::new(&node));
    let got = drain(&mut stepped, &app).granted;
    stepped.decommission_node(&node).unwrap();
    assert_eq!(stepped.stats().cluster, Resource::new(4096, 4));
    report(&mut stepped, &node, &got, &[]);
    assert_eq!((stepped.stats().cluster, free(&mut stepped, &node)), (Resource::new(2048, 2), Resource::NONE));
    call(&mut stepped, &app, &ask(1));
    stepped.update();
    stepped.heartbeat(&Heartbeat::new(&node));
    assert_eq!(drain(&mut stepped, &app).granted, [], "nothing new fits");
    call(&mut stepped, &app, &ask(0));
    report(&mut stepped, &node, &[], &got[..1]);
    assert_eq!(stepped.stats().cluster, Resource::new(1024, 1));
    assert_eq!(stepped.next_event(), None);
    report(&mut stepped, &node, &[], &got[1..]);
    stepped.heartbeat(&Heartbeat::new(&node));
    assert_eq!(stepped.stats().cluster, Resource::NONE);
    assert_eq!(stepped.next_event(), Some(SchedulerEvent::NodeDrained("n0".to_owned())));
    assert_eq!(stepped.next_event(), None, "told once");
}

/// 2.6 (quirk): the smaller total is an event, and the heartbeat that sends it still assigns. What then is above the total
/// is killed when the event comes, at an overcommit timeout of 0; its ask is back, its number is used up.
#[test]
fn the_heartbeat_of_a_decommissioning_node_still_assigns() {
    let mut stepped = stepped(1);
    let node = nodes(&mut stepped, 1).pop().unwrap();
    let app = asking(&mut stepped, 1, 1);
    stepped.heartbeat(&Heartbeat::new(&node));
    let first = drain(&mut stepped, &app).granted;
    call(&mut stepped, &app, &ask(1));
    stepped.update();
    stepped.decommission_node(&node).unwrap();
    stepped.take_outcome();
    report(&mut stepped, &node, &first, &[]);
    let outcome = stepped.take_outcome();
    assert_eq!(outcome.allocated.iter().map(|made| made.container).collect::<Vec<_>>(), [2]);
    assert_eq!(outcome.completed, [(1, 2, EndReason::Preempted)], "the youngest goes");
    assert_eq!((stepped.stats().cluster, free(&mut stepped, &node)), (SMALL, Resource::NONE));
    let other = stepped.add_node("other", "/other", Resource::new(4096, 4)).unwrap();
    stepped.update();
    stepped.heartbeat(&Heartbeat::new(&other));
    let again = drain(&mut stepped, &app);
    assert_eq!(again.granted.iter().map(|container| container.id.number()).collect::<Vec<_>>(), [3]);
    assert_eq!(again.ended, [], "the AM had never seen it");
}

/// A recommissioned node has its total again, whatever it has shrunk to.
#[test]
fn a_recommissioned_node_has_its_total_again() {
    let mut stepped = stepped(1);
    let node = nodes(&mut stepped, 1).pop().unwrap();
    stepped.decommission_node(&node).unwrap();
    stepped.heartbeat(&Heartbeat::new(&node));
    assert_eq!(stepped.stats().cluster, Resource::NONE);
    stepped.recommission_node(&node).unwrap();
    assert_eq!((stepped.stats().cluster, free(&mut stepped, &node)), (Resource::new(4096, 4), Resource::new(4096, 4)));
    let app = asking(&mut stepped, 1, 1);
    stepped.heartbeat(&Heartbeat::new(&node));
    assert_eq!(drain(&mut stepped, &app).granted.len(), 1);
    stepped.recommission_node(&node).unwrap();
    stepped.remove_node(&node).unwrap();
    let gone = Err(Refused::NoSuchNode("n0".to_owned()));
    assert_eq!((stepped.decommission_node(&node), stepped.recommission_node(&node)), (gone.clone(), gone));
}

/// The same from the control's thread, with the event told.
#[test]
fn a_node_is_drained_and_comes_back_in_the_threaded_runtime() {
    let scheduler = FairScheduler::builder().settings(greedy()).workers(2).start().unwrap();
    let nodes = add_nodes(&scheduler, 2);
    scheduler.decommission_node(&nodes[1]).unwrap();
    beat(&scheduler, Heartbeat::new(&nodes[1]));
    scheduler.quiesce();
    assert_eq!(scheduler.next_event(), Some(SchedulerEvent::NodeDrained("n1".to_owned())));
    let app = scheduler.submit(unmanaged(1, "root.q")).unwrap();
    threads::allocate(&scheduler, &app, &ask(100)).unwrap();
    fill(&scheduler, &nodes);
    assert_eq!(scheduler.stats().allocated, Resource::new(8192, 8));
    scheduler.recommission_node(&nodes[1]).unwrap();
    fill(&scheduler, &nodes);
    assert_eq!(scheduler.stats().allocated, Resource::new(16384, 16));
    assert_sums(&scheduler);
}

// ---------------------------------------------------------------------------------------------------- continuous scheduling

/// 18: a thread makes passes by itself; no node has to report.
#[test]
fn continuous_scheduling_fills_a_cluster_whose_nodes_are_silent() {
    const NODES: usize = 6;
    let continuous = [
        ("yarn.scheduler.fair.continuous-scheduling-enabled", "true"),
        ("yarn.scheduler.fair.continuous-scheduling-sleep-ms", "1"),
    ];
    for workers in [1, 3] {
        let (wake, woken) = mpsc::channel();
        let wake = Mutex::new(wake);
        let wake: evenweave::WakeUp = Arc::new(move |app| wake.lock().unwrap().send(app).unwrap_or(()));
        let builder = FairScheduler::builder().settings(settings(&continuous)).workers(workers).on_grants(wake);
        let scheduler = builder.start().unwrap();
        add_nodes(&scheduler, NODES);
        let app = scheduler.submit(unmanaged(1, "root.q")).unwrap();
        threads::allocate(&scheduler, &app, &ask(1000)).unwrap();
        scheduler.quiesce();
        scheduler.update_now();
        let mut granted = 0;
        while granted < 8 * NODES {
            assert_eq!(woken.recv_timeout(STUCK).expect("a grant, sooner or later"), 1);
            granted += poll(&scheduler, &app).granted.len();
        }
        assert_eq!(granted, 8 * NODES);
        let stats = scheduler.stats();
        assert_eq!(stats.heartbeats, 0);
        assert!(stats.offers > 0);
        assert_sums(&scheduler);
        scheduler.shutdown();
    }
}

/// 18 (recorded): three idle nodes of 4096/4 and an application that asks for nine: 1, 3, 6, 9 after four passes, because
/// nodes with equal free memory collapse to one; a node without room for the smallest container is passed over.
#[test]
fn a_pass_visits_one_node_of_each_free_memory() {
    let mut stepped = FairScheduler::builder().stepped().unwrap();
    nodes(&mut stepped, 3);
    let app = asking(&mut stepped, 1, 9);
    for held in [1, 3, 6, 9] {
        stepped.continuous();
        assert_eq!(used(&mut stepped, &app), Resource::new(held * 1024, held));
    }
    // With several workers nodes of different workers do not collapse.
    let mut stepped = FairScheduler::builder().workers(3).stepped().unwrap();
    nodes(&mut stepped, 3);
    let app = asking(&mut stepped, 1, 9);
    stepped.continuous();
    assert_eq!(used(&mut stepped, &app), Resource::new(3072, 3));
}

#[expect(dead_code, reason = "used by the tests of attempts")]
fn managed(number: u32) -> Submission {
    Submission { am: Some(SMALL), ..unmanaged(number, "root.q") }
}

// ---------------------------------------------------------------------------------------------------- request ids

fn keyed(priority: i32, id: i64, count: u32) -> Ask {
    Ask::anywhere(priority, SMALL, count).with_request_id(id)
}

fn asks(asks: &[Ask]) -> AllocateRequest {
    AllocateRequest { asks: asks.to_vec(), ..AllocateRequest::default() }
}

fn ids(granted: &[Container]) -> Vec<(i32, i64)> {
    granted.iter().map(|container| (container.priority, container.allocation_request_id)).collect()
}

/// 5.1: a smaller priority first, within it a smaller allocation request id, whatever the order of asking; the container
/// says which ask it answers.
#[test]
fn asks_are_served_by_priority_then_by_request_id() {
    let mut stepped = stepped(1);
    let node = stepped.add_node("n", "/r", Resource::new(65536, 64)).unwrap();
    let app = stepped.submit(&unmanaged(1, "root.q")).unwrap();
    call(
        &mut stepped,
        &app,
        &asks(&[keyed(2, -5, 1), keyed(1, 9, 1), keyed(1, -3, 2), keyed(1, 0, 1), keyed(2, 1 << 40, 1)]),
    );
    stepped.update();
    stepped.heartbeat(&Heartbeat::new(&node));
    let granted = drain(&mut stepped, &app).granted;
    assert_eq!(ids(&granted), [(1, -3), (1, -3), (1, 0), (1, 9), (2, -5), (2, 1 << 40)]);
}

/// 5.3: asks of one priority and different ids stand beside each other, and are replaced apart.
#[test]
fn asks_of_different_request_ids_are_replaced_apart() {
    for workers in [1, 2] {
        let mut stepped = stepped(workers);
        let all: Vec<_> = (0..workers)
            .map(|i| stepped.add_node(&format!("n{i}"), &format!("/r{i}"), Resource::new(65536, 64)).unwrap())
            .collect();
        let app = stepped.submit(&unmanaged(1, "root.q")).unwrap();
        call(&mut stepped, &app, &asks(&[keyed(1, 1, 2), keyed(1, 2, 2), keyed(1, 2, 3)]));
        call(&mut stepped, &app, &asks(&[keyed(1, 1, 0), keyed(1, 3, 1)]));
        stepped.update();
        all.iter().for_each(|node| stepped.heartbeat(&Heartbeat::new(node)));
        stepped.update();
        all.iter().for_each(|node| stepped.heartbeat(&Heartbeat::new(node)));
        assert_eq!(ids(&drain(&mut stepped, &app).granted), [(1, 2), (1, 2), (1, 2), (1, 3)]);
    }
}

/// 11.4: what comes back comes back to its own key.
#[test]
fn an_unacquired_container_gives_back_to_its_request_id() {
    for workers in [1, 2] {
        let mut stepped = stepped(workers);
        let all = nodes(&mut stepped, 2);
        let app = stepped.submit(&unmanaged(1, "root.q")).unwrap();
        let place = stepped.location("n1");
        let rack = stepped.location("/r1");
        let line = |id| [keyed(1, id, 1), keyed(1, id, 1).at(place), keyed(1, id, 1).at(rack)];
        call(&mut stepped, &app, &asks(&[line(4), line(7)].concat()));
        stepped.update();
        stepped.heartbeat(&Heartbeat::new(&all[1]));
        assert_eq!(used(&mut stepped, &app), Resource::new(2048, 2));
        stepped.remove_node(&all[1]).unwrap();
        call(&mut stepped, &app, &asks(&[keyed(1, 4, 0)]));
        stepped.update();
        stepped.heartbeat(&Heartbeat::new(&all[0]));
        assert_eq!(ids(&drain(&mut stepped, &app).granted), [(1, 7)]);
    }
}

/// A reservation belongs to its key: once the ask of its id is withdrawn it goes, though another id still asks.
#[test]
fn a_reservation_is_of_one_request_id() {
    let mut stepped = FairScheduler::builder().journal(true).stepped().unwrap();
    let node = stepped.add_node("n", "/r", Resource::new(4096, 4)).unwrap();
    let other = asking(&mut stepped, 1, 3);
    for _ in 0..3 {
        stepped.heartbeat(&Heartbeat::new(&node));
    }
    assert_eq!(drain(&mut stepped, &other).granted.len(), 3);
    let app = stepped.submit(&unmanaged(2, "root.p")).unwrap();
    let large = |id, count| Ask::anywhere(1, Resource::new(2048, 1), count).with_request_id(id);
    call(&mut stepped, &app, &asks(&[large(1, 1), large(2, 1)]));
    stepped.update();
    stepped.heartbeat(&Heartbeat::new(&node));
    assert_eq!(stepped.take_outcome().reserved.iter().map(|held| held.container).collect::<Vec<_>>(), [1]);
    call(&mut stepped, &app, &asks(&[large(1, 0)]));
    stepped.heartbeat(&Heartbeat::new(&node));
    let held: Vec<_> = stepped.take_outcome().reserved.iter().map(|held| held.container).collect();
    assert_eq!(held, [2], "the first was dropped, and the other id has made its own");
}

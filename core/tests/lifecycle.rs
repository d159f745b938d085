//! The life of containers, nodes and attempts: rules/assignment.md 2, 9, 11, 12, 13 and 18.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use evenweave::SchedulerApi as _;
use evenweave::clock::VirtualClock;
use evenweave::refused::{Invalid, Limit, NotFound};
use evenweave::{
    AllocateRequest, Allocation, AmRequest, AppHandle, Ask, Container, EndReason, FairScheduler, Heartbeat, NewAttempt,
    NodeHandle, Refused, Resource, SchedulerEvent, Stepped,
};
use evenweave_testkit::{
    SMALL, add_nodes, allocate, allocations, ask, assert_sums, beat, call, fetch, fill, greedy, poll, settings,
    unmanaged,
};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

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

/// An application without an AM that asks for so many small containers, after an update.
fn asking(stepped: &mut Stepped, number: u32, count: u32) -> AppHandle {
    let app = stepped.submit(unmanaged(number, "root.q")).unwrap();
    call(stepped, &app, &ask(count));
    stepped.update_now();
    app
}

fn report(stepped: &mut Stepped, node: &NodeHandle, launched: &[Container], completed: &[Container]) {
    let mut heartbeat = Heartbeat::new(node);
    heartbeat.add_launched(launched.iter().map(|container| container.id));
    heartbeat.add_completed(completed.iter().map(|container| container.id));
    stepped.heartbeat(&heartbeat);
}

fn free(stepped: &mut Stepped, node: &NodeHandle) -> Resource {
    stepped.nodes().into_iter().find(|view| view.name == node.name()).unwrap().free
}

fn used(stepped: &mut Stepped, app: &AppHandle) -> Resource {
    stepped.apps().into_iter().find(|view| view.id == app.id()).unwrap().usage
}

// ---------------------------------------------------------------------------------------------------- expiry

/// rules/assignment.md 11.5: acquired and not launched within the interval; the look that comes later than that ends
/// it. Its room is back, its ask is not.
#[test]
fn an_acquired_container_that_is_never_launched_expires() {
    for workers in [1, 2] {
        let mut stepped = stepped(workers);
        let node = nodes(&mut stepped, workers).pop().unwrap();
        let app = asking(&mut stepped, 1, 1);
        stepped.heartbeat(Heartbeat::new(&node));
        stepped.advance(500);
        let got = fetch(&mut stepped, &app).granted;
        assert_eq!((got.len(), free(&mut stepped, &node)), (1, Resource::new(3072, 3)));
        stepped.take_journal();
        // Acquired at 500: the look at 3000 is within the interval, as one at 3500 would be; that at 4000 is not.
        for ms in [500, 1000, 1000, 500] {
            stepped.advance(ms);
            assert_eq!(stepped.take_journal().completed, []);
        }
        stepped.advance(499);
        assert_eq!(stepped.take_journal().completed, [], "nobody looks in between");
        stepped.advance(1);
        assert_eq!(stepped.take_journal().completed, [(1, 1, EndReason::Expired)]);
        assert_eq!(EndReason::Expired.exit_status(), Some(-100));
        assert_eq!(used(&mut stepped, &app), Resource::ZERO);
        assert_eq!(free(&mut stepped, &node), Resource::new(4096, 4));
        let ended = fetch(&mut stepped, &app).ended;
        assert_eq!(ended.iter().map(|end| (end.id, end.reason)).collect::<Vec<_>>(), [(got[0].id, EndReason::Expired)]);
        stepped.update_now();
        stepped.heartbeat(Heartbeat::new(&node));
        assert_eq!(fetch(&mut stepped, &app).granted, [], "11.4: an acquired container does not restore its ask");
    }
}

/// rules/assignment.md 11.5: the interval counts from the acquisition, not from the grant, and exactly the interval is
/// still in time.
#[test]
fn the_interval_counts_from_the_acquisition_and_is_inclusive() {
    let mut stepped = stepped(1);
    let node = nodes(&mut stepped, 1).pop().unwrap();
    let app = asking(&mut stepped, 1, 1);
    stepped.heartbeat(Heartbeat::new(&node));
    for _ in 0..10 {
        stepped.advance(EXPIRY);
    }
    assert_eq!(stepped.take_journal().completed, [], "nobody has acquired it");
    assert_eq!(fetch(&mut stepped, &app).granted.len(), 1);
    stepped.advance(EXPIRY);
    assert_eq!(stepped.take_journal().completed, [], "exactly the interval");
    stepped.advance(EXPIRY / 3);
    assert_eq!(stepped.take_journal().completed.len(), 1);
}

/// rules/assignment.md 11.5: launched, completed or released in time there is nothing to expire; a container that takes
/// the place of one of these has its own time.
#[test]
fn what_was_launched_or_has_ended_does_not_expire() {
    let mut stepped = stepped(1);
    let node = nodes(&mut stepped, 1).pop().unwrap();
    let app = asking(&mut stepped, 1, 3);
    stepped.heartbeat(Heartbeat::new(&node));
    let got = fetch(&mut stepped, &app).granted;
    assert_eq!(got.len(), 3);
    stepped.advance(2000);
    report(&mut stepped, &node, &got[..1], &got[1..2]);
    call(&mut stepped, &app, &ask(2).with_releases([got[2].id]));
    stepped.update_now();
    stepped.heartbeat(Heartbeat::new(&node));
    let again = fetch(&mut stepped, &app).granted;
    assert_eq!(again.len(), 2);
    stepped.take_journal();
    stepped.advance(3000);
    assert_eq!(stepped.take_journal().completed, [], "acquired at 2000");
    stepped.advance(1000);
    let expired = again.iter().map(|container| (1, container.id.number(), EndReason::Expired)).collect::<Vec<_>>();
    assert_eq!(stepped.take_journal().completed, expired);
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
        allocate(&scheduler, &app, &ask(4)).unwrap();
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
        assert_eq!(scheduler.stats().allocated, Resource::ZERO);
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
    allocate(&scheduler, &app, &ask(1)).unwrap();
    fill(&scheduler, &nodes);
    assert_eq!(poll(&scheduler, &app).granted.len(), 1);
    for (ms, ended) in [(600_000, 0), (200_000, 1)] {
        clock.advance(ms);
        beat(&scheduler, Heartbeat::new(&nodes[0]));
        scheduler.quiesce().unwrap();
        assert_eq!(poll(&scheduler, &app).ended.len(), ended, "the default interval is ten minutes");
    }
}

// ---------------------------------------------------------------------------------------------------- asks given back

/// rules/assignment.md 11.4: a container that nobody has acquired gives its ask back when its node is lost, whoever the
/// workers are.
#[test]
fn an_unacquired_container_on_a_lost_node_gives_its_ask_back() {
    for workers in 1..=3 {
        let mut stepped = stepped(workers);
        let all = nodes(&mut stepped, 3);
        for (i, node) in all.iter().enumerate() {
            let app = asking(&mut stepped, u32::try_from(i).unwrap() + 1, 2);
            stepped.heartbeat(Heartbeat::new(node));
            let held = fetch(&mut stepped, &app).granted;
            assert_eq!(held.len(), 2, "acquired");
            call(&mut stepped, &app, &ask(2));
            stepped.update_now();
            stepped.heartbeat(Heartbeat::new(node));
            assert_eq!(used(&mut stepped, &app), Resource::new(4096, 4));
            stepped.remove_node(node).unwrap();
            assert_eq!(used(&mut stepped, &app), Resource::ZERO);
            stepped.update_now();
            let other = stepped.add_node(&format!("other{i}"), &format!("/o{i}"), Resource::new(4096, 4)).unwrap();
            for _ in 0..2 {
                stepped.heartbeat(Heartbeat::new(&other));
            }
            let answer = fetch(&mut stepped, &app);
            assert_eq!(answer.granted.len(), 2, "what was not acquired is asked for again, what was is not");
            assert_eq!(answer.ended.len(), 2, "what was acquired is told of, what was not is not");
            stepped.finish(&app).unwrap();
            stepped.remove_node(&other).unwrap();
        }
    }
}

/// Grants are counted by how near to what was asked they are: two on the node, one on its rack, one elsewhere.
#[test]
fn statistics_tell_how_near_containers_were_placed() {
    let mut stepped = stepped(1);
    let size = Resource::new(1024, 1);
    let near = stepped.add_node("near", "/r", Resource::new(2048, 2)).unwrap();
    let rack = stepped.add_node("same-rack", "/r", Resource::new(1024, 1)).unwrap();
    let far = stepped.add_node("far", "/other", Resource::new(1024, 1)).unwrap();
    let app = stepped.submit(unmanaged(1, "root.q")).unwrap();
    let rows =
        [Ask::anywhere(1, size, 4).at(stepped.location("near")), Ask::anywhere(1, size, 4).at(stepped.location("/r"))];
    let asks: Vec<_> = rows.into_iter().chain([Ask::anywhere(1, size, 4)]).collect();
    call(&mut stepped, &app, &AllocateRequest::new(asks));
    stepped.update_now();
    let mut counted = |node: &NodeHandle| {
        stepped.heartbeat(Heartbeat::new(node));
        let stats = stepped.stats();
        (stats.granted, stats.node_local, stats.rack_local)
    };
    assert_eq!([&near, &rack, &far].map(&mut counted), [(2, 2, 0), (3, 2, 1), (4, 2, 1)]);
}

// ---------------------------------------------------------------------------------------------------- nodes

/// rules/assignment.md 2.6, 13.4: nothing happens until the node reports; then its total follows what it runs, and it
/// is empty in the end.
///
/// `TestFairScheduler.testResourceUpdateDecommissioningNode`
#[test]
fn a_decommissioning_node_follows_what_it_runs() {
    let mut stepped = stepped(1);
    let node = nodes(&mut stepped, 1).pop().unwrap();
    let app = asking(&mut stepped, 1, 2);
    stepped.heartbeat(Heartbeat::new(&node));
    let got = fetch(&mut stepped, &app).granted;
    stepped.decommission_node(&node).unwrap();
    assert_eq!(stepped.stats().cluster, Resource::new(4096, 4));
    report(&mut stepped, &node, &got, &[]);
    assert_eq!((stepped.stats().cluster, free(&mut stepped, &node)), (Resource::new(2048, 2), Resource::ZERO));
    call(&mut stepped, &app, &ask(1));
    stepped.update_now();
    stepped.heartbeat(Heartbeat::new(&node));
    assert_eq!(fetch(&mut stepped, &app).granted, [], "nothing new fits");
    call(&mut stepped, &app, &ask(0));
    report(&mut stepped, &node, &[], &got[..1]);
    assert_eq!(stepped.stats().cluster, Resource::new(1024, 1));
    assert_eq!(stepped.next_event(), None);
    report(&mut stepped, &node, &[], &got[1..]);
    stepped.heartbeat(Heartbeat::new(&node));
    assert_eq!(stepped.stats().cluster, Resource::ZERO);
    assert_eq!(stepped.next_event(), Some(SchedulerEvent::NodeDrained("n0".to_owned())));
    assert_eq!(stepped.next_event(), None, "told once");
}

/// rules/assignment.md 2.6 (quirk): the smaller total is an event, and the heartbeat that sends it still assigns. What
/// then is above the total is killed when the event comes, at an overcommit timeout of 0; its ask is back, its number
/// is used up.
#[test]
fn the_heartbeat_of_a_decommissioning_node_still_assigns() {
    let mut stepped = stepped(1);
    let node = nodes(&mut stepped, 1).pop().unwrap();
    let app = asking(&mut stepped, 1, 1);
    stepped.heartbeat(Heartbeat::new(&node));
    let first = fetch(&mut stepped, &app).granted;
    call(&mut stepped, &app, &ask(1));
    stepped.update_now();
    stepped.decommission_node(&node).unwrap();
    stepped.take_journal();
    report(&mut stepped, &node, &first, &[]);
    let outcome = stepped.take_journal();
    assert_eq!(outcome.allocated.iter().map(|made| made.container).collect::<Vec<_>>(), [2]);
    assert_eq!(outcome.completed, [(1, 2, EndReason::Preempted)], "the youngest goes");
    assert_eq!((stepped.stats().cluster, free(&mut stepped, &node)), (SMALL, Resource::ZERO));
    let other = stepped.add_node("other", "/other", Resource::new(4096, 4)).unwrap();
    stepped.update_now();
    stepped.heartbeat(Heartbeat::new(&other));
    let again = fetch(&mut stepped, &app);
    assert_eq!(again.granted.iter().map(|container| container.id.number()).collect::<Vec<_>>(), [3]);
    assert_eq!(again.ended, [], "the AM had never seen it");
}

/// A recommissioned node has its total again, whatever it has shrunk to.
#[test]
fn a_recommissioned_node_has_its_total_again() {
    let mut stepped = stepped(1);
    let node = nodes(&mut stepped, 1).pop().unwrap();
    stepped.decommission_node(&node).unwrap();
    stepped.heartbeat(Heartbeat::new(&node));
    assert_eq!(stepped.stats().cluster, Resource::ZERO);
    stepped.recommission_node(&node).unwrap();
    assert_eq!((stepped.stats().cluster, free(&mut stepped, &node)), (Resource::new(4096, 4), Resource::new(4096, 4)));
    let app = asking(&mut stepped, 1, 1);
    stepped.heartbeat(Heartbeat::new(&node));
    assert_eq!(fetch(&mut stepped, &app).granted.len(), 1);
    stepped.recommission_node(&node).unwrap();
    stepped.remove_node(&node).unwrap();
    let gone = Err(Refused::NotFound(NotFound::Node("n0".to_owned())));
    assert_eq!((stepped.decommission_node(&node), stepped.recommission_node(&node)), (gone.clone(), gone));
}

/// The same from the control's thread, with the event told.
#[test]
fn a_node_is_drained_and_comes_back_in_the_threaded_runtime() {
    let scheduler = FairScheduler::builder().settings(greedy()).workers(2).start().unwrap();
    let nodes = add_nodes(&scheduler, 2);
    scheduler.decommission_node(&nodes[1]).unwrap();
    beat(&scheduler, Heartbeat::new(&nodes[1]));
    scheduler.quiesce().unwrap();
    assert_eq!(scheduler.next_event(), Some(SchedulerEvent::NodeDrained("n1".to_owned())));
    let app = scheduler.submit(unmanaged(1, "root.q")).unwrap();
    allocate(&scheduler, &app, &ask(100)).unwrap();
    fill(&scheduler, &nodes);
    assert_eq!(scheduler.stats().allocated, Resource::new(8192, 8));
    scheduler.recommission_node(&nodes[1]).unwrap();
    fill(&scheduler, &nodes);
    assert_eq!(scheduler.stats().allocated, Resource::new(16384, 16));
    assert_sums(&scheduler);
}

// ---------------------------------------------------------------------------------------------------- continuous
// scheduling

/// rules/assignment.md 18: a thread makes passes by itself; no node has to report.
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
        allocate(&scheduler, &app, &ask(1000)).unwrap();
        scheduler.quiesce().unwrap();
        scheduler.update_now().unwrap();
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
        scheduler.shutdown().unwrap();
    }
}

/// rules/assignment.md 18 (recorded): three idle nodes of 4096/4 and an application that asks for nine: 1, 3, 6, 9
/// after four passes, because nodes with equal free memory collapse to one; a node without room for the smallest
/// container is passed over.
#[test]
fn a_pass_visits_one_node_of_each_free_memory() {
    let mut stepped = FairScheduler::builder().stepped().unwrap();
    nodes(&mut stepped, 3);
    let app = asking(&mut stepped, 1, 9);
    for held in [1, 3, 6, 9] {
        stepped.offer_all();
        assert_eq!(used(&mut stepped, &app), Resource::new(held * 1024, held));
    }
    // With several workers nodes of different workers do not collapse.
    let mut stepped = FairScheduler::builder().workers(3).stepped().unwrap();
    nodes(&mut stepped, 3);
    let app = asking(&mut stepped, 1, 9);
    stepped.offer_all();
    assert_eq!(used(&mut stepped, &app), Resource::new(3072, 3));
}

// ---------------------------------------------------------------------------------------------------- request ids

fn keyed(priority: i32, id: i64, count: u32) -> Ask {
    Ask::anywhere(priority, SMALL, count).with_request_id(id)
}

fn asks(asks: &[Ask]) -> AllocateRequest {
    AllocateRequest::new(asks.to_vec())
}

fn ids(granted: &[Container]) -> Vec<(i32, i64)> {
    granted.iter().map(|container| (container.priority, container.allocation_request_id)).collect()
}

/// rules/assignment.md 5.1: a smaller priority first, within it a smaller allocation request id, whatever the order of
/// asking; the container says which ask it answers.
#[test]
fn asks_are_served_by_priority_then_by_request_id() {
    let mut stepped = stepped(1);
    let node = stepped.add_node("n", "/r", Resource::new(65536, 64)).unwrap();
    let app = stepped.submit(unmanaged(1, "root.q")).unwrap();
    call(
        &mut stepped,
        &app,
        &asks(&[keyed(2, -5, 1), keyed(1, 9, 1), keyed(1, -3, 2), keyed(1, 0, 1), keyed(2, 1 << 40, 1)]),
    );
    stepped.update_now();
    stepped.heartbeat(Heartbeat::new(&node));
    let granted = fetch(&mut stepped, &app).granted;
    assert_eq!(ids(&granted), [(1, -3), (1, -3), (1, 0), (1, 9), (2, -5), (2, 1 << 40)]);
}

/// rules/assignment.md 5.3: asks of one priority and different ids stand beside each other, and are replaced apart.
#[test]
fn asks_of_different_request_ids_are_replaced_apart() {
    for workers in [1, 2] {
        let mut stepped = stepped(workers);
        let all: Vec<_> = (0..workers)
            .map(|i| stepped.add_node(&format!("n{i}"), &format!("/r{i}"), Resource::new(65536, 64)).unwrap())
            .collect();
        let app = stepped.submit(unmanaged(1, "root.q")).unwrap();
        call(&mut stepped, &app, &asks(&[keyed(1, 1, 2), keyed(1, 2, 2), keyed(1, 2, 3)]));
        call(&mut stepped, &app, &asks(&[keyed(1, 1, 0), keyed(1, 3, 1)]));
        stepped.update_now();
        all.iter().for_each(|node| stepped.heartbeat(Heartbeat::new(node)));
        stepped.update_now();
        all.iter().for_each(|node| stepped.heartbeat(Heartbeat::new(node)));
        assert_eq!(ids(&fetch(&mut stepped, &app).granted), [(1, 2), (1, 2), (1, 2), (1, 3)]);
    }
}

/// rules/assignment.md 11.4: what comes back comes back to its own key.
#[test]
fn an_unacquired_container_gives_back_to_its_request_id() {
    for workers in [1, 2] {
        let mut stepped = stepped(workers);
        let all = nodes(&mut stepped, 2);
        let app = stepped.submit(unmanaged(1, "root.q")).unwrap();
        let place = stepped.location("n1");
        let rack = stepped.location("/r1");
        let line = |id| [keyed(1, id, 1), keyed(1, id, 1).at(place), keyed(1, id, 1).at(rack)];
        call(&mut stepped, &app, &asks(&[line(4), line(7)].concat()));
        stepped.update_now();
        stepped.heartbeat(Heartbeat::new(&all[1]));
        assert_eq!(used(&mut stepped, &app), Resource::new(2048, 2));
        stepped.remove_node(&all[1]).unwrap();
        call(&mut stepped, &app, &asks(&[keyed(1, 4, 0)]));
        stepped.update_now();
        stepped.heartbeat(Heartbeat::new(&all[0]));
        assert_eq!(ids(&fetch(&mut stepped, &app).granted), [(1, 7)]);
    }
}

/// A reservation belongs to its key: once the ask of its id is withdrawn it goes, though another id still asks.
#[test]
fn a_reservation_is_of_one_request_id() {
    let mut stepped = FairScheduler::builder().journal(true).stepped().unwrap();
    let node = stepped.add_node("n", "/r", Resource::new(4096, 4)).unwrap();
    let other = asking(&mut stepped, 1, 3);
    for _ in 0..3 {
        stepped.heartbeat(Heartbeat::new(&node));
    }
    assert_eq!(fetch(&mut stepped, &other).granted.len(), 3);
    let app = stepped.submit(unmanaged(2, "root.p")).unwrap();
    let large = |id, count| Ask::anywhere(1, Resource::new(2048, 1), count).with_request_id(id);
    call(&mut stepped, &app, &asks(&[large(1, 1), large(2, 1)]));
    stepped.update_now();
    stepped.heartbeat(Heartbeat::new(&node));
    assert_eq!(stepped.take_journal().reserved.iter().map(|held| held.container).collect::<Vec<_>>(), [1]);
    call(&mut stepped, &app, &asks(&[large(1, 0)]));
    stepped.heartbeat(Heartbeat::new(&node));
    let held: Vec<_> = stepped.take_journal().reserved.iter().map(|held| held.container).collect();
    assert_eq!(held, [2], "the first was dropped, and the other id has made its own");
}

// ---------------------------------------------------------------------------------------------------- the AM's request

/// rules/assignment.md 9.3.1: the AM's request may name a rack and a node; not relaxed, it waits for them.
#[test]
fn an_am_is_placed_where_its_request_says() {
    for workers in [1, 2] {
        let mut stepped = stepped(workers);
        let all = nodes(&mut stepped, 3);
        let (node, rack) = (stepped.location("n2"), stepped.location("/r2"));
        let am = AmRequest::from(SMALL).strict().strictly_at(rack).at(node);
        let app = stepped.submit(unmanaged(1, "root.q").with_am(am)).unwrap();
        stepped.update_now();
        for at in [0, 1, 2] {
            assert_eq!(used(&mut stepped, &app), Resource::ZERO);
            stepped.heartbeat(Heartbeat::new(&all[at]));
        }
        assert_eq!((used(&mut stepped, &app), free(&mut stepped, &all[2])), (SMALL, Resource::new(3072, 3)));
        assert!(!app.waits_for_am());
        // A rack alone; a place that does not relax `*` itself is the relaxation of `*`.
        let am = AmRequest::from(SMALL).at(rack).strictly_at(evenweave::Location::ANY);
        let app = stepped.submit(unmanaged(2, "root.q").with_am(am)).unwrap();
        stepped.update_now();
        for at in [0, 1, 2] {
            assert!(app.waits_for_am());
            stepped.heartbeat(Heartbeat::new(&all[at]));
        }
        assert!(!app.waits_for_am());
    }
}

/// rules/assignment.md 4: while the AM's container is awaited the system's blacklist counts, afterwards the AM's own,
/// and only that.
#[test]
fn the_system_blacklist_counts_for_the_am_alone() {
    for workers in [1, 2] {
        let mut stepped = stepped(workers);
        let all = nodes(&mut stepped, 2);
        let (bad, rack) = (stepped.location("n0"), stepped.location("/r1"));
        let am = AmRequest::from(SMALL).avoiding(&[bad]);
        let app = stepped.submit(unmanaged(1, "root.q").with_am(am)).unwrap();
        stepped.update_now();
        stepped.heartbeat(Heartbeat::new(&all[0]));
        assert!(app.waits_for_am(), "the system's blacklist names the node");
        stepped.heartbeat(Heartbeat::new(&all[1]));
        assert!(!app.waits_for_am());
        call(&mut stepped, &app, &ask(2).with_blacklist_add([rack]));
        stepped.update_now();
        stepped.heartbeat(Heartbeat::new(&all[1]));
        assert_eq!(used(&mut stepped, &app), SMALL, "the AM's own names its rack");
        stepped.heartbeat(Heartbeat::new(&all[0]));
        assert_eq!(used(&mut stepped, &app), Resource::new(3072, 3), "the system's counts no more");
        // The AM's own does not count for the AM of the next attempt, and the system's is given anew.
        let new = NewAttempt::default().with_am(SMALL).keep_containers(true);
        let next = stepped.new_attempt(&app, new).unwrap();
        stepped.update_now();
        stepped.heartbeat(Heartbeat::new(&all[1]));
        assert!(!next.waits_for_am());
    }
}

// ---------------------------------------------------------------------------------------------------- attempts

fn keeping() -> NewAttempt {
    NewAttempt::default().keep_containers(true)
}

/// What the books of an application, its queue and the cluster say.
fn books(stepped: &mut Stepped, app: &AppHandle) -> [Resource; 3] {
    let queue = stepped.queues().into_iter().find(|queue| queue.name == "root.q").unwrap().usage;
    [used(stepped, app), queue, stepped.stats().allocated]
}

/// The nodes of a blacklist that goes over to the next attempt count for its headroom once its AM has changed the list.
#[test]
fn a_blacklist_that_was_kept_is_no_matter_of_headroom_at_first() {
    let mut stepped = stepped(1);
    let _all = nodes(&mut stepped, 3);
    let app = stepped.submit(unmanaged(1, "root.q")).unwrap();
    let listed = [stepped.location("n0"), stepped.location("n1")];
    call(&mut stepped, &app, &ask(1).with_blacklist_add([listed[0]]));
    stepped.update_now();
    let left =
        |stepped: &mut Stepped, app: &AppHandle| call(stepped, app, &AllocateRequest::default()).headroom.memory_mb();
    assert_eq!(left(&mut stepped, &app), 8192);
    let next = stepped.new_attempt(&app, keeping()).unwrap();
    call(&mut stepped, &next, &ask(1));
    stepped.update_now();
    assert_eq!(left(&mut stepped, &next), 12288);
    call(&mut stepped, &next, &AllocateRequest::default().with_blacklist_add([listed[1]]));
    assert_eq!(left(&mut stepped, &next), 4096);
}

/// rules/assignment.md 12.2, 12.3: running containers stay and all others end; the next attempt has their usage, its
/// numbers begin at 1, asks and reservations are gone, its AM's blacklist is there.
#[test]
fn a_new_attempt_keeps_running_containers() {
    for workers in 1..=3 {
        let mut stepped = stepped(workers);
        let all = nodes(&mut stepped, 3);
        let app = asking(&mut stepped, 1, 6);
        for node in &all {
            stepped.heartbeat(Heartbeat::new(node));
        }
        let got = fetch(&mut stepped, &app).granted;
        assert_eq!(got.len(), 6);
        let running: Vec<_> = got.iter().filter(|one| one.node != all[2].id()).copied().collect();
        for node in &all[..2] {
            let here: Vec<_> = running.iter().filter(|one| one.node == node.id()).copied().collect();
            report(&mut stepped, node, &here, &[]);
        }
        let listed = stepped.location("n2");
        call(&mut stepped, &app, &ask(3).with_blacklist_add([listed]));
        stepped.update_now();
        stepped.heartbeat(Heartbeat::new(&all[0]));
        stepped.take_journal();
        let held = running.len();
        let kept = Resource::new(i64::try_from(held).unwrap() * 1024, i64::try_from(held).unwrap());
        let next = stepped.new_attempt(&app, keeping()).unwrap();
        assert_eq!((app.attempt(), next.attempt(), next.number()), (1, 2, 1));
        let mut told: Vec<_> = next.kept_containers().to_vec();
        told.sort_by_key(|one| one.id.number());
        let mut known = running.clone();
        known.sort_by_key(|one| one.id.number());
        assert_eq!(told, known, "9.2.12");
        assert_eq!(books(&mut stepped, &next), [kept; 3]);
        let ended = stepped.take_journal().completed;
        assert!(ended.iter().all(|(_, _, reason)| *reason == EndReason::AppFinished));
        assert_eq!(stepped.stats().running, held as u64);
        // Asks are gone; new ones are numbered from 1, and the blacklist still counts.
        stepped.update_now();
        stepped.heartbeat(Heartbeat::new(&all[1]));
        assert_eq!(used(&mut stepped, &next), kept);
        call(&mut stepped, &next, &ask(20));
        stepped.update_now();
        stepped.heartbeat(Heartbeat::new(&all[2]));
        assert_eq!(used(&mut stepped, &next), kept, "its blacklist went over");
        stepped.heartbeat(Heartbeat::new(&all[1]));
        let granted = fetch(&mut stepped, &next).granted;
        assert_eq!(granted.iter().map(|one| (one.id.attempt(), one.id.number())).min(), Some((2, 1)));
        // A kept container is released by the new attempt, and completed by its node under its old id.
        let (first, last) = (running[0], running[held - 1]);
        call(&mut stepped, &next, &AllocateRequest::default().with_releases([first.id]));
        let node = all.iter().find(|node| node.id() == last.node).unwrap();
        report(&mut stepped, node, &[], &[last]);
        let ended: Vec<_> = fetch(&mut stepped, &next).ended.iter().map(|end| (end.id, end.reason)).collect();
        assert!(ended.contains(&(last.id, EndReason::Completed)), "{ended:?}");
        // And at the end of the application nothing is left.
        stepped.finish(&next).unwrap();
        for node in &all {
            let here: Vec<_> = running.iter().filter(|one| one.node == node.id()).copied().collect();
            report(&mut stepped, node, &[], &here);
            assert_eq!(free(&mut stepped, node), Resource::new(4096, 4));
        }
        assert_eq!(stepped.stats().allocated, Resource::ZERO);
    }
}

/// The running limit is asked anew: whoever waited longer may run first; what was kept counts all the same, and goes
/// from attempt to attempt.
#[test]
fn a_kept_container_counts_while_its_attempt_waits() {
    const ONE: &str = "<allocations><queue name='q'><maxRunningApps>1</maxRunningApps></queue></allocations>";
    let file = allocations(ONE);
    let builder = FairScheduler::builder().settings(expiring()).allocations(file).journal(true);
    let mut stepped = builder.stepped().unwrap();
    let node = nodes(&mut stepped, 1).pop().unwrap();
    let first = asking(&mut stepped, 1, 1);
    stepped.heartbeat(Heartbeat::new(&node));
    let held = fetch(&mut stepped, &first).granted;
    report(&mut stepped, &node, &held, &[]);
    let other = asking(&mut stepped, 2, 1);
    let second = stepped.new_attempt(&first, keeping()).unwrap();
    let runs = |stepped: &mut Stepped, app: &AppHandle| {
        stepped.apps().into_iter().find(|view| view.id == app.id()).unwrap().runnable
    };
    assert_eq!((runs(&mut stepped, &other), runs(&mut stepped, &second)), (true, false));
    assert_eq!(books(&mut stepped, &second), [SMALL; 3]);
    let third = stepped.new_attempt(&second, keeping()).unwrap();
    assert_eq!(third.kept_containers(), held);
    assert_eq!(third.attempt(), 3);
    assert_eq!(books(&mut stepped, &third), [SMALL; 3]);
    stepped.finish(&other).unwrap();
    assert!(runs(&mut stepped, &third));
    let last = stepped.new_attempt(&third, NewAttempt::default()).unwrap();
    assert_eq!(last.kept_containers(), []);
    assert_eq!(used(&mut stepped, &last), Resource::ZERO, "nothing is kept where that is not said");
    report(&mut stepped, &node, &[], &held);
    assert_eq!(free(&mut stepped, &node), Resource::new(4096, 4));
}

/// The next AM counts for the AM share as the first did; a request that cannot be changes nothing where containers are
/// to be kept.
#[test]
fn the_am_of_an_attempt_that_keeps_is_accounted_anew() {
    let mut stepped = stepped(1);
    let node = nodes(&mut stepped, 1).pop().unwrap();
    let first = stepped.submit(unmanaged(1, "root.q").with_am(SMALL)).unwrap();
    stepped.update_now();
    stepped.heartbeat(Heartbeat::new(&node));
    let am_usage =
        |stepped: &mut Stepped| stepped.queues().into_iter().find(|queue| queue.name == "root.q").unwrap().am_usage;
    assert_eq!(am_usage(&mut stepped), SMALL);
    call(&mut stepped, &first, &ask(1));
    stepped.update_now();
    stepped.heartbeat(Heartbeat::new(&node));
    let held = fetch(&mut stepped, &first).granted;
    report(&mut stepped, &node, &held, &[]);
    let huge = NewAttempt::default().with_am(Resource::new(1 << 40, 1)).keep_containers(true);
    assert!(matches!(stepped.new_attempt(&first, huge), Err(Refused::Invalid(Invalid::Resource { .. }))));
    assert!(!first.is_finished(), "nothing has changed");
    let new = NewAttempt::default().with_am(SMALL).keep_containers(true);
    let second = stepped.new_attempt(&first, new).unwrap();
    assert!(second.waits_for_am());
    assert_eq!((am_usage(&mut stepped), second.kept_containers()), (Resource::ZERO, &held[..]));
    stepped.update_now();
    stepped.heartbeat(Heartbeat::new(&node));
    assert!(!second.waits_for_am());
    assert_eq!(am_usage(&mut stepped), SMALL);
}

/// Real threads: attempt after attempt while nodes report and other applications are served; the books agree.
#[test]
fn attempts_follow_each_other_under_load() {
    for workers in [1, 3] {
        let scheduler = FairScheduler::builder().settings(greedy()).workers(workers).start().unwrap();
        let nodes = add_nodes(&scheduler, 6);
        let mut app = scheduler.submit(unmanaged(1, "root.q")).unwrap();
        let rival = scheduler.submit(unmanaged(2, "root.p")).unwrap();
        let mut held = std::collections::BTreeMap::new();
        for _ in 0..20 {
            allocate(&scheduler, &app, &ask(6)).unwrap();
            allocate(&scheduler, &rival, &ask(3)).unwrap();
            fill(&scheduler, &nodes);
            let granted = poll(&scheduler, &app).granted;
            let launch = |node: &NodeHandle, some: &[Container]| {
                let mut heartbeat = Heartbeat::new(node);
                heartbeat.add_launched(some.iter().filter(|one| one.node == node.id()).map(|one| one.id));
                beat(&scheduler, heartbeat);
            };
            // Half of them run for certain; the other half may be reported just before or just after the attempt ends.
            let (sure, late) = granted.split_at(granted.len() / 2);
            nodes.iter().for_each(|node| launch(node, sure));
            scheduler.quiesce().unwrap();
            let next = std::thread::scope(|scope| {
                scope.spawn(|| nodes.iter().for_each(|node| launch(node, late)));
                scope.spawn(|| drop(poll_if_open(&scheduler, &app)));
                scheduler.new_attempt(&app, keeping()).unwrap()
            });
            let kept: std::collections::BTreeMap<_, _> =
                next.kept_containers().iter().map(|one| (one.id, one.node)).collect();
            for one in sure {
                assert!(kept.contains_key(&one.id), "it ran");
            }
            for id in held.keys() {
                assert!(kept.contains_key(id), "kept once more");
            }
            assert!(kept.keys().all(|id| held.contains_key(id) || granted.iter().any(|one| one.id == *id)));
            assert_sums(&scheduler);
            assert_eq!(scheduler.app(1).unwrap().unwrap().usage.memory_mb(), 1024 * i64::try_from(kept.len()).unwrap());
            // Half of what is kept ends; its new attempt is told, under the old ids.
            let (end, stay): (Vec<_>, Vec<_>) = kept.into_iter().enumerate().partition(|(i, _)| i % 2 == 0);
            for node in &nodes {
                let mut heartbeat = Heartbeat::new(node);
                heartbeat.add_completed(end.iter().filter(|(_, (_, at))| *at == node.id()).map(|(_, (id, _))| *id));
                beat(&scheduler, heartbeat);
            }
            scheduler.quiesce().unwrap();
            let told: std::collections::BTreeSet<_> = poll(&scheduler, &next).ended.iter().map(|end| end.id).collect();
            assert_eq!(told, end.iter().map(|(_, (id, _))| *id).collect());
            held = stay.into_iter().map(|(_, one)| one).collect();
            app = next;
        }
        scheduler.finish(&app).unwrap();
        for node in &nodes {
            let mut heartbeat = Heartbeat::new(node);
            heartbeat.add_completed(held.keys().copied());
            beat(&scheduler, heartbeat);
        }
        scheduler.finish(&rival).unwrap();
        assert_sums(&scheduler);
    }
}

fn poll_if_open(scheduler: &FairScheduler, app: &AppHandle) -> Result<Allocation, Refused> {
    allocate(scheduler, app, &AllocateRequest::default())
}

/// rules/assignment.md 9.2.2, 9.3.1: the request of a further AM passes the check for what the queue may have nothing
/// of, as the first did.
#[test]
fn an_am_for_which_its_queue_has_nothing_is_refused_at_any_attempt() {
    let mut stepped = stepped(1);
    nodes(&mut stepped, 1);
    let none = |max: &str| format!("<allocations><queue name='q'>{max}</queue></allocations>");
    for keep_containers in [false, true] {
        stepped.reload_text(&none("")).unwrap();
        let app = stepped.submit(unmanaged(1 + u32::from(keep_containers), "root.q")).unwrap();
        stepped.reload_text(&none("<maxResources>4096 mb, 0 vcores</maxResources>")).unwrap();
        let new = NewAttempt::default().with_am(Resource::new(1024, 1)).keep_containers(keep_containers);
        let refused = stepped.new_attempt(&app, new).unwrap_err();
        assert!(matches!(refused, Refused::Limit(Limit::ZeroMax { .. })), "{refused}");
    }
}

/// I13: a handle means nothing to another scheduler, whatever stands there under the same numbers.
#[test]
fn handles_of_another_scheduler_are_refused() {
    let (mut here, mut there) = (stepped(1), stepped(3));
    let (ours, theirs) = (nodes(&mut here, 1).pop().unwrap(), nodes(&mut there, 3));
    let (app, other) = (asking(&mut here, 1, 1), asking(&mut there, 1, 1));
    let unknown = Err(Refused::NotFound(NotFound::App(1)));
    assert_eq!(here.allocate(&other, &ask(1), &mut Allocation::default()), unknown);
    assert_eq!(here.new_attempt(&other, NewAttempt::default()).map(drop), unknown);
    assert_eq!(here.move_app(&other, "root.q"), unknown);
    assert_eq!(here.finish(&other), unknown);
    assert!(here.not_offered(&other).is_some());
    for node in &theirs {
        let unknown = Err(Refused::NotFound(NotFound::Node(node.name().to_owned())));
        here.heartbeat(Heartbeat::new(node));
        assert_eq!(here.decommission_node(node), unknown);
        assert_eq!(here.recommission_node(node), unknown);
        assert_eq!(here.resize_node(node, Resource::ZERO), unknown);
        assert_eq!(here.remove_node(node), unknown);
    }
    here.heartbeat(Heartbeat::new(&ours));
    assert_eq!(fetch(&mut here, &app).granted.len(), 1, "what is here goes on");
    assert_eq!(fetch(&mut there, &other).granted, [], "and so does what is there");
}

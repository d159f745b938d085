//! Asks that change: what the workers know of them afterwards.
#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use evenweave::SchedulerApi as _;
use evenweave::{
    AllocateRequest, Allocation, AppHandle, Ask, FairScheduler, Heartbeat, Locality, NewAttempt, NodeHandle, Resource,
    Settings, Stepped, Submission,
};
use evenweave_testkit::{ask_for, fair};

fn scheduler(workers: usize, queues: &str, properties: &[(&str, &str)]) -> Stepped {
    fair(properties, queues).workers(workers).journal(true).stepped().unwrap()
}

fn submit(stepped: &mut Stepped, number: u32, am: Option<i64>) -> AppHandle {
    let am = am.map(|mb| Resource::new(mb, 1));
    stepped.submit(Submission::new(number, "ann").in_queue("root.q").maybe_with_am(am)).unwrap()
}

fn of_size(mb: i64, count: u32) -> Ask {
    Ask::anywhere(1, Resource::new(mb, 1), count)
}

/// Applications that a node's heartbeat gave a container, with its size.
fn offered(stepped: &mut Stepped, node: &NodeHandle) -> Vec<(u32, i64)> {
    stepped.take_journal();
    stepped.heartbeat(Heartbeat::new(node));
    stepped.take_journal().allocated.iter().map(|made| (made.app, made.resource.memory_mb())).collect()
}

/// The rows of a key that is asked for again count as before, though the call does not name them: here they are smaller
/// than what is asked for anywhere, and fit a node that the others do not.
#[test]
fn a_key_that_is_wanted_again_brings_its_rows_along() {
    // Nothing is large enough for a reservation: what fits nothing is passed over.
    let properties = [("yarn.scheduler.reservation-threshold.increment-multiple", "100")];
    let mut stepped = scheduler(1, "", &properties);
    let [first, second] =
        ["1", "2"].map(|i| stepped.add_node(&format!("n{i}"), &format!("/r{i}"), Resource::new(4096, 8)).unwrap());
    let [filler, app] = [1, 2].map(|number| submit(&mut stepped, number, None));
    let places = ["/r1", "n1", "/r2", "n2"].map(|name| stepped.location(name));
    let at_second = places[2..].iter().map(|place| of_size(3072, 1).at(*place));
    ask_for(&mut stepped, &filler, at_second.chain([of_size(3072, 1).strict()]));
    stepped.update_now();
    assert_eq!(offered(&mut stepped, &second), [(1, 3072)]);
    let rows = places.iter().map(|place| of_size(1024, 1).at(*place));
    // Another key keeps the application pending, and is too large for what is left of any node.
    let other = Ask::anywhere(2, Resource::new(4096, 1), 1);
    ask_for(&mut stepped, &app, rows.chain([of_size(4096, 1), other]));
    stepped.update_now();
    assert_eq!(offered(&mut stepped, &first), [(2, 1024)], "on its node");
    // Nothing is wanted of the key when everything is put in order anew.
    stepped.update_now();
    ask_for(&mut stepped, &app, vec![of_size(4096, 1)]);
    assert_eq!(offered(&mut stepped, &second), [(2, 1024)], "on its node, which has room for that much");
}

/// Of two asks for one key and location in a call the last counts, for every worker.
#[test]
fn an_ask_that_its_own_call_replaces_forgets_nothing() {
    let mut stepped = scheduler(2, "", &[]);
    let nodes =
        ["1", "2"].map(|i| stepped.add_node(&format!("n{i}"), &format!("/r{i}"), Resource::new(4096, 8)).unwrap());
    assert_ne!(nodes[0].worker(), nodes[1].worker());
    let app = submit(&mut stepped, 1, None);
    let places = ["/r1", "n1", "/r2", "n2"].map(|name| stepped.location(name));
    let rows = places.iter().map(|place| of_size(1024, 1).at(*place));
    ask_for(&mut stepped, &app, rows.chain([of_size(1024, 2).strict()]));
    ask_for(&mut stepped, &app, vec![of_size(1024, 0).strict(), of_size(1024, 2).strict()]);
    stepped.update_now();
    for node in &nodes {
        assert_eq!(offered(&mut stepped, node), [(1, 1024)], "where it was asked for, of whichever worker");
    }
}

/// An application whose AM another worker has placed is no longer one that waits for it, once it asks, be it under its
/// AM's own key.
#[test]
fn who_has_its_am_from_another_worker_is_offered_nodes_under_a_full_am_share() {
    let file = "<allocations><queue name='q'><maxAMShare>0.2</maxAMShare></queue></allocations>";
    let mut stepped = scheduler(2, file, &[]);
    let nodes =
        ["1", "2"].map(|i| stepped.add_node(&format!("n{i}"), &format!("/r{i}"), Resource::new(4096, 8)).unwrap());
    for number in 0..4 {
        let app = submit(&mut stepped, number, Some(1024));
        stepped.update_now();
        // The AM on a node of one worker, then a container on that of the other, which knows the application as
        // waiting.
        let [am, other] = if number % 2 == 0 { [&nodes[0], &nodes[1]] } else { [&nodes[1], &nodes[0]] };
        assert_eq!(offered(&mut stepped, am), [(number, 1024)], "its AM");
        let priority = if number < 2 { 1 } else { 0 };
        ask_for(&mut stepped, &app, vec![of_size(1024, 1).with_priority(priority)]);
        let served = offered(&mut stepped, other);
        assert_eq!(served, [(number, 1024)], "the AM share is full, and not its concern any more");
        stepped.finish(&app).unwrap();
    }
}

/// What a worker has leased of an ask and not used is there for the others as soon as it has nothing more to do.
#[test]
fn what_one_worker_has_leased_another_one_finds() {
    let mut stepped = scheduler(2, "<queue name='q'/>", &[]);
    let small = stepped.add_node("n1", "/r1", Resource::new(1024, 1)).unwrap();
    let large = stepped.add_node("n2", "/r2", Resource::new(65536, 64)).unwrap();
    assert_ne!(small.worker(), large.worker());
    let app = submit(&mut stepped, 1, None);
    ask_for(&mut stepped, &app, vec![of_size(1024, 32)]);
    stepped.update_now();
    assert_eq!(offered(&mut stepped, &small), [(1, 1024)], "its worker has leased more than this one");
    for _ in 0..31 {
        assert_eq!(offered(&mut stepped, &large), [(1, 1024)], "all that is asked for can be had");
    }
}

/// Two workers with a node each; an application that has asked for one container and got it from the first node, after
/// which the worker of the second has found nothing left.
fn found_nothing_left() -> (Stepped, AppHandle, [NodeHandle; 2]) {
    let mut stepped = scheduler(2, "<queue name='q'/>", &[]);
    let nodes =
        ["1", "2"].map(|i| stepped.add_node(&format!("n{i}"), &format!("/r{i}"), Resource::new(65536, 64)).unwrap());
    assert_ne!(nodes[0].worker(), nodes[1].worker());
    let app = submit(&mut stepped, 1, None);
    ask_for(&mut stepped, &app, vec![of_size(1024, 4)]);
    stepped.update_now();
    // It stays pending: what is demanded is of the last update.
    ask_for(&mut stepped, &app, vec![of_size(1024, 1)]);
    assert_eq!(offered(&mut stepped, &nodes[0]), [(1, 1024)]);
    assert_eq!(offered(&mut stepped, &nodes[1]), []);
    (stepped, app, nodes)
}

/// A worker that has found nothing left serves again as soon as the AM has asked: no update comes in between, and no
/// fold.
#[test]
fn who_has_found_nothing_left_serves_what_is_asked_next() {
    let (mut stepped, app, [first, second]) = found_nothing_left();
    let folds = stepped.stats().folds;
    for _ in 0..3 {
        ask_for(&mut stepped, &app, vec![of_size(1024, 1)]);
        assert_eq!(offered(&mut stepped, &second), [(1, 1024)]);
        assert_eq!(offered(&mut stepped, &first), [], "one was asked for");
    }
    ask_for(&mut stepped, &app, vec![of_size(1024, 0)]);
    assert_eq!([offered(&mut stepped, &first), offered(&mut stepped, &second)], [[], []]);
    ask_for(&mut stepped, &app, vec![of_size(1024, 2)]);
    assert_eq!(offered(&mut stepped, &second), [(1, 1024)]);
    assert_eq!(stepped.stats().folds, folds);
}

/// The same where a unit comes back: of a container that ended before its AM saw it.
#[test]
fn who_has_found_nothing_left_serves_what_comes_back() {
    let (mut stepped, _, [first, second]) = found_nothing_left();
    let folds = stepped.stats().folds;
    stepped.remove_node(&first).unwrap();
    assert_eq!(offered(&mut stepped, &second), [(1, 1024)]);
    assert_eq!(offered(&mut stepped, &second), []);
    assert_eq!(stepped.stats().folds, folds);
}

/// An AM that replaces the counts of nodes and racks at each call, as one with tasks near their data does: each node's
/// owner sees what is wanted there, and serves no more than that.
#[test]
fn counts_of_nodes_are_replaced_under_their_owners() {
    let mut stepped = scheduler(2, "<queue name='q'/>", &[]);
    let nodes = ["1", "2"].map(|i| {
        ["a", "b"]
            .map(|name| stepped.add_node(&format!("n{i}{name}"), &format!("/r{i}"), Resource::new(65536, 64)).unwrap())
    });
    assert_ne!(nodes[0][0].worker(), nodes[1][0].worker());
    let app = submit(&mut stepped, 1, None);
    let call = |stepped: &mut Stepped, of_nodes: [[u32; 2]; 2]| {
        let mut asks = Vec::new();
        for (i, of_rack) in (1..).zip(of_nodes) {
            for (name, count) in ["a", "b"].iter().zip(of_rack) {
                asks.push(of_size(1024, count).at(stepped.location(&format!("n{i}{name}"))));
            }
            asks.push(of_size(1024, of_rack.iter().sum()).strict().at(stepped.location(&format!("/r{i}"))));
        }
        asks.push(of_size(1024, of_nodes.iter().flatten().sum()).strict());
        ask_for(stepped, &app, asks);
    };
    let served = |stepped: &mut Stepped| {
        nodes.each_ref().map(|of_rack| {
            of_rack
                .each_ref()
                .map(|node| u32::try_from(std::iter::from_fn(|| offered(stepped, node).pop()).count()).unwrap())
        })
    };
    // Once for each place: from then on it is known.
    call(&mut stepped, [[9, 9], [9, 9]]);
    stepped.update_now();
    for wanted in [[[1, 0], [0, 2]], [[0, 3], [1, 0]], [[2, 2], [2, 2]], [[0, 0], [0, 1]]] {
        call(&mut stepped, wanted);
        assert_eq!(served(&mut stepped), wanted);
    }
}

/// What is larger than any node is refused, or, where the embedder checks sizes itself, waits for a larger node.
#[test]
fn the_largest_node_counts_unless_the_embedder_says_no() {
    for counts in [true, false] {
        let settings = Settings::builder().maximum_allocation(8192, 8).build().unwrap();
        let mut stepped = FairScheduler::builder().settings(settings).largest_node(counts).stepped().unwrap();
        stepped.add_node("n1", "/r", Resource::new(2048, 8)).unwrap();
        let app = submit(&mut stepped, 1, None);
        let request = AllocateRequest::new([of_size(3072, 1)]);
        let outcome = stepped.allocate(&app, &request, &mut Allocation::default());
        assert_eq!(outcome.is_ok(), !counts, "{outcome:?}");
        let large = stepped.add_node("n2", "/r", Resource::new(4096, 8)).unwrap();
        stepped.update_now();
        stepped.heartbeat(Heartbeat::new(&large));
        let mut answer = Allocation::default();
        stepped.allocate(&app, &AllocateRequest::default(), &mut answer).unwrap();
        assert_eq!(answer.granted.len(), usize::from(!counts));
        let too_large = stepped.allocate(&app, &AllocateRequest::new([of_size(9000, 1)]), &mut answer);
        assert!(too_large.is_err(), "beyond the configured maximum");
    }
}

/// A container says how near it is to what was asked for, also when its ask has a request id, and when a next attempt
/// keeps it.
#[test]
fn a_container_has_its_locality() {
    for request_id in [0, 7] {
        let mut stepped = scheduler(1, "", &[]);
        let nodes = [("n1", "/r1"), ("n2", "/r1"), ("n3", "/r2")]
            .map(|(name, rack)| stepped.add_node(name, rack, Resource::new(1024, 1)).unwrap());
        let app = submit(&mut stepped, 1, None);
        let places = ["n1", "/r1"].map(|name| stepped.location(name));
        let rows = places.iter().map(|place| of_size(1024, 3).at(*place)).chain([of_size(1024, 3)]);
        ask_for(&mut stepped, &app, rows.map(|ask| ask.with_request_id(request_id)));
        stepped.update_now();
        let mut answer = Allocation::default();
        for (node, near) in nodes.iter().zip([Locality::Node, Locality::Rack, Locality::OffSwitch]) {
            stepped.heartbeat(Heartbeat::new(node));
            stepped.allocate(&app, &AllocateRequest::default(), &mut answer).unwrap();
            let granted: Vec<_> =
                answer.granted.iter().map(|c| (c.node, c.locality, c.allocation_request_id)).collect();
            assert_eq!(granted, [(node.id(), near, request_id)]);
            let mut report = Heartbeat::new(node);
            report.add_launched([answer.granted[0].id]);
            stepped.heartbeat(report);
        }
        let next = stepped.new_attempt(&app, NewAttempt::default().keep_containers(true)).unwrap();
        let mut kept: Vec<_> = next.kept_containers().iter().map(|container| container.locality).collect();
        kept.sort_unstable();
        assert_eq!(kept, [Locality::Node, Locality::Rack, Locality::OffSwitch]);
    }
}

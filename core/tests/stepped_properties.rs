//! Random clusters, queues and operations on the stepped scheduler, every book compared after every step.
//!
//! The numbers I1 … I13 are those of the invariants in `docs/concurrency.md`.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

mod harness;
mod machine;

use evenweave::SchedulerApi as _;
use evenweave::testing::ByNumber as _;
use evenweave::{AllocateRequest, Allocation, Ask, FairScheduler, Heartbeat, Resource, Stepped, Submission};
use evenweave_testkit::{allocations, settings};
use harness::Case;
use machine::{EFFECTS, Machine};

/// I1, I2, I3, I4, I5, I10 and I13 with one worker, at every step; nothing remains at the end. And the trees choose
/// what sorting anew for every container chooses: containers, reservations, refusals, shares, headroom, all that can be
/// seen.
#[test]
fn kept_order_decides_as_sorting_anew() {
    Machine { name: "one worker, against sorting anew", part: 50, workers: 1..=1, least: &EFFECTS }
        .run(|case| case.twins_agree(true));
}

/// The same invariants with several workers, which hold leases and see each other's grants late.
#[test]
fn books_balance_with_several_workers() {
    Machine { name: "several workers, against the books", part: 30, workers: 2..=4, least: &EFFECTS }
        .run(Case::books_balance);
}

/// I11: same inputs, same outputs. Several workers on one thread are no exception.
#[test]
fn same_inputs_same_outputs() {
    Machine { name: "twice the same", part: 10, workers: 1..=3, least: &[] }.run(|case| case.twins_agree(false));
}

/// I7: without limits, with room and time, every ask that is not tied to a place is granted in full, whatever
/// happened before; I3's "exactly k".
#[test]
fn what_can_be_served_is_served() {
    Machine { name: "without limits, served in the end", part: 10, workers: 1..=4, least: &[] }
        .run(Case::all_is_served);
}

/// I7 under limits: once all nodes have been offered, nobody waits whose asks fit a node and whose queues have room.
#[test]
fn nobody_waits_who_could_be_served() {
    const LEAST: [(&str, u64); 1] = [("waiting at the end", 20)];
    Machine { name: "with limits, who waits in the end", part: 10, workers: 1..=4, least: &LEAST }
        .run(Case::nobody_waits);
}

/// An application without an AM that asks for one container of so many MB at each of the priorities.
fn submit_asking(stepped: &mut Stepped, number: u32, queue: &str, asks: &[(i32, i64)]) {
    let submission = Submission::new(number, "ann").in_queue(queue);
    let app = stepped.submit(submission).unwrap();
    let asks: Vec<_> = asks.iter().map(|(priority, mb)| Ask::anywhere(*priority, Resource::new(*mb, 1), 1)).collect();
    stepped.allocate(&app, &AllocateRequest::new(asks), &mut Allocation::default()).unwrap();
}

/// Demand in an update counts what all workers did. A worker that compares it with its own, older view of usage sees
/// nothing pending where the difference happens to be nothing, and leaves room unused (I7).
#[test]
fn an_update_lets_every_worker_see_what_ended_elsewhere() {
    let mut stepped = FairScheduler::builder().workers(2).journal(true).stepped().unwrap();
    let [here, there] =
        ["/r0", "/r1"].map(|rack| stepped.add_node(&format!("n{rack}"), rack, Resource::new(8192, 8)).unwrap());
    assert_ne!(here.worker(), there.worker());
    submit_asking(&mut stepped, 1, "root.q", &[(1, 1024)]);
    stepped.update_now();
    stepped.heartbeat(Heartbeat::new(&there));
    // Long enough for the first worker to have learnt of the second's grant, which is undone at once.
    stepped.advance(1000);
    stepped.update_now();
    stepped.remove_node(&there).unwrap();
    stepped.take_journal();
    stepped.update_now();
    stepped.heartbeat(Heartbeat::new(&here));
    assert_eq!(stepped.take_journal().allocated.len(), 1);
}

/// A worker that does not know yet how full a parent queue is has its grants refused there, and takes no room of the
/// leaf by them (I7): what is free again can be had.
#[test]
fn who_is_refused_above_takes_no_room_below() {
    let text = "<allocations><queue name='p'><maxResources>4096 mb, 4 vcores</maxResources>
        <queue name='here'><maxResources>4096 mb, 4 vcores</maxResources></queue><queue name='there'/></queue></allocations>";
    let builder = FairScheduler::builder().allocations(allocations(text)).workers(2).fold_every(1000);
    let mut stepped = builder.journal(true).stepped().unwrap();
    let nodes = ["here", "there"].map(|at| stepped.add_node(at, &format!("/{at}"), Resource::new(8192, 8)).unwrap());
    assert_ne!(nodes[0].worker(), nodes[1].worker());
    let apps = ["here", "there"].map(|at| {
        let (number, queue) = (u32::from(at == "there"), Some(format!("root.p.{at}")));
        let app = stepped.submit(Submission::new(number, "ann").maybe_in_queue(queue)).unwrap();
        let any = Ask::anywhere(1, Resource::new(1024, 1), 4).strict();
        let rack = any.at(stepped.location(&format!("/{at}"))).relaxed(true);
        let request = AllocateRequest::new([rack, any]);
        stepped.allocate(&app, &request, &mut Allocation::default()).unwrap();
        app
    });
    stepped.update_now();
    let grants = |stepped: &mut Stepped, node: usize| {
        stepped.take_journal();
        (0..4).for_each(|_| stepped.heartbeat(Heartbeat::new(&nodes[node])));
        stepped.take_journal().allocated.len()
    };
    assert_eq!(grants(&mut stepped, 1), 4, "the parent is full");
    assert_eq!(grants(&mut stepped, 0), 0);
    assert!(stepped.stats().refused > 0, "it was tried");
    stepped.finish(&apps[1]).unwrap();
    stepped.update_now();
    assert_eq!(grants(&mut stepped, 0), 4, "a refused grant has left no trace");
}

/// An application declines for its first key, which no longer fits the node; once another's container has brought the
/// queue nearer to its limit the first key is passed over, and the second one fits. Within one pass.
#[test]
fn who_declined_may_accept_later_in_a_pass() {
    let properties = [
        ("yarn.scheduler.fair.assignmultiple", "true"),
        ("yarn.scheduler.fair.dynamic.max.assign", "false"),
        ("yarn.scheduler.fair.reservable-nodes", "0"),
    ];
    let text = "<allocations><queue name='q'><schedulingPolicy>fifo</schedulingPolicy>\
        <maxResources>5120 mb, 8 vcores</maxResources></queue></allocations>";
    for resort in [false, true] {
        let builder = FairScheduler::builder().settings(settings(&properties)).allocations(allocations(text));
        let mut stepped = builder.journal(true).resort_for_each_container(resort).stepped().unwrap();
        let node = stepped.add_node("n1", "/r1", Resource::new(4096, 8)).unwrap();
        submit_asking(&mut stepped, 1, "root.other", &[(1, 1024)]);
        stepped.update_now();
        stepped.heartbeat(Heartbeat::new(&node));
        submit_asking(&mut stepped, 2, "root.q", &[(1, 4096), (2, 1024)]);
        submit_asking(&mut stepped, 3, "root.q", &[(1, 2048)]);
        stepped.update_now();
        stepped.take_journal();
        stepped.heartbeat(Heartbeat::new(&node));
        let made: Vec<_> = stepped.take_journal().allocated.iter().map(|made| (made.app, made.priority)).collect();
        assert_eq!(made, [(3, 1), (2, 2)], "resort {resort}");
    }
}

/// Asks of one key may differ in size. What a lost container was taken from comes back as it was: the demand is that of
/// the `*` ask, whatever the container's size.
#[test]
fn what_comes_back_has_the_sizes_that_were_asked() {
    let mut stepped = FairScheduler::builder().journal(true).stepped().unwrap();
    let node = stepped.add_node("n1", "/r1", Resource::new(8192, 8)).unwrap();
    let submission = Submission::new(1, "ann").in_queue("root.q");
    let app = stepped.submit(submission).unwrap();
    let on = |location, mb| Ask::anywhere(1, Resource::new(mb, 1), 1).at(location);
    let asks = vec![on(stepped.location("/r1"), 3072), on(stepped.location("*"), 1024)];
    stepped.allocate(&app, &AllocateRequest::new(asks), &mut Allocation::default()).unwrap();
    stepped.update_now();
    stepped.heartbeat(Heartbeat::new(&node));
    assert_eq!(stepped.take_journal().allocated[0].resource, Resource::new(3072, 1));
    stepped.remove_node(&node).unwrap();
    assert_eq!(stepped.apps()[0].outstanding, Resource::new(1024, 1));
}

/// A reservation is fulfilled in its own size; if that container is lost, what the AM asked last comes back.
#[test]
fn a_fulfilled_reservation_gives_the_present_ask_back() {
    let properties = [("yarn.scheduler.fair.reservable-nodes", "1.0")];
    let mut stepped = FairScheduler::builder().settings(settings(&properties)).journal(true).stepped().unwrap();
    let node = stepped.add_node("n1", "/r1", Resource::new(4096, 4)).unwrap();
    submit_asking(&mut stepped, 1, "root.q", &[(1, 4096)]);
    stepped.update_now();
    stepped.heartbeat(Heartbeat::new(&node));
    submit_asking(&mut stepped, 2, "root.r", &[(1, 4096)]);
    stepped.update_now();
    stepped.heartbeat(Heartbeat::new(&node));
    assert_eq!(stepped.take_journal().reserved.len(), 1);
    stepped.allocate_numbered(2, &[Ask::anywhere(1, Resource::new(2048, 1), 1)], &[], &[]).unwrap();
    stepped.complete_numbered(1, 1).unwrap();
    stepped.heartbeat(Heartbeat::new(&node));
    assert_eq!(stepped.take_journal().allocated.iter().map(|made| made.app).collect::<Vec<_>>(), [2]);
    stepped.remove_node(&node).unwrap();
    assert_eq!(stepped.apps()[1].outstanding, Resource::new(2048, 1));
}

/// A container of size zero counts as nothing for the pass, but each descent of the pass makes another.
#[test]
fn containers_of_size_zero_are_made_once_a_descent() {
    let properties = [
        ("yarn.scheduler.fair.assignmultiple", "true"),
        ("yarn.scheduler.fair.dynamic.max.assign", "false"),
        ("yarn.scheduler.fair.max.assign", "3"),
        ("yarn.scheduler.minimum-allocation-mb", "0"),
        ("yarn.scheduler.minimum-allocation-vcores", "0"),
    ];
    for resort in [false, true] {
        let builder = FairScheduler::builder().settings(settings(&properties)).journal(true);
        let mut stepped = builder.resort_for_each_container(resort).stepped().unwrap();
        let node = stepped.add_node("n1", "/r1", Resource::new(8192, 8)).unwrap();
        for (number, queue, size) in [(1, "root.a", Resource::ZERO), (2, "root.b", Resource::new(1024, 1))] {
            // What makes the first one pending is never placed: it is strict, and names no rack.
            submit_asking(&mut stepped, number, queue, &[]);
            let strict = Ask::anywhere(1, Resource::new(1024, 1), 1).strict();
            stepped.allocate_numbered(number, &[strict, Ask::anywhere(2, size, 5)], &[], &[]).unwrap();
        }
        stepped.update_now();
        stepped.heartbeat(Heartbeat::new(&node));
        let made: Vec<_> = stepped.take_journal().allocated.iter().map(|made| made.app).collect();
        assert_eq!(made, [1, 2, 1, 2, 1, 2], "resort {resort}");
    }
}

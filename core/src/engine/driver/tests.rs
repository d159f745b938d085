//! The driver and the control over real lanes, a step at a time.

mod asks;

use super::runner::{Runner, Running, TrackedWorker, WorkerLanes, answer_until_shutdown, recover};
use super::setup::Setup;
use super::threads::{Threads, quiesce};
use crate::app::Ask;
use crate::clock::VirtualClock;
use crate::config::AllocationFile;
use crate::engine::books::ledger::AppShared;
use crate::engine::decider::{Decider, UpdateTask};
use crate::engine::edge::allocate::{AllocateRequest, Allocation, collect, send_changes};
use crate::engine::intake::inbox::{BATCH, LONG_LANE};
use crate::engine::intake::reply::once;
use crate::engine::intake::reply::{Reply, reply};
use crate::engine::intake::submission::{NewAttempt, Submission};
use crate::engine::intake::to_control::{ControlMessage, NewNode};
use crate::engine::intake::to_worker::{External, Parcel, Recovery};
use crate::engine::mail::container::RecoveredContainer;
use crate::engine::shard::Shard;
use crate::engine::shared::Shared;
use crate::engine::threads::tasks::spawn;
use crate::event::Refused;
use crate::event::refused::TryAgain;
use crate::fair::control::FairControl;
use crate::fair::{AtRest, Control, FairDecider, Internal, Stepper};
use crate::resource::Resource;
use crate::sync::Arc;
use crate::sync::channel::{Sender, bounded, select, unbounded};
use std::time::Duration;

fn parts() -> AtRest {
    parts_of(1)
}

fn parts_of(workers: usize) -> AtRest {
    AtRest::new(setup(workers))
}

pub(crate) fn setup(workers: usize) -> Setup<FairDecider> {
    setup_with(crate::config::Settings::default(), workers)
}

pub(crate) fn setup_with(settings: crate::config::Settings, workers: usize) -> Setup<FairDecider> {
    let decider = FairDecider { settings, ..FairDecider::default() };
    Setup {
        settings: decider.engine_settings(),
        control: FairControl::new(Vec::new()),
        configuration: AllocationFile::default(),
        events: crate::engine::threads::events::events(1).0,
        groups: Arc::new(std::collections::HashMap::new()),
        groups_timeout: Duration::MAX,
        workers,
        channel_capacity: 16,
        cluster_timestamp: 1,
        epoch: 0,
        node_stops: false,
        largest_node: true,
        clock: Arc::new(VirtualClock::new()),
        on_grants: None,
        probe: None,
        journal: true,
        note_reservations: false,
        decider,
        timers: true,
        fold_every: None,
        slack: None,
    }
}

fn runner<D: Decider>(shard: Shard<D>, lanes: WorkerLanes<D>, shared: &Arc<Shared<D>>) -> Runner<D> {
    Runner::new(shard, lanes, shared.clone(), crate::engine::threads::events::events(1).0)
}

pub(crate) fn submit(control: &mut Control, number: u32, queue: &str, am: Option<Resource>) -> Arc<AppShared> {
    control.submit(&Submission::new(number, "ann").in_queue(queue).maybe_with_am(am)).unwrap()
}

pub(crate) fn add_node(control: &mut Control) {
    let spec = NewNode::new("n1", "/r1", Resource::new(8192, 8));
    control.add_node(&spec).unwrap();
}

/// An application asks for one small container and, offered the first node, gets it.
fn grant_one(stepper: &mut Stepper, app: &Arc<AppShared>) {
    let request =
        AllocateRequest { asks: vec![Ask::anywhere(1, Resource::new(1024, 1), 1)], ..AllocateRequest::default() };
    send_changes(stepper.shared(), app, &request).unwrap();
    stepper.pump();
    stepper.update();
    stepper.shard(0).schedule(0);
}

/// What a queue of the newest structure uses; `None` where there is none of the name.
fn usage_of(stepper: &Stepper, name: &str) -> Option<Resource> {
    let structure = &stepper.shared().publisher.load().structure;
    structure.queues.iter().flatten().find(|queue| &*queue.name == name).map(|queue| queue.shared.usage())
}

/// What is in a worker's internal lane, worked off by hand: no snapshot is taken in between.
fn process(parts: &mut AtRest, worker: usize) {
    let (shard, lanes) = &mut parts.shards[worker];
    while let Ok(mut message) = lanes.internal.try_recv() {
        shard.handle_internal(&mut message);
    }
    while let Ok(message) = parts.control_lane.try_recv() {
        parts.control.handle(message);
    }
}

/// The system refuses the thread of the second worker: the first one's ends with the error.
#[test]
fn threads_end_when_a_later_one_cannot_be_started() {
    let parts = parts_of(2);
    let shared = parts.shared.clone();
    let run = |worker, runner| match worker {
        0 => Running::start(worker, runner),
        _ => Err(std::io::Error::other("no thread is left")),
    };
    assert!(Threads::start_with(parts, run).is_err());
    assert_eq!(Arc::strong_count(&shared), 1, "a thread would hold it");
}

/// A slot is used again while a worker has yet to take the structure that shows its last application: when that
/// structure comes, the first request of the new one stays (I13).
#[test]
fn an_application_of_before_does_not_come_after_the_one_in_its_slot() {
    let mut parts = parts();
    add_node(&mut parts.control);
    parts.control.publish();
    process(&mut parts, 0);
    parts.shards[0].0.sync();
    let old = submit(&mut parts.control, 1, "root.q", None);
    parts.control.publish();
    parts.control.begin_finish(&old, None).unwrap();
    process(&mut parts, 0);
    let new = submit(&mut parts.control, 2, "root.q", Some(Resource::new(1024, 1)));
    assert_eq!((old.slot.index, new.slot.index), (0, 0));
    process(&mut parts, 0);
    parts.shards[0].0.sync();
    parts.control.publish();
    let mut stepper = Stepper::new(parts);
    stepper.update();
    stepper.shard(0).schedule(0);
    assert_eq!(stepper.shard(0).take_step_record().allocated.len(), 1, "the AM has its container");
}

/// A worker never has a node without what runs on it: both come in one message (I1).
#[test]
fn a_node_and_what_runs_on_it_come_together() {
    let mut parts = parts();
    let app = parts.control.submit(&Submission::new(1, "ann").recovered_in("root.q")).unwrap();
    let whole = Resource::new(8192, 8);
    let (reply, answer) = reply();
    let running = vec![Recovery { app, container: RecoveredContainer::new(1, 1, whole), reply }];
    let node = parts.control.add_node_with(&NewNode::new("n1", "/r1", whole), running).unwrap();
    let (shard, lanes) = &mut parts.shards[0];
    while let Ok(mut message) = lanes.internal.try_recv() {
        shard.handle_internal(&mut message);
        if let Some(place) = shard.place_of(&node) {
            assert_eq!(shard.nodes[place as usize].free, Resource::ZERO);
        }
    }
    assert!(shard.place_of(&node).is_some());
    assert_eq!(answer.try_take().unwrap().unwrap().number(), 1);
}

/// A node that goes and comes leaves no records behind: those that were made for it are there for the next.
#[test]
fn records_are_made_once_for_a_node_that_goes_and_comes() {
    let mut parts = parts();
    let made = |parts: &AtRest| parts.shards[0].0.containers.made();
    for _ in 0..20 {
        let spec = NewNode::new("n1", "/r1", Resource::new(8192, 8));
        let node = parts.control.add_node(&spec).unwrap();
        process(&mut parts, 0);
        assert_eq!(made(&parts), 8, "one node is there at a time, and so many of the minimum fit it");
        parts.control.begin_remove_node(&node, None).unwrap();
        process(&mut parts, 0);
    }
}

/// One publish shows a queue, its parent and who was moved into it: usage goes along (I4). Until then the AM is told
/// to try again.
#[test]
fn a_move_into_a_queue_as_new_as_its_parent() {
    let mut stepper = Stepper::new(parts());
    add_node(stepper.control());
    let app = submit(stepper.control(), 1, "root.q", None);
    stepper.pump();
    grant_one(&mut stepper, &app);
    submit(stepper.control(), 2, "root.x.y", None);
    stepper.control().move_app(&app, "root.x.y").unwrap();
    let mut answer = Allocation::default();
    assert_eq!(collect(stepper.shared(), &app, &mut answer), Err(Refused::TryAgain(TryAgain::Busy)));
    stepper.pump();
    collect(stepper.shared(), &app, &mut answer).unwrap();
    assert_eq!(answer.granted.len(), 1);
    assert_eq!(usage_of(&stepper, "root.q"), Some(Resource::ZERO));
    for name in ["root", "root.x", "root.x.y"] {
        assert_eq!(usage_of(&stepper, name), Some(Resource::new(1024, 1)), "{name}");
    }
}

/// A move and a new attempt that keeps containers, in one batch of the control, then the clean-up that takes the old
/// queue away: what is kept counts in the new queue, once (I4).
#[test]
fn a_move_and_a_new_attempt_in_one_batch() {
    let mut stepper = Stepper::new(parts());
    add_node(stepper.control());
    submit(stepper.control(), 2, "root.b", None);
    let app = submit(stepper.control(), 1, "root.a", None);
    stepper.pump();
    grant_one(&mut stepper, &app);
    let mut answer = Allocation::default();
    collect(stepper.shared(), &app, &mut answer).unwrap();
    let record = answer.granted[0].id.record;
    stepper.shard(0).launch(record);
    stepper.control().move_app(&app, "root.b").unwrap();
    let new = NewAttempt { am: None, keep_containers: true };
    stepper.control().begin_next_attempt(&app, new, None).unwrap();
    // The worker comes first, as it can on a thread of its own.
    let (shard, lanes) = &mut stepper.parts.shards[0];
    while let Ok(mut message) = lanes.internal.try_recv() {
        shard.handle_internal(&mut message);
    }
    stepper.control().handle(ControlMessage::CleanUp);
    stepper.control().publish();
    stepper.shard(0).sync();
    stepper.pump();
    let next = stepper.control().restarted.take().unwrap().unwrap();
    assert_eq!(next.usage(), Resource::new(1024, 1));
    assert_eq!(usage_of(&stepper, "root.a"), None);
    for name in ["root", "root.b"] {
        assert_eq!(usage_of(&stepper, name), Some(Resource::new(1024, 1)), "{name}");
    }
    stepper.shard(0).complete(record);
    stepper.pump();
    for name in ["root", "root.b"] {
        assert_eq!(usage_of(&stepper, name), Some(Resource::ZERO), "{name}");
    }
}

/// Who waits for quiet and sends on has that decided under what was published before.
#[test]
fn at_a_barrier_a_worker_takes_over_what_is_published() {
    let mut parts = parts();
    submit(&mut parts.control, 1, "root.q", None);
    parts.control.publish();
    let (reply, answered) = unbounded();
    let shard = &mut parts.shards[0].0;
    shard.handle_internal(&mut Internal::Barrier(reply));
    assert!(answered.try_recv().is_ok());
    assert!(Arc::ptr_eq(&parts.shared.publisher.load(), &shard.snapshot));
}

/// An update that a change of the cluster wakes has to find the change: it is woken after the publish, not before.
#[test]
fn the_update_is_woken_once_there_is_something_to_see() {
    let mut parts = parts();
    let (wake, woken) = bounded(1);
    parts.control.set_wake_update(wake);
    add_node(&mut parts.control);
    assert!(woken.try_recv().is_err());
    parts.control.publish();
    assert!(woken.try_recv().is_ok());
    assert_eq!(parts.shared.publisher.load().structure.nodes, 1);
    parts.control.publish();
    assert!(woken.try_recv().is_err(), "once");
}

/// An AM that fits is refused because its application has been moved, which its worker has not heard of: its share is
/// counted nowhere (I4, I7).
#[test]
fn an_am_that_is_refused_for_a_move_counts_nowhere() {
    let mut parts = parts();
    add_node(&mut parts.control);
    let app = submit(&mut parts.control, 1, "root.q", Some(Resource::new(1024, 1)));
    parts.control.publish();
    let mut stepper = Stepper::new(parts);
    stepper.pump();
    stepper.update();
    let structure = stepper.shared().publisher.load().structure.clone();
    let here = structure.queue(app.queue());
    let elsewhere = structure.queues.iter().flatten().find(|queue| queue.slot != here.slot).unwrap();
    assert_eq!(app.move_to(elsewhere.slot.index), Resource::ZERO, "it has none yet");
    stepper.shard(0).schedule(0);
    assert!(stepper.shard(0).take_step_record().allocated.is_empty(), "it is refused");
    assert_eq!(here.shared.am_usage.read(), Resource::ZERO);
    app.move_to(here.slot.index);
    stepper.shard(0).schedule(0);
    assert_eq!(stepper.shard(0).take_step_record().allocated.len(), 1, "there it has its place");
    assert_eq!(here.shared.am_usage.read(), Resource::new(1024, 1));
}

/// Each worker counts a queue's usage in a cell of its own: nobody else writes it.
#[test]
fn each_worker_writes_its_own_cells() {
    let mut parts = parts_of(2);
    submit(&mut parts.control, 1, "root.q", None);
    parts.control.publish();
    for (shard, _) in &mut parts.shards {
        shard.sync();
    }
    let structure = parts.shared.publisher.load().structure.clone();
    let leaf = structure.queues.iter().flatten().find(|queue| &*queue.name == "root.q").unwrap();
    let of = |worker: usize| Resource::new(1024, 1).times_int(1 + i64::try_from(worker).unwrap());
    for worker in 0..2 {
        parts.shards[worker].0.add_queue_usage(leaf.slot.index, &of(worker));
    }
    for queue in structure.path(leaf.slot.index) {
        assert_eq!([0, 1].map(|worker| queue.shared.cells[worker].usage.read()), [of(0), of(1)]);
    }
}

/// The second phase of an end waits for all workers: until the last of them has ended what it has, the application
/// stays in its queue and in its slot (I13).
#[test]
fn an_application_goes_when_the_last_worker_has_ended_it() {
    let mut parts = parts_of(3);
    let app = submit(&mut parts.control, 1, "root.q", None);
    parts.control.begin_finish(&app, None).unwrap();
    for worker in 0..3 {
        assert!(parts.control.find_app(1).is_some(), "worker {worker} has yet to end it");
        process(&mut parts, worker);
    }
    assert!(parts.control.find_app(1).is_none());
}

/// Back pressure: while one worker is far behind with what the others tell it, none takes more from the embedder.
#[test]
fn nothing_external_is_taken_while_an_internal_lane_is_long() {
    let mut parts = parts_of(2);
    let shared = parts.shared.clone();
    let (shard, lanes) = parts.shards.remove(0);
    let (_, behind) = &parts.shards[0];
    for _ in 0..=LONG_LANE {
        shared.lanes.internal[1].send(Internal::TakeSnapshot).unwrap();
    }
    let (reply, taken) = unbounded();
    shared.lanes.external[0].send(Parcel::of(External::Barrier(reply))).unwrap();
    let its = shared.clone();
    let worker = spawn("worker".to_owned(), move || runner(shard, lanes, &its).run()).unwrap();
    // Many turns of its loop.
    for _ in 0..100 {
        let (reply, answered) = unbounded();
        shared.lanes.internal[0].send(Internal::Barrier(reply)).unwrap();
        answered.recv().unwrap();
    }
    assert!(taken.try_recv().is_err(), "the pressure goes to the callers");
    while behind.internal.try_recv().is_ok() {}
    taken.recv().unwrap();
    shared.lanes.internal[0].send(Internal::Shutdown).unwrap();
    worker.join().unwrap();
}

/// A worker ends after it has worked off what was accepted before it was told (I9).
#[test]
fn a_worker_that_is_to_end_works_off_what_was_accepted() {
    // More than it takes at once.
    const MANY: usize = 3 * BATCH;
    let mut parts = AtRest::new(Setup { channel_capacity: MANY, ..setup(1) });
    let shared = parts.shared.clone();
    let (shard, lanes) = parts.shards.remove(0);
    let (reply, taken) = unbounded();
    shared.lanes.internal[0].send(Internal::Shutdown).unwrap();
    for _ in 0..MANY {
        shared.lanes.external[0].send(Parcel::of(External::Barrier(reply.clone()))).unwrap();
        shared.lanes.internal[0].send(Internal::Barrier(reply.clone())).unwrap();
    }
    runner(shard, lanes, &shared).run();
    assert_eq!(taken.try_iter().count(), 2 * MANY);
}

/// What was sent to a worker's internal lane before the embedder sent something is worked off before it.
#[test]
fn what_was_sent_inside_earlier_comes_first() {
    let mut parts = parts();
    let shared = parts.shared.clone();
    let (shard, mut lanes) = parts.shards.remove(0);
    let (reply, order) = unbounded();
    // Both answer into one channel; which of them has, its length tells.
    shared.lanes.internal[0].send(Internal::Barrier(reply)).unwrap();
    let (last, answered) = unbounded();
    lanes.take_external(Parcel::of(External::Barrier(last)), &mut TrackedWorker::new(shard, shared.clone()));
    assert_eq!((order.len(), answered.len()), (1, 1));
}

/// What a caller is promised is in force when it is answered.
#[test]
fn who_is_answered_finds_what_was_promised() {
    /// An answer that looks at the newest structure when it is given; nobody waits for it, so it is let go then.
    struct Looks(Arc<Shared<FairDecider>>, Sender<usize>);
    impl Drop for Looks {
        fn drop(&mut self) {
            let queues = &self.0.publisher.load().structure.queues;
            self.1.send(queues.iter().flatten().filter(|queue| &*queue.name == "root.q").count()).unwrap();
        }
    }
    let mut parts = parts();
    let (seen, found) = unbounded();
    submit(&mut parts.control, 1, "root.q", None);
    parts.control.answer(once().0.into(), Looks(parts.shared.clone(), seen));
    parts.control.publish();
    assert_eq!(found.try_recv(), Ok(1));
}

/// After a panic of a worker the end of an application and the removal of a node come to their end all the same, and
/// quiet is reached.
#[test]
fn a_dead_worker_holds_up_nobody() {
    let mut parts = parts();
    add_node(&mut parts.control);
    let app = submit(&mut parts.control, 1, "root.q", None);
    let node = parts.control.all_nodes().next().unwrap().clone();
    parts.control.begin_finish(&app, None).unwrap();
    parts.control.begin_remove_node(&node, None).unwrap();
    let (reply, answered) = unbounded();
    let lanes = &parts.shared.lanes;
    lanes.external[0].send(Parcel::of(External::Barrier(reply.clone()))).unwrap();
    lanes.internal[0].send(Internal::Barrier(reply)).unwrap();
    lanes.internal[0].send(Internal::Shutdown).unwrap();
    let (shard, mut lanes) = parts.shards.pop().unwrap();
    answer_until_shutdown(&mut TrackedWorker::new(shard, parts.shared.clone()), &mut lanes);
    while let Ok(message) = parts.control_lane.try_recv() {
        parts.control.handle(message);
    }
    assert!(parts.control.find_app(1).is_none() && parts.control.all_nodes().next().is_none());
    assert!(answered.try_iter().count() >= 1);
}

/// A wake-up of an idle worker panics, with a message in hand: it is worked off all the same, and so a worker that is
/// told to stop then stops, whether it goes on after the panic or is given up.
#[test]
fn what_a_worker_holds_when_it_wakes_up_is_worked_off() {
    for given_up in [false, true] {
        let mut parts = parts();
        add_node(&mut parts.control);
        let node = parts.control.all_nodes().next().unwrap().clone();
        let (shard, mut lanes) = parts.shards.pop().unwrap();
        let mut worker = TrackedWorker::new(shard, parts.shared.clone());
        // As if `wake_up` had panicked with each of the two.
        let Ok(add) = lanes.internal.try_recv() else { panic!("the node was told of") };
        lanes.hold_inside(add);
        let (nodes, goes_on) = recover(&mut worker);
        assert!(nodes.is_empty() && goes_on, "the node has yet to come");
        lanes.take_held(&mut worker);
        assert_eq!(worker.shard.all_nodes().len(), 1);
        lanes.hold_inside(Internal::Shutdown);
        let (nodes, goes_on) = recover(&mut worker);
        assert_eq!((nodes.len(), nodes[0].id, goes_on), (1, node.id, true));
        if given_up {
            answer_until_shutdown(&mut worker, &mut lanes);
        } else {
            lanes.take_held(&mut worker);
            assert!(lanes.is_stopping());
            // And one that panics at what it had to work off before it stops.
            answer_until_shutdown(&mut worker, &mut lanes);
        }
    }
}

/// A node whose message panicked has its place all the same: those that come after it find theirs.
#[test]
fn a_node_that_never_came_leaves_its_place() {
    let mut parts = parts();
    for name in ["n1", "n2"] {
        let spec = NewNode::new(name, "/r1", Resource::new(8192, 8));
        parts.control.add_node(&spec).unwrap();
    }
    let (shard, mut lanes) = parts.shards.pop().unwrap();
    let mut worker = TrackedWorker::new(shard, parts.shared.clone());
    worker.inside = lanes.internal.try_recv().ok();
    let (nodes, goes_on) = recover(&mut worker);
    assert_eq!((nodes.len(), goes_on), (1, true), "its message was under way");
    lanes.batch(BATCH, &parts.shared.lanes.internal, &mut worker);
    let places: Vec<_> = worker.shard.all_nodes().iter().map(|node| (node.name.to_string(), node.local)).collect();
    assert_eq!(places, [("n2".to_owned(), 1)]);
}

/// Quiet is when over two rounds of barriers nobody has taken anything (I9).
#[test]
fn it_is_not_quiet_where_something_was_taken() {
    let parts = parts();
    // As where preemption is off.
    drop(parts.preemption_lane);
    let (shared, lanes) = (parts.shared.clone(), &parts.shards[0].1);
    let (ends, done) = bounded::<()>(0);
    let waits = shared.clone();
    let waiting = spawn("waiting".to_owned(), move || {
        quiesce(&waits, &crate::clock::Patience::endless()).unwrap();
        drop(ends);
    });
    let mut rounds = 0;
    loop {
        let reply: Reply<()> = select! {
            recv(lanes.external) -> message => {
                let message = message.map(Parcel::into_message);
                let Ok(External::Barrier(reply)) = message else { panic!("{message:?} is no barrier") };
                reply.into()
            },
            recv(lanes.internal) -> message => {
                let Ok(Internal::Barrier(reply)) = message else { panic!("{message:?} is no barrier") };
                reply.into()
            },
            recv(parts.control_lane) -> message => {
                let Ok(ControlMessage::Barrier(reply)) = message else { panic!("{message:?} is no barrier") };
                rounds += 1;
                // In the first round a message was taken.
                if rounds == 1 {
                    shared.control_handled.note();
                }
                reply
            },
            recv(done) -> _ => break,
            default(Duration::from_secs(60)) => panic!("after {rounds} rounds nobody asks any more"),
        };
        assert!(rounds < 10, "it is never quiet");
        reply.send(());
    }
    waiting.unwrap().join().unwrap();
    assert_eq!(rounds, 4, "two with a message, and two without");
}

/// What a reload changes is published at once, all of it (I6).
#[test]
fn a_reload_is_published_as_a_whole() {
    let mut parts = parts();
    let text = "<allocations><queue name='a'><maxResources>1024 mb, 1 vcores</maxResources></queue>
        <queue name='b'><weight>2</weight></queue></allocations>";
    let file = AllocationFile::parse(text, "allocations", &parts.shared.decider.settings.types, &[]).unwrap().file;
    let before = parts.shared.publisher.load();
    parts.control.take_reload(file).unwrap();
    assert!(Arc::ptr_eq(&before, &parts.shared.publisher.load()), "workers go on under the old file");
    parts.control.publish();
    let after = parts.shared.publisher.load();
    assert_eq!(after.version, before.version + 1, "one snapshot has all of it");
    let names: Vec<_> = after.structure.queues.iter().flatten().map(|queue| &*queue.name).collect();
    assert!(names.contains(&"root.a") && names.contains(&"root.b"));
}

/// A container that its node runs and its AM has never fetched is not the AM's to keep.
#[test]
fn what_was_never_acquired_is_not_handed_over() {
    let mut stepper = Stepper::new(parts());
    add_node(stepper.control());
    let app = submit(stepper.control(), 1, "root.q", None);
    stepper.pump();
    grant_one(&mut stepper, &app);
    stepper.shard(0).launch(0);
    let new = NewAttempt { am: None, keep_containers: true };
    stepper.control().begin_next_attempt(&app, new, None).unwrap();
    stepper.pump();
    let next = stepper.control().restarted.take().unwrap().unwrap();
    assert!(next.kept.get().unwrap().is_empty() && next.usage().is_zero());
}

#[test]
fn the_control_is_quiet_once_it_has_published() {
    let mut parts = parts();
    let (reply, answered) = unbounded();
    parts.control.handle(ControlMessage::Barrier(reply.into()));
    assert!(answered.try_recv().is_err());
    parts.control.publish();
    assert!(answered.try_recv().is_ok());
}

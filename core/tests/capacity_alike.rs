//! What the handle to a CapacityScheduler has as that to a FairScheduler has it: many submissions at once, handles that
//! are found again, waits with an end, wake-ups, workers on threads of the embedder's, views by number.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use evenweave::SchedulerApi as _;
use evenweave::reason::CapacityNotOffered;
use evenweave::refused::{AlreadyExists, Gone, Invalid, Limit, NotFound};
use evenweave::{
    AllocateRequest, Allocation, AppHandle, Ask, AskWarning, CapacityConfiguration, CapacityScheduler,
    CapacitySchedulerBuilder, CapacityStepped, Container, Heartbeat, Location, NewAttempt, NodeHandle, Refused,
    Resource, SchedulerEvent, Submission, WeakCapacityScheduler,
};
use evenweave_testkit::{SMALL, ask, capacity, event, poll, poll_until_idle, unmanaged, until, wait_for, within};
use std::future::Future;
use std::sync::{Arc, Mutex, mpsc};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::Duration;

const SHORT: Duration = Duration::from_millis(5);
const LONG: Duration = Duration::from_secs(3600);

const QUEUES: [(&str, &str); 7] = [
    ("yarn.scheduler.capacity.root.queues", "a,b"),
    ("yarn.scheduler.capacity.root.a.capacity", "50"),
    ("yarn.scheduler.capacity.root.b.capacity", "50"),
    ("yarn.scheduler.capacity.root.b.default-application-priority", "3"),
    ("yarn.scheduler.capacity.root.b.maximum-applications", "2"),
    ("yarn.scheduler.capacity.queue-mappings", "u:bob:b"),
    ("yarn.scheduler.capacity.maximum-am-resource-percent", "1"),
];

const SITE: [(&str, &str); 1] = [("yarn.cluster.max-application-priority", "10")];

fn builder() -> CapacitySchedulerBuilder {
    capacity(SITE, QUEUES)
}

fn submission(number: u32) -> Submission {
    unmanaged(number, "a")
}

fn add_node(scheduler: &CapacityScheduler) -> NodeHandle {
    scheduler.add_node("n1", "/r1", Resource::new(8192, 8)).unwrap()
}

/// Asks for one container; it is offered the node when this returns.
fn offer_one(scheduler: &CapacityScheduler, node: &NodeHandle, app: &AppHandle) {
    scheduler.allocate(app, &ask(1), &mut Allocation::default()).unwrap();
    scheduler.quiesce().unwrap();
    scheduler.heartbeat(Heartbeat::new(node)).unwrap();
}

fn one(scheduler: &CapacityScheduler, node: &NodeHandle, app: &AppHandle) -> Container {
    offer_one(scheduler, node, app);
    scheduler.quiesce().unwrap();
    poll(scheduler, app).granted[0]
}

#[test]
fn many_submissions_are_answered_in_their_order_and_once() {
    let scheduler = builder().timers(false).start().unwrap();
    let in_b = |number| Submission::new(number, "ann").in_queue("b");
    let all = vec![submission(1), in_b(2), submission(1), Submission::new(3, "ann").in_queue("c"), in_b(4), in_b(5)];
    let submitted = scheduler.submit_all(all).unwrap();
    scheduler.quiesce().unwrap();
    let answers = submitted.try_take().unwrap();
    let numbers: Vec<_> = answers.iter().map(|answer| answer.as_ref().map(AppHandle::number)).collect();
    assert!(
        matches!(
            numbers[..],
            [
                Ok(1),
                Ok(2),
                Err(Refused::AlreadyExists(AlreadyExists::App(1))),
                Err(Refused::NotFound(NotFound::Queue(_))),
                Ok(4),
                Err(Refused::Limit(Limit::QueueFull { applications: 2, .. }))
            ]
        ),
        "{numbers:?}"
    );
    let priorities: Vec<_> = scheduler.apps().unwrap().iter().map(|app| (app.number, app.priority)).collect();
    assert_eq!(priorities, [(1, 0), (2, 3), (4, 3)], "of its leaf queue each");
    assert!(submitted.try_take().is_none());
    assert_eq!(submitted.wait().map(drop), Err(Refused::Invalid(Invalid::AlreadyTaken)));
    let waits = scheduler.submit_all(vec![submission(6)]).unwrap();
    assert!(within("the answers", || waits.wait()).unwrap()[0].is_ok());
    let dropped = scheduler.submit_all(vec![submission(7)]).unwrap();
    within("the last handle", || drop(scheduler));
    assert!(dropped.wait().unwrap()[0].is_ok(), "it was worked off before the end");
}

#[test]
fn many_submissions_are_a_future_too() {
    let scheduler = builder().timers(false).start().unwrap();
    let mut submitted = Box::pin(scheduler.submit_all(vec![submission(1)]).unwrap());
    scheduler.quiesce().unwrap();
    let mut context = Context::from_waker(Waker::noop());
    let Poll::Ready(Ok(answers)) = submitted.as_mut().poll(&mut context) else { panic!("it is worked off") };
    assert_eq!(answers[0].as_ref().unwrap().number(), 1);
    assert!(matches!(submitted.as_mut().poll(&mut context), Poll::Ready(Err(Refused::Invalid(Invalid::AlreadyTaken)))));
    scheduler.shutdown().unwrap();
    assert_eq!(scheduler.submit_all(Vec::new()).map(drop), Err(Refused::Gone(Gone::ShutDown)));
}

/// Handles that were let go are had again, and end what they name; views by number and name.
#[test]
fn handles_and_views_are_found_by_number_and_name() {
    let scheduler = builder().timers(false).start().unwrap();
    drop(scheduler.submit_all(vec![submission(7)]).unwrap());
    let id = add_node(&scheduler).id();
    scheduler.quiesce().unwrap();
    let (app, node) = (scheduler.find_app(7).unwrap().unwrap(), scheduler.find_node_by_id(id).unwrap());
    assert_eq!((app.number(), node.name(), scheduler.find_node("n1")), (7, "n1", Some(node.clone())));
    one(&scheduler, &node, &app);
    let view = scheduler.app(7).unwrap().unwrap();
    assert_eq!((view.number, &*view.queue, view.used), (7, "root.a", SMALL));
    assert_eq!(scheduler.apps().unwrap(), [view]);
    let view = scheduler.node("n1").unwrap();
    assert_eq!((view.free, scheduler.nodes()), (Resource::new(7168, 7), vec![view]));
    scheduler.finish(&app).unwrap();
    scheduler.remove_node(&node).unwrap();
    assert_eq!((scheduler.find_app(7).unwrap(), scheduler.app(7).unwrap()), (None, None));
    assert_eq!((scheduler.find_node_by_id(id), scheduler.node("n1")), (None, None));

    let mut stepped = builder().stepped().unwrap();
    drop(stepped.submit(submission(7)).unwrap());
    let id = stepped.add_node("n1", "/r1", Resource::new(8192, 8)).unwrap().id();
    let (app, node) = (stepped.find_app(7).unwrap(), stepped.find_node_by_id(id).unwrap());
    stepped.allocate(&app, &ask(1), &mut Allocation::default()).unwrap();
    stepped.heartbeat(Heartbeat::new(&node));
    let view = stepped.app(7).unwrap();
    assert_eq!((view.used, stepped.apps()), (SMALL, vec![view]));
    assert_eq!((stepped.node("n1").unwrap().free, stepped.stats().granted), (Resource::new(7168, 7), 1));
    let mut answer = Allocation::default();
    stepped.allocate(&app, &AllocateRequest::default(), &mut answer).unwrap();
    assert_eq!(stepped.headroom(&app).unwrap(), answer.headroom);
    let next = stepped.new_attempt(&app, NewAttempt::default()).unwrap();
    assert_eq!(stepped.find_app(7), Some(next.clone()), "of the newest attempt");
    stepped.finish(&next).unwrap();
    stepped.remove_node(&node).unwrap();
    assert_eq!((stepped.find_app(7), stepped.app(7)), (None, None));
    assert_eq!((stepped.find_node_by_id(id), stepped.node("n1")), (None, None));
}

#[test]
fn a_container_is_found_by_the_name_that_crosses_a_wire() {
    let scheduler = builder().cluster_timestamp(1_410_901_177_871).epoch(17).timers(false).start().unwrap();
    let node = add_node(&scheduler);
    let app = scheduler.submit(submission(1)).unwrap();
    let id = one(&scheduler, &node, &app).id;
    let name = scheduler.container_name(id);
    assert_eq!(name.to_string(), "container_e17_1410901177871_0001_01_000001");
    assert_eq!(scheduler.find_container(&name), Ok(Some(id)));
    for other in [evenweave::ContainerName { epoch: 0, ..name }, evenweave::ContainerName { number: 2, ..name }] {
        assert_eq!(scheduler.find_container(&other), Ok(None), "{other}");
    }
    let mut stepped = builder().cluster_timestamp(1_410_901_177_871).epoch(17).stepped().unwrap();
    let node = stepped.add_node("n1", "/r1", Resource::new(8192, 8)).unwrap();
    let app = stepped.submit(submission(1)).unwrap();
    let mut answer = Allocation::default();
    stepped.allocate(&app, &ask(1), &mut answer).unwrap();
    stepped.heartbeat(Heartbeat::new(&node));
    stepped.fetch(&app, &mut answer).unwrap();
    assert_eq!(stepped.container_name(answer.granted[0].id), name);
    assert_eq!(stepped.find_container(&name), Some(answer.granted[0].id));
    assert_eq!(stepped.find_container(&evenweave::ContainerName { epoch: 0, ..name }), None);
}

/// A callback that hangs: who waits says how long, and a shutdown that is given up frees who waits for ever.
#[test]
fn who_will_not_wait_for_ever_says_how_long() {
    let (hangs, has_hung) = mpsc::channel();
    let (lets_go, let_go) = mpsc::channel::<()>();
    let let_go = Mutex::new(let_go);
    let wake = move |_: &WeakCapacityScheduler, _| {
        hangs.send(()).unwrap();
        let _ = let_go.lock().unwrap().recv();
    };
    let scheduler = builder().timers(false).on_grants_with(wake).start().unwrap();
    let node = add_node(&scheduler);
    let app = scheduler.submit(submission(1)).unwrap();
    assert_eq!(scheduler.quiesce_within(LONG), Ok(()));
    offer_one(&scheduler, &node, &app);
    has_hung.recv().unwrap();
    assert_eq!(within("quiesce", || scheduler.quiesce_within(SHORT)), Err(Refused::TimedOut));
    let waits = {
        let (scheduler, app) = (scheduler.clone(), app.clone());
        thread::spawn(move || scheduler.finish(&app))
    };
    until("the end of the application", || app.is_finished());
    assert_eq!(within("shutdown", || scheduler.shutdown_within(SHORT)), Err(Refused::TimedOut));
    assert_eq!(within("finish", || waits.join().unwrap()), Err(Refused::Gone(Gone::ShutDown)));
    lets_go.send(()).unwrap();
    drop(lets_go);
    assert_eq!(within("shutdown", || scheduler.shutdown_within(LONG)), Ok(()));
    assert_eq!(scheduler.quiesce_within(LONG), Err(Refused::Gone(Gone::ShutDown)));
}

/// A wake-up has a handle that keeps nothing alive; in it calls that wait are refused, and others work.
#[test]
fn a_wake_up_that_has_the_scheduler_lets_it_end() {
    let (told, heard) = mpsc::channel();
    let alive = Arc::new(());
    let guard = alive.clone();
    let wake = move |weak: &WeakCapacityScheduler, number: u32| {
        let _alive = &guard;
        let scheduler = weak.upgrade().unwrap();
        let submitted = scheduler.submit_all(vec![submission(9)]).unwrap();
        let waiting = [
            scheduler.find_app(number).map(drop),
            scheduler.app(number).map(drop),
            scheduler.place("ann", None).map(drop),
            scheduler.configuration().map(drop),
            scheduler.containers().map(drop),
            scheduler.container_counts().map(drop),
            scheduler.quiesce_within(LONG),
            submitted.wait().map(drop),
        ];
        told.send((waiting, scheduler.find_node("n1").is_some())).unwrap();
    };
    let scheduler = builder().timers(false).on_grants_with(wake).start().unwrap();
    let weak = scheduler.downgrade();
    let node = add_node(&scheduler);
    let app = scheduler.submit(submission(1)).unwrap();
    offer_one(&scheduler, &node, &app);
    let (waiting, found) = within("the wake-up", || heard.recv().unwrap());
    assert_eq!((waiting, found), ([const { Err(Refused::Invalid(Invalid::OwnThread)) }; 8], true));
    scheduler.quiesce().unwrap();
    assert!(scheduler.find_app(9).unwrap().is_some(), "what does not wait was taken");
    assert!(weak.upgrade().is_some());
    within("the last handle", || drop(scheduler));
    assert!(weak.upgrade().is_none());
    assert_eq!(Arc::strong_count(&alive), 1, "the closure has gone with the scheduler");
}

#[test]
fn its_worker_runs_on_a_thread_of_the_embedders_and_nowhere_else() {
    let (scheduler, mut workers) = builder().timers(false).start_with_workers().unwrap();
    assert_eq!(workers.iter().map(evenweave::Worker::index).collect::<Vec<_>>(), [0]);
    let node = add_node(&scheduler);
    let app = scheduler.submit(submission(1)).unwrap();
    scheduler.allocate(&app, &ask(1), &mut Allocation::default()).unwrap();
    poll_until_idle(&mut workers[0]);
    assert_eq!(within("quiesce", || scheduler.quiesce()), Err(Refused::Invalid(Invalid::OwnThread)));
    scheduler.heartbeat(Heartbeat::new(&node)).unwrap();
    assert!(workers[0].wait(LONG));
    assert_eq!(scheduler.stats().granted, 0, "nobody has polled");
    poll_until_idle(&mut workers[0]);
    assert_eq!(scheduler.stats().granted, 1);
    drop(workers);
    // A worker that is dropped is given up.
    let event = event(&scheduler);
    assert!(matches!(event, SchedulerEvent::WorkerPanicked { .. }), "{event:?}");
    assert_eq!(within("shutdown", || scheduler.shutdown()), Ok(()));
}

#[test]
fn another_attempt_is_a_future_too() {
    let scheduler = builder().timers(false).start().unwrap();
    let app = scheduler.submit(submission(1)).unwrap();
    let mut next = Box::pin(scheduler.new_attempt_async(&app, NewAttempt::default()));
    let mut context = Context::from_waker(Waker::noop());
    assert!(scheduler.find_app(1).unwrap() == Some(app.clone()), "it does nothing before it is polled");
    let next = wait_for("the attempt", || match next.as_mut().poll(&mut context) {
        Poll::Ready(next) => Some(next.unwrap()),
        Poll::Pending => None,
    });
    assert_eq!((next.attempt(), app.is_finished()), (2, true));
    assert_eq!(scheduler.find_app(1).unwrap(), Some(next));
}

/// What YARN accepts and never serves, or serves otherwise than meant, is told, on both drivers.
#[test]
fn asks_that_are_hardly_meant_are_told() {
    let threaded = builder().timers(false).start().unwrap();
    let mut stepped = builder().stepped().unwrap();
    add_node(&threaded);
    stepped.add_node("n1", "/r1", Resource::new(8192, 8)).unwrap();
    let (app, own) = (threaded.submit(submission(1)).unwrap(), stepped.submit(submission(1)).unwrap());
    let (place, own_place) = (threaded.location("n1"), stepped.location("n1"));
    let mut told = |asks: &dyn Fn(Location) -> Vec<Ask>| {
        let mut answers = [Allocation::default(), Allocation::default()];
        threaded.allocate(&app, &AllocateRequest::new(asks(place)), &mut answers[0]).unwrap();
        threaded.quiesce().unwrap();
        stepped.allocate(&own, &AllocateRequest::new(asks(own_place)), &mut answers[1]).unwrap();
        let [warnings, others] = answers.map(|answer| answer.warnings);
        assert_eq!(warnings, others, "both drivers");
        let why = stepped.not_offered(&own);
        assert_eq!(threaded.not_offered(&app).unwrap(), why, "both drivers");
        (warnings, why)
    };
    let (nothing, replaced) = (
        AskWarning::NothingAnywhere { priority: 1, allocation_request_id: 0 },
        AskWarning::SizeReplaced { priority: 1, allocation_request_id: 0 },
    );
    let ask = Ask::anywhere(1, SMALL, 1);
    let other = ask.with_resource(Resource::new(2048, 1));
    assert_eq!(told(&|_| vec![]), (vec![], Some(CapacityNotOffered::NothingOutstanding)));
    assert_eq!(told(&|place| vec![ask.at(place)]), (vec![nothing], Some(CapacityNotOffered::NothingAnywhere)));
    assert_eq!(told(&|place| vec![ask, ask.at(place)]), (vec![], None));
    assert_eq!(told(&|_| vec![ask, other]), (vec![replaced], None));
    assert_eq!(
        told(&|place| vec![ask.with_count(0), ask.at(place).with_count(0)]),
        (vec![], Some(CapacityNotOffered::NothingOutstanding))
    );
}

/// Why an application gets nothing before its asks matter: its end, a limit of those that run, one of AMs.
#[test]
fn who_is_offered_nothing_is_told_why() {
    let queues = QUEUES.map(|(name, value)| match name {
        "yarn.scheduler.capacity.maximum-am-resource-percent" => (name, "0.25"),
        _ => (name, value),
    });
    let parallel = ("yarn.scheduler.capacity.root.b.max-parallel-apps", "1");
    let configuration = CapacityConfiguration::from_properties(SITE, queues.into_iter().chain([parallel])).unwrap();
    let mut stepped = CapacityScheduler::builder(configuration).stepped().unwrap();
    stepped.add_node("n1", "/r1", Resource::new(8192, 8)).unwrap();
    // A quarter of what root.a may use is two AMs of 1024 MiB, and of what is one user's there one.
    let apps: Vec<_> = [("a", 1), ("a", 2), ("b", 3), ("b", 4)]
        .map(|(queue, number)| Submission::new(number, "ann").in_queue(queue).with_am(SMALL))
        .into_iter()
        .map(|submission| stepped.submit(submission).unwrap())
        .collect();
    let Some(CapacityNotOffered::NotActivated { am_used, am_limit }) = stepped.not_offered(&apps[1]) else {
        panic!("{:?}", stepped.not_offered(&apps[1]))
    };
    assert_eq!((am_used, am_limit.memory_mb()), (SMALL, 2048));
    assert_eq!(stepped.not_offered(&apps[3]), Some(CapacityNotOffered::NotRunnable));
    assert_eq!(stepped.not_offered(&apps[0]), None, "its AM's container is asked for");
    let states: Vec<_> = stepped.apps().iter().map(|app| app.state).collect();
    assert_eq!(states, ["active", "pending", "active", "non-runnable"]);
    stepped.finish(&apps[0]).unwrap();
    assert_eq!(stepped.not_offered(&apps[0]), Some(CapacityNotOffered::Ended));
    assert_eq!(stepped.not_offered(&apps[1]), None, "it has its place");
    // One of the same number of another scheduler is none of this one's.
    let other = builder().timers(false).start().unwrap();
    let theirs = other.submit(submission(2)).unwrap();
    assert_eq!(stepped.not_offered(&theirs), Some(CapacityNotOffered::Ended));
    assert_eq!(other.not_offered(&apps[1]), Ok(Some(CapacityNotOffered::Ended)));
}

/// Where submissions would go, on both drivers: it is where they go.
#[test]
fn a_place_is_asked_for() {
    let threaded = builder().timers(false).start().unwrap();
    let mut stepped: CapacityStepped = builder().stepped().unwrap();
    let cases = [
        ("ann", Some("a"), Some("root.a")),
        ("ann", Some("root.b"), Some("root.b")),
        ("bob", None, Some("root.b")),
        ("ann", None, None),
        ("ann", Some("root"), None),
        ("ann", Some("c"), None),
    ];
    for (number, (user, queue, expected)) in (1..).zip(cases) {
        let expected = expected.map(str::to_owned);
        assert_eq!(threaded.place(user, queue), Ok(expected.clone()), "{user} {queue:?}");
        assert_eq!(stepped.place(user, queue), Ok(expected.clone()), "{user} {queue:?}");
        let entered = stepped.submit(Submission::new(number, user).maybe_in_queue(queue));
        assert_eq!(entered.ok().map(|app| app.queue().to_owned()), expected, "{user} {queue:?}");
    }
    let long = "a".repeat(1 << 20);
    assert!(matches!(threaded.place("ann", Some(&long)), Err(Refused::Invalid(Invalid::LongName { .. }))));
    assert_eq!(threaded.apps().unwrap(), [], "nothing has entered");
}

#[test]
fn the_configuration_in_force_is_shown() {
    let threaded = builder().timers(false).start().unwrap();
    let mut stepped = builder().stepped().unwrap();
    let more = QUEUES.map(|(name, value)| (name, if name.ends_with("maximum-applications") { "5" } else { value }));
    let worse = QUEUES.map(|(name, value)| (name, if name.ends_with("b.capacity") { "70" } else { value }));
    let shown = |configuration: &CapacityConfiguration| {
        let queue = configuration.file().queue("b").unwrap().clone();
        (format!("{queue:?}"), configuration.file().settings().max_application_priority)
    };
    let first = shown(&stepped.configuration());
    assert_eq!(first.1, 10, "the site's");
    assert_eq!(shown(&threaded.configuration().unwrap()), first);
    threaded.refresh_properties(more).unwrap();
    stepped.refresh_properties(more).unwrap();
    let second = shown(&stepped.configuration());
    assert!(second.0 != first.0 && second.1 == 10);
    assert_eq!(shown(&threaded.configuration().unwrap()), second);
    threaded.refresh_properties(worse).unwrap_err();
    stepped.refresh_properties(worse).unwrap_err();
    assert_eq!(shown(&threaded.configuration().unwrap()), second, "what was refused changes nothing");
    assert_eq!(shown(&stepped.configuration()), second);
}

#[test]
fn what_was_served_elsewhere_is_not_said_to_be_asked_for_in_vain() {
    let mut scheduler = builder().stepped().unwrap();
    let node = scheduler.add_node("n1", "/r1", Resource::new(8192, 8)).unwrap();
    let app = scheduler.submit(submission(1)).unwrap();
    let (ask, elsewhere) = (Ask::anywhere(1, SMALL, 1), scheduler.location("n2"));
    let request = AllocateRequest::new([ask, ask.at(elsewhere)]);
    scheduler.allocate(&app, &request, &mut Allocation::default()).unwrap();
    until("a grant", || {
        scheduler.heartbeat(Heartbeat::new(&node));
        scheduler.stats().granted > 0
    });
    assert_eq!(
        scheduler.not_offered(&app),
        Some(CapacityNotOffered::NothingOutstanding),
        "n2 and its rack are left over"
    );
}

/// What completes while one attempt hands its containers over to the next is charged to nobody any more.
#[test]
fn what_completes_between_two_attempts_is_not_left_in_a_queue() {
    let scheduler = builder().start().unwrap();
    let node = scheduler.add_node("n1", "/r1", Resource::new(65_536, 64)).unwrap();
    let mut answer = Allocation::default();
    for number in 1..=150 {
        let app = scheduler.submit(submission(number)).unwrap();
        scheduler.allocate(&app, &ask(8), &mut answer).unwrap();
        scheduler.quiesce().unwrap();
        let mut held = Vec::new();
        for _ in 0..8 {
            scheduler.heartbeat(Heartbeat::new(&node)).unwrap();
            scheduler.quiesce().unwrap();
            scheduler.allocate(&app, &AllocateRequest::default(), &mut answer).unwrap();
            held.extend(answer.granted.iter().map(|granted| granted.id));
        }
        assert_eq!(held.len(), 8, "round {number}: nothing of the rounds before is in the way");
        let mut launched = Heartbeat::new(&node);
        launched.add_launched(held.iter().copied());
        scheduler.heartbeat(launched).unwrap();
        scheduler.quiesce().unwrap();
        for id in &held {
            let mut done = Heartbeat::new(&node);
            done.offer = false;
            done.add_completed([*id]);
            scheduler.heartbeat(done).unwrap();
        }
        let next = scheduler.new_attempt(&app, NewAttempt::default().keep_containers(true)).unwrap();
        scheduler.quiesce().unwrap();
        scheduler.finish(&next).unwrap();
    }
    scheduler.quiesce().unwrap();
    for queue in scheduler.queues().unwrap() {
        assert_eq!((queue.used, queue.containers), (Resource::ZERO, 0), "{}", queue.name);
    }
}

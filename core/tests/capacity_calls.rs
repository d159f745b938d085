//! Calls of the CapacityScheduler for further attempts, nodes that change and users: what they do, and what they
//! refuse.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use evenweave::SchedulerApi as _;
use evenweave::config::QueueAccess;
use evenweave::event::AppAccess;
use evenweave::refused::{Denied, Invalid, NotFound};
use evenweave::reservation::{Interpreter, ReservationDefinition, ReservationSubmission, Stage};
use evenweave::view::CapacityLeafView;
use evenweave::{
    AllocateRequest, Allocation, AppHandle, Ask, CapacityConfiguration, CapacityScheduler, CapacitySchedulerBuilder,
    CapacityStepped, Container, EndReason, Heartbeat, NewAttempt, NodeHandle, Refused, Resource, SchedulerEvent,
    Submission,
};
use evenweave_testkit::{ask, capacity, fetch, unmanaged};

const QUEUES: [(&str, &str); 5] = [
    ("yarn.scheduler.capacity.root.queues", "a,b"),
    ("yarn.scheduler.capacity.root.a.capacity", "50"),
    ("yarn.scheduler.capacity.root.b.capacity", "50"),
    ("yarn.scheduler.capacity.root.a.acl_administer_queue", "boss"),
    ("yarn.scheduler.capacity.maximum-am-resource-percent", "1"),
];

/// A right of root's is one of all queues.
const CLOSED: [(&str, &str); 2] = [
    ("yarn.scheduler.capacity.root.acl_submit_applications", "ann,bob"),
    ("yarn.scheduler.capacity.root.acl_administer_queue", " "),
];

const SITE: [(&str, &str); 2] = [("yarn.acl.enable", "true"), ("yarn.admin.acl", "root")];

fn builder() -> CapacitySchedulerBuilder {
    capacity(SITE, QUEUES.into_iter().chain(CLOSED))
}

fn stepped() -> CapacityStepped {
    builder().stepped().expect("nothing that is not built")
}

fn submission(number: u32) -> Submission {
    unmanaged(number, "a")
}

/// A node with as many containers of one application, fetched and launched.
fn with_containers(count: u32) -> (CapacityStepped, NodeHandle, AppHandle, Vec<Container>) {
    let mut scheduler = stepped();
    let node = scheduler.add_node("n1", "/r1", Resource::new(8192, 8)).unwrap();
    let app = scheduler.submit(submission(1)).unwrap();
    scheduler.allocate(&app, &ask(count), &mut Allocation::default()).unwrap();
    (0..count).for_each(|_| scheduler.heartbeat(Heartbeat::new(&node)));
    let granted = fetch(&mut scheduler, &app).granted;
    assert_eq!(granted.len(), count as usize);
    let mut heartbeat = Heartbeat::new(&node);
    heartbeat.offer = false;
    heartbeat.add_launched(granted.iter().map(|container| container.id));
    scheduler.heartbeat(heartbeat);
    (scheduler, node, app, granted)
}

fn used_of_a(scheduler: &mut CapacityStepped) -> i64 {
    let queues = scheduler.queues();
    queues.iter().find(|queue| queue.name == "root.a").expect("it is configured").used.memory_mb()
}

#[test]
fn a_further_attempt_takes_over_what_runs_if_it_is_to() {
    let (mut scheduler, _, app, granted) = with_containers(3);
    let next = scheduler.new_attempt(&app, NewAttempt::default().keep_containers(true)).unwrap();
    assert_eq!((next.attempt(), next.kept_containers().len()), (2, granted.len()));
    assert_eq!(used_of_a(&mut scheduler), 3072);
    assert!(
        matches!(scheduler.new_attempt(&app, NewAttempt::default()), Err(Refused::NotFound(NotFound::App(1)))),
        "the old handle"
    );
    let last = scheduler.new_attempt(&next, NewAttempt::default()).unwrap();
    assert_eq!(last.kept_containers().len(), 0);
    assert_eq!(used_of_a(&mut scheduler), 0);
    scheduler.finish(&last).unwrap();
    assert!(matches!(scheduler.new_attempt(&last, NewAttempt::default()), Err(Refused::NotFound(NotFound::App(1)))));
}

#[test]
fn an_attempt_that_is_refused_ends_its_application_and_frees_its_place() {
    let (mut scheduler, _, app, _) = with_containers(1);
    let too_large = NewAttempt::default().with_am(Resource::new(1 << 20, 1));
    let kept = too_large.clone().keep_containers(true);
    assert!(matches!(scheduler.new_attempt(&app, kept), Err(Refused::Invalid(Invalid::Resource { .. }))));
    assert_eq!(used_of_a(&mut scheduler), 1024, "nothing has changed");
    assert!(matches!(scheduler.new_attempt(&app, too_large), Err(Refused::Invalid(Invalid::Resource { .. }))));
    assert!(scheduler.queues().iter().all(|queue| (queue.applications, queue.containers) == (0, 0)));
    scheduler.submit(submission(1)).expect("the number is free again");
}

#[test]
fn a_smaller_node_keeps_its_containers_or_ends_the_youngest() {
    let (mut scheduler, node, app, granted) = with_containers(4);
    scheduler.resize_node(&node, Resource::new(2048, 8)).unwrap();
    scheduler.heartbeat(Heartbeat::new(&node));
    assert_eq!(scheduler.nodes()[0].free.memory_mb(), -2048);
    assert!(fetch(&mut scheduler, &app).ended.is_empty());
    scheduler.resize_node(&node, Resource::new(8192, 8)).unwrap();
    scheduler.shrink_node(&node, Resource::new(2048, 8)).unwrap();
    let ended = fetch(&mut scheduler, &app).ended;
    let mut numbers: Vec<u32> = ended.iter().map(|end| end.id.number()).collect();
    numbers.sort_unstable();
    assert!(ended.iter().all(|end| end.reason == EndReason::Preempted));
    assert_eq!(numbers, [granted[2].id.number(), granted[3].id.number()]);
}

#[test]
fn a_decommissioning_node_gets_nothing_and_has_its_total_again_when_it_stays() {
    let (mut scheduler, node, app, _) = with_containers(2);
    scheduler.allocate(&app, &ask(3), &mut Allocation::default()).unwrap();
    scheduler.decommission_node(&node).unwrap();
    scheduler.heartbeat(Heartbeat::new(&node));
    assert_eq!(scheduler.nodes()[0].total, Resource::new(2048, 2));
    assert!(fetch(&mut scheduler, &app).granted.is_empty());
    scheduler.recommission_node(&node).unwrap();
    scheduler.heartbeat(Heartbeat::new(&node));
    assert_eq!(scheduler.nodes()[0].total, Resource::new(8192, 8));
    assert_eq!(fetch(&mut scheduler, &app).granted.len(), 1);
}

#[test]
fn a_node_that_is_gone_and_one_of_another_scheduler_are_refused() {
    let (mut ours, mut other) = (stepped(), stepped());
    let gone = ours.add_node("n1", "/r1", Resource::new(8192, 8)).unwrap();
    ours.remove_node(&gone).unwrap();
    let theirs = other.add_node("n1", "/r1", Resource::new(8192, 8)).unwrap();
    for node in [&gone, &theirs] {
        let total = Resource::new(4096, 4);
        let missing =
            |outcome: Result<(), Refused>| assert!(matches!(outcome, Err(Refused::NotFound(NotFound::Node(_)))));
        missing(ours.resize_node(node, total));
        missing(ours.shrink_node(node, total));
        missing(ours.decommission_node(node));
        missing(ours.recommission_node(node));
    }
    let node = ours.add_node("n2", "/r1", Resource::new(8192, 8)).unwrap();
    assert!(matches!(ours.resize_node(&node, Resource::new(-1, 8)), Err(Refused::Invalid(Invalid::NodeTotal { .. }))));
    assert_eq!(other.nodes()[0].total, Resource::new(8192, 8));
}

#[test]
fn applications_of_another_scheduler_are_refused() {
    let (mut ours, mut other) = (stepped(), stepped());
    ours.submit(submission(1)).unwrap();
    let theirs = other.submit(submission(1)).unwrap();
    let missing = |outcome: Result<(), Refused>| assert!(matches!(outcome, Err(Refused::NotFound(NotFound::App(1)))));
    missing(ours.new_attempt(&theirs, NewAttempt::default()).map(drop));
    missing(ours.finish(&theirs));
    missing(ours.finish_as("ann", &theirs));
    missing(ours.move_app_as("ann", &theirs, "b"));
    missing(ours.check_app("ann", &theirs, AppAccess::View));
    missing(ours.fetch(&theirs, &mut Allocation::default()));
    assert_eq!((ours.apps().len(), other.apps().len()), (1, 1));
}

#[test]
fn who_may_what_is_asked_of_the_queues_lists() {
    let mut scheduler = stepped();
    let app = scheduler.submit(submission(1)).unwrap();
    assert!(scheduler.has_access("boss", "root.a", QueueAccess::Administer));
    assert!(!scheduler.has_access("boss", "root.b", QueueAccess::Administer));
    assert!(scheduler.permits("bob", "b", QueueAccess::Submit) && !scheduler.permits("eve", "b", QueueAccess::Submit));
    assert!(scheduler.is_admin("root") && !scheduler.is_admin("boss"));
    for user in ["ann", "boss", "root"] {
        scheduler.check_app(user, &app, AppAccess::Modify).unwrap();
    }
    assert!(matches!(scheduler.check_app("bob", &app, AppAccess::View), Err(Refused::Denied(Denied::App { .. }))));
    assert!(matches!(scheduler.move_app_as("boss", &app, "b"), Err(Refused::Denied(Denied::Queue { .. }))));
    scheduler.move_app_as("ann", &app, "b").unwrap();
    assert!(
        matches!(scheduler.finish_as("boss", &app), Err(Refused::Denied(Denied::App { .. }))),
        "it has left his queue"
    );
    scheduler.finish_as("ann", &app).unwrap();
    assert!(matches!(scheduler.check_app("ann", &app, AppAccess::View), Err(Refused::NotFound(NotFound::App(1)))));
}

/// The same calls on threads.
#[test]
fn attempts_on_threads() {
    let scheduler = builder().start().unwrap();
    let node = scheduler.add_node("n1", "/r1", Resource::new(8192, 8)).unwrap();
    let app = scheduler.submit(submission(1)).unwrap();
    let mut answer = Allocation::default();
    scheduler.allocate(&app, &ask(1), &mut answer).unwrap();
    scheduler.quiesce().unwrap();
    scheduler.heartbeat(Heartbeat::new(&node)).unwrap();
    scheduler.quiesce().unwrap();
    scheduler.fetch(&app, &mut answer).unwrap();
    let mut heartbeat = Heartbeat::new(&node);
    heartbeat.add_launched(answer.granted.iter().map(|container| container.id));
    scheduler.heartbeat(heartbeat).unwrap();
    scheduler.quiesce().unwrap();
    let next = scheduler.new_attempt(&app, NewAttempt::default().keep_containers(true)).unwrap();
    assert_eq!((next.attempt(), next.kept_containers().len()), (2, 1));
    assert!(matches!(scheduler.finish(&app), Err(Refused::NotFound(NotFound::App(1)))));
    assert!(matches!(scheduler.finish_as("eve", &next), Err(Refused::Denied(Denied::App { .. }))));
    scheduler.finish_as("boss", &next).unwrap();
    assert!(scheduler.containers().unwrap().iter().all(|view| view.ended));
}

#[test]
fn nodes_change_on_threads() {
    let scheduler = builder().start().unwrap();
    let node = scheduler.add_node("n1", "/r1", Resource::new(8192, 8)).unwrap();
    scheduler.shrink_node(&node, Resource::new(4096, 4)).unwrap();
    scheduler.resize_node(&node, Resource::new(6144, 4)).unwrap();
    scheduler.decommission_node(&node).unwrap();
    scheduler.heartbeat(Heartbeat::new(&node)).unwrap();
    scheduler.quiesce().unwrap();
    assert_eq!(scheduler.nodes()[0].total, Resource::ZERO);
    let drained = std::iter::from_fn(|| scheduler.next_event());
    assert_eq!(drained.filter(|event| matches!(event, SchedulerEvent::NodeDrained(name) if name == "n1")).count(), 1);
    scheduler.recommission_node(&node).unwrap();
    scheduler.quiesce().unwrap();
    assert_eq!(scheduler.nodes()[0].total, Resource::new(6144, 4));
    scheduler.remove_node(&node).unwrap();
    assert!(matches!(scheduler.decommission_node(&node), Err(Refused::NotFound(NotFound::Node(_)))));
    assert!(scheduler.is_admin("root").unwrap() && scheduler.permits("ann", "a", QueueAccess::Submit).unwrap());
}

/// A scheduler with a plan `root.p` and a node, before the follower's first run.
fn with_a_plan(at_once: &str) -> (CapacityStepped, NodeHandle) {
    let queues = [
        ("yarn.scheduler.capacity.root.queues", "p"),
        ("yarn.scheduler.capacity.root.p.capacity", "100"),
        ("yarn.scheduler.capacity.root.p.reservable", "true"),
        ("yarn.scheduler.capacity.maximum-am-resource-percent", "1"),
        ("yarn.scheduler.capacity.plan-queues.update-at-once", at_once),
    ];
    let site = [("yarn.resourcemanager.reservation-system.enable", "true")];
    let configuration = CapacityConfiguration::from_properties(site, queues).unwrap();
    let mut scheduler = CapacityScheduler::builder(configuration).stepped().unwrap();
    let node = scheduler.add_node("n1", "/r1", Resource::new(8192, 8)).unwrap();
    (scheduler, node)
}

/// The most that the plan's default queue may use after the follower's first run, and how many containers an
/// application of it gets.
fn in_a_plan(at_once: &str) -> (i64, usize) {
    let (mut scheduler, node) = with_a_plan(at_once);
    scheduler.follow_plans().unwrap();
    let app = scheduler.submit(Submission::new(1, "ann").in_queue("root.p")).unwrap();
    scheduler.allocate(&app, &ask(2), &mut Allocation::default()).unwrap();
    (0..2).for_each(|_| scheduler.heartbeat(Heartbeat::new(&node)));
    let queues = scheduler.queues();
    let leaf = queues.iter().find(|queue| queue.name == app.queue()).expect("the application is there");
    let most = leaf.maximum.memory_mb();
    (most, fetch(&mut scheduler, &app).granted.len())
}

#[test]
fn queues_of_plans_may_count_at_once() {
    // As recorded of Hadoop: nothing before the cluster or the queues change.
    assert_eq!(in_a_plan("false"), (0, 0));
    assert_eq!(in_a_plan("true"), (8192, 2));
}

/// The default queue that a plan begins with goes with the follower's first run.
#[test]
fn of_an_application_without_a_reservation_none_is_told_to_be_over() {
    let (mut scheduler, _node) = with_a_plan("false");
    let app = scheduler.submit(Submission::new(1, "ann").in_queue("p")).unwrap();
    scheduler.follow_plans().unwrap();
    let queue = "root.p.root.p-default".to_owned();
    let moved = SchedulerEvent::MovedAsReservationEnded { app: app.id(), queue: queue.clone(), reservation: None };
    assert_eq!(
        moved.to_string(),
        format!("{} goes on in queue {queue:?}, which is the plan's default queue now", app.id())
    );
    assert_eq!(scheduler.next_event(), Some(moved));
}

/// Of 20 MB the reservation has 7. Of 21 MB it still has 7, and the default queue still has 13 MB, as shares are
/// rounded down. The parts are others.
#[test]
fn a_run_after_which_parts_differ_and_shares_do_not_has_changed_something() {
    let (mut scheduler, node) = with_a_plan("false");
    let part = |scheduler: &mut CapacityStepped, name: &str| {
        let queues = scheduler.queues();
        queues.iter().find(|queue| queue.name == format!("root.p.{name}")).expect("a queue of the plan").capacity
    };
    let follow = |scheduler: &mut CapacityStepped, mb: i64| {
        scheduler.resize_node(&node, Resource::new(mb, mb)).unwrap();
        scheduler.follow_plans().unwrap()["root.p"].changed
    };
    assert!(follow(&mut scheduler, 20), "a default queue of another name");
    let id = scheduler.reserve_new().unwrap();
    let stages = vec![Stage::new(Resource::new(1, 1), 7, 3_600_000).in_gangs_of(7)];
    let definition = ReservationDefinition::new(0, 3_600_000, Interpreter::All, stages);
    let request = ReservationSubmission { id: Some(id), queue: Some("root.p"), definition: Some(&definition) };
    scheduler.reserve_submit("ann", &request).unwrap();
    follow(&mut scheduler, 20);
    assert!(!follow(&mut scheduler, 20), "all is as it was");
    let name = id.to_string();
    let before = [part(&mut scheduler, &name), part(&mut scheduler, "root.p-default")];
    assert!(follow(&mut scheduler, 21));
    let after = [part(&mut scheduler, &name), part(&mut scheduler, "root.p-default")];
    assert_eq!([before, after], [[7.0 / 20.0, 1.0 - 7.0 / 20.0], [7.0 / 21.0, 1.0 - 7.0 / 21.0]]);
}

// ---------------------------------------------------------------------------------------------------- what a
// ResourceManager does itself

fn leaf_a(scheduler: &mut CapacityStepped) -> CapacityLeafView {
    let queues = scheduler.queues();
    queues.into_iter().find(|queue| queue.name == "root.a").and_then(|queue| queue.leaf).expect("a leaf")
}

fn headroom_mb(scheduler: &mut CapacityStepped, app: &AppHandle) -> i64 {
    fetch(scheduler, app).headroom.memory_mb()
}

#[test]
fn after_an_update_of_labels_limits_are_without_what_was_reserved() {
    let (mut scheduler, node, app, _) = with_containers(3);
    let small = Resource::new(2048, 8);
    let second = scheduler.add_node("n2", "/r1", small).unwrap();
    let other = scheduler.submit(Submission::new(2, "bob").in_queue("b")).unwrap();
    let large = AllocateRequest::new([Ask::anywhere(1, Resource::new(6144, 1), 1)]);
    scheduler.allocate(&other, &large, &mut Allocation::default()).unwrap();
    scheduler.heartbeat(Heartbeat::new(&node));
    // Of 10240, 3072 are used and 6144 reserved when limits are worked out.
    scheduler.resize_node(&second, small).unwrap();
    assert_eq!(headroom_mb(&mut scheduler, &app), 1024);
    scheduler.labels_updated(&[second]);
    assert_eq!(headroom_mb(&mut scheduler, &app), 1024, "the node that it names is not reserved");
    // Nodes of another scheduler, one of them with the same number, and one of a worker that there is not here.
    let strangers = with_containers(3).1;
    let mut large = builder().workers(2).stepped().unwrap();
    let far = ["n1", "n2"].map(|name| large.add_node(name, "/r1", small).unwrap());
    for node in [strangers].iter().chain(&far) {
        assert!(!scheduler.give_up_reservation(node), "{node:?}");
    }
    scheduler.labels_updated(std::slice::from_ref(&node));
    assert_eq!(headroom_mb(&mut scheduler, &app), 2048);
    assert!(!scheduler.give_up_reservation(&node), "it has been given up");
}

#[test]
fn an_attempt_that_is_stopped_gets_nothing_and_keeps_what_it_has() {
    let (mut scheduler, node, app, granted) = with_containers(2);
    scheduler.allocate(&app, &ask(5), &mut Allocation::default()).unwrap();
    let before = leaf_a(&mut scheduler);
    assert_eq!((before.active_applications, before.active_users), (1, 1));
    for _ in 0..2 {
        scheduler.stop_attempt(&app).unwrap();
        scheduler.heartbeat(Heartbeat::new(&node));
        let leaf = leaf_a(&mut scheduler);
        assert_eq!((leaf.active_applications, leaf.pending_applications, used_of_a(&mut scheduler)), (0, 0, 2048));
        // As in Hadoop, until the next attempt asks for nothing any more, or the application has gone.
        assert_eq!((leaf.active_users, leaf.users.len()), (1, 0));
    }
    let next = scheduler.new_attempt(&app, NewAttempt::default().keep_containers(true)).unwrap();
    assert_eq!(next.kept_containers().len(), granted.len());
    let leaf = leaf_a(&mut scheduler);
    assert_eq!((leaf.active_applications, leaf.pending_applications, leaf.active_users), (1, 0, 1));
    scheduler.stop_attempt(&next).unwrap();
    scheduler.finish(&next).unwrap();
    let leaf = leaf_a(&mut scheduler);
    assert_eq!((leaf.active_applications, leaf.pending_applications, leaf.active_users), (0, 0, 0));
    assert_eq!(used_of_a(&mut scheduler), 0);
}

#[test]
fn who_waits_starts_when_an_attempt_is_stopped() {
    // A master's size, and no more, is for masters.
    let more = ("yarn.scheduler.capacity.maximum-am-resource-percent", "0.1");
    let queues = QUEUES.into_iter().filter(|(name, _)| *name != more.0).chain([more]);
    let configuration = CapacityConfiguration::from_properties([], queues).unwrap();
    let mut scheduler = CapacityScheduler::builder(configuration).stepped().unwrap();
    let _node = scheduler.add_node("n1", "/r1", Resource::new(8192, 8)).unwrap();
    let apps: Vec<AppHandle> =
        (1..=2).map(|number| scheduler.submit(submission(number).with_am(Resource::new(1024, 1))).unwrap()).collect();
    let leaf = leaf_a(&mut scheduler);
    assert_eq!((leaf.active_applications, leaf.pending_applications), (1, 1));
    scheduler.stop_attempt(&apps[0]).unwrap();
    let leaf = leaf_a(&mut scheduler);
    assert_eq!((leaf.active_applications, leaf.pending_applications), (1, 0));
    // The next attempt waits behind the one that has started meanwhile.
    scheduler.new_attempt(&apps[0], NewAttempt::default().with_am(Resource::new(1024, 1))).unwrap();
    let leaf = leaf_a(&mut scheduler);
    assert_eq!((leaf.active_applications, leaf.pending_applications), (1, 1));
}

#[test]
fn what_a_resource_manager_does_itself_works_out_no_limits() {
    let (mut scheduler, _, app, granted) = with_containers(2);
    let more = Submission::new(2, "bob").in_queue("a").with_am(Resource::new(8192, 1));
    scheduler.submit(more).unwrap();
    let known = |scheduler: &mut CapacityStepped| leaf_a(scheduler).active_users;
    let before = (known(&mut scheduler), scheduler.headroom(&app).unwrap());
    let mut answer = Allocation::default();
    let release = AllocateRequest::default().with_releases([granted[0].id]);
    scheduler.manage(&app, &release, &mut answer).unwrap();
    assert_eq!(answer.ended.len(), 1, "what has come of it is fetched");
    scheduler.manage(&app, &AllocateRequest::default(), &mut answer).unwrap();
    assert_eq!((known(&mut scheduler), scheduler.headroom(&app).unwrap()), before);
    fetch(&mut scheduler, &app);
    assert_ne!(scheduler.headroom(&app).unwrap(), before.1, "an AM's call works it out");
    assert_eq!(known(&mut scheduler), before.0 + 1, "and counts who waits");
    scheduler.manage(&app, &ask(1), &mut answer).unwrap();
    assert_eq!(known(&mut scheduler), before.0 + 2, "what is asked for counts at once");
}

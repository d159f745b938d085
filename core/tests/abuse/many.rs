//! Many of everything.

use crate::world::{Core, SMALL, World, allocations, builder, builder_with, each};
use evenweave::SchedulerApi as _;
use evenweave::refused::{AlreadyExists, Configuration, NoQueue};
use evenweave::{
    AllocationFile, AppHandle, Ask, CapacityConfiguration, CapacityScheduler, CapacityStepped, FairScheduler, Refused,
    Resource, Submission,
};
use evenweave_testkit::{allocate, ask, number};

fn submission(number: u32, user: &str, queue: Option<&str>) -> Submission {
    Submission::new(number, user).maybe_in_queue(queue)
}

/// A quarter, or as many as `EVENWEAVE_MANY` says, of a number that takes long.
fn quarters(of: u32) -> u32 {
    of / 4 * number("EVENWEAVE_MANY", 1_u32)
}

fn threaded() -> World {
    World::of(Core::Threaded(builder().workers(2).start().unwrap()))
}

#[test]
fn two_hundred_thousand_applications_come_ask_and_go() {
    let many = quarters(200_000);
    let mut world = threaded();
    world.cluster(50, Resource::new(8_192_000, 8_000));
    let mut apps = Vec::new();
    for from in (1..=many).step_by(5_000) {
        let some = (from..from + 5_000).map(|number| submission(number, "eve", Some("abuser"))).collect();
        apps.extend(world.submit_all(some).into_iter().map(Result::unwrap));
    }
    assert_eq!(world.submit(submission(7, "eve", None)).map(drop), Err(Refused::AlreadyExists(AlreadyExists::App(7))));
    for (at, app) in apps.iter().enumerate() {
        let Core::Threaded(scheduler) = &world.core else { unreachable!() };
        allocate(scheduler, app, &ask(1)).unwrap();
        if at % 12_500 == 0 {
            scheduler.quiesce().unwrap();
        }
    }
    world.offer_all();
    world.books_balance();
    assert_eq!(world.running(), u64::from(many));
    world.finish_all(&apps);
    assert_eq!(world.running(), 0);
    world.bystander_is_served();
}

/// A CapacityScheduler with two leaf queues of so many at once and as many as there is room for AMs.
fn capacity(parallel: &'static str, nodes: usize) -> CapacityStepped {
    let queues = [
        ("yarn.scheduler.capacity.root.queues", "a,b"),
        ("yarn.scheduler.capacity.root.a.capacity", "50"),
        ("yarn.scheduler.capacity.root.b.capacity", "50"),
        ("yarn.scheduler.capacity.root.b.user-limit-factor", "100"),
        ("yarn.scheduler.capacity.root.b.max-parallel-apps", parallel),
        ("yarn.scheduler.capacity.maximum-am-resource-percent", "1"),
        ("yarn.scheduler.capacity.maximum-applications", "1000000"),
        ("yarn.scheduler.capacity.root.a.maximum-applications", "1000000"),
        ("yarn.scheduler.capacity.root.b.maximum-applications", "1000000"),
    ];
    let configuration = CapacityConfiguration::from_properties([], queues).unwrap();
    let mut scheduler = CapacityScheduler::builder(configuration).stepped().unwrap();
    for node in 0..nodes {
        scheduler.add_node(&format!("n{node}"), "/r", Resource::new(65_536, 64)).unwrap();
    }
    scheduler
}

/// The numbers of those that have started.
fn active(scheduler: &mut CapacityStepped) -> Vec<u32> {
    scheduler.apps().into_iter().filter(|app| app.state == "active").map(|app| app.number).collect()
}

/// The same of a CapacityScheduler, whichever limit keeps them waiting: of those that run at once, or of AMs.
#[test]
fn forty_thousand_applications_that_wait_start_one_by_one() {
    for parallel in ["10", "1000000"] {
        let mut scheduler = capacity(parallel, 1);
        let submit = |number| scheduler.submit(submission(number, "eve", Some("root.b"))).unwrap();
        let apps: Vec<_> = (1..=40_000).map(submit).collect();
        let first = active(&mut scheduler);
        assert!(first.starts_with(&[1]) && first.len() < 100, "{first:?} have started");
        for app in &apps[..30_000] {
            scheduler.finish(app).unwrap();
        }
        assert_eq!(active(&mut scheduler), first.iter().map(|number| number + 30_000).collect::<Vec<_>>());
        for app in apps[30_000..].iter().rev() {
            scheduler.finish(app).unwrap();
        }
        assert_eq!(scheduler.audit(true).wrong, [""; 0]);
    }
}

/// Ends and moves, newest first, with both schedulers.
#[test]
fn forty_thousand_applications_of_one_queue_move_and_end() {
    fn play<S>(
        mut scheduler: S,
        submit: impl Fn(&mut S, u32) -> AppHandle,
        change: impl Fn(&mut S, &AppHandle),
        finish: impl Fn(&mut S, &AppHandle),
    ) {
        let apps: Vec<_> = (1..=40_000).map(|number| submit(&mut scheduler, number)).collect();
        apps.iter().rev().for_each(|app| change(&mut scheduler, app));
        apps.iter().rev().for_each(|app| finish(&mut scheduler, app));
    }
    // Each is another user's: no record stays.
    let user = |number: u32| format!("u{number}");
    play(
        capacity("1000000", 1000),
        |scheduler, number| scheduler.submit(submission(number, &user(number), Some("root.b"))).unwrap(),
        |scheduler, app| scheduler.move_app(app, "root.a").unwrap(),
        |scheduler, app| scheduler.finish(app).unwrap(),
    );
    let file = "<allocations><queue name='a'/><queue name='b'/></allocations>";
    play(
        builder().allocations(allocations(file)).stepped().unwrap(),
        |scheduler, number| scheduler.submit(submission(number, &user(number), Some("root.b"))).unwrap(),
        |scheduler, app| scheduler.move_app(app, "root.a").unwrap(),
        |scheduler, app| scheduler.finish(app).unwrap(),
    );
}

/// Each that ends starts the one that has waited longest.
#[test]
fn fifty_thousand_applications_that_wait_start_one_by_one() {
    let file = "<allocations><queue name='bystander'/><queue name='abuser'><maxRunningApps>1</maxRunningApps></queue>\
                <user name='mallory'><maxRunningApps>1</maxRunningApps></user></allocations>";
    for user in ["eve", "mallory"] {
        let queue = if user == "eve" { "abuser" } else { "free" };
        let scheduler = builder().allocations(allocations(file)).workers(2).start().unwrap();
        let mut world = World::of(Core::Threaded(scheduler));
        world.cluster(2, Resource::new(65_536, 64));
        let all = (1..=50_000).map(|number| submission(number, user, Some(queue))).collect();
        let apps: Vec<_> = world.submit_all(all).into_iter().map(Result::unwrap).collect();
        let (_, views, _) = world.views();
        assert_eq!(views.iter().filter(|app| app.runnable).map(|app| app.id.number).collect::<Vec<_>>(), [1]);
        world.finish_all(&apps[..40_000]);
        let (_, views, _) = world.views();
        assert_eq!(views.iter().filter(|app| app.runnable).map(|app| app.id.number).collect::<Vec<_>>(), [40_001]);
        world.bystander_is_served();
    }
}

/// Of a file that a program has made, at the start and at a reload.
#[test]
fn a_hundred_thousand_configured_queues_are_checked_and_taken() {
    let mut file = AllocationFile::default();
    file.leaves.extend((0..100_000).map(|i| format!("root.parent{}.queue{i}", i % 300)));
    let mut scheduler = FairScheduler::builder().allocations(file.clone()).stepped().unwrap();
    assert_eq!(scheduler.queues().len(), 100_301);
    file.leaves.insert("root.parent0.queue0.too-much.".to_owned());
    assert!(matches!(scheduler.reload(file.clone()), Err(Refused::Configuration(Configuration::Allocations(_)))));
    file.leaves.retain(|name| !name.ends_with('.'));
    file.leaves.insert("root.one-more".to_owned());
    scheduler.reload(file).unwrap();
    assert_eq!(scheduler.queues().len(), 100_302);
}

/// Not on threads, where each registration waits for the control.
#[test]
fn a_hundred_thousand_nodes_come_report_and_go() {
    let mut world = World::of(Core::Stepped(Box::new(builder().workers(2).stepped().unwrap())));
    world.cluster(100_000, Resource::new(2048, 2));
    let app = world.app(1, "abuser");
    world.ask(&app, vec![Ask::anywhere(1, SMALL, 150_000)]).unwrap();
    world.offer_all();
    assert_eq!(world.fetch(&app).len(), 150_000);
    world.bystander_is_served();
    let n7 = world.nodes[7].clone();
    assert_eq!(
        world.add_node("n7", "/r", SMALL).map(drop),
        Err(Refused::AlreadyExists(AlreadyExists::Node("n7".into())))
    );
    world.resize_node(&n7, Resource::new(4096, 4)).unwrap();
    // All but the last, which had room left.
    let last = world.nodes.pop().unwrap();
    for node in std::mem::replace(&mut world.nodes, vec![last]) {
        world.remove_node(&node);
    }
    assert!(world.running() <= 2);
    world.bystander_is_served();
}

/// Of users that nobody has heard of, each in a queue of his own.
#[test]
fn a_hundred_thousand_users_and_their_queues_come_and_go() {
    let many = quarters(100_000);
    let builder = builder_with(&[("yarn.scheduler.fair.user-as-default-queue", "true")]).workers(2);
    let mut world = World::of(Core::Threaded(builder.start().unwrap()));
    world.cluster(2, Resource::new(65_536, 64));
    let mut apps = Vec::new();
    for from in (1..=many).step_by(2_500) {
        let some = (from..from + 2_500).map(|number| submission(number, &format!("user{number}"), None)).collect();
        apps.extend(world.submit_all(some).into_iter().map(Result::unwrap));
    }
    let one = apps[17_000].clone();
    assert_eq!(one.queue(), "root.user17001");
    world.ask(&one, vec![Ask::anywhere(1, SMALL, 3)]).unwrap();
    world.offer_all();
    assert_eq!(world.fetch(&one).len(), 3);
    world.bystander_is_served();
    // Not all: what is published is as long as there are queues, and it is published again and again while they go.
    let half = apps.len() / 2;
    world.finish_all(&apps[..half]);
    let Core::Threaded(scheduler) = &world.core else { unreachable!() };
    scheduler.clean_up().unwrap();
    assert!((half..half + 10).contains(&scheduler.queues().unwrap().len()));
    world.bystander_is_served();
}

#[test]
fn queues_are_as_deep_as_names_are_long() {
    each(builder, |world| {
        world.cluster(2, Resource::new(65_536, 64));
        let deep = |levels: usize| vec!["a"; levels].join(".");
        let refused = world.submit(submission(1, "eve", Some(&deep(128)))).unwrap_err();
        assert!(matches!(refused, Refused::NoQueue(NoQueue::BadName { .. })), "{refused}");
        for number in 1..=200 {
            let queue = format!("{}.b{number}", deep(126));
            let app = world.submit(submission(number, "eve", Some(&queue))).unwrap();
            world.ask(&app, vec![Ask::anywhere(1, SMALL, u32::from(number == 200))]).unwrap();
        }
        world.offer_all();
        assert_eq!(world.running(), 1);
        world.bystander_is_served();
    });
}

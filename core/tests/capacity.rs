//! The CapacityScheduler as an embedder has it: its doors, its limits, what it refuses.

use evenweave::SchedulerApi as _;
use evenweave::config::{SiteFile, SiteProperties};
use evenweave::labels::NewLabel;
use evenweave::refused::{NoQueue, NotFound, TryAgain};
use evenweave::view::PreemptionRound;
use evenweave::{
    AllocateRequest, Allocation, AppHandle, Ask, BuildError, CapacityConfiguration, CapacityScheduler,
    CapacitySchedulerBuilder, CapacityStepped, FairScheduler, Heartbeat, Refused, Resource, Submission,
};
use evenweave_testkit::{Raised, allocate, ask, capacity, fetch, until};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// `root.a` may use all, `root.b` no more than 40 percent.
const QUEUES: [(&str, &str); 6] = [
    ("yarn.scheduler.capacity.root.queues", "a,b"),
    ("yarn.scheduler.capacity.root.a.capacity", "80"),
    ("yarn.scheduler.capacity.root.b.capacity", "20"),
    ("yarn.scheduler.capacity.root.b.maximum-capacity", "40"),
    ("yarn.scheduler.capacity.root.b.user-limit-factor", "10"),
    ("yarn.scheduler.capacity.maximum-am-resource-percent", "1"),
];

fn builder(more: &[(&str, &str)]) -> CapacitySchedulerBuilder {
    capacity([], QUEUES.iter().chain(more).copied())
}

fn stepped(more: &[(&str, &str)]) -> CapacityStepped {
    builder(more).stepped().expect("nothing that is not built")
}

fn submission(number: u32, user: &str, queue: &str) -> Submission {
    Submission::new(number, user).in_queue(queue)
}

fn granted(scheduler: &mut CapacityStepped, app: &AppHandle) -> usize {
    fetch(scheduler, app).granted.len()
}

#[test]
fn a_queue_gets_no_more_than_its_maximum_and_says_what_is_left() {
    let mut scheduler = stepped(&[]);
    let node = scheduler.add_node("n1", "/r1", Resource::new(20_480, 20)).unwrap();
    let app = scheduler.submit(submission(1, "ann", "b")).unwrap();
    let mut answer = Allocation::default();
    scheduler.allocate(&app, &ask(20), &mut answer).unwrap();
    assert_eq!(answer.headroom, Resource::ZERO, "no pass has come to it, and the cluster has not changed since");
    for _ in 0..20 {
        scheduler.heartbeat(Heartbeat::new(&node));
    }
    assert_eq!(granted(&mut scheduler, &app), 8, "40 percent of 20 GiB");
    let queues = scheduler.queues();
    let b = queues.iter().find(|queue| queue.name == "root.b").unwrap();
    assert_eq!((b.used.memory_mb(), b.containers, b.applications), (8192, 8, 1));
}

#[test]
fn an_application_of_a_higher_priority_comes_first() {
    let site = [("yarn.cluster.max-application-priority", "9")];
    let mut scheduler = capacity(site, QUEUES).stepped().unwrap();
    let node = scheduler.add_node("n1", "/r1", Resource::new(1024, 1)).unwrap();
    let low = scheduler.submit(submission(1, "ann", "a")).unwrap();
    let high = scheduler.submit_with_priority(submission(2, "ann", "a"), 5).unwrap();
    for app in [&low, &high] {
        scheduler.allocate(app, &ask(1), &mut Allocation::default()).unwrap();
    }
    scheduler.set_priority(&low, 7).unwrap();
    scheduler.heartbeat(Heartbeat::new(&node));
    assert_eq!([granted(&mut scheduler, &low), granted(&mut scheduler, &high)], [1, 0]);
}

#[test]
fn mapping_rules_say_where_an_application_goes() {
    let rules = r#"{"rules": [
        {"type": "user", "matches": "bob", "policy": "custom", "customPlacement": "root.b"},
        {"type": "group", "matches": "dev", "policy": "custom", "customPlacement": "root.a"},
        {"type": "user", "matches": "eve", "policy": "reject"}
    ]}"#;
    let more =
        [("yarn.scheduler.capacity.mapping-rule-format", "json"), ("yarn.scheduler.capacity.mapping-rule-json", rules)];
    let groups = HashMap::from([("ann".to_owned(), vec!["staff".to_owned(), "dev".to_owned()])]);
    let mut scheduler = builder(&more).groups(Arc::new(groups)).stepped().unwrap();
    for (number, user) in [(1, "ann"), (2, "bob")] {
        scheduler.submit(submission(number, user, "default")).unwrap();
    }
    // A queue that is named counts, as the rules do not override it.
    scheduler.submit(submission(3, "bob", "a")).unwrap();
    let queues: Vec<_> = scheduler.apps().into_iter().map(|app| app.queue).collect();
    assert_eq!(queues, ["root.a", "root.b", "root.a"]);
    let refused = scheduler.submit(submission(4, "eve", "default")).unwrap_err();
    assert!(matches!(refused, Refused::NoQueue(NoQueue::RuleFailed { .. })), "{refused}");
    let refused = scheduler.submit(submission(5, "cat", "default")).unwrap_err();
    assert_eq!(refused, Refused::NotFound(NotFound::Queue("default".to_owned())), "no rule is for her");
}

#[test]
fn node_labels_are_refused_where_they_would_be_wrong() {
    let labels = [
        ("yarn.scheduler.capacity.root.accessible-node-labels.gpu.capacity", "100"),
        ("yarn.scheduler.capacity.root.a.accessible-node-labels", "gpu"),
        ("yarn.scheduler.capacity.root.a.accessible-node-labels.gpu.capacity", "100"),
    ];
    let refused = builder(&labels).stepped().unwrap_err();
    let what = "node labels, as \"gpu\" of root (yarn.node-labels.enabled is not true: ";
    assert!(refused.to_string().contains(what), "{refused}");
    let on = ("yarn.node-labels.enabled", "true");
    let with =
        |site: &[(&'static str, &'static str)]| capacity(site.iter().copied(), QUEUES.iter().chain(&labels).copied());
    assert!(with(&[on]).stepped().is_ok());
    assert!(with(&[on]).workers(2).stepped().is_ok());
}

#[test]
fn what_is_not_built_is_refused_by_name() {
    let constraints = ("yarn.resourcemanager.placement-constraints.handler", "scheduler");
    let refused = builder(&[constraints]).stepped().unwrap_err();
    assert!(matches!(refused, BuildError::Unsupported(_)));
    let what = "not supported: placement constraints: yarn.resourcemanager.placement-constraints.handler is scheduler";
    assert_eq!(refused.to_string(), what);
    let mut scheduler = stepped(&[]);
    let refused = scheduler.refresh_properties(QUEUES.into_iter().chain([constraints])).unwrap_err();
    assert_eq!(refused.kind(), "bad-configuration");
    assert!(scheduler.submit(submission(1, "ann", "a")).is_ok(), "the queues are as before");
}

const ASYNCHRONOUSLY: [(&str, &str); 2] = [
    ("yarn.scheduler.capacity.schedule-asynchronously.enable", "true"),
    ("yarn.scheduler.capacity.schedule-asynchronously.scheduling-interval-ms", "1"),
];

#[test]
fn asynchronously_rounds_offer_and_reports_do_not() {
    let mut scheduler = stepped(&ASYNCHRONOUSLY);
    let node = scheduler.add_node("n1", "/r1", Resource::new(20_480, 20)).unwrap();
    let app = scheduler.submit(submission(1, "ann", "a")).unwrap();
    scheduler.allocate(&app, &ask(10), &mut Allocation::default()).unwrap();
    scheduler.heartbeat(Heartbeat::new(&node));
    assert_eq!(granted(&mut scheduler, &app), 0, "a report offers nothing");
    scheduler.offer_all_from(0);
    assert_eq!(granted(&mut scheduler, &app), 2, "one pass a visit, and the first node is visited again at the end");
    scheduler.offer_all_from(1);
    assert_eq!(granted(&mut scheduler, &app), 0, "there is one node");
    scheduler.advance(2001);
    scheduler.offer_all_from(0);
    assert_eq!(granted(&mut scheduler, &app), 0, "the node has been silent for more than two intervals");
    scheduler.heartbeat(Heartbeat::new(&node));
    scheduler.offer_all_from(0);
    assert_eq!(granted(&mut scheduler, &app), 2);
}

#[test]
fn on_threads_rounds_come_by_time() {
    let scheduler = builder(&ASYNCHRONOUSLY).start().unwrap();
    let node = scheduler.add_node("n1", "/r1", Resource::new(20_480, 20)).unwrap();
    let app = scheduler.submit(submission(1, "ann", "a")).unwrap();
    let (mut answer, mut granted) = (Allocation::default(), 0);
    scheduler.allocate(&app, &ask(3), &mut answer).unwrap();
    until("all that was asked for", || {
        // Else it would be silent in the end.
        match scheduler.heartbeat(Heartbeat::new(&node)) {
            Ok(()) => {}
            Err(not_sent) => assert!(matches!(not_sent.reason, Refused::TryAgain(TryAgain::Busy)), "{not_sent:?}"),
        }
        scheduler.fetch(&app, &mut answer).unwrap();
        granted += answer.granted.len();
        granted >= 3
    });
    scheduler.shutdown().unwrap();
}

#[test]
fn files_are_laid_over_the_site_as_they_were_read() {
    const FACTOR: &str = "yarn.scheduler.capacity.root.a.user-limit-factor";
    const LIMIT: &str = "yarn.scheduler.capacity.root.a.minimum-user-limit-percent";
    let xml = |properties: &[(&str, &str)]| {
        let one = |(name, value): &(&str, &str)| {
            format!("<property><name>{name}</name><value>{value}</value><final>{}</final></property>", *name == LIMIT)
        };
        format!("<configuration>{}</configuration>", properties.iter().map(one).collect::<String>())
    };
    let mut site: SiteProperties = [(FACTOR, "3")].into_iter().collect();
    site.add(&SiteFile::parse(&xml(&[(LIMIT, "50")]), "yarn-site.xml").unwrap());
    site.set_environment(|name| (name == "PART").then(|| "70".to_owned()));
    let queues = [
        ("yarn.scheduler.capacity.root.queues", "a,b"),
        ("yarn.scheduler.capacity.root.a.capacity", "${env.PART}"),
        ("yarn.scheduler.capacity.root.b.capacity", "30"),
        (FACTOR, "9"),
        (LIMIT, "9"),
    ];
    let file = SiteFile::parse(&xml(&queues), "capacity-scheduler.xml").unwrap();
    let configuration = CapacityConfiguration::from_site(&site, &file).unwrap();
    let shown = |scheduler: &mut CapacityStepped| {
        let queues = scheduler.queues();
        let a = queues.iter().find(|queue| queue.name == "root.a").unwrap();
        (a.capacity, a.leaf.as_ref().map(|leaf| (leaf.user_limit_factor, leaf.user_limit)))
    };
    let mut scheduler = CapacityScheduler::builder(configuration).stepped().unwrap();
    assert_eq!(shown(&mut scheduler), (0.7, Some((3.0, 50.0))), "set above files, final, looked up");
    scheduler.refresh_properties(queues).unwrap();
    assert_eq!(
        shown(&mut scheduler),
        (0.7, Some((9.0, 9.0))),
        "a refresh counts above all, and variables are looked up"
    );
}

#[test]
fn a_refresh_is_taken_whole_or_not_at_all() {
    let mut scheduler = stepped(&[]);
    let more =
        QUEUES.map(|(name, value)| if name.ends_with("b.maximum-capacity") { (name, "100") } else { (name, value) });
    scheduler.refresh_properties(more).unwrap();
    let bad = QUEUES.map(|(name, value)| if name.ends_with("b.capacity") { (name, "30") } else { (name, value) });
    let refused = scheduler.refresh_properties(bad).unwrap_err();
    let why = refused.to_string();
    assert!(why.starts_with("Failed to re-init queues : ") && why.contains("Illegal capacity sum of 1.1"), "{why}");
    let queues = scheduler.queues();
    let b = queues.iter().find(|queue| queue.name == "root.b").unwrap();
    assert_eq!((b.capacity, b.maximum_capacity), (0.2, 1.0));
}

#[test]
fn access_lists_count_where_they_are_asked_for() {
    let site = [("yarn.acl.enable", "true")];
    let nobody = [
        ("yarn.scheduler.capacity.root.acl_submit_applications", " "),
        ("yarn.scheduler.capacity.root.acl_administer_queue", " "),
        ("yarn.scheduler.capacity.root.a.acl_submit_applications", "ann"),
    ];
    let queues = QUEUES.into_iter().chain(nobody);
    let configuration = CapacityConfiguration::from_properties(site, queues).unwrap();
    let mut scheduler = CapacityScheduler::builder(configuration).stepped().unwrap();
    assert!(scheduler.submit(submission(1, "ann", "a")).is_ok());
    for (user, queue) in [("bob", "a"), ("ann", "b")] {
        let refused = scheduler.submit(submission(2, user, queue)).unwrap_err();
        assert_eq!(refused.kind(), "acl", "{user} in {queue}");
    }
}

#[test]
fn another_scheduler_s_handles_are_refused() {
    let other = FairScheduler::builder().workers(4).start().unwrap();
    let apps: Vec<_> = (1..=4).map(|number| other.submit(submission(number, "ann", "root.a")).unwrap()).collect();
    let mut here = stepped(&[]);
    let threaded = builder(&[]).start().unwrap();
    for app in &apps {
        let none = AllocateRequest::default();
        for request in [&none, &ask(1)] {
            let mut answer = Allocation::default();
            assert!(matches!(here.allocate(app, request, &mut answer), Err(Refused::NotFound(NotFound::App(_)))));
            assert!(matches!(threaded.allocate(app, request, &mut answer), Err(Refused::NotFound(NotFound::App(_)))));
        }
        assert!(matches!(threaded.fetch(app, &mut Allocation::default()), Err(Refused::NotFound(NotFound::App(_)))));
        assert!(here.finish(app).is_err() && here.move_app(app, "a").is_err() && here.set_priority(app, 1).is_err());
        assert!(threaded.finish(app).is_err() && threaded.set_priority(app, 1).is_err());
    }
}

#[test]
fn numbers_that_cannot_be_are_refused() {
    for capacity in [0, usize::MAX] {
        let builders = [builder(&[]).channel_capacity(capacity), builder(&[]).event_capacity(capacity)];
        for builder in builders {
            assert!(matches!(builder.start(), Err(BuildError::Capacity { asked, .. }) if asked == capacity));
        }
    }
}

#[test]
fn a_node_lists_what_it_has_to_stop() {
    let builder = builder(&[]).node_stops(true).cluster_timestamp(7).epoch(3);
    let mut scheduler = builder.stepped().unwrap();
    let node = scheduler.add_node("n1", "/r1", Resource::new(20_480, 20)).unwrap();
    let app = scheduler.submit(submission(1, "ann", "a")).unwrap();
    scheduler.allocate(&app, &ask(1), &mut Allocation::default()).unwrap();
    (0..2).for_each(|_| scheduler.heartbeat(Heartbeat::new(&node)));
    let mut answer = Allocation::default();
    scheduler.allocate(&app, &AllocateRequest::default(), &mut answer).unwrap();
    let [container] = &answer.granted[..] else { panic!("one was granted: {answer:?}") };
    scheduler.finish(&app).unwrap();
    let mut stops = Vec::new();
    node.take_stops(&mut stops);
    assert_eq!(stops, [container.id]);
    // Started after all: once more.
    let mut late = Heartbeat::new(&node);
    late.add_launched([container.id]);
    scheduler.heartbeat(&late);
    node.take_stops(&mut stops);
    assert_eq!(stops, [container.id; 2]);
}

#[test]
fn on_threads_a_node_that_comes_back_stops_what_it_ran_before() {
    let scheduler = builder(&[]).node_stops(true).start().unwrap();
    let node = scheduler.add_node("n1", "/r1", Resource::new(20_480, 20)).unwrap();
    let app = scheduler.submit(submission(1, "ann", "a")).unwrap();
    scheduler.allocate(&app, &ask(1), &mut Allocation::default()).unwrap();
    scheduler.quiesce().unwrap();
    (0..2).for_each(|_| scheduler.heartbeat(Heartbeat::new(&node)).unwrap());
    scheduler.quiesce().unwrap();
    let mut answer = Allocation::default();
    scheduler.allocate(&app, &AllocateRequest::default(), &mut answer).unwrap();
    let [container] = &answer.granted[..] else { panic!("one was granted: {answer:?}") };
    scheduler.remove_node(&node).unwrap();
    let node = scheduler.add_node("n1", "/r1", Resource::new(20_480, 20)).unwrap();
    let mut report = Heartbeat::new(&node);
    report.add_launched([container.id]);
    scheduler.heartbeat(report).unwrap();
    scheduler.quiesce().unwrap();
    let mut stops = Vec::new();
    node.take_stops(&mut stops);
    assert_eq!(stops, [container.id]);
    scheduler.shutdown().unwrap();
}

/// Nodes report, AMs call, and somebody looks: at no instant does the queue use more than it may.
#[test]
fn on_threads_a_maximum_holds_at_every_instant() {
    const APPS: u32 = 4;
    const CONTAINERS: usize = 60;
    let scheduler = builder(&[]).start().unwrap();
    let nodes: Vec<_> = (0..4)
        .map(|number| scheduler.add_node(&format!("n{number}"), "/r1", Resource::new(5120, 5)).unwrap())
        .collect();
    let apps: Vec<_> = (1..=APPS).map(|number| scheduler.submit(submission(number, "ann", "b")).unwrap()).collect();
    let over = AtomicBool::new(false);
    let most = std::thread::scope(|scope| {
        let until_here = Raised(&over);
        let ams: Vec<_> = apps
            .iter()
            .map(|app| {
                let scheduler = &scheduler;
                scope.spawn(move || {
                    let mut request = ask(u32::try_from(CONTAINERS).unwrap());
                    let mut had = 0;
                    until("all that was asked for", || {
                        let granted = allocate(scheduler, app, &request).unwrap().granted;
                        had += granted.len();
                        // What has come goes back at once.
                        request =
                            AllocateRequest::default().with_releases(granted.iter().map(|container| container.id));
                        had >= CONTAINERS
                    });
                    allocate(scheduler, app, &request).unwrap();
                    had
                })
            })
            .collect();
        let reporting = scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                for node in &nodes {
                    let _ = scheduler.heartbeat(Heartbeat::new(node));
                }
                std::thread::yield_now();
            }
        });
        let looking = scope.spawn(|| {
            let mut most = 0;
            while !over.load(Ordering::Relaxed) {
                let queues = scheduler.queues().unwrap();
                let b = queues.iter().find(|queue| queue.name == "root.b").unwrap();
                most = most.max(b.used.memory_mb());
            }
            most
        });
        let had: Vec<usize> = ams.into_iter().map(|am| am.join().unwrap()).collect();
        drop(until_here);
        reporting.join().unwrap();
        assert_eq!(had, [CONTAINERS; APPS as usize], "everybody gets what it asked for, and no more");
        looking.join().unwrap()
    });
    assert!(most <= 8192, "{most} MB of 8192 were used at once");
    scheduler.quiesce().unwrap();
    let queues = scheduler.queues_with_limits().unwrap();
    assert!(queues.iter().all(|queue| queue.used.is_zero() && queue.pending.is_zero() && queue.containers == 0));
    let root = queues.iter().find(|queue| queue.name == "root").unwrap();
    assert_eq!(root.applications, i64::from(APPS));
    apps.iter().for_each(|app| scheduler.finish(app).unwrap());
    scheduler.quiesce().unwrap();
    let queues = scheduler.queues_with_limits().unwrap();
    assert!(queues.iter().all(|queue| queue.applications == 0));
    assert!(queues.iter().filter_map(|queue| queue.leaf.as_ref()).all(|leaf| leaf.users.is_empty()));
    scheduler.shutdown().unwrap();
}

/// The file of `docs/capacity.md`, and what the page says that it does.
#[test]
fn the_page_s_file_does_what_the_page_says() {
    const PAGE: &str = include_str!("../../docs/capacity.md");
    let (_, rest) = PAGE.split_once("```xml\n").expect("a file");
    let (text, _) = rest.split_once("```").expect("its end");
    let containers_of_ann = |text: &str| {
        let file = SiteFile::parse(text, "capacity-scheduler.xml").unwrap();
        let configuration = CapacityConfiguration::from_site(&SiteProperties::new(), &file).unwrap();
        let mut scheduler = CapacityScheduler::builder(configuration).stepped().unwrap();
        let node = scheduler.add_node("n1", "/r1", Resource::new(102_400, 100)).unwrap();
        let app = scheduler.submit(Submission::new(1, "ann")).unwrap();
        assert_eq!(app.queue(), "root.dev");
        assert_eq!(scheduler.submit(Submission::new(2, "bob")).unwrap().queue(), "root.default");
        assert!(matches!(scheduler.submit(submission(3, "bob", "test")), Err(Refused::NotFound(NotFound::Queue(_)))));
        scheduler.allocate(&app, &ask(100), &mut Allocation::default()).unwrap();
        scheduler.heartbeat(Heartbeat::new(&node));
        assert_eq!(granted(&mut scheduler, &app), 1, "one a heartbeat");
        (0..100).for_each(|_| scheduler.heartbeat(Heartbeat::new(&node)));
        1 + granted(&mut scheduler, &app)
    };
    assert_eq!(containers_of_ann(text), 50, "of 100");
    let silent: Vec<&str> = text.lines().filter(|line| !line.contains("user-limit-factor")).collect();
    assert_eq!(silent.len() + 1, text.lines().count());
    assert_eq!(containers_of_ann(&silent.join("\n")), 21, "the capacity, and the container that begins at it");
}

/// What a queue may have and how many applications it takes, where the scheduler starts with `first` and its queues are
/// refreshed from `then`.
fn by_weight(first: &[(&str, &str)], then: Option<&[(&str, &str)]>) -> (f32, i64, i64) {
    let mut scheduler = stepped(first);
    scheduler.add_node("n1", "/r1", Resource::new(20_480, 20)).expect("a node that can be");
    if let Some(then) = then {
        scheduler.refresh_properties(QUEUES.iter().chain(then).copied()).expect("queues that can be");
    }
    let queues = scheduler.queues();
    let a = queues.iter().find(|queue| queue.name == "root.a").expect("it is configured");
    (a.absolute_capacity, a.guaranteed.memory_mb(), a.leaf.as_ref().expect("a leaf").max_applications.into())
}

/// Hadoop asks for the queue mode once more when it starts, and never again.
#[test]
fn weights_give_fractions_where_the_legacy_queue_mode_is_off_at_the_start() {
    let weights = [
        ("yarn.scheduler.capacity.legacy-queue-mode.enabled", "false"),
        ("yarn.scheduler.capacity.root.a.capacity", "3w"),
        ("yarn.scheduler.capacity.root.b.capacity", "1w"),
        ("yarn.scheduler.capacity.root.b.maximum-capacity", "100"),
    ];
    assert_eq!(by_weight(&weights, None), (0.75, 15_360, 7500));
    assert_eq!(by_weight(&weights, Some(&weights)), (0.75, 15_360, 7500));
    assert_eq!(by_weight(&[], Some(&weights)), (0.0, 15_360, 0), "the file at the start was in the legacy mode");
}

/// As at the start: what is not here is not taken over silently.
#[test]
fn a_refresh_with_what_is_not_here_is_refused() {
    let mut scheduler = stepped(&[]);
    for more in [
        &[("yarn.resourcemanager.placement-constraints.handler", "scheduler")][..],
        &[
            ("yarn.scheduler.capacity.root.accessible-node-labels.gpu.capacity", "100"),
            ("yarn.scheduler.capacity.root.a.accessible-node-labels", "gpu"),
            ("yarn.scheduler.capacity.root.a.accessible-node-labels.gpu.capacity", "100"),
        ],
        &[("yarn.scheduler.capacity.root.a.default-node-label-expression", "gpu")],
    ] {
        let refused = scheduler.refresh_properties(QUEUES.into_iter().chain(more.iter().copied())).unwrap_err();
        assert!(refused.to_string().contains("not supported: "), "{refused}");
    }
    scheduler.refresh_properties(QUEUES).unwrap();
}

/// A start compares amounts without nodes, a refresh with what the nodes have.
#[test]
fn a_refresh_compares_amounts_on_the_cluster() {
    let amounts = [
        (
            "yarn.scheduler.capacity.resource-calculator",
            "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator",
        ),
        ("yarn.scheduler.capacity.root.a.capacity", "[memory=4096,vcores=4]"),
        ("yarn.scheduler.capacity.root.a.queues", "x,y"),
        ("yarn.scheduler.capacity.root.a.x.capacity", "[memory=4096,vcores=1]"),
        ("yarn.scheduler.capacity.root.a.y.capacity", "[memory=1024,vcores=1]"),
        ("yarn.scheduler.capacity.root.b.capacity", "[memory=1024,vcores=1]"),
        ("yarn.scheduler.capacity.root.b.maximum-capacity", "[memory=1024,vcores=1]"),
    ];
    let refresh = |total: Resource| {
        let mut scheduler = stepped(&amounts);
        scheduler.add_node("n1", "/r1", total).unwrap();
        scheduler.refresh_properties(QUEUES.into_iter().chain(amounts))
    };
    let refused = refresh(Resource::new(8192, 32)).unwrap_err();
    assert!(refused.to_string().contains("capacity: <memory:4096, vCores:4> is less than"), "{refused}");
    refresh(Resource::new(32_768, 8)).unwrap();
}

/// Nodes of `gpu` are for `b`, and lent to `a`. A round marks at once what it takes, and the next one ends it.
fn lending() -> CapacityStepped {
    let queues = [
        ("yarn.scheduler.capacity.root.queues", "a,b"),
        ("yarn.scheduler.capacity.root.a.capacity", "50"),
        ("yarn.scheduler.capacity.root.a.user-limit-factor", "10"),
        ("yarn.scheduler.capacity.root.a.accessible-node-labels", " "),
        ("yarn.scheduler.capacity.root.b.capacity", "50"),
        ("yarn.scheduler.capacity.root.b.accessible-node-labels", "*"),
        ("yarn.scheduler.capacity.root.b.accessible-node-labels.gpu.capacity", "100"),
        ("yarn.scheduler.capacity.root.b.accessible-node-labels.other.capacity", "100"),
        ("yarn.scheduler.capacity.maximum-am-resource-percent", "1"),
    ];
    let site = [
        ("yarn.node-labels.enabled", "true"),
        ("yarn.resourcemanager.scheduler.monitor.enable", "true"),
        ("yarn.resourcemanager.monitor.capacity.preemption.total_preemption_per_round", "1"),
        ("yarn.resourcemanager.monitor.capacity.preemption.natural_termination_factor", "1"),
        ("yarn.resourcemanager.monitor.capacity.preemption.max_wait_before_kill", "0"),
    ];
    let mut scheduler = capacity(site, queues).stepped().expect("nothing that is not built");
    let label = |name: &str| NewLabel { name: name.to_owned(), exclusive: false };
    scheduler.add_labels(&[label("gpu"), label("other")]).expect("labels are on");
    scheduler.set_node_labels(&[("n1", &["gpu"]), ("n2", &["gpu"])]).expect("the label is there");
    scheduler
}

fn of(size: i64, count: u32) -> AllocateRequest {
    AllocateRequest::new([Ask::anywhere(1, Resource::new(size, 1), count)])
}

/// `b` asks for so much on nodes of `gpu`.
fn wants_back(scheduler: &mut CapacityStepped, size: i64, count: u32) {
    let app = scheduler.submit(submission(9, "bob", "b")).expect("the queue is there");
    let ask = Ask::anywhere(1, Resource::new(size, 1), count).labelled(scheduler.label("gpu"));
    scheduler.allocate(&app, &AllocateRequest::new([ask]), &mut Allocation::default()).expect("b may use the label");
}

/// As in Hadoop, whose list keeps the reservation that it was (rules/node-labels.md 19).
#[test]
fn a_lent_container_that_was_reserved_is_marked_and_stays() {
    let mut scheduler = lending();
    let node = scheduler.add_node("n1", "/r1", Resource::new(4096, 8)).unwrap();
    // It never reports; with it there is room for a reservation.
    scheduler.add_node("n2", "/r1", Resource::new(4096, 8)).unwrap();
    let app = scheduler.submit(submission(1, "ann", "a")).unwrap();
    let mut answer = Allocation::default();
    let beats = |scheduler: &mut CapacityStepped| (0..4).for_each(|_| scheduler.heartbeat(Heartbeat::new(&node)));
    scheduler.allocate(&app, &of(1024, 1), &mut answer).unwrap();
    beats(&mut scheduler);
    let small = fetch(&mut scheduler, &app).granted[0].id;
    scheduler.allocate(&app, &of(4096, 1), &mut answer).unwrap();
    beats(&mut scheduler);
    assert_eq!(scheduler.reservations().len(), 1);
    let mut release = AllocateRequest::default();
    release.releases.push(small);
    scheduler.allocate(&app, &release, &mut answer).unwrap();
    let mut told = Heartbeat::new(&node);
    told.add_completed([small]);
    scheduler.heartbeat(&told);
    beats(&mut scheduler);
    let held = scheduler.containers();
    assert_eq!((scheduler.reservations().len(), held.len()), (0, 1), "it is a container by now");
    wants_back(&mut scheduler, 1024, 8);
    assert_eq!(scheduler.preempt().unwrap()[0].containers, [held[0].id]);
    scheduler.preempt().unwrap();
    assert_eq!(scheduler.containers().len(), 1, "it is marked, and does not end");
}

/// What has ended on a node that got another label meanwhile is in the list for ever; a round fails where that node is
/// gone (rules/node-labels.md 15, 19).
#[test]
fn a_round_fails_where_the_node_of_what_was_lent_is_gone() {
    let run = |is_gone: bool| {
        let mut scheduler = lending();
        let nodes = ["n1", "n2"].map(|name| scheduler.add_node(name, "/r1", Resource::new(4096, 8)).unwrap());
        let app = scheduler.submit(submission(1, "ann", "a")).unwrap();
        scheduler.allocate(&app, &of(1024, 8), &mut Allocation::default()).unwrap();
        for _ in 0..8 {
            nodes.iter().for_each(|node| scheduler.heartbeat(Heartbeat::new(node)));
        }
        assert_eq!(fetch(&mut scheduler, &app).granted.len(), 8);
        scheduler.set_node_labels(&[("n1", &["other"])]).unwrap();
        if is_gone {
            scheduler.remove_node(&nodes[0]).unwrap();
        }
        wants_back(&mut scheduler, 1024, 4);
        scheduler.preempt().unwrap().iter().map(PreemptionRound::count).sum::<usize>()
    };
    assert!(run(false) > 0);
    assert_eq!(run(true), 0);
}

/// An attempt that has ended stands in no list; its AM goes along with its node to another partition. Those that wait
/// are counted as before, and start as soon as there is room.
#[test]
fn the_am_of_an_attempt_that_has_ended_is_none_that_waits() {
    let more = [
        ("yarn.scheduler.capacity.root.a.maximum-am-resource-percent", "0.1"),
        ("yarn.scheduler.capacity.root.a.accessible-node-labels", "*"),
        ("yarn.scheduler.capacity.root.a.accessible-node-labels.gpu.capacity", "100"),
    ];
    let site = [("yarn.node-labels.enabled", "true")];
    let mut scheduler = capacity(site, QUEUES.into_iter().chain(more)).stepped().expect("nothing that is not built");
    scheduler.add_labels(&[NewLabel { name: "gpu".to_owned(), exclusive: true }]).unwrap();
    let nodes = ["n1", "n2"].map(|name| scheduler.add_node(name, "/r1", Resource::new(4096, 8)).unwrap());
    let beats = |scheduler: &mut CapacityStepped, at: usize| scheduler.heartbeat(Heartbeat::new(&nodes[at]));
    let am = Resource::new(1024, 1);
    let apps = [1, 2, 3].map(|number| scheduler.submit(submission(number, "ann", "a").with_am(am)).unwrap());
    beats(&mut scheduler, 0);
    assert_eq!(granted(&mut scheduler, &apps[0]), 1, "its AM runs on n1");
    scheduler.stop_attempt(&apps[0]).unwrap();
    scheduler.set_node_labels(&[("n1", &["gpu"])]).unwrap();
    scheduler.finish(&apps[0]).unwrap();
    assert_eq!(scheduler.audit(true).wrong, [""; 0]);
    beats(&mut scheduler, 1);
    assert_eq!(granted(&mut scheduler, &apps[1]), 1);
    scheduler.finish(&apps[1]).unwrap();
    beats(&mut scheduler, 1);
    assert_eq!(granted(&mut scheduler, &apps[2]), 1, "it has waited for the one before");
}

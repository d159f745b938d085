//! Queues that make themselves: what they are made from, how many there may be, when they go, what a refresh leaves of
//! them.

use evenweave::SchedulerApi as _;
use evenweave::config::QueueAccess;
use evenweave::config::capacity::QueueMaking;
use evenweave::refused::{Denied, NoQueue, NotFound};
use evenweave::view::CapacityQueueView;
use evenweave::{
    Allocation, AppHandle, BuildError, CapacityConfiguration, CapacityScheduler, CapacityStepped, Heartbeat, Refused,
    Resource, Submission,
};
use evenweave_testkit::{ask, until};
use std::collections::BTreeMap;

type Pairs<'a> = &'a [(&'a str, &'a str)];

const FLEXIBLE: Pairs<'static> = &[
    ("root.queues", "a,teams"),
    ("root.a.capacity", "1w"),
    ("root.teams.capacity", "3w"),
    ("root.teams.auto-queue-creation-v2.enabled", "true"),
    ("root.teams.auto-queue-creation-v2.template.capacity", "2w"),
    ("root.teams.auto-queue-creation-v2.leaf-template.user-limit-factor", "4"),
    ("root.teams.auto-queue-creation-v2.leaf-template.maximum-capacity", "50"),
    ("auto-queue-creation-v2.queue-expiration-time", "10"),
];

const MANAGED: Pairs<'static> = &[
    ("root.queues", "a,users"),
    ("root.a.capacity", "50"),
    ("root.users.capacity", "50"),
    ("root.users.auto-create-child-queue.enabled", "true"),
    ("root.users.leaf-queue-template.capacity", "50"),
    ("queue-mappings", "u:%user:root.users.%user"),
];

/// Short names of properties in full; later ones count.
fn full(pairs: Pairs<'_>, more: Pairs<'_>) -> BTreeMap<String, String> {
    let all = pairs.iter().chain(more);
    all.map(|(name, value)| (format!("yarn.scheduler.capacity.{name}"), (*value).to_owned())).collect()
}

fn texts(of: &BTreeMap<String, String>) -> impl Iterator<Item = (&str, &str)> {
    of.iter().map(|(name, value)| (name.as_str(), value.as_str()))
}

fn built(site: Pairs<'_>, pairs: Pairs<'_>, more: Pairs<'_>) -> CapacityStepped {
    let configuration = CapacityConfiguration::from_properties(site.iter().copied(), texts(&full(pairs, more)));
    CapacityScheduler::builder(configuration.expect("queues that can be")).stepped().expect("all of it is built")
}

fn with_nodes(pairs: Pairs<'_>, more: Pairs<'_>) -> CapacityStepped {
    let mut scheduler = built(&[], pairs, more);
    scheduler.add_node("n1", "/r1", Resource::new(16_384, 16)).expect("a node");
    scheduler
}

fn submit(scheduler: &mut CapacityStepped, number: u32, user: &str, queue: &str) -> Result<AppHandle, Refused> {
    scheduler.submit(Submission::new(number, user).in_queue(queue))
}

fn queue(scheduler: &mut CapacityStepped, name: &str) -> Option<CapacityQueueView> {
    scheduler.queues().into_iter().find(|queue| queue.name == name)
}

/// The names of queues that have made themselves.
fn made(scheduler: &mut CapacityStepped) -> Vec<String> {
    scheduler.queues().into_iter().filter(|queue| queue.making.is_some()).map(|queue| queue.name).collect()
}

#[test]
fn a_queue_and_its_parent_make_themselves_from_templates() {
    let mut scheduler = with_nodes(FLEXIBLE, &[]);
    submit(&mut scheduler, 1, "ann", "root.teams.web.ann").unwrap();
    assert_eq!(made(&mut scheduler), ["root.teams.web", "root.teams.web.ann"]);
    let (web, ann) =
        (queue(&mut scheduler, "root.teams.web").unwrap(), queue(&mut scheduler, "root.teams.web.ann").unwrap());
    assert_eq!((web.making, web.leaf.is_some()), (Some(QueueMaking::Flexible), false));
    // What is below a parent that has made itself is not the template's: a weight of 1.
    assert_eq!((web.guaranteed.memory_mb(), ann.guaranteed.memory_mb()), (12_288, 12_288));
    submit(&mut scheduler, 2, "bob", "root.teams.bob").unwrap();
    let bob = queue(&mut scheduler, "root.teams.bob").unwrap();
    assert_eq!(
        (bob.guaranteed.memory_mb(), bob.maximum.memory_mb()),
        (6144, 8192),
        "half of the weights, half at most"
    );
    assert_eq!(bob.leaf.as_ref().map(|leaf| (leaf.user_limit_factor, leaf.am_percent)), Some((4.0, 1.0)));
    assert_eq!(
        queue(&mut scheduler, "root.teams.web.ann").unwrap().guaranteed.memory_mb(),
        6144,
        "its siblings have less"
    );
}

#[test]
fn a_path_that_begins_with_a_short_name_is_that_of_the_same_queue() {
    let mut scheduler = with_nodes(FLEXIBLE, &[]);
    submit(&mut scheduler, 1, "ann", "teams.web.ann").unwrap();
    for (number, path) in [(2, "teams.web.ann"), (3, "root.teams.web.ann"), (4, "ann")] {
        submit(&mut scheduler, number, "ann", path).unwrap();
    }
    assert_eq!(made(&mut scheduler), ["root.teams.web", "root.teams.web.ann"]);
    assert_eq!(queue(&mut scheduler, "root.teams.web.ann").unwrap().applications, 4);
    assert_eq!(
        submit(&mut scheduler, 5, "ann", "web.ann").unwrap_err().kind(),
        "no-such-queue",
        "web is no configured queue"
    );
    let refused = submit(&mut scheduler, 6, "ann", "teams.web").unwrap_err();
    assert_eq!(refused, Refused::NoQueue(NoQueue::NotLeaf { queue: "teams.web".to_owned() }));
}

#[test]
fn it_takes_applications_and_gets_containers() {
    let mut scheduler = with_nodes(FLEXIBLE, &[]);
    let node = scheduler.find_node("n1").unwrap();
    let app = scheduler.submit(Submission::new(1, "ann").in_queue("root.teams.ann")).unwrap();
    let asks = ask(20);
    scheduler.allocate(&app, &asks, &mut Allocation::default()).unwrap();
    for _ in 0..20 {
        scheduler.heartbeat(Heartbeat::new(&node));
    }
    let ann = queue(&mut scheduler, "root.teams.ann").unwrap();
    assert_eq!((ann.used.memory_mb(), ann.applications), (8192, 1), "its maximum is half of the cluster");
    assert_eq!(queue(&mut scheduler, "root").unwrap().used.memory_mb(), 8192);
}

#[test]
fn what_may_not_make_itself_does_not() {
    let more: Pairs<'_> = &[
        ("root.teams.auto-queue-creation-v2.max-queues", "1"),
        ("queue-mappings", "u:cat:root.teams.%user"),
        ("root.queues", "a,teams,none"),
        ("root.none.capacity", "1w"),
    ];
    let mut scheduler = with_nodes(FLEXIBLE, more);
    let refused = |scheduler: &mut CapacityStepped, queue| submit(scheduler, 9, "cat", queue).unwrap_err();
    for queue in ["root.teams.x.y.z", "root.a.x", "root.nowhere.x", "ann", "root.teams..x", "root.teams."] {
        assert_eq!(refused(&mut scheduler, queue), Refused::NotFound(NotFound::Queue(queue.to_owned())));
    }
    submit(&mut scheduler, 1, "ann", "root.teams.ann").unwrap();
    assert_eq!(refused(&mut scheduler, "root.teams.bob").kind(), "no-such-queue");
    let by_rule = refused(&mut scheduler, "default");
    let why = "root.teams has 1 child queues, and may have max-queues 1".to_owned();
    assert_eq!(by_rule, Refused::NoQueue(NoQueue::NotMade { queue: "root.teams.cat".to_owned(), why }));
    assert_eq!(made(&mut scheduler), ["root.teams.ann"]);
}

#[test]
fn a_template_that_cannot_be_meant_refuses_the_queue_and_changes_nothing() {
    for (key, value) in [("capacity", "50"), ("ordering-policy", "unheard-of"), ("state", "maybe")] {
        let name = format!("root.teams.auto-queue-creation-v2.leaf-template.{key}");
        let mut scheduler = with_nodes(FLEXIBLE, &[(&name, value), ("queue-mappings", "u:ann:root.teams.%user")]);
        let before = scheduler.queues_with_limits();
        let refused = submit(&mut scheduler, 1, "ann", "default").unwrap_err();
        assert_eq!(refused.kind(), "not-made", "{key}: {refused}");
        assert_eq!(scheduler.queues_with_limits(), before, "{key}");
        submit(&mut scheduler, 2, "ann", "root.a").unwrap();
    }
}

#[test]
fn a_queue_that_nobody_needs_goes_and_another_takes_its_place() {
    let mut scheduler = with_nodes(FLEXIBLE, &[]);
    for round in 0..5 {
        let (path, user) = (format!("root.teams.t{round}.ann"), "ann");
        let app = submit(&mut scheduler, round, user, &path).unwrap();
        assert_eq!(made(&mut scheduler).len(), 2);
        scheduler.expire_queues();
        scheduler.advance(20_000);
        scheduler.expire_queues();
        assert_eq!(made(&mut scheduler).len(), 2, "it has an application");
        scheduler.finish(&app).unwrap();
        scheduler.expire_queues();
        assert_eq!(made(&mut scheduler).len(), 2, "it has been seen idle once");
        scheduler.expire_queues();
        assert_eq!(made(&mut scheduler).len(), 1, "the leaf");
        scheduler.expire_queues();
        assert_eq!(made(&mut scheduler).len(), 1, "the parent has been seen once");
        scheduler.expire_queues();
        assert!(made(&mut scheduler).is_empty());
        assert_eq!(queue(&mut scheduler, "root.teams").unwrap().applications, 0);
    }
}

#[test]
fn it_stays_as_long_as_the_time_has_not_passed_or_it_is_told_to() {
    let stays = ("root.teams.bob.auto-queue-creation-v2.queue-auto-removal.enable", "false");
    let mut scheduler = with_nodes(FLEXIBLE, &[stays]);
    for (number, user) in [(1, "ann"), (2, "bob")] {
        let app = submit(&mut scheduler, number, user, &format!("root.teams.{user}")).unwrap();
        scheduler.finish(&app).unwrap();
    }
    scheduler.advance(10_999);
    (0..3).for_each(|_| scheduler.expire_queues());
    assert_eq!(made(&mut scheduler), ["root.teams.ann", "root.teams.bob"], "10 seconds are not more than 10");
    scheduler.advance(1);
    (0..2).for_each(|_| scheduler.expire_queues());
    assert_eq!(made(&mut scheduler), ["root.teams.bob"]);
}

#[test]
fn a_refresh_keeps_them_with_what_runs_and_reads_their_templates_anew() {
    let mut scheduler = with_nodes(FLEXIBLE, &[]);
    submit(&mut scheduler, 1, "ann", "root.teams.ann").unwrap();
    submit(&mut scheduler, 2, "bob", "root.teams.web.bob").unwrap();
    let weight = ("root.teams.auto-queue-creation-v2.template.capacity", "6w");
    let listed: Pairs<'_> = &[weight, ("root.teams.queues", "ann"), ("root.teams.ann.capacity", "2w")];
    scheduler.refresh_properties(texts(&full(FLEXIBLE, listed))).unwrap();
    assert_eq!(made(&mut scheduler), ["root.teams.web", "root.teams.web.bob"], "ann is a configured queue by now");
    let web = queue(&mut scheduler, "root.teams.web").unwrap();
    assert_eq!((web.guaranteed.memory_mb(), web.applications), (9216, 1), "6 of 8");
    let ann = queue(&mut scheduler, "root.teams.ann").unwrap();
    assert_eq!((ann.applications, ann.leaf.map(|leaf| leaf.user_limit_factor)), (1, Some(1.0)));
    let refused = scheduler.refresh_properties(texts(&full(FLEXIBLE, &[]))).unwrap_err();
    assert!(refused.to_string().contains("root.teams.ann cannot be deleted"), "{refused}");
    assert_eq!(made(&mut scheduler).len(), 2);
}

#[test]
fn leaves_of_a_managed_parent_have_the_template_s_part_while_it_lasts() {
    let mut scheduler = with_nodes(MANAGED, &[]);
    let apps = [(1, "ann"), (2, "bob"), (3, "cat")]
        .map(|(number, user)| submit(&mut scheduler, number, user, "default").unwrap());
    let of = |scheduler: &mut CapacityStepped| {
        ["ann", "bob", "cat"]
            .map(|user| queue(scheduler, &format!("root.users.{user}")).unwrap().guaranteed.memory_mb())
    };
    assert_eq!(of(&mut scheduler), [4096, 4096, 0]);
    assert_eq!(queue(&mut scheduler, "root.users.cat").unwrap().making, Some(QueueMaking::Managed));
    scheduler.manage_queues();
    assert_eq!(of(&mut scheduler), [4096, 4096, 0], "nothing is idle");
    scheduler.finish(&apps[0]).unwrap();
    scheduler.manage_queues();
    assert_eq!(of(&mut scheduler), [0, 4096, 4096]);
    (0..3).for_each(|_| scheduler.expire_queues());
    assert_eq!(made(&mut scheduler).len(), 3, "they do not go");
}

/// 0.1 % of the cluster may be lacking (rules/capacity.md 26): of the parent's half two leaves get 25.025 % each.
#[test]
fn a_leaf_of_a_managed_parent_has_its_part_where_little_is_lacking() {
    let mut scheduler = with_nodes(MANAGED, &[("root.users.leaf-queue-template.capacity", "50.05")]);
    for (number, user) in [(1, "ann"), (2, "bob"), (3, "cat")] {
        submit(&mut scheduler, number, user, "default").unwrap();
    }
    let of = ["ann", "bob", "cat"]
        .map(|user| queue(&mut scheduler, &format!("root.users.{user}")).unwrap().guaranteed.memory_mb());
    assert_eq!(of, [4100, 4100, 0]);
}

#[test]
fn a_leaf_of_a_managed_parent_takes_whom_a_rule_leads_there() {
    let more: Pairs<'_> = &[
        ("root.users.auto-create-child-queue.max-queues", "2"),
        ("root.users.leaf-queue-template.maximum-applications", "1"),
    ];
    let mut scheduler = with_nodes(MANAGED, more);
    submit(&mut scheduler, 1, "ann", "default").unwrap();
    let refused = submit(&mut scheduler, 2, "ann", "root.users.ann").unwrap_err();
    assert_eq!(
        refused,
        Refused::NoQueue(NoQueue::OnlyByRule { queue: "root.users.ann".to_owned(), user: "ann".to_owned() })
    );
    submit(&mut scheduler, 3, "ann", "default").expect("limits of applications are not for it");
    submit(&mut scheduler, 4, "bob", "default").unwrap();
    assert_eq!(submit(&mut scheduler, 5, "cat", "default").unwrap_err().kind(), "not-made");
}

#[test]
fn lists_are_the_templates_once_a_refresh_has_read_them() {
    let more: Pairs<'_> = &[
        ("root.acl_submit_applications", " "),
        ("root.acl_administer_queue", " "),
        ("root.teams.auto-queue-creation-v2.leaf-template.acl_submit_applications", "ann"),
    ];
    let site: Pairs<'_> = &[("yarn.acl.enable", "true")];
    let mut scheduler = built(site, FLEXIBLE, more);
    let refused = submit(&mut scheduler, 1, "bob", "root.teams.x").unwrap_err();
    assert_eq!(refused, Refused::Denied(Denied::Queue { user: "bob".to_owned(), queue: "root.teams.x".to_owned() }));
    assert!(made(&mut scheduler).is_empty());
    submit(&mut scheduler, 2, "ann", "root.teams.x").unwrap();
    // As in Hadoop the lists of a queue that is there are not known before a refresh.
    assert_eq!(submit(&mut scheduler, 3, "ann", "root.teams.x").unwrap_err().kind(), "acl");
    scheduler.refresh_properties(texts(&full(FLEXIBLE, more))).unwrap();
    submit(&mut scheduler, 4, "ann", "root.teams.x").unwrap();
    assert!(!scheduler.has_access("bob", "root.teams.x", QueueAccess::Submit));
}

#[test]
fn mapping_rules_may_stand_in_a_file_of_their_own() {
    let path = std::env::temp_dir().join(format!("evenweave-rules-{}.json", std::process::id()));
    let file = path.to_str().expect("a path that is text").to_owned();
    let more: Pairs<'_> = &[("mapping-rule-format", "json"), ("mapping-rule-json-file", &file)];
    let rules = |parent: &str| {
        format!(r#"{{"rules": [{{"type": "user", "matches": "*", "policy": "user", "parentQueue": "{parent}"}}]}}"#)
    };
    let read = || CapacityConfiguration::from_properties([], texts(&full(FLEXIBLE, more)));
    let missing = read().unwrap_err();
    assert_eq!(missing.property, "yarn.scheduler.capacity.mapping-rule-json-file");
    std::fs::write(&path, rules("root.nowhere")).unwrap();
    assert_eq!(read().unwrap_err().property, "yarn.scheduler.capacity.mapping-rule-json-file");
    std::fs::write(&path, rules("root.teams")).unwrap();
    let mut scheduler = CapacityScheduler::builder(read().unwrap()).stepped().unwrap();
    submit(&mut scheduler, 1, "ann", "default").unwrap();
    assert_eq!(made(&mut scheduler), ["root.teams.ann"]);
    // A refresh reads it once more, whether or not queues have made themselves.
    std::fs::write(&path, rules("root.teams.web")).unwrap();
    scheduler.refresh_properties(texts(&full(FLEXIBLE, more))).unwrap();
    submit(&mut scheduler, 2, "bob", "default").unwrap();
    assert_eq!(scheduler.apps().last().map(|app| app.queue.clone()).as_deref(), Some("root.teams.web.bob"));
    std::fs::write(&path, "{").unwrap();
    assert_eq!(scheduler.refresh_properties(texts(&full(FLEXIBLE, more))).unwrap_err().kind(), "bad-configuration");
    submit(&mut scheduler, 3, "cat", "default").expect("the rules are as before");
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn on_threads_monitors_divide_and_remove_by_themselves() {
    let package = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.";
    let policies = format!("{package}AutoCreatedQueueDeletionPolicy,{package}QueueManagementDynamicEditPolicy");
    let site: Pairs<'_> = &[
        ("yarn.resourcemanager.scheduler.monitor.enable", "true"),
        ("yarn.resourcemanager.scheduler.monitor.policies", &policies),
        ("yarn.resourcemanager.monitor.capacity.queue-management.monitoring-interval", "5"),
    ];
    let more: Pairs<'_> = &[
        ("root.queues", "a,teams,users"),
        ("root.users.capacity", "1w"),
        ("root.users.auto-create-child-queue.enabled", "true"),
        ("root.users.leaf-queue-template.capacity", "100"),
        ("queue-mappings", "u:%user:root.users.%user"),
        ("auto-queue-creation-v2.queue-expiration-time", "0"),
    ];
    let configuration = CapacityConfiguration::from_properties(site.iter().copied(), texts(&full(FLEXIBLE, more)));
    let scheduler = CapacityScheduler::builder(configuration.unwrap()).start().unwrap();
    scheduler.add_node("n1", "/r1", Resource::new(16_384, 16)).unwrap();
    let submit = |number, user, queue| scheduler.submit(Submission::new(number, user).in_queue(queue)).unwrap();
    let (ann, _bob) = (submit(1, "ann", "default"), submit(2, "bob", "default"));
    let team = submit(3, "ann", "root.teams.ann");
    let guaranteed = |name: &str| {
        let queues = scheduler.queues().unwrap();
        queues.into_iter().find(|queue| queue.name == name).map(|queue| queue.guaranteed.memory_mb())
    };
    assert_eq!(guaranteed("root.users.bob"), Some(0));
    scheduler.finish(&ann).unwrap();
    scheduler.finish(&team).unwrap();
    until("what ann leaves behind", || {
        guaranteed("root.users.bob") != Some(0) && guaranteed("root.teams.ann").is_none()
    });
    assert_eq!(guaranteed("root.users.ann"), Some(0));
    scheduler.shutdown().unwrap();
}

/// After a restart, where no more may be known of a queue than its last name: as in Hadoop a rule that leads to that
/// name makes the queue anew, whether or not rules count for those who name a queue.
#[test]
fn an_accepted_application_makes_the_queue_anew_that_a_rule_has_made() {
    let mut scheduler = with_nodes(MANAGED, &[]);
    scheduler.submit(Submission::new(1, "ann").accepted_in("ann")).unwrap();
    assert_eq!(made(&mut scheduler), ["root.users.ann"]);
    let other = scheduler.submit(Submission::new(2, "ann").accepted_in("bob"));
    assert!(matches!(other, Err(Refused::NotFound(NotFound::Queue(queue))) if queue == "bob"));
    assert_eq!(made(&mut scheduler), ["root.users.ann"]);
}

#[test]
fn what_cannot_be_built_is_told_before_anything_runs() {
    let policy = ("root.users.auto-create-child-queue.management-policy", "org.example.Policy");
    let read = CapacityConfiguration::from_properties([], texts(&full(MANAGED, &[policy])));
    assert!(read.unwrap_err().to_string().contains("org.example.Policy"));
    let fits: Result<_, BuildError> =
        CapacityScheduler::builder(CapacityConfiguration::from_properties([], texts(&full(MANAGED, &[]))).unwrap())
            .stepped();
    assert!(fits.is_ok());
}

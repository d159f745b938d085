//! Who may have which priority: `acl_application_max_priority`, at submissions and changes, on both drivers.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use evenweave::SchedulerApi as _;
use evenweave::refused::Denied;
use evenweave::{AppHandle, CapacityConfiguration, CapacityScheduler, CapacityStepped, Refused, Resource, Submission};
use flate2::read::GzDecoder;
use serde_json::Value;
use std::collections::HashMap;
use std::io::Read;
use std::sync::Arc;

/// Of Hadoop's own manager: `tools/tests/data/recorder/priority-acls`.
const RECORDED: &[u8] = include_bytes!("data/priority-acls/recorded.jsonl.gz");

/// The users of the recordings, and their groups.
const USERS: [(&str, &[&str]); 5] =
    [("ann", &["dev"]), ("bob", &["ops", "qa"]), ("cyd", &["dev", "ops"]), ("dan", &[]), ("eve", &["qa"])];

fn groups() -> HashMap<String, Vec<String>> {
    USERS.iter().map(|(user, of)| ((*user).to_owned(), of.iter().map(|name| (*name).to_owned()).collect())).collect()
}

const ACL: &str = "yarn.scheduler.capacity.root.a.acl_application_max_priority";

/// Queues `a`, with this ACL and a default of 3, and `b`.
fn queues(acl: &str) -> Vec<(&str, &str)> {
    vec![
        ("yarn.scheduler.capacity.root.queues", "a,b"),
        ("yarn.scheduler.capacity.root.a.capacity", "50"),
        ("yarn.scheduler.capacity.root.b.capacity", "50"),
        ("yarn.scheduler.capacity.root.a.default-application-priority", "3"),
        ("yarn.scheduler.capacity.root.acl_administer_queue", "boss"),
        (ACL, acl),
    ]
}

fn configuration(max: &str, enabled: &str, acl: &str) -> Option<CapacityConfiguration> {
    let site =
        [("yarn.acl.enable", enabled), ("yarn.admin.acl", "root"), ("yarn.cluster.max-application-priority", max)];
    CapacityConfiguration::from_properties(site, queues(acl)).ok()
}

fn stepped(max: &str, enabled: &str, acl: &str) -> Option<CapacityStepped> {
    let builder = CapacityScheduler::builder(configuration(max, enabled, acl)?);
    Some(builder.groups(Arc::new(groups())).stepped().unwrap())
}

fn submit(
    scheduler: &mut CapacityStepped,
    submission: Submission,
    priority: Option<i32>,
) -> Result<AppHandle, Refused> {
    match priority {
        Some(priority) => scheduler.submit_with_priority(submission, priority),
        None => scheduler.submit(submission),
    }
}

/// What Hadoop says of a priority, as the recordings have it.
fn said<T>(scheduler: &mut CapacityStepped, outcome: Result<T, Refused>) -> Value {
    match outcome {
        Ok(_) => scheduler.app(1).unwrap().priority.into(),
        Err(refused) => refused.kind().into(),
    }
}

/// Plays recorded ACLs; gives how many cases there were.
fn play(lines: &str) -> usize {
    let mut cases = 0;
    for line in lines.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let acl = case["acl"].as_str().unwrap();
        let mut scheduler = stepped(&case["max"].to_string(), "true", acl);
        assert_eq!(scheduler.is_some(), case["cases"].is_array(), "{line}");
        let Some(scheduler) = &mut scheduler else { continue };
        let mut outcomes = case["cases"].as_array().unwrap().iter();
        for (user, _) in USERS {
            for priority in -1..=11 {
                let expected = outcomes.next().unwrap();
                let outcome =
                    submit(scheduler, Submission::new(1, user).in_queue("a"), (priority >= 0).then_some(priority));
                let app = outcome.as_ref().ok().cloned();
                assert_eq!(said(scheduler, outcome), *expected, "{user} submits with {priority}: {acl}");
                app.map_or(Ok(()), |app| scheduler.finish(&app)).unwrap();
                // A change of one that came with the least priority, which his own groups may not let him have: `boss`
                // is in no list.
                if priority >= 0 && expected.is_number() {
                    let app = submit(scheduler, Submission::new(1, user).in_queue("b"), Some(-1)).unwrap();
                    scheduler.move_app(&app, "a").unwrap();
                    let outcome = scheduler.set_priority_as(user, &app, priority);
                    assert_eq!(said(scheduler, outcome), *expected, "{user} changes to {priority}: {acl}");
                    scheduler.finish(&app).unwrap();
                }
                cases += 1;
            }
        }
    }
    cases
}

#[test]
fn who_may_have_which_priority_is_as_hadoop_says() {
    let mut recorded = String::new();
    GzDecoder::new(RECORDED).read_to_string(&mut recorded).unwrap();
    if let Ok(path) = std::env::var("EVENWEAVE_PRIORITY_ACLS") {
        recorded += &std::fs::read_to_string(path).unwrap();
    }
    assert!(play(&recorded) > 10_000);
}

const TWO: &str = "[user=ann max_priority=2 default_priority=1] [user=cyd max_priority=7 default_priority=5]";

#[test]
fn a_change_is_of_who_asks_for_it_and_of_the_queue_it_is_in() {
    let mut scheduler = stepped("10", "true", TWO).unwrap();
    let app = submit(&mut scheduler, Submission::new(1, "ann").in_queue("a"), None).unwrap();
    assert_eq!(scheduler.app(1).unwrap().priority, 1);
    let refused = scheduler.set_priority_as("ann", &app, 3).unwrap_err();
    let expected =
        Refused::Denied(Denied::Priority { app: 1, user: "ann".into(), priority: 3, queue: "root.a".into() });
    assert_eq!(refused, expected);
    assert!(
        matches!(scheduler.set_priority_as("cyd", &app, 3), Err(Refused::Denied(Denied::App { .. }))),
        "not his application"
    );
    let may_administer = scheduler.set_priority_as("boss", &app, 1);
    assert!(
        matches!(may_administer, Err(Refused::Denied(Denied::Priority { .. }))),
        "no group admits him, whatever he administers"
    );
    // The ResourceManager itself is asked nothing.
    scheduler.set_priority(&app, 9).unwrap();
    assert_eq!(scheduler.app(1).unwrap().priority, 9);
    scheduler.move_app(&app, "b").unwrap();
    scheduler.set_priority_as("boss", &app, 12).unwrap();
    assert_eq!(scheduler.app(1).unwrap().priority, 10, "no ACL there, and cut to the cluster's maximum");
}

#[test]
fn without_acls_and_after_a_refresh_others_may() {
    let mut off = stepped("10", "false", TWO).unwrap();
    submit(&mut off, Submission::new(1, "eve").in_queue("a"), Some(10)).unwrap();
    submit(&mut off, Submission::new(2, "ann").in_queue("a"), None).unwrap();
    assert_eq!(off.app(2).unwrap().priority, 3, "the queue's default");

    let mut scheduler = stepped("10", "true", TWO).unwrap();
    let eve = || Submission::new(1, "eve").in_queue("a");
    assert_eq!(submit(&mut scheduler, eve(), None).unwrap_err().kind(), "priority-acl");
    scheduler.refresh_properties(queues("[user=eve max_priority=4 default_priority=2]")).unwrap();
    let app = submit(&mut scheduler, eve(), None).unwrap();
    assert_eq!(scheduler.app(1).unwrap().priority, 2);
    assert_eq!(scheduler.refresh_properties(queues("[user=eve]")).unwrap_err().kind(), "bad-configuration");
    assert_eq!(scheduler.set_priority_as("eve", &app, 5).unwrap_err().kind(), "priority-acl", "the old one stands");
    scheduler.refresh_properties(queues("*")).unwrap();
    scheduler.set_priority_as("eve", &app, 5).unwrap();
}

/// A rule leads to a queue of the name that was asked for in other letters: the application manager looks for that
/// name's ACL.
#[test]
fn the_name_that_was_asked_for_decides_whose_acl_counts() {
    let more = [
        ("yarn.scheduler.capacity.queue-mappings", "u:eve:root.a"),
        ("yarn.scheduler.capacity.queue-mappings-override.enable", "true"),
    ];
    let site = [("yarn.acl.enable", "true"), ("yarn.cluster.max-application-priority", "10")];
    let properties = queues(TWO).into_iter().chain(more);
    let configuration = CapacityConfiguration::from_properties(site, properties).unwrap();
    let mut scheduler = CapacityScheduler::builder(configuration).stepped().unwrap();
    for (number, queue) in [(1, "b"), (2, "a"), (3, "root.a")] {
        let outcome = submit(&mut scheduler, Submission::new(number, "eve").in_queue(queue), Some(1));
        assert_eq!(outcome.unwrap_err().kind(), "priority-acl", "{queue}");
    }
    submit(&mut scheduler, Submission::new(4, "eve").in_queue("A"), Some(1)).expect("there is no queue of that name");
    assert_eq!(scheduler.app(4).unwrap().queue, "root.a");
}

#[test]
fn on_threads_as_without() {
    let builder = CapacityScheduler::builder(configuration("10", "true", TWO).unwrap());
    let scheduler = builder.groups(Arc::new(groups())).start().unwrap();
    scheduler.add_node("n1", "/r1", Resource::new(8192, 8)).unwrap();
    let submission = |number, user: &str| Submission::new(number, user).in_queue("a");
    assert_eq!(scheduler.submit(submission(1, "eve")).unwrap_err().kind(), "priority-acl");
    assert_eq!(scheduler.submit_with_priority(submission(1, "ann"), 3).unwrap_err().kind(), "priority-acl");
    let app = scheduler.submit(submission(1, "ann")).unwrap();
    let all = scheduler.submit_all(vec![submission(2, "cyd"), submission(3, "eve")]).unwrap().wait().unwrap();
    assert!(all[0].is_ok() && matches!(&all[1], Err(Refused::Denied(Denied::Priority { app: 3, .. }))));
    assert_eq!(scheduler.set_priority_as("ann", &app, 3).unwrap_err().kind(), "priority-acl");
    scheduler.set_priority_as("ann", &app, 2).unwrap();
    scheduler.quiesce().unwrap();
    let priorities: Vec<i32> = scheduler.apps().unwrap().iter().map(|app| app.priority).collect();
    assert_eq!(priorities, [2, 5]);
}

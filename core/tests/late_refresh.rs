//! A refresh with mapping rules or priorities of workflows that are wrong: Hadoop looks at them when the queues are in
//! force already.
//!
//! Recordings of Hadoop show what comes of that (`late-refresh`). Here: what comes of it by default.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use evenweave::SchedulerApi as _;
use evenweave::refused::Configuration;
use evenweave::{CapacityConfiguration, CapacityScheduler, CapacityStepped, Refused, Submission};
use std::fs;

type Pairs<'a> = &'a [(&'a str, &'a str)];

const TWO: Pairs<'_> =
    &[("root.queues", "a,b"), ("root.a.capacity", "50"), ("root.b.capacity", "50"), ("queue-mappings", "u:ann:root.a")];
const THREE: Pairs<'_> = &[
    ("root.queues", "a,b,c"),
    ("root.a.capacity", "30"),
    ("root.b.capacity", "50"),
    ("root.c.capacity", "20"),
    ("root.a.state", "STOPPED"),
];
const BAD: [(&str, &str); 2] =
    [("queue-mappings", "u:ann:root.nowhere.x"), ("workflow-priority-mappings", "w:root.a:high")];
/// Queues make themselves.
const AUTO: Pairs<'_> = &[
    ("root.queues", "a,auto"),
    ("root.a.capacity", "1w"),
    ("root.auto.capacity", "1w"),
    ("root.auto.auto-queue-creation-v2.enabled", "true"),
    ("queue-mappings", "u:%user:root.auto.dev.%user"),
];

fn own(of: Pairs<'_>, more: Pairs<'_>) -> Vec<(String, String)> {
    let kept = of.iter().filter(|(name, _)| more.iter().all(|(other, _)| other != name));
    let all = kept.chain(more);
    all.map(|(name, value)| (format!("yarn.scheduler.capacity.{name}"), (*value).to_owned())).collect()
}

fn pairs(owned: &[(String, String)]) -> impl Iterator<Item = (&str, &str)> {
    owned.iter().map(|(name, value)| (name.as_str(), value.as_str()))
}

fn configuration(of: Pairs<'_>) -> CapacityConfiguration {
    CapacityConfiguration::from_properties([], pairs(&own(of, &[]))).unwrap()
}

fn stepped(of: Pairs<'_>) -> CapacityStepped {
    CapacityScheduler::builder(configuration(of)).stepped().unwrap()
}

fn shown(scheduler: &mut CapacityStepped) -> Vec<String> {
    scheduler.queues().iter().map(|queue| format!("{queue:?}")).collect()
}

fn why(refused: Result<(), Refused>) -> String {
    let Err(Refused::Configuration(Configuration::Invalid(why))) = refused else { panic!("{refused:?}") };
    why
}

#[test]
fn nothing_has_changed_by_default() {
    for bad in BAD {
        let new = own(THREE, &[bad]);
        let mut scheduler = stepped(TWO);
        let before = shown(&mut scheduler);
        assert!(why(scheduler.refresh_properties(pairs(&new))).starts_with("Failed to re-init queues : "));
        assert_eq!(shown(&mut scheduler), before, "{bad:?}");
        scheduler.submit(Submission::new(1, "ann").in_queue("default")).unwrap();
        assert_eq!(scheduler.app(1).unwrap().queue, "root.a", "the rules are the old ones");

        let threads = CapacityScheduler::builder(configuration(TWO)).start().unwrap();
        let queues = || format!("{:?}", threads.queues().unwrap());
        let before = queues();
        assert!(why(threads.refresh_properties(pairs(&new))).starts_with("Failed to re-init queues : "));
        assert_eq!(queues(), before, "{bad:?}");
        threads.shutdown().unwrap();
    }
}

#[test]
fn what_is_wrong_with_the_queues_comes_first() {
    let mut scheduler = stepped(TWO);
    let without_b = own(&[("root.queues", "a"), ("root.a.capacity", "100")], &[BAD[0]]);
    assert!(why(scheduler.refresh_properties(pairs(&without_b))).contains("root.b cannot be deleted"));
}

#[test]
fn as_in_hadoop_where_that_is_asked_for() {
    let mut scheduler = CapacityScheduler::builder(configuration(TWO)).rules_last(true).stepped().unwrap();
    let refused = scheduler.refresh_properties(pairs(&own(THREE, &[BAD[0]])));
    assert!(why(refused).starts_with("root.c cannot be deleted"));
    assert_eq!(scheduler.queues().len(), 4);
    // What is in force is the old file, and the next refresh is of another one.
    assert_eq!(scheduler.configuration().file().queues().len(), 3);
    scheduler.refresh_properties(pairs(&own(TWO, &[("root.c.state", "STOPPED")]))).unwrap();
    assert_eq!(scheduler.queues().len(), 3);
}

/// A rule leads below a parent that has made itself, and that the file lists: without the queues that have made
/// themselves it would be a leaf.
#[test]
fn rules_are_compared_with_queues_that_have_made_themselves() {
    let listed = own(
        AUTO,
        &[
            ("root.auto.queues", "dev"),
            ("root.auto.dev.capacity", "1w"),
            ("root.auto.dev.ordering-policy", "utilization"),
        ],
    );
    assert!(CapacityConfiguration::from_properties([], pairs(&listed)).is_err());
    let mut scheduler = stepped(AUTO);
    assert!(scheduler.refresh_properties(pairs(&listed)).is_err(), "nothing has made itself");
    scheduler.submit(Submission::new(1, "ann").in_queue("default")).unwrap();
    let read = scheduler.configuration().with_queues(pairs(&listed)).unwrap();
    assert!(read.file().queue_at("root.auto.dev.ann").is_some());
    scheduler.refresh_with(read.clone()).unwrap();
    assert_eq!(scheduler.queues().len(), 5);
    // Another scheduler has none of these queues, so the file is no good for it.
    assert!(CapacityScheduler::builder(read).stepped().is_err());

    let threads = CapacityScheduler::builder(configuration(AUTO)).start().unwrap();
    threads.submit(Submission::new(1, "ann").in_queue("default")).unwrap();
    threads.refresh_properties(pairs(&listed)).unwrap();
    threads.shutdown().unwrap();
}

#[test]
fn a_file_of_rules_counts_as_it_was_checked() {
    let path = std::env::temp_dir().join(format!("evenweave-late-refresh-{}.json", std::process::id()));
    let rule = |queue: &str| {
        let placed = format!(r#""policy": "custom", "customPlacement": "{queue}""#);
        fs::write(&path, format!(r#"{{"rules": [{{"type": "user", "matches": "*", {placed}}}]}}"#)).unwrap();
    };
    let more = [("mapping-rule-format", "json"), ("mapping-rule-json-file", path.to_str().unwrap())];
    let new = own(TWO, &more);
    let mut scheduler = stepped(TWO);
    rule("root.b");
    let read = scheduler.configuration().with_queues(pairs(&new)).unwrap();
    rule("root.nowhere.x");
    let again = scheduler.configuration().with_queues(pairs(&new));
    assert!(again.is_err());
    scheduler.refresh_with(read).unwrap();
    fs::remove_file(&path).unwrap();
    scheduler.submit(Submission::new(1, "bob").in_queue("default")).unwrap();
    assert_eq!(scheduler.app(1).unwrap().queue, "root.b");
}

#[test]
fn a_configuration_of_another_scheduler_is_refused() {
    let mut scheduler = stepped(TWO);
    let other = configuration(TWO).with_queues(pairs(&own(TWO, &[]))).unwrap();
    assert!(why(scheduler.refresh_with(other)).contains("with_queues"));
    let threads = CapacityScheduler::builder(configuration(TWO)).start().unwrap();
    assert!(why(threads.refresh_with(scheduler.configuration())).contains("with_queues"));
    let own = threads.configuration().unwrap();
    assert_eq!(threads.refresh_with(own), Ok(()));
    threads.shutdown().unwrap();
}

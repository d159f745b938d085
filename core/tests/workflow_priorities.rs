//! The priority of a submission that a workflow has sent: `workflow-priority-mappings`.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use evenweave::SchedulerApi as _;
use evenweave::refused::Denied;
use evenweave::{CapacitySchedulerBuilder, CapacityStepped, Refused, Submission, SubmitTerms};
use evenweave_testkit::capacity;

const PREFIX: &str = "yarn.scheduler.capacity.";

/// Hadoop's `TestCapacitySchedulerWorkflowPriorityMapping`: `root.a.a1`, `root.a.a2`, `root.b.b1`.
const MAPPINGS: &str =
    "workflow1:root.b:2, workflow2:root.a.a1:3, Workflow3:root.a:4, workflow4:root:9, workflow1:root.b.b1:99";

fn queues(override_is: &str, mappings: &str) -> Vec<(String, String)> {
    let tree = [
        ("root.queues", "a,b"),
        ("root.a.queues", "a1,a2"),
        ("root.b.queues", "b1,b2"),
        ("root.a.capacity", "50"),
        ("root.b.capacity", "50"),
        ("root.a.a1.capacity", "50"),
        ("root.a.a2.capacity", "50"),
        ("root.b.b1.capacity", "50"),
        ("root.b.b2.capacity", "50"),
        ("root.a.a1.default-application-priority", "1"),
        ("root.a.a2.acl_application_max_priority", "[user=ann max_priority=5 default_priority=2]"),
        ("workflow-priority-mappings-override.enable", override_is),
        ("workflow-priority-mappings", mappings),
    ];
    tree.iter().map(|(name, value)| (format!("{PREFIX}{name}"), (*value).to_owned())).collect()
}

fn pairs(owned: &[(String, String)]) -> impl Iterator<Item = (&str, &str)> {
    owned.iter().map(|(name, value)| (name.as_str(), value.as_str()))
}

fn builder(site: &[(&str, &str)], override_is: &str) -> CapacitySchedulerBuilder {
    let site = [("yarn.cluster.max-application-priority", "10"), ("yarn.acl.enable", "true")].iter().chain(site);
    capacity(site.copied(), pairs(&queues(override_is, MAPPINGS)))
}

fn stepped(site: &[(&str, &str)], override_is: &str) -> CapacityStepped {
    builder(site, override_is).stepped().unwrap()
}

/// The priority of a submission to a queue with tags.
fn priority(
    scheduler: &mut CapacityStepped,
    queue: &str,
    user: &str,
    tags: &[&str],
    asked: Option<i32>,
) -> Result<i32, Refused> {
    let terms = SubmitTerms::default().with_tags(tags.iter().copied());
    let terms = asked.into_iter().fold(terms, SubmitTerms::with_priority);
    let app = scheduler.submit_with(Submission::new(1, user).in_queue(queue), terms)?;
    let priority = scheduler.app(1).unwrap().priority;
    scheduler.finish(&app).unwrap();
    Ok(priority)
}

#[test]
fn the_nearest_queue_with_a_mapping_says_it() {
    let mut scheduler = stepped(&[], "true");
    let mut of = |queue, tags: &[&str], asked| priority(&mut scheduler, queue, "bo", tags, asked).unwrap();
    assert_eq!(of("b2", &["workflowid:workflow1"], None), 2, "of the parent");
    assert_eq!(of("b2", &["workflowid:workflow1"], Some(7)), 2, "whatever is asked for");
    assert_eq!(of("b1", &["workflowid:workflow1"], Some(7)), 10, "its own comes first, within the cluster's maximum");
    assert_eq!(of("a1", &["workflowid:workflow2"], None), 3);
    assert_eq!(of("a1", &["WorkflowID:WORKFLOW3"], None), 4, "capitals do not count");
    assert_eq!(of("a1", &["workflowid:workflow4"], None), 1, "root is not asked");
    assert_eq!(of("b1", &["workflowid:workflow2"], Some(7)), 7, "nothing is said here");
    assert_eq!(of("a1", &["workflow2", "x:workflow2", "workflowid:"], None), 1, "no workflow is named");
    assert_eq!(of("a1", &["x", " workflowid:workflow2 ", "workflowid:workflow3"], None), 4, "the last of several");
    assert_eq!(of("a1", &["workflowid:workflow3", "workflowid:workflow2"], None), 4, "by the alphabet");
    assert_eq!(of("a1", &["workflowid:workflow3", "workflowid:x"], None), 1);
}

/// `checkAndGetApplicationPriority` is asked once more.
#[test]
fn the_acl_counts_for_it_too() {
    let mut scheduler = stepped(&[], "true");
    assert_eq!(priority(&mut scheduler, "a2", "ann", &["workflowid:workflow3"], None), Ok(4));
    let narrower = queues("true", "workflow3:root.a:6");
    scheduler.refresh_properties(pairs(&narrower)).unwrap();
    let refused = priority(&mut scheduler, "a2", "ann", &["workflowid:workflow3"], None).unwrap_err();
    assert!(matches!(refused, Refused::Denied(Denied::Priority { priority: 6, .. })));
    let first = priority(&mut scheduler, "a2", "ann", &["workflowid:workflow3"], Some(8)).unwrap_err();
    assert!(
        matches!(first, Refused::Denied(Denied::Priority { priority: 8, .. })),
        "what is asked for is looked at first"
    );
    assert_eq!(priority(&mut scheduler, "a2", "ann", &[], None), Ok(2));
}

#[test]
fn without_the_override_and_by_another_prefix_and_after_a_refresh() {
    let tags = &["workflowid:workflow2", "wf/workflow2"];
    assert_eq!(priority(&mut stepped(&[], "false"), "a1", "bo", tags, None), Ok(1));
    let prefix = [("yarn.workflow-id.tag-prefix", "wf/")];
    let mut scheduler = stepped(&prefix, "true");
    assert_eq!(priority(&mut scheduler, "a1", "bo", &tags[..1], None), Ok(1));
    assert_eq!(priority(&mut scheduler, "a1", "bo", tags, None), Ok(3));
    scheduler.refresh_properties(pairs(&queues("true", "workflow2:root.a.a1:8"))).unwrap();
    assert_eq!(priority(&mut scheduler, "a1", "bo", tags, None), Ok(8));
    let refused = scheduler.refresh_properties(pairs(&queues("true", "workflow2:root.a.a1")));
    assert_eq!(refused.unwrap_err().kind(), "bad-configuration");
    let app = scheduler
        .submit_with(Submission::new(2, "bo").in_queue("a1"), SubmitTerms::default().with_tags(tags.iter().copied()));
    scheduler.set_priority(&app.unwrap(), 5).unwrap();
    assert_eq!(scheduler.app(2).unwrap().priority, 5, "a change is not the workflow's");
}

#[test]
fn on_threads_as_without() {
    let scheduler = builder(&[], "true").start().unwrap();
    let terms = |tag: &str| SubmitTerms::default().with_tags([tag]).with_lifetime(60);
    let submission = |number, queue: &str| Submission::new(number, "ann").in_queue(queue);
    scheduler.submit_with(submission(1, "b2"), terms("workflowid:workflow1")).unwrap();
    scheduler.submit_with(submission(2, "a1"), terms("workflowid:workflow2")).unwrap();
    scheduler.submit(submission(3, "a1")).unwrap();
    scheduler.quiesce().unwrap();
    let priorities: Vec<i32> = scheduler.apps().unwrap().iter().map(|app| app.priority).collect();
    assert_eq!(priorities, [2, 3, 1], "a submission's tags are its own");
}

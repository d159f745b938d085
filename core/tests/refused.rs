//! Kinds and messages of refusals stay as they are: recordings, pages and the ResourceManager's classes read them.

use evenweave::config::AllocationsError;
use evenweave::event::{AppAccess, Named};
use evenweave::refused::{AlreadyExists, Configuration, Denied, Gone, Invalid, Limit, NoQueue, NotFound, TryAgain};
use evenweave::{Refused, Resource};
use std::collections::HashSet;
use std::path::Path;

fn s(text: &str) -> String {
    text.to_owned()
}

fn size(memory_mb: i64) -> Box<Resource> {
    Box::new(Resource::new(memory_mb, 1))
}

/// Each refusal, its kind and its message.
fn all() -> Vec<(Refused, &'static str, &'static str)> {
    vec![
        (
            NoQueue::NoRule { number: 7, user: s("ann"), queue: s("q") }.into(),
            "placement",
            "no placement rule places application 7 of user \"ann\" (queue asked for: \"q\")",
        ),
        (
            NoQueue::RuleFailed { user: s("ann"), queue: s("q"), why: "a rule says no" }.into(),
            "placement",
            "no queue for user \"ann\" (queue asked for: \"q\"): a rule says no",
        ),
        (
            TryAgain::NoGroups { user: s("ann"), why: "nobody answers" }.into(),
            "no-groups",
            "the groups of user \"ann\" are not known: nobody answers; try again",
        ),
        (
            NoQueue::NameAtSubmit { number: 7, queue: s("q"), why: "it is odd" }.into(),
            "queue-name-at-submit",
            "application 7 asks for queue \"q\": it is odd",
        ),
        (
            Denied::Submit { user: s("ann"), queue: s("root.a.b"), nearest: s("root.a") }.into(),
            "acl",
            "user \"ann\" may neither submit to nor administer queue \"root.a\" or a queue above it, and so may not submit to \"root.a.b\"",
        ),
        (
            Denied::App { user: s("ann"), access: AppAccess::Modify, app: 7, queue: s("root.a") }.into(),
            "app-acl",
            "user \"ann\" may not modify application 7: neither its owner nor in yarn.admin.acl, nor may administer its queue \"root.a\" or a queue above it",
        ),
        (
            Invalid::Resource { asked: size(9), largest: size(8) }.into(),
            "invalid-resource",
            "<memory:9, vCores:1> is negative or above the largest container here, <memory:8, vCores:1>",
        ),
        (Configuration::Labels(s("a label")).into(), "bad-labels", "a label"),
        (Invalid::Label(s("an ask")).into(), "invalid-label", "an ask"),
        (Invalid::LabelAccess(s("a move")).into(), "label-access", "a move"),
        (
            NoQueue::NotLeaf { queue: s("root.a") }.into(),
            "not-leaf",
            "\"root.a\" is no leaf queue and cannot become one",
        ),
        (
            Denied::Reservation { user: s("ann"), queue: s("root.a") }.into(),
            "reservation-acl",
            "user \"ann\" may not submit reservations to queue \"root.a\", and so no application either",
        ),
        (
            Configuration::PlanClass { why: s("Agent is no class") }.into(),
            "plan-class",
            "the queues are in force, and no new plan: Agent is no class",
        ),
        (
            NoQueue::ReservationNotActive { reservation: s("reservation_1_0002"), plan: s("root.a") }.into(),
            "not-active",
            "reservation_1_0002 has no queue below plan \"root.a\" now; submit to the plan without it",
        ),
        (
            NoQueue::OtherPlan { reservation: s("reservation_1_0002"), plan: s("root.a") }.into(),
            "other-plan",
            "reservation_1_0002 has a queue, but not below \"root.a\": name the plan of the reservation, by its full path",
        ),
        (
            NoQueue::NotMade { queue: s("root.a"), why: s("its parent is a leaf") }.into(),
            "not-made",
            "queue \"root.a\" cannot be made automatically: its parent is a leaf",
        ),
        (
            NoQueue::OnlyByRule { queue: s("root.a"), user: s("ann") }.into(),
            "only-by-rule",
            "queue \"root.a\" of a managed parent takes only applications that a mapping rule leads there: user \"ann\" needs one",
        ),
        (
            NoQueue::OtherParent { queue: s("root.a"), parent: s("root.b"), user: s("ann") }.into(),
            "other-parent",
            "queue \"root.a\" has made itself already, and a mapping rule would have it in \"root.b\" for user \"ann\"",
        ),
        (
            NoQueue::CannotCreate { queue: s("root.a") }.into(),
            "cannot-create",
            "queue \"root.a\" cannot be created: it is there with the other type, or a leaf queue or a policy above it stands against it",
        ),
        (
            NoQueue::BadName { queue: s("a..b") }.into(),
            "bad-queue-name",
            "\"a..b\" is no queue name: every part between dots must be non-empty and without white space at its ends, and there may be 127 below root",
        ),
        (
            Denied::Queue { user: s("ann"), queue: s("root.a") }.into(),
            "acl",
            "user \"ann\" may neither submit to nor administer queue \"root.a\" or a queue above it",
        ),
        (
            Denied::Priority { app: 7, user: s("ann"), priority: 9, queue: s("root.a") }.into(),
            "priority-acl",
            "user \"ann\" may not give application 7 priority 9 in queue \"root.a\": no group of its acl_application_max_priority that admits the user goes so high",
        ),
        (
            Invalid::NoPriority { app: 7, user: s("ann"), queue: s("root.a") }.into(),
            "no-default-priority",
            "application 7 has no priority, and in queue \"root.a\" acl_application_max_priority has no default_priority where it admits user \"ann\": submit with a priority",
        ),
        (
            Invalid::Lifetime { app: 7, seconds: -1 }.into(),
            "bad-lifetime",
            "application 7: -1 s is not a valid lifetime: give more than 0 at a submission, and at least 0 later",
        ),
        (
            Limit::ZeroMax { asked: size(9), queue: s("root.a") }.into(),
            "zero-max",
            "<memory:9, vCores:1> asks for a resource of which queue \"root.a\" may have nothing",
        ),
        (
            NoQueue::Ambiguous(s("a")).into(),
            "ambiguous-queue",
            "several queues are named \"a\": name one by its full path",
        ),
        (NoQueue::Stopped(s("root.a")).into(), "stopped", "queue \"root.a\" is stopped: it takes no applications"),
        (
            Limit::TooManyApps(7).into(),
            "max-applications",
            "application 7: there are as many applications as yarn.scheduler.capacity.maximum-applications allows",
        ),
        (
            Limit::QueueFull { queue: s("root.a"), applications: 3 }.into(),
            "queue-full",
            "queue \"root.a\" has 3 applications already, as many as it may",
        ),
        (
            Limit::UserFull { queue: s("root.a"), applications: 3, user: s("ann") }.into(),
            "user-full",
            "queue \"root.a\" has 3 applications of user \"ann\" already, as many as one user may have there",
        ),
        (Configuration::Invalid(s("no such property")).into(), "bad-configuration", "no such property"),
        (AlreadyExists::App(7).into(), "duplicate-app", "application 7 already exists"),
        (NotFound::App(7).into(), "no-such-app", "application 7 is unknown or has finished"),
        (TryAgain::NoAm(7).into(), "no-am", "the ApplicationMaster of application 7 has no container yet"),
        (Invalid::Blacklist.into(), "invalid-blacklist", "`*` cannot be blacklisted: name nodes or racks"),
        (AlreadyExists::Node(s("n1")).into(), "duplicate-node", "node \"n1\" is already registered"),
        (
            Invalid::LongName { what: Named::Rack, begins: s("aaa…"), bytes: 70_000 }.into(),
            "name-too-long",
            "a rack name of 70000 bytes, \"aaa…\": give at most 1000",
        ),
        (
            Invalid::PlaceName { what: Named::Node, name: s("*"), why: "it means anywhere" }.into(),
            "bad-place-name",
            "\"*\" is not a valid node name: it means anywhere",
        ),
        (
            Invalid::Maximum { asked: size(1), smallest: size(2) }.into(),
            "bad-maximum",
            "<memory:1, vCores:1> cannot be the largest container: no amount may be negative, or below that of the smallest, <memory:2, vCores:1>",
        ),
        (
            Invalid::UnknownType { name: s("n1"), total: size(9), types: 2 }.into(),
            "unknown-type",
            "node \"n1\": <memory:9, vCores:1> has an amount of an unknown resource type: the scheduler has 2 types",
        ),
        (
            Invalid::NoLocation.into(),
            "no-location",
            "the request names a node or rack whose name is longer than 1000 bytes",
        ),
        (
            Invalid::OthersLocation.into(),
            "others-location",
            "the request names a node or rack by a location of another scheduler: ask `location` of the one that is called",
        ),
        (
            Limit::TooManyPlaces.into(),
            "too-many-places",
            "nodes and racks have had too many different names: use some again, or a new scheduler",
        ),
        (
            Limit::TooManyKeys { app: 7, asked: 65_537, most: 65_536 }.into(),
            "too-many-keys",
            "application 7 has asked under 65537 different priorities and allocation request ids with this call, and may under 65536: use some again",
        ),
        (
            Limit::ClusterTooLarge { name: s("n1"), total: size(9), largest: size(8) }.into(),
            "cluster-too-large",
            "node \"n1\": total <memory:9, vCores:1> is too large beside the other nodes: give at most <memory:8, vCores:1>",
        ),
        (
            Invalid::NodeTotal { name: s("n1"), total: size(-1) }.into(),
            "bad-node",
            "node \"n1\": total <memory:-1, vCores:1> is negative",
        ),
        (NotFound::Node(s("n1")).into(), "no-such-node", "node \"n1\" is unknown or was removed"),
        (
            NotFound::Container { app: 7, container: 3 }.into(),
            "no-such-container",
            "container 3 of application 7 never existed or has ended",
        ),
        (NotFound::Queue(s("root.a")).into(), "no-such-queue", "\"root.a\" is not an existing leaf queue"),
        (
            Limit::MaxRunning(s("root.a")).into(),
            "max-running",
            "queue \"root.a\" has as many running applications as it may",
        ),
        (Limit::MaxShare(s("root.a")).into(), "max-share", "queue \"root.a\" would go above its max share"),
        (
            Limit::NotRunnable(7).into(),
            "not-runnable",
            "application 7 is runnable and would not be in the target queue: a limit of running applications",
        ),
        (
            Configuration::Allocations(Box::new(AllocationsError::Missing { name: s("fair.xml") })).into(),
            "bad-allocations",
            "fair.xml: there is no such file, or its time of change is not known; what was in force stays",
        ),
        (
            Configuration::BrokeOff { queue: s("root.a") }.into(),
            "reload-broke-off",
            "the new allocations are in force, but the reload stopped at queue \"root.a\", which the old file names and which does not exist; reload once more",
        ),
        (
            Configuration::NoFile.into(),
            "no-allocation-file",
            "there is no allocation file to read again: the builder was given none, or it was not found at the start",
        ),
        (Configuration::PreemptionOff.into(), "preemption-off", "preemption is off (yarn.scheduler.fair.preemption)"),
        (TryAgain::Busy.into(), "busy", "the scheduler is busy: its channel is full; try again"),
        (
            Gone::Worker(2).into(),
            "worker-lost",
            "worker 2 has panicked and could not begin anew: register its nodes again, and begin a new attempt of the application",
        ),
        (
            Gone::AllWorkers.into(),
            "no-workers",
            "every worker has panicked and none could begin anew: only a new scheduler can go on",
        ),
        (Refused::TimedOut, "timed-out", "it was not done in time, and may still be done later"),
        (
            Invalid::OwnThread.into(),
            "own-thread",
            "the call would wait for the thread that it is made on (in a callback, or where a worker is polled): make it on another thread",
        ),
        (TryAgain::Panicked { what: "the clock", message: s("boom") }.into(), "panicked", "the clock panicked: boom"),
        (
            Gone::Task { task: "update" }.into(),
            "task-lost",
            "the scheduler's update task has panicked and is gone: only a new scheduler can go on",
        ),
        (Invalid::AlreadyTaken.into(), "already-taken", "the answers were already taken"),
        (Gone::ShutDown.into(), "shut-down", "the scheduler has been shut down"),
    ]
}

#[test]
fn kinds_and_messages_are_these() {
    for (refused, kind, message) in all() {
        assert_eq!(refused.kind(), kind, "{refused:?}");
        assert_eq!(refused.to_string(), message, "{refused:?}");
    }
}

/// A new variant needs a line in `all`.
#[test]
fn all_are_here() {
    let named: HashSet<_> = all().iter().map(|(refused, ..)| format!("{refused:?}")).collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/event/refused");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let errors: usize = files.map(|file| std::fs::read_to_string(file).unwrap().matches("#[error(").count()).sum();
    let groups =
        named.iter().filter_map(|text| text.split('(').nth(1).map(|_| text.split('(').next())).collect::<HashSet<_>>();
    assert_eq!(named.len() + groups.len(), errors, "{groups:?}");
}

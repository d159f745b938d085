//! Lifetimes of applications: what they get at submission, what changes it, and their end, on both drivers.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use evenweave::SchedulerApi as _;
use evenweave::clock::VirtualClock;
use evenweave::refused::{Denied, Invalid, NotFound};
use evenweave::{
    AllocateRequest, Allocation, AppHandle, CapacityConfiguration, CapacitySchedulerBuilder, CapacityStepped,
    Heartbeat, NewAttempt, NodeHandle, Refused, Resource, SchedulerEvent, Submission, SubmitTerms,
};
use evenweave_testkit::{ask, capacity};
use std::sync::Arc;
use std::time::Duration;

const PREFIX: &str = "yarn.scheduler.capacity.";

/// Leaves `a`, `b` and `p.c`, with more properties, of which the prefix is left out.
fn queues(more: &[(&str, &str)]) -> Vec<(String, String)> {
    let tree = [
        ("maximum-am-resource-percent", "1"),
        ("root.acl_administer_queue", " "),
        ("root.queues", "a,b,p"),
        ("root.a.capacity", "40"),
        ("root.b.capacity", "40"),
        ("root.p.capacity", "20"),
        ("root.p.queues", "c"),
        ("root.p.c.capacity", "100"),
    ];
    tree.iter().chain(more).map(|(name, value)| (format!("{PREFIX}{name}"), (*value).to_owned())).collect()
}

fn pairs(owned: &[(String, String)]) -> impl Iterator<Item = (&str, &str)> {
    owned.iter().map(|(name, value)| (name.as_str(), value.as_str()))
}

fn builder(more: &[(&str, &str)]) -> CapacitySchedulerBuilder {
    let site = [
        ("yarn.acl.enable", "true"),
        ("yarn.admin.acl", "root"),
        ("yarn.resourcemanager.application-timeouts.monitor.interval-ms", "5"),
    ];
    capacity(site, pairs(&queues(more)))
}

fn stepped(more: &[(&str, &str)]) -> CapacityStepped {
    builder(more).node_stops(true).stepped().unwrap()
}

fn terms(seconds: i64) -> SubmitTerms {
    SubmitTerms::default().with_lifetime(seconds)
}

fn submission(number: u32, queue: &str) -> Submission {
    Submission::new(number, "ann").in_queue(queue)
}

fn deadline(scheduler: &mut CapacityStepped, app: &AppHandle) -> Option<u64> {
    scheduler.lifetime(app).unwrap().map(|lifetime| lifetime.deadline_ms)
}

/// TestLeafQueue / TestCapacityScheduler `testcheckAndGetApplicationLifetime`: maximum, default, and what 100, -1 and 0
/// come to.
#[test]
fn a_queue_s_maximum_and_default_decide_as_in_hadoop() {
    for (max, default, [hundred, negative, zero]) in [
        ("10", "5", [10, 5, 5]),
        ("-1", "-1", [100, -1, -1]),
        ("10", "10", [10, 10, 10]),
        ("0", "0", [100, 0, 0]),
        ("10", "-1", [10, 10, 10]),
        ("-1", "10", [100, 10, 10]),
    ] {
        let own = [("root.a.maximum-application-lifetime", max), ("root.a.default-application-lifetime", default)];
        let mut scheduler = stepped(&own);
        let got = [100, -1, 0].map(|asked| scheduler.lifetime_in("root.a", asked));
        assert_eq!(got, [hundred, negative, zero], "{max} and {default}");
        assert_eq!(scheduler.lifetime_in("a", 9), 9);
    }
    let own = [("root.a.maximum-application-lifetime", "5"), ("root.a.default-application-lifetime", "10")];
    let refused = CapacityConfiguration::from_properties([], pairs(&queues(&own))).unwrap_err();
    assert!(refused.to_string().contains("can't exceed maximum lifetime"), "{refused}");
}

#[test]
fn lifetimes_come_from_above() {
    let above = [("root.maximum-application-lifetime", "100"), ("root.p.default-application-lifetime", "30")];
    let mut scheduler = stepped(&[&above[..], &[("root.b.maximum-application-lifetime", "0")]].concat());
    assert_eq!((scheduler.maximum_lifetime("a"), scheduler.lifetime_in("a", 0)), (100, 100));
    assert_eq!(
        (scheduler.maximum_lifetime("b"), scheduler.lifetime_in("b", 0)),
        (0, 0),
        "0 is none, whatever is above"
    );
    assert_eq!((scheduler.maximum_lifetime("root.p.c"), scheduler.lifetime_in("c", 0)), (100, 30));
    assert_eq!(scheduler.lifetime_in("c", 400), 100);
    assert_eq!((scheduler.maximum_lifetime("p"), scheduler.lifetime_in("p", 7)), (-1, 7), "no leaf");
    assert_eq!((scheduler.maximum_lifetime("x"), scheduler.lifetime_in("x", -1)), (-1, -1), "not there");
}

#[test]
fn a_submission_gets_what_its_queue_lets_it_have() {
    let own = [("root.a.maximum-application-lifetime", "60"), ("root.a.default-application-lifetime", "20")];
    let mut scheduler = stepped(&own);
    scheduler.advance(500);
    let mut of = |number, queue, terms: SubmitTerms| {
        let app = scheduler.submit_with(submission(number, queue), terms).unwrap();
        deadline(&mut scheduler, &app)
    };
    assert_eq!(of(1, "a", SubmitTerms::default()), Some(20_500));
    assert_eq!(of(2, "a", terms(40)), Some(40_500));
    assert_eq!(of(3, "a", terms(61)), Some(60_500));
    assert_eq!(of(4, "b", SubmitTerms::default()), None);
    assert_eq!(of(5, "b", terms(i64::MAX)), Some(u64::MAX), "it never comes");
    for seconds in [0, -1, i64::MIN] {
        let refused = scheduler.submit_with(submission(9, "b"), terms(seconds)).unwrap_err();
        assert_eq!(refused, Refused::Invalid(Invalid::Lifetime { app: 9, seconds }));
    }
    let plain = scheduler.submit(submission(9, "a")).unwrap();
    assert_eq!(deadline(&mut scheduler, &plain), Some(20_500), "what was refused leaves nothing behind");
    assert_eq!(scheduler.lifetime(&plain).unwrap().unwrap().left, Duration::from_secs(20));
}

/// An application with a container that runs.
fn running(scheduler: &mut CapacityStepped, app: &AppHandle, node: &NodeHandle) {
    let asks = ask(1);
    let mut answer = Allocation::default();
    scheduler.allocate(app, &asks, &mut answer).unwrap();
    scheduler.heartbeat(Heartbeat::new(node));
    scheduler.allocate(app, &AllocateRequest::default(), &mut answer).unwrap();
    let mut heartbeat = Heartbeat::new(node);
    heartbeat.add_launched(answer.granted.iter().map(|container| container.id));
    assert_eq!(heartbeat.launched().len(), 1);
    scheduler.heartbeat(heartbeat);
}

#[test]
fn who_has_lived_long_enough_is_ended() {
    let mut scheduler = stepped(&[("root.a.default-application-lifetime", "10")]);
    let node = scheduler.add_node("n1", "/r1", Resource::new(8192, 8)).unwrap();
    let late = scheduler.submit_with(submission(1, "a"), terms(12)).unwrap();
    let first = scheduler.submit_with(submission(2, "a"), terms(5)).unwrap();
    let ids = [first.id(), late.id()];
    let endless = scheduler.submit(submission(3, "b")).unwrap();
    running(&mut scheduler, &first, &node);
    scheduler.advance(5000);
    assert!(scheduler.expire_applications().unwrap().is_empty(), "it may live until then");
    scheduler.advance(1);
    assert!(scheduler.next_event().is_none() && scheduler.find_app(2).is_some(), "nobody but a round ends it");
    assert_eq!(scheduler.expire_applications().unwrap(), [ids[0]]);
    let event = scheduler.next_event().unwrap();
    assert_eq!(event, SchedulerEvent::LifetimeOver(ids[0]));
    assert!(event.to_string().ends_with("has exceeded its lifetime and is ended"));
    let refused = scheduler.allocate(&first, &AllocateRequest::default(), &mut Allocation::default());
    assert!(matches!(refused, Err(Refused::NotFound(NotFound::App(2)))));
    assert!(matches!(scheduler.lifetime(&first), Err(Refused::NotFound(NotFound::App(2)))));
    let mut stops = Vec::new();
    node.take_stops(&mut stops);
    assert_eq!(stops.len(), 1, "its node is told");
    assert_eq!(scheduler.queues().iter().map(|queue| queue.used.memory_mb()).sum::<i64>(), 0);
    scheduler.submit_with(submission(2, "a"), terms(500)).expect("the number is free again");
    scheduler.advance(100_000);
    assert_eq!(scheduler.expire_applications().unwrap(), [ids[1]]);
    assert!(scheduler.expire_applications().unwrap().is_empty());
    scheduler.finish(&endless).unwrap();
}

#[test]
fn a_lifetime_changes_on_request_alone() {
    let own = [("root.a.maximum-application-lifetime", "60"), ("root.b.maximum-application-lifetime", "30")];
    let mut scheduler = stepped(&own);
    scheduler.advance(1000);
    let app = scheduler.submit(submission(1, "a")).unwrap();
    scheduler.advance(4000);
    assert_eq!(deadline(&mut scheduler, &app), Some(61_000), "the default is the maximum");
    assert_eq!(scheduler.set_lifetime(&app, 10).unwrap().deadline_ms, 15_000, "from now on");
    assert_eq!(scheduler.set_lifetime(&app, 57).unwrap().deadline_ms, 61_000, "cut, from its submission on");
    assert_eq!(scheduler.set_lifetime(&app, -1), Err(Refused::Invalid(Invalid::Lifetime { app: 1, seconds: -1 })));
    assert!(matches!(scheduler.set_lifetime_as("eve", &app, 5), Err(Refused::Denied(Denied::App { .. }))));
    scheduler.move_app(&app, "b").unwrap();
    scheduler.refresh_properties(pairs(&queues(&[("root.b.maximum-application-lifetime", "20")]))).unwrap();
    assert_eq!(deadline(&mut scheduler, &app), Some(61_000), "neither a move nor a refresh");
    let next = scheduler.new_attempt(&app, NewAttempt::default()).unwrap();
    assert!(scheduler.set_lifetime(&app, 1).is_err(), "the old handle");
    assert_eq!(deadline(&mut scheduler, &next), Some(61_000), "nor another attempt");
    assert_eq!(scheduler.set_lifetime_as("ann", &next, 57).unwrap().deadline_ms, 21_000, "by the queue it is in");
    assert_eq!(scheduler.set_lifetime(&next, 0).unwrap().deadline_ms, 5000);
    scheduler.advance(1);
    assert_eq!(scheduler.expire_applications().unwrap(), [next.id()]);
    // One that had none gets one.
    let other = scheduler.submit(submission(2, "c")).unwrap();
    assert_eq!(deadline(&mut scheduler, &other), None);
    assert_eq!(scheduler.set_lifetime(&other, i64::MAX).unwrap().deadline_ms, u64::MAX);
    assert_eq!(scheduler.set_lifetime(&other, 3).unwrap().left, Duration::from_secs(3));
    scheduler.finish(&other).unwrap();
    scheduler.advance(10_000);
    assert!(scheduler.expire_applications().unwrap().is_empty(), "it has ended before");
}

/// As in Hadoop, which asks before the scheduler makes the queue.
#[test]
fn who_makes_a_queue_gets_what_it_asks_for() {
    let properties = [
        ("root.queues", "d"),
        ("root.d.capacity", "1w"),
        ("root.d.auto-queue-creation-v2.enabled", "true"),
        ("root.maximum-application-lifetime", "60"),
    ];
    let owned: Vec<_> =
        properties.iter().map(|(name, value)| (format!("{PREFIX}{name}"), (*value).to_owned())).collect();
    let mut scheduler = capacity([], pairs(&owned)).stepped().unwrap();
    let first = scheduler.submit_with(submission(1, "root.d.x"), terms(600)).unwrap();
    let second = scheduler.submit_with(submission(2, "root.d.x"), terms(600)).unwrap();
    assert_eq!((deadline(&mut scheduler, &first), deadline(&mut scheduler, &second)), (Some(600_000), Some(60_000)));
}

fn until(what: impl Fn() -> bool) {
    for _ in 0..30_000 {
        if what() {
            return;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    panic!("it does not come");
}

#[test]
fn threads_end_applications_by_themselves() {
    let clock = Arc::new(VirtualClock::new());
    let builder = builder(&[("root.a.default-application-lifetime", "10")]);
    let scheduler = builder.clock(clock.clone()).start().unwrap();
    let app = scheduler.submit_with(submission(1, "a"), terms(20)).unwrap();
    let other = scheduler.submit(submission(2, "a")).unwrap();
    assert_eq!(scheduler.lifetime(&other).unwrap().unwrap().left, Duration::from_secs(10));
    assert_eq!(scheduler.set_lifetime(&app, 15).unwrap().deadline_ms, 15_000);
    assert_eq!((scheduler.lifetime_in("a", 0).unwrap(), scheduler.maximum_lifetime("a").unwrap()), (10, -1));
    clock.advance(10_001);
    until(|| scheduler.find_app(2).unwrap().is_none());
    assert_eq!(scheduler.next_event(), Some(SchedulerEvent::LifetimeOver(other.id())));
    assert!(matches!(scheduler.set_lifetime_as("ann", &other, 5), Err(Refused::NotFound(NotFound::App(2)))));
    assert!(scheduler.find_app(1).unwrap().is_some());
    clock.advance(5000);
    until(|| scheduler.find_app(1).unwrap().is_none());
    scheduler.shutdown().unwrap();
}

#[test]
fn without_timers_a_call_ends_them() {
    let clock = Arc::new(VirtualClock::new());
    let builder = builder(&[]);
    let scheduler = builder.clock(clock.clone()).timers(false).start().unwrap();
    let app = scheduler.submit_with(submission(1, "a"), terms(1)).unwrap();
    clock.advance(2000);
    std::thread::sleep(Duration::from_millis(40));
    assert!(scheduler.find_app(1).unwrap().is_some());
    assert_eq!(scheduler.expire_applications().unwrap(), [app.id()]);
    scheduler.quiesce().unwrap();
    assert_eq!(scheduler.apps().unwrap().len(), 0);
}

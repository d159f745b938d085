//! The threaded scheduler without timers: what threads do by time is done by call, and a journal tells of it.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use evenweave::clock::{Clock, VirtualClock};
use evenweave::refused::{Configuration, Gone};
use evenweave::view::Journal;
use evenweave::{
    AllocateRequest, AppHandle, EndReason, FairScheduler, FairSchedulerBuilder, Heartbeat, NodeHandle, Refused,
    Resource,
};
use evenweave_testkit::{SMALL, allocate, allocations, ask, beat, fill, poll, settings, unmanaged};
use std::sync::Arc;

struct World {
    scheduler: FairScheduler,
    clock: Arc<VirtualClock>,
    node: NodeHandle,
    app: AppHandle,
}

/// One node, and one application that wants five containers.
fn world() -> World {
    world_of(FairScheduler::builder())
}

fn world_of(builder: FairSchedulerBuilder) -> World {
    let clock = Arc::new(VirtualClock::new());
    let given: Arc<dyn Clock> = clock.clone();
    let scheduler = builder.clock(given).timers(false).journal(true).start().unwrap();
    let node = scheduler.add_node("n1", "/r1", Resource::new(8192, 8)).unwrap();
    let app = scheduler.submit(unmanaged(1, "root.a")).unwrap();
    allocate(&scheduler, &app, &ask(5)).unwrap();
    scheduler.quiesce().unwrap();
    World { scheduler, clock, node, app }
}

impl World {
    fn beat(&self) -> Journal {
        beat(&self.scheduler, Heartbeat::new(&self.node));
        self.scheduler.take_journal().unwrap()
    }

    fn queues(&self) -> Vec<String> {
        self.scheduler.queues().unwrap().into_iter().map(|queue| queue.name).collect()
    }
}

#[test]
fn shares_are_computed_when_that_is_asked_for() {
    let world = world();
    world.clock.advance(3_600_000);
    assert_eq!(world.beat(), Journal::default(), "new demand counts from the next update on");
    world.scheduler.update_now().unwrap();
    let outcome = world.beat();
    assert_eq!(outcome.allocated.len(), 1);
    let made = &outcome.allocated[0];
    assert_eq!((made.app, made.container, &*made.node, made.resource), (1, 1, "n1", SMALL));
    assert_eq!(world.scheduler.take_journal().unwrap(), Journal::default(), "it is told once");
    world.scheduler.shutdown().unwrap();
}

#[test]
fn empty_dynamic_queues_go_when_that_is_asked_for() {
    let world = world();
    world.scheduler.create_queue("root.b").unwrap();
    world.clock.advance(3_600_000);
    world.beat();
    assert!(world.queues().contains(&"root.b".to_owned()));
    world.scheduler.clean_up().unwrap();
    assert!(!world.queues().contains(&"root.b".to_owned()));
    assert!(world.queues().contains(&"root.a".to_owned()), "not empty");
    world.scheduler.shutdown().unwrap();
    assert_eq!(world.scheduler.clean_up(), Err(Refused::Gone(Gone::ShutDown)));
}

#[test]
fn a_report_without_an_offer_tells_of_containers_alone() {
    let world = world();
    world.scheduler.update_now().unwrap();
    world.beat();
    let known = world.scheduler.containers().unwrap();
    assert_eq!(known.len(), 1);
    assert_eq!((&*known[0].node, known[0].launched, known[0].ended), ("n1", false, false));
    let id = known[0].id;
    assert_eq!(poll(&world.scheduler, &world.app).granted[0].id, id);
    let report = |change: &dyn Fn(&mut Heartbeat)| {
        let mut heartbeat = Heartbeat::new(&world.node);
        heartbeat.offer = false;
        change(&mut heartbeat);
        beat(&world.scheduler, heartbeat);
        world.scheduler.take_journal().unwrap()
    };
    assert_eq!(report(&|heartbeat| heartbeat.add_launched([id])), Journal::default());
    assert!(world.scheduler.containers().unwrap()[0].launched);
    let outcome = report(&|heartbeat| heartbeat.add_completed([id]));
    assert_eq!(outcome.completed, [(1, 1, EndReason::Completed)]);
    assert!(outcome.allocated.is_empty(), "four more are wanted, and there is room");
    assert!(world.scheduler.containers().unwrap().is_empty());
    assert_eq!(world.beat().allocated.len(), 1);
    world.scheduler.shutdown().unwrap();
}

#[test]
fn a_text_that_is_no_allocation_file_changes_nothing() {
    let world = world();
    let text = "<allocations><queue name='c'><weight>2</weight></queue></allocations>";
    world.scheduler.reload_text(text).unwrap();
    assert!(world.queues().contains(&"root.c".to_owned()));
    let refused = world.scheduler.reload_text("<allocations><queue name='d'>").unwrap_err();
    assert_eq!(refused.kind(), "bad-allocations");
    assert!(world.queues().contains(&"root.c".to_owned()));
    world.scheduler.shutdown().unwrap();
}

#[test]
fn a_pass_of_continuous_scheduling() {
    let world = world();
    world.scheduler.update_now().unwrap();
    world.scheduler.offer_all().unwrap();
    assert_eq!(world.scheduler.take_journal().unwrap().allocated.len(), 1);
    world.scheduler.shutdown().unwrap();
    assert_eq!(world.scheduler.offer_all(), Err(Refused::Gone(Gone::ShutDown)));
}

/// Without timers nobody is preempted by an update, nor killed by the clock: both when that is asked for.
#[test]
fn preemption_when_that_is_asked_for() {
    for strict in ["false", "true"] {
        let settings = settings(&[
            ("yarn.scheduler.fair.preemption", "true"),
            ("yarn.scheduler.fair.preemption.strict", strict),
            ("yarn.scheduler.fair.preemption.cluster-utilization-threshold", "0"),
            ("yarn.scheduler.fair.assignmultiple", "true"),
        ]);
        let text = "<allocations><defaultFairSharePreemptionTimeout>0</defaultFairSharePreemptionTimeout>\
                    <defaultFairSharePreemptionThreshold>1.0</defaultFairSharePreemptionThreshold></allocations>";
        let file = allocations(text);
        let world = world_of(FairScheduler::builder().settings(settings).allocations(file));
        let (scheduler, clock) = (&world.scheduler, &world.clock);
        allocate(scheduler, &world.app, &ask(8)).unwrap();
        fill(scheduler, std::slice::from_ref(&world.node));
        assert_eq!(poll(scheduler, &world.app).granted.len(), 8);
        // It was short itself while the node was empty; it asks for nothing more.
        assert!(scheduler.preempt().unwrap().iter().all(|round| round.containers.is_empty()));
        scheduler.kill_marked().unwrap();
        let starved = scheduler.submit(unmanaged(2, "root.b")).unwrap();
        allocate(scheduler, &starved, &ask(8)).unwrap();
        let update = || {
            scheduler.quiesce().unwrap();
            clock.advance(60_000);
            scheduler.update_now().unwrap();
            scheduler.quiesce().unwrap();
        };
        update();
        scheduler.take_journal().unwrap();
        update();
        assert!(world.app.strict_preemptions().is_empty(), "an update marks nothing");
        let rounds = scheduler.preempt().unwrap();
        assert_eq!((rounds.len(), rounds[0].app, rounds[0].containers.len()), (1, Some(2), 4));
        assert_eq!(world.app.strict_preemptions(), rounds[0].containers);
        let held = scheduler.take_journal().unwrap().held;
        assert_eq!((held.len(), &*held[0].node, held[0].app, held[0].resource), (1, "n1", 2, Resource::new(4096, 4)));
        update();
        assert_eq!(scheduler.take_journal().unwrap().completed, [], "nor does the clock kill");
        // One container is enough by now: with a second look three are spared.
        allocate(scheduler, &starved, &ask(1)).unwrap();
        scheduler.quiesce().unwrap();
        scheduler.kill_marked().unwrap();
        let completed = scheduler.take_journal().unwrap().completed;
        assert_eq!(completed.len(), if strict == "true" { 1 } else { 4 });
        assert!(completed.iter().all(|(app, _, reason)| (*app, *reason) == (1, EndReason::Preempted)));
        assert!(world.app.strict_preemptions().is_empty());
        assert_eq!(world.beat().allocated[0].app, 2, "what was freed is the starved one's");
        scheduler.kill_marked().unwrap();
        assert_eq!(scheduler.take_journal().unwrap().completed, [], "nothing is killed twice");
        scheduler.shutdown().unwrap();
        assert_eq!(scheduler.preempt(), Err(Refused::Gone(Gone::ShutDown)));
    }
}

#[test]
fn preemption_that_is_off() {
    let world = world();
    assert_eq!(world.scheduler.preempt(), Err(Refused::Configuration(Configuration::PreemptionOff)));
    assert_eq!(world.scheduler.kill_marked(), Err(Refused::Configuration(Configuration::PreemptionOff)));
    world.scheduler.shutdown().unwrap();
}

#[test]
fn calls_that_are_announced_are_answered_as_others_are() {
    let told = |announce: &dyn Fn(&FairScheduler, &AppHandle)| {
        let world = world();
        let mut told = Vec::new();
        let announce = |app: &AppHandle| announce(&world.scheduler, app);
        let mut call = |request: &AllocateRequest| {
            announce(&world.app);
            let said = allocate(&world.scheduler, &world.app, request).map(|answer| {
                // Of two schedulers ids differ, not what they say.
                let granted: Vec<_> = answer.granted.iter().map(|c| (c.id.to_string(), c.node, c.resource)).collect();
                let ended: Vec<_> = answer.ended.iter().map(|c| (c.id.to_string(), c.node, c.reason)).collect();
                (granted, ended, answer.strict_preemptions.len(), answer.headroom)
            });
            told.push(format!("{said:?}"));
        };
        call(&AllocateRequest::default());
        world.scheduler.update_now().unwrap();
        let granted = [world.beat(), world.beat()].into_iter().flat_map(|outcome| outcome.allocated).count();
        assert_eq!(granted, 2);
        call(&ask(1));
        world.scheduler.remove_node(&world.node).unwrap();
        // What is asked for is there, more than once, while it changes, and when nothing is left of it.
        announce(&world.app);
        call(&AllocateRequest::default());
        world.scheduler.finish(&world.app).unwrap();
        call(&ask(1));
        announce(&world.app);
        told.push(format!("{:?}", world.scheduler.stats()));
        world.scheduler.shutdown().unwrap();
        announce(&world.app);
        told
    };
    let unannounced = told(&|_, _| ());
    let announced = told(&|scheduler, app| {
        app.prefetch_call();
        app.prefetch_mail();
        scheduler.prefetch_calls(std::iter::repeat_n(app, 100));
    });
    assert_eq!(announced, unannounced);
    assert!(unannounced[1].contains("container 2") && unannounced[2].contains("NodeLost"), "{unannounced:?}");
}

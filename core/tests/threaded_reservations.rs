//! Reservations of a threaded scheduler: the follower's own thread, and whatever goes on beside it. Nothing here waits
//! for a time to pass; what the follower does by itself is waited for until it has been done.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use evenweave::clock::{Clock, MonotonicClock};
use evenweave::config::rooted;
use evenweave::refused::{Gone, NoQueue, NotFound, TryAgain};
use evenweave::reservation::agent::{Job, ReservationAgent};
use evenweave::reservation::{
    Interpreter, Plan, ReservationDefinition, ReservationId, ReservationOptions, ReservationRefused,
    ReservationSubmission, ReserveError, Stage,
};
use evenweave::{
    AppHandle, FairScheduler, FairSchedulerBuilder, Heartbeat, NodeHandle, Refused, Resource, SchedulerEvent,
};
use evenweave_testkit::{
    SMALL, add_nodes, allocate, allocations, ask, assert_limits, assert_nothing_is_left, assert_sums, beat, settings,
    unmanaged, until, within,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

const PLANS: &str = "<allocations><defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>
    <queue name='p'><weight>3</weight><reservation/></queue>
    <queue name='q'><reservation/><maxRunningApps>2</maxRunningApps></queue>
    <queue name='other'/></allocations>";

/// The same with one weight changed: a reload that sets the weights of all queues anew.
const CHANGED: &str = "<allocations><defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>
    <queue name='p'><weight>2</weight><reservation/></queue>
    <queue name='q'><reservation/><maxRunningApps>2</maxRunningApps></queue>
    <queue name='other'/></allocations>";

fn builder(step: &str) -> FairSchedulerBuilder {
    let site = [
        ("yarn.resourcemanager.reservation-system.enable", "true"),
        ("yarn.resourcemanager.reservation-system.planfollower.time-step", step),
        ("yarn.scheduler.fair.assignmultiple", "true"),
        ("yarn.scheduler.fair.max.assign", "-1"),
    ];
    FairScheduler::builder().settings(settings(&site)).allocations(allocations(PLANS)).cluster_timestamp(7)
}

fn now() -> i64 {
    i64::try_from(MonotonicClock::new().wall_ms()).unwrap()
}

/// Containers for a second, somewhen between now and an hour later.
fn definition(from: i64, containers: i32, duration_ms: i64) -> ReservationDefinition {
    let stage = Stage::new(SMALL, containers, duration_ms);
    ReservationDefinition::new(from, from + 3_600_000, Interpreter::All, vec![stage])
}

fn book(
    scheduler: &FairScheduler,
    queue: &str,
    definition: &ReservationDefinition,
) -> Result<ReservationId, ReserveError> {
    let id = scheduler.reserve_new()?;
    let request = ReservationSubmission { id: Some(id), queue: Some(queue), definition: Some(definition) };
    scheduler.reserve_submit("ann", &request).map(|()| id)
}

fn has_queue(scheduler: &FairScheduler, queue: &str) -> bool {
    scheduler.queues().unwrap().iter().any(|there| there.name == queue)
}

#[test]
fn a_thread_follows_plans() {
    let scheduler = builder("1").workers(2).start().unwrap();
    let nodes = add_nodes(&scheduler, 4);
    until("the default queue", || has_queue(&scheduler, "root.p.p-default"));
    // Later than a step, so that the submission itself makes no queue.
    let id = book(&scheduler, "root.p", &definition(now() + 50, 4, 3_000_000)).unwrap();
    let queue = format!("root.p.{id}");
    until("the reservation's queue", || has_queue(&scheduler, &queue));
    let app = scheduler.submit(unmanaged(1, "root.p").with_reservation(id)).unwrap();
    assert_eq!(scheduler.app(1).unwrap().unwrap().queue, queue);
    allocate(&scheduler, &app, &ask(4)).unwrap();
    scheduler.quiesce().unwrap();
    scheduler.update_now().unwrap();
    nodes.iter().for_each(|node| beat(&scheduler, Heartbeat::new(node)));
    scheduler.quiesce().unwrap();
    assert_eq!(scheduler.app(1).unwrap().unwrap().usage, Resource::new(4096, 4));
    scheduler.reserve_delete("ann", id).unwrap();
    until("the end of it", || !has_queue(&scheduler, &queue));
    let (queue, reservation) = ("root.p.p-default".to_owned(), Some(id.to_string()));
    let moved = SchedulerEvent::MovedAsReservationEnded { app: app.id(), queue, reservation };
    assert!(moved.to_string().ends_with(&format!("{id} is over")), "{moved}");
    assert_eq!(scheduler.next_event(), Some(moved));
    assert_eq!(scheduler.app(1).unwrap().unwrap().queue, "root.p.p-default");
    assert_sums(&scheduler);
    scheduler.shutdown().unwrap();
    assert_eq!(scheduler.reserve_new(), Err(ReserveError::Scheduler(Refused::Gone(Gone::ShutDown))));
}

#[test]
fn without_the_property_there_is_nothing() {
    let scheduler = FairScheduler::builder().allocations(allocations(PLANS)).start().unwrap();
    let none = ReserveError::Reservation(ReservationRefused::NotEnabled);
    assert_eq!(scheduler.reserve_new(), Err(none.clone()));
    assert_eq!(scheduler.reservation_state().unwrap_err(), none);
    assert_eq!(scheduler.follow_plans(), Ok(std::collections::BTreeMap::new()));
}

#[test]
fn a_plan_survives_a_restart_of_the_scheduler() {
    let first = builder("1000").timers(false).start().unwrap();
    add_nodes(&first, 4);
    let id = book(&first, "root.p", &definition(now(), 4, 3_000_000)).unwrap();
    let state = first.reservation_state().unwrap();
    first.shutdown().unwrap();
    let second = builder("1000").timers(false).cluster_timestamp(8).start().unwrap();
    add_nodes(&second, 4);
    assert_eq!(second.restore_reservations(&state), Ok(Vec::new()));
    assert_eq!(second.reservation_state().unwrap(), state);
    assert!(has_queue(&second, &format!("root.p.{id}")), "each plan is followed once");
    assert_eq!(second.reserve_new().unwrap(), ReservationId { cluster_timestamp: 8, number: 1 });
}

#[derive(Debug)]
struct Panics;

impl ReservationAgent for Panics {
    fn reserve(&self, _plan: &mut Plan, _job: &Job<'_>) -> Result<bool, ReservationRefused> {
        panic!("the agent has had enough")
    }
}

#[test]
fn an_agent_that_panics_costs_its_call_alone() {
    let text = PLANS.replace("<queue name='p'>", "<reservation-agent>mine</reservation-agent><queue name='p'>");
    let mut options = ReservationOptions::default();
    options.agents.insert("mine".to_owned(), Arc::new(Panics));
    let scheduler =
        builder("1000").timers(false).allocations(allocations(&text)).reservations(options).start().unwrap();
    add_nodes(&scheduler, 2);
    let refused = book(&scheduler, "root.p", &definition(now(), 1, 1000)).unwrap_err();
    let said = Refused::TryAgain(TryAgain::Panicked {
        what: "the reservation system",
        message: "the agent has had enough".to_owned(),
    });
    assert_eq!(refused, ReserveError::Scheduler(said));
    assert!(matches!(scheduler.next_event(), Some(SchedulerEvent::TaskPanicked { task: "control", .. })));
    assert_eq!(scheduler.plans().unwrap().len(), 2, "the plans are as they were");
    assert!(scheduler.submit(unmanaged(1, "root.other")).is_ok());
}

/// An application's life against a reservation or a plan; what is refused is refused because the follower or a reload
/// came first.
fn live(scheduler: &FairScheduler, nodes: &[NodeHandle], client: u32, round: u32) {
    let plan = if client.is_multiple_of(2) { "root.p" } else { "root.q" };
    let id = book(scheduler, plan, &definition(now(), 1 + i32::try_from(round % 3).unwrap(), 60_000)).ok();
    let number = client * 1000 + round + 1;
    let mut submission = unmanaged(number, plan);
    if let Some(id) = id.filter(|_| !round.is_multiple_of(4)) {
        submission = submission.with_reservation(id);
    }
    let app: Option<AppHandle> = match scheduler.submit(submission) {
        Ok(app) => Some(app),
        Err(Refused::NoQueue(NoQueue::ReservationNotActive { .. })) => None,
        Err(other) => panic!("{other}"),
    };
    if let Some(app) = &app {
        match allocate(scheduler, app, &ask(3)) {
            Ok(_) | Err(Refused::NotFound(NotFound::App(_))) => {}
            Err(other) => panic!("{other}"),
        }
        beat(scheduler, Heartbeat::new(&nodes[number as usize % nodes.len()]));
        if round.is_multiple_of(3) {
            // Moved to where it may go, or not.
            drop(scheduler.move_app(app, "root.other"));
        }
    }
    if let Some(id) = id {
        match round % 3 {
            0 => drop(scheduler.reserve_update("ann", id, &definition(now(), 2, 30_000))),
            1 => {}
            _ => drop(scheduler.reserve_delete("ann", id)),
        }
    }
    if let Some(app) = app.filter(|_| round.is_multiple_of(2)) {
        match scheduler.finish(&app) {
            Ok(()) | Err(Refused::NotFound(NotFound::App(_))) => {}
            Err(other) => panic!("{other}"),
        }
    }
}

/// The follower runs each millisecond against clients, reloads, and nodes that come and go: the books balance, no plan
/// has promised more than it has, and queues are those of what is promised.
fn everything_at_once(workers: usize) {
    const CLIENTS: u32 = 3;
    const ROUNDS: u32 = 30;
    let scheduler = builder("1").workers(workers).start().unwrap();
    let nodes = add_nodes(&scheduler, 6);
    let busy = AtomicBool::new(true);
    within("everything at once", || {
        thread::scope(|scope| {
            let (scheduler, nodes, busy) = (&scheduler, &nodes, &busy);
            let administrator = scope.spawn(move || {
                let mut turn = 0;
                while busy.load(Ordering::Relaxed) {
                    turn += 1;
                    let text = if turn % 2 == 0 { PLANS } else { CHANGED };
                    scheduler.reload_text(text).unwrap();
                    let extra = scheduler.add_node(&format!("x{turn}"), "/r9", Resource::new(8192, 8)).unwrap();
                    beat(scheduler, Heartbeat::new(&extra));
                    scheduler.remove_node(&extra).unwrap();
                    scheduler.follow_plans().unwrap();
                }
            });
            let clients: Vec<_> = (0..CLIENTS)
                .map(|client| scope.spawn(move || (0..ROUNDS).for_each(|round| live(scheduler, nodes, client, round))))
                .collect();
            clients.into_iter().for_each(|client| client.join().unwrap());
            busy.store(false, Ordering::Relaxed);
            administrator.join().unwrap();
        });
    });
    scheduler.quiesce().unwrap();
    assert_sums(&scheduler);
    assert_limits(&scheduler);
    while let Some(event) = scheduler.next_event() {
        assert!(
            !matches!(event, SchedulerEvent::TaskPanicked { .. } | SchedulerEvent::WorkerPanicked { .. }),
            "{event}"
        );
    }
    let plans = scheduler.plans().unwrap();
    assert_eq!(plans.keys().collect::<Vec<_>>(), ["root.p", "root.q"], "plans outlive reloads");
    for app in scheduler.apps().unwrap() {
        let app = scheduler.find_app(app.id.number).unwrap();
        app.into_iter().for_each(|app| drop(scheduler.finish(&app)));
    }
    for (plan, books) in &plans {
        for one in books.reservations() {
            scheduler.reserve_delete("ann", one.id()).unwrap();
        }
        let only = format!("{plan}.{}-default", plan.trim_start_matches("root."));
        assert_eq!(rooted(&only), only);
        until("the end of all queues", || {
            let queues = scheduler.queues().unwrap();
            let mut below = queues.iter().filter(|queue| queue.name.starts_with(&format!("{plan}.")));
            below.all(|queue| queue.name == only)
        });
    }
    assert_nothing_is_left(&scheduler);
    scheduler.shutdown().unwrap();
}

#[test]
fn everything_at_once_with_1_worker() {
    everything_at_once(1);
}

#[test]
fn everything_at_once_with_3_workers() {
    everything_at_once(3);
}

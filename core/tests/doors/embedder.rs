//! What the embedder brings panics: it is told of, nothing is lost, and it goes on.

use crate::world::{Fuse, Source, Timebomb, Touchy, source, task_panics, touchy_file};
use evenweave::SchedulerApi as _;
use evenweave::refused::{NoQueue, TryAgain};
use evenweave::{
    AllocateRequest, Allocation, BuildError, CapacityConfiguration, CapacityScheduler, FairScheduler,
    FairSchedulerBuilder, Heartbeat, Refused, Resource,
};
use evenweave_testkit::{SMALL, add_nodes, allocate, ask, assert_nothing_is_left, poll, unmanaged, within};
use std::sync::Arc;
use std::sync::atomic::Ordering;

fn touchy() -> (Arc<Touchy>, FairSchedulerBuilder) {
    let policy = Arc::new(Touchy::default());
    (policy.clone(), FairScheduler::builder().policy(policy).allocations(touchy_file()).timers(false))
}

/// Fair shares of memory, which is all that `Fair` distributes.
fn shares(scheduler: &FairScheduler) -> Vec<i64> {
    scheduler.queues().unwrap().iter().map(|queue| queue.fair_share.memory_mb()).collect()
}

#[test]
fn an_update_that_panics_begins_anew() {
    let (policy, builder) = touchy();
    let scheduler = builder.start().unwrap();
    add_nodes(&scheduler, 2);
    let app = scheduler.submit(unmanaged(1, "root.a")).unwrap();
    allocate(&scheduler, &app, &ask(20)).unwrap();
    scheduler.quiesce().unwrap();
    // At root, at a leaf, with nothing known and with everything known.
    for times in [1, 2, 3] {
        policy.shares.set(times);
        for _ in 0..times {
            let Err(Refused::TryAgain(TryAgain::Panicked { what, message })) =
                within("update", || scheduler.update_now())
            else {
                panic!("the update went well")
            };
            assert_eq!((what, &*message), ("the update task", "compute_shares panics"));
            assert_eq!(task_panics(&scheduler), [("update", "compute_shares panics".to_owned())]);
        }
        let before = shares(&scheduler);
        assert_eq!(within("update", || scheduler.update_now()), Ok(()));
        assert_eq!(shares(&scheduler), [16384, 16384, 0], "after {before:?}");
    }
    // And by time: who is waited for gets an update.
    policy.shares.set(1);
    assert!(scheduler.update_now().is_err() && scheduler.update_now().is_ok());
    scheduler.heartbeat(Heartbeat::new(&scheduler.find_node("n0").unwrap())).unwrap();
    scheduler.quiesce().unwrap();
    assert_eq!(poll(&scheduler, &app).granted.len(), 1);
    assert_nothing_is_left(&scheduler);
}

#[test]
fn a_source_that_panics_is_read_again() {
    let (source, ..) = source();
    let scheduler = FairScheduler::builder().watch(source.clone()).timers(false).start().unwrap();
    source.0.bomb.set(1);
    let refused = within("refresh", || scheduler.refresh_file()).unwrap_err();
    assert!(
        matches!(&refused, Refused::TryAgain(TryAgain::Panicked { message, .. }) if message == "source panics"),
        "{refused}"
    );
    assert_eq!(task_panics(&scheduler), [("watcher", "source panics".to_owned())]);
    assert_eq!(within("refresh", || scheduler.refresh_file()), Ok(Vec::new()));
}

#[test]
fn what_panics_at_the_start_is_an_error() {
    type Start = fn(FairSchedulerBuilder) -> Result<(), BuildError>;
    let starts: [Start; 3] = [|b| b.start().map(drop), |b| b.start_with_workers().map(drop), |b| b.stepped().map(drop)];
    for start in starts {
        let refused = |builder: FairSchedulerBuilder, said: &str| {
            let error = start(builder).unwrap_err();
            assert!(matches!(&error, BuildError::Panicked(message) if message == said), "{error}");
        };
        let (policy, builder) = touchy();
        policy.named.set(1);
        refused(builder, "name panics");
        let (source, ..) = source();
        source.0.bomb.set(1);
        let watching = |source: &Source| FairScheduler::builder().watch(source.clone());
        refused(watching(&source), "source panics");
        let clock = Arc::new(Timebomb::default());
        clock.0.set(1);
        refused(watching(&source).clock(clock), "clock panics");
    }
}

/// Whichever reading of the clock it is, of either scheduler and in each form.
#[test]
fn a_clock_that_panics_in_a_start_is_an_error() {
    let queues = [("yarn.scheduler.capacity.root.queues", "a"), ("yarn.scheduler.capacity.root.a.capacity", "100")];
    let capacity = || CapacityScheduler::builder(CapacityConfiguration::from_properties([], queues).unwrap());
    let starts: [&dyn Fn(Arc<Fuse>) -> Result<(), BuildError>; 6] = [
        &|clock| FairScheduler::builder().clock(clock).start().map(drop),
        &|clock| FairScheduler::builder().clock(clock).start_with_workers().map(drop),
        &|clock| FairScheduler::builder().clock(clock).stepped().map(drop),
        &|clock| capacity().clock(clock).start().map(drop),
        &|clock| capacity().clock(clock).start_with_workers().map(drop),
        &|clock| capacity().clock(clock).stepped().map(drop),
    ];
    for (form, start) in starts.into_iter().enumerate() {
        // Those that the control reads it by are told of as an event.
        let panics: Vec<_> = (1..20).filter_map(|nth| start(Arc::new(Fuse::new(nth))).err()).collect();
        let said = |error: &BuildError| matches!(error, BuildError::Panicked(said) if said == "the fuse has burnt");
        assert!(!panics.is_empty() && panics.iter().all(said), "{form}: {panics:?}");
    }
}

/// What an update that panicked knew of queues is forgotten: the next one asks about all of them.
#[test]
fn an_update_after_a_panic_computes_everything() {
    let (policy, builder) = touchy();
    policy.stable.store(true, Ordering::Relaxed);
    let scheduler = builder.start().unwrap();
    add_nodes(&scheduler, 2);
    let asked = || {
        let before = policy.asked.load(Ordering::Relaxed);
        let done = scheduler.update_now().is_ok();
        (done, policy.asked.load(Ordering::Relaxed) - before)
    };
    let app = scheduler.submit(unmanaged(1, "root.a")).unwrap();
    allocate(&scheduler, &app, &ask(3)).unwrap();
    scheduler.quiesce().unwrap();
    assert_eq!(asked(), (true, 3), "root and two leaves");
    assert_eq!(asked(), (true, 0), "nothing has changed");
    scheduler.submit(unmanaged(2, "root.a")).unwrap();
    scheduler.quiesce().unwrap();
    assert_eq!(asked(), (true, 2), "nobody asks about root.b");
    scheduler.submit(unmanaged(3, "root.a")).unwrap();
    scheduler.quiesce().unwrap();
    policy.shares.set(1);
    assert_eq!(asked(), (false, 1));
    assert_eq!(asked(), (true, 3), "root.b too");
}

#[test]
fn a_headroom_that_panics_loses_no_mail() {
    let (policy, builder) = touchy();
    let clock = Arc::new(Timebomb::default());
    let scheduler = builder.clock(clock.clone()).start().unwrap();
    let nodes = add_nodes(&scheduler, 1);
    let app = scheduler.submit(unmanaged(1, "root.a")).unwrap();
    allocate(&scheduler, &app, &ask(1)).unwrap();
    scheduler.quiesce().unwrap();
    scheduler.update_now().unwrap();
    scheduler.heartbeat(Heartbeat::new(&nodes[0])).unwrap();
    scheduler.quiesce().unwrap();
    let mut answer = Allocation::default();
    let here = std::thread::current().name().unwrap().to_owned();
    for bomb in [&policy.headroom, &clock.0] {
        bomb.set_on(&here);
        let refused = scheduler.allocate(&app, &AllocateRequest::default(), &mut answer).unwrap_err();
        assert!(matches!(refused, Refused::TryAgain(TryAgain::Panicked { .. })), "{refused}");
    }
    scheduler.allocate(&app, &AllocateRequest::default(), &mut answer).unwrap();
    assert_eq!(answer.granted.len(), 1);

    // The same without threads.
    let (policy, builder) = touchy();
    let mut stepped = builder.stepped().unwrap();
    let node = stepped.add_node("n", "/r", Resource::new(8192, 8)).unwrap();
    let app = stepped.submit(unmanaged(1, "root.a")).unwrap();
    stepped.allocate(&app, &ask(1), &mut answer).unwrap();
    stepped.update_now();
    stepped.heartbeat(Heartbeat::new(&node));
    policy.headroom.set(1);
    assert!(matches!(
        stepped.allocate(&app, &AllocateRequest::default(), &mut answer),
        Err(Refused::TryAgain(TryAgain::Panicked { .. }))
    ));
    stepped.allocate(&app, &AllocateRequest::default(), &mut answer).unwrap();
    assert_eq!(answer.granted.len(), 1);
}

/// Whatever a policy's calculator does, the only worker goes on.
#[test]
fn a_calculator_that_panics_gives_up_no_worker() {
    let (policy, builder) = touchy();
    let scheduler = builder.start().unwrap();
    let nodes = add_nodes(&scheduler, 2);
    let app = scheduler.submit(unmanaged(1, "root.a")).unwrap();
    policy.calculator.set(u32::MAX);
    allocate(&scheduler, &app, &ask(12)).unwrap();
    scheduler.quiesce().unwrap();
    scheduler.update_now().unwrap();
    for node in nodes.iter().cycle().take(20) {
        scheduler.heartbeat(Heartbeat::new(node)).unwrap();
    }
    // A queue that is made now is asked about by the control, and cannot be; a reload publishes all of them anew.
    assert!(matches!(scheduler.submit(unmanaged(2, "root.later")), Err(Refused::NoQueue(NoQueue::NotLeaf { .. }))));
    within("reload", || scheduler.reload(touchy_file())).unwrap();
    within("quiesce", || scheduler.quiesce()).unwrap();
    assert_eq!(poll(&scheduler, &app).granted.len(), 12);
    assert!(task_panics(&scheduler).iter().all(|(task, _)| *task == "control"));
    policy.calculator.set(0);
    assert_nothing_is_left(&scheduler);
}

/// A panic of a policy, or of the clock, on the control's thread does not end it.
#[test]
fn the_control_outlives_a_policy_and_a_clock() {
    let (policy, builder) = touchy();
    let clock = Arc::new(Timebomb::default());
    policy.steady.set(1);
    let scheduler = builder.clock(clock.clone()).start().unwrap();
    assert_eq!(task_panics(&scheduler), [("control", "compute_shares panics".to_owned())], "at the start");
    policy.steady.set(1);
    let nodes = add_nodes(&scheduler, 2);
    assert_eq!(task_panics(&scheduler), [("control", "compute_shares panics".to_owned())]);
    policy.child.set(1);
    assert!(matches!(scheduler.create_queue("root.new"), Err(Refused::NoQueue(NoQueue::CannotCreate { .. }))));
    assert_eq!(task_panics(&scheduler), [("control", "allows_child panics".to_owned())]);
    scheduler.create_queue("root.new").unwrap();
    clock.0.set_on("evenweave-control");
    let refused = within("submit", || scheduler.submit(unmanaged(1, "root.a"))).unwrap_err();
    assert!(matches!(&refused, Refused::TryAgain(TryAgain::Panicked { what: "the clock", .. })), "{refused}");
    let app = scheduler.submit(unmanaged(1, "root.a")).unwrap();
    allocate(&scheduler, &app, &ask(3)).unwrap();
    scheduler.quiesce().unwrap();
    scheduler.update_now().unwrap();
    nodes.iter().for_each(|node| scheduler.heartbeat(Heartbeat::new(node)).unwrap());
    scheduler.quiesce().unwrap();
    assert_eq!(poll(&scheduler, &app).granted.len(), 2);
    let steady: Vec<_> = scheduler.queues().unwrap().iter().map(|queue| queue.steady_fair_share.memory_mb()).collect();
    assert_eq!(steady, [16384, 5462, 5462, 5462], "what was passed over is made up for");
    assert!(SMALL.fits_in(&scheduler.stats().allocated));
    assert_nothing_is_left(&scheduler);
}

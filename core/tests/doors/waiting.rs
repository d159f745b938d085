//! Who waits is answered: deadlines, shutdowns, callbacks, tasks that are gone, handles that were lost.

use crate::world::source;
use evenweave::SchedulerApi as _;
use evenweave::faults::Fault;
use evenweave::refused::{Gone, Invalid};
use evenweave::{
    AllocateRequest, Allocation, FairScheduler, Heartbeat, HeartbeatProbe, NodeHandle, Refused, Resource,
    SchedulerEvent, WeakScheduler,
};
use evenweave_testkit::{ask, poll, unmanaged, until, within};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, mpsc};
use std::thread;
use std::time::Duration;

const SHORT: Duration = Duration::from_millis(5);
const LONG: Duration = Duration::from_secs(3600);

fn timed_out() -> Result<(), Refused> {
    Err(Refused::TimedOut)
}

#[test]
fn a_source_that_hangs_keeps_no_caller_beyond_the_shutdown() {
    let (source, has_hung, _lets_go) = source();
    let scheduler = FairScheduler::builder().watch(source.clone()).timers(false).start().unwrap();
    scheduler.refresh_file().unwrap();
    source.hang();
    let waits = {
        let scheduler = scheduler.clone();
        thread::spawn(move || scheduler.refresh_file_within(LONG))
    };
    has_hung.recv().unwrap();
    // Who would not wait so long is told.
    assert_eq!(within("refresh", || scheduler.refresh_file_within(SHORT)), Err(Refused::TimedOut));
    assert_eq!(within("shutdown", || scheduler.shutdown()), Ok(()));
    assert_eq!(within("the caller", || waits.join().unwrap()), Err(Refused::Gone(Gone::ShutDown)));
}

#[test]
fn who_will_not_wait_for_ever_says_how_long() {
    let scheduler = FairScheduler::builder().timers(false).channel_capacity(1).start().unwrap();
    let node = scheduler.add_node("n", "/r", Resource::new(8192, 8)).unwrap();
    assert_eq!(scheduler.quiesce_within(LONG), Ok(()));
    assert_eq!(scheduler.update_now_within(LONG), Ok(()));
    scheduler.inject(Fault::UpdateStall(Duration::from_secs(3))).unwrap();
    assert_eq!(scheduler.update_now_within(SHORT), timed_out());
    scheduler.inject(Fault::WorkerStall { worker: 0, time: Duration::from_secs(3) }).unwrap();
    // With its channel full, too.
    until("a full channel", || scheduler.heartbeat(Heartbeat::new(&node)).is_err());
    assert_eq!(scheduler.quiesce_within(SHORT), timed_out());
    assert_eq!(scheduler.shutdown_within(SHORT), timed_out());
    // The end comes all the same, and is waited for by whoever asks.
    assert_eq!(within("shutdown", || scheduler.shutdown_within(LONG)), Ok(()));
    assert_eq!(scheduler.shutdown(), Ok(()));
    for late in [scheduler.quiesce(), scheduler.update_now()] {
        assert_eq!(late, Err(Refused::Gone(Gone::ShutDown)));
    }
}

/// A callback that hangs for good: the shutdown is not waited for for ever, nor is anybody who waited for the worker.
#[test]
fn a_shutdown_that_is_given_up_frees_whoever_waits() {
    let (hangs, has_hung) = mpsc::channel();
    let (lets_go, let_go) = mpsc::channel::<()>();
    let let_go = Mutex::new(let_go);
    let wake = move |_: &WeakScheduler, _| {
        hangs.send(()).unwrap();
        let _ = let_go.lock().unwrap().recv();
    };
    let scheduler = FairScheduler::builder().timers(false).on_grants_with(wake).start().unwrap();
    let node = scheduler.add_node("n", "/r", Resource::new(8192, 8)).unwrap();
    let app = scheduler.submit(unmanaged(1, "root.a")).unwrap();
    scheduler.allocate(&app, &ask(1), &mut Allocation::default()).unwrap();
    scheduler.quiesce().unwrap();
    scheduler.update_now().unwrap();
    scheduler.heartbeat(Heartbeat::new(&node)).unwrap();
    has_hung.recv().unwrap();
    let waits = {
        let (scheduler, app) = (scheduler.clone(), app.clone());
        thread::spawn(move || scheduler.finish(&app))
    };
    until("the end of the application", || app.is_finished());
    assert_eq!(scheduler.shutdown_within(SHORT), timed_out());
    assert_eq!(within("finish", || waits.join().unwrap()), Err(Refused::Gone(Gone::ShutDown)));
    lets_go.send(()).unwrap();
    drop(lets_go);
    assert_eq!(within("shutdown", || scheduler.shutdown()), Ok(()));
}

/// A wake-up has a handle that keeps nothing alive; in it calls that wait are refused, and others work.
#[test]
fn a_wake_up_that_has_the_scheduler_lets_it_end() {
    let (told, heard) = mpsc::channel();
    let alive = Arc::new(());
    let (guard, mut app_of) = (alive.clone(), None);
    let handles = Arc::new(Mutex::new(app_of.take()));
    let own = handles.clone();
    let wake = move |weak: &WeakScheduler, number: u32| {
        let _alive = &guard;
        let (scheduler, app) = (weak.upgrade().unwrap(), own.lock().unwrap().clone().unwrap());
        let node = scheduler.find_node("n").unwrap();
        let waiting = [
            scheduler.finish(&app),
            scheduler.finish_as("ann", &app),
            scheduler.move_app(&app, "root.b"),
            scheduler.remove_node(&node),
            scheduler.quiesce(),
            scheduler.quiesce_within(LONG),
            scheduler.update_now(),
            scheduler.submit(unmanaged(9, "root.a")).map(drop),
            scheduler.find_app(number).map(drop),
            scheduler.containers().map(drop),
            scheduler.container_counts().map(drop),
            scheduler.take_journal().map(drop),
            scheduler.refresh_file().map(drop),
            scheduler.clean_up(),
            scheduler.offer_all(),
            scheduler.submit_all(vec![unmanaged(10, "root.a")]).unwrap().wait().map(drop),
        ];
        let mut answer = Allocation::default();
        scheduler.allocate(&app, &AllocateRequest::default(), &mut answer).unwrap();
        scheduler.begin_finish(&app).unwrap();
        told.send((waiting, answer.granted.len())).unwrap();
    };
    let scheduler = FairScheduler::builder().timers(false).on_grants_with(wake).start().unwrap();
    let node = scheduler.add_node("n", "/r", Resource::new(8192, 8)).unwrap();
    let app = scheduler.submit(unmanaged(1, "root.a")).unwrap();
    *handles.lock().unwrap() = Some(app.clone());
    scheduler.allocate(&app, &ask(1), &mut Allocation::default()).unwrap();
    scheduler.quiesce().unwrap();
    scheduler.update_now().unwrap();
    scheduler.heartbeat(Heartbeat::new(&node)).unwrap();
    let (waiting, granted) = within("the wake-up", || heard.recv().unwrap());
    assert_eq!(waiting, [const { Err(Refused::Invalid(Invalid::OwnThread)) }; 16]);
    assert_eq!(granted, 1);
    within("quiesce", || scheduler.quiesce()).unwrap();
    assert!(app.is_finished(), "begin_finish was taken");
    within("the last handle", || drop(scheduler));
    assert_eq!(Arc::strong_count(&alive), 1, "the closure has gone with the scheduler");
}

/// Where it ends in a callback nobody waits for the thread that runs it: the end comes by itself, by a call and with
/// the last handle.
#[test]
fn a_scheduler_that_ends_in_a_callback_ends_by_itself() {
    for by_call in [true, false] {
        let ((told, heard), (lets_go, let_go)) = (mpsc::channel(), mpsc::channel::<()>());
        let let_go = Mutex::new(let_go);
        let alive = Arc::new(());
        let guard = alive.clone();
        let wake = move |weak: &WeakScheduler, _| {
            let _alive = &guard;
            let scheduler = weak.upgrade().unwrap();
            told.send(by_call.then(|| scheduler.shutdown())).unwrap();
            // Whoever else had a handle has let go of it by then.
            let _ = let_go.lock().unwrap().recv();
            drop(scheduler);
        };
        let scheduler = FairScheduler::builder().timers(false).on_grants_with(wake).start().unwrap();
        let node = scheduler.add_node("n", "/r", Resource::new(8192, 8)).unwrap();
        let app = scheduler.submit(unmanaged(1, "root.a")).unwrap();
        scheduler.allocate(&app, &ask(1), &mut Allocation::default()).unwrap();
        scheduler.quiesce().unwrap();
        scheduler.update_now().unwrap();
        scheduler.heartbeat(Heartbeat::new(&node)).unwrap();
        let said = within("the callback", || heard.recv().unwrap());
        assert_eq!(said, by_call.then_some(Err(Refused::Invalid(Invalid::OwnThread))));
        if by_call {
            assert_eq!(scheduler.add_node("m", "/r", Resource::new(1024, 1)), Err(Refused::Gone(Gone::ShutDown)));
            lets_go.send(()).unwrap();
            assert_eq!(within("who waits elsewhere", || scheduler.shutdown()), Ok(()));
        }
        drop((scheduler, app, node));
        let _ = lets_go.send(());
        until("the end", || Arc::strong_count(&alive) == 1);
    }
}

/// Sends another heartbeat of its node for each that is worked off, until it is over.
#[derive(Default)]
struct SendsOn(OnceLock<(WeakScheduler, NodeHandle)>, AtomicBool);

impl HeartbeatProbe for SendsOn {
    fn taken(&self, _: usize, stamp: u64) -> u64 {
        stamp
    }
    fn served(&self, _: usize, stamp: u64, _: u64, _: u32) {
        let (scheduler, node) = self.0.get().unwrap();
        if let Some(scheduler) = scheduler.upgrade().filter(|_| !self.1.load(Ordering::Relaxed)) {
            let mut next = Heartbeat::new(node);
            next.stamp = stamp;
            scheduler.heartbeat(next).unwrap();
        }
    }
}

/// There never is a moment in which nothing is under way: who waits for one is answered all the same, if he has said
/// how long.
#[test]
fn who_waits_among_those_who_send_on_is_answered() {
    let sends_on = Arc::new(SendsOn::default());
    let scheduler = FairScheduler::builder().timers(false).probe(sends_on.clone()).start().unwrap();
    let node = scheduler.add_node("n", "/r", Resource::new(8192, 8)).unwrap();
    assert!(sends_on.0.set((scheduler.downgrade(), node.clone())).is_ok());
    let mut first = Heartbeat::new(&node);
    first.stamp = 1;
    scheduler.heartbeat(first).unwrap();
    for _ in 0..3 {
        assert_eq!(within("quiesce", || scheduler.quiesce_within(SHORT)), timed_out());
    }
    sends_on.1.store(true, Ordering::Relaxed);
    assert_eq!(within("quiesce", || scheduler.quiesce_within(LONG)), Ok(()));
}

/// Where a worker is polled nobody can wait for it.
#[test]
fn calls_that_wait_for_a_worker_are_refused_where_it_is_polled() {
    let (scheduler, mut workers) = FairScheduler::builder().timers(false).start_with_workers().unwrap();
    let app = scheduler.submit(unmanaged(1, "root.a")).unwrap();
    workers[0].poll(64);
    let refused = Err(Refused::Invalid(Invalid::OwnThread));
    assert_eq!(within("finish", || scheduler.finish(&app)), refused);
    assert_eq!(within("quiesce", || scheduler.quiesce()), refused);
    // What waits for others is not.
    assert!(scheduler.update_now().is_ok());
    assert_eq!(scheduler.find_app(1).unwrap(), Some(app));
}

#[test]
fn answers_are_given_once_and_say_so() {
    let scheduler = FairScheduler::builder().timers(false).start().unwrap();
    let submitted = scheduler.submit_all(vec![unmanaged(1, "root.a")]).unwrap();
    scheduler.quiesce().unwrap();
    assert_eq!(submitted.try_take().unwrap().len(), 1);
    assert!(submitted.try_take().is_none());
    assert_eq!(submitted.wait().map(|_| ()), Err(Refused::Invalid(Invalid::AlreadyTaken)));
    let waits = scheduler.submit_all(vec![unmanaged(2, "root.a")]).unwrap();
    assert!(waits.wait().unwrap()[0].is_ok());
}

#[test]
fn a_scheduler_without_a_control_says_so() {
    let scheduler = FairScheduler::builder().timers(false).start().unwrap();
    let app = scheduler.submit(unmanaged(1, "root.a")).unwrap();
    scheduler.inject(Fault::ControlDeath).unwrap();
    let lost = Refused::Gone(Gone::Task { task: "control" });
    // The first may still meet it.
    let _ = within("finish", || scheduler.finish(&app));
    let event = loop {
        if let Some(event) = scheduler.next_event() {
            break event;
        }
        thread::yield_now();
    };
    assert!(matches!(event, SchedulerEvent::TaskPanicked { task: "control", .. }), "{event:?}");
    assert_eq!(within("submit", || scheduler.submit(unmanaged(2, "root.a"))).map(drop), Err(lost.clone()));
    assert_eq!(within("finish", || scheduler.finish(&app)), Err(lost.clone()));
    assert_eq!(within("quiesce", || scheduler.quiesce()), Err(lost.clone()));
    assert_eq!(scheduler.submit_all(Vec::new()).map(drop), Err(lost));
    assert_eq!(within("shutdown", || scheduler.shutdown()), Ok(()));
    assert_eq!(scheduler.finish(&app), Err(Refused::Gone(Gone::ShutDown)));
}

/// Handles that were let go are had again, and end what they name.
#[test]
fn handles_are_found_by_number_and_name() {
    let scheduler = FairScheduler::builder().timers(false).start().unwrap();
    drop(scheduler.submit_all(vec![unmanaged(7, "root.a")]).unwrap());
    drop(scheduler.add_node("n", "/r", Resource::new(8192, 8)).unwrap());
    scheduler.quiesce().unwrap();
    let (app, node) = (scheduler.find_app(7).unwrap().unwrap(), scheduler.find_node("n").unwrap());
    assert_eq!((app.number(), node.name()), (7, "n"));
    assert_eq!(poll(&scheduler, &app).granted.len(), 0);
    scheduler.finish(&app).unwrap();
    scheduler.remove_node(&node).unwrap();
    assert_eq!((scheduler.find_app(7).unwrap(), scheduler.find_node("n")), (None, None));
    assert_eq!((scheduler.find_app(8).unwrap(), scheduler.find_node("*")), (None, None));

    let mut stepped = FairScheduler::builder().stepped().unwrap();
    drop(stepped.submit(unmanaged(7, "root.a")).unwrap());
    drop(stepped.add_node("n", "/r", Resource::new(8192, 8)).unwrap());
    let (app, node) = (stepped.find_app(7).unwrap(), stepped.find_node("n").unwrap());
    assert_eq!((app.number(), node.name()), (7, "n"));
    let next = stepped.new_attempt(&app, evenweave::NewAttempt::default()).unwrap();
    assert_eq!(stepped.find_app(7), Some(next.clone()), "of the newest attempt");
    stepped.finish(&next).unwrap();
    stepped.remove_node(&node).unwrap();
    assert_eq!((stepped.find_app(7), stepped.find_node("n")), (None, None));
}

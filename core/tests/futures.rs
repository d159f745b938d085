//! Futures of the threaded scheduler: polled by hand, with workers that this thread runs, so that what wakes whom is
//! seen; and by tokio.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use evenweave::prelude::*;
use evenweave::refused::{AlreadyExists, Gone, Invalid, NotFound, TryAgain};
use evenweave::{AmRequest, CapacitySchedulerBuilder, NotSent, RecoveredContainer, Worker};
use evenweave_testkit::{SMALL, ask, capacity, until, wait_for};
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{Thread, current, park_timeout};
use std::time::Duration;

/// Counts how often it was woken, and wakes the thread that made it.
struct Counter(AtomicUsize, Thread);

impl Wake for Counter {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
        self.1.unpark();
    }
}

/// A future and its waker.
struct ByHand<'f, T> {
    future: Pin<Box<dyn Future<Output = T> + Send + 'f>>,
    counter: Arc<Counter>,
}

impl<'f, T> ByHand<'f, T> {
    fn new(future: impl Future<Output = T> + Send + 'f) -> ByHand<'f, T> {
        ByHand { future: Box::pin(future), counter: Arc::new(Counter(AtomicUsize::new(0), current())) }
    }

    fn poll(&mut self) -> Poll<T> {
        let waker = Waker::from(self.counter.clone());
        self.future.as_mut().poll(&mut Context::from_waker(&waker))
    }

    fn woken(&self) -> usize {
        self.counter.0.load(Ordering::SeqCst)
    }

    /// Polls it whenever it is woken, and no other time: one that nobody wakes ends the test.
    fn run(mut self) -> T {
        let mut seen = self.woken();
        loop {
            if let Poll::Ready(value) = self.poll() {
                return value;
            }
            for _ in 0..1000 {
                if self.woken() > seen {
                    break;
                }
                park_timeout(Duration::from_millis(10));
            }
            assert!(self.woken() > seen, "nobody woke it");
            seen = self.woken();
        }
    }
}

fn submission(number: u32) -> Submission {
    Submission::new(number, "ann")
}

/// A scheduler whose workers run when this thread says so.
struct World {
    scheduler: FairScheduler,
    workers: Vec<Worker>,
    node: NodeHandle,
    app: AppHandle,
}

impl World {
    fn new(builder: FairSchedulerBuilder) -> World {
        let (scheduler, workers) = builder.timers(false).start_with_workers().unwrap();
        let node = scheduler.add_node("n1", "/r1", Resource::new(8192, 8)).unwrap();
        let app = scheduler.submit(submission(1)).unwrap();
        World { scheduler, workers, node, app }
    }

    fn work(&mut self) {
        for _ in 0..4 {
            for worker in &mut self.workers {
                until("a worker with nothing more", || worker.poll(64) != evenweave::Polled::More);
            }
        }
    }

    /// Its AM asks for so many; the shares count them.
    fn ask(&mut self, count: u32) {
        self.scheduler.allocate(&self.app, &ask(count), &mut Allocation::default()).unwrap();
        self.work();
        self.scheduler.update_now().unwrap();
    }

    fn heartbeat(&mut self) {
        self.scheduler.heartbeat(Heartbeat::new(&self.node)).unwrap();
        self.work();
    }

    fn fetch(&self) -> Allocation {
        let mut answer = Allocation::default();
        self.scheduler.allocate(&self.app, &AllocateRequest::default(), &mut answer).unwrap();
        answer
    }

    fn end(self) {
        // This thread polls the workers.
        assert_eq!(self.scheduler.shutdown(), Err(Refused::Invalid(Invalid::OwnThread)));
        // In turn: each may wait for what the others do.
        let mut workers = self.workers;
        until("the end of the workers", || {
            workers.retain_mut(|worker| worker.poll(64) != evenweave::Polled::Ended);
            workers.is_empty()
        });
    }
}

#[test]
fn a_grant_and_an_end_wake_who_waits_for_mail() {
    let mut world = World::new(FairScheduler::builder().workers(2));
    world.ask(2);
    let scheduler = world.scheduler.clone();
    let app = world.app.clone();
    let mut mail = ByHand::new(scheduler.mail_async(&app));
    assert_eq!(mail.poll(), Poll::Pending);
    world.work();
    assert_eq!((mail.poll(), mail.woken()), (Poll::Pending, 0), "there is none yet");
    world.heartbeat();
    assert!(mail.woken() > 0);
    assert_eq!(mail.poll(), Poll::Ready(Ok(())));
    // At once, while nobody has fetched it; then not.
    assert_eq!(ByHand::new(scheduler.mail_async(&app)).poll(), Poll::Ready(Ok(())));
    let granted = world.fetch().granted;
    assert_eq!(granted.len(), 1);
    let mut mail = ByHand::new(scheduler.mail_async(&app));
    assert_eq!(mail.poll(), Poll::Pending);
    world.work();
    let mut report = Heartbeat::new(&world.node);
    report.add_completed([granted[0].id]);
    report.offer = false;
    scheduler.heartbeat(report).unwrap();
    world.work();
    assert!(mail.woken() > 0, "of the end");
    assert_eq!(mail.poll(), Poll::Ready(Ok(())));
    world.end();
}

#[test]
fn what_came_before_the_worker_heard_of_the_wait_wakes_too() {
    let mut world = World::new(FairScheduler::builder());
    world.ask(1);
    let (scheduler, app) = (world.scheduler.clone(), world.app.clone());
    scheduler.heartbeat(Heartbeat::new(&world.node)).unwrap();
    let mut mail = ByHand::new(scheduler.mail_async(&app));
    assert_eq!(mail.poll(), Poll::Pending);
    world.work();
    assert!(mail.woken() > 0);
    assert_eq!(mail.poll(), Poll::Ready(Ok(())));
    world.end();
}

#[test]
fn who_waits_for_mail_hears_of_the_end_of_the_application_and_of_the_scheduler() {
    let mut world = World::new(FairScheduler::builder().workers(2));
    let scheduler = world.scheduler.clone();
    let (app, other) = (world.app.clone(), scheduler.submit(submission(2)).unwrap());
    let mut mail = ByHand::new(scheduler.mail_async(&app));
    let mut others = ByHand::new(scheduler.mail_async(&other));
    assert_eq!((mail.poll(), others.poll()), (Poll::Pending, Poll::Pending));
    world.work();
    let mut finish = ByHand::new(scheduler.finish_async(&app));
    assert_eq!(finish.poll(), Poll::Pending);
    let mut woken = 0;
    let finished = wait_for("the end of the application", || {
        world.work();
        // Woken, it may have to be polled again.
        let is_woken = finish.woken() > std::mem::replace(&mut woken, finish.woken());
        if is_woken && let Poll::Ready(finished) = finish.poll() { Some(finished) } else { None }
    });
    assert_eq!(finished, Ok(()));
    assert!(mail.woken() > 0);
    assert_eq!(mail.poll(), Poll::Ready(Err(NotFound::App(1).into())));
    assert_eq!(others.poll(), Poll::Pending);
    let stranger = World::new(FairScheduler::builder());
    assert_eq!(ByHand::new(stranger.scheduler.mail_async(&other)).poll(), Poll::Ready(Err(NotFound::App(2).into())));
    stranger.end();
    world.end();
    assert!(others.woken() > 0);
    assert_eq!(others.poll(), Poll::Ready(Err(Gone::ShutDown.into())));
}

#[test]
fn room_after_busy() {
    let mut world = World::new(FairScheduler::builder().channel_capacity(1));
    let scheduler = world.scheduler.clone();
    // With room nobody waits for more than the control.
    assert_eq!(ByHand::new(scheduler.room_async()).run(), Ok(()));
    scheduler.heartbeat(Heartbeat::new(&world.node)).unwrap();
    let NotSent { returned, reason, .. } = *scheduler.heartbeat(Heartbeat::new(&world.node)).unwrap_err();
    assert_eq!(reason, Refused::TryAgain(TryAgain::Busy));
    let mut room = ByHand::new(scheduler.room_async());
    // The control answers on its own thread; then the worker is waited for.
    until("room", || {
        let is_woken = room.woken() > 0;
        assert!(is_woken || room.poll() == Poll::Pending);
        is_woken
    });
    assert_eq!(room.poll(), Poll::Pending);
    let before = room.woken();
    world.work();
    assert!(room.woken() > before);
    assert_eq!(room.poll(), Poll::Ready(Ok(())));
    scheduler.heartbeat(returned).unwrap();
    world.end();
    assert_eq!(ByHand::new(scheduler.room_async()).poll(), Poll::Ready(Err(Gone::ShutDown.into())));
}

#[test]
fn a_worker_that_is_given_up_keeps_nobody_waiting() {
    let mut world = World::new(FairScheduler::builder().channel_capacity(1).workers(2));
    let (scheduler, app) = (world.scheduler.clone(), world.app.clone());
    scheduler.heartbeat(Heartbeat::new(&world.node)).unwrap();
    let room = ByHand::new(scheduler.room_async());
    let mut mail = ByHand::new(scheduler.mail_async(&app));
    assert_eq!(mail.poll(), Poll::Pending);
    world.workers.clear();
    assert_eq!(room.run(), Ok(()));
    assert_eq!(mail.run(), Err(Refused::Gone(Gone::AllWorkers)));
    scheduler.shutdown().unwrap();
}

#[test]
fn submissions_moves_and_nodes() {
    let scheduler = FairScheduler::builder().start().unwrap();
    let app = ByHand::new(scheduler.submit_async(submission(1))).run().unwrap();
    assert_eq!(
        ByHand::new(scheduler.submit_async(submission(1))).run(),
        Err(Refused::AlreadyExists(AlreadyExists::App(1)))
    );
    let many = scheduler.submit_all(vec![submission(2), submission(2), submission(3)]).unwrap();
    let many = ByHand::new(many).run().unwrap();
    assert_eq!(many.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, true]);
    let node = ByHand::new(scheduler.add_node_async("n", "/r", SMALL)).run().unwrap();
    assert_eq!(ByHand::new(scheduler.remove_node_async(&node)).run(), Ok(()));
    assert!(node.is_gone());
    let missing = Refused::NotFound(NotFound::Queue("root.none".to_owned()));
    assert_eq!(ByHand::new(scheduler.move_app_async(&app, "root.none")).run(), Err(missing));
    let next = ByHand::new(scheduler.new_attempt_async(&app, NewAttempt::default())).run().unwrap();
    assert_eq!(next.attempt(), 2);
    assert_eq!(ByHand::new(scheduler.finish_async(&next)).run(), Ok(()));
    assert_eq!(ByHand::new(scheduler.finish_async(&next)).run(), Err(Refused::NotFound(NotFound::App(1))));
    // One that is let go of is carried out.
    let mut given = ByHand::new(scheduler.submit_async(submission(4)));
    let _ = given.poll();
    drop(given);
    scheduler.quiesce().unwrap();
    assert!(scheduler.app(4).unwrap().is_some());
    scheduler.shutdown().unwrap();
    assert_eq!(ByHand::new(scheduler.submit_async(submission(5))).run(), Err(Refused::Gone(Gone::ShutDown)));
}

#[test]
fn events_wake_all_who_wait_and_end_with_the_scheduler() {
    let mut world = World::new(FairScheduler::builder());
    let scheduler = world.scheduler.clone();
    let mut first = ByHand::new(scheduler.next_event_async());
    let mut second = ByHand::new(scheduler.next_event_async());
    assert_eq!((first.poll(), second.poll()), (Poll::Pending, Poll::Pending));
    let node = world.node.clone();
    scheduler.decommission_node(&node).unwrap();
    world.work();
    world.heartbeat();
    until("the event", || {
        world.work();
        first.woken() > 0 && second.woken() > 0
    });
    assert_eq!(first.poll(), Poll::Ready(Some(SchedulerEvent::NodeDrained("n1".to_owned()))));
    assert_eq!(second.poll(), Poll::Pending);
    world.end();
    assert_eq!(second.run(), None);
}

/// An AM a task, and nobody polls: each is woken for its containers.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_tokio() {
    const APPS: u32 = 8;
    const EACH: usize = 5;
    let scheduler = FairScheduler::builder().workers(2).start().unwrap();
    let mut nodes = Vec::new();
    for i in 0..4 {
        nodes.push(scheduler.add_node_async(&format!("n{i}"), "/r", Resource::new(65_536, 64)).await.unwrap());
    }
    let masters = (1..=APPS).map(|number| {
        let scheduler = scheduler.clone();
        tokio::spawn(async move {
            let app = scheduler.submit_async(submission(number)).await.unwrap();
            let (mut answer, mut had) = (Allocation::default(), 0);
            scheduler.allocate(&app, &ask(u32::try_from(EACH).unwrap()), &mut answer).unwrap();
            while had < EACH {
                // In vain the first times: a wait that is let go of does no harm.
                let soon = tokio::time::timeout(Duration::from_millis(1), scheduler.mail_async(&app)).await;
                if soon.is_err() {
                    scheduler.mail_async(&app).await.unwrap();
                }
                scheduler.allocate(&app, &AllocateRequest::default(), &mut answer).unwrap();
                had += answer.granted.len();
            }
            scheduler.finish_async(&app).await.unwrap();
            had
        })
    });
    let masters: Vec<_> = masters.collect();
    let beats = {
        let scheduler = scheduler.clone();
        tokio::spawn(async move {
            loop {
                for node in &nodes {
                    while let Err(not_sent) = scheduler.heartbeat(Heartbeat::new(node)) {
                        assert_eq!(not_sent.reason, Refused::TryAgain(TryAgain::Busy));
                        scheduler.room_async().await.unwrap();
                    }
                }
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        })
    };
    for master in masters {
        let had = tokio::time::timeout(Duration::from_secs(60), master).await.expect("containers come");
        assert_eq!(had.unwrap(), EACH);
    }
    beats.abort();
    let _ = pin!(beats).await;
    tokio::task::spawn_blocking(move || scheduler.shutdown()).await.unwrap().unwrap();
}

/// A node comes with what runs on it, and each container has an answer of its own.
macro_rules! comes_with_what_runs {
    ($scheduler:ident) => {{
        let of_before =
            |number| submission(number).recovered_in("root.default").with_am(AmRequest::from(SMALL).running());
        let (app, over) = ($scheduler.submit(of_before(1)).unwrap(), $scheduler.submit(of_before(2)).unwrap());
        $scheduler.finish(&over).unwrap();
        let task = |number| RecoveredContainer::new(1, number, SMALL);
        let given = vec![(app.clone(), task(1).with_am(true)), (over, task(2)), (app, task(3))];
        let node = Resource::new(8192, 8);
        let again = given.clone();
        let (_, ids) = ByHand::new($scheduler.add_node_with_containers_async("n", "/r", node, given)).run().unwrap();
        let told: Vec<_> = ids.iter().map(|id| id.as_ref().map(|id| id.number()).map_err(Refused::kind)).collect();
        assert_eq!(told, [Ok(1), Err("no-such-app"), Ok(3)]);
        assert_eq!($scheduler.node("n").unwrap().free, Resource::new(6144, 6));
        let refused = ByHand::new($scheduler.add_node_with_containers_async("n", "/r", node, again)).run();
        assert_eq!(refused.unwrap_err().kind(), "duplicate-node");
        $scheduler.shutdown().unwrap();
        let late = ByHand::new($scheduler.add_node_with_containers_async("m", "/r", node, Vec::new())).run();
        assert_eq!(late.unwrap_err(), Refused::Gone(Gone::ShutDown));
    }};
}

#[test]
fn nodes_with_what_runs_on_them() {
    let scheduler = FairScheduler::builder().timers(false).workers(2).start().unwrap();
    comes_with_what_runs!(scheduler);
    let scheduler = two_queues().timers(false).start().unwrap();
    comes_with_what_runs!(scheduler);
}

fn two_queues() -> CapacitySchedulerBuilder {
    let queues = [
        ("yarn.scheduler.capacity.root.queues", "default,other"),
        ("yarn.scheduler.capacity.root.default.capacity", "50"),
        ("yarn.scheduler.capacity.root.other.capacity", "50"),
    ];
    capacity([], queues)
}

#[test]
fn submissions_moves_and_nodes_of_the_capacity_scheduler() {
    let scheduler = two_queues().start().unwrap();
    let app = ByHand::new(scheduler.submit_async(submission(1))).run().unwrap();
    assert_eq!(
        ByHand::new(scheduler.submit_async(submission(1))).run(),
        Err(Refused::AlreadyExists(AlreadyExists::App(1)))
    );
    let node = ByHand::new(scheduler.add_node_async("n", "/r", SMALL)).run().unwrap();
    assert_eq!(ByHand::new(scheduler.remove_node_async(&node)).run(), Ok(()));
    assert!(node.is_gone());
    let missing = Refused::NotFound(NotFound::Queue("none".to_owned()));
    assert_eq!(ByHand::new(scheduler.move_app_async(&app, "none")).run(), Err(missing));
    assert_eq!(ByHand::new(scheduler.move_app_async(&app, "other")).run(), Ok(()));
    assert_eq!(scheduler.apps().unwrap()[0].queue, "root.other");
    assert_eq!(ByHand::new(scheduler.finish_async(&app)).run(), Ok(()));
    assert_eq!(ByHand::new(scheduler.finish_async(&app)).run(), Err(Refused::NotFound(NotFound::App(1))));
    scheduler.shutdown().unwrap();
    assert_eq!(ByHand::new(scheduler.submit_async(submission(5))).run(), Err(Refused::Gone(Gone::ShutDown)));
}

#[test]
fn mail_of_the_capacity_scheduler() {
    let scheduler = two_queues().start().unwrap();
    let node = scheduler.add_node("n1", "/r1", Resource::new(8192, 8)).unwrap();
    let app = scheduler.submit(submission(1)).unwrap();
    let mut answer = Allocation::default();
    scheduler.allocate(&app, &ask(1), &mut answer).unwrap();
    scheduler.quiesce().unwrap();
    let mut mail = ByHand::new(scheduler.mail_async(&app));
    assert_eq!(mail.poll(), Poll::Pending);
    scheduler.quiesce().unwrap();
    assert_eq!((mail.poll(), mail.woken()), (Poll::Pending, 0), "there is none yet");
    scheduler.heartbeat(Heartbeat::new(&node)).unwrap();
    assert_eq!(mail.run(), Ok(()));
    scheduler.allocate(&app, &AllocateRequest::default(), &mut answer).unwrap();
    assert_eq!(answer.granted.len(), 1);
    let mut mail = ByHand::new(scheduler.mail_async(&app));
    assert_eq!(mail.poll(), Poll::Pending);
    let mut report = Heartbeat::new(&node);
    report.add_completed([answer.granted[0].id]);
    scheduler.heartbeat(report).unwrap();
    assert_eq!(mail.run(), Ok(()), "of the end");
    scheduler.allocate(&app, &AllocateRequest::default(), &mut answer).unwrap();
    assert_eq!(answer.ended.len(), 1);
    let mut mail = ByHand::new(scheduler.mail_async(&app));
    assert_eq!(mail.poll(), Poll::Pending);
    scheduler.finish(&app).unwrap();
    assert_eq!(mail.run(), Err(Refused::NotFound(NotFound::App(1))));
    scheduler.shutdown().unwrap();
}

/// The worker stands in a callback until it is let go; then the callback panics.
#[test]
fn room_and_events_of_the_capacity_scheduler() {
    let (let_go, waits) = mpsc::channel::<()>();
    let (stands, has_stopped) = mpsc::channel();
    let first = Mutex::new(Some((stands, waits)));
    let stop = move |_| {
        // The news that the container is lost comes here, too.
        let Some((stands, waits)) = first.lock().unwrap().take() else { return };
        stands.send(()).unwrap();
        waits.recv().unwrap();
        panic!("a callback of the test's");
    };
    let scheduler = two_queues().channel_capacity(1).on_grants(Arc::new(stop)).start().unwrap();
    // Goes before the scheduler, which waits for its worker.
    let let_go = let_go;
    assert_eq!(ByHand::new(scheduler.room_async()).run(), Ok(()));
    let node = scheduler.add_node("n1", "/r1", Resource::new(8192, 8)).unwrap();
    let app = scheduler.submit(submission(1)).unwrap();
    scheduler.allocate(&app, &ask(1), &mut Allocation::default()).unwrap();
    scheduler.quiesce().unwrap();
    let mut event = ByHand::new(scheduler.next_event_async());
    assert_eq!(event.poll(), Poll::Pending);
    scheduler.heartbeat(Heartbeat::new(&node)).unwrap();
    has_stopped.recv().unwrap();
    let mut beat = Heartbeat::new(&node);
    let reason = loop {
        let Err(not_sent) = scheduler.heartbeat(beat) else {
            beat = Heartbeat::new(&node);
            continue;
        };
        break not_sent.reason;
    };
    assert_eq!(reason, Refused::TryAgain(TryAgain::Busy));
    let mut room = ByHand::new(scheduler.room_async());
    // The control answers on its own thread, and wakes who polled before; then the worker is waited for.
    for _ in 0..200 {
        assert_eq!(room.poll(), Poll::Pending);
        if room.woken() > 0 {
            break;
        }
        park_timeout(Duration::from_millis(1));
    }
    assert_eq!((room.poll(), event.woken()), (Poll::Pending, 0));
    let_go.send(()).unwrap();
    assert_eq!(room.run(), Ok(()));
    let told = event.run();
    assert!(matches!(&told, Some(SchedulerEvent::WorkerPanicked { worker: 0, .. })), "{told:?}");
    let last = ByHand::new(scheduler.next_event_async());
    scheduler.shutdown().unwrap();
    assert_eq!(last.run(), None);
}

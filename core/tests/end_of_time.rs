//! A clock that jumps to the end of time, and stands there: what would be due after it never is, what was due before it
//! is, and all else goes on.

use evenweave::SchedulerApi as _;
use evenweave::clock::VirtualClock;
use evenweave::config::AllocationSource;
use evenweave::{
    AllocateRequest, Allocation, AppHandle, Ask, CapacitySchedulerBuilder, CapacityStepped, EndReason, FairScheduler,
    Heartbeat, NodeHandle, Resource, Stepped, Submission, SubmitTerms,
};
use evenweave_testkit::{SMALL, allocations, ask, capacity, settings};
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Some of these are more than half a word of 32 bits tells, some are a little more than whole such words.
const JUMPS: [u64; 5] = [u64::MAX, i64::MAX.cast_unsigned(), (1 << 40) + 700_000, (1 << 32) + 700_000, 3 << 31];

/// One queue `b` in which one may run.
const ALLOCATIONS: &str = "<allocations><queue name='b'><maxRunningApps>1</maxRunningApps></queue></allocations>";

const QUEUES: [(&str, &str); 8] = [
    ("yarn.scheduler.capacity.root.queues", "a,b"),
    ("yarn.scheduler.capacity.root.a.capacity", "1w"),
    ("yarn.scheduler.capacity.root.b.capacity", "1w"),
    ("yarn.scheduler.capacity.root.auto-queue-creation-v2.enabled", "true"),
    ("yarn.scheduler.capacity.root.b.max-parallel-apps", "1"),
    ("yarn.scheduler.capacity.root.b.user-limit-factor", "10"),
    ("yarn.scheduler.capacity.root.b.default-application-lifetime", "9"),
    ("yarn.scheduler.capacity.maximum-am-resource-percent", "1"),
];

fn builder() -> CapacitySchedulerBuilder {
    let site = [
        ("yarn.resourcemanager.scheduler.monitor.enable", "true"),
        (
            "yarn.resourcemanager.scheduler.monitor.policies",
            "org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.AutoCreatedQueueDeletionPolicy",
        ),
    ];
    capacity(site, QUEUES)
}

/// What both steppers do.
macro_rules! alike {
    ($jumps:ident, $stepped:ty, $update:expr) => {
        /// An application has a container that is never launched; the clock jumps, and it has expired. Then everything
        /// is done once more.
        fn $jumps(mut scheduler: $stepped, jump: u64) {
            let node = scheduler.add_node("n1", "/r1", Resource::new(8192, 8)).unwrap();
            let submit = |scheduler: &mut $stepped, number: u32| -> AppHandle {
                scheduler.submit(Submission::new(number, "ann").in_queue("root.b")).unwrap()
            };
            let call = |scheduler: &mut $stepped, app: &AppHandle, asks: u32, node: &NodeHandle| {
                let mut answer = Allocation::default();
                let asks = (asks > 0).then(|| Ask::anywhere(1, SMALL, asks));
                scheduler.allocate(app, &AllocateRequest::new(asks), &mut answer).unwrap();
                $update(scheduler);
                scheduler.heartbeat(Heartbeat::new(node));
                let before = answer.ended.len();
                scheduler.allocate(app, &AllocateRequest::default(), &mut answer).unwrap();
                assert_eq!(before, 0);
                answer
            };
            let app = submit(&mut scheduler, 1);
            assert_eq!(call(&mut scheduler, &app, 1, &node).granted.len(), 1);
            scheduler.advance(jump);
            let mut answer = Allocation::default();
            scheduler.allocate(&app, &AllocateRequest::default(), &mut answer).unwrap();
            let ended: Vec<_> = answer.ended.iter().map(|end| end.reason).collect();
            assert_eq!(ended, [EndReason::Expired], "after {jump} ms");
            // At the end of time the others wait, and start one after the other.
            scheduler.advance(u64::MAX);
            let others = [2, 3].map(|number| submit(&mut scheduler, number));
            let mut apps = [app].into_iter().chain(others);
            let mut running = apps.next().unwrap();
            for next in apps {
                scheduler.finish(&running).unwrap();
                running = next;
                assert_eq!(
                    call(&mut scheduler, &running, 1, &node).granted.len(),
                    1,
                    "application {}",
                    running.number()
                );
                scheduler.advance(u64::MAX);
                scheduler.tick();
            }
            let mut answer = Allocation::default();
            scheduler.allocate(&running, &AllocateRequest::default(), &mut answer).unwrap();
            assert_eq!(answer.ended.len(), 0, "no time passes any more");
            let audit = scheduler.audit(true).wrong;
            assert_eq!(audit, [""; 0]);
        }
    };
}

alike!(fair_jumps, Stepped, Stepped::update_now);
alike!(capacity_jumps, CapacityStepped, |_: &mut CapacityStepped| {});

#[test]
fn what_was_due_is_done_and_nothing_hangs() {
    for workers in [1, 3] {
        for jump in JUMPS {
            let fair = FairScheduler::builder().allocations(allocations(ALLOCATIONS)).workers(workers);
            let asynchronous = [("yarn.scheduler.fair.assignmultiple", "true")];
            let settings = settings(&asynchronous);
            fair_jumps(fair.settings(settings).stepped().unwrap(), jump);
            capacity_jumps(builder().workers(workers).stepped().unwrap(), jump);
        }
    }
}

/// The look that finds the clock far ahead ends what was acquired before, and leaves what was acquired since.
#[test]
fn what_is_acquired_after_a_jump_of_the_clock_stays() {
    const DAY_MS: u64 = 86_400_000;
    for jump in [26 * DAY_MS, 30 * DAY_MS, 49 * DAY_MS, (1 << 32) + 30 * DAY_MS] {
        let clock = Arc::new(VirtualClock::new());
        let mut scheduler = FairScheduler::builder().clock(clock.clone()).stepped().unwrap();
        let node = scheduler.add_node("n1", "/r1", Resource::new(8192, 8)).unwrap();
        let app = scheduler.submit(Submission::new(1, "ann").in_queue("root.b")).unwrap();
        let acquire = |scheduler: &mut Stepped| {
            let mut answer = Allocation::default();
            scheduler.allocate(&app, &ask(1), &mut answer).unwrap();
            scheduler.update_now();
            scheduler.heartbeat(Heartbeat::new(&node));
            scheduler.allocate(&app, &AllocateRequest::default(), &mut answer).unwrap();
            assert_eq!((answer.granted.len(), answer.ended.len()), (1, 0), "no look yet");
            answer.granted[0].id
        };
        let before = acquire(&mut scheduler);
        clock.advance(jump);
        let _since = acquire(&mut scheduler);
        clock.advance(1);
        scheduler.tick();
        let mut answer = Allocation::default();
        scheduler.allocate(&app, &AllocateRequest::default(), &mut answer).unwrap();
        let ended: Vec<_> = answer.ended.iter().map(|end| (end.id, end.reason)).collect();
        assert_eq!(ended, [(before, EndReason::Expired)], "after {jump} ms");
    }
}

#[test]
fn lifetimes_end_before_the_end_of_time_or_never() {
    let mut scheduler = builder().stepped().unwrap();
    let submission = |number| Submission::new(number, "ann").in_queue("root.b");
    let early = scheduler.submit(submission(1)).unwrap();
    let late = scheduler.submit_with(submission(2), SubmitTerms::default().with_lifetime(i64::MAX)).unwrap();
    scheduler.advance(u64::MAX);
    let last = scheduler.submit(submission(3)).unwrap();
    assert_eq!(scheduler.expire_applications().unwrap(), [early.id()]);
    assert!(scheduler.expire_applications().unwrap().is_empty());
    for app in [&late, &last] {
        assert_eq!(scheduler.lifetime(app).unwrap().unwrap().deadline_ms, u64::MAX);
    }
    // Queues that nobody needs any more go all the same.
    let own = scheduler.submit(Submission::new(4, "ann").in_queue("root.c")).unwrap();
    scheduler.finish(&own).unwrap();
    (0..3).for_each(|_| scheduler.expire_queues());
    assert!(scheduler.queues().iter().any(|queue| queue.name == "root.c"), "no time passes any more");
}

/// Allocations that count how often they are looked at.
#[derive(Debug)]
struct Watched(Arc<AtomicUsize>);

impl AllocationSource for Watched {
    fn name(&self) -> String {
        "allocations".to_owned()
    }

    fn modified_ms(&self) -> io::Result<Option<u64>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(Some(1))
    }

    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        Ok(Box::new(ALLOCATIONS.as_bytes()))
    }
}

#[test]
fn a_file_is_looked_at_once_more_and_not_all_the_time() {
    let looks = Arc::new(AtomicUsize::new(0));
    let mut scheduler = FairScheduler::builder().watch(Watched(looks.clone())).stepped().unwrap();
    scheduler.advance(u64::MAX);
    let before = looks.load(Ordering::Relaxed);
    (0..100).for_each(|_| scheduler.advance(u64::MAX));
    assert_eq!(looks.load(Ordering::Relaxed), before);
}

/// With threads: all of them end, and so does the scheduler.
#[test]
fn threads_go_on_at_the_end_of_time() {
    let clock = Arc::new(VirtualClock::new());
    clock.advance(u64::MAX);
    let fair = FairScheduler::builder().allocations(allocations(ALLOCATIONS)).clock(clock.clone()).start().unwrap();
    let capacity = builder().clock(clock.clone()).start().unwrap();
    macro_rules! goes_on {
        ($scheduler:ident, $update:expr) => {
            let node = $scheduler.add_node("n1", "/r1", Resource::new(8192, 8)).unwrap();
            let apps =
                [1, 2].map(|number| $scheduler.submit(Submission::new(number, "ann").in_queue("root.b")).unwrap());
            for app in &apps {
                let request = ask(3);
                let mut answer = Allocation::default();
                $scheduler.allocate(app, &request, &mut answer).unwrap();
                $scheduler.quiesce().unwrap();
                let () = $update;
                $scheduler.heartbeat(Heartbeat::new(&node)).unwrap();
                $scheduler.quiesce().unwrap();
                clock.advance(u64::MAX);
                $scheduler.finish(app).unwrap();
            }
            assert!($scheduler.stats().granted >= 2);
            $scheduler.shutdown().unwrap();
        };
    }
    goes_on!(fair, {
        fair.update_now().unwrap();
    });
    goes_on!(capacity, ());
}

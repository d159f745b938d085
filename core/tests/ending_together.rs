//! Applications that end at the same time, some of which wait for a limit of those that run at once: nothing of them is
//! left in their leaf queue, whoever ends them and whatever else happens meanwhile.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use evenweave::SchedulerApi as _;
use evenweave::faults::Fault;
use evenweave::view::CapacityQueueView;
use evenweave::{
    AppHandle, CapacitySchedulerBuilder, CapacityStepped, NewAttempt, Resource, Stepped, Submission, SubmitTerms,
};
use evenweave_testkit::{capacity, fair};
use std::thread;
use std::time::Duration;

const ROUNDS: u32 = 60;
const AM: Resource = Resource::new(1024, 1);

/// One leaf queue `root.b`, in which so many may run, beside another.
fn queues(parallel: &'static str) -> Vec<(&'static str, &'static str)> {
    vec![
        ("yarn.scheduler.capacity.root.queues", "a,b"),
        ("yarn.scheduler.capacity.root.a.capacity", "50"),
        ("yarn.scheduler.capacity.root.b.capacity", "50"),
        ("yarn.scheduler.capacity.root.b.user-limit-factor", "10"),
        ("yarn.scheduler.capacity.root.b.max-parallel-apps", parallel),
        ("yarn.scheduler.capacity.maximum-am-resource-percent", "1"),
    ]
}

fn builder(workers: usize) -> CapacitySchedulerBuilder {
    let site = [("yarn.cluster.max-application-priority", "9")];
    capacity(site, queues("1")).workers(workers)
}

/// One node for each worker.
fn stepped(workers: usize) -> CapacityStepped {
    let mut scheduler = builder(workers).stepped().unwrap();
    for node in 0..workers {
        scheduler.add_node(&format!("n{node}"), &format!("/r{node}"), Resource::new(16_384, 16)).unwrap();
    }
    scheduler
}

fn submission(number: u32) -> Submission {
    Submission::new(number, "ann").in_queue("root.b").with_am(AM)
}

fn states(scheduler: &mut CapacityStepped) -> Vec<(u32, &'static str)> {
    scheduler.apps().into_iter().map(|app| (app.number, app.state)).collect()
}

fn leaf(queues: Vec<CapacityQueueView>) -> CapacityQueueView {
    queues.into_iter().find(|queue| queue.name == "root.b").unwrap()
}

/// Nothing is left in the leaf, and a new application starts there.
fn check_empty(scheduler: &mut CapacityStepped, number: u32) {
    let audit = scheduler.audit(true).wrong;
    assert_eq!(audit, [""; 0]);
    let queue = leaf(scheduler.queues_with_limits());
    let in_leaf = queue.leaf.unwrap();
    assert_eq!((queue.applications, in_leaf.am_used, in_leaf.active_applications), (0, Resource::ZERO, 0));
    let next = scheduler.submit(submission(number)).unwrap();
    assert_eq!(states(scheduler), [(number, "active")], "an empty queue takes the next one");
    scheduler.finish(&next).unwrap();
}

/// The second waits for the first, and both ends begin before one of them is over; the first begins first, or last.
#[test]
fn one_that_waits_ends_with_the_one_that_runs() {
    for workers in [1, 3] {
        let mut scheduler = stepped(workers);
        for round in 0..ROUNDS {
            let [first, second] = [1, 2].map(|app| scheduler.submit(submission(3 * round + app)).unwrap());
            let [begins, ends] = if round % 3 == 2 { [&second, &first] } else { [&first, &second] };
            scheduler.begin_finish(begins).unwrap();
            scheduler.finish(ends).unwrap();
            check_empty(&mut scheduler, 3 * round + 3);
        }
    }
}

#[test]
fn the_next_one_behind_it_has_the_place() {
    let mut scheduler = stepped(2);
    let apps = [1, 2, 3, 4].map(|app| scheduler.submit(submission(app)).unwrap());
    for app in &apps[..2] {
        scheduler.begin_finish(app).unwrap();
    }
    scheduler.finish(&apps[2]).unwrap();
    assert_eq!(states(&mut scheduler), [(4, "active")]);
    scheduler.finish(&apps[3]).unwrap();
    check_empty(&mut scheduler, 5);
}

#[test]
fn a_look_at_lifetimes_ends_both() {
    let mut scheduler = stepped(2);
    for round in 0..ROUNDS {
        for app in [1, 2] {
            let terms = SubmitTerms::default().with_lifetime(5);
            scheduler.submit_with(submission(3 * round + app), terms).unwrap();
        }
        scheduler.advance(5001);
        assert_eq!(scheduler.expire_applications().unwrap().len(), 2);
        check_empty(&mut scheduler, 3 * round + 3);
    }
}

#[test]
fn a_refresh_raises_the_limit_while_one_that_waits_ends() {
    let mut scheduler = stepped(2);
    for round in 0..ROUNDS {
        scheduler.refresh_properties(queues("1")).unwrap();
        let [first, second, third] = [1, 2, 3].map(|app| scheduler.submit(submission(4 * round + app)).unwrap());
        scheduler.begin_finish(&second).unwrap();
        scheduler.refresh_properties(queues("2")).unwrap();
        assert_eq!(states(&mut scheduler), [(first.number(), "active"), (third.number(), "active")]);
        scheduler.begin_finish(&third).unwrap();
        scheduler.finish(&first).unwrap();
        check_empty(&mut scheduler, 4 * round + 4);
    }
}

/// Its next attempt enters the leaf when the one before has ended, and finds the place free.
#[test]
fn one_that_waits_begins_anew_while_the_one_that_runs_ends() {
    for keeps in [false, true] {
        let mut scheduler = stepped(2);
        for round in 0..ROUNDS {
            let [first, second] = [1, 2].map(|app| scheduler.submit(submission(3 * round + app)).unwrap());
            scheduler.begin_finish(&first).unwrap();
            let new = NewAttempt::default().with_am(AM).keep_containers(keeps);
            let second = scheduler.new_attempt(&second, new).unwrap();
            assert_eq!(states(&mut scheduler), [(second.number(), "active")]);
            scheduler.finish(&second).unwrap();
            check_empty(&mut scheduler, 3 * round + 3);
        }
    }
}

/// The attempt of one that waits has been stopped when its turn comes: the next one behind it starts.
#[test]
fn an_attempt_that_was_stopped_starts_no_more() {
    for moves in [false, true] {
        let mut scheduler = stepped(2);
        for round in 0..ROUNDS {
            let [first, second, third] = [1, 2, 3].map(|app| scheduler.submit(submission(4 * round + app)).unwrap());
            scheduler.stop_attempt(&second).unwrap();
            scheduler.stop_attempt(&second).unwrap();
            scheduler.set_priority(&second, 5).unwrap();
            if moves {
                scheduler.move_app(&second, "root.a").unwrap();
                scheduler.move_app(&second, "root.b").unwrap();
            }
            // It holds its place no more as soon as its attempt is stopped.
            scheduler.stop_attempt(&first).unwrap();
            let active = |scheduler: &mut CapacityStepped| {
                let in_leaf = leaf(scheduler.queues_with_limits()).leaf.unwrap();
                (in_leaf.active_applications, in_leaf.pending_applications, in_leaf.am_used)
            };
            assert_eq!(active(&mut scheduler), (1, 0, AM));
            // Of one that was stopped the next attempt waits behind.
            let first = scheduler.new_attempt(&first, NewAttempt::default().with_am(AM)).unwrap();
            assert_eq!(active(&mut scheduler), (1, 0, AM));
            scheduler.finish(&third).unwrap();
            assert_eq!(active(&mut scheduler), (1, 0, AM));
            scheduler.finish(&second).unwrap();
            scheduler.finish(&first).unwrap();
            check_empty(&mut scheduler, 4 * round + 4);
        }
    }
}

/// Two threads that call, and nothing else.
#[test]
fn two_threads_end_one_each() {
    let scheduler = builder(2).start().unwrap();
    scheduler.add_node("n1", "/r1", Resource::new(16_384, 16)).unwrap();
    for round in 0..ROUNDS {
        let apps = [1, 2].map(|app| scheduler.submit(submission(3 * round + app)).unwrap());
        if round % 2 == 0 {
            thread::scope(|scope| {
                for app in &apps {
                    scope.spawn(|| scheduler.finish(app).unwrap());
                }
            });
        } else {
            // The workers are slow: both ends begin before one of them is over.
            for worker in 0..2 {
                scheduler.inject(Fault::WorkerStall { worker, time: Duration::from_millis(2) }).unwrap();
            }
            apps.iter().for_each(|app| scheduler.begin_finish(app).unwrap());
            scheduler.quiesce().unwrap();
        }
        let audit = scheduler.audit().unwrap().wrong;
        assert_eq!(audit, [""; 0], "round {round}");
        let next = scheduler.submit(submission(3 * round + 3)).unwrap();
        scheduler.quiesce().unwrap();
        let in_leaf = leaf(scheduler.queues_with_limits().unwrap()).leaf.unwrap();
        assert_eq!((in_leaf.active_applications, in_leaf.am_used), (1, AM), "round {round}");
        scheduler.finish(&next).unwrap();
    }
}

fn fair_scheduler(workers: usize) -> Stepped {
    let queues = "<queue name='b'><maxRunningApps>1</maxRunningApps></queue>";
    let mut scheduler = fair(&[], queues).workers(workers).stepped().unwrap();
    scheduler.add_node("n1", "/r1", Resource::new(16_384, 16)).unwrap();
    scheduler
}

/// The same of a FairScheduler: the place goes to the first that does not end.
#[test]
fn a_fair_scheduler_passes_over_whom_ends() {
    for workers in [1, 3] {
        let mut scheduler = fair_scheduler(workers);
        for round in 0..ROUNDS {
            let apps: Vec<AppHandle> =
                (1..=4).map(|app| scheduler.submit(submission(4 * round + app)).unwrap()).collect();
            for app in &apps[..2] {
                scheduler.begin_finish(app).unwrap();
            }
            scheduler.finish(&apps[2]).unwrap();
            let run: Vec<_> = scheduler.apps().into_iter().map(|app| (app.id.number, app.runnable)).collect();
            assert_eq!(run, [(apps[3].number(), true)]);
            let audit = scheduler.audit(true).wrong;
            assert_eq!(audit, [""; 0]);
            scheduler.finish(&apps[3]).unwrap();
        }
    }
}

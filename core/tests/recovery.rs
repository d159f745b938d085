//! Running containers that a ResourceManager takes over after a restart, and applications that were accepted before:
//! both schedulers, with threads and without.

use evenweave::prelude::*;
use evenweave::refused::Invalid;
use evenweave::{AmRequest, CapacitySchedulerBuilder, EndReason, RecoveredContainer};
use evenweave_testkit::capacity;

const NODE: Resource = Resource::new(8192, 8);
const TASK: Resource = Resource::new(1024, 1);

fn builder() -> CapacitySchedulerBuilder {
    let queues = [
        ("yarn.scheduler.capacity.root.queues", "a,b"),
        ("yarn.scheduler.capacity.root.a.capacity", "50"),
        ("yarn.scheduler.capacity.root.b.capacity", "50"),
        ("yarn.scheduler.capacity.maximum-am-resource-percent", "1"),
    ];
    capacity([], queues)
}

/// An application of before, whose AM runs.
fn of_before(number: u32, queue: &str) -> Submission {
    Submission::new(number, "ann").recovered_in(queue).with_am(AmRequest::from(TASK).running())
}

fn task(number: u32) -> RecoveredContainer {
    RecoveredContainer::new(1, number, TASK).asked_for(3, 0)
}

/// What is the same with each scheduler; `$settle` waits until all is worked off, `$used` is what the leaf queue
/// `root.a` uses.
macro_rules! takes_over {
    ($scheduler:ident, $settle:expr, $used:expr) => {{
        let node = $scheduler.add_node("n1", "/r1", NODE).unwrap();
        let app = $scheduler.submit(of_before(7, "root.a")).unwrap();
        assert!(!app.waits_for_am(), "it runs");
        // Its AM may call before its node has come back.
        let mut answer = Allocation::default();
        $scheduler.allocate(&app, &AllocateRequest::default(), &mut answer).unwrap();
        let master = $scheduler.recover_container(&app, &node, task(1).with_am(true)).unwrap();
        let kept = $scheduler.recover_container(&app, &node, task(5)).unwrap();
        let gone = $scheduler.recover_container(&app, &node, task(4).with_ended(true)).unwrap();
        $settle;
        assert_eq!((master.number(), kept.number(), gone.number()), (1, 5, 4));
        assert_eq!($used, Resource::new(2048, 2));
        assert_eq!($scheduler.node("n1").unwrap().free, Resource::new(6144, 6));
        // None of it is news to the AM but what has ended, and new containers are numbered from 1.
        let asks = [Ask::anywhere(4, TASK, 1)];
        $scheduler.allocate(&app, &AllocateRequest::new(asks), &mut answer).unwrap();
        assert!(answer.granted.is_empty());
        let told: Vec<_> = answer.ended.iter().map(|ended| (ended.id, ended.reason)).collect();
        assert_eq!(told, [(gone, EndReason::Completed)]);
        $settle;
        let _ = $scheduler.heartbeat(Heartbeat::new(&node));
        $settle;
        $scheduler.allocate(&app, &AllocateRequest::default(), &mut answer).unwrap();
        assert_eq!(answer.granted.iter().map(|new| new.id.number()).collect::<Vec<_>>(), [1]);
        let new = answer.granted[0].id;
        assert_ne!(new, master);
        // One is given back, and keeps its room until its node says that it has ended; the other ends by itself.
        let back = AllocateRequest::default().with_releases([kept]);
        $scheduler.allocate(&app, &back, &mut answer).unwrap();
        let mut ended = answer.ended.clone();
        $settle;
        assert_eq!($used, Resource::new(2048, 2));
        assert_eq!($scheduler.node("n1").unwrap().free, Resource::new(5120, 5));
        let mut report = Heartbeat::new(&node);
        report.add_completed([kept, new]);
        let _ = $scheduler.heartbeat(report);
        $settle;
        $scheduler.allocate(&app, &AllocateRequest::default(), &mut answer).unwrap();
        ended.extend(&answer.ended);
        let mut ended: Vec<_> = ended.iter().map(|ended| (ended.id, ended.reason)).collect();
        ended.sort_unstable_by_key(|(id, _)| *id);
        let mut meant = [(kept, EndReason::Released), (new, EndReason::Completed)];
        meant.sort_unstable_by_key(|(id, _)| *id);
        assert_eq!(ended, meant);
        $scheduler.finish(&app).unwrap();
        let mut report = Heartbeat::new(&node);
        report.add_completed([master]);
        let _ = $scheduler.heartbeat(report);
        $settle;
        assert_eq!($used, Resource::ZERO);
        assert_eq!($scheduler.node("n1").unwrap().free, NODE);
        // Both are gone by now.
        assert_eq!($scheduler.recover_container(&app, &node, task(6)).unwrap_err().kind(), "no-such-app");
        let app = $scheduler.submit(of_before(8, "root.a")).unwrap();
        let negative = RecoveredContainer::new(1, 1, Resource::new(-1, 1));
        assert_eq!($scheduler.recover_container(&app, &node, negative).unwrap_err().kind(), "invalid-resource");
        $scheduler.remove_node(&node).unwrap();
        $settle;
        assert_eq!($scheduler.recover_container(&app, &node, task(6)).unwrap_err().kind(), "no-such-node");
    }};
}

fn used_of(queues: &[evenweave::view::QueueView]) -> Resource {
    queues.iter().find(|queue| queue.name == "root.a").map_or(Resource::ZERO, |queue| queue.usage)
}

fn used_in(queues: &[evenweave::view::CapacityQueueView]) -> Resource {
    queues.iter().find(|queue| queue.name == "root.a").map_or(Resource::ZERO, |queue| queue.used)
}

#[test]
fn a_fair_scheduler_without_threads_takes_over_what_runs() {
    let mut scheduler = FairScheduler::builder().stepped().unwrap();
    takes_over!(scheduler, scheduler.update_now(), used_of(&scheduler.queues()));
}

#[test]
fn a_fair_scheduler_with_threads_takes_over_what_runs() {
    for workers in [1, 3] {
        let scheduler = FairScheduler::builder().timers(false).workers(workers).start().unwrap();
        let settle = || {
            scheduler.quiesce().unwrap();
            scheduler.update_now().unwrap();
            scheduler.quiesce().unwrap();
        };
        takes_over!(scheduler, settle(), used_of(&scheduler.queues().unwrap()));
        scheduler.shutdown().unwrap();
    }
}

#[test]
fn a_capacity_scheduler_without_threads_takes_over_what_runs() {
    let mut scheduler = builder().stepped().unwrap();
    takes_over!(scheduler, scheduler.expire_queues(), used_in(&scheduler.queues()));
}

#[test]
fn a_capacity_scheduler_with_threads_takes_over_what_runs() {
    let scheduler = builder().timers(false).start().unwrap();
    takes_over!(scheduler, scheduler.quiesce().unwrap(), used_in(&scheduler.queues().unwrap()));
    scheduler.shutdown().unwrap();
}

/// The same of a node that registers with all that runs on it.
macro_rules! comes_with_what_runs {
    ($scheduler:ident, $settle:expr, $used:expr) => {{
        let app = $scheduler.submit(of_before(7, "root.a")).unwrap();
        let over = $scheduler.submit(of_before(8, "root.a")).unwrap();
        $scheduler.finish(&over).unwrap();
        let running = vec![
            (app.clone(), task(1).with_am(true)),
            (over, task(2)),
            (app.clone(), task(5)),
            (app.clone(), RecoveredContainer::new(1, 6, Resource::new(-1, 1))),
            (app.clone(), task(4).with_ended(true)),
        ];
        let (node, outcomes) = $scheduler.add_node_with_containers("n1", "/r1", NODE, running.clone()).unwrap();
        let told: Vec<_> = outcomes.iter().map(|of| of.as_ref().map(|id| id.number()).map_err(Refused::kind)).collect();
        assert_eq!(told, [Ok(1), Err("no-such-app"), Ok(5), Err("invalid-resource"), Ok(4)]);
        $settle;
        assert_eq!($used, Resource::new(2048, 2));
        assert_eq!($scheduler.node("n1").unwrap().free, Resource::new(6144, 6));
        // It is there: nothing is taken over once more.
        let again = $scheduler.add_node_with_containers("n1", "/r1", NODE, running);
        assert_eq!(again.unwrap_err().kind(), "duplicate-node");
        $settle;
        assert_eq!($used, Resource::new(2048, 2));
        let mut answer = Allocation::default();
        $scheduler.allocate(&app, &AllocateRequest::default(), &mut answer).unwrap();
        let ended: Vec<_> = answer.ended.iter().map(|ended| ended.id.number()).collect();
        assert_eq!((answer.granted.len(), ended), (0, vec![4]));
        let mut report = Heartbeat::new(&node);
        report.add_completed(outcomes.into_iter().flatten());
        let _ = $scheduler.heartbeat(report);
        $settle;
        assert_eq!($used, Resource::ZERO);
        assert_eq!($scheduler.node("n1").unwrap().free, NODE);
    }};
}

#[test]
fn a_node_comes_with_what_runs_on_it() {
    let mut scheduler = FairScheduler::builder().stepped().unwrap();
    comes_with_what_runs!(scheduler, scheduler.update_now(), used_of(&scheduler.queues()));
    let mut scheduler = builder().stepped().unwrap();
    comes_with_what_runs!(scheduler, scheduler.expire_queues(), used_in(&scheduler.queues()));
    let scheduler = FairScheduler::builder().timers(false).workers(3).start().unwrap();
    let settle = || {
        scheduler.quiesce().unwrap();
        scheduler.update_now().unwrap();
        scheduler.quiesce().unwrap();
    };
    comes_with_what_runs!(scheduler, settle(), used_of(&scheduler.queues().unwrap()));
    scheduler.shutdown().unwrap();
    let scheduler = builder().timers(false).start().unwrap();
    comes_with_what_runs!(scheduler, scheduler.quiesce().unwrap(), used_in(&scheduler.queues().unwrap()));
    scheduler.shutdown().unwrap();
}

/// What one container cannot be is refused, and so is what would take the cluster beyond what can be summed.
macro_rules! refuses_what_cannot_run {
    ($scheduler:ident, $settle:expr, $used:expr, $audit:expr) => {{
        const MOST: i64 = 1 << 60;
        let ends = [i64::MAX, i64::MIN, MOST + 1, -1];
        let bad = ends.map(|end| [Resource::new(end, 1), Resource::new(1, end)]).concat();
        let app = $scheduler.submit(of_before(7, "root.a")).unwrap();
        let of = |number, size| RecoveredContainer::new(1, number, size);
        let running = bad.iter().chain([&TASK]).map(|size| (app.clone(), of(1, *size))).collect();
        let (node, outcomes) = $scheduler.add_node_with_containers("n1", "/r1", NODE, running).unwrap();
        let told = |outcomes: &[Result<ContainerId, Refused>]| -> Vec<_> {
            outcomes.iter().map(|of| of.as_ref().map(|id| id.number()).map_err(Refused::kind)).collect()
        };
        let refused = vec![Err("invalid-resource"); bad.len()];
        assert_eq!(told(&outcomes), [refused.clone(), vec![Ok(1)]].concat());
        let one_by_one: Vec<_> =
            bad.iter().map(|size| $scheduler.recover_container(&app, &node, of(2, *size))).collect();
        assert_eq!(told(&one_by_one), refused);
        $settle;
        assert_eq!($used, TASK);
        assert_eq!($scheduler.node("n1").unwrap().free, NODE.minus(&TASK));
        // Larger than its node is no fault: it may have been made smaller.
        let half = Resource::new(MOST / 2, 1);
        $scheduler.recover_container(&app, &node, of(2, half)).unwrap();
        let beyond = $scheduler.recover_container(&app, &node, of(3, half)).unwrap_err();
        let left = Resource::new(MOST / 2 - 8192 - 1024, MOST - 8 - 2);
        assert!(matches!(&beyond, Refused::Invalid(Invalid::Resource { largest, .. })
            if (largest.memory_mb(), largest.vcores()) == (left.memory_mb(), left.vcores())), "{beyond}");
        assert_eq!($scheduler.add_node("n2", "/r1", half).unwrap_err().kind(), "cluster-too-large");
        // Nothing fits beside it.
        let asks = AllocateRequest::new([Ask::anywhere(4, Resource::new(8192, 1), 500)]);
        let mut answer = Allocation::default();
        $scheduler.allocate(&app, &asks, &mut answer).unwrap();
        for _ in 0..3 {
            $settle;
            let _ = $scheduler.heartbeat(Heartbeat::new(&node));
        }
        $settle;
        assert_eq!($used, half.plus(&TASK));
        assert_eq!($scheduler.node("n1").unwrap().free, NODE.minus(&TASK).minus(&half));
        assert_eq!($audit.wrong, [""; 0]);
        // With its node it is gone.
        $scheduler.remove_node(&node).unwrap();
        let running = [of(4, half), of(5, half), of(6, TASK)].map(|container| (app.clone(), container));
        let (node, outcomes) = $scheduler.add_node_with_containers("n1", "/r1", NODE, running.to_vec()).unwrap();
        assert_eq!(told(&outcomes), [Ok(4), Err("invalid-resource"), Ok(6)]);
        $settle;
        assert_eq!($used, half.plus(&TASK));
        assert_eq!($audit.wrong, [""; 0]);
        $scheduler.remove_node(&node).unwrap();
        $settle;
        assert_eq!($used, Resource::ZERO);
        assert!($scheduler.add_node("n2", "/r1", Resource::new(MOST, MOST)).is_ok());
    }};
}

#[test]
fn what_cannot_run_is_not_taken_over() {
    let mut scheduler = FairScheduler::builder().stepped().unwrap();
    refuses_what_cannot_run!(scheduler, scheduler.update_now(), used_of(&scheduler.queues()), scheduler.audit(true));
    for workers in [1, 3] {
        let mut scheduler = builder().workers(workers).stepped().unwrap();
        refuses_what_cannot_run!(
            scheduler,
            scheduler.expire_queues(),
            used_in(&scheduler.queues()),
            scheduler.audit(true)
        );
        let scheduler = FairScheduler::builder().timers(false).workers(workers).start().unwrap();
        let settle = || {
            scheduler.quiesce().unwrap();
            scheduler.update_now().unwrap();
            scheduler.quiesce().unwrap();
        };
        refuses_what_cannot_run!(
            scheduler,
            settle(),
            used_of(&scheduler.queues().unwrap()),
            scheduler.audit().unwrap()
        );
        scheduler.shutdown().unwrap();
        let scheduler = builder().timers(false).workers(workers).start().unwrap();
        refuses_what_cannot_run!(
            scheduler,
            scheduler.quiesce().unwrap(),
            used_in(&scheduler.queues().unwrap()),
            scheduler.audit().unwrap()
        );
        scheduler.shutdown().unwrap();
    }
}

#[test]
fn limits_do_not_keep_what_runs_away() {
    let file = "<allocations><queue name='a'><maxResources>1024 mb, 1 vcores</maxResources></queue></allocations>";
    let mut scheduler = FairScheduler::builder().stepped().unwrap();
    scheduler.reload_text(file).unwrap();
    let node = scheduler.add_node("n1", "/r1", Resource::new(1024, 1)).unwrap();
    let app = scheduler.submit(of_before(1, "root.a")).unwrap();
    for number in 1..=3 {
        scheduler.recover_container(&app, &node, task(number)).unwrap();
    }
    assert_eq!(used_of(&scheduler.queues()), Resource::new(3072, 3));
    assert_eq!(scheduler.node("n1").unwrap().free, Resource::new(-2048, -2));
}

#[test]
fn the_am_counts_in_its_leaf_and_goes_with_it() {
    let mut scheduler = FairScheduler::builder().stepped().unwrap();
    let node = scheduler.add_node("n1", "/r1", NODE).unwrap();
    let app = scheduler.submit(of_before(1, "root.a")).unwrap();
    let other = scheduler.submit(Submission::new(2, "bob").in_queue("root.b")).unwrap();
    let master = Resource::new(2048, 2);
    let recovered = RecoveredContainer::new(1, 1, master).with_am(true);
    scheduler.recover_container(&app, &node, recovered).unwrap();
    // Only one is the AM's.
    scheduler.recover_container(&app, &node, task(2)).unwrap();
    // An unmanaged one has none.
    scheduler.recover_container(&other, &node, task(1)).unwrap();
    let am_usage = |scheduler: &mut Stepped, name: &str| {
        scheduler.queues().iter().find(|queue| queue.name == name).map(|queue| queue.am_usage).unwrap()
    };
    assert_eq!(am_usage(&mut scheduler, "root.a"), master);
    assert_eq!(am_usage(&mut scheduler, "root.b"), Resource::ZERO);
    // A move takes it out of there, and counts it nowhere else, as in Hadoop.
    let moved = scheduler.submit(of_before(3, "root.a")).unwrap();
    scheduler.recover_container(&moved, &node, task(1).with_am(true)).unwrap();
    assert_eq!(am_usage(&mut scheduler, "root.a"), master.plus(&TASK));
    scheduler.move_app(&moved, "root.b").unwrap();
    assert_eq!((am_usage(&mut scheduler, "root.a"), am_usage(&mut scheduler, "root.b")), (master, Resource::ZERO));
    scheduler.finish(&app).unwrap();
    assert_eq!(am_usage(&mut scheduler, "root.a"), Resource::ZERO);
}

/// Nodes come back in any order: the first container that is taken over counts as the AM, also a task, and one that has
/// ended.
macro_rules! counts_the_first_as_the_am {
    ($scheduler:ident, $settle:expr, $queues:expr) => {{
        let master = Resource::new(2048, 2);
        let ended = Resource::new(3072, 3);
        let node = $scheduler.add_node("n1", "/r1", NODE).unwrap();
        let am_usage = |queues: Vec<evenweave::view::QueueView>, name: &str| {
            queues.iter().find(|queue| queue.name == name).map_or(Resource::ZERO, |queue| queue.am_usage)
        };
        let (of_task, of_ended) =
            ($scheduler.submit(of_before(1, "root.a")), $scheduler.submit(of_before(2, "root.b")));
        let (of_task, of_ended) = (of_task.unwrap(), of_ended.unwrap());
        $scheduler.recover_container(&of_task, &node, task(5)).unwrap();
        $scheduler.recover_container(&of_ended, &node, RecoveredContainer::new(1, 5, ended).with_ended(true)).unwrap();
        $settle;
        assert_eq!(am_usage($queues, "root.a"), TASK);
        assert_eq!(am_usage($queues, "root.b"), ended);
        // The AM's own comes late, and changes nothing of that.
        for app in [&of_task, &of_ended] {
            let late = RecoveredContainer::new(1, 1, master).with_am(true);
            $scheduler.recover_container(app, &node, late).unwrap();
        }
        $settle;
        assert_eq!(am_usage($queues, "root.a"), TASK);
        assert_eq!(am_usage($queues, "root.b"), ended);
        assert_eq!($scheduler.node("n1").unwrap().free, Resource::new(8192 - 1024 - 2 * 2048, 8 - 1 - 2 * 2));
        $scheduler.finish(&of_task).unwrap();
        $scheduler.finish(&of_ended).unwrap();
        $settle;
        for name in ["root.a", "root.b"] {
            assert_eq!(am_usage($queues, name), Resource::ZERO);
        }
    }};
}

#[test]
fn the_first_that_comes_back_counts_as_the_am() {
    let mut scheduler = FairScheduler::builder().stepped().unwrap();
    counts_the_first_as_the_am!(scheduler, scheduler.update_now(), scheduler.queues());
    let scheduler = FairScheduler::builder().timers(false).workers(3).start().unwrap();
    let settle = || {
        scheduler.quiesce().unwrap();
        scheduler.update_now().unwrap();
        scheduler.quiesce().unwrap();
    };
    counts_the_first_as_the_am!(scheduler, settle(), scheduler.queues().unwrap());
    scheduler.shutdown().unwrap();
}

#[test]
fn where_the_queue_is_gone_hadoop_has_one_for_it() {
    let mut fair = FairScheduler::builder().stepped().unwrap();
    // A parent by now.
    fair.create_parent_queue("root.a").unwrap();
    assert_eq!(fair.submit(of_before(1, "root.a")).unwrap().queue(), "root.recovery");
    let mut capacity = builder().stepped().unwrap();
    assert!(capacity.submit(of_before(1, "root.gone")).is_err());
    assert_eq!(capacity.submit(of_before(1, "root")).unwrap_err().kind(), "not-leaf");
}

#[test]
fn what_is_accepted_is_not_there_until_it_is_submitted() {
    let mut fair = FairScheduler::builder().stepped().unwrap();
    let leaf = fair.accept(Submission::new(1, "ann").in_queue("a"), SubmitTerms::default()).unwrap();
    assert_eq!(leaf, "root.a");
    assert!(fair.apps().is_empty());
    assert_eq!(fair.submit(Submission::new(1, "ann").accepted_in(&leaf)).unwrap().queue(), "root.a");
    assert_eq!(fair.accept(Submission::new(1, "ann"), SubmitTerms::default()).unwrap_err().kind(), "duplicate-app");
    let mut capacity = builder().stepped().unwrap();
    let leaf = capacity.accept(Submission::new(1, "ann").in_queue("b"), SubmitTerms::default()).unwrap();
    assert_eq!(leaf, "root.b");
    assert!(capacity.apps().is_empty());
    let terms = SubmitTerms::default();
    assert_eq!(capacity.accept(Submission::new(2, "ann").in_queue("gone"), terms).unwrap_err().kind(), "no-such-queue");
}

/// I13: what was taken over keeps its number, and the scheduler counts from 1 again. An id of before never means a
/// container of now, though both have one number and, one after the other, one record; nor do two that were taken over
/// from schedulers of different epochs.
#[test]
fn a_number_that_comes_again_is_another_container() {
    let mut scheduler = FairScheduler::builder().stepped().unwrap();
    let node = scheduler.add_node("n1", "/r1", NODE).unwrap();
    let app = scheduler.submit(of_before(7, "root.a")).unwrap();
    scheduler.recover_container(&app, &node, task(9).with_am(true)).unwrap();
    let ends = |scheduler: &mut Stepped, id| {
        let mut report = Heartbeat::new(&node);
        report.add_completed([id]);
        report.offer = false;
        scheduler.heartbeat(report);
        scheduler.node("n1").unwrap().free
    };
    let two_run = Resource::new(8192 - 2048, 6);
    let mut ids = Vec::new();
    for _ in 0..2 {
        ids.push(scheduler.recover_container(&app, &node, task(1)).unwrap());
        assert_eq!(scheduler.node("n1").unwrap().free, two_run);
        for stale in &ids[..ids.len() - 1] {
            assert_eq!(ends(&mut scheduler, *stale), two_run, "I13: an id of before ends nothing");
        }
        ends(&mut scheduler, ids[ids.len() - 1]);
    }
    let mut answer = Allocation::default();
    scheduler.allocate(&app, &AllocateRequest::new([Ask::anywhere(4, TASK, 1)]), &mut answer).unwrap();
    scheduler.update_now();
    scheduler.heartbeat(Heartbeat::new(&node));
    scheduler.allocate(&app, &AllocateRequest::default(), &mut answer).unwrap();
    assert_eq!(answer.granted.len(), 1, "{answer:?}");
    let granted = answer.granted[0].id;
    assert_eq!([granted, ids[0], ids[1]].map(|id| id.number()), [1; 3]);
    for stale in &ids {
        assert_eq!(ends(&mut scheduler, *stale), two_run, "I13: an id of before ends nothing");
        let back = AllocateRequest::default().with_releases([*stale]);
        scheduler.allocate(&app, &back, &mut answer).unwrap();
        assert!(answer.ended.is_empty(), "I13: nor is it given back");
    }
    assert_eq!(ends(&mut scheduler, granted), Resource::new(8192 - 1024, 7));
}

fn leaf_of<'a>(queues: &'a [evenweave::view::CapacityQueueView], name: &str) -> &'a evenweave::view::CapacityQueueView {
    queues.iter().find(|queue| queue.name == name).expect("a queue of the file")
}

/// I13, and the order of Hadoop's ids: what was granted since the restart is younger than what was taken over, whatever
/// the numbers say, and goes first.
#[test]
fn what_was_granted_since_goes_before_what_was_taken_over() {
    let monitor = [
        ("yarn.resourcemanager.scheduler.monitor.enable", "true"),
        ("yarn.resourcemanager.monitor.capacity.preemption.max_wait_before_kill", "0"),
        ("yarn.resourcemanager.monitor.capacity.preemption.total_preemption_per_round", "1.0"),
        ("yarn.resourcemanager.monitor.capacity.preemption.natural_termination_factor", "1.0"),
    ];
    let queues = [
        ("yarn.scheduler.capacity.root.queues", "a,b"),
        ("yarn.scheduler.capacity.root.a.capacity", "50"),
        ("yarn.scheduler.capacity.root.a.user-limit-factor", "10"),
        ("yarn.scheduler.capacity.root.b.capacity", "50"),
        ("yarn.scheduler.capacity.per-node-heartbeat.maximum-offswitch-assignments", "100"),
    ];
    let configuration = CapacityConfiguration::from_properties(monitor, queues).unwrap();
    // With and without the epochs that an embedder should give.
    for (before, now) in [(3, 4), (0, 0)] {
        let mut scheduler = CapacityScheduler::builder(configuration.clone()).epoch(now).stepped().unwrap();
        let node = scheduler.add_node("n1", "/r1", Resource::new(4096, 4)).unwrap();
        let app = scheduler.submit(of_before(7, "root.a")).unwrap();
        for container in [task(1).with_am(true), task(2)] {
            scheduler.recover_container(&app, &node, container.with_epoch(before)).unwrap();
        }
        let mut answer = Allocation::default();
        scheduler.allocate(&app, &AllocateRequest::new([Ask::anywhere(3, TASK, 2)]), &mut answer).unwrap();
        scheduler.heartbeat(Heartbeat::new(&node));
        scheduler.allocate(&app, &AllocateRequest::default(), &mut answer).unwrap();
        let mut granted: Vec<_> = answer.granted.iter().map(|new| new.id).collect();
        assert_eq!(granted.iter().map(|id| id.number()).collect::<Vec<_>>(), [1, 2]);
        let poor = scheduler.submit(Submission::new(8, "bob").in_queue("root.b")).unwrap();
        scheduler.allocate(&poor, &AllocateRequest::new([Ask::anywhere(3, TASK, 2)]), &mut answer).unwrap();
        for _ in 0..2 {
            scheduler.preempt().unwrap();
        }
        scheduler.allocate(&app, &AllocateRequest::default(), &mut answer).unwrap();
        let mut gone: Vec<_> = answer.ended.iter().map(|ended| ended.id).collect();
        gone.sort_unstable();
        granted.sort_unstable();
        assert_eq!(gone, granted, "epochs {before} and {now}");
    }
}

/// Hadoop takes an application of before for granted: what the leaf would say to a new one is not asked, but the queues
/// above do not count it then.
#[test]
fn a_leaf_that_takes_none_any_more_drains_for_those_of_before() {
    let queues = [
        ("yarn.scheduler.capacity.root.queues", "a,b"),
        ("yarn.scheduler.capacity.root.a.capacity", "50"),
        ("yarn.scheduler.capacity.root.a.state", "STOPPED"),
        ("yarn.scheduler.capacity.root.b.capacity", "50"),
        ("yarn.scheduler.capacity.root.b.maximum-applications", "1"),
    ];
    let configuration = CapacityConfiguration::from_properties([], queues).unwrap();
    let mut scheduler = CapacityScheduler::builder(configuration).stepped().unwrap();
    let state = |scheduler: &mut evenweave::CapacityStepped| leaf_of(&scheduler.queues(), "root.a").state.clone();
    let counted = |scheduler: &mut evenweave::CapacityStepped| {
        let queues = scheduler.queues();
        ["root", "root.b"].map(|name| leaf_of(&queues, name).applications)
    };
    assert_eq!(state(&mut scheduler), "STOPPED");
    // What was accepted by this very scheduler is another matter.
    scheduler.submit(Submission::new(5, "ann").accepted_in("root.b")).unwrap();
    assert_eq!(counted(&mut scheduler), [1, 1]);
    let app = scheduler.submit(of_before(1, "root.a")).unwrap();
    assert_eq!(state(&mut scheduler), "DRAINING");
    assert_eq!(counted(&mut scheduler), [1, 1], "as a new one it would have been refused");
    scheduler.submit(of_before(2, "root.b")).unwrap();
    assert_eq!(counted(&mut scheduler), [1, 2], "the leaf has one more than it may");
    scheduler.finish(&app).unwrap();
    assert_eq!(state(&mut scheduler), "STOPPED");
    assert_eq!(counted(&mut scheduler), [0, 2], "as in Hadoop: above it is taken off though it was never counted");
}

/// Of those that wait for their AMs to fit, those of before the restart come first, whatever the priorities.
#[test]
fn those_of_before_start_first() {
    let site = [("yarn.cluster.max-application-priority", "10")];
    let queues = [
        ("yarn.scheduler.capacity.root.queues", "a"),
        ("yarn.scheduler.capacity.root.a.capacity", "100"),
        ("yarn.scheduler.capacity.maximum-am-resource-percent", "0.1"),
    ];
    let configuration = CapacityConfiguration::from_properties(site, queues).unwrap();
    let mut scheduler = CapacityScheduler::builder(configuration).stepped().unwrap();
    let new = Submission::new(1, "ann").in_queue("root.a").with_am(TASK);
    scheduler.submit_with_priority(new, 9).unwrap();
    scheduler.submit(of_before(2, "root.a")).unwrap();
    scheduler.add_node("n1", "/r1", NODE).unwrap();
    let active: Vec<_> = scheduler.apps().iter().filter(|app| app.state == "active").map(|app| app.number).collect();
    assert_eq!(active, [2]);
}

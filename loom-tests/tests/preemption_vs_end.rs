//! A container is marked and killed for a starved application while it ends by itself: it ends once, its room goes to the
//! starved application first, and who looks on never counts it as used and not marked.
#![cfg(loom)]

use evenweave::Resource;
use evenweave::engine::books::marks::left_over;
use evenweave::engine::mail::container::EndReason;
use evenweave::sync::thread::spawn;
use evenweave::sync::{Arc, Mutex};
use evenweave_loom_tests::check;
use evenweave_loom_tests::preemption::{OTHER, STARVED, VICTIM, Worker, World, one, preempt};

/// A full node of one container, which runs. The starved application wants two, so does another.
fn full_node(acquired: bool) -> (Arc<World>, Arc<Mutex<Worker>>) {
    let world = World::new([1, 2, 2]);
    let mut worker = Worker::new(&world, 1);
    assert_eq!(worker.grant(VICTIM), Some(0), "there is room");
    if acquired {
        assert_eq!(world.call(VICTIM).0, 1, "the AM has its container");
        worker.launch(0);
    }
    (world, Arc::new(Mutex::new(worker)))
}

/// At rest: the container has ended once, what it left is used once, and nothing is owed or marked.
fn at_rest(world: &World, worker: &Worker, marked: bool) {
    assert_eq!(worker.ended.len(), 1, "I10: it ends once");
    let used = |app: usize| world.apps[app].usage.read();
    assert_eq!(used(VICTIM), Resource::ZERO, "I4: it is used no more");
    assert!(world.apps[VICTIM].marks.list().is_none_or(|list| list.is_empty()), "no AM is warned of what has ended");
    let (starved, other) = (used(STARVED).memory_mb(), used(OTHER).memory_mb());
    assert_eq!(starved + other, 1, "I1: its room is used once");
    assert_eq!(worker.free, Resource::ZERO, "I1: and the node knows it");
    if marked {
        assert_eq!(starved, 1, "I10: room that is freed for an application goes to it first");
    }
    assert!(worker.owed.is_empty(), "what it got is no longer owed");
}

/// Claim: I10, I5: a container is marked and killed while its node reports its end: it ends once, the AM is told once, its
///   room goes to the starved application first, and once
/// Threads: 3
/// Break: `OwedRooms::turns` gives nobody a turn; `pay_off` takes nothing off; `Fate::leave_node` says yes twice;
///   `Fate::end` forgets that it was marked -> *I10: room that is freed for an application goes to it first*: 0, not 1;
///   *what it got is no longer owed*; *I1: its room is used once*: 2, not 1; *no AM is warned of what has ended*
#[test]
fn its_node_reports_its_end() {
    check("preemption_vs_end/its_node_reports_its_end", || {
        let (world, worker) = full_node(true);
        let task = worker.clone();
        let task = spawn(move || preempt(&task));
        let node = worker.clone();
        let node = spawn(move || {
            let mut worker = node.lock();
            worker.complete(0, 1);
            worker.pass();
        });
        let mut told = world.call(VICTIM).1;
        let marked = task.join().unwrap();
        node.join().unwrap();
        let mut worker = worker.lock();
        // One that was killed before its node knew of it is reported now.
        worker.complete(0, 1);
        worker.pass();
        told.extend(world.call(VICTIM).1);
        assert_eq!(told, [1], "I5: the AM is told of the end once");
        at_rest(&world, &worker, marked);
    });
}

/// Claim: I10, I5: a container is marked and killed while its AM, warned or not, gives it back: room is free when its node
///   says so, the record is used again once
/// Threads: 3
/// Break: `Fate::mark` marks what has ended; `take_kill` leaves the kill to come -> *no AM is warned of what has ended*;
///   *the record of what has ended is used again*: 1, not 2
#[test]
fn its_am_gives_it_back() {
    check("preemption_vs_end/its_am_gives_it_back", || {
        let (world, worker) = full_node(true);
        let task = worker.clone();
        let task = spawn(move || preempt(&task));
        let (am, its_world) = (worker.clone(), world.clone());
        let am = spawn(move || {
            // The answer to its call has the warning; it gives the container back, warned or not.
            let warned = its_world.apps[VICTIM].marks.list().is_some_and(|list| !list.is_empty());
            am.lock().release(0, 1);
            warned
        });
        let marked = task.join().unwrap();
        let warned = am.join().unwrap();
        assert!(marked || !warned, "no AM is warned of what is not marked");
        let mut worker = worker.lock();
        worker.pass();
        assert_eq!(worker.free, Resource::ZERO, "the room of what runs is free when its node says so");
        worker.complete(0, 1);
        worker.pass();
        assert_eq!(world.call(VICTIM).1, [1], "I5: the AM is told of the end once");
        at_rest(&world, &worker, marked);
        // The victim's record is free for others, once.
        assert_eq!(worker.reused().0 + 1, worker.reused().1, "the record of what has ended is used again");
    });
}

/// Hadoop puts the ask of an unseen container back for every end that it is told of, and the kill is one.
/// Claim: I3: a container is killed while its AM fetches it: its ask comes back for each end that is told, the late kill
///   too
/// Threads: 3
/// Break: `Fate::is_over` before the kill has come -> *I3: a unit is back for each end of what the AM has not seen*: 1, not
///   2
#[test]
fn its_am_fetches_it_while_it_is_lost() {
    check("preemption_vs_end/its_am_fetches_it_while_it_is_lost", || {
        let (world, worker) = full_node(false);
        let task = worker.clone();
        let task = spawn(move || preempt(&task));
        let am = world.clone();
        let am = spawn(move || am.call(VICTIM));
        {
            let mut worker = worker.lock();
            worker.complete(0, 1);
            worker.pass();
        }
        let marked = task.join().unwrap();
        let (got, mut told) = am.join().unwrap();
        let mut worker = worker.lock();
        worker.pass();
        told.extend(world.call(VICTIM).1);
        assert_eq!(told.len(), got, "I5: the AM is told of the end of what it had");
        let killed_first = worker.ended[0].2 == EndReason::Preempted;
        // Two ends where a kill follows the node's report; a report that follows the kill finds no container.
        let ends = if marked && !killed_first { 2 } else { 1 };
        let back = usize::try_from(world.outstanding(VICTIM)).unwrap();
        assert_eq!(
            back,
            if got == 1 { 0 } else { ends },
            "I3: a unit is back for each end of what the AM has not seen"
        );
        at_rest(&world, &worker, marked);
    });
}

/// Claim: I10: who looks whether more may be taken never counts what ends as used and not as marked
/// Threads: 2
/// Break: `left_over` reads the usage first; `Marks::strike_after` strikes first -> *what is marked is never counted as
///   used and not as marked*: 2, not 1 (both)
#[test]
fn another_worker_looks_meanwhile() {
    check("preemption_vs_end/another_worker_looks_meanwhile", || {
        let world = World::new([2, 0, 0]);
        let mut worker = Worker::new(&world, 2);
        for at in 0..2 {
            assert_eq!(worker.grant(VICTIM), Some(at), "there is room");
        }
        let marked = worker.mark(0, 1, STARVED);
        let kill = spawn(move || worker.kill(0, marked.expect("it lives")));
        let victim = &world.apps[VICTIM];
        let look = || left_over([(&victim.usage, &victim.marks)].into_iter());
        let seen = look();
        assert!(seen.fits_in(&one()), "what is marked is never counted as used and not as marked: {seen}");
        kill.join().unwrap();
        assert_eq!(look(), one(), "at rest it has what is neither marked nor ended");
    });
}

//! A starved application ends while containers are marked, killed and their room kept for it: the room goes back to everybody,
//! nothing is lost and nothing is used twice.
#![cfg(loom)]

use evenweave::Resource;
use evenweave::sync::thread::spawn;
use evenweave::sync::{Arc, Mutex};
use evenweave_loom_tests::check;
use evenweave_loom_tests::preemption::{OTHER, STARVED, VICTIM, Worker, World, one, preempt};

/// A full node of `room` containers of one application; the others want that many each.
fn full_node(room: u32) -> (Arc<World>, Arc<Mutex<Worker>>) {
    let world = World::new([room; 3]);
    let mut worker = Worker::new(&world, i64::from(room));
    for at in 0..room as usize {
        assert_eq!(worker.grant(VICTIM), Some(at), "there is room");
    }
    (world, Arc::new(Mutex::new(worker)))
}

/// The control, then the worker: an application ends.
fn finish(world: &World, worker: &Mutex<Worker>, app: usize) {
    world.close(app);
    worker.lock().close(app);
}

/// After a pass that everybody has had: what was marked is used by the other application, and nothing is owed.
fn at_rest(world: &World, worker: &mut Worker, marked: i64) {
    worker.pass();
    let used = |app: usize| world.apps[app].usage.read();
    assert_eq!(used(STARVED), Resource::ZERO, "I4: who has ended uses nothing");
    assert!(worker.owed.is_empty(), "who has ended is owed nothing");
    assert_eq!(used(OTHER), one().times_int(marked), "the room goes back to everybody, and is used once");
    assert_eq!(worker.free, Resource::ZERO, "nothing is lost, nothing is there twice");
    assert!(world.apps[VICTIM].marks.list().is_none_or(|list| list.is_empty()), "what was marked has ended");
    let ended = worker.ended.iter().filter(|(app, ..)| *app == VICTIM).count();
    assert_eq!(i64::try_from(ended).unwrap(), marked, "I10: what was marked has ended once, and nothing else has");
}

/// Claim: I4, I10: the starved application ends at the mark, the kill or the pass: what was kept for it goes to everybody,
///   used once
/// Threads: 3
/// Break: `OwedRooms::turns` strikes nobody out -> *who has ended is owed nothing*
#[test]
fn before_at_or_after_the_kill() {
    check("preemption_vs_finish/before_at_or_after_the_kill", || {
        let (world, worker) = full_node(1);
        let task = worker.clone();
        let task = spawn(move || i64::from(preempt(&task)));
        let (control, its_world) = (worker.clone(), world.clone());
        let control = spawn(move || finish(&its_world, &control, STARVED));
        worker.lock().pass();
        let marked = task.join().unwrap();
        control.join().unwrap();
        at_rest(&world, &mut worker.lock(), marked);
    });
}

/// Two containers for it: it may have got the one room, and be owed the other, when it ends.
/// Claim: I4, I10: the starved application ends between two kills, the one room had and the other owed: what was kept goes
///   to everybody
/// Threads: 2
/// Break: `OwedRooms::turns` strikes nobody out -> *who has ended is owed nothing*
#[test]
fn between_two_kills() {
    check("preemption_vs_finish/between_two_kills", || {
        let (world, worker) = full_node(2);
        let task = worker.clone();
        let task = spawn(move || {
            let mut marked = 0;
            for (at, number) in [(0, 1), (1, 2)] {
                marked += i64::from(task.lock().mark(at, number, STARVED).is_some());
            }
            for (at, number) in [(0, 1), (1, 2)] {
                let mut worker = task.lock();
                worker.kill(at, number);
                worker.pass();
            }
            marked
        });
        finish(&world, &worker, STARVED);
        let marked = task.join().unwrap();
        at_rest(&world, &mut worker.lock(), marked);
    });
}

/// With a second look at the kill, while the starved application wants nothing any more and ends: the container is killed and its
/// room used once, or it lives on unmarked and nothing is kept; it can be marked again, and its record comes back when it ends.
/// Claim: I10, with `preemption.strict`: the starved application withdraws its ask and ends while the kill is looked at
///   again: killed and used once, or spared, unmarked, nothing kept
/// Threads: 2
/// Break: `Fate::spare` leaves it marked -> *what was spared can be marked again*: `None`, not `Some(1)`
#[test]
fn with_a_second_look() {
    check("preemption_vs_finish/with_a_second_look", || {
        let (world, worker) = full_node(1);
        let (task, its_world) = (worker.clone(), world.clone());
        let task = spawn(move || {
            let marked = task.lock().mark(0, 1, STARVED);
            let needed = its_world.outstanding(STARVED) > 0;
            marked.map(|number| task.lock().kill_if(0, number, STARVED, needed))
        });
        world.withdraw_asks(STARVED);
        finish(&world, &worker, STARVED);
        worker.lock().pass();
        let killed = task.join().unwrap();
        let mut worker = worker.lock();
        worker.pass();
        let marks = || world.apps[VICTIM].marks.list().map_or(0, |list| list.len());
        assert!(worker.owed.is_empty() && marks() == 0, "nothing is kept for who has ended, nothing is marked for it");
        let used = |app: usize| world.apps[app].usage.read();
        if killed == Some(true) {
            assert_eq!((used(VICTIM), used(OTHER)), (Resource::ZERO, one()), "the room goes back to everybody");
            return;
        }
        assert_eq!((used(VICTIM), used(OTHER)), (one(), Resource::ZERO), "what is not needed lives");
        assert_eq!((worker.mark(0, 1, OTHER), marks()), (Some(1), 1), "what was spared can be marked again");
        assert!(worker.kill_if(0, 1, OTHER, true), "and killed");
        assert_eq!(worker.reused(), (1, 1), "the record of what has ended is used again");
    });
}

/// The victim's application ends instead: what was marked ends with it, and the kill that comes later means nobody.
/// Claim: I10: the victim's application ends instead: the kill that comes later means nobody
/// Threads: 2
/// Break: `OwedRooms::turns` gives nobody a turn; `pay_off` takes nothing off -> *I10: room that is freed for an
///   application goes to it first*; *what it got is no longer owed*
#[test]
fn the_victims_application_ends() {
    check("preemption_vs_finish/the_victims_application_ends", || {
        let (world, worker) = full_node(1);
        let task = worker.clone();
        let task = spawn(move || preempt(&task));
        finish(&world, &worker, VICTIM);
        worker.lock().pass();
        let marked = task.join().unwrap();
        let mut worker = worker.lock();
        worker.pass();
        assert_eq!(worker.ended.len(), 1, "I10: it ends once");
        let used = |app: usize| world.apps[app].usage.read().memory_mb();
        assert_eq!(used(STARVED) + used(OTHER), 1, "I1: its room is used once");
        assert!(!marked || used(STARVED) == 1, "I10: room that is freed for an application goes to it first");
        assert!(worker.owed.is_empty(), "what it got is no longer owed");
    });
}

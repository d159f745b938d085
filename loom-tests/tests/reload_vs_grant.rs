//! Reloads against grants: limits that drop, rise, vanish and come back while two workers lease and grant, each message under
//! the snapshot that was the newest when it was taken.
#![cfg(loom)]

use evenweave::Resource;
use evenweave::engine::lease::watch::{Watch, WatchMember, is_watched};
use evenweave::engine::publish::published::Published;
use evenweave::sync::Arc;
use evenweave::sync::thread::spawn;
use evenweave_loom_tests::check;

/// No limit.
const NONE: i64 = i64::MAX;
const WORKERS: usize = 2;

/// One queue as a snapshot shows it.
#[derive(Clone, Copy)]
struct Queue {
    limit: i64,
    watched: bool,
}

/// What a snapshot shows of a leaf queue and of the queue above it: one reload changes both.
#[derive(Clone)]
struct Snapshot {
    version: u32,
    leaf: Queue,
    above: Queue,
}

fn units(count: i64) -> Resource {
    Resource::new(count, 0)
}

fn max(limit: i64) -> Resource {
    Resource::new(limit, NONE)
}

/// Both queues, as all threads share them.
struct World {
    newest: Published<Snapshot>,
    leaf: Watch,
    above: Watch,
}

/// A limit as the control publishes it.
fn shown(limit: i64, before: bool) -> Queue {
    Queue { limit, watched: is_watched(before, &max(limit), 1) }
}

impl World {
    fn new(leaf: i64, above: i64) -> Arc<World> {
        let first = Snapshot { version: 1, leaf: shown(leaf, false), above: shown(above, false) };
        Arc::new(World { newest: Published::new(first), leaf: Watch::new(WORKERS, 1), above: Watch::new(WORKERS, 1) })
    }

    /// A reload takes effect.
    fn reload(&self, leaf: i64, above: i64) {
        self.newest.publish(|next| {
            next.version += 1;
            next.leaf = shown(leaf, next.leaf.watched);
            next.above = shown(above, next.above.watched);
        });
    }
}

/// A worker as the shard is one.
struct Worker {
    id: usize,
    world: Arc<World>,
    seen: Option<Snapshot>,
    leaf: WatchMember,
    above: WatchMember,
    spent: i64,
}

impl Worker {
    /// At work under the first snapshot.
    fn new(id: usize, world: &Arc<World>) -> Worker {
        let mut worker = Worker {
            id,
            world: world.clone(),
            seen: None,
            leaf: WatchMember::default(),
            above: WatchMember::default(),
            spent: 0,
        };
        worker.take_over();
        worker
    }

    /// The newest snapshot, as a whole.
    fn take_over(&mut self) {
        let new = (*self.world.newest.load()).clone();
        let seen = self.seen.take();
        assert!(seen.as_ref().is_none_or(|seen| seen.version <= new.version), "I6: versions only grow");
        let usage = || units(self.spent);
        let before = |queue: fn(&Snapshot) -> i64| seen.as_ref().map(|seen| max(queue(seen)));
        let [leaf, above] = [before(|seen| seen.leaf.limit), before(|seen| seen.above.limit)];
        self.leaf.take_over(&self.world.leaf, self.id, leaf.as_ref(), &max(new.leaf.limit), new.leaf.watched, usage);
        self.above.take_over(
            &self.world.above,
            self.id,
            above.as_ref(),
            &max(new.above.limit),
            new.above.watched,
            usage,
        );
        self.seen = Some(new);
    }

    /// One container, if there is room in both queues.
    fn grant(&mut self) -> bool {
        let seen = self.seen.as_ref().expect("it has taken over a snapshot");
        let (leaf, above) = (max(seen.leaf.limit), max(seen.above.limit));
        let room = self.spent < seen.leaf.limit.min(seen.above.limit);
        if !self.leaf.try_spend(&self.world.leaf, self.id, &units(1), &leaf) {
            return false;
        }
        if !self.above.try_spend(&self.world.above, self.id, &units(1), &above) {
            self.leaf.give_back(&self.world.leaf, self.id, &units(1), &leaf);
            return false;
        }
        assert!(room, "I2: no grant takes a queue above a limit that its snapshot shows");
        self.spent += 1;
        true
    }

    /// The end of a batch.
    fn hand_back(&self) {
        self.leaf.hand_back(&self.world.leaf, self.id);
        self.above.hand_back(&self.world.above, self.id);
    }

    /// A batch of messages; between two of them a new snapshot may be taken over, with pieces in hand.
    fn batch(&mut self, grants: usize) {
        for _ in 0..grants {
            self.take_over();
            self.grant();
        }
        self.hand_back();
    }
}

/// Two workers at work while the control publishes; then both take over the last snapshot, and their batches have ended.
fn at_work(world: &Arc<World>, grants: [usize; 2], reloads: &'static [(i64, i64)]) -> [Worker; 2] {
    let mut workers = [0, 1].map(|id| Some(Worker::new(id, world)));
    let control = world.clone();
    let control = spawn(move || reloads.iter().for_each(|(leaf, above)| control.reload(*leaf, *above)));
    let mut second = workers[1].take().expect("two were made");
    let second = spawn(move || {
        second.batch(grants[1]);
        second
    });
    let mut first = workers[0].take().expect("two were made");
    first.batch(grants[0]);
    let second = second.join().unwrap();
    control.join().unwrap();
    let mut workers = [first, second];
    for worker in &mut workers {
        worker.take_over();
        let seen = worker.seen.as_ref().expect("it has taken over a snapshot");
        assert_eq!(seen.version as usize, 1 + reloads.len(), "I6: the last one is seen");
    }
    workers
}

/// What both have spent; all of it is counted where the queue is watched, and nothing else.
fn settled(workers: &[Worker; 2]) -> i64 {
    let [first, second] = workers;
    let spent = first.spent + second.spent;
    let world = &first.world;
    for (watch, queue) in [(&world.leaf, world.newest.load().leaf), (&world.above, world.newest.load().above)] {
        if queue.watched {
            assert_eq!(watch.taken(), units(spent), "I2, I7: what is spent is counted, and what is not has come back");
        }
    }
    spent
}

/// How many more the two are granted in turn.
fn more(workers: &mut [Worker; 2], most: usize) -> i64 {
    let before: i64 = workers.iter().map(|worker| worker.spent).sum();
    for turn in 0..most {
        workers[turn % WORKERS].grant();
    }
    workers.iter().map(|worker| worker.spent).sum::<i64>() - before
}

/// Claim: I2, I6, I7: a reload lowers the limits of a queue and of the one above it, in one snapshot: no grant above the
///   lower ones once they are taken over; a refused grant leaves no trace in either
/// Threads: 3
/// Break: `WatchMember::take_over` hands nothing back; `WatchMember::give_back` does nothing -> *I2: no grant takes a
///   queue above a limit that its snapshot shows*; *I2, I7: what is spent is counted, and what is not has come back*:
///   2, not 1
#[test]
fn limits_that_drop() {
    check("reload_vs_grant/limits_that_drop", || {
        let world = World::new(6, 4);
        let mut workers = at_work(&world, [2, 1], &[(1, 2)]);
        let spent = settled(&workers);
        assert!(spent <= 4, "I2: never more than under the higher limits");
        assert_eq!(more(&mut workers, 2), (1 - spent).max(0), "I2, I7: no grant above the lower limit, each below it");
    });
}

/// Claim: I7, I2: a reload raises a limit: the new room is found, and no more than that
/// Threads: 3
/// Break: `WatchMember::give_back` does nothing -> *I2, I7: what is spent is counted, and what is not has come back*: 2, not 1
#[test]
fn limits_that_rise() {
    check("reload_vs_grant/limits_that_rise", || {
        let world = World::new(3, 1);
        let mut workers = at_work(&world, [1, 1], &[(2, 3)]);
        let spent = settled(&workers);
        assert!((1..=2).contains(&spent), "I2: never more than under the higher limits");
        assert_eq!(more(&mut workers, 3), (2 - spent).max(0), "I7: the new room is found; I2: and no more than that");
    });
}

/// Claim: I2: a limit goes and comes back: what was granted in between counts
/// Threads: 3
/// Break: the seat leaves when its snapshot shows no limit -> *I2, I7: what is spent is counted, and what is not has come
///   back*: 4, not 3
#[test]
fn a_limit_that_vanishes_and_comes_back() {
    check("reload_vs_grant/a_limit_that_vanishes_and_comes_back", || {
        let world = World::new(2, NONE);
        let mut workers = at_work(&world, [2, 1], &[(NONE, NONE), (2, NONE)]);
        let spent = settled(&workers);
        assert_eq!(
            more(&mut workers, 3),
            (2 - spent).max(0),
            "I2: what was granted without a limit counts under the next"
        );
    });
}

/// Claim: I7: a limit comes and goes, and one worker never sees it: nobody is refused for want of its count
/// Threads: 3
/// Break: as it was: watched only while limited; `join` counts nothing -> *I7: where there is no limit nobody is refused*:
///   1, not 2; *I2, I7: what is spent is counted, and what is not has come back*: 0, not 1
#[test]
fn a_limit_that_comes_and_goes() {
    check("reload_vs_grant/a_limit_that_comes_and_goes", || {
        let world = World::new(NONE, NONE);
        let mut workers = at_work(&world, [1, 1], &[(NONE, 1), (NONE, NONE)]);
        settled(&workers);
        assert_eq!(more(&mut workers, 2), 2, "I7: where there is no limit nobody is refused");
    });
}

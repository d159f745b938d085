//! An application is moved to another leaf queue while workers grant to it: its usage and its AM's share are counted where they
//! belong, once.
#![cfg(loom)]

use evenweave::Resource;
use evenweave::engine::books::leaf_and_am::LeafAndAm;
use evenweave::engine::books::usage::{SharedUsage, UsageCell};
use evenweave::engine::lease::watch::{Watch, WatchMember};
use evenweave::engine::publish::published::Published;
use evenweave::sync::Arc;
use evenweave::sync::thread::spawn;
use evenweave_loom_tests::check;

const SOURCE: u32 = 0;
const TARGET: u32 = 1;

/// The AM usage of two leaf queues, and an application that waits for its AM in the first.
struct Masters {
    standing: LeafAndAm,
    size: UsageCell,
    usage: [SharedUsage; 2],
}

fn am() -> Resource {
    Resource::new(3, 1)
}

impl Masters {
    fn new() -> Masters {
        Masters { standing: LeafAndAm::new(SOURCE), size: UsageCell::default(), usage: Default::default() }
    }

    /// A grant of the AM's container under a snapshot that shows the application in `queue`.
    fn grant(&self, queue: u32) -> bool {
        let usage = &self.usage[queue as usize];
        usage.add(&am());
        self.size.set(2, &am());
        let entered = self.standing.try_set_am(queue);
        if !entered {
            usage.subtract(&am());
        }
        entered
    }

    /// The control moves it: an AM that is accounted in the old queue leaves it.
    fn move_to(&self, from: u32, to: u32) -> bool {
        let had_am = self.standing.move_to(to);
        if had_am {
            let size = self.size.read();
            assert_eq!(size, am(), "who finds an AM finds its size");
            self.usage[from as usize].subtract(&size);
        }
        had_am
    }

    fn used(&self, queue: u32) -> Resource {
        self.usage[queue as usize].read()
    }
}

/// Claim: I4, I7: an AM granted at the moment of a move is counted where it was granted, and taken out once
/// Threads: 2
/// Break: `LeafAndAm::try_set_am` by load and store; `move_to` by load and store; Release to Relaxed in the one,
///   Acquire to Relaxed in the other -> *I4: what is counted in the old queue is taken out, and nothing else* (twice);
///   *who finds an AM finds its size* (twice)
#[test]
fn an_am_is_granted_while_its_application_moves() {
    check("move_vs_grant/an_am_is_granted_while_its_application_moves", || {
        let world = Arc::new(Masters::new());
        let worker = world.clone();
        let worker = spawn(move || worker.grant(SOURCE));
        let taken_out = world.move_to(SOURCE, TARGET);
        let granted = worker.join().unwrap();
        assert_eq!(granted, taken_out, "I4: what is counted in the old queue is taken out, and nothing else");
        assert_eq!(world.used(SOURCE), Resource::ZERO, "I4: nothing of the AM stays behind");
        assert_eq!(world.standing.queue(), TARGET, "the move is not lost");
        assert_eq!(world.standing.has_am(), granted, "I7: a refused grant leaves no trace");
        if !granted {
            assert!(world.grant(TARGET), "I7: the next snapshot shows where, and there the AM is had");
            assert_eq!(world.used(TARGET), am(), "I4: it counts in the queue that it was granted in");
        }
    });
}

/// Claim: I4, I7: an AM granted while its application moves there and back is counted once, where it was granted
/// Threads: 2
/// Break: Release to Relaxed in `try_set_am` -> *who finds an AM finds its size*
#[test]
fn it_is_moved_there_and_back() {
    check("move_vs_grant/it_is_moved_there_and_back", || {
        let world = Arc::new(Masters::new());
        let worker = world.clone();
        let worker = spawn(move || worker.grant(SOURCE));
        let first = world.move_to(SOURCE, TARGET);
        // An AM that was taken out once is taken out again, as in Hadoop: its share does not follow a move.
        let second = world.move_to(TARGET, SOURCE);
        let granted = worker.join().unwrap();
        let left = |times: i64| am().times_int(-times);
        assert!(granted || (!first && !second), "no AM is taken out that was not granted");
        let target = if second { left(1) } else { Resource::ZERO };
        assert_eq!(world.used(TARGET), target, "I4: each move takes out what it found");
        let source = if granted && !first { am() } else { Resource::ZERO };
        assert!(first <= second, "an AM that was found stays");
        let source = if second && !first {
            source
        } else if first {
            Resource::ZERO
        } else {
            source
        };
        assert_eq!(world.used(SOURCE), source, "I4: counted while it stands there, and only then");
    });
}

/// Claim: I4: who looks at an AM without moving it, as views do and the control when an application ends, finds its size
/// Threads: 2
/// Break: Acquire to Relaxed in `has_am` -> *who finds an AM finds its size*
#[test]
fn who_sees_the_am_sees_its_size() {
    check("move_vs_grant/who_sees_the_am_sees_its_size", || {
        let world = Arc::new(Masters::new());
        let worker = world.clone();
        let worker = spawn(move || worker.grant(SOURCE));
        let size = if world.standing.has_am() { world.size.read() } else { am() };
        assert_eq!(size, am(), "who finds an AM finds its size");
        assert!(worker.join().unwrap(), "nobody moves it");
    });
}

const WORKERS: usize = 2;

/// Where a snapshot shows the application.
#[derive(Clone)]
struct Snapshot {
    version: u32,
    moved: bool,
}

struct World {
    newest: Published<Snapshot>,
    source: Watch,
    target: Watch,
}

const SOURCE_LIMIT: i64 = 2;
const TARGET_LIMIT: i64 = 3;

fn units(count: i64) -> Resource {
    Resource::new(count, 0)
}

/// A worker as the shard is one, with the one application that is moved.
struct Worker {
    id: usize,
    world: Arc<World>,
    moved: bool,
    source: WatchMember,
    target: WatchMember,
    spent: i64,
}

impl Worker {
    fn new(id: usize, world: &Arc<World>) -> Worker {
        let (mut source, mut target) = (WatchMember::default(), WatchMember::default());
        source.take_over(&world.source, id, None, &units(SOURCE_LIMIT), true, || units(0));
        target.take_over(&world.target, id, None, &units(TARGET_LIMIT), true, || units(0));
        Worker { id, world: world.clone(), moved: false, source, target, spent: 0 }
    }

    /// Its usage goes along with the application: out of the old queue, then into the new one.
    fn take_over(&mut self) {
        let newest = self.world.newest.load();
        if newest.moved && !self.moved {
            self.source.carry(&self.world.source, &units(-self.spent));
            self.target.carry(&self.world.target, &units(self.spent));
            self.moved = true;
        }
    }

    fn grant(&mut self) {
        let granted = if self.moved {
            self.target.try_spend(&self.world.target, self.id, &units(1), &units(TARGET_LIMIT))
        } else {
            self.source.try_spend(&self.world.source, self.id, &units(1), &units(SOURCE_LIMIT))
        };
        self.spent += i64::from(granted);
    }

    fn batch(&mut self, grants: usize) {
        for _ in 0..grants {
            self.take_over();
            self.grant();
        }
        self.source.hand_back(&self.world.source, self.id);
        self.target.hand_back(&self.world.target, self.id);
    }
}

/// Claim: I2, I4, I7: usage goes along with a move: none stays behind, all counts where it went
/// Threads: 3
/// Break: `WatchMember::carry` counts what comes and not what goes -> *I4: nothing stays behind in the old queue*: 2, not 0
#[test]
fn usage_goes_along() {
    check("move_vs_grant/usage_goes_along", || {
        let newest = Published::new(Snapshot { version: 1, moved: false });
        let world = Arc::new(World { newest, source: Watch::new(WORKERS, 1), target: Watch::new(WORKERS, 1) });
        let mut first = Worker::new(0, &world);
        let mut second = Worker::new(1, &world);
        let second = spawn(move || {
            second.batch(2);
            second
        });
        let control = world.clone();
        let control = spawn(move || {
            control.newest.publish(|next| {
                next.version += 1;
                next.moved = true;
            });
        });
        first.batch(1);
        let mut second = second.join().unwrap();
        control.join().unwrap();
        let workers = [&mut first, &mut second];
        let mut spent = 0;
        for worker in workers {
            worker.take_over();
            spent += worker.spent;
        }
        assert!(
            spent <= TARGET_LIMIT,
            "I2: three grants at most, each within the limit of the queue that it was made in"
        );
        assert_eq!(world.source.taken(), units(0), "I4: nothing stays behind in the old queue");
        assert_eq!(world.target.taken(), units(spent), "I4: everything is counted in the new one");
        // The room that the move left behind is whole again, and the new queue knows what came.
        let mut source = 0;
        while source < 3 && first.source.try_spend(&world.source, 0, &units(1), &units(SOURCE_LIMIT)) {
            source += 1;
        }
        assert_eq!(source, SOURCE_LIMIT, "I7: the old queue's room is free");
        let before = first.spent + second.spent;
        for _ in 0..4 {
            first.grant();
        }
        assert_eq!(
            first.spent + second.spent - before,
            TARGET_LIMIT - spent,
            "I2, I7: and the new one's is what is left"
        );
    });
}

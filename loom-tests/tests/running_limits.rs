//! One application may run in a queue, another waits: it starts only when every worker has ended what it had of the first,
//! whatever snapshot each of them works under.
#![cfg(loom)]

use evenweave::Resource;
use evenweave::engine::books::attempt_end::Acknowledgements;
use evenweave::engine::books::usage::UsageCell;
use evenweave::engine::publish::published::Published;
use evenweave::sync::thread::spawn;
use evenweave::sync::{Arc, Mutex};
use evenweave_loom_tests::check;

const WORKERS: usize = 2;

fn one() -> Resource {
    Resource::new(1, 0)
}

/// Which of the two applications a snapshot shows as runnable.
#[derive(Clone)]
struct Snapshot {
    runnable: [bool; 2],
}

/// What control and workers share.
struct World {
    newest: Published<Snapshot>,
    /// Usage of the first application, by worker.
    first: [UsageCell; WORKERS],
    /// The internal lane of each worker: there is a close in it.
    lanes: [Mutex<bool>; WORKERS],
    /// The control's: how many have yet to acknowledge.
    left: Mutex<Acknowledgements>,
}

impl World {
    fn new() -> Arc<World> {
        Arc::new(World {
            newest: Published::new(Snapshot { runnable: [true, false] }),
            first: Default::default(),
            lanes: Default::default(),
            left: Mutex::new(Acknowledgements::of_each(WORKERS)),
        })
    }

    /// First phase of the first application's end, by the control: each worker is told.
    fn begin_finish(&self) {
        for lane in &self.lanes {
            *lane.lock() = true;
        }
    }

    /// A worker's answer reaches the control, here at once: it can be no earlier. After the last one the second phase.
    fn acknowledge(&self) {
        let mut left = self.left.lock();
        if left.take_one() {
            self.newest.publish(|next| next.runnable = [false, true]);
        }
    }

    /// What the first application uses, all workers together.
    fn used(&self) -> Resource {
        self.first.iter().fold(Resource::ZERO, |sum, cell| sum.plus(&cell.read()))
    }
}

/// A worker as the shard is one.
struct Worker {
    id: usize,
    world: Arc<World>,
    /// It has ended what it had of the first application, and grants it nothing more.
    closed: bool,
}

impl Worker {
    fn new(id: usize, world: &Arc<World>) -> Worker {
        Worker { id, world: world.clone(), closed: false }
    }

    /// One round: its internal lane, then an offer under the newest snapshot.
    fn round(&mut self) -> Offered {
        let Worker { id, ref world, .. } = *self;
        let close = std::mem::take(&mut *world.lanes[id].lock());
        if close {
            self.closed = true;
            world.first[id].set(1, &Resource::ZERO);
            world.acknowledge();
        }
        let snapshot = world.newest.load();
        if snapshot.runnable[0] && !self.closed {
            world.first[id].add(1, &one());
            return Offered::First;
        }
        if !snapshot.runnable[1] {
            return Offered::Nobody;
        }
        assert_eq!(
            world.used(),
            Resource::ZERO,
            "one runs at a time: the next starts when the first has ended everywhere"
        );
        Offered::Second
    }
}

/// To whom a node was offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Offered {
    First,
    Second,
    Nobody,
}

/// Claim: I5, I6: one application runs at a time: the next starts when the first has ended at every worker
/// Threads: 3
/// Break: the second phase after one acknowledgement; a worker forgets the close -> *one runs at a time: the next starts
///   when the first has ended everywhere* (both)
#[test]
fn the_next_starts_when_the_first_has_ended_everywhere() {
    check("running_limits/the_next_starts_when_the_first_has_ended_everywhere", || {
        let world = World::new();
        let [mut first, mut second] = [0, 1].map(|id| Worker::new(id, &world));
        let second = spawn(move || {
            let offered = [second.round(), second.round()];
            (second, offered)
        });
        let control = world.clone();
        let control = spawn(move || control.begin_finish());
        let offered = [first.round(), first.round()];
        let (mut second, others) = second.join().unwrap();
        control.join().unwrap();
        for rounds in [offered, others] {
            assert!(
                rounds[0] != Offered::Second || rounds[1] == Offered::Second,
                "I6: no older snapshot is seen later"
            );
        }
        // Whoever has not met the close yet meets it now; then both see the last snapshot.
        for worker in [&mut first, &mut second] {
            worker.round();
        }
        assert_eq!(world.used(), Resource::ZERO, "I5: nothing of the first is left");
        assert_eq!([first.round(), second.round()], [Offered::Second; 2], "I7: the next one runs");
    });
}

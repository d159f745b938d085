//! Two workers reserve nodes for one application at once, and give them up again: the brake slips by one a worker at most, and
//! never drifts.
#![cfg(loom)]

use evenweave::engine::books::reserved::{ReservedCount, may_reserve, total};
use evenweave::sync::Arc;
use evenweave::sync::thread::spawn;
use evenweave_loom_tests::check;

const WORKERS: usize = 2;
/// Half of them may be reserved: one.
const NODES: u32 = 2;
const RESERVABLE: f32 = 0.5;
const LIMIT: u32 = 1;

/// An application's counts, as all workers share them.
#[derive(Default)]
struct Counts([ReservedCount; WORKERS]);

impl Counts {
    fn total(&self) -> u32 {
        total(self.0.iter())
    }
}

/// A worker as the shard is one: its own nodes that are reserved, and what it has published of them.
struct Worker {
    id: usize,
    counts: Arc<Counts>,
    nodes: usize,
}

impl Worker {
    fn new(id: usize, counts: &Arc<Counts>) -> Worker {
        Worker { id, counts: counts.clone(), nodes: 0 }
    }

    fn reserve(&mut self) -> bool {
        let may = may_reserve(self.counts.total(), NODES, RESERVABLE);
        if may {
            self.nodes += 1;
            self.counts.0[self.id].set(self.nodes);
        }
        may
    }

    fn give_up(&mut self) {
        if self.nodes > 0 {
            self.nodes -= 1;
            self.counts.0[self.id].set(self.nodes);
        }
    }
}

/// Claim: I7: `reservable-nodes` slips by W − 1 at most, and what a worker reserved itself it knows of
/// Threads: 2
/// Break: `may_reserve` with ≤ -> *one a worker too many at most*
#[test]
fn two_reserve_at_once() {
    check("reservation_totals/two_reserve_at_once", || {
        let counts = Arc::new(Counts::default());
        let [mut first, mut second] = [0, 1].map(|id| Worker::new(id, &counts));
        let second = spawn(move || {
            let made = [second.reserve(), second.reserve()];
            (second, made)
        });
        let made = [first.reserve(), first.reserve()];
        let (second, others) = second.join().unwrap();
        let stand = first.nodes + second.nodes;
        assert!(stand >= 1, "a place that is free is found");
        assert!(stand <= LIMIT as usize + WORKERS - 1, "one a worker too many at most");
        assert!(!made[1] || !made[0], "what a worker has reserved itself it knows of at once");
        assert!(!others[1] || !others[0], "what a worker has reserved itself it knows of at once");
        assert_eq!(counts.total() as usize, stand, "at rest the total is what stands");
        assert!(!may_reserve(counts.total(), NODES, RESERVABLE), "and nothing more is reserved");
    });
}

/// Claim: I7: at rest the total of reservations is what stands
/// Threads: 2
/// Break: `ReservedCount::set` leaves out 0 -> *at rest the total is what stands*: 1, not 0
#[test]
fn given_up_while_another_reserves() {
    check("reservation_totals/given_up_while_another_reserves", || {
        let counts = Arc::new(Counts::default());
        let [mut first, mut second] = [0, 1].map(|id| Worker::new(id, &counts));
        assert!(first.reserve(), "the first place is free");
        let second = spawn(move || {
            second.reserve();
            second
        });
        first.give_up();
        first.reserve();
        first.give_up();
        let mut second = second.join().unwrap();
        assert_eq!(counts.total() as usize, first.nodes + second.nodes, "at rest the total is what stands");
        second.give_up();
        assert_eq!(counts.total(), 0, "what was given up is not counted any more");
        assert!(first.reserve(), "and its place is found");
    });
}

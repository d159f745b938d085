//! A worker hands back before it blocks while the other refills: what is leased is conserved, and nothing is idle then.
#![cfg(loom)]

use evenweave::engine::lease::{AskPool, Room};
use evenweave::sync::Arc;
use evenweave::sync::thread::spawn;
use evenweave_loom_tests::asks::Taker;
use evenweave_loom_tests::check;

/// Claim: I2: a refill against a worker that hands back and blocks: the sum is conserved, nothing idle
/// Threads: 2
/// Break: `Room::hand_back` by load and store -> *I2: once both have blocked, what is not spent has come back, each unit
///   once*: 4, not 6
#[test]
fn of_a_room() {
    check("refill_vs_block/of_a_room", || {
        const LIMIT: i64 = 6;
        let room = Arc::new(Room::new(2));
        assert!(room.try_spend(1, 1, LIMIT));
        assert_eq!(room.taken(), 3, "worker 1 has spent one and leased two");
        let other = room.clone();
        let thread = spawn(move || {
            let spent = i64::from(other.try_spend(1, 1, LIMIT));
            other.hand_back(1);
            spent
        });
        // More than the shared word has: this recalls, while the other worker hands back by itself.
        let spent = 4 * i64::from(room.try_spend(0, 4, LIMIT));
        room.hand_back(0);
        let spent = 1 + spent + thread.join().unwrap();
        assert_eq!(room.taken(), spent, "I2: once both have blocked, what is not spent has come back, each unit once");
    });
}

/// Claim: I3: of outstanding asks: a refill against a worker that hands back and blocks: nothing is lost, nothing idle
/// Threads: 2
/// Break: `AskPool::hand_back` does not put the units -> *I3: once both have blocked, each unit that is not taken is there
///   once*: 0, not 1
#[test]
fn of_asks() {
    check("refill_vs_block/of_asks", || {
        let pool = Arc::new(AskPool::new(2));
        let epoch = pool.replace(6);
        let mut other = Taker::new(&pool, 1, epoch);
        assert!(other.take().is_ok());
        assert_eq!(pool.visible(0), 3, "worker 1 has taken one and leased two");
        let thread = spawn(move || {
            let taken = other.take_up_to(1).len();
            other.hand_back();
            taken
        });
        let mut own = Taker::new(&pool, 0, epoch);
        let taken = own.take_up_to(3).len();
        own.hand_back();
        let taken = 1 + taken + thread.join().unwrap();
        assert_eq!(
            pool.total() as usize,
            6 - taken,
            "I3: once both have blocked, each unit that is not taken is there once"
        );
        for worker in [0, 1] {
            assert_eq!(pool.visible(worker), pool.total(), "no unit is idle in the hands of a worker that blocks");
        }
    });
}

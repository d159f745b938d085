//! One worker recalls the other's piece while the other spends from it: each unit is spent once, and none is lost.
#![cfg(loom)]

use evenweave::engine::lease::{AskPool, Room};
use evenweave::sync::Arc;
use evenweave::sync::thread::spawn;
use evenweave_loom_tests::asks::Taker;
use evenweave_loom_tests::check;

/// Claim: I2, I7: a recall against a spend from the own piece
/// Threads: 2
/// Break: the own piece is spent by load and store -> *I2, I7: either the four are had or one of them, not both and not
///   neither*
#[test]
fn of_a_room() {
    check("recall_vs_spend/of_a_room", || {
        const LIMIT: i64 = 5;
        let room = Arc::new(Room::new(2));
        assert!(room.try_spend(1, 1, LIMIT));
        assert_eq!(room.taken(), 3, "worker 1 has spent one and leased two");
        let other = room.clone();
        let thread = spawn(move || other.try_spend(1, 1, LIMIT));
        // Two are in the shared word, two in the other's piece.
        let (all, one) = (room.try_spend(0, 4, LIMIT), thread.join().unwrap());
        assert!(all != one, "I2, I7: either the four are had or one of them, not both and not neither");
        let spent = if all { 5 } else { 2 };
        assert!(room.taken() <= LIMIT, "I2: spent and leased are within the limit");
        assert!(spent == LIMIT || room.try_spend(0, LIMIT - spent, LIMIT), "I7: the rest can be had");
        assert!(!room.try_spend(1, 1, LIMIT), "I2: nothing is left then");
    });
}

/// Claim: I3: of outstanding asks: a recall against a take from the own piece
/// Threads: 2
/// Break: `AskPool::hand_back` does not put the units -> *I3: as many are taken as were asked for, less what is left*: 3,
///   not 4
#[test]
fn of_asks() {
    check("recall_vs_spend/of_asks", || {
        let pool = Arc::new(AskPool::new(2));
        let epoch = pool.replace(4);
        let mut other = Taker::new(&pool, 1, epoch);
        assert!(other.take().is_ok());
        assert_eq!(pool.visible(0), 2, "worker 1 has taken one and leased one");
        let thread = spawn(move || other.take_all().len());
        let mut own = Taker::new(&pool, 0, epoch);
        let taken = 1 + own.take_all().len() + thread.join().unwrap();
        assert_eq!(taken + pool.total() as usize, 4, "I3: as many are taken as were asked for, less what is left");
        let rest = own.take_all().len();
        assert_eq!(taken + rest, 4, "I7: what is left can be had");
    });
}

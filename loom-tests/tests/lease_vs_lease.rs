//! Two workers take the last room of a queue: together never more than the limit, and a refusal leaves no trace.
#![cfg(loom)]

use evenweave::Resource;
use evenweave::engine::lease::watch::Watch;
use evenweave::engine::lease::{AskCount, Room};
use evenweave::sync::Arc;
use evenweave::sync::thread::spawn;
use evenweave_loom_tests::check;

/// Spends these amounts where it can, and says how much was had. Checks the shared word after each.
fn spend(room: &Room, worker: usize, amounts: &[i64], limit: i64) -> i64 {
    let mut had = 0;
    for amount in amounts {
        if room.try_spend(worker, *amount, limit) {
            had += amount;
        }
        assert!(room.taken() <= limit, "I2: spent and leased are within the limit at every instant");
    }
    had
}

/// What is left can be had to the last unit, and not more.
fn rest_can_be_had(room: &Room, spent: i64, limit: i64) {
    let left = limit - spent;
    assert!(left >= 0, "I2: never more than the limit is spent");
    assert!(left == 0 || room.try_spend(0, left, limit), "I7: what was refused has left no trace");
    assert!(!room.try_spend(1, 1, limit), "I2: nothing is left then");
}

/// Claim: I2, I7: two workers and the last room: never more than the limit, a refusal leaves no trace
/// Threads: 2
/// Break: `Room::take` stores instead of compare-exchange -> *I2: never more than the limit is spent*
#[test]
fn pieces_and_single_units() {
    check("lease_vs_lease/pieces_and_single_units", || {
        const LIMIT: i64 = 5;
        let room = Arc::new(Room::new(2));
        let other = room.clone();
        let thread = spawn(move || spend(&other, 1, &[1, 1], LIMIT));
        let spent = spend(&room, 0, &[2, 2], LIMIT) + thread.join().unwrap();
        rest_can_be_had(&room, spent, LIMIT);
    });
}

/// Claim: I2: the last unit goes to one of two workers
/// Threads: 3
/// Break: `Room::take` stores instead of compare-exchange -> *the last unit goes to one*
#[test]
fn the_last_unit_goes_to_one() {
    check("lease_vs_lease/the_last_unit_goes_to_one", || {
        let room = Arc::new(Room::new(3));
        let threads = [1, 2].map(|worker| {
            let room = room.clone();
            spawn(move || spend(&room, worker, &[1], 1))
        });
        let spent: i64 = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
        assert_eq!(spent, 1, "the last unit goes to one");
        rest_can_be_had(&room, spent, 1);
    });
}

/// Claim: I3: the last unit asked for on a rack goes to one of two workers
/// Threads: 2
/// Break: `AskCount::take_one` by load and store -> *I3: the last unit goes to one*
#[test]
fn the_last_unit_of_a_rack_goes_to_one() {
    check("lease_vs_lease/the_last_unit_of_a_rack_goes_to_one", || {
        let rack = Arc::new(AskCount::new(1));
        let other = rack.clone();
        let other = spawn(move || other.take_one());
        let taken = [rack.take_one(), other.join().unwrap()];
        assert!(taken[0].is_some() != taken[1].is_some(), "I3: the last unit goes to one");
        assert_eq!(rack.left(), 0, "I3: and is gone then");
    });
}

/// Claim: I7: a grant has room in every type or in none
/// Threads: 2
/// Break: `Watch::try_spend` keeps the earlier types -> *I7: the refused grant has left no trace in the first type*: 2, not
///   1
#[test]
fn a_grant_has_room_in_every_type_or_in_none() {
    check("lease_vs_lease/a_grant_has_room_in_every_type_or_in_none", || {
        // Three of the first type, one of the second: one grant of one and one.
        let (limit, one) = (Resource::new(3, 1), Resource::new(1, 1));
        let watch = Arc::new(Watch::new(2, 2));
        watch.join(&Resource::ZERO);
        watch.join(&Resource::ZERO);
        let other = watch.clone();
        let thread = spawn(move || other.try_spend(1, &one, &limit));
        let granted = u8::from(watch.try_spend(0, &one, &limit)) + u8::from(thread.join().unwrap());
        assert_eq!(granted, 1, "I2: one grant has room in both types");
        watch.hand_back(0);
        watch.hand_back(1);
        assert_eq!(watch.taken(), one, "I7: the refused grant has left no trace in the first type");
    });
}

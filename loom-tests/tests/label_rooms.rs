//! Room by node label: who names a lent label, who is lent its nodes, and a node that gets another label.
#![cfg(loom)]

use evenweave::Resource;
use evenweave::engine::lease::label_room::{LabelMember, LabelRoom};
use evenweave::engine::lease::watch::Watch;
use evenweave::engine::publish::published::Published;
use evenweave::sync::Arc;
use evenweave::sync::atomic::{AtomicU32, Ordering};
use evenweave::sync::thread::spawn;
use evenweave_loom_tests::check;

fn units(count: i64) -> Resource {
    Resource::new(count, 0)
}

fn room(limit: i64, is_lent: bool) -> LabelRoom {
    LabelRoom { limit: units(limit), is_lent, watch: Arc::new(Watch::counted_from_start(2, 1)) }
}

/// Claim: I2: whoever names a lent label gets nothing above the limit, whatever was lent meanwhile
/// Threads: 2
/// Break: `LabelMember::try_spend` leases where the label is lent -> *I2: what is lent leaves less for who names it*
#[test]
fn what_is_lent_counts_at_once() {
    check("label_rooms/what_is_lent_counts_at_once", || {
        const LIMIT: u32 = 3;
        let (room, lent) = (room(LIMIT.into(), true), Arc::new(AtomicU32::new(0)));
        let mut named = LabelMember::default();
        assert!(named.try_spend(&room, 0, &units(1), false), "there is room");
        let (their_room, their_lent) = (room.clone(), lent.clone());
        let thread = spawn(move || {
            let mut member = LabelMember::default();
            for count in 1..=3 {
                assert!(member.try_spend(&their_room, 1, &units(1), true), "what is lent has no limit here");
                // ORDERING: Release, with the Acquire below: who knows of a loan finds it counted.
                their_lent.store(count, Ordering::Release);
            }
            member.give_back(&their_room, 1, &units(1));
        });
        // ORDERING: Acquire, as above. The last loan may have ended by then.
        let known = lent.load(Ordering::Acquire).min(2);
        let granted = u32::from(named.try_spend(&room, 0, &units(1), false));
        assert!(granted == 0 || 1 + granted + known <= LIMIT, "I2: what is lent leaves less for who names it");
        thread.join().unwrap();
        assert_eq!(room.watch.taken(), units(i64::from(1 + granted + 2)), "what is taken is what is spent");
        assert!(!named.try_spend(&room, 0, &units(1), false), "I2: there is no room left");
        named.give_back(&room, 0, &units(1 + i64::from(granted)));
        assert!(named.try_spend(&room, 0, &units(1), false), "I7: what has come back can be had");
        assert!(!named.try_spend(&room, 0, &units(1), false), "I2: and no more");
    });
}

/// Claim: I7: a grant on lent nodes has room in every type or in none
/// Threads: 2
/// Break: `Watch::try_spend_exactly` keeps the earlier types -> *I7: the refused grant has left no trace*
#[test]
fn a_refusal_leaves_no_trace() {
    check("label_rooms/a_refusal_leaves_no_trace", || {
        let watch = Arc::new(Watch::counted_from_start(2, 2));
        let limit = Resource::new(2, 1);
        let room = LabelRoom { limit, is_lent: true, watch };
        let theirs = room.clone();
        let thread = spawn(move || LabelMember::default().try_spend(&theirs, 1, &Resource::new(1, 1), false));
        let mut member = LabelMember::default();
        let here = member.try_spend(&room, 0, &Resource::new(1, 1), false);
        let there = thread.join().unwrap();
        // Where one looks while the other is about to be refused in the second type, the first has room for both.
        assert!(here != there, "I2: one of two gets the last unit of the second type");
        assert_eq!(room.watch.taken(), Resource::new(1, 1), "I7: the refused grant has left no trace");
    });
}

/// Claim: I7: a label that was exclusive is lent from now on: what was leased comes back
/// Threads: 2
/// Break: `LabelMember::take_over` hands nothing back -> *I7: what was leased and not spent has come back*
#[test]
fn an_exclusive_label_is_lent_from_now_on() {
    check("label_rooms/an_exclusive_label_is_lent_from_now_on", || {
        let before = room(6, false);
        let newest = Arc::new(Published::new(before.clone()));
        let [mut first, mut second] = [LabelMember::default(), LabelMember::default()];
        assert!(first.try_spend(&before, 0, &units(1), false), "there is room");
        assert!(before.watch.taken() != units(1), "a piece is leased");
        let (theirs, their_before) = (newest.clone(), before.clone());
        let thread = spawn(move || {
            let now = theirs.load();
            second.take_over(1, &their_before, &now);
            i64::from(now.is_lent && second.try_spend(&now, 1, &units(2), true)) * 2
        });
        newest.publish(|room| room.is_lent = true);
        let now = newest.load();
        first.take_over(0, &before, &now);
        let granted = i64::from(first.try_spend(&now, 0, &units(1), false));
        let lent = thread.join().unwrap();
        assert_eq!(now.watch.taken(), units(1 + granted + lent), "I7: what was leased and not spent has come back");
        assert_eq!(granted, 1, "I7: there is room, whatever is lent");
    });
}

/// Claim: I2: what comes along with a node that gets the label counts for the next grant of who knows of it
/// Threads: 2
/// Break: `LabelMember::carry` counts nothing -> *I2: what came along leaves less*
#[test]
fn what_comes_along_with_a_node_counts() {
    check("label_rooms/what_comes_along_with_a_node_counts", || {
        let (old, new) = (room(2, false), room(2, false));
        let moved = Arc::new(AtomicU32::new(0));
        let mut members = [LabelMember::default(), LabelMember::default()];
        assert!(members[0].try_spend(&old, 0, &units(2), false), "there is room");
        let (theirs, their_moved) = (new.clone(), moved.clone());
        let thread = spawn(move || {
            let mut member = LabelMember::default();
            // ORDERING: Acquire, with the Release below: who hears of the change finds it counted.
            let knows = their_moved.load(Ordering::Acquire) == 1;
            let granted = member.try_spend(&theirs, 1, &units(1), false);
            assert!(!(knows && granted), "I2: what came along leaves less");
            if granted {
                member.hand_back(&theirs, 1);
            }
            i64::from(granted)
        });
        let [in_old, in_new] = &mut members;
        in_new.carry(&new, &units(2));
        in_old.carry(&old, &units(-2));
        // ORDERING: Release, as above.
        moved.store(1, Ordering::Release);
        let granted = thread.join().unwrap();
        in_old.hand_back(&old, 0);
        assert_eq!((old.watch.taken(), new.watch.taken()), (units(0), units(2 + granted)), "each unit counts once");
    });
}

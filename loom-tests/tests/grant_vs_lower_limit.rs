//! A grant under one snapshot against the next one, which lowers the limit or is the first to show one.
#![cfg(loom)]

use evenweave::Resource;
use evenweave::engine::lease::watch::{Watch, WatchMember};
use evenweave::engine::publish::published::Published;
use evenweave::sync::Arc;
use evenweave::sync::thread::spawn;
use evenweave_loom_tests::check;

/// What a snapshot shows of one queue: its limit in one type.
#[derive(Clone, Copy)]
struct Snapshot {
    version: u32,
    limit: i64,
}

fn units(count: i64) -> Resource {
    Resource::new(count, 0)
}

fn joined(workers: usize) -> Watch {
    let watch = Watch::new(workers, 1);
    (0..workers).for_each(|_| watch.join(&Resource::ZERO));
    watch
}

/// A worker as the shard is one: takes over snapshots, hands back when they lower the limit, then spends.
struct Worker {
    id: usize,
    seat: WatchMember,
    seen: Snapshot,
    spent: i64,
}

impl Worker {
    /// At work under the first snapshot.
    fn new(id: usize, watch: &Watch, seen: Snapshot) -> Worker {
        let mut seat = WatchMember::default();
        seat.take_over(watch, id, None, &units(seen.limit), true, || Resource::ZERO);
        Worker { id, seat, seen, spent: 0 }
    }

    fn take_over(&mut self, newest: &Published<Snapshot>, watch: &Watch) {
        let new = *newest.load();
        assert!(new.version >= self.seen.version, "I6: versions only grow");
        let (before, now) = (units(self.seen.limit), units(new.limit));
        self.seat.take_over(watch, self.id, Some(&before), &now, true, || units(self.spent));
        self.seen = new;
    }

    fn grant(&mut self, watch: &Watch) -> bool {
        let room = self.spent < self.seen.limit;
        let granted = self.seat.try_spend(watch, self.id, &units(1), &units(self.seen.limit));
        assert!(room || !granted, "I2: no grant above the limit that its snapshot shows");
        self.spent += i64::from(granted);
        granted
    }
}

/// Claim: I2: nothing leased under a higher limit is spent under the next, lower one
/// Threads: 2
/// Break: no hand-back when the lower limit is taken over -> *I2: no grant above the limit that its snapshot shows*
#[test]
fn a_lowered_limit() {
    check("grant_vs_lower_limit/a_lowered_limit", || {
        const HIGH: Snapshot = Snapshot { version: 1, limit: 6 };
        const LOW: Snapshot = Snapshot { version: 2, limit: 1 };
        let (newest, watch) = (Arc::new(Published::new(HIGH)), Arc::new(Watch::new(2, 1)));
        let [mut first, mut second] = [0, 1].map(|id| Worker::new(id, &watch, HIGH));
        assert!(first.grant(&watch), "there is room");
        assert_eq!(watch.taken(), units(3), "worker 0 has spent one and leased two");
        let (their_newest, their_watch) = (newest.clone(), watch.clone());
        let thread = spawn(move || {
            for _ in 0..2 {
                second.take_over(&their_newest, &their_watch);
                second.grant(&their_watch);
            }
            second
        });
        newest.publish(|next| *next = LOW);
        first.take_over(&newest, &watch);
        first.grant(&watch);
        let mut second = thread.join().unwrap();
        second.take_over(&newest, &watch);
        let spent = first.spent + second.spent;
        assert!(spent <= HIGH.limit, "I2: nobody spends above the limit that it has seen");
        watch.hand_back(0);
        assert_eq!(watch.taken(), units(spent), "what is not spent has come back, each unit once");
        assert!(!first.grant(&watch) && !second.grant(&watch), "I2: after a limit has dropped there is no new grant");
    });
}

/// Claim: I2: above the limit what comes back is nobody's
/// Threads: 2
/// Break: `Room::give_back` always to the piece -> *I2: after a limit has dropped there is no grant until usage is below
///   it*: 3, not 0
#[test]
fn above_the_limit_what_comes_back_is_nobodys() {
    check("grant_vs_lower_limit/above_the_limit_what_comes_back_is_nobodys", || {
        // Six are spent, the limit is three now: of the first three that end none may be granted again.
        let (low, watch) = (units(3), Arc::new(joined(2)));
        for worker in [0, 1] {
            assert!(watch.try_spend(worker, &units(3), &units(6)), "there is room");
        }
        let end = move |watch: &Watch, worker: usize, count: usize| -> i64 {
            let mut granted = 0;
            for _ in 0..count {
                watch.give_back(worker, &units(1), &low);
                granted += i64::from(watch.try_spend(worker, &units(1), &low));
            }
            granted
        };
        let other = watch.clone();
        let thread = spawn(move || end(&other, 1, 1));
        let granted = end(&watch, 0, 2) + thread.join().unwrap();
        assert_eq!(granted, 0, "I2: after a limit has dropped there is no grant until usage is below it");
        assert_eq!(watch.taken(), low, "what came back is nobody's");
    });
}

/// Claim: I2: a new limit: no grant before all have joined
/// Threads: 2
/// Break: `Watch::all_joined` after one; `join` counts the worker first, its usage then -> *I2: no grant before the usage
///   of all is counted* (both)
#[test]
fn no_grant_before_all_have_joined() {
    check("grant_vs_lower_limit/no_grant_before_all_have_joined", || {
        // The queue had no limit; the next snapshot shows two. Each worker has granted one under the old snapshot.
        let (limit, watch) = (units(2), Arc::new(Watch::new(2, 1)));
        let other = watch.clone();
        let thread = spawn(move || {
            other.join(&units(1));
            other.try_spend(1, &units(1), &limit)
        });
        watch.join(&units(1));
        let granted = watch.try_spend(0, &units(1), &limit);
        assert!(!granted, "I2: no grant before the usage of all is counted");
        assert!(!thread.join().unwrap(), "I2: no grant before the usage of all is counted");
        assert!(watch.all_joined(), "all have taken over the new snapshot");
        // One ends: its room can be had.
        watch.give_back(1, &units(1), &limit);
        assert!(watch.try_spend(0, &units(1), &limit), "I7: room that exists is found");
        assert!(!watch.try_spend(1, &units(1), &limit), "I2: and no more than that");
    });
}

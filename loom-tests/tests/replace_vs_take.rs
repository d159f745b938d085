//! The AM's replacement of a count by k against workers that take: at most k are taken after it, and k can be.
#![cfg(loom)]

use evenweave::engine::commit::lease::{AskCount, AskPool, NotTaken};
use evenweave::sync::Arc;
use evenweave::sync::channel::bounded;
use evenweave::sync::thread::spawn;
use evenweave_loom_tests::check;

/// Claim: I3: a replacement by k: at most k are taken after it, and k can be
/// Threads: 2
/// Break: pieces that are not empty are not voided; `refill` stores its piece unseen -> *I3: at most k are taken after the
///   replacement, and k can be*: 1, not 2 (both)
#[test]
fn of_a_leased_count() {
    check("replace_vs_take/of_a_leased_count", || {
        let pool = Arc::new(AskPool::new(2));
        let old = pool.replace(4);
        assert_eq!(pool.take_one(1, old), Ok(()));
        assert_eq!(pool.visible(0), 2, "worker 1 has taken one and leased one");
        let (news, inbox) = bounded(1);
        let other = pool.clone();
        let thread = spawn(move || {
            let mut before = u32::from(other.take_one(1, old).is_ok());
            before += u32::from(other.take_one(1, old).is_ok());
            let Ok(new) = inbox.try_recv() else { return (before, 0) };
            assert_eq!(other.take_one(1, old), Err(NotTaken::Stale), "I3: nothing old is taken after the replacement");
            (before, u32::from(other.take_one(1, new).is_ok()))
        });
        let new = pool.replace(2);
        news.try_send(new).unwrap();
        let mut after = u32::from(pool.take_one(0, new).is_ok());
        let (before, theirs) = thread.join().unwrap();
        assert!(before <= 3, "I3: no more of the old count are taken than there were");
        after += theirs;
        assert_eq!(pool.total(), 2 - after, "I3: k less what was taken after the replacement is left");
        assert_eq!(pool.take_one(1, old), Err(NotTaken::Stale), "I3: a stale epoch gets nothing");
        while pool.take_one(1, new).is_ok() {
            after += 1;
        }
        assert_eq!(after, 2, "I3: at most k are taken after the replacement, and k can be");
    });
}

/// Claim: I3: once the new count can be seen, nothing of the old one is taken
/// Threads: 2
/// Break: `replace` opens before it voids the pieces -> *I3: nothing old is taken once the new count is there*
#[test]
fn nothing_old_once_the_new_count_is_there() {
    check("replace_vs_take/nothing_old_once_the_new_count_is_there", || {
        let pool = Arc::new(AskPool::new(2));
        let old = pool.replace(4);
        assert_eq!(pool.take_one(1, old), Ok(()));
        let other = pool.clone();
        let other = spawn(move || {
            // More than there was: it can only be the new one.
            let opened = other.total() == 7;
            let taken = other.take_one(1, old).is_ok();
            assert!(!(opened && taken), "I3: nothing old is taken once the new count is there");
            u32::from(taken)
        });
        pool.replace(7);
        let taken = other.join().unwrap();
        assert_eq!(pool.total(), 7, "I3: what was taken of the old count, {taken} more, is nothing to the new one");
    });
}

/// Claim: I3: old units handed back do not count
/// Threads: 2
/// Break: `hand_back` puts whatever the epoch -> *I3: old units are not handed back to the new count*: `Ok(())`, not
///   `Err(Dry)`
#[test]
fn a_hand_back_of_old_units() {
    check("replace_vs_take/a_hand_back_of_old_units", || {
        let pool = Arc::new(AskPool::new(2));
        let old = pool.replace(6);
        assert_eq!(pool.take_one(1, old), Ok(()));
        let other = pool.clone();
        let thread = spawn(move || other.hand_back(1, old));
        let new = pool.replace(1);
        assert_eq!(pool.take_one(0, new), Ok(()), "I3: one of one can be taken");
        assert_eq!(pool.take_one(0, new), Err(NotTaken::Dry), "I3: old units are not handed back to the new count");
        thread.join().unwrap();
        assert_eq!(pool.total(), 0, "I3: old units are not handed back to the new count");
    });
}

/// Claim: I3, I7: a refusal after the replacement leaves no trace
/// Threads: 2
/// Break: as it was: the refused grant puts its unit back whatever the epoch -> *I3, I7: a refused grant leaves no trace in
///   the count that replaced its own*: 2, not 1
#[test]
fn a_refusal_after_it() {
    check("replace_vs_take/a_refusal_after_it", || {
        let pool = Arc::new(AskPool::new(2));
        let old = pool.replace(2);
        let other = pool.clone();
        let thread = spawn(move || {
            // A grant that takes its unit and is then refused, for want of room.
            if other.take_one(1, old).is_ok() {
                other.untake_one(old);
            }
        });
        let new = pool.replace(1);
        thread.join().unwrap();
        assert_eq!(pool.total(), 1, "I3, I7: a refused grant leaves no trace in the count that replaced its own");
        assert_eq!(pool.take_one(0, new), Ok(()));
        assert_eq!(pool.take_one(0, new), Err(NotTaken::Dry), "I3: at most k are taken after the replacement");
    });
}

/// Claim: I3: rack and whole are taken old or new together
/// Threads: 2
/// Break: as it was: `AskCount::take_one` of any epoch -> *I3: a grant from before the replacement takes nothing of it*:
///   (1, 0), not (1, 1)
#[test]
fn of_a_rack_and_of_the_whole() {
    check("replace_vs_take/of_a_rack_and_of_the_whole", || {
        // Two are asked for on one rack, in all two; then one and one.
        let (pool, rack) = (Arc::new(AskPool::new(2)), Arc::new(AskCount::new(2)));
        let (old, old_rack) = (pool.replace(2), 0);
        let (their_pool, their_rack) = (pool.clone(), rack.clone());
        let thread = spawn(move || {
            // A grant takes a unit of both, or undoes what it has taken.
            if their_pool.take_one(1, old).is_ok() && !their_rack.take_one(old_rack) {
                their_pool.untake_one(old);
            }
        });
        let (new_rack, new) = (rack.replace(1), pool.replace(1));
        thread.join().unwrap();
        assert_eq!((pool.total(), rack.left()), (1, 1), "I3: a grant from before the replacement takes nothing of it");
        assert!(pool.take_one(0, new).is_ok() && rack.take_one(new_rack), "I3: given room and time, exactly k");
    });
}

/// Claim: I3, I7: of racks and nodes too: a refusal after the replacement leaves no trace
/// Threads: 2
/// Break: `AskCount::untake_one` puts whatever the epoch -> *I3, I7: a refused grant leaves no trace in the count that
///   replaced its own*: 2, not 1
#[test]
fn of_a_rack_before_a_refusal() {
    check("replace_vs_take/of_a_rack_before_a_refusal", || {
        let rack = Arc::new(AskCount::new(2));
        let other = rack.clone();
        let thread = spawn(move || {
            if other.take_one(0) {
                other.untake_one(0);
            }
        });
        rack.replace(1);
        thread.join().unwrap();
        assert_eq!(rack.left(), 1, "I3, I7: a refused grant leaves no trace in the count that replaced its own");
    });
}

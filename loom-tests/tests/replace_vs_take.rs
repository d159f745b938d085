//! The AM's replacement of a count by k, of another size, against workers that take: at most k are taken after it, and k can be.
//! One of the same size is `recount_vs_take`.
#![cfg(loom)]

use evenweave::engine::lease::{AskCount, AskPool, NotTaken, Taken};
use evenweave::sync::Arc;
use evenweave::sync::channel::bounded;
use evenweave::sync::thread::spawn;
use evenweave_loom_tests::asks::Taker;
use evenweave_loom_tests::check;

/// Claim: I3: a replacement by k: at most k are taken after it, and k can be
/// Threads: 2
/// Break: pieces are not voided; a lease stores its piece unseen -> *I3: at most k are taken after the replacement, and k can be*:
///   1, not 2; 3, not 2
#[test]
fn of_a_leased_count() {
    check("replace_vs_take/of_a_leased_count", || {
        let pool = Arc::new(AskPool::new(2));
        let old = pool.replace(4);
        let mut other = Taker::new(&pool, 1, old);
        assert!(other.take().is_ok());
        assert_eq!(pool.visible(0), 2, "worker 1 has taken one and leased one");
        let (news, inbox) = bounded(1);
        let their_pool = pool.clone();
        let thread = spawn(move || {
            let before = other.take_up_to(2).len();
            let Ok(new) = inbox.try_recv() else { return (before, 0) };
            assert_eq!(other.take(), Err(NotTaken::Stale), "I3: nothing old is taken after the replacement");
            (before, Taker::new(&their_pool, 1, new).take_up_to(1).len())
        });
        let new = pool.replace(2);
        news.try_send(new).unwrap();
        let mut own = Taker::new(&pool, 0, new);
        let mut after = own.take_up_to(1).len();
        let (before, theirs) = thread.join().unwrap();
        assert!(before <= 3, "I3: no more of the old count are taken than there were");
        after += theirs;
        assert_eq!(pool.total() as usize, 2 - after, "I3: k less what was taken after the replacement is left");
        let stale = Taker::new(&pool, 1, old).take();
        assert_eq!(stale, Err(NotTaken::Stale), "I3: a stale epoch gets nothing");
        after += Taker::new(&pool, 1, new).take_all().len();
        assert_eq!(after, 2, "I3: at most k are taken after the replacement, and k can be");
    });
}

/// Claim: I3: once the new count can be seen, nothing of the old one is taken
/// Threads: 2
/// Break: `void_and_open` opens before it voids the pieces -> *I3: nothing old is taken once the new count is there*
#[test]
fn nothing_old_once_the_new_count_is_there() {
    check("replace_vs_take/nothing_old_once_the_new_count_is_there", || {
        let pool = Arc::new(AskPool::new(2));
        let old = pool.replace(4);
        let mut other = Taker::new(&pool, 1, old);
        assert!(other.take().is_ok());
        let their_pool = pool.clone();
        let other = spawn(move || {
            // More than there was: it can only be the new one.
            let opened = their_pool.total() == 7;
            let taken = other.take().is_ok();
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
/// Break: `hand_back` puts whatever the epoch -> *I3: old units are not handed back to the new count*: `Ok(…)`, not `Err(Dry)`
#[test]
fn a_hand_back_of_old_units() {
    check("replace_vs_take/a_hand_back_of_old_units", || {
        let pool = Arc::new(AskPool::new(2));
        let old = pool.replace(6);
        let mut other = Taker::new(&pool, 1, old);
        assert!(other.take().is_ok());
        let thread = spawn(move || other.hand_back());
        let new = pool.replace(1);
        let mut own = Taker::new(&pool, 0, new);
        assert!(own.take().is_ok(), "I3: one of one can be taken");
        assert_eq!(own.take(), Err(NotTaken::Dry), "I3: old units are not handed back to the new count");
        thread.join().unwrap();
        assert_eq!(pool.total(), 0, "I3: old units are not handed back to the new count");
    });
}

/// Claim: I3, I7: a refusal after the replacement leaves no trace
/// Threads: 2
/// Break: the refused grant puts its unit back whatever the AM has said since -> *I3, I7: a refused grant leaves no trace in the
///   count that replaced its own*: 2, not 1
#[test]
fn a_refusal_after_it() {
    check("replace_vs_take/a_refusal_after_it", || {
        let pool = Arc::new(AskPool::new(2));
        let old = pool.replace(2);
        let mut other = Taker::new(&pool, 1, old);
        let thread = spawn(move || other.take_and_undo());
        let new = pool.replace(1);
        thread.join().unwrap();
        assert_eq!(pool.total(), 1, "I3, I7: a refused grant leaves no trace in the count that replaced its own");
        let mut own = Taker::new(&pool, 0, new);
        assert!(own.take().is_ok());
        assert_eq!(own.take(), Err(NotTaken::Dry), "I3: at most k are taken after the replacement");
    });
}

/// Claim: I3: of a rack and of the whole each count is exact by itself: a grant that comes between their replacements takes a unit of
///   each, of the old count or of the new one
/// Threads: 2
/// Break: `AskCount::replace` adds to what is left -> *I3: of the rack, k less what was taken of it after its replacement is left*: 2, not
///   1; the version stays -> *the same*: 0, not 1
#[test]
fn of_a_rack_and_of_the_whole() {
    check("replace_vs_take/of_a_rack_and_of_the_whole", || {
        // Two are asked for on one rack, in all two; then one and one.
        let (pool, rack) = (Arc::new(AskPool::new(2)), Arc::new(AskCount::new(2)));
        let epoch = pool.replace(2);
        let mut other = Taker::new(&pool, 1, epoch);
        let their_rack = rack.clone();
        let thread = spawn(move || {
            let whole = other.take().expect("there are some before and after");
            (whole, their_rack.take_one().expect("there are some before and after"))
        });
        // As `replace_asks`: rows first.
        rack.replace(1);
        let _ = pool.recount(1);
        let (whole, of_rack) = thread.join().unwrap();
        // Of all that is taken now the stamp says what it is of.
        let taken_after = u32::from(whole == pool.latest());
        assert_eq!(
            pool.total() + taken_after,
            1,
            "I3: of the whole, k less what was taken after its replacement is left"
        );
        let taken_after = u32::from(of_rack == Taken::from(1));
        assert_eq!(
            rack.left() + taken_after,
            1,
            "I3: of the rack, k less what was taken of it after its replacement is left"
        );
    });
}

/// Claim: I3, I7: of racks and nodes too: a refusal after the replacement leaves no trace
/// Threads: 2
/// Break: `AskCount::undo_take` puts whatever the version -> *I3, I7: a refused grant leaves no trace in the count that
///   replaced its own*: 2, not 1
#[test]
fn of_a_rack_before_a_refusal() {
    check("replace_vs_take/of_a_rack_before_a_refusal", || {
        let rack = Arc::new(AskCount::new(2));
        let other = rack.clone();
        let thread = spawn(move || {
            if let Some(taken) = other.take_one() {
                other.undo_take(taken);
            }
        });
        rack.replace(1);
        thread.join().unwrap();
        assert_eq!(rack.left(), 1, "I3, I7: a refused grant leaves no trace in the count that replaced its own");
    });
}

/// Claim: I3, I7: of a rack that is asked for in another size: of its old count nothing is left, and nothing comes back
/// Threads: 2
/// Break: `AskCount::replace` leaves the version -> *I3: of the old count nothing can be taken any more*: 1, not 0
#[test]
fn of_a_rack_that_is_asked_for_in_another_size() {
    check("replace_vs_take/of_a_rack_that_is_asked_for_in_another_size", || {
        let rack = Arc::new(AskCount::new(2));
        let other = rack.clone();
        let thread = spawn(move || {
            if let Some(taken) = other.take_one() {
                other.undo_take(taken);
            }
        });
        // As `LocationRows::replace`: who has not heard of the new count goes on with this one.
        rack.replace(0);
        assert_eq!(rack.take_one(), None, "I3: of the old count nothing can be taken any more");
        thread.join().unwrap();
        assert_eq!(rack.left(), 0, "I3: of the old count nothing can be taken any more");
    });
}

//! A worker that finds nothing left of a key passes it over until it is told. Against home, which brings more: either the worker sees
//! what there is, or the recount is awaited and home tells.
#![cfg(loom)]

use evenweave::engine::lease::{AskPool, Recounted};
use evenweave::sync::Arc;
use evenweave::sync::channel::bounded;
use evenweave::sync::thread::spawn;
use evenweave_loom_tests::asks::Taker;
use evenweave_loom_tests::check;

const HOME: usize = 0;
const OTHER: usize = 1;

/// A pool of which so many were asked for and all are taken.
fn taken_up(count: u32) -> (Arc<AskPool>, u16) {
    let pool = Arc::new(AskPool::new(2));
    let epoch = pool.replace(count);
    assert_eq!(Taker::new(&pool, HOME, epoch).take_all().len(), count as usize);
    (pool, epoch)
}

/// The other worker looks, while home does something that brings more.
fn sees_or_is_told(pool: &Arc<AskPool>, bring: impl FnOnce(&AskPool) -> Recounted) {
    let looking = pool.clone();
    let thread = spawn(move || looking.is_open_or_note_zero());
    let awaited = bring(pool) == Recounted::Awaited;
    let sees = thread.join().unwrap();
    assert!(sees || awaited, "I3: who finds nothing is told when there is something");
}

/// Claim: I3: a worker finds nothing left while home recounts: it sees the count, or it is told
/// Threads: 2
/// Break: the note is not made in the same step; a recount drops it -> *I3: who finds nothing is told when there is something*
#[test]
fn it_sees_the_count_or_is_told() {
    check("recount_vs_dry/it_sees_the_count_or_is_told", || {
        let (pool, _) = taken_up(1);
        sees_or_is_told(&pool, |pool| pool.recount(2));
    });
}

/// Claim: I3: the same of a leased pool, whose word is closed for an instant
/// Threads: 2
/// Break: the word is opened by a store; the note that the closing finds is dropped -> *I3: who finds nothing is told when there is
///   something*
#[test]
fn of_a_pool_that_is_closed_meanwhile() {
    check("recount_vs_dry/of_a_pool_that_is_closed_meanwhile", || {
        let (pool, _) = taken_up(4);
        sees_or_is_told(&pool, |pool| pool.recount(4));
    });
}

/// Claim: I3: the same where what is left is leased, so that only the sum tells
/// Threads: 2
/// Break: the word is opened by a store -> *I3: who finds nothing is told when there is something*
#[test]
fn of_a_pool_whose_rest_is_leased() {
    check("recount_vs_dry/of_a_pool_whose_rest_is_leased", || {
        let pool = Arc::new(AskPool::new(2));
        let epoch = pool.replace(4);
        let mut third = Taker::new(&pool, HOME, epoch);
        assert!(third.take().is_ok());
        // The other takes what the word has: none is left but in the piece.
        let mut other = Taker::new(&pool, OTHER, epoch);
        assert_eq!(other.take_up_to(2).len(), 2);
        sees_or_is_told(&pool, |pool| pool.recount(2));
    });
}

/// Claim: I3: a unit that comes back from a container that its AM never saw is seen, or told of
/// Threads: 2
/// Break: `put_one` does not say that it found a note -> *I3: who finds nothing is told when there is something*
#[test]
fn of_a_unit_that_comes_back() {
    check("recount_vs_dry/of_a_unit_that_comes_back", || {
        let (pool, _) = taken_up(1);
        sees_or_is_told(&pool, AskPool::put_one);
    });
}

/// Claim: I3: who has found nothing is told after a recount to nothing, too
/// Threads: 2
/// Break: a recount to nothing drops the note -> *I3: who finds nothing is told when there is something*
#[test]
fn of_a_recount_to_nothing_before() {
    check("recount_vs_dry/of_a_recount_to_nothing_before", || {
        let (pool, _) = taken_up(1);
        sees_or_is_told(&pool, |pool| {
            assert_eq!(pool.recount(0), Recounted::Silent, "there is nothing to be told of");
            pool.recount(2)
        });
    });
}

/// Claim: I3: the same of a leased pool
/// Threads: 2
/// Break: a recount to nothing drops the note -> *I3: who finds nothing is told when there is something*
#[test]
fn of_a_leased_pool_and_a_recount_to_nothing_before() {
    check("recount_vs_dry/of_a_leased_pool_and_a_recount_to_nothing_before", || {
        let (pool, _) = taken_up(4);
        sees_or_is_told(&pool, |pool| {
            assert_eq!(pool.recount(0), Recounted::Silent, "there is nothing to be told of");
            pool.recount(2)
        });
    });
}

/// Claim: I3: whoever is told and finds nothing again, because others were first, is told again
/// Threads: 2
/// Break: the note is not made in the same step -> *I3: a worker believes that there is nothing, and nobody tells it*
#[test]
fn who_was_told_is_told_again() {
    check("recount_vs_dry/who_was_told_is_told_again", || {
        let (pool, epoch) = taken_up(1);
        assert!(!pool.is_open_or_note_zero());
        let (news, inbox) = bounded(2);
        let looking = pool.clone();
        // Passed over, until there is news: then it looks again.
        let thread = spawn(move || {
            let sees = inbox.try_recv().is_ok() && looking.is_open_or_note_zero();
            (sees, inbox)
        });
        for _ in 0..2 {
            if pool.recount(1) == Recounted::Awaited {
                news.try_send(()).unwrap();
            }
            assert!(Taker::new(&pool, HOME, epoch).take().is_ok());
        }
        if pool.recount(1) == Recounted::Awaited {
            news.try_send(()).unwrap();
        }
        let (sees, inbox) = thread.join().unwrap();
        let is_told = inbox.try_recv().is_ok();
        assert!(sees || is_told, "I3: a worker believes that there is nothing, and nobody tells it");
        assert!(pool.is_open_or_note_zero(), "I3: who looks now sees what there is");
    });
}

//! The AM asks for k of the same size, and nobody is told: home recounts the word that all see. Against workers that take, lease, undo
//! and hand back: at most k are taken after it, and k can be. What was taken after it bears its stamp.
#![cfg(loom)]

use evenweave::engine::lease::{AskPool, Taken};
use evenweave::sync::Arc;
use evenweave::sync::thread::spawn;
use evenweave_loom_tests::asks::Taker;
use evenweave_loom_tests::check;

const HOME: usize = 0;
const OTHER: usize = 1;

/// After the last recount, which was by `k`, so much was taken.
fn is_exact(pool: &Arc<AskPool>, epoch: u16, k: usize, taken: &[Taken]) {
    let last = pool.latest();
    let after = taken.iter().filter(|taken| **taken == last).count();
    assert!(after <= k, "I3: at most k are taken after the recount");
    assert_eq!(pool.total() as usize, k - after, "I3: k less what was taken after the recount is left");
    // The one leases, so that the other looks at its own piece first.
    let [mut home, mut other] = [HOME, OTHER].map(|worker| Taker::new(pool, worker, epoch));
    let rest = [home.take_up_to(1), other.take_all(), home.take_all()].concat();
    assert!(rest.iter().all(|taken| *taken == last), "I3: nothing old is taken after the recount");
    assert_eq!(after + rest.len(), k, "I3: at most k are taken after the recount, and k can be");
}

/// Claim: I3: a recount by k against units taken one by one: at most k are taken after it, and k can be
/// Threads: 2
/// Break: the recount stores -> *I3: k less what was taken after the recount is left*
#[test]
fn of_units_taken_one_by_one() {
    check("recount_vs_take/of_units_taken_one_by_one", || {
        let pool = Arc::new(AskPool::new(2));
        let epoch = pool.replace(3);
        let mut other = Taker::new(&pool, OTHER, epoch);
        let thread = spawn(move || other.take_up_to(2));
        let _ = pool.recount(2);
        let mut taken = Taker::new(&pool, HOME, epoch).take_up_to(1);
        taken.extend(thread.join().unwrap());
        is_exact(&pool, epoch, 2, &taken);
    });
}

/// Claim: I3: a recount by k against a piece that is being leased
/// Threads: 2
/// Break: the lease is not said in the word; the piece is stored unseen -> *I3: nothing old is taken after the recount*
#[test]
fn of_a_piece_that_is_being_leased() {
    check("recount_vs_take/of_a_piece_that_is_being_leased", || {
        let pool = Arc::new(AskPool::new(2));
        let epoch = pool.replace(4);
        let mut other = Taker::new(&pool, OTHER, epoch);
        let thread = spawn(move || other.take_up_to(2));
        let _ = pool.recount(5);
        let taken = thread.join().unwrap();
        is_exact(&pool, epoch, 5, &taken);
    });
}

/// Claim: I3: a recount by k against takes from a leased piece
/// Threads: 2
/// Break: pieces are not voided; the recount takes no heed of the lease -> *I3: at most k are taken after the recount, and k can be*
#[test]
fn of_a_leased_piece() {
    check("recount_vs_take/of_a_leased_piece", || {
        let pool = Arc::new(AskPool::new(2));
        let epoch = pool.replace(6);
        let mut other = Taker::new(&pool, OTHER, epoch);
        assert!(other.take().is_ok());
        assert_eq!(pool.visible(HOME), 3, "one is taken, two are leased");
        let thread = spawn(move || other.take_up_to(2));
        let _ = pool.recount(4);
        let mut taken = Taker::new(&pool, HOME, epoch).take_up_to(1);
        taken.extend(thread.join().unwrap());
        is_exact(&pool, epoch, 4, &taken);
    });
}

/// Claim: I3: two recounts, while a piece is leased again
/// Threads: 2
/// Break: the count is opened relaxed, and who leases looks at its piece before it takes -> *I3: k less what was taken after the
///   recount is left*
#[test]
fn of_a_piece_that_is_leased_again() {
    check("recount_vs_take/of_a_piece_that_is_leased_again", || {
        let pool = Arc::new(AskPool::new(2));
        let epoch = pool.replace(4);
        let mut other = Taker::new(&pool, OTHER, epoch);
        assert!(other.take().is_ok());
        let again = pool.clone();
        let thread = spawn(move || {
            let mut taken = other.take_up_to(2);
            taken.extend(Taker::new(&again, OTHER, epoch).take_up_to(1));
            taken
        });
        let _ = pool.recount(4);
        let taken = thread.join().unwrap();
        is_exact(&pool, epoch, 4, &taken);
    });
}

/// Claim: I3, I7: a recount against a grant that is refused and puts its unit back
/// Threads: 2
/// Break: `undo_take` puts back into whatever is there; the version stays -> *I3: k less what was taken after the
///   recount is left*: 2, not 1
#[test]
fn of_a_refusal() {
    check("recount_vs_take/of_a_refusal", || {
        let pool = Arc::new(AskPool::new(2));
        let epoch = pool.replace(2);
        let mut other = Taker::new(&pool, OTHER, epoch);
        let thread = spawn(move || other.take_and_undo());
        let _ = pool.recount(1);
        thread.join().unwrap();
        is_exact(&pool, epoch, 1, &[]);
    });
}

/// Claim: I3, I7: a recount against a refused grant whose unit was of a leased piece
/// Threads: 2
/// Break: `undo_take` puts back into whatever is there -> *I3: k less what was taken after the recount is left*
#[test]
fn of_a_refusal_of_a_leased_unit() {
    check("recount_vs_take/of_a_refusal_of_a_leased_unit", || {
        let pool = Arc::new(AskPool::new(2));
        let epoch = pool.replace(4);
        let mut other = Taker::new(&pool, OTHER, epoch);
        assert!(other.take().is_ok());
        let thread = spawn(move || other.take_and_undo());
        let _ = pool.recount(1);
        thread.join().unwrap();
        is_exact(&pool, epoch, 1, &[]);
    });
}

/// Claim: I3: a recount against a worker that hands its piece back before it blocks
/// Threads: 2
/// Break: `hand_back` puts back into whatever is there -> *I3: k less what was taken after the recount is left*
#[test]
fn of_a_hand_back() {
    check("recount_vs_take/of_a_hand_back", || {
        let pool = Arc::new(AskPool::new(2));
        let epoch = pool.replace(6);
        let mut other = Taker::new(&pool, OTHER, epoch);
        assert!(other.take().is_ok());
        let thread = spawn(move || other.hand_back());
        let _ = pool.recount(1);
        let taken = Taker::new(&pool, HOME, epoch).take_up_to(1);
        thread.join().unwrap();
        is_exact(&pool, epoch, 1, &taken);
    });
}

/// Claim: I3: a recount against a worker that spends its piece and another one that recalls it
/// Threads: 3
/// Break: `hand_back` puts back into whatever is there; pieces are not voided -> *I3: k less what was taken after the recount is left*
#[test]
fn of_a_recall() {
    check("recount_vs_take/of_a_recall", || {
        let pool = Arc::new(AskPool::new(3));
        let epoch = pool.replace(8);
        let mut other = Taker::new(&pool, OTHER, epoch);
        assert!(other.take().is_ok());
        assert_eq!(pool.visible(HOME), 6, "one is taken, one is leased");
        let other = spawn(move || other.take_up_to(1));
        let recalling = pool.clone();
        let third = spawn(move || recalling.hand_back(OTHER));
        let _ = pool.recount(1);
        let taken = other.join().unwrap();
        third.join().unwrap();
        is_exact(&pool, epoch, 1, &taken);
    });
}

/// Claim: I3: a version that comes again is nothing to a piece that was last touched when it was there
/// Threads: 2
/// Break: who leases does not make its piece one of this replacement first -> *I3: nothing old is taken after the recount*
#[test]
fn of_a_version_that_comes_again() {
    check("recount_vs_take/of_a_version_that_comes_again", || {
        let pool = Arc::new(AskPool::new(2));
        let epoch = pool.replace(4);
        let first = pool.latest();
        let mut other = Taker::new(&pool, OTHER, epoch);
        assert!(other.take().is_ok());
        // Voids the other's piece, which then says: of the second version. Once more all versions; models have few of them.
        let _ = pool.recount(4);
        while pool.latest() != first {
            let _ = pool.recount(4);
        }
        let thread = spawn(move || other.take_up_to(1));
        // The second one again.
        let _ = pool.recount(4);
        let taken = thread.join().unwrap();
        is_exact(&pool, epoch, 4, &taken);
    });
}

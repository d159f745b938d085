//! How one resource type is distributed: a pure function, here for memory under `fair` and for vcores under `drf`.

use evenweave::Resource;
use evenweave::policy::{SchedulingPolicy, ShareInput};
use evenweave::shares::{Drf, Fair};

/// The bound of a child without one.
const INT: i64 = i32::MAX as i64;
const G: i64 = 1_000_000_000;

/// (min, max, weight) of each, and its share of `total`.
fn assert_shares(total: i64, children: &[(i64, i64, f32)], shares: &[i64]) {
    for lane in 0..2 {
        let in_lane = |amount| Resource::ZERO.with(lane, amount);
        let mut inputs: Vec<_> = children
            .iter()
            .map(|(min, max, weight)| ShareInput::new(*weight, in_lane(*min), Resource::UNBOUNDED.with(lane, *max)))
            .collect();
        // Memory under fair; every type under drf.
        let policy: &dyn SchedulingPolicy = if lane == 0 { &Fair } else { &Drf };
        policy.compute_shares(2, &in_lane(total), &mut inputs, false);
        assert_eq!(inputs.iter().map(|input| input.share.get(lane)).collect::<Vec<_>>(), shares, "lane {lane}");
    }
}

/// `TestComputeFairShares.testEqualSharing`, `TestComputeFairShares.testEmptyList`
#[test]
fn equal_children_get_equal_shares_and_none_nothing() {
    assert_shares(40, &[(0, INT, 1.0); 4], &[10; 4]);
    assert_shares(40, &[], &[]);
}

/// What a low maximum leaves goes to the others.
///
/// `TestComputeFairShares.testLowMaxShares`
#[test]
fn low_maxima_leave_more_to_the_others() {
    assert_shares(40, &[(0, 100, 1.0), (0, 50, 1.0), (0, 11, 1.0), (0, 3, 1.0)], &[13, 13, 11, 3]);
}

/// Minima that together are all there is.
///
/// `TestComputeFairShares.testMinShares`
#[test]
fn minima_that_sum_up_to_the_total_leave_nothing() {
    assert_shares(40, &[(20, INT, 1.0), (18, INT, 1.0), (0, INT, 1.0), (2, INT, 1.0)], &[20, 18, 0, 2]);
}

/// `TestComputeFairShares.testWeightedSharing`
#[test]
fn shares_are_in_proportion_to_weights() {
    assert_shares(45, &[(0, INT, 2.0), (0, INT, 1.0), (0, INT, 1.0), (0, INT, 0.5)], &[20, 10, 10, 5]);
}

/// `TestComputeFairShares.testWeightedSharingWithMaxShares`
#[test]
fn maxima_cut_weighted_shares() {
    assert_shares(45, &[(0, 10, 2.0), (0, 11, 1.0), (0, 30, 1.0), (0, 20, 0.5)], &[10, 11, 16, 8]);
}

/// `TestComputeFairShares.testWeightedSharingWithMinShares`, and on vcores `TestComputeFairShares.testCPU`
#[test]
fn minima_raise_weighted_shares() {
    assert_shares(45, &[(20, INT, 2.0), (0, INT, 1.0), (5, INT, 1.0), (15, INT, 0.5)], &[20, 5, 5, 15]);
}

/// `TestComputeFairShares.testLargeShares`
#[test]
fn shares_beyond_32_bits() {
    assert_shares(16 * G, &[(0, 4 * G, 1.0); 4], &[4 * G; 4]);
}

/// A minimum is kept even when it is larger than the total, and its sum with another does not overflow.
///
/// `TestComputeFairShares.testLargeMinimums`
#[test]
fn the_largest_minimum_does_not_overflow() {
    assert_shares(16 * G, &[(i64::MAX, i64::MAX, 1.0), (4 * G, 4 * G, 1.0)], &[i64::MAX, 4 * G]);
}

/// `TestComputeFairShares.testOverflowMaxShare`
#[test]
fn the_largest_maximum_does_not_overflow() {
    assert_shares(2 * G, &[(0, G, 1.0), (0, i64::MAX, 1.0)], &[G, G]);
}

/// Children of weight 0 have their minima as fixed shares; those take all that there is.
///
/// `TestComputeFairShares.testOverflowFixedShare`
#[test]
fn the_largest_fixed_shares_do_not_overflow() {
    let fixed = [(G, G, 0.0), (i64::MAX - 1, i64::MAX, 0.0), (0, G, 1.0)];
    assert_shares(1000, &fixed, &[G, i64::MAX - 1, 0]);
}

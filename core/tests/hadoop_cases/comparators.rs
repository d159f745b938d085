//! Which of two children is served first, as pure functions.

use crate::cluster::r;
use evenweave::Resource;
use evenweave::policy::{ClusterTotal, Schedulable, SchedulingPolicy, Tie};
use evenweave::shares::{Drf, Fair};

struct Item {
    usage: Resource,
    min: Resource,
    weight: f32,
}

fn item(usage: Resource) -> Item {
    Item { usage, min: Resource::ZERO, weight: 1.0 }
}

impl Item {
    fn min(self, min: Resource) -> Item {
        Item { min, ..self }
    }

    fn weight(self, weight: f32) -> Item {
        Item { weight, ..self }
    }

    /// All have one tie, so that only their numbers decide.
    fn schedulable(&self) -> Schedulable<'_> {
        const DEMAND: Resource = Resource::new(1 << 40, 1 << 40);
        Schedulable::new(&self.usage, &DEMAND, &self.min).with_weight(self.weight)
    }
}

/// The first is to be served before the second, whichever way round they are asked about, and by key as well: with
/// exactly two resource types, and with a third that nobody has or uses.
fn assert_first(total: Resource, first: &Item, second: &Item) {
    for cluster in [ClusterTotal::new(2, total), ClusterTotal::new(3, total)] {
        let (a, b) = (first.schedulable(), second.schedulable());
        assert!(Drf.compare(&cluster, &a, &b).is_lt(), "{} types", cluster.types);
        assert!(Drf.compare(&cluster, &b, &a).is_gt(), "{} types", cluster.types);
    }
    // With a third type in the cluster there are keys in both forms.
    for cluster in [ClusterTotal::new(2, total), ClusterTotal::new(3, total.with(2, 10))] {
        if let (Some(a), Some(b)) = (Drf.key(&cluster, &first.schedulable()), Drf.key(&cluster, &second.schedulable()))
        {
            assert!(a < b, "{} types", cluster.types);
        }
    }
}

/// `TestDominantResourceFairnessPolicy.testSameDominantResource`,
/// `TestDominantResourceFairnessPolicy.testSameDominantResource2`
#[test]
fn the_smaller_dominant_share_is_first() {
    assert_first(r(8000, 4), &item(r(1000, 1)), &item(r(2000, 1)));
}

/// `TestDominantResourceFairnessPolicy.testDifferentDominantResource`,
/// `TestDominantResourceFairnessPolicy.testDifferentDominantResource2`
#[test]
fn dominant_shares_of_different_types_compare() {
    assert_first(r(8000, 8), &item(r(4000, 3)), &item(r(2000, 5)));
}

/// `TestDominantResourceFairnessPolicy.testOneIsNeedy`, `TestDominantResourceFairnessPolicy.testOneIsNeedy2`
#[test]
fn who_is_below_its_min_share_is_first() {
    assert_first(r(8000, 8), &item(r(2000, 5)).min(r(0, 6)), &item(r(4000, 3)));
}

/// Two thirds of a min share are less than four fifths, though the dominant share is larger.
///
/// `TestDominantResourceFairnessPolicy.testBothAreNeedy`, `TestDominantResourceFairnessPolicy.testBothAreNeedy2`
#[test]
fn of_two_below_their_min_shares_the_further_below_is_first() {
    assert_first(r(8000, 100), &item(r(2000, 5)), &item(r(4000, 3)));
    assert_first(r(8000, 100), &item(r(2000, 5)).min(r(3000, 6)), &item(r(4000, 3)).min(r(5000, 4)));
}

/// `TestDominantResourceFairnessPolicy.testEvenWeightsSameDominantResource`,
/// `TestDominantResourceFairnessPolicy.testEvenWeightsSameDominantResource2`
#[test]
fn a_weight_divides_the_dominant_share() {
    assert_first(r(8000, 8), &item(r(3000, 1)).weight(2.0), &item(r(2000, 1)));
    assert_first(r(8000, 8), &item(r(1000, 3)).weight(2.0), &item(r(1000, 2)));
}

/// `TestDominantResourceFairnessPolicy.testEvenWeightsDifferentDominantResource`,
/// `TestDominantResourceFairnessPolicy.testEvenWeightsDifferentDominantResource2`
#[test]
fn a_weight_divides_dominant_shares_of_different_types() {
    assert_first(r(8000, 8), &item(r(1000, 3)).weight(2.0), &item(r(2000, 1)));
    assert_first(r(8000, 8), &item(r(3000, 1)).weight(2.0), &item(r(1000, 2)));
}

/// `TestDominantResourceFairnessPolicy.testCompareSchedulablesWithClusterResourceChanges`
#[test]
fn the_cluster_decides_which_type_is_dominant() {
    assert_first(r(4000, 5), &item(r(1000, 2)), &item(r(2000, 1)));
    assert_first(r(8000, 6), &item(r(2000, 1)), &item(r(1000, 2)));
}

/// Over all combinations of three names, start times, usages and weights, two demands and two min shares.
///
/// `TestSchedulingPolicy.testFairShareComparatorTransitivity`
#[test]
fn the_order_of_fair_is_transitive() {
    let cluster = ClusterTotal::new(2, r(8, 8));
    let mut all = Vec::new();
    for name in 0..3 {
        for start_ms in 1..=3 {
            for used in [0, 2, 4] {
                for weight in [0.0, 1.0, 2.0] {
                    for demand in [Resource::ZERO, r(4, 1)] {
                        for min in [Resource::ZERO, r(0, 1)] {
                            all.push((Tie::new(start_ms, name), r(used, 1), weight, demand, min));
                        }
                    }
                }
            }
        }
    }
    let compare = |a: usize, b: usize| {
        let view = |i: usize| {
            let (tie, usage, weight, demand, min_share) = &all[i];
            Schedulable::new(usage, demand, min_share).with_weight(*weight).with_tie(*tie)
        };
        Fair.compare(&cluster, &view(a), &view(b)) as i32
    };
    let n = all.len();
    let order: Vec<Vec<i32>> = (0..n).map(|a| (0..n).map(|b| compare(a, b)).collect()).collect();
    for a in 0..n {
        for b in 0..n {
            assert_eq!(order[a][b], -order[b][a]);
            for c in (0..n).filter(|_| order[a][b] <= 0) {
                assert!(order[b][c] > 0 || order[a][c] <= 0, "{:?} {:?} {:?}", all[a], all[b], all[c]);
            }
        }
    }
}

//! One share algorithm for every resource type: double the ratio until enough, halve the interval 25 times, take the
//! upper end, truncate. Follows `ComputeFairShares`; bit for bit, so no closed form may replace it.
//!
//! Cost: O(children x 25) in the worst case; siblings of equal weight, min and max count once.

use crate::policy::ShareInput;
use crate::resource::f64_to_i64;

const ITERATIONS: usize = 25;
/// So many kinds of sibling are compared with a new one before it counts as a kind of its own.
const LOOK_BACK: usize = 8;

/// Siblings that the ratio treats alike.
struct Run {
    weight: f64,
    min: f64,
    max: f64,
    count: i64,
}

impl Run {
    fn share(&self, ratio: f64) -> i64 {
        let fair = self.weight * ratio;
        // A weight may be configured as NaN. Java's `max` and `min` keep it, and its cast makes it 0; Rust's would drop it.
        if fair.is_nan() {
            return 0;
        }
        // The max is applied last.
        f64_to_i64(fair.max(self.min).min(self.max))
    }
}

fn used(runs: &[Run], ratio: f64) -> i64 {
    runs.iter().fold(0_i64, |sum, run| sum.saturating_add(run.share(ratio).saturating_mul(run.count)))
}

/// Whether a child's share does not depend on the ratio, and what it is then.
fn fixed_share(child: &ShareInput, kind: usize, steady: bool) -> Option<i64> {
    if child.max.get(kind) <= 0 || (!steady && !child.active) {
        return Some(0);
    }
    (child.weight <= 0.0).then(|| child.min.get(kind).max(0))
}

/// Distributes `total` of resource type `kind` among `children`.
pub(super) fn compute_shares(kind: usize, total: i64, children: &mut [ShareInput], steady: bool) {
    let (mut taken, mut sum_max) = (0_i64, 0_i64);
    let mut runs: Vec<Run> = Vec::new();
    for child in children.iter_mut() {
        if let Some(share) = fixed_share(child, kind, steady) {
            child.share = child.share.with(kind, share);
            taken = taken.saturating_add(share);
            continue;
        }
        sum_max = sum_max.saturating_add(child.max.get(kind));
        let (weight, min, max) = (f64::from(child.weight), child.min.get(kind) as f64, child.max.get(kind) as f64);
        // Few distinct ones are the common case; many are not searched.
        let alike = |run: &&mut Run| run.weight == weight && run.min == min && run.max == max;
        match runs.iter_mut().rev().take(LOOK_BACK).find(alike) {
            Some(run) => run.count += 1,
            None => runs.push(Run { weight, min, max, count: 1 }),
        }
    }
    if runs.is_empty() {
        return;
    }
    let total = sum_max.min(total.saturating_sub(taken).max(0));
    let (mut left, mut right) = (0.0_f64, 1.0_f64);
    // Where no ratio gives enough, because a weight is NaN or a max above 2^53 is no double, Hadoop never ends.
    while used(&runs, right) < total && right.is_finite() {
        right *= 2.0;
    }
    for _ in 0..ITERATIONS {
        let middle = (left + right) / 2.0;
        let amount = used(&runs, middle);
        if amount == total {
            right = middle;
            break;
        }
        if amount < total {
            left = middle;
        } else {
            right = middle;
        }
    }
    for child in children.iter_mut().filter(|child| fixed_share(child, kind, steady).is_none()) {
        let run = Run {
            weight: f64::from(child.weight),
            min: child.min.get(kind) as f64,
            max: child.max.get(kind) as f64,
            count: 1,
        };
        child.share = child.share.with(kind, run.share(right));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resource::Resource;
    use proptest::prelude::*;

    fn child(weight: f32, min: i64, max: i64) -> ShareInput {
        ShareInput {
            weight,
            min: Resource::new(min, 0),
            max: Resource::new(max, 0),
            active: true,
            start_ms: 0,
            sequence: 0,
            share: Resource::NONE,
        }
    }

    fn shares(total: i64, children: &[(f32, i64, i64)]) -> Vec<i64> {
        let mut children: Vec<_> = children.iter().map(|(w, min, max)| child(*w, *min, *max)).collect();
        compute_shares(0, total, &mut children, false);
        children.iter().map(|c| c.share.memory_mb()).collect()
    }

    const ANY: i64 = i64::MAX;

    #[test]
    fn worked_examples_of_the_reference() {
        assert_eq!(shares(10, &[(1.0, 0, ANY); 3]), [4, 4, 4]);
        assert_eq!(shares(10_000, &[(1.0, 0, ANY); 3]), [3334; 3]);
        assert_eq!(shares(24_576, &[(1.0, 0, ANY), (2.0, 0, ANY), (1.0, 0, ANY)]), [6144, 12288, 6144]);
        assert_eq!(shares(10_240, &[(1.0, 0, ANY), (1.0, 6000, ANY)]), [4240, 6000]);
        assert_eq!(shares(10_240, &[(1.0, 0, 1000), (1.0, 0, ANY), (2.0, 0, ANY)]), [1000, 3080, 6160]);
        assert_eq!(shares(10_240, &[(0.1, 0, ANY), (0.3, 0, ANY)]), [2560, 7680]);
    }

    #[test]
    fn weight_zero_gets_its_min_and_a_zero_max_nothing() {
        assert_eq!(shares(1000, &[(0.0, 100, ANY), (1.0, 0, 0), (1.0, 0, ANY)]), [100, 0, 900]);
    }

    #[test]
    fn a_weight_that_is_no_number_gets_nothing() {
        assert_eq!(shares(1000, &[(f32::NAN, 100, ANY), (1.0, 0, ANY)]), [0, 1000]);
    }

    #[test]
    fn what_no_ratio_can_give_is_not_sought_for_ever() {
        assert_eq!(shares(1000, &[(f32::NAN, 0, ANY)]), [0]);
        assert_eq!(shares(1000, &[(f32::NAN, 0, ANY), (1.0, 0, 10)]), [0, 10]);
        // The max is rounded down as a double.
        assert_eq!(shares(ANY, &[(1.0, 0, (1 << 53) + 1)]), [1 << 53]);
    }

    proptest! {
        /// Shares sum to at least what there is to give, and to no more than a unit a child above it.
        #[test]
        fn shares_sum_to_the_whole(
            total in 0_i64..10_000_000,
            weights in proptest::collection::vec(1_u16..100, 1..30),
        ) {
            let children: Vec<_> = weights.iter().map(|w| (f32::from(*w), 0, ANY)).collect();
            let sum: i64 = shares(total, &children).iter().sum();
            let slack = i64::try_from(children.len()).unwrap() * 20;
            prop_assert!(sum >= total && sum <= total + slack, "{} of {}", sum, total);
        }

        /// More weight never means less.
        #[test]
        fn more_weight_never_means_less(
            total in 0_i64..1_000_000,
            mut weights in proptest::collection::vec(1_u16..100, 2..20),
        ) {
            let share_of_first = |weights: &[u16]| {
                shares(total, &weights.iter().map(|w| (f32::from(*w), 0, ANY)).collect::<Vec<_>>())[0]
            };
            let before = share_of_first(&weights);
            weights[0] += 1;
            prop_assert!(share_of_first(&weights) >= before);
        }
    }
}

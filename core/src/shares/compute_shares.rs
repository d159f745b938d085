//! One share algorithm for every resource type: double the ratio until enough, halve the interval 25 times, take the
//! upper end, truncate. Follows `ComputeFairShares`; bit for bit, so no closed form may replace it.
//!
//! Cost: O(children x 25) in the worst case; siblings of equal weight, min and max count once.

use crate::policy::ShareInput;
use crate::resource::f64_to_i64;
use smallvec::SmallVec;

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
        // A weight may be configured as NaN. Java's `max` and `min` keep it, and its cast makes it 0; Rust's would drop
        // it.
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
    let mut runs: SmallVec<[Run; LOOK_BACK]> = SmallVec::new();
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
            share: Resource::ZERO,
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

    /// As the rules say it: every child by itself, in every step.
    fn plain(kind: usize, total: i64, children: &mut [ShareInput], steady: bool) {
        let share = |child: &ShareInput, ratio: f64| {
            let fair = f64::from(child.weight) * ratio;
            let bounded = fair.max(child.min.get(kind) as f64).min(child.max.get(kind) as f64);
            if fair.is_nan() { 0 } else { f64_to_i64(bounded) }
        };
        let (mut taken, mut sum_max) = (0_i64, 0_i64);
        let mut open = Vec::new();
        for (at, child) in children.iter_mut().enumerate() {
            let fixed = if child.max.get(kind) <= 0 || !(steady || child.active) {
                0
            } else if child.weight <= 0.0 {
                child.min.get(kind).max(0)
            } else {
                sum_max = sum_max.saturating_add(child.max.get(kind));
                open.push(at);
                continue;
            };
            taken = taken.saturating_add(fixed);
            child.share = child.share.with(kind, fixed);
        }
        if open.is_empty() {
            return;
        }
        let total = sum_max.min(total.saturating_sub(taken).max(0));
        let used = |ratio: f64| open.iter().fold(0_i64, |sum, at| sum.saturating_add(share(&children[*at], ratio)));
        let (mut left, mut right) = (0.0, 1.0_f64);
        while used(right) < total && right.is_finite() {
            right *= 2.0;
        }
        for _ in 0..25 {
            let middle = (left + right) / 2.0;
            match used(middle).cmp(&total) {
                std::cmp::Ordering::Equal => {
                    right = middle;
                    break;
                }
                std::cmp::Ordering::Less => left = middle,
                std::cmp::Ordering::Greater => right = middle,
            }
        }
        for at in open {
            children[at].share = children[at].share.with(kind, share(&children[at], right));
        }
    }

    fn amount() -> impl Strategy<Value = i64> {
        prop_oneof![
            4 => Just(0),
            2 => Just(ANY),
            4 => 0..20_000_i64,
            1 => 0..ANY,
            1 => -5..5_i64,
        ]
    }

    /// Few kinds of children and many, some alike.
    fn any_children() -> impl Strategy<Value = Vec<ShareInput>> {
        let weight = prop_oneof![
            8 => (1..5_u8).prop_map(f32::from),
            4 => 0.01..50.0_f32,
            1 => prop_oneof![Just(0.0), Just(-1.0), Just(f32::NAN), Just(f32::INFINITY), Just(1e-30), Just(1e30)],
        ];
        let kind = (weight, [amount(), amount()], [amount(), amount()], prop::bool::weighted(0.8), 0..9_i64);
        let kinds = proptest::collection::vec(kind, 1..24);
        (kinds, proptest::collection::vec(any::<prop::sample::Index>(), 1..80)).prop_map(|(kinds, chosen)| {
            let child = |of: &prop::sample::Index| {
                let (weight, min, max, active, share) = of.get(&kinds);
                let [min, max] = [min, max].map(|[memory, vcores]| Resource::new(*memory, *vcores));
                ShareInput {
                    weight: *weight,
                    min,
                    max,
                    active: *active,
                    start_ms: 0,
                    sequence: 0,
                    share: Resource::new(*share, 7),
                }
            };
            chosen.iter().map(child).collect()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        /// Counting those alike once gives what each by itself gives, to the last bit, and giving it again changes
        /// nothing.
        #[test]
        fn those_alike_count_as_each_by_itself(
            children in any_children(),
            total in prop_oneof![amount(), 0..10_000_000_i64],
            kind in 0..2_usize,
            steady: bool,
        ) {
            let (mut grouped, mut each) = (children.clone(), children);
            plain(kind, total, &mut each, steady);
            let expected: Vec<_> = each.iter().map(|child| child.share).collect();
            for _ in 0..2 {
                compute_shares(kind, total, &mut grouped, steady);
                prop_assert_eq!(grouped.iter().map(|child| child.share).collect::<Vec<_>>(), expected.clone());
            }
        }
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

//! Policy `fair`: memory alone counts. Follows `FairSharePolicy`.

use super::compute_shares::compute_shares;
use crate::policy::{ClusterTotal, OrderKey, Precedence, Schedulable, SchedulingPolicy, ShareInput};
use crate::resource::{Calculator, Resource};
use std::cmp::Ordering;

/// Policy `fair`: memory is distributed by weight; the child furthest below its weighted due is offered a node first.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fair;

/// What children are compared by.
struct Standing {
    /// No demand: last.
    idle: bool,
    /// Below the min share, capped by demand: first.
    needy: bool,
    /// The weight is positive.
    weighted: bool,
    /// The part of the min share; then 0, and usage over weight. Where the weight is not positive: 1, the weight,
    /// usage.
    numbers: [f64; 4],
}

#[inline]
fn standing(child: &Schedulable<'_>) -> Standing {
    let (usage, demand) = (child.usage.memory_mb(), child.demand.memory_mb());
    let min = child.min_share.memory_mb().min(demand);
    let needy = usage < min;
    let weighted = child.weight > 0.0;
    let ratio = if needy { usage as f64 / min.max(1) as f64 } else { 0.0 };
    let numbers = if weighted {
        [ratio, 0.0, usage as f64 / f64::from(child.weight), 0.0]
    } else {
        [ratio, 1.0, -f64::from(child.weight), usage as f64]
    };
    Standing { idle: demand == 0, needy, weighted, numbers }
}

impl SchedulingPolicy for Fair {
    fn name(&self) -> &str {
        "fair"
    }

    /// Children without demand last; those below their min share (capped by demand) first, by how far; then by usage
    /// over weight. A weight that is not positive comes after all positive ones, larger first.
    #[inline]
    fn key(&self, _: &ClusterTotal, child: &Schedulable<'_>) -> Option<OrderKey> {
        let Standing { idle, needy, numbers, .. } = standing(child);
        let class = u32::from(idle) << 1 | u32::from(!needy);
        OrderKey::of(class, numbers, child.tie)
    }

    fn compare(&self, cluster: &ClusterTotal, a: &Schedulable<'_>, b: &Schedulable<'_>) -> Ordering {
        match (self.key(cluster, a), self.key(cluster, b)) {
            (Some(a), Some(b)) => a.cmp(&b),
            // A weight that is no number: only the tie is left.
            _ => a.tie.cmp(&b.tie),
        }
    }

    fn precedence(&self, _: &ClusterTotal, first: &Schedulable<'_>, second: &Schedulable<'_>) -> Precedence {
        let (a, b) = (standing(first), standing(second));
        let differs = |i: usize| a.numbers[i] != b.numbers[i];
        if a.idle != b.idle {
            Precedence::Demand
        } else if a.needy != b.needy {
            Precedence::MinShare
        } else if differs(0) {
            Precedence::PartOfMinShare
        } else if a.weighted != b.weighted || !a.weighted && differs(2) {
            Precedence::Weight
        } else if differs(2) || differs(3) {
            Precedence::UsageToWeight
        } else {
            Precedence::of_ties(first.tie, second.tie)
        }
    }

    fn compute_shares(&self, _: usize, total: &Resource, children: &mut [ShareInput], steady: bool) {
        compute_shares(0, total.memory_mb(), children, steady);
    }

    fn shares_are_stable(&self) -> bool {
        true
    }

    fn calculator(&self) -> Calculator {
        Calculator::Memory
    }

    fn headroom(&self, fair_share: &Resource, usage: &Resource, available: &Resource) -> Resource {
        memory_headroom(fair_share, usage, available)
    }

    fn allows_child(&self, child: &dyn SchedulingPolicy) -> bool {
        child.calculator() != Calculator::Dominant
    }
}

/// Headroom of the policies that look at memory alone: vcores as far as the cluster and the max share allow.
pub(super) fn memory_headroom(fair_share: &Resource, usage: &Resource, available: &Resource) -> Resource {
    let due = fair_share.memory_mb().wrapping_sub(usage.memory_mb()).max(0);
    Resource::new(available.memory_mb().min(due), available.vcores())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Tie;

    /// Usage, demand and min share in MB, and the weight.
    type Child = (i64, i64, i64, f32);

    /// What `of` makes of two children, the first by name first.
    fn of_two<T>(a: Child, b: Child, of: impl Fn(&ClusterTotal, &Schedulable<'_>, &Schedulable<'_>) -> T) -> T {
        let cluster = ClusterTotal { types: 2, total: Resource::new(1 << 20, 100) };
        let resources = [a, b].map(|(usage, demand, min, _)| [usage, demand, min].map(|mb| Resource::new(mb, 0)));
        let view = |i: usize, weight, name| Schedulable {
            usage: &resources[i][0],
            demand: &resources[i][1],
            min_share: &resources[i][2],
            weight,
            tie: Tie { start_ms: 0, name },
        };
        of(&cluster, &view(0, a.3, 0), &view(1, b.3, 1))
    }

    fn order(a: Child, b: Child) -> Ordering {
        of_two(a, b, |cluster, a, b| Fair.compare(cluster, a, b))
    }

    #[test]
    fn two_needy_with_equal_ratios_go_by_usage_over_weight() {
        // rules/fair-shares.md 6.1: 6144 of 12288 against 2048 of 4096, weights 1: the second first.
        assert_eq!(order((6144, 20000, 12288, 1.0), (2048, 20000, 4096, 1.0)), Ordering::Greater);
    }

    #[test]
    fn no_demand_goes_last_and_needy_first() {
        assert_eq!(order((0, 0, 0, 9.0), (5000, 1, 0, 1.0)), Ordering::Greater);
        assert_eq!(order((1000, 4000, 2000, 1.0), (0, 4000, 0, 1.0)), Ordering::Less);
        // The min share is capped by demand.
        assert_eq!(order((1000, 1000, 2000, 1.0), (0, 4000, 0, 1.0)), Ordering::Greater);
    }

    #[test]
    fn the_reason_is_the_first_comparison_that_differs() {
        let why = |a: Child, b: Child| {
            assert_eq!(order(a, b), Ordering::Less);
            of_two(a, b, |cluster, a, b| Fair.precedence(cluster, a, b))
        };
        assert_eq!(why((9, 9, 0, 1.0), (0, 0, 0, 1.0)), Precedence::Demand);
        assert_eq!(why((5, 9, 6, 1.0), (0, 9, 0, 1.0)), Precedence::MinShare);
        assert_eq!(why((1, 9, 6, 1.0), (2, 9, 6, 1.0)), Precedence::PartOfMinShare);
        assert_eq!(why((5, 9, 0, 1.0), (0, 9, 0, 0.0)), Precedence::Weight);
        assert_eq!(why((5, 9, 0, 0.0), (0, 9, 0, -1.0)), Precedence::Weight);
        assert_eq!(why((5, 9, 0, 2.0), (3, 9, 0, 1.0)), Precedence::UsageToWeight);
        assert_eq!(why((5, 9, 0, 1.0), (5, 9, 0, 1.0)), Precedence::Name);
    }

    #[test]
    fn weights_that_are_not_positive_come_last_larger_first() {
        assert_eq!(order((1, 9, 0, 0.0), (1 << 40, 1 << 41, 0, 1.0)), Ordering::Greater);
        assert_eq!(order((1, 9, 0, 0.0), (0, 9, 0, -1.0)), Ordering::Less);
        assert_eq!(order((2, 9, 0, 0.0), (1, 9, 0, 0.0)), Ordering::Greater);
    }
}

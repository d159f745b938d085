//! Policy `drf`: dominant resource fairness (Ghodsi et al., NSDI 2011). Follows `DominantResourceFairnessPolicy`: a
//! pair form in doubles for two resource types, a general form in single precision for more.

use super::compute_shares::compute_shares;
use crate::policy::{ClusterTotal, OrderKey, Precedence, Schedulable, SchedulingPolicy, ShareInput, Tie};
use crate::resource::{Calculator, MAX_TYPES, Resource};
use std::cmp::Ordering;

/// Policy `drf`: the child whose largest share of the cluster, over its weight, is smallest is offered a node first.
#[derive(Clone, Copy, Debug, Default)]
pub struct Drf;

/// Below its min share in its dominant type, and the numbers compared in turn.
struct Pair {
    needy: bool,
    numbers: [f64; 2],
}

#[inline(always)]
fn pair(cluster: &ClusterTotal, child: &Schedulable<'_>) -> Pair {
    let of = |amount: &Resource| [amount.memory_mb(), amount.vcores()];
    let (used, min, total) = (of(child.usage), of(child.min_share), of(&cluster.total));
    let usage = used.map(|amount| amount as f64);
    let share = [usage[0] / total[0] as f64, usage[1] / total[1] as f64];
    let by = |dominant: usize, other: usize| {
        let needy = used[dominant] < min[dominant];
        let number = |i: usize| if needy { usage[i] / min[i] as f64 } else { share[i] / f64::from(child.weight) };
        Pair { needy, numbers: [number(dominant), number(other)] }
    };
    // Each by itself: choosing between numbers that are there already costs more.
    if share[1] > share[0] { by(1, 0) } else { by(0, 1) }
}

struct General {
    needy: bool,
    numbers: [f32; MAX_TYPES],
}

fn general(cluster: &ClusterTotal, child: &Schedulable<'_>) -> General {
    let types = cluster.types;
    // Rows of (share, what is compared), by share, largest first.
    let mut rows = [(0.0_f32, 0.0_f32); MAX_TYPES];
    let share = |i: usize| child.usage.get(i) as f32 / cluster.total.get(i) as f32;
    let mut dominant = 0;
    for i in 1..types {
        if share(i) > share(dominant) {
            dominant = i;
        }
    }
    let needy = child.usage.get(dominant) < child.min_share.get(dominant);
    for (i, row) in rows.iter_mut().enumerate().take(types) {
        let compared =
            if needy { child.usage.get(i) as f32 / child.min_share.get(i) as f32 } else { share(i) / child.weight };
        *row = (share(i), compared);
    }
    // Stable, descending; incomparable rows stay where they are.
    rows[..types].sort_by(|a, b| b.0.partial_cmp(&a.0).unwrap_or(Ordering::Equal));
    General { needy, numbers: rows.map(|row| row.1) }
}

#[inline(never)]
fn general_key(cluster: &ClusterTotal, child: Schedulable<'_>) -> Option<OrderKey> {
    let General { needy, numbers } = general(cluster, &child);
    OrderKey::of_singles(u32::from(!needy), numbers, child.tie)
}

/// Java's sign of each difference in turn; NaN counts as equal.
fn in_turn<T: PartialOrd>(a: &[T], b: &[T]) -> Ordering {
    a.iter()
        .zip(b)
        .map(|(x, y)| x.partial_cmp(y).unwrap_or(Ordering::Equal))
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}

fn needy_first(a: bool, b: bool) -> Ordering {
    b.cmp(&a)
}

fn decide(a: Tie, b: Tie, order: Ordering) -> Ordering {
    order.then_with(|| a.cmp(&b))
}

impl SchedulingPolicy for Drf {
    fn name(&self) -> &str {
        "DRF"
    }

    #[inline(always)]
    fn key(&self, cluster: &ClusterTotal, child: &Schedulable<'_>) -> Option<OrderKey> {
        if cluster.types == 2 {
            let Pair { needy, numbers: [first, second] } = pair(cluster, child);
            OrderKey::of(u32::from(!needy), [first, second, 0.0, 0.0], child.tie)
        } else {
            general_key(cluster, *child)
        }
    }

    fn compare(&self, cluster: &ClusterTotal, a: &Schedulable<'_>, b: &Schedulable<'_>) -> Ordering {
        let order = if cluster.types == 2 {
            let (x, y) = (pair(cluster, a), pair(cluster, b));
            needy_first(x.needy, y.needy).then_with(|| in_turn(&x.numbers, &y.numbers))
        } else {
            let (x, y) = (general(cluster, a), general(cluster, b));
            needy_first(x.needy, y.needy).then_with(|| in_turn(&x.numbers, &y.numbers))
        };
        decide(a.tie, b.tie, order)
    }

    fn precedence(&self, cluster: &ClusterTotal, first: &Schedulable<'_>, second: &Schedulable<'_>) -> Precedence {
        let (needy, numbers) = if cluster.types == 2 {
            let (a, b) = (pair(cluster, first), pair(cluster, second));
            ((a.needy, b.needy), in_turn(&a.numbers, &b.numbers))
        } else {
            let (a, b) = (general(cluster, first), general(cluster, second));
            ((a.needy, b.needy), in_turn(&a.numbers, &b.numbers))
        };
        match (needy, numbers.is_ne()) {
            ((true, true), true) => Precedence::PartOfMinShare,
            ((false, false), true) => Precedence::DominantShare,
            ((true, true) | (false, false), false) => Precedence::of_ties(first.tie, second.tie),
            _ => Precedence::MinShare,
        }
    }

    fn compute_shares(&self, types: usize, total: &Resource, children: &mut [ShareInput], steady: bool) {
        for kind in 0..types {
            compute_shares(kind, total.get(kind), children, steady);
        }
    }

    fn shares_are_stable(&self) -> bool {
        true
    }

    fn calculator(&self) -> Calculator {
        Calculator::Dominant
    }

    fn headroom(&self, fair_share: &Resource, usage: &Resource, available: &Resource) -> Resource {
        let due = fair_share.minus(usage);
        Resource::new(available.memory_mb().min(due.memory_mb().max(0)), available.vcores().min(due.vcores().max(0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weight_zero_without_usage_has_no_key() {
        let cluster = ClusterTotal { types: 2, total: Resource::new(100, 100) };
        let child = Schedulable {
            usage: &Resource::ZERO,
            demand: &Resource::ZERO,
            min_share: &Resource::ZERO,
            weight: 0.0,
            tie: Tie::default(),
        };
        assert_eq!(Drf.key(&cluster, &child), None);
    }

    #[test]
    fn the_smaller_dominant_share_comes_first_over_weight() {
        let cluster = ClusterTotal { types: 2, total: Resource::new(100, 100) };
        let view = |usage: &'static Resource, weight, name| Schedulable {
            usage,
            demand: &Resource::ZERO,
            min_share: &Resource::ZERO,
            weight,
            tie: Tie { start_ms: 0, name },
        };
        static A: Resource = Resource::new(10, 30);
        static B: Resource = Resource::new(40, 0);
        static NOTHING: Resource = Resource::ZERO;
        assert_eq!(Drf.compare(&cluster, &view(&A, 1.0, 0), &view(&B, 1.0, 1)), Ordering::Less);
        assert_eq!(Drf.precedence(&cluster, &view(&A, 1.0, 0), &view(&B, 1.0, 1)), Precedence::DominantShare);
        assert_eq!(Drf.precedence(&cluster, &view(&A, 1.0, 0), &view(&A, 1.0, 1)), Precedence::Name);
        let below = Schedulable { min_share: &B, ..view(&NOTHING, 1.0, 2) };
        assert_eq!(Drf.precedence(&cluster, &below, &view(&B, 1.0, 1)), Precedence::MinShare);
        assert_eq!(Drf.compare(&cluster, &view(&A, 1.0, 0), &view(&B, 2.0, 1)), Ordering::Greater);
    }

    #[test]
    fn of_three_types_the_dominant_one_says_who_is_below_its_min_share() {
        let cluster = ClusterTotal { types: 3, total: Resource::from_slice(&[100, 100, 10]) };
        let min_share = Resource::from_slice(&[50, 50, 4]);
        let view = |usage: &Resource| {
            general(
                &cluster,
                &Schedulable {
                    usage,
                    demand: &Resource::ZERO,
                    min_share: &min_share,
                    weight: 1.0,
                    tie: Tie::default(),
                },
            )
        };
        let below = view(&Resource::from_slice(&[60, 20, 3]));
        assert!(!below.needy, "memory is dominant, and not below");
        let needy = view(&Resource::from_slice(&[20, 10, 3]));
        assert_eq!((needy.needy, &needy.numbers[..3]), (true, &[0.75, 0.4, 0.2][..]));
    }
}

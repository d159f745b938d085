//! The two resource calculators: how amounts are compared.
//!
//! Follows `DefaultResourceCalculator` and `DominantResourceCalculator`. Cost: O(types), no allocation.

use super::vector::{MAX_TYPES, Resource};
use std::cmp::Ordering;

/// How a policy compares two resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Calculator {
    /// Memory alone counts (policies `fair` and `fifo`).
    Memory,
    /// The largest share of the cluster counts (policy `drf`).
    Dominant,
}

/// Java's sign of a difference: NaN and equal infinities give "equal".
#[inline]
pub(crate) fn sign(difference: f64) -> Ordering {
    difference.partial_cmp(&0.0).unwrap_or(Ordering::Equal)
}

impl Calculator {
    /// Compares `a` and `b` on a cluster of `types` resource types. `single` looks at the largest share alone.
    #[must_use]
    #[inline]
    pub fn compare(self, types: usize, cluster: &Resource, a: &Resource, b: &Resource, single: bool) -> Ordering {
        match self {
            Calculator::Memory => a.memory_mb().cmp(&b.memory_mb()),
            Calculator::Dominant => compare_dominant(types, cluster, a, b, single),
        }
    }

    /// How often `b` is in `a`, as a 32-bit float. `Memory` ignores the cluster, and nothing in nothing is 0;
    /// `Dominant` compares the largest shares of the types that the cluster has, and nothing in nothing is NaN.
    #[doc(hidden)]
    #[inline]
    pub fn divide(self, types: usize, cluster: &Resource, a: &Resource, b: &Resource) -> f32 {
        match self {
            Calculator::Memory => divide_safely(a.memory_mb(), b.memory_mb()),
            Calculator::Dominant => {
                narrow(self.largest_share(types, cluster, a) / self.largest_share(types, cluster, b))
            }
        }
    }

    /// The largest share of a cluster, of the types that it has; at least nothing.
    #[inline]
    #[doc(hidden)]
    pub fn largest_share(self, types: usize, cluster: &Resource, amount: &Resource) -> f64 {
        let share = |i: usize| match cluster.get(i) {
            0 => 0.0,
            total => amount.get(i) as f64 / total as f64,
        };
        match self {
            Calculator::Memory => share(0),
            Calculator::Dominant => {
                // None is NaN.
                let larger = |top: f64, share: f64| if share > top { share } else { top };
                // There are always memory and vcores.
                (2..types).map(share).fold(larger(larger(0.0, share(0)), share(1)), larger)
            }
        }
    }

    /// The largest quotient of one type that counts: of memory, or of any.
    #[doc(hidden)]
    #[inline]
    pub fn ratio(self, types: usize, a: &Resource, b: &Resource) -> f32 {
        match self {
            Calculator::Memory => divide_safely(a.memory_mb(), b.memory_mb()),
            Calculator::Dominant => (0..types).map(|i| divide_safely(a.get(i), b.get(i))).fold(0.0, f32::max),
        }
    }
}

/// `ResourceCalculator.divideSafelyAsFloat`: nothing of nothing is 0, anything else of nothing infinite.
#[inline]
fn divide_safely(a: i64, b: i64) -> f32 {
    if a == 0 && b == 0 { 0.0 } else { a as f32 / b as f32 }
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "rounding is what is wanted")]
fn narrow(value: f64) -> f32 {
    value as f32
}

fn compare_dominant(types: usize, cluster: &Resource, a: &Resource, b: &Resource, single: bool) -> Ordering {
    if a == b {
        return Ordering::Equal;
    }
    if cluster.is_zero() {
        let bigger = (0..types).any(|i| a.get(i) > b.get(i));
        let smaller = (0..types).any(|i| a.get(i) < b.get(i));
        return bigger.cmp(&smaller);
    }
    let share = |r: &Resource, i: usize| match cluster.get(i) {
        0 => f64::INFINITY,
        total => r.get(i) as f64 / total as f64,
    };
    if single {
        let (mut top_a, mut top_b) = (0.0_f64, 0.0_f64);
        for i in 0..types {
            let (x, y) = (share(a, i), share(b, i));
            if x.is_finite() && y.is_finite() {
                top_a = top_a.max(x);
                top_b = top_b.max(y);
            }
        }
        return sign(top_a - top_b);
    }
    if types == 2 {
        let (i, j) = (usize::from(share(a, 1) > share(a, 0)), usize::from(share(b, 1) > share(b, 0)));
        return sign(share(a, i) - share(b, j)).then_with(|| sign(share(a, 1 - i) - share(b, 1 - j)));
    }
    let sorted = |r: &Resource| {
        let mut shares = [f64::NEG_INFINITY; MAX_TYPES];
        for (i, slot) in shares.iter_mut().enumerate().take(types) {
            *slot = share(r, i);
        }
        shares.sort_unstable_by(|x, y| y.total_cmp(x));
        shares
    };
    let (shares_a, shares_b) = (sorted(a), sorted(b));
    for (x, y) in shares_a.iter().zip(&shares_b).take(types) {
        if x.is_infinite() || y.is_infinite() {
            continue;
        }
        let order = sign(x - y);
        if order.is_ne() {
            return order;
        }
    }
    Ordering::Equal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dominant_pair_compares_dominant_then_other() {
        let cluster = Resource::new(100, 100);
        let (a, b) = (Resource::new(50, 10), Resource::new(20, 50));
        // Both dominant shares are a half; the others decide.
        assert_eq!(Calculator::Dominant.compare(2, &cluster, &a, &b, false), Ordering::Less);
        assert_eq!(Calculator::Dominant.compare(2, &cluster, &a, &b, true), Ordering::Equal);
        assert_eq!(Calculator::Memory.compare(2, &cluster, &a, &b, true), Ordering::Greater);
    }

    #[test]
    fn division_is_by_memory_or_by_the_largest_shares() {
        let (cluster, a, b) = (Resource::new(1000, 10), Resource::new(200, 5), Resource::new(400, 1));
        assert_eq!(Calculator::Memory.divide(2, &cluster, &a, &b), 0.5);
        assert_eq!(Calculator::Dominant.divide(2, &cluster, &a, &b), 1.25);
        assert_eq!(Calculator::Memory.divide(2, &cluster, &Resource::ZERO, &Resource::ZERO), 0.0);
        assert!(Calculator::Memory.divide(2, &cluster, &a, &Resource::ZERO).is_infinite());
        assert!(Calculator::Dominant.divide(2, &Resource::ZERO, &a, &b).is_nan());
        assert_eq!(Calculator::Memory.ratio(2, &a, &b), 0.5);
        assert_eq!(Calculator::Dominant.ratio(2, &a, &b), 5.0);
    }

    #[test]
    fn a_type_that_the_cluster_lacks_is_skipped() {
        let cluster = Resource::from_slice(&[100, 100, 0]);
        let a = Resource::from_slice(&[10, 10, 5]);
        let b = Resource::from_slice(&[20, 10, 0]);
        assert_eq!(Calculator::Dominant.compare(3, &cluster, &a, &b, true), Ordering::Less);
    }
}

//! The two resource calculators with all that the CapacityScheduler computes by them.
//!
//! Follows rules/capacity.md 1; `DefaultResourceCalculator`, `DominantResourceCalculator` and `Resources`. Fractions
//! are 32-bit floats: they are widened before they multiply, and the product is cut as each method says. Integer
//! division cuts towards zero, of negative amounts too. Cost: O(types), no allocation.

use crate::config::{float_to_long, narrow};
use crate::matching::size::LARGEST_AMOUNT;
use crate::resource::{Calculator, Resource, Wide, f64_to_i64};
use std::cmp::Ordering;

/// So much may the parts that queues are given have together beyond the whole: `CSQueueUtils.EPSILON`
/// (rules/capacity.md 26, rules/reservations.md 13).
pub(crate) const TOLERANCE: f32 = 0.001;

/// A calculator, and how many resource types there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arith {
    pub(crate) calculator: Calculator,
    pub(crate) types: usize,
}

/// To a multiple of `step`, upwards for what is positive; nothing is a multiple of no step.
fn up(amount: i64, step: i64) -> i64 {
    if step == 0 { 0 } else { amount.saturating_add(step - 1) / step * step }
}

fn down(amount: i64, step: i64) -> i64 {
    if step == 0 { amount } else { amount / step * step }
}

/// Java's cast of the next whole number up. Without a call: x86-64 has an instruction that rounds up only from SSE 4.1
/// on.
#[inline]
fn ceil_to_long(value: f32) -> i64 {
    let whole = float_to_long(value);
    // What is cut was not whole, so far from the ends of 64 bits.
    whole.saturating_add(i64::from((whole as f32) < value))
}

/// Of memory alone: what the default calculator makes has one vcore, or none where it has no memory.
fn of_memory(memory_mb: i64) -> Resource {
    Resource::new(memory_mb, i64::from(memory_mb > 0))
}

impl Arith {
    fn by_type(&self, amount: impl FnMut(usize) -> i64) -> Resource {
        Resource::of_types(self.types, amount)
    }

    #[inline]
    pub(crate) fn compare(&self, cluster: &Resource, a: &Resource, b: &Resource) -> Ordering {
        self.compare_all(cluster, a, b).unwrap_or_else(|| self.calculator.compare(self.types, cluster, a, b, false))
    }

    /// Without a division: of two types that the cluster has, one of the two amounts has no less of either. Then its
    /// shares are no smaller, and two shares are equal only where the amounts are, as long as these are exact in a
    /// float.
    #[inline]
    fn compare_all(&self, cluster: &Resource, a: &Resource, b: &Resource) -> Option<Ordering> {
        const EXACT: u64 = 1 << 52;
        if self.calculator != Calculator::Dominant || self.types != 2 {
            return None;
        }
        let of = |i: usize| {
            let (x, y) = (a.get(i), b.get(i));
            let is_exact = cluster.get(i) > 0 && x.unsigned_abs() < EXACT && y.unsigned_abs() < EXACT;
            is_exact.then(|| x.cmp(&y))
        };
        match (of(0)?, of(1)?) {
            (Ordering::Equal, order) | (order, Ordering::Equal) => Some(order),
            (one, other) => (one == other).then_some(one),
        }
    }

    #[inline]
    pub(crate) fn is_less(&self, cluster: &Resource, a: &Resource, b: &Resource) -> bool {
        self.compare(cluster, a, b).is_lt()
    }

    #[inline]
    pub(crate) fn is_greater(&self, cluster: &Resource, a: &Resource, b: &Resource) -> bool {
        self.compare(cluster, a, b).is_gt()
    }

    /// Whether more than nothing is asked for.
    #[inline]
    pub(crate) fn is_wanted(&self, cluster: &Resource, pending: &Wide) -> bool {
        match self.calculator {
            Calculator::Memory => pending.whole(0) > 0,
            // What is most often asked: two types, none negative, and the cluster has both.
            Calculator::Dominant if self.types == 2 && (0..2).all(|i| pending.whole(i) >= 0 && cluster.get(i) > 0) => {
                pending.whole(0) > 0 || pending.whole(1) > 0
            }
            Calculator::Dominant => self.is_greater(cluster, &pending.amount(), &Resource::ZERO),
        }
    }

    /// The smaller of two as a whole; of equals the first.
    #[inline]
    pub(crate) fn least(&self, cluster: &Resource, a: &Resource, b: &Resource) -> Resource {
        if self.is_greater(cluster, a, b) { *b } else { *a }
    }

    /// The larger of two as a whole; of equals the first.
    #[inline]
    pub(crate) fn most(&self, cluster: &Resource, a: &Resource, b: &Resource) -> Resource {
        if self.is_less(cluster, a, b) { *b } else { *a }
    }

    #[inline]
    pub(crate) fn fits_in(&self, small: &Resource, big: &Resource) -> bool {
        match self.calculator {
            Calculator::Memory => small.memory_mb() <= big.memory_mb(),
            Calculator::Dominant => {
                // There are always memory and vcores.
                let of = |i: usize| small.get(i) <= big.get(i);
                of(0) && of(1) && (2..self.types).all(of)
            }
        }
    }

    /// A limit, in the types that are compared; the others have none.
    pub(crate) fn counted(&self, limit: &Resource) -> Resource {
        match self.calculator {
            Calculator::Memory => Resource::UNBOUNDED.with(0, limit.memory_mb()),
            Calculator::Dominant => (0..self.types).fold(Resource::UNBOUNDED, |sum, i| sum.with(i, limit.get(i))),
        }
    }

    /// The largest share of the cluster that something is.
    #[inline]
    pub(crate) fn share(&self, cluster: &Resource, amount: &Resource) -> f64 {
        self.calculator.largest_share(self.types, cluster, amount)
    }

    /// What part of the cluster something is, and how often something else is in it: [`divide`](Self::divide) by both.
    /// Of the other one the [share](Self::share) is known.
    #[inline]
    pub(crate) fn divide_by_both(&self, cluster: &Resource, a: &Resource, b: &Resource, share: f64) -> (f32, f32) {
        match self.calculator {
            Calculator::Memory => (self.divide(cluster, a, cluster), self.divide(cluster, a, b)),
            Calculator::Dominant => {
                let of_cluster = self.share(cluster, a);
                // The largest share of the cluster itself is 1.
                (narrow(of_cluster), narrow(of_cluster / share))
            }
        }
    }

    pub(crate) fn divide(&self, cluster: &Resource, a: &Resource, b: &Resource) -> f32 {
        self.calculator.divide(self.types, cluster, a, b)
    }

    #[inline]
    pub(crate) fn ratio(&self, a: &Resource, b: &Resource) -> f32 {
        self.calculator.ratio(self.types, a, b)
    }

    /// How many containers of a size there is room for. An ask for no memory divides by nothing in Hadoop; here there
    /// is room for none.
    pub(crate) fn available_containers(&self, available: &Resource, size: &Resource) -> i64 {
        match self.calculator {
            Calculator::Memory => available.memory_mb().checked_div(size.memory_mb()).unwrap_or(0),
            Calculator::Dominant => {
                let of = |i: usize| (size.get(i) != 0).then(|| available.get(i) / size.get(i));
                (0..self.types).filter_map(of).fold(i64::from(i32::MAX), i64::min)
            }
        }
    }

    /// Whether there is room for one container of a size and more: [`available_containers`](Self::available_containers)
    /// is above nothing. Sizes are not negative.
    #[inline]
    pub(crate) fn has_room_for(&self, available: &Resource, size: &Resource) -> bool {
        let of = |i: usize| available.get(i) >= size.get(i) || size.get(i) == 0;
        match self.calculator {
            Calculator::Memory => size.memory_mb() != 0 && of(0),
            Calculator::Dominant => (0..self.types).all(of),
        }
    }

    /// Between the two bounds, to a multiple of the step.
    pub(crate) fn normalize(&self, size: &Resource, min: &Resource, max: &Resource, step: &Resource) -> Resource {
        let of = |i: usize, step: i64| {
            let raised = size.get(i).max(min.get(i));
            (if step == 0 { raised } else { up(raised, step) }).min(max.get(i)).min(LARGEST_AMOUNT)
        };
        match self.calculator {
            Calculator::Memory => {
                of_memory(of(0, if step.memory_mb() == 0 { min.memory_mb() } else { step.memory_mb() }))
            }
            Calculator::Dominant => self.by_type(|i| of(i, step.get(i))),
        }
    }

    #[inline]
    pub(crate) fn round_up(&self, amount: &Resource, step: &Resource) -> Resource {
        match self.calculator {
            Calculator::Memory => of_memory(up(amount.memory_mb(), step.memory_mb())),
            Calculator::Dominant => self.by_type(|i| match step.get(i) {
                0 => amount.get(i),
                step => up(amount.get(i), step),
            }),
        }
    }

    #[inline]
    pub(crate) fn round_down(&self, amount: &Resource, step: &Resource) -> Resource {
        match self.calculator {
            Calculator::Memory => of_memory(down(amount.memory_mb(), step.memory_mb())),
            Calculator::Dominant => self.by_type(|i| down(amount.get(i), step.get(i))),
        }
    }

    /// `multiplyTo`, of the types that there are.
    pub(crate) fn times(&self, amount: &Resource, by: f64) -> Resource {
        self.by_type(|i| f64_to_i64(amount.get(i) as f64 * by))
    }

    /// `multiplyAndNormalizeUp` by one factor.
    #[inline]
    pub(crate) fn times_up(&self, amount: &Resource, by: f64, step: &Resource) -> Resource {
        match self.calculator {
            Calculator::Memory => of_memory(up(f64_to_i64(amount.memory_mb() as f64 * by + 0.5), step.memory_mb())),
            Calculator::Dominant => {
                let of = |i: usize| ceil_to_long(narrow(amount.get(i) as f64 * by));
                self.round_up(&self.by_type(of), step)
            }
        }
    }

    /// `multiplyAndNormalizeUp` by a factor for each type.
    pub(crate) fn times_each_up(&self, amount: &Resource, by: impl Fn(usize) -> f64, step: &Resource) -> Resource {
        match self.calculator {
            Calculator::Memory => self.times_up(amount, by(0), step),
            Calculator::Dominant => {
                self.round_up(&self.by_type(|i| f64_to_i64((amount.get(i) as f64 * by(i)).ceil())), step)
            }
        }
    }

    /// `multiplyAndNormalizeDown`
    pub(crate) fn times_down(&self, amount: &Resource, by: f64, step: &Resource) -> Resource {
        match self.calculator {
            Calculator::Memory => of_memory(down(f64_to_i64(amount.memory_mb() as f64 * by), step.memory_mb())),
            Calculator::Dominant => self.round_down(&self.by_type(|i| f64_to_i64(amount.get(i) as f64 * by)), step),
        }
    }

    /// `divideAndCeil` by a 32-bit float; by nothing it is nothing.
    #[inline]
    pub(crate) fn divide_and_ceil(&self, amount: &Resource, by: f32) -> Resource {
        let of = |amount: i64| if by == 0.0 { 0 } else { ceil_to_long(amount as f32 / by) };
        match self.calculator {
            Calculator::Memory => of_memory(of(amount.memory_mb())),
            Calculator::Dominant => self.by_type(|i| of(amount.get(i))),
        }
    }

    /// `divideAndCeil` by the integer 100.
    pub(crate) fn hundredth_up(&self, amount: &Resource) -> Resource {
        let of = |amount: i64| (amount.saturating_add(99)) / 100;
        match self.calculator {
            Calculator::Memory => of_memory(of(amount.memory_mb())),
            Calculator::Dominant => self.by_type(|i| of(amount.get(i))),
        }
    }

    #[inline]
    pub(crate) fn any_above_zero(&self, amount: &Resource) -> bool {
        match self.calculator {
            Calculator::Memory => amount.memory_mb() > 0,
            Calculator::Dominant => (0..self.types).any(|i| amount.get(i) > 0),
        }
    }

    pub(crate) fn any_zero_or_negative(&self, amount: &Resource) -> bool {
        match self.calculator {
            Calculator::Memory => amount.memory_mb() <= 0,
            Calculator::Dominant => (0..self.types).any(|i| amount.get(i) <= 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MEMORY: Arith = Arith { calculator: Calculator::Memory, types: 2 };
    const DOMINANT: Arith = Arith { calculator: Calculator::Dominant, types: 2 };

    #[test]
    fn seventy_percent_of_ten_gigabytes_is_a_little_less() {
        // rules/capacity.md 1, the trap with a number.
        let cluster = Resource::new(10240, 10);
        assert_eq!(cluster.times(f64::from(70.0_f32 / 100.0)).memory_mb(), 7167);
        assert_eq!(cluster.times(f64::from(80.0_f32 / 100.0)).memory_mb(), 8192);
    }

    #[test]
    fn rounding_cuts_towards_zero() {
        let step = Resource::new(1024, 1);
        assert_eq!(MEMORY.round_down(&Resource::new(-1000, 5), &step), Resource::new(0, 0));
        assert_eq!(MEMORY.round_up(&Resource::new(-1000, 5), &step), Resource::new(0, 0));
        assert_eq!(MEMORY.round_up(&Resource::new(1025, 5), &step), Resource::new(2048, 1));
        assert_eq!(DOMINANT.round_up(&Resource::new(1025, 5), &Resource::new(1024, 0)), Resource::new(2048, 5));
    }

    #[test]
    fn products_are_rounded_as_each_calculator_does() {
        let (amount, step) = (Resource::new(8192, 3), Resource::new(1024, 1));
        let fifth = f64::from(0.2_f32);
        // trunc(1638.4 + 0.5) and ceil, then up.
        assert_eq!(MEMORY.times_up(&amount, fifth, &step), Resource::new(2048, 1));
        assert_eq!(DOMINANT.times_up(&amount, fifth, &step), Resource::new(2048, 1));
        assert_eq!(DOMINANT.times_up(&Resource::new(1, 10), fifth, &Resource::new(1, 1)), Resource::new(1, 2));
        assert_eq!(DOMINANT.times_each_up(&Resource::new(1, 10), |_| fifth, &step), Resource::new(1024, 3));
        assert_eq!(MEMORY.times_down(&amount, fifth, &step), Resource::new(1024, 1));
    }

    #[test]
    fn an_ask_without_a_type_has_room_in_it() {
        assert_eq!(DOMINANT.available_containers(&Resource::new(4096, 0), &Resource::new(1024, 0)), 4);
        assert_eq!(MEMORY.available_containers(&Resource::new(4096, 0), &Resource::new(1024, 9)), 4);
        assert_eq!(DOMINANT.available_containers(&Resource::new(-1024, 4), &Resource::new(1024, 1)), -1);
    }

    #[test]
    fn what_is_not_whole_is_cast_to_the_next_whole_number() {
        let large = 9_223_372_036_854_775_808.0_f32;
        let values = [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1.25, -1.25, 8_388_607.5, 16_777_216.0, large, -large];
        let beyond = [large * 2.0, -large * 2.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MIN_POSITIVE];
        for value in values.into_iter().chain(beyond) {
            assert_eq!(ceil_to_long(value), float_to_long(value.ceil()), "{value}");
        }
    }

    proptest! {
        #[test]
        fn two_quotients_are_those_of_two_divisions(
            a in prop::array::uniform3(-2_i64..90), b in prop::array::uniform3(0_i64..90), cluster in prop::array::uniform3(0_i64..90),
        ) {
            for calculator in [Calculator::Memory, Calculator::Dominant] {
                let arith = Arith { calculator, types: 3 };
                let [a, b, cluster] = [a, b, cluster].map(|of| Resource::of_types(3, |i| of[i]));
                prop_assume!(!cluster.is_zero());
                let both = arith.divide_by_both(&cluster, &a, &b, arith.share(&cluster, &b));
                let apart = (arith.divide(&cluster, &a, &cluster), arith.divide(&cluster, &a, &b));
                prop_assert_eq!((both.0.to_bits(), both.1.to_bits()), (apart.0.to_bits(), apart.1.to_bits()));
            }
        }

        #[test]
        fn what_needs_no_division_compares_as_with_one(
            a in prop::array::uniform2(-2_i64..6), b in prop::array::uniform2(-2_i64..6), cluster in prop::array::uniform2(0_i64..9),
            large in any::<bool>(),
        ) {
            let scale = if large { (1 << 51) / 3 } else { 1 };
            let [a, b] = [a, b].map(|[x, y]| Resource::new(x * scale, y));
            let cluster = Resource::new(cluster[0], cluster[1]);
            let compared = DOMINANT.calculator.compare(2, &cluster, &a, &b, false);
            prop_assert_eq!(DOMINANT.compare(&cluster, &a, &b), compared);
        }

        #[test]
        fn what_is_positive_is_greater_than_nothing(
            amount in prop::array::uniform3(-1_i64..3), cluster in prop::array::uniform3(0_i64..3), types in 2_usize..4,
        ) {
            let [amount, cluster] = [amount, cluster].map(|of| Resource::of_types(types, |i| of[i]));
            for calculator in [Calculator::Memory, Calculator::Dominant] {
                let arith = Arith { calculator, types };
                prop_assert_eq!(arith.is_wanted(&cluster, &(&amount).into()), arith.is_greater(&cluster, &amount, &Resource::ZERO));
            }
        }

        #[test]
        fn the_least_and_the_most_are_both_of_them(a in 0_i64..99, b in 0_i64..99, c in 0_i64..99, d in 0_i64..99) {
            let (x, y, cluster) = (Resource::new(a, b), Resource::new(c, d), Resource::new(100, 50));
            for arith in [MEMORY, DOMINANT] {
                let (least, most) = (arith.least(&cluster, &x, &y), arith.most(&cluster, &x, &y));
                prop_assert!(!arith.is_greater(&cluster, &least, &most));
                prop_assert!(least == x || least == y);
            }
        }

        #[test]
        fn what_is_rounded_up_is_a_multiple_and_less_than_a_step_away(amount in 0_i64..1 << 40, step in 1_i64..5000) {
            let rounded = MEMORY.round_up(&Resource::new(amount, 1), &Resource::new(step, 1)).memory_mb();
            prop_assert!(rounded % step == 0 && rounded >= amount && rounded - amount < step);
        }
    }
}

//! By what amounts of a plan are compared: the scheduler's resource calculator, and the plan's capacity. A plain value
//! of each plan.

use crate::resource::{Calculator, Resource};
use std::cmp::Ordering;

/// A yardstick for amounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Measure {
    /// Which types count.
    pub calculator: Calculator,
    /// How many types there are.
    pub types: usize,
    /// Of what the largest share counts: the plan's capacity, or the cluster.
    pub all: Resource,
}

impl Measure {
    /// Memory alone counts, as in a FairScheduler.
    pub const MEMORY: Measure = Measure { calculator: Calculator::Memory, types: 1, all: Resource::ZERO };

    /// Another calculator.
    #[must_use]
    pub const fn new(calculator: Calculator, types: usize) -> Measure {
        Measure { calculator, types, all: Resource::ZERO }
    }

    /// The same, with shares of this.
    #[must_use]
    pub fn of(self, all: Resource) -> Measure {
        Measure { all, ..self }
    }

    /// Whether the first is more.
    pub(super) fn is_more(&self, a: &Resource, b: &Resource) -> bool {
        self.calculator.compare(self.types, &self.all, a, b, false) == Ordering::Greater
    }

    /// How often the second is in the first: nothing in nothing is 0 by memory, and no number by the largest share.
    pub(super) fn divide(&self, a: &Resource, b: &Resource) -> f32 {
        self.calculator.divide(self.types, &self.all, a, b)
    }

    /// The largest quotient of one type that counts.
    pub(super) fn ratio(&self, a: &Resource, b: &Resource) -> f32 {
        self.calculator.ratio(self.types, a, b)
    }

    /// How many gangs fit into what is there.
    #[expect(clippy::cast_possible_truncation, reason = "saturation is what is wanted, and 0 for what is no number")]
    pub(super) fn gangs_in(&self, there: &Resource, gang: &Resource) -> i32 {
        f64::from(self.divide(there, gang)).floor() as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_memory_gangs_saturate_as_java_s_cast_does() {
        let gangs = |there: i64, gang: i64| Measure::MEMORY.gangs_in(&Resource::new(there, 1), &Resource::new(gang, 9));
        assert_eq!((gangs(10, 3), gangs(-1, 3), gangs(0, 0), gangs(1, 0)), (3, -1, 0, i32::MAX));
    }

    #[test]
    fn by_the_largest_share_vcores_count_too() {
        let measure = Measure::new(Calculator::Dominant, 2).of(Resource::new(100, 10));
        assert!(measure.is_more(&Resource::new(10, 5), &Resource::new(40, 1)));
        assert_eq!(measure.gangs_in(&Resource::new(100, 6), &Resource::new(10, 2)), 5);
    }
}

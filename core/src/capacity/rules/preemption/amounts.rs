//! The decision whether a container is preempted, by what its leaf still has to give and by the round's budget
//! (rules/capacity.md 25.3, *Taking c*).

use crate::capacity::rules::arith::Arith;
use crate::resource::Resource;

/// The amount that is still to be obtained from one leaf; `None` once enough has been taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taking {
    pub(crate) to_obtain: Option<Resource>,
}

impl Taking {
    /// Takes a container of `size` if some type is still to be obtained, the container fits the budget, and it helps.
    /// It helps if it lowers the amount. With `conservative` (Hadoop's conservative-drf) its size does not matter: it
    /// helps if every type is still to be obtained. Returns whether it was taken.
    pub(crate) fn take(
        &mut self,
        size: &Resource,
        budget: &mut Resource,
        conservative: bool,
        arith: Arith,
        cluster: &Resource,
    ) -> bool {
        let Some(amount) = &mut self.to_obtain else { return false };
        // As in Hadoop, a type with exactly 0 to obtain becomes -1 for good, also if nothing is taken.
        *amount = Resource::of_types(arith.types, |i| if amount.get(i) == 0 { -1 } else { amount.get(i) });
        if !arith.any_above_zero(amount) || !arith.fits_in(size, budget) {
            return false;
        }
        let none = Resource::ZERO;
        let after = amount.minus(size);
        let helps = if conservative {
            !arith.any_zero_or_negative(amount)
        } else {
            arith.is_less(cluster, &after.most(&none), &amount.most(&none))
        };
        if !helps {
            return false;
        }
        *budget = budget.minus(size);
        self.to_obtain = arith.is_greater(cluster, &after, &none).then_some(after);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resource::Calculator;

    #[test]
    fn the_last_container_may_take_too_much_but_not_more_than_the_budget() {
        let arith = Arith { calculator: Calculator::Memory, types: 2 };
        let (cluster, size) = (Resource::new(10240, 10), Resource::new(2048, 1));
        let mut budget = Resource::new(5000, 10);
        let mut taking = Taking { to_obtain: Some(Resource::new(3000, 0)) };
        assert!(taking.take(&size, &mut budget, false, arith, &cluster));
        assert!(taking.take(&size, &mut budget, false, arith, &cluster));
        assert!(taking.to_obtain.is_none());
        let mut more = Taking { to_obtain: Some(Resource::new(3000, 0)) };
        assert!(!more.take(&size, &mut budget, false, arith, &cluster), "904 MB of the budget are left");
    }
}

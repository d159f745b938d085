//! The policy that also bounds what one user has, at each moment and on average.

use super::integral::left_on_average;
use super::no_over_commit::NoOverCommit;
use crate::reservation::booked::Reservation;
use crate::reservation::id::ReservationId;
use crate::reservation::plan::{PlanBooks, PlanView, SharingPolicy};
use crate::reservation::profile::{Operation, Steps, merge};
use crate::reservation::refused::ReservationRefused;

/// A user may have one share of the plan at each moment, and another one on average over a window. Hadoop's
/// `CapacityOverTimePolicy`. The defaults are those of Hadoop's FairScheduler.
#[derive(Clone, Copy, Debug)]
pub struct CapacityOverTime {
    /// The window, in ms. Default: a day.
    pub window_ms: i64,
    /// The share at each moment, 1.0 for all. Default: 1.0.
    pub at_once: f32,
    /// The share on average, 1.0 for all. Default: 1.0.
    pub on_average: f32,
}

impl Default for CapacityOverTime {
    fn default() -> Self {
        CapacityOverTime { window_ms: 24 * 60 * 60 * 1000, at_once: 1.0, on_average: 1.0 }
    }
}

impl CapacityOverTime {
    fn check_average(&self, plan: &PlanBooks, new: &Reservation) -> Result<(), ReservationRefused> {
        let (start, end) = (new.start().wrapping_sub(self.window_ms), new.end().wrapping_add(self.window_ms));
        let mut used = plan.consumption(new.user(), start, end)?;
        if let Some(old) = plan.reservation(new.id()) {
            // Removing it was intended. As in Hadoop an update is judged as if both were there.
            used = merge(&used, &old.over(start, end)?, Operation::Add, start, end)?;
        }
        let all = merge(&used, &new.over(start, end)?, Operation::Add, i64::MIN, i64::MAX)?;
        let most = plan.capacity().times(f64::from(self.on_average));
        match left_on_average(&all, self.window_ms, most, (start, end)) {
            Err(ReservationRefused::Negative(_)) => Err(ReservationRefused::AverageQuota {
                // There is always a digit after the point.
                average: format!("{:?}", self.on_average),
                window_ms: self.window_ms,
                id: new.id(),
            }),
            outcome => outcome,
        }
    }
}

impl SharingPolicy for CapacityOverTime {
    fn validate(&self, plan: &PlanView<'_>, new: &Reservation) -> Result<(), ReservationRefused> {
        match NoOverCommit.validate(plan, new) {
            Err(refused @ (ReservationRefused::OverCommit { .. } | ReservationRefused::Negative(_))) => {
                return Err(ReservationRefused::Quota(Box::new(refused)));
            }
            outcome => outcome?,
        }
        self.check_average(plan.books, new)
    }

    fn lower(
        &self,
        plan: &PlanBooks,
        available: Steps,
        user: &str,
        id: ReservationId,
        (start, end): (i64, i64),
    ) -> Result<Steps, ReservationRefused> {
        let mut used = plan.consumption(user, start, end)?;
        if let Some(own) = plan.reservation(id) {
            used = merge(&used, &own.over(start, end)?, Operation::Subtract, start, end)?;
        }
        let most = Steps::constant(start, plan.capacity().times(f64::from(self.at_once)));
        let quota = merge(&most, &used, Operation::Subtract, start, end)?;
        merge(&available, &quota, Operation::Min(plan.measure()), start, end)
    }

    fn window_ms(&self) -> i64 {
        self.window_ms
    }
}

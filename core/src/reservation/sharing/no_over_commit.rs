//! The policy that only keeps a plan from promising more than it has.

use crate::reservation::booked::Reservation;
use crate::reservation::plan::{PlanView, SharingPolicy};
use crate::reservation::profile::{Operation, merge};
use crate::reservation::refused::ReservationRefused;

/// Everybody may have all that is left. Hadoop's `NoOverCommitPolicy`.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoOverCommit;

impl SharingPolicy for NoOverCommit {
    fn validate(&self, plan: &PlanView<'_>, new: &Reservation) -> Result<(), ReservationRefused> {
        let (start, end) = (new.start(), new.end());
        let available = plan.available(new.user(), new.id(), (start, end), new.period())?;
        let wanted = new.over(start, end)?;
        match merge(&available, &wanted, Operation::Test, start, end) {
            Err(refused) if refused.is_planning() => Err(ReservationRefused::OverCommit { start, id: new.id() }),
            outcome => outcome.map(|_| ()),
        }
    }
}

//! What is left of a plan, by the rules of its sharing policy.

use super::books::PlanBooks;
use crate::reservation::booked::Reservation;
use crate::reservation::id::ReservationId;
use crate::reservation::profile::{Operation, Steps, merge, merge_as_is};
use crate::reservation::refused::ReservationRefused;
use std::fmt;

/// Who may have how much of a plan. Hadoop's two policies are in [`sharing`](crate::reservation::sharing). An embedder
/// may implement its own.
pub trait SharingPolicy: fmt::Debug + Send + Sync {
    /// Checks that a reservation may be booked. If the plan has one of its name, the new one replaces it.
    ///
    /// # Errors
    /// The reason of the refusal.
    fn validate(&self, plan: &PlanView<'_>, new: &Reservation) -> Result<(), ReservationRefused>;

    /// What a user may have of what is left from `start` to `end`, for a reservation that the plan may already have.
    /// Default: all of it.
    ///
    /// # Errors
    /// If it cannot be computed.
    fn lower(
        &self,
        plan: &PlanBooks,
        available: Steps,
        user: &str,
        id: ReservationId,
        (start, end): (i64, i64),
    ) -> Result<Steps, ReservationRefused> {
        let _ = (plan, user, id, start, end);
        Ok(available)
    }

    /// How long a reservation that has ended still counts, in ms.
    fn window_ms(&self) -> i64 {
        0
    }
}

/// A plan to read: its books, and what is left.
#[derive(Clone, Copy, Debug)]
pub struct PlanView<'a> {
    /// The plan's books.
    pub books: &'a PlanBooks,
    /// The plan's policy.
    pub sharing: &'a dyn SharingPolicy,
}

impl PlanView<'_> {
    /// What a user may have from `start` to `end`, for a reservation that the plan may already have. With a period:
    /// what the user may have in each period.
    ///
    /// # Errors
    /// `Negative` where the plan has promised more than it has, and as [`merge`].
    pub fn available(
        &self,
        user: &str,
        id: ReservationId,
        (start, end): (i64, i64),
        period: i64,
    ) -> Result<Steps, ReservationRefused> {
        if period <= 0 {
            return self.available_once(user, id, (start, end));
        }
        let largest = self.books.terms().largest_period_ms;
        if largest % period != 0 {
            return Err(ReservationRefused::PeriodNotDivisor { largest, period });
        }
        if end.wrapping_sub(start) > period {
            return Err(ReservationRefused::LongerThanPeriod { duration: end.wrapping_sub(start), period });
        }
        let mut least = self.available_once(user, id, (start, end))?;
        for turn in 1..largest / period {
            let by = turn.wrapping_mul(period);
            let there = self.available_once(user, id, (start.wrapping_add(by), end.wrapping_add(by)))?;
            least = merge(&least, &there.shifted(by.wrapping_neg()), Operation::Min(self.books.measure()), start, end)?;
        }
        Ok(least)
    }

    fn available_once(
        &self,
        user: &str,
        id: ReservationId,
        (start, end): (i64, i64),
    ) -> Result<Steps, ReservationRefused> {
        let all = Steps::constant(start, self.books.capacity());
        let promised = self.books.committed().range(start, end)?;
        let left = merge(&all, &promised, Operation::Test, start, end)?;
        let promised = self.books.periodic().unrolled(start, end)?;
        let mut left = merge_as_is(left.within(start, end)?, promised.points(), Operation::Test, start, end)?;
        if let Some(own) = self.books.reservation(id) {
            left = merge(&left, &own.over(start, end)?, Operation::Add, start, end)?;
        }
        self.sharing.lower(self.books, left, user, id, (start, end))
    }
}

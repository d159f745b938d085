//! The ways into a plan and out of it.

use super::books::PlanBooks;
use super::view::{PlanView, SharingPolicy};
use crate::reservation::booked::Reservation;
use crate::reservation::id::ReservationId;
use crate::reservation::refused::ReservationRefused;
use crate::sync::Arc;

/// A plan: its books, and the policy that says what may come in.
#[derive(Clone, Debug)]
pub struct Plan {
    books: PlanBooks,
    sharing: Arc<dyn SharingPolicy>,
}

impl Plan {
    /// An empty plan with a policy.
    #[must_use]
    pub fn new(books: PlanBooks, sharing: Arc<dyn SharingPolicy>) -> Plan {
        Plan { books, sharing }
    }

    /// The figures.
    #[must_use]
    pub fn books(&self) -> &PlanBooks {
        &self.books
    }

    /// The figures, for whoever keeps the plan.
    pub(in crate::reservation) fn books_mut(&mut self) -> &mut PlanBooks {
        &mut self.books
    }

    /// The figures and what is left by the policy's rules.
    #[must_use]
    pub fn view(&self) -> PlanView<'_> {
        PlanView { books: &self.books, sharing: &*self.sharing }
    }

    /// Takes a new reservation in.
    ///
    /// # Errors
    /// What the policy says; then nothing has changed.
    pub fn add(&mut self, reservation: Reservation, now: i64) -> Result<(), ReservationRefused> {
        self.sharing.validate(&self.view(), &reservation)?;
        self.books.insert(reservation.accepted_at(now));
        Ok(())
    }

    /// Replaces a reservation. `false`: the new one was refused when the old one had been taken out. The old one is
    /// back then, accepted anew.
    ///
    /// # Errors
    /// What the policy says of the new one; then nothing has changed. As in Hadoop, what it says of the old one when
    /// that is to go back; then that is lost.
    pub fn update(&mut self, reservation: Reservation, now: i64) -> Result<bool, ReservationRefused> {
        let id = reservation.id();
        if self.books.reservation(id).is_none() {
            return Err(ReservationRefused::NotInPlan { id });
        }
        self.sharing.validate(&self.view(), &reservation)?;
        let old = self.books.remove(id).ok_or(ReservationRefused::NotInPlan { id })?;
        match self.add(reservation, now) {
            Ok(()) => Ok(true),
            Err(refused) if !refused.is_planning() => Err(refused),
            Err(_) => self.add(old, now).map(|()| false),
        }
    }

    /// Takes a reservation out.
    ///
    /// # Errors
    /// `NotInPlan`.
    pub fn delete(&mut self, id: ReservationId) -> Result<Reservation, ReservationRefused> {
        self.books.remove(id).ok_or(ReservationRefused::NotInPlan { id })
    }

    /// Takes those out that have ended and count no more: after the policy's window. As in Hadoop, recurring ones after
    /// their first occurrence.
    pub fn archive(&mut self, now: i64) -> Vec<ReservationId> {
        let ended = self.books.ended(now.wrapping_sub(self.sharing.window_ms()));
        ended.iter().for_each(|id| {
            self.books.remove(*id);
        });
        ended
    }
}

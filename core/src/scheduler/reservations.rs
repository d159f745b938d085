//! The reservation system of a stepped FairScheduler.
//!
//! Each call runs to its end before it returns, as all of [`Stepped`]. The time is the clock's
//! [`wall_ms`](crate::clock::Clock::wall_ms).

use super::stepped::Stepped;
use crate::event::Refused;
use crate::reservation::{
    Caller, Followed, PlanBooks, Reservation, ReservationDefinition, ReservationId, ReservationOptions,
    ReservationQuery, ReservationRefused, ReservationState, ReservationSubmission, StateError, UnknownClass,
};
use std::collections::BTreeMap;

/// A call of the reservation system that was not carried out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReserveError {
    /// By the reservation system.
    #[error(transparent)]
    Reservation(#[from] ReservationRefused),
    /// Before it was asked: the caller's groups are not known.
    #[error(transparent)]
    Caller(#[from] Refused),
}

impl Stepped {
    /// Begins the reservation system: the queues that the allocation file marks become plans. `false`, and nothing else, where
    /// `yarn.resourcemanager.reservation-system.enable` is not set. Every other call is refused (`NotEnabled`) without it.
    ///
    /// # Errors
    /// When the file names an agent, a policy or a planner that there is not.
    pub fn begin_reservations(&mut self, options: ReservationOptions) -> Result<bool, UnknownClass> {
        self.stepper().control().begin_reservations(options)
    }

    /// What survived a restart goes into the plans, as [`ReservationSystem::restore`](crate::reservation::ReservationSystem::restore); then each
    /// plan's queues are made, without replanning.
    ///
    /// # Errors
    /// As there; `None` where there is no reservation system.
    pub fn restore_reservations(&mut self, state: &ReservationState) -> Option<Result<Vec<String>, StateError>> {
        let outcome = self.stepper().control().with_plans(|system, _| Ok(system.restore(state))).ok()?;
        let now = self.wall();
        let _ = self.stepper().control().with_plans(|system, queues| Ok(system.follow(queues, now, false)));
        self.settle();
        Some(outcome)
    }

    /// What has to survive a restart; `None` where there is no reservation system.
    pub fn reservation_state(&mut self) -> Option<ReservationState> {
        self.stepper().control().with_plans(|system, _| Ok(system.state())).ok()
    }

    /// A name for a new reservation.
    ///
    /// # Errors
    /// [`ReservationRefused::NotEnabled`].
    pub fn new_reservation(&mut self) -> Result<ReservationId, ReservationRefused> {
        self.stepper().control().with_plans(|system, _| Ok(system.new_reservation()))
    }

    /// Books a reservation, as [`ReservationSystem::submit`](crate::reservation::ReservationSystem::submit).
    ///
    /// # Errors
    /// As there; [`Refused::NoGroups`] where rights count.
    pub fn submit_reservation(&mut self, user: &str, request: &ReservationSubmission<'_>) -> Result<(), ReserveError> {
        let (now, groups) = (self.wall(), self.groups(user)?);
        let caller = Caller { user, groups: &groups };
        let outcome =
            self.stepper().control().with_plans(|system, queues| system.submit(queues, now, &caller, request));
        self.settle();
        Ok(outcome?)
    }

    /// Books a new version of one, as [`ReservationSystem::update`](crate::reservation::ReservationSystem::update).
    ///
    /// # Errors
    /// As there; [`Refused::NoGroups`] where rights count.
    pub fn update_reservation(
        &mut self,
        user: &str,
        id: Option<ReservationId>,
        definition: Option<&ReservationDefinition>,
    ) -> Result<(), ReserveError> {
        let (now, groups) = (self.wall(), self.groups(user)?);
        let caller = Caller { user, groups: &groups };
        let control = self.stepper().control();
        Ok(control.with_plans(|system, queues| system.update(queues, now, &caller, id, definition))?)
    }

    /// Takes one out of its plan, as [`ReservationSystem::delete`](crate::reservation::ReservationSystem::delete).
    ///
    /// # Errors
    /// As there; [`Refused::NoGroups`] where rights count.
    pub fn delete_reservation(&mut self, user: &str, id: Option<ReservationId>) -> Result<(), ReserveError> {
        let groups = self.groups(user)?;
        let caller = Caller { user, groups: &groups };
        Ok(self.stepper().control().with_plans(|system, queues| system.delete(queues, &caller, id))?)
    }

    /// The reservations of a plan, as [`ReservationSystem::list`](crate::reservation::ReservationSystem::list).
    ///
    /// # Errors
    /// As there; [`Refused::NoGroups`] where rights count.
    pub fn list_reservations(
        &mut self,
        user: &str,
        query: &ReservationQuery<'_>,
    ) -> Result<Vec<Reservation>, ReserveError> {
        let groups = self.groups(user)?;
        let caller = Caller { user, groups: &groups };
        let control = self.stepper().control();
        let listed = control
            .with_plans(|system, queues| Ok(system.list(queues, &caller, query)?.into_iter().cloned().collect()));
        Ok(listed?)
    }

    /// A run of the plan follower, due each [`plan_step_ms`](crate::Settings::plan_step_ms): makes, weighs, empties and removes the queues below
    /// plans. Nothing calls it by itself.
    pub fn follow_plans(&mut self) -> BTreeMap<String, Followed> {
        let now = self.wall();
        let followed = self.stepper().control().with_plans(|system, queues| Ok(system.follow(queues, now, true)));
        self.settle();
        followed.unwrap_or_default()
    }

    /// After an administrator's refresh of the allocation file: reservable queues that are new become plans.
    ///
    /// # Errors
    /// As [`Stepped::begin_reservations`]; no plan is made then.
    pub fn refresh_plans(&mut self) -> Result<(), UnknownClass> {
        self.stepper().control().refresh_plans()
    }

    /// The plans by name, with all that is promised: a copy, as of now. None where there is no reservation system.
    pub fn plans(&mut self) -> BTreeMap<String, PlanBooks> {
        let control = self.stepper().control();
        let copied = control.with_plans(|system, queues| {
            Ok(system.plans(queues).map(|(name, books)| (name.to_owned(), books.clone())).collect())
        });
        copied.unwrap_or_default()
    }

    fn wall(&mut self) -> i64 {
        i64::try_from(self.shared().clock.wall_ms()).unwrap_or(i64::MAX)
    }

    fn groups(&mut self, user: &str) -> Result<Vec<String>, Refused> {
        self.stepper().control().groups_for_plans(user)
    }
}

//! Calls of the reservation system, the same on every scheduler.
//!
//! # Where it stands
//! Bodies of public methods: with threads they send to the control and wait on the caller's thread; without they run on
//! it. The time is the clock's [`wall_ms`](crate::clock::Clock::wall_ms).

use super::door::Door;
use super::policy::Policy;
use super::stepped::Stepped;
use super::steps::Stepping;
use super::threaded::Scheduler;
use crate::engine::control::{Asking, Control};
use crate::engine::decider::Decider;
use crate::event::Refused;
#[cfg(doc)]
use crate::event::refused::*;
use crate::reservation::{
    Followed, PlanBooks, Reservation, ReservationDefinition, ReservationId, ReservationQuery, ReservationState,
    ReservationSubmission, ReserveError,
};
use crate::resource::Resource;
use std::collections::BTreeMap;
use std::time::Duration;

/// A submission as it travels to the control.
fn owned(
    request: &ReservationSubmission<'_>,
) -> (Option<ReservationId>, Option<String>, Option<ReservationDefinition>) {
    (request.id, request.queue.map(str::to_owned), request.definition.cloned())
}

/// What asks the control: the calls of both drivers, once.
pub(super) trait Planning<D: Decider>: Sized {
    fn planning<A: Send + 'static>(
        self,
        plan: impl FnOnce(&mut Control<D>) -> Result<A, ReserveError> + Send + 'static,
    ) -> Result<A, ReserveError>;

    fn reserve_new(self) -> Result<ReservationId, ReserveError> {
        self.planning(|control| control.with_plans(|system, _| system.new_reservation()))
    }

    fn reserve_submit(self, user: &str, request: &ReservationSubmission<'_>) -> Result<(), ReserveError> {
        let (user, (id, queue, definition)) = (user.to_owned(), owned(request));
        self.planning(move |control| {
            let (queue, definition) = (queue.as_deref(), definition.as_ref());
            control.reserve_submit(&user, &ReservationSubmission { id, queue, definition })
        })
    }

    fn reserve_update(
        self,
        user: &str,
        id: Option<ReservationId>,
        definition: Option<&ReservationDefinition>,
    ) -> Result<(), ReserveError> {
        let (user, definition) = (user.to_owned(), definition.cloned());
        self.planning(move |control| {
            control.reserve(&user, |system, queues, Asking { caller, now }| {
                system.update(queues, now, &caller, id, definition.as_ref())
            })
        })
    }

    fn reserve_delete(self, user: &str, id: Option<ReservationId>) -> Result<(), ReserveError> {
        let user = user.to_owned();
        self.planning(move |control| {
            control.reserve(&user, |system, queues, Asking { caller, .. }| system.delete(queues, &caller, id))
        })
    }

    fn reserve_list(self, user: &str, query: &ReservationQuery<'_>) -> Result<Vec<Reservation>, ReserveError> {
        let &ReservationQuery { queue, id, from, to } = query;
        let (user, queue, id) = (user.to_owned(), queue.map(str::to_owned), id.to_owned());
        self.planning(move |control| {
            let query = ReservationQuery { queue: queue.as_deref(), id: &id, from, to };
            control.reserve(&user, |system, queues, Asking { caller, .. }| {
                Ok(system.list(queues, &caller, &query)?.into_iter().cloned().collect())
            })
        })
    }

    fn follow_plans(self) -> Result<BTreeMap<String, Followed>, ReserveError> {
        self.planning(|control| Ok(control.follow_plans(true)?))
    }

    fn plan_step(self) -> Result<Duration, ReserveError> {
        self.planning(|control| control.with_plans(|system, _| Duration::from_millis(system.step_ms())))
    }

    fn plans(self) -> Result<BTreeMap<String, PlanBooks>, ReserveError> {
        self.planning(|control| {
            control.with_plans(|system, queues| {
                system.plans(queues).map(|(name, books)| (name.to_owned(), books.clone())).collect()
            })
        })
    }

    fn plan_capacities(self) -> Result<BTreeMap<String, Resource>, ReserveError> {
        self.planning(|control| {
            control.with_plans(|system, queues| {
                system.plans(queues).map(|(name, books)| (name.to_owned(), books.capacity())).collect()
            })
        })
    }

    fn reservation_state(self) -> Result<ReservationState, ReserveError> {
        self.planning(|control| control.with_plans(|system, _| system.state()))
    }

    fn restore_reservations(self, state: &ReservationState) -> Result<Vec<String>, ReserveError> {
        let state = state.clone();
        self.planning(move |control| {
            let left_out = control.with_plans(|system, _| system.restore(&state))??;
            control.follow_plans(false)?;
            Ok(left_out)
        })
    }
}

impl<D: Decider> Planning<D> for &Door<D> {
    fn planning<A: Send + 'static>(
        self,
        plan: impl FnOnce(&mut Control<D>) -> Result<A, ReserveError> + Send + 'static,
    ) -> Result<A, ReserveError> {
        self.decide(plan)?
    }
}

impl<D: Decider> Planning<D> for &mut Stepping<D> {
    fn planning<A: Send + 'static>(
        self,
        plan: impl FnOnce(&mut Control<D>) -> Result<A, ReserveError> + Send + 'static,
    ) -> Result<A, ReserveError> {
        let outcome = plan(self.stepper.control());
        self.settle();
        outcome
    }
}

/// # Reservations
impl<P: Policy> Scheduler<P> {
    /// Returns the name of a new reservation. Follows `ClientRMService.getNewReservation`.
    ///
    /// # Errors
    /// [`ReservationRefused::NotEnabled`](crate::reservation::ReservationRefused::NotEnabled) if the site files ask for
    /// no reservation system, as of every call here. With threads, too: [`Invalid::OwnThread`], [`Gone::Task`],
    /// [`Gone::ShutDown`].
    pub fn reserve_new(&self) -> Result<ReservationId, ReserveError> {
        self.door().reserve_new()
    }

    /// Books a reservation on behalf of a user, as
    /// [`ReservationSystem::submit`](crate::reservation::ReservationSystem::submit). A reservation that begins
    /// within a step has its queue when this returns.
    ///
    /// # Errors
    /// Those of that call; [`Invalid::LongName`] of the user; [`TryAgain::NoGroups`] if rights are checked;
    /// [`TryAgain::Panicked`] of an agent or a policy of the embedder's. Those of [`reserve_new`](Self::reserve_new).
    pub fn reserve_submit(&self, user: &str, request: &ReservationSubmission<'_>) -> Result<(), ReserveError> {
        self.door().reserve_submit(user, request)
    }

    /// Books a new version of a reservation, as
    /// [`ReservationSystem::update`](crate::reservation::ReservationSystem::update).
    ///
    /// # Errors
    /// Those of that call and of [`reserve_submit`](Self::reserve_submit).
    pub fn reserve_update<'a>(
        &self,
        user: &str,
        id: impl Into<Option<ReservationId>>,
        definition: impl Into<Option<&'a ReservationDefinition>>,
    ) -> Result<(), ReserveError> {
        self.door().reserve_update(user, id.into(), definition.into())
    }

    /// Deletes a reservation from its plan, as
    /// [`ReservationSystem::delete`](crate::reservation::ReservationSystem::delete). The follower's next run
    /// removes its queue.
    ///
    /// # Errors
    /// Those of that call and of [`reserve_submit`](Self::reserve_submit).
    pub fn reserve_delete(&self, user: &str, id: impl Into<Option<ReservationId>>) -> Result<(), ReserveError> {
        self.door().reserve_delete(user, id.into())
    }

    /// Returns copies of the reservations of a plan, as
    /// [`ReservationSystem::list`](crate::reservation::ReservationSystem::list).
    ///
    /// # Errors
    /// Those of that call and of [`reserve_submit`](Self::reserve_submit).
    pub fn reserve_list(&self, user: &str, query: &ReservationQuery<'_>) -> Result<Vec<Reservation>, ReserveError> {
        self.door().reserve_list(user, query)
    }

    /// Runs the plan follower once over all plans: it makes, sizes, empties and removes the queues below them.
    /// Returns the results by plan. Does nothing without a ReservationSystem.
    ///
    /// All changes of a run are published together, except a default queue that it makes and moves applications to.
    /// With [timers](crate::FairSchedulerBuilder::timers) a thread does this every
    /// `yarn.resourcemanager.reservation-system.planfollower.time-step`.
    ///
    /// # Errors
    /// [`TryAgain::Panicked`] of a planner of the embedder's, or the clock. Those of
    /// [`reserve_new`](Self::reserve_new).
    pub fn follow_plans(&self) -> Result<BTreeMap<String, Followed>, ReserveError> {
        self.door().follow_plans()
    }

    /// Returns how often [`follow_plans`](Self::follow_plans) is due:
    /// `yarn.resourcemanager.reservation-system.planfollower.time-step`. It is also the step of the plans.
    ///
    /// # Errors
    /// Those of [`reserve_new`](Self::reserve_new).
    pub fn plan_step(&self) -> Result<Duration, ReserveError> {
        self.door().plan_step()
    }

    /// Returns a copy of the plans, by name, with everything that is promised.
    ///
    /// # Errors
    /// Those of [`reserve_new`](Self::reserve_new).
    pub fn plans(&self) -> Result<BTreeMap<String, PlanBooks>, ReserveError> {
        self.door().plans()
    }

    /// Returns the plans, by name, with all that each may promise now. O(plans).
    ///
    /// # Errors
    /// Those of [`reserve_new`](Self::reserve_new).
    pub fn plan_capacities(&self) -> Result<BTreeMap<String, Resource>, ReserveError> {
        self.door().plan_capacities()
    }

    /// Returns what must survive a restart of the reservations.
    ///
    /// # Errors
    /// Those of [`reserve_new`](Self::reserve_new).
    pub fn reservation_state(&self) -> Result<ReservationState, ReserveError> {
        self.door().reservation_state()
    }

    /// Takes the state from before a restart into the plans, as
    /// [`ReservationSystem::restore`](crate::reservation::ReservationSystem::restore). Then it makes each plan's
    /// queues, without replanning. Returns the queues of the state that are no plans.
    ///
    /// # Errors
    /// [`ReserveError::State`]: nothing has changed. As of
    /// [`follow_plans`](Self::follow_plans).
    pub fn restore_reservations(&self, state: &ReservationState) -> Result<Vec<String>, ReserveError> {
        self.door().restore_reservations(state)
    }

    /// Reservable queues that a refresh has brought become plans.
    pub(super) fn refresh_plans(&self) -> Result<(), Refused> {
        only_refused(self.door().planning(|control| Ok(P::refresh_plans(control)?)))
    }
}

impl<P: Policy> Stepped<P> {
    /// Reservable queues that a refresh has brought become plans.
    pub(super) fn refresh_plans(&mut self) -> Result<(), Refused> {
        P::refresh_plans(self.steps.stepper.control())
    }
}

fn only_refused(refreshed: Result<(), ReserveError>) -> Result<(), Refused> {
    match refreshed {
        Err(ReserveError::Scheduler(refused)) => Err(refused),
        Ok(()) | Err(ReserveError::Reservation(_) | ReserveError::State(_)) => Ok(()),
    }
}

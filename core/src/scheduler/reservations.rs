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
use crate::reservation::{
    Followed, PlanBooks, Reservation, ReservationDefinition, ReservationId, ReservationQuery, ReservationState,
    ReservationSubmission, ReserveError,
};
use crate::resource::Resource;
use std::collections::BTreeMap;
use std::time::Duration;

impl<D: Decider> Door<D> {
    fn planning<A: Send + 'static>(
        &self,
        plan: impl FnOnce(&mut Control<D>) -> Result<A, ReserveError> + Send + 'static,
    ) -> Result<A, ReserveError> {
        self.decide(plan)?
    }
}

impl<D: Decider> Stepping<D> {
    fn planning<A>(
        &mut self,
        plan: impl FnOnce(&mut Control<D>) -> Result<A, ReserveError>,
    ) -> Result<A, ReserveError> {
        let outcome = plan(self.stepper.control());
        self.settle();
        outcome
    }
}

/// A submission as it travels to the control.
fn owned(
    request: &ReservationSubmission<'_>,
) -> (Option<ReservationId>, Option<String>, Option<ReservationDefinition>) {
    (request.id, request.queue.map(str::to_owned), request.definition.cloned())
}

/// The calls. `$this` is how the method names its receiver, `$at` where the control is reached from there.
macro_rules! reservation_calls {
    ($this:ident: $receiver:ty, $($at:tt)+) => {
        /// Returns the name of a new reservation. Follows `ClientRMService.getNewReservation`.
        ///
        /// # Errors
        /// [`ReservationRefused::NotEnabled`](crate::reservation::ReservationRefused::NotEnabled) if the site files ask
        /// for no reservation system, as of every call here. With threads, too:
        /// [`Refused::OwnThread`](crate::Refused::OwnThread), [`Refused::TaskLost`](crate::Refused::TaskLost),
        /// [`Refused::ShutDown`](crate::Refused::ShutDown).
        pub fn reserve_new($this: $receiver) -> Result<ReservationId, ReserveError> {
            $($at)+.planning(|control| control.with_plans(|system, _| system.new_reservation()))
        }

        /// Books a reservation on behalf of a user, as
        /// [`ReservationSystem::submit`](crate::reservation::ReservationSystem::submit). A reservation that begins
        /// within a step has its queue when this returns.
        ///
        /// # Errors
        /// Those of that call; [`Refused::NameTooLong`](crate::Refused::NameTooLong) of the user;
        /// [`Refused::NoGroups`](crate::Refused::NoGroups) if rights are checked;
        /// [`Refused::Panicked`](crate::Refused::Panicked) of an agent or a policy of the embedder's. Those of
        /// [`reserve_new`](Self::reserve_new).
        pub fn reserve_submit(
            $this: $receiver,
            user: &str,
            request: &ReservationSubmission<'_>,
        ) -> Result<(), ReserveError> {
            let (user, (id, queue, definition)) = (user.to_owned(), owned(request));
            $($at)+.planning(move |control| {
                let (queue, definition) = (queue.as_deref(), definition.as_ref());
                control.reserve_submit(&user, &ReservationSubmission { id, queue, definition })
            })
        }

        /// Books a new version of a reservation, as
        /// [`ReservationSystem::update`](crate::reservation::ReservationSystem::update).
        ///
        /// # Errors
        /// Those of that call and of [`reserve_submit`](Self::reserve_submit).
        pub fn reserve_update<'a>(
            $this: $receiver,
            user: &str,
            id: impl Into<Option<ReservationId>>,
            definition: impl Into<Option<&'a ReservationDefinition>>,
        ) -> Result<(), ReserveError> {
            let (user, id, definition) = (user.to_owned(), id.into(), definition.into().cloned());
            $($at)+.planning(move |control| {
                control.reserve(&user, |system, queues, Asking { caller, now }| {
                    system.update(queues, now, &caller, id, definition.as_ref())
                })
            })
        }

        /// Deletes a reservation from its plan, as
        /// [`ReservationSystem::delete`](crate::reservation::ReservationSystem::delete). The follower's next run
        /// removes its queue.
        ///
        /// # Errors
        /// Those of that call and of [`reserve_submit`](Self::reserve_submit).
        pub fn reserve_delete($this: $receiver, user: &str, id: impl Into<Option<ReservationId>>) -> Result<(), ReserveError> {
            let (user, id) = (user.to_owned(), id.into());
            $($at)+.planning(move |control| {
                control.reserve(&user, |system, queues, Asking { caller, .. }| system.delete(queues, &caller, id))
            })
        }

        /// Returns copies of the reservations of a plan, as
        /// [`ReservationSystem::list`](crate::reservation::ReservationSystem::list).
        ///
        /// # Errors
        /// Those of that call and of [`reserve_submit`](Self::reserve_submit).
        pub fn reserve_list(
            $this: $receiver,
            user: &str,
            query: &ReservationQuery<'_>,
        ) -> Result<Vec<Reservation>, ReserveError> {
            let &ReservationQuery { queue, id, from, to } = query;
            let (user, queue, id) = (user.to_owned(), queue.map(str::to_owned), id.to_owned());
            $($at)+.planning(move |control| {
                let query = ReservationQuery { queue: queue.as_deref(), id: &id, from, to };
                control.reserve(&user, |system, queues, Asking { caller, .. }| {
                    Ok(system.list(queues, &caller, &query)?.into_iter().cloned().collect())
                })
            })
        }

        /// Runs the plan follower once over all plans: it makes, sizes, empties and removes the queues below them.
        /// Returns the results by plan. Does nothing without a ReservationSystem.
        ///
        /// All changes of a run are published together, except a default queue that it makes and moves applications to.
        /// With [timers](crate::FairSchedulerBuilder::timers) a thread does this every
        /// `yarn.resourcemanager.reservation-system.planfollower.time-step`.
        ///
        /// # Errors
        /// [`Refused::Panicked`](crate::Refused::Panicked) of a planner of the embedder's, or the clock. Those of
        /// [`reserve_new`](Self::reserve_new).
        pub fn follow_plans($this: $receiver) -> Result<BTreeMap<String, Followed>, ReserveError> {
            $($at)+.planning(|control| Ok(control.follow_plans(true)?))
        }

        /// Returns how often [`follow_plans`](Self::follow_plans) is due:
        /// `yarn.resourcemanager.reservation-system.planfollower.time-step`. It is also the step of the plans.
        ///
        /// # Errors
        /// Those of [`reserve_new`](Self::reserve_new).
        pub fn plan_step($this: $receiver) -> Result<Duration, ReserveError> {
            $($at)+.planning(|control| control.with_plans(|system, _| Duration::from_millis(system.step_ms())))
        }

        /// Returns a copy of the plans, by name, with everything that is promised.
        ///
        /// # Errors
        /// Those of [`reserve_new`](Self::reserve_new).
        pub fn plans($this: $receiver) -> Result<BTreeMap<String, PlanBooks>, ReserveError> {
            $($at)+.planning(|control| {
                control.with_plans(|system, queues| {
                    system.plans(queues).map(|(name, books)| (name.to_owned(), books.clone())).collect()
                })
            })
        }

        /// Returns the plans, by name, with all that each may promise now. O(plans).
        ///
        /// # Errors
        /// Those of [`reserve_new`](Self::reserve_new).
        pub fn plan_capacities($this: $receiver) -> Result<BTreeMap<String, Resource>, ReserveError> {
            $($at)+.planning(|control| {
                control.with_plans(|system, queues| {
                    system.plans(queues).map(|(name, books)| (name.to_owned(), books.capacity())).collect()
                })
            })
        }

        /// Returns what must survive a restart of the reservations.
        ///
        /// # Errors
        /// Those of [`reserve_new`](Self::reserve_new).
        pub fn reservation_state($this: $receiver) -> Result<ReservationState, ReserveError> {
            $($at)+.planning(|control| control.with_plans(|system, _| system.state()))
        }

        /// Takes the state from before a restart into the plans, as
        /// [`ReservationSystem::restore`](crate::reservation::ReservationSystem::restore). Then it makes each plan's
        /// queues, without replanning. Returns the queues of the state that are no plans.
        ///
        /// # Errors
        /// [`ReserveError::State`](crate::reservation::ReserveError::State): nothing has changed. As of
        /// [`follow_plans`](Self::follow_plans).
        pub fn restore_reservations($this: $receiver, state: &ReservationState) -> Result<Vec<String>, ReserveError> {
            let state = state.clone();
            $($at)+.planning(move |control| {
                let left_out = control.with_plans(|system, _| system.restore(&state))??;
                control.follow_plans(false)?;
                Ok(left_out)
            })
        }
    };
}

/// # Reservations
impl<P: Policy> Scheduler<P> {
    reservation_calls!(self: &Self, self.door());

    /// Reservable queues that a refresh has brought become plans.
    pub(super) fn refresh_plans(&self) -> Result<(), Refused> {
        only_refused(self.door().planning(|control| Ok(P::refresh_plans(control)?)))
    }
}

/// # Reservations
impl<P: Policy> Stepped<P> {
    reservation_calls!(self: &mut Self, self.steps);

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

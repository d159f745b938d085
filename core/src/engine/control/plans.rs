//! The reservation system beside the control: every call of it runs here, on the control's thread, between two
//! messages.
//!
//! # Where it stands
//! [`ReservationSystem`] decides; the decider's queues are what it changes, by
//! [`ControlPart::plan_queues`]. What a call has changed is published with its batch: workers see a
//! follower's run as one snapshot. (A CapacityScheduler's run that makes a plan's default queue, and moves applications
//! there at once, publishes that queue before.) It runs no code of a worker's, and no worker waits for it.
//!
//! # Whose code runs
//! Agents, policies and planners may be the embedder's. Where one panics, that is told of and the call is refused; the
//! plans stay as they were when it did.

use super::part::{ControlPart, Controlled};
use super::state::Control;
use crate::caught::caught;
use crate::event::refused::{Denied, TryAgain};
use crate::event::{Named, Refused, SchedulerEvent, check_length};
use crate::id::ApplicationId;
use crate::reservation::{
    Caller, Followed, MovedApp, PlanQueues, ReservationId, ReservationRefused, ReservationSubmission,
    ReservationSystem, ReserveError,
};
use std::collections::BTreeMap;

/// Who asks the reservation system, and when.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asking<'a> {
    pub(crate) caller: Caller<'a>,
    /// The wall clock's time, ms.
    pub(crate) now: i64,
}

impl<D: Controlled> Control<D> {
    /// Calls the reservation system on behalf of a user.
    pub(crate) fn reserve<T>(
        &mut self,
        user: &str,
        call: impl FnOnce(&mut ReservationSystem, &mut dyn PlanQueues, Asking<'_>) -> Result<T, ReservationRefused>,
    ) -> Result<T, ReserveError> {
        check_length(Named::User, user)?;
        let groups = self.groups_for_plans(user)?;
        let now = self.wall_ms()?;
        let asking = Asking { caller: Caller { user, groups: &groups }, now };
        Ok(self.with_plans(|system, queues| call(system, queues, asking))??)
    }

    /// Books a reservation. It may make the follower run.
    pub(crate) fn reserve_submit(
        &mut self,
        user: &str,
        request: &ReservationSubmission<'_>,
    ) -> Result<(), ReserveError> {
        let followed =
            self.reserve(user, |system, queues, Asking { caller, now }| system.submit(queues, now, &caller, request))?;
        self.tell_of(&followed);
        Ok(())
    }

    /// A run of the plan follower. Without `replan` reservations get less where there is not enough, as after a
    /// restart. Nothing where there is no reservation system.
    pub(crate) fn follow_plans(&mut self, replan: bool) -> Result<BTreeMap<String, Followed>, Refused> {
        let now = self.wall_ms()?;
        let followed = self.with_plans(|system, queues| match replan {
            true => system.follow(queues, now),
            false => system.follow_after_restart(queues, now),
        });
        match followed {
            Ok(followed) => {
                followed.values().for_each(|followed| self.tell_of(followed));
                Ok(followed)
            }
            Err(ReserveError::Scheduler(refused)) => Err(refused),
            Err(ReserveError::Reservation(_) | ReserveError::State(_)) => Ok(BTreeMap::new()),
        }
    }

    /// Calls the reservation system with the queues as they are.
    pub(crate) fn with_plans<T>(
        &mut self,
        call: impl FnOnce(&mut ReservationSystem, &mut dyn PlanQueues) -> T,
    ) -> Result<T, ReserveError> {
        let Some(mut system) = self.plans.take() else { return Err(ReservationRefused::NotEnabled.into()) };
        let outcome = caught(|| D::Control::plan_queues(self).map(|queues| call(&mut system, queues)));
        self.plans = Some(system);
        let outcome = outcome.map(|called| called.ok_or_else(|| ReservationRefused::NotEnabled.into()));
        outcome.unwrap_or_else(|message| {
            self.embedder_panicked(message.clone());
            Err(Refused::TryAgain(TryAgain::Panicked { what: "the reservation system", message }).into())
        })
    }

    /// Whether a user may submit an application to a queue, as requested: asked before anything else is. Without a
    /// reservation system everybody may.
    pub(crate) fn check_plan_rights(
        &mut self,
        user: &str,
        queue: &str,
        reservation: Option<ReservationId>,
    ) -> Result<(), Refused> {
        if self.plans.as_ref().is_none_or(|system| !system.rights_count()) {
            return Ok(());
        }
        let groups = self.groups_for_plans(user)?;
        let caller = Caller { user, groups: &groups };
        match self.with_plans(|system, queues| system.check_application(queues, &caller, queue, reservation)) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(Denied::Reservation { user: user.to_owned(), queue: queue.to_owned() }.into()),
            Err(ReserveError::Scheduler(refused)) => Err(refused),
            Err(ReserveError::Reservation(_) | ReserveError::State(_)) => Ok(()),
        }
    }

    /// Applications by their numbers.
    pub(crate) fn named(&self, numbers: impl Iterator<Item = u32>) -> Vec<ApplicationId> {
        let cluster_timestamp = self.shared.cluster_timestamp;
        numbers.map(|number| ApplicationId { cluster_timestamp, number }).collect()
    }

    /// These applications end. One that has ended meanwhile needs no end.
    pub(crate) fn end_each(&mut self, apps: Vec<ApplicationId>) {
        for app in apps {
            if let Some(shared) = self.find_app(app.number) {
                let _ = self.begin_finish(&shared, None);
            }
        }
    }

    /// Whether workers can know a queue: it is in the newest structure that was published.
    pub(crate) fn is_published(&self, queue: u32) -> bool {
        let last = self.shared.publisher.load();
        let published = last.structure.queues.get(queue as usize).and_then(Option::as_ref);
        published.is_some_and(|published| published.slot == self.tree.get(queue).slot)
    }

    /// The embedder has to end whom the follower has killed, and to know where the others are.
    fn tell_of(&self, followed: &Followed) {
        for MovedApp { app, queue, reservation } in followed.moved.clone() {
            let reservation = reservation.map(|id| id.to_string());
            self.event(SchedulerEvent::MovedAsReservationEnded { app, queue, reservation });
        }
        for app in &followed.killed {
            self.event(SchedulerEvent::KilledAsReservationEnded(*app));
        }
    }

    /// The groups of a user, where his rights in plans count.
    fn groups_for_plans(&self, user: &str) -> Result<Vec<String>, Refused> {
        let count = self.plans.as_ref().is_some_and(ReservationSystem::rights_count);
        if count { self.groups_of(user) } else { Ok(Vec::new()) }
    }

    fn wall_ms(&mut self) -> Result<i64, Refused> {
        let clock = self.shared.clock.clone();
        match caught(|| clock.wall_ms()) {
            Ok(now) => Ok(i64::try_from(now).unwrap_or(i64::MAX)),
            Err(message) => {
                self.embedder_panicked(message.clone());
                Err(TryAgain::Panicked { what: "the clock", message }.into())
            }
        }
    }
}

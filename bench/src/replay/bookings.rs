//! Steps of the reservation system, played on whichever driver of either scheduler.

use std::collections::BTreeMap;

use super::booking::{Booked, ListedAs, ShownPlans, followed, listed, pieces};
use super::scenario::Step;
use crate::api::{
    PlanBooks, Reservation, ReservationDefinition, ReservationId, ReservationQuery, ReservationSubmission,
    ReserveError, ResourceTypes, SchedulerEvent, rooted,
};
use serde_json::{Value, json};

/// The reservation system of a driver. Each call returns when nothing is under way any more.
pub(super) trait Booking {
    fn reserve_new(&mut self) -> Result<ReservationId, ReserveError>;
    fn reserve_submit(&mut self, user: &str, request: &ReservationSubmission<'_>) -> Result<(), ReserveError>;
    fn reserve_update(
        &mut self,
        user: &str,
        id: Option<ReservationId>,
        definition: Option<&ReservationDefinition>,
    ) -> Result<(), ReserveError>;
    fn reserve_delete(&mut self, user: &str, id: Option<ReservationId>) -> Result<(), ReserveError>;
    fn reserve_list(&mut self, user: &str, query: &ReservationQuery<'_>) -> Result<Vec<Reservation>, ReserveError>;
    fn follow(&mut self) -> Result<(), ReserveError>;
    /// None where there is no reservation system.
    fn plans(&mut self) -> BTreeMap<String, PlanBooks>;
    fn next_event(&mut self) -> Option<SchedulerEvent>;
}

/// A driver has the calls of its scheduler. `$this` is how a method names its receiver, `$scheduler` where the
/// scheduler is, and `$quiet` waits, where threads go on after a call.
macro_rules! booking {
    ($driver:ty, $this:ident: $scheduler:expr $(, $quiet:expr)?) => {
        impl $crate::replay::bookings::Booking for $driver {
            fn reserve_new(&mut $this) -> Result<$crate::api::ReservationId, $crate::api::ReserveError> {
                $scheduler.reserve_new()
            }

            fn reserve_submit(
                &mut $this,
                user: &str,
                request: &$crate::api::ReservationSubmission<'_>,
            ) -> Result<(), $crate::api::ReserveError> {
                let outcome = $scheduler.reserve_submit(user, request);
                $($quiet;)?
                outcome
            }

            fn reserve_update(
                &mut $this,
                user: &str,
                id: Option<$crate::api::ReservationId>,
                definition: Option<&$crate::api::ReservationDefinition>,
            ) -> Result<(), $crate::api::ReserveError> {
                $scheduler.reserve_update(user, id, definition)
            }

            fn reserve_delete(
                &mut $this,
                user: &str,
                id: Option<$crate::api::ReservationId>,
            ) -> Result<(), $crate::api::ReserveError> {
                $scheduler.reserve_delete(user, id)
            }

            fn reserve_list(
                &mut $this,
                user: &str,
                query: &$crate::api::ReservationQuery<'_>,
            ) -> Result<Vec<$crate::api::Reservation>, $crate::api::ReserveError> {
                $scheduler.reserve_list(user, query)
            }

            fn follow(&mut $this) -> Result<(), $crate::api::ReserveError> {
                let outcome = $scheduler.follow_plans();
                $($quiet;)?
                outcome.map(drop)
            }

            fn plans(&mut $this) -> std::collections::BTreeMap<String, $crate::api::PlanBooks> {
                $scheduler.plans().unwrap_or_default()
            }

            fn next_event(&mut $this) -> Option<$crate::api::SchedulerEvent> {
                $scheduler.next_event()
            }
        }
    };
}
pub(super) use booking;

/// What reservations are to a recording: ids by number, plans as they were last shown.
#[derive(Debug, Default)]
pub(super) struct Bookings {
    /// What ids of reservations are made from.
    start: i64,
    shown: ShownPlans,
    /// The queue that each was submitted to last: two plans may have one of the same id.
    queues: BTreeMap<i64, String>,
}

impl Bookings {
    /// Of a recording that begins at this time; without reservations it says none.
    pub(super) fn new(start: Option<u64>) -> Bookings {
        let start = start.and_then(|start| i64::try_from(start).ok()).unwrap_or_default();
        Bookings { start, ..Bookings::default() }
    }

    pub(super) fn id(&self, number: i64) -> ReservationId {
        ReservationId { cluster_timestamp: self.start, number }
    }

    /// Does a step of the reservation system; others are nothing to it.
    pub(super) fn play(
        &mut self,
        step: &Step,
        driver: &mut dyn Booking,
        types: &ResourceTypes,
    ) -> Result<Booked, ReserveError> {
        let caller = |user: &Option<String>| user.clone().unwrap_or_else(|| "admin".to_owned());
        let mut booked = Booked::default();
        if let Step::ReserveNew = step {
            booked.id = Some(driver.reserve_new()?.number);
        }
        if let Step::ReserveSubmit { user, queue, reservation, definition } = step {
            let definition = definition.as_ref().map(|sent| sent.taken(types));
            let (id, queue) = (reservation.map(|number| self.id(number)), queue.as_deref());
            let request = ReservationSubmission { id, queue, definition: definition.as_ref() };
            driver.reserve_submit(&caller(user), &request)?;
            if let (Some(id), Some(queue)) = (id, queue) {
                self.queues.insert(id.number, queue.to_owned());
                booked.allocation = self.allocation(driver, id);
            }
        }
        if let Step::ReserveUpdate { user, reservation, definition } = step {
            let definition = definition.as_ref().map(|sent| sent.taken(types));
            let id = reservation.map(|number| self.id(number));
            driver.reserve_update(&caller(user), id, definition.as_ref())?;
            booked.allocation = id.and_then(|id| self.allocation(driver, id));
        }
        if let Step::ReserveDelete { user, reservation } = step {
            driver.reserve_delete(&caller(user), reservation.map(|number| self.id(number)))?;
        }
        if let Step::ReserveList { user, queue, reservation, from, to, allocations } = step {
            let name = reservation.as_ref().map_or_else(String::new, |listed| match listed {
                ListedAs::Number(number) => self.id(*number).to_string(),
                ListedAs::Text(text) => text.clone(),
            });
            let (from, to) = (from.unwrap_or_default(), to.unwrap_or(i64::MAX));
            let query = ReservationQuery { queue: queue.as_deref(), id: &name, from, to };
            let found = driver.reserve_list(&caller(user), &query)?;
            booked.reservations = Some(found.iter().map(|one| listed(one, *allocations)).collect());
        }
        if let Step::Follow = step {
            driver.follow()?;
        }
        Ok(booked)
    }

    /// What a reservation has in the plan that it was submitted to last, which was named by its path, with or without
    /// `root.`, or by its last name.
    fn allocation(&self, driver: &mut dyn Booking, id: ReservationId) -> Option<Value> {
        let queue = self.queues.get(&id.number)?;
        let plans = driver.plans();
        let by_name = |name: &&String| name.rsplit('.').next() == Some(queue);
        let plan = plans.get(&rooted(queue)).or_else(|| plans.get(plans.keys().find(by_name)?))?;
        plan.reservation(id).map(|found| pieces(found.pieces()))
    }

    /// Plans that are not as they were when this was last called; after the last step all.
    pub(super) fn plans(&mut self, driver: &mut dyn Booking, last: bool) -> Option<Value> {
        self.shown.show(&driver.plans(), last)
    }
}

/// What the follower did to applications since this was last called: as recordings show those that it moved; those that
/// it killed.
pub(super) fn take_followed(driver: &mut dyn Booking) -> (Option<Value>, Vec<u32>) {
    let events: Vec<_> = std::iter::from_fn(|| driver.next_event()).collect();
    let (moved, killed) = followed(&events);
    let moved: Vec<Value> = moved.iter().map(|(app, queue)| json!({"app": app, "queue": queue})).collect();
    ((!moved.is_empty()).then(|| moved.into()), killed)
}

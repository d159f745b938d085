//! Steps of the reservation system, played on whichever driver of either scheduler.

use std::collections::BTreeMap;

use super::booking::{Booked, ListedAs, ShownPlans, followed, listed, pieces};
use super::scenario::Step;
use crate::api::{
    ReservationId, ReservationQuery, ReservationSubmission, ReserveError, ResourceTypes, SchedulerApi, rooted,
};
use serde_json::{Value, json};

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
        scheduler: &mut dyn SchedulerApi,
        types: &ResourceTypes,
    ) -> Result<Booked, ReserveError> {
        let caller = |user: &Option<String>| user.clone().unwrap_or_else(|| "admin".to_owned());
        let mut booked = Booked::default();
        if let Step::ReserveNew = step {
            booked.id = Some(scheduler.reserve_new()?.number);
        }
        if let Step::ReserveSubmit { user, queue, reservation, definition } = step {
            let definition = definition.as_ref().map(|sent| sent.taken(types));
            let (id, queue) = (reservation.map(|number| self.id(number)), queue.as_deref());
            let request = ReservationSubmission { id, queue, definition: definition.as_ref() };
            let outcome = scheduler.reserve_submit(&caller(user), &request);
            scheduler.settle()?;
            outcome?;
            if let (Some(id), Some(queue)) = (id, queue) {
                self.queues.insert(id.number, queue.to_owned());
                booked.allocation = self.allocation(scheduler, id);
            }
        }
        if let Step::ReserveUpdate { user, reservation, definition } = step {
            let definition = definition.as_ref().map(|sent| sent.taken(types));
            let id = reservation.map(|number| self.id(number));
            scheduler.reserve_update(&caller(user), id, definition.as_ref())?;
            booked.allocation = id.and_then(|id| self.allocation(scheduler, id));
        }
        if let Step::ReserveDelete { user, reservation } = step {
            scheduler.reserve_delete(&caller(user), reservation.map(|number| self.id(number)))?;
        }
        if let Step::ReserveList { user, queue, reservation, from, to, allocations } = step {
            let name = reservation.as_ref().map_or_else(String::new, |listed| match listed {
                ListedAs::Number(number) => self.id(*number).to_string(),
                ListedAs::Text(text) => text.clone(),
            });
            let (from, to) = (from.unwrap_or_default(), to.unwrap_or(i64::MAX));
            let query = ReservationQuery { queue: queue.as_deref(), id: &name, from, to };
            let found = scheduler.reserve_list(&caller(user), &query)?;
            booked.reservations = Some(found.iter().map(|one| listed(one, *allocations)).collect());
        }
        if let Step::Follow = step {
            let outcome = scheduler.follow_plans();
            scheduler.settle()?;
            outcome?;
        }
        Ok(booked)
    }

    /// What a reservation has in the plan that it was submitted to last, which was named by its path, with or without
    /// `root.`, or by its last name.
    fn allocation(&self, scheduler: &mut dyn SchedulerApi, id: ReservationId) -> Option<Value> {
        let queue = self.queues.get(&id.number)?;
        let plans = scheduler.plans().unwrap_or_default();
        let by_name = |name: &&String| name.rsplit('.').next() == Some(queue);
        let plan = plans.get(&rooted(queue)).or_else(|| plans.get(plans.keys().find(by_name)?))?;
        plan.reservation(id).map(|found| pieces(found.pieces()))
    }

    /// Plans that are not as they were when this was last called; after the last step all.
    pub(super) fn plans(&mut self, scheduler: &mut dyn SchedulerApi, last: bool) -> Option<Value> {
        self.shown.show(&scheduler.plans().unwrap_or_default(), last)
    }
}

/// What the follower did to applications since this was last called: as recordings show those that it moved; those that
/// it killed.
pub(super) fn take_followed(scheduler: &mut dyn SchedulerApi) -> (Option<Value>, Vec<u32>) {
    let events: Vec<_> = std::iter::from_fn(|| scheduler.next_event()).collect();
    let (moved, killed) = followed(&events);
    let moved: Vec<Value> = moved.iter().map(|(app, queue)| json!({"app": app, "queue": queue})).collect();
    ((!moved.is_empty()).then(|| moved.into()), killed)
}

//! Steps of the reservation system in recordings of the CapacityScheduler.

use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

use super::booking::{Definition, ListedAs, ShownPlans, followed, listed, pieces};
use crate::api::{
    EndReason, PlanBooks, Reservation, ReservationDefinition, ReservationId, ReservationQuery, ReservationSubmission,
    ReserveError, ResourceTypes, SchedulerEvent,
};

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

/// What a driver's reservations are to the recording: ids by number, plans as they were last shown.
#[derive(Debug, Default)]
pub(super) struct Bookings {
    /// What ids of reservations are made from.
    start: i64,
    shown: ShownPlans,
    /// The queue that each was submitted to last: two plans may have one of the same id.
    queues: BTreeMap<i64, String>,
}

impl Bookings {
    pub(super) fn new(start: u64) -> Bookings {
        Bookings {
            start: i64::try_from(start).unwrap_or_default(),
            shown: ShownPlans::default(),
            queues: BTreeMap::new(),
        }
    }

    pub(super) fn id(&self, step: &Value) -> Option<ReservationId> {
        let number = step.get("reservation")?.as_i64()?;
        Some(ReservationId { cluster_timestamp: self.start, number })
    }

    /// Does a step. Says whether queues are shown after it.
    pub(super) fn play(
        &mut self,
        (op, step): (&str, &Value),
        driver: &mut dyn Booking,
        types: &ResourceTypes,
        shown: &mut Map<String, Value>,
    ) -> Result<(), ReserveError> {
        let id = self.id(step);
        let user = step.get("user").and_then(Value::as_str).unwrap_or("admin");
        let queue = step.get("queue").and_then(Value::as_str);
        let sent = step.get("definition").and_then(|of| serde_json::from_value::<Definition>(of.clone()).ok());
        let definition = sent.map(|sent| sent.taken(types));
        match op {
            "reserve-new" => {
                shown.insert("id".to_owned(), json!(driver.reserve_new()?.number));
            }
            "reserve-submit" => {
                let request = ReservationSubmission { id, queue, definition: definition.as_ref() };
                driver.reserve_submit(user, &request)?;
                if let (Some(id), Some(queue)) = (id, queue) {
                    self.queues.insert(id.number, queue.to_owned());
                }
                show_allocation(driver, id, queue, shown);
            }
            "reserve-update" => {
                driver.reserve_update(user, id, definition.as_ref())?;
                let queue = id.and_then(|id| self.queues.get(&id.number));
                show_allocation(driver, id, queue.map(String::as_str), shown);
            }
            "reserve-delete" => driver.reserve_delete(user, id)?,
            "reserve-list" => {
                let named = step.get("reservation").and_then(|of| serde_json::from_value(of.clone()).ok());
                let name = match named {
                    Some(ListedAs::Number(_)) => id.map(|id| id.to_string()).unwrap_or_default(),
                    Some(ListedAs::Text(text)) => text,
                    None => String::new(),
                };
                let time = |field: &str, absent| step.get(field).and_then(Value::as_i64).unwrap_or(absent);
                let query = ReservationQuery { queue, id: &name, from: time("from", 0), to: time("to", i64::MAX) };
                let with_allocation = step.get("allocations").and_then(Value::as_bool).unwrap_or_default();
                let found = driver.reserve_list(user, &query)?;
                let found = found.iter().map(|one| listed(one, with_allocation)).collect();
                shown.insert("reservations".to_owned(), found);
            }
            _ => driver.follow()?,
        }
        Ok(())
    }

    /// Plans that are not as last shown; after the last step all.
    pub(super) fn show_plans(&mut self, driver: &mut dyn Booking, last: bool, shown: &mut Map<String, Value>) {
        if let Some(plans) = self.shown.show(&driver.plans(), last) {
            shown.insert("plans".to_owned(), plans);
        }
    }
}

/// What the follower did to applications. To the scheduler a kill is an end as any other; recordings have a word for it.
pub(super) fn show_followed(driver: &mut dyn Booking, shown: &mut Map<String, Value>) {
    let events: Vec<_> = std::iter::from_fn(|| driver.next_event()).collect();
    let (moved, killed) = followed(&events);
    let ended = shown.get_mut("completed").and_then(Value::as_array_mut);
    for end in ended.into_iter().flatten() {
        let is_killed = killed.iter().any(|app| end["app"] == *app);
        if is_killed && end["reason"] == EndReason::AppFinished.as_str() {
            end["reason"] = "app-killed".into();
        }
    }
    if !moved.is_empty() {
        let moved = moved.iter().map(|(app, queue)| json!({"app": app, "queue": queue})).collect();
        shown.insert("moved".to_owned(), moved);
    }
    if !killed.is_empty() {
        shown.insert("killed".to_owned(), json!(killed));
    }
}

/// What a reservation has: in the plan that is named, by its path or its short name, or in the one that has it.
fn show_allocation(
    driver: &mut dyn Booking,
    id: Option<ReservationId>,
    queue: Option<&str>,
    shown: &mut Map<String, Value>,
) {
    let plans = driver.plans();
    let is_it = |name: &str| queue.is_none_or(|queue| name == queue || name.rsplit('.').next() == Some(queue));
    let mut plans = plans.iter().filter(|(name, _)| is_it(name));
    if let Some(found) = id.and_then(|id| plans.find_map(|(_, books)| books.reservation(id))) {
        shown.insert("allocation".to_owned(), pieces(found.pieces()));
    }
}

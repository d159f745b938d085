//! `/ws/v1/evenweave/plans`: the plans of the ReservationSystem, and what is promised in them. An endpoint of our own.

use evenweave::reservation::{PlanBooks, Reservation, ReservationQuery};

use super::asked::{Answer, Asked, Outcome};
use super::reservation::{booking, refused};
use crate::manager::ResourceManager;
use crate::scheduler::Booking;
use crate::value::{Object, Value};

/// A picture of more shows nothing; the list of `/reservation/list` has all.
const OF_A_PLAN: usize = 1_000;
/// What ended before is not shown.
const PAST_MS: i64 = 3_600_000;

fn shown(of: &Reservation) -> Object {
    let pieces = of.pieces().iter().filter(|piece| !piece.resource.is_zero());
    let pieces: Value = pieces
        .map(|piece| {
            Object::new()
                .with("startTime", piece.from)
                .with("endTime", piece.to)
                .with("memory", piece.resource.memory_mb())
                .with("vCores", piece.resource.vcores())
        })
        .collect();
    Object::new()
        .with("reservation-id", of.id().to_string())
        .maybe("name", of.definition().name.clone())
        .with("user", of.user())
        .with("arrival", of.start())
        .with("deadline", of.end())
        .with("period", of.period())
        .with("allocations", pieces)
}

/// A plan with the reservations that the caller may list; of those that have none to show how many there are is not told, either.
fn plan(of: &dyn Booking, asked: &Asked, now: i64, (queue, books): (&str, &PlanBooks)) -> Object {
    let capacity = books.capacity();
    let plan =
        Object::new().with("queue", queue).with("memory", capacity.memory_mb()).with("vCores", capacity.vcores());
    let query = ReservationQuery { queue: Some(queue), id: "", from: now - PAST_MS, to: -1 };
    match of.reserve_list(&asked.user, &query) {
        Err(_) => plan.with("mayList", false),
        Ok(found) => {
            let more = found.len().saturating_sub(OF_A_PLAN);
            let list: Value = found.iter().take(OF_A_PLAN).map(shown).collect();
            plan.with("mayList", true).with("reservation", list).with("more", more)
        }
    }
}

/// All plans; none where there is no ReservationSystem.
pub(crate) fn plans(of: &ResourceManager, asked: &Asked) -> Outcome {
    let now = i64::try_from(of.now_ms()).unwrap_or(i64::MAX);
    let answer = Object::new().with("now", now);
    let Ok(system) = booking(of) else { return Ok(Answer::natural("plans", answer)) };
    let found = match system.plans() {
        Ok(found) => found,
        Err(why) if why.kind() == "not-enabled" => return Ok(Answer::natural("plans", answer)),
        Err(why) => return Err(refused(&why)),
    };
    let list: Value = found.iter().map(|(queue, books)| plan(system, asked, now, (queue, books))).collect();
    Ok(Answer::natural("plans", answer.with("plan", list)))
}

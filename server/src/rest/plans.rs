//! `/ws/v1/evenweave/plans`: the plans of the ReservationSystem, and what is promised in them. An endpoint of our own.

use std::sync::{Mutex, TryLockError};

use evenweave::Resource;
use evenweave::reservation::{Reservation, ReservationQuery, ReserveError};

use super::errors::Fault;
use super::request::{Answer, Asked, Outcome};
use super::reservation::{booking, refused};
use crate::manager::ResourceManager;
use crate::scheduler::Booking;
use crate::value::{Object, Value};

/// A picture of more shows nothing; the list of `/reservation/list` has all.
const OF_A_PLAN: usize = 1_000;
/// What ended before is not shown.
const PAST_MS: i64 = 3_600_000;

const OTHERS_ASK: &str = "The plans are being listed for somebody else. Ask again in a second.";

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

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

/// A plan with the reservations that the caller may list. If he may list none, their number is not told.
fn plan(of: &dyn Booking, asked: &Asked, now: i64, queue: &str, capacity: &Resource) -> Result<Object, Fault> {
    let plan =
        Object::new().with("queue", queue).with("memory", capacity.memory_mb()).with("vCores", capacity.vcores());
    let query = ReservationQuery { queue: Some(queue), id: "", from: now - PAST_MS, to: -1 };
    match of.reserve_list(&asked.user, &query) {
        Err(ReserveError::Reservation(_)) => Ok(plan.with("mayList", false)),
        Err(why) => Err(refused(&why)),
        Ok(found) => {
            let more = found.len().saturating_sub(OF_A_PLAN);
            let list: Value = found.iter().take(OF_A_PLAN).map(shown).collect();
            Ok(plan.with("mayList", true).with("reservation", list).with("more", more))
        }
    }
}

/// All plans; none where there is no ReservationSystem.
pub(crate) fn plans(of: &ResourceManager, asked: &Asked) -> Outcome {
    let now = i64::try_from(of.now_ms()).unwrap_or(i64::MAX);
    let answer = Object::new().with("now", now);
    let Ok(system) = booking(of) else { return Ok(Answer::natural("plans", answer)) };
    // One at a time: the lists are copied on the thread that also takes submissions.
    let _turn = match ONE_AT_A_TIME.try_lock() {
        Ok(turn) => turn,
        Err(TryLockError::Poisoned(turn)) => turn.into_inner(),
        Err(TryLockError::WouldBlock) => return Ok(Answer::sentence(503, OTHERS_ASK.to_owned())),
    };
    let found = match system.plan_capacities() {
        Ok(found) => found,
        Err(why) if why.kind() == "not-enabled" => return Ok(Answer::natural("plans", answer)),
        Err(why) => return Err(refused(&why)),
    };
    let each = found.iter().map(|(queue, capacity)| plan(system, asked, now, queue, capacity));
    let list: Value = each.collect::<Result<Vec<Object>, Fault>>()?.into_iter().collect();
    Ok(Answer::natural("plans", answer.with("plan", list)))
}

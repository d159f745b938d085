//! Random bookings against brute force: a plan never promises more than it has, an accepted reservation gets what its
//! interpreter says, and a refused one leaves no trace.
//!
//! Of a stage, memory alone tells which it is: the n-th stage's containers have 64^n MB each, and there are fewer than
//! 64 of them, so that the digits of what is promised at a time are the containers of each stage.
//!
//! Hadoop's own faults bound what can be claimed. The lesser of two vectors is the one with less memory, as a whole, so
//! that vcores may be promised twice: by the policy of capacity over time, and by any where reservations recur. There
//! memory alone is looked at. And a recurring reservation is checked from its arrival on for one largest period: only
//! there.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use evenweave::Resource;
use evenweave::reservation::agent::{Job, ReservationAgent, WayAgent};
use evenweave::reservation::profile::Steps;
use evenweave::reservation::sharing::{CapacityOverTime, NoOverCommit};
use evenweave::reservation::{
    Interpreter, Plan, PlanBooks, PlanTerms, Reservation, ReservationDefinition, ReservationId, SharingPolicy, Stage,
};
use proptest::prelude::*;
use std::sync::Arc;

const LARGEST_PERIOD: i64 = 240;
const STEP: i64 = 2;
const BASE: i64 = 64;
const HORIZON: i64 = 300;

/// What a client does.
#[derive(Clone, Debug)]
enum Call {
    /// Books a reservation, or a new version of one.
    Book {
        number: i64,
        user: u8,
        definition: ReservationDefinition,
    },
    Delete {
        number: i64,
    },
    Archive {
        now: i64,
    },
}

fn stages() -> impl Strategy<Value = Vec<Stage>> {
    let stage = (1_i32..=6, 1_i32..=3, 1_i64..=24, 0_i64..3);
    prop::collection::vec(stage, 1..=3).prop_map(|stages| {
        let stage = |(n, (gangs, concurrency, duration, vcores)): (u32, (i32, i32, i64, i64))| {
            Stage::new(Resource::new(BASE.pow(n), vcores), gangs * concurrency, duration).in_gangs_of(concurrency)
        };
        (0..).zip(stages).map(stage).collect()
    })
}

fn definitions() -> impl Strategy<Value = ReservationDefinition> {
    let interpreter =
        prop::sample::select(vec![Interpreter::Any, Interpreter::All, Interpreter::Order, Interpreter::OrderNoGap]);
    let period = prop::option::weighted(0.3, prop::sample::select(vec![40_i64, 60, 80, 120, 240]));
    (0_i64..120, 1_i64..120, interpreter, stages(), period).prop_map(
        |(arrival, length, interpreter, stages, period)| {
            match period {
                // One that lies across the end of its period loses what lies beyond, as in Hadoop.
                Some(period) => {
                    let arrival = arrival % period;
                    let deadline = (arrival + length).min(period);
                    ReservationDefinition::new(arrival, deadline, interpreter, stages).every(period)
                }
                None => ReservationDefinition::new(arrival, arrival + length, interpreter, stages),
            }
        },
    )
}

fn calls() -> impl Strategy<Value = Vec<Call>> {
    let book = (1_i64..8, 0_u8..2, definitions()).prop_map(|(number, user, definition)| Call::Book {
        number,
        user,
        definition,
    });
    let call = prop_oneof![
        12 => book,
        2 => (1_i64..8).prop_map(|number| Call::Delete { number }),
        1 => (0_i64..HORIZON).prop_map(|now| Call::Archive { now }),
    ];
    prop::collection::vec(call, 1..14)
}

fn id(number: i64) -> ReservationId {
    ReservationId { cluster_timestamp: 0, number }
}

/// What a reservation has at a time, by its pieces alone; of one that recurs, from its arrival on.
fn has(reservation: &Reservation, t: i64) -> Resource {
    let period = reservation.period();
    let t = match period {
        0 => t,
        _ if t < reservation.start() => return Resource::ZERO,
        _ => t % period,
    };
    reservation.pieces().iter().filter(|piece| piece.from <= t && t < piece.to).map(|piece| piece.resource).sum()
}

/// All that a plan shows of itself.
fn shown(plan: &Plan) -> String {
    let books = plan.books();
    let all: Vec<_> = books.reservations().map(|one| (one.id(), one.user(), one.definition(), one.pieces())).collect();
    // By value: an update that was rolled back may leave other points of the same profile.
    let values = |profile: &Steps| (0..HORIZON).map(|t| profile.value_at(t)).collect::<Vec<_>>();
    let (committed, periodic) = (books.committed().steps(), books.periodic().once().steps());
    let users = ["u0", "u1"].map(|user| values(&books.consumption(user, 0, HORIZON).unwrap()));
    format!("{all:?} {:?} {:?} {users:?}", values(&committed), values(&periodic))
}

/// The same without one: as in Hadoop an old version is lost, when a new one was refused after it had been taken out,
/// and it is refused, too.
fn without(plan: &Plan, number: i64) -> String {
    let mut plan = plan.clone();
    plan.delete(id(number)).map_or_else(|_| String::new(), |_| shown(&plan))
}

/// The containers of a stage that run at each time.
fn running(reservation: &Reservation, stage: usize) -> Vec<i64> {
    let digit = |t: i64| has(reservation, t).memory_mb() / BASE.pow(u32::try_from(stage).unwrap()) % BASE;
    (0..HORIZON).map(digit).collect()
}

/// Whether all containers of a stage run for its duration each, in whole gangs, and without a pause.
fn is_served(stage: &Stage, running: &[i64]) -> bool {
    let duration = usize::try_from((stage.duration_ms + STEP - 1) / STEP * STEP).unwrap();
    let mut ends = vec![0; running.len() + duration + 1];
    let (mut active, mut started) = (0, 0);
    for (t, now) in running.iter().enumerate() {
        active -= ends[t];
        let new = now - active;
        if new < 0 || new % i64::from(stage.concurrency) != 0 {
            return false;
        }
        (active, started) = (*now, started + new);
        ends[t + duration] += new;
    }
    active == 0 && started == i64::from(stage.containers)
}

/// The first time at which a stage runs, and the one at which it has ended.
fn extent(running: &[i64]) -> Option<(usize, usize)> {
    let first = running.iter().position(|now| *now > 0)?;
    running.iter().rposition(|now| *now > 0).map(|last| (first, last + 1))
}

/// Whether a reservation that does not recur has what its interpreter says.
fn has_what_it_asked_for(reservation: &Reservation) -> Result<(), TestCaseError> {
    let requests = reservation.definition().requests.as_ref().unwrap();
    let running: Vec<Vec<i64>> = (0..requests.stages.len()).map(|stage| running(reservation, stage)).collect();
    for piece in reservation.pieces() {
        prop_assert!(reservation.start() <= piece.from && piece.to <= reservation.end(), "{piece:?} outside");
    }
    let idle = |running: &Vec<i64>| running.iter().all(|now| *now == 0);
    if requests.interpreter == Some(Interpreter::Any) {
        let busy: Vec<usize> = (0..running.len()).filter(|stage| !idle(&running[*stage])).collect();
        prop_assert_eq!(busy.len(), 1, "one stage alone");
        prop_assert!(is_served(&requests.stages[busy[0]], &running[busy[0]]));
        return Ok(());
    }
    for (stage, running) in requests.stages.iter().zip(&running) {
        prop_assert!(is_served(stage, running), "{stage:?} runs {running:?}");
    }
    if let Some(order @ (Interpreter::Order | Interpreter::OrderNoGap)) = requests.interpreter {
        let extents: Vec<_> = running.iter().filter_map(|running| extent(running)).collect();
        for (before, after) in extents.iter().zip(extents.iter().skip(1)) {
            prop_assert!(before.1 <= after.0, "in order: {extents:?}");
            prop_assert!(order == Interpreter::Order || before.1 == after.0, "no gap: {extents:?}");
        }
        if order == Interpreter::OrderNoGap {
            for (running, (first, last)) in running.iter().zip(&extents) {
                prop_assert!(running[*first..*last].iter().all(|now| *now > 0), "a stage has a gap within");
            }
        }
    }
    Ok(())
}

/// Whether the plan has promised what the reservations have, and no more than there is.
fn keeps_its_promises(plan: &Plan, all_types: bool) -> Result<(), TestCaseError> {
    let books = plan.books();
    let recurring = |reservation: &&Reservation| reservation.period() > 0;
    let end = books.reservations().filter(recurring).map(|one| one.start() + LARGEST_PERIOD).min().unwrap_or(HORIZON);
    let all_types = all_types && !books.reservations().any(|one| recurring(&one));
    for t in 0..HORIZON {
        let once: Resource = books.reservations().filter(|one| !recurring(one)).map(|one| has(one, t)).sum();
        prop_assert_eq!(books.committed().value_at(t), once, "committed at {}", t);
        let again: Resource = books.reservations().filter(recurring).map(|one| has(one, t)).sum();
        let total = once.plus(&again);
        let fits = if all_types {
            total.fits_in(&books.capacity())
        } else {
            total.memory_mb() <= books.capacity().memory_mb()
        };
        prop_assert!(t >= end || fits, "{total} of {} at {t}", books.capacity());
    }
    for t in 0..LARGEST_PERIOD {
        let anew = |one: &Reservation| has(one, one.start() / one.period() * one.period() + one.period() + t);
        let again: Resource = books.reservations().filter(recurring).map(anew).sum();
        prop_assert_eq!(books.periodic().value_at(t), again, "periodic at {}", t);
    }
    Ok(())
}

fn play(
    agent: &WayAgent,
    sharing: Arc<dyn SharingPolicy>,
    all_types: bool,
    calls: &[Call],
) -> Result<(), TestCaseError> {
    let terms = PlanTerms {
        step_ms: STEP,
        largest_period_ms: LARGEST_PERIOD,
        largest_container: Resource::new(BASE.pow(3), 100),
    };
    let capacity = Resource::new(8 * (1 + BASE + BASE * BASE), 30);
    let mut plan = Plan::new(PlanBooks::new(terms, capacity), sharing);
    for call in calls {
        let before = shown(&plan);
        match call {
            Call::Book { number, user, definition } => {
                let user = format!("u{user}");
                let without = without(&plan, *number);
                let job = Job { id: id(*number), user: &user, definition, now: 0 };
                let outcome = agent.reserve(&mut plan, &job);
                if outcome.is_err() {
                    let after = shown(&plan);
                    prop_assert!(after == before || after == without, "a refused one leaves no trace: {after}");
                }
                if outcome == Ok(true) {
                    let booked = plan.books().reservation(id(*number)).unwrap();
                    prop_assert_eq!((booked.user(), booked.definition()), (user.as_str(), definition));
                    if booked.period() == 0 {
                        has_what_it_asked_for(booked)?;
                    }
                }
            }
            Call::Delete { number } => {
                let there = plan.books().reservation(id(*number)).is_some();
                prop_assert_eq!(plan.delete(id(*number)).is_ok(), there);
            }
            Call::Archive { now } => {
                plan.archive(*now);
            }
        }
        keeps_its_promises(&plan, all_types)?;
    }
    Ok(())
}

fn agents() -> impl Strategy<Value = (usize, bool)> {
    (0_usize..3, any::<bool>())
}

fn agent((which, early): (usize, bool)) -> WayAgent {
    let agent = match which {
        0 => WayAgent::aligned_then_greedy(2),
        1 => WayAgent::greedy(),
        _ => return WayAgent::stepwise(),
    };
    if early { agent } else { agent.late() }
}

proptest! {
    #[test]
    fn without_over_commitment(which in agents(), calls in calls()) {
        play(&agent(which), Arc::new(NoOverCommit), true, &calls)?;
    }

    #[test]
    fn with_capacity_over_time(which in agents(), calls in calls()) {
        let sharing = CapacityOverTime { window_ms: 100, ..CapacityOverTime::default() };
        play(&agent(which), Arc::new(sharing), false, &calls)?;
    }
}

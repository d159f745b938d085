//! Rules of the reservation system, one by one: the manual's, and what Hadoop 3.4.2 makes of them.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use evenweave::Resource;
use evenweave::reservation::agent::{Job, ReservationAgent, WayAgent};
use evenweave::reservation::sharing::{CapacityOverTime, NoOverCommit};
use evenweave::reservation::{
    Interpreter, NewestFirst, Plan, PlanBooks, PlanTerms, Replanner, ReservationDefinition, ReservationId,
    ReservationRefused, SharingPolicy, Stage,
};
use std::sync::Arc;

const HOUR: i64 = 3_600_000;
const SECOND: i64 = 1_000;

fn plan(step_ms: i64, capacity: Resource, sharing: Arc<dyn SharingPolicy>) -> Plan {
    let largest_container = Resource::new(8_192, 8);
    let terms = PlanTerms { step_ms, largest_period_ms: 24 * HOUR, largest_container };
    Plan::new(PlanBooks::new(terms, capacity), sharing)
}

fn id(number: i64) -> ReservationId {
    ReservationId { cluster_timestamp: 1, number }
}

fn book(
    plan: &mut Plan,
    number: i64,
    user: &str,
    definition: &ReservationDefinition,
) -> Result<bool, ReservationRefused> {
    let job = Job { id: id(number), user, definition, now: number };
    WayAgent::aligned_then_greedy(10).reserve(plan, &job)
}

fn stage(containers: i32, duration_ms: i64) -> Stage {
    Stage::new(Resource::new(1_024, 1), containers, duration_ms)
}

fn one(arrival: i64, deadline: i64, containers: i32, duration_ms: i64) -> ReservationDefinition {
    ReservationDefinition::new(arrival, deadline, Interpreter::All, vec![stage(containers, duration_ms)])
}

fn pieces(plan: &Plan, number: i64) -> Vec<(i64, i64, i64)> {
    let pieces = plan.books().reservation(id(number)).unwrap().pieces();
    pieces.iter().map(|piece| (piece.from, piece.to, piece.resource.memory_mb())).collect()
}

/// rules/reservations.md 12: two gangs in two intervals; a third ties on cost and goes to the earlier one.
#[test]
fn gangs_go_where_the_load_is_least() {
    let mut plan = plan(SECOND, Resource::new(4_096, 4), Arc::new(CapacityOverTime::default()));
    let window = |containers| one(100, 60_000, containers, 20 * SECOND);
    book(&mut plan, 1, "ann", &window(2)).unwrap();
    assert_eq!(pieces(&plan, 1), [(100, 40_100, 1_024)], "raw arrival, whole steps");
    assert_eq!(book(&mut plan, 1, "ann", &window(3)), Ok(true));
    assert_eq!(pieces(&plan, 1), [(100, 20_100, 2_048), (20_100, 40_100, 1_024)]);
}

/// rules/reservations.md 7.2, recorded: averages are steps, so that what never exceeds the plan may be refused.
#[test]
fn averages_over_a_day_are_coarse() {
    let fresh = || plan(HOUR, Resource::new(8_192, 8), Arc::new(CapacityOverTime::default()));
    let long = |containers| one(0, 30 * HOUR, containers, 30 * HOUR);
    for containers in [7, 8] {
        assert_eq!(book(&mut fresh(), 1, "ann", &long(containers)).unwrap_err().kind(), "average-quota");
    }
    assert_eq!(book(&mut fresh(), 1, "ann", &long(6)), Ok(true));
    let mut plan = fresh();
    book(&mut plan, 1, "ann", &one(0, 20 * HOUR, 8, 20 * HOUR)).unwrap();
    let next = one(20 * HOUR, 40 * HOUR, 6, 20 * HOUR);
    assert_eq!(book(&mut plan, 2, "ann", &next).unwrap_err().kind(), "average-quota");
    assert_eq!(book(&mut plan, 2, "bob", &next), Ok(true), "another user's average");
}

#[test]
fn one_stage_is_enough_for_any() {
    let mut plan = plan(SECOND, Resource::new(4_096, 4), Arc::new(NoOverCommit));
    let stages = vec![stage(5, SECOND).in_gangs_of(5), stage(2, SECOND).in_gangs_of(2)];
    book(&mut plan, 1, "ann", &ReservationDefinition::new(0, 10 * SECOND, Interpreter::Any, stages)).unwrap();
    assert_eq!(pieces(&plan, 1), [(0, SECOND, 2_048)], "the first is too large, the second is taken");
}

#[test]
fn without_a_gap_a_stage_that_must_wait_is_refused() {
    let mut plan = plan(SECOND, Resource::new(4_096, 4), Arc::new(NoOverCommit));
    book(&mut plan, 1, "ann", &one(2 * SECOND, 8 * SECOND, 4, 6 * SECOND)).unwrap();
    let stages = || vec![stage(4, 2 * SECOND).in_gangs_of(4), stage(4, SECOND).in_gangs_of(4)];
    let no_gap = ReservationDefinition::new(0, 10 * SECOND, Interpreter::OrderNoGap, stages());
    assert_eq!(book(&mut plan, 2, "ann", &no_gap).unwrap_err().kind(), "gap");
    let order = ReservationDefinition::new(0, 10 * SECOND, Interpreter::Order, stages());
    assert_eq!(book(&mut plan, 2, "ann", &order), Ok(true));
    assert_eq!(pieces(&plan, 2), [(0, 2_000, 4_096), (2_000, 8_000, 0), (8_000, 9_000, 4_096)]);
}

#[test]
fn late_places_where_late_ones_are_preferred() {
    let definition = one(0, 60 * SECOND, 1, 20 * SECOND);
    let job = Job { id: id(1), user: "ann", definition: &definition, now: 0 };
    for agent in [WayAgent::greedy().late(), WayAgent::aligned_then_greedy(10).late(), WayAgent::stepwise()] {
        let mut plan = plan(SECOND, Resource::new(4_096, 4), Arc::new(NoOverCommit));
        agent.reserve(&mut plan, &job).unwrap();
        assert_eq!(pieces(&plan, 1), [(40_000, 60_000, 1_024)], "{agent:?}");
    }
}

/// rules/reservations.md 5.3: a recurring reservation takes its place each period, and is gone after its first
/// occurrence.
#[test]
fn what_recurs_takes_its_place_each_period() {
    let mut plan = plan(SECOND, Resource::new(4_096, 4), Arc::new(NoOverCommit));
    book(&mut plan, 1, "ann", &one(0, HOUR, 4, HOUR).every(12 * HOUR)).unwrap();
    let late = one(12 * HOUR, 13 * HOUR, 1, HOUR);
    assert_eq!(book(&mut plan, 2, "bob", &late).unwrap_err().kind(), "unsatisfiable");
    assert_eq!(book(&mut plan, 2, "bob", &one(13 * HOUR, 14 * HOUR, 4, HOUR)), Ok(true));
    assert_eq!(plan.books().reservation(id(1)).unwrap().at(12 * HOUR), Resource::ZERO, "as in Hadoop");
    assert_eq!(plan.archive(HOUR), [id(1)]);
    assert!(plan.books().periodic().once().is_empty());
}

#[test]
fn the_newest_go_first_when_the_plan_shrinks() {
    let mut plan = plan(SECOND, Resource::new(4_096, 4), Arc::new(NoOverCommit));
    for number in 1..=3 {
        book(&mut plan, number, "ann", &one(0, 10 * SECOND, 1, 10 * SECOND)).unwrap();
    }
    book(&mut plan, 4, "ann", &one(2 * HOUR, 3 * HOUR, 4, HOUR)).unwrap();
    let mut small =
        Plan::new(PlanBooks::new(plan.books().terms().clone(), Resource::new(2_048, 4)), Arc::new(NoOverCommit));
    // The policy would refuse what the smaller plan has not: recovery takes them in unchecked.
    let mut books = small.books().clone();
    plan.books().reservations().for_each(|one| books.insert(one.clone()));
    small = Plan::new(books, Arc::new(NoOverCommit));
    let gone = NewestFirst::default().replan(&mut small, 0);
    assert_eq!(gone, [id(3)], "an hour ahead, no further");
}

/// Where Hadoop would compute for hours, this says so at once: `docs/deviations.md`.
#[test]
fn what_would_take_for_ever_is_refused() {
    let too_much = |definition: &ReservationDefinition| {
        let mut plan = plan(1, Resource::new(4_096, 4), Arc::new(NoOverCommit));
        book(&mut plan, 1, "ann", definition).unwrap_err().kind()
    };
    assert_eq!(too_much(&one(0, 400 * 24 * HOUR, i32::MAX, 1)), "too-much");
    assert_eq!(too_much(&one(0, i64::MAX - 1, i32::MAX, 1)), "too-much");
}

/// Extremes of every number, through every agent: an answer, and no panic.
#[test]
fn extremes_are_answered() {
    let times = [i64::MIN, -1, 0, 1, 1_000_000, i64::MAX - 1, i64::MAX];
    let counts = [i32::MIN, -1, 0, 1, i32::MAX];
    for agent in [WayAgent::greedy(), WayAgent::greedy().late(), WayAgent::aligned_then_greedy(0), WayAgent::stepwise()]
    {
        for (arrival, deadline) in times.iter().flat_map(|a| times.iter().map(move |d| (*a, *d))) {
            for (containers, duration_ms) in counts.iter().flat_map(|c| times.iter().map(move |d| (*c, *d))) {
                let stage = Stage::new(Resource::new(i64::from(containers), 1), containers, duration_ms);
                let definition =
                    ReservationDefinition::new(arrival, deadline, Interpreter::Order, vec![stage.clone(), stage]);
                for definition in [definition.clone(), definition.every(HOUR)] {
                    let mut plan = plan(HOUR, Resource::new(4_096, 4), Arc::new(CapacityOverTime::default()));
                    let job = Job { id: id(1), user: "ann", definition: &definition, now: 0 };
                    let _answer = agent.reserve(&mut plan, &job);
                }
            }
        }
    }
}

//! Whether a definition makes sense, before any agent sees it.
//!
//! Follows `ReservationInputValidator` of Hadoop 3.4.2.

use super::definition::{Interpreter, ReservationDefinition};
use super::limits::{MAX_OCCURRENCES, at_most};
use super::plan::PlanBooks;
use super::refused::ReservationRefused;
use crate::resource::Resource;

/// The most characters of a client's text that a message repeats.
const LONGEST_SHOWN: usize = 100;

/// Returns the definition if an agent of this plan may get it now, else the first thing that is wrong with it. Times
/// wrap as Java's do.
pub(super) fn check<'a>(
    definition: Option<&'a ReservationDefinition>,
    plan: &PlanBooks,
    now: i64,
) -> Result<&'a ReservationDefinition, ReservationRefused> {
    let definition = definition.ok_or(ReservationRefused::NoDefinition)?;
    let ReservationDefinition { arrival, deadline, .. } = *definition;
    if deadline <= now {
        return Err(ReservationRefused::PastDeadline { deadline });
    }
    let requests = definition.requests.as_ref().ok_or(ReservationRefused::NoRequests)?;
    if requests.stages.is_empty() {
        return Err(ReservationRefused::NoStages);
    }
    // With `R_ANY` one stage is enough. So it is no error here if the others do not fit.
    let any = requests.interpreter == Some(Interpreter::Any);
    let (window, least) = (deadline.wrapping_sub(arrival), least_duration(definition));
    if window < least && !any {
        return Err(ReservationRefused::WindowTooShort { window, arrival, deadline, least });
    }
    let measure = plan.measure();
    let gangs = requests.stages.iter().map(super::definition::Stage::gang);
    let largest =
        gangs.fold(Resource::ZERO, |largest, gang| if measure.is_more(&gang, &largest) { gang } else { largest });
    if measure.is_more(&largest, &plan.capacity()) && !any {
        return Err(ReservationRefused::GangTooLarge { sizes: Box::new((largest, plan.capacity())) });
    }
    check_recurrence(definition, plan)?;
    Ok(definition)
}

/// The shortest time that the stages need, in ms. Without an interpreter it is the sum, as in Hadoop, although the
/// stages are then planned as with `R_ALL`. For `R_ANY` nobody uses the result.
fn least_duration(definition: &ReservationDefinition) -> i64 {
    let durations = definition.stages().iter().map(|stage| stage.duration_ms);
    match definition.interpreter() {
        Some(Interpreter::Any | Interpreter::All) => durations.fold(0, i64::max),
        Some(Interpreter::Order | Interpreter::OrderNoGap) | None => durations.fold(0, i64::wrapping_add),
    }
}

pub(super) fn check_recurrence(definition: &ReservationDefinition, plan: &PlanBooks) -> Result<(), ReservationRefused> {
    let text = definition.recurrence();
    let Ok(period) = text.parse::<i64>() else {
        return Err(ReservationRefused::BadPeriod { text: text.chars().take(LONGEST_SHOWN).collect() });
    };
    if period < 0 {
        return Err(ReservationRefused::NegativePeriod { text: text.chars().take(LONGEST_SHOWN).collect() });
    }
    if period == 0 {
        return Ok(());
    }
    let window = definition.deadline.wrapping_sub(definition.arrival);
    if window > period {
        return Err(ReservationRefused::LongerThanPeriod { duration: window, period });
    }
    let largest = plan.terms().largest_period_ms;
    if largest % period != 0 {
        return Err(ReservationRefused::PeriodNotDivisor { largest, period });
    }
    // Not in Hadoop, which would compute for very long: see `limits`.
    at_most("occurrences within the largest period", largest / period, MAX_OCCURRENCES)
}

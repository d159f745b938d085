//! Between which times a stage may run.

use crate::reservation::definition::{ReservationDefinition, Stage};
use crate::reservation::numbers::{down, up};
use crate::reservation::profile::Ledger;
use crate::resource::f64_to_i64;

/// How the window of a stage is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Windows {
    /// All that is left. Hadoop's `StageExecutionIntervalUnconstrained`.
    All,
    /// Of stages in order a part of it, by what each needs of those that are still to be placed. Hadoop's
    /// `StageExecutionIntervalByDemand`.
    ByDemand,
}

impl Windows {
    /// The window of the stage at a place in the list, where `found` has what the stages before it have got: those in
    /// front of it when early places are preferred, else those behind.
    pub(super) fn of(
        self,
        definition: &ReservationDefinition,
        index: usize,
        found: &Ledger,
        (early, step): (bool, i64),
    ) -> (i64, i64) {
        let whole = (definition.arrival, definition.deadline);
        if !definition.ordered() {
            return whole;
        }
        let (start, end) = if early {
            (found.last_defined().unwrap_or(whole.0), whole.1)
        } else {
            (whole.0, found.first().unwrap_or(whole.1))
        };
        match self {
            Windows::All => (start, end),
            Windows::ByDemand => by_demand(definition.stages(), index, (start, end), (early, step)),
        }
    }
}

fn by_demand(stages: &[Stage], index: usize, (start, end): (i64, i64), (early, step): (bool, i64)) -> (i64, i64) {
    let Some(stage) = stages.get(index) else { return (start, end) };
    let mut needs = Needs { step, weight: 0.0, duration: 0 };
    // From the far end to this one: the sum of doubles hangs on it.
    if early {
        stages.iter().skip(index).rev().for_each(|stage| needs.add(stage));
    } else {
        stages.iter().take(index + 1).for_each(|stage| needs.add(stage));
    }
    let part = weight(stage) / needs.weight;
    let spare = end.wrapping_sub(start).wrapping_sub(needs.duration) as f64;
    let duration = up(stage.duration_ms, step);
    if early {
        (start, down(f64_to_i64(start.wrapping_add(duration) as f64 + spare * part), step))
    } else {
        (up(f64_to_i64(end.wrapping_sub(duration) as f64 - spare * part), step), end)
    }
}

struct Needs {
    step: i64,
    weight: f64,
    duration: i64,
}

impl Needs {
    fn add(&mut self, stage: &Stage) {
        self.weight += weight(stage);
        self.duration = self.duration.wrapping_add(up(stage.duration_ms, self.step));
    }
}

fn weight(stage: &Stage) -> f64 {
    stage.duration_ms.wrapping_mul(stage.capability.memory_mb()).wrapping_mul(i64::from(stage.containers)) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reservation::definition::Interpreter;
    use crate::resource::Resource;

    fn definition(interpreter: Interpreter) -> ReservationDefinition {
        let stage = |containers| Stage::new(Resource::new(100, 1), containers, 10);
        ReservationDefinition::new(0, 120, interpreter, vec![stage(1), stage(3)])
    }

    #[test]
    fn without_an_order_the_window_is_whole() {
        let window = Windows::ByDemand.of(&definition(Interpreter::All), 1, &Ledger::default(), (true, 1));
        assert_eq!(window, (0, 120));
    }

    #[test]
    fn what_is_spare_is_shared_by_demand() {
        let job = definition(Interpreter::Order);
        // 100 ms are spare: a quarter for the first, three for the second.
        assert_eq!(Windows::ByDemand.of(&job, 0, &Ledger::default(), (true, 1)), (0, 35));
        assert_eq!(Windows::ByDemand.of(&job, 1, &Ledger::default(), (false, 1)), (35, 120));
        assert_eq!(Windows::All.of(&job, 0, &Ledger::default(), (true, 1)), (0, 120));
    }
}

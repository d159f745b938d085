//! One scenario, step by step, held against its recording.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::compare;
use super::deviation::{Deviation, Mismatch, Place};
use super::drive::Player;
use super::options::PlayOptions;
use super::reason_lines::Words;
use super::scenario::Scenario;

/// Plays one scenario up to its first difference; with `trace` the reasons of each step go to standard output.
pub(super) fn play(scenario: &Scenario, how: PlayOptions, trace: bool) -> Option<Deviation> {
    let deviation = |place, mismatch| Some(Deviation { name: scenario.name.clone(), place, mismatch });
    let mut player = match Player::new(scenario, how, trace) {
        Ok(player) => player,
        Err(message) => {
            return deviation(Place::BeforeTheFirstStep, Mismatch::new("configuration", "taken", message));
        }
    };
    let types = player.types().clone();
    let words = Words::new(&types);
    let count = scenario.steps.len();
    for (index, (step, expected)) in scenario.steps.iter().zip(&scenario.expect).enumerate() {
        let place = Place::Step(index, step.op());
        let last = index + 1 == count;
        let all = last || expected.queues.is_some() || expected.apps.is_some();
        // A panic of the core is a failure of this scenario, not the end of the replay.
        let stepped = catch_unwind(AssertUnwindSafe(|| {
            let mut seen = player.step(step, all);
            seen.booked.plans = player.plans(last);
            seen
        }));
        let Ok(seen) = stepped else { return deviation(place, Mismatch::panic()) };
        if trace {
            let passes = player.take_trace();
            if !passes.is_empty() {
                crate::output::say!("{}, step {index} {step}", crate::output::line(&scenario.name));
                passes.iter().for_each(|pass| crate::output::write(format_args!("{}", words.pass(pass))));
            }
        }
        if let Some(mismatch) = compare::difference(&types, expected, &seen, last) {
            return deviation(place, mismatch);
        }
    }
    None
}

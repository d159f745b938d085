//! Replay: what real Hadoop did against what the core does.
//!
//! Three kinds of recordings: *scenarios* are runs, played on the stepped or the threaded driver with every field of
//! every step compared (with several workers: how far they get from it, `apart`); *vectors* are single inputs, mostly
//! configuration, with what came of each; *answers* are what a ResourceManager said over HTTP in a state. `outcome`
//! tells what came of it. `words` turns the core's reasons into lines, `explain` answers for one application.

#[cfg(test)]
mod altered;

mod amounts;

mod answers;

mod worker_distance;

#[cfg(test)]
mod why_answers;

#[cfg(test)]
mod why_answers_fair;

mod booking;

mod bookings;

mod capacity_compare;

mod capacity_driver;

mod capacity_scenario;

mod compare;

mod deviation;

mod drive;

mod driver;

mod explain;

mod explain_capacity;

mod input;

mod lines;

mod named;

mod on_engine;

mod options;

mod outcome;

mod play;

mod played;

mod record;

mod scenario;

mod timeline;

mod vectors;

mod reason_lines;

pub use explain::explain;
pub use options::{Asked, DriverChoice, ExplainOptions, PlayOptions, ReplayOptions, When};
pub use outcome::{Outcomes, Tally};
pub use record::{End, Grant, Happened, recorded};

use crate::bundled;
use crate::failure::Failure;
use capacity_scenario::CapacityScenario;
use deviation::{Deviation, Place};
use input::Suite;
use play::play;
use scenario::{Scenario, no_scenario};

/// Replays the bundled recordings.
#[must_use]
pub fn bundled_tally() -> Tally {
    let mut tally = Tally::default();
    for text in bundled::recordings() {
        let scenarios = scenario::parse(&text, "bundled recording").ok().unwrap_or_default();
        for scenario in &scenarios {
            tally.add(play(scenario, PlayOptions::EXACT, false).is_none());
        }
    }
    tally
}

/// Replays files.
///
/// # Errors
/// A file that cannot be read, or is neither a scenario file nor a vector file nor a recording of answers; nothing is
/// replayed then.
pub fn replay(options: &ReplayOptions) -> Result<Outcomes, Failure> {
    let suites: Vec<Suite> = options.files.iter().map(|path| Suite::read(path)).collect::<Result<_, _>>()?;
    let wanted = |scenario: &&Scenario| options.scenario.as_ref().is_none_or(|name| *name == scenario.name);
    if let Some(name) = &options.scenario {
        let all = || suites.iter().filter_map(Suite::scenarios).flatten();
        let of_capacity = suites.iter().any(|suite| match suite {
            Suite::Capacity(scenarios) => scenarios.iter().any(|scenario| scenario.name == *name),
            Suite::Scenarios(_) | Suite::Vectors(_) | Suite::Answers(_) => false,
        });
        if !of_capacity && !all().any(|scenario| wanted(&scenario)) {
            return Err(no_scenario(name, all()));
        }
    }
    let mut outcomes = Outcomes::default();
    for suite in &suites {
        match suite {
            Suite::Scenarios(scenarios) => {
                for scenario in scenarios.iter().filter(wanted) {
                    let outcome = outcomes.family("scenario", scenario.family());
                    if options.play.workers == 1 {
                        outcome.add(play(scenario, options.play, options.trace));
                    } else {
                        outcome.add_apart(worker_distance::measure(scenario, options.play));
                    }
                }
            }
            Suite::Capacity(scenarios) => {
                let PlayOptions { driver, workers, fold_every } = options.play;
                if workers != 1 || fold_every.is_some() || options.trace {
                    return Err(Failure::input(
                        "recordings of the CapacityScheduler are played by one worker and without a trace",
                    ));
                }
                let wanted = |one: &&CapacityScenario| options.scenario.as_ref().is_none_or(|name| *name == one.name);
                for scenario in scenarios.iter().filter(wanted) {
                    outcomes.family("scenario", &format!("capacity {}", scenario.family())).add(scenario.play(driver));
                }
            }
            Suite::Vectors(_) | Suite::Answers(_) if options.scenario.is_some() => {}
            Suite::Answers(answers) => answers.play(outcomes.family("answers", &answers.family)),
            Suite::Vectors(vectors) => {
                let outcome = outcomes.family("vector", vectors.family);
                for case in &vectors.cases {
                    let deviation = |mismatch| Deviation { name: case.name.clone(), place: Place::Case, mismatch };
                    outcome.add(vectors.difference(case).map(deviation));
                }
            }
        }
    }
    Ok(outcomes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bundled_recordings_are_scenarios_of_six_families() {
        let families: std::collections::BTreeSet<String> = bundled::recordings()
            .flat_map(|text| scenario::parse(&text, "bundled").unwrap())
            .map(|scenario| scenario.family().to_owned())
            .collect();
        let names: Vec<&str> = families.iter().map(String::as_str).collect();
        assert_eq!(names, ["assign", "drf", "fair", "fifo", "normalize", "shares"]);
    }

    #[test]
    fn a_broken_line_is_named_with_its_place() {
        let error = scenario::parse("\n{\"name\": 1}", "s.jsonl").unwrap_err();
        let Failure::Input(message) = error else { panic!("wrong input is what it is") };
        assert!(message.starts_with("s.jsonl:2:10: invalid type"), "{message}");
    }
}

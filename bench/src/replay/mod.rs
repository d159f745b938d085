//! Replay: what real Hadoop did against what the core does.
//!
//! Two kinds of recordings: *scenarios* are runs, played on the stepped or the threaded driver with every field of every
//! step compared (with several workers: how far they get from it, `apart`); *vectors* are single inputs, mostly
//! configuration, with what came of each. `words` turns the core's reasons into lines, `explain` answers for one application.

mod apart;

mod compare;

mod drive;

mod driver;

mod explain;

mod input;

mod scenario;

mod vectors;

mod words;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::{Value, json};

use crate::bundled;
use crate::cli::{PlayArgs, ReplayArgs};
use crate::failure::Failure;
use apart::Apart;
use compare::Mismatch;
use drive::Player;
pub(crate) use explain::run as explain;
use input::Suite;
use scenario::Scenario;
use words::Words;

/// How many scenarios or cases came out as recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: u32,
    pub(crate) failed: u32,
}

impl Tally {
    pub(crate) fn total(self) -> u32 {
        self.passed + self.failed
    }

    fn add(&mut self, passed: bool) {
        if passed {
            self.passed += 1;
        } else {
            self.failed += 1;
        }
    }
}

/// Where the core went another way than the recording.
#[derive(Debug)]
struct Deviation {
    /// The scenario or case.
    name: String,
    place: Place,
    mismatch: Mismatch,
}

/// Where in a scenario or case.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// A case is all one.
    Case,
    BeforeTheFirstStep,
    /// The step's number from 0, and its name.
    Step(usize, &'static str),
}

/// Plays one scenario up to its first difference; with `trace` the reasons of each step go to standard output.
fn play(scenario: &Scenario, args: PlayArgs, trace: bool) -> Option<Deviation> {
    let deviation = |place, mismatch| Some(Deviation { name: scenario.name.clone(), place, mismatch });
    let mut player = match Player::new(scenario, args, trace) {
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
        let Ok(seen) = catch_unwind(AssertUnwindSafe(|| player.step(step, all))) else {
            return deviation(place, Mismatch::panic());
        };
        if trace {
            let passes = player.take_trace();
            if !passes.is_empty() {
                println!("{}, step {index} {step}", scenario.name);
                passes.iter().for_each(|pass| print!("{}", words.pass(pass)));
            }
        }
        if let Some(mismatch) = compare::difference(&types, expected, &seen, last) {
            return deviation(place, mismatch);
        }
    }
    None
}

/// Replays the bundled recordings.
pub(crate) fn bundled_tally() -> Tally {
    let mut tally = Tally::default();
    for text in bundled::recordings() {
        let scenarios = scenario::parse(&text, "bundled recording").ok().unwrap_or_default();
        for scenario in &scenarios {
            tally.add(play(scenario, PlayArgs::EXACT, false).is_none());
        }
    }
    tally
}

/// The results of one family.
#[derive(Debug, Default)]
struct Outcome {
    /// Of several workers: whose books balance, and whose do not.
    tally: Tally,
    deviations: Vec<Deviation>,
    /// Of several workers: the furthest from a recording.
    apart: Option<Apart>,
}

impl Outcome {
    fn add(&mut self, deviation: Option<Deviation>) {
        self.tally.add(deviation.is_none());
        self.deviations.extend(deviation);
    }

    /// Plays a scenario on several workers.
    fn add_apart(&mut self, scenario: &Scenario, args: PlayArgs) {
        match apart::measure(scenario, args) {
            Ok(apart) => {
                self.apart = Some(self.apart.unwrap_or_default().most(apart));
                self.add(None);
            }
            Err(deviation) => self.add(Some(*deviation)),
        }
    }
}

/// By kind and family: some scenarios and some vectors have a family of the same name.
type Outcomes = BTreeMap<(&'static str, String), Outcome>;

/// `evenweave replay`: whether everything passed.
///
/// # Errors
/// A file that cannot be read, or is neither a scenario file nor a vector file; nothing is replayed then.
pub(crate) fn run(args: &ReplayArgs) -> Result<bool, Failure> {
    let suites: Vec<Suite> = args.files.iter().map(|path| Suite::read(path)).collect::<Result<_, _>>()?;
    let wanted = |scenario: &&Scenario| args.scenario.as_ref().is_none_or(|name| *name == scenario.name);
    if let Some(name) = &args.scenario {
        let all = || suites.iter().filter_map(Suite::scenarios).flatten();
        if !all().any(|scenario| wanted(&scenario)) {
            return Err(no_scenario(name, all()));
        }
    }
    let mut outcomes = Outcomes::new();
    for suite in &suites {
        match suite {
            Suite::Scenarios(scenarios) => {
                for scenario in scenarios.iter().filter(wanted) {
                    let key = ("scenario", scenario.family().to_owned());
                    let outcome = outcomes.entry(key).or_default();
                    if args.play.workers == 1 {
                        outcome.add(play(scenario, args.play, args.trace));
                    } else {
                        outcome.add_apart(scenario, args.play);
                    }
                }
            }
            Suite::Vectors(_) if args.scenario.is_some() => {}
            Suite::Vectors(vectors) => {
                let outcome = outcomes.entry(("vector", vectors.family.to_owned())).or_default();
                for case in &vectors.cases {
                    let deviation = |mismatch| Deviation { name: case.name.clone(), place: Place::Case, mismatch };
                    outcome.add(vectors.difference(case).map(deviation));
                }
            }
        }
    }
    if args.json {
        println!("{}", as_json(&outcomes));
    } else {
        print(&outcomes, args.show);
    }
    Ok(outcomes.values().all(|outcome| outcome.tally.failed == 0))
}

/// There is no scenario of a name.
fn no_scenario<'a>(name: &str, scenarios: impl Iterator<Item = &'a Scenario>) -> Failure {
    Failure::input(format!("there is no scenario {name:?}; there are: {}", list(scenarios.map(|other| &other.name))))
}

/// Some of many, for a message.
fn list(of: impl Iterator<Item = impl ToString>) -> String {
    const MOST: usize = 40;
    let all: Vec<String> = of.map(|one| one.to_string()).collect();
    match all.len() {
        0 => "none".to_owned(),
        1..=MOST => all.join(", "),
        more => format!("{}, … {} more", all[..MOST].join(", "), more - MOST),
    }
}

fn print(outcomes: &Outcomes, most: usize) {
    for ((_, family), Outcome { tally, deviations, apart }) in outcomes {
        println!("{family}: {} passed, {} failed", tally.passed, tally.failed);
        if let Some(Apart { app, queue, other_answers, .. }) = apart {
            println!(
                "  at most {app} containers of an application and {queue} of a queue apart from the recording; \
                 {other_answers} steps answered otherwise"
            );
        }
        for Deviation { name, place, mismatch } in deviations.iter().take(most) {
            let place = match place {
                Place::Case => String::new(),
                Place::BeforeTheFirstStep => ", before the first step".to_owned(),
                Place::Step(index, op) => format!(", step {index} {op}"),
            };
            println!("  {name}{place}: {}", mismatch.field);
            println!("    - expected {}", mismatch.expected);
            println!("    + got      {}", mismatch.got);
        }
        if deviations.len() > most {
            println!("  … {} more", deviations.len() - most);
        }
    }
}

fn as_json(outcomes: &Outcomes) -> Value {
    let failure = |kind: &str, Deviation { name, place, mismatch }: &Deviation| {
        let mut out = json!({"field": mismatch.field, "expected": mismatch.expected, "got": mismatch.got});
        out[kind] = name.as_str().into();
        let step = match place {
            Place::Case => return out,
            Place::BeforeTheFirstStep => None,
            Place::Step(index, op) => Some((*index, *op)),
        };
        out["step"] = json!(step.map(|(index, _)| index));
        out["op"] = json!(step.map(|(_, op)| op));
        out
    };
    let list: Vec<Value> = outcomes
        .iter()
        .map(|((kind, family), Outcome { tally, deviations, apart })| {
            let failures: Vec<Value> = deviations.iter().map(|deviation| failure(kind, deviation)).collect();
            let (passed, failed) = (tally.passed, tally.failed);
            let mut out =
                json!({"kind": kind, "family": family, "passed": passed, "failed": failed, "failures": failures});
            if let Some(Apart { app, queue, other_answers, largest_step }) = apart {
                out["apart"] = json!({
                    "app": app, "queue": queue, "other_answers": other_answers, "largest_step": largest_step,
                });
            }
            out
        })
        .collect();
    let sum = |of: fn(&Tally) -> u32| outcomes.values().map(|outcome| of(&outcome.tally)).sum::<u32>();
    json!({"passed": sum(|tally| tally.passed), "failed": sum(|tally| tally.failed), "families": list})
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

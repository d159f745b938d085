//! Replay: recorded runs of real Hadoop on the stepped driver, every field of every step compared.

mod compare;

mod drive;

mod scenario;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::{Value, json};

use crate::bundled;
use crate::cli::ReplayArgs;
use crate::failure::Failure;
use crate::load::read_file;
use compare::Mismatch;
use drive::Player;
use scenario::Scenario;

/// How many scenarios were decided as recorded.
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

/// Where a scenario went another way than the recording.
#[derive(Debug)]
struct Deviation {
    scenario: String,
    /// The step's number from 0 and its name; `None` before the first.
    step: Option<(usize, &'static str)>,
    mismatch: Mismatch,
}

/// Plays one scenario up to its first difference.
fn play(scenario: &Scenario) -> Option<Deviation> {
    let deviation = |step, mismatch| Some(Deviation { scenario: scenario.name.clone(), step, mismatch });
    let wrong = |field: &str, expected: &str, got: String| Mismatch {
        field: field.to_owned(),
        expected: expected.to_owned(),
        got,
    };
    let mut player = match Player::new(scenario) {
        Ok(player) => player,
        Err(message) => return deviation(None, wrong("configuration", "taken", message)),
    };
    let count = scenario.steps.len();
    for (index, (step, expected)) in scenario.steps.iter().zip(&scenario.expect).enumerate() {
        let place = Some((index, step.op()));
        let last = index + 1 == count;
        let all = last || expected.queues.is_some() || expected.apps.is_some();
        // A panic of the core is a failure of this scenario, not the end of the replay.
        let Ok(seen) = catch_unwind(AssertUnwindSafe(|| player.step(step, all))) else {
            return deviation(place, wrong("panic", "none", "the core panicked; its message is above".to_owned()));
        };
        if let Some(mismatch) = compare::difference(player.types(), expected, &seen, last) {
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
            tally.add(play(scenario).is_none());
        }
    }
    tally
}

/// `evenweave replay`: whether everything passed.
///
/// # Errors
/// A file that cannot be read or is no scenario file; nothing is replayed then.
pub(crate) fn run(args: &ReplayArgs) -> Result<bool, Failure> {
    let mut files = Vec::with_capacity(args.files.len());
    for path in &args.files {
        files.push(scenario::parse(&read_file(path, "scenario file")?, &path.display().to_string())?);
    }
    let mut families: BTreeMap<String, (Tally, Vec<Deviation>)> = BTreeMap::new();
    for scenario in files.iter().flatten() {
        let (tally, deviations) = families.entry(scenario.family().to_owned()).or_default();
        let deviation = play(scenario);
        tally.add(deviation.is_none());
        deviations.extend(deviation);
    }
    if args.json {
        println!("{}", as_json(&families));
    } else {
        print(&families, args.show);
    }
    Ok(families.values().all(|(tally, _)| tally.failed == 0))
}

fn print(families: &BTreeMap<String, (Tally, Vec<Deviation>)>, most: usize) {
    for (family, (tally, deviations)) in families {
        println!("{family}: {} passed, {} failed", tally.passed, tally.failed);
        for Deviation { scenario, step, mismatch } in deviations.iter().take(most) {
            let place = step.map_or_else(|| "before the first step".to_owned(), |(i, op)| format!("step {i} {op}"));
            println!("  {scenario}, {place}: {}", mismatch.field);
            println!("    - expected {}", mismatch.expected);
            println!("    + got      {}", mismatch.got);
        }
        if deviations.len() > most {
            println!("  … {} more", deviations.len() - most);
        }
    }
}

fn as_json(families: &BTreeMap<String, (Tally, Vec<Deviation>)>) -> Value {
    let failure = |deviation: &Deviation| {
        json!({
            "scenario": deviation.scenario,
            "step": deviation.step.map(|(index, _)| index),
            "op": deviation.step.map(|(_, op)| op),
            "field": deviation.mismatch.field,
            "expected": deviation.mismatch.expected,
            "got": deviation.mismatch.got,
        })
    };
    let list: Vec<Value> = families
        .iter()
        .map(|(family, (tally, deviations))| {
            let failures: Vec<Value> = deviations.iter().map(failure).collect();
            json!({"family": family, "passed": tally.passed, "failed": tally.failed, "failures": failures})
        })
        .collect();
    let sum = |of: fn(&Tally) -> u32| families.values().map(|(tally, _)| of(tally)).sum::<u32>();
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

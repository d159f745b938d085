//! Recordings of the CapacityScheduler, played on the engine.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::Value;

use super::capacity_compare::difference;
use super::deviation::{Deviation, Mismatch, Place};
use super::lines::{filled_lines, parse_line};
use super::on_engine::OnEngine;
use super::options::DriverChoice;
use crate::failure::Failure;

/// Names of steps.
const STEPS: [&str; 24] = [
    "node-add",
    "node-remove",
    "heartbeat",
    "round",
    "submit",
    "ask",
    "release",
    "launch",
    "complete",
    "finish",
    "update",
    "advance",
    "priority",
    "move",
    "reload",
    "preempt",
    "node-resize",
    "decommission",
    "recommission",
    "attempt",
    "restart",
    "recover-app",
    "labels",
    "cluster-labels",
];

/// One recorded run.
#[derive(Debug)]
pub(super) struct CapacityScenario {
    pub(super) name: String,
    whole: Value,
}

fn list<'a>(of: &'a Value, field: &str) -> &'a [Value] {
    of.get(field).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Reads a file of them.
///
/// # Errors
/// At the first line that is no such scenario, with its place.
pub(super) fn parse(text: &str, file: &str) -> Result<Vec<CapacityScenario>, Failure> {
    let mut out = Vec::new();
    for (line_number, line) in filled_lines(text) {
        let hint = "a line is one scenario: an object with name, scheduler, capacity, steps and expect";
        let whole: Value = parse_line(line, file, line_number, hint)?;
        let name = whole.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        let is_one = whole.get("scheduler").and_then(Value::as_str) == Some("capacity");
        if !is_one || list(&whole, "steps").len() != list(&whole, "expect").len() {
            return Err(Failure::input(format!(
                "{file}:{line_number}:1: {name:?} must be a scenario of the CapacityScheduler with one expectation for \
                 each step"
            )));
        }
        out.push(CapacityScenario { name, whole });
    }
    Ok(out)
}

impl CapacityScenario {
    pub(super) fn whole(&self) -> &Value {
        &self.whole
    }

    pub(super) fn steps(&self) -> &[Value] {
        list(&self.whole, "steps")
    }

    /// The family: the name without seed and number.
    pub(super) fn family(&self) -> &str {
        self.name.rsplitn(3, '-').nth(2).unwrap_or(&self.name)
    }

    /// Plays it up to its first difference.
    pub(super) fn play(&self, driver: DriverChoice) -> Option<Deviation> {
        let deviation = |place, mismatch| Some(Deviation { name: self.name.clone(), place, mismatch });
        let mut engine = match OnEngine::new(&self.whole, driver) {
            Ok(engine) => engine,
            Err(error) => {
                let mismatch = Mismatch::new("configuration", "taken", error);
                return deviation(Place::BeforeTheFirstStep, mismatch);
            }
        };
        let steps = list(&self.whole, "steps");
        for (index, (step, expected)) in steps.iter().zip(list(&self.whole, "expect")).enumerate() {
            let op = step.get("op").and_then(Value::as_str).unwrap_or_default();
            let op = STEPS.iter().find(|name| **name == op).copied().unwrap_or("unknown step");
            let shown = catch_unwind(AssertUnwindSafe(|| engine.step(step, index + 1 == steps.len())));
            let mismatch = match shown {
                Err(_) => Mismatch::panic(),
                Ok(shown) => match difference(expected, &shown) {
                    Some((field, expected, got)) => Mismatch::new(field, expected, got),
                    None => continue,
                },
            };
            return deviation(Place::Step(index, op), mismatch);
        }
        None
    }
}

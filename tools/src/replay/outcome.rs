//! What came of a replay: how many scenarios and cases passed, by family, and where the others differ.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::deviation::{Deviation, Place};
use super::worker_distance::Apart;

/// How many scenarios or cases came out as recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Those that did.
    pub passed: u32,
    /// Those that did not.
    pub failed: u32,
}

impl Tally {
    /// Both.
    #[must_use]
    pub fn total(self) -> u32 {
        self.passed + self.failed
    }

    pub(super) fn add(&mut self, passed: bool) {
        if passed {
            self.passed += 1;
        } else {
            self.failed += 1;
        }
    }
}

/// The results of one family.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// Of several workers: whose books balance, and whose do not.
    tally: Tally,
    deviations: Vec<Deviation>,
    /// Of several workers: the furthest from a recording.
    apart: Option<Apart>,
}

impl Outcome {
    pub(super) fn add(&mut self, deviation: Option<Deviation>) {
        self.tally.add(deviation.is_none());
        self.deviations.extend(deviation);
    }

    /// Of a scenario that several workers have played.
    pub(super) fn add_apart(&mut self, measured: Result<Apart, Box<Deviation>>) {
        match measured {
            Ok(apart) => {
                self.apart = Some(self.apart.unwrap_or_default().most(apart));
                self.add(None);
            }
            Err(deviation) => self.add(Some(*deviation)),
        }
    }
}

/// The results of all families, by kind and name: some scenarios and some vectors have a family of the same name.
#[derive(Debug, Default)]
pub struct Outcomes(BTreeMap<(&'static str, String), Outcome>);

impl Outcomes {
    /// The family of a kind, `scenario`, `vector` or `answers`.
    pub(super) fn family(&mut self, kind: &'static str, family: &str) -> &mut Outcome {
        self.0.entry((kind, family.to_owned())).or_default()
    }

    /// Of all families together.
    #[must_use]
    pub fn tally(&self) -> Tally {
        let sum = |of: fn(&Tally) -> u32| self.0.values().map(|outcome| of(&outcome.tally)).sum::<u32>();
        Tally { passed: sum(|tally| tally.passed), failed: sum(|tally| tally.failed) }
    }

    /// For people: a line a family, and at most so many of its deviations.
    #[must_use]
    pub fn text(&self, most: usize) -> String {
        let mut out = String::new();
        for ((_, family), outcome) in &self.0 {
            // Writing to a text cannot fail.
            let _ = outcome.tell(&mut out, family, most);
        }
        out
    }

    /// For programs.
    #[must_use]
    pub fn json(&self) -> Value {
        let Tally { passed, failed } = self.tally();
        let list: Vec<Value> = self.0.iter().map(|((kind, family), outcome)| outcome.json(kind, family)).collect();
        json!({"passed": passed, "failed": failed, "families": list})
    }
}

impl Outcome {
    fn tell(&self, out: &mut String, family: &str, most: usize) -> std::fmt::Result {
        let Outcome { tally, deviations, apart } = self;
        writeln!(out, "{family}: {} passed, {} failed", tally.passed, tally.failed)?;
        if let Some(Apart { app, queue, other_answers, .. }) = apart {
            writeln!(
                out,
                "  at most {app} containers of an application and {queue} of a queue apart from the recording; \
                 {other_answers} steps answered otherwise"
            )?;
        }
        for Deviation { name, place, mismatch } in deviations.iter().take(most) {
            let place = match place {
                Place::Case => String::new(),
                Place::BeforeTheFirstStep => ", before the first step".to_owned(),
                Place::Step(index, op) => format!(", step {index} {op}"),
            };
            writeln!(out, "  {name}{place}: {}", mismatch.field)?;
            writeln!(out, "    - expected {}", mismatch.expected)?;
            writeln!(out, "    + got      {}", mismatch.got)?;
        }
        if deviations.len() > most {
            writeln!(out, "  … {} more", deviations.len() - most)?;
        }
        Ok(())
    }

    fn json(&self, kind: &str, family: &str) -> Value {
        let Outcome { tally: Tally { passed, failed }, deviations, apart } = self;
        let failures: Vec<Value> = deviations.iter().map(|deviation| deviation.json(kind)).collect();
        let mut out = json!({"kind": kind, "family": family, "passed": passed, "failed": failed, "failures": failures});
        if let Some(Apart { app, queue, other_answers, largest_step }) = apart {
            out["apart"] = json!({
                "app": app, "queue": queue, "other_answers": other_answers, "largest_step": largest_step,
            });
        }
        out
    }
}

impl Deviation {
    fn json(&self, kind: &str) -> Value {
        let Deviation { name, place, mismatch } = self;
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
    }
}

//! Answers: what a real ResourceManager said over HTTP in a state; the state is made again, and what is said then must
//! be the same.
//!
//! A file holds one state, and its name without its ending is the family's; each request is a case.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use evenweave_server::recording::{Case, Recording};
use serde::Deserialize;

use super::deviation::{Deviation, Mismatch, Place};
use super::outcome::Outcome;
use crate::failure::Failure;

/// What tells such a file from others.
#[derive(Deserialize)]
struct Kind {
    responses: Option<serde::de::IgnoredAny>,
}

/// A recorded state.
#[derive(Debug)]
pub(super) struct Answers {
    pub(super) family: String,
    recording: Recording,
}

/// Whether a text is a recording of answers.
pub(super) fn are_in(text: &str) -> bool {
    serde_json::from_str::<Kind>(text).is_ok_and(|kind| kind.responses.is_some())
}

/// Reads a file of them.
///
/// # Errors
/// What is wrong with it, with its place.
pub(super) fn parse(text: &str, path: &Path) -> Result<Answers, Failure> {
    let recording = Recording::parse(text).map_err(|error| {
        Failure::input(format!("{}:{}:{}: {}", path.display(), error.line, error.column, error.why))
    })?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    let family = name.strip_suffix(".json").unwrap_or(name).to_owned();
    Ok(Answers { family, recording })
}

impl Answers {
    /// Makes the state and asks everything.
    pub(super) fn play(&self, into: &mut Outcome) {
        let deviation = |name: &str, place, mismatch| Deviation { name: name.to_owned(), place, mismatch };
        let all = &self.recording.name;
        // A panic of the core is a failure of this state, not the end of the replay.
        let cases: Vec<Case> = match catch_unwind(AssertUnwindSafe(|| self.recording.play())) {
            Ok(Ok(cases)) => cases,
            Ok(Err(why)) => {
                let mismatch = Mismatch::new("configuration", "taken", why);
                return into.add(Some(deviation(all, Place::BeforeTheFirstStep, mismatch)));
            }
            Err(_) => return into.add(Some(deviation(all, Place::Case, Mismatch::panic()))),
        };
        for Case { name, difference } in cases {
            into.add(difference.map(|differs| {
                deviation(&name, Place::Case, Mismatch::new(differs.place, differs.expected, differs.got))
            }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recording_is_told_by_its_responses() {
        assert!(are_in("{\n \"name\": \"x\",\n \"responses\": []\n}"));
        assert!(!are_in("{\"name\": \"x\", \"steps\": []}\n{\"name\": \"y\", \"steps\": []}"));
        assert!(parse("{\"responses\": []}", Path::new("x.json")).is_err());
    }
}

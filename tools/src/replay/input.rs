//! Files to be replayed: plain or gzip; scenarios, vectors or answers over HTTP, told apart by what they have in them.

use std::io::Read;
use std::path::Path;

use flate2::read::MultiGzDecoder;
use serde::Deserialize;

use super::answers::{self, Answers};
use super::capacity_scenario::{self, CapacityScenario};
use super::lines::{filled_lines, parse_line};

use super::scenario::{self, Scenario};
use super::vectors::{self, Vectors};
use crate::api::read_file;
use crate::failure::Failure;

/// The most bytes that an unpacked file may have. The largest recording has a few million.
const LONGEST: u64 = 1 << 30;

const GZIP: [u8; 2] = [0x1f, 0x8b];

/// What a file holds.
#[derive(Debug)]
pub(super) enum Suite {
    Scenarios(Vec<Scenario>),
    Capacity(Vec<CapacityScenario>),
    Vectors(Vectors),
    Answers(Box<Answers>),
}

/// What tells a scenario from a vector; everything else is read later.
#[derive(Deserialize)]
struct Kind {
    scheduler: Option<String>,
    steps: Option<serde::de::IgnoredAny>,
    input: Option<serde::de::IgnoredAny>,
}

impl Suite {
    /// The scenarios, where it has some.
    pub(super) fn scenarios(&self) -> Option<&[Scenario]> {
        match self {
            Suite::Scenarios(scenarios) => Some(scenarios),
            Suite::Capacity(_) | Suite::Vectors(_) | Suite::Answers(_) => None,
        }
    }

    /// Reads a file and everything in it.
    ///
    /// # Errors
    /// A file that cannot be read, a line that is neither kind, or not of the same kind as the first.
    pub(super) fn read(path: &Path) -> Result<Suite, Failure> {
        let (text, file) = (read_text(path)?, path.display().to_string());
        if answers::are_in(&text) {
            return answers::parse(&text, path).map(|answers| Suite::Answers(Box::new(answers)));
        }
        let (number, first) = filled_lines(&text).next().ok_or_else(|| {
            Failure::input(format!(
                "{file}:1:1: the file is empty; a line is one scenario or one case of a vector file"
            ))
        })?;
        let kind: Kind = parse_line(first, &file, number, "a line is one JSON object, a scenario or a case")?;
        match kind {
            Kind { steps: Some(_), scheduler: Some(scheduler), .. } if scheduler == "capacity" => {
                capacity_scenario::parse(&text, &file).map(Suite::Capacity)
            }
            Kind { steps: Some(_), .. } => scenario::parse(&text, &file).map(Suite::Scenarios),
            Kind { input: Some(_), .. } => vectors::parse(&text, path).map(Suite::Vectors),
            Kind { .. } => Err(Failure::input(format!(
                "{file}:{number}:1: neither \"steps\", which a scenario has, nor \"input\", which a case of a vector \
                 file has, nor \"responses\", which a recording of answers has"
            ))),
        }
    }
}

/// A file's text, unpacked where it begins as gzip does.
fn read_text(path: &Path) -> Result<String, Failure> {
    let wrong = |what: String| Failure::input(format!("{}: {what}", path.display()));
    let unreadable =
        |error: std::io::Error| wrong(format!("{error}; it must be a file of JSON lines that can be read"));
    let bytes = read_file(path, LONGEST).map_err(unreadable)?;
    if !bytes.starts_with(&GZIP) {
        return String::from_utf8(bytes).map_err(|error| wrong(format!("{error}; it must be text in UTF-8")));
    }
    let mut text = String::new();
    let read = MultiGzDecoder::new(bytes.as_slice()).take(LONGEST + 1).read_to_string(&mut text).map_err(unreadable)?;
    if read as u64 > LONGEST {
        return Err(wrong(format!("unpacks to more than {LONGEST} bytes; cut it into several files")));
    }
    Ok(text)
}

//! Lines of JSON: those of a file, and what is wrong with one.

use serde::de::DeserializeOwned;

use crate::failure::Failure;

/// The lines that are not blank, with their numbers from 1.
pub(super) fn filled_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).map(|(index, line)| (index + 1, line))
}

/// Reads one line; an error has its place and the `hint`.
pub(super) fn parse_line<T: DeserializeOwned>(line: &str, file: &str, number: usize, hint: &str) -> Result<T, Failure> {
    serde_json::from_str(line).map_err(|error| {
        // serde_json counts lines from one within its own text, which is one line.
        let what = error.to_string();
        let what = what.rsplit_once(" at line ").map_or(what.as_str(), |(what, _)| what);
        Failure::input(format!("{file}:{number}:{}: {what}; {hint}", error.column()))
    })
}

//! A trace's lines: one at a time, numbered, none of endless length.

use std::io::{BufRead, Read};

use super::error::{At, TraceFileError};
use super::source::{Bytes, Source};

/// A line of fields is shorter.
const LONGEST: u64 = 1 << 16;

/// See the module's text.
pub(super) struct Lines {
    bytes: Bytes,
    pub(super) name: String,
    /// The number of the line that was given last, from 1.
    pub(super) number: u64,
    /// What a line looks like, for errors.
    example: &'static str,
}

impl Lines {
    pub(super) fn new(source: Source, example: &'static str) -> Lines {
        Lines { bytes: source.bytes, name: source.name, number: 0, example }
    }

    /// Reads the next line that is not blank into `line`, without its end. Whether there is one.
    ///
    /// # Errors
    /// A stream that cannot be read, a line that is far too long or no text.
    pub(super) fn next(&mut self, line: &mut String) -> Result<bool, TraceFileError> {
        loop {
            let mut bytes = std::mem::take(line).into_bytes();
            bytes.clear();
            let read = Read::take(&mut self.bytes, LONGEST).read_until(b'\n', &mut bytes);
            let length = read.map_err(|error| TraceFileError::unreadable(&self.name, &error))?;
            if length == 0 {
                return Ok(false);
            }
            self.number += 1;
            let fail = |problem: &str| Err(self.wrong(1, problem, self.example));
            if length as u64 == LONGEST && !bytes.ends_with(b"\n") {
                return fail("the line is longer than 65536 bytes");
            }
            let Ok(text) = String::from_utf8(bytes) else { return fail("the line is no text in UTF-8") };
            *line = text;
            line.truncate(line.trim_end_matches(['\n', '\r']).len());
            if self.number == 1 && line.starts_with('\u{feff}') {
                line.remove(0);
            }
            if !line.trim().is_empty() {
                return Ok(true);
            }
        }
    }

    /// What is wrong at a column of the line that was given last.
    pub(super) fn wrong(&self, column: u64, problem: impl Into<String>, help: impl Into<String>) -> TraceFileError {
        TraceFileError::new(&self.name, At { line: self.number.max(1), column }, problem, help)
    }
}

//! Why a trace cannot be read, and where.

use std::fmt;

use crate::system_fault::SystemFault;

/// A place in a file, both counted from 1; the column in characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct At {
    /// The line.
    pub line: u64,
    /// The column.
    pub column: u64,
}

impl At {
    /// Where a file begins.
    pub(super) const START: At = At { line: 1, column: 1 };
}

/// Why a trace cannot be read: where, what is wrong, what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceFileError {
    /// The file's name as it was given.
    pub file: String,
    /// Where in it; none where it cannot be read at all.
    pub at: Option<At>,
    /// Why it cannot be read at all, where the operating system says so.
    pub system: Option<SystemFault>,
    /// What is wrong.
    pub problem: String,
    /// What would be right.
    pub help: String,
}

impl TraceFileError {
    pub(super) fn new(file: &str, at: At, problem: impl Into<String>, help: impl Into<String>) -> TraceFileError {
        TraceFileError { file: file.to_owned(), at: Some(at), system: None, problem: problem.into(), help: help.into() }
    }

    pub(super) fn unreadable(file: &str, error: &std::io::Error) -> TraceFileError {
        let help = "it must be a file that can be read".to_owned();
        TraceFileError { file: file.to_owned(), at: None, system: Some(error.into()), problem: error.to_string(), help }
    }
}

/// On one line: place, what is wrong, what would be right.
impl fmt::Display for TraceFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        if let Some(At { line, column }) = self.at {
            write!(f, ":{line}:{column}")?;
        }
        write!(f, ": {}; {}", self.problem, self.help)
    }
}

impl std::error::Error for TraceFileError {}

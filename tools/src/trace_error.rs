//! A line of a trace that is wrong, shown with the line.

use std::sync::Arc;

use miette::{Diagnostic, NamedSource, SourceSpan};

use crate::traces::FieldProblem;

/// What is wrong in the text of a trace, and where.
#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("{file}:{line}:{column}: {problem}")]
pub struct TraceError {
    file: String,
    line: usize,
    column: usize,
    problem: String,
    #[help]
    expected: String,
    #[source_code]
    text: NamedSource<Arc<String>>,
    #[label("here")]
    place: SourceSpan,
}

impl TraceError {
    /// In this line, counted from 1, which begins at this byte of the text.
    #[must_use]
    pub fn new(file: &str, text: &Arc<String>, line: usize, start: usize, wrong: FieldProblem) -> TraceError {
        let FieldProblem { offset, length, column, problem, expected } = wrong;
        TraceError {
            file: file.to_owned(),
            line,
            column,
            problem,
            expected,
            text: NamedSource::new(file, Arc::clone(text)),
            place: (start + offset, length).into(),
        }
    }
}

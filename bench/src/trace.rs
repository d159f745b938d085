//! Job traces in SWIM's form: one job a line, six fields with a tab between them.
//!
//! | field | unit |
//! | --- | --- |
//! | job id | text |
//! | submit time | seconds since the trace began |
//! | gap | seconds since the job before |
//! | map input, shuffle, reduce output | bytes |
//!
//! The bundled trace is a day of Facebook's production cluster of 2009, sampled by the SWIM project
//! (`data/LICENSE.SWIM`).

use std::sync::Arc;

use miette::{Diagnostic, NamedSource, SourceSpan};

use crate::traces::{FieldProblem, SWIM_EXAMPLE, SwimLine};

/// One job of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TraceJob {
    /// Input of the map tasks, bytes.
    pub(crate) map_input: u64,
    /// What goes from maps to reduces, bytes.
    pub(crate) shuffle: u64,
    /// What the reduces write, bytes.
    pub(crate) output: u64,
}

/// Why a text is no trace, and where.
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

/// Reads a whole trace; blank lines are passed over.
///
/// # Errors
/// At the first line that is not six fields of the right kind, or when there is no job at all.
pub(crate) fn parse(text: String, file: &str) -> Result<Vec<TraceJob>, Box<TraceError>> {
    let text = Arc::new(text);
    let fail = |line: usize, start: usize, wrong: FieldProblem| {
        let FieldProblem { offset, length, column, problem, expected } = wrong;
        Box::new(TraceError {
            file: file.to_owned(),
            line,
            column,
            problem,
            expected,
            text: NamedSource::new(file, Arc::clone(&text)),
            place: (start + offset, length).into(),
        })
    };
    let mut jobs = Vec::new();
    let mut start = 0;
    for (index, raw) in text.split('\n').enumerate() {
        let line = raw.strip_suffix('\r').unwrap_or(raw);
        if !line.trim().is_empty() {
            let read = SwimLine::parse(line).map_err(|wrong| fail(index + 1, start, wrong))?;
            jobs.push(TraceJob { map_input: read.map_input, shuffle: read.shuffle, output: read.output });
        }
        start += raw.len() + 1;
    }
    if jobs.is_empty() {
        let (problem, expected) = ("no job in the trace".to_owned(), SWIM_EXAMPLE.to_owned());
        return Err(fail(1, 0, FieldProblem { offset: 0, length: 0, column: 1, problem, expected }));
    }
    Ok(jobs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        parse(text.to_owned(), "t.tsv").unwrap_err().to_string()
    }

    #[test]
    fn a_line_is_a_job_and_line_ends_do_not_matter() {
        let jobs = parse("job0\t49\t49\t1\t2\t3\r\n\njob1\t50\t1\t4\t5\t6".to_owned(), "t.tsv").unwrap();
        assert_eq!(jobs.len(), 2);
        assert_eq!(jobs[1], TraceJob { map_input: 4, shuffle: 5, output: 6 });
    }

    #[test]
    fn an_error_names_file_line_column_and_field() {
        assert_eq!(
            error("job0\t49\t49\t1\t2\t3\njob1\t50\t1\tx4\t5\t6\n"),
            "t.tsv:2:11: map input bytes \"x4\" is not a whole number"
        );
        assert_eq!(error("j\t1\t1\t-1\t2\t3"), "t.tsv:1:7: map input bytes \"-1\" is not a whole number");
        assert_eq!(error("j\t1\t1"), "t.tsv:1:6: the line ends after 3 of six fields: map input bytes is missing");
        assert_eq!(error("j\t1\t1\t1\t1\t1\t1"), "t.tsv:1:13: a seventh field");
        assert_eq!(error("\n\n"), "t.tsv:1:1: no job in the trace");
    }

    #[test]
    fn the_bundled_trace_is_whole() {
        assert_eq!(crate::bundled::trace().len(), 5_894);
    }
}

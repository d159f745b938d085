//! The jobs of a load, from a trace of any form that [`crate::traces`] reads: how many tasks, and how long they are.
//!
//! Of SWIM's lines the lengths are bytes, of all other forms milliseconds; a load makes lives of both. As many maps as
//! the input has pieces of 128 MiB, at least one, and a reduce for each GiB that is shuffled.
//!
//! The bundled trace is a day of Facebook's production cluster of 2009, sampled by the SWIM project
//! (`data/LICENSE.SWIM`).

use std::sync::Arc;

use miette::{Diagnostic, NamedSource, SourceSpan};

use crate::traces::{FieldProblem, Job, SWIM_EXAMPLE, SwimLine};

const MAP_BYTES: u64 = 128 << 20;
const REDUCE_BYTES: u64 = 1 << 30;
/// More tasks than a load can have are cut.
const MAX_TASKS: u32 = u32::MAX / 4;

/// Equal tasks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Tasks {
    pub(crate) count: u32,
    /// How long each is.
    pub(crate) length: f64,
}

/// One job of a trace. It has a map at least.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TraceJob {
    /// When it is submitted, in ms after the start.
    pub(crate) at_ms: u64,
    /// Its queue and its user, where the trace names them.
    pub(crate) queue: Option<String>,
    pub(crate) user: Option<String>,
    pub(crate) maps: Vec<Tasks>,
    pub(crate) reduces: Vec<Tasks>,
}

fn pieces(bytes: u64, each: u64) -> u32 {
    u32::try_from(bytes.div_ceil(each)).unwrap_or(MAX_TASKS).min(MAX_TASKS)
}

impl TraceJob {
    /// Of a SWIM job: the maps read the input, and the reduces what is shuffled; they write the output.
    pub(crate) fn of_bytes(submitted_s: u64, map_input: u64, shuffle: u64, output: u64) -> TraceJob {
        let maps = pieces(map_input, MAP_BYTES).max(1);
        let reduces = pieces(shuffle, REDUCE_BYTES);
        let reduced = shuffle.saturating_add(output) as f64 / f64::from(reduces.max(1));
        // A reduce handles eight times a map's bytes and is not eight times as long: it reads what is in memory.
        let reduces = Tasks { count: reduces, length: reduced / 8.0 };
        TraceJob {
            at_ms: submitted_s.saturating_mul(1000),
            queue: None,
            user: None,
            maps: vec![Tasks { count: maps, length: map_input as f64 / f64::from(maps) }],
            reduces: if reduces.count > 0 { vec![reduces] } else { Vec::new() },
        }
    }

    /// Of a job with tasks of its own: those that are no reduces are maps. A job of reduces alone has them as maps, one
    /// without tasks has a short one.
    pub(crate) fn of_tasks(job: &Job) -> TraceJob {
        let mut left = MAX_TASKS;
        let (mut maps, mut reduces) = (Vec::new(), Vec::new());
        for task in &job.tasks {
            let count = task.count.min(left);
            left -= count;
            let part = if task.kind == "reduce" { &mut reduces } else { &mut maps };
            if count > 0 {
                part.push(Tasks { count, length: task.duration_ms.max(0) as f64 });
            }
        }
        if maps.is_empty() {
            std::mem::swap(&mut maps, &mut reduces);
        }
        if maps.is_empty() {
            maps.push(Tasks { count: 1, length: 0.0 });
        }
        // Readers write it where nothing is said.
        let named = |name: &String| (name != "default").then(|| name.clone());
        let at_ms = u64::try_from(job.arrival_ms).unwrap_or(0);
        TraceJob { at_ms, queue: named(&job.queue), user: named(&job.user), maps, reduces }
    }
}

/// How many tasks some groups have, and how long these are in the mean.
pub(crate) fn count_and_mean(tasks: &[Tasks]) -> (u32, f64) {
    if let [tasks] = tasks {
        return (tasks.count, tasks.length);
    }
    let count = tasks.iter().map(|tasks| tasks.count).sum();
    let length: f64 = tasks.iter().map(|tasks| f64::from(tasks.count) * tasks.length).sum();
    (count, length / f64::from(count).max(1.0))
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

/// Reads the text of a SWIM trace; blank lines are passed over.
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
            jobs.push(TraceJob::of_bytes(read.submitted, read.map_input, read.shuffle, read.output));
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
        assert_eq!(jobs[1], TraceJob::of_bytes(50, 4, 5, 6));
    }

    #[test]
    fn an_error_names_file_line_column_and_field() {
        assert_eq!(
            error("job0\t49\t49\t1\t2\t3\njob1\t50\t1\tx4\t5\t6\n"),
            "t.tsv:2:11: map input bytes \"x4\" is not a whole number"
        );
        assert_eq!(error("j\t1\t1\t-1\t2\t3"), "t.tsv:1:7: map input bytes \"-1\" is not a whole number");
        assert_eq!(error("j\t1\t1"), "t.tsv:1:6: the line ends after 3 of six fields: map input bytes is missing");
        assert_eq!(error("j\t1\t1\t1\t1\t1\t/in/1\t\t\t1"), "t.tsv:1:21: a tenth field");
        let with_paths = "j0\t0\t0\t5\t6\t7\t/in/1\t\t\nj1\t4\t4\t5\t6\t7\t/in/2\n";
        assert_eq!(
            parse(with_paths.to_owned(), "t.tsv").unwrap(),
            parse("j0\t0\t0\t5\t6\t7\nj1\t4\t4\t5\t6\t7\n".to_owned(), "t.tsv").unwrap()
        );
        assert_eq!(error("\n\n"), "t.tsv:1:1: no job in the trace");
    }

    #[test]
    fn the_bundled_trace_is_whole() {
        assert_eq!(crate::bundled::trace().len(), 5_894);
    }
}

//! The jobs of a load, from a trace of any form that [`evenweave_tools::traces`] reads: how many tasks, and how long they are.
//!
//! A job of a SWIM trace has a map for each 128 MiB of its input, at least one, and a reduce for each GiB of shuffled
//! data. The length of these tasks is in bytes. In all other traces tasks have a length in milliseconds.
//! [`crate::jobs`] scales both, so that a load needs no unit.
//!
//! The bundled trace has 24 hours of jobs of Facebook's production cluster in 2009, put together by the SWIM project
//! from samples of one hour (`data/LICENSE.SWIM`).

use std::sync::Arc;

use evenweave_tools::traces::{FieldProblem, Job, SWIM_EXAMPLE, SwimLine};
use evenweave_tools::{TraceError, bundled};

const MAP_BYTES: u64 = 128 << 20;
const REDUCE_BYTES: u64 = 1 << 30;
/// The most tasks of one job, or of one kind in a SWIM job; more are left out. So the tasks of a job can be counted in
/// 32 bits.
const MAX_TASKS: u32 = u32::MAX / 4;

/// Equal tasks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Tasks {
    pub(crate) count: u32,
    /// How long each is: bytes in a SWIM trace, else ms.
    pub(crate) length: f64,
}

/// One job of a trace. It has at least one map.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TraceJob {
    /// When it is submitted, in ms after the start.
    pub(crate) at_ms: u64,
    /// Its queue and its user, where the trace names them.
    pub(crate) queue: Option<String>,
    pub(crate) user: Option<String>,
    /// The label of the nodes that it wants, where the trace names one.
    pub(crate) label: Option<String>,
    pub(crate) maps: Vec<Tasks>,
    pub(crate) reduces: Vec<Tasks>,
}

fn pieces(bytes: u64, each: u64) -> u32 {
    u32::try_from(bytes.div_ceil(each)).unwrap_or(MAX_TASKS).min(MAX_TASKS)
}

impl TraceJob {
    /// From a line of SWIM's. Maps read the input. Reduces read the shuffled data and write the output.
    pub(crate) fn of_bytes(submitted_s: u64, map_input: u64, shuffle: u64, output: u64) -> TraceJob {
        let maps = pieces(map_input, MAP_BYTES).max(1);
        let reduces = pieces(shuffle, REDUCE_BYTES);
        let reduced = shuffle.saturating_add(output) as f64 / f64::from(reduces.max(1));
        // Assumed: a reduce works on data in memory, and so is as fast with 1 GiB as a map with 128 MiB.
        let reduces = Tasks { count: reduces, length: reduced / 8.0 };
        TraceJob {
            at_ms: submitted_s.saturating_mul(1000),
            queue: None,
            user: None,
            label: None,
            maps: vec![Tasks { count: maps, length: map_input as f64 / f64::from(maps) }],
            reduces: if reduces.count > 0 { vec![reduces] } else { Vec::new() },
        }
    }

    /// From a job that lists its tasks. All tasks but reduces count as maps. If there are only reduces, they count as
    /// maps. If there are no tasks, the job gets one map of length 0.
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
        // The readers of traces put "default" where the trace has no name.
        let named = |name: &String| (name != "default").then(|| name.clone());
        let at_ms = u64::try_from(job.arrival_ms).unwrap_or(0);
        let label = job.label.clone().map(|label| label.trim().to_owned()).filter(|label| !label.is_empty());
        TraceJob { at_ms, queue: named(&job.queue), user: named(&job.user), label, maps, reduces }
    }
}

/// The number of tasks in all groups, and their average length.
pub(crate) fn count_and_mean(tasks: &[Tasks]) -> (u32, f64) {
    if let [tasks] = tasks {
        return (tasks.count, tasks.length);
    }
    let count = tasks.iter().map(|tasks| tasks.count).sum();
    let length: f64 = tasks.iter().map(|tasks| f64::from(tasks.count) * tasks.length).sum();
    (count, length / f64::from(count).max(1.0))
}

/// Reads the text of a SWIM trace. Blank lines are skipped.
///
/// # Errors
/// At the first line that does not begin with six fields of the right kind, or has more than nine. Also if there is no
/// job at all.
pub(crate) fn parse(text: String, file: &str) -> Result<Vec<TraceJob>, Box<TraceError>> {
    let text = Arc::new(text);
    let fail =
        |line: usize, start: usize, wrong: FieldProblem| Box::new(TraceError::new(file, &text, line, start, wrong));
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

/// The jobs of the bundled trace.
#[must_use]
pub(crate) fn bundled_trace() -> Vec<TraceJob> {
    parse(bundled::unpacked_trace(), bundled::TRACE_NAME).expect("the bundled trace is well-formed")
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
        assert_eq!(bundled_trace().len(), 5_894);
    }
}

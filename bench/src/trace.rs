//! The jobs of a load, from a trace of any form that [`crate::traces`] reads: how many tasks, and how long they are.
//!
//! Of SWIM's lines the lengths are bytes, of all other forms milliseconds; a load makes lives of both. As many maps as the
//! input has pieces of 128 MiB, at least one, and a reduce for each GiB that is shuffled.
//!
//! The bundled trace is a day of Facebook's production cluster of 2009, sampled by the SWIM project
//! (`data/LICENSE.SWIM`).

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use miette::{Diagnostic, NamedSource, SourceSpan};

use crate::failure::Failure;
use crate::traces::{FieldProblem, Item, Job, Opened, Refusal, SWIM_EXAMPLE, SwimLine, Trace, TraceOptions};

const MAP_BYTES: u64 = 128 << 20;
const REDUCE_BYTES: u64 = 1 << 30;
/// More tasks than a load can have are cut.
const MOST_TASKS: u32 = u32::MAX / 4;
/// All jobs of a load are in memory.
const MOST_JOBS: usize = 10_000_000;

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
    u32::try_from(bytes.div_ceil(each)).unwrap_or(MOST_TASKS).min(MOST_TASKS)
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

    /// Of a job with tasks of its own: those that are no reduces are maps. A job of reduces alone has them as maps, one without tasks
    /// has a short one.
    fn of_tasks(job: &Job) -> TraceJob {
        let mut left = MOST_TASKS;
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

/// The jobs of a file, and what is to be said of it.
#[derive(Debug)]
pub(crate) struct ReadTrace {
    pub(crate) jobs: Vec<TraceJob>,
    pub(crate) warnings: Vec<String>,
}

/// Reads the file of a trace, whatever form it has. Lengths are milliseconds where it is said how long a map lives that reads
/// 128 MiB, else those of SWIM's tasks are bytes.
///
/// # Errors
/// A file that cannot be read or is no trace, and one without a job.
pub(crate) fn read(path: &Path, task_time: Option<Duration>) -> Result<ReadTrace, Failure> {
    let name = path.display().to_string();
    let wrong = |error: crate::traces::TraceFileError| Failure::input(error.to_string());
    if let Some(task_time) = task_time {
        return jobs_of(Trace::open(path, &timed(task_time)).map_err(wrong)?, &name);
    }
    match Trace::open_or_swim(path, &TraceOptions::default()).map_err(wrong)? {
        Opened::Swim(text) => Ok(ReadTrace { jobs: parse(text, &name).map_err(Failure::Trace)?, warnings: Vec::new() }),
        Opened::Trace(trace) => jobs_of(trace, &name),
    }
}

fn timed(task_time: Duration) -> TraceOptions {
    let swim_task_ms = u64::try_from(task_time.as_millis()).unwrap_or(u64::MAX).max(1);
    TraceOptions { swim_task_ms, ..TraceOptions::default() }
}

/// The same of the bytes of a file.
///
/// # Errors
/// As [`read`] has them.
pub(crate) fn read_timed(bytes: &'static [u8], name: &str, task_time: Duration) -> Result<ReadTrace, Failure> {
    let trace = Trace::read(bytes, name, &timed(task_time)).map_err(|error| Failure::input(error.to_string()))?;
    jobs_of(trace, name)
}

/// Reads the jobs of a trace with tasks.
fn jobs_of(trace: Trace, name: &str) -> Result<ReadTrace, Failure> {
    let (mut jobs, mut refused, mut count) = (Vec::new(), None::<Refusal>, 0_u64);
    for item in trace {
        match item.map_err(|error| Failure::input(error.to_string()))? {
            Item::Job(job) => {
                let read = TraceJob::of_tasks(&job);
                if jobs.len().saturating_add(job.count as usize) > MOST_JOBS {
                    return Err(Failure::input(format!(
                        "{name}: the trace has more than {MOST_JOBS} jobs, and a load has all of them in memory; give a part of it"
                    )));
                }
                jobs.extend(std::iter::repeat_n(read, job.count as usize));
            }
            Item::Refused(refusal) => {
                count += 1;
                refused.get_or_insert(refusal);
            }
            Item::Node(_) => {}
        }
    }
    let warning = refused.map(|Refusal { at, problem, help, .. }| {
        format!("{name}: {count} jobs are left out, the first at {}:{}: {problem}; {help}", at.line, at.column)
    });
    if jobs.is_empty() {
        let why = warning.unwrap_or_else(|| format!("{name}: no job in the trace; it must hold jobs"));
        return Err(Failure::input(why));
    }
    Ok(ReadTrace { jobs, warnings: warning.into_iter().collect() })
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
        assert_eq!(error("j\t1\t1\t1\t1\t1\t1"), "t.tsv:1:13: a seventh field");
        assert_eq!(error("\n\n"), "t.tsv:1:1: no job in the trace");
    }

    fn tasks(text: &'static str) -> Result<ReadTrace, String> {
        let trace = Trace::read(text.as_bytes(), "t", &TraceOptions::default()).unwrap();
        jobs_of(trace, "t").map_err(|failure| format!("{failure:?}"))
    }

    #[test]
    fn tasks_of_other_forms_are_maps_and_reduces() {
        let read = tasks(
            "job,submit_ms,duration_ms,count,task,queue\na,0,100,3,map,\na,0,400,1,other,\na,0,50,2,reduce,\nb,9,7,5,reduce,q\n",
        );
        let of = |count, length| Tasks { count, length };
        let expected = [
            TraceJob {
                at_ms: 0,
                queue: None,
                user: None,
                maps: vec![of(3, 100.0), of(1, 400.0)],
                reduces: vec![of(2, 50.0)],
            },
            TraceJob { at_ms: 9, queue: Some("q".to_owned()), user: None, maps: vec![of(5, 7.0)], reduces: Vec::new() },
        ];
        assert_eq!(read.unwrap().jobs, expected);
        assert_eq!(count_and_mean(&expected[0].maps), (4, 175.0));
    }

    #[test]
    fn jobs_that_are_left_out_are_told_and_too_many_are_refused() {
        let sls = |tasks: &str, count: u32| {
            let job = format!(
                "{{\"job.start.ms\": 0, \"job.queue.name\": \"q\", \"job.count\": {count}, \"job.tasks\": [{tasks}]}}\n"
            );
            job.leak() as &'static str
        };
        let task = "{\"container.type\": \"map\", \"container.start.ms\": 0, \"container.end.ms\": 5}";
        assert_eq!(tasks(sls(task, 3)).unwrap().jobs.len(), 3);
        let said = tasks(sls(task, 20_000_000)).unwrap_err();
        assert!(said.contains("t: the trace has more than 10000000 jobs"), "{said}");
        let said = tasks(sls("{\"container.type\": \"map\"}", 1)).unwrap_err();
        assert!(said.contains("t: 1 jobs are left out, the first at 1:"), "{said}");
        assert!(tasks("job,submit_ms,duration_ms\n").unwrap_err().contains("no job in the trace"));
    }

    #[test]
    fn the_bundled_trace_is_whole() {
        assert_eq!(crate::bundled::trace().len(), 5_894);
    }
}

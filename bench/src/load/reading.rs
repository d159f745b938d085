//! Reads the trace of a load, whatever form it has.

use std::path::Path;
use std::time::Duration;

use evenweave_tools::Failure;
use evenweave_tools::traces::{
    Item, LONGEST_MS, Opened, Refusal, Trace, TraceFileError, TraceOptions, shift_of, shift_told,
};

use crate::trace::{self, TraceJob};

/// All jobs of a load are in memory.
const MAX_JOBS: usize = 10_000_000;

/// The jobs of a file, and what is to be said of it.
#[derive(Debug)]
pub(super) struct ReadTrace {
    pub(super) jobs: Vec<TraceJob>,
    pub(super) warnings: Vec<String>,
}

/// Reads the file of a trace, whatever form it has. Lengths are milliseconds where it is said how long a map lives that
/// reads 128 MiB, else those of SWIM's tasks are bytes.
///
/// # Errors
/// A file that cannot be read or is no trace, and one without a job.
pub(super) fn read(path: &Path, task_time: Option<Duration>) -> Result<ReadTrace, Failure> {
    let name = path.display().to_string();
    let wrong = |error: TraceFileError| Failure::input(error.to_string());
    if let Some(task_time) = task_time {
        return in_time(jobs_of(Trace::open(path, &timed(task_time)).map_err(wrong)?, &name)?, &name);
    }
    match Trace::open_or_swim(path, &TraceOptions::default()).map_err(wrong)? {
        Opened::Swim(text) => {
            Ok(ReadTrace { jobs: trace::parse(text, &name).map_err(Failure::Trace)?, warnings: Vec::new() })
        }
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
pub(super) fn read_timed(bytes: &'static [u8], name: &str, task_time: Duration) -> Result<ReadTrace, Failure> {
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
                if jobs.len().saturating_add(job.count as usize) > MAX_JOBS {
                    return Err(Failure::input(format!(
                        "{name}: the trace has more than {MAX_JOBS} jobs, and a load has all of them in memory; give a part of it"
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

/// Times that are no times of a run count from the first job.
///
/// # Errors
/// A job that comes years after the others.
fn in_time(mut read: ReadTrace, name: &str) -> Result<ReadTrace, Failure> {
    if let Some(first) = read.jobs.iter().map(|job| job.at_ms).min().and_then(shift_of) {
        read.jobs.iter_mut().for_each(|job| job.at_ms -= first);
        read.warnings.push(shift_told(name, first));
    }
    match read.jobs.iter().map(|job| job.at_ms).max().filter(|last| *last > LONGEST_MS) {
        Some(last) => Err(Failure::input(format!(
            "{name}: a job comes at {last} ms, {} days after the start, and no run is so long; times are milliseconds after the start",
            last / 86_400_000
        ))),
        None => Ok(read),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Tasks;

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
                label: None,
                maps: vec![of(3, 100.0), of(1, 400.0)],
                reduces: vec![of(2, 50.0)],
            },
            TraceJob {
                at_ms: 9,
                queue: Some("q".to_owned()),
                user: None,
                label: None,
                maps: vec![of(5, 7.0)],
                reduces: Vec::new(),
            },
        ];
        assert_eq!(read.unwrap().jobs, expected);
        assert_eq!(trace::count_and_mean(&expected[0].maps), (4, 175.0));
    }

    #[test]
    fn times_of_a_calendar_count_from_the_first_job() {
        let read = |times: [u64; 2]| {
            let text = format!("job,submit_ms,duration_ms\na,{},1\nb,{},1\n", times[0], times[1]);
            let read = tasks(text.leak()).unwrap();
            in_time(read, "t").map(|read| (read.jobs[0].at_ms, read.jobs[1].at_ms, read.warnings.len()))
        };
        assert_eq!(read([1_700_000_000_900, 1_700_000_000_000]).unwrap(), (900, 0, 1));
        assert_eq!(read([3_600_000, 0]).unwrap(), (3_600_000, 0, 0));
        assert!(read([1_700_000_000_000, 0]).is_err());
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
}

//! A plain CSV of jobs: the first line names the columns, each other line is so many equal tasks; lines of one job
//! stand together.
//!
//! | column | meaning |
//! | --- | --- |
//! | `job` | its name |
//! | `submit_ms` | when it is submitted, after the start; of its first line |
//! | `duration_ms` | how long each task lives |
//! | `count` | so many tasks; 1 |
//! | `task` | `map`, `reduce` or another word; `map` |
//! | `queue`, `user` | whose it is; `default` |
//! | `type` | of the AM: `mapreduce`, `stream`, `dag`; `mapreduce` |
//! | `memory_mb`, `vcores` | a task's size; the simulator's setting |
//! | `host` | `/rack/host` that is wanted |
//! | `reservation` | the reservation that it belongs to, by its name in a file of reservations |
//! | `delay_ms` | of type `dag`: not asked for before so long after the submission; 0 |
//!
//! The first three must be there, in any order.

use super::csv::{Header, Row};
use super::error::TraceFileError;
use super::hosts::Host;
use super::job::{Item, Job, Task};
use super::lines::Lines;
use super::source::Source;

const COLUMNS: [&str; 13] = [
    "job!",
    "submit_ms!",
    "duration_ms!",
    "count",
    "task",
    "queue",
    "user",
    "type",
    "memory_mb",
    "vcores",
    "host",
    "delay_ms",
    "reservation",
];
pub(super) const EXAMPLE: &str = "the first line names the columns, such as job,submit_ms,queue,user,task,count,duration_ms; others are such as \
j1,0,root.a,ann,map,10,20000";
/// A job of more lines would be in memory as a whole.
const MAX_LINES: usize = 1_000_000;

pub(super) struct Jobs {
    lines: Lines,
    header: Header<13>,
    line: String,
    /// The job whose lines are read.
    open: Option<Box<Job>>,
    ended: bool,
}

impl Jobs {
    pub(super) fn read(source: Source) -> Result<Jobs, TraceFileError> {
        let mut lines = Lines::new(source, EXAMPLE);
        let mut line = String::new();
        // It was looked at before: there is one.
        lines.next(&mut line)?;
        let header = Header::read(&Row::of(&lines, &line)?, COLUMNS)?;
        Ok(Jobs { lines, header, line, open: None, ended: false })
    }

    /// The job that is over with the next line.
    fn next_job(&mut self) -> Result<Option<Box<Job>>, TraceFileError> {
        loop {
            if !self.lines.next(&mut self.line)? {
                return Ok(self.open.take());
            }
            let row = Row::of(&self.lines, &self.line)?;
            self.header.fits(&row)?;
            let at = |name| self.header.at(name);
            let id = row.wanted(at(0), "job", row.get(at(0)), "give the job a name")?;
            let task = task(&row, &self.header)?;
            if let Some(open) = self.open.as_mut().filter(|open| open.id.as_deref() == Some(id)) {
                if open.tasks.len() >= MAX_LINES {
                    let problem = format!("the job has more than {MAX_LINES} lines");
                    return Err(row.wrong(at(0), problem, "write equal tasks on one line, with \"count\""));
                }
                open.tasks.push(task);
                continue;
            }
            let submitted = row.whole(at(1), "submit_ms", 0)?;
            let submitted = row.wanted(at(1), "submit_ms", submitted, "write the ms since the start, such as 0")?;
            let mut job = Job::new(id, submitted);
            row.get(at(5)).unwrap_or("default").clone_into(&mut job.queue);
            row.get(at(6)).unwrap_or("default").clone_into(&mut job.user);
            job.reservation = row.get(at(12)).map(str::to_owned);
            job.am_type = am_type(&row, at(7))?.to_owned();
            job.finish_ms = submitted.saturating_add(task.duration_ms);
            job.tasks.push(task);
            if let Some(before) = self.open.replace(Box::new(job)) {
                return Ok(Some(before));
            }
        }
    }
}

fn am_type<'r>(row: &'r Row<'_>, at: usize) -> Result<&'r str, TraceFileError> {
    match row.get(at) {
        None => Ok("mapreduce"),
        Some(known @ ("mapreduce" | "stream" | "dag")) => Ok(known),
        Some(other) => Err(row.wrong(at, format!("type is {other:?}"), "write mapreduce, stream or dag")),
    }
}

fn task(row: &Row<'_>, header: &Header<13>) -> Result<Task, TraceFileError> {
    let at = |name| header.at(name);
    let duration = row.whole(at(2), "duration_ms", 1)?;
    let duration = row.wanted(at(2), "duration_ms", duration, "write how long a task lives, in ms, such as 20000")?;
    let mut task = Task::new(row.get(at(4)).unwrap_or("map"), duration);
    let count = row.whole(at(3), "count", 1)?.unwrap_or(1);
    task.count = u32::try_from(count).map_err(|_| {
        row.wrong(at(3), format!("count is {count}"), "count must be a whole number from 1 to 4294967295")
    })?;
    for (name, key, type_name) in [(8, "memory_mb", "memory-mb"), (9, "vcores", "vcores")] {
        if let Some(amount) = row.whole(at(name), key, 0)? {
            task.resource.insert(type_name.to_owned(), amount);
        }
    }
    if let Some(path) = row.get(at(10)) {
        let host = Host::parse(path);
        task.host =
            Some(host.ok_or_else(|| {
                row.wrong(at(10), format!("host is {path:?}"), "write /RACK/HOST, such as /rack0/node1")
            })?);
    }
    task.delay_ms = row.whole(at(11), "delay_ms", 0)?.unwrap_or(0);
    if task.kind == "reduce" {
        task.priority = 10;
    }
    Ok(task)
}

impl Iterator for Jobs {
    type Item = Result<Item, TraceFileError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let read = self.next_job();
        self.ended = !matches!(read, Ok(Some(_)));
        read.map(|job| job.map(Item::Job)).transpose()
    }
}

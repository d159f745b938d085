//! `batch_task.csv` of Alibaba's trace of 2018: a line a task, which is so many equal instances.
//!
//! Nine fields: task name, number of instances, job name, task type, status, start time, end time, planned CPU, planned
//! memory. Times are seconds; 100 of CPU is a core, 100 of memory the largest machine's. A task's name says what it
//! waits for ([`stages`]); one that waits for nothing is asked for so long after its job's first one as it began then.
//! Tasks that the trace does not see begin and end are passed over.
//!
//! The lines of a job may stand apart, and jobs need not stand in order: so many lines as [`HELD`] are known at once.

use super::csv::Row;
use super::error::{At, TraceFileError};
use super::held::{Held, Life, Waiting};
use super::job::Item;
use super::lines::Lines;
use super::options::{Times, TraceOptions};
use super::source::Source;
use super::stages;

const FIELDS: [&str; 9] =
    ["task_name", "instance_num", "job_name", "task_type", "status", "start_time", "end_time", "plan_cpu", "plan_mem"];
const EXAMPLE: &str = "a line of batch_task.csv has nine fields with commas between them, such as M1,3,j_1,1,Terminated,87076,87090,100,0.39";
/// Lines that are known at once.
const HELD: usize = 100_000;

pub(super) struct Jobs {
    lines: Lines,
    line: String,
    waiting: Waiting<Held>,
    held: usize,
    /// What times are less.
    first: Option<i64>,
    times: Times,
    machine: [i64; 2],
    at_end: bool,
    ended: bool,
}

impl Jobs {
    pub(super) fn new(source: Source, options: &TraceOptions) -> Jobs {
        Jobs {
            lines: Lines::new(source, EXAMPLE),
            line: String::new(),
            waiting: Waiting::new(),
            held: 0,
            first: None,
            times: options.times,
            machine: options.largest_machine,
            at_end: false,
            ended: false,
        }
    }

    /// Reads a line. Whether there was one.
    fn read(&mut self) -> Result<bool, TraceFileError> {
        if !self.lines.next(&mut self.line)? {
            return Ok(false);
        }
        let row = Row::of(&self.lines, &self.line)?;
        row.counted(&FIELDS)?;
        let number = row.part(1, "instance_num")?.unwrap_or(1.0);
        let job = row.wanted(2, "job_name", row.get(2), EXAMPLE)?;
        let starts = row.whole(5, "start_time", 0)?.unwrap_or(0);
        let ends = row.whole(6, "end_time", 0)?.unwrap_or(0);
        let (cpu, memory) = (row.part(7, "plan_cpu")?, row.part(8, "plan_mem")?);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a number above is as good as the most"
        )]
        let count = number as u32;
        if starts == 0 || ends < starts || count == 0 {
            return Ok(true);
        }
        let ms = |seconds: i64| seconds.saturating_mul(1000);
        let first = *self.first.get_or_insert(ms(starts));
        let less = match self.times {
            Times::FirstJob => first,
            Times::AllAtOnce | Times::AsWritten => 0,
        };
        let starts_ms = ms(starts).saturating_sub(less);
        #[expect(clippy::cast_possible_truncation, reason = "a number above is as good as the most")]
        let life = Life {
            starts_ms,
            ends_ms: ms(ends).saturating_sub(less),
            count,
            memory_mb: memory.map(|part| ((part / 100.0 * self.machine[0] as f64).ceil() as i64).max(1)),
            vcores: cpu.map(|hundredths| ((hundredths / 100.0).ceil() as i64).max(1)),
            stage: stages::named(row.get(0).unwrap_or_default(), At { line: self.lines.number, column: 1 }),
        };
        let held = self.waiting.get_or(job, starts_ms, || Held {
            id: job.to_owned(),
            user: "default".to_owned(),
            am_type: "dag",
            submitted_ms: starts_ms,
            lives: Vec::new(),
        });
        held.submitted_ms = held.submitted_ms.min(starts_ms);
        held.lives.push(life);
        self.held += 1;
        Ok(true)
    }

    fn next_job(&mut self) -> Result<Option<Item>, TraceFileError> {
        loop {
            while !self.at_end && self.held <= HELD {
                self.at_end = !self.read()?;
            }
            let Some(mut held) = self.waiting.take_first(|held| &held.id) else { return Ok(None) };
            self.held -= held.lives.len();
            if self.times == Times::AllAtOnce {
                let by = held.submitted_ms;
                held.submitted_ms = 0;
                for life in &mut held.lives {
                    life.starts_ms -= by;
                    life.ends_ms -= by;
                }
            }
            let noted = match stages::settle(&mut held) {
                Ok(noted) => noted,
                Err(refusal) => return Ok(Some(Item::Refused(refusal))),
            };
            if let Some(mut job) = held.into_job() {
                job.noted = noted;
                return Ok(Some(Item::Job(job)));
            }
        }
    }
}

impl Iterator for Jobs {
    type Item = Result<Item, TraceFileError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let read = self.next_job();
        self.ended = !matches!(read, Ok(Some(_)));
        read.transpose()
    }
}

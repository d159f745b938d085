//! SWIM's jobs: six fields a line, from which tasks are made.
//!
//! As many maps as the input has pieces of 128 MiB, at least one, and a reduce for each GiB that is shuffled. A map
//! that reads 128 MiB lives as long as [`TraceOptions::swim_task_ms`] says, a reduce in proportion to what it fetches
//! and writes, eight times as fast; both within a tenth and ten times of that.

use super::error::TraceFileError;
use super::job::{Item, Job, Task};
use super::lines::Lines;
use super::options::TraceOptions;
use super::source::Source;
use super::swim_line::{FieldProblem, SWIM_EXAMPLE, SwimLine};

const MAP_BYTES: u64 = 128 << 20;
const REDUCE_BYTES: u64 = 1 << 30;

pub(super) struct Jobs {
    lines: Lines,
    line: String,
    task_ms: u64,
    queue: String,
    ended: bool,
}

impl Jobs {
    pub(super) fn new(source: Source, options: &TraceOptions) -> Jobs {
        Jobs {
            lines: Lines::new(source, SWIM_EXAMPLE),
            line: String::new(),
            task_ms: options.swim_task_ms,
            queue: options.swim_queue.clone(),
            ended: false,
        }
    }

    fn read(&mut self) -> Result<Option<Item>, TraceFileError> {
        if !self.lines.next(&mut self.line)? {
            return Ok(None);
        }
        let fields = SwimLine::parse(&self.line).map_err(|FieldProblem { column, problem, expected, .. }| {
            self.lines.wrong(column as u64, problem, expected)
        })?;
        Ok(Some(Item::Job(Box::new(self.job(&fields)))))
    }

    fn job(&self, line: &SwimLine<'_>) -> Job {
        let maps = count(line.map_input, MAP_BYTES).max(1);
        let reduces = count(line.shuffle, REDUCE_BYTES);
        let life = |bytes: u64| {
            let times = (bytes as f64 / MAP_BYTES as f64).clamp(0.1, 10.0);
            #[expect(clippy::cast_possible_truncation, reason = "far below 2^63")]
            let life = (self.task_ms as f64 * times).round() as i64;
            life.max(1)
        };
        let reduced = line.shuffle.saturating_add(line.output) / u64::from(reduces.max(1)) / 8;
        let of = |kind: &str, count: u32, bytes: u64, priority: i32| {
            (count > 0).then(|| Task { count, priority, ..Task::new(kind, life(bytes)) })
        };
        let tasks = [of("map", maps, line.map_input / u64::from(maps), 20), of("reduce", reduces, reduced, 10)];
        let arrival_ms = i64::try_from(line.submitted.saturating_mul(1000)).unwrap_or(i64::MAX);
        let mut job = Job::new(line.id, arrival_ms);
        job.queue.clone_from(&self.queue);
        job.tasks = tasks.into_iter().flatten().collect();
        job
    }
}

fn count(bytes: u64, each: u64) -> u32 {
    u32::try_from(bytes.div_ceil(each)).unwrap_or(u32::MAX)
}

impl Iterator for Jobs {
    type Item = Result<Item, TraceFileError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let read = self.read();
        self.ended = !matches!(read, Ok(Some(_)));
        read.transpose()
    }
}

//! SWIM's jobs: six fields a line, from which tasks are made.
//!
//! As many maps as the input has pieces of 128 MiB, at least one, and a reduce for each GiB that is shuffled. A map that reads 128 MiB lives as long as
//! [`TraceOptions::swim_task_ms`] says, a reduce in proportion to what it fetches and writes, eight times as fast; both within a tenth and ten times
//! of that.

use std::collections::BTreeMap;
use std::io::BufRead;

use super::error::{At, TraceFileError};
use super::job::{Item, Job, Task};
use super::options::TraceOptions;
use super::source::{Bytes, Source};
use super::swim_line::{FieldProblem, SWIM_EXAMPLE, SwimLine};

const MAP_BYTES: u64 = 128 << 20;
const REDUCE_BYTES: u64 = 1 << 30;
/// A line of six fields is shorter.
const LONGEST_LINE: u64 = 1 << 16;

pub(super) struct Jobs {
    bytes: Bytes,
    name: String,
    line: u64,
    task_ms: u64,
    queue: String,
    ended: bool,
}

impl Jobs {
    pub(super) fn new(source: Source, options: &TraceOptions) -> Jobs {
        Jobs {
            bytes: source.bytes,
            name: source.name,
            line: 0,
            task_ms: options.swim_task_ms,
            queue: options.swim_queue.clone(),
            ended: false,
        }
    }

    /// The next line that is not blank, without its end.
    fn line(&mut self) -> Result<Option<String>, TraceFileError> {
        loop {
            let mut line = Vec::new();
            let mut limited = std::io::Read::take(&mut self.bytes, LONGEST_LINE);
            let read = limited.read_until(b'\n', &mut line);
            let length = read.map_err(|error| TraceFileError::unreadable(&self.name, &error))?;
            if length == 0 {
                return Ok(None);
            }
            self.line += 1;
            let at = At { line: self.line, column: 1 };
            let fail = |problem: &str| TraceFileError::new(&self.name, at, problem, SWIM_EXAMPLE);
            if length as u64 == LONGEST_LINE && !line.ends_with(b"\n") {
                return Err(fail("the line is longer than 65536 bytes"));
            }
            let text = String::from_utf8(line).map_err(|_| fail("the line is no text in UTF-8"))?;
            let text = text.trim_end_matches(['\n', '\r']);
            if !text.trim().is_empty() {
                return Ok(Some(text.to_owned()));
            }
        }
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
        Job {
            id: Some(line.id.to_owned()),
            count: 1,
            arrival_ms,
            finish_ms: arrival_ms,
            queue: self.queue.clone(),
            user: "default".to_owned(),
            am_type: "mapreduce".to_owned(),
            am_resource: BTreeMap::new(),
            label: None,
            deadline_ms: None,
            tasks: tasks.into_iter().flatten().collect(),
        }
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
        let read = self.line().and_then(|line| {
            let Some(line) = line else { return Ok(None) };
            let fields = SwimLine::parse(&line).map_err(|FieldProblem { column, problem, expected, .. }| {
                let at = At { line: self.line, column: column as u64 };
                TraceFileError::new(&self.name, at, problem, expected)
            })?;
            Ok(Some(Item::Job(Box::new(self.job(&fields)))))
        });
        self.ended = !matches!(read, Ok(Some(_)));
        read.transpose()
    }
}

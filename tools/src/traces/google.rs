//! Google's traces: events of tasks in order of time, `task_events` of 2011 and `instance_events` of 2019.
//!
//! A job comes with the first event of its tasks. A task lives from its last SCHEDULE to its last end, however it
//! ended; its size is what it asked for, a part of the largest machine's. Tasks that the trace does not see begin are
//! passed over.
//!
//! A job is given out once all its tasks have ended and no event of it has come for five minutes, and jobs that were
//! submitted before it have been. A task that runs longer than a day is cut there: so what is in memory is the jobs of
//! one day, however long the trace.

use std::collections::HashMap;

use super::csv::{Header, Row};
use super::error::TraceFileError;
use super::held::{Held, Life, Stage, Waiting};
use super::job::Item;
use super::lines::Lines;
use super::options::{Times, TraceOptions};
use super::source::Source;

const DAY_US: i64 = 86_400_000_000;
const GRACE_US: i64 = 300_000_000;
/// Events before the trace have 0, those after it the largest number there is.
const AFTER: i64 = i64::MAX;

const FIELDS: [&str; 13] = [
    "time",
    "missing info",
    "job id",
    "task index",
    "machine id",
    "event type",
    "user",
    "scheduling class",
    "priority",
    "CPU request",
    "memory request",
    "disk space request",
    "different machines",
];
pub(super) const EXAMPLE_2011: &str = "a line of task_events has 13 fields with commas between them, such as \
600026000,,515042969,11,,0,ann,2,2,0.0125,0.01,0.0004,0";
pub(super) const EXAMPLE_2019: &str = "the first line names the columns, such as time,type,collection_id,instance_index,user,cpus,memory; others are \
such as 600026000,SCHEDULE,515042969,11,ann,0.0125,0.01";
const COLUMNS: [&str; 8] = [
    "time!",
    "type!",
    "collection_id!",
    "instance_index!",
    "cpus|resource_request.cpus|resource_request_cpus",
    "memory|resource_request.memory|resource_request_memory",
    "user",
    "collection_type",
];

/// What an event does to a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    Waits,
    Begins,
    Ends,
    /// It goes on as it is.
    Nothing,
}

const TYPES_2011: [(&str, Doing); 9] = [
    ("SUBMIT", Doing::Waits),
    ("SCHEDULE", Doing::Begins),
    ("EVICT", Doing::Ends),
    ("FAIL", Doing::Ends),
    ("FINISH", Doing::Ends),
    ("KILL", Doing::Ends),
    ("LOST", Doing::Ends),
    ("UPDATE_PENDING", Doing::Nothing),
    ("UPDATE_RUNNING", Doing::Nothing),
];
const TYPES_2019: [(&str, Doing); 11] = [
    ("SUBMIT", Doing::Waits),
    ("QUEUE", Doing::Nothing),
    ("ENABLE", Doing::Nothing),
    ("SCHEDULE", Doing::Begins),
    ("EVICT", Doing::Ends),
    ("FAIL", Doing::Ends),
    ("FINISH", Doing::Ends),
    ("KILL", Doing::Ends),
    ("LOST", Doing::Ends),
    ("UPDATE_PENDING", Doing::Nothing),
    ("UPDATE_RUNNING", Doing::Nothing),
];

/// How the columns lie.
enum Form {
    Of2011,
    Of2019(Header<8>),
}

/// A task: when it began last, when it ended last, and its size.
#[derive(Clone, Copy, Debug, Default)]
struct TaskLife {
    begun: Option<i64>,
    ended: Option<i64>,
    size: [Option<i64>; 2],
}

#[derive(Debug)]
struct OpenJob {
    id: String,
    user: String,
    tasks: HashMap<i64, TaskLife>,
    /// Tasks that wait or run.
    open: usize,
    last_us: i64,
}

pub(super) struct Jobs {
    lines: Lines,
    line: String,
    form: Form,
    waiting: Waiting<OpenJob>,
    /// How far the events have come.
    now_us: i64,
    first_us: Option<i64>,
    times: Times,
    machine: [i64; 2],
    at_end: bool,
    ended: bool,
}

/// An event of a task.
struct Event {
    at_us: i64,
    task: i64,
    doing: Doing,
    size: [Option<i64>; 2],
}

impl Jobs {
    pub(super) fn of_2011(source: Source, options: &TraceOptions) -> Jobs {
        Jobs::new(Lines::new(source, EXAMPLE_2011), Form::Of2011, options)
    }

    pub(super) fn of_2019(source: Source, options: &TraceOptions) -> Result<Jobs, TraceFileError> {
        let mut lines = Lines::new(source, EXAMPLE_2019);
        let mut line = String::new();
        // It was looked at before: there is one.
        lines.next(&mut line)?;
        let header = Header::read(&Row::of(&lines, &line)?, COLUMNS)?;
        Ok(Jobs::new(lines, Form::Of2019(header), options))
    }

    fn new(lines: Lines, form: Form, options: &TraceOptions) -> Jobs {
        Jobs {
            lines,
            line: String::new(),
            form,
            waiting: Waiting::new(),
            now_us: 0,
            first_us: None,
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
        let (example, [time, job, task, kind, cpus, memory, user]) = match &self.form {
            Form::Of2011 => {
                row.counted(&FIELDS)?;
                (EXAMPLE_2011, [0, 2, 3, 5, 9, 10, 6])
            }
            Form::Of2019(header) => {
                header.fits(&row)?;
                let at = |name| header.at(name);
                if matches!(row.get(at(7)), Some("1" | "ALLOC_SET")) {
                    return Ok(true);
                }
                (EXAMPLE_2019, [at(0), at(2), at(3), at(1), at(4), at(5), at(6)])
            }
        };
        let at_us = row.whole(time, "time", 0)?;
        let at_us = row.wanted(time, "time", at_us, example)?;
        let id = row.wanted(job, "job id", row.get(job), example)?;
        let index = row.whole(task, "task index", 0)?;
        let index = row.wanted(task, "task index", index, example)?;
        let doing = match &self.form {
            Form::Of2011 => doing(&row, kind, &TYPES_2011),
            Form::Of2019(_) => doing(&row, kind, &TYPES_2019),
        }?;
        let size = |index: usize, name: &str, whole: i64| -> Result<Option<i64>, TraceFileError> {
            #[expect(clippy::cast_possible_truncation, reason = "a number above is as good as the most")]
            let amount = |part: f64| ((part * whole as f64).ceil() as i64).max(1);
            Ok(row.part(index, name)?.map(amount))
        };
        let size = [size(memory, "memory request", self.machine[0])?, size(cpus, "CPU request", self.machine[1])?];
        let user = row.get(user).unwrap_or("default");
        if at_us == AFTER {
            return Ok(true);
        }
        self.now_us = self.now_us.max(at_us);
        if at_us > 0 {
            self.first_us.get_or_insert(at_us);
        }
        let make =
            || OpenJob { id: id.to_owned(), user: user.to_owned(), tasks: HashMap::new(), open: 0, last_us: at_us };
        // What has gone before is over: an event of it that comes late begins no job.
        let job = if matches!(doing, Doing::Waits | Doing::Begins) {
            self.waiting.get_or(id, at_us, make)
        } else {
            let Some(job) = self.waiting.get(id) else { return Ok(true) };
            job
        };
        job.happen(Event { at_us, task: index, doing, size });
        Ok(true)
    }

    /// Whether the job that was submitted first is to be given out now.
    fn is_due(&self) -> bool {
        let Some((submitted, job)) = self.waiting.first() else { return false };
        let over = job.open == 0 && job.last_us.saturating_add(GRACE_US) <= self.now_us;
        over || submitted.saturating_add(DAY_US) <= self.now_us
    }

    fn next_job(&mut self) -> Result<Option<Item>, TraceFileError> {
        loop {
            while !self.at_end && !self.is_due() {
                self.at_end = !self.read()?;
            }
            let Some((submitted, _)) = self.waiting.first() else { return Ok(None) };
            let Some(job) = self.waiting.take_first(|job| &job.id) else { return Ok(None) };
            let less = match self.times {
                Times::FirstJob => self.first_us.unwrap_or(0),
                Times::AllAtOnce => submitted,
                Times::AsWritten => 0,
            };
            if let Some(job) = job.held(submitted, self.now_us, less).into_job() {
                return Ok(Some(Item::Job(job)));
            }
        }
    }
}

impl OpenJob {
    fn happen(&mut self, event: Event) {
        let Event { at_us, task, doing, size } = event;
        self.last_us = self.last_us.max(at_us);
        let life = match doing {
            Doing::Waits | Doing::Begins => self.tasks.entry(task).or_insert_with(|| {
                self.open += 1;
                TaskLife::default()
            }),
            Doing::Ends | Doing::Nothing => {
                let Some(life) = self.tasks.get_mut(&task) else { return };
                life
            }
        };
        for (known, said) in life.size.iter_mut().zip(size) {
            *known = said.or(*known);
        }
        let was_open = life.ended.is_none();
        match doing {
            Doing::Waits => life.ended = None,
            Doing::Begins => (life.begun, life.ended) = (Some(at_us), None),
            Doing::Ends => life.ended = Some(at_us),
            Doing::Nothing => {}
        }
        match (was_open, life.ended.is_none()) {
            (true, false) => self.open -= 1,
            (false, true) => self.open += 1,
            (true, true) | (false, false) => {}
        }
    }

    fn held(self, submitted_us: i64, now_us: i64, less_us: i64) -> Held {
        let ms = |us: i64| us.saturating_sub(less_us).max(0) / 1000;
        let until = now_us.min(submitted_us.saturating_add(DAY_US));
        // By number: the order of a hash map has no meaning.
        let mut tasks: Vec<(i64, TaskLife)> = self.tasks.into_iter().collect();
        tasks.sort_unstable_by_key(|(index, _)| *index);
        let life = |(_, task): (i64, TaskLife)| {
            let begun = task.begun?;
            // One that waits anew, or runs: what is known of it is until now.
            let ended = task.ended.unwrap_or(until).max(begun);
            let [memory_mb, vcores] = task.size;
            let (starts_ms, ends_ms) = (ms(begun), ms(ended).max(ms(begun) + 1));
            Some(Life { starts_ms, ends_ms, count: 1, memory_mb, vcores, stage: Stage::default() })
        };
        Held {
            id: self.id,
            user: self.user,
            am_type: "mapreduce",
            submitted_ms: ms(submitted_us),
            lives: tasks.into_iter().filter_map(life).collect(),
        }
    }
}

/// What an event does, by its number or name.
fn doing(row: &Row<'_>, index: usize, types: &[(&str, Doing)]) -> Result<Doing, TraceFileError> {
    let said = row.get(index).unwrap_or_default();
    let named = types.iter().find(|(name, _)| name.eq_ignore_ascii_case(said));
    let found = named.or_else(|| types.get(said.parse::<usize>().ok()?));
    found.map(|(_, doing)| *doing).ok_or_else(|| {
        let all: Vec<String> = types.iter().enumerate().map(|(number, (name, _))| format!("{number} {name}")).collect();
        row.wrong(index, format!("the event type is {said:?}"), format!("it is one of {}", all.join(", ")))
    })
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

//! Rumen's jobs: a sequence of JSON objects (`LoggedJob`), made of the history of real ones.
//!
//! Of each task the last attempt counts: its host and how long it took. Where Hadoop ends a trace without a word, a
//! value of another type or an odd `jobID`, this is an error.

use std::collections::BTreeMap;

use super::hosts::Host;
use super::job::{Job, Task};
use super::json::Value;
use super::objects::{Entry, ReadEntry};
use super::options::{Times, TraceOptions};
use super::values::{Fields, Wrong};

/// How Rumen's objects are read.
pub(super) struct Rumen {
    times: Times,
    /// When the first job was submitted.
    first: Option<i64>,
}

/// What is wrong: with the job alone, or with the file.
enum Bad {
    Job(Wrong),
    File(Wrong),
}

impl From<Wrong> for Bad {
    fn from(wrong: Wrong) -> Bad {
        let help = format!("{} (Hadoop takes it for the end of the trace, without a word)", wrong.help);
        Bad::File(Wrong { help, ..wrong })
    }
}

impl Rumen {
    pub(super) fn new(options: &TraceOptions) -> Rumen {
        Rumen { times: options.times, first: None }
    }

    fn job(&mut self, entry: Fields<'_>) -> Result<Job, Bad> {
        let id = entry.text("jobID")?;
        let id = entry.wanted("jobID", id, "a job has an id, such as job_1700000000000_0001")?;
        if !is_job_id(id) {
            let at = entry.get("jobID").map_or(entry.at, |value| value.at);
            let problem = format!("jobID is {:?}", id.chars().take(40).collect::<String>());
            return Err(Wrong::new(at, problem, "write job_NUMBER_NUMBER, such as job_1700000000000_0001").into());
        }
        let (submitted, finished) = (entry.long("submitTime")?.unwrap_or(-1), entry.long("finishTime")?.unwrap_or(-1));
        let first = *self.first.get_or_insert(submitted);
        let mut tasks = Vec::new();
        for (list, kind, priority) in [("mapTasks", "map", 20), ("reduceTasks", "reduce", 10)] {
            for value in entry.list(list)?.unwrap_or_default() {
                let attempts = Fields::of(value, "a task")?;
                tasks.push(Task { priority, ..task(attempts, kind)? });
            }
        }
        let queue = entry.text("queue")?;
        let missing = Wrong::new(entry.at, "there is no \"queue\"", "name the queue of the job");
        let queue = queue.ok_or(Bad::Job(missing))?;
        Ok(Job {
            id: Some(id.to_owned()),
            count: 1,
            arrival_ms: match self.times {
                Times::FirstJob => submitted.saturating_sub(first),
                Times::AllAtOnce => 0,
                Times::AsWritten => submitted,
            },
            finish_ms: if self.times == Times::FirstJob { finished.saturating_sub(first) } else { finished },
            queue: queue.to_owned(),
            user: entry.text("user")?.unwrap_or("default").to_owned(),
            am_type: "mapreduce".to_owned(),
            am_resource: BTreeMap::new(),
            has_am: true,
            label: None,
            deadline_ms: None,
            reservation: None,
            tasks,
            noted: Vec::new(),
        })
    }
}

impl ReadEntry for Rumen {
    fn entry(&mut self, value: &Value) -> Result<Entry, Wrong> {
        let read = Fields::of(value, "an entry").map_err(Bad::from).and_then(|entry| self.job(entry));
        let job = match read {
            Ok(job) => Ok(job),
            Err(Bad::Job(wrong)) => Err(wrong),
            Err(Bad::File(wrong)) => return Err(wrong),
        };
        Ok(Entry { job: Some(job), counted: None })
    }
}

/// `job_<number>_<number>`.
fn is_job_id(id: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let mut parts = id.split('_');
    let (head, number, sequence) = (parts.next(), parts.next(), parts.next());
    head == Some("job") && number.is_some_and(digits) && sequence.is_some_and(digits) && parts.next().is_none()
}

fn task(entry: Fields<'_>, kind: &str) -> Result<Task, Bad> {
    let refused = |wrong: Wrong| Err(Bad::Job(wrong));
    let Some(last) = entry.list("attempts")?.and_then(|attempts| attempts.last()) else {
        return refused(Wrong::new(
            entry.at,
            format!("a {kind} task has no attempts"),
            "give it one, with start, end and host",
        ));
    };
    let attempt = Fields::of(last, "an attempt")?;
    let (start, end) = (attempt.long("startTime")?.unwrap_or(-1), attempt.long("finishTime")?.unwrap_or(-1));
    let life = end.saturating_sub(start);
    if life <= 0 {
        let help = "its \"finishTime\" must be after its \"startTime\"";
        return refused(Wrong::new(attempt.at, format!("an attempt lives {life} ms"), help));
    }
    let mut task = Task::new(kind, life);
    let Some(path) = attempt.text("hostName")?.map(str::to_owned) else {
        return refused(Wrong::new(
            attempt.at,
            "an attempt has no \"hostName\"",
            "name its host, such as /rack0/host0",
        ));
    };
    task.host = Host::parse(&path);
    task.bad_host = task.host.is_none().then_some(path);
    Ok(task)
}

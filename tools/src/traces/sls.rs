//! SLS's own jobs: a sequence of JSON objects, each with `job.tasks`; an object with `num.nodes` brings nodes.
//!
//! `SLSRunner` and `AMDefinitionSLS` of Hadoop; what it takes for granted, ignores and refuses is the same here.

use std::collections::BTreeMap;

use super::hosts::Host;
use super::job::{Execution, Job, Task};
use super::json::Value;
use super::nodes::generated_nodes;
use super::objects::{Entry, ReadEntry};
use super::options::TraceOptions;
use super::values::{Fields, Wrong, long};

/// Keys of a task that are no resource types.
const TASK_KEYS: [&str; 9] = [
    "container.type",
    "container.duration.ms",
    "container.start.ms",
    "container.end.ms",
    "container.host",
    "container.priority",
    "container.execution.type",
    "container.allocation.id",
    "container.request.delay",
];

/// How SLS's objects are read.
pub(super) struct Sls {
    short_am_type: bool,
}

impl Sls {
    pub(super) fn new(options: &TraceOptions) -> Sls {
        Sls { short_am_type: options.short_am_type }
    }
}

impl ReadEntry for Sls {
    fn entry(&mut self, value: &Value) -> Result<Entry, Wrong> {
        let entry = Fields::of(value, "an entry")?;
        let mut read = Entry::default();
        if let Some(count) = entry.int("num.nodes")? {
            let racks = entry.int("num.racks")?.unwrap_or(1);
            let nodes = generated_nodes(u32::try_from(count).unwrap_or(0), u32::try_from(racks).unwrap_or(0));
            read.counted = Some(Box::new(nodes));
            // Such an entry is also taken for a job, for one without tasks.
            if !entry.has("job.tasks") {
                return Ok(read);
            }
        }
        read.job = Some(job(entry, self.short_am_type));
        Ok(read)
    }
}

fn job(entry: Fields<'_>, short_am_type: bool) -> Result<Job, Wrong> {
    let tasks = entry.list("job.tasks")?.unwrap_or_default();
    if tasks.is_empty() {
        let help = "give it \"job.tasks\", a list with at least one task";
        return Err(Wrong::new(entry.at, "the job has no tasks", help));
    }
    let queue = entry.text("job.queue.name")?;
    let queue = entry.wanted("job.queue.name", queue, "name the queue of the job")?;
    let count = entry.int("job.count")?.unwrap_or(1).max(1).unsigned_abs();
    let short = if short_am_type { entry.text("am.type")? } else { None };
    let am_type = entry.text("yarn.sls.am.type")?.or(short).unwrap_or("mapreduce");
    let user = entry.text("job.user")?.unwrap_or("default");
    Ok(Job {
        // Of several the id is ignored, and numbers are used.
        id: entry.text("job.id")?.filter(|_| count == 1).map(str::to_owned),
        count,
        arrival_ms: entry.long("job.start.ms")?.unwrap_or(0),
        finish_ms: entry.long("job.end.ms")?.unwrap_or(0),
        queue: queue.to_owned(),
        user: user.to_owned(),
        am_type: am_type.to_owned(),
        am_resource: resources(entry, "am.", &["am.type"])?,
        has_am: true,
        label: entry.text("job.label.expression")?.map(str::to_owned),
        deadline_ms: None,
        reservation: None,
        tasks: tasks.iter().map(|value| task(Fields::of(value, "a task")?)).collect::<Result<_, _>>()?,
        noted: Vec::new(),
    })
}

fn task(entry: Fields<'_>) -> Result<Task, Wrong> {
    let duration = duration(entry)?;
    let mut task = Task::new(entry.text("container.type")?.unwrap_or("map"), duration);
    task.count = entry.int("count")?.unwrap_or(1).max(1).unsigned_abs();
    if let Some(path) = entry.text("container.host")? {
        task.host = Host::parse(path);
        task.bad_host = task.host.is_none().then(|| path.to_owned());
    }
    task.resource = resources(entry, "container.", &TASK_KEYS)?;
    task.priority = entry.int("container.priority")?.unwrap_or(20);
    task.execution = match entry.text("container.execution.type")? {
        None | Some("GUARANTEED") => Execution::Guaranteed,
        Some("OPPORTUNISTIC") => Execution::Opportunistic,
        Some(other) => {
            let at = entry.get("container.execution.type").map_or(entry.at, |value| value.at);
            let problem = format!("container.execution.type is {other:?}");
            return Err(Wrong::new(at, problem, "write GUARANTEED or OPPORTUNISTIC"));
        }
    };
    task.allocation_id = entry.long("container.allocation.id")?.unwrap_or(-1);
    task.delay_ms = entry.long("container.request.delay")?.unwrap_or(0).max(0);
    Ok(task)
}

/// How long a container lives: said, or from its start to its end.
fn duration(entry: Fields<'_>) -> Result<i64, Wrong> {
    let help = "give \"container.duration.ms\", or \"container.start.ms\" and a later \"container.end.ms\"";
    let said = match entry.int("container.duration.ms")? {
        Some(said) => Some(said),
        None => entry.int("duration.ms")?,
    };
    let (start, end) =
        (entry.long("container.start.ms")?.filter(|start| *start != -1), entry.long("container.end.ms")?);
    let (name, duration) = match (said, start, end) {
        (Some(said), ..) => ("container.duration.ms", i64::from(said)),
        (None, Some(start), Some(end)) => ("container.end.ms", end.saturating_sub(start)),
        (None, ..) => return Err(Wrong::new(entry.at, "the task has no duration", help)),
    };
    if duration > 0 {
        return Ok(duration);
    }
    let at = entry.get(name).map_or(entry.at, |value| value.at);
    Err(Wrong::new(at, format!("the task lives {duration} ms"), help))
}

/// Amounts by resource type: the keys with a prefix that are nothing else.
fn resources(entry: Fields<'_>, prefix: &str, others: &[&str]) -> Result<BTreeMap<String, i64>, Wrong> {
    let mut out = BTreeMap::new();
    for (key, value) in entry.members() {
        let Some(name) = key.strip_prefix(prefix).filter(|_| !others.contains(&key)) else { continue };
        match (long(key, value), name) {
            (Ok(amount), _) => drop(out.insert(name.to_owned(), amount)),
            (Err(wrong), "memory-mb" | "vcores") => return Err(wrong),
            // A key that means nothing to anybody is ignored.
            (Err(_), _) => {}
        }
    }
    Ok(out)
}

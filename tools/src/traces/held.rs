//! Jobs whose tasks come one by one, among those of others: held until all of a job is there, and given out by
//! submission.

use std::collections::{BTreeMap, HashMap};

use super::error::At;
use super::job::{Job, Task};

/// A task that has ended, or will.
#[derive(Clone, Debug)]
pub(super) struct Life {
    pub(super) starts_ms: i64,
    pub(super) ends_ms: i64,
    pub(super) count: u32,
    pub(super) memory_mb: Option<i64>,
    pub(super) vcores: Option<i64>,
    pub(super) stage: Stage,
}

/// Which stage of its job a task is, as its name says.
#[derive(Clone, Debug, Default)]
pub(super) struct Stage {
    /// None of one that nobody can wait for.
    pub(super) number: Option<u32>,
    /// The stages that end before it.
    pub(super) waits_for: Vec<u32>,
    /// The name as it is written, and where.
    pub(super) name: String,
    pub(super) at: At,
    /// What is no number in the name.
    pub(super) strange: Option<String>,
}

/// What tasks have in common that become one entry: delay, length, memory, vcores, stage and what it waits for.
type Alike = (i64, i64, Option<i64>, Option<i64>, Option<u32>, Vec<u32>);

/// A job, as far as it was read.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) id: String,
    pub(super) user: String,
    pub(super) am_type: &'static str,
    pub(super) submitted_ms: i64,
    pub(super) lives: Vec<Life>,
}

impl Held {
    /// Equal tasks become one entry.
    pub(super) fn into_job(self) -> Option<Box<Job>> {
        let mut job = Job::new(&self.id, self.submitted_ms);
        job.am_type = self.am_type.to_owned();
        job.user = self.user;
        job.has_am = false;
        let mut counts: BTreeMap<Alike, u32> = BTreeMap::new();
        for life in self.lives {
            let delay = if self.am_type == "dag" { life.starts_ms.saturating_sub(self.submitted_ms).max(0) } else { 0 };
            let lasts = life.ends_ms.saturating_sub(life.starts_ms).max(1);
            let Stage { number, waits_for, .. } = life.stage;
            let count = counts.entry((delay, lasts, life.memory_mb, life.vcores, number, waits_for)).or_default();
            *count = count.saturating_add(life.count);
            job.finish_ms = job.finish_ms.max(life.ends_ms);
        }
        for ((delay_ms, lasts, memory, vcores, stage, waits_for), count) in counts {
            let sizes = [("memory-mb", memory), ("vcores", vcores)];
            let resource = sizes.into_iter().filter_map(|(name, amount)| Some((name.to_owned(), amount?))).collect();
            job.tasks.push(Task { count, delay_ms, resource, stage, waits_for, ..Task::new("map", lasts) });
        }
        (!job.tasks.is_empty()).then(|| Box::new(job))
    }
}

/// Jobs that are held, by name and by submission.
#[derive(Debug)]
pub(super) struct Waiting<H> {
    by_name: HashMap<String, (i64, u64)>,
    by_time: BTreeMap<(i64, u64), H>,
    made: u64,
}

impl<H> Waiting<H> {
    pub(super) fn new() -> Waiting<H> {
        Waiting { by_name: HashMap::new(), by_time: BTreeMap::new(), made: 0 }
    }

    /// The job of a name; made with its submission where it is not there.
    pub(super) fn get_or(&mut self, name: &str, submitted: i64, make: impl FnOnce() -> H) -> &mut H {
        let key = match self.by_name.get(name) {
            Some(key) => *key,
            None => {
                self.made += 1;
                self.by_name.insert(name.to_owned(), (submitted, self.made));
                (submitted, self.made)
            }
        };
        self.by_time.entry(key).or_insert_with(make)
    }

    pub(super) fn get(&mut self, name: &str) -> Option<&mut H> {
        self.by_time.get_mut(self.by_name.get(name)?)
    }

    /// The job that was submitted first, and when.
    pub(super) fn first(&self) -> Option<(i64, &H)> {
        self.by_time.first_key_value().map(|((submitted, _), held)| (*submitted, held))
    }

    /// Takes the job that was submitted first; `name` says what it is called.
    pub(super) fn take_first(&mut self, name: impl Fn(&H) -> &str) -> Option<H> {
        let (_, held) = self.by_time.pop_first()?;
        self.by_name.remove(name(&held));
        Some(held)
    }
}

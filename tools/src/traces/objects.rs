//! A trace of JSON objects, one a job: what SLS's own form and Rumen's have in common.
//!
//! Each object gives nodes that are only counted, a job or a refusal, or nothing. The hosts that a job's tasks want are
//! nodes as well, each given once and before the job.

use std::collections::{HashSet, VecDeque};

use super::error::TraceFileError;
use super::hosts::Host;
use super::job::{Item, Job, Refusal};
use super::json::{Value, Values};
use super::nodes::Node;
use super::options::TraceOptions;
use super::source::Source;
use super::values::Wrong;

/// Nodes that are only counted.
pub(super) type Counted = Box<dyn Iterator<Item = Node> + Send>;

/// What an object holds.
#[derive(Default)]
pub(super) struct Entry {
    pub(super) counted: Option<Counted>,
    /// A job, or why it is refused while the others go on.
    pub(super) job: Option<Result<Job, Wrong>>,
}

/// How objects are read.
pub(super) trait ReadEntry {
    /// Reads one.
    ///
    /// # Errors
    /// What ends the trace.
    fn entry(&mut self, value: &Value) -> Result<Entry, Wrong>;
}

/// See the module's text.
pub(super) struct Objects<R> {
    values: Values,
    reader: R,
    /// Hosts of tasks that were given as nodes.
    hosts: HashSet<Host>,
    /// They come before what waits.
    counted: Counted,
    waiting: VecDeque<Item>,
    ended: bool,
}

impl<R: ReadEntry> Objects<R> {
    pub(super) fn new(source: Source, options: &TraceOptions, reader: R) -> Objects<R> {
        Objects {
            values: Values::new(source, options.longest_job),
            reader,
            hosts: HashSet::new(),
            counted: Box::new(std::iter::empty()),
            waiting: VecDeque::new(),
            ended: false,
        }
    }

    /// Reads an object. Whether there was one.
    fn read(&mut self) -> Result<bool, TraceFileError> {
        let Some(value) = self.values.next().transpose()? else { return Ok(false) };
        let Entry { counted, job } = self.reader.entry(&value).map_err(|wrong| wrong.of(self.values.name()))?;
        if let Some(counted) = counted {
            self.counted = counted;
        }
        match job {
            Some(Ok(job)) => {
                for host in job.tasks.iter().filter_map(|task| task.host.as_ref()) {
                    if self.hosts.insert(host.clone()) {
                        self.waiting.push_back(Item::Node(Node::new(host.clone())));
                    }
                }
                self.waiting.push_back(Item::Job(Box::new(job)));
            }
            Some(Err(Wrong { at, problem, help })) => {
                self.waiting.push_back(Item::Refused(Refusal { at, problem, help }));
            }
            None => {}
        }
        Ok(true)
    }
}

impl<R: ReadEntry> Iterator for Objects<R> {
    type Item = Result<Item, TraceFileError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended {
            if let Some(item) = self.counted.next().map(Item::Node).or_else(|| self.waiting.pop_front()) {
                return Some(Ok(item));
            }
            let read = self.read();
            self.ended = !matches!(read, Ok(true));
            if let Err(error) = read {
                return Some(Err(error));
            }
        }
        None
    }
}

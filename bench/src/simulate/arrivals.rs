//! The jobs as they come: of several traces, by time, one read ahead of the other.
//!
//! A trace need not be in order of time: so many of its jobs as [`LOOKED_AHEAD`] are known at once. One that comes later still in the file,
//! and earlier in time, is submitted late, and counted.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::traces::{Item, Job, Refusal, Trace, TraceFileError};

const LOOKED_AHEAD: usize = 4096;
/// Of more it is not kept why they are refused.
const MOST_REFUSED: usize = 1000;

/// A job, before those that come later and those after it in the file.
#[derive(Debug)]
struct Waiting {
    at: u64,
    number: u64,
    job: Box<Job>,
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Waiting) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Waiting) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Waiting) -> Ordering {
        (other.at, other.number).cmp(&(self.at, self.number))
    }
}

/// A job that is refused, and in which trace.
#[derive(Clone, Debug)]
pub(super) struct RefusedJob {
    pub(super) trace: String,
    pub(super) refusal: Refusal,
}

/// See the module's text.
#[derive(Debug)]
pub(super) struct Arrivals {
    /// Each with its name and the seed of its hosts.
    traces: Vec<(String, Trace)>,
    ahead: BinaryHeap<Waiting>,
    read: u64,
    /// The first of those that are refused, and how many are.
    pub(super) refused: Vec<RefusedJob>,
    pub(super) refused_count: u64,
    /// How far in time they have been given out.
    given: u64,
    pub(super) late: u64,
}

impl Arrivals {
    pub(super) fn new(traces: Vec<(String, Trace)>) -> Arrivals {
        Arrivals { traces, ahead: BinaryHeap::new(), read: 0, refused: Vec::new(), refused_count: 0, given: 0, late: 0 }
    }

    /// The next job, and when it comes.
    ///
    /// # Errors
    /// What is wrong in a trace.
    pub(super) fn next(&mut self) -> Result<Option<(u64, Box<Job>)>, TraceFileError> {
        while self.ahead.len() < LOOKED_AHEAD && !self.traces.is_empty() {
            self.read_one()?;
        }
        let Some(Waiting { at, job, .. }) = self.ahead.pop() else { return Ok(None) };
        self.late += u64::from(at < self.given);
        self.given = self.given.max(at);
        Ok(Some((self.given, job)))
    }

    /// One item of each trace.
    fn read_one(&mut self) -> Result<(), TraceFileError> {
        let mut index = 0;
        while index < self.traces.len() {
            let (name, trace) = &mut self.traces[index];
            match trace.next().transpose()? {
                Some(Item::Job(job)) => {
                    let at = u64::try_from(job.arrival_ms).unwrap_or(0);
                    self.ahead.push(Waiting { at, number: self.read, job });
                    self.read += 1;
                }
                Some(Item::Refused(refusal)) => {
                    self.refused_count += 1;
                    if self.refused.len() < MOST_REFUSED {
                        self.refused.push(RefusedJob { trace: name.clone(), refusal });
                    }
                }
                Some(Item::Node(_)) => {}
                None => {
                    self.traces.remove(index);
                    continue;
                }
            }
            index += 1;
        }
        Ok(())
    }
}

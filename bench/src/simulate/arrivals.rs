//! The jobs as they come: of several traces, by time.
//!
//! A trace need not be in order of time: of each, so many jobs as [`LOOKED_AHEAD`] are known at once. One that comes later still in the file,
//! and earlier in time, is submitted late, and counted.

use std::collections::BTreeMap;

use crate::traces::{Item, Job, Note, Refusal, Trace, TraceFileError};

const LOOKED_AHEAD: usize = 4096;
/// Of more it is not kept why they are refused, or what was passed over.
const MOST_REFUSED: usize = 1000;

/// A job that is refused, and in which trace.
#[derive(Clone, Debug)]
pub(super) struct RefusedJob {
    pub(super) trace: String,
    pub(super) refusal: Refusal,
}

/// A trace, and its jobs that are known, by time and number.
#[derive(Debug)]
struct Ahead {
    name: String,
    trace: Trace,
    ended: bool,
    read: u64,
    known: BTreeMap<(u64, u64), Box<Job>>,
}

/// See the module's text.
#[derive(Debug)]
pub(super) struct Arrivals {
    traces: Vec<Ahead>,
    /// The first of those that are refused, and how many are.
    pub(super) refused: Vec<RefusedJob>,
    pub(super) refused_count: u64,
    /// What readers have passed over, in which trace: the first, and how much there is.
    pub(super) noted: Vec<(String, Note)>,
    pub(super) noted_count: u64,
    /// How far in time they have been given out.
    given: u64,
    pub(super) late: u64,
}

impl Arrivals {
    /// Each trace with its name.
    pub(super) fn new(traces: Vec<(String, Trace)>) -> Arrivals {
        let ahead = |(name, trace)| Ahead { name, trace, ended: false, read: 0, known: BTreeMap::new() };
        let traces = traces.into_iter().map(ahead).collect();
        Arrivals { traces, refused: Vec::new(), refused_count: 0, noted: Vec::new(), noted_count: 0, given: 0, late: 0 }
    }

    /// The next job, and when it comes. Of one moment the first in its trace, then that of the first trace.
    ///
    /// # Errors
    /// What is wrong in a trace.
    pub(super) fn next(&mut self) -> Result<Option<(u64, Box<Job>)>, TraceFileError> {
        for index in 0..self.traces.len() {
            self.look_ahead(index)?;
        }
        let first = self.traces.iter_mut().filter_map(|ahead| ahead.known.first_entry());
        let Some(first) = first.min_by_key(|first| *first.key()) else { return Ok(None) };
        let ((at, _), job) = first.remove_entry();
        self.late += u64::from(at < self.given);
        self.given = self.given.max(at);
        Ok(Some((self.given, job)))
    }

    /// Reads a trace as far as it is known at once.
    fn look_ahead(&mut self, index: usize) -> Result<(), TraceFileError> {
        let Ahead { name, trace, ended, read, known } = &mut self.traces[index];
        while known.len() < LOOKED_AHEAD && !*ended {
            match trace.next().transpose()? {
                Some(Item::Job(mut job)) => {
                    self.noted_count += job.noted.len() as u64;
                    let room = MOST_REFUSED.saturating_sub(self.noted.len());
                    self.noted.extend(job.noted.drain(..).take(room).map(|note| (name.clone(), note)));
                    let at = u64::try_from(job.arrival_ms).unwrap_or(0);
                    known.insert((at, *read), job);
                    *read += 1;
                }
                Some(Item::Refused(refusal)) => {
                    self.refused_count += 1;
                    if self.refused.len() < MOST_REFUSED {
                        self.refused.push(RefusedJob { trace: name.clone(), refusal });
                    }
                }
                Some(Item::Node(_)) => {}
                None => *ended = true,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traces::TraceOptions;

    /// A trace of jobs at these times.
    fn trace(name: &str, times: impl Iterator<Item = u64>) -> (String, Trace) {
        let mut text = "job,submit_ms,duration_ms\n".to_owned();
        times.enumerate().for_each(|(number, at)| text += &format!("{name}{number},{at},1\n"));
        let trace = Trace::read(std::io::Cursor::new(text), name, &TraceOptions::default()).unwrap();
        (name.to_owned(), trace)
    }

    fn all(mut arrivals: Arrivals) -> (Vec<(u64, String)>, u64) {
        let next = || arrivals.next().unwrap().map(|(at, job)| (at, job.id.unwrap()));
        let given = std::iter::from_fn(next).collect();
        (given, arrivals.late)
    }

    #[test]
    fn traces_are_merged_by_time_however_dense_they_are() {
        let dense = trace("d", 0..10_000);
        let sparse = trace("s", (0..10_000).map(|number| 20_000 + number));
        let (given, late) = all(Arrivals::new(vec![sparse, dense]));
        assert!(given.is_sorted_by_key(|(at, _)| *at) && given.len() == 20_000);
        assert_eq!((given[9_999].1.as_str(), late), ("d9999", 0));
    }

    #[test]
    fn jobs_of_one_moment_come_in_the_order_of_their_traces() {
        let (given, _) = all(Arrivals::new(vec![trace("a", [5, 3].into_iter()), trace("b", [5, 3, 3].into_iter())]));
        let jobs: Vec<&str> = given.iter().map(|(_, job)| job.as_str()).collect();
        assert_eq!(jobs, ["a1", "b1", "b2", "a0", "b0"]);
    }

    #[test]
    fn a_job_that_stands_too_late_comes_late() {
        let (given, late) = all(Arrivals::new(vec![trace("l", (0..5_000).rev())]));
        // The 4,096 that are known at once begin with the last of them.
        assert_eq!((given[0].clone(), given[1].clone()), ((904, "l4095".to_owned()), (904, "l4096".to_owned())));
        assert_eq!(late, 904);
    }
}

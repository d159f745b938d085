//! The jobs as they come: of several traces, by time.
//!
//! A trace need not be in order of time: of each, so many jobs as [`LOOKED_AHEAD`] are known at once. One that comes
//! later still in the file, and earlier in time, is submitted late, and counted.
//!
//! Traces whose times are no times of a run count from the first job of all such: see [`shift_of`].

use std::collections::BTreeMap;

use evenweave_tools::Failure;
use evenweave_tools::traces::{
    Item, Job, LONGEST_MS, Note, Refusal, Times, Trace, TraceFileError, shift, shift_of, shift_told,
};

const LOOKED_AHEAD: usize = 4096;
/// Of more it is not kept why they are refused, or what was passed over.
const MAX_REFUSED: usize = 1000;

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
    /// Jobs that are refused, and why the first is.
    refused: u64,
    first_refused: Option<Refusal>,
    /// What its times are less.
    shift: u64,
    known: BTreeMap<(u64, u64), Box<Job>>,
}

impl Ahead {
    fn new((name, trace): (String, Trace)) -> Ahead {
        let known = BTreeMap::new();
        Ahead { name, trace, ended: false, read: 0, refused: 0, first_refused: None, shift: 0, known }
    }

    fn first_ms(&self) -> Option<u64> {
        self.known.first_key_value().map(|((at, _), _)| *at)
    }

    fn known_from(&mut self, shift_ms: u64) {
        self.shift = shift_ms;
        for ((at, number), mut job) in std::mem::take(&mut self.known) {
            shift(&mut job, shift_ms);
            self.known.insert((at.saturating_sub(shift_ms), number), job);
        }
    }

    /// Why there is no job in it.
    fn why_none(&self) -> Failure {
        let Ahead { name, refused, .. } = self;
        Failure::input(match &self.first_refused {
            Some(Refusal { at, problem, help }) => format!(
                "{name}: no job could be read; {refused} refused, the first at {}:{}: {problem}; {help}",
                at.line, at.column
            ),
            None => format!("{name}: no job in the trace; it must hold jobs"),
        })
    }
}

/// See the module's text.
#[derive(Debug)]
pub(super) struct Arrivals {
    traces: Vec<Ahead>,
    /// The first of those that are refused, and how many are.
    pub(super) refused: Vec<RefusedJob>,
    pub(super) refused_count: u64,
    /// What readers have passed over, in which trace: the first, and how much there is.
    pub(super) passed_over: Vec<(String, Note)>,
    pub(super) passed_over_count: u64,
    /// How far in time they have been given out.
    given: u64,
    pub(super) late: u64,
    /// What is to be said of the times.
    pub(super) times_told: Vec<String>,
}

impl Arrivals {
    /// Each trace with its name.
    pub(super) fn new(traces: Vec<(String, Trace)>) -> Arrivals {
        let traces = traces.into_iter().map(Ahead::new).collect();
        Arrivals {
            traces,
            refused: Vec::new(),
            refused_count: 0,
            passed_over: Vec::new(),
            passed_over_count: 0,
            given: 0,
            late: 0,
            times_told: Vec::new(),
        }
    }

    /// Looks at the first jobs of each trace: whether there are any, unless that does not matter, and whether their
    /// times are those of a run. Gives what times are less, if some are.
    ///
    /// # Errors
    /// What is wrong in a trace; one without a job; times as written that are no times of a run.
    pub(super) fn begin(&mut self, times: Times, may_be_empty: bool) -> Result<Option<u64>, Failure> {
        for index in 0..self.traces.len() {
            self.look_ahead(index)?;
        }
        if let Some(empty) = self.traces.iter().find(|ahead| ahead.read == 0 && !may_be_empty) {
            return Err(empty.why_none());
        }
        let calendars = self.traces.iter().filter_map(|ahead| Some((shift_of(ahead.first_ms()?)?, &ahead.name)));
        let Some((first, name)) = calendars.min() else { return Ok(None) };
        if times == Times::AsWritten {
            return if first < LONGEST_MS { Ok(None) } else { Err(too_late(name, first)) };
        }
        for ahead in &mut self.traces {
            if let Some(own) = ahead.first_ms().and_then(shift_of) {
                self.times_told.push(format!("{} (--times as-written keeps them)", shift_told(&ahead.name, own)));
                ahead.known_from(first);
            }
        }
        Ok(Some(first))
    }

    /// The next job, and when it comes. Of one moment the first in its trace, then that of the first trace.
    ///
    /// # Errors
    /// What is wrong in a trace; a job that comes years after the others.
    pub(super) fn next(&mut self) -> Result<Option<(u64, Box<Job>)>, Failure> {
        for index in 0..self.traces.len() {
            self.look_ahead(index)?;
        }
        let first = self.traces.iter_mut().filter_map(|ahead| Some((&ahead.name, ahead.known.first_entry()?)));
        let Some((name, first)) = first.min_by_key(|(_, first)| *first.key()) else { return Ok(None) };
        if first.key().0 > LONGEST_MS {
            let job = first.get().id.as_deref().unwrap_or_default();
            return Err(too_late(&format!("{name}: job {job:?}"), first.key().0));
        }
        let ((at, _), job) = first.remove_entry();
        self.late += u64::from(at < self.given);
        self.given = self.given.max(at);
        Ok(Some((self.given, job)))
    }

    /// Reads a trace as far as it is known at once.
    fn look_ahead(&mut self, index: usize) -> Result<(), TraceFileError> {
        let Ahead { name, trace, ended, read, known, refused, first_refused, shift: by } = &mut self.traces[index];
        while known.len() < LOOKED_AHEAD && !*ended {
            match trace.next().transpose()? {
                Some(Item::Job(mut job)) => {
                    self.passed_over_count += job.noted.len() as u64;
                    let room = MAX_REFUSED.saturating_sub(self.passed_over.len());
                    self.passed_over.extend(job.noted.drain(..).take(room).map(|note| (name.clone(), note)));
                    shift(&mut job, *by);
                    let at = u64::try_from(job.arrival_ms).unwrap_or(0);
                    known.insert((at, *read), job);
                    *read += 1;
                }
                Some(Item::Refused(refusal)) => {
                    self.refused_count += 1;
                    *refused += 1;
                    first_refused.get_or_insert_with(|| refusal.clone());
                    if self.refused.len() < MAX_REFUSED {
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

fn too_late(what: &str, at_ms: u64) -> Failure {
    Failure::input(format!(
        "{what}: it comes at {at_ms} ms, {} days after the start, and no run is so long; times are milliseconds after the start: subtract \
         that of the first job from all of them, or leave --times as-written out",
        at_ms / 86_400_000
    ))
}

/// Whether something of another file comes in the time of the run, if the times of the traces are so much less.
///
/// # Errors
/// What comes years after the start, or by the times that the traces had before.
pub(super) fn check_beside(what: &str, at_ms: u64, shift_ms: Option<u64>) -> Result<(), Failure> {
    match shift_ms {
        Some(first) if at_ms >= first => Err(Failure::input(format!(
            "{what}: it comes at {} s, and the times of the trace count from its first job, at {} s; subtract this",
            at_ms / 1000,
            first / 1000
        ))),
        Some(_) | None if at_ms > LONGEST_MS => Err(Failure::input(format!(
            "{what}: it comes at {} s, {} days after the start, and no run is so long; write seconds after the start",
            at_ms / 1000,
            at_ms / 86_400_000
        ))),
        Some(_) | None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenweave_tools::traces::{LATEST_START_MS, TraceOptions};

    /// A trace of jobs at these times.
    fn trace(name: &str, times: impl Iterator<Item = u64>) -> (String, Trace) {
        let mut text = "job,submit_ms,duration_ms\n".to_owned();
        times.enumerate().for_each(|(number, at)| text += &format!("{name}{number},{at},1\n"));
        let trace = Trace::read(std::io::Cursor::new(text), name, &TraceOptions::default()).unwrap();
        (name.to_owned(), trace)
    }

    const EPOCH_MS: u64 = 1_700_000_000_000;

    /// The first job of the trace that is shifted is at 0, and all of them keep their distance; others are as they are.
    #[test]
    fn times_of_a_calendar_count_from_the_first_job() {
        for (unit, first) in [(1, EPOCH_MS), (1, EPOCH_MS / 1000), (1000, 800_000_000)] {
            let calendar = trace("c", [5, 0, 7].into_iter().map(|at| first + at * unit));
            let later = trace("l", [2].into_iter().map(|at| first + at * unit));
            let mut arrivals = Arrivals::new(vec![calendar, trace("r", [1].into_iter()), later]);
            assert_eq!(arrivals.begin(Times::FirstJob, false).unwrap(), Some(first));
            assert_eq!(arrivals.times_told.len(), 2, "{:?}", arrivals.times_told);
            let expected = [(0, "c1"), (1, "r0"), (2 * unit, "l0"), (5 * unit, "c0"), (7 * unit, "c2")];
            let (given, late) = all(arrivals);
            assert_eq!(given, expected.map(|(at, job)| (at, job.to_owned())));
            assert_eq!(late, 0);
        }
    }

    #[test]
    fn no_run_lasts_for_decades() {
        let said = |failure: Failure| format!("{failure:?}");
        let mut written = Arrivals::new(vec![trace("w", [EPOCH_MS].into_iter())]);
        let refused = said(written.begin(Times::AsWritten, false).unwrap_err());
        assert!(refused.contains("w: it comes at 1700000000000 ms, 19675 days after the start"), "{refused}");
        let mut late = Arrivals::new(vec![trace("l", [0, EPOCH_MS].into_iter())]);
        assert_eq!(late.begin(Times::FirstJob, false).unwrap(), None);
        assert!(late.next().unwrap().is_some());
        assert!(said(late.next().unwrap_err()).contains("l: job \\\"l1\\\": it comes at"));
        let mut idle = Arrivals::new(vec![trace("i", [LATEST_START_MS + 1].into_iter())]);
        assert_eq!(idle.begin(Times::AsWritten, false).unwrap(), None);
        assert!(check_beside("e.csv:2", 9, Some(EPOCH_MS)).is_ok());
        let by_calendar = said(check_beside("e.csv:2", EPOCH_MS + 5, Some(EPOCH_MS)).unwrap_err());
        assert!(
            by_calendar.contains("e.csv:2: it comes at 1700000000 s, and the times of the trace count"),
            "{by_calendar}"
        );
        assert!(said(check_beside("e.csv:2", EPOCH_MS, None).unwrap_err()).contains("19675 days after the start"));
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

//! One file of queues beside another: which jobs can be compared, what has changed for them, and what is said of it.
//!
//! A job is compared if it came to the same end, done or failed, under both files. Means of the others say nothing: a
//! file under which half of the jobs never run would look better than one that runs them all. So each queue has its
//! number of compared jobs, and of jobs that came at all; a queue whose jobs end less often under one file is worse
//! under it, whatever the means of the rest are.

use std::collections::BTreeMap;

use evenweave_tools::numbers::grouped;

use super::outcome::Simulated;
use super::record::{JobFigures, RunResult};
use super::summary::Change;

/// More than this part of the jobs is never passed over in silence.
const SILENT_PART: f64 = 0.02;

/// The name of a queue without what all have.
pub(crate) fn short(queue: &str) -> &str {
    queue.strip_prefix("root.").unwrap_or(queue)
}

/// Of each seed, what its jobs had before and after.
type Pairs = Vec<Vec<(f64, f64)>>;

/// A queue under one file beside the same under another.
#[derive(Clone, Debug)]
pub(crate) struct Compared {
    pub(crate) queue: String,
    /// Its jobs under either file, of all seeds.
    pub(crate) jobs: u64,
    /// Of these, those that came to the same end under both.
    pub(crate) compared: u64,
    /// Those that had an end under the first file, and under the other.
    pub(crate) ended: [u64; 2],
    /// How wait and runtime of the compared jobs have changed; nothing where there is none.
    pub(crate) wait: Option<Change>,
    pub(crate) runtime: Option<Change>,
}

/// Whether a queue is better under the other file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Wins,
    Loses,
    AsBefore,
    /// It has changed, and from one pair of jobs nobody can tell whether that is chance.
    CannotBeTold,
    NotCompared,
}

impl Verdict {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Verdict::Wins => "wins",
            Verdict::Loses => "loses",
            Verdict::AsBefore => "as before",
            Verdict::CannotBeTold => "cannot be told",
            Verdict::NotCompared => "not compared",
        }
    }
}

impl Compared {
    pub(crate) fn verdict(&self) -> Verdict {
        let [before, after] = self.ended;
        match self.runtime {
            _ if after < before => Verdict::Loses,
            _ if after > before => Verdict::Wins,
            None => Verdict::NotCompared,
            Some(change) if is_of_one(change) => Verdict::CannotBeTold,
            Some(change) if !change.is_real() => Verdict::AsBefore,
            Some(change) if change.part < 0.0 => Verdict::Wins,
            Some(_) => Verdict::Loses,
        }
    }

    /// `1,990 / 1,990`.
    pub(crate) fn compared_of(&self) -> String {
        format!("{} / {}", count(self.compared), count(self.jobs))
    }

    /// What is said of it in the headline.
    fn said(&self) -> String {
        let name = short(&self.queue);
        let [before, after] = self.ended;
        let none = || format!("none of its {} ended under both files", jobs(self.jobs));
        if before != after {
            let word = if after < before { "worse" } else { "better" };
            let rest = if self.compared == 0 { format!(", and {}", none()) } else { String::new() };
            let ended = format!("{} of its {} end instead of {}", count(after), jobs(self.jobs), count(before));
            return format!("{name} is {word} ({ended}{rest})");
        }
        match self.wait {
            Some(wait) => format!("{name} {}", changed("waits", wait)),
            None if self.compared == 0 => format!("{name} is not compared ({})", none()),
            None => format!("{name} is not compared by waits (no job ran a task)"),
        }
    }
}

fn count(number: u64) -> String {
    grouped(number as f64)
}

fn jobs(number: u64) -> String {
    format!("{} {}", count(number), if number == 1 { "job" } else { "jobs" })
}

/// A change smaller than this is none that anybody would look at.
const SMALLEST_PERCENT: f64 = 0.5;

/// Whether something has changed for the one job that can be compared: what chance does to it is not known.
fn is_of_one(change: Change) -> bool {
    !change.give_or_take.is_finite() && change.part.abs() * 100.0 >= SMALLEST_PERCENT
}

/// "waits 40 % less", "waits as before".
fn changed(verb: &str, change: Change) -> String {
    let percent = (change.part * 100.0).abs();
    let words = format!("{verb} {percent:.0} % {}", if change.part < 0.0 { "less" } else { "more" });
    if is_of_one(change) {
        return format!("{words} (one pair of jobs: it may be chance)");
    }
    if !change.is_real() || percent < SMALLEST_PERCENT {
        return format!("{verb} as before");
    }
    words
}

/// A change with what it may be off by, in percent.
pub(crate) fn figure(change: Option<Change>) -> String {
    match change {
        None => "-".to_owned(),
        Some(Change { part, give_or_take }) if give_or_take.is_finite() => {
            format!("{:+.1} % ± {:.1}", part * 100.0, give_or_take * 100.0)
        }
        Some(Change { part, .. }) => format!("{:+.1} %", part * 100.0),
    }
}

/// Two files of queues beside each other.
#[derive(Clone, Debug)]
pub(crate) struct Comparison {
    /// The name of the first file, and of the other.
    pub(crate) names: [String; 2],
    /// By queue of the first file; jobs that it refuses are in their queue under the other, or in the one that they
    /// name.
    pub(crate) queues: Vec<Compared>,
    /// Jobs of the traces that could not be read, so that no queue has them.
    unread: u64,
    /// Why it is no comparison of queues alone.
    pub(crate) caveat: Option<String>,
}

/// Runs of one file hand out more vcores than there are, and those of another cannot: which is what they differ in.
fn caveat<'r>(runs: impl Iterator<Item = &'r RunResult> + Clone) -> Option<String> {
    let overbooking = runs.clone().filter_map(|run| Some((run, run.overbooked()?)));
    let (run, most) = overbooking.max_by(|(_, a), (_, b)| a.total_cmp(b))?;
    let other = runs.clone().find(|run| !run.by_memory_alone)?;
    Some(format!(
        "NO COMPARISON OF SCHEDULERS: {} hands out up to {:.0} % of the vcores, as its DefaultResourceCalculator counts memory alone, and {} \
         never more than there are; set yarn.scheduler.capacity.resource-calculator to \
         org.apache.hadoop.yarn.util.resource.DominantResourceCalculator to compare them",
        run.name,
        most * 100.0,
        other.name
    ))
}

/// What is gathered of a queue.
#[derive(Default)]
struct Gathered {
    jobs: u64,
    compared: u64,
    ended: [u64; 2],
    pairs: [Pairs; 2],
}

impl Gathered {
    /// A job, as it was under both files as far as it came.
    fn add(&mut self, seed: usize, [before, after]: [Option<&JobFigures>; 2]) {
        let ended = |job: Option<&JobFigures>| job.and_then(JobFigures::runtime_ms);
        self.jobs += 1;
        self.ended[0] += u64::from(ended(before).is_some());
        self.ended[1] += u64::from(ended(after).is_some());
        let Some((before, after)) = before.zip(after).filter(|(before, after)| before.done == after.done) else {
            return;
        };
        let Some(runtimes) = before.runtime_ms().zip(after.runtime_ms()) else { return };
        self.compared += 1;
        for (list, pair) in self.pairs.iter_mut().zip([before.wait_ms().zip(after.wait_ms()), Some(runtimes)]) {
            list.resize((seed + 1).max(list.len()), Vec::new());
            list[seed].extend(pair);
        }
    }
}

/// What came of a job: its key, its figures if it entered, and its queue.
type Course<'r> = (u64, Option<&'r JobFigures>, &'r str);

/// What came of each job of a run, by key.
fn by_key(run: &RunResult) -> Vec<Course<'_>> {
    let refused = run.refused_of.iter().flat_map(|(queue, keys)| keys.iter().map(|key| (*key, None, queue.as_str())));
    let entered = run.figures.iter().map(|job| {
        let queue = run.sums.get(job.queue as usize).map_or("", |sums| sums.name.as_str());
        (job.key, Some(job), queue)
    });
    let mut all: Vec<Course<'_>> = refused.chain(entered).collect();
    all.sort_by_key(|(key, ..)| *key);
    all
}

/// A job under both files, and its queue under one of them.
type Beside<'r> = (&'r str, [Option<&'r JobFigures>; 2]);

/// The jobs of two runs, beside each other.
fn beside<'r>(first: &'r RunResult, other: &'r RunResult, mut each: impl FnMut(Beside<'r>)) {
    let (mut first, mut other) = (by_key(first).into_iter().peekable(), by_key(other).into_iter().peekable());
    loop {
        let next = [first.peek(), other.peek()].map(|next| next.map(|(key, ..)| *key));
        let key = match next {
            [Some(a), Some(b)] => a.min(b),
            [Some(key), None] | [None, Some(key)] => key,
            [None, None] => return,
        };
        let before = first.next_if(|(of, ..)| *of == key);
        let after = other.next_if(|(of, ..)| *of == key);
        each(match (before, after) {
            // Where one file alone has taken it, that one says in which queue.
            (Some((_, None, _)), Some((_, Some(job), queue))) => (queue, [None, Some(job)]),
            (Some((_, job, queue)), then) => (queue, [job, then.and_then(|(_, then, _)| then)]),
            (None, Some((_, job, queue))) => (queue, [None, job]),
            (None, None) => continue,
        });
    }
}

impl Comparison {
    /// The queues of jobs under the first runs, seed by seed, beside the same jobs under others. With several seeds
    /// what differs from seed to seed is chance; with one, what differs from job to job.
    pub(crate) fn of(before: &[RunResult], after: &[RunResult]) -> Comparison {
        let mut queues: BTreeMap<String, Gathered> = BTreeMap::new();
        let mut unread = 0;
        for (seed, (first, other)) in before.iter().zip(after).enumerate() {
            unread += first.unread.max(other.unread);
            beside(first, other, |(queue, job)| match queues.get_mut(queue) {
                Some(gathered) => gathered.add(seed, job),
                None => queues.entry(queue.to_owned()).or_default().add(seed, job),
            });
        }
        let name = |runs: &[RunResult]| runs.first().map(|run| run.name.clone()).unwrap_or_default();
        let compared = |(queue, gathered): (String, Gathered)| {
            let [wait, runtime] = gathered.pairs.each_ref().map(change);
            let Gathered { jobs, compared, ended, .. } = gathered;
            Compared { queue, jobs, compared, ended, wait, runtime }
        };
        Comparison {
            names: [name(before), name(after)],
            queues: queues.into_iter().map(compared).collect(),
            unread,
            caveat: caveat(before.iter().chain(after)),
        }
    }

    /// Jobs that are compared, and all that there are.
    pub(crate) fn compared_of(&self) -> [u64; 2] {
        let sum = |of: fn(&Compared) -> u64| self.queues.iter().map(of).sum::<u64>();
        [sum(|queue| queue.compared), sum(|queue| queue.jobs) + self.unread]
    }

    /// What must be read before anything else: that nothing, or not nearly everything, is compared.
    pub(crate) fn attention(&self) -> Option<String> {
        let [compared, all] = self.compared_of();
        let [first, other] = &self.names;
        if compared == 0 {
            let jobs = jobs(all);
            return Some(format!("NOTHING IS COMPARED: none of {jobs} ended under both {first} and {other}"));
        }
        let left_out = all - compared;
        let part = left_out as f64 / all.max(1) as f64;
        (part > SILENT_PART).then(|| {
            let each = |index: usize| self.queues.iter().map(|queue| queue.ended[index]).sum::<u64>();
            format!(
                "NOT COMPARED: {} of {} ({:.1} %), which did not end alike under both files (ended under {first}: {}, under {other}: {}); \
                 all figures are of the others",
                count(left_out),
                jobs(all),
                part * 100.0,
                count(each(0)),
                count(each(1))
            )
        })
    }

    /// Who waits how much less or more.
    pub(crate) fn headline(&self) -> String {
        let [first, other] = &self.names;
        let each: Vec<String> = self.queues.iter().map(Compared::said).collect();
        let said = if each.is_empty() { "no job came".to_owned() } else { each.join(", ") };
        format!("Under {other} instead of {first}: {said}.")
    }
}

fn change(seeds: &Pairs) -> Option<Change> {
    if let [one] = seeds.as_slice() {
        return (!one.is_empty()).then(|| Change::of(one));
    }
    let mean = |pairs: &Vec<(f64, f64)>| {
        let count = pairs.len() as f64;
        let sums = pairs.iter().fold((0.0, 0.0), |sums, pair| (sums.0 + pair.0, sums.1 + pair.1));
        (sums.0 / count, sums.1 / count)
    };
    let means: Vec<_> = seeds.iter().filter(|pairs| !pairs.is_empty()).map(mean).collect();
    (!means.is_empty()).then(|| Change::of(&means))
}

impl Simulated {
    /// Each file but the first beside the first. None of a grid: whoever asks for all pairs has the runs.
    pub(crate) fn comparisons(&self) -> Vec<Comparison> {
        let grid = !self.axes().is_empty();
        let (Some(first), false) = (self.runs.first(), grid) else { return Vec::new() };
        self.runs.iter().skip(1).map(|other| Comparison::of(first, other)).collect()
    }

    /// What must be read before anything else where no files are compared: runs in which not nearly all jobs had an
    /// end.
    pub(crate) fn attention(&self) -> Option<String> {
        let ended_of = |runs: &Vec<RunResult>| {
            let ended = runs.iter().flat_map(|run| &run.figures).filter(|job| job.runtime_ms().is_some()).count();
            let all = runs.iter().map(|run| run.figures.len() as u64 + run.not_entered()).sum::<u64>();
            [ended as u64, all]
        };
        let lacking = |[ended, all]: [u64; 2]| all > 0 && (all - ended) as f64 / all as f64 > SILENT_PART;
        let points: Vec<[u64; 2]> = self.runs.iter().map(ended_of).collect();
        let few: Vec<[u64; 2]> = points.iter().copied().filter(|point| lacking(*point)).collect();
        match (points.as_slice(), few.as_slice()) {
            (_, []) => None,
            ([[ended, all]], _) => Some(format!(
                "NO END: {} of {}; waits and runtimes are those of the others",
                count(all - ended),
                jobs(*all)
            )),
            (all, few) => Some(format!(
                "NO END: at {} of {} points more than {:.0} % of the jobs have none; waits and runtimes are those of the others (ended / of)",
                few.len(),
                all.len(),
                SILENT_PART * 100.0
            )),
        }
    }

    /// Why points of a grid cannot be compared.
    pub(crate) fn caveat(&self) -> Option<String> {
        caveat(self.runs.iter().flatten())
    }

    /// Why nothing came of it, if nothing did: no job ended, or under no two files the same. Reservations without jobs
    /// are something.
    #[must_use]
    pub fn nothing(&self) -> Option<String> {
        let runs = || self.runs.iter().flatten();
        if runs().all(|run| run.figures.is_empty()) && runs().any(|run| !run.booked.reservations.is_empty()) {
            return None;
        }
        let empty = |comparison: &Comparison| comparison.compared_of()[0] == 0;
        if let Some(comparison) = self.comparisons().into_iter().find(empty) {
            return comparison.attention();
        }
        let none = runs().flat_map(|run| &run.figures).all(|job| job.runtime_ms().is_none());
        none.then(|| "no job has come to an end".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_said_in_plain_words() {
        let change = |part, give_or_take| Change { part, give_or_take };
        assert_eq!(changed("waits", change(-0.4, 0.1)), "waits 40 % less");
        assert_eq!(changed("waits", change(0.031, 0.01)), "waits 3 % more");
        assert_eq!(changed("waits", change(0.031, 0.04)), "waits as before");
        assert_eq!(
            changed("waits", change(0.5, f64::INFINITY)),
            "waits 50 % more (one pair of jobs: it may be chance)"
        );
        assert_eq!(changed("waits", change(0.0, f64::INFINITY)), "waits as before");
        assert_eq!(figure(Some(change(0.1, 0.02))), "+10.0 % ± 2.0");
        assert_eq!(figure(Some(change(0.1, f64::INFINITY))), "+10.0 %");
        assert_eq!(figure(None), "-");
    }

    fn queue(compared: u64, ended: [u64; 2], runtime: Option<Change>) -> Compared {
        Compared { queue: "root.q".to_owned(), jobs: 100, compared, ended, wait: runtime, runtime }
    }

    /// Means of those that are left do not make up for jobs that do not end.
    #[test]
    fn a_queue_whose_jobs_end_less_often_is_worse() {
        let change = |part, give_or_take| Some(Change { part, give_or_take });
        for (queue, verdict, said) in [
            (queue(100, [100, 100], change(-0.4, 0.1)), Verdict::Wins, "q waits 40 % less"),
            (queue(100, [100, 100], change(0.4, 0.1)), Verdict::Loses, "q waits 40 % more"),
            (queue(100, [100, 100], change(0.4, 0.5)), Verdict::AsBefore, "q waits as before"),
            (
                queue(1, [1, 1], change(54.5, f64::INFINITY)),
                Verdict::CannotBeTold,
                "q waits 5450 % more (one pair of jobs: it may be chance)",
            ),
            (
                queue(60, [100, 60], change(-0.4, 0.1)),
                Verdict::Loses,
                "q is worse (60 of its 100 jobs end instead of 100)",
            ),
            (
                queue(60, [60, 99], change(0.4, 0.1)),
                Verdict::Wins,
                "q is better (99 of its 100 jobs end instead of 60)",
            ),
            (
                queue(0, [0, 0], None),
                Verdict::NotCompared,
                "q is not compared (none of its 100 jobs ended under both files)",
            ),
            (
                queue(0, [7, 0], None),
                Verdict::Loses,
                "q is worse (0 of its 100 jobs end instead of 7, and none of its 100 jobs ended under both files)",
            ),
        ] {
            assert_eq!((queue.verdict(), queue.said()), (verdict, said.to_owned()));
        }
    }

    #[test]
    fn what_is_not_compared_is_said_first_from_two_of_a_hundred_on() {
        let of = |compared, unread| Comparison {
            names: ["a.xml".to_owned(), "b.xml".to_owned()],
            queues: vec![queue(compared, [100, compared], None)],
            unread,
            caveat: None,
        };
        assert_eq!((of(98, 0).attention(), of(100, 2).attention()), (None, None));
        assert_eq!(
            of(97, 0).attention().unwrap(),
            "NOT COMPARED: 3 of 100 jobs (3.0 %), which did not end alike under both files (ended under a.xml: 100, under b.xml: 97); all \
             figures are of the others"
        );
        assert!(of(100, 3).attention().unwrap().starts_with("NOT COMPARED: 3 of 103 jobs (2.9 %)"));
        let nothing = "NOTHING IS COMPARED: none of 100 jobs ended under both a.xml and b.xml";
        assert_eq!(of(0, 0).attention().as_deref(), Some(nothing));
    }

    #[test]
    fn a_seed_without_pairs_counts_for_nothing() {
        let with = change(&vec![vec![(10.0, 20.0)], Vec::new(), vec![(10.0, 20.0)]]).unwrap();
        assert_eq!((with.part, with.give_or_take), (1.0, 0.0));
        assert_eq!(change(&vec![Vec::new(), Vec::new()]), None);
        assert_eq!(change(&Vec::new()), None);
    }
}

//! Figures of runs: of each queue, and of the whole.

use std::collections::BTreeMap;

use super::record::{Interval, JobFigures, QueueSums, RunResult};

/// Mean, and the values below which 50, 95 and 99 of a hundred are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// Of so many values; of none the others mean nothing.
    pub count: usize,
    /// Their mean.
    pub mean: f64,
    /// The values below which 50, 95 and 99 of a hundred are.
    pub of_100: [f64; 3],
}

impl Spread {
    fn of(mut values: Vec<f64>) -> Spread {
        if values.is_empty() {
            return Spread::default();
        }
        values.sort_by(f64::total_cmp);
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index")]
        let at = |part: f64| values[((values.len() as f64 * part).ceil() as usize).clamp(1, values.len()) - 1];
        Spread { count: values.len(), mean, of_100: [0.5, 0.95, 0.99].map(at) }
    }

    /// The mean and the others; nothing where there is no value.
    #[must_use]
    pub fn figures(&self) -> [Option<f64>; 4] {
        let [p50, p95, p99] = self.of_100;
        [self.mean, p50, p95, p99].map(|value| (self.count > 0).then_some(value))
    }
}

/// What the jobs of a queue had, times in s.
#[derive(Clone, Debug, Default)]
pub struct QueueFacts {
    /// The queue, or `all`.
    pub name: String,
    /// Its jobs.
    pub jobs: usize,
    /// Jobs that had an end: all times are of these.
    pub ended: usize,
    /// Jobs that did not come to their end.
    pub not_done: u64,
    /// From submission to the first task.
    pub wait: Spread,
    /// From submission to the end.
    pub runtime: Spread,
    /// Runtime over what the job would take alone.
    pub slowdown: Spread,
    /// How far the means of wait and runtime may be from those of all seeds (95 of 100); nothing of a single seed.
    pub give_or_take: Option<[f64; 2]>,
    /// Containers that were taken.
    pub preempted: u64,
    /// Memory of what was taken, times how long it had run, in GiB hours.
    pub lost_gib_h: f64,
}

/// What stands for all queues where they are taken together.
pub(crate) const ALL_QUEUES: &str = "all";

/// What one run had.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub(crate) queues: Vec<QueueFacts>,
    /// When the last job ended, in s.
    pub(crate) makespan: f64,
    /// Jain's index over the queues' mean speeds: 1 where all are slowed down alike.
    pub(crate) jain: f64,
    /// Mean part of the cluster that queues wanted, had a right to by their shares, and did not have.
    pub(crate) missing_share: f64,
}

impl Facts {
    pub(crate) fn of(run: &RunResult) -> Facts {
        let queues: Vec<QueueFacts> = by_queue(std::slice::from_ref(run));
        // The jobs of a queue of which none has ended did not get on at all.
        let speed = |queue: &QueueFacts| if queue.ended > 0 { 1.0 / queue.slowdown.mean } else { 0.0 };
        let speeds: Vec<f64> = queues
            .iter()
            .filter(|queue| queue.slowdown.mean > 0.0 || (queue.jobs > 0 && queue.ended == 0))
            .map(speed)
            .collect();
        let squares: f64 = speeds.iter().map(|speed| speed * speed).sum();
        let sum: f64 = speeds.iter().sum();
        let jain = if squares > 0.0 { sum.powi(2) / (speeds.len() as f64 * squares) } else { 1.0 };
        let leaf = |index: usize| run.queues.get(index).is_some_and(|(_, leaf)| *leaf);
        let missing = |interval: &Interval| -> i64 {
            let each = interval.queues.iter().enumerate().filter(|(index, _)| leaf(*index));
            each.map(|(_, queue)| (queue.share.min(queue.demand) - queue.usage).max(0)).sum()
        };
        let missing: i64 = run.intervals.iter().map(missing).sum();
        let whole = run.cluster[0].max(1) as f64 * run.intervals.len().max(1) as f64;
        Facts { queues, makespan: run.simulated_ms as f64 / 1000.0, jain, missing_share: missing as f64 / whole }
    }
}

/// The queues of jobs in several runs, by name.
fn by_queue(runs: &[RunResult]) -> Vec<QueueFacts> {
    let mut queues: BTreeMap<&str, Gathered<'_>> = BTreeMap::new();
    for run in runs {
        for (number, sums) in (0_u32..).zip(&run.sums) {
            let gathered = queues.entry(&sums.name).or_default();
            gathered.sums.push(sums);
            gathered.seeds.push(run.figures.iter().filter(|job| job.queue == number).collect());
        }
    }
    queues.into_iter().map(|(name, gathered)| gathered.facts(name)).collect()
}

/// Jobs that are told of together.
#[derive(Default)]
struct Gathered<'r> {
    sums: Vec<&'r QueueSums>,
    /// The jobs of each seed.
    seeds: Vec<Vec<&'r JobFigures>>,
}

impl Gathered<'_> {
    fn facts(&self, name: &str) -> QueueFacts {
        let jobs = || self.seeds.iter().flatten();
        let seconds = |of: fn(&JobFigures) -> Option<f64>| {
            Spread::of(jobs().filter_map(|job| of(job)).map(|ms| ms / 1000.0).collect())
        };
        let means = |of: fn(&JobFigures) -> Option<f64>| {
            let of_seed =
                |jobs: &Vec<&JobFigures>| mean_of(jobs.iter().filter_map(|job| of(job)).map(|ms| ms / 1000.0));
            self.seeds.iter().filter_map(of_seed).collect::<Vec<f64>>()
        };
        let give_or_take = (self.seeds.len() > 1)
            .then(|| [JobFigures::wait_ms, JobFigures::runtime_ms].map(|of| give_or_take(&means(of))));
        QueueFacts {
            name: name.to_owned(),
            jobs: jobs().count(),
            ended: jobs().filter(|job| job.runtime_ms().is_some()).count(),
            not_done: self.sums.iter().map(|sums| sums.not_done).sum(),
            wait: seconds(JobFigures::wait_ms),
            runtime: seconds(JobFigures::runtime_ms),
            slowdown: Spread::of(jobs().filter_map(|job| job.slowdown()).collect()),
            give_or_take,
            preempted: self.sums.iter().map(|sums| sums.preempted).sum(),
            lost_gib_h: self.sums.iter().map(|sums| sums.lost_mib_s).sum::<f64>() / 1024.0 / 3600.0,
        }
    }
}

/// A point of a grid: means over its seeds.
#[derive(Clone, Debug)]
pub struct PointFacts {
    /// Jobs of the traces, over all seeds.
    pub jobs: u64,
    /// Of these, those that had an end.
    pub ended: u64,
    /// Of all jobs, then of each queue's.
    pub queues: Vec<QueueFacts>,
    /// When the last job ended, in s.
    pub makespan: f64,
    /// Mean part of the cluster's memory in use.
    pub memory: f64,
    /// Jain's index over the queues' mean speeds.
    pub jain: f64,
    /// Mean part of the cluster that queues wanted, had a right to, and did not have.
    pub missing_share: f64,
    /// Containers that were taken.
    pub preempted: f64,
}

impl PointFacts {
    /// Of the runs of one point, one a seed.
    #[must_use]
    pub fn of(runs: &[RunResult]) -> PointFacts {
        let seeds = runs.len().max(1) as f64;
        let all = Gathered {
            sums: runs.iter().flat_map(|run| &run.sums).collect(),
            seeds: runs.iter().map(|run| run.figures.iter().collect()).collect(),
        };
        let mut queues = vec![all.facts(ALL_QUEUES)];
        let not_entered: u64 = runs.iter().map(RunResult::not_entered).sum();
        let (jobs, ended) = (queues[0].jobs as u64 + not_entered, queues[0].ended as u64);
        queues.extend(by_queue(runs));
        let mean = |of: &dyn Fn(&RunResult) -> f64| runs.iter().map(of).sum::<f64>() / seeds;
        PointFacts {
            jobs,
            ended,
            queues,
            makespan: mean(&|run| run.simulated_ms as f64 / 1000.0),
            memory: mean(&|run| run.utilisation[0]),
            jain: mean(&|run| Facts::of(run).jain),
            missing_share: mean(&|run| Facts::of(run).missing_share),
            preempted: mean(&|run| run.preempted as f64),
        }
    }
}

/// A difference as a part of what was before, and how far from it the true one may be (95 of 100).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Change {
    pub(crate) part: f64,
    pub(crate) give_or_take: f64,
}

impl Change {
    /// Of pairs that belong together.
    pub(super) fn of(pairs: &[(f64, f64)]) -> Change {
        let count = pairs.len() as f64;
        let before = pairs.iter().map(|(before, _)| before).sum::<f64>() / count.max(1.0);
        if pairs.is_empty() || before <= 0.0 {
            return Change { part: 0.0, give_or_take: 0.0 };
        }
        let differences: Vec<f64> = pairs.iter().map(|(before, after)| after - before).collect();
        let mean = differences.iter().sum::<f64>() / count;
        Change { part: mean / before, give_or_take: give_or_take(&differences) / before }
    }

    /// Whether it is more than chance.
    pub(crate) fn is_real(self) -> bool {
        self.part.abs() > self.give_or_take
    }
}

fn mean_of(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = values.fold((0_u32, 0.0), |(count, sum), value| (count + 1, sum + value));
    (count > 0).then(|| sum / f64::from(count))
}

/// How far the mean of values may be from the true one: half of the 95 % confidence interval. Of one value nothing is
/// known.
fn give_or_take(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    if values.len() < 2 {
        return f64::INFINITY;
    }
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    student(values.len()) * (squares / (count - 1.0) / count).sqrt()
}

/// Student's 97.5 % quantile for so many values; that of the normal distribution from 31 on.
fn student(values: usize) -> f64 {
    const OF: [f64; 29] = [
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
        2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045,
    ];
    values.checked_sub(2).and_then(|degree| OF.get(degree)).copied().unwrap_or(1.96)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_real_where_it_is_more_than_chance() {
        let far_apart = Change::of(&[(10.0, 6.0), (20.0, 12.0), (30.0, 18.0)]);
        assert!((far_apart.part + 0.4).abs() < 1e-12 && !far_apart.is_real(), "{far_apart:?}");
        assert!(Change::of(&[(10.0, 6.0), (10.0, 6.1), (10.0, 5.9)]).is_real());
        assert!(!Change::of(&[(10.0, 6.0)]).is_real(), "of one nothing is known");
        assert_eq!(Change::of(&[]), Change { part: 0.0, give_or_take: 0.0 });
    }

    #[test]
    fn a_spread_is_told_by_mean_and_hundredths() {
        let spread = Spread::of((1..=100).map(f64::from).collect());
        assert_eq!((spread.mean, spread.of_100), (50.5, [50.0, 95.0, 99.0]));
        assert_eq!(Spread::of(vec![7.0]).of_100, [7.0; 3]);
    }

    #[test]
    fn a_mean_of_seeds_is_as_sure_as_they_are_alike() {
        // Three values: 4.303 times their deviation of 1 over the root of 3.
        assert!((give_or_take(&[9.0, 10.0, 11.0]) - 4.303 / 3.0_f64.sqrt()).abs() < 1e-12);
        assert_eq!((give_or_take(&[5.0; 4]), give_or_take(&[5.0])), (0.0, f64::INFINITY));
    }
}

//! From a trace's jobs to applications: how many tasks, how long they live, which queue and whose.
//!
//! # The rule
//! - Tasks: the maps and reduces that the trace has or that are made of its bytes ([`crate::trace`]), and an
//!   ApplicationMaster.
//! - Lives: a map's raw length is the mean of its job's maps, in the trace's time or in bytes; a reduce's that of the
//!   reduces. One factor for the whole trace makes the mean over all tasks the wanted one after every life has been cut
//!   to 0.1 to 10 times it. Each container then varies by up to a quarter either way, from the seed.
//! - Queue: a job's size class is small (up to 4 containers), medium (up to 100) or large. Within each class, jobs are
//!   dealt to the leaf queues (by name) one after the other, like cards, the trace's first job first: every leaf gets
//!   its part of each class. The seed turns the deck: it says with which leaf the dealing starts.
//! - User: `user00` to `user39`, from the seed and the job's place in the trace.

use std::sync::Arc;
use std::time::Duration;

use evenweave_tools::random;

use crate::trace::{TraceJob, count_and_mean};

const USERS: u64 = 40;
/// A life is within this factor of the mean, both ways.
const SPREAD: f64 = 10.0;

/// What one application of the load does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Job {
    /// Map tasks, at least one.
    pub(crate) maps: u32,
    /// Reduce tasks.
    pub(crate) reduces: u32,
    /// How long a map runs, nanoseconds.
    pub(crate) map_life_ns: u64,
    /// How long a reduce runs, nanoseconds.
    pub(crate) reduce_life_ns: u64,
    /// Index into the leaf queues.
    pub(crate) leaf: usize,
    /// Who submits it.
    pub(crate) user: Arc<str>,
}

impl Job {
    /// All its containers, the ApplicationMaster included.
    #[must_use]
    pub(crate) fn containers(&self) -> u64 {
        1 + u64::from(self.maps) + u64::from(self.reduces)
    }
}

/// The lives of one job's maps and of its reduces: of all tasks before a number that have none before it.
type OwnLives = [Vec<(u32, u64)>; 2];

/// The lives of one trace's tasks.
#[derive(Clone, Debug)]
pub(crate) struct Lives {
    seed: u64,
    least_ns: f64,
    most_ns: f64,
    /// By job, where each task has its own.
    own: Vec<OwnLives>,
}

impl Lives {
    fn new(mean: Duration, seed: u64) -> Lives {
        let mean_ns = mean.as_secs_f64() * 1e9;
        Lives { seed, least_ns: mean_ns / SPREAD, most_ns: mean_ns * SPREAD, own: Vec::new() }
    }

    /// Each task lives exactly so long: of each job groups of maps and of reduces, with how many they are and how long
    /// they live.
    pub(crate) fn are(&mut self, jobs: impl Iterator<Item = [Vec<(u32, u64)>; 2]>) {
        let numbered = |mut part: Vec<(u32, u64)>| {
            let mut before = 0_u32;
            for (count, _) in &mut part {
                before = before.saturating_add(*count);
                *count = before;
            }
            part
        };
        self.own = jobs.map(|parts| parts.map(numbered)).collect();
    }

    /// The life of a task that has its own: by job, whether it is a reduce, and how many such were there before it.
    #[must_use]
    #[inline]
    pub(crate) fn own(&self, job: usize, reduce: bool, before: u32) -> Option<u64> {
        let part = &self.own.get(job)?[usize::from(reduce)];
        part.get(part.partition_point(|(end, _)| *end <= before)).map(|(_, life)| *life)
    }

    /// The life of one container: the task's, a quarter more or less.
    #[must_use]
    #[inline]
    pub(crate) fn of(&self, task_ns: u64, app: u32, container: u32) -> u64 {
        to_ns(self.varied(task_ns, app, container).clamp(self.least_ns, self.most_ns))
    }

    /// The same of a task whose life somebody has chosen: it may be longer or shorter than those of the trace.
    #[must_use]
    pub(crate) fn chosen(&self, task_ns: u64, app: u32, container: u32) -> u64 {
        to_ns(self.varied(task_ns, app, container))
    }

    #[inline]
    fn varied(&self, task_ns: u64, app: u32, container: u32) -> f64 {
        task_ns as f64 * (0.75 + 0.5 * random::unit(self.seed, app, container))
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive and far below 2^63")]
fn to_ns(value: f64) -> u64 {
    value as u64
}

/// The applications of a trace, in its order, and the lives of their containers.
#[must_use]
pub(crate) fn from_trace(trace: &[TraceJob], leaves: usize, mean: Duration, seed: u64) -> (Vec<Job>, Lives) {
    let lives = Lives::new(mean, seed);
    let raw: Vec<(u32, f64, u32, f64)> = trace
        .iter()
        .map(|job| {
            let ((maps, map), (reduces, reduce)) = (count_and_mean(&job.maps), count_and_mean(&job.reduces));
            (maps, map, reduces, reduce)
        })
        .collect();
    let factor = factor_for_mean(&raw, mean.as_secs_f64() * 1e9, &lives);
    let life = |bytes: f64| to_ns((bytes * factor).clamp(lives.least_ns, lives.most_ns));
    let turn = usize::try_from(random::mix(seed) % leaves.max(1) as u64).expect("below the number of leaves");
    let mut dealt = [turn; 3];
    let users: Vec<Arc<str>> = (0..USERS).map(|user| format!("user{user:02}").into()).collect();
    let jobs = raw
        .iter()
        .zip(0_u32..)
        .map(|(&(maps, map_bytes, reduces, reduce_bytes), index)| {
            let class = match 1 + maps + reduces {
                ..=4 => 0,
                5..=100 => 1,
                _ => 2,
            };
            let leaf = dealt[class] % leaves.max(1);
            dealt[class] += 1;
            let user = Arc::clone(&users[(random::mix(seed ^ u64::from(index)) % USERS) as usize]);
            Job { maps, reduces, map_life_ns: life(map_bytes), reduce_life_ns: life(reduce_bytes), leaf, user }
        })
        .collect();
    (jobs, lives)
}

/// The factor from bytes to nanoseconds with which the mean over all tasks, cut to the limits, is the wanted one.
fn factor_for_mean(raw: &[(u32, f64, u32, f64)], mean_ns: f64, lives: &Lives) -> f64 {
    let count: f64 = raw.iter().map(|&(maps, _, reduces, _)| f64::from(maps) + f64::from(reduces)).sum();
    let mean_with = |factor: f64| {
        let cut = |bytes: f64| (bytes * factor).clamp(lives.least_ns, lives.most_ns);
        raw.iter().map(|&(maps, m, reduces, r)| f64::from(maps) * cut(m) + f64::from(reduces) * cut(r)).sum::<f64>()
            / count
    };
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    while mean_with(high) < mean_ns && high < 1e12 {
        high *= 2.0;
    }
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if mean_with(middle) < mean_ns { low = middle } else { high = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAP_BYTES: u64 = 128 << 20;
    const REDUCE_BYTES: u64 = 1 << 30;

    fn job(map_input: u64, shuffle: u64) -> TraceJob {
        TraceJob::of_bytes(0, map_input, shuffle, 0)
    }

    #[test]
    fn tasks_come_from_the_bytes() {
        let trace = [job(0, 0), job(MAP_BYTES, 1), job(MAP_BYTES + 1, REDUCE_BYTES), job(10, REDUCE_BYTES + 1)];
        let (jobs, _) = from_trace(&trace, 2, Duration::from_secs(1), 1);
        let counts: Vec<_> = jobs.iter().map(|j| (j.maps, j.reduces)).collect();
        assert_eq!(counts, [(1, 0), (1, 1), (2, 1), (1, 2)]);
    }

    #[test]
    fn the_bundled_trace_has_the_published_containers_and_the_wanted_mean() {
        let mean = Duration::from_secs(1);
        let (jobs, lives) = from_trace(&crate::trace::bundled_trace(), 10, mean, 42);
        assert_eq!(jobs.iter().map(Job::containers).sum::<u64>(), 233_502);
        let mut total = 0.0;
        let mut count = 0.0;
        for (job, app) in jobs.iter().zip(0..) {
            for (tasks, life) in [(job.maps, job.map_life_ns), (job.reduces, job.reduce_life_ns)] {
                for container in 0..tasks {
                    let ns = lives.of(life, app, container);
                    assert!((100_000_000..=10_000_000_000).contains(&ns));
                    total += ns as f64;
                    count += 1.0;
                }
            }
        }
        let found = total / count / 1e9;
        assert!((0.97..1.03).contains(&found), "{found}");
    }

    #[test]
    fn tasks_may_have_lives_of_their_own() {
        let mut lives = Lives::new(Duration::from_secs(1), 1);
        assert_eq!(lives.own(0, false, 0), None);
        lives.are([[vec![(3, 10), (2, 20)], vec![]], [vec![(1, 30)], vec![(1, 40)]]].into_iter());
        let of = |job, reduce| (0..6).map(|before| lives.own(job, reduce, before)).collect::<Vec<_>>();
        assert_eq!(of(0, false), [Some(10), Some(10), Some(10), Some(20), Some(20), None]);
        assert_eq!((lives.own(0, true, 0), lives.own(1, true, 0), lives.own(2, false, 0)), (None, Some(40), None));
    }

    #[test]
    fn every_leaf_gets_its_part_of_each_class() {
        let trace: Vec<_> = (0..40).map(|i| job(if i % 2 == 0 { 1 } else { 200 * MAP_BYTES }, 0)).collect();
        let (jobs, _) = from_trace(&trace, 4, Duration::from_secs(1), 3);
        for leaf in 0..4 {
            assert_eq!(jobs.iter().filter(|j| j.leaf == leaf && j.maps == 1).count(), 5);
            assert_eq!(jobs.iter().filter(|j| j.leaf == leaf && j.maps == 200).count(), 5);
        }
        assert_eq!(from_trace(&trace, 4, Duration::from_secs(1), 3).0, jobs);
    }
}

//! What comes late in a load with preemption: which queue, how many applications, what they ask for, and what its
//! settings promise it.

use std::time::Duration;

use evenweave_tools::Failure;
use evenweave_tools::figures::QueueFigures;

use crate::api::{FairScheduler, QueueConfig};
use crate::jobs::Job;
use crate::load::app::CONTAINER;
use crate::load::options::{LateOptions, LoadOptions};
use crate::options::CoreChoice;

/// The fewest containers that a late application asks for; if it would be less, there are fewer applications.
const LEAST_CONTAINERS: u64 = 10;

/// One leaf queue whose applications come late.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LateLeaf {
    pub(crate) name: String,
    /// Applications that come.
    pub(crate) apps: u64,
    /// Containers that each asks for, its AM's among them.
    pub(crate) containers: u64,
    /// `fairSharePreemptionThreshold`
    pub(crate) threshold: f64,
}

impl LateLeaf {
    /// What the queue is to reach, MiB: its threshold of the fair share, or all that is asked for, less what is smaller
    /// than a container for each application.
    pub(crate) fn target_mib(&self, fair_share_mib: i64) -> f64 {
        let most = (self.apps * self.containers) as f64 * CONTAINER.memory_mb() as f64;
        (self.threshold * fair_share_mib as f64).min(most) - self.apps as f64 * CONTAINER.memory_mb() as f64
    }
}

/// The whole of it.
#[derive(Clone, Debug)]
pub(crate) struct Late {
    /// As it was named.
    pub(crate) queue: String,
    pub(crate) leaves: Vec<LateLeaf>,
    /// The leaf queues that fill the cluster.
    pub(crate) others: Vec<String>,
    pub(crate) after: Duration,
    /// The part of the others' AMs that give back when they are warned.
    pub(crate) give_back: f64,
    /// `fairSharePreemptionTimeout`, ms; the shortest of the leaves'.
    pub(crate) timeout_ms: Option<i64>,
    /// `yarn.scheduler.fair.waitTimeBeforeKill`, ms
    pub(crate) wait_before_kill_ms: i64,
}

/// Options that do not go together, before anything is started.
///
/// # Errors
/// Which and why.
pub(crate) fn check(options: &LoadOptions) -> Result<(), Failure> {
    let Some(late) = &options.late else { return Ok(()) };
    if options.core == Some(CoreChoice::Locked) {
        let message = "--preemption drives the threaded core, and the locked twin has no preemption task: leave out \
                       --core locked";
        return Err(Failure::input(message.to_owned()));
    }
    let (after, whole) = (late.after, options.duration());
    if after >= whole {
        let message = format!(
            "--late-after {after:?}: the run is over after {whole:?}; let the queue come earlier, or raise --duration"
        );
        return Err(Failure::input(message));
    }
    Ok(())
}

/// A timeout of the allocation file, unless it is never.
fn timeout(ms: i64) -> Option<i64> {
    (ms != i64::MAX).then_some(ms.max(0))
}

impl Late {
    /// Looks the queue up in a scheduler that has its nodes and has updated its shares. `file` is the allocation file's
    /// name.
    ///
    /// # Errors
    /// When preemption is off, the queue cannot be had, nobody else is there, or its settings never make it starved.
    pub(crate) fn plan(
        options: &LateOptions,
        settings: &crate::api::Settings,
        scheduler: &FairScheduler,
        queues: &[QueueFigures],
        file: &str,
    ) -> Result<Late, Failure> {
        let configs = scheduler.queue_configs().map_err(|refused| Failure::Scheduler(refused.to_string()))?;
        if !settings.preemption {
            let message = "--preemption: the properties have preemption off; set it on with \
                           -D yarn.scheduler.fair.preemption=true, or in the site file";
            return Err(Failure::input(message.to_owned()));
        }
        Late::of(options, settings.wait_before_kill_ms, queues, &configs, file).map_err(Failure::input)
    }

    fn of(
        options: &LateOptions,
        wait_before_kill_ms: i64,
        queues: &[QueueFigures],
        configs: &[QueueConfig],
        file: &str,
    ) -> Result<Late, String> {
        let queue = options.queue.clone();
        let is_late =
            |name: &str| name.strip_prefix(&queue).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        let (late, others): (Vec<&QueueFigures>, Vec<&QueueFigures>) =
            queues.iter().filter(|view| view.leaf).partition(|view| is_late(&view.name));
        let names = |views: &[&QueueFigures]| {
            views.iter().take(20).map(|view| view.name.as_str()).collect::<Vec<_>>().join(", ")
        };
        if late.is_empty() {
            let all = names(&others);
            return Err(format!(
                "--late-queue {queue}: no leaf queue of that name or below it in {file}; it has {all}"
            ));
        }
        if others.is_empty() {
            return Err(format!(
                "--late-queue {queue}: all leaf queues of {file} are in it, so nobody fills the cluster before it comes; \
                 name one beside others"
            ));
        }
        let config = |name: &str| configs.iter().find(|config| config.name == name);
        let timeouts = |of: fn(&QueueConfig) -> i64| {
            late.iter().filter_map(|view| config(&view.name)).filter_map(|config| timeout(of(config))).min()
        };
        let timeout_ms = timeouts(|config| config.fair_share_preemption_timeout_ms);
        if timeout_ms.is_none() && timeouts(|config| config.min_share_preemption_timeout_ms).is_none() {
            return Err(format!(
                "--late-queue {queue}: it is never starved, because {file} has no fairSharePreemptionTimeout for it; give \
                 it one, or all queues a defaultFairSharePreemptionTimeout, in seconds"
            ));
        }
        let number = u64::from(options.apps).div_ceil(late.len() as u64);
        let leaf = |view: &&QueueFigures| {
            let share = u64::try_from(view.steady_share.memory_mb() / CONTAINER.memory_mb()).unwrap_or(0);
            let apps = number.min(share / LEAST_CONTAINERS).max(1);
            let threshold = config(&view.name).map_or(0.0, |config| f64::from(config.fair_share_preemption_threshold));
            LateLeaf { name: view.name.clone(), apps, containers: share.div_ceil(apps).max(2), threshold }
        };
        Ok(Late {
            leaves: late.iter().map(leaf).collect(),
            others: others.iter().map(|view| view.name.clone()).collect(),
            queue,
            after: options.after,
            give_back: options.give_back / 100.0,
            timeout_ms,
            wait_before_kill_ms,
        })
    }

    /// The leaf queues of the load: those that fill the cluster, then those that come late.
    pub(crate) fn all_leaves(&self) -> Vec<String> {
        self.others.iter().cloned().chain(self.leaves.iter().map(|leaf| leaf.name.clone())).collect()
    }

    /// Makes the jobs, of a trace that was dealt to the others, into those of this load: all tasks live as long, so
    /// that as many end in each second, and each late leaf has a job that asks for its part.
    pub(crate) fn jobs(&self, jobs: &mut Vec<Job>, mean: Duration) {
        let life = evenweave_tools::clock::nanos(mean);
        for job in jobs.iter_mut() {
            (job.map_life_ns, job.reduce_life_ns) = (life, life);
        }
        for (index, leaf) in self.leaves.iter().enumerate() {
            let maps = u32::try_from(leaf.containers - 1).unwrap_or(u32::MAX / 4);
            let leaf = self.others.len() + index;
            jobs.push(Job { maps, reduces: 0, map_life_ns: life, reduce_life_ns: life, leaf, user: "user00".into() });
        }
    }
}

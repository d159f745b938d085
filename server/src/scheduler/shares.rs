//! A FairScheduler as it is shown, whichever driver it has.

use std::collections::HashMap;

use evenweave::reason::{FairReason, Words};
use evenweave::view::{AppView, LabelView, QueueView, Stats};
use evenweave::{Fair, Resource, SchedulerApi};

use super::asked::{AppFigures, Basics, Why};
use super::held::Served;

/// What AMs may use in a leaf queue, were one to be held against it now; `used` is what the cluster has granted.
pub(crate) fn am_limit(queue: &QueueView, max_am_share: f32, cluster: &Resource, used: &Resource) -> Resource {
    let (fair, most, free) = (&queue.fair_share, &queue.max_share, cluster.minus(used));
    let base = Resource::from_fn(|index| match fair.get(index) {
        0 => free.get(index).min(most.get(index)),
        share => share,
    });
    base.times_round_up(f64::from(max_am_share))
}

/// A queue's part of the cluster by its instantaneous fair share of the memory.
#[expect(clippy::cast_precision_loss, reason = "Hadoop divides in 32 bits")]
fn part(queue: &QueueView, cluster: &Resource) -> Resource {
    if cluster.memory_mb() == 0 {
        return cluster.times(0.0);
    }
    cluster.times(f64::from(queue.fair_share.memory_mb() as f32 / cluster.memory_mb() as f32))
}

/// Applications, with their queues' part of the cluster. O(queues + applications).
fn figures(apps: Vec<AppView>, queues: &[QueueView], cluster: &Resource) -> Vec<AppFigures> {
    let parts: HashMap<&str, Resource> =
        queues.iter().map(|queue| (queue.name.as_str(), part(queue, cluster))).collect();
    let figures = |view: AppView| AppFigures {
        number: view.id.number,
        used: view.usage,
        queue_part: parts.get(view.queue.as_str()).copied().unwrap_or_else(|| cluster.times(0.0)),
        nodes: *cluster,
        queue: view.queue,
        priority: None,
        runnable: view.runnable,
        of_capacity: None,
    };
    apps.into_iter().map(figures).collect()
}

impl Served for Fair {
    fn cluster(stats: &Stats) -> Resource {
        stats.cluster
    }

    fn largest(api: &mut impl SchedulerApi<Policy = Fair>, basics: &Basics) -> Resource {
        let queues = api.queues().unwrap_or_default();
        queues.iter().find(|queue| queue.name == "root").map_or(basics.maximum, |root| root.max_allocation)
    }

    fn figures(apps: Vec<AppView>, queues: &[QueueView], cluster: &Resource, _labels: &[LabelView]) -> Vec<AppFigures> {
        figures(apps, queues, cluster)
    }

    fn has_queue(queues: &[QueueView], name: &str) -> bool {
        queues.iter().any(|queue| queue.name == name)
    }

    fn told(reason: FairReason, basics: &Basics) -> Why {
        let words = Words::new(&basics.types);
        Why::told(reason, |wait| words.wait(wait).to_string())
    }
}

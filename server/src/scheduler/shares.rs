//! Applications of a FairScheduler as they are shown, whichever driver it has.

use std::collections::HashMap;

use evenweave::Resource;
use evenweave::view::{AppView, QueueView};

use super::asked::AppFigures;

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
pub(super) fn figures(apps: Vec<AppView>, queues: &[QueueView], cluster: &Resource) -> Vec<AppFigures> {
    let parts: HashMap<&str, Resource> =
        queues.iter().map(|queue| (queue.name.as_str(), part(queue, cluster))).collect();
    let figures = |view: AppView| AppFigures {
        number: view.id.number,
        used: view.usage,
        queue_part: parts.get(view.queue.as_str()).copied().unwrap_or_else(|| cluster.times(0.0)),
        queue: view.queue,
        priority: None,
        runnable: view.runnable,
        of_capacity: None,
    };
    apps.into_iter().map(figures).collect()
}

//! The queues, as Java shows them.

use crate::capacity_queue;
use crate::commands::Batch;
use crate::driver::Driver;
use crate::wire::Writer;
use evenweave::view::QueueView;
use evenweave::{Resource, SchedulerApi as _};
use std::collections::HashMap;

impl Batch<'_> {
    pub(crate) fn write_queues(&mut self) {
        match &mut self.state.driver {
            Driver::Fair(of) => {
                let configs = of.queue_configs();
                let am_shares: HashMap<&str, f32> =
                    configs.iter().map(|queue| (queue.name.as_str(), queue.max_am_share)).collect();
                let (queues, stats) = (of.queues(), of.stats());
                let free = stats.cluster.minus(&stats.allocated);
                self.out.length(queues.len());
                for queue in &queues {
                    // One of -1 is no limit, and none is shown.
                    let share = am_shares.get(queue.name.as_str()).copied().filter(|share| *share >= 0.0);
                    let am_limit = share.filter(|_| queue.leaf).map(|share| am_limit(queue, share, &free));
                    fair(self.out, queue, &am_limit.unwrap_or(Resource::ZERO));
                }
            }
            Driver::Capacity(of) => {
                let queues = of.queues();
                self.out.length(queues.len());
                let types = &self.state.types;
                queues.iter().for_each(|queue| capacity_queue::write(self.out, queue, types));
            }
        }
    }
}

/// What AMs may use in a leaf queue, were one to be held against it now; `free` is what the cluster has not granted.
fn am_limit(queue: &QueueView, max_am_share: f32, free: &Resource) -> Resource {
    let base = Resource::from_fn(|index| match queue.fair_share.get(index) {
        0 => free.get(index).min(queue.max_share.get(index)),
        share => share,
    });
    base.times_round_up(f64::from(max_am_share))
}

fn fair(out: &mut Writer, queue: &QueueView, am_limit: &Resource) {
    out.text(&queue.name);
    out.flag(queue.leaf);
    out.text("RUNNING");
    out.resource(&queue.max_allocation);
    out.float(queue.weight);
    out.resource(&queue.fair_share);
    out.resource(&queue.steady_fair_share);
    out.resource(&queue.usage);
    out.resource(&queue.demand);
    out.resource(&queue.min_share);
    out.resource(&queue.max_share);
    out.count(queue.max_running_apps);
    out.flag(queue.preemptable);
    out.text(&queue.policy);
    out.resource(&queue.am_usage);
    out.resource(am_limit);
    out.count(queue.pending);
    out.count((queue.runnable + queue.non_runnable).saturating_sub(queue.pending));
}

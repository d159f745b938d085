//! The queues, as Java shows them.

use crate::commands::Batch;
use crate::driver::Driver;
use crate::wire::Writer;
use evenweave::view::{CapacityQueueView, QueueView};

impl Batch<'_> {
    pub(crate) fn write_queues(&mut self) {
        match &mut self.state.driver {
            Driver::Fair(of) => {
                let queues = of.queues();
                self.out.length(queues.len());
                queues.iter().for_each(|queue| fair(self.out, queue));
            }
            Driver::Capacity(of) => {
                let queues = of.queues(false);
                self.out.length(queues.len());
                queues.iter().for_each(|queue| capacity(self.out, queue));
            }
        }
    }
}

fn fair(out: &mut Writer, queue: &QueueView) {
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
}

fn capacity(out: &mut Writer, queue: &CapacityQueueView) {
    out.text(&queue.name);
    out.flag(queue.leaf.is_some());
    out.text(&queue.state);
    out.resource(&queue.maximum_allocation);
    out.float(queue.capacity);
    out.float(queue.maximum_capacity);
    out.float(queue.used_capacity);
    out.float(queue.absolute_capacity);
    out.float(queue.absolute_maximum_capacity);
    out.float(queue.absolute_used_capacity);
    out.resource(&queue.used);
    out.resource(&queue.reserved);
    out.resource(&queue.pending);
    out.resource(&queue.guaranteed);
    out.resource(&queue.maximum);
}

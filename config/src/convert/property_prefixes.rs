//! Beginnings of the CapacityScheduler's properties.

/// Of everything.
pub(super) const CAPACITY: &str = "yarn.scheduler.capacity.";
/// Of preemption.
pub(super) const PREEMPTION: &str = "yarn.resourcemanager.monitor.capacity.preemption.";

/// A property of a queue.
pub(super) fn of_queue(queue: &str, name: &str) -> String {
    format!("{CAPACITY}{queue}.{name}")
}

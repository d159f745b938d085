//! Which scheduler the class in `yarn.resourcemanager.scheduler.class` is: Hadoop's own, or the one that puts this core into its ResourceManager.

pub(super) const SCHEDULER_CLASS: &str = "yarn.resourcemanager.scheduler.class";

/// Whose files of queues a class reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SchedulerKind {
    Fair,
    Capacity,
}

impl SchedulerKind {
    /// Hadoop's class.
    pub(super) fn class(self) -> &'static str {
        match self {
            SchedulerKind::Fair => "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler",
            SchedulerKind::Capacity => {
                "org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler"
            }
        }
    }

    /// The class of `yarn/java` that reads the same files.
    pub(super) fn own_class(self) -> &'static str {
        match self {
            SchedulerKind::Fair => "io.evenweave.yarn.EvenweaveFairScheduler",
            SchedulerKind::Capacity => "io.evenweave.yarn.EvenweaveCapacityScheduler",
        }
    }

    /// Whether a class reads these files. Hadoop does not trim the name.
    pub(super) fn is(self, class: &str) -> bool {
        class == self.class() || class == self.own_class()
    }

    /// What to write in place of a class that does not.
    pub(super) fn help(self) -> String {
        format!("write {}, or {}", self.class(), self.own_class())
    }
}

//! Which scheduler the class in `yarn.resourcemanager.scheduler.class` is: Hadoop's own, or the one that puts this core
//! into its ResourceManager.

use super::site::SiteProperties;

pub(super) const SCHEDULER_CLASS: &str = "yarn.resourcemanager.scheduler.class";

/// One of the two schedulers: whose files of queues are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SchedulerKind {
    /// The FairScheduler, with its allocation file.
    Fair,
    /// The CapacityScheduler, with its `capacity-scheduler.xml`.
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

    /// The scheduler whose class stands in `yarn.resourcemanager.scheduler.class`, if it is one of the two.
    #[must_use]
    pub fn named_by(site: &SiteProperties) -> Option<SchedulerKind> {
        SchedulerKind::of_class(&site.get(SCHEDULER_CLASS).ok()??)
    }

    /// The scheduler that a class is, if it is one of the two.
    pub(super) fn of_class(class: &str) -> Option<SchedulerKind> {
        [SchedulerKind::Fair, SchedulerKind::Capacity].into_iter().find(|kind| kind.is(class))
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

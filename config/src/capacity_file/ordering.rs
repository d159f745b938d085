//! Orders: of applications in a leaf, of child queues in a parent.
//!
//! Follows rules/capacity.md 2.2, 12.3 and 13.3; `getAppOrderingPolicy` and `getQueueOrderingPolicy` of
//! `CapacitySchedulerConfiguration`.

use super::error::{CapacityFault, CapacityFileError};
use super::source::Source;
use crate::java;

const KEY: &str = "ordering-policy";
const PACKAGE: &str = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.policy.";
const KNOWN: &str = "fifo, fair, fifo-with-partitions or fifo-for-pending-apps";
const KNOWN_OF_QUEUES: &str = "utilization or priority-utilization";

/// In which order a leaf serves its applications.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AppOrdering {
    /// `fifo`: by priority, then by age.
    Fifo,
    /// `fair`: who has least comes first.
    Fair {
        /// `ordering-policy.fair.enable-size-based-weight`: what an application wants counts too.
        size_based_weight: bool,
    },
    /// `fifo-with-partitions`: a list for each of these partitions, and one for the others.
    FifoWithPartitions {
        /// `ordering-policy.exclusive-enforced-partitions`
        partitions: Vec<String>,
    },
    /// `fifo-for-pending-apps`: as `fifo`, but recovering applications first.
    FifoForPendingApps,
}

impl AppOrdering {
    /// YARN's name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            AppOrdering::Fifo => "fifo",
            AppOrdering::Fair { .. } => "fair",
            AppOrdering::FifoWithPartitions { .. } => "fifo-with-partitions",
            AppOrdering::FifoForPendingApps => "fifo-for-pending-apps",
        }
    }

    pub(super) fn read(source: &Source<'_>, queue: &str) -> Result<AppOrdering, CapacityFileError> {
        let property = Source::of(queue, KEY);
        let name = source.text(&property).unwrap_or_else(|| "fifo".to_owned());
        // Names are trimmed, classes are not.
        let fair = || {
            let text = source.raw(&format!("{property}.fair.enable-size-based-weight"));
            AppOrdering::Fair { size_based_weight: text.is_some_and(|text| text.eq_ignore_ascii_case("true")) }
        };
        let with_partitions = || {
            let text = source.raw(&format!("{property}.exclusive-enforced-partitions")).unwrap_or_default();
            let names = text.split(',').map(java::trim).filter(|name| !name.is_empty());
            AppOrdering::FifoWithPartitions { partitions: names.map(str::to_owned).collect() }
        };
        match (java::trim(&name), name.strip_prefix(PACKAGE)) {
            ("fifo", _) | (_, Some("FifoOrderingPolicy")) => Ok(AppOrdering::Fifo),
            ("fair", _) | (_, Some("FairOrderingPolicy")) => Ok(fair()),
            ("fifo-with-partitions", _) | (_, Some("FifoOrderingPolicyWithExclusivePartitions")) => {
                Ok(with_partitions())
            }
            ("fifo-for-pending-apps", _) | (_, Some("FifoOrderingPolicyForPendingApps")) => {
                Ok(AppOrdering::FifoForPendingApps)
            }
            _ => Err(CapacityFileError::new(property, CapacityFault::UnknownOrdering { name, known: KNOWN })),
        }
    }
}

/// In which order a parent serves its children.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum QueueOrdering {
    /// `utilization`: who has least of what it is to have.
    #[default]
    Utilization,
    /// `priority-utilization`: by priority first, as long as all are below or all above what they are to have.
    PriorityUtilization,
}

impl QueueOrdering {
    /// YARN's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            QueueOrdering::Utilization => "utilization",
            QueueOrdering::PriorityUtilization => "priority-utilization",
        }
    }

    /// The parent's where the queue names none.
    pub(super) fn read(
        source: &Source<'_>,
        queue: &str,
        parent: Option<QueueOrdering>,
    ) -> Result<QueueOrdering, CapacityFileError> {
        let property = Source::of(queue, KEY);
        let Some(text) = source.text(&property) else { return Ok(parent.unwrap_or_default()) };
        match java::trim(&text) {
            "utilization" => Ok(QueueOrdering::Utilization),
            "priority-utilization" => Ok(QueueOrdering::PriorityUtilization),
            name => {
                let (name, queue) = (name.to_owned(), queue.to_owned());
                let fault = CapacityFault::UnknownQueueOrdering { name, queue, known: KNOWN_OF_QUEUES };
                Err(CapacityFileError::new(property, fault))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn app_ordering(text: &'static str) -> Result<AppOrdering, CapacityFileError> {
        let size = ("yarn.scheduler.capacity.root.a.ordering-policy.fair.enable-size-based-weight", "TRUE");
        let pairs = [("yarn.scheduler.capacity.root.a.ordering-policy", text), size];
        let site = pairs.into_iter().filter(|(_, text)| !text.is_empty()).collect();
        AppOrdering::read(&Source::new(&site), "root.a")
    }

    #[test]
    fn applications_are_ordered_by_a_name_or_a_class() {
        assert_eq!(app_ordering(""), Ok(AppOrdering::Fifo));
        assert_eq!(app_ordering(" fair "), Ok(AppOrdering::Fair { size_based_weight: true }));
        let class = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.policy.FifoOrderingPolicy";
        assert_eq!(app_ordering(class), Ok(AppOrdering::Fifo));
        for bad in ["Fair", "utilization", "java.lang.String"] {
            assert!(app_ordering(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn queues_are_ordered_as_in_the_parent() {
        let site = [("yarn.scheduler.capacity.root.ordering-policy", "priority-utilization ")].into_iter().collect();
        let source = Source::new(&site);
        let root = QueueOrdering::read(&source, "root", None).unwrap();
        assert_eq!(root, QueueOrdering::PriorityUtilization);
        assert_eq!(QueueOrdering::read(&source, "root.a", Some(root)), Ok(root));
        assert_eq!(QueueOrdering::read(&source, "root.a", None), Ok(QueueOrdering::Utilization));
    }
}

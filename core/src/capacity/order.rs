//! Who comes first: queues among their siblings, applications in a leaf.
//!
//! Reference 12.3 and 13.3; `PriorityUtilizationQueueOrderingPolicy`, `FifoOrderingPolicy`, `FairOrderingPolicy`.

use crate::config::capacity::QueueOrdering;
use crate::resource::Resource;
use std::cmp::Ordering;

/// What siblings are compared by, as read before any of them is tried.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueueRank {
    pub(crate) absolute_capacity: f32,
    /// What it uses of what is guaranteed to it.
    pub(crate) used: f32,
    /// What it uses of the cluster.
    pub(crate) absolute_used: f32,
    pub(crate) priority: i32,
    /// The configured absolute minimum.
    pub(crate) minimum: Resource,
}

/// A child's class, then its key within the class: what [`compare_queues`] compares before the capacities.
fn utilization(a: &QueueRank, b: &QueueRank, ordering: QueueOrdering, of: impl Fn(&QueueRank) -> f32) -> Ordering {
    let by_use = of(a).total_cmp(&of(b));
    match ordering {
        QueueOrdering::Utilization => by_use,
        QueueOrdering::PriorityUtilization => {
            // Who has less than it is to have comes before who has enough, whatever the priorities.
            (of(a) >= 1.0).cmp(&(of(b) >= 1.0)).then(b.priority.cmp(&a.priority)).then(by_use)
        }
    }
}

/// The order of siblings. Of equals the one that the parent lists first comes first: sort stably.
pub(crate) fn compare_queues(a: &QueueRank, b: &QueueRank, ordering: QueueOrdering) -> Ordering {
    let has = |rank: &QueueRank| rank.absolute_capacity > 0.0;
    let first = match (has(a), has(b)) {
        (true, true) => utilization(a, b, ordering, |rank| rank.used),
        (false, false) => utilization(a, b, ordering, |rank| rank.absolute_used),
        (a, b) => b.cmp(&a),
    };
    let by_size = || {
        if a.minimum.is_none() && b.minimum.is_none() {
            b.absolute_capacity.total_cmp(&a.absolute_capacity)
        } else {
            // Plain amounts: the first type that differs decides.
            b.minimum.lanes().cmp(a.minimum.lanes())
        }
    };
    first.then_with(by_size)
}

/// What an application is ordered by in a fair leaf. It is what was known when the application was put in its place last.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FairCache {
    pub(crate) used_mb: i64,
    pub(crate) pending_mb: i64,
}

impl FairCache {
    fn demand(&self) -> i64 {
        self.used_mb + self.pending_mb
    }

    fn value(&self, size_based_weight: bool) -> f64 {
        let used = self.used_mb as f64;
        if !size_based_weight {
            return used;
        }
        let weight = (self.demand() as f64).ln_1p() / std::f64::consts::LN_2;
        if used == 0.0 || weight == 0.0 { used } else { used / weight }
    }
}

/// What applications of a leaf are compared by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AppRank {
    pub(crate) number: u32,
    pub(crate) priority: i32,
    pub(crate) start_ms: u64,
    pub(crate) fair: FairCache,
}

/// `fifo`, and the order in which applications wait to be activated.
pub(crate) fn compare_fifo(a: &AppRank, b: &AppRank) -> Ordering {
    b.priority.cmp(&a.priority).then(a.number.cmp(&b.number)).then(a.start_ms.cmp(&b.start_ms))
}

/// `fair`; values that are no numbers are equal to any.
pub(crate) fn compare_fair(a: &AppRank, b: &AppRank, size_based_weight: bool) -> Ordering {
    let (x, y) = (a.fair.value(size_based_weight), b.fair.value(size_based_weight));
    let wants = |rank: &AppRank| rank.fair.demand() > 0;
    x.partial_cmp(&y)
        .unwrap_or(Ordering::Equal)
        .then(a.start_ms.cmp(&b.start_ms))
        .then(wants(b).cmp(&wants(a)))
        .then(a.number.cmp(&b.number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank(absolute_capacity: f32, used: f32, priority: i32) -> QueueRank {
        QueueRank { absolute_capacity, used, absolute_used: used, priority, minimum: Resource::NONE }
    }

    #[test]
    fn under_served_comes_before_over_served_whatever_the_priority() {
        use QueueOrdering::{PriorityUtilization, Utilization};
        let (low, high) = (rank(0.5, 0.4, 0), rank(0.5, 1.2, 9));
        assert_eq!(compare_queues(&low, &high, PriorityUtilization), Ordering::Less);
        let high = rank(0.5, 0.9, 9);
        assert_eq!(compare_queues(&low, &high, PriorityUtilization), Ordering::Greater);
        assert_eq!(compare_queues(&low, &high, Utilization), Ordering::Less);
    }

    #[test]
    fn a_queue_without_capacity_comes_last_and_a_larger_one_first() {
        assert_eq!(
            compare_queues(&rank(0.0, 0.0, 0), &rank(0.1, 3.0, 0), QueueOrdering::Utilization),
            Ordering::Greater
        );
        assert_eq!(compare_queues(&rank(0.3, 0.0, 0), &rank(0.1, 0.0, 0), QueueOrdering::Utilization), Ordering::Less);
    }

    #[test]
    fn size_weighs_what_is_used() {
        let app = |number, used_mb, pending_mb| AppRank {
            number,
            priority: 0,
            start_ms: 0,
            fair: FairCache { used_mb, pending_mb },
        };
        let (small, large) = (app(1, 1024, 0), app(2, 1100, 1 << 30));
        assert_eq!(compare_fair(&small, &large, false), Ordering::Less);
        assert_eq!(compare_fair(&small, &large, true), Ordering::Greater);
        // A demand below -1 has no logarithm: equal to any, so that the number decides.
        assert_eq!(compare_fair(&app(1, 9, -30), &app(2, 1, -1), true), Ordering::Less);
    }
}

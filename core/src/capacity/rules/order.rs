//! Who comes first: queues among their siblings, applications in a leaf.
//!
//! Follows rules/capacity.md 12.3 and 13.3; `PriorityUtilizationQueueOrderingPolicy`, `FifoOrderingPolicy`,
//! `FairOrderingPolicy`.

use crate::config::capacity::{AppOrdering, QueueOrdering};
use crate::policy::OrderKey;
use crate::resource::Resource;
use std::cmp::Ordering;

/// What siblings are compared by, as read before any of them is tried.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueueRank<'a> {
    pub(crate) absolute_capacity: f32,
    /// What it uses of what is guaranteed to it.
    pub(crate) used: f32,
    /// What it uses of the cluster.
    pub(crate) absolute_used: f32,
    pub(crate) priority: i32,
    /// The configured absolute minimum.
    pub(crate) minimum: &'a Resource,
}

/// Something is guaranteed to it. An absolute minimum on a partition without nodes makes a capacity that is no number.
/// As in Java's comparison that is larger than nothing.
#[inline]
fn has_capacity(rank: &QueueRank<'_>) -> bool {
    rank.absolute_capacity > 0.0 || rank.absolute_capacity.is_nan()
}

/// What its use is measured against: what is guaranteed, or the cluster where nothing is.
#[inline]
fn measured(rank: &QueueRank<'_>) -> f32 {
    if has_capacity(rank) { rank.used } else { rank.absolute_used }
}

/// What siblings that use equally much are ordered by: larger before smaller. It changes with the configuration and the
/// cluster alone.
pub(crate) fn compare_sizes(a: &QueueRank<'_>, b: &QueueRank<'_>) -> Ordering {
    if a.minimum.is_zero() && b.minimum.is_zero() {
        b.absolute_capacity.total_cmp(&a.absolute_capacity)
    } else {
        // Plain amounts: the first type that differs decides.
        b.minimum.amounts().cmp(a.minimum.amounts())
    }
}

/// The order of siblings. Of equals the one that the parent lists first comes first: sort stably.
pub(crate) fn compare_queues(a: &QueueRank<'_>, b: &QueueRank<'_>, ordering: QueueOrdering) -> Ordering {
    let (x, y) = (measured(a), measured(b));
    let by_priority = match ordering {
        QueueOrdering::Utilization => Ordering::Equal,
        // Who has less than it is to have comes before who has enough, whatever the priorities.
        QueueOrdering::PriorityUtilization => (x >= 1.0).cmp(&(y >= 1.0)).then(b.priority.cmp(&a.priority)),
    };
    has_capacity(b).cmp(&has_capacity(a)).then(by_priority).then(x.total_cmp(&y)).then_with(|| compare_sizes(a, b))
}

/// A queue's place among its siblings, as a number: the smaller one comes first.
pub(crate) type QueueKey = u128;

/// The same order as a number. `size` is its place among its siblings by [size](compare_sizes), then as the parent
/// lists them, and `slot` itself, which no order hangs on.
#[inline]
pub(crate) fn queue_key(rank: &QueueRank<'_>, ordering: QueueOrdering, size: u32, slot: u32) -> QueueKey {
    let use_of = measured(rank);
    let (is_over, priority) = match ordering {
        QueueOrdering::Utilization => (false, 0),
        QueueOrdering::PriorityUtilization => (use_of >= 1.0, !(rank.priority.cast_unsigned() ^ (1 << 31))),
    };
    // From the top: two bits of class, 32 of priority, 32 of use, 30 of size, 32 of the slot.
    let class = 2 * u64::from(!has_capacity(rank)) + u64::from(is_over);
    let use_of = u64::from(ordered_bits_32(use_of));
    let high = class << 62 | u64::from(priority) << 30 | use_of >> 2;
    let low = use_of << 62 | u64::from(size) << 32 | u64::from(slot);
    u128::from(high) << 64 | u128::from(low)
}

/// The same for a winner tree: its class apart.
#[inline]
pub(crate) fn order_key(key: QueueKey) -> OrderKey {
    // The two bits at the top.
    OrderKey::of_bits(u32::try_from(key >> 126).expect("two bits"), key << 2)
}

/// The queue whose key it is.
pub(crate) fn slot_of(key: QueueKey) -> u32 {
    u32::try_from(key & u128::from(u32::MAX)).expect("32 bits")
}

/// Its place among its siblings by [size](compare_sizes).
pub(crate) fn size_of(key: QueueKey) -> u32 {
    u32::try_from((key >> 32) & ((1 << 30) - 1)).expect("30 bits")
}

/// Bits that order as `total_cmp` does.
fn ordered_bits_32(value: f32) -> u32 {
    let bits = value.to_bits();
    if bits >> 31 == 1 { !bits } else { bits | (1 << 31) }
}

fn ordered_bits_64(value: f64) -> u64 {
    let bits = value.to_bits();
    if bits >> 63 == 1 { !bits } else { bits | (1 << 63) }
}

/// What an application is ordered by in a fair leaf. It is what was known when the application was put in its place
/// last.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FairCache {
    pub(crate) used_mb: i64,
    pub(crate) pending_mb: i64,
}

impl FairCache {
    fn demand(&self) -> i64 {
        self.used_mb.saturating_add(self.pending_mb)
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
    /// It was accepted before a restart of the ResourceManager.
    pub(crate) recovered: bool,
    pub(crate) number: u32,
    pub(crate) priority: i32,
    pub(crate) start_ms: u64,
    pub(crate) fair: FairCache,
}

/// `fifo`, and the order in which applications wait to be activated, but for those of before a restart.
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

/// How applications of a list are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AppOrder {
    Fifo,
    /// In which applications wait to be activated: those of before a restart first. `FifoOrderingPolicyForPendingApps`.
    Waiting,
    Fair {
        size_based_weight: bool,
    },
}

/// An application's place in a list: the smaller one comes first.
pub(crate) type AppKey = [u64; 3];

impl AppOrder {
    /// For containers.
    pub(crate) fn of(ordering: &AppOrdering) -> AppOrder {
        match ordering {
            AppOrdering::Fair { size_based_weight } => AppOrder::Fair { size_based_weight: *size_based_weight },
            AppOrdering::FifoForPendingApps => AppOrder::Waiting,
            AppOrdering::Fifo | AppOrdering::FifoWithPartitions { .. } => AppOrder::Fifo,
        }
    }

    pub(crate) fn compare(self, a: &AppRank, b: &AppRank) -> Ordering {
        match self {
            AppOrder::Fifo => compare_fifo(a, b),
            AppOrder::Waiting => b.recovered.cmp(&a.recovered).then_with(|| compare_fifo(a, b)),
            AppOrder::Fair { size_based_weight } => compare_fair(a, b, size_based_weight),
        }
    }

    /// The same order as a key. None where a value is no number, which no key can be equal to.
    pub(crate) fn key(self, rank: &AppRank) -> Option<AppKey> {
        match self {
            AppOrder::Fifo | AppOrder::Waiting => {
                let priority = u64::from(!(rank.priority.cast_unsigned() ^ (1 << 31)));
                let comes_later = u64::from(self == AppOrder::Waiting && !rank.recovered);
                Some([comes_later << 32 | priority, rank.number.into(), rank.start_ms])
            }
            AppOrder::Fair { size_based_weight } => {
                let value = rank.fair.value(size_based_weight);
                let wants_nothing = u64::from(rank.fair.demand() <= 0);
                // Nothing less than nothing is nothing.
                let value = (!value.is_nan()).then(|| ordered_bits_64(value + 0.0))?;
                Some([value, rank.start_ms, (wants_nothing << 32) | u64::from(rank.number)])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rank(absolute_capacity: f32, used: f32, priority: i32) -> QueueRank<'static> {
        QueueRank { absolute_capacity, used, absolute_used: used, priority, minimum: &Resource::ZERO }
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
            recovered: false,
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

    proptest! {
        /// Keys order as what is compared, so that a winner tree has the order of a sort. What is used may be less than
        /// nothing.
        #[test]
        fn keys_of_queues_order_as_they_are_compared(
            queues in prop::collection::vec((0_u8..4, -4_i8..8, -2_i32..3, 0_usize..3), 1..8),
            by_priority in any::<bool>(),
        ) {
            let ordering = if by_priority { QueueOrdering::PriorityUtilization } else { QueueOrdering::Utilization };
            const MINIMA: [Resource; 3] = [Resource::ZERO, Resource::new(1, 0), Resource::new(2, 0)];
            let rank_of = |(capacity, used, priority, minimum): (u8, i8, i32, usize)| QueueRank {
                minimum: &MINIMA[minimum],
                absolute_used: f32::from(used) / 9.0,
                ..rank([0.0, 0.5, 1.0, f32::NAN][usize::from(capacity)], f32::from(used) / 4.0, priority)
            };
            let ranks: Vec<QueueRank<'_>> = queues.into_iter().map(rank_of).collect();
            let mut by_size: Vec<usize> = (0..ranks.len()).collect();
            by_size.sort_by(|a, b| compare_sizes(&ranks[*a], &ranks[*b]));
            let size = |at: usize| u32::try_from(by_size.iter().position(|other| *other == at).unwrap()).unwrap();
            let mut compared: Vec<usize> = (0..ranks.len()).collect();
            compared.sort_by(|a, b| compare_queues(&ranks[*a], &ranks[*b], ordering));
            let mut keyed: Vec<usize> = (0..ranks.len()).collect();
            keyed.sort_by_key(|at| queue_key(&ranks[*at], ordering, size(*at), 7));
            let key = queue_key(&ranks[0], ordering, size(0), 7);
            prop_assert_eq!((slot_of(key), size_of(key)), (7, size(0)));
            prop_assert_eq!(&compared, &keyed);
            let mut in_tree = keyed;
            in_tree.sort_by_key(|at| order_key(queue_key(&ranks[*at], ordering, size(*at), 7)));
            prop_assert_eq!(compared, in_tree);
        }

        #[test]
        fn keys_of_applications_order_as_they_are_compared(
            apps in prop::collection::vec((any::<bool>(), 0_i32..3, 0_u64..3, 0_i64..4, 0_i64..4), 2..8),
            size_based_weight in any::<bool>(),
        ) {
            let ranks: Vec<AppRank> = apps
                .iter()
                .zip(1_u32..)
                .map(|((recovered, priority, start_ms, used_mb, pending_mb), number)| AppRank {
                    recovered: *recovered,
                    number,
                    priority: *priority,
                    start_ms: *start_ms,
                    fair: FairCache { used_mb: *used_mb, pending_mb: *pending_mb },
                })
                .collect();
            for by in [AppOrder::Fifo, AppOrder::Waiting, AppOrder::Fair { size_based_weight }] {
                for (a, b) in ranks.iter().zip(&ranks[1..]) {
                    prop_assert_eq!(by.key(a).cmp(&by.key(b)), by.compare(a, b));
                }
            }
        }
    }
}

//! Policy `fifo`: first come, first served; for leaf queues. Follows `FifoPolicy`.

use super::fair::memory_headroom;
use crate::policy::{ClusterTotal, OrderKey, Precedence, Schedulable, SchedulingPolicy, ShareInput};
use crate::resource::{Calculator, Resource};
use std::cmp::Ordering;

/// Policy `fifo`: the application that started first is offered a node first.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fifo;

impl SchedulingPolicy for Fifo {
    fn name(&self) -> &str {
        "FIFO"
    }

    #[inline]
    fn key(&self, _: &ClusterTotal, child: &Schedulable<'_>) -> Option<OrderKey> {
        OrderKey::of(0, [0.0; 4], child.tie)
    }

    fn compare(&self, _: &ClusterTotal, a: &Schedulable<'_>, b: &Schedulable<'_>) -> Ordering {
        a.tie.cmp(&b.tie)
    }

    fn precedence(&self, _: &ClusterTotal, first: &Schedulable<'_>, second: &Schedulable<'_>) -> Precedence {
        Precedence::of_ties(first.tie, second.tie)
    }

    /// The earliest child gets a copy of the whole share; no other child's share is touched, so old values stay, as in
    /// Hadoop. Steady shares are not distributed.
    fn compute_shares(&self, _: usize, total: &Resource, children: &mut [ShareInput], steady: bool) {
        if steady {
            return;
        }
        if let Some(first) = children.iter_mut().min_by_key(|child| (child.start_ms, child.sequence)) {
            first.share = *total;
        }
    }

    fn shares_are_stable(&self) -> bool {
        true
    }

    fn calculator(&self) -> Calculator {
        Calculator::Memory
    }

    fn headroom(&self, fair_share: &Resource, usage: &Resource, available: &Resource) -> Resource {
        memory_headroom(fair_share, usage, available)
    }

    fn allows_child(&self, _: &dyn SchedulingPolicy) -> bool {
        false
    }

    fn leaf_only(&self) -> bool {
        true
    }
}

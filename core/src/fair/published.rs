//! What the FairScheduler publishes: of a queue, with the structure; and what the update has computed.
//!
//! Written by the control and by the update task, read by everybody.

use crate::id::Slot;
use crate::policy::SchedulingPolicy;
use crate::preemption::{QueuePreemption, Starvation};
use crate::resource::{Calculator, Resource};
use crate::sync::Arc;
use rustc_hash::FxHashMap;

/// What is published of a queue beside its place in the tree and its limit, which is the max share of the present
/// cluster, raised to the min share.
#[derive(Clone, Debug)]
pub(crate) struct FairPublished {
    pub(crate) dynamic: bool,
    pub(crate) policy: Arc<dyn SchedulingPolicy>,
    /// The policy's, asked once: a worker could not do without.
    pub(crate) calculator: Calculator,
    pub(crate) weight: f32,
    pub(crate) min_share: Resource,
    pub(crate) max_am_share: f32,
    pub(crate) max_running_apps: u32,
    pub(crate) steady_fair_share: Resource,
    pub(crate) preemption: QueuePreemption,
    /// Orders as the name does among siblings.
    pub(crate) name_order: u64,
}

impl PartialEq for FairPublished {
    /// Weights by their bits: one that is no number is what it was.
    fn eq(&self, other: &FairPublished) -> bool {
        // Every field is named, so that a new one is thought of.
        let FairPublished {
            dynamic,
            policy,
            calculator,
            weight,
            min_share,
            max_am_share,
            max_running_apps,
            steady_fair_share,
            preemption,
            name_order,
        } = self;
        *dynamic == other.dynamic
            && std::ptr::addr_eq(Arc::as_ptr(policy), Arc::as_ptr(&other.policy))
            && *calculator == other.calculator
            && weight.to_bits() == other.weight.to_bits()
            && *min_share == other.min_share
            && max_am_share.to_bits() == other.max_am_share.to_bits()
            && *max_running_apps == other.max_running_apps
            && *steady_fair_share == other.steady_fair_share
            && *preemption == other.preemption
            && *name_order == other.name_order
    }
}

/// Demand and instantaneous fair share of one queue or application.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Share {
    /// Of the slot that this entry is about; another generation's entry means nothing.
    pub(crate) generation: u32,
    pub(crate) demand: Resource,
    pub(crate) fair_share: Resource,
}

/// How long updates took, by the scheduler's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct UpdateRuns {
    pub(crate) count: u64,
    pub(crate) total_ms: u64,
    pub(crate) longest_ms: u64,
}

impl UpdateRuns {
    /// One more.
    pub(crate) fn add(&mut self, ms: u64) {
        self.count += 1;
        self.total_ms = self.total_ms.saturating_add(ms);
        self.longest_ms = self.longest_ms.max(ms);
    }
}

/// What `update` publishes, by slot.
#[derive(Debug, Default)]
pub(crate) struct Shares {
    pub(crate) queues: Vec<Share>,
    pub(crate) apps: Vec<Share>,
    /// Of the applications that are starved; what the last look at them found.
    pub(crate) starvation: Arc<FxHashMap<Slot, Starvation>>,
    /// When leaf queues last had their min share, as far as that was looked at.
    pub(crate) last_at_min_share_ms: Arc<FxHashMap<Slot, i64>>,
    /// When it was computed.
    pub(crate) at_ms: u64,
    /// Of all updates until then.
    pub(crate) runs: UpdateRuns,
}

impl Shares {
    /// Of a queue, as [`Shares::queue`], without the rest.
    #[inline]
    pub(crate) fn fair_share(&self, slot: Slot) -> &Resource {
        let entry = self.queues.get(slot.ix()).filter(|share| share.generation == slot.generation);
        entry.map_or(&Resource::ZERO, |share| &share.fair_share)
    }

    fn get(entries: &[Share], slot: Slot) -> Share {
        match entries.get(slot.ix()) {
            Some(share) if share.generation == slot.generation => *share,
            _ => Share { generation: slot.generation, ..Share::default() },
        }
    }

    /// Zero for a queue that no update has seen.
    pub(crate) fn queue(&self, slot: Slot) -> Share {
        Shares::get(&self.queues, slot)
    }

    /// Zero for an application that no update has seen.
    pub(crate) fn app(&self, slot: Slot) -> Share {
        Shares::get(&self.apps, slot)
    }
}

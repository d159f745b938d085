//! The FairScheduler's part of an application.

use crate::engine::books::ledger::AppShared;
use crate::engine::parts::AppPart;
use crate::fair::engine::{AppLocal, Shared};
use crate::fair::in_vain::Missed;
use crate::fair::published::Share;
use crate::policy::{Schedulable, Tie};
use crate::prefetch::prefetch;
use crate::resource::Resource;
#[cfg(all(target_pointer_width = "64", not(shuttle)))]
use {crate::fair::engine::KeyLocal, std::mem::offset_of};

/// What the FairScheduler keeps of an application. Of the vectors memory and vcores lie at the end of what a grant
/// reads anyway.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct FairApp {
    pub(crate) tie: Tie,
    pub(crate) weight: f32,
    /// Some ask is large enough for a reservation; kept like `floor`.
    pub(crate) may_reserve: bool,
    /// `yarn.scheduler.fair.am.preemption` of the queue that it entered; a later move changes nothing, as in Hadoop.
    pub(crate) am_preemptable: bool,
    /// A visit may do more than count where nothing fits; kept like `floor`, which is its only size where it is not.
    pub(crate) uneven: bool,
    /// Another worker is its home.
    pub(crate) stranger: bool,
    pub(crate) demand: Resource,
    /// No outstanding ask is smaller in any type.
    pub(crate) floor: Resource,
    pub(crate) fair_share: Resource,
    pub(crate) missed: Missed,
}

#[cfg(all(target_pointer_width = "64", not(shuttle)))]
const _: () =
    assert!(offset_of!(AppLocal, keys) == 64 && offset_of!(KeyLocal, size) + 16 + 8 <= 64, "with a word of the list");
#[cfg(all(target_pointer_width = "64", not(shuttle)))]
const _: () =
    assert!(offset_of!(AppLocal, usage) % 64 == 48 && AppLocal::DONE / 64 == offset_of!(AppLocal, usage) / 64);
#[cfg(all(target_pointer_width = "64", not(shuttle)))]
const _: () =
    assert!(offset_of!(AppLocal, attempt) / 64 == (offset_of!(AppLocal, own.demand) + 15) / 64, "one line of a grant");

impl FairApp {
    /// Of an application that a worker has just heard of.
    pub(crate) fn new(shared: &Shared, worker: usize, app: &AppShared, share: &Share) -> FairApp {
        FairApp {
            tie: Tie { start_ms: app.start_ms, name: app.id.name_order() },
            weight: shared.app_weight(&share.demand),
            may_reserve: false,
            am_preemptable: shared.decider.settings.am_preemption_in(&app.placed_in),
            uneven: false,
            stranger: app.home != worker,
            demand: share.demand,
            floor: Resource::UNBOUNDED,
            fair_share: share.fair_share,
            missed: Missed::default(),
        }
    }

    /// What an update has found.
    pub(crate) fn take_share(&mut self, shared: &Shared, share: &Share) {
        self.demand = share.demand;
        self.fair_share = share.fair_share;
        self.weight = shared.app_weight(&self.demand);
    }
}

impl<W> AppPart<W> for FairApp {
    #[inline]
    fn prefetch_visit(&self, _worker: &W, _leaf: u32) {
        prefetch(&self.demand);
        prefetch(&self.floor);
    }

    #[inline]
    fn prefetch_linked(&self, _worker: &W) {}

    #[inline]
    fn prefetch_charge(&self, _worker: &W) {}
}

impl AppLocal {
    pub(crate) fn schedulable(&self) -> Schedulable<'_> {
        Schedulable {
            usage: &self.usage,
            demand: &self.own.demand,
            min_share: &Resource::ZERO,
            weight: self.own.weight,
            tie: self.own.tie,
        }
    }

    /// Hadoop's filter in a leaf: pending demand (of the last update, less usage now) is not exactly zero.
    #[inline]
    pub(crate) fn is_pending(&self) -> bool {
        self.runnable && self.own.demand != self.usage
    }
}

impl Shared {
    /// The weight of an application: 1, or with `sizebasedweight` log2(1 + memory demanded).
    pub(crate) fn app_weight(&self, demand: &Resource) -> f32 {
        if self.decider.settings.size_based_weight { size_based_weight(demand) } else { 1.0 }
    }
}

/// In single precision at the end, as in Hadoop.
fn size_based_weight(demand: &Resource) -> f32 {
    #[expect(clippy::cast_possible_truncation, reason = "Hadoop narrows here")]
    let weight = ((demand.memory_mb() as f64).ln_1p() / std::f64::consts::LN_2) as f32;
    weight
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn size_based_weight_of_the_reference() {
        assert!((size_based_weight(&Resource::new(1023, 0)) - 10.0).abs() < f32::EPSILON);
        assert!(size_based_weight(&Resource::ZERO).abs() < f32::EPSILON);
    }
}

//! The FairScheduler's part of a worker: how far a pass has come, and what it remembers from one to the next.

use crate::config::Settings;
use crate::fair::engine::{Shard, Shared};
use crate::fair::in_vain::InVain;
use crate::fair::trace::Recorder;
use crate::id::ROOT;
use crate::resource::Resource;

/// See the module's text.
#[derive(Debug)]
pub(crate) struct FairWorker {
    /// Visits count opportunities, or take times, that a later decision reads.
    pub(crate) counts_opportunities: bool,
    /// The present visit had an effect that a second one would repeat.
    pub(crate) repeatable: bool,
    /// Within a descent: who need not be offered the node any more.
    pub(crate) has_declined: Option<HasDeclined>,
    /// Cluster less allocated, as of the moments at which Hadoop refreshes it.
    pub(crate) available: Resource,
    /// Declined without effect: out until the end of the pass.
    pub(crate) out_for_pass: Vec<Suspended>,
    /// Declined with an effect that a second visit repeats: out until the end of the descent.
    pub(crate) out_for_descent: Vec<Suspended>,
    pub(crate) in_vain: InVain,
    pub(crate) trace: Option<Box<Recorder>>,
    /// Scratch for continuous scheduling: free memory and index of nodes.
    pub(crate) by_free: Vec<(i64, u32)>,
    /// Scratch for the slow path: one order a level, reused.
    pub(crate) scratch: Vec<Vec<u32>>,
}

/// A winner that declined and is out of its tree until later.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Suspended {
    pub(crate) queue: u32,
    pub(crate) position: u32,
}

/// Who was offered the node before a walk, in vain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HasDeclined {
    pub(crate) app: u32,
    /// Another visit may have an effect.
    pub(crate) repeatable: bool,
}

/// Whether visits count opportunities or take times that a later decision reads.
fn counts_opportunities(settings: &Settings) -> bool {
    if settings.continuous_scheduling {
        settings.locality_delay_node_ms >= 0 && settings.locality_delay_rack_ms >= 0
    } else {
        settings.locality_threshold_node >= 0.0 && settings.locality_threshold_rack >= 0.0
    }
}

impl FairWorker {
    pub(crate) fn new(shared: &Shared) -> FairWorker {
        FairWorker {
            counts_opportunities: counts_opportunities(&shared.decider.settings),
            repeatable: false,
            has_declined: None,
            available: Resource::ZERO,
            out_for_pass: Vec::new(),
            out_for_descent: Vec::new(),
            in_vain: InVain::default(),
            trace: shared.decider.trace.then(Box::default),
            by_free: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// No pass is under way.
    pub(crate) fn forget_pass(&mut self) {
        self.out_for_pass.clear();
        self.out_for_descent.clear();
        (self.repeatable, self.has_declined) = (false, None);
    }
}

impl Shard {
    /// Cluster less allocated. Hadoop refreshes this at the end of a pass, when a container ends, on node changes and
    /// on update; the AM share rule sees the difference.
    pub(crate) fn refresh_available(&mut self) {
        let used = self.queue(ROOT).usage;
        self.own.available = self.cluster.total.minus(&used);
    }

    /// Puts those back that were out for one descent.
    pub(crate) fn end_descent(&mut self) {
        while let Some(out) = self.own.out_for_descent.pop() {
            self.resume(out);
        }
    }

    /// Puts all back.
    pub(crate) fn end_pass(&mut self) {
        self.end_descent();
        while let Some(out) = self.own.out_for_pass.pop() {
            self.resume(out);
        }
    }

    fn resume(&mut self, Suspended { queue, position }: Suspended) {
        let queue = self.queue_mut(queue);
        queue.own.order.resume(position);
        if let Some(masters) = queue.own.masters_mut() {
            masters.resume(position);
        }
    }
}

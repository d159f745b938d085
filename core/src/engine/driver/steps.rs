//! The driver without threads: everything runs on the caller's thread, and each call processes all messages before it
//! returns. One thread at a time uses it.

use crate::engine::control::Control;
use crate::engine::decider::Decider;
#[cfg(feature = "faults")]
use crate::engine::decider::PreemptionTask;
use crate::engine::decider::{UpdateTask, Workers};
use crate::engine::driver::runner::{WorkerLanes, answer_dead};
use crate::engine::driver::setup::AtRest;
#[cfg(feature = "faults")]
use crate::engine::intake::to_control::{ControlMessage, Panicked};
use crate::engine::shard::Shard;
use crate::engine::shared::Shared;
use crate::event::Refused;
use crate::event::refused::Configuration;
use crate::sync::Arc;

/// A scheduler that runs on the caller's thread. After each call no message is left.
#[derive(Debug)]
pub(crate) struct Stepper<D: Decider> {
    pub(super) parts: AtRest<D>,
    /// Whether a worker was given up. Kept here, because each call checks it and only this driver gives workers up.
    some_are_dead: bool,
}

impl<D: Decider> Stepper<D> {
    pub(crate) fn new(parts: AtRest<D>) -> Stepper<D> {
        let mut stepper = Stepper { parts, some_are_dead: false };
        stepper.pump();
        stepper
    }

    /// Ends containers that were acquired and never launched, if a scan for them is due. Returns whether a scan was
    /// made.
    pub(crate) fn expire_if_due(&mut self) -> bool {
        let now = self.parts.shared.clock.now_ms();
        let mut any = false;
        for (shard, _) in &mut self.parts.shards {
            while shard.scan_for_expired(now) {
                any = true;
            }
        }
        any
    }

    pub(crate) fn shared(&self) -> &Arc<Shared<D>> {
        &self.parts.shared
    }

    pub(crate) fn control(&mut self) -> &mut Control<D> {
        &mut self.parts.control
    }

    pub(crate) fn shard(&mut self, worker: usize) -> &mut Shard<D> {
        &mut self.parts.shards[worker].0
    }

    pub(crate) fn shards(&mut self) -> impl Iterator<Item = &mut Shard<D>> {
        self.parts.shards.iter_mut().map(|(shard, _)| shard)
    }

    pub(crate) fn update(&mut self) {
        if let Some(updater) = &mut self.parts.updater {
            updater.update();
        }
        self.pump();
    }

    /// Runs `act` on the preemption task. All messages are processed before and after.
    pub(crate) fn preempt<R>(
        &mut self,
        act: impl FnOnce(&mut D::Preemptor, &mut Workers<'_, D>) -> R,
    ) -> Result<R, Refused> {
        self.pump();
        let AtRest { shards, preemptor, .. } = &mut self.parts;
        let preemptor = preemptor.as_mut().ok_or(Configuration::PreemptionOff)?;
        let outcome = act(preemptor, &mut Workers(shards.iter_mut().map(|(shard, _)| shard).collect()));
        self.pump();
        Ok(outcome)
    }

    /// Counts all records, and compares the counts.
    #[cfg(feature = "faults")]
    pub(crate) fn audit(&mut self, fold: bool) -> crate::engine::views::audit::Audit {
        let AtRest { control, shards, preemptor, shared, .. } = &mut self.parts;
        let workers: Vec<_> = shards
            .iter_mut()
            .filter(|(shard, _)| !shared.is_dead(shard.id()))
            .map(|(shard, _)| shard.audit(fold))
            .collect();
        let doomed = preemptor.as_ref().map_or_else(Vec::new, PreemptionTask::doomed);
        crate::engine::views::audit::compare(shared, &workers, &control.audit(), &doomed)
    }

    /// Does what a panic of a worker between two messages leads to: its nodes are lost, and it restarts. With
    /// `for_good` it is given up.
    #[cfg(feature = "faults")]
    pub(crate) fn panic(&mut self, worker: usize, for_good: bool) {
        let AtRest { shards, shared, .. } = &mut self.parts;
        let shard = &mut shards[worker].0;
        let nodes = shard.give_up_nodes();
        if for_good {
            self.some_are_dead = true;
            shared.set_dead(worker);
            shard.join_for_good();
        } else {
            shard.restart_after_panic();
        }
        let message = format!("an injected panic of worker {worker}");
        let panicked = Panicked { worker, message, nodes, goes_on: !for_good };
        // The lane is this stepper's own.
        let _ = shared.lanes.control.send(ControlMessage::WorkerPanicked(panicked));
        self.pump();
    }

    /// Processes messages, and publishes in between, until no message is left.
    pub(crate) fn pump(&mut self) {
        let some_are_dead = self.some_are_dead;
        let AtRest { control, shards, control_lane, shared, .. } = &mut self.parts;
        let now = shared.clock.now_ms();
        loop {
            let mut idle = true;
            control.publish();
            for (shard, lanes) in shards.iter_mut() {
                if some_are_dead && shared.is_dead(shard.id()) {
                    idle &= !answer_for_dead(shard, lanes, shared);
                    continue;
                }
                #[cfg(feature = "sharing")]
                let actor = crate::sync::sharing::set_actor(Some(shard.id()));
                shard.sync();
                shard.fold_if_due(now);
                // Mostly the lanes are empty, and `is_empty` costs less than `try_recv`.
                while !lanes.internal.is_empty()
                    && let Ok(mut message) = lanes.internal.try_recv()
                {
                    idle = false;
                    // The stepped driver ends by being dropped.
                    let _ = shard.handle_internal(&mut message);
                }
                while !lanes.external.is_empty()
                    && let Ok(mut parcel) = lanes.external.try_recv()
                {
                    idle = false;
                    shard.handle_external(parcel.message());
                }
                shard.hand_back_leases();
                #[cfg(feature = "sharing")]
                crate::sync::sharing::reset_actor(actor);
            }
            while !control_lane.is_empty()
                && let Ok(message) = control_lane.try_recv()
            {
                idle = false;
                control.handle(message);
            }
            if idle {
                return;
            }
        }
    }
}

/// Answers callers that wait for a worker that was given up. Returns whether there were any.
#[cold]
fn answer_for_dead<D: Decider>(shard: &mut Shard<D>, lanes: &WorkerLanes<D>, shared: &Shared<D>) -> bool {
    let mut some = false;
    while let Ok(message) = lanes.internal.try_recv() {
        some = true;
        answer_dead(shard, message, shared);
    }
    while lanes.external.try_recv().is_ok() {
        some = true;
    }
    some
}

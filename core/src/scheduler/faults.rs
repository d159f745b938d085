//! Faults on purpose, with the feature `faults`: what goes wrong inside, for tests and soak runs.
//!
//! What goes wrong outside needs no door of its own: clock, groups, wake-up and policies are the embedder's, and so are
//! an AM that never calls, an event channel that nobody reads, and reports that are wrong. Each fault here is a message
//! to the thread that it is for, so nothing is asked on the way of a heartbeat or a grant, with the feature or without.

use super::door::{CONTROL, Door};
use super::handles::AppHandle;
use super::policy::{Capacity, Fair, Policy};
use super::stepped::Stepped;
use super::threaded::Scheduler;
use crate::capacity::{CapacityDecider, CapacityShard};
use crate::engine::control::Control;
use crate::engine::decider::Decider;
use crate::engine::intake::reply::once;
use crate::engine::intake::to_control::{Call, ControlMessage};
use crate::engine::{Audit, Internal, Kept, Look, TaskCall, UpdateCall, ask_workers, compare, wait};
use crate::event::Refused;
use crate::event::refused::Gone;
#[cfg(doc)]
use crate::event::refused::*;
use crate::fair::preemption::PreemptionCall;
use crate::id::ContainerId;
use crate::sync::thread;
use std::time::Duration;

/// So often an audit looks before it says that something is wrong.
const LOOKS: usize = 100;

/// A fault to inject; see [`FairScheduler::inject`](crate::FairScheduler::inject).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// A worker panics between two messages.
    WorkerPanic {
        /// Which one, from 0.
        worker: usize,
    },
    /// A worker panics, and once more while it begins anew: it is given up.
    WorkerDeath {
        /// Which one, from 0.
        worker: usize,
    },
    /// A worker does nothing for so long; its channel fills.
    WorkerStall {
        /// Which one, from 0.
        worker: usize,
        /// How long.
        time: Duration,
    },
    /// A worker of a CapacityScheduler panics in the midst of what the control, or another worker, tells it.
    WorkerPanicInMessage {
        /// Which one, from 0.
        worker: usize,
        /// So many steps on, from 1: a message is two, when it is noted, and when it is done and the others are not
        /// told what follows.
        steps: u32,
    },
    /// The control panics, for good.
    ControlDeath,
    /// The update task does nothing for so long; shares stay as they are.
    UpdateStall(Duration),
}

fn control_fails<D: Decider>(_: &Control<D>) {
    panic!("an injected panic of the control");
}

/// What both schedulers have.
impl<D: Decider> Door<D> {
    fn inject(&self, fault: Fault) -> Result<(), Refused> {
        match fault {
            Fault::WorkerPanic { worker } => self.panic_at(worker, false),
            Fault::WorkerDeath { worker } => self.panic_at(worker, true),
            Fault::WorkerStall { worker, time } => self.look_at(worker, Look::<D>::new(move |_| wait(time))),
            Fault::ControlDeath => {
                let fails = Call::Look(Box::new(control_fails));
                let lane = &self.open()?.lanes.control;
                lane.send(ControlMessage::Call(fails)).map_err(|_| self.gone(CONTROL))
            }
            Fault::UpdateStall(_) => Err(Gone::Task { task: "update" }.into()),
            Fault::WorkerPanicInMessage { .. } => Err(Gone::Task { task: "books" }.into()),
        }
    }

    fn panic_at(&self, worker: usize, for_good: bool) -> Result<(), Refused> {
        let look = Look::<D>::new(move |shard| {
            shard.panics_at_restart = for_good;
            panic!("an injected panic of worker {worker}");
        });
        self.look_at(worker, look)
    }

    fn look_at(&self, worker: usize, look: Look<D>) -> Result<(), Refused> {
        self.owner_is_there(worker)?;
        let lane = self.shared.lanes.internal.get(worker).ok_or(Gone::Worker(worker))?;
        lane.send(Internal::Look(look)).map_err(|_| Refused::Gone(Gone::ShutDown))
    }

    fn kept(&self) -> Result<Kept, Refused> {
        let workers = ask_workers(self.open()?, |shard| shard.kept())?;
        Ok(workers.into_iter().fold(Kept::default(), |sum, worker| Kept {
            node_places: sum.node_places + worker.node_places,
            container_records: sum.container_records + worker.container_records,
            mail_records: sum.mail_records + worker.mail_records,
            applications: sum.applications + worker.applications,
            request_keys: sum.request_keys + worker.request_keys,
        }))
    }

    fn audit(&self, quiesce: impl Fn(), doomed: impl Fn() -> Vec<ContainerId>) -> Result<Audit, Refused> {
        let mut audit = Audit::default();
        for _ in 0..LOOKS {
            quiesce();
            let workers = ask_workers(self.open()?, |shard| shard.audit(true))?;
            let control = self.look(Control::audit)?;
            audit = compare(self.open()?, &workers, &control, &doomed());
            if audit.wrong.is_empty() {
                break;
            }
            thread::yield_now();
        }
        Ok(audit)
    }
}

/// # Faults
impl Scheduler<Fair> {
    /// Injects a fault. It happens when the thread concerned takes its next messages.
    ///
    /// # Errors
    /// [`Gone::Worker`] where there is no such worker, or none any more; [`Gone::Task`], also of
    /// [`Fault::WorkerPanicInMessage`]; [`Gone::ShutDown`].
    pub fn inject(&self, fault: Fault) -> Result<(), Refused> {
        if let Fault::UpdateStall(time) = fault {
            self.door().open()?;
            return self.inner.own.update.send(UpdateCall::Stall(time)).map_err(|_| Refused::Gone(Gone::ShutDown));
        }
        self.door().inject(fault)
    }

    /// Waits for quiet, then counts every kind of record of the whole scheduler and compares the sums. It reports each
    /// difference. Call it when nobody else calls. Each worker first folds in what the others have done.
    ///
    /// A worker hands its leases back a moment after the last message, and timers may have something under way. So the
    /// audit counts several times, until nothing is wrong or nothing changes.
    ///
    /// # Errors
    /// [`Gone::Worker`], [`Invalid::OwnThread`], [`Gone::ShutDown`], [`Gone::Task`].
    pub fn audit(&self) -> Result<Audit, Refused> {
        self.door().audit(|| drop(self.quiesce()), || self.doomed())
    }

    /// What the preemption task is to kill; nothing where preemption is off.
    fn doomed(&self) -> Vec<ContainerId> {
        let (reply, answer) = once();
        let sent = self.door().shared.lanes.preemption.send(TaskCall::Own(PreemptionCall::Doomed(reply)));
        sent.ok().and_then(|()| answer.receive()).unwrap_or_default()
    }
}

/// # Faults
impl Scheduler<Capacity> {
    /// Injects a fault, as [`FairScheduler::inject`](crate::FairScheduler::inject).
    ///
    /// # Errors
    /// Those of that call; [`Gone::Task`] of [`Fault::UpdateStall`]: there is no update task.
    pub fn inject(&self, fault: Fault) -> Result<(), Refused> {
        if let Fault::WorkerPanicInMessage { worker, steps } = fault {
            return self.door().look_at(
                worker,
                Look::<CapacityDecider>::new(move |shard: &mut CapacityShard| shard.own.fails_in = steps),
            );
        }
        self.door().inject(fault)
    }

    /// Waits for quiet, then counts every kind of record, as [`FairScheduler::audit`](crate::FairScheduler::audit),
    /// including the books of queues, users and applications.
    ///
    /// # Errors
    /// [`Gone::Worker`], [`Invalid::OwnThread`], [`Gone::ShutDown`], [`Gone::Task`].
    pub fn audit(&self) -> Result<Audit, Refused> {
        self.door().audit(|| drop(self.quiesce()), Vec::new)
    }
}

/// # Faults
impl<P: Policy> Scheduler<P> {
    /// Returns what the workers keep memory for, in all. Waits for them.
    ///
    /// # Errors
    /// [`Gone::Worker`], [`Gone::ShutDown`].
    pub fn kept(&self) -> Result<Kept, Refused> {
        self.door().kept()
    }
}

/// # Faults
impl<P: Policy> Stepped<P> {
    /// Counts every kind of record of the whole scheduler and compares the sums, as
    /// [`FairScheduler::audit`](crate::FairScheduler::audit). With `fold` each worker first folds in what the others
    /// have done, which changes what several workers decide next. Without it nothing changes, and what waits for the
    /// next fold is not counted as an error.
    pub fn audit(&mut self, fold: bool) -> Audit {
        self.steps.stepper.audit(fold)
    }

    /// Starts to end an application, and works nothing off: the next call does, as where other threads call meanwhile.
    ///
    /// # Errors
    /// [`NotFound::App`] if it has already ended.
    pub fn begin_finish(&mut self, app: &AppHandle) -> Result<(), Refused> {
        self.steps.stepper.control().begin_finish(&app.0, None)
    }
}

/// # Faults
impl Stepped<Capacity> {
    /// Lets a worker panic between two messages, with its books corrupted. With [`Fault::WorkerDeath`] the worker is
    /// given up.
    ///
    /// # Errors
    /// [`Gone::Worker`] where there is no such worker, or none any more; [`Gone::Task`] of any other fault: there are
    /// no threads.
    pub fn inject(&mut self, fault: Fault) -> Result<(), Refused> {
        let (worker, for_good) = match fault {
            Fault::WorkerPanic { worker } => (worker, false),
            Fault::WorkerDeath { worker } => (worker, true),
            Fault::WorkerStall { .. }
            | Fault::WorkerPanicInMessage { .. }
            | Fault::ControlDeath
            | Fault::UpdateStall(_) => {
                return Err(Gone::Task { task: "thread" }.into());
            }
        };
        let stepper = &mut self.steps.stepper;
        if worker >= stepper.shared().workers || stepper.shared().is_dead(worker) {
            return Err(Gone::Worker(worker).into());
        }
        stepper.pump();
        stepper.shard(worker).own.spoil();
        stepper.panic(worker, for_good);
        Ok(())
    }
}

//! Faults on purpose, with the feature `faults`: what goes wrong inside, for tests and soak runs.
//!
//! What goes wrong outside needs no door of its own: clock, groups, wake-up and policies are the embedder's, and so are an AM that never
//! calls, an event channel that nobody reads, and reports that are wrong. Each fault here is a message to the thread that it is for, so
//! nothing is asked on the way of a heartbeat or a grant, with the feature or without.

use super::fair::FairScheduler;
use crate::engine::{Kept, UpdateCall, ask_workers, wait};
use crate::event::Refused;
use crate::fair::{Internal, Look};
use std::time::Duration;

/// Something that goes wrong; see [`FairScheduler::inject`].
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
    /// The update task does nothing for so long; shares stay as they are.
    UpdateStall(Duration),
}

impl FairScheduler {
    /// Has something go wrong, soon: when the thread that it is for takes its next messages.
    ///
    /// # Errors
    /// [`Refused::WorkerLost`] where there is no such worker, or none any more; when the scheduler has been shut down.
    pub fn inject(&self, fault: Fault) -> Result<(), Refused> {
        match fault {
            Fault::WorkerPanic { worker } => self.panic_at(worker, false),
            Fault::WorkerDeath { worker } => self.panic_at(worker, true),
            Fault::WorkerStall { worker, time } => self.look_at(worker, Look::new(move |_| wait(time))),
            Fault::UpdateStall(time) => {
                self.open()?;
                self.update_lane().send(UpdateCall::Stall(time)).map_err(|_| Refused::ShutDown)
            }
        }
    }

    /// What the workers keep memory for, all together. Waits for them.
    ///
    /// # Errors
    /// When the scheduler has been shut down, or a worker was given up.
    pub fn kept(&self) -> Result<Kept, Refused> {
        let workers = ask_workers(self.open()?, |shard| shard.kept())?;
        Ok(workers.into_iter().fold(Kept::default(), |sum, worker| Kept {
            node_places: sum.node_places + worker.node_places,
            container_records: sum.container_records + worker.container_records,
            mail_records: sum.mail_records + worker.mail_records,
            applications: sum.applications + worker.applications,
            request_keys: sum.request_keys + worker.request_keys,
        }))
    }

    fn panic_at(&self, worker: usize, for_good: bool) -> Result<(), Refused> {
        let look = Look::new(move |shard| {
            shard.fails_anew = for_good;
            panic!("an injected panic of worker {worker}");
        });
        self.look_at(worker, look)
    }

    fn look_at(&self, worker: usize, look: Look) -> Result<(), Refused> {
        self.owner_is_there(worker)?;
        let lane = self.shared().lanes.internal.get(worker).ok_or(Refused::WorkerLost(worker))?;
        lane.send(Internal::Look(look)).map_err(|_| Refused::ShutDown)
    }
}

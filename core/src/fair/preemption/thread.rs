//! The preemption task as the drivers run it: on a thread of its own, or by the caller's.
//!
//! # Where it stands
//! Run by the drivers where preemption is on. It owns the [`Preemptor`]: the round that is under way, and
//! the list of what is to be killed when. The update task wakes it after each update; without timers it makes its
//! rounds and kills by call alone.
//!
//! # Protocol
//! A search or a marking is a message on the internal lane of the worker that owns the nodes, answered with what was
//! found or really marked; a kill is a message without an answer, a strict one is answered with the request that it was
//! for. The owner takes the newest snapshot before it answers, so it sees the shares by which the application was found
//! starved: the update publishes them before it lets go of the book.
//!
//! # Who waits for whom
//! This thread waits for workers; no worker, nor the control, waits for it. The update task waits for the book only
//! while one application is taken from it.

use super::round::{LONG_MS, MarkedFor, Owners, Preemptor};
use super::victims::{Found, OutstandingAsk, Search, Victims};
use crate::app::SchedulingKey;
use crate::engine::books::ledger::AppShared;
use crate::engine::decider::{PreemptionTask, Workers};
use crate::engine::intake::reply::{Once, once};
use crate::engine::intake::to_control::TaskCall;
use crate::fair::engine::{FairDecider, Internal, Shard, Shared};
use crate::id::ContainerId;
use crate::sync::Arc;
use crate::sync::channel::{Receiver, RecvTimeoutError};
use std::time::Duration;

/// What the preemption task is told.
#[derive(Debug)]
pub(crate) enum PreemptionCall {
    /// Somebody may be starved.
    Wake,
    /// Make the rounds that are to be made, and answer what they came to.
    Rounds(Once<Vec<MarkedFor>>),
    /// Kill all that is marked, due or not, and answer when the owners are told.
    KillAll(Once<()>),
    /// Answer what is marked and to be killed.
    #[cfg(feature = "faults")]
    Doomed(Once<Vec<ContainerId>>),
}

/// What the preemption task asks of a worker.
#[derive(Debug)]
pub(crate) enum VictimCall {
    Asks(Arc<AppShared>, Once<Vec<OutstandingAsk>>),
    Find(Search, Once<Option<Found>>),
    Take(Found, Arc<AppShared>, Once<Victims>),
    Kill(Vec<ContainerId>),
    KillIfNeeded(Victims, Arc<AppShared>, Vec<OutstandingAsk>, Once<Option<SchedulingKey>>),
}

impl Shard {
    /// Works off what the preemption task asks.
    pub(crate) fn handle_victims(&mut self, call: &VictimCall) {
        self.sync();
        match call {
            VictimCall::Asks(app, reply) => reply.send(self.outstanding_asks(app.slot)),
            VictimCall::Find(search, reply) => reply.send(self.find_victims(search)),
            VictimCall::Take(found, app, reply) => reply.send(self.take_victims(found, app)),
            VictimCall::Kill(containers) => self.kill(containers),
            VictimCall::KillIfNeeded(set, app, outstanding, reply) => {
                let key = self.kill_if_needed(set, app, outstanding);
                reply.send(key);
            }
        }
    }
}

impl PreemptionTask<FairDecider> for Preemptor {
    /// Serves who is starved after each update, and kills when that is due. A clock of the embedder's that does not go
    /// by itself is looked at with each update. Without timers both are done by call alone.
    fn run(mut self, calls: &Receiver<TaskCall<PreemptionCall>>, shared: Arc<Shared>, timers: bool) {
        let mut workers = WorkerLanes(shared);
        loop {
            let wait_ms = if timers {
                self.kill_due(&mut workers);
                self.next_kill_in_ms()
            } else {
                LONG_MS
            };
            match calls.recv_timeout(Duration::from_millis(wait_ms)) {
                Ok(TaskCall::Own(call)) => self.told(call, &mut workers),
                Ok(TaskCall::Barrier(reply)) => {
                    // Whoever asked may have gone.
                    let _ = reply.send(());
                }
                Err(RecvTimeoutError::Timeout) => {}
                Ok(TaskCall::Shutdown) | Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    #[cfg(feature = "faults")]
    fn doomed(&self) -> Vec<ContainerId> {
        self.doomed_containers()
    }
}

impl Preemptor {
    fn told(&mut self, call: PreemptionCall, workers: &mut WorkerLanes) {
        match call {
            PreemptionCall::Wake => {
                while self.next_round(workers).is_some() {
                    self.kill_due(workers);
                }
            }
            PreemptionCall::Rounds(reply) => {
                reply.send(self.all_rounds(workers));
            }
            PreemptionCall::KillAll(reply) => {
                self.kill_all(workers);
                reply.send(());
            }
            #[cfg(feature = "faults")]
            PreemptionCall::Doomed(reply) => {
                reply.send(self.doomed_containers());
            }
        }
    }
}

/// The workers, reached by messages. One that is gone has nothing.
struct WorkerLanes(Arc<Shared>);

impl WorkerLanes {
    fn ask<T>(&self, worker: usize, call: impl FnOnce(Once<T>) -> VictimCall) -> Option<T> {
        let (reply, answer) = once();
        self.0.lanes.internal[worker].send(Internal::Own(call(reply))).ok()?;
        answer.receive()
    }
}

impl Owners for WorkerLanes {
    fn outstanding_asks(&mut self, app: &Arc<AppShared>) -> Vec<OutstandingAsk> {
        self.ask(app.home, |reply| VictimCall::Asks(app.clone(), reply)).unwrap_or_default()
    }

    fn find_victims(&mut self, worker: usize, search: &Search) -> Option<Found> {
        self.ask(worker, |reply| VictimCall::Find(*search, reply)).flatten()
    }

    fn take_victims(&mut self, worker: usize, found: Found, app: &Arc<AppShared>) -> Victims {
        self.ask(worker, |reply| VictimCall::Take(found, app.clone(), reply)).unwrap_or_default()
    }

    fn kill(&mut self, worker: usize, containers: Vec<ContainerId>) {
        // As above.
        let _ = self.0.lanes.internal[worker].send(Internal::Own(VictimCall::Kill(containers)));
    }

    fn kill_if_needed(
        &mut self,
        worker: usize,
        set: Victims,
        app: &Arc<AppShared>,
        outstanding: &[OutstandingAsk],
    ) -> Option<SchedulingKey> {
        let outstanding = outstanding.to_vec();
        self.ask(worker, |reply| VictimCall::KillIfNeeded(set, app.clone(), outstanding, reply)).flatten()
    }
}

/// The workers, called rather than sent to.
impl Owners for Workers<'_, FairDecider> {
    fn outstanding_asks(&mut self, app: &Arc<AppShared>) -> Vec<OutstandingAsk> {
        self.shard(app.home).outstanding_asks(app.slot)
    }

    fn find_victims(&mut self, worker: usize, search: &Search) -> Option<Found> {
        self.shard(worker).find_victims(search)
    }

    fn take_victims(&mut self, worker: usize, found: Found, app: &Arc<AppShared>) -> Victims {
        self.shard(worker).take_victims(&found, app)
    }

    fn kill(&mut self, worker: usize, containers: Vec<ContainerId>) {
        self.shard(worker).kill(&containers);
    }

    fn kill_if_needed(
        &mut self,
        worker: usize,
        set: Victims,
        app: &Arc<AppShared>,
        outstanding: &[OutstandingAsk],
    ) -> Option<SchedulingKey> {
        self.shard(worker).kill_if_needed(&set, app, outstanding)
    }
}

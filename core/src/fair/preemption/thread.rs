//! The preemption task on a thread of its own.
//!
//! # Where it stands
//! Started and ended by `driver::Threads`, where preemption is on. It owns the [`Preemptor`]: the round that is under way, and
//! the list of what is to be killed when. The update task wakes it after each update; without timers it makes its rounds and
//! kills by call alone.
//!
//! # Protocol
//! A search or a marking is a message on the internal lane of the worker that owns the nodes, answered with what was found
//! or really marked; a kill is a message without an answer, a strict one is answered with the request that it was for. The
//! owner takes the newest snapshot before it answers, so it sees the shares by which the application was found starved: the
//! update publishes them before it lets go of the book.
//!
//! # Who waits for whom
//! This thread waits for workers; no worker, nor the control, waits for it. The update task waits for the book only while one
//! application is taken from it.

use super::round::{LONG_MS, MarkedFor, Owners, Preemptor};
use super::victims::{Found, OutstandingAsk, Search, Victims};
use crate::app::SchedulingKey;
use crate::engine::books::ledger::AppShared;
use crate::engine::driver::events::EventSink;
use crate::engine::driver::tasks::{run_task, spawn};
use crate::fair::Internal;
use crate::fair::Shard;
use crate::fair::Shared;
use crate::id::ContainerId;
use crate::sync::Arc;
use crate::sync::channel::{Receiver, RecvTimeoutError, Sender, bounded};
use crate::sync::thread::JoinHandle;
use std::time::Duration;

/// What the preemption task is told.
#[derive(Debug)]
pub(crate) enum PreemptionCall {
    /// Somebody may be starved.
    Wake,
    /// Make the rounds that are to be made, and answer what they came to.
    Rounds(Sender<Vec<MarkedFor>>),
    /// Kill all that is marked, due or not, and answer when the owners are told.
    KillAll(Sender<()>),
    /// Answer when it is reached.
    Barrier(Sender<()>),
    /// Answer what is marked and to be killed.
    #[cfg(feature = "faults")]
    Doomed(Sender<Vec<ContainerId>>),
    Shutdown,
}

/// What the preemption task asks of a worker.
#[derive(Debug)]
pub(crate) enum VictimCall {
    Asks(Arc<AppShared>, Sender<Vec<OutstandingAsk>>),
    Find(Search, Sender<Option<Found>>),
    Take(Found, Arc<AppShared>, Sender<Victims>),
    Kill(Vec<ContainerId>),
    KillIfNeeded(Victims, Arc<AppShared>, Vec<OutstandingAsk>, Sender<Option<SchedulingKey>>),
}

impl Shard {
    /// Works off what the preemption task asks.
    pub(crate) fn handle_victims(&mut self, call: &VictimCall) {
        self.sync();
        // An answer that nobody waits for any more: the task has ended.
        match call {
            VictimCall::Asks(app, reply) => drop(reply.send(self.outstanding_asks(app.slot))),
            VictimCall::Find(search, reply) => drop(reply.send(self.find_victims(search))),
            VictimCall::Take(found, app, reply) => drop(reply.send(self.take_victims(found, app))),
            VictimCall::Kill(containers) => self.kill(containers),
            VictimCall::KillIfNeeded(set, app, outstanding, reply) => {
                let key = self.kill_if_needed(set, app, outstanding);
                let _ = reply.send(key);
            }
        }
    }
}

/// The running thread.
#[derive(Debug)]
pub(crate) struct PreemptionThread {
    thread: JoinHandle<()>,
    shared: Arc<Shared>,
}

impl PreemptionThread {
    pub(crate) fn start(
        preemptor: Preemptor,
        calls: Receiver<PreemptionCall>,
        shared: &Arc<Shared>,
        events: &EventSink,
        timers: bool,
    ) -> std::io::Result<PreemptionThread> {
        let (workers, events) = (WorkerLanes(shared.clone()), events.clone());
        let thread = spawn("evenweave-preemption".into(), move || {
            run_task("preemption", &events, || run(preemptor, &calls, workers, timers));
        })?;
        Ok(PreemptionThread { thread, shared: shared.clone() })
    }

    pub(crate) fn thread(&self) -> &JoinHandle<()> {
        &self.thread
    }

    /// Ends the thread, before the workers. What is marked and not yet killed lives on.
    pub(crate) fn stop(self) {
        // One that is gone needs not be told; a panic was reported as an event where it happened.
        let _ = self.shared.lanes.preemption.send(PreemptionCall::Shutdown);
        let _ = self.thread.join();
    }
}

/// Serves who is starved after each update, and kills when that is due. A clock of the embedder's that does not go by itself is
/// looked at with each update. Without timers both are done by call alone.
fn run(mut preemptor: Preemptor, calls: &Receiver<PreemptionCall>, mut workers: WorkerLanes, timers: bool) {
    loop {
        let wait_ms = if timers {
            preemptor.kill_due(&mut workers);
            preemptor.next_kill_in_ms()
        } else {
            LONG_MS
        };
        match calls.recv_timeout(Duration::from_millis(wait_ms)) {
            Ok(PreemptionCall::Wake) => {
                while preemptor.next_round(&mut workers).is_some() {
                    preemptor.kill_due(&mut workers);
                }
            }
            Ok(PreemptionCall::Rounds(reply)) => {
                let rounds = std::iter::from_fn(|| preemptor.next_round(&mut workers)).collect();
                // Whoever asked may have gone; so below.
                let _ = reply.send(rounds);
            }
            Ok(PreemptionCall::KillAll(reply)) => {
                preemptor.kill_all(&mut workers);
                let _ = reply.send(());
            }
            Ok(PreemptionCall::Barrier(reply)) => {
                let _ = reply.send(());
            }
            #[cfg(feature = "faults")]
            Ok(PreemptionCall::Doomed(reply)) => {
                let _ = reply.send(preemptor.doomed());
            }
            Err(RecvTimeoutError::Timeout) => {}
            Ok(PreemptionCall::Shutdown) | Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// The workers, reached by messages. One that is gone has nothing.
struct WorkerLanes(Arc<Shared>);

impl WorkerLanes {
    fn ask<T>(&self, worker: usize, call: impl FnOnce(Sender<T>) -> VictimCall) -> Option<T> {
        let (reply, answer) = bounded(1);
        self.0.lanes.internal[worker].send(Internal::Own(call(reply))).ok()?;
        answer.recv().ok()
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

//! The door: the part of a scheduler's handle that is the same for the FairScheduler and the CapacityScheduler. It
//! sends calls to the scheduler's threads, waits for the answers, and shuts the threads down.
//!
//! # Where it stands
//! All clones of a handle share one door. Any thread may use it. When the last clone is dropped, the threads end.

use super::handles::NodeHandle;
use crate::app::Location;
use crate::clock::Patience;
use crate::engine::control::Control;
use crate::engine::decider::Decider;
use crate::engine::driver::threads::Threads;
use crate::engine::intake::reply::{Wanted, once};
use crate::engine::intake::to_control::Call;
use crate::engine::shared::Shared;
use crate::engine::{
    AtRest, Closed, Ends, EventSink, EventSource, External, Heartbeat, Lent, NoAnswer, Parcel, Reply, Report,
    Whereabouts, not_taken, quiesce,
};
use crate::event::Refused;
use crate::event::refused::{Gone, Invalid, NotFound, TryAgain};
use crate::sync::channel::TrySendError;
use crate::sync::thread::{self, ThreadId};
use crate::sync::{Arc, Mutex};

/// A heartbeat that was refused. It comes back to the caller.
#[derive(Debug, thiserror::Error)]
#[error("{reason}")]
#[non_exhaustive]
pub struct NotSent<T> {
    /// What was refused: the heartbeat; or, of a batch, the heartbeats that no worker took. The others were sent.
    pub returned: T,
    /// [`TryAgain::Busy`], [`Gone::ShutDown`] or [`Gone::Worker`]. If workers refuse parts of a batch for different
    /// reasons, it is the last worker's. For a single heartbeat also [`NotFound::Node`]; in a batch, heartbeats of
    /// removed nodes are dropped.
    pub reason: Refused,
}

/// The threads of a scheduler, to be ended.
pub(super) trait Running: Send {
    /// Processes what was sent, then ends all threads. Waits for their end.
    fn stop(self: Box<Self>);

    /// As `stop`, but on a new thread: the caller does not wait.
    fn stop_later(self: Box<Self>);
}

impl<D: Decider> Running for Threads<D> {
    fn stop(self: Box<Self>) {
        Threads::stop(*self);
    }

    fn stop_later(self: Box<Self>) {
        Threads::stop_later(*self, || ());
    }
}

/// The name of the control in errors ([`Gone::Task`]). Most calls go to it.
pub(super) const CONTROL: &str = "control";

/// Calls that nobody waits for are refused while so many messages wait for the control.
const LONG_CONTROL_LANE: usize = 1 << 16;

/// See the module's text.
pub(crate) struct Door<D: Decider> {
    pub(super) shared: Arc<Shared<D>>,
    /// `None` once a call has begun to end them.
    threads: Mutex<Option<Box<dyn Running>>>,
    /// The threads that the scheduler has started.
    own_threads: Vec<ThreadId>,
    /// For each worker that the embedder polls: the thread on which it was polled last.
    lent: Vec<Arc<Whereabouts>>,
    /// Tells callers that wait that the threads have ended, or that no answer will come.
    ends: Ends,
    pub(super) closed: Closed,
    pub(super) events: EventSource,
    /// For events that the handle's own code reports, on the caller's thread.
    pub(super) sink: EventSink,
}

/// The threads that work for the scheduler: its own, and those of the embedder that poll a lent worker.
pub(super) struct Threading {
    pub(super) threads: Vec<ThreadId>,
    pub(super) lent: Vec<Arc<Whereabouts>>,
    pub(super) ends: Ends,
}

impl<D: Decider> Door<D> {
    /// Starts the engine's threads. For a scheduler that has no others.
    pub(super) fn start(parts: AtRest<D>, events: EventSource) -> std::io::Result<Door<D>> {
        let (shared, sink) = (parts.shared.clone(), parts.events.clone());
        Ok(Door::of(Threads::start(parts)?, shared, sink, events))
    }

    /// The same, with the workers lent out.
    pub(super) fn start_and_lend(parts: AtRest<D>, events: EventSource) -> std::io::Result<(Door<D>, Vec<Lent<D>>)> {
        let (shared, sink) = (parts.shared.clone(), parts.events.clone());
        let (threads, lent) = Threads::start_and_lend(parts)?;
        Ok((Door::of(threads, shared, sink, events), lent))
    }

    fn of(threads: Threads<D>, shared: Arc<Shared<D>>, sink: EventSink, events: EventSource) -> Door<D> {
        let threading = Threading { threads: threads.ids(), lent: threads.whereabouts(), ends: threads.ends() };
        Door::new(Box::new(threads), threading, shared, sink, events)
    }
}

impl<D: Decider> Door<D> {
    pub(super) fn new(
        threads: Box<dyn Running>,
        threading: Threading,
        shared: Arc<Shared<D>>,
        sink: EventSink,
        events: EventSource,
    ) -> Door<D> {
        let Threading { threads: own_threads, lent, ends } = threading;
        let (threads, closed) = (Mutex::new(Some(threads)), Closed::default());
        Door { shared, threads, own_threads, lent, ends, closed, events, sink }
    }

    // ------------------------------------------------------------------------------------------------ the end

    /// Whether the threads cannot end before the present call returns.
    fn is_needed_here(&self) -> bool {
        self.own_threads.contains(&thread::current().id()) || self.lent.iter().any(|worker| worker.is_here())
    }

    pub(super) fn shutdown(&self, patience: &Patience) -> Result<(), Refused> {
        let outcome = self.end(patience);
        self.events.end();
        outcome
    }

    fn end(&self, patience: &Patience) -> Result<(), Refused> {
        self.closed.close();
        let threads = if self.is_needed_here() {
            // Called in a callback, or on a thread that polls a worker. This thread must not wait for its own end, so
            // another one does it. The shutdown goes on, although the caller gets an error. If the lock is taken,
            // another thread is just about to begin the shutdown.
            if let Some(threads) = self.threads.try_lock().and_then(|mut threads| threads.take()) {
                threads.stop_later();
            }
            return Err(Invalid::OwnThread.into());
        } else {
            self.threads.lock().take()
        };
        match threads {
            // A caller without a time limit ends the threads itself. One with a limit only waits.
            Some(threads) if patience.is_endless() => threads.stop(),
            Some(threads) => threads.stop_later(),
            // Another call has begun the shutdown.
            None => {}
        }
        if self.ends.wait(patience) {
            return Ok(());
        }
        self.ends.free_callers();
        Err(Refused::TimedOut)
    }

    // ------------------------------------------------------------------------------------------------ asking

    #[inline]
    pub(super) fn open(&self) -> Result<&Shared<D>, Refused> {
        if self.closed.is_closed() { Err(Gone::ShutDown.into()) } else { Ok(&self.shared) }
    }

    /// The control's lane is not bounded, because workers must never wait for it. A call that does not wait for an
    /// answer is refused when the lane is long.
    pub(super) fn control_has_room(&self) -> Result<(), Refused> {
        if self.shared.lanes.control.len() > LONG_CONTROL_LANE { Err(TryAgain::Busy.into()) } else { Ok(()) }
    }

    /// Refuses a call on one of the scheduler's own threads, where callbacks of the embedder run: such a call would
    /// wait for its own thread.
    pub(super) fn may_wait(&self) -> Result<(), Refused> {
        let here = thread::current().id();
        if self.own_threads.contains(&here) { Err(Invalid::OwnThread.into()) } else { Ok(()) }
    }

    /// Returns the scheduler for a call that waits for workers. Refuses it also on a thread that polls a worker: that
    /// worker could not answer. A call that waits only for the control may be made there.
    pub(super) fn open_to_wait(&self) -> Result<&Shared<D>, Refused> {
        let shared = self.open()?;
        self.may_wait()?;
        if self.lent.iter().any(|worker| worker.is_polled_here()) {
            return Err(Invalid::OwnThread.into());
        }
        Ok(shared)
    }

    /// Waits for an answer of a task: the control, or another thread of the scheduler that answers calls.
    pub(super) fn answer<A>(&self, answer: &Wanted<A>, patience: &Patience, task: &'static str) -> Result<A, Refused> {
        self.ends.receive(answer, patience).map_err(|none| match none {
            NoAnswer::Gone => self.gone(task),
            NoAnswer::ShutDown => Refused::Gone(Gone::ShutDown),
            NoAnswer::TimedOut => Refused::TimedOut,
        })
    }

    /// Why a task takes no more calls.
    pub(super) fn gone(&self, task: &'static str) -> Refused {
        if self.closed.is_closed() { Refused::Gone(Gone::ShutDown) } else { Refused::Gone(Gone::Task { task }) }
    }

    /// Sends a call to the control, and waits for the answer.
    pub(super) fn call<A>(&self, call: impl FnOnce(Reply<A>) -> Call<D>) -> Result<A, Refused> {
        let shared = self.open()?;
        self.may_wait()?;
        let (reply, answer) = once();
        let message = crate::engine::intake::to_control::ControlMessage::Call(call(reply.into()));
        shared.lanes.control.send(message).map_err(|_| self.gone(CONTROL))?;
        self.answer(&answer, &Patience::endless(), CONTROL)
    }

    /// As [`Door::call`], for calls that the control answers only when workers have answered it.
    pub(super) fn call_workers<A>(&self, call: impl FnOnce(Reply<A>) -> Call<D>) -> Result<A, Refused> {
        self.open_to_wait()?;
        self.call(call)
    }

    /// Runs `look` on the control's thread, and returns its result.
    pub(super) fn look<A: Send + 'static>(
        &self,
        look: impl FnOnce(&Control<D>) -> A + Send + 'static,
    ) -> Result<A, Refused> {
        self.call(|reply| Call::Look(Box::new(move |control| reply.send(look(control)))))
    }

    pub(super) fn location(&self, name: &str) -> Location {
        self.shared.locations.requested(name)
    }

    pub(super) fn quiet(&self, patience: &Patience) -> Result<(), Refused> {
        let outcome = quiesce(self.open_to_wait()?, patience);
        // A control that the shutdown has ended is not lost.
        if self.closed.is_closed() && outcome.is_err() { Err(Gone::ShutDown.into()) } else { outcome }
    }

    // ------------------------------------------------------------------------------------------------ nodes

    pub(super) fn find_node(&self, name: &str) -> Option<NodeHandle> {
        let nodes = self.shared.nodes.lock();
        nodes.nodes().find(|node| &*node.name == name && !node.is_gone()).cloned().map(NodeHandle)
    }

    #[inline]
    pub(super) fn owner_is_there(&self, worker: usize) -> Result<(), Refused> {
        let shared = self.open()?;
        if worker >= shared.workers || shared.is_dead(worker) { Err(Gone::Worker(worker).into()) } else { Ok(()) }
    }

    /// Sends the heartbeats of each worker's nodes to it in one message.
    pub(super) fn heartbeats(&self, heartbeats: Vec<Heartbeat>) -> Result<(), Box<NotSent<Vec<Heartbeat>>>> {
        let lanes = &self.shared.lanes.external;
        let mut parts: Vec<Vec<Heartbeat>> = Vec::new();
        if lanes.len() == 1 {
            parts.push(heartbeats);
        } else {
            parts.resize_with(lanes.len(), Vec::new);
            // Those of another scheduler's nodes are dropped, as a worker does with them.
            for heartbeat in heartbeats.into_iter().filter(|sent| sent.node.scheduler == self.shared.scheduler) {
                #[expect(clippy::indexing_slicing, reason = "there are as many parts as lanes, and lanes as workers")]
                parts[heartbeat.node.owner].push(heartbeat);
            }
        }
        let (mut returned, mut reason) = (Vec::new(), Refused::TryAgain(TryAgain::Busy));
        for (worker, (lane, part)) in lanes.iter().zip(parts).enumerate().filter(|(_, (_, part))| !part.is_empty()) {
            if let Err(why) = self.owner_is_there(worker) {
                returned.extend(part);
                reason = why;
                continue;
            }
            let (message, why) = match lane.try_send(Parcel::of(External::Heartbeats(part))) {
                Ok(()) => continue,
                Err(TrySendError::Full(message)) => (message, Refused::TryAgain(TryAgain::Busy)),
                Err(TrySendError::Disconnected(message)) => (message, Refused::Gone(Gone::ShutDown)),
            };
            if let External::Heartbeats(part) = message.into_message() {
                returned.extend(part);
                reason = why;
            }
        }
        if returned.is_empty() { Ok(()) } else { Err(Box::new(NotSent { returned, reason })) }
    }

    #[inline]
    pub(super) fn heartbeat(&self, heartbeat: Heartbeat) -> Result<(), Box<NotSent<Heartbeat>>> {
        if heartbeat.node.is_gone() {
            let reason = Refused::NotFound(NotFound::Node(heartbeat.node.name.to_string()));
            return Err(Box::new(NotSent { returned: heartbeat, reason }));
        }
        if heartbeat.node.scheduler != self.shared.scheduler {
            // The node belongs to another scheduler, so the number of its worker means nothing here. The heartbeat is
            // dropped, as those of a batch are.
            return match self.open() {
                Ok(_) => Ok(()),
                Err(reason) => Err(Box::new(NotSent { returned: heartbeat, reason })),
            };
        }
        let owner = heartbeat.node.owner;
        if let Err(reason) = self.owner_is_there(owner) {
            return Err(Box::new(NotSent { returned: heartbeat, reason }));
        }
        let Some(lane) = self.shared.lanes.external.get(owner) else {
            return Err(Box::new(NotSent { returned: heartbeat, reason: Refused::Gone(Gone::Worker(owner)) }));
        };
        // Most heartbeats name few containers. These go in a message of fixed size, without an allocation.
        if let Some(report) = Report::of(&heartbeat) {
            let sent = lane.try_send(Parcel::of(External::Report(report)));
            return sent.map_err(|error| Box::new(NotSent { returned: heartbeat, reason: not_taken(&error) }));
        }
        let (message, reason) = match lane.try_send(Parcel::of(External::Heartbeat(Box::new(heartbeat)))) {
            Ok(()) => return Ok(()),
            Err(TrySendError::Full(message)) => (message, Refused::TryAgain(TryAgain::Busy)),
            Err(TrySendError::Disconnected(message)) => (message, Refused::Gone(Gone::ShutDown)),
        };
        let External::Heartbeat(returned) = message.into_message() else { unreachable!("what was sent comes back") };
        Err(Box::new(NotSent { returned: *returned, reason }))
    }
}

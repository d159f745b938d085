//! A worker from its first message to its last, one poll at a time, on a thread of the scheduler or of the embedder.
//!
//! # Where it stands
//! `driver` makes a [`Runner`] for each worker. [`Runner::run`] is the thread `evenweave-worker-N`. A [`Lent`] worker
//! is polled by the embedder through `scheduler::Worker`. Both do nothing but call [`Runner::poll`] and
//! [`Runner::wait`].
//!
//! # Protocol
//! 1. A poll takes over the newest snapshot, folds if a fold is due, scans for expired containers, and processes a
//!    batch of messages, until its budget is used up or no message is left. It never blocks.
//! 2. When no message is left the runner may wait, after it has yielded to other threads and handed its leases back. It
//!    waits for a message or for the time of its next scan. A message that it receives while it waits is kept for the
//!    next poll.
//! 3. A panic ends the poll, not the worker. The worker loses its nodes, and the next poll restarts it. If it panics
//!    once more before it has processed the message that it was at, it is given up (`docs/adr/0010`).
//! 4. A worker that was given up, or whose [`Lent`] was dropped before its end, processes nothing. It only answers
//!    callers that wait for it ([`Runner::answer_until_shutdown`]), on a thread of the scheduler.
//!
//! # Invariants
//! I9: a worker that was told to stop ends when both lanes are empty. I12: neither `poll` nor `wait` blocks on a send.
//! A waiting worker holds no lease: it hands its leases back before it blocks, and takes none between polls.
//!
//! # What races, and why it is safe
//! One thread at a time uses a runner, and whatever moves it to another thread orders the two. The embedder's thread
//! against the shutdown: a lent worker holds a channel until its end, and the shutdown waits until that channel closes.
//! So the control outlives the worker.

use crate::caught::message_of;
use crate::engine::books::ledger::NodeShared;
use crate::engine::decider::Decider;
use crate::engine::intake::inbox::{BATCH, Handler, Inbox, Next, Then};
use crate::engine::intake::to_control::{ControlMessage, Panicked};
use crate::engine::intake::to_worker::{External, Internal, Parcel};
use crate::engine::shard::Shard;
use crate::engine::shared::Shared;
use crate::engine::threads::events::EventSink;
use crate::engine::threads::tasks::{join, spawn};
use crate::event::SchedulerEvent;
use crate::sync::Arc;
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::sync::channel::{Receiver, Sender, bounded, select};
use crate::sync::thread::{JoinHandle, number, yield_now};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// The receiving ends of one worker's lanes.
pub(super) type WorkerLanes<D> = Inbox<Internal<D>, Parcel>;

/// The state of a worker after a poll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Polled {
    /// There may be more: poll again.
    More,
    /// There is more, but another worker is far behind with messages between the scheduler's threads. Nothing of the
    /// embedder is processed until it has caught up: poll that worker first, or let its thread run.
    GiveWay,
    /// Nothing is left to do: wait, or do something else.
    Idle,
    /// The worker has panicked twice in a row and is given up. Its nodes are lost, and it does nothing more.
    GivenUp,
    /// The scheduler has been shut down, and everything accepted is processed.
    Ended,
}

/// See the module's text.
#[derive(Debug)]
pub(crate) struct Runner<D: Decider> {
    shared: Arc<Shared<D>>,
    worker: TrackedWorker<D>,
    lanes: WorkerLanes<D>,
    events: EventSink,
    /// Set after a panic: the next poll first processes the messages that were kept.
    resumes: bool,
}

impl<D: Decider> Runner<D> {
    pub(super) fn new(shard: Shard<D>, lanes: WorkerLanes<D>, shared: Arc<Shared<D>>, events: EventSink) -> Runner<D> {
        let worker = TrackedWorker::new(shard, Arc::clone(&shared));
        Runner { shared, worker, lanes, events, resumes: false }
    }

    /// Runs the worker to its end, on this thread.
    pub(super) fn run(mut self) {
        loop {
            match self.poll(BATCH) {
                Polled::More => {}
                Polled::GiveWay => yield_now(),
                Polled::Idle => {
                    self.wait(Duration::MAX);
                }
                Polled::GivenUp => return self.answer_until_shutdown(),
                Polled::Ended => return,
            }
        }
    }

    /// Processes waiting messages, about `budget` of the embedder's.
    #[inline]
    pub(crate) fn poll(&mut self, budget: usize) -> Polled {
        match catch_unwind(AssertUnwindSafe(|| self.process(budget))) {
            Ok(polled) => polled,
            Err(panic) => self.panicked(message_of(&*panic)),
        }
    }

    #[inline]
    fn process(&mut self, budget: usize) -> Polled {
        let Runner { shared, worker, lanes, resumes, .. } = self;
        if *resumes {
            worker.process_kept(lanes);
            worker.again = false;
            lanes.take_held(worker);
            *resumes = false;
        }
        let mut left = budget.max(1);
        loop {
            worker.shard.sync();
            let now = shared.clock.now_ms();
            worker.shard.fold_if_due(now);
            let scan_goes_on = worker.shard.scan_for_expired(now);
            // The message that ended the wait.
            lanes.take_held(worker);
            let part = left.min(BATCH);
            left -= part;
            let then = lanes.batch(part, &shared.lanes.internal, worker);
            if then != Then::GiveWay {
                worker.shard.waits.wake_room_waiters();
            }
            if then == Then::End {
                worker.shard.hand_back_leases();
            }
            match then {
                Then::GiveWay => return Polled::GiveWay,
                Then::End => return Polled::Ended,
                Then::Wait if !scan_goes_on => return Polled::Idle,
                Then::Wait | Then::Again if left == 0 => return Polled::More,
                Then::Wait | Then::Again => {}
            }
        }
    }

    /// Blocks until there is something to process, for `at_most` at the longest. Returns whether there is.
    pub(crate) fn wait(&mut self, at_most: Duration) -> bool {
        let Runner { shared, worker, lanes, resumes, .. } = self;
        if *resumes || lanes.holds() {
            return true;
        }
        if lanes.yield_until_message() {
            return true;
        }
        worker.shard.hand_back_leases();
        // If the embedder's clock panics here, it panics in the next poll, too, which handles it.
        let look_in_ms = catch_unwind(AssertUnwindSafe(|| worker.shard.next_scan_in_ms(shared.clock.now_ms())));
        let look = Duration::from_millis(look_in_ms.unwrap_or(0));
        select! {
            recv(lanes.internal) -> message => message.into_iter().for_each(|message| lanes.hold_inside(message)),
            recv(lanes.external) -> message => message.into_iter().for_each(|message| lanes.hold(message)),
            default(look.min(at_most)) => return look <= at_most,
        }
        true
    }

    /// After a panic: gives up the nodes and reports the panic.
    #[cold]
    fn panicked(&mut self, message: String) -> Polled {
        let (nodes, goes_on) = recover(&mut self.worker);
        self.resumes = true;
        self.tell(message, nodes, goes_on);
        if goes_on { Polled::More } else { Polled::GivenUp }
    }

    /// Gives the worker up, because its [`Lent`] was dropped.
    pub(super) fn give_up(&mut self, message: String) {
        // As after a second panic: `lose_nodes` then keeps no message for another try.
        self.worker.again = true;
        let (nodes, _) = lose_nodes(&mut self.worker);
        self.tell(message, nodes, false);
    }

    fn tell(&mut self, message: String, nodes: Vec<Arc<NodeShared>>, goes_on: bool) {
        let (name, shared) = (self.worker.shard.id(), &self.shared);
        if !goes_on {
            shared.set_dead(name);
            self.worker.shard.waits.end();
        }
        let panicked = Panicked { worker: name, message, nodes, goes_on };
        if let Err(not_sent) = shared.lanes.control.send(ControlMessage::WorkerPanicked(panicked)) {
            // The control has ended. Then only the embedder can be told.
            if let ControlMessage::WorkerPanicked(Panicked { worker, message, nodes, goes_on }) = not_sent.0 {
                let nodes = nodes.iter().map(|node| node.name.to_string()).collect();
                self.events.put(SchedulerEvent::WorkerPanicked { worker, message, nodes, goes_on });
            }
        }
    }

    /// The worker was given up. It processes nothing more, but answers callers that wait for it, until the shutdown.
    pub(super) fn answer_until_shutdown(mut self) {
        answer_until_shutdown(&mut self.worker, &mut self.lanes);
    }
}

// ---------------------------------------------------------------------------------------------------- whose thread

/// The thread that a lent worker was last polled on, written by that thread. A mark says that the worker was made there
/// and not polled yet.
#[derive(Debug)]
pub(crate) struct Whereabouts(AtomicU64);

impl Whereabouts {
    /// No thread has this number.
    const NOWHERE: u64 = 0;
    /// No thread's number has this bit.
    const MADE_HERE: u64 = 1 << 63;

    fn here() -> Whereabouts {
        Whereabouts(AtomicU64::new(number() | Whereabouts::MADE_HERE))
    }

    #[inline]
    fn note(&self, thread: u64) {
        // ORDERING: Relaxed. A thread compares the value only with its own number. No other thread writes that number,
        // and a thread sees its own writes.
        if self.0.load(Ordering::Relaxed) != thread {
            self.0.store(thread, Ordering::Relaxed);
        }
    }

    /// Whether the calling thread polled the worker last, or made it and nobody has polled it yet. Such a thread must
    /// not wait for the worker's end.
    pub(crate) fn is_here(&self) -> bool {
        // ORDERING: Relaxed, as in `note`.
        self.0.load(Ordering::Relaxed) & !Whereabouts::MADE_HERE == number()
    }

    /// Whether the calling thread polled the worker last. Such a thread must not wait for an answer of the worker.
    pub(crate) fn is_polled_here(&self) -> bool {
        // ORDERING: Relaxed, as in `note`.
        self.0.load(Ordering::Relaxed) == number()
    }
}

/// A running worker, as the shutdown sees it.
#[derive(Debug)]
pub(super) enum Running {
    /// On a thread of the scheduler.
    Here(JoinHandle<()>),
    /// On a thread of the embedder. The channel ends with the worker.
    Lent { whereabouts: Arc<Whereabouts>, end: Receiver<()> },
}

impl Running {
    pub(super) fn start<D: Decider>(worker: usize, runner: Runner<D>) -> std::io::Result<Running> {
        spawn(thread_name(worker), move || runner.run()).map(Running::Here)
    }

    pub(super) fn thread(&self) -> Option<&JoinHandle<()>> {
        match self {
            Running::Here(thread) => Some(thread),
            Running::Lent { .. } => None,
        }
    }

    pub(super) fn whereabouts(&self) -> Option<Arc<Whereabouts>> {
        match self {
            Running::Here(_) => None,
            Running::Lent { whereabouts, .. } => Some(Arc::clone(whereabouts)),
        }
    }

    /// Waits for the end of the worker.
    pub(super) fn join(self) {
        match self {
            Running::Here(thread) => join(thread),
            // Nothing is ever sent.
            Running::Lent { end, .. } => drop(end.recv()),
        }
    }
}

fn thread_name(worker: usize) -> String {
    format!("evenweave-worker-{worker}")
}

/// A worker that runs on whatever thread calls it.
#[derive(Debug)]
pub(crate) struct Lent<D: Decider> {
    worker: usize,
    whereabouts: Arc<Whereabouts>,
    /// The runner, and the channel that ends with it. `None` after the worker has ended or was given up.
    runner: Option<(Runner<D>, Sender<()>)>,
    /// The answer of a poll after the end.
    outcome: Polled,
}

impl<D: Decider> Lent<D> {
    /// Returns the worker for the embedder, and its counterpart for the shutdown. Until the first poll the worker
    /// counts as being on the calling thread.
    pub(super) fn new(worker: usize, runner: Runner<D>) -> (Lent<D>, Running) {
        let (whereabouts, (end, ended)) = (Arc::new(Whereabouts::here()), bounded(1));
        let running = Running::Lent { whereabouts: Arc::clone(&whereabouts), end: ended };
        (Lent { worker, whereabouts, runner: Some((runner, end)), outcome: Polled::Idle }, running)
    }

    pub(crate) fn index(&self) -> usize {
        self.worker
    }

    pub(crate) fn poll(&mut self, budget: usize) -> Polled {
        let Some((runner, _)) = &mut self.runner else { return self.outcome };
        self.whereabouts.note(number());
        let polled = runner.poll(budget);
        if matches!(polled, Polled::GivenUp | Polled::Ended) {
            self.end(polled);
        }
        polled
    }

    pub(crate) fn wait(&mut self, at_most: Duration) -> bool {
        let Some((runner, _)) = &mut self.runner else { return true };
        self.whereabouts.note(number());
        runner.wait(at_most)
    }

    #[cold]
    fn end(&mut self, outcome: Polled) {
        self.outcome = outcome;
        self.whereabouts.note(Whereabouts::NOWHERE);
        let Some((runner, end)) = self.runner.take() else { return };
        if outcome == Polled::GivenUp {
            // If the system refuses the thread, nobody answers in the worker's place.
            let _ = spawn(thread_name(self.worker), move || {
                runner.answer_until_shutdown();
                drop(end);
            });
        }
    }
}

impl<D: Decider> Drop for Lent<D> {
    fn drop(&mut self) {
        if let Some((runner, _)) = &mut self.runner {
            runner.give_up("its thread has let go of it".to_owned());
            self.end(Polled::GivenUp);
        }
    }
}

// ---------------------------------------------------------------------------------------------------- messages

/// A worker with the messages that it is processing. It counts each message, and keeps it until it is done, so that a
/// panic does not lose it.
#[derive(Debug)]
pub(super) struct TrackedWorker<D: Decider> {
    pub(super) shard: Shard<D>,
    pub(super) shared: Arc<Shared<D>>,
    /// The internal and the external message that the worker is processing, as far as a panic must not lose them.
    pub(super) inside: Option<Internal<D>>,
    outside: Option<Parcel>,
    /// The worker has panicked at this message before.
    again: bool,
}

impl<D: Decider> TrackedWorker<D> {
    pub(super) fn new(shard: Shard<D>, shared: Arc<Shared<D>>) -> TrackedWorker<D> {
        TrackedWorker { shard, shared, inside: None, outside: None, again: false }
    }

    /// Processes the messages that a panic has interrupted.
    pub(super) fn process_kept(&mut self, lanes: &mut WorkerLanes<D>) {
        if let Some(message) = self.inside.take() {
            lanes.take_internal(message, self);
        }
        if let Some(message) = self.outside.take() {
            self.keep_external(message);
        }
    }

    fn note(&self) {
        self.shared.counters[self.shard.id()].handled.note();
    }

    /// Processes an external message. It is kept until then, so that a panic does not lose it.
    #[inline]
    fn keep_external(&mut self, message: Parcel) {
        self.shard.handle_external(self.outside.insert(message).message());
        self.outside = None;
    }
}

impl<D: Decider> Handler<Internal<D>, Parcel> for TrackedWorker<D> {
    #[inline]
    fn internal(&mut self, message: Internal<D>) -> Next {
        let (worker, message) = (self.shard.id(), self.inside.insert(message));
        let next = if let Internal::Round(round) = message {
            let outstanding = self.shared.outstanding(*round);
            outstanding.process(worker, || self.shard.handle_internal(message))
        } else {
            if !matches!(message, Internal::Barrier(_)) {
                self.shared.counters[worker].handled.note();
            }
            self.shard.handle_internal(message)
        };
        self.inside = None;
        next
    }

    #[inline]
    fn external(&mut self, mut parcel: Parcel) {
        let message = parcel.message();
        match message {
            // Reports and releases are not kept for after a panic: by then the nodes and their containers are gone.
            External::Report(_)
            | External::Heartbeat(_)
            | External::Heartbeats(_)
            | External::Release(_)
            | External::Releases(_) => {
                self.note();
                self.shard.handle_external(message);
            }
            External::Group(_) | External::Asks(_) => {
                self.note();
                self.keep_external(parcel);
            }
            External::Barrier(_) => self.keep_external(parcel),
        }
    }

    #[inline]
    fn prefetch_later(&self, parcel: &mut Parcel) {
        self.shard.prefetch_later(parcel.message());
    }

    #[inline]
    fn prefetch_soon(&self, parcel: &mut Parcel) {
        self.shard.prefetch_soon(parcel.message());
    }

    #[inline]
    fn prefetch_next(&self, parcel: &mut Parcel) {
        self.shard.prefetch_next(parcel.message());
    }
}

// ---------------------------------------------------------------------------------------------------- after a panic

/// After a panic: gives up the nodes and begins anew. Says which nodes, and whether the worker goes on.
pub(super) fn recover<D: Decider>(worker: &mut TrackedWorker<D>) -> (Vec<Arc<NodeShared>>, bool) {
    let (nodes, is_settled) = lose_nodes(worker);
    let goes_on = is_settled && catch_unwind(AssertUnwindSafe(|| worker.shard.restart_after_panic())).is_ok();
    (nodes, goes_on)
}

/// Gives up the nodes, also a node whose message was being processed. Returns them, and whether all their records are
/// settled.
fn lose_nodes<D: Decider>(worker: &mut TrackedWorker<D>) -> (Vec<Arc<NodeShared>>, bool) {
    let settled = catch_unwind(AssertUnwindSafe(|| worker.shard.give_up_nodes()));
    let (mut nodes, is_settled) = match settled {
        Ok(nodes) => (nodes, true),
        Err(_) => (worker.shard.all_nodes(), false),
    };
    match &worker.inside {
        Some(Internal::AddNode { node, .. } | Internal::RemoveNode(node)) if nodes.iter().all(|n| n.id != node.id) => {
            worker.shard.give_up_place(node);
            nodes.push(node.clone());
        }
        Some(Internal::Round(round)) => worker.shared.outstanding(*round).process(worker.shard.id(), || ()),
        _ => {}
    }
    // A message is processed a second time, but not a third time.
    let again = std::mem::replace(&mut worker.again, true);
    if let Some(message) = worker.inside.take_if(|message| again || !is_idempotent(message)) {
        acknowledge(message, &worker.shared);
    }
    if again {
        worker.outside = None;
    }
    (nodes, is_settled)
}

/// Whether a message has the same effect if it is processed twice, and somebody depends on that effect.
fn is_idempotent<D: Decider>(message: &Internal<D>) -> bool {
    match message {
        Internal::News(_)
        | Internal::Reopened { .. }
        | Internal::FirstAsk { .. }
        | Internal::CloseApp { .. }
        | Internal::Barrier(_) => true,
        // `GiveBack` puts the unit back before most of what may panic: processed again it would put back a second unit.
        // Messages about nodes are void, because the worker has lost its nodes. A caller that waits for an answer
        // learns that there will be none, because its channel ends.
        Internal::GiveBack { .. }
        | Internal::Recover(..)
        | Internal::AddNode { .. }
        | Internal::RemoveNode(_)
        | Internal::ResizeNode { .. }
        | Internal::Decommission { .. }
        | Internal::Relabel(_)
        | Internal::Round(_)
        | Internal::Own(_)
        | Internal::TakeSnapshot
        | Internal::Look(_)
        | Internal::Shutdown => false,
    }
}

/// Answers the caller that waits for a message which the worker does not process any more. Returns false at shutdown.
fn acknowledge<D: Decider>(message: Internal<D>, shared: &Shared<D>) -> bool {
    let answer = match message {
        Internal::CloseApp { app, .. } => ControlMessage::AppClosed { slot: app.slot, handed_over: Vec::new() },
        Internal::RemoveNode(node) => ControlMessage::NodeClosed { node, place_is_free: true },
        Internal::Barrier(reply) => {
            // The send fails if the caller waits no longer, and that is no shutdown.
            let _ = reply.send(());
            return true;
        }
        Internal::Shutdown => return false,
        Internal::News(_)
        | Internal::Reopened { .. }
        | Internal::GiveBack { .. }
        | Internal::FirstAsk { .. }
        | Internal::AddNode { .. }
        | Internal::ResizeNode { .. }
        | Internal::Decommission { .. }
        | Internal::Relabel(_)
        | Internal::TakeSnapshot
        // A caller that waits for an answer learns that there will be none, because its channel ends.
        | Internal::Recover(..)
        | Internal::Own(_)
        | Internal::Look(_)
        | Internal::Round(_) => return true,
    };
    shared.lanes.control.send(answer).is_ok()
}

/// Answers callers that wait for a worker that was given up, until the shutdown.
pub(super) fn answer_until_shutdown<D: Decider>(worker: &mut TrackedWorker<D>, lanes: &mut WorkerLanes<D>) {
    let shared = &worker.shared;
    // It may have received the shutdown already, and have panicked at a message before it.
    let mut over = lanes.is_stopping();
    let under_way: Vec<_> = worker.inside.take().into_iter().chain(lanes.received_inside()).collect();
    for message in worker.outside.take().into_iter().chain(lanes.received()) {
        answer_barrier(message);
    }
    // Queues that have a limit wait until every worker counts its usage there. They must not wait for this one.
    worker.shard.join_for_good();
    let mut answer = |message: Internal<D>| answer_dead(&mut worker.shard, message, shared);
    for message in under_way {
        over |= !answer(message);
    }
    while !over {
        select! {
            recv(lanes.internal) -> message => over = !message.is_ok_and(&mut answer),
            recv(lanes.external) -> message => match message {
                Ok(message) => answer_barrier(message),
                Err(_) => over = true,
            },
        }
    }
    while let Ok(message) = lanes.internal.try_recv() {
        answer(message);
    }
    while let Ok(message) = lanes.external.try_recv() {
        answer_barrier(message);
    }
}

/// Answers a message to a worker that was given up. Returns false at shutdown.
pub(super) fn answer_dead<D: Decider>(shard: &mut Shard<D>, message: Internal<D>, shared: &Shared<D>) -> bool {
    if let Internal::AddNode { node, .. } = message {
        // Sent before the control knew that the worker had been given up.
        let message = "its worker had been given up".to_owned();
        let lost = Panicked { worker: shard.id(), message, nodes: vec![node], goes_on: false };
        return shared.lanes.control.send(ControlMessage::WorkerPanicked(lost)).is_ok();
    }
    // The new snapshot may have queues that have got a limit: they must not wait for this worker either.
    if matches!(message, Internal::TakeSnapshot) {
        shard.join_for_good();
    }
    acknowledge(message, shared)
}

fn answer_barrier(parcel: Parcel) {
    if let External::Barrier(reply) = parcel.into_message() {
        // The send fails if the caller no longer waits.
        let _ = reply.send(());
    }
}

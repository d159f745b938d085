//! The driver on threads of its own: how they start, run and end, and how a caller waits for quiet.
//!
//! [`Stepper`](super::steps::Stepper) is the other driver: one thread, one call for each step. Both process the same
//! messages from the same lanes with the same code. They differ only in the thread that does it, and when.

use super::setup::AtRest;
use crate::clock::Patience;
use crate::engine::control::Control;
use crate::engine::decider::{Decider, PreemptionTask, UpdateTask};
use crate::engine::driver::runner::{Lent, Runner, Running, Whereabouts};
use crate::engine::intake::reply::{Once, Wanted};
use crate::engine::intake::to_control::{ControlMessage, TaskCall};
use crate::engine::intake::to_worker::{External, Internal, Parcel, Round};
use crate::engine::shared::Shared;
use crate::engine::threads::events::EventSink;
use crate::engine::threads::quiet::until_quiet;
use crate::engine::threads::tasks::{guarded, join, run_task, spawn};
use crate::event::Refused;
use crate::event::refused::{Gone, TryAgain};
use crate::sync::channel::{Receiver, RecvTimeoutError, SendTimeoutError, Sender, bounded, select, unbounded};
use crate::sync::thread::{JoinHandle, ThreadId};
use crate::sync::{Arc, Mutex};
use std::time::Duration;

/// A message to the update task.
#[derive(Debug)]
pub(crate) enum UpdateCall {
    /// Update now, and answer with the outcome.
    Now(Once<Result<(), Refused>>),
    /// Do nothing for this time.
    #[cfg(feature = "faults")]
    Stall(Duration),
    Shutdown,
}

/// The running threads.
#[derive(Debug)]
pub(crate) struct Threads<D: Decider> {
    workers: Vec<Running>,
    /// `None` only while the threads are being started.
    control: Option<JoinHandle<()>>,
    update: Option<JoinHandle<()>>,
    preemption: Option<JoinHandle<()>>,
    shared: Arc<Shared<D>>,
    /// The threads that offer nodes or follow plans at intervals, each with the channel whose end stops it.
    rounds: Vec<(Sender<()>, JoinHandle<()>)>,
    update_lane: Sender<UpdateCall>,
    ends: Ends,
}

/// Two channels by which a waiting caller learns that no answer will come. Nothing is ever sent over them: they end.
#[derive(Clone, Debug)]
pub(crate) struct Ends {
    /// The sender of `ended`, until all threads have ended.
    threads: Arc<Mutex<Option<Sender<()>>>>,
    /// The sender of `freed`, until callers are told that no answer will come.
    callers: Arc<Mutex<Option<Sender<()>>>>,
    ended: Receiver<()>,
    freed: Receiver<()>,
}

impl Ends {
    fn new() -> Ends {
        let ((threads, ended), (callers, freed)) = (bounded(1), bounded(1));
        let end = |sender| Arc::new(Mutex::new(Some(sender)));
        Ends { threads: end(threads), callers: end(callers), ended, freed }
    }

    /// Ends the wait of all callers: they will get no answer.
    pub(crate) fn free_callers(&self) {
        self.callers.lock().take();
    }

    fn all_ended(&self) {
        self.threads.lock().take();
        self.free_callers();
    }

    /// Waits for the end of all threads. Returns whether they have ended in time.
    pub(crate) fn wait(&self, patience: &Patience) -> bool {
        patience.receive(&self.ended) == Err(RecvTimeoutError::Disconnected)
    }

    /// Waits for an answer, as long as one can still come.
    pub(crate) fn receive<T>(&self, answer: &Wanted<T>, patience: &Patience) -> Result<T, NoAnswer> {
        self.signal(answer.signal(), patience)?;
        answer.take().ok_or(NoAnswer::Gone)
    }

    fn signal(&self, answer: &Receiver<()>, patience: &Patience) -> Result<(), NoAnswer> {
        let given = |message: Option<()>| message.ok_or(NoAnswer::Gone);
        // An answer that came at the last moment counts.
        let last = || answer.try_recv().map_err(|_| NoAnswer::ShutDown);
        match patience.left() {
            None => select! {
                recv(answer) -> message => given(message.ok()),
                recv(self.freed) -> _end => last(),
            },
            Some(left) => select! {
                recv(answer) -> message => given(message.ok()),
                recv(self.freed) -> _end => last(),
                default(left) => Err(NoAnswer::TimedOut),
            },
        }
    }
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoAnswer {
    /// The thread that was asked has ended.
    Gone,
    ShutDown,
    TimedOut,
}

impl<D: Decider> Threads<D> {
    /// Starts all threads.
    pub(crate) fn start(parts: AtRest<D>) -> std::io::Result<Threads<D>> {
        Threads::start_with(parts, Running::start)
    }

    /// Starts all threads but the workers'. The caller gets the workers, and runs them on its own threads.
    pub(crate) fn start_and_lend(parts: AtRest<D>) -> std::io::Result<(Threads<D>, Vec<Lent<D>>)> {
        let mut lent = Vec::new();
        let (mut threads, update_calls) = Threads::none(&parts);
        let lend = |worker, runner| {
            let (worker, running) = Lent::new(worker, runner);
            lent.push(worker);
            Ok(running)
        };
        match threads.start_all(parts, update_calls, lend) {
            Ok(()) => Ok((threads, lent)),
            Err(error) => {
                // Nobody will poll the workers. `end` waits for them, so they are dropped first.
                drop(lent);
                threads.end();
                Err(error)
            }
        }
    }

    /// Starts all threads; `run` starts each worker.
    pub(super) fn start_with(
        parts: AtRest<D>,
        run: impl FnMut(usize, Runner<D>) -> std::io::Result<Running>,
    ) -> std::io::Result<Threads<D>> {
        let (mut threads, update_calls) = Threads::none(&parts);
        match threads.start_all(parts, update_calls, run) {
            Ok(()) => Ok(threads),
            Err(error) => {
                threads.end();
                Err(error)
            }
        }
    }

    /// Returns `Threads` without any thread, and the lane of the update task.
    fn none(parts: &AtRest<D>) -> (Threads<D>, Receiver<UpdateCall>) {
        let (update_lane, update_calls) = unbounded();
        let threads = Threads {
            workers: Vec::new(),
            control: None,
            update: None,
            preemption: None,
            shared: parts.shared.clone(),
            rounds: Vec::new(),
            update_lane,
            ends: Ends::new(),
        };
        (threads, update_calls)
    }

    /// Starts one thread after the other, and notes each: if the system refuses one, [`end`](Self::end) ends those that
    /// run already. They hold the senders of their own lanes, so they would not end by themselves.
    fn start_all(
        &mut self,
        parts: AtRest<D>,
        update_calls: Receiver<UpdateCall>,
        mut run: impl FnMut(usize, Runner<D>) -> std::io::Result<Running>,
    ) -> std::io::Result<()> {
        let AtRest { shared, mut control, shards, control_lane, updater, preemptor, events, timers, .. } = parts;
        control.wait_for_groups(parts.groups_timeout);
        let (wake, woken) = bounded(1);
        control.set_wake_update(wake);
        for (worker, (shard, lanes)) in shards.into_iter().enumerate() {
            self.workers.push(run(worker, Runner::new(shard, lanes, shared.clone(), events.clone()))?);
        }
        let plan_step = control.plans.as_ref().map(|plans| Duration::from_millis(plans.step_ms()));
        let counted = shared.clone();
        let told = events.clone();
        self.control = Some(spawn("evenweave-control".into(), move || {
            run_task("control", &told, || run_control(control, &control_lane, &counted));
        })?);
        if let Some(updater) = updater {
            let told = events.clone();
            let interval = updater.interval().filter(|_| timers);
            self.update = Some(spawn("evenweave-update".into(), move || {
                run_task("update", &told, || run_update(updater, &update_calls, &woken, interval, &told));
            })?);
        }
        if let Some(preemptor) = preemptor {
            let (calls, shared, events) = (parts.preemption_lane, shared.clone(), events.clone());
            self.preemption = Some(spawn("evenweave-preemption".into(), move || {
                run_task("preemption", &events, || preemptor.run(&calls, shared, timers));
            })?);
        }
        let settings = &shared.settings;
        for (task, round, interval_ms) in [
            ("offers", Round::Offers, settings.offers_every_ms),
            ("continuous", Round::Continuous, settings.continuous_every_ms),
        ] {
            let Some(interval_ms) = interval_ms.filter(|_| timers) else { continue };
            let (stop, stopped) = bounded(1);
            let (shared, events) = (shared.clone(), events.clone());
            let interval = Duration::from_millis(interval_ms.max(1));
            let thread = spawn(format!("evenweave-{task}"), move || {
                run_task(task, &events, || run_rounds(&shared, round, interval, &stopped));
            })?;
            self.rounds.push((stop, thread));
        }
        if let Some(step) = plan_step.filter(|_| timers) {
            let (stop, stopped) = bounded(1);
            let (shared, events) = (shared.clone(), events.clone());
            let thread = spawn("evenweave-plans".into(), move || {
                run_task("plans", &events, || run_follower(&shared, step, &stopped));
            })?;
            self.rounds.push((stop, thread));
        }
        Ok(())
    }

    /// Lets others wait until all threads have ended.
    pub(crate) fn ends(&self) -> Ends {
        self.ends.clone()
    }

    pub(crate) fn update_lane(&self) -> Sender<UpdateCall> {
        self.update_lane.clone()
    }

    /// The ids of all threads but lent workers. These threads must not wait for the shutdown: it waits for them.
    pub(crate) fn ids(&self) -> Vec<ThreadId> {
        let rounds = self.rounds.iter().map(|(_, thread)| thread);
        let others = rounds.chain(&self.control).chain(&self.preemption).chain(&self.update);
        let workers = self.workers.iter().filter_map(Running::thread);
        workers.chain(others).map(|thread| thread.thread().id()).collect()
    }

    /// For each lent worker: the thread on which it was polled last.
    pub(crate) fn whereabouts(&self) -> Vec<Arc<Whereabouts>> {
        self.workers.iter().filter_map(Running::whereabouts).collect()
    }

    /// As `stop`, but on a new thread: the caller does not wait. The new thread first runs `first`.
    pub(crate) fn stop_later(self, first: impl FnOnce() + Send + 'static) {
        // If the system refuses the thread, the scheduler's threads run on: nobody is left who could end them.
        let _ = spawn("evenweave-shutdown".into(), move || {
            first();
            self.stop();
        });
    }

    /// Processes what was sent, then ends all threads. Waits for their end.
    pub(crate) fn stop(self) {
        // An error means that a thread is lost. Then there is nothing left to wait for.
        let _ = quiesce(&self.shared, &Patience::endless());
        self.end();
    }

    /// Ends all threads, workers after they have processed what was accepted. Waits for their end.
    pub(crate) fn end(self) {
        let shared = &self.shared;
        if let Some(preemption) = self.preemption {
            // Before the workers, as the preemption task waits for them. The send fails if the task has ended.
            let _ = shared.lanes.preemption.send(TaskCall::Shutdown);
            join(preemption);
        }
        for (stop, thread) in self.rounds {
            drop(stop);
            join(thread);
        }
        for lane in &shared.lanes.internal {
            // The send fails if the worker has ended.
            let _ = lane.send(Internal::Shutdown);
        }
        self.workers.into_iter().for_each(Running::join);
        // As above.
        let _ = shared.lanes.control.send(ControlMessage::Shutdown);
        self.control.into_iter().for_each(join);
        let _ = self.update_lane.send(UpdateCall::Shutdown);
        self.update.into_iter().for_each(join);
        self.ends.all_ended();
    }
}

fn run_control<D: Decider>(mut control: Control<D>, lane: &Receiver<ControlMessage<D>>, shared: &Shared<D>) {
    let take = |control: &mut Control<D>, message: ControlMessage<D>| {
        // Messages that come at intervals are not counted: a caller that waits for quiet would wait for ever.
        let by_time = matches!(message, ControlMessage::CleanUp | ControlMessage::FollowPlans(_));
        if !by_time && !matches!(message, ControlMessage::Barrier(_)) {
            shared.control_handled.note();
        }
        control.handle(message)
    };
    loop {
        let Ok(message) = lane.recv() else { return };
        let mut go_on = take(&mut control, message);
        // A batch shares one publish.
        for _ in 0..1024 {
            let Ok(message) = lane.try_recv() else { break };
            go_on &= take(&mut control, message);
        }
        control.publish();
        if !go_on {
            return;
        }
    }
}

/// Runs one update. A panic in it, such as in a policy of the embedder, is reported as an event, and the task restarts.
fn update(updater: &mut impl UpdateTask, events: &EventSink) -> Result<(), Refused> {
    guarded("update", events, || updater.update_and_wake()).map_err(|message| {
        updater.restart_after_panic();
        Refused::TryAgain(TryAgain::Panicked { what: "the update task", message })
    })
}

fn run_update(
    mut updater: impl UpdateTask,
    calls: &Receiver<UpdateCall>,
    woken: &Receiver<()>,
    interval: Option<Duration>,
    events: &EventSink,
) {
    let mut update = || update(&mut updater, events);
    let mut woken = woken.clone();
    loop {
        let timeout = interval.unwrap_or(Duration::from_secs(3600));
        select! {
            recv(calls) -> call => match call {
                Ok(UpdateCall::Now(reply)) => reply.send(update()),
                #[cfg(feature = "faults")]
                Ok(UpdateCall::Stall(time)) => {
                    wait(time);
                }
                Ok(UpdateCall::Shutdown) | Err(_) => return,
            },
            recv(woken) -> wake => match wake {
                // A failure was reported as an event.
                Ok(()) => if interval.is_some() { drop(update()) },
                Err(_) => woken = crate::sync::channel::never(),
            },
            default(timeout) => if interval.is_some() { drop(update()) },
        }
    }
}

/// Does nothing for `time`.
#[cfg(feature = "faults")]
pub(crate) fn wait(time: Duration) {
    let (_silent, nothing) = bounded::<()>(0);
    let _ = nothing.recv_timeout(time);
}

/// The async allocation thread, and the thread of continuous scheduling: sends a round to every worker at an interval.
/// A worker that has not finished a round yet gets no other one.
fn run_rounds<D: Decider>(shared: &Shared<D>, round: Round, interval: Duration, stopped: &Receiver<()>) {
    loop {
        match stopped.recv_timeout(interval) {
            Err(RecvTimeoutError::Timeout) => {}
            _ => return,
        }
        for (worker, lane) in shared.lanes.internal.iter().enumerate() {
            if shared.outstanding(round).begin(worker) {
                // The send fails if the worker has ended.
                let _ = lane.send(Internal::Round(round));
            }
        }
    }
}

/// The plan follower: asks the control for a run. As in Hadoop, the next run begins a step after the end of the last
/// one.
fn run_follower<D: Decider>(shared: &Shared<D>, step: Duration, stopped: &Receiver<()>) {
    while stopped.recv_timeout(step) == Err(RecvTimeoutError::Timeout) {
        let (reply, answer) = bounded(1);
        let sent = shared.lanes.control.send(ControlMessage::FollowPlans(reply.into()));
        if sent.is_err() || answer.recv().is_err() {
            // The control has ended.
            return;
        }
    }
}

/// Waits until all accepted messages are processed. The caller makes sure that nobody sends messages in the meantime.
///
/// # Errors
/// [`Refused::TimedOut`]; [`Gone::ShutDown`] or [`Gone::Task`] if a thread has ended before it answered.
pub(crate) fn quiesce<D: Decider>(shared: &Shared<D>, patience: &Patience) -> Result<(), Refused> {
    let handled = || {
        let workers: u64 = shared.counters.iter().map(|counters| counters.handled.read()).sum();
        workers + shared.control_handled.read()
    };
    let mut outcome = Ok(());
    let barrier = || match barrier(shared, patience) {
        Err(why) => {
            outcome = Err(why);
            false
        }
        // If a caller sends messages all the time, the rounds of barriers would never end.
        Ok(()) if patience.is_over() => {
            outcome = Err(Refused::TimedOut);
            false
        }
        Ok(()) => true,
    };
    until_quiet(handled, barrier);
    outcome
}

/// Sends a barrier through every lane, and waits for all answers. A thread answers when it comes to the barrier.
fn barrier<D: Decider>(shared: &Shared<D>, patience: &Patience) -> Result<(), Refused> {
    let (reply, answered) = unbounded();
    let mut asked = 0;
    for lane in &shared.lanes.external {
        match patience.send(lane, Parcel::of(External::Barrier(reply.clone()))) {
            Ok(()) => asked += 1,
            Err(SendTimeoutError::Timeout(_)) => return Err(Refused::TimedOut),
            // A worker that has ended has no messages left.
            Err(SendTimeoutError::Disconnected(_)) => {}
        }
    }
    for lane in &shared.lanes.internal {
        asked += u64::from(lane.send(Internal::Barrier(reply.clone())).is_ok());
    }
    let control = shared.lanes.control.send(ControlMessage::Barrier(reply.clone().into())).is_ok();
    asked += u64::from(control);
    // The preemption task sends messages to workers, which count them. The send fails if preemption is off.
    asked += u64::from(shared.lanes.preemption.send(TaskCall::Barrier(reply)).is_ok());
    for _ in 0..asked {
        patience.receive(&answered).map_err(|error| match error {
            RecvTimeoutError::Timeout => Refused::TimedOut,
            RecvTimeoutError::Disconnected => Refused::Gone(Gone::ShutDown),
        })?;
    }
    if control { Ok(()) } else { Err(Gone::Task { task: "control" }.into()) }
}

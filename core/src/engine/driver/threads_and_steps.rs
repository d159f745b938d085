//! Drivers: who calls the stages. [`Stepper`](super::steps::Stepper) is one thread and one call a step; [`Threads`] is
//! real threads.
//!
//! Both work the same messages off the same lanes with the same code; only who does it, and when, differs.

use crate::clock::{Clock, Patience};
use crate::engine::books::affinity::default_slack;
use crate::engine::books::pace::Pace;
use crate::engine::control::{Control, empty_structure};
use crate::engine::decider::Decider;
use crate::engine::decider::{PreemptionTask, UpdateTask};
use crate::engine::driver::runner::{Lent, Runner, Running, Whereabouts, WorkerLanes};
use crate::engine::intake::locations::Locations;
use crate::engine::intake::to_control::ControlMessage;
use crate::engine::intake::to_control::TaskCall;
use crate::engine::intake::to_worker::{External, Internal, Parcel, Round};
use crate::engine::mail::mailbox::Arena;
use crate::engine::publish::snapshot::Publisher;
use crate::engine::settings::Settings;
use crate::engine::shard::Shard;
use crate::engine::shared::{HeartbeatProbe, Lanes, Shared, WakeUp, number_scheduler};
use crate::engine::threads::events::EventSink;
use crate::engine::threads::quiet::{Handled, until_quiet};
use crate::engine::threads::rounds::Outstanding;
use crate::engine::threads::tasks::{guarded, join, run_task, spawn};
use crate::event::Refused;
use crate::groups::Groups;
use crate::sync::atomic::AtomicBool;
use crate::sync::channel::{Receiver, RecvTimeoutError, SendTimeoutError, Sender, bounded, select, unbounded};
use crate::sync::thread::{JoinHandle, ThreadId};
use crate::sync::{Arc, CachePadded, Mutex};
use std::time::Duration;

/// What a scheduler is made from.
pub(crate) struct Setup<D: Decider> {
    pub(crate) settings: Settings,
    /// The decider's part of the control, before it has any queue, and what it makes them of.
    pub(crate) control: D::Control,
    pub(crate) configuration: D::Configuration,
    pub(crate) events: EventSink,
    pub(crate) groups: Arc<dyn Groups>,
    /// How long threads wait for it.
    pub(crate) groups_timeout: Duration,
    pub(crate) workers: usize,
    pub(crate) channel_capacity: usize,
    pub(crate) cluster_timestamp: u64,
    pub(crate) epoch: u32,
    pub(crate) node_stops: bool,
    pub(crate) largest_node: bool,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) on_grants: Option<WakeUp>,
    pub(crate) probe: Option<Arc<dyn HeartbeatProbe>>,
    /// What each step did is noted.
    pub(crate) journal: bool,
    /// Which reservations come and go is noted.
    pub(crate) note_reservations: bool,
    pub(crate) decider: D,
    /// Whether threads do anything by time.
    pub(crate) timers: bool,
    /// Grants and ends between folds, if not by the number of applications.
    pub(crate) fold_every: Option<u32>,
    /// How many containers somebody may be ahead for the sake of affinity, if not as many as by default.
    pub(crate) slack: Option<u32>,
}

/// A scheduler at rest, before a driver takes it.
#[derive(Debug)]
pub(crate) struct AtRest<D: Decider> {
    pub(crate) shared: Arc<Shared<D>>,
    pub(crate) control: Control<D>,
    pub(super) shards: Vec<(Shard<D>, WorkerLanes<D>)>,
    pub(super) control_lane: Receiver<ControlMessage<D>>,
    /// Where the decider has one.
    pub(super) updater: Option<D::Updater>,
    /// Where preemption is on.
    pub(super) preemptor: Option<D::Preemptor>,
    preemption_lane: Receiver<TaskCall<D::PreemptionCall>>,
    pub(crate) events: EventSink,
    timers: bool,
    groups_timeout: Duration,
}

impl<D: Decider> AtRest<D> {
    pub(crate) fn new(setup: Setup<D>) -> AtRest<D> {
        let types = setup.settings.steps.types;
        let workers = setup.workers;
        let (mut external, mut internal, mut lanes) = (vec![], vec![], vec![]);
        for _ in 0..workers {
            let (external_in, external_out) = bounded(setup.channel_capacity);
            let (internal_in, internal_out) = unbounded();
            external.push(external_in);
            internal.push(internal_in);
            lanes.push(WorkerLanes::new(internal_out, external_out));
        }
        let (control, control_lane) = unbounded();
        let (preemption, preemption_lane) = unbounded();
        let maximum = setup.settings.maximum;
        let scheduler = number_scheduler();
        let shared = Arc::new(Shared {
            scheduler,
            workers,
            types,
            cluster_timestamp: setup.cluster_timestamp,
            epoch: setup.epoch,
            node_stops: setup.node_stops,
            largest_node: setup.largest_node,
            publisher: Publisher::new(empty_structure(types, maximum)),
            arenas: (0..workers).map(|w| Arena::new(u16::try_from(w).expect("workers are few"), types)).collect(),
            locations: Locations::new(scheduler),
            clock: setup.clock,
            counters: (0..workers).map(|_| CachePadded::default()).collect(),
            lanes: Lanes { external, internal, control, preemption },
            on_grants: setup.on_grants,
            probe: setup.probe,
            nodes: crate::sync::Mutex::default(),
            control_handled: Handled::default(),
            dead: (0..workers).map(|_| AtomicBool::new(false)).collect(),
            offers: Outstanding::new(workers),
            continuous: Outstanding::new(workers),
            pace: Pace::new(workers, setup.fold_every),
            slack: if workers > 1 { setup.slack.unwrap_or_else(|| default_slack(setup.fold_every)) } else { 0 },
            settings: setup.settings,
            decider: setup.decider,
        });
        let mut control = Control::new(shared.clone(), setup.control, setup.configuration, setup.groups);
        control.set_events(setup.events.clone());
        let shards = lanes
            .into_iter()
            .enumerate()
            .map(|(worker, lanes)| {
                let mut shard = Shard::new(worker, shared.clone(), setup.journal);
                shard.reservation_news = setup.note_reservations.then(Vec::new);
                (shard, lanes)
            })
            .collect();
        let (updater, preemptor) = D::tasks(&shared, setup.timers);
        let events = setup.events;
        let (timers, groups_timeout) = (setup.timers, setup.groups_timeout);
        AtRest {
            shared,
            control,
            shards,
            control_lane,
            updater,
            preemptor,
            preemption_lane,
            events,
            timers,
            groups_timeout,
        }
    }
}

// ---------------------------------------------------------------------------------------------------- many threads

/// What the update task is told.
#[derive(Debug)]
pub(crate) enum UpdateCall {
    /// Update now and answer what came of it.
    Now(Sender<Result<(), Refused>>),
    /// Do nothing for so long.
    #[cfg(feature = "faults")]
    Stall(Duration),
    Shutdown,
}

/// The running threads.
#[derive(Debug)]
pub(crate) struct Threads<D: Decider> {
    workers: Vec<Running>,
    control: JoinHandle<()>,
    update: Option<JoinHandle<()>>,
    preemption: Option<JoinHandle<()>>,
    shared: Arc<Shared<D>>,
    /// Those that offer nodes, or follow plans, at intervals.
    rounds: Vec<(Sender<()>, JoinHandle<()>)>,
    update_lane: Sender<UpdateCall>,
    ends: Ends,
}

/// How whoever waits hears that nothing more will come. Nothing is ever sent: the channels end.
#[derive(Clone, Debug)]
pub(crate) struct Ends {
    /// Of the one whose end says that all threads have ended.
    threads: Arc<Mutex<Option<Sender<()>>>>,
    /// Of the one whose end frees whoever waits for an answer.
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

    /// Whoever waits for an answer is answered that there will be none.
    pub(crate) fn free_callers(&self) {
        self.callers.lock().take();
    }

    fn all_ended(&self) {
        self.threads.lock().take();
        self.free_callers();
    }

    /// Waits for the end of all threads; whether it has come.
    pub(crate) fn wait(&self, patience: &Patience) -> bool {
        patience.receive(&self.ended) == Err(RecvTimeoutError::Disconnected)
    }

    /// Waits for an answer as long as one may come.
    pub(crate) fn receive<T>(&self, answer: &Receiver<T>, patience: &Patience) -> Result<T, NoAnswer> {
        let given = |message: Option<T>| message.ok_or(NoAnswer::Gone);
        // What was answered at the last moment counts.
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
    /// Who was asked has gone.
    Gone,
    ShutDown,
    TimedOut,
}

impl<D: Decider> Threads<D> {
    /// Starts all threads.
    pub(crate) fn start(parts: AtRest<D>) -> std::io::Result<Threads<D>> {
        Threads::start_with(parts, Running::start)
    }

    /// Starts all threads but those of the workers, which are lent out.
    pub(crate) fn start_and_lend(parts: AtRest<D>) -> std::io::Result<(Threads<D>, Vec<Lent<D>>)> {
        let mut lent = Vec::new();
        let threads = Threads::start_with(parts, |worker, runner| {
            let (worker, running) = Lent::new(worker, runner);
            lent.push(worker);
            Ok(running)
        })?;
        Ok((threads, lent))
    }

    fn start_with(
        parts: AtRest<D>,
        mut run: impl FnMut(usize, Runner<D>) -> std::io::Result<Running>,
    ) -> std::io::Result<Threads<D>> {
        let AtRest { shared, mut control, shards, control_lane, updater, preemptor, events, timers, .. } = parts;
        control.wait_for_groups(parts.groups_timeout);
        let (wake, woken) = bounded(1);
        control.set_wake_update(wake);
        let (update_lane, update_calls) = unbounded();
        let mut workers = Vec::new();
        for (worker, (shard, lanes)) in shards.into_iter().enumerate() {
            workers.push(run(worker, Runner::new(shard, lanes, shared.clone(), events.clone()))?);
        }
        let plan_step = control.plans.as_ref().map(|plans| Duration::from_millis(plans.step_ms()));
        let counted = shared.clone();
        let told = events.clone();
        let control = spawn("evenweave-control".into(), move || {
            run_task("control", &told, || run_control(control, &control_lane, &counted));
        })?;
        let told = events.clone();
        let update = match updater {
            Some(updater) => {
                let interval = updater.interval().filter(|_| timers);
                Some(spawn("evenweave-update".into(), move || {
                    run_task("update", &told, || run_update(updater, &update_calls, &woken, interval, &told));
                })?)
            }
            None => None,
        };
        let preemption = match preemptor {
            Some(preemptor) => {
                let (calls, shared, events) = (parts.preemption_lane, shared.clone(), events.clone());
                Some(spawn("evenweave-preemption".into(), move || {
                    run_task("preemption", &events, || preemptor.run(&calls, shared, timers));
                })?)
            }
            None => None,
        };
        let settings = &shared.settings;
        let mut rounds = Vec::new();
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
            rounds.push((stop, thread));
        }
        if let Some(step) = plan_step.filter(|_| timers) {
            let (stop, stopped) = bounded(1);
            let (shared, events) = (shared.clone(), events.clone());
            let thread = spawn("evenweave-plans".into(), move || {
                run_task("plans", &events, || run_follower(&shared, step, &stopped));
            })?;
            rounds.push((stop, thread));
        }
        Ok(Threads { workers, control, update, preemption, rounds, update_lane, shared, ends: Ends::new() })
    }

    /// How others hear of the end.
    pub(crate) fn ends(&self) -> Ends {
        self.ends.clone()
    }

    pub(crate) fn update_lane(&self) -> Sender<UpdateCall> {
        self.update_lane.clone()
    }

    /// Which threads these are: none of them can wait for their end.
    pub(crate) fn ids(&self) -> Vec<ThreadId> {
        let rounds = self.rounds.iter().map(|(_, thread)| thread);
        let others = rounds.chain(&self.preemption).chain(&self.update);
        let workers = self.workers.iter().filter_map(Running::thread);
        workers.chain([&self.control]).chain(others).map(|of| of.thread().id()).collect()
    }

    /// Where the workers are that were lent out.
    pub(crate) fn whereabouts(&self) -> Vec<Arc<Whereabouts>> {
        self.workers.iter().filter_map(Running::whereabouts).collect()
    }

    /// As `stop`, but on a new thread: the caller does not wait. That thread runs `first` before.
    pub(crate) fn stop_later(self, first: impl FnOnce() + Send + 'static) {
        // If the system gives no thread, the scheduler's threads run on: nobody is left who could end them.
        let _ = spawn("evenweave-shutdown".into(), move || {
            first();
            self.stop();
        });
    }

    /// Processes what was sent, then ends all threads. Waits for their end.
    pub(crate) fn stop(self) {
        // An error says that a thread is lost: nothing is left to wait for.
        let _ = quiesce(&self.shared, &Patience::endless());
        self.end();
    }

    /// Ends all threads, workers after they have worked off what was accepted.
    fn end(self) {
        let shared = &self.shared;
        if let Some(preemption) = self.preemption {
            // Before the workers, which it waits for. One that is gone needs not be told.
            let _ = shared.lanes.preemption.send(TaskCall::Shutdown);
            join(preemption);
        }
        for (stop, thread) in self.rounds {
            drop(stop);
            join(thread);
        }
        for lane in &shared.lanes.internal {
            // A worker that is gone has nothing left to work off.
            let _ = lane.send(Internal::Shutdown);
        }
        self.workers.into_iter().for_each(Running::join);
        // As above.
        let _ = shared.lanes.control.send(ControlMessage::Shutdown);
        join(self.control);
        let _ = self.update_lane.send(UpdateCall::Shutdown);
        self.update.into_iter().for_each(join);
        self.ends.all_ended();
    }
}

fn run_control<D: Decider>(mut control: Control<D>, lane: &Receiver<ControlMessage<D>>, shared: &Shared<D>) {
    let take = |control: &mut Control<D>, message: ControlMessage<D>| {
        // What comes by time does not count: who waits for quiet would never see the end of it.
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

/// One update. What panics in it, such as a policy of the embedder's, is told of, and the task begins anew.
fn update(updater: &mut impl UpdateTask, events: &EventSink) -> Result<(), Refused> {
    guarded("update", events, || updater.update_and_wake()).map_err(|message| {
        updater.restart_after_panic();
        Refused::Panicked { what: "the update task", message }
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
                Ok(UpdateCall::Now(reply)) => {
                    // Whoever asked may have gone.
                    let _ = reply.send(update());
                }
                #[cfg(feature = "faults")]
                Ok(UpdateCall::Stall(time)) => {
                    wait(time);
                }
                Ok(UpdateCall::Shutdown) | Err(_) => return,
            },
            recv(woken) -> wake => match wake {
                // What came of it was told of.
                Ok(()) => if interval.is_some() { drop(update()) },
                Err(_) => woken = crate::sync::channel::never(),
            },
            default(timeout) => if interval.is_some() { drop(update()) },
        }
    }
}

/// Does nothing for so long.
#[cfg(feature = "faults")]
pub(crate) fn wait(time: Duration) {
    let (_silent, nothing) = bounded::<()>(0);
    let _ = nothing.recv_timeout(time);
}

/// The async allocation thread, and that of continuous scheduling: a round to every worker, an interval apart, one
/// outstanding a worker.
fn run_rounds<D: Decider>(shared: &Shared<D>, round: Round, interval: Duration, stopped: &Receiver<()>) {
    loop {
        match stopped.recv_timeout(interval) {
            Err(RecvTimeoutError::Timeout) => {}
            _ => return,
        }
        for (worker, lane) in shared.lanes.internal.iter().enumerate() {
            if shared.outstanding(round).begin(worker) {
                // A worker that is gone needs no offers.
                let _ = lane.send(Internal::Round(round));
            }
        }
    }
}

/// The plan follower: asks the control for a run, a step after the one before has ended, as in Hadoop.
fn run_follower<D: Decider>(shared: &Shared<D>, step: Duration, stopped: &Receiver<()>) {
    while stopped.recv_timeout(step) == Err(RecvTimeoutError::Timeout) {
        let (reply, answer) = bounded(1);
        let sent = shared.lanes.control.send(ControlMessage::FollowPlans(reply.into()));
        if sent.is_err() || answer.recv().is_err() {
            // The control is gone.
            return;
        }
    }
}

/// Waits until everything accepted is worked off, or says why that cannot be seen. The caller sees to it that nobody
/// sends meanwhile.
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
        // Who sends on and on would be waited for for ever.
        Ok(()) if patience.is_over() => {
            outcome = Err(Refused::TimedOut);
            false
        }
        Ok(()) => true,
    };
    until_quiet(handled, barrier);
    outcome
}

/// A message through every lane, each answered when it is reached.
fn barrier<D: Decider>(shared: &Shared<D>, patience: &Patience) -> Result<(), Refused> {
    let (reply, answered) = unbounded();
    let mut asked = 0;
    for lane in &shared.lanes.external {
        match patience.send(lane, Parcel::of(External::Barrier(reply.clone()))) {
            Ok(()) => asked += 1,
            Err(SendTimeoutError::Timeout(_)) => return Err(Refused::TimedOut),
            // A worker that has gone has nothing left to work off.
            Err(SendTimeoutError::Disconnected(_)) => {}
        }
    }
    for lane in &shared.lanes.internal {
        asked += u64::from(lane.send(Internal::Barrier(reply.clone())).is_ok());
    }
    let control = shared.lanes.control.send(ControlMessage::Barrier(reply.clone().into())).is_ok();
    asked += u64::from(control);
    // Its rounds send to workers, which count them; nobody listens where preemption is off.
    asked += u64::from(shared.lanes.preemption.send(TaskCall::Barrier(reply)).is_ok());
    for _ in 0..asked {
        patience.receive(&answered).map_err(|error| match error {
            RecvTimeoutError::Timeout => Refused::TimedOut,
            RecvTimeoutError::Disconnected => Refused::ShutDown,
        })?;
    }
    if control { Ok(()) } else { Err(Refused::TaskLost { task: "control" }) }
}

#[cfg(test)]
pub(crate) mod tests;

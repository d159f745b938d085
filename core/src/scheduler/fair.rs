//! What the FairScheduler does in its own way when it is called, and how it starts.
//!
//! Run on the caller's thread, with threads and without.

use super::build_error::BuildError;
use super::door::{Door, Running, Threading};
use super::fair_reasons::{why, why_stepped};
use super::handles::{AppHandle, NodeHandle};
use super::journal::Standing;
use super::policy::{Driven, Fair, Policy};
use super::preemption_round::PreemptionRound;
use super::steps::Stepping;
use super::threaded::Scheduler;
use super::worker::Worker;
use crate::capacity::SubmitTerms;
use crate::clock::Patience;
use crate::config::{Diagnostic, Reader};
use crate::engine::intake::reply::{Once, once};
use crate::engine::{
    AllocateRequest, Allocation, AppShared, EventSink, EventSource, Reply, Submission, TaskCall, UpdateCall, allocate,
    ask_workers, collect, warn_of,
};
use crate::event::Refused;
use crate::event::refused::{Configuration, Gone, Invalid};
use crate::fair::allocations::{ControlLane, Reloads, WatchCall, Watcher, apply};
use crate::fair::preemption::PreemptionCall;
use crate::fair::{
    AppView, AtRest, Call, Control, FairDecider, FairReason, NotOffered, QueueView, Shard, Shared, Stats, Threads,
    views,
};
use crate::sync::Arc;
use crate::sync::channel::Sender;

/// A FairScheduler on threads of its own.
///
/// The threads: the workers, which own the nodes; the control; the update task; the watcher of the allocation file;
/// and, if the settings ask for them, the preemption task, the async allocation thread and the thread of continuous
/// scheduling.
///
/// ```
/// use evenweave::{AllocateRequest, Allocation, Ask, FairScheduler, Heartbeat, Resource, Submission};
///
/// let scheduler = FairScheduler::builder().start()?;
/// let node = scheduler.add_node("n1", "/r1", Resource::new(8192, 8))?;
/// let app = scheduler.submit(Submission::new(1, "ann"))?;
/// let (mut request, mut answer) = (AllocateRequest::default(), Allocation::default());
/// request.asks.push(Ask::anywhere(1, Resource::new(1024, 1), 2));
/// scheduler.allocate(&app, &request, &mut answer)?;
/// scheduler.quiesce()?; // asks travel
/// scheduler.update_now()?; // new demand counts from the next update on
/// for _ in 0..2 {
///     scheduler.heartbeat(Heartbeat::new(&node))?;
/// }
/// scheduler.quiesce()?;
/// scheduler.allocate(&app, &AllocateRequest::default(), &mut answer)?;
/// assert_eq!(answer.granted.len(), 2);
/// scheduler.shutdown()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type FairScheduler = Scheduler<Fair>;

/// The tasks beside the control that calls are sent to.
pub(crate) struct Lanes {
    pub(super) update: Sender<UpdateCall>,
    pub(super) watcher: Option<Sender<WatchCall>>,
}

impl Running for Threads {
    fn stop(self: Box<Self>) {
        Threads::stop(*self);
    }

    fn stop_later(self: Box<Self>) {
        Threads::stop_later(*self);
    }
}

impl Scheduler<Fair> {
    pub(super) fn start(
        parts: AtRest,
        watcher: Option<Watcher>,
        events: EventSource,
    ) -> Result<FairScheduler, BuildError> {
        let (shared, sink) = (parts.shared.clone(), parts.events.clone());
        let threads = Threads::start(parts, watcher).map_err(BuildError::Thread)?;
        Ok(FairScheduler::with(threads, shared, sink, events))
    }

    pub(super) fn start_with_workers(
        parts: AtRest,
        watcher: Option<Watcher>,
        events: EventSource,
    ) -> Result<(FairScheduler, Vec<Worker>), BuildError> {
        let (shared, sink) = (parts.shared.clone(), parts.events.clone());
        let (threads, lent) = Threads::start_and_lend(parts, watcher).map_err(BuildError::Thread)?;
        Ok((FairScheduler::with(threads, shared, sink, events), Worker::all(lent)))
    }

    fn with(threads: Threads, shared: Arc<Shared>, sink: EventSink, events: EventSource) -> FairScheduler {
        let lanes = Lanes { update: threads.update_lane(), watcher: threads.watcher_lane() };
        let threading = Threading { threads: threads.ids(), lent: threads.whereabouts(), ends: threads.ends() };
        Scheduler::of(Door::new(Box::new(threads), threading, shared, sink, events), lanes)
    }
}

/// Looks after the allocation file, if that is due; says whether it was.
pub(super) fn look_if_due(steps: &mut Stepping<FairDecider>, watcher: &mut Option<Watcher>) -> bool {
    let clock = steps.stepper.shared().clock.clone();
    let Some(watcher) = watcher.as_mut().filter(|watcher| watcher.due_in_ms(&*clock) == 0) else {
        return false;
    };
    watcher.look(&*clock, steps.stepper.control());
    steps.stepper.pump();
    true
}

/// Asks the preemption task.
pub(super) fn ask_preemption<T>(
    door: &Door<FairDecider>,
    call: impl FnOnce(Once<T>) -> PreemptionCall,
) -> Result<T, Refused> {
    let shared = door.open_to_wait()?;
    if !shared.settings.preemption {
        return Err(Configuration::PreemptionOff.into());
    }
    let (reply, answer) = once();
    shared.lanes.preemption.send(TaskCall::Own(call(reply))).map_err(|_| door.gone("preemption"))?;
    door.answer(&answer, &Patience::endless(), "preemption")
}

/// Reads an allocation file's text; what is wrong with it is told by an event, too.
pub(super) fn take_text(door: &Door<FairDecider>, text: &str, clean_up: bool) -> Result<Vec<Diagnostic>, Refused> {
    let shared = door.open()?;
    let custom_policies = door.look(Control::policy_names)?;
    let mut control = ControlLane { shared: door.shared.clone(), events: door.sink.clone() };
    if clean_up {
        control.clean_up();
    }
    let reader = Reader { types: shared.decider.settings.types.clone(), custom_policies, limit: u64::MAX };
    apply(reader.parse(text, "allocations"), &mut control)
}

/// The same without threads.
pub(super) fn take_text_stepped(steps: &mut Stepping<FairDecider>, text: &str) -> Result<Vec<Diagnostic>, Refused> {
    let types = steps.stepper.shared().decider.settings.types.clone();
    let control = steps.stepper.control();
    let reader = Reader { types, custom_policies: control.policy_names(), limit: u64::MAX };
    let outcome = apply(reader.parse(text, "allocations"), control);
    steps.settle();
    outcome
}

impl Policy for Fair {
    type QueueView = QueueView;
    type AppView = AppView;
    type Stats = Stats;
    type NotOffered = NotOffered;
    type Reason = FairReason;
}

impl Driven for Fair {
    type Decider = FairDecider;
    type Lanes = Lanes;
    /// Who looks after the allocation file; nobody does where there is none.
    type Beside = Option<Watcher>;

    /// It has no lifetimes of applications.
    fn check_terms(submission: &Submission, terms: &SubmitTerms) -> Result<(), Refused> {
        match terms.lifetime_seconds {
            Some(seconds) => Err(Invalid::Lifetime { app: submission.number, seconds }.into()),
            None => Ok(()),
        }
    }

    fn submits(submission: Submission, _: SubmitTerms, reply: Reply<Result<Arc<AppShared>, Refused>>) -> Call {
        Call::Submit(Box::new(submission), reply)
    }

    fn submit(control: &mut Control, submission: &Submission, _: SubmitTerms) -> Result<Arc<AppShared>, Refused> {
        control.submit(submission)
    }

    fn accept(control: &mut Control, submission: &Submission, _: SubmitTerms) -> Result<String, Refused> {
        control.accept(submission)
    }

    fn refresh_plans(control: &mut Control) -> Result<(), Refused> {
        control.refresh_plans()
    }

    fn place(control: &Control, user: &str, queue: Option<&str>) -> Result<Option<String>, Refused> {
        control.place(user, queue)
    }

    fn offer_all(shard: &mut Shard, _first: usize) {
        shard.continuous_pass();
    }

    fn stands(shard: &mut Shard, journal: &mut Standing) {
        journal.reserved.extend(shard.reservations());
        journal.held.extend(shard.owed_rooms());
    }

    #[inline]
    fn allocate(
        door: &Door<FairDecider>,
        app: &AppHandle,
        request: &AllocateRequest,
        answer: &mut Allocation,
    ) -> Result<(), Refused> {
        allocate(door.open()?, &app.0, request, answer)
    }

    fn update(door: &Door<FairDecider>, lanes: &Lanes, patience: &Patience) -> Result<(), Refused> {
        door.open()?;
        door.may_wait()?;
        let (reply, answer) = once();
        lanes.update.send(UpdateCall::Now(reply)).map_err(|_| door.gone("update"))?;
        door.answer(&answer, patience, "update")?
    }

    fn preempt(door: &Door<FairDecider>) -> Result<Vec<PreemptionRound>, Refused> {
        let rounds = ask_preemption(door, PreemptionCall::Rounds)?;
        Ok(rounds.into_iter().map(PreemptionRound::from).collect())
    }

    fn refresh(door: &Door<FairDecider>, text: &str) -> Result<Vec<Diagnostic>, Refused> {
        take_text(door, text, false)
    }

    fn queues(door: &Door<FairDecider>) -> Result<Vec<QueueView>, Refused> {
        Ok(views::queues(&door.shared.publisher.load()))
    }

    fn app(door: &Door<FairDecider>, number: u32) -> Result<Option<AppView>, Refused> {
        let app = door.call(|reply| Call::App(number, reply))?;
        Ok(app.map(|app| views::app(&door.shared.publisher.load(), &app)))
    }

    fn apps(door: &Door<FairDecider>) -> Result<Vec<AppView>, Refused> {
        let apps = door.call(Call::Apps)?;
        let snapshot = door.shared.publisher.load();
        Ok(apps.iter().map(|app| views::app(&snapshot, app)).collect())
    }

    fn stats(shared: &Shared) -> Stats {
        views::stats(shared)
    }

    fn not_offered(door: &Door<FairDecider>, app: &AppHandle) -> Result<Option<NotOffered>, Refused> {
        let shared = door.open_to_wait()?;
        let of_control = app.0.clone();
        let stopped = door.look(move |control| control.why_stopped(&of_control).map(NotOffered::from))?;
        if stopped.is_some() {
            return Ok(stopped);
        }
        let (home, slot) = (app.0.home, app.0.slot.index);
        door.owner_is_there(home)?;
        let look = move |shard: &mut Shard| (shard.id() == home).then(|| shard.why_not_offered(slot));
        ask_workers(shared, look)?.into_iter().flatten().next().ok_or(Refused::Gone(Gone::Worker(home)))
    }

    fn why_waiting(
        door: &Door<FairDecider>,
        app: &AppHandle,
        node: Option<&NodeHandle>,
    ) -> Result<Vec<FairReason>, Refused> {
        why(door, app, node)
    }

    fn tick(steps: &mut Stepping<FairDecider>, watcher: &mut Option<Watcher>) {
        let (looked, expired) = (look_if_due(steps, watcher), steps.stepper.expire_if_due());
        if looked || expired {
            steps.settle();
        }
    }

    #[inline]
    fn allocate_stepped(
        steps: &mut Stepping<FairDecider>,
        app: &AppHandle,
        request: &AllocateRequest,
        answer: &mut Allocation,
    ) -> Result<(), Refused> {
        steps.send(app, request)?;
        collect(steps.stepper.shared(), &app.0, answer)?;
        warn_of(&app.0, &request.asks, &mut answer.warnings);
        Ok(())
    }

    fn released(_: &mut Stepping<FairDecider>, _: u32, _: u32) -> Result<(), Refused> {
        Ok(())
    }

    fn update_stepped(steps: &mut Stepping<FairDecider>) {
        steps.stepper.pump();
        steps.stepper.update();
        steps.settle();
    }

    fn preempt_stepped(steps: &mut Stepping<FairDecider>) -> Result<Vec<PreemptionRound>, Refused> {
        let rounds = steps.stepper.preempt(|preemptor, workers| preemptor.all_rounds(workers))?;
        steps.settle();
        Ok(rounds.into_iter().map(PreemptionRound::from).collect())
    }

    fn kill_due(steps: &mut Stepping<FairDecider>) -> Result<(), Refused> {
        steps.stepper.preempt(|preemptor, workers| preemptor.kill_due(workers))?;
        steps.settle();
        Ok(())
    }

    fn refresh_stepped(steps: &mut Stepping<FairDecider>, text: &str) -> Result<Vec<Diagnostic>, Refused> {
        take_text_stepped(steps, text)
    }

    fn queues_stepped(steps: &mut Stepping<FairDecider>) -> Vec<QueueView> {
        views::queues(&steps.stepper.shared().publisher.load())
    }

    fn app_stepped(steps: &mut Stepping<FairDecider>, number: u32) -> Option<AppView> {
        let snapshot = steps.stepper.shared().publisher.load();
        steps.stepper.control().find_app(number).map(|app| views::app(&snapshot, &app))
    }

    fn apps_stepped(steps: &mut Stepping<FairDecider>) -> Vec<AppView> {
        let snapshot = steps.stepper.shared().publisher.load();
        steps.stepper.control().all_apps().iter().map(|app| views::app(&snapshot, app)).collect()
    }

    fn not_offered_stepped(steps: &mut Stepping<FairDecider>, app: &AppHandle) -> Option<NotOffered> {
        let stopped = steps.stepper.control().why_stopped(&app.0).map(NotOffered::from);
        // Of another scheduler's application the control has said that there is none.
        stopped.or_else(|| steps.stepper.shards().nth(app.0.home)?.why_not_offered(app.0.slot.index))
    }

    fn why_waiting_stepped(
        steps: &mut Stepping<FairDecider>,
        app: &AppHandle,
        node: Option<&NodeHandle>,
    ) -> Vec<FairReason> {
        why_stepped(steps, app, node)
    }
}

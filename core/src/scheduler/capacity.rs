//! What the CapacityScheduler does in its own way when it is called.
//!
//! Run on the caller's thread, with threads and without.

use super::capacity_reasons::{why, why_stepped};
use super::door::Door;
use super::handles::{AppHandle, NodeHandle};
use super::journal::Standing;
use super::policy::{Capacity, Driven, Policy};
use super::preemption_round::PreemptionRound;
use super::stepped::Stepped;
use super::steps::Stepping;
use super::threaded::{Scheduler, WeakScheduler};
use crate::capacity::{
    CapacityAppView, CapacityCall, CapacityConfiguration, CapacityDecider, CapacityNotOffered, CapacityQueueView,
    CapacityReason, CapacityShard as Shard, CapacityStats, Mark, Refresh, SubmitTerms, called, capacity_stats,
    order_round,
};
use crate::clock::Patience;
use crate::config::{Diagnostic, SiteFile};
use crate::engine::control::Control;
use crate::engine::intake::reply::once;
use crate::engine::intake::to_control::Call;
use crate::engine::shared::Shared;
use crate::engine::{
    AllocateRequest, Allocation, AppShared, Reply, Submission, allocate, ask_one, ask_workers, collect, warn_of,
};
use crate::event::Refused;
use crate::event::refused::{Configuration, Gone};
use crate::id::{ApplicationId, AttemptId, ContainerId, ContainerName};
use crate::resource::sorted;
use crate::sync::Arc;

/// A CapacityScheduler on threads of its own, which decides as that of Hadoop 3.4.2.
///
/// The threads: the workers, which own the nodes and keep the books; the control; and the preemption monitor, if
/// `yarn.resourcemanager.scheduler.monitor.enable` is set.
///
/// ```
/// use evenweave::{
///     AllocateRequest, Allocation, Ask, CapacityConfiguration, CapacityScheduler, Heartbeat, Resource, Submission,
/// };
///
/// let queues = [
///     ("yarn.scheduler.capacity.root.queues", "default"),
///     ("yarn.scheduler.capacity.root.default.capacity", "100"),
/// ];
/// let scheduler = CapacityScheduler::builder(CapacityConfiguration::from_properties([], queues)?).start()?;
/// let node = scheduler.add_node("n1", "/r1", Resource::new(8192, 8))?;
/// let app = scheduler.submit(Submission::new(1, "ann"))?;
/// let (mut request, mut answer) = (AllocateRequest::default(), Allocation::default());
/// request.asks.push(Ask::anywhere(1, Resource::new(1024, 1), 2));
/// scheduler.allocate(&app, &request, &mut answer)?;
/// scheduler.quiesce()?; // asks travel
/// for _ in 0..2 {
///     scheduler.heartbeat(Heartbeat::new(&node))?;
/// }
/// scheduler.quiesce()?;
/// scheduler.allocate(&app, &AllocateRequest::default(), &mut answer)?;
/// assert_eq!(answer.granted.len(), 2);
/// scheduler.shutdown()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type CapacityScheduler = Scheduler<Capacity>;

/// A CapacityScheduler without threads, for embedders with a runtime of their own, and for replay. A call runs the same
/// stages as the threaded scheduler, and returns when all of them are done. It decides as Hadoop does, step by step.
pub type CapacityStepped = Stepped<Capacity>;

/// A handle that keeps no [`CapacityScheduler`] alive.
pub type WeakCapacityScheduler = WeakScheduler<Capacity>;

/// The containers of an application that are to be preempted, and of which its AM has not been told yet, by number.
pub(super) fn take_to_tell(app: &AppHandle) -> Vec<ContainerId> {
    let mut marked = std::mem::take(&mut app.0.am.lock().to_preempt);
    sorted::by_key(&mut marked, |container| (container.attempt, container.number));
    marked
}

/// Asks one worker: the books of each have all queues and applications.
pub(super) fn first<T: Send + 'static>(
    door: &Door<CapacityDecider>,
    what: impl FnOnce(&mut Shard) -> T + Send + 'static,
) -> Result<T, Refused> {
    ask_one(door.open_to_wait()?, what)
}

/// The same without threads.
pub(super) fn first_stepped(steps: &mut Stepping<CapacityDecider>) -> &mut Shard {
    let shared = steps.stepper.shared();
    let first = (0..shared.workers).find(|worker| !shared.is_dead(*worker)).unwrap_or_default();
    steps.stepper.shard(first)
}

fn work_out_headroom(steps: &mut Stepping<CapacityDecider>, app: &AppHandle) {
    // Of another scheduler's application there is nothing to work out; its call is refused. A worker that is given up
    // works nothing out.
    let shared = steps.stepper.shared();
    if app.0.scheduler != shared.scheduler || shared.is_dead(app.0.home) {
        return;
    }
    let shard = steps.stepper.shard(app.0.home);
    if shard.find_app(app.0.slot).is_some() {
        shard.work_out_headroom(app.0.slot.index);
    }
}

/// Reads the text of a `capacity-scheduler.xml` over what is in force.
fn read(text: &str, in_force: &CapacityConfiguration) -> Result<(Refresh, Vec<Diagnostic>), Refused> {
    let file = SiteFile::parse(text, "capacity-scheduler.xml");
    let file = file.map_err(|error| Configuration::Invalid(error.to_string()))?;
    let read = in_force.read_queues(file.pairs());
    let of_queues = read.as_ref().map_or(&[][..], |read| read.configuration.file().warnings());
    let warnings = file.warnings().iter().chain(of_queues).cloned().collect();
    Ok((Refresh::from_read(read)?, warnings))
}

impl Policy for Capacity {
    type QueueView = CapacityQueueView;
    type AppView = CapacityAppView;
    type Stats = CapacityStats;
    type NotOffered = CapacityNotOffered;
    type Reason = CapacityReason;
}

impl Driven for Capacity {
    type Decider = CapacityDecider;
    type Lanes = ();
    type Beside = ();

    fn check_terms(_: &Submission, _: &SubmitTerms) -> Result<(), Refused> {
        Ok(())
    }

    fn submits(
        submission: Submission,
        terms: SubmitTerms,
        reply: Reply<Result<Arc<AppShared>, Refused>>,
    ) -> Call<CapacityDecider> {
        Call::Own(CapacityCall::Submit(Box::new(submission), terms, reply))
    }

    fn submit(
        control: &mut Control<CapacityDecider>,
        submission: &Submission,
        terms: SubmitTerms,
    ) -> Result<Arc<AppShared>, Refused> {
        control.submit_with(submission, terms)
    }

    fn accept(
        control: &mut Control<CapacityDecider>,
        submission: &Submission,
        terms: SubmitTerms,
    ) -> Result<String, Refused> {
        control.accept_with(submission, terms)
    }

    fn refresh_plans(control: &mut Control<CapacityDecider>) -> Result<(), Refused> {
        control.refresh_plans()
    }

    fn place(control: &Control<CapacityDecider>, user: &str, queue: Option<&str>) -> Result<Option<String>, Refused> {
        control.place(user, queue)
    }

    fn offer_all(shard: &mut Shard, first: usize) {
        shard.offer_from(first);
    }

    fn stands(shard: &mut Shard, journal: &mut Standing) {
        journal.reserved.extend(shard.reservations());
    }

    #[inline]
    fn allocate(
        door: &Door<CapacityDecider>,
        app: &AppHandle,
        request: &AllocateRequest,
        answer: &mut Allocation,
    ) -> Result<(), Refused> {
        let shared = door.open()?;
        allocate(shared, &app.0, request, answer)?;
        answer.strict_preemptions = take_to_tell(app);
        if request.asks.is_empty() && request.releases.is_empty() {
            // Whoever asks for something, or gives something back, has it worked out by that.
            called(shared, &app.0);
        }
        Ok(())
    }

    /// It has nothing to compute beside its passes.
    fn update(door: &Door<CapacityDecider>, (): &(), _: &Patience) -> Result<(), Refused> {
        door.open()?;
        door.may_wait()
    }

    fn preempt(door: &Door<CapacityDecider>) -> Result<Vec<PreemptionRound>, Refused> {
        let settings = door.look(|control| control.preemption_settings())??;
        let (reply, marked) = once();
        let shared = door.open_to_wait()?;
        order_round(shared, settings, reply);
        // A worker that panics drops what it is asked.
        let marked = marked.receive().ok_or(Gone::Worker(0))?;
        let reserved = names_of_reserved(shared, &marked);
        let found = ask_workers(shared, move |shard| shard.ids_of(&marked))?;
        Ok(PreemptionRound::of_policy(found.into_iter().flatten().collect(), reserved))
    }

    fn refresh(door: &Door<CapacityDecider>, text: &str) -> Result<Vec<Diagnostic>, Refused> {
        let (refresh, warnings) = read(text, &door.look(|control| control.configuration())?)?;
        door.call(|reply| Call::Reload(Box::new(refresh), reply))??;
        Ok(warnings)
    }

    fn queues(door: &Door<CapacityDecider>) -> Result<Vec<CapacityQueueView>, Refused> {
        queues(door, false)
    }

    fn app(door: &Door<CapacityDecider>, number: u32) -> Result<Option<CapacityAppView>, Refused> {
        first(door, move |shard| shard.capacity_app(number))
    }

    fn apps(door: &Door<CapacityDecider>) -> Result<Vec<CapacityAppView>, Refused> {
        first(door, |shard| shard.capacity_apps())
    }

    fn stats(shared: &Shared<CapacityDecider>) -> CapacityStats {
        capacity_stats(shared)
    }

    fn not_offered(door: &Door<CapacityDecider>, app: &AppHandle) -> Result<Option<CapacityNotOffered>, Refused> {
        let app = app.0.clone();
        // Who decides about it knows best.
        let look = move |shard: &mut Shard| (shard.decides_about(&app), shard.why_not_offered(&app));
        let mut answers = ask_workers(door.open_to_wait()?, look)?;
        sorted::by_key(&mut answers, |(decides, _)| !decides);
        answers.into_iter().next().map(|(_, answer)| answer).ok_or(Refused::Gone(Gone::Worker(0)))
    }

    fn why_waiting(
        door: &Door<CapacityDecider>,
        app: &AppHandle,
        node: Option<&NodeHandle>,
    ) -> Result<Vec<CapacityReason>, Refused> {
        why(door, app, node)
    }

    fn tick(steps: &mut Stepping<CapacityDecider>, (): &mut ()) {
        if steps.stepper.expire_if_due() {
            steps.settle();
        }
    }

    #[inline]
    fn allocate_stepped(
        steps: &mut Stepping<CapacityDecider>,
        app: &AppHandle,
        request: &AllocateRequest,
        answer: &mut Allocation,
    ) -> Result<(), Refused> {
        steps.send(app, request)?;
        work_out_headroom(steps, app);
        collect(steps.stepper.shared(), &app.0, answer)?;
        answer.strict_preemptions = take_to_tell(app);
        warn_of(&app.0, &request.asks, &mut answer.warnings);
        Ok(())
    }

    fn released(steps: &mut Stepping<CapacityDecider>, number: u32, container: u32) -> Result<(), Refused> {
        let app = steps.app(number)?;
        steps.stepper.shards().for_each(|shard| shard.end_reservation_of(number, container));
        work_out_headroom(steps, &app);
        take_to_tell(&app);
        Ok(())
    }

    fn update_stepped(_: &mut Stepping<CapacityDecider>) {}

    fn preempt_stepped(steps: &mut Stepping<CapacityDecider>) -> Result<Vec<PreemptionRound>, Refused> {
        let settings = steps.stepper.control().preemption_settings()?;
        steps.stepper.pump();
        let (reply, marked) = once();
        order_round(steps.stepper.shared(), settings, reply);
        steps.settle();
        let marked = marked.try_receive().unwrap_or_default();
        let reserved = names_of_reserved(steps.stepper.shared(), &marked);
        let found = steps.stepper.shards().flat_map(|shard| shard.ids_of(&marked)).collect();
        Ok(PreemptionRound::of_policy(found, reserved))
    }

    fn kill_due(_: &mut Stepping<CapacityDecider>) -> Result<(), Refused> {
        Ok(())
    }

    fn refresh_stepped(steps: &mut Stepping<CapacityDecider>, text: &str) -> Result<Vec<Diagnostic>, Refused> {
        let (refresh, warnings) = read(text, &steps.stepper.control().configuration())?;
        let outcome = steps.stepper.control().refresh(refresh);
        steps.settle();
        outcome.map(|()| warnings)
    }

    fn queues_stepped(steps: &mut Stepping<CapacityDecider>) -> Vec<CapacityQueueView> {
        queues_stepped(steps, false)
    }

    fn app_stepped(steps: &mut Stepping<CapacityDecider>, number: u32) -> Option<CapacityAppView> {
        first_stepped(steps).capacity_app(number)
    }

    fn apps_stepped(steps: &mut Stepping<CapacityDecider>) -> Vec<CapacityAppView> {
        first_stepped(steps).capacity_apps()
    }

    fn not_offered_stepped(steps: &mut Stepping<CapacityDecider>, app: &AppHandle) -> Option<CapacityNotOffered> {
        let shared = steps.stepper.shared().clone();
        let shards = steps.stepper.shards().filter(|shard| !shared.is_dead(shard.id()));
        let mut answers: Vec<_> =
            shards.map(|shard| (!shard.decides_about(&app.0), shard.why_not_offered(&app.0))).collect();
        // Who decides about it knows best.
        sorted::by_key(&mut answers, |(others, _)| *others);
        answers.into_iter().next().and_then(|(_, answer)| answer)
    }

    fn why_waiting_stepped(
        steps: &mut Stepping<CapacityDecider>,
        app: &AppHandle,
        node: Option<&NodeHandle>,
    ) -> Vec<CapacityReason> {
        why_stepped(steps, app, node)
    }
}

/// `with_limits`: what each user may use is computed, too.
pub(super) fn queues(door: &Door<CapacityDecider>, with_limits: bool) -> Result<Vec<CapacityQueueView>, Refused> {
    let queues = door.look(|control| control.queues_and_applications())?;
    first(door, move |shard| shard.capacity_queues(&queues, with_limits))
}

/// The same without threads.
pub(super) fn queues_stepped(steps: &mut Stepping<CapacityDecider>, with_limits: bool) -> Vec<CapacityQueueView> {
    let queues = steps.stepper.control().queues_and_applications();
    first_stepped(steps).capacity_queues(&queues, with_limits)
}

/// The names that reservations which a round has marked would have given to containers.
fn names_of_reserved(shared: &Shared<CapacityDecider>, marked: &[Mark]) -> Vec<ContainerName> {
    let reserved = marked.iter().filter(|(_, reserved)| *reserved);
    let name = |((number, would_be), _): &Mark| {
        let application = ApplicationId { cluster_timestamp: shared.cluster_timestamp, number: *number };
        let attempt = AttemptId { application, number: would_be.attempt };
        ContainerName { epoch: would_be.epoch, attempt, number: would_be.number }
    };
    reserved.map(name).collect()
}

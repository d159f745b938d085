//! Which of the two schedulers decides, as a type, and what each of them does in its own way when it is called.
//!
//! # Where it stands
//! Under `threaded` and `stepped`, which have the calls of both schedulers once; `fair` and `capacity` implement it.

use super::door::Door;
use super::handles::{AppHandle, NodeHandle};
use super::journal::Standing;
use super::preemption_round::PreemptionRound;
use super::steps::Stepping;
use crate::capacity::SubmitTerms;
use crate::clock::Patience;
use crate::config::Diagnostic;
use crate::engine::control::Control;
use crate::engine::decider::Decider;
use crate::engine::intake::to_control::Call;
use crate::engine::shard::Shard;
use crate::engine::{AllocateRequest, Allocation, AppShared, Reply, Submission};
use crate::event::Refused;
use crate::sync::Arc;
use std::fmt::Debug;

/// The FairScheduler, as a type parameter: see [`Policy`].
#[derive(Clone, Copy, Debug)]
pub enum Fair {}

/// The CapacityScheduler, as a type parameter: see [`Policy`].
#[derive(Clone, Copy, Debug)]
pub enum Capacity {}

/// Which of the two schedulers decides: [`Fair`] or [`Capacity`]. Code for both is generic over it:
/// [`Scheduler<P>`](crate::Scheduler) and [`Stepped<P>`](crate::Stepped) have the same calls, and only their views and
/// reasons differ.
#[expect(private_bounds, reason = "sealed: the engine knows these two")]
pub trait Policy: Driven {
    /// The view of a queue.
    type QueueView: Clone + Debug + Send;
    /// The view of an application.
    type AppView: Clone + Debug + Send;
    /// Counters and totals.
    type Stats: Clone + Debug + Send;
    /// Why an application is offered no node.
    type NotOffered: Clone + Debug + Send;
    /// Why an application waits.
    type Reason: Clone + Debug + Send;
}

/// What each scheduler does in its own way. Functions over a `door` run on a caller's thread and ask threads; those
/// over `steps` do it.
pub(crate) trait Driven: Sized + Send + Sync + 'static {
    /// Who decides in the engine.
    type Decider: Decider;
    /// What the handles of a scheduler with threads share beside the door.
    type Lanes: Send + Sync;
    /// What a scheduler without threads has beside its steps.
    type Beside: Debug + Send;

    // ------------------------------------------------------------------------------------------------ control

    /// Whether it has what a submission asks for beside.
    fn check_terms(submission: &Submission, terms: &SubmitTerms) -> Result<(), Refused>;

    fn submits(
        submission: Submission,
        terms: SubmitTerms,
        reply: Reply<Result<Arc<AppShared>, Refused>>,
    ) -> Call<Self::Decider>;

    fn submit(
        control: &mut Control<Self::Decider>,
        submission: &Submission,
        terms: SubmitTerms,
    ) -> Result<Arc<AppShared>, Refused>;

    fn accept(
        control: &mut Control<Self::Decider>,
        submission: &Submission,
        terms: SubmitTerms,
    ) -> Result<String, Refused>;

    /// Reservable queues that a refresh has brought become plans.
    fn refresh_plans(control: &mut Control<Self::Decider>) -> Result<(), Refused>;

    fn place(control: &Control<Self::Decider>, user: &str, queue: Option<&str>) -> Result<Option<String>, Refused>;

    // ------------------------------------------------------------------------------------------------ workers

    /// Offers all nodes of a worker, from the one with so many before it on where that counts.
    fn offer_all(shard: &mut Shard<Self::Decider>, first: usize);

    /// Adds what stands now to a journal.
    fn stands(shard: &mut Shard<Self::Decider>, journal: &mut Standing);

    // ------------------------------------------------------------------------------------------------ with threads

    fn allocate(
        door: &Door<Self::Decider>,
        app: &AppHandle,
        request: &AllocateRequest,
        answer: &mut Allocation,
    ) -> Result<(), Refused>;

    fn update(door: &Door<Self::Decider>, lanes: &Self::Lanes, patience: &Patience) -> Result<(), Refused>;

    fn preempt(door: &Door<Self::Decider>) -> Result<Vec<PreemptionRound>, Refused>;

    fn refresh(door: &Door<Self::Decider>, text: &str) -> Result<Vec<Diagnostic>, Refused>;

    fn queues(door: &Door<Self::Decider>) -> Result<Vec<Self::QueueView>, Refused>
    where
        Self: Policy;

    fn app(door: &Door<Self::Decider>, number: u32) -> Result<Option<Self::AppView>, Refused>
    where
        Self: Policy;

    fn apps(door: &Door<Self::Decider>) -> Result<Vec<Self::AppView>, Refused>
    where
        Self: Policy;

    fn stats(shared: &crate::engine::shared::Shared<Self::Decider>) -> Self::Stats
    where
        Self: Policy;

    fn not_offered(door: &Door<Self::Decider>, app: &AppHandle) -> Result<Option<Self::NotOffered>, Refused>
    where
        Self: Policy;

    fn why_waiting(
        door: &Door<Self::Decider>,
        app: &AppHandle,
        node: Option<&NodeHandle>,
    ) -> Result<Vec<Self::Reason>, Refused>
    where
        Self: Policy;

    // ------------------------------------------------------------------------------------------------ without threads

    fn tick(steps: &mut Stepping<Self::Decider>, beside: &mut Self::Beside);

    fn allocate_stepped(
        steps: &mut Stepping<Self::Decider>,
        app: &AppHandle,
        request: &AllocateRequest,
        answer: &mut Allocation,
    ) -> Result<(), Refused>;

    /// An AM's release as recordings have it has been done.
    fn released(steps: &mut Stepping<Self::Decider>, number: u32, container: u32) -> Result<(), Refused>;

    fn update_stepped(steps: &mut Stepping<Self::Decider>);

    fn preempt_stepped(steps: &mut Stepping<Self::Decider>) -> Result<Vec<PreemptionRound>, Refused>;

    fn kill_due(steps: &mut Stepping<Self::Decider>) -> Result<(), Refused>;

    fn refresh_stepped(steps: &mut Stepping<Self::Decider>, text: &str) -> Result<Vec<Diagnostic>, Refused>;

    fn queues_stepped(steps: &mut Stepping<Self::Decider>) -> Vec<Self::QueueView>
    where
        Self: Policy;

    fn app_stepped(steps: &mut Stepping<Self::Decider>, number: u32) -> Option<Self::AppView>
    where
        Self: Policy;

    fn apps_stepped(steps: &mut Stepping<Self::Decider>) -> Vec<Self::AppView>
    where
        Self: Policy;

    fn not_offered_stepped(steps: &mut Stepping<Self::Decider>, app: &AppHandle) -> Option<Self::NotOffered>
    where
        Self: Policy;

    fn why_waiting_stepped(
        steps: &mut Stepping<Self::Decider>,
        app: &AppHandle,
        node: Option<&NodeHandle>,
    ) -> Vec<Self::Reason>
    where
        Self: Policy;
}

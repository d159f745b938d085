//! The CapacityScheduler's part of the control: the queues in force, submissions, limits of applications, refreshes.
//!
//! # Where it stands
//! The control calls it, at the moments of [`ControlPart`]. What a moment leads to is in the file that is named after
//! it. Lists of applications, users and usage are the worker's; it is told what happens by messages, in the order in
//! which it does.

mod settings;

pub(crate) mod configuration;

mod terms;

mod submission;

mod priorities;

mod lifetimes;

mod making;

mod parallel;

mod moves;

mod reload;

mod publishing;

mod plans;

use crate::capacity::decide::attempt_log::Known;
use crate::capacity::decide::messages::CapacityMessage;
use crate::capacity::rules::arith::Arith;
use crate::capacity::rules::tree::{Named, Tree};
use crate::capacity::types::{CapacityDecider, Control, Internal};
use crate::config::capacity::{CapacityFileError, CapacityQueue, MadeQueues, MixedFractions, Texts};
use crate::engine::books::ledger::{AppShared, NodeShared};
use crate::engine::books::published_count::PublishedCount;
use crate::engine::books::retired_slots::RetiredSlots;
use crate::engine::control::{App, ControlPart, Entry, LeafEntry, QueueTerms, WantedAm};
use crate::engine::intake::reply::Reply;
use crate::engine::intake::submission::{AmRequest, Submission};
use crate::engine::intake::to_control::By;
use crate::event::Refused;
use crate::event::refused::NotFound;
use crate::id::{ApplicationId, LabelId, Slot};
use crate::reservation::PlanQueues;
use crate::resource::Resource;
use crate::sync::Arc;
pub use configuration::CapacityConfiguration;
pub(crate) use configuration::Refresh;
pub use lifetimes::Lifetime;
use lifetimes::Lifetimes;
use making::Making;
use parallel::Parallel;
pub(crate) use plans::NoPlans;
use priorities::{Priorities, PriorityAcls};
use rustc_hash::{FxHashMap, FxHashSet};
pub use settings::Unsupported;
use std::collections::BTreeMap;
pub use terms::SubmitTerms;

/// See the module's text.
#[derive(Debug)]
pub(crate) struct CapacityControl {
    configuration: CapacityConfiguration,
    /// What the queues are from where that is refused, and the rest is as configured: [`reload`] says how.
    left: Option<CapacityConfiguration>,
    /// Mapping rules and priorities of workflows are looked at when the queues of a refresh are in force.
    rules_last: bool,
    pub(super) tree: Tree,
    parallel: Parallel,
    making: Making,
    /// What was told of attempts.
    said: Known,
    /// Slots of queues that have gone.
    retired_slots: RetiredSlots<Slot>,
    /// By slot: applications of a parent queue and below.
    applications: Vec<i64>,
    /// Of a leaf queue and a user: applications in its lists.
    of_user: FxHashMap<(u32, Box<str>), i64>,
    /// By number.
    priorities: FxHashMap<u32, Priorities>,
    priority_acls: PriorityAcls,
    lifetimes: Lifetimes,
    /// What the submission under way asks for, and what it gets.
    asked: SubmitTerms,
    priority: i32,
    lifetime_seconds: i64,
    /// The queues above do not count it.
    is_uncounted: bool,
    /// By slot: how many a queue never counted, and takes off all the same when they leave.
    #[cfg(feature = "faults")]
    never_counted: FxHashMap<u32, i64>,
    /// By slot of a leaf.
    surplus_entries: Vec<Arc<PublishedCount>>,
    /// Changes of the cluster, and refreshes.
    turns: [u64; 2],
    /// Paths of the queues that were there at some refresh, or at the start. As in Hadoop none is forgotten: a queue
    /// that comes once more is one of them.
    refreshed: FxHashSet<String>,
    /// Figures are to be worked out before the next publish, and what follows from a change of the cluster.
    cluster_has_changed: bool,
    /// Figures alone are: labels of nodes have changed, and workers are told what follows.
    figures_are_due: bool,
    /// Slot, capacity and maximum capacity of the leaves of plans, where these count at once.
    entitlements: Vec<(u32, u32, u32)>,
    arith: Arith,
}

/// What is asked of it beside what the engine knows.
#[derive(Debug)]
pub(crate) enum CapacityCall {
    /// An application that asks for more than any scheduler gives.
    Submit(Box<Submission>, SubmitTerms, Reply<Result<Arc<AppShared>, Refused>>),
    /// An application has another priority from now on.
    SetPriority { app: Arc<AppShared>, by: By, priority: i32, reply: Reply<Result<(), Refused>> },
    /// Sets how many seconds an application still has.
    SetLifetime { app: Arc<AppShared>, by: By, seconds: i64, reply: Reply<Result<Lifetime, Refused>> },
    /// A round of what ends applications whose time is over.
    ExpireApplications(Reply<Result<Vec<ApplicationId>, Refused>>),
    /// A round of what removes queues that have made themselves.
    ExpireQueues(Reply<()>),
    /// A round of what divides what managed parents have.
    ManageQueues(Reply<()>),
    /// From the worker: queues know labels, as their nodes are used.
    KnownLabels { known: Vec<(u32, LabelId)>, at_once: bool },
}

impl CapacityControl {
    /// `fractions`: where they are not those of a start with this configuration.
    ///
    /// # Errors
    /// When the queues cannot be.
    pub(crate) fn new(
        configuration: CapacityConfiguration,
        fractions: Option<MixedFractions>,
        rules_last: bool,
    ) -> Result<CapacityControl, CapacityFileError> {
        // It may be one that was read to refresh another.
        let configuration = match configuration.made().is_empty() {
            true => configuration,
            false => configuration.with_made(MadeQueues::default())?.right()?,
        };
        configuration.file.check_amounts_on(&Resource::ZERO)?;
        let settings = configuration.file.settings();
        let arith = Arith { calculator: settings.calculator, types: settings.types.len() };
        let fractions = fractions.unwrap_or_else(|| MixedFractions::of_start(settings.legacy_queue_mode));
        let tree = Tree::new(configuration.file.clone(), fractions)?;
        Ok(CapacityControl {
            configuration,
            left: None,
            rules_last,
            tree,
            parallel: Parallel::default(),
            making: Making::default(),
            said: Known::default(),
            retired_slots: RetiredSlots::default(),
            applications: Vec::new(),
            of_user: FxHashMap::default(),
            priorities: FxHashMap::default(),
            priority_acls: PriorityAcls::default(),
            lifetimes: Lifetimes::default(),
            asked: SubmitTerms::default(),
            priority: 0,
            lifetime_seconds: 0,
            is_uncounted: false,
            #[cfg(feature = "faults")]
            never_counted: FxHashMap::default(),
            surplus_entries: Vec::new(),
            turns: [1; 2],
            refreshed: FxHashSet::default(),
            cluster_has_changed: false,
            figures_are_due: false,
            entitlements: Vec::new(),
            arith,
        })
    }

    /// The queues, and what they were read from.
    fn tree_and_texts(&mut self) -> (&mut Tree, Texts<'_>) {
        (&mut self.tree, self.left.as_ref().unwrap_or(&self.configuration).texts())
    }

    /// Room for what is counted of queues that have come.
    fn make_room(&mut self) {
        self.applications.resize(self.tree.len(), 0);
        self.surplus_entries.resize_with(self.tree.len(), Arc::default);
        self.parallel.make_room(self.tree.len());
        self.making.make_room(self.tree.len());
    }

    #[cfg(feature = "faults")]
    pub(super) fn priority_of(&self, number: u32) -> Option<i32> {
        self.priorities.get(&number).map(|priorities| priorities.now)
    }

    fn is_leaf(&self, slot: u32) -> bool {
        self.tree.get(slot).config.kind.is_leaf()
    }

    /// How many applications of before a restart a queue never counted.
    #[cfg(feature = "faults")]
    pub(crate) fn never_counted(&self, slot: u32) -> i64 {
        self.never_counted.get(&slot).copied().unwrap_or_default()
    }

    /// Applications of a queue, as Hadoop counts them.
    pub(crate) fn applications(&self, slot: u32) -> i64 {
        if self.is_leaf(slot) {
            self.parallel.in_leaf(slot) + self.surplus_entries[slot as usize].read()
        } else {
            self.applications[slot as usize]
        }
    }
}

impl Control {
    /// All workers are told, each in the same order.
    fn tell(&mut self, message: CapacityMessage) {
        self.own.said.hear(&message);
        self.broadcast_message(message);
    }

    /// Tells what is not about an attempt.
    fn broadcast_message(&self, message: CapacityMessage) {
        for worker in 1..self.shared.workers {
            self.to_worker(worker, Internal::Own(message.clone()));
        }
        self.to_worker(0, Internal::Own(message));
    }

    /// Submits with terms of its own.
    pub(crate) fn submit_with(
        &mut self,
        submission: &Submission,
        terms: SubmitTerms,
    ) -> Result<Arc<AppShared>, Refused> {
        self.own.asked = terms;
        let outcome = self.submit(submission);
        self.own.asked = SubmitTerms::default();
        outcome
    }

    /// Says what a submission with terms of its own is answered.
    pub(crate) fn accept_with(&mut self, submission: &Submission, terms: SubmitTerms) -> Result<String, Refused> {
        self.own.asked = terms;
        let outcome = self.accept(submission);
        self.own.asked = SubmitTerms::default();
        outcome
    }
}

impl ControlPart<CapacityDecider> for CapacityControl {
    fn begin(control: &mut Control, _first: Refresh) {
        control.make_queues();
    }

    fn reload(control: &mut Control, refresh: Refresh) -> Result<(), Refused> {
        control.refresh(refresh)
    }

    fn called(control: &mut Control, call: CapacityCall) {
        match call {
            CapacityCall::Submit(submission, terms, reply) => {
                let outcome = control.submit_with(&submission, terms);
                control.answer(reply, outcome);
            }
            CapacityCall::SetPriority { app, by, priority, reply } => {
                let outcome = control.set_priority(by.as_deref(), &app, priority);
                control.answer(reply, outcome);
            }
            CapacityCall::SetLifetime { app, by, seconds, reply } => {
                let outcome = control.set_lifetime(by.as_deref(), &app, seconds);
                control.answer(reply, outcome);
            }
            CapacityCall::ExpireApplications(reply) => {
                let ended = control.expire_applications();
                control.answer(reply, ended);
            }
            CapacityCall::ExpireQueues(reply) => {
                control.expire_queues();
                control.answer(reply, ());
            }
            CapacityCall::KnownLabels { known, at_once } => control.queues_know(&known, at_once),
            CapacityCall::ManageQueues(reply) => {
                control.manage_queues();
                control.answer(reply, ());
            }
        }
    }

    fn clean_up(control: &mut Control) {
        control.rounds_by_time();
    }

    fn submitted(control: &mut Control, submission: &Submission) -> Result<Entry, Refused> {
        control.find_leaf(submission)
    }

    fn am_wanted(control: &Control, app: &AppShared, leaf: u32, asked: &AmRequest) -> Result<WantedAm, Refused> {
        control.wanted_am(app.label.as_deref(), asked, Some(leaf))
    }

    fn entering(control: &mut Control, app: &Arc<AppShared>, leaf: u32, am: Option<&WantedAm>, keeps: bool) -> bool {
        control.let_in(app, leaf, am, keeps)
    }

    fn am_asked(control: &Control, _leaf: u32, size: &Resource) -> Resource {
        control.normal(size, &control.max_allocation())
    }

    /// It counts from its activation on, as large as it was asked for.
    fn am_recovered(_control: &mut Control, _leaf: u32, _size: &Resource) {}

    fn left(control: &mut Control, app: &AppShared, stood: LeafEntry, goes_on: bool) {
        control.has_left(app, stood, goes_on);
    }

    fn gave_up(control: &mut Control, app: &AppShared, leaf: u32) {
        control.is_over(app, leaf);
    }

    fn moving(control: &Control, app: &App, queue: &str) -> Result<Option<LeafEntry>, Refused> {
        control.target_of_move(app, queue).map(Some)
    }

    fn moved(control: &mut Control, app: &AppShared, stood: LeafEntry, _am: &Resource) {
        control.has_moved(app, stood);
    }

    fn plan_queues(control: &mut Control) -> Option<&mut dyn PlanQueues> {
        // What was put off is known first.
        control.before_publish();
        control.wake_slots();
        Some(control)
    }

    fn named(control: &Control, queue: &str) -> Result<u32, Refused> {
        match control.own.tree.find(queue) {
            Named::Queue(slot) => Ok(slot),
            Named::Ambiguous | Named::Unknown => Err(NotFound::Queue(queue.to_owned()).into()),
        }
    }

    fn resized(control: &mut Control, node: &Arc<NodeShared>, kill: bool) {
        // The change of the cluster is known before anything ends by it.
        control.publish();
        control.tell(CapacityMessage::Resized { node: node.clone(), kill });
    }

    fn worker_given_up(control: &mut Control, worker: usize) {
        control.tell(CapacityMessage::GivenUp(worker));
    }

    fn cluster_changed(control: &mut Control) {
        control.own.cluster_has_changed = true;
    }

    fn partitions_changed(control: &mut Control) {
        let table = control.label_table().clone();
        let present = table.by_name().filter(|(_, label)| table.partition(*label).is_some());
        let sizes: BTreeMap<String, Resource> =
            present.map(|(name, label)| (name.to_owned(), table.size(label))).collect();
        control.own.tree.partitions = Some(sizes.into());
        control.own.figures_are_due = true;
    }

    fn user_of_label(&self, label: &str) -> Option<String> {
        let file = &self.tree.file;
        let names = |queue: &&CapacityQueue| file.accessible_labels(queue).contains(label);
        file.queues().iter().find(names).map(|queue| queue.path.clone())
    }

    fn publishing(control: &mut Control) {
        control.before_publish();
    }

    fn queue_published(control: &mut Control, queue: u32) -> QueueTerms<CapacityDecider> {
        control.terms(queue)
    }

    #[cfg(feature = "faults")]
    fn audited(control: &Control, waiting: usize, agreed: &mut BTreeMap<String, String>, wrong: &mut Vec<String>) {
        control.audit_lists(waiting, agreed, wrong);
    }
}

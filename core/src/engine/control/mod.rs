//! The control: life of applications, queues and nodes.
//!
//! # Where it stands
//! Owns the queue tree, the lists of applications and nodes, and rights; one thread in the threaded driver, plain calls in the
//! stepped one. It sends work to the owners of nodes and publishes *structure* snapshots at once. Which queue somebody enters, who
//! is offered nodes and who waits, what a queue's settings are, is the decider's: [`ControlPart`].
//!
//! # Two phases
//! The end of an application and the removal of a node: *close* (no further calls; every worker concerned ends what it has
//! and acknowledges), then *commit* (the tree changes, the slot is free). Nothing is freed before the last acknowledgement,
//! so no worker meets a stale slot.

mod part;

mod apps;

mod attempts;

#[cfg(feature = "faults")]
mod audit;

mod nodes;

mod plans;

mod present;

mod publishing;

mod rights;

mod users;

pub use attempts::{AmRequest, NewAttempt};
#[cfg(feature = "faults")]
pub(crate) use audit::ControlCount;

pub(crate) use apps::AppList;
pub use nodes::NewNode;
pub(crate) use part::{ControlPart, Entry, QueueTerms, Stand};
pub(crate) use plans::Asking;
pub(crate) use rights::EITHER;

use crate::caught::caught;
use crate::engine::books::closing::End;
use crate::engine::books::ledger::{AppShared, NodeShared, QueueShared};
use crate::engine::decider::Decider;
use crate::engine::driver::events::EventSink;
use crate::engine::intake::messages::{ControlMessage, Internal, Recovery};
use crate::engine::intake::reply::Reply;
use crate::engine::publish::members::MemberTable;
use crate::engine::publish::snapshot::Structure;
use crate::engine::shared::Shared;
use crate::event::{Refused, SchedulerEvent};
use crate::groups::Groups;
use crate::id::{Slot, Slots};
use crate::policy::ClusterTotal;
use crate::queue::{QueueAcls, QueueTree};
use crate::reservation::{ReservationId, ReservationSystem};
use crate::resource::Resource;
use crate::sync::Arc;
use crate::sync::channel::Sender;
use present::PresentNodes;
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::Duration;

/// What the control was asked for goes into the log, and why it was refused.
#[cfg(feature = "tracing")]
macro_rules! noted {
    ($outcome:ident, $($told:tt)+) => {
        match &$outcome {
            Ok(_) => tracing::debug!($($told)+),
            Err(why) => tracing::debug!(refused = why.kind(), $($told)+),
        }
    };
}

#[cfg(not(feature = "tracing"))]
macro_rules! noted {
    ($($told:tt)+) => {};
}

/// What is the decider's of a control.
pub(crate) type Configuration<D> = <<D as Decider>::Control as ControlPart<D>>::Configuration;

/// An application that the embedder submits.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Submission {
    /// The number of the application. Together with the cluster timestamp it is the application's id.
    pub number: u32,
    /// The user who submits.
    pub user: String,
    /// The requested queue. `None` means `default`: the placement rules choose.
    #[cfg_attr(feature = "serde", serde(default))]
    pub queue: Option<String>,
    /// The AM's container. It is asked for at once (priority 0), and is the first container granted. `None`: an unmanaged AM,
    /// which runs outside the cluster.
    #[cfg_attr(feature = "serde", serde(default))]
    pub am: Option<AmRequest>,
    /// The application was accepted before into this leaf queue: by `accept`, or by a ResourceManager before its restart. Then
    /// placement rules and rights are not checked. If the queue no longer exists, a FairScheduler puts the application into
    /// `root.recovery`, as Hadoop does; a CapacityScheduler refuses it.
    #[cfg_attr(feature = "serde", serde(default))]
    pub accepted: bool,
    /// Whether a ResourceManager accepted it before its restart, and its attempt is the stored one. It counts only if the application was
    /// [accepted](Submission::accepted). A STOPPED queue then drains for it, as in Hadoop.
    #[cfg_attr(feature = "serde", serde(default))]
    pub recovered: bool,
    /// The reservation whose queue the application enters, if the placement rules put it into the reservation's plan.
    #[cfg_attr(feature = "serde", serde(default))]
    pub reservation: Option<ReservationId>,
}

impl Submission {
    /// An application of a user, with an unmanaged AM, in the queue that the placement rules choose.
    #[must_use]
    pub fn new(number: u32, user: impl Into<String>) -> Submission {
        Submission {
            number,
            user: user.into(),
            queue: None,
            am: None,
            accepted: false,
            recovered: false,
            reservation: None,
        }
    }

    /// Returns the submission as accepted before into this leaf queue. Give the queue's full name.
    #[must_use]
    pub fn accepted_in(self, queue: impl Into<String>) -> Submission {
        Submission { queue: Some(queue.into()), accepted: true, ..self }
    }

    /// Returns the submission as accepted into this leaf queue by a ResourceManager before its restart.
    #[must_use]
    pub fn recovered_in(self, queue: impl Into<String>) -> Submission {
        Submission { recovered: true, ..self.accepted_in(queue) }
    }

    /// Returns the submission with a requested queue.
    #[must_use]
    pub fn in_queue(self, queue: impl Into<String>) -> Submission {
        Submission { queue: Some(queue.into()), ..self }
    }

    /// Returns the submission with a requested queue, or without one.
    #[must_use]
    pub fn maybe_in_queue(self, queue: Option<impl Into<String>>) -> Submission {
        Submission { queue: queue.map(Into::into), ..self }
    }

    /// Returns the submission with an AM that runs in a container. A [`Resource`] is a request for a container on any node.
    #[must_use]
    pub fn with_am(self, am: impl Into<AmRequest>) -> Submission {
        Submission { am: Some(am.into()), ..self }
    }

    /// Returns the submission into the queue of a reservation.
    #[must_use]
    pub fn with_reservation(self, reservation: ReservationId) -> Submission {
        Submission { reservation: Some(reservation), ..self }
    }

    /// Returns the submission with an AM that runs in a container, or with an unmanaged AM.
    #[must_use]
    pub fn maybe_with_am(self, am: Option<impl Into<AmRequest>>) -> Submission {
        Submission { am: am.map(Into::into), ..self }
    }
}

/// What is done on the control's thread for somebody who waits for it.
type Looking<D> = Box<dyn FnOnce(&Control<D>) + Send>;

/// What is done with plans on the control's thread for somebody who waits for it.
type Planning<D> = Box<dyn FnOnce(&mut Control<D>) + Send>;

/// A request of the embedder that the control answers.
pub(crate) enum Call<D: Decider> {
    Submit(Submission, Reply<Result<Arc<AppShared>, Refused>>),
    SubmitAll(Vec<Submission>, Reply<Vec<Result<Arc<AppShared>, Refused>>>),
    Finish {
        app: Arc<AppShared>,
        by: By,
        reply: Reply<Result<(), Refused>>,
    },
    NextAttempt {
        app: Arc<AppShared>,
        new: NewAttempt,
        reply: Reply<Result<Arc<AppShared>, Refused>>,
    },
    Move {
        app: Arc<AppShared>,
        by: By,
        queue: String,
        reply: Reply<Result<(), Refused>>,
    },
    Recover(Arc<NodeShared>, Box<Recovery>),
    /// With what runs on it.
    AddNode(NewNode, Vec<Recovery>, Reply<Result<Arc<NodeShared>, Refused>>),
    RemoveNode(Arc<NodeShared>, Reply<Result<(), Refused>>),
    ResizeNode {
        node: Arc<NodeShared>,
        total: Resource,
        kill: bool,
        reply: Reply<Result<(), Refused>>,
    },
    Decommission(Arc<NodeShared>, Reply<Result<(), Refused>>),
    Recommission(Arc<NodeShared>, Reply<Result<(), Refused>>),
    Reload(Box<Configuration<D>>, Reply<Result<(), Refused>>),
    SetMaximum(Resource, Reply<Result<(), Refused>>),
    App(u32, Reply<Option<Arc<AppShared>>>),
    Apps(Reply<Vec<Arc<AppShared>>>),
    /// Looks at something and sends its answer itself.
    Look(Looking<D>),
    /// What the decider alone knows of.
    Own(<D::Control as ControlPart<D>>::Call),
    /// Something with plans; it answers itself, by [`Control::answer`].
    Plans(Planning<D>),
}

/// On whose behalf something is done: the ResourceManager's own, or a user's, whose rights count.
pub(crate) type By = Option<String>;

impl<D: Decider> std::fmt::Debug for Call<D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Call")
    }
}

/// Who waits for the end of something.
type Waiters = Vec<Reply<Result<(), Refused>>>;

/// An application as the control keeps it.
#[derive(Debug)]
pub(crate) struct App {
    pub(crate) shared: Arc<AppShared>,
    pub(crate) leaf: u32,
    pub(crate) runnable: bool,
    /// Its place in the leaf's table of runnable or of waiting applications.
    pub(crate) position: u32,
    /// Whether its end has begun.
    pub(crate) end: End<Waiters>,
    /// What begins when it has ended.
    pub(crate) next_attempt: Option<attempts::Next>,
}

/// See the module's text.
#[derive(Debug)]
pub(crate) struct Control<D: Decider> {
    pub(crate) shared: Arc<Shared<D>>,
    pub(crate) acls: QueueAcls,
    users: users::Users,
    pub(crate) tree: QueueTree<<D::Control as ControlPart<D>>::Queue>,
    /// By slot.
    pub(crate) apps: Vec<Option<App>>,
    pub(crate) app_slots: Slots,
    pub(crate) by_number: FxHashMap<u32, u32>,
    pub(crate) nodes: PresentNodes,
    pub(crate) nodes_made: u32,
    /// By worker: where its nodes stand.
    places: Vec<nodes::Places>,
    /// How many present nodes each worker has.
    pub(crate) loads: Vec<u32>,
    pub(crate) rack_owner: FxHashMap<u32, usize>,
    pub(crate) racks: Arc<FxHashMap<u32, u32>>,
    /// The configured largest container; an admin may set another while all other settings stay.
    pub(crate) maximum: Resource,
    /// Slots whose queue is to be published anew.
    pub(crate) dirty: FxHashSet<u32>,
    /// All slots are.
    all_are_dirty: bool,
    /// Slots of parents that have gained or lost a child: the names of siblings decide ties, so all of them are dirty.
    pub(crate) children_changed: FxHashSet<u32>,
    /// Slots of which only the members have changed.
    pub(crate) members_changed: FxHashSet<u32>,
    /// Runnable and waiting applications of each leaf, by slot.
    pub(crate) members: Vec<[MemberTable; 2]>,
    /// Counts changes of queues' settings.
    pub(crate) settings_version: u64,
    pub(crate) structure_changed: bool,
    /// What all threads share of each queue, by slot.
    pub(crate) ledgers: Vec<Option<(Slot, Arc<QueueShared>)>>,
    /// Wakes the update task early, after the next publish if that is due.
    pub(crate) wake_update: Option<Sender<()>>,
    pub(crate) update_due: bool,
    pub(crate) events: Option<EventSink>,
    /// Panics of the embedder's code before there was anybody to be told.
    untold: Vec<String>,
    /// Answers that go out after the next publish.
    pub(crate) answers: Vec<Answer>,
    /// The last attempt that was begun for a driver without threads.
    pub(crate) restarted: Option<Result<Arc<AppShared>, Refused>>,
    /// The reservation system, where there is one.
    pub(crate) plans: Option<ReservationSystem>,
    /// The decider's part.
    pub(crate) own: D::Control,
}

/// An answer, kept until what it promises is published.
pub(crate) struct Answer(Box<dyn FnOnce() + Send>);

impl std::fmt::Debug for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Answer")
    }
}

/// The structure of a scheduler that has nothing but a root queue yet.
pub(crate) fn empty_structure<D: Decider>(types: usize, maximum: Resource) -> Structure<D> {
    Structure {
        cluster: ClusterTotal { types, total: Resource::ZERO },
        nodes: 0,
        max_allocation: maximum,
        queues: Vec::new(),
        racks: Arc::default(),
        version: 0,
    }
}

impl<D: Decider> Control<D> {
    /// A control with the queues that are configured; publishes the first structure.
    pub(crate) fn new(
        shared: Arc<Shared<D>>,
        own: D::Control,
        configuration: Configuration<D>,
        groups: Arc<dyn Groups>,
    ) -> Control<D> {
        let (scheduler, workers, maximum) = (shared.scheduler, shared.workers, shared.settings.maximum);
        let mut control = Control {
            shared,
            acls: QueueAcls::default(),
            users: users::Users::new(groups),
            tree: QueueTree::default(),
            apps: Vec::new(),
            app_slots: Slots::of_scheduler(scheduler),
            by_number: FxHashMap::default(),
            nodes: PresentNodes::default(),
            nodes_made: 0,
            places: (0..workers).map(|_| nodes::Places::default()).collect(),
            loads: vec![0; workers],
            rack_owner: FxHashMap::default(),
            racks: Arc::default(),
            maximum,
            dirty: FxHashSet::default(),
            all_are_dirty: false,
            children_changed: FxHashSet::default(),
            members_changed: FxHashSet::default(),
            members: Vec::new(),
            settings_version: 0,
            structure_changed: true,
            ledgers: Vec::new(),
            wake_update: None,
            update_due: false,
            events: None,
            untold: Vec::new(),
            answers: Vec::new(),
            restarted: None,
            plans: None,
            own,
        };
        D::Control::begin(&mut control, configuration);
        control.publish();
        control
    }

    pub(crate) fn set_wake_update(&mut self, wake: Sender<()>) {
        self.wake_update = Some(wake);
    }

    /// Who is asked for groups may take so long.
    pub(crate) fn wait_for_groups(&mut self, patience: Duration) {
        self.users.wait_for(patience);
    }

    pub(crate) fn set_events(&mut self, events: EventSink) {
        self.events = Some(events);
        std::mem::take(&mut self.untold).into_iter().for_each(|message| self.embedder_panicked(message));
    }

    /// Asks code that may be the embedder's; a panic of it is told of.
    pub(crate) fn asked<T>(&mut self, ask: impl FnOnce() -> T) -> Option<T> {
        caught(ask).map_err(|message| self.embedder_panicked(message)).ok()
    }

    #[cold]
    pub(crate) fn embedder_panicked(&mut self, message: String) {
        match &self.events {
            Some(events) => events.put(SchedulerEvent::TaskPanicked { task: "control", message }),
            None => self.untold.push(message),
        }
    }

    pub(crate) fn event(&self, event: SchedulerEvent) {
        if let Some(events) = &self.events {
            events.put(event);
        }
    }

    pub(crate) fn to_worker(&self, worker: usize, message: Internal<D>) {
        // Workers outlive the control; a closed lane means that the scheduler is being dropped.
        let _ = self.shared.lanes.internal[worker].send(message);
    }

    /// Works off one message; false at shutdown. Publish afterwards, once for a batch.
    pub(crate) fn handle(&mut self, message: ControlMessage<D>) -> bool {
        match message {
            ControlMessage::AppClosed { slot, handed_over } => self.app_closed(slot, handed_over),
            ControlMessage::NodeClosed { node, place_is_free } => self.node_closed(&node, place_is_free),
            ControlMessage::WorkerPanicked(panicked) => self.worker_panicked(panicked),
            ControlMessage::ResizeNode { node, total } => {
                // The node may have gone meanwhile, or be wanted again.
                if self.entry(&node).is_some_and(|entry| entry.decommissioned_from.is_some()) {
                    let _ = self.set_total(&node, total, true);
                }
            }
            ControlMessage::NodeDrained(node) => {
                // It may be wanted again meanwhile.
                if self.entry(&node).is_some_and(|entry| entry.decommissioned_from.is_some()) {
                    self.event(SchedulerEvent::NodeDrained(node.name.to_string()));
                }
            }
            ControlMessage::CleanUp => D::Control::clean_up(self),
            ControlMessage::FollowPlans(reply) => {
                // A panic was told of.
                drop(self.follow_plans(true));
                self.answer(reply, ());
            }
            ControlMessage::Call(call) => self.call(call),
            // Who waits for quiet wants to see what it led to.
            ControlMessage::Barrier(reply) => self.answer(reply, ()),
            ControlMessage::Shutdown => return false,
        }
        true
    }

    pub(crate) fn answer<T: Send + 'static>(&mut self, reply: Reply<T>, value: T) {
        self.answers.push(Answer(Box::new(move || reply.send(value))));
    }

    fn call(&mut self, call: Call<D>) {
        match call {
            Call::Submit(submission, reply) => {
                let outcome = self.submit(&submission);
                noted!(outcome, app = submission.number, user = &*submission.user, "an application is submitted");
                self.answer(reply, outcome);
            }
            Call::SubmitAll(submissions, reply) => {
                let mut submit = |submission: &Submission| {
                    let outcome = self.submit(submission);
                    noted!(outcome, app = submission.number, user = &*submission.user, "an application is submitted");
                    outcome
                };
                let outcomes: Vec<_> = submissions.iter().map(&mut submit).collect();
                self.answer(reply, outcomes);
            }
            Call::Finish { app, by, reply } => {
                if let Err(refused) = self.finish_by(by.as_deref(), &app, Some(reply.clone())) {
                    self.answer(reply, Err(refused));
                }
            }
            Call::NextAttempt { app, new, reply } => {
                if let Err(refused) = self.begin_next_attempt(&app, new, Some(reply.clone())) {
                    self.answer(reply, Err(refused));
                }
            }
            Call::Move { app, by, queue, reply } => {
                let outcome = self.move_by(by.as_deref(), &app, &queue);
                noted!(outcome, app = app.id.number, queue = &*queue, "an application is moved");
                self.answer(reply, outcome);
            }
            Call::Recover(node, recovery) => self.recover(&node, *recovery),
            Call::AddNode(spec, running, reply) => {
                let outcome = self.add_node_with(&spec, running);
                self.answer(reply, outcome);
            }
            Call::RemoveNode(node, reply) => {
                if let Err(refused) = self.begin_remove_node(&node, Some(reply.clone())) {
                    self.answer(reply, Err(refused));
                }
            }
            Call::ResizeNode { node, total, kill, reply } => {
                let outcome = self.set_total(&node, total, kill);
                noted!(outcome, node = &*node.name, %total, "a node is resized");
                self.answer(reply, outcome);
            }
            Call::Decommission(node, reply) => {
                let outcome = self.decommission(&node);
                noted!(outcome, node = &*node.name, "a node is decommissioned");
                self.answer(reply, outcome);
            }
            Call::Recommission(node, reply) => {
                let outcome = self.recommission(&node);
                noted!(outcome, node = &*node.name, "a node is recommissioned");
                self.answer(reply, outcome);
            }
            Call::Reload(configuration, reply) => {
                let outcome = D::Control::reload(self, *configuration);
                noted!(outcome, "the configuration is read again");
                self.answer(reply, outcome);
            }
            Call::Look(look) => look(self),
            Call::Own(call) => D::Control::called(self, call),
            Call::Plans(plan) => plan(self),
            Call::SetMaximum(maximum, reply) => {
                let outcome = self.set_maximum(maximum);
                self.answer(reply, outcome);
            }
            Call::Apps(reply) => {
                let all = self.all_apps();
                self.answer(reply, all);
            }
            Call::App(number, reply) => {
                let found = self.find_app(number);
                self.answer(reply, found);
            }
        }
    }

    /// An application enters its leaf's table of runnable or of waiting applications.
    pub(crate) fn enter(&mut self, slot: u32) {
        let app = self.apps[slot as usize].as_mut().expect("the caller has just put it there");
        if self.members.len() <= app.leaf as usize {
            self.members.resize_with(app.leaf as usize + 1, Default::default);
        }
        app.shared.set_runnable(app.runnable);
        app.position = self.members[app.leaf as usize][usize::from(!app.runnable)].add(app.shared.clone());
        self.members_changed.insert(app.leaf);
    }

    /// An application leaves its leaf's table.
    pub(crate) fn exit(&mut self, slot: u32) {
        let app = self.app(slot);
        let (leaf, runnable, position) = (app.leaf, app.runnable, app.position);
        self.members[leaf as usize][usize::from(!runnable)].remove(position);
        self.members_changed.insert(leaf);
    }

    pub(crate) fn app(&self, slot: u32) -> &App {
        self.apps[slot as usize].as_ref().expect("slots of the tree's lists name applications")
    }

    pub(crate) fn find_app(&self, number: u32) -> Option<Arc<AppShared>> {
        let slot = self.by_number.get(&number)?;
        self.apps[*slot as usize].as_ref().map(|app| app.shared.clone())
    }

    /// Every application, by number.
    pub(crate) fn all_apps(&self) -> Vec<Arc<AppShared>> {
        let present = self.apps.iter().flatten().filter(|app| !app.end.has_begun());
        let mut out: Vec<_> = present.map(|app| app.shared.clone()).collect();
        out.sort_by_key(|app| app.id.number);
        out
    }

    /// Present nodes in order of registration.
    pub(crate) fn all_nodes(&self) -> impl Iterator<Item = &Arc<NodeShared>> {
        self.nodes.iter().filter(|node| node.closing.is_none()).map(|node| &node.shared)
    }

    pub(crate) fn all_dirty(&mut self) {
        self.all_are_dirty = true;
        self.structure_changed = true;
    }
}

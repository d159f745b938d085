//! What the control owns, and the small steps that all of its work is made of.
//!
//! Data below the files that handle messages: each of them takes it from here. What a decider keeps beside it is in
//! `own`.

use super::labelling::Labelling;
use super::places::Places;
use super::present::{PresentNodes, Waiters};
use super::users::Users;
use crate::caught::caught;
use crate::engine::books::attempt_end::End;
use crate::engine::books::ledger::{AppShared, NodeShared, QueueShared};
use crate::engine::intake::reply::Reply;
use crate::engine::intake::submission::AmRequest;
use crate::engine::intake::to_worker::Internal;
use crate::engine::mail::container::Container;
use crate::engine::parts::Parts;
use crate::engine::publish::members::MemberTable;
use crate::engine::publish::snapshot::Structure;
use crate::engine::shared::Shared;
use crate::engine::threads::events::EventSink;
use crate::event::{Refused, SchedulerEvent};
use crate::id::{LabelId, Slot, Slots};
use crate::policy::ClusterTotal;
use crate::queue::{QueueAcls, QueueTree};
use crate::reservation::ReservationSystem;
use crate::resource::Resource;
use crate::resource::sorted;
use crate::sync::Arc;
use crate::sync::channel::Sender;
use rustc_hash::{FxHashMap, FxHashSet};

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
    pub(crate) next_attempt: Option<Next>,
}

/// What an attempt's AM gets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WantedAm {
    pub(crate) size: Resource,
    /// Of the nodes that its container wants.
    pub(crate) label: LabelId,
}

/// An attempt that begins when the one before has ended.
#[derive(Debug)]
pub(crate) struct Next {
    pub(super) am: Option<AmRequest>,
    /// The one that workers hand over to, with the size of its AM, and what they have handed over.
    pub(super) successor: Option<(Arc<AppShared>, Option<WantedAm>)>,
    pub(super) handed_over: Vec<Container>,
    pub(super) reply: Option<Reply<Result<Arc<AppShared>, Refused>>>,
}

/// The applications as running limits see them.
pub(crate) struct AppList<'a>(pub(crate) &'a [Option<App>]);

impl AppList<'_> {
    fn get(&self, app: u32) -> &App {
        self.0[app as usize].as_ref().expect("lists of the tree name applications")
    }
}

impl crate::queue::Apps for AppList<'_> {
    fn user(&self, app: u32) -> &str {
        &self.get(app).shared.user
    }

    fn leaf(&self, app: u32) -> u32 {
        self.get(app).leaf
    }

    fn start_ms(&self, app: u32) -> u64 {
        self.get(app).shared.start_ms
    }

    fn may_start(&self, app: u32) -> bool {
        self.get(app).end.lets_start()
    }
}

/// See the module's text.
#[derive(Debug)]
pub(crate) struct Control<P: Parts> {
    pub(crate) shared: Arc<Shared<P>>,
    pub(crate) acls: QueueAcls,
    pub(super) users: Users,
    pub(crate) tree: QueueTree<P::ControlQueue>,
    /// By slot.
    pub(crate) apps: Vec<Option<App>>,
    pub(crate) app_slots: Slots,
    pub(crate) by_number: FxHashMap<u32, u32>,
    pub(crate) nodes: PresentNodes,
    pub(crate) nodes_made: u32,
    /// By worker: where its nodes stand.
    pub(super) places: Vec<Places>,
    /// How many present nodes each worker has.
    pub(crate) loads: Vec<u32>,
    pub(crate) rack_owner: FxHashMap<u32, usize>,
    pub(crate) racks: Arc<FxHashMap<u32, u32>>,
    /// The configured largest container; an admin may set another while all other settings stay.
    pub(crate) maximum: Resource,
    /// Slots whose queue is to be published anew.
    pub(crate) dirty: FxHashSet<u32>,
    /// All slots are.
    pub(super) all_are_dirty: bool,
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
    pub(super) unreported_panics: Vec<String>,
    /// Answers that go out after the next publish.
    pub(crate) answers: Vec<Answer>,
    /// The last attempt that was begun for a driver without threads.
    pub(crate) restarted: Option<Result<Arc<AppShared>, Refused>>,
    /// Node labels.
    pub(super) labels: Labelling,
    /// The reservation system, where there is one.
    pub(crate) plans: Option<ReservationSystem>,
    /// The decider's part.
    pub(crate) own: P::Control,
}

/// An answer, kept until what it promises is published.
pub(crate) struct Answer(pub(super) Box<dyn FnOnce() + Send>);

impl std::fmt::Debug for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Answer")
    }
}

/// The structure of a scheduler that has nothing but a root queue yet.
pub(crate) fn empty_structure<P: Parts>(types: usize, maximum: Resource) -> Structure<P> {
    Structure {
        cluster: ClusterTotal { types, total: Resource::ZERO },
        nodes: 0,
        max_allocation: maximum,
        queues: Vec::new(),
        racks: Arc::default(),
        labels: Arc::default(),
        version: 0,
    }
}

impl<P: Parts> Control<P> {
    /// Asks code that may be the embedder's; a panic of it is told of.
    pub(crate) fn asked<T>(&mut self, ask: impl FnOnce() -> T) -> Option<T> {
        caught(ask).map_err(|message| self.embedder_panicked(message)).ok()
    }

    #[cold]
    pub(crate) fn embedder_panicked(&mut self, message: String) {
        match &self.events {
            Some(events) => events.put(SchedulerEvent::TaskPanicked { task: "control", message }),
            None => self.unreported_panics.push(message),
        }
    }

    pub(crate) fn event(&self, event: SchedulerEvent) {
        if let Some(events) = &self.events {
            events.put(event);
        }
    }

    pub(crate) fn to_worker(&self, worker: usize, message: Internal<P>) {
        // Workers outlive the control; a closed lane means that the scheduler is being dropped.
        let _ = self.shared.lanes.internal[worker].send(message);
    }

    pub(crate) fn answer<T: Send + 'static>(&mut self, reply: Reply<T>, value: T) {
        self.answers.push(Answer(Box::new(move || reply.send(value))));
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
        sorted::by_key(&mut out, |app| app.id.number);
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

//! A scheduler, its books, and one step after the other.

use super::books::Books;
use super::container_counts::compare;
use super::counts::Counts;
use super::op::Op;
use super::shape::{NodeShape, Shape};
use evenweave::SchedulerApi as _;
use evenweave::reason::NotOffered;
use evenweave::testing::ByNumber as _;
use evenweave::view::{
    AllocatedView, AppView, ContainerView, HeldView, Journal, NodeView, PreemptionRound, QueueView, Stats,
};
use evenweave::{
    AllocationFile, Container, ContainerId, EndReason, EndedContainer, FairScheduler, NodeHandle, Refused, Resource,
    SchedulerEvent, Settings, Stepped,
};
use std::collections::BTreeMap;

/// What an AM is answered.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(super) granted: Vec<Container>,
    pub(super) ended: Vec<EndedContainer>,
    pub(super) strict_preemptions: Vec<ContainerId>,
    pub(super) headroom: Resource,
}

/// What one call gave back.
#[derive(Clone, Debug, Default)]
pub(crate) struct Done {
    pub(super) answer: Option<Answer>,
    pub(super) rounds: Vec<PreemptionRound>,
}

/// What an id says: of two schedulers the ids themselves differ.
type Name = (u32, u32, u32);

fn name(id: &ContainerId) -> Name {
    (id.application_number(), id.attempt(), id.number())
}

/// All that is shown of a container, by its name.
fn shown(view: &ContainerView) -> impl PartialEq + use<'_> {
    let key = (view.priority, view.allocation_request_id, view.resource);
    (name(&view.id), &view.node, view.node_id, key, view.launched, view.ended)
}

impl Done {
    /// The same with names in place of ids.
    fn shown(&self) -> impl PartialEq + use<> {
        let answer = self.answer.as_ref().map(|Answer { granted, ended, strict_preemptions, headroom }| {
            let granted = granted
                .iter()
                .map(|made| (name(&made.id), made.node, made.priority, made.allocation_request_id, made.resource));
            let ended = ended.iter().map(|ended| (name(&ended.id), ended.node, ended.reason));
            let marked = strict_preemptions.iter().map(name);
            (granted.collect::<Vec<_>>(), ended.collect::<Vec<_>>(), marked.collect::<Vec<_>>(), *headroom)
        });
        let rounds = self.rounds.iter().map(|round| (round.app, round.containers.iter().map(name).collect::<Vec<_>>()));
        (answer, rounds.collect::<Vec<_>>())
    }
}

/// All that a step shows.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) refused: Option<Refused>,
    pub(crate) done: Done,
    pub(crate) outcome: Journal,
    pub(crate) queues: Vec<QueueView>,
    pub(crate) apps: Vec<AppView>,
    pub(crate) nodes: Vec<NodeView>,
    pub(crate) containers: Vec<ContainerView>,
    pub(crate) stats: Stats,
    pub(crate) events: Vec<SchedulerEvent>,
    /// Why each application is offered nothing.
    pub(crate) not_offered: Vec<Option<NotOffered>>,
}

impl Seen {
    /// What of two steps is not the same, if anything is.
    pub(crate) fn difference(&self, other: &Seen) -> Option<&'static str> {
        let Seen { refused, done, outcome, queues, apps, nodes, containers, stats, events, not_offered } = other;
        let parts = [
            ("refusals", self.refused == *refused),
            ("answers", self.done.shown() == done.shown()),
            ("containers granted or ended, reservations or kept room", self.outcome == *outcome),
            ("queues", self.queues == *queues),
            ("applications", self.apps == *apps),
            ("nodes", self.nodes == *nodes),
            ("containers", self.containers.iter().map(shown).eq(containers.iter().map(shown))),
            ("statistics", self.stats == *stats),
            ("events", self.events == *events),
            ("reasons for no offer", self.not_offered == *not_offered),
        ];
        parts.into_iter().find(|(_, same)| !same).map(|(part, _)| part)
    }
}

/// What ends by a step.
#[derive(Debug, Default)]
pub(super) struct Ends {
    /// These, and no others.
    pub(super) must: BTreeMap<ContainerId, EndReason>,
    /// These may be preempted or not: the scheduler looks a second time.
    pub(super) may: Vec<ContainerId>,
    /// A decommissioning node's total is to follow what it runs, once what is granted now is known; its place.
    pub(super) follow: Option<(usize, Resource)>,
    /// Ends that the AM's own call has told of.
    pub(super) told: Vec<ContainerId>,
    /// The node that reported, if it is decommissioning and has nothing left; before what is granted now.
    pub(super) emptied: Option<usize>,
    /// What ends as preempted goes because its node was given a smaller total.
    pub(super) unmarked: bool,
}

#[derive(Debug)]
pub(crate) struct World {
    pub(crate) shape: Shape,
    pub(crate) workers: usize,
    pub(crate) stepped: Stepped,
    pub(crate) counts: Counts,
    pub(super) books: Books,
    pub(super) ends: Ends,
    /// Room kept as of the last step.
    pub(super) held: Vec<HeldView>,
    /// Reservations as of the last step.
    pub(super) reserved: Vec<AllocatedView>,
    /// Queues as of the last step.
    pub(super) queues: Vec<QueueView>,
    pub(super) minimum: i64,
    /// The handle of a node that is gone.
    pub(super) removed_node: Option<NodeHandle>,
    /// What ended in this step, as the books have it.
    pub(super) reasons: Vec<(u32, u32, EndReason)>,
    /// What this step has marked, with node and size.
    pub(super) marked_now: BTreeMap<ContainerId, (String, Resource)>,
}

impl World {
    pub(crate) fn new(shape: &Shape, workers: usize, resort: bool) -> World {
        let properties = shape.properties.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let settings = Settings::from_properties(properties).expect("the shape's properties are valid");
        let (minimum, maximum) = (settings.minimum.memory_mb(), settings.maximum);
        let expiry = settings.container_expiry_ms;
        let parsed = AllocationFile::parse(&shape.allocations, "allocations", &settings.types, &[]);
        let parsed = parsed.expect("the shape's allocations are valid");
        let stepped = FairScheduler::builder()
            .settings(settings)
            .allocations(parsed.file)
            .workers(workers)
            .resort_for_each_container(resort)
            .journal(true)
            .stepped()
            .expect("the numbers are in range");
        let mut world = World {
            shape: shape.clone(),
            workers,
            stepped,
            counts: Counts::default(),
            books: Books::new(expiry, maximum),
            ends: Ends::default(),
            held: Vec::new(),
            reserved: Vec::new(),
            queues: Vec::new(),
            minimum,
            removed_node: None,
            reasons: Vec::new(),
            marked_now: BTreeMap::new(),
        };
        for node in &shape.nodes {
            world.add_node(node, false).expect("a fresh name");
        }
        world
    }

    /// Does one operation and compares the books.
    pub(crate) fn step(&mut self, op: &Op) -> Result<Seen, String> {
        self.ends = Ends::default();
        self.reasons.clear();
        self.marked_now.clear();
        let (refused, done) = match self.call(op)? {
            Ok(done) => (None, done),
            Err(refused) => (Some(refused), Done::default()),
        };
        let (outcome, apps) = (self.stepped.take_journal(), self.stepped.apps());
        let handles: Vec<_> = apps.iter().map(|view| self.stepped.app_numbered(view.id.number)).collect();
        let not_offered = handles.iter().map(|app| app.as_ref().ok().and_then(|app| self.stepped.not_offered(app)));
        let seen = Seen {
            refused,
            done,
            outcome,
            not_offered: not_offered.collect(),
            apps,
            queues: self.stepped.queues(),
            nodes: self.stepped.nodes(),
            containers: self.stepped.containers(),
            stats: self.stepped.stats(),
            events: std::iter::from_fn(|| self.stepped.next_event()).collect(),
        };
        compare(&self.stepped.container_counts(), &seen.containers)?;
        self.account(&seen)?;
        self.compare(&seen)?;
        self.audit(false)?;
        self.held.clone_from(&seen.outcome.held);
        self.reserved.clone_from(&seen.outcome.reserved);
        self.queues.clone_from(&seen.queues);
        self.counts.add(op.name(), 1);
        Ok(seen)
    }

    /// No record, lease or count is left over, and whoever can be served has a place; see `Stepped::audit`.
    pub(super) fn audit(&mut self, fold: bool) -> Result<(), String> {
        let audit = self.stepped.audit(fold);
        hold!(audit.wrong.is_empty(), "the audit: {:#?}\nof {:?}", audit.wrong, audit.counted);
        Ok(())
    }

    pub(super) fn total(&self, shape: &NodeShape) -> Resource {
        Resource::from_slice(&shape.total.amounts()[..self.shape.types])
    }
}

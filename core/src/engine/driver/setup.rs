//! A scheduler before a driver runs it: [`Setup`] is what a builder gives, [`AtRest`] has the control, the workers and
//! their lanes. [`Threads`](super::threads::Threads) or [`Stepper`](super::steps::Stepper) takes it over.

use crate::clock::Clock;
use crate::engine::books::affinity::default_slack;
use crate::engine::books::pace::Pace;
use crate::engine::control::{Control, empty_structure};
use crate::engine::decider::Decider;
use crate::engine::driver::runner::WorkerLanes;
use crate::engine::intake::locations::Locations;
use crate::engine::intake::to_control::{ControlMessage, TaskCall};
use crate::engine::mail::mailbox::Arena;
use crate::engine::publish::snapshot::Publisher;
use crate::engine::settings::Settings;
use crate::engine::shard::Shard;
use crate::engine::shared::{HeartbeatProbe, Lanes, Shared, WakeUp, number_scheduler};
use crate::engine::threads::events::EventSink;
use crate::engine::threads::quiet::Handled;
use crate::engine::threads::rounds::Outstanding;
use crate::groups::Groups;
use crate::sync::atomic::AtomicBool;
use crate::sync::channel::{Receiver, bounded, unbounded};
use crate::sync::{Arc, CachePadded};
use std::time::Duration;

/// The parts that a builder makes a scheduler from.
pub(crate) struct Setup<D: Decider> {
    pub(crate) settings: Settings,
    /// The decider's part of the control, without queues yet, and the configuration that it makes them from.
    pub(crate) control: D::Control,
    pub(crate) configuration: D::Configuration,
    pub(crate) events: EventSink,
    pub(crate) groups: Arc<dyn Groups>,
    /// How long the control waits for an answer of `groups`.
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
    /// Whether the workers note what each step did, for [`StepRecord`](crate::engine::StepRecord).
    pub(crate) journal: bool,
    /// Whether the workers note each change of a node's reservation.
    pub(crate) note_reservations: bool,
    pub(crate) decider: D,
    /// Whether threads run tasks at intervals: updates, preemption, rounds of offers, the plan follower.
    pub(crate) timers: bool,
    /// The number of grants and ends between two folds. `None`: it depends on the number of applications.
    pub(crate) fold_every: Option<u32>,
    /// How many containers another application may be ahead for the sake of affinity; `None`: the default.
    pub(crate) slack: Option<u32>,
}

/// A scheduler that no driver runs yet: all its data and the receiving ends of its lanes.
#[derive(Debug)]
pub(crate) struct AtRest<D: Decider> {
    pub(crate) shared: Arc<Shared<D>>,
    pub(crate) control: Control<D>,
    pub(super) shards: Vec<(Shard<D>, WorkerLanes<D>)>,
    pub(super) control_lane: Receiver<ControlMessage<D>>,
    /// The update task, if the decider has one.
    pub(super) updater: Option<D::Updater>,
    /// The preemption task, if preemption is on.
    pub(super) preemptor: Option<D::Preemptor>,
    pub(super) preemption_lane: Receiver<TaskCall<D::PreemptionCall>>,
    pub(crate) events: EventSink,
    pub(super) timers: bool,
    pub(super) groups_timeout: Duration,
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

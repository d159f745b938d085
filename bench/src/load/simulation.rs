//! A load without an end, for a server that shows it: the scheduler on its threads, the driver on one of its own, and
//! records and events of what the driver does.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use evenweave::{ContainerId, SchedulerEvent};
use evenweave_server::events::{Event, Ring, What};
use evenweave_server::records::{AppRecord, AppState, FinalStatus, Master, NodeRecord, NodeState};
use evenweave_server::scheduler::{Basics, CapacityThreads, Scheduler, Threads};
use evenweave_server::{Cluster, Door, Latencies, Limits, ResourceManager};
use evenweave_tools::Failure;

use crate::api::{EndReason, NodeHandle, StoredLabels};
use crate::engine::{CLUSTER_TIMESTAMP, Capacity, CapacityParts, Engine, NODE_PORT, Parts, Threaded};
use crate::jobs;
use crate::latency::ToldProbe;
use crate::load::driver::{Driver, register};
use crate::load::inputs::{Inputs, Rules, leaves};
use crate::load::observation::Happened;
use crate::load::options::LoadOptions;
use crate::load::run::{NODE, admission, names, pace, steady_shares, waker};
use crate::load::server_requests::Desk;
use crate::load::wishes::Wishes;

/// One heartbeat, and the containers of one number, in so many make events.
const SAMPLED: u32 = 16;
/// How often the scheduler's own events and reservations are looked at.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// How long the cluster has to end: it may be taking over very many queues.
const LAST: Duration = Duration::from_secs(10);
const STEP: Duration = Duration::from_millis(20);
/// Wishes that wait for the driver.
const WISHES: usize = 64;
/// As good as for ever.
const HOURS: u64 = 24 * 365 * 100;

type NextEvent = Box<dyn Fn() -> Option<SchedulerEvent> + Send>;
type Started = (Box<dyn Engine>, Arc<dyn Scheduler>, NextEvent);

/// See the module's text.
pub struct Simulation {
    /// What it shows itself as.
    pub manager: Arc<ResourceManager>,
    /// What happens in it.
    pub ring: Arc<Ring>,
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<Result<(), String>>>,
}

impl fmt::Debug for Simulation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Simulation").field("manager", &self.manager).finish_non_exhaustive()
    }
}

impl Simulation {
    /// Starts the scheduler and the cluster. `web_address` is where it says that its pages are; `shown` makes its
    /// ResourceManager one that has a log and knows who asks.
    ///
    /// # Errors
    /// Unknown queues, refused settings.
    pub fn start(
        options: &LoadOptions,
        inputs: &Inputs,
        web_address: &str,
        shown: impl FnOnce(ResourceManager) -> ResourceManager,
    ) -> Result<Simulation, Failure> {
        let (wake, woken) = crossbeam_channel::unbounded();
        let latencies = Arc::new(Latencies::default());
        let (engine, asked, next_event) =
            scheduler(options, inputs, &latencies, waker(wake)).map_err(Failure::input)?;
        let site = options.site.pairs()?;
        let pairs = site.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let cluster = Cluster::new(CLUSTER_TIMESTAMP, web_address).starting_now().with_properties(pairs);
        let (to_driver, wished) = crossbeam_channel::bounded(WISHES);
        let desk = Arc::new(Desk::new(inputs, options.nodes(), to_driver));
        let remove = asked.clone();
        let wishes = Wishes { wished, remove_node: Box::new(move |name| remove.remove_node(name)) };
        let manager = ResourceManager::new(cluster, asked).with_queues(inputs.queues_source()).with_controls(desk);
        let manager = manager.with_latencies(latencies.clone());
        let manager = Arc::new(shown(manager));
        manager.readiness().begins("no node of the simulated cluster has reported yet");
        let ring = Arc::new(Ring::default());
        let stop = Arc::new(AtomicBool::new(false));
        let leaves = leaves(&names(&*engine), &options.queue, inputs.queues_name())?;
        let mean = options.mean_life();
        let pace = pace(options, Duration::from_secs(HOURS * 3600));
        let nodes = register(&*engine, &pace).map_err(Failure::Scheduler)?;
        let mut scribe = Scribe::new(manager.clone(), ring.clone());
        nodes.iter().for_each(|node| scribe.registered(node));
        let (jobs, lives) = jobs::from_trace(&inputs.trace, leaves.len(), mean, options.seed);
        let (in_flight, flag) = (options.jobs_in_flight, stop.clone());
        let drive = move || {
            let all = leaves.clone();
            let admission = |queues: &[_]| admission(&jobs, &steady_shares(&all, queues), &pace, in_flight);
            let mut driver = Driver::new(&*engine, &jobs, lives, pace, nodes, leaves, admission, woken, &flag);
            driver.watch(Box::new(move |happened| scribe.happened(&happened)), wishes);
            driver.tell_latencies(latencies);
            let outcome = driver.drive(&mut |_, _| {}).map(drop);
            engine.shutdown();
            outcome
        };
        let (watched, told, flag) = (manager.clone(), ring.clone(), stop.clone());
        let look = move || {
            let mut reserved = BTreeMap::new();
            // ORDERING: Relaxed, here and below. The flag carries no data.
            while !flag.load(Ordering::Relaxed) {
                look(&watched, &told, &next_event, &mut reserved);
                std::thread::sleep(LOOK_EVERY);
            }
            Ok(())
        };
        let thread = |name: &str, run: Box<dyn FnOnce() -> Result<(), String> + Send>| {
            std::thread::Builder::new()
                .name(name.to_owned())
                .spawn(run)
                .map_err(|error| Failure::Scheduler(format!("no thread can be had: {error}")))
        };
        let threads = vec![thread("cluster", Box::new(drive))?, thread("watch", Box::new(look))?];
        Ok(Simulation { manager, ring, stop, threads })
    }

    /// Whether it has stopped by itself.
    fn has_failed(&self) -> bool {
        self.threads.iter().any(JoinHandle::is_finished)
    }

    /// Answers over HTTP until Ctrl-C, SIGTERM, the cluster's own end, or the time is over.
    ///
    /// # Errors
    /// When it cannot listen there.
    pub fn serve(&self, door: impl Into<Door>, limits: Limits, time: Option<Duration>) -> std::io::Result<()> {
        evenweave_server::serve(&self.manager, &self.ring, door, limits, time, &|| self.has_failed())
    }

    /// Ends it.
    ///
    /// # Errors
    /// What it has stopped by itself for.
    pub fn stop(self) -> Result<(), Failure> {
        self.stop.store(true, Ordering::Relaxed);
        let mut waited = Duration::ZERO;
        while self.threads.iter().any(|thread| !thread.is_finished()) {
            if waited >= LAST {
                let seconds = LAST.as_secs();
                let why = format!("the simulated cluster has not ended within {seconds} s; what it does is broken off");
                return Err(Failure::Scheduler(why));
            }
            std::thread::sleep(STEP);
            waited += STEP;
        }
        for thread in self.threads {
            let outcome = thread.join().unwrap_or_else(|_| Err("the simulated cluster's thread panicked".to_owned()));
            outcome.map_err(Failure::Scheduler)?;
        }
        Ok(())
    }
}

/// The scheduler for the driver, for those who ask, and its own events.
fn scheduler(
    options: &LoadOptions,
    inputs: &Inputs,
    latencies: &Arc<Latencies>,
    wake: crate::engine::Wake,
) -> Result<Started, String> {
    let probe = Arc::new(ToldProbe(latencies.clone())) as _;
    let (workers, groups, wake) = (options.workers, inputs.groups.clone(), Some(wake));
    match &inputs.rules {
        Rules::Fair { settings, allocations } => {
            let (settings, allocations) = (settings.clone(), allocations.clone());
            let basics = Basics::of_fair(&settings);
            let (fold_every, slack, channel_capacity) = (None, None, None);
            let parts =
                Parts { settings, allocations, groups, workers, fold_every, slack, channel_capacity, probe, wake };
            let engine = Threaded::start(parts)?;
            let (shown, told) = (engine.scheduler(), engine.scheduler());
            let next_event = Box::new(move || told.next_event());
            Ok((Box::new(engine), Arc::new(Threads::new(shown, basics)), next_event))
        }
        Rules::Capacity { configuration, .. } => {
            let configuration = configuration.clone();
            let basics = Basics::of_capacity(configuration.file().settings());
            let labels = StoredLabels::default();
            let parts =
                CapacityParts { configuration, workers, fold_every: None, slack: None, groups, labels, probe, wake };
            let engine = Capacity::start(parts)?;
            let (shown, told) = (engine.scheduler(), engine.scheduler());
            let next_event = Box::new(move || told.next_event());
            Ok((Box::new(engine), Arc::new(CapacityThreads::new(shown, basics)), next_event))
        }
    }
}

/// The scheduler's own events, and reservations that were not there before.
fn look(manager: &ResourceManager, ring: &Ring, next_event: &NextEvent, reserved: &mut BTreeMap<(u32, u32), String>) {
    let now = manager.now_ms();
    if manager.scheduler().counts().heartbeats > 0 {
        manager.readiness().takes_work();
    }
    while let Some(event) = next_event() {
        manager.readiness().heed(&event);
        ring.push(Event::new(What::Told, now).saying(event.to_string()));
        if let SchedulerEvent::NodeDrained(node) = &event {
            manager.node_drained(node);
        }
        if let SchedulerEvent::MovedAsReservationEnded { app, queue, .. } = &event {
            manager.records().moved(app.number, queue);
        }
        if let SchedulerEvent::KilledAsReservationEnded(app) = &event {
            let mut records = manager.records();
            let queue = records.app(app.number).map(|record| record.queue.clone()).unwrap_or_default();
            let why = format!("Application killed due to expiry of reservation queue {queue}.");
            records.ended(app.number, AppState::Killed, FinalStatus::Killed, why, now);
        }
        if let SchedulerEvent::WorkerPanicked { nodes, .. } = &event {
            for node in nodes {
                manager.records().node_is(node, NodeState::Lost);
                ring.push(Event::new(What::NodeLost, now).on(node));
            }
        }
    }
    let mut stand = BTreeMap::new();
    for held in manager.scheduler().reservations() {
        if reserved.get(&(held.app, held.container)) != Some(&held.node) {
            let queue = manager.records().app(held.app).map(|app| app.queue.clone()).unwrap_or_default();
            let event = Event::new(What::ContainerReserved, now).on(&held.node).of(held.app, &queue);
            ring.push(event.container(held.container));
        }
        stand.insert((held.app, held.container), held.node);
    }
    *reserved = stand;
}

/// Writes records and events of what the driver does.
struct Scribe {
    manager: Arc<ResourceManager>,
    ring: Arc<Ring>,
    /// By index.
    nodes: Vec<String>,
    beats: u32,
    /// By node: containers of the sample that it has not reported since.
    to_launch: HashMap<String, Vec<(ContainerId, String)>>,
}

fn is_sampled(container: ContainerId) -> bool {
    // All containers of ApplicationMasters, and a part of the others.
    container.number() % SAMPLED == 1
}

impl Scribe {
    fn new(manager: Arc<ResourceManager>, ring: Arc<Ring>) -> Scribe {
        Scribe { manager, ring, nodes: Vec::new(), beats: 0, to_launch: HashMap::new() }
    }

    fn event(&self, what: What) -> Event {
        Event::new(what, self.manager.now_ms())
    }

    fn registered(&mut self, node: &NodeHandle) {
        let index = node.id().index();
        if self.nodes.len() <= index {
            self.nodes.resize(index + 1, String::new());
        }
        node.name().clone_into(&mut self.nodes[index]);
        self.manager.records().node(NodeRecord {
            name: node.name().to_owned(),
            port: NODE_PORT,
            http_port: 8042,
            rack: node.rack().to_owned(),
            total: NODE,
            version: "3.4.2".to_owned(),
            state: NodeState::Running,
            last_health_ms: self.manager.now_ms(),
            labels: Vec::new(),
        });
        self.ring.push(self.event(What::NodeRegistered).on(node.name()));
    }

    fn queue_of(&self, number: u32) -> String {
        self.manager.records().app(number).map(|app| app.queue.clone()).unwrap_or_default()
    }

    fn happened(&mut self, happened: &Happened<'_>) {
        let now = self.manager.now_ms();
        match *happened {
            Happened::Registered(node) => self.registered(node),
            Happened::Lost(node) => {
                self.manager.records().node_is(node.name(), NodeState::Lost);
                self.to_launch.remove(node.name());
                self.ring.push(self.event(What::NodeLost).on(node.name()));
            }
            Happened::Removed(node) => {
                self.to_launch.remove(node.name());
                // Of those that went with their worker the scheduler tells.
                if self.manager.node_state(node.name()) == Some(NodeState::Decommissioned) {
                    let why = "it was taken out of the cluster".to_owned();
                    self.ring.push(self.event(What::NodeLost).on(node.name()).saying(why));
                }
            }
            Happened::Submitted { number, user, queue, label } => {
                let mut record = AppRecord::new(number, user, queue, now);
                "MAPREDUCE".clone_into(&mut record.kind);
                record.label = label.map(str::to_owned);
                self.manager.records().submitted(record);
                self.ring.push(self.event(What::ApplicationAdded).of(number, queue));
            }
            Happened::Accepted(handle) => {
                let (number, queue) = (handle.number(), handle.queue());
                let scheduler = self.manager.scheduler();
                let am_label = if scheduler.basics().labels { scheduler.am_label(number) } else { String::new() };
                if let Some(app) = self.manager.records().app_mut(number) {
                    app.am_label = am_label;
                }
                if self.manager.records().accepted(number, handle) {
                    // Killed before its queue had taken it: then nobody could tell the scheduler. One that has ended is
                    // no error.
                    let _ = self.manager.scheduler().kill(handle);
                }
                self.ring.push(self.event(What::ApplicationAccepted).of(number, queue));
                self.ring.push(self.event(What::AttemptAdded).of(number, queue));
            }
            Happened::Refused { number, why } => {
                let queue = self.queue_of(number);
                let (state, status) = (AppState::Failed, FinalStatus::Failed);
                self.manager.records().ended(number, state, status, why.to_owned(), now);
                self.ring.push(self.event(What::ApplicationRefused).of(number, &queue).saying(why.to_owned()));
            }
            Happened::Received { app, container, master } => {
                let (number, id) = (app.number(), container.id);
                let node = &self.nodes[container.node.index()];
                let mut records = self.manager.records();
                records.container((number, id.attempt(), id.number()), &container.resource, now);
                let Some(record) = records.app_mut(number) else { return };
                if master {
                    let at = Master { container: id.number(), node: node.clone() };
                    record.registered(Some(at), node, 10_020, now);
                }
                if !is_sampled(id) {
                    return;
                }
                let queue = record.queue.clone();
                drop(records);
                for what in [What::ContainerAllocated, What::ContainerAcquired] {
                    self.ring.push(self.event(what).on(node).of(number, &queue).container(id.number()));
                }
                self.to_launch.entry(node.clone()).or_default().push((id, queue));
            }
            Happened::Reported { node, ended } => {
                let name = node.name();
                self.manager.records().node_reported(name, now);
                self.beats = self.beats.wrapping_add(1);
                if self.beats.is_multiple_of(SAMPLED) {
                    self.ring.push(self.event(What::Heartbeat).on(name));
                }
                for (id, queue) in self.to_launch.remove(name).unwrap_or_default() {
                    let event = self.event(What::ContainerLaunched).on(name).of(id.application_number(), &queue);
                    self.ring.push(event.container(id.number()));
                }
                for id in ended {
                    let number = id.application_number();
                    let key = (number, id.attempt(), id.number());
                    self.manager.records().container_ended(key, false, now);
                    if is_sampled(*id) {
                        let event = self.event(What::ContainerCompleted).on(name).of(number, &self.queue_of(number));
                        self.ring.push(event.container(id.number()));
                    }
                }
            }
            Happened::Taken { app, container, reason } => {
                let number = app.number();
                let key = (number, container.attempt(), container.number());
                self.manager.records().container_ended(key, reason == EndReason::Preempted, now);
                let what = if reason == EndReason::Preempted {
                    What::ContainerPreempted
                } else if reason == EndReason::Expired {
                    What::ContainerExpired
                } else {
                    What::ContainerCompleted
                };
                let queue = self.queue_of(number);
                self.ring.push(self.event(what).of(number, &queue).container(container.number()));
            }
            Happened::Left { number, done } => {
                let queue = self.queue_of(number);
                let (state, status, why) = match done {
                    true => (AppState::Finished, FinalStatus::Succeeded, ""),
                    false => (AppState::Failed, FinalStatus::Failed, "Its ApplicationMaster was lost"),
                };
                self.manager.records().ended(number, state, status, why.to_owned(), now);
                self.ring.push(self.event(What::ApplicationEnded).of(number, &queue));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use evenweave::faults::Fault;
    use evenweave::{FairScheduler, Heartbeat, Resource, Settings};

    use super::*;

    /// What came of the events of a scheduler, by what `/readyz` says and how often the scheduler has told something.
    struct Looked {
        manager: ResourceManager,
        ring: Ring,
        next_event: NextEvent,
    }

    impl Looked {
        fn at(scheduler: &FairScheduler) -> Looked {
            let basics = Basics::of_fair(&Settings::from_properties([]).expect("Hadoop's defaults"));
            let shown = Arc::new(Threads::new(scheduler.clone(), basics));
            let told = scheduler.clone();
            let next_event = Box::new(move || told.next_event());
            Looked {
                manager: ResourceManager::new(Cluster::new(7, "rm:8088"), shown),
                ring: Ring::default(),
                next_event,
            }
        }

        fn against(&self) -> Option<String> {
            look(&self.manager, &self.ring, &self.next_event, &mut BTreeMap::new());
            self.manager.readiness().why_not()
        }

        /// Once the scheduler has told something more.
        fn against_then(&self) -> Option<String> {
            let before = self.ring.last();
            loop {
                let against = self.against();
                if self.ring.last() > before {
                    return against;
                }
                std::thread::sleep(STEP);
            }
        }
    }

    #[test]
    fn a_cluster_is_ready_once_a_node_reports_and_until_a_worker_is_lost() {
        let scheduler = FairScheduler::builder().workers(2).start().expect("a scheduler");
        let looked = Looked::at(&scheduler);
        looked.manager.readiness().begins("it begins");
        assert_eq!(looked.against().as_deref(), Some("it begins"));
        let node = scheduler.add_node("n1", "/r1", Resource::new(8192, 8)).expect("a node");
        assert_eq!(looked.against().as_deref(), Some("it begins"), "it has not reported");
        scheduler.heartbeat(Heartbeat::new(&node)).expect("sent");
        scheduler.quiesce().unwrap();
        assert_eq!(looked.against(), None);
        scheduler.inject(Fault::WorkerPanic { worker: 0 }).expect("sent");
        assert_eq!(looked.against_then(), None, "it begins anew");
        scheduler.inject(Fault::WorkerDeath { worker: 1 }).expect("sent");
        assert_eq!(looked.against_then().as_deref(), Some("worker 1 of the scheduler is lost"));
        drop(scheduler.shutdown());
    }
}

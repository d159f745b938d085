//! One scheduler with its cluster and applications in place.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use evenweave_tools::clock::now_ns;
use evenweave_tools::options::SchedulerChoice;
use hdrhistogram::Histogram;

use super::calls::{Timing, hand_over};
use super::idle_workers::Minders;
use super::pace::Pace;
use super::plan::Plan;
use super::shape::{NODE, NODES_A_RACK, Shape, label_name, node_name, rack_name};
use crate::api::{
    AllocationFile, AppHandle, CapacityConfiguration, FairScheduler, Heartbeat, Label, NodeHandle, Settings,
    Submission, Worker,
};
use crate::engine::{Capacity, CapacityParts, Engine, Locked, Parts, Threaded};
use crate::latency::{LatencyProbe, histogram};
use crate::options::{CoreChoice, WorkloadName};

/// How often a driver that only waits looks.
pub(super) const LOOK: Duration = Duration::from_micros(50);

/// See the module's text.
pub(super) struct Bed {
    pub(super) shape: Shape,
    pub(super) engine: Box<dyn Engine>,
    pub(super) probe: Arc<LatencyProbe>,
    /// The FairScheduler on threads, for those who look.
    pub(super) asked: Option<FairScheduler>,
    pub(super) nodes: Vec<NodeHandle>,
    pub(super) apps: Vec<AppHandle>,
    /// By partition, as asks have it, the default one first; empty where no node has a label.
    labels: Vec<Label>,
    /// Nodes are offered by something else than their heartbeats, too.
    pub(super) aside: bool,
    /// Where workers run on threads of this program, and nobody plays beside them.
    minders: Mutex<Option<Minders>>,
}

impl Drop for Bed {
    fn drop(&mut self) {
        self.engine.shutdown();
    }
}

/// What a fill showed.
pub(super) struct Fill {
    pub(super) ns: u64,
    pub(super) full: bool,
    pub(super) enqueue: Histogram<u64>,
}

impl Bed {
    /// Nodes, queues and applications in place, in this order; nobody has asked for anything.
    ///
    /// # Errors
    /// What the scheduler refuses.
    pub(super) fn new(plan: &Plan, properties: Vec<(&'static str, &'static str)>) -> Result<Bed, String> {
        let shape = plan.shape;
        let probe = Arc::new(LatencyProbe::new(plan.workers));
        let (mut minders, mut asked) = (None, None);
        let engine: Box<dyn Engine> = match plan.scheduler {
            SchedulerChoice::Fair => fair(plan, properties, &probe, &mut minders, &mut asked)?,
            SchedulerChoice::Capacity => capacity(plan, properties, &probe, &mut minders)?,
        };
        let (nodes, apps, minders) = (Vec::new(), Vec::new(), Mutex::new(minders));
        let names = (1..plan.partitions).map(label_name);
        let labels: Vec<Label> = match plan.partitions {
            1 => Vec::new(),
            _ => std::iter::once(String::new()).chain(names).map(|name| engine.label(&name)).collect(),
        };
        let mut bed = Bed { shape, engine, probe, asked, nodes, apps, labels, aside: plan.aside(), minders };
        for node in 0..shape.nodes {
            bed.nodes.push(bed.engine.add_node(&node_name(node), &rack_name(node / NODES_A_RACK), NODE)?);
        }
        if plan.scheduler == SchedulerChoice::Fair {
            bed.engine.reload(&shape.allocations())?;
        }
        let submissions = (0..shape.apps).map(|app| {
            let queue = Some(shape.leaf(app % shape.queues));
            // Applications are numbered from 1, as YARN does; application a of the workload is number a + 1.
            Submission::new(app + 1, "user").maybe_in_queue(queue)
        });
        // In one call, in order: tens of thousands of calls one by one are as many turns of two threads.
        let mut pending = bed.engine.submit_all(submissions.collect())?;
        bed.apps = loop {
            match pending() {
                Some(answers) => break answers.into_iter().collect::<Result<_, _>>()?,
                None => std::thread::yield_now(),
            }
        };
        Ok(bed)
    }

    /// How many partitions the nodes are in.
    pub(super) fn partitions(&self) -> u32 {
        u32::try_from(self.labels.len()).unwrap_or(u32::MAX).max(1)
    }

    /// The label that an application's asks name.
    pub(super) fn label_of(&self, app: usize) -> Option<Label> {
        if self.labels.is_empty() {
            return None;
        }
        let app = u32::try_from(app).unwrap_or(u32::MAX);
        self.labels.get(self.shape.partition_of_app(app, self.partitions()) as usize).copied()
    }

    /// The workers, for a thread each that plays beside its polls; back with [`mind`](Self::mind).
    ///
    /// # Errors
    /// When there are none, or a thread has panicked.
    pub(super) fn take_workers(&self) -> Result<Vec<Worker>, String> {
        let minders = self.minders.lock().expect("no holder panics").take();
        minders.ok_or("the workers have threads of their own")?.take()
    }

    /// Nobody plays beside the workers for now.
    pub(super) fn mind(&self, workers: Vec<Worker>) {
        *self.minders.lock().expect("no holder panics") = Some(Minders::of(workers));
    }

    /// W1: nodes report in order, without completed containers and without a pause (or at the given pace), until the
    /// cluster is full or the time is over. Where nodes are offered aside, each reports once and the driver only waits
    /// then.
    ///
    /// # Errors
    /// What the scheduler refuses.
    pub(super) fn fill(&self, at_most: u64, mut pace: Option<&mut Pace>) -> Result<Fill, String> {
        let mut enqueue = histogram();
        let nodes = self.nodes.len() as u64;
        let start = now_ns();
        let mut beat = 0_u64;
        let mut full = false;
        // Not with each heartbeat: what is read is what the workers write with each grant. Before the first round is
        // over only mode `max` can fill the cluster, with the last node's heartbeat.
        let mut over = |beat: u64| {
            let look = beat.is_multiple_of(if beat < nodes { 64 } else { 8 }) || beat == nodes;
            if look {
                full = self.engine.stats().running >= self.shape.capacity();
            }
            full || look && now_ns() - start >= at_most
        };
        while !over(beat) {
            if self.aside && beat >= nodes {
                std::thread::sleep(LOOK);
                continue;
            }
            let due = pace.as_deref_mut().map(Pace::wait);
            let index = usize::try_from(beat % nodes).expect("fits a node's index");
            let heartbeat = Heartbeat::new(&self.nodes[index]);
            hand_over(&*self.engine, heartbeat, Timing { beat, due }, &mut enqueue)?;
            beat += 1;
        }
        Ok(Fill { ns: now_ns() - start, full, enqueue })
    }
}

/// The FairScheduler, threaded or as its plain twin.
fn fair(
    plan: &Plan,
    properties: Vec<(&'static str, &'static str)>,
    probe: &Arc<LatencyProbe>,
    minders: &mut Option<Minders>,
    asked: &mut Option<FairScheduler>,
) -> Result<Box<dyn Engine>, String> {
    let parts = Parts {
        settings: Settings::from_properties(properties).map_err(|error| error.to_string())?,
        allocations: AllocationFile::default(),
        groups: None,
        workers: plan.workers,
        fold_every: plan.fold_every,
        slack: plan.slack,
        channel_capacity: None,
        probe: Arc::clone(probe) as _,
        wake: None,
    };
    let update_every = (plan.workload != WorkloadName::W3).then_some(Duration::from_millis(500));
    Ok(match plan.core {
        CoreChoice::Threaded if plan.self_driven => {
            let (engine, workers) = Threaded::start_with_workers(parts)?;
            *minders = Some(Minders::of(workers));
            Box::new(engine)
        }
        CoreChoice::Threaded => {
            let engine = Threaded::start(parts)?;
            *asked = Some(engine.scheduler());
            Box::new(engine)
        }
        CoreChoice::Locked => Box::new(Locked::start(parts, update_every)?),
    })
}

/// The CapacityScheduler.
fn capacity(
    plan: &Plan,
    properties: Vec<(&'static str, &'static str)>,
    probe: &Arc<LatencyProbe>,
    minders: &mut Option<Minders>,
) -> Result<Box<dyn Engine>, String> {
    let own = plan.capacities();
    let own = own.iter().map(|(name, value)| (&**name, &**value));
    let parts = CapacityParts {
        configuration: CapacityConfiguration::from_properties(properties, own).map_err(|error| error.to_string())?,
        workers: plan.workers,
        fold_every: plan.fold_every,
        slack: plan.slack,
        groups: None,
        labels: plan.shape.labels(plan.partitions),
        probe: Arc::clone(probe) as _,
        wake: None,
    };
    if !plan.self_driven {
        return Ok(Box::new(Capacity::start(parts)?));
    }
    let (engine, workers) = Capacity::start_with_workers(parts)?;
    *minders = Some(Minders::of(workers));
    Ok(Box::new(engine))
}

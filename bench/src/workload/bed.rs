//! One scheduler with its cluster, applications and first asks in place, and the two calls that workloads make of it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hdrhistogram::Histogram;

use super::masters::Masters;
use super::pace::Pace;
use super::plan::Plan;
use super::self_driven::Minders;
use super::shape::{NODE, NODES_A_RACK, Shape};
use crate::api::{
    AllocateRequest, Allocation, AllocationFile, AppHandle, Heartbeat, NodeHandle, Refused, Settings, Submission,
    Worker,
};
use crate::clock::now_ns;
use crate::engine::{Engine, Locked, Parts, Threaded};
use crate::latency::{LatencyProbe, histogram, record};
use crate::options::{CoreChoice, WorkloadName};

/// One heartbeat and one allocate in so many is timed, here and in the workers. No number of nodes is a multiple of it, so that
/// every node has its turn.
pub(super) const TIMED: u64 = 7;
/// How often a driver that only waits looks.
pub(super) const LOOK: Duration = Duration::from_micros(50);
/// How long a driver sleeps whose lane is full.
const FULL_LANE: Duration = Duration::from_micros(400);

/// See the module's text.
pub(super) struct Bed {
    pub(super) shape: Shape,
    pub(super) engine: Box<dyn Engine>,
    pub(super) probe: Arc<LatencyProbe>,
    pub(super) nodes: Vec<NodeHandle>,
    pub(super) apps: Vec<AppHandle>,
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
    /// Sets everything up in the published order: nodes, queues, applications, asks, one update.
    ///
    /// # Errors
    /// What the scheduler refuses.
    pub(super) fn new(plan: &Plan) -> Result<(Bed, Masters), String> {
        Bed::with_properties(plan, plan.properties())
    }

    /// The same with other properties than the plan's.
    ///
    /// # Errors
    /// What the scheduler refuses.
    pub(super) fn with_properties(
        plan: &Plan,
        properties: Vec<(&'static str, &'static str)>,
    ) -> Result<(Bed, Masters), String> {
        let shape = plan.shape;
        let settings = Settings::from_properties(properties).map_err(|error| error.to_string())?;
        let probe = Arc::new(LatencyProbe::new(plan.workers));
        let parts = Parts {
            settings,
            allocations: AllocationFile::default(),
            groups: None,
            workers: plan.workers,
            fold_every: plan.fold_every,
            channel_capacity: None,
            probe: Arc::clone(&probe) as _,
            wake: None,
        };
        let update_every = (plan.workload != WorkloadName::W3).then_some(Duration::from_millis(500));
        let mut minders = None;
        let engine: Box<dyn Engine> = match plan.core {
            CoreChoice::Threaded if plan.self_driven => {
                let (engine, workers) = Threaded::start_with_workers(parts)?;
                minders = Some(Minders::of(workers));
                Box::new(engine)
            }
            CoreChoice::Threaded => Box::new(Threaded::start(parts)?),
            CoreChoice::Locked => Box::new(Locked::start(parts, update_every)?),
        };
        let (nodes, apps, minders) = (Vec::new(), Vec::new(), Mutex::new(minders));
        let mut bed = Bed { shape, engine, probe, nodes, apps, aside: plan.aside(), minders };
        for node in 0..shape.nodes {
            bed.nodes.push(bed.engine.add_node(&node_name(node), &rack_name(node / NODES_A_RACK), NODE)?);
        }
        bed.engine.reload(&shape.allocations())?;
        let submissions = (0..shape.apps).map(|app| {
            let queue = Some(shape.leaf(app % shape.queues));
            // Applications are numbered from 1, as YARN does; application a of the workload is number a + 1.
            Submission { number: app + 1, user: "user".to_owned(), queue, am: None }
        });
        // In one call, in order: tens of thousands of calls one by one are as many turns of two threads.
        let mut pending = bed.engine.submit_all(submissions.collect())?;
        bed.apps = loop {
            match pending() {
                Some(answers) => break answers.into_iter().collect::<Result<_, _>>()?,
                None => std::thread::yield_now(),
            }
        };
        let mut masters = Masters::new(&bed, plan.workload == WorkloadName::W4);
        masters.ask_first(&bed)?;
        bed.engine.quiesce();
        bed.engine.update_now();
        bed.engine.quiesce();
        Ok((bed, masters))
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

    /// W1: nodes report in order, without completed containers and without a pause (or at the given pace), until the cluster
    /// is full or the time is over. Where nodes are offered aside, each reports once and the driver only waits then.
    ///
    /// # Errors
    /// What the scheduler refuses.
    pub(super) fn fill(&self, at_most: u64, mut pace: Option<&mut Pace>) -> Result<Fill, String> {
        let mut enqueue = histogram();
        let nodes = self.nodes.len() as u64;
        let start = now_ns();
        let mut beat = 0_u64;
        let mut full = false;
        // Not with each heartbeat: what is read is what the workers write with each grant. Before the first round is over only mode
        // `max` can fill the cluster, with the last node's heartbeat.
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

pub(super) fn node_name(node: u32) -> String {
    format!("n{node}")
}

pub(super) fn rack_name(rack: u32) -> String {
    format!("/r{rack}")
}

/// Calls until the scheduler takes it; gives how long the call that it took lasted, where that is asked for.
///
/// # Errors
/// Any other refusal than that it is busy.
pub(super) fn allocate(
    engine: &dyn Engine,
    app: &AppHandle,
    request: &AllocateRequest,
    answer: &mut Allocation,
    is_timed: bool,
) -> Result<Option<u64>, String> {
    loop {
        let since = is_timed.then(now_ns);
        match engine.allocate(app, request, answer) {
            Ok(()) => return Ok(since.map(|since| now_ns() - since)),
            Err(Refused::Busy) => std::thread::sleep(FULL_LANE),
            Err(error) => return Err(format!("allocate of application {}: {error}", app.number())),
        }
    }
}

/// Which heartbeat of a driver it is, and in an open loop when it is due.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timing {
    pub(super) beat: u64,
    pub(super) due: Option<u64>,
}

/// Offers a heartbeat until there is room for it. Of a timed one, the time of the call that took it goes into the histogram.
///
/// # Errors
/// Any other refusal than that it is busy.
pub(super) fn hand_over(
    engine: &dyn Engine,
    mut heartbeat: Heartbeat,
    Timing { beat, due }: Timing,
    enqueue: &mut Histogram<u64>,
) -> Result<(), String> {
    let mut since = beat.is_multiple_of(TIMED).then(now_ns);
    if let Some(now) = since {
        // In an open loop a late heartbeat's waiting counts from when it was due.
        heartbeat.stamp = due.unwrap_or(now);
    }
    loop {
        match engine.heartbeat(heartbeat) {
            Ok(()) => {
                if let Some(since) = since {
                    record(enqueue, now_ns() - since);
                }
                return Ok(());
            }
            Err(back) if back.reason == Refused::Busy => {
                heartbeat = back.returned;
                // Thousands wait in the lane: who turns round and round meanwhile takes processor time from whom it waits for. It is
                // full for milliseconds, so a longer sleep than elsewhere leaves nobody without work.
                std::thread::sleep(FULL_LANE);
                since = since.map(|_| now_ns());
            }
            Err(back) => return Err(format!("a heartbeat: {}", back.reason)),
        }
    }
}

//! The driver: one thread that plays every node and every ApplicationMaster.
//!
//! # One round
//! 1. Calls `allocate` for the applications that were woken or have something to ask, and puts what they get on the
//!    time wheel. 2. Finishes applications whose last container ended a heartbeat ago. 3. Submits jobs. 4. Sends the
//!    heartbeats that are due, with the containers that are over, in batches. 5. Looks at the scheduler's figures.
//!
//! Node `i` reports at `(k + i / nodes)` heartbeat intervals, k = 0, 1, …; a container received at `t` with a life of
//! `l` is over with the first heartbeat of its node at or after `t + l`. A refused batch is offered again, and no node
//! reports anew until it is taken. When the driver is more than a whole interval late, intervals are left out and
//! counted.
//!
//! One that is watched ([`Driver::watch`]) tells what it does, does what is wished, and goes on where others end its
//! applications or take containers. Its ApplicationMasters call twice a second even if nothing waits for them: so they
//! hear of what was lost.
//!
//! With [`Preempting`] containers may be taken before their end. Their ApplicationMasters ask for the tasks again; one
//! whose own container is taken ends with its application.

mod changes;

mod losses;

mod preempted_containers;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crossbeam_channel::Receiver;
use evenweave::refused::{Gone, TryAgain};
use evenweave_server::Latencies;
use evenweave_tools::clock::{now_ns, seconds, thread_cpu_seconds};
use evenweave_tools::figures::QueueFigures;
use hdrhistogram::Histogram;
use rustc_hash::FxHashMap;

use crate::api::{
    AllocateRequest, Allocation, AmRequest, AppHandle, EndReason, Heartbeat, NodeHandle, Refused, Resource, Submission,
};
use crate::engine::{Engine, Pending};
use crate::jobs::{Job, Lives};
use crate::latency::{histogram, record};
use crate::load::admission::Admission;
use crate::load::app::{CONTAINER, LoadApp, Role};
use crate::load::books::{Books, Difference};
use crate::load::node_labels::Partitions;
use crate::load::observation::{Happened, Watched, Witness};
use crate::load::preempting::{Preempting, Story};
use crate::load::wheel::Wheel;
use crate::load::wishes::Wishes;

/// Heartbeats in one call.
const BATCH: usize = 64;
/// One of how many heartbeats is watched.
const WATCHED: u64 = 16;
/// One of how many calls of `allocate` is timed.
const TIMED: u64 = 16;
/// Jobs submitted in one call.
const SUBMITTED_AT_ONCE: usize = 64;
/// Wake-ups taken between two looks at the nodes.
const WAKE_UPS_AT_ONCE: usize = 1024;
const OBSERVE_EVERY_NS: u64 = 250_000_000;
/// How many observations make a point of the plots: one every 500 ms.
const OBSERVATIONS_A_SAMPLE: u32 = 2;
const NO_SLOT: u32 = u32::MAX;
/// A refused message is offered again for so long once the run is over.
const PATIENCE_NS: u64 = 20_000_000_000;

/// The times and sizes of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    pub(crate) nodes: u32,
    pub(crate) racks: u32,
    pub(crate) node_total: Resource,
    pub(crate) heartbeat: Duration,
    pub(crate) duration: Duration,
    /// The mean life of a task; the longest is ten times it.
    pub(crate) mean_life: Duration,
}

/// One look at the scheduler.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    /// Seconds since the run began.
    pub(crate) at: f64,
    pub(crate) granted: u64,
    pub(crate) heartbeats: u64,
    pub(crate) jobs_finished: u64,
    /// Mean of allocated over total since the last sample.
    pub(crate) utilisation: f64,
    /// Usage and fair share in MiB of every queue, in the order of [`Driver::queue_names`].
    pub(crate) queues: Vec<(i64, i64)>,
    /// What is used in each partition, MiB, and how many containers were received there, where there are labels.
    pub(crate) partitions: Vec<(i64, u64)>,
    pub(crate) snapshot_age_ms: u64,
}

/// Jobs that queues have refused: how many, and why the first of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RefusedJobs {
    pub(crate) count: u64,
    pub(crate) first: String,
}

impl RefusedJobs {
    fn push(&mut self, why: &str) {
        if self.count == 0 {
            why.clone_into(&mut self.first);
        }
        self.count += 1;
    }
}

/// One batch of submissions under way.
struct Submitting {
    since: u64,
    /// Number, job and leaf of each.
    jobs: Vec<(u32, usize, usize)>,
    pending: Pending,
}

/// Everything the driver holds.
pub(crate) struct Driver<'a> {
    engine: &'a dyn Engine,
    jobs: &'a [Job],
    /// Those that somebody wished, numbered after the others. As many as were in flight at once: their places are used
    /// again.
    own_jobs: Vec<Job>,
    free_jobs: Vec<usize>,
    lives: Lives,
    pace: Pace,
    leaves: Vec<String>,
    /// So many of the leaves are the load's; the others are those that somebody wished jobs for.
    load_leaves: usize,
    woken: Receiver<u32>,
    stop: &'a AtomicBool,

    start: u64,
    heartbeat_ns: u64,
    /// In order of registration, which is their number's.
    nodes: Vec<NodeHandle>,
    /// By node: it was removed.
    gone: Vec<bool>,
    wheel: Wheel,
    apps: Vec<Option<LoadApp>>,
    free_slots: Vec<u32>,
    /// Application number -> slot.
    slot_of: Vec<u32>,
    /// Slots to call `allocate` for.
    calls: Vec<u32>,
    /// Slot -> the round in which it was last called, so that many wake-ups of one are one call.
    called: Vec<u64>,
    round: u64,
    leaving: VecDeque<(u64, u32)>,
    /// Jobs whose answers have not come.
    submitted: Option<Submitting>,
    next_number: u32,
    admission: Admission,
    books: Books,
    preempting: Option<Preempting>,
    watched: Option<Watched>,
    latencies: Option<Arc<Latencies>>,
    request: AllocateRequest,
    answer: Allocation,
    /// Heartbeats that the scheduler had no room for.
    refused: Vec<Heartbeat>,
    /// Jobs that queues have refused.
    pub(crate) refused_jobs: RefusedJobs,
    /// Number of the next heartbeat: node `beat % nodes`.
    beat: u64,
    next_observation: u64,
    observations: u32,
    utilisation_sum: f64,

    pub(crate) queue_names: Vec<String>,
    pub(crate) samples: Vec<Sample>,
    /// Somebody draws them afterwards.
    keeps_samples: bool,
    pub(crate) enqueue: Histogram<u64>,
    pub(crate) allocate: Histogram<u64>,
    pub(crate) submit: Histogram<u64>,
    pub(crate) allocate_calls: u64,
    pub(crate) jobs_finished: u64,
    pub(crate) most_jobs_in_flight: usize,
    /// Heartbeats left out because the driver was late.
    pub(crate) skipped: u64,
    /// Processor seconds of the driver's thread.
    pub(crate) cpu_seconds: f64,
    /// Heartbeats that came back at least once.
    pub(crate) pushed_back: u64,
}

impl std::fmt::Debug for Driver<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Driver").field("pace", &self.pace).field("beat", &self.beat).finish_non_exhaustive()
    }
}

/// Registers the nodes of a run, and lets the scheduler compute what follows from them.
///
/// # Errors
/// What the scheduler says against a node.
pub(crate) fn register(engine: &dyn Engine, pace: &Pace) -> Result<Vec<NodeHandle>, String> {
    let mut nodes = Vec::with_capacity(pace.nodes as usize);
    for i in 0..pace.nodes {
        let rack = u64::from(i) * u64::from(pace.racks) / u64::from(pace.nodes);
        nodes.push(engine.add_node(&format!("n{i}"), &format!("/r{rack}"), pace.node_total)?);
    }
    engine.update_now();
    engine.quiesce();
    Ok(nodes)
}

/// A job of the trace, or one that somebody wished.
fn job<'j>(jobs: &'j [Job], own: &'j [Job], index: usize) -> &'j Job {
    jobs.get(index).unwrap_or_else(|| &own[index - jobs.len()])
}

/// Usage and share of the queues of these names; others came later, and are left out.
fn figures_of(names: &[String], queues: &[QueueFigures]) -> Vec<(i64, i64)> {
    let by_name: FxHashMap<&str, &QueueFigures> = queues.iter().map(|queue| (queue.name.as_str(), queue)).collect();
    let of = |queue: &&QueueFigures| (queue.usage.memory_mb(), queue.share.memory_mb());
    names.iter().map(|name| by_name.get(name.as_str()).map(of).unwrap_or_default()).collect()
}

/// What root uses in each partition, MiB, and how many containers were received there.
fn by_partition(partitions: &Partitions, queues: &[QueueFigures]) -> Vec<(i64, u64)> {
    let root = queues.iter().find(|queue| queue.name == "root");
    let usage = |name: &String| {
        let part = root.and_then(|root| root.partitions.iter().find(|part| part.label == *name));
        part.map_or(0, |part| part.usage.memory_mb())
    };
    partitions.names.iter().map(usage).zip(partitions.received.iter().copied()).collect()
}

impl<'a> Driver<'a> {
    /// `nodes` come from [`register`]; `leaves` are the queues that jobs go to, by the index that the jobs carry.
    #[expect(clippy::too_many_arguments, reason = "all of them are kept")]
    pub(crate) fn new(
        engine: &'a dyn Engine,
        jobs: &'a [Job],
        lives: Lives,
        pace: Pace,
        nodes: Vec<NodeHandle>,
        leaves: Vec<String>,
        admission: impl FnOnce(&[QueueFigures]) -> Admission,
        woken: Receiver<u32>,
        stop: &'a AtomicBool,
    ) -> Driver<'a> {
        let count = nodes.len();
        let queues = engine.queues();
        let heartbeat_ns = evenweave_tools::clock::nanos(pace.heartbeat).max(1);
        let longest = evenweave_tools::clock::nanos(pace.mean_life * 10) / heartbeat_ns + 2;
        Driver {
            engine,
            jobs,
            own_jobs: Vec::new(),
            free_jobs: Vec::new(),
            load_leaves: leaves.len(),
            lives,
            pace,
            woken,
            stop,
            start: 0,
            heartbeat_ns,
            wheel: Wheel::new(count, u32::try_from(longest).unwrap_or(u32::MAX)),
            nodes,
            gone: vec![false; count],
            apps: Vec::new(),
            free_slots: Vec::new(),
            slot_of: Vec::new(),
            calls: Vec::new(),
            called: Vec::new(),
            round: 0,
            leaving: VecDeque::new(),
            submitted: None,
            next_number: 1,
            admission: admission(&queues),
            books: Books::new(count, leaves.len()),
            preempting: None,
            watched: None,
            latencies: None,
            leaves,
            request: AllocateRequest::default(),
            answer: Allocation::default(),
            refused: Vec::new(),
            refused_jobs: RefusedJobs::default(),
            beat: 0,
            next_observation: OBSERVE_EVERY_NS,
            observations: 0,
            utilisation_sum: 0.0,
            queue_names: queues.into_iter().map(|queue| queue.name).collect(),
            samples: Vec::new(),
            keeps_samples: true,
            enqueue: histogram(),
            allocate: histogram(),
            submit: histogram(),
            allocate_calls: 0,
            jobs_finished: 0,
            most_jobs_in_flight: 0,
            skipped: 0,
            pushed_back: 0,
            cpu_seconds: 0.0,
        }
    }

    /// Nodes have labels: the leaves are the lines of these partitions.
    pub(crate) fn label(&mut self, partitions: Partitions) {
        self.books.partitions = Some(partitions);
    }

    /// What was counted by partition.
    pub(crate) fn partitions(&self) -> Option<&Partitions> {
        self.books.partitions.as_ref()
    }

    /// Containers may be taken, and a queue comes late.
    pub(crate) fn preempt(&mut self, preempting: Preempting) {
        self.books.preempting = true;
        self.preempting = Some(preempting);
    }

    /// Tells a server how long calls take that are timed.
    pub(crate) fn tell_latencies(&mut self, latencies: Arc<Latencies>) {
        self.latencies = Some(latencies);
    }

    /// Somebody is told of everything, and others may change the cluster.
    pub(crate) fn watch(&mut self, witness: Witness, wishes: Wishes) {
        self.watched = Some(Watched::new(witness, wishes));
        self.keeps_samples = false;
    }

    /// Its figures are drawn and its books are checked, although somebody wishes and containers may end before their
    /// time.
    pub(crate) fn is_measured(&mut self) {
        self.keeps_samples = true;
        self.books.preempting = true;
    }

    /// Does what is wished once the run is over.
    pub(crate) fn last_wishes(&mut self) {
        self.do_wishes(now_ns() - self.start);
    }

    /// What came of the preemption, once the run is over.
    pub(crate) fn take_story(&mut self) -> Option<Story> {
        self.preempting.take().map(Preempting::story)
    }

    /// Drives until the time is over, all jobs of a timetable have ended, or the stop flag is up; `watch` is told the
    /// seconds gone by, now and then. Returns the seconds that it took.
    ///
    /// # Errors
    /// When the scheduler refuses a job or loses its footing.
    pub(crate) fn drive(&mut self, watch: &mut dyn FnMut(f64, &Driver<'_>)) -> Result<f64, String> {
        let duration = evenweave_tools::clock::nanos(self.pace.duration);
        self.start = now_ns();
        let cpu = thread_cpu_seconds();
        loop {
            let now = now_ns() - self.start;
            // ORDERING: Relaxed. The flag carries no data; a round later is soon enough.
            if now >= duration || self.admission.is_over() || self.stop.load(Ordering::Relaxed) {
                self.cpu_seconds = thread_cpu_seconds() - cpu;
                if let Some(preempting) = &mut self.preempting {
                    preempting.end(self.engine, now);
                }
                return Ok(seconds(now));
            }
            self.preemption(now);
            self.do_wishes(now);
            let mut busy = self.serve_masters(now)?;
            busy |= self.finish_jobs(now)?;
            busy |= self.submit_jobs(now)?;
            busy |= self.beat(now)?;
            if now >= self.next_observation {
                self.observe(now);
                watch(seconds(now), self);
            }
            if !busy {
                std::thread::sleep(Duration::from_micros(50));
            }
        }
    }

    /// Calls `allocate` for every application that was woken or has something to ask. Whether there was one.
    fn serve_masters(&mut self, now: u64) -> Result<bool, String> {
        let mut calls = std::mem::take(&mut self.calls);
        let woken = self.woken.try_iter().take(WAKE_UPS_AT_ONCE);
        calls.extend(woken.filter_map(|n| self.slot_of.get(n as usize).copied()).filter(|slot| *slot != NO_SLOT));
        let any = !calls.is_empty();
        self.round += 1;
        for slot in calls.drain(..) {
            let called = &mut self.called[slot as usize];
            if std::mem::replace(called, self.round) != self.round {
                self.serve_master(slot, now)?;
            }
        }
        // What came up meanwhile was put on the new, empty list; the old one's room is worth keeping.
        std::mem::swap(&mut self.calls, &mut calls);
        self.calls.append(&mut calls);
        Ok(any)
    }

    fn serve_master(&mut self, slot: u32, now: u64) -> Result<u32, String> {
        let mut received = 0;
        loop {
            let Some(app) = self.apps[slot as usize].as_mut() else { return Ok(received) };
            std::mem::swap(&mut self.request.asks, &mut app.to_ask);
            std::mem::swap(&mut self.request.releases, &mut app.to_release);
            self.allocate_calls += 1;
            let timed = self.allocate_calls.is_multiple_of(TIMED).then(now_ns);
            let outcome = self.engine.allocate(&app.handle, &self.request, &mut self.answer);
            if let Some(since) = timed {
                let took = now_ns() - since;
                record(&mut self.allocate, took);
                if let Some(latencies) = &self.latencies {
                    latencies.allocate(Duration::from_nanos(took));
                }
            }
            match outcome {
                Ok(()) => {
                    self.request.asks.clear();
                    self.request.releases.clear();
                }
                Err(Refused::TryAgain(TryAgain::Busy)) => {
                    std::mem::swap(&mut self.request.asks, &mut app.to_ask);
                    std::mem::swap(&mut self.request.releases, &mut app.to_release);
                    self.calls.push(slot);
                    return Ok(received);
                }
                // Somebody has ended it, its AM is gone, or the queues are such by now that what it asks for is
                // refused.
                Err(refused) if self.watched.is_some() && refused != Refused::Gone(Gone::ShutDown) => {
                    self.request.asks.clear();
                    self.request.releases.clear();
                    self.vanish(slot);
                    return Ok(received);
                }
                Err(error) => return Err(format!("allocate of application {}: {error}", app.handle.number())),
            }
            received += self.take_answer(slot, now);
            if self.watched.is_some() && self.take_losses(slot) {
                return Ok(received);
            }
            if self.preempting.is_some() && self.take_warnings(slot, now)? {
                return Ok(received);
            }
            let app = self.apps[slot as usize].as_ref().expect("an application leaves in finish_jobs, or with its AM");
            if app.to_ask.is_empty() && app.to_release.is_empty() {
                return Ok(received);
            }
        }
    }

    /// Puts what an application got on the wheel.
    fn take_answer(&mut self, slot: u32, now: u64) -> u32 {
        let app = self.apps[slot as usize].as_mut().expect("the caller has just looked");
        let job = job(self.jobs, &self.own_jobs, app.job);
        let number = app.handle.number();
        for container in &self.answer.granted {
            let node = container.node.index();
            self.books.got(app.leaf, node);
            let Some(role) = app.received(container.id, container.node, container.priority) else {
                self.books.unasked += 1;
                continue;
            };
            if let Some(watched) = &mut self.watched {
                watched.received(&app.handle, container, slot, role);
            }
            if let Some(preempting) = &mut self.preempting {
                preempting.received(container.id, slot, role, container.node, now);
            }
            let life = match role {
                Role::Master => {
                    app.first_asks();
                    continue;
                }
                Role::Map => job.map_life_ns,
                Role::Reduce => job.reduce_life_ns,
            };
            let reduce = role == Role::Reduce;
            let mut life = match self.lives.own(app.job, reduce, app.before_last(reduce)) {
                Some(own) => own,
                None if app.job < self.jobs.len() => self.lives.of(life, number, container.id.number()),
                None => self.lives.chosen(life, number, container.id.number()),
            };
            if let Some(preempting) = &self.preempting {
                life = preempting.life(life, number, container.id.number());
            }
            let over = now.saturating_add(life);
            let offset = node as u64 * self.heartbeat_ns / u64::from(self.pace.nodes);
            let tick = over.saturating_sub(offset).div_ceil(self.heartbeat_ns) + 1;
            let tick = u32::try_from(tick).unwrap_or(u32::MAX - 1);
            self.wheel.put(node, tick, container.id, slot << 2 | role as u32);
        }
        let preempting = self.books.preempting;
        let by_itself = |reason: EndReason| {
            let preempted = preempting && matches!(reason, EndReason::Preempted | EndReason::Released);
            let expected = preempted || matches!(reason, EndReason::Completed | EndReason::AppFinished);
            !expected
        };
        self.books.taken_back += self.answer.ended.iter().filter(|ended| by_itself(ended.reason)).count() as u64;
        u32::try_from(self.answer.granted.len()).expect("fewer than 2^32 at once")
    }

    fn leave(&mut self, slot: u32) -> Result<(), String> {
        let app = self.apps[slot as usize].take().expect("an application leaves once");
        let finished = self.engine.finish(&app.handle);
        match &mut self.watched {
            // Somebody may have been quicker.
            Some(watched) => watched.tell(Happened::Left { number: app.handle.number(), done: finished.is_ok() }),
            None => finished.map_err(|e| format!("finish of {}: {e}", app.handle.number()))?,
        }
        self.slot_of[app.handle.number() as usize] = NO_SLOT;
        self.free_slots.push(slot);
        self.admission.job_left();
        self.is_free(app.job);
        Ok(())
    }

    /// The place of a job that somebody wished may be another's.
    fn is_free(&mut self, job: usize) {
        if job >= self.jobs.len() {
            self.free_jobs.push(job);
        }
    }

    fn finish_jobs(&mut self, now: u64) -> Result<bool, String> {
        let mut any = false;
        while self.leaving.front().is_some_and(|(due, _)| *due <= now) {
            let (_, slot) = self.leaving.pop_front().expect("just seen");
            self.leave(slot)?;
            self.jobs_finished += 1;
            any = true;
        }
        Ok(any)
    }

    /// Takes the answers to the jobs that were submitted, and submits the next: one batch at a time is under way, so
    /// that the nodes never wait for the scheduler's control. Whether there was something.
    fn submit_jobs(&mut self, now: u64) -> Result<bool, String> {
        self.take_submitted(now)?;
        if self.submitted.is_some() {
            return Ok(false);
        }
        let (mut jobs, mut submissions) = (Vec::new(), Vec::new());
        while jobs.len() < SUBMITTED_AT_ONCE {
            let Some((index, leaf)) = self.admission.next(self.jobs, now) else { break };
            let number = self.next_number;
            self.next_number += 1;
            let label = self.books.partitions.as_ref().and_then(|partitions| partitions.label_name(leaf));
            if let Some(watched) = &mut self.watched {
                let user = &self.jobs[index].user;
                watched.tell(Happened::Submitted { number, user, queue: &self.leaves[leaf], label });
            }
            let mut am = AmRequest::from(CONTAINER);
            // A site's default label for AMs would come before the application's.
            if let Some(label) = label.filter(|label| !label.is_empty()) {
                am = am.labelled(label);
            }
            let submission = Submission::new(number, self.jobs[index].user.to_string())
                .in_queue(self.leaves[leaf].clone())
                .with_am(am);
            submissions.push(match label {
                Some(label) => submission.labelled(label),
                None => submission,
            });
            jobs.push((number, index, leaf));
        }
        if jobs.is_empty() {
            return Ok(false);
        }
        self.most_jobs_in_flight = self.most_jobs_in_flight.max(self.admission.live());
        let since = now_ns();
        self.submitted = Some(Submitting { since, jobs, pending: self.engine.submit_all(submissions)? });
        Ok(true)
    }

    /// Takes the answers that have come.
    fn take_submitted(&mut self, now: u64) -> Result<(), String> {
        let Some(submitting) = &mut self.submitted else { return Ok(()) };
        let Some(answers) = (submitting.pending)() else { return Ok(()) };
        record(&mut self.submit, now_ns() - submitting.since);
        let jobs = std::mem::take(&mut submitting.jobs);
        self.submitted = None;
        for (answer, (number, index, leaf)) in answers.into_iter().zip(jobs) {
            // A refusal ends no run that others change, or whose jobs are as somebody's trace has them.
            if let Err(why) = &answer
                && (self.watched.is_some() || self.admission.has_times())
            {
                if let Some(watched) = &mut self.watched {
                    watched.tell(Happened::Refused { number, why });
                }
                self.refused_jobs.push(why);
                (0..job(self.jobs, &self.own_jobs, index).containers())
                    .for_each(|_| self.admission.container_ended(leaf));
                self.admission.job_left();
                self.admission.refused(leaf, now);
                continue;
            }
            let handle = answer.map_err(|refusal| {
                format!("application {number} was refused by queue {}: {refusal}", self.leaves[leaf])
            })?;
            self.admission.accepted(leaf);
            self.job_entered(handle, index, leaf);
        }
        Ok(())
    }

    fn job_entered(&mut self, handle: AppHandle, index: usize, leaf: usize) {
        let number = handle.number() as usize;
        if let Some(watched) = &mut self.watched {
            watched.tell(Happened::Accepted(&handle));
        }
        let job = job(self.jobs, &self.own_jobs, index);
        let label = self.books.partitions.as_ref().and_then(|partitions| partitions.label(leaf));
        let app = LoadApp::new(handle, index, leaf, job.maps, job.reduces).labelled(label);
        let slot = self.free_slots.pop().unwrap_or_else(|| {
            self.apps.push(None);
            self.called.push(0);
            u32::try_from(self.apps.len() - 1).expect("fewer than 2^30 jobs in flight")
        });
        self.apps[slot as usize] = Some(app);
        if self.slot_of.len() <= number {
            self.slot_of.resize(number + 1, NO_SLOT);
        }
        self.slot_of[number] = slot;
        // Its AM's container may have come, and its wake-up gone, before the answer did.
        self.calls.push(slot);
    }

    /// Sends what is due. Whether there was something.
    fn beat(&mut self, now: u64) -> Result<bool, String> {
        if !self.refused.is_empty() {
            let again = std::mem::take(&mut self.refused);
            if !self.hand_over(again) {
                return Ok(false);
            }
        }
        let nodes = u64::from(self.pace.nodes);
        let due = self.beats_due(now) + 1;
        let rounds_late = due.saturating_sub(self.beat) / nodes;
        if rounds_late > 1 {
            self.beat += (rounds_late - 1) * nodes;
            self.skipped += (rounds_late - 1) * nodes;
        }
        let any = self.beat < due;
        // A few batches at most: the ApplicationMasters want their turn.
        for _ in 0..4 {
            let count = (due - self.beat.min(due)).min(BATCH as u64);
            if count == 0 {
                break;
            }
            let mut batch = Vec::with_capacity(BATCH);
            for _ in 0..count {
                let place = usize::try_from(self.beat % nodes).expect("nodes are counted in 32 bits");
                self.beat += 1;
                if self.gone[place] {
                    continue;
                }
                if self.nodes[place].is_gone() {
                    // Somebody has taken it away, or it went with its worker.
                    self.is_gone(place);
                    self.tell_of(place, Happened::Removed);
                    continue;
                }
                batch.push(self.heartbeat(place, now)?);
            }
            if !self.hand_over(batch) {
                break;
            }
        }
        Ok(any)
    }

    /// Beat b is due at b / nodes intervals.
    fn beats_due(&self, now: u64) -> u64 {
        // 128 bits, for long runs of many nodes.
        let due = u128::from(now) * u128::from(self.pace.nodes) / u128::from(self.heartbeat_ns);
        u64::try_from(due).expect("fewer than 2^64 heartbeats")
    }

    /// The next report of one node, with everything that has ended since the last one.
    fn heartbeat(&mut self, node: usize, now: u64) -> Result<Heartbeat, String> {
        let offset = node as u64 * self.heartbeat_ns / u64::from(self.pace.nodes);
        let tick = u32::try_from(now.saturating_sub(offset) / self.heartbeat_ns + 1).unwrap_or(u32::MAX - 1);
        let mut heartbeat = Heartbeat::new(&self.nodes[node]);
        let Driver { wheel, apps, books, admission, calls, leaving, preempting, watched, .. } = self;
        if let Some(preempting) = preempting {
            preempting.report(node, &mut heartbeat);
        }
        let mut masters = Vec::new();
        let mut lost = 0_u32;
        wheel.take(node, tick, |id, owner| {
            if preempting.as_mut().is_some_and(|preempting| !preempting.ends(id)) {
                return;
            }
            if watched.as_mut().is_some_and(|watched| !watched.ends(id)) {
                return;
            }
            let slot = owner >> 2;
            let Some(app) = apps[(slot) as usize].as_mut() else {
                lost += 1;
                return;
            };
            heartbeat.add_completed([id]);
            books.has_ended(app.leaf, node);
            admission.container_ended(app.leaf);
            let role = match owner & 3 {
                0 => Role::Master,
                1 => Role::Map,
                _ => Role::Reduce,
            };
            if role == Role::Master {
                app.held -= 1;
                // A heartbeat later the scheduler has heard of it.
                leaving.push_back((now + self.heartbeat_ns, slot));
                return;
            }
            if let Some(preempting) = preempting {
                preempting.done(app.leaf);
            }
            if app.task_done(role) {
                calls.push(slot);
            }
            if let Some((master, place)) = app.master_to_end() {
                masters.push((master, place, slot));
            }
        });
        if let Some(watched) = watched {
            watched.tell(Happened::Reported { node: &self.nodes[node], ended: heartbeat.completed() });
        }
        if lost > 0 {
            return Err("a container outlived its application".to_owned());
        }
        for (id, place, slot) in masters {
            self.wheel.put(place.index(), 0, id, slot << 2 | Role::Master as u32);
        }
        Ok(heartbeat)
    }

    /// Whether all of them were taken; the others wait in `refused`.
    fn hand_over(&mut self, mut batch: Vec<Heartbeat>) -> bool {
        let since = now_ns();
        // Heartbeats that come back keep the stamp of their first try: waiting counts.
        let first = self.beat.saturating_sub(batch.len() as u64);
        for (heartbeat, number) in batch.iter_mut().zip(first..) {
            if number.is_multiple_of(WATCHED) && heartbeat.stamp == 0 {
                heartbeat.stamp = since;
            }
        }
        let outcome = self.engine.heartbeats(batch);
        record(&mut self.enqueue, now_ns() - since);
        match outcome {
            Ok(()) => true,
            Err(back) => {
                self.pushed_back += back.len() as u64;
                self.refused = back;
                false
            }
        }
    }

    fn observe(&mut self, now: u64) {
        self.next_observation += OBSERVE_EVERY_NS;
        self.look_for_ended();
        let stats = self.engine.stats();
        let total = (stats.cluster.memory_mb() as f64).max(1.0);
        let allocated = stats.allocated.memory_mb() as f64 / total;
        // What waited at the last update, for as long as as much ends as is granted.
        let waiting = self.engine.pending().memory_mb() as f64 / total;
        self.admission.observe(allocated, waiting);
        self.observations += 1;
        self.utilisation_sum += allocated;
        if !self.observations.is_multiple_of(OBSERVATIONS_A_SAMPLE) {
            return;
        }
        if self.watched.is_some() {
            self.call_all();
        }
        if !self.keeps_samples {
            // There may be no end.
            self.samples.clear();
        }
        let queues = self.engine.queues();
        self.samples.push(Sample {
            at: seconds(now),
            granted: stats.granted,
            heartbeats: stats.heartbeats,
            jobs_finished: self.jobs_finished,
            utilisation: std::mem::take(&mut self.utilisation_sum) / f64::from(OBSERVATIONS_A_SAMPLE),
            queues: figures_of(&self.queue_names, &queues),
            partitions: self.books.partitions.as_ref().map(|of| by_partition(of, &queues)).unwrap_or_default(),
            snapshot_age_ms: stats.snapshot_age_ms,
        });
    }

    /// How late the latest job of a timetable was submitted, ns.
    pub(crate) fn most_late_ns(&self) -> Option<u64> {
        self.admission.most_late_ns()
    }

    /// Heartbeats that were due, left out or not.
    pub(crate) fn heartbeats_due(&self) -> u64 {
        self.beat
    }

    /// Jobs in flight now.
    pub(crate) fn jobs_in_flight(&self) -> usize {
        self.admission.live()
    }

    /// After the run: everything that is under way arrives, and every grant is fetched. Then the books can be checked.
    ///
    /// # Errors
    /// When the scheduler does not come to rest.
    fn settle(&mut self) -> Result<(), String> {
        let begun = now_ns();
        let in_time = || {
            std::thread::sleep(Duration::from_millis(20));
            if now_ns() - begun < PATIENCE_NS { Ok(()) } else { Err("the scheduler does not come to rest".to_owned()) }
        };
        let now = begun - self.start;
        while self.submitted.is_some() {
            self.take_submitted(now)?;
            in_time()?;
        }
        while !self.refused.is_empty() {
            let again = std::mem::take(&mut self.refused);
            if !self.hand_over(again) {
                in_time()?;
            }
        }
        // Updates make the last asks visible, which an asynchronous allocation may then serve: quiet is when two rounds
        // in a row brought nothing.
        let mut quiet = 0;
        while quiet < 2 {
            self.engine.update_now();
            self.engine.quiesce();
            in_time()?;
            self.report_taken()?;
            let mut received = 0;
            self.calls.clear();
            for slot in 0..u32::try_from(self.apps.len()).expect("slots are 32 bits") {
                received += self.serve_master(slot, now)?;
            }
            quiet = if received == 0 && self.calls.is_empty() { quiet + 1 } else { 0 };
        }
        self.engine.update_now();
        self.engine.quiesce();
        Ok(())
    }

    /// Comes to rest and compares. With preemption containers are killed whenever that is due, between two looks too: a
    /// difference is one that lasts.
    ///
    /// # Errors
    /// As [`Driver::settle`].
    pub(crate) fn settle_and_check(&mut self) -> Result<(crate::engine::Totals, Vec<Difference>), String> {
        let begun = now_ns();
        loop {
            self.settle()?;
            self.follow_moves();
            let (stats, differences) = self.check();
            // Something may have been taken or moved between two looks.
            let may_pass = self.books.preempting && now_ns() - begun < PATIENCE_NS;
            if differences.is_empty() || !may_pass {
                return Ok((stats, differences));
            }
        }
    }

    /// The books and the applications in flight.
    fn check(&self) -> (crate::engine::Totals, Vec<Difference>) {
        self.books.check(self.engine, self.pace.node_total, &self.leaves, self.apps.iter().flatten())
    }

    /// Containers that run, by the driver's count.
    pub(crate) fn running(&self) -> u64 {
        self.books.running()
    }
}

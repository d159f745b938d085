//! The FairScheduler under load: the threaded core, or its plain twin behind one mutex.
//!
//! The twin runs the same decision code, stepped, with every queue's children sorted anew for each container, and does
//! everything under one lock. It is this project's own reconstruction of the classic design, not Hadoop.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use evenweave_tools::clock::now_ns;
use evenweave_tools::figures::QueueFigures;

use super::figures::{AppFigures, Totals};
use super::running::{Loaded, Running};
use super::under_load::{CLUSTER_TIMESTAMP, Engine, Pending, Wake};
use crate::api::{
    AllocateRequest, Allocation, AllocationFile, AppHandle, Fair, FairScheduler, FairSchedulerBuilder, Groups,
    Heartbeat, HeartbeatProbe, Label, LabelView, Location, NodeHandle, NodeView, NotSent, Refused, Resource,
    SchedulerApi, Settings, Stepped, Submission, Worker,
};

/// What an engine is made from.
pub(crate) struct Parts {
    pub(crate) settings: Settings,
    pub(crate) allocations: AllocationFile,
    /// Who is in which group; nobody in any without.
    pub(crate) groups: Option<Arc<dyn Groups>>,
    pub(crate) workers: usize,
    /// How far workers may be apart, if not as by default.
    pub(crate) fold_every: Option<u32>,
    /// How many containers somebody may be ahead so that workers serve their own, if not as by default.
    pub(crate) slack: Option<u32>,
    /// Heartbeats that a worker's channel holds.
    pub(crate) channel_capacity: Option<usize>,
    pub(crate) probe: Arc<dyn HeartbeatProbe>,
    pub(crate) wake: Option<Wake>,
}

impl fmt::Debug for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parts").field("workers", &self.workers).finish_non_exhaustive()
    }
}

/// The threaded core.
pub(crate) type Threaded = Running<Fair>;

impl Threaded {
    /// Starts the scheduler's threads.
    ///
    /// # Errors
    /// What the core says against the settings or the allocation file.
    pub(crate) fn start(parts: Parts) -> Result<Threaded, String> {
        let scheduler = builder(parts).start().map_err(|error| error.to_string())?;
        Ok(Running { scheduler, has_plans: false, port: None })
    }

    /// The same, but its workers run wherever they are polled.
    ///
    /// # Errors
    /// As of `start`.
    pub(crate) fn start_with_workers(parts: Parts) -> Result<(Threaded, Vec<Worker>), String> {
        let (scheduler, workers) = builder(parts).start_with_workers().map_err(|error| error.to_string())?;
        Ok((Running { scheduler, has_plans: false, port: None }, workers))
    }
}

fn builder(parts: Parts) -> FairSchedulerBuilder {
    let mut builder = FairScheduler::builder()
        .settings(parts.settings)
        .allocations(parts.allocations)
        .workers(parts.workers)
        .cluster_timestamp(CLUSTER_TIMESTAMP)
        .probe(parts.probe);
    if let Some(groups) = parts.groups {
        builder = builder.groups(groups);
    }
    if let Some(changes) = parts.fold_every {
        builder = builder.fold_every(changes);
    }
    if let Some(containers) = parts.slack {
        builder = builder.slack(containers);
    }
    if let Some(capacity) = parts.channel_capacity {
        builder = builder.channel_capacity(capacity);
    }
    if let Some(wake) = parts.wake {
        builder = builder.on_grants(wake);
    }
    builder
}

impl Loaded for Fair {
    fn reload(scheduler: &FairScheduler, text: &str) -> Result<(), Refused> {
        scheduler.reload_text(text).map(drop)
    }

    fn pending(running: &Threaded) -> Resource {
        running.scheduler.stats().pending_demand()
    }

    fn audit(scheduler: &FairScheduler) -> Result<Vec<String>, Refused> {
        Ok(scheduler.audit()?.wrong)
    }

    fn prefetch_calls(scheduler: &FairScheduler, apps: &[AppHandle], next: &[u32]) {
        scheduler.prefetch_calls(next.iter().map(|app| &apps[*app as usize]));
    }
}

/// The plain twin: everything under one mutex, and a thread that updates shares.
pub(crate) struct Locked {
    core: Arc<Mutex<Stepped>>,
    probe: Arc<dyn HeartbeatProbe>,
    stop: Arc<AtomicBool>,
    updater: Mutex<Option<JoinHandle<()>>>,
}

impl fmt::Debug for Locked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Locked")
    }
}

fn lock(core: &Mutex<Stepped>) -> MutexGuard<'_, Stepped> {
    core.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Locked {
    /// Starts the twin, with its update thread unless `update_every` is `None`.
    ///
    /// # Errors
    /// What the core says against the settings or the allocation file.
    pub(crate) fn start(parts: Parts, update_every: Option<Duration>) -> Result<Locked, String> {
        let mut builder = FairScheduler::builder()
            .settings(parts.settings)
            .allocations(parts.allocations)
            .cluster_timestamp(CLUSTER_TIMESTAMP)
            .resort_for_each_container(true);
        if let Some(groups) = parts.groups {
            builder = builder.groups(groups);
        }
        if let Some(wake) = parts.wake {
            builder = builder.on_grants(wake);
        }
        let core = Arc::new(Mutex::new(builder.stepped().map_err(|error| error.to_string())?));
        let stop = Arc::new(AtomicBool::new(false));
        let updater = update_every.map(|every| {
            let (core, stop) = (Arc::clone(&core), Arc::clone(&stop));
            std::thread::spawn(move || {
                let mut last_ms = now_ns() / 1_000_000;
                // ORDERING: Relaxed. A late look at the flag is one more update, nothing else.
                while !stop.load(Ordering::Relaxed) {
                    std::thread::park_timeout(every);
                    let now_ms = now_ns() / 1_000_000;
                    let mut core = lock(&core);
                    core.advance(now_ms - last_ms);
                    core.update_now();
                    last_ms = now_ms;
                }
            })
        });
        Ok(Locked { core, probe: parts.probe, stop, updater: Mutex::new(updater) })
    }
}

impl Locked {
    fn take(&self, heartbeat: &Heartbeat) {
        let stamp = heartbeat.stamp;
        let mut core = lock(&self.core);
        if stamp == 0 {
            core.heartbeat(heartbeat);
        } else {
            let token = self.probe.taken(0, stamp);
            core.heartbeat(heartbeat);
            drop(core);
            self.probe.served(0, stamp, token, 0);
        }
    }
}

impl Engine for Locked {
    fn add_node(&self, name: &str, rack: &str, total: Resource) -> Result<NodeHandle, String> {
        lock(&self.core).add_node(name, rack, total).map_err(|error| error.to_string())
    }

    fn submit_all(&self, submissions: Vec<Submission>) -> Result<Pending, String> {
        let mut core = lock(&self.core);
        let answers =
            submissions.into_iter().map(|one| core.submit(one).map_err(|refusal| refusal.to_string())).collect();
        let mut answers = Some(answers);
        Ok(Box::new(move || answers.take()))
    }

    fn reload(&self, text: &str) -> Result<(), String> {
        lock(&self.core).reload_text(text).map(drop).map_err(|error| error.to_string())
    }

    fn location(&self, name: &str) -> Location {
        lock(&self.core).location(name)
    }

    fn label(&self, name: &str) -> Label {
        lock(&self.core).label(name)
    }

    fn labels(&self) -> Vec<LabelView> {
        lock(&self.core).labels().unwrap_or_default()
    }

    fn heartbeat(&self, heartbeat: Heartbeat) -> Result<(), Box<NotSent<Heartbeat>>> {
        self.take(&heartbeat);
        Ok(())
    }

    fn heartbeats(&self, batch: Vec<Heartbeat>) -> Result<(), Vec<Heartbeat>> {
        batch.iter().for_each(|heartbeat| self.take(heartbeat));
        Ok(())
    }

    fn allocate(&self, app: &AppHandle, request: &AllocateRequest, answer: &mut Allocation) -> Result<(), Refused> {
        lock(&self.core).allocate(app, request, answer)
    }

    fn finish(&self, app: &AppHandle) -> Result<(), String> {
        lock(&self.core).finish(app).map_err(|error| error.to_string())
    }

    fn queues(&self) -> Vec<QueueFigures> {
        lock(&self.core).queues().into_iter().map(QueueFigures::from).collect()
    }

    fn apps(&self) -> Vec<AppFigures> {
        lock(&self.core).apps().into_iter().map(AppFigures::from).collect()
    }

    fn nodes(&self) -> Vec<NodeView> {
        lock(&self.core).nodes()
    }

    fn stats(&self) -> Totals {
        lock(&self.core).stats().into()
    }

    fn pending(&self) -> Resource {
        lock(&self.core).stats().pending_demand()
    }

    fn update_now(&self) {
        lock(&self.core).update_now();
    }

    fn quiesce(&self) {}

    fn audit(&self) -> Vec<String> {
        lock(&self.core).audit(true).wrong
    }

    fn shutdown(&self) {
        // ORDERING: Relaxed. The join below is what orders the thread's end.
        self.stop.store(true, Ordering::Relaxed);
        let updater = self.updater.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = updater {
            thread.thread().unpark();
            // A panic of the update thread has been printed by the panic hook already.
            let _ = thread.join();
        }
    }
}
